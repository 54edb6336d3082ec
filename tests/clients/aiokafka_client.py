# Licensed under the Apache License, Version 2.0; see LICENSE.
"""aiokafka: Python, on an event loop, which runs only while a call does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

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


class AiokafkaClient(Client):
    name = "aiokafka"
    lacks = {
        "null key and value": "it wants a key or a value",
    }

    def metadata(self) -> Metadata:
        async def ask() -> Metadata:
            async with self._admin() as admin:
                brokers = {broker["node_id"]: (broker["host"], broker["port"])
                           for broker in (await admin.describe_cluster())["brokers"]}
                topics = {topic["topic"]: sorted(each["partition"] for each in topic["partitions"])
                          for topic in await admin.describe_topics()}
            return Metadata(brokers, topics)

        return asyncio.run(ask())

    def create_topic(self, topic: str, partitions: int) -> None:
        async def create() -> None:
            async with self._admin() as admin:
                response = await admin.create_topics([NewTopic(topic, partitions, 1)])
                assert [error[:2] for error in response.topic_errors] == [(topic, 0)], response

        asyncio.run(create())

    def produce(self, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = False,
                on_ack: OnAck = lambda index, offset: None) -> None:
        asyncio.run(self._produce(topic, records, codec, idempotent, on_ack))

    async def _produce(self, topic: str, records: Sequence[Record], codec: str, idempotent: bool,
                       on_ack: OnAck) -> None:
        def note(index: int, done: asyncio.Future[Any]) -> None:
            if done.exception() is None:
                on_ack(index, done.result().offset)

        producer = AIOKafkaProducer(
            **self._config(), acks="all", enable_idempotence=idempotent, max_batch_size=64 * 1024,
            compression_type=None if codec == "none" else codec, request_timeout_ms=int(DEADLINE_S * 1000))
        await producer.start()
        try:
            async with asyncio.timeout(DEADLINE_S):
                futures = []
                for index, record in enumerate(records):
                    future = await producer.send(
                        topic, partition=record.partition, key=record.key, value=record.value,
                        headers=list(record.headers), timestamp_ms=record.timestamp_ms)
                    future.add_done_callback(lambda done, index=index: note(index, done))
                    futures.append(future)
                await producer.flush()
                for future in futures:
                    await future
        finally:
            # It stops when all is written, however long that takes.
            async with asyncio.timeout(DEADLINE_S):
                await producer.stop()

    def read(self, topic: str, partitions: Sequence[int], since_ms: int | None = None) -> list[Read]:
        return asyncio.run(self._read(topic, partitions, since_ms))

    async def _read(self, topic: str, partitions: Sequence[int], since_ms: int | None) -> list[Read]:
        places = [TopicPartition(topic, partition) for partition in partitions]
        async with self._consumer() as consumer:
            ends = await consumer.end_offsets(places)
            if since_ms is None:
                starts = await consumer.beginning_offsets(places)
            else:
                times = await consumer.offsets_for_times({place: since_ms for place in places})
                starts = {place: ends[place] if found is None else found.offset
                          for place, found in times.items()}
            # Assigned and told its place without a pause in between, in which it would look for one itself.
            consumer.assign(places)
            for place, start in starts.items():
                consumer.seek(place, start)
            deadline = Deadline(f"{self.name} reads")
            found: list[Read] = []
            while any([await consumer.position(place) < ends[place] for place in places]):
                deadline.check()
                found += await _poll(consumer)
            return found

    @contextmanager
    def tail(self, topic: str, counts: Mapping[int, int]) -> Iterator[Callable[[], list[Read]]]:
        places = [TopicPartition(topic, partition) for partition in counts]

        async def start() -> AIOKafkaConsumer:
            consumer = self._consumer()
            await consumer.start()
            # Where it goes when it is told no place is the end.
            consumer.assign(places)
            for place in places:
                await consumer.position(place)
            return consumer

        async def take(consumer: AIOKafkaConsumer) -> list[Read]:
            deadline = Deadline(f"{self.name} reads from the end")
            found: list[Read] = []
            while len(found) < sum(counts.values()):
                deadline.check()
                found += await _poll(consumer)
            return found

        with asyncio.Runner() as runner:
            consumer = runner.run(start())
            try:
                yield lambda: runner.run(take(consumer))
            finally:
                runner.run(consumer.stop())

    def _config(self) -> dict[str, Any]:
        return {"bootstrap_servers": self.address, "retry_backoff_ms": RECONNECT_MS}

    @asynccontextmanager
    async def _admin(self) -> AsyncIterator[AIOKafkaAdminClient]:
        admin = AIOKafkaAdminClient(**self._config())
        await admin.start()
        try:
            yield admin
        finally:
            await admin.close()

    def _consumer(self) -> AIOKafkaConsumer:
        return AIOKafkaConsumer(**self._config(), fetch_max_wait_ms=FETCH_WAIT_MS, enable_auto_commit=False,
                                auto_offset_reset="latest")


async def _poll(consumer: AIOKafkaConsumer) -> list[Read]:
    return [Read(record.partition, record.offset, record.key, record.value, tuple(record.headers),
                 record.timestamp)
            for records in (await consumer.getmany(timeout_ms=100)).values() for record in records]
