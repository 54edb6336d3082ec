# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kafka-python 3: Python, with a thread for the network."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

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

with warnings.catch_warnings():
    # It reads its own files by functions that Python 3.11 and 3.12 call deprecated, and later ones do not.
    warnings.filterwarnings("ignore", "(read_text|open_text) is deprecated", DeprecationWarning)
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
    from kafka.admin import NewTopic
    from kafka.errors import KafkaTimeoutError


class KafkaPythonClient(Client):
    name = "kafka-python"
    lacks = {
        "null key and value": "it wants a key or a value",
        "null header": "it wants bytes in a header",
    }

    def metadata(self) -> Metadata:
        with closing(KafkaAdminClient(**self._config())) as admin:
            brokers = {broker["broker_id"]: (broker["host"], broker["port"])
                       for broker in admin.describe_cluster()["brokers"]}
            topics = {topic["name"]: sorted(partition["partition_index"] for partition in topic["partitions"])
                      for topic in admin.describe_topics()}
        return Metadata(brokers, topics)

    def create_topic(self, topic: str, partitions: int) -> None:
        with closing(KafkaAdminClient(**self._config())) as admin:
            admin.create_topics([NewTopic(topic, num_partitions=partitions, replication_factor=1)])

    def delete_topic(self, topic: str) -> None:
        with closing(KafkaAdminClient(**self._config())) as admin:
            admin.delete_topics([topic])

    def produce(self, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = False,
                on_ack: OnAck = lambda index, offset: None) -> None:
        producer = KafkaProducer(
            **self._config(), acks="all", enable_idempotence=idempotent, batch_size=64 * 1024, linger_ms=5,
            compression_type=None if codec == "none" else codec,
            # More, and a batch that is sent again may come after its successor.
            max_in_flight_requests_per_connection=5 if idempotent else 1)
        with closing(producer):
            futures = []
            for index, record in enumerate(records):
                future = producer.send(
                    topic, partition=record.partition, key=record.key, value=record.value,
                    headers=list(record.headers), timestamp_ms=record.timestamp_ms)
                future.add_callback(lambda metadata, index=index: on_ack(index, metadata.offset))
                futures.append(future)
            try:
                producer.flush(DEADLINE_S)
            except KafkaTimeoutError:
                # Its own way to close is to wait for the broker, however long that takes.
                producer._sender.force_close()
                raise
            for future in futures:
                future.get(timeout=0)

    def read(self, topic: str, partitions: Sequence[int], since_ms: int | None = None) -> list[Read]:
        places = [TopicPartition(topic, partition) for partition in partitions]
        with closing(self._consumer()) as consumer:
            consumer.assign(places)
            ends = consumer.end_offsets(places)
            if since_ms is None:
                consumer.seek_to_beginning(*places)
            else:
                starts = consumer.offsets_for_times({place: since_ms for place in places})
                for place, start in starts.items():
                    consumer.seek(place, ends[place] if start is None else start.offset)
            deadline = Deadline(f"{self.name} reads")
            found: list[Read] = []
            while any(consumer.position(place) < ends[place] for place in places):
                deadline.check()
                found += _poll(consumer)
            return found

    @contextmanager
    def tail(self, topic: str, counts: Mapping[int, int]) -> Iterator[Callable[[], list[Read]]]:
        places = [TopicPartition(topic, partition) for partition in counts]
        with closing(self._consumer()) as consumer:
            consumer.assign(places)
            consumer.seek_to_end(*places)
            for place in places:
                consumer.position(place)

            def take() -> list[Read]:
                deadline = Deadline(f"{self.name} reads from the end")
                found: list[Read] = []
                while len(found) < sum(counts.values()):
                    deadline.check()
                    found += _poll(consumer)
                return found

            yield take

    def _config(self) -> dict[str, Any]:
        return {
            "bootstrap_servers": self.address,
            "reconnect_backoff_ms": RECONNECT_MS,
            "reconnect_backoff_max_ms": RECONNECT_MS,
        }

    def _consumer(self) -> KafkaConsumer:
        return KafkaConsumer(**self._config(), fetch_max_wait_ms=FETCH_WAIT_MS, max_poll_records=5000)


def _poll(consumer: KafkaConsumer) -> list[Read]:
    return [Read(record.partition, record.offset, record.key, record.value, tuple(record.headers),
                 record.timestamp)
            for records in consumer.poll(timeout_ms=100).values() for record in records]
