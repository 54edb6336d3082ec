# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Consume, transform, produce: offsets of a group are committed in the transaction of what came of them.

Both coordinators are on one node, which is killed while a transaction is open, and right after its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from tests.clients.broker_process import BrokerProcess
from tests.clients.client import DEADLINE_S, PARTITIONS, RECONNECT_MS, Client, Deadline, Record
from tests.clients.confluent_client import ConfluentClient
from tests.clients.transactions import ALL_WRITERS, ConfluentWriter, Writer

GROUP = "transformers"
COUNT = 40
BATCH = 10


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker that can be killed, and must be able to stop as its user has it stop."""
    with BrokerProcess(tmp_path) as process:
        client: Client = ConfluentClient(process.address)
        client.create_topic("in", len(PARTITIONS))
        client.create_topic("out", 1)
        client.produce("in", [Record(number % len(PARTITIONS), b"key", b"%d" % number)
                              for number in range(COUNT)])
        yield process
        process.stop()
    assert "ERROR" not in process.complaints() and "Traceback" not in process.complaints()


class Transformer:
    """A member of the group with a producer. After an abort it reads the records again."""

    def __init__(self, address: str) -> None:
        common = {"bootstrap.servers": address, "log_level": 0, "reconnect.backoff.ms": RECONNECT_MS,
                  "reconnect.backoff.max.ms": RECONNECT_MS}
        self.consumer = Consumer({
            **common, "group.id": GROUP, "enable.auto.commit": False, "auto.offset.reset": "earliest",
            "isolation.level": "read_committed", "session.timeout.ms": 6_000, "heartbeat.interval.ms": 200})
        self.producer = Producer({**common, "transactional.id": GROUP})
        self.producer.init_transactions(DEADLINE_S)
        self.consumer.subscribe(["in"])

    def begin(self, count: int) -> None:
        """Read so many records, and write what comes of them, with their offsets, in an open transaction."""
        deadline = Deadline("a transformer")
        self.producer.begin_transaction()
        found = 0
        while found < count:
            deadline.check()
            message = self.consumer.poll(0.1)
            if message is None:
                continue
            if message.error() is not None:
                raise KafkaException(message.error())
            self.producer.produce("out", b"%d" % (10 * int(message.value())), partition=0)
            found += 1
        self.producer.send_offsets_to_transaction(
            self.consumer.position(self.consumer.assignment()), self.consumer.consumer_group_metadata(),
            DEADLINE_S)
        assert self.producer.flush(DEADLINE_S) == 0

    def commit(self) -> None:
        self.producer.commit_transaction(DEADLINE_S)

    def abort(self) -> None:
        """End the transaction, and go back to where the group is."""
        self.producer.abort_transaction(DEADLINE_S)
        for partition in committed(self.consumer, self.consumer.assignment()):
            self.consumer.seek(partition)


def committed(consumer: Consumer, partitions: list[TopicPartition]) -> list[TopicPartition]:
    """Return where the group is, at the beginning of what it has not committed."""
    return [TopicPartition(each.topic, each.partition, max(each.offset, 0))
            for each in consumer.committed(partitions, DEADLINE_S)]


@contextmanager
def transformer(address: str) -> Iterator[Transformer]:
    transformer = Transformer(address)
    try:
        yield transformer
    finally:
        transformer.consumer.close()


def offsets(address: str) -> int:
    """Return how many records the group has committed in all."""
    consumer = Consumer({"bootstrap.servers": address, "group.id": GROUP, "log_level": 0,
                         "isolation.level": "read_committed"})
    try:
        return sum(each.offset for each in committed(
            consumer, [TopicPartition("in", partition) for partition in PARTITIONS]))
    finally:
        consumer.close()


def written(address: str, count: int, reader: type[Writer] = ConfluentWriter) -> list[int]:
    """Return what is committed, at least ``count`` records."""
    return sorted(int(value) for value in reader.read_committed(address, "out", count))


def restart(broker: BrokerProcess) -> None:
    broker.kill()
    broker.start()


def check_all(address: str) -> None:
    """Each record was transformed once, whoever reads."""
    expected = [10 * number for number in range(COUNT)]
    for reader in ALL_WRITERS:
        assert written(address, COUNT, reader) == expected, reader.name
    assert offsets(address) == COUNT


def finish(address: str, count: int) -> None:
    """Transform what is left, by a new client: librdkafka may not send offsets to a coordinator it lost."""
    with transformer(address) as last:
        last.begin(count)
        last.commit()
    check_all(address)


def test_commit_and_abort(own_broker: BrokerProcess) -> None:
    address = own_broker.address
    with transformer(address) as one:
        one.begin(BATCH)
        assert written(address, 0) == []
        one.commit()
        first = written(address, BATCH)
        assert len(first) == offsets(address) == BATCH
        one.begin(BATCH)
        one.abort()
        assert written(address, BATCH) == first
        assert offsets(address) == BATCH
        one.begin(COUNT - BATCH)
        one.commit()
    check_all(address)


@pytest.mark.parametrize("ends_by", ["commit", "abort"])
def test_killed_with_a_transaction_open(own_broker: BrokerProcess, ends_by: str) -> None:
    """Both coordinators know of it when they are back: it ends as its producer says, in both topics."""
    address = own_broker.address
    with transformer(address) as one:
        one.begin(BATCH)
        one.commit()
        one.begin(BATCH)
        restart(own_broker)
        assert len(written(address, BATCH)) == BATCH
        if ends_by == "commit":
            one.commit()
        else:
            one.abort()
        done = 2 * BATCH if ends_by == "commit" else BATCH
        assert len(written(address, done)) == offsets(address) == done
    finish(address, COUNT - done)


def test_killed_after_each_commit(own_broker: BrokerProcess) -> None:
    """Whether the markers were written or not, offsets and records are there together."""
    address = own_broker.address
    for number in range(2):
        with transformer(address) as one:
            one.begin(BATCH)
            one.commit()
            restart(own_broker)
            count = (number + 1) * BATCH
            assert len(written(address, count)) == offsets(address) == count
    finish(address, COUNT - 2 * BATCH)


def test_one_that_dies_is_replaced_after_a_kill(own_broker: BrokerProcess) -> None:
    """The successor aborts the open transaction, and begins where the group was."""
    address = own_broker.address
    with transformer(address) as one:
        one.begin(BATCH)
        one.commit()
        one.begin(BATCH)
        restart(own_broker)
        with transformer(address):
            assert len(written(address, BATCH)) == offsets(address) == BATCH
            with pytest.raises(KafkaException, match="fenced|FENCED"):
                one.commit()
    finish(address, COUNT - BATCH)
