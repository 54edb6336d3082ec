# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslSelectorTest of Apache Kafka 0.10.2.2 and 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of the selector once more over TLS, and a renegotiation, which disconnects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kreactor.common.network.mode import Mode
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.net import InetSocketAddress
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    CONNECTION_MAX_IDLE_MS,
    framed,
    wait_for_condition,
)
from tests.common.network.openssl_peer import OpensslServer, needs_openssl
from tests.common.network.ssl_clients import client_configs_for, configured, server_stores, versions
from tests.common.network.test_ssl_selector import echo_server
from tests.editions.v0_10_2.common.network import test_selector
from tests.editions.v0_10_2.common.network.test_selector import (  # noqa: F401
    blocking_connect,
    create_send,
    edition,
    metrics,
    poll,
    selector,
    test_cant_send_with_in_progress,
    test_cant_send_without_connecting,
    test_close_oldest_connection,
    test_connection_refused,
    test_empty_request,
    test_existing_connection_id,
    test_large_message_sequence,
    test_mute,
    test_no_route_to_host,
    test_normal_operation,
    test_send_large_request,
    test_server_disconnect,
    time,
)


@pytest.fixture(params=["TLSv1.2", "TLSv1.3"])
def tls_protocol(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def server_configs(tls_protocol: str, tmp_path: Path) -> dict[str, Any]:
    return server_stores(tmp_path).get_untrusting_config() | versions(tls_protocol)


@pytest.fixture
def server(server_configs: dict[str, Any]):
    with echo_server(server_configs) as server:
        yield server


@pytest.fixture
def parts(server_configs: dict[str, Any], tls_protocol: str) -> SslChannelBuilder:
    configs = client_configs_for(server_configs, tls_protocol)
    return configured(SslChannelBuilder(Mode.CLIENT, None, False, LogContext()), configs)


@pytest.fixture(autouse=True)
def connect_until_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have cases wait for the handshake: nothing is sent before."""
    monkeypatch.setattr(test_selector, "connect", blocking_connect)


@needs_openssl
def test_disabled_renegotiation(edition, time, metrics, tmp_path):  # noqa: F811
    stores = server_stores(tmp_path)
    configs = client_configs_for(stores.get_untrusting_config(), "TLSv1.2")
    builder = configured(SslChannelBuilder(Mode.CLIENT, None, False, LogContext()), configs)
    selector_class, builder_class = edition
    selector = selector_class(  # noqa: F811
        CONNECTION_MAX_IDLE_MS, metrics, time, "MetricGroup", builder_class(builder))
    server = OpensslServer(tmp_path, stores.certificate, "-tls1_2")
    try:
        selector.connect("0", InetSocketAddress("127.0.0.1", server.port), BUFFER_SIZE, BUFFER_SIZE)
        wait_for_condition(lambda: poll(selector) and selector.is_channel_ready("0"), "not ready")
        selector.send(create_send("0", "0-0"))
        wait_for_condition(lambda: poll(selector) and selector.completed_sends(), "not sent")
        server.read_until(framed(b"0-0"))

        server.write(b"R\n")
        wait_for_condition(lambda: poll(selector) and selector.disconnected(), "not disconnected")
        assert selector.disconnected() == ["0"]
    finally:
        server.close()
        selector.close()
