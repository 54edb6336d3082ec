# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.StripedReplicaPlacerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where the replicas of new partitions are placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from kreactor.common.errors import InvalidReplicationFactorException
from kreactor.metadata.placement.placement_spec import PlacementSpec
from kreactor.metadata.placement.replica_placer import ReplicaPlacer
from kreactor.metadata.placement.striped_replica_placer import StripedReplicaPlacer
from kreactor.metadata.placement.topic_assignment import TopicAssignment
from kreactor.metadata.placement.usable_broker import UsableBroker
from tests.metadata.placement.brokers import Cluster, partition_assignment
from tests.metadata.placement.mock_random import MockRandom

BrokerList = StripedReplicaPlacer.BrokerList
RackList = StripedReplicaPlacer.RackList


def place(placer: ReplicaPlacer, start_partition: int, num_partitions: int, replication_factor: int,
          brokers: Sequence[UsableBroker]) -> TopicAssignment:
    return placer.place(PlacementSpec(start_partition, num_partitions, replication_factor), Cluster(brokers))


def test_broker_list() -> None:
    assert BrokerList().size() == 0
    assert BrokerList().next(1) == -1
    brokers = BrokerList().add(0).add(1).add(2).add(3)
    assert brokers.size() == 4
    assert [brokers.next(0) for _ in range(6)] == [0, 1, 2, 3, -1, -1]
    assert [brokers.next(1) for _ in range(5)] == [1, 2, 3, 0, -1]


def test_avoid_fenced_replica_if_possible_on_single_rack() -> None:
    rack_list = RackList(MockRandom(), iter([
        UsableBroker(3, None, False), UsableBroker(1, None, True), UsableBroker(0, None, False),
        UsableBroker(4, None, False), UsableBroker(2, None, False)]))
    assert rack_list.num_total_brokers() == 5
    assert rack_list.num_unfenced_brokers() == 4
    assert rack_list.rack_names() == [None]
    for replication_factor in (0, -1):
        with pytest.raises(InvalidReplicationFactorException):
            rack_list.place(replication_factor)
    assert rack_list.place(4) == [3, 4, 0, 2]
    assert rack_list.place(4) == [4, 0, 2, 3]
    assert rack_list.place(4) == [0, 2, 3, 4]
    assert rack_list.place(4) == [2, 3, 4, 0]
    assert rack_list.place(4) == [0, 4, 3, 2]


def test_multi_partition_topic_placement_on_single_unfenced_broker() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    assert place(placer, 0, 3, 1, [UsableBroker(0, None, False), UsableBroker(1, None, True)]) == \
        TopicAssignment([partition_assignment(0), partition_assignment(0), partition_assignment(0)])


def test_placement_on_fenced_replica_on_single_rack() -> None:
    rack_list = RackList(MockRandom(), iter([
        UsableBroker(3, None, False), UsableBroker(1, None, True), UsableBroker(2, None, False)]))
    assert rack_list.num_total_brokers() == 3
    assert rack_list.num_unfenced_brokers() == 2
    assert rack_list.rack_names() == [None]
    assert rack_list.place(3) == [3, 2, 1]
    assert rack_list.place(3) == [2, 3, 1]
    assert rack_list.place(3) == [3, 2, 1]
    assert rack_list.place(3) == [2, 3, 1]


def test_rack_list_with_multiple_racks() -> None:
    rack_list = RackList(MockRandom(), iter([
        UsableBroker(11, "1", False), UsableBroker(10, "1", False), UsableBroker(30, "3", False),
        UsableBroker(31, "3", False), UsableBroker(21, "2", False), UsableBroker(20, "2", True)]))
    assert rack_list.num_total_brokers() == 6
    assert rack_list.num_unfenced_brokers() == 5
    assert rack_list.rack_names() == ["1", "2", "3"]
    assert rack_list.place(4) == [11, 21, 31, 10]
    assert rack_list.place(4) == [21, 30, 10, 20]
    assert rack_list.place(4) == [31, 11, 21, 30]


def test_rack_list_with_invalid_racks() -> None:
    rack_list = RackList(MockRandom(), iter([
        UsableBroker(11, "1", False), UsableBroker(10, "1", False), UsableBroker(30, "3", True),
        UsableBroker(31, "3", True), UsableBroker(20, "2", True), UsableBroker(21, "2", True),
        UsableBroker(41, "4", False), UsableBroker(40, "4", True)]))
    assert rack_list.num_total_brokers() == 8
    assert rack_list.num_unfenced_brokers() == 3
    assert rack_list.rack_names() == ["1", "2", "3", "4"]
    assert rack_list.place(4) == [41, 11, 21, 30]
    assert rack_list.place(4) == [10, 20, 31, 41]
    assert rack_list.place(4) == [41, 21, 30, 11]


def test_all_brokers_fenced() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    with pytest.raises(InvalidReplicationFactorException, match=r"^All brokers are currently fenced\.$"):
        place(placer, 0, 1, 1, [UsableBroker(11, "1", True), UsableBroker(10, "1", True)])


def test_not_enough_brokers() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    with pytest.raises(InvalidReplicationFactorException, match=(
            r"^The target replication factor of 3 cannot be reached because only 2 broker\(s\) are "
            r"registered\.$")):
        place(placer, 0, 1, 3, [UsableBroker(11, "1", False), UsableBroker(10, "1", False)])


def test_non_positive_replication_factor() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    with pytest.raises(InvalidReplicationFactorException, match=(
            r"^Invalid replication factor 0: the replication factor must be positive\.$")):
        place(placer, 0, 1, 0, [UsableBroker(11, "1", False), UsableBroker(10, "1", False)])


def test_successful_placement() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    assert place(placer, 0, 5, 3, [
        UsableBroker(0, None, False), UsableBroker(3, None, False), UsableBroker(2, None, False),
        UsableBroker(1, None, False)]) == TopicAssignment([
            partition_assignment(2, 3, 0), partition_assignment(3, 0, 1), partition_assignment(0, 1, 2),
            partition_assignment(1, 2, 3), partition_assignment(1, 0, 2)])


def test_even_distribution() -> None:
    placer = StripedReplicaPlacer(MockRandom())
    topic_assignment = place(placer, 0, 200, 2, [
        UsableBroker(0, None, False), UsableBroker(1, None, False), UsableBroker(2, None, False),
        UsableBroker(3, None, False)])
    counts = Counter(tuple(each.replicas()) for each in topic_assignment.assignments())
    assert counts == {(0, 1): 14, (0, 2): 22, (0, 3): 14, (1, 0): 17, (1, 2): 17, (1, 3): 16,
                      (2, 0): 13, (2, 1): 17, (2, 3): 20, (3, 0): 20, (3, 1): 19, (3, 2): 11}


def test_rack_list_all_brokers_fenced() -> None:
    """A rack may have fewer brokers than a partition has replicas."""
    rack_list = RackList(MockRandom(), iter([
        UsableBroker(0, None, True), UsableBroker(1, None, True), UsableBroker(2, None, True)]))
    assert rack_list.num_total_brokers() == 3
    assert rack_list.num_unfenced_brokers() == 0
    assert rack_list.rack_names() == [None]
    with pytest.raises(InvalidReplicationFactorException, match=r"^All brokers are currently fenced\.$"):
        rack_list.place(3)


def test_rack_list_not_enough_brokers() -> None:
    rack_list = RackList(MockRandom(), iter([UsableBroker(11, "1", False), UsableBroker(10, "1", False)]))
    with pytest.raises(InvalidReplicationFactorException, match=(
            r"^The target replication factor of 3 cannot be reached because only 2 broker\(s\) are "
            r"registered\.$")):
        rack_list.place(3)


def test_rack_list_non_positive_replication_factor() -> None:
    rack_list = RackList(MockRandom(), iter([UsableBroker(11, "1", False), UsableBroker(10, "1", False)]))
    with pytest.raises(InvalidReplicationFactorException, match=(
            r"^Invalid replication factor -1: the replication factor must be positive\.$")):
        rack_list.place(-1)
