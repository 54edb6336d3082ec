# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslTransportLayerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""TLS over real sockets, both ends of the port, against an echo server with a selector of its own."""

from __future__ import annotations

import socket
import ssl
import fcntl
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.errors import InvalidConfigurationException, SslAuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.selector import Selector
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.network.ssl_transport_layer import SslTransportLayer, State
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.auth.ssl_engine_factory import SslEngineFactory
from kreactor.common.security.ssl.default_ssl_engine_factory import DefaultSslEngineFactory
from kreactor.common.security.ssl.ssl_factory import SslFactory
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.ssl_engine import HandshakeStatus, SSLEngine, SSLEngineResult, Status
from kreactor.jdk.ssl_exceptions import SSLException, SSLHandshakeException
from kreactor.testing.certificates import Certificate
from tests.common.network.cert_stores import KEYSTORE_PROPS, PASSWORD, TRUSTSTORE_PROPS, CertStores
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    as_string,
    check_client_connection,
    create_send,
    framed,
    polled,
    random_string,
    wait_for_channel_close,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.nio_echo_server import NioEchoServer
from tests.common.network.test_channel_builders import SecurityConfig

AUTHENTICATION_FAILED = ChannelState.State.AUTHENTICATION_FAILED
SSL_LISTENER = ListenerName.for_security_protocol(SecurityProtocol.SSL)


class Args:
    """The settings of both ends, who trust each other."""

    def __init__(self, tls_protocol: str, use_inline_pem: bool, folder: Path) -> None:
        self.tls_protocol = tls_protocol
        self.use_inline_pem = use_inline_pem
        self._folder = folder
        self.ssl_config_overrides: dict[str, Any] = {
            SslConfigs.SSL_PROTOCOL_CONFIG: tls_protocol,
            SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: [tls_protocol]}
        self.server_cert_stores = self.cert_stores(True, "server", host_names=["localhost"])
        self.client_cert_stores = self.cert_stores(False, "client", host_names=["localhost"])
        self.ssl_server_configs: dict[str, Any] = {}
        self.ssl_client_configs: dict[str, Any] = {}
        self.trust_each_other()
        self.ssl_server_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = DefaultSslEngineFactory
        self.ssl_client_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = DefaultSslEngineFactory

    def cert_stores(self, server: bool, common_name: str, **options: Any) -> CertStores:
        options = {"use_pem": self.use_inline_pem} | options
        return CertStores(server, common_name, self._folder, **options)

    def get_trusting_config(self, cert_stores: CertStores, peer: CertStores) -> dict[str, Any]:
        return cert_stores.get_trusting_config(peer) | self.ssl_config_overrides

    def trust_each_other(self) -> None:
        self.ssl_server_configs = self.get_trusting_config(self.server_cert_stores, self.client_cert_stores)
        self.ssl_client_configs = self.get_trusting_config(self.client_cert_stores, self.server_cert_stores)

    def untrusting_server(self) -> None:
        self.ssl_server_configs = self.server_cert_stores.get_untrusting_config() | self.ssl_config_overrides

    def without_client_keystore(self) -> None:
        for name in KEYSTORE_PROPS:
            self.ssl_client_configs.pop(name, None)


class Ends:
    """The objects that a test opens, closed with it."""

    def __init__(self) -> None:
        self.servers: list[NioEchoServer] = []
        self.selectors: list[Selector] = []
        self.metrics: list[Metrics] = []

    def create_echo_server(self, args: Args | None, listener_name: ListenerName = SSL_LISTENER,
                           protocol: SecurityProtocol = SecurityProtocol.SSL,
                           channel_builder: ChannelBuilder | None = None) -> NioEchoServer:
        if channel_builder is None:
            assert args is not None
            channel_builder = server_channel_builder(args.ssl_server_configs, listener_name, protocol)
        server = NioEchoServer(channel_builder)
        self.servers.append(server)
        server.start()
        return server

    def create_selector(self, configs: dict[str, Any], *sizes: int | None) -> Selector:
        builder = TestSslChannelBuilder(Mode.CLIENT)
        builder.sizes = sizes or (None, None, None)
        builder.configure(configs)
        return self.selector(builder)

    def selector(self, channel_builder: ChannelBuilder) -> Selector:
        self.metrics.append(Metrics())
        selector = Selector(500_000, self.metrics[-1], Time.SYSTEM, "MetricGroup", channel_builder,
                            LogContext())
        self.selectors.append(selector)
        return selector

    def close(self) -> None:
        for selector in self.selectors:
            selector.close()
        for server in self.servers:
            server.close()
        for metrics in self.metrics:
            metrics.close()


@pytest.fixture(params=[("TLSv1.2", False), ("TLSv1.2", True), ("TLSv1.3", False)],
                ids=lambda param: f"{param[0]}-{'inline' if param[1] else 'files'}")
def args(request: pytest.FixtureRequest, tmp_path: Path) -> Args:
    return Args(*request.param, tmp_path)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.close()


def server_channel_builder(configs: dict[str, Any], listener_name: ListenerName = SSL_LISTENER,
                           protocol: SecurityProtocol = SecurityProtocol.SSL,
                           is_inter_broker_listener: bool = False) -> ChannelBuilder:
    return ChannelBuilders.server_channel_builder(
        listener_name, is_inter_broker_listener, protocol, security_config(configs), Time.SYSTEM,
        LogContext(), lambda: None)


def security_config(configs: dict[str, Any]) -> SecurityConfig:
    """Return settings as a broker has them: those without a value are not set."""
    return SecurityConfig(
        {name: value.value() if isinstance(value, Password) else value
         for name, value in configs.items() if value is not None})


def connect(selector: Selector, server: NioEchoServer, node: str = "0", host: str = "localhost",
            buffer_size: int = BUFFER_SIZE) -> None:
    selector.connect(node, InetSocketAddress(host, server.port), buffer_size, buffer_size)


def verify_ssl_configs(args: Args, ends: Ends) -> NioEchoServer:
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    check_client_connection(selector, "0", 100, 10)
    return server


def verify_ssl_configs_with_handshake_failure(args: Args, ends: Ends) -> None:
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    wait_for_channel_close(selector, "0", AUTHENTICATION_FAILED)
    server.verify_authentication_metrics(0, 1)


def require_client_auth(args: Args, value: str = "required") -> None:
    args.ssl_server_configs[BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG] = value


def identify_endpoint(args: Args, algorithm: str | None = "HTTPS") -> None:
    args.ssl_client_configs[SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG] = algorithm


@pytest.fixture(autouse=True)
def no_identification(request: pytest.FixtureRequest) -> None:
    """Let clients believe a certificate for whatever name, unless a test says otherwise."""
    if "args" in request.fixturenames:
        args = request.getfixturevalue("args")
        args.ssl_config_overrides[SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG] = ""
        args.trust_each_other()


def test_valid_endpoint_identification_san_dns(args, ends):
    server = ends.create_echo_server(args)
    identify_endpoint(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    check_client_connection(selector, "0", 100, 10)
    server.verify_authentication_metrics(1, 0)


def test_valid_endpoint_identification_san_ip(args, ends):
    args.server_cert_stores = args.cert_stores(True, "server", addresses=["127.0.0.1"])
    args.client_cert_stores = args.cert_stores(False, "client", addresses=["127.0.0.1"])
    args.trust_each_other()
    server = ends.create_echo_server(args)
    identify_endpoint(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server, host="127.0.0.1")
    check_client_connection(selector, "0", 100, 10)


def test_valid_endpoint_identification_cn(args, ends):
    args.server_cert_stores = args.cert_stores(True, "localhost")
    args.client_cert_stores = args.cert_stores(False, "localhost")
    args.trust_each_other()
    identify_endpoint(args)
    verify_ssl_configs(args, ends)


def test_endpoint_identification_no_reverse_lookup(args, ends):
    server = ends.create_echo_server(args)
    identify_endpoint(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server, host="127.0.0.1")
    wait_for_channel_close(selector, "0", AUTHENTICATION_FAILED)


def test_client_endpoint_not_validated(args, ends):
    args.client_cert_stores = args.cert_stores(False, "non-existent.com")
    args.server_cert_stores = args.cert_stores(True, "localhost")
    args.trust_each_other()
    args.ssl_server_configs[SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG] = "HTTPS"
    require_client_auth(args)
    verify_ssl_configs(args, ends)


def test_invalid_endpoint_identification(args, ends):
    args.server_cert_stores = args.cert_stores(True, "server", host_names=["notahost"])
    args.trust_each_other()
    identify_endpoint(args)
    verify_ssl_configs_with_handshake_failure(args, ends)


def test_endpoint_identification_disabled(args, ends):
    args.server_cert_stores = args.cert_stores(True, "server", host_names=["notahost"])
    args.trust_each_other()
    server = ends.create_echo_server(args)
    for node, algorithm in (("1", ""), ("2", None)):
        identify_endpoint(args, algorithm)
        selector = ends.create_selector(args.ssl_client_configs)
        connect(selector, server, node)
        check_client_connection(selector, node, 100, 10)
    identify_endpoint(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server, "3")
    wait_for_channel_close(selector, "3", AUTHENTICATION_FAILED)


def test_client_authentication_required_valid_provided(args, ends):
    require_client_auth(args)
    verify_ssl_configs(args, ends)


def test_listener_config_override(args, ends):
    client_listener_name = ListenerName("client")
    require_client_auth(args)
    args.ssl_server_configs[
        client_listener_name.config_prefix() + BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG] = "none"

    # The settings of that listener do not hold for this one.
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    check_client_connection(selector, "0", 100, 10)

    args.without_client_keystore()
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    wait_for_channel_close(selector, "0", AUTHENTICATION_FAILED)

    server = ends.create_echo_server(args, client_listener_name)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    check_client_connection(selector, "0", 100, 10)


def test_client_authentication_required_untrusted_provided(args, ends):
    args.untrusting_server()
    require_client_auth(args)
    verify_ssl_configs_with_handshake_failure(args, ends)


def test_client_authentication_required_not_provided(args, ends):
    require_client_auth(args)
    args.without_client_keystore()
    verify_ssl_configs_with_handshake_failure(args, ends)


def test_client_authentication_disabled_untrusted_provided(args, ends):
    args.untrusting_server()
    require_client_auth(args, "none")
    verify_ssl_configs(args, ends)


def test_client_authentication_disabled_not_provided(args, ends):
    require_client_auth(args, "none")
    args.without_client_keystore()
    verify_ssl_configs(args, ends)


def test_client_authentication_requested_valid_provided(args, ends):
    require_client_auth(args, "requested")
    verify_ssl_configs(args, ends)


def test_client_authentication_requested_not_provided(args, ends):
    require_client_auth(args, "requested")
    args.without_client_keystore()
    verify_ssl_configs(args, ends)


def test_ec_key_pair(args, ends):
    args.server_cert_stores = args.cert_stores(True, "server", key_algorithm="EC")
    args.client_cert_stores = args.cert_stores(False, "client", key_algorithm="EC")
    args.trust_each_other()
    require_client_auth(args)
    verify_ssl_configs(args, ends)


def convert_to_pem(configs: dict[str, Any], own: Certificate, peer: Certificate, folder: Path,
                   in_files: bool, use_key_password: bool) -> None:
    """Have ``configs`` say the same in PEM."""
    for name in (*KEYSTORE_PROPS, *TRUSTSTORE_PROPS):
        configs[name] = None
    password = PASSWORD if use_key_password else None
    key, chain, trusted = own.private_key_pem(password), own.chain_pem(), peer.certificate_pem()
    configs[SslConfigs.SSL_KEYSTORE_TYPE_CONFIG] = configs[SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG] = "PEM"
    configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = None if password is None else Password(password)
    if in_files:
        keystore = folder / f"{id(configs)}-key.pem"
        keystore.write_text(f"remarks go here\n{key}{chain}")
        truststore = folder / f"{id(configs)}-trust.pem"
        truststore.write_text(trusted)
        configs[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG] = str(keystore)
        configs[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG] = str(truststore)
    else:
        configs[SslConfigs.SSL_KEYSTORE_KEY_CONFIG] = Password(key)
        configs[SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG] = Password(chain)
        configs[SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG] = Password(trusted)


def both_to_pem(args: Args, folder: Path, in_files: bool, server_password: bool,
                client_password: bool) -> None:
    server, client = args.server_cert_stores.certificate, args.client_cert_stores.certificate
    convert_to_pem(args.ssl_server_configs, server, client, folder, in_files, server_password)
    convert_to_pem(args.ssl_client_configs, client, server, folder, in_files, client_password)


def test_pem_files(args, ends, tmp_path):
    both_to_pem(args, tmp_path, True, True, True)
    require_client_auth(args)
    verify_ssl_configs(args, ends)


def test_pem_files_without_client_key_password(args, ends, tmp_path):
    both_to_pem(args, tmp_path, not args.use_inline_pem, True, False)
    require_client_auth(args)
    verify_ssl_configs(args, ends)


def test_pem_files_without_server_key_password(args, ends, tmp_path):
    both_to_pem(args, tmp_path, not args.use_inline_pem, False, True)
    verify_ssl_configs(args, ends)


@pytest.mark.parametrize("name, value, message", [
    (SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG, "invalid", "kreactor has only OpenSSL"),
    (SslConfigs.SSL_PROVIDER_CONFIG, "SunJSSE", "kreactor has only OpenSSL"),
])
def test_invalid_secure_random_implementation(args, name, value, message):
    args.ssl_client_configs[name] = value
    with pytest.raises(KafkaException, match=message):
        SslChannelBuilder(Mode.CLIENT, None, False, LogContext()).configure(args.ssl_client_configs)


def test_invalid_truststore_password(args):
    args.ssl_client_configs[SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG] = Password("invalid")
    with pytest.raises(KafkaException):
        SslChannelBuilder(Mode.CLIENT, None, False, LogContext()).configure(args.ssl_client_configs)


def test_invalid_keystore_password(args):
    args.ssl_client_configs[SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG] = Password("invalid")
    with pytest.raises(KafkaException):
        SslChannelBuilder(Mode.CLIENT, None, False, LogContext()).configure(args.ssl_client_configs)


@pytest.mark.parametrize("args", [("TLSv1.2", True)], indirect=True)
def test_null_truststore_password(args, ends):
    # Of inline PEM, which has none. A PKCS12 store keeps its certificates encrypted: see below.
    verify_ssl_configs(args, ends)


@pytest.mark.parametrize("args", [("TLSv1.2", False), ("TLSv1.3", False)], indirect=True)
def test_a_trust_store_that_is_encrypted_needs_its_password(args):
    del args.ssl_client_configs[SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG]
    with pytest.raises(KafkaException, match="Failed to load SSL keystore .* of type PKCS12"):
        SslChannelBuilder(Mode.CLIENT, None, False, LogContext()).configure(args.ssl_client_configs)


def test_invalid_key_password(args):
    # Java finds out in the first handshake, unless the key is in PEM.
    args.ssl_server_configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = Password("invalid")
    with pytest.raises(InvalidConfigurationException if args.use_inline_pem else KafkaException) as raised:
        server_channel_builder(args.ssl_server_configs)
    assert PASSWORD not in str(raised.value)


def test_tls_defaults(args, ends):
    definition = ConfigDef()
    SslConfigs.add_client_ssl_support(definition)
    assert definition.parse({})[SslConfigs.SSL_PROTOCOL_CONFIG] == SslConfigs.DEFAULT_SSL_PROTOCOL
    args.ssl_config_overrides = {SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG: ""}
    args.trust_each_other()
    assert args.ssl_server_configs[SslConfigs.SSL_PROTOCOL_CONFIG] == SslConfigs.DEFAULT_SSL_PROTOCOL
    server = verify_ssl_configs(args, ends)
    server.verify_authentication_metrics(1, 0)
    [channel] = ends.selectors[0].channels()
    assert channel._transport_layer.ssl_session().get_protocol() == "TLSv1.3"


def test_unsupported_ciphers(args, ends):
    suites = ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]
    if args.tls_protocol == "TLSv1.3":
        # Of which all suites or none can be chosen: here none, with nothing left.
        args.ssl_server_configs[SslConfigs.SSL_CIPHER_SUITES_CONFIG] = suites[:1]
        with pytest.raises(InvalidConfigurationException, match="no enabled TLS version supports the cipher"):
            server_channel_builder(args.ssl_server_configs)
        return
    args.ssl_server_configs[SslConfigs.SSL_CIPHER_SUITES_CONFIG] = suites[:1]
    args.ssl_client_configs[SslConfigs.SSL_CIPHER_SUITES_CONFIG] = suites[1:]
    verify_ssl_configs_with_handshake_failure(args, ends)


def test_server_request_metrics(args, ends):
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs, 16384, 16384, 16384)
    connect(selector, server, buffer_size=102400)
    wait_for_channel_ready(selector, "0")
    message_size = 1024 * 1024
    selector.send(create_send("0", random_string(message_size)))
    wait_for_condition(lambda: polled(selector) and selector.completed_receives(), "nothing came back")
    total_bytes = message_size + 4
    server.wait_for_metric("incoming-byte", total_bytes)
    server.wait_for_metric("outgoing-byte", total_bytes)
    server.wait_for_metric("request", 1)
    server.wait_for_metric("response", 1)


def test_selector_poll_read_size(args, ends):
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs, 16384, 16384, 16384)
    connect(selector, server, buffer_size=102400)
    check_client_connection(selector, "0", 81920, 1)

    message = random_string(81920)
    # Nothing is read before it is all there, or nearly so.
    selector.mute("0")
    selector.send(create_send("0", message))
    wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
    wait_for_condition(lambda: server.num_sent >= 2 or server.selector.wakeup(), "not sent back")
    socket_channel = selector.channel("0")._transport_layer.socket_channel()

    def has_come() -> bool:
        waiting = bytearray(4)
        fcntl.ioctl(socket_channel.fileno(), termios.FIONREAD, waiting)
        return int.from_bytes(waiting, sys.byteorder) > 50_000

    wait_for_condition(has_come, "most of it does not come")
    # Several times what the buffers take, and it would be six polls if one took no more. Bytes that the
    # socket had no room for may need a second one.
    selector.unmute("0")
    polls = 0
    while not selector.completed_receives():
        selector.poll(1000)
        polls += 1
    assert polls <= 3
    [receive] = selector.completed_receives()
    assert as_string(receive) == message


def test_a_record_that_came_with_another_is_read_without_more_from_the_network(args, ends):
    server = ends.create_echo_server(args)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    engine = context.wrap_bio(incoming, outgoing)
    with socket.create_connection(("localhost", server.port), 120) as sock:
        def until_done(call: Callable[[], Any]) -> Any:
            while True:
                try:
                    return call()
                except ssl.SSLWantReadError:
                    sock.sendall(outgoing.read())
                    part = sock.recv(65536)
                    assert part, "the server has gone"
                    incoming.write(part)

        def echo(*messages: bytes) -> None:
            expected = b"".join(map(framed, messages))
            for message in messages:
                engine.write(framed(message))
            received = b""
            while len(received) < len(expected):  # what has been written goes out at once
                received += until_done(lambda: engine.read(1000))
            assert received == expected

        until_done(engine.do_handshake)
        echo(b"alone")
        echo(b"one", b"another")


@pytest.mark.parametrize("sizes", [(10, None, None), (None, 10, None), (None, None, 10)],
                         ids=["net read", "net write", "application"])
def test_net_read_buffer_resize(args, ends, sizes):
    # With testNetWriteBufferResize and testApplicationBufferResize.
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs, *sizes)
    connect(selector, server)
    check_client_connection(selector, "0", 64000, 10)


def test_network_thread_time_recorded(args, ends):
    builder = SslChannelBuilder(Mode.CLIENT, None, False, LogContext())
    builder.configure(args.ssl_client_configs)
    ends.metrics.append(Metrics())
    selector = Selector(Selector.NO_IDLE_TIMEOUT_MS, ends.metrics[-1], Time.SYSTEM, "MetricGroup", builder,
                        LogContext(), metrics_per_connection=False, record_time_per_connection=True)
    ends.selectors.append(selector)
    server = ends.create_echo_server(args)
    connect(selector, server)
    wait_for_channel_ready(selector, "0")
    channel = selector.channel("0")
    assert channel.get_and_reset_network_thread_time_nanos() > 0
    assert channel.get_and_reset_network_thread_time_nanos() == 0

    selector.mute("0")
    selector.send(create_send("0", random_string(1024 * 1024)))
    wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
    assert channel.get_and_reset_network_thread_time_nanos() > 0
    assert channel.get_and_reset_network_thread_time_nanos() == 0
    assert not channel.has_bytes_buffered()
    assert not selector.completed_receives()

    selector.unmute("0")
    wait_for_condition(lambda: polled(selector) and selector.completed_receives(), "nothing came back")
    assert channel.get_and_reset_network_thread_time_nanos() > 0


def raise_io_exception() -> None:
    raise OSError("Test IO exception")


def no_op() -> None:
    """Let the handshake go on."""


def io_exceptions_during_handshake(args: Args, ends: Ends, read_failure_action: Callable[[], None],
                                   flush_failure_action: Callable[[], None]) -> None:
    """Have each read, or each write, of a handshake go wrong once: none of it says who the peer is."""
    server = ends.servers[-1]
    done = False
    for i in range(1, 101):
        node = str(i)
        builder = TestSslChannelBuilder(Mode.CLIENT)
        builder.read_failure_action = read_failure_action
        builder.flush_failure_action = flush_failure_action
        builder.failure_index = i
        builder.configure(args.ssl_client_configs)
        selector = ends.selector(builder)
        connect(selector, server, node)
        for _ in range(30):
            selector.poll(1000)
            channel = selector.channel(node)
            if channel is not None and channel.ready():
                done = True
                break
            if node in selector.disconnected():
                state = selector.disconnected()[node].state()
                assert state in (ChannelState.State.AUTHENTICATE, ChannelState.State.READY)
                break
        channel = selector.channel(node)
        assert channel is None or channel.ready()
        selector.close()
        if done:
            break
    assert done, "a handshake has not so many steps"


def test_io_exceptions_during_handshake_read(args, ends):
    ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, raise_io_exception, no_op)


def test_io_exceptions_during_handshake_write(args, ends):
    ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, no_op, raise_io_exception)


def test_ungraceful_remote_close_during_handshake_read(args, ends):
    server = ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, server.close_socket_channels, no_op)


def test_ungraceful_remote_close_during_handshake_write(args, ends):
    server = ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, no_op, server.close_socket_channels)


def test_graceful_remote_close_during_handshake_read(args, ends):
    server = ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, no_op, server.close_kafka_channels)


def test_graceful_remote_close_during_handshake_write(args, ends):
    server = ends.create_echo_server(args)
    io_exceptions_during_handshake(args, ends, server.close_kafka_channels, no_op)


@pytest.mark.parametrize("delays", range(3))
def test_peer_notified_of_handshake_failure(args, ends, delays):
    args.untrusting_server()
    require_client_auth(args)
    builder = TestSslChannelBuilder(Mode.SERVER)
    builder.configure(args.ssl_server_configs)
    builder.flush_delay_count = delays
    server = ends.create_echo_server(args, channel_builder=builder)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    wait_for_channel_close(selector, "0", AUTHENTICATION_FAILED)


def test_peer_notified_of_handshake_failure_with_client_side_delay(args, ends):
    require_client_auth(args)
    args.without_client_keystore()
    server = ends.create_echo_server(args)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)

    def closed() -> bool:
        threading.Event().wait(0.001)  # the server is ahead
        selector.poll(100)
        return "0" in selector.disconnected()

    wait_for_condition(closed, "not closed")
    assert selector.disconnected()["0"].state() is AUTHENTICATION_FAILED
    server.verify_authentication_metrics(0, 1)


def close_gracefully(ends: Ends, server: NioEchoServer, builder: ChannelBuilder) -> None:
    """Close a connection whose requests the server has not read: it reads them all."""
    selector = ends.selector(builder)
    connect(selector, server)
    wait_for_channel_ready(selector, "0")
    wait_for_condition(
        lambda: [channel.ready() for channel in server.selector.channels()] == [True], "not ready")

    server.output = bytearray()
    server.tell("mute_all")
    message, count = random_string(100), 20
    for _ in range(count):
        selector.send(create_send("0", message))
        wait_for_condition(lambda: polled(selector, 0) and selector.completed_sends(), "not sent")
    server.tell("unmute_all")
    selector.close_id("0")
    total = count * (len(message) + 4)
    wait_for_condition(lambda: len(server.output or b"") == total or server.selector.wakeup(), "not all read")


def test_close_ssl(args, ends):
    builder = SslChannelBuilder(Mode.CLIENT, None, False, LogContext())
    builder.configure(args.ssl_client_configs)
    close_gracefully(ends, ends.create_echo_server(args), builder)


def test_close_plaintext(args, ends):
    builder = PlaintextChannelBuilder(None)
    builder.configure(args.ssl_client_configs)
    server = ends.create_echo_server(
        args, ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT)
    close_gracefully(ends, server, builder)


def test_inter_broker_ssl_config_validation(args, ends):
    require_client_auth(args)
    own = args.server_cert_stores.key_store_props() | args.server_cert_stores.trust_store_props()
    args.ssl_server_configs |= own
    args.ssl_server_configs[SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG] = "HTTPS"
    args.ssl_client_configs |= own
    builder = server_channel_builder(args.ssl_server_configs, is_inter_broker_listener=True)
    server = ends.create_echo_server(args, channel_builder=builder)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server)
    check_client_connection(selector, "0", 100, 10)


def test_inter_broker_ssl_config_validation_failure(args):
    require_client_auth(args)
    with pytest.raises(KafkaException, match="can't connect to a server SSLEngine created with those"):
        server_channel_builder(args.ssl_server_configs, is_inter_broker_listener=True)


def verify_invalid_reconfigure(builder: SslChannelBuilder, configs: dict[str, Any]) -> None:
    with pytest.raises(KafkaException):
        builder.validate_reconfiguration(configs)
    with pytest.raises(KafkaException):
        builder.reconfigure(configs)


def reconfigurable_server(args: Args, ends: Ends) -> tuple[SslChannelBuilder, NioEchoServer]:
    builder = server_channel_builder(args.ssl_server_configs)
    assert isinstance(builder, SslChannelBuilder) and builder.listener_name() == SSL_LISTENER
    return builder, ends.create_echo_server(args, channel_builder=builder)


MISSING_KEYSTORE = {
    SslConfigs.SSL_KEYSTORE_TYPE_CONFIG: "PKCS12",
    SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG: "some.keystore.path",
    SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG: Password("some.keystore.password"),
    SslConfigs.SSL_KEY_PASSWORD_CONFIG: Password("some.key.password")}
MISSING_TRUSTSTORE = {
    SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG: "PKCS12",
    SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG: "some.truststore.path",
    SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG: Password("some.truststore.password")}


def test_server_keystore_dynamic_update(args, ends):
    builder, server = reconfigurable_server(args, ends)
    old_client = ends.create_selector(args.ssl_client_configs)
    connect(old_client, server)
    check_client_connection(old_client, "0", 100, 10)

    new_stores = args.cert_stores(True, "server", host_names=["localhost"], key_algorithm="EC")
    builder.validate_reconfiguration(new_stores.key_store_props())
    builder.reconfigure(new_stores.key_store_props())

    # A client that does not trust the new certificate is refused, one that does is served, and the old one
    # goes on.
    connect(old_client, server, "1")
    wait_for_channel_close(old_client, "1", AUTHENTICATION_FAILED)
    new_client = ends.create_selector(args.get_trusting_config(args.client_cert_stores, new_stores))
    connect(new_client, server, "2")
    check_client_connection(new_client, "2", 100, 10)
    old_client.poll(0)
    check_client_connection(old_client, "0", 100, 10)

    invalid_stores = args.cert_stores(True, "server", host_names=["127.0.0.1"])
    verify_invalid_reconfigure(builder, args.get_trusting_config(invalid_stores, args.client_cert_stores))
    verify_invalid_reconfigure(builder, MISSING_KEYSTORE)

    connect(new_client, server, "3")
    check_client_connection(new_client, "3", 100, 10)


def test_server_keystore_dynamic_update_with_new_subject_alt_name(args, ends):
    builder, server = reconfigurable_server(args, ends)
    selector = ends.create_selector(args.ssl_client_configs)
    connect(selector, server, "1")
    check_client_connection(selector, "1", 100, 10)

    new_stores = args.cert_stores(True, "server", host_names=["localhost", "*.example.com"])
    builder.validate_reconfiguration(new_stores.key_store_props())
    builder.reconfigure(new_stores.key_store_props())
    selector = ends.create_selector(args.get_trusting_config(args.client_cert_stores, new_stores))
    connect(selector, server, "2")
    check_client_connection(selector, "2", 100, 10)

    fewer_names = args.cert_stores(True, "server", host_names=["localhost"])
    verify_invalid_reconfigure(builder, fewer_names.key_store_props())
    connect(selector, server, "3")
    check_client_connection(selector, "3", 100, 10)


def test_server_truststore_dynamic_update(args, ends):
    require_client_auth(args)
    builder, server = reconfigurable_server(args, ends)
    old_client = ends.create_selector(args.ssl_client_configs)
    connect(old_client, server)
    check_client_connection(old_client, "0", 100, 10)

    new_stores = args.cert_stores(False, "client", host_names=["localhost"], key_algorithm="EC")
    builder.validate_reconfiguration(new_stores.trust_store_props())
    builder.reconfigure(new_stores.trust_store_props())

    connect(old_client, server, "1")
    wait_for_channel_close(old_client, "1", AUTHENTICATION_FAILED)
    new_client = ends.create_selector(args.get_trusting_config(new_stores, args.server_cert_stores))
    connect(new_client, server, "2")
    check_client_connection(new_client, "2", 100, 10)
    old_client.poll(0)
    check_client_connection(old_client, "0", 100, 10)

    invalid = new_stores.trust_store_props() | {SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG: "INVALID_TYPE"}
    verify_invalid_reconfigure(builder, invalid)
    verify_invalid_reconfigure(builder, MISSING_TRUSTSTORE)
    connect(new_client, server, "3")
    check_client_connection(new_client, "3", 100, 10)


class TestSslEngineFactory(SslEngineFactory):
    """A user's own, which has the default one do it."""

    __test__ = False

    def __init__(self) -> None:
        self._default = DefaultSslEngineFactory()

    def configure(self, configs):
        self._default.configure(configs)

    def create_client_ssl_engine(self, peer_host, peer_port, endpoint_identification):
        return self._default.create_client_ssl_engine(peer_host, peer_port, endpoint_identification)

    def create_server_ssl_engine(self, peer_host, peer_port):
        return self._default.create_server_ssl_engine(peer_host, peer_port)

    def should_be_rebuilt(self, next_configs):
        return self._default.should_be_rebuilt(next_configs)

    def reconfigurable_configs(self):
        return self._default.reconfigurable_configs()

    def keystore(self):
        return self._default.keystore()

    def truststore(self):
        return self._default.truststore()

    def close(self):
        self._default.close()


@pytest.mark.parametrize("client, server", [(True, False), (False, True), (True, True)])
def test_custom_client_and_server_ssl_engine_factory(args, ends, client, server):
    # With testCustomClientSslEngineFactory and testCustomServerSslEngineFactory.
    if client:
        args.ssl_client_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = TestSslEngineFactory
    if server:
        args.ssl_server_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = TestSslEngineFactory
    verify_ssl_configs(args, ends)


def test_invalid_ssl_engine_factory(args, ends):
    args.ssl_client_configs[SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG] = str
    with pytest.raises(KafkaException):
        ends.create_selector(args.ssl_client_configs)


class TestSslChannelBuilder(SslChannelBuilder):
    """Builds channels whose buffers begin small, and whose reads and writes fail or wait."""

    __test__ = False

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode, SSL_LISTENER if mode is Mode.SERVER else None, False, LogContext())
        self.sizes: tuple[int | None, ...] = (None, None, None)
        self.failure_index = 2**63
        self.read_failure_action: Callable[[], None] = no_op
        self.flush_failure_action: Callable[[], None] = no_op
        self.flush_delay_count = 0

    def _build_transport_layer(self, ssl_factory: SslFactory, id: str, key: SelectionKey,
                               metadata_registry: ChannelMetadataRegistry) -> SslTransportLayer:
        engine = ssl_factory.create_ssl_engine(key.channel().socket())
        return TestSslTransportLayer(self, id, key, engine)


class TestSslTransportLayer(SslTransportLayer):
    """The sizes of buffers double until they are what the session says."""

    __test__ = False

    def __init__(self, builder: TestSslChannelBuilder, channel_id: str, key: SelectionKey,
                 ssl_engine: SSLEngine) -> None:
        super().__init__(channel_id, key, ssl_engine, DefaultChannelMetadataRegistry())
        self._builder = builder
        self._sizes = list(builder.sizes)
        self._reads_remaining = self._flushes_remaining = builder.failure_index
        self._delayed_flushes_remaining = builder.flush_delay_count

    def _resized(self, which: int, actual_size: int, update: bool) -> int:
        size = self._sizes[which]
        if size is None:
            return actual_size
        if update:
            size = self._sizes[which] = min(size * 2, actual_size)
        return size

    def _net_read_buffer_size(self) -> int:
        # Longer only when it is full: every read asks.
        return self._resized(0, super()._net_read_buffer_size(), not self.net_read_buffer().has_remaining())

    def _net_write_buffer_size(self) -> int:
        return self._resized(1, super()._net_write_buffer_size(), True)

    def _application_buffer_size(self) -> int:
        return self._resized(2, super()._application_buffer_size(), True)

    def _read_from_socket_channel(self) -> int:
        self._reads_remaining -= 1
        if self._reads_remaining == 0 and not self.ready():
            self._builder.read_failure_action()
        return super()._read_from_socket_channel()

    def _flush(self, buf: ByteBuffer) -> bool:
        if not buf.has_remaining():
            return super()._flush(buf)
        self._flushes_remaining -= 1
        if self._flushes_remaining == 0 and not self.ready():
            self._builder.flush_failure_action()
        elif self._delayed_flushes_remaining:
            self._delayed_flushes_remaining -= 1
            return False
        self._delayed_flushes_remaining = self._builder.flush_delay_count
        return super()._flush(buf)

    def _start_handshake(self) -> None:
        assert self.socket_channel().is_connected()
        super()._start_handshake()


def mocked_layer(engine: Mock, channel: Mock) -> SslTransportLayer:
    key = Mock(spec=SelectionKey)
    key.channel.return_value = channel
    return SslTransportLayer("test-channel", key, engine, Mock(spec=ChannelMetadataRegistry))


def test_handshake_unwrap_continues_unwrapping_on_need_unwrap_after_all_bytes_read():
    data = b"ClientHello?"
    engine, channel = Mock(), Mock()
    engine.get_session().get_packet_buffer_size.return_value = 2 * len(data)
    engine.get_session().get_application_buffer_size.return_value = 2 * len(data)
    layer = mocked_layer(engine, channel)
    layer._start_handshake()
    layer.net_read_buffer().clear()

    def read(buffer: ByteBuffer) -> int:
        buffer.put(data)
        return len(data)

    def unwrap(buffer: ByteBuffer, _: ByteBuffer) -> SSLEngineResult:
        if engine.unwrap.call_count == 1:
            buffer.get_bytes(len(data))
            return SSLEngineResult(Status.OK, HandshakeStatus.NEED_UNWRAP, len(data), 0)
        return SSLEngineResult(Status.OK, HandshakeStatus.NEED_WRAP, 0, 0)

    channel.read.side_effect = read
    engine.unwrap.side_effect = unwrap
    result = layer._handshake_unwrap(True, False)
    assert engine.unwrap.call_count == 2
    assert result.get_status() is Status.OK
    assert result.get_handshake_status() is HandshakeStatus.NEED_WRAP


def test_a_handshake_waits_for_what_the_socket_does_not_take():
    engine, channel = Mock(), Mock()
    engine.get_session().get_packet_buffer_size.return_value = 100
    engine.get_session().get_application_buffer_size.return_value = 100
    engine.get_handshake_status.return_value = HandshakeStatus.NEED_WRAP
    layer = mocked_layer(engine, channel)
    layer._start_handshake()
    layer._net_write_buffer.set_limit(10)
    channel.write.return_value = 0
    key = layer._key
    key.interest_ops.return_value = SelectionKey.OP_READ
    layer._do_handshake()
    key.interest_ops_to.assert_called_once_with(SelectionKey.OP_READ | SelectionKey.OP_WRITE)
    engine.wrap.assert_not_called()


@pytest.mark.parametrize("sizes", [(100,), (30, 60, 100)], ids=["at once", "in steps"])
def test_a_record_that_does_not_fit_is_written_once_the_buffer_is_longer(sizes):
    """The engine asks for more room, as after a handshake that allows longer records; nothing is lost."""
    engine, channel = Mock(), Mock()
    engine.get_session().get_packet_buffer_size.return_value = 20
    engine.get_session().get_application_buffer_size.return_value = 20
    layer = mocked_layer(engine, channel)
    layer._start_handshake()
    layer._state = State.READY
    engine.get_session().get_packet_buffer_size.side_effect = sizes
    sent = bytearray()

    def wrap(src: ByteBuffer, net: ByteBuffer) -> SSLEngineResult:
        assert engine.wrap.call_count <= 10, "nobody makes room"
        if net.remaining() < 5 + src.remaining():
            return SSLEngineResult(Status.BUFFER_OVERFLOW, HandshakeStatus.NOT_HANDSHAKING, 0, 0)
        record = src.get_bytes(src.remaining())
        net.put(b"head:" + record)
        return SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, len(record), len(record) + 5)

    def write(net: ByteBuffer) -> int:
        count = net.remaining()
        sent.extend(net.get_bytes(count))
        return count

    engine.wrap.side_effect = wrap
    channel.write.side_effect = write
    assert layer.write(ByteBuffer.wrap(b"short")) == 5 and sent == b"head:short"
    sent.clear()
    message = bytes(range(80))
    src = ByteBuffer.wrap(message)
    assert layer.write(src) == 80 and not src.has_remaining()
    assert sent == b"head:" + message and not layer.has_pending_writes()


CLOSE_NOTIFY = b"end."


def layer_that_gets(segment: bytes, then: int) -> SslTransportLayer:
    """Return a layer behind its handshake: its socket gives a segment of records of 4 bytes, then 0 or -1."""
    engine, channel = Mock(), Mock()
    engine.get_session().get_packet_buffer_size.return_value = 100
    engine.get_session().get_application_buffer_size.return_value = 100
    layer = mocked_layer(engine, channel)
    layer._start_handshake()
    layer.net_read_buffer().clear()
    layer._state = State.READY

    def read(buffer: ByteBuffer) -> int:
        if channel.read.call_count > 1:
            return then
        buffer.put(segment)
        return len(segment)

    def unwrap(net: ByteBuffer, application: ByteBuffer) -> SSLEngineResult:
        record = net.get_bytes(4)
        if record == CLOSE_NOTIFY:
            net.set_position(net.position() - 4)
            return SSLEngineResult(Status.CLOSED, HandshakeStatus.NOT_HANDSHAKING, 0, 0)
        application.put(record)
        return SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, 4, 4)

    channel.read.side_effect = read
    engine.unwrap.side_effect = unwrap
    return layer


def test_a_read_gives_all_records_that_came_together():
    layer = layer_that_gets(b"one two six ", then=0)
    dst = ByteBuffer.allocate(20)
    assert layer.read(dst) == 12 and dst.flip().to_bytes() == b"one two six "
    assert not layer.has_bytes_buffered()


def test_a_read_that_is_full_asks_the_socket_no_more():
    layer = layer_that_gets(b"one two ", then=0)
    dst = ByteBuffer.allocate(3)
    assert layer.read(dst) == 3 and dst.flip().to_bytes() == b"one"
    assert layer.socket_channel().read.call_count == 1 and layer.has_bytes_buffered()


def test_a_part_of_a_file(monkeypatch, tmp_path):
    layer = layer_that_gets(b"", then=0)
    sent = bytearray()

    def write(src: ByteBuffer) -> int:
        count = src.remaining()
        sent.extend(src.get_bytes(count))
        return count

    monkeypatch.setattr(layer, "write", write)
    content = bytes(range(256)) * 600
    (tmp_path / "file").write_bytes(content)
    file = FileChannel.open(tmp_path / "file")
    assert layer.transfer_from(file, 100, 100_000) == 100_000
    assert sent == content[100:100_100]
    assert layer.transfer_from(file, 100_100, 10**9) == len(content) - 100_100
    assert sent == content[100:]
    assert layer.transfer_from(file, len(content) + 1, 1) == 0
    file.close()


@pytest.mark.parametrize(("end", "then"), [(CLOSE_NOTIFY, 0), (b"", -1)], ids=["close_notify", "eof"])
def test_the_end_comes_behind_what_came_before_it(end, then):
    layer = layer_that_gets(b"one two " + end, then)
    dst = ByteBuffer.allocate(20)
    assert layer.read(dst) == 8 and dst.duplicate().flip().to_bytes() == b"one two "
    with pytest.raises(EOFException):
        layer.read(dst)


class BrokenPipe(SslTransportLayer):
    """Sends nothing until the peer has said something, and then it cannot any more."""

    raised: list[BaseException] = []

    def _flush(self, buf: ByteBuffer) -> bool:
        key = self.selection_key()
        if buf.has_remaining() and key.is_valid() and key.is_readable():
            raise BrokenPipeError("the peer is gone")
        return not buf.has_remaining()

    def handshake(self) -> None:
        try:
            super().handshake()
        except BaseException as e:
            self.raised.append(e)
            raise


@pytest.mark.parametrize(("last_words", "state"), [
    (b"\x15\3\3\0\2\2\x28", AUTHENTICATION_FAILED),
    (b"\x15\3\3\0\2\1\0", ChannelState.State.AUTHENTICATE),
], ids=["a refusal", "close_notify"])
def test_what_the_peer_said_before_a_write_failed(args, ends, monkeypatch, last_words, state):
    """A refusal is the reason; a mere end is none, and the failure of the write goes on."""
    monkeypatch.setattr(BrokenPipe, "raised", [])
    builder = TestSslChannelBuilder(Mode.CLIENT)
    builder.configure(args.ssl_client_configs)
    monkeypatch.setattr(builder, "_build_transport_layer", lambda factory, id, key, registry: BrokenPipe(
        id, key, factory.create_ssl_engine(key.channel().socket()), registry))
    selector = ends.selector(builder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        selector.connect("0", InetSocketAddress("127.0.0.1", listener.getsockname()[1]), BUFFER_SIZE,
                         BUFFER_SIZE)
        peer, _ = listener.accept()
        with peer:
            peer.sendall(last_words)
            wait_for_channel_close(selector, "0", state)
    raised, = BrokenPipe.raised
    if state is AUTHENTICATION_FAILED:
        assert type(raised) is SslAuthenticationException
        assert type(raised.__cause__) is SSLHandshakeException
        assert "Received fatal alert: " in str(raised.__cause__)
    else:
        assert type(raised) is BrokenPipeError


def test_ssl_engine_close_inbound_invoked_on_close():
    engine = Mock()
    engine.close_inbound.side_effect = SSLException("Mock exception")
    mocked_layer(engine, Mock()).close()
    assert [call[0] for call in engine.method_calls] == ["close_outbound", "close_inbound"]


def test_gathering_write(monkeypatch):
    layer = mocked_layer(Mock(), Mock())
    written = bytearray()

    def write(src: ByteBuffer) -> int:
        count = src.remaining()
        written.extend(src.get_bytes(count))
        return count

    monkeypatch.setattr(layer, "write", write)
    monkeypatch.setattr(layer, "has_pending_writes", lambda: False)
    srcs = [ByteBuffer.wrap(text) for text in (b"Hello, ", b"World", b"!")]
    assert layer.write_buffers(srcs[1:]) == 6
    assert written == b"World!"


def test_scattering_read(monkeypatch):
    layer = mocked_layer(Mock(), Mock())
    source = ByteBuffer.wrap(b"Hello, World!")

    def read(dst: ByteBuffer) -> int:
        count = dst.remaining()
        dst.put(source.get_bytes(count))
        return count

    monkeypatch.setattr(layer, "read", read)
    dsts = [ByteBuffer.allocate(size) for size in (2, 3, 4)]
    assert layer.read_buffers(dsts[1:]) == 7
    assert [bytes(dst.flip().view()) for dst in dsts[1:]] == [b"Hel", b"lo, "]
