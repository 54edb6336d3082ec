# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClientUtilsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which addresses a client finds for bootstrap.servers and for a host."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_dns_lookup import ClientDnsLookup
from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.default_host_resolver import DefaultHostResolver
from kreactor.clients.manual_metadata_updater import ManualMetadataUpdater
from kreactor.clients.metadata import Metadata
from kreactor.common.cluster_resource import ClusterResource
from kreactor.common.cluster_resource_listener import ClusterResourceListener
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.configurable import Configurable
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.testing.mock_time import MockTime
from tests.clients.address_change_host_resolver import AddressChangeHostResolver

NAMES = {
    "example.com": ["192.0.2.1", "2001:db8::1"],
    "first.example.com": ["192.0.2.1"],
    "second.example.com": ["192.0.2.2"],
    "liar.example.com": ["192.0.2.3"],
}
CANONICAL = {"192.0.2.1": "first.example.com", "192.0.2.3": "second.example.com"}


@pytest.fixture
def resolver(monkeypatch):
    """A resolver that knows NAMES, literals and localhost, and nothing else; no test asks a name server."""
    found = socket.getaddrinfo

    def getaddrinfo(host, port, family=0, type=0, *rest):
        if host == "localhost":
            return found(host, port, family, type, *rest)
        if host not in NAMES:
            raise socket.gaierror(f"{host} is not known")
        return [(socket.AF_INET6 if ":" in text else socket.AF_INET, type, 6, "", (text, 0))
                for text in NAMES[host]]

    def getnameinfo(sockaddr, flags):
        if sockaddr[0] not in CANONICAL:
            raise socket.gaierror(f"{sockaddr[0]} has no name")
        return CANONICAL[sockaddr[0]], "0"

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket, "getnameinfo", getnameinfo)


def check_without_lookup(*url: str) -> list[InetSocketAddress]:
    return ClientUtils.parse_and_validate_addresses_urls(url, ClientDnsLookup.USE_ALL_DNS_IPS)


def check_with_lookup(*url: str) -> list[InetSocketAddress]:
    return ClientUtils.parse_and_validate_addresses_urls(
        url, ClientDnsLookup.RESOLVE_CANONICAL_BOOTSTRAP_SERVERS_ONLY)


def test_parse_and_validate_addresses(resolver):
    check_without_lookup("127.0.0.1:8000")
    check_without_lookup("localhost:8080")
    check_without_lookup("[::1]:8000")
    check_without_lookup("[2001:db8:85a3:8d3:1319:8a2e:370:7348]:1234", "localhost:10000")
    validated_addresses = check_without_lookup("localhost:10000")
    assert len(validated_addresses) == 1
    only_address = validated_addresses[0]
    assert only_address.get_host_string() == "localhost"
    assert only_address.get_port() == 10000


def test_parse_and_validate_addresses_with_reverse_lookup(resolver):
    check_without_lookup("127.0.0.1:8000")
    check_without_lookup("localhost:8080")
    check_without_lookup("[::1]:8000")
    check_without_lookup("[2001:db8:85a3:8d3:1319:8a2e:370:7348]:1234", "localhost:10000")

    # One address has a name; the other has none, and stays as it is.
    validated_addresses = check_with_lookup("example.com:10000")
    assert [address.get_host_string() for address in validated_addresses] == [
        "first.example.com", "2001:db8:0:0:0:0:0:1"]
    assert all(address.get_port() == 10000 for address in validated_addresses)


def test_a_name_that_does_not_have_the_address_is_not_its_canonical_name(resolver):
    [address] = check_with_lookup("liar.example.com:1")
    assert address.get_host_string() == "192.0.2.3"


def test_invalid_config():
    with pytest.raises(IllegalArgumentException):
        ClientUtils.parse_and_validate_addresses_urls(["localhost:10000"], "random.value")


def test_the_lookup_may_be_named_as_in_a_configuration(resolver):
    [address] = ClientUtils.parse_and_validate_addresses_urls(["first.example.com:1"], "use_all_dns_ips")
    assert address.get_host_string() == "first.example.com"
    assert str(ClientDnsLookup.USE_ALL_DNS_IPS) == "use_all_dns_ips"


def test_no_port():
    with pytest.raises(ConfigException) as raised:
        check_without_lookup("127.0.0.1")
    assert str(raised.value) == "Invalid url in bootstrap.servers: 127.0.0.1"


@pytest.mark.parametrize("port", [70000, 99999999999])
def test_invalid_port(port):
    with pytest.raises(ConfigException) as raised:
        check_without_lookup(f"localhost:{port}")
    assert str(raised.value) == f"Invalid port in bootstrap.servers: localhost:{port}"


def test_only_bad_hostname(resolver):
    with pytest.raises(ConfigException) as raised:
        check_without_lookup("some.invalid.hostname.foo.bar.local:9999")
    assert str(raised.value) == "No resolvable bootstrap urls given in bootstrap.servers"
    with pytest.raises(ConfigException) as raised:
        check_with_lookup("some.invalid.hostname.foo.bar.local:9999")
    assert str(raised.value) == (
        "Unknown host in bootstrap.servers: some.invalid.hostname.foo.bar.local:9999")


def test_a_bad_hostname_is_left_out_beside_a_good_one(resolver):
    addresses = check_without_lookup("", "unknown.example.com:1", "first.example.com:2")
    assert [address.get_host_string() for address in addresses] == ["first.example.com"]


def test_filter_preferred_addresses():
    ipv4 = InetAddress.get_by_name("192.0.0.1")
    ipv6 = InetAddress.get_by_name("::1")

    assert ClientUtils.filter_preferred_addresses([ipv4, ipv6, ipv4]) == [ipv4, ipv4]
    assert ClientUtils.filter_preferred_addresses([ipv6, ipv4, ipv4]) == [ipv6]


def test_resolve_unknown_host_exception(resolver):
    with pytest.raises(OSError):
        ClientUtils.resolve("some.invalid.hostname.foo.bar.local", DefaultHostResolver())


def test_resolve_dns_lookup():
    addresses = [InetAddress.get_by_name("198.51.100.0"), InetAddress.get_by_name("198.51.100.5")]
    host_resolver = AddressChangeHostResolver(addresses, addresses)
    assert ClientUtils.resolve("kafka.apache.org", host_resolver) == addresses


def client_config(**settings: object) -> AbstractConfig:
    """Return what a client needs, with ``_`` for ``.``."""
    defaults: dict[str, object] = {
        "client.id": "me", "security.protocol": "PLAINTEXT", "metadata.recovery.strategy": "none",
        "connections.max.idle.ms": 1000, "reconnect.backoff.ms": 1, "reconnect.backoff.max.ms": 2,
        "send.buffer.bytes": -1, "receive.buffer.bytes": -1, "request.timeout.ms": 5,
        "socket.connection.setup.timeout.ms": 3, "socket.connection.setup.timeout.max.ms": 4,
        "interceptor.classes": [], "bootstrap.servers": ["127.0.0.1:1"],
        "client.dns.lookup": "use_all_dns_ips",
    }
    types = {str: ConfigDef.Type.STRING, list: ConfigDef.Type.LIST}
    longs = {name for name in defaults if name.endswith(".ms") and name != "request.timeout.ms"}
    definition = ConfigDef()
    for name, value in defaults.items():
        type_ = ConfigDef.Type.LONG if name in longs else types.get(type(value), ConfigDef.Type.INT)
        definition.define(name, type_, value, ConfigDef.Importance.LOW, "")
    definition.with_client_ssl_support().with_client_sasl_support()
    return AbstractConfig(definition, {name.replace("_", "."): value for name, value in settings.items()})


def test_the_addresses_are_those_of_a_configuration():
    [address] = ClientUtils.parse_and_validate_addresses(client_config())
    assert (address.get_host_string(), address.get_port()) == ("127.0.0.1", 1)


def create_network_client(config, metrics):
    return ClientUtils.create_network_client_host_resolver(
        config, "me", metrics, "producer", LogContext(), ApiVersions(), MockTime(), 5, 7,
        ManualMetadataUpdater(), DefaultHostResolver())


def test_a_network_client_has_the_settings_of_a_configuration():
    metrics = Metrics()
    client = create_network_client(client_config(), metrics)
    request = client.new_client_request("0", MetadataRequest.Builder.all_topics(), 0, True)
    assert request.request_timeout_ms() == 7
    assert client.discover_broker_versions()
    client.close()
    metadata = Metadata(1, 1, 1, LogContext(), ClusterResourceListeners())
    client = ClientUtils.create_network_client(
        client_config(), metrics, "producer", LogContext(), ApiVersions(), MockTime(), 5, metadata, None,
        None)
    request = client.new_client_request("0", MetadataRequest.Builder.all_topics(), 0, True)
    assert request.request_timeout_ms() == 5
    assert "clientId=me" in str(request)
    client.close()
    assert metadata.is_closed()
    metrics.close()


@pytest.mark.parametrize("settings", [{"security_protocol": "NONE"}, {"metadata_recovery_strategy": "other"}])
def test_a_network_client_that_cannot_be_made_leaves_nothing_open(settings):
    metrics = Metrics()
    with pytest.raises(KafkaException, match="Failed to create new NetworkClient"):
        create_network_client(client_config(**settings), metrics)
    assert len(metrics.metrics()) == 1  # how many there are
    metrics.close()


class Listener(Configurable, ClusterResourceListener):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def configure(self, configs: Mapping[str, Any]) -> None:
        self.heard.append(configs["client.id"])

    def on_update(self, cluster_resource: ClusterResource) -> None:
        self.heard.append(cluster_resource.cluster_id())


def test_interceptors_hear_of_the_client_and_the_cluster():
    config = client_config(interceptor_classes=f"{__name__}.Listener")
    interceptors = ClientUtils.configured_interceptors(config, "interceptor.classes", Listener)
    listeners = ClientUtils.configure_cluster_resource_listeners(interceptors, [object()])
    listeners.on_update(ClusterResource("cluster"))
    assert interceptors[0].heard == ["me", "cluster"]
