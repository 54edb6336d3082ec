# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslSelectorTest of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of 0.10.2.2, which are those of this tag, against the selector of 0.10.1 over TLS."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.editions.v0_10_1.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_1.common.network.selector import Selector
from tests.editions.v0_10_2.common.network.test_selector import (  # noqa: F401
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
)
from tests.editions.v0_10_2.common.network.test_ssl_selector import (  # noqa: F401
    connect_until_ready,
    metrics,
    parts,
    selector,
    server,
    server_configs,
    test_disabled_renegotiation,
    time,
    tls_protocol,
)


@pytest.fixture
def edition() -> Any:
    return Selector, ChannelBuilder
