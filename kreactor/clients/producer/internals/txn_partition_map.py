# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.TxnPartitionMap of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partitions of an idempotent producer, with their sequence numbers and batches in flight.

Guarded by the lock of the ``TransactionManager``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.clients.producer.internals.txn_partition_entry import TxnPartitionEntry
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.jdk.exceptions import IllegalStateException

if TYPE_CHECKING:
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch


class TxnPartitionMap:
    """:origin: clients.producer.internals.TxnPartitionMap"""

    __slots__ = ("_log", "_topic_partitions")

    def __init__(self, log_context: LogContext) -> None:
        """:origin: clients.producer.internals.TxnPartitionMap#TxnPartitionMap(LogContext)"""
        self._log = log_context.logger(TxnPartitionMap)
        self._topic_partitions: dict[TopicPartition, TxnPartitionEntry] = {}

    def get(self, topic_partition: TopicPartition) -> TxnPartitionEntry:
        """Return the entry of a partition. Raises IllegalStateException if there is none.

        :origin: clients.producer.internals.TxnPartitionMap#get(TopicPartition)
        """
        ent = self._topic_partitions.get(topic_partition)
        if ent is None:
            raise IllegalStateException(f"Trying to get txnPartitionEntry for {topic_partition}, but it was "
                                        "never set for this partition.")
        return ent

    def get_or_create(self, topic_partition: TopicPartition) -> TxnPartitionEntry:
        """Return the entry of a partition; create it if necessary.

        :origin: clients.producer.internals.TxnPartitionMap#getOrCreate(TopicPartition)
        """
        ent = self._topic_partitions.get(topic_partition)
        if ent is None:
            ent = self._topic_partitions[topic_partition] = TxnPartitionEntry(topic_partition)
        return ent

    def contains(self, topic_partition: TopicPartition) -> bool:
        """Return whether the partition has an entry.

        :origin: clients.producer.internals.TxnPartitionMap#contains(TopicPartition)
        """
        return topic_partition in self._topic_partitions

    def reset(self) -> None:
        """Remove all entries.

        :origin: clients.producer.internals.TxnPartitionMap#reset()
        """
        self._topic_partitions.clear()

    def last_acked_offset(self, topic_partition: TopicPartition) -> int | None:
        """Return the offset of the last acknowledged record, or None.

        :origin: clients.producer.internals.TxnPartitionMap#lastAckedOffset(TopicPartition)
        """
        entry = self._topic_partitions.get(topic_partition)
        if entry is not None:
            return entry.last_acked_offset()
        return None

    def last_acked_sequence(self, topic_partition: TopicPartition) -> int | None:
        """Return the sequence of the last acknowledged record, or None.

        :origin: clients.producer.internals.TxnPartitionMap#lastAckedSequence(TopicPartition)
        """
        entry = self._topic_partitions.get(topic_partition)
        if entry is not None:
            return entry.last_acked_sequence()
        return None

    def start_sequences_at_beginning(self, topic_partition: TopicPartition,
                                     new_producer_id_and_epoch: ProducerIdAndEpoch) -> None:
        """Renumber a partition's batches in flight from 0 on.

        Raises IllegalStateException if it has no entry.

        :origin: clients.producer.internals.TxnPartitionMap#startSequencesAtBeginning(TopicPartition, ProducerIdAndEpoch)
        """  # noqa: E501
        entry = self.get(topic_partition)
        if entry is not None:
            entry.start_sequences_at_beginning(new_producer_id_and_epoch)

    def remove(self, topic_partition: TopicPartition) -> None:
        """Remove a partition's entry.

        :origin: clients.producer.internals.TxnPartitionMap#remove(TopicPartition)
        """
        self._topic_partitions.pop(topic_partition, None)

    def update_last_acked_offset(self, topic_partition: TopicPartition, is_transactional: bool,
                                 last_offset: int) -> None:
        """Set the offset of the last acknowledged record, if it is higher.

        :origin: clients.producer.internals.TxnPartitionMap#updateLastAckedOffset(TopicPartition, boolean, long)
        """  # noqa: E501
        last_acked_offset = self.last_acked_offset(topic_partition)
        # The entry may be missing if the producer was reset during a retry. Only an idempotent producer does
        # that, not a transactional one.
        if last_acked_offset is None and not is_transactional:
            self.get_or_create(topic_partition)
        if last_offset > (ProduceResponse.INVALID_OFFSET if last_acked_offset is None else last_acked_offset):
            self.get(topic_partition).set_last_acked_offset(last_offset)
        else:
            self._log.trace("Partition %s keeps lastOffset at %s", topic_partition, last_offset)

    def adjust_sequences_due_to_failed_batch(self, batch: ProducerBatch) -> None:
        """Renumber the batches behind ``batch`` as if it had not existed.

        Only for a batch that the broker has certainly refused, such as one that is too large. Otherwise the
        next batches would leave a sequence gap.

        :origin: clients.producer.internals.TxnPartitionMap#adjustSequencesDueToFailedBatch(ProducerBatch)
        """
        if not self.contains(batch.topic_partition):
            # The producer id may have been reset because of an earlier gap.
            return
        self._log.debug("producerId: %s, send to partition %s failed fatally. Reducing future sequence "
                        "numbers by %s", batch.producer_id(), batch.topic_partition, batch.record_count)

        self.get(batch.topic_partition).adjust_sequences_due_to_failed_batch(
            batch.base_sequence(), batch.record_count)

    def maybe_update_last_acked_sequence(self, topic_partition: TopicPartition, sequence: int) -> int:
        """Set the last acknowledged sequence, if it is higher; return the current value, -1 without an entry.

        :origin: clients.producer.internals.TxnPartitionMap#maybeUpdateLastAckedSequence(TopicPartition, int)
        """
        entry = self._topic_partitions.get(topic_partition)
        if entry is not None:
            return entry.maybe_update_last_acked_sequence(sequence)
        return TxnPartitionEntry.NO_LAST_ACKED_SEQUENCE_NUMBER

    def next_batch_by_sequence(self, topic_partition: TopicPartition) -> ProducerBatch | None:
        """Return the batch in flight with the lowest sequence, or None.

        Raises IllegalStateException if the partition has no entry.

        :origin: clients.producer.internals.TxnPartitionMap#nextBatchBySequence(TopicPartition)
        """
        return self.get(topic_partition).next_batch_by_sequence()

    def remove_in_flight_batch(self, batch: ProducerBatch) -> None:
        """Remove a completed batch. Raises IllegalStateException if its partition has no entry.

        :origin: clients.producer.internals.TxnPartitionMap#removeInFlightBatch(ProducerBatch)
        """
        self.get(batch.topic_partition).remove_in_flight_batch(batch)
