# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ListOffsetsRequestTest."""

from __future__ import annotations

import pytest

from kreactor.common.errors import ApiException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.topic_partition import TopicPartition

Topic = ListOffsetsRequestData.ListOffsetsTopic
Partition = ListOffsetsRequestData.ListOffsetsPartition


def not_leader() -> ApiException:
    exception = Errors.NOT_LEADER_OR_FOLLOWER.exception()
    assert exception is not None
    return exception


def topics() -> list[Topic]:
    return [Topic(name="topic", partitions=[Partition(partition_index=0)])]


def test_duplicate_partitions() -> None:
    data = ListOffsetsRequestData(replica_id=-1, topics=[
        Topic(name="topic", partitions=[Partition(partition_index=0), Partition(partition_index=0)])])
    request = ListOffsetsRequest.parse(MessageUtil.to_byte_buffer(data, 0), 0)
    assert request.duplicate_partitions() == {TopicPartition("topic", 0)}
    assert ListOffsetsRequest(ListOffsetsRequestData(topics=topics()), 0).duplicate_partitions() == set()


@pytest.mark.parametrize("version", range(1, ApiKeys.LIST_OFFSETS.latest_version() + 1))
def test_get_error_response(version: int) -> None:
    builder = ListOffsetsRequest.Builder.for_consumer(True, IsolationLevel.READ_COMMITTED, False)
    request = builder.set_target_times(topics()).build_version(version)
    response = request.get_error_response_throttle(0, not_leader())
    assert response.topics() == [ListOffsetsResponse.singleton_list_offsets_topic_response(
        TopicPartition("topic", 0), Errors.NOT_LEADER_OR_FOLLOWER, ListOffsetsResponse.UNKNOWN_TIMESTAMP,
        ListOffsetsResponse.UNKNOWN_OFFSET, ListOffsetsResponse.UNKNOWN_EPOCH)]
    assert response.throttle_time_ms() == 0


def test_get_error_response_v0() -> None:
    builder = ListOffsetsRequest.Builder.for_consumer(True, IsolationLevel.READ_UNCOMMITTED, False)
    request = builder.set_target_times(topics()).build_version(0)
    response = request.get_error_response_throttle(0, not_leader())
    assert response.topics() == [ListOffsetsResponseData.ListOffsetsTopicResponse(name="topic", partitions=[
        ListOffsetsResponseData.ListOffsetsPartitionResponse(
            error_code=Errors.NOT_LEADER_OR_FOLLOWER.code, old_style_offsets=[], partition_index=0)])]
    assert response.throttle_time_ms() == 0


def test_to_list_offsets_topics() -> None:
    one = Partition(partition_index=0, current_leader_epoch=1, max_num_offsets=2, timestamp=123)
    other = Partition(partition_index=1, current_leader_epoch=3, max_num_offsets=4, timestamp=567)
    (topic,) = ListOffsetsRequest.to_list_offsets_topics(
        {TopicPartition("topic", 0): one, TopicPartition("topic", 1): other})
    assert topic.name == "topic"
    assert topic.partitions == [one, other]


def test_lowest_versions() -> None:
    builder = ListOffsetsRequest.Builder
    read_uncommitted, read_committed = IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED
    for required, version in (((False, read_uncommitted, False), 0), ((True, read_uncommitted, False), 1),
                              ((True, read_committed, False), 2), ((False, read_uncommitted, True), 7)):
        assert builder.for_consumer(*required).oldest_allowed_version() == version
    replica = builder.for_replica(5, 3)
    assert (replica.oldest_allowed_version(), replica.latest_allowed_version()) == (0, 5)
    request = replica.build()
    assert request.replica_id() == 3
    assert request.isolation_level() is read_uncommitted


def test_singleton_request_data() -> None:
    assert ListOffsetsRequest.singleton_request_data("t", 1, -1, 2) == Topic(name="t", partitions=[
        Partition(partition_index=1, timestamp=-1, max_num_offsets=2)])
