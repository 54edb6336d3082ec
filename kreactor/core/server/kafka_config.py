# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of a broker: a ``server.properties`` file, checked as Kafka checks it, with an accessor per
setting.

Any thread may read. A dynamic setting is looked up at every call, in the config that is in force
(``_current_config``). That is a single attribute; its writer holds the lock of ``DynamicBrokerConfig``. All
other settings are read once, here, in the order of Kafka's source. That order decides which error is reported
for a file with several errors.

*Which files load.* A kreactor broker needs neither ZooKeeper nor a controller quorum. It loads files
that use either, and files that use neither:

    process.roles   zookeeper.connect   what it is          how it is checked
    set             any                 KRaft               as Kafka checks a KRaft node
    unset           set                 ZooKeeper           as Kafka checks a ZooKeeper broker
    unset           unset               a single node       as a ZooKeeper broker, but without ZooKeeper

A file that Kafka refuses is refused in Kafka's words, even where the error concerns the quorum. A KRaft
broker needs ``node.id``, voters and the name of a controller listener; a ZooKeeper broker must not name one.
Some accepted settings have no effect: those that concern only the quorum, ZooKeeper, replication or plug-ins
that are not ported. ``config_warnings`` says so. Only the third row is new: Kafka refuses such a file because
``zookeeper.connect`` is missing. A single node without ``broker.id`` and ``node.id`` has the id 1. As in
Kafka, a ZooKeeper broker without an id has -1 until the server gives it ``generated_broker_id``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.config.types.password import Password
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.server import kafka_config_def
from kreactor.core.server.dynamic_broker_config import DynamicBrokerConfig
from kreactor.core.server.dynamic_config import DynamicConfig
from kreactor.core.utils.core_utils import CoreUtils, require, set_text
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import java_text
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.security.authorizer.authorizer_utils import AuthorizerUtils
from kreactor.server.authorizer.authorizer import Authorizer
from kreactor.server.common.metadata_version import MINIMUM_KRAFT_VERSION, MetadataVersion
from kreactor.server.config.consumer_group_migration_policy import ConsumerGroupMigrationPolicy
from kreactor.server.config.delegation_token_manager_configs import DelegationTokenManagerConfigs
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from kreactor.server.config.group_type import GroupType
from kreactor.server.config.kraft_configs import KRaftConfigs
from kreactor.server.config.metric_configs import MetricConfigs
from kreactor.server.config.quorum_config import QuorumConfig
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.remote_log_manager_config import RemoteLogManagerConfig
from kreactor.server.config.replication_configs import ReplicationConfigs
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.transaction_log_configs import TransactionLogConfigs
from kreactor.server.config.transaction_state_manager_configs import TransactionStateManagerConfigs
from kreactor.server.config.zk_configs import ZkConfigs
from kreactor.server.process_role import ProcessRole
from kreactor.server.util.csv import Csv
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.storage.internals.log.log_config import LogConfig

# The id of a single node whose file sets none.
SINGLE_NODE_ID = 1

_MS_PER_HOUR = 60 * 60 * 1000
_MAX_LONG = 2**63 - 1
_MAX_INT = 2**31 - 1
_ZOOKEEPER_AUTHORIZERS = ("kafka.security.authorizer.AclAuthorizer",
                          "kafka.security.auth.SimpleAclAuthorizer")

_INT = re.compile(r"[+-]?[0-9]+")


def _to_int(text: str) -> int:
    """Return the number that Java's ``Integer.parseInt`` returns; raises as ``parseInt`` does."""
    if not _INT.fullmatch(text) or not -_MAX_INT - 1 <= int(text) <= _MAX_INT:
        raise IllegalArgumentException(f'For input string: "{text}"')
    return int(text)


def _names(listener_names: Collection[ListenerName]) -> str:
    return ",".join(listener_name.value() for listener_name in listener_names)


def _with_single_node_id(props: dict[str, Any]) -> dict[str, Any]:
    # DEVIATION D65: a node without a cluster gets an id by default.
    if (not props.get(KRaftConfigs.PROCESS_ROLES_CONFIG) and props.get(ZkConfigs.ZK_CONNECT_CONFIG) is None
            and props.get(ServerConfigs.BROKER_ID_CONFIG) is None):
        props[ServerConfigs.BROKER_ID_CONFIG] = props[KRaftConfigs.NODE_ID_CONFIG] = str(SINGLE_NODE_ID)
    return props


class KafkaConfig(AbstractConfig, Logging):
    """The settings of a broker. Read-only, except for dynamic settings, which ``DynamicBrokerConfig``
    changes.

    :origin: kafka.server.KafkaConfig
    :origin: kafka.server.KafkaConfig
    """

    CONFIG_DEF = kafka_config_def.CONFIG_DEF

    @staticmethod
    def config_names() -> list[str]:
        """Return the names of all settings, sorted.

        :origin: kafka.server.KafkaConfig#configNames
        """
        return kafka_config_def.config_names()

    @staticmethod
    def config_keys() -> Mapping[str, ConfigDef.ConfigKey]:
        """Return the definitions of all settings.

        :origin: kafka.server.KafkaConfig#configKeys
        """
        return kafka_config_def.config_keys()

    @staticmethod
    def from_props(props: Mapping[str, Any], do_log: bool = True) -> KafkaConfig:
        """Read ``props``. Raises ConfigException or IllegalArgumentException if they are invalid.

        :origin: kafka.server.KafkaConfig#fromProps(Properties)
        :origin: kafka.server.KafkaConfig#fromProps(Properties, Boolean)
        """
        return KafkaConfig(props, do_log)

    @staticmethod
    def apply(props: Mapping[str, Any], do_log: bool = True) -> KafkaConfig:
        """Read ``props``.

        :origin: kafka.server.KafkaConfig#apply
        """
        return KafkaConfig(props, do_log)

    @staticmethod
    def _type_of(name: str) -> ConfigDef.Type | None:
        """Return the type of a setting that has a definition.

        :origin: kafka.server.KafkaConfig#typeOf
        """
        # DEVIATION D500: kreactor's own settings have a type, too, so that their values are not hidden.
        config_key = (kafka_config_def.config_keys().get(name)
                      or kafka_config_def.OWN_CONFIG_DEF.config_keys().get(name))
        return None if config_key is None else config_key._type

    @staticmethod
    def config_type(config_name: str) -> ConfigDef.Type | None:
        """Return the type of a setting, also of a dynamic one or a listener's; None if it is unknown.

        :origin: kafka.server.KafkaConfig#configType
        """
        config_type = KafkaConfig._config_type_exact(config_name)
        if config_type is not None:
            return config_type
        for synonym in DynamicBrokerConfig.broker_config_synonyms(config_name, match_listener_override=True):
            config_type = KafkaConfig._type_of(synonym)
            if config_type is not None:
                return config_type
        return None

    @staticmethod
    def _config_type_exact(exact_name: str) -> ConfigDef.Type | None:
        """Return the type of a setting with a definition, possibly a dynamic one.

        :origin: kafka.server.KafkaConfig#configTypeExact
        """
        config_type = KafkaConfig._type_of(exact_name)
        if config_type is not None:
            return config_type
        config_key = DynamicConfig.Broker.brokerConfigDef.config_keys().get(exact_name)
        return None if config_key is None else config_key._type

    @staticmethod
    def maybe_sensitive(config_type: ConfigDef.Type | None) -> bool:
        """Return whether a value of this type must be hidden. An unknown type may be a password.

        :origin: kafka.server.KafkaConfig#maybeSensitive
        """
        return config_type is None or config_type == ConfigDef.Type.PASSWORD

    @staticmethod
    def loggable_value(resource_type: ConfigResource.Type, name: str, value: str | None) -> str | None:
        """Return ``value``, or a fixed text in place of a possible password.

        :origin: kafka.server.KafkaConfig#loggableValue
        """
        if resource_type == ConfigResource.Type.BROKER:
            maybe_sensitive = KafkaConfig.maybe_sensitive(KafkaConfig.config_type(name))
        elif resource_type == ConfigResource.Type.TOPIC:
            maybe_sensitive = KafkaConfig.maybe_sensitive(LogConfig.config_type(name))
        else:
            maybe_sensitive = resource_type not in (ConfigResource.Type.BROKER_LOGGER,
                                                    ConfigResource.Type.CLIENT_METRICS)
        return Password.HIDDEN if maybe_sensitive else value

    @staticmethod
    def populate_synonyms(input: Mapping[str, Any]) -> dict[str, Any]:
        """Return a copy in which ``broker.id`` and ``node.id`` are both set if one of them is.

        :origin: kafka.server.KafkaConfig#populateSynonyms
        """
        output = dict(input)
        broker_id = output.get(ServerConfigs.BROKER_ID_CONFIG)
        node_id = output.get(KRaftConfigs.NODE_ID_CONFIG)
        if broker_id is None and node_id is not None:
            output[ServerConfigs.BROKER_ID_CONFIG] = node_id
        elif broker_id is not None and node_id is None:
            output[KRaftConfigs.NODE_ID_CONFIG] = broker_id
        return output

    def __init__(self, props: Mapping[str, Any], do_log: bool = True,
                 dynamic_config_override: DynamicBrokerConfig | None = None) -> None:
        """Read and check ``props``. Raises ConfigException or IllegalArgumentException.

        :origin: kafka.server.KafkaConfig#KafkaConfig
        """
        # This config, or the one that replaced it; see the head of the module.
        self._current_config: KafkaConfig = self
        props = _with_single_node_id(KafkaConfig.populate_synonyms(props))
        super().__init__(kafka_config_def.CONFIG_DEF, props, do_log)
        self._props = props
        self._process_roles = self._parse_process_roles()
        self._dynamic_config = (dynamic_config_override if dynamic_config_override is not None
                                else DynamicBrokerConfig(self))

        # ZooKeeper.
        self._zk_connect = self.get_string(ZkConfigs.ZK_CONNECT_CONFIG)

        # The node.
        self._broker_id_generation_enable = self.get_boolean(ServerConfigs.BROKER_ID_GENERATION_ENABLE_CONFIG)
        self._max_reserved_broker_id = self.get_int(ServerConfigs.RESERVED_BROKER_MAX_ID_CONFIG)
        self._broker_id = self.get_int(ServerConfigs.BROKER_ID_CONFIG)
        self._node_id = self.get_int(KRaftConfigs.NODE_ID_CONFIG)
        self._migration_enabled = self.get_boolean(KRaftConfigs.MIGRATION_ENABLED_CONFIG)
        self._queued_max_requests = self.get_int(ServerConfigs.QUEUED_MAX_REQUESTS_CONFIG)
        self._queued_max_bytes = self.get_long(ServerConfigs.QUEUED_MAX_BYTES_CONFIG)
        self._request_timeout_ms = self.get_int(ServerConfigs.REQUEST_TIMEOUT_MS_CONFIG)
        self._early_start_listeners = self._parse_early_start_listeners()

        # The socket server.
        self._socket_send_buffer_bytes = self.get_int(SocketServerConfigs.SOCKET_SEND_BUFFER_BYTES_CONFIG)
        self._socket_receive_buffer_bytes = self.get_int(
            SocketServerConfigs.SOCKET_RECEIVE_BUFFER_BYTES_CONFIG)
        self._socket_request_max_bytes = self.get_int(SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_CONFIG)
        own = kafka_config_def.OWN_CONFIG_DEF.parse(self.originals())
        self._request_max_elements: int = own[kafka_config_def.REQUEST_MAX_ELEMENTS_CONFIG]
        self._is_strict: bool = own[kafka_config_def.FIDELITY_CONFIG] == kafka_config_def.FIDELITY_STRICT
        self._is_fast: bool = own[kafka_config_def.FAST_CONFIG]
        if self._is_fast and self._is_strict:
            raise ConfigException(
                f"{kafka_config_def.FAST_CONFIG}=true: not together with {kafka_config_def.FIDELITY_CONFIG}="
                f"{kafka_config_def.FIDELITY_STRICT}; set one of them")
        self._socket_listen_backlog_size = self.get_int(SocketServerConfigs.SOCKET_LISTEN_BACKLOG_SIZE_CONFIG)
        self._max_connections_per_ip = self.get_int(SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG)
        self._max_connections_per_ip_overrides = {
            ip: _to_int(limit) for ip, limit in self._get_map(
                SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG,
                self.get_string(SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG)).items()
        }
        self._connections_max_idle_ms = self.get_long(SocketServerConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG)
        self._failed_authentication_delay_ms = self.get_int(
            SocketServerConfigs.FAILED_AUTHENTICATION_DELAY_MS_CONFIG)
        self._rack = self.get_string(ServerConfigs.BROKER_RACK_CONFIG)

        # The log.
        self._auto_create_topics_enable = self.get_boolean(ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_CONFIG)
        self._num_partitions = self.get_int(ServerLogConfigs.NUM_PARTITIONS_CONFIG)
        log_dirs = self.get_string(ServerLogConfigs.LOG_DIRS_CONFIG)
        self._log_dirs = Csv.parse_csv_list(
            log_dirs if log_dirs is not None else self.get_string(ServerLogConfigs.LOG_DIR_CONFIG))
        self._log_cleaner_threads = self.get_int(CleanerConfig.LOG_CLEANER_THREADS_PROP)
        self._log_flush_scheduler_interval_ms = self.get_long(
            ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG)
        self._log_flush_offset_checkpoint_interval_ms = self.get_int(
            ServerLogConfigs.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG)
        self._log_flush_start_offset_checkpoint_interval_ms = self.get_int(
            ServerLogConfigs.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS_CONFIG)
        self._log_cleanup_interval_ms = self.get_long(ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_CONFIG)
        self._offsets_retention_minutes = self.get_int(
            GroupCoordinatorConfig.OFFSETS_RETENTION_MINUTES_CONFIG)
        self._offsets_retention_check_interval_ms = self.get_long(
            GroupCoordinatorConfig.OFFSETS_RETENTION_CHECK_INTERVAL_MS_CONFIG)
        self._log_cleaner_dedupe_buffer_size = self.get_long(
            CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP)
        self._log_cleaner_dedupe_buffer_load_factor = self.get_double(
            CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP)
        self._log_cleaner_io_buffer_size = self.get_int(CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_PROP)
        self._log_cleaner_io_max_bytes_per_second = self.get_double(
            CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP)
        self._log_cleaner_backoff_ms = self.get_long(CleanerConfig.LOG_CLEANER_BACKOFF_MS_PROP)
        self._log_cleaner_enable = self.get_boolean(CleanerConfig.LOG_CLEANER_ENABLE_PROP)
        # The user's own text, because several texts mean the same version.
        self._log_message_format_version_string = self._get_text(
            ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_CONFIG)

        # Replication.
        self._default_replication_factor = self.get_int(ReplicationConfigs.DEFAULT_REPLICATION_FACTOR_CONFIG)
        self._replica_lag_time_max_ms = self.get_long(ReplicationConfigs.REPLICA_LAG_TIME_MAX_MS_CONFIG)
        self._replica_socket_timeout_ms = self.get_int(ReplicationConfigs.REPLICA_SOCKET_TIMEOUT_MS_CONFIG)
        self._replica_fetch_wait_max_ms = self.get_int(ReplicationConfigs.REPLICA_FETCH_WAIT_MAX_MS_CONFIG)
        self._fetch_purgatory_purge_interval_requests = self.get_int(
            ReplicationConfigs.FETCH_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG)
        self._producer_purgatory_purge_interval_requests = self.get_int(
            ReplicationConfigs.PRODUCER_PURGATORY_PURGE_INTERVAL_REQUESTS_CONFIG)
        self._inter_broker_protocol_version_string = self._get_text(
            ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_CONFIG)
        self._inter_broker_protocol_version = self._parse_inter_broker_protocol_version()

        # Groups.
        self._group_min_session_timeout_ms = self.get_int(
            GroupCoordinatorConfig.GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG)
        self._group_max_session_timeout_ms = self.get_int(
            GroupCoordinatorConfig.GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG)
        self._group_initial_rebalance_delay = self.get_int(
            GroupCoordinatorConfig.GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG)
        self._group_max_size = self.get_int(GroupCoordinatorConfig.GROUP_MAX_SIZE_CONFIG)
        self._group_coordinator_rebalance_protocols = self._parse_group_coordinator_rebalance_protocols()
        self._is_new_group_coordinator_enabled = (
            self.get_boolean(GroupCoordinatorConfig.NEW_GROUP_COORDINATOR_ENABLE_CONFIG)
            or GroupType.CONSUMER in self._group_coordinator_rebalance_protocols)
        self._consumer_group_session_timeout_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_CONFIG)
        self._consumer_group_min_session_timeout_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_MIN_SESSION_TIMEOUT_MS_CONFIG)
        self._consumer_group_max_session_timeout_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SESSION_TIMEOUT_MS_CONFIG)
        self._consumer_group_heartbeat_interval_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG)
        self._consumer_group_min_heartbeat_interval_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_MIN_HEARTBEAT_INTERVAL_MS_CONFIG)
        self._consumer_group_max_heartbeat_interval_ms = self.get_int(
            GroupCoordinatorConfig.CONSUMER_GROUP_MAX_HEARTBEAT_INTERVAL_MS_CONFIG)
        self._consumer_group_max_size = self.get_int(GroupCoordinatorConfig.CONSUMER_GROUP_MAX_SIZE_CONFIG)
        self._consumer_group_migration_policy = ConsumerGroupMigrationPolicy.parse(
            self.get_string(GroupCoordinatorConfig.CONSUMER_GROUP_MIGRATION_POLICY_CONFIG))

        # Offsets.
        self._offset_metadata_max_size = self.get_int(GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_CONFIG)
        self._offsets_load_buffer_size = self.get_int(GroupCoordinatorConfig.OFFSETS_LOAD_BUFFER_SIZE_CONFIG)
        self._offsets_topic_replication_factor = self.get_short(
            GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_CONFIG)
        self._offsets_topic_partitions = self.get_int(GroupCoordinatorConfig.OFFSETS_TOPIC_PARTITIONS_CONFIG)
        self._offset_commit_timeout_ms = self.get_int(GroupCoordinatorConfig.OFFSET_COMMIT_TIMEOUT_MS_CONFIG)
        self._offset_commit_required_acks = self.get_short(
            GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_CONFIG)
        self._offsets_topic_segment_bytes = self.get_int(
            GroupCoordinatorConfig.OFFSETS_TOPIC_SEGMENT_BYTES_CONFIG)
        self._offsets_topic_compression_type = CompressionType.for_id(
            self.get_int(GroupCoordinatorConfig.OFFSETS_TOPIC_COMPRESSION_CODEC_CONFIG))

        # Transactions.
        self._transactional_id_expiration_ms = self.get_int(
            TransactionStateManagerConfigs.TRANSACTIONAL_ID_EXPIRATION_MS_CONFIG)
        self._transaction_max_timeout_ms = self.get_int(
            TransactionStateManagerConfigs.TRANSACTIONS_MAX_TIMEOUT_MS_CONFIG)
        self._transaction_topic_min_isr = self.get_int(
            TransactionLogConfigs.TRANSACTIONS_TOPIC_MIN_ISR_CONFIG)
        self._transactions_load_buffer_size = self.get_int(
            TransactionLogConfigs.TRANSACTIONS_LOAD_BUFFER_SIZE_CONFIG)
        self._transaction_topic_replication_factor = self.get_short(
            TransactionLogConfigs.TRANSACTIONS_TOPIC_REPLICATION_FACTOR_CONFIG)
        self._transaction_topic_partitions = self.get_int(
            TransactionLogConfigs.TRANSACTIONS_TOPIC_PARTITIONS_CONFIG)
        self._transaction_topic_segment_bytes = self.get_int(
            TransactionLogConfigs.TRANSACTIONS_TOPIC_SEGMENT_BYTES_CONFIG)
        configs = TransactionStateManagerConfigs
        self._transaction_abort_timed_out_transaction_cleanup_interval_ms = self.get_int(
            configs.TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_CONFIG)
        self._transaction_remove_expired_transactional_id_cleanup_interval_ms = self.get_int(
            configs.TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_CONFIG)
        self._producer_id_expiration_check_interval_ms = self.get_int(
            TransactionLogConfigs.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_CONFIG)

        # Metrics.
        self._metric_num_samples = self.get_int(MetricConfigs.METRIC_NUM_SAMPLES_CONFIG)
        self._metric_sample_window_ms = self.get_long(MetricConfigs.METRIC_SAMPLE_WINDOW_MS_CONFIG)
        self._metric_recording_level = self._get_text(MetricConfigs.METRIC_RECORDING_LEVEL_CONFIG)
        self._client_telemetry_max_bytes = self.get_int(MetricConfigs.CLIENT_TELEMETRY_MAX_BYTES_CONFIG)

        # SASL.
        self._sasl_inter_broker_handshake_request_enable = (
            self._inter_broker_protocol_version.is_sasl_inter_broker_handshake_request_enabled())

        # Delegation tokens.
        secret_key = self.get_password(DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_CONFIG)
        self._delegation_token_secret_key: Password | None = (
            secret_key if secret_key is not None
            else self.get_password(DelegationTokenManagerConfigs.DELEGATION_TOKEN_SECRET_KEY_ALIAS_CONFIG))
        self._token_auth_enabled = (self._delegation_token_secret_key is not None
                                    and self._delegation_token_secret_key.value() != "")
        self._delegation_token_max_life_ms = self.get_long(
            DelegationTokenManagerConfigs.DELEGATION_TOKEN_MAX_LIFETIME_CONFIG)
        self._delegation_token_expiry_time_ms = self.get_long(
            DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_TIME_MS_CONFIG)
        self._delegation_token_expiry_check_interval_ms = self.get_long(
            DelegationTokenManagerConfigs.DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS_CONFIG)

        # Quotas.
        self._num_quota_samples = self.get_int(QuotaConfigs.NUM_QUOTA_SAMPLES_CONFIG)
        self._quota_window_size_seconds = self.get_int(QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_CONFIG)
        self._num_controller_quota_samples = self.get_int(QuotaConfigs.NUM_CONTROLLER_QUOTA_SAMPLES_CONFIG)
        self._controller_quota_window_size_seconds = self.get_int(
            QuotaConfigs.CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS_CONFIG)

        # Fetches and requests.
        self._max_incremental_fetch_session_cache_slots = self.get_int(
            ServerConfigs.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS_CONFIG)
        self._fetch_max_bytes = self.get_int(ServerConfigs.FETCH_MAX_BYTES_CONFIG)
        self._max_request_partition_size_limit = self.get_int(
            ServerConfigs.MAX_REQUEST_PARTITION_SIZE_LIMIT_CONFIG)
        self._delete_topic_enable = self.get_boolean(ServerConfigs.DELETE_TOPIC_ENABLE_CONFIG)

        # The quorum.
        self._quorum_voters = self.get_list(QuorumConfig.QUORUM_VOTERS_CONFIG)
        self._quorum_bootstrap_servers = self.get_list(QuorumConfig.QUORUM_BOOTSTRAP_SERVERS_CONFIG)
        self._unstable_api_versions_enabled = self.get_boolean(
            ServerConfigs.UNSTABLE_API_VERSIONS_ENABLE_CONFIG)

        self._validate_values()

    def props(self) -> Mapping[str, Any]:
        """Return the properties from which this config was read.

        :origin: kafka.server.KafkaConfig#props
        """
        return self._props

    def process_roles(self) -> frozenset[ProcessRole]:
        """Return ``process.roles``.

        :origin: kafka.server.KafkaConfig#processRoles
        """
        return self._process_roles

    def dynamic_config(self) -> DynamicBrokerConfig:
        """Return the object that changes settings while the broker runs.

        :origin: kafka.server.KafkaConfig#dynamicConfig
        """
        return self._dynamic_config

    def update_current_config(self, new_config: KafkaConfig) -> None:
        """Read dynamic settings from ``new_config`` from now on.

        :origin: kafka.server.KafkaConfig#updateCurrentConfig
        """
        self._current_config = new_config

    def originals(self, config_overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the current original properties, with ``config_overrides`` on top.

        :origin: kafka.server.KafkaConfig#originals
        """
        if self is self._current_config:
            return super().originals(config_overrides)
        return self._current_config.originals(config_overrides)

    def values(self) -> dict[str, Any]:
        """Return the current values of all settings.

        :origin: kafka.server.KafkaConfig#values
        """
        return super().values() if self is self._current_config else self._current_config.values()

    def non_internal_values(self) -> dict[str, Any]:
        """Return the current values of all documented settings.

        :origin: kafka.server.KafkaConfig#nonInternalValues
        """
        if self is self._current_config:
            return super().non_internal_values()
        return self._current_config.non_internal_values()

    def originals_strings(self) -> dict[str, str]:
        """Return the current original properties as text.

        :origin: kafka.server.KafkaConfig#originalsStrings
        """
        if self is self._current_config:
            return super().originals_strings()
        return self._current_config.originals_strings()

    def originals_with_prefix(self, prefix: str, strip: bool = True) -> dict[str, Any]:
        """Return the current original properties whose names begin with ``prefix``.

        :origin: kafka.server.KafkaConfig#originalsWithPrefix
        """
        if self is self._current_config:
            return super().originals_with_prefix(prefix, strip)
        return self._current_config.originals_with_prefix(prefix, strip)

    def values_with_prefix_override(self, prefix: str) -> dict[str, Any]:
        """Return all current values; a value set with ``prefix`` overrides one set without.

        :origin: kafka.server.KafkaConfig#valuesWithPrefixOverride
        """
        if self is self._current_config:
            return super().values_with_prefix_override(prefix)
        return self._current_config.values_with_prefix_override(prefix)

    def get(self, key: str) -> Any:
        """Return the current value of ``key``.

        :origin: kafka.server.KafkaConfig#get
        """
        return super().get(key) if self is self._current_config else self._current_config.get(key)

    def _get_text(self, key: str) -> str:
        """Return the value of a text setting that has a default."""
        value = self.get_string(key)
        if value is None:
            raise ConfigException(key, None)
        return value

    def originals_from_this_config(self) -> dict[str, Any]:
        """Return the original properties of this config, even after it was replaced.

        :origin: kafka.server.KafkaConfig#originalsFromThisConfig
        """
        return super().originals()

    def values_from_this_config(self) -> dict[str, Any]:
        """Return the values of this config, even after it was replaced.

        :origin: kafka.server.KafkaConfig#valuesFromThisConfig
        """
        return super().values()

    def values_from_this_config_with_prefix_override(self, prefix: str) -> dict[str, Any]:
        """Return the values of this config; a value set with ``prefix`` overrides one set without.

        :origin: kafka.server.KafkaConfig#valuesFromThisConfigWithPrefixOverride
        """
        return super().values_with_prefix_override(prefix)

    def zk_connect(self) -> str | None:
        """Return ``zookeeper.connect``, or None.

        :origin: kafka.server.KafkaConfig#zkConnect
        """
        return self._zk_connect

    def broker_id_generation_enable(self) -> bool:
        """Return ``broker.id.generation.enable``.

        :origin: kafka.server.KafkaConfig#brokerIdGenerationEnable
        """
        return self._broker_id_generation_enable

    def max_reserved_broker_id(self) -> int:
        """Return ``reserved.broker.max.id``.

        :origin: kafka.server.KafkaConfig#maxReservedBrokerId
        """
        return self._max_reserved_broker_id

    def broker_id(self) -> int:
        """Return ``broker.id``.

        :origin: kafka.server.KafkaConfig#brokerId
        """
        return self._broker_id

    def node_id(self) -> int:
        """Return ``node.id``.

        :origin: kafka.server.KafkaConfig#nodeId
        """
        return self._node_id

    def requires_zookeeper(self) -> bool:
        """Return whether no role is set, which means a ZooKeeper cluster in Kafka.

        :origin: kafka.server.KafkaConfig#requiresZookeeper
        """
        return not self._process_roles

    def uses_self_managed_quorum(self) -> bool:
        """Return whether a role is set, which means a KRaft cluster in Kafka.

        :origin: kafka.server.KafkaConfig#usesSelfManagedQuorum
        """
        return bool(self._process_roles)

    def _parse_process_roles(self) -> frozenset[ProcessRole]:
        """Parse ``process.roles``. Raises ConfigException.

        :origin: kafka.server.KafkaConfig#parseProcessRoles
        """
        roles: list[ProcessRole] = []
        for role in self.get_list(KRaftConfigs.PROCESS_ROLES_CONFIG):
            if role == "broker":
                roles.append(ProcessRole.BrokerRole)
            elif role == "controller":
                roles.append(ProcessRole.ControllerRole)
            else:
                raise ConfigException(f"Unknown process role '{role}'"
                                      " (only 'broker' and 'controller' are allowed roles)")
        distinct_roles = frozenset(roles)
        if len(distinct_roles) != len(roles):
            raise ConfigException("Duplicate role names found in `process.roles`: "
                                  f"ArrayBuffer({', '.join(map(str, roles))})")
        return distinct_roles

    def is_kraft_combined_mode(self) -> bool:
        """Return whether the node is both a broker and a controller.

        :origin: kafka.server.KafkaConfig#isKRaftCombinedMode
        """
        return self._process_roles == {ProcessRole.BrokerRole, ProcessRole.ControllerRole}

    def metadata_log_dir(self) -> str:
        """Return ``metadata.log.dir``, or the first log directory.

        :origin: kafka.server.KafkaConfig#metadataLogDir
        """
        directory = self.get_string(KRaftConfigs.METADATA_LOG_DIR_CONFIG)
        return directory if directory is not None else self._log_dirs[0]

    def num_network_threads(self) -> int:
        """Return ``num.network.threads``.

        :origin: kafka.server.KafkaConfig#numNetworkThreads
        """
        return self.get_int(ServerConfigs.NUM_NETWORK_THREADS_CONFIG)

    def background_threads(self) -> int:
        """Return ``background.threads``.

        :origin: kafka.server.KafkaConfig#backgroundThreads
        """
        return self.get_int(ServerConfigs.BACKGROUND_THREADS_CONFIG)

    def queued_max_requests(self) -> int:
        """Return ``queued.max.requests``.

        :origin: kafka.server.KafkaConfig#queuedMaxRequests
        """
        return self._queued_max_requests

    def queued_max_bytes(self) -> int:
        """Return ``queued.max.request.bytes``.

        :origin: kafka.server.KafkaConfig#queuedMaxBytes
        """
        return self._queued_max_bytes

    def num_io_threads(self) -> int:
        """Return ``num.io.threads``.

        :origin: kafka.server.KafkaConfig#numIoThreads
        """
        return self.get_int(ServerConfigs.NUM_IO_THREADS_CONFIG)

    def message_max_bytes(self) -> int:
        """Return ``message.max.bytes``.

        :origin: kafka.server.KafkaConfig#messageMaxBytes
        """
        return self.get_int(ServerConfigs.MESSAGE_MAX_BYTES_CONFIG)

    def request_timeout_ms(self) -> int:
        """Return ``request.timeout.ms``.

        :origin: kafka.server.KafkaConfig#requestTimeoutMs
        """
        return self._request_timeout_ms

    def create_new_authorizer(self) -> Authorizer | None:
        """Return a new, configured authorizer of the class in ``authorizer.class.name``; None if it is not
        set.

        Raises ConfigException if the class does not exist, or its settings are invalid.

        :origin: kafka.server.KafkaConfig#createNewAuthorizer
        """
        name = ServerConfigs.AUTHORIZER_CLASS_NAME_CONFIG
        class_name = self.get_string(name)
        if not class_name:
            return None
        if class_name in _ZOOKEEPER_AUTHORIZERS:
            raise ConfigException(name, class_name, (
                "it keeps permissions in ZooKeeper; "
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer keeps them in the data folder"))
        try:
            authorizer = AuthorizerUtils.create_authorizer(class_name)
        except (ImportError, TypeError, KafkaException) as e:
            raise ConfigException(name, class_name, str(e)) from e
        try:
            authorizer.configure(self.originals())
        except IllegalArgumentException as e:
            raise ConfigException(f"The settings of {class_name} are wrong: {e}") from e
        return authorizer

    def early_start_listeners(self) -> frozenset[ListenerName]:
        """Return the listeners in ``early.start.listeners``; the default is the controller's listeners.

        :origin: kafka.server.KafkaConfig#earlyStartListeners
        """
        return self._early_start_listeners

    def _parse_early_start_listeners(self) -> frozenset[ListenerName]:
        """Parse ``early.start.listeners``. Raises ConfigException if a name is not a listener."""
        listeners_set = {listener.listener_name() for listener in self.listeners()}
        controller_listeners_set = frozenset(listener.listener_name()
                                             for listener in self.controller_listeners())
        early_start_listeners = self.get_string(ServerConfigs.EARLY_START_LISTENERS_CONFIG)
        if early_start_listeners is None:
            return controller_listeners_set
        names = [name.strip() for name in early_start_listeners.split(",")]
        result = [ListenerName(name) for name in names if name]
        for listener_name in result:
            if listener_name not in listeners_set and listener_name not in controller_listeners_set:
                raise ConfigException(
                    f"early.start.listeners contains listener {listener_name.value()}, but this is not "
                    "contained in listeners or controller.listener.names")
        return frozenset(result)

    def socket_send_buffer_bytes(self) -> int:
        """Return ``socket.send.buffer.bytes``.

        :origin: kafka.server.KafkaConfig#socketSendBufferBytes
        """
        return self._socket_send_buffer_bytes

    def socket_receive_buffer_bytes(self) -> int:
        """Return ``socket.receive.buffer.bytes``.

        :origin: kafka.server.KafkaConfig#socketReceiveBufferBytes
        """
        return self._socket_receive_buffer_bytes

    def socket_request_max_bytes(self) -> int:
        """Return ``socket.request.max.bytes``.

        :origin: kafka.server.KafkaConfig#socketRequestMaxBytes
        """
        return self._socket_request_max_bytes

    def request_max_elements(self) -> int:
        """Return ``kreactor.request.max.elements``."""
        return self._request_max_elements

    def is_strict(self) -> bool:
        """Return whether ``kreactor.fidelity`` restores the faults of ``STRICT_DEVIATIONS``."""
        return self._is_strict

    def is_fast(self) -> bool:
        """Return ``kreactor.fast``."""
        return self._is_fast

    def socket_listen_backlog_size(self) -> int:
        """Return ``socket.listen.backlog.size``.

        :origin: kafka.server.KafkaConfig#socketListenBacklogSize
        """
        return self._socket_listen_backlog_size

    def max_connections_per_ip(self) -> int:
        """Return ``max.connections.per.ip``.

        :origin: kafka.server.KafkaConfig#maxConnectionsPerIp
        """
        return self._max_connections_per_ip

    def max_connections_per_ip_overrides(self) -> dict[str, int]:
        """Return ``max.connections.per.ip.overrides`` by address or host name.

        :origin: kafka.server.KafkaConfig#maxConnectionsPerIpOverrides
        """
        return self._max_connections_per_ip_overrides

    def max_connections(self) -> int:
        """Return ``max.connections``.

        :origin: kafka.server.KafkaConfig#maxConnections
        """
        return self.get_int(SocketServerConfigs.MAX_CONNECTIONS_CONFIG)

    def max_connection_creation_rate(self) -> int:
        """Return ``max.connection.creation.rate``.

        :origin: kafka.server.KafkaConfig#maxConnectionCreationRate
        """
        return self.get_int(SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG)

    def connections_max_idle_ms(self) -> int:
        """Return ``connections.max.idle.ms``.

        :origin: kafka.server.KafkaConfig#connectionsMaxIdleMs
        """
        return self._connections_max_idle_ms

    def failed_authentication_delay_ms(self) -> int:
        """Return ``connection.failed.authentication.delay.ms``.

        :origin: kafka.server.KafkaConfig#failedAuthenticationDelayMs
        """
        return self._failed_authentication_delay_ms

    def rack(self) -> str | None:
        """Return ``broker.rack``, or None.

        :origin: kafka.server.KafkaConfig#rack
        """
        return self._rack

    def replica_selector_class_name(self) -> str | None:
        """Return ``replica.selector.class``, or None.

        :origin: kafka.server.KafkaConfig#replicaSelectorClassName
        """
        return self.get_string(ReplicationConfigs.REPLICA_SELECTOR_CLASS_CONFIG)

    def auto_create_topics_enable(self) -> bool:
        """Return ``auto.create.topics.enable``.

        :origin: kafka.server.KafkaConfig#autoCreateTopicsEnable
        """
        return self._auto_create_topics_enable

    def num_partitions(self) -> int:
        """Return ``num.partitions``.

        :origin: kafka.server.KafkaConfig#numPartitions
        """
        return self._num_partitions

    def log_dirs(self) -> list[str]:
        """Return ``log.dirs``, or ``log.dir`` if ``log.dirs`` is not set.

        :origin: kafka.server.KafkaConfig#logDirs
        """
        return self._log_dirs

    def log_segment_bytes(self) -> int:
        """Return ``log.segment.bytes``.

        :origin: kafka.server.KafkaConfig#logSegmentBytes
        """
        return self.get_int(ServerLogConfigs.LOG_SEGMENT_BYTES_CONFIG)

    def log_flush_interval_messages(self) -> int:
        """Return ``log.flush.interval.messages``.

        :origin: kafka.server.KafkaConfig#logFlushIntervalMessages
        """
        return self.get_long(ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_CONFIG)

    def log_cleaner_threads(self) -> int:
        """Return ``log.cleaner.threads``.

        :origin: kafka.server.KafkaConfig#logCleanerThreads
        """
        return self._log_cleaner_threads

    def num_recovery_threads_per_data_dir(self) -> int:
        """Return ``num.recovery.threads.per.data.dir``.

        :origin: kafka.server.KafkaConfig#numRecoveryThreadsPerDataDir
        """
        return self.get_int(ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG)

    def log_flush_scheduler_interval_ms(self) -> int:
        """Return ``log.flush.scheduler.interval.ms``.

        :origin: kafka.server.KafkaConfig#logFlushSchedulerIntervalMs
        """
        return self._log_flush_scheduler_interval_ms

    def log_flush_offset_checkpoint_interval_ms(self) -> int:
        """Return ``log.flush.offset.checkpoint.interval.ms``.

        :origin: kafka.server.KafkaConfig#logFlushOffsetCheckpointIntervalMs
        """
        return self._log_flush_offset_checkpoint_interval_ms

    def log_flush_start_offset_checkpoint_interval_ms(self) -> int:
        """Return ``log.flush.start.offset.checkpoint.interval.ms``.

        :origin: kafka.server.KafkaConfig#logFlushStartOffsetCheckpointIntervalMs
        """
        return self._log_flush_start_offset_checkpoint_interval_ms

    def log_cleanup_interval_ms(self) -> int:
        """Return ``log.retention.check.interval.ms``.

        :origin: kafka.server.KafkaConfig#logCleanupIntervalMs
        """
        return self._log_cleanup_interval_ms

    def log_cleanup_policy(self) -> list[str]:
        """Return ``log.cleanup.policy``.

        :origin: kafka.server.KafkaConfig#logCleanupPolicy
        """
        return self.get_list(ServerLogConfigs.LOG_CLEANUP_POLICY_CONFIG)

    def offsets_retention_minutes(self) -> int:
        """Return ``offsets.retention.minutes``.

        :origin: kafka.server.KafkaConfig#offsetsRetentionMinutes
        """
        return self._offsets_retention_minutes

    def offsets_retention_check_interval_ms(self) -> int:
        """Return ``offsets.retention.check.interval.ms``.

        :origin: kafka.server.KafkaConfig#offsetsRetentionCheckIntervalMs
        """
        return self._offsets_retention_check_interval_ms

    def log_retention_bytes(self) -> int:
        """Return ``log.retention.bytes``.

        :origin: kafka.server.KafkaConfig#logRetentionBytes
        """
        return self.get_long(ServerLogConfigs.LOG_RETENTION_BYTES_CONFIG)

    def log_cleaner_dedupe_buffer_size(self) -> int:
        """Return ``log.cleaner.dedupe.buffer.size``.

        :origin: kafka.server.KafkaConfig#logCleanerDedupeBufferSize
        """
        return self._log_cleaner_dedupe_buffer_size

    def log_cleaner_dedupe_buffer_load_factor(self) -> float:
        """Return ``log.cleaner.io.buffer.load.factor``.

        :origin: kafka.server.KafkaConfig#logCleanerDedupeBufferLoadFactor
        """
        return self._log_cleaner_dedupe_buffer_load_factor

    def log_cleaner_io_buffer_size(self) -> int:
        """Return ``log.cleaner.io.buffer.size``.

        :origin: kafka.server.KafkaConfig#logCleanerIoBufferSize
        """
        return self._log_cleaner_io_buffer_size

    def log_cleaner_io_max_bytes_per_second(self) -> float:
        """Return ``log.cleaner.io.max.bytes.per.second``.

        :origin: kafka.server.KafkaConfig#logCleanerIoMaxBytesPerSecond
        """
        return self._log_cleaner_io_max_bytes_per_second

    def log_cleaner_delete_retention_ms(self) -> int:
        """Return ``log.cleaner.delete.retention.ms``.

        :origin: kafka.server.KafkaConfig#logCleanerDeleteRetentionMs
        """
        return self.get_long(CleanerConfig.LOG_CLEANER_DELETE_RETENTION_MS_PROP)

    def log_cleaner_min_compaction_lag_ms(self) -> int:
        """Return ``log.cleaner.min.compaction.lag.ms``.

        :origin: kafka.server.KafkaConfig#logCleanerMinCompactionLagMs
        """
        return self.get_long(CleanerConfig.LOG_CLEANER_MIN_COMPACTION_LAG_MS_PROP)

    def log_cleaner_max_compaction_lag_ms(self) -> int:
        """Return ``log.cleaner.max.compaction.lag.ms``.

        :origin: kafka.server.KafkaConfig#logCleanerMaxCompactionLagMs
        """
        return self.get_long(CleanerConfig.LOG_CLEANER_MAX_COMPACTION_LAG_MS_PROP)

    def log_cleaner_backoff_ms(self) -> int:
        """Return ``log.cleaner.backoff.ms``.

        :origin: kafka.server.KafkaConfig#logCleanerBackoffMs
        """
        return self._log_cleaner_backoff_ms

    def log_cleaner_min_clean_ratio(self) -> float:
        """Return ``log.cleaner.min.cleanable.ratio``.

        :origin: kafka.server.KafkaConfig#logCleanerMinCleanRatio
        """
        return self.get_double(CleanerConfig.LOG_CLEANER_MIN_CLEAN_RATIO_PROP)

    def log_cleaner_enable(self) -> bool:
        """Return ``log.cleaner.enable``.

        :origin: kafka.server.KafkaConfig#logCleanerEnable
        """
        return self._log_cleaner_enable

    def log_index_size_max_bytes(self) -> int:
        """Return ``log.index.size.max.bytes``.

        :origin: kafka.server.KafkaConfig#logIndexSizeMaxBytes
        """
        return self.get_int(ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_CONFIG)

    def log_index_interval_bytes(self) -> int:
        """Return ``log.index.interval.bytes``.

        :origin: kafka.server.KafkaConfig#logIndexIntervalBytes
        """
        return self.get_int(ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_CONFIG)

    def log_delete_delay_ms(self) -> int:
        """Return ``log.segment.delete.delay.ms``.

        :origin: kafka.server.KafkaConfig#logDeleteDelayMs
        """
        return self.get_long(ServerLogConfigs.LOG_DELETE_DELAY_MS_CONFIG)

    def log_roll_time_millis(self) -> int:
        """Return ``log.roll.ms``, or ``log.roll.hours`` in milliseconds.

        :origin: kafka.server.KafkaConfig#logRollTimeMillis
        """
        millis: int | None = self.get_long(ServerLogConfigs.LOG_ROLL_TIME_MILLIS_CONFIG)
        if millis is not None:
            return millis
        return _MS_PER_HOUR * self.get_int(ServerLogConfigs.LOG_ROLL_TIME_HOURS_CONFIG)

    def log_roll_time_jitter_millis(self) -> int:
        """Return ``log.roll.jitter.ms``, or ``log.roll.jitter.hours`` in milliseconds.

        :origin: kafka.server.KafkaConfig#logRollTimeJitterMillis
        """
        millis: int | None = self.get_long(ServerLogConfigs.LOG_ROLL_TIME_JITTER_MILLIS_CONFIG)
        if millis is not None:
            return millis
        return _MS_PER_HOUR * self.get_int(ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_CONFIG)

    def log_flush_interval_ms(self) -> int:
        """Return ``log.flush.interval.ms``, or ``log.flush.scheduler.interval.ms``.

        :origin: kafka.server.KafkaConfig#logFlushIntervalMs
        """
        millis: int | None = self.get_long(ServerLogConfigs.LOG_FLUSH_INTERVAL_MS_CONFIG)
        if millis is not None:
            return millis
        return self.get_long(ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG)

    def min_in_sync_replicas(self) -> int:
        """Return ``min.insync.replicas``.

        :origin: kafka.server.KafkaConfig#minInSyncReplicas
        """
        return self.get_int(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG)

    def log_pre_allocate_enable(self) -> bool:
        """Return ``log.preallocate``.

        :origin: kafka.server.KafkaConfig#logPreAllocateEnable
        """
        return self.get_boolean(ServerLogConfigs.LOG_PRE_ALLOCATE_CONFIG)

    def log_initial_task_delay_ms(self) -> int:
        """Return ``log.initial.task.delay.ms``.

        :origin: kafka.server.KafkaConfig#logInitialTaskDelayMs
        """
        millis: int | None = self.get_long(ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_CONFIG)
        return millis if millis is not None else ServerLogConfigs.LOG_INITIAL_TASK_DELAY_MS_DEFAULT

    def log_message_format_version(self) -> MetadataVersion:
        """Return ``log.message.format.version``, which newer brokers ignore.

        :origin: kafka.server.KafkaConfig#logMessageFormatVersion
        """
        if LogConfig.should_ignore_message_format_version(self._inter_broker_protocol_version):
            return MetadataVersion.from_version_string(ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_DEFAULT)
        return MetadataVersion.from_version_string(self._log_message_format_version_string)

    def log_message_timestamp_type(self) -> TimestampType:
        """Return ``log.message.timestamp.type``.

        :origin: kafka.server.KafkaConfig#logMessageTimestampType
        """
        return TimestampType.for_name(self._get_text(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_CONFIG))

    def log_message_timestamp_difference_max_ms(self) -> int:
        """Return ``log.message.timestamp.difference.max.ms``.

        :origin: kafka.server.KafkaConfig#logMessageTimestampDifferenceMaxMs
        """
        return self.get_long(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG)

    def log_message_timestamp_before_max_ms(self) -> int:
        """Return ``log.message.timestamp.before.max.ms``, or the older setting for both directions.

        :origin: kafka.server.KafkaConfig#logMessageTimestampBeforeMaxMs
        """
        before_max_ms = self.get_long(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG)
        if before_max_ms != ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DEFAULT:
            return before_max_ms
        return self.log_message_timestamp_difference_max_ms()

    def log_message_timestamp_after_max_ms(self) -> int:
        """Return ``log.message.timestamp.after.max.ms``, or the older setting for both directions.

        :origin: kafka.server.KafkaConfig#logMessageTimestampAfterMaxMs
        """
        after_max_ms = self.get_long(ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG)
        if after_max_ms != _MAX_LONG:
            return after_max_ms
        return self.log_message_timestamp_difference_max_ms()

    def log_message_down_conversion_enable(self) -> bool:
        """Return ``log.message.downconversion.enable``.

        :origin: kafka.server.KafkaConfig#logMessageDownConversionEnable
        """
        return self.get_boolean(ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_CONFIG)

    def default_replication_factor(self) -> int:
        """Return ``default.replication.factor``.

        :origin: kafka.server.KafkaConfig#defaultReplicationFactor
        """
        return self._default_replication_factor

    def num_replica_fetchers(self) -> int:
        """Return ``num.replica.fetchers``.

        :origin: kafka.server.KafkaConfig#numReplicaFetchers
        """
        return self.get_int(ReplicationConfigs.NUM_REPLICA_FETCHERS_CONFIG)

    def fetch_purgatory_purge_interval_requests(self) -> int:
        """Return ``fetch.purgatory.purge.interval.requests``.

        :origin: kafka.server.KafkaConfig#fetchPurgatoryPurgeIntervalRequests
        """
        return self._fetch_purgatory_purge_interval_requests

    def producer_purgatory_purge_interval_requests(self) -> int:
        """Return ``producer.purgatory.purge.interval.requests``.

        :origin: kafka.server.KafkaConfig#producerPurgatoryPurgeIntervalRequests
        """
        return self._producer_purgatory_purge_interval_requests

    def unclean_leader_election_enable(self) -> bool:
        """Return ``unclean.leader.election.enable``.

        :origin: kafka.server.KafkaConfig#uncleanLeaderElectionEnable
        """
        return self.get_boolean(ReplicationConfigs.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG)

    def inter_broker_protocol_version(self) -> MetadataVersion:
        """Return ``inter.broker.protocol.version``; on a KRaft node, the oldest version that supports KRaft.

        :origin: kafka.server.KafkaConfig#interBrokerProtocolVersion
        """
        return self._inter_broker_protocol_version

    def _parse_inter_broker_protocol_version(self) -> MetadataVersion:
        """Parse ``inter.broker.protocol.version``. Raises ConfigException."""
        if not self._process_roles:
            return MetadataVersion.from_version_string(self._inter_broker_protocol_version_string)
        if ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_CONFIG in self.originals():
            configured_version = MetadataVersion.from_version_string(
                self._inter_broker_protocol_version_string)
            if not configured_version.is_kraft_supported():
                raise ConfigException(
                    f"A non-KRaft version {self._inter_broker_protocol_version_string} given for "
                    f"inter.broker.protocol.version. The minimum version is {MINIMUM_KRAFT_VERSION}")
            self.warn("%s has no effect on a KRaft node",
                      ReplicationConfigs.INTER_BROKER_PROTOCOL_VERSION_CONFIG)
        return MINIMUM_KRAFT_VERSION

    def group_min_session_timeout_ms(self) -> int:
        """Return ``group.min.session.timeout.ms``.

        :origin: kafka.server.KafkaConfig#groupMinSessionTimeoutMs
        """
        return self._group_min_session_timeout_ms

    def group_max_session_timeout_ms(self) -> int:
        """Return ``group.max.session.timeout.ms``.

        :origin: kafka.server.KafkaConfig#groupMaxSessionTimeoutMs
        """
        return self._group_max_session_timeout_ms

    def group_initial_rebalance_delay(self) -> int:
        """Return ``group.initial.rebalance.delay.ms``.

        :origin: kafka.server.KafkaConfig#groupInitialRebalanceDelay
        """
        return self._group_initial_rebalance_delay

    def group_max_size(self) -> int:
        """Return ``group.max.size``.

        :origin: kafka.server.KafkaConfig#groupMaxSize
        """
        return self._group_max_size

    def group_coordinator_rebalance_protocols(self) -> frozenset[GroupType]:
        """Return ``group.coordinator.rebalance.protocols``.

        :origin: kafka.server.KafkaConfig#groupCoordinatorRebalanceProtocols
        """
        return self._group_coordinator_rebalance_protocols

    def _parse_group_coordinator_rebalance_protocols(self) -> frozenset[GroupType]:
        """Parse ``group.coordinator.rebalance.protocols``. Raises ConfigException."""
        names = self.get_list(GroupCoordinatorConfig.GROUP_COORDINATOR_REBALANCE_PROTOCOLS_CONFIG)
        protocols = frozenset(GroupType[name.upper()] for name in names)
        if GroupType.CLASSIC not in protocols:
            raise ConfigException(f"Disabling the '{GroupType.CLASSIC}' protocol is not supported.")
        if GroupType.CONSUMER in protocols:
            # DEVIATION D309: a node with neither process.roles nor ZooKeeper, which Kafka does not have, is
            # treated as a KRaft node.
            if not self._process_roles and ZkConfigs.ZK_CONNECT_CONFIG in self.originals():
                raise ConfigException(
                    f"The new '{GroupType.CONSUMER}' rebalance protocol is only supported in KRaft cluster.")
            self.warn("The '%s' rebalance protocol is a preview", GroupType.CONSUMER)
        return protocols

    def is_new_group_coordinator_enabled(self) -> bool:
        """Return whether the new group coordinator is enabled.

        :origin: kafka.server.KafkaConfig#isNewGroupCoordinatorEnabled
        """
        return self._is_new_group_coordinator_enabled

    def consumer_group_session_timeout_ms(self) -> int:
        """Return ``group.consumer.session.timeout.ms``.

        :origin: kafka.server.KafkaConfig#consumerGroupSessionTimeoutMs
        """
        return self._consumer_group_session_timeout_ms

    def consumer_group_heartbeat_interval_ms(self) -> int:
        """Return ``group.consumer.heartbeat.interval.ms``.

        :origin: kafka.server.KafkaConfig#consumerGroupHeartbeatIntervalMs
        """
        return self._consumer_group_heartbeat_interval_ms

    def consumer_group_max_size(self) -> int:
        """Return ``group.consumer.max.size``.

        :origin: kafka.server.KafkaConfig#consumerGroupMaxSize
        """
        return self._consumer_group_max_size

    def consumer_group_assignors(self) -> list[str]:
        """Return ``group.consumer.assignors``: names of Kafka's classes.

        :origin: kafka.server.KafkaConfig#consumerGroupAssignors
        """
        return self.get_list(GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_CONFIG)

    def consumer_group_migration_policy(self) -> ConsumerGroupMigrationPolicy:
        """Return ``group.consumer.migration.policy``.

        :origin: kafka.server.KafkaConfig#consumerGroupMigrationPolicy
        """
        return self._consumer_group_migration_policy

    def offset_metadata_max_size(self) -> int:
        """Return ``offset.metadata.max.bytes``.

        :origin: kafka.server.KafkaConfig#offsetMetadataMaxSize
        """
        return self._offset_metadata_max_size

    def offsets_load_buffer_size(self) -> int:
        """Return ``offsets.load.buffer.size``.

        :origin: kafka.server.KafkaConfig#offsetsLoadBufferSize
        """
        return self._offsets_load_buffer_size

    def offsets_topic_replication_factor(self) -> int:
        """Return ``offsets.topic.replication.factor``.

        :origin: kafka.server.KafkaConfig#offsetsTopicReplicationFactor
        """
        return self._offsets_topic_replication_factor

    def offsets_topic_partitions(self) -> int:
        """Return ``offsets.topic.num.partitions``.

        :origin: kafka.server.KafkaConfig#offsetsTopicPartitions
        """
        return self._offsets_topic_partitions

    def offset_commit_timeout_ms(self) -> int:
        """Return ``offsets.commit.timeout.ms``.

        :origin: kafka.server.KafkaConfig#offsetCommitTimeoutMs
        """
        return self._offset_commit_timeout_ms

    def offset_commit_required_acks(self) -> int:
        """Return ``offsets.commit.required.acks``.

        :origin: kafka.server.KafkaConfig#offsetCommitRequiredAcks
        """
        return self._offset_commit_required_acks

    def offsets_topic_segment_bytes(self) -> int:
        """Return ``offsets.topic.segment.bytes``.

        :origin: kafka.server.KafkaConfig#offsetsTopicSegmentBytes
        """
        return self._offsets_topic_segment_bytes

    def offsets_topic_compression_type(self) -> CompressionType:
        """Return ``offsets.topic.compression.codec``.

        :origin: kafka.server.KafkaConfig#offsetsTopicCompressionType
        """
        return self._offsets_topic_compression_type

    def transactional_id_expiration_ms(self) -> int:
        """Return ``transactional.id.expiration.ms``.

        :origin: kafka.server.KafkaConfig#transactionalIdExpirationMs
        """
        return self._transactional_id_expiration_ms

    def transaction_max_timeout_ms(self) -> int:
        """Return ``transaction.max.timeout.ms``.

        :origin: kafka.server.KafkaConfig#transactionMaxTimeoutMs
        """
        return self._transaction_max_timeout_ms

    def transaction_topic_min_isr(self) -> int:
        """Return ``transaction.state.log.min.isr``.

        :origin: kafka.server.KafkaConfig#transactionTopicMinISR
        """
        return self._transaction_topic_min_isr

    def transactions_load_buffer_size(self) -> int:
        """Return ``transaction.state.log.load.buffer.size``.

        :origin: kafka.server.KafkaConfig#transactionsLoadBufferSize
        """
        return self._transactions_load_buffer_size

    def transaction_topic_replication_factor(self) -> int:
        """Return ``transaction.state.log.replication.factor``.

        :origin: kafka.server.KafkaConfig#transactionTopicReplicationFactor
        """
        return self._transaction_topic_replication_factor

    def transaction_topic_partitions(self) -> int:
        """Return ``transaction.state.log.num.partitions``.

        :origin: kafka.server.KafkaConfig#transactionTopicPartitions
        """
        return self._transaction_topic_partitions

    def transaction_topic_segment_bytes(self) -> int:
        """Return ``transaction.state.log.segment.bytes``.

        :origin: kafka.server.KafkaConfig#transactionTopicSegmentBytes
        """
        return self._transaction_topic_segment_bytes

    def transaction_abort_timed_out_transaction_cleanup_interval_ms(self) -> int:
        """Return ``transaction.abort.timed.out.transaction.cleanup.interval.ms``.

        :origin: kafka.server.KafkaConfig#transactionAbortTimedOutTransactionCleanupIntervalMs
        """
        return self._transaction_abort_timed_out_transaction_cleanup_interval_ms

    def transaction_remove_expired_transactional_id_cleanup_interval_ms(self) -> int:
        """Return ``transaction.remove.expired.transaction.cleanup.interval.ms``.

        :origin: kafka.server.KafkaConfig#transactionRemoveExpiredTransactionalIdCleanupIntervalMs
        """
        return self._transaction_remove_expired_transactional_id_cleanup_interval_ms

    def transaction_partition_verification_enable(self) -> bool:
        """Return ``transaction.partition.verification.enable``.

        :origin: kafka.server.KafkaConfig#transactionPartitionVerificationEnable
        """
        return self.get_boolean(TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG)

    def producer_id_expiration_ms(self) -> int:
        """Return ``producer.id.expiration.ms``.

        :origin: kafka.server.KafkaConfig#producerIdExpirationMs
        """
        return self.get_int(TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG)

    def producer_id_expiration_check_interval_ms(self) -> int:
        """Return ``producer.id.expiration.check.interval.ms``.

        :origin: kafka.server.KafkaConfig#producerIdExpirationCheckIntervalMs
        """
        return self._producer_id_expiration_check_interval_ms

    def metric_num_samples(self) -> int:
        """Return ``metrics.num.samples``.

        :origin: kafka.server.KafkaConfig#metricNumSamples
        """
        return self._metric_num_samples

    def metric_sample_window_ms(self) -> int:
        """Return ``metrics.sample.window.ms``.

        :origin: kafka.server.KafkaConfig#metricSampleWindowMs
        """
        return self._metric_sample_window_ms

    def metric_recording_level(self) -> str:
        """Return ``metrics.recording.level``.

        :origin: kafka.server.KafkaConfig#metricRecordingLevel
        """
        return self._metric_recording_level

    def client_telemetry_max_bytes(self) -> int:
        """Return ``telemetry.max.bytes``.

        :origin: kafka.server.KafkaConfig#clientTelemetryMaxBytes
        """
        return self._client_telemetry_max_bytes

    def _sasl_enabled_mechanisms(self, listener_name: ListenerName) -> set[str]:
        """Return ``sasl.enabled.mechanisms`` of a listener.

        :origin: kafka.server.KafkaConfig#saslEnabledMechanisms
        """
        value = self.values_with_prefix_override(listener_name.config_prefix()).get(
            BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG)
        return set(value) if value is not None else set()

    def inter_broker_listener_name(self) -> ListenerName:
        """Return the listener for other brokers; clients see it only in errors.

        :origin: kafka.server.KafkaConfig#interBrokerListenerName
        """
        return self._get_inter_broker_listener_name_and_security_protocol()[0]

    def inter_broker_security_protocol(self) -> SecurityProtocol:
        """Return the security protocol for other brokers.

        :origin: kafka.server.KafkaConfig#interBrokerSecurityProtocol
        """
        return self._get_inter_broker_listener_name_and_security_protocol()[1]

    def control_plane_listener_name(self) -> ListenerName | None:
        """Return the control plane's listener, or None.

        :origin: kafka.server.KafkaConfig#controlPlaneListenerName
        """
        name_and_protocol = self._get_control_plane_listener_name_and_security_protocol()
        return None if name_and_protocol is None else name_and_protocol[0]

    def control_plane_security_protocol(self) -> SecurityProtocol | None:
        """Return the control plane's security protocol, or None.

        :origin: kafka.server.KafkaConfig#controlPlaneSecurityProtocol
        """
        name_and_protocol = self._get_control_plane_listener_name_and_security_protocol()
        return None if name_and_protocol is None else name_and_protocol[1]

    def sasl_mechanism_inter_broker_protocol(self) -> str:
        """Return ``sasl.mechanism.inter.broker.protocol``.

        :origin: kafka.server.KafkaConfig#saslMechanismInterBrokerProtocol
        """
        return self._get_text(BrokerSecurityConfigs.SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG)

    def delegation_token_secret_key(self) -> Password | None:
        """Return ``delegation.token.secret.key``, else its older alias, else None.

        :origin: kafka.server.KafkaConfig#delegationTokenSecretKey
        """
        return self._delegation_token_secret_key

    def token_auth_enabled(self) -> bool:
        """Return whether a key for delegation tokens is set.

        :origin: kafka.server.KafkaConfig#tokenAuthEnabled
        """
        return self._token_auth_enabled

    def delegation_token_max_life_ms(self) -> int:
        """Return ``delegation.token.max.lifetime.ms``.

        :origin: kafka.server.KafkaConfig#delegationTokenMaxLifeMs
        """
        return self._delegation_token_max_life_ms

    def delegation_token_expiry_time_ms(self) -> int:
        """Return ``delegation.token.expiry.time.ms``.

        :origin: kafka.server.KafkaConfig#delegationTokenExpiryTimeMs
        """
        return self._delegation_token_expiry_time_ms

    def delegation_token_expiry_check_interval_ms(self) -> int:
        """Return ``delegation.token.expiry.check.interval.ms``.

        :origin: kafka.server.KafkaConfig#delegationTokenExpiryCheckIntervalMs
        """
        return self._delegation_token_expiry_check_interval_ms

    def num_quota_samples(self) -> int:
        """Return ``quota.window.num``.

        :origin: kafka.server.KafkaConfig#numQuotaSamples
        """
        return self._num_quota_samples

    def quota_window_size_seconds(self) -> int:
        """Return ``quota.window.size.seconds``.

        :origin: kafka.server.KafkaConfig#quotaWindowSizeSeconds
        """
        return self._quota_window_size_seconds

    def num_controller_quota_samples(self) -> int:
        """Return ``controller.quota.window.num``.

        :origin: kafka.server.KafkaConfig#numControllerQuotaSamples
        """
        return self._num_controller_quota_samples

    def controller_quota_window_size_seconds(self) -> int:
        """Return ``controller.quota.window.size.seconds``.

        :origin: kafka.server.KafkaConfig#controllerQuotaWindowSizeSeconds
        """
        return self._controller_quota_window_size_seconds

    def max_incremental_fetch_session_cache_slots(self) -> int:
        """Return ``max.incremental.fetch.session.cache.slots``.

        :origin: kafka.server.KafkaConfig#maxIncrementalFetchSessionCacheSlots
        """
        return self._max_incremental_fetch_session_cache_slots

    def fetch_max_bytes(self) -> int:
        """Return ``fetch.max.bytes``.

        :origin: kafka.server.KafkaConfig#fetchMaxBytes
        """
        return self._fetch_max_bytes

    def max_request_partition_size_limit(self) -> int:
        """Return ``max.request.partition.size.limit``.

        :origin: kafka.server.KafkaConfig#maxRequestPartitionSizeLimit
        """
        return self._max_request_partition_size_limit

    def delete_topic_enable(self) -> bool:
        """Return ``delete.topic.enable``.

        :origin: kafka.server.KafkaConfig#deleteTopicEnable
        """
        return self._delete_topic_enable

    def compression_type(self) -> str:
        """Return ``compression.type``.

        :origin: kafka.server.KafkaConfig#compressionType
        """
        return self._get_text(ServerConfigs.COMPRESSION_TYPE_CONFIG)

    def gzip_compression_level(self) -> int:
        """Return ``compression.gzip.level``.

        :origin: kafka.server.KafkaConfig#gzipCompressionLevel
        """
        return self.get_int(ServerConfigs.COMPRESSION_GZIP_LEVEL_CONFIG)

    def lz4_compression_level(self) -> int:
        """Return ``compression.lz4.level``.

        :origin: kafka.server.KafkaConfig#lz4CompressionLevel
        """
        return self.get_int(ServerConfigs.COMPRESSION_LZ4_LEVEL_CONFIG)

    def zstd_compression_level(self) -> int:
        """Return ``compression.zstd.level``.

        :origin: kafka.server.KafkaConfig#zstdCompressionLevel
        """
        return self.get_int(ServerConfigs.COMPRESSION_ZSTD_LEVEL_CONFIG)

    def quorum_voters(self) -> list[str]:
        """Return ``controller.quorum.voters``.

        :origin: kafka.server.KafkaConfig#quorumVoters
        """
        return self._quorum_voters

    def quorum_bootstrap_servers(self) -> list[str]:
        """Return ``controller.quorum.bootstrap.servers``.

        :origin: kafka.server.KafkaConfig#quorumBootstrapServers
        """
        return self._quorum_bootstrap_servers

    def unstable_api_versions_enabled(self) -> bool:
        """Return ``unstable.api.versions.enable``.

        :origin: kafka.server.KafkaConfig#unstableApiVersionsEnabled
        """
        return self._unstable_api_versions_enabled

    def add_reconfigurable(self, reconfigurable: Reconfigurable) -> None:
        """Notify ``reconfigurable`` when one of its settings changes.

        :origin: kafka.server.KafkaConfig#addReconfigurable
        """
        self._dynamic_config.add_reconfigurable(reconfigurable)

    def remove_reconfigurable(self, reconfigurable: Reconfigurable) -> None:
        """Stop notifying ``reconfigurable``.

        :origin: kafka.server.KafkaConfig#removeReconfigurable
        """
        self._dynamic_config.remove_reconfigurable(reconfigurable)

    def log_retention_time_millis(self) -> int:
        """Return ``log.retention.ms``, else ``.minutes``, else ``.hours``, in milliseconds; -1 means no
        limit.

        :origin: kafka.server.KafkaConfig#logRetentionTimeMillis
        """
        millis_in_minute = 60 * 1000
        millis_in_hour = 60 * millis_in_minute
        millis: int | None = self.get_long(ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG)
        if millis is None:
            minutes: int | None = self.get_int(ServerLogConfigs.LOG_RETENTION_TIME_MINUTES_CONFIG)
            if minutes is not None:
                millis = millis_in_minute * minutes
            else:
                millis = self.get_int(ServerLogConfigs.LOG_RETENTION_TIME_HOURS_CONFIG) * millis_in_hour
        return -1 if millis < 0 else millis

    def _get_map(self, prop_name: str, prop_value: str | None) -> dict[str, str]:
        """Parse ``key:value`` pairs. Raises IllegalArgumentException.

        :origin: kafka.server.KafkaConfig#getMap
        """
        try:
            return Csv.parse_csv_map(prop_value)
        except ValueError as e:
            message = f"Error parsing configuration property '{prop_name}': {e}"
            raise IllegalArgumentException(message) from None

    def listeners(self) -> list[EndPoint]:
        """Return ``listeners``.

        :origin: kafka.server.KafkaConfig#listeners
        """
        return CoreUtils.listener_list_to_end_points(self.get_string(SocketServerConfigs.LISTENERS_CONFIG),
                                                     self.effective_listener_security_protocol_map())

    def controller_listener_names(self) -> list[str]:
        """Return ``controller.listener.names``.

        :origin: kafka.server.KafkaConfig#controllerListenerNames
        """
        value = self.get_string(KRaftConfigs.CONTROLLER_LISTENER_NAMES_CONFIG)
        if not value:
            return []
        names = value.split(",")
        # Java's split drops empty strings at the end.
        while names and not names[-1]:
            names.pop()
        return names

    def controller_listeners(self) -> list[EndPoint]:
        """Return the controller's listeners.

        :origin: kafka.server.KafkaConfig#controllerListeners
        """
        return [listener for listener in self.listeners()
                if listener.listener_name().value() in self.controller_listener_names()]

    def control_plane_listener(self) -> EndPoint | None:
        """Return the control plane's listener, or None.

        :origin: kafka.server.KafkaConfig#controlPlaneListener
        """
        listener_name = self.control_plane_listener_name()
        if listener_name is None:
            return None
        return next(listener for listener in self.listeners() if listener.listener_name() == listener_name)

    def data_plane_listeners(self) -> list[EndPoint]:
        """Return the listeners for clients: all except those of the control plane and the controller.

        :origin: kafka.server.KafkaConfig#dataPlaneListeners
        """
        control_plane = self.get_string(SocketServerConfigs.CONTROL_PLANE_LISTENER_NAME_CONFIG)
        controller_listener_names = self.controller_listener_names()
        return [listener for listener in self.listeners()
                if listener.listener_name().value() != control_plane
                and listener.listener_name().value() not in controller_listener_names]

    def effective_advertised_listeners(self) -> list[EndPoint]:
        """Return ``advertised.listeners``, or all listeners except the controller's.

        :origin: kafka.server.KafkaConfig#effectiveAdvertisedListeners
        """
        advertised_listeners = self.get_string(SocketServerConfigs.ADVERTISED_LISTENERS_CONFIG)
        if advertised_listeners is not None:
            return CoreUtils.listener_list_to_end_points(
                advertised_listeners, self.effective_listener_security_protocol_map(),
                require_distinct_ports=False)
        controller_listener_names = self.controller_listener_names()
        return [listener for listener in self.listeners()
                if listener.listener_name().value() not in controller_listener_names]

    def _get_inter_broker_listener_name_and_security_protocol(self) -> tuple[ListenerName, SecurityProtocol]:
        """Return the listener and the protocol between brokers. Raises ConfigException.

        :origin: kafka.server.KafkaConfig#getInterBrokerListenerNameAndSecurityProtocol
        """
        name = self.get_string(ReplicationConfigs.INTER_BROKER_LISTENER_NAME_CONFIG)
        if name is None:
            security_protocol = self._get_security_protocol(
                self._get_text(ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_CONFIG),
                ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_CONFIG)
            return ListenerName.for_security_protocol(security_protocol), security_protocol
        if ReplicationConfigs.INTER_BROKER_SECURITY_PROTOCOL_CONFIG in self.originals():
            raise ConfigException("Only one of inter.broker.listener.name and "
                                  "security.inter.broker.protocol should be set.")
        listener_name = ListenerName.normalised(name)
        protocol = self.effective_listener_security_protocol_map().get(listener_name)
        if protocol is None:
            raise ConfigException(
                f"Listener with name {listener_name.value()} defined in inter.broker.listener.name not found "
                "in listener.security.protocol.map.")
        return listener_name, protocol

    def _get_control_plane_listener_name_and_security_protocol(
            self) -> tuple[ListenerName, SecurityProtocol] | None:
        """Return the control plane's listener and protocol, or None. Raises ConfigException.

        :origin: kafka.server.KafkaConfig#getControlPlaneListenerNameAndSecurityProtocol
        """
        name = self.get_string(SocketServerConfigs.CONTROL_PLANE_LISTENER_NAME_CONFIG)
        if name is None:
            return None
        listener_name = ListenerName.normalised(name)
        security_protocol = self.effective_listener_security_protocol_map().get(listener_name)
        if security_protocol is None:
            raise ConfigException(
                f"Listener with {listener_name.value()} defined in control.plane.listener.name not found in "
                "listener.security.protocol.map.")
        return listener_name, security_protocol

    def _get_security_protocol(self, protocol_name: str, config_name: str) -> SecurityProtocol:
        """Return the security protocol of this name. Raises ConfigException.

        :origin: kafka.server.KafkaConfig#getSecurityProtocol
        """
        try:
            return SecurityProtocol.for_name(protocol_name)
        except IllegalArgumentException:
            message = f"Invalid security protocol `{protocol_name}` defined in {config_name}"
            raise ConfigException(message) from None

    def effective_listener_security_protocol_map(self) -> dict[ListenerName, SecurityProtocol]:
        """Return the security protocol of every listener name.

        A KRaft node may leave the map unset. Then the controller's listeners are plaintext, unless some
        listener uses another protocol.

        :origin: kafka.server.KafkaConfig#effectiveListenerSecurityProtocolMap
        """
        map_config = SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_CONFIG
        map_value = {
            ListenerName.normalised(listener_name): self._get_security_protocol(protocol_name, map_config)
            for listener_name, protocol_name in self._get_map(map_config, self.get_string(map_config)).items()
        }
        if not self.uses_self_managed_quorum() or map_config in self.originals():
            return map_value

        def is_ssl_or_sasl(name: str) -> bool:
            return name in ("SSL", "SASL_SSL", "SASL_PLAINTEXT")

        controller_listener_names = self.controller_listener_names()
        listeners = Csv.parse_csv_list(self.get_string(SocketServerConfigs.LISTENERS_CONFIG))
        if (any(is_ssl_or_sasl(name) for name in controller_listener_names)
                or any(is_ssl_or_sasl(EndPoint.parse_listener_name(listener)) for listener in listeners)):
            return map_value
        for name in controller_listener_names:
            if name != SecurityProtocol.PLAINTEXT.name:
                map_value[ListenerName(name)] = SecurityProtocol.PLAINTEXT
        return map_value

    def log_local_retention_bytes(self) -> int:
        """Return ``log.local.retention.bytes``.

        :origin: kafka.server.KafkaConfig#logLocalRetentionBytes
        """
        return self.get_long(RemoteLogManagerConfig.LOG_LOCAL_RETENTION_BYTES_PROP)

    def log_local_retention_ms(self) -> int:
        """Return ``log.local.retention.ms``.

        :origin: kafka.server.KafkaConfig#logLocalRetentionMs
        """
        return self.get_long(RemoteLogManagerConfig.LOG_LOCAL_RETENTION_MS_PROP)

    def _validate_values(self) -> None:
        """Refuse values that contradict each other, in Kafka's order and words.

        Raises ConfigException or IllegalArgumentException.

        :origin: kafka.server.KafkaConfig#validateValues
        """
        if self._node_id != self._broker_id:
            raise ConfigException("You must set `node.id` to the same value as `broker.id`.")
        if self.requires_zookeeper():
            # DEVIATION D65: without zookeeper.connect, which Kafka requires here, the node is a single node.
            if self._broker_id_generation_enable:
                require(-1 <= self._broker_id <= self._max_reserved_broker_id,
                        "broker.id must be greater than or equal to -1 and not greater than "
                        "reserved.broker.max.id")
            else:
                require(self._broker_id >= 0, "broker.id must be greater than or equal to 0")
        else:
            if self._node_id < 0:
                raise ConfigException("Missing configuration `node.id` which is required "
                                      "when `process.roles` is defined (i.e. when running in KRaft mode).")
            if self._migration_enabled and self._zk_connect is None:
                raise ConfigException("If using `zookeeper.metadata.migration.enable` in KRaft mode, "
                                      "`zookeeper.connect` must also be set.")
        require(self.log_roll_time_millis() >= 1, "log.roll.ms must be greater than or equal to 1")
        require(self.log_roll_time_jitter_millis() >= 0,
                "log.roll.jitter.ms must be greater than or equal to 0")
        require(self.log_retention_time_millis() >= 1 or self.log_retention_time_millis() == -1,
                "log.retention.ms must be unlimited (-1) or, greater than or equal to 1")
        require(bool(self._log_dirs), "At least one log directory must be defined via log.dirs or log.dir.")
        if self._log_cleaner_threads == 0:
            # Kafka's error of the division below.
            raise ZeroDivisionError("/ by zero")
        require(self._log_cleaner_dedupe_buffer_size // self._log_cleaner_threads > 1024 * 1024,
                "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.")
        require(self._replica_fetch_wait_max_ms <= self._replica_socket_timeout_ms,
                "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms to prevent "
                "unnecessary socket timeouts")
        require(self._replica_fetch_wait_max_ms <= self._replica_lag_time_max_ms,
                "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms "
                "to prevent frequent changes in ISR")
        require(-1 <= self._offset_commit_required_acks <= self._offsets_topic_replication_factor,
                "offsets.commit.required.acks must be greater or equal -1 and less or equal to "
                "offsets.topic.replication.factor")
        advertised_listener_names = list(dict.fromkeys(
            listener.listener_name() for listener in self.effective_advertised_listeners()))

        voter_ids = QuorumConfig.parse_voter_ids(self._quorum_voters)
        controller_listener_names = self.controller_listener_names()

        def validate_non_empty_quorum_voters_for_kraft() -> None:
            if not voter_ids:
                raise ConfigException("If using process.roles, controller.quorum.voters must contain a "
                                      "parseable set of voters.")

        def validate_non_empty_quorum_voters_for_migration() -> None:
            if not voter_ids:
                raise ConfigException("If using zookeeper.metadata.migration.enable, "
                                      "controller.quorum.voters must contain a parseable set of voters.")

        def validate_control_plane_listener_empty_for_kraft() -> None:
            require(self.control_plane_listener_name() is None,
                    "control.plane.listener.name is not supported in KRaft mode.")

        def validate_advertised_listeners_does_not_contain_controller_listeners_for_kraft_broker() -> None:
            require(
                not any(name.value() in controller_listener_names for name in advertised_listener_names),
                "The advertised.listeners config must not contain KRaft controller listeners from "
                "controller.listener.names when process.roles contains the broker role because Kafka "
                "clients that send requests via advertised listeners do not send requests to KRaft "
                "controllers -- they only send requests to KRaft brokers.")

        def validate_controller_quorum_voters_must_contain_node_id_for_kraft_controller() -> None:
            require(self._node_id in voter_ids,
                    f"If process.roles contains the 'controller' role, the node id {self._node_id} must be "
                    f"included in the set of voters controller.quorum.voters={set_text(voter_ids)}")

        def validate_controller_listener_exists_for_kraft_controller() -> None:
            require(bool(self.controller_listeners()),
                    "controller.listener.names must contain at least one value appearing in the 'listeners' "
                    "configuration when running the KRaft controller role")

        def validate_controller_listener_names_must_appear_in_listeners_for_kraft_controller() -> None:
            listener_name_values = {listener.listener_name().value() for listener in self.listeners()}
            require(all(name in listener_name_values for name in controller_listener_names),
                    "controller.listener.names must only contain values appearing in the 'listeners' "
                    "configuration when running the KRaft controller role")

        def validate_advertised_listeners_non_empty_for_broker() -> None:
            require(bool(advertised_listener_names), "There must be at least one advertised listener." + (
                " Perhaps all listeners appear in controller.listener.names?"
                if ProcessRole.BrokerRole in self._process_roles else ""))

        if self._process_roles == {ProcessRole.BrokerRole}:
            validate_non_empty_quorum_voters_for_kraft()
            validate_control_plane_listener_empty_for_kraft()
            validate_advertised_listeners_does_not_contain_controller_listeners_for_kraft_broker()
            require(self._node_id not in voter_ids,
                    f"If process.roles contains just the 'broker' role, the node id {self._node_id} must not "
                    f"be included in the set of voters controller.quorum.voters={set_text(voter_ids)}")
            require(bool(controller_listener_names),
                    "controller.listener.names must contain at least one value when running KRaft with just "
                    "the broker role")
            require(not self.controller_listeners(),
                    "controller.listener.names must not contain a value appearing in the 'listeners' "
                    "configuration when running KRaft with just the broker role")
            for name in controller_listener_names:
                listener_name = ListenerName.normalised(name)
                if listener_name not in self.effective_listener_security_protocol_map():
                    raise ConfigException(
                        f"Controller listener with name {listener_name.value()} defined in "
                        "controller.listener.names not found in listener.security.protocol.map  (an "
                        "explicit security mapping for each controller listener is required if "
                        "listener.security.protocol.map is non-empty, or if there are security protocols "
                        "other than PLAINTEXT in use)")
            if len(controller_listener_names) > 1:
                self.warn("%s: a broker uses only the first name of %s",
                          KRaftConfigs.CONTROLLER_LISTENER_NAMES_CONFIG, controller_listener_names)
            validate_advertised_listeners_non_empty_for_broker()
        elif self._process_roles == {ProcessRole.ControllerRole}:
            validate_non_empty_quorum_voters_for_kraft()
            validate_control_plane_listener_empty_for_kraft()
            require(self.get_string(SocketServerConfigs.ADVERTISED_LISTENERS_CONFIG) is None,
                    "The advertised.listeners config must be empty when process.roles=controller")
            require(not self.effective_advertised_listeners(),
                    "The listeners config must only contain KRaft controller listeners from "
                    "controller.listener.names when process.roles=controller")
            validate_controller_quorum_voters_must_contain_node_id_for_kraft_controller()
            validate_controller_listener_exists_for_kraft_controller()
            validate_controller_listener_names_must_appear_in_listeners_for_kraft_controller()
        elif self.is_kraft_combined_mode():
            validate_non_empty_quorum_voters_for_kraft()
            validate_control_plane_listener_empty_for_kraft()
            validate_advertised_listeners_does_not_contain_controller_listeners_for_kraft_broker()
            validate_controller_quorum_voters_must_contain_node_id_for_kraft_controller()
            validate_controller_listener_exists_for_kraft_controller()
            validate_controller_listener_names_must_appear_in_listeners_for_kraft_controller()
            validate_advertised_listeners_non_empty_for_broker()
        else:
            if self._migration_enabled:
                validate_non_empty_quorum_voters_for_migration()
                require(bool(controller_listener_names),
                        "controller.listener.names must not be empty when running in ZooKeeper migration "
                        f"mode: {java_text(controller_listener_names)}")
                require(self._inter_broker_protocol_version.is_migration_supported(),
                        "Cannot enable ZooKeeper migration without setting 'inter.broker.protocol.version' "
                        "to 3.4 or higher")
                if len(self._log_dirs) > 1:
                    require(self._inter_broker_protocol_version.is_directory_assignment_supported(),
                            "Cannot enable ZooKeeper migration with multiple log directories (aka JBOD) "
                            "without setting 'inter.broker.protocol.version' to "
                            f"{MetadataVersion.IBP_3_7_IV2} or higher")
            else:
                require(not controller_listener_names,
                        "controller.listener.names must be empty when not running in KRaft mode: "
                        f"{java_text(controller_listener_names)}")
            validate_advertised_listeners_non_empty_for_broker()

        listener_names = list(dict.fromkeys(listener.listener_name() for listener in self.listeners()))
        if not self._process_roles or ProcessRole.BrokerRole in self._process_roles:
            validate_advertised_listeners_non_empty_for_broker()
            require(self.inter_broker_listener_name() in advertised_listener_names,
                    "inter.broker.listener.name must be a listener name defined in advertised.listeners. "
                    "The valid options based on currently configured listeners are "
                    f"{_names(advertised_listener_names)}")
            require(set(advertised_listener_names) <= set(listener_names),
                    "advertised.listeners listener names must be equal to or a subset of the ones defined "
                    f"in listeners. Found {_names(advertised_listener_names)}. The valid options based on "
                    f"the current configuration are {_names(listener_names)}")

        require(not any(endpoint.host() == "0.0.0.0" for endpoint in self.effective_advertised_listeners()),
                "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP "
                "address.")

        control_plane_listener_name = self.control_plane_listener_name()
        if control_plane_listener_name is not None:
            require(control_plane_listener_name in advertised_listener_names,
                    "control.plane.listener.name must be a listener name defined in advertised.listeners. "
                    "The valid options based on currently configured listeners are "
                    f"{_names(advertised_listener_names)}")
            require(control_plane_listener_name != self.inter_broker_listener_name(),
                    "control.plane.listener.name, when defined, should have a different value from the "
                    "inter broker listener name. Currently they both have the value "
                    f"{control_plane_listener_name}")

        message_format_version = LogConfig.MessageFormatVersion(self._log_message_format_version_string,
                                                                self._inter_broker_protocol_version_string)
        if message_format_version.should_warn():
            self.warn(self._create_broker_warning_message())
        record_version = self.log_message_format_version().highest_supported_record_version()
        highest_record_version = self._inter_broker_protocol_version.highest_supported_record_version()
        require(highest_record_version.value >= record_version.value,
                f"log.message.format.version {self._log_message_format_version_string} can only be used when "
                "inter.broker.protocol.version is set to version "
                f"{MetadataVersion.min_supported_for(record_version).short_version()} or higher")
        if self._offsets_topic_compression_type is CompressionType.ZSTD:
            needed = MetadataVersion.IBP_2_1_IV0
            require(highest_record_version.value >= needed.highest_supported_record_version().value,
                    "offsets.topic.compression.codec zstd can only be used when "
                    f"inter.broker.protocol.version is set to version {needed.short_version()} or higher")

        inter_broker_uses_sasl = self.inter_broker_security_protocol() in (SecurityProtocol.SASL_PLAINTEXT,
                                                                           SecurityProtocol.SASL_SSL)
        require(not inter_broker_uses_sasl or self._sasl_inter_broker_handshake_request_enable
                or self.sasl_mechanism_inter_broker_protocol() == SaslConfigs.GSSAPI_MECHANISM,
                "Only GSSAPI mechanism is supported for inter-broker communication with SASL when "
                f"inter.broker.protocol.version is set to {self._inter_broker_protocol_version_string}")
        require(not inter_broker_uses_sasl or self.sasl_mechanism_inter_broker_protocol()
                in self._sasl_enabled_mechanisms(self.inter_broker_listener_name()),
                "sasl.mechanism.inter.broker.protocol must be included in sasl.enabled.mechanisms when SASL "
                "is used for inter-broker communication")
        require(self._queued_max_bytes <= 0 or self._queued_max_bytes >= self._socket_request_max_bytes,
                "queued.max.request.bytes must be larger or equal to socket.request.max.bytes")

        if self._max_connections_per_ip == 0:
            require(bool(self._max_connections_per_ip_overrides),
                    "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides "
                    "property is set.")
        invalid_addresses = [address for address in self._max_connections_per_ip_overrides
                             if not Utils.valid_host_pattern(address)]
        if invalid_addresses:
            raise IllegalArgumentException(
                "max.connections.per.ip.overrides contains invalid addresses : "
                f"{','.join(invalid_addresses)}")

        if self._connections_max_idle_ms >= 0:
            require(self._failed_authentication_delay_ms < self._connections_max_idle_ms,
                    f"connection.failed.authentication.delay.ms={self._failed_authentication_delay_ms} "
                    f"should always be less than connections.max.idle.ms={self._connections_max_idle_ms} to "
                    "prevent failed authentication responses from timing out")

        principal_builder_class = self.get_class(BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG)
        require(principal_builder_class is not None, "principal.builder.class must be non-null")
        assert principal_builder_class is not None
        # Kafka's own builder always is a serde.
        require(issubclass(principal_builder_class, KafkaPrincipalSerde),
                "principal.builder.class must implement KafkaPrincipalSerde")

        min_heartbeat_interval_ms = self._consumer_group_min_heartbeat_interval_ms
        require(self._consumer_group_max_heartbeat_interval_ms >= min_heartbeat_interval_ms,
                "group.consumer.max.heartbeat.interval.ms must be greater than or equals to "
                "group.consumer.min.heartbeat.interval.ms")
        require(self._consumer_group_heartbeat_interval_ms >= min_heartbeat_interval_ms,
                "group.consumer.heartbeat.interval.ms must be greater than or equals to "
                "group.consumer.min.heartbeat.interval.ms")
        require(self._consumer_group_heartbeat_interval_ms <= self._consumer_group_max_heartbeat_interval_ms,
                "group.consumer.heartbeat.interval.ms must be less than or equals to "
                "group.consumer.max.heartbeat.interval.ms")
        require(self._consumer_group_max_session_timeout_ms >= self._consumer_group_min_session_timeout_ms,
                "group.consumer.max.session.timeout.ms must be greater than or equals to "
                "group.consumer.min.session.timeout.ms")
        require(self._consumer_group_session_timeout_ms >= self._consumer_group_min_session_timeout_ms,
                "group.consumer.session.timeout.ms must be greater than or equals to "
                "group.consumer.min.session.timeout.ms")
        require(self._consumer_group_session_timeout_ms <= self._consumer_group_max_session_timeout_ms,
                "group.consumer.session.timeout.ms must be less than or equals to "
                "group.consumer.max.session.timeout.ms")

        if GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_CONFIG in self.originals():
            self.warn("%s is deprecated", GroupCoordinatorConfig.OFFSET_COMMIT_REQUIRED_ACKS_CONFIG)

    def extract_log_config_map(self) -> dict[str, Any]:
        """Return the defaults of topics, by the names of a topic's settings.

        :origin: kafka.server.KafkaConfig#extractLogConfigMap
        """
        return {
            TopicConfig.SEGMENT_BYTES_CONFIG: self.log_segment_bytes(),
            TopicConfig.SEGMENT_MS_CONFIG: self.log_roll_time_millis(),
            TopicConfig.SEGMENT_JITTER_MS_CONFIG: self.log_roll_time_jitter_millis(),
            TopicConfig.SEGMENT_INDEX_BYTES_CONFIG: self.log_index_size_max_bytes(),
            TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG: self.log_flush_interval_messages(),
            TopicConfig.FLUSH_MS_CONFIG: self.log_flush_interval_ms(),
            TopicConfig.RETENTION_BYTES_CONFIG: self.log_retention_bytes(),
            TopicConfig.RETENTION_MS_CONFIG: self.log_retention_time_millis(),
            TopicConfig.MAX_MESSAGE_BYTES_CONFIG: self.message_max_bytes(),
            TopicConfig.INDEX_INTERVAL_BYTES_CONFIG: self.log_index_interval_bytes(),
            TopicConfig.DELETE_RETENTION_MS_CONFIG: self.log_cleaner_delete_retention_ms(),
            TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG: self.log_cleaner_min_compaction_lag_ms(),
            TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG: self.log_cleaner_max_compaction_lag_ms(),
            TopicConfig.FILE_DELETE_DELAY_MS_CONFIG: self.log_delete_delay_ms(),
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG: self.log_cleaner_min_clean_ratio(),
            TopicConfig.CLEANUP_POLICY_CONFIG: self.log_cleanup_policy(),
            TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG: self.min_in_sync_replicas(),
            TopicConfig.COMPRESSION_TYPE_CONFIG: self.compression_type(),
            TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG: self.gzip_compression_level(),
            TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG: self.lz4_compression_level(),
            TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG: self.zstd_compression_level(),
            TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG: self.unclean_leader_election_enable(),
            TopicConfig.PREALLOCATE_CONFIG: self.log_pre_allocate_enable(),
            TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG: self.log_message_format_version().version(),
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG: str(self.log_message_timestamp_type()),
            TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG:
                self.log_message_timestamp_difference_max_ms(),
            TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG: self.log_message_timestamp_before_max_ms(),
            TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG: self.log_message_timestamp_after_max_ms(),
            TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG: self.log_message_down_conversion_enable(),
            TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG: self.log_local_retention_ms(),
            TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG: self.log_local_retention_bytes(),
        }

    def _create_broker_warning_message(self) -> str:
        """Return the warning for ``log.message.format.version``.

        :origin: kafka.server.KafkaConfig#createBrokerWarningMessage
        """
        return ("log.message.format.version "
                f"{self._log_message_format_version_string} is ignored: with inter-broker protocol "
                f"{self._inter_broker_protocol_version_string} it is always the newest format")

    def generated_broker_id(self) -> int:
        """Return a generated id for a broker without one: the first that is not reserved."""
        return self._max_reserved_broker_id + 1

    def set_broker_id(self, broker_id: int) -> None:
        """Set the broker's generated id. Called by the server before it starts."""
        self._broker_id = broker_id
