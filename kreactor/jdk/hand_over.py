# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The hand-over of work between threads that share one interpreter: a queue with patience, wake-ups put off.

Kafka's own calls reach this module: ``put``, ``poll`` and ``take`` of the queue between network threads and
handlers, and ``wakeup`` of a selector.

*Fact.* Under an interpreter lock one thread runs at a time, and a thread may keep it for 5 ms. A thread that
is woken waits for it. A handler is done with a request in about ten microseconds.

*Consequence.* Java's queue wakes a taker for each element. Here the woken taker waits for the interpreter
while the taker that runs takes the element. A response that wakes its network thread at once takes the
interpreter from the handler, which has more requests to handle.

*Choice.* Two rules.

D110: *a busy taker is expected back.* A put wakes one taker if none is busy. While a taker is busy and
elements wait, one idle taker is the guard: it looks after the elements within the patience. If nobody has
taken an element for the patience, the guard takes the next one. A guard that has seen nothing happen sleeps
like the others.

D111: *a taker that comes back wakes others then.* A thread that took an element puts its wake-ups off while
more elements wait and there is a guard. A put-off wake-up is done by the first of four: the next wake-up of
the same selector that is not put off, the taker that finds the queue empty, the taker that comes a
millisecond later, the guard when it looks.

*Cost.* Behind slow takers an element can wait for the patience before another taker starts on it. A response
can wait for as long before its network thread learns of it. Under load the guard looks once in each
patience.

With a patience of 0 each put wakes a taker, as in Java, and no wake-up is put off.

*Why no element waits for ever.* One lock guards the state. Whenever it is free while elements wait and
takers are idle, a woken taker is on its way or there is a guard. A put, a take, and a taker that leaves see
to that.

*Why no wake-up is put off for ever.* The guard looks at least once in a patience. Each time, and when it
stops being the guard, it does what was put off. A thread that puts a wake-up off looks for the guard before
and after. If there is one after, that guard does the wake-up. If there is none, the thread does it itself.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Generic, Protocol, TypeVar

from kreactor.jdk.exceptions import IllegalArgumentException

T = TypeVar("T")

# For so long wake-ups are put off by takers that come back.
_PUT_OFF_NS = 1_000_000


class Wakeable(Protocol):
    """An object that another thread can wake."""

    # Whether a wake-up is put off. Set by the thread that puts it off, reset by the one that does it.
    is_put_off: bool

    def wake(self) -> None:
        """End the wait that is under way, or else the next one at its start."""


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

    # DEVIATION D110: while a taker is busy, a guard looks after the elements that wait.

    __slots__ = ("_lock", "_elements", "_capacity", "_patience_ns", "_farewell", "_has_room",
                 "_waiting_for_room", "_idle", "_on_their_way", "_guard", "_busy", "_moved_at", "_put_off",
                 "_put_off_since", "__weakref__")

    def __init__(self, capacity: int, patience_ms: float, farewell: T | None = None) -> None:
        """The taker of ``farewell`` does not come back, so that it is expected by nobody.

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
        # The takers that sleep; the one that slept last is woken first, because its caches are warm.
        self._idle: list[_Idle] = []
        # Takers that were woken and have not looked yet.
        self._on_their_way = 0
        # The idle taker that looks when the patience is over. It may be on its way to its first look.
        self._guard: _Idle | None = None
        # Threads that took an element and have not come back. One that ended delays others by the patience.
        self._busy: set[int] = set()
        # When an element was taken or a taker woken last, monotonic, in nanoseconds.
        self._moved_at = 0
        # Not guarded: single operations of a set, and a time that need not be exact.
        self._put_off: set[Wakeable] = set()
        self._put_off_since = 0

    def put(self, element: T) -> None:
        """Append ``element``, waiting for room as long as it takes."""
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
        """Remove and return the head, waiting for one as long as it takes."""
        while (element := self.poll_timeout(None)) is None:
            pass
        return element

    def poll(self) -> T | None:
        """Remove and return the head, or None if there is none now."""
        return self.poll_timeout(0) if self._elements else None

    def poll_timeout(self, timeout_ms: float | None) -> T | None:
        """Remove and return the head, or None if none came within ``timeout_ms``; None waits without end."""
        element: T | None = None
        with self._lock:
            if self._elements:
                element = self._take_head()
            else:
                self._busy.discard(get_ident())
        if self._put_off and (element is None or self._moved_at - self._put_off_since >= _PUT_OFF_NS):
            self._do_put_off_wakeups()
        if element is not None or timeout_ms is not None and timeout_ms <= 0:
            return element
        return self._wait(None if timeout_ms is None else time.monotonic() + timeout_ms / 1000)

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
                if self._put_off and (is_guard or self._guard is None):
                    self._do_put_off_wakeups()
                is_rung = False
                try:
                    is_rung = me.bell.acquire(timeout=time_left)
                except BaseException:
                    # Raised by a signal: nobody may rely on this taker any more.
                    with self._lock:
                        is_guard = me is self._guard
                        self._stop_idling(me)
                        self._leave_without_element(me)
                    raise
                with self._lock:
                    if self._stop_idling(me) and not is_rung:
                        me.bell.acquire()  # released just after the time was over
        finally:
            if self._put_off and (is_guard or self._guard is None):
                self._do_put_off_wakeups()

    def _wake_taker_for(self, element: T) -> None:
        """Wake or schedule a taker for an appended element, if takers are idle."""
        if self._patience_ns and element is not self._farewell:
            self._wake_or_guard()
        elif self._idle:
            self._wake_idle_taker()

    def _wake_or_guard(self) -> None:
        """Wake a taker for the elements, or have one guard them."""
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
        self._moved_at = time.monotonic_ns()
        taker.bell.release()

    def _stop_idling(self, me: _Idle) -> bool:
        """Be awake, and on the way no more; return whether another thread woke this taker."""
        if me in self._idle:
            self._idle.remove(me)
            return False
        self._on_their_way -= 1
        return True

    def _is_expected(self) -> bool:
        """Return whether a taker that is busy or on its way is likely to come for the elements."""
        return bool(self._busy or self._on_their_way) and (
            time.monotonic_ns() - self._moved_at < self._patience_ns)

    def _guard_sleep_ns(self) -> int:
        """Return for how long the guard sleeps, in nanoseconds."""
        if not self._elements:
            return self._patience_ns
        return max(self._moved_at + self._patience_ns - time.monotonic_ns(), 0)

    def _leave_without_element(self, me: _Idle) -> None:
        """Go without an element; another taker comes for those that wait."""
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
                _here.wake_or_put_off = self.wake_or_put_off
            self._moved_at = time.monotonic_ns()
        if self._elements and self._idle and not (self._guard and self._busy):
            self._wake_or_guard()
        if self._waiting_for_room:
            self._has_room.notify()
        return element

    def wake_or_put_off(self, wakeable: Wakeable) -> None:
        """Wake now, or put that off. Called by a thread that took an element here last."""
        # DEVIATION D111: a wake-up waits until its thread has handled what waits.
        if not self._elements or not self._is_guarded():
            wakeable.is_put_off = False
            wakeable.wake()
        elif not wakeable.is_put_off:
            if not self._put_off:
                self._put_off_since = self._moved_at
            wakeable.is_put_off = True
            self._put_off.add(wakeable)
            if not self._is_guarded():
                self._do_put_off_wakeups()

    def _is_guarded(self) -> bool:
        return self._guard is not None

    def _do_put_off_wakeups(self) -> None:
        try:
            while True:
                wakeable = self._put_off.pop()
                if wakeable.is_put_off:
                    wakeable.is_put_off = False
                    wakeable.wake()
        except KeyError:
            pass


class _Here(threading.local):
    """How a thread wakes others: as the queue says that it took its last element from."""

    wake_or_put_off: Callable[[Wakeable], None] | None = None


_here = _Here()


def wake_or_put_off(wakeable: Wakeable) -> None:
    """Wake now, or soon if the calling thread comes back to its queue before."""
    (_here.wake_or_put_off or _wake_now)(wakeable)


def _wake_now(wakeable: Wakeable) -> None:
    wakeable.wake()


def _time_left(deadline: float | None) -> float:
    """Return the seconds until ``deadline`` as ``Lock.acquire`` takes them: -1 without end."""
    return -1 if deadline is None else max(0.0, min(deadline - time.monotonic(), threading.TIMEOUT_MAX))
