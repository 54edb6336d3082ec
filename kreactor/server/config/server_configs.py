# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ServerConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a broker as a whole: identity, threads, queues, limits of requests."""

from __future__ import annotations

OMITTED = {
    "server.config.ServerConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class ServerConfigs:
    """Names and defaults.

    :origin: server.config.ServerConfigs
    """

    RESERVED_BROKER_MAX_ID_CONFIG = "reserved.broker.max.id"
    RESERVED_BROKER_MAX_ID_DEFAULT = 1000
    BROKER_ID_GENERATION_ENABLE_CONFIG = "broker.id.generation.enable"
    BROKER_ID_GENERATION_ENABLE_DEFAULT = True
    BROKER_ID_CONFIG = "broker.id"
    BROKER_ID_DEFAULT = -1
    MESSAGE_MAX_BYTES_CONFIG = "message.max.bytes"
    NUM_NETWORK_THREADS_CONFIG = "num.network.threads"
    NUM_NETWORK_THREADS_DEFAULT = 3
    NUM_IO_THREADS_CONFIG = "num.io.threads"
    NUM_IO_THREADS_DEFAULT = 8
    BACKGROUND_THREADS_CONFIG = "background.threads"
    BACKGROUND_THREADS_DEFAULT = 10
    NUM_REPLICA_ALTER_LOG_DIRS_THREADS_CONFIG = "num.replica.alter.log.dirs.threads"
    QUEUED_MAX_REQUESTS_CONFIG = "queued.max.requests"
    QUEUED_MAX_REQUESTS_DEFAULT = 500
    QUEUED_MAX_BYTES_CONFIG = "queued.max.request.bytes"
    QUEUED_MAX_REQUEST_BYTES_DEFAULT = -1
    REQUEST_TIMEOUT_MS_CONFIG = "request.timeout.ms"
    REQUEST_TIMEOUT_MS_DEFAULT = 30_000
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG = "socket.connection.setup.timeout.ms"
    DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS = 10_000
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG = "socket.connection.setup.timeout.max.ms"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS = 30_000
    DELETE_TOPIC_ENABLE_CONFIG = "delete.topic.enable"
    DELETE_TOPIC_ENABLE_DEFAULT = True
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    BROKER_RACK_CONFIG = "broker.rack"
    CONTROLLED_SHUTDOWN_MAX_RETRIES_CONFIG = "controlled.shutdown.max.retries"
    CONTROLLED_SHUTDOWN_MAX_RETRIES_DEFAULT = 3
    CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_CONFIG = "controlled.shutdown.retry.backoff.ms"
    CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_DEFAULT = 5000
    CONTROLLED_SHUTDOWN_ENABLE_CONFIG = "controlled.shutdown.enable"
    CONTROLLED_SHUTDOWN_ENABLE_DEFAULT = True
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_CONFIG = "max.incremental.fetch.session.cache.slots"
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_DEFAULT = 1000
    FETCH_MAX_BYTES_CONFIG = "fetch.max.bytes"
    FETCH_MAX_BYTES_DEFAULT = 55 * 1024 * 1024
    MAX_REQUEST_PARTITION_SIZE_LIMIT_CONFIG = "max.request.partition.size.limit"
    MAX_REQUEST_PARTITION_SIZE_LIMIT_DEFAULT = 2000
    UNSTABLE_API_VERSIONS_ENABLE_CONFIG = "unstable.api.versions.enable"
    UNSTABLE_FEATURE_VERSIONS_ENABLE_CONFIG = "unstable.feature.versions.enable"
    AUTHORIZER_CLASS_NAME_CONFIG = "authorizer.class.name"
    AUTHORIZER_CLASS_NAME_DEFAULT = ""
    EARLY_START_LISTENERS_CONFIG = "early.start.listeners"
