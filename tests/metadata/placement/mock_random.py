# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.MockRandom of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Random numbers that are the same in each run, and the same as Kafka's tests get from java.util.Random."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

from kreactor.jdk.random_numbers import Random

_MASK = (1 << 64) - 1


class MockRandom(Random):
    """:origin: server.util.MockRandom"""

    def __init__(self, state: int = 17) -> None:
        super().__init__()
        self._state = state

    def _next(self, bits: int) -> int:
        """Return so many random bits as a signed number of 32 bits, of which ``bits`` is at most 31."""
        self._state = (self._state * 2862933555777941757 + 3037000493) & _MASK
        return self._state >> (64 - bits)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return a number below ``start``, by the algorithm that java.util.Random documents for nextInt."""
        assert stop is None and step == 1
        if start & (start - 1) == 0:
            return (start * self._next(31)) >> 31
        while True:
            bits = self._next(31)
            value = bits % start
            if bits - value + (start - 1) < 1 << 31:
                return value

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Swap each element, from the last one on, with one before it or itself, as java.util.Collections."""
        for size in range(len(x), 1, -1):
            other = self.randrange(size)
            x[size - 1], x[other] = x[other], x[size - 1]
