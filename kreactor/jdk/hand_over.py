# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The hand-over of work between threads that share one interpreter: a queue with patience, and deferred
wake-ups.

Kafka's own calls lead to this module: ``put``, ``poll`` and ``take`` of the queue between network threads and
handlers, and ``wakeup`` of a selector.

*Fact.* Under an interpreter lock one thread runs at a time, and a thread may keep the lock for 5 ms. A woken
thread waits for the lock. A handler completes a request in about ten microseconds.

*Consequence.* Java's queue wakes a taker for each element. Here the woken taker waits for the interpreter
while the running taker takes the element. If a response wakes its network thread at once, the network thread
takes the interpreter from the handler, which has more requests.

*Choice.* Two rules.

D110: *a busy taker is expected back.* A put wakes one taker if none is busy. While a taker is busy and
elements wait, one idle taker is the guard: it checks the queue once per patience. If no taker has taken an
element for that time, the guard takes the next one. A guard without elements to guard sleeps like the other
takers.

D111: *a taker that comes back wakes others then.* A thread that took an element defers its wake-ups while
more elements wait and there is a guard. The first of four performs a deferred wake-up: the next wake-up of
the same selector that is not deferred, the taker that finds the queue empty, the taker that comes a
millisecond later, or the guard at its check.

*Cost.* Behind slow takers an element can wait for the patience before another taker takes it. A response can
wait as long before its network thread is woken. Under load the guard wakes once per patience.

With a patience of 0 each put wakes a taker, as in Java, and no wake-up is deferred.

*Why no element waits for ever.* One lock guards the state. Whenever it is free while elements wait and takers
are idle, a woken taker is on its way or there is a guard. A put, a take, and a taker that leaves each
maintain this.

*Why no wake-up is deferred for ever.* The guard checks at least once per patience. At each check, and when it
stops being the guard, it performs the deferred wake-ups. A thread that defers a wake-up looks for a guard
before and after. If there is a guard after, that guard performs the wake-up. If there is none, the thread
performs the wake-up itself.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Generic, Protocol, TypeVar

from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException

T = TypeVar("T")

# Takers that return to the queue defer wake-ups for at most this time.
_DEFER_NS = 1_000_000


class Wakeable(Protocol):
    """An object that another thread can wake."""

    # Whether a wake-up is deferred. Set by the thread that defers it, reset by the thread that performs it.
    is_deferred: bool

    def wake(self) -> None:
        """End the current wait, or else the next wait at its start."""


class _Idle:
    """A taker that sleeps, and the lock that wakes it."""

    __slots__ = ("bell",)

    def __init__(self) -> None:
        self.bell = threading.Lock()
        self.bell.acquire()


class PatientBlockingQueue(Generic[T]):
    """A first-in first-out queue of at most ``capacity`` elements, none of which is None.

    For any number of threads.
    """

    # DEVIATION D110: while a taker is busy, a guard watches the waiting elements.

    __slots__ = ("_lock", "_elements", "_capacity", "_patience_ns", "_farewell", "_has_room",
                 "_waiting_for_room", "_idle", "_on_their_way", "_guard", "_busy", "_moved_at", "_deferred",
                 "_deferred_since", "__weakref__")

    def __init__(self, capacity: int, patience_ms: float, farewell: T | None = None) -> None:
        """The taker of the element ``farewell`` does not return, so the queue does not expect it.

        Raises IllegalArgumentException if ``capacity`` is below 1.
        """
        if capacity < 1:
            raise IllegalArgumentException(f"capacity {capacity} < 1")
        self._lock = threading.Lock()
        self._elements: deque[T] = deque()
        self._capacity = capacity
        self._patience_ns = round(patience_ms * 1_000_000)
        self._farewell = farewell
        self._has_room = threading.Condition(self._lock)
        self._waiting_for_room = 0
        # The sleeping takers. The last one to sleep is woken first, because its caches are warm.
        self._idle: list[_Idle] = []
        # Takers that were woken and have not checked the queue yet.
        self._on_their_way = 0
        # The idle taker that checks the queue when the patience is over. Its first check may still be ahead.
        self._guard: _Idle | None = None
        # Threads that took an element and have not returned. A thread that ended delays the others by the
        # patience.
        self._busy: set[int] = set()
        # The last time an element was taken or a taker woken, in nanoseconds on the monotonic clock.
        self._moved_at = 0
        # Not guarded by the lock: set operations are atomic, and the time need not be exact.
        self._deferred: set[Wakeable] = set()
        self._deferred_since = 0

    def put(self, element: T) -> None:
        """Append ``element``; wait without limit for room."""
        with self._lock:
            if len(self._elements) >= self._capacity:
                self._waiting_for_room += 1
                try:
                    self._has_room.wait_for(lambda: len(self._elements) < self._capacity)
                finally:
                    self._waiting_for_room -= 1
            self._elements.append(element)
            if self._idle and not (self._guard and self._busy) or element is self._farewell:
                self._wake_taker_for(element)

    def offer(self, element: T) -> bool:
        """Append ``element`` if there is room now; return whether there was."""
        with self._lock:
            if len(self._elements) >= self._capacity:
                return False
            self._elements.append(element)
            self._wake_taker_for(element)
            return True

    def take(self) -> T:
        """Remove and return the head; wait without limit for an element."""
        while (element := self.poll_timeout(None)) is None:
            pass
        return element

    def poll(self) -> T | None:
        """Remove and return the head, or None if there is none now."""
        return self.poll_timeout(0) if self._elements else None

    def poll_timeout(self, timeout_ms: float | None) -> T | None:
        """Remove and return the head, or None after ``timeout_ms`` without one; None waits without limit."""
        element: T | None = None
        with self._lock:
            if self._elements:
                element = self._take_head()
            else:
                self._busy.discard(get_ident())
        if self._deferred and (element is None or self._moved_at - self._deferred_since >= _DEFER_NS):
            self._run_deferred_wakeups()
        if element is not None or timeout_ms is not None and timeout_ms <= 0:
            return element
        return self._wait(None if timeout_ms is None else Clock.seconds() + timeout_ms / 1000)

    def size(self) -> int:
        """Return the number of elements."""
        return len(self._elements)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self._elements

    def _wait(self, deadline: float | None) -> T | None:
        me = _Idle()
        looked_at = -1
        is_guard = False
        try:
            while True:
                with self._lock:
                    is_guard = me is self._guard
                    if self._elements and not (is_guard and self._is_expected()):
                        if is_guard:
                            self._guard = None
                        return self._take_head()
                    if is_guard and not self._elements and looked_at == self._moved_at:
                        self._guard = None
                    looked_at = self._moved_at
                    time_left = _time_left(deadline)
                    if time_left == 0:
                        self._leave_without_element(me)
                        return None
                    if me is self._guard:
                        # The guard is woken after all others.
                        self._idle.insert(0, me)
                        patience = self._guard_sleep_ns() / 1_000_000_000
                        time_left = patience if time_left < 0 else min(time_left, patience)
                    else:
                        self._idle.append(me)
                if self._deferred and (is_guard or self._guard is None):
                    self._run_deferred_wakeups()
                is_rung = False
                try:
                    is_rung = me.bell.acquire(timeout=time_left)
                except BaseException:
                    # A signal raised an exception: no other thread may rely on this taker any more.
                    with self._lock:
                        is_guard = me is self._guard
                        self._stop_idling(me)
                        self._leave_without_element(me)
                    raise
                with self._lock:
                    if self._stop_idling(me) and not is_rung:
                        me.bell.acquire()  # released just after the time-out
        finally:
            if self._deferred and (is_guard or self._guard is None):
                self._run_deferred_wakeups()

    def _wake_taker_for(self, element: T) -> None:
        """Wake or schedule a taker for an appended element, if takers are idle."""
        if self._patience_ns and element is not self._farewell:
            self._wake_or_guard()
        elif self._idle:
            self._wake_idle_taker()

    def _wake_or_guard(self) -> None:
        """Wake a taker for the elements, or make an idle taker their guard."""
        if not self._idle or self._on_their_way:
            return
        if not self._busy:
            self._wake_idle_taker()
        elif self._guard is None:
            guard = self._idle[-1]
            self._wake_idle_taker()
            self._guard = guard

    def _wake_idle_taker(self) -> None:
        taker = self._idle.pop()
        if taker is self._guard:
            self._guard = None
        self._on_their_way += 1
        self._moved_at = Clock.nanoseconds()
        taker.bell.release()

    def _stop_idling(self, me: _Idle) -> bool:
        """Remove this taker from the sleeping and the woken takers; return whether another thread woke it."""
        if me in self._idle:
            self._idle.remove(me)
            return False
        self._on_their_way -= 1
        return True

    def _is_expected(self) -> bool:
        """Return whether a busy or woken taker is likely to take the elements."""
        return bool(self._busy or self._on_their_way) and (
            Clock.nanoseconds() - self._moved_at < self._patience_ns)

    def _guard_sleep_ns(self) -> int:
        """Return for how long the guard sleeps, in nanoseconds."""
        if not self._elements:
            return self._patience_ns
        return max(self._moved_at + self._patience_ns - Clock.nanoseconds(), 0)

    def _leave_without_element(self, me: _Idle) -> None:
        """Leave without an element, and wake or schedule another taker for the waiting ones."""
        if me is self._guard:
            self._guard = None
        if self._elements:
            self._wake_or_guard()

    def _take_head(self) -> T:
        element = self._elements.popleft()
        if self._patience_ns:
            ident = get_ident()
            if element is self._farewell:
                self._busy.discard(ident)
            elif ident not in self._busy:
                self._busy.add(ident)
                _here.wake_or_defer = self.wake_or_defer
            self._moved_at = Clock.nanoseconds()
        if self._elements and self._idle and not (self._guard and self._busy):
            self._wake_or_guard()
        if self._waiting_for_room:
            self._has_room.notify()
        return element

    def wake_or_defer(self, wakeable: Wakeable) -> None:
        """Wake now, or defer it. Called by a thread whose last element came from this queue."""
        # DEVIATION D111: the wake-up is deferred until the calling thread has handled the waiting elements.
        if not self._elements or not self._is_guarded():
            wakeable.is_deferred = False
            wakeable.wake()
        elif not wakeable.is_deferred:
            if not self._deferred:
                self._deferred_since = self._moved_at
            wakeable.is_deferred = True
            self._deferred.add(wakeable)
            if not self._is_guarded():
                self._run_deferred_wakeups()

    def _is_guarded(self) -> bool:
        return self._guard is not None

    def _run_deferred_wakeups(self) -> None:
        try:
            while True:
                wakeable = self._deferred.pop()
                if wakeable.is_deferred:
                    wakeable.is_deferred = False
                    wakeable.wake()
        except KeyError:
            pass


class _Here(threading.local):
    """The rule by which a thread wakes others: that of the queue of its last element."""

    wake_or_defer: Callable[[Wakeable], None] | None = None


_here = _Here()


def wake_or_defer(wakeable: Wakeable) -> None:
    """Wake now, or soon if the calling thread returns to its queue first."""
    (_here.wake_or_defer or _wake_now)(wakeable)


def _wake_now(wakeable: Wakeable) -> None:
    wakeable.wake()


def _time_left(deadline: float | None) -> float:
    """Return the seconds until ``deadline`` for ``Lock.acquire``; -1 means without limit."""
    return -1 if deadline is None else max(0.0, min(deadline - Clock.seconds(), threading.TIMEOUT_MAX))
