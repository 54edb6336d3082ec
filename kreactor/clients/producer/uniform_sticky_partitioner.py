# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.UniformStickyPartitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A partitioner that uses the topic's sticky partition for every record, whatever the keys."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.clients.producer.internals.sticky_partition_cache import StickyPartitionCache
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.common.cluster import Cluster
from kreactor.jdk.nio_buffer import BytesLike


class UniformStickyPartitioner(Partitioner):
    """Deprecated in Kafka since 3.3: partitioner.ignore.keys=true without a partitioner.class replaces it.

    Called by any thread.

    :origin: clients.producer.UniformStickyPartitioner
    """

    def __init__(self) -> None:
        self._sticky_partition_cache = StickyPartitionCache()

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: clients.producer.UniformStickyPartitioner#configure(Map<String,?>)"""

    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        """:origin: clients.producer.UniformStickyPartitioner#partition(String, Object, byte[], Object, byte[], Cluster)
        """  # noqa: E501
        return self._sticky_partition_cache.partition(topic, cluster)

    def close(self) -> None:
        """:origin: clients.producer.UniformStickyPartitioner#close()"""

    def on_new_batch(self, topic: str, cluster: Cluster, prev_partition: int) -> None:
        """Choose another sticky partition if ``prev_partition`` is the current one.

        :origin: clients.producer.UniformStickyPartitioner#onNewBatch(String, Cluster, int)
        """
        self._sticky_partition_cache.next_partition(topic, cluster, prev_partition)
