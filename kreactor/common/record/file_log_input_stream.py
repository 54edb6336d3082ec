# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.FileLogInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Reads the headers of the batches of a file."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.abstract_legacy_record_batch import AbstractLegacyRecordBatch
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.file_channel_record_batch import FileChannelRecordBatch as _FileChannelRecordBatch
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.log_input_stream import LogInputStream
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.utils.utils import Utils
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.file_records import FileRecords

_LOG_OVERHEAD = Records.LOG_OVERHEAD
_HEADER_SIZE_UP_TO_MAGIC = Records.HEADER_SIZE_UP_TO_MAGIC
_RECORD_BATCH_OVERHEAD = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
_RECORD_OVERHEAD_V0 = LegacyRecord.RECORD_OVERHEAD_V0
_MAGIC_VALUE_V2 = RecordBatch.MAGIC_VALUE_V2

# Offset, size, four bytes whose meaning depends on the version, magic.
_LOG_HEADER = struct.Struct(">qi4xb")


class FileLogInputStream(LogInputStream[_FileChannelRecordBatch]):
    """Iterates over batch headers. Used by one thread.

    :origin: common.record.FileLogInputStream
    """

    __slots__ = ("_position", "_end", "_file_records", "_log_header_buffer")

    # The module of FileChannelRecordBatch explains why that class is not nested here.
    FileChannelRecordBatch = _FileChannelRecordBatch

    def __init__(self, records: FileRecords, start: int, end: int) -> None:
        """Read from position ``start`` of the file, and not past ``end``.

        :origin: common.record.FileLogInputStream#FileLogInputStream(FileRecords, int, int)
        """
        self._file_records = records
        self._position = start
        self._end = end
        self._log_header_buffer = ByteBuffer.allocate(_HEADER_SIZE_UP_TO_MAGIC)

    def next_batch(self) -> _FileChannelRecordBatch | None:
        """Return the next batch or None. Raises CorruptRecordException or OSError.

        :origin: common.record.FileLogInputStream#nextBatch()
        """
        position = self._position
        if position >= self._end - _HEADER_SIZE_UP_TO_MAGIC:
            return None

        log_header_buffer = self._log_header_buffer
        log_header_buffer.rewind()
        Utils.read_fully_or_fail(self._file_records.channel(), log_header_buffer, position, "log header")

        offset, size, magic = _LOG_HEADER.unpack_from(log_header_buffer._memory)

        # The minimum of all versions. Each version's own minimum is checked later.
        if size < _RECORD_OVERHEAD_V0:
            raise CorruptRecordException(
                f"Found record size {size} smaller than minimum record overhead ({_RECORD_OVERHEAD_V0}) in "
                f"file {self._file_records.file()}.")

        if position > self._end - _LOG_OVERHEAD - size:
            return None

        batch: _FileChannelRecordBatch
        if magic < _MAGIC_VALUE_V2:
            batch = AbstractLegacyRecordBatch.LegacyFileChannelRecordBatch(
                offset, magic, self._file_records, position, size)
        else:
            batch = DefaultRecordBatch.DefaultFileChannelRecordBatch(
                offset, magic, self._file_records, position, size)
        self._position = position + batch.size_in_bytes()
        return batch
