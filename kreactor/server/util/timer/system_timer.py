# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.SystemTimer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A timing wheel on the system's clock.

Any thread may add and cancel tasks. One thread, the reaper, calls ``advance_clock``. The timer's own thread
runs the tasks, and starts with the first task that is due. So a task may run long or wait for a lock without
delaying the clock.
"""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.jdk.executors import FixedThreadPool
from kreactor.jdk.locks import ReentrantReadWriteLock
from kreactor.jdk.threads import Thread
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.server.util.timer.timer_task_list import TimerTaskList
from kreactor.server.util.timer.timing_wheel import TimingWheel

_CLOSE_TIMEOUT_MS = 5_000


class SystemTimer(Timer):
    """Runs tasks when their delay is over; the resolution is 1 ms by default.

    :origin: server.util.timer.SystemTimer
    """

    SYSTEM_TIMER_THREAD_PREFIX = "executor-"

    def __init__(self, executor_name: str, tick_ms: int = 1, wheel_size: int = 20,
                 start_ms: int | None = None) -> None:
        """``start_ms`` is on the system's high-resolution clock; the default is now.

        :origin: server.util.timer.SystemTimer#SystemTimer(String)
        :origin: server.util.timer.SystemTimer#SystemTimer(String, long, int, long)
        """
        if start_ms is None:
            start_ms = Time.SYSTEM.hi_res_clock_ms()

        def new_thread(runnable: Callable[[], None]) -> Thread:
            return KafkaThread.non_daemon(self.SYSTEM_TIMER_THREAD_PREFIX + executor_name, runnable)

        self._task_executor = FixedThreadPool(1, new_thread)
        self._delay_queue: DelayQueue[TimerTaskList] = DelayQueue()
        self._task_counter = AtomicInteger(0)
        self._timing_wheel = TimingWheel(tick_ms, wheel_size, start_ms, self._task_counter, self._delay_queue)
        # :origin: server.util.timer.SystemTimer#readWriteLock
        self._read_write_lock = ReentrantReadWriteLock()
        self._read_lock = self._read_write_lock.read_lock()
        self._write_lock = self._read_write_lock.write_lock()

    def add(self, timer_task: TimerTask) -> None:
        """Run ``timer_task`` when its delay, counted from now, is over; at once without a delay.

        :origin: server.util.timer.SystemTimer#add(TimerTask)
        """
        with self._read_lock:
            self._add_timer_task_entry(
                TimerTaskEntry(timer_task, timer_task._delay_ms + Time.SYSTEM.hi_res_clock_ms()))

    def _add_timer_task_entry(self, timer_task_entry: TimerTaskEntry) -> None:
        """Put the entry into the wheel; run the task if it is due.

        :origin: server.util.timer.SystemTimer#addTimerTaskEntry(TimerTaskEntry)
        """
        if not self._timing_wheel.add(timer_task_entry):
            timer_task = timer_task_entry._timer_task
            if timer_task is not None and not timer_task_entry.cancelled():
                self._task_executor.submit(timer_task.run)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` for a bucket to be due, and empty all buckets that are due.

        :origin: server.util.timer.SystemTimer#advanceClock(long)
        """
        bucket = self._delay_queue.poll_timeout(timeout_ms)
        if bucket is not None:
            with self._write_lock:
                while bucket is not None:
                    self._timing_wheel.advance_clock(bucket.get_expiration())
                    bucket.flush(self._add_timer_task_entry)
                    bucket = self._delay_queue.poll()
            return True
        return False

    def size(self) -> int:
        """Return the number of waiting tasks.

        :origin: server.util.timer.SystemTimer#size()
        """
        return self._task_counter.get()

    def close(self) -> None:
        """Run the tasks that are due, for up to 5 seconds, and end the thread.

        :origin: server.util.timer.SystemTimer#close()
        """
        self._task_executor.shutdown()
        if not self._task_executor.await_termination(_CLOSE_TIMEOUT_MS):
            self._task_executor.shutdown_now()

    def is_terminated(self) -> bool:
        """Return whether the timer is closed and its thread has ended.

        :origin: server.util.timer.SystemTimer#isTerminated()
        """
        return self._task_executor.is_terminated()
