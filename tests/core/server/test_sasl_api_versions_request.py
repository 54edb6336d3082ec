# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.SaslApiVersionsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that has not authenticated yet asks which versions a broker has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.testing import Broker
from tests.core.server.test_api_versions_request import LATEST, NAMED, validate_api_versions_response
from tests.core.server.wire import Wire, body_bytes


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    # Kafka's defaults; a broker of kreactor.testing has consumer groups, too, and a version of theirs.
    properties = {"group.coordinator.rebalance.protocols": "classic"}
    with Broker(sasl="PLAIN", users={"alice": "secret"}, properties=properties) as broker:
        yield broker


def connect(broker: Broker) -> Wire:
    return Wire(broker.host, broker.port)


def shake_hands(wire: Wire) -> None:
    version = ApiKeys.SASL_HANDSHAKE.latest_version()
    answer: Any = wire.ask(ApiKeys.SASL_HANDSHAKE, version, SaslHandshakeRequestData(mechanism="PLAIN"))
    assert answer.error_code == Errors.NONE.code
    assert answer.mechanisms == ["PLAIN"]


def ask(wire: Wire) -> Any:
    return wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())


def test_api_versions_request_before_sasl_handshake_request(broker: Broker) -> None:
    with connect(broker) as wire:
        validate_api_versions_response(ask(wire), api_version=0)
        shake_hands(wire)


def test_api_versions_request_after_sasl_handshake_request(broker: Broker) -> None:
    with connect(broker) as wire:
        shake_hands(wire)
        assert ask(wire).error_code == Errors.ILLEGAL_SASL_STATE.code


def test_api_versions_request_with_unsupported_version(broker: Broker) -> None:
    with connect(broker) as wire:
        wire.send(ApiKeys.API_VERSIONS, 2**15 - 1, body_bytes(NAMED, LATEST))
        answer: Any = wire.receive(ApiKeys.API_VERSIONS, 0, 1)
        assert answer.error_code == Errors.UNSUPPORTED_VERSION.code
        validate_api_versions_response(ask(wire), api_version=0)
        shake_hands(wire)
