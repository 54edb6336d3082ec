# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogOffsetMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An offset of a log and its place in the files."""

from __future__ import annotations

from typing import NamedTuple

OMITTED = {
    **dict.fromkeys((f"storage.internals.log.LogOffsetMetadata#{name}" for name in (
        "UNIFIED_LOG_UNKNOWN_OFFSET", "UNKNOWN_FILE_POSITION", "UNKNOWN_OFFSET_METADATA",
        "messageOffsetOnly")),
        "delayed_fetch.py has the constant and compares with it"),
    "storage.internals.log.LogOffsetMetadata#*": "a NamedTuple has it",
}

UNKNOWN_OFFSET = -1


class LogOffsetMetadata(NamedTuple):
    """An offset, and where it stands: the base offset of its segment and the position in that file.

    :origin: storage.internals.log.LogOffsetMetadata
    """

    message_offset: int
    segment_base_offset: int
    relative_position_in_segment: int

    def on_older_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether this segment is older than that of ``that``.

        :origin: storage.internals.log.LogOffsetMetadata#onOlderSegment(LogOffsetMetadata)
        """
        return self.segment_base_offset < that.segment_base_offset

    def on_same_segment(self, that: LogOffsetMetadata) -> bool:
        """Return whether both are in one segment.

        :origin: storage.internals.log.LogOffsetMetadata#onSameSegment(LogOffsetMetadata)
        """
        return self.segment_base_offset == that.segment_base_offset

    def position_diff(self, that: LogOffsetMetadata) -> int:
        """Return the bytes from ``that`` to this; both are in one segment.

        :origin: storage.internals.log.LogOffsetMetadata#positionDiff(LogOffsetMetadata)
        """
        return self.relative_position_in_segment - that.relative_position_in_segment
