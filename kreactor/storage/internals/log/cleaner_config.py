# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.CleanerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of log compaction."""

from __future__ import annotations

import sys


class CleanerConfig:
    """Names, defaults, and the settings of one cleaner; immutable.

    :origin: storage.internals.log.CleanerConfig
    """

    HASH_ALGORITHM = "MD5"
    LOG_CLEANER_THREADS = 1
    LOG_CLEANER_IO_MAX_BYTES_PER_SECOND = sys.float_info.max
    LOG_CLEANER_DEDUPE_BUFFER_SIZE = 128 * 1024 * 1024
    LOG_CLEANER_IO_BUFFER_SIZE = 512 * 1024
    LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR = 0.9
    LOG_CLEANER_BACKOFF_MS = 15_000
    LOG_CLEANER_ENABLE = True
    LOG_CLEANER_THREADS_PROP = "log.cleaner.threads"
    LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP = "log.cleaner.io.max.bytes.per.second"
    LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP = "log.cleaner.dedupe.buffer.size"
    LOG_CLEANER_IO_BUFFER_SIZE_PROP = "log.cleaner.io.buffer.size"
    LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP = "log.cleaner.io.buffer.load.factor"
    LOG_CLEANER_BACKOFF_MS_PROP = "log.cleaner.backoff.ms"
    LOG_CLEANER_MIN_CLEAN_RATIO_PROP = "log.cleaner.min.cleanable.ratio"
    LOG_CLEANER_ENABLE_PROP = "log.cleaner.enable"
    LOG_CLEANER_DELETE_RETENTION_MS_PROP = "log.cleaner.delete.retention.ms"
    LOG_CLEANER_MIN_COMPACTION_LAG_MS_PROP = "log.cleaner.min.compaction.lag.ms"
    LOG_CLEANER_MAX_COMPACTION_LAG_MS_PROP = "log.cleaner.max.compaction.lag.ms"
    LOG_CLEANER_MIN_CLEAN_RATIO_DOC = (
        "A log is compacted once this fraction of its bytes is not compacted yet.")
    LOG_CLEANER_THREADS_DOC = "This many threads compact logs."
    LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_DOC = (
        "All cleaner threads together read and write at most this many bytes a second.")
    LOG_CLEANER_DEDUPE_BUFFER_SIZE_DOC = (
        "The maps from keys to newest offsets take this many bytes, shared by all cleaner threads.")
    LOG_CLEANER_IO_BUFFER_SIZE_DOC = (
        "The read and write buffers of all cleaner threads together have this many bytes.")
    LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_DOC = (
        "A cleaner fills its map of keys up to this fraction; a fuller map holds more keys and has more "
        "collisions.")
    LOG_CLEANER_BACKOFF_MS_DOC = (
        "A cleaner thread that finds nothing to compact sleeps for this many milliseconds.")
    LOG_CLEANER_ENABLE_DOC = (
        "False starts no cleaner, so that compacted topics, the one of offsets included, grow without end.")
    LOG_CLEANER_DELETE_RETENTION_MS_DOC = (
        "Compaction keeps a tombstone for this many milliseconds, so that slow consumers see the deletion.")
    LOG_CLEANER_MIN_COMPACTION_LAG_MS_DOC = (
        "Compaction leaves records alone that are younger than this many milliseconds.")
    LOG_CLEANER_MAX_COMPACTION_LAG_MS_DOC = (
        "A record waits at most this many milliseconds until its log is compacted.")

    def __init__(self, num_threads: int = 1, dedupe_buffer_size: int = 4 * 1024 * 1024,
                 dedupe_buffer_load_factor: float = 0.9, io_buffer_size: int = 1024 * 1024,
                 max_message_size: int = 32 * 1024 * 1024,
                 max_io_bytes_per_second: float = sys.float_info.max, backoff_ms: int = 15_000,
                 enable_cleaner: bool = True) -> None:
        """Sizes are in bytes. The sizes of buffers are for all threads together.

        :origin: storage.internals.log.CleanerConfig#CleanerConfig(boolean)
        :origin: storage.internals.log.CleanerConfig#CleanerConfig(int, long, double, int, int, double, long, boolean)
        """  # noqa: E501
        self.num_threads = num_threads
        self.dedupe_buffer_size = dedupe_buffer_size
        self.dedupe_buffer_load_factor = dedupe_buffer_load_factor
        self.io_buffer_size = io_buffer_size
        self.max_message_size = max_message_size
        self.max_io_bytes_per_second = max_io_bytes_per_second
        self.backoff_ms = backoff_ms
        self.enable_cleaner = enable_cleaner

    def hash_algorithm(self) -> str:
        """Return the name of the keys' hash algorithm.

        :origin: storage.internals.log.CleanerConfig#hashAlgorithm()
        """
        return CleanerConfig.HASH_ALGORITHM
