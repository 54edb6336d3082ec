# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations


import pytest

from kreactor.testing import Broker
from tests.tools.scripts import load
from tools.servers import Server

quota_rate = load("load/quota_rate")
Ack = quota_rate.Ack


def at_rates(limited: float, free: float = 2_000_000.0, throttle_ms: int = 0):
    return [quota_rate.Result(rate, [], {20: (0.0, rate, 0.0)}, 0.0, throttled)
            for rate, throttled in ((limited, 5000), (free, throttle_ms))]


def test_windows():
    assert quota_rate.windows([0, 10, 20, 30], 2) == (5, 15, 25)


def test_what_comes_before_and_after_does_not_count():
    acks = [Ack(9.9, 1, 9.0, 9), Ack(10.0, 2, 0.1, 0), Ack(10.9, 4, 0.2, 3), Ack(31.5, 8, 0.1, 0),
            Ack(32.0, 16, 9.0, 9)]
    found = quota_rate.result(acks, 10.0, 22)
    assert (found.rate, found.seconds) == (14 / 22, [6, *[0] * 20, 8])
    assert found.windows == {20: (0.0, 0.3, 0.4), 22: (14 / 22, 14 / 22, 14 / 22)}
    assert (found.longest_wait, found.throttle_ms) == (0.2, 3)


@pytest.mark.parametrize(("results", "is_held"), [
    (at_rates(1_000_000), True), (at_rates(1_090_000), True), (at_rates(1_110_000), False),
    (at_rates(890_000), False), (at_rates(1_000_000, free=1_890_000), False),
    (at_rates(1_000_000, throttle_ms=1), False)])
def test_what_is_held(results, is_held):
    assert quota_rate.is_held(*results) is is_held


def test_two_clients_of_a_broker(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(quota_rate, "TURN_S", 0)
    monkeypatch.setattr(quota_rate, "WINDOWS_S", (5,))
    with Broker() as broker:
        server = Server("kreactor", broker.host, broker.port)
        limited, free = quota_rate.measure(server, 5, 10_000)
        assert limited.rate and free.rate and free.throttle_ms == 0
        assert quota_rate.lines("kreactor", limited, free)[0].startswith("kreactor: ")
