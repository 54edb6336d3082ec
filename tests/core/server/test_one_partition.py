# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The short way of Produce and Fetch beside the way of all requests: the same answers, the same counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings, strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.uuid import Uuid
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.one_partition import OnePartition
from kreactor.server.metrics.yammer import Meter
from tests.core.server.node import Node, records
from tests.core.server.test_kafka_apis import fetch_data, produce_data

T = TypeVar("T")

LONGEST, TOO_LONG = "x" * 126, "y" * 127
TOPICS = ("foo", LONGEST, TOO_LONG, "__consumer_offsets", "nowhere")
UNKNOWN_ID = Uuid(5, 5)
# Where a batch can be spoilt: base offset, length, magic, checksum, attributes, number of records, a record.
SPOILT = (7, 11, 16, 20, 22, 60, 65)


class Noting(OnePartition):
    """Notes whether the last request went the short way; where it is ``closed`` none does."""

    closed: bool
    taken: bool

    @classmethod
    def of(cls, apis: KafkaApis, closed: bool) -> Noting:
        noting = cls.__new__(cls)
        for name in OnePartition.__slots__:
            setattr(noting, name, getattr(apis._one_partition, name))
        noting.closed, noting.taken = closed, False
        apis._one_partition = noting
        return noting

    def produce(self, *args: Any) -> bool:
        self.taken = not self.closed and super().produce(*args)
        return self.taken

    def fetch(self, *args: Any) -> bool:
        self.taken = not self.closed and super().fetch(*args)
        return self.taken


class Ways:
    """Two nodes that are asked the same; what the second is asked goes the way of all requests."""

    def __init__(self, short: Node, long: Node) -> None:
        self.nodes = (short, long)
        self._noting = [Noting.of(node.apis, node is long) for node in self.nodes]
        for node in self.nodes:
            for topic in TOPICS[:-1]:
                node.create_topic(topic)

    def ask(self, api: ApiKeys, version: int, data: Message) -> bool:
        """Ask both, and compare; return whether the first went the short way."""
        exchanges = [node.send(api, version, self._with_id(node, data)) for node in self.nodes]
        for is_so in ("waits", "is_closed", "is_nothing"):
            one, other = (getattr(exchange, is_so)() for exchange in exchanges)
            assert one is other, is_so
        if not (exchanges[0].waits() or exchanges[0].is_closed() or exchanges[0].is_nothing()):
            sent, other_sent = (exchange.sent_bytes() for exchange in exchanges)
            for topic in TOPICS[:-1]:
                sent, other_sent = (
                    data.replace(self._id(node, topic).to_bytes(), b"id")
                    for node, data in zip(self.nodes, (sent, other_sent)))
            assert sent == other_sent
        one, other = map(counts, self.nodes)
        assert one == other
        return self._noting[0].taken

    def _with_id(self, node: Node, data: Message) -> Message:
        if isinstance(data, FetchRequestData):
            data = data.duplicate()
            for topic in data.topics:
                topic.topic_id = self._id(node, topic.topic)
        return data

    def _id(self, node: Node, topic: str) -> Uuid:
        found = node.storage.topics().topic(topic)
        return UNKNOWN_ID if found is None else found.topic_id


def counts(node: Node) -> dict[str, int]:
    """Return what was counted, of topics and of errors."""
    return {name.get_mbean_name(): metric.count() for name, metric in node.registry.all_metrics().items()
            if isinstance(metric, Meter)}


@pytest.fixture
def ways(tmp_path: Path) -> Iterator[Ways]:
    with Node(tmp_path / "short") as short, Node(tmp_path / "long") as long:
        yield Ways(short, long)


def mostly(usual: st.SearchStrategy[T], others: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    return st.integers(0, 14).flatmap(lambda number: others if number == 14 else usual)


def topic_names() -> st.SearchStrategy[list[str]]:
    return mostly(st.sampled_from(TOPICS[:2]).map(lambda name: [name]),
                  st.lists(st.sampled_from(TOPICS), max_size=2, unique=True))


@st.composite
def batches(draw: st.DrawFn) -> bytes:
    """A producer's batch, or what is like one."""
    producer_id = draw(st.sampled_from((-1, -1, 7)))
    batch = bytearray(MemoryRecords.with_records(
        draw(st.sampled_from((Compression.NONE, Compression.gzip().build()))),
        *(SimpleRecord(1_700_000_000_000, None, b"value") for _ in range(draw(st.integers(1, 3)))),
        producer_id=producer_id, producer_epoch=0 if producer_id >= 0 else -1,
        base_sequence=draw(st.integers(0, 9)) if producer_id >= 0 else -1,
        is_transactional=producer_id >= 0 and draw(st.booleans())).buffer().to_bytes())
    if draw(st.sampled_from((False,) * 4 + (True,))):
        batch[draw(st.sampled_from(SPOILT))] ^= 1 << draw(st.integers(0, 7))
    return bytes(batch) * draw(mostly(st.just(1), st.sampled_from((0, 2))))


@st.composite
def produces(draw: st.DrawFn) -> tuple[ApiKeys, int, Message]:
    topic_data = [
        ProduceRequestData.TopicProduceData(name=name, partition_data=[
            ProduceRequestData.PartitionProduceData(index=index, records=draw(mostly(batches(), st.none())))
            for index in range(draw(mostly(st.just(1), st.sampled_from((0, 2)))))])
        for name in draw(topic_names())]
    return ApiKeys.PRODUCE, draw(st.integers(3, 11)), ProduceRequestData(
        acks=draw(mostly(st.sampled_from((1, -1)), st.sampled_from((0, 2, -2)))), timeout_ms=5000,
        transactional_id=draw(mostly(st.none(), st.just("me"))), topic_data=topic_data)


@st.composite
def fetches(draw: st.DrawFn) -> tuple[ApiKeys, int, Message]:
    def number(usual: int, *others: int) -> int:
        return draw(mostly(st.just(usual), st.sampled_from(others)))

    version = draw(st.integers(4, 16))
    topics = [
        FetchRequestData.FetchTopic(topic=name, partitions=[
            FetchRequestData.FetchPartition(
                partition=index, fetch_offset=draw(st.integers(-1, 12)),
                current_leader_epoch=number(-1, 0, 1, 2) if version >= 9 else -1,
                last_fetched_epoch=number(-1, 0, 1) if version >= 12 else -1,
                partition_max_bytes=number(1 << 20, 100, 1, 0, -1))
            for index in range(number(1, 2))])
        for name in draw(topic_names())]
    data = FetchRequestData(
        max_wait_ms=0, min_bytes=number(1, 0, 200, 100_000), max_bytes=number(1 << 20, 100, 0, -1),
        isolation_level=number(0, 1, 2), topics=topics)
    if version >= 7:
        data.session_id, data.session_epoch = number(0, 1), number(-1, 1, 5)
    if version < 15:
        data.replica_id = number(-1, 3, -2)
    return ApiKeys.FETCH, version, data


def test_both_ways_give_the_same_answers_and_count_the_same(ways: Ways) -> None:
    for topic in ("foo", LONGEST):
        for _ in range(6):
            ways.ask(ApiKeys.PRODUCE, 9, produce_data(records(b"one", b"two"), topic))
    taken = dict.fromkeys((ApiKeys.PRODUCE, ApiKeys.FETCH), 0)

    @settings(max_examples=200)
    @given(produces() | fetches())
    def ask(request: tuple[ApiKeys, int, Message]) -> None:
        taken[request[0]] += ways.ask(*request)

    ask()
    assert all(taken.values())


def test_what_goes_the_short_way_of_produce(ways: Ways) -> None:
    for version in range(3, 12):
        for topic in ("foo", LONGEST, TOO_LONG):
            for _ in range(2):
                is_short = ways.ask(ApiKeys.PRODUCE, version, produce_data(records(b"a"), topic))
                assert is_short is (version >= 7 and topic != TOO_LONG)


def test_what_goes_the_short_way_of_fetch(ways: Ways) -> None:
    for topic in ("foo", LONGEST, TOO_LONG):
        ways.ask(ApiKeys.PRODUCE, 9, produce_data(records(bytes(300)), topic))
        for version in range(4, 17):
            for isolation_level in (0, 1):
                is_short = ways.ask(ApiKeys.FETCH, version, fetch_data(
                    topic, isolation_level=isolation_level, session_epoch=-1))
                assert is_short is (version >= 11 and topic != TOO_LONG)
            nothing = fetch_data(topic, offset=1, session_epoch=-1)
            assert not ways.ask(ApiKeys.FETCH, version, nothing)


def test_a_fetch_that_waits_is_answered_when_something_came_the_short_way(ways: Ways) -> None:
    data = fetch_data("foo", max_wait_ms=1000, session_epoch=-1)
    waiting = [node.send(ApiKeys.FETCH, 12, data) for node in ways.nodes]
    assert all(exchange.waits() for exchange in waiting)
    assert ways.ask(ApiKeys.PRODUCE, 9, produce_data(records(b"a")))
    one, other = (exchange.sent_bytes() for exchange in waiting)
    assert one == other


def test_where_requests_are_logged_they_go_the_long_way(ways: Ways, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "kreactor.core.server.kafka_apis.KafkaApis"):
        assert not ways.ask(ApiKeys.PRODUCE, 9, produce_data(records(b"a")))
