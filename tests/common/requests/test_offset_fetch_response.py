# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetFetchResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Committed offsets."""

from __future__ import annotations

import pytest

from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.topic_partition import TopicPartition

PartitionData = OffsetFetchResponse.PartitionData
THROTTLE_TIME_MS = 10
OFFSET = 100
METADATA = "metadata"
GROUP_ONE, GROUP_TWO, GROUP_THREE = "group1", "group2", "group3"
TP_ONE, TP_TWO, TP_THREE = (TopicPartition(f"topic{number}", number) for number in (1, 2, 3))
VERSIONS = ApiKeys.OFFSET_FETCH.all_versions()


def partition_data_map(
        second: Errors = Errors.UNKNOWN_TOPIC_OR_PARTITION) -> dict[TopicPartition, PartitionData]:
    return {TP_ONE: PartitionData(OFFSET, 1, METADATA, Errors.TOPIC_AUTHORIZATION_FAILED),
            TP_TWO: PartitionData(OFFSET, 2, METADATA, second)}


@pytest.mark.parametrize("version", VERSIONS)
def test_constructor(version: int) -> None:
    if version < 8:
        response = OffsetFetchResponse.of(Errors.NOT_COORDINATOR, partition_data_map(), THROTTLE_TIME_MS)
        assert response.error() is Errors.NOT_COORDINATOR
        response_data = response.response_data_v0_to_v7()
    else:
        response = OffsetFetchResponse.of_groups(
            THROTTLE_TIME_MS, {GROUP_ONE: Errors.NOT_COORDINATOR}, {GROUP_ONE: partition_data_map()})
        assert response.group_level_error(GROUP_ONE) is Errors.NOT_COORDINATOR
        response_data = response.partition_data_map(GROUP_ONE)
    assert response.error_counts() == {Errors.NOT_COORDINATOR: 1, Errors.TOPIC_AUTHORIZATION_FAILED: 1,
                                       Errors.UNKNOWN_TOPIC_OR_PARTITION: 1}
    assert response.throttle_time_ms() == THROTTLE_TIME_MS
    assert response_data == partition_data_map()
    assert all(data.has_error() for data in response_data.values())


def test_constructor_with_multiple_groups() -> None:
    pd1 = {TP_ONE: PartitionData(OFFSET, 1, METADATA, Errors.TOPIC_AUTHORIZATION_FAILED)}
    pd2 = {TP_TWO: PartitionData(OFFSET, 2, METADATA, Errors.UNKNOWN_TOPIC_OR_PARTITION)}
    pd3 = {TP_THREE: PartitionData(OFFSET, 3, METADATA, Errors.NONE)}
    error_map = {GROUP_ONE: Errors.NOT_COORDINATOR, GROUP_TWO: Errors.COORDINATOR_LOAD_IN_PROGRESS,
                 GROUP_THREE: Errors.NONE}
    for version in VERSIONS:
        if version >= 8:
            response = OffsetFetchResponse.of_groups(
                THROTTLE_TIME_MS, error_map, {GROUP_ONE: pd1, GROUP_TWO: pd2, GROUP_THREE: pd3})
            for group, error in error_map.items():
                assert response.group_level_error(group) is error
            assert response.group_has_error(GROUP_ONE)
            assert response.group_has_error(GROUP_TWO)
            assert not response.group_has_error(GROUP_THREE)
            assert response.error_counts() == {
                Errors.NOT_COORDINATOR: 1, Errors.TOPIC_AUTHORIZATION_FAILED: 1,
                Errors.UNKNOWN_TOPIC_OR_PARTITION: 1, Errors.COORDINATOR_LOAD_IN_PROGRESS: 1, Errors.NONE: 2}
            assert response.throttle_time_ms() == THROTTLE_TIME_MS
            for group, expected, has_error in (
                    (GROUP_ONE, pd1, True), (GROUP_TWO, pd2, True), (GROUP_THREE, pd3, False)):
                response_data = response.partition_data_map(group)
                assert response_data == expected
                assert all(data.has_error() == has_error for data in response_data.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_struct_build(version: int) -> None:
    """Each version encodes the same response in its own way."""
    partition_data = partition_data_map(Errors.GROUP_AUTHORIZATION_FAILED)
    if version < 8:
        latest_response = OffsetFetchResponse.of(Errors.NONE, partition_data, THROTTLE_TIME_MS)
        data = OffsetFetchResponseData.read(latest_response.serialize(version), version)
        old_response = OffsetFetchResponse(data, version)
        assert data.error_code == Errors.NONE.code
        if version <= 1:
            # Errors of a partition are those of all.
            assert old_response.error() is Errors.GROUP_AUTHORIZATION_FAILED
            assert old_response.error_counts() == {
                Errors.GROUP_AUTHORIZATION_FAILED: 2, Errors.TOPIC_AUTHORIZATION_FAILED: 1}
        else:
            assert old_response.error() is Errors.NONE
            assert old_response.error_counts() == {
                Errors.NONE: 1, Errors.GROUP_AUTHORIZATION_FAILED: 1, Errors.TOPIC_AUTHORIZATION_FAILED: 1}
        if version <= 2:
            assert old_response.throttle_time_ms() == AbstractResponse.DEFAULT_THROTTLE_TIME
        else:
            assert old_response.throttle_time_ms() == THROTTLE_TIME_MS
        response_data = old_response.response_data_v0_to_v7()
    else:
        latest_response = OffsetFetchResponse.of_groups(
            THROTTLE_TIME_MS, {GROUP_ONE: Errors.NONE}, {GROUP_ONE: partition_data})
        data = OffsetFetchResponseData.read(latest_response.serialize(version), version)
        old_response = OffsetFetchResponse(data, version)
        assert data.groups[0].error_code == Errors.NONE.code
        assert old_response.group_level_error(GROUP_ONE) is Errors.NONE
        assert old_response.error_counts() == {
            Errors.NONE: 1, Errors.GROUP_AUTHORIZATION_FAILED: 1, Errors.TOPIC_AUTHORIZATION_FAILED: 1}
        assert old_response.throttle_time_ms() == THROTTLE_TIME_MS
        response_data = old_response.partition_data_map(GROUP_ONE)
    assert response_data == {
        partition: PartitionData(each.offset, None if version <= 4 else each.leader_epoch, each.metadata,
                                 each.error)
        for partition, each in partition_data.items()}
    assert all(each.has_error() for each in response_data.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_should_throttle(version: int) -> None:
    if version < 8:
        response = OffsetFetchResponse.of(Errors.NONE, partition_data_map(), THROTTLE_TIME_MS)
        assert response.should_client_throttle(version) == (version >= 4)
    else:
        response = OffsetFetchResponse.of_groups(
            THROTTLE_TIME_MS, {GROUP_ONE: Errors.NOT_COORDINATOR}, {GROUP_ONE: partition_data_map()})
        assert response.should_client_throttle(version)


def check_v0_to_v7(error: Errors, leader_epoch: int | None, metadata: str | None) -> None:
    pd = PartitionData(OFFSET, leader_epoch, metadata, Errors.UNKNOWN_TOPIC_OR_PARTITION)
    assert pd == pd
    response = OffsetFetchResponse.of(error, {TP_ONE: pd}, THROTTLE_TIME_MS)
    assert response.data() == OffsetFetchResponseData(
        error_code=error.code, throttle_time_ms=THROTTLE_TIME_MS, topics=[
            OffsetFetchResponseData.OffsetFetchResponseTopic(name=TP_ONE.topic(), partitions=[
                OffsetFetchResponseData.OffsetFetchResponsePartition(
                    partition_index=TP_ONE.partition(), committed_offset=OFFSET,
                    committed_leader_epoch=(RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None
                                            else leader_epoch),
                    error_code=Errors.UNKNOWN_TOPIC_OR_PARTITION.code, metadata=metadata)])])


def check_v8(error: Errors, leader_epoch: int | None, metadata: str | None) -> None:
    pd = PartitionData(OFFSET, leader_epoch, metadata, Errors.UNKNOWN_TOPIC_OR_PARTITION)
    assert pd == pd
    response = OffsetFetchResponse.of_groups(THROTTLE_TIME_MS, {GROUP_ONE: error}, {GROUP_ONE: {TP_ONE: pd}})
    assert response.data() == OffsetFetchResponseData(throttle_time_ms=THROTTLE_TIME_MS, groups=[
        OffsetFetchResponseData.OffsetFetchResponseGroup(
            group_id=GROUP_ONE, error_code=error.code, topics=[
                OffsetFetchResponseData.OffsetFetchResponseTopics(name=TP_ONE.topic(), partitions=[
                    OffsetFetchResponseData.OffsetFetchResponsePartitions(
                        partition_index=TP_ONE.partition(), committed_offset=OFFSET,
                        committed_leader_epoch=(RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None
                                                else leader_epoch),
                        error_code=Errors.UNKNOWN_TOPIC_OR_PARTITION.code, metadata=metadata)])])])


def test_nullable_metadata_v0_to_v7() -> None:
    check_v0_to_v7(Errors.GROUP_AUTHORIZATION_FAILED, 1, None)


def test_nullable_metadata_v8_and_above() -> None:
    check_v8(Errors.GROUP_AUTHORIZATION_FAILED, 1, None)


def test_use_default_leader_epoch_v0_to_v7() -> None:
    check_v0_to_v7(Errors.NOT_COORDINATOR, None, METADATA)


def test_use_default_leader_epoch_v8() -> None:
    check_v8(Errors.NOT_COORDINATOR, None, METADATA)


def test_text_of_an_offset() -> None:
    assert str(PartitionData(OFFSET, None, METADATA, Errors.NONE)) == (
        "PartitionData(offset=100, leaderEpoch=-1, metadata=metadata, error='NONE)")
