# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogOffsetMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An offset of a log, and its position in the files."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.kafka_exception import KafkaException

UNKNOWN_OFFSET = -1


class LogOffsetMetadata(NamedTuple):
    """An offset, the base offset of its segment, and the position in that segment's file.

    Both are -1 where only the offset is known.

    :origin: storage.internals.log.LogOffsetMetadata
    """

    message_offset: int
    segment_base_offset: int = UNKNOWN_OFFSET
    relative_position_in_segment: int = -1

    def on_older_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether this offset is in an older segment than ``that``; False if one segment is unknown.

        :origin: storage.internals.log.LogOffsetMetadata#onOlderSegment(LogOffsetMetadata)
        """
        return 0 <= self.segment_base_offset < that.segment_base_offset

    def on_same_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether both offsets are in one segment; False if one segment is unknown.

        :origin: storage.internals.log.LogOffsetMetadata#onSameSegment(LogOffsetMetadata)
        """
        return 0 <= self.segment_base_offset == that.segment_base_offset

    def position_diff(self, that: LogOffsetMetadata) -> int:
        """Return the bytes from ``that`` to this offset. Raises KafkaException unless both are in one
        segment.

        :origin: storage.internals.log.LogOffsetMetadata#positionDiff(LogOffsetMetadata)
        """
        if self.segment_base_offset < 0 or that.segment_base_offset < 0:
            raise KafkaException(f"{self} cannot compare its segment position with {that} since it only has "
                                 "message offset info")
        if self.segment_base_offset != that.segment_base_offset:
            raise KafkaException(f"{self} cannot compare its segment position with {that} since they are not "
                                 "on the same segment")
        return self.relative_position_in_segment - that.relative_position_in_segment

    def message_offset_only(self) -> bool:
        """Return whether only the offset is known.

        :origin: storage.internals.log.LogOffsetMetadata#messageOffsetOnly()
        """
        return self.segment_base_offset == UNKNOWN_OFFSET and self.relative_position_in_segment == -1

    def __str__(self) -> str:
        """:origin: storage.internals.log.LogOffsetMetadata#toString()"""
        return (f"(offset={self.message_offset}, segment=[{self.segment_base_offset}:"
                f"{self.relative_position_in_segment}])")


# :origin: storage.internals.log.LogOffsetMetadata#UNKNOWN_OFFSET_METADATA
UNKNOWN_OFFSET_METADATA = LogOffsetMetadata(UNKNOWN_OFFSET)
