# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Small files that are replaced whole, and the files of segments.

A small file is written beside its old self, made durable, and renamed over it: a crash at any moment leaves
the old content or the new. The rename itself lasts once the folder is flushed.

The descriptor of a segment's file may be closed by one thread while another reads from it.

Fact: the kernel gives the number of a closed descriptor to the next file that opens. Consequence: a client
could get the bytes of another file. Choice: a ``LogFile`` counts its holders, which are its keeper and each
read that is under way, and closes with the last of them; it does not wait for a garbage collector, which
PyPy's takes its time for. Cost: two short locks for each read or transfer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping

from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.nio_channels import FileChannel

TEMPORARY_SUFFIX = ".tmp"
DELETED_SUFFIX = ".deleted"

_CHECKPOINT_VERSION = 0

log = LogContext().logger(f"{__name__}.LogFile")


class LogFile(FileChannel):
    """The open file of a segment, which closes with its last holder. Any thread holds it and lets it go."""

    __slots__ = ("_holders", "_lock", "__weakref__")

    def __init__(self, fd: int, path: str) -> None:
        """Own the descriptor ``fd``, with one holder: the caller. Prefer ``open``."""
        super().__init__(fd, path)
        self._lock = threading.Lock()
        # Guarded by the lock.
        self._holders = 1
        owned_by_process(self)

    @staticmethod
    def open(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o644) -> LogFile:
        """Open ``path`` with the flags of ``os.open``, for one holder. Raises OSError."""
        return LogFile(os.open(path, flags | getattr(os, "O_CLOEXEC", 0), mode), os.fspath(path))

    def hold(self) -> bool:
        """Add a holder; return False if the last one has let the file go."""
        with self._lock:
            if self._holders == 0:
                return False
            self._holders += 1
            return True

    def let_go(self) -> None:
        """Remove a holder, and close the file with the last one. Logs what the kernel says against it."""
        with self._lock:
            self._holders -= 1
            if self._holders > 0:
                return
        try:
            self.close()
        except OSError as e:
            log.warn("%s cannot be closed: %s", self, e)

    def fileno(self) -> int:
        """Return the descriptor. Raises ClosedChannelException."""
        return self._descriptor()

    def forget_in_child(self) -> None:
        """Close the descriptor in a forked child."""
        self.close()

    def read_at(self, count: int, position: int) -> bytes:
        """Return ``count`` bytes from ``position``; fewer only at the end of the file. Raises OSError."""
        data = os.pread(self._descriptor(), count, position)
        if len(data) < count and data:
            more = os.pread(self._descriptor(), count - len(data), position + len(data))
            while more:
                data += more
                more = os.pread(self._descriptor(), count - len(data), position + len(data))
        return data


def write_fully(fd: int, data: bytes, position: int = 0) -> None:
    """Write all of ``data`` at ``position``. Raises OSError; part of it may be in the file then."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += os.pwrite(fd, view[done:], position + done)


def flush_directory(path: str) -> None:
    """Make renames and new names in a folder last. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_atomically(path: str, data: bytes, sync: bool = True, mode: int = 0o644) -> None:
    """Replace the content of ``path``, durably if ``sync``. Raises OSError; the old content stays then."""
    temporary = path + TEMPORARY_SUFFIX
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), mode)
        try:
            write_fully(fd, data)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except OSError:
        remove_quietly(temporary)
        raise
    if sync:
        flush_directory(os.path.dirname(path) or ".")


def remove_quietly(path: str) -> None:
    """Remove a file if that is possible."""
    try:
        os.remove(path)
    except OSError:
        pass


def write_checkpoint(path: str, lines: Iterable[str], sync: bool = True) -> None:
    """Write one of Kafka's checkpoint files: a version, the number of lines, the lines. Raises OSError."""
    entries = list(lines)
    text = "\n".join((str(_CHECKPOINT_VERSION), str(len(entries)), *entries)) + "\n"
    write_atomically(path, text.encode("utf-8"), sync)


def read_checkpoint(path: str) -> list[list[str]]:
    """Return the fields of each line of a checkpoint file; none if there is no file.

    Raises OSError if it cannot be read, or is not what ``write_checkpoint`` writes.
    """
    try:
        with open(path, encoding="utf-8") as file:
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


def write_offset_checkpoint(path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Write an offset per partition, in the format of Kafka's recovery points. Raises OSError."""
    write_checkpoint(path, (f"{tp.topic()} {tp.partition()} {offset}" for tp, offset in offsets.items()))


def read_offset_checkpoint(path: str) -> dict[TopicPartition, int]:
    """Return the offset per partition that ``write_offset_checkpoint`` wrote. Raises OSError."""
    offsets = {}
    for fields in read_checkpoint(path):
        try:
            topic, partition, offset = fields
            offsets[TopicPartition(topic, int(partition))] = int(offset)
        except ValueError:
            raise OSError(f"Malformed line in checkpoint file [{path}]: {' '.join(fields)}") from None
    return offsets
