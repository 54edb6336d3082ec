# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.RangeAssignor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Assigns to each member a range of each topic's partitions, and moves few partitions at a change.

Members with the same subscriptions get the same partition numbers of each topic, unless their current
partitions prevent that. Called under the lock of the group's shard.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, SubscribedTopicDescriber, SubscriptionType)
from kreactor.coordinator.group.api.assignor.partition_assignor import (
    ConsumerGroupPartitionAssignor, PartitionAssignorException)
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl


class RangeAssignor(ConsumerGroupPartitionAssignor):
    """:origin: coordinator.group.assignor.RangeAssignor"""

    __slots__ = ()

    RANGE_ASSIGNOR_NAME = "range"

    def name(self) -> str:
        """:origin: coordinator.group.assignor.RangeAssignor#name()"""
        return self.RANGE_ASSIGNOR_NAME

    class MemberWithRemainingAssignments(NamedTuple):
        """A member, and the number of a topic's partitions that it still lacks.

        :origin: coordinator.group.assignor.RangeAssignor.MemberWithRemainingAssignments
        :origin: coordinator.group.assignor.RangeAssignor.MemberWithRemainingAssignments#MemberWithRemainingAssignments(String, int)
        """  # noqa: E501

        member_id: str
        remaining: int

    def _members_per_topic(self, group_spec: GroupSpec,
                           subscribed_topic_describer: SubscribedTopicDescriber) -> dict[
                               Uuid, Collection[str]]:
        """Return the members that subscribe to each topic. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.RangeAssignor#membersPerTopic(GroupSpec, SubscribedTopicDescriber)
        """
        members_per_topic: dict[Uuid, Collection[str]] = {}

        if group_spec.subscription_type() is SubscriptionType.HOMOGENEOUS:
            all_members = group_spec.member_ids()
            topics = group_spec.member_subscription(
                next(iter(group_spec.member_ids()))).subscribed_topic_ids()

            for topic_id in topics:
                if subscribed_topic_describer.num_partitions(topic_id) == -1:
                    raise PartitionAssignorException("Member is subscribed to a non-existent topic")
                members_per_topic[topic_id] = all_members
        else:
            lists: dict[Uuid, list[str]] = {}
            for member_id in group_spec.member_ids():
                for topic_id in group_spec.member_subscription(member_id).subscribed_topic_ids():
                    if subscribed_topic_describer.num_partitions(topic_id) == -1:
                        raise PartitionAssignorException("Member is subscribed to a non-existent topic")
                    lists.setdefault(topic_id, []).append(member_id)
            members_per_topic.update(lists)

        return members_per_topic

    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        """Return the new target assignment, topic by topic. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.RangeAssignor#assign(GroupSpec, SubscribedTopicDescriber)
        """
        new_target_assignment: dict[str, dict[Uuid, set[int]]] = {}

        def partitions_of(member_id: str, topic_id: Uuid) -> set[int]:
            return new_target_assignment.setdefault(member_id, {}).setdefault(topic_id, set())

        members_per_topic = self._members_per_topic(group_spec, subscribed_topic_describer)

        for topic_id, members_for_topic in members_per_topic.items():
            num_partitions_for_topic = subscribed_topic_describer.num_partitions(topic_id)
            # A member gets at most one partition more than the quota.
            min_required_quota, num_members_with_extra_partition = divmod(
                num_partitions_for_topic, len(members_for_topic))

            assigned_sticky_partitions_for_topic: set[int] = set()
            potentially_unfilled_members: list[RangeAssignor.MemberWithRemainingAssignments] = []

            for member_id in members_for_topic:
                assigned_partitions_for_topic = group_spec.member_assignment(member_id).partitions().get(
                    topic_id, frozenset())

                current_assignment_size = len(assigned_partitions_for_topic)
                current_assignment_list_for_topic = sorted(assigned_partitions_for_topic)

                # The lowest numbers stay, so that members keep the same numbers of all their topics.
                if current_assignment_size > 0:
                    retained_partitions_count = min(current_assignment_size, min_required_quota)
                    for partition in current_assignment_list_for_topic[:retained_partitions_count]:
                        assigned_sticky_partitions_for_topic.add(partition)
                        partitions_of(member_id, topic_id).add(partition)

                # A negative number means that the member is above the quota. At 0, the member may still get
                # an extra partition.
                remaining = min_required_quota - current_assignment_size

                if remaining < 0 and num_members_with_extra_partition > 0:
                    num_members_with_extra_partition -= 1
                    # The member already has its quota; the extra partition follows it.
                    extra = current_assignment_list_for_topic[min_required_quota]
                    assigned_sticky_partitions_for_topic.add(extra)
                    partitions_of(member_id, topic_id).add(extra)
                else:
                    potentially_unfilled_members.append(
                        RangeAssignor.MemberWithRemainingAssignments(member_id, remaining))

            unassigned_partitions_for_topic = [
                partition for partition in range(num_partitions_for_topic)
                if partition not in assigned_sticky_partitions_for_topic]

            unassigned_partitions_list_start_pointer = 0
            for pair in potentially_unfilled_members:
                remaining = pair.remaining
                if num_members_with_extra_partition > 0:
                    remaining += 1
                    num_members_with_extra_partition -= 1
                if remaining > 0:
                    end = unassigned_partitions_list_start_pointer + remaining
                    partitions_of(pair.member_id, topic_id).update(
                        unassigned_partitions_for_topic[unassigned_partitions_list_start_pointer:end])
                    unassigned_partitions_list_start_pointer = end

        return GroupAssignment({member_id: MemberAssignmentImpl(partitions)
                                for member_id, partitions in new_target_assignment.items()})
