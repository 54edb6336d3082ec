# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One group: its members, their generation, and the committed offsets.

The responses of a group in each state, and its next state:

==================== ===================================== ================================================
state                responses                             next state
==================== ===================================== ================================================
PreparingRebalance   joins wait; heartbeats and syncs get  CompletingRebalance when the members have joined
                     REBALANCE_IN_PROGRESS                 or their time is over; Empty when all have left
CompletingRebalance  syncs wait for the leader's; offset   Stable with the leader's assignment;
                     commits get REBALANCE_IN_PROGRESS     PreparingRebalance when a member joins, leaves
                                                           or fails
Stable               every request gets its result         PreparingRebalance, for the same reasons
Empty                joins wait; all other requests get    PreparingRebalance with the first member; Dead
                     UNKNOWN_MEMBER_ID                     when its last offset is deleted
Dead                 all requests get UNKNOWN_MEMBER_ID    none
==================== ===================================== ================================================

Offsets can be fetched in every state. A committed offset is in ``_pending_offset_commits`` until its record
is in the log, then in ``_offsets``. An offset of a transaction is in
``_pending_transactional_offset_commits`` from its request to the end of the transaction. Each entry has the
offset of its batch in the log. Where both kinds of commits exist for a partition, these offsets tell which
one is later.

Lock: ``lock`` guards the whole group. Callers hold it in a ``with`` statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Callable, NamedTuple

from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_results import JoinCallback, JoinGroupResult, SyncGroupResult
from kreactor.core.coordinator.group.member_metadata import MemberMetadata, MemberSummary, Protocol
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.secure_random import random_uuid
from kreactor.server.config.group_type import GroupType

_NO_PROTOCOL = ""


class GroupState:
    """A state of groups. Immutable; each state has one instance, compared by identity.

    :origin: kafka.coordinator.group.GroupState
    """

    __slots__ = ("_name", "valid_previous_states", "to_lower_case_string")

    valid_previous_states: frozenset[GroupState]

    def __init__(self, name: str) -> None:
        self._name = name
        self.to_lower_case_string = name.lower()

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


PreparingRebalance = GroupState("PreparingRebalance")
CompletingRebalance = GroupState("CompletingRebalance")
Stable = GroupState("Stable")
Dead = GroupState("Dead")
Empty = GroupState("Empty")

PreparingRebalance.valid_previous_states = frozenset((Stable, CompletingRebalance, Empty))
CompletingRebalance.valid_previous_states = frozenset((PreparingRebalance,))
Stable.valid_previous_states = frozenset((CompletingRebalance,))
Dead.valid_previous_states = frozenset((Stable, PreparingRebalance, CompletingRebalance, Empty, Dead))
Empty.valid_previous_states = frozenset((PreparingRebalance,))


class GroupOverview(NamedTuple):
    """A group in the response to ListGroups.

    :origin: kafka.coordinator.group.GroupOverview
    """

    group_id: str
    protocol_type: str
    state: str
    group_type: str


class GroupSummary(NamedTuple):
    """The description of a group for DescribeGroups.

    :origin: kafka.coordinator.group.GroupSummary
    """

    state: str
    protocol_type: str
    protocol: str
    members: list[MemberSummary]


class CommitRecordMetadataAndOffset(NamedTuple):
    """A commit, and the base offset of its batch in the log. The base offset is None until the batch is
    appended.

    :origin: kafka.coordinator.group.CommitRecordMetadataAndOffset
    """

    appended_batch_offset: int | None
    offset_and_metadata: OffsetAndMetadata

    def older_than(self, that: CommitRecordMetadataAndOffset) -> bool:
        """Return whether this commit is before ``that`` in the log. Both must be in the log.

        :origin: kafka.coordinator.group.CommitRecordMetadataAndOffset#olderThan
        """
        assert self.appended_batch_offset is not None and that.appended_batch_offset is not None
        return self.appended_batch_offset < that.appended_batch_offset


class GroupMetadata(Logging):
    """
    :origin: kafka.coordinator.group.GroupMetadata
    :origin: kafka.coordinator.group.GroupMetadata
    """

    _MEMBER_ID_DELIMITER = "-"

    @staticmethod
    def load_group(group_id: str, initial_state: GroupState, generation_id: int, protocol_type: str | None,
                   protocol_name: str | None, leader_id: str | None, current_state_timestamp: int | None,
                   members: Iterable[MemberMetadata], time: Time) -> GroupMetadata:
        """Return a group as it was stored in a record.

        :origin: kafka.coordinator.group.GroupMetadata#loadGroup
        """
        group = GroupMetadata(group_id, initial_state, time)
        group.generation_id = generation_id
        group.protocol_type = protocol_type or None
        group.protocol_name = protocol_name
        group._leader_id = leader_id
        group.current_state_timestamp = current_state_timestamp
        for member in members:
            group.add(member, None)
            group.info("member %s was loaded into group %s with generation %d", member, group_id,
                       group.generation_id)
        group._subscribed_topics = group.compute_subscribed_topics()
        return group

    def __init__(self, group_id: str, initial_state: GroupState, time: Time) -> None:
        """Make a group without members and offsets.

        :origin: kafka.coordinator.group.GroupMetadata#GroupMetadata
        """
        self.group_id = group_id
        self._time = time
        self.lock = ReentrantLock()

        self._state = initial_state
        self.current_state_timestamp: int | None = time.milliseconds()
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        self.generation_id = 0
        self._leader_id: str | None = None

        self._members: dict[str, MemberMetadata] = {}
        # Member ids by group.instance.id.
        self._static_members: dict[str, str] = {}
        self._pending_members: set[str] = set()
        self._num_members_awaiting_join = 0
        # The number of members that support each protocol.
        self._supported_protocols: dict[str, int] = {}
        self._offsets: dict[TopicPartition, CommitRecordMetadataAndOffset] = {}
        self._pending_offset_commits: dict[TopicPartition, OffsetAndMetadata] = {}
        # By producer id.
        self._pending_transactional_offset_commits: dict[
            int, dict[TopicPartition, CommitRecordMetadataAndOffset]] = {}
        self._received_transactional_offset_commits = False
        self._received_consumer_offset_commits = False
        self._pending_sync_members: set[str] = set()

        # Only for groups of consumers. Computed with each generation and when the group is loaded.
        self._subscribed_topics: set[str] | None = None

        self.new_member_added = False

    def is_(self, group_state: GroupState) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#is"""
        return self._state is group_state

    def has(self, member_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#has"""
        return member_id in self._members

    def get(self, member_id: str) -> MemberMetadata:
        """Return a member. Raises KeyError if it does not exist.

        :origin: kafka.coordinator.group.GroupMetadata#get
        """
        return self._members[member_id]

    def size(self) -> int:
        """:origin: kafka.coordinator.group.GroupMetadata#size"""
        return len(self._members)

    def is_leader(self, member_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#isLeader"""
        return self._leader_id == member_id

    def leader_or_null(self) -> str | None:
        """:origin: kafka.coordinator.group.GroupMetadata#leaderOrNull"""
        return self._leader_id

    def current_state_timestamp_or_default(self) -> int:
        """Return the time of the last change of state, -1 if it is unknown.

        :origin: kafka.coordinator.group.GroupMetadata#currentStateTimestampOrDefault
        """
        return -1 if self.current_state_timestamp is None else self.current_state_timestamp

    def is_consumer_group(self) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#isConsumerGroup"""
        return self.protocol_type == ConsumerProtocol.PROTOCOL_TYPE

    def add(self, member: MemberMetadata, callback: JoinCallback | None = None) -> None:
        """Add a member. ``callback``, if given, gets the result of its join.

        Raises IllegalStateException if a static member of the same instance id exists.

        :origin: kafka.coordinator.group.GroupMetadata#add
        """
        instance_id = member.group_instance_id
        if instance_id is not None:
            if instance_id in self._static_members:
                raise IllegalStateException(
                    f"Static member with groupInstanceId={instance_id} cannot be added to group "
                    f"{self.group_id} since it is already a member")
            self._static_members[instance_id] = member.member_id

        if not self._members:
            self.protocol_type = member.protocol_type

        assert self.protocol_type == member.protocol_type
        assert self.supports_protocols(
            member.protocol_type, MemberMetadata.plain_protocol_set(member.supported_protocols))

        if self._leader_id is None:
            self._leader_id = member.member_id

        self._members[member.member_id] = member
        self._inc_supported_protocols(member)
        member.awaiting_join_callback = callback

        if member.is_awaiting_join():
            self._num_members_awaiting_join += 1

        self._pending_members.discard(member.member_id)

    def remove(self, member_id: str) -> None:
        """Remove a member, if it exists. If it was the leader, another member becomes the leader.

        :origin: kafka.coordinator.group.GroupMetadata#remove
        """
        member = self._members.pop(member_id, None)
        if member is not None:
            self._dec_supported_protocols(member)
            if member.is_awaiting_join():
                self._num_members_awaiting_join -= 1

            if member.group_instance_id is not None:
                self._static_members.pop(member.group_instance_id, None)

        if self.is_leader(member_id):
            self._leader_id = next(iter(self._members), None)

        self._pending_members.discard(member_id)
        self._pending_sync_members.discard(member_id)

    def maybe_elect_new_joined_leader(self) -> bool:
        """If the leader has not joined, make a joined member the leader; return whether the group has a
        leader.

        :origin: kafka.coordinator.group.GroupMetadata#maybeElectNewJoinedLeader
        """
        if self._leader_id is None:
            return False
        current_leader = self.get(self._leader_id)
        if current_leader.is_awaiting_join():
            return True
        for any_joined_member_id, any_joined_member in self._members.items():
            if any_joined_member.is_awaiting_join():
                self._leader_id = any_joined_member_id
                self.info("the leader with member.id %s and group.instance.id %s did not join in time, %s "
                          "leads the group now", current_leader.member_id, current_leader.group_instance_id,
                          any_joined_member)
                return True
        self.info("the leader with member.id %s and group.instance.id %s did not join in time, and no other "
                  "member did: there is no next generation", current_leader.member_id,
                  current_leader.group_instance_id)
        return False

    def replace_static_member(self, group_instance_id: str, old_member_id: str,
                              new_member_id: str) -> MemberMetadata:
        """Give a static member a new id, and fence the client that waits under the old id.

        Raises IllegalArgumentException if the member does not exist.

        :origin: kafka.coordinator.group.GroupMetadata#replaceStaticMember
        """
        member_metadata = self._members.pop(old_member_id, None)
        if member_metadata is None:
            raise IllegalArgumentException(f"Cannot replace non-existing member id {old_member_id}")

        self.maybe_invoke_join_callback(
            member_metadata, JoinGroupResult.of(old_member_id, Errors.FENCED_INSTANCE_ID))
        self.maybe_invoke_sync_callback(member_metadata, SyncGroupResult.of(Errors.FENCED_INSTANCE_ID))

        member_metadata.member_id = new_member_id
        self._members[new_member_id] = member_metadata

        if self.is_leader(old_member_id):
            self._leader_id = new_member_id

        self._static_members[group_instance_id] = new_member_id
        return member_metadata

    def take_members(self, generation_id: int, members: Iterable[MemberMetadata]) -> None:
        """Make an empty group a stable one with the members of a consumer group. Kafka makes a new group."""
        self.generation_id = generation_id
        self._leader_id = None
        for member in members:
            self.add(member)
        self.protocol_name = self.select_protocol()
        self._subscribed_topics = self.compute_subscribed_topics()
        for group_state in (PreparingRebalance, CompletingRebalance, Stable):
            self.transition_to(group_state)

    def forget_members(self) -> None:
        """Remove all members in any state, and keep the offsets. Kafka makes a new group."""
        for member_id in [*self._members, *self._pending_members]:
            self.remove(member_id)
        self.clear_pending_sync_members()
        self._state = Empty
        self.current_state_timestamp = self._time.milliseconds()
        self.protocol_type = self.protocol_name = self._subscribed_topics = None
        self.generation_id = 0

    def is_pending_member(self, member_id: str) -> bool:
        """Return whether this id was given to a client that has not joined with it yet.

        :origin: kafka.coordinator.group.GroupMetadata#isPendingMember
        """
        return member_id in self._pending_members

    def add_pending_member(self, member_id: str) -> bool:
        """Add a pending member; return whether it is new. Raises IllegalStateException for an existing
        member.

        :origin: kafka.coordinator.group.GroupMetadata#addPendingMember
        """
        if self.has(member_id):
            raise IllegalStateException(
                f"Attempt to add pending member {member_id} which is already a stable member of the group")
        return _add(self._pending_members, member_id)

    def add_pending_sync_member(self, member_id: str) -> bool:
        """Add a pending sync; return whether it is new. Raises IllegalStateException for an unknown member.

        :origin: kafka.coordinator.group.GroupMetadata#addPendingSyncMember
        """
        if not self.has(member_id):
            raise IllegalStateException(
                f"Attempt to add a pending sync for member {member_id} which is not a member of the group")
        return _add(self._pending_sync_members, member_id)

    def remove_pending_sync_member(self, member_id: str) -> bool:
        """Remove a pending sync; return whether it existed. Raises IllegalStateException for an unknown
        member.

        :origin: kafka.coordinator.group.GroupMetadata#removePendingSyncMember
        """
        if not self.has(member_id):
            raise IllegalStateException(f"Attempt to remove a pending sync for member {member_id} which is "
                                        "not a member of the group")
        if member_id in self._pending_sync_members:
            self._pending_sync_members.discard(member_id)
            return True
        return False

    def has_received_sync_from_all_members(self) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#hasReceivedSyncFromAllMembers"""
        return not self._pending_sync_members

    def all_pending_sync_members(self) -> set[str]:
        """Return a copy of the ids.

        :origin: kafka.coordinator.group.GroupMetadata#allPendingSyncMembers
        """
        return set(self._pending_sync_members)

    def clear_pending_sync_members(self) -> None:
        """:origin: kafka.coordinator.group.GroupMetadata#clearPendingSyncMembers"""
        self._pending_sync_members.clear()

    def has_static_member(self, group_instance_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#hasStaticMember"""
        return group_instance_id in self._static_members

    def current_static_member_id(self, group_instance_id: str) -> str | None:
        """:origin: kafka.coordinator.group.GroupMetadata#currentStaticMemberId"""
        return self._static_members.get(group_instance_id)

    def current_state(self) -> GroupState:
        """:origin: kafka.coordinator.group.GroupMetadata#currentState"""
        return self._state

    def not_yet_rejoined_members(self) -> dict[str, MemberMetadata]:
        """:origin: kafka.coordinator.group.GroupMetadata#notYetRejoinedMembers"""
        return {member_id: member for member_id, member in self._members.items()
                if not member.is_awaiting_join()}

    def has_all_members_joined(self) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#hasAllMembersJoined"""
        return len(self._members) == self._num_members_awaiting_join and not self._pending_members

    def all_members(self) -> Set[str]:
        """Return a live view of all members.

        :origin: kafka.coordinator.group.GroupMetadata#allMembers
        """
        return self._members.keys()

    def all_static_members(self) -> Set[str]:
        """Return a live view of the static members.

        :origin: kafka.coordinator.group.GroupMetadata#allStaticMembers
        """
        return self._static_members.keys()

    def all_dynamic_members(self) -> set[str]:
        """Return the dynamic members. For tests.

        :origin: kafka.coordinator.group.GroupMetadata#allDynamicMembers
        """
        return set(self._members) - set(self._static_members.values())

    def num_pending(self) -> int:
        """:origin: kafka.coordinator.group.GroupMetadata#numPending"""
        return len(self._pending_members)

    def num_awaiting(self) -> int:
        """:origin: kafka.coordinator.group.GroupMetadata#numAwaiting"""
        return self._num_members_awaiting_join

    def all_member_metadata(self) -> list[MemberMetadata]:
        """:origin: kafka.coordinator.group.GroupMetadata#allMemberMetadata"""
        return list(self._members.values())

    def rebalance_timeout_ms(self) -> int:
        """Return the longest rebalance timeout of the members, 0 without members.

        :origin: kafka.coordinator.group.GroupMetadata#rebalanceTimeoutMs
        """
        return max((member.rebalance_timeout_ms for member in self._members.values()), default=0)

    def generate_member_id(self, client_id: str, group_instance_id: str | None) -> str:
        """:origin: kafka.coordinator.group.GroupMetadata#generateMemberId"""
        prefix = client_id if group_instance_id is None else group_instance_id
        return f"{prefix}{GroupMetadata._MEMBER_ID_DELIMITER}{random_uuid()}"

    def can_rebalance(self) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#canRebalance"""
        return self._state in PreparingRebalance.valid_previous_states

    def transition_to(self, group_state: GroupState) -> None:
        """Change the state. Raises IllegalStateException for an invalid transition.

        :origin: kafka.coordinator.group.GroupMetadata#transitionTo
        """
        self._assert_valid_transition(group_state)
        self._state = group_state
        self.current_state_timestamp = self._time.milliseconds()

    def select_protocol(self) -> str:
        """Return the protocol that most members vote for, among those that all members support.

        Raises IllegalStateException if the group has no members.

        :origin: kafka.coordinator.group.GroupMetadata#selectProtocol
        """
        if not self._members:
            raise IllegalStateException("Cannot select protocol for empty group")

        candidates = self._candidate_protocols()
        votes: dict[str, int] = {}
        for member in self._members.values():
            protocol = member.vote(candidates)
            votes[protocol] = votes.get(protocol, 0) + 1
        return max(votes, key=votes.__getitem__)

    def _inc_supported_protocols(self, member: MemberMetadata) -> None:
        """:origin: kafka.coordinator.group.GroupMetadata#incSupportedProtocols"""
        for protocol, _ in member.supported_protocols:
            self._supported_protocols[protocol] = self._supported_protocols.get(protocol, 0) + 1

    def _dec_supported_protocols(self, member: MemberMetadata) -> None:
        """:origin: kafka.coordinator.group.GroupMetadata#decSupportedProtocols"""
        for protocol, _ in member.supported_protocols:
            self._supported_protocols[protocol] -= 1

    def _candidate_protocols(self) -> set[str]:
        """Return the protocols that all members support.

        :origin: kafka.coordinator.group.GroupMetadata#candidateProtocols
        """
        num_members = len(self._members)
        return {protocol for protocol, count in self._supported_protocols.items() if count == num_members}

    def supports_protocols(self, member_protocol_type: str, member_protocols: Set[str]) -> bool:
        """Return whether a member with these protocols could join.

        :origin: kafka.coordinator.group.GroupMetadata#supportsProtocols
        """
        if self.is_(Empty):
            return bool(member_protocol_type) and bool(member_protocols)
        num_members = len(self._members)
        return self.protocol_type == member_protocol_type and any(
            self._supported_protocols.get(protocol, 0) == num_members for protocol in member_protocols)

    def get_subscribed_topics(self) -> set[str] | None:
        """:origin: kafka.coordinator.group.GroupMetadata#getSubscribedTopics"""
        return self._subscribed_topics

    def is_subscribed_to_topic(self, topic: str) -> bool:
        """Return whether members consume a topic; True if the topics are unknown.

        :origin: kafka.coordinator.group.GroupMetadata#isSubscribedToTopic
        """
        return self._subscribed_topics is None or topic in self._subscribed_topics

    def compute_subscribed_topics(self) -> set[str] | None:
        """Return the subscribed topics of all members.

        Returns None for a group that does not consist of consumers, has no protocol, or has a subscription
        that cannot be parsed.

        :origin: kafka.coordinator.group.GroupMetadata#computeSubscribedTopics
        """
        if self.protocol_type != ConsumerProtocol.PROTOCOL_TYPE:
            return None
        if not self._members:
            return set()
        if self.protocol_name is None:
            return None
        topics: set[str] = set()
        try:
            for member in self._members.values():
                # All versions, also future ones, begin with the fields of version 0.
                buffer = ByteBuffer.wrap(member.metadata(self.protocol_name))
                ConsumerProtocol.deserialize_version(buffer)
                topics.update(ConsumerProtocol.deserialize_subscription(buffer, 0).topics)
        except SchemaException as e:
            self.warn("the subscriptions in the protocol %s:%s of group %s cannot be read; the coordinator "
                      "does not know the topics", ConsumerProtocol.PROTOCOL_TYPE, self.protocol_name,
                      self.group_id, exc=e)
            return None
        return topics

    def update_member(self, member: MemberMetadata, protocols: Sequence[Protocol], rebalance_timeout_ms: int,
                      session_timeout_ms: int, callback: JoinCallback | None) -> None:
        """Store the protocols and timeouts of a member that joins again.

        :origin: kafka.coordinator.group.GroupMetadata#updateMember
        """
        self._dec_supported_protocols(member)
        member.supported_protocols = protocols
        self._inc_supported_protocols(member)
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

        if callback is not None and not member.is_awaiting_join():
            self._num_members_awaiting_join += 1
        elif callback is None and member.is_awaiting_join():
            self._num_members_awaiting_join -= 1
        member.awaiting_join_callback = callback

    def maybe_invoke_join_callback(self, member: MemberMetadata, join_group_result: JoinGroupResult) -> None:
        """Complete a member's waiting join. If the callback fails, the member gets an error.

        :origin: kafka.coordinator.group.GroupMetadata#maybeInvokeJoinCallback
        """
        callback = member.awaiting_join_callback
        if callback is not None:
            try:
                callback(join_group_result)
            except Exception as t:
                self.error("failed to send the response to the join of %s", member, exc=t)
                callback(JoinGroupResult.of(member.member_id, Errors.UNKNOWN_SERVER_ERROR))
            finally:
                member.awaiting_join_callback = None
                self._num_members_awaiting_join -= 1

    def maybe_invoke_sync_callback(self, member: MemberMetadata, sync_group_result: SyncGroupResult) -> bool:
        """Complete a member's waiting sync; return whether the member was waiting.

        :origin: kafka.coordinator.group.GroupMetadata#maybeInvokeSyncCallback
        """
        callback = member.awaiting_sync_callback
        if callback is None:
            return False
        try:
            callback(sync_group_result)
        except Exception as t:
            self.error("failed to send the response to the sync of %s", member, exc=t)
            callback(SyncGroupResult.of(Errors.UNKNOWN_SERVER_ERROR))
        finally:
            member.awaiting_sync_callback = None
        return True

    def init_next_generation(self) -> None:
        """Begin the next generation. Raises IllegalStateException unless the group is in PreparingRebalance.

        :origin: kafka.coordinator.group.GroupMetadata#initNextGeneration
        """
        self.generation_id += 1
        if self._members:
            self.protocol_name = self.select_protocol()
            self._subscribed_topics = self.compute_subscribed_topics()
            self.transition_to(CompletingRebalance)
        else:
            self.protocol_name = None
            self._subscribed_topics = self.compute_subscribed_topics()
            self.transition_to(Empty)
        self._received_consumer_offset_commits = False
        self._received_transactional_offset_commits = False
        self.clear_pending_sync_members()

    def current_member_metadata(self) -> list[JoinGroupResponseData.JoinGroupResponseMember]:
        """Return the members as the leader gets them. Raises IllegalStateException during a rebalance.

        :origin: kafka.coordinator.group.GroupMetadata#currentMemberMetadata
        """
        if self.is_(Dead) or self.is_(PreparingRebalance):
            raise IllegalStateException(
                f"Cannot obtain member metadata for group in state {self._state}")
        if not self._members:
            return []
        protocol_name = self.protocol_name
        assert protocol_name is not None, "a generation with members has a protocol"
        return [
            JoinGroupResponseData.JoinGroupResponseMember(
                member_id=member_id,
                group_instance_id=member_metadata.group_instance_id,
                metadata=member_metadata.metadata(protocol_name))
            for member_id, member_metadata in self._members.items()]

    def summary(self) -> GroupSummary:
        """Return the description of the group. Raises IllegalStateException for a stable group without a
        protocol.

        :origin: kafka.coordinator.group.GroupMetadata#summary
        """
        protocol_type = self.protocol_type or ""
        if self.is_(Stable):
            protocol = self.protocol_name
            if protocol is None:
                raise IllegalStateException("Invalid null group protocol for stable group")

            members = [member.summary(protocol) for member in self._members.values()]
            return GroupSummary(str(self._state), protocol_type, protocol, members)
        else:
            members = [member.summary_no_metadata() for member in self._members.values()]
            return GroupSummary(str(self._state), protocol_type, _NO_PROTOCOL, members)

    def overview(self) -> GroupOverview:
        """:origin: kafka.coordinator.group.GroupMetadata#overview"""
        return GroupOverview(
            self.group_id, self.protocol_type or "", str(self._state), str(GroupType.CLASSIC))

    def initialize_offsets(
        self, offsets: Mapping[TopicPartition, CommitRecordMetadataAndOffset],
        pending_txn_offsets: Mapping[int, dict[TopicPartition, CommitRecordMetadataAndOffset]],
    ) -> None:
        """Set the offsets that were loaded from the log.

        :origin: kafka.coordinator.group.GroupMetadata#initializeOffsets
        """
        self._offsets.update(offsets)
        self._pending_transactional_offset_commits.update(pending_txn_offsets)

    def on_offset_commit_append(self, topic_id_partition: TopicIdPartition,
                                offset_with_commit_record_metadata: CommitRecordMetadataAndOffset) -> None:
        """Apply a commit that is in the log. Raises IllegalStateException if its offset in the log is not
        given.

        :origin: kafka.coordinator.group.GroupMetadata#onOffsetCommitAppend
        """
        topic_partition = topic_id_partition.topic_partition()
        if topic_partition in self._pending_offset_commits:
            if offset_with_commit_record_metadata.appended_batch_offset is None:
                raise IllegalStateException("Cannot complete offset commit write without providing the "
                                            "metadata of the record in the log.")
            current = self._offsets.get(topic_partition)
            if current is None or current.older_than(offset_with_commit_record_metadata):
                self._offsets[topic_partition] = offset_with_commit_record_metadata

        # The pending commit may be gone with its topic. Or a later commit has replaced it, and stays pending.
        if (self._pending_offset_commits.get(topic_partition)
                == offset_with_commit_record_metadata.offset_and_metadata):
            del self._pending_offset_commits[topic_partition]

    def fail_pending_offset_write(self, topic_id_partition: TopicIdPartition,
                                  offset: OffsetAndMetadata) -> None:
        """Remove a pending commit that was not appended, unless a later commit has replaced it.

        :origin: kafka.coordinator.group.GroupMetadata#failPendingOffsetWrite
        """
        topic_partition = topic_id_partition.topic_partition()
        if self._pending_offset_commits.get(topic_partition) == offset:
            del self._pending_offset_commits[topic_partition]

    def prepare_offset_commit(self, offsets: Mapping[TopicIdPartition, OffsetAndMetadata]) -> None:
        """Add commits that are being appended.

        :origin: kafka.coordinator.group.GroupMetadata#prepareOffsetCommit
        """
        self._received_consumer_offset_commits = True
        for topic_id_partition, offset_and_metadata in offsets.items():
            self._pending_offset_commits[topic_id_partition.topic_partition()] = offset_and_metadata

    def prepare_txn_offset_commit(self, producer_id: int,
                                  offsets: Mapping[TopicIdPartition, OffsetAndMetadata]) -> None:
        """Add commits of a transaction that are being appended.

        :origin: kafka.coordinator.group.GroupMetadata#prepareTxnOffsetCommit
        """
        self.trace("offsets %s of producer %d and group %s wait for the end of its transaction", offsets,
                   producer_id, self.group_id)
        self._received_transactional_offset_commits = True
        producer_offsets = self._pending_transactional_offset_commits.setdefault(producer_id, {})

        for topic_id_partition, offset_and_metadata in offsets.items():
            producer_offsets[topic_id_partition.topic_partition()] = CommitRecordMetadataAndOffset(
                None, offset_and_metadata)

    def has_received_consistent_offset_commits(self) -> bool:
        """Return whether this generation commits either in transactions only or without transactions only.

        :origin: kafka.coordinator.group.GroupMetadata#hasReceivedConsistentOffsetCommits
        """
        return not self._received_consumer_offset_commits or not self._received_transactional_offset_commits

    def fail_pending_txn_offset_commit(self, producer_id: int, topic_id_partition: TopicIdPartition) -> None:
        """Remove a transaction's pending commit that was not appended. The client gets the error.

        :origin: kafka.coordinator.group.GroupMetadata#failPendingTxnOffsetCommit
        """
        topic_partition = topic_id_partition.topic_partition()
        pending_offsets = self._pending_transactional_offset_commits.get(producer_id)
        if pending_offsets is not None:
            pending_offset_commit = pending_offsets.pop(topic_partition, None)
            self.trace("the offset %s of producer %d and group %s was not appended",
                       pending_offset_commit, producer_id, self.group_id)
            if not pending_offsets:
                del self._pending_transactional_offset_commits[producer_id]

    def on_txn_offset_commit_append(
        self, producer_id: int, topic_id_partition: TopicIdPartition,
        commit_record_metadata_and_offset: CommitRecordMetadataAndOffset,
    ) -> None:
        """Set the offset in the log of a transaction's commit.

        :origin: kafka.coordinator.group.GroupMetadata#onTxnOffsetCommitAppend
        """
        topic_partition = topic_id_partition.topic_partition()
        pending_offset = self._pending_transactional_offset_commits.get(producer_id)
        if pending_offset is not None:
            pending = pending_offset.get(topic_partition)
            if pending is not None and (pending.offset_and_metadata
                                        == commit_record_metadata_and_offset.offset_and_metadata):
                pending_offset[topic_partition] = commit_record_metadata_and_offset

    def complete_pending_txn_offset_commit(self, producer_id: int, is_commit: bool,
                                           end_offset: int | None = None) -> None:
        """Apply or drop the pending commits of a transaction whose marker is in the log.

        Commits at or after ``end_offset`` belong to the producer's next transaction, and stay pending.
        Without ``end_offset``, raises IllegalStateException if one of the commits has no offset in the log.

        :origin: kafka.coordinator.group.GroupMetadata#completePendingTxnOffsetCommit
        """
        pending_offsets = self._pending_transactional_offset_commits.pop(producer_id, None)
        # DEVIATION D155: the transaction's end is handled some time after its marker is written. In the
        # meantime the producer may have begun a new transaction. The origin ends all commits that it finds.
        if pending_offsets is not None and end_offset is not None:
            later = {topic_partition: pending for topic_partition, pending in pending_offsets.items()
                     if pending.appended_batch_offset is None or pending.appended_batch_offset >= end_offset}
            if later:
                self._pending_transactional_offset_commits[producer_id] = later
                pending_offsets = {topic_partition: pending for topic_partition, pending
                                   in pending_offsets.items() if topic_partition not in later}
        if not is_commit:
            self.trace("the offsets %s of producer %d and group %s are aborted", pending_offsets, producer_id,
                       self.group_id)
            return
        for topic_partition, commit_record_metadata_and_offset in (pending_offsets or {}).items():
            if commit_record_metadata_and_offset.appended_batch_offset is None:
                raise IllegalStateException(
                    f"Trying to complete a transactional offset commit for producerId {producer_id} and "
                    f"groupId {self.group_id} even though the offset commit record itself hasn't been "
                    "appended to the log.")

            current_offset = self._offsets.get(topic_partition)
            if current_offset is None or current_offset.older_than(commit_record_metadata_and_offset):
                self.trace("the offset %s of producer %d and group %s is committed",
                           commit_record_metadata_and_offset, producer_id, self.group_id)
                self._offsets[topic_partition] = commit_record_metadata_and_offset
            else:
                self.trace("the offset %s of producer %d and group %s is committed, and older than %s, "
                           "which stays", commit_record_metadata_and_offset, producer_id, self.group_id,
                           current_offset)

    def has_pending_offset_commits_from_producer(self, producer_id: int) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#hasPendingOffsetCommitsFromProducer"""
        return producer_id in self._pending_transactional_offset_commits

    def has_pending_offset_commits_for_topic_partition(self, topic_partition: TopicPartition) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadata#hasPendingOffsetCommitsForTopicPartition"""
        return topic_partition in self._pending_offset_commits or any(
            topic_partition in offsets for offsets in self._pending_transactional_offset_commits.values())

    def remove_all_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """:origin: kafka.coordinator.group.GroupMetadata#removeAllOffsets"""
        return self.remove_offsets(list(self._offsets))

    def remove_offsets(self,
                       topic_partitions: Iterable[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        """Remove the offsets of partitions, also the pending ones; return the removed ones.

        :origin: kafka.coordinator.group.GroupMetadata#removeOffsets
        """
        removed = {}
        for topic_partition in topic_partitions:
            self._pending_offset_commits.pop(topic_partition, None)
            for pending_offsets in self._pending_transactional_offset_commits.values():
                pending_offsets.pop(topic_partition, None)
            removed_offset = self._offsets.pop(topic_partition, None)
            if removed_offset is not None:
                removed[topic_partition] = removed_offset.offset_and_metadata
        return removed

    def pending_txn_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return the offsets that open transactions have written. Not in Kafka."""
        return {topic_partition: commit.offset_and_metadata
                for pending_offsets in self._pending_transactional_offset_commits.values()
                for topic_partition, commit in pending_offsets.items()}

    def remove_expired_offsets(self, current_timestamp: int, offset_retention_ms: int,
                               topics_of_consumer_group: Set[str] | None = None,
                               ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Remove the expired offsets; return them. Pending commits stay.

        Offsets of ``topics_of_consumer_group`` stay, because members of a consumer group read these topics.
        The argument is None for a coordinator of classic groups only. The coordinator of consumer groups also
        keeps an offset that an open transaction is about to replace.

        :origin: kafka.coordinator.group.GroupMetadata#removeExpiredOffsets
        """
        pending_txn_offsets = {} if topics_of_consumer_group is None else self.pending_txn_offsets()

        def get_expired_offsets(base_timestamp: Callable[[CommitRecordMetadataAndOffset], int],
                                subscribed_topics: Set[str] = frozenset(),
                                ) -> dict[TopicPartition, OffsetAndMetadata]:
            expired = {}
            for topic_partition, commit in self._offsets.items():
                if (topic_partition.topic() in subscribed_topics
                        or topic_partition in self._pending_offset_commits
                        or topic_partition in pending_txn_offsets):
                    continue
                expire_timestamp = commit.offset_and_metadata.expire_timestamp
                if expire_timestamp is None:
                    is_expired = current_timestamp - base_timestamp(commit) >= offset_retention_ms
                else:
                    # An older version wrote this commit with an expiry time of its own.
                    is_expired = current_timestamp >= expire_timestamp
                if is_expired:
                    expired[topic_partition] = commit.offset_and_metadata
            return expired

        def commit_timestamp(commit: CommitRecordMetadataAndOffset) -> int:
            return commit.offset_and_metadata.commit_timestamp

        if self.protocol_type is not None and self.is_(Empty):
            # The retention begins when the group becomes empty. It begins at the commit if an older version
            # did not write that time.
            state_timestamp = self.current_state_timestamp
            expired_offsets = get_expired_offsets(
                commit_timestamp if state_timestamp is None else lambda _: state_timestamp)
        elif (self.protocol_type == ConsumerProtocol.PROTOCOL_TYPE and self._subscribed_topics is not None
                and self.is_(Stable)):
            # Removes offsets of topics that no member consumes any more.
            expired_offsets = get_expired_offsets(commit_timestamp, self._subscribed_topics)
        elif self.protocol_type is None:
            # The group never had members: a consumer without a group stores its offsets here.
            expired_offsets = get_expired_offsets(
                commit_timestamp, topics_of_consumer_group or frozenset())
        else:
            expired_offsets = {}

        if expired_offsets:
            self.debug("the offsets of group %s for %s have expired", self.group_id, list(expired_offsets))

        for topic_partition in expired_offsets:
            del self._offsets[topic_partition]
        return expired_offsets

    def all_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """:origin: kafka.coordinator.group.GroupMetadata#allOffsets"""
        return {topic_partition: commit.offset_and_metadata
                for topic_partition, commit in self._offsets.items()}

    def offset(self, topic_partition: TopicPartition) -> OffsetAndMetadata | None:
        """:origin: kafka.coordinator.group.GroupMetadata#offset"""
        commit = self._offsets.get(topic_partition)
        return None if commit is None else commit.offset_and_metadata

    def offset_with_record_metadata(
            self, topic_partition: TopicPartition) -> CommitRecordMetadataAndOffset | None:
        """Return an offset with the position of its record. For tests.

        :origin: kafka.coordinator.group.GroupMetadata#offsetWithRecordMetadata
        """
        return self._offsets.get(topic_partition)

    def pending_offset_commit(self, topic_id_partition: TopicIdPartition) -> OffsetAndMetadata | None:
        """Return a pending commit. For tests.

        :origin: kafka.coordinator.group.GroupMetadata#pendingOffsetCommit
        """
        return self._pending_offset_commits.get(topic_id_partition.topic_partition())

    def pending_txn_offset_commit(
            self, producer_id: int, topic_id_partition: TopicIdPartition,
    ) -> CommitRecordMetadataAndOffset | None:
        """Return a pending commit of a transaction. For tests.

        :origin: kafka.coordinator.group.GroupMetadata#pendingTxnOffsetCommit
        """
        pending_offsets = self._pending_transactional_offset_commits.get(producer_id, {})
        return pending_offsets.get(topic_id_partition.topic_partition())

    def num_offsets(self) -> int:
        """:origin: kafka.coordinator.group.GroupMetadata#numOffsets"""
        return len(self._offsets)

    def has_offsets(self) -> bool:
        """Return whether the group has offsets, pending ones included.

        :origin: kafka.coordinator.group.GroupMetadata#hasOffsets
        """
        return bool(self._offsets or self._pending_offset_commits
                    or self._pending_transactional_offset_commits)

    def _assert_valid_transition(self, target_state: GroupState) -> None:
        """:origin: kafka.coordinator.group.GroupMetadata#assertValidTransition"""
        if self._state not in target_state.valid_previous_states:
            valid = ",".join(sorted(map(str, target_state.valid_previous_states)))
            raise IllegalStateException(f"Group {self.group_id} should be in the {valid} states before "
                                        f"moving to {target_state} state. Instead it is in {self._state} "
                                        "state")

    def is_in_states(self, states: Set[str]) -> bool:
        """Return whether the group's state is among ``states``, which are in lower case.

        :origin: kafka.coordinator.group.GroupMetadata#isInStates
        """
        return self._state.to_lower_case_string in states

    def __str__(self) -> str:
        """:origin: kafka.coordinator.group.GroupMetadata#toString"""
        protocol_type = "None" if self.protocol_type is None else f"Some({self.protocol_type})"
        members = ", ".join(f"{member_id} -> {member}" for member_id, member in self._members.items())
        return (f"GroupMetadata(groupId={self.group_id}, generation={self.generation_id}, "
                f"protocolType={protocol_type}, currentState={self._state}, members=HashMap({members}))")


def _add(names: set[str], name: str) -> bool:
    """Add ``element`` to a set; return whether it is new."""
    if name in names:
        return False
    names.add(name)
    return True
