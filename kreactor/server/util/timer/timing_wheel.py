# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.TimingWheel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A ring of time buckets, with coarser rings above it.

A wheel has ``wheel_size`` buckets of ``tick_ms`` each and covers ``interval = tick_ms * wheel_size`` from
its current time, which is a multiple of ``tick_ms``. With a tick of 1 ms, 20 buckets and the clock at 40:

    level 1   [40,40] [41,41] ... [59,59]            a task due in less than 20 ms
    level 2   [40,59] [60,79] ... [420,439]          in less than 400 ms; its first bucket stays empty,
    level 3   [0,399] [400,799] ... [7600,7999]      because level 1 covers it; and so on

A task goes into a bucket of the lowest wheel that reaches far enough. That costs an addition, a division and
two pointers, however many tasks wait; cancelling costs two pointers. The clock does not tick through empty
buckets: a delay queue holds the buckets with tasks, by their start times. When a bucket of a coarse wheel is
due, its tasks are added again. They go into a finer bucket, or are due themselves.

Each turn of the wheel reuses a bucket. ``set_expiration`` returns True for a new turn, and only then does the
bucket enter the queue.

Any number of threads may add tasks at the same time, but none while the clock moves. The timer ensures that.
"""

from __future__ import annotations

from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.locks import ReentrantLock
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.server.util.timer.timer_task_list import TimerTaskList


class TimingWheel:
    """One level of the hierarchy. It makes the next level when a task needs it.

    :origin: server.util.timer.TimingWheel
    """

    __slots__ = ("_lock", "_tick_ms", "_wheel_size", "_task_counter", "_queue", "_interval", "_buckets",
                 "_current_time_ms", "_overflow_wheel")

    def __init__(self, tick_ms: int, wheel_size: int, start_ms: int, task_counter: AtomicInteger,
                 queue: DelayQueue[TimerTaskList]) -> None:
        """
        :origin: server.util.timer.TimingWheel#TimingWheel(long, int, long, AtomicInteger, DelayQueue<TimerTaskList>)
        """  # noqa: E501
        self._lock = ReentrantLock()
        self._tick_ms = tick_ms
        self._wheel_size = wheel_size
        self._task_counter = task_counter
        self._queue = queue
        self._interval = tick_ms * wheel_size
        self._current_time_ms = start_ms - start_ms % tick_ms
        self._buckets = [TimerTaskList(task_counter) for _ in range(wheel_size)]
        self._overflow_wheel: TimingWheel | None = None

    def _add_overflow_wheel(self) -> TimingWheel:
        """Return the wheel above; the first caller makes it.

        :origin: server.util.timer.TimingWheel#addOverflowWheel()
        """
        with self._lock:
            if self._overflow_wheel is None:
                self._overflow_wheel = TimingWheel(self._interval, self._wheel_size, self._current_time_ms,
                                                   self._task_counter, self._queue)
            return self._overflow_wheel

    def add(self, timer_task_entry: TimerTaskEntry) -> bool:
        """Put the entry into its bucket; return False if it is due or cancelled.

        :origin: server.util.timer.TimingWheel#add(TimerTaskEntry)
        """
        expiration = timer_task_entry._expiration_ms
        if timer_task_entry.cancelled():
            return False
        if expiration < self._current_time_ms + self._tick_ms:
            return False
        if expiration < self._current_time_ms + self._interval:
            virtual_id = expiration // self._tick_ms
            bucket = self._buckets[virtual_id % self._wheel_size]
            bucket.add(timer_task_entry)
            if bucket.set_expiration(virtual_id * self._tick_ms):
                self._queue.offer(bucket)
            return True
        overflow_wheel = self._overflow_wheel
        if overflow_wheel is None:
            overflow_wheel = self._add_overflow_wheel()
        return overflow_wheel.add(timer_task_entry)

    def advance_clock(self, time_ms: int) -> None:
        """Move the clock of this wheel and of those above to ``time_ms``.

        :origin: server.util.timer.TimingWheel#advanceClock(long)
        """
        if time_ms >= self._current_time_ms + self._tick_ms:
            self._current_time_ms = time_ms - time_ms % self._tick_ms
            if self._overflow_wheel is not None:
                self._overflow_wheel.advance_clock(self._current_time_ms)
