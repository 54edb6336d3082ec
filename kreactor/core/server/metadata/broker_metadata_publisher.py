# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.BrokerMetadataPublisher of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Notifies the parts of a broker of created and deleted topics, in the right order.

Called by the thread that changes topics, under the lock that admits one change at a time; and once at the
start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

from kreactor.common.internals.topic import Topic
from kreactor.common.topic_partition import TopicPartition
from kreactor.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.transaction.transaction_coordinator import TransactionCoordinator
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.image.cluster_image import ClusterImage


class BrokerMetadataPublisher(Logging):
    """
    :origin: kafka.server.metadata.BrokerMetadataPublisher
    :origin: kafka.server.metadata.BrokerMetadataPublisher
    """

    def __init__(self, config: KafkaConfig, metadata_cache: MetadataCache, replica_manager: ReplicaManager,
                 group_coordinator: GroupCoordinator, txn_coordinator: TransactionCoordinator) -> None:
        """:origin: kafka.server.metadata.BrokerMetadataPublisher#BrokerMetadataPublisher"""
        self._config = config
        self._metadata_cache = metadata_cache
        self._replica_manager = replica_manager
        self._group_coordinator = group_coordinator
        self._txn_coordinator = txn_coordinator
        self._log_ident = f"[BrokerMetadataPublisher id={config.broker_id()}] "

    def on_metadata_update(self, changed: Sequence[TopicPartition] = (),
                           deleted: Sequence[TopicPartition] = (), image: ClusterImage | None = None) -> None:
        """Notify of created partitions, whose logs are open, and of deleted partitions.

        With an ``image``, partitions may have changed in other ways too. Then this node leads the partitions
        for which the image says so.

        :origin: kafka.server.metadata.BrokerMetadataPublisher#onMetadataUpdate
        """
        led_before = {} if image is None else {tp: self._led_epoch(tp) for tp in changed}
        self._replica_manager.apply_delta(changed=changed, deleted=deleted, image=image)
        resigned = deleted
        if image is not None:
            led = {tp: self._led_epoch(tp) for tp in changed}
            resigned = [*deleted, *(tp for tp in changed if led[tp] is None and led_before[tp] is not None)]
            changed = [tp for tp in changed if led[tp] is not None and led[tp] != led_before[tp]]

        try:
            self._update_coordinator(
                changed, resigned, Topic.GROUP_METADATA_TOPIC_NAME, self._group_coordinator.on_election,
                self._group_coordinator.on_resignation)
        except Exception as t:
            self.error("failed to update the group coordinator with changed partitions", exc=t)
        try:
            self._update_coordinator(
                changed, resigned, Topic.TRANSACTION_STATE_TOPIC_NAME, self._txn_coordinator.on_election,
                self._txn_coordinator.on_resignation)
        except Exception as t:
            self.error("failed to update the transaction coordinator with changed partitions", exc=t)
        try:
            if deleted:
                self._group_coordinator.on_partitions_deleted(
                    deleted, RequestLocal.NoCaching.buffer_supplier())
            self._group_coordinator.on_new_metadata_image(
                {partition.topic() for partition in (*changed, *deleted)})
        except Exception as t:
            self.error("failed to update the group coordinator with deleted partitions", exc=t)

    def _led_epoch(self, topic_partition: TopicPartition) -> int | None:
        """Return the epoch in which this node leads a partition, None if it does not lead."""
        partition = self._replica_manager.get_partition(topic_partition)
        return None if partition is None or not partition.is_leader() else partition.get_leader_epoch()

    def _update_coordinator(self, changed: Sequence[TopicPartition], deleted: Sequence[TopicPartition],
                            topic_name: str, election: Callable[[int, int], None],
                            resignation: Callable[[int, int | None], None]) -> None:
        """Notify a coordinator of the partitions of its topic.

        :origin: kafka.server.metadata.BrokerMetadataPublisher#updateCoordinator
        """
        for topic_partition in deleted:
            if topic_partition.topic() == topic_name:
                resignation(topic_partition.partition(), None)
        for topic_partition in changed:
            if topic_partition.topic() == topic_name:
                partition = self._replica_manager.get_partition(topic_partition)
                # A partition whose log is broken has no leader.
                if partition is not None:
                    election(topic_partition.partition(), partition.get_leader_epoch())

    def initialize_managers(self) -> None:
        """Start the coordinators, and have them load their partitions.

        :origin: kafka.server.metadata.BrokerMetadataPublisher#initializeManagers
        """
        self._replica_manager.startup()
        self._group_coordinator.startup(
            lambda: (self._metadata_cache.num_partitions(Topic.GROUP_METADATA_TOPIC_NAME)
                     or self._config.offsets_topic_partitions()))
        self._txn_coordinator.startup(
            lambda: (self._metadata_cache.num_partitions(Topic.TRANSACTION_STATE_TOPIC_NAME)
                     or self._config.transaction_topic_partitions()))
        self._update_coordinator(
            self._partitions_of(Topic.GROUP_METADATA_TOPIC_NAME), (), Topic.GROUP_METADATA_TOPIC_NAME,
            self._group_coordinator.on_election, self._group_coordinator.on_resignation)
        self._update_coordinator(
            self._partitions_of(Topic.TRANSACTION_STATE_TOPIC_NAME), (), Topic.TRANSACTION_STATE_TOPIC_NAME,
            self._txn_coordinator.on_election, self._txn_coordinator.on_resignation)

    def resign(self) -> None:
        """Have the group coordinator refuse its groups before the end, so that waiting clients look for
        another coordinator.

        In Kafka a controlled shutdown does this, because it takes the partitions from the broker.
        """
        self._update_coordinator(
            (), self._partitions_of(Topic.GROUP_METADATA_TOPIC_NAME), Topic.GROUP_METADATA_TOPIC_NAME,
            self._group_coordinator.on_election, self._group_coordinator.on_resignation)

    def resign_all(self) -> None:
        """Have both coordinators refuse requests: other nodes coordinate now, unknown to this one."""
        self.resign()
        self._update_coordinator(
            (), self._partitions_of(Topic.TRANSACTION_STATE_TOPIC_NAME), Topic.TRANSACTION_STATE_TOPIC_NAME,
            self._txn_coordinator.on_election, self._txn_coordinator.on_resignation)

    def _partitions_of(self, topic: str) -> list[TopicPartition]:
        return sorted(self._metadata_cache.get_topic_partitions(topic), key=TopicPartition.partition)
