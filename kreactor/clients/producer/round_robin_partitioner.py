# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.RoundRobinPartitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A partitioner that uses all partitions in turn, whatever the keys."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.clients.producer.partitioner import Partitioner
from kreactor.common.cluster import Cluster
from kreactor.common.utils.utils import Utils
from kreactor.jdk.locks import Lock
from kreactor.jdk.nio_buffer import BytesLike


class RoundRobinPartitioner(Partitioner):
    """Counts the records of each topic. Called by any thread.

    For a record that begins a new batch, ``partition`` is called twice (KAFKA-9965), so a turn is skipped.

    :origin: clients.producer.RoundRobinPartitioner
    """

    def __init__(self) -> None:
        # Guarded by _lock.
        self._topic_counter_map: dict[str, int] = {}
        self._lock = Lock()

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: clients.producer.RoundRobinPartitioner#configure(Map<String,?>)"""

    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        """Return the next partition with a leader, or the next of all partitions if none has a leader.

        :origin: clients.producer.RoundRobinPartitioner#partition(String, Object, byte[], Object, byte[], Cluster)
        """  # noqa: E501
        next_value = self._next_value(topic)
        available_partitions = cluster.available_partitions_for_topic(topic)
        if available_partitions:
            part = Utils.to_positive(next_value) % len(available_partitions)
            return available_partitions[part].partition()
        else:
            num_partitions = len(cluster.partitions_for_topic(topic))
            return Utils.to_positive(next_value) % num_partitions

    def _next_value(self, topic: str) -> int:
        """:origin: clients.producer.RoundRobinPartitioner#nextValue(String)"""
        with self._lock:
            value = self._topic_counter_map.get(topic, 0)
            self._topic_counter_map[topic] = value + 1
        return value

    def close(self) -> None:
        """:origin: clients.producer.RoundRobinPartitioner#close()"""
