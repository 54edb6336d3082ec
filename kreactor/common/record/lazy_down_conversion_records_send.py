# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.LazyDownConversionRecordsSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The send of records that are converted while they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record import memory_records
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.default_records_send import DefaultRecordsSend
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.records import Records
from kreactor.common.record.records_send import RecordsSend
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.topic_partition import TopicPartition

log = LogContext().logger(f"{__name__}.LazyDownConversionRecordsSend")

_MAX_READ_SIZE = 128 * 1024


class LazyDownConversionRecordsSend(RecordsSend["LazyDownConversionRecords"]):
    """Converts the next part after the previous one is sent. Used by one network thread, which converts.

    :origin: common.record.LazyDownConversionRecordsSend
    """

    __slots__ = ("_record_validation_stats", "_converted_records_iterator", "_converted_records_writer")

    MIN_OVERFLOW_MESSAGE_LENGTH = Records.LOG_OVERHEAD

    def __init__(self, records: LazyDownConversionRecords) -> None:
        """:origin: common.record.LazyDownConversionRecordsSend#LazyDownConversionRecordsSend(LazyDownConversionRecords)"""  # noqa: E501
        super().__init__(records, records.size_in_bytes())
        self._converted_records_writer: DefaultRecordsSend[Records] | None = None
        self._record_validation_stats = RecordValidationStats()
        self._converted_records_iterator = self.records().iterator(_MAX_READ_SIZE)

    def _build_overflow_batch(self, remaining: int) -> MemoryRecords:
        """Return the beginning of a batch longer than ``remaining``. A client ignores that batch.

        :origin: common.record.LazyDownConversionRecordsSend#buildOverflowBatch(int)
        """
        overflow_message_batch = ByteBuffer.allocate(
            max(self.MIN_OVERFLOW_MESSAGE_LENGTH, min(remaining + 1, _MAX_READ_SIZE)))
        overflow_message_batch.put_long(-1)
        # The client requires that a batch is not shorter than its header.
        overflow_message_batch.put_int(max(remaining + 1, DefaultRecordBatch.RECORD_BATCH_OVERHEAD))
        log.debug("Filled the response for %s with a partial batch of length %d", self.topic_partition(),
                  remaining)
        return memory_records.MemoryRecords.readable_records(overflow_message_batch)

    def write_to_position(self, channel: TransferableChannel, previously_written: int, remaining: int) -> int:
        """:origin: common.record.LazyDownConversionRecordsSend#writeTo(TransferableChannel, int, int)"""
        writer = self._converted_records_writer
        if writer is None or writer.completed():
            converted_records: Records
            try:
                records_and_stats = next(self._converted_records_iterator, None)
                if records_and_stats is not None:
                    converted_records = records_and_stats.records()
                    self._record_validation_stats.add(records_and_stats.record_conversion_stats())
                    log.debug("Converted records of %s, %d bytes", self.topic_partition(),
                              converted_records.size_in_bytes())
                else:
                    converted_records = self._build_overflow_batch(remaining)
            except UnsupportedCompressionTypeException:
                # The size is already sent. The client reads the previous batches, then fetches from this
                # batch and gets the error.
                converted_records = self._build_overflow_batch(remaining)

            self._converted_records_writer = writer = DefaultRecordsSend(
                converted_records, min(converted_records.size_in_bytes(), remaining))
        return writer.write_to(channel)

    def record_conversion_stats(self) -> RecordValidationStats:
        """Return the statistics of the conversion so far.

        :origin: common.record.LazyDownConversionRecordsSend#recordConversionStats()
        """
        return self._record_validation_stats

    def topic_partition(self) -> TopicPartition:
        """Return the partition of the records.

        :origin: common.record.LazyDownConversionRecordsSend#topicPartition()
        """
        return self.records().topic_partition()
