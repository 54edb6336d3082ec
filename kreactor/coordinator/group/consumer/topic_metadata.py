# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TopicMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A topic that a group subscribes to, as the group last saw it. Immutable."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.jdk.exceptions import IllegalArgumentException


class TopicMetadata:
    """:origin: coordinator.group.consumer.TopicMetadata"""

    __slots__ = ("_id", "_name", "_num_partitions", "_partition_racks")

    def __init__(self, id: Uuid, name: str, num_partitions: int,
                 partition_racks: Mapping[int, AbstractSet[str]]) -> None:
        """Raises IllegalArgumentException for an invalid topic.

        :origin: coordinator.group.consumer.TopicMetadata#TopicMetadata(Uuid, String, int, Map<Integer,Set<String>>)
        """  # noqa: E501
        self._id = id
        if id == Uuid.ZERO_UUID:
            raise IllegalArgumentException("Topic id cannot be ZERO_UUID.")
        self._name = name
        if not name:
            raise IllegalArgumentException("Topic name cannot be empty.")
        self._num_partitions = num_partitions
        if num_partitions < 0:
            raise IllegalArgumentException("Number of partitions cannot be negative.")
        self._partition_racks = partition_racks

    def id(self) -> Uuid:
        """:origin: coordinator.group.consumer.TopicMetadata#id()"""
        return self._id

    def name(self) -> str:
        """:origin: coordinator.group.consumer.TopicMetadata#name()"""
        return self._name

    def num_partitions(self) -> int:
        """:origin: coordinator.group.consumer.TopicMetadata#numPartitions()"""
        return self._num_partitions

    def partition_racks(self) -> Mapping[int, AbstractSet[str]]:
        """Return the racks of each partition's replicas, for partitions that have any.

        :origin: coordinator.group.consumer.TopicMetadata#partitionRacks()
        """
        return self._partition_racks

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.TopicMetadata#equals(Object)"""
        if not isinstance(other, TopicMetadata):
            return NotImplemented
        return (self._id == other._id and self._name == other._name
                and self._num_partitions == other._num_partitions
                and self._partition_racks == other._partition_racks)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.TopicMetadata#toString()"""
        return (f"TopicMetadata(id={self._id}, name={self._name}, numPartitions={self._num_partitions}, "
                f"partitionRacks={self._partition_racks})")

    @staticmethod
    def from_record(record: ConsumerGroupPartitionMetadataValue.TopicMetadata) -> TopicMetadata:
        """
        :origin: coordinator.group.consumer.TopicMetadata#fromRecord(ConsumerGroupPartitionMetadataValue.TopicMetadata)
        """  # noqa: E501
        partition_racks = {partition_metadata.partition: frozenset(partition_metadata.racks)
                           for partition_metadata in record.partition_metadata}

        return TopicMetadata(record.topic_id, record.topic_name, record.num_partitions, partition_racks)
