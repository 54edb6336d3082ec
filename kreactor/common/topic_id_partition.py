# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.TopicIdPartition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The identity of a partition, which differs after a topic is deleted and created again."""

from __future__ import annotations

from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid


class TopicIdPartition:
    """A partition with the id of its topic. Immutable.

    :origin: common.TopicIdPartition
    """

    __slots__ = ("_topic_id", "_topic_partition")

    def __init__(self, topic_id: Uuid, topic_partition: TopicPartition) -> None:
        """Keep the topic's id and the partition.

        :origin: common.TopicIdPartition#TopicIdPartition(Uuid, TopicPartition)
        """
        self._topic_id = topic_id
        self._topic_partition = topic_partition

    @staticmethod
    def of(topic_id: Uuid, partition: int, topic: str | None) -> TopicIdPartition:
        """Return a partition. ``topic`` is None for an unknown name.

        :origin: common.TopicIdPartition#TopicIdPartition(Uuid, int, String)
        """
        return TopicIdPartition(topic_id, TopicPartition(topic, partition))

    def topic_id(self) -> Uuid:
        """Return the topic's id.

        :origin: common.TopicIdPartition#topicId()
        """
        return self._topic_id

    def topic(self) -> str | None:
        """Return the topic's name, or None if unknown.

        :origin: common.TopicIdPartition#topic()
        """
        return self._topic_partition[0]

    def partition(self) -> int:
        """Return the partition's number.

        :origin: common.TopicIdPartition#partition()
        """
        return self._topic_partition[1]

    def topic_partition(self) -> TopicPartition:
        """Return the partition without the topic's id.

        :origin: common.TopicIdPartition#topicPartition()
        """
        return self._topic_partition

    def __eq__(self, other: object) -> bool:
        """Compare id, name and number.

        :origin: common.TopicIdPartition#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, TopicIdPartition):
            return False
        return self._topic_id == other._topic_id and self._topic_partition == other._topic_partition

    def __hash__(self) -> int:
        """Hash the name, because a name has one id at a time. Without a name, hash the id.

        :origin: common.TopicIdPartition#hashCode()
        """
        if self._topic_partition[0] is None:
            return hash((self._topic_id, self._topic_partition))
        return hash(self._topic_partition)

    def __str__(self) -> str:
        """Return ``id:topic-partition``.

        :origin: common.TopicIdPartition#toString()
        """
        return f"{self._topic_id}:{self._topic_partition}"

    __repr__ = __str__
