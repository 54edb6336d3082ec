# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ReplicaManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Appends to logs and reads from them for requests; decides the error of each partition and the sizes of
responses.

A node of its own is the only replica of its partitions. A node of a cluster in the process leads and follows
as ``apply_delta`` says. Its replicas are views of one log, so there are no fetchers. ``acks=-1`` is satisfied
when the append returns, unless an in-sync replica is held back.

Any thread may call it. It has no lock of its own, because logs have theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Callable, Protocol

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    ApiException,
    CorruptRecordException,
    FencedLeaderEpochException,
    InconsistentTopicIdException,
    InvalidPidMappingException,
    InvalidTopicException,
    KafkaStorageException,
    LogDirNotFoundException,
    NotEnoughReplicasException,
    NotLeaderOrFollowerException,
    OffsetOutOfRangeException,
    PolicyViolationException,
    RecordBatchTooLargeException,
    RecordTooLargeException,
    ReplicaNotAvailableException,
    UnknownLeaderEpochException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.internals.topic import Topic
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.delete_records_response_data import DeleteRecordsResponseData
from kreactor.common.message.describe_log_dirs_response_data import DescribeLogDirsResponseData
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.replica.partition_view import PartitionView
from kreactor.common.replica.replica_selector import ReplicaSelector
from kreactor.common.replica.replica_view import ReplicaView
from kreactor.common.requests.delete_records_response import DeleteRecordsResponse
from kreactor.common.requests.describe_log_dirs_response import DescribeLogDirsResponse
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.common.uuid import Uuid
from kreactor.core.cluster.partition import Partition
from kreactor.core.log.log_manager import LogManager
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.action_queue import ActionQueue, DelayedActionQueue
from kreactor.core.server.add_partitions_to_txn_manager import TransactionSupportedOperation
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.delayed_fetch import (
    DelayedFetch,
    DelayedFetchMetrics,
    FetchPartitionStatus,
    ResponseCallback,
)
from kreactor.core.server.delayed_operation import DelayedOperationPurgatory
from kreactor.core.server.delayed_operation_key import TopicPartitionOperationKey
from kreactor.core.server.delayed_produce import DelayedProduce, ProduceMetadata, ProducePartitionStatus
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.image.cluster_image import ClusterImage, PartitionState
from kreactor.jdk.floor import Floor
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.config.replication_configs import ReplicationConfigs
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_file_utils import MAX_FOLDER_NAME, future_folder_length
from kreactor.storage.internals.log.log_offset_metadata import UNKNOWN_OFFSET, UNKNOWN_OFFSET_METADATA
from kreactor.storage.internals.log.record_validation_exception import RecordValidationException
from kreactor.storage.internals.log.verification_guard import VerificationGuard

EntriesPerPartition = Mapping[TopicPartition, MemoryRecords]
# The guard of each partition, for a batch that may begin a transaction.
VerificationGuards = Mapping[TopicPartition, VerificationGuard]
NO_GUARDS: VerificationGuards = MappingProxyType({})
ProduceCallback = Callable[[dict[TopicPartition, ProduceResponse.PartitionResponse]], object]
StatsCallback = Callable[[dict[TopicPartition, RecordValidationStats]], object]

PartitionResponse = ProduceResponse.PartitionResponse
# CPython 3.11 takes 90 ns to look up an attribute of an enum.
_NONE, _CLIENT = Errors.NONE, AppendOrigin.CLIENT

_NO_ERRORS: Mapping[TopicPartition, Errors] = MappingProxyType({})

# Errors that clients cause or that pass: the metrics of failed requests do not count them.
_EXPECTED_ON_APPEND = (UnknownTopicOrPartitionException, NotLeaderOrFollowerException,
                       RecordTooLargeException, RecordBatchTooLargeException, CorruptRecordException,
                       KafkaStorageException)
_EXPECTED_ON_READ = (UnknownTopicOrPartitionException, NotLeaderOrFollowerException,
                     UnknownLeaderEpochException, FencedLeaderEpochException, ReplicaNotAvailableException,
                     KafkaStorageException, InconsistentTopicIdException)


class TransactionVerifier(Protocol):
    """The part of ``AddPartitionsToTxnManager`` that ``ReplicaManager`` uses."""

    def start(self) -> None:
        """Begin to accept verifications."""

    def verify_transaction(
        self, transactional_id: str, producer_id: int, producer_epoch: int,
        topic_partitions: Sequence[TopicPartition],
        callback: Callable[[Mapping[TopicPartition, Errors]], None],
        transaction_supported_operation: TransactionSupportedOperation,
    ) -> None:
        """Call back, on any thread, with the errors of the partitions that are not in the transaction."""

    def shutdown(self) -> None:
        """Accept no more verifications."""


class LogAppendResult:
    """The result of an append to one partition. Immutable.

    :origin: kafka.server.LogAppendResult
    """

    __slots__ = ("info", "exception", "has_custom_error_message", "record_errors")

    def __init__(self, info: LogAppendInfo, exception: Exception | None = None,
                 has_custom_error_message: bool = False,
                 record_errors: list[ProduceResponse.RecordError] | None = None) -> None:
        """:origin: kafka.server.LogAppendResult#LogAppendResult"""
        self.info = info
        self.exception = exception
        self.has_custom_error_message = has_custom_error_message
        # In Kafka they are in the info.
        self.record_errors = record_errors

    def error(self) -> Errors:
        """:origin: kafka.server.LogAppendResult#error"""
        return _NONE if self.exception is None else Errors.for_exception(self.exception)

    def error_message(self) -> str | None:
        """Return the message that the client gets besides the error, or None.

        :origin: kafka.server.LogAppendResult#errorMessage
        """
        if self.exception is None or not self.has_custom_error_message:
            return None
        return str(self.exception)


class LogReadResult:
    """The result of a read from one partition. Immutable; ``last_stable_offset`` is None if the read failed.

    :origin: kafka.server.LogReadResult
    """

    __slots__ = ("info", "diverging_epoch", "high_watermark", "leader_log_start_offset",
                 "leader_log_end_offset", "follower_log_start_offset", "fetch_time_ms", "last_stable_offset",
                 "exception", "preferred_read_replica")

    def __init__(self, info: FetchDataInfo, diverging_epoch: FetchResponseData.EpochEndOffset | None,
                 high_watermark: int, leader_log_start_offset: int, leader_log_end_offset: int,
                 follower_log_start_offset: int, fetch_time_ms: int, last_stable_offset: int | None,
                 exception: Exception | None = None, preferred_read_replica: int | None = None) -> None:
        """:origin: kafka.server.LogReadResult#LogReadResult"""
        self.info = info
        self.diverging_epoch = diverging_epoch
        self.high_watermark = high_watermark
        self.leader_log_start_offset = leader_log_start_offset
        self.leader_log_end_offset = leader_log_end_offset
        self.follower_log_start_offset = follower_log_start_offset
        self.fetch_time_ms = fetch_time_ms
        self.last_stable_offset = last_stable_offset
        self.exception = exception
        self.preferred_read_replica = preferred_read_replica

    def error(self) -> Errors:
        """:origin: kafka.server.LogReadResult#error"""
        return _NONE if self.exception is None else Errors.for_exception(self.exception)

    def to_fetch_partition_data(self, is_reassignment_fetch: bool) -> FetchPartitionData:
        """Return the fields that the response needs.

        :origin: kafka.server.LogReadResult#toFetchPartitionData
        """
        return FetchPartitionData(
            self.error(), self.high_watermark, self.leader_log_start_offset, self.info.records,
            self.diverging_epoch, self.last_stable_offset, self.info.aborted_transactions,
            self.preferred_read_replica, is_reassignment_fetch)

    def __str__(self) -> str:
        """:origin: kafka.server.LogReadResult#toString"""
        return (f"LogReadResult(info={self.info}, divergingEpoch={self.diverging_epoch}, "
                f"highWatermark={self.high_watermark}, leaderLogStartOffset={self.leader_log_start_offset}, "
                f"leaderLogEndOffset={self.leader_log_end_offset}, "
                f"followerLogStartOffset={self.follower_log_start_offset}, fetchTimeMs={self.fetch_time_ms}, "
                f"lastStableOffset={self.last_stable_offset}, "
                f"preferredReadReplica={self.preferred_read_replica}, error={self.error()})")


class ReplicaManager(Logging):
    """The partitions of this node.

    :origin: kafka.server.ReplicaManager
    :origin: kafka.server.ReplicaManager
    """

    LEADER_COUNT_METRIC_NAME = "LeaderCount"
    PARTITION_COUNT_METRIC_NAME = "PartitionCount"
    OFFLINE_REPLICA_COUNT_METRIC_NAME = "OfflineReplicaCount"
    UNDER_REPLICATED_PARTITIONS_METRIC_NAME = "UnderReplicatedPartitions"
    UNDER_MIN_ISR_PARTITION_COUNT_METRIC_NAME = "UnderMinIsrPartitionCount"
    AT_MIN_ISR_PARTITION_COUNT_METRIC_NAME = "AtMinIsrPartitionCount"
    REASSIGNING_PARTITIONS_METRIC_NAME = "ReassigningPartitions"
    PARTITIONS_WITH_LATE_TRANSACTIONS_COUNT_METRIC_NAME = "PartitionsWithLateTransactionsCount"
    PRODUCER_ID_COUNT_METRIC_NAME = "ProducerIdCount"
    ISR_EXPANDS_PER_SEC_METRIC_NAME = "IsrExpandsPerSec"
    ISR_SHRINKS_PER_SEC_METRIC_NAME = "IsrShrinksPerSec"
    FAILED_ISR_UPDATES_PER_SEC_METRIC_NAME = "FailedIsrUpdatesPerSec"

    GAUGE_METRIC_NAMES = frozenset((
        LEADER_COUNT_METRIC_NAME, PARTITION_COUNT_METRIC_NAME, OFFLINE_REPLICA_COUNT_METRIC_NAME,
        UNDER_REPLICATED_PARTITIONS_METRIC_NAME, UNDER_MIN_ISR_PARTITION_COUNT_METRIC_NAME,
        AT_MIN_ISR_PARTITION_COUNT_METRIC_NAME, REASSIGNING_PARTITIONS_METRIC_NAME,
        PARTITIONS_WITH_LATE_TRANSACTIONS_COUNT_METRIC_NAME, PRODUCER_ID_COUNT_METRIC_NAME))

    METER_METRIC_NAMES = frozenset((
        ISR_EXPANDS_PER_SEC_METRIC_NAME, ISR_SHRINKS_PER_SEC_METRIC_NAME,
        FAILED_ISR_UPDATES_PER_SEC_METRIC_NAME))

    METRIC_NAMES = GAUGE_METRIC_NAMES | METER_METRIC_NAMES

    @staticmethod
    def create_log_read_result(e: Exception, high_watermark: int = UNKNOWN_OFFSET,
                               leader_log_start_offset: int = UNKNOWN_OFFSET,
                               leader_log_end_offset: int = UNKNOWN_OFFSET) -> LogReadResult:
        """Return the result of a failed read.

        :origin: kafka.server.ReplicaManager#createLogReadResult(Long, Long, Long, Throwable)
        :origin: kafka.server.ReplicaManager#createLogReadResult(Throwable)
        """
        info = FetchDataInfo(UNKNOWN_OFFSET_METADATA, MemoryRecords.EMPTY, False, leader_log_start_offset,
                             high_watermark, leader_log_end_offset)
        return LogReadResult(info, None, high_watermark, leader_log_start_offset, leader_log_end_offset,
                             UNKNOWN_OFFSET, -1, None, exception=e)

    def __init__(
        self,
        config: KafkaConfig,
        time: Time,
        log_manager: LogManager,
        metadata_cache: MetadataCache,
        broker_topic_stats: BrokerTopicStats | None = None,
        delayed_fetch_purgatory: DelayedOperationPurgatory[DelayedFetch] | None = None,
        metrics_registry: MetricsRegistry | None = None,
        add_partitions_to_txn_manager: TransactionVerifier | None = None,
        delayed_produce_purgatory: DelayedOperationPurgatory[DelayedProduce] | None = None,
        is_in_cluster: bool = False,
    ) -> None:
        """Know no partition before ``startup``. Owns the purgatories and the transaction verifier.

        Without ``delayed_produce_purgatory``, no produce request waits. With ``is_in_cluster``, other nodes
        have replicas of the same logs, and ``apply_delta`` says which.

        :origin: kafka.server.ReplicaManager#ReplicaManager
        """
        self.config = config
        self._time = time
        self.log_manager = log_manager
        self.metadata_cache = metadata_cache
        self.broker_topic_stats = (
            BrokerTopicStats(metrics_registry) if broker_topic_stats is None else broker_topic_stats)
        self._metrics_group = KafkaMetricsGroup(type(self), metrics_registry)
        self.delayed_fetch_metrics = DelayedFetchMetrics(metrics_registry)
        self.delayed_fetch_purgatory = delayed_fetch_purgatory or DelayedOperationPurgatory.apply(
            purgatory_name="Fetch", broker_id=config.broker_id(),
            purge_interval=config.fetch_purgatory_purge_interval_requests(),
            metrics_registry=metrics_registry)

        self._delayed_produce_purgatory = delayed_produce_purgatory
        self._is_in_cluster = is_in_cluster
        self._is_isolated = False
        try:
            self._replica_selector_opt = self._create_replica_selector()
        except BaseException:
            self._shutdown_purgatories()
            raise

        self._add_partitions_to_txn_manager = add_partitions_to_txn_manager

        self._local_broker_id = config.broker_id()
        self._all_partitions: Pool[TopicPartition, Partition] = Pool()
        self._log_ident = f"[ReplicaManager broker={self._local_broker_id}] "
        self._default_action_queue = DelayedActionQueue()

        group = self._metrics_group
        group.new_gauge(self.LEADER_COUNT_METRIC_NAME, lambda: len(self._leader_partitions()))
        group.new_gauge(self.PARTITION_COUNT_METRIC_NAME, lambda: len(self._all_partitions.keys()))
        group.new_gauge(self.OFFLINE_REPLICA_COUNT_METRIC_NAME, self._offline_partition_count)
        group.new_gauge(self.UNDER_REPLICATED_PARTITIONS_METRIC_NAME, self._under_replicated_partition_count)
        group.new_gauge(self.UNDER_MIN_ISR_PARTITION_COUNT_METRIC_NAME,
                        lambda: sum(partition.is_under_min_isr() for partition in self._leader_partitions()))
        group.new_gauge(self.AT_MIN_ISR_PARTITION_COUNT_METRIC_NAME,
                        lambda: sum(partition.is_at_min_isr() for partition in self._leader_partitions()))
        group.new_gauge(self.REASSIGNING_PARTITIONS_METRIC_NAME, self._reassigning_partitions_count)
        group.new_gauge(self.PARTITIONS_WITH_LATE_TRANSACTIONS_COUNT_METRIC_NAME,
                        self._late_transactions_count)
        group.new_gauge(self.PRODUCER_ID_COUNT_METRIC_NAME, self.producer_id_count)
        # The cluster's controller changes in-sync sets, not the leader, so these meters are never marked.
        self.isr_expand_rate = group.new_meter(
            self.ISR_EXPANDS_PER_SEC_METRIC_NAME, "expands", TimeUnit.SECONDS)
        self.isr_shrink_rate = group.new_meter(
            self.ISR_SHRINKS_PER_SEC_METRIC_NAME, "shrinks", TimeUnit.SECONDS)
        self.failed_isr_updates_rate = group.new_meter(
            self.FAILED_ISR_UPDATES_PER_SEC_METRIC_NAME, "failedUpdates", TimeUnit.SECONDS)

    def _reassigning_partitions_count(self) -> int:
        """:origin: kafka.server.ReplicaManager#reassigningPartitionsCount"""
        return sum(partition.is_reassigning() for partition in self._leader_partitions())

    def _late_transactions_count(self) -> int:
        """:origin: kafka.server.ReplicaManager#lateTransactionsCount"""
        current_time_ms = self._time.milliseconds()
        return sum(partition.has_late_transaction(current_time_ms) for partition in self._online_partitions())

    def producer_id_count(self) -> int:
        """Return the number of producers, each counted once per partition that it writes to.

        :origin: kafka.server.ReplicaManager#producerIdCount
        """
        return sum(partition.log().producer_id_count() for partition in self._online_partitions())

    def _under_replicated_partition_count(self) -> int:
        """:origin: kafka.server.ReplicaManager#underReplicatedPartitionCount"""
        return sum(partition.is_under_replicated() for partition in self._leader_partitions())

    def get_log(self, topic_partition: TopicPartition) -> UnifiedLog | None:
        """Return a partition's log.

        :origin: kafka.server.ReplicaManager#getLog
        """
        return self.log_manager.get_log(topic_partition)

    def startup(self) -> None:
        """Add a partition for each open log.

        :origin: kafka.server.ReplicaManager#startup
        """
        if not self._is_in_cluster:
            for partition_log in self.log_manager.all_logs():
                self.create_partition(partition_log.topic_partition())
        if self._add_partitions_to_txn_manager is not None:
            self._add_partitions_to_txn_manager.start()

    def _complete_delayed_fetch_or_produce_requests(self, topic_partition: TopicPartition) -> None:
        """:origin: kafka.server.ReplicaManager#completeDelayedFetchOrProduceRequests"""
        key = TopicPartitionOperationKey.of(topic_partition)
        if self._delayed_produce_purgatory is not None:
            self._delayed_produce_purgatory.check_and_complete(key)
        self.delayed_fetch_purgatory.check_and_complete(key)

    def get_partition(self, topic_partition: TopicPartition) -> Partition | None:
        """Return a partition, or None.

        :origin: kafka.server.ReplicaManager#getPartition
        """
        return self._all_partitions.get(topic_partition)

    def create_partition(self, topic_partition: TopicPartition) -> Partition:
        """Add a partition whose log is open. Raises UnknownTopicOrPartitionException if there is no open log.

        :origin: kafka.server.ReplicaManager#createPartition
        """
        partition_log = self.log_manager.get_log(topic_partition)
        if partition_log is None:
            raise UnknownTopicOrPartitionException(f"There is no log of {topic_partition}")
        partition = Partition(topic_partition, self._local_broker_id, partition_log)
        self._all_partitions.put(topic_partition, partition)
        return partition

    def online_partition(self, topic_partition: TopicPartition) -> Partition | None:
        """Return a partition whose log is not broken, or None.

        :origin: kafka.server.ReplicaManager#onlinePartition
        """
        partition = self._all_partitions.get(topic_partition)
        return None if partition is None or partition.log().is_offline() else partition

    def _online_partitions(self) -> list[Partition]:
        """:origin: kafka.server.ReplicaManager#onlinePartitionsIterator"""
        return [partition for partition in self._all_partitions.values() if not partition.log().is_offline()]

    def _offline_partition_count(self) -> int:
        """:origin: kafka.server.ReplicaManager#offlinePartitionCount"""
        return sum(partition.log().is_offline() for partition in self._all_partitions.values())

    def get_partition_or_exception(self, topic_partition: TopicPartition) -> Partition:
        """Return a partition.

        Raises KafkaStorageException, NotLeaderOrFollowerException or UnknownTopicOrPartitionException.

        :origin: kafka.server.ReplicaManager#getPartitionOrException
        """
        partition = self._all_partitions.get(topic_partition)
        if partition is not None and not partition.log().is_offline() and not self._is_isolated:
            return partition
        error = self.get_partition_or_error(topic_partition)
        if isinstance(error, Partition):
            return error
        if error is Errors.KAFKA_STORAGE_ERROR:
            raise KafkaStorageException(f"Partition {topic_partition} is in an offline log directory")
        raise _exception(error, f"Error while fetching partition state for {topic_partition}")

    def get_partition_or_error(self, topic_partition: TopicPartition) -> Partition | Errors:
        """Return a partition, or the error why it is not available.

        :origin: kafka.server.ReplicaManager#getPartitionOrError
        """
        partition = self._all_partitions.get(topic_partition)
        if partition is not None:
            if self._is_isolated:
                return Errors.NOT_LEADER_OR_FOLLOWER
            return Errors.KAFKA_STORAGE_ERROR if partition.log().is_offline() else partition
        # A new topic exists for a moment before its partitions are added here.
        if self.metadata_cache.contains_partition(topic_partition):
            return Errors.NOT_LEADER_OR_FOLLOWER
        return Errors.UNKNOWN_TOPIC_OR_PARTITION

    def local_log_or_exception(self, topic_partition: TopicPartition) -> UnifiedLog:
        """Return a partition's log. Raises as ``get_partition_or_exception``.

        :origin: kafka.server.ReplicaManager#localLogOrException
        """
        return self.get_partition_or_exception(topic_partition).log()

    def local_log(self, topic_partition: TopicPartition) -> UnifiedLog | None:
        """Return a partition's log, None if it does not exist or is broken.

        :origin: kafka.server.ReplicaManager#localLog
        """
        partition = self.online_partition(topic_partition)
        return None if partition is None else partition.log()

    def try_complete_actions(self) -> None:
        """Complete the operations that appends have enabled. Called after each request, without locks.

        :origin: kafka.server.ReplicaManager#tryCompleteActions
        """
        self._default_action_queue.try_complete_actions()

    def append_records(
        self,
        timeout: int,
        required_acks: int,
        internal_topics_allowed: bool,
        origin: AppendOrigin,
        entries_per_partition: EntriesPerPartition,
        response_callback: ProduceCallback,
        delayed_produce_lock: AbstractContextManager[bool] | None = None,
        record_validation_stats_callback: StatsCallback = lambda _stats: None,
        request_local: RequestLocal = RequestLocal.NoCaching,
        action_queue: ActionQueue | None = None,
        verification_guards: VerificationGuards = NO_GUARDS,
    ) -> None:
        """Append, and call back with the result of each partition.

        With ``required_acks`` -1 and an in-sync replica that is held back, the callback comes later, at the
        latest after ``timeout`` (ms). Waiting fetches are completed through the action queue: see
        ``try_complete_actions``. Appending writes offsets into the memory of the records.

        :origin: kafka.server.ReplicaManager#appendRecords
        """
        if not self._is_valid_required_acks(required_acks):
            self._send_invalid_required_acks_response(entries_per_partition, response_callback)
            return

        local_produce_results = self._append_to_local_log(
            internal_topics_allowed, origin, entries_per_partition, required_acks, request_local,
            verification_guards)

        produce_status = self.build_produce_partition_status(local_produce_results)

        self._add_complete_purgatory_action(action_queue or self._default_action_queue, local_produce_results)
        record_validation_stats = {}
        for topic_partition, result in local_produce_results.items():
            record_validation_stats[topic_partition] = result.info.record_validation_stats
        record_validation_stats_callback(record_validation_stats)

        self._maybe_add_delayed_produce(
            required_acks, delayed_produce_lock, timeout, entries_per_partition, local_produce_results,
            produce_status, response_callback)

    def handle_produce_append(
        self,
        timeout: int,
        required_acks: int,
        internal_topics_allowed: bool,
        transactional_id: str | None,
        entries_per_partition: EntriesPerPartition,
        response_callback: ProduceCallback,
        record_validation_stats_callback: StatsCallback = lambda _stats: None,
        request_local: RequestLocal = RequestLocal.NoCaching,
        action_queue: ActionQueue | None = None,
        *,
        transaction_supported_operation: TransactionSupportedOperation,
    ) -> None:
        """Append a producer's records; transactional ones are verified first.

        After a verification, the callback may come later, on another handler's thread. Raises
        InvalidPidMappingException if the records have several producer ids.

        :origin: kafka.server.ReplicaManager#handleProduceAppend
        """
        transactional_producer_info: set[tuple[int, int]] = set()
        topic_partition_batch_info: dict[TopicPartition, int] = {}
        for topic_partition, records in entries_per_partition.items():
            has_transactional_batches = False
            for batch in records.batches():
                if batch.has_producer_id() and batch.is_transactional():
                    has_transactional_batches = True
                    transactional_producer_info.add((batch.producer_id(), batch.producer_epoch()))
            if has_transactional_batches:
                first_batch = records.first_batch()
                assert first_batch is not None
                topic_partition_batch_info[topic_partition] = first_batch.base_sequence()
        if len(transactional_producer_info) > 1:
            raise InvalidPidMappingException("Transactional records contained more than one producer ID")

        def post_verification_callback(
            new_request_local: RequestLocal,
            results: tuple[Mapping[TopicPartition, Errors], VerificationGuards],
        ) -> None:
            pre_append_errors, verification_guards = results
            error_results = {}
            for topic_partition, error in pre_append_errors.items():
                # Older clients do not retry after the coordinator's errors. NOT_ENOUGH_REPLICAS is a
                # retriable error that they know, and it causes no metadata request.
                custom_exception: ApiException | None = None
                if error is Errors.INVALID_TXN_STATE:
                    custom_exception = error.exception("Partition was not added to the transaction")
                elif error in (Errors.CONCURRENT_TRANSACTIONS, Errors.NETWORK_EXCEPTION,
                               Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE,
                               Errors.NOT_COORDINATOR):
                    custom_exception = NotEnoughReplicasException(
                        "Unable to verify the partition has been added to the transaction. Underlying "
                        f"error: {error}")
                error_results[topic_partition] = LogAppendResult(
                    _unknown_log_append_info(), custom_exception or error.exception(),
                    has_custom_error_message=custom_exception is not None)
            if not error_results:
                self.append_records(
                    timeout, required_acks, internal_topics_allowed, _CLIENT,
                    entries_per_partition, response_callback, None, record_validation_stats_callback,
                    new_request_local, action_queue, verification_guards)
                return
            entries_without_errors_per_partition = {
                key: records for key, records in entries_per_partition.items() if key not in error_results}

            pre_append_partition_responses = self.build_produce_partition_status(error_results)

            self.append_records(
                timeout, required_acks, internal_topics_allowed, AppendOrigin.CLIENT,
                entries_without_errors_per_partition,
                lambda responses: response_callback({**pre_append_partition_responses, **responses}),
                None, record_validation_stats_callback, new_request_local, action_queue, verification_guards)

        if not transactional_producer_info:
            post_verification_callback(request_local, (_NO_ERRORS, NO_GUARDS))
            return

        (producer_id, producer_epoch), = transactional_producer_info
        self._maybe_start_transaction_verification_for_partitions(
            topic_partition_batch_info, transactional_id, producer_id, producer_epoch,
            # A later result comes back on a handler's thread.
            KafkaRequestHandler.wrap_async_callback(post_verification_callback, request_local),
            transaction_supported_operation)

    def build_produce_partition_status(
        self, results: Mapping[TopicPartition, LogAppendResult],
    ) -> dict[TopicPartition, ProduceResponse.PartitionResponse]:
        """:origin: kafka.server.ReplicaManager#buildProducePartitionStatus"""
        statuses = {}
        for topic_partition, result in results.items():
            info = result.info
            statuses[topic_partition] = PartitionResponse(
                result.error(),
                info.first_offset,
                info.log_append_time,
                info.log_start_offset,
                result.record_errors,
                result.error_message(),
                info.last_offset)
        return statuses

    def _add_complete_purgatory_action(self, action_queue: ActionQueue,
                                       append_results: Mapping[TopicPartition, LogAppendResult]) -> None:
        """:origin: kafka.server.ReplicaManager#addCompletePurgatoryAction"""
        def complete() -> None:
            for topic_partition, result in append_results.items():
                if result.exception is None:
                    self.delayed_fetch_purgatory.check_and_complete(
                        TopicPartitionOperationKey.of(topic_partition))

        action_queue.add(complete)

    def _maybe_add_delayed_produce(
        self, required_acks: int, delayed_produce_lock: AbstractContextManager[bool] | None, timeout_ms: int,
        entries_per_partition: EntriesPerPartition,
        initial_append_results: Mapping[TopicPartition, LogAppendResult],
        initial_produce_status: dict[TopicPartition, PartitionResponse], response_callback: ProduceCallback,
    ) -> None:
        """:origin: kafka.server.ReplicaManager#maybeAddDelayedProduce"""
        purgatory = self._delayed_produce_purgatory
        if purgatory is not None and self._delayed_produce_request_required(
                required_acks, entries_per_partition, initial_append_results):
            produce_metadata = ProduceMetadata(required_acks, {
                topic_partition: ProducePartitionStatus(
                    initial_append_results[topic_partition].info.last_offset + 1, status)
                for topic_partition, status in initial_produce_status.items()})
            delayed_produce = DelayedProduce(
                timeout_ms, produce_metadata, self, response_callback, delayed_produce_lock)
            producer_request_keys = [TopicPartitionOperationKey.of(tp) for tp in entries_per_partition]

            # The purgatory tries it again after the registration, because a replica may be released in the
            # meantime.
            purgatory.try_complete_else_watch(delayed_produce, producer_request_keys)
        else:
            # DEVIATION D85: on a node of its own the append is complete; in Kafka acks=-1 waits in a
            # purgatory.
            response_callback(initial_produce_status)

    def _send_invalid_required_acks_response(self, entries: EntriesPerPartition,
                                             response_callback: ProduceCallback) -> None:
        """:origin: kafka.server.ReplicaManager#sendInvalidRequiredAcksResponse"""
        response_callback({
            topic_partition: ProduceResponse.PartitionResponse(
                Errors.INVALID_REQUIRED_ACKS, UNKNOWN_OFFSET, RecordBatch.NO_TIMESTAMP, UNKNOWN_OFFSET)
            for topic_partition in entries})

    def maybe_start_transaction_verification_for_partition(
        self, topic_partition: TopicPartition, transactional_id: str | None, producer_id: int,
        producer_epoch: int, base_sequence: int,
        callback: Callable[[tuple[Errors, VerificationGuard]], None],
        transaction_supported_operation: TransactionSupportedOperation,
    ) -> None:
        """Verify that a partition belongs to the transaction; call back with an error or NONE, and a guard.

        The guard is the sentinel if no verification is needed or it failed.

        :origin: kafka.server.ReplicaManager#maybeStartTransactionVerificationForPartition(TopicPartition, String, Long, Short, Int, ((Errors, VerificationGuard)) => Unit, TransactionSupportedOperation)
        """  # noqa: E501
        def generalized_callback(
            results: tuple[Mapping[TopicPartition, Errors], VerificationGuards],
        ) -> None:
            pre_append_errors, verification_guards = results
            callback((pre_append_errors.get(topic_partition, Errors.NONE),
                      verification_guards.get(topic_partition, VerificationGuard.SENTINEL)))

        self._maybe_start_transaction_verification_for_partitions(
            {topic_partition: base_sequence}, transactional_id, producer_id, producer_epoch,
            generalized_callback, transaction_supported_operation)

    def _maybe_start_transaction_verification_for_partitions(
        self, topic_partition_batch_info: Mapping[TopicPartition, int], transactional_id: str | None,
        producer_id: int, producer_epoch: int,
        callback: Callable[[tuple[Mapping[TopicPartition, Errors], VerificationGuards]], None],
        transaction_supported_operation: TransactionSupportedOperation,
    ) -> None:
        """Have the coordinator verify that partitions belong to the transaction; call back with errors and
        guards.

        A partition whose verification failed may be in both results.

        :origin: kafka.server.ReplicaManager#maybeStartTransactionVerificationForPartitions
        """
        verifier = self._add_partitions_to_txn_manager
        if (transactional_id is None or not self.config.transaction_partition_verification_enable()
                or verifier is None):
            callback((_NO_ERRORS, NO_GUARDS))
            return

        verification_guards: dict[TopicPartition, VerificationGuard] = {}
        errors: dict[TopicPartition, Errors] = {}
        for topic_partition, base_sequence in topic_partition_batch_info.items():
            error_or_guard = self._start_transaction_verification(
                topic_partition, producer_id, producer_epoch, base_sequence)
            if isinstance(error_or_guard, Errors):
                errors[topic_partition] = error_or_guard
            elif error_or_guard is not VerificationGuard.SENTINEL:
                verification_guards[topic_partition] = error_or_guard

        # No partition needs a verification.
        if not verification_guards:
            callback((errors, NO_GUARDS))
            return

        verifier.verify_transaction(
            transactional_id, producer_id, producer_epoch, list(verification_guards),
            lambda verification_errors: callback(({**errors, **verification_errors}, verification_guards)),
            transaction_supported_operation)

    def _start_transaction_verification(
        self, topic_partition: TopicPartition, producer_id: int, producer_epoch: int, base_sequence: int,
    ) -> Errors | VerificationGuard:
        """Return a partition's guard, or the error why there is none.

        :origin: kafka.server.ReplicaManager#maybeStartTransactionVerificationForPartition(TopicPartition, Long, Short, Int)
        """  # noqa: E501
        try:
            return self.get_partition_or_exception(topic_partition).maybe_start_transaction_verification(
                producer_id, base_sequence, producer_epoch)
        except Exception as e:
            error = Errors.for_exception(e)
            if error is Errors.UNKNOWN_SERVER_ERROR:
                # The response does not tell the cause.
                self.error("unexpected error while beginning a verification of %s", topic_partition, exc=e)
            return error

    def _delete_records_on_local_log(
        self, offset_per_partition: Mapping[TopicPartition, int],
    ) -> dict[TopicPartition, int | Exception]:
        """Return each partition's new start offset, or the exception why it is unchanged.

        :origin: kafka.server.ReplicaManager#deleteRecordsOnLocalLog
        """
        self.trace("delete records on local logs to offsets %s", offset_per_partition)
        results: dict[TopicPartition, int | Exception] = {}
        for topic_partition, requested_offset in offset_per_partition.items():
            if Topic.is_internal(topic_partition.topic()):
                results[topic_partition] = InvalidTopicException(
                    f"Cannot delete records of internal topic {topic_partition.topic()}")
                continue
            try:
                partition = self.get_partition_or_exception(topic_partition)
                _, results[topic_partition] = partition.delete_records_on_leader(requested_offset)
            except (UnknownTopicOrPartitionException, NotLeaderOrFollowerException,
                    OffsetOutOfRangeException, PolicyViolationException, KafkaStorageException) as e:
                results[topic_partition] = e
            except Exception as e:
                self.error("error processing delete records operation on partition %s", topic_partition,
                           exc=e)
                results[topic_partition] = e
        return results

    def alter_replica_log_dirs(self, partition_dirs: Mapping[TopicPartition, str]) -> dict[
            TopicPartition, Errors]:
        """Return for each partition whether it can be in that folder. Only one folder exists.

        :origin: kafka.server.ReplicaManager#alterReplicaLogDirs
        """
        results: dict[TopicPartition, Errors] = {}
        for topic_partition, destination_dir in partition_dirs.items():
            try:
                if future_folder_length(topic_partition) > MAX_FOLDER_NAME:
                    raise InvalidTopicException("The topic name is too long.")
                if destination_dir != self.log_manager.directory():
                    raise LogDirNotFoundException(
                        f"Log dir {destination_dir} is not found in the config.")
                self.get_partition_or_exception(topic_partition)
                results[topic_partition] = Errors.NONE
            except (InvalidTopicException, LogDirNotFoundException, ReplicaNotAvailableException,
                    KafkaStorageException) as e:
                self.warn("unable to alter log dirs for %s: %s", topic_partition, e)
                results[topic_partition] = Errors.for_exception(e)
            except NotLeaderOrFollowerException as e:
                self.warn("unable to alter log dirs for %s: %s", topic_partition, e)
                # The error that older clients know.
                results[topic_partition] = Errors.REPLICA_NOT_AVAILABLE
            except Exception as e:
                self.error("error while changing replica dir for partition %s", topic_partition, exc=e)
                results[topic_partition] = Errors.for_exception(e)
        return results

    def describe_log_dirs(
        self, partitions: AbstractSet[TopicPartition],
    ) -> list[DescribeLogDirsResponseData.DescribeLogDirsResult]:
        """Return the data folder, the size of its disk, and those of ``partitions`` that are in it.

        :origin: kafka.server.ReplicaManager#describeLogDirs
        """
        log_dir = self.log_manager.directory()
        result = DescribeLogDirsResponseData.DescribeLogDirsResult(
            log_dir=log_dir, error_code=Errors.NONE.code)
        try:
            volume = Floor.os.statvfs(log_dir)
        except OSError as e:
            self.error("error while describing replica in dir %s", log_dir, exc=e)
            result.error_code = Errors.for_exception(e).code
            return [result]
        result.total_bytes = self._adjust_for_large_file_systems(volume.f_blocks * volume.f_frsize)
        result.usable_bytes = self._adjust_for_large_file_systems(volume.f_bavail * volume.f_frsize)
        topics: dict[str, list[DescribeLogDirsResponseData.DescribeLogDirsPartition]] = {}
        for partition_log in self.log_manager.all_logs():
            topic_partition = partition_log.topic_partition()
            if topic_partition in partitions and self._all_partitions.get(topic_partition) is not None:
                topics.setdefault(topic_partition.topic(), []).append(
                    DescribeLogDirsResponseData.DescribeLogDirsPartition(
                        partition_size=partition_log.size(),
                        partition_index=topic_partition.partition(),
                        offset_lag=self.get_log_end_offset_lag(
                            topic_partition, partition_log.log_end_offset()),
                        is_future_key=False))
        result.topics = [
            DescribeLogDirsResponseData.DescribeLogDirsTopic(name=name, partitions=described)
            for name, described in topics.items()]
        return [result]

    @staticmethod
    def _adjust_for_large_file_systems(space: int) -> int:
        """Return a number of bytes that fits the response. In Java an overflowing size is negative.

        :origin: kafka.server.ReplicaManager#adjustForLargeFileSystems
        """
        return min(space, MAX_LONG)

    def get_log_end_offset_lag(self, topic_partition: TopicPartition, log_end_offset: int) -> int:
        """Return how far the offset is behind the high watermark; -1 if the log is not available.

        :origin: kafka.server.ReplicaManager#getLogEndOffsetLag
        """
        local_log = self.local_log(topic_partition)
        if local_log is None:
            return DescribeLogDirsResponse.INVALID_OFFSET_LAG
        return max(local_log.high_watermark() - log_end_offset, 0)

    def delete_records(
        self, offset_per_partition: Mapping[TopicPartition, int],
        response_callback: Callable[
            [dict[TopicPartition, DeleteRecordsResponseData.DeleteRecordsPartitionResult]], object],
    ) -> None:
        """Delete all records before these offsets, and call back with the result of each partition.

        :origin: kafka.server.ReplicaManager#deleteRecords
        """
        time_before_local_delete_records = self._time.milliseconds()
        local_delete_records_results = self._delete_records_on_local_log(offset_per_partition)
        self.debug("delete records on local log in %d ms",
                   self._time.milliseconds() - time_before_local_delete_records)
        # DEVIATION D85: the response waits for no other replica.
        response_callback({
            topic_partition: DeleteRecordsResponseData.DeleteRecordsPartitionResult(
                low_watermark=(DeleteRecordsResponse.INVALID_LOW_WATERMARK if isinstance(result, Exception)
                               else result),
                error_code=(Errors.for_exception(result).code if isinstance(result, Exception)
                            else Errors.NONE.code),
                partition_index=topic_partition.partition())
            for topic_partition, result in local_delete_records_results.items()})

    def _delayed_produce_request_required(
        self, required_acks: int, entries_per_partition: EntriesPerPartition,
        local_produce_results: Mapping[TopicPartition, LogAppendResult],
    ) -> bool:
        """:origin: kafka.server.ReplicaManager#delayedProduceRequestRequired"""
        return required_acks == -1 and len(entries_per_partition) > 0 and sum(
            result.exception is not None for result in local_produce_results.values()
        ) < len(entries_per_partition)

    def _is_valid_required_acks(self, required_acks: int) -> bool:
        """:origin: kafka.server.ReplicaManager#isValidRequiredAcks"""
        return required_acks == -1 or required_acks == 1 or required_acks == 0

    def _append_to_local_log(
        self, internal_topics_allowed: bool, origin: AppendOrigin, entries_per_partition: EntriesPerPartition,
        required_acks: int, request_local: RequestLocal, verification_guards: VerificationGuards,
    ) -> dict[TopicPartition, LogAppendResult]:
        """:origin: kafka.server.ReplicaManager#appendToLocalLog"""
        if self.is_trace_enabled():
            self.trace("append %s to local log", entries_per_partition)

        return {
            topic_partition: self._append_to_partition(
                topic_partition, records, internal_topics_allowed, origin, required_acks, request_local,
                verification_guards.get(topic_partition, VerificationGuard.SENTINEL))
            for topic_partition, records in entries_per_partition.items()}

    def _append_to_partition(
        self, topic_partition: TopicPartition, records: MemoryRecords, internal_topics_allowed: bool,
        origin: AppendOrigin, required_acks: int, request_local: RequestLocal,
        verification_guard: VerificationGuard,
    ) -> LogAppendResult:
        """Append to one partition; an exception becomes the result.

        In Kafka this is the body of the loop in ``appendToLocalLog``.
        """
        stats = self.broker_topic_stats
        all_topics_stats = stats.all_topics_stats

        topic = topic_partition.topic()
        topic_stats = stats.topic_stats(topic)
        topic_stats.total_produce_request_rate().mark()
        all_topics_stats.total_produce_request_rate().mark()

        if Topic.is_internal(topic) and not internal_topics_allowed:
            return LogAppendResult(_unknown_log_append_info(),
                                   InvalidTopicException(f"Cannot append to internal topic {topic}"))
        try:
            partition = self.get_partition_or_exception(topic_partition)
            info = partition.append_records_to_leader(
                records, origin, required_acks, request_local, verification_guard)
            num_appended_messages = info.num_messages()

            size = records.size_in_bytes()
            topic_stats.bytes_in_rate().mark(size)
            all_topics_stats.bytes_in_rate().mark(size)
            topic_stats.messages_in_rate().mark(num_appended_messages)
            all_topics_stats.messages_in_rate().mark(num_appended_messages)

            if self.is_trace_enabled():
                self.trace("%d written to log %s beginning at offset %d and ending at offset %d", size,
                           topic_partition, info.first_offset, info.last_offset)
            return LogAppendResult(info)
        except _EXPECTED_ON_APPEND as e:
            return LogAppendResult(_unknown_log_append_info(), e)
        except RecordValidationException as rve:
            log_start_offset = self._process_failed_record(topic_partition, rve.invalid_exception)
            return LogAppendResult(
                _unknown_log_append_info(log_start_offset), rve.invalid_exception,
                has_custom_error_message=True, record_errors=rve.record_errors)
        except Exception as t:
            log_start_offset = self._process_failed_record(topic_partition, t)
            return LogAppendResult(_unknown_log_append_info(log_start_offset), t)

    def _process_failed_record(self, topic_partition: TopicPartition, t: Exception) -> int:
        """Count and log a failure; return the log's start offset. In Kafka this is a function within
        ``appendToLocalLog``."""
        partition = self.online_partition(topic_partition)
        log_start_offset = UNKNOWN_OFFSET if partition is None else partition.log_start_offset()
        stats = self.broker_topic_stats
        stats.topic_stats(topic_partition.topic()).failed_produce_request_rate().mark()
        stats.all_topics_stats.failed_produce_request_rate().mark()
        self.error("error processing append operation on partition %s", topic_partition, exc=t)
        return log_start_offset

    def fetch_offset_for_timestamp(
        self, topic_partition: TopicPartition, timestamp: int, isolation_level: IsolationLevel | None,
        current_leader_epoch: int | None, fetch_only_from_leader: bool = True,
    ) -> FileRecords.TimestampAndOffset | None:
        """As ``Partition.fetch_offset_for_timestamp``. Also raises as ``get_partition_or_exception``.

        :origin: kafka.server.ReplicaManager#fetchOffsetForTimestamp
        """
        partition = self.get_partition_or_exception(topic_partition)
        return partition.fetch_offset_for_timestamp(
            timestamp, isolation_level, current_leader_epoch, fetch_only_from_leader)

    def legacy_fetch_offsets_for_timestamp(self, topic_partition: TopicPartition, timestamp: int,
                                           max_num_offsets: int, is_from_consumer: bool) -> list[int]:
        """As ``Partition.legacy_fetch_offsets_for_timestamp``. Also raises as ``get_partition_or_exception``.

        :origin: kafka.server.ReplicaManager#legacyFetchOffsetsForTimestamp
        """
        partition = self.get_partition_or_exception(topic_partition)
        return partition.legacy_fetch_offsets_for_timestamp(timestamp, max_num_offsets, is_from_consumer)

    def fetch_messages(self, params: FetchParams,
                       fetch_infos: Sequence[tuple[TopicIdPartition, FetchRequest.PartitionData]],
                       response_callback: ResponseCallback) -> None:
        """Read, and call back: at once if the result is complete, else later and from another thread.

        :origin: kafka.server.ReplicaManager#fetchMessages
        """
        log_read_results = self.read_from_log(params, fetch_infos)
        bytes_readable = 0
        error_reading_data = False
        has_diverging_epoch = False
        has_preferred_read_replica = False
        stats = self.broker_topic_stats
        all_topics_fetch_rate = stats.all_topics_stats.total_fetch_request_rate()
        for topic_id_partition, log_read_result in log_read_results:
            topic = topic_id_partition.topic()
            assert topic is not None, "partitions without a name are answered before"
            stats.topic_stats(topic).total_fetch_request_rate().mark()
            all_topics_fetch_rate.mark()
            if log_read_result.exception is not None:
                error_reading_data = True
            if log_read_result.diverging_epoch is not None:
                has_diverging_epoch = True
            if log_read_result.preferred_read_replica is not None:
                has_preferred_read_replica = True
            bytes_readable += log_read_result.info.records.size_in_bytes()

        # The response is immediate in these cases. The client does not wait, or requests no partition. There
        # are enough bytes, or an error, or a diverging epoch. The client must read from another replica.
        if (params.max_wait_ms <= 0 or not fetch_infos or bytes_readable >= params.min_bytes
                or error_reading_data or has_diverging_epoch or has_preferred_read_replica):
            response_callback(
                [(tp, result.to_fetch_partition_data(False)) for tp, result in log_read_results])
        else:
            fetch_partition_status = [
                (topic_id_partition, FetchPartitionStatus(result.info.fetch_offset_metadata, partition_data))
                for (topic_id_partition, partition_data), (_, result) in zip(fetch_infos, log_read_results)]
            delayed_fetch = DelayedFetch(params, fetch_partition_status, self, response_callback)

            delayed_fetch_keys = [
                TopicPartitionOperationKey.of_topic_id_partition(tp) for tp, _ in fetch_partition_status]

            # The purgatory tries it again after the registration, because an append may come in the meantime.
            self.delayed_fetch_purgatory.try_complete_else_watch(delayed_fetch, delayed_fetch_keys)

    def read_from_log(
        self, params: FetchParams,
        read_partition_info: Sequence[tuple[TopicIdPartition, FetchRequest.PartitionData]],
    ) -> list[tuple[TopicIdPartition, LogReadResult]]:
        """Read from each partition in turn, up to the size of the response.

        The first partition with records returns at least one whole batch, so that every client makes progress
        (KIP-74). This excludes clients older than KIP-74.

        :origin: kafka.server.ReplicaManager#readFromLog
        """
        limit_bytes = params.max_bytes
        result = []
        min_one_message = not params.hard_max_bytes_limit()
        for tp, fetch_info in read_partition_info:
            read_result = self._read(params, tp, fetch_info, limit_bytes, min_one_message)
            record_batch_size = read_result.info.records.size_in_bytes()
            if record_batch_size > 0:
                min_one_message = False
                limit_bytes = max(0, limit_bytes - record_batch_size)
            result.append((tp, read_result))
        return result

    def _read(self, params: FetchParams, tp: TopicIdPartition, fetch_info: FetchRequest.PartitionData,
              limit_bytes: int, min_one_message: bool) -> LogReadResult:
        """Read from one partition; an exception becomes the result. In Kafka this is a function within
        ``readFromLog``."""
        adjusted_max_bytes = min(fetch_info.max_bytes, limit_bytes)
        fetch_time_ms = self._time.milliseconds()
        try:
            if self.is_trace_enabled():
                self.trace("fetching from %s, offset %d, partition fetch size %d, remaining limit %d%s", tp,
                           fetch_info.fetch_offset, fetch_info.max_bytes, limit_bytes,
                           ", ignoring size limits" if min_one_message else "")

            partition = self.get_partition_or_exception(tp.topic_partition())

            topic_id = tp.topic_id()
            if not _has_consistent_topic_id(topic_id, partition.topic_id()):
                raise InconsistentTopicIdException(
                    "Topic ID in the fetch session did not match the topic ID in the log.")

            preferred_read_replica = None
            if params.client_metadata is not None and self._replica_selector_opt is not None:
                preferred_read_replica = self._find_preferred_read_replica(
                    partition, params.client_metadata, params.replica_id, fetch_info.fetch_offset,
                    fetch_time_ms)
            if preferred_read_replica is not None:
                offset_snapshot = partition.fetch_offset_snapshot(fetch_info.current_leader_epoch, False)
                stable = offset_snapshot.last_stable_offset.message_offset
                end = offset_snapshot.log_end_offset.message_offset
                return LogReadResult(
                    FetchDataInfo(UNKNOWN_OFFSET_METADATA, MemoryRecords.EMPTY, False,
                                  offset_snapshot.log_start_offset, stable, end),
                    None, offset_snapshot.high_watermark.message_offset, offset_snapshot.log_start_offset,
                    end, fetch_info.log_start_offset, -1, stable,
                    preferred_read_replica=preferred_read_replica)

            read_info = partition.fetch_records(params, fetch_info, adjusted_max_bytes, min_one_message)

            fetch_data_info = read_info.fetched_data
            if fetch_data_info.first_entry_incomplete and not params.hard_max_bytes_limit():
                # Since version 3 an empty result is better than an incomplete batch.
                fetch_data_info = FetchDataInfo(
                    fetch_data_info.fetch_offset_metadata, MemoryRecords.EMPTY, False,
                    read_info.log_start_offset, read_info.last_stable_offset, read_info.log_end_offset)

            return LogReadResult(
                fetch_data_info,
                read_info.diverging_epoch,
                read_info.high_watermark,
                read_info.log_start_offset,
                read_info.log_end_offset,
                fetch_info.log_start_offset,
                fetch_time_ms,
                read_info.last_stable_offset)
        except _EXPECTED_ON_READ as e:
            return ReplicaManager.create_log_read_result(e)
        except OffsetOutOfRangeException as e:
            return ReplicaManager.create_log_read_result(e)
        except Exception as e:
            topic = tp.topic()
            assert topic is not None, "partitions without a name are answered before"
            self.broker_topic_stats.topic_stats(topic).failed_fetch_request_rate().mark()
            self.broker_topic_stats.all_topics_stats.failed_fetch_request_rate().mark()

            self.error("error processing fetch with max size %d from %s on partition %s: %s",
                       adjusted_max_bytes, FetchRequest.describe_replica_id(params.replica_id), tp,
                       fetch_info, exc=e)

            return ReplicaManager.create_log_read_result(e)

    def _find_preferred_read_replica(self, partition: Partition, client_metadata: ClientMetadata,
                                     replica_id: int, fetch_offset: int, current_time_ms: int) -> int | None:
        """Return the follower that a client should read from, None if it should read from this node.

        :origin: kafka.server.ReplicaManager#findPreferredReadReplica
        """
        leader_replica_id = partition.leader_id_if_local()
        replica_selector = self._replica_selector_opt
        # A follower's fetch always reads from the leader.
        if leader_replica_id is None or replica_id >= 0 or replica_selector is None:
            return None
        replica_endpoints = self.metadata_cache.get_partition_replica_endpoints(
            partition.topic_partition(), ListenerName(client_metadata.listener_name))
        # In-sync followers have the same log as the leader.
        log_end_offset = partition.log().log_end_offset()
        replica_info_set = set()
        for broker_id in partition.remote_replicas():
            if broker_id in partition.in_sync_replica_ids() and (
                    partition.log_start_offset() <= fetch_offset <= log_end_offset):
                replica_info_set.add(ReplicaView(
                    replica_endpoints.get(broker_id, Node.no_node()), log_end_offset, 0))
        leader_replica = ReplicaView(
            replica_endpoints.get(leader_replica_id, Node.no_node()), log_end_offset, 0)
        replica_info_set.add(leader_replica)
        selected = replica_selector.select(
            partition.topic_partition(), client_metadata,
            PartitionView(frozenset(replica_info_set), leader_replica))
        if selected is None or selected.endpoint.is_empty() or selected == leader_replica:
            return None
        return selected.endpoint.id()

    def get_log_config(self, topic_partition: TopicPartition) -> LogConfig | None:
        """Return the settings of a partition's log, or None.

        :origin: kafka.server.ReplicaManager#getLogConfig
        """
        partition_log = self.local_log(topic_partition)
        return None if partition_log is None else partition_log.config()

    def get_magic(self, topic_partition: TopicPartition) -> int | None:
        """Return the format of a partition's records, None for an unknown partition.

        :origin: kafka.server.ReplicaManager#getMagic
        """
        return None if self.get_log_config(topic_partition) is None else RecordBatch.CURRENT_MAGIC_VALUE

    def _update_leader_and_follower_metrics(self, new_follower_topics: AbstractSet[str]) -> None:
        """Remove the leader's metrics of topics that the broker no longer leads.

        :origin: kafka.server.ReplicaManager#updateLeaderAndFollowerMetrics
        """
        leader_topics = {partition.topic_partition().topic() for partition in self._leader_partitions()}
        for topic in new_follower_topics - leader_topics:
            self.broker_topic_stats.remove_old_leader_metrics(topic)

    def _leader_partitions(self) -> list[Partition]:
        """:origin: kafka.server.ReplicaManager#leaderPartitionsIterator"""
        return [partition for partition in self._online_partitions() if partition.is_leader()]

    def get_log_end_offset(self, topic_partition: TopicPartition) -> int | None:
        """Return the log end offset of a partition, None for an unknown partition.

        :origin: kafka.server.ReplicaManager#getLogEndOffset
        """
        partition_log = self.local_log(topic_partition)
        return None if partition_log is None else partition_log.log_end_offset()

    def complete_delayed_fetches(self) -> None:
        """Complete all waiting fetches with the available records."""
        for topic_partition in self._all_partitions.keys():
            for delayed_fetch in self.delayed_fetch_purgatory.cancel_for_key(
                    TopicPartitionOperationKey.of(topic_partition)):
                delayed_fetch.force_complete()

    def remove_metrics(self) -> None:
        """:origin: kafka.server.ReplicaManager#removeMetrics"""
        for name in self.METRIC_NAMES:
            self._metrics_group.remove_metric(name)
        self.delayed_fetch_metrics.close()

    def shutdown(self) -> None:
        """Remove metrics and end the purgatory. Waiting requests get no response. Logs stay open.

        :origin: kafka.server.ReplicaManager#shutdown
        """
        self.info("shutting down")
        self.remove_metrics()
        self._shutdown_purgatories()
        self.stop_following()
        if self._replica_selector_opt is not None:
            self._replica_selector_opt.close()
        if self._add_partitions_to_txn_manager is not None:
            self._add_partitions_to_txn_manager.shutdown()
        self._remove_all_topic_metrics()
        self.info("shut down completely")

    def _shutdown_purgatories(self) -> None:
        self.delayed_fetch_purgatory.shutdown()
        if self._delayed_produce_purgatory is not None:
            self._delayed_produce_purgatory.shutdown()

    def _remove_all_topic_metrics(self) -> None:
        """:origin: kafka.server.ReplicaManager#removeAllTopicMetrics"""
        for topic in {partition.topic() for partition in self._all_partitions.keys()}:
            self.broker_topic_stats.remove_metrics(topic)

    def _create_replica_selector(self) -> ReplicaSelector | None:
        """Return the selector. Raises ConfigException if the class does not exist, or is not a
        ReplicaSelector.

        :origin: kafka.server.ReplicaManager#createReplicaSelector
        """
        class_name = self.config.replica_selector_class_name()
        if class_name is None:
            return None
        try:
            replica_selector = Utils.new_instance_klass(
                class_name, ReplicaSelector)  # type: ignore[type-abstract]
        except (ImportError, TypeError, KafkaException) as e:
            raise ConfigException(
                ReplicationConfigs.REPLICA_SELECTOR_CLASS_CONFIG, class_name, str(e)) from e
        replica_selector.configure(self.config.originals())
        return replica_selector

    def last_offset_for_leader_epoch(
        self, requested_epoch_info: Sequence[OffsetForLeaderEpochRequestData.OffsetForLeaderTopic],
    ) -> list[OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult]:
        """Return the end offsets of the requested epochs, by topic.

        :origin: kafka.server.ReplicaManager#lastOffsetForLeaderEpoch
        """
        results = []
        for topic in requested_epoch_info:
            partitions = []
            for requested in topic.partitions:
                tp = TopicPartition(topic.topic, requested.partition)
                partition_or_error = self.get_partition_or_error(tp)
                if isinstance(partition_or_error, Partition):
                    no_epoch = requested.current_leader_epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH
                    partitions.append(partition_or_error.last_offset_for_leader_epoch(
                        None if no_epoch else requested.current_leader_epoch, requested.leader_epoch))
                else:
                    partitions.append(OffsetForLeaderEpochResponseData.EpochEndOffset(
                        partition=requested.partition, error_code=partition_or_error.code))
            results.append(OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult(
                topic=topic.topic, partitions=partitions))
        return results

    def active_producer_state(
        self, request_partition: TopicPartition,
    ) -> DescribeProducersResponseData.PartitionResponse:
        """Return the active producers of a partition, or the error why they are unknown.

        :origin: kafka.server.ReplicaManager#activeProducerState
        """
        partition = self.get_partition_or_error(request_partition)
        if isinstance(partition, Errors):
            return DescribeProducersResponseData.PartitionResponse(
                partition_index=request_partition.partition(), error_code=partition.code)
        return partition.active_producer_state()

    def apply_delta(self, changed: Sequence[TopicPartition] = (),
                    deleted: Sequence[TopicPartition] = (), image: ClusterImage | None = None) -> None:
        """Add created partitions, and remove deleted ones.

        The logs of created partitions are open, those of deleted ones closed. Fetches that wait for deleted
        partitions are completed. With an ``image``, the created partitions lead or follow as it says, and
        waiting requests for them are tried again.

        :origin: kafka.server.ReplicaManager#applyDelta
        """
        for topic_partition in deleted:
            self._all_partitions.remove(topic_partition)
            self._complete_delayed_fetch_or_produce_requests(topic_partition)
        for topic in {topic_partition.topic() for topic_partition in deleted}:
            self.broker_topic_stats.remove_metrics(topic)
        for topic_partition in changed:
            if image is None:
                self.create_partition(topic_partition)
            else:
                self._apply_state(topic_partition, image.partitions[topic_partition])
                self._complete_delayed_fetch_or_produce_requests(topic_partition)
        if image is not None:
            followed = [partition for topic_partition in changed
                        if (partition := self._all_partitions.get(topic_partition)) is not None
                        and not partition.is_leader()]
            if followed:
                self._update_leader_and_follower_metrics(
                    {partition.topic_partition().topic() for partition in followed})

    def _apply_state(self, topic_partition: TopicPartition, state: PartitionState) -> None:
        """Lead, follow or leave a partition."""
        partition = self._all_partitions.get(topic_partition)
        former_log = None if partition is None else partition.log()
        partition_log = (
            self.log_manager.get_log(topic_partition) if self._local_broker_id in state.replicas else None)
        if partition_log is None:
            self._all_partitions.remove(topic_partition)
        else:
            if partition is None:
                partition = Partition(topic_partition, self._local_broker_id, partition_log)
            if state.leader == self._local_broker_id:
                partition.make_leader(state, partition_log)
            else:
                partition.make_follower(state, partition_log)
            self._all_partitions.put(topic_partition, partition)
        # A truncated log is replaced by another log.
        if former_log is not partition_log:
            if former_log is not None:
                former_log.remove_listener(self._log_listener)
            if partition_log is not None:
                partition_log.add_listener(self._log_listener)

    def _log_listener(self, partition_log: UnifiedLog) -> None:
        """Complete a follower's fetches after an append of the leader. Called on the leader's thread."""
        partition = self._all_partitions.get(partition_log.topic_partition())
        # The leader completes its fetches after the request, through its action queue.
        if partition is not None and not partition.is_leader():
            self.delayed_fetch_purgatory.check_and_complete(
                TopicPartitionOperationKey.of(partition_log.topic_partition()))

    def stop_following(self) -> None:
        """Stop completing fetches after appends of other brokers. Called before the request handlers end."""
        if self._is_in_cluster:
            for partition in self._all_partitions.values():
                partition.log().remove_listener(self._log_listener)

    def isolate(self) -> None:
        """Answer NOT_LEADER_OR_FOLLOWER for all partitions from now on: other nodes lead them, unknown to
        this one."""
        self._is_isolated = True
        for topic_partition in self._all_partitions.keys():
            self._complete_delayed_fetch_or_produce_requests(topic_partition)

    def rejoin(self) -> None:
        """End an isolation: ``apply_delta`` names the new leaders."""
        self._is_isolated = False


def _has_consistent_topic_id(request_topic_id: Uuid, log_topic_id: Uuid | None) -> bool:
    """Return whether the request means this topic, and not a deleted topic of the same name.

    :origin: kafka.server.ReplicaManager#hasConsistentTopicId
    """
    return request_topic_id == Uuid.ZERO_UUID or log_topic_id is None or log_topic_id == request_topic_id


def _unknown_log_append_info(log_start_offset: int = UNKNOWN_OFFSET) -> LogAppendInfo:
    return LogAppendInfo(UNKNOWN_OFFSET, UNKNOWN_OFFSET, RecordBatch.NO_TIMESTAMP, RecordBatch.NO_TIMESTAMP,
                         log_start_offset, 0)


def _exception(error: Errors, message: str) -> ApiException:
    exception = error.exception(message)
    assert exception is not None, "an error"
    return exception
