# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.TopicPartition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The name of a partition, the key of most dicts of a broker."""

from __future__ import annotations


class TopicPartition(tuple[str | None, int]):
    """A topic's name and the number of one of its partitions. Immutable.

    The topic may be None if only its id is known. This is a tuple, because a request looks a partition up in
    several dicts, and the hash of a tuple needs no Python call.

    :origin: common.TopicPartition
    """

    __slots__ = ()

    def __new__(cls, topic: str | None, partition: int) -> TopicPartition:
        """Keep the topic and the number.

        :origin: common.TopicPartition#TopicPartition(String, int)
        """
        return tuple.__new__(cls, (topic, partition))

    def __getnewargs__(self) -> tuple[str | None, int]:
        return self[0], self[1]

    def partition(self) -> int:
        """Return the number.

        :origin: common.TopicPartition#partition()
        """
        return self[1]

    # Typed as str, because only few callers can have a missing name, and these test for None.
    def topic(self) -> str:
        """Return the topic's name.

        :origin: common.TopicPartition#topic()
        """
        return self[0]  # type: ignore[return-value]  # see above

    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        """Compare topic and number. A plain tuple never equals a partition.

        :origin: common.TopicPartition#equals(Object)
        """
        if self is other:
            return True
        return isinstance(other, TopicPartition) and self[1] == other[1] and self[0] == other[0]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __str__(self) -> str:
        """Return ``topic-partition``.

        :origin: common.TopicPartition#toString()
        """
        return f"{'null' if self[0] is None else self[0]}-{self[1]}"

    __repr__ = __str__
