# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.UniformHomogeneousAssignmentBuilder of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The even assignment of members that all subscribe to the same topics.

A member keeps its partitions up to its quota. Free partitions then fill the members below their quota.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, MemberAssignment, Partitions, SubscribedTopicDescriber)
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.common.topic_id_partition import TopicIdPartition


class UniformHomogeneousAssignmentBuilder:
    """:origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder"""

    __slots__ = ("_group_spec", "_subscribed_topic_describer", "_subscribed_topic_ids", "_unfilled_members",
                 "_unassigned_partitions", "_target_assignment", "_minimum_member_quota",
                 "_remaining_members_to_get_an_extra_partition")

    @staticmethod
    def _is_immutable_map(map_: Partitions) -> bool:
        """:origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#isImmutableMap(Map<?,?>)"""
        return isinstance(map_, MappingProxyType)

    def __init__(self, group_spec: GroupSpec, subscribed_topic_describer: SubscribedTopicDescriber) -> None:
        """
        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#UniformHomogeneousAssignmentBuilder(GroupSpec, SubscribedTopicDescriber)
        """  # noqa: E501
        self._group_spec = group_spec
        self._subscribed_topic_describer = subscribed_topic_describer
        # A dict, because its order is the same in each run.
        self._subscribed_topic_ids = dict.fromkeys(
            group_spec.member_subscription(next(iter(group_spec.member_ids()))).subscribed_topic_ids())
        self._unfilled_members: list[UniformHomogeneousAssignmentBuilder.MemberWithRemainingQuota] = []
        self._unassigned_partitions: list[TopicIdPartition] = []
        self._target_assignment: dict[str, MemberAssignment] = {}
        self._minimum_member_quota = 0
        self._remaining_members_to_get_an_extra_partition = 0

    def build(self) -> GroupAssignment:
        """Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#build()
        """
        if not self._subscribed_topic_ids:
            return GroupAssignment({})

        total_partitions_count = 0
        for topic_id in self._subscribed_topic_ids:
            partition_count = self._subscribed_topic_describer.num_partitions(topic_id)
            if partition_count == -1:
                raise PartitionAssignorException(
                    f"Members are subscribed to topic {topic_id} which doesn't exist in the topic metadata.")
            else:
                for i in range(partition_count):
                    if not self._group_spec.is_partition_assigned(topic_id, i):
                        self._unassigned_partitions.append(TopicIdPartition(topic_id, i))
                total_partitions_count += partition_count

        number_of_members = len(self._group_spec.member_ids())
        self._minimum_member_quota = total_partitions_count // number_of_members
        self._remaining_members_to_get_an_extra_partition = total_partitions_count % number_of_members

        self._maybe_revoke_partitions()

        self._assign_remaining_partitions()

        return GroupAssignment(self._target_assignment)

    def _maybe_revoke_partitions(self) -> None:
        """Remove from members the partitions of other topics, and those above their quota.

        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#maybeRevokePartitions()
        """
        for member_id in self._group_spec.member_ids():
            old_assignment = self._group_spec.member_assignment(member_id).partitions()
            new_assignment: dict[Uuid, set[int]] | None = None

            # An immutable assignment may be returned without a copy.
            if not self._is_immutable_map(old_assignment):
                raise IllegalStateException("The assignor expect an immutable map.")

            quota = self._minimum_member_quota
            if self._remaining_members_to_get_an_extra_partition > 0:
                quota += 1
                self._remaining_members_to_get_an_extra_partition -= 1

            for topic_id, partitions in old_assignment.items():
                if topic_id in self._subscribed_topic_ids:
                    if len(partitions) <= quota:
                        quota -= len(partitions)
                    else:
                        for partition in sorted(partitions):
                            if quota > 0:
                                quota -= 1
                            else:
                                if new_assignment is None:
                                    new_assignment = self._deep_copy(old_assignment)
                                parts = new_assignment[topic_id]
                                parts.discard(partition)
                                if not parts:
                                    del new_assignment[topic_id]
                                # Another member gets this partition later.
                                self._unassigned_partitions.append(TopicIdPartition(topic_id, partition))
                else:
                    if new_assignment is None:
                        new_assignment = self._deep_copy(old_assignment)
                    new_assignment.pop(topic_id, None)

            if quota > 0:
                self._unfilled_members.append(self.MemberWithRemainingQuota(member_id, quota))

            if new_assignment is None:
                self._target_assignment[member_id] = MemberAssignmentImpl(old_assignment)
            else:
                self._target_assignment[member_id] = MemberAssignmentImpl(new_assignment)

    def _assign_remaining_partitions(self) -> None:
        """Fill the members that are below their quota. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#assignRemainingPartitions()
        """
        unassigned_partition_index = 0

        for unfilled_member in self._unfilled_members:
            member_id = unfilled_member.member_id
            new_assignment = self._deep_copy(self._target_assignment[member_id].partitions())
            self._target_assignment[member_id] = MemberAssignmentImpl(new_assignment)

            for _ in range(unfilled_member.remaining_quota):
                if unassigned_partition_index == len(self._unassigned_partitions):
                    break
                unassigned = self._unassigned_partitions[unassigned_partition_index]
                unassigned_partition_index += 1
                new_assignment.setdefault(unassigned.topic_id, set()).add(unassigned.partition_id)

        if unassigned_partition_index < len(self._unassigned_partitions):
            raise PartitionAssignorException("Partitions were left unassigned")

    @staticmethod
    def _deep_copy(map_: Partitions) -> dict[Uuid, set[int]]:
        """
        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder#deepCopy(Map<Uuid,Set<Integer>>)
        """  # noqa: E501
        return {topic_id: set(partitions) for topic_id, partitions in map_.items()}

    class MemberWithRemainingQuota(NamedTuple):
        """
        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder.MemberWithRemainingQuota
        :origin: coordinator.group.assignor.UniformHomogeneousAssignmentBuilder.MemberWithRemainingQuota#MemberWithRemainingQuota(String, int)
        """  # noqa: E501

        member_id: str
        remaining_quota: int
