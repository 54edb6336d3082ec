# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecordHelpers of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes the records of consumer groups. A key's version is the type of its record."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.coordinator.group.api.assignor.group_spec import Partitions
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.resolved_regular_expression import (
    RECORD_TYPE, ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue,
    ResolvedRegularExpression)
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
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


class CoordinatorRecordHelpers:
    """:origin: coordinator.group.CoordinatorRecordHelpers"""

    @staticmethod
    def new_member_subscription_record(group_id: str, member: ConsumerGroupMember) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newMemberSubscriptionRecord(String, ConsumerGroupMember)
        """  # noqa: E501
        topic_names = sorted(member.subscribed_topic_names())
        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id()), 5),
            ApiMessageAndVersion(
                ConsumerGroupMemberMetadataValue(
                    rack_id=member.rack_id(),
                    instance_id=member.instance_id(),
                    client_id=member.client_id(),
                    client_host=member.client_host(),
                    subscribed_topic_names=topic_names,
                    subscribed_topic_regex=member.subscribed_topic_regex(),
                    server_assignor=member.server_assignor_name(),
                    rebalance_timeout_ms=member.rebalance_timeout_ms(),
                    classic_member_metadata=member.classic_member_metadata()), 0))

    @staticmethod
    def new_member_subscription_tombstone_record(group_id: str, member_id: str) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newMemberSubscriptionTombstoneRecord(String, String)
        """  # noqa: E501
        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member_id),
                                 5), None)

    @staticmethod
    def new_group_subscription_metadata_record(
            group_id: str, new_subscription_metadata: Mapping[str, TopicMetadata]) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newGroupSubscriptionMetadataRecord(String, Map<String,TopicMetadata>)
        """  # noqa: E501
        value = ConsumerGroupPartitionMetadataValue(topics=[
            ConsumerGroupPartitionMetadataValue.TopicMetadata(
                topic_id=topic_metadata.id(),
                topic_name=topic_metadata.name(),
                num_partitions=topic_metadata.num_partitions(),
                partition_metadata=[
                    ConsumerGroupPartitionMetadataValue.PartitionMetadata(
                        partition=partition, racks=sorted(racks))
                    for partition, racks in topic_metadata.partition_racks().items()])
            for topic_metadata in new_subscription_metadata.values()])

        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupPartitionMetadataKey(group_id=group_id), 4),
            ApiMessageAndVersion(value, 0))

    @staticmethod
    def new_group_subscription_metadata_tombstone_record(group_id: str) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newGroupSubscriptionMetadataTombstoneRecord(String)
        """  # noqa: E501
        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupPartitionMetadataKey(group_id=group_id), 4), None)

    @staticmethod
    def new_regular_expression_record(
            group_id: str, regex: str, resolved: ResolvedRegularExpression | None) -> CoordinatorRecord:
        """Return the record of an expression's topics; for None, the tombstone of the expression."""
        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex), RECORD_TYPE),
            None if resolved is None else ApiMessageAndVersion(
                ConsumerGroupRegularExpressionValue(
                    topics=sorted(resolved.topics), timestamp=resolved.timestamp_ms), 0))

    @staticmethod
    def new_group_epoch_record(group_id: str, new_group_epoch: int) -> CoordinatorRecord:
        """:origin: coordinator.group.CoordinatorRecordHelpers#newGroupEpochRecord(String, int)"""
        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id=group_id), 3),
            ApiMessageAndVersion(ConsumerGroupMetadataValue(epoch=new_group_epoch), 0))

    @staticmethod
    def new_group_epoch_tombstone_record(group_id: str) -> CoordinatorRecord:
        """:origin: coordinator.group.CoordinatorRecordHelpers#newGroupEpochTombstoneRecord(String)"""
        return CoordinatorRecord(ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id=group_id), 3), None)

    @staticmethod
    def new_target_assignment_record(group_id: str, member_id: str,
                                     partitions: Partitions) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newTargetAssignmentRecord(String, String, Map<Uuid,Set<Integer>>)
        """  # noqa: E501
        topic_partitions = [
            ConsumerGroupTargetAssignmentMemberValue.TopicPartition(
                topic_id=topic_id, partitions=sorted(topic_partitions))
            for topic_id, topic_partitions in partitions.items()]

        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), 7),
            ApiMessageAndVersion(
                ConsumerGroupTargetAssignmentMemberValue(topic_partitions=topic_partitions), 0))

    @staticmethod
    def new_target_assignment_tombstone_record(group_id: str, member_id: str) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newTargetAssignmentTombstoneRecord(String, String)
        """
        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), 7), None)

    @staticmethod
    def new_target_assignment_epoch_record(group_id: str, assignment_epoch: int) -> CoordinatorRecord:
        """:origin: coordinator.group.CoordinatorRecordHelpers#newTargetAssignmentEpochRecord(String, int)"""
        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id), 6),
            ApiMessageAndVersion(
                ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=assignment_epoch), 0))

    @staticmethod
    def new_target_assignment_epoch_tombstone_record(group_id: str) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newTargetAssignmentEpochTombstoneRecord(String)
        """
        return CoordinatorRecord(
            ApiMessageAndVersion(ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id), 6), None)

    @staticmethod
    def new_current_assignment_record(group_id: str, member: ConsumerGroupMember) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newCurrentAssignmentRecord(String, ConsumerGroupMember)
        """  # noqa: E501
        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id()), 8),
            ApiMessageAndVersion(
                ConsumerGroupCurrentMemberAssignmentValue(
                    member_epoch=member.member_epoch(),
                    previous_member_epoch=member.previous_member_epoch(),
                    state=member.state().value,
                    assigned_partitions=CoordinatorRecordHelpers._to_topic_partitions(
                        member.assigned_partitions()),
                    partitions_pending_revocation=CoordinatorRecordHelpers._to_topic_partitions(
                        member.partitions_pending_revocation())), 0))

    @staticmethod
    def new_current_assignment_tombstone_record(group_id: str, member_id: str) -> CoordinatorRecord:
        """
        :origin: coordinator.group.CoordinatorRecordHelpers#newCurrentAssignmentTombstoneRecord(String, String)
        """  # noqa: E501
        return CoordinatorRecord(
            ApiMessageAndVersion(
                ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id), 8), None)

    @staticmethod
    def _to_topic_partitions(
        topic_partitions: Partitions,
    ) -> list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions]:
        """:origin: coordinator.group.CoordinatorRecordHelpers#toTopicPartitions(Map<Uuid,Set<Integer>>)"""
        return [ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
            topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in topic_partitions.items()]
