# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Tls13SelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of TLS 1.3 alone; the other cases are those of test_ssl_selector.py."""

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
            layer = selector.channel("0")._transport_layer
            read, bytes_read = layer._read_from_socket_channel, 0

            def count() -> int:
                nonlocal bytes_read
                size = read()
                bytes_read += max(size, 0)
                return size

            layer._read_from_socket_channel = count

            def received_another() -> bool:
                selector.poll(100)
                received.extend(map(as_string, selector.completed_receives()))
                return bool(selector.completed_receives())

            # openssl is not to have a command and a message at once.
            for text in ("0-0", "0-1", "0-2"):
                server.write(framed(text.encode()))
                wait_for_condition(received_another, "nothing came back")
                before = bytes_read
                server.write(command)
                wait_for_condition(lambda: polled(selector) and bytes_read > before, "no new key")
            assert received == ["0-0", "0-1", "0-2"]
            # This is sent with the new key, if this side has one, too.
            selector.send(create_send("0", "end"))
            wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
            assert selector.is_channel_ready("0")
        finally:
            server.close()
