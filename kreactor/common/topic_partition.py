# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.TopicPartition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The name of a partition, key of most tables of a broker."""

from __future__ import annotations

OMITTED = {
    "common.TopicPartition#hashCode()": "that of a tuple",
    "common.TopicPartition#hash": "the hash of a tuple is not kept",
    "common.TopicPartition#partition": "an item of the tuple",
    "common.TopicPartition#topic": "an item of the tuple",
}


class TopicPartition(tuple[str | None, int]):
    """A topic's name and the number of one of its partitions. Immutable.

    The topic may be None where only its id is known. A request looks a partition up in several tables, and a
    tuple is hashed without a call of a Python method.

    :origin: common.TopicPartition
    """

    __slots__ = ()

    def __new__(cls, topic: str | None, partition: int) -> TopicPartition:
        """Keep both.

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

    # The few places where the name can be missing know it, and nobody else should have to ask.
    def topic(self) -> str:
        """Return the topic's name.

        :origin: common.TopicPartition#topic()
        """
        return self[0]  # type: ignore[return-value]  # see above

    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        """Compare both; a plain tuple is no partition.

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
