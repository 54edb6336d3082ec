# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The order of sequence numbers, where 0 follows 2^31 - 1.

In the origin sequence numbers wrap from 2^31 - 1 to 0, but are compared as plain numbers. If batches on both
sides of that point are retried, they are in the wrong order: the producer retries the later one, which the
broker refuses, or numbers the later one first under another epoch. Here a number precedes all numbers that
follow it by less than 2^30.
"""

from __future__ import annotations

_NUMBERS = 2**31


def precedes(sequence: int, other: int) -> bool:
    """Return whether ``sequence`` precedes ``other``. Neither may be negative."""
    return 0 < (other - sequence) % _NUMBERS < _NUMBERS // 2


class Sequence(int):
    """A sequence number that is sorted by ``precedes``."""

    __slots__ = ()

    def __lt__(self, other: int) -> bool:
        return precedes(self, other)
