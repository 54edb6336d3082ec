# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.SubscribedTopicDescriberImpl of Apache
# Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The topics of a group as an assignor sees them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import SubscribedTopicDescriber
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata


class SubscribedTopicDescriberImpl(SubscribedTopicDescriber):
    """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl"""

    __slots__ = ("_topic_metadata",)

    def __init__(self, topic_metadata: Mapping[Uuid, TopicMetadata]) -> None:
        """
        :origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#SubscribedTopicDescriberImpl(Map<Uuid,TopicMetadata>)
        """  # noqa: E501
        self._topic_metadata = topic_metadata

    def topic_metadata(self) -> Mapping[Uuid, TopicMetadata]:
        """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#topicMetadata()"""
        return self._topic_metadata

    def num_partitions(self, topic_id: Uuid) -> int:
        """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#numPartitions(Uuid)"""
        topic = self._topic_metadata.get(topic_id)
        return -1 if topic is None else topic.num_partitions()

    def racks_for_partition(self, topic_id: Uuid, partition: int) -> AbstractSet[str]:
        """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#racksForPartition(Uuid, int)"""
        topic = self._topic_metadata.get(topic_id)
        return frozenset() if topic is None else topic.partition_racks().get(partition, frozenset())

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#equals(Object)"""
        if not isinstance(other, SubscribedTopicDescriberImpl):
            return NotImplemented
        return self._topic_metadata == other._topic_metadata

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.SubscribedTopicDescriberImpl#toString()"""
        return f"SubscribedTopicMetadata(topicMetadata={self._topic_metadata})"
