# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's PrimitiveRefTest."""

from __future__ import annotations

from kreactor.common.utils.primitive_ref import PrimitiveRef


def test_int_ref() -> None:
    ref = PrimitiveRef.of_int(3)
    assert ref.value == 3
    ref.value += 1
    assert ref.value == 4
    assert str(ref) == "IntRef(4)"


def test_long_ref() -> None:
    ref = PrimitiveRef.of_long(5)
    assert ref.value == 5
    ref.value += 1
    assert ref.value == 6
    assert str(ref) == "LongRef(6)"
