# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The one mechanism by which a thread gets another out of ``select``: a pipe with at most one byte in it.

A byte costs two system calls and is needed only while somebody sleeps, so three facts are kept under
one lock: whether a wakeup is owed, whether the selecting thread may be asleep, whether a byte is in
the pipe. No wakeup is lost, because both sides look at the other's fact after they wrote their own:

* before the select: ``prepare_to_sleep`` finds the wakeup owed and tells the selector not to wait;
* during the select: ``wakeup`` finds the sleeper and writes the byte, unless one is there already;
* between ``prepare_to_sleep`` and the kernel's wait: the byte is in the pipe before the wait starts;
* after the select: the wakeup is owed to the next one.

The lock, not the interpreter's, orders the two sides: nothing here depends on the GIL.
"""

from __future__ import annotations

import os
import threading


class Wakeup:
    """A pipe whose read end a selector watches. ``wakeup`` is for any thread, the rest for its owner."""

    __slots__ = ("_lock", "_owed", "_asleep", "_byte_sent", "_read_fd", "_write_fd")

    def __init__(self) -> None:
        """Open the pipe. Raises OSError if the process is out of descriptors."""
        self._lock = threading.Lock()
        self._owed = False
        self._asleep = False
        self._byte_sent = False
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)

    def fileno(self) -> int:
        """Return the descriptor that is readable when the sleeper must wake."""
        return self._read_fd

    def wakeup(self) -> None:
        """End the select that is under way, or else the next one at its start. Many calls count once."""
        with self._lock:
            self._owed = True
            if self._asleep and not self._byte_sent:
                self._byte_sent = True
                os.write(self._write_fd, b"\0")

    def prepare_to_sleep(self) -> bool:
        """Announce a wait; return False if a wakeup is owed, so that the select must not wait."""
        with self._lock:
            self._asleep = not self._owed
            return self._asleep

    def woken(self) -> bool:
        """End the wait, however it ended, and settle what is owed; return whether anything was."""
        with self._lock:
            owed = self._owed
            self._asleep = False
            self._owed = False
            if self._byte_sent:
                self._byte_sent = False
                os.read(self._read_fd, 1)
            return owed

    def close(self) -> None:
        """Close the pipe. A later ``wakeup`` does nothing."""
        with self._lock:
            self._asleep = False
            read_fd, self._read_fd = self._read_fd, -1
            write_fd, self._write_fd = self._write_fd, -1
        for fd in (read_fd, write_fd):
            if fd >= 0:
                os.close(fd)
