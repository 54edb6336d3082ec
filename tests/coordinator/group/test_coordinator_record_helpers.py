# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecordHelpersTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The records of consumer groups."""

from __future__ import annotations

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey)
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_key import (
    ConsumerGroupMemberMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_metadata_key import ConsumerGroupMetadataKey
from kreactor.coordinator.group.generated.consumer_group_metadata_value import ConsumerGroupMetadataValue
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue)
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion
from tests.coordinator.group.assignment_test_util import (
    mk_assignment, mk_list_of_partition_racks, mk_map_of_partition_racks, mk_member)


def test_new_member_subscription_record() -> None:
    protocols = [ConsumerGroupMemberMetadataValue.ClassicProtocol(name="range", metadata=b"")]
    member = mk_member(
        "member-id", instance_id="instance-id", rack_id="rack-id", rebalance_timeout_ms=5000,
        client_id="client-id", client_host="client-host", subscribed_topic_names=["foo", "zar", "bar"],
        subscribed_topic_regex="regex", server_assignor_name="range",
        classic_member_metadata=ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
            supported_protocols=protocols))
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupMemberMetadataKey(group_id="group-id", member_id="member-id"), 5),
        ApiMessageAndVersion(
            ConsumerGroupMemberMetadataValue(
                instance_id="instance-id", rack_id="rack-id", rebalance_timeout_ms=5000,
                client_id="client-id", client_host="client-host",
                subscribed_topic_names=["bar", "foo", "zar"], subscribed_topic_regex="regex",
                server_assignor="range",
                classic_member_metadata=ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                    supported_protocols=protocols)),
            0))
    assert CoordinatorRecordHelpers.new_member_subscription_record("group-id", member) == expected_record


def test_new_member_subscription_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupMemberMetadataKey(group_id="group-id", member_id="member-id"), 5),
        None)
    assert (
        CoordinatorRecordHelpers.new_member_subscription_tombstone_record("group-id", "member-id")
        == expected_record)


def test_new_group_subscription_metadata_record() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    subscription_metadata: dict[str, TopicMetadata] = {}
    subscription_metadata["foo"] = TopicMetadata(foo_topic_id, "foo", 10, mk_map_of_partition_racks(10))
    subscription_metadata["bar"] = TopicMetadata(bar_topic_id, "bar", 20, mk_map_of_partition_racks(20))
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupPartitionMetadataKey(group_id="group-id"), 4), ApiMessageAndVersion(
            ConsumerGroupPartitionMetadataValue(
                topics=[
                    ConsumerGroupPartitionMetadataValue.TopicMetadata(
                        topic_id=foo_topic_id, topic_name="foo", num_partitions=10,
                        partition_metadata=mk_list_of_partition_racks(10)),
                    ConsumerGroupPartitionMetadataValue.TopicMetadata(
                        topic_id=bar_topic_id, topic_name="bar", num_partitions=20,
                        partition_metadata=mk_list_of_partition_racks(20))]),
            0))
    assert (
        CoordinatorRecordHelpers.new_group_subscription_metadata_record("group-id", subscription_metadata)
        == expected_record)


def test_new_group_subscription_metadata_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupPartitionMetadataKey(group_id="group-id"), 4), None)
    assert (
        CoordinatorRecordHelpers.new_group_subscription_metadata_tombstone_record("group-id")
        == expected_record)


def test_empty_partition_metadata_when_racks_unavailable_group_subscription_metadata_record() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    subscription_metadata: dict[str, TopicMetadata] = {}
    subscription_metadata["foo"] = TopicMetadata(foo_topic_id, "foo", 10, {})
    subscription_metadata["bar"] = TopicMetadata(bar_topic_id, "bar", 20, {})
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupPartitionMetadataKey(group_id="group-id"), 4), ApiMessageAndVersion(
            ConsumerGroupPartitionMetadataValue(
                topics=[
                    ConsumerGroupPartitionMetadataValue.TopicMetadata(
                        topic_id=foo_topic_id, topic_name="foo", num_partitions=10, partition_metadata=[]),
                    ConsumerGroupPartitionMetadataValue.TopicMetadata(
                        topic_id=bar_topic_id, topic_name="bar", num_partitions=20, partition_metadata=[])]),
            0))
    assert (
        CoordinatorRecordHelpers.new_group_subscription_metadata_record("group-id", subscription_metadata)
        == expected_record)


def test_new_group_epoch_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="group-id"), 3),
        ApiMessageAndVersion(ConsumerGroupMetadataValue(epoch=10), 0))
    assert CoordinatorRecordHelpers.new_group_epoch_record("group-id", 10) == expected_record


def test_new_group_epoch_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="group-id"), 3), None)
    assert CoordinatorRecordHelpers.new_group_epoch_tombstone_record("group-id") == expected_record


def test_new_target_assignment_record() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    partitions = mk_assignment((topic_id1, 11, 12, 13), (topic_id2, 21, 22, 23))
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(
            ConsumerGroupTargetAssignmentMemberKey(group_id="group-id", member_id="member-id"), 7),
        ApiMessageAndVersion(
            ConsumerGroupTargetAssignmentMemberValue(
                topic_partitions=[
                    ConsumerGroupTargetAssignmentMemberValue.TopicPartition(
                        topic_id=topic_id1, partitions=[11, 12, 13]),
                    ConsumerGroupTargetAssignmentMemberValue.TopicPartition(
                        topic_id=topic_id2, partitions=[21, 22, 23])]),
            0))
    assert (
        CoordinatorRecordHelpers.new_target_assignment_record("group-id", "member-id", partitions)
        == expected_record)


def test_new_target_assignment_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(
            ConsumerGroupTargetAssignmentMemberKey(group_id="group-id", member_id="member-id"), 7),
        None)
    assert (
        CoordinatorRecordHelpers.new_target_assignment_tombstone_record("group-id", "member-id")
        == expected_record)


def test_new_target_assignment_epoch_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupTargetAssignmentMetadataKey(group_id="group-id"), 6),
        ApiMessageAndVersion(ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=10), 0))
    assert CoordinatorRecordHelpers.new_target_assignment_epoch_record("group-id", 10) == expected_record


def test_new_target_assignment_epoch_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(ConsumerGroupTargetAssignmentMetadataKey(group_id="group-id"), 6), None)
    assert (
        CoordinatorRecordHelpers.new_target_assignment_epoch_tombstone_record("group-id") == expected_record)


def test_new_current_assignment_record() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    assigned = mk_assignment((topic_id1, 11, 12, 13), (topic_id2, 21, 22, 23))
    revoking = mk_assignment((topic_id1, 14, 15, 16), (topic_id2, 24, 25, 26))
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(
            ConsumerGroupCurrentMemberAssignmentKey(group_id="group-id", member_id="member-id"), 8),
        ApiMessageAndVersion(
            ConsumerGroupCurrentMemberAssignmentValue(
                state=MemberState.UNREVOKED_PARTITIONS.value, member_epoch=22, previous_member_epoch=21,
                assigned_partitions=[
                    ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                        topic_id=topic_id1, partitions=[11, 12, 13]),
                    ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                        topic_id=topic_id2, partitions=[21, 22, 23])],
                partitions_pending_revocation=[
                    ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                        topic_id=topic_id1, partitions=[14, 15, 16]),
                    ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                        topic_id=topic_id2, partitions=[24, 25, 26])]),
            0))
    assert CoordinatorRecordHelpers.new_current_assignment_record(
        "group-id", mk_member(
            "member-id", state=MemberState.UNREVOKED_PARTITIONS, member_epoch=22, previous_member_epoch=21,
            assigned_partitions=assigned, partitions_pending_revocation=revoking)) == expected_record


def test_new_current_assignment_tombstone_record() -> None:
    expected_record = CoordinatorRecord(
        ApiMessageAndVersion(
            ConsumerGroupCurrentMemberAssignmentKey(group_id="group-id", member_id="member-id"), 8),
        None)
    assert (
        CoordinatorRecordHelpers.new_current_assignment_tombstone_record("group-id", "member-id")
        == expected_record)
