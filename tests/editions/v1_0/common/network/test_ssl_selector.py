# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SslSelectorTest of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of the selector once more over TLS, of both versions, and four of the five that TLS adds to them.

All are as in 0.10.2.2 or in 2.2.2; there testDisabledRenegotiation is called testRenegotiationFails.
"""

from __future__ import annotations

from tests.editions.v0_10_2.common.network.test_ssl_selector import (  # noqa: F401
    connect_until_ready,
    parts,
    server,
    server_configs,
    tls_protocol,
)
from tests.editions.v1_0.common.network.test_selector import (  # noqa: F401
    edition,
    listener,
    metrics,
    new_selector,
    selector,
    states,
    test_cant_send_with_in_progress,
    test_cant_send_without_connecting,
    test_close_connection_in_closing_state,
    test_close_oldest_connection,
    test_close_oldest_connection_with_multiple_staged_receives,
    test_close_oldest_connection_with_one_staged_receive,
    test_connect_disconnect_during_in_single_poll,
    test_connection_refused,
    test_empty_request,
    test_existing_connection_id,
    test_immediately_connected_cleaned,
    test_large_message_sequence,
    test_mute,
    test_no_route_to_host,
    test_normal_operation,
    test_register_failure,
    test_send_large_request,
    test_server_disconnect,
    time,
)
from tests.editions.v2_2.common.network.test_ssl_selector import (  # noqa: F401
    buffering_parts,
    test_bytes_buffered_channel_after_mute,
    test_bytes_buffered_channel_with_no_incoming_bytes,
    test_disconnect_with_intermediate_buffered_bytes,
    test_mute_on_oom,
    test_renegotiation_fails as test_disabled_renegotiation,
)
