# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of batches of every format. An uncompressed batch of magic 0 or 1 is one record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.closeable_iterator import CloseableIterator
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.compression_type import CompressionType
    from kreactor.common.record.record import Record
    from kreactor.common.record.timestamp_type import TimestampType


class RecordBatch(ABC):
    """A batch of records, and an iterable of them.

    :origin: common.record.RecordBatch
    """

    __slots__ = ()

    MAGIC_VALUE_V0 = 0
    MAGIC_VALUE_V1 = 1
    MAGIC_VALUE_V2 = 2

    # The format of new batches.
    CURRENT_MAGIC_VALUE = MAGIC_VALUE_V2

    NO_TIMESTAMP = -1

    # The values for a producer that is not idempotent, and for a batch converted from magic 0 or 1.
    NO_PRODUCER_ID = -1
    NO_PRODUCER_EPOCH = -1
    NO_SEQUENCE = -1

    # The epoch of a batch that no leader has appended yet.
    NO_PARTITION_LEADER_EPOCH = -1

    @abstractmethod
    def is_valid(self) -> bool:
        """Return whether the checksum is correct.

        :origin: common.record.RecordBatch#isValid()
        """

    @abstractmethod
    def ensure_valid(self) -> None:
        """Raises CorruptRecordException for a wrong checksum.

        :origin: common.record.RecordBatch#ensureValid()
        """

    @abstractmethod
    def checksum(self) -> int:
        """Return the checksum stored in the batch, as an unsigned number.

        :origin: common.record.RecordBatch#checksum()
        """

    @abstractmethod
    def max_timestamp(self) -> int:
        """Return the latest timestamp of the records, or the append time, in milliseconds.

        :origin: common.record.RecordBatch#maxTimestamp()
        """

    @abstractmethod
    def timestamp_type(self) -> TimestampType:
        """Return the timestamp type, NO_TIMESTAMP_TYPE for magic 0.

        :origin: common.record.RecordBatch#timestampType()
        """

    @abstractmethod
    def base_offset(self) -> int:
        """Return the first offset. From magic 2 on it is the first offset before compaction.

        Below magic 2 this decompresses a compressed batch. Use ``last_offset`` where possible.

        :origin: common.record.RecordBatch#baseOffset()
        """

    @abstractmethod
    def last_offset(self) -> int:
        """Return the last offset, which compaction does not change. Cheap in every format.

        :origin: common.record.RecordBatch#lastOffset()
        """

    @abstractmethod
    def next_offset(self) -> int:
        """Return the offset after the last.

        :origin: common.record.RecordBatch#nextOffset()
        """

    @abstractmethod
    def magic(self) -> int:
        """Return the version of the format.

        :origin: common.record.RecordBatch#magic()
        """

    @abstractmethod
    def producer_id(self) -> int:
        """Return the id of the producer, -1 for none.

        :origin: common.record.RecordBatch#producerId()
        """

    @abstractmethod
    def producer_epoch(self) -> int:
        """Return the epoch of the producer, -1 for none.

        :origin: common.record.RecordBatch#producerEpoch()
        """

    @abstractmethod
    def has_producer_id(self) -> bool:
        """Return whether the producer has an id.

        :origin: common.record.RecordBatch#hasProducerId()
        """

    @abstractmethod
    def base_sequence(self) -> int:
        """Return the first sequence number, which compaction does not change, -1 for none.

        :origin: common.record.RecordBatch#baseSequence()
        """

    @abstractmethod
    def last_sequence(self) -> int:
        """Return the last sequence number, which compaction does not change, -1 for none.

        :origin: common.record.RecordBatch#lastSequence()
        """

    @abstractmethod
    def compression_type(self) -> CompressionType:
        """Return the codec. Raises IllegalArgumentException for an unknown id in the attributes.

        :origin: common.record.RecordBatch#compressionType()
        """

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Return the size in bytes with the header, as stored in the batch.

        :origin: common.record.RecordBatch#sizeInBytes()
        """

    @abstractmethod
    def count_or_null(self) -> int | None:
        """Return the number of records, or None below magic 2, whose batches do not store it.

        :origin: common.record.RecordBatch#countOrNull()
        """

    @abstractmethod
    def is_compressed(self) -> bool:
        """Return whether the records are compressed.

        :origin: common.record.RecordBatch#isCompressed()
        """

    @abstractmethod
    def write_to(self, buffer: ByteBuffer) -> None:
        """Copy the batch to the position of ``buffer``, and advance the position.

        :origin: common.record.RecordBatch#writeTo(ByteBuffer)
        """

    @abstractmethod
    def is_transactional(self) -> bool:
        """Return whether the batch is part of a transaction.

        :origin: common.record.RecordBatch#isTransactional()
        """

    @abstractmethod
    def delete_horizon_ms(self) -> int | None:
        """Return the time from which compaction may remove tombstones and markers, in milliseconds, or None.

        :origin: common.record.RecordBatch#deleteHorizonMs()
        """

    @abstractmethod
    def partition_leader_epoch(self) -> int:
        """Return the epoch of the leader that appended the batch, -1 if unknown.

        :origin: common.record.RecordBatch#partitionLeaderEpoch()
        """

    @abstractmethod
    def streaming_iterator(self, decompression_buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return an iterator that decompresses records on demand; below magic 2 all at once.

        The caller closes the iterator. The call or the iterator raises KafkaException or
        InvalidRecordException.

        :origin: common.record.RecordBatch#streamingIterator(BufferSupplier)
        """

    @abstractmethod
    def is_control_batch(self) -> bool:
        """Return whether the records are Kafka's own, such as the end of a transaction.

        :origin: common.record.RecordBatch#isControlBatch()
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Record]:
        """Return the records, all decompressed now. Raises KafkaException or InvalidRecordException."""

    def offset_of_max_timestamp(self) -> int | None:
        """Return the first offset with the latest timestamp, None for magic 0. Reads the records.

        :origin: common.record.RecordBatch#offsetOfMaxTimestamp()
        """
        if self.magic() == RecordBatch.MAGIC_VALUE_V0:
            return None
        max_timestamp = self.max_timestamp()
        with self.streaming_iterator(BufferSupplier.create()) as records:
            for record in records:
                if max_timestamp == record.timestamp():
                    return record.offset()
        return None
