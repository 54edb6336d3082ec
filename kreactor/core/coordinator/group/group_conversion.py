# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Converts members of a consumer group to classic members, for a group that changes to the classic protocol.

Kafka has classes for classic groups in its new coordinator. Here the classic coordinator's classes are used.
"""

from __future__ import annotations

from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.utils.time import Time
from kreactor.coordinator.group.consumer.consumer_group import PROTOCOL_TYPE, ConsumerGroup
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_serde import CoordinatorRecordSerde
from kreactor.coordinator.group.group_metadata_manager import GroupMetadataManager as ConsumerGroups
from kreactor.coordinator.group.metadata_image import TopicsImage
from kreactor.core.coordinator.group.group_metadata import Empty, GroupMetadata
from kreactor.core.coordinator.group.group_metadata_manager import GroupMetadataManager
from kreactor.core.coordinator.group.member_metadata import MemberMetadata
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.metadata_version import MetadataVersion


def classic_members(group: ConsumerGroup, leaving_member_id: str) -> list[MemberMetadata]:
    """Return the members of a group except one. All of them use the classic protocol."""
    members = []
    for member_id, member in group.members().items():
        if member_id != leaving_member_id:
            session_timeout_ms = member.classic_protocol_session_timeout()
            assert session_timeout_ms is not None, "a member of the classic protocol"
            members.append(MemberMetadata(
                member_id, member.instance_id(), member.client_id(), member.client_host(),
                member.rebalance_timeout_ms(), session_timeout_ms, PROTOCOL_TYPE, [
                    (protocol.name, protocol.metadata)
                    for protocol in member.supported_join_group_request_protocols()]))
    return members


def classic_group_record(group: ConsumerGroup, members: list[MemberMetadata], topics: TopicsImage,
                         time: Time) -> CoordinatorRecord:
    """Assign the members their target assignment, and return their group's record. Raises SchemaException.

    Each assignment has the version of the member's subscription.
    """
    classic = GroupMetadata(group.group_id(), Empty, time)
    classic.take_members(group.group_epoch(), members)
    for member in members:
        version = ConsumerProtocol.deserialize_version(
            ByteBuffer.wrap(member.metadata(classic.protocol_name or "")))
        member.assignment = ConsumerProtocol.serialize_assignment(
            ConsumerProtocolAssignment(
                assigned_partitions=ConsumerGroups.to_topic_partition_list(
                    group.target_assignment_of(member.member_id).partitions(), topics), user_data=None),
            version)
    return CoordinatorRecordSerde().deserialize(
        ByteBuffer.wrap(GroupMetadataManager.group_metadata_key(group.group_id())),
        ByteBuffer.wrap(GroupMetadataManager.group_metadata_value(
            classic, {member.member_id: member.assignment for member in members},
            MetadataVersion.latest_production())))
