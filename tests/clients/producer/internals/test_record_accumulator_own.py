# Licensed under the Apache License, Version 2.0; see LICENSE.
"""RecordAccumulator: who owns a buffer and when, flush and split, Ctrl-C, any schedule of a Sender."""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from types import FrameType
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kreactor
from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.clients.producer.buffer_exhausted_exception import BufferExhaustedException
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.incomplete_batches import IncompleteBatches
from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import TimeoutException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.mock_time import MockTime
from tests.stepping import Background, wait_until

TOPICS = ("a", "b")
NODES = {0: Node(0, "localhost", 1), 1: Node(1, "localhost", 2)}
PARTITIONS = [TopicPartition(topic, number) for topic in TOPICS for number in range(3)]
METADATA = MetadataSnapshot(
    None, NODES, [MetadataResponse.PartitionMetadata(Errors.NONE, tp, tp.partition() % 2, 1, [], [], [])
                  for tp in PARTITIONS], set(), set(), set(), None, {})
BATCH_SIZE = 200
TOTAL = 6 * BATCH_SIZE
DELIVERY_TIMEOUT_MS = 1000
INT_MAX = 2**31 - 1
LONG_MS = 120_000
PACKAGE = os.path.dirname(kreactor.__file__)


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    yield
    for topic in TOPICS:
        CompressionRatioEstimator.remove_estimation(topic)


class Rig:
    """An accumulator on a clock that stands still."""

    def __init__(self, compression: Compression = Compression.NONE,
                 transaction_manager: TransactionManager | None = None, linger_ms: int = 0) -> None:
        self.time = MockTime()
        self.metrics = Metrics(time=self.time)
        self.pool = BufferPool(TOTAL, BATCH_SIZE, self.metrics, self.time, "g")
        self.accum = RecordAccumulator(
            LogContext(), BATCH_SIZE, compression, linger_ms, 10, 100, DELIVERY_TIMEOUT_MS, self.metrics, "g",
            self.time, ApiVersions(), transaction_manager, self.pool,
            RecordAccumulator.PartitionerConfig(True, 50))

    def append(self, topic: str = "a", partition: int = 0, value: bytes = b"", max_block_ms: int = 0,
               callbacks: Any = None) -> RecordAccumulator.RecordAppendResult:
        return self.accum.append(topic, partition, 0, None, value, None, callbacks, max_block_ms, False,
                                 self.time.milliseconds(), METADATA.cluster())

    def drain(self, max_size: int = INT_MAX) -> list[ProducerBatch]:
        now = self.time.milliseconds()
        nodes = self.accum.ready(METADATA, now).ready_nodes
        drained = self.accum.drain(METADATA, sorted(nodes, key=Node.id), max_size, now)
        return [batch for batches in drained.values() for batch in batches]


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    with rig.metrics:
        yield rig


def fail(batch: ProducerBatch) -> None:
    error = TimeoutException()
    assert batch.complete_exceptionally(error, lambda index: error)


def test_the_time_in_the_queue_ends_with_the_last_drain(rig: Rig) -> None:
    rig.append()
    rig.time.sleep(7)
    batch, = rig.drain()
    assert batch.queue_time_ms() == 7
    rig.accum.reenqueue(batch, rig.time.milliseconds())
    rig.time.sleep(1000)
    assert rig.drain() == [batch]
    assert batch.queue_time_ms() == 1007


@pytest.mark.deviation("D331")
@pytest.mark.parametrize("returned", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_returned_batches_keep_their_order_where_sequences_wrap(returned: tuple[int, ...]) -> None:
    rig = Rig(transaction_manager=Mock())
    with rig.metrics:
        batches = []
        for sequence in (INT_MAX - 1, INT_MAX, 0):
            rig.append()
            [batch] = rig.accum.get_deque(PARTITIONS[0])
            rig.accum.get_deque(PARTITIONS[0]).clear()
            batch.set_producer_state(ProducerIdAndEpoch(7, 0), sequence, False)
            batch.close()
            batches.append(batch)
        for number in returned:
            rig.accum.reenqueue(batches[number], rig.time.milliseconds())
        assert list(rig.accum.get_deque(PARTITIONS[0])) == batches


@pytest.mark.deviation("D324")
def test_a_buffer_is_no_other_batch_s_while_a_request_is_written_from_it(rig: Rig) -> None:
    rig.append("a", 0, b"x" * 50)
    batch, = rig.drain()
    rig.accum.begin_request(batch)
    sent = batch.records().buffer().view()
    as_sent = bytes(sent)

    # The delivery timeout passes while the request is on its way.
    fail(batch)
    rig.accum.deallocate(batch)
    assert not rig.accum.has_incomplete()
    assert rig.pool.available_memory() == TOTAL - BATCH_SIZE
    for _ in range(5):
        rig.append("b", 0, b"y" * 100)
    with pytest.raises(BufferExhaustedException):
        rig.append("b", 0, b"y" * 100)
    assert sent == as_sent

    rig.accum.end_request(batch)
    assert rig.pool.available_memory() == BATCH_SIZE
    rig.append("b", 0, b"z" * 100)
    rig.accum.end_request(batch)
    assert rig.pool.available_memory() == 0


def test_a_buffer_goes_back_at_once_when_the_request_is_over_first(rig: Rig) -> None:
    rig.append()
    batch, = rig.drain()
    rig.accum.begin_request(batch)
    rig.accum.end_request(batch)
    assert rig.pool.available_memory() == TOTAL - BATCH_SIZE
    batch.complete(0, -1)
    rig.accum.deallocate(batch)
    assert rig.pool.available_memory() == TOTAL


def test_a_batch_that_is_sent_again_is_in_a_request_again(rig: Rig) -> None:
    rig.append()
    for _ in range(2):
        batch, = rig.drain()
        rig.accum.begin_request(batch)
        rig.accum.end_request(batch)
        rig.accum.reenqueue(batch, rig.time.milliseconds())
        rig.time.sleep(100)
    batch, = rig.drain()
    rig.accum.begin_request(batch)
    rig.accum.abort_incomplete_batches()
    assert rig.pool.available_memory() == TOTAL - BATCH_SIZE
    rig.accum.end_request(batch)
    assert rig.pool.available_memory() == TOTAL


def test_a_batch_is_deallocated_once(rig: Rig) -> None:
    rig.append()
    batch, = rig.drain()
    rig.accum.begin_request(batch)
    rig.accum.deallocate(batch)
    with pytest.raises(IllegalStateException):
        rig.accum.deallocate(batch)
    rig.accum.end_request(batch)
    with pytest.raises(IllegalStateException):
        rig.accum.deallocate(batch)
    assert rig.pool.available_memory() == TOTAL


@pytest.mark.deviation("D321")
def test_a_flush_waits_for_the_parts_of_a_batch_that_was_split(rig: Rig) -> None:
    for _ in range(3):
        rig.append(value=bytes(20))
    rig.accum.begin_flush()
    flush = Background(rig.accum.await_flush_completion)
    batch, = rig.drain()
    result = batch.produce_future
    wait_until(lambda: result._latch._condition._waiters)  # type: ignore[attr-defined]  # the flush
    rig.accum._batch_size = 1
    assert rig.accum.split_and_reenqueue(batch) == 3
    rig.accum.deallocate(batch)
    assert result.completed()
    parts = []
    for number in range(3):
        part, = rig.drain()
        parts.append(part)
        wait_until(lambda: part.produce_future._latch._condition._waiters)  # type: ignore[attr-defined]
        assert not flush.is_done()
        part.complete(number, -1)
        rig.accum.deallocate(part)
    flush.result()
    assert not rig.accum._flush_in_progress()
    assert rig.pool.available_memory() == TOTAL


def test_ctrl_c_leaves_the_buffer_to_the_batch_that_has_it(
        rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    add = IncompleteBatches.add
    calls = []

    def interrupted(incomplete: IncompleteBatches, batch: ProducerBatch) -> None:
        calls.append(batch)
        if len(calls) == 1:
            raise KeyboardInterrupt
        add(incomplete, batch)

    monkeypatch.setattr(IncompleteBatches, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rig.append(value=b"kept")
    assert rig.pool.available_memory() == TOTAL - BATCH_SIZE
    batch, = rig.drain()
    assert [record.value().to_bytes() for record in batch.records().records()  # type: ignore[union-attr]
            ] == [b"kept"]
    batch.complete(0, -1)
    rig.accum.deallocate(batch)
    assert rig.pool.available_memory() == TOTAL
    rig.accum.abort_incomplete_batches()


@pytest.mark.parametrize("name", ["_partition_changed", "_try_append", "_append_new_batch",
                                  "_records_builder", "_set_partition"])
def test_ctrl_c_before_a_step_of_an_append_gives_all_memory_back(rig: Rig, name: str) -> None:
    setattr(rig.accum, name, Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        rig.append()
    delattr(rig.accum, name)
    assert rig.pool.available_memory() == TOTAL
    assert not rig.accum.has_incomplete()
    # Which would wait for ever for an append that is still counted.
    rig.accum.abort_incomplete_batches()


def test_threads_that_wait_for_memory_fail_when_all_is_aborted(rig: Rig) -> None:
    for _ in range(6):
        rig.append(value=b"x" * 100)
    threads = [Background(lambda: rig.append(value=b"x" * 100, max_block_ms=LONG_MS)) for _ in range(4)]
    wait_until(lambda: rig.pool.queued() == 4)
    rig.accum.close()
    rig.accum.abort_incomplete_batches()
    for thread in threads:
        with pytest.raises(KafkaException, match="Producer closed"):
            thread.result()
    assert not rig.accum.has_incomplete()
    assert not rig.accum.has_undrained()
    assert rig.pool.available_memory() == TOTAL
    with pytest.raises(KafkaException, match="Producer closed while send in progress"):
        rig.append()


def test_in_a_forked_child_all_records_fail_and_no_callback_is_called(rig: Rig) -> None:
    callbacks = Mock()
    callbacks.when_done.return_value = called = Mock()
    futures = [rig.append(partition=partition, callbacks=callbacks).future for partition in (0, 1)]
    # A thread of the parent has the lock at the fork.
    rig.accum._incomplete._lock.acquire()
    error = KafkaException("of the parent")
    rig.accum.forget_in_child(error)
    for future in futures:
        assert future is not None and future.is_done()
        with pytest.raises(KafkaException) as caught:
            future.get(0)
        assert caught.value is error
    called.assert_not_called()


def test_threads_that_come_at_once_share_a_deque(rig: Rig) -> None:
    together = threading.Barrier(8)

    def send(number: int) -> None:
        together.wait()
        rig.append(value=b"%d" % number)

    for thread in [Background(partial(send, number)) for number in range(8)]:
        thread.result()
    batch, = rig.drain()
    assert batch.record_count == 8
    assert len(rig.accum._topic_info_map) == 1


def sequenced(rig: Rig) -> Mock:
    transactions = Mock(spec=TransactionManager, **{
        "producer_id_and_epoch.return_value": ProducerIdAndEpoch(7, 1),
        "is_send_to_partition_allowed.return_value": True, "first_in_flight_sequence.return_value": -1,
        "has_inflight_batches.return_value": True, "has_stale_producer_id_and_epoch.return_value": False,
        "has_unresolved_sequence.return_value": False, "is_transactional.return_value": False,
        "is_completing.return_value": False})
    numbers: dict[TopicPartition, int] = defaultdict(int)
    transactions.sequence_number.side_effect = lambda tp: numbers[tp]

    def increment(tp: TopicPartition, count: int) -> None:
        numbers[tp] += count

    transactions.increment_sequence_number.side_effect = increment
    rig.accum._transaction_manager = transactions
    return transactions


def drain_five(rig: Rig) -> list[ProducerBatch]:
    batches = []
    for _ in range(5):
        rig.append(value=b"x" * 30)
        rig.append(value=b"x" * 30)
        batches += rig.drain()
    assert [batch.base_sequence() for batch in batches] == [0, 2, 4, 6, 8]
    return batches


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3)])
def test_batches_come_back_in_the_order_of_their_sequences(rig: Rig, order: tuple[int, ...]) -> None:
    sequenced(rig)
    batches = drain_five(rig)
    rig.append()
    for number in order:
        rig.accum.reenqueue(batches[number], rig.time.milliseconds())
    dq = rig.accum.get_deque(TopicPartition("a", 0))
    assert dq is not None
    assert [batch.base_sequence() for batch in dq] == [0, 2, 4, 6, 8, -1]


def test_the_parts_of_a_split_batch_stand_in_its_place(rig: Rig) -> None:
    transactions = sequenced(rig)
    batches = drain_five(rig)
    for number in (3, 1):
        rig.accum.reenqueue(batches[number], rig.time.milliseconds())
    rig.accum._batch_size = 1
    assert rig.accum.split_and_reenqueue(batches[2]) == 2
    dq = rig.accum.get_deque(TopicPartition("a", 0))
    assert dq is not None
    assert [(batch.base_sequence(), batch.record_count) for batch in dq] == [(2, 2), (4, 1), (5, 1), (6, 2)]
    assert transactions.add_in_flight_batch.call_count == 7


def test_a_batch_that_is_not_in_flight_does_not_come_back(rig: Rig) -> None:
    transactions = sequenced(rig)
    rig.append()
    batch, = rig.drain()
    transactions.has_inflight_batches.return_value = False
    with pytest.raises(IllegalStateException, match="not tracked as part of the in flight"):
        rig.accum.reenqueue(batch, rig.time.milliseconds())
    batch._records_builder._base_sequence = -1
    with pytest.raises(IllegalStateException, match="doesn't have a sequence"):
        rig.accum.reenqueue(batch, rig.time.milliseconds())


@pytest.mark.parametrize("state", [
    {"is_send_to_partition_allowed.return_value": False},
    {"producer_id_and_epoch.return_value": ProducerIdAndEpoch.NONE},
    {"has_stale_producer_id_and_epoch.return_value": True},
    {"has_unresolved_sequence.return_value": True}])
def test_the_state_of_the_producer_holds_a_batch_back(rig: Rig, state: dict[str, Any]) -> None:
    transactions = sequenced(rig)
    rig.append()
    before = {name.split(".")[0]: getattr(transactions, name.split(".")[0]).return_value for name in state}
    transactions.configure_mock(**state)
    assert rig.drain() == []
    assert rig.accum.has_undrained()
    for name, value in before.items():
        getattr(transactions, name).return_value = value
    assert len(rig.drain()) == 1


def test_a_batch_that_is_sent_again_waits_for_the_first_in_flight(rig: Rig) -> None:
    transactions = sequenced(rig)
    batches = drain_five(rig)
    rig.accum.reenqueue(batches[1], rig.time.milliseconds())
    rig.time.sleep(100)
    transactions.first_in_flight_sequence.return_value = 0
    assert rig.drain() == []
    transactions.first_in_flight_sequence.return_value = 2
    assert rig.drain() == [batches[1]]


class Fate(RecordAccumulator.AppendCallbacks):
    """The fate of a record."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.partition = -1
        self.results: list[Exception | None] = []

    def set_partition(self, partition: int) -> None:
        self.partition = partition

    def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        self.results.append(exception)


class Sender:
    """A Sender's use of an accumulator that keeps order, against a broker that does anything."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.accum = rig.accum
        # Batches with what was sent of each, the oldest first.
        self.requests: list[tuple[ProducerBatch, memoryview, bytes]] = []
        self.written: dict[TopicPartition, list[int]] = defaultdict(list)
        self.fates: list[tuple[str, Fate, Any]] = []

    def append(self, topic: str, partition: int, size: int) -> None:
        fate = Fate(len(self.fates))
        value = fate.number.to_bytes(4, "big") + bytes(size)
        try:
            result = self.rig.append(topic, partition, value, callbacks=fate)
        except BufferExhaustedException:
            return
        self.fates.append((topic, fate, result.future))

    def drain(self, max_size: int) -> None:
        batches = self.rig.drain(max_size)
        for batch in batches:
            self.accum.begin_request(batch)
            self.accum.mute_partition(batch.topic_partition)
        self.expire(batches)
        for batch in batches:
            view = batch.records().buffer().view()
            self.requests.append((batch, view, bytes(view)))

    def expire(self, batches: list[ProducerBatch]) -> None:
        now = self.rig.time.milliseconds()
        late = [batch for batch in [*batches, *(batch for batch, _, _ in self.requests)]
                if not batch.is_done() and batch.has_reached_delivery_timeout(DELIVERY_TIMEOUT_MS, now)]
        for batch in [*self.accum.expired_batches(now), *late]:
            fail(batch)
            self.accum.deallocate(batch)

    def respond(self, number: int, outcome: str) -> None:
        if not self.requests:
            return
        batch, view, as_sent = self.requests.pop(number % len(self.requests))
        # Nobody else has written to it.
        assert view == as_sent
        self.accum.end_request(batch)
        values = [record.value() for record in batch.records().records()]
        if outcome == "written" or batch.is_done():
            if batch.complete(100, -1):
                self.written[batch.topic_partition] += [
                    int.from_bytes(value.view()[:4], "big") for value in values if value is not None]
                self.accum.deallocate(batch)
        elif outcome == "again":
            self.accum.reenqueue(batch, self.rig.time.milliseconds())
        elif outcome == "too large" and batch.record_count > 1:
            # One record goes to each part, or a few small ones.
            self.accum._batch_size = 1
            self.accum.split_and_reenqueue(batch)
            self.accum._batch_size = BATCH_SIZE
            self.accum.deallocate(batch)
        else:
            fail(batch)
            self.accum.deallocate(batch)
        self.accum.unmute_partition(batch.topic_partition)


TOPIC_NAMES = st.sampled_from(TOPICS)
OUTCOMES = st.sampled_from(["written", "again", "too large", "failed"])
STEPS = st.one_of(
    st.tuples(st.just("append"), TOPIC_NAMES, st.integers(-1, 2), st.integers(0, 2 * BATCH_SIZE)),
    st.tuples(st.just("append"), TOPIC_NAMES, st.integers(-1, 2), st.integers(0, 60)),
    st.tuples(st.just("drain"), st.sampled_from([1, 300, INT_MAX])),
    st.tuples(st.just("respond"), st.integers(0, 5), OUTCOMES),
    st.tuples(st.just("wait"), st.sampled_from([1, 30, 120, DELIVERY_TIMEOUT_MS])))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([CompressionType.NONE, CompressionType.GZIP]), st.sampled_from([0, 40]),
       st.lists(STEPS, min_size=30, max_size=90))
def test_any_schedule_keeps_order_and_gives_all_memory_back(
        compression: CompressionType, linger_ms: int, steps: list[tuple[Any, ...]]) -> None:
    rig = Rig(Compression.of(compression).build(), linger_ms=linger_ms)
    sender = Sender(rig)
    for step in steps:
        match step:
            case "append", topic, partition, size:
                sender.append(topic, partition, size)
            case "drain", max_size:
                sender.drain(max_size)
            case "respond", number, outcome:
                sender.respond(number, outcome)
            case "wait", ms:
                rig.time.sleep(ms)
    # A flush: all goes through now.
    rig.accum.begin_flush()
    flush = Background(rig.accum.await_flush_completion)
    for _ in range(1000):
        if not rig.accum.has_incomplete() and not sender.requests:
            break
        sender.drain(INT_MAX)
        sender.respond(0, "written")
        rig.time.sleep(1)
    flush.result()
    rig.metrics.close()

    assert not rig.accum.has_incomplete()
    assert not rig.accum.has_undrained()
    assert not rig.accum._requests
    assert rig.pool.available_memory() == TOTAL
    assert rig.pool.queued() == 0
    written = set()
    for tp, numbers in sender.written.items():
        # In order, and none twice.
        assert numbers == sorted(set(numbers))
        for number in numbers:
            topic, fate, _ = sender.fates[number]
            assert (topic, fate.partition) == (tp.topic(), tp.partition())
            written.add(number)
    for _, fate, future in sender.fates:
        assert future.is_done()
        assert len(fate.results) == 1
        assert (fate.results[0] is None) == (fate.number in written)


class Interrupting:
    """Raise KeyboardInterrupt at the n-th place of a call where Python looks for signals.

    Those are the begin of a function of Python's, and the end of one of C's. Only kreactor's own count.
    """

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if event in ("call", "c_return") and frame.f_code.co_filename.startswith(PACKAGE):
            self.left -= 1
            if self.left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    def __enter__(self) -> None:
        sys.setprofile(self)

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)


@pytest.mark.parametrize("earlier", [0, 1, 2])
def test_ctrl_c_anywhere_in_an_append_leaves_whole_batches_and_all_memory(earlier: int) -> None:
    """One record is in the batch, or two, or it is full: that makes three ways through an append."""
    number, was_interrupted = 0, True
    while was_interrupted:
        number += 1
        rig = Rig()
        with rig.metrics:
            for _ in range(earlier):
                rig.append(value=b"x" * 50)
            was_interrupted = False
            fate = Fate(0)
            try:
                with Interrupting(number):
                    rig.append(value=b"y" * 50, callbacks=fate)
            except KeyboardInterrupt:
                was_interrupted = True
            assert not rig.accum._appends_in_progress, number
            rig.append(value=b"z" * 50)
            values = []
            while rig.accum.has_incomplete():
                for batch in rig.drain():
                    records = list(batch.records().records())
                    assert len(records) == batch.record_count == len(batch._thunks), number
                    values += [record.value().to_bytes() for record in records]  # type: ignore[union-attr]
                    batch.complete(0, -1)
                    rig.accum.deallocate(batch)
            # The record is there, with its callback, or it is not.
            sent = [b"y" * 50] * len(fate.results)
            assert values == [b"x" * 50] * earlier + sent + [b"z" * 50], number
            assert len(fate.results) == 1 or was_interrupted
            assert rig.pool.available_memory() == TOTAL, number
    assert number > 50
