# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DeleteRecordsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records before an offset are deleted, or the request is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.delete_records_response_data import DeleteRecordsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, create_topic, log_of, produce
from tests.core.server.brokers import new_broker

TIMEOUT_MS = 60_000
MESSAGES = 10
PARTITION = TopicPartition("topic-1", 0)
INVALID_LOW_WATERMARK = -1


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def create_topic_and_send_records(broker: BrokerServer) -> None:
    create_topic(broker, PARTITION.topic())
    for number in range(MESSAGES):
        assert produce(broker, b"value %d" % number, topic=PARTITION.topic()) is Errors.NONE


def delete_records(broker: BrokerServer, partition: TopicPartition,
                   offset: int) -> DeleteRecordsResponseData.DeleteRecordsPartitionResult:
    answer = ask(broker, ApiKeys.DELETE_RECORDS, ApiKeys.DELETE_RECORDS.latest_version(),
                 DeleteRecordsRequestData(timeout_ms=TIMEOUT_MS, topics=[
                     DeleteRecordsRequestData.DeleteRecordsTopic(name=partition.topic(), partitions=[
                         DeleteRecordsRequestData.DeleteRecordsPartition(
                             partition_index=partition.partition(), offset=offset)])]))
    topic, = answer.topics
    result, = topic.partitions
    assert (topic.name, result.partition_index) == (partition.topic(), partition.partition())
    assert isinstance(result, DeleteRecordsResponseData.DeleteRecordsPartitionResult)
    return result


def test_delete_records_happy_case(broker: BrokerServer) -> None:
    create_topic_and_send_records(broker)
    offset = max(MESSAGES - 8, 0)
    result = delete_records(broker, PARTITION, offset)
    assert result.error_code == Errors.NONE.code
    assert result.low_watermark == offset
    assert log_of(broker, PARTITION).log_start_offset() == offset


def test_error_when_deleting_records_with_invalid_offset(broker: BrokerServer) -> None:
    create_topic_and_send_records(broker)
    result = delete_records(broker, PARTITION, MESSAGES + 5)
    assert result.error_code == Errors.OFFSET_OUT_OF_RANGE.code
    assert result.low_watermark == INVALID_LOW_WATERMARK
    assert log_of(broker, PARTITION).log_start_offset() == 0


def test_error_when_deleting_records_with_invalid_topic(broker: BrokerServer) -> None:
    result = delete_records(broker, TopicPartition("invalid-topic", 0), 1)
    assert result.error_code == Errors.UNKNOWN_TOPIC_OR_PARTITION.code
    assert result.low_watermark == INVALID_LOW_WATERMARK


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, MESSAGES, MESSAGES + 5])
def test_records_of_a_compacted_topic_are_not_deleted(broker: BrokerServer, offset: int) -> None:
    create_topic(broker, PARTITION.topic(), cleanup_policy="compact")
    assert produce(broker, b"value", topic=PARTITION.topic(), key=b"key") is Errors.NONE
    result = delete_records(broker, PARTITION, offset)
    assert result.error_code == Errors.POLICY_VIOLATION.code
    assert result.low_watermark == INVALID_LOW_WATERMARK
    assert log_of(broker, PARTITION).log_start_offset() == 0


def test_records_of_a_topic_that_is_compacted_and_deleted(broker: BrokerServer) -> None:
    create_topic(broker, PARTITION.topic(), cleanup_policy="compact,delete")
    assert produce(broker, b"value", topic=PARTITION.topic(), key=b"key") is Errors.NONE
    result = delete_records(broker, PARTITION, 1)
    assert (result.error_code, result.low_watermark) == (Errors.NONE.code, 1)
