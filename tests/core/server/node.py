# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker's parts without its threads and sockets, on a mock clock: what is asked is answered at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Callable, TypeVar

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.compress.compression import Compression
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node as Endpoint
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.utils import Utils
from kreactor.controller.client_quota_control_manager import ClientQuotaControlManager
from kreactor.controller.configuration_control_manager import ConfigurationControlManager
from kreactor.controller.replication_control_manager import ReplicationControlManager
from kreactor.controller.scram_control_manager import ScramControlManager
from kreactor.core.cluster.partition import Partition
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.coordinator.transaction.transaction_coordinator import TransactionCoordinator
from kreactor.core.log.log_manager import LogManagerConfig
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.add_partitions_to_txn_manager import AddPartitionsToTxnManager
from kreactor.core.server.api_version_manager import DefaultApiVersionManager
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.auto_topic_creation_manager import DefaultAutoTopicCreationManager
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.controller_apis import ControllerApis
from kreactor.core.server.delayed_fetch import DelayedFetch
from kreactor.core.server.delayed_operation import DelayedOperationPurgatory
from kreactor.core.server.fetch_session import FetchManager, FetchSessionCache, FetchSessionCacheShard
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.metadata.broker_metadata_publisher import BrokerMetadataPublisher
from kreactor.core.server.metadata.client_quota_metadata_manager import ClientQuotaMetadataManager
from kreactor.core.server.metadata.scram_publisher import ScramPublisher
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.quota_factory import QuotaFactory
from kreactor.core.server.replica_manager import ReplicaManager, TransactionVerifier
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.server.txn_marker_appender import TxnMarkerAppender
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.jdk.executors import Runnable
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.security.authorizer.acl_entry import AclEntry
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.metrics.yammer import Gauge, MetricsRegistry
from kreactor.server.util.scheduler import Cancellable
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.testing.instrumented_server import replace_reapers
from kreactor.testing.mock_time import MockTime
from kreactor.testing.mock_timer import MockTimer
from tests.common.requests.sends import sent
from tests.core.server.brokers import broker_config
from tests.core.server.wire import encode, response_data
from tests.storage.internals.log.support import MockScheduler

PLAINTEXT = ListenerName("PLAINTEXT")

T = TypeVar("T")
Action = tuple[AclOperation, ResourceType, str]


class Permissions(AuthHelper):
    """Allows everything but what it is told to deny, and notes what it is asked."""

    def __init__(self, *denied: Action) -> None:
        super().__init__()
        self._denied = frozenset(denied)
        self.asked: list[Action] = []

    def authorize(self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
                  resource_name: str, log_if_allowed: bool = True, log_if_denied: bool = True,
                  ref_count: int = 1) -> bool:
        action = (operation, resource_type, resource_name)
        self.asked.append(action)
        return action not in self._denied

    def authorized_operations(self, request: RequestChannel.Request, resource: Resource) -> int:
        type_, name = resource.resource_type(), resource.name()
        return Utils.to32_bit_field({
            operation.code() for operation in AclEntry.supported_operations(type_)
            if self.authorize(request.context, operation, type_, name)})

    def authorize_by_resource_type(self, request_context: RequestContext, operation: AclOperation,
                                   resource_type: ResourceType) -> bool:
        return self.authorize(request_context, operation, resource_type, "")

    def partition_seq_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Sequence[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> tuple[Sequence[T], Sequence[T]]:
        allowed = self.filter_by_authorized(
            request_context, operation, resource_type, resources, resource_name)
        return ([resource for resource in resources if resource_name(resource) in allowed],
                [resource for resource in resources if resource_name(resource) not in allowed])

    def filter_by_authorized(
            self, request_context: RequestContext, operation: AclOperation, resource_type: ResourceType,
            resources: Iterable[T], resource_name: Callable[[T], str], log_if_allowed: bool = True,
            log_if_denied: bool = True) -> set[str]:
        names = sorted({resource_name(resource) for resource in resources})
        return {name for name in names if self.authorize(request_context, operation, resource_type, name)}


class AtOnce(MockScheduler):
    """Runs at once what is to run once and without delay."""

    def schedule(self, name: str, task: Runnable, delay_ms: int, period_ms: int) -> Cancellable:
        scheduled = super().schedule(name, task, delay_ms, period_ms)
        if period_ms <= 0:
            self.tick()
        return scheduled


class Exchange:
    """A request and, once there is one, what its network thread is to do."""

    def __init__(self, request: RequestChannel.Request) -> None:
        self.request = request
        self.response: RequestChannel.Response | None = None
        self.is_throttled = False

    def waits(self) -> bool:
        return self.response is None

    def sent_bytes(self) -> bytes:
        """Return what the client would read, its size first."""
        response = self.response
        assert isinstance(response, RequestChannel.SendResponse), response
        data = sent(response.response_send)
        on_complete = response.on_complete()
        if on_complete is not None:
            on_complete(response.response_send)
        return data

    def answer(self) -> Any:
        """Return the message that the client would read."""
        data = self.sent_bytes()
        api, version = self.request.header().api_key(), self.request.header().api_version()
        buffer = ByteBuffer.wrap(data)
        assert buffer.get_int() == len(data) - 4
        ResponseHeaderData.read(buffer, api.response_header_version(version))
        message = response_data(api).read(buffer, version)
        assert not buffer.has_remaining()
        return message

    def is_closed(self) -> bool:
        """Return whether the connection ends instead."""
        return isinstance(self.response, RequestChannel.CloseConnectionResponse)

    def is_nothing(self) -> bool:
        """Return whether the client is not answered, and goes on."""
        return isinstance(self.response, RequestChannel.NoOpResponse)


class Node:
    """All that is behind the request channel. A context manager that starts and stops it."""

    # The number of the network thread that it stands in for.
    id = 0

    def __init__(self, folder: str | os.PathLike[str], overrides: Mapping[str, str] | None = None,
                 auth_helper: AuthHelper | None = None) -> None:
        self.time = MockTime()
        self.registry = MetricsRegistry()
        self.config = broker_config(folder, overrides)
        self.config.dynamic_config().initialize()
        self.scheduler = MockScheduler(self.time)
        self.storage = Storage(
            StorageConfig(str(folder), self.config.broker_id(),
                          topic_defaults=self.config.extract_log_config_map(),
                          log_manager=LogManagerConfig(
                              max_transaction_timeout_ms=self.config.transaction_max_timeout_ms(),
                              transaction_verification_enabled=(
                                  self.config.transaction_partition_verification_enable()))),
            self.scheduler, self.time)
        self.timer = MockTimer(self.time)
        self.purgatory: DelayedOperationPurgatory[DelayedFetch] = DelayedOperationPurgatory(
            "Fetch", self.timer, reaper_enabled=False, metrics_registry=self.registry)
        self.auth_helper = AuthHelper() if auth_helper is None else auth_helper
        self.credential_provider = CredentialProvider(ScramMechanism.mechanism_names())
        # In place of the coordinator; tests replace it before they enter the node.
        self.transaction_verifier: TransactionVerifier | None = None
        self.metrics = Metrics(time=self.time)
        self._exchanges: dict[RequestChannel.Request, Exchange] = {}

    def __enter__(self) -> Node:
        self.storage.startup()
        config = self.config
        self.stats = BrokerTopicStats(self.registry)
        self.quotas = QuotaFactory.instantiate(config, self.metrics, self.time, "")
        self._end_due = replace_reapers(self.quotas)
        self.metadata_cache = MetadataCache(
            config.broker_id(), self.storage.topics(), self.storage.log_manager().get_log,
            self.storage.configs(), self.storage.client_quotas(), self.storage.scram_credentials())
        self.metadata_cache.set_endpoints({"PLAINTEXT": Endpoint(1, "here", 9092)})
        self.replica_manager = ReplicaManager(
            config, self.time, self.storage.log_manager(), self.metadata_cache, self.stats, self.purgatory,
            self.registry, self.transaction_verifier or AddPartitionsToTxnManager(
                config, self.metadata_cache, lambda: self.txn_coordinator, self.time, self.registry))
        self.coordinator = GroupCoordinator.apply_purgatories(
            config, self.replica_manager,
            DelayedOperationPurgatory("Heartbeat", self.timer, reaper_enabled=False,
                                      metrics_registry=self.registry),
            DelayedOperationPurgatory("Rebalance", self.timer, reaper_enabled=False,
                                      metrics_registry=self.registry),
            self.time, self.metrics, self.registry)
        # The work of its own thread is done at once.
        self.coordinator.group_manager._scheduler = self.group_scheduler = AtOnce(self.time)
        self.group_coordinator = GroupCoordinatorAdapter(self.coordinator, self.time)
        self.txn_coordinator = TransactionCoordinator.apply(
            config, self.replica_manager, self.scheduler, self.storage.generate_producer_id, self.metrics,
            self.metadata_cache, self.time,
            TxnMarkerAppender(config, self.replica_manager, self.group_coordinator).append, self.registry)
        self.txn_markers = self.txn_coordinator._txn_marker_channel_manager
        # Its thread is not started: ``write_markers`` does what it would.
        setattr(self.txn_markers, "start", lambda: None)
        self.publisher = BrokerMetadataPublisher(
            config, self.metadata_cache, self.replica_manager, self.group_coordinator, self.txn_coordinator)
        self.publisher.initialize_managers()
        self.client_metrics_manager = ClientMetricsManager(
            ClientMetricsReceiverPlugin(), config.client_telemetry_max_bytes(), self.time, self.metrics,
            expiration_timer=self.timer)
        self.api_version_manager = DefaultApiVersionManager(
            ListenerType.BROKER, KafkaApis.ENABLED_APIS, False, {}, {}, self.client_metrics_manager)
        self.request_metrics = self.api_version_manager.new_request_metrics(self.registry)
        self.channel = RequestChannel(
            10, "", self.time, self.request_metrics, metrics_registry=self.registry)
        self.channel.add_processor(self)
        self.configuration_control = ConfigurationControlManager(config, self.storage)
        self.configuration_control.set_client_metrics_manager(self.client_metrics_manager)
        self.connection_quotas = ConnectionQuotas(config, self.time, self.metrics)
        self.client_quota_control = ClientQuotaControlManager(self.storage.client_quotas())
        self.client_quota_control.add(ClientQuotaMetadataManager(self.quotas, self.connection_quotas))
        self.controller_apis = ControllerApis(
            self.channel, self.quotas, self.time,
            ReplicationControlManager(config, self.storage, self.replica_manager, self.publisher,
                                      self.configuration_control),
            self.configuration_control, self.client_quota_control, config, self.auth_helper,
            ScramControlManager(self.storage.scram_credentials(), ScramPublisher(self.credential_provider)))
        self.auto_topic_creation_manager = DefaultAutoTopicCreationManager(
            config, self.controller_apis, self.group_coordinator, self.txn_coordinator)
        self.fetch_sessions = FetchSessionCacheShard(10, 1000, metrics_registry=self.registry)
        self.fetch_manager = FetchManager(
            self.time, FetchSessionCache([self.fetch_sessions], self.registry), config.is_strict())
        self.apis = KafkaApis(
            self.channel, self.replica_manager, self.group_coordinator, self.txn_coordinator,
            self.auto_topic_creation_manager, self.controller_apis, config.broker_id(), config,
            self.metadata_cache, self.quotas, self.fetch_manager, self.stats, "cluster", self.time,
            self.api_version_manager, self.auth_helper, self.client_metrics_manager)
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        # A waiting fetch, or one that has waited, may hold files open by its response.
        self.replica_manager.complete_delayed_fetches()
        self.timer._task_queue.clear()
        self.txn_coordinator.shutdown()
        self.group_coordinator.shutdown()
        self.metrics.close()
        self.replica_manager.shutdown()
        self.storage.shutdown()
        self.stats.close()
        self.metrics.close()
        self._exchanges.clear()

    # -- in the place of a network thread ----------------------------------------------------------

    def response_queue_size(self) -> int:
        return 0

    def enqueue_response(self, response: RequestChannel.Response) -> None:
        exchange = self._exchanges[response.request]
        if isinstance(response, RequestChannel.StartThrottlingResponse):
            assert exchange.response is None, "the connection is muted before there is an answer"
            exchange.is_throttled = True
            return
        if isinstance(response, RequestChannel.EndThrottlingResponse):
            exchange.is_throttled = False
            return
        assert exchange.response is None, "two answers"
        exchange.response = response

    # -- what tests ask ----------------------------------------------------------------------------

    def request(self, api: ApiKeys, version: int, body: Message | bytes, client_id: str = "test",
                listener: str = "PLAINTEXT") -> RequestChannel.Request:
        """Return a request as a network thread makes it of what it read."""
        buffer = ByteBuffer.wrap(encode(api, version, body, 5, client_id)[4:])
        context = RequestContext(
            RequestHeader.parse(buffer), "1", InetAddress.get_by_name("127.0.0.1"),
            KafkaPrincipal(KafkaPrincipal.USER_TYPE, "Alice"), ListenerName(listener),
            SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, False)
        return RequestChannel.Request(
            0, context, self.time.nanoseconds(), MemoryPool.NONE, buffer, self.request_metrics)

    def send(self, api: ApiKeys, version: int, body: Message | bytes, client_id: str = "test",
             listener: str = "PLAINTEXT") -> Exchange:
        """Handle a request, and what it makes possible for others."""
        request = self.request(api, version, body, client_id, listener)
        exchange = self._exchanges[request] = Exchange(request)
        self.apis.handle(request, RequestLocal.NoCaching)
        return exchange

    def ask(self, api: ApiKeys, version: int, body: Message | bytes, client_id: str = "test",
            listener: str = "PLAINTEXT") -> Any:
        """Handle a request; return the message that answers it."""
        return self.send(api, version, body, client_id, listener).answer()

    def create_topic(self, name: str, num_partitions: int = 1,
                     configs: Mapping[str, str] | None = None) -> Partition:
        """Create a topic, not by a request; return its first partition."""
        topic = self.storage.create_topic(name, num_partitions, configs or {})
        self.publisher.on_metadata_update(changed=topic.partitions())
        partition = self.replica_manager.get_partition(TopicPartition(name, 0))
        assert partition is not None
        return partition

    def end_throttling(self) -> None:
        """Let the connections go on whose throttle time is over."""
        for end_due in self._end_due:
            end_due()

    def append(self, topic: str, *values: bytes, partition: int = 0) -> None:
        """Append a batch, and let what waits for it go on."""
        topic_partition = TopicPartition(topic, partition)
        self.replica_manager.append_records(
            1000, 1, False, AppendOrigin.CLIENT, {topic_partition: records(*values)}, lambda status: None)
        self.replica_manager.try_complete_actions()

    def metric_value(self, name: str) -> Any:
        """Return a gauge's value, or the count of what counts, by the name of its MBean."""
        metric, = (metric for metric_name, metric in self.registry.all_metrics().items()
                   if metric_name.get_mbean_name() == name)
        return metric.value() if isinstance(metric, Gauge) else metric.count()  # type: ignore[attr-defined]

    def metric_names(self) -> set[str]:
        """Return the names of all metrics of the broker's registry."""
        return {name.get_mbean_name() for name in self.registry.all_metrics()}


def records(*values: bytes, magic: int = 2) -> MemoryRecords:
    """Return a batch of records without keys, all of one time."""
    return MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(1_700_000_000_000, None, value) for value in values), magic=magic)
