# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClientUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Construction of the parts of all clients: addresses, a channel builder, a NetworkClient."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from kreactor.clients.client_dns_lookup import ClientDnsLookup
from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.default_host_resolver import DefaultHostResolver
from kreactor.clients.host_resolver import HostResolver
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.selector import Selector
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress, InetSocketAddress

if TYPE_CHECKING:
    from kreactor.clients.api_versions import ApiVersions
    from kreactor.clients.metadata import Metadata
    from kreactor.clients.metadata_updater import MetadataUpdater
    from kreactor.clients.network_client import NetworkClient
    from kreactor.common.metrics.metrics import Metrics
    from kreactor.common.metrics.sensor import Sensor
    from kreactor.common.telemetry.internals.client_telemetry_sender import ClientTelemetrySender

T = TypeVar("T")

log = LogContext().logger(f"{__name__}.ClientUtils")

_MAX_PORT = 65535


class ClientUtils:
    """Static methods, called by any thread.

    :origin: clients.ClientUtils
    """

    @staticmethod
    def parse_and_validate_addresses(config: AbstractConfig) -> list[InetSocketAddress]:
        """Return the addresses of ``bootstrap.servers``, resolved as ``client.dns.lookup`` says.

        Raises as ``parse_and_validate_addresses_urls``.

        :origin: clients.ClientUtils#parseAndValidateAddresses(AbstractConfig)
        """
        urls = config.get_list(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)
        client_dns_lookup_config = config.get_string(CommonClientConfigs.CLIENT_DNS_LOOKUP_CONFIG)
        return ClientUtils.parse_and_validate_addresses_urls(urls, client_dns_lookup_config or "")

    @staticmethod
    def parse_and_validate_addresses_urls(
            urls: Sequence[str], client_dns_lookup: ClientDnsLookup | str) -> list[InetSocketAddress]:
        """Return the addresses of ``host:port`` texts, without hosts that are not found.

        The look-ups may block. Raises ConfigException if a text is malformed or no host is found,
        IllegalArgumentException if ``client_dns_lookup`` is not a ClientDnsLookup.

        :origin: clients.ClientUtils#parseAndValidateAddresses(List<String>, String)
        :origin: clients.ClientUtils#parseAndValidateAddresses(List<String>, ClientDnsLookup)
        """
        if isinstance(client_dns_lookup, str):
            client_dns_lookup = ClientDnsLookup.for_config(client_dns_lookup)
        addresses: list[InetSocketAddress] = []
        for url in urls:
            if url:
                try:
                    host = Utils.get_host(url)
                    port = Utils.get_port(url)
                    if host is None or port is None:
                        raise ConfigException(
                            f"Invalid url in {CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG}: {url}")
                    # In Java the socket address refuses such a port, after a look-up.
                    if port > _MAX_PORT:
                        raise IllegalArgumentException(f"port out of range:{port}")

                    if client_dns_lookup is ClientDnsLookup.RESOLVE_CANONICAL_BOOTSTRAP_SERVERS_ONLY:
                        inet_addresses = InetAddress.get_all_by_name(host)
                        for inet_address in inet_addresses:
                            resolved_canonical_name = inet_address.get_canonical_host_name()
                            address = InetSocketAddress(resolved_canonical_name, port)
                            if address.is_unresolved():
                                log.warn("%s of %s is left out: %s, the canonical name of %s, has no "
                                         "address", url, CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                                         resolved_canonical_name, host)
                            else:
                                addresses.append(address)
                    else:
                        address = InetSocketAddress(host, port)
                        if address.is_unresolved():
                            log.warn("%s of %s is left out: %s has no address", url,
                                     CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, host)
                        else:
                            addresses.append(address)

                except IllegalArgumentException:
                    raise ConfigException(
                        f"Invalid port in {CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG}: {url}") from None
                except OSError as e:
                    raise ConfigException(
                        f"Unknown host in {CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG}: {url}") from e
        if not addresses:
            raise ConfigException(
                f"No resolvable bootstrap urls given in {CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG}")
        return addresses

    @staticmethod
    def create_channel_builder(config: AbstractConfig, time: Time, log_context: LogContext) -> ChannelBuilder:
        """Return a configured builder for connections of the configured security protocol.

        :origin: clients.ClientUtils#createChannelBuilder(AbstractConfig, Time, LogContext)
        """
        security_protocol = SecurityProtocol.for_name(
            config.get_string(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG) or "")
        return ChannelBuilders.client_channel_builder(security_protocol, config, None, time, log_context)

    @staticmethod
    def resolve(host: str, host_resolver: HostResolver) -> list[InetAddress]:
        """Return the host's addresses of the same family as its first address. Raises OSError.

        :origin: clients.ClientUtils#resolve(String, HostResolver)
        """
        addresses = host_resolver.resolve(host)
        result = ClientUtils.filter_preferred_addresses(addresses)
        if log.is_debug_enabled():
            log.debug("host %s has the addresses %s", host, ",".join(i.get_host_address() for i in result))
        return result

    @staticmethod
    def filter_preferred_addresses(all_addresses: Sequence[InetAddress]) -> list[InetAddress]:
        """Return the addresses of the first address's family, IPv4 or IPv6.

        :origin: clients.ClientUtils#filterPreferredAddresses(InetAddress[])
        """
        # One class has both families here, so the length of the address tells the family.
        return [address for address in all_addresses
                if len(address.get_address()) == len(all_addresses[0].get_address())]

    @staticmethod
    def create_network_client(
            config: AbstractConfig, metrics: Metrics, metrics_group_prefix: str, log_context: LogContext,
            api_versions: ApiVersions, time: Time, max_in_flight_requests_per_connection: int,
            metadata: Metadata, throttle_time_sensor: Sensor | None,
            client_telemetry_sender: ClientTelemetrySender | None) -> NetworkClient:
        """Return a client that keeps ``metadata`` up to date, with ``client.id`` and ``request.timeout.ms``.

        Raises KafkaException on failure, after closing the parts that were made.

        :origin: clients.ClientUtils#createNetworkClient(AbstractConfig, Metrics, String, LogContext,
            ApiVersions, Time, int, Metadata, Sensor, ClientTelemetrySender)
        """
        return ClientUtils.create_network_client_host_resolver(
            config,
            config.get_string(CommonClientConfigs.CLIENT_ID_CONFIG),
            metrics,
            metrics_group_prefix,
            log_context,
            api_versions,
            time,
            max_in_flight_requests_per_connection,
            config.get_int(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG),
            metadata,
            DefaultHostResolver(),
            throttle_time_sensor,
            client_telemetry_sender)

    @staticmethod
    def create_network_client_host_resolver(
            config: AbstractConfig, client_id: str | None, metrics: Metrics, metrics_group_prefix: str,
            log_context: LogContext, api_versions: ApiVersions, time: Time,
            max_in_flight_requests_per_connection: int, request_timeout_ms: int,
            metadata: Metadata | MetadataUpdater, host_resolver: HostResolver,
            throttle_time_sensor: Sensor | None = None,
            client_telemetry_sender: ClientTelemetrySender | None = None) -> NetworkClient:
        """Return a client with a Metadata or an updater; ``config`` has its other settings.

        Raises KafkaException on failure, after closing the parts that were made.

        :origin: clients.ClientUtils#createNetworkClient(AbstractConfig, String, Metrics, String, LogContext,
            ApiVersions, Time, int, int, MetadataUpdater, HostResolver)
        :origin: clients.ClientUtils#createNetworkClient(AbstractConfig, String, Metrics, String, LogContext,
            ApiVersions, Time, int, int, Metadata, MetadataUpdater, HostResolver, Sensor,
            ClientTelemetrySender)
        """
        # Imported here, because that module imports this one.
        from kreactor.clients.network_client import NetworkClient

        channel_builder: ChannelBuilder | None = None
        selector: Selector | None = None

        try:
            channel_builder = ClientUtils.create_channel_builder(config, time, log_context)
            selector = Selector(config.get_long(CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG),
                                metrics,
                                time,
                                metrics_group_prefix,
                                channel_builder,
                                log_context)
            return NetworkClient(
                selector,
                metadata,
                client_id,
                max_in_flight_requests_per_connection,
                config.get_long(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG),
                config.get_long(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG),
                config.get_int(CommonClientConfigs.SEND_BUFFER_CONFIG),
                config.get_int(CommonClientConfigs.RECEIVE_BUFFER_CONFIG),
                request_timeout_ms,
                config.get_long(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
                config.get_long(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
                time,
                True,
                api_versions,
                log_context,
                MetadataRecoveryStrategy.for_name(
                    config.get_string(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)),
                throttle_time_sensor=throttle_time_sensor,
                host_resolver=host_resolver,
                client_telemetry_sender=client_telemetry_sender)
        except Exception as t:
            Utils.close_quietly(selector, "Selector")
            Utils.close_quietly(channel_builder, "ChannelBuilder")
            raise KafkaException("Failed to create new NetworkClient", t) from t

    @staticmethod
    def configured_interceptors(config: AbstractConfig, interceptor_classes_config_name: str,
                                clazz: type[T]) -> list[T]:
        """Return instances of the classes that a setting lists, configured with ``client.id``.

        Raises KafkaException if an instance cannot be made, or is not a ``clazz``.

        :origin: clients.ClientUtils#configuredInterceptors(AbstractConfig, String, Class<T>)
        """
        client_id = config.get_string(CommonClientConfigs.CLIENT_ID_CONFIG)
        return config.get_configured_instances(
            interceptor_classes_config_name, clazz, {CommonClientConfigs.CLIENT_ID_CONFIG: client_id})

    @staticmethod
    def configure_cluster_resource_listeners(
            *candidate_lists: Iterable[object]) -> ClusterResourceListeners:
        """Return a holder of the listeners among several objects, which get the cluster's id.

        :origin: clients.ClientUtils#configureClusterResourceListeners(List<?>...)
        """
        cluster_resource_listeners = ClusterResourceListeners()

        for candidate_list in candidate_lists:
            cluster_resource_listeners.maybe_add_all(candidate_list)

        return cluster_resource_listeners
