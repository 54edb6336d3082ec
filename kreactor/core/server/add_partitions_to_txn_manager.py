# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AddPartitionsToTxnManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Asks the coordinator whether partitions belong to a transaction, before a producer's records are written.

DEVIATION D137: the coordinator is on this node, and a direct call verifies at once. In Kafka a request goes
to the coordinator. So Kafka has a thread and queues here, and a producer must retry while another of its
requests is in flight.

Any thread may call it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Callable, Protocol

from kreactor.common.internals.topic import Topic
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.utils.logging import Logging
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry

AddPartitionsToTxnResult = AddPartitionsToTxnResponseData.AddPartitionsToTxnResult
AppendCallback = Callable[[Mapping[TopicPartition, Errors]], None]


class TransactionSupportedOperation(Enum):
    """The errors that a client knows, by the version of its request.

    :origin: kafka.server.TransactionSupportedOperation
    :origin: kafka.server.defaultError
    :origin: kafka.server.genericError
    :origin: kafka.server.addPartition
    """

    default_error = 0
    # The client also knows TRANSACTION_ABORTABLE.
    generic_error = 1
    # Reserved for later versions of Kafka.
    add_partition = 2


class PartitionVerifier(Protocol):
    """The part of ``TransactionCoordinator`` that is used here."""

    def partition_for(self, transactional_id: str) -> int:
        """Return the partition of ``__transaction_state`` that an id belongs to."""

    def handle_verify_partitions_in_transaction(
        self, transactional_id: str, producer_id: int, producer_epoch: int,
        partitions: Collection[TopicPartition], response_callback: Callable[[AddPartitionsToTxnResult], None],
    ) -> None:
        """Call back with an error for each partition that does not belong to the transaction."""


class AddPartitionsToTxnManager(Logging):
    """
    :origin: kafka.server.AddPartitionsToTxnManager
    :origin: kafka.server.AddPartitionsToTxnManager
    """

    VERIFICATION_FAILURE_RATE_METRIC_NAME = "VerificationFailureRate"
    VERIFICATION_TIME_MS_METRIC_NAME = "VerificationTimeMs"

    def __init__(self, config: KafkaConfig, metadata_cache: MetadataCache,
                 coordinator: Callable[[], PartitionVerifier], time: Time,
                 metrics_registry: MetricsRegistry | None = None,
                 coordinator_on: Callable[[int], PartitionVerifier | None] | None = None) -> None:
        """``coordinator`` is called at each verification, because the coordinator is made after this manager.

        With ``coordinator_on`` the coordinator may be on another node of the process. ``coordinator_on``
        returns the coordinator of a node's id, None if that node is down.

        :origin: kafka.server.AddPartitionsToTxnManager#AddPartitionsToTxnManager
        """
        self._inter_broker_listener_name = config.inter_broker_listener_name()
        self._metadata_cache = metadata_cache
        self._coordinator = coordinator
        self._coordinator_on = coordinator_on
        self._time = time
        self._metrics_group = KafkaMetricsGroup(type(self), metrics_registry)
        self._verification_failure_rate = self._metrics_group.new_meter(
            self.VERIFICATION_FAILURE_RATE_METRIC_NAME, "failures", TimeUnit.SECONDS)
        self._verification_time_ms = self._metrics_group.new_histogram(self.VERIFICATION_TIME_MS_METRIC_NAME)

    def start(self) -> None:
        """Do nothing: no thread is needed (D137)."""

    def verify_transaction(
        self, transactional_id: str, producer_id: int, producer_epoch: int,
        topic_partitions: Sequence[TopicPartition], callback: AppendCallback,
        transaction_supported_operation: TransactionSupportedOperation,
    ) -> None:
        """Call back, before this returns, with the errors of the partitions that are not in the transaction.

        :origin: kafka.server.AddPartitionsToTxnManager#verifyTransaction
        """
        coordinator = self._coordinator()
        node = self._get_transaction_coordinator(coordinator.partition_for(transactional_id))
        if node is None:
            callback(dict.fromkeys(topic_partitions, Errors.COORDINATOR_NOT_AVAILABLE))
            return
        if self._coordinator_on is not None:
            found = self._coordinator_on(node.id())
            if found is None:
                callback(dict.fromkeys(topic_partitions, Errors.NETWORK_EXCEPTION))
                return
            coordinator = found
        start_time_ms = self._time.milliseconds()
        unverified: dict[TopicPartition, Errors] = {}

        def note_errors(transaction_result: AddPartitionsToTxnResult) -> None:
            for topic_partition, error in AddPartitionsToTxnResponse.errors_for_transaction(
                    transaction_result.topic_results).items():
                if error is not Errors.NONE:
                    unverified[topic_partition] = _known_to_client(error, transaction_supported_operation)

        coordinator.handle_verify_partitions_in_transaction(
            transactional_id, producer_id, producer_epoch, topic_partitions, note_errors)
        self._verification_failure_rate.mark(len(unverified))
        self._send_callback(callback, unverified, start_time_ms)

    def _get_transaction_coordinator(self, partition: int) -> Node | None:
        """:origin: kafka.server.AddPartitionsToTxnManager#getTransactionCoordinator"""
        metadata = self._metadata_cache.get_partition_info(Topic.TRANSACTION_STATE_TOPIC_NAME, partition)
        if metadata is None or metadata.leader == MetadataResponse.NO_LEADER_ID:
            return None
        return self._metadata_cache.get_alive_broker_node(metadata.leader, self._inter_broker_listener_name)

    def _send_callback(self, callback: AppendCallback, error_map: Mapping[TopicPartition, Errors],
                       start_time_ms: int) -> None:
        """:origin: kafka.server.AddPartitionsToTxnManager#sendCallback"""
        self._verification_time_ms.update(self._time.milliseconds() - start_time_ms)
        callback(error_map)

    def shutdown(self) -> None:
        """:origin: kafka.server.AddPartitionsToTxnManager#shutdown"""
        self._metrics_group.remove_metric(self.VERIFICATION_FAILURE_RATE_METRIC_NAME)
        self._metrics_group.remove_metric(self.VERIFICATION_TIME_MS_METRIC_NAME)


def _known_to_client(error: Errors, operation: TransactionSupportedOperation) -> Errors:
    # Producers recover from INVALID_PRODUCER_EPOCH.
    if error is Errors.PRODUCER_FENCED:
        return Errors.INVALID_PRODUCER_EPOCH
    elif (error is Errors.TRANSACTION_ABORTABLE
            and operation is not TransactionSupportedOperation.generic_error):
        return Errors.INVALID_TXN_STATE
    return error
