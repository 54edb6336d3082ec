# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.ReplicaPlacer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of placement policies."""

from __future__ import annotations

from typing import Protocol

from kreactor.metadata.placement.cluster_describer import ClusterDescriber
from kreactor.metadata.placement.placement_spec import PlacementSpec
from kreactor.metadata.placement.topic_assignment import TopicAssignment


class ReplicaPlacer(Protocol):
    """:origin: metadata.placement.ReplicaPlacer"""

    def place(self, placement: PlacementSpec, cluster: ClusterDescriber) -> TopicAssignment:
        """Return the replicas of each partition. Raises InvalidReplicationFactorException if they cannot be
        placed.

        :origin: metadata.placement.ReplicaPlacer#place(PlacementSpec, ClusterDescriber)
        """
        ...
