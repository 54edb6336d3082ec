# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients over TLS: with and without a certificate, with the right one and wrong ones."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer

from kreactor.embedded.broker_server import BrokerServer
from kreactor.testing.certificates import new_certificate
from tests.clients.kcat_client import KCAT, needs_kcat
from tests.core.server.brokers import new_broker

WAIT_S = 120


class Files(NamedTuple):
    """A client's trust store, and its key store, if it has one."""

    trusted: Path
    certificate: Path | None = None
    key: Path | None = None


class World(NamedTuple):
    """A broker with three listeners of TLS, and files for clients of several kinds."""

    address: str
    mutual_address: str
    expired_address: str
    anonymous: Files
    known: Files
    unknown: Files
    distrusting: Files


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folder = tmp_path
    authority, other = new_certificate("authority"), new_certificate("other authority")
    server = new_certificate("server", ["localhost"], ["127.0.0.1"], signed_by=authority)
    expired = new_certificate(
        "server", ["localhost"], ["127.0.0.1"], signed_by=authority, valid_for=timedelta(days=-1))

    def file(name: str, *contents: str) -> Path:
        path = folder / f"{name}.pem"
        path.write_text("".join(contents))
        return path

    trusted, distrusting = (file(str(i), each.certificate_pem()) for i, each in enumerate((authority, other)))

    def files(name: str, signed_by: object) -> Files:
        made = new_certificate(name, signed_by=signed_by)  # type: ignore[arg-type]
        return Files(trusted, file(name, made.chain_pem()), file(f"{name}-key", made.private_key_pem()))

    keystores = [file(f"server-{i}", made.private_key_pem(), made.chain_pem())
                 for i, made in enumerate((server, expired))]
    with new_broker(folder / "log", {
        "listeners": "PLAIN://127.0.0.1:0,TLS://127.0.0.1:0,MUTUAL://127.0.0.1:0,EXPIRED://127.0.0.1:0",
        "listener.security.protocol.map": "PLAIN:PLAINTEXT,TLS:SSL,MUTUAL:SSL,EXPIRED:SSL",
        "inter.broker.listener.name": "PLAIN",
        "ssl.keystore.type": "PEM", "ssl.keystore.location": str(keystores[0]),
        "ssl.truststore.type": "PEM", "ssl.truststore.location": str(trusted),
        "listener.name.mutual.ssl.client.auth": "required",
        "listener.name.expired.ssl.keystore.location": str(keystores[1]),
    }) as broker:
        yield World(*(f"127.0.0.1:{port(broker, name)}" for name in ("TLS", "MUTUAL", "EXPIRED")),
                    Files(trusted), files("known", authority), files("unknown", other), Files(distrusting))


def port(broker: BrokerServer, listener: str) -> int:
    return broker.bound_port(listener)


def librdkafka(address: str, files: Files) -> dict[str, str]:
    config = {"bootstrap.servers": address, "security.protocol": "ssl", "ssl.ca.location": str(files.trusted)}
    if files.certificate is not None:
        config |= {"ssl.certificate.location": str(files.certificate), "ssl.key.location": str(files.key)}
    return config


def with_confluent(address: str, files: Files, topic: str) -> bytes:
    delivered: list[object] = []
    producer = Producer(librdkafka(address, files) | {"message.timeout.ms": str(WAIT_S * 1000)})
    producer.produce(topic, b"value", on_delivery=lambda error, _: delivered.append(error))
    producer.flush(WAIT_S)
    assert delivered == [None]
    consumer = Consumer(librdkafka(address, files) | {"group.id": "g", "auto.offset.reset": "earliest"})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        message = consumer.poll(WAIT_S)
        assert message is not None and message.error() is None
        return bytes(message.value())
    finally:
        consumer.close()


def with_kafka_python(address: str, files: Files, topic: str) -> bytes:
    options = {"bootstrap_servers": address, "security_protocol": "SSL", "ssl_cafile": str(files.trusted)}
    if files.certificate is not None:
        options |= {"ssl_certfile": str(files.certificate), "ssl_keyfile": str(files.key)}
    producer = KafkaProducer(**options)
    try:
        producer.send(topic, b"value").get(WAIT_S)
    finally:
        producer.close()
    consumer = KafkaConsumer(topic, **options, auto_offset_reset="earliest",
                             consumer_timeout_ms=WAIT_S * 1000)
    try:
        return bytes(next(consumer).value)
    finally:
        consumer.close()


def with_aiokafka(address: str, files: Files, topic: str) -> bytes:
    context = ssl.create_default_context(cafile=files.trusted)
    if files.certificate is not None:
        context.load_cert_chain(files.certificate, files.key)
    options = {"bootstrap_servers": address, "security_protocol": "SSL", "ssl_context": context}

    async def round_trip() -> bytes:
        async with AIOKafkaProducer(**options) as producer:
            await producer.send_and_wait(topic, b"value")
        async with AIOKafkaConsumer(topic, **options, auto_offset_reset="earliest") as consumer:
            return bytes((await consumer.getone()).value)

    return asyncio.run(asyncio.wait_for(round_trip(), WAIT_S))


def kcat(address: str, files: Files, *arguments: str,
         stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [str(KCAT), *(f"-X{name}={value}" for name, value in librdkafka(address, files).items()),
               *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=WAIT_S)


def with_kcat(address: str, files: Files, topic: str) -> bytes:
    assert kcat(address, files, "-P", "-t", topic, stdin=b"value").returncode == 0
    return kcat(address, files, "-C", "-t", topic, "-e", "-q").stdout.rstrip(b"\n")


CLIENTS = [
    pytest.param(with_confluent, id="confluent-kafka"), pytest.param(with_kafka_python, id="kafka-python"),
    pytest.param(with_aiokafka, id="aiokafka"),
    pytest.param(with_kcat, id="kcat", marks=needs_kcat),
]


@pytest.mark.parametrize("round_trip", CLIENTS)
def test_round_trips(world: World, round_trip: Callable[[str, Files, str], bytes]) -> None:
    assert round_trip(world.address, world.anonymous, "anonymous") == b"value"
    assert round_trip(world.mutual_address, world.known, "known") == b"value"


def refusal(address: str, files: Files) -> str:
    """Return why a connection ends, as the client sees it; nothing if it does not."""
    host, port_text = address.split(":")
    context = ssl.create_default_context(cafile=files.trusted)
    if files.certificate is not None:
        context.load_cert_chain(files.certificate, files.key)
    with socket.create_connection((host, int(port_text)), WAIT_S) as connection:
        try:
            with context.wrap_socket(connection, server_hostname="127.0.0.1") as secured:
                # ApiVersions: a client of TLS 1.3 hears of a refusal with the first answer.
                secured.sendall(bytes.fromhex("000000120012000000000001000474657374") + bytes(4))
                return "" if secured.recv(4) else "end"
        except ssl.SSLError as e:
            return str(e.reason)


def test_who_is_refused(world: World) -> None:
    assert refusal(world.address, world.anonymous) == ""
    assert refusal(world.mutual_address, world.known) == ""
    assert refusal(world.mutual_address, world.anonymous) == "TLSV13_ALERT_CERTIFICATE_REQUIRED"
    assert refusal(world.mutual_address, world.unknown) == "TLSV1_ALERT_UNKNOWN_CA"
    assert refusal(world.address, world.distrusting) == "CERTIFICATE_VERIFY_FAILED"
    assert refusal(world.expired_address, world.anonymous) == "CERTIFICATE_VERIFY_FAILED"
    # And the broker is none the worse for it.
    assert refusal(world.address, world.known) == ""
