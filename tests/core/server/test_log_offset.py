# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.LogOffsetTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets by times, of logs with many segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.broker_server import BrokerServer
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.server.broker_requests import ask, create_topic, log_of
from tests.core.server.brokers import new_broker

TOPIC = "kafka-"
PARTITION = TopicPartition(TOPIC, 0)
LATEST = ListOffsetsRequest.LATEST_TIMESTAMP
EVERY_SECOND = [20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {
            "log.flush.interval.messages": "1", "num.partitions": "20", "log.retention.hours": "10",
            "log.retention.check.interval.ms": str(5 * 1000 * 60), "log.segment.bytes": "140"}) as broker:
        yield broker


def append(log: UnifiedLog, timestamp: int = -1) -> None:
    log.append_as_leader(MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(timestamp, None, b"42")), 0)


def create_topic_and_get_log(broker: BrokerServer, partitions: int = 1) -> UnifiedLog:
    create_topic(broker, TOPIC, partitions)
    return log_of(broker, TopicPartition(TOPIC, partitions - 1))


def old_style_offsets(broker: BrokerServer, timestamp: int, max_num_offsets: int,
                      partition: int = 0) -> list[int]:
    answer = ask(broker, ApiKeys.LIST_OFFSETS, 0, ListOffsetsRequestData(replica_id=0, topics=[
        ListOffsetsRequestData.ListOffsetsTopic(name=TOPIC, partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(
                partition_index=partition, timestamp=timestamp, max_num_offsets=max_num_offsets)])]))
    found, = answer.topics[0].partitions
    assert found.error_code == 0
    return list(found.old_style_offsets)


def test_get_offsets_for_unknown_topic(broker: BrokerServer) -> None:
    answer = ask(broker, ApiKeys.LIST_OFFSETS, 0, ListOffsetsRequestData(topics=[
        ListOffsetsRequestData.ListOffsetsTopic(name="foo", partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(
                partition_index=0, timestamp=LATEST, max_num_offsets=10)])]))
    found, = answer.topics[0].partitions
    assert found.error_code == Errors.UNKNOWN_TOPIC_OR_PARTITION.code


def test_get_offsets_after_delete_records(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker)
    for _ in range(20):
        append(log)
    log.flush()
    log.maybe_increment_log_start_offset(3)
    log.delete_old_segments()
    expected = [20, 18, 16, 14, 12, 10, 8, 6, 4, 3]
    assert log.legacy_fetch_offsets_before(LATEST, 15) == expected
    assert old_style_offsets(broker, LATEST, 15) == expected


def test_fetch_offset_by_timestamp_for_max_timestamp_with_unordered_timestamps(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker)
    now = Time.SYSTEM.milliseconds()
    for timestamp in (0, 1, 2, 3, 4, 6, 5):
        append(log, now + timestamp)
    log.flush()
    found = log.fetch_offset_by_timestamp(ListOffsetsRequest.MAX_TIMESTAMP)
    assert log.log_end_offset() == 7
    assert found is not None
    assert found.offset == 5
    assert found.timestamp == now + 6


def test_get_offsets_before_latest_time(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker)
    topic = broker.storage().topics().topic(TOPIC)
    assert topic is not None
    for _ in range(20):
        append(log)
    log.flush()
    assert log.legacy_fetch_offsets_before(LATEST, 15) == EVERY_SECOND
    offsets = old_style_offsets(broker, LATEST, 15)
    assert offsets == EVERY_SECOND
    answer = ask(broker, ApiKeys.FETCH, ApiKeys.FETCH.latest_version(), FetchRequestData(
        max_wait_ms=0, min_bytes=1, topics=[FetchRequestData.FetchTopic(topic_id=topic.topic_id, partitions=[
            FetchRequestData.FetchPartition(partition=0, fetch_offset=offsets[0],
                                            partition_max_bytes=300 * 1024)])]))
    data, = answer.responses[0].partitions
    assert data.error_code == 0
    assert list(MemoryRecords.readable_records(data.records).batches()) == []


def test_empty_logs_get_offsets(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC)
    for _ in range(14):
        assert old_style_offsets(broker, ListOffsetsRequest.EARLIEST_TIMESTAMP, 1) == [0]


def test_fetch_offset_by_timestamp_for_max_timestamp_with_empty_log(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker)
    assert log.log_end_offset() == 0
    assert log.fetch_offset_by_timestamp(ListOffsetsRequest.MAX_TIMESTAMP) is None


def test_get_offsets_before_now(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker, 3)
    for _ in range(20):
        append(log)
    log.flush()
    # In the future, whatever times the file system gives.
    now = Time.SYSTEM.milliseconds() + 30_000
    assert log.legacy_fetch_offsets_before(now, 15) == EVERY_SECOND
    assert old_style_offsets(broker, now, 15, 2) == EVERY_SECOND


def test_get_offsets_before_earliest_time(broker: BrokerServer) -> None:
    log = create_topic_and_get_log(broker, 3)
    for _ in range(20):
        append(log)
    log.flush()
    for timestamp in (ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP):
        assert log.legacy_fetch_offsets_before(timestamp, 10) == [0]
        assert old_style_offsets(broker, timestamp, 10, 2) == [0]


def test_fetch_offsets_before_with_changing_segment_size(broker: BrokerServer,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment that has another size whenever it is asked."""
    log = create_topic_and_get_log(broker)
    sizes = iter(range(1000))
    with monkeypatch.context() as patch:
        patch.setattr(LogSegment, "size", lambda segment: next(sizes))
        found = log.legacy_fetch_offsets_before(Time.SYSTEM.milliseconds() + 30_000, 100)
    assert found in ([0], [])
    assert next(sizes) > 0, "the size was asked"


def test_fetch_offsets_before_with_changing_segments(broker: BrokerServer,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments come while the log looks: it looks at those that there were."""
    log = create_topic_and_get_log(broker)
    size = LogSegment.size
    for _ in range(4):
        append(log)
    left = iter(range(2))

    def grows(segment: LogSegment) -> int:
        if next(left, None) is not None:
            append(log)
            append(log)
        return size(segment)

    with monkeypatch.context() as patch:
        patch.setattr(LogSegment, "size", grows)
        found = log.legacy_fetch_offsets_before(Time.SYSTEM.milliseconds() + 30_000, 100)
    assert log.number_of_segments() > 2
    assert found[-1] == 0 and found == sorted(found, reverse=True)
    assert max(found) <= log.log_end_offset()
