# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.StickyPartitionCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partition for each topic's records without keys, until a batch is full."""

from __future__ import annotations

from kreactor.common.cluster import Cluster
from kreactor.jdk.locks import Lock
from kreactor.jdk.random_numbers import RANDOM


class StickyPartitionCache:
    """The sticky partitions by topic. Called by any thread.

    :origin: clients.producer.internals.StickyPartitionCache
    """

    def __init__(self) -> None:
        """:origin: clients.producer.internals.StickyPartitionCache#StickyPartitionCache()"""
        # Read without the lock, written under it.
        self._index_cache: dict[str, int] = {}
        self._lock = Lock()

    def partition(self, topic: str, cluster: Cluster) -> int:
        """Return the sticky partition of a topic; choose one if there is none.

        :origin: clients.producer.internals.StickyPartitionCache#partition(String, Cluster)
        """
        part = self._index_cache.get(topic)
        if part is None:
            return self.next_partition(topic, cluster, -1)
        return part

    def next_partition(self, topic: str, cluster: Cluster, prev_partition: int) -> int:
        """Choose another partition if the sticky one is ``prev_partition`` or none; return the sticky one.

        If two threads fill the same batch, only the first of them changes the partition.

        :origin: clients.producer.internals.StickyPartitionCache#nextPartition(String, Cluster, int)
        """
        partitions = cluster.partitions_for_topic(topic)
        old_part = self._index_cache.get(topic)
        new_part = old_part
        if old_part is None or old_part == prev_partition:
            available_partitions = cluster.available_partitions_for_topic(topic)
            if not available_partitions:
                random = RANDOM.getrandbits(31)
                new_part = random % len(partitions)
            elif len(available_partitions) == 1:
                new_part = available_partitions[0].partition()
            else:
                while new_part is None or new_part == old_part:
                    random = RANDOM.getrandbits(31)
                    new_part = available_partitions[random % len(available_partitions)].partition()
            with self._lock:
                if old_part is None:
                    self._index_cache.setdefault(topic, new_part)
                elif self._index_cache.get(topic) == prev_partition:
                    self._index_cache[topic] = new_part
            return self._index_cache[topic]
        return self._index_cache[topic]
