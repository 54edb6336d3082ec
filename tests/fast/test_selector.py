# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The writes before a select, by a real selector and real sockets."""

from __future__ import annotations

import errno
import os
import socket
import struct
from unittest.mock import Mock

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_send import NetworkSend
from kreactor.fast.nio_selector import LazyNioSelector
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.network_test_utils import framed, receive_exactly
from tests.common.network.selector_invariants import invariants
from tests.common.network.test_selector import create_send
from tests.common.network.test_selector_own import bench, poll_for

__all__ = ["bench"]

pytestmark = pytest.mark.usefixtures("selector_class")


@pytest.fixture
def selector(bench):
    return bench.selector()


def muted_peer(bench, selector, id: str) -> socket.socket:
    """Return the peer of a channel that is muted for the request it has sent."""
    peer = bench.peer(selector, id, framed(b"request"))
    poll_for(selector, selector.completed_receives)
    selector.mute(id)
    return peer


def test_a_response_leaves_before_the_select(bench, selector):
    peer = muted_peer(bench, selector, "0")
    key = selector.channel("0").selection_key()
    selector.send(create_send("0", "answer"))
    assert key.interest_ops() & SelectionKey.OP_WRITE
    selector._write_first()
    assert [send.destination_id() for send in selector.completed_sends()] == ["0"]
    assert receive_exactly(peer, 10) == framed(b"answer")
    assert not key.interest_ops() & SelectionKey.OP_WRITE
    invariants(selector)


def test_the_poll_that_has_written_does_not_wait(bench, selector):
    muted_peer(bench, selector, "0")
    selector.send(create_send("0", "answer"))
    selector.poll(600_000)
    assert [send.destination_id() for send in selector.completed_sends()] == ["0"]


def test_a_channel_that_is_not_muted_is_written_by_the_poll(bench, selector):
    bench.peer(selector, "0")
    selector.send(create_send("0", "request"))
    selector._write_first()
    assert not selector.completed_sends() and selector.channel("0").has_send()
    poll_for(selector, selector.completed_sends)


def test_a_connection_that_is_being_made_is_left_to_the_poll(selector):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        selector.connect("0", InetSocketAddress(*listener.getsockname()), -1, -1)
        assert not selector.channel("0").is_connected()
        selector.send(create_send("0", "request"))
        selector.mute("0")
        assert not selector._write_first() and selector.channel("0").has_send()
        poll_for(selector, selector.completed_sends)
        assert not selector.disconnected()
        with listener.accept()[0] as peer:
            assert receive_exactly(peer, 11) == framed(b"request")


def test_a_response_that_does_not_fit_is_written_on_by_the_polls(bench, selector):
    peer = muted_peer(bench, selector, "0")
    payload = bytes(range(256)) * 40_000
    selector.send(NetworkSend("0", ByteBufferSend.size_prefixed(ByteBuffer.wrap(payload))))
    selector._write_first()
    channel = selector.channel("0")
    assert channel.has_send() and channel.selection_key().interest_ops() & SelectionKey.OP_WRITE
    got = bytearray()
    peer.settimeout(0)
    while len(got) < len(payload) + 4:
        selector.poll(10)
        try:
            got += peer.recv(1 << 20)
        except BlockingIOError:
            pass
    assert got[4:] == payload
    poll_for(selector, lambda: not channel.has_send())


def test_a_response_to_a_peer_that_is_gone_closes_its_channel_alone(bench, selector):
    gone, there = muted_peer(bench, selector, "gone"), muted_peer(bench, selector, "there")
    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    gone.close()
    selector.send(create_send("gone", "answer"))
    selector.send(create_send("there", "answer"))
    disconnected: dict[str, ChannelState] = {}
    completed: list[str] = []

    def both_ended() -> bool:
        disconnected.update(selector.disconnected())
        completed.extend(send.destination_id() for send in selector.completed_sends())
        return bool(disconnected and completed)

    poll_for(selector, both_ended)
    assert completed == ["there"] and disconnected == {"gone": ChannelState.READY}
    assert selector.channel("gone") is None and selector.closing_channel("gone") is None
    assert receive_exactly(there, 10) == framed(b"answer")
    invariants(selector)


@pytest.mark.parametrize("error", [OSError(errno.ENOMEM, "no memory"), ValueError("unexpected")])
def test_a_write_that_fails_once_closes_its_channel(bench, selector, monkeypatch, error):
    """A second write may succeed, and must not be tried: TLS forgets what the first one has taken."""
    muted_peer(bench, selector, "0")
    selector.send(create_send("0", "answer"))
    channel = selector.channel("0")
    write = Mock(side_effect=[error, 10])
    monkeypatch.setattr(KafkaChannel, "write", write)
    selector.poll(600_000)
    assert selector.disconnected() == {"0": ChannelState.READY} and not selector.completed_sends()
    write.assert_called_once_with()
    assert selector.channel("0") is None and not channel.selection_key().is_valid()
    invariants(selector)


def test_a_key_that_is_cancelled_is_passed_over(bench, selector):
    muted_peer(bench, selector, "0")
    selector.send(create_send("0", "answer"))
    channel = selector.channel("0")
    channel.selection_key().cancel()
    selector._write_first()
    assert channel.has_send() and not selector.completed_sends()


def test_without_descriptors_nothing_is_left(bench, monkeypatch):
    def fail() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    descriptors, metrics = os.listdir("/proc/self/fd"), set(bench.metrics.metrics())
    monkeypatch.setattr(LazyNioSelector, "open", fail)
    with pytest.raises(KafkaException) as raised:
        bench.selector()
    assert isinstance(raised.value.__cause__, OSError)
    assert set(bench.metrics.metrics()) == metrics and os.listdir("/proc/self/fd") == descriptors
