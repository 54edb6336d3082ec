# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.BrokerMetadataPublisher of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tells the parts of the broker of topics that came and went.

Whoever created or deleted them calls it, one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

from kreactor.common.internals.topic import Topic
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_coordinator import TransactionCoordinator
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.replica_manager import ReplicaManager

_IMAGES = "there is no metadata log, and no images of what it says"
_CLASS = "kafka.server.metadata.BrokerMetadataPublisher"

OMITTED = {f"{_CLASS}#{name}": _IMAGES for name in (
    "getTopicDelta", "name", "reloadUpdatedFilesWithoutConfigChange", "finishInitializingReplicaManager",
    "close")}


class BrokerMetadataPublisher:
    """:origin: kafka.server.metadata.BrokerMetadataPublisher"""

    def __init__(self, config: KafkaConfig, metadata_cache: MetadataCache, replica_manager: ReplicaManager,
                 txn_coordinator: TransactionCoordinator) -> None:
        """:origin: kafka.server.metadata.BrokerMetadataPublisher#BrokerMetadataPublisher"""
        self._config = config
        self._metadata_cache = metadata_cache
        self._replica_manager = replica_manager
        self._txn_coordinator = txn_coordinator

    def apply_delta(self, changed: Sequence[TopicPartition] = (),
                    deleted: Sequence[TopicPartition] = ()) -> None:
        """Partitions were created, their logs are open; others were deleted, their logs closed.

        :origin: kafka.server.metadata.BrokerMetadataPublisher#onMetadataUpdate
        """
        self._replica_manager.apply_delta(changed, deleted)
        self._update_coordinator(
            changed, deleted, Topic.TRANSACTION_STATE_TOPIC_NAME, self._txn_coordinator.on_election,
            self._txn_coordinator.on_resignation)

    def _update_coordinator(
        self, changed: Sequence[TopicPartition], deleted: Sequence[TopicPartition], topic_name: str,
        election: Callable[[int, int], None], resignation: Callable[[int, int | None], None],
    ) -> None:
        """:origin: kafka.server.metadata.BrokerMetadataPublisher#updateCoordinator"""
        for topic_partition in deleted:
            if topic_partition.topic() == topic_name:
                resignation(topic_partition.partition(), None)
        for topic_partition in changed:
            if topic_partition.topic() == topic_name:
                partition = self._replica_manager.get_partition(topic_partition)
                # One whose log is broken has nobody who could lead it.
                if partition is not None:
                    election(topic_partition.partition(), partition.get_leader_epoch())

    def initialize_managers(self) -> None:
        """Start what begins with the topics that there are.

        :origin: kafka.server.metadata.BrokerMetadataPublisher#initializeManagers
        """
        self._replica_manager.startup()

        def transaction_topic_partition_count() -> int:
            found = self._metadata_cache.num_partitions(Topic.TRANSACTION_STATE_TOPIC_NAME)
            return self._config.transaction_topic_partitions() if found is None else found

        self._txn_coordinator.startup(transaction_topic_partition_count)
        self._update_coordinator(
            sorted(self._metadata_cache.get_topic_partitions(Topic.TRANSACTION_STATE_TOPIC_NAME),
                   key=TopicPartition.partition),
            (), Topic.TRANSACTION_STATE_TOPIC_NAME, self._txn_coordinator.on_election,
            self._txn_coordinator.on_resignation)
