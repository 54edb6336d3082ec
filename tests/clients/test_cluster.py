# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The client of our own, against a broker in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kreactor.clients.cluster import Cluster, Fetched, _Aborted
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    DisconnectException,
    OffsetOutOfRangeException,
    SaslAuthenticationException,
    SslAuthenticationException,
    UnknownTopicOrPartitionException,
    UnsupportedSaslMechanismException,
)
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.testing import Broker, Close, Error
from kreactor.testing.tls import Tls

EARLIEST, LATEST = ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.LATEST_TIMESTAMP


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"t": 2}) as broker:
        yield broker


@pytest.fixture
def cluster(broker: Broker) -> Iterator[Cluster]:
    cluster = Cluster(f"127.0.0.1:1,{broker.bootstrap_servers}", timeout_ms=10_000)
    yield cluster
    cluster.close()


def records(*values: str, begin_ms: int = 1000) -> list[SimpleRecord]:
    return [SimpleRecord(begin_ms + 10 * i, b"k", value.encode()) for i, value in enumerate(values)]


def read(cluster: Cluster, partition: int, begin: int, end: int) -> list[Fetched]:
    return [record for found in cluster.records("t", partition, begin, end) for record in found]


def test_what_is_written_is_read(cluster: Cluster) -> None:
    assert cluster.partitions("t") == [0, 1]
    headers = [RecordHeader("a", b"1"), RecordHeader("a", None)]
    assert cluster.append("t", 1, [SimpleRecord(5, None, None, headers), *records("x")]) == 0
    assert cluster.append("t", 1, records("y", "z", begin_ms=2000)) == 2
    assert cluster.offsets("t", {0: LATEST, 1: LATEST}) == {0: 0, 1: 4}
    assert cluster.offsets("t", {1: EARLIEST}) == {1: 0}
    assert cluster.offsets("t", {1: 1500}) == {1: 2}
    assert cluster.offsets("t", {0: 0, 1: 2011}) == {0: -1, 1: -1}
    assert [record.value for record in read(cluster, 1, 1, 3)] == [b"x", b"y"]
    first = read(cluster, 1, 0, 1)[0]
    assert (first.offset, first.timestamp, first.key, first.value) == (0, 5, None, None)
    assert first.headers == (("a", b"1"), ("a", None))


def test_a_batch_that_is_sent_again_is_there_once(broker: Broker, cluster: Cluster) -> None:
    cluster.append("t", 0, records("a"))
    # It is written, and its answer is not: the client cannot know.
    with broker.faults.add(Close(), api="Produce", first=1) as rule:
        cluster.append("t", 0, records("b"))
    assert rule.hits == 1
    cluster.append("t", 0, records("c"))
    assert [record.value for record in broker.records("t")] == [b"a", b"b", b"c"]


@pytest.mark.parametrize("api", ["Metadata", "ListOffsets", "Fetch", "Produce"])
def test_a_leader_that_moves_and_a_connection_that_breaks(broker: Broker, cluster: Cluster, api: str) -> None:
    fault = Close() if api == "Metadata" else Error("NOT_LEADER_OR_FOLLOWER")
    with broker.faults.add(fault, api=api, first=1) as rule:
        cluster.append("t", 0, records("a"))
        assert cluster.offsets("t", {0: LATEST}) == {0: 1}
        assert [record.value for record in read(cluster, 0, 0, 1)] == [b"a"]
    assert rule.hits == 1


def test_what_is_not_there(cluster: Cluster) -> None:
    with pytest.raises(UnknownTopicOrPartitionException):
        cluster.offsets("t", {7: LATEST})
    with pytest.raises(UnknownTopicOrPartitionException):
        cluster.partitions("none")
    with pytest.raises(OffsetOutOfRangeException):
        read(cluster, 0, 5, 6)
    with pytest.raises(OffsetOutOfRangeException):
        read(cluster, 0, 0, 1)
    assert cluster.partitions("made", create=True) == [0]


def test_nobody_is_there() -> None:
    cluster = Cluster("127.0.0.1:1", timeout_ms=1000)
    with pytest.raises(DisconnectException, match="127.0.0.1:1"):
        cluster.partitions("t")
    cluster.close()


def jaas(password: str) -> str:
    return ("org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="alice" password="{password}";')


def test_over_tls_with_a_password() -> None:
    with Broker(tls=True, sasl="SCRAM-SHA-512", users={"alice": "secret"}, topics={"t": 2}) as broker:
        security = {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
                    "sasl.jaas.config": jaas("secret"),
                    "ssl.truststore.type": "PEM", "ssl.truststore.location": broker.tls.ca}

        @contextmanager
        def cluster(**changes: str) -> Iterator[Cluster]:
            settings = security | {name.replace("_", "."): value for name, value in changes.items()}
            made = Cluster(broker.bootstrap_servers, timeout_ms=1_000, security=settings)
            yield made
            made.close()

        with cluster() as right:
            assert right.append("t", 1, records("x")) == 0
            assert [record.value for record in read(right, 1, 0, 1)] == [b"x"]
        with cluster(sasl_jaas_config=jaas("wrong")) as wrong:
            with pytest.raises(SaslAuthenticationException, match="invalid credentials"):
                wrong.partitions("t")
        plain = jaas("secret").replace("scram.Scram", "plain.Plain")
        with cluster(sasl_mechanism="PLAIN", sasl_jaas_config=plain) as wrong:
            with pytest.raises(UnsupportedSaslMechanismException, match="PLAIN"):
                wrong.partitions("t")
        other = Tls()
        with cluster(ssl_truststore_location=other.ca) as wrong, pytest.raises(SslAuthenticationException):
            wrong.partitions("t")
        other.close()
        with cluster(security_protocol="SASL_PLAINTEXT") as wrong, pytest.raises(DisconnectException):
            wrong.partitions("t")


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ConfigException, match="security.protocol"):
        Cluster("127.0.0.1:1", security={"security.protocol": "TLS"})
    cluster = Cluster("127.0.0.1:1", security={"security.protocol": "SASL_PLAINTEXT"})
    with pytest.raises(ConfigException):
        cluster.partitions("t")


@pytest.mark.parametrize("text", ["", "host", "host:", ":9092", "host:x"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(IllegalArgumentException):
        Cluster(text)


def test_a_transaction_that_was_aborted() -> None:
    aborted = _Aborted([FetchResponseData.AbortedTransaction(producer_id=2, first_offset=9),
                        FetchResponseData.AbortedTransaction(producer_id=1, first_offset=3)])
    aborted.reach(2)
    assert not aborted.has(1)
    aborted.reach(3)
    assert aborted.has(1) and not aborted.has(2)
    aborted.reach(20)
    assert aborted.has(2)
