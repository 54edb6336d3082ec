# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent``'s executors: a pool with a fixed number of threads, and a pool for scheduled
tasks.

Any thread may submit, shut down or wait for the end. A pool starts its threads as tasks arrive, up to its
size, and ends them at shutdown. When a task raises, its thread continues. The exception is logged and kept in
the task's future. In Java it is only kept in the Future, and most futures are never read.
"""

from __future__ import annotations

import heapq
from typing import Callable

from kreactor.jdk.clock import Clock
from kreactor.jdk.concurrent import LinkedBlockingDeque
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.threads import TIMEOUT_MAX, AnyThread, Thread

log = get_logger(__name__)

Runnable = Callable[[], object]
ThreadFactory = Callable[[Callable[[], None]], Thread]


class RejectedExecutionException(RuntimeError):
    """The executor is shut down and refuses the task."""


class FixedThreadPool:
    """Runs tasks in the order of submission, on at most ``num_threads`` threads."""

    __slots__ = ("_num_threads", "_thread_factory", "_tasks", "_lock", "_threads", "_shutdown")

    def __init__(self, num_threads: int, thread_factory: ThreadFactory) -> None:
        """Raises IllegalArgumentException if ``num_threads`` is below 1."""
        if num_threads < 1:
            raise IllegalArgumentException(f"num_threads: {num_threads} is below 1")
        self._num_threads = num_threads
        self._thread_factory = thread_factory
        # A None ends one thread.
        self._tasks: LinkedBlockingDeque[Runnable | None] = LinkedBlockingDeque()
        self._lock = Lock()
        self._threads: list[AnyThread] = []
        self._shutdown = False

    def submit(self, task: Runnable) -> None:
        """Run ``task`` as soon as a thread is free. Raises RejectedExecutionException after shutdown."""
        with self._lock:
            if self._shutdown:
                raise RejectedExecutionException("the executor is shut down")
            self._tasks.put(task)
            if len(self._threads) < self._num_threads:
                thread = self._thread_factory(self._run_tasks)
                thread.start()
                # Added after its start: shutdown would wait for a thread that could not be started.
                self._threads.append(thread)

    def shutdown(self) -> None:
        """Refuse new tasks, run the submitted ones, then end. A second call does nothing."""
        with self._lock:
            if not self._shutdown:
                self._shutdown = True
                for _ in self._threads:
                    self._tasks.put(None)

    def shutdown_now(self) -> None:
        """As ``shutdown``, but drop the tasks that have not begun."""
        with self._lock:
            self._shutdown = True
            self._tasks.clear()
            for _ in self._threads:
                self._tasks.put(None)

    def await_termination(self, timeout_ms: int) -> bool:
        """Wait until all threads have ended, for at most ``timeout_ms``; return whether they have."""
        deadline = Clock.seconds() + timeout_ms / 1000
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - Clock.seconds()))
        return self.is_terminated()

    def is_terminated(self) -> bool:
        """Return whether ``shutdown`` was called and all threads have ended."""
        return self._shutdown and not any(thread.is_alive() for thread in list(self._threads))

    def _run_tasks(self) -> None:
        while True:
            task = self._tasks.get()
            if task is None:
                return
            try:
                task()
            except BaseException:
                log.exception("a task of the executor failed")


class ScheduledFuture:
    """A scheduled task, which can be cancelled until it is done."""

    __slots__ = ("_executor", "_task", "_time_ns", "_period_ns", "_sequence", "_done", "_cancelled",
                 "_exception")

    def __init__(self, executor: ScheduledThreadPoolExecutor, task: Runnable, time_ns: int,
                 period_ns: int, sequence: int) -> None:
        """Made by the executor. ``period_ns`` is 0 for a task that runs once."""
        self._executor = executor
        self._task = task
        self._time_ns = time_ns
        self._period_ns = period_ns
        self._sequence = sequence
        self._done = False
        self._cancelled = False
        self._exception: BaseException | None = None

    def exception(self) -> BaseException | None:
        """Return the exception of the last run, or None if no run has raised.

        Java's ``get`` raises the exception.
        """
        return self._exception

    def cancel(self, may_interrupt_if_running: bool = False) -> bool:
        """Prevent further runs; return False if the task was done or cancelled already.

        A current run continues to its end; ``may_interrupt_if_running`` is ignored.
        """
        return self._executor._cancel(self)

    def is_cancelled(self) -> bool:
        """Return whether ``cancel`` came before the task was done."""
        return self._cancelled

    def is_done(self) -> bool:
        """Return whether the task will not run again."""
        return self._done

    def get_delay_ms(self) -> int:
        """Return the milliseconds until the task is due; 0 or less if it is due now."""
        return (self._time_ns - Clock.nanoseconds()) // 1_000_000

    def __lt__(self, other: ScheduledFuture) -> bool:
        return (self._time_ns, self._sequence) < (other._time_ns, other._sequence)


class ScheduledThreadPoolExecutor:
    """Runs tasks once after a delay, or periodically, on at most ``core_pool_size`` threads.

    One idle thread, the leader, sleeps until the head of the heap is due; the others sleep until they are
    needed. So a due task wakes one thread and not all. A thread that takes a task, or ends, wakes another
    thread if there is no leader then. So the heap always has a leader while a thread is idle. Cancelling a
    task removes it from the heap at once. Shutdown cancels all waiting tasks.
    """

    __slots__ = ("_core_pool_size", "_thread_factory", "_condition", "_heap", "_threads", "_leader",
                 "_sequence", "_shutdown")

    def __init__(self, core_pool_size: int, thread_factory: ThreadFactory) -> None:
        """Raises IllegalArgumentException if ``core_pool_size`` is below 1."""
        self._check(core_pool_size)
        self._thread_factory = thread_factory
        # The condition's lock guards all attributes below.
        self._condition = Condition(Lock())
        self._core_pool_size = core_pool_size
        self._heap: list[ScheduledFuture] = []
        self._threads: list[AnyThread] = []
        self._leader: AnyThread | None = None
        self._sequence = 0
        self._shutdown = False

    def schedule(self, task: Runnable, delay_ms: int) -> ScheduledFuture:
        """Run ``task`` once, ``delay_ms`` from now. Raises RejectedExecutionException after shutdown."""
        return self._add(task, delay_ms, 0)

    def schedule_at_fixed_rate(self, task: Runnable, initial_delay_ms: int,
                               period_ms: int) -> ScheduledFuture:
        """Run ``task`` after ``initial_delay_ms`` and then every ``period_ms``; runs never overlap.

        A late run does not delay the following ones. A run that raises is the last.
        """
        if period_ms <= 0:
            raise IllegalArgumentException(f"period_ms: {period_ms} is not above 0")
        return self._add(task, initial_delay_ms, period_ms)

    def set_core_pool_size(self, core_pool_size: int) -> None:
        """Change the number of threads; surplus threads end when they are idle."""
        self._check(core_pool_size)
        with self._condition:
            self._core_pool_size = core_pool_size
            for _ in range(min(len(self._heap), core_pool_size - len(self._threads))):
                self._start_thread()
            self._condition.notify_all()

    def contains(self, future: ScheduledFuture) -> bool:
        """Return whether ``future`` waits for its due time; a running task does not."""
        with self._condition:
            return future in self._heap

    def shutdown(self) -> None:
        """Cancel the waiting tasks; running tasks continue to their end. A second call does nothing."""
        with self._condition:
            self._shutdown = True
            for future in self._heap:
                future._cancelled = future._done = True
            self._heap.clear()
            self._condition.notify_all()

    def await_termination(self, timeout_ms: int) -> bool:
        """Wait until all threads have ended, for at most ``timeout_ms``; return whether they have."""
        deadline = Clock.seconds() + timeout_ms / 1000
        with self._condition:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, min(deadline - Clock.seconds(), TIMEOUT_MAX)))
        return self.is_terminated()

    def is_terminated(self) -> bool:
        """Return whether ``shutdown`` was called and all threads have ended."""
        with self._condition:
            return self._shutdown and not any(thread.is_alive() for thread in self._threads)

    @staticmethod
    def _check(core_pool_size: int) -> None:
        if core_pool_size < 1:
            raise IllegalArgumentException(f"core_pool_size: {core_pool_size} is below 1")

    def _add(self, task: Runnable, delay_ms: int, period_ms: int) -> ScheduledFuture:
        time_ns = Clock.nanoseconds() + max(delay_ms, 0) * 1_000_000
        with self._condition:
            if self._shutdown:
                raise RejectedExecutionException("the executor is shut down")
            self._sequence += 1
            future = ScheduledFuture(self, task, time_ns, period_ms * 1_000_000, self._sequence)
            self._push(future)
            if len(self._threads) < self._core_pool_size:
                self._start_thread()
        return future

    def _push(self, future: ScheduledFuture) -> None:
        heapq.heappush(self._heap, future)
        if self._heap[0] is future:
            # The leader would sleep too long: another thread becomes the leader.
            self._leader = None
            self._condition.notify()

    def _start_thread(self) -> None:
        thread = self._thread_factory(self._run_tasks)
        thread.start()
        # Added after its start: shutdown would wait for a thread that could not be started. The thread reads
        # the list under the lock.
        self._threads.append(thread)

    def _cancel(self, future: ScheduledFuture) -> bool:
        with self._condition:
            if future._done:
                return False
            future._cancelled = future._done = True
            if future in self._heap:
                self._heap.remove(future)
                heapq.heapify(self._heap)
            return True

    def _run_tasks(self) -> None:
        while True:
            future = self._take()
            if future is None:
                return
            raised: BaseException | None = None
            try:
                future._task()
            except BaseException as e:
                raised = e
                log.exception("a task of the executor failed%s",
                              ", and is not repeated" if future._period_ns else "")
            with self._condition:
                future._exception = raised
                if raised is not None or not future._period_ns or self._shutdown:
                    future._cancelled = future._cancelled or (self._shutdown and future._period_ns > 0)
                    future._done = True
                elif not future._done:
                    future._time_ns += future._period_ns
                    self._push(future)

    def _take(self) -> ScheduledFuture | None:
        current = Thread.current_thread()
        heap = self._heap
        with self._condition:
            try:
                while True:
                    if self._shutdown:
                        return None
                    if len(self._threads) > self._core_pool_size:
                        self._threads.remove(current)
                        return None
                    if not heap:
                        self._condition.wait()
                        continue
                    delay_ns = heap[0]._time_ns - Clock.nanoseconds()
                    if delay_ns <= 0:
                        return heapq.heappop(heap)
                    if self._leader is not None:
                        self._condition.wait()
                        continue
                    self._leader = current
                    try:
                        self._condition.wait(min(delay_ns / 1e9, TIMEOUT_MAX))
                    finally:
                        if self._leader is current:
                            self._leader = None
            finally:
                if self._leader is None and heap:
                    self._condition.notify()
