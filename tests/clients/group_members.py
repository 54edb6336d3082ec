# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A member of a group for each client: it subscribes to a topic, reads what it is assigned, and commits."""

from __future__ import annotations

import asyncio
import re
import subprocess
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType
from typing import ClassVar

from aiokafka import AIOKafkaConsumer
from aiokafka.abc import ConsumerRebalanceListener
from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.clients.client import DEADLINE_S, RECONNECT_MS, Client
from tests.clients.kcat_client import KCAT
from tests.stepping import wait_until

with warnings.catch_warnings():
    # It reads its own files by functions that Python 3.11 and 3.12 call deprecated, and later ones do not.
    warnings.filterwarnings("ignore", "(read_text|open_text) is deprecated", DeprecationWarning)
    import kafka

SESSION_MS = 6_000
HEARTBEAT_MS = 200


class Member(ABC):
    """Reads on a thread of its own until the end of ``with``, when it leaves the group.

    It commits what it has read before it tells of it.
    """

    name: ClassVar[str]

    def __init__(self, address: str, group: str, topic: str) -> None:
        self.address = address
        self.group = group
        self.topic = topic
        self.values: list[bytes] = []
        self.partitions: frozenset[int] = frozenset()
        self.failure: BaseException | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._guarded)

    def __enter__(self) -> Member:
        self._thread.start()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.leave()

    def leave(self) -> None:
        """Leave the group in good order."""
        self._ended.set()
        self._thread.join()
        assert self.failure is None, self.failure

    def wait_for(self, count: int) -> None:
        """Wait until the member has read so many values."""
        wait_until(lambda: len(self.values) >= count or self.failure, f"{self.name} has {self.values}",
                   DEADLINE_S)
        assert self.failure is None, self.failure

    def _guarded(self) -> None:
        try:
            self.read()
        except BaseException as e:
            self.failure = e

    @abstractmethod
    def read(self) -> None:
        """Be a member until ``_ended``."""


class ConfluentMember(Member):
    name = "confluent-kafka"
    settings: ClassVar[Mapping[str, str | int]] = {
        "session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": HEARTBEAT_MS}

    def read(self) -> None:
        consumer = Consumer({
            "bootstrap.servers": self.address, "group.id": self.group, "auto.offset.reset": "earliest",
            "enable.auto.commit": False, "reconnect.backoff.ms": RECONNECT_MS,
            "reconnect.backoff.max.ms": RECONNECT_MS, "log_level": 0, **self.settings})

        try:
            consumer.subscribe([self.topic])
            while not self._ended.is_set():
                message = consumer.poll(0.05)
                self.partitions = frozenset(each.partition for each in consumer.assignment())
                if message is None:
                    continue
                if message.error() is not None:
                    raise KafkaException(message.error())
                consumer.commit(message, asynchronous=False)
                self.values.append(message.value())
        finally:
            consumer.close()


class ConsumerProtocolMember(ConfluentMember):
    """A member of a consumer group (KIP-848). The broker says how often it sends heartbeats."""

    settings = {"group.protocol": "consumer"}


class _Listener(ConsumerRebalanceListener, kafka.ConsumerRebalanceListener):  # type: ignore[misc]  # no types
    """Tells a member what it is assigned, as either client calls it."""

    def __init__(self, member: Member) -> None:
        self._member = member

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        pass

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        self._member.partitions = frozenset(each.partition for each in assigned)


class KafkaPythonMember(Member):
    name = "kafka-python"

    def read(self) -> None:
        consumer = kafka.KafkaConsumer(
            bootstrap_servers=self.address, group_id=self.group, auto_offset_reset="earliest",
            enable_auto_commit=False, session_timeout_ms=SESSION_MS, heartbeat_interval_ms=HEARTBEAT_MS,
            reconnect_backoff_ms=RECONNECT_MS, reconnect_backoff_max_ms=RECONNECT_MS)
        consumer.subscribe([self.topic], listener=_Listener(self))
        try:
            while not self._ended.is_set():
                # It joins before it knows the topic, and once more when it does. 3.0.12 forgets that second
                # join for ever if it takes longer than the poll that has begun it.
                timeout_ms = 50 if self.partitions else 5_000
                found = [record.value for records in consumer.poll(timeout_ms).values() for record in records]
                if found:
                    consumer.commit()
                    self.values += found
        finally:
            consumer.close(autocommit=False)


class AiokafkaMember(Member):
    name = "aiokafka"

    def read(self) -> None:
        asyncio.run(self._read())

    async def _read(self) -> None:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.address, group_id=self.group, auto_offset_reset="earliest",
            enable_auto_commit=False, session_timeout_ms=SESSION_MS, heartbeat_interval_ms=HEARTBEAT_MS,
            retry_backoff_ms=RECONNECT_MS)
        consumer.subscribe([self.topic], listener=_Listener(self))
        await consumer.start()
        try:
            while not self._ended.is_set():
                found = [record.value for records in (await consumer.getmany(timeout_ms=50)).values()
                         for record in records]
                if found:
                    await consumer.commit()
                    self.values += found
        finally:
            await consumer.stop()


class KcatMember(Member):
    """Commits by itself every 100 ms, and at its end."""

    name = "kcat"
    _ASSIGNED = re.compile(rb"% Group \S+ rebalanced .*: (assigned|revoked): ?(.*)")

    def read(self) -> None:
        assert KCAT is not None
        process = subprocess.Popen(
            [KCAT, "-b", self.address, "-G", self.group, "-E", "-u", "-f", "%s\\n",
             "-X", "auto.offset.reset=earliest", "-X", f"session.timeout.ms={SESSION_MS}",
             "-X", f"heartbeat.interval.ms={HEARTBEAT_MS}", "-X", "auto.commit.interval.ms=100",
             "-X", f"reconnect.backoff.ms={RECONNECT_MS}", "-X", "log_level=0", self.topic],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None and process.stderr is not None

        def listen(stderr: object = process.stderr) -> None:
            for line in process.stderr or ():
                found = self._ASSIGNED.search(line)
                if found is not None:
                    self.partitions = frozenset(
                        int(number) for number in re.findall(rb"\[(\d+)\]", found[2])
                        ) if found[1] == b"assigned" else frozenset()

        def take() -> None:
            for line in process.stdout or ():
                self.values.append(line.rstrip(b"\n"))

        threads = [threading.Thread(target=target) for target in (listen, take)]
        with process:
            for thread in threads:
                thread.start()
            self._ended.wait()
            process.terminate()
            for thread in threads:
                thread.join()


MEMBERS: dict[str, type[Member]] = {
    each.name: each for each in (ConfluentMember, KafkaPythonMember, AiokafkaMember, KcatMember)}


def member(client: Client, group: str, topic: str) -> Member:
    """Return a member that is this client."""
    return MEMBERS[client.name](client.address, group, topic)
