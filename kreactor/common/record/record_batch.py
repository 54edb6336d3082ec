# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The fields of every batch, whatever its format. An uncompressed batch of magic 0 or 1 is one record."""

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

    # The format that is written today.
    CURRENT_MAGIC_VALUE = MAGIC_VALUE_V2

    NO_TIMESTAMP = -1

    # Of a producer that is not idempotent, and of what was converted from magic 0 or 1.
    NO_PRODUCER_ID = -1
    NO_PRODUCER_EPOCH = -1
    NO_SEQUENCE = -1

    # Of a batch that no leader has appended yet.
    NO_PARTITION_LEADER_EPOCH = -1

    @abstractmethod
    def is_valid(self) -> bool:
        """Return whether the checksum is right.

        :origin: common.record.RecordBatch#isValid()
        """

    @abstractmethod
    def ensure_valid(self) -> None:
        """Raises CorruptRecordException if the checksum is wrong.

        :origin: common.record.RecordBatch#ensureValid()
        """

    @abstractmethod
    def checksum(self) -> int:
        """Return the checksum that the batch carries, as an unsigned number.

        :origin: common.record.RecordBatch#checksum()
        """

    @abstractmethod
    def max_timestamp(self) -> int:
        """Return the latest time of its records in milliseconds, or that of its append.

        :origin: common.record.RecordBatch#maxTimestamp()
        """

    @abstractmethod
    def timestamp_type(self) -> TimestampType:
        """Return whose times these are; NO_TIMESTAMP_TYPE for magic 0.

        :origin: common.record.RecordBatch#timestampType()
        """

    @abstractmethod
    def base_offset(self) -> int:
        """Return the first offset; from magic 2 on that of the batch as it was before compaction.

        Below magic 2 a compressed batch is decompressed for it: ask for ``last_offset`` where that will do.

        :origin: common.record.RecordBatch#baseOffset()
        """

    @abstractmethod
    def last_offset(self) -> int:
        """Return the last offset, before compaction as after. Cheap in every format.

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
        """Return the id of the producer, -1 if it has none.

        :origin: common.record.RecordBatch#producerId()
        """

    @abstractmethod
    def producer_epoch(self) -> int:
        """Return the epoch of the producer, -1 if it has none.

        :origin: common.record.RecordBatch#producerEpoch()
        """

    @abstractmethod
    def has_producer_id(self) -> bool:
        """Return whether the producer has an id.

        :origin: common.record.RecordBatch#hasProducerId()
        """

    @abstractmethod
    def base_sequence(self) -> int:
        """Return the sequence number of the first record, before compaction as after, -1 if there is none.

        :origin: common.record.RecordBatch#baseSequence()
        """

    @abstractmethod
    def last_sequence(self) -> int:
        """Return the sequence number of the last record, before compaction as after, -1 if there is none.

        :origin: common.record.RecordBatch#lastSequence()
        """

    @abstractmethod
    def compression_type(self) -> CompressionType:
        """Return the codec. Raises IllegalArgumentException if the number in the attributes is no codec's.

        :origin: common.record.RecordBatch#compressionType()
        """

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Return the size in bytes, header included, as the batch itself says.

        :origin: common.record.RecordBatch#sizeInBytes()
        """

    @abstractmethod
    def count_or_null(self) -> int | None:
        """Return the number of records; None below magic 2, where they would have to be counted.

        :origin: common.record.RecordBatch#countOrNull()
        """

    @abstractmethod
    def is_compressed(self) -> bool:
        """Return whether the records are compressed.

        :origin: common.record.RecordBatch#isCompressed()
        """

    @abstractmethod
    def write_to(self, buffer: ByteBuffer) -> None:
        """Copy the batch to the position of ``buffer``, and move that.

        :origin: common.record.RecordBatch#writeTo(ByteBuffer)
        """

    @abstractmethod
    def is_transactional(self) -> bool:
        """Return whether the batch is part of a transaction.

        :origin: common.record.RecordBatch#isTransactional()
        """

    @abstractmethod
    def delete_horizon_ms(self) -> int | None:
        """Return when compaction may drop its tombstones and markers, in milliseconds, or None.

        :origin: common.record.RecordBatch#deleteHorizonMs()
        """

    @abstractmethod
    def partition_leader_epoch(self) -> int:
        """Return the epoch of the leader that appended it, -1 if that is not known.

        :origin: common.record.RecordBatch#partitionLeaderEpoch()
        """

    @abstractmethod
    def streaming_iterator(self, decompression_buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return the records, decompressed as they are asked for; below magic 2 all at once.

        The caller closes it. Raises KafkaException or InvalidRecordException, now or on the way.

        :origin: common.record.RecordBatch#streamingIterator(BufferSupplier)
        """

    @abstractmethod
    def is_control_batch(self) -> bool:
        """Return whether the records are Kafka's own, such as the end of a transaction.

        :origin: common.record.RecordBatch#isControlBatch()
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Record]:
        """Return the records, decompressed here and now. Raises KafkaException or InvalidRecordException."""

    def offset_of_max_timestamp(self) -> int | None:
        """Return the offset of the first record of the latest time, reading the records; None for magic 0.

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
