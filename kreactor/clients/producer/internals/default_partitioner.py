# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.DefaultPartitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partition of the key's hash, or the topic's sticky partition for a record without a key."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.sticky_partition_cache import StickyPartitionCache
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.common.cluster import Cluster
from kreactor.jdk.nio_buffer import BytesLike


class DefaultPartitioner(Partitioner):
    """Deprecated in Kafka since 3.3: without a partitioner.class the accumulator's partitioner replaces it.

    Any thread may call it.

    :origin: clients.producer.internals.DefaultPartitioner
    """

    def __init__(self) -> None:
        self._sticky_partition_cache = StickyPartitionCache()

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: clients.producer.internals.DefaultPartitioner#configure(Map<String,?>)"""

    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster, num_partitions: int | None = None) -> int:
        """Return the partition; ``num_partitions`` is the topic's number of partitions, None for that of the
        metadata.

        :origin: clients.producer.internals.DefaultPartitioner#partition(String, Object, byte[], Object, byte[], Cluster)
        :origin: clients.producer.internals.DefaultPartitioner#partition(String, Object, byte[], Object, byte[], Cluster, int)
        """  # noqa: E501
        if num_partitions is None:
            num_partitions = len(cluster.partitions_for_topic(topic))
        if key_bytes is None:
            return self._sticky_partition_cache.partition(topic, cluster)
        return BuiltInPartitioner.partition_for_key(key_bytes, num_partitions)

    def close(self) -> None:
        """:origin: clients.producer.internals.DefaultPartitioner#close()"""

    def on_new_batch(self, topic: str, cluster: Cluster, prev_partition: int) -> None:
        """Choose another sticky partition if ``prev_partition`` is the current one.

        :origin: clients.producer.internals.DefaultPartitioner#onNewBatch(String, Cluster, int)
        """
        self._sticky_partition_cache.next_partition(topic, cluster, prev_partition)
