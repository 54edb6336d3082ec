# Licensed under the Apache License, Version 2.0; see LICENSE.
"""An immutable image of the cluster: its brokers, and where each partition is. Not a port.

Kafka's image has one such part for each kind of metadata. This one has what ReplicaManager, Partition and
MetadataCache ask for. ``kreactor.embedded.replication`` makes the images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from kreactor.common.node import Node
from kreactor.common.topic_partition import TopicPartition

NO_LEADER = -1


class PartitionState(NamedTuple):
    """The replicas of a partition, and its leader. Immutable; the first replica is the preferred leader.

    Metadata makes one for each partition: Python makes a NamedTuple in a third of a frozen dataclass's time.
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int = 0
    # Of a reassignment that is not complete.
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    def is_reassigning(self) -> bool:
        """Return whether replicas are being added or removed."""
        return bool(self.adding or self.removing)


class ClusterBroker(NamedTuple):
    """A broker that is registered. Immutable; ``nodes`` say how clients of each listener reach it."""

    id: int
    rack: str | None
    nodes: Mapping[str, Node]
    is_fenced: bool = False


@dataclass(frozen=True, slots=True)
class ClusterImage:
    """The image of the cluster that all brokers get. Immutable."""

    brokers: Mapping[int, ClusterBroker] = field(default_factory=lambda: MappingProxyType({}))
    partitions: Mapping[TopicPartition, PartitionState] = field(default_factory=lambda: MappingProxyType({}))

    def is_alive(self, broker_id: int) -> bool:
        """Return whether a broker is registered and not fenced."""
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.is_fenced
