# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServerTest of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of 0.10.1.1, all of which 0.10.2.2 has too, against the server of 0.10.1.

testGracefulClose, which is about KAFKA-3703, and testMetricCollectionAfterShutdown came with 0.10.2.
"""

from __future__ import annotations

import pytest

from kreactor.editions.v0_10_1.core.network.socket_server import SocketServer
from tests.editions.v0_10_2.core.network import test_socket_server

globals().update({name: value for name, value in vars(test_socket_server).items()
                  if name.startswith("test_") and name not in (
                      "test_graceful_close", "test_metric_collection_after_shutdown")
                  or name in ("api", "servers", "server")})


@pytest.fixture
def server_class():
    return SocketServer
