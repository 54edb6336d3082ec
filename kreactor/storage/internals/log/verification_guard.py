# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.VerificationGuard of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Ensures that the coordinator knows of a transaction before the log gets the transaction's first batch.

A caller that begins a transaction in a log gets a guard, asks the coordinator, and returns the guard with the
batch. The log drops the guard when a batch or a marker of the transaction arrives. So a late response of the
coordinator about an earlier transaction of the producer cannot begin a transaction that no marker would end.
"""

from __future__ import annotations

import itertools
from typing import ClassVar


class VerificationGuard:
    """A unique number. Immutable.

    :origin: storage.internals.log.VerificationGuard
    """

    __slots__ = ("_value",)

    # The sentinel, which verifies nothing: used where there is no guard.
    SENTINEL: ClassVar[VerificationGuard]

    _ids = itertools.count(1)

    def __init__(self) -> None:
        """:origin: storage.internals.log.VerificationGuard#VerificationGuard()
        :origin: storage.internals.log.VerificationGuard#VerificationGuard(long)
        """
        self._value = next(VerificationGuard._ids)

    def __repr__(self) -> str:
        """:origin: storage.internals.log.VerificationGuard#toString()"""
        return f"VerificationGuard(value={self._value})"

    def __eq__(self, other: object) -> bool:
        """:origin: storage.internals.log.VerificationGuard#equals(Object)"""
        return isinstance(other, VerificationGuard) and self._value == other._value

    def __hash__(self) -> int:
        """:origin: storage.internals.log.VerificationGuard#hashCode()"""
        return hash(self._value)

    def verify(self, verifying_guard: VerificationGuard) -> bool:
        """Return whether ``verifying_guard`` equals this guard and is not the sentinel.

        :origin: storage.internals.log.VerificationGuard#verify(VerificationGuard)
        """
        return verifying_guard is not VerificationGuard.SENTINEL and verifying_guard == self


VerificationGuard.SENTINEL = VerificationGuard()
VerificationGuard.SENTINEL._value = 0
