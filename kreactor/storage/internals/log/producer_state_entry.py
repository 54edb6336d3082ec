# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.ProducerStateEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of one producer in one log."""

from __future__ import annotations

from collections import deque

from kreactor.common.record.record_batch import RecordBatch
from kreactor.storage.internals.log.batch_metadata import BatchMetadata

NUM_BATCHES_TO_RETAIN = 5
_NO_PRODUCER_EPOCH = RecordBatch.NO_PRODUCER_EPOCH
_NO_SEQUENCE = RecordBatch.NO_SEQUENCE
_NO_TIMESTAMP = RecordBatch.NO_TIMESTAMP


class ProducerStateEntry:
    """One producer. ``batches`` has the oldest batch first, and only batches of the current epoch.

    :origin: storage.internals.log.ProducerStateEntry
    """

    __slots__ = ("producer_id", "producer_epoch", "coordinator_epoch", "last_timestamp",
                 "current_txn_first_offset", "batches")

    def __init__(self, producer_id: int, producer_epoch: int = _NO_PRODUCER_EPOCH,
                 coordinator_epoch: int = -1, last_timestamp: int = _NO_TIMESTAMP,
                 current_txn_first_offset: int | None = None) -> None:
        """:origin: storage.internals.log.ProducerStateEntry#ProducerStateEntry(long, short, int, long, OptionalLong, Optional<BatchMetadata>)"""  # noqa: E501
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = last_timestamp
        self.current_txn_first_offset = current_txn_first_offset
        self.batches: deque[BatchMetadata] = deque(maxlen=NUM_BATCHES_TO_RETAIN)

    def first_seq(self) -> int:
        """Return the first stored sequence number, or -1.

        :origin: storage.internals.log.ProducerStateEntry#firstSeq()
        """
        return self.batches[0].first_seq() if self.batches else _NO_SEQUENCE

    def last_seq(self) -> int:
        """Return the last sequence number, or -1.

        :origin: storage.internals.log.ProducerStateEntry#lastSeq()
        """
        return self.batches[-1].last_seq if self.batches else _NO_SEQUENCE

    def last_data_offset(self) -> int:
        """Return the last offset, or -1.

        :origin: storage.internals.log.ProducerStateEntry#lastDataOffset()
        """
        return self.batches[-1].last_offset if self.batches else -1

    def last_offset_delta(self) -> int:
        """Return the offset delta of the last batch, 0 if there is none.

        :origin: storage.internals.log.ProducerStateEntry#lastOffsetDelta()
        """
        return self.batches[-1].offset_delta if self.batches else 0

    def add_batch(self, producer_epoch: int, last_seq: int, last_offset: int, offset_delta: int,
                  timestamp: int) -> None:
        """Add an appended batch; a new epoch removes the batches of the former one.

        :origin: storage.internals.log.ProducerStateEntry#addBatch(short, int, long, int, long)
        """
        self.update_epoch(producer_epoch)
        self.batches.append(BatchMetadata(last_seq, last_offset, offset_delta, timestamp))
        self.last_timestamp = timestamp

    def update_epoch(self, producer_epoch: int) -> None:
        """Change to ``producer_epoch``, if it differs.

        :origin: storage.internals.log.ProducerStateEntry#maybeUpdateProducerEpoch(short)
        """
        if producer_epoch != self.producer_epoch:
            self.batches.clear()
            self.producer_epoch = producer_epoch

    def find_duplicate(self, producer_epoch: int, first_seq: int, last_seq: int) -> BatchMetadata | None:
        """Return the batch with exactly these sequence numbers, or None.

        :origin: storage.internals.log.ProducerStateEntry#findDuplicateBatch(RecordBatch)
        :origin: storage.internals.log.ProducerStateEntry#batchWithSequenceRange(int, int)
        """
        if producer_epoch == self.producer_epoch:
            for batch in self.batches:
                if batch.last_seq == last_seq and batch.first_seq() == first_seq:
                    return batch
        return None

    def __repr__(self) -> str:
        """:origin: storage.internals.log.ProducerStateEntry#toString()"""
        return (f"ProducerStateEntry(producer_id={self.producer_id}, producer_epoch={self.producer_epoch}, "
                f"current_txn_first_offset={self.current_txn_first_offset}, "
                f"coordinator_epoch={self.coordinator_epoch}, last_timestamp={self.last_timestamp}, "
                f"batches={list(self.batches)})")
