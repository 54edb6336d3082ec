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
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.converted_records import ConvertedRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.utils import Utils
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
    from kreactor.common.record.record import Record
    from kreactor.common.utils.time import Time


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

        Raises UnsupportedCompressionTypeException for zstandard, which magic 0 and 1 do not support.

        :origin: common.record.RecordsUtil#downConvert(Iterable<?extendsRecordBatch>, byte, long, Time)
        """
        # The records are kept in a list, so that each batch is decompressed once.
        record_batch_and_records_list: list[RecordsUtil._RecordBatchAndRecords] = []
        total_size_estimate = 0
        start_nanos = time.nanoseconds()

        for batch in batches:
            if to_magic < RecordBatch.MAGIC_VALUE_V2:
                if batch.is_control_batch():
                    continue

                if batch.compression_type() is CompressionType.ZSTD:
                    raise UnsupportedCompressionTypeException(
                        "Down-conversion of zstandard-compressed batches is not supported")

            if batch.magic() <= to_magic:
                total_size_estimate += batch.size_in_bytes()
                record_batch_and_records_list.append(RecordsUtil._RecordBatchAndRecords(batch, [], -1))
            else:
                records = []
                for record in batch:
                    if (to_magic > RecordBatch.MAGIC_VALUE_V1 or batch.is_compressed()
                            or record.offset() >= first_offset):
                        records.append(record)
                if not records:
                    continue
                if batch.magic() >= RecordBatch.MAGIC_VALUE_V2 and to_magic >= RecordBatch.MAGIC_VALUE_V2:
                    base_offset = batch.base_offset()
                else:
                    base_offset = records[0].offset()
                total_size_estimate += AbstractRecords.estimate_size_in_bytes_from(
                    to_magic, base_offset, batch.compression_type(), records)
                record_batch_and_records_list.append(
                    RecordsUtil._RecordBatchAndRecords(batch, records, base_offset))

        buffer = ByteBuffer.allocate(total_size_estimate)
        temporary_memory_bytes = 0
        num_records_converted = 0

        for record_batch_and_records in record_batch_and_records_list:
            # All of it is additional memory, because the broker's batches are in files.
            temporary_memory_bytes += record_batch_and_records._batch.size_in_bytes()
            if record_batch_and_records._batch.magic() <= to_magic:
                buffer = Utils.ensure_capacity(
                    buffer, buffer.position() + record_batch_and_records._batch.size_in_bytes())
                record_batch_and_records._batch.write_to(buffer)
            else:
                builder = RecordsUtil._convert_record_batch(to_magic, buffer, record_batch_and_records)
                buffer = builder.buffer()
                temporary_memory_bytes += builder.uncompressed_bytes_written()
                num_records_converted += builder.num_records()

        buffer.flip()
        stats = RecordValidationStats(temporary_memory_bytes, num_records_converted,
                                      time.nanoseconds() - start_nanos)
        return ConvertedRecords(memory_records.MemoryRecords.readable_records(buffer), stats)

    @staticmethod
    def _convert_record_batch(magic: int, buffer: ByteBuffer,
                              record_batch_and_records: RecordsUtil._RecordBatchAndRecords
                              ) -> MemoryRecordsBuilder:
        """Write a batch in another format and return the builder. Its buffer may differ from ``buffer``.

        :origin: common.record.RecordsUtil#convertRecordBatch(byte, ByteBuffer, RecordBatchAndRecords)
        """
        batch = record_batch_and_records._batch
        timestamp_type = batch.timestamp_type()
        log_append_time = (batch.max_timestamp() if timestamp_type is TimestampType.LOG_APPEND_TIME
                           else RecordBatch.NO_TIMESTAMP)

        builder = memory_records.MemoryRecords.builder(
            buffer, Compression.of(batch.compression_type()).build(), timestamp_type,
            record_batch_and_records._base_offset, magic=magic, log_append_time=log_append_time)
        for record in record_batch_and_records._records:
            # Records below magic 2 have no headers.
            if magic > RecordBatch.MAGIC_VALUE_V1:
                builder.append_record(record)
            else:
                builder.append_with_offset(record.offset(), record.timestamp(), record.key(), record.value())

        builder.close()
        return builder

    class _RecordBatchAndRecords:
        """A batch and its records to convert.

        :origin: common.record.RecordsUtil.RecordBatchAndRecords
        """

        __slots__ = ("_batch", "_records", "_base_offset")

        def __init__(self, batch: RecordBatch, records: list[Record], base_offset: int) -> None:
            """:origin: common.record.RecordsUtil.RecordBatchAndRecords#RecordBatchAndRecords(RecordBatch, List<Record>, Long)"""  # noqa: E501
            self._batch = batch
            self._records = records
            self._base_offset = base_offset
