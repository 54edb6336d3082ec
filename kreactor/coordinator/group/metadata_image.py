# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The topics and brokers as the group coordinator sees them: an immutable snapshot. Not a port.

DEVIATION D306: the group coordinator reads this snapshot of names, ids, replicas and racks. Kafka's
coordinator reads the images of the metadata log, which does not exist here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kreactor.common.uuid import Uuid


class TopicImage(NamedTuple):
    """A topic; ``partitions`` has the brokers with a replica of each partition."""

    name: str
    id: Uuid
    partitions: Mapping[int, Sequence[int]]


class TopicsImage:
    """Topics by name and by id. Any thread may read it."""

    __slots__ = ("_topics_by_name", "_topics_by_id")

    EMPTY: TopicsImage

    def __init__(self, topics: Sequence[TopicImage] = ()) -> None:
        self._topics_by_name = {topic.name: topic for topic in topics}
        self._topics_by_id = {topic.id: topic for topic in topics}

    def get_topic(self, topic: str | Uuid) -> TopicImage | None:
        """Return a topic by its name or id, None for an unknown topic."""
        if isinstance(topic, Uuid):
            return self._topics_by_id.get(topic)
        return self._topics_by_name.get(topic)

    def topics_by_name(self) -> Mapping[str, TopicImage]:
        return self._topics_by_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TopicsImage):
            return NotImplemented
        return self._topics_by_name == other._topics_by_name

    __hash__ = None  # type: ignore[assignment]


TopicsImage.EMPTY = TopicsImage()


@dataclass(frozen=True, slots=True)
class MetadataImage:
    """All topics, and the rack of each broker that has one."""

    topics: TopicsImage = field(default_factory=TopicsImage)
    racks: Mapping[int, str] = field(default_factory=dict)
