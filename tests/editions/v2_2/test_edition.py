# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Edition 2.2 as a broker: throttling, sessions, the control plane, and what changes while it runs."""

from __future__ import annotations

import logging
import socket
import threading
import time as real_time
from contextlib import suppress

import pytest

from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.editions.v2_2.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v2_2.core.network.socket_server import SocketServer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import plaintext_props
from tests.core.network.test_sasl import assert_closed, authenticate, handshake, sasl_props
from tests.core.server.broker_requests import create_topic, produce_data
from tests.core.server.test_dynamic_broker_reconfiguration import alter
from tests.core.server.wire import Wire, good, good_answer
from tests.editions.editions import LOCAL, processor_of, serving
from tests.editions.v0_10_2.core.network import test_socket_server as of_0_10_2
from tests.editions.v0_10_2.core.network.test_socket_server import receive_request
from tests.stepping import Background, wait_until

MuteState = KafkaChannel.ChannelMuteState
MuteEvent = KafkaChannel.ChannelMuteEvent

servers = of_0_10_2.servers


@pytest.fixture
def server_class():
    return SocketServer


def set_quota(wire: Wire, name: str, value: float) -> None:
    data = AlterClientQuotasRequestData
    answer = wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, data(entries=[data.EntryData(
        entity=[data.EntityData(entity_type="client-id", entity_name="client")],
        ops=[data.OpData(key=name, value=value)])]))
    assert [entry.error_code for entry in answer.entries] == [0]


def test_a_throttled_client_is_answered_at_once_and_then_muted(tmp_path):
    with (serving("2.2", tmp_path) as broker, Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire,
          Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as client):
        create_topic(wire)
        # About a third of a second: the first record counts for ten.
        set_quota(wire, "producer_byte_rate", 2_900)
        answer = client.ask(ApiKeys.PRODUCE, 9, produce_data(bytes(30_000)), "client")
        assert answer.throttle_time_ms > 0
        answered = real_time.monotonic()
        [channel] = [channel for channel in processor_of(broker).selector.channels()
                     if f":{client.socket.getsockname()[1]}-" in channel.id()]
        wait_until(lambda: channel.mute_state() is not MuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING)
        assert channel.mute_state() is MuteState.MUTED_AND_THROTTLED
        client.ask(ApiKeys.METADATA, 9, MetadataRequestData())
        # The throttle time began before its answer came.
        assert real_time.monotonic() - answered > answer.throttle_time_ms / 1000 - 0.1
        wait_until(lambda: channel.mute_state() is MuteState.NOT_MUTED)


def test_request_time_counts_the_handler_and_the_network_thread(tmp_path):
    with (serving("2.2", tmp_path) as broker,
          Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire):
        set_quota(wire, "request_percentage", 1000)
        noted: list[int] = []
        quota = broker._quota_managers.request
        record = quota.record_no_throttle
        quota.record_no_throttle = lambda session, client_id, value: (
            noted.append(value), record(session, client_id, value))
        answer = wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(), "client")
        assert answer.throttle_time_ms == 0
        # The network thread's time is recorded once the answer has left.
        wait_until(lambda: noted)
        assert 0 < noted[0] < 1000


def test_a_completed_request_is_logged_with_its_answer(tmp_path, caplog):
    caplog.set_level(logging.DEBUG, "kafka.request.logger")
    with (serving("2.2", tmp_path) as broker,
          Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire):
        port = wire.socket.getsockname()[1]
        create_topic(wire, "logged")
        wait_until(lambda: "CREATE_TOPICS" in caplog.text, "nothing is logged")
        # The producer wants no answer.
        wire.send(ApiKeys.PRODUCE, 9, produce_data(b"value", topic="logged", acks=0))
        wait_until(lambda: "PRODUCE" in caplog.text, "nothing is logged")
    line = next(record.getMessage() for record in caplog.records if record.name == "kafka.request.logger")
    assert line.startswith("Completed request:RequestHeader(apiKey=CREATE_TOPICS, apiVersion=7")
    for part in (",response:{", "logged", f"-127.0.0.1:{port}-0;totalTime:", ",throttleTime:",
                 ",principal:User:ANONYMOUS,listener:PLAINTEXT"):
        assert part in line


def sessions(servers):
    time = MockTime()
    return servers.start(sasl_props(
        connections_max_reauth_ms="60000", connections_max_idle_ms="1000000"), time=time), time


def new_session(servers, server) -> Wire:
    wire = Wire.over(servers.connect(server, "SASL"))
    wire.ask(*handshake())
    assert wire.ask(*authenticate()).session_lifetime_ms == 60_000
    return wire


def test_a_session_is_renewed_by_a_re_authentication(servers):
    server, time = sessions(servers)
    wire = new_session(servers, server)
    for _ in range(3):
        time.sleep(50_000)
        assert wire.ask(*handshake()).error_code == 0
        assert wire.ask(*authenticate()).session_lifetime_ms == 60_000
    wire.send(ApiKeys.METADATA, 9, MetadataRequestData())
    request = receive_request(server.data_plane_request_channel)
    assert str(request.session.principal) == "User:alice"


def test_an_expired_session_keeps_its_socket_until_the_idle_expiry(servers):
    """KAFKA-9190: the channel is disconnected, and not closed; 2.4 closes it."""
    server, time = sessions(servers)
    wire = new_session(servers, server)
    time.sleep(60_001)
    wire.send(ApiKeys.METADATA, 9, MetadataRequestData())
    wait_until(lambda: server._data_plane_expired_connections_killed_count() == 1, "it is not counted")
    assert server.connection_count(LOCAL) == 1
    wire.socket.settimeout(0)
    with pytest.raises(BlockingIOError):
        wire.socket.recv(1)

    wire.socket.settimeout(60)
    time.sleep(1_000_001)
    assert_closed(wire)
    wait_until(lambda: server.connection_count(LOCAL) == 0, "the connection is not counted out")


def test_a_wrong_password_is_answered_and_closed_later(servers):
    time = MockTime()
    server = servers.start(sasl_props(connection_failed_authentication_delay_ms="300"), time=time)
    wire = Wire.over(servers.connect(server, "SASL"))
    wire.ask(*handshake())
    wire.send(*authenticate(b"\0alice\0no"))
    selector = server.data_plane_processor(1).selector
    wait_until(selector.delayed_closing_channels, "the close is not held back")
    assert server.connection_count(LOCAL) == 1

    time.sleep(301)
    wire.receive_bytes()
    assert_closed(wire)
    wait_until(lambda: server.connection_count(LOCAL) == 0, "the connection is not counted out")


def test_the_control_plane_has_a_handler_of_its_own(tmp_path):
    with serving("2.2", tmp_path, {
            "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "control.plane.listener.name": "CONTROLLER"}) as broker:
        for listener in ("PLAINTEXT", "CONTROLLER"):
            with Wire("127.0.0.1", broker.bound_port(listener)) as wire:
                wire.socket.sendall(good(1))
                assert wire.receive_bytes().hex() == good_answer(1)
        names = {thread.name for thread in threading.enumerate()}
        assert {"control-plane-kafka-request-handler-0", "data-plane-kafka-request-handler-0"} <= names
        assert any(name.startswith("control-plane-kafka-network-thread-1-") for name in names)


def threads(prefix: str) -> int:
    return sum(thread.name.startswith(prefix) for thread in threading.enumerate())


def network_threads() -> int:
    return threads("data-plane-kafka-network-thread-")


def handlers() -> int:
    return threads("data-plane-kafka-request-handler-")


def test_threads_are_resized_while_clients_are_served(tmp_path):
    with serving("2.2", tmp_path) as broker:
        port = broker.bound_port("PLAINTEXT")
        assert (network_threads(), handlers()) == (1, 2)
        assert alter(broker, "", {"num.network.threads": "2", "num.io.threads": "4"}) is Errors.NONE
        wait_until(lambda: (network_threads(), handlers()) == (2, 4), "threads are missing")
        wires = [Wire("127.0.0.1", port) for _ in range(4)]
        for wire in wires:
            wire.socket.sendall(good(1))
            assert wire.receive_bytes().hex() == good_answer(1)

        assert alter(broker, "", {"num.network.threads": "5"}) is not Errors.NONE
        assert alter(broker, "", {"num.network.threads": "1", "num.io.threads": "2"}) is Errors.NONE
        wait_until(lambda: (network_threads(), handlers()) == (1, 2), "threads are left")
        # The processor that went closed its connections; the other one serves those that it has.
        alive = 0
        for wire in wires:
            try:
                wire.socket.sendall(good(2))
                alive += wire.receive_bytes().hex() == good_answer(2)
            except Exception:
                continue
            finally:
                wire.close()
        assert alive >= 1
        with Wire("127.0.0.1", port) as wire:
            wire.socket.sendall(good(3))
            assert wire.receive_bytes().hex() == good_answer(3)


def test_the_limit_of_connections_changes_while_the_broker_runs(tmp_path):
    with serving("2.2", tmp_path) as broker:
        port = broker.bound_port("PLAINTEXT")
        # The one that alters is gone by then, or is the one that there may be.
        assert alter(broker, "", {"max.connections.per.ip": "1"}) is Errors.NONE
        wait_until(lambda: broker.socket_server().connection_count(LOCAL) == 0, "it is not counted out")
        with Wire("127.0.0.1", port) as first, Wire("127.0.0.1", port) as second:
            assert second.socket.recv(1) == b""
            first.socket.sendall(good(1))
            assert first.receive_bytes().hex() == good_answer(1)


def test_listeners_come_and_go(servers):
    server = servers.start(plaintext_props())
    listeners = dict(server.data_plane_acceptors)
    [endpoint] = listeners
    server.remove_listeners([endpoint])
    assert server.data_plane_acceptors == {}
    server.add_listeners([endpoint])
    sock = servers.connect(server)
    sock.sendall(good(1))
    receive_request(server.data_plane_request_channel)


@pytest.mark.deviation("D392")
def test_a_server_whose_processors_never_start_ends(servers, server_class):
    """KAFKA-9796: the queue of the only processor is full, and the acceptor waits for it."""
    class Unstarted(server_class):
        def startup(self):
            super().startup(startup_processors=False)

    server = servers.start(plaintext_props() | {"max.connections.per.ip": "100"}, Unstarted)
    clients = [servers.connect(server) for _ in range(25)]
    # Twenty are in the queue, and the acceptor has one more.
    wait_until(lambda: server.connection_count(LOCAL) == 21, "the acceptor does not wait")
    Background(server.shutdown).result()
    assert server.connection_count(LOCAL) == 0
    for client in clients:
        # Those that wait in the kernel are reset.
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""


def test_a_port_in_use_leaves_nothing_open(servers):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Exception, match="Socket server failed to bind to 127.0.0.1"):
            servers.start(plaintext_props() | {
                "listeners": f"A://127.0.0.1:0,B://127.0.0.1:{taken.getsockname()[1]}",
                "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT",
                "inter.broker.listener.name": "A"})


LEGAL = {
    (MuteState.MUTED, MuteEvent.REQUEST_RECEIVED): MuteState.MUTED_AND_RESPONSE_PENDING,
    (MuteState.MUTED_AND_RESPONSE_PENDING, MuteEvent.RESPONSE_SENT): MuteState.MUTED,
    (MuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING, MuteEvent.RESPONSE_SENT):
        MuteState.MUTED_AND_THROTTLED,
    (MuteState.MUTED_AND_RESPONSE_PENDING, MuteEvent.THROTTLE_STARTED):
        MuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING,
    (MuteState.MUTED_AND_THROTTLED, MuteEvent.THROTTLE_ENDED): MuteState.MUTED,
    (MuteState.MUTED_AND_THROTTLED_AND_RESPONSE_PENDING, MuteEvent.THROTTLE_ENDED):
        MuteState.MUTED_AND_RESPONSE_PENDING,
}


@pytest.mark.parametrize("state", MuteState)
@pytest.mark.parametrize("event", MuteEvent)
def test_the_mute_automaton(state, event):
    channel = KafkaChannel.__new__(KafkaChannel)
    channel._mute_state = state
    if (state, event) in LEGAL:
        channel.handle_channel_mute_event(event)
        assert channel.mute_state() is LEGAL[state, event]
    else:
        with pytest.raises(IllegalStateException, match=f"{state.name} for {event.name}"):
            channel.handle_channel_mute_event(event)
        assert channel.mute_state() is state
