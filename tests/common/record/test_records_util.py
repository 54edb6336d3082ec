# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The memory of a down-conversion, and the number of records that it converts at once."""

from __future__ import annotations

import tracemalloc

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record import lazy_down_conversion_records, records_util
from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer

GZIP = Compression.gzip().build()


def batch(count: int, codec: Compression, initial_offset: int = 0) -> MemoryRecords:
    return MemoryRecords.with_records(codec, *(SimpleRecord(5, None, b"") for _ in range(count)),
                                      initial_offset=initial_offset)


@pytest.mark.deviation("D485")
def test_no_record_is_kept() -> None:
    """D485."""
    records = batch(10_000, GZIP)
    tracemalloc.start()
    try:
        converted = records.down_convert(1, 0, Time.SYSTEM)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert converted.record_conversion_stats().num_records_converted() == 10_000
    # 5 MB if the records were kept.
    assert peak < 1_000_000


@pytest.mark.deviation("D486")
@pytest.mark.parametrize("magic", [0, 1])
def test_a_compressed_batch_of_too_many_records(monkeypatch: pytest.MonkeyPatch, magic: int) -> None:
    """D486. An uncompressed batch has no more records than its bytes can hold."""
    monkeypatch.setattr(records_util, "MAX_CONVERTED_RECORDS", 10)
    with pytest.raises(UnsupportedCompressionTypeException, match="batch of 11 records is not supported"):
        batch(11, GZIP).down_convert(magic, 0, Time.SYSTEM)
    for count, codec in ((10, GZIP), (11, Compression.NONE)):
        converted = batch(count, codec).down_convert(magic, 0, Time.SYSTEM)
        assert len(list(converted.records().records())) == count


@pytest.mark.deviation("D486")
def test_a_step_of_a_lazy_conversion_has_a_maximum_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_down_conversion_records, "MAX_CONVERTED_RECORDS", 10)
    three = b"".join(batch(count, GZIP, offset).buffer().to_bytes() for count, offset in (
        (3, 0), (6, 3), (4, 9), (6, 13), (30, 19)))
    records = LazyDownConversionRecords(TopicPartition("t", 0),
                                        MemoryRecords.readable_records(ByteBuffer.wrap(three)), 1, 0,
                                        Time.SYSTEM)
    assert [len(list(step.records().records())) for step in records.iterator(1 << 20)] == [3, 10, 6, 30]
