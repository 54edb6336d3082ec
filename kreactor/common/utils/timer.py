# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Timer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The remaining time of a blocking call, passed on to the calls that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.utils.time import Time

_LONG_MAX_VALUE = 2**63 - 1


class Timer:
    """A deadline and the time of the last update, in milliseconds.

    Only ``update`` and ``sleep`` change the current time. The timer ignores a clock that goes back. Owned by
    one thread.

    :origin: common.utils.Timer
    """

    __slots__ = ("_time", "_start_ms", "_current_time_ms", "_deadline_ms", "_timeout_ms")

    def __init__(self, time: Time, timeout_ms: int) -> None:
        """Start. Raises IllegalArgumentException for a negative ``timeout_ms``. Called by ``Time.timer``.

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
        """Return whether the deadline was reached at the last update.

        :origin: common.utils.Timer#isExpired()
        """
        return self._current_time_ms >= self._deadline_ms

    def not_expired(self) -> bool:
        """Return whether time was left at the last update.

        :origin: common.utils.Timer#notExpired()
        """
        return not self.is_expired()

    def update_and_reset(self, timeout_ms: int) -> None:
        """Update, and start again.

        :origin: common.utils.Timer#updateAndReset(long)
        """
        self.update()
        self.reset(timeout_ms)

    def reset(self, timeout_ms: int) -> None:
        """Start again at the last update. Raises IllegalArgumentException for a negative ``timeout_ms``.

        A deadline beyond a Java long becomes the largest long.

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
        """Start again at the last update, with ``deadline_ms`` as the deadline.

        Raises IllegalArgumentException for a negative deadline.

        :origin: common.utils.Timer#resetDeadline(long)
        """
        if deadline_ms < 0:
            raise IllegalArgumentException(f"Invalid negative deadline {deadline_ms}")

        self._timeout_ms = max(0, deadline_ms - self._current_time_ms)
        self._start_ms = self._current_time_ms
        self._deadline_ms = deadline_ms

    def update(self) -> None:
        """Read the clock.

        :origin: common.utils.Timer#update()
        """
        self.update_current_time_ms(self._time.milliseconds())

    def update_current_time_ms(self, current_time_ms: int) -> None:
        """Set the current time to ``current_time_ms``, unless it is before the last update.

        :origin: common.utils.Timer#update(long)
        """
        self._current_time_ms = max(current_time_ms, self._current_time_ms)

    def remaining_ms(self) -> int:
        """Return the remaining milliseconds at the last update, at least 0.

        :origin: common.utils.Timer#remainingMs()
        """
        return max(0, self._deadline_ms - self._current_time_ms)

    def current_time_ms(self) -> int:
        """Return the time of the last update.

        :origin: common.utils.Timer#currentTimeMs()
        """
        return self._current_time_ms

    def elapsed_ms(self) -> int:
        """Return the milliseconds between the start and the last update.

        :origin: common.utils.Timer#elapsedMs()
        """
        return self._current_time_ms - self._start_ms

    def timeout_ms(self) -> int:
        """Return the timeout of the last start in milliseconds, given or computed from its deadline.

        :origin: common.utils.Timer#timeoutMs()
        """
        return self._timeout_ms

    def sleep(self, duration_ms: int) -> None:
        """Sleep for ``duration_ms`` or the remaining time, whichever is less, and update.

        :origin: common.utils.Timer#sleep(long)
        """
        sleep_duration_ms = min(duration_ms, self.remaining_ms())
        self._time.sleep(sleep_duration_ms)
        self.update()
