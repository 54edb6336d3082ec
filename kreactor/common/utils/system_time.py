# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.SystemTime of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The real clock."""

from __future__ import annotations

import threading
import time
from typing import Callable

from kreactor.common.errors import TimeoutException
from kreactor.common.utils.time import Time

_time_ns = time.time_ns


class SystemTime(Time):
    """The clock of the machine. Use ``Time.SYSTEM``.

    :origin: common.utils.SystemTime
    """

    __slots__ = ()

    def milliseconds(self) -> int:
        """Return the time of day, in milliseconds since 1970.

        :origin: common.utils.SystemTime#milliseconds()
        """
        return _time_ns() // 1_000_000

    # The clock itself, without a frame of Python around it: several reads per request.
    # Like nanoseconds(), it returns int nanoseconds from an arbitrary moment.
    # :origin: common.utils.SystemTime#nanoseconds()
    nanoseconds = staticmethod(time.monotonic_ns)

    def sleep(self, ms: int) -> None:
        """Sleep; a time that is not positive is none.

        :origin: common.utils.SystemTime#sleep(long)
        """
        if ms > 0:
            time.sleep(ms / 1000)

    def wait_object(self, obj: threading.Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        """Wait on ``obj`` as ``Time.wait_object`` says.

        :origin: common.utils.SystemTime#waitObject(Object, Supplier<Boolean>, long)
        """
        with obj:
            while True:
                if condition():
                    return

                current_time_ms = self.milliseconds()
                if current_time_ms >= deadline_ms:
                    raise TimeoutException("Condition not satisfied before deadline")

                obj.wait(min((deadline_ms - current_time_ms) / 1000, threading.TIMEOUT_MAX))


Time.SYSTEM = SystemTime()
