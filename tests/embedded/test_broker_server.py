# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ServerStartupTest and KafkaServerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A whole broker: that it starts or leaves nothing open, that it answers before it stops, what it keeps."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.cluster.end_point import EndPoint
from kreactor.embedded.broker_server import BrokerServer
from kreactor.embedded.data_folder import CLEAN_SHUTDOWN_FILE, DataFolderLockedException
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.metadata.broker_state import BrokerState
from tests.core.server.broker_requests import (
    ask,
    create_topic,
    fetch,
    fetch_data,
    metric,
    produce,
    produce_data,
    values_of,
)
from tests.core.server.brokers import HOST, connect, new_broker
from tests.core.server.wire import Closed, Wire
from tests.stepping import Background, stopped_at, wait_until


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path) as broker:
        yield broker


def gauge(broker: BrokerServer, name: str) -> Any:
    return metric(broker, f"kafka.server:type=KafkaServer,name={name}")


def begin(broker: BrokerServer, api: ApiKeys, version: int, data: Any) -> Wire:
    """Send a request on a connection of its own; return the connection."""
    wire = connect(broker)
    wire.send(api, version, data)
    return wire


def waiting_fetches(broker: BrokerServer) -> int:
    return broker.replica_manager().delayed_fetch_purgatory.watched()


# -- start -----------------------------------------------------------------------------------------


def test_broker_state_running_after_zk(tmp_path: Path) -> None:
    """Though there is no ZooKeeper: the states in order, as users see them by the gauge."""
    broker = new_broker(tmp_path)
    assert broker.broker_state() is BrokerState.NOT_RUNNING
    with stopped_at(broker, "_start_parts") as stop:
        start = Background(broker.startup)
        stop.wait()
        assert broker.broker_state() is BrokerState.STARTING
        stop.go()
        start.result()
    assert broker.broker_state() is BrokerState.RUNNING and gauge(broker, "BrokerState") == 3
    with stopped_at(broker, "_stop_parts") as stop:
        end = Background(broker.shutdown)
        stop.wait()
        assert broker.broker_state() is BrokerState.SHUTTING_DOWN and gauge(broker, "BrokerState") == 7
        stop.go()
        end.result()
    assert broker.broker_state() is BrokerState.NOT_RUNNING


def test_broker_self_aware(broker: BrokerServer) -> None:
    answer = ask(broker, ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
    port = broker.bound_port("PLAINTEXT")
    assert [(node.node_id, node.host, node.port) for node in answer.brokers] == [(1, HOST, port)]
    assert (answer.cluster_id, answer.controller_id) == (broker.cluster_id(), 1)
    assert broker.bound_port(ListenerName("PLAINTEXT")) == port
    assert gauge(broker, "ClusterId") == broker.cluster_id()
    assert gauge(broker, "yammer-metrics-count") == len(broker.metrics_registry().all_metrics()) > 100


def test_what_is_there_before_the_start(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    for ask_for in (broker.cluster_id, broker.metrics, broker.socket_server, broker.storage,
                    broker.replica_manager, broker.metadata_cache, broker.kafka_scheduler,
                    broker.broker_topic_stats, broker.data_plane_request_processor,
                    broker.data_plane_request_handler_pool, lambda: broker.bound_port("PLAINTEXT")):
        with pytest.raises(IllegalStateException, match="has not started"):
            ask_for()
    assert not os.listdir(tmp_path), "nothing was touched"
    assert broker.config().broker_id() == 1 and not broker.metrics_registry().all_metrics()
    broker.shutdown()
    assert broker.await_shutdown(0)


def test_a_broker_starts_once(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    broker.startup()
    try:
        with pytest.raises(IllegalStateException, match="was started before"):
            broker.startup()
        assert broker.broker_state() is BrokerState.RUNNING
        create_topic(broker)
    finally:
        broker.shutdown()
    with pytest.raises(IllegalStateException, match="was started before"):
        broker.startup()


def assert_it_starts(folder: Path) -> None:
    """Start and stop a broker there, where another has left nothing behind."""
    with new_broker(folder) as broker:
        ask(broker, ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())


def assert_fails(broker: BrokerServer, exception: type[Exception], match: str) -> None:
    """Start a broker that cannot; it is as if it never was."""
    threads = set(threading.enumerate())
    with pytest.raises(exception, match=match):
        broker.startup()
    assert broker.broker_state() is BrokerState.NOT_RUNNING
    assert not broker.metrics_registry().all_metrics()
    wait_until(lambda: set(threading.enumerate()) <= threads)
    broker.shutdown()


def test_conflict_broker_startup_with_same_port(tmp_path: Path, broker: BrokerServer) -> None:
    port = broker.bound_port("PLAINTEXT")
    folder = tmp_path / "other"
    other = new_broker(folder, {"listeners": f"PLAINTEXT://{HOST}:{port}"})
    assert_fails(other, KafkaException, "Address already in use")
    create_topic(broker)
    assert_it_starts(folder)


@pytest.mark.parametrize("name", ["non-a-class", "org.apache.kafka.common.replica.NoSelector",
                                  "kreactor.common.node.Node"])
def test_a_replica_selector_that_is_none(tmp_path: Path, name: str) -> None:
    broker = new_broker(tmp_path, {"replica.selector.class": name})
    assert_fails(broker, ConfigException, f"Invalid value {name} for configuration replica.selector.class: ")
    assert_it_starts(tmp_path)


def test_listener_port_already_in_use(tmp_path: Path) -> None:
    """The first listener has its port already, and lets it go."""
    with socket.create_server((HOST, 0)) as taken:
        broker = new_broker(tmp_path, {
            "listeners": f"PLAINTEXT://{HOST}:0,OTHER://{HOST}:{taken.getsockname()[1]}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OTHER:PLAINTEXT"})
        assert_fails(broker, KafkaException, "Address already in use")
        assert_it_starts(tmp_path)


def test_a_folder_that_another_has(tmp_path: Path, broker: BrokerServer) -> None:
    create_topic(broker)
    for _ in range(2):
        other = new_broker(tmp_path)
        assert_fails(other, DataFolderLockedException, "Failed to acquire lock on file .lock in")
    assert produce(broker, b"goes on") is Errors.NONE


def test_a_folder_that_another_process_has(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; from kreactor.embedded.data_folder import DataFolder\n"
         "folder = DataFolder.open(sys.argv[1]); print('locked', flush=True); sys.stdin.read()",
         str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == b"locked\n"
        assert_fails(new_broker(tmp_path), DataFolderLockedException, "in another process")
        child.stdin.close()
        child.wait(120)
    assert_it_starts(tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        assert_fails(new_broker(path), KafkaException, "The data folder .* cannot be used")


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*args: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr("kreactor.embedded.data_folder.write_atomically", read_only)
        assert_fails(new_broker(tmp_path), KafkaException, "cannot be used: Read-only file system")
    assert_it_starts(tmp_path)


def test_load_meta_properties_with_inconsistent_node_id(tmp_path: Path) -> None:
    assert_it_starts(tmp_path)
    assert_fails(new_broker(tmp_path, {"broker.id": "2"}), KafkaException,
                 "is that of node 1, and this is node 2")
    assert_it_starts(tmp_path)


def test_two_folders(tmp_path: Path) -> None:
    broker = new_broker(tmp_path, {"log.dirs": f"{tmp_path}/a,{tmp_path}/b"})
    assert_fails(broker, ConfigException, "names 2 folders")
    assert not os.listdir(tmp_path)


def test_a_default_that_is_not_kept(tmp_path: Path) -> None:
    assert_fails(new_broker(tmp_path, {"log.preallocate": "true"}), InvalidConfigurationException,
                 "does not support")
    assert_it_starts(tmp_path)


def test_a_list_of_topics_that_cannot_be_read(tmp_path: Path) -> None:
    """The broker does not start as if there were none."""
    with new_broker(tmp_path) as broker:
        create_topic(broker)
        produce(broker, b"acknowledged")
    topics = tmp_path / "topics.json"
    content = topics.read_bytes()
    topics.write_bytes(content[:-10])
    assert_fails(new_broker(tmp_path), KafkaException, "which holds the topics, cannot be read")
    topics.write_bytes(content)
    with new_broker(tmp_path) as broker:
        assert fetch(broker) == [b"acknowledged"]


# -- stop ------------------------------------------------------------------------------------------


def test_a_shutdown_during_the_start_waits_for_it(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    with stopped_at(broker, "_start_parts") as stop:
        start = Background(broker.startup)
        stop.wait()
        end = Background(broker.shutdown)
        stop.go()
        start.result()
        end.result()
    assert broker.broker_state() is BrokerState.NOT_RUNNING
    assert_it_starts(tmp_path)


def test_what_was_read_is_answered(tmp_path: Path) -> None:
    """Requests that handlers have, that are queued, and that wait; new connections are not taken."""
    with new_broker(tmp_path, {"num.io.threads": "1"}) as broker:
        create_topic(broker)
        port = broker.bound_port("PLAINTEXT")
        waits = begin(broker, ApiKeys.FETCH, 11, fetch_data(0, max_wait_ms=60_000))
        wait_until(lambda: waiting_fetches(broker) == 1)
        with stopped_at(broker.data_plane_request_processor(), "handle") as stop:
            handled = begin(broker, ApiKeys.PRODUCE, 9, produce_data(b"in hand"))
            stop.wait()
            queued = begin(broker, ApiKeys.PRODUCE, 9, produce_data(b"in line"))
            wait_until(lambda: metric(broker, "kafka.network:type=RequestChannel,name=RequestQueueSize") == 1)
            end = Background(broker.shutdown)
            wait_until(lambda: broker.broker_state() is BrokerState.SHUTTING_DOWN)
            stop.go()
            for wire in (handled, queued):
                answer: Any = wire.receive(ApiKeys.PRODUCE, 9, 1)
                assert answer.responses[0].partition_responses[0].error_code == 0
            answer = waits.receive(ApiKeys.FETCH, 11, 1)
            assert values_of(answer) in ([], [b"in hand"], [b"in hand", b"in line"])
            end.result()
        for wire in (handled, queued, waits):
            with pytest.raises(Closed):
                wire.receive_bytes()
            wire.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, port), timeout=120)
    with new_broker(tmp_path) as broker:
        assert fetch(broker) == [b"in hand", b"in line"]


def test_a_stop_while_many_fetches_wait(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with new_broker(tmp_path) as broker:
        create_topic(broker, partitions=2)
        produce(broker, b"a")
        wires = [begin(broker, ApiKeys.FETCH, 11,
                       fetch_data(number % 2, max_wait_ms=60_000, min_bytes=10_000))
                 for number in range(40)]
        wait_until(lambda: waiting_fetches(broker) == 40)
        broker.shutdown()
        assert "unanswered" not in caplog.text
        for number, wire in enumerate(wires):
            with wire:
                answer = wire.receive(ApiKeys.FETCH, 11, 1)
                assert values_of(answer) == ([b"a"] if number % 2 == 0 else [])
                with pytest.raises(Closed):
                    wire.receive_bytes()


def test_a_stop_without_a_drain(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    broker.startup()
    create_topic(broker)
    with begin(broker, ApiKeys.FETCH, 11, fetch_data(0, max_wait_ms=60_000)) as wire:
        wait_until(lambda: waiting_fetches(broker) == 1)
        broker.shutdown(0)
        with pytest.raises(Closed):
            wire.receive_bytes()
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()


def test_a_drain_takes_no_longer_than_it_may(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One handler does not come back in time; the others' clients are answered, and the broker stops."""
    broker = new_broker(tmp_path)
    broker.startup()
    create_topic(broker)
    with stopped_at(broker.metadata_cache(), "get_all_topics") as stop:
        stuck = begin(broker, ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
        stop.wait()
        end = Background(lambda: broker.shutdown(300))
        wait_until(lambda: "some requests got no response within 300 ms" in caplog.text)
        with pytest.raises(Closed):
            stuck.receive_bytes()
        stuck.close()
        stop.go()
        end.result()
    assert broker.broker_state() is BrokerState.NOT_RUNNING


def test_a_client_that_does_not_read_holds_up_no_stop(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    broker.startup()
    create_topic(broker, max_message_bytes=str(1 << 24))
    produce(broker, b"x" * 4_000_000)
    produce(broker, b"x" * 4_000_000)
    produce(broker, b"x" * 4_000_000)
    with begin(broker, ApiKeys.FETCH, 11, fetch_data()) as wire:
        wait_until(lambda: broker.broker_topic_stats().all_topics_stats.bytes_out_rate().count() > 0)
        broker.shutdown(200)
        with pytest.raises(Closed):
            wire.receive_bytes()
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()


def test_a_part_that_cannot_be_stopped_does_not_keep_the_others(tmp_path: Path,
                                                                caplog: pytest.LogCaptureFixture) -> None:
    broker = new_broker(tmp_path)
    broker.startup()
    create_topic(broker)
    replica_manager = broker.replica_manager()
    shutdown = replica_manager.shutdown

    def fail() -> None:
        shutdown()
        raise ValueError("no")

    replica_manager.shutdown = fail  # type: ignore[method-assign]
    broker.shutdown()
    assert any(record.exc_info is not None and isinstance(record.exc_info[1], ValueError)
               for record in caplog.records)
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
    assert_it_starts(tmp_path)


# -- several, and settings that change ---------------------------------------------------------------


def test_two_brokers_in_a_process(tmp_path: Path) -> None:
    with new_broker(tmp_path / "a") as a, new_broker(tmp_path / "b", {"broker.id": "2"}) as b:
        assert a.bound_port("PLAINTEXT") != b.bound_port("PLAINTEXT") and a.cluster_id() != b.cluster_id()
        create_topic(a)
        assert produce(a, b"of a") is Errors.NONE
        assert produce(b, b"of b") is Errors.UNKNOWN_TOPIC_OR_PARTITION
        create_topic(b)
        assert produce(b, b"of b", b"too") is Errors.NONE
        for broker, count in ((a, 1), (b, 2)):
            assert broker.broker_topic_stats().all_topics_stats.messages_in_rate().count() == count
            assert broker.replica_manager().config.broker_id() == broker.config().broker_id()
        waits = begin(b, ApiKeys.FETCH, 11, fetch_data(2, max_wait_ms=60_000))
        a.shutdown()
        assert not a.metrics_registry().all_metrics() and len(b.metrics_registry().all_metrics()) > 100
        assert produce(b, b"goes on") is Errors.NONE
        with waits:
            answer = waits.receive(ApiKeys.FETCH, 11, 1)
            assert values_of(answer) == [b"goes on"]
        assert fetch(b) == [b"of b", b"too", b"goes on"]


def test_advertised_listeners(tmp_path: Path) -> None:
    overrides = {"advertised.listeners": "PLAINTEXT://elsewhere:1234", "broker.rack": "r1"}
    with new_broker(tmp_path, overrides) as broker:
        def told() -> list[tuple[str, int, str]]:
            answer = ask(broker, ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
            return [(node.host, node.port, node.rack) for node in answer.brokers]

        assert told() == [("elsewhere", 1234, "r1")]
        broker.advertised_listeners_changed([
            EndPoint("moved", 0, ListenerName("PLAINTEXT"),
                     broker.config().listeners()[0].security_protocol())])
        assert told() == [("moved", broker.bound_port("PLAINTEXT"), "r1")]


def test_a_listener_on_all_addresses_is_told_by_a_name(tmp_path: Path) -> None:
    with new_broker(tmp_path, {"listeners": "PLAINTEXT://:0"}) as broker:
        answer = ask(broker, ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
        assert [(node.host, node.port) for node in answer.brokers] == [
            (socket.getfqdn(), broker.bound_port("PLAINTEXT"))]


def test_defaults_of_topics_are_those_of_the_moment(broker: BrokerServer) -> None:
    def segment_bytes(topic: str) -> int:
        create_topic(broker, topic)
        partition, = broker.storage().topics().topics()[topic].partitions()
        config = broker.replica_manager().get_log_config(partition)
        assert config is not None
        return config.segment_size

    assert segment_bytes("a") == 1 << 30
    broker.config().dynamic_config().update_broker_config(1, {"log.segment.bytes": "5000"})
    assert segment_bytes("b") == 5000
    broker.config().dynamic_config().update_broker_config(1, {})
    assert segment_bytes("c") == 1 << 30


# -- what is kept ----------------------------------------------------------------------------------


def test_producer_ids_never_come_twice(tmp_path: Path) -> None:
    seen = []
    for _ in range(3):
        with new_broker(tmp_path) as broker, connect(broker) as wire:
            for _ in range(3):
                answer = ask(wire, ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
                    transactional_id=None, transaction_timeout_ms=1000))
                assert answer.error_code == 0
                seen.append(answer.producer_id)
    assert len(set(seen)) == 9


def test_an_idempotent_producer_goes_on_after_a_restart(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        create_topic(broker)
        for sequence in range(3):
            assert produce(broker, b"%d" % sequence, producer_id=7, sequence=sequence) is Errors.NONE
    with new_broker(tmp_path) as broker:
        assert produce(broker, b"2", producer_id=7, sequence=2) is Errors.NONE, "a duplicate"
        assert produce(broker, b"4", producer_id=7, sequence=4) is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert produce(broker, b"3", producer_id=7, sequence=3) is Errors.NONE
        assert fetch(broker) == [b"0", b"1", b"2", b"3"]


def full(*args: Any, **kwargs: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                     caplog: pytest.LogCaptureFixture) -> None:
    """Writes are answered with an error, everything else goes on; when there is room again, writes do too."""
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        create_topic(broker)
        assert produce(wire, b"before") is Errors.NONE
        with monkeypatch.context() as patch:
            patch.setattr("kreactor.storage.internals.log.log_segment.LogSegment.append", full)
            patch.setattr("kreactor.embedded.json_file.write_atomically", full)
            for _ in range(3):
                assert produce(wire, b"refused", producer_id=7, sequence=0) is Errors.KAFKA_STORAGE_ERROR
            with connect(broker) as quiet:
                quiet.send(ApiKeys.PRODUCE, 9, produce_data(b"refused", acks=0))
                with pytest.raises(Closed):
                    quiet.receive_bytes()
            answer = ask(wire, ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=60_000, topics=[
                CreateTopicsRequestData.CreatableTopic(name="bar", num_partitions=1, replication_factor=1)]))
            assert Errors.for_code(answer.topics[0].error_code) is Errors.KAFKA_STORAGE_ERROR
            answer = ask(wire, ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
                transactional_id=None, transaction_timeout_ms=1000))
            assert Errors.for_code(answer.error_code) is Errors.KAFKA_STORAGE_ERROR
            assert fetch(wire) == [b"before"]
            answer = ask(wire, ApiKeys.LIST_OFFSETS, 5, ListOffsetsRequestData(replica_id=-1, topics=[
                ListOffsetsRequestData.ListOffsetsTopic(name="foo", partitions=[
                    ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=-1)])]))
            assert answer.topics[0].partitions[0].offset == 1
        assert caplog.text.count("an append failed: [Errno 28] No space left on device") == 1, "said once"
        assert produce(wire, b"after", producer_id=7, sequence=0) is Errors.NONE
        create_topic(wire, "bar")
        assert fetch(wire) == [b"before", b"after"]
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
    with new_broker(tmp_path) as broker:
        assert fetch(broker) == [b"before", b"after"]


def test_a_disk_that_does_not_confirm_a_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                              caplog: pytest.LogCaptureFixture) -> None:
    """Nobody knows what it has: the partition is offline, the broker goes on, and stops without the mark."""
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        create_topic(wire, "foo", flush_messages="1")
        create_topic(wire, "bar")
        assert produce(wire, b"durable") is Errors.NONE
        with monkeypatch.context() as patch:
            patch.setattr("kreactor.storage.internals.log.log_segment.LogSegment.flush", full)
            assert produce(wire, b"unsure") is Errors.KAFKA_STORAGE_ERROR
        assert produce(wire, b"refused") is Errors.KAFKA_STORAGE_ERROR
        assert produce(wire, b"bar", topic="bar") is Errors.NONE
        answer = ask(wire, ApiKeys.FETCH, 11, fetch_data())
        assert Errors.for_code(answer.responses[0].partitions[0].error_code) is Errors.KAFKA_STORAGE_ERROR
        answer = ask(wire, ApiKeys.METADATA, 9, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name="foo")]))
        partition, = answer.topics[0].partitions
        assert (Errors.for_code(partition.error_code), partition.leader_id, partition.offline_replicas) == (
            Errors.LEADER_NOT_AVAILABLE, -1, [1])
        assert "offline until the next start" in caplog.text
    assert not (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
    with new_broker(tmp_path) as broker:
        assert fetch(broker)[0] == b"durable"
        assert fetch(broker, "bar") == [b"bar"]
        assert produce(broker, b"again") is Errors.NONE


_LIMITED = """
import resource, sys
from pathlib import Path
from kreactor.common.protocol.errors import Errors
from tests.core.server.brokers import connect, new_broker
from tests.core.server.broker_requests import create_topic, fetch, produce
acknowledged = []
with new_broker(sys.argv[1]) as broker, connect(broker) as wire:
    create_topic(wire)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    for number in range(60):
        value = b"%03d" % number * 300
        error = produce(wire, value)
        if error is Errors.NONE:
            acknowledged.append(value)
        else:
            assert error is Errors.KAFKA_STORAGE_ERROR, error
    assert fetch(wire) == acknowledged
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert produce(wire, b"room") is Errors.NONE
with new_broker(sys.argv[1]) as broker:
    assert fetch(broker) == acknowledged + [b"room"]
print(len(acknowledged))
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="there is no limit of a file's size")
def test_a_limit_of_the_system_in_the_middle_of_a_write(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _LIMITED, str(tmp_path)], capture_output=True, text=True,
                          timeout=60, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert 10 < int(done.stdout) < 40


_FEW_DESCRIPTORS = """
import gc, os, resource, sys, threading, time
from kreactor.common.kafka_exception import KafkaException
from tests.core.server.brokers import new_broker
from tests.core.server.broker_requests import create_topic, fetch, produce

def state():
    deadline = time.monotonic() + 120
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.005)
    gc.collect()
    return sorted(os.listdir("/proc/self/fd")), threading.active_count()

with new_broker(sys.argv[1]) as broker:
    create_topic(broker)
    produce(broker, b"a")
before = state()
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
os.close(first := os.dup(0))
for more in range(100):
    broker = new_broker(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (first + more, hard))
    try:
        broker.startup()
        break
    except (KafkaException, OSError):
        pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    assert state() == before, more
assert fetch(broker) == [b"a"]
broker.shutdown()
print(more)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="nobody says what descriptors there are")
def test_a_start_with_too_few_descriptors_leaves_none_open(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _FEW_DESCRIPTORS, str(tmp_path)], capture_output=True,
                          text=True, timeout=60, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5


def test_it_says_that_it_starts_and_stops(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with new_broker(tmp_path):
        pass
    messages = [record.message for record in caplog.records if "broker_server" in record.name]
    assert messages == [f"[BrokerServer id=1] {text}" for text in ("starting", "started", "shutting down",
                                                                   "shut down")]
