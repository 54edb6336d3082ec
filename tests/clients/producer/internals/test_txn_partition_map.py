# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sequence numbers of partitions, and batches in flight whose numbers change."""

from __future__ import annotations

import pytest

from kreactor.clients.producer.internals.producer_batch import ProducerBatch
from kreactor.clients.producer.internals.txn_partition_entry import TxnPartitionEntry
from kreactor.clients.producer.internals.txn_partition_map import TxnPartitionMap
from kreactor.common.compress.compression import Compression
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer

TP = TopicPartition("topic", 0)
INT_MAX_VALUE = 2**31 - 1


def in_flight(entry: TxnPartitionEntry, sequence: int, records: int = 1, epoch: int = 0) -> ProducerBatch:
    """Return a batch that the entry has in flight."""
    builder = MemoryRecords.builder(ByteBuffer.allocate(512), Compression.NONE, TimestampType.CREATE_TIME, 0)
    batch = ProducerBatch(TP, builder, 0)
    for _ in range(records):
        assert batch.try_append(0, None, b"value", [], None, 0) is not None
    batch.set_producer_state(ProducerIdAndEpoch(7, epoch), sequence, False)
    batch.close()
    entry.add_inflight_batch(batch)
    return batch


@pytest.fixture
def partitions() -> TxnPartitionMap:
    return TxnPartitionMap(LogContext())


def test_an_unknown_partition_has_nothing(partitions):
    with pytest.raises(IllegalStateException, match="^Trying to get txnPartitionEntry for topic-0, but it "
                                                    "was never set for this partition.$"):
        partitions.get(TP)
    assert (partitions.last_acked_offset(TP), partitions.last_acked_sequence(TP)) == (None, None)
    assert partitions.maybe_update_last_acked_sequence(TP, 5) == -1
    assert not partitions.contains(TP)
    partitions.get_or_create(TP)
    assert partitions.contains(TP)
    partitions.remove(TP)
    partitions.remove(TP)
    assert not partitions.contains(TP)


def test_a_late_answer_makes_an_entry_of_an_idempotent_producer_only(partitions):
    with pytest.raises(IllegalStateException):
        partitions.update_last_acked_offset(TP, True, 10)
    partitions.update_last_acked_offset(TP, False, 10)
    assert partitions.last_acked_offset(TP) == 10
    partitions.update_last_acked_offset(TP, True, 9)
    assert partitions.last_acked_offset(TP) == 10


def test_batches_are_in_the_order_of_id_epoch_and_sequence(partitions):
    entry = partitions.get_or_create(TP)
    second, other, first = in_flight(entry, 3), in_flight(entry, 0, epoch=1), in_flight(entry, 1)
    assert partitions.next_batch_by_sequence(TP) is first
    partitions.remove_in_flight_batch(first)
    assert partitions.next_batch_by_sequence(TP) is second
    partitions.remove_in_flight_batch(second)
    assert partitions.next_batch_by_sequence(TP) is other
    partitions.remove_in_flight_batch(other)
    assert partitions.next_batch_by_sequence(TP) is None
    assert not entry.has_inflight_batches()


def test_batches_in_flight_start_again_under_another_epoch(partitions):
    entry = partitions.get_or_create(TP)
    third, first, second = in_flight(entry, 9, 3), in_flight(entry, 4, 2), in_flight(entry, 6, 3)
    assert entry.maybe_update_last_acked_sequence(3) == 3
    partitions.start_sequences_at_beginning(TP, ProducerIdAndEpoch(7, 1))
    assert [(batch.base_sequence(), batch.producer_epoch()) for batch in (first, second, third)] == [
        (0, 1), (2, 1), (5, 1)]
    assert all(batch.sequence_has_been_reset() for batch in (first, second, third))
    assert (entry.next_sequence(), entry.last_acked_sequence()) == (8, None)
    assert entry.producer_id_and_epoch() == ProducerIdAndEpoch(7, 1)
    for batch in (second, third, first):
        entry.remove_in_flight_batch(batch)
    assert not entry.has_inflight_batches(), "each is found under its new number"


def test_batches_behind_one_that_failed_move_up(partitions):
    entry = partitions.get_or_create(TP)
    entry.increment_sequence(9)
    before, failed, behind = in_flight(entry, 0, 2), in_flight(entry, 2, 4), in_flight(entry, 6, 3)
    entry.remove_in_flight_batch(failed)
    partitions.adjust_sequences_due_to_failed_batch(failed)
    assert (before.base_sequence(), behind.base_sequence(), entry.next_sequence()) == (0, 2, 5)
    entry.remove_in_flight_batch(behind)
    assert entry.next_batch_by_sequence() is before


def test_a_sequence_never_becomes_negative(partitions):
    entry = partitions.get_or_create(TP)
    failed = in_flight(entry, 2, 4)
    with pytest.raises(IllegalStateException, match="^Sequence number for partition topic-0 is going to "
                                                    "become negative: -4$"):
        partitions.adjust_sequences_due_to_failed_batch(failed)
    entry.increment_sequence(9)
    with pytest.raises(IllegalStateException, match="^Sequence number for batch with sequence 2 for "
                                                    "partition topic-0 is going to become negative: -2$"):
        partitions.adjust_sequences_due_to_failed_batch(failed)


def test_a_failed_batch_of_an_unknown_partition_changes_nothing(partitions):
    failed = in_flight(TxnPartitionEntry(TP), 2, 4)
    partitions.adjust_sequences_due_to_failed_batch(failed)
    assert (failed.base_sequence(), partitions.contains(TP)) == (2, False)


@pytest.mark.deviation("D331")
def test_sequences_wrap(partitions):
    entry = partitions.get_or_create(TP)
    entry.increment_sequence(INT_MAX_VALUE)
    assert entry.next_sequence() == INT_MAX_VALUE
    entry.increment_sequence(1)
    assert entry.next_sequence() == 0
    assert entry.maybe_update_last_acked_sequence(INT_MAX_VALUE) == INT_MAX_VALUE
    assert entry.maybe_update_last_acked_sequence(2) == 2
    assert entry.maybe_update_last_acked_sequence(INT_MAX_VALUE) == 2


@pytest.mark.deviation("D331")
def test_batches_keep_their_order_where_sequences_wrap(partitions):
    entry = partitions.get_or_create(TP)
    second, first = in_flight(entry, INT_MAX_VALUE, 2), in_flight(entry, INT_MAX_VALUE - 1)
    third = in_flight(entry, 1)
    assert entry.next_batch_by_sequence() is first
    partitions.start_sequences_at_beginning(TP, ProducerIdAndEpoch(7, 1))
    assert [batch.base_sequence() for batch in (first, second, third)] == [0, 1, 3]
