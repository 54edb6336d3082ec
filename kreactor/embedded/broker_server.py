# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker: makes all its parts, and starts and stops them in the right order. Not a port.

It follows Kafka's BrokerServer and KafkaServer, and its parts have their names. It is a node of its own,
without a quorum and other brokers. Several brokers in one process share only Python's loggers; each has its
own metrics. The brokers of a ``BrokerCluster`` also share the cluster's storage and controller.

The order of the start: lock the data folder and recover the logs; make the listeners, which bind the ports;
make KafkaApis and its parts; start the handlers; accept connections. If a step fails, the earlier steps are
undone in reverse order. The order of the stop: accept no more connections and requests; answer the requests
that were read, for a limited time; close all connections; end the handlers, then the background threads;
close the logs, which makes them durable and marks a clean shutdown; unlock the folder.

A forked child process owns no broker: ``shutdown`` does nothing there.

Locks: ``_condition`` guards ``_status``. ``startup`` makes the parts, which live as long as the object. Any
thread may get them after the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any, TypeVar

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.controller.acl_control_manager import AclControlManager
from kreactor.controller.client_quota_control_manager import ClientQuotaControlManager
from kreactor.controller.configuration_control_manager import ConfigurationControlManager
from kreactor.controller.feature_control_manager import FeatureControlManager
from kreactor.controller.replication_control_manager import ReplicationControlManager
from kreactor.controller.scram_control_manager import ScramControlManager
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.coordinator.group.consumer_group_coordinator import ConsumerGroupCoordinator
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.coordinator.transaction.transaction_coordinator import TransactionCoordinator
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.network.control_plane_acceptor import ControlPlaneAcceptor
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.add_partitions_to_txn_manager import AddPartitionsToTxnManager
from kreactor.core.server.api_version_manager import ApiVersionManager, DefaultApiVersionManager
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.auto_topic_creation_manager import DefaultAutoTopicCreationManager
from kreactor.core.server.broker_append_metrics import BrokerAppendMetrics
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.controller_apis import ControllerApis
from kreactor.core.server.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from kreactor.core.server.fetch_session import FetchManager, FetchSessionCache, FetchSessionCacheShard
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_config_def import STRICT_DEVIATIONS
from kreactor.core.server.kafka_request_handler import ApiRequestHandler, KafkaRequestHandlerPool
from kreactor.core.server.metadata.broker_metadata_publisher import BrokerMetadataPublisher
from kreactor.core.server.metadata.client_quota_metadata_manager import ClientQuotaMetadataManager
from kreactor.core.server.metadata.scram_publisher import ScramPublisher
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.quota_factory import QuotaFactory, QuotaManagers
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.server import Server
from kreactor.core.server.txn_marker_appender import TxnMarkerAppender
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.embedded.broker_cluster import BrokerCluster, new_log_cleaner
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.fast.api_version_manager import FastApiVersionManager
from kreactor.fast.socket_server import FastSocketServer
from kreactor.image.cluster_image import ClusterImage
from kreactor.jdk.clock import Clock, warn_if_reached
from kreactor.jdk.concurrent import Event
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Condition
from kreactor.metadata.authorizer.cluster_metadata_authorizer import ClusterMetadataAuthorizer
from kreactor.metadata.broker_state import BrokerState
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.authorizer.authorizer import Authorizer
from kreactor.server.authorizer.authorizer_server_info import AuthorizerServerInfo
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.kafka_scheduler import KafkaScheduler

T = TypeVar("T")
Operation = TypeVar("Operation", bound=DelayedOperation)

# How long a stop waits for the responses to requests that were read before, in milliseconds.
DEFAULT_DRAIN_MS = 2_000
_DRAIN_STEP_MS = 5
# The number of shards of the fetch session cache, high enough that handler threads seldom share one.
NUM_FETCH_SESSION_CACHE_SHARDS = 8
# How long an unused fetch session is protected from eviction, in milliseconds.
MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS = 120_000
_HIGHEST_PORT = 65_535


class _TopicDefaults(Mapping[str, Any]):
    """A live view of the broker's defaults of topics, by the names of topic settings."""

    def __init__(self, config: KafkaConfig) -> None:
        self._config = config
        # The config in force at the last lookup, and its defaults; replaced together.
        self._known: tuple[KafkaConfig | None, dict[str, Any]] = (None, {})

    def _current(self) -> dict[str, Any]:
        current = self._config.dynamic_config().current_kafka_config()
        of, defaults = self._known
        if of is not current:
            defaults = current.extract_log_config_map()
            self._known = (current, defaults)
        return defaults

    def __getitem__(self, name: str) -> Any:
        return self._current()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())


class BrokerServer(Logging):
    """One broker. Any thread may call ``startup`` and ``shutdown``; each takes effect once."""

    def __init__(self, config: KafkaConfig, time: Time = Time.SYSTEM, node_name: str = "broker",
                 scram_users: Mapping[ScramCredentialKey, ScramCredential] = MappingProxyType({}),
                 cluster: BrokerCluster | None = None) -> None:
        """Make the object without any effect. ``node_name`` is for logs and the names of threads.

        A broker of a running ``cluster`` uses the cluster's storage.

        At the start, those of ``scram_users`` are added that do not exist yet.
        """
        self._config = config
        self._time = time
        self._node_name = node_name
        self._log_ident = f"[BrokerServer id={config.broker_id()}] "
        self._metrics_registry = MetricsRegistry()
        self._scram_users = scram_users
        self._cluster = cluster

        self._condition = Condition()
        self._status = BrokerState.NOT_RUNNING
        self._was_started = False
        owned_by_process(self)

        self._metrics: Metrics | None = None
        self._kafka_scheduler: KafkaScheduler | None = None
        self._quota_managers: QuotaManagers | None = None
        self._client_metrics_manager: ClientMetricsManager | None = None
        self._storage: Storage | None = None
        self._log_cleaner: LogCleaner | None = None
        self._cluster_id: str | None = None
        self._authorizer: Authorizer | None = None
        self._broker_topic_stats: BrokerTopicStats | None = None
        self._metadata_cache: MetadataCache | None = None
        self._credential_provider: CredentialProvider | None = None
        self._socket_server: SocketServer | None = None
        self._replica_manager: ReplicaManager | None = None
        self._group_coordinator: GroupCoordinatorAdapter | None = None
        self._transaction_coordinator: TransactionCoordinator | None = None
        self._metadata_publisher: BrokerMetadataPublisher | None = None
        self._configuration_control: ConfigurationControlManager | None = None
        self._client_quota_metadata_manager: ClientQuotaMetadataManager | None = None
        self._txn_marker_appender: TxnMarkerAppender | None = None
        # Whether Metadata requests are answered from an old image on purpose.
        self._is_metadata_frozen = False
        self._is_isolated = False
        self._data_plane_request_processor: KafkaApis | None = None
        self._data_plane_request_handler_pool: KafkaRequestHandlerPool | None = None
        self._control_plane_request_processor: KafkaApis | None = None
        self._control_plane_request_handler_pool: KafkaRequestHandlerPool | None = None

    # -- start and stop --------------------------------------------------------------------------

    def startup(self) -> None:
        """Start the broker.

        Raises DataFolderLockedException or another KafkaException for the data folder,
        InvalidConfigurationException or ConfigException for a setting, KafkaException for a port that cannot
        be bound, and KafkaException or OSError for missing descriptors. Then nothing stays open.
        """
        with self._condition:
            if self._was_started:
                raise IllegalStateException("the broker was started before: make another BrokerServer")
            self._was_started = True
            self._status = BrokerState.STARTING
        warn_if_reached()
        try:
            # Settings that clients changed earlier apply again, in addition to the properties.
            with self._config.dynamic_config().only_allowed_classes():
                self._start_parts()
        except BaseException:
            self.info("the broker failed to start")
            self._stop_parts(0)
            self._set_status(BrokerState.NOT_RUNNING)
            raise
        self._set_status(BrokerState.RUNNING)
        self.info("started")

    def _start_parts(self) -> None:
        config, time, registry = self._config, self._time, self._metrics_registry
        self.info("starting")
        if config.is_strict():
            self.warn("kreactor.fidelity=strict: the broker has these faults of Kafka 3.8.0: %s; all others, "
                      "and those of security, stay repaired", ", ".join(STRICT_DEVIATIONS))
        if config.is_fast():
            self.info("kreactor.fast=true: the network layer is kreactor.fast, whose paths are not Kafka's")
        if not config.data_plane_listeners():
            raise ConfigException(
                "listeners: none is for clients, which a broker needs; add one for clients")
        for listener in config.listeners():
            if not 0 <= listener.port() <= _HIGHEST_PORT:
                raise ConfigException(f"listeners: port {listener.port()} is "
                                      f"{'below 0' if listener.port() < 0 else f'above {_HIGHEST_PORT}'}")
        if config.broker_id() < 0:
            config.set_broker_id(config.generated_broker_id())
        client_metrics_receiver_plugin = ClientMetricsReceiverPlugin()
        config.dynamic_config().initialize(client_metrics_receiver_plugin)
        # Made first, so that an invalid setting of the authorizer leaves nothing open.
        self._authorizer = authorizer = config.create_new_authorizer()

        self._kafka_scheduler = scheduler = self._new_scheduler(config.background_threads())
        scheduler.startup()

        self._broker_topic_stats = broker_topic_stats = BrokerTopicStats(registry)
        cluster = self._cluster
        if cluster is None:
            self._storage = storage = Storage(
                storage_config(config), scheduler, time,
                append_metrics=BrokerAppendMetrics(broker_topic_stats))
            storage.startup()
            if config.log_cleaner_enable():
                logs = storage.log_manager()
                self._log_cleaner = self._new_log_cleaner(logs)
                logs.start_cleaner(self._log_cleaner)
            self._configuration_control = configuration_control = ConfigurationControlManager(config, storage)
        else:
            self._storage = storage = cluster.storage()
            self._log_cleaner = cluster.log_cleaner()
            self._configuration_control = configuration_control = ConfigurationControlManager(
                config, storage, lambda: cluster.replication().image().brokers,
                lambda resource: cluster.config_changed(self, resource))
        self._cluster_id = storage.meta_properties().cluster_id

        self._metrics = metrics = self._new_metrics()
        self._new_gauges()
        self._quota_managers = quota_managers = self._new_quota_managers(metrics)
        self._client_metrics_manager = client_metrics_manager = self._new_client_metrics_manager(
            client_metrics_receiver_plugin, metrics)
        configuration_control.set_client_metrics_manager(client_metrics_manager)

        self._metadata_cache = metadata_cache = MetadataCache(
            config.broker_id(), storage.topics(), storage.log_manager().get_log, storage.configs(),
            storage.client_quotas(), storage.scram_credentials())
        # DEVIATION D312: version 1 of ConsumerGroupHeartbeat is enabled together with the protocol.
        api_version_manager = (FastApiVersionManager if config.is_fast() else DefaultApiVersionManager)(
            ListenerType.BROKER, KafkaApis.ENABLED_APIS, config.unstable_api_versions_enabled(),
            FeatureControlManager.supported_features(), FeatureControlManager.finalized_features(),
            client_metrics_manager,
            [ApiKeys.CONSUMER_GROUP_HEARTBEAT] if config.is_new_group_coordinator_enabled() else [])
        if cluster is None:
            self._credential_provider = CredentialProvider(ScramMechanism.mechanism_names())
            self._credential_provider.credential_cache.secret = storage.scram_credentials().secret()
            scram_control = ScramControlManager(
                storage.scram_credentials(), ScramPublisher(self._credential_provider))
        else:
            self._credential_provider, scram_control = cluster.credential_provider, cluster.scram_control()
        scram_control.add(self._scram_users)
        self._socket_server = socket_server = self._new_socket_server(metrics, api_version_manager)
        metadata_cache.set_endpoints(self._nodes(config.effective_advertised_listeners()))
        self._client_quota_metadata_manager = client_quota_metadata_manager = ClientQuotaMetadataManager(
            quota_managers, socket_server.connection_quotas)
        client_quota_control = (ClientQuotaControlManager(storage.client_quotas()) if cluster is None
                                else cluster.client_quota_control())
        client_quota_control.add(client_quota_metadata_manager)

        self._replica_manager = replica_manager = ReplicaManager(
            config, time, storage.log_manager(), metadata_cache, broker_topic_stats,
            self._new_purgatory("Fetch", config.fetch_purgatory_purge_interval_requests()),
            metrics_registry=registry,
            add_partitions_to_txn_manager=AddPartitionsToTxnManager(
                config, metadata_cache, self.transaction_coordinator, time, registry,
                None if cluster is None else self._coordinator_on),
            delayed_produce_purgatory=None if cluster is None else self._new_purgatory(
                "Produce", config.producer_purgatory_purge_interval_requests()),
            is_in_cluster=cluster is not None)

        auth_helper = AuthHelper(authorizer)
        self._group_coordinator = group_coordinator = self._new_group_coordinator(
            config, replica_manager, time, metrics, registry, metadata_cache, auth_helper)
        self._txn_marker_appender = txn_marker_appender = TxnMarkerAppender(
            config, replica_manager, group_coordinator)
        # One thread, as in Kafka, because all its tasks wait for the same lock.
        self._transaction_coordinator = transaction_coordinator = TransactionCoordinator.apply(
            config, replica_manager, self._new_scheduler(1, "transaction-log-manager-"),
            storage.generate_producer_id, metrics, metadata_cache, time,
            txn_marker_appender.append if cluster is None else cluster.write_txn_markers, registry)
        self._metadata_publisher = metadata_publisher = BrokerMetadataPublisher(
            config, metadata_cache, replica_manager, group_coordinator, transaction_coordinator)
        metadata_publisher.initialize_managers()
        session_id_range = 0x7FFFFFFF // NUM_FETCH_SESSION_CACHE_SHARDS
        fetch_session_cache_shards = [
            FetchSessionCacheShard(
                config.max_incremental_fetch_session_cache_slots() // NUM_FETCH_SESSION_CACHE_SHARDS,
                MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS, session_id_range, shard_num, registry)
            for shard_num in range(NUM_FETCH_SESSION_CACHE_SHARDS)]
        fetch_manager = FetchManager(
            time, FetchSessionCache(fetch_session_cache_shards, registry), config.is_strict())
        replication_control = (
            ReplicationControlManager(
                config, storage, replica_manager, metadata_publisher, configuration_control)
            if cluster is None else cluster.replication_control())

        def new_apis(request_channel: RequestChannel) -> KafkaApis:
            controller_apis = ControllerApis(
                request_channel, quota_managers, time, replication_control, configuration_control,
                client_quota_control, config, auth_helper, scram_control)
            return KafkaApis(
                request_channel,
                replica_manager,
                group_coordinator,
                transaction_coordinator,
                DefaultAutoTopicCreationManager(
                    config, controller_apis, group_coordinator, transaction_coordinator,
                    cluster is not None),
                controller_apis,
                config.broker_id(),
                config,
                metadata_cache,
                quota_managers,
                fetch_manager,
                broker_topic_stats,
                self.cluster_id(),
                time,
                api_version_manager,
                auth_helper,
                client_metrics_manager)

        self._data_plane_request_processor = new_apis(socket_server.data_plane_request_channel)
        self._data_plane_request_handler_pool = self._new_request_handler_pool(
            socket_server.data_plane_request_channel,
            self._new_request_handler(self._data_plane_request_processor),
            config.num_io_threads(), DataPlaneAcceptor.METRIC_PREFIX, DataPlaneAcceptor.THREAD_PREFIX)

        control_plane_request_channel = socket_server.control_plane_request_channel_opt
        if control_plane_request_channel is not None:
            self._control_plane_request_processor = new_apis(control_plane_request_channel)
            self._control_plane_request_handler_pool = self._new_request_handler_pool(
                control_plane_request_channel,
                self._new_request_handler(self._control_plane_request_processor),
                1, ControlPlaneAcceptor.METRIC_PREFIX, ControlPlaneAcceptor.THREAD_PREFIX)

        config.dynamic_config().add_reconfigurables(self)
        if self._log_cleaner is not None and cluster is None:
            config.dynamic_config().add_broker_reconfigurable(self._log_cleaner)

        # The stored settings of clients apply again, in addition to the properties. If a setting cannot be
        # applied, for example because its class is missing, the broker logs that and starts without it.
        for name in storage.configs().names(ConfigResource.Type.BROKER):
            configuration_control.process_changes(ConfigResource(ConfigResource.Type.BROKER, name))

        if isinstance(authorizer, ClusterMetadataAuthorizer):
            acl_control = (AclControlManager(storage.acls(), config.is_strict()) if cluster is None
                           else cluster.acl_control())
            acl_control.add(authorizer)
        authorizer_futures = authorizer.start(self._authorizer_server_info()) if authorizer else {}

        if cluster is not None:
            cluster.join(self, self._nodes(config.effective_advertised_listeners()))
        try:
            socket_server.enable_request_processing(authorizer_futures).get()
        except RuntimeError as e:
            # The outer exception names the listener, its cause the reason.
            raise (e.__cause__ if isinstance(e.__cause__, KafkaException) else e) from None

    def shutdown(self, drain_ms: int = DEFAULT_DRAIN_MS) -> None:
        """Stop the broker. Requests that were read before are answered within ``drain_ms``, or not at all.

        A call during another one waits for that one; a later call does nothing.
        """
        with self._condition:
            self._condition.wait_for(lambda: self._status is not BrokerState.STARTING)
            if self._status is not BrokerState.RUNNING:
                self._condition.wait_for(lambda: self._status is BrokerState.NOT_RUNNING)
                return
            self._status = BrokerState.SHUTTING_DOWN
        try:
            self.info("shutting down")
            self._stop_parts(drain_ms)
        finally:
            self._set_status(BrokerState.NOT_RUNNING)
        self.info("shut down")

    def forget_in_child(self) -> None:
        """Mark the broker as stopped in a forked child: the parent owns the threads, the listeners and the
        logs."""
        self._condition = Condition()
        self._status = BrokerState.NOT_RUNNING

    def _stop_parts(self, drain_ms: int) -> None:
        socket_server = self._socket_server
        cluster = self._cluster
        if cluster is not None:
            # Other brokers take over leadership before the last requests are answered, as in Kafka.
            CoreUtils.swallow(lambda: cluster.leave(self), self)
            if self._replica_manager is not None:
                self._replica_manager.stop_following()
            CoreUtils.swallow(lambda: self._unsubscribe_from(cluster), self)
        if socket_server is not None:
            if drain_ms > 0:
                CoreUtils.swallow(lambda: self._drain(drain_ms), self)
            CoreUtils.swallow(socket_server.stop_processing_requests, self)
        for pool in (self._data_plane_request_handler_pool, self._control_plane_request_handler_pool):
            if pool is not None:
                CoreUtils.swallow(pool.shutdown, self)
        for processor in (self._data_plane_request_processor, self._control_plane_request_processor):
            if processor is not None:
                CoreUtils.swallow(processor.close, self)
        # Both end before the logs, because a task that finds its file closed would mark the log as broken.
        if self._transaction_coordinator is not None:
            CoreUtils.swallow(self._transaction_coordinator.shutdown, self)
        if self._kafka_scheduler is not None:
            CoreUtils.swallow(self._kafka_scheduler.shutdown, self)
        if self._group_coordinator is not None:
            CoreUtils.swallow(self._group_coordinator.shutdown, self)
        if self._replica_manager is not None:
            CoreUtils.swallow(self._replica_manager.shutdown, self)
        if self._storage is not None and cluster is None:
            CoreUtils.swallow(self._close_storage, self)
        if self._quota_managers is not None:
            CoreUtils.swallow(self._quota_managers.shutdown, self)
        if socket_server is not None:
            CoreUtils.swallow(socket_server.shutdown, self)
        if self._authorizer is not None:
            CoreUtils.swallow(self._authorizer.close, self)
        if self._broker_topic_stats is not None:
            CoreUtils.swallow(self._broker_topic_stats.close, self)
        CoreUtils.swallow(self._config.dynamic_config().clear, self)
        if self._client_metrics_manager is not None:
            CoreUtils.swallow(self._client_metrics_manager.close, self)
        if self._metrics is not None:
            CoreUtils.swallow(self._metrics.close, self)
        # As in Kafka, some of the parts leave their metrics behind.
        for name in list(self._metrics_registry.all_metrics()):
            self._metrics_registry.remove_metric(name)

    def _unsubscribe_from(self, cluster: BrokerCluster) -> None:
        if self._client_quota_metadata_manager is not None:
            cluster.client_quota_control().remove(self._client_quota_metadata_manager)
        if isinstance(self._authorizer, ClusterMetadataAuthorizer):
            cluster.acl_control().remove(self._authorizer)

    # -- overridden by kreactor.testing --------------------------------------------------------------

    def _new_group_coordinator(
        self, config: KafkaConfig, replica_manager: ReplicaManager, time: Time, metrics: Metrics,
        registry: MetricsRegistry, metadata_cache: MetadataCache, auth_helper: AuthHelper,
    ) -> GroupCoordinatorAdapter:
        """Return a coordinator of classic groups, and of consumer groups where that protocol is enabled."""
        coordinator = GroupCoordinator.apply(
            config, replica_manager, time, metrics, registry, self._new_purgatory,
            self._new_scheduler(1, "group-metadata-manager-"))
        if not config.is_new_group_coordinator_enabled():
            return GroupCoordinatorAdapter(coordinator, time)
        return ConsumerGroupCoordinator(
            coordinator, time, config, lambda: metadata_cache.metadata_image(config.rack()),
            lambda context, topics: auth_helper.filter_by_authorized(
                context, AclOperation.DESCRIBE, ResourceType.TOPIC, topics, str, log_if_denied=False),
            metrics)

    def _new_scheduler(self, threads: int, thread_name_prefix: str = "kafka-scheduler-") -> KafkaScheduler:
        """Return the scheduler of background tasks, not started."""
        return KafkaScheduler(threads, True, thread_name_prefix)

    def _new_purgatory(self, name: str, purge_interval: int = 1000) -> DelayedOperationPurgatory[Operation]:
        """Return a running purgatory with its own timer."""
        return DelayedOperationPurgatory.apply(
            name, self._config.broker_id(), purge_interval, metrics_registry=self._metrics_registry)

    def _new_metrics(self) -> Metrics:
        """Return Kafka's own metrics, in which unused sensors expire."""
        return Metrics(Server.build_metrics_config(self._config), time=self._time, enable_expiration=True)

    def _new_log_cleaner(self, logs: LogManager) -> LogCleaner:
        """Return the log cleaner, not started."""
        return new_log_cleaner(self._config, logs, self._time, self._metrics_registry)

    def _new_socket_server(self, metrics: Metrics, api_version_manager: ApiVersionManager) -> SocketServer:
        """Return the socket server. Raises as SocketServer."""
        return (FastSocketServer if self._config.is_fast() else SocketServer)(
            self._config, metrics, self._time, api_version_manager, self._metrics_registry,
            self._credential_provider)

    def _new_quota_managers(self, metrics: Metrics) -> QuotaManagers:
        """Return the running quota managers. Raises as QuotaFactory."""
        return QuotaFactory.instantiate(
            self._config, metrics, self._time, f"broker-{self._config.node_id()}-")

    def _new_client_metrics_manager(self, receiver_plugin: ClientMetricsReceiverPlugin,
                                    metrics: Metrics) -> ClientMetricsManager:
        """Return the running client metrics manager."""
        return ClientMetricsManager(
            receiver_plugin, self._config.client_telemetry_max_bytes(), self._time, metrics)

    def _new_request_handler(self, apis: KafkaApis) -> ApiRequestHandler:
        """Return the object that handles requests on the handlers' threads."""
        return apis

    def _new_request_handler_pool(
        self, request_channel: RequestChannel, apis: ApiRequestHandler, num_threads: int,
        metric_name_prefix: str, thread_prefix: str,
    ) -> KafkaRequestHandlerPool:
        """Return the running handlers of a channel. Raises RuntimeError if a thread cannot start."""
        return KafkaRequestHandlerPool(
            self._config.broker_id(), request_channel, apis, self._time, num_threads,
            f"{metric_name_prefix}RequestHandlerAvgIdlePercent", thread_prefix, self._node_name)

    def _close_storage(self) -> None:
        """Close the logs and release the folder."""
        self._part(self._storage).shutdown()

    def _drain(self, drain_ms: int) -> None:
        socket_server = self._part(self._socket_server)
        socket_server.begin_drain()
        # Members that wait for other members are answered now.
        if self._metadata_publisher is not None:
            self._metadata_publisher.resign()
        pause = Event()
        deadline_ms = Time.SYSTEM.hi_res_clock_ms() + drain_ms
        while not socket_server.is_drained():
            if Time.SYSTEM.hi_res_clock_ms() >= deadline_ms:
                self.warn("some requests got no response within %d ms", drain_ms)
                return
            # A fetch that waits for records is answered with the available ones.
            if self._replica_manager is not None:
                self._replica_manager.complete_delayed_fetches()
            pause.wait(_DRAIN_STEP_MS / 1000)

    def await_shutdown(self, timeout_ms: int | None = None) -> bool:
        """Wait up to ``timeout_ms`` for the broker's stop; return whether it has stopped."""
        with self._condition:
            if timeout_ms is None:
                return self._condition.wait_for(self._is_not_running)
            return Clock.wait_for(self._condition, self._is_not_running, timeout_ms / 1000)

    def _is_not_running(self) -> bool:
        return self._status is BrokerState.NOT_RUNNING

    def __enter__(self) -> BrokerServer:
        self.startup()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.shutdown()

    def _set_status(self, status: BrokerState) -> None:
        with self._condition:
            self._status = status
            self._condition.notify_all()

    # -- the parts ------------------------------------------------------------------------------------

    def config(self) -> KafkaConfig:
        """Return the settings."""
        return self._config

    def broker_state(self) -> BrokerState:
        """Return the broker's state."""
        return self._status

    def cluster_id(self) -> str:
        """Return the id of the data folder's cluster."""
        return self._part(self._cluster_id)

    def bound_port(self, listener_name: ListenerName | str) -> int:
        """Return the port of a listener, also if the configured port is 0. Raises KafkaException."""
        if isinstance(listener_name, str):
            listener_name = ListenerName.normalised(listener_name)
        return self.socket_server().bound_port(listener_name)

    def metrics(self) -> Metrics:
        """Return Kafka's own metrics: those of selectors and quotas."""
        return self._part(self._metrics)

    def metrics_registry(self) -> MetricsRegistry:
        """Return the metrics with MBean names: those of requests, topics and threads."""
        return self._metrics_registry

    def socket_server(self) -> SocketServer:
        """Return the socket server."""
        return self._part(self._socket_server)

    def data_plane_request_handler_pool(self) -> KafkaRequestHandlerPool:
        """Return the pool of request handler threads."""
        return self._part(self._data_plane_request_handler_pool)

    def data_plane_request_processor(self) -> KafkaApis:
        """Return the object that handles requests."""
        return self._part(self._data_plane_request_processor)

    def kafka_scheduler(self) -> KafkaScheduler:
        """Return the scheduler of background tasks."""
        return self._part(self._kafka_scheduler)

    def quota_managers(self) -> QuotaManagers:
        """Return the quota managers."""
        return self._part(self._quota_managers)

    def replica_manager(self) -> ReplicaManager:
        """Return the replica manager."""
        return self._part(self._replica_manager)

    def group_coordinator(self) -> GroupCoordinatorAdapter:
        """Return the group coordinator."""
        return self._part(self._group_coordinator)

    def transaction_coordinator(self) -> TransactionCoordinator:
        """Return the transaction coordinator."""
        return self._part(self._transaction_coordinator)

    def authorizer(self) -> Authorizer | None:
        """Return the authorizer, or None."""
        return self._authorizer

    def metadata_cache(self) -> MetadataCache:
        """Return the metadata cache."""
        return self._part(self._metadata_cache)

    def storage(self) -> Storage:
        """Return the storage of logs and topics."""
        return self._part(self._storage)

    def log_manager(self) -> LogManager:
        """Return the log manager."""
        return self.storage().log_manager()

    def log_cleaner(self) -> LogCleaner | None:
        """Return the log cleaner, None if it is disabled."""
        return self._log_cleaner

    def broker_topic_stats(self) -> BrokerTopicStats:
        """Return the rates of topics."""
        return self._part(self._broker_topic_stats)

    def advertised_listeners_changed(self, listeners: Sequence[EndPoint]) -> None:
        """Advertise ``listeners`` to clients from now on."""
        self.metadata_cache().set_endpoints(self._nodes(listeners))
        if self._cluster is not None:
            self._cluster.replication().update_nodes(self._config.broker_id(), self._nodes(listeners))

    # -- in a cluster ---------------------------------------------------------------------------------

    def on_image(self, image: ClusterImage, changed: Sequence[TopicPartition],
                 deleted: Sequence[TopicPartition]) -> None:
        """Lead and follow as the image says. Metadata responses follow it too, unless they are frozen."""
        metadata_cache = self.metadata_cache()
        if not self._is_metadata_frozen or metadata_cache.current_image() is None:
            metadata_cache.set_image(image)
        self._part(self._metadata_publisher).on_metadata_update(changed, deleted, image)

    def freeze_metadata(self) -> None:
        """Answer Metadata requests with the present state of the cluster until ``thaw_metadata``."""
        self._is_metadata_frozen = True

    def thaw_metadata(self) -> None:
        """Answer Metadata requests with the current state of the cluster again."""
        self._is_metadata_frozen = False
        if self._cluster is not None and not self._is_isolated:
            self.metadata_cache().set_image(self._cluster.replication().image())

    def isolate(self) -> None:
        """Fence the broker without its knowledge. Other brokers lead, and its Metadata responses show the
        former state.

        All produce and fetch requests get NOT_LEADER_OR_FOLLOWER, requests to its coordinators
        NOT_COORDINATOR.
        """
        cluster = self._cluster
        if cluster is None:
            raise IllegalStateException("the broker is not in a cluster")
        self._is_isolated = True
        cluster.replication().fence(self._config.broker_id())
        self.replica_manager().isolate()
        self._part(self._metadata_publisher).resign_all()

    def rejoin(self) -> None:
        """End an isolation. Raises IllegalStateException if there is none."""
        cluster = self._cluster
        if cluster is None or not self._is_isolated:
            raise IllegalStateException("the broker is not isolated")
        self._is_isolated = False
        self.replica_manager().rejoin()
        cluster.join(self, self._nodes(self._config.effective_advertised_listeners()))

    def config_changed(self, resource: ConfigResource) -> None:
        """Apply a setting that another broker has stored."""
        self._part(self._configuration_control).process_changes(resource)

    def txn_marker_appender(self) -> TxnMarkerAppender:
        """Return the appender of transaction markers to this broker's partitions."""
        return self._part(self._txn_marker_appender)

    def _coordinator_on(self, broker_id: int) -> TransactionCoordinator | None:
        """Return another broker's transaction coordinator, None if that broker cannot be reached."""
        broker = None if self._cluster is None else self._cluster.broker(broker_id)
        return None if broker is None else broker.transaction_coordinator()

    def log_defaults_changed(self) -> None:
        """Have the logs apply the current defaults of topics."""
        self.storage().log_defaults_changed()

    def _part(self, part: T | None) -> T:
        if part is None:
            raise IllegalStateException("the broker has not started")
        return part

    def _nodes(self, listeners: Sequence[EndPoint]) -> dict[str, Node]:
        """Return this node's advertised address by listener.

        A listener without a host is bound to all addresses. It is advertised with the machine's name.
        """
        return {
            listener.listener_name().value(): Node(
                self._config.broker_id(),
                listener.host() or Floor.socket.getfqdn(),
                listener.port() or self.bound_port(listener.listener_name()),
                self._config.rack())
            for listener in listeners}

    def _authorizer_server_info(self) -> AuthorizerServerInfo:
        config = self._config
        listeners = [*config.data_plane_listeners(), *filter(None, [config.control_plane_listener()])]
        endpoints = {end_point.listener_name(): end_point.to_java() for end_point in listeners}
        return AuthorizerServerInfo(
            cluster_id=self.cluster_id(),
            broker_id=config.broker_id(),
            endpoints=list(endpoints.values()),
            inter_broker_endpoint=endpoints.get(config.inter_broker_listener_name()),
            early_start_listeners={name.value() for name in config.early_start_listeners()})

    def _new_gauges(self) -> None:
        group = KafkaMetricsGroup(type(self), self._metrics_registry)
        for name, gauge in (("BrokerState", lambda: self._status.value),
                            ("ClusterId", lambda: self._cluster_id),
                            ("yammer-metrics-count", lambda: len(self._metrics_registry.all_metrics()))):
            # These metrics keep the former class name, under which Kafka's users know them.
            group.new_gauge(
                KafkaMetricsGroup.explicit_metric_name("kafka.server", "KafkaServer", name, {}), gauge)


def storage_config(config: KafkaConfig) -> StorageConfig:
    """Return the settings of the data folder. Raises ConfigException for several folders."""
    log_dirs = config.log_dirs()
    if len(log_dirs) != 1:
        raise ConfigException(f"log.dirs names {len(log_dirs)} folders, and this broker keeps one")
    return StorageConfig(
        directory=log_dirs[0],
        node_id=config.broker_id(),
        topic_defaults=_TopicDefaults(config),
        log_manager=LogManagerConfig(
            initial_task_delay_ms=config.log_initial_task_delay_ms(),
            retention_check_ms=config.log_cleanup_interval_ms(),
            flush_check_ms=config.log_flush_scheduler_interval_ms(),
            recovery_point_checkpoint_ms=config.log_flush_offset_checkpoint_interval_ms(),
            log_start_offset_checkpoint_ms=config.log_flush_start_offset_checkpoint_interval_ms(),
            max_transaction_timeout_ms=config.transaction_max_timeout_ms(),
            transaction_verification_enabled=config.transaction_partition_verification_enable(),
            producer_id_expiration_ms=config.producer_id_expiration_ms(),
            producer_id_expiration_check_ms=config.producer_id_expiration_check_interval_ms(),
            fidelity_strict=config.is_strict()))
