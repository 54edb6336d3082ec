# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.KRaftConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a node of a KRaft cluster: its roles, its id, its metadata log."""

from __future__ import annotations


class KRaftConfigs:
    """Names and defaults.

    :origin: server.config.KRaftConfigs
    """

    PROCESS_ROLES_CONFIG = "process.roles"
    PROCESS_ROLES_DOC = (
        "The node is a broker, a controller or both; an empty list means a cluster with ZooKeeper.")
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_CONFIG = "initial.broker.registration.timeout.ms"
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_DEFAULT = 60 * 1000
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_DOC = (
        "In Kafka, a broker that the controller has not registered after this many milliseconds ends.")
    BROKER_HEARTBEAT_INTERVAL_MS_CONFIG = "broker.heartbeat.interval.ms"
    BROKER_HEARTBEAT_INTERVAL_MS_DEFAULT = 2000
    BROKER_HEARTBEAT_INTERVAL_MS_DOC = (
        "In Kafka, a broker sends the controller a heartbeat every so many milliseconds.")
    BROKER_SESSION_TIMEOUT_MS_CONFIG = "broker.session.timeout.ms"
    BROKER_SESSION_TIMEOUT_MS_DEFAULT = 9000
    BROKER_SESSION_TIMEOUT_MS_DOC = (
        "In Kafka, the controller fences a broker after this many milliseconds without a heartbeat.")
    NODE_ID_CONFIG = "node.id"
    EMPTY_NODE_ID = -1
    NODE_ID_DOC = "The node has this id in a cluster without ZooKeeper."
    METADATA_LOG_DIR_CONFIG = "metadata.log.dir"
    METADATA_LOG_DIR_DOC = (
        "In Kafka, the metadata log is in this folder; a null value means the first one of log.dirs.")
    METADATA_SNAPSHOT_MAX_INTERVAL_MS_CONFIG = "metadata.log.max.snapshot.interval.ms"
    METADATA_SNAPSHOT_MAX_INTERVAL_MS_DEFAULT = 60 * 60 * 1000
    METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES_CONFIG = "metadata.log.max.record.bytes.between.snapshots"
    METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES = 20 * 1024 * 1024
    METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES_DOC = (
        "In Kafka, a node snapshots the cluster's metadata after this many bytes of new metadata records.")
    METADATA_SNAPSHOT_MAX_INTERVAL_MS_DOC = (
        "In Kafka, a node snapshots changed metadata at the latest after this many milliseconds; 0 turns "
        "that off.")
    CONTROLLER_LISTENER_NAMES_CONFIG = "controller.listener.names"
    CONTROLLER_LISTENER_NAMES_DOC = (
        "Listeners with these names belong to the controller, and the broker does not advertise them.")
    SASL_MECHANISM_CONTROLLER_PROTOCOL_CONFIG = "sasl.mechanism.controller.protocol"
    SASL_MECHANISM_CONTROLLER_PROTOCOL_DOC = (
        "In Kafka, brokers authenticate to the controller with this SASL mechanism.")
    METADATA_LOG_SEGMENT_MIN_BYTES_CONFIG = "metadata.log.segment.min.bytes"
    METADATA_LOG_SEGMENT_MIN_BYTES_DOC = (
        "In Kafka, no segment size below this many bytes is accepted for the metadata log, except in tests.")
    METADATA_LOG_SEGMENT_BYTES_CONFIG = "metadata.log.segment.bytes"
    METADATA_LOG_SEGMENT_BYTES_DOC = "In Kafka, a segment of the metadata log has at most this many bytes."
    METADATA_LOG_SEGMENT_MILLIS_CONFIG = "metadata.log.segment.ms"
    METADATA_LOG_SEGMENT_MILLIS_DOC = (
        "In Kafka, the metadata log starts a new segment after this many milliseconds.")
    METADATA_MAX_RETENTION_BYTES_CONFIG = "metadata.max.retention.bytes"
    METADATA_MAX_RETENTION_BYTES_DEFAULT = 100 * 1024 * 1024
    METADATA_MAX_RETENTION_BYTES_DOC = (
        "In Kafka, the oldest metadata and snapshots are deleted beyond this many bytes.")
    METADATA_MAX_RETENTION_MILLIS_CONFIG = "metadata.max.retention.ms"
    METADATA_MAX_RETENTION_MILLIS_DOC = (
        "In Kafka, metadata and snapshots are deleted once they are older than this many milliseconds.")
    METADATA_MAX_IDLE_INTERVAL_MS_CONFIG = "metadata.max.idle.interval.ms"
    METADATA_MAX_IDLE_INTERVAL_MS_DEFAULT = 500
    METADATA_MAX_IDLE_INTERVAL_MS_DOC = (
        "In Kafka, an idle controller appends a no-op record every so many milliseconds; 0 turns that off.")
    SERVER_MAX_STARTUP_TIME_MS_CONFIG = "server.max.startup.time.ms"
    SERVER_MAX_STARTUP_TIME_MS_DEFAULT = 2**63 - 1
    SERVER_MAX_STARTUP_TIME_MS_DOC = (
        "In Kafka, a node that is not up after this many milliseconds ends its start with an error.")
    MIGRATION_ENABLED_CONFIG = "zookeeper.metadata.migration.enable"
    MIGRATION_ENABLED_DOC = (
        "In Kafka, true lets the cluster move its metadata from ZooKeeper to a quorum of controllers.")
    MIGRATION_METADATA_MIN_BATCH_SIZE_CONFIG = "zookeeper.metadata.migration.min.batch.size"
    MIGRATION_METADATA_MIN_BATCH_SIZE_DEFAULT = 200
    MIGRATION_METADATA_MIN_BATCH_SIZE_DOC = (
        "In Kafka, the migration from ZooKeeper writes metadata in batches of at least this many records.")
    ELR_ENABLED_CONFIG = "eligible.leader.replicas.enable"
    ELR_ENABLED_DOC = (
        "In Kafka, true has the controller remember replicas that left the in-sync set and may still lead "
        "safely.")
