# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent``'s executors: a fixed number of threads, and one that runs tasks at their time.

Any thread may submit, shut down or wait for the end. Threads are started as tasks come, up to the size
of the pool, and end at shutdown. A task that raises ends, and its thread goes on. The exception is logged,
and its future has it: in Java it waits in a Future for a reader, and most futures have none.
"""

from __future__ import annotations

import heapq
import logging
import queue
import threading
import time
from typing import Callable

from kreactor.jdk.exceptions import IllegalArgumentException

log = logging.getLogger(__name__)

Runnable = Callable[[], object]
ThreadFactory = Callable[[Callable[[], None]], threading.Thread]


class RejectedExecutionException(RuntimeError):
    """A task was given to an executor that is shut down."""


class FixedThreadPool:
    """Runs tasks in the order they come, on at most ``num_threads`` threads."""

    __slots__ = ("_num_threads", "_thread_factory", "_tasks", "_lock", "_threads", "_shutdown")

    def __init__(self, num_threads: int, thread_factory: ThreadFactory) -> None:
        """Raises IllegalArgumentException if ``num_threads`` is below 1."""
        if num_threads < 1:
            raise IllegalArgumentException(f"{num_threads} threads")
        self._num_threads = num_threads
        self._thread_factory = thread_factory
        # None tells one thread to end.
        self._tasks: queue.SimpleQueue[Runnable | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
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
                # Not one that could not be had: it would be waited for.
                self._threads.append(thread)

    def shutdown(self) -> None:
        """Take no more tasks, run what was taken, then end. A second call does nothing."""
        with self._lock:
            if not self._shutdown:
                self._shutdown = True
                for _ in self._threads:
                    self._tasks.put(None)

    def shutdown_now(self) -> None:
        """As ``shutdown``, but drop what has not begun."""
        with self._lock:
            self._shutdown = True
            try:
                while True:
                    self._tasks.get_nowait()
            except queue.Empty:
                pass
            for _ in self._threads:
                self._tasks.put(None)

    def await_termination(self, timeout_ms: int) -> bool:
        """Wait until all threads have ended, for at most ``timeout_ms``; return whether they have."""
        deadline = time.monotonic() + timeout_ms / 1000
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))
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
    """A task that waits for its time; it can be cancelled until it is done."""

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
        """Return what the last run raised; None while no run has raised. Java's ``get`` raises it."""
        return self._exception

    def cancel(self, may_interrupt_if_running: bool = False) -> bool:
        """Let the task not run again; return False if it was done or cancelled already.

        A run that is under way goes on to its end, whatever ``may_interrupt_if_running`` says.
        """
        return self._executor._cancel(self)

    def is_cancelled(self) -> bool:
        """Return whether ``cancel`` came before the task was done."""
        return self._cancelled

    def is_done(self) -> bool:
        """Return whether the task will not run again."""
        return self._done

    def get_delay_ms(self) -> int:
        """Return the milliseconds until the task is due; 0 or less is due."""
        return (self._time_ns - time.monotonic_ns()) // 1_000_000

    def __lt__(self, other: ScheduledFuture) -> bool:
        return (self._time_ns, self._sequence) < (other._time_ns, other._sequence)


class ScheduledThreadPoolExecutor:
    """Runs tasks once after a delay, or again and again, on at most ``core_pool_size`` threads.

    One idle thread, the leader, sleeps until the head of the heap is due; the others sleep until they
    are needed, so that a tick wakes one thread and not all. A thread that takes a task, or leaves, wakes
    another if there is no leader then: the heap is never without one while a thread is idle.
    A cancelled task is out of the heap at once; shutdown cancels all that wait.
    """

    __slots__ = ("_core_pool_size", "_thread_factory", "_condition", "_heap", "_threads", "_leader",
                 "_sequence", "_shutdown")

    def __init__(self, core_pool_size: int, thread_factory: ThreadFactory) -> None:
        """Raises IllegalArgumentException if ``core_pool_size`` is below 1."""
        self._check(core_pool_size)
        self._thread_factory = thread_factory
        # All below are guarded by the condition's lock.
        self._condition = threading.Condition(threading.Lock())
        self._core_pool_size = core_pool_size
        self._heap: list[ScheduledFuture] = []
        self._threads: list[threading.Thread] = []
        self._leader: threading.Thread | None = None
        self._sequence = 0
        self._shutdown = False

    def schedule(self, task: Runnable, delay_ms: int) -> ScheduledFuture:
        """Run ``task`` once, ``delay_ms`` from now. Raises RejectedExecutionException after shutdown."""
        return self._add(task, delay_ms, 0)

    def schedule_at_fixed_rate(self, task: Runnable, initial_delay_ms: int,
                               period_ms: int) -> ScheduledFuture:
        """Run ``task`` after ``initial_delay_ms`` and then every ``period_ms``, never twice at a time.

        A run that comes late does not shift those after it; one that raises is the last.
        """
        if period_ms <= 0:
            raise IllegalArgumentException(f"a period of {period_ms} ms")
        return self._add(task, initial_delay_ms, period_ms)

    def set_core_pool_size(self, core_pool_size: int) -> None:
        """Change the number of threads; those in excess end when they are idle."""
        self._check(core_pool_size)
        with self._condition:
            self._core_pool_size = core_pool_size
            for _ in range(min(len(self._heap), core_pool_size - len(self._threads))):
                self._start_thread()
            self._condition.notify_all()

    def contains(self, future: ScheduledFuture) -> bool:
        """Return whether ``future`` waits for its time; one that runs does not."""
        with self._condition:
            return future in self._heap

    def shutdown(self) -> None:
        """Cancel all that waits, let end what runs. A second call does nothing."""
        with self._condition:
            self._shutdown = True
            for future in self._heap:
                future._cancelled = future._done = True
            self._heap.clear()
            self._condition.notify_all()

    def await_termination(self, timeout_ms: int) -> bool:
        """Wait until all threads have ended, for at most ``timeout_ms``; return whether they have."""
        deadline = time.monotonic() + timeout_ms / 1000
        with self._condition:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, min(deadline - time.monotonic(), threading.TIMEOUT_MAX)))
        return self.is_terminated()

    def is_terminated(self) -> bool:
        """Return whether ``shutdown`` was called and all threads have ended."""
        with self._condition:
            return self._shutdown and not any(thread.is_alive() for thread in self._threads)

    @staticmethod
    def _check(core_pool_size: int) -> None:
        if core_pool_size < 1:
            raise IllegalArgumentException(f"{core_pool_size} threads")

    def _add(self, task: Runnable, delay_ms: int, period_ms: int) -> ScheduledFuture:
        time_ns = time.monotonic_ns() + max(delay_ms, 0) * 1_000_000
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
            # The leader sleeps for too long now: somebody else takes its place.
            self._leader = None
            self._condition.notify()

    def _start_thread(self) -> None:
        thread = self._thread_factory(self._run_tasks)
        thread.start()
        # Not one that could not be had: it would be waited for. It looks at the list under the lock.
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
        current = threading.current_thread()
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
                    delay_ns = heap[0]._time_ns - time.monotonic_ns()
                    if delay_ns <= 0:
                        return heapq.heappop(heap)
                    if self._leader is not None:
                        self._condition.wait()
                        continue
                    self._leader = current
                    try:
                        self._condition.wait(min(delay_ns / 1e9, threading.TIMEOUT_MAX))
                    finally:
                        if self._leader is current:
                            self._leader = None
            finally:
                if self._leader is None and heap:
                    self._condition.notify()
