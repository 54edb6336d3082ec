# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslAuthenticatorFailureDelayTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that fails to authenticate gets the error after a while, and none if it is gone by then.

Each runs without a delay and with one, as the two subclasses of the origin do.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.errors import SaslAuthenticationException
from kreactor.testing.mock_time import MockTime
from tests.common.network.network_test_utils import (
    complete_delayed_channel_close,
    delayed_closing_channels,
    polled,
    wait_for_condition,
)
from tests.common.security.authenticator.sasl_ends import SASL_SSL, Ends


class Failing:
    """Both ends, on a clock that moves when somebody looks at it."""

    def __init__(self, delay_ms: int) -> None:
        self.delay_ms = delay_ms
        self.time = MockTime(auto_tick_ms=10)
        self.began_ms = self.time.milliseconds()
        self.ends: Ends | None = None

    def new_ends(self, mechanism: str) -> Ends:
        self.ends = Ends(SASL_SSL, [mechanism], time=self.time)
        self.ends.set_client_jaas(username="myuser", password="invalidpassword")
        return self.ends

    def refused(self, mechanism: str, message: str) -> None:
        ends = self.new_ends(mechanism)
        server = ends.start(self.delay_ms)
        exception = ends.check_failure().exception()
        ends.close_client()
        assert isinstance(exception, SaslAuthenticationException)
        assert exception.get_message() == message
        server.verify_authentication_metrics(0, 1)

    def close(self) -> None:
        now_ms = self.time.milliseconds()
        if self.ends is not None:
            self.ends.close()
        assert now_ms - self.began_ms >= self.delay_ms


@pytest.fixture(params=[0, 200])
def failing(request: pytest.FixtureRequest) -> Iterator[Failing]:
    failing = Failing(request.param)
    yield failing
    failing.close()


def test_invalid_password_sasl_plain(failing: Failing) -> None:
    failing.refused("PLAIN", "Authentication failed: Invalid username or password")


def test_invalid_password_sasl_scram(failing: Failing) -> None:
    failing.refused("SCRAM-SHA-256", "Authentication failed during authentication due to invalid credentials "
                                     "with SASL mechanism SCRAM-SHA-256")


def test_disabled_sasl_mechanism(failing: Failing) -> None:
    # The origin's, too, fails for its password: its mechanism is one of the server's.
    failing.refused("SCRAM-SHA-256", "Authentication failed during authentication due to invalid credentials "
                                     "with SASL mechanism SCRAM-SHA-256")


def test_client_connection_close(failing: Failing) -> None:
    ends = failing.new_ends("PLAIN")
    server = ends.start(failing.delay_ms)
    client = ends.connect()
    delayed = delayed_closing_channels(server.selector)
    seen = False

    def failed() -> bool:
        nonlocal seen
        polled(client, 5)
        seen = seen or bool(server.selector.channels())
        # Without a delay, the connection may be over before anybody looks.
        return bool(delayed) if failing.delay_ms else seen or bool(client.disconnected())

    wait_for_condition(failed, "no failure")
    assert seen or not failing.delay_ms
    ends.close_client()
    wait_for_condition(lambda: not delayed and not server.selector.channels(), "not closed")
    wait_for_condition(lambda: failing.time.milliseconds() > failing.began_ms + failing.delay_ms + 1, "early")
    complete_delayed_channel_close(server.selector, failing.time.nanoseconds())
