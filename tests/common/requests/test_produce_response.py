# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ProduceResponseTest."""

from __future__ import annotations

from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.topic_partition import TopicPartition

PARTITION = TopicPartition("test", 0)


def only_partition(response: AbstractResponse) -> ProduceResponseData.PartitionProduceResponse:
    assert isinstance(response, ProduceResponse)
    (topic,) = response.data().responses
    (partition,) = topic.partition_responses
    return partition


def assert_partition(partition: ProduceResponseData.PartitionProduceResponse) -> None:
    assert partition.log_start_offset == 100
    assert partition.base_offset == 10000
    assert partition.log_append_time_ms == RecordBatch.NO_TIMESTAMP
    assert Errors.for_code(partition.error_code) is Errors.NONE
    assert partition.error_message is None
    assert partition.record_errors == []


def answer() -> ProduceResponse.PartitionResponse:
    return ProduceResponse.PartitionResponse(Errors.NONE, 10000, RecordBatch.NO_TIMESTAMP, 100)


def test_produce_response_v5_test() -> None:
    header_version = ApiKeys.PRODUCE.response_header_version(5)
    buffer = ProduceResponse.of({PARTITION: answer()}, 10).serialize_with_header(
        ResponseHeader.of(0, header_version), 5)
    ResponseHeader.parse(buffer, header_version)
    response = AbstractResponse.parse_response_api_key(ApiKeys.PRODUCE, buffer, 5)
    assert_partition(only_partition(response))
    assert response.throttle_time_ms() == 10


def test_produce_response_version_test() -> None:
    for throttle_time_ms in (0, 10):
        response = ProduceResponse.of({PARTITION: answer()}, throttle_time_ms)
        assert response.throttle_time_ms() == throttle_time_ms
        assert_partition(only_partition(response))
    assert ProduceResponse.of({PARTITION: answer()}).throttle_time_ms() == 0


def test_produce_response_record_errors_test() -> None:
    partition_response = ProduceResponse.PartitionResponse(
        Errors.NONE, 10000, RecordBatch.NO_TIMESTAMP, 100,
        [ProduceResponse.RecordError(3, "Record error")], "Produce failed")
    for version in ApiKeys.PRODUCE.all_versions():
        response = ProduceResponse.of({PARTITION: partition_response})
        partition = only_partition(ProduceResponse.parse(response.serialize(version), version))
        if version >= 8:
            (error,) = partition.record_errors
            assert error.batch_index == 3
            assert error.batch_index_error_message == "Record error"
            assert partition.error_message == "Produce failed"
        else:
            assert partition.record_errors == []
            assert partition.error_message is None


def test_topics_are_gathered_and_leaders_named() -> None:
    moved = ProduceResponse.PartitionResponse(
        Errors.NOT_LEADER_OR_FOLLOWER,
        current_leader=ProduceResponseData.LeaderIdAndEpoch(leader_id=2, leader_epoch=7))
    response = ProduceResponse.of(
        {PARTITION: answer(), TopicPartition("other", 1): answer(), TopicPartition("test", 1): moved}, 0,
        [Node(2, "host", 9092, "rack")])
    assert [(topic.name, [partition.index for partition in topic.partition_responses])
            for topic in response.data().responses] == [("test", [0, 1]), ("other", [1])]
    read = ProduceResponse.parse(response.serialize(10), 10).data()
    assert read.responses[0].partition_responses[1].current_leader.leader_epoch == 7
    assert read.node_endpoints == [
        ProduceResponseData.NodeEndpoint(node_id=2, host="host", port=9092, rack="rack")]
    assert response.error_counts() == {Errors.NONE: 2, Errors.NOT_LEADER_OR_FOLLOWER: 1}


def test_texts() -> None:
    partition_response = ProduceResponse.PartitionResponse(
        Errors.NONE, 5, record_errors=[ProduceResponse.RecordError(3, "e"), ProduceResponse.RecordError(4)])
    assert str(partition_response) == (
        "{error: NONE,offset: 5,lastOffset: -1,logAppendTime: -1, logStartOffset: -1, recordErrors: "
        "[RecordError(batchIndex=3, message='e'), RecordError(batchIndex=4, message=null)], currentLeader: "
        "LeaderIdAndEpoch(leaderId=-1, leaderEpoch=-1), errorMessage: null}")
    assert answer() == answer()
    assert hash(answer()) == hash(answer())
    assert answer() != partition_response
