# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.locks``: Python's locks and conditions, and the read-write lock that Python lacks.

``Lock()`` and ``ReentrantLock()`` return objects of Python itself, so a lock costs what it costs in Python.
They are made by the floor's ``threading``: see ``floor``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TypeVar

from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalMonitorStateException, InterruptedException
from kreactor.jdk.floor import Floor
from kreactor.jdk.threads import AnyThread, Thread, acquire_within

T = TypeVar("T")

if TYPE_CHECKING:
    from threading import Lock as Lock
    from threading import RLock

    ReentrantLock = RLock
else:
    class Lock:
        """A lock that its thread cannot acquire twice. Cheaper than a reentrant lock."""

        def __new__(cls) -> threading.Lock:
            return Floor.threading.Lock()

    class ReentrantLock:
        """A lock that its thread may acquire again; Java's ``synchronized``, too."""

        def __new__(cls) -> threading.RLock:
            return Floor.threading.RLock()


class Condition(threading.Condition):
    """Python's condition, whose waits read the floor's clock and can be interrupted."""

    def __init__(self, lock: Lock | ReentrantLock | None = None) -> None:
        """Wait by ``lock``; by default by a reentrant lock of its own."""
        super().__init__(ReentrantLock() if lock is None else lock)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for a notification, at most ``timeout`` seconds; return whether it came.

        Called with the lock. Raises RuntimeError without it, and InterruptedException.
        """
        # As the base class's method, of whose private names this class makes use.
        if not self._is_owned():  # type: ignore[attr-defined]
            raise RuntimeError("cannot wait on un-acquired lock")
        current = Floor.threading.current_thread()
        waiter = Floor.threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)  # type: ignore[attr-defined]
        saved = self._release_save()  # type: ignore[attr-defined]
        notified = False
        try:
            notified = (current.wait_in(waiter, timeout) if isinstance(current, Thread)
                        else acquire_within(waiter, timeout))
        finally:
            self._acquire_restore(saved)  # type: ignore[attr-defined]
            if not notified or current in Thread.INTERRUPTED:
                # A waiter that is gone was notified: the notification counts, and the flag stays set.
                try:
                    self._waiters.remove(waiter)  # type: ignore[attr-defined]
                except ValueError:
                    notified = True
                else:
                    notified = False
            if isinstance(current, Thread):
                current._waiter = None
        if not notified and isinstance(current, Thread):
            current.end_of_wait()
        return notified

    def wait_for(self, predicate: Callable[[], T], timeout: float | None = None) -> T:
        """Wait until ``predicate`` is true, at most ``timeout`` seconds; return its last result.

        Called with the lock. Raises InterruptedException.
        """
        if timeout is not None:
            return Clock.wait_for(self, predicate, timeout)
        while not (result := predicate()):
            self.wait()
        return result


class ReentrantReadWriteLock:
    """Many threads may have the read lock at once, or one thread the write lock. Any thread.

    As Java's non-fair lock: a thread may acquire either lock again, and the writer also the read lock. A
    reader that has no hold yet waits while a writer is first in the queue; so readers cannot keep writers
    out. A reader that asks for the write lock waits for itself for ever.

    One lock guards the state for an instant. A thread that need not wait pays for it and two dictionary
    operations.
    """

    __slots__ = ("_condition", "_readers", "_writer", "_write_holds", "_waiting_writers", "_read_lock",
                 "_write_lock")

    def __init__(self) -> None:
        self._condition = Condition(Lock())
        # The holds of each thread that has the read lock.
        self._readers: dict[AnyThread, int] = {}
        self._writer: AnyThread | None = None
        self._write_holds = 0
        self._waiting_writers = 0
        self._read_lock = ReadLock(self)
        self._write_lock = WriteLock(self)

    def read_lock(self) -> ReadLock:
        """Return the lock that readers share."""
        return self._read_lock

    def write_lock(self) -> WriteLock:
        """Return the lock that excludes all other threads."""
        return self._write_lock

    def get_read_hold_count(self) -> int:
        """Return how often the current thread has the read lock."""
        return self._readers.get(Thread.current_thread(), 0)

    def is_write_locked_by_current_thread(self) -> bool:
        """Return whether the current thread has the write lock."""
        return self._writer is Thread.current_thread()

    def _may_read(self, current: AnyThread) -> bool:
        if self._writer is not None:
            return self._writer is current
        return not self._waiting_writers or current in self._readers

    def _may_write(self, current: AnyThread) -> bool:
        if self._writer is not None:
            return self._writer is current
        return not self._readers


class ReadLock:
    """The lock of the readers of one ReentrantReadWriteLock."""

    __slots__ = ("_owner",)

    def __init__(self, owner: ReentrantReadWriteLock) -> None:
        self._owner = owner

    def lock(self) -> None:
        """Acquire the lock; wait for the writer. An interrupt does not end the wait."""
        owner, current = self._owner, Thread.current_thread()
        with owner._condition:
            _wait_uninterruptibly(owner._condition, lambda: owner._may_read(current))
            owner._readers[current] = owner._readers.get(current, 0) + 1

    def try_lock(self) -> bool:
        """Acquire the lock if no other thread writes, also before a writer that waits."""
        owner, current = self._owner, Thread.current_thread()
        with owner._condition:
            if owner._writer is not None and owner._writer is not current:
                return False
            owner._readers[current] = owner._readers.get(current, 0) + 1
            return True

    def unlock(self) -> None:
        """Release one hold. Raises IllegalMonitorStateException if the thread has none."""
        owner, current = self._owner, Thread.current_thread()
        with owner._condition:
            holds = owner._readers.get(current, 0)
            if not holds:
                raise IllegalMonitorStateException("the current thread does not have the read lock")
            if holds > 1:
                owner._readers[current] = holds - 1
                return
            del owner._readers[current]
            if not owner._readers:
                owner._condition.notify_all()

    def __enter__(self) -> Self:
        self.lock()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.unlock()


class WriteLock:
    """The lock of the writer of one ReentrantReadWriteLock."""

    __slots__ = ("_owner",)

    def __init__(self, owner: ReentrantReadWriteLock) -> None:
        self._owner = owner

    def lock(self) -> None:
        """Acquire the lock; wait for all other threads. An interrupt does not end the wait."""
        owner, current = self._owner, Thread.current_thread()
        with owner._condition:
            if not owner._may_write(current):
                owner._waiting_writers += 1
                try:
                    _wait_uninterruptibly(owner._condition, lambda: owner._may_write(current))
                finally:
                    owner._waiting_writers -= 1
                    if not owner._waiting_writers:
                        owner._condition.notify_all()
            owner._writer = current
            owner._write_holds += 1

    def try_lock(self) -> bool:
        """Acquire the lock if no other thread has either lock."""
        owner, current = self._owner, Thread.current_thread()
        with owner._condition:
            if not owner._may_write(current):
                return False
            owner._writer = current
            owner._write_holds += 1
            return True

    def is_held_by_current_thread(self) -> bool:
        """Return whether the current thread has the lock."""
        return self._owner.is_write_locked_by_current_thread()

    def unlock(self) -> None:
        """Release one hold. Raises IllegalMonitorStateException if the thread has none."""
        owner = self._owner
        with owner._condition:
            if owner._writer is not Thread.current_thread():
                raise IllegalMonitorStateException("the current thread does not have the write lock")
            owner._write_holds -= 1
            if not owner._write_holds:
                owner._writer = None
                owner._condition.notify_all()

    def __enter__(self) -> Self:
        self.lock()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.unlock()


def _wait_uninterruptibly(condition: Condition, predicate: Callable[[], bool]) -> None:
    """Wait until ``predicate`` is true; an interrupt that came meanwhile is set again at the end."""
    was_interrupted = False
    while not predicate():
        try:
            condition.wait()
        except InterruptedException:
            was_interrupted = True
    if was_interrupted:
        Thread.interrupt_current()
