# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.SystemTime of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The real clock."""

from __future__ import annotations

from typing import Callable

from kreactor.common.errors import TimeoutException
from kreactor.common.utils.time import Time
from kreactor.jdk.clock import Clock, NanoClock
from kreactor.jdk.exceptions import InterruptedException
from kreactor.jdk.locks import Condition
from kreactor.jdk.threads import TIMEOUT_MAX, Thread


class SystemTime(NanoClock, Time):
    """The system clock. Use ``Time.SYSTEM``.

    :origin: common.utils.SystemTime
    """

    __slots__ = ()

    def milliseconds(self) -> int:
        """Return the time of day, in milliseconds since 1970.

        :origin: common.utils.SystemTime#milliseconds()
        """
        return Clock.epoch_ns() // 1_000_000

    # nanoseconds() is NanoClock's: the C function itself, without a Python frame, because each request reads
    # the clock several times.
    # :origin: common.utils.SystemTime#nanoseconds()

    def sleep(self, ms: int) -> None:
        """Sleep. Returns at once for a negative or zero time, and early if the thread is interrupted.

        :origin: common.utils.SystemTime#sleep(long)
        """
        if ms > 0:
            try:
                Thread.sleep(ms)
            except InterruptedException:
                Thread.interrupt_current()

    def wait_object(self, obj: Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        """Wait on ``obj`` as described in ``Time.wait_object``.

        :origin: common.utils.SystemTime#waitObject(Object, Supplier<Boolean>, long)
        """
        with obj:
            while True:
                if condition():
                    return

                current_time_ms = self.milliseconds()
                if current_time_ms >= deadline_ms:
                    raise TimeoutException("Condition not satisfied before deadline")

                obj.wait(min((deadline_ms - current_time_ms) / 1000, TIMEOUT_MAX))


Time.SYSTEM = SystemTime()
