# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.ClientAuthenticationFailureTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The errors of a client with a wrong password, whatever it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.topic_reader import TopicReader
from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.serialization.string_serializer import StringSerializer
from tests.common.security.authenticator.sasl_ends import USER, Ends, jaas

TOPIC = "test"


@pytest.fixture
def config() -> Iterator[dict[str, str]]:
    """The settings of a client with another password than the server knows."""
    ends = Ends()
    server = ends.start()
    yield {
        "bootstrap.servers": f"localhost:{server.port}", "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": jaas("PLAIN", username=USER, password="anotherpassword")}
    ends.close()


def test_consumer_with_invalid_credentials(config: dict[str, str]) -> None:
    with closing(TopicReader(config)) as reader:
        with pytest.raises(SaslAuthenticationException):
            reader.offsets(TOPIC, {0: ListOffsetsRequest.EARLIEST_TIMESTAMP})
        with pytest.raises(SaslAuthenticationException):
            next(reader.records(TOPIC, 0, 0, 1))


def test_producer_with_invalid_credentials(config: dict[str, str]) -> None:
    with closing(KafkaProducer[str, str](config, StringSerializer(), StringSerializer())) as producer:
        with pytest.raises(SaslAuthenticationException):
            producer.send(ProducerRecord(TOPIC, "message")).get()


def test_admin_client_with_invalid_credentials(config: dict[str, str]) -> None:
    """Kafka's lists groups; a reader asks for the partitions, before it knows any broker."""
    with closing(TopicReader(config)) as reader, pytest.raises(SaslAuthenticationException):
        reader.partitions(TOPIC)


def test_transactional_producer_with_invalid_credentials(config: dict[str, str]) -> None:
    producer = KafkaProducer[str, str](
        {**config, "transactional.id": "txclient-1", "enable.idempotence": "true"},
        StringSerializer(), StringSerializer())
    with closing(producer), pytest.raises(SaslAuthenticationException):
        producer.init_transactions()
