# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.CurrentAssignmentBuilder of Apache Kafka
# 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Takes a member one step towards its target assignment.

A member first revokes the partitions that it must give up, within its epoch. Then it enters the target epoch,
and gets the partitions that no other member owns. Later it gets the partitions that other members release, in
the same epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kreactor.common.errors import FencedMemberEpochException
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import Partitions
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_state import MemberState


class CurrentAssignmentBuilder:
    """:origin: coordinator.group.consumer.CurrentAssignmentBuilder"""

    __slots__ = ("_member", "_target_assignment_epoch", "_target_assignment", "_current_partition_epoch",
                 "_owned_topic_partitions")

    def __init__(self, member: ConsumerGroupMember) -> None:
        """
        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#CurrentAssignmentBuilder(ConsumerGroupMember)
        """  # noqa: E501
        self._member = member
        self._target_assignment_epoch = 0
        self._target_assignment = Assignment.EMPTY
        self._current_partition_epoch: Callable[[Uuid, int], int] = lambda topic_id, partition: -1
        self._owned_topic_partitions: Sequence[
            ConsumerGroupHeartbeatRequestData.TopicPartitions] | None = None

    def with_target_assignment(self, target_assignment_epoch: int,
                               target_assignment: Assignment) -> CurrentAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#withTargetAssignment(int, Assignment)
        """
        self._target_assignment_epoch = target_assignment_epoch
        self._target_assignment = target_assignment
        return self

    def with_current_partition_epoch(
        self, current_partition_epoch: Callable[[Uuid, int], int],
    ) -> CurrentAssignmentBuilder:
        """Set the function that returns the epoch in which a partition is owned, -1 for a free one.

        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#withCurrentPartitionEpoch(BiFunction<Uuid,Integer,Integer>)
        """  # noqa: E501
        self._current_partition_epoch = current_partition_epoch
        return self

    def with_owned_topic_partitions(
        self, owned_topic_partitions: Sequence[ConsumerGroupHeartbeatRequestData.TopicPartitions] | None,
    ) -> CurrentAssignmentBuilder:
        """Set the partitions that the member reports, None if it reports none.

        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#withOwnedTopicPartitions(List<ConsumerGroupHeartbeatRequestData.TopicPartitions>)
        """  # noqa: E501
        self._owned_topic_partitions = owned_topic_partitions
        return self

    def build(self) -> ConsumerGroupMember:
        """Return the member after the step; the same one if there is none. Raises FencedMemberEpochException.

        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#build()
        """
        member = self._member
        match member.state():
            case MemberState.STABLE:
                if member.member_epoch() != self._target_assignment_epoch:
                    return self._compute_next_assignment(member.member_epoch(), member.assigned_partitions())
                else:
                    return member

            case MemberState.UNREVOKED_PARTITIONS:
                # The member has revoked its partitions as soon as a heartbeat lists its partitions without
                # them.
                if self._owns_revoked_partitions(member.partitions_pending_revocation()):
                    return member

                return self._compute_next_assignment(member.member_epoch() + 1, member.assigned_partitions())

            case MemberState.UNRELEASED_PARTITIONS:
                return self._compute_next_assignment(member.member_epoch(), member.assigned_partitions())

            case _:
                # A later version wrote the state: the member starts again, without partitions.
                if self._owned_topic_partitions is None or self._owned_topic_partitions:
                    raise FencedMemberEpochException(
                        "The consumer group member is in a unknown state. "
                        "The member must abandon all its partitions and rejoin.")

                return self._compute_next_assignment(
                    self._target_assignment_epoch, member.assigned_partitions())

    def _owns_revoked_partitions(self, assignment: Partitions) -> bool:
        """Return whether the member still reports one of the partitions, or does not report its partitions.

        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#ownsRevokedPartitions(Map<Uuid,Set<Integer>>)
        """  # noqa: E501
        if self._owned_topic_partitions is None:
            return True

        for topic_partitions in self._owned_topic_partitions:
            partitions_pending_revocation = assignment.get(topic_partitions.topic_id, frozenset())

            for partition_id in topic_partitions.partitions:
                if partition_id in partitions_pending_revocation:
                    return True

        return False

    def _compute_next_assignment(self, member_epoch: int,
                                 member_assigned_partitions: Partitions) -> ConsumerGroupMember:
        """
        :origin: coordinator.group.consumer.CurrentAssignmentBuilder#computeNextAssignment(int, Map<Uuid,Set<Integer>>)
        """  # noqa: E501
        has_unreleased_partitions = False
        new_assigned_partitions: dict[Uuid, frozenset[int]] = {}
        new_partitions_pending_revocation: dict[Uuid, frozenset[int]] = {}
        new_partitions_pending_assignment: dict[Uuid, frozenset[int]] = {}

        all_topic_ids = dict.fromkeys([*self._target_assignment.partitions(), *member_assigned_partitions])

        for topic_id in all_topic_ids:
            target = frozenset(self._target_assignment.partitions().get(topic_id, ()))
            current_assigned_partitions = frozenset(member_assigned_partitions.get(topic_id, ()))

            assigned_partitions = current_assigned_partitions & target

            partitions_pending_revocation = current_assigned_partitions - assigned_partitions

            # The partitions that the target adds, without those that another member still owns.
            added = target - assigned_partitions
            partitions_pending_assignment = frozenset(
                partition_id for partition_id in added
                if self._current_partition_epoch(topic_id, partition_id) == -1)
            has_unreleased_partitions = has_unreleased_partitions or partitions_pending_assignment != added

            if assigned_partitions:
                new_assigned_partitions[topic_id] = assigned_partitions

            if partitions_pending_revocation:
                new_partitions_pending_revocation[topic_id] = partitions_pending_revocation

            if partitions_pending_assignment:
                new_partitions_pending_assignment[topic_id] = partitions_pending_assignment

        if new_partitions_pending_revocation and self._owns_revoked_partitions(
                new_partitions_pending_revocation):
            # The member stays in its epoch until it has revoked these partitions.
            return (ConsumerGroupMember.Builder(self._member)
                    .set_state(MemberState.UNREVOKED_PARTITIONS)
                    .update_member_epoch(member_epoch)
                    .set_assigned_partitions(new_assigned_partitions)
                    .set_partitions_pending_revocation(new_partitions_pending_revocation)
                    .build())
        elif new_partitions_pending_assignment:
            # The member enters the target epoch, and gets the free partitions at once.
            for topic_id, partitions in new_partitions_pending_assignment.items():
                new_assigned_partitions[topic_id] = new_assigned_partitions.get(
                    topic_id, frozenset()) | partitions
            new_state = MemberState.UNRELEASED_PARTITIONS if has_unreleased_partitions else MemberState.STABLE
            return (ConsumerGroupMember.Builder(self._member)
                    .set_state(new_state)
                    .update_member_epoch(self._target_assignment_epoch)
                    .set_assigned_partitions(new_assigned_partitions)
                    .set_partitions_pending_revocation({})
                    .build())
        elif has_unreleased_partitions:
            # The member enters the target epoch, and waits for the other members.
            return (ConsumerGroupMember.Builder(self._member)
                    .set_state(MemberState.UNRELEASED_PARTITIONS)
                    .update_member_epoch(self._target_assignment_epoch)
                    .set_assigned_partitions(new_assigned_partitions)
                    .set_partitions_pending_revocation({})
                    .build())
        else:
            return (ConsumerGroupMember.Builder(self._member)
                    .set_state(MemberState.STABLE)
                    .update_member_epoch(self._target_assignment_epoch)
                    .set_assigned_partitions(new_assigned_partitions)
                    .set_partitions_pending_revocation({})
                    .build())
