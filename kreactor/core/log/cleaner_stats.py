# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.CleanerStats of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The counts of a cleaning round, and of the selection before it."""

from __future__ import annotations

from kreactor.common.utils.time import Time


class PreCleanStats:
    """The counts before a cleaning round. Written by one cleaner thread.

    :origin: kafka.log.PreCleanStats
    """

    __slots__ = ("max_compaction_delay_ms", "delayed_partitions", "cleanable_partitions")

    def __init__(self) -> None:
        self.max_compaction_delay_ms = 0
        self.delayed_partitions = 0
        self.cleanable_partitions = 0

    def update_max_compaction_delay(self, delay_ms: int) -> None:
        """Count a partition's delay beyond ``max.compaction.lag.ms``, if any.

        :origin: kafka.log.PreCleanStats#updateMaxCompactionDelay
        """
        self.max_compaction_delay_ms = max(self.max_compaction_delay_ms, delay_ms)
        if delay_ms > 0:
            self.delayed_partitions += 1

    def record_cleanable_partitions(self, num_of_cleanables: int) -> None:
        """Set the number of partitions that can be cleaned.

        :origin: kafka.log.PreCleanStats#recordCleanablePartitions
        """
        self.cleanable_partitions = num_of_cleanables


class CleanerStats:
    """A cleaning round. Written by one cleaner thread; sizes in bytes, times in milliseconds.

    :origin: kafka.log.CleanerStats
    """

    __slots__ = ("_time", "start_time", "map_complete_time", "end_time", "bytes_read", "bytes_written",
                 "map_bytes_read", "map_messages_read", "messages_read", "invalid_messages_read",
                 "messages_written", "buffer_utilization")

    def __init__(self, time: Time = Time.SYSTEM) -> None:
        """Set the start time to now."""
        self._time = time
        self.start_time = time.milliseconds()
        self.map_complete_time = -1
        self.end_time = -1
        self.bytes_read = 0
        self.bytes_written = 0
        self.map_bytes_read = 0
        self.map_messages_read = 0
        self.messages_read = 0
        self.invalid_messages_read = 0
        self.messages_written = 0
        self.buffer_utilization = 0.0

    def read_messages(self, messages_read: int, bytes_read: int) -> None:
        """Count records that were read to be copied.

        :origin: kafka.log.CleanerStats#readMessages
        """
        self.messages_read += messages_read
        self.bytes_read += bytes_read

    def invalid_message(self) -> None:
        """Count a record without a key.

        :origin: kafka.log.CleanerStats#invalidMessage
        """
        self.invalid_messages_read += 1

    def recopy_messages(self, messages_written: int, bytes_written: int) -> None:
        """Count records that were copied.

        :origin: kafka.log.CleanerStats#recopyMessages
        """
        self.messages_written += messages_written
        self.bytes_written += bytes_written

    def index_messages_read(self, size: int) -> None:
        """Count records that were read for the offset map.

        :origin: kafka.log.CleanerStats#indexMessagesRead
        """
        self.map_messages_read += size

    def index_bytes_read(self, size: int) -> None:
        """Count bytes that were read for the offset map.

        :origin: kafka.log.CleanerStats#indexBytesRead
        """
        self.map_bytes_read += size

    def index_done(self) -> None:
        """Set the time when the offset map is complete.

        :origin: kafka.log.CleanerStats#indexDone
        """
        self.map_complete_time = self._time.milliseconds()

    def all_done(self) -> None:
        """Set the end time of the round.

        :origin: kafka.log.CleanerStats#allDone
        """
        self.end_time = self._time.milliseconds()

    def elapsed_secs(self) -> float:
        """Return the duration of the round, in seconds.

        :origin: kafka.log.CleanerStats#elapsedSecs
        """
        return (self.end_time - self.start_time) / 1000

    def elapsed_index_secs(self) -> float:
        """Return the time that building the offset map took, in seconds.

        :origin: kafka.log.CleanerStats#elapsedIndexSecs
        """
        return (self.map_complete_time - self.start_time) / 1000
