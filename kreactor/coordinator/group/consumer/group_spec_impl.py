# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.GroupSpecImpl of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A group as an assignor sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupSpec, MemberAssignment, MemberSubscription, SubscriptionType)
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.jdk.exceptions import IllegalArgumentException


class GroupSpecImpl(GroupSpec):
    """:origin: coordinator.group.consumer.GroupSpecImpl"""

    __slots__ = ("_members", "_subscription_type", "_inverted_member_assignment")

    def __init__(self, members: Mapping[str, MemberSubscriptionAndAssignmentImpl],
                 subscription_type: SubscriptionType,
                 inverted_member_assignment: Mapping[Uuid, Mapping[int, str]]) -> None:
        """Hold members by id, and the owner of each partition by topic and partition.

        :origin: coordinator.group.consumer.GroupSpecImpl#GroupSpecImpl(Map<String,MemberSubscriptionAndAssignmentImpl>, SubscriptionType, Map<Uuid,Map<Integer,String>>)
        """  # noqa: E501
        self._members = members
        self._subscription_type = subscription_type
        self._inverted_member_assignment = inverted_member_assignment

    def member_ids(self) -> Collection[str]:
        """:origin: coordinator.group.consumer.GroupSpecImpl#memberIds()"""
        return self._members.keys()

    def subscription_type(self) -> SubscriptionType:
        """:origin: coordinator.group.consumer.GroupSpecImpl#subscriptionType()"""
        return self._subscription_type

    def is_partition_assigned(self, topic_id: Uuid, partition_id: int) -> bool:
        """:origin: coordinator.group.consumer.GroupSpecImpl#isPartitionAssigned(Uuid, int)"""
        partition_map = self._inverted_member_assignment.get(topic_id)
        if partition_map is None:
            return False
        return partition_id in partition_map

    def member_subscription(self, member_id: str) -> MemberSubscription:
        """Raises IllegalArgumentException for an unknown member.

        :origin: coordinator.group.consumer.GroupSpecImpl#memberSubscription(String)
        """
        member_subscription = self._members.get(member_id)
        if member_subscription is None:
            raise IllegalArgumentException(f"Member Id {member_id} not found.")
        return member_subscription

    def member_assignment(self, member_id: str) -> MemberAssignment:
        """:origin: coordinator.group.consumer.GroupSpecImpl#memberAssignment(String)"""
        member = self._members.get(member_id)
        if member is None:
            return MemberAssignmentImpl({})
        return member

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.GroupSpecImpl#equals(Object)"""
        if not isinstance(other, GroupSpecImpl):
            return NotImplemented
        return (self._subscription_type is other._subscription_type and self._members == other._members
                and self._inverted_member_assignment == other._inverted_member_assignment)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.GroupSpecImpl#toString()"""
        return (f"GroupSpecImpl(members={self._members}, subscriptionType={self._subscription_type}, "
                f"invertedMemberAssignment={self._inverted_member_assignment})")
