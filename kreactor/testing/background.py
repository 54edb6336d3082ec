# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Background threads that all brokers of a process share.

A broker has a dozen threads that mostly wait: schedulers, reapers of purgatories, reapers of throttled
channels. Here a ``Strand`` replaces each of these threads. A strand runs its tasks one at a time, in the
order in which they come due, on any thread of one pool.

Fact: a task may wait for another task of the same broker or of a second broker. Consequence: a pool of fixed
size could deadlock. Choice: when a task takes the last free thread, the pool starts another thread; the pool
shrinks when that thread is idle. Cost: a task that blocks holds a thread, as in Kafka's broker.

The first broker creates the pool. The last broker ends it. ``_lock`` guards the pool and the number of its
users.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.clock import Clock
from kreactor.jdk.delay_queue import Delayed, DelayQueue
from kreactor.jdk.executors import (
    FixedThreadPool,
    RejectedExecutionException,
    Runnable,
    ScheduledFuture,
    ScheduledThreadPoolExecutor,
)
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.threads import AnyThread, Thread
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.timer_task_list import TimerTaskList
from kreactor.server.util.timer.timing_wheel import TimingWheel

log = get_logger(__name__)

E = TypeVar("E", bound=Delayed)

# One thread waits for the next task while another one runs.
_MIN_THREADS = 2
_STOP_MS = 60_000


class _Pool:
    """The threads of the pool. Called by any thread."""

    def __init__(self) -> None:
        self._numbers = AtomicInteger(0)
        self._executor = ScheduledThreadPoolExecutor(_MIN_THREADS, self._new_thread)
        self._lock = Lock()
        # Guarded by the lock: the number of tasks that run, and the allowed number of threads.
        self._busy = 0
        self._size = _MIN_THREADS

    def _new_thread(self, runnable: Callable[[], None]) -> Thread:
        return KafkaThread.daemon_thread(f"kreactor-background-{self._numbers.get_and_increment()}", runnable)

    def schedule(self, task: Runnable, delay_ms: int, period_ms: int = 0) -> ScheduledFuture:
        """Run ``task`` after a delay, then every ``period_ms`` if that is above 0."""
        def run() -> None:
            self._resize(1)
            try:
                task()
            finally:
                self._resize(-1)

        if period_ms > 0:
            return self._executor.schedule_at_fixed_rate(run, delay_ms, period_ms)
        return self._executor.schedule(run, delay_ms)

    def new_future(self, task: Runnable) -> ScheduledFuture:
        """Return the future of a task that is submitted without a delay."""
        return ScheduledFuture(self._executor, task, Clock.nanoseconds(), 0, 0)

    def contains(self, future: ScheduledFuture) -> bool:
        return self._executor.contains(future)

    def _resize(self, change: int) -> None:
        with self._lock:
            self._busy += change
            size = max(_MIN_THREADS, self._busy + 1)
            if size != self._size:
                self._size = size
                self._executor.set_core_pool_size(size)

    def close(self) -> None:
        """End the threads. Returns when no thread is left."""
        self._executor.shutdown()
        self._executor.await_termination(_STOP_MS)


_lock = Lock()
_pool: _Pool | None = None
_users = 0


def acquire() -> None:
    """Register a user of the shared threads, until ``release``."""
    global _pool, _users
    with _lock:
        if _pool is None:
            _pool = _Pool()
        _users += 1


def release() -> None:
    """Unregister a user of the shared threads. The last user ends them."""
    global _pool, _users
    with _lock:
        _users -= 1
        pool = _pool
        if _users:
            return
        _pool = None
    if pool is not None:
        pool.close()


def _forget() -> None:
    """Drop the pool in a forked child: the parent's threads do not exist there."""
    global _lock, _pool, _users
    _lock = Lock()
    _pool = None
    _users = 0


run_in_child(_forget)


class Strand:
    """Runs one task at a time, like an executor with one thread.

    Created between ``acquire`` and ``release``.
    """

    def __init__(self, drops_due: bool = False) -> None:
        """With ``drops_due``, shutdown drops tasks that are due but have not begun, as a scheduler does."""
        assert _pool is not None, "no broker uses the threads"
        self._pool = _pool
        self._drops_due = drops_due
        self._condition = Condition()
        # Guarded by the condition: the tasks that are due, whether a thread runs one of them or is about to,
        # that thread, and the tasks whose time has not come.
        self._due: deque[tuple[ScheduledFuture | None, Runnable]] = deque()
        self._is_running = False
        self._runner: AnyThread | None = None
        self._waiting: set[ScheduledFuture] = set()
        self._is_shut_down = False

    def submit(self, task: Runnable) -> None:
        """Run ``task`` as soon as possible. Raises RejectedExecutionException after shutdown."""
        self.schedule(task, 0)

    def schedule(self, task: Runnable, delay_ms: int) -> ScheduledFuture:
        """Run ``task`` once after a delay. Raises RejectedExecutionException after shutdown."""
        return self._schedule(task, delay_ms, 0)

    def schedule_at_fixed_rate(self, task: Runnable, initial_delay_ms: int,
                               period_ms: int) -> ScheduledFuture:
        """Run ``task`` after a delay and then every ``period_ms``; several missed runs become one run."""
        return self._schedule(task, initial_delay_ms, period_ms)

    def _schedule(self, task: Runnable, delay_ms: int, period_ms: int) -> ScheduledFuture:
        future: ScheduledFuture | None = None

        def come_due() -> None:
            with self._condition:
                entry = (None, task)
                if period_ms <= 0 and future is not None:
                    self._waiting.discard(future)
                if not self._is_shut_down and not (period_ms > 0 and entry in self._due):
                    self._due.append(entry)
                    self._ensure_running()

        with self._condition:
            if self._is_shut_down:
                raise RejectedExecutionException("the strand is shut down")
            if delay_ms <= 0 and period_ms <= 0:
                # On the pool's own threads, tasks could overtake each other.
                future = self._pool.new_future(task)
                self._due.append((future, task))
                self._ensure_running()
            else:
                future = self._pool.schedule(come_due, delay_ms, period_ms)
                self._waiting.add(future)
        return future

    def _ensure_running(self) -> None:
        if not self._is_running:
            self._is_running = True
            self._pool.schedule(self._run_due, 0)

    def _run_due(self) -> None:
        with self._condition:
            self._runner = Thread.current_thread()
        while True:
            with self._condition:
                if not self._due:
                    self._is_running = False
                    self._runner = None
                    self._condition.notify_all()
                    return
                future, task = self._due.popleft()
            if future is None or not future.is_cancelled():
                try:
                    task()
                except BaseException:
                    log.exception("a background task failed")

    def contains(self, future: ScheduledFuture) -> bool:
        """Return whether ``future`` waits for its due time."""
        return self._pool.contains(future)

    def set_core_pool_size(self, core_pool_size: int) -> None:
        """Ignore the size: one task at a time is enough for a test's broker."""

    def shutdown(self) -> None:
        """Drop tasks whose time has not come, run tasks that are due, refuse new tasks."""
        with self._condition:
            self._is_shut_down = True
            waiting, self._waiting = self._waiting, set()
            if self._drops_due:
                self._due.clear()
        for future in waiting:
            future.cancel()

    def shutdown_now(self) -> None:
        """As ``shutdown``, but also drop tasks that are due."""
        self.shutdown()
        with self._condition:
            self._due.clear()

    def await_termination(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` until no task runs; return whether no task runs."""
        with self._condition:
            return Clock.wait_for(
                self._condition, lambda: not self._is_running or self._runner is Thread.current_thread(),
                timeout_ms / 1000)

    def is_terminated(self) -> bool:
        """Return whether ``shutdown`` was called and no task runs."""
        return self._is_shut_down and not self._is_running


class SharedScheduler(KafkaScheduler):
    """A scheduler of one thread. A strand replaces the thread."""

    def startup(self) -> None:
        """Raises IllegalStateException if the scheduler is started already."""
        with self._lock:
            super().startup()
            # The executor starts its thread with its first task, and no task reaches it.
            self._executor = Strand(drops_due=True)  # type: ignore[assignment]


class SharedCleanerThread(LogCleaner.CleanerThread):
    """A log cleaner thread without a thread: a strand runs its rounds."""

    def __init__(self, log_cleaner: LogCleaner, thread_id: int) -> None:
        super().__init__(log_cleaner, thread_id)
        self._strand = Strand(drops_due=True)

    def start(self) -> None:
        """Schedule the rounds."""
        self._strand.submit(self._round)

    def _round(self) -> None:
        try:
            while self.is_running() and self._try_clean_filthiest_log():
                pass
            self._log_cleaner.cleaner_manager().maintain_uncleanable_partitions()
        finally:
            # The strand logs an exception of this round.
            with suppress(RejectedExecutionException):  # the cleaner stops
                self._strand.schedule(self._round, self._log_cleaner.current_config().backoff_ms)

    def initiate_shutdown(self) -> bool:
        """Stop after the current round; return False if a stop was initiated before."""
        is_first = super().initiate_shutdown()
        self._strand.shutdown()
        return is_first

    def await_shutdown(self) -> None:
        """Wait until no round runs."""
        self._strand.await_termination(_STOP_MS)


class SharedLogCleaner(LogCleaner):
    """A log cleaner without threads of its own."""

    def _new_cleaner_thread(self, id: int) -> LogCleaner.CleanerThread:
        return SharedCleanerThread(self, id)


class WakingQueue(DelayQueue[E]):
    """A queue that calls ``wake`` when an element has come due. It replaces a thread that polls the queue."""

    __slots__ = ("_strand", "_wake")

    def __init__(self, strand: Strand, wake: Callable[[], object]) -> None:
        super().__init__()
        self._strand = strand
        self._wake = wake

    def offer(self, element: E) -> bool:
        added = super().offer(element)
        try:
            # Rounded up: an element is not due a fraction of a millisecond before its time.
            self._strand.schedule(self._wake, element.get_delay(TimeUnit.MILLISECONDS) + 1)
        except RejectedExecutionException:
            pass  # the broker stops
        return added


class SharedTimer(SystemTimer):
    """A timer without threads of its own.

    Each time that a task may have come due, a strand calls ``on_due``, which calls ``advance_clock``.
    """

    def __init__(self, executor_name: str, tick_ms: int = 1, wheel_size: int = 20,
                 start_ms: int | None = None) -> None:
        super().__init__(executor_name, tick_ms, wheel_size, start_ms)
        self._strand = strand = Strand()
        self.on_due: Callable[[], object] = lambda: self.advance_clock(0)
        self._task_executor: FixedThreadPool = strand  # type: ignore[assignment]
        self._delay_queue: DelayQueue[TimerTaskList] = WakingQueue(strand, lambda: self.on_due())
        self._timing_wheel = TimingWheel(tick_ms, wheel_size, self._timing_wheel._current_time_ms,
                                         self._task_counter, self._delay_queue)
