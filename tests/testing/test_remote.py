# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in a process of its own, by the calls of one in this process."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    InvalidTopicException,
    TopicExistsException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, Close, Delay, Error, MockTime, SlowReader, Split
from kreactor.testing.control import Control
from kreactor.testing.remote import Connection, ProcessBroker, RemoteBroker
from tests.clients.kafka_python_client import KafkaConsumer, KafkaProducer
from tests.core.server.wire import Closed, Wire

ROOT = Path(__file__).parents[2]
TOPIC = "topic"

# A client leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


@pytest.fixture(scope="module")
def shared() -> Iterator[Broker]:
    with Broker(topics={TOPIC: 2}, process=True) as broker:
        yield broker


@pytest.fixture
def broker(shared: Broker) -> Broker:
    if not shared.is_running():
        shared.start()
    shared.reset()
    return shared


def test_it_is_in_another_process(broker: Broker) -> None:
    assert isinstance(broker, ProcessBroker) and broker.pid() != os.getpid()
    assert broker.folder is not None and os.path.isdir(broker.folder)
    for call in (broker.server, lambda: broker.port_of("PLAINTEXT")):
        with pytest.raises(IllegalStateException, match="in another process"):
            call()


@pytest.mark.parametrize("value", [
    2**63, -2**63 - 1, 10**5000, float("nan"), float("inf"), 1e308, 1.5, True, "\ud800", [[[]]], {"a": 1},
    b"x"], ids=lambda value: type(value).__name__)
def test_values_that_no_call_takes(broker: Broker, value: Any) -> None:
    calls: list[tuple[str, Callable[[], object]]] = [
        ("timestamp_ms", lambda: broker.produce(TOPIC, "v", timestamp_ms=value)),
        ("partition", lambda: broker.produce(TOPIC, "v", partition=value)),
        ("count", lambda: broker.consume(TOPIC, value, timeout_s=0)),
        ("partition", lambda: broker.consume(TOPIC, partition=value, timeout_s=0)),
        ("partition", lambda: broker.records(TOPIC, value)),
        ("ms", lambda: broker.faults.add(Delay(value))),
        ("size", lambda: broker.faults.add(Split(value))),
        ("first", lambda: broker.faults.add(Close(), first=value)),
        ("drain_ms", lambda: broker.stop(value))]
    for name, call in calls:
        with pytest.raises((ValueError, TypeError)) as e:
            call()
        assert name in str(e.value) and len(str(e.value)) < 1000
    assert broker.is_running() and broker.records(TOPIC) == []


def test_an_answer_that_is_not_that_of_a_control_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(OSError, match="the answer is not JSON"):
            RemoteBroker(f"http://127.0.0.1:{server.getsockname()[1]}")
        thread.join()


def test_records_and_topics(broker: Broker) -> None:
    made = broker.produce(TOPIC, "text", b"\xff", None, key=b"\xfe", partition=1,
                          headers=[("h", b"\xff"), ("h", None)], timestamp_ms=5)
    assert made == broker.records(TOPIC) == broker.consume(TOPIC, 3) and broker.consume(TOPIC) == []
    assert made[1].value == b"\xff" and made[1].headers == (("h", b"\xff"), ("h", None))
    assert broker.topics() == {TOPIC: {0: 0, 1: 3}} and broker.end_offsets(TOPIC) == {0: 0, 1: 3}
    broker.create_topic("name", 3, {"retention.ms": 7})
    broker.delete_topic("name")
    broker.assert_records(TOPIC, made)
    with pytest.raises(AssertionError, match="-b'other'"):
        broker.assert_records(TOPIC, ["other"])
    with pytest.raises(TimeoutError, match="topic topic has 0 new records after 0.01 s, not 1"):
        broker.consume(TOPIC, 1, timeout_s=0.01)


def test_seeds(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "seeds.json").write_text('{"topics": {"s": {"partitions": 2, "configs": {"retention.ms": 1},'
                                         ' "records": [{"key": "k", "json": [1], "partition": 1}, "v"]}}}')
    broker.load(tmp_path / "seeds.json")
    first, second = broker.records("s", partition=1)
    assert first.json() == [1] and second.value == b"v"
    assert broker.end_offsets("s") == {0: 0, 1: 2}


def test_what_is_wrong_is_raised_here(broker: Broker) -> None:
    with pytest.raises(UnknownTopicOrPartitionException, match="no topic other"):
        broker.records("other")
    with pytest.raises(UnknownTopicOrPartitionException):
        broker.end_offsets("other")
    with pytest.raises(InvalidTopicException):
        broker.create_topic("no/topic")
    with pytest.raises(TopicExistsException):
        broker.create_topic(TOPIC)
    with pytest.raises(ValueError, match="partition=7: topic topic has 2 partitions"):
        broker.produce(TOPIC, "v", partition=7)
    with pytest.raises(ValueError, match="Kafka has no error NONSENSE"):
        broker.faults.add(Error("NONSENSE"))
    with pytest.raises(ValueError, match="a predicate cannot be sent to the broker's process"):
        broker.faults.add(Close(), when=lambda request: True)
    with pytest.raises(IllegalStateException, match="the real time"):
        broker._ask("POST", "/time", {"advance_ms": 1})  # type: ignore[attr-defined]
    with Broker() as other, pytest.raises(ValueError, match="not of this broker"):
        broker.restore(other.snapshot())


def test_requests_and_faults(broker: Broker) -> None:
    with broker.faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Produce", first=1) as rule:
        producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, client_id="me",
                                 retry_backoff_ms=1)
        producer.send(TOPIC, b"v").get(60)
        assert rule.hits == 1
        assert set(broker.connections().values()) == {"me"}
        broker.disconnect("me")
        producer.close()
    first, *_ = broker.requests("me", "Produce")
    assert first.answer is not None and first.answer.error == "NOT_LEADER_OR_FOLLOWER"
    assert first.faults == (Error("NOT_LEADER_OR_FOLLOWER"),) and first.header.client_id() == "me"
    assert first.body.topic_data[0].name == TOPIC  # type: ignore[attr-defined]
    broker.forget_requests()
    assert broker.requests() == []
    broker.faults.add(SlowReader(1, 1))
    broker.faults.add(Close(handled=False))
    with Wire(broker.host, broker.port) as connection, pytest.raises(Closed):
        connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
    broker.faults.clear()
    with Wire(broker.host, broker.port) as connection:
        connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())


def test_groups(broker: Broker) -> None:
    broker.produce(TOPIC, "v", partition=0)
    consumer = KafkaConsumer(TOPIC, group_id="group", bootstrap_servers=broker.bootstrap_servers,
                             auto_offset_reset="earliest")
    while not consumer.poll(1000):
        pass
    consumer.commit()
    group = broker.wait_group_stable("group", 1)
    assert group.offsets[TOPIC][0] == 1 and group.members[0].assignment == {TOPIC: [0, 1]}
    assert broker.lag("group")[TOPIC][0] == 0
    consumer.close()


def test_waiting(broker: Broker) -> None:
    thread = threading.Thread(target=broker.produce, args=(TOPIC, "v"))
    thread.start()
    assert broker.wait_for(lambda: broker.records(TOPIC), 60)
    thread.join()
    with pytest.raises(TimeoutError, match="not within 0.01 s"):
        broker.wait_for(lambda: False, 0.01)

    async def wait() -> object:
        waiting = asyncio.ensure_future(broker.wait_for_async(lambda: len(broker.records(TOPIC)) == 2, 60))
        await asyncio.sleep(0)
        broker.produce(TOPIC, "w")
        return await waiting

    assert asyncio.run(wait())


def test_stop_kill_pause_and_snapshots(broker: Broker) -> None:
    port = broker.port
    broker.produce(TOPIC, "kept", partition=0)
    snapshot = broker.snapshot()
    for end in (broker.stop, broker.kill):
        end()
        assert not broker.is_running()
        with pytest.raises(ConnectionRefusedError):
            Wire(broker.host, port)
        with pytest.raises(IllegalStateException, match="does not run"):
            broker.produce(TOPIC, "v")
        broker.start()
        broker.produce(TOPIC, "lost")
    broker.pause()
    broker.resume()
    broker.restore(snapshot)
    assert [record.value for record in broker.records(TOPIC)] == [b"kept"] and broker.port == port


def test_a_clock_of_the_tests() -> None:
    clock = MockTime(current_time_ms=1_000_000)
    with Broker(process=True, time=clock) as broker:
        clock.advance(5)
        assert broker.produce(TOPIC, "v")[0].timestamp_ms == 1_000_005
        broker.restart()
        clock.advance(5)
        assert broker.produce(TOPIC, "v")[0].timestamp_ms == 1_000_010
    clock.advance(5)


def test_tls_and_sasl() -> None:
    with Broker(process=True, tls=True, sasl="SCRAM-SHA-256", users={"a": "b"}, topics=[TOPIC]) as broker:
        producer = KafkaProducer(**broker.client_config("kafka-python"))
        producer.send(TOPIC, b"v").get(60)
        producer.close()
        assert broker.tls.ssl_context() and len(broker.consume(TOPIC, 1)) == 1 and broker.groups() == {}
        ca = broker.tls.ca
    assert not os.path.exists(ca)


def test_one_that_cannot_start_leaves_nothing() -> None:
    broker = Broker(process=True, properties={"num.io.threads": 0})
    with pytest.raises(ConfigException, match="num.io.threads"):
        broker.start()
    with pytest.raises(ValueError, match="users: need a mechanism"):
        Broker(process=True, users={"a": "b"})
    with pytest.raises(TypeError):
        Broker(process=True, nonsense=1)  # type: ignore[call-arg]


def test_calls_on_one_that_does_not_run() -> None:
    broker = Broker(process=True)
    for call in (broker.kill, broker.pause, broker.resume, broker.topics, broker.reset):
        with pytest.raises(IllegalStateException, match="does not run"):
            call()
    broker.stop()
    broker.close()
    assert not broker.is_running() and broker.folder is None


def test_nothing_is_left() -> None:
    with Broker(process=True) as broker:
        assert isinstance(broker, ProcessBroker)
        folder, pid = broker.folder, broker.pid()
        assert folder is not None
    broker.close()
    assert not os.path.exists(folder) and not psutil.pid_exists(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_ends_with_its_parent(number: int) -> None:
    code = ("import sys, time\nfrom kreactor.testing import Broker\nb = Broker(process=True).start()\n"
            "print(b.pid(), b.folder, flush=True)\ntime.sleep(600)")
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}) as parent:
        assert parent.stdout is not None
        pid, folder = parent.stdout.readline().split()
        child = psutil.Process(int(pid))
        parent.send_signal(number)
        parent.wait()
    child.wait(60)
    assert not os.path.exists(folder)


def test_a_child_that_dies_is_told_of() -> None:
    with Broker(process=True) as broker:
        assert isinstance(broker, ProcessBroker)
        folder = broker.folder
        os.kill(broker.pid(), signal.SIGKILL)
        with pytest.raises(OSError):
            while True:
                broker.topics()
    # The next broker of this user removes it.
    with Broker(process=True):
        assert folder is not None and not os.path.exists(folder)


def test_a_signal_to_the_group_of_a_terminal_leaves_the_child_to_its_parent() -> None:
    with Broker(process=True) as broker:
        assert isinstance(broker, ProcessBroker)
        os.kill(broker.pid(), signal.SIGINT)
        child = broker._child
    assert child is not None and child.returncode == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeoutError, http.client.BadStatusLine])
def test_a_request_that_is_interrupted_closes_its_connection(
        monkeypatch: pytest.MonkeyPatch, error: type[BaseException]) -> None:
    closed = []

    class Interrupted(http.client.HTTPConnection):
        def request(self, *_: object, **__: object) -> None:
            raise error("of the test")

        def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr(http.client, "HTTPConnection", Interrupted)
    with pytest.raises(OSError if error is http.client.BadStatusLine else error):
        Connection("http://127.0.0.1:1", None).ask("GET", "/")
    assert closed == [True]


def test_no_request_lasts_longer_than_the_wait_that_it_is_for(
        broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(broker, ProcessBroker)
    changes, asked = broker._changes, []

    def ask(timeout_ms: int, after: int | None = None) -> int:
        asked.append(timeout_ms)
        return changes(timeout_ms, after)

    monkeypatch.setattr(broker, "_changes", ask)
    for wait in (lambda: broker.wait_for(lambda: False, 0.2),
                 lambda: asyncio.run(broker.wait_for_async(lambda: False, 0.2))):
        asked.clear()
        with pytest.raises(TimeoutError):
            wait()
        assert 0 < max(asked) <= 200


def test_any_control_port() -> None:
    with Broker(topics=[TOPIC]) as inner:
        control = Control(inner, token="a-token-of-mine")
        try:
            with RemoteBroker(control.url, "a-token-of-mine") as remote:
                remote.produce(TOPIC, "v")
                assert inner.records(TOPIC) == remote.records(TOPIC)
            with pytest.raises(OSError, match="Authorization"):
                RemoteBroker(control.url, "another-token")
        finally:
            control.close()
        with pytest.raises(ConnectionRefusedError):
            RemoteBroker(control.url)
        assert inner.is_running()
    for url in ("https://127.0.0.1:1", "127.0.0.1:1", "http://127.0.0.1", "http://127.0.0.1:1/path"):
        with pytest.raises(ValueError, match="not an address such as"):
            RemoteBroker(url)
