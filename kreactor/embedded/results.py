# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What a log gives back: places in it, the outcome of an append, the outcome of a read.

All immutable, or written by one thread before anybody else sees them.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kreactor.common.errors import ApiException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.records import Records
from kreactor.common.requests.produce_response import ProduceResponse

UNKNOWN_OFFSET = -1


class FetchIsolation(Enum):
    """How far a reader may see.

    Transactions hold back only those who read committed records.
    """

    LOG_END = "log end"
    HIGH_WATERMARK = "high watermark"
    TXN_COMMITTED = "last stable offset"


class LogOffsetMetadata(NamedTuple):
    """An offset, and where it stands: the base offset of its segment and the position in that file."""

    message_offset: int
    segment_base_offset: int
    relative_position_in_segment: int

    def on_older_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether this segment is older than that of ``that``."""
        return self.segment_base_offset < that.segment_base_offset

    def on_same_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether both are in one segment."""
        return self.segment_base_offset == that.segment_base_offset

    def position_diff(self, that: LogOffsetMetadata) -> int:
        """Return the bytes from ``that`` to this; both are in one segment."""
        return self.relative_position_in_segment - that.relative_position_in_segment


class LogOffsetSnapshot(NamedTuple):
    """The offsets of a log that belong together at one moment."""

    log_start_offset: int
    log_end_offset: LogOffsetMetadata
    high_watermark: LogOffsetMetadata
    last_stable_offset: LogOffsetMetadata


class TimestampAndOffset(NamedTuple):
    """An offset that was looked for by time; the time of its record, -1 if none was looked for."""

    timestamp: int
    offset: int
    leader_epoch: int | None


class LogAppendInfo:
    """What became of an append. ``first_offset`` is -1 if there was nothing to append.

    ``log_append_time`` is -1 where the topic keeps the producer's times. For a duplicate the offsets and the
    time are those of the batch that is in the log.
    """

    __slots__ = ("first_offset", "last_offset", "max_timestamp", "log_append_time", "log_start_offset",
                 "duplicate", "valid_bytes", "record_validation_stats")

    def __init__(self, first_offset: int, last_offset: int, max_timestamp: int, log_append_time: int,
                 log_start_offset: int, valid_bytes: int, duplicate: bool = False,
                 record_validation_stats: RecordValidationStats = RecordValidationStats.EMPTY) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.max_timestamp = max_timestamp
        self.log_append_time = log_append_time
        self.log_start_offset = log_start_offset
        self.valid_bytes = valid_bytes
        self.duplicate = duplicate
        self.record_validation_stats = record_validation_stats

    def num_messages(self) -> int:
        """Return the number of records that were appended, or that the duplicate has."""
        return self.last_offset - self.first_offset + 1 if self.first_offset >= 0 else 0

    def __repr__(self) -> str:
        return (f"LogAppendInfo(first_offset={self.first_offset}, last_offset={self.last_offset}, "
                f"duplicate={self.duplicate})")


class FetchDataInfo:
    """What a read found: records that still lie in the file, and the offsets of the log at that moment.

    ``records`` hold their file open for as long as somebody holds them. ``first_entry_incomplete`` says that
    not even the first batch fits. ``aborted_transactions`` are those of which records may be among them; None
    if nobody asked.
    """

    __slots__ = ("fetch_offset_metadata", "records", "first_entry_incomplete", "log_start_offset",
                 "high_watermark", "last_stable_offset", "log_end_offset", "aborted_transactions")

    def __init__(self, fetch_offset_metadata: LogOffsetMetadata, records: Records,
                 first_entry_incomplete: bool, log_start_offset: int, last_stable_offset: int,
                 log_end_offset: int,
                 aborted_transactions: list[FetchResponseData.AbortedTransaction] | None = None,
                 high_watermark: int | None = None) -> None:
        """Without a ``high_watermark`` it is the end of the log."""
        self.fetch_offset_metadata = fetch_offset_metadata
        self.records = records
        self.first_entry_incomplete = first_entry_incomplete
        self.log_start_offset = log_start_offset
        self.high_watermark = log_end_offset if high_watermark is None else high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_end_offset = log_end_offset
        self.aborted_transactions = aborted_transactions


class RecordValidationException(KafkaException):
    """Records were refused: ``invalid_exception`` is the answer, ``record_errors`` say which and why.

    Kafka's is a RuntimeException around the ApiException; so is this, and not the ApiException itself.
    """

    def __init__(self, invalid_exception: ApiException,
                 record_errors: list[ProduceResponse.RecordError]) -> None:
        super().__init__(cause=invalid_exception)
        self.invalid_exception = invalid_exception
        self.record_errors = record_errors
