# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.TimerTaskList of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A bucket of a timing wheel: tasks that are due at about the same time.

A ring of entries around a root: ``root._next`` is the head, ``root._prev`` the tail. Any thread may use it;
``_lock`` guards the ring. The order of locks is task, list, entry. Only ``flush`` holds two lists: a coarse
one, and the finer one that an entry moves to. No thread holds two lists of one wheel.
"""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.delay_queue import Delayed
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry


class TimerTaskList(Delayed):
    """The entries of one time span, and the start of that span.

    :origin: server.util.timer.TimerTaskList
    """

    __slots__ = ("_lock", "_time", "_task_counter", "_expiration", "_root")

    def __init__(self, task_counter: AtomicInteger, time: Time | None = None) -> None:
        """``task_counter`` counts the tasks of all lists of a timer.

        :origin: server.util.timer.TimerTaskList#TimerTaskList(AtomicInteger)
        :origin: server.util.timer.TimerTaskList#TimerTaskList(AtomicInteger, Time)
        """
        self._lock = ReentrantLock()
        self._time = Time.SYSTEM if time is None else time
        self._task_counter = task_counter
        self._expiration = AtomicInteger(-1)
        self._root = TimerTaskEntry(None, -1)
        self._root._next = self._root
        self._root._prev = self._root

    def set_expiration(self, expiration_ms: int) -> bool:
        """Set the time when the list is due; return whether it changed.

        :origin: server.util.timer.TimerTaskList#setExpiration(long)
        """
        return self._expiration.get_and_set(expiration_ms) != expiration_ms

    def get_expiration(self) -> int:
        """Return when the list is due, in milliseconds of the high-resolution clock; -1 after it was emptied.

        :origin: server.util.timer.TimerTaskList#getExpiration()
        """
        return self._expiration.get()

    def foreach(self, f: Callable[[TimerTask], object]) -> None:
        """Call ``f`` with every task that is not cancelled; ``f`` may cancel tasks.

        For tests only: ``f`` takes a task's lock while the list is locked, against the lock order.

        :origin: server.util.timer.TimerTaskList#foreach(Consumer<TimerTask>)
        """
        with self._lock:
            entry = self._root._next
            while entry is not None and entry is not self._root:
                next_entry = entry._next
                if entry._timer_task is not None and not entry.cancelled():
                    f(entry._timer_task)
                entry = next_entry

    def add(self, timer_task_entry: TimerTaskEntry) -> None:
        """Append ``timer_task_entry``, after removing it from any other list.

        The other list's lock must not be taken under this list's lock: two threads that move entries towards
        each other would deadlock. So the entry leaves the other list first. If another thread adds it to a
        list before both locks are held here, this method starts again.

        :origin: server.util.timer.TimerTaskList#add(TimerTaskEntry)
        """
        done = False
        while not done:
            timer_task_entry.remove()
            with self._lock, timer_task_entry._lock:
                if timer_task_entry._list is None:
                    root = self._root
                    tail = root._prev
                    assert tail is not None
                    timer_task_entry._next = root
                    timer_task_entry._prev = tail
                    timer_task_entry._list = self
                    tail._next = timer_task_entry
                    root._prev = timer_task_entry
                    self._task_counter.increment_and_get()
                    done = True

    def remove(self, timer_task_entry: TimerTaskEntry) -> None:
        """Remove ``timer_task_entry`` if it is in this list.

        :origin: server.util.timer.TimerTaskList#remove(TimerTaskEntry)
        """
        with self._lock, timer_task_entry._lock:
            if timer_task_entry._list is self:
                following, previous = timer_task_entry._next, timer_task_entry._prev
                assert following is not None and previous is not None
                following._prev = previous
                previous._next = following
                timer_task_entry._next = None
                timer_task_entry._prev = None
                timer_task_entry._list = None
                self._task_counter.decrement_and_get()

    def flush(self, f: Callable[[TimerTaskEntry], object]) -> None:
        """Remove all entries, and call ``f`` with each, from the head on.

        :origin: server.util.timer.TimerTaskList#flush(Consumer<TimerTaskEntry>)
        """
        with self._lock:
            head = self._root._next
            while head is not None and head is not self._root:
                self.remove(head)
                f(head)
                head = self._root._next
            self._expiration.set(-1)

    def get_delay(self, unit: TimeUnit) -> int:
        """Return the time until the list is due, at least 0.

        :origin: server.util.timer.TimerTaskList#getDelay(TimeUnit)
        """
        delay_ms = max(self.get_expiration() - self._time.hi_res_clock_ms(), 0)
        return unit.convert(delay_ms, TimeUnit.MILLISECONDS)

    def __lt__(self, other: Delayed, /) -> bool:
        """:origin: server.util.timer.TimerTaskList#compareTo(Delayed)"""
        assert isinstance(other, TimerTaskList)
        return self.get_expiration() < other.get_expiration()
