# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogAppendInfo of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The outcome of an append."""

from __future__ import annotations

from kreactor.common.record.record_validation_stats import RecordValidationStats


class LogAppendInfo:
    """The result of an append. ``first_offset`` is -1 for an empty append.

    ``log_append_time`` is -1 if the topic keeps the producer's timestamps. For a duplicate, the offsets and
    the time are those of the stored batch.

    :origin: storage.internals.log.LogAppendInfo
    """

    __slots__ = ("first_offset", "last_offset", "max_timestamp", "log_append_time", "log_start_offset",
                 "duplicate", "valid_bytes", "record_validation_stats")

    def __init__(self, first_offset: int, last_offset: int, max_timestamp: int, log_append_time: int,
                 log_start_offset: int, valid_bytes: int, duplicate: bool = False,
                 record_validation_stats: RecordValidationStats = RecordValidationStats.EMPTY) -> None:
        """:origin: storage.internals.log.LogAppendInfo#LogAppendInfo(long, long, OptionalInt, long, long, long, long, RecordValidationStats, CompressionType, int, long)
        :origin: storage.internals.log.LogAppendInfo#LogAppendInfo(long, long, OptionalInt, long, long, long, long, RecordValidationStats, CompressionType, int, long, List<RecordError>, LeaderHwChange)
        """  # noqa: E501
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.max_timestamp = max_timestamp
        self.log_append_time = log_append_time
        self.log_start_offset = log_start_offset
        self.valid_bytes = valid_bytes
        self.duplicate = duplicate
        self.record_validation_stats = record_validation_stats

    def num_messages(self) -> int:
        """Return the number of appended records, or of the duplicate's records.

        :origin: storage.internals.log.LogAppendInfo#numMessages()
        """
        return self.last_offset - self.first_offset + 1 if self.first_offset >= 0 else 0

    def __repr__(self) -> str:
        """:origin: storage.internals.log.LogAppendInfo#toString()"""
        return (f"LogAppendInfo(first_offset={self.first_offset}, last_offset={self.last_offset}, "
                f"duplicate={self.duplicate})")
