# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Warnings about the settings in a ``server.properties`` that have no effect.

Two kinds of settings load and have no effect. Kafka does not know the first kind, which includes typing
errors. Kafka applies the second kind, and kreactor does not. Some settings of the second kind protect
something (a policy, for example); their warnings say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.core.server import kafka_config_def
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.config.delegation_token_manager_configs import DelegationTokenManagerConfigs
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from kreactor.server.config.kraft_configs import KRaftConfigs
from kreactor.server.config.metric_configs import MetricConfigs
from kreactor.server.config.quorum_config import QuorumConfig
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.replication_configs import ReplicationConfigs
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.transaction_log_configs import TransactionLogConfigs
from kreactor.server.config.transaction_state_manager_configs import TransactionStateManagerConfigs
from kreactor.server.config.zk_configs import ZkConfigs
from kreactor.storage.internals.log.cleaner_config import CleanerConfig

# Settings that change what kreactor does, or which values it refuses.
ACTED_UPON = frozenset((
    # The node's identity, and the settings that decide in which words its file is checked.
    ServerConfigs.BROKER_ID_CONFIG,
    ServerConfigs.BROKER_ID_GENERATION_ENABLE_CONFIG,
    ServerConfigs.BROKER_RACK_CONFIG,
    ServerConfigs.RESERVED_BROKER_MAX_ID_CONFIG,
    KRaftConfigs.CONTROLLER_LISTENER_NAMES_CONFIG,
    KRaftConfigs.NODE_ID_CONFIG,
    KRaftConfigs.PROCESS_ROLES_CONFIG,
    QuorumConfig.QUORUM_VOTERS_CONFIG,
    ZkConfigs.ZK_CONNECT_CONFIG,
    # Listeners and connections.
    SocketServerConfigs.ADVERTISED_LISTENERS_CONFIG,
    SocketServerConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG,
    SocketServerConfigs.CONTROL_PLANE_LISTENER_NAME_CONFIG,
    SocketServerConfigs.FAILED_AUTHENTICATION_DELAY_MS_CONFIG,
    SocketServerConfigs.LISTENERS_CONFIG,
    SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG,
    SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,
    SocketServerConfigs.SOCKET_LISTEN_BACKLOG_SIZE_CONFIG,
    SocketServerConfigs.SOCKET_RECEIVE_BUFFER_BYTES_CONFIG,
    SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_CONFIG,
    SocketServerConfigs.SOCKET_SEND_BUFFER_BYTES_CONFIG,
    ReplicationConfigs.INTER_BROKER_LISTENER_NAME_CONFIG,
    ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_CONFIG,
    ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_CONFIG,
    # Authorization.
    ServerConfigs.AUTHORIZER_CLASS_NAME_CONFIG,
    ServerConfigs.EARLY_START_LISTENERS_CONFIG,
    # Threads and queues.
    ServerConfigs.BACKGROUND_THREADS_CONFIG,
    ServerConfigs.NUM_IO_THREADS_CONFIG,
    ServerConfigs.NUM_NETWORK_THREADS_CONFIG,
    ServerConfigs.QUEUED_MAX_BYTES_CONFIG,
    ServerConfigs.QUEUED_MAX_REQUESTS_CONFIG,
    # Authentication.
    BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG,
    BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG,
    BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG,
    BrokerSecurityConfigs.SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG,
    BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG,
    BrokerSecurityConfigs.SSL_ALLOW_DN_CHANGES_CONFIG,
    BrokerSecurityConfigs.SSL_ALLOW_SAN_CHANGES_CONFIG,
    BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG,
    BrokerSecurityConfigs.SSL_PRINCIPAL_MAPPING_RULES_CONFIG,
    SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS,
    SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE,
    SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER,
    SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL,
    SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME,
    SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME,
    SslConfigs.SSL_CIPHER_SUITES_CONFIG,
    SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG,
    SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG,
    SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
    SslConfigs.SSL_KEYSTORE_KEY_CONFIG,
    SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
    SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
    SslConfigs.SSL_KEYSTORE_TYPE_CONFIG,
    SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG,
    SslConfigs.SSL_KEY_PASSWORD_CONFIG,
    SslConfigs.SSL_PROTOCOL_CONFIG,
    SslConfigs.SSL_PROVIDER_CONFIG,
    SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG,
    SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG,
    # Metrics and quotas.
    MetricConfigs.CLIENT_TELEMETRY_MAX_BYTES_CONFIG,
    MetricConfigs.METRIC_NUM_SAMPLES_CONFIG,
    MetricConfigs.METRIC_RECORDING_LEVEL_CONFIG,
    MetricConfigs.METRIC_REPORTER_CLASSES_CONFIG,
    MetricConfigs.METRIC_SAMPLE_WINDOW_MS_CONFIG,
    QuotaConfigs.CLIENT_QUOTA_CALLBACK_CLASS_CONFIG,
    QuotaConfigs.CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_CONFIG,
    QuotaConfigs.NUM_CONTROLLER_QUOTA_SAMPLES_CONFIG,
    QuotaConfigs.NUM_QUOTA_SAMPLES_CONFIG,
    QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_CONFIG,
    # Requests and topics.
    ServerConfigs.DELETE_TOPIC_ENABLE_CONFIG,
    ServerConfigs.FETCH_MAX_BYTES_CONFIG,
    ServerConfigs.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_CONFIG,
    ServerConfigs.MAX_REQUEST_PARTITION_SIZE_LIMIT_CONFIG,
    ServerConfigs.REQUEST_TIMEOUT_MS_CONFIG,
    ServerConfigs.UNSTABLE_API_VERSIONS_ENABLE_CONFIG,
    ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_CONFIG,
    ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG,
    ServerLogConfigs.NUM_PARTITIONS_CONFIG,
    ReplicationConfigs.DEFAULT_REPLICATION_FACTOR_CONFIG,
    ReplicationConfigs.FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG,
    ReplicationConfigs.PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG,
    ReplicationConfigs.REPLICA_SELECTOR_CLASS_CONFIG,
    # The log.
    ServerConfigs.COMPRESSION_GZIP_LEVEL_CONFIG,
    ServerConfigs.COMPRESSION_LZ4_LEVEL_CONFIG,
    ServerConfigs.COMPRESSION_TYPE_CONFIG,
    ServerConfigs.COMPRESSION_ZSTD_LEVEL_CONFIG,
    ServerConfigs.MESSAGE_MAX_BYTES_CONFIG,
    ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_CONFIG,
    ServerLogConfigs.LOG_CLEANUP_POLICY_CONFIG,
    ServerLogConfigs.LOG_DELETE_DELAY_MS_CONFIG,
    ServerLogConfigs.LOG_DIRS_CONFIG,
    ServerLogConfigs.LOG_DIR_CONFIG,
    ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_CONFIG,
    ServerLogConfigs.LOG_FLUSH_INTERVAL_MS_CONFIG,
    ServerLogConfigs.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG,
    ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG,
    ServerLogConfigs.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG,
    ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_CONFIG,
    ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_CONFIG,
    ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_CONFIG,
    ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_CONFIG,
    ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
    ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
    ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG,
    ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_CONFIG,
    ServerLogConfigs.LOG_PRE_ALLOCATE_CONFIG,
    ServerLogConfigs.LOG_RETENTION_BYTES_CONFIG,
    ServerLogConfigs.LOG_RETENTION_TIME_HOURS_CONFIG,
    ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG,
    ServerLogConfigs.LOG_RETENTION_TIME_MINUTES_CONFIG,
    ServerLogConfigs.LOG_ROLL_TIME_HOURS_CONFIG,
    ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_CONFIG,
    ServerLogConfigs.LOG_ROLL_TIME_JITTER_MILLIS_CONFIG,
    ServerLogConfigs.LOG_ROLL_TIME_MILLIS_CONFIG,
    ServerLogConfigs.LOG_SEGMENT_BYTES_CONFIG,
    # The cleaner of the log.
    CleanerConfig.LOG_CLEANER_BACKOFF_MS_PROP,
    CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP,
    CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP,
    CleanerConfig.LOG_CLEANER_DELETE_RETENTION_MS_PROP,
    CleanerConfig.LOG_CLEANER_ENABLE_PROP,
    CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_PROP,
    CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP,
    CleanerConfig.LOG_CLEANER_MAX_COMPACTION_LAG_MS_PROP,
    CleanerConfig.LOG_CLEANER_MIN_CLEAN_RATIO_PROP,
    CleanerConfig.LOG_CLEANER_MIN_COMPACTION_LAG_MS_PROP,
    CleanerConfig.LOG_CLEANER_THREADS_PROP,
    # Groups and their offsets.
    GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SIZE_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.GROUP_COORDINATOR_REBALANCE_PROTOCOLS_CONFIG,
    GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG,
    GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.GROUP_MAX_SIZE_CONFIG,
    GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.OFFSETS_LOAD_BUFFER_SIZE_CONFIG,
    GroupCoordinatorConfig.OFFSETS_RETENTION_CHECK_INTERVAL_MS_CONFIG,
    GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_CONFIG,
    GroupCoordinatorConfig.OFFSETS_TOPIC_COMPRESSION_CODEC_CONFIG,
    GroupCoordinatorConfig.OFFSETS_TOPIC_PARTITIONS_CONFIG,
    GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_CONFIG,
    GroupCoordinatorConfig.OFFSETS_TOPIC_SEGMENT_BYTES_CONFIG,
    GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_CONFIG,
    GroupCoordinatorConfig.OFFSET_COMMIT_TIMEOUT_MS_CONFIG,
    GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_CONFIG,
    # Producers and transactions.
    TransactionLogConfigs.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_CONFIG,
    TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG,
    TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_CONFIG,
    TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_CONFIG,
    TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_CONFIG,
    TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_CONFIG,
    TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_CONFIG,
    TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG,
    TransactionStateManagerConfigs.TRANSACTIONAL_ID_EXPIRATION_MS_CONFIG,
    TransactionStateManagerConfigs.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_CONFIG,
    TransactionStateManagerConfigs.TRANSACTIONS_MAX_TIMEOUT_MS_CONFIG,
    TransactionStateManagerConfigs.TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_CONFIG,
))

# The protection that each of these settings gives in Kafka, and that kreactor lacks.
_PROTECTION = {
    ServerLogConfigs.CREATE_TOPIC_POLICY_CLASS_NAME_CONFIG: "every topic can be created",
    ServerLogConfigs.ALTER_CONFIG_POLICY_CLASS_NAME_CONFIG: "every setting of a topic can be changed",
    DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_CONFIG: "no delegation token is accepted",
    DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_ALIAS_CONFIG: "no delegation token is accepted",
}

# Settings outside Kafka's definition of a broker's settings. Kafka's authorizers know the first ones, if an
# authorizer is set. Its config providers know the others, and kreactor applies those.
_AUTHORIZER = ("super.users", "allow.everyone.if.no.acl.found")
_AUTHORIZER_PREFIX = "authorizer."
_PROVIDER_PREFIX = "config.providers"
_LISTENER_PREFIX = "listener.name."
_CONTEXT_PREFIX = "metrics.context."
_PLUGIN_PREFIXES = ("rsm.config.", "rlmm.config.")


def config_warnings(props: Mapping[str, object]) -> list[str]:
    """Return a sentence for each of ``props`` that has no effect, in their order.

    Settings with the prefix of a listener, of a config provider or of the metrics context are skipped. The
    code that reads them is known only at run time.
    """
    known, own = kafka_config_def.config_keys(), kafka_config_def.OWN_CONFIG_DEF.names()
    has_authorizer = props.get(ServerConfigs.AUTHORIZER_CLASS_NAME_CONFIG) not in (None, "")
    warnings = []
    for name in props:
        if name in ACTED_UPON or name in own or name.startswith(
                (_LISTENER_PREFIX, _PROVIDER_PREFIX, _CONTEXT_PREFIX)):
            continue
        is_authorizers = name in _AUTHORIZER or name.startswith(_AUTHORIZER_PREFIX)
        if is_authorizers and has_authorizer:
            continue
        if is_authorizers:
            warnings.append(f"{name} has no effect: authorizer.class.name is not set, and every client may "
                            "do everything")
        elif name in _PROTECTION and props[name] not in (None, ""):
            warnings.append(f"{name} has no effect in kreactor: {_PROTECTION[name]}")
        elif name in known or name.startswith(_PLUGIN_PREFIXES):
            warnings.append(f"{name} is a setting of Kafka that has no effect in kreactor")
        else:
            warnings.append(f"{name} is not a setting of Kafka 3.8.0")
    return warnings
