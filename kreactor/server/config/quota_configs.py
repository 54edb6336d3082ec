# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.QuotaConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of quotas: those of the broker, and those of a user, a client or an address."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef


class QuotaConfigs:
    """Names and defaults.

    :origin: server.config.QuotaConfigs
    """

    NUM_QUOTA_SAMPLES_CONFIG = "quota.window.num"
    NUM_QUOTA_SAMPLES_DOC = "Client quotas look back on this many windows."
    NUM_CONTROLLER_QUOTA_SAMPLES_CONFIG = "controller.quota.window.num"
    NUM_CONTROLLER_QUOTA_SAMPLES_DOC = "Quotas of topic and partition changes look back on this many windows."
    NUM_REPLICATION_QUOTA_SAMPLES_CONFIG = "replication.quota.window.num"
    NUM_REPLICATION_QUOTA_SAMPLES_DOC = "In Kafka, replication quotas look back on this many windows."
    NUM_ALTER_LOG_DIRS_REPLICATION_QUOTA_SAMPLES_CONFIG = "alter.log.dirs.replication.quota.window.num"
    NUM_ALTER_LOG_DIRS_REPLICATION_QUOTA_SAMPLES_DOC = (
        "In Kafka, the quota of moves between log folders looks back on this many windows.")
    # Ten complete windows, and the current one.
    NUM_QUOTA_SAMPLES_DEFAULT = 11
    QUOTA_WINDOW_SIZE_SECONDS_CONFIG = "quota.window.size.seconds"
    QUOTA_WINDOW_SIZE_SECONDS_DOC = "A window of client quotas spans this many seconds."
    CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_CONFIG = "controller.quota.window.size.seconds"
    CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_DOC = (
        "A window of the quotas of topic and partition changes spans this many seconds.")
    REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_CONFIG = "replication.quota.window.size.seconds"
    REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_DOC = (
        "In Kafka, a window of replication quotas spans this many seconds.")
    ALTER_LOG_DIRS_REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_CONFIG = (
        "alter.log.dirs.replication.quota.window.size.seconds")
    ALTER_LOG_DIRS_REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_DOC = (
        "In Kafka, a window of the quota of moves between log folders spans this many seconds.")
    QUOTA_WINDOW_SIZE_SECONDS_DEFAULT = 1
    CLIENT_QUOTA_CALLBACK_CLASS_CONFIG = "client.quota.callback.class"
    CLIENT_QUOTA_CALLBACK_CLASS_DOC = (
        "This class computes the quotas of clients, in place of those that are stored.")
    LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG = "leader.replication.throttled.replicas"
    LEADER_REPLICATION_THROTTLED_REPLICAS_DOC = (
        "In Kafka, the leaders' replication quota applies to these replicas, as partition:broker with "
        "commas, or * for all.")
    LEADER_REPLICATION_THROTTLED_REPLICAS_DEFAULT: tuple[str, ...] = ()
    FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG = "follower.replication.throttled.replicas"
    FOLLOWER_REPLICATION_THROTTLED_REPLICAS_DOC = (
        "In Kafka, the followers' replication quota applies to these replicas, as partition:broker with "
        "commas, or * for all.")
    FOLLOWER_REPLICATION_THROTTLED_REPLICAS_DEFAULT: tuple[str, ...] = ()
    LEADER_REPLICATION_THROTTLED_RATE_CONFIG = "leader.replication.throttled.rate"
    LEADER_REPLICATION_THROTTLED_RATE_DOC = (
        "In Kafka, the throttled replicas that a broker leads send at most this many bytes a second to "
        "followers.")
    FOLLOWER_REPLICATION_THROTTLED_RATE_CONFIG = "follower.replication.throttled.rate"
    FOLLOWER_REPLICATION_THROTTLED_RATE_DOC = (
        "In Kafka, the throttled replicas that follow on a broker receive at most this many bytes a second.")
    REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND_CONFIG = "replica.alter.log.dirs.io.max.bytes.per.second"
    REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND_DOC = (
        "In Kafka, moves between a broker's log folders take at most this many bytes a second.")
    QUOTA_BYTES_PER_SECOND_DEFAULT = 2**63 - 1
    PRODUCER_BYTE_RATE_OVERRIDE_CONFIG = "producer_byte_rate"
    CONSUMER_BYTE_RATE_OVERRIDE_CONFIG = "consumer_byte_rate"
    REQUEST_PERCENTAGE_OVERRIDE_CONFIG = "request_percentage"
    CONTROLLER_MUTATION_RATE_OVERRIDE_CONFIG = "controller_mutation_rate"
    IP_CONNECTION_RATE_OVERRIDE_CONFIG = "connection_creation_rate"
    PRODUCER_BYTE_RATE_DOC = (
        "The clients of a user or client id may write this many bytes a second to each broker before they "
        "are throttled.")
    CONSUMER_BYTE_RATE_DOC = (
        "The clients of a user or client id may fetch this many bytes a second from each broker before they "
        "are throttled.")
    REQUEST_PERCENTAGE_DOC = (
        "The clients of a user or client id may use this percentage of one thread's time on each broker.")
    CONTROLLER_MUTATION_RATE_DOC = (
        "The clients of a user or client id may create or delete this many partitions a second.")
    IP_CONNECTION_RATE_DOC = "An address may open this many connections a second to each broker."
    IP_CONNECTION_RATE_DEFAULT = 2**31 - 1

    _USER_AND_CLIENT_QUOTA_NAMES = frozenset((
        PRODUCER_BYTE_RATE_OVERRIDE_CONFIG,
        CONSUMER_BYTE_RATE_OVERRIDE_CONFIG,
        REQUEST_PERCENTAGE_OVERRIDE_CONFIG,
        CONTROLLER_MUTATION_RATE_OVERRIDE_CONFIG,
    ))

    @staticmethod
    def _build_user_client_quota_config_def(config_def: ConfigDef) -> None:
        """:origin: server.config.QuotaConfigs#buildUserClientQuotaConfigDef(ConfigDef)"""
        for name, documentation in (
                (QuotaConfigs.PRODUCER_BYTE_RATE_OVERRIDE_CONFIG, QuotaConfigs.PRODUCER_BYTE_RATE_DOC),
                (QuotaConfigs.CONSUMER_BYTE_RATE_OVERRIDE_CONFIG, QuotaConfigs.CONSUMER_BYTE_RATE_DOC)):
            config_def.define(name, ConfigDef.Type.LONG, QuotaConfigs.QUOTA_BYTES_PER_SECOND_DEFAULT,
                              ConfigDef.Importance.MEDIUM, documentation)
        for name, documentation in (
                (QuotaConfigs.REQUEST_PERCENTAGE_OVERRIDE_CONFIG, QuotaConfigs.REQUEST_PERCENTAGE_DOC),
                (QuotaConfigs.CONTROLLER_MUTATION_RATE_OVERRIDE_CONFIG,
                 QuotaConfigs.CONTROLLER_MUTATION_RATE_DOC)):
            config_def.define(name, ConfigDef.Type.DOUBLE, float(2**31 - 1), ConfigDef.Importance.MEDIUM,
                              documentation)

    @staticmethod
    def user_and_client_quota_configs() -> ConfigDef:
        """Return the settings of users and clients.

        :origin: server.config.QuotaConfigs#userAndClientQuotaConfigs()
        """
        config_def = ConfigDef()
        QuotaConfigs._build_user_client_quota_config_def(config_def)
        return config_def

    @staticmethod
    def ip_configs() -> ConfigDef:
        """Return the settings of addresses.

        :origin: server.config.QuotaConfigs#ipConfigs()
        """
        config_def = ConfigDef()
        config_def.define(QuotaConfigs.IP_CONNECTION_RATE_OVERRIDE_CONFIG, ConfigDef.Type.INT,
                          QuotaConfigs.IP_CONNECTION_RATE_DEFAULT, ConfigDef.Range.at_least(0),
                          ConfigDef.Importance.MEDIUM, QuotaConfigs.IP_CONNECTION_RATE_DOC)
        return config_def
