# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The batches of ``KafkaProducer.send_all`` are those of ``send``, and all memory of a call comes back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.producer import kafka_producer
from kreactor.clients.producer.internals.append_all import RecordNotQueuedException
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.producer_interceptors import ProducerInterceptors
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.clients.producer.round_robin_partitioner import RoundRobinPartitioner
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import RecordTooLargeException, SerializationException
from kreactor.common.errors import TimeoutException as KafkaTimeoutException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException, TimeoutException
from kreactor.testing import Broker
from kreactor.testing.mock_time import MockTime
from tests import packages
from tests.clients.client import read_committed
from tests.clients.producer.internals.test_record_accumulator_own import Interrupting
from tests.clients.producer.test_kafka_producer import cluster_of, mock_metadata

TOPIC = "topic"
PARTITIONS = 3
WAIT_MS = 60_000
MEMORY = 1 << 24
BytesProducer = KafkaProducer[bytes, bytes]
BytesRecord = ProducerRecord[bytes, bytes]
Item = bytes | tuple[bytes | None, bytes | None] | BytesRecord | None


class Paused(NamedTuple):
    """A producer whose batches stay where they are, and what is behind it."""

    producer: BytesProducer
    accumulator: RecordAccumulator
    pool: BufferPool
    sender: Mock

    def batches(self) -> dict[int, list[tuple[bytes, int, int]]]:
        """The bytes, the number of records and the size of the largest of all batches, by partition."""
        found = {}
        for partition in range(PARTITIONS):
            found[partition] = [
                (bytes(batch.records().buffer().view()), batch.record_count, batch.max_record_size)
                for batch in self.accumulator.get_deque(TopicPartition(TOPIC, partition)) or ()]
        return found

    def abort(self) -> None:
        """End all batches; afterwards the pool has all memory."""
        self.accumulator.close()
        self.accumulator.abort_incomplete_batches()
        assert self.pool.available_memory() == MEMORY


def paused(compression_type: CompressionType = CompressionType.NONE, batch_size: int = 16384,
           transaction_manager: Mock | None = None,
           interceptor: ProducerInterceptor[bytes, bytes] | None = None,
           partitioner: Partitioner | None = None, **configs: object) -> Paused:
    """Partitions are chosen in the same order each time; settings have ``_`` for ``.`` in their names."""
    BuiltInPartitioner.mock_random = itertools.count().__next__
    CompressionRatioEstimator.reset_estimation(TOPIC)
    # The clock stands.
    time, metrics, log_context = MockTime(0, 1_000_000, 0), Metrics(), LogContext()
    serializer = ByteArraySerializer()
    config = ProducerConfig(ProducerConfig.append_serializer_to_config(
        {"bootstrap.servers": "localhost:9999", "compression.type": compression_type.name.lower()}
        | {name.replace("_", "."): value for name, value in configs.items()}, serializer, serializer))
    pool = BufferPool(MEMORY, batch_size, metrics, time, "group")
    accumulator = RecordAccumulator(
        log_context, batch_size, Compression.of(compression_type).build(), 600_000, 100, 1000, 600_000,
        metrics, "group", time, ApiVersions(), transaction_manager, pool)
    sender, thread = Mock(Sender), Mock(KafkaThread)
    sender.is_running.return_value = True
    thread.is_alive.return_value = False
    producer: BytesProducer = KafkaProducer.of_parts(
        config, log_context, metrics, serializer, serializer, mock_metadata(cluster_of(PARTITIONS)),
        accumulator, transaction_manager, sender,
        ProducerInterceptors([] if interceptor is None else [interceptor]), partitioner, time, thread)
    return Paused(producer, accumulator, pool, sender)


@pytest.fixture(autouse=True)
def _random_partitions_again() -> Iterator[None]:
    yield
    BuiltInPartitioner.mock_random = None


def record_of(item: Item) -> BytesRecord:
    if isinstance(item, ProducerRecord):
        return ProducerRecord(TOPIC, item.value(), key=item.key(), partition=item.partition(),
                              timestamp=item.timestamp(), headers=item.headers())
    if isinstance(item, tuple):
        return ProducerRecord(TOPIC, item[1], key=item[0])
    return ProducerRecord(TOPIC, item)


contents = st.none() | st.binary(max_size=20) | st.integers(0, 2000).map(lambda size: b"x" * size)
keys = st.none() | st.sampled_from((b"", b"anna", b"berta", b"carla"))
headers = st.lists(st.builds(RecordHeader, st.text(max_size=3), st.none() | st.binary(max_size=70)),
                   max_size=2)
records = st.builds(
    lambda value, key, partition, timestamp, each: ProducerRecord(
        TOPIC, value, key=key, partition=partition, timestamp=timestamp, headers=each),
    contents, keys, st.none() | st.integers(0, PARTITIONS - 1), st.none() | st.integers(0, 2**41), headers)
items = st.one_of(contents, contents, st.tuples(keys, contents), records)
# Few kinds often repeated, so that batches fill; more than are taken at a time.
loads = st.lists(st.tuples(items, st.integers(1, 300)), max_size=8).map(
    lambda runs: [item for item, count in runs for _ in range(count)])


@settings(deadline=None, max_examples=40)
@given(load=loads, compression_type=st.sampled_from((CompressionType.NONE, CompressionType.GZIP)),
       batch_size=st.sampled_from((1, 200, 1000, 16384)), cuts=st.lists(st.integers(0, 1500), max_size=2))
def test_batches_are_those_of_send(load: list[Item], compression_type: CompressionType, batch_size: int,
                                   cuts: list[int]) -> None:
    one = paused(compression_type, batch_size)
    for item in load:
        one.producer.send(record_of(item))
    expected = one.batches()

    whole = paused(compression_type, batch_size)
    limits = [0, *sorted(cuts), len(load)]
    limits = sorted(min(limit, len(load)) for limit in limits)
    for start, end in itertools.pairwise(limits):
        part = [record_of(item) if isinstance(item, ProducerRecord) else item for item in load[start:end]]
        assert whole.producer.send_all(TOPIC, part).queued() == end - start

    assert whole.batches() == expected
    assert whole.pool.available_memory() == one.pool.available_memory()
    for each in (one, whole):
        each.abort()


def test_one_look_at_metadata_for_many_records() -> None:
    each = paused()
    each.producer.send_all(TOPIC, [b"x"] * 512)
    assert each.producer._metadata.fetch.call_count == 1  # type: ignore[attr-defined]  # a mock
    each.abort()


def test_no_record_is_no_work() -> None:
    each = paused()
    future = each.producer.send_all(TOPIC, ())
    assert future.is_done() and future.queued() == 0 and future.get(0) == {}
    assert each.batches() == {0: [], 1: [], 2: []}


def test_a_buffer_that_the_generator_writes_into_again_is_copied() -> None:
    def values() -> Iterator[bytearray]:
        buffer = bytearray(1)
        for buffer[0] in b"abc":
            yield buffer

    one, whole = paused(), paused()
    for value in b"abc":
        one.producer.send(ProducerRecord(TOPIC, bytes((value,))))
    BuiltInPartitioner.mock_random = itertools.count().__next__
    whole.producer.send_all(TOPIC, values())  # type: ignore[arg-type]  # the serializer takes it
    assert whole.batches() == one.batches()


def test_what_a_serializer_refuses_ends_the_call_after_the_records_before_it() -> None:
    each = paused()
    with pytest.raises(RecordNotQueuedException, match="index 700") as caught:
        each.producer.send_all(TOPIC, [b"x"] * 700 + [5] + [b"y"] * 9)  # type: ignore[list-item]
    assert isinstance(caught.value.__cause__, SerializationException)
    assert "Can't convert value of class int" in str(caught.value.__cause__)
    assert caught.value.queued() == 700
    assert sum(count for batches in each.batches().values() for _, count, _ in batches) == 700
    each.abort()
    with pytest.raises(Exception, match="closed"):
        caught.value.future.get(WAIT_MS)


@pytest.mark.parametrize(("values", "wakeups"), [
    ([b"x"], 1), ([b"x"] * 9, 1), ([b"x" * 900], 1), ([b"x" * 900, b"y" * 900], 2)])
def test_the_sender_is_woken_for_each_new_batch(values: list[bytes], wakeups: int) -> None:
    each = paused(batch_size=1000)
    each.producer.send_all(TOPIC, values)
    assert each.sender.wakeup.call_count == wakeups
    each.abort()


def test_a_key_of_a_wrong_type_is_named() -> None:
    each = paused()
    with pytest.raises(RecordNotQueuedException, match="Can't convert key of class str"):
        each.producer.send_all(TOPIC, [("key", b"x")])  # type: ignore[list-item]


@pytest.mark.parametrize("error", [TypeError, AttributeError])
@pytest.mark.parametrize("item", [b"x", (b"x", b"x"), ProducerRecord(TOPIC, b"x", key=b"x")])
def test_what_a_serializer_cannot_convert_is_named(
        monkeypatch: pytest.MonkeyPatch, error: type[Exception], item: Item) -> None:
    monkeypatch.setattr(ByteArraySerializer, "serialize", Mock(side_effect=error))
    each = paused()
    with pytest.raises(RecordNotQueuedException, match="Can't convert (key|value) of class ") as caught:
        each.producer.send_all(TOPIC, [item])
    assert isinstance(caught.value.__cause__, SerializationException)


def test_what_the_iterator_raises_ends_the_call_after_the_records_before_it() -> None:
    def values() -> Iterator[bytes]:
        yield b"x"
        yield b"y"
        raise ValueError("no more")

    each = paused()
    with pytest.raises(RecordNotQueuedException, match="no more") as caught:
        each.producer.send_all(TOPIC, values())
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.queued() == 2
    each.abort()


def test_a_record_too_large_fails_the_future_after_the_records_before_it() -> None:
    each = paused(max_request_size=1000)
    future = each.producer.send_all(TOPIC, [b"x", b"y" * 1000, b"z"])
    assert future.queued() == 1
    each.abort()
    with pytest.raises(Exception, match="closed"):
        future.get(WAIT_MS)
    each = paused(max_request_size=1000)
    with pytest.raises(RecordTooLargeException, match="The message is 1086 bytes"):
        each.producer.send_all(TOPIC, [b"y" * 1000]).get(WAIT_MS)


def test_a_record_of_another_topic_is_refused() -> None:
    each = paused()
    with pytest.raises(RecordNotQueuedException) as caught:
        each.producer.send_all(TOPIC, [ProducerRecord("another", b"x")])
    assert isinstance(caught.value.__cause__, IllegalArgumentException)


def test_a_closed_producer_refuses() -> None:
    each = paused()
    each.sender.is_running.return_value = False
    with pytest.raises(IllegalStateException, match="closed"):
        each.producer.send_all(TOPIC, [b"x"])


def test_partitions_join_the_transaction() -> None:
    manager = Mock(TransactionManager)
    each = paused(transaction_manager=manager)
    each.producer.send_all(TOPIC, [ProducerRecord(TOPIC, b"x", partition=n % 2) for n in range(4)])
    assert {call.args[0] for call in manager.maybe_add_partition.call_args_list} == {
        TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)}


def test_an_error_fails_the_transaction() -> None:
    manager = Mock(TransactionManager)
    each = paused(transaction_manager=manager, max_request_size=1000)
    each.producer.send_all(TOPIC, [b"x", b"y" * 1000])
    error, = manager.maybe_transition_to_error_state.call_args.args
    assert isinstance(error, RecordTooLargeException)


class Marking(ProducerInterceptor[bytes, bytes]):
    """Adds a byte to every value, and counts the acknowledgements."""

    def __init__(self) -> None:
        self.acknowledged: list[Exception | None] = []

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def on_send(self, record: BytesRecord) -> BytesRecord:
        return ProducerRecord(record.topic(), (record.value() or b"") + b"!", key=record.key())

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        self.acknowledged.append(exception)

    def close(self) -> None:
        pass


def test_interceptors_see_every_record() -> None:
    one, interceptor = paused(), Marking()
    for value in (b"a!", b"b!"):
        one.producer.send(ProducerRecord(TOPIC, value, key=b"key"))
    whole = paused(interceptor=interceptor)
    assert whole.producer.send_all(TOPIC, [(b"key", b"a"), (b"key", b"b")]).queued() == 2
    assert whole.batches() == one.batches()
    whole.abort()
    assert len(interceptor.acknowledged) == 2


def test_a_failure_behind_an_interceptor_ends_the_call_too() -> None:
    whole = paused(interceptor=Marking(), max_request_size=1000)
    future = whole.producer.send_all(TOPIC, [b"a", b"b" * 1000, b"c"])
    assert future.queued() == 1
    with pytest.raises(RecordNotQueuedException) as caught:
        whole.producer.send_all(TOPIC, [b"a", ProducerRecord("another", b"x")])
    assert caught.value.queued() == 1


def test_a_partitioner_of_the_user_is_asked() -> None:
    one, whole = paused(partitioner=RoundRobinPartitioner()), paused(partitioner=RoundRobinPartitioner())
    for _ in range(30):
        one.producer.send(ProducerRecord(TOPIC, b"x"))
    assert whole.producer.send_all(TOPIC, [b"x"] * 30).queued() == 30
    assert whole.batches() == one.batches()
    assert sum(map(bool, whole.batches().values())) > 1


def test_the_future_follows_the_records_of_split_batches() -> None:
    each = paused(CompressionType.GZIP, 1000)
    each.producer.send(ProducerRecord(TOPIC, b"before", partition=0))
    future = each.producer.send_all(TOPIC, [ProducerRecord(TOPIC, b"x" * 100, partition=0)] * 40)
    deque_ = each.accumulator.get_deque(TopicPartition(TOPIC, 0))
    assert deque_ is not None
    parts = each.accumulator._batch_size
    offset, splits = 0, 0
    while deque_:
        batch = deque_.popleft()
        if batch.record_count > 4:
            batch.close()
            each.accumulator._batch_size = parts = parts // 2
            each.accumulator.split_and_reenqueue(batch)
            each.accumulator.deallocate(batch)
            splits += 1
        else:
            assert not future.is_done()
            batch.complete(offset, -1)
            offset += batch.record_count
            each.accumulator.deallocate(batch)
    assert splits > 1
    assert offset == 41
    assert future.is_done()
    assert future.get(WAIT_MS) == {TopicPartition(TOPIC, 0): [range(1, 41)]}
    assert each.pool.available_memory() == MEMORY


@pytest.mark.parametrize("compression_type", [CompressionType.NONE, CompressionType.GZIP])
def test_ctrl_c_anywhere_leaves_whole_batches_and_all_memory(compression_type: CompressionType) -> None:
    """Records go to the batch of an earlier one, fill it, and go on in others."""
    load = [b"%03d" % number + b"x" * 40 for number in range(5)]
    number, was_interrupted = 0, True
    while was_interrupted:
        number += 1
        each = paused(compression_type, 200)
        each.producer.send(ProducerRecord(TOPIC, b"earlier", partition=0))
        records = [ProducerRecord[bytes, bytes](TOPIC, value, partition=0) for value in load]
        was_interrupted = False
        try:
            with Interrupting(number):
                each.producer.send_all(TOPIC, records)
        except KeyboardInterrupt:
            was_interrupted = True
        assert not each.accumulator._appends_in_progress, number
        values = []
        for batch in each.accumulator.get_deque(TopicPartition(TOPIC, 0)) or ():
            assert batch.record_count == len(batch._thunks), number
            if compression_type is CompressionType.NONE:
                found = list(batch.records().records())
                assert len(found) == batch.record_count, number
                values += [record.value().to_bytes() for record in found]  # type: ignore[union-attr]
        if compression_type is CompressionType.NONE:
            assert values == [b"earlier", *load[:len(values) - 1]], number
            assert was_interrupted or len(values) == 6
        each.abort()
    assert number > 100


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


def new_producer(broker: Broker, **configs: object) -> BytesProducer:
    return KafkaProducer({"bootstrap.servers": broker.bootstrap_servers}
                         | {name.replace("_", "."): value for name, value in configs.items()},
                         ByteArraySerializer(), ByteArraySerializer())


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_a_broker_has_all_records_of_more_than_the_memory(broker: Broker, codec: str) -> None:
    topic = f"much-{codec}"
    broker.create_topic(topic, 1)
    load = [b"%05d" % number + b"x" * 95 for number in range(5000)]
    producer = new_producer(broker, buffer_memory=1 << 16, compression_type=codec)
    future = producer.send_all(topic, iter(load))
    assert future.get(WAIT_MS) == {TopicPartition(topic, 0): [range(5000)]}
    assert future.is_done() and not future.cancel() and not future.is_cancelled()
    producer.close()
    assert producer._accumulator.buffer_pool_available_memory() == 1 << 16
    assert [record.value for record in broker.records(topic)] == load


def test_keys_choose_their_partitions_at_a_broker(broker: Broker) -> None:
    broker.create_topic("keys", 3)
    broker.create_topic("keys-one-by-one", 3)
    load = [(b"%d" % (number % 7), b"%d" % number) for number in range(700)]
    producer = new_producer(broker)
    offsets = producer.send_all("keys", load).get(WAIT_MS)
    for key, value in load:
        producer.send(ProducerRecord("keys-one-by-one", value, key=key))
    producer.close()
    for partition in range(3):
        found = [(record.key, record.value) for record in broker.records("keys", partition)]
        assert found == [(record.key, record.value)
                         for record in broker.records("keys-one-by-one", partition)]
        assert offsets.get(TopicPartition("keys", partition), []) == ([range(len(found))] if found else [])


def test_without_acknowledgements_no_offset_is_known(broker: Broker) -> None:
    broker.create_topic("unknown", 1)
    producer = new_producer(broker, acks="0", enable_idempotence=False)
    assert producer.send_all("unknown", [b"x"] * 3).get(WAIT_MS) == {TopicPartition("unknown", 0): []}
    producer.close()


@packages.needs("confluent_kafka")
def test_records_of_a_transaction_are_committed_together(broker: Broker) -> None:
    # Imported here, so that the other tests run on PyPy.
    from tests.clients.confluent_client import ConfluentClient

    broker.create_topic("together", 2)
    producer = new_producer(broker, transactional_id="send-all")
    producer.init_transactions()
    for end in (producer.abort_transaction, producer.commit_transaction):
        producer.begin_transaction()
        future = producer.send_all("together", [
            ProducerRecord("together", end.__name__.encode(), partition=number % 2) for number in range(10)])
        end()
        assert future.is_done()
    producer.close()
    client = ConfluentClient(broker.bootstrap_servers)
    written = read_committed(lambda: client.read("together", range(2)), 10)
    assert [record.value for record in written] == [b"commit_transaction"] * 10


def test_what_a_send_all_refuses_counts_as_an_error_unless_the_iterator_raises(broker: Broker) -> None:
    def records() -> Iterator[bytes]:
        yield b"x"
        raise ValueError

    broker.create_topic("counted", 1)
    with new_producer(broker) as producer:
        def errors() -> object:
            [metric] = [metric for name, metric in producer.metrics().items()
                        if (name.name(), name.group()) == ("record-error-total", "producer-metrics")]
            return metric.metric_value()

        with pytest.raises(RecordNotQueuedException):
            producer.send_all("counted", records())
        assert errors() == 0
        with pytest.raises(RecordNotQueuedException):
            producer.send_all("counted", [1])  # type: ignore[list-item]  # as meant
        assert errors() == 1


def test_a_timeout_of_get_is_raised() -> None:
    each = paused()
    future = each.producer.send_all(TOPIC, [b"x"] * 3)
    assert not future.is_done()
    with pytest.raises(TimeoutException, match="Timeout after waiting for 5 ms"):
        future.get(5)
    each.abort()


def test_a_timeout_of_get_is_raised_behind_an_interceptor_too() -> None:
    each = paused(interceptor=Marking())
    future = each.producer.send_all(TOPIC, [b"x"] * 3)
    with pytest.raises(TimeoutException, match="Timeout after waiting for 5 ms"):
        future.get(5)
    each.abort()


def test_send_gives_way_when_it_leaves_a_batch_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    yields: list[int] = []
    rig = paused(batch_size=1000)
    monkeypatch.setattr(kafka_producer, "thread_yield", lambda: yields.append(
        len(rig.accumulator.get_deque(TopicPartition(TOPIC, 0)) or ())))
    for _ in range(20):
        rig.producer.send(ProducerRecord(TOPIC, bytes(100), partition=0))
    assert yields == [2, 3]
    rig.abort()


def test_no_metadata_in_time_fails_the_future() -> None:
    with new_producer_without_broker() as producer:
        future = producer.send_all(TOPIC, [b"x"])
        assert future.queued() == 0
        with pytest.raises(KafkaTimeoutException, match="Topic topic not present in metadata after 1 ms"):
            future.get(WAIT_MS)


@contextmanager
def new_producer_without_broker() -> Iterator[BytesProducer]:
    producer: BytesProducer = KafkaProducer({"bootstrap.servers": "localhost:1", "max.block.ms": 1},
                                            ByteArraySerializer(), ByteArraySerializer())
    try:
        yield producer
    finally:
        producer.close(0)
