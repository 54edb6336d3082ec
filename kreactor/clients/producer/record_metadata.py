# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.RecordMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The position of a record in its topic, as acknowledged by the broker."""

from __future__ import annotations

from typing import ClassVar

from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException

_MAX_INT = 2**31 - 1


class RecordMetadata:
    """Topic, partition, offset, time and sizes of an acknowledged record. Immutable.

    :origin: clients.producer.RecordMetadata
    """

    __slots__ = ("_offset", "_timestamp", "_serialized_key_size", "_serialized_value_size",
                 "_topic_partition")

    # The partition number of a record without a chosen partition.
    UNKNOWN_PARTITION: ClassVar[int] = -1

    def __init__(self, topic_partition: TopicPartition, base_offset: int, batch_index: int, timestamp: int,
                 serialized_key_size: int, serialized_value_size: int) -> None:
        """Store the batch's offset, -1 if it is unknown, and the record's index in the batch.

        ``timestamp`` is in milliseconds since 1970: the append time if the topic uses append times.

        :origin: clients.producer.RecordMetadata#RecordMetadata(TopicPartition, long, int, long, int, int)
        """
        self._offset = base_offset if base_offset == -1 else base_offset + batch_index
        self._timestamp = timestamp
        self._serialized_key_size = serialized_key_size
        self._serialized_value_size = serialized_value_size
        self._topic_partition = topic_partition

    @staticmethod
    def with_checksum(topic_partition: TopicPartition, base_offset: int, batch_index: int, timestamp: int,
                      checksum: int | None, serialized_key_size: int,
                      serialized_value_size: int) -> RecordMetadata:
        """Return metadata; the deprecated checksum is ignored.

        Raises IllegalArgumentException for an index above 2^31 - 1.

        :origin: clients.producer.RecordMetadata#RecordMetadata(TopicPartition, long, long, long, Long, int, int)
        """  # noqa: E501
        return RecordMetadata(topic_partition, base_offset, RecordMetadata._batch_index_to_int(batch_index),
                              timestamp, serialized_key_size, serialized_value_size)

    @staticmethod
    def _batch_index_to_int(batch_index: int) -> int:
        """Return the index. Raises IllegalArgumentException above 2^31 - 1.

        :origin: clients.producer.RecordMetadata#batchIndexToInt(long)
        """
        if batch_index > _MAX_INT:
            raise IllegalArgumentException(f"batchIndex is larger than Integer.MAX_VALUE: {batch_index}")
        return batch_index

    def has_offset(self) -> bool:
        """Return whether the offset is known.

        :origin: clients.producer.RecordMetadata#hasOffset()
        """
        return self._offset != ProduceResponse.INVALID_OFFSET

    def offset(self) -> int:
        """Return the offset in the partition, -1 if it is unknown.

        :origin: clients.producer.RecordMetadata#offset()
        """
        return self._offset

    def has_timestamp(self) -> bool:
        """Return whether the time is known.

        :origin: clients.producer.RecordMetadata#hasTimestamp()
        """
        return self._timestamp != RecordBatch.NO_TIMESTAMP

    def timestamp(self) -> int:
        """Return the time in milliseconds since 1970, -1 if it is unknown.

        :origin: clients.producer.RecordMetadata#timestamp()
        """
        return self._timestamp

    def serialized_key_size(self) -> int:
        """Return the size of the key in bytes, before compression; -1 without a key.

        :origin: clients.producer.RecordMetadata#serializedKeySize()
        """
        return self._serialized_key_size

    def serialized_value_size(self) -> int:
        """Return the size of the value in bytes, before compression; -1 without a value.

        :origin: clients.producer.RecordMetadata#serializedValueSize()
        """
        return self._serialized_value_size

    def topic(self) -> str:
        """Return the name of the topic.

        :origin: clients.producer.RecordMetadata#topic()
        """
        return self._topic_partition.topic()

    def partition(self) -> int:
        """Return the number of the partition.

        :origin: clients.producer.RecordMetadata#partition()
        """
        return self._topic_partition.partition()

    def __str__(self) -> str:
        """Return ``topic-partition@offset``.

        :origin: clients.producer.RecordMetadata#toString()
        """
        return f"{self._topic_partition}@{self._offset}"
