# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedOperationKey of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The keys under which waiting operations are registered. Keys of different classes are never equal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition


class DelayedOperationKey(ABC):
    """A key, with a label for metrics.

    :origin: kafka.server.DelayedOperationKey
    """

    __slots__ = ()

    @abstractmethod
    def key_label(self) -> str:
        """Return the key as text.

        :origin: kafka.server.DelayedOperationKey#keyLabel
        """


# Immutable like the others, but not a frozen dataclass: each append makes one, and a frozen one takes four
# times as long to make.
@dataclass(unsafe_hash=True, slots=True)
class TopicPartitionOperationKey(DelayedOperationKey):
    """For produce and fetch requests.

    :origin: kafka.server.TopicPartitionOperationKey
    :origin: kafka.server.TopicPartitionOperationKey
    """

    topic: str
    partition: int

    def key_label(self) -> str:
        """:origin: kafka.server.TopicPartitionOperationKey#keyLabel"""
        return f"{self.topic}-{self.partition}"

    @staticmethod
    def of(topic_partition: TopicPartition) -> TopicPartitionOperationKey:
        """Return the key of ``topic_partition``.

        :origin: kafka.server.TopicPartitionOperationKey#apply(TopicPartition)
        """
        return TopicPartitionOperationKey(topic_partition.topic(), topic_partition.partition())

    @staticmethod
    def of_topic_id_partition(topic_id_partition: TopicIdPartition) -> TopicPartitionOperationKey:
        """Return the key of ``topic_id_partition``.

        :origin: kafka.server.TopicPartitionOperationKey#apply(TopicIdPartition)
        """
        topic = topic_id_partition.topic()
        assert topic is not None, "the topic of an id that is looked up already"
        return TopicPartitionOperationKey(topic, topic_id_partition.partition())


@dataclass(frozen=True, slots=True)
class MemberKey(DelayedOperationKey):
    """For heartbeats of a group's member.

    :origin: kafka.server.MemberKey
    """

    group_id: str
    consumer_id: str

    def key_label(self) -> str:
        """:origin: kafka.server.MemberKey#keyLabel"""
        return f"{self.group_id}-{self.consumer_id}"


@dataclass(frozen=True, slots=True)
class GroupJoinKey(DelayedOperationKey):
    """For members that wait for other members to join.

    :origin: kafka.server.GroupJoinKey
    """

    group_id: str

    def key_label(self) -> str:
        """:origin: kafka.server.GroupJoinKey#keyLabel"""
        return f"join-{self.group_id}"


@dataclass(frozen=True, slots=True)
class GroupSyncKey(DelayedOperationKey):
    """For members that wait for their assignment.

    :origin: kafka.server.GroupSyncKey
    """

    group_id: str

    def key_label(self) -> str:
        """:origin: kafka.server.GroupSyncKey#keyLabel"""
        return f"sync-{self.group_id}"
