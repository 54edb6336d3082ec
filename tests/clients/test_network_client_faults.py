# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A NetworkClient over the Selector, against nodes that stall, lie, leave, or answer oddly but rightly.

The node is a socket of the test's own, on the same thread: it does its next step while the client polls.
"""

from __future__ import annotations

import select
import errno
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.host_resolver import HostResolver
from kreactor.clients.manual_metadata_updater import ManualMetadataUpdater
from kreactor.clients.network_client import NetworkClient
from kreactor.clients.network_client_utils import NetworkClientUtils
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import DisconnectException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.clients.test_client_utils import client_config
from tests.clients.test_node_api_versions import default_api_versions_response
from tests.common.requests.request_test_utils import RequestTestUtils

WAIT_S = 60.0
LONG_MS, SHORT_MS = 60_000, 200
METADATA_VERSION = ApiKeys.METADATA.latest_version()


class Peer:
    """A node: it listens, and does what a test says with one connection at a time."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0) -> None:
        self._listener = socket.create_server((address, port))
        self.connection: socket.socket | None = None
        self._read = bytearray()

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    def node(self, host: str = "127.0.0.1") -> Node:
        return Node(0, host, self.port)

    def accept(self) -> None:
        self._listener.settimeout(WAIT_S)
        self.leave()
        self.connection, _ = self._listener.accept()
        self._read.clear()

    def request(self) -> RequestHeader | None:
        """Return the header of the next request once all of it is here, else None."""
        assert self.connection is not None
        if select.select([self.connection], [], [], 0)[0]:
            self._read += self.connection.recv(65536)
        if len(self._read) < 4:
            return None
        end = 4 + int.from_bytes(self._read[:4], "big")
        if len(self._read) < end:
            return None
        header = RequestHeader.parse(ByteBuffer.wrap(bytes(self._read[4:end])))
        del self._read[:end]
        return header

    def send(self, content: bytes) -> None:
        assert self.connection is not None
        self.connection.sendall(content)

    def leave(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def close(self) -> None:
        self.leave()
        self._listener.close()


def framed(header: RequestHeader, response: AbstractResponse, version: int | None = None) -> bytes:
    """Return a response as it is sent to the request with ``header``."""
    body = RequestTestUtils.serialize_response_with_header(
        response, header.api_version() if version is None else version, header.correlation_id()).to_bytes()
    return len(body).to_bytes(4, "big") + body


def metadata(cluster_id: str = "cluster") -> MetadataResponse:
    return MetadataResponse(MetadataResponseData(cluster_id=cluster_id), METADATA_VERSION)


class Rig:
    """A client and a node."""

    def __init__(self, host_resolver: HostResolver | None = None, peer: Peer | None = None,
                 **configured: Any) -> None:
        self.peer = peer or Peer()
        self.metrics = Metrics()
        self.updater = ManualMetadataUpdater([self.peer.node()])
        self.responses: list[ClientResponse] = []
        settings = {"request_timeout_ms": LONG_MS, "socket_connection_setup_timeout_ms": LONG_MS,
                    "socket_connection_setup_timeout_max_ms": LONG_MS, "connections_max_idle_ms": LONG_MS,
                    "reconnect_backoff_ms": 1, "reconnect_backoff_max_ms": 1, **configured}
        config = client_config(**settings)
        self.api_versions = ApiVersions()
        self.client = ClientUtils.create_network_client_host_resolver(
            config, "me", self.metrics, "client", LogContext(), self.api_versions, Time.SYSTEM, 5,
            settings["request_timeout_ms"], self.updater, host_resolver or Loopback())

    def now(self) -> int:
        return Time.SYSTEM.milliseconds()

    def poll_until(self, done: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + WAIT_S
        while not (found := done()):
            assert time.monotonic() < deadline, "what was waited for has not happened"
            self.client.poll(10, self.now())
        return found

    def begin(self, node: Node) -> None:
        """Connect, up to where the client asks for versions."""
        self.poll_until(lambda: self.client.ready(node, self.now())
                        or self.client._connection_states.is_connecting(node.id_string()))
        self.peer.accept()

    def connect(self, node: Node | None = None) -> Node:
        node = node or self.peer.node()
        self.begin(node)
        header = self.poll_until(self.peer.request)
        assert header.api_key() is ApiKeys.API_VERSIONS
        self.peer.send(framed(header, default_api_versions_response(ListenerType.BROKER)))
        self.poll_until(lambda: self.client.is_ready(node, self.now()))
        return node

    def ask(self, node: Node, timeout_ms: int | None = None) -> RequestHeader:
        """Send a request; return its header as the node read it."""
        self.poll_until(lambda: self.client.is_ready(node, self.now()))
        self.client.send(self.client.new_client_request(
            node.id_string(), MetadataRequest.Builder.all_topics(), self.now(), True, timeout_ms,
            RequestCompletionHandler.of(self.responses.append)), self.now())
        header: RequestHeader = self.poll_until(self.peer.request)
        return header

    def assert_served(self, node: Node) -> None:
        """A new connection works."""
        self.responses.clear()
        self.poll_until(lambda: self.client.connection_failed(node))
        self.connect(node)
        self.peer.send(framed(self.ask(node), metadata()))
        self.poll_until(lambda: self.responses)
        assert self.responses[0].has_response()

    def close(self) -> None:
        self.client.close()
        self.metrics.close()
        self.peer.close()


class Loopback(HostResolver):
    """Gives the addresses of a name in the order in which they are given, and counts."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = addresses or ("127.0.0.1",)
        self.asked = 0

    def resolve(self, host: str) -> list[InetAddress]:
        self.asked += 1
        return [InetAddress.get_by_name(address) for address in self._addresses]


@pytest.fixture
def new_rig() -> Iterator[Callable[..., Rig]]:
    rigs: list[Rig] = []

    def new(*arguments: Any, **configured: Any) -> Rig:
        rigs.append(Rig(*arguments, **configured))
        return rigs[-1]

    yield new
    for rig in rigs:
        rig.close()


@pytest.fixture
def rig(new_rig: Callable[..., Rig]) -> Rig:
    return new_rig()


def test_a_response_may_come_byte_by_byte(rig):
    node = rig.connect()
    for byte in framed(rig.ask(node), metadata("the cluster")):
        assert rig.responses == []
        rig.peer.send(bytes([byte]))
        rig.client.poll(0, rig.now())
    rig.poll_until(lambda: rig.responses)
    assert rig.responses[0].response_body().cluster_id() == "the cluster"


def test_responses_that_come_together_are_told_apart(rig):
    node = rig.connect()
    headers = [rig.ask(node) for _ in range(5)]
    assert not rig.client.is_ready(node, rig.now())
    rig.peer.send(b"".join(framed(header, metadata(str(number))) for number, header in enumerate(headers)))
    rig.poll_until(lambda: len(rig.responses) == 5)
    assert [response.response_body().cluster_id() for response in rig.responses] == list("01234")
    assert [response.request_header() for response in rig.responses] == headers


def test_a_large_response_is_read_in_many_polls(rig):
    node = rig.connect()
    broker = MetadataResponseData.MetadataResponseBroker(node_id=1, host="x" * 30_000, port=1)
    large = MetadataResponse(MetadataResponseData(brokers=[broker] * 100), METADATA_VERSION)
    content = framed(rig.ask(node), large)
    rig.peer.connection.setblocking(False)
    sent = 0
    while sent < len(content):
        try:
            sent += rig.peer.connection.send(content[sent:])
        except BlockingIOError:
            rig.client.poll(1, rig.now())
    rig.poll_until(lambda: rig.responses)
    assert rig.responses[0].response_body().data() == large.data()


def test_what_a_node_has_sent_before_it_leaves_counts(rig):
    node = rig.connect()
    first, _ = rig.ask(node), rig.ask(node)
    rig.peer.send(framed(first, metadata()))
    rig.peer.leave()
    rig.poll_until(lambda: len(rig.responses) == 2)
    assert [response.has_response() for response in rig.responses] == [True, False]
    assert rig.responses[1].was_disconnected() and not rig.responses[1].was_timed_out()
    rig.assert_served(node)


@pytest.mark.parametrize("content", [
    pytest.param(b"\xff\xff\xff\xff", id="a negative size"),
    pytest.param((20).to_bytes(4, "big") + b"\xff" * 20, id="another's correlation id"),
    pytest.param(b"\x00\x00\x00\x02\x00\x00", id="less than a header"),
    pytest.param(b"HTTP/1.1 400 Bad Request\r\n\r\n", id="another protocol, and the end"),
])
def test_garbage_closes_the_connection(rig, content):
    node = rig.connect()
    rig.ask(node)
    rig.peer.send(content)
    # A size of a gigabyte waits for the rest, until the node leaves.
    if content.startswith(b"HTTP"):
        rig.peer.leave()
    rig.poll_until(lambda: rig.responses)
    assert rig.responses[0].was_disconnected()
    rig.assert_served(node)


def test_garbage_instead_of_versions_closes_the_connection(rig):
    node = rig.peer.node()
    rig.begin(node)
    header = rig.poll_until(rig.peer.request)
    rig.peer.send((12).to_bytes(4, "big") + header.correlation_id().to_bytes(4, "big") + b"\xff" * 8)
    rig.assert_served(node)


def test_bytes_that_nobody_asked_for_close_the_connection(rig):
    node = rig.connect()
    rig.peer.send((8).to_bytes(4, "big") + bytes(8))
    rig.assert_served(node)


def test_a_node_that_leaves_before_it_tells_its_versions_is_tried_again(rig):
    node = rig.peer.node()
    rig.begin(node)
    rig.peer.leave()
    rig.assert_served(node)


def test_a_node_that_does_not_tell_its_versions_in_time_is_left(new_rig):
    rig = new_rig(request_timeout_ms=SHORT_MS)
    node = rig.peer.node()
    rig.begin(node)
    rig.poll_until(rig.peer.request)
    rig.poll_until(lambda: rig.client.connection_failed(node))
    assert rig.peer.connection.recv(1) == b""
    # Another try begins.
    rig.begin(node)


def test_an_old_node_is_asked_for_its_versions_as_it_says(rig):
    node = rig.peer.node()
    rig.begin(node)
    header = rig.poll_until(rig.peer.request)
    refused = ApiVersionsResponse(ApiVersionsResponseData(error_code=Errors.UNSUPPORTED_VERSION.code))
    rig.peer.send(framed(header, refused, 0))
    header = rig.poll_until(rig.peer.request)
    assert (header.api_key(), header.api_version()) == (ApiKeys.API_VERSIONS, 0)
    versions = ApiVersionsResponseData(api_keys=[ApiVersionsResponseData.ApiVersion(
        api_key=ApiKeys.METADATA.id, min_version=0, max_version=4)])
    rig.peer.send(framed(header, ApiVersionsResponse(versions)))
    assert rig.ask(node).api_version() == 4


@pytest.mark.parametrize("end", ["the node leaves", "a response is late"])
def test_the_versions_of_a_node_are_those_of_its_connection(rig, end):
    """Behind the same address there may be another release next time, which is asked anew."""
    node = rig.peer.node()
    rig.begin(node)
    header = rig.poll_until(rig.peer.request)
    latest = header.api_version()
    old = ApiVersionsResponse(ApiVersionsResponseData(api_keys=[
        ApiVersionsResponseData.ApiVersion(api_key=api.id, min_version=0, max_version=max_version)
        for api, max_version in ((ApiKeys.METADATA, 4), (ApiKeys.API_VERSIONS, 0), (ApiKeys.PRODUCE, 2))]))
    rig.peer.send(framed(header, old))
    assert rig.ask(node).api_version() == 4
    assert rig.api_versions.max_usable_produce_magic() == RecordBatch.MAGIC_VALUE_V1
    if end == "the node leaves":
        rig.peer.leave()
    else:
        rig.ask(node, SHORT_MS)
    rig.poll_until(lambda: rig.client.connection_failed(node))
    # A node that is gone keeps no producer from a newer format.
    assert rig.api_versions.get(node.id_string()) is None
    assert rig.api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE
    rig.responses.clear()
    rig.begin(node)
    header = rig.poll_until(rig.peer.request)
    assert (header.api_key(), header.api_version()) == (ApiKeys.API_VERSIONS, latest)
    rig.peer.send(framed(header, default_api_versions_response(ListenerType.BROKER)))
    assert rig.ask(node).api_version() == METADATA_VERSION


def test_one_late_response_ends_all_requests_of_its_connection(rig):
    node = rig.connect()
    rig.ask(node)
    rig.ask(node, SHORT_MS)
    rig.poll_until(lambda: rig.responses)
    assert [response.was_timed_out() for response in rig.responses] == [True, True]
    assert rig.peer.connection.recv(1) == b""
    rig.assert_served(node)


def test_a_node_that_makes_no_handshake_is_left_after_the_setup_timeout(new_rig):
    rig = new_rig(security_protocol="SSL", socket_connection_setup_timeout_ms=SHORT_MS,
                  socket_connection_setup_timeout_max_ms=SHORT_MS)
    node = rig.peer.node()
    rig.begin(node)
    rig.poll_until(lambda: rig.client.connection_failed(node))
    assert not rig.client.has_in_flight_requests()


def test_a_port_that_nobody_listens_at_is_reported(new_rig):
    rig = new_rig(reconnect_backoff_ms=LONG_MS, reconnect_backoff_max_ms=LONG_MS)
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        node = Node(7, "127.0.0.1", holder.getsockname()[1])
        with pytest.raises(OSError, match="failed."):
            NetworkClientUtils.await_ready(rig.client, node, Time.SYSTEM, LONG_MS)
        assert NetworkClientUtils.is_unavailable(rig.client, node, Time.SYSTEM)
        assert 0 < rig.client.connection_delay(node, rig.now()) <= LONG_MS


def peer_with_a_port_where_nobody_listens() -> tuple[Peer, socket.socket]:
    """Return a peer at 127.0.0.2, and a socket that keeps others from listening to its port at 127.0.0.1."""
    while True:
        holder = socket.socket()
        holder.bind(("127.0.0.1", 0))
        try:
            return Peer("127.0.0.2", holder.getsockname()[1]), holder
        except OSError as e:
            holder.close()
            assert e.errno == errno.EADDRINUSE


def test_the_next_address_of_a_name_is_tried(new_rig):
    peer, holder = peer_with_a_port_where_nobody_listens()
    resolver = Loopback("127.0.0.1", "127.0.0.2")
    rig = new_rig(resolver, peer)
    node = peer.node("both.example")
    with holder:
        rig.client.ready(node, rig.now())
        rig.poll_until(lambda: rig.client.connection_failed(node))
        assert resolver.asked == 1
        rig.connect(node)
        assert resolver.asked == 1

        # It was lost, and the name is asked for again: the address that was tried last comes last.
        peer.leave()
        rig.poll_until(lambda: rig.client.connection_failed(node))
        rig.poll_until(lambda: rig.client.ready(node, rig.now()) or resolver.asked == 2)
        rig.assert_served(node)
        assert resolver.asked == 2


def test_an_idle_connection_is_closed(new_rig):
    rig = new_rig(connections_max_idle_ms=1000)
    node = rig.connect()
    rig.poll_until(lambda: rig.client.connection_failed(node))
    assert rig.peer.connection.recv(1) == b""
    rig.begin(node)


def test_another_thread_ends_a_poll_that_waits(rig):
    node = rig.connect()
    rig.ask(node)
    closer = threading.Thread(target=rig.client.initiate_close)
    closer.start()
    start = time.monotonic()
    with pytest.raises(DisconnectException):
        while True:
            rig.client.poll(LONG_MS, rig.now())
    assert time.monotonic() - start < LONG_MS / 1000 / 2
    closer.join()
    assert rig.responses == []


def test_many_requests_have_one_end_each(rig):
    """The node answers, stalls and leaves in turn meanwhile."""
    node = rig.connect()
    sent = []
    for step in range(60):
        header = rig.ask(node)
        sent.append(header.correlation_id())
        if step % 7 == 6:
            rig.peer.leave()
            rig.poll_until(lambda: rig.client.connection_failed(node))
            rig.connect(node)
        elif step % 3:
            rig.peer.send(framed(header, metadata()))
            rig.poll_until(lambda: not rig.client.has_in_flight_requests())
        else:
            rig.peer.send((4).to_bytes(4, "big") + bytes([255] * 4))
            rig.poll_until(lambda: rig.client.connection_failed(node))
            rig.connect(node)
    assert [response.request_header().correlation_id() for response in rig.responses] == sent
    assert len(set(sent)) == 60
    assert rig.client.in_flight_request_count() == 0


def test_a_client_that_closes_leaves_its_requests_without_an_end(rig):
    node = rig.connect()
    rig.ask(node)
    rig.client.close_node_id(node.id_string())
    assert rig.peer.connection.recv(1) == b""
    assert rig.client.poll(0, rig.now()) == [] and rig.responses == []
    # There is no backoff: the node is forgotten.
    assert rig.client.connection_delay(node, rig.now()) == 0
    assert isinstance(rig.client, NetworkClient) and not rig.client.has_ready_nodes(rig.now())
