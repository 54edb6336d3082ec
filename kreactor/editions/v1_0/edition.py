# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka 1.0.2 as an edition: its listeners and handlers, joined to the broker of 3.8.0."""

from __future__ import annotations

from typing import Any

from kreactor.common.network import send as send38
from kreactor.common.network.listener_name import ListenerName
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.editions.bridge import BridgedApis, DelayedResponses, EditionResponses
from kreactor.editions.edition_server import EditionSocketServer, Surroundings
from kreactor.editions.v0_10_2.core.server.client_quota_manager import ClientQuotaManager
from kreactor.editions.v0_10_2.edition import AddressedSend
from kreactor.editions.v1_0.core.network.request_channel import (
    Request,
    RequestChannel,
    Response,
    ResponseAction,
)
from kreactor.editions.v1_0.core.network.socket_server import SocketServer
from kreactor.editions.v1_0.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.jdk.net import InetAddress


class Responses(EditionResponses[Request]):
    """Sends responses through a request channel of 1.0."""

    def __init__(self, request_channel: RequestChannel, surroundings: Surroundings) -> None:
        self._request_channel = request_channel
        self._time = surroundings.time

    def completed(self, request: Request, response: RequestChannel38.Response) -> None:
        """Take over the times, the memory, the response's text, and the callback for the network thread's
        time."""
        noted = response.request
        request.api_remote_complete_time_nanos = self._time.nanoseconds()
        request.message_conversions_time_nanos = noted.message_conversions_time_nanos
        request.temporary_memory_bytes = noted.temporary_memory_bytes
        request.record_network_thread_time_callback = noted.record_network_thread_time_callback
        if (text := response.response_log()) is not None:
            request.response_as_string = str(text)

    def send(self, request: Request, send: send38.Send) -> None:
        """Respond with SendAction."""
        self._request_channel.send_response(Response(
            request, AddressedSend(request.context.connection_id, send), ResponseAction.SendAction,
            request.response_as_string))

    def no_operation(self, request: Request) -> None:
        """Respond with NoOpAction."""
        self._request_channel.send_response(Response(request, None, ResponseAction.NoOpAction))

    def close_connection(self, request: Request) -> None:
        """Respond with CloseConnectionAction."""
        self._request_channel.send_response(Response(request, None, ResponseAction.CloseConnectionAction))

    def handled(self, request: Request) -> None:
        """Record the time."""
        request.api_local_complete_time_nanos = self._time.nanoseconds()


class Server(EditionSocketServer):
    """The listeners, the handlers, and the queue of delayed responses."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Open the listeners. Raises KafkaException or OSError, after closing everything."""
        self._surroundings = surroundings
        self._pool: KafkaRequestHandlerPool | None = None
        self.socket_server = SocketServer(
            surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
            surroundings.api_version_manager, surroundings.metrics_registry)
        self._quotas = ClientQuotaManager(surroundings.metrics, "Client", surroundings.time)
        try:
            self.socket_server.startup(startup_processors=False)
        except BaseException:
            self.socket_server.shutdown()
            self._quotas.shutdown()
            raise

    def request_metrics(self) -> RequestChannel38.Metrics:
        """Return the request metrics of the APIs."""
        return self.socket_server.request_channel.metrics

    def responses(self) -> EditionResponses[Any]:
        """Return the object that takes responses, and delays those to throttled clients."""
        return DelayedResponses(
            Responses(self.socket_server.request_channel, self._surroundings), self._quotas.throttle)

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the port of a listener. Raises KafkaException."""
        return self.socket_server.bound_port(listener_name)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address."""
        return self.socket_server.connection_count(address)

    def start_handlers(self, apis: BridgedApis, num_threads: int) -> None:
        """Start the handler pool, then the processors, for which connections have waited since startup."""
        self._pool = KafkaRequestHandlerPool(
            self._surroundings.config.broker_id(), self.socket_server.request_channel, apis,
            self._surroundings.time, num_threads)
        self.socket_server.start_processors()

    def stop_listening(self) -> None:
        """Stop acceptors and processors."""
        self.socket_server.stop_processing_requests()

    def stop_handlers(self) -> None:
        """Stop the handler pool and the reaper thread."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        self.socket_server.shutdown()
        self._quotas.shutdown()


def open_server(surroundings: Surroundings) -> Server:
    """Return the bound listeners, with running threads. Raises KafkaException, OSError."""
    return Server(surroundings)
