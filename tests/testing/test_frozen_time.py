# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Brokers and producers in the process of a test that freezes or mocks the time for its own code."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from unittest import mock

import psutil
import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.jdk.clock import Clock
from kreactor.testing import Broker
from kreactor.testing.control import Control
from tests import packages
from tests.jdk.test_clock import TOOLS, frozen, mocked

Tool = Callable[[], AbstractContextManager[object]]

# A broker whose threads read the test's time takes minutes or never ends. The machine may be busy.
AT_ONCE_S = 30.0


def took_s(work: Callable[[], object]) -> float:
    before_s = Clock.seconds()
    work()
    return Clock.seconds() - before_s


def send_with_confluent(broker: Broker, value: bytes) -> None:
    import confluent_kafka

    errors: list[object] = []
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap_servers,
                                         "message.timeout.ms": 60_000})
    producer.produce("t", value, on_delivery=lambda error, message: errors.append(error))
    assert producer.flush(120) == 0 and errors == [None]


def send(broker: Broker, value: bytes) -> int:
    """Send by the project's own producer; return the record's timestamp."""
    serializer = ByteArraySerializer()
    producer = KafkaProducer({"bootstrap.servers": broker.bootstrap_servers}, serializer, serializer)
    try:
        metadata = producer.send(ProducerRecord("t", value=value)).get(120_000)
        return metadata.timestamp()
    finally:
        producer.close()


@pytest.mark.parametrize("tool", TOOLS)
def test_a_broker_starts_restarts_and_closes_at_once(tool: Tool) -> None:
    def run() -> None:
        with Broker(topics=["t"]) as broker:
            broker.produce("t", b"1")
            broker.restart()
            broker.produce("t", b"2")

    with tool():
        assert took_s(run) < AT_ONCE_S


@pytest.mark.parametrize("within", ["start", "close", "restart"])
def test_a_step_within_frozen_time(within: str) -> None:
    broker = Broker(topics=["t"])
    for step in ("start", "restart", "close"):
        if step == within:
            with frozen():
                assert took_s(getattr(broker, step)) < AT_ONCE_S
        else:
            assert took_s(getattr(broker, step)) < AT_ONCE_S


@pytest.mark.parametrize("tool", TOOLS)
@packages.needs("confluent_kafka")
def test_clients_of_both_kinds_deliver_and_a_group_joins(tool: Tool) -> None:
    import confluent_kafka

    before_ms = Clock.epoch_ms()
    with Broker(topics=["t"]) as broker:
        with tool():
            send_with_confluent(broker, b"1")
            timestamp_ms = send(broker, b"2")
            consumer = confluent_kafka.Consumer({
                "bootstrap.servers": broker.bootstrap_servers, "group.id": "g",
                "auto.offset.reset": "earliest", "session.timeout.ms": 60_000})
            consumer.subscribe(["t"])
            values = []
            deadline_s = Clock.seconds() + 120
            while len(values) < 2 and Clock.seconds() < deadline_s:
                message = consumer.poll(1)
                if message is not None:
                    assert message.error() is None
                    values.append(message.value())
            consumer.close()
        assert values == [b"1", b"2"]
        # A record has the real time, by whatever client.
        assert before_ms <= timestamp_ms <= Clock.epoch_ms()
        assert all(before_ms <= record.timestamp_ms <= Clock.epoch_ms() for record in broker.records("t"))


@packages.needs("confluent_kafka")
def test_a_finite_mock_is_the_tests_own() -> None:
    with Broker(topics=["t"]) as broker:
        with mock.patch("time.monotonic", side_effect=[1.0, 2.0, 3.0]) as monotonic:
            send_with_confluent(broker, b"1")
            assert monotonic.call_count == 0
            assert [time.monotonic(), time.monotonic(), time.monotonic()] == [1.0, 2.0, 3.0]
        send_with_confluent(broker, b"2")


@pytest.mark.parametrize("tool", TOOLS)
def test_no_thread_spins_while_time_stands(tool: Tool) -> None:
    process = psutil.Process()
    with Broker(topics=["t"]) as broker, Control(broker):
        with tool():
            send(broker, b"1")
            assert not _busy_threads(process, 1.0)


def _busy_threads(process: psutil.Process, seconds: float) -> set[int]:
    """Return the threads that use a third of a processor, or more, for a time in which no client asks."""
    def ticks() -> dict[int, float]:
        return {thread.id: thread.user_time + thread.system_time for thread in process.threads()}

    before, before_s = ticks(), Clock.seconds()
    Clock.sleep(seconds)
    after, spent_s = ticks(), Clock.seconds() - before_s
    return {id_ for id_, used in after.items() if used - before.get(id_, 0.0) > spent_s / 3}


def test_the_check_finds_a_thread_that_spins() -> None:
    import threading

    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            pass

    spinning = threading.Thread(target=spin)
    spinning.start()
    try:
        # The other processes of a busy machine may leave this thread less than a third of one second.
        deadline_s = Clock.seconds() + 120
        while not _busy_threads(psutil.Process(), 0.5) and Clock.seconds() < deadline_s:
            pass
        assert Clock.seconds() < deadline_s
    finally:
        over.set()
        spinning.join()


def test_tls_and_tokens_have_the_real_time() -> None:
    import socket

    with frozen(), Broker(topics=["t"], tls=True) as broker:
        context = broker.tls.ssl_context()
        host, _, port = broker.bootstrap_servers.partition(":")
        with socket.create_connection((host, int(port)), 120) as plain:
            with context.wrap_socket(plain, server_hostname=host) as connection:
                assert connection.version() is not None


def test_a_broker_in_a_process_of_its_own_closes_at_once() -> None:
    with mocked():
        broker = Broker(topics=["t"], process=True)
        broker.start()
        assert took_s(broker.close) < AT_ONCE_S
