# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The coordinator's state of one transactional id, and the valid transitions.

A change has two steps. A ``prepare_...`` method checks that the change is allowed, stores the next state in
``pending_state``, and returns the content of the log record. After the append, ``complete_transition_to``
applies the change. While a state is pending, no other change begins. ::

    state               comes after                            by
    Empty               Empty, CompleteCommit, CompleteAbort   InitProducerId
    Ongoing             Ongoing, Empty, CompleteCommit,        AddPartitionsToTxn, AddOffsetsToTxn
                        CompleteAbort
    PrepareCommit       Ongoing                                EndTxn
    PrepareAbort        Ongoing, PrepareEpochFence             EndTxn, a time-out, a new producer
    CompleteCommit      PrepareCommit                          all markers are written
    CompleteAbort       PrepareAbort                           all markers are written
    Dead                Empty, CompleteCommit, CompleteAbort   the id has expired; never written
    PrepareEpochFence   Ongoing                                only ever pending: the epoch that fences the
                                                               producer is written with PrepareAbort

``lock`` guards all fields. A thread may read the times and the state without the lock if it checks them again
under the lock.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import ReentrantLock

_SHORT_MAX_VALUE = 2**15 - 1


class TransactionState(Enum):
    """
    :origin: kafka.coordinator.transaction.TransactionState
    :origin: kafka.coordinator.transaction.TransactionState
    :origin: kafka.coordinator.transaction.Empty
    :origin: kafka.coordinator.transaction.Ongoing
    :origin: kafka.coordinator.transaction.PrepareCommit
    :origin: kafka.coordinator.transaction.PrepareAbort
    :origin: kafka.coordinator.transaction.CompleteCommit
    :origin: kafka.coordinator.transaction.CompleteAbort
    :origin: kafka.coordinator.transaction.Dead
    :origin: kafka.coordinator.transaction.PrepareEpochFence
    """

    Empty = 0
    Ongoing = 1
    PrepareCommit = 2
    PrepareAbort = 3
    CompleteCommit = 4
    CompleteAbort = 5
    Dead = 6
    PrepareEpochFence = 7

    def id(self) -> int:
        """Return the state's number in the log."""
        return self.value

    def valid_previous_states(self) -> frozenset[TransactionState]:
        """Return the states from which this state can follow."""
        return _VALID_PREVIOUS_STATES[self]

    @staticmethod
    def from_name(name: str) -> TransactionState | None:
        """Return the state of this name, or None.

        :origin: kafka.coordinator.transaction.TransactionState#fromName
        """
        return TransactionState.__members__.get(name)

    @staticmethod
    def from_id(id_: int) -> TransactionState:
        """Return the state with number ``id_``. Raises IllegalStateException.

        :origin: kafka.coordinator.transaction.TransactionState#fromId
        """
        try:
            return TransactionState(id_)
        except ValueError:
            raise IllegalStateException(
                f"Unknown transaction state id {id_} from the transaction status message") from None

    def is_expiration_allowed(self) -> bool:
        """Return whether an unused id may be deleted in this state.

        :origin: kafka.coordinator.transaction.TransactionState#isExpirationAllowed
        """
        return self in _EXPIRING

    def __str__(self) -> str:
        return self.name


Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort, Dead, PrepareEpochFence = (
    TransactionState)

_EXPIRING = frozenset((Empty, CompleteCommit, CompleteAbort))
_VALID_PREVIOUS_STATES: dict[TransactionState, frozenset[TransactionState]] = {
    Empty: frozenset((Empty, CompleteCommit, CompleteAbort)),
    Ongoing: frozenset((Ongoing, Empty, CompleteCommit, CompleteAbort)),
    PrepareCommit: frozenset((Ongoing,)),
    PrepareAbort: frozenset((Ongoing, PrepareEpochFence)),
    CompleteCommit: frozenset((PrepareCommit,)),
    CompleteAbort: frozenset((PrepareAbort,)),
    Dead: frozenset((Empty, CompleteAbort, CompleteCommit)),
    PrepareEpochFence: frozenset((Ongoing,)),
}


class TxnTransitMetadata(NamedTuple):
    """The next state of a transactional id. Immutable.

    :origin: kafka.coordinator.transaction.TxnTransitMetadata
    """

    producer_id: int
    last_producer_id: int
    producer_epoch: int
    last_producer_epoch: int
    txn_timeout_ms: int
    txn_state: TransactionState
    topic_partitions: frozenset[TopicPartition]
    txn_start_timestamp: int
    txn_last_update_timestamp: int

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.TxnTransitMetadata#toString"""
        return (f"TxnTransitMetadata(producerId={self.producer_id}, lastProducerId={self.last_producer_id}, "
                f"producerEpoch={self.producer_epoch}, lastProducerEpoch={self.last_producer_epoch}, "
                f"txnTimeoutMs={self.txn_timeout_ms}, txnState={self.txn_state}, "
                f"topicPartitions={_text(self.topic_partitions)}, "
                f"txnStartTimestamp={self.txn_start_timestamp}, "
                f"txnLastUpdateTimestamp={self.txn_last_update_timestamp})")


class TransactionMetadata(Logging):
    """The state of one transactional id.

    :origin: kafka.coordinator.transaction.TransactionMetadata
    :origin: kafka.coordinator.transaction.TransactionMetadata
    """

    __slots__ = ("transactional_id", "producer_id", "last_producer_id", "producer_epoch",
                 "last_producer_epoch", "txn_timeout_ms", "state", "topic_partitions", "txn_start_timestamp",
                 "txn_last_update_timestamp", "pending_state", "has_failed_epoch_fence", "lock")

    @staticmethod
    def is_epoch_exhausted(producer_epoch: int) -> bool:
        """Return whether no producer may get an epoch after this one. The last epoch is reserved for fencing.

        :origin: kafka.coordinator.transaction.TransactionMetadata#isEpochExhausted
        """
        return producer_epoch >= _SHORT_MAX_VALUE - 1

    def __init__(
        self, transactional_id: str, producer_id: int, last_producer_id: int, producer_epoch: int,
        last_producer_epoch: int, txn_timeout_ms: int, state: TransactionState,
        topic_partitions: Iterable[TopicPartition] = (), txn_start_timestamp: int = -1, *,
        txn_last_update_timestamp: int,
    ) -> None:
        """Times are in milliseconds; ``txn_start_timestamp`` is when the first partition was added.

        :origin: kafka.coordinator.transaction.TransactionMetadata#TransactionMetadata
        """
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.last_producer_id = last_producer_id
        self.producer_epoch = producer_epoch
        self.last_producer_epoch = last_producer_epoch
        self.txn_timeout_ms = txn_timeout_ms
        self.state = state
        self.topic_partitions = set(topic_partitions)
        self.txn_start_timestamp = txn_start_timestamp
        self.txn_last_update_timestamp = txn_last_update_timestamp
        # The state that is being appended to the log.
        self.pending_state: TransactionState | None = None
        # True if the append of a fencing epoch failed. No client knows that epoch, so the next attempt uses
        # it again.
        self.has_failed_epoch_fence = False
        self.lock = ReentrantLock()

    def add_partitions(self, partitions: Iterable[TopicPartition]) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#addPartitions"""
        self.topic_partitions.update(partitions)

    def remove_partition(self, topic_partition: TopicPartition) -> None:
        """Note that a partition has its marker. Raises IllegalStateException if no markers are being written.

        :origin: kafka.coordinator.transaction.TransactionMetadata#removePartition
        """
        if self.state is not PrepareCommit and self.state is not PrepareAbort:
            raise IllegalStateException(
                f"Transaction metadata's current state is {self.state}, and its pending state is "
                f"{self.pending_state} while trying to remove partitions whose txn marker has been sent, "
                "this is not expected")
        self.topic_partitions.discard(topic_partition)

    def prepare_no_transit(self) -> TxnTransitMetadata:
        """Return the current state as a transition.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareNoTransit
        """
        return TxnTransitMetadata(
            self.producer_id, self.last_producer_id, self.producer_epoch, self.last_producer_epoch,
            self.txn_timeout_ms, self.state, frozenset(self.topic_partitions), self.txn_start_timestamp,
            self.txn_last_update_timestamp)

    def prepare_fence_producer_epoch(self) -> TxnTransitMetadata:
        """Begin to abort a transaction with an epoch that fences its producer.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareFenceProducerEpoch
        """
        if self.producer_epoch == _SHORT_MAX_VALUE:
            raise IllegalStateException(
                "Cannot fence producer with epoch equal to Short.MaxValue since this would overflow")
        bumped_epoch = self.producer_epoch if self.has_failed_epoch_fence else self.producer_epoch + 1
        return self._prepare_transition_to(
            PrepareEpochFence, self.producer_id, bumped_epoch, RecordBatch.NO_PRODUCER_EPOCH,
            self.txn_timeout_ms, frozenset(self.topic_partitions), self.txn_start_timestamp,
            self.txn_last_update_timestamp)

    def prepare_increment_producer_epoch(
        self, new_txn_timeout_ms: int, expected_producer_epoch: int | None, update_timestamp: int,
    ) -> Errors | TxnTransitMetadata:
        """Begin to give a producer the next epoch.

        A producer that sends its current epoch continues as the same producer. A producer that sends the
        previous epoch retries after a lost response, and gets the current epoch. Any other producer was
        fenced.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareIncrementProducerEpoch
        """
        if self.is_producer_epoch_exhausted():
            raise IllegalStateException(
                f"Cannot allocate any more producer epochs for producerId {self.producer_id}")
        # A new state has epoch -1, and gets epoch 0.
        bumped_epoch = self.producer_epoch + 1
        if expected_producer_epoch is None:
            next_epoch, last_epoch = bumped_epoch, RecordBatch.NO_PRODUCER_EPOCH
        elif (self.producer_epoch == RecordBatch.NO_PRODUCER_EPOCH
                or expected_producer_epoch == self.producer_epoch):
            next_epoch, last_epoch = bumped_epoch, self.producer_epoch
        elif expected_producer_epoch == self.last_producer_epoch:
            # The producer was not fenced in the meantime: fencing sets the last epoch to -1.
            next_epoch, last_epoch = self.producer_epoch, self.last_producer_epoch
        else:
            self.info("expected producer epoch %d matches neither the current producer epoch %d nor the "
                      "previous one %d", expected_producer_epoch, self.producer_epoch,
                      self.last_producer_epoch)
            return Errors.PRODUCER_FENCED
        return self._prepare_transition_to(
            Empty, self.producer_id, next_epoch, last_epoch, new_txn_timeout_ms, frozenset(), -1,
            update_timestamp)

    def prepare_producer_id_rotation(self, new_producer_id: int, new_txn_timeout_ms: int,
                                     update_timestamp: int, record_last_epoch: bool) -> TxnTransitMetadata:
        """Begin to give a producer another id, because the epochs of this id are exhausted.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareProducerIdRotation
        """
        if self._has_pending_transaction():
            raise IllegalStateException("Cannot rotate producer ids while a transaction is still pending")
        return self._prepare_transition_to(
            Empty, new_producer_id, 0,
            self.producer_epoch if record_last_epoch else RecordBatch.NO_PRODUCER_EPOCH,
            new_txn_timeout_ms, frozenset(), -1, update_timestamp)

    def prepare_add_partitions(self, added_topic_partitions: Iterable[TopicPartition],
                               update_timestamp: int) -> TxnTransitMetadata:
        """Begin to add partitions; the first ones begin the transaction.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareAddPartitions
        """
        new_txn_start_timestamp = (
            update_timestamp if self.state in (Empty, CompleteAbort, CompleteCommit)
            else self.txn_start_timestamp)
        return self._prepare_transition_to(
            Ongoing, self.producer_id, self.producer_epoch, self.last_producer_epoch, self.txn_timeout_ms,
            frozenset(self.topic_partitions.union(added_topic_partitions)), new_txn_start_timestamp,
            update_timestamp)

    def prepare_abort_or_commit(self, new_state: TransactionState,
                                update_timestamp: int) -> TxnTransitMetadata:
        """Begin to end the transaction.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareAbortOrCommit
        """
        return self._prepare_transition_to(
            new_state, self.producer_id, self.producer_epoch, self.last_producer_epoch, self.txn_timeout_ms,
            frozenset(self.topic_partitions), self.txn_start_timestamp, update_timestamp)

    def prepare_complete(self, update_timestamp: int) -> TxnTransitMetadata:
        """Begin the last step, which is applied when all markers are written.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareComplete
        """
        new_state = CompleteCommit if self.state is PrepareCommit else CompleteAbort
        # The log contains the epoch that fenced the producer, if one did.
        self.has_failed_epoch_fence = False
        return self._prepare_transition_to(
            new_state, self.producer_id, self.producer_epoch, self.last_producer_epoch, self.txn_timeout_ms,
            frozenset(), self.txn_start_timestamp, update_timestamp)

    def prepare_dead(self) -> TxnTransitMetadata:
        """Begin to delete the id.

        :origin: kafka.coordinator.transaction.TransactionMetadata#prepareDead
        """
        return self._prepare_transition_to(
            Dead, self.producer_id, self.producer_epoch, self.last_producer_epoch, self.txn_timeout_ms,
            frozenset(), self.txn_start_timestamp, self.txn_last_update_timestamp)

    def is_producer_epoch_exhausted(self) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#isProducerEpochExhausted"""
        return TransactionMetadata.is_epoch_exhausted(self.producer_epoch)

    def _has_pending_transaction(self) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#hasPendingTransaction"""
        return self.state in (Ongoing, PrepareAbort, PrepareCommit)

    def _prepare_transition_to(
        self, new_state: TransactionState, new_producer_id: int, new_epoch: int, new_last_epoch: int,
        new_txn_timeout_ms: int, new_topic_partitions: frozenset[TopicPartition],
        new_txn_start_timestamp: int, update_timestamp: int,
    ) -> TxnTransitMetadata:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#prepareTransitionTo"""
        if self.pending_state is not None:
            raise IllegalStateException(f"Preparing transaction state transition to {new_state} while it "
                                        f"already a pending state {self.pending_state}")
        if new_producer_id < 0:
            raise IllegalArgumentException(f"Illegal new producer id {new_producer_id}")
        # An id that was never initialised expires with its first epoch.
        if new_state is not Dead and new_epoch < 0:
            raise IllegalArgumentException(f"Illegal new producer epoch {new_epoch}")

        if self.state not in new_state.valid_previous_states():
            raise IllegalStateException(
                f"Preparing transaction state transition to {new_state} failed since the target state "
                f"{new_state} is not a valid previous state of the current state {self.state}")
        transit_metadata = TxnTransitMetadata(
            new_producer_id, self.producer_id, new_epoch, new_last_epoch, new_txn_timeout_ms, new_state,
            new_topic_partitions, new_txn_start_timestamp, update_timestamp)
        self.debug("TransactionalId %s prepare transition from %s to %s", self.transactional_id, self.state,
                   transit_metadata)
        self.pending_state = new_state
        return transit_metadata

    def complete_transition_to(self, transit_metadata: TxnTransitMetadata) -> None:
        """Apply the prepared change, which is in the log now.

        Raises IllegalStateException if the change does not match the prepared one, which is a fault of the
        coordinator.

        :origin: kafka.coordinator.transaction.TransactionMetadata#completeTransitionTo
        """
        to_state = self.pending_state
        if to_state is None:
            self.fatal("%s's transition to %s failed since pendingState is not defined: this should not "
                       "happen", self, transit_metadata)
            raise IllegalStateException(
                f"TransactionalId {self.transactional_id} completing transaction state transition while it "
                "does not have a pending state")

        if to_state is not transit_metadata.txn_state:
            self._throw_state_transition_failure(transit_metadata)

        match to_state:
            case TransactionState.Empty:  # by InitProducerId
                if ((self.producer_epoch != transit_metadata.producer_epoch
                        and not self._valid_producer_epoch_bump(transit_metadata))
                        or transit_metadata.topic_partitions
                        or transit_metadata.txn_start_timestamp != -1):
                    self._throw_state_transition_failure(transit_metadata)
                self.txn_timeout_ms = transit_metadata.txn_timeout_ms
                self.producer_epoch = transit_metadata.producer_epoch
                self.last_producer_epoch = transit_metadata.last_producer_epoch
                self.producer_id = transit_metadata.producer_id
                self.last_producer_id = transit_metadata.last_producer_id

            case TransactionState.Ongoing:  # by the addition of partitions
                if (not self._valid_producer_epoch(transit_metadata)
                        or not self.topic_partitions <= transit_metadata.topic_partitions
                        or self.txn_timeout_ms != transit_metadata.txn_timeout_ms):
                    self._throw_state_transition_failure(transit_metadata)
                self.txn_start_timestamp = transit_metadata.txn_start_timestamp
                self.add_partitions(transit_metadata.topic_partitions)

            case TransactionState.PrepareAbort | TransactionState.PrepareCommit:  # by EndTxn
                if (not self._valid_producer_epoch(transit_metadata)
                        or self.topic_partitions != transit_metadata.topic_partitions
                        or self.txn_timeout_ms != transit_metadata.txn_timeout_ms
                        or self.txn_start_timestamp != transit_metadata.txn_start_timestamp):
                    self._throw_state_transition_failure(transit_metadata)

            case TransactionState.CompleteAbort | TransactionState.CompleteCommit:  # by markers
                if (not self._valid_producer_epoch(transit_metadata)
                        or self.txn_timeout_ms != transit_metadata.txn_timeout_ms
                        or transit_metadata.txn_start_timestamp == -1):
                    self._throw_state_transition_failure(transit_metadata)
                self.txn_start_timestamp = transit_metadata.txn_start_timestamp
                self.topic_partitions.clear()

            case TransactionState.PrepareEpochFence:
                # This state is only ever pending: PrepareAbort replaces it before the append.
                self._throw_state_transition_failure(transit_metadata)

            case TransactionState.Dead:
                # A Dead id is removed from the cache; its state is not completed.
                raise IllegalStateException(
                    f"TransactionalId {self.transactional_id} is trying to complete a transition to "
                    f"{to_state}. This means that the transactionalId was being expired, and the only "
                    "acceptable completion of this operation is to remove the transaction metadata from the "
                    f"cache, not to persist the {to_state} in the log.")

        self.debug("TransactionalId %s complete transition from %s to %s", self.transactional_id, self.state,
                   transit_metadata)
        self.txn_last_update_timestamp = transit_metadata.txn_last_update_timestamp
        self.pending_state = None
        self.state = to_state

    def _valid_producer_epoch(self, transit_metadata: TxnTransitMetadata) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#validProducerEpoch"""
        return (transit_metadata.producer_epoch == self.producer_epoch
                and transit_metadata.producer_id == self.producer_id)

    def _valid_producer_epoch_bump(self, transit_metadata: TxnTransitMetadata) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#validProducerEpochBump"""
        transit_epoch = transit_metadata.producer_epoch
        return transit_epoch == self.producer_epoch + 1 or (
            transit_epoch == 0 and transit_metadata.producer_id != self.producer_id)

    def _throw_state_transition_failure(self, txn_transit_metadata: TxnTransitMetadata) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#throwStateTransitionFailure"""
        self.fatal("%s's transition to %s failed: this should not happen", self, txn_transit_metadata)
        raise IllegalStateException(
            f"TransactionalId {self.transactional_id} failed transition to state {txn_transit_metadata} "
            "due to unexpected metadata")

    def pending_transition_in_progress(self) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#pendingTransitionInProgress"""
        return self.pending_state is not None

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#toString"""
        return (f"TransactionMetadata(transactionalId={self.transactional_id}, "
                f"producerId={self.producer_id}, producerEpoch={self.producer_epoch}, "
                f"txnTimeoutMs={self.txn_timeout_ms}, state={self.state}, "
                f"pendingState={self.pending_state}, topicPartitions={_text(self.topic_partitions)}, "
                f"txnStartTimestamp={self.txn_start_timestamp}, "
                f"txnLastUpdateTimestamp={self.txn_last_update_timestamp})")

    def __eq__(self, other: object) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMetadata#equals"""
        return isinstance(other, TransactionMetadata) and (
            self.transactional_id == other.transactional_id
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.last_producer_epoch == other.last_producer_epoch
            and self.txn_timeout_ms == other.txn_timeout_ms
            and self.state is other.state
            and self.topic_partitions == other.topic_partitions
            and self.txn_start_timestamp == other.txn_start_timestamp
            and self.txn_last_update_timestamp == other.txn_last_update_timestamp)

    __hash__ = None  # type: ignore[assignment]


def _text(partitions: Iterable[TopicPartition]) -> str:
    return f"Set({', '.join(sorted(map(str, partitions)))})"
