# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker that is killed while all clients write to it, and comes back where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kreactor.testing import Broker, Drop
from tests import longer
from tests.clients.broker_process import REFUSED_CONNECTIONS, BrokerProcess
from tests.clients.checks import check
from tests.clients.client import DEADLINE_S, PARTITIONS, Client, Read
from tests.clients.clients import FIRST, INSTALLED
from tests.clients.load import Load

TOPIC = "topic"

pytestmark = REFUSED_CONNECTIONS


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker with a topic, which must be able to stop as its user has it stop."""
    with BrokerProcess(tmp_path) as process:
        FIRST(process.address).create_topic(TOPIC, len(PARTITIONS))
        yield process
        process.stop()
    # A batch that the kill cut in two is worth a warning.
    assert "ERROR" not in process.complaints() and "Traceback" not in process.complaints()


@pytest.fixture
def clients(broker: BrokerProcess) -> list[Client]:
    return [each(broker.address) for each in INSTALLED]


def read_at_once(clients: Sequence[Client], partitions: Sequence[Sequence[int]]) -> list[list[Read]]:
    """Have each client read partitions of its own."""
    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(lambda client, its: client.read(TOPIC, its), clients, partitions))


@pytest.mark.time_limit(300)
def test_killed_once(broker: BrokerProcess, clients: list[Client]) -> None:
    with Load(clients, TOPIC, longer.examples(60_000, 200_000), idempotent=True) as load:
        load.wait_for_first(0.5)
        broker.kill()
        broker.start()
        written = load.result()
    # Each partition by one of them.
    shares = [PARTITIONS[index::len(clients)] for index in range(len(clients))]
    check([read for found in read_at_once(clients, shares) for read in found], written)


@pytest.mark.time_limit(300)
def test_killed_again_and_again(broker: BrokerProcess, clients: list[Client]) -> None:
    with Load(clients, TOPIC, 40_000, idempotent=True) as load:
        for wait_for, share in (
                # Not before all are there: some give up a broker that they never reached.
                (load.wait_for_last, 0), (load.wait_for_first, 0.3), (load.wait_for_first, 0.8),
                (load.wait_for_last, 0.5), (load.wait_for_last, 0.9)):
            wait_for(share)
            broker.kill()
            broker.start()
        written = load.result()
    for found in read_at_once(clients, [PARTITIONS] * len(clients)):
        check(found, written)


def test_killed_while_it_starts(broker: BrokerProcess, clients: list[Client]) -> None:
    """At all stages of that: while it loads its code, recovers its logs, lets the first clients in."""
    with Load(clients, TOPIC, 40_000, idempotent=True) as load:
        load.wait_for_last(0)
        load.wait_for_first(0.5)
        broker.kill()
        patience_s = 0.3
        while not broker.start(patience_s):
            patience_s *= 1.4
        written = load.result()
    for found in read_at_once(clients, [PARTITIONS] * len(clients)):
        check(found, written)


@pytest.mark.parametrize("is_killed", [False, True], ids=["", "killed"])
def test_answers_are_lost(is_killed: bool) -> None:
    """The writers must write again what is there already."""
    with Broker(topics={TOPIC: len(PARTITIONS)}, properties={"log.retention.ms": -1}) as broker:
        clients = [each(broker.bootstrap_servers) for each in INSTALLED]
        with Load(clients, TOPIC, 40_000, idempotent=True) as load:
            load.wait_for_first(0.2)
            rule = broker.faults.add(Drop(), api="Produce")
            # Nothing more is read from a connection that waits for its answer.
            broker.wait_for(lambda: rule.hits >= len(clients), DEADLINE_S)
            rule.remove()
            if is_killed:
                broker.kill()
                broker.restart()
            else:
                broker.disconnect()
            written = load.result()
        for found in read_at_once(clients, [PARTITIONS] * len(clients)):
            check(found, written)


def test_writers_that_are_not_idempotent(broker: BrokerProcess, clients: list[Client]) -> None:
    """They may write a record twice; what was acknowledged is there, and in order, all the same."""
    with Load(clients, TOPIC, 40_000, idempotent=False) as load:
        for wait_for in (load.wait_for_first, load.wait_for_last):
            wait_for(0.5)
            broker.kill()
            broker.start()
        written = load.result()
    places = {each[:2] for each in written}
    contents = {each[2:5] for each in written}
    for found in read_at_once(clients, [PARTITIONS] * len(clients)):
        check([read for read in found if read[:2] in places], written)
        assert {read[2:5] for read in found} == contents
