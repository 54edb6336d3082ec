# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One processor of each edition with its request channel, without other threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.send import Send
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import LogContext
from kreactor.editions.bridge import EditionResponses
from kreactor.editions.edition_server import Surroundings
from kreactor.editions.registry import CURRENT
from kreactor.jdk.time_unit import TimeUnit
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.server.metrics.yammer import Meter

if TYPE_CHECKING:
    from kreactor.editions.v0_10_2.core.network import socket_server as v0_10_2

_LOCAL = InetAddress.get_by_name("127.0.0.1")


@dataclass
class Parts:
    """The objects of an edition that a script drives. Only the edition knows their types."""

    processor: Any
    request_channel: Any
    responses: EditionResponses[Any]
    # Add a connection to the counts.
    count: Callable[[], None]
    # Pass a connection to the processor; return whether it had room.
    accept: Callable[[SocketChannel], bool]
    memory_pool: MemoryPool | None
    # Whether the response to a throttled client is delayed; otherwise the connection is muted after the
    # response.
    delays_answers: bool


def new_parts(edition: str, surroundings: Surroundings, listener_name: ListenerName,
              protocol: SecurityProtocol) -> Parts:
    """Return the parts of an edition. Raises KafkaException."""
    return _MAKERS[edition](surroundings, listener_name, protocol)


def _v0_10_1(surroundings: Surroundings, listener_name: ListenerName, protocol: SecurityProtocol) -> Parts:
    from kreactor.editions.v0_10_1.core.network.socket_server import SocketServer

    return _v0_10(SocketServer, surroundings, listener_name, protocol)


def _v0_10_2(surroundings: Surroundings, listener_name: ListenerName, protocol: SecurityProtocol) -> Parts:
    from kreactor.editions.v0_10_2.core.network.socket_server import SocketServer

    return _v0_10(SocketServer, surroundings, listener_name, protocol)


def _v0_10(server_class: type[v0_10_2.SocketServer], surroundings: Surroundings, listener_name: ListenerName,
           protocol: SecurityProtocol) -> Parts:
    from kreactor.editions.v0_10_2.core.network.socket_server import ConnectionQuotas
    from kreactor.editions.v0_10_2.edition import Responses

    server = server_class(
        surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
        surroundings.api_version_manager, surroundings.metrics_registry)
    quotas = ConnectionQuotas(surroundings.config.max_connections_per_ip(), {})
    processor = server.new_processor(0, quotas, listener_name, protocol)
    # A response wakes the processor with its number.
    server._processors[0] = processor

    return Parts(
        processor, server.request_channel, Responses(server.request_channel, surroundings),
        lambda: quotas.inc(_LOCAL), _always(processor.accept), None, True)


def _always(accept: Callable[[SocketChannel], None]) -> Callable[[SocketChannel], bool]:
    """Wrap ``accept``: before 2.2 a processor has room for any number of new connections."""
    def accept_any(channel: SocketChannel) -> bool:
        accept(channel)
        return True

    return accept_any


def _v1_0(surroundings: Surroundings, listener_name: ListenerName, protocol: SecurityProtocol) -> Parts:
    from kreactor.editions.v0_10_2.core.network.socket_server import ConnectionQuotas
    from kreactor.editions.v1_0.core.network.socket_server import SocketServer
    from kreactor.editions.v1_0.edition import Responses

    server = SocketServer(
        surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
        surroundings.api_version_manager, surroundings.metrics_registry)
    quotas = ConnectionQuotas(surroundings.config.max_connections_per_ip(), {})
    processor = server.new_processor(0, quotas, listener_name, protocol, server.memory_pool)
    server._processors[0] = processor

    pool = server.memory_pool
    return Parts(
        processor, server.request_channel, Responses(server.request_channel, surroundings),
        lambda: quotas.inc(_LOCAL), _always(processor.accept), None if pool is MemoryPool.NONE else pool,
        True)


def _v2_2(surroundings: Surroundings, listener_name: ListenerName, protocol: SecurityProtocol) -> Parts:
    from kreactor.editions.v2_2.core.network.socket_server import ConnectionQuotas, SocketServer
    from kreactor.editions.v2_2.edition import Responses

    server = SocketServer(
        surroundings.config, surroundings.metrics, surroundings.time, surroundings.credential_provider,
        surroundings.api_version_manager, surroundings.metrics_registry)
    request_channel = server.data_plane_request_channel
    quotas = ConnectionQuotas(surroundings.config.max_connections_per_ip(), {})
    pool = _memory_pool(surroundings)
    processor = server.new_processor(
        0, request_channel, quotas, listener_name, protocol, pool or MemoryPool.NONE)
    request_channel.add_processor(processor)
    meter = Meter("blocked time", TimeUnit.NANOSECONDS)

    return Parts(
        processor, request_channel, Responses(request_channel, surroundings.time),
        lambda: quotas.inc(_LOCAL), lambda channel: processor.accept(channel, False, meter), pool, False)


def _v3_8(surroundings: Surroundings, listener_name: ListenerName, protocol: SecurityProtocol) -> Parts:
    from kreactor.core.network.companions import CONNECTION_QUEUE_SIZE
    from kreactor.core.network.connection_quotas import ConnectionQuotas
    from kreactor.core.network.processor import Processor
    from kreactor.core.network.request_channel import RequestChannel

    config = surroundings.config
    request_channel = RequestChannel(
        config.queued_max_requests(), "", surroundings.time,
        surroundings.api_version_manager.new_request_metrics(surroundings.metrics_registry),
        surroundings.metrics_registry)
    quotas = ConnectionQuotas(config, surroundings.time, surroundings.metrics)
    quotas.add_listener(config, listener_name)
    pool = _memory_pool(surroundings)
    processor = Processor(
        0, surroundings.time, config.socket_request_max_bytes(), request_channel, quotas,
        config.connections_max_idle_ms(), 0, listener_name, protocol, config, surroundings.metrics,
        pool or MemoryPool.NONE, LogContext(), CONNECTION_QUEUE_SIZE, False, surroundings.api_version_manager,
        "kafka-network-thread", surroundings.credential_provider)
    request_channel.add_processor(processor)
    meter = Meter("blocked time", TimeUnit.NANOSECONDS)

    return Parts(
        processor, request_channel, _Responses(request_channel),
        lambda: quotas.inc(listener_name, _LOCAL, meter),
        lambda channel: processor.accept(channel, False, meter), pool, False)


def _memory_pool(surroundings: Surroundings) -> MemoryPool | None:
    size = surroundings.config.queued_max_bytes()
    return None if size <= 0 else SimpleMemoryPool(
        size, surroundings.config.socket_request_max_bytes(), False, None)


class _Responses(EditionResponses[Any]):
    """Sends responses through the request channel of 3.8.0."""

    def __init__(self, request_channel: Any) -> None:
        self._request_channel = request_channel

    def send(self, request: Any, send: Send) -> None:
        response = self._request_channel.SendResponse(request, send, None, None)
        self._request_channel.send_response_response(response)

    def no_operation(self, request: Any) -> None:
        self._request_channel.send_no_op_response(request)

    def close_connection(self, request: Any) -> None:
        self._request_channel.close_connection(request, {})

    def start_throttling(self, request: Any, throttle_time_ms: int) -> None:
        self._request_channel.start_throttling(request)

    def end_throttling(self, request: Any) -> None:
        self._request_channel.end_throttling(request)


_MAKERS: dict[str, Callable[[Surroundings, ListenerName, SecurityProtocol], Parts]] = {
    "0.10.1": _v0_10_1,
    "0.10.2": _v0_10_2,
    "1.0": _v1_0,
    "2.2": _v2_2,
    CURRENT: _v3_8,
}
