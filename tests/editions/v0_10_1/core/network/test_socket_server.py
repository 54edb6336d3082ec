# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServerTest of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of 0.10.1.1, all of which 0.10.2.2 has too, against the server of 0.10.1.

testGracefulClose, which is about KAFKA-3703, and testMetricCollectionAfterShutdown came with 0.10.2.
"""

from __future__ import annotations

import pytest

from kreactor.editions.v0_10_1.core.network.socket_server import SocketServer
from tests.editions.v0_10_2.core.network.test_socket_server import (  # noqa: F401
    api,
    server,
    servers,
    test_broker_send_after_channel_closed_updates_request_metrics,
    test_client_disconnection_updates_request_metrics,
    test_max_connections_per_ip,
    test_max_connections_per_ip_overrides,
    test_session_principal,
    test_simple_request,
    test_sockets_close_on_shutdown,
    test_ssl_socket_server,
    test_too_big_request_is_rejected,
)


@pytest.fixture
def server_class():
    return SocketServer
