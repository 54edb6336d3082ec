# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetCommitResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of offsets that were to be committed."""

from __future__ import annotations

from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.offset_commit_response import OffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition

THROTTLE_TIME_MS = 10
ERROR_ONE, ERROR_TWO = Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR
EXPECTED_ERROR_COUNTS = {ERROR_ONE: 1, ERROR_TWO: 1}
ERRORS = {TopicPartition("topic1", 1): ERROR_ONE, TopicPartition("topic2", 2): ERROR_TWO}


def test_constructor_with_error_response() -> None:
    response = OffsetCommitResponse.of(THROTTLE_TIME_MS, ERRORS)
    assert response.error_counts() == EXPECTED_ERROR_COUNTS
    assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_parse() -> None:
    data = OffsetCommitResponseData(throttle_time_ms=THROTTLE_TIME_MS, topics=[
        OffsetCommitResponseData.OffsetCommitResponseTopic(partitions=[
            OffsetCommitResponseData.OffsetCommitResponsePartition(
                partition_index=topic_partition.partition(), error_code=error.code)])
        for topic_partition, error in ERRORS.items()])
    for version in ApiKeys.OFFSET_COMMIT.all_versions():
        response = OffsetCommitResponse.parse(MessageUtil.to_byte_buffer(data, version), version)
        assert response.error_counts() == EXPECTED_ERROR_COUNTS
        if version >= 3:
            assert response.throttle_time_ms() == THROTTLE_TIME_MS
        else:
            assert response.throttle_time_ms() == AbstractResponse.DEFAULT_THROTTLE_TIME
        assert response.should_client_throttle(version) == (version >= 4)
