# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogSegmentsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The segments of a log, by base offset.

Kafka's entries are pairs of a base offset and its segment. Here the segment alone is returned, and is asked
for its base offset.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.log_file_utils import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.log_segments import LogSegments
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import TP, TrackedFiles, log_config

MAX_INT = 2**31 - 1

CreateSegment = Callable[[int], LogSegment]


@pytest.fixture
def create_segment(tmp_path: Path) -> Iterator[CreateSegment]:
    files, config, time = TrackedFiles(), log_config(index_interval_bytes=10), MockTime()
    yield lambda offset: LogSegment.create(str(tmp_path), offset, config, files, time)
    files.close_all()


@pytest.fixture
def segments() -> LogSegments:
    return LogSegments(TP)


def assert_entry(segment: LogSegment, tested: LogSegment | None) -> None:
    assert tested is segment
    assert tested.base_offset() == segment.base_offset()


def test_basic_operations(segments: LogSegments, create_segment: CreateSegment) -> None:
    assert segments.is_empty()
    assert not segments.non_empty()

    offset1, offset2 = 40, 80
    seg1 = create_segment(offset1)
    seg2 = create_segment(offset2)
    seg3 = create_segment(offset1)

    assert segments.add(seg1) is None
    assert not segments.is_empty()
    assert segments.non_empty()
    assert segments.number_of_segments() == 1
    assert segments.contains(offset1)
    assert segments.get(offset1) is seg1

    assert segments.add(seg2) is None
    assert not segments.is_empty()
    assert segments.non_empty()
    assert segments.number_of_segments() == 2
    assert segments.contains(offset2)
    assert segments.get(offset2) is seg2

    # seg3 replaces seg1.
    assert segments.add(seg3) is seg1
    assert not segments.is_empty()
    assert segments.non_empty()
    assert segments.number_of_segments() == 2
    assert segments.contains(offset1)
    assert segments.get(offset1) is seg3

    segments.remove(offset2)
    assert not segments.is_empty()
    assert segments.non_empty()
    assert segments.number_of_segments() == 1
    assert not segments.contains(offset2)

    segments.clear()
    assert segments.is_empty()
    assert not segments.non_empty()
    assert segments.number_of_segments() == 0
    assert not segments.contains(offset1)


def test_segment_access(segments: LogSegments, create_segment: CreateSegment) -> None:
    seg1, seg2, seg3, seg4 = made = [create_segment(offset) for offset in (1, 2, 3, 4)]

    for seg in made:
        segments.add(seg)
        assert_entry(seg1, segments.first_segment())
        assert segments.first_segment_base_offset() == 1
        assert_entry(seg, segments.last_segment())

    assert segments.base_offsets() == [1, 2, 3, 4]
    assert segments.values() == made

    with pytest.raises(IllegalArgumentException, match="greater than limit offset 1"):
        segments.values_from(2, 1)
    assert segments.values_from(1, 1) == []
    assert segments.values_from(1, 2) == [seg1]
    assert segments.values_from(1, 3) == [seg1, seg2]
    assert segments.values_from(1, 4) == [seg1, seg2, seg3]
    assert segments.values_from(2, 4) == [seg2, seg3]
    assert segments.values_from(3, 4) == [seg3]
    assert segments.values_from(4, 4) == []
    assert segments.values_from(4, 5) == [seg4]

    assert segments.active_segment() is seg4

    assert segments.non_active_log_segments_from(2) == [seg2, seg3]
    assert segments.non_active_log_segments_from(4) == []

    segments.close()
    assert all(seg.is_closed() for seg in made)


def test_closest_match_operations(segments: LogSegments, create_segment: CreateSegment) -> None:
    seg1, seg2, seg3, seg4 = made = [create_segment(offset) for offset in (1, 3, 5, 7)]
    for seg in made:
        segments.add(seg)

    assert segments.floor_segment(2) is seg1
    assert segments.floor_segment(3) is seg2

    assert segments.lower_segment(3) is seg1
    assert segments.lower_segment(4) is seg2

    assert_entry(seg3, segments.higher_segment(4))
    assert_entry(seg4, segments.higher_segment(5))


def test_no_match(segments: LogSegments, create_segment: CreateSegment) -> None:
    assert segments.first_segment() is None and segments.last_segment() is None
    assert segments.first_segment_base_offset() is None
    segments.add(create_segment(3))
    assert segments.floor_segment(2) is None and segments.lower_segment(3) is None
    assert segments.higher_segment(3) is None and segments.get(2) is None
    segments.remove(2)
    assert segments.base_offsets() == [3]


def test_higher_segments(segments: LogSegments, create_segment: CreateSegment) -> None:
    made = [create_segment(offset) for offset in (1, 3, 5, 7, 9)]
    for seg in made:
        segments.add(seg)

    assert segments.higher_segments(0) == made
    assert segments.higher_segments(1) == made[1:]
    assert segments.higher_segments(8) == made[4:]
    assert segments.higher_segments(9) == []


def test_size_for_large_logs(segments: LogSegments, tmp_path: Path) -> None:
    log_segment = LogSegment(str(tmp_path), 0, log_config(), TrackedFiles(), MockTime(), MAX_INT)

    assert LogSegments.size_in_bytes_segments([log_segment]) == MAX_INT
    assert LogSegments.size_in_bytes_segments([log_segment, log_segment]) == 2 * MAX_INT

    segments.add(log_segment)
    assert segments.size_in_bytes() == MAX_INT


def test_update_dir(segments: LogSegments, create_segment: CreateSegment, tmp_path: Path) -> None:
    seg1 = create_segment(1)
    segments.add(seg1)

    new_dir = str(tmp_path / "new")
    segments.update_parent_dir(new_dir)
    for suffix in (LOG_SUFFIX, TIME_INDEX_SUFFIX, INDEX_SUFFIX, TXN_INDEX_SUFFIX):
        assert os.path.dirname(seg1.path(suffix)) == new_dir


def test_a_change_leaves_what_a_reader_has(segments: LogSegments, create_segment: CreateSegment) -> None:
    seg1, seg2, seg3, seg4 = made = [create_segment(offset) for offset in (1, 3, 5, 7)]
    for seg in made[:3]:
        segments.add(seg)
    values, base_offsets = segments.values(), segments.base_offsets()
    cleaned = create_segment(1)

    segments.replace([seg1, seg2], [cleaned])
    assert segments.values() == [cleaned, seg3]
    assert segments.base_offsets() == [1, 5]
    segments.add(seg4)
    segments.remove(1)
    assert segments.values() == [seg3, seg4]
    assert values == made[:3]
    assert base_offsets == [1, 3, 5]
