# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Groups of real clients in a cluster whose coordinators move and are killed, in both protocols."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kreactor.testing import Cluster
from tests.stepping import wait_until

confluent = pytest.importorskip("confluent_kafka")

TOPIC, GROUP = "topic", "group"
PARTITIONS = 4
QUICKLY = {"log_level": 0, "retry.backoff.ms": 20, "reconnect.backoff.ms": 20,
           "reconnect.backoff.max.ms": 200, "topic.metadata.refresh.interval.ms": 1000}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={TOPIC: PARTITIONS}) as cluster:
        yield cluster


def ignore_error(error: object) -> None:
    """Brokers go away here."""


class Member:
    """A consumer of the group on a thread of its own, which notes all values and commits what it has read."""

    def __init__(self, cluster: Cluster, protocol: str) -> None:
        self._consumer: Any = confluent.Consumer({
            **QUICKLY, "bootstrap.servers": cluster.bootstrap_servers, "group.id": GROUP,
            "auto.offset.reset": "earliest", "enable.auto.commit": False, "group.protocol": protocol,
            "error_cb": ignore_error})
        self._consumer.subscribe([TOPIC])
        self._stop = threading.Event()
        self.values: list[bytes] = []
        self.commits = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            message = self._consumer.poll(0.05)
            if message is None or message.error() is not None:
                continue
            self.values.append(message.value())
            try:
                self._consumer.commit(message, asynchronous=False)
                self.commits += 1
            except confluent.KafkaException:
                # The coordinator is moving; the next record's commit covers this one.
                pass
        self._consumer.close()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_members_go_on_when_their_coordinator_moves_and_dies(cluster: Cluster, protocol: str) -> None:
    members = [Member(cluster, protocol) for _ in range(2)]
    sent = 0

    def read_on(says: str) -> None:
        """Have both members get records that are written now, and commit."""
        seen = [len(member.values) for member in members]
        committed = [member.commits for member in members]

        def is_done() -> bool:
            nonlocal sent
            # Until each of them has had one of this round: a rebalance may be under way.
            for partition in range(PARTITIONS):
                cluster.produce(TOPIC, f"{says} {sent}", partition=partition)
                sent += 1
            time.sleep(0.1)
            return (all(len(member.values) > before for member, before in zip(members, seen))
                    and all(member.commits > before for member, before in zip(members, committed)))

        wait_until(is_done)

    try:
        read_on("at first")
        group = cluster.groups()[GROUP]
        ids = {member.id for member in group.members}
        assert len(ids) == 2 and group.protocol
        to = cluster.coordinator(GROUP) % 3 + 1
        cluster.move_coordinator(GROUP, to)
        read_on("after a move")
        cluster.kill(to)
        assert cluster.coordinator(GROUP) not in (to, -1)
        read_on("after a kill")
        cluster.restart(to)
        cluster.move_coordinator(GROUP, to)
        read_on("back")
        # No member has had to join again.
        assert {member.id for member in cluster.groups()[GROUP].members} == ids

        def all_is_read() -> bool:
            return {value for member in members for value in member.values} == {
                record.value for record in cluster.records(TOPIC)}

        wait_until(all_is_read)
    finally:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(Member.close, members))
    # Committed offsets survive the next coordinator, too.
    lag = cluster.lag(GROUP)
    cluster.kill(cluster.coordinator(GROUP))
    wait_until(lambda: GROUP in cluster.groups())
    assert cluster.lag(GROUP) == lag
