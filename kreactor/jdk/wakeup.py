# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The one mechanism by which a thread gets another out of ``select``: a pipe with at most one byte in it.

A byte costs two system calls and is needed only while somebody sleeps, so three facts are kept under
one lock: whether a wakeup is owed, whether the selecting thread may be asleep, whether a byte is in
the pipe or about to be. No wakeup is lost, because both sides look at the other's fact after they wrote
their own:

* before the select: ``prepare_to_sleep`` finds the wakeup owed and tells the selector not to wait;
* during the select: ``wakeup`` finds the sleeper and writes the byte, unless one is there already;
* between ``prepare_to_sleep`` and the kernel's wait: the byte is in the pipe before the wait starts, or
  comes during it;
* after the select: the wakeup is owed to the next one.

A byte that was decided on and is late ends a later select, once, for nothing. It is not written under the
lock: the thread that it wakes wants the lock at once, and would have to sleep again.

A thread that waits for nothing but a wakeup does so in ``sleep``, at a bell: a lock that the thread has
taken, and that ``wakeup`` releases. That is cheaper than a byte for both threads, and the waking thread keeps
the interpreter, which every system call releases.

The lock, not the interpreter's, orders the two sides: nothing here depends on the GIL.
"""

from __future__ import annotations

import os
import threading

from kreactor.jdk.hand_over import wake_or_put_off


class Wakeup:
    """A pipe whose read end a selector watches. ``wakeup`` is for any thread, the rest for its owner."""

    __slots__ = ("_lock", "_owed", "_asleep", "_byte_sent", "_writers", "_bell", "_at_bell", "_closed",
                 "_read_fd", "_write_fd", "is_put_off")

    def __init__(self) -> None:
        """Open the pipe. Raises OSError if the process is out of descriptors."""
        self._lock = threading.Lock()
        self._owed = False
        self.is_put_off = False
        self._asleep = False
        self._byte_sent = False
        # Threads that are about to write, or have just written: the pipe stays open for them.
        self._writers = 0
        self._bell = threading.Lock()
        self._bell.acquire()
        self._at_bell = False
        self._closed = False
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)

    def fileno(self) -> int:
        """Return the descriptor that is readable when the sleeper must wake."""
        return self._read_fd

    def wakeup(self) -> None:
        """End the wait that is under way, or else the next one at its start. Many calls count once."""
        # Without the lock: whoever settles what is owed here does so after this look, and so after what the
        # caller did before it.
        if not self._owed:
            wake_or_put_off(self)

    def wake(self) -> None:
        """Do what ``wakeup`` may put off."""
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
            os.write(self._write_fd, b"\0")
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
        """End the wait, however it ended, and settle what is owed; return whether anything was."""
        with self._lock:
            owed = self._owed
            self._asleep = False
            self._owed = False
            if self._byte_sent:
                try:
                    os.read(self._read_fd, 1)
                    self._byte_sent = False
                except BlockingIOError:
                    pass  # it is on its way
            return owed

    def sleep(self, timeout: float | None) -> bool:
        """Wait for a wakeup, up to ``timeout`` seconds, and settle it; return whether one was owed."""
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
                    self._bell.acquire()  # rung since, and hence free
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
        """Close the pipe in a forked child, where no other thread has the lock or writes."""
        self._lock = threading.Lock()
        self._writers = 0
        self.close()

    def _maybe_close_pipe(self) -> None:
        """Close the pipe if nobody needs it any more: the number of its end may soon be another's."""
        if self._closed and not self._writers and self._read_fd >= 0:
            read_fd, self._read_fd = self._read_fd, -1
            write_fd, self._write_fd = self._write_fd, -1
            os.close(read_fd)
            os.close(write_fd)
