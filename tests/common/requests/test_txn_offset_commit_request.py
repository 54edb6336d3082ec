# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.TxnOffsetCommitRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets that are to be committed with a transaction."""

from __future__ import annotations

from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.topic_partition import TopicPartition

TOPIC_ONE, TOPIC_TWO = "topicOne", "topicTwo"
PARTITION_ONE, PARTITION_TWO = 1, 2
TP_1, TP_2 = TopicPartition(TOPIC_ONE, PARTITION_ONE), TopicPartition(TOPIC_TWO, PARTITION_TWO)
OFFSET = 100
LEADER_EPOCH = 20
METADATA = "metadata"
THROTTLE_TIME_MS = 10
OFFSETS = {TP_1: TxnOffsetCommitRequest.CommittedOffset(OFFSET, METADATA, LEADER_EPOCH),
           TP_2: TxnOffsetCommitRequest.CommittedOffset(OFFSET, METADATA, LEADER_EPOCH)}


def builder() -> TxnOffsetCommitRequest.Builder:
    return TxnOffsetCommitRequest.Builder.of("transactionalId", "groupId", 10, 1, OFFSETS)


def builder_with_group_metadata() -> TxnOffsetCommitRequest.Builder:
    return TxnOffsetCommitRequest.Builder.of(
        "transactionalId", "groupId", 10, 1, OFFSETS, "consumerId", 5, "groupInstanceId")


def test_constructor() -> None:
    expected_topics = [
        TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name=topic, partitions=[
            TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                partition_index=partition, committed_offset=OFFSET, committed_leader_epoch=LEADER_EPOCH,
                committed_metadata=METADATA)])
        for topic, partition in ((TOPIC_ONE, PARTITION_ONE), (TOPIC_TWO, PARTITION_TWO))]
    exception = Errors.NOT_COORDINATOR.exception()
    assert exception is not None
    for version in ApiKeys.TXN_OFFSET_COMMIT.all_versions():
        request = (builder() if version < 3 else builder_with_group_metadata()).build_version(version)
        assert request.offsets() == OFFSETS
        assert TxnOffsetCommitRequest.get_topics(request.offsets()) == expected_topics
        response = request.get_error_response_throttle(THROTTLE_TIME_MS, exception)
        assert response.errors() == {TP_1: Errors.NOT_COORDINATOR, TP_2: Errors.NOT_COORDINATOR}
        assert response.error_counts() == {Errors.NOT_COORDINATOR: 2}
        assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_get_error_response() -> None:
    expected_response = TxnOffsetCommitResponseData(topics=[
        TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic(name=topic, partitions=[
            TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                error_code=Errors.UNKNOWN_MEMBER_ID.code, partition_index=partition)])
        for topic, partition in ((TOPIC_ONE, PARTITION_ONE), (TOPIC_TWO, PARTITION_TWO))])
    assert TxnOffsetCommitRequest.get_error_response_data(
        builder_with_group_metadata().data, Errors.UNKNOWN_MEMBER_ID) == expected_response


def test_text_of_an_offset() -> None:
    assert str(OFFSETS[TP_1]) == "CommittedOffset(offset=100, leaderEpoch=Optional[20], metadata='metadata')"
    assert str(TxnOffsetCommitRequest.CommittedOffset(1, "", None)) == (
        "CommittedOffset(offset=1, leaderEpoch=Optional.empty, metadata='')")
