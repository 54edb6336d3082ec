# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.Scheduler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Runs tasks in the background, once or periodically."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from kreactor.jdk.executors import Runnable


class Cancellable(Protocol):
    """The result of ``schedule``: the part of ``ScheduledFuture`` that Kafka uses."""

    def cancel(self, may_interrupt_if_running: bool = False) -> bool:
        """Cancel further runs of the task; return whether that changed anything."""

    def is_cancelled(self) -> bool:
        """Return whether the task was cancelled."""

    def is_done(self) -> bool:
        """Return whether the task will not run again."""

    def get_delay_ms(self) -> int:
        """Return the milliseconds until the next run."""


class Scheduler(ABC):
    """Runs tasks at their times.

    :origin: server.util.Scheduler
    """

    @abstractmethod
    def startup(self) -> None:
        """Begin to accept tasks.

        :origin: server.util.Scheduler#startup()
        """

    @abstractmethod
    def shutdown(self) -> None:
        """Drop the waiting tasks, and return when no task runs any more.

        :origin: server.util.Scheduler#shutdown()
        """

    def schedule_once(self, name: str, task: Runnable, delay_ms: int = 0) -> Cancellable:
        """Run ``task`` once, ``delay_ms`` from now.

        :origin: server.util.Scheduler#scheduleOnce(String, Runnable)
        :origin: server.util.Scheduler#scheduleOnce(String, Runnable, long)
        """
        return self.schedule(name, task, delay_ms, -1)

    @abstractmethod
    def schedule(self, name: str, task: Runnable, delay_ms: int, period_ms: int) -> Cancellable:
        """Run ``task`` after ``delay_ms``, then every ``period_ms`` if that is above 0.

        :origin: server.util.Scheduler#schedule(String, Runnable, long, long)
        """

    @abstractmethod
    def resize_thread_pool(self, new_size: int) -> None:
        """Change the number of threads.

        :origin: server.util.Scheduler#resizeThreadPool(int)
        """
