# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ReplicationConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of replication and of the communication between brokers; kreactor reads few of them."""

from __future__ import annotations

OMITTED = {
    "server.config.ReplicationConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class ReplicationConfigs:
    """Names and defaults.

    :origin: server.config.ReplicationConfigs
    """

    CONTROLLER_SOCKET_TIMEOUT_MS_CONFIG = "controller.socket.timeout.ms"
    CONTROLLER_SOCKET_TIMEOUT_MS_DEFAULT = 30_000
    DEFAULT_REPLICATION_FACTOR_CONFIG = "default.replication.factor"
    REPLICATION_FACTOR_DEFAULT = 1
    REPLICA_LAG_TIME_MAX_MS_CONFIG = "replica.lag.time.max.ms"
    REPLICA_LAG_TIME_MAX_MS_DEFAULT = 30_000
    REPLICA_SOCKET_TIMEOUT_MS_CONFIG = "replica.socket.timeout.ms"
    REPLICA_SOCKET_TIMEOUT_MS_DEFAULT = 30_000
    REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_CONFIG = "replica.socket.receive.buffer.bytes"
    REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT = 64 * 1024
    REPLICA_FETCH_MAX_BYTES_CONFIG = "replica.fetch.max.bytes"
    REPLICA_FETCH_MAX_BYTES_DEFAULT = 1024 * 1024
    REPLICA_FETCH_WAIT_MAX_MS_CONFIG = "replica.fetch.wait.max.ms"
    REPLICA_FETCH_WAIT_MAX_MS_DEFAULT = 500
    REPLICA_FETCH_MIN_BYTES_CONFIG = "replica.fetch.min.bytes"
    REPLICA_FETCH_MIN_BYTES_DEFAULT = 1
    REPLICA_FETCH_BACKOFF_MS_CONFIG = "replica.fetch.backoff.ms"
    REPLICA_FETCH_BACKOFF_MS_DEFAULT = 1000
    REPLICA_FETCH_RESPONSE_MAX_BYTES_CONFIG = "replica.fetch.response.max.bytes"
    REPLICA_FETCH_RESPONSE_MAX_BYTES_DEFAULT = 10 * 1024 * 1024
    NUM_REPLICA_FETCHERS_CONFIG = "num.replica.fetchers"
    NUM_REPLICA_FETCHERS_DEFAULT = 1
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_CONFIG = "replica.high.watermark.checkpoint.interval.ms"
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_DEFAULT = 5000
    FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = "fetch.purgatory.purge.interval.requests"
    FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1000
    PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = "producer.purgatory.purge.interval.requests"
    PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1000
    DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = (
        "delete.records.purgatory.purge.interval.requests"
    )
    DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1
    LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_CONFIG = "leader.imbalance.per.broker.percentage"
    LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_DEFAULT = 10
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_CONFIG = "leader.imbalance.check.interval.seconds"
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_DEFAULT = 300
    UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG = "unclean.leader.election.enable"
    INTER_BROKER_PROTOCOL_VERSION_CONFIG = "inter.broker.protocol.version"
    INTER_BROKER_PROTOCOL_VERSION_DEFAULT = "3.8-IV0"
    INTER_BROKER_SECURITY_PROTOCOL_CONFIG = "security.inter.broker.protocol"
    INTER_BROKER_SECURITY_PROTOCOL_DEFAULT = "PLAINTEXT"
    INTER_BROKER_LISTENER_NAME_CONFIG = "inter.broker.listener.name"
    REPLICA_SELECTOR_CLASS_CONFIG = "replica.selector.class"
    AUTO_LEADER_REBALANCE_ENABLE_CONFIG = "auto.leader.rebalance.enable"
    AUTO_LEADER_REBALANCE_ENABLE_DEFAULT = True
