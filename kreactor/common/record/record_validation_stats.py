# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordValidationStats of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cost of validating or converting records, for the metrics of the request."""

from __future__ import annotations

from typing import ClassVar


class RecordValidationStats:
    """Sums of the partitions of a request. Used by one thread.

    :origin: common.record.RecordValidationStats
    """

    __slots__ = ("_temporary_memory_bytes", "_num_records_converted", "_conversion_time_nanos")

    EMPTY: ClassVar[RecordValidationStats]

    def __init__(self, temporary_memory_bytes: int = 0, num_records_converted: int = 0,
                 conversion_time_nanos: int = 0) -> None:
        """Start with the given values.

        :origin: common.record.RecordValidationStats#RecordValidationStats(long, int, long)
        :origin: common.record.RecordValidationStats#RecordValidationStats()
        """
        self._temporary_memory_bytes = temporary_memory_bytes
        self._num_records_converted = num_records_converted
        self._conversion_time_nanos = conversion_time_nanos

    def add(self, stats: RecordValidationStats) -> None:
        """Add the values of ``stats``.

        :origin: common.record.RecordValidationStats#add(RecordValidationStats)
        """
        self._temporary_memory_bytes += stats._temporary_memory_bytes
        self._num_records_converted += stats._num_records_converted
        self._conversion_time_nanos += stats._conversion_time_nanos

    def temporary_memory_bytes(self) -> int:
        """Return the bytes of memory for decompressed and converted records, besides the request's own.

        :origin: common.record.RecordValidationStats#temporaryMemoryBytes()
        """
        return self._temporary_memory_bytes

    def num_records_converted(self) -> int:
        """Return the number of records converted to another format.

        :origin: common.record.RecordValidationStats#numRecordsConverted()
        """
        return self._num_records_converted

    def conversion_time_nanos(self) -> int:
        """Return the time of the conversion in nanoseconds.

        :origin: common.record.RecordValidationStats#conversionTimeNanos()
        """
        return self._conversion_time_nanos

    def __str__(self) -> str:
        """:origin: common.record.RecordValidationStats#toString()"""
        return (f"RecordValidationStats(temporaryMemoryBytes={self._temporary_memory_bytes}, "
                f"numRecordsConverted={self._num_records_converted}, "
                f"conversionTimeNanos={self._conversion_time_nanos})")


RecordValidationStats.EMPTY = RecordValidationStats()
