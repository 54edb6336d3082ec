# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.api.assignor.GroupSpec and its siblings of Apache
# Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The input and the result of an assignor. The assignor only reads its input.

Partitions are a mapping from ids of topics to sets of partition numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import TypeAlias

from kreactor.common.uuid import Uuid

Partitions: TypeAlias = Mapping[Uuid, AbstractSet[int]]


class GroupAssignment:
    """The assignments of a group's members, by member id.

    :origin: coordinator.group.api.assignor.GroupAssignment
    """

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, MemberAssignment]) -> None:
        """
        :origin: coordinator.group.api.assignor.GroupAssignment#GroupAssignment(Map<String,MemberAssignment>)
        """
        self._members = members

    def members(self) -> Mapping[str, MemberAssignment]:
        """:origin: coordinator.group.api.assignor.GroupAssignment#members()"""
        return self._members

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.api.assignor.GroupAssignment#equals(Object)"""
        if not isinstance(other, GroupAssignment):
            return NotImplemented
        return self._members == other._members

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.api.assignor.GroupAssignment#toString()"""
        return f"GroupAssignment(members={self._members})"


class GroupSpec(ABC):
    """:origin: coordinator.group.api.assignor.GroupSpec"""

    __slots__ = ()

    @abstractmethod
    def member_ids(self) -> Collection[str]:
        """:origin: coordinator.group.api.assignor.GroupSpec#memberIds()"""

    @abstractmethod
    def subscription_type(self) -> SubscriptionType:
        """:origin: coordinator.group.api.assignor.GroupSpec#subscriptionType()"""

    @abstractmethod
    def is_partition_assigned(self, topic_id: Uuid, partition_id: int) -> bool:
        """Return whether a member has the partition in the current target assignment.

        :origin: coordinator.group.api.assignor.GroupSpec#isPartitionAssigned(Uuid, int)
        """

    @abstractmethod
    def member_subscription(self, member_id: str) -> MemberSubscription:
        """Raises IllegalArgumentException for an unknown member.

        :origin: coordinator.group.api.assignor.GroupSpec#memberSubscription(String)
        """

    @abstractmethod
    def member_assignment(self, member_id: str) -> MemberAssignment:
        """Return the current target assignment of a member, an empty one for an unknown member.

        :origin: coordinator.group.api.assignor.GroupSpec#memberAssignment(String)
        """


class MemberAssignment(ABC):
    """:origin: coordinator.group.api.assignor.MemberAssignment"""

    __slots__ = ()

    @abstractmethod
    def partitions(self) -> Partitions:
        """:origin: coordinator.group.api.assignor.MemberAssignment#partitions()"""


class MemberSubscription(ABC):
    """:origin: coordinator.group.api.assignor.MemberSubscription"""

    __slots__ = ()

    @abstractmethod
    def rack_id(self) -> str | None:
        """:origin: coordinator.group.api.assignor.MemberSubscription#rackId()"""

    @abstractmethod
    def subscribed_topic_ids(self) -> AbstractSet[Uuid]:
        """:origin: coordinator.group.api.assignor.MemberSubscription#subscribedTopicIds()"""


class SubscribedTopicDescriber(ABC):
    """:origin: coordinator.group.api.assignor.SubscribedTopicDescriber"""

    __slots__ = ()

    @abstractmethod
    def num_partitions(self, topic_id: Uuid) -> int:
        """Return how many partitions a topic has, -1 for an unknown topic.

        :origin: coordinator.group.api.assignor.SubscribedTopicDescriber#numPartitions(Uuid)
        """

    @abstractmethod
    def racks_for_partition(self, topic_id: Uuid, partition: int) -> AbstractSet[str]:
        """:origin: coordinator.group.api.assignor.SubscribedTopicDescriber#racksForPartition(Uuid, int)"""


class SubscriptionType(Enum):
    """Whether all members subscribe to the same topics.

    :origin: coordinator.group.api.assignor.SubscriptionType
    """

    HOMOGENEOUS = "Homogeneous"
    HETEROGENEOUS = "Heterogeneous"

    def __init__(self, name: str) -> None:
        """:origin: coordinator.group.api.assignor.SubscriptionType#SubscriptionType(String)"""
        self._name = name

    def __str__(self) -> str:
        """:origin: coordinator.group.api.assignor.SubscriptionType#toString()"""
        return self._name
