# Licensed under the Apache License, Version 2.0; see LICENSE.
"""An immutable image of the cluster: its brokers, and the state of each partition. Not a port.

Kafka's image has one part for each kind of metadata. This image has the parts that ReplicaManager, Partition
and MetadataCache need. ``kreactor.embedded.replication`` makes the images.
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

    A Metadata request makes one for each partition. Python makes a NamedTuple in a third of a frozen
    dataclass's time.
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int = 0
    # For an incomplete reassignment.
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    def is_reassigning(self) -> bool:
        """Return whether replicas are being added or removed."""
        return bool(self.adding or self.removing)


class ClusterBroker(NamedTuple):
    """A registered broker. Immutable; ``nodes`` has its address for the clients of each listener."""

    id: int
    rack: str | None
    nodes: Mapping[str, Node]
    is_fenced: bool = False


@dataclass(frozen=True, slots=True)
class ClusterImage:
    """The image that all brokers of the cluster get. Immutable."""

    brokers: Mapping[int, ClusterBroker] = field(default_factory=lambda: MappingProxyType({}))
    partitions: Mapping[TopicPartition, PartitionState] = field(default_factory=lambda: MappingProxyType({}))

    def is_alive(self, broker_id: int) -> bool:
        """Return whether a broker is registered and not fenced."""
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.is_fenced
