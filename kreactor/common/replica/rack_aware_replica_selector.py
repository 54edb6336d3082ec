# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.RackAwareReplicaSelector of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Sends consumers to a replica in their own rack."""

from __future__ import annotations

from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.replica.partition_view import PartitionView
from kreactor.common.replica.replica_selector import ReplicaSelector
from kreactor.common.replica.replica_view import ReplicaView
from kreactor.common.topic_partition import TopicPartition


class RackAwareReplicaSelector(ReplicaSelector):
    """Prefers the leader if it is in the client's rack, or if no replica is.

    :origin: common.replica.RackAwareReplicaSelector
    """

    def select(self, topic_partition: TopicPartition, client_metadata: ClientMetadata,
               partition_view: PartitionView) -> ReplicaView | None:
        """
        :origin: common.replica.RackAwareReplicaSelector#select(TopicPartition, ClientMetadata, PartitionView)
        """
        if not client_metadata.rack_id:
            return partition_view.leader
        same_rack_replicas = [replica_info for replica_info in partition_view.replicas
                              if replica_info.endpoint.rack() == client_metadata.rack_id]
        if not same_rack_replicas or partition_view.leader in same_rack_replicas:
            return partition_view.leader
        return max(same_rack_replicas, key=ReplicaView.comparator)
