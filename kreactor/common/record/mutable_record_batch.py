# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MutableRecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch that a broker stamps where it lies, before it appends it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.record.record_batch import RecordBatch

if TYPE_CHECKING:
    from kreactor.common.record.record import Record
    from kreactor.common.record.timestamp_type import TimestampType
    from kreactor.common.utils.buffer_supplier import BufferSupplier
    from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
    from kreactor.common.utils.closeable_iterator import CloseableIterator


class MutableRecordBatch(RecordBatch):
    """Changes go to the memory that the batch lies in. Used by one thread while it changes.

    :origin: common.record.MutableRecordBatch
    """

    __slots__ = ()

    @abstractmethod
    def set_last_offset(self, offset: int) -> None:
        """Move all offsets so that ``offset`` is the last. No checksum covers them.

        :origin: common.record.MutableRecordBatch#setLastOffset(long)
        """

    @abstractmethod
    def set_max_timestamp(self, timestamp_type: TimestampType, max_timestamp: int) -> None:
        """Set type and latest time, in milliseconds, and the checksum with them.

        The records stay as they are; with LOG_APPEND_TIME their own times count no more.

        :origin: common.record.MutableRecordBatch#setMaxTimestamp(TimestampType, long)
        """

    @abstractmethod
    def set_partition_leader_epoch(self, epoch: int) -> None:
        """Set the leader's epoch. No checksum covers it.

        :origin: common.record.MutableRecordBatch#setPartitionLeaderEpoch(int)
        """

    @abstractmethod
    def write_to_output_stream(self, output_stream: ByteBufferOutputStream) -> None:
        """Copy the batch to ``output_stream``.

        :origin: common.record.MutableRecordBatch#writeTo(ByteBufferOutputStream)
        """

    @abstractmethod
    def skip_key_value_iterator(self, buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return the records, where they are compressed without key, value and headers.

        The caller closes it. Raises as ``streaming_iterator``.

        :origin: common.record.MutableRecordBatch#skipKeyValueIterator(BufferSupplier)
        """
