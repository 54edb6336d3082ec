# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How each client writes in transactions, and reads what is committed."""

from __future__ import annotations

import asyncio
import subprocess
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioTopicPartition
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.clients.client import DEADLINE_S, FETCH_WAIT_MS, RECONNECT_MS, Deadline, read_committed
from tests.clients.kcat_client import KCAT

with warnings.catch_warnings():
    # As in the client of it.
    warnings.filterwarnings("ignore", "(read_text|open_text) is deprecated", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer
    from kafka import TopicPartition as PythonTopicPartition

TIMEOUT_MS = 60_000


class Writer(ABC):
    """A producer with a transactional id. All it writes goes to partition 0."""

    name: str

    def __init__(self, address: str, transactional_id: str, topic: str) -> None:
        self.address, self.transactional_id, self.topic = address, transactional_id, topic

    @abstractmethod
    def write(self, values: Sequence[bytes], commit: bool,
              before_end: Callable[[], None] = lambda: None) -> None:
        """Write values in a transaction, have them acknowledged, and end it. Raises if that cannot be."""

    @staticmethod
    @abstractmethod
    def read(address: str, topic: str) -> list[bytes]:
        """Return all values of partition 0 that are committed and whose marker is written."""

    @classmethod
    def read_committed(cls, address: str, topic: str, count: int) -> list[bytes]:
        """As ``read``, once there are ``count`` values."""
        return read_committed(lambda: cls.read(address, topic), count)

    def close(self) -> None:
        """Close the client."""


class ConfluentWriter(Writer):
    name = "confluent-kafka"

    def __init__(self, address: str, transactional_id: str, topic: str) -> None:
        super().__init__(address, transactional_id, topic)
        self._producer = Producer({
            "bootstrap.servers": address, "transactional.id": transactional_id, "log_level": 0,
            "transaction.timeout.ms": TIMEOUT_MS, "reconnect.backoff.ms": RECONNECT_MS,
            "reconnect.backoff.max.ms": RECONNECT_MS})
        self._producer.init_transactions(DEADLINE_S)

    def write(self, values: Sequence[bytes], commit: bool,
              before_end: Callable[[], None] = lambda: None) -> None:
        failures: list[KafkaError] = []
        self._producer.begin_transaction()
        for value in values:
            self._producer.produce(self.topic, value, partition=0, on_delivery=lambda error, _message: (
                failures.append(error) if error is not None else None))
        assert self._producer.flush(DEADLINE_S) == 0
        if failures:
            raise KafkaException(failures[0])
        before_end()
        (self._producer.commit_transaction if commit else self._producer.abort_transaction)(DEADLINE_S)

    @staticmethod
    def read(address: str, topic: str) -> list[bytes]:
        consumer = Consumer({
            "bootstrap.servers": address, "group.id": "none", "isolation.level": "read_committed",
            "enable.auto.commit": False, "enable.partition.eof": True, "log_level": 0,
            "fetch.wait.max.ms": FETCH_WAIT_MS, "auto.offset.reset": "earliest"})
        try:
            consumer.assign([TopicPartition(topic, 0, 0)])
            deadline, found = Deadline("a reader of what is committed"), []
            while True:
                deadline.check()
                message = consumer.poll(0.1)
                if message is None:
                    continue
                error = message.error()
                if error is None:
                    found.append(message.value())
                elif error.code() == KafkaError._PARTITION_EOF:
                    return found
                else:
                    raise KafkaException(error)
        finally:
            consumer.close()


class KafkaPythonWriter(Writer):
    name = "kafka-python"

    def __init__(self, address: str, transactional_id: str, topic: str) -> None:
        super().__init__(address, transactional_id, topic)
        self._producer = KafkaProducer(
            bootstrap_servers=address, transactional_id=transactional_id, transaction_timeout_ms=TIMEOUT_MS,
            reconnect_backoff_ms=RECONNECT_MS)
        self._producer.init_transactions()

    def write(self, values: Sequence[bytes], commit: bool,
              before_end: Callable[[], None] = lambda: None) -> None:
        self._producer.begin_transaction()
        futures = [self._producer.send(self.topic, value, partition=0) for value in values]
        for future in futures:
            future.get(DEADLINE_S)
        before_end()
        if commit:
            self._producer.commit_transaction()
        else:
            self._producer.abort_transaction()

    def close(self) -> None:
        self._producer.close(timeout=1)

    @staticmethod
    def read(address: str, topic: str) -> list[bytes]:
        consumer = KafkaConsumer(bootstrap_servers=address, isolation_level="read_committed",
                                 fetch_max_wait_ms=FETCH_WAIT_MS)
        with closing(consumer):
            partition = PythonTopicPartition(topic, 0)
            consumer.assign([partition])
            consumer.seek_to_beginning(partition)
            end = consumer.end_offsets([partition])[partition]
            deadline, found = Deadline("a reader of what is committed"), []
            while consumer.position(partition) < end:
                deadline.check()
                for records in consumer.poll(timeout_ms=100).values():
                    found += [record.value for record in records]
            return found


class AiokafkaWriter(Writer):
    name = "aiokafka"

    def __init__(self, address: str, transactional_id: str, topic: str) -> None:
        super().__init__(address, transactional_id, topic)
        self._loop = asyncio.new_event_loop()
        self._producer: Any = self._run(self._start())

    async def _start(self) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(
            bootstrap_servers=self.address, transactional_id=self.transactional_id,
            transaction_timeout_ms=TIMEOUT_MS, retry_backoff_ms=RECONNECT_MS)
        await producer.start()
        return producer

    def _run(self, coroutine: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(coroutine, DEADLINE_S))

    def write(self, values: Sequence[bytes], commit: bool,
              before_end: Callable[[], None] = lambda: None) -> None:
        async def write() -> None:
            await self._producer.begin_transaction()
            for future in [await self._producer.send(self.topic, value, partition=0) for value in values]:
                await future

        self._run(write())
        before_end()
        self._run(self._producer.commit_transaction() if commit else self._producer.abort_transaction())

    def close(self) -> None:
        self._run(self._producer.stop())
        self._loop.close()

    @staticmethod
    def read(address: str, topic: str) -> list[bytes]:
        async def read() -> list[bytes]:
            consumer = AIOKafkaConsumer(
                bootstrap_servers=address, isolation_level="read_committed", enable_auto_commit=False,
                fetch_max_wait_ms=FETCH_WAIT_MS)
            await consumer.start()
            try:
                partition = AioTopicPartition(topic, 0)
                consumer.assign([partition])
                await consumer.seek_to_beginning(partition)
                end = (await consumer.end_offsets([partition]))[partition]
                found: list[bytes] = []
                while await consumer.position(partition) < end:
                    for records in (await consumer.getmany(timeout_ms=100)).values():
                        found += [record.value for record in records]
                return found
            finally:
                await consumer.stop()

        return asyncio.run(asyncio.wait_for(read(), DEADLINE_S))


class KcatWriter(Writer):
    """A process for each transaction, all with one id; what it is given it commits."""

    name = "kcat"

    def write(self, values: Sequence[bytes], commit: bool,
              before_end: Callable[[], None] = lambda: None) -> None:
        if not commit:
            raise NotImplementedError("kcat commits what it is given, and aborts only when it is interrupted")
        assert KCAT is not None
        before_end()
        subprocess.run(
            [KCAT, "-P", "-b", self.address, "-t", self.topic, "-p", "0", "-X",
             f"transactional.id={self.transactional_id}", "-X", f"transaction.timeout.ms={TIMEOUT_MS}"],
            input=b"\n".join(values), timeout=DEADLINE_S, check=True, capture_output=True)

    @staticmethod
    def read(address: str, topic: str) -> list[bytes]:
        assert KCAT is not None
        done = subprocess.run(
            [KCAT, "-C", "-b", address, "-t", topic, "-p", "0", "-o", "beginning", "-e", "-q",
             "-X", "isolation.level=read_committed", "-X", f"fetch.wait.max.ms={FETCH_WAIT_MS}"],
            timeout=DEADLINE_S, check=True, capture_output=True)
        return done.stdout.split(b"\n")[:-1]


# Which can begin a transaction and leave it open, and abort.
WRITERS: list[type[Writer]] = [ConfluentWriter, KafkaPythonWriter, AiokafkaWriter]
ALL_WRITERS: list[type[Writer]] = [*WRITERS, KcatWriter] if KCAT is not None else WRITERS
