# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in the test's process that asks its clients who they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.testing import Broker
from tests.clients.client import DEADLINE_S
from tests.clients.kafka_python_client import KafkaConsumer, KafkaProducer
from tests.core.server.scram_wire import ScramWire, ask_plain
from tests.core.server.wire import Closed, Wire

USERS = {"alice": "alice-sEcret", "o'neil, \"b\"=\\c": "pä \"=,;\\ \n"}
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


def options(broker: Broker, mechanism: str, user: str, password: str) -> dict[str, Any]:
    return {"bootstrap_servers": broker.bootstrap_servers, "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": mechanism, "sasl_plain_username": user, "sasl_plain_password": password}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_client_that_is_let_in(mechanism: str) -> None:
    with Broker(sasl=mechanism, users=USERS, topics=["t"]) as broker:
        with_user = options(broker, mechanism, "alice", USERS["alice"])
        producer = KafkaProducer(**with_user)
        producer.send("t", b"1").get(DEADLINE_S)
        producer.close()
        consumer = KafkaConsumer("t", auto_offset_reset="earliest", consumer_timeout_ms=DEADLINE_S * 1000,
                                 **with_user)
        assert next(consumer).value == b"1"
        consumer.close()


def authenticate(broker: Broker, mechanism: str, user: str, password: str) -> int:
    """Return the code of the last answer."""
    with Wire(broker.host, broker.port) as wire:
        if mechanism == "PLAIN":
            return ask_plain(wire, user, password).error_code
        scram_mechanism = ScramMechanism.for_mechanism_name(mechanism)
        assert scram_mechanism is not None
        scram = ScramWire(wire, scram_mechanism, user, password)
        return scram.authenticate(scram.final()).error_code


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_client_that_is_not(mechanism: str) -> None:
    with Broker(sasl=mechanism, users=USERS) as broker:
        for user, password in (("alice", "wrong"), ("nobody", "alice-sEcret")):
            assert authenticate(broker, mechanism, user, password) == 58
        with Wire(broker.host, broker.port) as wire, pytest.raises(Closed):
            wire.ask(ApiKeys.METADATA, 12, MetadataRequestData())
        assert broker.requests() == []


def test_several_mechanisms_and_names_of_any_kind() -> None:
    with Broker(sasl=", ".join(MECHANISMS), users=USERS) as broker:
        broker.restart()
        for user, password in USERS.items():
            for mechanism in MECHANISMS:
                assert authenticate(broker, mechanism, user, password) == 0


def test_over_tls() -> None:
    with Broker(tls=True, sasl="SCRAM-SHA-512", users=USERS, topics=["t"]) as broker:
        with_user = options(broker, "SCRAM-SHA-512", "alice", USERS["alice"])
        with_user |= {"security_protocol": "SASL_SSL", "ssl_cafile": broker.tls.ca}
        producer = KafkaProducer(**with_user)
        assert producer.send("t", b"1").get(DEADLINE_S).offset == 0
        producer.close()


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Broker(sasl="GSSAPI"), "sasl='GSSAPI': the mechanisms are PLAIN, SCRAM-SHA-256, "),
    (lambda: Broker(users={"a": "b"}), "users: need a mechanism")])
def test_what_cannot_be(make: Callable[[], Broker], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
