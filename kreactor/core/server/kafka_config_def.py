# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All settings of a broker: name, type, default, validator, importance.

The list is complete and in Kafka's order. A file for Kafka loads here, and a value that Kafka refuses is
refused. ``config_warnings`` knows the settings without an effect.

DEVIATION D64: in Kafka these definitions are in the companion of KafkaConfig. Here the modules
``kafka_config``, ``dynamic_broker_config`` and ``dynamic_config`` import them, because their companions need
each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.security_config import SecurityConfig
from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.records import Records
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.utils import Utils
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.common.metadata_version_validator import MetadataVersionValidator
from kreactor.server.config.consumer_group_migration_policy import ConsumerGroupMigrationPolicy
from kreactor.server.config.delegation_token_manager_configs import DelegationTokenManagerConfigs
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from kreactor.server.config.group_type import GroupType
from kreactor.server.config.kraft_configs import KRaftConfigs
from kreactor.server.config.metric_configs import MetricConfigs
from kreactor.server.config.password_encoder_configs import PasswordEncoderConfigs
from kreactor.server.config.quorum_config import QuorumConfig
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.remote_log_manager_config import RemoteLogManagerConfig
from kreactor.server.config.replication_configs import ReplicationConfigs
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.transaction_log_configs import TransactionLogConfigs
from kreactor.server.config.transaction_state_manager_configs import TransactionStateManagerConfigs
from kreactor.server.config.zk_configs import ZkConfigs
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.storage.internals.log.log_config import LogConfig

# DEVIATION D263: kreactor's own setting, the maximum number of elements in all arrays of a request together.
REQUEST_MAX_ELEMENTS_CONFIG = "kreactor.request.max.elements"

# kreactor's own setting: "strict" restores those faults of Kafka 3.8.0 that STRICT_DEVIATIONS lists, for
# comparisons with Kafka. tools/checks/deviations compares the list with its registry.
FIDELITY_CONFIG = "kreactor.fidelity"
FIDELITY_STRICT = "strict"
STRICT_DEVIATIONS = (
    "D03", "D05", "D17", "D82", "D88", "D124", "D130", "D140", "D141", "D152", "D153", "D154", "D155", "D176",
    "D186", "D187", "D190", "D201", "D202", "D212", "D230", "D390", "D471")

# kreactor's own setting: whether the broker has the network layer of kreactor.fast.
FAST_CONFIG = "kreactor.fast"

_MS_PER_HOUR = 60 * 60 * 1000


def _config_def() -> ConfigDef:
    """Return the definitions.

    :origin: kafka.server.KafkaConfig#configDef
    """
    config_def = ConfigDef()
    STRING, INT, LONG, SHORT = (ConfigDef.Type.STRING, ConfigDef.Type.INT, ConfigDef.Type.LONG,
                                ConfigDef.Type.SHORT)
    DOUBLE, BOOLEAN, LIST = ConfigDef.Type.DOUBLE, ConfigDef.Type.BOOLEAN, ConfigDef.Type.LIST
    CLASS, PASSWORD = ConfigDef.Type.CLASS, ConfigDef.Type.PASSWORD
    HIGH, MEDIUM, LOW = ConfigDef.Importance.HIGH, ConfigDef.Importance.MEDIUM, ConfigDef.Importance.LOW
    at_least, between = ConfigDef.Range.at_least, ConfigDef.Range.between

    define, define_internal = config_def.define, config_def.define_internal_validator

    # ZooKeeper.
    define(ZkConfigs.ZK_CONNECT_CONFIG, STRING, None, None, HIGH, ZkConfigs.ZK_CONNECT_DOC)
    define(ZkConfigs.ZK_SESSION_TIMEOUT_MS_CONFIG, INT, ZkConfigs.ZK_SESSION_TIMEOUT_MS, None, HIGH,
           ZkConfigs.ZK_SESSION_TIMEOUT_MS_DOC)
    define(ZkConfigs.ZK_CONNECTION_TIMEOUT_MS_CONFIG, INT, None, None, HIGH,
           ZkConfigs.ZK_CONNECTION_TIMEOUT_MS_DOC)
    define(ZkConfigs.ZK_ENABLE_SECURE_ACLS_CONFIG, BOOLEAN, ZkConfigs.ZK_ENABLE_SECURE_ACLS, None, HIGH,
           ZkConfigs.ZK_ENABLE_SECURE_ACLS_DOC)
    define(ZkConfigs.ZK_MAX_IN_FLIGHT_REQUESTS_CONFIG, INT, ZkConfigs.ZK_MAX_IN_FLIGHT_REQUESTS, at_least(1),
           HIGH, ZkConfigs.ZK_MAX_IN_FLIGHT_REQUESTS_DOC)
    define(ZkConfigs.ZK_SSL_CLIENT_ENABLE_CONFIG, BOOLEAN, ZkConfigs.ZK_SSL_CLIENT_ENABLE, None, MEDIUM,
           ZkConfigs.ZK_SSL_CLIENT_ENABLE_DOC)
    define(ZkConfigs.ZK_CLIENT_CNXN_SOCKET_CONFIG, STRING, None, None, MEDIUM,
           ZkConfigs.ZK_CLIENT_CNXN_SOCKET_DOC)
    define(ZkConfigs.ZK_SSL_KEY_STORE_LOCATION_CONFIG, STRING, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_KEY_STORE_LOCATION_DOC)
    define(ZkConfigs.ZK_SSL_KEY_STORE_PASSWORD_CONFIG, PASSWORD, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_KEY_STORE_PASSWORD_DOC)
    define(ZkConfigs.ZK_SSL_KEY_STORE_TYPE_CONFIG, STRING, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_KEY_STORE_TYPE_DOC)
    define(ZkConfigs.ZK_SSL_TRUST_STORE_LOCATION_CONFIG, STRING, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_TRUST_STORE_LOCATION_DOC)
    define(ZkConfigs.ZK_SSL_TRUST_STORE_PASSWORD_CONFIG, PASSWORD, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_TRUST_STORE_PASSWORD_DOC)
    define(ZkConfigs.ZK_SSL_TRUST_STORE_TYPE_CONFIG, STRING, None, None, MEDIUM,
           ZkConfigs.ZK_SSL_TRUST_STORE_TYPE_DOC)
    define(ZkConfigs.ZK_SSL_PROTOCOL_CONFIG, STRING, ZkConfigs.ZK_SSL_PROTOCOL, None, LOW,
           ZkConfigs.ZK_SSL_PROTOCOL_DOC)
    define(ZkConfigs.ZK_SSL_ENABLED_PROTOCOLS_CONFIG, LIST, None, None, LOW,
           ZkConfigs.ZK_SSL_ENABLED_PROTOCOLS_DOC)
    define(ZkConfigs.ZK_SSL_CIPHER_SUITES_CONFIG, LIST, None, None, LOW, ZkConfigs.ZK_SSL_CIPHER_SUITES_DOC)
    define(ZkConfigs.ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, STRING,
           ZkConfigs.ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM, None, LOW,
           ZkConfigs.ZK_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_DOC)
    define(ZkConfigs.ZK_SSL_CRL_ENABLE_CONFIG, BOOLEAN, ZkConfigs.ZK_SSL_CRL_ENABLE, None, LOW,
           ZkConfigs.ZK_SSL_CRL_ENABLE_DOC)
    define(ZkConfigs.ZK_SSL_OCSP_ENABLE_CONFIG, BOOLEAN, ZkConfigs.ZK_SSL_OCSP_ENABLE, None, LOW,
           ZkConfigs.ZK_SSL_OCSP_ENABLE_DOC)

    # The node.
    define(ServerConfigs.BROKER_ID_GENERATION_ENABLE_CONFIG, BOOLEAN,
           ServerConfigs.BROKER_ID_GENERATION_ENABLE_DEFAULT, None, MEDIUM,
           ServerConfigs.BROKER_ID_GENERATION_ENABLE_DOC)
    define(ServerConfigs.RESERVED_BROKER_MAX_ID_CONFIG, INT, ServerConfigs.RESERVED_BROKER_MAX_ID_DEFAULT,
           at_least(0), MEDIUM, ServerConfigs.RESERVED_BROKER_MAX_ID_DOC)
    define(ServerConfigs.BROKER_ID_CONFIG, INT, ServerConfigs.BROKER_ID_DEFAULT, None, HIGH,
           ServerConfigs.BROKER_ID_DOC)
    define(ServerConfigs.MESSAGE_MAX_BYTES_CONFIG, INT, LogConfig.DEFAULT_MAX_MESSAGE_BYTES, at_least(0),
           HIGH, ServerConfigs.MESSAGE_MAX_BYTES_DOC)
    define(ServerConfigs.NUM_NETWORK_THREADS_CONFIG, INT, ServerConfigs.NUM_NETWORK_THREADS_DEFAULT,
           at_least(1), HIGH, ServerConfigs.NUM_NETWORK_THREADS_DOC)
    define(ServerConfigs.NUM_IO_THREADS_CONFIG, INT, ServerConfigs.NUM_IO_THREADS_DEFAULT, at_least(1), HIGH,
           ServerConfigs.NUM_IO_THREADS_DOC)
    define(ServerConfigs.NUM_REPLICA_ALTER_LOG_DIRS_THREADS_CONFIG, INT, None, None, HIGH,
           ServerConfigs.NUM_REPLICA_ALTER_LOG_DIRS_THREADS_DOC)
    define(ServerConfigs.BACKGROUND_THREADS_CONFIG, INT, ServerConfigs.BACKGROUND_THREADS_DEFAULT,
           at_least(1), HIGH, ServerConfigs.BACKGROUND_THREADS_DOC)
    define(ServerConfigs.QUEUED_MAX_REQUESTS_CONFIG, INT, ServerConfigs.QUEUED_MAX_REQUESTS_DEFAULT,
           at_least(1), HIGH, ServerConfigs.QUEUED_MAX_REQUESTS_DOC)
    define(ServerConfigs.QUEUED_MAX_BYTES_CONFIG, LONG, ServerConfigs.QUEUED_MAX_REQUEST_BYTES_DEFAULT, None,
           MEDIUM, ServerConfigs.QUEUED_MAX_REQUEST_BYTES_DOC)
    define(ServerConfigs.REQUEST_TIMEOUT_MS_CONFIG, INT, ServerConfigs.REQUEST_TIMEOUT_MS_DEFAULT, None, HIGH,
           ServerConfigs.REQUEST_TIMEOUT_MS_DOC)
    define(ServerConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, LONG,
           ServerConfigs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS, None, MEDIUM,
           ServerConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_DOC)
    define(ServerConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, LONG,
           ServerConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS, None, MEDIUM,
           ServerConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_DOC)

    # KRaft.
    define(KRaftConfigs.METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES_CONFIG, LONG,
           KRaftConfigs.METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES, at_least(1), HIGH,
           KRaftConfigs.METADATA_SNAPSHOT_MAX_NEW_RECORD_BYTES_DOC)
    define(KRaftConfigs.METADATA_SNAPSHOT_MAX_INTERVAL_MS_CONFIG, LONG,
           KRaftConfigs.METADATA_SNAPSHOT_MAX_INTERVAL_MS_DEFAULT, at_least(0), HIGH,
           KRaftConfigs.METADATA_SNAPSHOT_MAX_INTERVAL_MS_DOC)
    define(KRaftConfigs.PROCESS_ROLES_CONFIG, LIST, [], ConfigDef.ValidList.in_("broker", "controller"), HIGH,
           KRaftConfigs.PROCESS_ROLES_DOC)
    define(KRaftConfigs.NODE_ID_CONFIG, INT, KRaftConfigs.EMPTY_NODE_ID, None, HIGH, KRaftConfigs.NODE_ID_DOC)
    define(KRaftConfigs.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_CONFIG, INT,
           KRaftConfigs.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_DEFAULT, None, MEDIUM,
           KRaftConfigs.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS_DOC)
    define(KRaftConfigs.BROKER_HEARTBEAT_INTERVAL_MS_CONFIG, INT,
           KRaftConfigs.BROKER_HEARTBEAT_INTERVAL_MS_DEFAULT, None, MEDIUM,
           KRaftConfigs.BROKER_HEARTBEAT_INTERVAL_MS_DOC)
    define(KRaftConfigs.BROKER_SESSION_TIMEOUT_MS_CONFIG, INT, KRaftConfigs.BROKER_SESSION_TIMEOUT_MS_DEFAULT,
           None, MEDIUM, KRaftConfigs.BROKER_SESSION_TIMEOUT_MS_DOC)
    define(KRaftConfigs.CONTROLLER_LISTENER_NAMES_CONFIG, STRING, None, None, HIGH,
           KRaftConfigs.CONTROLLER_LISTENER_NAMES_DOC)
    define(KRaftConfigs.SASL_MECHANISM_CONTROLLER_PROTOCOL_CONFIG, STRING, SaslConfigs.DEFAULT_SASL_MECHANISM,
           None, HIGH, KRaftConfigs.SASL_MECHANISM_CONTROLLER_PROTOCOL_DOC)
    define(KRaftConfigs.METADATA_LOG_DIR_CONFIG, STRING, None, None, HIGH, KRaftConfigs.METADATA_LOG_DIR_DOC)
    define(KRaftConfigs.METADATA_LOG_SEGMENT_BYTES_CONFIG, INT, LogConfig.DEFAULT_SEGMENT_BYTES,
           at_least(Records.LOG_OVERHEAD), HIGH, KRaftConfigs.METADATA_LOG_SEGMENT_BYTES_DOC)
    define_internal(KRaftConfigs.METADATA_LOG_SEGMENT_MIN_BYTES_CONFIG, INT, 8 * 1024 * 1024,
                    at_least(Records.LOG_OVERHEAD), HIGH, KRaftConfigs.METADATA_LOG_SEGMENT_MIN_BYTES_DOC)
    define(KRaftConfigs.METADATA_LOG_SEGMENT_MILLIS_CONFIG, LONG, LogConfig.DEFAULT_SEGMENT_MS, None, HIGH,
           KRaftConfigs.METADATA_LOG_SEGMENT_MILLIS_DOC)
    define(KRaftConfigs.METADATA_MAX_RETENTION_BYTES_CONFIG, LONG,
           KRaftConfigs.METADATA_MAX_RETENTION_BYTES_DEFAULT, None, HIGH,
           KRaftConfigs.METADATA_MAX_RETENTION_BYTES_DOC)
    define(KRaftConfigs.METADATA_MAX_RETENTION_MILLIS_CONFIG, LONG, LogConfig.DEFAULT_RETENTION_MS, None,
           HIGH, KRaftConfigs.METADATA_MAX_RETENTION_MILLIS_DOC)
    define(KRaftConfigs.METADATA_MAX_IDLE_INTERVAL_MS_CONFIG, INT,
           KRaftConfigs.METADATA_MAX_IDLE_INTERVAL_MS_DEFAULT, at_least(0), LOW,
           KRaftConfigs.METADATA_MAX_IDLE_INTERVAL_MS_DOC)
    define_internal(KRaftConfigs.SERVER_MAX_STARTUP_TIME_MS_CONFIG, LONG,
                    KRaftConfigs.SERVER_MAX_STARTUP_TIME_MS_DEFAULT, at_least(0), MEDIUM,
                    KRaftConfigs.SERVER_MAX_STARTUP_TIME_MS_DOC)
    define(KRaftConfigs.MIGRATION_ENABLED_CONFIG, BOOLEAN, False, None, HIGH,
           KRaftConfigs.MIGRATION_ENABLED_DOC)
    define(KRaftConfigs.ELR_ENABLED_CONFIG, BOOLEAN, False, None, HIGH, KRaftConfigs.ELR_ENABLED_DOC)
    define_internal(KRaftConfigs.MIGRATION_METADATA_MIN_BATCH_SIZE_CONFIG, INT,
                    KRaftConfigs.MIGRATION_METADATA_MIN_BATCH_SIZE_DEFAULT, at_least(1), MEDIUM,
                    KRaftConfigs.MIGRATION_METADATA_MIN_BATCH_SIZE_DOC)

    # Authorization.
    define(ServerConfigs.AUTHORIZER_CLASS_NAME_CONFIG, STRING, ServerConfigs.AUTHORIZER_CLASS_NAME_DEFAULT,
           ConfigDef.NonNullValidator(), LOW, ServerConfigs.AUTHORIZER_CLASS_NAME_DOC)
    define(ServerConfigs.EARLY_START_LISTENERS_CONFIG, STRING, None, None, HIGH,
           ServerConfigs.EARLY_START_LISTENERS_DOC)

    # The socket server.
    define(SocketServerConfigs.LISTENERS_CONFIG, STRING, SocketServerConfigs.LISTENERS_DEFAULT, None, HIGH,
           SocketServerConfigs.LISTENERS_DOC)
    define(SocketServerConfigs.ADVERTISED_LISTENERS_CONFIG, STRING, None, None, HIGH,
           SocketServerConfigs.ADVERTISED_LISTENERS_DOC)
    define(SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_CONFIG, STRING,
           SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_DEFAULT, None, LOW,
           SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_DOC)
    define(SocketServerConfigs.CONTROL_PLANE_LISTENER_NAME_CONFIG, STRING, None, None, HIGH,
           SocketServerConfigs.CONTROL_PLANE_LISTENER_NAME_DOC)
    define(SocketServerConfigs.SOCKET_SEND_BUFFER_BYTES_CONFIG, INT,
           SocketServerConfigs.SOCKET_SEND_BUFFER_BYTES_DEFAULT, None, HIGH,
           SocketServerConfigs.SOCKET_SEND_BUFFER_BYTES_DOC)
    define(SocketServerConfigs.SOCKET_RECEIVE_BUFFER_BYTES_CONFIG, INT,
           SocketServerConfigs.SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT, None, HIGH,
           SocketServerConfigs.SOCKET_RECEIVE_BUFFER_BYTES_DOC)
    define(SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_CONFIG, INT,
           SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_DEFAULT, at_least(1), HIGH,
           SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_DOC)
    define(SocketServerConfigs.SOCKET_LISTEN_BACKLOG_SIZE_CONFIG, INT,
           SocketServerConfigs.SOCKET_LISTEN_BACKLOG_SIZE_DEFAULT, at_least(1), MEDIUM,
           SocketServerConfigs.SOCKET_LISTEN_BACKLOG_SIZE_DOC)
    define(SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG, INT,
           SocketServerConfigs.MAX_CONNECTIONS_PER_IP_DEFAULT, at_least(0), MEDIUM,
           SocketServerConfigs.MAX_CONNECTIONS_PER_IP_DOC)
    define(SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG, STRING,
           SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_DEFAULT, None, MEDIUM,
           SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_DOC)
    define(SocketServerConfigs.MAX_CONNECTIONS_CONFIG, INT, SocketServerConfigs.MAX_CONNECTIONS_DEFAULT,
           at_least(0), MEDIUM, SocketServerConfigs.MAX_CONNECTIONS_DOC)
    define(SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG, INT,
           SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_DEFAULT, at_least(0), MEDIUM,
           SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_DOC)
    define(SocketServerConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG, LONG,
           SocketServerConfigs.CONNECTIONS_MAX_IDLE_MS_DEFAULT, None, MEDIUM,
           SocketServerConfigs.CONNECTIONS_MAX_IDLE_MS_DOC)
    define(SocketServerConfigs.FAILED_AUTHENTICATION_DELAY_MS_CONFIG, INT,
           SocketServerConfigs.FAILED_AUTHENTICATION_DELAY_MS_DEFAULT, at_least(0), LOW,
           SocketServerConfigs.FAILED_AUTHENTICATION_DELAY_MS_DOC)

    # The rack.
    define(ServerConfigs.BROKER_RACK_CONFIG, STRING, None, None, MEDIUM, ServerConfigs.BROKER_RACK_DOC)

    # The log.
    define(ServerLogConfigs.NUM_PARTITIONS_CONFIG, INT, ServerLogConfigs.NUM_PARTITIONS_DEFAULT, at_least(1),
           MEDIUM, ServerLogConfigs.NUM_PARTITIONS_DOC)
    define(ServerLogConfigs.LOG_DIR_CONFIG, STRING, ServerLogConfigs.LOG_DIR_DEFAULT, None, HIGH,
           ServerLogConfigs.LOG_DIR_DOC)
    define(ServerLogConfigs.LOG_DIRS_CONFIG, STRING, None, None, HIGH, ServerLogConfigs.LOG_DIRS_DOC)
    define(ServerLogConfigs.LOG_SEGMENT_BYTES_CONFIG, INT, LogConfig.DEFAULT_SEGMENT_BYTES,
           at_least(LegacyRecord.RECORD_OVERHEAD_V0), HIGH, ServerLogConfigs.LOG_SEGMENT_BYTES_DOC)
    define(ServerLogConfigs.LOG_ROLL_TIME_MILLIS_CONFIG, LONG, None, None, HIGH,
           ServerLogConfigs.LOG_ROLL_TIME_MILLIS_DOC)
    define(ServerLogConfigs.LOG_ROLL_TIME_HOURS_CONFIG, INT, LogConfig.DEFAULT_SEGMENT_MS // _MS_PER_HOUR,
           at_least(1), HIGH, ServerLogConfigs.LOG_ROLL_TIME_HOURS_DOC)
    define(ServerLogConfigs.LOG_ROLL_TIME_JITTER_MILLIS_CONFIG, LONG, None, None, HIGH,
           ServerLogConfigs.LOG_ROLL_TIME_JITTER_MILLIS_DOC)
    define(ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_CONFIG, INT,
           LogConfig.DEFAULT_SEGMENT_JITTER_MS // _MS_PER_HOUR, at_least(0), HIGH,
           ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_DOC)
    define(ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG, LONG, None, None, HIGH,
           ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_DOC)
    define(ServerLogConfigs.LOG_RETENTION_TIME_MINUTES_CONFIG, INT, None, None, HIGH,
           ServerLogConfigs.LOG_RETENTION_TIME_MINUTES_DOC)
    define(ServerLogConfigs.LOG_RETENTION_TIME_HOURS_CONFIG, INT,
           LogConfig.DEFAULT_RETENTION_MS // _MS_PER_HOUR, None, HIGH,
           ServerLogConfigs.LOG_RETENTION_TIME_HOURS_DOC)
    define(ServerLogConfigs.LOG_RETENTION_BYTES_CONFIG, LONG, ServerLogConfigs.LOG_RETENTION_BYTES_DEFAULT,
           None, HIGH, ServerLogConfigs.LOG_RETENTION_BYTES_DOC)
    define(ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_DEFAULT, at_least(1), MEDIUM,
           ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_DOC)
    define(ServerLogConfigs.LOG_CLEANUP_POLICY_CONFIG, LIST, ServerLogConfigs.LOG_CLEANUP_POLICY_DEFAULT,
           ConfigDef.ValidList.in_(TopicConfig.CLEANUP_POLICY_COMPACT, TopicConfig.CLEANUP_POLICY_DELETE),
           MEDIUM, ServerLogConfigs.LOG_CLEANUP_POLICY_DOC)
    define(CleanerConfig.LOG_CLEANER_THREADS_PROP, INT, CleanerConfig.LOG_CLEANER_THREADS, at_least(0),
           MEDIUM, CleanerConfig.LOG_CLEANER_THREADS_DOC)
    define(CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP, DOUBLE,
           CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND, None, MEDIUM,
           CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_DOC)
    define(CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP, LONG,
           CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE, None, MEDIUM,
           CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_DOC)
    define(CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_PROP, INT, CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE,
           at_least(0), MEDIUM, CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_DOC)
    define(CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP, DOUBLE,
           CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR, None, MEDIUM,
           CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_DOC)
    define(CleanerConfig.LOG_CLEANER_BACKOFF_MS_PROP, LONG, CleanerConfig.LOG_CLEANER_BACKOFF_MS, at_least(0),
           MEDIUM, CleanerConfig.LOG_CLEANER_BACKOFF_MS_DOC)
    define(CleanerConfig.LOG_CLEANER_MIN_CLEAN_RATIO_PROP, DOUBLE,
           LogConfig.DEFAULT_MIN_CLEANABLE_DIRTY_RATIO, between(0, 1), MEDIUM,
           CleanerConfig.LOG_CLEANER_MIN_CLEAN_RATIO_DOC)
    define(CleanerConfig.LOG_CLEANER_ENABLE_PROP, BOOLEAN, CleanerConfig.LOG_CLEANER_ENABLE, None, MEDIUM,
           CleanerConfig.LOG_CLEANER_ENABLE_DOC)
    define(CleanerConfig.LOG_CLEANER_DELETE_RETENTION_MS_PROP, LONG, LogConfig.DEFAULT_DELETE_RETENTION_MS,
           at_least(0), MEDIUM, CleanerConfig.LOG_CLEANER_DELETE_RETENTION_MS_DOC)
    define(CleanerConfig.LOG_CLEANER_MIN_COMPACTION_LAG_MS_PROP, LONG,
           LogConfig.DEFAULT_MIN_COMPACTION_LAG_MS, at_least(0), MEDIUM,
           CleanerConfig.LOG_CLEANER_MIN_COMPACTION_LAG_MS_DOC)
    define(CleanerConfig.LOG_CLEANER_MAX_COMPACTION_LAG_MS_PROP, LONG,
           LogConfig.DEFAULT_MAX_COMPACTION_LAG_MS, at_least(1), MEDIUM,
           CleanerConfig.LOG_CLEANER_MAX_COMPACTION_LAG_MS_DOC)
    define(ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_CONFIG, INT,
           ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_DEFAULT, at_least(4), MEDIUM,
           ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_DOC)
    define(ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_CONFIG, INT,
           ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_DEFAULT, at_least(0), MEDIUM,
           ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_DOC)
    define(ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_CONFIG, LONG,
           ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_DEFAULT, at_least(1), HIGH,
           ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_DOC)
    define(ServerLogConfigs.LOG_DELETE_DELAY_MS_CONFIG, LONG, ServerLogConfigs.LOG_DELETE_DELAY_MS_DEFAULT,
           at_least(0), HIGH, ServerLogConfigs.LOG_DELETE_DELAY_MS_DOC)
    define(ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_DEFAULT, None, HIGH,
           ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_DOC)
    define(ServerLogConfigs.LOG_FLUSH_INTERVAL_MS_CONFIG, LONG, None, None, HIGH,
           ServerLogConfigs.LOG_FLUSH_INTERVAL_MS_DOC)
    define(ServerLogConfigs.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG, INT,
           ServerLogConfigs.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT, at_least(0), HIGH,
           ServerLogConfigs.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_DOC)
    define(ServerLogConfigs.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG, INT,
           ServerLogConfigs.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_DEFAULT, at_least(0), HIGH,
           ServerLogConfigs.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_DOC)
    define(ServerLogConfigs.LOG_PRE_ALLOCATE_CONFIG, BOOLEAN, LogConfig.DEFAULT_PREALLOCATE, None, MEDIUM,
           ServerLogConfigs.LOG_PRE_ALLOCATE_ENABLE_DOC)
    define(ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG, INT,
           ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_DEFAULT, at_least(1), HIGH,
           ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_DOC)
    define(ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_CONFIG, BOOLEAN,
           ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_DEFAULT, None, HIGH,
           ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_DOC)
    define(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG, INT, ServerLogConfigs.MIN_IN_SYNC_REPLICAS_DEFAULT,
           at_least(1), HIGH, ServerLogConfigs.MIN_IN_SYNC_REPLICAS_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_CONFIG, STRING,
           ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_DEFAULT, MetadataVersionValidator(), MEDIUM,
           ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_CONFIG, STRING,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_DEFAULT,
           ConfigDef.ValidString.in_("CreateTime", "LogAppendTime"), MEDIUM,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DEFAULT, at_least(0), MEDIUM,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DEFAULT, at_least(0), MEDIUM,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DEFAULT, at_least(0), MEDIUM,
           ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DOC)
    define(ServerLogConfigs.CREATE_TOPIC_POLICY_CLASS_NAME_CONFIG, CLASS, None, None, LOW,
           ServerLogConfigs.CREATE_TOPIC_POLICY_CLASS_NAME_DOC)
    define(ServerLogConfigs.ALTER_CONFIG_POLICY_CLASS_NAME_CONFIG, CLASS, None, None, LOW,
           ServerLogConfigs.ALTER_CONFIG_POLICY_CLASS_NAME_DOC)
    define(ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_CONFIG, BOOLEAN,
           ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_DEFAULT, None, LOW,
           ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_DOC)
    define_internal(ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_CONFIG, LONG,
                    ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_DEFAULT, at_least(0), LOW,
                    ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_DOC)
    define(ServerLogConfigs.LOG_DIR_FAILURE_TIMEOUT_MS_CONFIG, LONG,
           ServerLogConfigs.LOG_DIR_FAILURE_TIMEOUT_MS_DEFAULT, at_least(1), LOW,
           ServerLogConfigs.LOG_DIR_FAILURE_TIMEOUT_MS_DOC)

    # Replication.
    define(ReplicationConfigs.CONTROLLER_SOCKET_TIMEOUT_MS_CONFIG, INT,
           ReplicationConfigs.CONTROLLER_SOCKET_TIMEOUT_MS_DEFAULT, None, MEDIUM,
           ReplicationConfigs.CONTROLLER_SOCKET_TIMEOUT_MS_DOC)
    define(ReplicationConfigs.DEFAULT_REPLICATION_FACTOR_CONFIG, INT,
           ReplicationConfigs.REPLICATION_FACTOR_DEFAULT, None, MEDIUM,
           ReplicationConfigs.DEFAULT_REPLICATION_FACTOR_DOC)
    define(ReplicationConfigs.REPLICA_LAG_TIME_MAX_MS_CONFIG, LONG,
           ReplicationConfigs.REPLICA_LAG_TIME_MAX_MS_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_LAG_TIME_MAX_MS_DOC)
    define(ReplicationConfigs.REPLICA_SOCKET_TIMEOUT_MS_CONFIG, INT,
           ReplicationConfigs.REPLICA_SOCKET_TIMEOUT_MS_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_SOCKET_TIMEOUT_MS_DOC)
    define(ReplicationConfigs.REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_CONFIG, INT,
           ReplicationConfigs.REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_SOCKET_RECEIVE_BUFFER_BYTES_DOC)
    define(ReplicationConfigs.REPLICA_FETCH_MAX_BYTES_CONFIG, INT,
           ReplicationConfigs.REPLICA_FETCH_MAX_BYTES_DEFAULT, at_least(0), MEDIUM,
           ReplicationConfigs.REPLICA_FETCH_MAX_BYTES_DOC)
    define(ReplicationConfigs.REPLICA_FETCH_WAIT_MAX_MS_CONFIG, INT,
           ReplicationConfigs.REPLICA_FETCH_WAIT_MAX_MS_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_FETCH_WAIT_MAX_MS_DOC)
    define(ReplicationConfigs.REPLICA_FETCH_BACKOFF_MS_CONFIG, INT,
           ReplicationConfigs.REPLICA_FETCH_BACKOFF_MS_DEFAULT, at_least(0), MEDIUM,
           ReplicationConfigs.REPLICA_FETCH_BACKOFF_MS_DOC)
    define(ReplicationConfigs.REPLICA_FETCH_MIN_BYTES_CONFIG, INT,
           ReplicationConfigs.REPLICA_FETCH_MIN_BYTES_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_FETCH_MIN_BYTES_DOC)
    define(ReplicationConfigs.REPLICA_FETCH_RESPONSE_MAX_BYTES_CONFIG, INT,
           ReplicationConfigs.REPLICA_FETCH_RESPONSE_MAX_BYTES_DEFAULT, at_least(0), MEDIUM,
           ReplicationConfigs.REPLICA_FETCH_RESPONSE_MAX_BYTES_DOC)
    define(ReplicationConfigs.NUM_REPLICA_FETCHERS_CONFIG, INT,
           ReplicationConfigs.NUM_REPLICA_FETCHERS_DEFAULT, None, HIGH,
           ReplicationConfigs.NUM_REPLICA_FETCHERS_DOC)
    define(ReplicationConfigs.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_CONFIG, LONG,
           ReplicationConfigs.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_DEFAULT, None, HIGH,
           ReplicationConfigs.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS_DOC)
    define(ReplicationConfigs.FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG, INT,
           ReplicationConfigs.FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT, None, MEDIUM,
           ReplicationConfigs.FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC)
    define(ReplicationConfigs.PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG, INT,
           ReplicationConfigs.PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT, None, MEDIUM,
           ReplicationConfigs.PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC)
    define(ReplicationConfigs.DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG, INT,
           ReplicationConfigs.DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_DEFAULT, None, MEDIUM,
           ReplicationConfigs.DELETE_RECORDS_PURGATORY_PURGE_INTERVAL_REQUESTS_DOC)
    define(ReplicationConfigs.AUTO_LEADER_REBALANCE_ENABLE_CONFIG, BOOLEAN,
           ReplicationConfigs.AUTO_LEADER_REBALANCE_ENABLE_DEFAULT, None, HIGH,
           ReplicationConfigs.AUTO_LEADER_REBALANCE_ENABLE_DOC)
    define(ReplicationConfigs.LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_CONFIG, INT,
           ReplicationConfigs.LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_DEFAULT, None, HIGH,
           ReplicationConfigs.LEADER_IMBALANCE_PER_BROKER_PERCENTAGE_DOC)
    define(ReplicationConfigs.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_CONFIG, LONG,
           ReplicationConfigs.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_DEFAULT, at_least(1), HIGH,
           ReplicationConfigs.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS_DOC)
    define(ReplicationConfigs.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, BOOLEAN,
           LogConfig.DEFAULT_UNCLEAN_LEADER_ELECTION_ENABLE, None, HIGH,
           ReplicationConfigs.UNCLEAN_LEADER_ELECTION_ENABLE_DOC)
    define(ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_CONFIG, STRING,
           ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_DEFAULT,
           ConfigDef.ValidString.in_(*Utils.enum_options(SecurityProtocol)), MEDIUM,
           ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_DOC)
    define(ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_CONFIG, STRING,
           ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_DEFAULT, MetadataVersionValidator(), MEDIUM,
           ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_DOC)
    define(ReplicationConfigs.INTER_BROKER_LISTENER_NAME_CONFIG, STRING, None, None, MEDIUM,
           ReplicationConfigs.INTER_BROKER_LISTENER_NAME_DOC)
    define(ReplicationConfigs.REPLICA_SELECTOR_CLASS_CONFIG, STRING, None, None, MEDIUM,
           ReplicationConfigs.REPLICA_SELECTOR_CLASS_DOC)

    # Controlled shutdown.
    define(ServerConfigs.CONTROLLED_SHUTDOWN_MAX_RETRIES_CONFIG, INT,
           ServerConfigs.CONTROLLED_SHUTDOWN_MAX_RETRIES_DEFAULT, None, MEDIUM,
           ServerConfigs.CONTROLLED_SHUTDOWN_MAX_RETRIES_DOC)
    define(ServerConfigs.CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_CONFIG, LONG,
           ServerConfigs.CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_DEFAULT, None, MEDIUM,
           ServerConfigs.CONTROLLED_SHUTDOWN_RETRY_BACKOFF_MS_DOC)
    define(ServerConfigs.CONTROLLED_SHUTDOWN_ENABLE_CONFIG, BOOLEAN,
           ServerConfigs.CONTROLLED_SHUTDOWN_ENABLE_DEFAULT, None, MEDIUM,
           ServerConfigs.CONTROLLED_SHUTDOWN_ENABLE_DOC)

    # Groups.
    define(GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_DEFAULT, None, MEDIUM,
           GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_DEFAULT, None, MEDIUM,
           GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG, INT,
           GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_DEFAULT, None, MEDIUM,
           GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_DOC)
    define(GroupCoordinatorConfig.GROUP_MAX_SIZE_CONFIG, INT, GroupCoordinatorConfig.GROUP_MAX_SIZE_DEFAULT,
           at_least(1), MEDIUM, GroupCoordinatorConfig.GROUP_MAX_SIZE_DOC)

    # The new group coordinator.
    define(GroupCoordinatorConfig.GROUP_COORDINATOR_REBALANCE_PROTOCOLS_CONFIG, LIST,
           GroupCoordinatorConfig.GROUP_COORDINATOR_REBALANCE_PROTOCOLS_DEFAULT,
           ConfigDef.ValidList.in_(*Utils.enum_options(GroupType)), MEDIUM,
           GroupCoordinatorConfig.GROUP_COORDINATOR_REBALANCE_PROTOCOLS_DOC)
    define(GroupCoordinatorConfig.GROUP_COORDINATOR_NUM_THREADS_CONFIG, INT,
           GroupCoordinatorConfig.GROUP_COORDINATOR_NUM_THREADS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.GROUP_COORDINATOR_NUM_THREADS_DOC)
    define(GroupCoordinatorConfig.GROUP_COORDINATOR_APPEND_LINGER_MS_CONFIG, INT,
           GroupCoordinatorConfig.GROUP_COORDINATOR_APPEND_LINGER_MS_DEFAULT, at_least(0), MEDIUM,
           GroupCoordinatorConfig.GROUP_COORDINATOR_APPEND_LINGER_MS_DOC)
    define_internal(GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_CONFIG, BOOLEAN,
                    GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_DEFAULT, None, MEDIUM,
                    GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_DOC)

    # Groups of the new coordinator.
    define(GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SIZE_CONFIG, INT,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SIZE_DEFAULT, at_least(1), MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SIZE_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_CONFIG, LIST,
           GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_DEFAULT, None, MEDIUM,
           GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_DOC)
    define(GroupCoordinatorConfig.CONSUMER_GROUP_MIGRATION_POLICY_CONFIG, STRING,
           GroupCoordinatorConfig.CONSUMER_GROUP_MIGRATION_POLICY_DEFAULT,
           # In the order of Java's hash set, which its errors show.
           ConfigDef.CaseInsensitiveValidString.in_(
               *reversed(Utils.enum_options(ConsumerGroupMigrationPolicy))),
           MEDIUM, GroupCoordinatorConfig.CONSUMER_GROUP_MIGRATION_POLICY_DOC)

    # Offsets.
    define(GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_CONFIG, INT,
           GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_DEFAULT, None, HIGH,
           GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_DOC)
    define(GroupCoordinatorConfig.OFFSETS_LOAD_BUFFER_SIZE_CONFIG, INT,
           GroupCoordinatorConfig.OFFSETS_LOAD_BUFFER_SIZE_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_LOAD_BUFFER_SIZE_DOC)
    define(GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_CONFIG, SHORT,
           GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_DOC)
    define(GroupCoordinatorConfig.OFFSETS_TOPIC_PARTITIONS_CONFIG, INT,
           GroupCoordinatorConfig.OFFSETS_TOPIC_PARTITIONS_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_TOPIC_PARTITIONS_DOC)
    define(GroupCoordinatorConfig.OFFSETS_TOPIC_SEGMENT_BYTES_CONFIG, INT,
           GroupCoordinatorConfig.OFFSETS_TOPIC_SEGMENT_BYTES_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_TOPIC_SEGMENT_BYTES_DOC)
    define(GroupCoordinatorConfig.OFFSETS_TOPIC_COMPRESSION_CODEC_CONFIG, INT,
           GroupCoordinatorConfig.OFFSETS_TOPIC_COMPRESSION_CODEC_DEFAULT._id, None, HIGH,
           GroupCoordinatorConfig.OFFSETS_TOPIC_COMPRESSION_CODEC_DOC)
    define(GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_CONFIG, INT,
           GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_DOC)
    define(GroupCoordinatorConfig.OFFSETS_RETENTION_CHECK_INTERVAL_MS_CONFIG, LONG,
           GroupCoordinatorConfig.OFFSETS_RETENTION_CHECK_INTERVAL_MS_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSETS_RETENTION_CHECK_INTERVAL_MS_DOC)
    define(GroupCoordinatorConfig.OFFSET_COMMIT_TIMEOUT_MS_CONFIG, INT,
           GroupCoordinatorConfig.OFFSET_COMMIT_TIMEOUT_MS_DEFAULT, at_least(1), HIGH,
           GroupCoordinatorConfig.OFFSET_COMMIT_TIMEOUT_MS_DOC)
    define(GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_CONFIG, SHORT,
           GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_DEFAULT, None, HIGH,
           GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_DOC)
    define(ServerConfigs.DELETE_TOPIC_ENABLE_CONFIG, BOOLEAN, ServerConfigs.DELETE_TOPIC_ENABLE_DEFAULT, None,
           HIGH, ServerConfigs.DELETE_TOPIC_ENABLE_DOC)
    define(ServerConfigs.COMPRESSION_TYPE_CONFIG, STRING, LogConfig.DEFAULT_COMPRESSION_TYPE,
           ConfigDef.ValidString.in_(*BrokerCompressionType.names()), HIGH,
           ServerConfigs.COMPRESSION_TYPE_DOC)
    define(ServerConfigs.COMPRESSION_GZIP_LEVEL_CONFIG, INT, GzipCompression.DEFAULT_LEVEL,
           GzipCompression.LevelValidator(), MEDIUM, ServerConfigs.COMPRESSION_GZIP_LEVEL_DOC)
    define(ServerConfigs.COMPRESSION_LZ4_LEVEL_CONFIG, INT, Lz4Compression.DEFAULT_LEVEL,
           between(Lz4Compression.MIN_LEVEL, Lz4Compression.MAX_LEVEL), MEDIUM,
           ServerConfigs.COMPRESSION_LZ4_LEVEL_DOC)
    define(ServerConfigs.COMPRESSION_ZSTD_LEVEL_CONFIG, INT, ZstdCompression.DEFAULT_LEVEL,
           between(ZstdCompression.MIN_LEVEL, ZstdCompression.MAX_LEVEL), MEDIUM,
           ServerConfigs.COMPRESSION_ZSTD_LEVEL_DOC)

    # Transactions.
    transactions = TransactionStateManagerConfigs
    define(transactions.TRANSACTIONAL_ID_EXPIRATION_MS_CONFIG, INT,
           transactions.TRANSACTIONAL_ID_EXPIRATION_MS_DEFAULT, at_least(1), HIGH,
           transactions.TRANSACTIONAL_ID_EXPIRATION_MS_DOC)
    define(transactions.TRANSACTIONS_MAX_TIMEOUT_MS_CONFIG, INT,
           transactions.TRANSACTIONS_MAX_TIMEOUT_MS_DEFAULT, at_least(1), HIGH,
           transactions.TRANSACTIONS_MAX_TIMEOUT_MS_DOC)
    define(TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_CONFIG, INT,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_DEFAULT, at_least(1), HIGH,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_DOC)
    define(TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_CONFIG, INT,
           TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_DEFAULT, at_least(1), HIGH,
           TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_DOC)
    define(TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_CONFIG, SHORT,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_DEFAULT, at_least(1), HIGH,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_DOC)
    define(TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_CONFIG, INT,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_DEFAULT, at_least(1), HIGH,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_DOC)
    define(TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_CONFIG, INT,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_DEFAULT, at_least(1), HIGH,
           TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_DOC)
    define(transactions.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_CONFIG,
           INT,
           transactions.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_DEFAULT,
           at_least(1), LOW, transactions.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTIONS_INTERVAL_MS_DOC)
    define(
           transactions.TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_CONFIG,
           INT,
           transactions.TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_DEFAULT,
           at_least(1), LOW, transactions.TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONS_INTERVAL_MS_DOC)
    define(TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG, BOOLEAN,
           TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_DEFAULT, None, LOW,
           TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_DOC)
    define(TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG, INT,
           TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_DEFAULT, at_least(1), LOW,
           TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_DOC)
    define_internal(TransactionLogConfigs.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_CONFIG, INT,
                    TransactionLogConfigs.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_DEFAULT, at_least(1), LOW,
                    TransactionLogConfigs.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_DOC)

    # Fetches.
    define(ServerConfigs.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_CONFIG, INT,
           ServerConfigs.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_DEFAULT, at_least(0), MEDIUM,
           ServerConfigs.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_DOC)
    define(ServerConfigs.FETCH_MAX_BYTES_CONFIG, INT, ServerConfigs.FETCH_MAX_BYTES_DEFAULT, at_least(1024),
           MEDIUM, ServerConfigs.FETCH_MAX_BYTES_DOC)

    # Limits of requests.
    define(ServerConfigs.MAX_REQUEST_PARTITION_SIZE_LIMIT_CONFIG, INT,
           ServerConfigs.MAX_REQUEST_PARTITION_SIZE_LIMIT_DEFAULT, at_least(1), MEDIUM,
           ServerConfigs.MAX_REQUEST_PARTITION_SIZE_LIMIT_DOC)

    # Metrics.
    define(MetricConfigs.METRIC_NUM_SAMPLES_CONFIG, INT, MetricConfigs.METRIC_NUM_SAMPLES_DEFAULT,
           at_least(1), LOW, MetricConfigs.METRIC_NUM_SAMPLES_DOC)
    define(MetricConfigs.METRIC_SAMPLE_WINDOW_MS_CONFIG, LONG, MetricConfigs.METRIC_SAMPLE_WINDOW_MS_DEFAULT,
           at_least(1), LOW, MetricConfigs.METRIC_SAMPLE_WINDOW_MS_DOC)
    define(MetricConfigs.METRIC_REPORTER_CLASSES_CONFIG, LIST, MetricConfigs.METRIC_REPORTER_CLASSES_DEFAULT,
           None, LOW, MetricConfigs.METRIC_REPORTER_CLASSES_DOC)
    define(MetricConfigs.METRIC_RECORDING_LEVEL_CONFIG, STRING, MetricConfigs.METRIC_RECORDING_LEVEL_DEFAULT,
           None, LOW, MetricConfigs.METRIC_RECORDING_LEVEL_DOC)
    define(MetricConfigs.AUTO_INCLUDE_JMX_REPORTER_CONFIG, BOOLEAN,
           MetricConfigs.AUTO_INCLUDE_JMX_REPORTER_DEFAULT, None, LOW,
           MetricConfigs.AUTO_INCLUDE_JMX_REPORTER_DOC)
    define(MetricConfigs.KAFKA_METRICS_REPORTER_CLASSES_CONFIG, LIST,
           MetricConfigs.KAFKA_METRIC_REPORTER_CLASSES_DEFAULT, None, LOW,
           MetricConfigs.KAFKA_METRICS_REPORTER_CLASSES_DOC)
    define(MetricConfigs.KAFKA_METRICS_POLLING_INTERVAL_SECONDS_CONFIG, INT,
           MetricConfigs.KAFKA_METRICS_POLLING_INTERVAL_SECONDS_DEFAULT, at_least(1), LOW,
           MetricConfigs.KAFKA_METRICS_POLLING_INTERVAL_SECONDS_DOC)
    define(MetricConfigs.CLIENT_TELEMETRY_MAX_BYTES_CONFIG, INT,
           MetricConfigs.CLIENT_TELEMETRY_MAX_BYTES_DEFAULT, at_least(1), LOW,
           MetricConfigs.CLIENT_TELEMETRY_MAX_BYTES_DOC)

    # Quotas.
    define(QuotaConfigs.NUM_QUOTA_SAMPLES_CONFIG, INT, QuotaConfigs.NUM_QUOTA_SAMPLES_DEFAULT, at_least(1),
           LOW, QuotaConfigs.NUM_QUOTA_SAMPLES_DOC)
    define(QuotaConfigs.NUM_REPLICATION_QUOTA_SAMPLES_CONFIG, INT, QuotaConfigs.NUM_QUOTA_SAMPLES_DEFAULT,
           at_least(1), LOW, QuotaConfigs.NUM_REPLICATION_QUOTA_SAMPLES_DOC)
    define(QuotaConfigs.NUM_ALTER_LOG_DIRS_REPLICATION_QUOTA_SAMPLES_CONFIG, INT,
           QuotaConfigs.NUM_QUOTA_SAMPLES_DEFAULT, at_least(1), LOW,
           QuotaConfigs.NUM_ALTER_LOG_DIRS_REPLICATION_QUOTA_SAMPLES_DOC)
    define(QuotaConfigs.NUM_CONTROLLER_QUOTA_SAMPLES_CONFIG, INT, QuotaConfigs.NUM_QUOTA_SAMPLES_DEFAULT,
           at_least(1), LOW, QuotaConfigs.NUM_CONTROLLER_QUOTA_SAMPLES_DOC)
    define(QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_CONFIG, INT, QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DEFAULT,
           at_least(1), LOW, QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DOC)
    define(QuotaConfigs.REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_CONFIG, INT,
           QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DEFAULT, at_least(1), LOW,
           QuotaConfigs.REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_DOC)
    define(QuotaConfigs.ALTER_LOG_DIRS_REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_CONFIG, INT,
           QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DEFAULT, at_least(1), LOW,
           QuotaConfigs.ALTER_LOG_DIRS_REPLICATION_QUOTA_WINDOW_SIZE_SECONDS_DOC)
    define(QuotaConfigs.CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_CONFIG, INT,
           QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DEFAULT, at_least(1), LOW,
           QuotaConfigs.CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_DOC)
    define(QuotaConfigs.CLIENT_QUOTA_CALLBACK_CLASS_CONFIG, CLASS, None, None, LOW,
           QuotaConfigs.CLIENT_QUOTA_CALLBACK_CLASS_DOC)

    # Security.
    define(BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG, LONG,
           BrokerSecurityConfigs.DEFAULT_CONNECTIONS_MAX_REAUTH_MS, None, MEDIUM,
           BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_DOC)
    define(BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG, INT,
           BrokerSecurityConfigs.DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE, None, MEDIUM,
           BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_DOC)
    define(SecurityConfig.SECURITY_PROVIDERS_CONFIG, STRING, None, None, LOW,
           SecurityConfig.SECURITY_PROVIDERS_DOC)

    # TLS.
    define(BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG, CLASS,
           BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_DEFAULT, None, MEDIUM,
           BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_DOC)
    define(SslConfigs.SSL_PROTOCOL_CONFIG, STRING, SslConfigs.DEFAULT_SSL_PROTOCOL, None, MEDIUM,
           SslConfigs.SSL_PROTOCOL_DOC)
    define(SslConfigs.SSL_PROVIDER_CONFIG, STRING, None, None, MEDIUM, SslConfigs.SSL_PROVIDER_DOC)
    define(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, LIST, SslConfigs.DEFAULT_SSL_ENABLED_PROTOCOLS, None,
           MEDIUM, SslConfigs.SSL_ENABLED_PROTOCOLS_DOC)
    define(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, STRING, SslConfigs.DEFAULT_SSL_KEYSTORE_TYPE, None, MEDIUM,
           SslConfigs.SSL_KEYSTORE_TYPE_DOC)
    define(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, STRING, None, None, MEDIUM,
           SslConfigs.SSL_KEYSTORE_LOCATION_DOC)
    define(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, PASSWORD, None, None, MEDIUM,
           SslConfigs.SSL_KEYSTORE_PASSWORD_DOC)
    define(SslConfigs.SSL_KEY_PASSWORD_CONFIG, PASSWORD, None, None, MEDIUM, SslConfigs.SSL_KEY_PASSWORD_DOC)
    define(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, PASSWORD, None, None, MEDIUM, SslConfigs.SSL_KEYSTORE_KEY_DOC)
    define(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, PASSWORD, None, None, MEDIUM,
           SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_DOC)
    define(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, STRING, SslConfigs.DEFAULT_SSL_TRUSTSTORE_TYPE, None,
           MEDIUM, SslConfigs.SSL_TRUSTSTORE_TYPE_DOC)
    define(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, STRING, None, None, MEDIUM,
           SslConfigs.SSL_TRUSTSTORE_LOCATION_DOC)
    define(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, PASSWORD, None, None, MEDIUM,
           SslConfigs.SSL_TRUSTSTORE_PASSWORD_DOC)
    define(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, PASSWORD, None, None, MEDIUM,
           SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_DOC)
    define(SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG, STRING, SslConfigs.DEFAULT_SSL_KEYMANGER_ALGORITHM,
           None, MEDIUM, SslConfigs.SSL_KEYMANAGER_ALGORITHM_DOC)
    define(SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG, STRING,
           SslConfigs.DEFAULT_SSL_TRUSTMANAGER_ALGORITHM, None, MEDIUM,
           SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_DOC)
    define(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, STRING,
           SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM, None, LOW,
           SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_DOC)
    define(SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG, STRING, None, None, LOW,
           SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_DOC)
    define(BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG, STRING,
           BrokerSecurityConfigs.SSL_CLIENT_AUTH_DEFAULT,
           ConfigDef.ValidString.in_(*Utils.enum_options(SslClientAuth)), MEDIUM,
           BrokerSecurityConfigs.SSL_CLIENT_AUTH_DOC)
    define(SslConfigs.SSL_CIPHER_SUITES_CONFIG, LIST, [], None, MEDIUM, SslConfigs.SSL_CIPHER_SUITES_DOC)
    define(BrokerSecurityConfigs.SSL_PRINCIPAL_MAPPING_RULES_CONFIG, STRING,
           BrokerSecurityConfigs.DEFAULT_SSL_PRINCIPAL_MAPPING_RULES, None, LOW,
           BrokerSecurityConfigs.SSL_PRINCIPAL_MAPPING_RULES_DOC)
    define(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, CLASS, None, None, LOW,
           SslConfigs.SSL_ENGINE_FACTORY_CLASS_DOC)
    define(BrokerSecurityConfigs.SSL_ALLOW_DN_CHANGES_CONFIG, BOOLEAN,
           BrokerSecurityConfigs.DEFAULT_SSL_ALLOW_DN_CHANGES_VALUE, None, LOW,
           BrokerSecurityConfigs.SSL_ALLOW_DN_CHANGES_DOC)
    define(BrokerSecurityConfigs.SSL_ALLOW_SAN_CHANGES_CONFIG, BOOLEAN,
           BrokerSecurityConfigs.DEFAULT_SSL_ALLOW_SAN_CHANGES_VALUE, None, LOW,
           BrokerSecurityConfigs.SSL_ALLOW_SAN_CHANGES_DOC)

    # SASL.
    define(BrokerSecurityConfigs.SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG, STRING,
           SaslConfigs.DEFAULT_SASL_MECHANISM, None, MEDIUM,
           BrokerSecurityConfigs.SASL_MECHANISM_INTER_BROKER_PROTOCOL_DOC)
    define(SaslConfigs.SASL_JAAS_CONFIG, PASSWORD, None, None, MEDIUM, SaslConfigs.SASL_JAAS_CONFIG_DOC)
    define(BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG, LIST,
           BrokerSecurityConfigs.DEFAULT_SASL_ENABLED_MECHANISMS, None, MEDIUM,
           BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_DOC)
    define(BrokerSecurityConfigs.SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG, CLASS, None, None, MEDIUM,
           BrokerSecurityConfigs.SASL_SERVER_CALLBACK_HANDLER_CLASS_DOC)
    define(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, CLASS, None, None, MEDIUM,
           SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS_DOC)
    define(SaslConfigs.SASL_LOGIN_CLASS, CLASS, None, None, MEDIUM, SaslConfigs.SASL_LOGIN_CLASS_DOC)
    define(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, CLASS, None, None, MEDIUM,
           SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS_DOC)
    define(SaslConfigs.SASL_KERBEROS_SERVICE_NAME, STRING, None, None, MEDIUM,
           SaslConfigs.SASL_KERBEROS_SERVICE_NAME_DOC)
    define(SaslConfigs.SASL_KERBEROS_KINIT_CMD, STRING, SaslConfigs.DEFAULT_KERBEROS_KINIT_CMD, None, MEDIUM,
           SaslConfigs.SASL_KERBEROS_KINIT_CMD_DOC)
    define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, DOUBLE,
           SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, None, MEDIUM,
           SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR_DOC)
    define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER, DOUBLE,
           SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_JITTER, None, MEDIUM,
           SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER_DOC)
    define(SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN, LONG,
           SaslConfigs.DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN, None, MEDIUM,
           SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN_DOC)
    define(BrokerSecurityConfigs.SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_CONFIG, LIST,
           BrokerSecurityConfigs.DEFAULT_SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES, None, MEDIUM,
           BrokerSecurityConfigs.SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_DOC)
    define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR, DOUBLE,
           SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR, None, MEDIUM,
           SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR_DOC)
    define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER, DOUBLE,
           SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_JITTER, None, MEDIUM,
           SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER_DOC)
    define(SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS, SHORT,
           SaslConfigs.DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS, None, MEDIUM,
           SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS_DOC)
    define(SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS, SHORT,
           SaslConfigs.DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS, None, MEDIUM,
           SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS_DOC)
    define(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, INT, None, None, LOW,
           SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS_DOC)
    define(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, INT, None, None, LOW,
           SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS_DOC)
    define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS, LONG,
           SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS, None, LOW,
           SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS_DOC)
    define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS, LONG, SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS,
           None, LOW, SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, STRING,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME, STRING,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, STRING, None, None, MEDIUM,
           SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL, STRING, None, None, MEDIUM,
           SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, LONG,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS, LONG,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS, LONG,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, INT,
           SaslConfigs.DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE, LIST, None, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE_DOC)
    define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER, STRING, None, None, LOW,
           SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER_DOC)

    # Delegation tokens.
    define(DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_ALIAS_CONFIG, PASSWORD, None, None,
           MEDIUM, DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_ALIAS_DOC)
    define(DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_CONFIG, PASSWORD, None, None, MEDIUM,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_DOC)
    define(DelegationTokenManagerConfigs.DELEGATION_TOKEN_MAX_LIFETIME_CONFIG, LONG,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_MAX_LIFE_TIME_MS_DEFAULT, at_least(1), MEDIUM,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_MAX_LIFE_TIME_DOC)
    define(DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_TIME_MS_CONFIG, LONG,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_TIME_MS_DEFAULT, at_least(1), MEDIUM,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_TIME_MS_DOC)
    define(DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS_CONFIG, LONG,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS_DEFAULT, at_least(1), LOW,
           DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_DOC)

    # Encryption of stored passwords.
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_SECRET_CONFIG, PASSWORD, None, None, MEDIUM,
           PasswordEncoderConfigs.PASSWORD_ENCODER_SECRET_DOC)
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_OLD_SECRET_CONFIG, PASSWORD, None, None, MEDIUM,
           PasswordEncoderConfigs.PASSWORD_ENCODER_OLD_SECRET_DOC)
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_KEYFACTORY_ALGORITHM_CONFIG, STRING, None, None, LOW,
           PasswordEncoderConfigs.PASSWORD_ENCODER_KEYFACTORY_ALGORITHM_DOC)
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_CIPHER_ALGORITHM_CONFIG, STRING,
           PasswordEncoderConfigs.PASSWORD_ENCODER_CIPHER_ALGORITHM_DEFAULT, None, LOW,
           PasswordEncoderConfigs.PASSWORD_ENCODER_CIPHER_ALGORITHM_DOC)
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_KEY_LENGTH_CONFIG, INT,
           PasswordEncoderConfigs.PASSWORD_ENCODER_KEY_LENGTH_DEFAULT, at_least(8), LOW,
           PasswordEncoderConfigs.PASSWORD_ENCODER_KEY_LENGTH_DOC)
    define(PasswordEncoderConfigs.PASSWORD_ENCODER_ITERATIONS_CONFIG, INT,
           PasswordEncoderConfigs.PASSWORD_ENCODER_ITERATIONS_DEFAULT, at_least(1024), LOW,
           PasswordEncoderConfigs.PASSWORD_ENCODER_ITERATIONS_DOC)

    # The quorum of controllers.
    define(QuorumConfig.QUORUM_VOTERS_CONFIG, LIST, QuorumConfig.DEFAULT_QUORUM_VOTERS,
           QuorumConfig.ControllerQuorumVotersValidator(), HIGH, QuorumConfig.QUORUM_VOTERS_DOC)
    define_internal(QuorumConfig.QUORUM_BOOTSTRAP_SERVERS_CONFIG, LIST,
                    QuorumConfig.DEFAULT_QUORUM_BOOTSTRAP_SERVERS,
                    QuorumConfig.ControllerQuorumBootstrapServersValidator(), HIGH,
                    QuorumConfig.QUORUM_BOOTSTRAP_SERVERS_DOC)
    define(QuorumConfig.QUORUM_ELECTION_TIMEOUT_MS_CONFIG, INT,
           QuorumConfig.DEFAULT_QUORUM_ELECTION_TIMEOUT_MS, None, HIGH,
           QuorumConfig.QUORUM_ELECTION_TIMEOUT_MS_DOC)
    define(QuorumConfig.QUORUM_FETCH_TIMEOUT_MS_CONFIG, INT, QuorumConfig.DEFAULT_QUORUM_FETCH_TIMEOUT_MS,
           None, HIGH, QuorumConfig.QUORUM_FETCH_TIMEOUT_MS_DOC)
    define(QuorumConfig.QUORUM_ELECTION_BACKOFF_MAX_MS_CONFIG, INT,
           QuorumConfig.DEFAULT_QUORUM_ELECTION_BACKOFF_MAX_MS, None, HIGH,
           QuorumConfig.QUORUM_ELECTION_BACKOFF_MAX_MS_DOC)
    define(QuorumConfig.QUORUM_LINGER_MS_CONFIG, INT, QuorumConfig.DEFAULT_QUORUM_LINGER_MS, None, MEDIUM,
           QuorumConfig.QUORUM_LINGER_MS_DOC)
    define(QuorumConfig.QUORUM_REQUEST_TIMEOUT_MS_CONFIG, INT, QuorumConfig.DEFAULT_QUORUM_REQUEST_TIMEOUT_MS,
           None, MEDIUM, QuorumConfig.QUORUM_REQUEST_TIMEOUT_MS_DOC)
    define(QuorumConfig.QUORUM_RETRY_BACKOFF_MS_CONFIG, INT, QuorumConfig.DEFAULT_QUORUM_RETRY_BACKOFF_MS,
           None, LOW, QuorumConfig.QUORUM_RETRY_BACKOFF_MS_DOC)

    # Internal.
    define_internal(ServerConfigs.UNSTABLE_API_VERSIONS_ENABLE_CONFIG, BOOLEAN, False, None, HIGH,
                    "True offers versions of APIs that are still in development.")
    define_internal(ServerConfigs.UNSTABLE_FEATURE_VERSIONS_ENABLE_CONFIG, BOOLEAN, False, None, HIGH,
                    "In Kafka, true offers versions of features that are still in development.")

    # Tiered storage.
    for key in RemoteLogManagerConfig.config_def().config_keys().values():
        config_def.define(key)
    return config_def


CONFIG_DEF = _config_def()

# kreactor's own settings, which are not part of Kafka's definition.
OWN_CONFIG_DEF = (
    ConfigDef()
    .define(REQUEST_MAX_ELEMENTS_CONFIG, ConfigDef.Type.INT, 250_000, ConfigDef.Range.at_least(1),
            ConfigDef.Importance.LOW,
            "A request whose arrays together have more elements than this loses its connection.")
    .define(FIDELITY_CONFIG, ConfigDef.Type.STRING, "fixed",
            ConfigDef.ValidString.in_("fixed", FIDELITY_STRICT), ConfigDef.Importance.LOW,
            "The value strict restores faults of Kafka 3.8.0 that kreactor has mended, for comparisons.")
    .define(FAST_CONFIG, ConfigDef.Type.BOOLEAN, False, ConfigDef.Importance.LOW,
            "Whether the network layer answers more requests by other paths than Kafka's."))


def config_names() -> list[str]:
    """Return the names of all settings, sorted."""
    return sorted(CONFIG_DEF.names())


def default_values() -> Mapping[str, Any]:
    """Return the defaults of all settings."""
    return CONFIG_DEF.default_values()


def config_keys() -> Mapping[str, ConfigDef.ConfigKey]:
    """Return the definitions of all settings."""
    return CONFIG_DEF.config_keys()
