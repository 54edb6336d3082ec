# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A client of kreactor's whose tokens live for seconds: it gets the next one before one expires."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.testing.broker import Broker

LIFETIME_S = 8
TIMEOUT_MS = 60_000


def new_producer(address: str, lifetime_s: int) -> KafkaProducer[str, str]:
    return KafkaProducer[str, str]({
        "bootstrap.servers": address,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": (
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
            f'unsecuredLoginStringClaim_sub="alice" unsecuredLoginLifetimeSeconds="{lifetime_s}";'),
        "sasl.login.refresh.window.factor": 0.5,
        "sasl.login.refresh.min.period.seconds": 0,
        "sasl.login.refresh.buffer.seconds": 0,
        "max.block.ms": TIMEOUT_MS,
    }, StringSerializer(), StringSerializer())


def reauthentications(producer: KafkaProducer[str, str]) -> float:
    [value] = [metric.metric_value() for name, metric in producer.metrics().items()
               if name.name() == "successful-reauthentication-total" and "node-id" not in name.tags()]
    assert isinstance(value, float)
    return value


def use(producer: KafkaProducer[str, str]) -> None:
    producer.send(ProducerRecord("t", "x")).get()


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafka-expiring")]


def test_a_producer_outlives_its_tokens() -> None:
    with Broker(sasl="OAUTHBEARER", topics={"t": 1}) as broker:
        assert_a_producer_outlives_its_tokens(broker.bootstrap_servers)


def assert_a_producer_outlives_its_tokens(address: str) -> None:
    began = time.monotonic()
    with closing(new_producer(address, LIFETIME_S)) as producer:
        # A session ends with its token: the broker closes a connection that brings no new one.
        while reauthentications(producer) < 2:
            use(producer)
            assert time.monotonic() - began < 60, "no second authentication"
            time.sleep(0.05)
        assert threads() == ["kafka-expiring-relogin-thread-alice"]
        # The first token has expired, and the login has another one for connections to come.
        while time.monotonic() - began < LIFETIME_S + 1:
            use(producer)
            time.sleep(0.05)
        with closing(new_producer(address, LIFETIME_S)) as other:
            use(other)
        use(producer)
    assert not threads()


def test_a_producer_whose_token_has_expired_is_refused() -> None:
    with Broker(sasl="OAUTHBEARER", topics={"t": 1}) as broker:
        with closing(new_producer(broker.bootstrap_servers, -1)) as producer:
            with pytest.raises(SaslAuthenticationException, match="invalid_token"):
                use(producer)
        assert not threads()
