# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionCoordinator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Assigns producer ids, and coordinates transactions: their partitions, and their ends.

A request first looks up the state of its transactional id. Under that state's lock, it checks that the change
is allowed, and prepares it. Without the lock, the change is appended to the log. The response is sent when
the append has completed. The end of a transaction is acknowledged once it is decided in the log. A thread
writes the markers afterwards. Until then, other requests for the id are told to retry.

Any thread may call it. TransactionStateManager documents the locks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Callable, NamedTuple

from kreactor.common.internals.topic import Topic
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.describe_transactions_response_data import DescribeTransactionsResponseData
from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.common.utils.time import Time
from kreactor.core.coordinator.transaction.transaction_marker_channel_manager import (
    TransactionMarkerChannelManager,
    WriteTxnMarkers,
)
from kreactor.core.coordinator.transaction.transaction_metadata import (
    TransactionMetadata,
    TransactionState,
    TxnTransitMetadata,
)
from kreactor.core.coordinator.transaction.transaction_state_manager import (
    TransactionalIdAndProducerIdEpoch,
    TransactionConfig,
    TransactionStateManager,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.scheduler import Scheduler

CompleteAbort, CompleteCommit, Dead, Empty, Ongoing, PrepareAbort, PrepareCommit, PrepareEpochFence = (
    TransactionState.CompleteAbort, TransactionState.CompleteCommit, TransactionState.Dead,
    TransactionState.Empty, TransactionState.Ongoing, TransactionState.PrepareAbort,
    TransactionState.PrepareCommit, TransactionState.PrepareEpochFence)


class TransactionCoordinator(Logging):
    """
    :origin: kafka.coordinator.transaction.TransactionCoordinator
    :origin: kafka.coordinator.transaction.TransactionCoordinator
    """

    @staticmethod
    def apply(
        config: KafkaConfig, replica_manager: ReplicaManager, scheduler: Scheduler,
        generate_producer_id: Callable[[], int], metrics: Metrics, metadata_cache: MetadataCache, time: Time,
        write_txn_markers: WriteTxnMarkers, metrics_registry: MetricsRegistry | None = None,
    ) -> TransactionCoordinator:
        """Return a node's coordinator with these settings. Owns the scheduler.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#apply
        """
        txn_config = TransactionConfig(
            config.transactional_id_expiration_ms(),
            config.transaction_max_timeout_ms(),
            config.transaction_topic_partitions(),
            config.transaction_topic_replication_factor(),
            config.transaction_topic_segment_bytes(),
            config.transactions_load_buffer_size(),
            config.transaction_topic_min_isr(),
            config.transaction_abort_timed_out_transaction_cleanup_interval_ms(),
            config.transaction_remove_expired_transactional_id_cleanup_interval_ms(),
            config.request_timeout_ms(),
            config.is_strict())

        txn_state_manager = TransactionStateManager(
            config.broker_id(), scheduler, replica_manager, txn_config, time, metrics)

        txn_marker_channel_manager = TransactionMarkerChannelManager(
            config, metadata_cache, write_txn_markers, txn_state_manager, time, metrics_registry)

        return TransactionCoordinator(
            config.broker_id(), txn_config, scheduler, generate_producer_id, txn_state_manager,
            txn_marker_channel_manager, time)

    @staticmethod
    def _init_transaction_error(error: Errors) -> InitProducerIdResult:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#initTransactionError"""
        return InitProducerIdResult(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, error)

    @staticmethod
    def _init_transaction_metadata(txn_metadata: TxnTransitMetadata) -> InitProducerIdResult:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#initTransactionMetadata"""
        return InitProducerIdResult(txn_metadata.producer_id, txn_metadata.producer_epoch, Errors.NONE)

    def __init__(
        self, broker_id: int, txn_config: TransactionConfig, scheduler: Scheduler,
        generate_producer_id: Callable[[], int], txn_manager: TransactionStateManager,
        txn_marker_channel_manager: TransactionMarkerChannelManager, time: Time,
    ) -> None:
        """``generate_producer_id`` returns unused ids, and raises the client's exception.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#TransactionCoordinator
        """
        self._log_ident = f"[TransactionCoordinator id={broker_id}] "
        self._txn_config = txn_config
        self._scheduler = scheduler
        self._generate_producer_id = generate_producer_id
        self._txn_manager = txn_manager
        self._txn_marker_channel_manager = txn_marker_channel_manager
        self._time = time
        # Set once by startup, and cleared once by shutdown.
        self._is_active = False

    def _new_producer_id(self) -> int | Errors:
        try:
            return self._generate_producer_id()
        except Exception as e:
            self.error("cannot generate a producer id", exc=e)
            return Errors.for_exception(e)

    def handle_init_producer_id(
        self, transactional_id: str | None, transaction_timeout_ms: int,
        expected_producer_id_and_epoch: ProducerIdAndEpoch | None, response_callback: InitProducerIdCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Call back with an id and an epoch. The epoch fences all earlier producers with the same
        ``transactional_id``.

        A producer that sends its current id and epoch continues as the same producer.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleInitProducerId
        """
        if transactional_id is None:
            producer_id = self._new_producer_id()
            response_callback(
                self._init_transaction_error(producer_id) if isinstance(producer_id, Errors)
                else InitProducerIdResult(producer_id, 0, Errors.NONE))
            return
        elif not transactional_id:
            response_callback(self._init_transaction_error(Errors.INVALID_REQUEST))
            return
        elif not self._txn_manager.validate_transaction_timeout_ms(transaction_timeout_ms):
            response_callback(self._init_transaction_error(Errors.INVALID_TRANSACTION_TIMEOUT))
            return

        found = self._txn_manager.get_transaction_state(transactional_id)
        if found is None:
            producer_id = self._new_producer_id()
            found = (
                producer_id if isinstance(producer_id, Errors)
                else self._txn_manager.put_transaction_state_if_not_exists(TransactionMetadata(
                    transactional_id=transactional_id,
                    producer_id=producer_id,
                    last_producer_id=RecordBatch.NO_PRODUCER_ID,
                    producer_epoch=RecordBatch.NO_PRODUCER_EPOCH,
                    last_producer_epoch=RecordBatch.NO_PRODUCER_EPOCH,
                    txn_timeout_ms=transaction_timeout_ms,
                    state=Empty,
                    txn_last_update_timestamp=self._time.milliseconds())))

        result: Errors | TxnTransitMetadata
        if isinstance(found, Errors):
            result = found
        else:
            with found.transaction_metadata.lock:
                result = self._prepare_init_producer_id_transit(
                    transactional_id, transaction_timeout_ms, found.transaction_metadata,
                    expected_producer_id_and_epoch)

        if isinstance(result, Errors):
            response_callback(self._init_transaction_error(result))
            return
        assert not isinstance(found, Errors), "there is something to be written"
        new_metadata = result
        if new_metadata.txn_state is PrepareEpochFence:
            # The client must retry: after the abort of its open transaction it gets an epoch.
            self._end_transaction(
                transactional_id,
                new_metadata.producer_id,
                new_metadata.producer_epoch,
                TransactionResult.ABORT,
                False,
                lambda error: response_callback(self._init_transaction_error(
                    Errors.CONCURRENT_TRANSACTIONS if error is Errors.NONE else error)),
                request_local)
            return

        def send_pid_response_callback(error: Errors) -> None:
            if error is Errors.NONE:
                self.info("initialized transactionalId %s with producerId %d and producer epoch %d on "
                          "partition %s-%d", transactional_id, new_metadata.producer_id,
                          new_metadata.producer_epoch, Topic.TRANSACTION_STATE_TOPIC_NAME,
                          self._txn_manager.partition_for(transactional_id))
                response_callback(self._init_transaction_metadata(new_metadata))
            else:
                self.info("returning %s error code to client for %s's InitProducerId request", error,
                          transactional_id)
                response_callback(self._init_transaction_error(error))

        self._txn_manager.append_transaction_to_log(
            transactional_id, found.coordinator_epoch, new_metadata, send_pid_response_callback,
            request_local=request_local)

    def _prepare_init_producer_id_transit(
        self, transactional_id: str, transaction_timeout_ms: int, txn_metadata: TransactionMetadata,
        expected_producer_id_and_epoch: ProducerIdAndEpoch | None,
    ) -> Errors | TxnTransitMetadata:
        """Prepare the change, or return the error. Called under the lock of ``txn_metadata``.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#prepareInitProducerIdTransit
        """
        def is_valid_producer_id(producer_id_and_epoch: ProducerIdAndEpoch) -> bool:
            # Valid are: a newly created state; the current id; and the previous id, if its epochs were
            # exhausted. The last is a retry after a lost response.
            return (txn_metadata.producer_epoch == RecordBatch.NO_PRODUCER_EPOCH
                    or producer_id_and_epoch.producer_id == txn_metadata.producer_id
                    or (producer_id_and_epoch.producer_id == txn_metadata.last_producer_id
                        and TransactionMetadata.is_epoch_exhausted(producer_id_and_epoch.epoch)))

        expected = expected_producer_id_and_epoch
        if txn_metadata.pending_transition_in_progress():
            return Errors.CONCURRENT_TRANSACTIONS
        elif expected is not None and not is_valid_producer_id(expected):
            return Errors.PRODUCER_FENCED
        state = txn_metadata.state
        if state in (PrepareAbort, PrepareCommit):
            return Errors.CONCURRENT_TRANSACTIONS
        elif state in (CompleteAbort, CompleteCommit, Empty):
            if txn_metadata.is_producer_epoch_exhausted() and (
                    expected is None or expected.epoch == txn_metadata.producer_epoch):
                producer_id = self._new_producer_id()
                if isinstance(producer_id, Errors):
                    return producer_id
                return txn_metadata.prepare_producer_id_rotation(
                    producer_id, transaction_timeout_ms, self._time.milliseconds(), expected is not None)
            return txn_metadata.prepare_increment_producer_epoch(
                transaction_timeout_ms, None if expected is None else expected.epoch,
                self._time.milliseconds())
        elif state is Ongoing:
            # No client gets this epoch, because it only ends the open transaction. The client retries and
            # gets the next epoch, or a new id if no epoch is left.
            return txn_metadata.prepare_fence_producer_epoch()
        raise self._illegal_state(transactional_id, state)

    def handle_list_transactions(self, filtered_producer_ids: Collection[int],
                                 filtered_states: Collection[str],
                                 filtered_duration: int = -1) -> ListTransactionsResponseData:
        """Return the transactional ids that match the filters.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleListTransactions
        """
        if not self._is_active:
            return ListTransactionsResponseData(error_code=Errors.COORDINATOR_NOT_AVAILABLE.code)
        return self._txn_manager.list_transaction_states(
            filtered_producer_ids, filtered_states, filtered_duration)

    def handle_describe_transactions(
        self, transactional_id: str | None,
    ) -> DescribeTransactionsResponseData.TransactionState:
        """Return the state of an id's transaction. Raises IllegalArgumentException for a missing id.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleDescribeTransactions
        """
        if transactional_id is None:
            raise IllegalArgumentException("Invalid null transactionalId")

        transaction_state = DescribeTransactionsResponseData.TransactionState(
            transactional_id=transactional_id)
        if not self._is_active:
            transaction_state.error_code = Errors.COORDINATOR_NOT_AVAILABLE.code
        elif not transactional_id:
            transaction_state.error_code = Errors.INVALID_REQUEST.code
        else:
            found = self._txn_manager.get_transaction_state(transactional_id)
            if isinstance(found, Errors):
                transaction_state.error_code = found.code
            elif found is None:
                transaction_state.error_code = Errors.TRANSACTIONAL_ID_NOT_FOUND.code
            else:
                txn_metadata = found.transaction_metadata
                with txn_metadata.lock:
                    if txn_metadata.state is Dead:
                        transaction_state.error_code = Errors.TRANSACTIONAL_ID_NOT_FOUND.code
                    else:
                        partitions_of: dict[str, list[int]] = {}
                        for topic_partition in txn_metadata.topic_partitions:
                            partitions_of.setdefault(topic_partition.topic(), []).append(
                                topic_partition.partition())
                        transaction_state.topics = [
                            DescribeTransactionsResponseData.TopicData(topic=topic, partitions=partitions)
                            for topic, partitions in partitions_of.items()]
                        transaction_state.error_code = Errors.NONE.code
                        transaction_state.producer_id = txn_metadata.producer_id
                        transaction_state.producer_epoch = txn_metadata.producer_epoch
                        transaction_state.transaction_state = txn_metadata.state.name
                        transaction_state.transaction_timeout_ms = txn_metadata.txn_timeout_ms
                        transaction_state.transaction_start_time_ms = txn_metadata.txn_start_timestamp
        return transaction_state

    def handle_verify_partitions_in_transaction(
        self, transactional_id: str, producer_id: int, producer_epoch: int,
        partitions: Collection[TopicPartition], response_callback: VerifyPartitionsCallback,
    ) -> None:
        """Call back with whether partitions belong to a transaction. Changes nothing.

        A pending change does not count: only changes in the log do.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleVerifyPartitionsInTransaction
        """
        if not transactional_id:
            self.debug("returning %s error code to client for %s's AddPartitions request for verification",
                       Errors.INVALID_REQUEST, transactional_id)
            response_callback(AddPartitionsToTxnResponse.result_for_transaction(
                transactional_id, dict.fromkeys(partitions, Errors.INVALID_REQUEST)))
            return

        result: Errors | dict[TopicPartition, Errors]
        found = self._txn_manager.get_transaction_state(transactional_id)
        if isinstance(found, Errors):
            result = found
        elif found is None:
            result = Errors.INVALID_PRODUCER_ID_MAPPING
        else:
            txn_metadata = found.transaction_metadata
            with txn_metadata.lock:
                if txn_metadata.producer_id != producer_id:
                    result = Errors.INVALID_PRODUCER_ID_MAPPING
                elif txn_metadata.producer_epoch != producer_epoch:
                    result = Errors.PRODUCER_FENCED
                elif txn_metadata.state is PrepareCommit or txn_metadata.state is PrepareAbort:
                    result = Errors.CONCURRENT_TRANSACTIONS
                else:
                    result = {
                        part: (Errors.NONE if part in txn_metadata.topic_partitions
                               else Errors.TRANSACTION_ABORTABLE)
                        for part in partitions}

        if isinstance(result, Errors):
            self.debug("returning %s error code to client for %s's AddPartitions request for verification",
                       result, transactional_id)
            result = dict.fromkeys(partitions, result)
        response_callback(AddPartitionsToTxnResponse.result_for_transaction(transactional_id, result))

    def handle_add_partitions_to_transaction(
        self, transactional_id: str | None, producer_id: int, producer_epoch: int,
        partitions: Iterable[TopicPartition], response_callback: AddPartitionsCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Add partitions to a transaction, which begins with the first. Calls back with the result.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleAddPartitionsToTransaction
        """
        if not transactional_id:
            self.debug("returning %s error code to client for %s's AddPartitions request",
                       Errors.INVALID_REQUEST, transactional_id)
            response_callback(Errors.INVALID_REQUEST)
            return
        partitions = frozenset(partitions)

        result: Errors | TxnTransitMetadata
        found = self._txn_manager.get_transaction_state(transactional_id)
        if isinstance(found, Errors):
            result = found
        elif found is None:
            result = Errors.INVALID_PRODUCER_ID_MAPPING
        else:
            txn_metadata = found.transaction_metadata
            with txn_metadata.lock:
                if txn_metadata.producer_id != producer_id:
                    result = Errors.INVALID_PRODUCER_ID_MAPPING
                elif txn_metadata.producer_epoch != producer_epoch:
                    result = Errors.PRODUCER_FENCED
                elif txn_metadata.pending_transition_in_progress():
                    result = Errors.CONCURRENT_TRANSACTIONS
                elif txn_metadata.state is PrepareCommit or txn_metadata.state is PrepareAbort:
                    result = Errors.CONCURRENT_TRANSACTIONS
                elif txn_metadata.state is Ongoing and partitions <= txn_metadata.topic_partitions:
                    # All partitions are in the transaction, so nothing is written.
                    result = Errors.NONE
                else:
                    result = txn_metadata.prepare_add_partitions(partitions, self._time.milliseconds())

        if isinstance(result, Errors):
            self.debug("returning %s error code to client for %s's AddPartitions request", result,
                       transactional_id)
            response_callback(result)
            return
        assert found is not None and not isinstance(found, Errors), "there is something to be written"
        self._txn_manager.append_transaction_to_log(
            transactional_id, found.coordinator_epoch, result, response_callback,
            request_local=request_local)

    def on_election(self, txn_topic_partition_id: int, coordinator_epoch: int) -> None:
        """Coordinate the ids of a partition of ``__transaction_state`` from now on.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#onElection
        """
        self.debug("elected as the txn coordinator for partition %d at epoch %d", txn_topic_partition_id,
                   coordinator_epoch)
        # Markers from an earlier ownership of the partition must not mix with those loaded now.
        self._txn_marker_channel_manager.remove_markers_for_txn_topic_partition(txn_topic_partition_id)

        self._txn_manager.load_transactions_for_txn_topic_partition(
            txn_topic_partition_id, coordinator_epoch,
            self._txn_marker_channel_manager.add_txn_markers_to_send)

    def on_resignation(self, txn_topic_partition_id: int, coordinator_epoch: int | None) -> None:
        """Unload the ids of a partition. The epoch is None for a deleted partition.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#onResignation
        """
        self.info("resigned as the txn coordinator for partition %d at epoch %s", txn_topic_partition_id,
                  coordinator_epoch)
        self._txn_manager.remove_transactions_for_txn_topic_partition(
            txn_topic_partition_id, coordinator_epoch)
        self._txn_marker_channel_manager.remove_markers_for_txn_topic_partition(txn_topic_partition_id)

    def _log_invalid_state_transition_and_return_error(
        self, transactional_id: str, transaction_state: TransactionState,
        transaction_result: TransactionResult,
    ) -> Errors:
        """
        :origin: kafka.coordinator.transaction.TransactionCoordinator#logInvalidStateTransitionAndReturnError
        """
        self.debug("transactionalId: %s's state is %s, but received transaction marker result to send: %s",
                   transactional_id, transaction_state, transaction_result)
        return Errors.INVALID_TXN_STATE

    def handle_end_transaction(
        self, transactional_id: str | None, producer_id: int, producer_epoch: int,
        txn_marker_result: TransactionResult, response_callback: EndTxnCallback,
        request_local: RequestLocal = RequestLocal.NoCaching,
    ) -> None:
        """Commit or abort. Calls back when the decision is in the log, or with the error.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleEndTransaction
        """
        self._end_transaction(transactional_id, producer_id, producer_epoch, txn_marker_result, True,
                              response_callback, request_local)

    def _end_transaction(
        self, transactional_id: str | None, producer_id: int, producer_epoch: int,
        txn_marker_result: TransactionResult, is_from_client: bool, response_callback: EndTxnCallback,
        request_local: RequestLocal,
    ) -> None:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#endTransaction"""
        if not transactional_id:
            response_callback(Errors.INVALID_REQUEST)
            return

        is_epoch_fence = False
        pre_append_result: Errors | TxnTransitMetadata
        found = self._txn_manager.get_transaction_state(transactional_id)
        if isinstance(found, Errors):
            pre_append_result = found
        elif found is None:
            pre_append_result = Errors.INVALID_PRODUCER_ID_MAPPING
        else:
            txn_metadata = found.transaction_metadata
            with txn_metadata.lock:
                state = txn_metadata.state
                if txn_metadata.producer_id != producer_id:
                    pre_append_result = Errors.INVALID_PRODUCER_ID_MAPPING
                # A client keeps its epoch; only fencing raises the epoch.
                elif ((is_from_client and producer_epoch != txn_metadata.producer_epoch)
                        or producer_epoch < txn_metadata.producer_epoch):
                    pre_append_result = Errors.PRODUCER_FENCED
                elif (txn_metadata.pending_transition_in_progress()
                        and txn_metadata.pending_state is not PrepareEpochFence):
                    pre_append_result = Errors.CONCURRENT_TRANSACTIONS
                elif state is Ongoing:
                    next_state = (
                        PrepareCommit if txn_marker_result is TransactionResult.COMMIT else PrepareAbort)
                    if next_state is PrepareAbort and txn_metadata.pending_state is PrepareEpochFence:
                        # The abort replaces the pending fence, and is written with the new epoch.
                        is_epoch_fence = True
                        txn_metadata.pending_state = None
                        txn_metadata.producer_epoch = producer_epoch
                        txn_metadata.last_producer_epoch = RecordBatch.NO_PRODUCER_EPOCH
                    pre_append_result = txn_metadata.prepare_abort_or_commit(
                        next_state, self._time.milliseconds())
                elif (state, txn_marker_result) in _COMPLETED_ENDS:
                    pre_append_result = Errors.NONE
                elif (state, txn_marker_result) in _PREPARED_ENDS:
                    pre_append_result = Errors.CONCURRENT_TRANSACTIONS
                elif state is Dead or state is PrepareEpochFence:
                    raise self._illegal_state(transactional_id, state)
                else:
                    pre_append_result = self._log_invalid_state_transition_and_return_error(
                        transactional_id, state, txn_marker_result)

        if isinstance(pre_append_result, Errors):
            self.debug("aborting append of %s to transaction log with coordinator and returning %s error to "
                       "client for %s's EndTransaction request", txn_marker_result, pre_append_result,
                       transactional_id)
            response_callback(pre_append_result)
            return
        assert found is not None and not isinstance(found, Errors), "there is something to be written"
        coordinator_epoch = found.coordinator_epoch
        new_metadata = pre_append_result

        def send_txn_markers_callback(error: Errors) -> None:
            if error is not Errors.NONE:
                self.info("aborting sending of transaction markers and returning %s error to client for %s's "
                          "EndTransaction request of %s, since appending %s to transaction log with "
                          "coordinator epoch %d failed", error, transactional_id, txn_marker_result,
                          new_metadata, coordinator_epoch)
                if is_epoch_fence:
                    self._note_failed_epoch_fence(transactional_id, coordinator_epoch, new_metadata, error)
                response_callback(error)
                return

            pre_send_result = self._prepare_complete(
                transactional_id, producer_id, producer_epoch, coordinator_epoch, txn_marker_result)
            if isinstance(pre_send_result, Errors):
                self.info("aborting sending of transaction markers after appended %s to transaction log and "
                          "returning %s error to client for %s's EndTransaction request", txn_marker_result,
                          pre_send_result, transactional_id)
                response_callback(pre_send_result)
                return
            txn_metadata, new_pre_send_metadata = pre_send_result
            try:
                # The client waits only for the decision in the log.
                response_callback(Errors.NONE)
            finally:
                # DEVIATION D244: runs even if the response fails. In Kafka the transaction then waits for its
                # markers until the coordinator restarts.
                self._txn_marker_channel_manager.add_txn_markers_to_send(
                    coordinator_epoch, txn_marker_result, txn_metadata, new_pre_send_metadata)

        self._txn_manager.append_transaction_to_log(
            transactional_id, coordinator_epoch, new_metadata, send_txn_markers_callback,
            request_local=request_local)

    def _prepare_complete(
        self, transactional_id: str, producer_id: int, producer_epoch: int, coordinator_epoch: int,
        txn_marker_result: TransactionResult,
    ) -> Errors | tuple[TransactionMetadata, TxnTransitMetadata]:
        """Check a transaction again after its end was appended. In Kafka this is a part of
        ``endTransaction``."""
        found = self._txn_manager.get_transaction_state(transactional_id)
        if isinstance(found, Errors):
            return found
        elif found is None:
            error_msg = ("The coordinator still owns the transaction partition for "
                         f"{transactional_id}, but there is no metadata in the cache; this is not expected")
            self.fatal("%s", error_msg)
            raise IllegalStateException(error_msg)
        elif found.coordinator_epoch != coordinator_epoch:
            self.debug("the transaction coordinator epoch has changed to %d after %s was successfully "
                       "appended to the log for %s with old epoch %d", found.coordinator_epoch,
                       txn_marker_result, transactional_id, coordinator_epoch)
            return Errors.NOT_COORDINATOR
        txn_metadata = found.transaction_metadata
        with txn_metadata.lock:
            state = txn_metadata.state
            if txn_metadata.producer_id != producer_id:
                return Errors.INVALID_PRODUCER_ID_MAPPING
            elif txn_metadata.producer_epoch != producer_epoch:
                return Errors.PRODUCER_FENCED
            elif txn_metadata.pending_transition_in_progress():
                return Errors.CONCURRENT_TRANSACTIONS
            elif (state, txn_marker_result) in _PREPARED_ENDS:
                return txn_metadata, txn_metadata.prepare_complete(self._time.milliseconds())
            elif state is Dead or state is PrepareEpochFence:
                raise self._illegal_state(transactional_id, state)
            return self._log_invalid_state_transition_and_return_error(
                transactional_id, state, txn_marker_result)

    def _note_failed_epoch_fence(self, transactional_id: str, coordinator_epoch: int,
                                 new_metadata: TxnTransitMetadata, error: Errors) -> None:
        """Record that the epoch for fencing a producer was not appended. In Kafka this is a part of
        ``endTransaction``."""
        found = self._txn_manager.get_transaction_state(transactional_id)
        if found is None:
            self.warn("the coordinator still owns the transaction partition for %s, but there is no metadata "
                      "in the cache; this is not expected", transactional_id)
        elif not isinstance(found, Errors) and found.coordinator_epoch == coordinator_epoch:
            found.transaction_metadata.has_failed_epoch_fence = True
            self.warn("the coordinator failed to write an epoch fence transition for producer %s to the "
                      "transaction log with error %s; the epoch was increased to %d but not returned to the "
                      "client", transactional_id, error, new_metadata.producer_epoch)

    def _illegal_state(self, transactional_id: str, state: TransactionState) -> IllegalStateException:
        error_msg = (f"Found transactionalId {transactional_id} with state {state}. This is illegal as we "
                     "should never have transitioned to this state.")
        self.fatal("%s", error_msg)
        return IllegalStateException(error_msg)

    def transaction_topic_configs(self) -> dict[str, str]:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#transactionTopicConfigs"""
        return self._txn_manager.transaction_topic_configs()

    def partition_for(self, transactional_id: str) -> int:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#partitionFor"""
        return self._txn_manager.partition_for(transactional_id)

    def _on_end_transaction_complete(self, txn_id_and_pid_epoch: TransactionalIdAndProducerIdEpoch,
                                     error: Errors) -> None:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#onEndTransactionComplete"""
        transactional_id = txn_id_and_pid_epoch.transactional_id
        if error is Errors.NONE:
            self.info("completed rollback of ongoing transaction for transactionalId %s due to timeout",
                      transactional_id)
        elif error in (Errors.INVALID_PRODUCER_ID_MAPPING, Errors.PRODUCER_FENCED,
                       Errors.CONCURRENT_TRANSACTIONS):
            self.debug("rollback of ongoing transaction for transactionalId %s has been cancelled due to "
                       "error %s", transactional_id, error)
        else:
            self.warn("rollback of ongoing transaction for transactionalId %s failed due to error %s",
                      transactional_id, error)

    def abort_timed_out_transactions(
        self, on_complete: Callable[[TransactionalIdAndProducerIdEpoch, Errors], object],
    ) -> None:
        """Abort the transactions that have timed out, and fence their producers.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#abortTimedOutTransactions
        """
        for txn_id_and_pid_epoch in self._txn_manager.timed_out_transactions():
            found = self._txn_manager.get_transaction_state(txn_id_and_pid_epoch.transactional_id)
            if isinstance(found, Errors):
                continue
            elif found is None:
                self.error("could not find transaction metadata when trying to timeout transaction for %s",
                           txn_id_and_pid_epoch)
                continue
            txn_metadata = found.transaction_metadata
            with txn_metadata.lock:
                if txn_metadata.producer_id != txn_id_and_pid_epoch.producer_id:
                    self.error("found incorrect producerId when expiring transactionalId: %s; expected "
                               "producerId: %d, found producerId: %d", txn_id_and_pid_epoch.transactional_id,
                               txn_id_and_pid_epoch.producer_id, txn_metadata.producer_id)
                    continue
                elif txn_metadata.pending_transition_in_progress():
                    self.debug("skipping abort of timed out transaction %s since there is a pending state "
                               "transition", txn_id_and_pid_epoch)
                    continue
                txn_transit_metadata = txn_metadata.prepare_fence_producer_epoch()

            def end_txn_callback(
                error: Errors, txn: TransactionalIdAndProducerIdEpoch = txn_id_and_pid_epoch,
            ) -> None:
                on_complete(txn, error)

            self._end_transaction(
                txn_metadata.transactional_id,
                txn_transit_metadata.producer_id,
                txn_transit_metadata.producer_epoch,
                TransactionResult.ABORT,
                False,
                end_txn_callback,
                RequestLocal.NoCaching)

    def startup(self, retrieve_transaction_topic_partition_count: Callable[[], int],
                enable_transactional_id_expiration: bool = True) -> None:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#startup"""
        self.info("starting up")
        self._scheduler.startup()
        interval_ms = self._txn_config.abort_timed_out_transactions_interval_ms
        self._scheduler.schedule(
            "transaction-abort",
            lambda: self.abort_timed_out_transactions(self._on_end_transaction_complete),
            interval_ms, interval_ms)
        self._txn_manager.startup(
            retrieve_transaction_topic_partition_count, enable_transactional_id_expiration)
        self._txn_marker_channel_manager.start()
        self._is_active = True
        self.info("startup complete")

    def shutdown(self) -> None:
        """Shut the parts down in the reverse order of ``startup``.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#shutdown
        """
        self.info("shutting down")
        self._is_active = False
        self._scheduler.shutdown()
        self._txn_manager.shutdown()
        self._txn_marker_channel_manager.shutdown()
        self.info("shutdown complete")


# The states in which the requested end has completed, and those in which it is in progress.
_COMPLETED_ENDS = frozenset((
    (CompleteCommit, TransactionResult.COMMIT), (CompleteAbort, TransactionResult.ABORT)))
_PREPARED_ENDS = frozenset((
    (PrepareCommit, TransactionResult.COMMIT), (PrepareAbort, TransactionResult.ABORT)))


class InitProducerIdResult(NamedTuple):
    """:origin: kafka.coordinator.transaction.InitProducerIdResult"""

    producer_id: int
    producer_epoch: int
    error: Errors


InitProducerIdCallback = Callable[[InitProducerIdResult], object]
AddPartitionsCallback = Callable[[Errors], object]
VerifyPartitionsCallback = Callable[[AddPartitionsToTxnResponseData.AddPartitionsToTxnResult], object]
EndTxnCallback = Callable[[Errors], object]
