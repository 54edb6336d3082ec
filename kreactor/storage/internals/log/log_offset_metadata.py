# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogOffsetMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An offset of a log and its place in the files."""

from __future__ import annotations

from typing import NamedTuple

UNKNOWN_OFFSET = -1


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
