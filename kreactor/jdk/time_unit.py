# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.TimeUnit``: time units and conversions between them."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.clock import Clock

_LONG_MAX_VALUE = 2**63 - 1
_LONG_MIN_VALUE = -2**63


class TimeUnit(Enum):
    """A unit of time; its value is its length in nanoseconds.

    Conversions return ints, rounded towards zero and clamped to the range of Java's ``long``.
    """

    NANOSECONDS = 1
    MICROSECONDS = 1_000
    MILLISECONDS = 1_000_000
    SECONDS = 1_000_000_000
    MINUTES = 60_000_000_000
    HOURS = 3_600_000_000_000
    DAYS = 86_400_000_000_000

    def convert(self, source_duration: int, source_unit: TimeUnit) -> int:
        """Return ``source_duration``, given in ``source_unit``, in this unit."""
        nanos = source_duration * source_unit.value
        converted: int = nanos // self.value if nanos >= 0 else -(-nanos // self.value)
        return max(_LONG_MIN_VALUE, min(_LONG_MAX_VALUE, converted))

    def to_nanos(self, duration: int) -> int:
        """Return ``duration``, given in this unit, in nanoseconds."""
        return TimeUnit.NANOSECONDS.convert(duration, self)

    def to_millis(self, duration: int) -> int:
        """Return ``duration``, given in this unit, in milliseconds."""
        return TimeUnit.MILLISECONDS.convert(duration, self)

    def sleep(self, timeout: int) -> None:
        """Sleep for ``timeout``, given in this unit; return at once if it is not positive."""
        if timeout > 0:
            Clock.sleep(self.to_nanos(timeout) / 1e9)
