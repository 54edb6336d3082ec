# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics that are compacted, as a test and its clients see them."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnknownTopicOrPartitionException
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, MockTime
from tests.clients.client import Client
from tests.clients.client import Record as Written
from tests.clients.clients import CLIENTS, FIRST
from tests.stepping import wait_until

# A client leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")

TOPIC = "topic"
DAY_MS = 24 * 60 * 60 * 1000


def found(broker: Broker) -> list[tuple[int, int, bytes | None, bytes | None]]:
    return [(each.partition, each.offset, each.key, each.value) for each in broker.records(TOPIC)]


@pytest.mark.parametrize("each", CLIENTS)
def test_a_client_reads_what_is_left(each: type[Client]) -> None:
    with Broker() as broker:
        broker.create_topic(TOPIC, 2, {"cleanup.policy": "compact"})
        client = each(broker.bootstrap_servers)
        for number in range(3):
            client.produce(TOPIC, [Written(partition, b"%d" % key, b"%d" % number)
                                   for partition in (0, 1) for key in range(4)])
        broker.compact(TOPIC)
        expected = [(partition, 8 + key, b"%d" % key, b"2") for partition in (0, 1) for key in range(4)]
        assert found(broker) == expected
        client.produce(TOPIC, [Written(0, b"0", b"3")])
        assert broker.end_offsets(TOPIC) == {0: 13, 1: 12}
        assert sorted(tuple(record[:4]) for record in client.read(TOPIC, [0, 1])) == sorted(
            [*expected, (0, 12, b"0", b"3")])


def test_tombstones_on_a_mock_clock() -> None:
    time = MockTime()
    with Broker(time=time) as broker:
        broker.create_topic(TOPIC, 1, {"cleanup.policy": "compact", "delete.retention.ms": DAY_MS,
                                       "min.compaction.lag.ms": 1000})
        client = FIRST(broker.bootstrap_servers)
        now = time.milliseconds()
        client.produce(TOPIC, [Written(0, key, value, timestamp_ms=now)
                               for key, value in ((b"a", b"1"), (b"b", b"1"), (b"a", None))])
        broker.compact(TOPIC)
        assert len(found(broker)) == 3  # too young
        time.sleep(2000)
        broker.compact(TOPIC)
        assert found(broker) == [(0, 1, b"b", b"1"), (0, 2, b"a", None)]
        time.sleep(DAY_MS - 1)
        broker.compact(TOPIC)
        assert len(found(broker)) == 2
        time.sleep(1)
        broker.compact(TOPIC)
        assert found(broker) == [(0, 1, b"b", b"1")]
        broker.kill()
        broker.start()
        assert found(broker) == [(0, 1, b"b", b"1")]
        assert broker.end_offsets(TOPIC) == {0: 3}


def test_the_cleaner_does_it_by_itself() -> None:
    with Broker(properties={"log.cleaner.backoff.ms": 10}) as broker:
        broker.create_topic(TOPIC, 1, {"cleanup.policy": "compact", "segment.bytes": 500})
        client = FIRST(broker.bootstrap_servers)
        for number in range(20):
            client.produce(TOPIC, [Written(0, b"key", b"%d" % number * 20)])
        wait_until(lambda: len(found(broker)) < 12, "it is compacted")
        assert found(broker)[-1] == (0, 19, b"key", b"19" * 20)


def test_topics_that_cannot_be_compacted() -> None:
    with Broker(topics=[TOPIC]) as broker:
        with pytest.raises(ValueError, match="its cleanup.policy is delete"):
            broker.compact(TOPIC)
        with pytest.raises(UnknownTopicOrPartitionException):
            broker.compact("nowhere")
    with Broker(properties={"log.cleaner.enable": False}) as broker:
        broker.create_topic(TOPIC, 1, {"cleanup.policy": "compact"})
        with pytest.raises(IllegalStateException, match="log.cleaner.enable"):
            broker.compact(TOPIC)


def test_a_topic_that_is_deleted_while_it_is_compacted() -> None:
    """The deletion stops its cleaning; a topic of that name begins anew."""
    with Broker(properties={"log.cleaner.backoff.ms": 1}) as broker:
        client = FIRST(broker.bootstrap_servers)
        for _ in range(3):
            broker.create_topic(TOPIC, 1, {"cleanup.policy": "compact", "segment.bytes": 100_000,
                                           "min.cleanable.dirty.ratio": 0.0})
            assert broker.end_offsets(TOPIC) == {0: 0}
            for number in range(20):
                client.produce(TOPIC, [Written(0, b"%d" % (number % 2), b"x" * 25_000)])
            broker.compact(TOPIC)
            assert len(found(broker)) == 2
            broker.delete_topic(TOPIC)
        assert broker.topics().get(TOPIC) is None
