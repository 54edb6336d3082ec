# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DynamicBrokerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes the settings of a broker while it runs.

The value of a setting comes from the first of these levels that has one: the dynamic config of this broker,
the dynamic config of all brokers, the properties from the start, the default. A change replaces the whole set
of one of the first two levels. The new config is read and checked, then given to every reconfigurable that
uses a changed setting. It replaces the old config only when all of them accept it:

    plug-ins (Reconfigurable)            validate, then reconfigure, before the config changes. An
                                         exception stops the change. Earlier plug-ins keep it.
    parts (BrokerReconfigurable)         validate before the change, and reconfigure after it, when
                                         KafkaConfig has the new values.

Any thread may change settings. The write lock admits one change at a time, and is held while reconfigurables
run.
Readers of ``KafkaConfig`` need no lock.

Kafka stores the changes in the metadata log, which brings them to every broker. Here the node's storage keeps
the changes that clients request, and applies them at the next start. ``alter`` is for callers in the process;
its changes end with the process.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Protocol

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.listener_reconfigurable import ListenerReconfigurable
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.utils.utils import Utils
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.reconfigurable_configs import (
    DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS,
    LOG_CLEANER_RECONFIGURABLE_CONFIGS,
    SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS,
    SOCKET_SERVER_RECONFIGURABLE_CONFIGS,
)
from kreactor.core.server import kafka_config_def
from kreactor.core.server.broker_reconfigurable import BrokerReconfigurable
from kreactor.core.server.server import Server
from kreactor.core.utils.core_utils import require, set_text
from kreactor.core.utils.logging import Logging
from kreactor.jdk.class_loader import NamedClassLoader, use_class_loader
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import ReentrantReadWriteLock
from kreactor.jdk.text import java_text, throwable_text
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.config.metric_configs import MetricConfigs
from kreactor.server.config.remote_log_manager_config import RemoteLogManagerConfig
from kreactor.server.config.replication_configs import ReplicationConfigs
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.server.config.transaction_log_configs import TransactionLogConfigs
from kreactor.server.telemetry.client_telemetry import ClientTelemetry
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig

if TYPE_CHECKING:
    from kreactor.common.metrics.metrics import Metrics
    from kreactor.core.server.dynamic_config import DynamicConfig
    from kreactor.core.server.kafka_config import KafkaConfig
    from kreactor.core.server.quota_factory import QuotaManagers
    from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin

_JMX_REPORTER = "org.apache.kafka.common.metrics.JmxReporter"
# The packages whose classes a client may name in a setting: all ported packages.
_PORTED_PACKAGES = tuple(f"kreactor.{package}" for package in (
    "clients", "common", "controller", "coordinator", "core", "image", "metadata", "network", "security",
    "server", "storage"))
# The separators of a list, and those between a login module and its options.
_BETWEEN_NAMES = re.compile(r"[\s,;]+")


class RequestHandlerPool(Protocol):
    """The part of ``KafkaRequestHandlerPool`` that ``BrokerDynamicThreadPool`` uses."""

    def resize_thread_pool(self, new_size: int) -> None:
        """Change the number of threads to ``new_size``."""


class ListenerServer(Protocol):
    """The part of ``SocketServer`` that ``DynamicListenerConfig`` uses; a ``BrokerReconfigurable`` too."""

    def add_listeners(self, listeners_added: Sequence[EndPoint]) -> None:
        """Open listeners."""

    def remove_listeners(self, listeners_removed: Sequence[EndPoint]) -> None:
        """Close listeners and their connections."""

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names of the settings that concern the server."""

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException if ``new_config`` is not acceptable."""

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Apply ``new_config``."""


class BackgroundScheduler(Protocol):
    """The part of ``KafkaScheduler`` that ``BrokerDynamicThreadPool`` uses."""

    def resize_thread_pool(self, new_size: int) -> None:
        """Change the number of threads to ``new_size``."""


class ProducerStateKeeper(Protocol):
    """The part of ``LogManager`` that ``DynamicProducerStateManagerConfig`` uses."""

    def producer_state_manager_config(self) -> ProducerStateManagerConfig:
        """Return the settings of producer state that all logs share."""


class KafkaBroker(Protocol):
    """The parts of the server that take new settings.

    :origin: kafka.server.KafkaBroker
    :origin: kafka.server.KafkaBroker
    """

    def config(self) -> KafkaConfig:
        """Return the settings."""

    def data_plane_request_handler_pool(self) -> RequestHandlerPool:
        """Return the pool of request handler threads."""

    def quota_managers(self) -> QuotaManagers:
        """Return the quota managers."""

    def socket_server(self) -> ListenerServer:
        """Return the socket server."""

    def kafka_scheduler(self) -> BackgroundScheduler:
        """Return the scheduler of background tasks."""

    def log_manager(self) -> ProducerStateKeeper:
        """Return the log manager."""

    def metrics(self) -> Metrics:
        """Return the registry of Kafka's own metrics."""

    def cluster_id(self) -> str:
        """Return the cluster's id."""

    def authorizer(self) -> object:
        """Return the authorizer, or None."""

    def advertised_listeners_changed(self, listeners: Sequence[EndPoint]) -> None:
        """Advertise ``listeners`` to clients from now on."""

    def log_defaults_changed(self) -> None:
        """Apply the current defaults of topics to all logs."""


def _dynamic_config() -> type[DynamicConfig]:
    # DEVIATION D64: the two companions import each other.
    from kreactor.core.server.dynamic_config import DynamicConfig
    return DynamicConfig


_DYNAMIC_LISTENER_CONFIGS = frozenset((
    SocketServerConfigs.ADVERTISED_LISTENERS_CONFIG,
    SocketServerConfigs.LISTENERS_CONFIG,
    SocketServerConfigs.LISTENER_SECURITY_PROTOCOL_MAP_CONFIG,

    BrokerSecurityConfigs.PRINCIPAL_BUILDER_CLASS_CONFIG,
    SslConfigs.SSL_PROTOCOL_CONFIG,
    SslConfigs.SSL_PROVIDER_CONFIG,
    SslConfigs.SSL_CIPHER_SUITES_CONFIG,
    SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG,
    SslConfigs.SSL_KEYSTORE_TYPE_CONFIG,
    SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
    SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
    SslConfigs.SSL_KEY_PASSWORD_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG,
    SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG,
    SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG,
    SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG,
    SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG,
    BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG,
    SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG,

    BrokerSecurityConfigs.SASL_MECHANISM_INTER_BROKER_PROTOCOL_CONFIG,
    SaslConfigs.SASL_JAAS_CONFIG,
    BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG,
    SaslConfigs.SASL_KERBEROS_SERVICE_NAME,
    SaslConfigs.SASL_KERBEROS_KINIT_CMD,
    SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR,
    SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER,
    SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN,
    BrokerSecurityConfigs.SASL_KERBEROS_PRINCIPAL_TO_LOCAL_RULES_CONFIG,
    SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR,
    SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER,
    SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS,
    SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS,

    SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
    SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,

    ServerConfigs.NUM_NETWORK_THREADS_CONFIG,
))

# Whether the message format can change depends on all brokers of a cluster.
_DYNAMIC_LOG_CONFIGS = (frozenset(ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.values())
                        - {ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_CONFIG})

_DYNAMIC_THREAD_POOL_CONFIGS = frozenset((
    ServerConfigs.NUM_IO_THREADS_CONFIG,
    ReplicationConfigs.NUM_REPLICA_FETCHERS_CONFIG,
    ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG,
    ServerConfigs.BACKGROUND_THREADS_CONFIG,
))

_DYNAMIC_REMOTE_LOG_CONFIGS = frozenset((
    RemoteLogManagerConfig.REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES_PROP,
    RemoteLogManagerConfig.REMOTE_FETCH_MAX_WAIT_MS_PROP,
    RemoteLogManagerConfig.REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND_PROP,
    RemoteLogManagerConfig.REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND_PROP,
))


class DynamicBrokerConfig(Logging):
    """The dynamic settings in force, and the reconfigurables that use them.

    :origin: kafka.server.DynamicBrokerConfig
    :origin: kafka.server.DynamicBrokerConfig
    """

    DynamicSecurityConfigs = frozenset(SslConfigs.RECONFIGURABLE_CONFIGS)
    DynamicProducerStateManagerConfig = frozenset((
        TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG,
        TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG,
    ))
    AllDynamicConfigs = (
        DynamicSecurityConfigs
        | LOG_CLEANER_RECONFIGURABLE_CONFIGS
        | _DYNAMIC_LOG_CONFIGS
        | _DYNAMIC_THREAD_POOL_CONFIGS
        | {MetricConfigs.METRIC_REPORTER_CLASSES_CONFIG}
        | _DYNAMIC_LISTENER_CONFIGS
        | SOCKET_SERVER_RECONFIGURABLE_CONFIGS
        | DynamicProducerStateManagerConfig
        | _DYNAMIC_REMOTE_LOG_CONFIGS
    )
    _ClusterLevelListenerConfigs = frozenset((
        SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
        SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,
        ServerConfigs.NUM_NETWORK_THREADS_CONFIG,
    ))
    _PerBrokerConfigs = (DynamicSecurityConfigs | _DYNAMIC_LISTENER_CONFIGS) - _ClusterLevelListenerConfigs
    ListenerMechanismConfigs = frozenset((
        SaslConfigs.SASL_JAAS_CONFIG,
        SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS,
        SaslConfigs.SASL_LOGIN_CLASS,
        BrokerSecurityConfigs.SASL_SERVER_CALLBACK_HANDLER_CLASS_CONFIG,
        BrokerSecurityConfigs.CONNECTIONS_MAX_REAUTH_MS_CONFIG,
    ))
    _ReloadableFileConfigs = frozenset((
        SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
        SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
    ))
    ListenerConfigRegex = re.compile(r"listener\.name\.[^.]*\.(.*)")
    _DynamicPasswordConfigs = AllDynamicConfigs & frozenset(
        name for name, key in kafka_config_def.config_keys().items() if key._type == ConfigDef.Type.PASSWORD)

    @staticmethod
    def is_password_config(name: str) -> bool:
        """Return whether ``name`` is a dynamic password setting, with or without a listener's prefix.

        :origin: kafka.server.DynamicBrokerConfig#isPasswordConfig
        """
        return any(name.endswith(password) for password in DynamicBrokerConfig._DynamicPasswordConfigs)

    @staticmethod
    def broker_config_synonyms(name: str, match_listener_override: bool) -> list[str]:
        """Return the names of the same setting, the strongest first.

        With ``match_listener_override``, a listener's setting is followed by the setting for all listeners.

        :origin: kafka.server.DynamicBrokerConfig#brokerConfigSynonyms
        """
        for synonyms in _SYNONYMS:
            if name in synonyms:
                return list(synonyms)
        if name == ServerLogConfigs.LOG_FLUSH_INTERVAL_MS_CONFIG:
            # The second setting is the default of the first, not another name for it.
            return [name, ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_CONFIG]
        match = DynamicBrokerConfig.ListenerConfigRegex.fullmatch(name)
        if match is not None and match_listener_override:
            # Some names have a SASL mechanism: listener.name.<listener>.<mechanism>.<name>.
            for mechanism_config in DynamicBrokerConfig.ListenerMechanismConfigs:
                if match[1].endswith(mechanism_config):
                    return [name, mechanism_config]
            return [name, match[1]]
        return [name]

    @staticmethod
    def validate_configs(props: Mapping[str, str], per_broker_config: bool) -> None:
        """Raise ConfigException if one of ``props`` cannot be set at this level, or has an invalid value.

        :origin: kafka.server.DynamicBrokerConfig#validateConfigs
        """
        def check_invalid_props(invalid_prop_names: AbstractSet[str], error_message: str,
                                kind: str = "") -> None:
            if invalid_prop_names:
                raise ConfigException(f"{error_message}: {kind}{set_text(invalid_prop_names)}")

        cls = DynamicBrokerConfig
        check_invalid_props(cls._non_dynamic_configs(props), "Cannot update these configs dynamically")
        check_invalid_props(cls._security_configs_without_listener_prefix(props),
                            "These security configs can be dynamically updated only per-listener using the "
                            "listener prefix", "Hash")  # a subset of a large set, in Scala
        cls._validate_config_types(props)
        if not per_broker_config:
            check_invalid_props(cls._per_broker_configs(props),
                                "Cannot update these configs at default cluster level, broker id must be "
                                "specified")

    @staticmethod
    def _per_broker_configs(props: Mapping[str, str]) -> set[str]:
        """Return those of ``props`` that cannot be set for all brokers.

        :origin: kafka.server.DynamicBrokerConfig#perBrokerConfigs
        """
        def per_broker_listener_config(name: str) -> bool:
            match = DynamicBrokerConfig.ListenerConfigRegex.fullmatch(name)
            return match is not None and match[1] not in DynamicBrokerConfig._ClusterLevelListenerConfigs

        return {name for name in props
                if name in DynamicBrokerConfig._PerBrokerConfigs or per_broker_listener_config(name)}

    @staticmethod
    def _non_dynamic_configs(props: Mapping[str, str]) -> set[str]:
        """Return those of ``props`` that cannot be set while a broker runs.

        :origin: kafka.server.DynamicBrokerConfig#nonDynamicConfigs
        """
        return props.keys() & _dynamic_config().Broker.nonDynamicProps

    @staticmethod
    def _security_configs_without_listener_prefix(props: Mapping[str, str]) -> set[str]:
        """Return those of ``props`` that can be set for a listener only.

        :origin: kafka.server.DynamicBrokerConfig#securityConfigsWithoutListenerPrefix
        """
        return {name for name in DynamicBrokerConfig.DynamicSecurityConfigs if name in props}

    @staticmethod
    def _validate_config_types(props: Mapping[str, str]) -> None:
        """Raise ConfigException if a value is invalid, apart from all other settings.

        :origin: kafka.server.DynamicBrokerConfig#validateConfigTypes
        """
        base_props: dict[str, str] = {}
        for name, value in props.items():
            match = DynamicBrokerConfig.ListenerConfigRegex.fullmatch(name)
            base_props[name if match is None else match[1]] = value
        _dynamic_config().Broker.validate(base_props)

    @staticmethod
    def add_dynamic_configs(config_def: ConfigDef) -> None:
        """Add the definitions of all dynamic settings to ``config_def``.

        :origin: kafka.server.DynamicBrokerConfig#addDynamicConfigs
        """
        for name, config in kafka_config_def.config_keys().items():
            if name in DynamicBrokerConfig.AllDynamicConfigs:
                config_def.define(config)

    @staticmethod
    def resolve_variable_configs(props_original: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``props_original`` with the variables of the config providers replaced.

        :origin: kafka.server.DynamicBrokerConfig#resolveVariableConfigs
        """
        config = AbstractConfig(ConfigDef(), props_original, False)
        return {key: value for key, value in config.originals().items()
                if not key.startswith(AbstractConfig.CONFIG_PROVIDERS_CONFIG)}

    def __init__(self, kafka_config: KafkaConfig) -> None:
        """Belong to ``kafka_config``, which is not initialized yet except for its original properties.

        :origin: kafka.server.DynamicBrokerConfig#DynamicBrokerConfig
        """
        self._lock = ReentrantReadWriteLock()
        self._kafka_config = kafka_config
        self._static_broker_configs: dict[str, str] = ConfigDef.convert_to_string_map_with_password_values(
            kafka_config.originals_from_this_config())

        # DEVIATION D250: a client may name only ported classes, and classes that the properties from the
        # start name. The origin loads any class on the class path that its operator configured. Python's path
        # has the working folder and the standard library in it, whose modules run when they are imported.
        self._class_loader = NamedClassLoader(
            _PORTED_PACKAGES, _possible_class_names(self._static_broker_configs))

        # Guarded by the lock.
        self._dynamic_broker_configs: dict[str, str] = {}
        self._dynamic_default_configs: dict[str, str] = {}
        self._current_config: KafkaConfig | None = None
        self._metrics_receiver_plugin: ClientMetricsReceiverPlugin | None = None

        # Replaced, never changed, so that a reader needs no lock.
        self._reconfigurables: tuple[Reconfigurable, ...] = ()
        self._broker_reconfigurables: tuple[BrokerReconfigurable | ListenerServer, ...] = ()

    def static_broker_configs(self) -> dict[str, str]:
        """Return the properties from the start.

        :origin: kafka.server.DynamicBrokerConfig#staticBrokerConfigs
        """
        return dict(self._static_broker_configs)

    def static_default_configs(self) -> dict[str, str]:
        """Return the defaults.

        :origin: kafka.server.DynamicBrokerConfig#staticDefaultConfigs
        """
        return dict(_default_configs())

    def initialize(self, client_metrics_receiver_plugin: ClientMetricsReceiverPlugin | None = None) -> None:
        """Prepare for changes. Called once, before the first change.

        ``client_metrics_receiver_plugin`` passes the metrics of clients to the reporters that take them.

        :origin: kafka.server.DynamicBrokerConfig#initialize
        """
        self._metrics_receiver_plugin = client_metrics_receiver_plugin
        self._current_config = self._new_config(self._kafka_config.props(), False)

    def _new_config(self, props: Mapping[str, Any], do_log: bool) -> KafkaConfig:
        # Taken from the object, because the module of KafkaConfig imports this one.
        return type(self._kafka_config)(props, do_log)

    def clear(self) -> None:
        """Remove all dynamic settings and all reconfigurables.

        :origin: kafka.server.DynamicBrokerConfig#clear
        """
        with self._lock.write_lock():
            self._dynamic_broker_configs.clear()
            self._dynamic_default_configs.clear()
            self._reconfigurables = ()
            self._broker_reconfigurables = ()

    def add_reconfigurables(self, kafka_server: KafkaBroker) -> None:
        """Register the reconfigurable parts of ``kafka_server``.

        :origin: kafka.server.DynamicBrokerConfig#addReconfigurables(KafkaBroker)
        """
        authorizer = kafka_server.authorizer()
        if isinstance(authorizer, Reconfigurable):
            self.add_reconfigurable(authorizer)
        self.add_reconfigurable(DynamicMetricsReporters(
            self._kafka_config.broker_id(), kafka_server.config(), kafka_server.metrics(),
            kafka_server.cluster_id()))
        self.add_reconfigurable(
            DynamicClientQuotaCallback(kafka_server.quota_managers(), kafka_server.config()))
        self.add_broker_reconfigurable(BrokerDynamicThreadPool(kafka_server))
        self.add_broker_reconfigurable(DynamicLogConfig(kafka_server.log_defaults_changed))
        self.add_broker_reconfigurable(DynamicListenerConfig(kafka_server))
        self.add_broker_reconfigurable(kafka_server.socket_server())
        self.add_broker_reconfigurable(DynamicProducerStateManagerConfig(
            kafka_server.log_manager().producer_state_manager_config()))

    def add_reconfigurable(self, reconfigurable: Reconfigurable) -> None:
        """Register a plug-in. Raises IllegalArgumentException if it names a setting that is not dynamic.

        :origin: kafka.server.DynamicBrokerConfig#addReconfigurable
        """
        with self._lock.write_lock():
            self._verify_reconfigurable_configs(reconfigurable.reconfigurable_configs())
            self._reconfigurables = (*self._reconfigurables, reconfigurable)

    def add_broker_reconfigurable(self, reconfigurable: BrokerReconfigurable | ListenerServer) -> None:
        """Register a part of the broker. Raises IllegalArgumentException if it names a setting that is not
        dynamic.

        :origin: kafka.server.DynamicBrokerConfig#addBrokerReconfigurable
        """
        with self._lock.write_lock():
            self._verify_reconfigurable_configs(reconfigurable.reconfigurable_configs())
            self._broker_reconfigurables = (*self._broker_reconfigurables, reconfigurable)

    def remove_reconfigurable(self, reconfigurable: Reconfigurable) -> None:
        """Unregister a plug-in; one that is not registered is ignored.

        :origin: kafka.server.DynamicBrokerConfig#removeReconfigurable
        """
        with self._lock.write_lock():
            self._reconfigurables = tuple(r for r in self._reconfigurables if r is not reconfigurable)

    def _verify_reconfigurable_configs(self, config_names: AbstractSet[str]) -> None:
        """Raise IllegalArgumentException if one of ``config_names`` is not dynamic.

        :origin: kafka.server.DynamicBrokerConfig#verifyReconfigurableConfigs
        """
        non_dynamic = config_names & _dynamic_config().Broker.nonDynamicProps
        require(not non_dynamic, f"Reconfigurable contains non-dynamic configs {set_text(non_dynamic)}")

    def current_kafka_config(self) -> KafkaConfig:
        """Return the config in force. Raises IllegalStateException before ``initialize``.

        :origin: kafka.server.DynamicBrokerConfig#currentKafkaConfig
        """
        with self._lock.read_lock():
            if self._current_config is None:
                raise IllegalStateException("initialize() was not called")
            return self._current_config

    def current_dynamic_broker_configs(self) -> dict[str, str]:
        """Return the dynamic settings of this broker.

        :origin: kafka.server.DynamicBrokerConfig#currentDynamicBrokerConfigs
        """
        with self._lock.read_lock():
            return dict(self._dynamic_broker_configs)

    def current_dynamic_default_configs(self) -> dict[str, str]:
        """Return the dynamic settings of all brokers.

        :origin: kafka.server.DynamicBrokerConfig#currentDynamicDefaultConfigs
        """
        with self._lock.read_lock():
            return dict(self._dynamic_default_configs)

    def only_allowed_classes(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which this thread loads only classes that a client may name."""
        return use_class_loader(self._class_loader)

    def alter(self, props: Mapping[str, str], per_broker_config: bool) -> None:
        """Replace all dynamic settings of one level by ``props``, if every reconfigurable accepts them.

        The effect is that of Kafka's ``AlterConfigs``, without its storage. The caller may name any class,
        and clients may name that class from then on. Raises ConfigException or IllegalArgumentException, and
        changes nothing then.
        """
        with self._lock.write_lock():
            self._class_loader.add_allowed_names(_possible_class_names(props))
            self.validate(props, per_broker_config)
            if per_broker_config:
                self.update_broker_config(self._kafka_config.broker_id(), props)
            else:
                self.update_default_config(props)

    def client_metrics_receiver_plugin(self) -> ClientMetricsReceiverPlugin | None:
        """Return the plug-in that receives the metrics of clients, or None.

        :origin: kafka.server.DynamicBrokerConfig#clientMetricsReceiverPlugin
        """
        return self._metrics_receiver_plugin

    def update_broker_config(self, broker_id: int, persistent_props: Mapping[str, str],
                             do_log: bool = True) -> None:
        """Replace this broker's dynamic settings by ``persistent_props``. Invalid settings are logged and
        left out.

        :origin: kafka.server.DynamicBrokerConfig#updateBrokerConfig
        """
        with self._lock.write_lock():
            try:
                self._dynamic_broker_configs = self.from_persistent_props(persistent_props, True)
                self._update_current_config(do_log)
            except Exception as e:
                self.error("Per-broker configs of %s could not be applied: %s", broker_id,
                           list(persistent_props), exc=e)

    def update_default_config(self, persistent_props: Mapping[str, str], do_log: bool = True) -> None:
        """Replace all brokers' dynamic settings by ``persistent_props``. Invalid settings are logged and left
        out.

        :origin: kafka.server.DynamicBrokerConfig#updateDefaultConfig
        """
        with self._lock.write_lock():
            try:
                self._dynamic_default_configs = self.from_persistent_props(persistent_props, False)
                self._update_current_config(do_log)
            except Exception as e:
                self.error("Cluster default configs could not be applied: %s", list(persistent_props), exc=e)

    def reload_updated_files_without_config_change(self, new_props: Mapping[str, str]) -> None:
        """Reload key stores and trust stores whose settings did not change, but whose files may have changed.

        :origin: kafka.server.DynamicBrokerConfig#reloadUpdatedFilesWithoutConfigChange
        """
        with self._lock.write_lock():
            for reconfigurable in self._reconfigurables:
                if not self._ReloadableFileConfigs & reconfigurable.reconfigurable_configs():
                    continue
                if isinstance(reconfigurable, ListenerReconfigurable):
                    kafka_props = self._validated_kafka_props(new_props, per_broker_config=True)
                    new_config = self._new_config(kafka_props, False)
                    self._process_listener_reconfigurable(reconfigurable, new_config, {}, validate_only=False,
                                                          reload_only=True)
                else:
                    self.trace("Files are not reloaded without a config change for %s", reconfigurable)

    def to_persistent_props(self, config_props: Mapping[str, str], per_broker_config: bool) -> dict[str, str]:
        """Return ``config_props``. Raises ConfigException for a password at the level of all brokers.

        :origin: kafka.server.DynamicBrokerConfig#toPersistentProps
        """
        for name, value in config_props.items():
            if self.is_password_config(name) and value is not None and not per_broker_config:
                raise ConfigException("Password config can be defined only at broker level")
        return dict(config_props)

    def from_persistent_props(self, persistent_props: Mapping[str, str],
                              per_broker_config: bool) -> dict[str, str]:
        """Return those of ``persistent_props`` that can be set at this level. Logs the others.

        :origin: kafka.server.DynamicBrokerConfig#fromPersistentProps
        """
        props = dict(persistent_props)
        self._remove_invalid_configs(props, per_broker_config)

        def remove_invalid_props(invalid_prop_names: AbstractSet[str], error_message: str) -> None:
            if invalid_prop_names:
                for name in invalid_prop_names:
                    props.pop(name, None)
                self.error("%s: %s", error_message, sorted(invalid_prop_names))

        remove_invalid_props(self._non_dynamic_configs(props), "Ignoring settings that are not dynamic")
        remove_invalid_props(self._security_configs_without_listener_prefix(props),
                             "Ignoring settings that need a listener's prefix")
        if not per_broker_config:
            remove_invalid_props(self._per_broker_configs(props),
                                 "Ignoring settings that only a single broker can have")
        return props

    def _validated_kafka_props(self, props_override: Mapping[str, str],
                               per_broker_config: bool) -> dict[str, str]:
        """Return all properties as they will be with ``props_override``. Raises ConfigException.

        Called with the lock held.

        :origin: kafka.server.DynamicBrokerConfig#validatedKafkaProps
        """
        props_resolved = DynamicBrokerConfig.resolve_variable_configs(props_override)
        self.validate_configs(props_resolved, per_broker_config)
        new_props = dict(self._static_broker_configs)
        if per_broker_config:
            self._override_props(new_props, self._dynamic_default_configs)
            self._override_props(new_props, props_resolved)
        else:
            self._override_props(new_props, props_resolved)
            self._override_props(new_props, self._dynamic_broker_configs)
        return new_props

    def validate(self, props: Mapping[str, str], per_broker_config: bool) -> None:
        """Raise ConfigException or IllegalArgumentException if ``props`` are invalid, or a reconfigurable
        refuses them.

        :origin: kafka.server.DynamicBrokerConfig#validate
        """
        with self._lock.read_lock():
            new_props = self._validated_kafka_props(props, per_broker_config)
            self._process_reconfiguration(new_props, validate_only=True)

    def _remove_invalid_configs(self, props: dict[str, str], per_broker_config: bool) -> None:
        """Remove the settings with invalid values from ``props``, and log them.

        :origin: kafka.server.DynamicBrokerConfig#removeInvalidConfigs
        """
        try:
            self._validate_config_types(props)
        except Exception as e:
            invalid_props = []
            for name, value in props.items():
                try:
                    self._validate_config_types({name: value})
                except Exception:
                    invalid_props.append(name)
            for name in invalid_props:
                del props[name]
            self.error("Ignoring invalid values at the level of %s: %s",
                       "the broker" if per_broker_config else "all brokers", invalid_props, exc=e)

    def maybe_reconfigure(self, reconfigurable: Reconfigurable, old_config: KafkaConfig,
                          new_config: Mapping[str, Any]) -> None:
        """Reconfigure a plug-in if one of its settings differs.

        :origin: kafka.server.DynamicBrokerConfig#maybeReconfigure
        """
        originals = old_config.originals()
        if any(originals.get(key) != new_config.get(key) for key in reconfigurable.reconfigurable_configs()):
            reconfigurable.reconfigure(new_config)

    def _updated_configs(self, new_props: Mapping[str, Any],
                         current_props: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
        """Return the new and changed settings, and the names of the removed ones.

        :origin: kafka.server.DynamicBrokerConfig#updatedConfigs
        """
        change_map = {k: v for k, v in new_props.items() if v != current_props.get(k)}
        deleted_key_set = {k for k in current_props if k not in new_props}
        return change_map, deleted_key_set

    def _override_props(self, props: dict[str, str], props_override: Mapping[str, str]) -> None:
        """Set ``props_override`` in ``props``, and remove the other names of the same settings.

        Otherwise a dynamic ``log.roll.hours`` would lose to ``log.roll.ms`` of the file. The setting for all
        listeners stays when one listener's setting is set, because other listeners may read it.

        :origin: kafka.server.DynamicBrokerConfig#overrideProps
        """
        for k, v in props_override.items():
            for synonym in self.broker_config_synonyms(k, match_listener_override=False):
                props.pop(synonym, None)
            props[k] = v

    def _update_current_config(self, do_log: bool) -> None:
        """Make the config from all levels, and put it in force.

        :origin: kafka.server.DynamicBrokerConfig#updateCurrentConfig
        """
        new_props = dict(self._static_broker_configs)
        self._override_props(new_props, self._dynamic_default_configs)
        self._override_props(new_props, self._dynamic_broker_configs)

        old_config = self.current_kafka_config()
        new_config, broker_reconfigurables_to_update = self._process_reconfiguration(
            new_props, validate_only=False, do_log=do_log)
        if new_config is not old_config:
            self._current_config = new_config
            self._kafka_config.update_current_config(new_config)
            for broker_reconfigurable in broker_reconfigurables_to_update:
                broker_reconfigurable.reconfigure(old_config, new_config)

    def _process_reconfiguration(self, new_props: Mapping[str, str], validate_only: bool,
                                 do_log: bool = False
                                 ) -> tuple[KafkaConfig, list[BrokerReconfigurable | ListenerServer]]:
        """Give the config of ``new_props`` to every reconfigurable that uses a changed setting.

        Returns the new config and the parts to reconfigure after it is in force. If nothing changes, returns
        the current config and no parts. Raises ConfigException.

        :origin: kafka.server.DynamicBrokerConfig#processReconfiguration
        """
        new_config = self._new_config(new_props, do_log)
        current_config = self.current_kafka_config()
        change_map, deleted_key_set = self._updated_configs(new_config.originals_from_this_config(),
                                                            current_config.originals())
        if not change_map and not deleted_key_set:
            return current_config, []
        try:
            # The settings of plug-ins: those without a definition.
            values = new_config.values_from_this_config()
            custom_configs = {k: v for k, v in new_config.originals_from_this_config().items()
                              if k not in values}
            for reconfigurable in self._reconfigurables:
                if isinstance(reconfigurable, ListenerReconfigurable):
                    self._process_listener_reconfigurable(reconfigurable, new_config, custom_configs,
                                                          validate_only, reload_only=False)
                elif self._needs_reconfiguration(reconfigurable.reconfigurable_configs(), change_map.keys(),
                                                 deleted_key_set):
                    self._process_reconfigurable(reconfigurable, change_map.keys(), values, custom_configs,
                                                 validate_only)

            broker_reconfigurables_to_update: list[BrokerReconfigurable | ListenerServer] = []
            for broker_reconfigurable in self._broker_reconfigurables:
                if self._needs_reconfiguration(broker_reconfigurable.reconfigurable_configs(),
                                               change_map.keys(), deleted_key_set):
                    broker_reconfigurable.validate_reconfiguration(new_config)
                    if not validate_only:
                        broker_reconfigurables_to_update.append(broker_reconfigurable)
            return new_config, broker_reconfigurables_to_update
        except Exception as e:
            if not validate_only:
                self.error("Failed to change settings %s", sorted(change_map.keys() | deleted_key_set), exc=e)
            raise ConfigException("Invalid dynamic configuration", throwable_text(e)) from e

    def _needs_reconfiguration(self, reconfigurable_configs: AbstractSet[str], updated_keys: AbstractSet[str],
                               deleted_keys: AbstractSet[str]) -> bool:
        """Return whether one of ``reconfigurable_configs`` was added, changed or removed.

        :origin: kafka.server.DynamicBrokerConfig#needsReconfiguration
        """
        return (not reconfigurable_configs.isdisjoint(updated_keys)
                or not reconfigurable_configs.isdisjoint(deleted_keys))

    def _process_listener_reconfigurable(self, listener_reconfigurable: ListenerReconfigurable,
                                         new_config: KafkaConfig, custom_configs: Mapping[str, Any],
                                         validate_only: bool, reload_only: bool) -> None:
        """Give ``new_config`` to a listener's plug-in, with the listener's overrides.

        With ``reload_only``, calls the plug-in only if none of its settings changed; otherwise only if one
        did.

        :origin: kafka.server.DynamicBrokerConfig#processListenerReconfigurable
        """
        listener_name = listener_reconfigurable.listener_name()
        old_values = self.current_kafka_config().values_with_prefix_override(listener_name.config_prefix())
        new_values = new_config.values_from_this_config_with_prefix_override(listener_name.config_prefix())
        change_map, deleted_keys = self._updated_configs(new_values, old_values)
        configs_changed = self._needs_reconfiguration(listener_reconfigurable.reconfigurable_configs(),
                                                      change_map.keys(), deleted_keys)
        if reload_only != configs_changed:
            self._process_reconfigurable(listener_reconfigurable, change_map.keys(), new_values,
                                         custom_configs, validate_only)

    def _process_reconfigurable(self, reconfigurable: Reconfigurable, updated_config_names: AbstractSet[str],
                                all_new_configs: Mapping[str, Any], new_custom_configs: Mapping[str, Any],
                                validate_only: bool) -> None:
        """Have a plug-in validate new values and apply them. Raises ConfigException.

        :origin: kafka.server.DynamicBrokerConfig#processReconfigurable
        """
        new_configs = {**all_new_configs, **new_custom_configs}
        try:
            reconfigurable.validate_reconfiguration(new_configs)
        except ConfigException:
            raise
        except Exception as e:
            raise ConfigException(
                f"Validation of dynamic config update of {set_text(updated_config_names)} failed with class "
                f"{java_text(type(reconfigurable))}") from e
        if not validate_only:
            self.info("Reconfiguring %s, updated configs: %s, custom configs: %s", reconfigurable,
                      sorted(updated_config_names), sorted(new_custom_configs))
            reconfigurable.reconfigure(new_configs)


_SYNONYMS = (
    (ServerLogConfigs.LOG_ROLL_TIME_MILLIS_CONFIG, ServerLogConfigs.LOG_ROLL_TIME_HOURS_CONFIG),
    (ServerLogConfigs.LOG_ROLL_TIME_JITTER_MILLIS_CONFIG, ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_CONFIG),
    (ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG, ServerLogConfigs.LOG_RETENTION_TIME_MINUTES_CONFIG,
     ServerLogConfigs.LOG_RETENTION_TIME_HOURS_CONFIG),
)


class DynamicLogConfig(BrokerReconfigurable):
    """Changes the defaults of topics while the broker runs.

    :origin: kafka.server.DynamicLogConfig
    :origin: kafka.server.DynamicLogConfig
    """

    ExcludedConfigs = frozenset((ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_CONFIG,))
    ReconfigurableConfigs = _DYNAMIC_LOG_CONFIGS
    KafkaConfigToLogConfigName = {v: k for k, v in ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.items()}

    def __init__(self, log_defaults_changed: Callable[[], object]) -> None:
        """:origin: kafka.server.DynamicLogConfig#DynamicLogConfig"""
        self._log_defaults_changed = log_defaults_changed

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.DynamicLogConfig#reconfigurableConfigs"""
        return DynamicLogConfig.ReconfigurableConfigs

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for defaults that no log applies, or if local retention exceeds total
        retention.

        :origin: kafka.server.DynamicLogConfig#validateReconfiguration
        """
        # DEVIATION D245: settings that no log here applies are refused, as at the start.
        try:
            LogConfig.from_props(new_config.extract_log_config_map())
        except InvalidConfigurationException as e:
            raise ConfigException(str(e)) from e

        def validate(name: str, local: int, total_name: str, total: int) -> None:
            # -2 means the total retention, -1 means no limit.
            if total == -1 or local == -2:
                return
            if local == -1:
                raise ConfigException(
                    name, local, f"Value must not be -1 as {total_name} value is set as {total}.")
            if local > total:
                raise ConfigException(
                    name, local, f"Value must not be more than {total_name} property value: {total}")

        validate(RemoteLogManagerConfig.LOG_LOCAL_RETENTION_MS_PROP, new_config.log_local_retention_ms(),
                 ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG, new_config.log_retention_time_millis())
        validate(RemoteLogManagerConfig.LOG_LOCAL_RETENTION_BYTES_PROP,
                 new_config.log_local_retention_bytes(), ServerLogConfigs.LOG_RETENTION_BYTES_CONFIG,
                 max(new_config.log_retention_bytes(), -1))

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Have all logs apply the new defaults.

        :origin: kafka.server.DynamicLogConfig#reconfigure
        """
        self._log_defaults_changed()


class DynamicThreadPool:
    """The dynamic settings of thread numbers, and the limits of their changes.

    :origin: kafka.server.DynamicThreadPool
    """

    ReconfigurableConfigs = _DYNAMIC_THREAD_POOL_CONFIGS

    @staticmethod
    def validate_reconfiguration(current_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Raise ConfigException if a number is more than doubled, or becomes less than half.

        :origin: kafka.server.DynamicThreadPool#validateReconfiguration
        """
        for k, new_value in new_config.values().items():
            if k not in DynamicThreadPool.ReconfigurableConfigs:
                continue
            old_value = DynamicThreadPool.get_value(current_config, k)
            if new_value != old_value:
                error_msg = f"Dynamic thread count update validation failed for {k}={new_value}"
                if new_value <= 0:
                    raise ConfigException(f"{error_msg}, value should be at least 1")
                if new_value < old_value // 2:
                    raise ConfigException(
                        f"{error_msg}, value should be at least half the current value {old_value}")
                if new_value > old_value * 2:
                    raise ConfigException(
                        f"{error_msg}, value should not be greater than double the current value {old_value}")

    @staticmethod
    def get_value(config: KafkaConfig, name: str) -> int:
        """Return one of the thread numbers. Raises IllegalStateException for another ``name``.

        :origin: kafka.server.DynamicThreadPool#getValue
        """
        if name == ServerConfigs.NUM_IO_THREADS_CONFIG:
            return config.num_io_threads()
        if name == ReplicationConfigs.NUM_REPLICA_FETCHERS_CONFIG:
            return config.num_replica_fetchers()
        if name == ServerLogConfigs.NUM_RECOVERY_THREADS_PER_DATA_DIR_CONFIG:
            return config.num_recovery_threads_per_data_dir()
        if name == ServerConfigs.BACKGROUND_THREADS_CONFIG:
            return config.background_threads()
        raise IllegalStateException(f"Unexpected config {name}")


class BrokerDynamicThreadPool(BrokerReconfigurable):
    """Changes the numbers of a broker's threads while it runs.

    :origin: kafka.server.BrokerDynamicThreadPool
    """

    def __init__(self, server: KafkaBroker) -> None:
        """:origin: kafka.server.BrokerDynamicThreadPool#BrokerDynamicThreadPool"""
        self._server = server

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.BrokerDynamicThreadPool#reconfigurableConfigs"""
        return DynamicThreadPool.ReconfigurableConfigs

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """:origin: kafka.server.BrokerDynamicThreadPool#validateReconfiguration"""
        DynamicThreadPool.validate_reconfiguration(self._server.config(), new_config)

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Resize the pools that this node has. It has no threads for fetching or recovery.

        :origin: kafka.server.BrokerDynamicThreadPool#reconfigure
        """
        if new_config.num_io_threads() != old_config.num_io_threads():
            self._server.data_plane_request_handler_pool().resize_thread_pool(new_config.num_io_threads())
        if new_config.background_threads() != old_config.background_threads():
            self._server.kafka_scheduler().resize_thread_pool(new_config.background_threads())


class DynamicMetricsReporters(Reconfigurable):
    """Owns the reporters that ``metric.reporters`` names, and reconfigures them.

    :origin: kafka.server.DynamicMetricsReporters
    """

    def __init__(self, broker_id: int, config: KafkaConfig, metrics: Metrics, cluster_id: str) -> None:
        """Make the reporters, and add them to ``metrics``. Raises KafkaException.

        :origin: kafka.server.DynamicMetricsReporters#DynamicMetricsReporters
        """
        self._reporter_state = DynamicMetricReporterState(broker_id, config, metrics, cluster_id)
        self.current_reporters = self._reporter_state.current_reporters
        self._dynamic_config = self._reporter_state.dynamic_config

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicMetricsReporters#configure"""

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.DynamicMetricsReporters#reconfigurableConfigs"""
        return {MetricConfigs.METRIC_REPORTER_CLASSES_CONFIG}.union(
            *(reporter.reconfigurable_configs() for reporter in self.current_reporters.values()))

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicMetricsReporters#validateReconfiguration"""
        updated_metrics_reporters = self._reporter_state.metrics_reporter_classes(configs)
        for class_name in updated_metrics_reporters:
            inspect.signature(Utils.load_class(class_name, MetricsReporter)).bind()
        for class_name, reporter in self.current_reporters.items():
            if class_name in updated_metrics_reporters:
                reporter.validate_reconfiguration(configs)

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicMetricsReporters#reconfigure"""
        updated_metrics_reporters = self._reporter_state.metrics_reporter_classes(configs)
        for class_name in self.current_reporters.keys() - updated_metrics_reporters:
            self._reporter_state.remove_reporter(class_name)
        for reporter in self.current_reporters.values():
            self._dynamic_config.maybe_reconfigure(
                reporter, self._dynamic_config.current_kafka_config(), configs)
        self._reporter_state.create_reporters(
            [name for name in updated_metrics_reporters if name not in self.current_reporters], configs)


class DynamicMetricReporterState:
    """The current reporters. Changed by one thread at a time.

    :origin: kafka.server.DynamicMetricReporterState
    """

    def __init__(self, broker_id: int, config: KafkaConfig, metrics: Metrics, cluster_id: str) -> None:
        """As ``DynamicMetricsReporters``.

        :origin: kafka.server.DynamicMetricReporterState#DynamicMetricReporterState
        """
        self._config = config
        self._metrics = metrics
        self._cluster_id = cluster_id
        self.dynamic_config = config.dynamic_config()
        self._props_override = {ServerConfigs.BROKER_ID_CONFIG: str(broker_id)}
        # Reporters by the class names of the configuration.
        self.current_reporters: dict[str, MetricsReporter] = {}
        self.create_reporters(
            self.metrics_reporter_classes(self.dynamic_config.current_kafka_config().values()), {})

    def create_reporters(self, reporter_classes: Sequence[str],
                         updated_configs: Mapping[str, object]) -> None:
        """Make reporters, and register them. Raises KafkaException.

        :origin: kafka.server.DynamicMetricReporterState#createReporters
        """
        props = {**updated_configs, **self._props_override}
        reporters = self.dynamic_config.current_kafka_config().get_configured_instances_class_names(
            reporter_classes, MetricsReporter, props)  # type: ignore[type-abstract]  # asked for by its base
        # Called before the registration, because that hands the first metrics to the reporters.
        self._notify_metrics_reporters(reporters)
        for class_name, reporter in zip(reporter_classes, reporters):
            self._metrics.add_reporter(reporter)
            self.current_reporters[class_name] = reporter
            client_telemetry_receiver = (
                reporter.client_receiver() if isinstance(reporter, ClientTelemetry) else None)
            receiver_plugin = self.dynamic_config.client_metrics_receiver_plugin()
            if client_telemetry_receiver is not None and receiver_plugin is not None:
                receiver_plugin.add(client_telemetry_receiver)

    def remove_reporter(self, class_name: str) -> None:
        """Unregister and close a reporter.

        :origin: kafka.server.DynamicMetricReporterState#removeReporter
        """
        reporter = self.current_reporters.pop(class_name, None)
        if reporter is not None:
            self._metrics.remove_reporter(reporter)

    def metrics_reporter_classes(self, configs: Mapping[str, Any]) -> list[str]:
        """Return the class names of the configured reporters.

        :origin: kafka.server.DynamicMetricReporterState#metricsReporterClasses
        """
        # DEVIATION D127: the JMX reporter is skipped, and is not added by default.
        return [name for name in configs[MetricConfigs.METRIC_REPORTER_CLASSES_CONFIG]
                if name != _JMX_REPORTER]

    def _notify_metrics_reporters(self, metrics_reporters: Iterable[MetricsReporter]) -> None:
        """Tell reporters the labels of this broker.

        :origin: kafka.server.KafkaBroker#notifyMetricsReporters
        """
        metrics_context = Server.create_kafka_metrics_context(self._config, self._cluster_id)
        for reporter in metrics_reporters:
            reporter.context_change(metrics_context)


class DynamicClientQuotaCallback(Reconfigurable):
    """Passes settings to the quota plug-in, if it takes new ones.

    :origin: kafka.server.DynamicClientQuotaCallback
    """

    def __init__(self, quota_managers: QuotaManagers, server_config: KafkaConfig) -> None:
        """:origin: kafka.server.DynamicClientQuotaCallback#DynamicClientQuotaCallback"""
        self._quota_managers = quota_managers
        self._server_config = server_config

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicClientQuotaCallback#configure"""

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.DynamicClientQuotaCallback#reconfigurableConfigs"""
        callback: object = self._quota_managers.client_quota_callback
        return callback.reconfigurable_configs() if isinstance(callback, Reconfigurable) else frozenset()

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicClientQuotaCallback#validateReconfiguration"""
        callback: object = self._quota_managers.client_quota_callback
        if isinstance(callback, Reconfigurable):
            callback.validate_reconfiguration(configs)

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """:origin: kafka.server.DynamicClientQuotaCallback#reconfigure"""
        callback: object = self._quota_managers.client_quota_callback
        if isinstance(callback, Reconfigurable):
            dynamic_config = self._server_config.dynamic_config()
            dynamic_config.maybe_reconfigure(callback, dynamic_config.current_kafka_config(), configs)


class DynamicListenerConfig(BrokerReconfigurable, Logging):
    """Adds and removes listeners, and changes the advertised listeners.

    :origin: kafka.server.DynamicListenerConfig
    :origin: kafka.server.DynamicListenerConfig
    """

    ReconfigurableConfigs = _DYNAMIC_LISTENER_CONFIGS

    def __init__(self, server: KafkaBroker) -> None:
        """:origin: kafka.server.DynamicListenerConfig#DynamicListenerConfig"""
        self._server = server

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.DynamicListenerConfig#reconfigurableConfigs"""
        return DynamicListenerConfig.ReconfigurableConfigs

    def _listener_registrations_altered(self, old_advertised_listeners: Mapping[ListenerName, EndPoint],
                                        new_advertised_listeners: Mapping[ListenerName, EndPoint]) -> bool:
        """Return whether the advertised listeners differ.

        :origin: kafka.server.DynamicListenerConfig#listenerRegistrationsAltered
        """
        return old_advertised_listeners != new_advertised_listeners

    def _verify_listener_registration_alteration_supported(self) -> None:
        """Raise ConfigException on a KRaft node, as Kafka does.

        :origin: kafka.server.DynamicListenerConfig#verifyListenerRegistrationAlterationSupported
        """
        if not self._server.config().requires_zookeeper():
            raise ConfigException(
                "Advertised listeners cannot be altered when using a Raft-based metadata quorum.")

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for inconsistent listeners, or for a change that a running listener cannot
        take.

        A running listener can change only its key and trust stores, its limits of connections and the number
        of its network threads.

        :origin: kafka.server.DynamicListenerConfig#validateReconfiguration
        """
        old_config = self._server.config()
        new_listeners = self._listeners_to_map(new_config.listeners())
        new_advertised_listeners = self._listeners_to_map(new_config.effective_advertised_listeners())
        old_listeners = self._listeners_to_map(old_config.listeners())
        new_protocols = new_config.effective_listener_security_protocol_map()
        old_protocols = old_config.effective_listener_security_protocol_map()
        if not new_advertised_listeners.keys() <= new_listeners.keys():
            raise ConfigException(f"Advertised listeners '{_map_text(new_advertised_listeners)}' must be a "
                                  f"subset of listeners '{_map_text(new_listeners)}'")
        if not new_listeners.keys() <= new_protocols.keys():
            raise ConfigException(f"Listeners '{_map_text(new_listeners)}' must be subset of listener map "
                                  f"'{_map_text(new_protocols)}'")
        for listener_name in new_listeners.keys() & old_listeners.keys():
            def immutable_listener_configs(kafka_config: KafkaConfig, prefix: str) -> dict[str, Any]:
                # Skips the override of KafkaConfig: for the old config, these are the properties from the
                # start.
                originals = AbstractConfig.originals_with_prefix(kafka_config, prefix, True)
                return {key: value for key, value in originals.items()
                        if key not in DynamicBrokerConfig.DynamicSecurityConfigs
                        and key not in SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS
                        and key not in DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS}

            prefix = listener_name.config_prefix()
            new_configs = immutable_listener_configs(new_config, prefix)
            if new_configs != immutable_listener_configs(old_config, prefix):
                raise ConfigException(
                    f"Configs cannot be updated dynamically for existing listener {listener_name}, restart "
                    "broker or create a new listener for update")
            if old_protocols[listener_name] != new_protocols[listener_name]:
                raise ConfigException(
                    f"Security protocol cannot be updated for existing listener {listener_name}")
        if new_config.inter_broker_listener_name() not in new_advertised_listeners:
            raise ConfigException("Advertised listener must be specified for inter-broker listener "
                                  f"{new_config.inter_broker_listener_name()}")
        if self._listener_registrations_altered(
                self._listeners_to_map(old_config.effective_advertised_listeners()),
                new_advertised_listeners):
            self._verify_listener_registration_alteration_supported()

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Close the removed listeners, open the new ones, and advertise the new addresses.

        :origin: kafka.server.DynamicListenerConfig#reconfigure
        """
        new_listeners = new_config.listeners()
        new_listener_map = self._listeners_to_map(new_listeners)
        old_listeners = old_config.listeners()
        old_listener_map = self._listeners_to_map(old_listeners)
        listeners_removed = [e for e in old_listeners if e.listener_name() not in new_listener_map]
        listeners_added = [e for e in new_listeners if e.listener_name() not in old_listener_map]
        if listeners_removed:
            self._server.socket_server().remove_listeners(listeners_removed)
        if listeners_added:
            self._server.socket_server().add_listeners(listeners_added)
        new_advertised_listeners = new_config.effective_advertised_listeners()
        if self._listener_registrations_altered(
                self._listeners_to_map(old_config.effective_advertised_listeners()),
                self._listeners_to_map(new_advertised_listeners)):
            self._verify_listener_registration_alteration_supported()
            # DEVIATION D68: the node answers Metadata requests itself, so the node is told instead of a
            # controller.
            self._server.advertised_listeners_changed(new_advertised_listeners)

    def _listeners_to_map(self, listeners: Sequence[EndPoint]) -> dict[ListenerName, EndPoint]:
        """Return ``listeners`` by name.

        :origin: kafka.server.DynamicListenerConfig#listenersToMap
        """
        return {e.listener_name(): e for e in listeners}


class DynamicProducerStateManagerConfig(BrokerReconfigurable, Logging):
    """Changes the settings of producer state that all logs share.

    :origin: kafka.server.DynamicProducerStateManagerConfig
    """

    def __init__(self, producer_state_manager_config: ProducerStateManagerConfig) -> None:
        """:origin: kafka.server.DynamicProducerStateManagerConfig#DynamicProducerStateManagerConfig"""
        self._producer_state_manager_config = producer_state_manager_config

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """:origin: kafka.server.DynamicProducerStateManagerConfig#reconfigure"""
        config = self._producer_state_manager_config
        if config.producer_id_expiration_ms != new_config.producer_id_expiration_ms():
            self.info("reconfigure %s from %d to %d", TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG,
                      config.producer_id_expiration_ms, new_config.producer_id_expiration_ms())
            config.producer_id_expiration_ms = new_config.producer_id_expiration_ms()
        enabled = new_config.transaction_partition_verification_enable()
        if config.transaction_verification_enabled != enabled:
            self.info("reconfigure %s from %s to %s",
                      TransactionLogConfigs.TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG,
                      config.transaction_verification_enabled, enabled)
            config.transaction_verification_enabled = enabled

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for a negative time.

        :origin: kafka.server.DynamicProducerStateManagerConfig#validateReconfiguration
        """
        expiration_ms = new_config.producer_id_expiration_ms()
        if expiration_ms < 0:
            raise ConfigException(
                f"{TransactionLogConfigs.PRODUCER_ID_EXPIRATION_MS_CONFIG} cannot be less than 0, current "
                f"value is {self._producer_state_manager_config.producer_id_expiration_ms}, and new value is "
                f"{expiration_ms}")

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.server.DynamicProducerStateManagerConfig#reconfigurableConfigs"""
        return DynamicBrokerConfig.DynamicProducerStateManagerConfig


@functools.cache
def _default_configs() -> Mapping[str, str]:
    return ConfigDef.convert_to_string_map_with_password_values(kafka_config_def.default_values())


def _possible_class_names(props: Mapping[str, str]) -> set[str]:
    """Return every part of a list in ``props`` that may be the name of a class."""
    return {name for value in props.values() for name in _BETWEEN_NAMES.split(value) if "." in name}


def _map_text(values: Mapping[ListenerName, object]) -> str:
    """Return ``values`` as Scala prints a map. From five entries on, Scala's order is undefined."""
    return (f"{'Map' if len(values) <= 4 else 'HashMap'}("
            + ", ".join(f"{key} -> {value}" for key, value in values.items()) + ")")
