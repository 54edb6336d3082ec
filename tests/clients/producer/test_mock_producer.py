# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.MockProducerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The producer without a network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer import mock_producer
from kreactor.clients.producer.internals.append_all import RecordNotQueuedException
from kreactor.clients.producer.mock_producer import MockProducer
from kreactor.clients.producer.producer import RecordFuture
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.cluster import Cluster
from kreactor.common.errors import ProducerFencedException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.serialization.integer_serializer import IntegerSerializer
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException

TOPIC = "topic"
GROUP_ID = "group"
RECORD1 = ProducerRecord(TOPIC, b"value1", key=b"key1")
RECORD2 = ProducerRecord(TOPIC, b"value2", key=b"key2")
BytesProducer = MockProducer[bytes, bytes]


def build_mock_producer(auto_complete: bool) -> BytesProducer:
    return MockProducer(auto_complete, ByteArraySerializer(), ByteArraySerializer())


@pytest.fixture
def producer() -> BytesProducer:
    return build_mock_producer(True)


@pytest.fixture
def manual() -> BytesProducer:
    return build_mock_producer(False)


@pytest.fixture
def transactional(producer: BytesProducer) -> BytesProducer:
    """In no transaction yet."""
    producer.init_transactions()
    return producer


def is_error(future: RecordFuture) -> bool:
    try:
        future.get()
        return False
    except Exception:
        return True


def offsets_of(**offsets: int) -> dict[TopicPartition, OffsetAndMetadata]:
    """``p0=42`` is the offset 42 in partition 0."""
    return {TopicPartition(TOPIC, int(name[1:])): OffsetAndMetadata(offset)
            for name, offset in offsets.items()}


def test_auto_complete_mock(producer: BytesProducer) -> None:
    metadata = producer.send(RECORD1)
    assert metadata.is_done()
    assert not is_error(metadata)
    assert metadata.get().offset() == 0
    assert metadata.get().topic() == TOPIC
    assert producer.history() == [RECORD1]
    producer.clear()
    assert producer.history() == []


def test_partitioner() -> None:
    partitions = [PartitionInfo(TOPIC, 0, None, [], []), PartitionInfo(TOPIC, 1, None, [], [])]
    cluster = Cluster(None, [], partitions, set(), set())
    producer = MockProducer(True, StringSerializer(), StringSerializer(), cluster=cluster)
    metadata = producer.send(ProducerRecord(TOPIC, "value", key="key"))
    assert metadata.get().partition() == 1
    producer.clear()
    assert producer.history() == []
    producer.close()


def test_manual_completion(manual: BytesProducer) -> None:
    md1 = manual.send(RECORD1)
    assert not md1.is_done()
    md2 = manual.send(RECORD2)
    assert not md2.is_done()
    assert manual.complete_next()
    assert not is_error(md1)
    assert not md2.is_done()
    e = IllegalArgumentException("blah")
    assert manual.error_next(e)
    with pytest.raises(IllegalArgumentException) as caught:
        md2.get()
    assert caught.value is e
    assert not manual.complete_next()

    md3 = manual.send(RECORD1)
    md4 = manual.send(RECORD2)
    assert not md3.is_done() and not md4.is_done()
    manual.flush()
    assert md3.is_done() and md4.is_done()


def test_should_init_transactions(producer: BytesProducer) -> None:
    producer.init_transactions()
    assert producer.transaction_initialized()


def test_should_throw_on_init_transaction_if_producer_already_initialized_for_transactions(
        transactional: BytesProducer) -> None:
    with pytest.raises(IllegalStateException):
        transactional.init_transactions()


def test_should_throw_on_begin_transaction_if_transactions_not_initialized(producer: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="initialized"):
        producer.begin_transaction()


def test_should_begin_transactions(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    assert transactional.transaction_in_flight()


def test_should_throw_on_begin_transactions_if_transaction_inflight(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    with pytest.raises(IllegalStateException, match="already started"):
        transactional.begin_transaction()


def test_should_throw_on_send_offsets_to_transaction_if_transactions_not_initialized(
        producer: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="initialized"):
        producer.send_offsets_to_transaction({}, ConsumerGroupMetadata(GROUP_ID))


def test_should_throw_on_send_offsets_to_transaction_transaction_if_no_transaction_got_started(
        transactional: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="no open transaction"):
        transactional.send_offsets_to_transaction({}, ConsumerGroupMetadata(GROUP_ID))


def test_should_throw_on_commit_if_transactions_not_initialized(producer: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="initialized"):
        producer.commit_transaction()


def test_should_throw_on_commit_transaction_if_no_transaction_got_started(
        transactional: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="no open transaction"):
        transactional.commit_transaction()


def test_should_commit_empty_transaction(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.commit_transaction()
    assert not transactional.transaction_in_flight()
    assert transactional.transaction_committed()
    assert not transactional.transaction_aborted()


def test_should_count_committed_transaction(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    assert transactional.commit_count() == 0
    transactional.commit_transaction()
    assert transactional.commit_count() == 1


def test_should_not_count_aborted_transaction(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.abort_transaction()
    transactional.begin_transaction()
    transactional.commit_transaction()
    assert transactional.commit_count() == 1


def test_should_throw_on_abort_if_transactions_not_initialized(producer: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="initialized"):
        producer.abort_transaction()


def test_should_throw_on_abort_transaction_if_no_transaction_got_started(
        transactional: BytesProducer) -> None:
    with pytest.raises(IllegalStateException, match="no open transaction"):
        transactional.abort_transaction()


def test_should_abort_empty_transaction(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.abort_transaction()
    assert not transactional.transaction_in_flight()
    assert transactional.transaction_aborted()
    assert not transactional.transaction_committed()


def test_should_throw_fence_producer_if_transactions_not_initialized(producer: BytesProducer) -> None:
    with pytest.raises(IllegalStateException):
        producer.fence_producer()


def test_should_throw_on_begin_transactions_if_producer_got_fenced(transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(ProducerFencedException):
        transactional.begin_transaction()


def test_should_throw_on_send_if_producer_got_fenced(transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(KafkaException) as caught:
        transactional.send(RECORD1)
    assert isinstance(caught.value.__cause__, ProducerFencedException)


def test_should_throw_on_send_offsets_to_transaction_by_group_id_if_producer_got_fenced(
        transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(ProducerFencedException):
        transactional.send_offsets_to_transaction({}, GROUP_ID)


def test_should_throw_on_send_offsets_to_transaction_by_group_metadata_if_producer_got_fenced(
        transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(ProducerFencedException):
        transactional.send_offsets_to_transaction({}, ConsumerGroupMetadata(GROUP_ID))


def test_should_throw_on_commit_transaction_if_producer_got_fenced(transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(ProducerFencedException):
        transactional.commit_transaction()


def test_should_throw_on_abort_transaction_if_producer_got_fenced(transactional: BytesProducer) -> None:
    transactional.fence_producer()
    with pytest.raises(ProducerFencedException):
        transactional.abort_transaction()


def test_should_publish_messages_only_after_commit_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send(RECORD1)
    transactional.send(RECORD2)
    assert transactional.history() == []
    assert transactional.uncommitted_records() == [RECORD1, RECORD2]
    transactional.commit_transaction()
    assert transactional.history() == [RECORD1, RECORD2]


def test_should_flush_on_commit_for_non_auto_complete_if_transactions_are_enabled(
        manual: BytesProducer) -> None:
    manual.init_transactions()
    manual.begin_transaction()
    md1 = manual.send(RECORD1)
    md2 = manual.send(RECORD2)
    assert not md1.is_done()
    assert not md2.is_done()
    manual.commit_transaction()
    assert md1.is_done()
    assert md2.is_done()


def test_should_drop_messages_on_abort_if_transactions_are_enabled(transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send(RECORD1)
    transactional.send(RECORD2)
    transactional.abort_transaction()
    assert transactional.history() == []
    transactional.begin_transaction()
    transactional.commit_transaction()
    assert transactional.history() == []


def test_should_throw_on_abort_for_non_auto_complete_if_transactions_are_enabled(
        manual: BytesProducer) -> None:
    manual.init_transactions()
    manual.begin_transaction()
    md1 = manual.send(RECORD1)
    assert not md1.is_done()
    manual.abort_transaction()
    assert md1.is_done()


def test_should_preserve_committed_messages_on_abort_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send(RECORD1)
    transactional.send(RECORD2)
    transactional.commit_transaction()
    transactional.begin_transaction()
    transactional.abort_transaction()
    assert transactional.history() == [RECORD1, RECORD2]


def test_should_publish_consumer_group_offsets_only_after_commit_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    group1_commit = offsets_of(p0=42, p1=73)
    group2_commit = offsets_of(p0=101, p1=21)
    transactional.send_offsets_to_transaction(group1_commit, ConsumerGroupMetadata("g1"))
    transactional.send_offsets_to_transaction(group2_commit, ConsumerGroupMetadata("g2"))
    assert transactional.consumer_group_offsets_history() == []
    expected = {"g1": group1_commit, "g2": group2_commit}
    assert transactional.uncommitted_offsets() == expected
    transactional.commit_transaction()
    assert transactional.consumer_group_offsets_history() == [expected]


def test_should_throw_on_null_consumer_group_id_when_send_offsets_to_transaction(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    with pytest.raises(TypeError):
        transactional.send_offsets_to_transaction({}, None)  # type: ignore[arg-type]  # as meant


def test_should_throw_on_null_consumer_group_metadata_when_send_offsets_to_transaction(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    with pytest.raises(TypeError):
        transactional.send_offsets_to_transaction(
            {}, ConsumerGroupMetadata(None))  # type: ignore[arg-type]  # what the test is about


def test_should_ignore_empty_offsets_when_send_offsets_to_transaction_by_group_id(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction({}, "groupId")
    assert not transactional.sent_offsets()


def test_should_ignore_empty_offsets_when_send_offsets_to_transaction_by_group_metadata(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction({}, ConsumerGroupMetadata("groupId"))
    assert not transactional.sent_offsets()


def test_should_add_offsets_when_send_offsets_to_transaction_by_group_id(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    assert not transactional.sent_offsets()
    transactional.send_offsets_to_transaction(offsets_of(p0=42), "groupId")
    assert transactional.sent_offsets()


def test_should_add_offsets_when_send_offsets_to_transaction_by_group_metadata(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    assert not transactional.sent_offsets()
    transactional.send_offsets_to_transaction(offsets_of(p0=42), ConsumerGroupMetadata("groupId"))
    assert transactional.sent_offsets()


def test_should_reset_sent_offsets_flag_only_when_beginning_new_transaction(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    assert not transactional.sent_offsets()
    for _ in range(2):
        transactional.send_offsets_to_transaction(offsets_of(p0=42), ConsumerGroupMetadata("groupId"))
        transactional.commit_transaction()
        assert transactional.sent_offsets()
        transactional.begin_transaction()
        assert not transactional.sent_offsets()


def test_should_publish_latest_and_cumulative_consumer_group_offsets_only_after_commit_if_transactions_are_enabled(  # noqa: E501
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction(offsets_of(p0=42, p1=73), ConsumerGroupMetadata("g"))
    transactional.send_offsets_to_transaction(offsets_of(p1=101, p2=21), ConsumerGroupMetadata("g"))
    assert transactional.consumer_group_offsets_history() == []
    transactional.commit_transaction()
    assert transactional.consumer_group_offsets_history() == [{"g": offsets_of(p0=42, p1=101, p2=21)}]


def test_should_drop_consumer_group_offsets_on_abort_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    for _ in range(2):
        transactional.begin_transaction()
        transactional.send_offsets_to_transaction(offsets_of(p0=42, p1=73), ConsumerGroupMetadata("g"))
        transactional.abort_transaction()
        transactional.begin_transaction()
        transactional.commit_transaction()
        assert transactional.consumer_group_offsets_history() == []


def test_should_preserve_offsets_from_commit_by_group_id_on_abort_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction(offsets_of(p0=42, p1=73), "g")
    transactional.commit_transaction()
    transactional.begin_transaction()
    transactional.abort_transaction()
    assert transactional.consumer_group_offsets_history() == [{"g": offsets_of(p0=42, p1=73)}]


def test_should_preserve_offsets_from_commit_by_group_metadata_on_abort_if_transactions_are_enabled(
        transactional: BytesProducer) -> None:
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction(offsets_of(p0=42, p1=73), ConsumerGroupMetadata("g"))
    transactional.commit_transaction()
    transactional.begin_transaction()
    transactional.send_offsets_to_transaction(offsets_of(p2=53, p3=84), ConsumerGroupMetadata("g2"))
    transactional.abort_transaction()
    assert transactional.consumer_group_offsets_history() == [{"g": offsets_of(p0=42, p1=73)}]


def test_should_throw_on_init_transaction_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.init_transactions()


def test_should_throw_on_send_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.send(RECORD1)


def test_should_throw_on_begin_transaction_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.begin_transaction()


def test_should_throw_send_offsets_to_transaction_by_group_id_if_producer_is_closed(
        producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.send_offsets_to_transaction({}, GROUP_ID)


def test_should_throw_send_offsets_to_transaction_by_group_metadata_if_producer_is_closed(
        producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.send_offsets_to_transaction({}, ConsumerGroupMetadata(GROUP_ID))


def test_should_throw_on_commit_transaction_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.commit_transaction()


def test_should_throw_on_abort_transaction_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.abort_transaction()


def test_should_throw_on_fence_producer_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.fence_producer()


def test_should_throw_on_flush_producer_if_producer_is_closed(producer: BytesProducer) -> None:
    producer.close()
    with pytest.raises(IllegalStateException, match="already closed"):
        producer.flush()


def test_should_not_throw_on_flush_producer_if_producer_is_fenced(manual: BytesProducer) -> None:
    future = manual.send(RECORD1)
    manual.init_transactions()
    manual.fence_producer()
    manual.flush()
    assert future.is_done()


def test_should_throw_class_cast_exception() -> None:
    with MockProducer(True, IntegerSerializer(), StringSerializer()) as producer:
        # Java's ClassCastException is a TypeError or an AttributeError here.
        with pytest.raises((TypeError, AttributeError)):
            producer.send(ProducerRecord(TOPIC, "value1", key="key1"))  # type: ignore[arg-type]  # as meant


@pytest.mark.parametrize(("offset", "base_offset", "batch_index"), [
    (0, 0, 0), (1, 0, 1), (2**31 - 1, 0, 2**31 - 1), (2**31, 1, 2**31 - 1),
    (2**40, 2**40 - 2**31 + 1, 2**31 - 1)])
def test_an_index_in_a_batch_fits_into_32_bits(
        producer: BytesProducer, monkeypatch: pytest.MonkeyPatch, offset: int, base_offset: int,
        batch_index: int) -> None:
    positions: list[tuple[int, int]] = []

    class Recording(RecordMetadata):
        __slots__ = ()

        def __init__(self, topic_partition: TopicPartition, base_offset: int, batch_index: int,
                     *others: int) -> None:
            positions.append((base_offset, batch_index))
            super().__init__(topic_partition, base_offset, batch_index, *others)

    monkeypatch.setattr(mock_producer, "RecordMetadata", Recording)
    producer._offsets[TopicPartition(TOPIC, 0)] = offset
    producer.send(RECORD1)
    assert positions[0] == (base_offset, batch_index)


def test_should_be_flushed_if_no_buffered_records(producer: BytesProducer) -> None:
    assert producer.flushed()


def test_should_be_flushed_with_auto_complete_if_buffered_records(producer: BytesProducer) -> None:
    producer.send(RECORD1)
    assert producer.flushed()


def test_should_not_be_flushed_with_no_auto_complete_if_buffered_records(manual: BytesProducer) -> None:
    manual.send(RECORD1)
    assert not manual.flushed()


def test_should_not_be_flushed_after_flush(manual: BytesProducer) -> None:
    manual.send(RECORD1)
    manual.flush()
    assert manual.flushed()


def test_all_are_sent_with_one_future(manual: BytesProducer) -> None:
    future = manual.send_all(TOPIC, [b"a", (b"k", b"b"), RECORD1])
    assert [(record.key(), record.value()) for record in manual.history()] == [
        (None, b"a"), (b"k", b"b"), (RECORD1.key(), RECORD1.value())]
    assert future.queued() == 3 and not future.is_done()
    manual.flush()
    assert future.get() == {TopicPartition(TOPIC, 0): [range(3)]}


def test_the_first_record_that_is_refused_ends_a_send_all(producer: BytesProducer) -> None:
    def records() -> Iterator[bytes]:
        yield b"a"
        producer.send_exception = IllegalArgumentException("no more")
        yield b"b"

    with pytest.raises(RecordNotQueuedException, match="no more") as caught:
        producer.send_all(TOPIC, records())
    assert caught.value.queued() == 1 == len(producer.history())
    producer.send_exception = None
    producer.close()
    with pytest.raises(IllegalStateException):
        producer.send_all(TOPIC, [b"c"])


def test_metadata_on_exception(manual: BytesProducer) -> None:
    seen: list[tuple[RecordMetadata | None, Exception | None]] = []
    metadata = manual.send(RECORD2, lambda md, exception: seen.append((md, exception)))
    e = IllegalArgumentException("dummy exception")
    assert manual.error_next(e)
    [(md, exception)] = seen
    assert exception is e
    assert md is not None
    assert md.offset() == -1
    assert md.timestamp() == RecordBatch.NO_TIMESTAMP
    assert md.serialized_key_size() == -1
    assert md.serialized_value_size() == -1
    with pytest.raises(IllegalArgumentException) as caught:
        metadata.get()
    assert caught.value is e
