# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.BytesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Bytes that are keys."""

from __future__ import annotations

import pytest

from kreactor.common.utils.bytes import Bytes


def test_increment() -> None:
    assert Bytes.increment(Bytes(b"\xab\xcd\xff")).get() == b"\xab\xce\x00"


def test_increment_upper_boundary() -> None:
    with pytest.raises(IndexError):
        Bytes.increment(Bytes(b"\xff\xff\xff"))


def test_increment_with_submap() -> None:
    keys = [Bytes(key) for key in (b"\xaa", b"\xaa\xaa", b"\xaa\x00\xff\xff\xff", b"\xab\x00", b"\0\0\0\1")]
    prefix = keys[0]
    prefix_end = Bytes.increment(prefix)
    assert prefix.compare_to(prefix_end) < 0
    found = [key for key in sorted(keys) if prefix <= key < prefix_end]
    assert found == [keys[0], keys[2], keys[1]]


def test_values() -> None:
    assert Bytes.wrap(None) is None
    assert Bytes.wrap(b"a") == Bytes(bytearray(b"a")) != Bytes(b"b")
    assert Bytes(b"a") != b"a"
    assert hash(Bytes(b"a")) == hash(Bytes(memoryview(b"a")))
    assert str(Bytes(b"a \\~\x00\x7f\xff")) == r"a \x5C~\x00\x7F\xFF"
    assert Bytes.EMPTY == b""


def test_the_order_of_parts() -> None:
    order = Bytes.BYTES_LEXICO_COMPARATOR
    assert order.compare(b"xab", 1, 2, b"ab", 0, 2) == 0
    assert order.compare(b"xab", 1, 1, b"ab", 0, 2) < 0
    assert order.compare(b"\xff", 0, 1, b"\x7f\xff", 0, 2) > 0
