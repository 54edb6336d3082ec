# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NioEchoServer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The other end of the tests of TLS and SASL: a selector of the port, with a thread, that sends back."""

from __future__ import annotations

import math
import queue
import socket
import threading

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selector import Selector
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.testing.mock_time import MockTime
from tests.stepping import PATIENCE_S, wait_until


class NioEchoServer(threading.Thread):
    """Bound to loopback, on a port of its own. ``close`` may be called more than once."""

    def __init__(self, channel_builder: ChannelBuilder, time: Time = Time.SYSTEM,
                 failed_authentication_delay_ms: int = 100) -> None:
        super().__init__(name="echoserver")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._new_channels: queue.SimpleQueue[SocketChannel] = queue.SimpleQueue()
        self._socket_channels: list[SocketChannel] = []
        self._acceptor_thread = threading.Thread(target=self._accept, name="acceptor")
        self._time = time
        self._metrics = Metrics()
        self._channel_builder = channel_builder
        self.selector = Selector(10_000, self._metrics, time, "MetricGroup", channel_builder, LogContext(),
                                 failed_authentication_delay_ms=failed_authentication_delay_ms)
        # Received bytes go here instead of back, if there is one.
        self.output: bytearray | None = None
        self.num_sent = 0
        # The next commands for the selector's own thread.
        self._commands: queue.SimpleQueue[tuple[str, threading.Event]] = queue.SimpleQueue()
        self._closed = False

    def run(self) -> None:
        self._acceptor_thread.start()
        while not self._closed:
            self.selector.poll(100)
            while not self._new_channels.empty():
                channel = self._new_channels.get()
                self.selector.register(f"{channel.socket().get_port()}", channel)
                self._socket_channels.append(channel)
            while not self._commands.empty():
                name, done = self._commands.get()
                getattr(self, f"_{name}")()
                done.set()
            for receive in self.selector.completed_receives():
                if self._maybe_begin_server_reauthentication(receive):
                    continue
                self.selector.mute(receive.source())
                send = NetworkSend(receive.source(), ByteBufferSend.size_prefixed(receive.payload()))
                if self.output is None:
                    self.selector.send(send)
                else:
                    payload = receive.payload().to_bytes()
                    self.output += len(payload).to_bytes(4, "big") + payload
                    self.selector.unmute(receive.source())
            for sent in self.selector.completed_sends():
                self.selector.unmute(sent.destination_id())
                self.num_sent += 1

    def _maybe_begin_server_reauthentication(self, receive: NetworkReceive) -> bool:
        try:
            api_key = RequestHeader.parse(receive.payload().duplicate()).api_key()
        except Exception:
            return False  # a message to be sent back
        channel = self.selector.channel(receive.source())
        return (api_key is ApiKeys.SASL_HANDSHAKE and channel is not None
                and channel.maybe_begin_server_reauthentication(receive, self._time.nanoseconds))

    def _accept(self) -> None:
        while True:
            connection, (host, port) = self._listener.accept()
            if self._closed:
                connection.close()
                return
            channel = SocketChannel(connection, InetSocketAddress(host, port))
            channel.configure_blocking(False)
            self._new_channels.put(channel)
            self.selector.wakeup()

    def verify_authentication_metrics(self, successful: int, failed: int) -> None:
        """Wait until so many have been let in, and so many not."""
        self.wait_for_metric("successful-authentication", successful)
        self.wait_for_metric("failed-authentication", failed)

    def verify_reauthentication_metrics(self, successful: int, failed: int) -> None:
        """Wait until so many have been let in again, and so many not; none came that could not have been."""
        self.wait_for_metric("successful-reauthentication", successful)
        self.wait_for_metric("failed-reauthentication", failed)
        assert self._metric("successful-authentication-no-reauth-total") == 0
        if not isinstance(self._time, MockTime):
            for name in ("reauthentication-latency-max", "reauthentication-latency-avg"):
                if successful:
                    wait_until(lambda: self._metric(name) > 0, f"{name} is {self._metric(name)}")
                else:
                    assert math.isnan(self._metric(name))

    def wait_for_metric(self, name: str, expected: float) -> None:
        """Wait until a total has this value, and the rate beside it is more than 0, if the total is."""
        if not expected:
            assert self._metric(f"{name}-total") == 0
            return
        wait_until(lambda: math.isclose(self._metric(f"{name}-total"), expected, abs_tol=1e-4),
                   f"{name}-total does not become {expected}")
        wait_until(lambda: self._metric(f"{name}-rate") > 0, f"{name}-rate stays 0")

    def _metric(self, name: str) -> float:
        # Of the selector, which each connection has its own beside.
        [found] = [metric for metric_name, metric in self._metrics.metrics().items()
                   if metric_name.name() == name and metric_name.group() == "MetricGroup-metrics"]
        value = found.metric_value()
        assert isinstance(value, float)
        return value

    def tell(self, command: str) -> None:
        """Have the selector's thread do something, and wait until it has."""
        done = threading.Event()
        self._commands.put((command, done))
        self.selector.wakeup()
        assert done.wait(PATIENCE_S)

    def _mute_all(self) -> None:
        self.selector.mute_all()

    def _unmute_all(self) -> None:
        self.selector.unmute_all()

    def _close_kafka_channels(self) -> None:
        for channel in list(self.selector.channels()):
            self.selector.close_id(channel.id())

    def close_kafka_channels(self) -> None:
        """Say goodbye on all connections and close them."""
        self.tell("close_kafka_channels")

    def close_socket_channels(self) -> None:
        """Close all sockets without a word. On any thread."""
        for channel in self._socket_channels:
            channel.close()
        self._socket_channels.clear()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.selector.wakeup()
        socket.create_connection(("127.0.0.1", self.port)).close()
        self.join()
        self._acceptor_thread.join()
        self._listener.close()
        while not self._new_channels.empty():
            self._new_channels.get().close()
        self.selector.close()
        self._metrics.close()
