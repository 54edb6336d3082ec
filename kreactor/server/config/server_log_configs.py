# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ServerLogConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the log: its place, retention and sizes. Topics override most of them."""

from __future__ import annotations

OMITTED = {
    "server.config.ServerLogConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class ServerLogConfigs:
    """Names and defaults.

    :origin: server.config.ServerLogConfigs
    """

    NUM_PARTITIONS_CONFIG = "num.partitions"
    NUM_PARTITIONS_DEFAULT = 1
    LOG_DIRS_CONFIG = "log.dirs"
    LOG_DIR_CONFIG = "log.dir"
    LOG_DIR_DEFAULT = "/tmp/kafka-logs"
    LOG_SEGMENT_BYTES_CONFIG = "log.segment.bytes"
    LOG_ROLL_TIME_MILLIS_CONFIG = "log.roll.ms"
    LOG_ROLL_TIME_HOURS_CONFIG = "log.roll.hours"
    LOG_ROLL_TIME_JITTER_MILLIS_CONFIG = "log.roll.jitter.ms"
    LOG_ROLL_TIME_JITTER_HOURS_CONFIG = "log.roll.jitter.hours"
    LOG_RETENTION_TIME_MILLIS_CONFIG = "log.retention.ms"
    LOG_RETENTION_TIME_MINUTES_CONFIG = "log.retention.minutes"
    LOG_RETENTION_TIME_HOURS_CONFIG = "log.retention.hours"
    LOG_RETENTION_BYTES_CONFIG = "log.retention.bytes"
    LOG_RETENTION_BYTES_DEFAULT = -1
    LOG_CLEANUP_INTERVAL_MS_CONFIG = "log.retention.check.interval.ms"
    LOG_CLEANUP_INTERVAL_MS_DEFAULT = 5 * 60 * 1000
    LOG_CLEANUP_POLICY_CONFIG = "log.cleanup.policy"
    LOG_CLEANUP_POLICY_DEFAULT = "delete"
    LOG_INDEX_SIZE_MAX_BYTES_CONFIG = "log.index.size.max.bytes"
    LOG_INDEX_SIZE_MAX_BYTES_DEFAULT = 10 * 1024 * 1024
    LOG_INDEX_INTERVAL_BYTES_CONFIG = "log.index.interval.bytes"
    LOG_INDEX_INTERVAL_BYTES_DEFAULT = 4 * 1024
    LOG_FLUSH_INTERVAL_MESSAGES_CONFIG = "log.flush.interval.messages"
    LOG_FLUSH_INTERVAL_MESSAGES_DEFAULT = 2**63 - 1
    LOG_DELETE_DELAY_MS_CONFIG = "log.segment.delete.delay.ms"
    LOG_DELETE_DELAY_MS_DEFAULT = 60 * 1000
    LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG = "log.flush.scheduler.interval.ms"
    LOG_FLUSH_SCHEDULER_INTERVAL_MS_DEFAULT = 2**63 - 1
    LOG_FLUSH_INTERVAL_MS_CONFIG = "log.flush.interval.ms"
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG = "log.flush.offset.checkpoint.interval.ms"
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT = 60 * 1000
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG = "log.flush.start.offset.checkpoint.interval.ms"
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT = 60 * 1000
    LOG_PRE_ALLOCATE_CONFIG = "log.preallocate"
    LOG_MESSAGE_FORMAT_VERSION_CONFIG = "log.message.format.version"
    LOG_MESSAGE_FORMAT_VERSION_DEFAULT = "3.0-IV1"
    LOG_MESSAGE_TIMESTAMP_TYPE_CONFIG = "log.message.timestamp.type"
    LOG_MESSAGE_TIMESTAMP_TYPE_DEFAULT = "CreateTime"
    LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG = "log.message.timestamp.difference.max.ms"
    LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DEFAULT = 2**63 - 1
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG = "log.message.timestamp.before.max.ms"
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DEFAULT = 2**63 - 1
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG = "log.message.timestamp.after.max.ms"
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DEFAULT = 2**63 - 1
    NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG = "num.recovery.threads.per.data.dir"
    NUM_RECOVERY_THREADS_PER_DATA_DIR_DEFAULT = 1
    AUTO_CREATE_TOPICS_ENABLE_CONFIG = "auto.create.topics.enable"
    AUTO_CREATE_TOPICS_ENABLE_DEFAULT = True
    MIN_IN_SYNC_REPLICAS_CONFIG = "min.insync.replicas"
    MIN_IN_SYNC_REPLICAS_DEFAULT = 1
    CREATE_TOPIC_POLICY_CLASS_NAME_CONFIG = "create.topic.policy.class.name"
    ALTER_CONFIG_POLICY_CLASS_NAME_CONFIG = "alter.config.policy.class.name"
    LOG_MESSAGE_DOWNCONVERSION_ENABLE_CONFIG = "log.message.downconversion.enable"
    LOG_MESSAGE_DOWNCONVERSION_ENABLE_DEFAULT = True
    LOG_INITIAL_TASK_DELAY_MS_CONFIG = "log.initial.task.delay.ms"
    LOG_INITIAL_TASK_DELAY_MS_DEFAULT = 30_000
    LOG_DIR_FAILURE_TIMEOUT_MS_CONFIG = "log.dir.failure.timeout.ms"
    LOG_DIR_FAILURE_TIMEOUT_MS_DEFAULT = 30_000
