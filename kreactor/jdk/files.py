# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Atomic replacement of small files, as Kafka does with ``java.nio.file.Files`` and ``Utils``.

The new content is written to a file beside the old one, flushed, and renamed over the old file. A crash at
any moment leaves the old or the new content. The rename is durable once the folder is flushed.
"""

from __future__ import annotations

import os

from kreactor.jdk.floor import Floor

TEMPORARY_SUFFIX = ".tmp"


def write_fully(fd: int, data: bytes, position: int = 0) -> None:
    """Write all of ``data`` at ``position``. Raises OSError; a part of ``data`` may be in the file then."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += Floor.os.pwrite(fd, view[done:], position + done)


def flush_directory(path: str) -> None:
    """Make a folder's renames and new files durable. Raises OSError."""
    fd = Floor.os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        Floor.os.fsync(fd)
    finally:
        Floor.os.close(fd)


def write_atomically(path: str, data: bytes, sync: bool = True, mode: int = 0o644) -> None:
    """Replace the content of ``path``, durably if ``sync``. Raises OSError; the old content stays then."""
    temporary = path + TEMPORARY_SUFFIX
    # Still has the old content when the path has the new one.
    old = _open_existing(path) if sync else None
    try:
        try:
            _write_temporary(temporary, data, sync, mode)
            Floor.os.replace(temporary, path)
        except OSError:
            remove_quietly(temporary)
            raise
        if sync:
            try:
                flush_directory(os.path.dirname(path) or ".")
            except OSError:
                _put_back(old, path, mode)
                raise
    finally:
        if old is not None:
            Floor.os.close(old)


def _write_temporary(temporary: str, data: bytes, sync: bool, mode: int) -> None:
    fd = Floor.os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), mode)
    try:
        write_fully(fd, data)
        if sync:
            Floor.os.fsync(fd)
    finally:
        Floor.os.close(fd)


def _open_existing(path: str) -> int | None:
    try:
        return Floor.os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        return None


def _put_back(old: int | None, path: str, mode: int) -> None:
    """Restore the content of ``path`` from a descriptor of its old file, as far as that is possible."""
    if old is None:
        remove_quietly(path)
        return
    temporary = path + TEMPORARY_SUFFIX
    try:
        _write_temporary(temporary, Floor.os.pread(old, Floor.os.fstat(old).st_size, 0), True, mode)
        Floor.os.replace(temporary, path)
    except OSError:
        remove_quietly(temporary)


def remove_quietly(path: str) -> None:
    """Remove a file; ignore failures."""
    try:
        Floor.os.remove(path)
    except OSError:
        pass
