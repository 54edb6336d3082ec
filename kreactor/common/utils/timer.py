# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Timer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The time that a blocking call has left, carried through the calls that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.utils.time import Time

OMITTED = {
    "common.utils.Timer#isExpiredBy()":
        "only a consumer asks for it; consumers and their groups are out of scope",
}

_LONG_MAX_VALUE = 2**63 - 1


class Timer:
    """A deadline and the time of the last look at the clock, in milliseconds.

    Nothing moves until ``update`` or ``sleep``; the clock going back is not seen. Owned by one thread.

    :origin: common.utils.Timer
    """

    __slots__ = ("_time", "_start_ms", "_current_time_ms", "_deadline_ms", "_timeout_ms")

    def __init__(self, time: Time, timeout_ms: int) -> None:
        """Start. Raises IllegalArgumentException if ``timeout_ms`` is negative. Made by ``Time.timer``.

        :origin: common.utils.Timer#Timer(Time, long)
        """
        self._time = time
        self._start_ms = 0
        self._current_time_ms = 0
        self._deadline_ms = 0
        self._timeout_ms = 0
        self.update()
        self.reset(timeout_ms)

    def is_expired(self) -> bool:
        """Return whether the deadline had come at the last update.

        :origin: common.utils.Timer#isExpired()
        """
        return self._current_time_ms >= self._deadline_ms

    def not_expired(self) -> bool:
        """Return whether time was left at the last update.

        :origin: common.utils.Timer#notExpired()
        """
        return not self.is_expired()

    def update_and_reset(self, timeout_ms: int) -> None:
        """Start again, from now.

        :origin: common.utils.Timer#updateAndReset(long)
        """
        self.update()
        self.reset(timeout_ms)

    def reset(self, timeout_ms: int) -> None:
        """Start again, from the last update. Raises IllegalArgumentException if ``timeout_ms`` is negative.

        A deadline beyond a Java long stays at the last one.

        :origin: common.utils.Timer#reset(long)
        """
        if timeout_ms < 0:
            raise IllegalArgumentException(f"Invalid negative timeout {timeout_ms}")

        self._timeout_ms = timeout_ms
        self._start_ms = self._current_time_ms

        if self._current_time_ms > _LONG_MAX_VALUE - timeout_ms:
            self._deadline_ms = _LONG_MAX_VALUE
        else:
            self._deadline_ms = self._current_time_ms + timeout_ms

    def reset_deadline(self, deadline_ms: int) -> None:
        """Start again, from the last update, towards ``deadline_ms``.

        Raises IllegalArgumentException if it is negative.

        :origin: common.utils.Timer#resetDeadline(long)
        """
        if deadline_ms < 0:
            raise IllegalArgumentException(f"Invalid negative deadline {deadline_ms}")

        self._timeout_ms = max(0, deadline_ms - self._current_time_ms)
        self._start_ms = self._current_time_ms
        self._deadline_ms = deadline_ms

    def update(self) -> None:
        """Look at the clock.

        :origin: common.utils.Timer#update()
        """
        self.update_current_time_ms(self._time.milliseconds())

    def update_current_time_ms(self, current_time_ms: int) -> None:
        """Take ``current_time_ms`` for what the clock says, unless it is older than the last update.

        :origin: common.utils.Timer#update(long)
        """
        self._current_time_ms = max(current_time_ms, self._current_time_ms)

    def remaining_ms(self) -> int:
        """Return what was left at the last update, at least 0.

        :origin: common.utils.Timer#remainingMs()
        """
        return max(0, self._deadline_ms - self._current_time_ms)

    def current_time_ms(self) -> int:
        """Return the time of the last update.

        :origin: common.utils.Timer#currentTimeMs()
        """
        return self._current_time_ms

    def elapsed_ms(self) -> int:
        """Return what had passed since the start at the last update.

        :origin: common.utils.Timer#elapsedMs()
        """
        return self._current_time_ms - self._start_ms

    def timeout_ms(self) -> int:
        """Return the time-out that the last start was given, or what its deadline made it.

        :origin: common.utils.Timer#timeoutMs()
        """
        return self._timeout_ms

    def sleep(self, duration_ms: int) -> None:
        """Sleep for ``duration_ms``, or what is left if that is less, and update.

        :origin: common.utils.Timer#sleep(long)
        """
        sleep_duration_ms = min(duration_ms, self.remaining_ms())
        self._time.sleep(sleep_duration_ms)
        self.update()
