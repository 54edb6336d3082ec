# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslVersionsTransportLayerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Each choice of versions of a server against each of a client."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.network.channel_state import ChannelState
from tests.common.network.cert_stores import CertStores
from tests.common.network.network_test_utils import (
    create_send,
    polled,
    random_string,
    wait_for_channel_close,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.test_ssl_transport_layer import Ends, connect, server_channel_builder

CHOICES = [["TLSv1.2"], ["TLSv1.3"], ["TLSv1.2", "TLSv1.3"], ["TLSv1.3", "TLSv1.2"]]


@pytest.fixture
def ends():
    ends = Ends()
    yield ends
    ends.close()


def trusting_config(own: CertStores, peer: CertStores, protocols: list[str]) -> dict[str, Any]:
    return own.get_trusting_config(peer) | {
        SslConfigs.SSL_PROTOCOL_CONFIG: protocols[0], SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: protocols}


@pytest.mark.parametrize("server_protocols, client_protocols", [*itertools.product(CHOICES, CHOICES)])
def test_tls_defaults(tmp_path, ends, server_protocols, client_protocols):
    server_stores = CertStores(True, "server", tmp_path, host_names=["localhost"])
    client_stores = CertStores(False, "client", tmp_path, host_names=["localhost"])
    server = ends.create_echo_server(None, channel_builder=server_channel_builder(
        trusting_config(server_stores, client_stores, server_protocols)))
    selector = ends.create_selector(trusting_config(client_stores, server_stores, client_protocols))
    connect(selector, server)

    # Java's context takes the first version, and a client of TLS 1.2 never gets to 1.3: nor is it asked to.
    if set(server_protocols) & set(client_protocols):
        wait_for_channel_ready(selector, "0")
        size = 1024 * 1024
        selector.send(create_send("0", random_string(size)))
        wait_for_condition(lambda: polled(selector) and selector.completed_receives(), "nothing came back")
        server.wait_for_metric("incoming-byte", size + 4)
        server.wait_for_metric("outgoing-byte", size + 4)
        server.wait_for_metric("request", 1)
        server.wait_for_metric("response", 1)
        highest = max(set(server_protocols) & set(client_protocols))
        [channel] = selector.channels()
        assert channel._transport_layer.ssl_session().get_protocol() == highest
    else:
        wait_for_channel_close(selector, "0", ChannelState.State.AUTHENTICATION_FAILED)
        server.verify_authentication_metrics(0, 1)
