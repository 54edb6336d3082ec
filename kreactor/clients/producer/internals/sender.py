# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.Sender of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The I/O thread of the producer: drains the accumulator into Produce requests, and completes the batches.

Owner: the thread that calls ``run``; only this thread polls the client and uses ``_in_flight_batches``. Any
thread may call ``wakeup``, ``initiate_close``, ``force_close`` and ``is_running``.

A batch is in ``_in_flight_batches`` from the drain until its request is complete or until it expires. The
lists have the order of the drain, so the first batch of a list expires first. A retried batch leaves its
list, and the next drain adds it at the end.

A batch that expires while its request is in flight is completed for the user at once, but the network client
may still write its buffer to the socket. The buffer is returned to the pool when the request is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from kreactor.clients.metadata import Metadata
from kreactor.clients.network_client_utils import NetworkClientUtils
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import (
    AuthenticationException,
    ClusterAuthorizationException,
    FencedLeaderEpochException,
    InvalidMetadataException,
    NotLeaderOrFollowerException,
    RetriableException,
    TimeoutException,
    TopicAuthorizationException,
    TransactionAbortedException,
    TransactionalIdAuthorizationException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalStateException

if TYPE_CHECKING:
    from kreactor.clients.api_versions import ApiVersions
    from kreactor.clients.client_response import ClientResponse
    from kreactor.clients.kafka_client import KafkaClient
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch
    from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
    from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
    from kreactor.clients.producer.internals.sender_metrics_registry import SenderMetricsRegistry
    from kreactor.clients.producer.internals.transaction_manager import TransactionManager
    from kreactor.common.metrics.sensor import Sensor
    from kreactor.common.utils.log_context import LogContext
    from kreactor.common.utils.time import Time

_LONG_MAX_VALUE = 2**63 - 1


class Sender:
    """Sends the accumulator's ready batches, and the transaction manager's requests.

    :origin: clients.producer.internals.Sender
    """

    def __init__(self, log_context: LogContext, client: KafkaClient, metadata: ProducerMetadata,
                 accumulator: RecordAccumulator, guarantee_message_order: bool, max_request_size: int,
                 acks: int, retries: int, metrics_registry: SenderMetricsRegistry, time: Time,
                 request_timeout_ms: int, retry_backoff_ms: int,
                 transaction_manager: TransactionManager | None, api_versions: ApiVersions) -> None:
        """Own ``client``, which ``run`` closes at its end.

        With ``guarantee_message_order`` a partition has at most one request in flight. ``max_request_size``
        is in bytes, times are in milliseconds. ``transaction_manager`` is None without idempotence.

        :origin: clients.producer.internals.Sender#Sender(LogContext, KafkaClient, ProducerMetadata,
            RecordAccumulator, boolean, int, short, int, SenderMetricsRegistry, Time, int, long,
            TransactionManager, ApiVersions)
        """
        self._log = log_context.logger(Sender)
        # Used by the sender's thread only.
        self._client = client
        self._in_flight_batches: dict[TopicPartition, list[ProducerBatch]] = {}
        # These have their own locks.
        self._accumulator = accumulator
        self._metadata = metadata
        self._transaction_manager = transaction_manager
        self._api_versions = api_versions
        # Flags that any thread may set, once each.
        self._running = True
        self._force_close = False
        # Never changed.
        self._guarantee_message_order = guarantee_message_order
        self._max_request_size = max_request_size
        self._acks = acks
        self._retries = retries
        self._time = time
        self._sensors = Sender.SenderMetrics(metrics_registry, metadata, client, time)
        self._request_timeout_ms = request_timeout_ms
        self._retry_backoff_ms = retry_backoff_ms

    def in_flight_batches(self, tp: TopicPartition) -> list[ProducerBatch]:
        """Return the batches of a partition that wait for their responses; for tests.

        :origin: clients.producer.internals.Sender#inFlightBatches(TopicPartition)
        """
        return self._in_flight_batches.get(tp, [])

    def _maybe_remove_from_inflight_batches(self, batch: ProducerBatch) -> None:
        """:origin: clients.producer.internals.Sender#maybeRemoveFromInflightBatches(ProducerBatch)"""
        batches = self._in_flight_batches.get(batch.topic_partition)
        if batches is not None:
            if batch in batches:
                batches.remove(batch)
            if not batches:
                del self._in_flight_batches[batch.topic_partition]

    def _maybe_remove_and_deallocate_batch(self, batch: ProducerBatch) -> None:
        """:origin: clients.producer.internals.Sender#maybeRemoveAndDeallocateBatch(ProducerBatch)"""
        self._maybe_remove_from_inflight_batches(batch)
        self._accumulator.deallocate(batch)

    def _get_expired_inflight_batches(self, now: int) -> list[ProducerBatch]:
        """Remove and return the batches in flight whose delivery timeout has passed.

        Raises IllegalStateException if one of them is done already.

        :origin: clients.producer.internals.Sender#getExpiredInflightBatches(long)
        """
        expired_batches: list[ProducerBatch] = []

        for topic_partition, partition_in_flight_batches in list(self._in_flight_batches.items()):
            while partition_in_flight_batches:
                batch = partition_in_flight_batches[0]
                if batch.has_reached_delivery_timeout(self._accumulator.get_delivery_timeout_ms(), now):
                    del partition_in_flight_batches[0]
                    # This runs before the client's poll, which completes batches in flight.
                    if not batch.is_done():
                        expired_batches.append(batch)
                    else:
                        raise IllegalStateException(
                            f"{batch.topic_partition} batch created at {batch.created_ms} gets unexpected "
                            f"final state {batch.final_state()}")
                else:
                    self._accumulator.maybe_update_next_batch_expiry_time(batch)
                    break
            if not partition_in_flight_batches:
                del self._in_flight_batches[topic_partition]
        return expired_batches

    def add_to_inflight_batches(self, batches: Mapping[int, list[ProducerBatch]]) -> None:
        """Add drained batches, by node, to the batches in flight.

        :origin: clients.producer.internals.Sender#addToInflightBatches(List<ProducerBatch>)
        :origin: clients.producer.internals.Sender#addToInflightBatches(Map<Integer,List<ProducerBatch>>)
        """
        for batch_list in batches.values():
            for batch in batch_list:
                self._in_flight_batches.setdefault(batch.topic_partition, []).append(batch)

    def _has_pending_transactional_requests(self) -> bool:
        """:origin: clients.producer.internals.Sender#hasPendingTransactionalRequests()"""
        return (self._transaction_manager is not None and self._transaction_manager.has_pending_requests()
                and self._transaction_manager.has_ongoing_transaction())

    def run(self) -> None:
        """Send until close is called; then send the remaining batches, unless the close is forced.

        :origin: clients.producer.internals.Sender#run()
        """
        self._log.debug("Starting Kafka producer I/O thread.")

        if self._transaction_manager is not None:
            self._transaction_manager.set_poison_state_on_invalid_transition(True)

        while self._running:
            try:
                self.run_once()
            # DEVIATION D492: the origin catches an Exception. A callback of the user may raise what is none,
            # for example the outcome of a test.
            except BaseException as e:
                self._log.error("Uncaught error in kafka producer I/O thread: ", exc=e)

        self._log.debug("Beginning shutdown of Kafka producer I/O thread, sending remaining records.")

        # No new record is accepted from here on. The queued and the in-flight batches are completed.
        while (not self._force_close
               and (self._accumulator.has_undrained() or self._client.in_flight_request_count() > 0
                    or self._has_pending_transactional_requests())):
            try:
                self.run_once()
            except BaseException as e:
                self._log.error("Uncaught error in kafka producer I/O thread: ", exc=e)

        # An open transaction without a queued commit or abort is aborted.
        while (not self._force_close and self._transaction_manager is not None
               and self._transaction_manager.has_ongoing_transaction()):
            if not self._transaction_manager.is_completing():
                self._log.info("Aborting incomplete transaction due to shutdown")

                try:
                    # An error here must not keep the rest of the shutdown from running.
                    self._transaction_manager.begin_abort()
                except Exception as e:
                    self._log.error(
                        "Error in kafka producer I/O thread while aborting transaction when during closing: ",
                        exc=e)
                    # The manager is in an error state, so nothing more can be completed normally.
                    self._force_close = True
            try:
                self.run_once()
            except BaseException as e:
                self._log.error("Uncaught error in kafka producer I/O thread: ", exc=e)

        if self._force_close:
            # Threads may wait for futures of incomplete batches, so all of them fail.
            if self._transaction_manager is not None:
                self._log.debug("Aborting incomplete transactional requests due to forced shutdown")
                self._transaction_manager.close()
            self._log.debug("Aborting incomplete batches due to forced shutdown")
            self._accumulator.abort_incomplete_batches()
        try:
            self._client.close()
        except Exception as e:
            self._log.error("Failed to close network client", exc=e)
        # DEVIATION D324: this thread no longer writes requests.
        self._accumulator.end_requests()

        self._log.debug("Shutdown of Kafka producer I/O thread has completed.")

    def run_once(self) -> None:
        """Send the ready batches, and poll once. Raises the exceptions of the client and of an error state.

        :origin: clients.producer.internals.Sender#runOnce()
        """
        if self._transaction_manager is not None:
            try:
                self._transaction_manager.maybe_resolve_sequences()

                last_error = self._transaction_manager.last_error()

                # After a fatal error nothing more is sent.
                if self._transaction_manager.has_fatal_error():
                    if last_error is not None:
                        self._maybe_abort_batches(last_error)
                    self._client.poll(self._retry_backoff_ms, self._time.milliseconds())
                    return

                if (self._transaction_manager.has_abortable_error()
                        and self._should_handle_authorization_error(last_error)):
                    return

                # This may queue an InitProducerId, which is sent below.
                self._transaction_manager.bump_idempotent_epoch_and_reset_id_if_needed()

                if self._maybe_send_and_poll_transactional_request():
                    return
            except AuthenticationException as e:
                # The network client has logged it as an error.
                self._log.trace("Authentication exception while processing transactional request", exc=e)
                self._transaction_manager.authentication_failed(e)

        current_time_ms = self._time.milliseconds()
        poll_timeout = self._send_producer_data(current_time_ms)
        self._client.poll(poll_timeout, current_time_ms)

    def _should_handle_authorization_error(self, exception: Exception | None) -> bool:
        """Fail the pending requests, and return to the state in which ``init_transactions`` can be called.

        So a user need not make a new producer after the permission is granted.

        :origin: clients.producer.internals.Sender#shouldHandleAuthorizationError(RuntimeException)
        """
        if isinstance(exception, (TransactionalIdAuthorizationException, ClusterAuthorizationException)):
            transaction_manager = cast("TransactionManager", self._transaction_manager)
            transaction_manager.fail_pending_requests(AuthenticationException(cause=exception))
            self._maybe_abort_batches(exception)
            transaction_manager.transition_to_uninitialized(exception)
            return True
        return False

    def _send_producer_data(self, now: int) -> int:
        """Send the ready batches; return the milliseconds that the poll may wait.

        :origin: clients.producer.internals.Sender#sendProducerData(long)
        """
        metadata_snapshot = self._metadata.fetch_metadata_snapshot()
        result = self._accumulator.ready(metadata_snapshot, now)

        if result.unknown_leader_topics:
            # The leaders are being elected, or the topics have expired from the metadata. Adding the topics
            # again keeps them in the next metadata request.
            for topic in result.unknown_leader_topics:
                self._metadata.add(topic, now)

            self._log.debug(
                "Requesting metadata update due to unknown leader topics from the batched records: %s",
                result.unknown_leader_topics)
            self._metadata.request_update(False)

        not_ready_timeout = _LONG_MAX_VALUE
        for node in list(result.ready_nodes):
            if not self._client.ready(node, now):
                # Only the ready time of the latency statistics is updated. Its distance from the last drain
                # time tells how long batches have waited for the node.
                self._accumulator.update_node_latency_stats(node.id(), now, False)
                result.ready_nodes.remove(node)
                not_ready_timeout = min(not_ready_timeout, self._client.poll_delay_ms(node, now))
            else:
                # Both times are updated, which resets the node's latency.
                self._accumulator.update_node_latency_stats(node.id(), now, True)

        batches = self._accumulator.drain(metadata_snapshot, result.ready_nodes, self._max_request_size, now)
        # DEVIATION D324: a batch can expire below, before it is even sent.
        for batch_list in batches.values():
            for batch in batch_list:
                self._accumulator.begin_request(batch)
        self.add_to_inflight_batches(batches)
        if self._guarantee_message_order:
            # The partitions are muted until their requests are complete.
            for batch_list in batches.values():
                for batch in batch_list:
                    self._accumulator.mute_partition(batch.topic_partition)

        self._accumulator.reset_next_batch_expiry_time()
        expired_inflight_batches = self._get_expired_inflight_batches(now)
        expired_batches = self._accumulator.expired_batches(now)
        expired_batches.extend(expired_inflight_batches)

        if expired_batches:
            self._log.trace("Expired %s batches in accumulator", len(expired_batches))
        for expired_batch in expired_batches:
            error_message = (
                f"Expiring {expired_batch.record_count} record(s) for {expired_batch.topic_partition}:"
                f"{now - expired_batch.created_ms} ms has passed since batch creation")
            self._fail_batch_exception(expired_batch, TimeoutException(error_message), False)
            if self._transaction_manager is not None and expired_batch.in_retry():
                # No new batch is drained until the batches in flight are resolved.
                self._transaction_manager.mark_sequence_unresolved(expired_batch)
        self._sensors.update_produce_request_metrics(batches)

        # Wait until the next batch is due, whether by linger, backoff or expiry. Nodes that are not ready do
        # not count as due, or the loop would spin until they are.
        poll_timeout = min(result.next_ready_check_delay_ms, not_ready_timeout)
        poll_timeout = min(poll_timeout, self._accumulator.next_expiry_time_ms() - now)
        poll_timeout = max(poll_timeout, 0)
        if result.ready_nodes:
            self._log.trace("Nodes with data ready to send: %s", result.ready_nodes)
            # More batches may be ready than the drain took, so the poll does not wait.
            poll_timeout = 0
        self._send_produce_requests(batches, now)
        return poll_timeout

    def _maybe_send_and_poll_transactional_request(self) -> bool:
        """Return True if a transactional request was sent, is in flight or was put back.

        :origin: clients.producer.internals.Sender#maybeSendAndPollTransactionalRequest()
        """
        transaction_manager = cast("TransactionManager", self._transaction_manager)
        if transaction_manager.has_in_flight_request():
            # One at a time: wait for its response.
            self._client.poll(self._retry_backoff_ms, self._time.milliseconds())
            return True

        if transaction_manager.has_abortable_error() or transaction_manager.is_aborting():
            if self._accumulator.has_incomplete():
                # The error that caused the abort; None if the user aborted the transaction.
                exception = transaction_manager.last_error()
                if exception is None:
                    exception = TransactionAbortedException()
                self._accumulator.abort_undrained_batches(exception)

        next_request_handler = transaction_manager.next_request(self._accumulator.has_incomplete())
        if next_request_handler is None:
            return False

        request_builder = next_request_handler.request_builder()
        target_node: Node | None = None
        try:
            coordinator_type = next_request_handler.coordinator_type()
            target_node = (transaction_manager.coordinator(coordinator_type) if coordinator_type is not None
                           else self._client.least_loaded_node(self._time.milliseconds()).node())
            if target_node is not None:
                if not self._await_node_ready(target_node, coordinator_type):
                    self._log.trace(
                        "Target node %s not ready within request timeout, will retry when node is ready.",
                        target_node)
                    self._maybe_find_coordinator_and_retry(next_request_handler)
                    return True
            elif coordinator_type is not None:
                self._log.trace("Coordinator not known for %s, will retry %s after finding coordinator.",
                                coordinator_type, request_builder.api_key())
                self._maybe_find_coordinator_and_retry(next_request_handler)
                return True
            else:
                self._log.trace(
                    "No nodes available to send requests, will poll and retry when until a node is ready.")
                transaction_manager.retry(next_request_handler)
                self._client.poll(self._retry_backoff_ms, self._time.milliseconds())
                return True

            if next_request_handler.is_retry():
                self._time.sleep(next_request_handler.retry_backoff_ms())

            current_time_ms = self._time.milliseconds()
            client_request = self._client.new_client_request(
                target_node.id_string(), request_builder, current_time_ms, True, self._request_timeout_ms,
                next_request_handler)
            self._log.debug("Sending transactional request %s to node %s with correlation ID %s",
                            request_builder, target_node, client_request.correlation_id())
            self._client.send(client_request, current_time_ms)
            transaction_manager.set_in_flight_correlation_id(client_request.correlation_id())
            self._client.poll(self._retry_backoff_ms, self._time.milliseconds())
            return True
        except OSError as e:
            self._log.debug(
                "Disconnect from %s while trying to send request %s. Going to back off and retry.",
                target_node, request_builder, exc=e)
            # The return lets the next round send the FindCoordinator first.
            self._maybe_find_coordinator_and_retry(next_request_handler)
            return True

    def _maybe_find_coordinator_and_retry(
            self, next_request_handler: TransactionManager.TxnRequestHandler) -> None:
        """:origin: clients.producer.internals.Sender#maybeFindCoordinatorAndRetry(TransactionManager.TxnRequestHandler)
        """  # noqa: E501
        transaction_manager = cast("TransactionManager", self._transaction_manager)
        if next_request_handler.needs_coordinator():
            transaction_manager.lookup_coordinator(next_request_handler)
        else:
            # Without a sleep the loop would spin while no node can be reached.
            self._time.sleep(self._retry_backoff_ms)
            self._metadata.request_update(False)

        transaction_manager.retry(next_request_handler)

    def _maybe_abort_batches(self, exception: Exception) -> None:
        """:origin: clients.producer.internals.Sender#maybeAbortBatches(RuntimeException)"""
        if self._accumulator.has_incomplete():
            self._log.error("Aborting producer batches due to fatal error", exc=exception)
            self._accumulator.abort_batches(exception)

    def initiate_close(self) -> None:
        """Start to close; ``run`` returns once everything is sent. Called by any thread.

        The accumulator is closed first, because an append after the end of the loop would never complete.

        :origin: clients.producer.internals.Sender#initiateClose()
        """
        self._accumulator.close()
        self._running = False
        self.wakeup()

    def force_close(self) -> None:
        """Close without sending the pending batches; their futures fail. Called by any thread.

        :origin: clients.producer.internals.Sender#forceClose()
        """
        self._force_close = True
        self.initiate_close()

    def is_running(self) -> bool:
        """Return whether close has not been called.

        :origin: clients.producer.internals.Sender#isRunning()
        """
        return self._running

    def _await_node_ready(self, node: Node,
                          coordinator_type: FindCoordinatorRequest.CoordinatorType | None) -> bool:
        """Return whether ``node`` is ready within the request timeout. Raises OSError if it disconnects.

        :origin: clients.producer.internals.Sender#awaitNodeReady(Node,
            FindCoordinatorRequest.CoordinatorType)
        """
        if NetworkClientUtils.await_ready(self._client, node, self._time, self._request_timeout_ms):
            if coordinator_type is FindCoordinatorRequest.CoordinatorType.TRANSACTION:
                # The manager reads the coordinator's API versions now, because the coordinator may be
                # unreachable when an error requires an epoch bump.
                cast("TransactionManager", self._transaction_manager).handle_coordinator_ready()
            return True
        return False

    def _handle_produce_response(self, response: ClientResponse,
                                 batches: Mapping[TopicPartition, ProducerBatch], now: int) -> None:
        """Complete or retry every batch of a completed request.

        :origin: clients.producer.internals.Sender#handleProduceResponse(ClientResponse,
            Map<TopicPartition,ProducerBatch>, long)
        """
        # DEVIATION D324: the client no longer reads the buffers of these batches.
        for batch in batches.values():
            self._accumulator.end_request(batch)
        request_header = response.request_header()
        correlation_id = request_header.correlation_id()
        if response.was_timed_out():
            self._log.trace("Cancelled request with header %s due to the last request to node %s timed out",
                            request_header, response.destination())
            for batch in batches.values():
                self._complete_batch_correlation_id(
                    batch,
                    ProduceResponse.PartitionResponse(
                        Errors.REQUEST_TIMED_OUT,
                        error_message=f"Disconnected from node {response.destination()} due to timeout"),
                    correlation_id, now, None)
        elif response.was_disconnected():
            self._log.trace("Cancelled request with header %s due to node %s being disconnected",
                            request_header, response.destination())
            for batch in batches.values():
                self._complete_batch_correlation_id(
                    batch,
                    ProduceResponse.PartitionResponse(
                        Errors.NETWORK_EXCEPTION,
                        error_message=f"Disconnected from node {response.destination()}"),
                    correlation_id, now, None)
        elif response.version_mismatch() is not None:
            self._log.warn("Cancelled request %s due to a version mismatch with node %s",
                           response, response.destination(), exc=response.version_mismatch())
            for batch in batches.values():
                self._complete_batch_correlation_id(
                    batch, ProduceResponse.PartitionResponse(Errors.UNSUPPORTED_VERSION), correlation_id, now,
                    None)
        else:
            self._log.trace("Received produce response from node %s with correlation id %s",
                            response.destination(), correlation_id)
            if response.has_response():
                produce_response = cast(ProduceResponse, response.response_body())
                # The completion of batches fills this mapping.
                partitions_with_updated_leader_info: dict[TopicPartition, Metadata.LeaderIdAndEpoch] = {}
                for r in produce_response.data().responses:
                    for p in r.partition_responses:
                        tp = TopicPartition(r.name, p.index)
                        part_resp = ProduceResponse.PartitionResponse(
                            Errors.for_code(p.error_code), p.base_offset, p.log_append_time_ms,
                            p.log_start_offset,
                            [ProduceResponse.RecordError(e.batch_index, e.batch_index_error_message)
                             for e in p.record_errors],
                            p.error_message, ProduceResponse.INVALID_OFFSET, p.current_leader)
                        batch = batches[tp]
                        self._complete_batch_correlation_id(batch, part_resp, correlation_id, now,
                                                            partitions_with_updated_leader_info)

                if partitions_with_updated_leader_info:
                    leader_nodes = [
                        node for node in (
                            Node(e.node_id, e.host, e.port, e.rack)
                            for e in produce_response.data().node_endpoints)
                        if node != Node.no_node()]
                    updated_partitions = self._metadata.update_partition_leadership(
                        partitions_with_updated_leader_info, leader_nodes)
                    if self._log.is_trace_enabled():
                        for part in updated_partitions:
                            self._log.debug("For %s leader was updated.", part)

                self._sensors.record_latency(response.destination(), response.request_latency_ms())
            else:
                # acks=0: the request is complete once it is written.
                for batch in batches.values():
                    self._complete_batch_correlation_id(
                        batch, ProduceResponse.PartitionResponse(Errors.NONE), correlation_id, now, None)

    def _complete_batch_correlation_id(
            self, batch: ProducerBatch, response: ProduceResponse.PartitionResponse, correlation_id: int,
            now: int,
            partitions_with_updated_leader_info: dict[TopicPartition, Metadata.LeaderIdAndEpoch] | None,
    ) -> None:
        """Complete a batch, split it, or queue it for a retry.

        ``now`` is in milliseconds since 1970. New leaders that the response names go into
        ``partitions_with_updated_leader_info``.

        :origin: clients.producer.internals.Sender#completeBatch(ProducerBatch,
            ProduceResponse.PartitionResponse, long, long, Map<TopicPartition,Metadata.LeaderIdAndEpoch>)
        """
        error = response.error

        if (error is Errors.MESSAGE_TOO_LARGE and batch.record_count > 1 and not batch.is_done()
                and (batch.magic() >= RecordBatch.MAGIC_VALUE_V2 or batch.is_compressed())):
            # The parts are sent again. The split does not count as an attempt.
            self._log.warn(
                "Got error produce response in correlation id %s on topic-partition %s, splitting and "
                "retrying (%s attempts left). Error: %s",
                correlation_id, batch.topic_partition, self._retries - batch.attempts(),
                self._format_err_msg(response))
            if self._transaction_manager is not None:
                self._transaction_manager.remove_in_flight_batch(batch)
            self._accumulator.split_and_reenqueue(batch)
            self._maybe_remove_and_deallocate_batch(batch)
            self._sensors.record_batch_split()
        elif error is not Errors.NONE:
            if self._can_retry(batch, response, now):
                self._log.warn(
                    "Got error produce response with correlation id %s on topic-partition %s, retrying "
                    "(%s attempts left). Error: %s",
                    correlation_id, batch.topic_partition, self._retries - batch.attempts() - 1,
                    self._format_err_msg(response))
                self._reenqueue_batch(batch, now)
            elif error is Errors.DUPLICATE_SEQUENCE_NUMBER:
                # The broker has the records, but no longer remembers their offset. The user gets a success
                # without offset and timestamp.
                self._complete_batch(batch, response)
            else:
                # After the last attempt the broker may or may not have written the sequence. Only before the
                # last attempt can another batch reuse the sequence.
                self._fail_batch(batch, response, batch.attempts() < self._retries)
            exception = error.exception()
            if isinstance(exception, InvalidMetadataException):
                if isinstance(exception, UnknownTopicOrPartitionException):
                    self._log.warn(
                        "Received unknown topic or partition error in produce request on partition %s. The "
                        "topic-partition may not exist or the user may not have Describe access to it",
                        batch.topic_partition)
                else:
                    self._log.warn(
                        "Received invalid metadata error in produce request on partition %s due to %s Going "
                        "to request metadata update now",
                        batch.topic_partition, error.exception(response.error_message))
                if isinstance(exception, (NotLeaderOrFollowerException, FencedLeaderEpochException)):
                    self._log.debug("For %s, received error %s, with leaderIdAndEpoch %s",
                                    batch.topic_partition, error, response.current_leader)
                    if (partitions_with_updated_leader_info is not None
                            and response.current_leader.leader_id != -1
                            and response.current_leader.leader_epoch != -1):
                        leader = response.current_leader
                        partitions_with_updated_leader_info[batch.topic_partition] = (
                            Metadata.LeaderIdAndEpoch(leader.leader_id, leader.leader_epoch))
                self._metadata.request_update(False)
        else:
            self._complete_batch(batch, response)

        if self._guarantee_message_order:
            self._accumulator.unmute_partition(batch.topic_partition)

    def _format_err_msg(self, response: ProduceResponse.PartitionResponse) -> str:
        """Return the error and its message, for the log.

        :origin: clients.producer.internals.Sender#formatErrMsg(ProduceResponse.PartitionResponse)
        """
        error_message_suffix = f". Error Message: {response.error_message}" if response.error_message else ""
        return f"{response.error}{error_message_suffix}"

    def _reenqueue_batch(self, batch: ProducerBatch, current_time_ms: int) -> None:
        """:origin: clients.producer.internals.Sender#reenqueueBatch(ProducerBatch, long)"""
        self._accumulator.reenqueue(batch, current_time_ms)
        self._maybe_remove_from_inflight_batches(batch)
        self._sensors.record_retries(batch.topic_partition.topic(), batch.record_count)

    def _complete_batch(self, batch: ProducerBatch, response: ProduceResponse.PartitionResponse) -> None:
        """:origin: clients.producer.internals.Sender#completeBatch(ProducerBatch, ProduceResponse.PartitionResponse)
        """  # noqa: E501
        if self._transaction_manager is not None:
            self._transaction_manager.handle_completed_batch(batch, response)

        if batch.complete(response.base_offset, response.log_append_time):
            self._maybe_remove_and_deallocate_batch(batch)

    def _fail_batch(self, batch: ProducerBatch, response: ProduceResponse.PartitionResponse,
                    adjust_sequence_numbers: bool) -> None:
        """Fail a batch with the broker's error; each record gets its own error if the response has one.

        :origin: clients.producer.internals.Sender#failBatch(ProducerBatch, ProduceResponse.PartitionResponse,
            boolean)
        """
        top_level_exception: Exception
        if response.error is Errors.TOPIC_AUTHORIZATION_FAILED:
            top_level_exception = TopicAuthorizationException(
                unauthorized_topics={batch.topic_partition.topic()})
        elif response.error is Errors.CLUSTER_AUTHORIZATION_FAILED:
            top_level_exception = ClusterAuthorizationException(
                "The producer is not authorized to do idempotent sends")
        else:
            top_level_exception = cast(Exception, response.error.exception(response.error_message))

        if not response.record_errors:
            self._fail_batch_exception(batch, top_level_exception, adjust_sequence_numbers)
        else:
            record_error_map: dict[int, Exception] = {}
            for record_error in response.record_errors:
                # The response has one error code for all records of the partition, which cannot distinguish
                # the errors of several records. Such records get INVALID_RECORD with their own messages.
                if record_error.message is not None:
                    error_message = record_error.message
                elif response.error_message is not None:
                    error_message = response.error_message
                else:
                    error_message = response.error.message()

                # The error of a single record is the response's error code.
                if len(response.record_errors) == 1:
                    record_error_map[record_error.batch_index] = cast(
                        Exception, response.error.exception(error_message))
                else:
                    record_error_map[record_error.batch_index] = InvalidRecordException(error_message)

            def record_exceptions(batch_index: int) -> Exception:
                exception = record_error_map.get(batch_index)
                if exception is not None:
                    return exception
                else:
                    # This record is valid, but other records of its batch are not.
                    return KafkaException("Failed to append record because it was part of a batch "
                                          "which had one more more invalid records")

            self._fail_batch_record_exceptions(batch, top_level_exception, record_exceptions,
                                               adjust_sequence_numbers)

    def _fail_batch_exception(self, batch: ProducerBatch, top_level_exception: Exception,
                              adjust_sequence_numbers: bool) -> None:
        """:origin: clients.producer.internals.Sender#failBatch(ProducerBatch, RuntimeException, boolean)"""
        self._fail_batch_record_exceptions(batch, top_level_exception, lambda _: top_level_exception,
                                           adjust_sequence_numbers)

    def _fail_batch_record_exceptions(self, batch: ProducerBatch, top_level_exception: Exception,
                                      record_exceptions: Callable[[int], Exception],
                                      adjust_sequence_numbers: bool) -> None:
        """:origin: clients.producer.internals.Sender#failBatch(ProducerBatch, RuntimeException,
            Function<Integer,RuntimeException>, boolean)
        """
        self._sensors.record_errors(batch.topic_partition.topic(), batch.record_count)

        if batch.complete_exceptionally(top_level_exception, record_exceptions):
            if self._transaction_manager is not None:
                try:
                    # An invalid transition of the manager raises; the batch is deallocated even then.
                    self._transaction_manager.handle_failed_batch(
                        batch, top_level_exception, adjust_sequence_numbers)
                except Exception as e:
                    self._log.debug("Encountered error when transaction manager was handling a failed batch",
                                    exc=e)
            self._maybe_remove_and_deallocate_batch(batch)

    def _can_retry(self, batch: ProducerBatch, response: ProduceResponse.PartitionResponse, now: int) -> bool:
        """Return whether the batch has time and attempts left, and the error is retriable.

        OutOfOrderSequence is retried for batches behind a failed batch, because they cannot succeed before
        it.

        :origin: clients.producer.internals.Sender#canRetry(ProducerBatch,
            ProduceResponse.PartitionResponse, long)
        """
        return (not batch.has_reached_delivery_timeout(self._accumulator.get_delivery_timeout_ms(), now)
                and batch.attempts() < self._retries
                and not batch.is_done()
                and (isinstance(response.error.exception(), RetriableException)
                     if self._transaction_manager is None
                     else self._transaction_manager.can_retry(response, batch)))

    def _send_produce_requests(self, collated: Mapping[int, list[ProducerBatch]], now: int) -> None:
        """:origin: clients.producer.internals.Sender#sendProduceRequests(Map<Integer,List<ProducerBatch>>,
            long)
        """
        unsent = list(collated)
        try:
            for destination, batches in collated.items():
                self._send_produce_request(now, destination, self._acks, self._request_timeout_ms, batches)
                unsent.remove(destination)
        except BaseException:
            # DEVIATION D324: no response will end the requests that the client refused.
            for destination in unsent:
                for batch in collated[destination]:
                    self._accumulator.end_request(batch)
            raise

    def _send_produce_request(self, now: int, destination: int, acks: int, timeout: int,
                              batches: list[ProducerBatch]) -> None:
        """Send batches, one for each partition, to a node in one request.

        :origin: clients.producer.internals.Sender#sendProduceRequest(long, int, short, int,
            List<ProducerBatch>)
        """
        if not batches:
            return

        records_by_partition: dict[TopicPartition, ProducerBatch] = {}

        # The oldest format of the batches and of the newest format that every known broker accepts.
        min_used_magic = self._api_versions.max_usable_produce_magic()
        for batch in batches:
            if batch.magic() < min_used_magic:
                min_used_magic = batch.magic()
        tpd: dict[str, ProduceRequestData.TopicProduceData] = {}
        for batch in batches:
            tp = batch.topic_partition
            records = batch.records()

            # A batch has the newest format that brokers accepted at its creation. If an older broker leads
            # the partition now, the batch is converted here.
            if not records.has_matching_magic(min_used_magic):
                records = batch.records().down_convert(min_used_magic, 0, self._time).records()
            tp_data = tpd.get(tp.topic())
            if tp_data is None:
                tp_data = ProduceRequestData.TopicProduceData(name=tp.topic())
                tpd[tp.topic()] = tp_data
            tp_data.partition_data.append(
                ProduceRequestData.PartitionProduceData(index=tp.partition(), records=records))
            records_by_partition[tp] = batch

        transactional_id = None
        if self._transaction_manager is not None and self._transaction_manager.is_transactional():
            transactional_id = self._transaction_manager.transactional_id()
        request_builder = ProduceRequest.for_magic(
            min_used_magic,
            ProduceRequestData(acks=acks, timeout_ms=timeout, transactional_id=transactional_id,
                               topic_data=list(tpd.values())))
        callback = RequestCompletionHandler.of(
            lambda response: self._handle_produce_response(
                response, records_by_partition, self._time.milliseconds()))

        node_id = str(destination)
        client_request = self._client.new_client_request(
            node_id, request_builder, now, acks != 0, self._request_timeout_ms, callback)
        self._client.send(client_request, now)
        self._log.trace("Sent produce request to %s: %s", node_id, request_builder)

    def wakeup(self) -> None:
        """End a waiting poll. Called by any thread.

        :origin: clients.producer.internals.Sender#wakeup()
        """
        self._client.wakeup()

    @staticmethod
    def throttle_time_sensor(metrics: SenderMetricsRegistry) -> Sensor:
        """Return the sensor of the brokers' throttle times, in milliseconds.

        :origin: clients.producer.internals.Sender#throttleTimeSensor(SenderMetricsRegistry)
        """
        produce_throttle_time_sensor = metrics.sensor("produce-throttle-time")
        produce_throttle_time_sensor.add(metrics.produce_throttle_time_avg, Avg())
        produce_throttle_time_sensor.add(metrics.produce_throttle_time_max, Max())
        return produce_throttle_time_sensor

    class SenderMetrics:
        """The sensors of the sender's thread.

        :origin: clients.producer.internals.Sender.SenderMetrics
        """

        def __init__(self, metrics: SenderMetricsRegistry, metadata: Metadata, client: KafkaClient,
                     time: Time) -> None:
            """:origin: clients.producer.internals.Sender.SenderMetrics#SenderMetrics(SenderMetricsRegistry, Metadata, KafkaClient, Time)
            """  # noqa: E501
            self._metrics = metrics
            self._time = time

            self.batch_size_sensor = metrics.sensor("batch-size")
            self.batch_size_sensor.add(metrics.batch_size_avg, Avg())
            self.batch_size_sensor.add(metrics.batch_size_max, Max())

            self.compression_rate_sensor = metrics.sensor("compression-rate")
            self.compression_rate_sensor.add(metrics.compression_rate_avg, Avg())

            self.queue_time_sensor = metrics.sensor("queue-time")
            self.queue_time_sensor.add(metrics.record_queue_time_avg, Avg())
            self.queue_time_sensor.add(metrics.record_queue_time_max, Max())

            self.request_time_sensor = metrics.sensor("request-time")
            self.request_time_sensor.add(metrics.request_latency_avg, Avg())
            self.request_time_sensor.add(metrics.request_latency_max, Max())

            self.records_per_request_sensor = metrics.sensor("records-per-request")
            self.records_per_request_sensor.add(Meter(metrics.record_send_rate, metrics.record_send_total))
            self.records_per_request_sensor.add(metrics.records_per_request_avg, Avg())

            self.retry_sensor = metrics.sensor("record-retries")
            self.retry_sensor.add(Meter(metrics.record_retry_rate, metrics.record_retry_total))

            self.error_sensor = metrics.sensor("errors")
            self.error_sensor.add(Meter(metrics.record_error_rate, metrics.record_error_total))

            self.max_record_size_sensor = metrics.sensor("record-size")
            self.max_record_size_sensor.add(metrics.record_size_max, Max())
            self.max_record_size_sensor.add(metrics.record_size_avg, Avg())

            self._metrics.add_metric(
                metrics.requests_in_flight, lambda config, now: client.in_flight_request_count())
            self._metrics.add_metric(
                metrics.metadata_age, lambda config, now: (now - metadata.last_successful_update()) / 1000.0)

            self.batch_split_sensor = metrics.sensor("batch-split-rate")
            self.batch_split_sensor.add(Meter(metrics.batch_split_rate, metrics.batch_split_total))

        def _maybe_register_topic_metrics(self, topic: str) -> None:
            """Register the sensors of a topic, unless one exists: all are registered together.

            :origin: clients.producer.internals.Sender.SenderMetrics#maybeRegisterTopicMetrics(String)
            """
            topic_records_count_name = f"topic.{topic}.records-per-batch"
            topic_record_count = self._metrics.get_sensor(topic_records_count_name)
            if topic_record_count is None:
                metric_tags = {"topic": topic}

                topic_record_count = self._metrics.sensor(topic_records_count_name)
                rate_metric_name = self._metrics.topic_record_send_rate(metric_tags)
                total_metric_name = self._metrics.topic_record_send_total(metric_tags)
                topic_record_count.add(Meter(rate_metric_name, total_metric_name))

                topic_byte_rate = self._metrics.sensor(f"topic.{topic}.bytes")
                rate_metric_name = self._metrics.topic_byte_rate(metric_tags)
                total_metric_name = self._metrics.topic_byte_total(metric_tags)
                topic_byte_rate.add(Meter(rate_metric_name, total_metric_name))

                topic_compression_rate = self._metrics.sensor(f"topic.{topic}.compression-rate")
                topic_compression_rate.add(self._metrics.topic_compression_rate(metric_tags), Avg())

                topic_retry_sensor = self._metrics.sensor(f"topic.{topic}.record-retries")
                rate_metric_name = self._metrics.topic_record_retry_rate(metric_tags)
                total_metric_name = self._metrics.topic_record_retry_total(metric_tags)
                topic_retry_sensor.add(Meter(rate_metric_name, total_metric_name))

                topic_error_sensor = self._metrics.sensor(f"topic.{topic}.record-errors")
                rate_metric_name = self._metrics.topic_record_error_rate(metric_tags)
                total_metric_name = self._metrics.topic_record_error_total(metric_tags)
                topic_error_sensor.add(Meter(rate_metric_name, total_metric_name))

        def update_produce_request_metrics(self, batches: Mapping[int, list[ProducerBatch]]) -> None:
            """Record the batches drained for each node.

            :origin: clients.producer.internals.Sender.SenderMetrics#updateProduceRequestMetrics(Map<Integer,List<ProducerBatch>>)
            """  # noqa: E501
            now = self._time.milliseconds()
            for node_batch in batches.values():
                records = 0
                for batch in node_batch:
                    topic = batch.topic_partition.topic()
                    self._maybe_register_topic_metrics(topic)

                    topic_record_count = cast(
                        "Sensor", self._metrics.get_sensor(f"topic.{topic}.records-per-batch"))
                    topic_record_count.record(batch.record_count)

                    topic_byte_rate = cast("Sensor", self._metrics.get_sensor(f"topic.{topic}.bytes"))
                    topic_byte_rate.record(batch.estimated_size_in_bytes())

                    topic_compression_rate = cast(
                        "Sensor", self._metrics.get_sensor(f"topic.{topic}.compression-rate"))
                    topic_compression_rate.record(batch.compression_ratio())

                    self.batch_size_sensor.record(batch.estimated_size_in_bytes(), now)
                    self.queue_time_sensor.record(batch.queue_time_ms(), now)
                    self.compression_rate_sensor.record(batch.compression_ratio())
                    self.max_record_size_sensor.record(batch.max_record_size, now)
                    records += batch.record_count
                self.records_per_request_sensor.record(records, now)

        def record_retries(self, topic: str, count: int) -> None:
            """Record retried records.

            :origin: clients.producer.internals.Sender.SenderMetrics#recordRetries(String, int)
            """
            now = self._time.milliseconds()
            self.retry_sensor.record(count, now)
            topic_retry_sensor = self._metrics.get_sensor(f"topic.{topic}.record-retries")
            if topic_retry_sensor is not None:
                topic_retry_sensor.record(count, now)

        def record_errors(self, topic: str, count: int) -> None:
            """Record failed records.

            :origin: clients.producer.internals.Sender.SenderMetrics#recordErrors(String, int)
            """
            now = self._time.milliseconds()
            self.error_sensor.record(count, now)
            topic_error_sensor = self._metrics.get_sensor(f"topic.{topic}.record-errors")
            if topic_error_sensor is not None:
                topic_error_sensor.record(count, now)

        def record_latency(self, node: str, latency: int) -> None:
            """Record the time between a request and its response, in milliseconds.

            :origin: clients.producer.internals.Sender.SenderMetrics#recordLatency(String, long)
            """
            now = self._time.milliseconds()
            self.request_time_sensor.record(latency, now)
            if node:
                node_request_time = self._metrics.get_sensor(f"node-{node}.latency")
                if node_request_time is not None:
                    node_request_time.record(latency, now)

        def record_batch_split(self) -> None:
            """Record the split of a batch.

            :origin: clients.producer.internals.Sender.SenderMetrics#recordBatchSplit()
            """
            self.batch_split_sensor.record()
