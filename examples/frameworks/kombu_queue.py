# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with kombu, over its transport for Kafka: a queue is a topic.

kombu wraps each body in JSON, so this program first copies the lines into its own queue.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from confluent_kafka import Consumer, Producer
from kombu import Connection, Message, Queue
from kombu.mixins import ConsumerMixin

SERVERS = os.environ["BOOTSTRAP_SERVERS"]
QUEUE = Queue("kombu-lines", routing_key="kombu-lines")


class Worker(ConsumerMixin):  # type: ignore[misc]
    """Counts the words of the queue's lines."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._counts: Counter[str] = Counter()
        self._producer = Producer({"bootstrap.servers": SERVERS, "linger.ms": 20})

    def get_consumers(self, consumer_class: type, channel: object) -> Sequence[object]:
        return [consumer_class(queues=[QUEUE], callbacks=[self._count], accept=["json"])]

    def _count(self, line: str, message: Message) -> None:
        for word in line.split():
            self._counts[word] += 1
            self._producer.produce(os.environ["COUNTS"], str(self._counts[word]), word)
        self._producer.poll(0)
        message.ack()


def feed(connection: Connection) -> None:
    consumer = Consumer({
        "bootstrap.servers": SERVERS, "group.id": "kombu-feed", "auto.offset.reset": "earliest",
        "enable.partition.eof": True})
    consumer.subscribe([os.environ["LINES"]])
    producer = connection.Producer()
    while True:
        line = consumer.poll(1.0)
        if line is not None and line.error():
            break
        if line is not None:
            producer.publish(
                (line.value() or b"").decode(), serializer="json", routing_key=QUEUE.routing_key,
                declare=[QUEUE])
    consumer.close()


if __name__ == "__main__":
    with Connection(f"confluentkafka://{SERVERS}/") as connection:
        feed(connection)
        Worker(connection).run()
