# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ctrl-C in a process that waits in a KafkaProducer, and code of its user that raises, blocks or closes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, Delay, Drop, Truncate
from kreactor.testing.faults import Fault
from tests.stepping import PATIENCE_S, Background

ROOT = Path(__file__).parents[3]
WAIT_MS = int(PATIENCE_S * 1000)
MEMORY = 1000
# A sender that waits for a node to be ready looks for a close only after this time, as in 3.8.0.
REQUEST_MS = 500
PROGRAM = f"""
import logging, sys, threading
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer

# A close that is interrupted logs that.
logging.disable()
address, where = sys.argv[1:]
producer = KafkaProducer(
    {{"bootstrap.servers": address, "buffer.memory": {MEMORY}, "batch.size": 300,
      "max.block.ms": {WAIT_MS}, "delivery.timeout.ms": {WAIT_MS}, "request.timeout.ms": {REQUEST_MS}}},
    ByteArraySerializer(), ByteArraySerializer())
pool = producer._accumulator._free
record = ProducerRecord("topic", bytes(200))

def tell():
    while where == "memory" and not pool.queued():
        threading.Event().wait(0.001)
    print("waits", flush=True)

if where != "metadata":
    producer.partitions_for("topic")
    print("knows the topic", flush=True)
    sys.stdin.readline()
teller = threading.Thread(target=tell)
try:
    if where in ("flush", "close"):
        producer.send(record)
    teller.start()
    if where == "flush":
        producer.flush()
    elif where == "close":
        producer.close()
    while True:
        producer.send(record)
except KeyboardInterrupt:
    teller.join()
    producer.close(0)
    print(pool.available_memory(), pool.queued(), [thread.name for thread in threading.enumerate()])
    sys.exit(130)
"""


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"topic": 1}) as broker:
        yield broker


def interrupted(address: str, where: str, when_known: Callable[[], object]) -> tuple[int, str, str]:
    """Run the program up to the place, send it SIGINT, and return its status, last line and complaints."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM, address, where], cwd=ROOT, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            if where != "metadata":
                assert process.stdout.readline() == "knows the topic\n"
                when_known()
                process.stdin.write("\n")
                process.stdin.flush()
            assert process.stdout.readline() == "waits\n"
            # A signal that comes just before the wait begins does not end the wait.
            for _ in range(6):
                process.send_signal(signal.SIGINT)
                try:
                    out, complaints = process.communicate(timeout=20)
                except subprocess.TimeoutExpired:
                    continue
                return process.returncode, out, complaints
            pytest.fail("Ctrl-C ends nothing")
        finally:
            process.kill()


ENDED = (130, f"{MEMORY} 0 ['MainThread']\n", "")


def test_ctrl_c_while_a_send_waits_for_metadata() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        assert interrupted(address, "metadata", lambda: None) == ENDED


@pytest.mark.parametrize("where", ["memory", "flush", "close"])
def test_ctrl_c_while_a_broker_says_nothing(broker: Broker, where: str) -> None:
    assert interrupted(broker.bootstrap_servers, where, broker.pause) == ENDED
    broker.resume()


# -- the user's code -------------------------------------------------------------------------------


class Misbehaving(ByteArraySerializer, Partitioner):
    """A serializer and a partitioner that calls what it is told to, once."""

    def __init__(self) -> None:
        self.call: Callable[[], object] | None = None

    def act(self) -> None:
        call, self.call = self.call, None
        if call is not None:
            call()

    def serialize(self, topic: str, data: bytes | None) -> bytes | None:
        self.act()
        return data

    def configure(self, configs: Mapping[str, object], is_key: bool = False) -> None:
        pass

    def partition(self, topic: str, key: object, key_bytes: object, value: object, value_bytes: object,
                  cluster: Cluster) -> int:
        self.act()
        return 0

    def close(self) -> None:
        pass


def fail() -> None:
    raise ValueError("the user's")


def new_producer(broker: Broker, serializer: ByteArraySerializer | None = None,
                 **configs: object) -> KafkaProducer[bytes, bytes]:
    """A producer with settings that have ``_`` for ``.`` in their names."""
    return KafkaProducer(
        {"bootstrap.servers": broker.bootstrap_servers, "retry.backoff.ms": 1, "reconnect.backoff.ms": 1}
        | {name.replace("_", "."): value for name, value in configs.items()},
        ByteArraySerializer(), serializer or ByteArraySerializer())


def values(broker: Broker) -> list[bytes | None]:
    return [record.value for record in broker.records("topic")]


@pytest.mark.parametrize("role", ["serializer", "partitioner"])
def test_user_s_code_that_raises_fails_its_record_only(broker: Broker, role: str) -> None:
    each = Misbehaving()
    with (new_producer(broker, each) if role == "serializer" else new_producer(broker)) as producer:
        if role == "partitioner":
            producer._partitioner = each
        each.call = fail
        with pytest.raises(ValueError, match="the user's"):
            producer.send(ProducerRecord("topic", b"refused"))
        producer.send(ProducerRecord("topic", b"next")).get(WAIT_MS)
        assert producer._accumulator._free.available_memory() == 32 << 20
    assert values(broker) == [b"next"]


@pytest.mark.parametrize("role", ["serializer", "partitioner"])
def test_user_s_code_that_closes_ends_its_send(broker: Broker, role: str) -> None:
    each = Misbehaving()
    producer = new_producer(broker, each) if role == "serializer" else new_producer(broker)
    if role == "partitioner":
        producer._partitioner = each
    first = producer.send(ProducerRecord("topic", b"first"))
    each.call = producer.close
    with pytest.raises((KafkaException, IllegalStateException), match="closed"):
        producer.send(ProducerRecord("topic", b"refused"))
    assert first.is_done() and not producer._io_thread.is_alive()
    assert values(broker) == [b"first"]


class Intercepting(ProducerInterceptor[bytes, bytes]):
    """Calls what it is told to, for each record, before it is sent or when it is acknowledged."""

    def __init__(self, name: str, call: Callable[[], object]) -> None:
        self._name = name
        self._call = call

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def on_send(self, record: ProducerRecord[bytes, bytes]) -> ProducerRecord[bytes, bytes]:
        if self._name == "on_send":
            self._call()
        return record

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        if self._name == "on_acknowledgement":
            self._call()

    def close(self) -> None:
        pass


def intercepted(broker: Broker, interceptor: Intercepting) -> KafkaProducer[bytes, bytes]:
    producer = new_producer(broker)
    producer._interceptors._interceptors = [interceptor]
    return producer


@pytest.mark.parametrize("name", ["on_send", "on_acknowledgement"])
def test_an_interceptor_that_raises_fails_no_record(broker: Broker, name: str) -> None:
    with intercepted(broker, Intercepting(name, fail)) as producer:
        for number in range(5):
            assert producer.send(ProducerRecord("topic", b"%d" % number)).get(WAIT_MS).offset() == number
    assert values(broker) == [b"%d" % number for number in range(5)]


def test_an_interceptor_that_closes_before_a_send_ends_it(broker: Broker) -> None:
    producer = new_producer(broker)
    first = producer.send(ProducerRecord("topic", b"first"))
    producer._interceptors._interceptors = [Intercepting("on_send", producer.close)]
    with pytest.raises(IllegalStateException, match="closed"):
        producer.send(ProducerRecord("topic", b"refused"))
    assert first.is_done() and not producer._io_thread.is_alive()
    assert values(broker) == [b"first"]


def test_an_interceptor_that_closes_at_an_acknowledgement_waits_for_nothing(broker: Broker) -> None:
    closed = threading.Event()

    def close() -> None:
        producer.close()
        closed.set()

    producer = intercepted(broker, Intercepting("on_acknowledgement", close))
    future = producer.send(ProducerRecord("topic", b"first"))
    assert closed.wait(PATIENCE_S)
    producer._io_thread.join(PATIENCE_S)
    assert not producer._io_thread.is_alive()
    assert future.get(WAIT_MS).offset() == 0
    pool = producer._accumulator._free
    assert (pool.available_memory(), pool.queued()) == (pool.total_memory(), 0)
    assert values(broker) == [b"first"]


@pytest.mark.parametrize("name", ["on_send", "on_acknowledgement"])
def test_an_interceptor_that_blocks_holds_up_its_own_thread_only(broker: Broker, name: str) -> None:
    blocks, goes_on = threading.Event(), threading.Event()

    def block() -> None:
        blocks.set()
        assert goes_on.wait(PATIENCE_S)

    producer = intercepted(broker, Intercepting(name, block))
    sending = Background(lambda: producer.send(ProducerRecord("topic", b"first")))
    assert blocks.wait(PATIENCE_S)
    # Neither the thread of another send nor, before the acknowledgement, the sender's thread waits for it.
    producer._interceptors._interceptors = []
    second = producer.send(ProducerRecord("topic", b"second"))
    if name == "on_send":
        assert second.get(WAIT_MS).offset() == 0
    else:
        assert not second.is_done()
    goes_on.set()
    first = sending.result()
    producer.close()
    assert first.is_done() and second.is_done()
    assert sorted(values(broker)) == [b"first", b"second"]


def test_a_callback_that_raises_or_blocks_holds_up_no_send(broker: Broker) -> None:
    blocks, goes_on = threading.Event(), threading.Event()

    def block(metadata: RecordMetadata | None, exception: Exception | None) -> None:
        blocks.set()
        assert goes_on.wait(PATIENCE_S)

    with new_producer(broker) as producer:
        producer.send(ProducerRecord("topic", b"0"), lambda metadata, exception: fail()).get(WAIT_MS)
        producer.send(ProducerRecord("topic", b"1"), block)
        assert blocks.wait(PATIENCE_S)
        futures = [producer.send(ProducerRecord("topic", b"%d" % number)) for number in range(2, 50)]
        assert not any(future.is_done() for future in futures)
        goes_on.set()
        producer.flush()
        assert all(future.is_done() for future in futures)
    assert values(broker) == [b"%d" % number for number in range(50)]


# -- a broker that stalls, answers late, or sends garbage --------------------------------------------


@pytest.mark.parametrize("fault", [Drop(), Drop(handled=False), Delay(600), Truncate(3), Truncate(30)])
def test_a_broker_that_misbehaves_loses_and_repeats_nothing(broker: Broker, fault: Fault) -> None:
    with new_producer(broker, request_timeout_ms=300) as producer:
        producer.send(ProducerRecord("topic", b"0")).get(WAIT_MS)
        broker.faults.add(fault, api="Produce", every=2, first=6)
        futures = []
        for number in range(1, 200):
            futures.append(producer.send(ProducerRecord("topic", b"%d" % number)))
            if number % 20 == 0:
                producer.flush()
        producer.flush()
        assert [future.get(WAIT_MS).offset() for future in futures] == list(range(1, 200))
    assert values(broker) == [b"%d" % number for number in range(200)]
