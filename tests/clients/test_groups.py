# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Groups of real consumers: who joins, who leaves, and where they go on after the broker was killed."""

from __future__ import annotations

import gc
import logging
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.broker_process import BrokerProcess
from tests.clients.client import DEADLINE_S, PARTITIONS, Client, Record
from tests.clients.clients import CLIENTS
from tests.clients.confluent_client import ConfluentClient
from tests.clients.group_members import Member, member
from tests.stepping import wait_until

# kafka-python leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    r"ignore:unclosed <socket.socket fd=\d+, family=2, type=1, proto=6, laddr=\('0.0.0.0', \d+\)>"
    ":ResourceWarning")


@pytest.fixture(autouse=True)
def refused_connections_are_collected(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    for name in ("kafka", "aiokafka"):
        caplog.set_level(logging.CRITICAL, name)
    yield
    gc.collect()


def values(first: int, last: int) -> list[bytes]:
    return [b"%d" % number for number in range(first, last)]


def write(client: Client, topic: str, first: int, last: int) -> None:
    """Write values, to all partitions in turn."""
    client.produce(topic, [Record(number % len(PARTITIONS), b"key", value)
                           for number, value in enumerate(values(first, last), first)])


def divided(*members: Member) -> bool:
    """Return whether each partition is one member's, and each member has some."""
    partitions = [partition for each in members for partition in each.partitions]
    return sorted(partitions) == list(PARTITIONS) and all(each.partitions for each in members)


def test_members_come_and_go(client: Client, topic: str) -> None:
    group = f"group-{uuid.uuid4()}"
    write(client, topic, 0, 40)
    with member(client, group, topic) as first:
        first.wait_for(40)
        assert divided(first)
        with member(client, group, topic) as second:
            wait_until(lambda: divided(first, second), patience_s=DEADLINE_S)
            write(client, topic, 40, 80)
            wait_until(lambda: len(first.values) + len(second.values) >= 80, patience_s=DEADLINE_S)
        wait_until(lambda: divided(first), patience_s=DEADLINE_S)
        write(client, topic, 80, 120)
        first.wait_for(120 - len(second.values))
    assert set(first.values) | set(second.values) == set(values(0, 120))
    # kcat commits now and then, so that it may read again what it has read.
    if client.name != "kcat":
        assert sorted(first.values + second.values) == sorted(values(0, 120))


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_killed_broker_and_the_committed_offset(tmp_path: Path, kind: type[Client]) -> None:
    with BrokerProcess(tmp_path) as broker:
        client = kind(broker.address)
        ConfluentClient(broker.address).create_topic("topic", len(PARTITIONS))
        write(client, "topic", 0, 40)
        with member(client, "group", "topic") as before:
            before.wait_for(40)
        assert sorted(before.values) == sorted(values(0, 40))

        broker.kill()
        broker.start()

        write(client, "topic", 40, 60)
        with member(client, "group", "topic") as after:
            after.wait_for(20)
        assert sorted(after.values) == sorted(values(40, 60))
        broker.stop()
    assert "ERROR" not in broker.complaints() and "Traceback" not in broker.complaints()


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_member_lives_through_the_death_of_the_broker(tmp_path: Path, kind: type[Client]) -> None:
    """Its group is on disk, and its session begins anew with the broker."""
    with BrokerProcess(tmp_path) as broker:
        client = kind(broker.address)
        ConfluentClient(broker.address).create_topic("topic", len(PARTITIONS))
        write(client, "topic", 0, 20)
        with member(client, "group", "topic") as one:
            one.wait_for(20)
            broker.kill()
            broker.start()
            write(client, "topic", 20, 40)
            wait_until(lambda: set(one.values) == set(values(0, 40)) or one.failure, patience_s=DEADLINE_S)
        broker.stop()
