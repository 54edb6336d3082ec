# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Tls13SelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What TLS 1.3 alone has; the other cases are those of test_ssl_selector.py."""

from __future__ import annotations

import pytest

from kreactor.jdk.net import InetSocketAddress
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    as_string,
    create_send,
    framed,
    polled,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.openssl_peer import OpensslServer, needs_openssl
from tests.common.network.ssl_clients import client_selector


@needs_openssl
@pytest.mark.parametrize("command", [b"k\n", b"K\n"], ids=["its own key", "both keys"])
def test_key_update(tmp_path, command):
    with client_selector(tmp_path, "TLSv1.3") as (selector, stores):
        server = OpensslServer(tmp_path, stores.certificate, "-tls1_3")
        try:
            selector.connect("0", InetSocketAddress("127.0.0.1", server.port), BUFFER_SIZE, BUFFER_SIZE)
            wait_for_channel_ready(selector, "0")
            received: list[str] = []

            def received_another() -> bool:
                selector.poll(100)
                received.extend(map(as_string, selector.completed_receives()))
                return bool(selector.completed_receives())

            # openssl does not send back by itself. It heeds a command before what comes later from the peer.
            for text in ("0-0", "0-1", "0-2"):
                selector.send(create_send("0", text))
                wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
                server.read_until(framed(text.encode()))
                server.write(framed(text.encode()))
                wait_for_condition(received_another, "nothing came back")
                server.write(command)
            assert received == ["0-0", "0-1", "0-2"]
            assert selector.is_channel_ready("0")
        finally:
            server.close()
