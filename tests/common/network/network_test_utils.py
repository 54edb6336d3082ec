# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkTestUtils and parts of
# org.apache.kafka.test.TestUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Waiting for channels, and what messages are made of.

Nothing here sleeps: waiting is polling a selector, which returns when something happens.
"""

from __future__ import annotations

import base64
import random
import socket
import struct
import time as real_time
from typing import Callable, Mapping

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.selector import DelayedAuthenticationFailureClose, Selector
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer

BUFFER_SIZE = 4 * 1024
CONNECTION_MAX_IDLE_MS = 5_000

# How long anything may take that is sure to happen.
PATIENCE_S = 120.0


def create_selector(channel_builder: ChannelBuilder, time: Time, metrics: Metrics | None = None,
                    selector_type: type[Selector] | None = None, **options) -> Selector:
    """Return a selector that expires idle connections."""
    return (selector_type or Selector)(
        CONNECTION_MAX_IDLE_MS, metrics or Metrics(), time, "MetricGroup", channel_builder, LogContext(),
        **options)


def create_channel_builder() -> PlaintextChannelBuilder:
    """Return a configured builder of plain text channels."""
    builder = PlaintextChannelBuilder(ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT))
    builder.configure({})
    return builder


def check_client_connection(selector: Selector, node: str, min_message_size: int, message_count: int) -> None:
    """Send messages to an echo server, each when the one before has left, and expect them back in order."""
    wait_for_channel_ready(selector, node)
    prefix = random_string(min_message_size)
    requests = responses = 0
    selector.send(create_send(node, f"{prefix}-0"))
    requests += 1
    while responses < message_count:
        selector.poll(1000)
        assert not selector.disconnected()
        for receive in selector.completed_receives():
            expected, received = f"{prefix}-{responses}", as_string(receive)
            assert received == expected, f"expected: <{expected}> but was: <{received}>"
            responses += 1
        for _ in list(selector.completed_sends()):
            if requests < message_count and selector.is_channel_ready(node):
                selector.send(create_send(node, f"{prefix}-{requests}"))
                requests += 1


def wait_for_channel_connected(selector: Selector, node: str) -> None:
    """Poll until the channel is connected."""
    wait_for_condition(lambda: polled(selector) and selector.channel(node).is_connected(), "not connected")


def wait_for_channel_ready(selector: Selector, node: str) -> None:
    """Poll until the channel is ready."""
    wait_for_condition(lambda: polled(selector) and selector.is_channel_ready(node), "not ready")


def wait_for_channel_close(selector: Selector, node: str, channel_state: ChannelState.State) -> ChannelState:
    """Poll until the channel is closed; return the state it was closed in, which is ``channel_state``."""
    def closed() -> bool:
        selector.poll(100)
        return selector.channel(node) is None and selector.closing_channel(node) is None

    wait_for_condition(closed, "not closed")
    final_state = selector.disconnected()[node]
    assert final_state.state() is channel_state
    return final_state


def complete_delayed_channel_close(selector: Selector, current_time_nanos: int) -> None:
    selector.complete_delayed_channel_close(current_time_nanos)


def delayed_closing_channels(selector: Selector) -> Mapping[str, DelayedAuthenticationFailureClose] | None:
    return selector.delayed_closing_channels()


def polled(selector: Selector, timeout_ms: int = 100) -> bool:
    """Poll once; True, so that it can stand in a condition."""
    selector.poll(timeout_ms)
    return True


def wait_for_condition(condition: Callable[[], object], message: str) -> None:
    """Ask ``condition``, which does the waiting, until it holds."""
    deadline = real_time.monotonic() + PATIENCE_S
    while not condition():
        assert real_time.monotonic() < deadline, message


def create_send(node: str, payload: str | bytes) -> NetworkSend:
    """Return a message to ``node``."""
    content = payload.encode() if isinstance(payload, str) else payload
    return NetworkSend(node, ByteBufferSend.size_prefixed(ByteBuffer.wrap(content)))


def as_string(receive: NetworkReceive) -> str:
    """Return the content of a message, with replacements for what is not valid UTF-8, as Java does."""
    return receive.payload().to_bytes().decode(errors="replace")


def framed(payload: bytes) -> bytes:
    """Return ``payload`` as it goes over the wire."""
    return struct.pack(">i", len(payload)) + payload


def random_string(length: int) -> str:
    return base64.b64encode(random.randbytes(length)).decode()[:length]


def reset(peer: socket.socket) -> None:
    """Close ``peer`` with a reset instead of a FIN."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def receive_exactly(peer: socket.socket, count: int) -> bytes:
    """Read ``count`` bytes from a blocking socket."""
    received = bytearray()
    while len(received) < count:
        part = peer.recv(count - len(received))
        assert part, f"the stream ended after {len(received)} of {count} bytes"
        received += part
    return bytes(received)


def metric_value(metrics: Metrics, name: str, **tags: str) -> object:
    """Return the value of the one metric of that name, and of these tags if any are given."""
    found = [metric for metric_name, metric in metrics.metrics().items()
             if metric_name.name() == name and (not tags or metric_name.tags() == tags)]
    assert len(found) == 1, f"{len(found)} metrics are called {name}"
    return found[0].metric_value()
