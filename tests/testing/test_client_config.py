# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings that a broker gives a test are all that its client needs."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest

from kreactor.testing import Broker
from kreactor.testing.client_config import CLIENTS
from tests.clients.kafka_python_client import KafkaProducer

USERS = {"al\"ice": "pass \\ word", "bob": "bob-secret"}
BROKERS: dict[str, dict[str, Any]] = {
    "plaintext": {},
    "tls": {"tls": True},
    "mutual": {"tls": "mutual"},
    "sasl": {"sasl": "PLAIN", "users": USERS},
    "sasl over tls": {"sasl": "SCRAM-SHA-512", "users": USERS, "tls": True},
    "sasl over mutual tls": {"sasl": "SCRAM-SHA-256", "users": USERS, "tls": "mutual"},
}


def write(client: str, settings: dict[str, Any]) -> None:
    """Write a record with a client of these settings."""
    if client == "confluent":
        confluent_kafka = pytest.importorskip("confluent_kafka")
        producer = confluent_kafka.Producer(settings)
        failures: list[object] = []
        producer.produce("topic", b"v", on_delivery=lambda error, _: failures.append(error))
        assert producer.flush(60) == 0 and failures == [None]
    elif client == "aiokafka":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            aiokafka = pytest.importorskip("aiokafka")

        async def send() -> None:
            async with aiokafka.AIOKafkaProducer(**settings) as producer:
                await producer.send_and_wait("topic", b"v")

        asyncio.run(send())
    elif client == "kafka-python":
        producer = KafkaProducer(**settings)
        producer.send("topic", b"v").get(60)
        producer.close()
    else:
        # The settings of Java's clients are those of kreactor's own.
        from kreactor.clients.producer.kafka_producer import KafkaProducer as OwnProducer
        from kreactor.clients.producer.producer_record import ProducerRecord
        from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer

        own: OwnProducer[bytes, bytes] = OwnProducer(settings, ByteArraySerializer(), ByteArraySerializer())
        own.send(ProducerRecord("topic", b"v")).get(60_000)
        own.close()


@pytest.mark.parametrize("kind", BROKERS)
def test_clients_get_in(kind: str) -> None:
    with Broker(**BROKERS[kind]) as broker:
        for number, client in enumerate(CLIENTS):
            settings = broker.client_config(client)
            write(client, settings)
            assert len(broker.consume("topic", 1)) == 1, client
            if "users" in BROKERS[kind]:
                assert settings != broker.client_config(client, user="bob")
                write(client, broker.client_config(client, user="bob"))
                broker.consume("topic", 1)


def test_what_cannot_be_told() -> None:
    with Broker(sasl="OAUTHBEARER") as broker, pytest.raises(ValueError, match="your own token provider"):
        broker.client_config("java")
    with Broker(sasl="PLAIN") as broker, pytest.raises(ValueError, match="the broker has no users"):
        broker.client_config("confluent")
