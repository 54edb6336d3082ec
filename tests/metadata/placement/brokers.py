# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Brokers that the tests of placement place replicas on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kreactor.common.uuid import Uuid
from kreactor.metadata.placement.partition_assignment import PartitionAssignment
from kreactor.metadata.placement.usable_broker import UsableBroker


class Cluster:
    """Brokers, and the directory that each begins a replica in."""

    def __init__(self, brokers: Sequence[UsableBroker] = (), directories: Sequence[Uuid] = ()) -> None:
        self._brokers = brokers
        self._directories = directories

    def usable_brokers(self) -> Iterator[UsableBroker]:
        return iter(self._brokers)

    def default_dir(self, broker_id: int) -> Uuid:
        return self._directories[broker_id] if self._directories else Uuid.ZERO_UUID


def partition_assignment(*replicas: int) -> PartitionAssignment:
    return PartitionAssignment(replicas, Cluster())
