# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.TopicPartition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The name of a partition, key of most tables of a broker."""

from __future__ import annotations


class TopicPartition:
    """A topic's name and the number of one of its partitions. Immutable.

    The topic may be None where only its id is known.

    :origin: common.TopicPartition
    """

    __slots__ = ("_hash", "_partition", "_topic")

    def __init__(self, topic: str | None, partition: int) -> None:
        """Keep both.

        :origin: common.TopicPartition#TopicPartition(String, int)
        """
        self._hash = 0
        self._partition = partition
        self._topic = topic

    def partition(self) -> int:
        """Return the number.

        :origin: common.TopicPartition#partition()
        """
        return self._partition

    # The few places where the name can be missing know it, and nobody else should have to ask.
    def topic(self) -> str:
        """Return the topic's name.

        :origin: common.TopicPartition#topic()
        """
        return self._topic  # type: ignore[return-value]  # see above

    def __hash__(self) -> int:
        """Hash both, once.

        :origin: common.TopicPartition#hashCode()
        """
        result = self._hash
        if result == 0:
            self._hash = result = hash((self._topic, self._partition))
        return result

    def __eq__(self, other: object) -> bool:
        """Compare both.

        :origin: common.TopicPartition#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, TopicPartition):
            return False
        return self._partition == other._partition and self._topic == other._topic

    def __str__(self) -> str:
        """Return ``topic-partition``.

        :origin: common.TopicPartition#toString()
        """
        return f"{'null' if self._topic is None else self._topic}-{self._partition}"

    __repr__ = __str__
