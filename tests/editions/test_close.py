# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The end of a processor: it closes new connections and closing ones, and counts them no longer."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import SocketChannel
from tests.common.network.network_test_utils import framed
from tests.editions.editions import LOCAL, OLDER, processor_of, serving
from tests.stepping import wait_until

# ApiVersions, version 0, without a client id.
REQUEST = framed(bytes.fromhex("0012 0000 00000001 ffff"))


@pytest.mark.deviation("D353")
@pytest.mark.parametrize("edition", OLDER)
def test_a_processor_that_ends_closes_new_connections(
        edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``serving`` checks that no descriptor and no count is left."""
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            socket.create_connection(listener.getsockname()) as peer:
        connection, _ = listener.accept()
        with serving(edition, tmp_path) as broker:
            processor = processor_of(broker)
            close_all = processor._close_all

            def end() -> None:
                processor._connection_quotas.inc(LOCAL)
                processor._new_connections.put(
                    SocketChannel(connection, InetSocketAddress(*peer.getsockname())))
                close_all()

            monkeypatch.setattr(processor, "_close_all", end)
        peer.settimeout(60)
        assert peer.recv(1) == b""


@pytest.mark.deviation("D353")
@pytest.mark.parametrize("edition", [name for name in OLDER if name != "0.10.1"])
def test_a_processor_that_ends_closes_what_is_closing(
        edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(edition, tmp_path) as broker:
        processor = processor_of(broker)
        # The first request is never answered, so the others stay staged.
        send_request = processor._request_channel.send_request
        monkeypatch.setattr(processor._request_channel, "send_request", lambda request: (
            None if type(request).__name__ == "Request" else send_request(request)))
        # The end of the stream is there before the first read: a muted channel would not find it.
        configure, has_closed = processor._configure_new_connections, threading.Event()
        monkeypatch.setattr(processor, "_configure_new_connections",
                            lambda: has_closed.wait(120) and configure())
        with socket.create_connection(("127.0.0.1", broker.bound_port("PLAINTEXT"))) as client:
            client.sendall(REQUEST * 3)
        has_closed.set()
        wait_until(lambda: bool([*processor.selector.closing_channels()]))
        assert broker.socket_server().connection_count(LOCAL) == 1
