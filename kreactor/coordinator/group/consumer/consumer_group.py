# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.ConsumerGroup of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A consumer group: its members, their target assignment, and the epoch that owns each partition.

Only replayed records change the state. The lock of the group's shard guards it.

A group of epoch e has a target assignment of an epoch up to e. A member has an epoch up to that of the target
assignment. ``current_partition_epoch`` has an entry for each partition that a member owns or is still
revoking. No other member gets the partition before that entry is removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from kreactor.common.errors import (
    GroupNotEmptyException, IllegalGenerationException, StaleMemberEpochException, UnknownMemberIdException,
    UnsupportedVersionException)
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import Partitions, SubscriptionType
from kreactor.coordinator.group.classic_group import ClassicGroup
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.resolved_regular_expression import ResolvedRegularExpression
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicsImage
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.config.group_type import GroupType

# DEVIATION D307: a group has one state, that after the last appended record. Kafka keeps a timeline of
# states: it answers reads from the state of the last committed record, and reverts the state when an append
# fails. Here a record is replayed once it is in the log.

PROTOCOL_TYPE = "consumer"


class ConsumerGroup:
    """:origin: coordinator.group.consumer.ConsumerGroup"""

    __slots__ = ("_group_id", "_state", "_group_epoch", "_members", "_static_members", "_server_assignors",
                 "_subscribed_topic_names", "_subscribed_topic_metadata", "_subscription_type",
                 "_target_assignment_epoch", "_target_assignment", "_inverted_target_assignment",
                 "_current_partition_epoch", "_metadata_refresh_deadline", "_num_classic_protocol_members",
                 "_classic_protocol_members_supported_protocols", "_subscribed_regular_expressions",
                 "_resolved_regular_expressions")

    class ConsumerGroupState(Enum):
        """:origin: coordinator.group.consumer.ConsumerGroup.ConsumerGroupState"""

        EMPTY = "Empty"
        ASSIGNING = "Assigning"
        RECONCILING = "Reconciling"
        STABLE = "Stable"
        DEAD = "Dead"

        def __init__(self, name: str) -> None:
            """
            :origin: coordinator.group.consumer.ConsumerGroup.ConsumerGroupState#ConsumerGroupState(String)
            """
            self._name = name
            self._lower_case_name = name.lower()

        def __str__(self) -> str:
            """:origin: coordinator.group.consumer.ConsumerGroup.ConsumerGroupState#toString()"""
            return self._name

        def to_lower_case_string(self) -> str:
            """:origin: coordinator.group.consumer.ConsumerGroup.ConsumerGroupState#toLowerCaseString()"""
            return self._lower_case_name

    class DeadlineAndEpoch(NamedTuple):
        """
        :origin: coordinator.group.consumer.ConsumerGroup.DeadlineAndEpoch
        :origin: coordinator.group.consumer.ConsumerGroup.DeadlineAndEpoch#DeadlineAndEpoch(long, int)
        """

        deadline_ms: int
        epoch: int

    # :origin: coordinator.group.consumer.ConsumerGroup.DeadlineAndEpoch#EMPTY
    _NO_DEADLINE = DeadlineAndEpoch(0, 0)

    def __init__(self, group_id: str) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#ConsumerGroup(SnapshotRegistry, String, GroupCoordinatorMetricsShard)
        """  # noqa: E501
        self._group_id = group_id
        self._state = self.ConsumerGroupState.EMPTY
        self._group_epoch = 0
        self._members: dict[str, ConsumerGroupMember] = {}
        # Member ids by instance id.
        self._static_members: dict[str, str] = {}
        # The number of members that request each assignor, and of those that subscribe to each topic. A
        # regular expression that matches a topic counts like a member.
        self._server_assignors: dict[str, int] = {}
        self._subscribed_topic_names: dict[str, int] = {}
        self._subscribed_topic_metadata: Mapping[str, TopicMetadata] = {}
        self._subscription_type = SubscriptionType.HOMOGENEOUS
        self._target_assignment_epoch = 0
        self._target_assignment: dict[str, Assignment] = {}
        # The member that has each partition in the target assignment, by topic and partition.
        self._inverted_target_assignment: dict[Uuid, dict[int, str]] = {}
        self._current_partition_epoch: dict[Uuid, dict[int, int]] = {}
        self._metadata_refresh_deadline = self._NO_DEADLINE
        self._num_classic_protocol_members = 0
        self._classic_protocol_members_supported_protocols: dict[str, int] = {}
        # The number of members that subscribe to each regular expression, and the topics of each expression.
        self._subscribed_regular_expressions: dict[str, int] = {}
        self._resolved_regular_expressions: dict[str, ResolvedRegularExpression] = {}

    def type(self) -> GroupType:
        """:origin: coordinator.group.consumer.ConsumerGroup#type()"""
        return GroupType.CONSUMER

    def state_as_string(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroup#stateAsString()"""
        return str(self._state)

    def as_listed_group(self) -> ListGroupsResponseData.ListedGroup:
        """:origin: coordinator.group.consumer.ConsumerGroup#asListedGroup(long)"""
        return ListGroupsResponseData.ListedGroup(
            group_id=self._group_id,
            protocol_type=PROTOCOL_TYPE,
            group_state=str(self._state),
            group_type=str(self.type()))

    def group_id(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroup#groupId()"""
        return self._group_id

    def state(self) -> ConsumerGroup.ConsumerGroupState:
        """:origin: coordinator.group.consumer.ConsumerGroup#state()"""
        return self._state

    def group_epoch(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroup#groupEpoch()"""
        return self._group_epoch

    def set_group_epoch(self, group_epoch: int) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#setGroupEpoch(int)"""
        self._group_epoch = group_epoch
        self._maybe_update_group_state()

    def assignment_epoch(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroup#assignmentEpoch()"""
        return self._target_assignment_epoch

    def set_target_assignment_epoch(self, target_assignment_epoch: int) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#setTargetAssignmentEpoch(int)"""
        self._target_assignment_epoch = target_assignment_epoch
        self._maybe_update_group_state()

    def set_num_classic_protocol_members(self, num_classic_protocol_members: int) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#setNumClassicProtocolMembers(int)"""
        self._num_classic_protocol_members = num_classic_protocol_members

    def static_member_id(self, group_instance_id: str) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroup#staticMemberId(String)"""
        return self._static_members.get(group_instance_id)

    def get_or_maybe_create_member(self, member_id: str, create_if_not_exists: bool) -> ConsumerGroupMember:
        """Return a member; a new member is not added to the group. Raises UnknownMemberIdException.

        :origin: coordinator.group.consumer.ConsumerGroup#getOrMaybeCreateMember(String, boolean)
        """
        member = self._members.get(member_id)
        if member is not None:
            return member

        if not create_if_not_exists:
            raise UnknownMemberIdException(f"Member {member_id} is not a member of group {self._group_id}.")

        return ConsumerGroupMember.Builder(member_id).build()

    def static_member(self, instance_id: str) -> ConsumerGroupMember | None:
        """:origin: coordinator.group.consumer.ConsumerGroup#staticMember(String)"""
        existing_member_id = self.static_member_id(instance_id)
        return None if existing_member_id is None else self.get_or_maybe_create_member(
            existing_member_id, False)

    def update_member(self, new_member: ConsumerGroupMember) -> None:
        """Add a member, or replace the member of the same id.

        :origin: coordinator.group.consumer.ConsumerGroup#updateMember(ConsumerGroupMember)
        """
        if new_member is None:
            raise IllegalArgumentException("newMember cannot be null.")
        old_member = self._members.get(new_member.member_id())
        self._members[new_member.member_id()] = new_member
        _count_regular_expressions(self._subscribed_regular_expressions, old_member, new_member)
        self._maybe_update_subscribed_topic_names_and_group_subscription_type(old_member, new_member)
        self._maybe_update_server_assignors_of_group(old_member, new_member)
        self._maybe_update_partition_epoch(old_member, new_member)
        self._update_static_member(new_member)
        self._maybe_update_group_state()
        self._maybe_update_num_classic_protocol_members(old_member, new_member)
        self._maybe_update_classic_protocol_members_supported_protocols(old_member, new_member)

    def _update_static_member(self, new_member: ConsumerGroupMember) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#updateStaticMember(ConsumerGroupMember)"""
        instance_id = new_member.instance_id()
        if instance_id is not None:
            self._static_members[instance_id] = new_member.member_id()

    def remove_member(self, member_id: str) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#removeMember(String)"""
        old_member = self._members.pop(member_id)
        _count_regular_expressions(self._subscribed_regular_expressions, old_member, None)
        self._maybe_update_subscribed_topic_names_and_group_subscription_type(old_member, None)
        self._maybe_update_server_assignors_of_group(old_member, None)
        self._maybe_remove_partition_epoch(old_member)
        self._remove_static_member(old_member)
        self._maybe_update_group_state()
        self._maybe_update_num_classic_protocol_members(old_member, None)
        self._maybe_update_classic_protocol_members_supported_protocols(old_member, None)

    def _remove_static_member(self, old_member: ConsumerGroupMember) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#removeStaticMember(ConsumerGroupMember)"""
        instance_id = old_member.instance_id()
        if instance_id is not None:
            self._static_members.pop(instance_id, None)

    def has_member(self, member_id: str) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroup#hasMember(String)"""
        return member_id in self._members

    def num_members(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroup#numMembers()"""
        return len(self._members)

    def num_classic_protocol_members(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroup#numClassicProtocolMembers()"""
        return self._num_classic_protocol_members

    def classic_members_supported_protocols(self) -> Mapping[str, int]:
        """:origin: coordinator.group.consumer.ConsumerGroup#classicMembersSupportedProtocols()"""
        return MappingProxyType(self._classic_protocol_members_supported_protocols)

    def members(self) -> Mapping[str, ConsumerGroupMember]:
        """:origin: coordinator.group.consumer.ConsumerGroup#members()"""
        return MappingProxyType(self._members)

    def static_members(self) -> Mapping[str, str]:
        """:origin: coordinator.group.consumer.ConsumerGroup#staticMembers()"""
        return MappingProxyType(self._static_members)

    def subscribed_topic_names(self) -> Mapping[str, int]:
        """Return how many members and regular expressions subscribe to each topic.

        :origin: coordinator.group.consumer.ConsumerGroup#subscribedTopicNames()
        """
        return MappingProxyType(self._subscribed_topic_names)

    def is_subscribed_to_topic(self, topic: str) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroup#isSubscribedToTopic(String)"""
        return topic in self._subscribed_topic_names

    def resolved_regular_expressions(self) -> Mapping[str, ResolvedRegularExpression]:
        """Return the topics of each regular expression that has been matched with topics."""
        return MappingProxyType(self._resolved_regular_expressions)

    def update_resolved_regular_expression(
            self, regex: str, resolved: ResolvedRegularExpression | None) -> None:
        """Replace the topics of an expression; None removes the expression."""
        self._count_matches(self._subscribed_topic_names, {regex: resolved})
        if resolved is None:
            self._resolved_regular_expressions.pop(regex, None)
        else:
            self._resolved_regular_expressions[regex] = resolved
        self._update_subscription_type()

    def compute_subscribed_regular_expressions(
            self, old_member: ConsumerGroupMember | None,
            new_member: ConsumerGroupMember | None) -> dict[str, int]:
        """Return how many members subscribe to each expression after a change of a member."""
        counts = dict(self._subscribed_regular_expressions)
        _count_regular_expressions(counts, old_member, new_member)
        return counts

    def _count_matches(self, counts: dict[str, int],
                       changes: Mapping[str, ResolvedRegularExpression | None]) -> None:
        """Replace the topics of expressions in a count of each topic's subscriptions."""
        for regex, resolved in changes.items():
            old = self._resolved_regular_expressions.get(regex)
            for topic_name in sorted(old.topics if old is not None else ()):
                _count(counts, topic_name, -1)
            for topic_name in sorted(resolved.topics if resolved is not None else ()):
                _count(counts, topic_name, 1)

    def subscription_type(self) -> SubscriptionType:
        """:origin: coordinator.group.consumer.ConsumerGroup#subscriptionType()"""
        return self._subscription_type

    def target_assignment_of(self, member_id: str) -> Assignment:
        """:origin: coordinator.group.consumer.ConsumerGroup#targetAssignment(String)"""
        return self._target_assignment.get(member_id, Assignment.EMPTY)

    def inverted_target_assignment(self) -> Mapping[Uuid, Mapping[int, str]]:
        """:origin: coordinator.group.consumer.ConsumerGroup#invertedTargetAssignment()"""
        return MappingProxyType(self._inverted_target_assignment)

    def update_target_assignment(self, member_id: str, new_target_assignment: Assignment) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#updateTargetAssignment(String, Assignment)"""
        self._update_inverted_target_assignment(
            member_id, self._target_assignment.get(member_id, Assignment.EMPTY), new_target_assignment)
        self._target_assignment[member_id] = new_target_assignment

    def _update_inverted_target_assignment(self, member_id: str, old_target_assignment: Assignment,
                                           new_target_assignment: Assignment) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#updateInvertedTargetAssignment(String, Assignment, Assignment)
        """  # noqa: E501
        all_topic_ids = {*old_target_assignment.partitions(), *new_target_assignment.partitions()}

        for topic_id in all_topic_ids:
            old_partitions = old_target_assignment.partitions().get(topic_id, frozenset())
            new_partitions = new_target_assignment.partitions().get(topic_id, frozenset())

            topic_partition_assignment = self._inverted_target_assignment.setdefault(topic_id, {})

            # An earlier record may have given the partition to another member.
            for partition in old_partitions:
                if partition not in new_partitions and topic_partition_assignment.get(partition) == member_id:
                    del topic_partition_assignment[partition]

            for partition in new_partitions:
                if partition not in old_partitions:
                    topic_partition_assignment[partition] = member_id

            if not topic_partition_assignment:
                del self._inverted_target_assignment[topic_id]

    def remove_target_assignment(self, member_id: str) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#removeTargetAssignment(String)"""
        self._update_inverted_target_assignment(
            member_id, self._target_assignment.get(member_id, Assignment.EMPTY), Assignment.EMPTY)
        self._target_assignment.pop(member_id, None)

    def target_assignment(self) -> Mapping[str, Assignment]:
        """:origin: coordinator.group.consumer.ConsumerGroup#targetAssignment()"""
        return MappingProxyType(self._target_assignment)

    def current_partition_epoch(self, topic_id: Uuid, partition_id: int) -> int:
        """Return the epoch of the member that has the partition, -1 if none has.

        :origin: coordinator.group.consumer.ConsumerGroup#currentPartitionEpoch(Uuid, int)
        """
        partitions = self._current_partition_epoch.get(topic_id)
        if partitions is None:
            return -1
        else:
            return partitions.get(partition_id, -1)

    def compute_preferred_server_assignor(self, old_member: ConsumerGroupMember | None,
                                          new_member: ConsumerGroupMember | None) -> str | None:
        """Return the assignor that most members would request after the change; None if no member requests
        one.

        :origin: coordinator.group.consumer.ConsumerGroup#computePreferredServerAssignor(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        counts = dict(self._server_assignors)
        self._maybe_update_server_assignors(counts, old_member, new_member)

        return max(counts, key=counts.__getitem__, default=None)

    def preferred_server_assignor(self) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroup#preferredServerAssignor()"""
        return max(self._server_assignors, key=self._server_assignors.__getitem__, default=None)

    def subscription_metadata(self) -> Mapping[str, TopicMetadata]:
        """:origin: coordinator.group.consumer.ConsumerGroup#subscriptionMetadata()"""
        return self._subscribed_topic_metadata

    def set_subscription_metadata(self, subscription_metadata: Mapping[str, TopicMetadata]) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#setSubscriptionMetadata(Map<String,TopicMetadata>)
        """
        self._subscribed_topic_metadata = MappingProxyType(dict(subscription_metadata))

    def compute_subscription_metadata(self, subscribed_topic_names: Mapping[str, int],
                                      image: MetadataImage) -> Mapping[str, TopicMetadata]:
        """Return the metadata of the known topics, with the racks of the partitions that have any.

        :origin: coordinator.group.consumer.ConsumerGroup#computeSubscriptionMetadata(Map<String,Integer>, TopicsImage, ClusterImage)
        """  # noqa: E501
        new_subscription_metadata: dict[str, TopicMetadata] = {}

        for topic_name in subscribed_topic_names:
            topic_image = image.topics.get_topic(topic_name)
            if topic_image is not None:
                partition_racks: dict[int, AbstractSet[str]] = {}
                for partition, replicas in topic_image.partitions.items():
                    racks = {image.racks[replica] for replica in replicas if replica in image.racks}
                    if racks:
                        partition_racks[partition] = racks

                new_subscription_metadata[topic_name] = TopicMetadata(
                    topic_image.id, topic_image.name, len(topic_image.partitions), partition_racks)

        return MappingProxyType(new_subscription_metadata)

    def set_metadata_refresh_deadline(self, deadline_ms: int, group_epoch: int) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#setMetadataRefreshDeadline(long, int)"""
        self._metadata_refresh_deadline = self.DeadlineAndEpoch(deadline_ms, group_epoch)

    def request_metadata_refresh(self) -> None:
        """Have the next heartbeat check the topics again.

        :origin: coordinator.group.consumer.ConsumerGroup#requestMetadataRefresh()
        """
        self._metadata_refresh_deadline = self._NO_DEADLINE

    def has_metadata_expired(self, current_time_ms: int) -> bool:
        """Return whether the subscription metadata is too old, or older than the group's epoch.

        :origin: coordinator.group.consumer.ConsumerGroup#hasMetadataExpired(long)
        """
        return (current_time_ms >= self._metadata_refresh_deadline.deadline_ms
                or self.group_epoch() < self._metadata_refresh_deadline.epoch)

    def metadata_refresh_deadline(self) -> ConsumerGroup.DeadlineAndEpoch:
        """:origin: coordinator.group.consumer.ConsumerGroup#metadataRefreshDeadline()"""
        return self._metadata_refresh_deadline

    def validate_offset_commit(self, member_id: str, group_instance_id: str | None, member_epoch: int,
                               is_transactional: bool, api_version: int) -> None:
        """Raises UnknownMemberIdException, StaleMemberEpochException, IllegalGenerationException and
        UnsupportedVersionException.

        :origin: coordinator.group.consumer.ConsumerGroup#validateOffsetCommit(String, String, int, boolean, short)
        """  # noqa: E501
        # An epoch below 0 comes from an admin client, or from a consumer without a group.
        if member_epoch < 0 and not self.members():
            return

        member = self.get_or_maybe_create_member(member_id, False)

        if not is_transactional and not member.use_classic_protocol() and api_version < 9:
            raise UnsupportedVersionException(
                "OffsetCommit version 9 or above must be used by members using the consumer group protocol")

        self._validate_member_epoch(member_epoch, member.member_epoch(), member.use_classic_protocol())

    def validate_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """Raises UnknownMemberIdException, StaleMemberEpochException and IllegalGenerationException.

        :origin: coordinator.group.consumer.ConsumerGroup#validateOffsetFetch(String, int, long)
        """
        # A request without member id and epoch comes from an admin client, or from an older client.
        if member_id is None and member_epoch < 0:
            return

        member = self._members.get(member_id) if member_id is not None else None
        if member is None:
            raise UnknownMemberIdException(f"Member {member_id} is not a member of group {self._group_id}.")
        self._validate_member_epoch(member_epoch, member.member_epoch(), member.use_classic_protocol())

    def validate_delete_group(self) -> None:
        """Raises GroupNotEmptyException.

        :origin: coordinator.group.consumer.ConsumerGroup#validateDeleteGroup()
        """
        if self.state() is not self.ConsumerGroupState.EMPTY:
            raise GroupNotEmptyException(Errors.NON_EMPTY_GROUP.message())

    def create_group_tombstone_records(self, records: list[CoordinatorRecord]) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#createGroupTombstoneRecords(List<CoordinatorRecord>)
        """
        group_id = self._group_id
        for member_id in self.members():
            records.append(
                CoordinatorRecordHelpers.new_current_assignment_tombstone_record(group_id, member_id))

        for member_id in self.members():
            records.append(
                CoordinatorRecordHelpers.new_target_assignment_tombstone_record(group_id, member_id))
        records.append(CoordinatorRecordHelpers.new_target_assignment_epoch_tombstone_record(group_id))

        for member_id in self.members():
            records.append(
                CoordinatorRecordHelpers.new_member_subscription_tombstone_record(group_id, member_id))

        for regex in self._resolved_regular_expressions:
            records.append(CoordinatorRecordHelpers.new_regular_expression_record(group_id, regex, None))

        records.append(CoordinatorRecordHelpers.new_group_subscription_metadata_tombstone_record(group_id))
        records.append(CoordinatorRecordHelpers.new_group_epoch_tombstone_record(group_id))

    def is_empty(self) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroup#isEmpty()"""
        return self.state() is self.ConsumerGroupState.EMPTY

    def is_in_states(self, states_filter: Collection[str]) -> bool:
        """Return whether the group's state is among ``states``, which are in lower case.

        :origin: coordinator.group.consumer.ConsumerGroup#isInStates(Set<String>, long)
        """
        return self._state.to_lower_case_string() in states_filter

    def _validate_member_epoch(self, received_member_epoch: int, expected_member_epoch: int,
                               use_classic_protocol: bool) -> None:
        """Raises StaleMemberEpochException, for members of the classic protocol IllegalGenerationException.

        :origin: coordinator.group.consumer.ConsumerGroup#validateMemberEpoch(int, int, boolean)
        """
        if received_member_epoch != expected_member_epoch:
            if use_classic_protocol:
                raise IllegalGenerationException(
                    f"The received generation id {received_member_epoch} does not match the expected member "
                    f"epoch {expected_member_epoch}.")
            else:
                raise StaleMemberEpochException(
                    f"The received member epoch {received_member_epoch} does not match the expected member "
                    f"epoch {expected_member_epoch}.")

    def _maybe_update_group_state(self) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateGroupState()"""
        new_state = self.ConsumerGroupState.STABLE
        if not self._members:
            new_state = self.ConsumerGroupState.EMPTY
        elif self._group_epoch > self._target_assignment_epoch:
            new_state = self.ConsumerGroupState.ASSIGNING
        else:
            for member in self._members.values():
                if not member.is_reconciled_to(self._target_assignment_epoch):
                    new_state = self.ConsumerGroupState.RECONCILING
                    break

        self._state = new_state

    def _maybe_update_server_assignors_of_group(self, old_member: ConsumerGroupMember | None,
                                                new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateServerAssignors(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        self._maybe_update_server_assignors(self._server_assignors, old_member, new_member)

    @staticmethod
    def _maybe_update_server_assignors(
            server_assignor_count: dict[str, int], old_member: ConsumerGroupMember | None,
            new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateServerAssignors(Map<String, Integer>, ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        if old_member is not None and (name := old_member.server_assignor_name()) is not None:
            _count(server_assignor_count, name, -1)
        if new_member is not None and (name := new_member.server_assignor_name()) is not None:
            _count(server_assignor_count, name, 1)

    def _maybe_update_num_classic_protocol_members(self, old_member: ConsumerGroupMember | None,
                                                   new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateNumClassicProtocolMembers(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        delta = 0
        if old_member is not None and old_member.use_classic_protocol():
            delta -= 1
        if new_member is not None and new_member.use_classic_protocol():
            delta += 1
        self.set_num_classic_protocol_members(self.num_classic_protocol_members() + delta)

    def _maybe_update_classic_protocol_members_supported_protocols(
            self, old_member: ConsumerGroupMember | None, new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateClassicProtocolMembersSupportedProtocols(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        counts = self._classic_protocol_members_supported_protocols
        if old_member is not None:
            for protocol in old_member.supported_classic_protocols() or ():
                _count(counts, protocol.name, -1)
        if new_member is not None:
            for protocol in new_member.supported_classic_protocols() or ():
                _count(counts, protocol.name, 1)

    def _maybe_update_subscribed_topic_names_and_group_subscription_type(
            self, old_member: ConsumerGroupMember | None, new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateSubscribedTopicNamesAndGroupSubscriptionType(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        self._maybe_update_subscribed_topic_names(self._subscribed_topic_names, old_member, new_member)
        self._update_subscription_type()

    def _update_subscription_type(self) -> None:
        self._subscription_type = self.subscription_type_of(
            self._subscribed_topic_names, len(self._members), self._subscribed_regular_expressions,
            self._resolved_regular_expressions)

    @staticmethod
    def _maybe_update_subscribed_topic_names(
            subscribed_topic_count: dict[str, int], old_member: ConsumerGroupMember | None,
            new_member: ConsumerGroupMember | None) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdateSubscribedTopicNames(Map<String,Integer>, ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        if old_member is not None:
            for topic_name in sorted(old_member.subscribed_topic_names()):
                _count(subscribed_topic_count, topic_name, -1)

        if new_member is not None:
            for topic_name in sorted(new_member.subscribed_topic_names()):
                _count(subscribed_topic_count, topic_name, 1)

    def compute_subscribed_topic_names(
        self, old_member: ConsumerGroupMember | None, new_member: ConsumerGroupMember | None,
        resolved: Mapping[str, ResolvedRegularExpression | None] = MappingProxyType({}),
    ) -> dict[str, int]:
        """Return how many members and expressions would subscribe to each topic after the change.

        ``resolved`` has the expressions that change.

        :origin: coordinator.group.consumer.ConsumerGroup#computeSubscribedTopicNames(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        subscribed_topic_names = dict(self._subscribed_topic_names)
        self._maybe_update_subscribed_topic_names(subscribed_topic_names, old_member, new_member)
        self._count_matches(subscribed_topic_names, resolved)
        return subscribed_topic_names

    def compute_subscribed_topic_names_removed(
        self, removed_members: Collection[ConsumerGroupMember] | None,
        resolved: Mapping[str, ResolvedRegularExpression | None] = MappingProxyType({}),
    ) -> dict[str, int]:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#computeSubscribedTopicNames(Set<ConsumerGroupMember>)
        """  # noqa: E501
        subscribed_topic_names = dict(self._subscribed_topic_names)
        for removed_member in removed_members or ():
            self._maybe_update_subscribed_topic_names(subscribed_topic_names, removed_member, None)
        self._count_matches(subscribed_topic_names, resolved)
        return subscribed_topic_names

    @staticmethod
    def subscription_type_of(
        subscribed_topic_names: Mapping[str, int], number_of_members: int,
        subscribed_regular_expressions: Mapping[str, int] = MappingProxyType({}),
        resolved_regular_expressions: Mapping[str, ResolvedRegularExpression] = MappingProxyType({}),
    ) -> SubscriptionType:
        """:origin: coordinator.group.consumer.ConsumerGroup#subscriptionType(Map<String, Integer>, int)"""
        if not subscribed_topic_names:
            return SubscriptionType.HOMOGENEOUS

        # DEVIATION D314: members with regular expressions have the same topics if all have the same
        # expression and no names. Then each topic of the expression counts once, and there is no other.
        if subscribed_regular_expressions:
            (regex, members), *others = subscribed_regular_expressions.items()
            resolved = resolved_regular_expressions.get(regex)
            if (others or members != number_of_members or resolved is None
                    or subscribed_topic_names != dict.fromkeys(resolved.topics, 1)):
                return SubscriptionType.HETEROGENEOUS
            return SubscriptionType.HOMOGENEOUS

        for subscriber_count in subscribed_topic_names.values():
            if subscriber_count != number_of_members:
                return SubscriptionType.HETEROGENEOUS
        return SubscriptionType.HOMOGENEOUS

    def _maybe_update_partition_epoch(self, old_member: ConsumerGroupMember | None,
                                      new_member: ConsumerGroupMember) -> None:
        """
        :origin: coordinator.group.consumer.ConsumerGroup#maybeUpdatePartitionEpoch(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        self._maybe_remove_partition_epoch(old_member)
        self.add_partition_epochs(new_member.assigned_partitions(), new_member.member_epoch())
        self.add_partition_epochs(new_member.partitions_pending_revocation(), new_member.member_epoch())

    def _maybe_remove_partition_epoch(self, old_member: ConsumerGroupMember | None) -> None:
        """:origin: coordinator.group.consumer.ConsumerGroup#maybeRemovePartitionEpoch(ConsumerGroupMember)"""
        if old_member is not None:
            self.remove_partition_epochs(old_member.assigned_partitions(), old_member.member_epoch())
            self.remove_partition_epochs(old_member.partitions_pending_revocation(),
                                         old_member.member_epoch())

    def remove_partition_epochs(self, assignment: Partitions, expected_epoch: int) -> None:
        """Raises IllegalStateException for a partition that is not owned at the epoch.

        :origin: coordinator.group.consumer.ConsumerGroup#removePartitionEpochs(Map<Uuid,Set<Integer>>, int)
        """
        for topic_id, assigned_partitions in assignment.items():
            partitions_or_none = self._current_partition_epoch.get(topic_id)
            if partitions_or_none is not None:
                for partition_id in assigned_partitions:
                    prev_value = partitions_or_none.pop(partition_id, None)
                    if prev_value != expected_epoch:
                        raise IllegalStateException(
                            f"Cannot remove the epoch {expected_epoch} from {topic_id}-{partition_id} "
                            f"because the partition is still owned at a different epoch {prev_value}")
                if not partitions_or_none:
                    del self._current_partition_epoch[topic_id]
            else:
                raise IllegalStateException(
                    f"Cannot remove the epoch {expected_epoch} from {topic_id} because it does not have any "
                    "epoch")

    def add_partition_epochs(self, assignment: Partitions, epoch: int) -> None:
        """Raises IllegalStateException for a partition that is owned.

        :origin: coordinator.group.consumer.ConsumerGroup#addPartitionEpochs(Map<Uuid,Set<Integer>>, int)
        """
        for topic_id, assigned_partitions in assignment.items():
            partitions = self._current_partition_epoch.setdefault(topic_id, {})
            for partition_id in assigned_partitions:
                prev_value = partitions.get(partition_id)
                partitions[partition_id] = epoch
                if prev_value is not None:
                    raise IllegalStateException(
                        f"Cannot set the epoch of {topic_id}-{partition_id} to {epoch} because the partition "
                        f"is still owned at epoch {prev_value}")

    def as_described_group(self, default_assignor: str,
                           image: MetadataImage) -> ConsumerGroupDescribeResponseData.DescribedGroup:
        """:origin: coordinator.group.consumer.ConsumerGroup#asDescribedGroup(long, String, TopicsImage)"""
        return ConsumerGroupDescribeResponseData.DescribedGroup(
            group_id=self._group_id,
            assignor_name=self.preferred_server_assignor() or default_assignor,
            group_epoch=self._group_epoch,
            group_state=str(self._state),
            assignment_epoch=self._target_assignment_epoch,
            members=[
                member.as_consumer_group_describe_member(
                    self._target_assignment.get(member.member_id()), image.topics)
                for member in self._members.values()])

    @staticmethod
    def from_classic_group(classic_group: ClassicGroup, topics_image: TopicsImage) -> ConsumerGroup:
        """Return a group with the members of a classic group. The members keep the assignments of their
        leader.

        Raises SchemaException or RuntimeError for a subscription or an assignment that cannot be parsed.

        :origin: coordinator.group.consumer.ConsumerGroup#fromClassicGroup(SnapshotRegistry, GroupCoordinatorMetricsShard, ClassicGroup, TopicsImage)
        """  # noqa: E501
        consumer_group = ConsumerGroup(classic_group.group_id)
        consumer_group.set_group_epoch(classic_group.generation_id)
        consumer_group.set_target_assignment_epoch(classic_group.generation_id)

        for classic_group_member in classic_group.members:
            assignment = ConsumerProtocol.deserialize_assignment(
                ByteBuffer.wrap(classic_group_member.assignment))
            partitions = ConsumerGroup._topic_partition_map_from_list(
                assignment.assigned_partitions, topics_image)

            metadata = dict(classic_group_member.supported_protocols)[classic_group.protocol_name or ""]
            subscription = ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(metadata))

            # All members are stable: the members of a rebalancing group are told to join again.
            new_member = (
                ConsumerGroupMember.Builder(classic_group_member.member_id)
                .set_member_epoch(classic_group.generation_id)
                .set_state(MemberState.STABLE)
                .set_previous_member_epoch(classic_group.generation_id)
                .set_instance_id(classic_group_member.group_instance_id)
                .set_rack_id(subscription.rack_id)
                .set_rebalance_timeout_ms(classic_group_member.rebalance_timeout_ms)
                .set_client_id(classic_group_member.client_id)
                .set_client_host(classic_group_member.client_host)
                .set_subscribed_topic_names(subscription.topics)
                .set_assigned_partitions(partitions)
                .set_classic_member_metadata(ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                    session_timeout_ms=classic_group_member.session_timeout_ms,
                    supported_protocols=[
                        ConsumerGroupMemberMetadataValue.ClassicProtocol(name=name, metadata=metadata)
                        for name, metadata in classic_group_member.supported_protocols]))
                .build())
            consumer_group.update_target_assignment(new_member.member_id(), Assignment(partitions))
            consumer_group.update_member(new_member)

        return consumer_group

    def create_consumer_group_records(self, records: list[CoordinatorRecord]) -> None:
        """Add the records of the whole group.

        :origin: coordinator.group.consumer.ConsumerGroup#createConsumerGroupRecords(List<CoordinatorRecord>)
        """
        for member in self.members().values():
            records.append(CoordinatorRecordHelpers.new_member_subscription_record(self._group_id, member))

        records.append(CoordinatorRecordHelpers.new_group_epoch_record(self._group_id, self.group_epoch()))

        for member_id in self.members():
            records.append(CoordinatorRecordHelpers.new_target_assignment_record(
                self._group_id, member_id, self.target_assignment_of(member_id).partitions()))

        records.append(CoordinatorRecordHelpers.new_target_assignment_epoch_record(
            self._group_id, self.group_epoch()))

        for member in self.members().values():
            records.append(CoordinatorRecordHelpers.new_current_assignment_record(self._group_id, member))

    @staticmethod
    def _topic_partition_map_from_list(
        partitions: Iterable[ConsumerProtocolAssignment.TopicPartition], topics_image: TopicsImage,
    ) -> Partitions:
        """Return partitions by topic id, without those of deleted topics.

        :origin: coordinator.group.consumer.ConsumerGroup#topicPartitionMapFromList(List<TopicPartition>, TopicsImage)
        """  # noqa: E501
        topic_partition_map: dict[Uuid, frozenset[int]] = {}
        for topic_partition in partitions:
            topic_image = topics_image.get_topic(topic_partition.topic)
            if topic_image is not None:
                topic_partition_map[topic_image.id] = frozenset(topic_partition.partitions)
        return topic_partition_map

    def supports_classic_protocols(self, member_protocol_type: str,
                                   member_protocols: AbstractSet[str]) -> bool:
        """Return whether all members of the classic protocol support one of the protocols.

        :origin: coordinator.group.consumer.ConsumerGroup#supportsClassicProtocols(String, Set<String>)
        """
        if member_protocol_type == PROTOCOL_TYPE:
            if self.is_empty():
                return bool(member_protocols)
            else:
                return any(
                    self._classic_protocol_members_supported_protocols.get(name, 0)
                    == self.num_classic_protocol_members()
                    for name in member_protocols)
        return False

    def all_members_use_classic_protocol_except(self, member_id: str) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroup#allMembersUseClassicProtocolExcept(String)"""
        return (self.num_classic_protocol_members() == len(self.members()) - 1
                and not self.get_or_maybe_create_member(member_id, False).use_classic_protocol())

    def waiting_on_unreleased_partition(self, member: ConsumerGroupMember) -> bool:
        """Return whether another member still owns a partition that the target assignment gives to this
        member.

        :origin: coordinator.group.consumer.ConsumerGroup#waitingOnUnreleasedPartition(ConsumerGroupMember)
        """
        if member.state() is MemberState.UNRELEASED_PARTITIONS:
            for topic_id, partitions in self.target_assignment_of(member.member_id()).partitions().items():
                assigned_partitions = member.assigned_partitions().get(topic_id, frozenset())

                for partition in partitions:
                    if partition not in assigned_partitions and \
                            self.current_partition_epoch(topic_id, partition) != -1:
                        return True
        return False


def _count_regular_expressions(counts: dict[str, int], old_member: ConsumerGroupMember | None,
                               new_member: ConsumerGroupMember | None) -> None:
    """Replace the old member's expression with the new member's."""
    if old_member is not None and (regex := old_member.subscribed_topic_regex()):
        _count(counts, regex, -1)
    if new_member is not None and (regex := new_member.subscribed_topic_regex()):
        _count(counts, regex, 1)


def _count(counts: dict[str, int], name: str, change: int) -> None:
    """Add ``change`` to a count; a count of 0 has no entry."""
    count = counts.get(name, 0) + change
    if count > 0:
        counts[name] = count
    else:
        counts.pop(name, None)
