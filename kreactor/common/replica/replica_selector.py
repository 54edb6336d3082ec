# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.ReplicaSelector of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The choice of the replica that a consumer reads (KIP-392); users may have their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.replica.partition_view import PartitionView
from kreactor.common.replica.replica_view import ReplicaView
from kreactor.common.topic_partition import TopicPartition


class ReplicaSelector(ABC):
    """Called by any handler's thread.

    :origin: common.replica.ReplicaSelector
    """

    @abstractmethod
    def select(self, topic_partition: TopicPartition, client_metadata: ClientMetadata,
               partition_view: PartitionView) -> ReplicaView | None:
        """Return the replica that a client is to read, None for no preference.

        :origin: common.replica.ReplicaSelector#select(TopicPartition, ClientMetadata, PartitionView)
        """

    def close(self) -> None:
        """Do nothing.

        :origin: common.replica.ReplicaSelector#close()
        """

    def configure(self, configs: Mapping[str, object]) -> None:
        """Do nothing.

        :origin: common.replica.ReplicaSelector#configure(Map<String,?>)
        """
