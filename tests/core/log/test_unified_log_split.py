# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The cases of Kafka's UnifiedLogTest about segments that are split.

LogLoader splits a segment before the log is opened. The log has no method for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.core.log import log_loader
from kreactor.storage.internals.log.log_file_utils import LOG_SUFFIX, file_name
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.support import MAX_INT, initialize_log_dir_with_overflowed_segment, segment_batches
from tests.storage.internals.log.support import NOW, LogHarness, log_config, read_records

PART_OF = "UnifiedLogTest"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[LogHarness]:
    """A folder whose log a test opens. Only compaction makes gaps between offsets."""
    made = LogHarness(str(tmp_path), log_config(
        compact=True, index_interval_bytes=1, file_delete_delay_ms=1000), is_open=False)
    yield made
    made.dispose()


def open_segments(folder: LogHarness) -> list[LogSegment]:
    return [LogSegment.open(folder.directory, offset, folder.config, folder.files, folder.time)
            for offset in sorted(int(name[:-len(LOG_SUFFIX)]) for name in os.listdir(folder.directory)
                                 if name.endswith(LOG_SUFFIX))]


def split(folder: LogHarness, segment: LogSegment) -> list[LogSegment]:
    return log_loader._split_overflowed_segment(
        segment, folder.directory, folder.config, folder.files, folder.scheduler, folder.time)


def all_records(segments: list[LogSegment]) -> list[tuple[int, int, str]]:
    return [(record.offset(), record.timestamp(), str(record))
            for segment in segments for batch in segment_batches(segment) for record in batch]


def test_split_on_offset_overflow(folder: LogHarness) -> None:
    initialize_log_dir_with_overflowed_segment(folder.directory)
    segments = open_segments(folder)
    segment_with_overflow, = filter(log_loader._has_overflow, segments)
    before = all_records(segments)
    split(folder, segment_with_overflow)
    log = folder.open(clean=True)
    assert log.number_of_segments() == 4
    assert all_records(log.segments()) == before
    assert [record.offset() for record in read_records(log)] == [offset for offset, _, _ in before]
    assert not any(map(log_loader._has_overflow, log.segments()))


def check_degenerate_split(folder: LogHarness, segment_base_offset: int, *records: MemoryRecords) -> None:
    path = Path(folder.directory, file_name(segment_base_offset, LOG_SUFFIX))
    path.write_bytes(b"".join(each.buffer().to_bytes() for each in records))
    segments = open_segments(folder)
    segment_with_overflow, = filter(log_loader._has_overflow, segments)
    before = all_records(segments)
    split(folder, segment_with_overflow)
    log = folder.open(clean=True)
    assert log.number_of_segments() == 1
    assert log.active_segment().base_offset() == next(iter(records[0].batches())).base_offset()
    assert all_records(log.segments()) == before
    assert not any(map(log_loader._has_overflow, log.segments()))


def made(offset: int, *values: bytes) -> MemoryRecords:
    return MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(NOW, None, value) for value in values), initial_offset=offset,
        partition_leader_epoch=0)


def test_degenerate_segment_split(folder: LogHarness) -> None:
    """All batches are too far from the base: one new segment has them all."""
    check_degenerate_split(folder, 0, made(MAX_INT + 1, b"a"), made(MAX_INT + 2, b"b"))


def test_degenerate_segment_split_with_out_of_range_batch_last_offset(folder: LogHarness) -> None:
    """The first offset of the only batch is near the base, and the last is not."""
    check_degenerate_split(folder, 0, made(MAX_INT - 1, b"a", b"b", b"c"))
