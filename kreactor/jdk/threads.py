# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.lang.Thread``: Python's thread with Java's interrupts, and ``ThreadLocal``.

``interrupt`` sets a flag and ends the thread's present wait. A wait that finds the flag clears it and
raises InterruptedException. The waits are those of ``locks.Condition`` and of all that is built of it,
``sleep``, and ``join`` by a thread of this class. A select of ``nio_selector`` returns at once instead, and
leaves the flag.

*How a wait ends.* A thread waits by a lock of its own, which another thread releases. The thread stores the
lock in ``_waiter``, and reads the flag then. ``interrupt`` sets the flag, and reads ``_waiter`` then. So one
of the two sees the other's write, and no interrupt is lost. ``interrupt`` takes no lock that others hold.

Cost: a wait looks up its thread. Acquiring and releasing a lock cost nothing more.

Only threads of this class can be interrupted. The main thread, and a thread that an application made with
Python's own class, cannot: see D20.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import InterruptedException
from kreactor.jdk.floor import Floor

# The longest time-out that a lock takes, in seconds.
TIMEOUT_MAX = threading.TIMEOUT_MAX

# A thread of this floor, the main thread, or an application's own.
AnyThread = threading.Thread


class Wakeable(Protocol):
    """A selector whose select ``wakeup`` ends."""

    def wakeup(self) -> object:
        """End the present select, or else the next one. Called by any thread."""


_selectors: weakref.WeakSet[Wakeable] = weakref.WeakSet()


def selector_opens(selector: Wakeable) -> None:
    """Wake ``selector`` at each interrupt from now on, as long as it lives."""
    _selectors.add(selector)


class Thread(threading.Thread):
    """A thread that can be interrupted. ``start``, ``join`` and ``is_alive`` are Python's."""

    # The threads whose flag is set. Nearly always empty: a select reads only that.
    INTERRUPTED: set[AnyThread] = set()

    # The lock in which the thread waits now.
    _waiter: threading.Lock | None = None
    # The locks in which other threads wait for this one's end; None after its end.
    _joiners: list[threading.Lock] | None = None

    def __init__(self, group: None = None, target: Callable[..., object] | None = None,
                 name: str | None = None, args: Iterable[Any] = (), kwargs: Mapping[str, Any] | None = None,
                 *, daemon: bool | None = None) -> None:
        """As Python's, whose object has locks of its own. Only its ``start`` and ``join`` use them."""
        super().__init__(group, target, name, args, kwargs, daemon=daemon)

    def start(self) -> None:
        """Start the thread. Raises RuntimeError at a second call, or if the system has no more threads."""
        run = self.run
        self._joiners = []

        def run_and_end() -> None:
            try:
                run()
            finally:
                joiners, self._joiners = self._joiners, None
                Thread.INTERRUPTED.discard(self)
                for waiter in joiners or ():
                    _release(waiter)

        setattr(self, "run", run_and_end)
        try:
            Floor.threading.Thread.start(self)
        except BaseException:
            if self.ident is None:
                setattr(self, "run", run)
            raise

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread's end, for at most ``timeout`` seconds. Raises InterruptedException."""
        current = Floor.threading.current_thread()
        joiners = self._joiners
        if joiners is not None and isinstance(current, Thread) and current is not self:
            started = Clock.seconds()
            waiter = Floor.threading.Lock()
            waiter.acquire()
            joiners.append(waiter)
            if self._joiners is None:
                _release(waiter)
            try:
                if not current.wait_in(waiter, timeout):
                    current.end_of_wait()
                    return
            finally:
                with suppress(ValueError):
                    joiners.remove(waiter)
            current.end_of_wait()
            if timeout is not None:
                timeout = max(0.0, timeout - (Clock.seconds() - started))
        Floor.threading.Thread.join(self, timeout)

    def is_alive(self) -> bool:
        """Return whether the thread has started and has not ended."""
        return Floor.threading.Thread.is_alive(self)

    def interrupt(self) -> None:
        """Set the flag, and end the present wait. Does nothing to a thread that is not alive.

        Called by any thread.
        """
        Thread.INTERRUPTED.add(self)
        if self._joiners is None:  # not started, or ended
            Thread.INTERRUPTED.discard(self)
            return
        waiter = self._waiter
        if waiter is not None:
            _release(waiter)
        for selector in list(_selectors):
            selector.wakeup()

    def is_interrupted(self) -> bool:
        """Return whether the flag is set."""
        return self in Thread.INTERRUPTED

    @staticmethod
    def interrupted() -> bool:
        """Clear the flag of the current thread; return whether it was set."""
        current = Floor.threading.current_thread()
        was_set = current in Thread.INTERRUPTED
        Thread.INTERRUPTED.discard(current)
        return was_set

    @staticmethod
    def interrupt_current() -> None:
        """Set the flag of the current thread again, which a wait has cleared, if the thread has one."""
        current = Floor.threading.current_thread()
        if isinstance(current, Thread):
            current.interrupt()

    @staticmethod
    def current_is_interrupted() -> bool:
        """Return whether the flag of the current thread is set."""
        return Floor.threading.current_thread() in Thread.INTERRUPTED

    @staticmethod
    def current_thread() -> AnyThread:
        """Return the thread that calls."""
        return Floor.threading.current_thread()

    @staticmethod
    def current_is_main() -> bool:
        """Return whether the main thread of the process calls."""
        return Floor.threading.current_thread() is Floor.threading.main_thread()

    @staticmethod
    def sleep(ms: int) -> None:
        """Sleep for a number of milliseconds, which is not negative. Raises InterruptedException."""
        current = Floor.threading.current_thread()
        if not isinstance(current, Thread):
            Clock.sleep(ms / 1000)
            return
        waiter = Floor.threading.Lock()
        waiter.acquire()
        current.wait_in(waiter, ms / 1000)
        current.end_of_wait()

    def wait_in(self, waiter: threading.Lock, timeout: float | None) -> bool:
        """Wait until another thread releases ``waiter``, which is acquired, or interrupts this thread.

        Return whether the lock was released. ``end_of_wait`` must follow. Called by this thread, for the
        classes of this package.
        """
        self._waiter = waiter
        if self in Thread.INTERRUPTED:
            return False
        return acquire_within(waiter, timeout)

    def end_of_wait(self) -> None:
        """Forget the lock of the wait. Raises InterruptedException, and clears the flag, if it is set."""
        self._waiter = None
        if self in Thread.INTERRUPTED:
            Thread.INTERRUPTED.discard(self)
            raise InterruptedException()


class ThreadLocal(threading.local):
    """Attributes that each thread has for itself."""


def run_before_threads_end(work: Callable[[], object]) -> None:
    """Run ``work`` at the end of this process, before Python waits for its threads."""
    getattr(threading, "_register_atexit")(work)


def acquire_within(waiter: threading.Lock, timeout: float | None) -> bool:
    """Acquire a lock, within ``timeout`` seconds if that is not None. Return whether that succeeded."""
    if timeout is None:
        return waiter.acquire()
    return waiter.acquire(timeout=min(timeout, TIMEOUT_MAX)) if timeout > 0 else waiter.acquire(False)


def _release(waiter: threading.Lock) -> None:
    with suppress(RuntimeError):  # another thread has released it
        waiter.release()
