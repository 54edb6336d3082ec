# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's OffsetMapTest."""

from __future__ import annotations

import pytest

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.skimpy_offset_map import SkimpyOffsetMap
from tests.core.log.support import key


def validate_map(items: int, load_factor: float = 0.5) -> SkimpyOffsetMap:
    map_ = SkimpyOffsetMap(int(items / load_factor * 24))
    for i in range(items):
        map_.put(key(i), i)
    for i in range(items):
        assert map_.get(key(i)) == i
    return map_


def test_basic_validation() -> None:
    for items in (10, 100, 1000, 5000):
        map_ = validate_map(items)
        assert (map_.size(), map_.utilization(), map_.latest_offset()) == (items, 0.5, items - 1)


def test_clear() -> None:
    map_ = SkimpyOffsetMap(4000)
    for i in range(10):
        map_.put(key(i), i)
    for i in range(10):
        assert map_.get(key(i)) == i
    map_.clear()
    for i in range(10):
        assert map_.get(key(i)) == -1


def test_get_when_full() -> None:
    map_ = SkimpyOffsetMap(4096)
    i = 37
    while map_.size() < map_.slots():
        map_.put(key(i), i)
        i += 1
    assert map_.get(key(i)) == -1
    assert map_.get(key(i - 1)) == i - 1
    with pytest.raises(IllegalArgumentException, match="full offset map, entries: 170, slots: 170"):
        map_.put(key(i), i)


def test_a_key_that_comes_again() -> None:
    map_ = SkimpyOffsetMap(4096, "SHA-256")
    assert (map_.bytes_per_entry, map_.slots()) == (40, 102)
    for offset in range(5):
        map_.put(key(1), offset)
    assert (map_.size(), map_.get(key(1)), map_.latest_offset()) == (1, 4, 4)
    map_.update_latest_offset(9)
    assert map_.latest_offset() == 9
    assert map_.collision_rate() == 0


def test_the_key_is_left_as_it_is() -> None:
    map_ = SkimpyOffsetMap(4096)
    buffer = key(12345)
    map_.put(buffer, 1)
    assert (buffer.position(), buffer.remaining()) == (0, 5)


def test_the_memory_is_taken_when_it_is_needed() -> None:
    """The default of a broker is 128 MiB, for logs that often have few keys."""
    with open("/proc/self/statm", encoding="ascii") as file:
        before = int(file.read().split()[1])
    maps = [SkimpyOffsetMap(128 << 20) for _ in range(4)]
    for map_ in maps:
        map_.put(key(1), 1)
        map_.clear()
        assert map_.get(key(1)) == -1
    with open("/proc/self/statm", encoding="ascii") as file:
        after = int(file.read().split()[1])
    assert (after - before) * 4096 < 32 << 20
