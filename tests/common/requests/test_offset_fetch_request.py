# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetFetchRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Committed offsets that are asked for: of one group up to version 7, of several from 8 on."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.offset_fetch_request import OffsetFetchRequest
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.topic_partition import TopicPartition

TOPIC_ONE, TOPIC_TWO, TOPIC_THREE = "topic1", "topic2", "topic3"
PARTITION_ONE, PARTITION_TWO = 1, 2
GROUP_1, GROUP_2, GROUP_3, GROUP_4, GROUP_5 = GROUPS = ["group1", "group2", "group3", "group4", "group5"]
VERSIONS_NON_BATCH_OFFSET_FETCH = range(8)
VERSIONS = ApiKeys.OFFSET_FETCH.all_versions()
THROTTLE_TIME_MS = 10


def test_constructor() -> None:
    partitions = [TopicPartition(TOPIC_ONE, PARTITION_ONE), TopicPartition(TOPIC_TWO, PARTITION_TWO)]
    expected_data = {partition: OffsetFetchResponse.PartitionData(
        OffsetFetchResponse.INVALID_OFFSET, None, OffsetFetchResponse.NO_METADATA, Errors.NONE)
        for partition in partitions}
    for version in VERSIONS:
        if version < 8:
            builder = OffsetFetchRequest.Builder(GROUP_1, False, partitions, False)
            request = builder.build_version(version)
            assert not request.is_all_partitions()
            assert request.group_id() == GROUP_1
            assert request.partitions() == partitions

            response = request.get_error_response_error(Errors.NONE, THROTTLE_TIME_MS)
            assert response.error() is Errors.NONE
            assert not response.has_error()
            assert response.error_counts() == {Errors.NONE: 3 if version <= 1 else 1}, version
            if version <= 1:
                assert response.response_data_v0_to_v7() == expected_data
            if version >= 3:
                assert response.throttle_time_ms() == THROTTLE_TIME_MS
            else:
                assert response.throttle_time_ms() == AbstractResponse.DEFAULT_THROTTLE_TIME
        else:
            builder = OffsetFetchRequest.Builder.of({GROUP_1: partitions}, False, False)
            request = builder.build_version(version)
            group_to_partition_map = request.group_ids_to_partitions()
            group_to_topic_map = request.group_ids_to_topics()
            assert not request.is_all_partitions_for_group(GROUP_1)
            assert GROUP_1 in group_to_partition_map and GROUP_1 in group_to_topic_map
            assert group_to_partition_map[GROUP_1] == partitions
            response = request.get_error_response_error(Errors.NONE, THROTTLE_TIME_MS)
            assert response.group_level_error(GROUP_1) is Errors.NONE
            assert not response.group_has_error(GROUP_1)
            assert response.error_counts() == {Errors.NONE: 1}, version
            assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_constructor_with_multiple_groups() -> None:
    group_to_tp: dict[str, list[TopicPartition] | None] = {
        group: [TopicPartition(topic, PARTITION_ONE), TopicPartition(topic, PARTITION_TWO)]
        for group, topic in ((GROUP_1, TOPIC_ONE), (GROUP_2, TOPIC_TWO), (GROUP_3, TOPIC_THREE))}
    group_to_tp |= {GROUP_4: None, GROUP_5: None}
    for version in VERSIONS:
        if version >= 8:
            request = OffsetFetchRequest.Builder.of(group_to_tp, False, False).build_version(version)
            assert request.group_ids_to_topics().keys() == group_to_tp.keys()
            assert request.group_ids_to_partitions().keys() == group_to_tp.keys()
            assert [request.is_all_partitions_for_group(group) for group in GROUPS] == [
                False, False, False, True, True]
            response = request.get_error_response_error(Errors.NONE, THROTTLE_TIME_MS)
            for group in GROUPS:
                assert response.group_level_error(group) is Errors.NONE
                assert not response.group_has_error(group)
            assert response.error_counts() == {Errors.NONE: 5}, version
            assert response.throttle_time_ms() == THROTTLE_TIME_MS


def test_build_throw_for_unsupported_batch_request() -> None:
    for version in VERSIONS_NON_BATCH_OFFSET_FETCH:
        builder = OffsetFetchRequest.Builder.of({GROUP_1: None, GROUP_2: None}, True, False)
        with pytest.raises(OffsetFetchRequest.NoBatchedOffsetFetchRequestException):
            builder.build_version(version)


def test_constructor_fail_for_unsupported_require_stable() -> None:
    for version in VERSIONS:
        if version < 8:
            # A builder for each: it takes the flag back where the version cannot say it.
            builder = OffsetFetchRequest.Builder(GROUP_1, True, None, False)
            if version < 2:
                with pytest.raises(UnsupportedVersionException):
                    builder.build_version(version)
            else:
                request = builder.build_version(version)
                assert request.group_id() == GROUP_1
                assert request.partitions() is None
                assert request.is_all_partitions()
                assert request.require_stable() == (version >= 7)
        else:
            request = OffsetFetchRequest.Builder.of({GROUP_1: None}, True, False).build_version(version)
            group_to_partition_map = request.group_ids_to_partitions()
            group_to_topic_map = request.group_ids_to_topics()
            assert GROUP_1 in group_to_partition_map and GROUP_1 in group_to_topic_map
            assert group_to_partition_map[GROUP_1] is None
            assert request.is_all_partitions_for_group(GROUP_1)
            assert request.require_stable()


def test_build_throw_for_unsupported_require_stable() -> None:
    for version in VERSIONS_NON_BATCH_OFFSET_FETCH:
        builder = OffsetFetchRequest.Builder(GROUP_1, True, None, True)
        if version < 7:
            with pytest.raises(UnsupportedVersionException):
                builder.build_version(version)
        else:
            assert builder.build_version(version).require_stable()
