# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.TopicConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names of the settings of topics."""

from __future__ import annotations


class TopicConfig:
    """Names, and the possible values of some settings.

    :origin: common.config.TopicConfig
    """

    SEGMENT_BYTES_CONFIG = "segment.bytes"
    SEGMENT_BYTES_DOC = "The topic's logs start a new segment before the active one exceeds this many bytes."
    SEGMENT_MS_CONFIG = "segment.ms"
    SEGMENT_MS_DOC = (
        "The topic's logs start a new segment after this many milliseconds, so that old records can be "
        "deleted or compacted.")
    SEGMENT_JITTER_MS_CONFIG = "segment.jitter.ms"
    SEGMENT_JITTER_MS_DOC = (
        "A random part of this many milliseconds makes each segment of the topic roll earlier.")
    SEGMENT_INDEX_BYTES_CONFIG = "segment.index.bytes"
    SEGMENT_INDEX_BYTES_DOC = (
        "The offset index and the time index of each of the topic's segments may have this many bytes.")
    FLUSH_MESSAGES_INTERVAL_CONFIG = "flush.messages"
    FLUSH_MESSAGES_INTERVAL_DOC = "Each partition of the topic is flushed to disk after this many records."
    FLUSH_MS_CONFIG = "flush.ms"
    FLUSH_MS_DOC = "The topic's records are flushed to disk at the latest after this many milliseconds."
    RETENTION_BYTES_CONFIG = "retention.bytes"
    RETENTION_BYTES_DOC = (
        "The oldest segments go while a partition of the topic has more bytes than this; -1 sets no limit.")
    RETENTION_MS_CONFIG = "retention.ms"
    RETENTION_MS_DOC = (
        "A closed segment of the topic is deleted once its newest record is this many milliseconds old; -1 "
        "keeps it.")
    REMOTE_LOG_STORAGE_ENABLE_CONFIG = "remote.storage.enable"
    REMOTE_LOG_STORAGE_ENABLE_DOC = (
        "False is the only value that kreactor accepts; in Kafka, true copies the topic's closed segments to "
        "the remote store.")
    LOCAL_LOG_RETENTION_MS_CONFIG = "local.retention.ms"
    LOCAL_LOG_RETENTION_MS_DOC = (
        "In Kafka, a copied segment of the topic stays on local disk for this many milliseconds; -2 means "
        "retention.ms.")
    LOCAL_LOG_RETENTION_BYTES_CONFIG = "local.retention.bytes"
    LOCAL_LOG_RETENTION_BYTES_DOC = (
        "In Kafka, a partition of the topic keeps this many bytes of copied segments on local disk; -2 "
        "means retention.bytes.")
    MAX_MESSAGE_BYTES_CONFIG = "max.message.bytes"
    MAX_MESSAGE_BYTES_DOC = "The topic refuses a batch with more bytes than this, after compression."
    INDEX_INTERVAL_BYTES_CONFIG = "index.interval.bytes"
    INDEX_INTERVAL_BYTES_DOC = "The topic's indexes get an entry for every so many bytes of records."
    FILE_DELETE_DELAY_MS_CONFIG = "file.delete.delay.ms"
    FILE_DELETE_DELAY_MS_DOC = (
        "The files of the topic's deleted segments stay on disk for this many milliseconds.")
    DELETE_RETENTION_MS_CONFIG = "delete.retention.ms"
    DELETE_RETENTION_MS_DOC = (
        "The topic's tombstones and transaction markers outlive their compaction for this many "
        "milliseconds.")
    MIN_COMPACTION_LAG_MS_CONFIG = "min.compaction.lag.ms"
    MIN_COMPACTION_LAG_MS_DOC = (
        "Compaction of the topic leaves records alone that are younger than this many milliseconds.")
    MAX_COMPACTION_LAG_MS_CONFIG = "max.compaction.lag.ms"
    MAX_COMPACTION_LAG_MS_DOC = (
        "A record of the topic waits at most this many milliseconds until its log is compacted.")
    MIN_CLEANABLE_DIRTY_RATIO_CONFIG = "min.cleanable.dirty.ratio"
    MIN_CLEANABLE_DIRTY_RATIO_DOC = (
        "The topic's logs are compacted once this fraction of their bytes is not compacted yet.")
    CLEANUP_POLICY_CONFIG = "cleanup.policy"
    CLEANUP_POLICY_COMPACT = "compact"
    CLEANUP_POLICY_DELETE = "delete"
    CLEANUP_POLICY_DOC = "The topic's old segments are deleted, compacted by key, or both."
    UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG = "unclean.leader.election.enable"
    UNCLEAN_LEADER_ELECTION_ENABLE_DOC = (
        "In Kafka, true lets a replica of the topic lead that is out of sync, at the price of its missing "
        "records.")
    MIN_IN_SYNC_REPLICAS_CONFIG = "min.insync.replicas"
    MIN_IN_SYNC_REPLICAS_DOC = (
        "The topic refuses writes with acks=all while fewer replicas than this are in sync.")
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_TYPE_DOC = "The topic's batches are compressed with this codec; producer keeps what arrives."
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_GZIP_LEVEL_DOC = (
        "The topic's batches have this gzip level from 1 to 9, if its codec is gzip; -1 takes zlib's own "
        "default.")
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_LZ4_LEVEL_DOC = "The topic's batches have this lz4 level from 1 to 17, if its codec is lz4."
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    COMPRESSION_ZSTD_LEVEL_DOC = (
        "The topic's batches have this zstd level, if its codec is zstd, where below 0 is faster and "
        "larger.")
    PREALLOCATE_CONFIG = "preallocate"
    PREALLOCATE_DOC = (
        "False is the only value that kreactor accepts; in Kafka, true reserves the bytes of the topic's new "
        "segments on disk.")
    MESSAGE_FORMAT_VERSION_CONFIG = "message.format.version"
    MESSAGE_FORMAT_VERSION_DOC = (
        "In Kafka, this version once chose the format of the topic's records, and no longer does since 3.0.")
    MESSAGE_TIMESTAMP_TYPE_CONFIG = "message.timestamp.type"
    MESSAGE_TIMESTAMP_TYPE_DOC = (
        "The topic's records carry the time of their creation (CreateTime) or of their append "
        "(LogAppendTime).")
    MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG = "message.timestamp.difference.max.ms"
    MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DOC = (
        "The topic refuses timestamps that differ from the broker's time by more milliseconds; two later "
        "settings replace this.")
    MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG = "message.timestamp.before.max.ms"
    MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DOC = (
        "The topic refuses a record whose timestamp is more milliseconds behind the broker's time.")
    MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG = "message.timestamp.after.max.ms"
    MESSAGE_TIMESTAMP_AFTER_MAX_MS_DOC = (
        "The topic refuses a record whose timestamp is more milliseconds ahead of the broker's time.")
    MESSAGE_DOWNCONVERSION_ENABLE_CONFIG = "message.downconversion.enable"
    MESSAGE_DOWNCONVERSION_ENABLE_DOC = (
        "True converts the topic's records for consumers of older formats; false refuses those fetches.")
