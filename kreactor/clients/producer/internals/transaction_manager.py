# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.TransactionManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of a producer's transactions, and of its sequence numbers for idempotence.

*Threads.* Threads of the application begin and end transactions, and add partitions to them. The sender
thread sends the requests, processes the responses, numbers the batches and reports their results. One
reentrant lock guards the fields that ``__init__`` lists. A thread that also needs a deque's lock takes the
deque's lock first.

*States.* ``State`` has the transitions. Any other transition raises IllegalStateException. On a thread of the
application the state does not change, and the application can continue. The sender thread sets
``set_poison_state_on_invalid_transition``. There the state becomes FATAL_ERROR, because it may be corrupt,
and no further transactional call succeeds.

*Requests.* Requests wait in a queue by priority, and one is in flight at a time. The sender thread calls the
request's handler with the response.

*Sequence numbers.* Each partition counts its own records, under one producer id and epoch. A batch in flight
whose result is unknown makes the partition unresolved. An epoch bump lets the partition start again at 0: a
producer without transactions bumps the epoch by itself, one with transactions asks its coordinator (KIP-360).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, cast

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.consumer.commit_failed_exception import CommitFailedException
from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer.internals.sequence_order import precedes
from kreactor.clients.producer.internals.transactional_request_result import TransactionalRequestResult
from kreactor.clients.producer.internals.txn_partition_entry import TxnPartitionEntry
from kreactor.clients.producer.internals.txn_partition_map import TxnPartitionMap
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import (
    ApiException,
    AuthenticationException,
    ClusterAuthorizationException,
    GroupAuthorizationException,
    InvalidPidMappingException,
    InvalidProducerEpochException,
    OutOfOrderSequenceException,
    ProducerFencedException,
    RetriableException,
    TopicAuthorizationException,
    TransactionalIdAuthorizationException,
    UnknownProducerIdException,
    UnsupportedVersionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.priority_queue import PriorityQueue
from kreactor.jdk.text import java_text, throwable_text
from kreactor.jdk.threads import ThreadLocal

if TYPE_CHECKING:
    from kreactor.clients.client_response import ClientResponse
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch

CoordinatorType = FindCoordinatorRequest.CoordinatorType
CommittedOffset = TxnOffsetCommitRequest.CommittedOffset

_INT_MAX_VALUE = 2**31 - 1
_SHORT_MAX_VALUE = 2**15 - 1


class _Poison(ThreadLocal):
    """Whether an illegal transition is fatal; each thread has its own value."""

    value = False


def _exception(error: Errors) -> ApiException:
    """Return a new exception for an error other than NONE."""
    exception = error.exception()
    assert exception is not None
    return exception


class TransactionManager:
    """:origin: clients.producer.internals.TransactionManager"""

    _NO_INFLIGHT_REQUEST_CORRELATION_ID = -1

    # After CONCURRENT_TRANSACTIONS for a transaction's first partition, the previous transaction is about to
    # complete. A longer wait would delay this transaction.
    _ADD_PARTITIONS_RETRY_BACKOFF_MS = 20

    class State(Enum):
        """:origin: clients.producer.internals.TransactionManager.State"""

        UNINITIALIZED = 0
        INITIALIZING = 1
        READY = 2
        IN_TRANSACTION = 3
        COMMITTING_TRANSACTION = 4
        ABORTING_TRANSACTION = 5
        ABORTABLE_ERROR = 6
        FATAL_ERROR = 7

        def __str__(self) -> str:
            return self.name

        def is_transition_valid(self, source: TransactionManager.State,
                                target: TransactionManager.State) -> bool:
            """Return whether the state ``target`` may follow ``source``.

            :origin: clients.producer.internals.TransactionManager.State#isTransitionValid(State, State)
            """
            state = TransactionManager.State
            match target:
                case state.UNINITIALIZED:
                    return source in (state.READY, state.ABORTABLE_ERROR)
                case state.INITIALIZING:
                    return source in (state.UNINITIALIZED, state.ABORTING_TRANSACTION)
                case state.READY:
                    return source in (state.INITIALIZING, state.COMMITTING_TRANSACTION,
                                      state.ABORTING_TRANSACTION)
                case state.IN_TRANSACTION:
                    return source is state.READY
                case state.COMMITTING_TRANSACTION:
                    return source is state.IN_TRANSACTION
                case state.ABORTING_TRANSACTION:
                    return source in (state.IN_TRANSACTION, state.ABORTABLE_ERROR)
                case state.ABORTABLE_ERROR:
                    return source in (state.IN_TRANSACTION, state.COMMITTING_TRANSACTION,
                                      state.ABORTABLE_ERROR, state.INITIALIZING)
                case _:
                    # Any state may become FATAL_ERROR, and no state follows it. The producer can then only be
                    # closed, or do non-transactional work.
                    return True

    class Priority(Enum):
        """The order in which requests are sent.

        The coordinator must be known first, then the producer id. The end of a transaction comes last; only
        an epoch bump that is part of this end comes later.

        :origin: clients.producer.internals.TransactionManager.Priority
        """

        FIND_COORDINATOR = 0
        INIT_PRODUCER_ID = 1
        ADD_PARTITIONS_OR_OFFSETS = 2
        END_TXN = 3
        EPOCH_BUMP = 4

    def __init__(self, log_context: LogContext, transactional_id: str | None, transaction_timeout_ms: int,
                 retry_backoff_ms: int, api_versions: ApiVersions) -> None:
        """``transactional_id`` is None for a producer that is only idempotent.

        :origin: clients.producer.internals.TransactionManager#TransactionManager(LogContext, String, int, long, ApiVersions)
        """  # noqa: E501
        # Reentrant, like Java's monitor.
        self._lock = ReentrantLock()
        # Immutable, or guarded by their own locks.
        self._transactional_id = transactional_id
        self._log = log_context.logger(TransactionManager)
        self._transaction_timeout_ms = transaction_timeout_ms
        self._retry_backoff_ms = retry_backoff_ms
        self._api_versions = api_versions
        self._should_poison_state_on_invalid_transition = _Poison()
        # Written under the lock, but also read without it: volatile in the origin.
        self._current_state = TransactionManager.State.UNINITIALIZED
        self._last_error: Exception | None = None
        self._producer_id_and_epoch = ProducerIdAndEpoch.NONE
        self._transaction_started = False
        self._epoch_bump_required = False
        # Used by the sender thread only.
        self._in_flight_request_correlation_id = TransactionManager._NO_INFLIGHT_REQUEST_CORRELATION_ID
        self._transaction_coordinator: Node | None = None
        self._consumer_group_coordinator: Node | None = None
        self._coordinator_supports_bumping_epoch = False
        # The lock guards all fields from here on. The partitions of the transaction: new ones, requested
        # ones, and ones that the coordinator has added. DEVIATION D330: in insertion order, where the origin
        # has HashSets.
        self._new_partitions_in_transaction: dict[TopicPartition, None] = {}
        self._pending_partitions_in_transaction: dict[TopicPartition, None] = {}
        self._partitions_in_transaction: set[TopicPartition] = set()
        self._pending_requests: PriorityQueue[TransactionManager.TxnRequestHandler] = PriorityQueue(
            lambda o: o.priority().value)
        self._pending_txn_offset_commits: dict[TopicPartition, CommittedOffset] = {}
        # Partitions with a batch that expired after it was sent, so that the broker may or may not have it.
        # These partitions get no further sequence numbers until a later batch resolves this. The value is the
        # sequence number after the expired batch, which identifies the next batch.
        self._partitions_with_unresolved_sequences: dict[TopicPartition, int] = {}
        # Partitions with an error that requires an epoch bump. At the bump their batches in flight get new
        # sequence numbers.
        self._partitions_to_rewrite_sequences: set[TopicPartition] = set()
        self._txn_partition_map = TxnPartitionMap(log_context)
        # The last operation of the application, until the application has seen its result. After a timeout
        # the application can repeat the call, which then waits for the same result.
        self._pending_transition: TransactionManager.PendingStateTransition | None = None

    def set_poison_state_on_invalid_transition(self, should_poison_state: bool) -> None:
        """Set whether an illegal transition on the calling thread is fatal.

        :origin: clients.producer.internals.TransactionManager#setPoisonStateOnInvalidTransition(boolean)
        """
        self._should_poison_state_on_invalid_transition.value = should_poison_state

    def initialize_transactions(self) -> TransactionalRequestResult:
        """Request a producer id. Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#initializeTransactions()
        """
        with self._lock:
            return self.initialize_transactions_producer_id_and_epoch(ProducerIdAndEpoch.NONE)

    def initialize_transactions_producer_id_and_epoch(
            self, producer_id_and_epoch: ProducerIdAndEpoch) -> TransactionalRequestResult:
        """Request a producer id, or, unless NONE is given, another epoch of the given one.

        Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#initializeTransactions(ProducerIdAndEpoch)
        """
        with self._lock:
            self._maybe_fail_with_error()

            is_epoch_bump = producer_id_and_epoch is not ProducerIdAndEpoch.NONE

            def send_init_producer_id() -> TransactionalRequestResult:
                # If this call bumps the epoch, the end of a transaction has changed the state already.
                if not is_epoch_bump:
                    self._transition_to(TransactionManager.State.INITIALIZING)
                    self._log.info("Invoking InitProducerId for the first time in order to acquire a "
                                   "producer ID")
                else:
                    self._log.info("Invoking InitProducerId with current producer ID and epoch %s in order "
                                   "to bump the epoch", producer_id_and_epoch)
                request_data = InitProducerIdRequestData(
                    transactional_id=self._transactional_id,
                    transaction_timeout_ms=self._transaction_timeout_ms,
                    producer_id=producer_id_and_epoch.producer_id,
                    producer_epoch=producer_id_and_epoch.epoch)
                handler = TransactionManager.InitProducerIdHandler(
                    self, InitProducerIdRequest.Builder(request_data), is_epoch_bump)
                self._enqueue_request(handler)
                return handler.result

            return self._handle_cached_transaction_request_result(
                send_init_producer_id, TransactionManager.State.INITIALIZING, "initTransactions")

    def begin_transaction(self) -> None:
        """Begin a transaction. Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#beginTransaction()
        """
        with self._lock:
            self._ensure_transactional()
            self._throw_if_pending_state("beginTransaction")
            self._maybe_fail_with_error()
            self._transition_to(TransactionManager.State.IN_TRANSACTION)

    def begin_commit(self) -> TransactionalRequestResult:
        """Begin to commit the transaction. Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#beginCommit()
        """
        with self._lock:
            def commit() -> TransactionalRequestResult:
                self._maybe_fail_with_error()
                self._transition_to(TransactionManager.State.COMMITTING_TRANSACTION)
                return self._begin_completing_transaction(TransactionResult.COMMIT)

            return self._handle_cached_transaction_request_result(
                commit, TransactionManager.State.COMMITTING_TRANSACTION, "commitTransaction")

    def begin_abort(self) -> TransactionalRequestResult:
        """Begin to abort the transaction.

        Raises KafkaException after a fatal error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#beginAbort()
        """
        with self._lock:
            def abort() -> TransactionalRequestResult:
                if self._current_state is not TransactionManager.State.ABORTABLE_ERROR:
                    self._maybe_fail_with_error()
                self._transition_to(TransactionManager.State.ABORTING_TRANSACTION)

                # An aborted transaction needs no further partitions.
                self._new_partitions_in_transaction.clear()
                return self._begin_completing_transaction(TransactionResult.ABORT)

            return self._handle_cached_transaction_request_result(
                abort, TransactionManager.State.ABORTING_TRANSACTION, "abortTransaction")

    def _begin_completing_transaction(self,
                                      transaction_result: TransactionResult) -> TransactionalRequestResult:
        """Queue the end of the transaction and, if needed, an epoch bump after it.

        :origin: clients.producer.internals.TransactionManager#beginCompletingTransaction(TransactionResult)
        """
        if self._new_partitions_in_transaction:
            self._enqueue_request(self._add_partitions_to_transaction_handler())

        # After INVALID_PRODUCER_ID_MAPPING the coordinator accepts no EndTxn. After any other error it needs
        # EndTxn first, because a new epoch alone would fence this producer.
        if not isinstance(self._last_error, InvalidPidMappingException):
            builder = EndTxnRequest.Builder(EndTxnRequestData(
                transactional_id=self._id(),
                producer_id=self._producer_id_and_epoch.producer_id,
                producer_epoch=self._producer_id_and_epoch.epoch,
                committed=transaction_result.id()))

            handler = TransactionManager.EndTxnHandler(self, builder)
            self._enqueue_request(handler)
            if not self._epoch_bump_required:
                return handler.result

        return self.initialize_transactions_producer_id_and_epoch(self._producer_id_and_epoch)

    def send_offsets_to_transaction(self, offsets: Mapping[TopicPartition, OffsetAndMetadata],
                                    group_metadata: ConsumerGroupMetadata) -> TransactionalRequestResult:
        """Commit the offsets of a group with the transaction.

        Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, ConsumerGroupMetadata)
        """  # noqa: E501
        with self._lock:
            self._ensure_transactional()
            self._throw_if_pending_state("sendOffsetsToTransaction")
            self._maybe_fail_with_error()

            if self._current_state is not TransactionManager.State.IN_TRANSACTION:
                raise IllegalStateException("Cannot send offsets if a transaction is not in progress "
                                            f"(currentState= {self._current_state})")

            self._log.debug("Begin adding offsets %s for consumer group %s to transaction", offsets,
                            group_metadata)
            builder = AddOffsetsToTxnRequest.Builder(AddOffsetsToTxnRequestData(
                transactional_id=self._id(),
                producer_id=self._producer_id_and_epoch.producer_id,
                producer_epoch=self._producer_id_and_epoch.epoch,
                group_id=group_metadata.group_id()))
            handler = TransactionManager.AddOffsetsToTxnHandler(self, builder, offsets, group_metadata)

            self._enqueue_request(handler)
            return handler.result

    def maybe_add_partition(self, topic_partition: TopicPartition) -> None:
        """Add a partition to the transaction locally, before a record is sent to it.

        Raises KafkaException after an error, and IllegalStateException.

        :origin: clients.producer.internals.TransactionManager#maybeAddPartition(TopicPartition)
        """
        with self._lock:
            self._maybe_fail_with_error()
            self._throw_if_pending_state("send")

            if self.is_transactional():
                if not self.has_producer_id():
                    raise IllegalStateException(f"Cannot add partition {topic_partition} to transaction "
                                                "before completing a call to initTransactions")
                elif self._current_state is not TransactionManager.State.IN_TRANSACTION:
                    raise IllegalStateException(f"Cannot add partition {topic_partition} to transaction "
                                                f"while in state  {self._current_state}")
                elif (self.is_partition_added(topic_partition)
                        or self.is_partition_pending_add(topic_partition)):
                    return
                else:
                    self._log.debug("Begin adding new partition %s to transaction", topic_partition)
                    self._txn_partition_map.get_or_create(topic_partition)
                    self._new_partitions_in_transaction[topic_partition] = None

    def last_error(self) -> Exception | None:
        """Return the error of an error state, or None.

        :origin: clients.producer.internals.TransactionManager#lastError()
        """
        return self._last_error

    def is_send_to_partition_allowed(self, tp: TopicPartition) -> bool:
        """Return whether batches may be sent to a partition.

        :origin: clients.producer.internals.TransactionManager#isSendToPartitionAllowed(TopicPartition)
        """
        with self._lock:
            if self.has_fatal_error():
                return False
            return not self.is_transactional() or tp in self._partitions_in_transaction

    def transactional_id(self) -> str | None:
        """Return the transactional id, or None.

        :origin: clients.producer.internals.TransactionManager#transactionalId()
        """
        return self._transactional_id

    def has_producer_id(self) -> bool:
        """Return whether there is a producer id.

        :origin: clients.producer.internals.TransactionManager#hasProducerId()
        """
        return self._producer_id_and_epoch.is_valid()

    def is_transactional(self) -> bool:
        """Return whether there is a transactional id.

        :origin: clients.producer.internals.TransactionManager#isTransactional()
        """
        return self._transactional_id is not None

    def has_partitions_to_add(self) -> bool:
        """Return whether partitions are about to be added to the transaction.

        :origin: clients.producer.internals.TransactionManager#hasPartitionsToAdd()
        """
        with self._lock:
            return bool(self._new_partitions_in_transaction or self._pending_partitions_in_transaction)

    def is_completing(self) -> bool:
        """Return whether the transaction is being committed or aborted.

        :origin: clients.producer.internals.TransactionManager#isCompleting()
        """
        with self._lock:
            return self._current_state in (TransactionManager.State.COMMITTING_TRANSACTION,
                                           TransactionManager.State.ABORTING_TRANSACTION)

    def has_error(self) -> bool:
        """Return whether the state is an error state.

        :origin: clients.producer.internals.TransactionManager#hasError()
        """
        with self._lock:
            return self._current_state in (TransactionManager.State.ABORTABLE_ERROR,
                                           TransactionManager.State.FATAL_ERROR)

    def is_aborting(self) -> bool:
        """Return whether the transaction is being aborted.

        :origin: clients.producer.internals.TransactionManager#isAborting()
        """
        with self._lock:
            return self._current_state is TransactionManager.State.ABORTING_TRANSACTION

    def transition_to_abortable_error(self, exception: Exception) -> None:
        """Fail the transaction, unless it is being aborted already.

        :origin: clients.producer.internals.TransactionManager#transitionToAbortableError(RuntimeException)
        """
        with self._lock:
            if self._current_state is TransactionManager.State.ABORTING_TRANSACTION:
                self._log.debug("Skipping transition to abortable error state since the transaction is "
                                "already being aborted. Underlying exception: ", exc=exception)
                return

            self._log.info("Transiting to abortable error state due to %s", throwable_text(exception))
            self._transition_to_error(TransactionManager.State.ABORTABLE_ERROR, exception)

    def transition_to_fatal_error(self, exception: Exception) -> None:
        """Fail this producer's transactions permanently.

        :origin: clients.producer.internals.TransactionManager#transitionToFatalError(RuntimeException)
        """
        with self._lock:
            self._log.info("Transiting to fatal error state due to %s", throwable_text(exception))
            self._transition_to_error(TransactionManager.State.FATAL_ERROR, exception)

            if self._pending_transition is not None:
                self._pending_transition.result.fail(exception)

    def is_partition_added(self, partition: TopicPartition) -> bool:
        """Return whether the coordinator has added a partition to the transaction.

        :origin: clients.producer.internals.TransactionManager#isPartitionAdded(TopicPartition)
        """
        with self._lock:
            return partition in self._partitions_in_transaction

    def is_partition_pending_add(self, partition: TopicPartition) -> bool:
        """Return whether a partition is about to be added to the transaction.

        :origin: clients.producer.internals.TransactionManager#isPartitionPendingAdd(TopicPartition)
        """
        with self._lock:
            return (partition in self._new_partitions_in_transaction
                    or partition in self._pending_partitions_in_transaction)

    def producer_id_and_epoch(self) -> ProducerIdAndEpoch:
        """Return the producer id and epoch; an invalid one if there is none.

        :origin: clients.producer.internals.TransactionManager#producerIdAndEpoch()
        """
        return self._producer_id_and_epoch

    def maybe_update_producer_id_and_epoch(self, topic_partition: TopicPartition) -> None:
        """Give a partition the current producer id and epoch, unless batches with older ones are in flight.

        :origin: clients.producer.internals.TransactionManager#maybeUpdateProducerIdAndEpoch(TopicPartition)
        """
        with self._lock:
            if self.has_fatal_error():
                self._log.debug("Ignoring producer ID and epoch update request since the producer is in "
                                "fatal error state")
                return

            if (self.has_stale_producer_id_and_epoch(topic_partition)
                    and not self.has_inflight_batches(topic_partition)):
                # All batches of the older epoch are complete, so the next batch starts from 0.
                self._txn_partition_map.start_sequences_at_beginning(
                    topic_partition, self._producer_id_and_epoch)
                self._log.debug("ProducerId of partition %s set to %s with epoch %s. Reinitialize sequence "
                                "at beginning.", topic_partition, self._producer_id_and_epoch.producer_id,
                                self._producer_id_and_epoch.epoch)

    def _set_producer_id_and_epoch(self, producer_id_and_epoch: ProducerIdAndEpoch) -> None:
        """Set both the id and the epoch.

        :origin: clients.producer.internals.TransactionManager#setProducerIdAndEpoch(ProducerIdAndEpoch)
        """
        self._log.info("ProducerId set to %s with epoch %s", producer_id_and_epoch.producer_id,
                       producer_id_and_epoch.epoch)
        self._producer_id_and_epoch = producer_id_and_epoch

    def _reset_idempotent_producer_id(self) -> None:
        """Drop the producer id, whose epochs are used up; a new one is requested later.

        Raises IllegalStateException if the producer is transactional.

        :origin: clients.producer.internals.TransactionManager#resetIdempotentProducerId()
        """
        if self.is_transactional():
            raise IllegalStateException("Cannot reset producer state for a transactional producer. You must "
                                        "either abort the ongoing transaction or reinitialize the "
                                        "transactional producer instead")
        self._log.debug("Resetting idempotent producer ID. ID and epoch before reset are %s",
                        self._producer_id_and_epoch)
        self._set_producer_id_and_epoch(ProducerIdAndEpoch.NONE)
        self._transition_to(TransactionManager.State.UNINITIALIZED)

    def _reset_sequence_for_partition(self, topic_partition: TopicPartition) -> None:
        """Remove a partition's sequence numbers.

        :origin: clients.producer.internals.TransactionManager#resetSequenceForPartition(TopicPartition)
        """
        self._txn_partition_map.remove(topic_partition)
        self._partitions_with_unresolved_sequences.pop(topic_partition, None)

    def _reset_sequence_numbers(self) -> None:
        """Remove all sequence numbers.

        :origin: clients.producer.internals.TransactionManager#resetSequenceNumbers()
        """
        self._txn_partition_map.reset()
        self._partitions_with_unresolved_sequences.clear()

    def request_epoch_bump_for_partition(self, tp: TopicPartition) -> None:
        """Request an epoch bump, at which a partition's batches in flight get new sequence numbers.

        :origin: clients.producer.internals.TransactionManager#requestEpochBumpForPartition(TopicPartition)
        """
        with self._lock:
            self._epoch_bump_required = True
            self._partitions_to_rewrite_sequences.add(tp)

    def _bump_idempotent_producer_epoch(self) -> None:
        """Increment the epoch, or drop the producer id if there is no next epoch.

        :origin: clients.producer.internals.TransactionManager#bumpIdempotentProducerEpoch()
        """
        if self._producer_id_and_epoch.epoch == _SHORT_MAX_VALUE:
            self._reset_idempotent_producer_id()
        else:
            self._set_producer_id_and_epoch(ProducerIdAndEpoch(
                self._producer_id_and_epoch.producer_id, self._producer_id_and_epoch.epoch + 1))
            self._log.debug("Incremented producer epoch, current producer ID and epoch are now %s",
                            self._producer_id_and_epoch)

        # Only the partitions that requested the bump renumber their batches in flight.
        for topic_partition in self._partitions_to_rewrite_sequences:
            self._txn_partition_map.start_sequences_at_beginning(topic_partition, self._producer_id_and_epoch)
            self._partitions_with_unresolved_sequences.pop(topic_partition, None)
        self._partitions_to_rewrite_sequences.clear()

        self._epoch_bump_required = False

    def bump_idempotent_epoch_and_reset_id_if_needed(self) -> None:
        """Bump the epoch if that was requested, and request a producer id if there is none.

        Does nothing for a transactional producer.

        :origin: clients.producer.internals.TransactionManager#bumpIdempotentEpochAndResetIdIfNeeded()
        """
        with self._lock:
            if not self.is_transactional():
                if self._epoch_bump_required:
                    self._bump_idempotent_producer_epoch()
                if (self._current_state is not TransactionManager.State.INITIALIZING
                        and not self.has_producer_id()):
                    self._transition_to(TransactionManager.State.INITIALIZING)
                    request_data = InitProducerIdRequestData(
                        transactional_id=None, transaction_timeout_ms=_INT_MAX_VALUE)
                    handler = TransactionManager.InitProducerIdHandler(
                        self, InitProducerIdRequest.Builder(request_data), False)
                    self._enqueue_request(handler)

    def sequence_number(self, topic_partition: TopicPartition) -> int:
        """Return the base sequence of a partition's next batch.

        :origin: clients.producer.internals.TransactionManager#sequenceNumber(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.get_or_create(topic_partition).next_sequence()

    def producer_id_and_epoch_topic_partition(self, topic_partition: TopicPartition) -> ProducerIdAndEpoch:
        """Return a partition's producer id and epoch.

        :origin: clients.producer.internals.TransactionManager#producerIdAndEpoch(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.get_or_create(topic_partition).producer_id_and_epoch()

    def increment_sequence_number(self, topic_partition: TopicPartition, increment: int) -> None:
        """Increment a partition's sequence number. Raises IllegalStateException for an unknown partition.

        :origin: clients.producer.internals.TransactionManager#incrementSequenceNumber(TopicPartition, int)
        """
        with self._lock:
            self._txn_partition_map.get(topic_partition).increment_sequence(increment)

    def add_in_flight_batch(self, batch: ProducerBatch) -> None:
        """Add a batch that is about to be sent. Raises IllegalStateException if it has no sequence.

        :origin: clients.producer.internals.TransactionManager#addInFlightBatch(ProducerBatch)
        """
        with self._lock:
            if not batch.has_sequence():
                raise IllegalStateException(f"Can't track batch for partition {batch.topic_partition} when "
                                            "sequence is not set.")
            self._txn_partition_map.get(batch.topic_partition).add_inflight_batch(batch)

    def first_in_flight_sequence(self, topic_partition: TopicPartition) -> int:
        """Return the lowest base sequence in flight, or NO_SEQUENCE if no batch is in flight.

        :origin: clients.producer.internals.TransactionManager#firstInFlightSequence(TopicPartition)
        """
        with self._lock:
            if not self.has_inflight_batches(topic_partition):
                return RecordBatch.NO_SEQUENCE
            batch = self.next_batch_by_sequence(topic_partition)
            return RecordBatch.NO_SEQUENCE if batch is None else batch.base_sequence()

    def next_batch_by_sequence(self, topic_partition: TopicPartition) -> ProducerBatch | None:
        """Return the batch in flight with the lowest sequence, or None.

        Raises IllegalStateException for an unknown partition.

        :origin: clients.producer.internals.TransactionManager#nextBatchBySequence(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.next_batch_by_sequence(topic_partition)

    def remove_in_flight_batch(self, batch: ProducerBatch) -> None:
        """Remove a completed batch.

        :origin: clients.producer.internals.TransactionManager#removeInFlightBatch(ProducerBatch)
        """
        with self._lock:
            if self.has_inflight_batches(batch.topic_partition):
                self._txn_partition_map.remove_in_flight_batch(batch)

    def _maybe_update_last_acked_sequence(self, topic_partition: TopicPartition, sequence: int) -> int:
        """Set the last acknowledged sequence, if it is higher; return the current value.

        :origin: clients.producer.internals.TransactionManager#maybeUpdateLastAckedSequence(TopicPartition, int)
        """  # noqa: E501
        return self._txn_partition_map.maybe_update_last_acked_sequence(topic_partition, sequence)

    def last_acked_sequence(self, topic_partition: TopicPartition) -> int | None:
        """Return the sequence of the last acknowledged record, or None.

        :origin: clients.producer.internals.TransactionManager#lastAckedSequence(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.last_acked_sequence(topic_partition)

    def last_acked_offset(self, topic_partition: TopicPartition) -> int | None:
        """Return the offset of the last acknowledged record, or None.

        :origin: clients.producer.internals.TransactionManager#lastAckedOffset(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.last_acked_offset(topic_partition)

    def _update_last_acked_offset(self, response: ProduceResponse.PartitionResponse,
                                  batch: ProducerBatch) -> None:
        """Set the offset of the last acknowledged record, if the response has one.

        :origin: clients.producer.internals.TransactionManager#updateLastAckedOffset(ProduceResponse.PartitionResponse, ProducerBatch)
        """  # noqa: E501
        if response.base_offset == ProduceResponse.INVALID_OFFSET:
            return
        last_offset = response.base_offset + batch.record_count - 1
        self._txn_partition_map.update_last_acked_offset(
            batch.topic_partition, self.is_transactional(), last_offset)

    def handle_completed_batch(self, batch: ProducerBatch,
                               response: ProduceResponse.PartitionResponse) -> None:
        """Handle a batch that the broker has written.

        :origin: clients.producer.internals.TransactionManager#handleCompletedBatch(ProducerBatch, ProduceResponse.PartitionResponse)
        """  # noqa: E501
        with self._lock:
            last_acked_sequence = self._maybe_update_last_acked_sequence(
                batch.topic_partition, batch.last_sequence())
            self._log.debug("ProducerId: %s; Set last ack'd sequence number for topic-partition %s to %s",
                            batch.producer_id(), batch.topic_partition, last_acked_sequence)

            self._update_last_acked_offset(response, batch)
            self.remove_in_flight_batch(batch)

    def transition_to_uninitialized(self, exception: Exception) -> None:
        """Allow ``initialize_transactions`` to be called again, after an error that may not recur.

        :origin: clients.producer.internals.TransactionManager#transitionToUninitialized(RuntimeException)
        """
        with self._lock:
            self._transition_to(TransactionManager.State.UNINITIALIZED)
            if self._pending_transition is not None:
                self._pending_transition.result.fail(exception)
            self._last_error = None

    def maybe_transition_to_error_state(self, exception: Exception) -> None:
        """Handle an error: it is fatal, or it fails the transaction if there is one, or it is ignored.

        :origin: clients.producer.internals.TransactionManager#maybeTransitionToErrorState(RuntimeException)
        """
        with self._lock:
            if isinstance(exception, (ClusterAuthorizationException, TransactionalIdAuthorizationException,
                                      ProducerFencedException, UnsupportedVersionException)):
                self.transition_to_fatal_error(exception)
            elif self.is_transactional():
                # DEVIATION D332: the abort that follows a commit can bump the epoch, too. A batch that fails
                # while the abort waits for its response causes no bump, as in the origin: the request that
                # would bump the epoch precedes EndTxn. If the broker has such a batch, because an earlier
                # attempt was written and its response was lost, it treats the next batch as a duplicate.
                if self.can_bump_epoch() and not self.is_aborting():
                    self._epoch_bump_required = True
                self.transition_to_abortable_error(exception)

    def handle_failed_batch(self, batch: ProducerBatch, exception: Exception,
                            adjust_sequence_numbers: bool) -> None:
        """Handle a failed batch.

        ``adjust_sequence_numbers`` is True if the broker has certainly not written it.

        :origin: clients.producer.internals.TransactionManager#handleFailedBatch(ProducerBatch, RuntimeException, boolean)
        """  # noqa: E501
        with self._lock:
            self.maybe_transition_to_error_state(exception)
            self.remove_in_flight_batch(batch)

            if self.has_fatal_error():
                self._log.debug("Ignoring batch %s with producer id %s, epoch %s, and sequence number %s "
                                "since the producer is already in fatal error state", batch,
                                batch.producer_id(), batch.producer_epoch(), batch.base_sequence(),
                                exc=exception)
                return

            if isinstance(exception, OutOfOrderSequenceException) and not self.is_transactional():
                self._log.error("The broker returned %s for topic-partition %s with producerId %s, epoch %s, "
                                "and sequence number %s", throwable_text(exception), batch.topic_partition,
                                batch.producer_id(), batch.producer_epoch(), batch.base_sequence())

                # The log has a gap. Under the next epoch the partition starts from 0.
                self.request_epoch_bump_for_partition(batch.topic_partition)
            elif isinstance(exception, UnknownProducerIdException):
                # The broker does not know the producer, and accepts a batch with sequence 0. All batches in
                # flight to the partition fail in the same way, so the sequence stays 0 until the transaction
                # is aborted. If the epoch is then bumped, all sequences start again anyway.
                self._reset_sequence_for_partition(batch.topic_partition)
            else:
                if adjust_sequence_numbers:
                    if not self.is_transactional():
                        self.request_epoch_bump_for_partition(batch.topic_partition)
                    else:
                        self._txn_partition_map.adjust_sequences_due_to_failed_batch(batch)

    def has_inflight_batches(self, topic_partition: TopicPartition) -> bool:
        """Return whether batches to a partition are in flight.

        :origin: clients.producer.internals.TransactionManager#hasInflightBatches(TopicPartition)
        """
        with self._lock:
            return self._txn_partition_map.get_or_create(topic_partition).has_inflight_batches()

    def has_stale_producer_id_and_epoch(self, topic_partition: TopicPartition) -> bool:
        """Return whether a partition has another producer id or epoch than the current one.

        :origin: clients.producer.internals.TransactionManager#hasStaleProducerIdAndEpoch(TopicPartition)
        """
        with self._lock:
            return (self._producer_id_and_epoch
                    != self._txn_partition_map.get_or_create(topic_partition).producer_id_and_epoch())

    def has_unresolved_sequences(self) -> bool:
        """Return whether a partition is unresolved.

        :origin: clients.producer.internals.TransactionManager#hasUnresolvedSequences()
        """
        with self._lock:
            return bool(self._partitions_with_unresolved_sequences)

    def has_unresolved_sequence(self, topic_partition: TopicPartition) -> bool:
        """Return whether this partition is unresolved.

        :origin: clients.producer.internals.TransactionManager#hasUnresolvedSequence(TopicPartition)
        """
        with self._lock:
            return topic_partition in self._partitions_with_unresolved_sequences

    def mark_sequence_unresolved(self, batch: ProducerBatch) -> None:
        """Mark a partition as unresolved: a batch was sent, and its result stays unknown.

        :origin: clients.producer.internals.TransactionManager#markSequenceUnresolved(ProducerBatch)
        """
        with self._lock:
            # DEVIATION D331: 0 comes after 2^31 - 1.
            next_sequence = DefaultRecordBatch.increment_sequence(batch.last_sequence(), 1)
            v = self._partitions_with_unresolved_sequences.get(batch.topic_partition)
            self._partitions_with_unresolved_sequences[batch.topic_partition] = (
                next_sequence if v is None or precedes(v, next_sequence) else v)
            self._log.debug("Marking partition %s unresolved with next sequence number %s",
                            batch.topic_partition,
                            self._partitions_with_unresolved_sequences[batch.topic_partition])

    def maybe_resolve_sequences(self) -> None:
        """Resolve the unresolved partitions without batches in flight.

        A partition whose last record was acknowledged is resolved. For any other partition the epoch is
        bumped; if the coordinator is too old for that, the producer fails.

        :origin: clients.producer.internals.TransactionManager#maybeResolveSequences()
        """
        with self._lock:
            for topic_partition in list(self._partitions_with_unresolved_sequences):
                if self.has_inflight_batches(topic_partition):
                    continue
                if self._is_next_sequence(topic_partition, self.sequence_number(topic_partition)):
                    # A later batch has succeeded, so the broker has the expired batch.
                    del self._partitions_with_unresolved_sequences[topic_partition]
                    continue
                # All batches in flight have expired.
                if self.is_transactional():
                    unacked_messages_err = ("The client hasn't received acknowledgment for some previously "
                                            "sent messages and can no longer retry them. ")
                    if self.can_bump_epoch():
                        self._epoch_bump_required = True
                        exception = KafkaException(
                            f"{unacked_messages_err}It is safe to abort the transaction and continue.")
                        self.transition_to_abortable_error(exception)
                    else:
                        exception = KafkaException(f"{unacked_messages_err}It isn't safe to continue.")
                        self.transition_to_fatal_error(exception)
                else:
                    last_acked_sequence = self.last_acked_sequence(topic_partition)
                    self._log.info("No inflight batches remaining for %s, last ack'd sequence for partition "
                                   "is %s, next sequence is %s. Going to bump epoch and reset sequence "
                                   "numbers.", topic_partition,
                                   TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER
                                   if last_acked_sequence is None else last_acked_sequence,
                                   self.sequence_number(topic_partition))
                    self.request_epoch_bump_for_partition(topic_partition)

                del self._partitions_with_unresolved_sequences[topic_partition]

    def _is_next_sequence(self, topic_partition: TopicPartition, sequence: int) -> bool:
        """Return whether ``sequence`` follows the last acknowledged sequence.

        :origin: clients.producer.internals.TransactionManager#isNextSequence(TopicPartition, int)
        """
        last_acked_sequence = self.last_acked_sequence(topic_partition)
        if last_acked_sequence is None:
            last_acked_sequence = TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER
        # DEVIATION D331: 0 comes after 2^31 - 1.
        return sequence == DefaultRecordBatch.increment_sequence(last_acked_sequence, 1)

    def _is_next_sequence_for_unresolved_partition(self, topic_partition: TopicPartition,
                                                   sequence: int) -> bool:
        """Return whether ``sequence`` follows an expired batch.

        :origin: clients.producer.internals.TransactionManager#isNextSequenceForUnresolvedPartition(TopicPartition, int)
        """  # noqa: E501
        return (self.has_unresolved_sequence(topic_partition)
                and sequence == self._partitions_with_unresolved_sequences[topic_partition])

    def next_request(self, has_incomplete_batches: bool) -> TransactionManager.TxnRequestHandler | None:
        """Remove and return the handler of the next request to send, or None.

        ``has_incomplete_batches`` defers the end of the transaction.

        :origin: clients.producer.internals.TransactionManager#nextRequest(boolean)
        """
        with self._lock:
            if self._new_partitions_in_transaction:
                self._enqueue_request(self._add_partitions_to_transaction_handler())

            next_request_handler = self._pending_requests.peek()
            if next_request_handler is None:
                return None

            if next_request_handler.is_end_txn() and has_incomplete_batches:
                return None

            self._pending_requests.poll()
            if self._maybe_terminate_request_with_error(next_request_handler):
                self._log.trace("Not sending transactional request %s because we are in an error state",
                                next_request_handler.request_builder())
                return None

            if next_request_handler.is_end_txn() and not self._transaction_started:
                next_request_handler.result.done()
                if self._current_state is not TransactionManager.State.FATAL_ERROR:
                    self._log.debug("Not sending EndTxn for completed transaction since no partitions or "
                                    "offsets were successfully added")
                    self._complete_transaction()
                next_request_handler = self._pending_requests.poll()

            if next_request_handler is not None:
                self._log.trace("Request %s dequeued for sending", next_request_handler.request_builder())

            return next_request_handler

    def retry(self, request: TransactionManager.TxnRequestHandler) -> None:
        """Put a request back.

        :origin: clients.producer.internals.TransactionManager#retry(TxnRequestHandler)
        """
        with self._lock:
            request.set_retry()
            self._enqueue_request(request)

    def authentication_failed(self, e: AuthenticationException) -> None:
        """Fail all requests, because the coordinator refused the authentication.

        :origin: clients.producer.internals.TransactionManager#authenticationFailed(AuthenticationException)
        """
        with self._lock:
            for request in self._pending_requests:
                request.fatal_error(e)

    def fail_pending_requests(self, exception: Exception) -> None:
        """Fail the waiting requests, and the transaction.

        :origin: clients.producer.internals.TransactionManager#failPendingRequests(RuntimeException)
        """
        with self._lock:
            for handler in self._pending_requests:
                handler.abortable_error(exception)

    def close(self) -> None:
        """Fail the pending requests after a forced close of the producer.

        :origin: clients.producer.internals.TransactionManager#close()
        """
        with self._lock:
            shutdown_exception = KafkaException("The producer closed forcefully")
            for handler in self._pending_requests:
                handler.fatal_error(shutdown_exception)
            if self._pending_transition is not None:
                self._pending_transition.result.fail(shutdown_exception)

    def coordinator(self, type_: CoordinatorType) -> Node | None:
        """Return a coordinator, or None if it is not known.

        :origin: clients.producer.internals.TransactionManager#coordinator(FindCoordinatorRequest.CoordinatorType)
        """  # noqa: E501
        match type_:
            case CoordinatorType.GROUP:
                return self._consumer_group_coordinator
            case CoordinatorType.TRANSACTION:
                return self._transaction_coordinator
            case _:
                raise IllegalStateException(f"Received an invalid coordinator type: {type_}")

    def lookup_coordinator(self, request: TransactionManager.TxnRequestHandler) -> None:
        """Look up the coordinator of a request.

        :origin: clients.producer.internals.TransactionManager#lookupCoordinator(TxnRequestHandler)
        """
        self._lookup_coordinator_type(request.coordinator_type(), request.coordinator_key())

    def set_in_flight_correlation_id(self, correlation_id: int) -> None:
        """Set the correlation id of the request in flight.

        :origin: clients.producer.internals.TransactionManager#setInFlightCorrelationId(int)
        """
        self._in_flight_request_correlation_id = correlation_id

    def _clear_in_flight_correlation_id(self) -> None:
        """Record that no request is in flight.

        :origin: clients.producer.internals.TransactionManager#clearInFlightCorrelationId()
        """
        self._in_flight_request_correlation_id = TransactionManager._NO_INFLIGHT_REQUEST_CORRELATION_ID

    def has_in_flight_request(self) -> bool:
        """Return whether a transactional request is in flight.

        :origin: clients.producer.internals.TransactionManager#hasInFlightRequest()
        """
        return (self._in_flight_request_correlation_id
                != TransactionManager._NO_INFLIGHT_REQUEST_CORRELATION_ID)

    def has_fatal_error(self) -> bool:
        """Return whether the producer has failed.

        :origin: clients.producer.internals.TransactionManager#hasFatalError()
        """
        return self._current_state is TransactionManager.State.FATAL_ERROR

    def has_abortable_error(self) -> bool:
        """Return whether the transaction has failed.

        :origin: clients.producer.internals.TransactionManager#hasAbortableError()
        """
        return self._current_state is TransactionManager.State.ABORTABLE_ERROR

    def transaction_contains_partition(self, topic_partition: TopicPartition) -> bool:
        """Return whether the coordinator has added a partition to the transaction.

        :origin: clients.producer.internals.TransactionManager#transactionContainsPartition(TopicPartition)
        """
        with self._lock:
            return topic_partition in self._partitions_in_transaction

    def has_pending_offset_commits(self) -> bool:
        """Return whether offsets are not committed yet.

        :origin: clients.producer.internals.TransactionManager#hasPendingOffsetCommits()
        """
        with self._lock:
            return bool(self._pending_txn_offset_commits)

    def has_pending_requests(self) -> bool:
        """Return whether requests are queued.

        :origin: clients.producer.internals.TransactionManager#hasPendingRequests()
        """
        with self._lock:
            return not self._pending_requests.is_empty()

    def has_ongoing_transaction(self) -> bool:
        """Return whether a transaction has begun, and has neither ended nor failed permanently.

        :origin: clients.producer.internals.TransactionManager#hasOngoingTransaction()
        """
        with self._lock:
            return (self._current_state is TransactionManager.State.IN_TRANSACTION or self.is_completing()
                    or self.has_abortable_error())

    def can_retry(self, response: ProduceResponse.PartitionResponse, batch: ProducerBatch) -> bool:
        """Return whether a refused batch may be retried, and prepare its partition for the retry.

        :origin: clients.producer.internals.TransactionManager#canRetry(ProduceResponse.PartitionResponse, ProducerBatch)
        """  # noqa: E501
        with self._lock:
            error = response.error

            # The broker has lost its state of the producer. An idempotent producer bumps its epoch and
            # continues. A transactional producer fails the batch, unless one of the following cases applies.
            if error is Errors.UNKNOWN_PRODUCER_ID:
                if response.log_start_offset == -1:
                    # The broker did not know the log start offset, because the partition may have moved
                    # meanwhile. A later response has it.
                    return True

                last_acked_offset = self.last_acked_offset(batch.topic_partition)
                if batch.sequence_has_been_reset():
                    # An earlier batch had the same error, and all batches were renumbered. This response
                    # belongs to the former number.
                    return True
                elif (TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER if last_acked_offset is None
                      else last_acked_offset) < response.log_start_offset:
                    # The log's head was removed, likely by retention, and the producer's state with it. A
                    # transactional producer starts again at 0 under the same epoch, so the transaction can
                    # continue. An idempotent producer must not use a sequence twice in an epoch.
                    if self.is_transactional():
                        self._txn_partition_map.start_sequences_at_beginning(
                            batch.topic_partition, self._producer_id_and_epoch)
                    else:
                        self.request_epoch_bump_for_partition(batch.topic_partition)
                    return True

                if not self.is_transactional():
                    self.request_epoch_bump_for_partition(batch.topic_partition)
                    return True
            elif error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER:
                if (not self.has_unresolved_sequence(batch.topic_partition)
                        and (batch.sequence_has_been_reset()
                             or not self._is_next_sequence(batch.topic_partition, batch.base_sequence()))):
                    # An earlier batch has not arrived yet; after it this batch will be in order.
                    return True
                elif not self.is_transactional():
                    # There is a gap if the partition is resolved, or if this batch follows the expired one.
                    # Otherwise the batches before this one will resolve it.
                    if (not self.has_unresolved_sequence(batch.topic_partition)
                            or self._is_next_sequence_for_unresolved_partition(
                                batch.topic_partition, batch.base_sequence())):
                        self.request_epoch_bump_for_partition(batch.topic_partition)
                    return True

            return isinstance(error.exception(), RetriableException)

    def is_ready(self) -> bool:
        """Return whether a transaction can begin.

        :origin: clients.producer.internals.TransactionManager#isReady()
        """
        with self._lock:
            return self.is_transactional() and self._current_state is TransactionManager.State.READY

    def is_initializing(self) -> bool:
        """Return whether the producer id is being requested.

        :origin: clients.producer.internals.TransactionManager#isInitializing()
        """
        with self._lock:
            return self.is_transactional() and self._current_state is TransactionManager.State.INITIALIZING

    def handle_coordinator_ready(self) -> None:
        """Store the capabilities of the transaction coordinator, once it is connected.

        :origin: clients.producer.internals.TransactionManager#handleCoordinatorReady()
        """
        node_api_versions = (self._api_versions.get(self._transaction_coordinator.id_string())
                             if self._transaction_coordinator is not None else None)
        init_producer_id_version = (node_api_versions.api_version(ApiKeys.INIT_PRODUCER_ID)
                                    if node_api_versions is not None else None)
        self._coordinator_supports_bumping_epoch = (init_producer_id_version is not None
                                                    and init_producer_id_version.max_version >= 3)

    def _transition_to(self, target: State) -> None:
        """Change the state to one that is not an error state.

        :origin: clients.producer.internals.TransactionManager#transitionTo(State)
        """
        self._transition_to_error(target, None)

    def _transition_to_error(self, target: State, error: Exception | None) -> None:
        """Change the state; ``error`` is stored for an error state.

        Raises IllegalStateException for an illegal transition, and IllegalArgumentException for an error
        state without an error.

        :origin: clients.producer.internals.TransactionManager#transitionTo(State, RuntimeException)
        """
        if not self._current_state.is_transition_valid(self._current_state, target):
            id_string = ("" if self._transactional_id is None
                         else f"TransactionalId {self._transactional_id}: ")
            message = (f"{id_string}Invalid transition attempted from state {self._current_state.name} to "
                       f"state {target.name}")

            if self._should_poison_state_on_invalid_transition.value:
                self._current_state = TransactionManager.State.FATAL_ERROR
                self._last_error = IllegalStateException(message)
                raise self._last_error
            else:
                raise IllegalStateException(message)
        elif target in (TransactionManager.State.FATAL_ERROR, TransactionManager.State.ABORTABLE_ERROR):
            if error is None:
                raise IllegalArgumentException(f"Cannot transition to {target} with a null exception")
            self._last_error = error
        else:
            self._last_error = None

        if self._last_error is not None:
            self._log.debug("Transition from state %s to error state %s", self._current_state, target,
                            exc=self._last_error)
        else:
            self._log.debug("Transition from state %s to %s", self._current_state, target)

        self._current_state = target

    def _ensure_transactional(self) -> None:
        """Raises IllegalStateException if there is no transactional id.

        :origin: clients.producer.internals.TransactionManager#ensureTransactional()
        """
        if not self.is_transactional():
            raise IllegalStateException("Transactional method invoked on a non-transactional producer.")

    def _maybe_fail_with_error(self) -> None:
        """Raises an exception with the last error as its cause, if the state is an error state.

        :origin: clients.producer.internals.TransactionManager#maybeFailWithError()
        """
        if not self.has_error():
            return
        # Some exceptions keep their type, but are new instances, because another call has caused the first
        # one.
        if isinstance(self._last_error, ProducerFencedException):
            raise ProducerFencedException(
                f"Producer with transactionalId '{self._transactional_id}' and {self._producer_id_and_epoch} "
                "has been fenced by another producer with the same transactionalId")
        if isinstance(self._last_error, InvalidProducerEpochException):
            raise InvalidProducerEpochException(
                f"Producer with transactionalId '{self._transactional_id}' and {self._producer_id_and_epoch} "
                "attempted to produce with an old epoch")
        if isinstance(self._last_error, IllegalStateException):
            raise IllegalStateException(
                f"Producer with transactionalId '{self._transactional_id}' and {self._producer_id_and_epoch} "
                "cannot execute transactional method because of previous invalid state transition attempt"
            ) from self._last_error
        raise KafkaException("Cannot execute transactional method because we are in an error state",
                             self._last_error)

    def _maybe_terminate_request_with_error(self,
                                            request_handler: TransactionManager.TxnRequestHandler) -> bool:
        """Fail a request that an error state forbids; return whether it did.

        :origin: clients.producer.internals.TransactionManager#maybeTerminateRequestWithError(TxnRequestHandler)
        """  # noqa: E501
        if self.has_error():
            if (self.has_abortable_error()
                    and isinstance(request_handler, TransactionManager.FindCoordinatorHandler)):
                # The abort will need the coordinator.
                return False

            assert self._last_error is not None
            request_handler.fail(self._last_error)
            return True
        return False

    def _enqueue_request(self, request_handler: TransactionManager.TxnRequestHandler) -> None:
        """Put a request in the queue.

        :origin: clients.producer.internals.TransactionManager#enqueueRequest(TxnRequestHandler)
        """
        self._log.debug("Enqueuing transactional request %s", request_handler.request_builder())
        self._pending_requests.add(request_handler)

    def _lookup_coordinator_type(self, type_: CoordinatorType | None, coordinator_key: str | None) -> None:
        """Drop a coordinator, and look it up.

        :origin: clients.producer.internals.TransactionManager#lookupCoordinator(FindCoordinatorRequest.CoordinatorType, String)
        """  # noqa: E501
        match type_:
            case CoordinatorType.GROUP:
                self._consumer_group_coordinator = None
            case CoordinatorType.TRANSACTION:
                self._transaction_coordinator = None
            case _:
                raise IllegalStateException(f"Invalid coordinator type: {type_}")

        assert coordinator_key is not None
        data = FindCoordinatorRequestData(key_type=type_.id(), key=coordinator_key)
        builder = FindCoordinatorRequest.Builder(data)
        self._enqueue_request(TransactionManager.FindCoordinatorHandler(self, builder))

    def _add_partitions_to_transaction_handler(self) -> TransactionManager.TxnRequestHandler:
        """Return a request for all partitions that are not added to the transaction yet.

        :origin: clients.producer.internals.TransactionManager#addPartitionsToTransactionHandler()
        """
        self._pending_partitions_in_transaction.update(self._new_partitions_in_transaction)
        self._new_partitions_in_transaction.clear()
        builder = AddPartitionsToTxnRequest.Builder.for_client(
            self._id(), self._producer_id_and_epoch.producer_id, self._producer_id_and_epoch.epoch,
            list(self._pending_partitions_in_transaction))
        return TransactionManager.AddPartitionsToTxnHandler(self, builder)

    def _txn_offset_commit_handler(
            self, result: TransactionalRequestResult, offsets: Mapping[TopicPartition, OffsetAndMetadata],
            group_metadata: ConsumerGroupMetadata) -> TransactionManager.TxnOffsetCommitHandler:
        """Return a request for all offsets that are not committed yet.

        :origin: clients.producer.internals.TransactionManager#txnOffsetCommitHandler(TransactionalRequestResult, Map<TopicPartition,OffsetAndMetadata>, ConsumerGroupMetadata)
        """  # noqa: E501
        for topic_partition, offset_and_metadata in offsets.items():
            committed_offset = CommittedOffset(offset_and_metadata.offset(), offset_and_metadata.metadata(),
                                               offset_and_metadata.leader_epoch())
            self._pending_txn_offset_commits[topic_partition] = committed_offset

        builder = TxnOffsetCommitRequest.Builder.of(
            self._id(), group_metadata.group_id(), self._producer_id_and_epoch.producer_id,
            self._producer_id_and_epoch.epoch, self._pending_txn_offset_commits, group_metadata.member_id(),
            group_metadata.generation_id(), group_metadata.group_instance_id())
        return TransactionManager.TxnOffsetCommitHandler(self, result, builder)

    def _throw_if_pending_state(self, operation: str) -> None:
        """Raises IllegalStateException if another operation timed out, and the application has not seen its
        result.

        :origin: clients.producer.internals.TransactionManager#throwIfPendingState(String)
        """
        if self._pending_transition is not None:
            if self._pending_transition.result.is_acked():
                self._pending_transition = None
            else:
                raise IllegalStateException(
                    f"Cannot attempt operation `{operation}` because the previous call to "
                    f"`{self._pending_transition.operation}` timed out and must be retried")

    def _handle_cached_transaction_request_result(
            self, transactional_request_result_supplier: Callable[[], TransactionalRequestResult],
            next_state: State, operation: str) -> TransactionalRequestResult:
        """Begin an operation, or return the result of the same operation that timed out before.

        Raises IllegalStateException if another operation timed out.

        :origin: clients.producer.internals.TransactionManager#handleCachedTransactionRequestResult(Supplier<TransactionalRequestResult>, State, String)
        """  # noqa: E501
        self._ensure_transactional()

        if self._pending_transition is not None:
            if self._pending_transition.result.is_acked():
                self._pending_transition = None
            elif next_state is not self._pending_transition.state:
                raise IllegalStateException(
                    f"Cannot attempt operation `{operation}` because the previous call to "
                    f"`{self._pending_transition.operation}` timed out and must be retried")
            else:
                return self._pending_transition.result

        result = transactional_request_result_supplier()
        self._pending_transition = TransactionManager.PendingStateTransition(result, next_state, operation)
        return result

    def can_bump_epoch(self) -> bool:
        """Return whether the epoch can be bumped: always without transactions, else if the coordinator
        supports it.

        :origin: clients.producer.internals.TransactionManager#canBumpEpoch()
        """
        if not self.is_transactional():
            return True

        return self._coordinator_supports_bumping_epoch

    def _complete_transaction(self) -> None:
        """End the transaction; an epoch bump may follow.

        :origin: clients.producer.internals.TransactionManager#completeTransaction()
        """
        if self._epoch_bump_required:
            self._transition_to(TransactionManager.State.INITIALIZING)
        else:
            self._transition_to(TransactionManager.State.READY)
        self._last_error = None
        self._forget_transaction()

    def _forget_transaction(self) -> None:
        """Clear the transaction's partitions and offsets, and the pending epoch bump."""
        self._epoch_bump_required = False
        self._transaction_started = False
        self._new_partitions_in_transaction.clear()
        self._pending_partitions_in_transaction.clear()
        self._partitions_in_transaction.clear()
        # DEVIATION D280: the next transaction has its own offsets.
        self._pending_txn_offset_commits.clear()

    def _id(self) -> str:
        """Return the transactional id, which must be set."""
        return cast(str, self._transactional_id)

    class TxnRequestHandler(RequestCompletionHandler):
        """A request, the handler of its response, and the result for which the application waits.

        :origin: clients.producer.internals.TransactionManager.TxnRequestHandler
        """

        def __init__(self, manager: TransactionManager, result: TransactionalRequestResult | str) -> None:
            """``result`` is the name of the operation, or the result of an earlier request.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#TxnRequestHandler(TransactionalRequestResult)
            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#TxnRequestHandler(String)
            """  # noqa: E501
            self._manager = manager
            self.result = TransactionalRequestResult(result) if isinstance(result, str) else result
            self._is_retry = False

        def fatal_error(self, e: Exception) -> None:
            """Fail the request and the producer.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#fatalError(RuntimeException)
            """  # noqa: E501
            self.result.fail(e)
            self._manager.transition_to_fatal_error(e)

        def abortable_error(self, e: Exception) -> None:
            """Fail the request and the transaction.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#abortableError(RuntimeException)
            """  # noqa: E501
            self.result.fail(e)
            self._manager.transition_to_abortable_error(e)

        def abortable_error_if_possible(self, e: Exception) -> None:
            """Fail the transaction and bump the epoch, or fail the producer if that is not possible.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#abortableErrorIfPossible(RuntimeException)
            """  # noqa: E501
            if self._manager.can_bump_epoch():
                # DEVIATION D278: a bump that is requested while EndTxn is in flight would never be carried
                # out.
                if not self._manager.is_aborting():
                    self._manager._epoch_bump_required = True
                self.abortable_error(e)
            else:
                self.fatal_error(e)

        def fail(self, e: Exception) -> None:
            """Fail the request.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#fail(RuntimeException)
            """
            self.result.fail(e)

        def reenqueue(self) -> None:
            """Put the request back.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#reenqueue()
            """
            with self._manager._lock:
                self._is_retry = True
                self._manager._enqueue_request(self)

        def retry_backoff_ms(self) -> int:
            """Return the wait before a retry of the request, in milliseconds.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#retryBackoffMs()
            """
            return self._manager._retry_backoff_ms

        def on_complete(self, response: ClientResponse) -> None:
            """Handle the response, or retry the request after a disconnection.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#onComplete(ClientResponse)
            """  # noqa: E501
            manager = self._manager
            if response.request_header().correlation_id() != manager._in_flight_request_correlation_id:
                self.fatal_error(RuntimeError("Detected more than one in-flight transactional request."))
            else:
                manager._clear_in_flight_correlation_id()
                version_mismatch = response.version_mismatch()
                if response.was_disconnected():
                    manager._log.debug("Disconnected from %s. Will retry.", response.destination())
                    if self.needs_coordinator():
                        manager._lookup_coordinator_type(self.coordinator_type(), self.coordinator_key())
                    self.reenqueue()
                elif version_mismatch is not None:
                    self.fatal_error(version_mismatch)
                elif response.has_response():
                    manager._log.trace("Received transactional response %s for request %s",
                                       response.response_body(), self.request_builder())
                    with manager._lock:
                        self.handle_response(cast(AbstractResponse, response.response_body()))
                else:
                    self.fatal_error(KafkaException(
                        "Could not execute transactional request for unknown reasons"))

        def needs_coordinator(self) -> bool:
            """Return whether the request goes to a coordinator.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#needsCoordinator()
            """
            return self.coordinator_type() is not None

        def coordinator_type(self) -> CoordinatorType | None:
            """Return the kind of coordinator, or None if any broker will do.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#coordinatorType()
            """
            return CoordinatorType.TRANSACTION

        def coordinator_key(self) -> str | None:
            """Return the id that the coordinator is looked up by.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#coordinatorKey()
            """
            return self._manager._transactional_id

        def set_retry(self) -> None:
            """Mark the request as a retry.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#setRetry()
            """
            self._is_retry = True

        def is_retry(self) -> bool:
            """Return whether the request is a retry.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#isRetry()
            """
            return self._is_retry

        def is_end_txn(self) -> bool:
            """Return whether the request ends the transaction.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#isEndTxn()
            """
            return False

        @abstractmethod
        def request_builder(self) -> AbstractRequest.Builder[Any]:
            """Return the builder of the request.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#requestBuilder()
            """

        @abstractmethod
        def handle_response(self, response_body: AbstractResponse) -> None:
            """Handle the response. The caller holds the lock.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#handleResponse(AbstractResponse)
            """  # noqa: E501

        @abstractmethod
        def priority(self) -> TransactionManager.Priority:
            """Return the request's priority.

            :origin: clients.producer.internals.TransactionManager.TxnRequestHandler#priority()
            """

    class InitProducerIdHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler"""

        def __init__(self, manager: TransactionManager, builder: InitProducerIdRequest.Builder,
                     is_epoch_bump: bool) -> None:
            """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler#InitProducerIdHandler(InitProducerIdRequest.Builder, boolean)"""  # noqa: E501
            super().__init__(manager, "InitProducerId")
            self._builder = builder
            self._is_epoch_bump = is_epoch_bump

        def request_builder(self) -> InitProducerIdRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler#requestBuilder()"""  # noqa: E501
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler#priority()"""
            return (TransactionManager.Priority.EPOCH_BUMP if self._is_epoch_bump
                    else TransactionManager.Priority.INIT_PRODUCER_ID)

        def coordinator_type(self) -> CoordinatorType | None:
            """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler#coordinatorType()"""  # noqa: E501
            if self._manager.is_transactional():
                return CoordinatorType.TRANSACTION
            else:
                return None

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.InitProducerIdHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            init_producer_id_response = cast(InitProducerIdResponse, response)
            error = init_producer_id_response.error()

            if error is Errors.NONE:
                producer_id_and_epoch = ProducerIdAndEpoch(init_producer_id_response.data().producer_id,
                                                           init_producer_id_response.data().producer_epoch)
                manager._set_producer_id_and_epoch(producer_id_and_epoch)
                manager._transition_to(TransactionManager.State.READY)
                manager._last_error = None
                if self._is_epoch_bump:
                    manager._reset_sequence_numbers()
                    # DEVIATION D279: the coordinator has ended the transaction, with or without EndTxn.
                    manager._forget_transaction()
                self.result.done()
            elif error in (Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE):
                manager._lookup_coordinator_type(CoordinatorType.TRANSACTION, manager._transactional_id)
                self.reenqueue()
            elif isinstance(error.exception(), RetriableException):
                self.reenqueue()
            elif error in (Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Errors.CLUSTER_AUTHORIZATION_FAILED):
                manager._log.info("Abortable authorization error: %s.  Transition the producer state to %s",
                                  error.message(), TransactionManager.State.ABORTABLE_ERROR)
                manager._last_error = _exception(error)
                self.abortable_error(_exception(error))
            elif error in (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED):
                # An older coordinator returns INVALID_PRODUCER_EPOCH for the same error.
                self.fatal_error(_exception(Errors.PRODUCER_FENCED))
            elif error is Errors.TRANSACTION_ABORTABLE:
                self.abortable_error(_exception(error))
            else:
                self.fatal_error(KafkaException(
                    f"Unexpected error in InitProducerIdResponse; {error.message()}"))

    class AddPartitionsToTxnHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler"""

        def __init__(self, manager: TransactionManager, builder: AddPartitionsToTxnRequest.Builder) -> None:
            """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#AddPartitionsToTxnHandler(AddPartitionsToTxnRequest.Builder)"""  # noqa: E501
            super().__init__(manager, "AddPartitionsToTxn")
            self._builder = builder
            self._retry_backoff_ms = manager._retry_backoff_ms

        def request_builder(self) -> AddPartitionsToTxnRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#requestBuilder()"""  # noqa: E501
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#priority()"""
            return TransactionManager.Priority.ADD_PARTITIONS_OR_OFFSETS

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            add_partitions_to_txn_response = cast(AddPartitionsToTxnResponse, response)
            errors = add_partitions_to_txn_response.errors()[AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID]
            has_partition_errors = False
            unauthorized_topics: set[str] = set()
            self._retry_backoff_ms = manager._retry_backoff_ms

            for topic_partition, error in errors.items():
                if error is Errors.NONE:
                    continue
                elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
                    manager._lookup_coordinator_type(CoordinatorType.TRANSACTION, manager._transactional_id)
                    self.reenqueue()
                    return
                elif error is Errors.CONCURRENT_TRANSACTIONS:
                    self._maybe_override_retry_backoff_ms()
                    self.reenqueue()
                    return
                elif isinstance(error.exception(), RetriableException):
                    self.reenqueue()
                    return
                elif error in (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED):
                    # An older coordinator returns INVALID_PRODUCER_EPOCH for the same error.
                    self.fatal_error(_exception(Errors.PRODUCER_FENCED))
                    return
                elif error in (Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Errors.INVALID_TXN_STATE):
                    self.fatal_error(_exception(error))
                    return
                elif error is Errors.TOPIC_AUTHORIZATION_FAILED:
                    unauthorized_topics.add(topic_partition.topic())
                elif error is Errors.OPERATION_NOT_ATTEMPTED:
                    manager._log.debug("Did not attempt to add partition %s to transaction because other "
                                       "partitions in the batch had errors.", topic_partition)
                    has_partition_errors = True
                elif error in (Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_ID_MAPPING):
                    self.abortable_error_if_possible(_exception(error))
                    return
                elif error is Errors.TRANSACTION_ABORTABLE:
                    self.abortable_error(_exception(error))
                    return
                else:
                    manager._log.error("Could not add partition %s due to unexpected error %s",
                                       topic_partition, error)
                    has_partition_errors = True

            partitions = errors.keys()

            # Batches wait while any partition is pending. After an error no partition stays pending, either:
            # retried batches to added partitions must be sent while the transaction is aborted.
            for partition in partitions:
                manager._pending_partitions_in_transaction.pop(partition, None)

            if unauthorized_topics:
                self.abortable_error(TopicAuthorizationException(unauthorized_topics=unauthorized_topics))
            elif has_partition_errors:
                self.abortable_error(KafkaException(
                    f"Could not add partitions to transaction due to errors: {java_text(errors)}"))
            else:
                manager._log.debug("Successfully added partitions %s to transaction", list(partitions))
                manager._partitions_in_transaction.update(partitions)
                manager._transaction_started = True
                self.result.done()

        def retry_backoff_ms(self) -> int:
            """:origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#retryBackoffMs()"""  # noqa: E501
            return min(self._manager._retry_backoff_ms, self._retry_backoff_ms)

        def _maybe_override_retry_backoff_ms(self) -> None:
            """Shorten the backoff if the transaction has no partition yet.

            :origin: clients.producer.internals.TransactionManager.AddPartitionsToTxnHandler#maybeOverrideRetryBackoffMs()
            """  # noqa: E501
            if not self._manager._partitions_in_transaction:
                self._retry_backoff_ms = TransactionManager._ADD_PARTITIONS_RETRY_BACKOFF_MS

    class FindCoordinatorHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler"""

        def __init__(self, manager: TransactionManager, builder: FindCoordinatorRequest.Builder) -> None:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#FindCoordinatorHandler(FindCoordinatorRequest.Builder)"""  # noqa: E501
            super().__init__(manager, "FindCoordinator")
            self._builder = builder

        def request_builder(self) -> FindCoordinatorRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#requestBuilder()"""  # noqa: E501
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#priority()"""
            return TransactionManager.Priority.FIND_COORDINATOR

        def coordinator_type(self) -> CoordinatorType | None:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#coordinatorType()"""  # noqa: E501
            return None

        def coordinator_key(self) -> str | None:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#coordinatorKey()"""  # noqa: E501
            return None

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.FindCoordinatorHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            coordinator_type = CoordinatorType.for_id(self._builder.data().key_type)

            coordinators = cast(FindCoordinatorResponse, response).coordinators()
            if len(coordinators) != 1:
                manager._log.error("Group coordinator lookup failed: Invalid response containing more than a "
                                   "single coordinator")
                self.fatal_error(IllegalStateException(
                    "Group coordinator lookup failed: Invalid response containing more than a single "
                    "coordinator"))
            coordinator_data = coordinators[0]
            # A response of a version before batched look-ups has no key.
            key = self._builder.data().key if coordinator_data.key is None else coordinator_data.key
            error = Errors.for_code(coordinator_data.error_code)
            if error is Errors.NONE:
                node = Node(coordinator_data.node_id, coordinator_data.host, coordinator_data.port)
                match coordinator_type:
                    case CoordinatorType.GROUP:
                        manager._consumer_group_coordinator = node
                    case CoordinatorType.TRANSACTION:
                        manager._transaction_coordinator = node
                self.result.done()
                manager._log.info("Discovered %s coordinator %s", coordinator_type.name.lower(), node)
            elif isinstance(error.exception(), RetriableException):
                self.reenqueue()
            elif error is Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
                self.fatal_error(_exception(error))
            elif error is Errors.GROUP_AUTHORIZATION_FAILED:
                self.abortable_error(GroupAuthorizationException.for_group_id(key))
            elif error is Errors.TRANSACTION_ABORTABLE:
                self.abortable_error(_exception(error))
            else:
                self.fatal_error(KafkaException(
                    f"Could not find a coordinator with type {coordinator_type.name} with key {key} due to "
                    f"unexpected error: {java_text(coordinator_data.error_message)}"))

    class EndTxnHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.EndTxnHandler"""

        def __init__(self, manager: TransactionManager, builder: EndTxnRequest.Builder) -> None:
            """:origin: clients.producer.internals.TransactionManager.EndTxnHandler#EndTxnHandler(EndTxnRequest.Builder)"""  # noqa: E501
            super().__init__(manager, f"EndTxn({java_text(builder.data.committed)})")
            self._builder = builder

        def request_builder(self) -> EndTxnRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.EndTxnHandler#requestBuilder()"""
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.EndTxnHandler#priority()"""
            return TransactionManager.Priority.END_TXN

        def is_end_txn(self) -> bool:
            """:origin: clients.producer.internals.TransactionManager.EndTxnHandler#isEndTxn()"""
            return True

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.EndTxnHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            end_txn_response = cast(EndTxnResponse, response)
            error = end_txn_response.error()

            if error is Errors.NONE:
                manager._complete_transaction()
                self.result.done()
            elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
                manager._lookup_coordinator_type(CoordinatorType.TRANSACTION, manager._transactional_id)
                self.reenqueue()
            elif isinstance(error.exception(), RetriableException):
                self.reenqueue()
            elif error in (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED):
                # An older coordinator returns INVALID_PRODUCER_EPOCH for the same error.
                self.fatal_error(_exception(Errors.PRODUCER_FENCED))
            elif error in (Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Errors.INVALID_TXN_STATE):
                self.fatal_error(_exception(error))
            elif error in (Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_ID_MAPPING):
                self.abortable_error_if_possible(_exception(error))
            elif error is Errors.TRANSACTION_ABORTABLE:
                self.abortable_error(_exception(error))
            else:
                self.fatal_error(KafkaException(f"Unhandled error in EndTxnResponse: {error.message()}"))

    class AddOffsetsToTxnHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.AddOffsetsToTxnHandler"""

        def __init__(self, manager: TransactionManager, builder: AddOffsetsToTxnRequest.Builder,
                     offsets: Mapping[TopicPartition, OffsetAndMetadata],
                     group_metadata: ConsumerGroupMetadata) -> None:
            """:origin: clients.producer.internals.TransactionManager.AddOffsetsToTxnHandler#AddOffsetsToTxnHandler(AddOffsetsToTxnRequest.Builder, Map<TopicPartition,OffsetAndMetadata>, ConsumerGroupMetadata)"""  # noqa: E501
            super().__init__(manager, "AddOffsetsToTxn")
            self._builder = builder
            self._offsets = offsets
            self._group_metadata = group_metadata

        def request_builder(self) -> AddOffsetsToTxnRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.AddOffsetsToTxnHandler#requestBuilder()"""  # noqa: E501
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.AddOffsetsToTxnHandler#priority()"""
            return TransactionManager.Priority.ADD_PARTITIONS_OR_OFFSETS

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.AddOffsetsToTxnHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            add_offsets_to_txn_response = cast(AddOffsetsToTxnResponse, response)
            error = Errors.for_code(add_offsets_to_txn_response.data().error_code)

            if error is Errors.NONE:
                manager._log.debug("Successfully added partition for consumer group %s to transaction",
                                   self._builder.data.group_id)

                # The result is complete when the offsets are committed.
                manager._pending_requests.add(manager._txn_offset_commit_handler(
                    self.result, self._offsets, self._group_metadata))

                manager._transaction_started = True
            elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
                manager._lookup_coordinator_type(CoordinatorType.TRANSACTION, manager._transactional_id)
                self.reenqueue()
            elif isinstance(error.exception(), RetriableException):
                self.reenqueue()
            elif error in (Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_ID_MAPPING):
                self.abortable_error_if_possible(_exception(error))
            elif error in (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED):
                # An older coordinator returns INVALID_PRODUCER_EPOCH for the same error.
                self.fatal_error(_exception(Errors.PRODUCER_FENCED))
            elif error in (Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Errors.INVALID_TXN_STATE):
                self.fatal_error(_exception(error))
            elif error is Errors.GROUP_AUTHORIZATION_FAILED:
                self.abortable_error(GroupAuthorizationException.for_group_id(self._builder.data.group_id))
            elif error is Errors.TRANSACTION_ABORTABLE:
                self.abortable_error(_exception(error))
            else:
                self.fatal_error(KafkaException(
                    f"Unexpected error in AddOffsetsToTxnResponse: {error.message()}"))

    class TxnOffsetCommitHandler(TxnRequestHandler):
        """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler"""

        def __init__(self, manager: TransactionManager, result: TransactionalRequestResult,
                     builder: TxnOffsetCommitRequest.Builder) -> None:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#TxnOffsetCommitHandler(TransactionalRequestResult, TxnOffsetCommitRequest.Builder)"""  # noqa: E501
            super().__init__(manager, result)
            self._builder = builder

        def request_builder(self) -> TxnOffsetCommitRequest.Builder:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#requestBuilder()"""  # noqa: E501
            return self._builder

        def priority(self) -> TransactionManager.Priority:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#priority()"""
            return TransactionManager.Priority.ADD_PARTITIONS_OR_OFFSETS

        def coordinator_type(self) -> CoordinatorType | None:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#coordinatorType()"""  # noqa: E501
            return CoordinatorType.GROUP

        def coordinator_key(self) -> str | None:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#coordinatorKey()"""  # noqa: E501
            return self._builder.data.group_id

        def handle_response(self, response: AbstractResponse) -> None:
            """:origin: clients.producer.internals.TransactionManager.TxnOffsetCommitHandler#handleResponse(AbstractResponse)"""  # noqa: E501
            manager = self._manager
            txn_offset_commit_response = cast(TxnOffsetCommitResponse, response)
            coordinator_reloaded = False
            errors = txn_offset_commit_response.errors()

            manager._log.debug("Received TxnOffsetCommit response for consumer group %s: %s",
                               self._builder.data.group_id, java_text(errors))

            for topic_partition, error in errors.items():
                if error is Errors.NONE:
                    manager._pending_txn_offset_commits.pop(topic_partition, None)
                elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
                               Errors.REQUEST_TIMED_OUT):
                    if not coordinator_reloaded:
                        coordinator_reloaded = True
                        manager._lookup_coordinator_type(CoordinatorType.GROUP, self._builder.data.group_id)
                elif isinstance(error.exception(), RetriableException):
                    # The request is sent to the same coordinator again.
                    continue
                elif error is Errors.GROUP_AUTHORIZATION_FAILED:
                    self.abortable_error(
                        GroupAuthorizationException.for_group_id(self._builder.data.group_id))
                    break
                elif error in (Errors.FENCED_INSTANCE_ID, Errors.TRANSACTION_ABORTABLE):
                    self.abortable_error(_exception(error))
                    break
                elif error in (Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION):
                    self.abortable_error(CommitFailedException(
                        "Transaction offset Commit failed due to consumer group metadata mismatch: "
                        f"{_exception(error).get_message()}"))
                    break
                elif error in (Errors.INVALID_PRODUCER_EPOCH, Errors.PRODUCER_FENCED):
                    # An older coordinator returns INVALID_PRODUCER_EPOCH for the same error.
                    self.fatal_error(_exception(Errors.PRODUCER_FENCED))
                    break
                elif error in (Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                               Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT):
                    self.fatal_error(_exception(error))
                    break
                else:
                    self.fatal_error(KafkaException(
                        f"Unexpected error in TxnOffsetCommitResponse: {error.message()}"))
                    break

            if self.result.is_completed():
                manager._pending_txn_offset_commits.clear()
            elif not manager._pending_txn_offset_commits:
                self.result.done()
            else:
                # The remaining offsets failed with retriable errors.
                self.reenqueue()

    class PendingStateTransition:
        """:origin: clients.producer.internals.TransactionManager.PendingStateTransition"""

        __slots__ = ("result", "state", "operation")

        def __init__(self, result: TransactionalRequestResult, state: TransactionManager.State,
                     operation: str) -> None:
            """:origin: clients.producer.internals.TransactionManager.PendingStateTransition#PendingStateTransition(TransactionalRequestResult, State, String)"""  # noqa: E501
            self.result = result
            self.state = state
            self.operation = operation
