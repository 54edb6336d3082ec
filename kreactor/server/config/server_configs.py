# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ServerConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of a broker as a whole: identity, threads, queues, limits of requests."""

from __future__ import annotations


class ServerConfigs:
    """Names and defaults.

    :origin: server.config.ServerConfigs
    """

    RESERVED_BROKER_MAX_ID_CONFIG = "reserved.broker.max.id"
    RESERVED_BROKER_MAX_ID_DEFAULT = 1000
    RESERVED_BROKER_MAX_ID_DOC = (
        "A ZooKeeper broker may choose its own broker.id only up to this number while generated ids are on.")
    BROKER_ID_GENERATION_ENABLE_CONFIG = "broker.id.generation.enable"
    BROKER_ID_GENERATION_ENABLE_DEFAULT = True
    BROKER_ID_GENERATION_ENABLE_DOC = "A ZooKeeper broker with broker.id=-1 is refused unless this is true."
    BROKER_ID_CONFIG = "broker.id"
    BROKER_ID_DEFAULT = -1
    BROKER_ID_DOC = (
        "The broker has this id in its cluster; node.id has precedence, and -1 leaves the choice to "
        "ZooKeeper.")
    MESSAGE_MAX_BYTES_CONFIG = "message.max.bytes"
    MESSAGE_MAX_BYTES_DOC = (
        "A batch with more bytes than this, after compression, is refused; max.message.bytes overrides it "
        "for a topic.")
    NUM_NETWORK_THREADS_CONFIG = "num.network.threads"
    NUM_NETWORK_THREADS_DEFAULT = 3
    NUM_NETWORK_THREADS_DOC = (
        "Each listener has this many processor threads, which read requests and write responses.")
    NUM_IO_THREADS_CONFIG = "num.io.threads"
    NUM_IO_THREADS_DEFAULT = 8
    NUM_IO_THREADS_DOC = "This many handler threads execute the requests of all listeners."
    BACKGROUND_THREADS_CONFIG = "background.threads"
    BACKGROUND_THREADS_DEFAULT = 10
    BACKGROUND_THREADS_DOC = "This many scheduler threads run periodic tasks such as retention and flushes."
    NUM_REPLICA_ALTER_LOG_DIRS_THREADS_CONFIG = "num.replica.alter.log.dirs.threads"
    NUM_REPLICA_ALTER_LOG_DIRS_THREADS_DOC = (
        "In Kafka, this many threads move replicas between log directories; a null value means one for each "
        "directory.")
    QUEUED_MAX_REQUESTS_CONFIG = "queued.max.requests"
    QUEUED_MAX_REQUESTS_DEFAULT = 500
    QUEUED_MAX_REQUESTS_DOC = (
        "The request queue holds this many requests; a full queue makes the network threads wait.")
    QUEUED_MAX_BYTES_CONFIG = "queued.max.request.bytes"
    QUEUED_MAX_REQUEST_BYTES_DEFAULT = -1
    QUEUED_MAX_REQUEST_BYTES_DOC = (
        "Requests in memory share this many bytes, beyond which no connection is read; -1 sets no limit.")
    REQUEST_TIMEOUT_MS_CONFIG = "request.timeout.ms"
    REQUEST_TIMEOUT_MS_DEFAULT = 30_000
    REQUEST_TIMEOUT_MS_DOC = (
        "A broker waits this many milliseconds for the creation of an internal topic or the append of a "
        "transaction marker.")
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG = "socket.connection.setup.timeout.ms"
    DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS = 10_000
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_DOC = (
        "In Kafka, the first attempt to connect to another broker may take this many milliseconds.")
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG = "socket.connection.setup.timeout.max.ms"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS = 30_000
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_DOC = (
        "In Kafka, the time for a connection attempt doubles with each failure, up to this many "
        "milliseconds.")
    DELETE_TOPIC_ENABLE_CONFIG = "delete.topic.enable"
    DELETE_TOPIC_ENABLE_DEFAULT = True
    DELETE_TOPIC_ENABLE_DOC = "False refuses the deletion of topics."
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_TYPE_DOC = "The broker compresses batches with this codec; producer keeps what arrives."
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_GZIP_LEVEL_DOC = (
        "The broker compresses at this level from 1 to 9 when its codec is gzip; -1 takes zlib's own "
        "default.")
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_LZ4_LEVEL_DOC = "The broker compresses at this level from 1 to 17 when its codec is lz4."
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    COMPRESSION_ZSTD_LEVEL_DOC = (
        "The broker compresses at this level when its codec is zstd, where below 0 is faster and larger.")
    BROKER_RACK_CONFIG = "broker.rack"
    BROKER_RACK_DOC = (
        "The broker stands in this rack, by which replicas are spread and nearby fetches are answered.")
    CONTROLLED_SHUTDOWN_MAX_RETRIES_CONFIG = "controlled.shutdown.max.retries"
    CONTROLLED_SHUTDOWN_MAX_RETRIES_DEFAULT = 3
    CONTROLLED_SHUTDOWN_MAX_RETRIES_DOC = (
        "In Kafka, a ZooKeeper broker tries this many times to hand its leaderships over before it stops.")
    CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_CONFIG = "controlled.shutdown.retry.backoff.ms"
    CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_DEFAULT = 5000
    CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_DOC = (
        "In Kafka, this many milliseconds pass between two attempts at a controlled shutdown.")
    CONTROLLED_SHUTDOWN_ENABLE_CONFIG = "controlled.shutdown.enable"
    CONTROLLED_SHUTDOWN_ENABLE_DEFAULT = True
    CONTROLLED_SHUTDOWN_ENABLE_DOC = (
        "In Kafka, true has a ZooKeeper broker hand its leaderships over before it stops.")
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_CONFIG = "max.incremental.fetch.session.cache.slots"
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_DEFAULT = 1000
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_DOC = (
        "The broker remembers this many incremental fetch sessions.")
    FETCH_MAX_BYTES_CONFIG = "fetch.max.bytes"
    FETCH_MAX_BYTES_DEFAULT = 55 * 1024 * 1024
    FETCH_MAX_BYTES_DOC = (
        "The response to a consumer's fetch has about this many bytes at most, whatever the consumer asks "
        "for.")
    MAX_REQUEST_PARTITION_SIZE_LIMIT_CONFIG = "max.request.partition.size.limit"
    MAX_REQUEST_PARTITION_SIZE_LIMIT_DEFAULT = 2000
    MAX_REQUEST_PARTITION_SIZE_LIMIT_DOC = (
        "A DescribeTopicPartitions response describes at most this many partitions.")
    UNSTABLE_API_VERSIONS_ENABLE_CONFIG = "unstable.api.versions.enable"
    UNSTABLE_FEATURE_VERSIONS_ENABLE_CONFIG = "unstable.feature.versions.enable"
    AUTHORIZER_CLASS_NAME_CONFIG = "authorizer.class.name"
    AUTHORIZER_CLASS_NAME_DEFAULT = ""
    AUTHORIZER_CLASS_NAME_DOC = (
        "This class decides which principal may do what; an empty value lets every client do everything.")
    EARLY_START_LISTENERS_CONFIG = "early.start.listeners"
    EARLY_START_LISTENERS_DOC = (
        "These listeners serve before the authorizer is ready; a null value means those of the controller.")
