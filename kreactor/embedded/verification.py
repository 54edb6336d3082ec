# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How a log knows that the coordinator knows of a transaction before its first batch is written.

Whoever wants to begin a transaction in a log gets a guard from it, asks the coordinator, and brings the guard
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


class VerificationStateEntry:
    """A producer whose transaction is being verified. Under the log's lock.

    The lowest sequence number that was seen keeps higher ones out: they could be verified and written while
    the lower one is still to be tried again, which would be out of order for ever after.
    """

    __slots__ = ("timestamp", "verification_guard", "lowest_sequence", "epoch")

    def __init__(self, timestamp: int, sequence: int, epoch: int) -> None:
        # When it began, in milliseconds.
        self.timestamp = timestamp
        self.verification_guard = VerificationGuard()
        self.lowest_sequence = sequence
        self.epoch = epoch

    def maybe_update_lowest_sequence_and_epoch(self, incoming_sequence: int, incoming_epoch: int) -> None:
        """Note another batch that is to be verified: a new epoch begins anew."""
        if incoming_epoch == self.epoch and incoming_sequence < self.lowest_sequence:
            self.lowest_sequence = incoming_sequence
        if incoming_epoch > self.epoch:
            self.epoch = incoming_epoch
            self.lowest_sequence = incoming_sequence
