# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.TopicConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names of the settings of topics."""

from __future__ import annotations

OMITTED = {
    "common.config.TopicConfig#*_DOC": "texts of Kafka's documentation are not ported",
}


class TopicConfig:
    """Names, and the possible values of some settings.

    :origin: common.config.TopicConfig
    """

    SEGMENT_BYTES_CONFIG = "segment.bytes"
    SEGMENT_MS_CONFIG = "segment.ms"
    SEGMENT_JITTER_MS_CONFIG = "segment.jitter.ms"
    SEGMENT_INDEX_BYTES_CONFIG = "segment.index.bytes"
    FLUSH_MESSAGES_INTERVAL_CONFIG = "flush.messages"
    FLUSH_MS_CONFIG = "flush.ms"
    RETENTION_BYTES_CONFIG = "retention.bytes"
    RETENTION_MS_CONFIG = "retention.ms"
    REMOTE_LOG_STORAGE_ENABLE_CONFIG = "remote.storage.enable"
    LOCAL_LOG_RETENTION_MS_CONFIG = "local.retention.ms"
    LOCAL_LOG_RETENTION_BYTES_CONFIG = "local.retention.bytes"
    MAX_MESSAGE_BYTES_CONFIG = "max.message.bytes"
    INDEX_INTERVAL_BYTES_CONFIG = "index.interval.bytes"
    FILE_DELETE_DELAY_MS_CONFIG = "file.delete.delay.ms"
    DELETE_RETENTION_MS_CONFIG = "delete.retention.ms"
    MIN_COMPACTION_LAG_MS_CONFIG = "min.compaction.lag.ms"
    MAX_COMPACTION_LAG_MS_CONFIG = "max.compaction.lag.ms"
    MIN_CLEANABLE_DIRTY_RATIO_CONFIG = "min.cleanable.dirty.ratio"
    CLEANUP_POLICY_CONFIG = "cleanup.policy"
    CLEANUP_POLICY_COMPACT = "compact"
    CLEANUP_POLICY_DELETE = "delete"
    UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG = "unclean.leader.election.enable"
    MIN_IN_SYNC_REPLICAS_CONFIG = "min.insync.replicas"
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    PREALLOCATE_CONFIG = "preallocate"
    MESSAGE_FORMAT_VERSION_CONFIG = "message.format.version"
    MESSAGE_TIMESTAMP_TYPE_CONFIG = "message.timestamp.type"
    MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG = "message.timestamp.difference.max.ms"
    MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG = "message.timestamp.before.max.ms"
    MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG = "message.timestamp.after.max.ms"
    MESSAGE_DOWNCONVERSION_ENABLE_CONFIG = "message.downconversion.enable"
