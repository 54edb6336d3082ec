# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.ClusterResource of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The id of a client's cluster, which listeners receive."""

from __future__ import annotations


class ClusterResource:
    """The id of a cluster. Immutable.

    :origin: common.ClusterResource
    """

    __slots__ = ("_cluster_id",)

    def __init__(self, cluster_id: str | None) -> None:
        """Keep the id. It is None for a broker older than 0.10.1, which has no cluster id.

        :origin: common.ClusterResource#ClusterResource(String)
        """
        self._cluster_id = cluster_id

    def cluster_id(self) -> str | None:
        """Return the id, or None.

        :origin: common.ClusterResource#clusterId()
        """
        return self._cluster_id

    def __str__(self) -> str:
        """Return the id.

        :origin: common.ClusterResource#toString()
        """
        return f"ClusterResource(clusterId={'null' if self._cluster_id is None else self._cluster_id})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare the ids.

        :origin: common.ClusterResource#equals(Object)
        """
        if self is other:
            return True
        if type(other) is not type(self):
            return False
        return self._cluster_id == other._cluster_id

    def __hash__(self) -> int:
        """Hash the id.

        :origin: common.ClusterResource#hashCode()
        """
        return hash((self._cluster_id,))
