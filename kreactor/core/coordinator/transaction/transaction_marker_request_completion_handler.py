# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Completes or retries transactions by the results of their markers."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata
from kreactor.core.coordinator.transaction.transaction_state_manager import (
    CoordinatorEpochAndTxnMetadata,
    TransactionStateManager,
)
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalStateException

if TYPE_CHECKING:
    from kreactor.core.coordinator.transaction.transaction_marker_channel_manager import (
        PendingCompleteTxn,
        PendingCompleteTxnAndMarkerEntry,
        TransactionMarkerChannelManager,
    )

# Errors that only a fault of the coordinator itself can cause.
_FATAL = (Errors.CORRUPT_MESSAGE, Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE,
          Errors.INVALID_REQUIRED_ACKS)
_RETRIABLE = (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS,
              Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.REQUEST_TIMED_OUT, Errors.KAFKA_STORAGE_ERROR)
# The producer or the coordinator was replaced, so this coordinator drops the transaction.
_FENCED = (Errors.INVALID_PRODUCER_EPOCH, Errors.TRANSACTION_COORDINATOR_FENCED)
# The producer cannot have written transactional records to the partition.
_WITHOUT_TRANSACTIONS = (Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, Errors.UNSUPPORTED_VERSION)


class TransactionMarkerRequestCompletionHandler(Logging):
    """:origin: kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler"""

    __slots__ = ("_log_ident", "_txn_state_manager", "_txn_marker_channel_manager",
                 "_pending_complete_txn_and_marker_entries")

    def __init__(
        self, broker_id: int, txn_state_manager: TransactionStateManager,
        txn_marker_channel_manager: TransactionMarkerChannelManager,
        pending_complete_txn_and_marker_entries: Sequence[PendingCompleteTxnAndMarkerEntry],
    ) -> None:
        """
        :origin: kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler#TransactionMarkerRequestCompletionHandler
        """  # noqa: E501
        self._log_ident = f"[Transaction Marker Request Completion Handler {broker_id}]: "
        self._txn_state_manager = txn_state_manager
        self._txn_marker_channel_manager = txn_marker_channel_manager
        self._pending_complete_txn_and_marker_entries = pending_complete_txn_and_marker_entries

    def on_complete(self, response: WriteTxnMarkersResponse | None) -> None:
        """Handle the results of all transactions. Without a response (None), the markers are sent again.

        Raises IllegalStateException for an unexpected result, after it has handled all transactions.

        :origin: kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler#onComplete
        """
        failure: Exception | None = None
        if response is None:
            self.trace("markers were not written")
            complete = self._complete_without_response
        else:
            self.debug("received WriteTxnMarker response %s", response)
            complete = functools.partial(self._complete, response.errors_by_producer_id())
        for pending_complete_txn_and_marker in self._pending_complete_txn_and_marker_entries:
            try:
                complete(pending_complete_txn_and_marker)
            except Exception as e:
                # DEVIATION D231: the other transactions continue, and this one is retried.
                self._txn_marker_channel_manager.retry_markers(pending_complete_txn_and_marker)
                failure = failure or e
        if failure is not None:
            raise failure

    def _complete_without_response(
        self, pending_complete_txn_and_marker: PendingCompleteTxnAndMarkerEntry,
    ) -> None:
        """Handle one transaction without a response. In Kafka this is the body of a loop in
        ``onComplete``."""
        pending_complete_txn = pending_complete_txn_and_marker.pending_complete_txn
        txn_marker = pending_complete_txn_and_marker.txn_marker_entry
        epoch_and_metadata = self._find_transaction(pending_complete_txn, txn_marker)
        if epoch_and_metadata is not None:
            self._enqueue_again(txn_marker, pending_complete_txn, txn_marker.partitions)

    def _complete(self, response_errors: Mapping[int, Mapping[TopicPartition, Errors]],
                  pending_complete_txn_and_marker: PendingCompleteTxnAndMarkerEntry) -> None:
        """Handle the results of one transaction. In Kafka this is the body of the other loop in
        ``onComplete``."""
        pending_complete_txn = pending_complete_txn_and_marker.pending_complete_txn
        transactional_id = pending_complete_txn.transactional_id
        txn_marker = pending_complete_txn_and_marker.txn_marker_entry
        errors = response_errors.get(txn_marker.producer_id)
        if errors is None:
            raise IllegalStateException(
                "WriteTxnMarkerResponse does not contain expected error map for producer id "
                f"{txn_marker.producer_id}")

        epoch_and_metadata = self._find_transaction(pending_complete_txn, txn_marker)
        if epoch_and_metadata is None:
            return
        txn_metadata = epoch_and_metadata.transaction_metadata
        with txn_metadata.lock:
            retry_partitions = self._partitions_to_retry(
                errors, txn_metadata, epoch_and_metadata.coordinator_epoch, pending_complete_txn, txn_marker)
        if retry_partitions is None:
            return
        if retry_partitions:
            self._enqueue_again(txn_marker, pending_complete_txn, retry_partitions)
        else:
            self._txn_marker_channel_manager.maybe_write_txn_completion(transactional_id)

    def _find_transaction(
        self, pending_complete_txn: PendingCompleteTxn, txn_marker: WriteTxnMarkersRequest.TxnMarkerEntry,
    ) -> CoordinatorEpochAndTxnMetadata | None:
        """Return the transaction's state, None if this coordinator does not end it any more.

        In Kafka ``onComplete`` contains this part twice.
        """
        transactional_id = pending_complete_txn.transactional_id
        found = self._txn_state_manager.get_transaction_state(transactional_id)
        if found is Errors.NOT_COORDINATOR:
            self.info("I am no longer the coordinator for %s; cancel sending transaction markers %s to the "
                      "brokers", transactional_id, txn_marker)
        elif found is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            self.info("I am loading the transaction partition that contains %s which means the current "
                      "markers have to be obsoleted; cancel sending transaction markers %s to the brokers",
                      transactional_id, txn_marker)
        elif isinstance(found, Errors):
            raise IllegalStateException(
                f"Unhandled error {found} when fetching current transaction state")
        elif found is None:
            raise IllegalStateException(
                f"The coordinator still owns the transaction partition for {transactional_id}, but there is "
                "no metadata in the cache; this is not expected")
        elif found.coordinator_epoch != txn_marker.coordinator_epoch:
            self.info("transaction coordinator epoch for %s has changed from %d to %d; cancel sending "
                      "transaction markers %s to the brokers", transactional_id,
                      txn_marker.coordinator_epoch, found.coordinator_epoch, txn_marker)
        else:
            return found
        self._txn_marker_channel_manager.remove_markers_for_txn(pending_complete_txn)
        return None

    def _partitions_to_retry(
        self, errors: Mapping[TopicPartition, Errors], txn_metadata: TransactionMetadata,
        coordinator_epoch: int, pending_complete_txn: PendingCompleteTxn,
        txn_marker: WriteTxnMarkersRequest.TxnMarkerEntry,
    ) -> set[TopicPartition] | None:
        """Return the partitions to retry, None if this coordinator does not end the transaction any more.

        Called under the lock of ``txn_metadata``. In Kafka this is a part of ``onComplete``.
        """
        transactional_id = pending_complete_txn.transactional_id
        retry_partitions: set[TopicPartition] = set()
        abort_sending = False
        for topic_partition, error in errors.items():
            if error is Errors.NONE:
                txn_metadata.remove_partition(topic_partition)
            elif error in _FATAL:
                raise IllegalStateException(f"Received fatal error {error.exception_name()} while sending "
                                            f"txn marker for {transactional_id}")
            elif error in _RETRIABLE:
                self.info("sending %s's transaction marker for partition %s has failed with error %s, "
                          "retrying with current coordinator epoch %d", transactional_id, topic_partition,
                          error.exception_name(), coordinator_epoch)
                retry_partitions.add(topic_partition)
            elif error in _FENCED:
                self.info("sending %s's transaction marker for partition %s has permanently failed with "
                          "error %s with the current coordinator epoch %d; cancel sending any more "
                          "transaction markers %s to the brokers", transactional_id, topic_partition,
                          error.exception_name(), coordinator_epoch, txn_marker)
                self._txn_marker_channel_manager.remove_markers_for_txn(pending_complete_txn)
                abort_sending = True
            elif error in _WITHOUT_TRANSACTIONS:
                self.info("sending %s's transaction marker from partition %s has failed with %s; it is "
                          "removed from the set of partitions waiting for completion", transactional_id,
                          topic_partition, error.name)
                txn_metadata.remove_partition(topic_partition)
            else:
                raise IllegalStateException(f"Unexpected error {error.exception_name()} while sending txn "
                                            f"marker for {transactional_id}")
        return None if abort_sending else retry_partitions

    def _enqueue_again(
        self, txn_marker: WriteTxnMarkersRequest.TxnMarkerEntry, pending_complete_txn: PendingCompleteTxn,
        partitions: Sequence[TopicPartition] | set[TopicPartition],
    ) -> None:
        """Have markers sent again to their partitions' current leaders. In Kafka this is a part of
        ``onComplete``."""
        self.trace("re-enqueuing %s transaction markers for transactional id %s under coordinator epoch %d",
                   txn_marker.transaction_result, pending_complete_txn.transactional_id,
                   txn_marker.coordinator_epoch)
        self._txn_marker_channel_manager.add_txn_markers_to_broker_queue(
            txn_marker.producer_id, txn_marker.producer_epoch, txn_marker.transaction_result,
            pending_complete_txn, frozenset(partitions), is_retry=True)
