# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Peers that stall in a TLS handshake hold their connection, a bounded piece of memory, and nothing else."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import psutil
import pytest

from kreactor.jdk.ssl_engine import APPLICATION_BUFFER_SIZE, PACKET_BUFFER_SIZE
from kreactor.testing import Broker, MockTime
from kreactor.testing.instrumented_server import InstrumentedServer
from tests.core.network.tls_outcomes import API_VERSIONS, secured

MAX_IDLE_MS = 60_000
STALLED = 1_000
# Three buffers, what OpenSSL and Python have for a connection, and a channel.
KIB_EACH = 150


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(tls=True, time=MockTime(), properties={
            "connections.max.idle.ms": MAX_IDLE_MS, "queued.max.request.bytes": 200_000_000}) as broker:
        yield broker


def connect(broker: Broker) -> socket.socket:
    return socket.create_connection((broker.host, broker.port), 20)


def flights(broker: Broker, version: ssl.TLSVersion) -> list[bytes]:
    """Return what a client sends, in each of its turns, until a request of its own."""
    context = broker.tls.ssl_context(client_certificate=False)
    context.minimum_version = context.maximum_version = version
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    sent: list[bytes] = []
    with connect(broker) as peer:
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                if outgoing.pending:
                    sent.append(outgoing.read())
                    peer.sendall(sent[-1])
                incoming.write(peer.recv(65536))
        client.write(API_VERSIONS)
        sent.append(outgoing.read())
    return sent


def server_of(broker: Broker) -> InstrumentedServer:
    return broker.server()


def connection_count(broker: Broker) -> int:
    quotas = server_of(broker).socket_server().connection_quotas
    return sum(quotas._counts.values())


def expire(broker: Broker) -> None:
    """Let time pass until those that do nothing are closed."""
    assert isinstance(broker.time, MockTime)
    broker.time.advance(2 * MAX_IDLE_MS)


def test_stalls_at_each_byte_of_a_first_flight(broker: Broker) -> None:
    context = broker.tls.ssl_context(client_certificate=False)
    hello = flights(broker, ssl.TLSVersion.TLSv1_3)[0]
    sizes = [*range(0, 12), *range(12, len(hello), 37), len(hello) - 1, len(hello)]
    stalled = [connect(broker) for _ in sizes]
    for peer, size in zip(stalled, sizes):
        peer.sendall(hello[:size])
    broker.wait_for(lambda: connection_count(broker) >= len(sizes))
    assert secured(broker.port, context) == "answered over TLSv1.3"
    expire(broker)
    for peer, size in zip(stalled, sizes):
        received = b""
        while part := peer.recv(65536):
            received += part
        # The answer to a whole hello; nobody is told anything in the middle of one.
        assert bool(received) is (size == len(hello))
        peer.close()
    assert connection_count(broker) == 0


def test_a_thousand_stalled_handshakes(broker: Broker) -> None:
    context = broker.tls.ssl_context(client_certificate=False)
    hello = flights(broker, ssl.TLSVersion.TLSv1_2)[0]
    assert secured(broker.port, context) == "answered over TLSv1.3"
    broker.wait_for(lambda: connection_count(broker) == 0)
    process = psutil.Process()
    descriptors, before = process.num_fds(), process.memory_info().rss
    stalled = []
    try:
        for number in range(STALLED):
            peer = connect(broker)
            stalled.append(peer)
            # Nothing, a header, half a message, all of it.
            peer.sendall(hello[:(0, 5, len(hello) // 2, len(hello))[number % 4]])
        broker.wait_for(lambda: connection_count(broker) == STALLED)
        assert secured(broker.port, context) == "answered over TLSv1.3"
        assert (process.memory_info().rss - before) / 1024 / STALLED < KIB_EACH
        memory_pool = server_of(broker).socket_server()._memory_pool
        assert memory_pool.available_memory() == memory_pool.size()

        expire(broker)
        broker.wait_for(lambda: connection_count(broker) == 0)
        assert secured(broker.port, context) == "answered over TLSv1.3"
    finally:
        for peer in stalled:
            peer.close()
    broker.wait_for(lambda: connection_count(broker) == 0)
    assert process.num_fds() <= descriptors + 1


def test_a_handshake_message_that_would_take_much_memory_is_refused_at_its_header(broker: Broker) -> None:
    # 16 MB are announced; OpenSSL would keep what came of a message until it is whole.
    message = b"\x01\xff\xff\xff" + bytes(1_000)
    with connect(broker) as peer:
        peer.sendall(b"\x16\x03\x01" + len(message).to_bytes(2, "big") + message)
        assert peer.recv(64)[:1] == b"\x15"
        assert peer.recv(64) == b""
    broker.wait_for(lambda: connection_count(broker) == 0)
    assert PACKET_BUFFER_SIZE < 2**15 and APPLICATION_BUFFER_SIZE < 2**15
