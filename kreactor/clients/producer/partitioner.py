# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.Partitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of partitioners, which choose the partition of a record."""

from __future__ import annotations

from abc import abstractmethod

from kreactor.common.cluster import Cluster
from kreactor.common.configurable import Configurable
from kreactor.jdk.nio_buffer import BytesLike


class Partitioner(Configurable):
    """Made by the producer from the class that partitioner.class names. Called by any thread that sends.

    :origin: clients.producer.Partitioner
    """

    @abstractmethod
    def partition(self, topic: str, key: object, key_bytes: BytesLike | None, value: object,
                  value_bytes: BytesLike | None, cluster: Cluster) -> int:
        """Return the number of the partition, 0 or above, for a record, given as it is and serialized.

        :origin: clients.producer.Partitioner#partition(String, Object, byte[], Object, byte[], Cluster)
        """

    @abstractmethod
    def close(self) -> None:
        """Called once, when the producer is closed.

        :origin: clients.producer.Partitioner#close()
        """

    def on_new_batch(self, topic: str, cluster: Cluster, prev_partition: int) -> None:
        """Learn that a record for ``prev_partition`` needs a new batch; ``partition`` is asked again then.

        Deprecated in Kafka since 3.3; only the sticky partitioners do something here.

        :origin: clients.producer.Partitioner#onNewBatch(String, Cluster, int)
        """
