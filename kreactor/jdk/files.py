# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Small files that are replaced whole: what ``java.nio.file.Files`` and ``Utils`` do for Kafka.

A small file is written beside its old self, made durable, and renamed over it: a crash at any moment leaves
the old content or the new. The rename itself lasts once the folder is flushed.
"""

from __future__ import annotations

import os

TEMPORARY_SUFFIX = ".tmp"


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
