# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogToClean of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A log with its cleanable part, and its share of dirty bytes."""

from __future__ import annotations

from functools import total_ordering

from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.unified_log import UnifiedLog


def calculate_cleanable_bytes(log: UnifiedLog, first_dirty_offset: int, uncleanable_offset: int
                              ) -> tuple[int, int]:
    """Return the base offset of ``uncleanable_offset``'s segment, and the number of dirty bytes before it.

    In Kafka LogCleanerManager has this function; here that module imports this one.

    :origin: kafka.log.LogCleanerManager#calculateCleanableBytes
    """
    non_active = log.non_active_log_segments_from(uncleanable_offset)
    first_uncleanable_segment = non_active[0] if non_active else log.active_segment()
    first_uncleanable_offset = first_uncleanable_segment.base_offset()
    cleanable_bytes = sum(segment.size() for segment in log.log_segments(
        min(first_dirty_offset, first_uncleanable_offset), first_uncleanable_offset))

    return first_uncleanable_offset, cleanable_bytes


@total_ordering
class LogToClean:
    """Compared by the share of dirty bytes.

    :origin: kafka.log.LogToClean
    """

    __slots__ = ("topic_partition", "log", "first_dirty_offset", "uncleanable_offset", "need_compaction_now",
                 "clean_bytes", "first_uncleanable_offset", "cleanable_bytes", "total_bytes",
                 "cleanable_ratio")

    def __init__(self, topic_partition: TopicPartition, log: UnifiedLog, first_dirty_offset: int,
                 uncleanable_offset: int, need_compaction_now: bool = False) -> None:
        """The dirty part ends before the segment of ``uncleanable_offset``."""
        self.topic_partition = topic_partition
        self.log = log
        self.first_dirty_offset = first_dirty_offset
        self.uncleanable_offset = uncleanable_offset
        self.need_compaction_now = need_compaction_now
        self.clean_bytes = sum(segment.size() for segment in log.log_segments(-1, first_dirty_offset))
        self.first_uncleanable_offset, self.cleanable_bytes = calculate_cleanable_bytes(
            log, first_dirty_offset, uncleanable_offset)
        self.total_bytes = self.clean_bytes + self.cleanable_bytes
        # A log without bytes is not cleaned, so its ratio is 0. Java computes 0 / 0.
        self.cleanable_ratio = self.cleanable_bytes / self.total_bytes if self.total_bytes else 0.0

    def __eq__(self, other: object) -> bool:
        """Compared by identity."""
        return self is other

    __hash__ = object.__hash__

    def __lt__(self, that: LogToClean) -> bool:
        """:origin: kafka.log.LogToClean#compare"""
        return self.cleanable_ratio < that.cleanable_ratio
