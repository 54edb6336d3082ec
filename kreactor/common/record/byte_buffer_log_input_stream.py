# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.ByteBufferLogInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Reads the batches of a buffer as views of that buffer."""

from __future__ import annotations

import struct

from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.log_input_stream import LogInputStream
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

_LOG_OVERHEAD = Records.LOG_OVERHEAD
_SIZE_OFFSET = Records.SIZE_OFFSET
_MAGIC_OFFSET = Records.MAGIC_OFFSET
_HEADER_SIZE_UP_TO_MAGIC = Records.HEADER_SIZE_UP_TO_MAGIC
_RECORD_OVERHEAD_V0 = LegacyRecord.RECORD_OVERHEAD_V0
_MAGIC_VALUE_V1 = RecordBatch.MAGIC_VALUE_V1
_CURRENT_MAGIC_VALUE = RecordBatch.CURRENT_MAGIC_VALUE

_INT = struct.Struct(">i")
_INT_MAX_VALUE = 2**31 - 1


class ByteBufferLogInputStream(LogInputStream[MutableRecordBatch]):
    """Moves the position of the buffer from batch to batch. Used by one thread.

    :origin: common.record.ByteBufferLogInputStream
    """

    __slots__ = ("_buffer", "_max_message_size")

    def __init__(self, buffer: ByteBuffer, max_message_size: int) -> None:
        """Read ``buffer``. ``max_message_size`` limits a batch in bytes, without the log overhead.

        :origin: common.record.ByteBufferLogInputStream#ByteBufferLogInputStream(ByteBuffer, int)
        """
        self._buffer = buffer
        self._max_message_size = max_message_size

    def next_batch(self) -> MutableRecordBatch | None:
        """Return the next batch or None.

        Raises CorruptRecordException, or IllegalArgumentException for int overflow.

        :origin: common.record.ByteBufferLogInputStream#nextBatch()
        """
        batch_size = self.next_batch_size()
        buffer = self._buffer
        position = buffer._position
        if batch_size is None or buffer._limit - position < batch_size:
            if batch_size is not None and batch_size > _INT_MAX_VALUE:
                # Java's int sum overflows to a negative number here. Java then fails to slice the buffer.
                raise IllegalArgumentException(f"newLimit < 0: ({batch_size - 2**32} < 0)")
            return None

        memory = buffer._memory
        magic = memory[position + _MAGIC_OFFSET]
        end = position + batch_size
        batch_slice = ByteBuffer(memory[position:end], 0, batch_size)
        buffer._position = end

        if magic > _MAGIC_VALUE_V1:
            return DefaultRecordBatch(batch_slice)
        else:
            return AbstractLegacyRecordBatch.ByteBufferLegacyRecordBatch(batch_slice)

    def next_batch_size(self) -> int | None:
        """Return the size of the next batch with log overhead, or None if the buffer ends before its magic.

        Raises CorruptRecordException for an invalid size or magic.

        :origin: common.record.ByteBufferLogInputStream#nextBatchSize()
        """
        buffer = self._buffer
        position = buffer._position
        remaining = buffer._limit - position
        if remaining < _LOG_OVERHEAD:
            return None
        record_size: int = _INT.unpack_from(buffer._memory, position + _SIZE_OFFSET)[0]
        # The minimum of all versions. Each version's own minimum is checked later.
        if record_size < _RECORD_OVERHEAD_V0:
            raise CorruptRecordException(f"Record size {record_size} is less than the minimum record "
                                         f"overhead ({_RECORD_OVERHEAD_V0})")
        if record_size > self._max_message_size:
            raise CorruptRecordException(f"Record size {record_size} exceeds the largest allowable message "
                                         f"size ({self._max_message_size}).")

        if remaining < _HEADER_SIZE_UP_TO_MAGIC:
            return None

        magic = buffer._memory[position + _MAGIC_OFFSET]
        if magic > _CURRENT_MAGIC_VALUE:
            raise CorruptRecordException(
                f"Invalid magic found in record: {magic - 256 if magic > 127 else magic}")

        return record_size + _LOG_OVERHEAD
