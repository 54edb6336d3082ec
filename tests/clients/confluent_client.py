# Licensed under the Apache License, Version 2.0; see LICENSE.
"""confluent-kafka: librdkafka, called from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException
from confluent_kafka import Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.clients.client import (
    DEADLINE_S,
    FETCH_WAIT_MS,
    RECONNECT_MS,
    Client,
    Deadline,
    Metadata,
    OnAck,
    Read,
    Record,
)

# How long it waits for more before it gives what it has.
_PAUSE_S = 0.01


class ConfluentClient(Client):
    name = "confluent-kafka"

    def metadata(self) -> Metadata:
        found = AdminClient(self._config()).list_topics(timeout=DEADLINE_S)
        return Metadata({broker.id: (broker.host, broker.port) for broker in found.brokers.values()},
                        {name: sorted(topic.partitions) for name, topic in found.topics.items()})

    def create_topic(self, topic: str, partitions: int) -> None:
        admin = AdminClient(self._config())
        admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(timeout=DEADLINE_S)

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        admin = AdminClient(self._config())
        admin.delete_topics([topic])[topic].result(timeout=DEADLINE_S)

    def produce(self, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = False,
                on_ack: OnAck = lambda index, offset: None) -> None:
        producer = Producer(self._config() | {
            "acks": "all",
            "enable.idempotence": idempotent,
            "compression.type": codec,
            "linger.ms": 5,
            # More, and a batch that is sent again may come after its successor.
            "max.in.flight": 5 if idempotent else 1,
        })
        acknowledged, failures = 0, []

        def on_delivery(index: int, error: KafkaError | None, message: Message) -> None:
            nonlocal acknowledged
            if error is not None:
                failures.append(KafkaException(error))
                return
            acknowledged += 1
            on_ack(index, message.offset())

        deadline = Deadline(f"{self.name} writes")
        for index, record in enumerate(records):
            timestamp = {} if record.timestamp_ms is None else {"timestamp": record.timestamp_ms}
            while True:
                try:
                    producer.produce(
                        topic, partition=record.partition, key=record.key, value=record.value,
                        headers=list(record.headers), **timestamp,
                        on_delivery=lambda error, message, index=index: on_delivery(index, error, message))
                    break
                except BufferError:
                    deadline.check()
                    producer.poll(0.1)
            producer.poll(0)
        producer.flush(DEADLINE_S)
        if failures:
            raise failures[0]
        assert acknowledged == len(records)

    def read(self, topic: str, partitions: Sequence[int], since_ms: int | None = None) -> list[Read]:
        consumer = self._consumer(topic)
        try:
            if since_ms is None:
                start = [TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions]
            else:
                start = consumer.offsets_for_times(
                    [TopicPartition(topic, partition, since_ms) for partition in partitions],
                    timeout=DEADLINE_S)
            consumer.assign(start)
            deadline = Deadline(f"{self.name} reads")
            found: list[Read] = []
            at_end: set[int] = set()
            while at_end != set(partitions):
                deadline.check()
                for message in consumer.consume(1000, _PAUSE_S):
                    if _is_end(message):
                        at_end.add(message.partition())
                    else:
                        found.append(_read(message))
            return found
        finally:
            consumer.close()

    @contextmanager
    def tail(self, topic: str, counts: Mapping[int, int]) -> Iterator[Callable[[], list[Read]]]:
        consumer = self._consumer(topic)
        try:
            consumer.assign([TopicPartition(topic, partition, OFFSET_END) for partition in counts])
            deadline = Deadline(f"{self.name} finds the end")
            at_end: set[int] = set()
            while at_end != set(counts):
                deadline.check()
                for message in consumer.consume(1, _PAUSE_S):
                    assert _is_end(message), "a record before the end"
                    at_end.add(message.partition())

            def take() -> list[Read]:
                deadline = Deadline(f"{self.name} reads from the end")
                found: list[Read] = []
                while len(found) < sum(counts.values()):
                    deadline.check()
                    found += [_read(message) for message in consumer.consume(1000, _PAUSE_S)
                              if not _is_end(message)]
                return found

            yield take
        finally:
            consumer.close()

    def _config(self) -> dict[str, Any]:
        return {
            "bootstrap.servers": self.address,
            "reconnect.backoff.ms": RECONNECT_MS,
            "reconnect.backoff.max.ms": RECONNECT_MS,
            # Failures come as errors; its log about an absent broker is of no use.
            "log_level": 0,
        }

    def _consumer(self, topic: str) -> Consumer:
        consumer = Consumer(self._config() | {
            # It must have one, though it is not asked to join.
            "group.id": "none",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": FETCH_WAIT_MS,
            # By its default it does not fetch at all while so much is waiting to be taken.
            "queued.min.messages": 1_000_000,
        })
        # One that is assigned partitions before it knows their leader looks for it half a second later.
        consumer.list_topics(topic, timeout=DEADLINE_S)
        return consumer


def _is_end(message: Message) -> bool:
    error = message.error()
    if error is None:
        return False
    if error.code() == KafkaError._PARTITION_EOF:
        return True
    raise KafkaException(error)


def _read(message: Message) -> Read:
    return Read(message.partition(), message.offset(), message.key(), message.value(),
                tuple(message.headers() or ()), message.timestamp()[1])
