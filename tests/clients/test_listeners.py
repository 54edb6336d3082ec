# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One broker with listeners of all four kinds, and clients on each of them at the same time."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer

from kreactor.testing import Broker
from tests.clients.kcat_client import KCAT, needs_kcat

WAIT_S = 120
USER, PASSWORD = "alice", "alice-secret"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
JAAS = ("org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'user_{USER}="{PASSWORD}";')


@pytest.fixture
def broker() -> Iterator[Broker]:
    properties: dict[str, object] = {
        "listeners": ",".join(f"{protocol}://127.0.0.1:0" for protocol in PROTOCOLS),
        "sasl.enabled.mechanisms": "PLAIN",
        # Each with what is its own: only this one wants certificates.
        "listener.name.ssl.ssl.client.auth": "required",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": JAAS,
        "listener.name.sasl_ssl.plain.sasl.jaas.config": JAAS}
    with Broker(tls=True, properties=properties) as broker:
        yield broker


def address(broker: Broker, protocol: str) -> str:
    return f"127.0.0.1:{broker.port_of(protocol)}"


def librdkafka(broker: Broker, protocol: str) -> dict[str, str]:
    config = {"bootstrap.servers": address(broker, protocol), "security.protocol": protocol.lower(),
              "client.id": protocol}
    if protocol.endswith("SSL"):
        config["ssl.ca.location"] = broker.tls.ca
    if protocol == "SSL":
        config |= {"ssl.certificate.location": str(broker.tls.certificate),
                   "ssl.key.location": str(broker.tls.key)}
    if protocol.startswith("SASL"):
        config |= {"sasl.mechanism": "PLAIN", "sasl.username": USER, "sasl.password": PASSWORD}
    return config


def in_python(broker: Broker, protocol: str) -> dict[str, Any]:
    """Return the options that kafka-python and aiokafka share."""
    options: dict[str, Any] = {"bootstrap_servers": address(broker, protocol), "security_protocol": protocol,
                               "client_id": protocol}
    if protocol.endswith("SSL"):
        options["ssl_context"] = broker.tls.ssl_context(client_certificate=protocol == "SSL")
    if protocol.startswith("SASL"):
        options |= {"sasl_mechanism": "PLAIN", "sasl_plain_username": USER, "sasl_plain_password": PASSWORD}
    return options


# Each writes a value to a topic of the protocol's name over each listener, with all connections open, and
# returns what it reads there over another listener.


def with_confluent(broker: Broker) -> dict[str, bytes]:
    producers = {protocol: Producer(librdkafka(broker, protocol)) for protocol in PROTOCOLS}
    delivered: list[object] = []
    for protocol, producer in producers.items():
        producer.produce(protocol, protocol.encode(), on_delivery=lambda error, _: delivered.append(error))
    for producer in producers.values():
        assert producer.flush(WAIT_S) == 0
    assert delivered == [None] * len(PROTOCOLS)
    found = {}
    for topic, protocol in zip(PROTOCOLS, reversed(PROTOCOLS)):
        consumer = Consumer(librdkafka(broker, protocol) | {"group.id": "g"})
        try:
            consumer.assign([TopicPartition(topic, 0, 0)])
            message = consumer.poll(WAIT_S)
            assert message is not None and message.error() is None
            found[topic] = bytes(message.value())
        finally:
            consumer.close()
    return found


def with_kafka_python(broker: Broker) -> dict[str, bytes]:
    with ExitStack() as stack:
        producers = {}
        for protocol in PROTOCOLS:
            producers[protocol] = KafkaProducer(**in_python(broker, protocol))
            stack.callback(producers[protocol].close)
        sent = [producer.send(protocol, protocol.encode()) for protocol, producer in producers.items()]
        for future in sent:
            future.get(WAIT_S)
        found = {}
        for topic, protocol in zip(PROTOCOLS, reversed(PROTOCOLS)):
            consumer = KafkaConsumer(topic, **in_python(broker, protocol), auto_offset_reset="earliest",
                                     consumer_timeout_ms=WAIT_S * 1000)
            stack.callback(consumer.close)
            found[topic] = bytes(next(consumer).value)
        return found


def with_aiokafka(broker: Broker) -> dict[str, bytes]:
    async def of_one(topic: str, protocol: str, ready: asyncio.Barrier) -> bytes:
        async with AIOKafkaProducer(**in_python(broker, topic)) as producer:
            await ready.wait()
            await producer.send_and_wait(topic, topic.encode())
            async with AIOKafkaConsumer(
                    topic, **in_python(broker, protocol), auto_offset_reset="earliest") as consumer:
                return bytes((await consumer.getone()).value)

    async def of_all() -> list[bytes]:
        ready = asyncio.Barrier(len(PROTOCOLS))
        return await asyncio.gather(
            *(of_one(topic, protocol, ready) for topic, protocol in zip(PROTOCOLS, reversed(PROTOCOLS))))

    return dict(zip(PROTOCOLS, asyncio.run(asyncio.wait_for(of_all(), 2 * WAIT_S))))


def with_kcat(broker: Broker) -> dict[str, bytes]:
    def run(protocol: str, *arguments: str, stdin: bytes = b"") -> bytes:
        config = librdkafka(broker, protocol)
        command = [str(KCAT), *(f"-X{name}={value}" for name, value in config.items()), *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, timeout=WAIT_S, check=True).stdout

    for protocol in PROTOCOLS:
        run(protocol, "-P", "-t", protocol, stdin=protocol.encode())
    return {topic: run(protocol, "-C", "-t", topic, "-e", "-q").rstrip(b"\n")
            for topic, protocol in zip(PROTOCOLS, reversed(PROTOCOLS))}


@pytest.mark.parametrize("round_trips", [
    pytest.param(with_confluent, id="confluent-kafka"), pytest.param(with_kafka_python, id="kafka-python"),
    pytest.param(with_aiokafka, id="aiokafka"),
    pytest.param(with_kcat, id="kcat", marks=needs_kcat)])
def test_clients_on_every_listener(broker: Broker, round_trips: Callable[[Broker], dict[str, bytes]]) -> None:
    assert round_trips(broker) == {protocol: protocol.encode() for protocol in PROTOCOLS}
    assert {request.client_id for request in broker.requests(api="Produce")} == set(PROTOCOLS)
