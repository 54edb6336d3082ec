# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.GroupCoordinatorConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of groups and of their offsets."""

from __future__ import annotations

from kreactor.common.record.compression_type import CompressionType


class GroupCoordinatorConfig:
    """Names and defaults.

    :origin: coordinator.group.GroupCoordinatorConfig
    """

    GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG = "group.min.session.timeout.ms"
    GROUP_MIN_SESSION_TIMEOUT_MS_DOC = (
        "A member of a classic group must ask for a session of at least this many milliseconds.")
    GROUP_MIN_SESSION_TIMEOUT_MS_DEFAULT = 6000
    GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG = "group.max.session.timeout.ms"
    GROUP_MAX_SESSION_TIMEOUT_MS_DOC = (
        "A member of a classic group may ask for a session of at most this many milliseconds.")
    GROUP_MAX_SESSION_TIMEOUT_MS_DEFAULT = 30 * 60 * 1000
    GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG = "group.initial.rebalance.delay.ms"
    GROUP_INITIAL_REBALANCE_DELAY_MS_DOC = (
        "The first rebalance of an empty group waits this many milliseconds for more members.")
    GROUP_INITIAL_REBALANCE_DELAY_MS_DEFAULT = 3000
    GROUP_MAX_SIZE_CONFIG = "group.max.size"
    GROUP_MAX_SIZE_DOC = "A classic group has at most this many members."
    GROUP_MAX_SIZE_DEFAULT = 2**31 - 1
    NEW_GROUP_COORDINATOR_ENABLE_CONFIG = "group.coordinator.new.enable"
    NEW_GROUP_COORDINATOR_ENABLE_DOC = (
        "In Kafka, true starts the new group coordinator even without the consumer protocol.")
    NEW_GROUP_COORDINATOR_ENABLE_DEFAULT = False
    GROUP_COORDINATOR_REBALANCE_PROTOCOLS_CONFIG = "group.coordinator.rebalance.protocols"
    GROUP_COORDINATOR_REBALANCE_PROTOCOLS_DOC = (
        "The group coordinator serves these protocols: classic, and consumer for groups after KIP-848.")
    GROUP_COORDINATOR_REBALANCE_PROTOCOLS_DEFAULT = ["classic"]
    GROUP_COORDINATOR_APPEND_LINGER_MS_CONFIG = "group.coordinator.append.linger.ms"
    GROUP_COORDINATOR_APPEND_LINGER_MS_DOC = (
        "In Kafka, the new group coordinator gathers writes for this many milliseconds before it appends "
        "them.")
    GROUP_COORDINATOR_APPEND_LINGER_MS_DEFAULT = 10
    GROUP_COORDINATOR_NUM_THREADS_CONFIG = "group.coordinator.threads"
    GROUP_COORDINATOR_NUM_THREADS_DOC = "In Kafka, this many threads run the new group coordinator."
    GROUP_COORDINATOR_NUM_THREADS_DEFAULT = 1
    CONSUMER_GROUP_SESSION_TIMEOUT_MS_CONFIG = "group.consumer.session.timeout.ms"
    CONSUMER_GROUP_SESSION_TIMEOUT_MS_DOC = (
        "A member of a consumer group is removed after this many milliseconds without a heartbeat.")
    CONSUMER_GROUP_SESSION_TIMEOUT_MS_DEFAULT = 45_000
    CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG = "group.consumer.min.session.timeout.ms"
    CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_DOC = (
        "No consumer group may have a session timeout below this many milliseconds.")
    CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_DEFAULT = 45_000
    CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG = "group.consumer.max.session.timeout.ms"
    CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_DOC = (
        "No consumer group may have a session timeout above this many milliseconds.")
    CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_DEFAULT = 60 * 1000
    CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG = "group.consumer.heartbeat.interval.ms"
    CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_DOC = (
        "The coordinator tells members of consumer groups to send a heartbeat every so many milliseconds.")
    CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_DEFAULT = 5000
    CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_CONFIG = "group.consumer.min.heartbeat.interval.ms"
    CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_DOC = (
        "No consumer group may have a heartbeat interval below this many milliseconds.")
    CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_DEFAULT = 5000
    CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_CONFIG = "group.consumer.max.heartbeat.interval.ms"
    CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_DOC = (
        "No consumer group may have a heartbeat interval above this many milliseconds.")
    CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_DEFAULT = 15_000
    CONSUMER_GROUP_MAX_SIZE_CONFIG = "group.consumer.max.size"
    CONSUMER_GROUP_MAX_SIZE_DOC = "A consumer group has at most this many members."
    CONSUMER_GROUP_MAX_SIZE_DEFAULT = 2**31 - 1
    CONSUMER_GROUP_ASSIGNORS_CONFIG = "group.consumer.assignors"
    CONSUMER_GROUP_ASSIGNORS_DOC = (
        "These classes assign partitions in consumer groups, and the first one serves members without a "
        "wish.")
    CONSUMER_GROUP_ASSIGNORS_DEFAULT = [
        "org.apache.kafka.coordinator.group.assignor.UniformAssignor",
        "org.apache.kafka.coordinator.group.assignor.RangeAssignor",
    ]
    CONSUMER_GROUP_MIGRATION_POLICY_CONFIG = "group.consumer.migration.policy"
    CONSUMER_GROUP_MIGRATION_POLICY_DEFAULT = "disabled"
    CONSUMER_GROUP_MIGRATION_POLICY_DOC = (
        "In Kafka, this says whether groups may change between the classic and the consumer protocol.")
    OFFSET_METADATA_MAX_SIZE_CONFIG = "offset.metadata.max.bytes"
    OFFSET_METADATA_MAX_SIZE_DEFAULT = 4 * 1024
    OFFSET_METADATA_MAX_SIZE_DOC = "The metadata string of a committed offset may have this many characters."
    OFFSETS_LOAD_BUFFER_SIZE_CONFIG = "offsets.load.buffer.size"
    OFFSETS_LOAD_BUFFER_SIZE_DEFAULT = 5 * 1024 * 1024
    OFFSETS_LOAD_BUFFER_SIZE_DOC = (
        "A coordinator reads a partition of __consumer_offsets in pieces of this many bytes, and single "
        "larger batches.")
    OFFSETS_RETENTION_MINUTES_CONFIG = "offsets.retention.minutes"
    OFFSETS_RETENTION_MINUTES_DEFAULT = 10_080
    OFFSETS_RETENTION_MINUTES_DOC = (
        "A committed offset expires this many minutes after its group has become empty.")
    OFFSETS_RETENTION_CHECK_INTERVAL_MS_CONFIG = "offsets.retention.check.interval.ms"
    OFFSETS_RETENTION_CHECK_INTERVAL_MS_DEFAULT = 10 * 60 * 1000
    OFFSETS_RETENTION_CHECK_INTERVAL_MS_DOC = (
        "A group coordinator looks for expired offsets every so many milliseconds.")
    OFFSETS_TOPIC_PARTITIONS_CONFIG = "offsets.topic.num.partitions"
    OFFSETS_TOPIC_PARTITIONS_DEFAULT = 50
    OFFSETS_TOPIC_PARTITIONS_DOC = (
        "The topic __consumer_offsets is created with this many partitions, which spread groups over "
        "coordinators.")
    OFFSETS_TOPIC_SEGMENT_BYTES_CONFIG = "offsets.topic.segment.bytes"
    OFFSETS_TOPIC_SEGMENT_BYTES_DEFAULT = 100 * 1024 * 1024
    OFFSETS_TOPIC_SEGMENT_BYTES_DOC = (
        "A segment of __consumer_offsets has at most this many bytes, so that loading stays short.")
    OFFSETS_TOPIC_REPLICATION_FACTOR_CONFIG = "offsets.topic.replication.factor"
    OFFSETS_TOPIC_REPLICATION_FACTOR_DEFAULT = 3
    OFFSETS_TOPIC_REPLICATION_FACTOR_DOC = "The topic __consumer_offsets is created with this many replicas."
    OFFSETS_TOPIC_COMPRESSION_CODEC_CONFIG = "offsets.topic.compression.codec"
    OFFSETS_TOPIC_COMPRESSION_CODEC_DEFAULT = CompressionType.NONE
    OFFSETS_TOPIC_COMPRESSION_CODEC_DOC = (
        "The coordinator compresses its records in __consumer_offsets with the codec of this number; 0 does "
        "not.")
    OFFSET_COMMIT_TIMEOUT_MS_CONFIG = "offsets.commit.timeout.ms"
    OFFSET_COMMIT_TIMEOUT_MS_DEFAULT = 5000
    OFFSET_COMMIT_TIMEOUT_MS_DOC = (
        "An offset commit fails unless the replicas have it within this many milliseconds.")
    OFFSET_COMMIT_REQUIRED_ACKS_CONFIG = "offsets.commit.required.acks"
    OFFSET_COMMIT_REQUIRED_ACKS_DEFAULT = -1
    OFFSET_COMMIT_REQUIRED_ACKS_DOC = (
        "An offset commit waits for these acknowledgements, where -1 means all replicas in sync.")
    CLASSIC_GROUP_NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000
