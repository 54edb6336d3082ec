# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.BuiltInPartitionerTest of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""When the sticky partition changes, and to which."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count

import pytest

from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.common.cluster import Cluster
from kreactor.common.node import Node
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from tests.stepping import Background

NODES = [Node(0, "localhost", 99), Node(1, "localhost", 100), Node(2, "localhost", 101),
         Node(11, "localhost", 102)]
TOPIC_A, TOPIC_B, TOPIC_C = "topicA", "topicB", "topicC"


@pytest.fixture(autouse=True)
def no_mock_random() -> Iterator[None]:
    yield
    BuiltInPartitioner.mock_random = None


def use_sequential_numbers() -> None:
    numbers = count()
    BuiltInPartitioner.mock_random = lambda: next(numbers)


def partition(topic: str, number: int, leader: Node | None) -> PartitionInfo:
    return PartitionInfo(topic, number, leader, NODES, NODES)


def cluster_of(nodes: list[Node], partitions: list[PartitionInfo]) -> Cluster:
    return Cluster("clusterId", nodes, partitions, set(), set())


def partitioner_of(topic: str, sticky_batch_size: int) -> BuiltInPartitioner:
    return BuiltInPartitioner(LogContext(), topic, sticky_batch_size)


def use_once(partitioner: BuiltInPartitioner, cluster: Cluster) -> int:
    """Append a byte; return to which partition."""
    info = partitioner.peek_current_partition_info(cluster)
    assert not partitioner.is_partition_changed(info)
    partitioner.update_partition_info(info, 1, cluster)
    return info.partition()


def test_sticky_partitioning() -> None:
    cluster = cluster_of(NODES, [partition(TOPIC_A, 0, NODES[0]), partition(TOPIC_A, 1, NODES[1]),
                                 partition(TOPIC_A, 2, NODES[2]), partition(TOPIC_B, 0, NODES[0])])
    use_sequential_numbers()

    # Three records, then another partition.
    partitioner_a = partitioner_of(TOPIC_A, 3)
    part_a = use_once(partitioner_a, cluster)
    first = partitioner_a.peek_current_partition_info(cluster)
    assert [use_once(partitioner_a, cluster) for _ in range(2)] == [part_a] * 2
    assert partitioner_a.is_partition_changed(first)
    assert not partitioner_a.is_partition_changed(None)
    assert partitioner_a.peek_current_partition_info(cluster).partition() != part_a

    # With one partition it changes to the same.
    partitioner_b = partitioner_of(TOPIC_B, 1)
    assert [use_once(partitioner_b, cluster) for _ in range(10)] == [0] * 10


def test_unavailable_partitions_test() -> None:
    cluster = cluster_of(NODES[:3], [
        partition(TOPIC_A, 0, NODES[0]), partition(TOPIC_A, 1, None), partition(TOPIC_A, 2, NODES[2]),
        partition(TOPIC_B, 0, None), partition(TOPIC_B, 1, NODES[0]), partition(TOPIC_C, 0, None)])

    partitioner_a = partitioner_of(TOPIC_A, 1)
    assert {use_once(partitioner_a, cluster) for _ in range(101)} == {0, 2}

    partitioner_b = partitioner_of(TOPIC_B, 1)
    assert {use_once(partitioner_b, cluster) for _ in range(101)} == {1}

    # Where none is available, any may be chosen.
    partitioner_c = partitioner_of(TOPIC_C, 1)
    assert {use_once(partitioner_c, cluster) for _ in range(2)} == {0}


def test_adaptive_partitions_test() -> None:
    use_sequential_numbers()
    partitioner = partitioner_of(TOPIC_A, 1)

    queue_sizes = [5, 0, 3, 0, 1]
    partition_ids = list(range(len(queue_sizes)))
    # 6 is the largest size and 1.
    expected_frequencies = [6 - size for size in queue_sizes]
    cluster = cluster_of(NODES, [partition(TOPIC_A, i, NODES[i % len(NODES)]) for i in partition_ids])

    partitioner.update_partition_load_stats(queue_sizes, partition_ids, len(queue_sizes))

    number_of_cycles = 2
    frequencies = [0] * len(queue_sizes)
    assert partitioner.load_stats_range_end() == sum(expected_frequencies)
    for _ in range(partitioner.load_stats_range_end() * number_of_cycles):
        frequencies[use_once(partitioner, cluster)] += 1

    assert frequencies == [frequency * number_of_cycles for frequency in expected_frequencies]


def test_sticky_batch_size_more_that_zero() -> None:
    with pytest.raises(IllegalArgumentException, match="stickyBatchSize must be >= 1 but got 0"):
        partitioner_of(TOPIC_A, 0)
    assert not partitioner_of(TOPIC_A, 1).is_partition_changed(None)


@pytest.mark.parametrize("sizes, length", [(None, 0), ([3, 4], 0), ([3], 1), ([2, 2], 2)])
def test_a_load_that_says_nothing_does_not_count(sizes: list[int] | None, length: int) -> None:
    use_sequential_numbers()
    cluster = cluster_of(NODES, [partition(TOPIC_A, i, NODES[i]) for i in range(3)])
    partitioner = partitioner_of(TOPIC_A, 1)
    partitioner.update_partition_load_stats([0, 100], [0, 1], 2)
    partitioner.update_partition_load_stats(sizes, None if sizes is None else list(range(len(sizes))), length)
    assert [use_once(partitioner, cluster) for _ in range(6)] == [0, 1, 2, 0, 1, 2]


def test_the_one_partition_whose_node_is_quick_is_chosen() -> None:
    use_sequential_numbers()
    cluster = cluster_of(NODES, [partition(TOPIC_A, i, NODES[i]) for i in range(3)])
    partitioner = partitioner_of(TOPIC_A, 1)
    partitioner.update_partition_load_stats([4, 4, 4], [2, 0, 0], 1)
    assert [use_once(partitioner, cluster) for _ in range(4)] == [2] * 4


def test_without_leave_to_switch_it_takes_twice_the_bytes() -> None:
    cluster = cluster_of(NODES, [partition(TOPIC_A, i, NODES[i]) for i in range(3)])
    partitioner = partitioner_of(TOPIC_A, 4)
    info = partitioner.peek_current_partition_info(cluster)
    for appended in (3, 2, 2):
        partitioner.update_partition_info(info, appended, cluster, False)
        assert not partitioner.is_partition_changed(info)
    partitioner.update_partition_info(info, 1, cluster, False)
    assert partitioner.is_partition_changed(info)


def test_all_threads_have_the_first_partition_of_one() -> None:
    cluster = cluster_of(NODES, [partition(TOPIC_A, i, NODES[i]) for i in range(3)])
    partitioner = partitioner_of(TOPIC_A, 1)
    together = threading.Barrier(4)

    def all_choose() -> int:
        together.wait()
        return 1

    BuiltInPartitioner.mock_random = all_choose
    threads = [Background(lambda: partitioner.peek_current_partition_info(cluster)) for _ in range(4)]
    assert len({id(thread.result()) for thread in threads}) == 1
