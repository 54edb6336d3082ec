# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerBatchTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch: its end, its parts after a split, its leaders."""

from __future__ import annotations

import sys
from typing import Callable

import pytest

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.compress.compression import Compression
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
from kreactor.common.record.record import Record
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.stepping import Background

NOW = 1488748346917
TP = TopicPartition("topic", 1)


class MockCallback:
    """One that counts."""

    def __init__(self) -> None:
        self.invocations = 0
        self.metadata: RecordMetadata | None = None
        self.exception: Exception | None = None

    def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        self.invocations += 1
        self.metadata = metadata
        self.exception = exception


@pytest.fixture
def memory_records_builder() -> MemoryRecordsBuilder:
    return MemoryRecords.builder(ByteBuffer.allocate(512), Compression.NONE, TimestampType.CREATE_TIME, 128)


@pytest.fixture
def batch(memory_records_builder: MemoryRecordsBuilder) -> ProducerBatch:
    return ProducerBatch(TP, memory_records_builder, NOW)


def append(batch: ProducerBatch, callback: MockCallback | None = None) -> FutureRecordMetadata:
    future = batch.try_append(NOW, None, bytes(10), Record.EMPTY_HEADERS, callback, NOW)
    assert future is not None
    return future


def assert_fails(future: FutureRecordMetadata, exception: Exception) -> None:
    assert future.is_done()
    with pytest.raises(type(exception)) as raised:
        future.get()
    assert raised.value is exception


def test_batch_abort(batch: ProducerBatch) -> None:
    callback = MockCallback()
    future = append(batch, callback)

    exception = KafkaException()
    batch.abort(exception)
    assert future.is_done()
    assert callback.invocations == 1
    assert callback.exception is exception
    assert callback.metadata is None

    # A later completion is ignored.
    assert not batch.complete(500, 2342342341)
    assert not batch.complete_exceptionally(KafkaException(), lambda index: KafkaException())
    assert callback.invocations == 1
    assert batch.final_state() is ProducerBatch.FinalState.ABORTED
    assert_fails(future, exception)


def test_batch_cannot_abort_twice(batch: ProducerBatch) -> None:
    callback = MockCallback()
    future = append(batch, callback)
    exception = KafkaException()
    batch.abort(exception)
    assert callback.invocations == 1
    assert callback.exception is exception
    assert callback.metadata is None

    with pytest.raises(IllegalStateException, match="already been completed in final state ABORTED"):
        batch.abort(KafkaException())

    assert callback.invocations == 1
    assert_fails(future, exception)


def test_batch_cannot_complete_twice(batch: ProducerBatch) -> None:
    callback = MockCallback()
    future = append(batch, callback)
    batch.complete(500, 10)
    assert callback.invocations == 1
    assert callback.exception is None
    assert callback.metadata is not None
    with pytest.raises(IllegalStateException, match="A SUCCEEDED batch must not .* change to SUCCEEDED"):
        batch.complete(1000, 20)
    record_metadata = future.get()
    assert record_metadata.offset() == 500
    assert record_metadata.timestamp() == 10


def full_batch(magic: int, compression_type: CompressionType, *headers: RecordHeader) -> ProducerBatch:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.of(compression_type).build(),
                                    TimestampType.CREATE_TIME, 0, magic=magic)
    batch = ProducerBatch(TP, builder, NOW)
    while batch.try_append(NOW, b"hi", b"there", headers, None, NOW) is not None:
        pass
    return batch


@pytest.mark.parametrize("compression_type", CompressionType)
def test_split_preserves_headers(compression_type: CompressionType) -> None:
    batch = full_batch(2, compression_type, RecordHeader("header-key", b"header-value"))
    batches = batch.split(200)
    assert len(batches) >= 2

    records = [record for split in batches for split_batch in split.records().batches()
               for record in split_batch]
    assert len(records) == batch.record_count
    for record in records:
        assert [(header.key(), header.value()) for header in record.headers()] == [
            ("header-key", b"header-value")]


@pytest.mark.parametrize("compression_type", CompressionType)
@pytest.mark.parametrize("magic", [0, 1, 2])
def test_split_preserves_magic_and_compression_type(magic: int, compression_type: CompressionType) -> None:
    if magic < 2 and compression_type is CompressionType.NONE:
        with pytest.raises(IllegalArgumentException, match="non-compressed messages with version v0 and v1"):
            full_batch(magic, compression_type).split(512)
        return
    if magic < 2 and compression_type is CompressionType.ZSTD:
        with pytest.raises(IllegalArgumentException, match="not supported for magic"):
            full_batch(magic, compression_type)
        return
    batch = full_batch(magic, compression_type)

    batches = batch.split(512)
    assert len(batches) >= 2

    for split_producer_batch in batches:
        assert split_producer_batch.magic() == magic
        assert split_producer_batch.is_split_batch()
        for split_batch in split_producer_batch.records().batches():
            assert split_batch.magic() == magic
            assert split_batch.base_offset() == 0
            assert split_batch.compression_type() is compression_type


def test_batch_expiration(batch: ProducerBatch) -> None:
    delivery_timeout_ms = 10240
    # The clock went back.
    assert not batch.has_reached_delivery_timeout(delivery_timeout_ms, NOW - 2)
    assert not batch.has_reached_delivery_timeout(delivery_timeout_ms, NOW + delivery_timeout_ms - 1)
    assert batch.has_reached_delivery_timeout(delivery_timeout_ms, NOW + delivery_timeout_ms)


def test_batch_expiration_after_reenqueue(batch: ProducerBatch) -> None:
    batch.reenqueued(NOW)
    assert batch.in_retry()
    assert not batch.has_reached_delivery_timeout(10240, NOW - 2)


def test_should_not_attempt_append_once_records_builder_is_closed_for_appends(
        batch: ProducerBatch, memory_records_builder: MemoryRecordsBuilder) -> None:
    append(batch)
    assert memory_records_builder.has_room_for(NOW, None, bytes(10), Record.EMPTY_HEADERS)
    memory_records_builder.close_for_record_appends()
    assert not memory_records_builder.has_room_for(NOW, None, bytes(10), Record.EMPTY_HEADERS)
    assert batch.try_append(NOW + 1, None, bytes(10), Record.EMPTY_HEADERS, None, NOW + 1) is None


def complete_exceptionally(batch: ProducerBatch, record_count: int, top_level_exception: Exception,
                           record_exceptions: Callable[[int], Exception]) -> None:
    futures = [append(batch) for _ in range(record_count)]
    assert batch.record_count == record_count

    batch.complete_exceptionally(top_level_exception, record_exceptions)
    assert batch.is_done()

    for i, future in enumerate(futures):
        assert_fails(future, record_exceptions(i))


def test_complete_exceptionally_with_record_errors(batch: ProducerBatch) -> None:
    top_level_exception = RuntimeError()
    record_exception_map: dict[int, Exception] = {0: RuntimeError(), 3: RuntimeError()}

    complete_exceptionally(batch, 5, top_level_exception,
                           lambda index: record_exception_map.get(index, top_level_exception))


def test_complete_exceptionally_with_null_record_errors(batch: ProducerBatch) -> None:
    with pytest.raises(TypeError):
        complete_exceptionally(batch, 5, RuntimeError(), None)  # type: ignore[arg-type]  # the test's point
    assert not batch.is_done()


def test_with_leader_changes_across_retries(batch: ProducerBatch) -> None:
    # No attempt yet.
    assert batch.current_leader_epoch() is None
    assert batch.attempts_when_leader_last_changed() == 0
    batch.maybe_update_leader_epoch(None)
    assert not batch.has_leader_changed_for_the_ongoing_retry()

    # The first attempt is no retry, so that its leader is not a new one.
    batch.maybe_update_leader_epoch(100)
    assert not batch.has_leader_changed_for_the_ongoing_retry()
    assert batch.current_leader_epoch() == 100
    assert batch.attempts_when_leader_last_changed() == 0

    # The first retry goes to a new leader, asked for twice.
    batch.reenqueued(0)
    for _ in range(2):
        batch.maybe_update_leader_epoch(101)
        assert batch.has_leader_changed_for_the_ongoing_retry()
        assert batch.current_leader_epoch() == 101
        assert batch.attempts_when_leader_last_changed() == 1

    # The second retry goes to the same, and neither an older nor an unknown leader counts.
    batch.reenqueued(0)
    for epoch in (101, 100, None):
        batch.maybe_update_leader_epoch(epoch)
        assert not batch.has_leader_changed_for_the_ongoing_retry()
        assert batch.current_leader_epoch() == 101
        assert batch.attempts_when_leader_last_changed() == 1


def test_a_callback_that_raises_stops_no_other(batch: ProducerBatch) -> None:
    def failing(metadata: RecordMetadata | None, exception: Exception | None) -> None:
        raise ValueError

    first = batch.try_append(NOW, None, b"", Record.EMPTY_HEADERS, failing, NOW)
    callback = MockCallback()
    append(batch, callback)
    assert batch.complete(7, -1)
    assert callback.metadata is not None
    assert callback.metadata.offset() == 8
    assert first is not None
    assert first.get().offset() == 7
    assert first.get().timestamp() == NOW


@pytest.mark.deviation("D322")
def test_futures_and_callbacks_follow_a_batch_that_is_split_twice() -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.NONE, TimestampType.CREATE_TIME, 0)
    batch = ProducerBatch(TP, builder, NOW)
    callbacks = [MockCallback() for _ in range(12)]
    futures = [append(batch, callback) for callback in callbacks]
    batch.set_producer_state(ProducerIdAndEpoch(5, 1), 2**31 - 3, False)
    # D322
    assert batch.last_sequence() == 8

    batches = batch.split(150)
    assert batch.produce_future.completed()
    first = batches.popleft()
    first_parts = first.split(1)
    assert len(first_parts) > 1
    parts = [*first_parts, *batches]
    sequence, base_offset = 2**31 - 3, 0
    for part in parts:
        assert part.base_sequence() == sequence
        sequence = (sequence + part.record_count) % 2**31
        assert not futures[base_offset].is_done()
        part.close()
        part.complete(100 + base_offset, -1)
        base_offset += part.record_count
    assert base_offset == 12
    for i, (future, callback) in enumerate(zip(futures, callbacks)):
        assert future.get().offset() == 100 + i
        assert callback.invocations == 1
        assert callback.metadata is not None
        assert callback.metadata.offset() == 100 + i


def test_a_batch_that_stays_too_large_is_split_again_and_again() -> None:
    """D484. A broker may refuse a batch whose size is below batch.size."""
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.NONE, TimestampType.CREATE_TIME, 0)
    whole = batch = ProducerBatch(TP, builder, NOW)
    callback = MockCallback()
    futures = [append(batch, callback) for _ in range(2)]
    for _ in range(sys.getrecursionlimit() + 200):
        batch, = batch.split(1024)
    assert not any(future.is_done() for future in futures)
    batch.close()
    batch.complete(7, -1)
    assert [future.get().offset() for future in futures] == [7, 8]
    assert [future.get(1).offset() for future in futures] == [7, 8]
    assert callback.invocations == 2
    whole.produce_future.await_all()


def test_waiting_for_all_waits_for_the_parts_of_parts() -> None:
    builder = MemoryRecords.builder(ByteBuffer.allocate(1024), Compression.NONE, TimestampType.CREATE_TIME, 0)
    batch = ProducerBatch(TP, builder, NOW)
    for _ in range(6):
        append(batch)
    waiting = Background(batch.produce_future.await_all)
    first, *others = batch.split(100)
    batch.produce_future.await_()
    parts = [*first.split(1), *others]
    for part in parts:
        assert not waiting.is_done()
        part.abort(KafkaException())
    waiting.result()


def test_a_batch_without_records_is_not_split(batch: ProducerBatch) -> None:
    with pytest.raises(IllegalStateException, match="Cannot split an empty producer batch"):
        batch.split(10)


@pytest.mark.parametrize("append_at", [
    pytest.param(lambda batch, now: batch.try_append(now, None, b"value", (), None, now), id="one"),
    pytest.param(lambda batch, now: batch.try_append_all([(now, None, b"value", ())], [90], 0, 1, 512, now),
                 id="many")])
def test_the_wait_of_a_batch_counts_from_its_last_record_or_its_return(
        batch: ProducerBatch, append_at: Callable[[ProducerBatch, int], object]) -> None:
    append(batch)
    assert append_at(batch, NOW + 50)
    # Records that come do not count before the batch was sent.
    assert batch.waited_time_ms(NOW + 60) == 60
    # The clock of the sender's thread was read before the last record came.
    batch.reenqueued(NOW + 20)
    assert batch.waited_time_ms(NOW + 60) == 10
    batch.reenqueued(NOW + 100)
    assert batch.waited_time_ms(NOW + 160) == 60
    batch.reenqueued(NOW + 80)
    assert batch.waited_time_ms(NOW + 160) == 60
    assert batch.waited_time_ms(NOW + 90) == 0


def test_the_largest_record_is_one_of_the_batch(batch: ProducerBatch) -> None:
    """A record that is left for the next batch counts only there."""
    records = [(NOW, None, b"value", ())] * 3
    sizes = [190, 170, 400]
    append(batch)
    future = batch.try_append_all(records, sizes, 0, 2, 512, NOW)
    assert future is not None and future.count() == 2
    assert batch.max_record_size == 190
    assert batch.try_append_all(records, sizes, 2, 3, 512, NOW)
    assert batch.max_record_size == 400


def test_the_queue_time_ends_with_the_latest_drain(batch: ProducerBatch) -> None:
    append(batch)
    batch.drained(NOW + 30)
    assert batch.queue_time_ms() == 30
    # After a retry the batch is drained again; a clock that was read earlier does not shorten the time.
    batch.drained(NOW + 20)
    assert batch.queue_time_ms() == 30
    batch.drained(NOW + 50)
    assert batch.queue_time_ms() == 50
