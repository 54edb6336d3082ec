# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslTransportTls12Tls13Test of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which version comes of the cipher suites of the two ends."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.mode import Mode
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.utils.log_context import LogContext
from tests.common.network.cert_stores import CertStores
from tests.common.network.network_test_utils import wait_for_channel_close, wait_for_channel_ready
from tests.common.network.nio_echo_server import NioEchoServer
from tests.common.network.test_ssl_transport_layer import Ends, connect, server_channel_builder

TLS12_SUITE, TLS13_SUITE = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"


@pytest.fixture
def ends():
    ends = Ends()
    yield ends
    ends.close()


@pytest.fixture
def configs(tmp_path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a server and of a client."""
    server = CertStores(True, "server", tmp_path, host_names=["localhost"])
    client = CertStores(False, "client", tmp_path, host_names=["localhost"])
    return server.get_trusting_config(client), client.get_trusting_config(server)


def choose(configs: dict[str, Any], protocols: list[str] | None, suite: str) -> None:
    if protocols is not None:
        configs[SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG] = protocols
    configs[SslConfigs.SSL_CIPHER_SUITES_CONFIG] = [suite]


def connected(ends: Ends, server_configs: dict[str, Any], client_configs: dict[str, Any]) -> NioEchoServer:
    server = ends.create_echo_server(None, channel_builder=server_channel_builder(server_configs))
    connect(ends.create_selector(client_configs), server)
    return server


def check_authentication_failed(ends: Ends, configs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    server = connected(ends, *configs)
    wait_for_channel_close(ends.selectors[0], "0", ChannelState.State.AUTHENTICATION_FAILED)
    server.verify_authentication_metrics(0, 1)


def check_authentication_succeed(ends: Ends, configs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    server = connected(ends, *configs)
    wait_for_channel_ready(ends.selectors[0], "0")
    server.verify_authentication_metrics(1, 0)


def test_ciphers_suite_for_tls12_fails_for_tls13(configs):
    # Java finds out in every handshake; here neither end can be set up so.
    for end in configs:
        choose(end, ["TLSv1.3"], TLS12_SUITE)
        with pytest.raises(InvalidConfigurationException, match="no enabled TLS version supports the cipher"):
            SslChannelBuilder(Mode.CLIENT, None, False, LogContext()).configure(end)


def test_ciphers_suite_fail_for_server_tls12_client_tls13(ends, configs):
    server_configs, client_configs = configs
    choose(server_configs, ["TLSv1.2"], TLS12_SUITE)
    choose(client_configs, ["TLSv1.3"], TLS13_SUITE)
    server_configs[SslConfigs.SSL_PROTOCOL_CONFIG] = "TLSv1.2"
    check_authentication_failed(ends, configs)


def test_ciphers_suite_for_tls13(ends, configs):
    for end in configs:
        choose(end, None, TLS13_SUITE)
    check_authentication_succeed(ends, configs)


def test_ciphers_suite_for_tls12(ends, configs):
    for end in configs:
        choose(end, SslConfigs.DEFAULT_SSL_ENABLED_PROTOCOLS.split(","), TLS12_SUITE)
    check_authentication_succeed(ends, configs)
