# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The operations of each client, one client at a time, and all of them reading what one wrote."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.clients.broker_process import HOST, BrokerProcess
from tests.clients.checks import check, write
from tests.clients.client import CODECS, PARTITIONS, Client, Record
from tests.clients.clients import CLIENTS, FIRST, INSTALLED
from tests.core.server.brokers import new_broker

# A day in the past, so that no client's own time is taken for it.
THEN_MS = 1_600_000_000_000

_random = random.Random(1)

# Features of records that not every client can write, by their names in a client's table.
FEATURES: dict[str, list[Record]] = {
    "timestamp": [Record(0, b"key", b"value", (), THEN_MS)],
    "null key and value": [Record(0, None, None)],
    "null key and empty value": [Record(0, None, b"")],
    "empty key and null value": [Record(0, b"", None)],
    "null header": [Record(0, b"key", b"value", (("none", None), ("some", b"some")))],
    "NUL in a header": [Record(0, b"key", b"value", (("bytes", bytes(range(256))),))],
}


def all_kinds(client: Client) -> list[Record]:
    """Return all the kinds of records that any client can write; times where this one can tell them."""
    times = count(THEN_MS, 1000)

    def record(partition: int, key: bytes | None, value: bytes | None,
               headers: tuple[tuple[str, bytes], ...] = ()) -> Record:
        return Record(partition, key, value, headers, None if "timestamp" in client.lacks else next(times))

    printable = bytes(each for each in range(1, 256) if each not in b",=")
    return [
        record(0, b"key", b"value"),
        record(1, None, b"no key"),
        record(1, b"", b"empty key"),
        record(1, b"no value", None),
        record(1, b"empty value", b""),
        record(0, b"k", b"v"),
        record(0, None, b"\0"),
        record(2, bytes(range(256)), bytes(range(256)) * 3),
        record(0, b"one header", b"value", (("name", b"value"),)),
        record(0, b"headers", b"value", (
            ("twice", b"1"), ("twice", b"2"), ("empty", b""), ("bytes", printable),
            ("na\u00efve \u2603", b"x"))),
        record(2, b"large", _random.randbytes(900_000)),
        record(2, b"after the large one", b"value"),
        record(0, b"headers without a value", None, (("name", b"value"),)),
        *(record(number % 4, b"%d" % number, b"small %d" % number) for number in range(100)),
    ]


def batches(broker: BrokerProcess, topic: str) -> Iterator[tuple[int, int]]:
    """Yield codec and producer id of all batches in a topic's files."""
    for partition in PARTITIONS:
        segments = sorted((broker.data / f"{topic}-{partition}").glob("*.log"))
        data = b"".join(segment.read_bytes() for segment in segments)
        position = 0
        while position < len(data):
            (length,) = struct.unpack_from(">i", data, position + 8)
            (attributes,) = struct.unpack_from(">h", data, position + 21)
            (producer_id,) = struct.unpack_from(">q", data, position + 43)
            yield attributes & 7, producer_id
            position += 12 + length


def test_metadata(client: Client, broker: BrokerProcess, topic: str) -> None:
    metadata = client.metadata()
    assert metadata.brokers == {1: (HOST, broker.port)}
    assert metadata.topics[topic] == PARTITIONS


def test_a_topic_is_created(client: Client, broker: BrokerProcess) -> None:
    topic = f"created-by-{client.name}"
    if "create topic" in client.lacks:
        # The client says so, and the broker creates the topic with the first record.
        partitions = PARTITIONS
        with pytest.raises(NotImplementedError):
            client.create_topic(topic, len(PARTITIONS))
        written = write(client, topic, [Record(0, None, b"first")])
    else:
        partitions = [0, 1, 2, 3, 4]
        client.create_topic(topic, len(partitions))
        written = []
    for each in INSTALLED:
        other = each(broker.address)
        assert other.metadata().topics[topic] == partitions
        check(other.read(topic, partitions), written)


@pytest.mark.parametrize("idempotent", [False, True], ids=["", "idempotent"])
@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(client: Client, broker: BrokerProcess, topic: str, codec: str,
                           idempotent: bool) -> None:
    records = all_kinds(client)
    records += [Record(partition, b"key", b"compressible " * 100) for partition in PARTITIONS]
    written = write(client, topic, records, codec=codec, idempotent=idempotent)
    check(client.read(topic, PARTITIONS), written)

    stored = list(batches(broker, topic))
    assert CODECS.index(codec) in {codec_id for codec_id, _ in stored}
    assert all((producer_id >= 0) is idempotent for _, producer_id in stored)


@pytest.mark.parametrize("feature", FEATURES)
def test_features(client: Client, broker: BrokerProcess, topic: str, feature: str) -> None:
    """A client lacks the features in its table; the others have them, and read each other's records."""
    records = FEATURES[feature]
    if feature in client.lacks:
        with pytest.raises((AssertionError, ValueError, TypeError)):
            written = write(client, topic, records)
            check(client.read(topic, PARTITIONS), written)
        return
    written = write(client, topic, records)
    for each in INSTALLED:
        if each is type(client) or feature not in each.lacks:
            check(each(broker.address).read(topic, PARTITIONS), written)


def test_reading_from_a_time(client: Client, broker: BrokerProcess, topic: str) -> None:
    writer = FIRST(broker.address)
    # Times that go up and down again: what counts is the first record that is as late.
    minutes = [0, 5, 3, 10, 4, 20]
    written = write(writer, topic, [
        Record(partition, b"%d" % minute, b"value", (), THEN_MS + minute * 60_000)
        for minute in minutes for partition in (0, 1)])
    # Partition 1 goes on, the others stay empty.
    written += write(writer, topic, [Record(1, None, b"late", (), THEN_MS + 3_600_000)])
    for minute, first_index in ((0, 0), (1, 1), (5, 1), (6, 3), (20, 5), (21, 6), (60, 6), (61, 7)):
        check(client.read(topic, PARTITIONS, THEN_MS + minute * 60_000),
              [each for each in written if each.offset >= first_index])


def test_reading_from_the_end(client: Client, broker: BrokerProcess, topic: str) -> None:
    writer = FIRST(broker.address)
    write(writer, topic, [Record(partition, b"early", b"value") for partition in (0, 0, 1)])
    with client.tail(topic, {0: 1, 1: 2, 2: 1}) as take:
        written = write(writer, topic, [Record(partition, b"late", b"value") for partition in (0, 1, 1, 2)])
        check(take(), written)


def test_all_read_what_all_write(broker: BrokerProcess, topic: str) -> None:
    """On one topic, in all the codecs that a client has."""
    written = []
    for each in INSTALLED:
        client = each(broker.address)
        for codec in CODECS:
            written += write(client, topic, all_kinds(client), codec=codec)
    for each in INSTALLED:
        check(each(broker.address).read(topic, PARTITIONS), written)


@pytest.mark.parametrize("client_class", CLIENTS)
def test_in_the_process(client_class: type[Client], tmp_path: Path) -> None:
    """The broker leaves nothing in a process of which it is a part, and which goes on."""
    with new_broker(tmp_path, {"num.partitions": str(len(PARTITIONS))}) as broker:
        client = client_class(f"{HOST}:{broker.bound_port('PLAINTEXT')}")
        written = write(client, "topic", all_kinds(client))
        check(client.read("topic", PARTITIONS), written)
        assert client.metadata().topics["topic"] == PARTITIONS
