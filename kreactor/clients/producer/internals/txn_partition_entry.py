# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.TxnPartitionEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One partition of an idempotent producer: its sequence numbers and batches in flight.

Guarded by the lock of the ``TransactionManager``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from kreactor.clients.producer.internals.sequence_order import Sequence, precedes
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.primitive_ref import PrimitiveRef
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.tree_set import TreeSet

if TYPE_CHECKING:
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch


class TxnPartitionEntry:
    """:origin: clients.producer.internals.TxnPartitionEntry"""

    __slots__ = ("_topic_partition", "_producer_id_and_epoch", "_next_sequence", "_last_acked_sequence",
                 "_inflight_batches_by_sequence", "_last_acked_offset")

    NO_LAST_ACKED_SEQUENCE_NUMBER = -1

    @staticmethod
    def _PRODUCER_BATCH_COMPARATOR(batch: ProducerBatch) -> tuple[int, int, Sequence]:
        """Return the key by which batches in flight are ordered.

        All batches should have the same producer id and epoch. Around an epoch bump they may differ, and an
        order by the sequence alone would remove the wrong one of two batches.

        :origin: clients.producer.internals.TxnPartitionEntry#PRODUCER_BATCH_COMPARATOR
        """
        # DEVIATION D331: 0 comes after 2^31 - 1.
        return batch.producer_id(), batch.producer_epoch(), Sequence(batch.base_sequence())

    def __init__(self, topic_partition: TopicPartition) -> None:
        """:origin: clients.producer.internals.TxnPartitionEntry#TxnPartitionEntry(TopicPartition)"""
        self._topic_partition = topic_partition
        self._producer_id_and_epoch = ProducerIdAndEpoch.NONE
        # The base sequence of the next batch.
        self._next_sequence = 0
        # The sequence of the last acknowledged record: the next sequence minus 1 if no batch is in flight.
        self._last_acked_sequence = TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER
        # The offset of the last acknowledged record. It distinguishes records deleted by retention from
        # records that the broker lost.
        self._last_acked_offset = ProduceResponse.INVALID_OFFSET
        # The batches from drain to completion, sorted by sequence. The responses may arrive in another order
        # when the leader changes.
        self._inflight_batches_by_sequence: TreeSet[ProducerBatch] = TreeSet(
            TxnPartitionEntry._PRODUCER_BATCH_COMPARATOR)

    def producer_id_and_epoch(self) -> ProducerIdAndEpoch:
        """Return the producer id and epoch of the partition's next batch.

        :origin: clients.producer.internals.TxnPartitionEntry#producerIdAndEpoch()
        """
        return self._producer_id_and_epoch

    def next_sequence(self) -> int:
        """Return the base sequence of the next batch.

        :origin: clients.producer.internals.TxnPartitionEntry#nextSequence()
        """
        return self._next_sequence

    def last_acked_offset(self) -> int | None:
        """Return the offset of the last acknowledged record, or None.

        :origin: clients.producer.internals.TxnPartitionEntry#lastAckedOffset()
        """
        if self._last_acked_offset != ProduceResponse.INVALID_OFFSET:
            return self._last_acked_offset
        return None

    def last_acked_sequence(self) -> int | None:
        """Return the sequence of the last acknowledged record, or None.

        :origin: clients.producer.internals.TxnPartitionEntry#lastAckedSequence()
        """
        if self._last_acked_sequence != TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER:
            return self._last_acked_sequence
        return None

    def has_inflight_batches(self) -> bool:
        """Return whether batches are in flight.

        :origin: clients.producer.internals.TxnPartitionEntry#hasInflightBatches()
        """
        return not self._inflight_batches_by_sequence.is_empty()

    def next_batch_by_sequence(self) -> ProducerBatch | None:
        """Return the batch in flight with the lowest sequence, or None.

        :origin: clients.producer.internals.TxnPartitionEntry#nextBatchBySequence()
        """
        return (None if self._inflight_batches_by_sequence.is_empty()
                else self._inflight_batches_by_sequence.first())

    def increment_sequence(self, increment: int) -> None:
        """Add ``increment`` to the next sequence. 0 follows 2^31 - 1.

        :origin: clients.producer.internals.TxnPartitionEntry#incrementSequence(int)
        """
        self._next_sequence = DefaultRecordBatch.increment_sequence(self._next_sequence, increment)

    def add_inflight_batch(self, batch: ProducerBatch) -> None:
        """Add a batch that has its sequence.

        :origin: clients.producer.internals.TxnPartitionEntry#addInflightBatch(ProducerBatch)
        """
        self._inflight_batches_by_sequence.add(batch)

    def set_last_acked_offset(self, last_acked_offset: int) -> None:
        """Set the offset of the last acknowledged record.

        :origin: clients.producer.internals.TxnPartitionEntry#setLastAckedOffset(long)
        """
        self._last_acked_offset = last_acked_offset

    def start_sequences_at_beginning(self, new_producer_id_and_epoch: ProducerIdAndEpoch) -> None:
        """Renumber the batches in flight from 0 on, with a new producer id or epoch.

        :origin: clients.producer.internals.TxnPartitionEntry#startSequencesAtBeginning(ProducerIdAndEpoch)
        """
        sequence = PrimitiveRef.of_int(0)

        def reset_sequence(in_flight_batch: ProducerBatch) -> None:
            in_flight_batch.reset_producer_state(new_producer_id_and_epoch, sequence.value)
            sequence.value += in_flight_batch.record_count

        self._reset_sequence_numbers(reset_sequence)
        self._producer_id_and_epoch = new_producer_id_and_epoch
        self._next_sequence = sequence.value
        self._last_acked_sequence = TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER

    def maybe_update_last_acked_sequence(self, sequence: int) -> int:
        """Set the last acknowledged sequence, if it is later; return the current value.

        :origin: clients.producer.internals.TxnPartitionEntry#maybeUpdateLastAckedSequence(int)
        """
        # DEVIATION D331: 0 comes after 2^31 - 1.
        if (self._last_acked_sequence == TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER
                or precedes(self._last_acked_sequence, sequence)):
            self._last_acked_sequence = sequence
            return sequence
        return self._last_acked_sequence

    def remove_in_flight_batch(self, batch: ProducerBatch) -> None:
        """Remove a completed batch.

        :origin: clients.producer.internals.TxnPartitionEntry#removeInFlightBatch(ProducerBatch)
        """
        self._inflight_batches_by_sequence.remove(batch)

    def adjust_sequences_due_to_failed_batch(self, base_sequence: int, record_count: int) -> None:
        """Renumber the batches behind a failed batch as if it had not existed.

        Raises IllegalStateException if a sequence would be negative.

        :origin: clients.producer.internals.TxnPartitionEntry#adjustSequencesDueToFailedBatch(long, int)
        """
        self._decrement_sequence(record_count)

        def reset_sequence(in_flight_batch: ProducerBatch) -> None:
            # DEVIATION D331: 0 comes after 2^31 - 1.
            if precedes(in_flight_batch.base_sequence(), base_sequence):
                return

            new_sequence = in_flight_batch.base_sequence() - record_count
            if new_sequence < 0:
                raise IllegalStateException(
                    f"Sequence number for batch with sequence {in_flight_batch.base_sequence()} for "
                    f"partition {self._topic_partition} is going to become negative: {new_sequence}")

            in_flight_batch.reset_producer_state(
                ProducerIdAndEpoch(in_flight_batch.producer_id(), in_flight_batch.producer_epoch()),
                new_sequence)

        self._reset_sequence_numbers(reset_sequence)

    def _reset_sequence_numbers(self, reset_sequence: Callable[[ProducerBatch], None]) -> None:
        """Change the sequences of the batches in flight, and sort the batches again.

        :origin: clients.producer.internals.TxnPartitionEntry#resetSequenceNumbers(Consumer<ProducerBatch>)
        """
        new_inflights: TreeSet[ProducerBatch] = TreeSet(TxnPartitionEntry._PRODUCER_BATCH_COMPARATOR)
        for inflight_batch in self._inflight_batches_by_sequence:
            reset_sequence(inflight_batch)
            new_inflights.add(inflight_batch)
        self._inflight_batches_by_sequence = new_inflights

    def _decrement_sequence(self, decrement: int) -> bool:
        """Subtract ``decrement`` from the next sequence.

        Raises IllegalStateException if the result is negative.

        :origin: clients.producer.internals.TxnPartitionEntry#decrementSequence(int)
        """
        updated_sequence = self._next_sequence
        updated_sequence -= decrement
        if updated_sequence < 0:
            raise IllegalStateException(f"Sequence number for partition {self._topic_partition} is going to "
                                        f"become negative: {updated_sequence}")
        self._next_sequence = updated_sequence
        return True
