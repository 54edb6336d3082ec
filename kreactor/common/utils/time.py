# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Time of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The clock interface of the whole port. A test can use its own clock.

A Time has two independent clocks. ``milliseconds`` is the time of day, and may jump. ``nanoseconds`` is
monotonic, and has an arbitrary origin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Callable, ClassVar

from kreactor.common.utils.timer import Timer
from kreactor.jdk.locks import Condition


class Time(ABC):
    """A clock. Used by any thread.

    :origin: common.utils.Time
    """

    __slots__ = ()

    SYSTEM: ClassVar[Time]

    @abstractmethod
    def milliseconds(self) -> int:
        """Return the time of day, in milliseconds since 1970.

        :origin: common.utils.Time#milliseconds()
        """

    def hi_res_clock_ms(self) -> int:
        """Return ``nanoseconds`` as whole milliseconds.

        :origin: common.utils.Time#hiResClockMs()
        """
        return self.nanoseconds() // 1_000_000

    @abstractmethod
    def nanoseconds(self) -> int:
        """Return the time since an arbitrary moment, for differences only.

        :origin: common.utils.Time#nanoseconds()
        """

    @abstractmethod
    def sleep(self, ms: int) -> None:
        """Sleep for ``ms`` milliseconds.

        :origin: common.utils.Time#sleep(long)
        """

    @abstractmethod
    def wait_object(self, obj: Condition, condition: Callable[[], bool], deadline_ms: int) -> None:
        """Wait on ``obj`` until ``condition`` is true. The thread that makes it true must notify ``obj``.

        Raises Kafka's TimeoutException when ``milliseconds`` reaches ``deadline_ms``.

        :origin: common.utils.Time#waitObject(Object, Supplier<Boolean>, long)
        """

    def timer(self, timeout_ms: int) -> Timer:
        """Return a timer on this clock that expires in ``timeout_ms``.

        :origin: common.utils.Time#timer(long)
        """
        return Timer(self, timeout_ms)


# This import sets Time.SYSTEM. It imports the module, because in a circular import the class may not exist
# yet.
import kreactor.common.utils.system_time  # noqa: E402, F401
