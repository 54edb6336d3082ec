# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.VerificationGuardTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Verification guards: each equals and verifies itself, and the sentinel verifies nothing."""

from __future__ import annotations

from kreactor.storage.internals.log.verification_guard import VerificationGuard

SENTINEL = VerificationGuard.SENTINEL


def test_equals_and_hash_code() -> None:
    first, second = VerificationGuard(), VerificationGuard()
    assert first != second
    assert SENTINEL != first
    assert SENTINEL == VerificationGuard.SENTINEL

    assert hash(first) != hash(second)
    assert hash(SENTINEL) != hash(first)
    assert hash(SENTINEL) == hash(VerificationGuard.SENTINEL)


def test_verify() -> None:
    first, second = VerificationGuard(), VerificationGuard()
    assert not first.verify(second)
    assert not first.verify(SENTINEL)
    assert not SENTINEL.verify(first)
    assert not SENTINEL.verify(SENTINEL)
    assert first.verify(first)
