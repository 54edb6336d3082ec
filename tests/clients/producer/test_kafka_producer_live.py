# Licensed under the Apache License, Version 2.0; see LICENSE.
"""KafkaProducer against kreactor in this process and a live Kafka 3.8.0; other clients read it back.

The live Kafka is one of the test's own, started by the script that KREACTOR_ORACLE_SH names; without it those
cases are skipped.
"""

from __future__ import annotations

import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer import RecordFuture
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.errors import (
    InvalidTopicException,
    ProducerFencedException,
    RecordTooLargeException,
    SaslAuthenticationException,
    TransactionAbortedException,
)
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.testing import Broker
from tests.clients.client import CODECS, PARTITIONS, Read, Record, read_committed
from tests.clients.clients import INSTALLED
from tests.clients.confluent_client import ConfluentClient
from tests.core.network.live_kafka import HOST, live_kafka

LISTENERS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
SECURED = [("SSL", ""), ("SASL_PLAINTEXT", "PLAIN"), ("SASL_PLAINTEXT", "SCRAM-SHA-256"),
           ("SASL_SSL", "SCRAM-SHA-512"), ("SASL_PLAINTEXT", "OAUTHBEARER"), ("SASL_SSL", "OAUTHBEARER")]
USER, PASSWORD = "alice", "alice-secret"
PACKAGE = "org.apache.kafka.common.security"
WAIT_MS = 60_000
BytesProducer = KafkaProducer[bytes, bytes]


class Place(NamedTuple):
    """Where a broker listens, and the authority that signed its certificate."""

    address: str
    ca: str = ""


def settings(place: Place, protocol: str, mechanism: str, password: str = PASSWORD) -> dict[str, object]:
    found: dict[str, object] = {"security.protocol": protocol}
    if protocol.endswith("SSL"):
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": place.ca}
    if mechanism == "OAUTHBEARER":
        found |= {"sasl.mechanism": mechanism, "sasl.jaas.config":
                  f"{PACKAGE}.oauthbearer.OAuthBearerLoginModule required "
                  f'unsecuredLoginStringClaim_sub="{USER}";'}
    elif mechanism:
        module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
        found |= {"sasl.mechanism": mechanism, "sasl.jaas.config":
                  f'{PACKAGE}.{module} required username="{USER}" password="{password}";'}
    return found


def new_producer(place: Place, **configs: object) -> BytesProducer:
    """A producer with settings that have ``_`` for ``.`` in their names."""
    return KafkaProducer(
        {"bootstrap.servers": place.address, "reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 100}
        | {name.replace("_", "."): value for name, value in configs.items()},
        ByteArraySerializer(), ByteArraySerializer())


def new_topic(place: Place, partitions: int = len(PARTITIONS)) -> str:
    topic = f"topic-{uuid.uuid4()}"
    ConfluentClient(place.address).create_topic(topic, partitions)
    return topic


def get(future: RecordFuture) -> RecordMetadata:
    return future.get(WAIT_MS)


def produced(topic: str, record: Record) -> ProducerRecord[bytes, bytes]:
    return ProducerRecord(topic, record.value, key=record.key, partition=record.partition,
                          timestamp=record.timestamp_ms,
                          headers=[RecordHeader(name, value) for name, value in record.headers])


def by_place(read: list[Read]) -> list[Read]:
    return sorted(read, key=lambda each: (each.partition, each.offset))


def values(place: Place, topic: str, partitions: int = 1) -> list[bytes | None]:
    """The records that a reader of committed records sees, by partition and offset."""
    read = ConfluentClient(place.address).read(topic, range(partitions))
    return [each.value for each in by_place(read)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Place]]:
    """A live Kafka with all four listeners."""
    folder = tmp_path_factory.mktemp("live")
    with live_kafka(folder, LISTENERS, lambda ports: {
        "listeners": ",".join(f"{name}://{HOST}:{ports[name]}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in LISTENERS),
    }) as port_of:
        yield lambda protocol: Place(f"{HOST}:{port_of(protocol)}", str(folder / "ca.pem"))


@pytest.fixture
def ours() -> Iterator[Place]:
    with Broker() as broker:
        yield Place(broker.bootstrap_servers)


@pytest.fixture(params=["kreactor", "live Kafka"])
def place(request: pytest.FixtureRequest) -> Place:
    if request.param == "kreactor":
        found: Place = request.getfixturevalue("ours")
        return found
    plaintext: Place = request.getfixturevalue("live")("PLAINTEXT")
    return plaintext


RECORDS = [
    Record(PARTITIONS[number % len(PARTITIONS)], *pair, headers, 1_700_000_000_000 + number)
    for number, (pair, headers) in enumerate(
        (pair, headers)
        for pair in ((b"key", b"value"), (None, b"value"), (b"key", None), (b"k" * 1000, b"v" * 5000),
                     ("Schlüssel".encode(), b"\x01\xff" * 20))
        for headers in ((), (("one", b"1"),), (("", b""), ("twice", b"a"), ("twice", b"b")))
        for _ in range(4))
]


@pytest.mark.parametrize("codec", CODECS)
def test_every_client_reads_what_is_written(place: Place, codec: str) -> None:
    topic = new_topic(place)
    with new_producer(place, compression_type=codec, linger_ms=5) as producer:
        futures = [producer.send(produced(topic, record)) for record in RECORDS]
        producer.flush()
        written = []
        for record, future in zip(RECORDS, futures):
            metadata = get(future)
            assert metadata.topic() == topic
            assert metadata.partition() == record.partition
            assert record.timestamp_ms is not None
            written.append(Read(record.partition, metadata.offset(), record.key, record.value, record.headers,
                                record.timestamp_ms))
    written = by_place(written)
    # No gap, no repetition.
    for partition in PARTITIONS:
        offsets = [each.offset for each in written if each.partition == partition]
        assert offsets == list(range(len(offsets)))
    for reader in INSTALLED:
        assert by_place(reader(place.address).read(topic, PARTITIONS)) == written, reader.name


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_each_kind_of_acknowledgement(place: Place, acks: str) -> None:
    topic = new_topic(place, 1)
    with new_producer(place, acks=acks) as producer:
        offsets = [get(producer.send(ProducerRecord(topic, str(i).encode()))).offset() for i in range(5)]
    assert offsets == ([-1] * 5 if acks == "0" else [0, 1, 2, 3, 4])
    with new_producer(place) as producer:
        # The unacknowledged records are there before this.
        get(producer.send(ProducerRecord(topic, b"5")))
    assert values(place, topic) == [str(i).encode() for i in range(6)]


def test_keys_choose_their_partitions(place: Place) -> None:
    from confluent_kafka import Producer

    topic, keys = new_topic(place), (b"a", b"b", b"c", b"abc", "Schlüssel".encode(), bytes(range(256)))
    with new_producer(place) as producer:
        ours = [get(producer.send(ProducerRecord(topic, b"", key=key))).partition() for key in keys]
    # librdkafka's partitioner with Java's hash.
    theirs = Producer({"bootstrap.servers": place.address, "partitioner": "murmur2_random"})
    for key in keys:
        theirs.produce(topic, b"", key)
    theirs.flush()
    found = defaultdict(set)
    for each in ConfluentClient(place.address).read(topic, PARTITIONS):
        found[each.key].add(each.partition)
    assert [found[key] for key in keys] == [{partition} for partition in ours]
    assert len(set(ours)) > 1


def test_threads_share_a_producer(place: Place) -> None:
    topic = new_topic(place)
    counts = 4, 500
    acknowledged: list[RecordMetadata] = []
    with new_producer(place, linger_ms=1) as producer:
        def send(number: int) -> None:
            def callback(metadata: RecordMetadata | None, exception: Exception | None) -> None:
                assert metadata is not None and exception is None
                acknowledged.append(metadata)

            for i in range(counts[1]):
                producer.send(ProducerRecord(topic, f"{number} {i}".encode(), partition=number), callback)

        threads = [threading.Thread(target=send, args=(number,)) for number in range(counts[0])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        producer.flush()
        assert len(acknowledged) == counts[0] * counts[1]
    assert values(place, topic, counts[0]) == [
        f"{number} {i}".encode() for number in range(counts[0]) for i in range(counts[1])]


def test_only_committed_transactions_are_read(place: Place) -> None:
    topic = new_topic(place)
    with new_producer(place, transactional_id=f"id-{topic}") as producer:
        producer.init_transactions()
        for number in range(4):
            producer.begin_transaction()
            futures = [producer.send(ProducerRecord(topic, f"{number} {i}".encode(), partition=i))
                       for i in PARTITIONS]
            if number % 2:
                producer.flush()
                producer.abort_transaction()
            else:
                producer.commit_transaction()
            for future in futures:
                get(future)
        # Records that are not sent when a transaction is aborted never are.
        producer.begin_transaction()
        future = producer.send(ProducerRecord(topic, b"never"))
        producer.abort_transaction()
        try:
            get(future)
        except TransactionAbortedException:
            pass
    expected = [f"{number} {i}".encode() for i in PARTITIONS for number in (0, 2)]
    assert read_committed(lambda: values(place, topic, len(PARTITIONS)), len(expected)) == expected


def test_offsets_are_committed_with_the_transaction(place: Place) -> None:
    from confluent_kafka import Consumer
    from confluent_kafka import TopicPartition as ConfluentPartition

    topic, group = new_topic(place, 1), f"group-{uuid.uuid4()}"
    consumer = Consumer({"bootstrap.servers": place.address, "group.id": group})

    def committed() -> int:
        [found] = consumer.committed([ConfluentPartition(topic, 0)], timeout=WAIT_MS / 1000)
        offset: int = found.offset
        return offset

    try:
        with new_producer(place, transactional_id=f"id-{topic}") as producer:
            producer.init_transactions()
            for offset, commit in ((7, True), (8, False)):
                producer.begin_transaction()
                producer.send(ProducerRecord(topic, b"value"))
                producer.send_offsets_to_transaction(
                    {TopicPartition(topic, 0): OffsetAndMetadata(offset)}, ConsumerGroupMetadata(group))
                (producer.commit_transaction if commit else producer.abort_transaction)()
                assert committed() == 7
    finally:
        consumer.close()


def test_a_newer_producer_fences_an_older_one(place: Place) -> None:
    topic = new_topic(place, 1)
    with new_producer(place, transactional_id=f"id-{topic}") as older:
        older.init_transactions()
        older.begin_transaction()
        get(older.send(ProducerRecord(topic, b"older")))
        with new_producer(place, transactional_id=f"id-{topic}") as newer:
            newer.init_transactions()
            newer.begin_transaction()
            get(newer.send(ProducerRecord(topic, b"newer")))
            newer.commit_transaction()
            with pytest.raises(KafkaException) as caught:
                older.commit_transaction()
            error: BaseException | None = caught.value
            assert isinstance(error, ProducerFencedException) or isinstance(
                error.__cause__, ProducerFencedException) or "epoch" in str(error)
    assert read_committed(lambda: values(place, topic), 1) == [b"newer"]


def test_a_record_that_is_too_large_for_the_broker_fails(place: Place) -> None:
    topic = new_topic(place, 1)
    with new_producer(place, max_request_size=4 << 20) as producer:
        with pytest.raises(RecordTooLargeException):
            get(producer.send(ProducerRecord(topic, bytes(2 << 20))))
        # The batch behind it goes through.
        assert get(producer.send(ProducerRecord(topic, b"small"))).offset() == 0


def test_a_topic_that_cannot_be_fails(place: Place) -> None:
    with new_producer(place) as producer:
        with pytest.raises(InvalidTopicException):
            get(producer.send(ProducerRecord("no topic", b"value")))


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED)
def test_it_writes_over_each_security_protocol(protocol: str, mechanism: str) -> None:
    sasl = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER" if mechanism else None
    with Broker(tls=protocol.endswith("SSL"), sasl=sasl, users={USER: PASSWORD} if sasl else None) as broker:
        place = Place(broker.bootstrap_servers, broker.tls.ca if protocol.endswith("SSL") else "")
        with new_producer(place, **settings(place, protocol, mechanism)) as producer:
            assert get(producer.send(ProducerRecord("topic", b"value"))).offset() == 0
        assert [record.value for record in broker.records("topic")] == [b"value"]


@pytest.mark.parametrize(("protocol", "mechanism"), SECURED)
def test_it_writes_to_a_live_kafka_over_each_security_protocol(
        live: Callable[[str], Place], protocol: str, mechanism: str) -> None:
    topic, secured = new_topic(live("PLAINTEXT"), 1), live(protocol)
    with new_producer(secured, **settings(secured, protocol, mechanism)) as producer:
        assert get(producer.send(ProducerRecord(topic, b"value"))).offset() == 0
    assert values(live("PLAINTEXT"), topic) == [b"value"]


def test_a_wrong_password_fails_the_send() -> None:
    with Broker(sasl="PLAIN", users={USER: PASSWORD}) as broker:
        place = Place(broker.bootstrap_servers)
        with new_producer(place, **settings(place, "SASL_PLAINTEXT", "PLAIN", "wrong")) as producer:
            with pytest.raises(SaslAuthenticationException):
                get(producer.send(ProducerRecord("topic", b"value")))


def test_lost_connections_lose_and_repeat_nothing() -> None:
    with Broker() as broker:
        broker.create_topic("topic", 2)
        place = Place(broker.bootstrap_servers)
        futures: list[RecordFuture] = []
        with new_producer(place, retry_backoff_ms=1, retry_backoff_max_ms=10) as producer:
            for number in range(2000):
                futures.append(
                    producer.send(ProducerRecord("topic", str(number).encode(), partition=number % 2)))
                if number % 200 == 100:
                    broker.disconnect()
            producer.flush()
            offsets = [get(future).offset() for future in futures]
        assert offsets == [number // 2 for number in range(2000)]
        for partition in range(2):
            assert [record.value for record in broker.records("topic", partition)] == [
                str(number).encode() for number in range(partition, 2000, 2)]


def test_metrics_tell_what_was_written(ours: Place) -> None:
    topic = new_topic(ours, 1)
    with new_producer(ours, client_id="counted") as producer:
        for _ in range(10):
            get(producer.send(ProducerRecord(topic, b"value")))
        found: dict[tuple[str, str], Any] = {
            (name.group(), name.name()): metric.metric_value() for name, metric in producer.metrics().items()}
    assert found["producer-metrics", "record-send-total"] == 10
    assert found["producer-topic-metrics", "record-send-total"] == 10
    assert found["producer-metrics", "record-error-total"] == 0
    assert found["producer-metrics", "buffer-available-bytes"] == 32 << 20
