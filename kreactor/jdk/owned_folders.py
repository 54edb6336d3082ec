# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Temporary folders that belong to one process, so that others can remove what a killed process has left.

A process has a lock on the file ``.owner`` in each of its folders. The kernel releases the lock when the
process ends, in whatever way. Any thread calls these functions.
"""

from __future__ import annotations

import os
from contextlib import suppress

from kreactor.jdk.floor import Floor

OWNER_FILE = ".owner"


def lock_folder(folder: str) -> int:
    """Return the descriptor of a locked file, which marks the folder as used. Raises OSError."""
    path = os.path.join(folder, OWNER_FILE)
    # The file is locked before it gets its name, so it never exists without a lock.
    fd = Floor.os.open(f"{path}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        Floor.fcntl.flock(fd, Floor.fcntl.LOCK_EX | Floor.fcntl.LOCK_NB)
        Floor.os.rename(f"{path}.new", path)
    except OSError:
        Floor.os.close(fd)
        raise
    return fd


def remove_abandoned(parent: str, prefix: str) -> None:
    """Remove this user's folders in ``parent`` whose process has ended, and whose names begin with
    ``prefix``."""
    with suppress(OSError), Floor.os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(prefix):
                with suppress(OSError):
                    _remove_if_abandoned(entry)


def _remove_if_abandoned(entry: os.DirEntry[str]) -> None:
    """Remove one folder. Raises OSError if a process uses the folder, or if it is not one of ours."""
    if (not entry.is_dir(follow_symlinks=False)
            or entry.stat(follow_symlinks=False).st_uid != Floor.os.getuid()):
        return
    fd = Floor.os.open(os.path.join(entry.path, OWNER_FILE), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        Floor.fcntl.flock(fd, Floor.fcntl.LOCK_EX | Floor.fcntl.LOCK_NB)
        Floor.shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        Floor.os.close(fd)
