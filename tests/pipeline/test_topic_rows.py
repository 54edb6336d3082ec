# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from kreactor.clients.topic_reader import decoded
from kreactor.common.compress.compression import Compression
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.pipeline import topic_rows
from kreactor.pipeline.topic_rows import SCHEMA, Wanted, rows_of

BEGIN_MS = 1_795_000_000_000
ALL = Wanted("t", 3, 0, 1 << 60)


def batch_of(count: int, compression: str = "none", headers: bool = False, **options: Any) -> RecordBatch:
    """Return a batch of records with keys and values of many sizes, and times that go back now and then."""
    chance = random.Random(count)
    records = [SimpleRecord(
        BEGIN_MS + number + chance.choice((0, 0, -70_000, 5_000_000_000)),
        chance.choice((None, b"", b"key", b"k" * chance.randrange(300))),
        chance.choice((None, b"", b"v" * chance.randrange(20_000), chance.randbytes(30))),
        [RecordHeader("h", chance.choice((None, b"x"))) for _ in range(chance.randrange(3) * headers)])
        for number in range(count)]
    [batch] = MemoryRecords.with_records(
        Compression.of_name(compression).build(), *records, initial_offset=40, **options).batches()
    return batch


def one_by_one(batch: RecordBatch, wanted: Wanted) -> list[dict[str, Any]]:
    found = []
    for record in filter(wanted.has, decoded(batch, 0)):
        row = {"key": record.key, "value": record.value, "topic": "t", "partition": 3,
               "offset": record.offset, "timestamp": 1000 * record.timestamp,
               "timestampType": record.timestamp_type.value[0]}
        found.append(row | ({"headers": [{"key": key, "value": value} for key, value in record.headers]}
                            if wanted.with_headers else {}))
    return found


def found(batches: list[RecordBatch], wanted: Wanted) -> list[dict[str, Any]]:
    rows = []
    for batch in rows_of(batches, wanted):
        assert [*batch.schema] == [*SCHEMA][:batch.num_columns] and batch.num_rows
        batch.validate(full=True)
        rows += batch.set_column(5, "timestamp", batch["timestamp"].cast("int64")).to_pylist()
    return rows


@pytest.mark.parametrize("compression", ["none", "gzip", "lz4", "snappy", "zstd"])
@pytest.mark.parametrize("headers", [False, True])
def test_records_are_those_of_the_decoder(compression: str, headers: bool) -> None:
    wanted = replace(ALL, with_headers=headers)
    for count in (1, topic_rows._FEW, 1000):
        batch = batch_of(count, compression, headers)
        assert found([batch], wanted) == one_by_one(batch, wanted)


def test_many_records_are_decoded_at_once() -> None:
    for with_headers in (False, True):
        assert topic_rows._decoded_at_once(batch_of(100), replace(ALL, with_headers=with_headers)) is not None
    assert topic_rows._decoded_at_once(batch_of(100, headers=True), ALL) is not None
    assert topic_rows._decoded_at_once(batch_of(100, headers=True), replace(ALL, with_headers=True)) is None
    assert topic_rows._decoded_at_once(batch_of(topic_rows._FEW - 1), ALL) is None


def test_offsets_and_times_limit_the_rows() -> None:
    batches = [batch_of(count) for count in (3, 500, 5, 4)]
    for wanted in (Wanted("t", 3, 50, 200), replace(ALL, from_us=1000 * BEGIN_MS + 50_001),
                   replace(ALL, to_us=1000 * BEGIN_MS + 50_001),
                   replace(ALL, from_us=1000 * BEGIN_MS + 1, to_us=1000 * BEGIN_MS + 99_000, end=300)):
        expected = [row for batch in batches for row in one_by_one(batch, wanted)]
        assert found(batches, wanted) == expected and expected
    assert not found(batches, replace(ALL, from_us=1000 * (BEGIN_MS + 9_000_000_000)))


def test_the_time_of_an_append_is_that_of_all_records() -> None:
    batch = batch_of(100, timestamp_type=TimestampType.LOG_APPEND_TIME)
    rows = found([batch], ALL)
    assert rows == one_by_one(batch, ALL) and {row["timestampType"] for row in rows} == {1}
    at_us = 1000 * batch.max_timestamp()
    assert ALL.may_have(batch) and not replace(ALL, to_us=at_us).may_have(batch)
    assert len(found([batch], replace(ALL, from_us=at_us, to_us=at_us + 1))) == 100


def test_old_formats_are_read_too() -> None:
    record = SimpleRecord(BEGIN_MS, b"k", b"v")
    batches = [*MemoryRecords.with_records(Compression.none().build(), record, record, magic=1).batches()]
    assert [row["value"] for row in found(batches, ALL)] == [b"v", b"v"]


def test_a_damaged_batch_is_told_by_the_decoder() -> None:
    whole = batch_of(100)
    assert isinstance(whole, DefaultRecordBatch)
    data = bytearray(whole._buffer.view())
    refused = 0
    for at in range(DefaultRecordBatch.RECORDS_OFFSET, DefaultRecordBatch.RECORDS_OFFSET + 40):
        for octet in (0x00, 0x7f, 0xff):
            changed = bytes(data[:at]) + bytes([octet]) + bytes(data[at + 1:])
            damaged = DefaultRecordBatch(ByteBuffer.wrap(changed))
            try:
                expected = one_by_one(damaged, ALL)
            except Exception as e:
                refused += 1
                with pytest.raises(type(e)):
                    found([damaged], ALL)
            else:
                assert found([damaged], ALL) == expected
    assert refused
