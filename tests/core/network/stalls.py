# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Peers that stop in the middle of what they send, before a broker knows who they are."""

from __future__ import annotations

import socket
from collections.abc import Callable

import psutil

from kreactor.core.network.socket_server import SocketServer
from kreactor.testing import Broker, MockTime
from kreactor.testing.instrumented_server import InstrumentedServer
from tests.stepping import PATIENCE_S, wait_until

MAX_IDLE_MS = 60_000


class Stalled(Exception):
    """No more is sent."""


class PeerThatStalls:
    """A connection on which so many bytes are sent, or any number, and no more. In place of a socket."""

    def __init__(self, connection: socket.socket, limit: int | None = None) -> None:
        self.sent = 0
        self._connection = connection
        self._limit = limit

    def sendall(self, data: bytes) -> None:
        """Send what is left of the limit. Raises Stalled if there is more."""
        part = data if self._limit is None else data[:self._limit - self.sent]
        self._connection.sendall(part)
        self.sent += len(part)
        if len(part) < len(data):
            raise Stalled

    def recv(self, size: int) -> bytes:
        received = self._connection.recv(size)
        assert received, "it is closed"
        return received

    def read_to_end(self) -> None:
        """Wait until the broker has closed the connection, and close it."""
        with self._connection:
            while self._connection.recv(65536):
                pass

    def close(self) -> None:
        self._connection.close()


def connect(broker: Broker) -> socket.socket:
    return socket.create_connection((broker.host, broker.port), PATIENCE_S)


def _socket_server(broker: Broker) -> SocketServer:
    server: InstrumentedServer = broker.server()
    return server.socket_server()


def connection_count(broker: Broker) -> int:
    return sum(_socket_server(broker).connection_quotas._counts.values())


def memory_pool_is_whole(broker: Broker) -> bool:
    memory_pool = _socket_server(broker)._memory_pool
    return memory_pool.available_memory() == memory_pool.size()


def expire(broker: Broker) -> None:
    """Let time pass until all connections are closed for doing nothing.

    Once may not do: of which a network thread has not read yet what was sent, the time begins when it does.
    """
    time = broker.time
    assert isinstance(time, MockTime)

    def none_is_left() -> bool:
        time.advance(2 * MAX_IDLE_MS)
        return connection_count(broker) == 0

    wait_until(none_is_left)


def stall_at_each_byte(broker: Broker, converse: Callable[[PeerThatStalls], None]) -> None:
    """Hold a conversation to its end, and at once all that stop before one of its bytes; then time passes."""
    with connect(broker) as connection:
        whole = PeerThatStalls(connection)
        converse(whole)
    broker.wait_for(lambda: connection_count(broker) == 0)
    descriptors = psutil.Process().num_fds()
    stalled = [PeerThatStalls(connect(broker), limit) for limit in range(whole.sent)]
    try:
        for peer in stalled:
            try:
                converse(peer)
            except Stalled:
                pass
        # The sizes differ: the last responses may be complete.
        broker.wait_for(lambda: connection_count(broker) == len(stalled))
        assert memory_pool_is_whole(broker)
        with connect(broker) as connection:
            converse(PeerThatStalls(connection))
        expire(broker)
        for peer in stalled:
            peer.read_to_end()
    finally:
        for peer in stalled:
            peer.close()
    assert memory_pool_is_whole(broker) and psutil.Process().num_fds() <= descriptors + 1
