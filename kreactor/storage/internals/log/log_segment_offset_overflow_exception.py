# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogSegmentOffsetOverflowException of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of an offset that a segment's indexes cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException

if TYPE_CHECKING:
    from kreactor.storage.internals.log.log_segment import LogSegment


class LogSegmentOffsetOverflowException(KafkaException):
    """An offset is before the base of its segment, or too far beyond it.

    :origin: storage.internals.log.LogSegmentOffsetOverflowException
    """

    def __init__(self, segment: LogSegment, offset: int) -> None:
        """:origin: storage.internals.log.LogSegmentOffsetOverflowException#LogSegmentOffsetOverflowException(LogSegment, long)"""  # noqa: E501
        super().__init__(f"Detected offset overflow at offset {offset} in segment {segment}")
        # :origin: storage.internals.log.LogSegmentOffsetOverflowException#segment
        self.segment = segment
        # :origin: storage.internals.log.LogSegmentOffsetOverflowException#offset
        self.offset = offset
