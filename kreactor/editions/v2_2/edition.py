# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka 2.2.2 as an edition: its listeners and handlers, joined to the broker of 3.8.0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.send import Send as Send38
from kreactor.common.utils.time import Time
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.editions.bridge import BridgedApis, EditionResponses
from kreactor.editions.edition_server import EditionSocketServer, Surroundings
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v0_10_2.edition import AddressedSend
from kreactor.editions.v2_2.core.network.request_channel import (
    CloseConnectionResponse,
    EndThrottlingResponse,
    NoOpResponse,
    Request,
    RequestChannel,
    SendResponse,
    StartThrottlingResponse,
)
from kreactor.editions.v2_2.core.network.socket_server import (
    CONTROL_PLANE_METRIC_PREFIX,
    CONTROL_PLANE_THREAD_PREFIX,
    DATA_PLANE_METRIC_PREFIX,
    DATA_PLANE_THREAD_PREFIX,
    SocketServer,
)
from kreactor.editions.v2_2.core.server.client_quota_manager import ClientQuotaManager
from kreactor.editions.v2_2.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.jdk.net import InetAddress
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.config.server_configs import ServerConfigs

_HANDLER_METRIC = "RequestHandlerAvgIdlePercent"


class Responses(EditionResponses[Request]):
    """Sends responses through a request channel of 2.2."""

    def __init__(self, request_channel: RequestChannel, time: Time) -> None:
        self._request_channel = request_channel
        self._time = time

    def completed(self, request: Request, response: RequestChannel38.Response) -> None:
        """Take over the times, the memory, and the callback for the network thread's time."""
        noted = response.request
        request.api_remote_complete_time_nanos = self._time.nanoseconds()
        request.message_conversions_time_nanos = noted.message_conversions_time_nanos
        request.temporary_memory_bytes = noted.temporary_memory_bytes
        request.record_network_thread_time_callback = noted.record_network_thread_time_callback

    def send_response(self, request: Request, response: RequestChannel38.SendResponse) -> None:
        """Respond with SendResponse, with the text for the request log and the callback."""
        text = response.response_log()
        self._send(request, response.response_send, None if text is None else str(text),
                   response.on_complete_callback)

    def send(self, request: Request, send: Send38) -> None:
        """Respond with SendResponse."""
        self._send(request, send, None, None)

    def _send(self, request: Request, send: Send38, text: str | None,
              on_complete: Callable[[Send38], None] | None) -> None:

        def completed(_: Send) -> None:
            assert on_complete is not None, "otherwise this is not given away"
            on_complete(send)

        self._request_channel.send_response(SendResponse(
            request, AddressedSend(request.context.connection_id, send), text,
            None if on_complete is None else completed))

    def no_operation(self, request: Request) -> None:
        """Respond with NoOpResponse."""
        self._request_channel.send_response(NoOpResponse(request))

    def close_connection(self, request: Request) -> None:
        """Respond with CloseConnectionResponse."""
        self._request_channel.send_response(CloseConnectionResponse(request))

    def start_throttling(self, request: Request, throttle_time_ms: int) -> None:
        """Mute with StartThrottlingResponse."""
        self._request_channel.send_response(StartThrottlingResponse(request))

    def end_throttling(self, request: Request) -> None:
        """Unmute with EndThrottlingResponse."""
        self._request_channel.send_response(EndThrottlingResponse(request))

    def handled(self, request: Request) -> None:
        """Record the time, even if the response may have been sent already."""
        request.api_local_complete_time_nanos = self._time.nanoseconds()


class _TimedResponses(Responses):
    """Ends throttlings by the edition's delay queue, instead of those of 3.8.0."""

    def __init__(self, request_channel: RequestChannel, time: Time, quotas: ClientQuotaManager) -> None:
        super().__init__(request_channel, time)
        self._quotas = quotas

    def start_throttling(self, request: Request, throttle_time_ms: int) -> None:
        """Mute the channel for the throttle time."""
        self._quotas.throttle(request, throttle_time_ms, self._request_channel.send_response)

    def end_throttling(self, request: Request) -> None:
        """Do nothing, because the edition's delay queue ends the throttling."""


class Server(EditionSocketServer):
    """The listeners, the handlers, and the queue of throttled channels."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Open the listeners. Raises KafkaException or OSError, after closing everything."""
        self._surroundings = surroundings
        self._pool: KafkaRequestHandlerPool | None = None
        self._control_plane_pool: KafkaRequestHandlerPool | None = None
        self.socket_server = SocketServer(
            surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
            surroundings.api_version_manager, surroundings.metrics_registry)
        self._quotas = ClientQuotaManager(surroundings.metrics, "Client", surroundings.time, "")
        try:
            self.socket_server.startup(startup_processors=False)
        except BaseException:
            self.socket_server.shutdown()
            self._quotas.shutdown()
            raise

    def request_metrics(self) -> RequestChannel38.Metrics:
        """Return the request metrics of the APIs."""
        return self.socket_server.data_plane_request_channel.metrics

    def responses(self) -> EditionResponses[Any]:
        """Return the object that takes responses."""
        return self._responses(self.socket_server.data_plane_request_channel)

    def _responses(self, request_channel: RequestChannel) -> EditionResponses[Any]:
        return _TimedResponses(request_channel, self._surroundings.time, self._quotas)

    def control_plane(self) -> tuple[RequestChannel38.Metrics, EditionResponses[Any]] | None:
        """Return the request metrics and the response taker of the control plane, or None without a control
        plane."""
        request_channel = self.socket_server.control_plane_request_channel_opt
        return None if request_channel is None else (
            request_channel.metrics, self._responses(request_channel))

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the port of a listener. Raises KafkaException."""
        return self.socket_server.bound_port(listener_name)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address."""
        return self.socket_server.connection_count(address)

    def start_handlers(self, apis: BridgedApis, num_threads: int) -> None:
        """Start the data plane's handler pool, then its processors, for which connections have waited."""
        self._pool = self._new_pool(
            self.socket_server.data_plane_request_channel, apis, num_threads,
            DATA_PLANE_METRIC_PREFIX, DATA_PLANE_THREAD_PREFIX)
        self.socket_server.start_data_plane_processors()

    def start_control_plane_handler(self, apis: BridgedApis) -> None:
        """Start the control plane's handler and processor."""
        request_channel = self.socket_server.control_plane_request_channel_opt
        assert request_channel is not None, "there is a control plane"
        self._control_plane_pool = self._new_pool(
            request_channel, apis, 1, CONTROL_PLANE_METRIC_PREFIX, CONTROL_PLANE_THREAD_PREFIX)
        self.socket_server.start_control_plane_processor()

    def _new_pool(self, request_channel: RequestChannel, apis: BridgedApis, num_threads: int,
                  metric_prefix: str, thread_prefix: str) -> KafkaRequestHandlerPool:
        return KafkaRequestHandlerPool(
            self._surroundings.config.broker_id(), request_channel, apis, self._surroundings.time,
            num_threads, metric_prefix + _HANDLER_METRIC, thread_prefix)

    def stop_listening(self) -> None:
        """Stop acceptors and processors."""
        self.socket_server.stop_processing_requests()

    def stop_handlers(self) -> None:
        """Stop the handler pools and the reaper thread."""
        pools = (self._pool, self._control_plane_pool)
        self._pool = self._control_plane_pool = None
        for pool in pools:
            if pool is not None:
                pool.shutdown()
        self.socket_server.shutdown()
        self._quotas.shutdown()

    def resize_handlers(self, num_threads: int) -> None:
        """Change the number of the data plane's handlers."""
        assert self._pool is not None, "the handlers have started"
        self._pool.resize_thread_pool(num_threads)

    def add_listeners(self, listeners: Sequence[EndPoint]) -> None:
        """Open listeners. Raises KafkaException, OSError."""
        self.socket_server.add_listeners(listeners)

    def remove_listeners(self, listeners: Sequence[EndPoint]) -> None:
        """Close listeners and their connections."""
        self.socket_server.remove_listeners(listeners)

    def fixed_configs(self) -> frozenset[str]:
        """Return the limits that later releases introduced."""
        return frozenset((
            SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
            SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG))

    def reconfigurable_configs(self) -> frozenset[str]:
        """Return the limits of connections and the number of network threads."""
        return frozenset((
            SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG,
            SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG,
            ServerConfigs.NUM_NETWORK_THREADS_CONFIG))

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for less than half or more than twice the number of network threads."""
        name = ServerConfigs.NUM_NETWORK_THREADS_CONFIG
        new, old = new_config.num_network_threads(), self._surroundings.config.num_network_threads()
        if new != old:
            failed = f"Dynamic thread count update validation failed for {name}={new}"
            if new < old // 2:
                raise ConfigException(f"{failed}, value should be at least half the current value {old}")
            if new > old * 2:
                raise ConfigException(
                    f"{failed}, value should not be greater than double the current value {old}")

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Apply the limits and the number of network threads. Raises OSError for an unknown host."""
        old_threads, new_threads = old_config.num_network_threads(), new_config.num_network_threads()
        if new_threads != old_threads:
            self.socket_server.resize_thread_pool(old_threads, new_threads)
        self.socket_server.update_max_connections_per_ip_override(
            new_config.max_connections_per_ip_overrides())
        if new_config.max_connections_per_ip() != old_config.max_connections_per_ip():
            self.socket_server.update_max_connections_per_ip(new_config.max_connections_per_ip())


def open_server(surroundings: Surroundings) -> Server:
    """Return the bound listeners, with running acceptors. Raises KafkaException, OSError."""
    return Server(surroundings)
