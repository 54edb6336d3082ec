# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ProduceRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Batches are appended, or refused with what is wrong with them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crc32c import crc32c

from kreactor.common.compress.compression import Compression
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.utils.time import Time
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.embedded.broker_server import BrokerServer
from kreactor.server.metrics.yammer import Meter
from tests.core.server.broker_requests import ask, create_topic
from tests.core.server.brokers import connect, new_broker

TOPIC = "topic"
FIVE_HOURS_MS = 5 * 60 * 60 * 1000


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def records(compression: Compression, *records: SimpleRecord) -> bytes:
    return MemoryRecords.with_records(compression, *records).buffer().to_bytes()


def now() -> int:
    return Time.SYSTEM.milliseconds()


def send_produce_request(broker: BrokerServer, data: bytes,
                         version: int = ApiKeys.PRODUCE.latest_version(), topic_name: str = TOPIC) -> Any:
    """Return the one partition of the answer."""
    data_of_request = ProduceRequestData(acks=-1, timeout_ms=60_000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic_name, partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=data)])])
    with connect(broker) as wire:
        # Only an administrator's client may write to a topic of Kafka's own.
        answer: Any = wire.ask(ApiKeys.PRODUCE, version, data_of_request, "__admin_client")
    topic, = answer.responses
    partition, = topic.partition_responses
    assert (topic.name, partition.index) == (topic_name, 0)
    return partition


def changed(batch: bytes, offset: int, field: bytes) -> bytes:
    """Return a batch with other bytes from an offset on, and with the checksum of those."""
    whole = bytearray(batch)
    whole[offset:offset + len(field)] = field
    whole[17:21] = crc32c(whole[21:]).to_bytes(4, "big")
    return bytes(whole)


def counted(broker: BrokerServer, name: str) -> list[int]:
    """Return the counts of the meters of a name, that of all topics first."""
    return [metric.count() for mbean, metric in sorted(
        (metric_name.get_mbean_name(), metric)
        for metric_name, metric in broker.metrics_registry().all_metrics().items()
        if metric_name.get_name() == name) if isinstance(metric, Meter)]


def test_simple_produce_request(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC, 3)

    def send_and_check(data: bytes, expected_offset: int) -> None:
        partition = send_produce_request(broker, data)
        assert partition.error_code == Errors.NONE.code
        assert partition.base_offset == expected_offset
        assert partition.log_append_time_ms == -1
        assert partition.record_errors == []

    send_and_check(records(Compression.NONE, SimpleRecord(now(), b"key", b"value")), 0)
    send_and_check(records(Compression.gzip().build(), SimpleRecord(now(), b"key1", b"value1"),
                           SimpleRecord(now(), b"key2", b"value2")), 1)


@pytest.mark.parametrize(("config", "shift_ms"), [
    ("message.timestamp.difference.max.ms", -FIVE_HOURS_MS),
    ("message.timestamp.before.max.ms", -FIVE_HOURS_MS),
    ("message.timestamp.after.max.ms", FIVE_HOURS_MS)])
def test_produce_with_invalid_timestamp(broker: BrokerServer, config: str, shift_ms: int) -> None:
    create_topic(broker, TOPIC, **{config.replace(".", "_"): "1000"})
    timestamp = now() + shift_ms
    partition = send_produce_request(broker, records(
        Compression.gzip().build(),
        *(SimpleRecord(timestamp, None, value) for value in (b"hello", b"there", b"beautiful"))))
    assert partition.error_code == Errors.INVALID_TIMESTAMP.code
    assert [error.batch_index for error in partition.record_errors] == [0, 1, 2]
    assert all(error.batch_index_error_message is not None for error in partition.record_errors)
    assert partition.error_message == "One or more records have been rejected due to invalid timestamp"


def test_corrupt_lz4_produce_request(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC, 3)
    data = bytearray(records(Compression.lz4().build(), SimpleRecord(1_000_000, b"key", b"value")))
    # The checksum of LZ4's frame, not that of the batch.
    data[DefaultRecordBatch.RECORD_BATCH_OVERHEAD + 6] = 0
    partition = send_produce_request(broker, bytes(data))
    assert partition.error_code == Errors.CORRUPT_MESSAGE.code
    assert partition.base_offset == -1
    assert partition.log_append_time_ms == -1
    assert counted(broker, BrokerTopicStats.InvalidMessageCrcRecordsPerSec) == [1]


def test_zstd_produce_request(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC, compression_type="zstd")
    data = records(Compression.zstd().build(), SimpleRecord(now(), b"key", b"value"))
    partition = send_produce_request(broker, data, 7)
    assert partition.error_code == Errors.NONE.code
    assert partition.base_offset == 0
    assert partition.log_append_time_ms == -1
    partition = send_produce_request(broker, data, 3)
    assert partition.error_code == Errors.UNSUPPORTED_COMPRESSION_TYPE.code


def test_what_a_log_refuses_is_counted(broker: BrokerServer) -> None:
    """Ours: Kafka's own tests look at these meters by those of its log alone."""
    create_topic(broker, TOPIC, max_message_bytes="200")
    good = records(Compression.NONE, SimpleRecord(now(), b"key", b"value"))
    # A batch of one record whose last offset says two, and one of a producer without a sequence.
    short = changed(good, 23, struct.pack(">i", 1))
    of_producer = changed(good, 43, struct.pack(">qhi", 1, 0, -1))
    mixed = b"".join(MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(now(), b"key", b"value"), magic=magic).buffer().to_bytes()
        for magic in (1, 0))
    large = records(Compression.NONE, SimpleRecord(now(), b"key", b"x" * 300))
    without_key = records(Compression.NONE, SimpleRecord(now(), None, b"value"))
    ask(broker, ApiKeys.FIND_COORDINATOR, 1, FindCoordinatorRequestData(key="g"))
    for data, version, topic, error, name, expected in (
            (of_producer, 9, TOPIC, Errors.INVALID_RECORD,
             BrokerTopicStats.InvalidOffsetOrSequenceRecordsPerSec, [1]),
            (short, 9, TOPIC, Errors.INVALID_RECORD,
             BrokerTopicStats.InvalidOffsetOrSequenceRecordsPerSec, [2]),
            (mixed, 2, TOPIC, Errors.INVALID_RECORD,
             BrokerTopicStats.InvalidMagicNumberRecordsPerSec, [1]),
            (without_key, 9, "__consumer_offsets", Errors.INVALID_RECORD,
             BrokerTopicStats.NoKeyCompactedTopicRecordsPerSec, [1]),
            (large, 9, TOPIC, Errors.MESSAGE_TOO_LARGE,
             BrokerTopicStats.BytesRejectedPerSec, [len(large), len(large)])):
        partition = send_produce_request(broker, data, version, topic)
        assert partition.error_code == error.code, (name, partition)
        assert [count for count in counted(broker, name) if count] == expected, name
