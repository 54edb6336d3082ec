# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.ReplicaSelector of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface that chooses a consumer's replica (KIP-392). Users may implement it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.replica.partition_view import PartitionView
from kreactor.common.replica.replica_view import ReplicaView
from kreactor.common.topic_partition import TopicPartition


class ReplicaSelector(ABC):
    """Selects replicas. Called by any handler thread.

    :origin: common.replica.ReplicaSelector
    """

    @abstractmethod
    def select(self, topic_partition: TopicPartition, client_metadata: ClientMetadata,
               partition_view: PartitionView) -> ReplicaView | None:
        """Return the client's preferred replica, or None.

        :origin: common.replica.ReplicaSelector#select(TopicPartition, ClientMetadata, PartitionView)
        """

    def close(self) -> None:
        """Release the resources. The default does nothing.

        :origin: common.replica.ReplicaSelector#close()
        """

    def configure(self, configs: Mapping[str, object]) -> None:
        """Read the settings. The default does nothing.

        :origin: common.replica.ReplicaSelector#configure(Map<String,?>)
        """
