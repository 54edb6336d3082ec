# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients that leave at the wrong moment, never read, are too many or too slow; a host that runs short.

All of it against a whole broker, over sockets. While one client misbehaves, two others get their responses
before, meanwhile and afterwards, and nothing of it is left (see ``bench``). The outcomes are those of Kafka
3.8.0.
"""

from __future__ import annotations

import gc
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Iterator

import psutil
import pytest

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.network.request_channel import RequestChannel
from kreactor.jdk.net import InetAddress
from kreactor.testing.mock_time import MockTime
from tests.core.server.bad_records import GOOD, at, sealed
from tests.core.server.bench import (
    READ,
    TOPIC,
    VICTIM,
    Bench,
    Client,
    fetch_request,
    produce,
    produce_request,
)
from tests.core.server.conversation import T0, records
from tests.core.server.judging import cases_of, judging, offer_of
from tests.core.server.short_broker import LEFT
from tests.core.server.wire import Closed, body_bytes, encode, good, good_answer, int32
from tests.memory import PYPY, held
from tests.stepping import Background, stopped_at, wait_until

MEGABYTE = 1 << 20
IDLE_MS = 60_000


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(tmp_path) as bench, bench.watched():
        yield bench


def ask(client: Client, correlation_id: int = 1) -> None:
    """Send a request and see its answer come."""
    client.socket.sendall(good(correlation_id))
    assert client.receive_bytes().hex() == good_answer(correlation_id)


def resident_bytes() -> int:
    """Return what memory holds, without what PyPy keeps for later: what is left after a collection there."""
    if PYPY:
        return held()
    rss: int = psutil.Process().memory_info().rss
    return rss


# A large fetch, and its response without header.
LARGE_FETCH = fetch_request(VICTIM, 0)


def fill(bench: Bench, megabytes: int = 8) -> bytes:
    """Write so much to a topic; return what ``LARGE_FETCH`` in version 4 is answered with."""
    batch = records(random.Random(5).randbytes(MEGABYTE - 1000))
    with bench.connect() as client:
        for _ in range(megabytes):
            assert produce(client, VICTIM, batch).error_code == 0
        client.send(ApiKeys.FETCH, 4, LARGE_FETCH)
        answer = client.receive_bytes()[4:]
    assert len(answer) > megabytes * (MEGABYTE - 1000)
    return answer


def begin_to_fetch(bench: Bench, version: int = 4, clients: int = 1, besides: int = 0) -> list[Client]:
    """Let clients ask for all that ``fill`` wrote, and read nothing; return when all are being answered.

    So are ``besides`` others already.
    """
    made = [bench.connect(receive_buffer=4096) for _ in range(clients)]
    for client in made:
        client.send(ApiKeys.FETCH, version, LARGE_FETCH)
    wait_for_answers_under_way(bench, clients + besides)
    return made


def wait_for_answers_under_way(bench: Bench, count: int) -> None:
    """Wait until the network thread is writing so many answers, and gets no further with them."""
    wait_until(lambda: bench.processor().inflight_response_count() == count)
    # A response is counted before its first write.
    bench.settle()


def fetch(client: Client, version: int, offset: int, topic: str = VICTIM) -> tuple[Errors, bytes]:
    """Return error and records of one partition."""
    answer = client.ask(ApiKeys.FETCH, version, fetch_request(topic, offset))
    assert isinstance(answer, FetchResponseData)
    [topic_answer] = answer.responses
    [partition] = topic_answer.partitions
    found: Any = partition.records
    return Errors.for_code(partition.error_code), b"" if found is None else bytes(found.view())


# Clients that leave.


def leave_with_a_reset(client: Client) -> None:
    client.reset()


def leave(client: Client) -> None:
    client.close()


LEAVES = [leave_with_a_reset, leave]

WITHOUT_ANSWER = encode(ApiKeys.PRODUCE, 3, body_bytes(produce_request(VICTIM, GOOD, acks=0), 3), 1, "c")

PARTS = {
    "before a byte": b"",
    "within a size": good(1)[:2],
    "after a size": good(1)[:4],
    "within a request": good(1)[:-2],
    "within a large request": int32(50 * MEGABYTE) + bytes(100_000),
    "after a request": good(1),
    "after a hundred requests": good(1) * 100,
    "after a request that has no answer": WITHOUT_ANSWER,
    "within the request after one": good(1) + good(2)[:9],
}


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("part", PARTS)
def test_a_client_that_leaves(bench: Bench, part: str, goes: Callable[[Client], None]) -> None:
    for _ in range(10):
        client = bench.connect()
        client.socket.sendall(PARTS[part])
        goes(client)
    bench.check()
    wait_until(lambda: bench.connections() == 0)


@pytest.mark.parametrize("goes", LEAVES)
def test_a_producer_that_wants_no_answers_writes_and_leaves(
    bench: Bench, goes: Callable[[Client], None],
) -> None:
    """All bytes of the client are read before its end, and written."""
    client = bench.connect()
    client.socket.sendall(WITHOUT_ANSWER * 20)
    wait_until(lambda: bench.connections() == 1)
    goes(client)
    wait_until(lambda: bench.connections() == 0)
    with bench.connect() as client:
        assert produce(client, VICTIM, GOOD).base_offset == 40


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("seen", [True, False])
def test_a_client_that_leaves_within_a_request_that_has_been_begun(
    bench: Bench, goes: Callable[[Client], None], seen: bool,
) -> None:
    """The network thread holds memory for it, and learns of the end by reading on."""
    pool = bench.server._memory_pool
    client = bench.connect()
    client.socket.sendall(int32(MEGABYTE) + b"x" * 1000)
    wait_until(lambda: pool.available_memory() == pool.size() - MEGABYTE)
    if not seen:
        client.socket.sendall(b"x" * 1000)
    goes(client)
    wait_until(lambda: bench.connections() == 0)
    assert pool.available_memory() == pool.size()


def handled(request: RequestChannel.Request, *args: object) -> bool:
    return request.header().api_key() is ApiKeys.SASL_HANDSHAKE


@pytest.mark.parametrize("goes", LEAVES)
def test_a_client_that_leaves_while_its_request_is_handled(
    bench: Bench, goes: Callable[[Client], None],
) -> None:
    """Its channel is muted: nobody sees the end before the answer is to be written."""
    with stopped_at(bench.broker.data_plane_request_processor(), "handle", when=handled) as stop:
        client = bench.connect()
        client.socket.sendall(good(1) * 3)
        stop.wait()
        goes(client)
        bench.settle()
        assert bench.connections() == 1
    wait_until(lambda: bench.connections() == 0)


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("ends", ["with time", "with records"])
def test_a_client_that_leaves_while_its_fetch_waits(
    bench: Bench, goes: Callable[[Client], None], ends: str,
) -> None:
    """The purgatory keeps the fetch to its end, as the origin's does, and no longer."""
    purgatory = bench.broker.replica_manager().delayed_fetch_purgatory
    wait_ms = 300 if ends == "with time" else 60_000
    clients = [bench.connect() for _ in range(5)]
    for client in clients:
        client.send(ApiKeys.FETCH, 4, fetch_request(VICTIM, 0, max_wait_ms=wait_ms))
    wait_until(lambda: purgatory.num_delayed() == 5)
    for client in clients:
        goes(client)
    bench.settle()
    if ends == "with records":
        assert purgatory.num_delayed() == 5
        with bench.connect() as client:
            assert produce(client, VICTIM, GOOD).error_code == 0
    wait_until(lambda: bench.connections() == 0)


def test_a_half_closed_client_gets_the_answer_that_it_waits_for(bench: Bench) -> None:
    client = bench.connect()
    client.send(ApiKeys.FETCH, 4, fetch_request(VICTIM, 0, max_wait_ms=60_000))
    wait_until(lambda: bench.broker.replica_manager().delayed_fetch_purgatory.num_delayed() == 1)
    client.socket.shutdown(socket.SHUT_WR)
    bench.settle()
    assert client.is_silent()
    with bench.connect() as other:
        assert produce(other, VICTIM, GOOD).error_code == 0
    assert GOOD[21:] in client.receive_bytes()
    assert client.is_closed()


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("version", [4, 1])
@pytest.mark.parametrize("reads", [0, 100_000])
def test_a_client_that_leaves_while_its_answer_is_written(
    bench: Bench, goes: Callable[[Client], None], version: int, reads: int,
) -> None:
    """From the file, and, for the old version, converted piece by piece."""
    fill(bench)
    [client] = begin_to_fetch(bench, version)
    if reads:
        client._read(reads)
        bench.settle()
    wait_for_answers_under_way(bench, 1)
    goes(client)
    wait_until(lambda: bench.connections() == 0)


def test_a_half_closed_client_gets_all_of_a_large_answer(bench: Bench) -> None:
    expected = fill(bench)
    [client] = begin_to_fetch(bench)
    client.socket.shutdown(socket.SHUT_WR)
    bench.settle()
    assert client.receive_bytes()[4:] == expected
    assert client.is_closed()


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("part", ["before a byte", "within a request", "after a request"])
def test_a_client_that_leaves_between_accept_and_register(
    bench: Bench, goes: Callable[[Client], None], part: str,
) -> None:
    processor = bench.processor()
    with stopped_at(processor, "_configure_new_connections") as stop:
        processor.wakeup()
        stop.wait()
        client = bench.connect()
        wait_until(lambda: processor._new_connections.size() == 1)
        client.socket.sendall(PARTS[part])
        goes(client)
    wait_until(lambda: bench.connections() == 0)


@pytest.mark.parametrize("goes", LEAVES)
@pytest.mark.parametrize("part", ["before a byte", "within a request", "after a request"])
def test_a_client_that_leaves_before_accept(
    bench: Bench, goes: Callable[[Client], None], part: str,
) -> None:
    with stopped_at(bench.acceptor(), "_accept") as stop:
        client = bench.connect()
        stop.wait()
        client.socket.sendall(PARTS[part])
        goes(client)
        bench.check()
    ask(bench.connect())
    wait_until(lambda: bench.connections() == 1)


@pytest.mark.parametrize("goes", LEAVES)
def test_three_hundred_clients_that_come_and_go(bench: Bench, goes: Callable[[Client], None]) -> None:
    for i in range(300):
        goes(bench.connect())
        if i % 50 == 0:
            bench.check()
    wait_until(lambda: bench.connections() == 0)


# Clients that do not read.


def test_a_size_takes_no_memory_before_its_bytes_come(bench: Bench) -> None:
    """Four bytes may announce a hundred megabytes, and a hundred clients may send four bytes."""
    before = resident_bytes()
    bench.connect().socket.sendall(int32(100 * MEGABYTE))
    pool = bench.server._memory_pool
    wait_until(lambda: pool.available_memory() == pool.size() - 100 * MEGABYTE)
    assert resident_bytes() - before < 10 * MEGABYTE


def test_a_large_request_is_appended_as_it_came(bench: Bench) -> None:
    batch = records(random.Random(7).randbytes(6 * MEGABYTE))
    bench.create_topic("large", settings={"max.message.bytes": "10000000"})
    client = bench.connect()
    for offset in range(2):
        assert produce(client, "large", batch).base_offset == offset
        assert fetch(client, 4, offset, "large")[1][21:] == batch[21:]


@pytest.mark.parametrize("version", [4, 1])
def test_clients_that_never_read(tmp_path: Path, version: int) -> None:
    """Their answers stay in the file, not in memory; others are served; they go when they were idle too long.

    Converted for the old version, a piece at a time is in memory.
    """
    clock = MockTime()
    with Bench(tmp_path, {"connections.max.idle.ms": str(IDLE_MS)}, clock) as bench, bench.watched():
        fill(bench)
        begin_to_fetch(bench, version)
        before = resident_bytes()
        clients = begin_to_fetch(bench, version, clients=20, besides=1)
        assert resident_bytes() - before < 30 * MEGABYTE
        clock.sleep(IDLE_MS // 2 + 1)
        bench.settle()
        assert bench.connections() == 21
        clock.sleep(IDLE_MS // 2)

        def all_have_gone() -> bool:
            # One goes in each round.
            bench.processor().wakeup()
            return bench.connections() == 0

        wait_until(all_have_gone)
        for client in clients:
            with pytest.raises(Closed):
                client.receive_bytes()


def test_a_client_that_reads_slowly_gets_it_all(bench: Bench) -> None:
    expected = fill(bench)
    [client] = begin_to_fetch(bench)
    received = b""
    for size in [4, 1, 3] + [4096] * 50:
        received += client._read(size)
        if len(received) % 5 == 0:
            bench.check()
    assert received[8:] == expected[:len(received) - 8]
    assert client._read(len(expected) + 8 - len(received)) == expected[len(received) - 8:]


def test_a_client_that_asks_and_asks_and_never_reads(bench: Bench) -> None:
    """One request of a connection is handled at a time, so it comes to a halt, and goes on when it reads."""
    client = bench.connect(receive_buffer=4096)
    # The answer is forty times as long.
    question = DescribeConfigsRequestData(resources=[
        DescribeConfigsRequestData.DescribeConfigsResource(
            resource_type=4, resource_name="1", configuration_keys=None)])
    expected = body_bytes(client.ask(ApiKeys.DESCRIBE_CONFIGS, 1, question), 1)
    assert len(expected) > 10_000
    requests = b"".join(
        encode(ApiKeys.DESCRIBE_CONFIGS, 1, body_bytes(question, 1), i, "c") for i in range(300))
    before = resident_bytes()
    sender = Background(lambda: client.socket.sendall(requests))
    wait_for_answers_under_way(bench, 1)
    bench.settle()
    assert resident_bytes() - before < 10 * MEGABYTE
    for i in range(300):
        answer = client.receive_bytes()
        assert answer == i.to_bytes(4, "big") + expected
        if i % 100 == 0:
            bench.check()
    sender.result()


# Clients that are too slow.

POOL = {"queued.max.request.bytes": "200000", "socket.request.max.bytes": "100000"}


def exhaust(bench: Bench) -> list[Client]:
    """Let clients begin requests until there is no memory for another."""
    clients = [bench.connect() for _ in range(3)]
    for client in clients:
        client.socket.sendall(int32(90_000) + b"x" * 10)
    wait_until(lambda: bench.server._memory_pool.is_out_of_memory())
    return clients


def wait_for_muted(bench: Bench, count: int) -> None:
    """Wait until so many clients wait for memory."""
    wait_until(lambda: sum(channel.is_muted() for channel in bench.processor().selector.channels()) == count)


@pytest.mark.parametrize("ends", ["one leaves", "one leaves with a reset", "one sends the rest"])
def test_slow_senders_take_all_memory(tmp_path: Path, ends: str) -> None:
    """A new request waits, unread, until there is memory again; no connection is closed for it."""
    with Bench(tmp_path, POOL) as bench, bench.watched():
        slow = exhaust(bench)
        waiting = [bench.connect() for _ in range(4)]
        for client in waiting:
            client.socket.sendall(good(1))
        wait_for_muted(bench, 4)
        assert all(client.is_silent() for client in waiting)
        if ends == "one leaves":
            slow[0].close()
        elif ends == "one leaves with a reset":
            slow[0].reset()
        else:
            slow[0].socket.sendall(bytes(90_000 - 10))
            assert slow[0].is_closed()
        for client in waiting:
            assert client.receive_bytes().hex() == good_answer(1)
        bench.check()
        assert all(client.is_silent() for client in slow[1:])


def test_slow_senders_go_when_they_were_idle_too_long(tmp_path: Path) -> None:
    """A client that waits for memory, because of them, has shown itself later than they."""
    clock = MockTime()
    with Bench(tmp_path, {**POOL, "connections.max.idle.ms": str(IDLE_MS)}, clock) as bench:
        slow = exhaust(bench)
        clock.sleep(IDLE_MS * 2 // 3)
        waiting = bench.connect()
        waiting.socket.sendall(good(1))
        wait_for_muted(bench, 1)
        clock.sleep(IDLE_MS * 2 // 3)
        assert waiting.receive_bytes().hex() == good_answer(1)
        for client in slow:
            assert client.is_closed()
        bench.close_clients()
        with bench.watched():
            pass


def test_a_large_request_a_byte_at_a_time_holds_nobody_up(bench: Bench) -> None:
    data = encode(ApiKeys.PRODUCE, 9, body_bytes(produce_request(VICTIM, GOOD), 9), 1, "c")
    client = bench.connect()
    for i, byte in enumerate(data):
        client.socket.sendall(bytes((byte,)))
        if i % 16 == 0:
            bench.check()
    assert client.receive_bytes()[:4] == int32(1)


# Clients that are too many.


def test_connections_past_the_limit_of_an_address(tmp_path: Path) -> None:
    """They are accepted, counted, and closed; other addresses have limits of their own."""
    with Bench(tmp_path, {"max.connections.per.ip.overrides": "127.0.0.2:2,127.0.0.3:0"}) as bench, \
            bench.watched():
        first, second = (bench.connect(source="127.0.0.2") for _ in range(2))
        ask(first)
        ask(second)
        for _ in range(20):
            for source in ("127.0.0.2", "127.0.0.3"):
                # Nothing was unread, so it is a FIN.
                assert bench.connect(source=source).socket.recv(1) == b""
        ask(bench.connect(source="127.0.0.4"))
        ask(second)
        assert bench.connections() == 3
        first.close()
        wait_until(lambda: bench.connections() == 2)
        ask(bench.connect(source="127.0.0.2"))


def test_connections_past_the_limit_of_all_addresses(tmp_path: Path) -> None:
    with Bench(tmp_path, {"max.connections.per.ip": "3"}) as bench, bench.watched():
        third = bench.connect()
        ask(third)
        for _ in range(20):
            assert bench.connect().is_closed()
        ask(bench.connect(source="127.0.0.2"))
        third.close()
        wait_until(lambda: bench.connections() == 1)
        ask(bench.connect())


@pytest.mark.skipif(not hasattr(gc, "set_debug"), reason="PyPy collects all, not only what holds itself")
@pytest.mark.parametrize("goes", LEAVES)
def test_connections_and_requests_leave_the_garbage_collector_nothing(
    bench: Bench, goes: Callable[[Client], None],
) -> None:
    """A reference cycle stays until the collector runs, and memory grows by it."""
    gc.collect()
    gc.disable()
    try:
        for client in [bench.connect() for _ in range(20)]:
            ask(client)
            goes(client)
        wait_until(lambda: bench.connections() == 0)
        bench.settle()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kinds = Counter(type(thing).__qualname__ for thing in gc.garbage
                        if type(thing).__module__.startswith("kreactor."))
        assert not kinds
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def wait_for_blocked_acceptors(bench: Bench, count: int) -> None:
    """Wait until so many acceptors wait for a slot."""
    condition: Any = bench.server.connection_quotas._counts_lock
    wait_until(lambda: len(condition._waiters) == count)


@pytest.mark.parametrize("goes", LEAVES)
def test_connections_past_the_limit_of_the_broker(tmp_path: Path, goes: Callable[[Client], None]) -> None:
    """The acceptor waits, and new connections wait in the kernel. Each one that leaves makes room for one."""
    # A listener that is not told its own has the limit of the broker for one.
    overrides = {"max.connections": "4", "listener.name.plaintext.max.connections": "100"}
    with Bench(tmp_path, overrides) as bench, bench.watched():
        clients = [bench.connect() for _ in range(6)]
        for client in clients[:2]:
            ask(client)
        for client in clients[2:]:
            client.socket.sendall(good(1))
        wait_for_blocked_acceptors(bench, 1)
        bench.settle()
        assert all(client.is_silent() for client in clients[2:])
        assert bench.connections() == 2
        for leaving, coming in zip(clients, clients[2:]):
            goes(leaving)
            assert coming.receive_bytes().hex() == good_answer(1)
            bench.check()


LISTENERS = {"listeners": "PLAINTEXT://127.0.0.1:0,OTHER://127.0.0.1:0",
             "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OTHER:PLAINTEXT"}


def test_connections_past_the_limit_of_a_listener(tmp_path: Path) -> None:
    """The other listener goes on accepting."""
    overrides = {**LISTENERS, "listener.name.other.max.connections": "2"}
    with Bench(tmp_path, overrides) as bench, bench.watched():
        clients = [bench.connect("OTHER") for _ in range(4)]
        for client in clients[:2]:
            ask(client)
        for client in clients[2:]:
            client.socket.sendall(good(1))
        wait_for_blocked_acceptors(bench, 1)
        for _ in range(5):
            ask(bench.connect())
        assert all(client.is_silent() for client in clients[2:])
        for leaving, coming in zip(clients, clients[2:]):
            leaving.close()
            assert coming.receive_bytes().hex() == good_answer(1)


def test_a_client_that_waits_for_a_slot_and_leaves(tmp_path: Path) -> None:
    with Bench(tmp_path, {"max.connections": "3"}) as bench, bench.watched():
        client = bench.connect()
        ask(client)
        waiting = [bench.connect() for _ in range(5)]
        wait_for_blocked_acceptors(bench, 1)
        for i, other in enumerate(waiting):
            other.socket.sendall(good(1)[:9])
            LEAVES[i % 2](other)
        client.close()
        ask(bench.connect())
        wait_until(lambda: bench.connections() == 1)


def throttle_ms(bench: Bench, listener: str) -> float:
    """Return for how long the connections of a listener were held up, on average."""
    metrics = bench.broker.metrics()
    [metric] = [metric for name, metric in metrics.metrics().items()
                if name.name() == "connection-accept-throttle-time" and name.tags() == {"listener": listener}]
    value = metric.metric_value()
    assert isinstance(value, float)
    return value


@pytest.mark.parametrize("quota", ["max.connection.creation.rate",
                                   "listener.name.other.max.connection.creation.rate"])
def test_connections_that_come_too_fast(tmp_path: Path, quota: str) -> None:
    """They are held up, and served. A quota of another listener holds nobody up here."""
    overrides = {**LISTENERS, quota: "20", "quota.window.num": "2"}
    with Bench(tmp_path, overrides) as bench, bench.watched():
        clients = [bench.connect("OTHER") for _ in range(40)]
        for client in clients:
            client.socket.sendall(good(1))
        bench.check()
        if quota.startswith("listener"):
            for _ in range(40):
                ask(bench.connect())
        for client in clients:
            assert client.receive_bytes().hex() == good_answer(1)
        assert throttle_ms(bench, "OTHER") > 0
        if quota.startswith("listener"):
            assert not throttle_ms(bench, "PLAINTEXT") > 0


def test_connections_of_an_address_that_come_too_fast(tmp_path: Path) -> None:
    """They are not read from, and closed when the time has come that they should have waited for."""
    with Bench(tmp_path, {"quota.window.num": "2"}) as bench, bench.watched():
        bench.server.connection_quotas.update_ip_connection_rate_quota(
            InetAddress.get_by_name("127.0.0.2"), 2)
        clients = [bench.connect(source="127.0.0.2") for _ in range(8)]
        for client in clients:
            client.socket.sendall(good(1))
        wait_until(lambda: len(bench.acceptor()._throttled_sockets) > 0)
        ask(bench.connect())
        outcomes = []
        for client in clients:
            try:
                outcomes.append(client.receive_bytes().hex())
            except Closed:
                outcomes.append("closed")
        served = outcomes.count(good_answer(1))
        assert outcomes == [good_answer(1)] * served + ["closed"] * (8 - served)
        assert 0 < served < 8
        assert bench.connections() == served + 1


# A host that runs short of descriptors.


@pytest.fixture
def short_broker(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the broker that may open only a few descriptors more."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path.cwd()), *sys.path]))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.core.server.short_broker", str(tmp_path)], env=env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def create(client: Client, topic: str) -> Errors:
    answer = client.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=topic, num_partitions=1, replication_factor=1)]))
    assert isinstance(answer, CreateTopicsResponseData)
    return Errors.for_code(answer.topics[0].error_code)


def test_descriptors_run_out(short_broker: subprocess.Popen[str]) -> None:
    """It says so, serves those it has, answers with an error what would take one, and goes on afterwards."""
    process = short_broker
    assert process.stdin and process.stdout and process.stderr
    log: list[str] = []
    reader = threading.Thread(target=lambda: log.extend(process.stderr or ()))
    reader.start()
    clients: list[Client] = []
    try:
        port = int(process.stdout.readline())
        for _ in range(LEFT):
            clients.append(Client(port))
            ask(clients[-1])
        waiting = [Client(port) for _ in range(3)]
        clients += waiting
        for client in waiting:
            client.socket.sendall(good(1))
        wait_until(lambda: any("Too many open files" in line for line in log), "it does not say so")
        served = clients[0]
        for _ in range(3):
            assert produce(served, TOPIC, GOOD).error_code == 0
            assert fetch(served, 4, 0, TOPIC)[0] is Errors.NONE
            assert create(served, "new") is Errors.KAFKA_STORAGE_ERROR
            assert all(client.is_silent() for client in waiting)
        for client in clients[1:LEFT]:
            client.close()
        for client in waiting:
            assert client.receive_bytes().hex() == good_answer(1)
            client.close()
        wait_until(lambda: create(served, "new") is Errors.NONE)
        for topic in ("new", VICTIM):
            assert produce(served, topic, GOOD).base_offset == 0
            assert fetch(served, 4, 0, topic)[1][21:] == GOOD[21:]
    finally:
        for client in clients:
            client.close()
        process.stdin.close()
        reader.join()
        rest = process.stdout.read()
        assert rest == "stopped\n", "".join(log)[-3000:]
        assert process.wait(120) == 0


# Logs that are broken on the disk.

SIZE = len(GOOD)

# Defects of three batches in a file, and the results of fetches of version 4 and 0 from its begin: of
# version 4 the file as it is; of version 0 the converted records, of which only the first have to be there
# when the answer begins.
BROKEN_LOGS: dict[str, tuple[int, bytes, Errors, Errors | None]] = {
    "nothing": (0, b"", Errors.NONE, Errors.NONE),
    "the checksum of the first": (SIZE - 1, b"\xff", Errors.NONE, Errors.INVALID_RECORD),
    "the length of the first, 0": (8, bytes(4), Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
    "the length of the first, -1": (8, b"\xff" * 4, Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
    "the length of the first, one more": (8, int32(SIZE - 11), Errors.NONE, Errors.INVALID_RECORD),
    "the length of the first, 14": (8, int32(14), Errors.NONE, Errors.CORRUPT_MESSAGE),
    "the length of the second": (SIZE + 8, bytes(4), Errors.NONE, Errors.CORRUPT_MESSAGE),
    "the length of the third": (2 * SIZE + 8, bytes(4), Errors.NONE, None),
    "the magic of the first, -1": (16, b"\xff", Errors.NONE, Errors.UNKNOWN_SERVER_ERROR),
    "the codec of the first": (22, b"\7", Errors.NONE, Errors.UNKNOWN_SERVER_ERROR),
    "the number of records in the first": (57, int32(9), Errors.NONE, Errors.INVALID_RECORD),
    "a record of the first": (61, b"\x7e", Errors.NONE, Errors.INVALID_RECORD),
    "all of the first, zeros": (0, bytes(SIZE), Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
    "all of the first, ones": (0, b"\xff" * SIZE, Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE),
}


def log_file(folder: Path) -> Path:
    return folder / f"{VICTIM}-0" / "00000000000000000000.log"


@pytest.mark.parametrize("what", BROKEN_LOGS)
def test_a_fetch_from_a_broken_log(bench: Bench, tmp_path: Path, what: str) -> None:
    at_, bytes_, error, old_error = BROKEN_LOGS[what]
    with bench.connect() as client:
        for _ in range(3):
            assert produce(client, VICTIM, GOOD).error_code == 0
    with log_file(tmp_path).open("r+b") as file:
        file.seek(at_)
        file.write(bytes_)
    with bench.connect() as client:
        found = log_file(tmp_path).read_bytes() if error is Errors.NONE else b""
        assert fetch(client, 4, 0) == (error, found)
        bench.check()
        if old_error is None:
            # The conversion meets it when the answer is half written.
            with pytest.raises(Closed):
                fetch(client, 0, 0)
        else:
            assert fetch(client, 0, 0)[0] is old_error


@pytest.mark.parametrize("version", [4, 0])
def test_a_fetch_from_a_log_that_has_become_shorter(bench: Bench, tmp_path: Path, version: int) -> None:
    """The size has been told when it shows that the bytes are not there: only the end is left."""
    with bench.connect() as client:
        for _ in range(3):
            assert produce(client, VICTIM, GOOD).error_code == 0
    os.truncate(log_file(tmp_path), SIZE + 30)
    with bench.connect() as client, pytest.raises(Closed):
        fetch(client, version, 0)


LYING = {
    "the number of records": sealed(at(57, "i", 2**31 - 1, at(23, "i", 2**31 - 2))),
    "records that are none": sealed(GOOD[:61] + b"\xff" * 20),
    "no records": sealed(GOOD[:61]),
    "a codec": sealed(at(21, "h", 4)),
}


def list_offset(client: Client, timestamp: int) -> tuple[Errors, int]:
    answer = client.ask(ApiKeys.LIST_OFFSETS, 7, ListOffsetsRequestData(replica_id=-1, topics=[
        ListOffsetsRequestData.ListOffsetsTopic(name=VICTIM, partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=timestamp)])]))
    assert isinstance(answer, ListOffsetsResponseData)
    partition = answer.topics[0].partitions[0]
    return Errors.for_code(partition.error_code), partition.offset


@pytest.mark.parametrize("lies", LYING)
def test_a_batch_that_lies_about_its_records(tmp_path: Path, lies: str) -> None:
    """It is refused, and leaves nothing behind, now and after a restart that reads all."""
    with Bench(tmp_path) as bench, bench.watched():
        with bench.connect() as client:
            assert produce(client, VICTIM, GOOD).error_code == 0
            answer = produce(client, VICTIM, LYING[lies])
            assert Errors.for_code(answer.error_code) in (Errors.INVALID_RECORD, Errors.UNKNOWN_SERVER_ERROR)
            assert produce(client, VICTIM, GOOD).base_offset == 2
            read_all(client)
    (tmp_path / ".kafka_cleanshutdown").unlink()
    with Bench(tmp_path, create_topics=False) as bench, bench.watched():
        with bench.connect() as client:
            read_all(client)
            assert produce(client, VICTIM, GOOD).base_offset == 4


def read_all(client: Client) -> None:
    for offset in (0, 2):
        error, found = fetch(client, 4, offset)
        assert (error, found[21:len(GOOD)]) == (Errors.NONE, GOOD[21:])
    assert list_offset(client, T0) == (Errors.NONE, 0)
    assert list_offset(client, T0 + 1_000_000) == (Errors.NONE, -1)


# The end.


def all_at_once(bench: Bench) -> None:
    """Have clients of every bad kind."""
    fill(bench)
    begin_to_fetch(bench, 4, clients=2)
    begin_to_fetch(bench, 1, clients=2, besides=2)
    for data in (b"", b"\0", good(1)[:9], int32(50 * MEGABYTE) + b"x" * 1000, good(1) * 50):
        bench.connect().socket.sendall(data)
    waiting = bench.connect()
    waiting.send(ApiKeys.FETCH, 4, fetch_request(TOPIC, 2, partition=READ, max_wait_ms=600_000))
    half_closed = bench.connect()
    half_closed.send(ApiKeys.FETCH, 4, fetch_request(TOPIC, 2, partition=READ, max_wait_ms=600_000))
    half_closed.socket.shutdown(socket.SHUT_WR)
    gone = bench.connect()
    gone.send(ApiKeys.FETCH, 4, fetch_request(TOPIC, 2, partition=READ, max_wait_ms=600_000))
    wait_until(lambda: bench.broker.replica_manager().delayed_fetch_purgatory.num_delayed() == 3)
    gone.reset()


def test_a_broker_that_stops_while_all_of_them_are_there(tmp_path: Path) -> None:
    """It takes no longer than it gives to answers that are under way, and then nobody is left."""
    with Bench(tmp_path) as bench:
        all_at_once(bench)
        begin = time.monotonic()
        bench.broker.shutdown()
        assert time.monotonic() - begin < 120


def test_a_broker_that_stops_while_there_is_no_memory_and_no_slot(tmp_path: Path) -> None:
    with Bench(tmp_path, {**POOL, "max.connections": "4"}) as bench:
        exhaust(bench)
        for _ in range(3):
            bench.connect().socket.sendall(good(1))
        wait_for_muted(bench, 1)
        wait_for_blocked_acceptors(bench, 1)
        begin = time.monotonic()
        bench.broker.shutdown()
        assert time.monotonic() - begin < 120


# Cases in which the broker waits, or a topic is made.
WAITING = ("framing.size.maximum", "framing.incomplete", "framing.quiet", "ordering.slow-first",
           "ordering.part-at-the-end")


def test_everybody_at_once(bench: Bench) -> None:
    """Six threads run cases of single connections, and leave as they like, while the others are served."""
    fill(bench, 2)
    offer = offer_of(bench)
    cases = [case for case in cases_of("framing", "protocols", "keys", "versions", "ordering", "endings")
             if not case.id.startswith(WAITING)]
    stop = threading.Event()

    def misbehave(i: int) -> None:
        random_ = random.Random(i)
        while not stop.is_set():
            case = random_.choice(cases)
            with judging(bench, offer) as judge:
                case.run(judge)
            client = bench.connect(receive_buffer=4096)
            client.send(ApiKeys.FETCH, random_.choice((1, 4)), LARGE_FETCH)
            client._read(random_.choice((1, 10_000)))
            random_.choice(LEAVES)(client)

    threads = [Background(lambda i=i: misbehave(i)) for i in range(6)]  # type: ignore[misc]
    end = time.monotonic() + 2
    while time.monotonic() < end:
        bench.check()
    stop.set()
    for thread in threads:
        thread.result()
