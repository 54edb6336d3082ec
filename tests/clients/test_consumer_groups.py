# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Consumer groups (KIP-848) of confluent-kafka: members come, go, are killed, and commit what they read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.testing import Broker
from tests.clients.client import DEADLINE_S, PARTITIONS
from tests.clients.confluent_client import ConfluentClient
from tests.clients.group_members import ConfluentMember, ConsumerProtocolMember
from tests.clients.test_groups import divided, values, write
from tests.stepping import wait_until

TOPIC = "topic"
ROOT = Path(__file__).parents[2]
# A member that lives until it is killed.
MEMBER = """
import sys
from tests.clients.group_members import ConsumerProtocolMember

ConsumerProtocolMember(*sys.argv[1:]).read()
"""


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={TOPIC: len(PARTITIONS)}, properties={
            "group.consumer.min.session.timeout.ms": 1_000, "group.consumer.session.timeout.ms": 3_000,
            "group.consumer.migration.policy": "bidirectional"}) as broker:
        yield broker


@pytest.fixture
def client(broker: Broker) -> ConfluentClient:
    return ConfluentClient(broker.bootstrap_servers)


def test_members_come_and_go(broker: Broker, client: ConfluentClient) -> None:
    write(client, TOPIC, 0, 40)
    with ConsumerProtocolMember(broker.bootstrap_servers, "group", TOPIC) as first:
        first.wait_for(40)
        assert divided(first)
        with ConsumerProtocolMember(broker.bootstrap_servers, "group", TOPIC) as second:
            wait_until(lambda: divided(first, second), patience_s=DEADLINE_S)
            write(client, TOPIC, 40, 80)
            wait_until(lambda: len(first.values) + len(second.values) >= 80, patience_s=DEADLINE_S)
        wait_until(lambda: divided(first), patience_s=DEADLINE_S)
        write(client, TOPIC, 80, 120)
        first.wait_for(120 - len(second.values))
    assert sorted(first.values + second.values) == sorted(values(0, 120))
    # The next member goes on where they have committed.
    write(client, TOPIC, 120, 140)
    with ConsumerProtocolMember(broker.bootstrap_servers, "group", TOPIC) as third:
        third.wait_for(20)
    assert sorted(third.values) == sorted(values(120, 140))


def test_a_killed_member_loses_its_partitions(broker: Broker, client: ConfluentClient) -> None:
    with ConsumerProtocolMember(broker.bootstrap_servers, "group", TOPIC) as living:
        wait_until(lambda: divided(living), patience_s=DEADLINE_S)
        process = subprocess.Popen(
            [sys.executable, "-c", MEMBER, broker.bootstrap_servers, "group", TOPIC], cwd=ROOT)
        try:
            wait_until(lambda: len(living.partitions) == len(PARTITIONS) // 2, patience_s=DEADLINE_S)
        finally:
            process.kill()
            process.wait()
        write(client, TOPIC, 0, 40)
        wait_until(lambda: divided(living), patience_s=DEADLINE_S)
        living.wait_for(40)
    assert sorted(living.values) == sorted(values(0, 40))


def test_a_group_of_both_protocols(broker: Broker, client: ConfluentClient) -> None:
    """A classic group becomes a consumer group with its first such member, and a classic one again."""
    write(client, TOPIC, 0, 40)
    with ConfluentMember(broker.bootstrap_servers, "group", TOPIC) as classic:
        classic.wait_for(40)
        with ConsumerProtocolMember(broker.bootstrap_servers, "group", TOPIC) as modern:
            wait_until(lambda: divided(classic, modern), patience_s=DEADLINE_S)
            write(client, TOPIC, 40, 80)
            wait_until(lambda: len(classic.values) + len(modern.values) >= 80, patience_s=DEADLINE_S)
        wait_until(lambda: divided(classic), patience_s=DEADLINE_S)
        write(client, TOPIC, 80, 120)
        classic.wait_for(120 - len(modern.values))
    # A partition that moves may be read again from its committed offset.
    assert set(classic.values + modern.values) == set(values(0, 120))
