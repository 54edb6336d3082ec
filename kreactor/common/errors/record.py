# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of records, of producing and of fetching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.errors.api import ApiException, RetriableException

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition


class CorruptRecordException(RetriableException):
    """The bytes of a record are corrupt.

    :origin: common.errors.CorruptRecordException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None) -> None:
        """Without message and cause, the message lists the possible causes.

        :origin: common.errors.CorruptRecordException#CorruptRecordException()
        :origin: common.errors.CorruptRecordException#CorruptRecordException(String)
        :origin: common.errors.CorruptRecordException#CorruptRecordException(Throwable)
        :origin: common.errors.CorruptRecordException#CorruptRecordException(String, Throwable)
        """
        if message is None and cause is None:
            message = ("This message has failed its CRC checksum, exceeds the valid size, has a null key for "
                       "a compacted topic, or is otherwise corrupt.")
        super().__init__(message, cause)


class InvalidTimestampException(ApiException):
    """A record's timestamp is missing or too far from the broker's time.

    :origin: common.errors.InvalidTimestampException
    :origin: common.errors.InvalidTimestampException#InvalidTimestampException(String)
    :origin: common.errors.InvalidTimestampException#InvalidTimestampException(String, Throwable)
    """


class RecordTooLargeException(ApiException):
    """A record is larger than allowed.

    :origin: common.errors.RecordTooLargeException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None,
                 record_too_large_partitions: Mapping[TopicPartition, int] | None = None) -> None:
        """Keep the offset of the record by partition, if known.

        :origin: common.errors.RecordTooLargeException#RecordTooLargeException()
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String, Throwable)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(Throwable)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String, Map<TopicPartition,Long>)
        """  # noqa: E501
        super().__init__(message, cause)
        self._record_too_large_partitions = record_too_large_partitions

    def record_too_large_partitions(self) -> Mapping[TopicPartition, int] | None:
        """Return the offset of the record by partition, or None.

        :origin: common.errors.RecordTooLargeException#recordTooLargePartitions()
        """
        return self._record_too_large_partitions


class RecordBatchTooLargeException(ApiException):
    """A batch is larger than the maximum segment size.

    :origin: common.errors.RecordBatchTooLargeException
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException()
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(String, Throwable)
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(String)
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(Throwable)
    """


class UnsupportedCompressionTypeException(ApiException):
    """The version of the request, or the broker, does not support the compression type.

    :origin: common.errors.UnsupportedCompressionTypeException
    :origin: common.errors.UnsupportedCompressionTypeException#UnsupportedCompressionTypeException(String)
    :origin: common.errors.UnsupportedCompressionTypeException#UnsupportedCompressionTypeException(String, Throwable)
    """  # noqa: E501


class InvalidRequiredAcksException(ApiException):
    """The number of acknowledgements is not -1, 0 or 1.

    :origin: common.errors.InvalidRequiredAcksException
    :origin: common.errors.InvalidRequiredAcksException#InvalidRequiredAcksException(String)
    """


class NotEnoughReplicasException(RetriableException):
    """Fewer replicas are in sync than a write requires; nothing was written.

    :origin: common.errors.NotEnoughReplicasException
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException()
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(String, Throwable)
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(String)
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(Throwable)
    """


class NotEnoughReplicasAfterAppendException(RetriableException):
    """Fewer replicas were in sync after a write than it requires.

    :origin: common.errors.NotEnoughReplicasAfterAppendException
    :origin: common.errors.NotEnoughReplicasAfterAppendException#NotEnoughReplicasAfterAppendException(String)
    """


class InvalidOffsetException(ApiException):
    """An offset is invalid.

    :origin: common.errors.InvalidOffsetException
    :origin: common.errors.InvalidOffsetException#InvalidOffsetException(String)
    :origin: common.errors.InvalidOffsetException#InvalidOffsetException(String, Throwable)
    """


class OffsetOutOfRangeException(InvalidOffsetException):
    """The partition does not have the offset any more, or not yet.

    :origin: common.errors.OffsetOutOfRangeException
    :origin: common.errors.OffsetOutOfRangeException#OffsetOutOfRangeException(String)
    :origin: common.errors.OffsetOutOfRangeException#OffsetOutOfRangeException(String, Throwable)
    """


class OffsetNotAvailableException(RetriableException):
    """A new leader does not know its end offset yet.

    :origin: common.errors.OffsetNotAvailableException
    :origin: common.errors.OffsetNotAvailableException#OffsetNotAvailableException(String)
    """


class PositionOutOfRangeException(ApiException):
    """A position is past the end of the snapshot.

    :origin: common.errors.PositionOutOfRangeException
    :origin: common.errors.PositionOutOfRangeException#PositionOutOfRangeException(String)
    :origin: common.errors.PositionOutOfRangeException#PositionOutOfRangeException(String, Throwable)
    """


class SnapshotNotFoundException(ApiException):
    """The snapshot does not exist.

    :origin: common.errors.SnapshotNotFoundException
    :origin: common.errors.SnapshotNotFoundException#SnapshotNotFoundException(String)
    :origin: common.errors.SnapshotNotFoundException#SnapshotNotFoundException(String, Throwable)
    """


class InvalidFetchSizeException(ApiException):
    """The size of a fetch is invalid.

    :origin: common.errors.InvalidFetchSizeException
    :origin: common.errors.InvalidFetchSizeException#InvalidFetchSizeException(String)
    :origin: common.errors.InvalidFetchSizeException#InvalidFetchSizeException(String, Throwable)
    """


class FetchSessionIdNotFoundException(RetriableException):
    """The broker does not have the fetch session, or not any more.

    :origin: common.errors.FetchSessionIdNotFoundException
    :origin: common.errors.FetchSessionIdNotFoundException#FetchSessionIdNotFoundException()
    :origin: common.errors.FetchSessionIdNotFoundException#FetchSessionIdNotFoundException(String)
    """


class FetchSessionTopicIdException(RetriableException):
    """A fetch session got topic ids after topic names, or topic names after topic ids.

    :origin: common.errors.FetchSessionTopicIdException
    :origin: common.errors.FetchSessionTopicIdException#FetchSessionTopicIdException(String)
    """


class InvalidFetchSessionEpochException(RetriableException):
    """The epoch of a fetch session's request is not the expected one.

    :origin: common.errors.InvalidFetchSessionEpochException
    :origin: common.errors.InvalidFetchSessionEpochException#InvalidFetchSessionEpochException()
    :origin: common.errors.InvalidFetchSessionEpochException#InvalidFetchSessionEpochException(String)
    """
