# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys

import pytest

from tests.tools.scripts import load
from tools import servers

idle_connections = load("load/idle_connections")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")

IDLE = 100
Size = idle_connections.Size


def done(rss_kib: int = 1000, held: int = 20 + IDLE, after: int = 10):
    return idle_connections.Round({}, Size(20, rss_kib), Size(held, 1500), Size(after, 1200))


def rounds(*counted):
    return [done()] * idle_connections.WARM_UPS + list(counted)


def test_nothing_is_wrong_if_all_is_back():
    assert not idle_connections.verdict(rounds(done(), done(1100), done()), Size(20, 1010), IDLE)


def test_memory_is_compared_with_that_before_the_first_counted_round():
    problems = idle_connections.verdict(rounds(done(1000), done()), Size(20, 1011), IDLE)
    assert problems == ["memory grew by 1.10% over 2 rounds"]
    assert not idle_connections.verdict(rounds(done(1002), done()), Size(20, 1011), IDLE)


def test_descriptors_that_are_left():
    problems = idle_connections.verdict(rounds(done(), done(after=11)), Size(20, 1000), IDLE)
    assert len(problems) == 1 and problems[0].startswith("round 2: 11 descriptors are open afterwards")


def test_connections_that_were_not_held():
    problems = idle_connections.verdict(rounds(done(held=19 + IDLE)), Size(20, 1000), IDLE)
    assert len(problems) == 1 and "99 more descriptors" in problems[0]


def test_memory_of_a_connection_is_that_of_the_first_round():
    first = idle_connections.Round({}, Size(20, 1000), Size(120, 1250), Size(10, 1240))
    assert idle_connections.connection_kib([first, done(1240)], IDLE) == 2.5


def test_source_addresses():
    source_address = idle_connections.source_address
    every = {source_address(index, number) for index in (0, 10_000) for number in range(8)}
    assert len(every) == 16 and all(address.startswith("127.") for address in every)
    assert source_address(9_999, 3) == source_address(0, 3)


def test_a_host_that_does_not_allow_it(monkeypatch):
    limits = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1024))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    with pytest.raises(servers.Failed, match="allows a process 1024 descriptors"):
        idle_connections.raise_limit(1000)
    idle_connections.raise_limit(500)
    assert limits == [(1024, 1024)] * 2


@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")
def test_a_round():
    arguments = argparse.Namespace(idle=IDLE, active=2, seconds=1.0)
    with servers.compiled_client() as client, servers.broker({"num.network.threads": "1"}) as server:
        first, second = (idle_connections.do_round(client, server, arguments, number) for number in range(2))
    assert list(second.loads) == list(idle_connections.PARTS)
    assert all(load.requests_per_s > 0 for load in second.loads.values())
    assert second.held.descriptors == second.alone.descriptors + IDLE
    assert second.after.descriptors == first.after.descriptors == second.alone.descriptors - 2
