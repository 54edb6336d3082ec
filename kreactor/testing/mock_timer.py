# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.MockTimer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A timer on a mock clock. No task runs before a test moves the clock."""

from __future__ import annotations

import heapq
import itertools

from kreactor.jdk.locks import ReentrantLock
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.testing.mock_time import MockTime


class MockTimer(Timer):
    """Runs tasks on the thread that moves the clock. Any thread adds tasks.

    :origin: server.util.timer.MockTimer
    """

    def __init__(self, time: MockTime | None = None) -> None:
        """
        :origin: server.util.timer.MockTimer#MockTimer()
        :origin: server.util.timer.MockTimer#MockTimer(MockTime)
        """
        self._time = MockTime() if time is None else time
        # Guards the heap, whose entries are (expiration, number of arrival, entry).
        self._lock = ReentrantLock()
        self._task_queue: list[tuple[int, int, TimerTaskEntry]] = []
        self._arrivals = itertools.count()

    def add(self, timer_task: TimerTask) -> None:
        """Run ``timer_task`` at once if it has no delay, otherwise when the clock has passed its due time.

        :origin: server.util.timer.MockTimer#add(TimerTask)
        """
        if timer_task._delay_ms <= 0:
            timer_task.run()
        else:
            with self._lock:
                expiration_ms = timer_task._delay_ms + self._time.milliseconds()
                entry = TimerTaskEntry(timer_task, expiration_ms)
                heapq.heappush(self._task_queue, (expiration_ms, next(self._arrivals), entry))

    def advance_clock(self, timeout_ms: int) -> bool:
        """Move the clock by ``timeout_ms`` and run the tasks that are due; return whether any ran.

        :origin: server.util.timer.MockTimer#advanceClock(long)
        """
        self._time.sleep(timeout_ms)
        now = self._time.milliseconds()
        executed = False
        has_more = True
        while has_more:
            has_more = False
            task_entry: TimerTaskEntry | None = None
            with self._lock:
                if self._task_queue and now > self._task_queue[0][0]:
                    task_entry = heapq.heappop(self._task_queue)[2]
                    has_more = bool(self._task_queue)
            if task_entry is not None and not task_entry.cancelled():
                assert task_entry._timer_task is not None
                task_entry._timer_task.run()
                executed = True
        return executed

    def time(self) -> MockTime:
        """Return the clock.

        :origin: server.util.timer.MockTimer#time()
        """
        return self._time

    def size(self) -> int:
        """Return the number of tasks that have not come due, including cancelled ones.

        :origin: server.util.timer.MockTimer#size()
        """
        return len(self._task_queue)

    def task_queue(self) -> list[TimerTaskEntry]:
        """Return the entries that have not come due, the earliest first.

        :origin: server.util.timer.MockTimer#taskQueue()
        """
        with self._lock:
            return [entry for _, _, entry in sorted(self._task_queue)]

    def close(self) -> None:
        """Do nothing.

        :origin: server.util.timer.MockTimer#close()
        """
