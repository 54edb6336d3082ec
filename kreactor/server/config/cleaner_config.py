# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.CleanerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of log compaction."""

from __future__ import annotations

import sys

OMITTED = {
    "storage.internals.log.CleanerConfig#*_DOC": "Kafka's documentation stays Kafka's",
    "storage.internals.log.CleanerConfig#CleanerConfig(int, long, double, int, int, double, long, boolean)":
        "the log is not compacted by threads of its own",
    "kafka.log.AbortedTransactionMetadata": "comes with the log",
    "kafka.log.CleanedTransactionMetadata": "comes with the log",
    "kafka.log.Cleaner": "comes with the log",
    "kafka.log.CleanerStats": "comes with the log",
    "kafka.log.LogToClean": "comes with the log",
    "kafka.log.PreCleanStats": "comes with the log",
    "kafka.log.LogCleaner.CleanerThread": "comes with the log",
    **{f"storage.internals.log.CleanerConfig#{name}": "comes with the log" for name in (
        "numThreads", "dedupeBufferSize", "dedupeBufferLoadFactor", "ioBufferSize", "maxMessageSize",
        "maxIoBytesPerSecond", "backoffMs", "enableCleaner", "CleanerConfig", "hashAlgorithm")},
    "kafka.log.LogCleaner": "comes with the log",
}


class CleanerConfig:
    """Names and defaults.

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
