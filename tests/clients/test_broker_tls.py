# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker over TLS, with certificates that are made on the spot, under clients that nobody here wrote."""

from __future__ import annotations

import os
import ssl
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer, KafkaProducer

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker
from tests.clients.test_tls import CLIENTS, WAIT_S, Files, refusal


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(tls=True) as broker:
        yield broker


@pytest.fixture
def mutual() -> Iterator[Broker]:
    with Broker(tls="mutual") as broker:
        yield broker


def anonymous(broker: Broker) -> Files:
    return Files(Path(broker.tls.ca))


def known(broker: Broker) -> Files:
    assert broker.tls.certificate is not None and broker.tls.key is not None
    return Files(Path(broker.tls.ca), Path(broker.tls.certificate), Path(broker.tls.key))


@pytest.mark.parametrize("round_trip", CLIENTS)
def test_round_trips(broker: Broker, mutual: Broker, round_trip: Callable[[str, Files, str], bytes]) -> None:
    topic = f"topic-{id(round_trip)}"
    assert round_trip(broker.bootstrap_servers, anonymous(broker), topic) == b"value"
    assert round_trip(mutual.bootstrap_servers, known(mutual), topic) == b"value"
    for each in (broker, mutual):
        assert [record.value for record in each.records(topic)] == [b"value"]


def test_who_is_let_in(broker: Broker, mutual: Broker) -> None:
    assert refusal(broker.bootstrap_servers, anonymous(broker)) == ""
    assert refusal(broker.bootstrap_servers, anonymous(mutual)) == "CERTIFICATE_VERIFY_FAILED"
    assert refusal(mutual.bootstrap_servers, known(mutual)) == ""
    assert refusal(mutual.bootstrap_servers, anonymous(mutual)) == "TLSV13_ALERT_CERTIFICATE_REQUIRED"
    other = mutual.tls.client("other")
    assert other.certificate is not None and other.key is not None
    assert refusal(mutual.bootstrap_servers,
                   Files(Path(other.ca), Path(other.certificate), Path(other.key))) == ""


def test_a_user_needs_a_certificate_too_where_both_are_asked_for() -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    with Broker(tls="mutual", sasl="PLAIN", users={"alice": "secret"}) as broker:
        assert refusal(broker.bootstrap_servers, known(broker)) == ""
        assert refusal(broker.bootstrap_servers, anonymous(broker)) == "TLSV13_ALERT_CERTIFICATE_REQUIRED"
        settings = broker.client_config("confluent")
        del settings["ssl.certificate.location"], settings["ssl.key.location"]
        errors: list[Any] = []
        producer = confluent_kafka.Producer({**settings, "error_cb": errors.append})
        deadline = time.monotonic() + WAIT_S
        while not errors and time.monotonic() < deadline:
            producer.poll(0.1)
        assert errors and "certificate required" in errors[0].str()
        assert not broker.requests()


def test_groups_are_told_and_the_port_stays(broker: Broker) -> None:
    options = {"bootstrap_servers": broker.bootstrap_servers, "security_protocol": "SSL",
               "ssl_cafile": broker.tls.ca}
    broker.create_topic("grouped")
    producer = KafkaProducer(**options)
    producer.send("grouped", b"value").get(WAIT_S)
    consumer = KafkaConsumer("grouped", **options, group_id="g", auto_offset_reset="earliest")
    try:
        assert next(consumer).value == b"value"
        consumer.commit()
        assert broker.lag("g") == {"grouped": {0: 0}}
        assert [member.assignment for member in broker.groups()["g"].members] == [{"grouped": [0]}]
    finally:
        producer.close()
        consumer.close(autocommit=False)
    address, ca = broker.bootstrap_servers, broker.tls.ca
    broker.restart()
    assert (broker.bootstrap_servers, broker.tls.ca) == (address, ca)
    assert refusal(broker.bootstrap_servers, anonymous(broker)) == ""


def test_files_go_with_the_broker() -> None:
    broker = Broker(tls=True)
    with pytest.raises(IllegalStateException, match="has no certificates"):
        broker.tls
    with broker:
        folder = Path(broker.tls.ca).parent
        assert isinstance(broker.tls.ssl_context(), ssl.SSLContext)
        assert {stat.S_IMODE(os.stat(path).st_mode) for path in folder.iterdir()} == {0o600}
    assert not folder.exists()
    with Broker() as plain, pytest.raises(IllegalStateException, match="has no certificates"):
        plain.tls
