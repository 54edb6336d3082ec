# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ServerLogConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the log: its place, retention and sizes. Topics override most of them."""

from __future__ import annotations


class ServerLogConfigs:
    """Names and defaults.

    :origin: server.config.ServerLogConfigs
    """

    NUM_PARTITIONS_CONFIG = "num.partitions"
    NUM_PARTITIONS_DEFAULT = 1
    NUM_PARTITIONS_DOC = "A topic gets this many partitions if its creator does not say how many."
    LOG_DIRS_CONFIG = "log.dirs"
    LOG_DIR_CONFIG = "log.dir"
    LOG_DIR_DEFAULT = "/tmp/kafka-logs"
    LOG_DIR_DOC = "This single folder holds the logs if log.dirs is not set."
    LOG_DIRS_DOC = "These folders hold the logs, with commas between them; kreactor refuses more than one."
    LOG_SEGMENT_BYTES_CONFIG = "log.segment.bytes"
    LOG_SEGMENT_BYTES_DOC = "A log starts a new segment before the active one exceeds this many bytes."
    LOG_ROLL_TIME_MILLIS_CONFIG = "log.roll.ms"
    LOG_ROLL_TIME_HOURS_CONFIG = "log.roll.hours"
    LOG_ROLL_TIME_MILLIS_DOC = (
        "A log starts a new segment after this many milliseconds; log.roll.hours counts if it is not set.")
    LOG_ROLL_TIME_HOURS_DOC = "A log starts a new segment after this many hours, unless log.roll.ms is set."
    LOG_ROLL_TIME_JITTER_MILLIS_CONFIG = "log.roll.jitter.ms"
    LOG_ROLL_TIME_JITTER_HOURS_CONFIG = "log.roll.jitter.hours"
    LOG_ROLL_TIME_JITTER_MILLIS_DOC = (
        "A random part of this many milliseconds makes each segment roll earlier; log.roll.jitter.hours is "
        "its twin.")
    LOG_ROLL_TIME_JITTER_HOURS_DOC = (
        "A random part of this many hours makes each segment roll earlier, unless log.roll.jitter.ms is "
        "set.")
    LOG_RETENTION_TIME_MILLIS_CONFIG = "log.retention.ms"
    LOG_RETENTION_TIME_MINUTES_CONFIG = "log.retention.minutes"
    LOG_RETENTION_TIME_HOURS_CONFIG = "log.retention.hours"
    LOG_RETENTION_TIME_MILLIS_DOC = (
        "A closed segment is deleted once its newest record is this many milliseconds old; -1 keeps it.")
    LOG_RETENTION_TIME_MINUTES_DOC = "The retention time in minutes counts if log.retention.ms is not set."
    LOG_RETENTION_TIME_HOURS_DOC = (
        "The retention time in hours counts if neither minutes nor milliseconds are set.")
    LOG_RETENTION_BYTES_CONFIG = "log.retention.bytes"
    LOG_RETENTION_BYTES_DEFAULT = -1
    LOG_RETENTION_BYTES_DOC = (
        "The oldest segments of a partition are deleted while it has more bytes than this; -1 sets no "
        "limit.")
    LOG_CLEANUP_INTERVAL_MS_CONFIG = "log.retention.check.interval.ms"
    LOG_CLEANUP_INTERVAL_MS_DEFAULT = 5 * 60 * 1000
    LOG_CLEANUP_INTERVAL_MS_DOC = "The broker looks for segments to delete every so many milliseconds."
    LOG_CLEANUP_POLICY_CONFIG = "log.cleanup.policy"
    LOG_CLEANUP_POLICY_DEFAULT = "delete"
    LOG_CLEANUP_POLICY_DOC = "The broker deletes old segments, compacts them by key, or does both."
    LOG_INDEX_SIZE_MAX_BYTES_CONFIG = "log.index.size.max.bytes"
    LOG_INDEX_SIZE_MAX_BYTES_DEFAULT = 10 * 1024 * 1024
    LOG_INDEX_SIZE_MAX_BYTES_DOC = (
        "The offset index and the time index of a segment may have this many bytes each.")
    LOG_INDEX_INTERVAL_BYTES_CONFIG = "log.index.interval.bytes"
    LOG_INDEX_INTERVAL_BYTES_DEFAULT = 4 * 1024
    LOG_INDEX_INTERVAL_BYTES_DOC = "The indexes get an entry for every so many bytes of records."
    LOG_FLUSH_INTERVAL_MESSAGES_CONFIG = "log.flush.interval.messages"
    LOG_FLUSH_INTERVAL_MESSAGES_DEFAULT = 2**63 - 1
    LOG_FLUSH_INTERVAL_MESSAGES_DOC = "A partition is flushed to disk after this many records."
    LOG_DELETE_DELAY_MS_CONFIG = "log.segment.delete.delay.ms"
    LOG_DELETE_DELAY_MS_DEFAULT = 60 * 1000
    LOG_DELETE_DELAY_MS_DOC = "The files of a deleted segment stay on disk for this many milliseconds."
    LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG = "log.flush.scheduler.interval.ms"
    LOG_FLUSH_SCHEDULER_INTERVAL_MS_DEFAULT = 2**63 - 1
    LOG_FLUSH_SCHEDULER_INTERVAL_MS_DOC = (
        "The broker checks every so many milliseconds which logs are due for a flush.")
    LOG_FLUSH_INTERVAL_MS_CONFIG = "log.flush.interval.ms"
    LOG_FLUSH_INTERVAL_MS_DOC = (
        "Records are flushed to disk at the latest after this many milliseconds; a null value means the "
        "scheduler's interval.")
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG = "log.flush.offset.checkpoint.interval.ms"
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT = 60 * 1000
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_DOC = (
        "The broker writes the offsets that recovery can start from every so many milliseconds.")
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG = "log.flush.start.offset.checkpoint.interval.ms"
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT = 60 * 1000
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_DOC = (
        "The broker writes the start offsets of its logs every so many milliseconds.")
    LOG_PRE_ALLOCATE_CONFIG = "log.preallocate"
    LOG_PRE_ALLOCATE_ENABLE_DOC = (
        "False is the only value that kreactor accepts; in Kafka, true reserves a new segment's bytes on "
        "disk.")
    LOG_MESSAGE_FORMAT_VERSION_CONFIG = "log.message.format.version"
    LOG_MESSAGE_FORMAT_VERSION_DEFAULT = "3.0-IV1"
    LOG_MESSAGE_FORMAT_VERSION_DOC = (
        "In Kafka, this version once chose the format of stored records, and no longer does since 3.0.")
    LOG_MESSAGE_TIMESTAMP_TYPE_CONFIG = "log.message.timestamp.type"
    LOG_MESSAGE_TIMESTAMP_TYPE_DEFAULT = "CreateTime"
    LOG_MESSAGE_TIMESTAMP_TYPE_DOC = (
        "Records carry the time of their creation (CreateTime) or of their append (LogAppendTime).")
    LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG = "log.message.timestamp.difference.max.ms"
    LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DEFAULT = 2**63 - 1
    LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DOC = (
        "A record whose timestamp differs from the broker's time by more milliseconds is refused; two later "
        "settings replace this.")
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG = "log.message.timestamp.before.max.ms"
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DEFAULT = 2**63 - 1
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DOC = (
        "A record whose timestamp is more milliseconds behind the broker's time is refused.")
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG = "log.message.timestamp.after.max.ms"
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DEFAULT = 2**63 - 1
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DOC = (
        "A record whose timestamp is more milliseconds ahead of the broker's time is refused.")
    NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG = "num.recovery.threads.per.data.dir"
    NUM_RECOVERY_THREADS_PER_DATA_DIR_DEFAULT = 1
    NUM_RECOVERY_THREADS_PER_DATA_DIR_DOC = (
        "In Kafka, this many threads for each folder load logs at the start and flush them at the end.")
    AUTO_CREATE_TOPICS_ENABLE_CONFIG = "auto.create.topics.enable"
    AUTO_CREATE_TOPICS_ENABLE_DEFAULT = True
    AUTO_CREATE_TOPICS_ENABLE_DOC = (
        "True lets a metadata request of a client create the topics that it names.")
    MIN_IN_SYNC_REPLICAS_CONFIG = "min.insync.replicas"
    MIN_IN_SYNC_REPLICAS_DEFAULT = 1
    MIN_IN_SYNC_REPLICAS_DOC = "A write with acks=all fails while fewer replicas than this are in sync."
    CREATE_TOPIC_POLICY_CLASS_NAME_CONFIG = "create.topic.policy.class.name"
    CREATE_TOPIC_POLICY_CLASS_NAME_DOC = "In Kafka, this class may refuse the creation of a topic."
    ALTER_CONFIG_POLICY_CLASS_NAME_CONFIG = "alter.config.policy.class.name"
    ALTER_CONFIG_POLICY_CLASS_NAME_DOC = "In Kafka, this class may refuse a change of settings."
    LOG_MESSAGE_DOWNCONVERSION_ENABLE_CONFIG = "log.message.downconversion.enable"
    LOG_MESSAGE_DOWNCONVERSION_ENABLE_DEFAULT = True
    LOG_MESSAGE_DOWNCONVERSION_ENABLE_DOC = (
        "True converts records for consumers of older formats; false refuses those fetches.")
    LOG_INITIAL_TASK_DELAY_MS_CONFIG = "log.initial.task.delay.ms"
    LOG_INITIAL_TASK_DELAY_MS_DEFAULT = 30_000
    LOG_INITIAL_TASK_DELAY_MS_DOC = (
        "The periodic tasks of the logs run for the first time this many milliseconds after the start.")
    LOG_DIR_FAILURE_TIMEOUT_MS_CONFIG = "log.dir.failure.timeout.ms"
    LOG_DIR_FAILURE_TIMEOUT_MS_DEFAULT = 30_000
    LOG_DIR_FAILURE_TIMEOUT_MS_DOC = (
        "In Kafka, a broker ends if it cannot tell the controller of a failed log folder within this many "
        "milliseconds.")
