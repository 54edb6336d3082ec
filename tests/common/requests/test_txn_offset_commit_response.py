# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.TxnOffsetCommitResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of a transaction's offsets."""

from __future__ import annotations

from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition

THROTTLE_TIME_MS = 10
ERROR_ONE, ERROR_TWO = Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR
EXPECTED_ERROR_COUNTS = {ERROR_ONE: 1, ERROR_TWO: 1}
ERRORS = {TopicPartition("topic1", 1): ERROR_ONE, TopicPartition("topic2", 2): ERROR_TWO}


def test_constructor_with_error_response() -> None:
    response = TxnOffsetCommitResponse.of(THROTTLE_TIME_MS, ERRORS)
    assert response.errors() == ERRORS
    assert response.error_counts() == EXPECTED_ERROR_COUNTS
    assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_parse() -> None:
    data = TxnOffsetCommitResponseData(throttle_time_ms=THROTTLE_TIME_MS, topics=[
        TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic(partitions=[
            TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                partition_index=topic_partition.partition(), error_code=error.code)])
        for topic_partition, error in ERRORS.items()])
    for version in ApiKeys.TXN_OFFSET_COMMIT.all_versions():
        response = TxnOffsetCommitResponse.parse(MessageUtil.to_byte_buffer(data, version), version)
        assert response.error_counts() == EXPECTED_ERROR_COUNTS
        assert response.throttle_time_ms() == THROTTLE_TIME_MS
        assert response.should_client_throttle(version) == (version >= 1)
