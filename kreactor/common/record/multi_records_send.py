# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.MultiRecordsSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A sequence of sends: the parts of a fetch response from memory and from files."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.lazy_down_conversion_records_send import LazyDownConversionRecordsSend
from kreactor.common.utils.log_context import LogContext

if TYPE_CHECKING:
    from kreactor.common.record.record_validation_stats import RecordValidationStats
    from kreactor.common.topic_partition import TopicPartition

log = LogContext().logger(f"{__name__}.MultiRecordsSend")


class MultiRecordsSend(Send):
    """Writes the sends in order and drops each completed one. Used by one network thread.

    :origin: common.record.MultiRecordsSend
    """

    __slots__ = ("_send_queue", "_size", "_record_conversion_stats", "_total_written", "_current")

    def __init__(self, sends: deque[Send], size: int | None = None) -> None:
        """Own ``sends`` and empty it. ``size`` is the total size in bytes; the default is the sum.

        :origin: common.record.MultiRecordsSend#MultiRecordsSend(Queue<Send>)
        :origin: common.record.MultiRecordsSend#MultiRecordsSend(Queue<Send>, long)
        """
        self._send_queue = sends
        if size is None:
            size = 0
            for send in sends:
                size += send.size()
        self._size = size
        self._record_conversion_stats: dict[TopicPartition, RecordValidationStats] | None = None
        self._total_written = 0
        self._current = sends.popleft() if sends else None

    def size(self) -> int:
        """:origin: common.record.MultiRecordsSend#size()"""
        return self._size

    def completed(self) -> bool:
        """:origin: common.record.MultiRecordsSend#completed()"""
        return self._current is None

    def num_resident_sends(self) -> int:
        """Return the number of remaining sends. Only tests call this.

        :origin: common.record.MultiRecordsSend#numResidentSends()
        """
        count = 0
        if self._current is not None:
            count += 1
        count += len(self._send_queue)
        return count

    def write_to(self, channel: TransferableChannel) -> int:
        """Write to ``channel``. Raises KafkaException if all is sent, or OSError.

        :origin: common.record.MultiRecordsSend#writeTo(TransferableChannel)
        """
        current = self._current
        if current is None:
            raise KafkaException("This operation cannot be invoked on a complete request.")

        total_written_per_call = 0
        while current is not None:
            total_written_per_call += current.write_to(channel)
            if not current.completed():
                break
            self._update_record_conversion_stats(current)
            self._current = current = self._send_queue.popleft() if self._send_queue else None

        self._total_written += total_written_per_call

        if self._current is None and self._total_written != self._size:
            log.error("The number of sent bytes is wrong: expected %d, sent %d", self._size,
                      self._total_written)

        if log.is_trace_enabled():
            log.trace("Sent %d bytes in this call, %d so far, of %d", total_written_per_call,
                      self._total_written, self._size)

        return total_written_per_call

    def record_conversion_stats(self) -> dict[TopicPartition, RecordValidationStats] | None:
        """Return the conversion statistics by partition, or None without conversion.

        :origin: common.record.MultiRecordsSend#recordConversionStats()
        """
        return self._record_conversion_stats

    def __str__(self) -> str:
        """:origin: common.record.MultiRecordsSend#toString()"""
        return f"MultiRecordsSend(size={self._size}, totalWritten={self._total_written})"

    def _update_record_conversion_stats(self, completed_send: Send) -> None:
        """Keep the statistics of a completed send that converted records.

        :origin: common.record.MultiRecordsSend#updateRecordConversionStats(Send)
        """
        if type(completed_send) is LazyDownConversionRecordsSend:
            if self._record_conversion_stats is None:
                self._record_conversion_stats = {}
            self._record_conversion_stats[completed_send.topic_partition()] = (
                completed_send.record_conversion_stats())
