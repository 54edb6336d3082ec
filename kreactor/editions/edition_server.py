# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker with the network layer of an older release; all other parts are from 3.8.0.

An edition has a module ``edition`` with ``open_server(surroundings)``, which returns an EditionSocketServer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.endpoint import Endpoint
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.time import Time
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.api_version_manager import ApiVersionManager
from kreactor.core.server.broker_reconfigurable import BrokerReconfigurable
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.editions.bridge import BridgeChannel, BridgedApis, EditionResponses
from kreactor.editions.registry import Edition
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.net import InetAddress
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.server.metrics.yammer import MetricsRegistry

# The settings of the network layer that 3.8.0 can change while the broker runs.
_NETWORK_CONFIGS = frozenset((
    SocketServerConfigs.LISTENERS_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
    SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,
    ServerConfigs.NUM_NETWORK_THREADS_CONFIG,
    ServerConfigs.NUM_IO_THREADS_CONFIG,
))


@dataclass(frozen=True)
class Surroundings:
    """The parts of 3.8.0 that an edition's listeners need."""

    config: KafkaConfig
    metrics: Metrics
    time: Time
    api_version_manager: ApiVersionManager
    metrics_registry: MetricsRegistry | None
    credential_provider: CredentialProvider


class EditionSocketServer(ABC):
    """The interface of an edition's SocketServer and handlers for the broker."""

    @abstractmethod
    def request_metrics(self) -> RequestChannel.Metrics:
        """Return the request metrics of the APIs."""

    @abstractmethod
    def responses(self) -> EditionResponses[Any]:
        """Return the object that takes responses."""

    @abstractmethod
    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the port of a listener. Raises KafkaException."""

    @abstractmethod
    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address."""

    @abstractmethod
    def start_handlers(self, apis: BridgedApis, num_threads: int) -> None:
        """Start ``num_threads`` handlers, which call ``apis.handle``."""

    def control_plane(self) -> tuple[RequestChannel.Metrics, EditionResponses[Any]] | None:
        """Return the request metrics and the response taker of the control plane, or None without a control
        plane."""
        return None

    def start_control_plane_handler(self, apis: BridgedApis) -> None:
        """Start the handler of the control plane; called if ``control_plane`` returns one."""
        raise NotImplementedError("this edition has no control plane: it came with 2.2")

    @abstractmethod
    def stop_listening(self) -> None:
        """Stop acceptors and processors, and close all connections. A second call does nothing."""

    @abstractmethod
    def stop_handlers(self) -> None:
        """Stop the handlers, if they have started, and the thread that delays responses, if there is one.

        A second call does nothing.
        """

    def resize_handlers(self, num_threads: int) -> None:
        """Change the number of handlers.

        Raises NotImplementedError, because the number is fixed before 1.1.
        """
        raise NotImplementedError("the number of handlers of this edition is fixed: that changed with 1.1")

    def add_listeners(self, listeners: Sequence[EndPoint]) -> None:
        """Open listeners while the broker runs.

        Raises NotImplementedError, because listeners are fixed before 1.1.
        """
        raise NotImplementedError("the listeners of this edition are fixed: that changed with 1.1")

    def remove_listeners(self, listeners: Sequence[EndPoint]) -> None:
        """Close listeners while the broker runs.

        Raises NotImplementedError, because listeners are fixed before 1.1.
        """
        raise NotImplementedError("the listeners of this edition are fixed: that changed with 1.1")

    def fixed_configs(self) -> frozenset[str]:
        """Return the network settings that cannot change while the broker runs: all by default."""
        return _NETWORK_CONFIGS

    def reconfigurable_configs(self) -> frozenset[str]:
        """Return the settings that can be changed while the broker runs: none by default."""
        return frozenset()

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for invalid new values of settings. Accepts all by default."""

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Apply changed settings. Does nothing by default."""


class _ConnectionQuotas:
    """Replaces the connection quotas of 3.8.0, which older releases lack."""

    def update_ip_connection_rate_quota(
        self, ip: InetAddress | None, max_connection_rate: int | None,
    ) -> None:
        """Raise an exception, because connection rates came with 2.7."""
        if max_connection_rate is not None:
            raise NotImplementedError(
                "the network layer of this edition has no rates of connections: they came with 2.7")


class _Listeners(BrokerReconfigurable):
    """Replaces the SocketServer of 3.8.0 in a broker."""

    def __init__(self, edition: Edition, surroundings: Surroundings) -> None:
        self._edition = edition
        self.config = surroundings.config
        self.server = edition.open(surroundings)
        self.data_plane_request_channel = BridgeChannel(
            self.server.request_metrics(), surroundings.time, surroundings.metrics_registry,
            self.server.responses())
        self.control_plane_request_channel_opt: BridgeChannel | None = None
        if (control_plane := self.server.control_plane()) is not None:
            metrics, responses = control_plane
            self.control_plane_request_channel_opt = BridgeChannel(
                metrics, surroundings.time, surroundings.metrics_registry, responses)
        self.connection_quotas = _ConnectionQuotas()
        self.pools: list[_HandlerPool] = []

    def bound_port(self, listener_name: ListenerName) -> int:
        """Return the port of a listener. Raises KafkaException."""
        return self.server.bound_port(listener_name)

    def connection_count(self, address: InetAddress) -> int:
        """Return the number of connections of an address."""
        return self.server.connection_count(address)

    def enable_request_processing(
        self, authorizer_futures: Mapping[Endpoint, CompletableFuture[None]],
    ) -> CompletableFuture[None]:
        """Start the handlers. Earlier requests have waited in the queue, as in older releases."""
        for future in authorizer_futures.values():
            future.get()
        for pool in self.pools:
            pool.start()
        return CompletableFuture.completed_future(None)

    def begin_drain(self) -> None:
        """Do nothing, because older releases drop requests under way."""

    def is_drained(self) -> bool:
        """Return True, because there is nothing to wait for."""
        return True

    def stop_processing_requests(self) -> None:
        """Stop acceptors and processors, and close all connections."""
        self.server.stop_listening()

    def shutdown(self) -> None:
        """Release all resources."""
        self.stop_processing_requests()
        self.server.stop_handlers()
        self.server.request_metrics().close()

    def add_listeners(self, listeners_added: Sequence[EndPoint]) -> None:
        """Open listeners. Raises NotImplementedError if the edition cannot, KafkaException, OSError."""
        if listeners_added:
            self.server.add_listeners(listeners_added)

    def remove_listeners(self, listeners_removed: Sequence[EndPoint]) -> None:
        """Close listeners. Raises NotImplementedError if the edition cannot."""
        if listeners_removed:
            self.server.remove_listeners(listeners_removed)

    def reconfigurable_configs(self) -> frozenset[str]:
        """Return the settings whose changes the edition checks while it runs."""
        return self.server.reconfigurable_configs() | self.server.fixed_configs()

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException for changes that the edition refuses."""
        for name in sorted(self.server.fixed_configs()):
            if new_config.get(name) != self.config.get(name):
                raise ConfigException(
                    f"{name}: the network layer of Kafka {self._edition.tag} cannot change it while the "
                    "broker runs. Set it before the start, or run a later edition")
        self.server.validate_reconfiguration(new_config)

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Pass changed settings to the edition."""
        self.server.reconfigure(old_config, new_config)


class _HandlerPool:
    """Replaces the handler pool of 3.8.0."""

    def __init__(self, listeners: _Listeners, apis: BridgedApis, num_threads: int,
                 is_control_plane: bool) -> None:
        self._server = listeners.server
        self._apis = apis
        self._num_threads = num_threads
        self._is_control_plane = is_control_plane
        listeners.pools.append(self)

    def start(self) -> None:
        """Start the handlers of the edition."""
        if self._is_control_plane:
            self._server.start_control_plane_handler(self._apis)
        else:
            self._server.start_handlers(self._apis, self._num_threads)

    def thread_pool_size(self) -> int:
        """Return the number of handlers."""
        return self._num_threads

    def resize_thread_pool(self, new_size: int) -> None:
        """Change the number of handlers. Raises NotImplementedError if the edition cannot."""
        self._server.resize_handlers(new_size)
        self._num_threads = new_size

    def shutdown(self) -> None:
        """End the handlers."""
        self._server.stop_handlers()


def _with_protocols(edition: Edition, config: KafkaConfig) -> KafkaConfig:
    """Return settings with the TLS versions of the edition. Raises ConfigException for other versions.

    A TLS 1.3 client can send the end of the handshake and a request together. The older selectors never read
    this request, which is already in the transport layer's buffers.
    """
    if edition.has_tls_1_3:
        return config
    enabled = config.originals().get(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG)
    if enabled is None:
        # DEVIATION D357: only TLS 1.2 is the default, as those releases ran on Java 8.
        return KafkaConfig.from_props({
            **config.originals(), SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: "TLSv1.2"})
    if "TLSv1.3" in str(enabled):
        raise ConfigException(
            f"{SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG}: the network layer of Kafka {edition.tag} has no "
            "TLSv1.3, which came with 2.6. Leave it out, or run a later edition")
    return config


class EditionServer(BrokerServer):
    """A broker with the network layer of an edition."""

    def __init__(self, edition: Edition, config: KafkaConfig, time: Time = Time.SYSTEM,
                 node_name: str = "broker",
                 scram_users: Mapping[ScramCredentialKey, ScramCredential] = MappingProxyType({})) -> None:
        """Raises ConfigException for a property that the edition does not support."""
        edition.check(config.originals())
        super().__init__(_with_protocols(edition, config), time, node_name, scram_users)
        self.edition = edition

    def _new_socket_server(self, metrics: Metrics, api_version_manager: ApiVersionManager) -> Any:
        assert self._credential_provider is not None, "made before"
        return _Listeners(self.edition, Surroundings(
            self._config, metrics, self._time, api_version_manager, self._metrics_registry,
            self._credential_provider))

    def _new_request_handler_pool(
        self, request_channel: RequestChannel, apis: ApiRequestHandler, num_threads: int,
        metric_name_prefix: str, thread_prefix: str,
    ) -> Any:
        assert isinstance(request_channel, BridgeChannel), "that of the listeners"
        listeners: Any = self._socket_server
        return _HandlerPool(
            listeners, BridgedApis(apis, request_channel, self._time), num_threads,
            request_channel is listeners.control_plane_request_channel_opt)
