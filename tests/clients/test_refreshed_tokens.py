# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A client of kreactor's whose tokens live for seconds: it gets the next one before one expires."""

from __future__ import annotations

import threading
import time

import pytest

from kreactor.clients.client_security import ClientSecurity
from kreactor.clients.connection import Connection
from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.testing.broker import Broker

LIFETIME_S = 8
TIMEOUT_MS = 60_000


def security(lifetime_s: int) -> ClientSecurity:
    return ClientSecurity({
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": (
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
            f'unsecuredLoginStringClaim_sub="alice" unsecuredLoginLifetimeSeconds="{lifetime_s}";'),
        "sasl.login.refresh.window.factor": 0.5,
        "sasl.login.refresh.min.period.seconds": 0,
        "sasl.login.refresh.buffer.seconds": 0,
    })


def reauthentications(connection: Connection) -> float:
    [value] = [metric.metric_value() for name, metric in connection._metrics.metrics().items()
               if name.name() == "successful-reauthentication-total"]
    assert isinstance(value, float)
    return value


def use(connection: Connection) -> None:
    connection.send(ApiVersionsRequest.Builder(), ApiVersionsResponse)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafka-expiring")]


def test_a_client_outlives_its_tokens() -> None:
    with Broker(sasl="OAUTHBEARER") as broker:
        began = time.monotonic()
        connection = Connection(broker.host, broker.port, "client", TIMEOUT_MS, security(LIFETIME_S))
        try:
            # A session ends with its token: the broker closes a connection that brings no new one.
            while reauthentications(connection) < 2:
                use(connection)
                assert time.monotonic() - began < 60, "no second authentication"
                time.sleep(0.05)
            assert threads() == ["kafka-expiring-relogin-thread-alice"]
            # The first token has expired, and the login has another one for connections to come.
            while time.monotonic() - began < LIFETIME_S + 1:
                use(connection)
                time.sleep(0.05)
            other = Connection(broker.host, broker.port, "other", TIMEOUT_MS, security(LIFETIME_S))
            use(other)
            other.close()
            use(connection)
        finally:
            connection.close()
        assert not threads()


def test_a_client_whose_token_has_expired_is_refused() -> None:
    with Broker(sasl="OAUTHBEARER") as broker:
        with pytest.raises(SaslAuthenticationException, match="invalid_token"):
            Connection(broker.host, broker.port, "client", TIMEOUT_MS, security(-1))
        assert not threads()
