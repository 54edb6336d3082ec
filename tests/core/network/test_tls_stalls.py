# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Peers that stall in a TLS handshake hold their connection, a bounded piece of memory, and nothing else."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Literal

import psutil
import pytest

from kreactor.jdk.ssl_engine import APPLICATION_BUFFER_SIZE, PACKET_BUFFER_SIZE
from kreactor.testing import Broker, MockTime
from tests.core.network.stalls import (
    MAX_IDLE_MS,
    PeerThatStalls,
    connect,
    connection_count,
    expire,
    memory_pool_is_whole,
    stall_at_each_byte,
)
from tests.core.network.tls_outcomes import API_VERSIONS, secured

STALLED = 1_000
# Three buffers, what OpenSSL and Python have for a connection, and a channel.
KIB_EACH = 150


def new_broker(tls: bool | Literal["mutual"]) -> Broker:
    return Broker(tls=tls, time=MockTime(), properties={
        "connections.max.idle.ms": MAX_IDLE_MS, "queued.max.request.bytes": 200_000_000,
        # Where the kernel has no room for a connection, its peer tries again after a second.
        "socket.listen.backlog.size": 4_000})


@pytest.fixture
def broker() -> Iterator[Broker]:
    with new_broker(True) as broker:
        yield broker


def shake_hands(context: ssl.SSLContext, peer: PeerThatStalls) -> None:
    """Lead a handshake as a client, up to a request of its own and the answer."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    while True:
        try:
            client.do_handshake()
            break
        except ssl.SSLWantReadError:
            peer.sendall(outgoing.read())
            incoming.write(peer.recv(65536))
    client.write(API_VERSIONS)
    peer.sendall(outgoing.read())
    peer.recv(1)


@pytest.mark.parametrize("tls", [True, "mutual"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_stalls_at_each_byte(version: ssl.TLSVersion, tls: bool | Literal["mutual"]) -> None:
    with new_broker(tls) as broker:
        context = broker.tls.ssl_context(client_certificate=tls == "mutual")
        context.minimum_version = context.maximum_version = version
        stall_at_each_byte(broker, lambda peer: shake_hands(context, peer))
        assert secured(broker.port, context) == f"answered over {version.name.replace('_', '.')}"


def test_a_thousand_stalled_handshakes(broker: Broker) -> None:
    context = broker.tls.ssl_context(client_certificate=False)
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing := ssl.MemoryBIO(), server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    hello = outgoing.read()
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
        assert memory_pool_is_whole(broker)

        expire(broker)
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
