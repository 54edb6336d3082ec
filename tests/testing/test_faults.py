# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Faults that a broker commits: on whom, and what its clients make of them."""

from __future__ import annotations

import gc
import logging
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.testing import Broker, Close, Delay, Drop, Error, MockTime, SlowReader, Split, Truncate
from kreactor.testing.faults import Fault
from tests.clients.client import Client, Record
from tests.clients.clients import CLIENTS
from tests.core.server.wire import Closed, Wire, encode

TOPIC = "topic"

# A client leaves the socket of a connection that was refused, or cut off, to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


@pytest.fixture(autouse=True)
def connections_are_collected(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Have the test end with the sockets that it made; what is logged of errors would keep them."""
    for name in ("kafka", "aiokafka"):
        caplog.set_level(logging.CRITICAL, name)
    yield
    gc.collect()


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics=[TOPIC]) as broker:
        yield broker


@pytest.fixture
def wire(broker: Broker) -> Iterator[Wire]:
    with Wire(broker.host, broker.port) as wire:
        yield wire


def send(wire: Wire, client_id: str = "wire") -> int:
    return wire.send(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData(), client_id=client_id)


def ask(wire: Wire, client_id: str = "wire") -> str:
    """Have a request answered; return the error's name."""
    answer = wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData(), client_id)
    return Errors.for_code(answer.error_code).name


# -- which requests --------------------------------------------------------------------------------


@pytest.mark.parametrize("which, hit", [
    ({}, "12345678"),
    ({"first": 3}, "123"),
    ({"after": 6}, "78"),
    ({"every": 3}, "36"),
    ({"after": 1, "first": 4, "every": 2}, "35"),
    ({"first": 0}, ""),
    ({"api": "ApiVersions"}, "12345678"),
    ({"api": [ApiKeys.API_VERSIONS, "Produce"]}, "12345678"),
    ({"api": "Produce"}, ""),
    ({"client_id": "odd"}, "1357"),
    ({"client_id": "odd", "first": 1}, "1"),
    ({"when": lambda request: request.header.correlation_id() > 6}, "78"),
    ({"when": lambda request: request.body.client_software_name == ""}, "12345678"),
    ({"probability": 0.0}, ""),
], ids=lambda given: given if isinstance(given, str) else ",".join(given))
def test_which_requests(broker: Broker, wire: Wire, which: dict[str, object], hit: str) -> None:
    rule = broker.faults.add(Error("CLUSTER_AUTHORIZATION_FAILED"), **which)  # type: ignore[arg-type]
    answers = [ask(wire, "odd" if number % 2 else "even") for number in range(1, 9)]
    assert "".join(str(number) for number, error in enumerate(answers, 1) if error != "NONE") == hit
    assert rule.hits == len(hit)


def test_the_lot_falls_as_the_seed_says() -> None:
    def run(seed: int) -> list[str]:
        with Broker(seed=seed) as broker, Wire(broker.host, broker.port) as wire:
            broker.faults.add(Error("CLUSTER_AUTHORIZATION_FAILED"), probability=0.5)
            return [ask(wire) for _ in range(32)]

    first = run(1)
    assert run(1) == first != run(2)
    assert len(set(first)) == 2


def test_a_rule_ends(broker: Broker, wire: Wire) -> None:
    with broker.faults.add(Error("CLUSTER_AUTHORIZATION_FAILED")):
        assert ask(wire) != "NONE"
    assert ask(wire) == "NONE"
    broker.faults.add(Error("CLUSTER_AUTHORIZATION_FAILED"))
    broker.faults.clear()
    assert ask(wire) == "NONE"


def test_what_cannot_be(broker: Broker) -> None:
    for fault, which in (
            (Error("NO_SUCH_ERROR"), {}), (Error("NONE"), {}), (Split(0), {}), (Delay(1), {"every": 0}),
            (Delay(1), {"after": -1}), (Delay(1), {"probability": 2}), (Delay(1), {"api": "NoSuchApi"}),
            (SlowReader(1, 1), {"api": "Produce"}), (SlowReader(0, 1), {})):
        with pytest.raises(ValueError):
            broker.faults.add(fault, **which)  # type: ignore[arg-type]


def test_a_predicate_that_fails_chooses_nothing(broker: Broker, wire: Wire) -> None:
    rule = broker.faults.add(Close(), when=lambda request: 1 // 0)
    assert ask(wire) == "NONE" and rule.hits == 0


def test_what_was_committed_is_told(broker: Broker, wire: Wire) -> None:
    broker.faults.add(Split(3), first=1)
    ask(wire)
    ask(wire)
    assert [request.faults for request in broker.requests()] == [(Split(3),), ()]


# -- what happens ----------------------------------------------------------------------------------


def test_delay() -> None:
    time = MockTime()
    with Broker(time=time) as broker, Wire(broker.host, broker.port) as wire:
        broker.faults.add(Delay(1_000))
        correlation_id = send(wire)
        request = broker.wait_for(lambda: broker.requests())[0]
        broker.wait_for(lambda: request.answer)
        wire.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            wire.socket.recv(1)
        wire.socket.settimeout(120)
        time.advance(1_000)
        wire.receive(ApiKeys.API_VERSIONS, 0, correlation_id)


def test_a_delay_by_the_real_clock(broker: Broker, wire: Wire) -> None:
    broker.faults.add(Delay(20))
    assert ask(wire) == "NONE"


def test_a_stop_ends_a_delay() -> None:
    with Broker() as broker, Wire(broker.host, broker.port) as wire:
        broker.faults.add(Delay(100_000))
        send(wire)
        broker.wait_for(lambda: broker.requests() and broker.requests()[0].answer)
        broker.stop(0)
        with pytest.raises(Closed):
            wire.receive_bytes()


@pytest.mark.parametrize("handled", [True, False])
def test_drop(broker: Broker, wire: Wire, handled: bool) -> None:
    rule = broker.faults.add(Drop(handled))
    wire.send(ApiKeys.METADATA, 4, MetadataRequestData(
        topics=[MetadataRequestData.MetadataRequestTopic(name="new")], allow_auto_topic_creation=True))
    send(wire)
    request = broker.wait_for(lambda: rule.hits and broker.requests()[0])
    if handled:
        broker.wait_for(lambda: request.answer)
    wire.socket.settimeout(0.05)
    with pytest.raises(TimeoutError):
        wire.socket.recv(1)
    assert ("new" in broker.topics()) == handled
    # Bytes behind it are not read.
    assert len(broker.requests()) == 1
    broker.stop()
    with pytest.raises(Closed):
        wire.receive_bytes()


@pytest.mark.parametrize("handled", [True, False])
def test_close(broker: Broker, wire: Wire, handled: bool) -> None:
    broker.faults.add(Close(handled), api="Metadata")
    assert ask(wire) == "NONE"
    with pytest.raises(Closed):
        wire.ask(ApiKeys.METADATA, 4, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name="new")], allow_auto_topic_creation=True))
    assert ("new" in broker.topics()) == handled


@pytest.mark.parametrize("size", [0, 3, 4, 10])
def test_truncate(broker: Broker, wire: Wire, size: int) -> None:
    broker.faults.add(Truncate(size))
    send(wire)
    data = b""
    while more := wire.socket.recv(100):
        data += more
    assert len(data) == size
    # The size is that of the whole.
    if size >= 4:
        assert struct.unpack_from(">i", data)[0] > size


def test_split(broker: Broker, wire: Wire) -> None:
    broker.faults.add(Split(1))
    assert ask(wire) == "NONE" and ask(wire) == "NONE"


def test_a_split_answer_that_is_delayed(broker: Broker, wire: Wire) -> None:
    broker.faults.add(Split(5))
    broker.faults.add(Delay(1))
    assert ask(wire) == "NONE"


def test_an_error_where_no_answer_is_wanted(broker: Broker, wire: Wire) -> None:
    from kreactor.common.message.produce_request_data import ProduceRequestData

    broker.faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Produce")
    wire.send(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=0, timeout_ms=1))
    with pytest.raises(Closed):
        wire.receive_bytes()


def test_slow_reader() -> None:
    time = MockTime()
    with Broker(time=time) as broker, Wire(broker.host, broker.port) as slow, \
            Wire(broker.host, broker.port) as quick:
        ask(slow, "slow")
        rule = broker.faults.add(SlowReader(10, 1_000), client_id="slow")
        # 4 bytes of size are a read of their own; what it takes of the rest is 10 bytes at a time.
        data = encode(ApiKeys.METADATA, 4, MetadataRequestData(topics=[]), 2, "slow")
        slow.socket.sendall(data)
        assert ask(quick, "quick") == "NONE"
        moves = 0
        while len(broker.requests("slow")) < 2:
            assert moves < len(data)
            time.advance(1_000)
            moves += 1
        assert moves >= (len(data) - 4) // 10
        slow.receive(ApiKeys.METADATA, 4, 2)
        assert rule.hits == 1
        # In the middle of a request it may become quick again.
        slow.socket.sendall(encode(ApiKeys.METADATA, 4, MetadataRequestData(topics=[]), 3, "slow"))
        rule.remove()
        time.advance(1_000)
        slow.receive(ApiKeys.METADATA, 4, 3)


# -- clients ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault, which", [
    (Delay(30), {"api": "Produce"}),
    (Delay(5), {}),
    (Close(), {"api": "Produce", "first": 1}),
    (Close(handled=False), {"api": "Produce", "first": 1}),
    (Error("NOT_LEADER_OR_FOLLOWER"), {"api": "Produce", "first": 1}),
    (Error(Errors.NOT_ENOUGH_REPLICAS), {"api": "Produce", "first": 2}),
    (Error("LEADER_NOT_AVAILABLE"), {"api": "Metadata", "first": 1}),
    (Truncate(7), {"api": "Produce", "first": 1}),
    (Split(7), {}),
    (SlowReader(100, 1), {}),
], ids=str)
@pytest.mark.parametrize("each", CLIENTS)
def test_clients(each: type[Client], broker: Broker, fault: Fault, which: dict[str, object]) -> None:
    """They try again, and write once."""
    rule = broker.faults.add(fault, **which)  # type: ignore[arg-type]
    values = [b"%d" % number for number in range(20)]
    client = each(broker.bootstrap_servers)
    client.produce(TOPIC, [Record(0, b"key", value) for value in values], idempotent=True)
    assert [record.value for record in broker.records(TOPIC)] == values
    assert [read.value for read in client.read(TOPIC, [0])] == values
    assert rule.hits > 0


@pytest.mark.parametrize("then", [
    Broker.disconnect, Broker.restart, lambda broker: (broker.kill(), broker.restart())],
    ids=["disconnected", "restarted", "killed"])
@pytest.mark.parametrize("each", CLIENTS)
def test_clients_whose_answer_is_lost(each: type[Client], broker: Broker,
                                      then: Callable[[Broker], object]) -> None:
    rule = broker.faults.add(Drop(), api="Produce", first=1)
    client = each(broker.bootstrap_servers)
    writer = threading.Thread(target=client.produce, args=(TOPIC, [Record(0, b"key", b"value")]),
                              kwargs={"idempotent": True})
    writer.start()
    try:
        broker.wait_for(lambda: rule.hits)
        broker.wait_for(lambda: broker.requests(api="Produce")[0].answer)
        then(broker)
    finally:
        writer.join()
    assert [record.value for record in broker.records(TOPIC)] == [b"value"]
    assert len(broker.requests(api="Produce")) == 2
