# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ReplicationConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of replication and of the communication between brokers; kreactor reads few of them."""

from __future__ import annotations


class ReplicationConfigs:
    """Names and defaults.

    :origin: server.config.ReplicationConfigs
    """

    CONTROLLER_SOCKET_TIMEOUT_MS_CONFIG = "controller.socket.timeout.ms"
    CONTROLLER_SOCKET_TIMEOUT_MS_DEFAULT = 30_000
    CONTROLLER_SOCKET_TIMEOUT_MS_DOC = (
        "In Kafka, a ZooKeeper controller gives a broker this many milliseconds to answer.")
    DEFAULT_REPLICATION_FACTOR_CONFIG = "default.replication.factor"
    REPLICATION_FACTOR_DEFAULT = 1
    DEFAULT_REPLICATION_FACTOR_DOC = "A topic gets this many replicas if its creator does not say how many."
    REPLICA_LAG_TIME_MAX_MS_CONFIG = "replica.lag.time.max.ms"
    REPLICA_LAG_TIME_MAX_MS_DEFAULT = 30_000
    REPLICA_LAG_TIME_MAX_MS_DOC = (
        "In Kafka, a follower that has not caught up for this many milliseconds leaves the in-sync set.")
    REPLICA_SOCKET_TIMEOUT_MS_CONFIG = "replica.socket.timeout.ms"
    REPLICA_SOCKET_TIMEOUT_MS_DEFAULT = 30_000
    REPLICA_SOCKET_TIMEOUT_MS_DOC = (
        "In Kafka, a follower waits this many milliseconds for the leader's response.")
    REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_CONFIG = "replica.socket.receive.buffer.bytes"
    REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT = 64 * 1024
    REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_DOC = (
        "In Kafka, this is SO_RCVBUF, in bytes, of the connections on which followers fetch.")
    REPLICA_FETCH_MAX_BYTES_CONFIG = "replica.fetch.max.bytes"
    REPLICA_FETCH_MAX_BYTES_DEFAULT = 1024 * 1024
    REPLICA_FETCH_MAX_BYTES_DOC = (
        "In Kafka, a follower asks for this many bytes of each partition; a larger first batch comes whole.")
    REPLICA_FETCH_WAIT_MAX_MS_CONFIG = "replica.fetch.wait.max.ms"
    REPLICA_FETCH_WAIT_MAX_MS_DEFAULT = 500
    REPLICA_FETCH_WAIT_MAX_MS_DOC = (
        "In Kafka, the leader holds a follower's fetch for at most this many milliseconds.")
    REPLICA_FETCH_MIN_BYTES_CONFIG = "replica.fetch.min.bytes"
    REPLICA_FETCH_MIN_BYTES_DEFAULT = 1
    REPLICA_FETCH_MIN_BYTES_DOC = (
        "In Kafka, the leader answers a follower's fetch early once it has this many bytes.")
    REPLICA_FETCH_BACKOFF_MS_CONFIG = "replica.fetch.backoff.ms"
    REPLICA_FETCH_BACKOFF_MS_DEFAULT = 1000
    REPLICA_FETCH_BACKOFF_MS_DOC = (
        "In Kafka, a follower pauses for this many milliseconds after a partition's fetch has failed.")
    REPLICA_FETCH_RESPONSE_MAX_BYTES_CONFIG = "replica.fetch.response.max.bytes"
    REPLICA_FETCH_RESPONSE_MAX_BYTES_DEFAULT = 10 * 1024 * 1024
    REPLICA_FETCH_RESPONSE_MAX_BYTES_DOC = (
        "In Kafka, a whole response to a follower has about this many bytes at most.")
    NUM_REPLICA_FETCHERS_CONFIG = "num.replica.fetchers"
    NUM_REPLICA_FETCHERS_DEFAULT = 1
    NUM_REPLICA_FETCHERS_DOC = "In Kafka, this many threads fetch from each leader."
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_CONFIG = "replica.high.watermark.checkpoint.interval.ms"
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_DEFAULT = 5000
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_DOC = (
        "In Kafka, a broker writes its high watermarks to disk every so many milliseconds.")
    FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = "fetch.purgatory.purge.interval.requests"
    FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1000
    FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC = (
        "The purgatory of fetches removes completed operations from its lists after this many.")
    PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = "producer.purgatory.purge.interval.requests"
    PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1000
    PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC = (
        "The purgatory of writes removes completed operations from its lists after this many.")
    DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG = (
        "delete.records.purgatory.purge.interval.requests"
    )
    DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT = 1
    DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC = (
        "In Kafka, the purgatory of record deletions removes completed operations from its lists after this "
        "many.")
    LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_CONFIG = "leader.imbalance.per.broker.percentage"
    LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_DEFAULT = 10
    LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_DOC = (
        "In Kafka, a ZooKeeper controller moves leaders once this percentage of a broker's leaders is not "
        "preferred.")
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_CONFIG = "leader.imbalance.check.interval.seconds"
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_DEFAULT = 300
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_DOC = (
        "In Kafka, the controller looks every so many seconds for leaders to move back.")
    UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG = "unclean.leader.election.enable"
    UNCLEAN_LEADER_ELECTION_ENABLE_DOC = (
        "In Kafka, true lets a replica lead that is out of sync, at the price of its missing records.")
    INTER_BROKER_PROTOCOL_VERSION_CONFIG = "inter.broker.protocol.version"
    INTER_BROKER_PROTOCOL_VERSION_DEFAULT = "3.8-IV0"
    INTER_BROKER_PROTOCOL_VERSION_DOC = (
        "A ZooKeeper cluster speaks this version's protocol between its brokers until all are upgraded.")
    INTER_BROKER_SECURITY_PROTOCOL_CONFIG = "security.inter.broker.protocol"
    INTER_BROKER_SECURITY_PROTOCOL_DEFAULT = "PLAINTEXT"
    INTER_BROKER_LISTENER_NAME_CONFIG = "inter.broker.listener.name"
    INTER_BROKER_SECURITY_PROTOCOL_DOC = (
        "Brokers talk to each other with this security protocol, unless inter.broker.listener.name names a "
        "listener.")
    INTER_BROKER_LISTENER_NAME_DOC = (
        "Brokers reach each other at this listener; a null value means the one with "
        "security.inter.broker.protocol.")
    REPLICA_SELECTOR_CLASS_CONFIG = "replica.selector.class"
    REPLICA_SELECTOR_CLASS_DOC = (
        "This class chooses the replica that a consumer fetches from; a null value means the leader.")
    AUTO_LEADER_REBALANCE_ENABLE_CONFIG = "auto.leader.rebalance.enable"
    AUTO_LEADER_REBALANCE_ENABLE_DEFAULT = True
    AUTO_LEADER_REBALANCE_ENABLE_DOC = (
        "In Kafka, true moves leadership back to the preferred replicas from time to time.")
