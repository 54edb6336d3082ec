# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Tls12SelectorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of TLS 1.2 alone; the other cases are those of test_ssl_selector.py."""

from __future__ import annotations

import pytest

from kreactor.jdk.net import InetSocketAddress
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    create_send,
    framed,
    polled,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.openssl_peer import OpensslServer, needs_openssl
from tests.common.network.ssl_clients import client_selector


@needs_openssl
@pytest.mark.parametrize("command", [b"R\n", b"r\n"], ids=["with a certificate", "without"])
def test_renegotiation_fails(tmp_path, command):
    with client_selector(tmp_path, "TLSv1.2") as (selector, stores):
        server = OpensslServer(tmp_path, stores.certificate, "-tls1_2")
        try:
            selector.connect("0", InetSocketAddress("127.0.0.1", server.port), BUFFER_SIZE, BUFFER_SIZE)
            wait_for_channel_ready(selector, "0")
            selector.send(create_send("0", "0-0"))
            wait_for_condition(lambda: polled(selector) and selector.completed_sends(), "not sent")
            server.read_until(framed(b"0-0"))

            server.write(command)
            wait_for_condition(lambda: polled(selector) and selector.disconnected(), "not disconnected")
            assert list(selector.disconnected()) == ["0"]
        finally:
            server.close()
