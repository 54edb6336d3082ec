# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.PlacementSpec of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The numbers of partitions and replicas to place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlacementSpec:
    """The first partition, the number of partitions, and the number of replicas of each. Immutable.

    :origin: metadata.placement.PlacementSpec
    :origin: metadata.placement.PlacementSpec#PlacementSpec(int, int, short)
    :origin: metadata.placement.PlacementSpec#equals(Object)
    :origin: metadata.placement.PlacementSpec#hashCode()
    """

    _start_partition: int
    _num_partitions: int
    _num_replicas: int

    def start_partition(self) -> int:
        """:origin: metadata.placement.PlacementSpec#startPartition()"""
        return self._start_partition

    def num_partitions(self) -> int:
        """:origin: metadata.placement.PlacementSpec#numPartitions()"""
        return self._num_partitions

    def num_replicas(self) -> int:
        """:origin: metadata.placement.PlacementSpec#numReplicas()"""
        return self._num_replicas

    def __str__(self) -> str:
        """:origin: metadata.placement.PlacementSpec#toString()"""
        return (f"PlacementSpec(startPartition={self._start_partition}, "
                f"numPartitions={self._num_partitions}, numReplicas={self._num_replicas})")
