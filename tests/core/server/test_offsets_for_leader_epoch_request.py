# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetsForLeaderEpochRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker tells where an epoch of a leader ends, to those who know the current one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, change_leader, create_topic
from tests.core.server.brokers import new_broker

PARTITION = TopicPartition("topic", 0)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def assert_response_error_for_epoch(broker: BrokerServer, error: Errors,
                                    current_leader_epoch: int | None) -> None:
    epoch = RecordBatch.NO_PARTITION_LEADER_EPOCH if current_leader_epoch is None else current_leader_epoch
    answer = ask(broker, ApiKeys.OFFSET_FOR_LEADER_EPOCH, ApiKeys.OFFSET_FOR_LEADER_EPOCH.latest_version(),
                 OffsetForLeaderEpochRequestData(replica_id=1, topics=[
                     OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(
                         topic=PARTITION.topic(), partitions=[
                             OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(
                                 partition=PARTITION.partition(), leader_epoch=0,
                                 current_leader_epoch=epoch)])]))
    topic, = answer.topics
    partition, = topic.partitions
    assert partition.error_code == error.code


def test_offsets_for_leader_epoch_error_codes(broker: BrokerServer) -> None:
    """No broker here is a follower, or no replica."""
    assert_response_error_for_epoch(broker, Errors.UNKNOWN_TOPIC_OR_PARTITION, None)
    create_topic(broker, PARTITION.topic())
    assert_response_error_for_epoch(broker, Errors.NONE, None)


def test_current_epoch_validation(broker: BrokerServer) -> None:
    """No broker here is a follower."""
    create_topic(broker, PARTITION.topic())
    epoch = change_leader(broker, PARTITION)
    assert_response_error_for_epoch(broker, Errors.NONE, None)
    assert_response_error_for_epoch(broker, Errors.NONE, epoch)
    assert_response_error_for_epoch(broker, Errors.FENCED_LEADER_EPOCH, epoch - 1)
    assert_response_error_for_epoch(broker, Errors.UNKNOWN_LEADER_EPOCH, epoch + 1)
