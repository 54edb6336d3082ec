# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ListOffsetsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker tells the offsets of times, with the leader's epoch that they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, change_leader, create_topic, leader_epoch, produce
from tests.core.server.brokers import new_broker

TOPIC = "topic"
PARTITION = TopicPartition(TOPIC, 0)
LATEST = ApiKeys.LIST_OFFSETS.latest_version()
CONSUMER = ListOffsetsRequest.CONSUMER_REPLICA_ID
DEBUGGING = ListOffsetsRequest.DEBUGGING_REPLICA_ID


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def list_offsets(broker: BrokerServer, timestamp: int, version: int = LATEST, replica_id: int = CONSUMER,
                 current_leader_epoch: int = -1) -> Any:
    answer = ask(broker, ApiKeys.LIST_OFFSETS, version, ListOffsetsRequestData(
        replica_id=replica_id, topics=[ListOffsetsRequestData.ListOffsetsTopic(name=TOPIC, partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(
                partition_index=0, timestamp=timestamp, current_leader_epoch=current_leader_epoch,
                max_num_offsets=1)])]))
    topic, = answer.topics
    partition, = topic.partitions
    return partition


def assert_response_error(broker: BrokerServer, error: Errors, replica_id: int = CONSUMER,
                          current_leader_epoch: int = -1) -> None:
    found = list_offsets(broker, ListOffsetsRequest.EARLIEST_TIMESTAMP, replica_id=replica_id,
                         current_leader_epoch=current_leader_epoch)
    assert found.error_code == error.code


def fetch_offset_and_epoch(broker: BrokerServer, timestamp: int, version: int = LATEST) -> tuple[int, int]:
    found = list_offsets(broker, timestamp, version)
    if version == 0:
        return (found.old_style_offsets[0] if found.old_style_offsets else -1), found.leader_epoch
    return found.offset, found.leader_epoch


def produce_ten(broker: BrokerServer) -> None:
    for number in range(9):
        assert produce(broker, b"test-%d" % number, topic=TOPIC) is Errors.NONE
    assert produce(broker, b"test-10", topic=TOPIC,
                   timestamp=Time.SYSTEM.milliseconds() + 10_000) is Errors.NONE


def test_list_offsets_error_codes(broker: BrokerServer) -> None:
    """No broker here is a follower, or no replica."""
    for replica_id in (CONSUMER, 1, DEBUGGING):
        assert_response_error(broker, Errors.UNKNOWN_TOPIC_OR_PARTITION, replica_id, 0)
    create_topic(broker, TOPIC)
    for replica_id in (CONSUMER, DEBUGGING):
        assert_response_error(broker, Errors.NONE, replica_id, 0)


def test_list_offsets_max_time_stamp_oldest_version() -> None:
    for require_max_timestamp, oldest in ((False, 0), (True, 7)):
        builder = ListOffsetsRequest.Builder.for_consumer(
            False, IsolationLevel.READ_UNCOMMITTED, require_max_timestamp)
        assert builder.oldest_allowed_version() == oldest


def test_current_epoch_validation(broker: BrokerServer) -> None:
    """No broker here is a follower."""
    create_topic(broker, TOPIC)
    epoch = change_leader(broker, PARTITION)
    assert_response_error(broker, Errors.NONE)
    assert_response_error(broker, Errors.NONE, current_leader_epoch=epoch)
    assert_response_error(broker, Errors.FENCED_LEADER_EPOCH, current_leader_epoch=epoch - 1)
    assert_response_error(broker, Errors.UNKNOWN_LEADER_EPOCH, current_leader_epoch=epoch + 1)


def test_response_includes_leader_epoch(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC)
    produce_ten(broker)
    first = leader_epoch(broker, PARTITION)
    assert fetch_offset_and_epoch(broker, 0) == (0, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.EARLIEST_TIMESTAMP) == (0, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) == (0, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.LATEST_TIMESTAMP) == (10, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.MAX_TIMESTAMP) == (9, first)

    second = change_leader(broker, PARTITION)
    assert fetch_offset_and_epoch(broker, 0) == (0, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) == (0, first)
    assert fetch_offset_and_epoch(broker, ListOffsetsRequest.EARLIEST_TIMESTAMP) == (0, first)
    for timestamp, expected in ((ListOffsetsRequest.LATEST_TIMESTAMP, (10, second)),
                                (ListOffsetsRequest.MAX_TIMESTAMP, (9, first))):
        assert fetch_offset_and_epoch(broker, timestamp) == expected
        assert list_offsets(broker, timestamp).error_code == Errors.NONE.code


def test_response_default_offset_and_leader_epoch_for_all_versions(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC)
    produce_ten(broker)
    for version in range(ApiKeys.LIST_OFFSETS.oldest_version(), LATEST + 1):
        epoch = -1 if version < 4 else 0
        assert fetch_offset_and_epoch(broker, 0, version) == (-1 if version == 0 else 0, epoch)
        for timestamp, offset in ((ListOffsetsRequest.EARLIEST_TIMESTAMP, 0),
                                  (ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP, 0),
                                  (ListOffsetsRequest.LATEST_TIMESTAMP, 10)):
            assert fetch_offset_and_epoch(broker, timestamp, version) == (offset, epoch), (version, timestamp)
        if version >= 7:
            assert fetch_offset_and_epoch(broker, ListOffsetsRequest.MAX_TIMESTAMP, version) == (9, epoch)
