# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.NetworkClient of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests to brokers and their responses, over the connections of a Selector.

Owner: one thread, which calls everything; any thread may call ``wakeup``, ``initiate_close``, ``active`` and
``in_flight_request_count``. Times are times of day in milliseconds.

A poll does this, in this order: return at once the responses of requests that failed before sending; send a
metadata or a telemetry request that is due; poll the selector; complete sends that need no response; take
responses; end the requests of closed connections; note new connections and ask them for their versions; close
connections whose setup or requests have timed out; call the callbacks.

A connection takes other requests once its node has reported its API versions. So its state changes from
CONNECTING to CHECKING_API_VERSIONS to READY: see ``connection_state``. A node answers the requests of a
connection in their order; a response belongs to the oldest request in flight to its node.

The client itself sends some requests: ApiVersions, Metadata, telemetry. Their responses go to no callback.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_request import ClientRequest
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.cluster_connection_states import ClusterConnectionStates
from kreactor.clients.default_host_resolver import DefaultHostResolver
from kreactor.clients.host_resolver import HostResolver
from kreactor.clients.in_flight_requests import InFlightRequests
from kreactor.clients.kafka_client import KafkaClient
from kreactor.clients.least_loaded_node import LeastLoadedNode
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.clients.metadata_updater import MetadataUpdater
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import (
    AuthenticationException,
    DisconnectException,
    UnsupportedVersionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selectable import Selectable
from kreactor.common.network.send import Send
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.correlation_id_mismatch_exception import CorrelationIdMismatchException
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.authenticator.sasl_client_authenticator import SaslClientAuthenticator
from kreactor.common.telemetry.internals.client_telemetry_sender import ClientTelemetrySender
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.atomic import AtomicReference
from kreactor.jdk.exceptions import (
    BufferUnderflowException,
    IllegalArgumentException,
    IllegalStateException,
)
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.random_numbers import RANDOM, Random
from kreactor.jdk.text import java_text

if TYPE_CHECKING:
    from kreactor.clients.metadata import Metadata

_INT_MAX_VALUE = (1 << 31) - 1
_INT_MIN_VALUE = -(1 << 31)
_LONG_MAX_VALUE = (1 << 63) - 1


class NetworkClient(KafkaClient):
    """The KafkaClient over a network.

    :origin: clients.NetworkClient
    """

    class State(Enum):
        """:origin: clients.NetworkClient.State"""

        ACTIVE = "ACTIVE"
        CLOSING = "CLOSING"
        CLOSED = "CLOSED"

    def __init__(
        self,
        selector: Selectable,
        metadata: Metadata | MetadataUpdater | None,
        client_id: str | None,
        max_in_flight_requests_per_connection: int,
        reconnect_backoff_ms: int,
        reconnect_backoff_max: int,
        socket_send_buffer: int,
        socket_receive_buffer: int,
        default_request_timeout_ms: int,
        connection_setup_timeout_ms: int,
        connection_setup_timeout_max_ms: int,
        time: Time,
        discover_broker_versions: bool,
        api_versions: ApiVersions,
        log_context: LogContext,
        metadata_recovery_strategy: MetadataRecoveryStrategy,
        *,
        throttle_time_sensor: Sensor | None = None,
        host_resolver: HostResolver | None = None,
        client_telemetry_sender: ClientTelemetrySender | None = None,
    ) -> None:
        """Own ``selector``, and the metadata or its updater: ``close`` closes them.

        This client's requests keep a Metadata up to date. Waits and timeouts are in milliseconds, socket
        buffers in bytes, ``Selectable.USE_DEFAULT_BUFFER_SIZE`` for the system's. With
        ``discover_broker_versions`` the client asks each node for its versions, and stores them in
        ``api_versions``. ``throttle_time_sensor`` gets the throttle time of each response. Raises
        IllegalArgumentException if ``metadata`` is None.

        :origin: clients.NetworkClient#NetworkClient(Selectable, Metadata, String, int, long, long, int, int,
            int, long, long, Time, boolean, ApiVersions, LogContext, MetadataRecoveryStrategy)
        :origin: clients.NetworkClient#NetworkClient(Selectable, Metadata, String, int, long, long, int, int,
            int, long, long, Time, boolean, ApiVersions, Sensor, LogContext, MetadataRecoveryStrategy)
        :origin: clients.NetworkClient#NetworkClient(Selectable, MetadataUpdater, String, int, long, long,
            int, int, int, long, long, Time, boolean, ApiVersions, LogContext, MetadataRecoveryStrategy)
        :origin: clients.NetworkClient#NetworkClient(MetadataUpdater, Metadata, Selectable, String, int, long,
            long, int, int, int, long, long, Time, boolean, ApiVersions, Sensor, LogContext, HostResolver,
            ClientTelemetrySender, MetadataRecoveryStrategy)
        """
        self._metadata_updater: MetadataUpdater
        if isinstance(metadata, MetadataUpdater):
            self._metadata_updater = metadata
        else:
            if metadata is None:
                raise IllegalArgumentException("`metadata` must not be null")
            self._metadata_updater = NetworkClient.DefaultMetadataUpdater(self, metadata)
        self._selector = selector
        self._client_id = client_id
        self._in_flight_requests = InFlightRequests(max_in_flight_requests_per_connection)
        self._connection_states = ClusterConnectionStates(
            reconnect_backoff_ms, reconnect_backoff_max,
            connection_setup_timeout_ms, connection_setup_timeout_max_ms, log_context,
            DefaultHostResolver() if host_resolver is None else host_resolver)
        self._socket_send_buffer = socket_send_buffer
        self._socket_receive_buffer = socket_receive_buffer
        self._correlation = 0
        # Tests replace this generator.
        self._rand_offset: Random = RANDOM
        self._default_request_timeout_ms = default_request_timeout_ms
        self._reconnect_backoff_ms = reconnect_backoff_ms
        self._time = time
        self._discover_broker_versions = discover_broker_versions
        self._api_versions = api_versions
        # Nodes that get an ApiVersions request, with its builder.
        self._nodes_needing_api_versions_fetch: dict[str, ApiVersionsRequest.Builder] = {}
        # Responses that the next poll returns without network access.
        self._aborted_sends: list[ClientResponse] = []
        self._throttle_time_sensor = throttle_time_sensor
        self._log = log_context.logger(NetworkClient)
        self._state = AtomicReference(NetworkClient.State.ACTIVE)
        self._telemetry_sender = (NetworkClient.TelemetrySender(self, client_telemetry_sender)
                                  if client_telemetry_sender is not None else None)
        self._metadata_recovery_strategy = metadata_recovery_strategy

    def ready(self, node: Node, now: int) -> bool:
        """Return whether a request can be sent to ``node`` now; begin to connect if there is no connection.

        Raises IllegalArgumentException if the node has no host or port.

        :origin: clients.NetworkClient#ready(Node, long)
        """
        if node.is_empty():
            raise IllegalArgumentException(f"Cannot connect to empty node {node}")

        if self.is_ready(node, now):
            return True

        if self._connection_states.can_connect(node.id_string(), now):
            self._initiate_connect(node, now)

        return False

    def can_connect(self, node: Node, now: int) -> bool:
        """Return whether a connection to ``node`` can be made. For tests.

        :origin: clients.NetworkClient#canConnect(Node, long)
        """
        return self._connection_states.can_connect(node.id_string(), now)

    def disconnect(self, node_id: str) -> None:
        """Close the connection to a node, if there is one; its requests end as disconnected.

        :origin: clients.NetworkClient#disconnect(String)
        """
        if self._connection_states.is_disconnected(node_id):
            self._log.debug("asked to disconnect from node %s, which is disconnected", node_id)
            return

        self._log.info("asked to disconnect from node %s", node_id)
        self._selector.close_id(node_id)
        now = self._time.milliseconds()
        self._cancel_in_flight_requests(node_id, now, self._aborted_sends, False)
        self._connection_states.disconnected(node_id, now)

    def _cancel_in_flight_requests(self, node_id: str, now: int, responses: list[ClientResponse] | None,
                                   timed_out: bool) -> None:
        """End the requests to a node; requests that are not the client's own are added to ``responses``.

        :origin: clients.NetworkClient#cancelInFlightRequests(
            String, long, Collection<ClientResponse>, boolean)
        """
        in_flight_requests = self._in_flight_requests.clear_all(node_id)
        for request in in_flight_requests:
            if self._log.is_debug_enabled():
                self._log.debug(
                    "%s request %d to node %s ends with its connection (made %d ms ago, sent %d ms ago, "
                    "throttled for %d ms, request timeout %d ms): %s",
                    request.header.api_key(), request.header.correlation_id(), node_id,
                    request.time_elapsed_since_create_ms(now), request.time_elapsed_since_send_ms(now),
                    request.throttle_time_ms(), request.request_timeout_ms, request.request)
            else:
                self._log.info(
                    "%s request %d to node %s ends with its connection (made %d ms ago, sent %d ms ago, "
                    "throttled for %d ms, request timeout %d ms)",
                    request.header.api_key(), request.header.correlation_id(), node_id,
                    request.time_elapsed_since_create_ms(now), request.time_elapsed_since_send_ms(now),
                    request.throttle_time_ms(), request.request_timeout_ms)

            if not request.is_internal_request:
                if responses is not None:
                    if timed_out:
                        client_response = request.timed_out(now)
                    else:
                        client_response = request.disconnected(now)

                    responses.append(client_response)
            elif request.header.api_key() is ApiKeys.METADATA:
                self._metadata_updater.handle_failed_request(now, None)
            elif self._is_telemetry_api(request.header.api_key()) and self._telemetry_sender is not None:
                self._telemetry_sender.handle_failed_request(request.header.api_key(), None)

    def close_node_id(self, node_id: str) -> None:
        """Close the connection to a node, if there is one; its requests are dropped without callbacks.

        :origin: clients.NetworkClient#close(String)
        """
        self._log.info("asked to close the connection to node %s", node_id)
        self._selector.close_id(node_id)
        now = self._time.milliseconds()
        self._cancel_in_flight_requests(node_id, now, None, False)
        self._connection_states.remove(node_id)

    def connection_delay(self, node: Node, now: int) -> int:
        """Return the milliseconds until the next attempt to send to ``node`` is useful.

        :origin: clients.NetworkClient#connectionDelay(Node, long)
        """
        return self._connection_states.connection_delay(node.id_string(), now)

    def throttle_delay_ms(self, node: Node, now: int) -> int:
        """Return the remaining milliseconds of throttling, 0 if there is none. For tests.

        :origin: clients.NetworkClient#throttleDelayMs(Node, long)
        """
        return self._connection_states.throttle_delay_ms(node.id_string(), now)

    def poll_delay_ms(self, node: Node, now: int) -> int:
        """Return the milliseconds until the next attempt to send to ``node`` is useful, including throttling.

        :origin: clients.NetworkClient#pollDelayMs(Node, long)
        """
        return self._connection_states.poll_delay_ms(node.id_string(), now)

    def connection_failed(self, node: Node) -> bool:
        """Return whether the connection failed; the next ``ready`` may make a new one.

        :origin: clients.NetworkClient#connectionFailed(Node)
        """
        return self._connection_states.is_disconnected(node.id_string())

    def authentication_exception(self, node: Node) -> AuthenticationException | None:
        """Return the error with which ``node`` refused the connection, or None.

        :origin: clients.NetworkClient#authenticationException(Node)
        """
        return self._connection_states.authentication_exception(node.id_string())

    def is_ready(self, node: Node, now: int) -> bool:
        """Return whether a request can be sent to ``node`` now; False while a metadata update is due.

        :origin: clients.NetworkClient#isReady(Node, long)
        """
        return not self._metadata_updater.is_update_due(now) and self._can_send_request(node.id_string(), now)

    def _can_send_request(self, node: str, now: int) -> bool:
        """:origin: clients.NetworkClient#canSendRequest(String, long)"""
        return (self._connection_states.is_ready(node, now) and self._selector.is_channel_ready(node)
                and self._in_flight_requests.can_send_more(node))

    def send(self, request: ClientRequest, now: int) -> None:
        """Queue a request on a ready connection.

        Raises IllegalStateException if it is not ready, DisconnectException once the client is closing.

        :origin: clients.NetworkClient#send(ClientRequest, long)
        """
        self._do_send(request, False, now)

    def send_internal_metadata_request(self, builder: MetadataRequest.Builder, node_connection_id: str,
                                       now: int) -> None:
        """Send a request whose response goes to the metadata updater. For tests.

        :origin: clients.NetworkClient#sendInternalMetadataRequest(MetadataRequest.Builder, String, long)
        """
        client_request = self.new_client_request(node_connection_id, builder, now, True)
        self._do_send(client_request, True, now)

    def _do_send(self, client_request: ClientRequest, is_internal_request: bool, now: int) -> None:
        """Build a request in the newest version that its node speaks, and send it.

        :origin: clients.NetworkClient#doSend(ClientRequest, boolean, long)
        """
        self._ensure_active()
        node_id = client_request.destination()
        if not is_internal_request:
            # The client's own requests are checked by their senders, because ApiVersions is sent before
            # READY.
            if not self._can_send_request(node_id, now):
                raise IllegalStateException(
                    f"Attempt to send a request to node {node_id} which is not ready.")
        builder = client_request.request_builder()
        try:
            version_info = self._api_versions.get(node_id)
            # The versions are unknown before the ApiVersions response, and if the client does not ask.
            if version_info is None:
                version = builder.latest_allowed_version()
                if self._discover_broker_versions and self._log.is_trace_enabled():
                    self._log.trace("%s request %d to node %s goes in version %d: its versions are unknown",
                                    client_request.api_key(), client_request.correlation_id(), node_id,
                                    version)
            else:
                version = version_info.latest_usable_version(
                    client_request.api_key(), builder.oldest_allowed_version(),
                    builder.latest_allowed_version())
            # Also raises if the version cannot express the request.
            self._do_send_request(client_request, is_internal_request, now, builder.build_version(version))
        except UnsupportedVersionException as unsupported_version_exception:
            self._log.debug("%s request %d to node %s is not sent: no version of it will do",
                            builder, client_request.correlation_id(), client_request.destination(),
                            exc=unsupported_version_exception)
            client_response = ClientResponse(
                client_request.make_header(builder.latest_allowed_version()), client_request.callback(),
                client_request.destination(), now, now, False, unsupported_version_exception, None, None)

            if not is_internal_request:
                self._aborted_sends.append(client_response)
            elif client_request.api_key() is ApiKeys.METADATA:
                self._metadata_updater.handle_failed_request(now, unsupported_version_exception)
            elif self._is_telemetry_api(client_request.api_key()) and self._telemetry_sender is not None:
                self._telemetry_sender.handle_failed_request(
                    client_request.api_key(), unsupported_version_exception)

    def _do_send_request(self, client_request: ClientRequest, is_internal_request: bool, now: int,
                         request: AbstractRequest) -> None:
        """:origin: clients.NetworkClient#doSend(ClientRequest, boolean, long, AbstractRequest)"""
        destination = client_request.destination()
        header = client_request.make_header(request.version())
        if self._log.is_debug_enabled():
            self._log.debug("%s request goes to node %s, with a timeout of %d ms: %s %s",
                            client_request.api_key(), destination, client_request.request_timeout_ms(),
                            header, request)
        send = request.to_send(header)
        in_flight_request = NetworkClient.InFlightRequest.of(
            client_request, header, is_internal_request, request, send, now)
        self._in_flight_requests.add(in_flight_request)
        self._selector.send(NetworkSend(client_request.destination(), send))

    def poll(self, timeout: int, now: int) -> list[ClientResponse]:
        """Read and write; return the complete responses, after their callbacks.

        Waits at most ``timeout`` milliseconds, or less if a request or a metadata update is due earlier.
        Raises DisconnectException once the client is closing.

        :origin: clients.NetworkClient#poll(long, long)
        """
        self._ensure_active()

        if self._aborted_sends:
            responses: list[ClientResponse] = []
            self._handle_aborted_sends(responses)
            self._complete_responses(responses)
            return responses

        metadata_timeout = self._metadata_updater.maybe_update(now)
        telemetry_timeout = (self._telemetry_sender.maybe_update(now) if self._telemetry_sender is not None
                             else _INT_MAX_VALUE)
        try:
            self._selector.poll(
                min(timeout, metadata_timeout, telemetry_timeout, self._default_request_timeout_ms))
        except OSError as e:
            self._log.error("the selector fails to poll", exc=e)

        updated_now = self._time.milliseconds()
        responses = []
        self._handle_completed_sends(responses, updated_now)
        self._handle_completed_receives(responses, updated_now)
        self._handle_disconnections(responses, updated_now)
        self._handle_connections()
        self._handle_initiate_api_version_requests(updated_now)
        self._handle_timed_out_connections(responses, updated_now)
        self._handle_timed_out_requests(responses, updated_now)
        self._complete_responses(responses)

        return responses

    def _complete_responses(self, responses: list[ClientResponse]) -> None:
        """Call the callbacks; log an exception of a callback.

        :origin: clients.NetworkClient#completeResponses(List<ClientResponse>)
        """
        for response in responses:
            try:
                response.on_complete()
            except BaseException as e:  # DEVIATION D492
                self._log.error("the callback of a request fails", exc=e)

    def in_flight_request_count(self) -> int:
        """Return the number of requests without a response. Called by any thread.

        :origin: clients.NetworkClient#inFlightRequestCount()
        """
        return self._in_flight_requests.count()

    def has_in_flight_requests(self) -> bool:
        """Return whether any request has no response yet.

        :origin: clients.NetworkClient#hasInFlightRequests()
        """
        return not self._in_flight_requests.is_empty()

    def in_flight_request_count_node_id(self, node_id: str) -> int:
        """Return the number of requests to a node without a response.

        :origin: clients.NetworkClient#inFlightRequestCount(String)
        """
        return self._in_flight_requests.count_node(node_id)

    def has_in_flight_requests_node_id(self, node_id: str) -> bool:
        """Return whether any request to a node has no response yet.

        :origin: clients.NetworkClient#hasInFlightRequests(String)
        """
        return not self._in_flight_requests.is_empty_node(node_id)

    def has_ready_nodes(self, now: int) -> bool:
        """Return whether a node is connected, ready and not throttled.

        :origin: clients.NetworkClient#hasReadyNodes(long)
        """
        return self._connection_states.has_ready_nodes(now)

    def wakeup(self) -> None:
        """End a waiting ``poll``. Called by any thread.

        :origin: clients.NetworkClient#wakeup()
        """
        self._selector.wakeup()

    def initiate_close(self) -> None:
        """Refuse further requests, and end a waiting ``poll``. Called by any thread.

        :origin: clients.NetworkClient#initiateClose()
        """
        if self._state.compare_and_set(NetworkClient.State.ACTIVE, NetworkClient.State.CLOSING):
            self.wakeup()

    def active(self) -> bool:
        """Return whether neither ``initiate_close`` nor ``close`` was called. Called by any thread.

        :origin: clients.NetworkClient#active()
        """
        return self._state.get() is NetworkClient.State.ACTIVE

    def _ensure_active(self) -> None:
        """:origin: clients.NetworkClient#ensureActive()"""
        if not self.active():
            state = self._state.get()
            assert state is not None, "one of three"
            raise DisconnectException(f"NetworkClient is no longer active, state is {state.name}")

    def close(self) -> None:
        """Close all connections, the selector and the metadata; only the first call has an effect.

        :origin: clients.NetworkClient#close()
        """
        self._state.compare_and_set(NetworkClient.State.ACTIVE, NetworkClient.State.CLOSING)
        if self._state.compare_and_set(NetworkClient.State.CLOSING, NetworkClient.State.CLOSED):
            self._selector.close()
            self._metadata_updater.close()
            if self._telemetry_sender is not None:
                self._telemetry_sender.close()
        else:
            self._log.warn("the client is closed a second time")

    def least_loaded_node(self, now: int) -> LeastLoadedNode:
        """Return the node for the next request, if one is ready or can be connected to.

        The first choice is the ready connection with the fewest requests in flight. The second is a
        connection that is being made. The third is the node whose last attempt to connect is longest ago.
        Throttled nodes and nodes in backoff do not count. Raises IllegalStateException if there are no nodes
        at all.

        :origin: clients.NetworkClient#leastLoadedNode(long)
        """
        nodes = self._metadata_updater.fetch_nodes()
        if not nodes:
            raise IllegalStateException("There are no nodes in the Kafka cluster")
        inflight = _INT_MAX_VALUE

        found_connecting: Node | None = None
        found_can_connect: Node | None = None
        found_ready: Node | None = None

        at_least_one_connection_ready = False

        offset = self._rand_offset.randrange(len(nodes))
        for i in range(len(nodes)):
            idx = (offset + i) % len(nodes)
            node = nodes[idx]

            if (not at_least_one_connection_ready
                    and self._connection_states.is_ready(node.id_string(), now)
                    and self._selector.is_channel_ready(node.id_string())):
                at_least_one_connection_ready = True

            if self._can_send_request(node.id_string(), now):
                curr_inflight = self._in_flight_requests.count_node(node.id_string())
                if curr_inflight == 0:
                    # No node has fewer requests.
                    self._log.trace("least loaded is node %s, which is connected and idle", node)
                    return LeastLoadedNode(node, True)
                if curr_inflight < inflight:
                    inflight = curr_inflight
                    found_ready = node
            elif self._connection_states.is_preparing_connection(node.id_string()):
                found_connecting = node
            elif self.can_connect(node, now):
                if (found_can_connect is None
                        or self._connection_states.last_connect_attempt_ms(found_can_connect.id_string())
                        > self._connection_states.last_connect_attempt_ms(node.id_string())):
                    found_can_connect = node
            else:
                self._log.trace("node %s can neither be asked nor connected to", node)

        # A connection that is being made comes before a new one, because it is ready sooner.
        if found_ready is not None:
            self._log.trace("least loaded is node %s, with %d requests in flight", found_ready, inflight)
            return LeastLoadedNode(found_ready, at_least_one_connection_ready)
        if found_connecting is not None:
            self._log.trace("least loaded is node %s, which is being connected to", found_connecting)
            return LeastLoadedNode(found_connecting, at_least_one_connection_ready)
        if found_can_connect is not None:
            self._log.trace("least loaded is node %s, without a connection", found_can_connect)
            return LeastLoadedNode(found_can_connect, at_least_one_connection_ready)
        self._log.trace("no node can be asked")
        return LeastLoadedNode(None, at_least_one_connection_ready)

    @staticmethod
    def parse_response(response_buffer: ByteBuffer, request_header: RequestHeader) -> AbstractResponse:
        """Parse the response, including its header, to the request with this header.

        Raises SchemaException if the response is truncated, or does not belong to a SASL request;
        CorrelationIdMismatchException if it belongs to another request; otherwise raises as
        ``AbstractResponse.parse_response``.

        :origin: clients.NetworkClient#parseResponse(ByteBuffer, RequestHeader)
        """
        try:
            return AbstractResponse.parse_response(response_buffer, request_header)
        except BufferUnderflowException as e:
            raise SchemaException(
                f"Buffer underflow while parsing response for request with header {request_header}", e) from e
        except CorrelationIdMismatchException as e:
            if (SaslClientAuthenticator.is_reserved(request_header.correlation_id())
                    and not SaslClientAuthenticator.is_reserved(e.response_correlation_id())):
                raise SchemaException(
                    "The response is unrelated to Sasl request since its correlation id is "
                    f"{e.response_correlation_id()} and the reserved range for Sasl request is [ "
                    f"{SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID},"
                    f"{SaslClientAuthenticator.MAX_RESERVED_CORRELATION_ID}]") from e
            raise

    def _process_disconnection(self, responses: list[ClientResponse], node_id: str, now: int,
                               disconnect_state: ChannelState, timed_out: bool = False) -> None:
        """Handle a closed connection, and end its requests.

        :origin: clients.NetworkClient#processDisconnection(List<ClientResponse>, String, long, ChannelState)
        :origin: clients.NetworkClient#processDisconnection(
            List<ClientResponse>, String, long, ChannelState, boolean)
        """
        self._connection_states.disconnected(node_id, now)
        self._api_versions.remove(node_id)
        self._nodes_needing_api_versions_fetch.pop(node_id, None)
        state = disconnect_state.state()
        if state is ChannelState.State.AUTHENTICATION_FAILED:
            exception = disconnect_state.exception()
            assert exception is not None, "a channel in that state has one"
            self._connection_states.authentication_failed(node_id, now, exception)
            self._log.error("node %s (%s) and this client do not authenticate: %s", node_id,
                            disconnect_state.remote_address(), exception)
        elif state is ChannelState.State.AUTHENTICATE:
            self._log.warn("node %s (%s) closed the connection during authentication: a broker before 1.0 "
                           "refuses credentials so, a firewall may stop TLS, or the network failed",
                           node_id, disconnect_state.remote_address())
        elif state is ChannelState.State.NOT_CONNECTED:
            self._log.warn("there is no connection to node %s (%s): the broker may be down", node_id,
                           disconnect_state.remote_address())

        self._cancel_in_flight_requests(node_id, now, responses, timed_out)
        self._metadata_updater.handle_server_disconnect(now, node_id, disconnect_state.exception())

    def _process_timeout_disconnection(self, responses: list[ClientResponse], node_id: str,
                                       now: int) -> None:
        """:origin: clients.NetworkClient#processTimeoutDisconnection(List<ClientResponse>, String, long)"""
        self._process_disconnection(responses, node_id, now, ChannelState.LOCAL_CLOSE, True)

    def _handle_timed_out_requests(self, responses: list[ClientResponse], now: int) -> None:
        """Close the connections with a timed-out request.

        :origin: clients.NetworkClient#handleTimedOutRequests(List<ClientResponse>, long)
        """
        node_ids = self._in_flight_requests.nodes_with_timed_out_requests(now)
        for node_id in node_ids:
            self._selector.close_id(node_id)
            self._log.info("node %s is late with a response: its connection is closed", node_id)
            self._process_timeout_disconnection(responses, node_id, now)

    def _handle_aborted_sends(self, responses: list[ClientResponse]) -> None:
        """:origin: clients.NetworkClient#handleAbortedSends(List<ClientResponse>)"""
        responses.extend(self._aborted_sends)
        self._aborted_sends.clear()

    def _handle_timed_out_connections(self, responses: list[ClientResponse], now: int) -> None:
        """Close the connections whose setup has timed out.

        :origin: clients.NetworkClient#handleTimedOutConnections(List<ClientResponse>, long)
        """
        nodes = self._connection_states.nodes_with_connection_setup_timeout(now)
        for node_id in nodes:
            self._selector.close_id(node_id)
            self._log.info("there is no connection to node %s after %d ms: it is given up", node_id,
                           self._connection_states.connection_setup_timeout_ms(node_id))
            self._process_timeout_disconnection(responses, node_id, now)

    def _handle_completed_sends(self, responses: list[ClientResponse], now: int) -> None:
        """Complete the requests that are written and expect no response.

        :origin: clients.NetworkClient#handleCompletedSends(List<ClientResponse>, long)
        """
        for send in self._selector.completed_sends():
            request = self._in_flight_requests.last_sent(send.destination_id())
            if not request.expect_response:
                self._in_flight_requests.complete_last_sent(send.destination_id())
                responses.append(request.completed(None, now))

    def _maybe_throttle(self, response: AbstractResponse, api_version: int, node_id: str, now: int) -> None:
        """Throttle a node for the throttle time of its response, if the version leaves this to the client.

        :origin: clients.NetworkClient#maybeThrottle(AbstractResponse, short, String, long)
        """
        throttle_time_ms = response.throttle_time_ms()
        if throttle_time_ms > 0 and response.should_client_throttle(api_version):
            self._in_flight_requests.increment_throttle_time(node_id, throttle_time_ms)
            self._connection_states.throttle(node_id, now + throttle_time_ms)
            self._log.trace("node %s is throttled for %d ms, until %d", node_id, throttle_time_ms,
                            now + throttle_time_ms)

    def _handle_completed_receives(self, responses: list[ClientResponse], now: int) -> None:
        """Process the responses that the selector has read; handle those of the client's own requests here.

        :origin: clients.NetworkClient#handleCompletedReceives(List<ClientResponse>, long)
        """
        for receive in self._selector.completed_receives():
            source = receive.source()
            try:
                req = self._in_flight_requests.complete_next(source)
            except IllegalStateException as e:  # DEVIATION D311
                self._close_unreadable(responses, source, now, e)
                continue

            try:
                response = NetworkClient.parse_response(receive.payload(), req.header)
            except Exception as e:  # DEVIATION D311
                self._in_flight_requests.put_back(req)
                self._close_unreadable(responses, source, now, e)
                continue
            if self._throttle_time_sensor is not None:
                self._throttle_time_sensor.record(response.throttle_time_ms(), now)

            if self._log.is_debug_enabled():
                self._log.debug("%s response from node %s to %s: %s", req.header.api_key(),
                                req.destination, req.header, response)

            self._maybe_throttle(response, req.header.api_version(), req.destination, now)
            if req.is_internal_request and isinstance(response, MetadataResponse):
                self._metadata_updater.handle_successful_response(req.header, now, response)
            elif req.is_internal_request and isinstance(response, ApiVersionsResponse):
                self._handle_api_versions_response(responses, req, now, response)
            elif req.is_internal_request and isinstance(response, GetTelemetrySubscriptionsResponse):
                assert self._telemetry_sender is not None, "nobody else asks"
                self._telemetry_sender.handle_response(response)
            elif req.is_internal_request and isinstance(response, PushTelemetryResponse):
                assert self._telemetry_sender is not None, "nobody else asks"
                self._telemetry_sender.handle_response_push(response)
            else:
                responses.append(req.completed(response, now))

    # DEVIATION D311: in the origin the poll raises. The request then never completes, and after a metadata
    # request no other one follows.
    def _close_unreadable(self, responses: list[ClientResponse], node: str, now: int, e: Exception) -> None:
        """Close a connection whose bytes are not a response to its oldest request, and end its requests."""
        self._log.error("node %s sends what is no response to its oldest request: its connection is closed",
                        node, exc=e)
        self._selector.close_id(node)
        self._process_disconnection(responses, node, now, ChannelState.LOCAL_CLOSE)

    def _handle_api_versions_response(self, responses: list[ClientResponse], req: InFlightRequest, now: int,
                                      api_versions_response: ApiVersionsResponse) -> None:
        """Make a connection READY, ask again in an older version, or close it.

        :origin: clients.NetworkClient#handleApiVersionsResponse(
            List<ClientResponse>, InFlightRequest, long, ApiVersionsResponse)
        """
        node = req.destination
        data = api_versions_response.data()
        if data.error_code != Errors.NONE.code:
            assert req.request is not None, "a request that was sent"
            if req.request.version() == 0 or data.error_code != Errors.UNSUPPORTED_VERSION.code:
                self._log.warn("node %s answers ApiVersions request %d with %s: its connection is closed",
                               node, req.header.correlation_id(), Errors.for_code(data.error_code))
                self._selector.close_id(node)
                self._process_disconnection(responses, node, now, ChannelState.LOCAL_CLOSE)
            else:
                # From 2.4 on a node reports the versions of ApiVersions that it accepts (KIP-511).
                max_api_version = 0
                if data.api_keys:
                    api_version = api_versions_response.api_version(ApiKeys.API_VERSIONS.id)
                    if api_version is not None:
                        max_api_version = api_version.max_version
                self._nodes_needing_api_versions_fetch[node] = ApiVersionsRequest.Builder(max_api_version)
            return
        node_version_info = NodeApiVersions(
            data.api_keys, data.supported_features, api_versions_response.zk_migration_ready())
        self._api_versions.update(node, node_version_info)
        self._connection_states.ready(node)
        self._log.debug("node %s has finalized features %s of epoch %d, supports %s, speaks %s; ZooKeeper "
                        "migration ready: %s", node, data.finalized_features, data.finalized_features_epoch,
                        data.supported_features, node_version_info, data.zk_migration_ready)

    def _handle_disconnections(self, responses: list[ClientResponse], now: int) -> None:
        """:origin: clients.NetworkClient#handleDisconnections(List<ClientResponse>, long)"""
        for node, state in self._selector.disconnected().items():
            self._log.info("node %s is disconnected", node)
            self._process_disconnection(responses, node, now, state)

    def _handle_connections(self) -> None:
        """Handle new connections.

        With TLS or SASL the handshake follows. The channel is not ready until the handshake ends, and nothing
        is sent before.

        :origin: clients.NetworkClient#handleConnections()
        """
        for node in self._selector.connected():
            if self._discover_broker_versions:
                self._nodes_needing_api_versions_fetch[node] = ApiVersionsRequest.Builder()
                self._log.debug("node %s is connected; its versions are asked for next", node)
            else:
                self._connection_states.ready(node)
                self._log.debug("node %s is connected and ready", node)

    def _handle_initiate_api_version_requests(self, now: int) -> None:
        """Ask nodes for their versions once their channels are ready.

        Only then do the nodes leave CONNECTING, so that a channel which never becomes ready runs into the
        setup timeout.

        :origin: clients.NetworkClient#handleInitiateApiVersionRequests(long)
        """
        for node, api_version_request_builder in list(self._nodes_needing_api_versions_fetch.items()):
            if self._selector.is_channel_ready(node) and self._in_flight_requests.can_send_more(node):
                self._log.debug("node %s is asked for its versions", node)
                self._connection_states.checking_api_versions(node)
                client_request = self.new_client_request(node, api_version_request_builder, now, True)
                self._do_send(client_request, True, now)
                del self._nodes_needing_api_versions_fetch[node]

    def _initiate_connect(self, node: Node, now: int) -> None:
        """Begin to connect to a node, which is CONNECTING afterwards, or DISCONNECTED after an immediate
        failure.

        :origin: clients.NetworkClient#initiateConnect(Node, long)
        """
        node_connection_id = node.id_string()
        try:
            self._connection_states.connecting(node_connection_id, now, node.host() or "")
            address = self._connection_states.current_address(node_connection_id)
            self._log.debug("node %s is connected to by its address %s", node, address)
            self._selector.connect(
                node_connection_id,
                InetSocketAddress(address, node.port()),
                self._socket_send_buffer,
                self._socket_receive_buffer)
        except OSError as e:
            self._log.warn("node %s cannot be connected to", node, exc=e)
            self._connection_states.disconnected(node_connection_id, now)
            self._metadata_updater.handle_server_disconnect(now, node_connection_id, None)

    def _is_any_node_connecting(self) -> bool:
        """:origin: clients.NetworkClient#isAnyNodeConnecting()"""
        for node in self._metadata_updater.fetch_nodes():
            if self._connection_states.is_connecting(node.id_string()):
                return True
        return False

    def _is_telemetry_api(self, api_key: ApiKeys) -> bool:
        """:origin: clients.NetworkClient#isTelemetryApi(ApiKeys)"""
        return api_key is ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS or api_key is ApiKeys.PUSH_TELEMETRY

    class DefaultMetadataUpdater(MetadataUpdater):
        """Keeps a Metadata up to date with its client's requests, one at a time.

        :origin: clients.NetworkClient.DefaultMetadataUpdater
        """

        def __init__(self, client: NetworkClient, metadata: Metadata) -> None:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#DefaultMetadataUpdater(Metadata)"""
            self._client = client
            self._metadata = metadata
            # None while no request is in flight.
            self._in_progress: NetworkClient.DefaultMetadataUpdater.InProgressData | None = None

        def fetch_nodes(self) -> Sequence[Node]:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#fetchNodes()"""
            return self._metadata.fetch().nodes()

        def is_update_due(self, now: int) -> bool:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#isUpdateDue(long)"""
            return not self._has_fetch_in_progress() and self._metadata.time_to_next_update(now) == 0

        def _has_fetch_in_progress(self) -> bool:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#hasFetchInProgress()"""
            return self._in_progress is not None

        def maybe_update(self, now: int) -> int:
            """Send a request if one is due and a node is available; return how long a poll may wait.

            :origin: clients.NetworkClient.DefaultMetadataUpdater#maybeUpdate(long)
            """
            time_to_next_metadata_update = self._metadata.time_to_next_update(now)
            wait_for_metadata_fetch = (
                self._client._default_request_timeout_ms if self._has_fetch_in_progress() else 0)

            metadata_timeout = max(time_to_next_metadata_update, wait_for_metadata_fetch)
            if metadata_timeout > 0:
                return metadata_timeout

            least_loaded_node = self._client.least_loaded_node(now)

            if (self._client._metadata_recovery_strategy is MetadataRecoveryStrategy.REBOOTSTRAP
                    and not least_loaded_node.has_node_available_or_connection_ready()):
                self._metadata.rebootstrap()

                least_loaded_node = self._client.least_loaded_node(now)

            node = least_loaded_node.node()
            if node is None:
                self._client._log.debug("no node can be asked for metadata")
                return self._client._reconnect_backoff_ms

            return self._maybe_update_node(now, node)

        def handle_server_disconnect(self, now: int, destination_id: str,
                                     maybe_fatal_exception: AuthenticationException | None) -> None:
            """Request new metadata, because the node may have left the cluster; back off if an update was
            under way.

            :origin: clients.NetworkClient.DefaultMetadataUpdater#handleServerDisconnect(
                long, String, Optional<AuthenticationException>)
            """
            cluster = self._metadata.fetch()
            # _process_disconnection logs refused connections and failed authentications.
            if cluster.is_bootstrap_configured():
                node_id = int(destination_id)
                node = cluster.node_by_id(node_id)
                if node is not None:
                    self._client._log.warn("bootstrap node %s is disconnected", node)

            if self.is_update_due(now):
                self.handle_failed_request(now, None)

            if maybe_fatal_exception is not None:
                self._metadata.fatal_error(maybe_fatal_exception)

            self._metadata.request_update(False)

        def handle_failed_request(self, now: int, maybe_fatal_exception: KafkaException | None) -> None:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#handleFailedRequest(
                long, Optional<KafkaException>)
            """
            if maybe_fatal_exception is not None:
                self._metadata.fatal_error(maybe_fatal_exception)
            self._metadata.failed_update(now)
            self._in_progress = None

        def handle_successful_response(self, request_header: RequestHeader, now: int,
                                       response: MetadataResponse) -> None:
            """Process new metadata.

            A response without brokers, as from a starting broker, counts as a failure.

            :origin: clients.NetworkClient.DefaultMetadataUpdater#handleSuccessfulResponse(
                RequestHeader, long, MetadataResponse)
            """
            # A broker's listener may be misconfigured, or may be about to be added. Up to ten partitions are
            # logged.
            missing_listener_partitions = [
                TopicPartition(topic_metadata.topic() or "", partition_metadata.partition())
                for topic_metadata in response.topic_metadata()
                for partition_metadata in topic_metadata.partition_metadata()
                if partition_metadata.error is Errors.LISTENER_NOT_FOUND]
            if missing_listener_partitions:
                self._client._log.warn(
                    "the leaders of %d partitions have no listener of the name that the client uses: %s",
                    len(missing_listener_partitions), missing_listener_partitions[:10])

            errors = response.errors()
            if errors:
                self._client._log.warn("Metadata request %d is answered with errors: %s",
                                       request_header.correlation_id(), java_text(errors))

            if not response.brokers():
                self._client._log.trace("Metadata request %d is answered without a broker",
                                        request_header.correlation_id())
                self._metadata.failed_update(now)
            else:
                assert self._in_progress is not None, "a request of its own is answered"
                self._metadata.update(self._in_progress.request_version, response,
                                      self._in_progress.is_partial_update, now)

            self._in_progress = None

        def close(self) -> None:
            """:origin: clients.NetworkClient.DefaultMetadataUpdater#close()"""
            self._metadata.close()

        def _maybe_update_node(self, now: int, node: Node) -> int:
            """Send a request to ``node``, or connect to it; return the milliseconds that a poll may wait.

            :origin: clients.NetworkClient.DefaultMetadataUpdater#maybeUpdate(long, Node)
            """
            client = self._client
            node_connection_id = node.id_string()

            if client._can_send_request(node_connection_id, now):
                request_and_version = self._metadata.new_metadata_request_and_version(now)
                metadata_request = request_and_version.request_builder
                client._log.debug("node %s is asked for metadata: %s", node, metadata_request)
                # DEVIATION D298: set first, because a request that cannot be sent is complete when the call
                # returns.
                self._in_progress = NetworkClient.DefaultMetadataUpdater.InProgressData(
                    request_and_version.request_version, request_and_version.is_partial_update)
                client.send_internal_metadata_request(metadata_request, node_connection_id, now)
                return client._default_request_timeout_ms

            # One connection is enough: the next one waits for the end of this attempt.
            if client._is_any_node_connecting():
                return client._reconnect_backoff_ms

            if client._connection_states.can_connect(node_connection_id, now):
                client._log.debug("node %s is connected to for metadata", node)
                client._initiate_connect(node, now)
                return client._reconnect_backoff_ms

            # The connection is busy; the poll ends when it becomes usable.
            return _LONG_MAX_VALUE

        class InProgressData:
            """The version and the kind of the metadata request in flight.

            :origin: clients.NetworkClient.DefaultMetadataUpdater.InProgressData
            """

            __slots__ = ("request_version", "is_partial_update")

            def __init__(self, request_version: int, is_partial_update: bool) -> None:
                """:origin: clients.NetworkClient.DefaultMetadataUpdater.InProgressData#InProgressData(
                    int, boolean)
                """
                self.request_version = request_version
                self.is_partial_update = is_partial_update

    class TelemetrySender:
        """Sends the requests of a ClientTelemetrySender, to the same node as long as possible (KIP-714).

        :origin: clients.NetworkClient.TelemetrySender
        """

        def __init__(self, client: NetworkClient, client_telemetry_sender: ClientTelemetrySender) -> None:
            """:origin: clients.NetworkClient.TelemetrySender#TelemetrySender(ClientTelemetrySender)"""
            self._client = client
            self._client_telemetry_sender = client_telemetry_sender
            self._sticky_node: Node | None = None

        def maybe_update(self, now: int) -> int:
            """Send a request if one is due and a node is available; return how long a poll may wait.

            :origin: clients.NetworkClient.TelemetrySender#maybeUpdate(long)
            """
            time_to_next_update = self._client_telemetry_sender.time_to_next_update(
                self._client._default_request_timeout_ms)
            if time_to_next_update > 0:
                return time_to_next_update

            if self._sticky_node is None:
                self._sticky_node = self._client.least_loaded_node(now).node()
                if self._sticky_node is None:
                    self._client._log.debug("no node can be asked for telemetry")
                    return self._client._reconnect_backoff_ms

            return self._maybe_update_node(now, self._sticky_node)

        def _maybe_update_node(self, now: int, node: Node) -> int:
            """:origin: clients.NetworkClient.TelemetrySender#maybeUpdate(long, Node)"""
            client = self._client
            node_connection_id = node.id_string()

            if client._can_send_request(node_connection_id, now):
                request = self._client_telemetry_sender.create_request()

                if request is None:
                    return _LONG_MAX_VALUE

                client_request = client.new_client_request(node_connection_id, request, now, True)
                client._do_send(client_request, True, now)
                return client._default_request_timeout_ms
            # The next call tries another node.
            self._sticky_node = None

            # One connection is enough: the next one waits for the end of this attempt.
            if client._is_any_node_connecting():
                return client._reconnect_backoff_ms

            if client._connection_states.can_connect(node_connection_id, now):
                client._log.debug("node %s is connected to for telemetry", node)
                client._initiate_connect(node, now)
                return client._reconnect_backoff_ms

            # The connection is busy; the poll ends when it becomes usable.
            return _LONG_MAX_VALUE

        def handle_response(self, response: GetTelemetrySubscriptionsResponse) -> None:
            """:origin: clients.NetworkClient.TelemetrySender#handleResponse(
                GetTelemetrySubscriptionsResponse)
            """
            self._client_telemetry_sender.handle_response(response)

        def handle_response_push(self, response: PushTelemetryResponse) -> None:
            """:origin: clients.NetworkClient.TelemetrySender#handleResponse(PushTelemetryResponse)"""
            self._client_telemetry_sender.handle_response_push(response)

        def handle_failed_request(self, api_key: ApiKeys,
                                  maybe_fatal_exception: KafkaException | None) -> None:
            """Raises IllegalStateException if ``api_key`` is not a telemetry API.

            :origin: clients.NetworkClient.TelemetrySender#handleFailedRequest(ApiKeys, KafkaException)
            """
            if api_key is ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS:
                self._client_telemetry_sender.handle_failed_get_telemetry_subscriptions_request(
                    maybe_fatal_exception)
            elif api_key is ApiKeys.PUSH_TELEMETRY:
                self._client_telemetry_sender.handle_failed_push_telemetry_request(maybe_fatal_exception)
            else:
                raise IllegalStateException("Invalid api key for failed telemetry request")

        def close(self) -> None:
            """:origin: clients.NetworkClient.TelemetrySender#close()"""
            try:
                self._client_telemetry_sender.close()
            except Exception as exception:
                self._client._log.error("the telemetry sender fails to close", exc=exception)

    def _next_correlation_id(self) -> int:
        """Return the next correlation id; ids that SASL reserves are skipped.

        :origin: clients.NetworkClient#nextCorrelationId()
        """
        if SaslClientAuthenticator.is_reserved(self._correlation):
            # The reserved ids are the highest of an int, so the next id is the lowest.
            self._correlation = _INT_MIN_VALUE
        correlation = self._correlation
        self._correlation += 1
        return correlation

    def telemetry_connected_node(self) -> Node | None:
        """Return the node that receives telemetry, or None. For tests; needs a telemetry sender.

        :origin: clients.NetworkClient#telemetryConnectedNode()
        """
        assert self._telemetry_sender is not None, "the client has a telemetry sender"
        return self._telemetry_sender._sticky_node

    def new_client_request(self, node_id: str, request_builder: AbstractRequest.Builder[AbstractRequest],
                           created_time_ms: int, expect_response: bool,
                           request_timeout_ms: int | None = None,
                           callback: RequestCompletionHandler | None = None) -> ClientRequest:
        """Return a request to a node, for ``send``; see ``KafkaClient``.

        :origin: clients.NetworkClient#newClientRequest(String, AbstractRequest.Builder<?>, long, boolean)
        :origin: clients.NetworkClient#newClientRequest(String, AbstractRequest.Builder<?>, long, boolean,
            int, RequestCompletionHandler)
        """
        if request_timeout_ms is None:
            request_timeout_ms = self._default_request_timeout_ms
        return ClientRequest(node_id, request_builder, self._next_correlation_id(), self._client_id,
                             created_time_ms, expect_response, request_timeout_ms, callback)

    def discover_broker_versions(self) -> bool:
        """Return whether the client asks nodes for their versions.

        :origin: clients.NetworkClient#discoverBrokerVersions()
        """
        return self._discover_broker_versions

    class InFlightRequest:
        """A request that is being sent, or waits for its response.

        NetworkClient reads the fields without ``_``.

        :origin: clients.NetworkClient.InFlightRequest
        """

        __slots__ = ("header", "destination", "callback", "expect_response", "request",
                     "is_internal_request", "send", "send_time_ms", "created_time_ms", "request_timeout_ms",
                     "_throttle_time_ms")

        @staticmethod
        def of(client_request: ClientRequest, header: RequestHeader, is_internal_request: bool,
               request: AbstractRequest, send: Send, send_time_ms: int) -> NetworkClient.InFlightRequest:
            """Return the in-flight request of a ClientRequest.

            :origin: clients.NetworkClient.InFlightRequest#InFlightRequest(
                ClientRequest, RequestHeader, boolean, AbstractRequest, Send, long)
            """
            return NetworkClient.InFlightRequest(
                header, client_request.request_timeout_ms(), client_request.created_time_ms(),
                client_request.destination(), client_request.callback(), client_request.expect_response(),
                is_internal_request, request, send, send_time_ms)

        def __init__(self, header: RequestHeader, request_timeout_ms: int, created_time_ms: int,
                     destination: str, callback: RequestCompletionHandler | None, expect_response: bool,
                     is_internal_request: bool, request: AbstractRequest, send: Send,
                     send_time_ms: int) -> None:
            """Store all arguments; ``is_internal_request`` marks the client's own requests.

            :origin: clients.NetworkClient.InFlightRequest#InFlightRequest(RequestHeader, int, long, String,
                RequestCompletionHandler, boolean, boolean, AbstractRequest, Send, long)
            """
            self.header = header
            self.request_timeout_ms = request_timeout_ms
            self.created_time_ms = created_time_ms
            self.destination = destination
            self.callback = callback
            self.expect_response = expect_response
            self.is_internal_request = is_internal_request
            self.request = request
            self.send = send
            self.send_time_ms = send_time_ms
            self._throttle_time_ms = 0

        def time_elapsed_since_send_ms(self, current_time_ms: int) -> int:
            """Return the milliseconds since the request was sent.

            :origin: clients.NetworkClient.InFlightRequest#timeElapsedSinceSendMs(long)
            """
            return max(0, current_time_ms - self.send_time_ms)

        def throttle_time_ms(self) -> int:
            """Return the milliseconds of throttling since the request was sent.

            :origin: clients.NetworkClient.InFlightRequest#throttleTimeMs()
            """
            return self._throttle_time_ms

        def time_elapsed_since_create_ms(self, current_time_ms: int) -> int:
            """Return the milliseconds since the request was created.

            :origin: clients.NetworkClient.InFlightRequest#timeElapsedSinceCreateMs(long)
            """
            return max(0, current_time_ms - self.created_time_ms)

        def completed(self, response: AbstractResponse | None, time_ms: int) -> ClientResponse:
            """Return the ClientResponse with a response, or with None if none was expected.

            :origin: clients.NetworkClient.InFlightRequest#completed(AbstractResponse, long)
            """
            return ClientResponse(self.header, self.callback, self.destination, self.created_time_ms,
                                  time_ms, False, None, None, response)

        def timed_out(self, time_ms: int) -> ClientResponse:
            """Return the ClientResponse of a request whose connection was closed after its timeout.

            :origin: clients.NetworkClient.InFlightRequest#timedOut(long)
            """
            return ClientResponse(self.header, self.callback, self.destination, self.created_time_ms,
                                  time_ms, True, None, None, None, timed_out=True)

        def disconnected(self, time_ms: int) -> ClientResponse:
            """Return the ClientResponse of a request whose connection was closed.

            :origin: clients.NetworkClient.InFlightRequest#disconnected(long)
            """
            return ClientResponse(self.header, self.callback, self.destination, self.created_time_ms,
                                  time_ms, True, None, None, None)

        def __str__(self) -> str:
            """:origin: clients.NetworkClient.InFlightRequest#toString()"""
            return (f"InFlightRequest(header={self.header}, destination={self.destination}, "
                    f"expectResponse={str(self.expect_response).lower()}, "
                    f"createdTimeMs={self.created_time_ms}, sendTimeMs={self.send_time_ms}, "
                    f"isInternalRequest={str(self.is_internal_request).lower()}, request={self.request}, "
                    f"callback={self.callback}, send={self.send})")

        def increment_throttle_time(self, throttle_time_ms: int) -> None:
            """Add milliseconds of throttling to the time to wait for the response.

            :origin: clients.NetworkClient.InFlightRequest#incrementThrottleTime(long)
            """
            self._throttle_time_ms = throttle_time_ms + self._throttle_time_ms
