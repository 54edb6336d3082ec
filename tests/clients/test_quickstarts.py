# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The first programs of the documentation of clients, but for the address, the names, and an end."""

from __future__ import annotations

import asyncio
import subprocess
import uuid
import warnings

import pytest

from tests import packages
from tests.clients.broker_process import BrokerProcess
from tests.clients.client import DEADLINE_S, PARTITIONS
from tests.clients.kcat_client import KCAT, needs_kcat

with warnings.catch_warnings():
    # As in the client of it.
    warnings.filterwarnings("ignore", "(read_text|open_text) is deprecated", DeprecationWarning)
    import kafka

# kafka-python may leave a connection that it closes to the garbage collector.
closes_late = pytest.mark.filterwarnings(
    r"ignore:unclosed <socket.socket fd=\d+, family=2, type=1, proto=6, laddr=\('127.0.0.1', \d+\), raddr="
    r"\('127.0.0.1', \d+\)>:ResourceWarning")


@pytest.fixture
def group() -> str:
    return f"group-{uuid.uuid4()}"


def kcat(*arguments: str, given: bytes = b"") -> bytes:
    assert KCAT is not None
    return subprocess.run([KCAT, *arguments], input=given, timeout=DEADLINE_S, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


@closes_late
def test_kafka_python(broker: BrokerProcess, topic: str, group: str) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=broker.address)
    for _ in range(100):
        producer.send(topic, b"some_message_bytes")
    producer.send(topic, b"another_message").get(timeout=60)
    producer.send(topic, key=b"foo", value=b"bar")
    producer.send(topic, value=b"c29tZSB2YWx1ZQ==", headers=[("content-encoding", b"base64")])
    producer.flush()
    producer.close()

    consumer = kafka.KafkaConsumer(topic, group_id=group, bootstrap_servers=broker.address,
                                   auto_offset_reset="earliest")
    found = []
    for msg in consumer:
        found.append(msg)
        if len(found) == 103:
            break
    consumer.close()
    values = [msg.value for msg in found]
    assert values.count(b"some_message_bytes") == 100 and b"another_message" in values
    assert [msg.value for msg in found if msg.key == b"foo"] == [b"bar"]
    assert [headers for msg in found if (headers := list(msg.headers))] == [[("content-encoding", b"base64")]]


@closes_late
def test_transactions_of_kafka_python(broker: BrokerProcess, topic: str) -> None:
    producer = kafka.KafkaProducer(transactional_id=f"fizzbuzz {topic}", bootstrap_servers=broker.address)
    producer.init_transactions()
    producer.begin_transaction()
    future = producer.send(topic, value=b"yes")
    future.get()
    producer.commit_transaction()

    producer.begin_transaction()
    future = producer.send(topic, value=b"no")
    future.get()
    producer.abort_transaction()

    # A consumer that has read the last record of each partition has read all before it.
    producer.begin_transaction()
    for partition in PARTITIONS:
        producer.send(topic, value=b"end", partition=partition).get()
    producer.commit_transaction()
    producer.close()

    consumer = kafka.KafkaConsumer(
        isolation_level=kafka.IsolationLevel.READ_COMMITTED, bootstrap_servers=broker.address,
        auto_offset_reset="earliest", group_id=None, consumer_timeout_ms=120_000)
    consumer.subscribe([topic])
    found: list[bytes] = []
    while found.count(b"end") < len(PARTITIONS):
        found.append(next(consumer).value)
    assert sorted(found) == [b"end"] * len(PARTITIONS) + [b"yes"]
    consumer.close()


@packages.needs("confluent_kafka")
def test_confluent_kafka(broker: BrokerProcess, group: str) -> None:
    from confluent_kafka import Consumer, Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    topic = f"mytopic-{uuid.uuid4()}"
    a = AdminClient({"bootstrap.servers": broker.address})
    fs = a.create_topics([NewTopic(topic, num_partitions=3, replication_factor=1)])
    for f in fs.values():
        f.result()

    p = Producer({"bootstrap.servers": broker.address})
    delivered = []

    def delivery_report(err: object, msg: object) -> None:
        assert err is None
        delivered.append(msg)

    some_data_source = ["one", "two", "three"]
    for data in some_data_source:
        p.poll(0)
        p.produce(topic, data.encode("utf-8"), callback=delivery_report)
    p.flush()
    assert len(delivered) == 3

    c = Consumer({"bootstrap.servers": broker.address, "group.id": group, "auto.offset.reset": "earliest"})
    c.subscribe([topic])
    found = []
    while len(found) < 3:
        msg = c.poll(1.0)
        if msg is None:
            continue
        assert msg.error() is None
        found.append(msg.value().decode("utf-8"))
    c.close()
    assert sorted(found) == sorted(some_data_source)
    for f in a.delete_topics([topic]).values():
        f.result()


def test_aiokafka(broker: BrokerProcess, topic: str, group: str) -> None:
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

    async def send_one() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=broker.address)
        await producer.start()
        try:
            await producer.send_and_wait(topic, b"Super message")
        finally:
            await producer.stop()

    async def transact() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=broker.address, transactional_id=f"test {topic}")
        await producer.start()
        try:
            with pytest.raises(ValueError):
                async with producer.transaction():
                    await producer.send_and_wait(topic, b"Super transactional message")
                    raise ValueError()
            async with producer.transaction():
                await producer.send_and_wait(topic, b"Another")
        finally:
            await producer.stop()

    async def consume() -> set[bytes]:
        consumer = AIOKafkaConsumer(topic, bootstrap_servers=broker.address, group_id=group,
                                    auto_offset_reset="earliest", isolation_level="read_committed")
        await consumer.start()
        found = set()
        try:
            async for msg in consumer:
                found.add(msg.value)
                if len(found) == 2:
                    break
        finally:
            await consumer.stop()
        return found

    asyncio.run(send_one())
    asyncio.run(transact())
    assert asyncio.run(asyncio.wait_for(consume(), DEADLINE_S)) == {b"Super message", b"Another"}


@needs_kcat
def test_kcat(broker: BrokerProcess, topic: str, group: str) -> None:
    # Some begin with the topic only, as a terminal or a pipe says whether they write or read.
    kcat("-b", broker.address, "-t", topic, "-z", "snappy", "-P", given=b"one\ntwo\n")
    kcat("-P", "-b", broker.address, "-t", topic, "-X", f"transactional.id={topic}", given=b"three\n")
    kcat("-b", broker.address, "-H", "header1=header value", "-t", topic, "-P", given=b"four\n")
    # -G, as long as nothing ends it: until four were read.
    found = kcat("-b", broker.address, "-c", "4", "-X", "auto.offset.reset=earliest", "-G", group, topic)
    assert sorted(found.split()) == [b"four", b"one", b"three", b"two"]
    lines = kcat("-C", "-b", broker.address, "-t", topic, "-o", "beginning", "-e", "-f", "%t %s %h\n")
    assert f"{topic} four header1=header value".encode() in lines.splitlines()
    assert topic.encode() in kcat("-L", "-b", broker.address)
