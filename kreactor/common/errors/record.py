# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records: producing, fetching, and what may be wrong with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.errors.api import ApiException, RetriableException

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition


class CorruptRecordException(RetriableException):
    """Bytes that are not the record they should be.

    :origin: common.errors.CorruptRecordException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None) -> None:
        """With neither, the message names all that it can mean.

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
    """A record's time is too far from the broker's, or is missing.

    :origin: common.errors.InvalidTimestampException
    :origin: common.errors.InvalidTimestampException#InvalidTimestampException(String)
    :origin: common.errors.InvalidTimestampException#InvalidTimestampException(String, Throwable)
    """


class RecordTooLargeException(ApiException):
    """A record is larger than it may be.

    :origin: common.errors.RecordTooLargeException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None,
                 record_too_large_partitions: Mapping[TopicPartition, int] | None = None) -> None:
        """Take the offset of the record per partition, where it is known.

        :origin: common.errors.RecordTooLargeException#RecordTooLargeException()
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String, Throwable)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(Throwable)
        :origin: common.errors.RecordTooLargeException#RecordTooLargeException(String, Map<TopicPartition,Long>)
        """  # noqa: E501
        super().__init__(message, cause)
        self._record_too_large_partitions = record_too_large_partitions

    def record_too_large_partitions(self) -> Mapping[TopicPartition, int] | None:
        """Return the offset of the record per partition, or None.

        :origin: common.errors.RecordTooLargeException#recordTooLargePartitions()
        """
        return self._record_too_large_partitions


class RecordBatchTooLargeException(ApiException):
    """A batch is larger than a segment may be.

    :origin: common.errors.RecordBatchTooLargeException
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException()
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(String, Throwable)
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(String)
    :origin: common.errors.RecordBatchTooLargeException#RecordBatchTooLargeException(Throwable)
    """


class UnsupportedCompressionTypeException(ApiException):
    """A compression that the version of the request or the broker does not know.

    :origin: common.errors.UnsupportedCompressionTypeException
    :origin: common.errors.UnsupportedCompressionTypeException#UnsupportedCompressionTypeException(String)
    :origin: common.errors.UnsupportedCompressionTypeException#UnsupportedCompressionTypeException(String, Throwable)
    """  # noqa: E501


class InvalidRequiredAcksException(ApiException):
    """A number of acknowledgements other than -1, 0 and 1.

    :origin: common.errors.InvalidRequiredAcksException
    :origin: common.errors.InvalidRequiredAcksException#InvalidRequiredAcksException(String)
    """


class NotEnoughReplicasException(RetriableException):
    """Fewer replicas are in sync than a write needs; nothing was written.

    :origin: common.errors.NotEnoughReplicasException
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException()
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(String, Throwable)
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(String)
    :origin: common.errors.NotEnoughReplicasException#NotEnoughReplicasException(Throwable)
    """


class NotEnoughReplicasAfterAppendException(RetriableException):
    """Fewer replicas than a write needs were in sync once it was written.

    :origin: common.errors.NotEnoughReplicasAfterAppendException
    :origin: common.errors.NotEnoughReplicasAfterAppendException#NotEnoughReplicasAfterAppendException(String)
    """


class InvalidOffsetException(ApiException):
    """An offset that cannot be.

    :origin: common.errors.InvalidOffsetException
    :origin: common.errors.InvalidOffsetException#InvalidOffsetException(String)
    :origin: common.errors.InvalidOffsetException#InvalidOffsetException(String, Throwable)
    """


class OffsetOutOfRangeException(InvalidOffsetException):
    """An offset that the partition does not have, any more or yet.

    :origin: common.errors.OffsetOutOfRangeException
    :origin: common.errors.OffsetOutOfRangeException#OffsetOutOfRangeException(String)
    :origin: common.errors.OffsetOutOfRangeException#OffsetOutOfRangeException(String, Throwable)
    """


class OffsetNotAvailableException(RetriableException):
    """A new leader does not know its end yet.

    :origin: common.errors.OffsetNotAvailableException
    :origin: common.errors.OffsetNotAvailableException#OffsetNotAvailableException(String)
    """


class PositionOutOfRangeException(ApiException):
    """A position in a snapshot past its end.

    :origin: common.errors.PositionOutOfRangeException
    :origin: common.errors.PositionOutOfRangeException#PositionOutOfRangeException(String)
    :origin: common.errors.PositionOutOfRangeException#PositionOutOfRangeException(String, Throwable)
    """


class SnapshotNotFoundException(ApiException):
    """There is no such snapshot.

    :origin: common.errors.SnapshotNotFoundException
    :origin: common.errors.SnapshotNotFoundException#SnapshotNotFoundException(String)
    :origin: common.errors.SnapshotNotFoundException#SnapshotNotFoundException(String, Throwable)
    """


class InvalidFetchSizeException(ApiException):
    """A fetch of a size that cannot be.

    :origin: common.errors.InvalidFetchSizeException
    :origin: common.errors.InvalidFetchSizeException#InvalidFetchSizeException(String)
    :origin: common.errors.InvalidFetchSizeException#InvalidFetchSizeException(String, Throwable)
    """


class FetchSessionIdNotFoundException(RetriableException):
    """There is no such fetch session here, any more.

    :origin: common.errors.FetchSessionIdNotFoundException
    :origin: common.errors.FetchSessionIdNotFoundException#FetchSessionIdNotFoundException()
    :origin: common.errors.FetchSessionIdNotFoundException#FetchSessionIdNotFoundException(String)
    """


class FetchSessionTopicIdException(RetriableException):
    """A fetch session got topic ids after names, or names after ids.

    :origin: common.errors.FetchSessionTopicIdException
    :origin: common.errors.FetchSessionTopicIdException#FetchSessionTopicIdException(String)
    """


class InvalidFetchSessionEpochException(RetriableException):
    """A fetch session's request came out of turn.

    :origin: common.errors.InvalidFetchSessionEpochException
    :origin: common.errors.InvalidFetchSessionEpochException#InvalidFetchSessionEpochException()
    :origin: common.errors.InvalidFetchSessionEpochException#InvalidFetchSessionEpochException(String)
    """
