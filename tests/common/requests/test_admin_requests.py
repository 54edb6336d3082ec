# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AlterReplicaLogDirsRequestTest, AlterReplicaLogDirsResponseTest, CreateAclsRequestTest,
# DeleteAclsRequestTest, DescribeAclsRequestTest, OffsetsForLeaderEpochRequestTest, UpdateFeaturesRequestTest
# and UpdateFeaturesResponseTest of org.apache.kafka.common.requests of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests of administrators: what they refuse, and the answers that say an error."""

from __future__ import annotations

import pytest

from kreactor.common.errors import (
    LogDirNotFoundException,
    UnknownServerException,
    UnsupportedVersionException,
)
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.alter_replica_log_dirs_response_data import AlterReplicaLogDirsResponseData
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.message.update_features_response_data import UpdateFeaturesResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from kreactor.common.requests.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from kreactor.common.requests.create_acls_request import CreateAclsRequest
from kreactor.common.requests.delete_acls_request import DeleteAclsRequest
from kreactor.common.requests.describe_acls_request import DescribeAclsRequest
from kreactor.common.requests.offsets_for_leader_epoch_request import OffsetsForLeaderEpochRequest
from kreactor.common.requests.update_features_request import UpdateFeaturesRequest, UpgradeType
from kreactor.common.requests.update_features_response import UpdateFeaturesResponse
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException

NOT_APPLICABLE = {
    **{name: "bindings are an authorizer's, and there is none" for name in (
        "CreateAclsRequestTest#shouldRoundTripLiteralV0", "CreateAclsRequestTest#shouldRoundTripV1",
        "DeleteAclsRequestTest#shouldRoundTripLiteralV0",
        "DeleteAclsRequestTest#shouldRoundTripAnyV0AsLiteral", "DeleteAclsRequestTest#shouldRoundTripV1",
        "DescribeAclsRequestTest#shouldRoundTripLiteralV0",
        "DescribeAclsRequestTest#shouldRoundTripAnyV0AsLiteral", "DescribeAclsRequestTest#shouldRoundTripV1",
        "DescribeAclsResponseTest", "DeleteAclsResponseTest")},
}

TopicResult = AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult
PartitionResult = AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult


def alter_replica_log_dirs() -> AlterReplicaLogDirsRequest:
    return AlterReplicaLogDirsRequest.Builder(AlterReplicaLogDirsRequestData(dirs=[
        AlterReplicaLogDirsRequestData.AlterReplicaLogDir(path=path, topics=[
            AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(name=topic, partitions=partitions)])
        for path, topic, partitions in (("/data0", "topic", [0, 1, 2]), ("/data1", "topic2", [7]))])).build()


def test_error_response() -> None:
    response = alter_replica_log_dirs().get_error_response_throttle(123, LogDirNotFoundException("/data0"))
    assert response.throttle_time_ms() == 123
    assert [(topic.topic_name, [(partition.partition_index, Errors.for_code(partition.error_code))
                                for partition in topic.partitions]) for topic in response.data().results] == [
        ("topic", [(index, Errors.LOG_DIR_NOT_FOUND) for index in (0, 1, 2)]),
        ("topic2", [(7, Errors.LOG_DIR_NOT_FOUND)])]


def test_partition_dir() -> None:
    assert alter_replica_log_dirs().partition_dirs() == {
        **{TopicPartition("topic", index): "/data0" for index in (0, 1, 2)},
        TopicPartition("topic2", 7): "/data1"}


def test_error_counts() -> None:
    response = AlterReplicaLogDirsResponse(AlterReplicaLogDirsResponseData(results=[
        TopicResult(topic_name="t0", partitions=[
            PartitionResult(partition_index=0, error_code=Errors.LOG_DIR_NOT_FOUND.code),
            PartitionResult(partition_index=1, error_code=Errors.NONE.code)]),
        TopicResult(topic_name="t1", partitions=[
            PartitionResult(partition_index=0, error_code=Errors.LOG_DIR_NOT_FOUND.code)])]))
    assert response.error_counts() == {Errors.LOG_DIR_NOT_FOUND: 2, Errors.NONE: 1}


def describe_acls(version: int, pattern_type: PatternType, operation: int = 3) -> DescribeAclsRequest:
    return DescribeAclsRequest(DescribeAclsRequestData(
        resource_type_filter=2, pattern_type_filter=pattern_type.code(), operation=operation,
        permission_type=3), version)


def create_acls(version: int, pattern_type: PatternType, operation: int = 3) -> CreateAclsRequest:
    return CreateAclsRequest(CreateAclsRequestData(creations=[CreateAclsRequestData.AclCreation(
        resource_type=2, resource_pattern_type=pattern_type.code(), operation=operation,
        permission_type=3)]), version)


def delete_acls(version: int, pattern_type: PatternType, operation: int = 3) -> DeleteAclsRequest:
    return DeleteAclsRequest(DeleteAclsRequestData(filters=[DeleteAclsRequestData.DeleteAclsFilter(
        resource_type_filter=2, pattern_type_filter=pattern_type.code(), operation=operation,
        permission_type=3)]), version)


@pytest.mark.parametrize("new", [describe_acls, create_acls, delete_acls])
def test_should_throw_on_v0_if_not_literal(new: type) -> None:
    with pytest.raises(UnsupportedVersionException):
        new(0, PatternType.PREFIXED)
    new(1, PatternType.PREFIXED)


@pytest.mark.parametrize("new", [describe_acls, create_acls, delete_acls])
def test_should_throw_on_illegal_argument_exception_if_unknown(new: type) -> None:
    for arguments in ((1, PatternType.UNKNOWN), (1, PatternType.LITERAL, 0)):
        with pytest.raises(IllegalArgumentException):
            new(*arguments)


def test_any_is_literal_in_v0() -> None:
    assert describe_acls(0, PatternType.ANY).data().pattern_type_filter == PatternType.LITERAL.code()
    assert delete_acls(0, PatternType.ANY).data().filters[0].pattern_type_filter == PatternType.LITERAL.code()


def test_for_consumer_requires_version_3() -> None:
    builder = OffsetsForLeaderEpochRequest.Builder.for_consumer([])
    for version in range(3):
        with pytest.raises(UnsupportedVersionException):
            builder.build_version(version)
    for version in range(3, ApiKeys.OFFSET_FOR_LEADER_EPOCH.latest_version() + 1):
        request = builder.build_version(version)
        assert request.replica_id() == OffsetsForLeaderEpochRequest.CONSUMER_REPLICA_ID


@pytest.mark.parametrize("version", ApiKeys.OFFSET_FOR_LEADER_EPOCH.all_versions())
def test_default_replica_id(version: int) -> None:
    request = OffsetsForLeaderEpochRequest.Builder.for_follower(version, [], 1).build()
    parsed = OffsetsForLeaderEpochRequest.parse(request.serialize(), version)
    assert parsed.replica_id() == (1 if version >= 3 else OffsetsForLeaderEpochRequest.DEBUGGING_REPLICA_ID)


def update_features(version: int) -> UpdateFeaturesRequest:
    safe, unsafe = (UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE)
    updates = [UpdateFeaturesRequestData.FeatureUpdateKey(feature="foo", max_version_level=1),
               UpdateFeaturesRequestData.FeatureUpdateKey(feature="bar", max_version_level=3)]
    if version == 0:
        updates[0].allow_downgrade = True
    else:
        updates[0].upgrade_type, updates[1].upgrade_type = safe.value, unsafe.value
    request = UpdateFeaturesRequest(UpdateFeaturesRequestData(feature_updates=updates), version)
    return UpdateFeaturesRequest.parse(request.serialize(), version)


def test_get_error_response_of_features() -> None:
    for version in ApiKeys.UPDATE_FEATURES.all_versions():
        response = update_features(version).get_error_response_throttle(0, UnknownServerException())
        assert response.error_counts() == {Errors.UNKNOWN_SERVER_ERROR: 1}


@pytest.mark.parametrize(("version", "types"), [
    (0, [UpgradeType.SAFE_DOWNGRADE, UpgradeType.UPGRADE]),
    (1, [UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE])])
def test_update_features(version: int, types: list[UpgradeType]) -> None:
    """Both testUpdateFeaturesV0 and testUpdateFeaturesV1."""
    found = update_features(version).feature_updates()
    assert [(item.feature, item.version_level, item.upgrade_type) for item in found] == [
        ("foo", 1, types[0]), ("bar", 3, types[1])]


def test_error_counts_of_features() -> None:
    response = UpdateFeaturesResponse(UpdateFeaturesResponseData(
        error_code=Errors.INVALID_REQUEST.code, results=[
            UpdateFeaturesResponseData.UpdatableFeatureResult(feature=feature, error_code=error.code)
            for feature, error in (("foo", Errors.UNKNOWN_SERVER_ERROR), ("bar", Errors.INVALID_REQUEST))]))
    assert response.error_counts() == {Errors.INVALID_REQUEST: 2, Errors.UNKNOWN_SERVER_ERROR: 1}
