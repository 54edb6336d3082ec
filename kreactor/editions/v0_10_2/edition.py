# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka 0.10.2.2 as an edition: its listeners and handlers, joined to the broker of 3.8.0."""

from __future__ import annotations

from typing import Any

from kreactor.common.network import send
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.editions.bridge import BridgedApis, DelayedResponses, EditionResponses
from kreactor.editions.edition_server import EditionSocketServer, Surroundings
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.editions.v0_10_2.core.network.request_channel import Request, RequestChannel, Response
from kreactor.editions.v0_10_2.core.network.socket_server import SocketServer
from kreactor.editions.v0_10_2.core.server.client_quota_manager import ClientQuotaManager
from kreactor.editions.v0_10_2.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.jdk.net import InetAddress


class AddressedSend(Send):
    """A send of 3.8.0 with its destination channel's id."""

    __slots__ = ("_destination", "_send")

    def __init__(self, destination: str, send: send.Send) -> None:
        self._destination = destination
        self._send = send

    def destination(self) -> str:
        """Return the id of the channel."""
        return self._destination

    def completed(self) -> bool:
        """Return whether every byte is written."""
        return self._send.completed()

    def write_to(self, channel: TransferableChannel) -> int:
        """Write as many bytes as the channel takes now. Raises OSError."""
        return self._send.write_to(channel)

    def size(self) -> int:
        """Return the total size in bytes."""
        return self._send.size()


class Responses(EditionResponses[Request]):
    """Sends responses through a request channel of 0.10."""

    def __init__(self, request_channel: RequestChannel, surroundings: Surroundings) -> None:
        self._request_channel = request_channel
        self._time = surroundings.time

    def send(self, request: Request, send: send.Send) -> None:
        """Respond with SendAction."""
        self._request_channel.send_response(
            Response(request.processor, request, AddressedSend(request.connection_id, send)))

    def no_operation(self, request: Request) -> None:
        """Respond with NoOpAction."""
        self._request_channel.no_operation(request.processor, request)

    def close_connection(self, request: Request) -> None:
        """Respond with CloseConnectionAction."""
        self._request_channel.close_connection(request.processor, request)

    def handled(self, request: Request) -> None:
        """Record the time."""
        request.api_local_complete_time_ms = self._time.milliseconds()


class Server(EditionSocketServer):
    """The listeners, the handlers, and the queue of delayed responses."""

    def __init__(self, surroundings: Surroundings, server_class: type[SocketServer] = SocketServer) -> None:
        """Open the listeners. Raises KafkaException or OSError, after closing everything."""
        self._surroundings = surroundings
        self._pool: KafkaRequestHandlerPool | None = None
        self.socket_server = server_class(
            surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
            surroundings.api_version_manager, surroundings.metrics_registry)
        self._quotas = ClientQuotaManager(surroundings.metrics, "Client", surroundings.time)
        try:
            self.socket_server.startup()
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
        """Start the handler pool."""
        self._pool = KafkaRequestHandlerPool(
            self._surroundings.config.broker_id(), self.socket_server.request_channel, apis,
            self._surroundings.time, num_threads)

    def stop_listening(self) -> None:
        """Stop acceptors and processors."""
        self.socket_server.shutdown()

    def stop_handlers(self) -> None:
        """Stop the handler pool and the reaper thread."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        self.socket_server.request_channel.shutdown()
        self._quotas.shutdown()


def open_server(surroundings: Surroundings) -> Server:
    """Return the bound listeners, with running threads. Raises KafkaException, OSError."""
    return Server(surroundings)
