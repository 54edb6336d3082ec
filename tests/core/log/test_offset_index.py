# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.OffsetIndexTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The tests of Kafka's OffsetIndexTest.

An index has a file only once it is saved. It is reopened as another object that loads the file.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kreactor.common.errors import InvalidOffsetException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.offset_index import OffsetIndex

MAX_ENTRIES = 30
BASE = 45


@pytest.fixture
def index() -> OffsetIndex:
    return OffsetIndex(BASE, MAX_ENTRIES * 8)


def fill(index: OffsetIndex) -> None:
    for i in range(MAX_ENTRIES):
        index.append(BASE + i + 1, i)


def monotonic_seq(rand: random.Random, base: int, count: int) -> list[int]:
    values = []
    for _ in range(count):
        base += rand.randrange(15) + 1
        values.append(base)
    return values


def test_random_lookup_test(index: OffsetIndex) -> None:
    assert index.lookup(92) == (BASE, 0)

    rand = random.Random(1)
    entries = list(zip(monotonic_seq(rand, BASE + 1, MAX_ENTRIES), monotonic_seq(rand, 0, MAX_ENTRIES)))
    for offset, position in entries:
        index.append(offset, position)

    for offset, position in entries:
        assert index.lookup(offset) == (offset, position)

    # An offset without an entry is found by the greatest one that is not beyond it.
    for offset in rand.sample(range(BASE, entries[-1][0]), 30):
        expected = [entry for entry in entries if entry[0] <= offset]
        assert index.lookup(offset) == (expected[-1] if expected else (BASE, 0))


def test_lookup_extreme_cases(index: OffsetIndex) -> None:
    assert index.lookup(BASE) == (BASE, 0)
    fill(index)
    assert index.lookup(BASE) == (BASE, 0)
    assert index.lookup(BASE + MAX_ENTRIES) == (BASE + MAX_ENTRIES, MAX_ENTRIES - 1)


def test_entry(index: OffsetIndex) -> None:
    fill(index)
    for i in range(MAX_ENTRIES):
        assert index.entry(i) == (BASE + i + 1, i)


def test_entry_overflow(index: OffsetIndex) -> None:
    with pytest.raises(IllegalArgumentException):
        index.entry(0)


def test_append_too_many(index: OffsetIndex) -> None:
    fill(index)
    with pytest.raises(IllegalArgumentException):
        index.append(BASE + MAX_ENTRIES + 1, 1)
    assert index.entries() == MAX_ENTRIES


def test_append_out_of_order(index: OffsetIndex) -> None:
    index.append(51, 0)
    for offset in (50, 51):
        with pytest.raises(InvalidOffsetException):
            index.append(offset, 1)
    assert index.entries() == 1


def test_fetch_upper_bound_offset(index: OffsetIndex) -> None:
    first, second, third, fourth = (BASE, 0), (BASE + 1, 10), (BASE + 2, 23), (BASE + 3, 37)

    def fetch_upper_bound_offset(fetch_offset: tuple[int, int], fetch_size: int) -> int | None:
        return index.fetch_upper_bound_offset(fetch_offset[1] + fetch_size)

    assert fetch_upper_bound_offset(first, 5) is None

    for offset, position in (first, second, third, fourth):
        index.append(offset, position)

    assert fetch_upper_bound_offset(first, 5) == second[0]
    assert fetch_upper_bound_offset(first, 10) == second[0]
    assert fetch_upper_bound_offset(first, 23) == third[0]
    assert fetch_upper_bound_offset(first, 22) == third[0]
    assert fetch_upper_bound_offset(second, 24) == fourth[0]
    assert fetch_upper_bound_offset(fourth, 1) is None
    assert fetch_upper_bound_offset(first, 200) is None
    assert fetch_upper_bound_offset(second, 200) is None


def test_reopen(index: OffsetIndex, tmp_path: Path) -> None:
    first, second = (51, 0), (52, 1)
    index.append(*first)
    index.append(*second)
    path = tmp_path / "index"
    index.save(str(path), sync=False)
    reopened = OffsetIndex(BASE, path.stat().st_size)
    reopened.load(str(path))
    assert reopened.lookup(first[0]) == first
    assert reopened.lookup(second[0]) == second
    assert reopened.last_entry() == second
    assert reopened.entries() == 2
    # The file has no room for more.
    with pytest.raises(IllegalArgumentException):
        reopened.append(53, 1)


def test_sanity_last_offset_equal_to_base_offset(tmp_path: Path) -> None:
    index = OffsetIndex(20, 10 * 8)
    index.append(20, 0)
    index.save(str(tmp_path / "index"), sync=False)
    # Loading looks whether an index can be right.
    reopened = OffsetIndex(20, 10 * 8)
    reopened.load(str(tmp_path / "index"))
    assert (reopened.entries(), reopened.last_entry()) == (1, (20, 0))
