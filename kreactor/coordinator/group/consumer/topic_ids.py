# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TopicIds of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A view of topic names as the set of their ids, without a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.metadata_image import TopicsImage


class TopicIds(AbstractSet[Uuid]):
    """The set has the ids of the names that the image knows; its length counts all names.

    :origin: coordinator.group.consumer.TopicIds
    """

    __slots__ = ("_topic_names", "_image")

    def __init__(self, topic_names: AbstractSet[str], image: TopicsImage) -> None:
        """:origin: coordinator.group.consumer.TopicIds#TopicIds(Set<String>, TopicsImage)"""
        self._topic_names = topic_names
        self._image = image

    @classmethod
    def _from_iterable(cls, it: Iterable[Uuid]) -> AbstractSet[Uuid]:  # type: ignore[override]
        return frozenset(it)

    def __len__(self) -> int:
        """:origin: coordinator.group.consumer.TopicIds#size()"""
        return len(self._topic_names)

    def __contains__(self, o: object) -> bool:
        """:origin: coordinator.group.consumer.TopicIds#contains(Object)"""
        if isinstance(o, Uuid):
            topic_image = self._image.get_topic(o)
            if topic_image is None:
                return False
            return topic_image.name in self._topic_names
        return False

    def __iter__(self) -> Iterator[Uuid]:
        """Return the ids in the order of the names, which is the same in each run.

        :origin: coordinator.group.consumer.TopicIds#iterator()
        """
        for name in sorted(self._topic_names):
            topic_image = self._image.get_topic(name)
            if topic_image is not None:
                yield topic_image.id

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.TopicIds#equals(Object)"""
        if not isinstance(other, TopicIds):
            return super().__eq__(other)
        return self._topic_names == other._topic_names and self._image == other._image

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.TopicIds#toString()"""
        return f"TopicIds(topicNames={set(self._topic_names)}, image={self._image})"
