# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetCommitRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets that are to be committed."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.topic_partition import TopicPartition

GROUP_ID = "groupId"
TOPIC_ONE, TOPIC_TWO = "topicOne", "topicTwo"
PARTITION_ONE, PARTITION_TWO = 1, 2
OFFSET = 100
LEADER_EPOCH = 20
METADATA = "metadata"
THROTTLE_TIME_MS = 10


def data() -> OffsetCommitRequestData:
    return OffsetCommitRequestData(group_id=GROUP_ID, topics=[
        OffsetCommitRequestData.OffsetCommitRequestTopic(name=topic, partitions=[
            OffsetCommitRequestData.OffsetCommitRequestPartition(
                partition_index=partition, committed_offset=OFFSET, committed_leader_epoch=LEADER_EPOCH,
                committed_metadata=METADATA)])
        for topic, partition in ((TOPIC_ONE, PARTITION_ONE), (TOPIC_TWO, PARTITION_TWO))])


def test_constructor() -> None:
    expected_offsets = {TopicPartition(TOPIC_ONE, PARTITION_ONE): OFFSET,
                        TopicPartition(TOPIC_TWO, PARTITION_TWO): OFFSET}
    builder = OffsetCommitRequest.Builder(data())
    exception = Errors.NOT_COORDINATOR.exception()
    assert exception is not None
    for version in ApiKeys.TXN_OFFSET_COMMIT.all_versions():
        request = builder.build_version(version)
        assert request.offsets() == expected_offsets
        response = request.get_error_response_throttle(THROTTLE_TIME_MS, exception)
        assert response.error_counts() == {Errors.NOT_COORDINATOR: 2}
        assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_version_support_for_group_instance_id() -> None:
    builder = OffsetCommitRequest.Builder(OffsetCommitRequestData(
        group_id=GROUP_ID, member_id="consumerId", group_instance_id="groupInstanceId"))
    for version in ApiKeys.OFFSET_COMMIT.all_versions():
        if version >= 7:
            assert builder.build_version(version).version() == version
        else:
            with pytest.raises(UnsupportedVersionException):
                builder.build_version(version)


def test_get_error_response() -> None:
    expected_response = OffsetCommitResponseData(topics=[
        OffsetCommitResponseData.OffsetCommitResponseTopic(name=topic, partitions=[
            OffsetCommitResponseData.OffsetCommitResponsePartition(
                error_code=Errors.UNKNOWN_MEMBER_ID.code, partition_index=partition)])
        for topic, partition in ((TOPIC_ONE, PARTITION_ONE), (TOPIC_TWO, PARTITION_TWO))])
    assert OffsetCommitRequest.get_error_response_data(data(), Errors.UNKNOWN_MEMBER_ID) == expected_response
