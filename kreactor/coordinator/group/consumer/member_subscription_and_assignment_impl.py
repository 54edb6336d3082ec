# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member as an assignor sees it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    MemberAssignment, MemberSubscription, Partitions)
from kreactor.coordinator.group.consumer.assignment import Assignment


class MemberSubscriptionAndAssignmentImpl(MemberSubscription, MemberAssignment):
    """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl"""

    __slots__ = ("_rack_id", "_subscribed_topic_ids", "_member_assignment")

    def __init__(self, rack_id: str | None, subscribed_topic_ids: AbstractSet[Uuid],
                 member_assignment: Assignment) -> None:
        """
        :origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#MemberSubscriptionAndAssignmentImpl(Optional<String>, Set<Uuid>, Assignment)
        """  # noqa: E501
        self._rack_id = rack_id
        self._subscribed_topic_ids = subscribed_topic_ids
        self._member_assignment = member_assignment

    def rack_id(self) -> str | None:
        """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#rackId()"""
        return self._rack_id

    def subscribed_topic_ids(self) -> AbstractSet[Uuid]:
        """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#subscribedTopicIds()"""
        return self._subscribed_topic_ids

    def partitions(self) -> Partitions:
        """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#partitions()"""
        return self._member_assignment.partitions()

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#equals(Object)"""
        if not isinstance(other, MemberSubscriptionAndAssignmentImpl):
            return NotImplemented
        return (self._rack_id == other._rack_id
                and self._subscribed_topic_ids == other._subscribed_topic_ids
                and self._member_assignment == other._member_assignment)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.MemberSubscriptionAndAssignmentImpl#toString()"""
        return (f"MemberSubscriptionAndAssignmentImpl(rackId={self._rack_id or 'N/A'}, "
                f"subscribedTopicIds={self._subscribed_topic_ids}, "
                f"memberAssignment={self._member_assignment})")
