# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients with SASL, in plain text and over TLS: with the right password and with a wrong one."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError as AIOKafkaError
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka import KafkaError as ConfluentError
from kafka import KafkaConsumer, KafkaProducer

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.embedded.broker_server import BrokerServer
from kreactor.testing.certificates import new_certificate
from tests.clients.kcat_client import KCAT, needs_kcat
from tests.common.security.oauthbearer.internals.secured.access_token_builder import (
    CLAIMS,
    ISSUED_AT_S,
    key_set,
    rsa_key,
)
from tests.core.server.brokers import connect, new_broker
from tests.core.server.scram_conversation import alteration, upsertion
from tests.stepping import wait_until

WAIT_S = 120
WRONG = "wrong"
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
PASSWORD = "alice-sEcret"


class Place(NamedTuple):
    """Where a client goes, and how."""

    address: str
    protocol: str
    trusted: Path
    mechanism: str
    password: str = PASSWORD


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Callable[[str, str], Place]]:
    authority = new_certificate("authority")
    server = new_certificate("server", ["localhost"], ["127.0.0.1"], signed_by=authority)
    trusted, keystore = tmp_path / "trusted.pem", tmp_path / "server.pem"
    trusted.write_text(authority.certificate_pem())
    keystore.write_text(server.private_key_pem() + server.chain_pem())
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="{PASSWORD}";'
    with new_broker(tmp_path / "log", {
        "listeners": "PLAIN://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
        "listener.security.protocol.map":
            "PLAIN:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
        "inter.broker.listener.name": "PLAIN",
        "sasl.enabled.mechanisms": ",".join((*MECHANISMS, "OAUTHBEARER")),
        **{f"listener.name.{name}.oauthbearer.sasl.jaas.config":
           "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
           for name in ("sasl_plaintext", "sasl_ssl")},
        **{f"listener.name.{name}.{mechanism.lower()}.sasl.jaas.config":
           jaas if mechanism == "PLAIN" else
           "org.apache.kafka.common.security.scram.ScramLoginModule required;"
           for name in ("sasl_plaintext", "sasl_ssl") for mechanism in MECHANISMS},
        "ssl.keystore.type": "PEM", "ssl.keystore.location": str(keystore),
    }) as broker:
        keep_alice(broker)
        yield lambda protocol, mechanism: Place(
            f"127.0.0.1:{broker.bound_port(protocol)}", protocol, trusted, mechanism)


def keep_alice(broker: BrokerServer) -> None:
    """Have alice be a user of SCRAM, as an administrator would."""
    salted = {mechanism: ScramFormatter(mechanism).salted_password(PASSWORD, b"salt", 4096)
              for mechanism in ScramMechanism}
    with connect(broker, "PLAIN") as wire:
        for mechanism, password in salted.items():
            result, = wire.ask(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alteration(upsertion(
                "alice", mechanism.type(), salt=b"salt", salted_password=password))).results
            assert result.error_code == 0


def librdkafka(place: Place) -> dict[str, str]:
    if place.mechanism == "OAUTHBEARER":
        return {"bootstrap.servers": place.address, "security.protocol": place.protocol.lower(),
                "ssl.ca.location": str(place.trusted), "sasl.mechanisms": place.mechanism,
                "enable.sasl.oauthbearer.unsecure.jwt": "true",
                "sasl.oauthbearer.config": f"principal=alice lifeSeconds={place.password}"}
    return {"bootstrap.servers": place.address, "security.protocol": place.protocol.lower(),
            "ssl.ca.location": str(place.trusted), "sasl.mechanisms": place.mechanism,
            "sasl.username": "alice", "sasl.password": place.password}


def with_confluent(place: Place, topic: str) -> bytes | None:
    delivered: list[object] = []
    refused: list[object] = []
    producer = Producer(librdkafka(place) | {  # type: ignore[operator]
        "log_level": "0", "error_cb": lambda error: refused.append(error.code())})
    producer.produce(topic, b"value", on_delivery=lambda error, _: delivered.append(error))
    wait_until(lambda: producer.poll(0.01) and delivered or ConfluentError._AUTHENTICATION in refused)
    if not delivered:
        producer.purge()
        assert producer.flush(WAIT_S) == 0
        return None
    assert delivered == [None]
    consumer = Consumer(librdkafka(place) | {"group.id": "g", "auto.offset.reset": "earliest"})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        message = consumer.poll(WAIT_S)
        assert message is not None and message.error() is None
        return bytes(message.value())
    finally:
        consumer.close()


def with_kafka_python(place: Place, topic: str) -> bytes:
    options: dict[str, Any] = {
        "bootstrap_servers": place.address, "security_protocol": place.protocol,
        "ssl_cafile": str(place.trusted), "sasl_mechanism": place.mechanism,
        "sasl_plain_username": "alice", "sasl_plain_password": place.password}
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


def with_aiokafka(place: Place, topic: str) -> bytes | None:
    options: dict[str, Any] = {
        "bootstrap_servers": place.address, "security_protocol": place.protocol,
        "ssl_context": ssl.create_default_context(cafile=place.trusted),
        "sasl_mechanism": place.mechanism, "sasl_plain_username": "alice",
        "sasl_plain_password": place.password}

    async def round_trip() -> bytes | None:
        producer = AIOKafkaProducer(**options)
        try:
            await producer.start()
            await producer.send_and_wait(topic, b"value")
        except AIOKafkaError:
            return None
        finally:
            await producer.stop()
        async with AIOKafkaConsumer(topic, **options, auto_offset_reset="earliest") as consumer:
            return bytes((await consumer.getone()).value)

    return asyncio.run(asyncio.wait_for(round_trip(), WAIT_S))


def kcat(place: Place, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [str(KCAT), *(f"-X{name}={value}" for name, value in librdkafka(place).items()), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=WAIT_S)


def with_kcat(place: Place, topic: str) -> bytes | None:
    # It tries a wrong password again until its message is too old.
    patience_ms = 3_000 if place.password == WRONG else 1_000 * WAIT_S
    if kcat(place, "-P", "-t", topic, f"-Xmessage.timeout.ms={patience_ms}", stdin=b"value").returncode != 0:
        return None
    return kcat(place, "-C", "-t", topic, "-e", "-q").stdout.rstrip(b"\n")


@pytest.mark.parametrize("round_trip", [
    pytest.param(with_confluent, id="confluent-kafka"), pytest.param(with_kafka_python, id="kafka-python"),
    pytest.param(with_aiokafka, id="aiokafka"),
    pytest.param(with_kcat, id="kcat", marks=needs_kcat),
])
def test_round_trips(places: Callable[[str, str], Place],
                     round_trip: Callable[[Place, str], bytes | None]) -> None:
    for protocol in ("SASL_PLAINTEXT", "SASL_SSL"):
        for mechanism in MECHANISMS:
            place = places(protocol, mechanism)
            assert round_trip(place, f"{protocol}-{mechanism}") == b"value"
    # A producer of kafka-python that is refused in its constructor leaves its sockets open.
    if round_trip is not with_kafka_python:
        for mechanism in MECHANISMS:
            wrong = places("SASL_PLAINTEXT", mechanism)._replace(password=WRONG)
            assert round_trip(wrong, "never") is None


def test_a_token_that_nobody_has_signed(places: Callable[[str, str], Place]) -> None:
    for protocol in ("SASL_PLAINTEXT", "SASL_SSL"):
        place = places(protocol, "OAUTHBEARER")._replace(password="3600")
        assert with_confluent(place, f"{protocol}-token") == b"value"


def test_a_token_that_somebody_has_signed(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(key_set(rsa_key()))
    package = "org.apache.kafka.common.security.oauthbearer"
    mechanism = "listener.name.sasl_plaintext.oauthbearer"
    with new_broker(tmp_path / "log", {
        "listeners": "PLAIN://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
        "listener.security.protocol.map": "PLAIN:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT",
        "inter.broker.listener.name": "PLAIN",
        "sasl.enabled.mechanisms": "OAUTHBEARER",
        f"{mechanism}.sasl.jaas.config": f"{package}.OAuthBearerLoginModule required;",
        f"{mechanism}.sasl.server.callback.handler.class": f"{package}.OAuthBearerValidatorCallbackHandler",
        f"{mechanism}.sasl.oauthbearer.jwks.endpoint.url": (tmp_path / "keys.json").as_uri(),
        f"{mechanism}.sasl.oauthbearer.expected.audience": "kafka,kreactor",
        "sasl.oauthbearer.expected.issuer": "https://issuer",
        "sasl.oauthbearer.clock.skew.seconds": "5",
    }) as broker:
        def librdkafka(claims: dict[str, Any], name: str = "key") -> dict[str, Any]:
            token = rsa_key(name).token(CLAIMS | claims, kid="key")
            return {"bootstrap.servers": f"127.0.0.1:{broker.bound_port('SASL_PLAINTEXT')}",
                    "security.protocol": "sasl_plaintext", "sasl.mechanisms": "OAUTHBEARER",
                    "oauth_cb": lambda _: (token, ISSUED_AT_S + 3600.0), "log_level": "0"}

        def is_refused(claims: dict[str, Any], name: str = "key") -> bool:
            errors: list[int] = []
            consumer = Consumer(librdkafka(claims, name) | {
                "group.id": "g", "error_cb": lambda error: errors.append(error.code())})
            try:
                consumer.assign([TopicPartition("topic", 0, 0)])
                for _ in range(WAIT_S * 10):
                    message = consumer.poll(0.1)
                    if message is not None or ConfluentError._AUTHENTICATION in errors:
                        return message is None
                raise AssertionError("neither a message nor an error")
            finally:
                consumer.close()

        good = {"iss": "https://issuer", "aud": "kreactor"}
        producer = Producer(librdkafka(good))
        delivered: list[object] = []
        producer.produce("topic", b"value", on_delivery=lambda error, _: delivered.append(error))
        assert producer.flush(WAIT_S) == 0 and delivered == [None]
        assert not is_refused(good)
        assert is_refused(good | {"aud": "others"})
        assert is_refused(good, "other")
