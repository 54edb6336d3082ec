# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ExponentialBackoff of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Exponentially growing wait times of retries."""

from __future__ import annotations

import math
import sys

from kreactor.jdk.random_numbers import RANDOM, Random


class ExponentialBackoff:
    """Computes ``initial_interval * multiplier ** attempts``, at most ``max_interval``, with random
    ``jitter``.

    Used by any thread.

    :origin: common.utils.ExponentialBackoff
    """

    __slots__ = ("_initial_interval", "_multiplier", "_max_interval", "_jitter", "_exp_max", "_random")

    def __init__(self, initial_interval: int, multiplier: int, max_interval: int, jitter: float,
                 random: Random = RANDOM) -> None:
        """A jitter of 0.2 changes the wait by up to a fifth in both directions.

        If ``max_interval`` is below ``initial_interval``, every wait is ``max_interval``.

        :origin: common.utils.ExponentialBackoff#ExponentialBackoff(long, int, long, double)
        """
        self._initial_interval = min(max_interval, initial_interval)
        self._multiplier = multiplier
        self._max_interval = max_interval
        self._jitter = jitter
        self._random = random
        # The number of attempts at which the wait reaches the maximum, 0 if the wait is constant.
        self._exp_max = (math.log(max_interval / max(initial_interval, 1)) / math.log(multiplier)
                         if max_interval > initial_interval else 0.0)

    def backoff(self, attempts: int) -> int:
        """Return the wait after ``attempts`` failures, in the unit of the intervals.

        :origin: common.utils.ExponentialBackoff#backoff(long)
        """
        if self._exp_max == 0:
            return self._initial_interval
        exp = min(attempts, self._exp_max)
        term = self._initial_interval * math.pow(self._multiplier, exp)
        random_factor = (1.0 if self._jitter < sys.float_info.min
                         else self._random.uniform(1 - self._jitter, 1 + self._jitter))
        backoff_value = int(random_factor * term)
        return min(backoff_value, self._max_interval)

    def __str__(self) -> str:
        """Return the arguments of the constructor as text.

        :origin: common.utils.ExponentialBackoff#toString()
        """
        return (f"ExponentialBackoff{{multiplier={self._multiplier}, expMax={self._exp_max}, "
                f"initialInterval={self._initial_interval}, jitter={self._jitter}}}")
