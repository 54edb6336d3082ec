# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the inner classes of kafka.network.SocketServerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A socket server whose selector counts what is asked of it, fails when told to, and holds results back.

Failures come after the operation, on the thread that performs it: the processor must go on all the same.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections import Counter
from typing import Any, Callable, Iterable, Mapping

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.common.network.selector import Selector
from kreactor.common.network.send import Send
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import ApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress, Socket
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import SocketChannel
from tests.stepping import wait_until

LOCAL_ADDRESS = InetAddress.get_by_name("127.0.0.1")


class BufferedTransportLayer(PlaintextTransportLayer):
    """Has bytes that its socket knows nothing of, as TLS may: those that a test puts into ``buffered``.

    They are read before what the socket has, its end included.
    """

    __slots__ = ("buffered",)

    def __init__(self, key: Any) -> None:
        super().__init__(key)
        self.buffered = b""

    def read(self, dst: ByteBuffer) -> int:
        if not self.buffered:
            return super().read(dst)
        count = min(len(self.buffered), dst.remaining())
        dst.put(self.buffered[:count])
        self.buffered = self.buffered[count:]
        return count

    def has_bytes_buffered(self) -> bool:
        return bool(self.buffered)


class BufferedChannelBuilder(PlaintextChannelBuilder):
    """Builds channels with such transport layers."""

    def _build_transport_layer(self, key: Any) -> PlaintextTransportLayer:
        return BufferedTransportLayer(key)


class PollData:
    """Results of one kind, held back until a poll would have ``min_per_poll`` of them."""

    def __init__(self, read: Callable[[], Iterable[Any]], write: Callable[[list[Any]], None]) -> None:
        self.min_per_poll = 1
        self.deferred_values: list[Any] = []
        self._read, self._write = read, write

    def update_results(self) -> None:
        values = [*self.deferred_values, *self._read()]
        enough = len(values) >= self.min_per_poll
        self.deferred_values = [] if enough else values
        self._write(values if enough else [])


class TestableSelector(Selector):
    """Counts operations by name, and raises what ``add_failure`` has prepared, once."""

    __test__ = False

    def __init__(self, config: KafkaConfig, channel_builder: ChannelBuilder, time: Time, metrics: Metrics,
                 metric_tags: Mapping[str, str], memory_pool: MemoryPool = MemoryPool.NONE) -> None:
        super().__init__(
            config.connections_max_idle_ms(), metrics, time, "socket-server", channel_builder, LogContext(),
            max_receive_size=config.socket_request_max_bytes(),
            failed_authentication_delay_ms=config.failed_authentication_delay_ms(), metric_tags=metric_tags,
            metrics_per_connection=False, record_time_per_connection=True, memory_pool=memory_pool)
        self._test_lock = threading.Lock()
        self._failures: dict[str, BaseException] = {}
        self.operation_counts: Counter[str] = Counter()
        self.all_channels: set[str] = set()
        self.all_locally_closed_channels: set[str] = set()
        self.all_disconnected_channels: set[str] = set()
        self.all_failed_channels: set[str] = set()
        self.cached_completed_receives = PollData(
            lambda: list(self._completed_receives.values()), self._put_receives)
        self.cached_completed_sends = PollData(lambda: list(self._completed_sends), self._put_sends)
        self.cached_disconnected = PollData(
            lambda: list(self._disconnected.items()), self._put_disconnected)
        self._all_poll_data = [
            self.cached_completed_receives, self.cached_completed_sends, self.cached_disconnected]
        self.min_wakeup_count = 0
        self.poll_timeout_override: int | None = None
        self.poll_callback: Callable[[], None] = lambda: None
        self._before_poll: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def _put_receives(self, values: list[Any]) -> None:
        self._completed_receives.clear()
        for receive in values:
            if self.channel(receive.source()) or self.closing_channel(receive.source()):
                self._completed_receives[receive.source()] = receive

    def _put_sends(self, values: list[Any]) -> None:
        self._completed_sends[:] = values

    def _put_disconnected(self, values: list[Any]) -> None:
        self._disconnected.clear()
        self._disconnected.update(values)

    def add_failure(self, operation: str, exception: BaseException | None = None) -> None:
        self._failures[operation] = exception or IllegalStateException(f"Test exception during {operation}")

    def _run(self, operation: str, connection_id: str | None, code: Callable[[], Any],
             on_failure: Callable[[], None] = lambda: None) -> Any:
        try:
            return code()
        finally:
            with self._test_lock:
                self.operation_counts[operation] += 1
                failure = self._failures.pop(operation, None)
            if failure is not None:
                if connection_id is not None:
                    self.all_failed_channels.add(connection_id)
                on_failure()
                raise failure

    def wait_for_operations(self, operation: str, min_expected_total: int) -> None:
        wait_until(lambda: self.operation_counts[operation] >= min_expected_total,
                   f"fewer than {min_expected_total} times {operation}")

    def run_before_poll(self, code: Callable[[], None]) -> None:
        """Run ``code`` on the network thread before its next poll, and wait until it has run."""
        done = threading.Event()

        def run() -> None:
            code()
            done.set()

        self._before_poll.put(run)
        Selector.wakeup(self)
        assert done.wait(120)

    def register(self, id: str, socket_channel: SocketChannel) -> None:
        self._run("register", id, lambda: Selector.register(self, id, socket_channel),
                  lambda: self.close_id(id))

    def send(self, send: NetworkSend) -> None:
        self._run("send", send.destination_id(), lambda: Selector.send(self, send))

    def poll(self, timeout: int) -> None:
        try:
            assert not self.completed_receives()
            assert not self.completed_sends()
            self.poll_callback()
            while not self._before_poll.empty():
                self._before_poll.get()()
            override = self.poll_timeout_override
            self._run("poll", None, lambda: Selector.poll(self, timeout if override is None else override))
        finally:
            self.all_channels.update(channel.id() for channel in self.channels())
            self.all_disconnected_channels.update(self.disconnected())
            for poll_data in self._all_poll_data:
                poll_data.update_results()

    def mute(self, id: str) -> None:
        self._run("mute", id, lambda: Selector.mute(self, id))

    def unmute(self, id: str) -> None:
        self._run("unmute", id, lambda: Selector.unmute(self, id))

    def wakeup(self) -> None:
        self._run("wakeup", None, self._maybe_wakeup)

    def _maybe_wakeup(self) -> None:
        with self._test_lock:
            if self.min_wakeup_count > 0:
                self.min_wakeup_count -= 1
            wake = self.min_wakeup_count == 0
        if wake:
            super().wakeup()

    def close_id(self, id: str) -> None:
        def close() -> None:
            Selector.close_id(self, id)
            self.all_locally_closed_channels.add(id)

        self._run("close", id, close)

    def close(self) -> None:
        self._run("close selector", None, lambda: Selector.close(self))

    def update_min_wakeup(self, count: int) -> None:
        """Wake the selector only at the ``count``-th wakeup from now, so that it finds as many things."""
        self.min_wakeup_count = count
        # Longer than it may take until so many have come.
        self.poll_timeout_override = 5000
        Selector.wakeup(self)

    def reset(self) -> None:
        self._failures.clear()
        for poll_data in self._all_poll_data:
            poll_data.min_per_poll = 1

    def not_failed(self, sockets: list[socket.socket]) -> list[socket.socket]:
        """Return the clients whose channels have not failed; exactly one has."""
        assert len(self.all_failed_channels) == 1
        failed_connection_id = next(iter(self.all_failed_channels))
        return [sock for sock in sockets if not is_socket_connection_id(failed_connection_id, sock)]

    def make_closing(self, channel: KafkaChannel) -> None:
        """Put a channel among those that are closing; to be called on the network thread."""
        self._closing_channels[channel.id()] = self._channels.pop(channel.id())


class TestableProcessor(Processor):
    """A processor with such a selector, counting what its loop had to catch."""

    __test__ = False

    def __init__(self, id: int, time: Time, request_channel: RequestChannel, listener_name: Any,
                 security_protocol: Any, config: KafkaConfig, server: TestableSocketServer,
                 is_privileged_listener: bool, api_version_manager: ApiVersionManager) -> None:
        self._config = config
        self._server = server
        self._connection_id_override: str | None = None
        self._conn: socket.socket | None = None
        super().__init__(
            id, time, 10000, request_channel, server.connection_quotas, 300000, 0, listener_name,
            security_protocol, config, server.metrics, MemoryPool.NONE, LogContext(),
            server.connection_queue_size, is_privileged_listener, api_version_manager,
            f"TestableProcessor{id}")

    def _create_selector(self, channel_builder: ChannelBuilder) -> TestableSelector:
        builder = BufferedChannelBuilder(self._listener_name)
        builder.configure(channel_builder._configs)  # type: ignore[attr-defined]
        return TestableSelector(self._config, builder, self._time, self._metrics, self.metric_tags)

    def _process_exception(self, error_message: str, throwable: BaseException) -> None:
        if "uncaught exception" in error_message:
            self._server.uncaught_exceptions.append(throwable)
        super()._process_exception(error_message, throwable)

    def set_connection_id(self, connection_id: str) -> None:
        self._connection_id_override = connection_id

    def _connection_id(self, socket: Socket) -> str:
        return self._connection_id_override or super()._connection_id(socket)

    def close_socket_on_send_response(self, conn: socket.socket) -> None:
        self._conn = conn

    def _send_response(self, response: RequestChannel.Response, response_send: Send) -> None:
        if self._conn is not None:
            self._conn.close()
        super()._send_response(response, response_send)


class TestableAcceptor(DataPlaneAcceptor):
    """An acceptor with such processors."""

    __test__ = False

    def new_processor(self, id: int, listener_name: Any, security_protocol: Any) -> TestableProcessor:
        server = self.socket_server
        assert isinstance(server, TestableSocketServer)
        return TestableProcessor(
            id, self._time, self._request_channel, listener_name, security_protocol, self.config, server,
            self._is_privileged_listener, self._api_version_manager)

    def is_open(self) -> bool:
        return self._server_channel is not None and self._server_channel.is_open()


class TestableSocketServer(SocketServer):
    """A socket server with such acceptors."""

    __test__ = False

    def __init__(self, *args: Any, connection_queue_size: int = 20) -> None:
        self.connection_queue_size = connection_queue_size
        self.uncaught_exceptions: list[BaseException] = []
        super().__init__(*args)

    def _create_data_plane_acceptor(
        self, end_point: Any, is_privileged_listener: bool, request_channel: RequestChannel,
    ) -> TestableAcceptor:
        return TestableAcceptor(
            self, end_point, self.config, 0, self.connection_quotas, self.time, is_privileged_listener,
            request_channel, self.metrics, LogContext(), MemoryPool.NONE, self.api_version_manager)

    def testable_acceptor(self) -> TestableAcceptor:
        acceptor = self._data_plane_acceptors[self.config.data_plane_listeners()[0]]
        assert isinstance(acceptor, TestableAcceptor)
        return acceptor

    def testable_processor(self) -> TestableProcessor:
        processor = self.testable_acceptor().processors()[0]
        assert isinstance(processor, TestableProcessor)
        return processor

    def testable_selector(self) -> TestableSelector:
        selector = self.testable_processor().selector
        assert isinstance(selector, TestableSelector)
        return selector

    def wait_for_channel_close(self, connection_id: str, locally_closed: bool) -> None:
        selector = self.testable_selector()
        if locally_closed:
            wait_until(lambda: connection_id in selector.all_locally_closed_channels,
                       f"{connection_id} is not closed")
            assert not selector.all_disconnected_channels, "a local close was reported"
        else:
            wait_until(lambda: connection_id in selector.all_disconnected_channels,
                       f"the end of {connection_id} was not reported")
            assert not selector.all_locally_closed_channels, "the channel was closed locally"
        open_count = len(selector.all_channels) - 1
        wait_until(lambda: self.connection_count(LOCAL_ADDRESS) == open_count, "not counted out")
        wait_until(lambda: self.testable_processor().inflight_response_count() == 0, "still in flight")
        assert selector.channel(connection_id) is None
        assert selector.closing_channel(connection_id) is None


def is_socket_connection_id(connection_id: str, sock: socket.socket) -> bool:
    """Return whether a connection is that of a client; all have the same address."""
    return f":{sock.getsockname()[1]}-" in connection_id
