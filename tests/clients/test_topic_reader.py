# Licensed under the Apache License, Version 2.0; see LICENSE.
"""TopicReader, against a broker in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.topic_reader import Fetched, TopicReader, TopicReaderConfig, _Aborted
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    DisconnectException,
    OffsetOutOfRangeException,
    SaslAuthenticationException,
    SslAuthenticationException,
    UnknownTopicOrPartitionException,
    UnsupportedSaslMechanismException,
)
from kreactor.common.header.header import Header
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.testing import Broker, Close, Error
from kreactor.testing.tls import Tls

EARLIEST, LATEST = ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.LATEST_TIMESTAMP


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"t": 2}) as broker:
        yield broker


@contextmanager
def reading(address: str, timeout_ms: int = 10_000, **settings: object) -> Iterator[TopicReader]:
    """A reader with these settings, with ``_`` for ``.``."""
    reader = TopicReader({"bootstrap.servers": address, "request.timeout.ms": timeout_ms,
                          **{name.replace("_", "."): value for name, value in settings.items()}})
    try:
        yield reader
    finally:
        reader.close()


@pytest.fixture
def reader(broker: Broker) -> Iterator[TopicReader]:
    with reading(f"127.0.0.1:1,{broker.bootstrap_servers}") as reader:
        yield reader


@contextmanager
def writing(address: str, **settings: object) -> Iterator[KafkaProducer[bytes, bytes]]:
    producer = KafkaProducer[bytes, bytes](
        {"bootstrap.servers": address, **{name.replace("_", "."): value for name, value in settings.items()}},
        ByteArraySerializer(), ByteArraySerializer())
    try:
        yield producer
    finally:
        producer.close()


def write(address: str, partition: int, *values: str | None, begin_ms: int = 1000, key: bytes | None = b"k",
          headers: Sequence[Header] = (), **settings: object) -> None:
    with writing(address, **settings) as producer:
        for i, value in enumerate(values):
            producer.send(ProducerRecord(
                "t", None if value is None else value.encode(), key=key, partition=partition,
                timestamp=begin_ms + 10 * i, headers=headers))


def read(reader: TopicReader, partition: int, begin: int, end: int) -> list[Fetched]:
    return [record for found in reader.records("t", partition, begin, end) for record in found]


def test_what_is_written_is_read(broker: Broker, reader: TopicReader) -> None:
    assert reader.topics() == ["t"]
    assert reader.partitions("t") == [0, 1]
    write(broker.bootstrap_servers, 1, None, begin_ms=5, key=None,
          headers=[RecordHeader("a", b"1"), RecordHeader("a", None)])
    write(broker.bootstrap_servers, 1, "x")
    write(broker.bootstrap_servers, 1, "y", "z", begin_ms=2000)
    assert reader.offsets("t", {0: LATEST, 1: LATEST}) == {0: 0, 1: 4}
    assert reader.offsets("t", {1: EARLIEST}) == {1: 0}
    assert reader.offsets("t", {1: 1500}) == {1: 2}
    assert reader.offsets("t", {0: 0, 1: 2011}) == {0: -1, 1: -1}
    assert [record.value for record in read(reader, 1, 1, 3)] == [b"x", b"y"]
    first = read(reader, 1, 0, 1)[0]
    assert (first.offset, first.timestamp, first.key, first.value) == (0, 5, None, None)
    assert first.headers == (("a", b"1"), ("a", None))


def test_internal_topics_can_be_left_out() -> None:
    with Broker(topics=["t", "__consumer_offsets"]) as broker, reading(broker.bootstrap_servers) as reader:
        assert reader.topics() == ["__consumer_offsets", "t"]
        assert reader.topics(with_internal=False) == ["t"]


def test_batches_are_read_whole(broker: Broker, reader: TopicReader) -> None:
    for values in ("ab", "cde", "f"):
        write(broker.bootstrap_servers, 0, *values, compression_type="gzip", linger_ms=1000)
    found = [batch for batches in reader.batches("t", 0, 1, 4) for batch in batches]
    assert [(batch.base_offset(), batch.last_offset()) for batch in found][:2] == [(0, 1), (2, 4)]
    with pytest.raises(OffsetOutOfRangeException, match="t-0 ends at 6"):
        list(reader.batches("t", 0, 5, 7))


def test_a_session_names_what_has_changed(broker: Broker, reader: TopicReader) -> None:
    """A partition without news is not in the response, and its end is known nevertheless."""
    zero, one = TopicPartition("t", 0), TopicPartition("t", 1)
    write(broker.bootstrap_servers, 0, "a", "b")
    first = reader.poll({zero: 0, one: 0})
    assert [record.value for record in first[zero].records] == [b"a", b"b"]
    assert first[zero][1:] == (2, 2, 2) and first[one] == ([], 0, 0, 0)
    assert reader.poll({zero: 2, one: 0}) == {zero: ([], 2, 2, 2), one: ([], 0, 0, 0)}
    write(broker.bootstrap_servers, 1, "c")
    last = reader.poll({zero: 2, one: 0})
    assert [record.value for record in last[one].records] == [b"c"] and last[zero] == ([], 2, 2, 2)
    fetches = broker.requests(api="Fetch")
    assert len({request.body.session_id for request in fetches[1:]}) == 1
    assert fetches[-1].body.session_id > 0
    # The offset of the first partition did not change, so that the last request names neither.
    assert [topic.partitions for topic in fetches[-1].body.topics] == []
    # 4 MiB of each partition, and half a second.
    assert [partition.partition_max_bytes for topic in fetches[0].body.topics
            for partition in topic.partitions] == [4 << 20] * 2
    assert {request.body.max_wait_ms for request in fetches} == {500}


def test_transactions_are_read_as_the_isolation_says(broker: Broker) -> None:
    address = broker.bootstrap_servers
    with writing(address, transactional_id="w") as producer:
        producer.init_transactions()
        for value, ends in (("aborted", producer.abort_transaction), ("good", producer.commit_transaction)):
            producer.begin_transaction()
            producer.send(ProducerRecord("t", value.encode(), partition=0))
            producer.flush()
            ends()
        producer.begin_transaction()
        producer.send(ProducerRecord("t", b"open", partition=0))
        producer.flush()
        at = TopicPartition("t", 0)
        with reading(address, isolation_level="read_committed") as reader:
            polled = reader.poll({at: 0})[at]
            assert [record.value for record in polled.records] == [b"good"]
            assert polled[1:] == (4, 5, 4)
            assert [record.value for record in read(reader, 0, 0, 4)] == [b"good"]
        with reading(address) as reader:
            assert [record.value for record in reader.poll({at: 0})[at].records] == [
                b"aborted", b"good", b"open"]


def test_a_throttled_reader_waits_no_longer_than_it_is_told(broker: Broker) -> None:
    """A request of a node that throttles is sent when the time is over, and not at its timeout."""
    write(broker.bootstrap_servers, 0, "a" * 1000)
    with reading(broker.bootstrap_servers, 60_000) as reader:
        assert len(read(reader, 0, 0, 1)) == 1
        node = reader.leader(TopicPartition("t", 0))
        reader._client._connection_states.throttle(node.id_string(), Time.SYSTEM.milliseconds() + 300)
        begin = Time.SYSTEM.milliseconds()
        assert len(read(reader, 0, 0, 1)) == 1
        assert 300 <= Time.SYSTEM.milliseconds() - begin < 30_000


@pytest.mark.parametrize("api", ["Metadata", "ListOffsets", "Fetch"])
def test_a_leader_that_moves_and_a_connection_that_breaks(
        broker: Broker, reader: TopicReader, api: str) -> None:
    write(broker.bootstrap_servers, 0, "a")
    fault = Close() if api == "Metadata" else Error("NOT_LEADER_OR_FOLLOWER")
    with broker.faults.add(fault, api=api, first=1) as rule:
        assert reader.offsets("t", {0: LATEST}) == {0: 1}
        assert [record.value for record in read(reader, 0, 0, 1)] == [b"a"]
    assert rule.hits == 1


@pytest.mark.parametrize("fault", [Close(), Error("FETCH_SESSION_ID_NOT_FOUND"),
                                   Error("INVALID_FETCH_SESSION_EPOCH")])
def test_a_session_that_is_lost_begins_again(broker: Broker, reader: TopicReader,
                                             fault: Close | Error) -> None:
    write(broker.bootstrap_servers, 0, "a", "b")
    assert [record.value for record in read(reader, 0, 0, 1)] == [b"a"]
    with broker.faults.add(fault, api="Fetch", first=1) as rule:
        assert [record.value for record in read(reader, 0, 1, 2)] == [b"b"]
    assert rule.hits == 1


def test_what_is_not_there(reader: TopicReader) -> None:
    with pytest.raises(UnknownTopicOrPartitionException):
        reader.offsets("t", {7: LATEST})
    with pytest.raises(UnknownTopicOrPartitionException):
        reader.partitions("none")
    with pytest.raises(OffsetOutOfRangeException):
        read(reader, 0, 5, 6)
    with pytest.raises(OffsetOutOfRangeException):
        read(reader, 0, 0, 1)
    assert reader.partitions("made", create=True) == [0]


def test_nobody_is_there() -> None:
    with reading("127.0.0.1:1", 1000) as reader:
        with pytest.raises(DisconnectException, match="127.0.0.1:1"):
            reader.partitions("t")


def jaas(password: str) -> str:
    return ("org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="alice" password="{password}";')


def test_over_tls_with_a_password() -> None:
    with Broker(tls=True, sasl="SCRAM-SHA-512", users={"alice": "secret"}, topics={"t": 2}) as broker:
        security = {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
                    "sasl.jaas.config": jaas("secret"),
                    "ssl.truststore.type": "PEM", "ssl.truststore.location": broker.tls.ca}

        address = broker.bootstrap_servers
        changed = {"sasl.jaas.config": jaas("secret").replace("scram.Scram", "plain.Plain"),
                   "sasl.mechanism": "PLAIN"}
        write(address, 1, "x", **security)
        with reading(address, **security) as right:
            assert [record.value for record in read(right, 1, 0, 1)] == [b"x"]
        with reading(address, **{**security, "sasl.jaas.config": jaas("wrong")}) as wrong:
            with pytest.raises(SaslAuthenticationException, match="invalid credentials"):
                wrong.partitions("t")
        with reading(address, **{**security, **changed}) as wrong:
            with pytest.raises(UnsupportedSaslMechanismException, match="PLAIN"):
                wrong.partitions("t")
        other = Tls()
        with reading(address, **{**security, "ssl.truststore.location": other.ca}) as wrong:
            with pytest.raises(SslAuthenticationException):
                wrong.partitions("t")
        other.close()
        with reading(address, 1000, **{**security, "security.protocol": "SASL_PLAINTEXT"}) as wrong:
            with pytest.raises(DisconnectException):
                wrong.partitions("t")


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ConfigException, match="security.protocol"):
        TopicReader({"bootstrap.servers": "127.0.0.1:1", "security.protocol": "TLS"})
    with pytest.raises(ConfigException, match="isolation.level"):
        TopicReader({"bootstrap.servers": "127.0.0.1:1", "isolation.level": "none"})
    with pytest.raises(ConfigException, match="bootstrap.servers"):
        TopicReader({})
    with pytest.raises(KafkaException):
        TopicReader({"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SASL_PLAINTEXT"})


@pytest.mark.parametrize("text", ["", "host", "host:", "host:x"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ConfigException):
        TopicReader({"bootstrap.servers": text})


def test_the_partitions_are_always_the_current_ones(reader: TopicReader) -> None:
    for _ in range(2):
        assert reader.partitions("t") == [0, 1]
        # As it was before the second partition.
        reader._topics["t"] = reader._topics["t"]._replace(leaders={0: None})


def test_a_transaction_that_was_aborted() -> None:
    aborted = _Aborted([FetchResponseData.AbortedTransaction(producer_id=2, first_offset=9),
                        FetchResponseData.AbortedTransaction(producer_id=1, first_offset=3)])
    aborted.start_up_to(2)
    assert not aborted.has(1)
    aborted.start_up_to(3)
    assert aborted.has(1) and not aborted.has(2)
    aborted.start_up_to(20)
    assert aborted.has(2)


def test_the_defaults_of_the_network_are_those_of_kafkas_consumer() -> None:
    config = TopicReaderConfig({"bootstrap.servers": "localhost:9999"})
    assert {name: config.values()[name] for name in (
        "send.buffer.bytes", "receive.buffer.bytes", "connections.max.idle.ms", "reconnect.backoff.ms",
        "reconnect.backoff.max.ms", "socket.connection.setup.timeout.ms",
        "socket.connection.setup.timeout.max.ms", "security.protocol")} == {
        "send.buffer.bytes": 131072, "receive.buffer.bytes": 65536, "connections.max.idle.ms": 540_000,
        "reconnect.backoff.ms": 50, "reconnect.backoff.max.ms": 1000,
        "socket.connection.setup.timeout.ms": 10_000, "socket.connection.setup.timeout.max.ms": 30_000,
        "security.protocol": "PLAINTEXT"}
