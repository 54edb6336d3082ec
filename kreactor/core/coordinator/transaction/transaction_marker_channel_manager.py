# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMarkerChannelManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Has the markers of ended transactions written, and then the last change of the transactions' state.

The thread that ends a transaction puts its markers into queues. Each leading node has a queue for every
partition of ``__transaction_state``, so that the markers of a lost partition can be removed together. The
sender thread drains the queues. Markers whose partitions have no reachable leader wait in a queue of their
own, and are tried in each round. Deleted partitions need no marker.

A transaction is in ``_transactions_with_pending_markers`` until all its partitions have their markers.
Exactly one thread removes it, and that thread appends the change to CompleteCommit or CompleteAbort. A failed
append goes into ``_txn_log_append_retry_queue``.

DEVIATION D231: Two kinds of failures are retried as long as this node coordinates the transactional id. One
is a marker that fails with an error that Kafka does not expect. The other is an append of CompleteCommit or
CompleteAbort that a full disk refuses. Kafka logs the first and drops the second. There, a restart or the
next leader reads PrepareCommit or PrepareAbort and starts again. Here the broker survives a full disk, so
without retries the id would answer CONCURRENT_TRANSACTIONS until a restart. The failure of one transaction
does not stop the others of the same request.

DEVIATION D517: A failure of one transaction is logged while the queues are drained, and the others are sent.
In Kafka it ends the process, and the restart reads the drained transactions from the log. Here it would end
a process that a broker is only a part of, such as a test run.

Locks: only those of the queues, and ``_pending_lock``, which makes a lookup and its removal one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Callable, NamedTuple, TypeVar

from kreactor.common.errors import BrokerNotAvailableException
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.coordinator.transaction.transaction_marker_request_completion_handler import (
    TransactionMarkerRequestCompletionHandler,
)
from kreactor.core.coordinator.transaction.transaction_metadata import (
    TransactionMetadata,
    TxnTransitMetadata,
)
from kreactor.core.coordinator.transaction.transaction_state_manager import (
    CoordinatorEpochAndTxnMetadata,
    TransactionStateManager,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.jdk.concurrent import Event, LinkedBlockingDeque
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.shutdownable_thread import ShutdownableThread

T = TypeVar("T")

# DEVIATION D138: this thread writes the markers through the handler of WriteTxnMarkers. Kafka sends that
# request to each node, even to this one. A failed write is retried after this time; in Kafka only the round
# trip delays the retry.
_RETRY_BACKOFF_MS = 50

TxnMarkerEntry = WriteTxnMarkersRequest.TxnMarkerEntry
# Appends markers to this node's logs, and calls back with each result.
WriteTxnMarkers = Callable[
    [Sequence[TxnMarkerEntry], RequestLocal, Callable[[WriteTxnMarkersResponse], None]], None]


class TransactionMarkerChannelManager(ShutdownableThread, Logging):
    """The thread that sends markers. The constructor does not start it.

    :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager
    :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager
    """

    UNKNOWN_DESTINATION_QUEUE_SIZE_METRIC_NAME = "UnknownDestinationQueueSize"
    LOG_APPEND_RETRY_QUEUE_SIZE_METRIC_NAME = "LogAppendRetryQueueSize"

    METRIC_NAMES = frozenset((
        UNKNOWN_DESTINATION_QUEUE_SIZE_METRIC_NAME, LOG_APPEND_RETRY_QUEUE_SIZE_METRIC_NAME))

    _CONTINUES_AFTER_ERROR = True

    def __init__(
        self, config: KafkaConfig, metadata_cache: MetadataCache, write_txn_markers: WriteTxnMarkers,
        txn_state_manager: TransactionStateManager, time: Time,
        metrics_registry: MetricsRegistry | None = None,
    ) -> None:
        """
        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#TransactionMarkerChannelManager
        """
        # DEVIATION D138: not interruptible, because this thread appends markers itself.
        super().__init__(f"TxnMarkerSenderThread-{config.broker_id()}", False)
        self._log_ident = f"[Transaction Marker Channel Manager {config.broker_id()}]: "
        self._metadata_cache = metadata_cache
        self._write_txn_markers = write_txn_markers
        self._txn_state_manager = txn_state_manager
        self._time = time
        self._metrics_group = KafkaMetricsGroup(type(self), metrics_registry)
        self._inter_broker_listener_name: ListenerName = config.inter_broker_listener_name()

        self._markers_queue_per_broker: Pool[int, TxnMarkerQueue] = Pool()
        self._markers_queue_for_unknown_broker = TxnMarkerQueue(Node.no_node())
        self._txn_log_append_retry_queue: LinkedBlockingDeque[PendingCompleteTxn] = LinkedBlockingDeque()
        self._pending_lock = Lock()
        # Guarded by the lock.
        self._transactions_with_pending_markers: dict[str, PendingCompleteTxn] = {}

        # Guards the next two attributes.
        self._start_lock = Lock()
        self._may_start = self._has_begun = False
        # Set by the thread that puts an element into a queue.
        self._wake_up = Event()
        # True if a part of the last round must be retried.
        self._has_retries = False
        # The last failure that was logged: a failure that repeats in every round is logged once.
        self._last_failure: str | None = None

        group = self._metrics_group
        group.new_gauge(self.UNKNOWN_DESTINATION_QUEUE_SIZE_METRIC_NAME,
                        lambda: self._markers_queue_for_unknown_broker.total_num_markers())
        group.new_gauge(self.LOG_APPEND_RETRY_QUEUE_SIZE_METRIC_NAME,
                        lambda: self._txn_log_append_retry_queue.qsize())

    def start(self) -> None:
        """Allow the thread to start when the first marker is queued."""
        # DEVIATION D343: a broker without transactions has no thread for their markers.
        with self._start_lock:
            self._may_start = True

    # -- in the place of InterBrokerSendThread -----------------------------------------------------

    def poll_once(self) -> None:
        """Send all queued markers. Raises FatalExitError if the queues cannot be drained, as Kafka does.

        :origin: server.util.InterBrokerSendThread#pollOnce(long)
        """
        # Cleared before the queues are drained, so that an element that comes later wakes the thread again.
        self._wake_up.clear()
        self._has_retries = False
        try:
            for request in self.generate_requests():
                self._send(request)
        except FatalExitError:
            raise
        except Exception as t:
            self.error("unhandled exception in %s", self.name, exc=t)
            raise FatalExitError() from t

    def do_work(self) -> None:
        """Wait for queued elements, or for the time of the next retry; then send.

        :origin: server.util.InterBrokerSendThread#doWork()
        """
        if self._has_retries:
            # New elements do not end this pause, because they do not help the failed ones.
            self.pause(_RETRY_BACKOFF_MS, TimeUnit.MILLISECONDS)
        else:
            self._wake_up.wait()
        self.poll_once()

    def _send(self, request: RequestAndCompletionHandler) -> None:
        try:
            self._write_txn_markers(
                request.markers, RequestLocal.NoCaching, lambda response: self._complete(request, response))
        except BrokerNotAvailableException:
            # Not logged: each round repeats it until the partition has a leader again.
            self._complete(request, None)
        except Exception as e:
            # Kafka handles a node without a response in the same way.
            self.error("failed to write transaction markers", exc=e)
            self._complete(request, None)

    def _complete(self, request: RequestAndCompletionHandler,
                  response: WriteTxnMarkersResponse | None) -> None:
        try:
            request.handler.on_complete(response)
        except Exception as e:
            # In Kafka, NetworkClient.completeResponses logs the exception and continues.
            self._log_failure("uncaught error in request completion", e)

    def _log_failure(self, what: str, e: Exception) -> None:
        """Log a failure that is retried, unless the last logged failure was the same."""
        text = f"{what}: {e!r}"
        if text != self._last_failure:
            self._last_failure = text
            self.error("%s", what, exc=e)

    def wakeup(self) -> None:
        """Have the thread drain its queues.

        :origin: server.util.InterBrokerSendThread#wakeup()
        """
        self._wake_up.set()
        with self._start_lock:
            if self._may_start and not self._has_begun and self.is_running():
                super().start()
                self._has_begun = True

    # -- TransactionMarkerChannelManager -----------------------------------------------------------

    def shutdown(self) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#shutdown"""
        try:
            self.initiate_shutdown()
            self.wakeup()
            self.await_shutdown()
            self._markers_queue_per_broker.clear()
        finally:
            self._remove_metrics()

    def _remove_metrics(self) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#removeMetrics"""
        for name in self.METRIC_NAMES:
            self._metrics_group.remove_metric(name)

    def queue_for_broker(self, broker_id: int) -> TxnMarkerQueue | None:
        """Return the queue of a node. For tests.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#queueForBroker
        """
        return self._markers_queue_per_broker.get(broker_id)

    def queue_for_unknown_broker(self) -> TxnMarkerQueue:
        """Return the queue of unreachable leaders. For tests.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#queueForUnknownBroker
        """
        return self._markers_queue_for_unknown_broker

    def add_markers_for_broker(self, broker: Node, txn_topic_partition: int,
                               pending_complete_txn_and_marker: PendingCompleteTxnAndMarkerEntry) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#addMarkersForBroker"""
        broker_id = broker.id()
        # A concurrent change of the address does no harm, because a failed send is retried.
        broker_request_queue = self._markers_queue_per_broker.get_and_maybe_put_create_value(
            broker_id, lambda: TxnMarkerQueue(broker))
        broker_request_queue.destination = broker
        broker_request_queue.add_markers(txn_topic_partition, pending_complete_txn_and_marker)

        self.trace("added marker %s for transactional id %s to destination broker %d",
                   pending_complete_txn_and_marker.txn_marker_entry,
                   pending_complete_txn_and_marker.pending_complete_txn.transactional_id, broker_id)

    def _retry_log_appends(self) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#retryLogAppends"""
        for txn_log_append in _drained(self._txn_log_append_retry_queue):
            self.debug("retry appending %s transaction log", txn_log_append)
            try:
                self._try_append_to_log(txn_log_append)
            except Exception as e:
                # D517: the state of the transaction forbids the change, so that a retry would fail, too.
                self._log_failure("the completion of a transaction is not in the log", e)

    def generate_requests(self) -> list[RequestAndCompletionHandler]:
        """Drain all queues, and return the markers by node.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#generateRequests
        """
        self._retry_log_appends()
        for pending_complete_txn_and_marker in self._markers_queue_for_unknown_broker.drain():
            txn_marker_entry = pending_complete_txn_and_marker.txn_marker_entry
            pending_complete_txn = pending_complete_txn_and_marker.pending_complete_txn
            try:
                self.add_txn_markers_to_broker_queue(
                    txn_marker_entry.producer_id, txn_marker_entry.producer_epoch,
                    txn_marker_entry.transaction_result, pending_complete_txn,
                    frozenset(txn_marker_entry.partitions))
            except IllegalStateException as e:
                # D517
                self._log_failure("the markers of a transaction are not sent", e)
            except Exception as e:
                self._log_failure("the markers of a transaction are sent later", e)
                self._markers_queue_for_unknown_broker.add_markers(
                    self._txn_state_manager.partition_for(pending_complete_txn.transactional_id),
                    pending_complete_txn_and_marker)
                self._try_again_later()

        current_time_ms = self._time.milliseconds()
        requests = []
        for broker_request_queue in self._markers_queue_per_broker.values():
            entries = broker_request_queue.drain()
            if entries:
                node = broker_request_queue.destination
                requests.append(RequestAndCompletionHandler(
                    current_time_ms, node, [entry.txn_marker_entry for entry in entries],
                    TransactionMarkerRequestCompletionHandler(
                        node.id(), self._txn_state_manager, self, entries)))
        return requests

    def _write_txn_completion(self, pending_complete_txn: PendingCompleteTxn) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#writeTxnCompletion"""
        transactional_id = pending_complete_txn.transactional_id
        txn_metadata = pending_complete_txn.txn_metadata
        new_metadata = pending_complete_txn.new_metadata
        coordinator_epoch = pending_complete_txn.coordinator_epoch

        self.trace("completed sending transaction markers for %s; begin transition to %s", transactional_id,
                   new_metadata.txn_state)

        found = self._txn_state_manager.get_transaction_state(transactional_id)
        if found is Errors.NOT_COORDINATOR:
            self.info("no longer the coordinator for %s with coordinator epoch %d; cancel appending %s to "
                      "transaction log", transactional_id, coordinator_epoch, new_metadata)
        elif found is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            self.info("loading the transaction partition that contains %s while my current coordinator epoch "
                      "is %d; so cancel appending %s to transaction log since the loading process will "
                      "continue the remaining work", transactional_id, coordinator_epoch, new_metadata)
        elif isinstance(found, Errors):
            raise IllegalStateException(
                f"Unhandled error {found} when fetching current transaction state")
        elif found is None:
            raise self._no_metadata(transactional_id)
        elif found.coordinator_epoch == coordinator_epoch:
            self.debug("sending %s's transaction markers for %s with coordinator epoch %d succeeded, trying "
                       "to append complete transaction log now", transactional_id, txn_metadata,
                       coordinator_epoch)
            self._try_append_to_log(pending_complete_txn)
        else:
            self.info("the cached metadata %s has changed to %s after completed sending the markers with "
                      "coordinator epoch %d; abort transiting the metadata to %s as it may have been updated "
                      "by another process", txn_metadata, found, coordinator_epoch, new_metadata)

    def add_txn_markers_to_send(self, coordinator_epoch: int, txn_result: TransactionResult,
                                txn_metadata: TransactionMetadata, new_metadata: TxnTransitMetadata) -> None:
        """Have a transaction's markers sent, and its state changed to ``new_metadata`` afterwards.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#addTxnMarkersToSend
        """
        transactional_id = txn_metadata.transactional_id
        pending_complete_txn = PendingCompleteTxn(
            transactional_id, coordinator_epoch, txn_metadata, new_metadata)

        with self._pending_lock:
            prev = self._transactions_with_pending_markers.get(transactional_id)
            self._transactions_with_pending_markers[transactional_id] = pending_complete_txn
        if prev is not None:
            self.info("replaced an existing pending complete txn %s with %s while adding markers to send",
                      prev, pending_complete_txn)
        self.add_txn_markers_to_broker_queue(
            txn_metadata.producer_id, txn_metadata.producer_epoch, txn_result, pending_complete_txn,
            frozenset(txn_metadata.topic_partitions))
        self.maybe_write_txn_completion(transactional_id)

    def num_txns_with_pending_markers(self) -> int:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#numTxnsWithPendingMarkers"""
        return len(self._transactions_with_pending_markers)

    def _has_pending_markers_to_write(self, txn_metadata: TransactionMetadata) -> bool:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#hasPendingMarkersToWrite"""
        with txn_metadata.lock:
            return bool(txn_metadata.topic_partitions)

    def maybe_write_txn_completion(self, transactional_id: str) -> None:
        """Append a transaction's last state if all its markers are written and no other thread has appended
        it.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#maybeWriteTxnCompletion
        """
        pending_complete_txn = self._transactions_with_pending_markers.get(transactional_id)
        if (pending_complete_txn is not None
                and not self._has_pending_markers_to_write(pending_complete_txn.txn_metadata)
                and self._remove_pending(pending_complete_txn)):
            try:
                self._write_txn_completion(pending_complete_txn)
            except Exception as e:
                pending_state = pending_complete_txn.txn_metadata.pending_state
                if (isinstance(e, IllegalStateException)
                        or pending_state is not pending_complete_txn.new_metadata.txn_state):
                    raise
                # D231: the append is outstanding, and no other collection holds the transaction any more.
                self._log_failure("the completion of a transaction is not in the log", e)
                self._retry_append(pending_complete_txn)

    def _try_append_to_log(self, txn_log_append: PendingCompleteTxn) -> None:
        """:origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#tryAppendToLog"""
        transactional_id = txn_log_append.transactional_id

        def append_callback(error: Errors) -> None:
            if error is Errors.NONE:
                self.trace("completed transaction for %s with coordinator epoch %d, final state after "
                           "commit: %s", transactional_id, txn_log_append.coordinator_epoch,
                           txn_log_append.txn_metadata.state)
            elif error is Errors.NOT_COORDINATOR and not self._is_coordinator(txn_log_append):
                self.info("no longer the coordinator for transactionalId: %s while trying to append to "
                          "transaction log, skip writing to transaction log", transactional_id)
            elif error is Errors.COORDINATOR_NOT_AVAILABLE or error is Errors.NOT_COORDINATOR:
                # A disk that refuses the append also appears as NOT_COORDINATOR.
                self.info("not available to append %s; retry appending", txn_log_append)
                self._retry_append(txn_log_append)
            elif error is Errors.COORDINATOR_LOAD_IN_PROGRESS:
                self.info("coordinator is loading the partition %d and hence cannot complete append of %s; "
                          "skip writing to transaction log as the loading process should complete it",
                          self._txn_state_manager.partition_for(transactional_id), txn_log_append)
            else:
                error_msg = (f"Unexpected error {error.exception_name()} while appending to transaction log "
                             f"for {transactional_id}")
                self._log_failure("the completion of a transaction is not in the log",
                                  IllegalStateException(error_msg))
                self._retry_append(txn_log_append)

        try:
            self._txn_state_manager.append_transaction_to_log(
                transactional_id, txn_log_append.coordinator_epoch, txn_log_append.new_metadata,
                append_callback, lambda error: True, RequestLocal.NoCaching)
        except Exception as e:
            if txn_log_append.txn_metadata.pending_state is not txn_log_append.new_metadata.txn_state:
                raise
            # The failure came before the append: nothing is written, and the change is still pending.
            self._log_failure("the completion of a transaction is not in the log", e)
            self._retry_append(txn_log_append)

    def _is_coordinator(self, pending_complete_txn: PendingCompleteTxn) -> bool:
        """Return whether this node still coordinates the transaction, under the same epoch."""
        found = self._txn_state_manager.get_transaction_state(pending_complete_txn.transactional_id)
        return (isinstance(found, CoordinatorEpochAndTxnMetadata)
                and found.coordinator_epoch == pending_complete_txn.coordinator_epoch)

    def _retry_append(self, txn_log_append: PendingCompleteTxn) -> None:
        self._txn_log_append_retry_queue.put(txn_log_append)
        self._try_again_later()

    def retry_markers(self, pending_complete_txn_and_marker: PendingCompleteTxnAndMarkerEntry) -> None:
        """Have the unwritten markers of an unexpected failure sent again: D231.

        Markers that are known to be written are left out.
        """
        pending_complete_txn = pending_complete_txn_and_marker.pending_complete_txn
        marker = pending_complete_txn_and_marker.txn_marker_entry
        if not self._is_coordinator(pending_complete_txn):
            self.remove_markers_for_txn(pending_complete_txn)
            return
        txn_metadata = pending_complete_txn.txn_metadata
        with txn_metadata.lock:
            partitions = txn_metadata.topic_partitions.intersection(marker.partitions)
        if partitions and self._is_pending(pending_complete_txn):
            self.add_txn_markers_to_broker_queue(
                marker.producer_id, marker.producer_epoch, marker.transaction_result, pending_complete_txn,
                partitions, is_retry=True)

    def _is_pending(self, pending_complete_txn: PendingCompleteTxn) -> bool:
        found = self._transactions_with_pending_markers.get(pending_complete_txn.transactional_id)
        return found == pending_complete_txn

    def add_txn_markers_to_broker_queue(
        self, producer_id: int, producer_epoch: int, result: TransactionResult,
        pending_complete_txn: PendingCompleteTxn, topic_partitions: AbstractSet[TopicPartition],
        is_retry: bool = False,
    ) -> None:
        """Put markers into the queues of their partitions' leaders. ``is_retry`` delays them.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#addTxnMarkersToBrokerQueue
        """
        txn_topic_partition = self._txn_state_manager.partition_for(pending_complete_txn.transactional_id)
        partitions_by_destination: dict[Node | None, list[TopicPartition]] = {}
        for topic_partition in topic_partitions:
            leader = self._metadata_cache.get_partition_leader_endpoint(
                topic_partition.topic(), topic_partition.partition(), self._inter_broker_listener_name)
            partitions_by_destination.setdefault(leader, []).append(topic_partition)

        coordinator_epoch = pending_complete_txn.coordinator_epoch
        for broker, partitions in partitions_by_destination.items():
            if broker is not None:
                marker = TxnMarkerEntry(
                    producer_id, producer_epoch, coordinator_epoch, result, tuple(partitions))
                pending_complete_txn_and_marker = PendingCompleteTxnAndMarkerEntry(
                    pending_complete_txn, marker)
                if broker == Node.no_node():
                    # The leader is known but unreachable now, so the thread retries.
                    self._markers_queue_for_unknown_broker.add_markers(
                        txn_topic_partition, pending_complete_txn_and_marker)
                    self._try_again_later()
                else:
                    self.add_markers_for_broker(broker, txn_topic_partition, pending_complete_txn_and_marker)
                continue
            transactional_id = pending_complete_txn.transactional_id
            found = self._txn_state_manager.get_transaction_state(transactional_id)
            if isinstance(found, Errors):
                self.info("encountered %s trying to fetch transaction metadata for %s with coordinator epoch "
                          "%d; cancel sending markers to its partition leaders", found, transactional_id,
                          coordinator_epoch)
                self._remove_pending(pending_complete_txn)
            elif found is None:
                raise self._no_metadata(transactional_id)
            else:
                self._skip_markers(found, partitions, pending_complete_txn)
        if is_retry:
            self._try_again_later()

        self.wakeup()

    def _skip_markers(self, found: CoordinatorEpochAndTxnMetadata, partitions: Sequence[TopicPartition],
                      pending_complete_txn: PendingCompleteTxn) -> None:
        """Drop the markers of deleted partitions. In Kafka this is a part of
        ``addTxnMarkersToBrokerQueue``."""
        transactional_id = pending_complete_txn.transactional_id
        coordinator_epoch = pending_complete_txn.coordinator_epoch
        if found.coordinator_epoch != coordinator_epoch:
            self.info("the cached metadata has changed to %s (old coordinator epoch is %d) since preparing "
                      "to send markers; cancel sending markers to its partition leaders", found,
                      coordinator_epoch)
            self._remove_pending(pending_complete_txn)
            return
        self.info("couldn't find leader endpoint for partitions %s while trying to send transaction markers "
                  "for %s, these partitions are likely deleted already and hence can be skipped",
                  ", ".join(map(str, partitions)), transactional_id)
        txn_metadata = found.transaction_metadata
        with txn_metadata.lock:
            for topic_partition in partitions:
                txn_metadata.remove_partition(topic_partition)
        self.maybe_write_txn_completion(transactional_id)

    def remove_markers_for_txn_topic_partition(self, txn_topic_partition_id: int) -> None:
        """Drop the markers of a partition of ``__transaction_state``.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#removeMarkersForTxnTopicPartition
        """  # noqa: E501
        for broker_queue in (
                self._markers_queue_for_unknown_broker, *self._markers_queue_per_broker.values()):
            removed = broker_queue.remove_markers_for_txn_topic_partition(txn_topic_partition_id)
            for entry in () if removed is None else _drained(removed):
                self.info("removing %s for txn partition %d to destination broker %d", entry,
                          txn_topic_partition_id, broker_queue.destination.id())
                self.remove_markers_for_txn(entry.pending_complete_txn)

    def remove_markers_for_txn(self, pending_complete_txn: PendingCompleteTxn) -> None:
        """Stop waiting for the markers of a transaction.

        :origin: kafka.coordinator.transaction.TransactionMarkerChannelManager#removeMarkersForTxn
        """
        if not self._remove_pending(pending_complete_txn):
            current = self._transactions_with_pending_markers.get(pending_complete_txn.transactional_id)
            if current is not None:
                self.info("failed to remove pending marker entry %s trying to remove %s", current,
                          pending_complete_txn)

    def _remove_pending(self, pending_complete_txn: PendingCompleteTxn) -> bool:
        """Remove the transaction; return whether it was there. Returns True to one caller only."""
        transactional_id = pending_complete_txn.transactional_id
        with self._pending_lock:
            if self._transactions_with_pending_markers.get(transactional_id) != pending_complete_txn:
                return False
            del self._transactions_with_pending_markers[transactional_id]
            return True

    def _try_again_later(self) -> None:
        self._has_retries = True
        self.wakeup()

    def _no_metadata(self, transactional_id: str) -> IllegalStateException:
        error_msg = (f"The coordinator still owns the transaction partition for {transactional_id}, but "
                     "there is no metadata in the cache; this is not expected")
        self.fatal("%s", error_msg)
        return IllegalStateException(error_msg)


class TxnMarkerQueue(Logging):
    """The markers for one node. For use by any thread.

    :origin: kafka.coordinator.transaction.TxnMarkerQueue
    """

    __slots__ = ("destination", "_markers_per_txn_topic_partition")

    def __init__(self, destination: Node) -> None:
        """:origin: kafka.coordinator.transaction.TxnMarkerQueue#TxnMarkerQueue"""
        self.destination = destination
        self._markers_per_txn_topic_partition: Pool[int, MarkerQueue] = Pool()

    def remove_markers_for_txn_topic_partition(self, partition: int) -> MarkerQueue | None:
        """Remove and return the queue of a partition of ``__transaction_state``.

        :origin: kafka.coordinator.transaction.TxnMarkerQueue#removeMarkersForTxnTopicPartition
        """
        return self._markers_per_txn_topic_partition.remove(partition)

    def add_markers(self, txn_topic_partition: int,
                    pending_complete_txn_and_marker: PendingCompleteTxnAndMarkerEntry) -> None:
        """:origin: kafka.coordinator.transaction.TxnMarkerQueue#addMarkers"""
        def new_queue() -> MarkerQueue:
            self.debug("creating new marker queue for txn partition %d to destination broker %d",
                       txn_topic_partition, self.destination.id())
            return LinkedBlockingDeque()

        marker_queue = self._markers_per_txn_topic_partition.get_and_maybe_put_create_value(
            txn_topic_partition, new_queue)
        marker_queue.put(pending_complete_txn_and_marker)

        if self._markers_per_txn_topic_partition.get(txn_topic_partition) is not marker_queue:
            # Another thread removed and drained the queue before this marker was put into it. The transaction
            # keeps waiting for its markers until it is ended again; that does no harm.
            self.warn("added %s to dead queue for txn partition %d to destination broker %d",
                      pending_complete_txn_and_marker, txn_topic_partition, self.destination.id())

    def drain(self) -> list[PendingCompleteTxnAndMarkerEntry]:
        """Remove and return the markers of all partitions.

        :origin: kafka.coordinator.transaction.TxnMarkerQueue#forEachTxnTopicPartition
        """
        return [entry for marker_queue in self._markers_per_txn_topic_partition.values()
                for entry in _drained(marker_queue)]

    def total_num_markers(self, txn_topic_partition: int | None = None) -> int:
        """Return the number of queued markers, of one partition or of all.

        :origin: kafka.coordinator.transaction.TxnMarkerQueue#totalNumMarkers
        :origin: kafka.coordinator.transaction.TxnMarkerQueue#totalNumMarkers(Int)
        """
        if txn_topic_partition is not None:
            marker_queue = self._markers_per_txn_topic_partition.get(txn_topic_partition)
            return 0 if marker_queue is None else marker_queue.qsize()
        return sum(marker_queue.qsize() for marker_queue in self._markers_per_txn_topic_partition.values())


class PendingCompleteTxn(NamedTuple):
    """A transaction whose markers are in flight. Compared by content, as Scala's case classes are.

    :origin: kafka.coordinator.transaction.PendingCompleteTxn
    """

    transactional_id: str
    coordinator_epoch: int
    txn_metadata: TransactionMetadata
    new_metadata: TxnTransitMetadata

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.PendingCompleteTxn#toString"""
        return (f"PendingCompleteTxn(transactionalId={self.transactional_id}, "
                f"coordinatorEpoch={self.coordinator_epoch}, txnMetadata={self.txn_metadata}, "
                f"newMetadata={self.new_metadata})")


class PendingCompleteTxnAndMarkerEntry(NamedTuple):
    """:origin: kafka.coordinator.transaction.PendingCompleteTxnAndMarkerEntry"""

    pending_complete_txn: PendingCompleteTxn
    txn_marker_entry: TxnMarkerEntry


MarkerQueue = LinkedBlockingDeque[PendingCompleteTxnAndMarkerEntry]


class RequestAndCompletionHandler:
    """The markers for a node, and the handler of their results.

    :origin: server.util.RequestAndCompletionHandler
    """

    __slots__ = ("creation_time_ms", "destination", "markers", "handler")

    def __init__(self, creation_time_ms: int, destination: Node, markers: Sequence[TxnMarkerEntry],
                 handler: TransactionMarkerRequestCompletionHandler) -> None:
        """
        :origin: server.util.RequestAndCompletionHandler#RequestAndCompletionHandler(long, Node, AbstractRequest.Builder<? extends AbstractRequest>, RequestCompletionHandler)
        """  # noqa: E501
        self.creation_time_ms = creation_time_ms
        self.destination = destination
        # The request's content, because with D138 there is no request.
        # :origin: server.util.RequestAndCompletionHandler#request
        self.markers = markers
        self.handler = handler

    def __str__(self) -> str:
        """:origin: server.util.RequestAndCompletionHandler#toString()"""
        markers = ", ".join(map(str, self.markers))
        return (f"RequestAndCompletionHandler(creationTimeMs={self.creation_time_ms}, "
                f"destination={self.destination}, request=[{markers}], handler={self.handler})")


def _drained(elements: LinkedBlockingDeque[T]) -> list[T]:
    """Remove and return the current elements of a queue."""
    drained: list[T] = []
    while (element := elements.poll()) is not None:
        drained.append(element)
    return drained
