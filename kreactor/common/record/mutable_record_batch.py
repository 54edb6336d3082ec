# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MutableRecordBatch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch that a broker changes in place before the append."""

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
    """Setters write to the batch's memory. While one thread changes the batch, no other uses it.

    :origin: common.record.MutableRecordBatch
    """

    __slots__ = ()

    @abstractmethod
    def set_last_offset(self, offset: int) -> None:
        """Shift all offsets so that ``offset`` is the last. The checksum does not cover offsets.

        :origin: common.record.MutableRecordBatch#setLastOffset(long)
        """

    @abstractmethod
    def set_max_timestamp(self, timestamp_type: TimestampType, max_timestamp: int) -> None:
        """Set the timestamp type and the latest timestamp in milliseconds, and update the checksum.

        The records do not change. With LOG_APPEND_TIME, readers ignore the records' own timestamps.

        :origin: common.record.MutableRecordBatch#setMaxTimestamp(TimestampType, long)
        """

    @abstractmethod
    def set_partition_leader_epoch(self, epoch: int) -> None:
        """Set the leader epoch. The checksum does not cover it.

        :origin: common.record.MutableRecordBatch#setPartitionLeaderEpoch(int)
        """

    @abstractmethod
    def write_to_output_stream(self, output_stream: ByteBufferOutputStream) -> None:
        """Copy the batch to ``output_stream``.

        :origin: common.record.MutableRecordBatch#writeTo(ByteBufferOutputStream)
        """

    @abstractmethod
    def skip_key_value_iterator(self, buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """Return the records. Compressed records come without key, value and headers.

        The caller closes the iterator. Raises as ``streaming_iterator``.

        :origin: common.record.MutableRecordBatch#skipKeyValueIterator(BufferSupplier)
        """
