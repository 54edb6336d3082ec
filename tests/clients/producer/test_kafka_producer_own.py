# Licensed under the Apache License, Version 2.0; see LICENSE.
"""KafkaProducer: the time that metadata take counts, and no metadata of a record are made for nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.errors import TimeoutException
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.testing import Broker
from kreactor.testing.mock_time import MockTime
from tests.clients.producer.test_kafka_producer import (
    EMPTY_CLUSTER,
    ONE_PARTITION_CLUSTER,
    TOPIC,
    mock_metadata,
    producer_with_override_new_sender,
)
from tests.stepping import PATIENCE_S, WOKEN_S, Background, overtaken_by_the_sleeper, wait_until

MAX_BLOCK_MS = 60_000
LOOK_MS = 10_000
WAIT_MS = int(PATIENCE_S * 1000)
Producer = KafkaProducer[str, str]


# -- the wait for metadata ---------------------------------------------------------------------------


def metadata_known_at(look: int, time: MockTime) -> Mock:
    """Metadata that know the topic from a look on; each look but the first takes ten seconds."""
    metadata = mock_metadata(EMPTY_CLUSTER)

    def fetch() -> Cluster:
        if metadata.fetch.call_count > 1:
            time.sleep(LOOK_MS)
        return ONE_PARTITION_CLUSTER if metadata.fetch.call_count >= look else EMPTY_CLUSTER

    metadata.fetch.side_effect = fetch
    return metadata


@pytest.mark.parametrize("send", [
    pytest.param(lambda producer: producer.send(ProducerRecord(TOPIC, "value")), id="send"),
    pytest.param(lambda producer: producer.send_all(TOPIC, ["value"]), id="send_all")])
def test_the_wait_for_metadata_is_taken_off_the_wait_for_memory(send: Callable[[Producer], object]) -> None:
    time = MockTime()
    metadata = metadata_known_at(4, time)
    producer = producer_with_override_new_sender(False, metadata, time)
    append = Mock(wraps=producer._accumulator.append)
    producer._accumulator.append = append  # type: ignore[method-assign]
    begin_ms = time.milliseconds()
    send(producer)
    assert [call.args[1] for call in metadata.await_update.mock_calls] == [60_000, 50_000, 40_000]
    assert [call.args[1] - begin_ms for call in metadata.add.mock_calls] == [0, 0, 10_000, 20_000]
    _, _, timestamp, _, _, _, _, max_time_to_block, _, now_ms, cluster = append.call_args.args
    assert (timestamp, now_ms) == (begin_ms + 30_000, begin_ms + 30_000)
    assert max_time_to_block == MAX_BLOCK_MS - 30_000
    assert cluster is ONE_PARTITION_CLUSTER
    waited, = (metric.metric_value() for name, metric in producer.metrics().items()
               if name.name() == "metadata-wait-time-ns-total")
    assert waited == 30_000_000_000
    producer.close(0)


@pytest.mark.parametrize(("look", "is_in_time"), [(6, True), (7, False)])
def test_metadata_that_come_with_the_end_of_the_wait_are_too_late(look: int, is_in_time: bool) -> None:
    time = MockTime()
    producer = producer_with_override_new_sender(False, metadata_known_at(look, time), time)
    if is_in_time:
        assert len(producer.partitions_for(TOPIC)) == 1
    else:
        with pytest.raises(TimeoutException, match=f"^Topic {TOPIC} not present in metadata after 60000 ms"):
            producer.partitions_for(TOPIC)
    producer.close(0)


def test_metadata_that_take_all_the_time_leave_none_for_memory() -> None:
    """A wait is never negative, however late the thread is."""
    time = MockTime()
    producer = producer_with_override_new_sender(False, mock_metadata(ONE_PARTITION_CLUSTER), time)
    append = Mock(wraps=producer._accumulator.append)
    producer._accumulator.append = append  # type: ignore[method-assign]
    producer._wait_on_metadata = Mock(  # type: ignore[method-assign]
        return_value=KafkaProducer.ClusterAndWaitTime(ONE_PARTITION_CLUSTER, MAX_BLOCK_MS + 1))
    producer.send(ProducerRecord(TOPIC, "value"))
    assert append.call_args.args[7] == 0
    producer.close(0)


# -- metadata of a record ----------------------------------------------------------------------------


class Seeing(ProducerInterceptor[str, str]):
    """Counts acknowledgements."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def configure(self, configs: object) -> None:
        pass

    def on_send(self, record: ProducerRecord[str, str]) -> ProducerRecord[str, str]:
        return record

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        assert metadata is not None and exception is None
        self.seen.append(metadata.offset())

    def close(self) -> None:
        pass


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={TOPIC: 1}) as broker:
        yield broker


def new_producer(broker: Broker, **configs: object) -> Producer:
    return KafkaProducer({"bootstrap.servers": broker.bootstrap_servers} | configs, StringSerializer(),
                         StringSerializer())


def test_metadata_of_a_record_are_made_for_those_that_ask(
        broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FutureRecordMetadata] = []
    value = FutureRecordMetadata.value

    def counted(self: FutureRecordMetadata) -> RecordMetadata:
        made.append(self)
        return value(self)

    monkeypatch.setattr(FutureRecordMetadata, "value", counted)
    with new_producer(broker) as producer:
        futures = [producer.send(ProducerRecord(TOPIC, "value")) for _ in range(3)]
        producer.flush()
        assert not made
        assert [future.get(WAIT_MS).offset() for future in futures] == [0, 1, 2]
        assert made == futures
        heard: list[RecordMetadata | None] = []
        producer.send(ProducerRecord(TOPIC, "value"), lambda metadata, exception: heard.append(metadata))
        producer.flush()
        assert [metadata.offset() for metadata in heard if metadata is not None] == [3]


def test_an_interceptor_is_told_of_records_without_a_callback(broker: Broker) -> None:
    interceptor = Seeing()
    producer = new_producer(broker)
    producer._interceptors._interceptors = [interceptor]
    with producer:
        for _ in range(3):
            producer.send(ProducerRecord(TOPIC, "value"))
        producer.flush()
        assert interceptor.seen == [0, 1, 2]


# -- the threads -------------------------------------------------------------------------------------


def send(producer: Producer) -> object:
    return producer.send(ProducerRecord(TOPIC, "value")).get(WAIT_MS)


def send_and_flush(producer: Producer) -> object:
    future = producer.send(ProducerRecord(TOPIC, "value"))
    producer.flush()
    return future.get(0)


@pytest.mark.parametrize(("ask", "configs"), [
    (send, {}), (send_and_flush, {"linger.ms": 60_000}),
    (lambda producer: producer.partitions_for("another"), {}), (KafkaProducer.close, {})],
    ids=["send", "flush", "partitions_for", "close"])
def test_a_producer_does_what_it_is_asked_although_its_sender_is_faster_than_the_caller(
        broker: Broker, ask: Callable[[Producer], object], configs: dict[str, object]) -> None:
    """The sender makes a whole round, and sleeps again, as soon as the caller wakes it."""
    broker.create_topic("another", 1)
    with new_producer(broker, **configs) as producer:
        send_and_flush(producer)
        with overtaken_by_the_sleeper(producer._sender._client, "_selector", "poll"):
            asking = Background(lambda: ask(producer))
            wait_until(asking.is_done, "the sender does not do it", WOKEN_S)
        asking.result()


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
def test_a_transaction_ends_although_the_sender_is_faster_than_the_caller(broker: Broker, end: str) -> None:
    with new_producer(broker, **{"transactional.id": "id", "linger.ms": 60_000}) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        send_and_flush(producer)
        with overtaken_by_the_sleeper(producer._sender._client, "_selector", "poll"):
            ending = Background(getattr(producer, end))
            wait_until(ending.is_done, "the transaction does not end", WOKEN_S)
        ending.result()
