# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Threads and listeners that come and go while clients are served.

A client that finds its connection closed connects again; no answer may be wrong, late for ever, or another's.
"""

from __future__ import annotations

import itertools
import os
import random
import socket
import threading
from typing import Iterator

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.core.network.socket_server import SocketServer
from tests.core.network.opaque import APIS, Client, Echo
from tests.core.network.servers import Servers, listeners_props, plaintext_props, wait_for_no_connections
from tests.stepping import Background, wait_until

NUM_CLIENTS = 12


class Load:
    """Clients that call and check, in threads of their own, until told to stop."""

    def __init__(self, server: SocketServer, listener: str, may_close: bool) -> None:
        self._server = server
        self._listener = ListenerName(listener)
        self._may_close = may_close
        self._stop = threading.Event()
        self.calls = [0] * NUM_CLIENTS
        self.connections = itertools.count()
        self._background = [
            Background(lambda i=i: self._run(i), f"client {i}") for i in range(NUM_CLIENTS)]

    def _run(self, i: int) -> None:
        random_ = random.Random(i)
        while not self._stop.is_set():
            try:
                with self._connect() as sock:
                    next(self.connections)
                    client = Client(sock)
                    while not self._stop.is_set():
                        payload = os.urandom(random_.choice((0, 10, 1000, 9000)))
                        assert client.call(payload) == payload
                        self.calls[i] += 1
            except (EOFError, ConnectionError):
                # Refused between two listeners, or closed with the thread that served it.
                assert self._may_close or self._stop.is_set(), "a connection was closed"

    def _connect(self) -> socket.socket:
        while True:
            try:
                return socket.create_connection(
                    ("localhost", self._server.bound_port(self._listener)), 120)
            except (ConnectionError, KafkaException):
                # There is no such listener now.
                if self._stop.is_set():
                    raise ConnectionError from None
                assert self._may_close
                self._stop.wait(0.001)

    def go_on(self, calls: int = 5) -> None:
        """Wait until each client has called so often again."""
        before = list(self.calls)
        wait_until(lambda: all(now >= then + calls for now, then in zip(self.calls, before)),
                   "a client is not served")

    def stop(self) -> None:
        self._stop.set()
        for background in self._background:
            background.result()


@pytest.fixture
def server(servers: Servers) -> SocketServer:
    return servers.start(plaintext_props(
        num_network_threads="2", queued_max_requests="4", queued_max_request_bytes="50000",
        socket_request_max_bytes="10000"), apis=APIS)


@pytest.fixture
def loads() -> Iterator[list[Load]]:
    made: list[Load] = []
    yield made
    for load in made:
        load.stop()


def test_resizing_network_threads(servers: Servers, server: SocketServer, loads: list[Load]) -> None:
    servers.serve(server, Echo(server.data_plane_request_channel), num_threads=2)
    load = Load(server, "PLAINTEXT", may_close=True)
    loads.append(load)
    load.go_on()
    acceptor = server.data_plane_acceptor("PLAINTEXT")
    assert acceptor is not None
    for size in (4, 2, 1, 2, 3, 6, 3, 5):
        configs = {"num.network.threads": size}
        acceptor.validate_reconfiguration(configs)
        acceptor.reconfigure(configs)
        assert len(acceptor.processors()) == size
        load.go_on()
    load.stop()
    wait_for_no_connections(server)
    names = [thread.name for thread in threading.enumerate() if "kafka-network-thread" in thread.name]
    assert len(names) == 5


def test_more_network_threads_close_no_connection(
    servers: Servers, server: SocketServer, loads: list[Load],
) -> None:
    servers.serve(server, Echo(server.data_plane_request_channel), num_threads=2)
    load = Load(server, "PLAINTEXT", may_close=False)
    loads.append(load)
    acceptor = server.data_plane_acceptor("PLAINTEXT")
    assert acceptor is not None
    for size in (3, 5, 8):
        acceptor.reconfigure({"num.network.threads": size})
        load.go_on()
    assert next(load.connections) == NUM_CLIENTS


def test_resizing_handlers(servers: Servers, server: SocketServer, loads: list[Load]) -> None:
    """No connection is closed for it, and no request lost."""
    pool = servers.serve(server, Echo(server.data_plane_request_channel), num_threads=1)
    load = Load(server, "PLAINTEXT", may_close=False)
    loads.append(load)
    for size in (8, 3, 1, 6, 2, 4):
        pool.resize_thread_pool(size)
        load.go_on()
    assert next(load.connections) == NUM_CLIENTS


def test_listeners_removed_and_added(servers: Servers, loads: list[Load]) -> None:
    server = servers.start(listeners_props(
        "INTERNAL", "EXTERNAL", inter_broker_listener_name="INTERNAL", num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel), num_threads=2)
    steady, moving = Load(server, "INTERNAL", may_close=False), Load(server, "EXTERNAL", may_close=True)
    loads += [steady, moving]
    [end_point] = [end_point for end_point in server.config.data_plane_listeners()
                   if end_point.listener_name().value() == "EXTERNAL"]
    for _ in range(5):
        moving.go_on()
        server.remove_listeners([end_point])
        assert server.data_plane_acceptor("EXTERNAL") is None
        assert ListenerName("EXTERNAL") not in server.connection_quotas._listener_counts
        steady.go_on()
        server.add_listeners([end_point])
    moving.go_on()
    for load in loads:
        load.stop()
    wait_for_no_connections(server)
    assert server.connection_quotas._listener_counts == {
        ListenerName("INTERNAL"): 0, ListenerName("EXTERNAL"): 0}


def test_limits_changed(servers: Servers, loads: list[Load]) -> None:
    server = servers.start(plaintext_props(num_network_threads="2"), apis=APIS)
    servers.serve(server, Echo(server.data_plane_request_channel))
    load = Load(server, "PLAINTEXT", may_close=True)
    loads.append(load)
    quotas = server.connection_quotas
    for max_connections in (6, 3, 12, 1, NUM_CLIENTS + 1):
        quotas.update_broker_max_connections(max_connections)
        wait_until(lambda: quotas._total_count <= max_connections)
        before = sum(load.calls)
        wait_until(lambda: sum(load.calls) > before + 50, "nobody is served")
    load.go_on()


def test_the_end(servers: Servers, server: SocketServer, loads: list[Load]) -> None:
    """While everybody calls, with the network threads waiting for room in the request queue."""
    servers.serve(server, Echo(server.data_plane_request_channel), num_threads=2)
    load = Load(server, "PLAINTEXT", may_close=True)
    loads.append(load)
    load.go_on()
    load._stop.set()
    servers.stop(server)
