# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Data folders of test brokers. A folder does not outlive the process that made it.

A process ends in one of three ways, and in each its folders are removed. (1) The process ends by itself: the
owner of each folder closes it. (2) SIGTERM, SIGHUP or SIGINT ends the process without unwinding: a signal
handler removes the folders, and then the signal ends the process as before. (3) The process is killed: the
next process of the same user that makes a folder in the same place removes the folders without a lock.

The handler is installed only while a folder exists, and only for signals without another handler. For a
folder's lock see ``kreactor.jdk.owned_folders``.

Any thread makes and closes folders. Python lets only the main thread set handlers, so a process whose folders
all come from other threads relies on (3).
"""

from __future__ import annotations

import os
from types import FrameType

from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process, run_in_child
from kreactor.jdk.owned_folders import lock_folder, remove_abandoned
from kreactor.jdk.threads import Thread

# The prefix of all folder names.
_PREFIX = "kreactor-"
_SIGNALS = (Floor.signal.SIGTERM, Floor.signal.SIGHUP, Floor.signal.SIGINT)
# A broker's threads may create a file during the removal of its folder.
_ATTEMPTS = 10

# Each change is a single operation without a lock, because a signal handler must not wait for a lock.
_open_folders: set[TemporaryFolder] = set()
# The parents in which this process has looked for abandoned folders.
_seen_parents: set[str] = set()


class TemporaryFolder:
    """A new folder of this process. ``close`` removes the folder and its content."""

    def __init__(self, prefix: str = _PREFIX, parent: str | None = None) -> None:
        """Make the folder in ``parent``, or in the system's temporary folder. Raises OSError.

        ``prefix`` is the start of the folder's name, and starts with ``kreactor-``.
        """
        if parent is None:
            parent = Floor.tempfile.gettempdir()
        if parent not in _seen_parents:
            _seen_parents.add(parent)
            remove_abandoned(parent, _PREFIX)
        self.path = Floor.tempfile.mkdtemp(prefix=prefix, dir=parent)
        try:
            self._lock_fd = lock_folder(self.path)
        except OSError:
            Floor.shutil.rmtree(self.path, ignore_errors=True)
            raise
        _open_folders.add(self)
        owned_by_process(self)
        _set_handlers()

    def forget_in_child(self) -> None:
        """Leave the folder and its lock to the parent process, in a forked child."""
        self._end()

    def close(self) -> None:
        """Remove the folder. Does nothing in a forked child and at a second call."""
        if self in _open_folders:
            self._remove()
            self._end()
            if not _open_folders:
                _reset_handlers()

    def _remove(self) -> None:
        for _ in range(_ATTEMPTS):
            Floor.shutil.rmtree(self.path, ignore_errors=True)
            if not Floor.os.path.exists(self.path):
                break

    def _end(self) -> None:
        _open_folders.discard(self)
        lock_fd, self._lock_fd = self._lock_fd, -1
        if lock_fd >= 0:
            Floor.os.close(lock_fd)


def _set_handlers() -> None:
    if Thread.current_is_main():
        for number in _SIGNALS:
            if Floor.signal.getsignal(number) is Floor.signal.SIG_DFL:
                Floor.signal.signal(number, _remove_and_end)


def _reset_handlers() -> None:
    if Thread.current_is_main():
        for number in _SIGNALS:
            if Floor.signal.getsignal(number) is _remove_and_end:
                Floor.signal.signal(number, Floor.signal.SIG_DFL)


def _remove_and_end(number: int, frame: FrameType | None) -> None:
    for folder in list(_open_folders):
        folder._remove()
    Floor.signal.signal(number, Floor.signal.SIG_DFL)
    Floor.os.kill(os.getpid(), number)


run_in_child(_reset_handlers)
