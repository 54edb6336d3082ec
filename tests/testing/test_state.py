# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The state of a running broker, and the reprs that it is made of."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import struct
import sys
import threading
from typing import Any

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.thread_dump import thread_dumps
from kreactor.testing import Broker
from kreactor.testing.control import Control
from kreactor.testing.state import State, _copy
from tests.stepping import wait_until

# Nothing of this may be shown.
SECRET = b"planted-secret"
HOSTILE = "\x1b[31mred\n" + "a" * 10_000


def api_versions(client_id: str = "client", correlation_id: int = 7, tail: bytes = b"") -> bytes:
    """Return an ApiVersions request of version 0, with its size. The broker ignores ``tail``."""
    name = client_id.encode()
    body = struct.pack(">hhih", ApiKeys.API_VERSIONS.id, 0, correlation_id, len(name)) + name + tail
    return struct.pack(">i", len(body)) + body


def only_channel(broker: Broker) -> dict[str, Any]:
    """Return the state of the only connection, once there is one."""
    def channels() -> list[dict[str, Any]]:
        return [channel for listener in broker.state()["listeners"] for processor in listener["processors"]
                for channel in processor["channels"]]

    wait_until(channels)
    channel, = channels()
    return channel


def connect(broker: Broker) -> socket.socket:
    return socket.create_connection((broker.host, broker.port), 60)


def test_a_channel_in_each_state() -> None:
    with Broker() as broker, connect(broker) as connection:
        assert only_channel(broker)["state"] == "NOT_CONNECTED"
        request = api_versions()
        connection.sendall(request[:3])
        wait_until(lambda: only_channel(broker)["receive"] == "3/?")
        connection.sendall(request[3:10])
        wait_until(lambda: only_channel(broker)["receive"] == f"10/{len(request)}")
        channel = only_channel(broker)
        assert channel["mute_state"] == "NOT_MUTED" and channel["state"] == "READY"
        assert channel["containers"] == ["channels"]
        assert channel["send"] is None and channel["id"].startswith(f"127.0.0.1:{broker.port}-127.0.0.1:")
        with broker.hold_handlers() as hold:
            connection.sendall(request[10:])
            held, = hold.wait()
            channel = only_channel(broker)
            assert channel["mute_state"] == "MUTED_AND_RESPONSE_PENDING" and channel["receive"] is None
            assert channel["containers"] == ["channels", "explicitly muted"]
            state = broker.state()
            assert state["holds"] == {"ApiRequestHandler.handle": [held]}
            thread, = (each for each in state["threads"] if each["name"] == held)
            assert thread["waits"] and thread["request"].startswith(
                "Request(ApiVersions v0, correlation 7, client client, 127.0.0.1:")
            assert "core.server.kafka_request_handler.KafkaRequestHandler.run" in " ".join(thread["stack"])
        size, correlation_id = struct.unpack(">ii", connection.recv(8, socket.MSG_WAITALL))
        assert correlation_id == 7 and len(connection.recv(size - 4, socket.MSG_WAITALL)) == size - 4
        wait_until(lambda: only_channel(broker)["mute_state"] == "NOT_MUTED")


def test_the_queues_and_the_text() -> None:
    with Broker(properties={"num.io.threads": 1}) as broker, connect(broker) as first:
        with broker.hold_handlers() as hold, connect(broker) as second:
            first.sendall(api_versions("first"))
            hold.wait()
            second.sendall(api_versions("second"))
            wait_until(lambda: broker.state()["request_queues"]["data plane"]["size"] == 1)
            state = broker.state()
            request, = state["request_queues"]["data plane"]["requests"]
            assert "client second" in request
            text = str(state)
            assert f"  {request}\n" in text and "Broker: RUNNING" in text
            assert "MUTED_AND_RESPONSE_PENDING, READY, in channels, explicitly muted" in text
            assert {"Fetch", "Heartbeat", "Rebalance"} <= set(state["purgatories"])
            assert "Purgatory Fetch: 0 watched" in text
            assert json.loads(json.dumps(state)) == state


def test_a_hostile_name_and_a_secret() -> None:
    with Broker(sasl="PLAIN", users={"alice": SECRET.decode()}) as broker, connect(broker) as connection:
        with broker.hold_handlers(), broker.hold("Processor._process_new_responses"):
            connection.sendall(api_versions(HOSTILE, tail=SECRET))
            # The processor is held after this round at the latest, so the request may be in the selector.
            state = broker.state()
        told = [str(state), json.dumps(state)]
        connection.recv(1)
        connection.sendall(struct.pack(">ihhih", 17 + len(SECRET), ApiKeys.SASL_HANDSHAKE.id, 1, 8, -1)
                           + b"\0\5" + SECRET)
        told += [str(broker.state()), json.dumps(broker.state())]
    for text in told:
        assert SECRET.decode() not in text and "\x1b" not in text and "a" * 200 not in text


def test_a_hostile_client_id_is_escaped_and_cut() -> None:
    with Broker() as broker, connect(broker) as connection, broker.hold_handlers() as hold:
        connection.sendall(api_versions(HOSTILE, tail=SECRET))
        hold.wait()
        for text in (str(broker.state()), json.dumps(broker.state())):
            assert "[31mred" in text and "(10009 characters)" in text
            assert SECRET.decode() not in text and "\x1b" not in text and "a" * 200 not in text
        assert not any(line.startswith("a") for line in str(broker.state()).splitlines())


def test_no_lock_of_the_broker_is_taken() -> None:
    with Broker() as broker:
        server = broker.server()
        socket_server = server.socket_server()
        acceptor, = socket_server._data_plane_acceptors.values()
        queue: Any = socket_server.data_plane_request_channel._request_queue
        locks = (broker._lock, socket_server._lock, acceptor._lock, acceptor._flag_lock, queue.mutex,
                 server.replica_manager().delayed_fetch_purgatory._watcher_lists[0]._watchers_lock)
        states: list[State] = []
        for lock in locks:
            lock.acquire()
        try:
            thread = threading.Thread(target=lambda: states.append(broker.state()), daemon=True)
            thread.start()
            thread.join(60)
        finally:
            for lock in locks:
                lock.release()
        assert states and states[0]["status"] == "RUNNING"


def test_a_container_that_changes_during_the_copy() -> None:
    class Changing(dict[int, int]):
        reads = 0

        def __iter__(self) -> Any:
            Changing.reads += 1
            if Changing.reads < 3:
                raise RuntimeError("dictionary changed size during iteration")
            return super().__iter__()

    assert _copy(lambda: Changing({1: 2})) == [1] and Changing.reads == 3

    def always() -> list[int]:
        raise RuntimeError("dictionary changed size during iteration")

    assert _copy(always) == []


def test_a_stopped_broker_has_no_state() -> None:
    with Broker() as broker:
        broker.stop()
        with pytest.raises(IllegalStateException, match="does not run"):
            broker.state()


def get(control: Control, path: str, token: str | None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(control.host, control.port, timeout=60)
    try:
        connection.request("GET", path, headers={} if token is None else {"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_the_control_port_behind_its_authentication() -> None:
    with Broker() as broker, Control(broker, token="long-token") as control, connect(broker):
        only_channel(broker)
        for path in ("/state", "/threads", "/state?format=text"):
            assert get(control, path, None)[0] == get(control, path, "wrong")[0] == 401
        status, body = get(control, "/state", "long-token")
        assert status == 200 and json.loads(body)["listeners"][0]["port"] == broker.port
        status, body = get(control, "/state?format=text", "long-token")
        assert status == 200 and body.startswith(b"Broker: RUNNING\nThreads:\n")
        status, body = get(control, "/threads", "long-token")
        assert status == 200 and any("kafka-request-handler" in each["name"] for each in json.loads(body))


def test_a_broker_in_another_process() -> None:
    with Broker(process=True) as broker, connect(broker) as connection:
        connection.sendall(api_versions()[:9])
        wait_until(lambda: only_channel(broker)["receive"] == "9/20")
        assert str(broker.state()).startswith("Broker: RUNNING\n")
        with pytest.raises(IllegalStateException, match="another process"):
            broker.hold_handlers()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGQUIT")
def test_a_thread_dump_has_the_state() -> None:
    read_fd, write_fd = os.pipe()
    with open(read_fd, encoding="utf-8") as reader, Broker() as broker:
        with thread_dumps(write_fd):
            os.kill(os.getpid(), signal.SIGQUIT)
            lines = []
            while not (lines and lines[-1].startswith("Purgatory ")):
                lines.append(reader.readline())
                assert lines[-1], "the dump ended"
        os.close(write_fd)
        assert any(line.startswith("Full thread dump kreactor") for line in lines)
        assert f"Listener PLAINTEXT on port {broker.port}: 0 throttled sockets\n" in lines
