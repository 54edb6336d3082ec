# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.StripedReplicaPlacer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Places the replicas of new partitions in stripes over racks, and over the brokers of each rack.

A partition takes one broker from each rack in turn. The next partition begins with the next rack, and each
rack continues with its next broker. Both begin at random. Spreading over racks comes before spreading over
brokers: the only broker of a small rack gets a replica of each partition.

A rack returns its fenced brokers after the others. The first replica, which becomes the leader, is never a
fenced one.

Owned by the thread that places replicas; a ``RackList`` lives for one call of ``place``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kreactor.common.errors import InvalidReplicationFactorException
from kreactor.jdk.random_numbers import Random
from kreactor.metadata.placement.cluster_describer import ClusterDescriber
from kreactor.metadata.placement.partition_assignment import PartitionAssignment
from kreactor.metadata.placement.placement_spec import PlacementSpec
from kreactor.metadata.placement.topic_assignment import TopicAssignment
from kreactor.metadata.placement.usable_broker import UsableBroker


class StripedReplicaPlacer:
    """:origin: metadata.placement.StripedReplicaPlacer"""

    class BrokerList:
        """Brokers that are returned in turn.

        An epoch returns each broker once. The next epoch begins one broker after the start of the former
        epoch.

        :origin: metadata.placement.StripedReplicaPlacer.BrokerList
        """

        def __init__(self) -> None:
            self._brokers: list[int] = []
            # How many brokers the epoch has returned.
            self._index = 0
            # The start of the epoch.
            self._offset = 0
            # The epoch of the last call.
            self._epoch = 0

        def add(self, broker: int) -> StripedReplicaPlacer.BrokerList:
            """:origin: metadata.placement.StripedReplicaPlacer.BrokerList#add(int)"""
            self._brokers.append(broker)
            return self

        def initialize(self, random: Random) -> None:
            """Sort the brokers, and choose the first one.

            :origin: metadata.placement.StripedReplicaPlacer.BrokerList#initialize(Random)
            """
            if self._brokers:
                self._brokers.sort()
                self._offset = random.randrange(len(self._brokers))

        def shuffle(self, random: Random) -> None:
            """:origin: metadata.placement.StripedReplicaPlacer.BrokerList#shuffle(Random)"""
            random.shuffle(self._brokers)

        def size(self) -> int:
            """:origin: metadata.placement.StripedReplicaPlacer.BrokerList#size()"""
            return len(self._brokers)

        def next(self, epoch: int) -> int:
            """Return the next broker, or -1 if the epoch has returned all.

            :origin: metadata.placement.StripedReplicaPlacer.BrokerList#next(int)
            """
            if not self._brokers:
                return -1
            if self._epoch != epoch:
                self._epoch = epoch
                self._index = 0
                self._offset = (self._offset + 1) % len(self._brokers)
            if self._index >= len(self._brokers):
                return -1
            broker = self._brokers[(self._index + self._offset) % len(self._brokers)]
            self._index += 1
            return broker

    class Rack:
        """The brokers of a rack.

        :origin: metadata.placement.StripedReplicaPlacer.Rack
        """

        def __init__(self) -> None:
            self._fenced = StripedReplicaPlacer.BrokerList()
            self._unfenced = StripedReplicaPlacer.BrokerList()

        def initialize(self, random: Random) -> None:
            """:origin: metadata.placement.StripedReplicaPlacer.Rack#initialize(Random)"""
            self._fenced.initialize(random)
            self._unfenced.initialize(random)

        def shuffle(self, random: Random) -> None:
            """:origin: metadata.placement.StripedReplicaPlacer.Rack#shuffle(Random)"""
            self._fenced.shuffle(random)
            self._unfenced.shuffle(random)

        def fenced(self) -> StripedReplicaPlacer.BrokerList:
            """:origin: metadata.placement.StripedReplicaPlacer.Rack#fenced()"""
            return self._fenced

        def unfenced(self) -> StripedReplicaPlacer.BrokerList:
            """:origin: metadata.placement.StripedReplicaPlacer.Rack#unfenced()"""
            return self._unfenced

        def next_unfenced(self, epoch: int) -> int:
            """Return the next unfenced broker, or -1 if the epoch has returned all of them.

            :origin: metadata.placement.StripedReplicaPlacer.Rack#nextUnfenced(int)
            """
            return self._unfenced.next(epoch)

        def next(self, epoch: int) -> int:
            """Return the next broker, fenced ones last, or -1 if the epoch has returned all.

            :origin: metadata.placement.StripedReplicaPlacer.Rack#next(int)
            """
            result = self._unfenced.next(epoch)
            if result >= 0:
                return result
            return self._fenced.next(epoch)

    class RackList:
        """The racks of a cluster, which are used in turn.

        :origin: metadata.placement.StripedReplicaPlacer.RackList
        """

        def __init__(self, random: Random, iterator: Iterator[UsableBroker]) -> None:
            """Read the brokers of ``iterator``, and choose the first rack.

            :origin: metadata.placement.StripedReplicaPlacer.RackList#RackList(Random, Iterator<UsableBroker>)
            """
            self._random = random
            self._racks: dict[str | None, StripedReplicaPlacer.Rack] = {}
            # None, the rack of brokers without one, comes first.
            self._rack_names: list[str | None] = []
            # Each partition is an epoch, until the racks are shuffled.
            self._epoch = 0
            num_total_brokers_count = num_unfenced_brokers_count = 0
            for broker in iterator:
                rack = self._racks.get(broker.rack())
                if rack is None:
                    self._rack_names.append(broker.rack())
                    rack = StripedReplicaPlacer.Rack()
                    self._racks[broker.rack()] = rack
                if broker.fenced():
                    rack.fenced().add(broker.id())
                else:
                    num_unfenced_brokers_count += 1
                    rack.unfenced().add(broker.id())
                num_total_brokers_count += 1
            # Racks draw random numbers in the order of their names. In Kafka's hash table that order is
            # undefined.
            self._racks = dict(sorted(self._racks.items(), key=lambda each: _order_of(each[0])))
            for rack in self._racks.values():
                rack.initialize(random)
            self._rack_names.sort(key=_order_of)
            self._num_total_brokers = num_total_brokers_count
            self._num_unfenced_brokers = num_unfenced_brokers_count
            # The first rack of the next partition.
            self._offset = random.randrange(len(self._rack_names)) if self._rack_names else 0

        def num_total_brokers(self) -> int:
            """:origin: metadata.placement.StripedReplicaPlacer.RackList#numTotalBrokers()"""
            return self._num_total_brokers

        def num_unfenced_brokers(self) -> int:
            """:origin: metadata.placement.StripedReplicaPlacer.RackList#numUnfencedBrokers()"""
            return self._num_unfenced_brokers

        def rack_names(self) -> Sequence[str | None]:
            """:origin: metadata.placement.StripedReplicaPlacer.RackList#rackNames()"""
            return self._rack_names

        def place(self, replication_factor: int) -> list[int]:
            """Return the replicas of the next partition. Raises InvalidReplicationFactorException.

            :origin: metadata.placement.StripedReplicaPlacer.RackList#place(int)
            """
            _throw_invalid_replication_factor_if_non_positive(replication_factor)
            _throw_invalid_replication_factor_if_too_few_brokers(replication_factor, self.num_total_brokers())
            _throw_invalid_replication_factor_if_zero(self.num_unfenced_brokers())
            # After as many partitions as brokers, the stripes would repeat. With one broker there is only one
            # stripe, and only a new epoch makes the list return its broker again.
            if self._epoch == self._num_unfenced_brokers and self._num_unfenced_brokers > 1:
                self.shuffle()
                self._epoch = 0
            if self._offset == len(self._rack_names):
                self._offset = 0
            brokers = []
            first_rack_index = self._offset
            while True:
                name = self._rack_names[first_rack_index]
                rack = self._racks[name]
                result = rack.next_unfenced(self._epoch)
                if result >= 0:
                    brokers.append(result)
                    break
                first_rack_index += 1
                if first_rack_index == len(self._rack_names):
                    first_rack_index = 0
            rack_index = self._offset
            for _ in range(1, replication_factor):
                result = -1
                while result < 0:
                    # The rack of the leader is skipped once.
                    if rack_index == first_rack_index:
                        first_rack_index = -1
                    else:
                        rack_name = self._rack_names[rack_index]
                        rack = self._racks[rack_name]
                        result = rack.next(self._epoch)
                    rack_index += 1
                    if rack_index == len(self._rack_names):
                        rack_index = 0
                brokers.append(result)
            self._epoch += 1
            self._offset += 1
            return brokers

        def shuffle(self) -> None:
            """:origin: metadata.placement.StripedReplicaPlacer.RackList#shuffle()"""
            self._random.shuffle(self._rack_names)
            for rack in self._racks.values():
                rack.shuffle(self._random)

    def __init__(self, random: Random) -> None:
        """:origin: metadata.placement.StripedReplicaPlacer#StripedReplicaPlacer(Random)"""
        self._random = random

    def place(self, placement: PlacementSpec, cluster: ClusterDescriber) -> TopicAssignment:
        """Return the replicas of each partition.

        Raises InvalidReplicationFactorException if there are too few brokers, or if all are fenced.

        :origin: metadata.placement.StripedReplicaPlacer#place(PlacementSpec, ClusterDescriber)
        """
        rack_list = StripedReplicaPlacer.RackList(self._random, cluster.usable_brokers())
        _throw_invalid_replication_factor_if_non_positive(placement.num_replicas())
        _throw_invalid_replication_factor_if_zero(rack_list.num_unfenced_brokers())
        _throw_invalid_replication_factor_if_too_few_brokers(placement.num_replicas(),
                                                             rack_list.num_total_brokers())
        placements = []
        for _ in range(placement.num_partitions()):
            placements.append(rack_list.place(placement.num_replicas()))
        return TopicAssignment([PartitionAssignment(replicas, cluster) for replicas in placements])


def _order_of(rack_name: str | None) -> tuple[bool, str]:
    return rack_name is not None, rack_name or ""


def _throw_invalid_replication_factor_if_non_positive(replication_factor: int) -> None:
    """:origin: metadata.placement.StripedReplicaPlacer#throwInvalidReplicationFactorIfNonPositive(int)"""
    if replication_factor <= 0:
        raise InvalidReplicationFactorException(
            f"Invalid replication factor {replication_factor}: the replication factor must be positive.")


def _throw_invalid_replication_factor_if_zero(num_unfenced: int) -> None:
    """:origin: metadata.placement.StripedReplicaPlacer#throwInvalidReplicationFactorIfZero(int)"""
    if num_unfenced == 0:
        raise InvalidReplicationFactorException("All brokers are currently fenced.")


def _throw_invalid_replication_factor_if_too_few_brokers(replication_factor: int,
                                                         num_total_brokers: int) -> None:
    """:origin: metadata.placement.StripedReplicaPlacer#throwInvalidReplicationFactorIfTooFewBrokers(int, int)
    """
    if replication_factor > num_total_brokers:
        raise InvalidReplicationFactorException(
            f"The target replication factor of {replication_factor} cannot be reached because only "
            f"{num_total_brokers} broker(s) are registered.")
