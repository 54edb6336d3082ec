# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Transactions of real clients: what is committed is read, what is aborted is not, through kills, too."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.broker_process import BrokerProcess
from tests.clients.client import PARTITIONS
from tests.clients.confluent_client import ConfluentClient
from tests.clients.transactions import ALL_WRITERS, WRITERS, Writer

# Left by clients whose broker was away, or who were replaced.
pytestmark = [
    pytest.mark.filterwarnings(
        r"ignore:unclosed <socket.socket fd=\d+, family=2, type=1, proto=6, laddr=\('0.0.0.0', \d+\)>"
        ":ResourceWarning"),
]


@pytest.fixture(autouse=True)
def refused_connections_are_collected(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    for name in ("kafka", "aiokafka"):
        caplog.set_level(logging.CRITICAL, name)
    yield
    gc.collect()


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker that can be killed, and must be able to stop as its user has it stop."""
    with BrokerProcess(tmp_path) as process:
        ConfluentClient(process.address).create_topic("topic", len(PARTITIONS))
        yield process
        process.stop()
    assert "ERROR" not in process.complaints() and "Traceback" not in process.complaints()


def values(name: str, count: int = 10) -> list[bytes]:
    return [b"%s %d" % (name.encode(), number) for number in range(count)]


@pytest.mark.parametrize("kind", WRITERS, ids=lambda kind: kind.name)
def test_commit_and_abort(kind: type[Writer], broker: BrokerProcess, topic: str) -> None:
    writer = kind(broker.address, f"{kind.name} {topic}", topic)
    try:
        writer.write(values("first"), commit=True)
        writer.write(values("aborted"), commit=False)
        writer.write(values("second"), commit=True)
        # Records of an open transaction are not read, and none behind them.
        found: list[bytes] = []
        writer.write(values("third"), True, lambda: found.extend(kind.read(broker.address, topic)))
        assert found == values("first") + values("second")
    finally:
        writer.close()
    expected = values("first") + values("second") + values("third")
    for other in ALL_WRITERS:
        assert other.read_committed(broker.address, topic, len(expected)) == expected, other.name


@pytest.mark.parametrize("kind", ALL_WRITERS, ids=lambda kind: kind.name)
def test_a_producer_that_is_replaced_goes_on_where_it_ended(kind: type[Writer], broker: BrokerProcess,
                                                            topic: str) -> None:
    for number in range(3):
        writer = kind(broker.address, f"{kind.name} {topic}", topic)
        writer.write(values(f"{number}"), commit=True)
        writer.close()
    assert kind.read_committed(broker.address, topic, 30) == values("0") + values("1") + values("2")


@pytest.mark.parametrize("kind", WRITERS, ids=lambda kind: kind.name)
def test_a_producer_that_is_fenced_in_the_middle(kind: type[Writer], broker: BrokerProcess,
                                                 topic: str) -> None:
    name = f"{kind.name} {topic}"
    old = kind(broker.address, name, topic)
    try:
        old.write(values("before"), commit=True)
        news: list[Writer] = []
        with pytest.raises(Exception) as error:
            old.write(values("lost"), True, lambda: news.append(kind(broker.address, name, topic)))
        assert "fenced" in repr(error.value).lower() or "epoch" in repr(error.value).lower(), error.value
        new, = news
        try:
            new.write(values("after"), commit=True)
        finally:
            new.close()
    finally:
        try:
            old.close()
        except Exception:
            # That it was fenced, once more.
            assert news
    assert kind.read_committed(broker.address, topic, 20) == values("before") + values("after")


@pytest.mark.parametrize(("kind", "commit"), [
    *(pytest.param(kind, True, id=f"{kind.name} commits") for kind in WRITERS),
    pytest.param(WRITERS[0], False, id=f"{WRITERS[0].name} aborts")])
def test_killed_in_the_middle(kind: type[Writer], commit: bool, own_broker: BrokerProcess) -> None:
    """The broker knows of an open transaction when it is back, and its producer ends it."""
    writer = kind(own_broker.address, "txn", "topic")
    try:
        writer.write(values("before"), commit=True)

        def kill() -> None:
            own_broker.kill()
            own_broker.start()

        writer.write(values("during"), commit, kill)
        writer.write(values("after"), commit=True)
    finally:
        writer.close()
    expected = values("before") + (values("during") if commit else []) + values("after")
    assert kind.read_committed(own_broker.address, "topic", len(expected)) == expected


def test_killed_right_after_the_commit(own_broker: BrokerProcess) -> None:
    """Committed is committed, whether the markers were written or not."""
    expected: list[bytes] = []
    for number in range(2):
        writer = WRITERS[0](own_broker.address, "txn", "topic")
        writer.write(values(f"{number}"), commit=True)
        expected += values(f"{number}")
        own_broker.kill()
        own_broker.start()
        assert WRITERS[0].read_committed(own_broker.address, "topic", len(expected)) == expected
