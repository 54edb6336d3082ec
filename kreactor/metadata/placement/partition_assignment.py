# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.PartitionAssignment of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a partition, and the directory of each."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.uuid import Uuid
from kreactor.metadata.placement.default_dir_provider import DefaultDirProvider


class PartitionAssignment:
    """Immutable.

    :origin: metadata.placement.PartitionAssignment
    """

    __slots__ = ("_replicas", "_directories")

    def __init__(self, replicas: Sequence[int], default_dir_provider: DefaultDirProvider) -> None:
        """Hold the ids of the brokers, and get the directory of each from ``default_dir_provider``.

        :origin: metadata.placement.PartitionAssignment#PartitionAssignment(List<Integer>, DefaultDirProvider)
        """
        self._replicas = tuple(replicas)
        self._directories = tuple(default_dir_provider.default_dir(replica) for replica in replicas)

    def replicas(self) -> Sequence[int]:
        """Return the ids of the brokers; the first one is the preferred leader.

        :origin: metadata.placement.PartitionAssignment#replicas()
        """
        return self._replicas

    def directories(self) -> Sequence[Uuid]:
        """Return the directory of each replica, in the order of the replicas.

        :origin: metadata.placement.PartitionAssignment#directories()
        """
        return self._directories

    def __eq__(self, other: object) -> bool:
        """:origin: metadata.placement.PartitionAssignment#equals(Object)"""
        if not isinstance(other, PartitionAssignment):
            return NotImplemented
        return self._replicas == other._replicas and self._directories == other._directories

    def __hash__(self) -> int:
        """:origin: metadata.placement.PartitionAssignment#hashCode()"""
        return hash((self._replicas, self._directories))

    def __str__(self) -> str:
        """:origin: metadata.placement.PartitionAssignment#toString()"""
        return (f"PartitionAssignment(replicas={list(self._replicas)}, "
                f"directories=[{', '.join(map(str, self._directories))}])")
