# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in the test's process: its life, and what a test sees of it."""

from __future__ import annotations

import gc
import os
import re
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress import codecs
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import (
    InvalidTopicException,
    TopicExistsException,
    UnknownTopicOrPartitionException,
    UnsupportedCompressionTypeException,
)
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.embedded.storage import Storage
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.extras import install_command, needs
from kreactor.testing import Broker, Record
from kreactor.testing import broker as broker_module
from tests.clients.client import Client
from tests.clients.client import Record as Written
from tests.clients.clients import CLIENTS
from tests.core.server.wire import Closed, Wire

ROOT = Path(__file__).parents[2]
TOPIC = "topic"

# A client leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={TOPIC: 2}) as broker:
        yield broker


def wire(broker: Broker) -> Wire:
    return Wire(broker.host, broker.port)


def ask(connection: Wire) -> None:
    """Have a request answered."""
    assert connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()).error_code == 0


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code, *args], cwd=ROOT, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)


# -- life ------------------------------------------------------------------------------------------


def test_what_it_says_of_itself(broker: Broker) -> None:
    assert broker.bootstrap_servers == f"{broker.host}:{broker.port}" == f"127.0.0.1:{broker.port}"
    assert broker.is_running() and broker.partitions == 1
    assert broker.port_of("PLAINTEXT") == broker.port
    config = broker.server().config()
    for name, value in broker_module.DEFAULT_PROPERTIES.items():
        assert str(config.values()[name]) == value, f"{name} is not known to Kafka"


def test_nothing_is_left() -> None:
    with Broker(topics=[TOPIC]) as broker:
        folder, port = broker.folder, broker.port
        assert folder is not None and os.path.isdir(folder)
        with wire(broker) as connection:
            ask(connection)
    assert not os.path.exists(folder) and broker.folder is None and not broker.is_running()
    with socket.socket() as free:
        free.bind((broker.host, port))
    broker.close()


def test_a_broker_that_has_stopped_keeps_none_of_its_parts() -> None:
    with Broker(topics=[TOPIC]) as broker:
        first = weakref.ref(broker.server())
        broker.restart()
        second = weakref.ref(broker.server())
    gc.collect()
    assert broker.folder is None and first() is None and second() is None


def test_in_memory_where_there_is_room(broker: Broker) -> None:
    parent = broker_module._parent_folder()
    assert broker.folder is not None
    assert parent is None or broker.folder.startswith(parent)


def test_the_systems_folder_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_module, "_ENOUGH_BYTES", 1 << 62)
    assert broker_module._parent_folder() is None
    monkeypatch.setattr(broker_module, "_SHARED_MEMORY", "/there is none")
    assert broker_module._parent_folder() is None


def test_several_at_once() -> None:
    with Broker(topics=["a"]) as first, Broker(topics=["b"]) as second, Broker() as third:
        assert len({each.port for each in (first, second, third)}) == 3
        assert (first.topics(), second.topics(), third.topics()) == ({"a": {0: 0}}, {"b": {0: 0}}, {})
        with wire(first) as connection:
            ask(connection)
        assert len(first.requests()) == 1 and not second.requests()


def test_properties() -> None:
    with Broker(properties={"message.max.bytes": 1234, "auto.create.topics.enable": False}) as broker:
        config = broker.server().config()
        assert config.message_max_bytes() == 1234 and not config.auto_create_topics_enable()


def test_a_listener_of_ones_own() -> None:
    with Broker(properties={"listeners": "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0",
                            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
                            "inter.broker.listener.name": "INSIDE"}) as broker:
        ports = broker.port_of("INSIDE"), broker.port_of("OUTSIDE")
        assert broker.port == ports[0] != ports[1]
        broker.restart()
        assert (broker.port_of("INSIDE"), broker.port_of("OUTSIDE")) == ports


def test_one_that_cannot_start_leaves_nothing() -> None:
    broker = Broker(properties={"num.io.threads": "0"})
    with pytest.raises(Exception, match="num.io.threads"):
        broker.start()
    assert broker.folder is None and not broker.is_running()
    with pytest.raises(InvalidTopicException), Broker(topics=["no/topic"]):
        raise AssertionError


def test_calls_on_one_that_does_not_run() -> None:
    broker = Broker()
    for call in (broker.kill, broker.pause, broker.resume, broker.topics, broker.server):
        with pytest.raises(IllegalStateException):
            call()
    broker.stop()
    with broker, pytest.raises(IllegalStateException):
        broker.start()


def test_one_that_nobody_closes_does_not_keep_the_process() -> None:
    done = run("from kreactor.testing import Broker; print(Broker(topics=['t']).start().folder)")
    assert (done.returncode, done.stderr) == (0, "")
    assert not os.path.exists(done.stdout.strip())


def test_pytest_loads_no_broker() -> None:
    done = run("import sys, kreactor.testing.pytest_plugin\n"
               "print([name for name in sys.modules if 'kreactor.' in name and 'testing' not in name])")
    assert done.stdout == "[]\n", done.stderr


def test_its_threads_make_no_logger() -> None:
    """pytest walks over all loggers before each step of a test, and fails if one comes in meanwhile."""
    done = run("""if True:
        import logging, threading, warnings
        from kreactor.testing import Broker

        made = []
        get_logger = logging.Manager.getLogger

        def watched(self, name):
            if name not in self.loggerDict and threading.current_thread() is not threading.main_thread():
                made.append(name)
            return get_logger(self, name)

        logging.Manager.getLogger = watched
        warnings.simplefilter("ignore")  # kafka-python reads its schemas in an outdated way
        from kafka import KafkaConsumer, KafkaProducer
        with Broker(topics=["topic"]) as broker:
            with KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
                producer.send("topic", b"value").get(60)
            with KafkaConsumer("topic", group_id="group", bootstrap_servers=broker.bootstrap_servers,
                               auto_offset_reset="earliest") as consumer:
                assert next(consumer).value == b"value"
            broker.delete_topic("topic")
        print([name for name in made if not name.startswith("kafka.")])
        """)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_no_pytest_is_needed() -> None:
    done = run("import sys\nsys.modules['pytest'] = None\nfrom kreactor.testing import Broker\n"
               "with Broker(): print('runs')")
    assert done.stdout == "runs\n", done.stderr


# -- stop, kill, restart ---------------------------------------------------------------------------


@pytest.mark.parametrize("each", CLIENTS)
def test_restart(each: type[Client], broker: Broker) -> None:
    port = broker.port
    for round, stop in enumerate((broker.restart, broker.kill, broker.stop, broker.kill)):
        each(broker.bootstrap_servers).produce(TOPIC, [Written(0, b"key", b"%d" % round)])
        stop()
        if not broker.is_running():
            broker.restart()
    assert broker.port == port
    read = each(broker.bootstrap_servers).read(TOPIC, [0])
    assert [record.value for record in read] == [b"0", b"1", b"2", b"3"]


def test_kill_resets_connections_and_marks_nothing_clean(broker: Broker) -> None:
    with wire(broker) as busy, wire(broker) as idle:
        ask(busy)
        ask(idle)
        folder = broker.folder
        assert folder is not None
        broker.kill()
        for connection in (busy, idle):
            with pytest.raises(ConnectionResetError):
                connection.socket.recv(1)
    assert not os.path.exists(os.path.join(folder, ".kafka_cleanshutdown"))
    assert not broker.is_running()
    with pytest.raises(ConnectionRefusedError):
        wire(broker)
    broker.restart()
    with wire(broker) as connection:
        ask(connection)
    broker.stop()
    assert os.path.exists(os.path.join(folder, ".kafka_cleanshutdown"))


def test_the_port_is_kept_while_it_is_away(broker: Broker) -> None:
    broker.kill()
    with socket.socket() as other:
        with pytest.raises(OSError):
            other.bind((broker.host, broker.port))
    broker.restart()


# -- pause -----------------------------------------------------------------------------------------


def test_pause(broker: Broker) -> None:
    with wire(broker) as known:
        ask(known)
        broker.pause()
        try:
            before = len(broker.requests())
            # The kernel lets it in, as that of a stopped process does.
            with wire(broker) as new:
                ids = [connection.send(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
                       for connection in (known, new)]
                for connection in (known, new):
                    connection.socket.settimeout(0.05)
                    with pytest.raises(TimeoutError):
                        connection.socket.recv(1)
                    connection.socket.settimeout(120)
                assert len(broker.requests()) == before
                broker.resume()
                for connection, id in zip((known, new), ids):
                    connection.receive(ApiKeys.API_VERSIONS, 0, id)
        finally:
            broker.resume()


@pytest.mark.parametrize("ending", ["close", "kill", "restart"])
def test_a_pause_may_be_the_end(ending: str) -> None:
    with Broker() as broker, wire(broker) as connection:
        ask(connection)
        broker.pause()
        getattr(broker, ending)()
        with pytest.raises((Closed, ConnectionError)):
            ask(connection)


@pytest.mark.parametrize("each", CLIENTS)
def test_clients_wait_for_the_end_of_a_pause(each: type[Client], broker: Broker) -> None:
    broker.pause()
    resume = threading.Timer(0.2, broker.resume)
    resume.start()
    try:
        each(broker.bootstrap_servers).produce(TOPIC, [Written(0, b"key", b"value")])
    finally:
        resume.join()
    assert [record.value for record in broker.records(TOPIC)] == [b"value"]


# -- inspection ------------------------------------------------------------------------------------


def test_a_topic_that_is_deleted_while_it_is_looked_at(broker: Broker,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Storage, "partition_log", lambda *_: None)
    for look in (broker.records, broker.end_offsets):
        with pytest.raises(UnknownTopicOrPartitionException):
            look(TOPIC)


@pytest.mark.parametrize("each", CLIENTS)
def test_records_as_they_were_written(each: type[Client], broker: Broker) -> None:
    for codec in ("none", "gzip", "zstd"):
        each(broker.bootstrap_servers).produce(
            TOPIC, [Written(1, b"key", codec.encode(), (("header", b"1"),))], codec=codec)
    records = broker.records(TOPIC)
    assert records == [
        # Not all clients let one say the time.
        Record(1, offset, records[offset].timestamp_ms, b"key", value, (("header", b"1"),))
        for offset, value in enumerate([b"none", b"gzip", b"zstd"])]
    assert broker.records(TOPIC, 0) == [] and len(broker.records(TOPIC, 1)) == 3
    assert broker.end_offsets(TOPIC) == {0: 0, 1: 3}
    assert broker.topics()[TOPIC] == {0: 0, 1: 3}
    with pytest.raises(UnknownTopicOrPartitionException):
        broker.records("another")


def test_topics_come_and_go(broker: Broker) -> None:
    broker.create_topic("new", 3, {"retention.ms": 1000})
    assert broker.end_offsets("new") == {0: 0, 1: 0, 2: 0}
    with pytest.raises(TopicExistsException):
        broker.create_topic("new")
    broker.delete_topic("new")
    assert list(broker.topics()) == [TOPIC]
    with pytest.raises(UnknownTopicOrPartitionException):
        broker.delete_topic("new")


@pytest.mark.parametrize("each", CLIENTS)
def test_requests(each: type[Client], broker: Broker) -> None:
    each(broker.bootstrap_servers).produce(TOPIC, [Written(1, b"key", b"value")])
    produce, = broker.requests(api="Produce")
    assert produce.api == "Produce" and produce.api_key is ApiKeys.PRODUCE
    assert produce.client_id == produce.header.client_id() and produce in broker.requests(produce.client_id)
    assert produce.body.topic_data[0].name == TOPIC
    assert produce.body.topic_data[0].partition_data[0].index == 1
    answer = broker.wait_for(lambda: produce.answer)
    assert answer.kind == "response" and answer.size > 4 and answer.errors == () and answer.error is None
    assert answer.time_ms >= produce.time_ms
    broker.forget_requests()
    assert not broker.requests(api="Produce")
    with pytest.raises(ValueError, match="no API produce"):
        broker.requests(api="produce")


def test_errors_of_an_answer(broker: Broker) -> None:
    with wire(broker) as connection:
        connection.ask(ApiKeys.METADATA, 1, MetadataRequestData(topics=[
            MetadataRequestData.MetadataRequestTopic(name="no topic")]))
    request, = broker.requests(client_id="wire", api=ApiKeys.METADATA)
    assert request.answer is not None and request.answer.error == "INVALID_TOPIC_EXCEPTION"
    assert "Metadata v1 of 'wire', answer: INVALID_TOPIC_EXCEPTION" in repr(request)


def test_the_oldest_requests_go() -> None:
    with Broker(max_requests=3) as broker, wire(broker) as connection:
        for _ in range(5):
            ask(connection)
        assert [request.header.correlation_id() for request in broker.requests()] == [3, 4, 5]


def test_waiting(broker: Broker) -> None:
    with wire(broker) as connection:
        asker = threading.Timer(0.05, lambda: ask(connection))
        asker.start()
        assert len(broker.wait_for(lambda: broker.requests("wire"))) == 1
        asker.join()
        with pytest.raises(TimeoutError, match="ApiVersions v0 of 'wire'"):
            broker.wait_for(lambda: len(broker.requests()) > 1, 0.01)


def test_connections(broker: Broker) -> None:
    with wire(broker) as first, wire(broker) as second:
        broker.wait_for(lambda: list(broker.connections().values()) == [None, None])
        first.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData(), client_id="first")
        second.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData(), client_id="second")
        assert sorted(map(str, broker.connections().values())) == ["first", "second"]
        broker.disconnect("first")
        assert list(broker.connections().values()) == ["second"]
        with pytest.raises(Closed):
            ask(first)
        ask(second)
        broker.disconnect()
        with pytest.raises(Closed):
            ask(second)
    assert not broker.connections()


@pytest.mark.parametrize(("compression", "module", "package"), [
    (Compression.lz4(), "lz4.block", "lz4"),
    (Compression.snappy(), "kreactor.jdk.snappy_blocks", "python-snappy"),
    (Compression.zstd(), "zstandard", "zstandard")], ids=["lz4", "snappy", "zstd"])
def test_records_that_need_a_package_that_is_missing(
        broker: Broker, monkeypatch: pytest.MonkeyPatch, compression: Compression.Builder[Compression],
        module: str, package: str) -> None:
    records = MemoryRecords.with_records(compression.build(), SimpleRecord(value=b"value"))
    with wire(broker) as connection:
        answer = connection.ask(ApiKeys.PRODUCE, 8, ProduceRequestData(
            acks=-1, timeout_ms=60_000, topic_data=[
                ProduceRequestData.TopicProduceData(name=TOPIC, partition_data=[
                    ProduceRequestData.PartitionProduceData(index=0, records=records)])]))
    assert answer.responses[0].partition_responses[0].error_code == 0
    assert [record.value for record in broker.records(TOPIC)] == [b"value"]
    monkeypatch.setattr(codecs, "_MODULES", {})
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnsupportedCompressionTypeException) as raised:
        broker.records(TOPIC)
    assert str(raised.value).endswith(needs(f"by the package {package},", "compression"))


@pytest.mark.parametrize(("arguments", "error", "why"), [
    ({"tls": "maybe"}, ValueError, "tls='maybe': must be False, True or \"mutual\""),
    ({"tls": 2}, ValueError, "tls=2: must be"),
    ({"topics": 5}, TypeError, "topics: 5 is neither names nor a mapping of names to partitions"),
    ({"users": {"alice": "x"}}, ValueError, "users: need a mechanism"),
    ({"sasl": "KERBEROS"}, ValueError, "the mechanisms are PLAIN, SCRAM-SHA-256"),
], ids=str)
@pytest.mark.parametrize("process", [False, True])
def test_arguments_that_make_no_sense(
        arguments: dict[str, Any], error: type[Exception], why: str, process: bool) -> None:
    with pytest.raises(error, match=re.escape(why)):
        Broker(process=process, **arguments)


def test_tls_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that failed leaves nothing behind."""
    for name in ("cryptography", "kreactor.testing.tls", "kreactor.testing.certificates"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    broker = Broker(tls=True)
    with pytest.raises(ImportError, match=re.escape(install_command("tls"))):
        broker.start()
    broker.close()
