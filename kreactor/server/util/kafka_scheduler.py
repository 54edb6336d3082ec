# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.KafkaScheduler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The scheduler of a server: a pool of threads named ``kafka-scheduler-N``.

Any thread may call it. ``_lock`` makes startup, shutdown and scheduling exclusive. Tasks run without it, so a
task may schedule another one.
"""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.executors import Runnable, ScheduledFuture, ScheduledThreadPoolExecutor
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.threads import Thread
from kreactor.server.util.scheduler import Cancellable, Scheduler

log = LogContext().logger(f"{__name__}.KafkaScheduler")

_ONE_DAY_MS = 24 * 60 * 60 * 1000


class KafkaScheduler(Scheduler):
    """Runs tasks on up to ``threads`` threads, which start as tasks come.

    :origin: server.util.KafkaScheduler
    """

    class NoOpScheduledFutureTask:
        """The future of a task that was scheduled before startup or after shutdown, and never runs.

        :origin: server.util.KafkaScheduler.NoOpScheduledFutureTask
        """

        __slots__ = ()

        def cancel(self, may_interrupt_if_running: bool = False) -> bool:
            """Return True.

            :origin: server.util.KafkaScheduler.NoOpScheduledFutureTask#cancel(boolean)
            """
            return True

        def is_cancelled(self) -> bool:
            """Return True.

            :origin: server.util.KafkaScheduler.NoOpScheduledFutureTask#isCancelled()
            """
            return True

        def is_done(self) -> bool:
            """Return True.

            :origin: server.util.KafkaScheduler.NoOpScheduledFutureTask#isDone()
            """
            return True

        def get_delay_ms(self) -> int:
            """Return 0.

            :origin: server.util.KafkaScheduler.NoOpScheduledFutureTask#getDelay(TimeUnit)
            """
            return 0

    def __init__(self, threads: int, daemon: bool = True,
                 thread_name_prefix: str = "kafka-scheduler-") -> None:
        """
        :origin: server.util.KafkaScheduler#KafkaScheduler(int)
        :origin: server.util.KafkaScheduler#KafkaScheduler(int, boolean)
        :origin: server.util.KafkaScheduler#KafkaScheduler(int, boolean, String)
        """
        self._lock = ReentrantLock()
        self._scheduler_thread_id = AtomicInteger(0)
        self._threads = threads
        self._daemon = daemon
        self._thread_name_prefix = thread_name_prefix
        self._executor: ScheduledThreadPoolExecutor | None = None

    def startup(self) -> None:
        """Raises IllegalStateException if started already.

        :origin: server.util.KafkaScheduler#startup()
        """
        log.debug("Initializing task scheduler")
        with self._lock:
            if self.is_started():
                raise IllegalStateException("This scheduler has already been started.")
            self._executor = ScheduledThreadPoolExecutor(self._threads, self._new_thread)

    def _new_thread(self, runnable: Callable[[], None]) -> Thread:
        name = f"{self._thread_name_prefix}{self._scheduler_thread_id.get_and_increment()}"
        return KafkaThread(name, runnable, self._daemon)

    def shutdown(self) -> None:
        """Drop the waiting tasks, and wait for the running ones. Does nothing if not started.

        :origin: server.util.KafkaScheduler#shutdown()
        """
        log.debug("Shutting down task scheduler")
        # Waits without the lock, on its own reference, because another thread may start the scheduler again.
        maybe_executor: ScheduledThreadPoolExecutor | None = None
        with self._lock:
            if self._executor is not None:
                maybe_executor = self._executor
                maybe_executor.shutdown()
                self._executor = None
        if maybe_executor is not None:
            maybe_executor.await_termination(_ONE_DAY_MS)

    def schedule(self, name: str, task: Runnable, delay_ms: int, period_ms: int) -> Cancellable:
        """Run ``task`` after ``delay_ms``, then every ``period_ms`` if that is above 0.

        A task's exception is logged, and does not end its repetition. A scheduler that is not started ignores
        the task.

        :origin: server.util.KafkaScheduler#schedule(String, Runnable, long, long)
        """
        log.debug("Scheduling task %s with initial delay %s ms and period %s ms", name, delay_ms, period_ms)
        with self._lock:
            executor = self._executor
            if executor is not None:
                def runnable() -> None:
                    try:
                        log.trace("Beginning execution of scheduled task '%s'", name)
                        task()
                    except BaseException as t:
                        log.error("Uncaught exception in scheduled task '%s'", name, exc=t)
                    finally:
                        log.trace("Completed execution of scheduled task '%s'", name)

                if period_ms > 0:
                    return executor.schedule_at_fixed_rate(runnable, delay_ms, period_ms)
                return executor.schedule(runnable, delay_ms)
            log.info("The scheduler is not running: task '%s' is ignored", name)
            return KafkaScheduler.NoOpScheduledFutureTask()

    def is_started(self) -> bool:
        """Return whether tasks are accepted.

        :origin: server.util.KafkaScheduler#isStarted()
        """
        return self._executor is not None

    def resize_thread_pool(self, new_size: int) -> None:
        """Change the number of threads. Does nothing if not started.

        :origin: server.util.KafkaScheduler#resizeThreadPool(int)
        """
        with self._lock:
            if self._executor is not None:
                self._executor.set_core_pool_size(new_size)

    def thread_name_prefix(self) -> str:
        """Return the prefix of the threads' names.

        :origin: server.util.KafkaScheduler#threadNamePrefix()
        """
        return self._thread_name_prefix

    def task_running(self, task: Cancellable) -> bool:
        """Return whether ``task`` is waiting for its next run.

        :origin: server.util.KafkaScheduler#taskRunning(ScheduledFuture<?>)
        """
        e = self._executor
        return e is not None and isinstance(task, ScheduledFuture) and e.contains(task)
