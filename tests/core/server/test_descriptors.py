# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker whose clients open as many connections as its process may have descriptors."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.testing import Broker
from tests.core.server.conversation import records
from tests.core.server.wire import Wire
from tests.stepping import wait_until

ROOT = Path(__file__).parents[3]
LIMIT = 256
# The descriptors that connections may not use.
RESERVE = 32
TOPICS = 5
PARTITIONS = 3
REFUSED = ("the last descriptors of the process are for existing partitions; raise its limit of open files "
           "(ulimit -n)")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="psutil changes and counts these on Linux")


@contextmanager
def serving(folder: Path, soft: int, hard: int) -> Iterator[tuple[psutil.Process, int, list[str]]]:
    """Have ``kreactor serve`` run with these limits; give the process, its port and its log as it grows."""
    code = (f"import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
            "from kreactor.cli import main; main()")
    with subprocess.Popen(
            [sys.executable, "-c", code, "serve", "--override", "listeners=PLAINTEXT://127.0.0.1:0",
             "--override", "log.segment.bytes=100", "--override", "num.network.threads=1",
             "--data", str(folder)],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        log: list[str] = []
        reader = threading.Thread(target=log.extend, args=(process.stderr,))
        reader.start()
        try:
            yield psutil.Process(process.pid), int(process.stdout.readline().rsplit(":", 1)[1]), log
        finally:
            process.kill()
            reader.join()


def ask(wire: Wire) -> None:
    assert wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()).error_code == 0


def create(wire: Wire, topic: str) -> int:
    answer = wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=topic, num_partitions=PARTITIONS, replication_factor=1)]))
    return int(answer.topics[0].error_code)


def produce(wire: Wire, topic: str, partition: int) -> int:
    """Append a batch, which begins a new segment."""
    answer = wire.ask(ApiKeys.PRODUCE, 8, ProduceRequestData(acks=-1, timeout_ms=60_000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic, partition_data=[
            ProduceRequestData.PartitionProduceData(index=partition, records=records(b"value"))])]))
    return int(answer.responses[0].partition_responses[0].error_code)


def test_idle_connections_leave_descriptors_for_logs(tmp_path: Path) -> None:
    with ExitStack() as stack:
        process, port, log = stack.enter_context(serving(tmp_path, LIMIT, LIMIT))
        client = stack.enter_context(Wire("127.0.0.1", port))
        ask(client)
        # The kernel takes those that the broker does not: it has room for 50.
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(LIMIT)]
        wait_until(lambda: process.num_fds() >= LIMIT - RESERVE)
        wait_until(lambda: any("not accepting connections" in line for line in log))
        assert process.num_fds() == LIMIT - RESERVE + 1

        for topic in map(str, range(TOPICS)):
            assert create(client, topic) == 0
            for partition in range(PARTITIONS):
                assert [produce(client, topic, partition) for _ in range(3)] == [0, 0, 0]
        assert not [line for line in log if "ERROR" in line]

        # It waits, and does not look again and again.
        before = process.cpu_times()
        time.sleep(1)
        after = process.cpu_times()
        assert after.user + after.system - before.user - before.system < 0.5
        assert sum("accepting connections" in line for line in log) == 1

        # The files have taken some of what connections could use. All that wait are accepted in the end.
        for each in idle[:LIMIT // 2]:
            each.close()
        last = stack.enter_context(Wire("127.0.0.1", port))
        ask(last)
        wait_until(lambda: any("again" in line for line in log))


def test_topics_can_be_deleted_when_new_ones_find_no_descriptor(tmp_path: Path) -> None:
    """Each topic has its own answer, and nothing of one that is refused is left."""
    names = [f"topic-{number}" for number in range(LIMIT)]
    with serving(tmp_path, LIMIT, LIMIT) as (process, port, log), Wire("127.0.0.1", port) as client:
        ask(client)
        before = process.num_fds()
        created = client.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
            for name in names]))
        kept = [topic.name for topic in created.topics if topic.error_code == 0]
        refused = {(topic.error_code, str(topic.error_message).rpartition("] ")[2])
                   for topic in created.topics if topic.error_code}
        assert refused == {(Errors.KAFKA_STORAGE_ERROR.code, REFUSED)}
        assert len(kept) == LIMIT - LIMIT // 32 - before

        topics = [CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=3, assignments=None)
                  for name in kept]
        grown = client.ask(ApiKeys.CREATE_PARTITIONS, 3,
                           CreatePartitionsRequestData(timeout_ms=60_000, topics=topics))
        assert refused == {(topic.error_code, str(topic.error_message).rpartition("] ")[2])
                           for topic in grown.results}
        folders = {path.name for path in tmp_path.iterdir() if path.is_dir()}
        assert {name for name in folders if not name.endswith("-delete")} == {f"{name}-0" for name in kept}

        deleted = client.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(
            timeout_ms=60_000, topic_names=kept))
        assert {topic.error_code for topic in deleted.responses} == {0}
        assert process.num_fds() == before
        assert create(client, names[-1]) == 0
        assert not [line for line in log if "ERROR" in line]


def test_serve_raises_its_limit(tmp_path: Path) -> None:
    with serving(tmp_path, LIMIT, 2 * LIMIT) as (process, port, _):
        assert process.rlimit(resource.RLIMIT_NOFILE) == (2 * LIMIT, 2 * LIMIT)


def test_a_broker_in_this_process_leaves_the_limit_alone() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(soft, 1000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        with Broker() as broker, Wire(broker.host, broker.port) as wire:
            ask(wire)
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (lower, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
