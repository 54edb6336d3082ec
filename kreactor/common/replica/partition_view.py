# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.PartitionView of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a partition, for the choice of the one that a consumer reads."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.replica.replica_view import ReplicaView


class PartitionView(NamedTuple):
    """The leader's view of a partition. Immutable. The replicas include the leader.

    :origin: common.replica.PartitionView
    :origin: common.replica.PartitionView#replicas()
    :origin: common.replica.PartitionView#leader()
    """

    replicas: frozenset[ReplicaView]
    leader: ReplicaView
