# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Socket servers for tests, clients for them, and the check that nothing is left of them."""

from __future__ import annotations

import socket
import struct
from typing import Any, Callable, Mapping, Sequence

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selector import Selector
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.companions import METRICS_GROUP
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler, KafkaRequestHandlerPool
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from tests.core.server.broker_props import create_broker_config
from tests.stepping import wait_until

PLAINTEXT = "PLAINTEXT"

# The metrics that the origin leaves in the registry after a shutdown: the memory pool's two, and the rates
# of addresses, which expire an hour after the last connection.
_METRICS_THAT_STAY = {"MemoryPoolAvgDepletedPercent", "MemoryPoolDepletedTimeTotal"}


def plaintext_props(**overrides: str) -> dict[str, str]:
    """Return the properties of a broker with one listener and one network thread; ``_`` means a dot."""
    props = create_broker_config(0) | {
        "listeners": "PLAINTEXT://localhost:0",
        "num.network.threads": "1",
    }
    return props | {name.replace("_", "."): value for name, value in overrides.items()}


def listeners_props(*names: str, **overrides: str) -> dict[str, str]:
    """Return the properties of a broker with several plaintext listeners."""
    return plaintext_props(
        listeners=",".join(f"{name}://localhost:0" for name in names),
        listener_security_protocol_map=",".join(f"{name}:PLAINTEXT" for name in names),
    ) | {name.replace("_", "."): value for name, value in overrides.items()}


class Servers:
    """Makes servers and clients for one test; ``close`` ends them and looks at what is left.

    It watches every acceptor and processor that is made meanwhile: those of listeners that a test removes
    leave nothing behind either.
    """

    def __init__(self, monkeypatch: Any) -> None:
        self.acceptors: list[Acceptor] = []
        self.processors: list[Processor] = []
        self._servers: list[SocketServer] = []
        self._pools: dict[SocketServer, list[KafkaRequestHandlerPool]] = {}
        self._sockets: list[socket.socket] = []
        self._watch(monkeypatch, Acceptor, self.acceptors)
        self._watch(monkeypatch, Processor, self.processors)

    @staticmethod
    def _watch(monkeypatch: Any, cls: type, made: list[Any]) -> None:
        init = cls.__init__

        def watched_init(self: object, *args: Any, **kwargs: Any) -> None:
            init(self, *args, **kwargs)
            made.append(self)

        monkeypatch.setattr(cls, "__init__", watched_init)

    def make(
        self,
        props: Mapping[str, str] | None = None,
        *,
        time: Time = Time.SYSTEM,
        make: Callable[..., SocketServer] = SocketServer,
        apis: Sequence[ApiKeys] | None = None,
        listener_type: ListenerType = ListenerType.BROKER,
    ) -> SocketServer:
        """Return a server whose threads have not been started."""
        config = KafkaConfig.from_props(dict(plaintext_props() if props is None else props))
        api_version_manager = SimpleApiVersionManager(listener_type, apis)
        server = make(config, Metrics(), time, api_version_manager)
        self._servers.append(server)
        self._pools[server] = []
        return server

    def start(self, props: Mapping[str, str] | None = None, **options: Any) -> SocketServer:
        """Return a server that accepts."""
        server = self.make(props, **options)
        server.enable_request_processing({}).get(20_000)
        return server

    def serve(
        self,
        server: SocketServer,
        apis: ApiRequestHandler,
        num_threads: int = 1,
        request_channel: RequestChannel | None = None,
    ) -> KafkaRequestHandlerPool:
        """Start handlers."""
        pool = KafkaRequestHandlerPool(
            0, request_channel or server.data_plane_request_channel, apis, server.time, num_threads,
            "RequestHandlerAvgIdlePercent", "data-plane")
        self._pools[server].append(pool)
        return pool

    def connect(self, server: SocketServer, listener: str = PLAINTEXT, source: str = "",
                timeout: float = 120.0) -> socket.socket:
        """Return a connection, from address ``source`` if that is given."""
        sock = socket.create_connection(
            ("localhost", server.bound_port(ListenerName(listener))), timeout,
            (source, 0) if source else None)
        self._sockets.append(sock)
        return sock

    def stop(self, server: SocketServer) -> None:
        """End a server as a broker does: no new requests, then the handlers, then the rest."""
        server.stop_processing_requests()
        for pool in self._pools[server]:
            pool.shutdown()
        self._pools[server].clear()
        server.shutdown()

    def close(self) -> None:
        """End all servers, check each, and close the clients."""
        try:
            for server in self._servers:
                self.stop(server)
            for server in self._servers:
                assert_nothing_left_of_server(server)
            for acceptor in self.acceptors:
                assert_nothing_left_of_acceptor(acceptor)
            for processor in self.processors:
                assert_nothing_left_of_processor(processor)
        finally:
            for sock in self._sockets:
                sock.close()
            for server in self._servers:
                server.metrics.close()


def assert_nothing_left_of_server(server: SocketServer) -> None:
    """Check a server that is shut down: memory, counts, queues, metrics."""
    pool = server._memory_pool
    assert pool.available_memory() == pool.size(), "memory has not come back to the pool"

    assert_no_connection_counted(server)

    channels = [server.data_plane_request_channel]
    if server.control_plane_request_channel_opt is not None:
        channels.append(server.control_plane_request_channel_opt)
    for channel in channels:
        assert channel._request_queue.is_empty(), "requests are left"
        assert channel._callback_queue.is_empty(), "callbacks are left"

    left = [name for name in yammer_metric_names() if "type=RequestMetrics" in name]
    assert not left, f"metrics of requests are left: {left}"
    left = [f"{name.name()} {name.tags()}" for name in server.metrics.metrics()
            if name.group() == METRICS_GROUP and name.name() not in _METRICS_THAT_STAY
            and "ip" not in name.tags()]
    assert not left, f"{len(left)} metrics are left: {left[:3]} ..."


def assert_nothing_left_of_acceptor(acceptor: Acceptor) -> None:
    """Check an acceptor that is closed."""
    assert not acceptor.thread.is_alive()
    assert acceptor._server_channel is None or not acceptor._server_channel.is_open()
    assert not acceptor._nio_selector.is_open()
    assert not acceptor._throttled_sockets
    listener = acceptor.end_point.listener_name().value()
    left = [name for name in yammer_metric_names()
            if "AcceptorBlockedPercent" in name and name.endswith(f"listener={listener}")]
    assert not left, f"metrics are left: {left}"


def assert_nothing_left_of_processor(processor: Processor) -> None:
    """Check a processor that is closed."""
    assert not processor.thread.is_alive()
    assert processor._new_connections.is_empty(), "connections wait to be registered"
    assert processor.inflight_response_count() == 0
    selector: Selector = processor.selector
    assert not selector.channels() and not selector._closing_channels
    assert not selector._nio_selector.is_open()
    left = [name for name in yammer_metric_names()
            if "name=IdlePercent" in name and name.endswith(f"networkProcessor={processor.id}")]
    assert not left, f"metrics are left: {left}"


def assert_no_connection_counted(server: SocketServer) -> None:
    """Check that the quotas count nothing: not by address, not by listener, not in all."""
    quotas = server.connection_quotas
    assert quotas._counts == {}
    assert quotas._total_count == 0
    assert not any(quotas._listener_counts.values()), quotas._listener_counts


def yammer_metric_names() -> list[str]:
    """Return the names of the metrics in the registry of the process."""
    return [name.get_mbean_name() for name in KafkaYammerMetrics.default_registry().all_metrics()]


def clear_yammer_metrics() -> None:
    """Take every metric out of the registry of the process."""
    registry = KafkaYammerMetrics.default_registry()
    for name in list(registry.all_metrics()):
        registry.remove_metric(name)


def send_request(sock: socket.socket, request: bytes) -> None:
    """Send header and body, the size before them."""
    sock.sendall(struct.pack(">i", len(request)) + request)


def receive_response(sock: socket.socket) -> bytes:
    """Return what comes as one response: header and body. Raises EOFError where the stream ends."""
    return _receive_exactly(sock, struct.unpack(">i", _receive_exactly(sock, 4))[0])


def _receive_exactly(sock: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        part = sock.recv(count - len(received))
        if not part:
            raise EOFError(f"the stream ended after {len(received)} of {count} bytes")
        received += part
    return bytes(received)


def reset(sock: socket.socket) -> None:
    """Close a connection with a reset instead of a FIN."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def assert_closed_by_server(sock: socket.socket) -> None:
    """Wait until the server closes the connection, having sent nothing."""
    try:
        assert sock.recv(1) == b""
    except TimeoutError:
        raise AssertionError("the server has not closed the connection") from None
    except ConnectionError:
        pass


def receive_request(channel: RequestChannel, timeout_ms: int = 10_000) -> RequestChannel.Request:
    """Take the next request, as a handler does."""
    request = channel.receive_request_timeout(timeout_ms)
    assert isinstance(request, RequestChannel.Request), f"{request} where a request should be"
    return request


def wait_for_no_connections(server: SocketServer) -> None:
    """Wait until the server has closed every connection and counted it out."""
    wait_until(lambda: server.connection_quotas._total_count == 0, "connections are left")
