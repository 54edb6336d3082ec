# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.CheckpointFile of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Checkpoint files: a version, the number of entries, and one entry per line."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.jdk.files import write_atomically
from kreactor.jdk.floor import Floor

_CHECKPOINT_VERSION = 0


def write_checkpoint(path: str, lines: Iterable[str], sync: bool = True) -> None:
    """Write one of Kafka's checkpoint files: a version, the number of lines, the lines. Raises OSError.

    :origin: server.common.CheckpointFile#write(Collection<T>)
    """
    entries = list(lines)
    text = "\n".join((str(_CHECKPOINT_VERSION), str(len(entries)), *entries)) + "\n"
    write_atomically(path, text.encode("utf-8"), sync)


def read_checkpoint(path: str) -> list[list[str]]:
    """Return the fields of each line of a checkpoint file; an empty result if there is no file.

    Raises OSError if the file cannot be read, or is not in the format of ``write_checkpoint``.

    :origin: server.common.CheckpointFile#read()
    """
    try:
        with Floor.io.open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as e:
        raise OSError(f"{path} is not a checkpoint file: {e}") from e
    if len(lines) < 2:
        return []
    if lines[0] != str(_CHECKPOINT_VERSION):
        raise OSError(f"Unrecognised version:{lines[0]}, expected version: {_CHECKPOINT_VERSION} in "
                      f"checkpoint file at: {path}")
    entries = [line.split() for line in lines[2:]]
    if lines[1] != str(len(entries)):
        raise OSError(f"Expected [{lines[1]}] entries in checkpoint file [{path}], but found only "
                      f"[{len(entries)}]")
    return entries
