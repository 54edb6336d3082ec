# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.ProducerRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A record to send, with its topic; the producer may choose its partition and timestamp."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from kreactor.common.header.header import Header
from kreactor.common.header.headers import Headers
from kreactor.common.header.internals.record_headers import RecordHeaders
from kreactor.jdk.exceptions import IllegalArgumentException

K = TypeVar("K")
V = TypeVar("V")


class ProducerRecord(Generic[K, V]):
    """A key and a value for a topic.

    Immutable, except for its headers until it is sent. A record without a partition gets the partition of its
    key's hash; without a key, the partitioner chooses. A record without a timestamp, in milliseconds since
    1970, gets the time of its ``send``. A topic with append times overrides both.

    :origin: clients.producer.ProducerRecord
    """

    __slots__ = ("_topic", "_partition", "_headers", "_key", "_value", "_timestamp")

    def __init__(self, topic: str, value: V | None = None, *, key: K | None = None,
                 partition: int | None = None, timestamp: int | None = None,
                 headers: Iterable[Header] | None = None) -> None:
        """Copy ``headers``. Raises IllegalArgumentException without a topic, or for a negative number.

        :origin: clients.producer.ProducerRecord#ProducerRecord(String, Integer, Long, K, V, Iterable<Header>)
        :origin: clients.producer.ProducerRecord#ProducerRecord(String, Integer, Long, K, V)
        :origin: clients.producer.ProducerRecord#ProducerRecord(String, Integer, K, V, Iterable<Header>)
        :origin: clients.producer.ProducerRecord#ProducerRecord(String, Integer, K, V)
        :origin: clients.producer.ProducerRecord#ProducerRecord(String, K, V)
        :origin: clients.producer.ProducerRecord#ProducerRecord(String, V)
        """
        if topic is None:
            raise IllegalArgumentException("Topic cannot be null.")
        if timestamp is not None and timestamp < 0:
            raise IllegalArgumentException(
                f"Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null.")
        if partition is not None and partition < 0:
            raise IllegalArgumentException(
                f"Invalid partition: {partition}. Partition number should always be non-negative or null.")
        self._topic = topic
        self._partition = partition
        self._headers: Headers = RecordHeaders(headers)
        self._key = key
        self._value = value
        self._timestamp = timestamp

    def topic(self) -> str:
        """Return the name of the topic.

        :origin: clients.producer.ProducerRecord#topic()
        """
        return self._topic

    def headers(self) -> Headers:
        """Return the headers, not a copy.

        :origin: clients.producer.ProducerRecord#headers()
        """
        return self._headers

    def key(self) -> K | None:
        """Return the key, or None.

        :origin: clients.producer.ProducerRecord#key()
        """
        return self._key

    def value(self) -> V | None:
        """Return the value, or None.

        :origin: clients.producer.ProducerRecord#value()
        """
        return self._value

    def timestamp(self) -> int | None:
        """Return the time in milliseconds since 1970, or None.

        :origin: clients.producer.ProducerRecord#timestamp()
        """
        return self._timestamp

    def partition(self) -> int | None:
        """Return the number of the partition, or None.

        :origin: clients.producer.ProducerRecord#partition()
        """
        return self._partition

    def __str__(self) -> str:
        """:origin: clients.producer.ProducerRecord#toString()"""
        key, value, timestamp, partition = (
            "null" if part is None else str(part)
            for part in (self._key, self._value, self._timestamp, self._partition))
        return (f"ProducerRecord(topic={self._topic}, partition={partition}, headers={self._headers}, "
                f"key={key}, value={value}, timestamp={timestamp})")

    def __eq__(self, other: object) -> bool:
        """Compare all fields.

        :origin: clients.producer.ProducerRecord#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, ProducerRecord):
            return False
        return bool(self._key == other._key and self._partition == other._partition
                    and self._topic == other._topic and self._headers == other._headers
                    and self._value == other._value and self._timestamp == other._timestamp)

    def __hash__(self) -> int:
        """Hash all fields. Raises TypeError if the key or the value cannot be hashed.

        :origin: clients.producer.ProducerRecord#hashCode()
        """
        return hash((self._topic, self._partition, self._headers, self._key, self._value, self._timestamp))
