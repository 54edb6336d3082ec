# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.Partitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of partitioners, which choose the partitions of records."""

from __future__ import annotations

from abc import abstractmethod

from kreactor.common.cluster import Cluster
from kreactor.common.configurable import Configurable
from kreactor.jdk.nio_buffer import BytesLike


class Partitioner(Configurable):
    """The producer makes the partitioner from the setting partitioner.class. Called by any sending thread.

    :origin: clients.producer.Partitioner
    """

    @abstractmethod
    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        """Return the partition, 0 or above, of a record, whose key and value are also passed serialized.

        :origin: clients.producer.Partitioner#partition(String, Object, byte[], Object, byte[], Cluster)
        """

    @abstractmethod
    def close(self) -> None:
        """Release resources. Called once, when the producer is closed.

        :origin: clients.producer.Partitioner#close()
        """

    def on_new_batch(self, topic: str, cluster: Cluster, prev_partition: int) -> None:
        """Handle a new batch for a record of ``prev_partition``; ``partition`` is called again afterwards.

        Deprecated in Kafka since 3.3; only the sticky partitioners implement this method.

        :origin: clients.producer.Partitioner#onNewBatch(String, Cluster, int)
        """
