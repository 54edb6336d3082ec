# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How a log knows that the coordinator knows of a transaction before its first batch is written.

A caller that begins a transaction in a log gets a guard from it, asks the coordinator, and brings the guard
back with the batch. The log forgets the guard when a batch or a marker of the transaction comes, so that a
late answer of the coordinator, about an earlier transaction of the producer, opens nothing that no marker
would ever close.
"""

from __future__ import annotations

import itertools
from typing import ClassVar


class VerificationGuard:
    """A number that is given once. Immutable."""

    __slots__ = ("_value",)

    # Verifies nothing: what there is where no guard is.
    SENTINEL: ClassVar[VerificationGuard]

    _ids = itertools.count(1)

    def __init__(self) -> None:
        self._value = next(VerificationGuard._ids)

    def verify(self, verifying_guard: VerificationGuard) -> bool:
        """Return whether ``verifying_guard`` is this one, and not the sentinel."""
        return verifying_guard is not VerificationGuard.SENTINEL and verifying_guard == self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VerificationGuard) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"VerificationGuard(value={self._value})"


VerificationGuard.SENTINEL = VerificationGuard()
VerificationGuard.SENTINEL._value = 0
