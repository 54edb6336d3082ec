# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordsUtil of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Converts records to an older format for old clients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record import memory_records
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.converted_records import ConvertedRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.utils import Utils
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
    from kreactor.common.utils.time import Time

# The maximum of records that one step of a down-conversion converts.
MAX_CONVERTED_RECORDS = 2**17
# The first size of the buffer of converted batches, in bytes.
_INITIAL_SIZE = 64 * 1024


class RecordsUtil:
    """Static methods only.

    :origin: common.record.RecordsUtil
    """

    __slots__ = ()

    @staticmethod
    def down_convert(batches: Iterable[RecordBatch], to_magic: int, first_offset: int, time: Time
                     ) -> ConvertedRecords[MemoryRecords]:
        """Return ``batches`` with ``to_magic`` or an older magic. Drops control batches below magic 2.

        An uncompressed batch of magic 2 becomes many of magic 0 or 1. Its records before ``first_offset`` are
        then dropped, because old clients that fetch from this offset expect it first.

        Raises UnsupportedCompressionTypeException for zstandard, which magic 0 and 1 do not support, and for
        a compressed batch of too many records.

        :origin: common.record.RecordsUtil#downConvert(Iterable<?extendsRecordBatch>, byte, long, Time)
        """
        # DEVIATION D485: no record is kept. Each is written once it is read, into a buffer that grows. Kafka
        # keeps the records of all batches, to estimate the size of the buffer.
        start_nanos = time.nanoseconds()
        buffer = ByteBuffer.allocate(_INITIAL_SIZE)
        temporary_memory_bytes = 0
        num_records_converted = 0

        for batch in batches:
            if to_magic < RecordBatch.MAGIC_VALUE_V2:
                if batch.is_control_batch():
                    continue

                if batch.compression_type() is CompressionType.ZSTD:
                    raise UnsupportedCompressionTypeException(
                        "Down-conversion of zstandard-compressed batches is not supported")

                count = batch.count_or_null() or 0
                if count > MAX_CONVERTED_RECORDS and batch.is_compressed():
                    # DEVIATION D486: a network thread converts the records, and 10 us for each hold it.
                    raise UnsupportedCompressionTypeException(
                        f"Down-conversion of a compressed batch of {count} records is not supported: the "
                        f"maximum is {MAX_CONVERTED_RECORDS}")

            # All of it is additional memory, because the broker's batches are in files.
            if batch.magic() <= to_magic:
                temporary_memory_bytes += batch.size_in_bytes()
                buffer = Utils.ensure_capacity(buffer, buffer.position() + batch.size_in_bytes())
                batch.write_to(buffer)
            else:
                builder = RecordsUtil._convert_record_batch(to_magic, buffer, batch, first_offset)
                if builder is None:
                    continue
                temporary_memory_bytes += batch.size_in_bytes() + builder.uncompressed_bytes_written()
                buffer = builder.buffer()
                num_records_converted += builder.num_records()

        buffer.flip()
        stats = RecordValidationStats(temporary_memory_bytes, num_records_converted,
                                      time.nanoseconds() - start_nanos)
        return ConvertedRecords(memory_records.MemoryRecords.readable_records(buffer), stats)

    @staticmethod
    def _convert_record_batch(magic: int, buffer: ByteBuffer, batch: RecordBatch,
                              first_offset: int) -> MemoryRecordsBuilder | None:
        """Write a batch in another format and return the builder. Its buffer may differ from ``buffer``.

        Returns None if all records are dropped.

        :origin: common.record.RecordsUtil#convertRecordBatch(byte, ByteBuffer, RecordBatchAndRecords)
        """
        timestamp_type = batch.timestamp_type()
        log_append_time = (batch.max_timestamp() if timestamp_type is TimestampType.LOG_APPEND_TIME
                           else RecordBatch.NO_TIMESTAMP)

        builder: MemoryRecordsBuilder | None = None
        with batch.streaming_iterator(BufferSupplier.NO_CACHING) as records:
            for record in records:
                if (magic <= RecordBatch.MAGIC_VALUE_V1 and not batch.is_compressed()
                        and record.offset() < first_offset):
                    continue
                if builder is None:
                    if batch.magic() >= RecordBatch.MAGIC_VALUE_V2 and magic >= RecordBatch.MAGIC_VALUE_V2:
                        base_offset = batch.base_offset()
                    else:
                        base_offset = record.offset()
                    builder = memory_records.MemoryRecords.builder(
                        buffer, Compression.of(batch.compression_type()).build(), timestamp_type,
                        base_offset, magic=magic, log_append_time=log_append_time)
                # Records below magic 2 have no headers.
                if magic > RecordBatch.MAGIC_VALUE_V1:
                    builder.append_record(record)
                else:
                    builder.append_with_offset(record.offset(), record.timestamp(), record.key(),
                                               record.value())

        if builder is not None:
            builder.close()
        return builder
