# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Members of consumer groups as those of classic groups, for a group that changes to the classic protocol.

Kafka's classes of classic groups in its new coordinator do the same; the classic coordinator's are used here.
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
    """Return the members of a group but for one. They all use the classic protocol."""
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
    """Give the members their target assignment, and return the record of their group. Raises SchemaException.

    Each assignment has the version of its member's subscription.
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
