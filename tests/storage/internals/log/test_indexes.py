# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The two sparse indexes: looking up, and their files."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException
from kreactor.storage.internals.log.offset_index import OffsetIndex
from kreactor.storage.internals.log.time_index import TimeIndex

BASE = 5_000_000_000
_ascending = st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=40).map(sorted)


@given(offsets=_ascending, targets=st.lists(st.integers(-5, 2**31 + 5), max_size=20))
def test_offset_lookup(offsets: list[int], targets: list[int]) -> None:
    index = OffsetIndex(BASE, 1 << 20)
    for position, offset in enumerate(offsets):
        index.append(BASE + offset, position * 10)
    for target in targets + offsets:
        expected = [(BASE + offset, position * 10) for position, offset in enumerate(offsets)
                    if offset <= target]
        assert index.lookup(BASE + target) == (expected[-1] if expected else (BASE, 0))


@given(entries=st.lists(st.tuples(st.integers(-1, 2**63 - 1), st.integers(0, 2**31 - 1)), max_size=40),
       targets=st.lists(st.integers(-5, 2**63 - 1), max_size=20))
def test_time_lookup(entries: list[tuple[int, int]], targets: list[int]) -> None:
    """An entry that is as late as the last is ignored, an earlier one refused."""
    index = TimeIndex(BASE, 1 << 20)
    kept: list[tuple[int, int]] = []
    for number, (timestamp, _) in enumerate(entries):
        if kept and timestamp < kept[-1][0]:
            with pytest.raises(IllegalStateException):
                index.maybe_append(timestamp, BASE + number)
            continue
        index.maybe_append(timestamp, BASE + number)
        if timestamp > (kept[-1][0] if kept else -1):
            kept.append((timestamp, BASE + number))
    assert [index.entry(n) for n in range(index.entries())] == kept
    assert index.last_entry() == (kept[-1] if kept else (-1, BASE))
    for target in targets + [timestamp for timestamp, _ in kept]:
        expected = [entry for entry in kept if entry[0] <= target]
        assert index.lookup(target) == (expected[-1] if expected else (-1, BASE))


def test_files_are_kafkas(tmp_path: Path) -> None:
    offset_index, time_index = OffsetIndex(BASE, 1 << 20), TimeIndex(BASE, 1 << 20)
    for number in range(3):
        offset_index.append(BASE + 10 * number + 9, 100 * number)
        time_index.maybe_append(1_700_000_000_000 + number, BASE + 10 * number + 9)
    offset_index.save(str(tmp_path / "x.index"), sync=True)
    time_index.save(str(tmp_path / "x.timeindex"), sync=True)
    assert (tmp_path / "x.index").read_bytes() == struct.pack(">6i", 9, 0, 19, 100, 29, 200)
    assert (tmp_path / "x.timeindex").read_bytes() == b"".join(
        struct.pack(">qi", 1_700_000_000_000 + number, 10 * number + 9) for number in range(3))


@pytest.mark.parametrize("kind", [OffsetIndex, TimeIndex])
def test_saved_bit_by_bit_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                     kind: type[OffsetIndex] | type[TimeIndex]) -> None:
    def add(index: OffsetIndex | TimeIndex, number: int) -> None:
        if isinstance(index, OffsetIndex):
            index.append(BASE + number, number * 7)
        else:
            index.maybe_append(number, BASE + number)

    path = str(tmp_path / "index")
    index = kind(BASE, 1 << 20)
    for number in range(1, 50):
        add(index, number)
        if number % 7 == 0:
            index.save(path, sync=False)
    index.save(path, sync=False)
    loaded = kind(BASE, 1 << 20)
    loaded.load(path)
    assert [loaded.entry(n) for n in range(49)] == [index.entry(n) for n in range(49)]
    assert loaded.entries() == 49
    add(loaded, 60)
    loaded.save(path, sync=False)
    again = kind(BASE, 1 << 20)
    again.load(path)
    assert again.entries() == 50
    # No more than what is new is written.
    written = []
    monkeypatch.setattr("kreactor.storage.internals.log.abstract_index.write_fully",
                        lambda fd, data, position: written.append((len(data), position)))
    for number in (70, 80):
        add(again, number)
        again.save(path, sync=False)
    assert written == [(kind.ENTRY_SIZE, 50 * kind.ENTRY_SIZE), (kind.ENTRY_SIZE, 51 * kind.ENTRY_SIZE)]
    monkeypatch.undo()
    # Made anew, and shorter: nothing of the old content stays.
    loaded.reset()
    add(loaded, 5)
    loaded.save(path, sync=False)
    assert (tmp_path / "index").stat().st_size == kind.ENTRY_SIZE


@pytest.mark.parametrize("data", [
    b"\0" * 7, b"\0" * 16, struct.pack(">4i", 5, 10, 4, 20), struct.pack(">4i", 5, 10, 6, 10),
    struct.pack(">2i", -1, 10), struct.pack(">2i", 1, -10),
    struct.pack(">4i", 1, 10, -1, 20), struct.pack(">4i", 1, 10, 2, -10)])
def test_a_corrupt_offset_index(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "index").write_bytes(data)
    index = OffsetIndex(BASE, 1 << 20)
    with pytest.raises(CorruptIndexException):
        index.load(str(tmp_path / "index"))
    assert index.entries() == 0


@pytest.mark.parametrize("data", [
    b"\0" * 11, b"\0" * 24, struct.pack(">qiqi", 5, 1, 4, 2), struct.pack(">qiqi", 5, 2, 6, 1),
    struct.pack(">qi", 5, -1)])
def test_a_corrupt_time_index(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "index").write_bytes(data)
    index = TimeIndex(BASE, 1 << 20)
    with pytest.raises(CorruptIndexException):
        index.load(str(tmp_path / "index"))
    assert index.entries() == 0


def test_full() -> None:
    offset_index, time_index = OffsetIndex(BASE, 3 * 8 + 7), TimeIndex(BASE, 3 * 12)
    for number in range(3):
        assert not offset_index.is_full()
        assert time_index.is_full() == (number == 2)
        offset_index.append(BASE + number, number)
        time_index.maybe_append(number, BASE + number, skip_full_check=True)
    assert offset_index.is_full()
    assert offset_index.can_append_offset(BASE + 2**31 - 1)
    assert not offset_index.can_append_offset(BASE + 2**31)
    assert not offset_index.can_append_offset(BASE - 1)


def test_room_for_an_offset() -> None:
    """An entry needs a place, and an offset that is not before the base, nor too far beyond it."""
    index = OffsetIndex(BASE, 2 * 8)
    assert [index.has_room_for(BASE + offset) for offset in (-1, 0, 2**31 - 1, 2**31)] == [
        False, True, True, False]
    index.append(BASE, 0)
    index.append(BASE + 1, 1)
    assert not index.has_room_for(BASE + 2)


def test_the_ends_of_an_index(tmp_path: Path) -> None:
    """The least and the greatest entry that a file may have; the last entry of none is the base."""
    path = tmp_path / "index"
    offset_index, time_index = OffsetIndex(BASE, 1 << 20), TimeIndex(BASE, 1 << 20)
    assert (offset_index.last_entry(), time_index.last_entry()) == ((BASE, 0), (-1, BASE))
    path.write_bytes(struct.pack(">4i", 0, 0, 2**31 - 1, 2**31 - 1))
    offset_index.load(str(path))
    assert [offset_index.entry(n) for n in range(2)] == [(BASE, 0), (BASE + 2**31 - 1, 2**31 - 1)]
    assert offset_index.last_entry() == (BASE + 2**31 - 1, 2**31 - 1)
    path.write_bytes(struct.pack(">qiqi", 0, 0, 2**63 - 1, 2**31 - 1))
    time_index.load(str(path))
    assert [time_index.entry(n) for n in range(2)] == [(0, BASE), (2**63 - 1, BASE + 2**31 - 1)]
    for index in (offset_index, time_index):
        index.reset()
    assert (offset_index.last_entry(), time_index.last_entry()) == ((BASE, 0), (-1, BASE))
    time_index.maybe_append(5, BASE + 1)
    assert time_index.last_entry() == (5, BASE + 1)


def test_the_same_time_again_is_ignored() -> None:
    index = TimeIndex(BASE, 1 << 20)
    for offset in (1, 1, 2):
        index.maybe_append(5, BASE + offset)
    assert index.entries() == 1 and index.last_entry() == (5, BASE + 1)
