# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The bounded queue between network threads and handlers: a busy handler is expected back.

*The fact.* ``ArrayBlockingQueue`` wakes a sleeping taker for each element. Under an interpreter lock one
thread runs at a time. A handler is done with a request in about ten microseconds.

*The consequence.* A woken handler waits for the interpreter while another handler takes its element. Each
system call of a network thread then stops to let that waiting thread try.

*The choice.* A put wakes one taker if none is busy. While a taker is busy, it is expected back within the
patience. One idle taker, the guard, looks once in that time. If elements wait and nobody has taken one for
the patience, the guard takes the next element. A guard that has seen nothing happen sleeps like the others.

*The cost.* Behind slow takers an element can wait for twice the patience before another taker starts on it.
Under load the guard wakes up once in each patience.

With a patience of 0 nobody is expected back: each put wakes a taker, as in Java.

Why no element waits for ever. All state is guarded by one lock. When the lock is free and elements wait
while takers are idle, a woken taker is on its way or there is a guard. A put, a take and a guard's leaving
see to that.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from threading import get_ident
from typing import Generic, TypeVar

from kreactor.jdk.exceptions import IllegalArgumentException

T = TypeVar("T")


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

    __slots__ = ("_lock", "_elements", "_capacity", "_patience_ns", "_has_room", "_waiting_for_room", "_idle",
                 "_on_their_way", "_guard", "_busy", "_taken_at")

    def __init__(self, capacity: int, patience_ms: float) -> None:
        """Raises IllegalArgumentException if ``capacity`` is below 1."""
        if capacity < 1:
            raise IllegalArgumentException(f"capacity {capacity} < 1")
        self._lock = threading.Lock()
        self._elements: deque[T] = deque()
        self._capacity = capacity
        self._patience_ns = round(patience_ms * 1_000_000)
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
        self._taken_at = 0

    def put(self, element: T) -> None:
        """Append ``element``, waiting for room as long as it takes."""
        with self._lock:
            if len(self._elements) >= self._capacity:
                self._waiting_for_room += 1
                try:
                    self._has_room.wait_for(lambda: len(self._elements) < self._capacity)
                finally:
                    self._waiting_for_room -= 1
            self._append(element)

    def offer(self, element: T) -> bool:
        """Append ``element`` if there is room now; return whether there was."""
        with self._lock:
            if len(self._elements) >= self._capacity:
                return False
            self._append(element)
            return True

    def put_for_another(self, element: T) -> None:
        """Append ``element``, waiting for room, and wake one more taker for it whoever is busy."""
        self.put(element)
        with self._lock:
            if self._idle:
                if self._idle[-1] is self._guard:
                    self._guard = None
                self._wake()

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
        with self._lock:
            if self._elements:
                return self._take()
            self._busy.discard(get_ident())
        if timeout_ms is not None and timeout_ms <= 0:
            return None
        deadline = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        me = _Idle()
        looked_at = -1
        while True:
            with self._lock:
                is_guard = me is self._guard
                if self._elements and not (is_guard and self._is_expected()):
                    return self._take_leave(me)
                if is_guard and not self._elements and looked_at == self._taken_at:
                    self._guard = None
                    is_guard = False
                looked_at = self._taken_at
                time_left = _time_left(deadline)
                if time_left == 0:
                    self._leave(me)
                    return None
                # The guard is woken after all others.
                self._idle.insert(0 if is_guard else len(self._idle), me)
            if is_guard:
                patience = self._patience_ns / 1_000_000_000
                time_left = patience if time_left < 0 else min(time_left, patience)
            is_rung = False
            try:
                is_rung = me.bell.acquire(timeout=time_left)
            except BaseException:
                # Raised by a signal: nobody may rely on this taker any more.
                with self._lock:
                    self._arrive(me)
                    self._leave(me)
                raise
            with self._lock:
                if self._arrive(me) and not is_rung:
                    me.bell.acquire()  # released just after the time was over

    def size(self) -> int:
        """Return the number of elements."""
        return len(self._elements)

    def is_empty(self) -> bool:
        """Return whether there are no elements."""
        return not self._elements

    def _append(self, element: T) -> None:
        self._elements.append(element)
        if self._patience_ns:
            self._provide()
        elif self._idle:
            self._wake()

    def _provide(self) -> None:
        """See to it that somebody comes for the elements, or looks after them."""
        if not self._idle or self._on_their_way:
            return
        if not self._busy:
            self._wake()
        elif self._guard is None:
            self._guard = self._idle[-1]
            self._wake()

    def _wake(self) -> None:
        self._on_their_way += 1
        self._idle.pop().bell.release()

    def _arrive(self, me: _Idle) -> bool:
        """Be awake, and on the way no more; return whether another thread woke this taker."""
        if me in self._idle:
            self._idle.remove(me)
            return False
        self._on_their_way -= 1
        return True

    def _is_expected(self) -> bool:
        """Return whether a busy taker is likely to come for the elements."""
        return bool(self._busy) and time.monotonic_ns() - self._taken_at < self._patience_ns

    def _take_leave(self, me: _Idle) -> T:
        if me is self._guard:
            self._guard = None
        return self._take()

    def _leave(self, me: _Idle) -> None:
        """Go without an element; another taker comes for those that wait."""
        if me is self._guard:
            self._guard = None
        if self._elements:
            self._provide()

    def _take(self) -> T:
        element = self._elements.popleft()
        if self._patience_ns:
            self._busy.add(get_ident())
            self._taken_at = time.monotonic_ns()
            if self._elements:
                self._provide()
        if self._waiting_for_room:
            self._has_room.notify()
        return element


def _time_left(deadline: float | None) -> float:
    """Return the seconds until ``deadline`` as ``Lock.acquire`` takes them: -1 without end."""
    return -1 if deadline is None else max(0.0, min(deadline - time.monotonic(), threading.TIMEOUT_MAX))
