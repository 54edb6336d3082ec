# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker's clock that a test moves, and the parts of the broker that read it.

Everything that waits for a time registers here: the timers of purgatories, the scheduler, and threads that
block in a select or on a lock until a time. No thread sleeps by this clock. The thread that moves the clock
runs the tasks that came due, in the order of their times. Then it wakes the waiting threads, and returns
after they have read the clock.

A task that comes due sees the time after the move, not its due time: a move is a jump.

Owner: the broker that made it, until ``close``. Any thread may add tasks; moves exclude each other.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable

from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.executors import Runnable
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Condition, Lock, ReentrantLock
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.server.util.scheduler import Cancellable
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.testing.mock_time import MockTime

log = LogContext().logger(f"{__name__}.BrokerClock")


class BrokerClock(Time):
    """A view of ``time`` for one broker.

    ``sleep`` is for the broker's threads: it blocks until the test moves time.
    """

    def __init__(self, time: MockTime) -> None:
        """Follow ``time`` until ``close``. Raises IllegalArgumentException if ``time`` moves by itself."""
        if time._auto_tick_ms:
            raise IllegalArgumentException("time: a broker's clock must not move by itself")
        self._time = time
        self._moves = ReentrantLock()
        self._moved = Condition()
        # Each callable runs its tasks that are due, and returns whether there was any.
        self._due: list[Callable[[], bool]] = []
        # Called at each move, after the due tasks have run.
        self._lookers: list[Callable[[], None]] = []
        time.add_listener(self._move)
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Run nothing at a move in a forked child, because the child has no broker."""
        self._moves = ReentrantLock()
        self._moved = Condition()
        self._due = []
        self._lookers = []

    def close(self) -> None:
        """Stop following ``time``."""
        self._time.remove_listener(self._move)

    def milliseconds(self) -> int:
        return self._time.milliseconds()

    def nanoseconds(self) -> int:
        return self._time.nanoseconds()

    def sleep(self, ms: int) -> None:
        end_ms = self.milliseconds() + ms
        with self._moved:
            self._moved.wait_for(lambda: self.milliseconds() >= end_ms)

    def wait_object(self, obj: Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        self._time.wait_object(obj, condition, deadline_ms)

    def add_due_runner(self, run_due: Callable[[], bool]) -> None:
        """Call ``run_due`` at each move, and again until it returns False."""
        self._due.append(run_due)

    def add_move_listener(self, look: Callable[[], None]) -> None:
        """Call ``look`` at each move, after all due tasks have run."""
        self._lookers.append(look)

    def _move(self) -> None:
        with self._moves:
            with self._moved:
                self._moved.notify_all()
            # A task may schedule another task that is due.
            while any([run_due() for run_due in self._due]):
                pass
            for look in self._lookers:
                look()


class ClockTimer(Timer):
    """A timer without threads: the thread that moves the clock runs the tasks. Any thread adds tasks."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._lock = Lock()
        # Guarded: (expiration, number of arrival, entry).
        self._entries: list[tuple[int, int, TimerTaskEntry]] = []
        self._arrivals = itertools.count()

    def add(self, timer_task: TimerTask) -> None:
        """Run ``timer_task`` once its delay is over. Without a delay it runs at once, on this thread."""
        if timer_task._delay_ms <= 0:
            timer_task.run()
            return
        expiration_ms = self._time.milliseconds() + timer_task._delay_ms
        with self._lock:
            heapq.heappush(self._entries, (
                expiration_ms, next(self._arrivals), TimerTaskEntry(timer_task, expiration_ms)))

    def advance_clock(self, timeout_ms: int) -> bool:
        """Run the tasks that are due. ``timeout_ms`` is ignored: the call never waits."""
        executed = False
        while True:
            with self._lock:
                if not self._entries or self._entries[0][0] > self._time.milliseconds():
                    return executed
                entry = heapq.heappop(self._entries)[2]
            if not entry.cancelled() and entry._timer_task is not None:
                executed = True
                try:
                    entry._timer_task.run()
                except Exception as e:
                    log.error("a task of a timer failed", exc=e)

    def size(self) -> int:
        """Return the number of waiting tasks."""
        with self._lock:
            return sum(not entry.cancelled() for _, _, entry in self._entries)

    def close(self) -> None:
        """Drop all tasks."""
        with self._lock:
            self._entries.clear()


class _ClockTask:
    """A task of ``ClockScheduler``. Guarded by the scheduler's lock."""

    def __init__(self, scheduler: ClockScheduler, name: str, task: Runnable, time_ms: int,
                 period_ms: int) -> None:
        self.scheduler = scheduler
        self.name = name
        self.task = task
        self.time_ms = time_ms
        self.period_ms = period_ms
        self.cancelled = False
        self.done = False

    def cancel(self, may_interrupt_if_running: bool = False) -> bool:
        with self.scheduler._lock:
            if self.done:
                return False
            self.cancelled = self.done = True
            return True

    def is_cancelled(self) -> bool:
        return self.cancelled

    def is_done(self) -> bool:
        return self.done

    def get_delay_ms(self) -> int:
        return self.time_ms - self.scheduler._time.milliseconds()


class ClockScheduler(KafkaScheduler):
    """A scheduler whose delayed tasks run on the thread that moves the clock.

    KafkaScheduler's own thread runs tasks without a delay, so they do not run under the caller's locks.
    """

    def __init__(self, threads: int, clock: BrokerClock,
                 thread_name_prefix: str = "kafka-scheduler-") -> None:
        super().__init__(threads, True, thread_name_prefix)
        self._time = clock
        self._waiting: list[tuple[int, int, _ClockTask]] = []
        self._arrivals = itertools.count()
        clock.add_due_runner(self.run_due)

    def shutdown(self) -> None:
        """Drop the waiting tasks, and wait for the running ones."""
        with self._lock:
            for _, _, task in self._waiting:
                task.cancel()
            self._waiting.clear()
        super().shutdown()

    def schedule(self, name: str, task: Runnable, delay_ms: int, period_ms: int) -> Cancellable:
        """Run ``task`` after ``delay_ms``, then every ``period_ms`` if that is above 0.

        The task may raise.
        """
        if delay_ms <= 0 and period_ms <= 0:
            return super().schedule(name, task, 0, period_ms)
        with self._lock:
            if not self.is_started():
                return super().schedule(name, task, delay_ms, period_ms)
            waiting = _ClockTask(self, name, task, self._time.milliseconds() + max(delay_ms, 0), period_ms)
            heapq.heappush(self._waiting, (waiting.time_ms, next(self._arrivals), waiting))
            return waiting

    def task_running(self, task: Cancellable) -> bool:
        """Return whether ``task`` waits for its due time."""
        if isinstance(task, _ClockTask):
            with self._lock:
                return any(task is waiting for _, _, waiting in self._waiting)
        return super().task_running(task)

    def run_due(self) -> bool:
        """Run the tasks that are due; return whether there was any.

        A periodic task runs once, even if several of its runs are due.
        """
        executed = False
        while True:
            with self._lock:
                if not self._waiting or self._waiting[0][0] > self._time.milliseconds():
                    return executed
                task = heapq.heappop(self._waiting)[2]
                if task.done:
                    continue
            executed = True
            try:
                task.task()
            except Exception as e:
                log.error("the task %s failed", task.name, exc=e)
            with self._lock:
                if task.period_ms <= 0 or not self.is_started():
                    task.done = True
                elif not task.done:
                    behind = self._time.milliseconds() - task.time_ms
                    task.time_ms += task.period_ms * (behind // task.period_ms + 1)
                    heapq.heappush(self._waiting, (task.time_ms, next(self._arrivals), task))
