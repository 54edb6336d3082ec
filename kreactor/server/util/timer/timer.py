# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.timer.Timer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Runs tasks after a delay."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.server.util.timer.timer_task import TimerTask


class Timer(ABC):
    """Holds tasks until their delay is over. A thread must drive its clock.

    :origin: server.util.timer.Timer
    """

    @abstractmethod
    def add(self, timer_task: TimerTask) -> None:
        """Run ``timer_task`` when its delay, counted from now, is over.

        :origin: server.util.timer.Timer#add(TimerTask)
        """

    @abstractmethod
    def advance_clock(self, timeout_ms: int) -> bool:
        """Run the tasks that are due, after waiting up to ``timeout_ms`` for one; return whether any was due.

        :origin: server.util.timer.Timer#advanceClock(long)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the number of waiting tasks.

        :origin: server.util.timer.Timer#size()
        """

    @abstractmethod
    def close(self) -> None:
        """End the threads. Waiting tasks will not run."""
