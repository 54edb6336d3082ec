# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Folders of a test's brokers, which last no longer than the process that made them.

A process ends in one of three ways, and each removes its folders. (1) It ends by itself: who made a folder
closes it. (2) SIGTERM, SIGHUP or SIGINT ends it without unwinding it: a handler removes the folders, and the
signal then ends the process as before. (3) It is killed: the next process of the same user that makes a
folder in the same place removes those that nobody has locked.

The handler is there only while a folder is, and only for signals that nobody else handles. A folder's lock is
on a file in it, ``.owner``; the kernel lets go of it when the process ends, however it ends.

Any thread makes and closes folders. Python lets only the main thread set handlers: folders that other threads
make alone are left to (3).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import threading
from contextlib import suppress
from types import FrameType

from kreactor.jdk.forks import owned_by_process, run_in_child

# All names of such folders begin so.
_PREFIX = "kreactor-"
OWNER_FILE = ".owner"
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# A broker's threads may make a file while its folder is removed.
_ATTEMPTS = 10

# Changed by one operation each, which needs no lock: a handler must not wait for one.
_open_folders: set[TemporaryFolder] = set()
# Where this process has looked for folders of processes that are gone.
_seen_parents: set[str] = set()


class TemporaryFolder:
    """A new folder of this process. ``close`` removes it with all that is in it."""

    def __init__(self, prefix: str = _PREFIX, parent: str | None = None) -> None:
        """Make the folder in ``parent``, or where the system has such folders. Raises OSError.

        ``prefix``, the begin of its name, begins with ``kreactor-``.
        """
        if parent is None:
            parent = tempfile.gettempdir()
        if parent not in _seen_parents:
            _seen_parents.add(parent)
            _remove_abandoned(parent)
        self.path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        try:
            self._lock_fd = _lock(self.path)
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)
            raise
        _open_folders.add(self)
        owned_by_process(self)
        _set_handlers()

    def forget_in_child(self) -> None:
        """Leave the folder and its lock to the parent, in a forked child."""
        self._end()

    def close(self) -> None:
        """Remove the folder. A second call does nothing, and neither does one in a forked child."""
        if self in _open_folders:
            self._remove()
            self._end()
            if not _open_folders:
                _reset_handlers()

    def _remove(self) -> None:
        for _ in range(_ATTEMPTS):
            shutil.rmtree(self.path, ignore_errors=True)
            if not os.path.exists(self.path):
                break

    def _end(self) -> None:
        _open_folders.discard(self)
        lock_fd, self._lock_fd = self._lock_fd, -1
        if lock_fd >= 0:
            os.close(lock_fd)


def _lock(folder: str) -> int:
    """Return a descriptor whose file says, locked, that the folder is in use. Raises OSError."""
    path = os.path.join(folder, OWNER_FILE)
    # Under its own name the file is never without a lock.
    fd = os.open(f"{path}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(f"{path}.new", path)
    except OSError:
        os.close(fd)
        raise
    return fd


def _remove_abandoned(parent: str) -> None:
    """Remove this user's folders in ``parent`` whose process is gone."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with suppress(OSError):
                    _remove_if_abandoned(entry)


def _remove_if_abandoned(entry: os.DirEntry[str]) -> None:
    """Raises OSError if somebody uses the folder, or it is not one of ours."""
    if not entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_uid != os.getuid():
        return
    fd = os.open(os.path.join(entry.path, OWNER_FILE), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(fd)


def _set_handlers() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _remove_and_end)


def _reset_handlers() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is _remove_and_end:
                signal.signal(number, signal.SIG_DFL)


def _remove_and_end(number: int, frame: FrameType | None) -> None:
    for folder in list(_open_folders):
        folder._remove()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


run_in_child(_reset_handlers)
