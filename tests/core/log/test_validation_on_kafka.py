# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Records that a log checks one by one, by kreactor and by a Kafka 3.8.0 of the test's own.

Both brokers get the same Produce requests, byte for byte: three message formats, five codecs, times, keys and
offsets that may be wrong, for topics with many settings. The answers are the same, and so is what a consumer
finds then, but for the bytes that a codec makes.

Skipped where KREACTOR_ORACLE_SH names no script that starts a Kafka, or where Java is missing.
"""

from __future__ import annotations

import re
import shutil
import struct
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.checksums import crc32c
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.network.live_kafka import HOST, LiveKafka, live_kafka
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import new_broker
from tests.core.server.wire import Closed, Wire
from tests.stepping import wait_until

LISTENERS = ("PLAINTEXT", "SASL_PLAINTEXT")
MAX_LONG = 2**63 - 1
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
CODECS = {"none": Compression.NONE, "gzip": Compression.gzip().build(),
          "snappy": Compression.snappy().build(), "lz4": Compression.lz4().build(),
          "zstd": Compression.zstd().build()}
MAGICS = (0, 1, 2)
EARLIEST, LATEST = -2, -1

TOPICS: dict[str, Mapping[str, str]] = {
    "as produced": {},
    **{f"compressed with {name}": {"compression.type": name} for name in ("gzip", "snappy", "lz4", "zstd")},
    "uncompressed": {"compression.type": "uncompressed"},
    "with the time of the append": {"message.timestamp.type": "LogAppendTime"},
    "compressed, with the time of the append": {
        "compression.type": "gzip", "message.timestamp.type": "LogAppendTime"},
    "with limits of time": {"message.timestamp.before.max.ms": str(DAY_MS),
                            "message.timestamp.after.max.ms": str(HOUR_MS)},
    "compressed, with limits of time": {
        "compression.type": "lz4", "message.timestamp.before.max.ms": str(DAY_MS)},
    "compacted": {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1"},
    "compacted and compressed": {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1",
                                 "compression.type": "gzip"},
    "of an old format": {"message.format.version": "0.10.0"},
    "with small messages": {"max.message.bytes": "150", "compression.type": "uncompressed"},
}


def built(magic: int, codec: Compression, *records: SimpleRecord, base_offset: int = 0,
          timestamp_type: TimestampType = TimestampType.CREATE_TIME) -> bytes:
    return MemoryRecords.with_records(codec, *records, magic=magic, initial_offset=base_offset,
                                      timestamp_type=timestamp_type).buffer().to_bytes()


def misnumbered(magic: int, codec: Compression, *offsets: int) -> bytes:
    """Return records with these offsets, whatever the format says."""
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), codec, TimestampType.CREATE_TIME, 0,
                                    magic=magic)
    for offset in offsets:
        builder.append_unchecked_with_offset_simple_record(
            offset, SimpleRecord(1_700_000_000_000, b"key", str(offset).encode()))
    return builder.build().buffer().to_bytes()


def of_other_magic(magic: int, record_magic: int, codec: Compression, count: int) -> bytes:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), codec, TimestampType.CREATE_TIME, 0,
                                    magic=magic)
    for offset in range(count):
        builder.append_unchecked_with_offset(
            offset, LegacyRecord.create(record_magic, 1_700_000_000_000, b"key", str(offset).encode()))
    return builder.build().buffer().to_bytes()


def with_corrupt_inner_record(magic: int, codec: Compression) -> bytes:
    """Return a compressed message in which one message's own checksum is wrong."""
    record = LegacyRecord.create(magic, 1_700_000_000_000, b"key", b"value")
    buffer = record.buffer()
    buffer.put_at(buffer.limit() - 1, buffer.get_at(buffer.limit() - 1) ^ 1)
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), codec, TimestampType.CREATE_TIME, 0,
                                    magic=magic)
    builder.append_unchecked_with_offset(0, record)
    return builder.build().buffer().to_bytes()


def sends(now: int) -> Iterator[tuple[str, int, bytes]]:
    """Return what is sent: a name, the version of Produce, and the records."""
    for magic in MAGICS:
        version = 9 if magic == 2 else 2
        for name, codec in CODECS.items():
            if name == "zstd" and magic < 2:
                continue
            for shape, records in {
                "one": [SimpleRecord(now, b"key", b"value")],
                "three, the second the latest": [
                    SimpleRecord(now + difference, str(difference).encode(), b"value" * 20)
                    for difference in (-1, 1, 0)],
                "without a time": [SimpleRecord(-1, b"key", b"value"), SimpleRecord(-1, b"k", None)],
                "without a key": [SimpleRecord(now, b"key", b"value"), SimpleRecord(now, None, b"value")],
                "with an empty value": [SimpleRecord(now, b"", b"")],
                "from long ago": [SimpleRecord(now - 2 * DAY_MS, b"key", b"value"),
                                  SimpleRecord(now, b"key", b"value")],
                "from the future": [SimpleRecord(now + 2 * HOUR_MS, b"key", b"value")],
                "from the end of time": [SimpleRecord(MAX_LONG, b"key", b"value")],
                "long ago without a key": [SimpleRecord(now - 2 * DAY_MS, None, b"value")] * 2,
            }.items():
                yield f"magic {magic}, {name}, {shape}", version, built(magic, codec, *records)
            yield (f"magic {magic}, {name}, of the time of the append", version,
                   built(magic, codec, SimpleRecord(now, b"key", b"value"),
                         timestamp_type=TimestampType.LOG_APPEND_TIME))
            yield (f"magic {magic}, {name}, two batches", version, b"".join(
                built(magic, codec, SimpleRecord(now + number, b"key", str(number).encode()),
                      SimpleRecord(now, b"key", b"x"), base_offset=2 * number) for number in range(2)))
            yield (f"magic {magic}, {name}, half a batch behind", version,
                   built(magic, codec, SimpleRecord(now, b"key", b"value")) * 2)
            yield (f"magic {magic}, {name}, cut", version,
                   built(magic, codec, SimpleRecord(now, b"key", b"value"))
                   + built(magic, codec, SimpleRecord(now, b"key", b"value"))[:-3])
            if magic < 2 and name != "none":
                for offsets in ((0, 0, 0), (0, 2, 3), (5, 6, 7), (2, 1, 0)):
                    yield f"magic {magic}, {name}, offsets {offsets}", version, misnumbered(
                        magic, codec, *offsets)
                yield f"magic {magic}, {name}, of the other magic", version, of_other_magic(
                    magic, 1 - magic, codec, 5)
                yield f"magic {magic}, {name}, corrupt", version, with_corrupt_inner_record(magic, codec)
            if magic == 2:
                for offsets in ((0, 0, 0), (0, 2, 3), (0, 2, 2)):
                    yield f"magic 2, {name}, offsets {offsets}", version, misnumbered(2, codec, *offsets)
    yield "magic 2 in an old request", 2, built(2, Compression.NONE, SimpleRecord(now, b"key", b"value"))
    yield "magic 1 in a new request", 9, built(1, Compression.NONE, SimpleRecord(now, b"key", b"value"))
    yield "two magics", 2, b"".join(
        built(magic, Compression.NONE, SimpleRecord(now, b"key", b"value")) for magic in (0, 1))
    yield "a marker", 9, MemoryRecords.with_end_transaction_marker(
        23423, 5, EndTransactionMarker(ControlRecordType.COMMIT, 0), timestamp=now).buffer().to_bytes()
    yield "a producer without a sequence", 9, bytes(with_sequence(now, -1))
    yield "nothing", 2, b""


def with_sequence(now: int, sequence: int) -> bytearray:
    data = bytearray(MemoryRecords.with_idempotent_records(
        Compression.NONE, 77, 0, 0, SimpleRecord(now, b"key", b"value")).buffer().to_bytes())
    struct.pack_into(">i", data, 53, sequence)
    struct.pack_into(">I", data, 17, crc32c(memoryview(data)[21:]))
    return data


class Peer:
    """A broker with one topic."""

    def __init__(self, port: int, topic: str, configs: Mapping[str, str]) -> None:
        self._port, self._topic = port, topic
        self._wire = Wire(HOST, port)
        create_topic(self._wire, topic, **configs)
        # Kafka answers before the partition has its leader.
        wait_until(lambda: self._offset(EARLIEST) is not None)

    def close(self) -> None:
        self._wire.close()

    def ask(self, api: ApiKeys, version: int, data: Any) -> Any:
        return self._wire.ask(api, version, data)

    def _offset(self, which: int) -> int | None:
        answer = self.ask(ApiKeys.LIST_OFFSETS, 7, ListOffsetsRequestData(replica_id=-1, topics=[
            ListOffsetsRequestData.ListOffsetsTopic(name=self._topic, partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(timestamp=which)])]))
        partition = answer.topics[0].partitions[0]
        return partition.offset if partition.error_code == 0 else None

    def send(self, version: int, records: bytes) -> tuple[object, ...]:
        """Return what is answered."""
        try:
            answer = self.ask(ApiKeys.PRODUCE, version, ProduceRequestData(
                acks=-1, timeout_ms=10_000, topic_data=[ProduceRequestData.TopicProduceData(
                    name=self._topic, partition_data=[
                        ProduceRequestData.PartitionProduceData(index=0, records=records)])]))
        except Closed:
            self._wire.close()
            self._wire = Wire(HOST, self._port)
            return ("closed",)
        data = answer.responses[0].partition_responses[0]
        return (Errors.for_code(data.error_code).name, data.base_offset, data.log_append_time_ms >= 0,
                data.log_start_offset, _plain(data.error_message),
                [(error.batch_index, _plain(error.batch_index_error_message))
                 for error in data.record_errors])

    def batches(self) -> list[RecordBatch]:
        """Return all that a consumer finds."""
        found: list[RecordBatch] = []
        offset, end = 0, self._offset(LATEST)
        assert end is not None
        while offset < end:
            fetched = self._fetch(12, offset, 1 << 20)
            assert isinstance(fetched, MemoryRecords)
            found += (batch for batch in fetched.batches() if batch.last_offset() >= offset)
            assert found[-1].next_offset() > offset, "a fetch found nothing"
            offset = found[-1].next_offset()
        return found

    def old_batches(self, version: int, batch: RecordBatch) -> object:
        """Return what a consumer of an older version finds of a batch, or how the broker refuses it."""
        fetched = self._fetch(version, batch.base_offset(), batch.size_in_bytes())
        if not isinstance(fetched, MemoryRecords):
            return fetched
        return [_described(each) for each in fetched.batches() if each.base_offset() <= batch.last_offset()]

    def _fetch(self, version: int, offset: int, max_bytes: int) -> MemoryRecords | str:
        try:
            answer = self.ask(ApiKeys.FETCH, version, FetchRequestData(
                max_wait_ms=0, min_bytes=1, isolation_level=0, topics=[FetchRequestData.FetchTopic(
                    topic=self._topic, partitions=[FetchRequestData.FetchPartition(
                        fetch_offset=offset, partition_max_bytes=max_bytes)])]))
        except Closed:
            self._wire.close()
            self._wire = Wire(HOST, self._port)
            return "closed"
        data = answer.responses[0].partitions[0]
        if data.error_code != 0:
            return Errors.for_code(data.error_code).name
        return MemoryRecords.readable_records(data.records)


def _plain(message: str | None) -> str | None:
    """Return a message without the times that depend on the moment."""
    return message and re.sub(r"within \[-?\d+, -?\d+\]", "within [..]", message)


def _described(batch: RecordBatch) -> tuple[object, ...]:
    assert batch.is_valid()
    is_append_time = batch.timestamp_type() is TimestampType.LOG_APPEND_TIME

    def content(record: Record) -> tuple[object, ...]:
        key, value = record.key(), record.value()
        return (record.offset(), None if is_append_time else record.timestamp(),
                None if key is None else key.to_bytes(), None if value is None else value.to_bytes(),
                record.has_timestamp_type(batch.timestamp_type()))

    return (batch.base_offset(), batch.last_offset(), batch.magic(), batch.compression_type().name,
            batch.timestamp_type().name, None if is_append_time else batch.max_timestamp(),
            batch.count_or_null(), batch.producer_id(), batch.producer_epoch(), batch.base_sequence(),
            batch.is_transactional(), batch.is_control_batch(), batch.partition_leader_epoch(),
            [content(record) for record in batch])


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKafka]:
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    with live_kafka(tmp_path_factory.mktemp("kafka"), LISTENERS, lambda ports: {
        "listeners": ",".join(f"{name}://{HOST}:{ports[name]}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in LISTENERS),
        "log.cleaner.enable": "false",
    }) as started:
        yield started


@pytest.mark.parametrize("name", TOPICS)
def test_the_same_is_written(kafka: LiveKafka, tmp_path: Path, name: str) -> None:
    topic, now = f"topic-{uuid.uuid4()}", time.time_ns() // 1_000_000
    with new_broker(tmp_path, {"log.cleaner.enable": "false"}) as broker, \
            closing(Peer(kafka("PLAINTEXT"), topic, TOPICS[name])) as theirs, \
            closing(Peer(broker.bound_port("PLAINTEXT"), topic, TOPICS[name])) as ours:
        differences = []
        for sent, version, records in sends(now):
            expected, found = theirs.send(version, records), ours.send(version, records)
            if found != expected:
                differences.append(f"{sent}: {found}, and not {expected}")
        assert not differences, "\n".join(differences)
        expected_batches, found_batches = theirs.batches(), ours.batches()
        assert list(map(_described, found_batches)) == list(map(_described, expected_batches))
        for version in (3, 1):
            for expected_batch, found_batch in zip(expected_batches, found_batches):
                assert ours.old_batches(version, found_batch) == theirs.old_batches(version, expected_batch)
