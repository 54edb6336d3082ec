# Licensed under the Apache License, Version 2.0; see LICENSE.
"""SASL over real connections: what is answered to whom, in what order, and what is never shown.

The byte streams are those that a real 3.8.0 was asked, and the answers are its answers.
"""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.log_context import TRACE
from kreactor.core.network.socket_server import SocketServer
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import Servers, plaintext_props, receive_request, wait_for_no_connections
from tests.core.server.wire import Closed, Wire, encode
from tests.stepping import wait_until

PASSWORD = "alice-sEcret"
JAAS = ("org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'user_alice="{PASSWORD}" user_bob="bob-sEcret";')
TOKEN = f"\0alice\0{PASSWORD}".encode()
SASL = ListenerName("SASL")


def sasl_props(**overrides: str) -> dict[str, str]:
    return plaintext_props(
        listeners="PLAINTEXT://localhost:0,SASL://localhost:0",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT",
        sasl_enabled_mechanisms="PLAIN", connection_failed_authentication_delay_ms="0",
    ) | {"listener.name.sasl.plain.sasl.jaas.config": JAAS} | {
        name.replace("_", "."): value for name, value in overrides.items()}


@pytest.fixture(autouse=True)
def no_secrets(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No password is in the log, at any level."""
    caplog.set_level(TRACE)
    yield
    assert "sEcret" not in "".join(
        logging.Formatter().format(record) for record in caplog.get_records("call"))


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    servers = Servers(monkeypatch)
    yield servers
    servers.close()


def connect(server: SocketServer) -> Wire:
    return Wire("localhost", server.bound_port(SASL))


def handshake(version: int = 1, mechanism: str = "PLAIN") -> tuple[ApiKeys, int, SaslHandshakeRequestData]:
    return ApiKeys.SASL_HANDSHAKE, version, SaslHandshakeRequestData(mechanism=mechanism)


def authenticate(token: bytes = TOKEN,
                 version: int = 2) -> tuple[ApiKeys, int, SaslAuthenticateRequestData]:
    return ApiKeys.SASL_AUTHENTICATE, version, SaslAuthenticateRequestData(auth_bytes=token)


def assert_closed(wire: Wire) -> None:
    with pytest.raises((Closed, TimeoutError)) as e:
        wire.receive_bytes()
    assert e.type is Closed, "the server has not closed the connection"


def served(server: SocketServer, wire: Wire) -> str:
    """Send an ordinary request; return as whom it came to the handlers."""
    wire.send(ApiKeys.METADATA, 12, MetadataRequestData())
    request = receive_request(server.data_plane_request_channel)
    request.release_buffer()
    return str(request.context.principal)


def test_a_handshake_and_a_token(servers: Servers) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        versions = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="tests", client_software_version="1"))
        assert versions.error_code == 0 and len(versions.api_keys) > 10
        answer = wire.ask(*handshake())
        assert (answer.error_code, answer.mechanisms) == (0, ["PLAIN"])
        answer = wire.ask(*authenticate())
        assert (answer.error_code, answer.error_message, answer.auth_bytes, answer.session_lifetime_ms) == (
            0, "", b"", 0)
        assert served(server, wire) == "User:alice"


def test_a_handshake_of_version_0_and_a_bare_token(servers: Servers) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        assert wire.ask(*handshake(0)).error_code == 0
        wire.socket.sendall(len(TOKEN).to_bytes(4, "big") + TOKEN)
        assert wire.receive_bytes() == b""
        assert served(server, wire) == "User:alice"


def test_a_wrong_password_with_and_without_a_header(servers: Servers) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        wire.ask(*handshake())
        answer = wire.ask(*authenticate(b"\0alice\0wrong"))
        assert (answer.error_code, answer.error_message) == (
            58, "Authentication failed: Invalid username or password")
        assert_closed(wire)
    with connect(server) as wire:
        wire.ask(*handshake(0))
        wire.socket.sendall(b"\0\0\0\x0d\0alice\0wrong!")
        assert_closed(wire)
    wait_for_no_connections(server)


def test_a_mechanism_that_is_not_enabled(servers: Servers) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        answer = wire.ask(*handshake(mechanism="SCRAM-SHA-256"))
        assert (answer.error_code, answer.mechanisms) == (33, ["PLAIN"])
        assert_closed(wire)


def test_api_versions_once_and_of_an_unknown_version_before(servers: Servers) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        for _ in range(2):
            answer = wire.ask(ApiKeys.API_VERSIONS, 99, b"")
            assert answer.error_code == 35
        assert wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()).error_code == 0
        wire.send(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
        assert_closed(wire)


def test_another_request_after_the_handshake(servers: Servers) -> None:
    """It gets its own answer, with an error, and nothing after it does."""
    server = servers.start(sasl_props())
    with connect(server) as wire:
        wire.ask(*handshake())
        # Metadata of version 0 has no place for an error but its topics.
        assert wire.ask(ApiKeys.METADATA, 0, MetadataRequestData(topics=[])).brokers == []
        assert_closed(wire)
    with connect(server) as wire:
        wire.ask(*handshake())
        wire.send(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=0, timeout_ms=1))
        assert_closed(wire)
    assert server.data_plane_request_channel._request_queue.is_empty()


@pytest.mark.parametrize("data", [
    b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\x08\0\x01", b"\0\0\0\0", b"\0\0\0\x04nono",
    b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
])
def test_what_is_no_request(servers: Servers, data: bytes) -> None:
    server = servers.start(sasl_props())
    with connect(server) as wire:
        wire.socket.sendall(data)
        assert_closed(wire)
    wait_for_no_connections(server)


def test_the_size_of_a_message_is_bounded(servers: Servers) -> None:
    server = servers.start(sasl_props(sasl_server_max_receive_size="100"))
    with connect(server) as wire:
        wire.ask(*handshake())
        wire.socket.sendall((101).to_bytes(4, "big"))
        assert_closed(wire)
    with connect(server) as wire:
        wire.ask(*handshake())
        assert wire.ask(*authenticate()).error_code == 0
        # Only before: an ordinary request may be larger.
        wire.send(ApiKeys.METADATA, 12, MetadataRequestData(), client_id="x" * 200)
        receive_request(server.data_plane_request_channel).release_buffer()


KINDS = {
    "versions": (ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()),
    "unknown versions": (ApiKeys.API_VERSIONS, 99, b""),
    "handshake 0": handshake(0), "handshake 1": handshake(1), "other mechanism": handshake(1, "OTHER"),
    "token": authenticate(), "old token": authenticate(version=0), "bad token": authenticate(b"\0alice\0x"),
    "metadata": (ApiKeys.METADATA, 1, MetadataRequestData(topics=[])),
    "produce": (ApiKeys.PRODUCE, 9, ProduceRequestData(acks=0, timeout_ms=1)),
}


def course(kinds: list[str]) -> tuple[list[int], int, bool]:
    """Say of a stream of requests which are answered, how many read, and if the last of these is let in."""
    state, answered = "initial", []
    for i, kind in enumerate(kinds):
        if state == "complete":
            return answered, i + 1, True
        if state == "authenticate":
            state = "complete" if kind in ("token", "old token") else "failed"
            # In its own format, if it has one.
            if kind != "produce":
                answered.append(i)
        elif state == "failed":
            return answered, i, False
        elif kind == "versions" and state == "initial":
            state = "handshake"
            answered.append(i)
        elif kind == "unknown versions" and state == "initial":
            answered.append(i)
        elif kind in ("handshake 0", "handshake 1", "other mechanism") and state != "bare":
            state = {"handshake 0": "bare", "handshake 1": "authenticate"}.get(kind, "failed")
            answered.append(i)
        else:
            # After a handshake of version 0, a request is taken for a token, which it is not.
            state = "failed"
    return answered, len(kinds), False


def reaches_the_handlers(kinds: list[str]) -> bool:
    return course(kinds)[2]


def converse(server: SocketServer, stream: bytes, pieces: list[int]) -> bytes:
    """Send bytes in pieces, and return all that comes back until the server closes the connection."""
    received = b""
    with socket.create_connection(("localhost", server.bound_port(SASL)), 120) as client:
        try:
            for piece in pieces:
                client.sendall(stream[:piece])
                stream = stream[piece:]
            client.sendall(stream)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it is closed already
        try:
            while part := client.recv(1 << 16):
                received += part
        except ConnectionError:
            pass  # with what was under way
    return received


def correlation_ids(received: bytes) -> list[int]:
    """Return of which requests there are whole answers."""
    found = []
    while len(received) >= 8 and len(received) >= (end := 4 + int.from_bytes(received[:4], "big")):
        found.append(int.from_bytes(received[4:8], "big"))
        received = received[end:]
    return found


def test_any_requests_in_any_order_and_pieces(servers: Servers) -> None:
    server = servers.start(sasl_props())
    channel = server.data_plane_request_channel

    @settings(max_examples=100, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6),
           st.lists(st.integers(1, 40), max_size=8))
    # An exchange that succeeds, which is rarely drawn, and one that would if its order did not count.
    @example(["versions", "handshake 1", "token", "metadata"], [3])
    @example(["handshake 1", "token", "produce"], [])
    @example(["handshake 1", "metadata", "token", "metadata"], [])
    @example(["handshake 1", "handshake 1", "token", "metadata"], [])
    @example(["handshake 1", "bad token", "token", "metadata"], [])
    @example(["token", "metadata"], [])
    @example(["other mechanism", "token", "metadata"], [])
    def check(kinds: list[str], pieces: list[int]) -> None:
        stream = b"".join(encode(*KINDS[kind], i, "wire") for i, kind in enumerate(kinds))
        answered, read, let_in = course(kinds)
        with ThreadPoolExecutor(1) as pool:
            received = pool.submit(converse, server, stream, pieces)
            if let_in:
                # Without an answer the connection would stay muted, and that the client is gone unseen.
                request = receive_request(channel)
                assert request.header().correlation_id() == read - 1
                channel.close_connection(request, {})
                request.release_buffer()
            ids = correlation_ids(received.result())
        # A connection that is closed before all is read may take the last answers along.
        assert ids == (answered if read == len(kinds) and not let_in else answered[:len(ids)])
        wait_for_no_connections(server)
        assert channel._request_queue.is_empty()

    check()


def changed(data: bytes, place: int, value: int) -> bytes:
    place %= len(data)
    return data[:place] + bytes([value]) + data[place + 1:]


# With nothing in it that has the password.
WITHOUT_PASSWORD = sorted(set(KINDS) - {"token", "old token"})
PARTS = st.one_of(
    st.sampled_from(WITHOUT_PASSWORD).map(lambda kind: encode(*KINDS[kind], 1, "wire")),
    st.builds(lambda kind, place, value: changed(encode(*KINDS[kind], 1, "wire"), place, value),
              st.sampled_from(WITHOUT_PASSWORD), st.integers(0, 200), st.integers(0, 255)),
    st.builds(lambda key, version, body: (len(body) + 4).to_bytes(4, "big")
              + struct.pack(">hh", key, version) + body,
              st.integers(-1, 80), st.integers(-1, 20), st.binary(max_size=60)),
    st.binary(max_size=60).map(lambda data: len(data).to_bytes(4, "big") + data),
    st.binary(max_size=60))


def test_any_bytes_without_a_password_let_nobody_in(servers: Servers) -> None:
    server = servers.start(sasl_props(queued_max_request_bytes="200000", socket_request_max_bytes="100000"))
    channel = server.data_plane_request_channel

    @settings(max_examples=150, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(PARTS, min_size=1, max_size=6), st.lists(st.integers(1, 40), max_size=8))
    def check(parts: list[bytes], pieces: list[int]) -> None:
        ids = correlation_ids(converse(server, b"".join(parts), pieces))
        assert len(ids) <= len(parts)
        wait_for_no_connections(server)
        assert channel._request_queue.is_empty()
        assert server._memory_pool.available_memory() == server._memory_pool.size()

    check()


@given(st.binary(max_size=300))
@settings(max_examples=60, database=None)
def test_any_token_is_refused_or_right(token: bytes) -> None:
    from kreactor.common.errors import SaslAuthenticationException
    from kreactor.common.security.jaas_config import JaasConfig
    from kreactor.common.security.plain.internals.plain_sasl_server import PlainSaslServer
    from kreactor.common.security.plain.internals.plain_server_callback_handler import (
        PlainServerCallbackHandler,
    )

    handler = PlainServerCallbackHandler()
    handler.configure({}, "PLAIN", JaasConfig("c", JAAS).get_app_configuration_entry("c") or [])
    with pytest.raises(SaslAuthenticationException):
        PlainSaslServer(handler).evaluate_response(token)


def start_with_sessions(servers: Servers, **overrides: str) -> tuple[SocketServer, MockTime]:
    time = MockTime()
    return servers.start(sasl_props(
        connections_max_reauth_ms="60000", queued_max_request_bytes="200000",
        socket_request_max_bytes="100000", **overrides), time=time), time


def new_session(server: SocketServer) -> Wire:
    wire = connect(server)
    wire.ask(*handshake())
    assert wire.ask(*authenticate()).session_lifetime_ms == 60_000
    return wire


def test_an_expired_session_is_ended_by_its_next_request(servers: Servers) -> None:
    server, time = start_with_sessions(servers)
    with new_session(server) as wire:
        time.sleep(60_001)
        wire.send(ApiKeys.METADATA, 12, MetadataRequestData())
        assert_closed(wire)
        wait_until(lambda: server._data_plane_expired_connections_killed_count() == 1, "it is counted")


@pytest.mark.deviation("D176")
def test_reauthentication_renews_a_session_and_gives_its_memory_back(servers: Servers) -> None:
    server, time = start_with_sessions(servers)
    with new_session(server) as wire:
        for _ in range(3):
            time.sleep(50_000)
            assert wire.ask(*handshake()).error_code == 0
            assert wire.ask(*authenticate()).session_lifetime_ms == 60_000
            assert server._memory_pool.available_memory() == server._memory_pool.size()
        assert served(server, wire) == "User:alice"


@pytest.mark.deviation("D176")
def test_reauthentication_with_strict_fidelity(servers: Servers) -> None:
    """As in Kafka the memory of each handshake that begins one is lost."""
    server, time = start_with_sessions(servers, kreactor_fidelity="strict")
    with new_session(server) as wire:
        lost = []
        for _ in range(3):
            time.sleep(50_000)
            assert wire.ask(*handshake()).error_code == 0
            assert wire.ask(*authenticate()).session_lifetime_ms == 60_000
            lost.append(server._memory_pool.size() - server._memory_pool.available_memory())
        assert served(server, wire) == "User:alice"
    assert 0 < lost[0] and lost == [lost[0], 2 * lost[0], 3 * lost[0]]
    server._memory_pool.release(ByteBuffer.allocate(lost[2]))


@pytest.mark.parametrize(("request_", "error", "message"), [
    (authenticate(b"\0bob\0bob-sEcret"), 58,
     "Cannot change principals during re-authentication from User.alice: User.bob"),
    (authenticate(b"\0alice\0no"), 58, "Authentication failed: Invalid username or password"),
])
def test_reauthentication_as_somebody_else_is_refused(
    servers: Servers, request_: tuple[ApiKeys, int, SaslAuthenticateRequestData], error: int, message: str,
) -> None:
    server, time = start_with_sessions(servers)
    with new_session(server) as wire:
        time.sleep(50_000)
        assert wire.ask(*handshake()).error_code == 0
        answer = wire.ask(*request_)
        assert (answer.error_code, answer.error_message) == (error, message)
        assert_closed(wire)


def test_a_second_handshake_within_a_second_is_an_ordinary_request(servers: Servers) -> None:
    server, time = start_with_sessions(servers)
    with new_session(server) as wire:
        time.sleep(50_000)
        wire.ask(*handshake())
        wire.ask(*authenticate())
        wire.send(*handshake())
        request = receive_request(server.data_plane_request_channel)
        assert request.header().api_key() is ApiKeys.SASL_HANDSHAKE
        request.release_buffer()
