# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionStateManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Keeps the state of transactional ids in ``__transaction_state``, and a cache of it in memory.

The hash of a transactional id picks its partition of that topic. When the node is elected coordinator of a
partition, it reads the partition's ids. Before that, requests for these ids get an error. Afterwards each
change is first appended to the log, and then applied to the cache, in the append's callback.

Locks: ``_state_lock`` guards the cache and the set of loading partitions. Its read lock is held during an
append, so that no partition is loaded or unloaded meanwhile. The lock of a TransactionMetadata is taken after
it, never before, and is never held during an append. Callbacks are called under the read lock.

Any thread may call it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Callable, NamedTuple

from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import KafkaStorageException
from kreactor.common.internals.topic import Topic
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.core.coordinator.transaction.transaction_log import TransactionLog, UnknownKey
from kreactor.core.coordinator.transaction.transaction_metadata import (
    TransactionMetadata,
    TransactionState,
    TxnTransitMetadata,
)
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.core_utils import require
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import ReentrantReadWriteLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import hash_code
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.config.transaction_log_configs import TransactionLogConfigs
from kreactor.server.config.transaction_state_manager_configs import TransactionStateManagerConfigs
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.server.util.scheduler import Scheduler
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation

_TOMBSTONES_BUFFER_SIZE = 16384
# A partition that could not be read is read again after this time.
_LOAD_RETRY_MS = 1000

Dead, Empty, Ongoing, PrepareAbort, PrepareCommit = (
    TransactionState.Dead, TransactionState.Empty, TransactionState.Ongoing, TransactionState.PrepareAbort,
    TransactionState.PrepareCommit)


def _never_retry(_error: Errors) -> bool:
    return False


class TransactionStateManager(Logging):
    """:origin: kafka.coordinator.transaction.TransactionStateManager"""

    def __init__(self, broker_id: int, scheduler: Scheduler, replica_manager: ReplicaManager,
                 config: TransactionConfig, time: Time, metrics: Metrics) -> None:
        """:origin: kafka.coordinator.transaction.TransactionStateManager#TransactionStateManager"""
        self._log_ident = f"[Transaction State Manager {broker_id}]: "
        self._scheduler = scheduler
        self._replica_manager = replica_manager
        self._config = config
        self._time = time
        self._shutting_down = False

        self._state_lock = ReentrantReadWriteLock()
        # Guarded by the lock: the loading partitions.
        self.loading_partitions: set[TransactionPartitionAndLeaderEpoch] = set()
        # Guarded by the lock: the ids, by partition.
        self.transaction_metadata_cache: dict[int, TxnMetadataCacheEntry] = {}

        # Set once, by startup.
        self._retrieve_transaction_topic_partition_count: Callable[[], int] = lambda: 0
        self._transaction_topic_partition_count = 0

        self._partition_load_sensor = metrics.sensor(TransactionStateManagerConfigs.LOAD_TIME_SENSOR)
        group = TransactionStateManagerConfigs.METRICS_GROUP
        self._partition_load_sensor.add(
            metrics.metric_name("partition-load-time-max", group,
                                "The max time it took to load the partitions in the last 30sec"), Max())
        self._partition_load_sensor.add(
            metrics.metric_name("partition-load-time-avg", group,
                                "The avg time it took to load the partitions in the last 30sec"), Avg())

    def add_loading_partition(self, partition_id: int, coordinator_epoch: int) -> None:
        """Add a loading partition. For tests.

        :origin: kafka.coordinator.transaction.TransactionStateManager#addLoadingPartition
        """
        with self._state_lock.write_lock():
            self.loading_partitions.add(TransactionPartitionAndLeaderEpoch(partition_id, coordinator_epoch))

    def timed_out_transactions(self) -> list[TransactionalIdAndProducerIdEpoch]:
        """Return the transactions that have timed out.

        Reads them without their locks, because aborting checks them again.

        :origin: kafka.coordinator.transaction.TransactionStateManager#timedOutTransactions
        """
        now = self._time.milliseconds()
        with self._state_lock.read_lock():
            return [
                TransactionalIdAndProducerIdEpoch(
                    txn_id, txn_metadata.producer_id, txn_metadata.producer_epoch)
                for entry in self.transaction_metadata_cache.values()
                for txn_id, txn_metadata in entry.metadata_per_transactional_id
                if (not txn_metadata.pending_transition_in_progress() and txn_metadata.state is Ongoing
                    and txn_metadata.txn_start_timestamp + txn_metadata.txn_timeout_ms < now)]

    def _remove_expired_transactional_ids_of(self, transaction_partition: TopicPartition,
                                             txn_metadata_cache_entry: TxnMetadataCacheEntry) -> None:
        """
        :origin: kafka.coordinator.transaction.TransactionStateManager#removeExpiredTransactionalIds(TopicPartition, TxnMetadataCacheEntry)
        """  # noqa: E501
        with self._state_lock.read_lock():
            log_config = self._replica_manager.get_log_config(transaction_partition)
            if log_config is None:
                self.warn("transaction expiration for partition %s failed because the log config was not "
                          "available: the partition is not online", transaction_partition)
                return
            current_time_ms = self._time.milliseconds()
            max_batch_size = log_config.max_message_size()
            expired: list[TransactionalIdCoordinatorEpochAndMetadata] = []
            records_builder: MemoryRecordsBuilder | None = None

            def flush_records_builder() -> None:
                nonlocal records_builder
                assert records_builder is not None
                self._write_tombstones_for_expired_transactional_ids(
                    transaction_partition, tuple(expired), records_builder.build())
                expired.clear()
                records_builder = None

            state_entries = txn_metadata_cache_entry.metadata_per_transactional_id.values()
            i = 0
            while i < len(state_entries):
                txn_metadata = state_entries[i]
                full_batch = False
                with txn_metadata.lock:
                    if txn_metadata.pending_state is None and self._should_expire(
                            txn_metadata, current_time_ms):
                        if records_builder is None:
                            records_builder = MemoryRecords.builder(
                                ByteBuffer.allocate(min(_TOMBSTONES_BUFFER_SIZE, max_batch_size)),
                                TransactionLog.ENFORCED_COMPRESSION,
                                TimestampType.CREATE_TIME,
                                0,
                                max_size=max_batch_size)
                        if self._maybe_append_expiration(txn_metadata, records_builder, current_time_ms):
                            expired.append(TransactionalIdCoordinatorEpochAndMetadata(
                                txn_metadata.transactional_id, txn_metadata_cache_entry.coordinator_epoch,
                                txn_metadata.prepare_dead()))
                        else:
                            full_batch = True
                # An id that did not fit begins the next batch.
                if full_batch:
                    flush_records_builder()
                else:
                    i += 1
            if expired:
                flush_records_builder()

    def _should_expire(self, txn_metadata: TransactionMetadata, current_time_ms: int) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionStateManager#shouldExpire"""
        return (txn_metadata.state.is_expiration_allowed() and txn_metadata.txn_last_update_timestamp
                <= current_time_ms - self._config.transactional_id_expiration_ms)

    def _maybe_append_expiration(self, txn_metadata: TransactionMetadata,
                                 records_builder: MemoryRecordsBuilder, current_time_ms: int) -> bool:
        """Append a tombstone; return False if the batch is full.

        :origin: kafka.coordinator.transaction.TransactionStateManager#maybeAppendExpiration
        """
        return _maybe_append(
            records_builder, current_time_ms, TransactionLog.key_to_bytes(txn_metadata.transactional_id),
            None)

    def remove_expired_transactional_ids(self) -> None:
        """Delete the ids that were not used for ``transactional.id.expiration.ms``.

        :origin: kafka.coordinator.transaction.TransactionStateManager#removeExpiredTransactionalIds()
        """
        with self._state_lock.read_lock():
            for partition_id, partition_cache_entry in list(self.transaction_metadata_cache.items()):
                self._remove_expired_transactional_ids_of(
                    TopicPartition(Topic.TRANSACTION_STATE_TOPIC_NAME, partition_id), partition_cache_entry)

    def _write_tombstones_for_expired_transactional_ids(
        self, transaction_partition: TopicPartition,
        expired_for_partition: Sequence[TransactionalIdCoordinatorEpochAndMetadata],
        tombstone_records: MemoryRecords,
    ) -> None:
        """
        :origin: kafka.coordinator.transaction.TransactionStateManager#writeTombstonesForExpiredTransactionalIds
        """  # noqa: E501
        def remove_from_cache_callback(
            responses: Mapping[TopicPartition, ProduceResponse.PartitionResponse],
        ) -> None:
            for topic_partition, response in responses.items():
                with self._state_lock.read_lock():
                    txn_metadata_cache_entry = self.transaction_metadata_cache.get(
                        topic_partition.partition())
                    if txn_metadata_cache_entry is None:
                        continue
                    for expired in expired_for_partition:
                        transactional_id = expired.transactional_id
                        txn_metadata = txn_metadata_cache_entry.metadata_per_transactional_id.get(
                            transactional_id)
                        assert txn_metadata is not None, "no other code removes a pending id"
                        with txn_metadata.lock:
                            if (txn_metadata_cache_entry.coordinator_epoch == expired.coordinator_epoch
                                    and txn_metadata.pending_state is Dead
                                    and txn_metadata.producer_epoch == expired.transit_metadata.producer_epoch
                                    and response.error is Errors.NONE):
                                txn_metadata_cache_entry.metadata_per_transactional_id.remove(
                                    transactional_id)
                            else:
                                self.warn(
                                    "failed to remove expired transactionalId %s from cache; tombstone "
                                    "append error code: %s, pendingState: %s, producerEpoch: %d, expected "
                                    "producerEpoch: %d, coordinatorEpoch: %d, expected coordinatorEpoch: %d",
                                    transactional_id, response.error, txn_metadata.pending_state,
                                    txn_metadata.producer_epoch, expired.transit_metadata.producer_epoch,
                                    txn_metadata_cache_entry.coordinator_epoch, expired.coordinator_epoch)
                                txn_metadata.pending_state = None

        with self._state_lock.read_lock():
            self._replica_manager.append_records(
                timeout=self._config.request_timeout_ms,
                required_acks=TransactionLog.ENFORCED_REQUIRED_ACKS,
                internal_topics_allowed=True,
                origin=AppendOrigin.COORDINATOR,
                entries_per_partition={transaction_partition: tombstone_records},
                response_callback=remove_from_cache_callback,
                request_local=RequestLocal.NoCaching)

    def enable_transactional_id_expiration(self) -> None:
        """:origin: kafka.coordinator.transaction.TransactionStateManager#enableTransactionalIdExpiration"""
        interval_ms = self._config.remove_expired_transactional_ids_interval_ms
        self._scheduler.schedule(
            "transactionalId-expiration", self.remove_expired_transactional_ids, interval_ms, interval_ms)

    def get_transaction_state(self, transactional_id: str) -> Errors | CoordinatorEpochAndTxnMetadata | None:
        """Return the state of an id, None for an unknown id, or the error why it is not available.

        :origin: kafka.coordinator.transaction.TransactionStateManager#getTransactionState
        """
        return self._get_and_maybe_add_transaction_state(transactional_id, None)

    def put_transaction_state_if_not_exists(
        self, txn_metadata: TransactionMetadata,
    ) -> Errors | CoordinatorEpochAndTxnMetadata:
        """Store ``txn_metadata`` for a new id; return the state of the id, or an error.

        :origin: kafka.coordinator.transaction.TransactionStateManager#putTransactionStateIfNotExists
        """
        result = self._get_and_maybe_add_transaction_state(txn_metadata.transactional_id, txn_metadata)
        if result is None:
            raise IllegalStateException(
                f"Unexpected empty transaction metadata returned while putting {txn_metadata}")
        return result

    def list_transaction_states(
        self, filter_producer_ids: Collection[int], filter_state_names: Collection[str],
        filter_duration_ms: int,
    ) -> ListTransactionsResponseData:
        """Return the ids that match all filters. An empty filter matches all, and so does a negative
        duration.

        :origin: kafka.coordinator.transaction.TransactionStateManager#listTransactionStates
        """
        with self._state_lock.read_lock():
            response = ListTransactionsResponseData()
            if self.loading_partitions:
                response.error_code = Errors.COORDINATOR_LOAD_IN_PROGRESS.code
                return response
            filter_states: set[TransactionState] = set()
            for state_name in filter_state_names:
                state = TransactionState.from_name(state_name)
                if state is None:
                    response.unknown_state_filters.append(state_name)
                else:
                    filter_states.add(state)

            now = self._time.milliseconds()

            def should_include(txn_metadata: TransactionMetadata) -> bool:
                if txn_metadata.state is Dead:
                    return False
                elif filter_producer_ids and txn_metadata.producer_id not in filter_producer_ids:
                    return False
                elif filter_state_names and txn_metadata.state not in filter_states:
                    return False
                elif filter_duration_ms >= 0 and now - txn_metadata.txn_start_timestamp <= filter_duration_ms:
                    return False
                return True

            for cache in self.transaction_metadata_cache.values():
                for txn_metadata in cache.metadata_per_transactional_id.values():
                    with txn_metadata.lock:
                        if should_include(txn_metadata):
                            response.transaction_states.append(ListTransactionsResponseData.TransactionState(
                                transactional_id=txn_metadata.transactional_id,
                                producer_id=txn_metadata.producer_id,
                                transaction_state=txn_metadata.state.name))
            return response

    def _get_and_maybe_add_transaction_state(
        self, transactional_id: str, created_txn_metadata_opt: TransactionMetadata | None,
    ) -> Errors | CoordinatorEpochAndTxnMetadata | None:
        """
        :origin: kafka.coordinator.transaction.TransactionStateManager#getAndMaybeAddTransactionState
        """
        with self._state_lock.read_lock():
            partition_id = self.partition_for(transactional_id)
            if any(loading.txn_partition_id == partition_id for loading in self.loading_partitions):
                return Errors.COORDINATOR_LOAD_IN_PROGRESS
            cache_entry = self.transaction_metadata_cache.get(partition_id)
            if cache_entry is None:
                return Errors.NOT_COORDINATOR
            txn_metadata = cache_entry.metadata_per_transactional_id.get(transactional_id)
            if txn_metadata is None and created_txn_metadata_opt is not None:
                txn_metadata = cache_entry.metadata_per_transactional_id.put_if_not_exists(
                    transactional_id, created_txn_metadata_opt) or created_txn_metadata_opt
            if txn_metadata is None:
                return None
            return CoordinatorEpochAndTxnMetadata(cache_entry.coordinator_epoch, txn_metadata)

    def validate_transaction_timeout_ms(self, txn_timeout_ms: int) -> bool:
        """Return whether a producer may use this timeout.

        :origin: kafka.coordinator.transaction.TransactionStateManager#validateTransactionTimeoutMs
        """
        return 0 < txn_timeout_ms <= self._config.transaction_max_timeout_ms

    def transaction_topic_configs(self) -> dict[str, str]:
        """Return the settings of ``__transaction_state``.

        :origin: kafka.coordinator.transaction.TransactionStateManager#transactionTopicConfigs
        """
        return {
            TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG: "false",
            TopicConfig.COMPRESSION_TYPE_CONFIG: BrokerCompressionType.UNCOMPRESSED.value,
            TopicConfig.CLEANUP_POLICY_CONFIG: TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG: str(self._config.transaction_log_min_insync_replicas),
            TopicConfig.SEGMENT_BYTES_CONFIG: str(self._config.transaction_log_segment_bytes),
        }

    def partition_for(self, transactional_id: str) -> int:
        """Return the partition of an id.

        :origin: kafka.coordinator.transaction.TransactionStateManager#partitionFor
        """
        return Utils.abs(hash_code(transactional_id)) % self._transaction_topic_partition_count

    def _load_transaction_metadata(self, topic_partition: TopicPartition,
                                   coordinator_epoch: int) -> Pool[str, TransactionMetadata]:
        """Return the content of a partition. Raises KafkaStorageException or OSError if it cannot be read.

        :origin: kafka.coordinator.transaction.TransactionStateManager#loadTransactionMetadata
        """
        def log_end_offset() -> int:
            found = self._replica_manager.get_log_end_offset(topic_partition)
            return -1 if found is None else found

        def is_still_wanted() -> bool:
            with self._state_lock.read_lock():
                return TransactionPartitionAndLeaderEpoch(
                    topic_partition.partition(), coordinator_epoch) in self.loading_partitions

        loaded_transactions: Pool[str, TransactionMetadata] = Pool()
        log = self._replica_manager.get_log(topic_partition)
        if log is None:
            self.warn("attempted to load transaction metadata from %s, but found no log", topic_partition)
            return loaded_transactions

        load_buffer_size = self._config.transaction_log_load_buffer_size
        buffer = ByteBuffer.allocate(0)
        curr_offset = log.log_start_offset()
        read_at_least_one_record = True
        try:
            while (curr_offset < log_end_offset() and read_at_least_one_record and not self._shutting_down
                    and is_still_wanted()):
                fetch_data_info = log.read(
                    curr_offset, load_buffer_size, FetchIsolation.LOG_END, min_one_message=True)
                records = fetch_data_info.records
                read_at_least_one_record = records.size_in_bytes() > 0

                if isinstance(records, FileRecords):
                    size_in_bytes = records.size_in_bytes()
                    bytes_needed = max(load_buffer_size, size_in_bytes)
                    # A batch that is larger than the buffer is read whole.
                    if buffer.capacity() < bytes_needed:
                        if load_buffer_size < bytes_needed:
                            self.warn("loaded transaction metadata from %s with buffer larger (%d bytes) "
                                      "than configured transaction.state.log.load.buffer.size (%d bytes)",
                                      topic_partition, bytes_needed, load_buffer_size)
                        buffer = ByteBuffer.allocate(bytes_needed)
                    buffer.clear()
                    records.read_into(buffer, 0)
                    mem_records = MemoryRecords.readable_records(buffer)
                else:
                    assert isinstance(records, MemoryRecords)
                    mem_records = records

                for batch in mem_records.batches():
                    has_known_key = False
                    for record in batch:
                        require(record.has_key(), "Transaction state log's key should not be null")
                        key_buffer = record.key()
                        assert key_buffer is not None
                        key = TransactionLog.read_txn_record_key(key_buffer)
                        if isinstance(key, UnknownKey):
                            self.warn("unknown message key with version %d while loading transaction state "
                                      "from %s; it is ignored", key.version, topic_partition)
                            continue
                        has_known_key = True
                        transactional_id = key.transactional_id
                        txn_metadata = TransactionLog.read_txn_record_value(transactional_id, record.value())
                        if txn_metadata is None:
                            loaded_transactions.remove(transactional_id)
                        else:
                            loaded_transactions.put(transactional_id, txn_metadata)
                    # DEVIATION D140: the offset also advances after a batch of unknown keys only. The origin,
                    # and kreactor.fidelity=strict, read such a batch again and again.
                    if has_known_key or not self._config.is_strict():
                        curr_offset = batch.next_offset()
        except (KafkaStorageException, OSError):
            # DEVIATION D232: the partition is read again from its beginning. Kafka continues with the ids
            # that it has read so far, and a restart reads the others. Here those would stay unknown until a
            # restart.
            raise
        except Exception as t:
            self.error("error loading transactions from transaction log %s", topic_partition, exc=t)
        return loaded_transactions

    def add_loaded_transactions_to_cache(self, txn_topic_partition: int, coordinator_epoch: int,
                                         loaded_transactions: Pool[str, TransactionMetadata]) -> None:
        """Replace a partition's ids. Called under the lock, or by tests.

        :origin: kafka.coordinator.transaction.TransactionStateManager#addLoadedTransactionsToCache
        """
        previous = self.transaction_metadata_cache.get(txn_topic_partition)
        self.transaction_metadata_cache[txn_topic_partition] = TxnMetadataCacheEntry(
            coordinator_epoch, loaded_transactions)
        if previous is not None:
            self.warn("unloaded transaction metadata %s from %d as part of loading metadata at epoch %d",
                      previous, txn_topic_partition, coordinator_epoch)

    def load_transactions_for_txn_topic_partition(
        self, partition_id: int, coordinator_epoch: int, send_txn_markers: SendTxnMarkersCallback,
    ) -> None:
        """Load a partition in the background, and complete the commits and aborts that were in progress.

        :origin: kafka.coordinator.transaction.TransactionStateManager#loadTransactionsForTxnTopicPartition
        """
        topic_partition = TopicPartition(Topic.TRANSACTION_STATE_TOPIC_NAME, partition_id)
        partition_and_leader_epoch = TransactionPartitionAndLeaderEpoch(partition_id, coordinator_epoch)

        with self._state_lock.write_lock():
            self.loading_partitions.add(partition_and_leader_epoch)

        def load_transactions(start_time_ms: int) -> None:
            scheduler_time_ms = self._time.milliseconds() - start_time_ms
            self.debug("loading transaction metadata from %s at epoch %d", topic_partition, coordinator_epoch)
            self._validate_transaction_topic_partition_count_is_stable()

            try:
                loaded_transactions = self._load_transaction_metadata(topic_partition, coordinator_epoch)
            except (KafkaStorageException, OSError) as e:
                self.error("error reading the transaction log %s, next attempt in %d ms",
                           topic_partition, _LOAD_RETRY_MS, exc=e)
                self._scheduler.schedule_once(
                    f"load-txns-for-partition-{topic_partition}",
                    lambda: load_transactions(start_time_ms), _LOAD_RETRY_MS)
                return
            end_time_ms = self._time.milliseconds()
            total_loading_time_ms = end_time_ms - start_time_ms
            self._partition_load_sensor.record(total_loading_time_ms, end_time_ms, False)
            self.info("finished loading %d transaction metadata from %s in %d milliseconds, of which %d "
                      "milliseconds was spent in the scheduler", loaded_transactions.size(), topic_partition,
                      total_loading_time_ms, scheduler_time_ms)

            with self._state_lock.write_lock():
                if partition_and_leader_epoch in self.loading_partitions:
                    self.add_loaded_transactions_to_cache(
                        partition_id, coordinator_epoch, loaded_transactions)

                    transactions_pending_for_completion = []
                    for transactional_id, txn_metadata in loaded_transactions:
                        with txn_metadata.lock:
                            if txn_metadata.state in (PrepareAbort, PrepareCommit):
                                transactions_pending_for_completion.append(
                                    TransactionalIdCoordinatorEpochAndTransitMetadata(
                                        transactional_id,
                                        coordinator_epoch,
                                        (TransactionResult.ABORT if txn_metadata.state is PrepareAbort
                                         else TransactionResult.COMMIT),
                                        txn_metadata,
                                        txn_metadata.prepare_complete(self._time.milliseconds())))

                    # Before the markers are sent: the append that completes a transaction would otherwise
                    # fail with COORDINATOR_LOAD_IN_PROGRESS.
                    self.loading_partitions.remove(partition_and_leader_epoch)

                    for pending in transactions_pending_for_completion:
                        self.info("sending txn markers for %s after loading partition %d", pending,
                                  partition_id)
                        send_txn_markers(pending.coordinator_epoch, pending.result, pending.txn_metadata,
                                         pending.transit_metadata)

            self.debug("completed loading transaction metadata from %s for coordinator epoch %d",
                       topic_partition, coordinator_epoch)

        schedule_start_ms = self._time.milliseconds()
        self._scheduler.schedule_once(
            f"load-txns-for-partition-{topic_partition}", lambda: load_transactions(schedule_start_ms))

    def remove_transactions_for_txn_topic_partition(self, partition_id: int,
                                                    coordinator_epoch: int | None = None) -> None:
        """Unload a partition that was deleted, or that another node coordinates from now on.

        :origin: kafka.coordinator.transaction.TransactionStateManager#removeTransactionsForTxnTopicPartition(Int)
        :origin: kafka.coordinator.transaction.TransactionStateManager#removeTransactionsForTxnTopicPartition(Int, Int)
        """  # noqa: E501
        topic_partition = TopicPartition(Topic.TRANSACTION_STATE_TOPIC_NAME, partition_id)
        with self._state_lock.write_lock():
            if coordinator_epoch is None:
                self.loading_partitions = {loading for loading in self.loading_partitions
                                           if loading.txn_partition_id != partition_id}
            else:
                self.loading_partitions.discard(
                    TransactionPartitionAndLeaderEpoch(partition_id, coordinator_epoch))
            txn_metadata_cache_entry = self.transaction_metadata_cache.pop(partition_id, None)
            if txn_metadata_cache_entry is not None:
                self.info("unloaded transaction metadata %s for %s", txn_metadata_cache_entry,
                          topic_partition)
            elif coordinator_epoch is not None:
                self.info("no cached transaction metadata found for %s", topic_partition)

    def _validate_transaction_topic_partition_count_is_stable(self) -> None:
        """
        :origin: kafka.coordinator.transaction.TransactionStateManager#validateTransactionTopicPartitionCountIsStable
        """  # noqa: E501
        previously_determined_partition_count = self._transaction_topic_partition_count
        cur_transaction_topic_partition_count = self._retrieve_transaction_topic_partition_count()
        if previously_determined_partition_count != cur_transaction_topic_partition_count:
            raise KafkaException(
                "Transaction topic number of partitions has changed from "
                f"{previously_determined_partition_count} to {cur_transaction_topic_partition_count}")

    def append_transaction_to_log(
        self, transactional_id: str, coordinator_epoch: int, new_metadata: TxnTransitMetadata,
        response_callback: ResponseCallback, retry_on_error: Callable[[Errors], bool] = _never_retry,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Append a change to the log, apply it to the cache, and call back with the result.

        After an error, the change is not pending any more, unless ``retry_on_error`` says that the caller
        retries.

        :origin: kafka.coordinator.transaction.TransactionStateManager#appendTransactionToLog
        """
        is_answered = False

        def answer(error: Errors) -> None:
            nonlocal is_answered
            is_answered = True
            response_callback(error)

        try:
            self._append_transaction_to_log(
                transactional_id, coordinator_epoch, new_metadata, answer, retry_on_error, request_local)
        except Exception as e:
            # DEVIATION D243: in Kafka the change stays pending for ever. Every request for this id then gets
            # CONCURRENT_TRANSACTIONS until the coordinator restarts.
            if is_answered or isinstance(e, IllegalStateException):
                raise
            self.error("failed to change %s to %s", transactional_id, new_metadata, exc=e)
            error = Errors.for_exception(e)
            self._reset_pending_state(
                transactional_id, coordinator_epoch, new_metadata, error, retry_on_error)
            response_callback(error)

    def _append_transaction_to_log(
        self, transactional_id: str, coordinator_epoch: int, new_metadata: TxnTransitMetadata,
        response_callback: ResponseCallback, retry_on_error: Callable[[Errors], bool],
        request_local: RequestLocal,
    ) -> None:
        """The main part of Kafka's ``appendTransactionToLog``. Raises the exception that prevented the
        callback."""
        key_bytes = TransactionLog.key_to_bytes(transactional_id)
        value_bytes = TransactionLog.value_to_bytes(new_metadata)
        timestamp = self._time.milliseconds()

        records = MemoryRecords.with_records(
            TransactionLog.ENFORCED_COMPRESSION, SimpleRecord(timestamp, key_bytes, value_bytes))
        topic_partition = TopicPartition(
            Topic.TRANSACTION_STATE_TOPIC_NAME, self.partition_for(transactional_id))
        records_per_partition = {topic_partition: records}

        def update_cache_callback(
            response_status: Mapping[TopicPartition, ProduceResponse.PartitionResponse],
        ) -> None:
            if len(response_status) != 1 or topic_partition not in response_status:
                raise IllegalStateException(
                    f"Append status {response_status} should only have one partition {topic_partition}")

            status = response_status[topic_partition]
            if status.error is Errors.NONE:
                response_error = Errors.NONE
            else:
                self.debug("appending %s's new metadata %s failed due to %s", transactional_id, new_metadata,
                           status.error.exception_name())
                response_error = _COORDINATOR_ERRORS.get(status.error, status.error)

            if response_error is Errors.NONE:
                # Changed in place, under the metadata's lock, because other threads hold the object.
                found = self.get_transaction_state(transactional_id)
                if isinstance(found, Errors):
                    self.info("accessing the cached transaction metadata for %s returns %s error; aborting "
                              "transition to the new metadata and setting the error in the callback",
                              transactional_id, found)
                    response_error = found
                elif found is not None:
                    metadata = found.transaction_metadata
                    with metadata.lock:
                        if found.coordinator_epoch != coordinator_epoch:
                            # The partition was unloaded and loaded again in the meantime.
                            self.info("the cached coordinator epoch for %s has changed to %d after appended "
                                      "its new metadata %s to the transaction log (txn topic partition %d) "
                                      "while it was %d before appending; aborting transition to the new "
                                      "metadata and returning %s in the callback", transactional_id,
                                      found.coordinator_epoch, new_metadata,
                                      self.partition_for(transactional_id), coordinator_epoch,
                                      Errors.NOT_COORDINATOR)
                            response_error = Errors.NOT_COORDINATOR
                        else:
                            metadata.complete_transition_to(new_metadata)
                            self.debug("updating %s's transaction state to %s with coordinator epoch %d "
                                       "succeeded", transactional_id, new_metadata, coordinator_epoch)
                else:
                    self.info("the cached coordinator metadata does not exist in the cache anymore for %s "
                              "after appended its new metadata %s to the transaction log (txn topic "
                              "partition %d) while it was %d before appending; aborting transition to the "
                              "new metadata and returning %s in the callback", transactional_id, new_metadata,
                              self.partition_for(transactional_id), coordinator_epoch,
                              Errors.NOT_COORDINATOR)
                    response_error = Errors.NOT_COORDINATOR
            else:
                self._reset_pending_state(
                    transactional_id, coordinator_epoch, new_metadata, response_error, retry_on_error)

            response_callback(response_error)

        with self._state_lock.read_lock():
            # The lock is held until the append, so that nothing changes between this check and the append.
            found = self.get_transaction_state(transactional_id)
            if isinstance(found, Errors):
                response_callback(found)
                return
            if found is None:
                response_callback(Errors.NOT_COORDINATOR)
                return
            with found.transaction_metadata.lock:
                append = found.coordinator_epoch == coordinator_epoch
                if not append:
                    response_callback(Errors.NOT_COORDINATOR)
                # No other thread changes the pending state under the same epoch.
            if append:
                self._replica_manager.append_records(
                    timeout=new_metadata.txn_timeout_ms,
                    required_acks=TransactionLog.ENFORCED_REQUIRED_ACKS,
                    internal_topics_allowed=True,
                    origin=AppendOrigin.COORDINATOR,
                    entries_per_partition=records_per_partition,
                    response_callback=update_cache_callback,
                    request_local=request_local)

                self.trace("appending new metadata %s for transaction id %s with coordinator epoch %d to the "
                           "local transaction log", new_metadata, transactional_id, coordinator_epoch)

    def _reset_pending_state(
        self, transactional_id: str, coordinator_epoch: int, new_metadata: TxnTransitMetadata, error: Errors,
        retry_on_error: Callable[[Errors], bool],
    ) -> None:
        """Clear the pending state after a failed append. In Kafka this is a part of
        ``appendTransactionToLog``."""
        found = self.get_transaction_state(transactional_id)
        if isinstance(found, CoordinatorEpochAndTxnMetadata):
            metadata = found.transaction_metadata
            with metadata.lock:
                if found.coordinator_epoch != coordinator_epoch:
                    self.info("transactionalId %s append transaction log for %s transition failed due to %s, "
                              "aborting state transition and returning the error in the callback since the "
                              "coordinator epoch has changed from %d to %d", transactional_id, new_metadata,
                              error, found.coordinator_epoch, coordinator_epoch)
                elif retry_on_error(error):
                    self.info("transactionalId %s append transaction log for %s transition failed due to %s, "
                              "not resetting pending state %s but just returning the error in the callback "
                              "to let the caller retry", transactional_id, new_metadata, error,
                              metadata.pending_state)
                else:
                    self.info("transactionalId %s append transaction log for %s transition failed due to %s, "
                              "resetting pending state from %s, aborting state transition and returning the "
                              "error in the callback", transactional_id, new_metadata, error,
                              metadata.pending_state)
                    metadata.pending_state = None
        else:
            self.info("transactionalId %s append transaction log for %s transition failed due to %s, "
                      "aborting state transition and returning the error in the callback since retrieving "
                      "metadata returned %s", transactional_id, new_metadata, error, found)

    def startup(self, retrieve_transaction_topic_partition_count: Callable[[], int],
                enable_transactional_id_expiration: bool) -> None:
        """:origin: kafka.coordinator.transaction.TransactionStateManager#startup"""
        self._retrieve_transaction_topic_partition_count = retrieve_transaction_topic_partition_count
        self._transaction_topic_partition_count = retrieve_transaction_topic_partition_count()
        if enable_transactional_id_expiration:
            self.enable_transactional_id_expiration()

    def shutdown(self) -> None:
        """:origin: kafka.coordinator.transaction.TransactionStateManager#shutdown"""
        self._shutting_down = True
        with self._state_lock.write_lock():
            self.loading_partitions.clear()
            self.transaction_metadata_cache.clear()
        self.info("shutdown complete")


# The client's error for an error of the append; other errors stay.
_COORDINATOR_ERRORS = {
    # A retriable error.
    Errors.UNKNOWN_TOPIC_OR_PARTITION: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_ENOUGH_REPLICAS: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.REQUEST_TIMED_OUT: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_LEADER_OR_FOLLOWER: Errors.NOT_COORDINATOR,
    Errors.KAFKA_STORAGE_ERROR: Errors.NOT_COORDINATOR,
    Errors.MESSAGE_TOO_LARGE: Errors.UNKNOWN_SERVER_ERROR,
    Errors.RECORD_LIST_TOO_LARGE: Errors.UNKNOWN_SERVER_ERROR,
}


class TxnMetadataCacheEntry(NamedTuple):
    """The ids of a partition.

    :origin: kafka.coordinator.transaction.TxnMetadataCacheEntry
    """

    coordinator_epoch: int
    metadata_per_transactional_id: Pool[str, TransactionMetadata]

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.TxnMetadataCacheEntry#toString"""
        return (f"TxnMetadataCacheEntry(coordinatorEpoch={self.coordinator_epoch}, "
                f"numTransactionalEntries={self.metadata_per_transactional_id.size()})")


class CoordinatorEpochAndTxnMetadata(NamedTuple):
    """:origin: kafka.coordinator.transaction.CoordinatorEpochAndTxnMetadata"""

    coordinator_epoch: int
    transaction_metadata: TransactionMetadata


class TransactionConfig(NamedTuple):
    """``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

    :origin: kafka.coordinator.transaction.TransactionConfig
    """

    transactional_id_expiration_ms: int = (
        TransactionStateManagerConfigs.TRANSACTIONAL_ID_EXPIRATION_MS_DEFAULT)
    transaction_max_timeout_ms: int = TransactionStateManagerConfigs.TRANSACTIONS_MAX_TIMEOUT_MS_DEFAULT
    transaction_log_num_partitions: int = TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_DEFAULT
    transaction_log_replication_factor: int = (
        TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_DEFAULT)
    transaction_log_segment_bytes: int = TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_DEFAULT
    transaction_log_load_buffer_size: int = TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_DEFAULT
    transaction_log_min_insync_replicas: int = TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_DEFAULT
    abort_timed_out_transactions_interval_ms: int = (
        TransactionStateManagerConfigs.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_DEFAULT)
    remove_expired_transactional_ids_interval_ms: int = (
        TransactionStateManagerConfigs.
        TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_DEFAULT)
    request_timeout_ms: int = ServerConfigs.REQUEST_TIMEOUT_MS_DEFAULT
    fidelity_strict: bool = False

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self.fidelity_strict


class TransactionalIdAndProducerIdEpoch(NamedTuple):
    """:origin: kafka.coordinator.transaction.TransactionalIdAndProducerIdEpoch"""

    transactional_id: str
    producer_id: int
    producer_epoch: int

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.TransactionalIdAndProducerIdEpoch#toString"""
        return (f"(transactionalId={self.transactional_id}, producerId={self.producer_id}, "
                f"producerEpoch={self.producer_epoch})")


class TransactionPartitionAndLeaderEpoch(NamedTuple):
    """:origin: kafka.coordinator.transaction.TransactionPartitionAndLeaderEpoch"""

    txn_partition_id: int
    coordinator_epoch: int


class TransactionalIdCoordinatorEpochAndMetadata(NamedTuple):
    """:origin: kafka.coordinator.transaction.TransactionalIdCoordinatorEpochAndMetadata"""

    transactional_id: str
    coordinator_epoch: int
    transit_metadata: TxnTransitMetadata


class TransactionalIdCoordinatorEpochAndTransitMetadata(NamedTuple):
    """:origin: kafka.coordinator.transaction.TransactionalIdCoordinatorEpochAndTransitMetadata"""

    transactional_id: str
    coordinator_epoch: int
    result: TransactionResult
    txn_metadata: TransactionMetadata
    transit_metadata: TxnTransitMetadata


SendTxnMarkersCallback = Callable[[int, TransactionResult, TransactionMetadata, TxnTransitMetadata], object]
ResponseCallback = Callable[[Errors], object]


def _maybe_append(builder: MemoryRecordsBuilder, timestamp: int, key: bytes, value: bytes | None) -> bool:
    """Append a record if the batch has room for it; return whether it had."""
    if not builder.has_room_for(timestamp, key, value, Record.EMPTY_HEADERS):
        return False
    builder.append(timestamp, key, value, Record.EMPTY_HEADERS)
    return True
