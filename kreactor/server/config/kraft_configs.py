# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.KRaftConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a node of a KRaft cluster: its roles, its id, its metadata log."""

from __future__ import annotations

OMITTED = {
    "server.config.KRaftConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class KRaftConfigs:
    """Names and defaults.

    :origin: server.config.KRaftConfigs
    """

    PROCESS_ROLES_CONFIG = "process.roles"
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_CONFIG = "initial.broker.registration.timeout.ms"
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_DEFAULT = 60 * 1000
    BROKER_HEARTBEAT_INTERVAL_MS_CONFIG = "broker.heartbeat.interval.ms"
    BROKER_HEARTBEAT_INTERVAL_MS_DEFAULT = 2000
    BROKER_SESSION_TIMEOUT_MS_CONFIG = "broker.session.timeout.ms"
    BROKER_SESSION_TIMEOUT_MS_DEFAULT = 9000
    NODE_ID_CONFIG = "node.id"
    EMPTY_NODE_ID = -1
    METADATA_LOG_DIR_CONFIG = "metadata.log.dir"
    METADATA_SNAPSHOT_MAX_INTERVAL_MS_CONFIG = "metadata.log.max.snapshot.interval.ms"
    METADATA_SNAPSHOT_MAX_INTERVAL_MS_DEFAULT = 60 * 60 * 1000
    METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES_CONFIG = "metadata.log.max.record.bytes.between.snapshots"
    METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES = 20 * 1024 * 1024
    CONTROLLER_LISTENER_NAMES_CONFIG = "controller.listener.names"
    SASL_MECHANISM_CONTROLLER_PROTOCOL_CONFIG = "sasl.mechanism.controller.protocol"
    METADATA_LOG_SEGMENT_MIN_BYTES_CONFIG = "metadata.log.segment.min.bytes"
    METADATA_LOG_SEGMENT_BYTES_CONFIG = "metadata.log.segment.bytes"
    METADATA_LOG_SEGMENT_MILLIS_CONFIG = "metadata.log.segment.ms"
    METADATA_MAX_RETENTION_BYTES_CONFIG = "metadata.max.retention.bytes"
    METADATA_MAX_RETENTION_BYTES_DEFAULT = 100 * 1024 * 1024
    METADATA_MAX_RETENTION_MILLIS_CONFIG = "metadata.max.retention.ms"
    METADATA_MAX_IDLE_INTERVAL_MS_CONFIG = "metadata.max.idle.interval.ms"
    METADATA_MAX_IDLE_INTERVAL_MS_DEFAULT = 500
    SERVER_MAX_STARTUP_TIME_MS_CONFIG = "server.max.startup.time.ms"
    SERVER_MAX_STARTUP_TIME_MS_DEFAULT = 2**63 - 1
    MIGRATION_ENABLED_CONFIG = "zookeeper.metadata.migration.enable"
    MIGRATION_METADATA_MIN_BATCH_SIZE_CONFIG = "zookeeper.metadata.migration.min.batch.size"
    MIGRATION_METADATA_MIN_BATCH_SIZE_DEFAULT = 200
    ELR_ENABLED_CONFIG = "eligible.leader.replicas.enable"
