# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Wakes a thread that is in ``select``: a pipe with at most one byte in it.

A byte costs two system calls and is needed only while the selecting thread sleeps. So one lock guards three
facts: whether a wakeup is owed, whether the selecting thread may be asleep, and whether a byte is in the pipe
or about to be written. No wakeup is lost, because each side reads the other's fact after it has written its
own:

* before the select: ``prepare_to_sleep`` finds that a wakeup is owed, and tells the selector not to wait;
* during the select: ``wakeup`` finds the sleeping thread and writes the byte, unless there is one already;
* between ``prepare_to_sleep`` and the kernel's wait: the byte is in the pipe before the wait starts, or
  arrives during the wait;
* after the select: the wakeup is owed to the next one.

A byte that is written late ends one later select without need. The byte is written outside the lock, because
the woken thread needs the lock at once and would have to sleep again.

A thread that waits only for a wakeup waits in ``sleep`` for the bell: a lock that the thread has acquired,
and that ``wakeup`` releases. A bell is cheaper than a byte for both threads. The waking thread also keeps the
interpreter lock, which every system call releases.

This module's lock orders the two sides; nothing here depends on the interpreter lock.
"""

from __future__ import annotations

from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import Lock


class Wakeup:
    """A pipe whose read end a selector watches. ``wakeup`` is for any thread, the rest for its owner."""

    __slots__ = ("_lock", "_owed", "_asleep", "_byte_sent", "_writers", "_bell", "_at_bell", "_closed",
                 "_read_fd", "_write_fd")

    def __init__(self) -> None:
        """Open the pipe. Raises OSError if the process is out of descriptors."""
        self._lock = Lock()
        self._owed = False
        self._asleep = False
        self._byte_sent = False
        # The number of threads that write now; the pipe stays open for them.
        self._writers = 0
        self._bell = Lock()
        self._bell.acquire()
        self._at_bell = False
        self._closed = False
        self._read_fd, self._write_fd = Floor.os.pipe()
        Floor.os.set_blocking(self._read_fd, False)
        Floor.os.set_blocking(self._write_fd, False)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the selecting thread must wake."""
        return self._read_fd

    def wakeup(self) -> None:
        """End the current wait, or else the next wait at its start. Several calls count as one."""
        # This read needs no lock. The thread that settles the owed wakeup does so after this read, and so
        # after the caller's earlier actions.
        if self._owed:
            return
        with self._lock:
            self._owed = True
            if self._at_bell:
                self._at_bell = False
                self._bell.release()
                return
            if not self._asleep or self._byte_sent:
                return
            self._byte_sent = True
            self._writers += 1
        try:
            Floor.os.write(self._write_fd, b"\0")
        finally:
            with self._lock:
                self._writers -= 1
                self._maybe_close_pipe()

    def prepare_to_sleep(self) -> bool:
        """Announce a wait; return False if a wakeup is owed, so that the select must not wait."""
        with self._lock:
            self._asleep = not self._owed
            return self._asleep

    def end_wait(self) -> bool:
        """Mark the end of the wait and settle an owed wakeup; return whether one was owed."""
        with self._lock:
            owed = self._owed
            self._asleep = False
            self._owed = False
            if self._byte_sent:
                try:
                    Floor.os.read(self._read_fd, 1)
                    self._byte_sent = False
                except BlockingIOError:
                    pass  # the byte is about to be written
            return owed

    def sleep(self, timeout: float | None) -> bool:
        """Wait up to ``timeout`` seconds for a wakeup and settle it; return whether one was owed."""
        with self._lock:
            self._at_bell = not self._owed
            wait = self._at_bell
        rung = False
        try:
            if wait:
                rung = self._bell.acquire(timeout=-1 if timeout is None else timeout)
        finally:
            with self._lock:
                if wait and not rung and not self._at_bell:
                    self._bell.acquire()  # the bell has rung since, so it is released
                self._at_bell = False
                owed, self._owed = self._owed, False
        return owed

    def close(self) -> None:
        """Close the pipe. A later ``wakeup`` does nothing."""
        with self._lock:
            self._asleep = False
            self._closed = True
            self._maybe_close_pipe()

    def forget_in_child(self) -> None:
        """Close the pipe in a forked child, where no other thread holds the lock or writes."""
        self._lock = Lock()
        self._writers = 0
        self.close()

    def _maybe_close_pipe(self) -> None:
        """Close the pipe if no thread needs it: after that, another file may get its descriptor numbers."""
        if self._closed and not self._writers and self._read_fd >= 0:
            read_fd, self._read_fd = self._read_fd, -1
            write_fd, self._write_fd = self._write_fd, -1
            Floor.os.close(read_fd)
            Floor.os.close(write_fd)
