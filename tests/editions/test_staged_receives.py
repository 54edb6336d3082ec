# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Staged receives, poll by poll, on the server's end of one connection; and their fate at a close."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.editions.v0_10_1.common.network import channel_builder as builder_0_10_1
from kreactor.editions.v0_10_1.common.network import selector as selector_0_10_1
from kreactor.editions.v0_10_2.common.network import channel_builder as builder_0_10_2
from kreactor.editions.v0_10_2.common.network import selector as selector_0_10_2
from kreactor.jdk.exceptions import CancelledKeyException, IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.testing.mock_time import MockTime
from kreactor.editions.v0_10_2.common.network.network_send import NetworkSend
from tests.common.network.network_test_utils import (
    CONNECTION_MAX_IDLE_MS,
    as_string,
    create_channel_builder,
    framed,
)

EDITIONS = {
    "0.10.1": (selector_0_10_1.Selector, builder_0_10_1.ChannelBuilder),
    "0.10.2": (selector_0_10_2.Selector, builder_0_10_2.ChannelBuilder),
}


has_closing_channels = pytest.mark.parametrize("edition", ["0.10.2"], indirect=True)


@pytest.fixture(params=EDITIONS)
def edition(request) -> str:
    return request.param


@pytest.fixture
def end(edition):
    """A selector with a connection "A", and the socket of the peer."""
    selector_class, builder_class = EDITIONS[edition]
    time = MockTime()
    listener = ServerSocketChannel.open()
    listener.bind(InetSocketAddress("127.0.0.1", 0))
    with Metrics() as metrics, socket.create_connection(
            ("127.0.0.1", listener.socket().get_local_port())) as peer:
        selector = selector_class(
            CONNECTION_MAX_IDLE_MS, metrics, time, "MetricGroup", builder_class(create_channel_builder()))
        accepted = listener.accept()
        accepted.configure_blocking(False)
        selector.register("A", accepted)
        yield SimpleNamespace(selector=selector, peer=peer, time=time)
        selector.close()
    listener.close()


def polled(selector, timeout_ms: int = 0) -> list[str]:
    selector.poll(timeout_ms)
    return [as_string(receive) for receive in selector.completed_receives()]


def test_three_requests_of_one_segment_come_one_a_poll(end):
    end.peer.sendall(framed(b"1") + framed(b"2") + framed(b"3"))
    assert polled(end.selector, 10_000) == ["1"]
    end.selector.mute("A")
    assert polled(end.selector) == []
    end.selector.unmute("A")
    # Nothing new has come; the stage alone ends the wait.
    assert polled(end.selector, 10_000) == ["2"]
    assert polled(end.selector, 10_000) == ["3"]
    assert polled(end.selector) == []


def test_staged_receives_of_a_peer_that_has_left(edition, end):
    end.peer.sendall(framed(b"1") + framed(b"2") + framed(b"3"))
    end.peer.close()
    # KAFKA-5587: in 0.10.2 the close hands out one receive, and the same poll another.
    assert polled(end.selector, 10_000) == ([] if edition == "0.10.1" else ["1", "2"])
    if edition == "0.10.1":
        # The read that meets the end of the stream closes the channel, and its stage goes with it.
        assert end.selector.disconnected() == ["A"]
        with pytest.raises(IllegalStateException, match="no open connection"):
            end.selector.mute("A")
    else:
        assert end.selector.closing_channel("A") is not None


@has_closing_channels
def test_a_muted_channel_that_is_closing_keeps_its_stage(end):
    end.peer.sendall(framed(b"1") + framed(b"2") + framed(b"3"))
    end.peer.close()
    assert polled(end.selector, 10_000) == ["1", "2"]
    end.selector.mute("A")
    assert polled(end.selector) == []
    end.selector.unmute("A")
    assert polled(end.selector, 10_000) == ["3"]
    assert end.selector.disconnected() == []
    assert polled(end.selector) == []
    assert end.selector.disconnected() == ["A"]


@has_closing_channels
def test_a_send_to_a_closing_channel_ends_it(end):
    end.peer.sendall(framed(b"1") + framed(b"2") + framed(b"3"))
    end.peer.close()
    polled(end.selector, 10_000)
    assert end.selector.disconnected() == []
    end.selector.send(NetworkSend("A", ByteBuffer.wrap(b"answer")))
    assert polled(end.selector) == []
    assert end.selector.disconnected() == ["A"]
    assert end.selector.closing_channel("A") is None


@pytest.mark.deviation("D353")
@has_closing_channels
def test_a_close_counts_closing_channels_among_its_own(end):
    end.peer.sendall(framed(b"1") + framed(b"2") + framed(b"3"))
    end.peer.close()
    polled(end.selector, 10_000)
    [closing] = end.selector.closing_channels()
    end.selector.close()
    assert not closing._transport_layer.socket_channel().is_open()


@pytest.mark.deviation("D371")
def test_a_close_closes_a_channel_whose_id_another_has_taken(end):
    [before] = end.selector.channels()
    again = SocketChannel.open()
    again.connect(InetSocketAddress("127.0.0.1", end.peer.getpeername()[1]))
    again.configure_blocking(False)
    end.selector.register("A", again)
    assert end.selector.channels() != [before]
    end.selector.close()
    assert not before._transport_layer.socket_channel().is_open()
    assert not again.is_open()


def test_a_connection_that_never_speaks_is_never_expired(end):
    end.time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    assert polled(end.selector) == []
    end.time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    assert polled(end.selector) == []
    assert end.selector.disconnected() == []

    end.peer.sendall(framed(b"1"))
    assert polled(end.selector, 10_000) == ["1"]
    end.time.sleep(CONNECTION_MAX_IDLE_MS + 1_000)
    polled(end.selector)
    assert end.selector.disconnected() == ["A"]


def test_a_mute_of_0_10_1_is_the_interest_of_the_key(edition, end):
    end.peer.sendall(framed(b"1"))
    assert polled(end.selector, 10_000) == ["1"]
    channel = end.selector.channel("A")
    channel.disconnect()
    if edition == "0.10.1":
        with pytest.raises(CancelledKeyException):
            channel.mute()
    else:
        channel.mute()
        assert channel.is_mute()
