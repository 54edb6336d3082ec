# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Peers that stall in a SASL exchange hold their connection and nothing else, wherever they stop."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.testing import Broker, MockTime
from tests.core.network.stalls import MAX_IDLE_MS, stall_at_each_byte
from tests.core.network.test_sasl import authenticate, handshake
from tests.core.server.scram_wire import ScramWire
from tests.core.server.wire import Wire

USER, PASSWORD = "alice", "alice-secret"
MECHANISMS = ("PLAIN", *ScramMechanism.mechanism_names(), "OAUTHBEARER")
PLAIN_TOKEN = f"\0{USER}\0{PASSWORD}".encode()


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(sasl=",".join(MECHANISMS), users={USER: PASSWORD}, time=MockTime(), properties={
            "connections.max.idle.ms": str(MAX_IDLE_MS), "queued.max.request.bytes": "200000000"}) as broker:
        yield broker


def plain(wire: Wire) -> None:
    wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
    wire.ask(*handshake())
    assert wire.ask(*authenticate(PLAIN_TOKEN)).error_code == 0


def without_headers(wire: Wire) -> None:
    wire.ask(*handshake(0))
    wire.socket.sendall(len(PLAIN_TOKEN).to_bytes(4, "big") + PLAIN_TOKEN)
    assert wire.receive_bytes() == b""


def scram(wire: Wire) -> None:
    exchange = ScramWire(wire, next(iter(ScramMechanism)), USER, PASSWORD)
    assert exchange.authenticate(exchange.final()).error_code == 0


def oauthbearer(wire: Wire) -> None:
    header, claims = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
                      for part in ({"alg": "none"}, {"sub": USER, "exp": 1 << 40}))
    wire.ask(*handshake(mechanism="OAUTHBEARER"))
    token = f"n,,\x01auth=Bearer {header}.{claims}.\x01\x01"
    assert wire.ask(*authenticate(token.encode())).error_code == 0


@pytest.mark.parametrize("exchange", [plain, without_headers, scram, oauthbearer])
def test_stalls_at_each_byte(broker: Broker, exchange: Callable[[Wire], None]) -> None:
    stall_at_each_byte(broker, lambda peer: exchange(Wire.over(cast(socket.socket, peer))))
