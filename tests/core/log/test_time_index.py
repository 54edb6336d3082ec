# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.TimeIndexTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The tests of Kafka's TimeIndexTest."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from kreactor.common.errors import InvalidOffsetException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException
from kreactor.storage.internals.log.time_index import TimeIndex

MAX_ENTRIES = 30
BASE = 45
MAX_BYTES = MAX_ENTRIES * 12


@pytest.fixture
def index() -> TimeIndex:
    return TimeIndex(BASE, MAX_BYTES)


def append_entries(index: TimeIndex, count: int) -> None:
    for i in range(1, count + 1):
        index.maybe_append(i * 10, i * 10 + BASE)


def test_look_up(index: TimeIndex) -> None:
    assert index.lookup(100) == (-1, BASE)

    append_entries(index, MAX_ENTRIES - 1)

    # Before the first, between two, and one itself.
    assert index.lookup(9) == (-1, BASE)
    assert index.lookup(25) == (20, 65)
    assert index.lookup(30) == (30, 75)


def test_entry(index: TimeIndex) -> None:
    append_entries(index, MAX_ENTRIES - 1)
    assert [index.entry(n) for n in range(4)] == [(10, 55), (20, 65), (30, 75), (40, 85)]


def test_entry_overflow(index: TimeIndex) -> None:
    with pytest.raises(IllegalArgumentException):
        index.entry(0)


def test_append(index: TimeIndex) -> None:
    append_entries(index, MAX_ENTRIES - 1)
    with pytest.raises(IllegalArgumentException):
        index.maybe_append(10000, 1000)
    with pytest.raises(InvalidOffsetException):
        index.maybe_append(10000, (MAX_ENTRIES - 2) * 10, True)
    index.maybe_append(10000, 1000, True)
    assert index.last_entry() == (10000, 1000)


def test_sanity_check(index: TimeIndex, tmp_path: Path) -> None:
    """Loading looks whether an index can be right."""
    path = tmp_path / "index"

    def load() -> TimeIndex:
        loaded = TimeIndex(BASE, MAX_BYTES)
        loaded.load(str(path))
        return loaded

    index.save(str(path), sync=False)
    assert load().entries() == 0
    append_entries(index, 5)
    first_timestamp, _ = index.entry(0)
    index.save(str(path), sync=False)
    data = path.read_bytes()
    last_timestamp, last_offset = struct.unpack(">qi", data[-12:])
    assert load().last_entry() == (last_timestamp, BASE + last_offset)

    for corrupt in (data[:-12] + struct.pack(">qi", last_timestamp, -1),
                    data[:-12] + struct.pack(">qi", first_timestamp - 1, last_offset),
                    data[:-1]):
        path.write_bytes(corrupt)
        with pytest.raises(CorruptIndexException):
            load()

    path.write_bytes(data)
    assert load().entries() == 5
