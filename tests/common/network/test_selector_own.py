# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The selector where Kafka's tests do not look: hostile peers, closing channels, delays, many connections."""

from __future__ import annotations

import resource
import select
import socket
import threading
import time as real_time
from typing import Callable, Iterator
from unittest.mock import Mock

import pytest

from kreactor.common.errors import AuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selector import Selector, SelectorChannelMetadataRegistry
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk import nio_selector
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.testing.mock_time import MockTime
from tests.common.network.echo_server import EchoServer
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    CONNECTION_MAX_IDLE_MS,
    as_string,
    check_client_connection,
    complete_delayed_channel_close,
    create_channel_builder,
    create_selector,
    create_send,
    delayed_closing_channels,
    framed,
    metric_value,
    polled,
    receive_exactly,
    reset,
    wait_for_channel_close,
    wait_for_channel_connected,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.network.peers import PeerChannelBuilder, TokenAuthenticator
from tests.common.network.selector_invariants import invariants
from tests.common.network.test_selector import ImmediatelyConnectingSelector, mock_channel
from tests.stepping import Background

MS = 1_000_000


class Bench:
    """A selector, a listener whose connections it gets, and the plain sockets on the other end."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.metrics = Metrics()
        self.selectors: list[Selector] = []
        self.peers: list[socket.socket] = []
        self.listener = ServerSocketChannel.open()
        self.listener.bind(InetSocketAddress("127.0.0.1", 0), 100)

    def selector(self, builder: ChannelBuilder | None = None, selector_type: type[Selector] | None = None,
                 **options) -> Selector:
        selector = create_selector(builder or PeerChannelBuilder(), self.time, self.metrics, selector_type,
                                   **options)
        self.selectors.append(selector)
        return selector

    def peer(self, selector: Selector, id: str, data: bytes = b"") -> socket.socket:
        """Register a connection whose other end, returned, has written ``data`` already."""
        peer = socket.create_connection(("127.0.0.1", self.listener.socket().get_local_port()))
        peer.settimeout(120)
        self.peers.append(peer)
        peer.sendall(data)
        channel = self.listener.accept()
        channel.configure_blocking(False)
        selector.register(id, channel)
        return peer

    def close(self) -> None:
        for selector in self.selectors:
            selector.close()
        for peer in self.peers:
            peer.close()
        self.listener.close()


@pytest.fixture
def bench(selector_class) -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


class NotingSelector(ImmediatelyConnectingSelector):
    """Notes how long its selects were to wait, and does not."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.timeouts: list[int] = []

    def _select(self, timeout_ms):
        self.timeouts.append(timeout_ms)
        return super()._select(0)


def received(selector: Selector) -> list[str]:
    return [as_string(receive) for receive in selector.completed_receives()]


def wait_until_readable(channel: SocketChannel) -> None:
    assert select.select([channel.fileno()], [], [], 120)[0], "nothing came"


def poll_for(selector: Selector, condition: Callable[[], object], message: str = "it did not come") -> None:
    wait_for_condition(lambda: polled(selector) and condition(), message)


# Hostile and hasty peers.


@pytest.mark.parametrize("data", [
    b"\xff\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\x65", b"\x7f\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\0\x01",  # a TLS handshake
], ids=["-1", "smallest", "maximum + 1", "largest", "http", "tls"])
def test_a_size_that_cannot_be_closes_that_channel_and_no_other(bench, data):
    selector = bench.selector(max_receive_size=100)
    bad = bench.peer(selector, "bad", data)
    good = bench.peer(selector, "good")
    poll_for(selector, selector.disconnected)
    assert selector.disconnected() == {"bad": ChannelState.READY}
    assert not selector.completed_receives()
    assert bad.recv(1) == b"", "it was answered"
    good.sendall(framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["hello"]
    invariants(selector)


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_size_up_to_the_maximum_is_waited_for(bench, size):
    selector = bench.selector(max_receive_size=100)
    peer = bench.peer(selector, "0", framed(bytes(size))[:4])
    if size:
        poll_for(selector, lambda: selector.channel("0").current_receive() is not None)
        assert not selector.completed_receives()
        peer.sendall(bytes(size))
    poll_for(selector, selector.completed_receives)
    [receive] = selector.completed_receives()
    assert receive.payload().to_bytes() == bytes(size) and receive.size() == size + 4


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0\0\5", b"\0\0\0\5hell"])
@pytest.mark.parametrize("leave", [socket.socket.close, reset], ids=["fin", "reset"])
def test_a_peer_that_leaves_in_the_middle(bench, data, leave):
    pool = SimpleMemoryPool(100, 100, True, None)
    selector = bench.selector(memory_pool=pool)
    peer = bench.peer(selector, "0", data)
    selector.poll(0)
    leave(peer)
    poll_for(selector, selector.disconnected)
    assert selector.disconnected() == {"0": ChannelState.READY}
    assert not selector.completed_receives()
    assert pool.available_memory() == 100


def test_a_peer_that_is_gone_before_it_is_registered(bench):
    selector = bench.selector()
    with socket.create_connection(("127.0.0.1", bench.listener.socket().get_local_port())) as peer:
        reset(peer)
    channel = bench.listener.accept()
    channel.configure_blocking(False)
    selector.register("0", channel)
    poll_for(selector, selector.disconnected)
    assert list(selector.disconnected()) == ["0"]


def test_a_request_that_the_pool_can_never_hold_closes_its_channel(bench):
    pool = SimpleMemoryPool(100, 50, True, None)
    selector = bench.selector(memory_pool=pool)
    bench.peer(selector, "0", framed(bytes(51)))
    poll_for(selector, selector.disconnected)
    assert selector.disconnected() == {"0": ChannelState.READY}
    assert pool.available_memory() == 100 and not selector.is_out_of_memory()


def test_requests_in_one_segment_are_received_one_a_poll_and_in_order(bench):
    selector = bench.selector()
    bench.peer(selector, "0", b"".join(framed(text) for text in (b"a", b"", b"bc")))
    seen = []
    while len(seen) < 3:
        selector.poll(1000)
        assert len(selector.completed_receives()) == 1
        seen += received(selector)
    assert seen == ["a", "", "bc"]


def test_a_peer_that_half_closes_gets_its_answers(bench):
    """As a server does it: no request is read before the one before it is answered."""
    selector = bench.selector()
    requests = [b"first", b"second", b"third"]
    peer = bench.peer(selector, "0", b"".join(map(framed, requests)))
    peer.shutdown(socket.SHUT_WR)
    while not selector.disconnected():
        selector.poll(1000)
        for receive in list(selector.completed_receives()):
            selector.mute("0")
            selector.send(create_send("0", receive.payload().to_bytes()))
        for _ in selector.completed_sends():
            selector.unmute("0")
    answers = b"".join(map(framed, requests))
    assert receive_exactly(peer, len(answers)) == answers
    assert peer.recv(1) == b""


# Closing.


def closing_channel(bench: Bench, selector: Selector, id: str, *texts: bytes) -> socket.socket:
    """Make a channel close that has received the first of ``texts``, the rest waiting to be read."""
    peer = bench.peer(selector, id, b"".join(map(framed, texts)))
    peer.shutdown(socket.SHUT_WR)
    poll_for(selector, lambda: selector.closing_channel(id) is not None)
    invariants(selector)
    return peer


def buffering_selector(bench: Bench, **options) -> Selector:
    return bench.selector(PeerChannelBuilder(buffering=True), **options)


def test_a_closing_channel_is_read_one_receive_a_poll_and_reported_at_the_end(bench):
    selector = buffering_selector(bench)
    closing_channel(bench, selector, "0", b"a", b"b", b"c")
    seen = received(selector)
    while not selector.disconnected():
        assert selector.channel("0") is None and selector.closing_channel("0") is not None
        assert selector.lowest_priority_channel() is selector.closing_channel("0")
        selector.poll(0)
        assert len(selector.completed_receives()) <= 1
        seen += received(selector)
        invariants(selector)
    assert seen == ["a", "b", "c"]
    assert selector.disconnected() == {"0": ChannelState.READY}


def test_a_muted_closing_channel_waits(bench):
    selector = buffering_selector(bench)
    closing_channel(bench, selector, "0", b"a", b"b")
    channel = selector.closing_channel("0")
    assert received(selector) == ["a"]
    selector.mute("0")
    channel.handle_channel_mute_event(KafkaChannel.ChannelMuteEvent.REQUEST_RECEIVED)
    for _ in range(3):
        selector.unmute("0")  # not yet: there is no response
        selector.poll(0)
        assert not selector.completed_receives() and not selector.disconnected()
        invariants(selector)
    channel.handle_channel_mute_event(KafkaChannel.ChannelMuteEvent.RESPONSE_SENT)
    selector.unmute("0")
    selector.poll(0)
    assert received(selector) == ["b"]
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.READY}


def test_a_closing_channel_makes_no_haste(bench):
    selector = buffering_selector(bench, selector_type=NotingSelector)
    closing_channel(bench, selector, "0", b"a", b"b")
    selector.mute("0")
    bench.peer(selector, "1")
    selector.send(NetworkSend("1", ByteBufferSend(ByteBuffer.allocate(50_000_000))))
    selector.timeouts.clear()
    selector.poll(600_000)  # the socket does not take all of it
    assert selector.timeouts == [600_000] and selector.closing_channel("0") is not None


def test_an_id_cannot_come_again_while_its_channel_is_closing(bench):
    selector = buffering_selector(bench)
    closing_channel(bench, selector, "0", b"a", b"b")
    with pytest.raises(IllegalStateException, match="id 0 that is still being closed"):
        selector.connect("0", InetSocketAddress("127.0.0.1", 1), BUFFER_SIZE, BUFFER_SIZE)


@pytest.mark.parametrize("sends", [1, 2])
def test_a_send_ends_a_closing_channel(bench, sends):
    selector = buffering_selector(bench)
    peer = closing_channel(bench, selector, "0", b"a", b"b")
    for _ in range(sends):
        selector.send(create_send("0", "answer"))
    selector.poll(0)
    assert not selector.completed_receives() and not selector.completed_sends()
    # A second send is one that found no channel.
    assert selector.disconnected() == {"0": ChannelState.READY if sends == 1 else ChannelState.FAILED_SEND}
    selector.poll(0)
    assert not selector.disconnected()
    assert peer.recv(1) == b""


def test_a_closing_channel_can_be_closed_at_once(bench):
    selector = buffering_selector(bench)
    closing_channel(bench, selector, "0", b"a", b"b")
    channel = selector.closing_channel("0")
    selector.close_id("0")
    assert selector.closing_channel("0") is None and not channel.selection_key().channel().is_open()
    assert channel.state() is ChannelState.READY
    selector.poll(0)
    assert not selector.disconnected() and not selector.completed_receives()


def test_a_refusal_of_memory_ends_a_closing_channel(bench):
    """Nobody would look at it again when there is memory."""
    pool = SimpleMemoryPool(10, 10, True, None)
    selector = buffering_selector(bench, memory_pool=pool)
    closing_channel(bench, selector, "0", b"0123456789", b"lost")
    [receive] = selector.completed_receives()
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.READY}
    receive.close()
    assert pool.available_memory() == 10


@pytest.mark.deviation("D01")
def test_close_closes_what_is_closing_too(bench):
    """Deviation D01. The fixture of all tests finds the descriptor if it stays."""
    pool = SimpleMemoryPool(100, 100, True, None)
    selector = buffering_selector(bench, memory_pool=pool)
    bench.peer(selector, "open", framed(b"some")[:5])
    closing_channel(bench, selector, "closing", b"a", b"b")
    for receive in selector.completed_receives():
        receive.close()
    poll_for(selector, lambda: selector.channel("open").current_receive() is not None)
    for receive in selector.completed_receives():
        receive.close()
    open_, closing = selector.channel("open"), selector.closing_channel("closing")
    assert closing is not None and pool.available_memory() < 100
    selector.close()
    for channel in (open_, closing):
        assert not channel.selection_key().channel().is_open()
    assert not selector._channels and not selector._closing_channels
    assert pool.available_memory() == 100
    assert metric_value(bench.metrics, "count") == 1


@pytest.mark.parametrize(("error", "raised"), [(OSError, False), (RuntimeError, True)])
def test_close_goes_on_in_spite_of_errors(bench, error, raised):
    class Builder(PeerChannelBuilder):
        def close(self):
            raise error

    selector = bench.selector(Builder())
    bench.peer(selector, "0")
    bench.selectors.clear()
    if raised:
        with pytest.raises(error):
            selector.close()
    else:
        selector.close()
    assert not selector._channels and metric_value(bench.metrics, "count") == 1


def test_a_failed_write_drops_what_was_received(bench):
    selector = bench.selector()
    peer = bench.peer(selector, "0", framed(b"never read"))
    selector.mute("0")
    selector.send(create_send("0", "answer"))
    reset(peer)
    poll_for(selector, selector.disconnected)
    assert selector.disconnected() == {"0": ChannelState.READY}
    assert not selector.completed_receives() and selector.closing_channel("0") is None


def test_a_send_whose_key_is_cancelled_is_lost_and_told(bench):
    selector = bench.selector()
    bench.peer(selector, "0")
    channel = selector.channel("0")
    channel.selection_key().cancel()
    selector.send(create_send("0", "answer"))
    assert channel.state() is ChannelState.FAILED_SEND
    assert selector.channel("0") is None and not selector.disconnected()
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.FAILED_SEND}


def test_a_key_that_became_invalid_closes_its_channel(bench):
    selector = bench.selector()
    channel = mock_channel("0")
    channel.selection_key().is_valid.return_value = False
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    channel.close.assert_called_once_with()
    assert selector.disconnected() == {"0": ChannelState.READY}


def test_a_close_by_this_end_is_not_reported(bench):
    selector = bench.selector()
    peer = bench.peer(selector, "0", framed(b"never read"))
    channel = selector.channel("0")
    selector.close_id("0")
    selector.close_id("0")
    assert channel.state() is ChannelState.LOCAL_CLOSE
    assert not selector.disconnected()
    selector.poll(0)
    assert not selector.disconnected() and not selector.completed_receives()
    assert peer.recv(1) == b""


# Memory.


def test_bytes_in_buffers_are_read_without_waiting(bench):
    selector = buffering_selector(bench)
    bench.peer(selector, "0", framed(b"a") + framed(b"b") + framed(b"c"))
    poll_for(selector, selector.completed_receives)
    before = real_time.monotonic()
    assert received(selector) == ["a"]
    for text in ("b", "c"):
        selector.poll(600_000)
        assert received(selector) == [text]
    assert real_time.monotonic() - before < 120


def test_bytes_in_buffers_do_not_keep_a_poll_from_waiting_for_memory(bench):
    pool = SimpleMemoryPool(1, 1, True, None)
    selector = buffering_selector(bench, memory_pool=pool)
    bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    [receive] = selector.completed_receives()
    selector.poll(0)  # reads the size, and gets no memory
    assert selector.is_out_of_memory() and selector.channel("0").is_muted()
    assert selector.is_made_read_progress_last_poll()
    selector.poll(0)
    assert not selector.is_made_read_progress_last_poll()
    before = real_time.monotonic()
    selector.poll(50)
    assert real_time.monotonic() - before >= 0.045, "it did not wait"
    receive.close()
    selector.poll(1)  # it waits once more: what is in buffers makes no haste after a poll without progress
    assert received(selector) == ["b"] and not selector.is_out_of_memory()


def test_what_is_received_while_a_send_is_written_is_told_without_waiting(bench):
    """Memory has come back for bytes in buffers, and there is a send that the socket does not take."""
    pool = SimpleMemoryPool(1, 1, True, None)
    selector = buffering_selector(bench, memory_pool=pool)
    bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    [receive] = selector.completed_receives()
    selector.poll(0)
    selector.poll(0)
    assert selector.is_out_of_memory() and not selector.is_made_read_progress_last_poll()
    receive.close()
    selector.send(NetworkSend("0", ByteBufferSend(ByteBuffer.allocate(50_000_000))))
    before = real_time.monotonic()
    selector.poll(600_000)
    assert received(selector) == ["b"] and not selector.completed_sends()
    assert real_time.monotonic() - before < 120, "it waited"


def test_bytes_in_buffers_wait_while_muted(bench):
    selector = buffering_selector(bench)
    bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    selector.mute("0")
    before = real_time.monotonic()
    selector.poll(50)
    assert real_time.monotonic() - before >= 0.045 and not selector.completed_receives()
    selector.unmute("0")
    selector.poll(600_000)
    assert received(selector) == ["b"]


def test_a_muted_channel_that_writes_is_not_among_those_with_bytes_in_buffers(bench):
    selector = buffering_selector(bench)
    bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    selector.mute("0")
    selector.send(create_send("0", "answer"))
    poll_for(selector, selector.completed_sends)
    assert selector.channel("0").has_bytes_buffered()
    invariants(selector)
    selector.unmute("0")
    before = real_time.monotonic()
    selector.poll(600_000)
    assert received(selector) == ["b"] and real_time.monotonic() - before < 120


def test_a_muted_channel_with_bytes_in_buffers_does_not_keep_a_poll_from_waiting(bench):
    """Its long response is written by several polls, and another channel reads: neither makes haste."""
    selector = buffering_selector(bench)
    peer = bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    selector.mute("0")
    response = bytes(20_000_000)
    selector.send(NetworkSend("0", ByteBufferSend(ByteBuffer.wrap(response))))
    reader = Background(lambda: receive_exactly(peer, len(response)))
    poll_for(selector, selector.completed_sends)
    assert reader.result() == response and selector.channel("0").has_bytes_buffered()
    bench.peer(selector, "1", framed(b"c"))
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["c"]
    before = real_time.monotonic()
    selector.poll(50)
    assert real_time.monotonic() - before >= 0.045, "it did not wait"
    assert not selector.completed_receives()
    invariants(selector)


def test_a_channel_that_is_closed_with_bytes_in_buffers_is_polled_no_more(bench):
    selector = buffering_selector(bench)
    bench.peer(selector, "0", framed(b"a") + framed(b"b"))
    poll_for(selector, selector.completed_receives)
    assert selector._keys_with_buffered_read
    selector.close_id("0")
    assert not selector._keys_with_buffered_read
    selector.poll(0)
    assert not selector.completed_receives() and not selector.disconnected()


def test_a_poll_without_work_is_no_lack_of_memory(bench):
    selector = bench.selector()
    bench.peer(selector, "0")
    selector.send(create_send("0", "answer"))
    poll_for(selector, selector.completed_sends)
    assert not selector.is_made_read_progress_last_poll()
    selector.poll(0)
    assert selector.is_made_read_progress_last_poll()


def test_no_channel_is_handled_twice_in_a_poll(bench):
    handled: list[list[SelectionKey]] = []

    class Recording(Selector):
        def poll_selection_keys(self, selection_keys, is_immediately_connected, current_time_nanos):
            handled.append(list(selection_keys))
            super().poll_selection_keys(selection_keys, is_immediately_connected, current_time_nanos)

    selector = bench.selector(PeerChannelBuilder(buffering=True), Recording)
    buffered, both, ready = (bench.peer(selector, id, framed(b"a") + framed(b"b")) for id in ("0", "1", "2"))
    poll_for(selector, lambda: len(selector._keys_with_buffered_read) == 3)
    both.sendall(framed(b"c"))
    keys = [selector.channel(id).selection_key() for id in ("0", "1", "2")]
    del selector._keys_with_buffered_read[keys[2]]
    ready.sendall(framed(b"c"))
    for key in keys[1:]:
        assert select.select([key.channel()], [], [], 10)[0]
    handled.clear()
    selector.poll(0)
    assert list(map(set, handled)) == [{keys[0]}, {keys[1], keys[2]}, set()]


def test_memory_does_not_unmute_whom_the_caller_muted(bench):
    pool = SimpleMemoryPool(5, 5, True, None)
    selector = bench.selector(memory_pool=pool)
    bench.peer(selector, "holder", framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    [receive] = selector.completed_receives()
    bench.peer(selector, "waiter", framed(b"world"))
    poll_for(selector, selector.is_out_of_memory)
    assert selector.channel("waiter").is_muted()
    selector.mute("waiter")
    receive.close()
    for _ in range(3):
        selector.poll(0)
        assert not selector.completed_receives()
        invariants(selector)
    selector.unmute("waiter")
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["world"]


def test_a_channel_that_waits_for_memory_does_not_spin(bench):
    pool = SimpleMemoryPool(5, 5, True, None)
    selector = bench.selector(memory_pool=pool)
    bench.peer(selector, "holder", framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    [receive] = selector.completed_receives()
    peer = bench.peer(selector, "waiter", framed(b"world"))
    poll_for(selector, selector.is_out_of_memory)
    reset(peer)  # not even this is looked at
    before = real_time.monotonic()
    selector.poll(50)
    assert real_time.monotonic() - before >= 0.045
    assert not selector.disconnected()
    receive.close()
    poll_for(selector, selector.disconnected)


def test_who_comes_first_is_left_to_chance_when_memory_is_low(bench, monkeypatch):
    pool = SimpleMemoryPool(100, 100, True, None)
    selector = bench.selector(memory_pool=pool)
    monkeypatch.setattr(selector._random, "shuffle", list.reverse)
    keys = ["a", "b", "c"]
    pool.try_allocate(90)
    assert selector._determine_handling_order(keys) == ["a", "b", "c"]
    pool.try_allocate(1)
    assert selector._determine_handling_order(keys) == ["c", "b", "a"]
    selector._out_of_memory = True  # nobody is read: nobody can be first
    assert selector._determine_handling_order(keys) == ["a", "b", "c"]
    assert keys == ["a", "b", "c"]


# Authentication.

DELAY_MS = 100


def refused(bench: Bench, selector: Selector, id: str) -> socket.socket:
    """Return a peer that the authenticator of channel ``id`` has just refused."""
    peer = bench.peer(selector, id, b"-")
    poll_for(selector, lambda: id in delayed_closing_channels(selector))
    invariants(selector)
    return peer


def test_a_refused_peer_is_told_and_closed_after_the_delay(bench):
    selector = bench.selector(failed_authentication_delay_ms=DELAY_MS)
    peer = refused(bench, selector, "auth")
    peer.setblocking(False)
    bench.time.sleep(DELAY_MS - 1)
    peer.send(b"more")
    for _ in range(5):
        selector.poll(0)
        assert not selector.disconnected()
        invariants(selector)
    with pytest.raises(BlockingIOError):
        peer.recv(1)
    bench.time.sleep(1)
    selector.poll(0)
    state = selector.disconnected()["auth"]
    assert state.state() is ChannelState.State.AUTHENTICATION_FAILED
    assert isinstance(state.exception(), AuthenticationException)
    assert not delayed_closing_channels(selector)
    peer.settimeout(120)
    assert receive_exactly(peer, 7) == TokenAuthenticator.REFUSAL and peer.recv(1) == b""
    assert metric_value(bench.metrics, "failed-authentication-total") == 1


def test_refused_peers_are_closed_in_the_order_they_were_refused_in(bench):
    selector = bench.selector(failed_authentication_delay_ms=DELAY_MS)
    for number in range(4):
        refused(bench, selector, f"auth{number}")
        bench.time.sleep(10)
    closed = []
    for _ in range(4):
        assert len(delayed_closing_channels(selector)) == 4 - len(closed)
        complete_delayed_channel_close(selector, bench.time.nanoseconds() + (DELAY_MS - 40) * MS - 1)
        assert list(delayed_closing_channels(selector)) == [f"auth{i}" for i in range(len(closed), 4)]
        complete_delayed_channel_close(selector, bench.time.nanoseconds() + (DELAY_MS - 40) * MS)
        closed.append(f"auth{len(closed)}")
        assert list(selector.disconnected()) == closed
        bench.time.sleep(10)


def test_a_refused_peer_that_leaves_is_closed_before_the_delay(bench):
    selector = bench.selector(failed_authentication_delay_ms=DELAY_MS)
    refused(bench, selector, "auth").close()
    state = wait_for_channel_close(selector, "auth", ChannelState.State.AUTHENTICATION_FAILED)
    assert isinstance(state.exception(), AuthenticationException)
    assert not delayed_closing_channels(selector)


def test_a_delayed_close_happens_once(bench):
    selector = bench.selector(failed_authentication_delay_ms=DELAY_MS)
    refused(bench, selector, "auth")
    [delayed_close] = delayed_closing_channels(selector).values()
    assert not delayed_close.try_close(bench.time.nanoseconds() + DELAY_MS * MS - 1)
    assert delayed_close.try_close(bench.time.nanoseconds() + DELAY_MS * MS)
    with pytest.raises(IllegalStateException, match="already been closed"):
        delayed_close.close_now()


def test_without_a_delay_a_refused_peer_is_told_and_closed_at_once(bench):
    selector = bench.selector()
    peer = bench.peer(selector, "auth", b"-")
    assert delayed_closing_channels(selector) is None
    wait_for_channel_close(selector, "auth", ChannelState.State.AUTHENTICATION_FAILED)
    assert receive_exactly(peer, 7) == TokenAuthenticator.REFUSAL and peer.recv(1) == b""


def test_a_refusal_that_cannot_be_told_closes_all_the_same(bench):
    selector = bench.selector()
    bench.peer(selector, "auth", b"-")
    authenticator = selector.channel("auth")._authenticator
    selector.channel("auth")._authenticator = failing = Mock(wraps=authenticator)
    failing.handle_authentication_failure.side_effect = OSError
    wait_for_channel_close(selector, "auth", ChannelState.State.AUTHENTICATION_FAILED)


def test_requests_flow_once_a_peer_is_let_in(bench):
    selector = bench.selector()
    bench.peer(selector, "auth", b"+" + framed(b"hello"))
    assert not selector.is_channel_ready("auth") and not selector.is_channel_ready("nobody")
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["hello"] and selector.is_channel_ready("auth")
    assert selector.channel("auth").successful_authentications() == 1
    assert metric_value(bench.metrics, "successful-authentication-total") == 1
    assert metric_value(bench.metrics, "successful-authentication-no-reauth-total") == 1


@pytest.mark.parametrize(("ready", "state", "becomes"), [
    (True, ChannelState.NOT_CONNECTED, ChannelState.READY), (True, ChannelState.READY, None),
    (False, ChannelState.NOT_CONNECTED, None)])
def test_an_accepted_channel_is_ready_once_it_is_let_in(bench, ready, state, becomes):
    selector = bench.selector()
    channel = mock_channel("0")
    channel.ready.return_value = ready
    channel.state.return_value = channel._state = state
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    assert [call.args[0] for call in channel.state_to.call_args_list] == ([becomes] if becomes else [])


@pytest.mark.parametrize("latency_ms", [17, None])
def test_a_reauthentication_is_measured(bench, latency_ms):
    selector = bench.selector()
    channel = mock_channel("0")
    channel.ready.side_effect = [False, True, True, True]
    channel.successful_authentications.return_value = 2
    channel.reauthentication_latency_ms.return_value = latency_ms
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    channel.prepare.assert_called_once_with()
    assert metric_value(bench.metrics, "successful-reauthentication-total") == 1
    assert metric_value(bench.metrics, "successful-authentication-total") == 0
    for name in ("max", "avg"):
        latency = metric_value(bench.metrics, f"reauthentication-latency-{name}")
        assert latency == latency_ms if latency_ms is not None else latency != latency
    assert not selector.disconnected()


def test_a_failed_reauthentication_is_measured(bench):
    selector = bench.selector()
    channel = mock_channel("0")
    channel.ready.return_value = False
    channel.successful_authentications.return_value = 1
    channel.prepare.side_effect = AuthenticationException("expired")
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    assert metric_value(bench.metrics, "failed-reauthentication-total") == 1
    assert metric_value(bench.metrics, "failed-authentication-total") == 0
    assert "0" in selector.disconnected()


def test_a_response_that_came_during_a_reauthentication_is_handed_out_and_nothing_is_read(bench):
    selector = bench.selector()
    channel = mock_channel("0")
    response = NetworkReceive(source="0", buffer=ByteBuffer.wrap(b"late"))
    channel.poll_response_received_during_reauthentication.return_value = response
    channel.selection_key().ready_ops.return_value = SelectionKey.OP_READ
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    assert list(selector.completed_receives()) == [response]
    channel.read.assert_not_called()
    # A second one within the same poll has nowhere to wait.
    selector.poll_selection_keys([channel.selection_key()], False, 0)
    assert list(selector.completed_receives()) == [response]
    channel.disconnect.assert_called_once_with()


def test_a_write_of_nothing_is_not_counted(bench):
    """As TLS has them: the last bytes were with the transport layer already."""
    selector = bench.selector()
    channel = mock_channel("0")

    def counted(written: int, send: NetworkSend | None) -> list[object]:
        channel.write.return_value, channel.maybe_complete_send.return_value = written, send
        selector.write(channel)
        selector.poll(0)
        return [metric_value(bench.metrics, f"{name}-total")
                for name in ("network-io", "outgoing-byte", "request")]

    assert counted(0, None) == [0, 0, 0]
    assert counted(0, create_send("0", "answer")) == [0, 0, 1]
    assert counted(3, None) == [1, 3, 1]


def test_a_write_gives_way_to_a_reauthentication(bench):
    selector = bench.selector()
    channel = mock_channel("0")
    channel._send = channel.has_send.return_value = True
    channel.selection_key().ready_ops.return_value = SelectionKey.OP_WRITE
    channel.maybe_begin_client_reauthentication.side_effect = lambda now: now() == 7
    selector.poll_selection_keys([channel.selection_key()], False, 7)
    channel.write.assert_not_called()
    channel.write.return_value = 0
    selector.poll_selection_keys([channel.selection_key()], False, 8)
    channel.write.assert_called_once_with()


# Time.


def test_idle_connections_expire_one_a_poll_the_oldest_first(bench):
    selector = bench.selector()
    peers = []
    for number in range(4):
        peers.append(bench.peer(selector, str(number)))
        bench.time.sleep(1)
    peers[1].sendall(framed(b"still here"))
    poll_for(selector, selector.completed_receives)
    bench.time.sleep(CONNECTION_MAX_IDLE_MS)
    expired = []
    for _ in range(3):
        selector.poll(0)
        assert set(selector.disconnected().values()) == {ChannelState.EXPIRED}
        expired += selector.disconnected()
        invariants(selector)
    assert expired == ["0", "2", "3"]
    selector.poll(0)
    assert not selector.disconnected()
    bench.time.sleep(1)
    selector.poll(0)
    assert list(selector.disconnected()) == ["1"]


def test_a_connection_does_not_grow_idle_while_it_is_handled(bench):
    class Slow(Selector):
        def poll_selection_keys(self, selection_keys, is_immediately_connected, current_time_nanos):
            super().poll_selection_keys(selection_keys, is_immediately_connected, current_time_nanos)
            bench.time.sleep(CONNECTION_MAX_IDLE_MS + 1)

    selector = bench.selector(selector_type=Slow)
    bench.peer(selector, "0", framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["hello"] and not selector.disconnected()
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.EXPIRED}


def test_a_connection_that_got_its_response_late_does_not_expire(bench):
    """The response is as much a sign of life as a request."""
    selector = bench.selector()
    peer = bench.peer(selector, "0", framed(b"request"))
    poll_for(selector, selector.completed_receives)
    selector.mute("0")
    bench.time.sleep(CONNECTION_MAX_IDLE_MS - 1)
    selector.send(create_send("0", "answer"))
    poll_for(selector, selector.completed_sends)
    selector.unmute("0")
    assert receive_exactly(peer, 10) == framed(b"answer")
    bench.time.sleep(CONNECTION_MAX_IDLE_MS - 1)
    selector.poll(0)
    assert not selector.disconnected()
    bench.time.sleep(2)
    selector.poll(0)
    assert selector.disconnected() == {"0": ChannelState.EXPIRED}


def test_a_connection_that_was_closed_does_not_expire(bench):
    selector = bench.selector()
    bench.peer(selector, "0")
    bench.peer(selector, "1")
    selector.close_id("0")
    bench.time.sleep(CONNECTION_MAX_IDLE_MS + 1)
    selector.poll(0)
    assert list(selector.disconnected()) == ["1"]


def test_without_expiry_a_connection_stays(bench):
    selector = Selector(Selector.NO_IDLE_TIMEOUT_MS, bench.metrics, bench.time, "MetricGroup",
                        create_channel_builder(), LogContext())
    bench.selectors.append(selector)
    bench.peer(selector, "0")
    bench.time.sleep(10**12)
    selector.poll(0)
    assert not selector.disconnected()
    assert selector.lowest_priority_channel() is selector.channel("0")
    selector.close_id("0")
    assert selector.lowest_priority_channel() is None


def test_the_time_that_a_connection_costs_is_kept(bench):
    bench.time = MockTime(1)  # every look at the clock costs a millisecond
    selector = bench.selector(record_time_per_connection=True)
    bench.peer(selector, "0", framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    spent = selector.channel("0").get_and_reset_network_thread_time_nanos()
    assert spent > 0 and spent % MS == 0
    assert selector.channel("0").get_and_reset_network_thread_time_nanos() == 0


def test_a_wakeup_ends_a_poll_that_has_begun_to_wait(bench):
    selector = bench.selector()
    bench.peer(selector, "watched")
    kernel = selector._nio_selector._selector
    original, wakeups = kernel.select, [threading.Thread(target=selector.wakeup) for _ in range(3)]

    def select_(timeout):
        for thread in wakeups:
            thread.start()
        for thread in wakeups:
            thread.join()
        return original(timeout)

    kernel.select = select_
    before = real_time.monotonic()
    selector.poll(600_000)
    assert real_time.monotonic() - before < 120


def test_a_wakeup_ends_one_poll_only(bench):
    selector = bench.selector()
    for _ in range(3):
        selector.wakeup()
        selector.wakeup()
        before = real_time.monotonic()
        selector.poll(600_000)
        assert real_time.monotonic() - before < 120
        before = real_time.monotonic()
        selector.poll(50)
        assert real_time.monotonic() - before >= 0.045


def test_a_closed_channel_does_not_end_a_poll(bench):
    """The kernel forgets it before the wait begins, whatever its peer does then."""
    selector = bench.selector()
    peer = bench.peer(selector, "0")
    selector.poll(0)
    selector.close_id("0")
    reset(peer)
    before = real_time.monotonic()
    selector.poll(50)
    assert real_time.monotonic() - before >= 0.045
    assert not selector.keys()


def test_a_poll_cannot_wait_for_less_than_nothing(bench):
    with pytest.raises(IllegalArgumentException, match="timeout should be >= 0"):
        bench.selector().poll(-1)


# Connecting.


def test_an_immediate_connection_is_reported_by_the_next_poll_and_works(bench, selector_class):
    server = EchoServer()
    server.start()
    selector = bench.selector(selector_type=NotingSelector)
    selector.connect("0", server.address, BUFFER_SIZE, BUFFER_SIZE)
    invariants(selector)
    selector.poll(600_000)
    assert selector.timeouts == [0]
    assert selector.connected() == ["0"]
    selector.poll(0)
    assert selector.connected() == []
    check_client_connection(selector, "0", 100, 20)
    selector.close_id("0")
    server.close()


def test_a_connection_muted_before_it_is_there_is_not_read(bench):
    server = EchoServer()
    server.start()
    selector = bench.selector()
    selector.connect("0", server.address, BUFFER_SIZE, BUFFER_SIZE)
    selector.mute("0")
    wait_for_channel_ready(selector, "0")
    selector.send(create_send("0", "hello"))
    poll_for(selector, selector.completed_sends)
    for _ in range(3):
        selector.poll(1)
        assert not selector.completed_receives()
        invariants(selector, ["0"])
    selector.unmute("0")
    poll_for(selector, selector.completed_receives)
    assert received(selector) == ["hello"]
    selector.close_id("0")
    server.close()


def test_buffer_sizes_and_options_reach_the_socket(bench):
    selector = bench.selector()
    address = InetSocketAddress("127.0.0.1", bench.listener.socket().get_local_port())
    selector.connect("small", address, 20_000, 20_000)
    selector.connect("default", address, Selector.USE_DEFAULT_BUFFER_SIZE, Selector.USE_DEFAULT_BUFFER_SIZE)
    small, default = (selector.channel(id).selection_key().channel().socket() for id in ("small", "default"))
    assert 20_000 <= small.get_send_buffer_size() <= 40_000 != default.get_send_buffer_size()
    assert 20_000 <= small.get_receive_buffer_size() <= 40_000 != default.get_receive_buffer_size()
    assert small.get_tcp_no_delay() and small.get_keep_alive()


def test_no_selector_without_a_descriptor(bench, monkeypatch):
    def fail():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(nio_selector.Selector, "open", staticmethod(fail))
    with pytest.raises(KafkaException):
        bench.selector()


# Metrics.


def test_bytes_and_messages_are_counted_for_all_and_for_each(bench):
    selector = bench.selector()
    server = EchoServer()
    server.start()
    for id in ("0", "1"):
        selector.connect(id, server.address, BUFFER_SIZE, BUFFER_SIZE)
        wait_for_channel_connected(selector, id)
        for _ in range(3):
            selector.send(create_send(id, "hello"))
            poll_for(selector, selector.completed_receives)

    def value(name: str, **tags: str) -> object:
        group = "MetricGroup-node-metrics" if tags else "MetricGroup-metrics"
        return bench.metrics.metric(bench.metrics.metric_name(name, group, "", tags)).metric_value()

    assert value("outgoing-byte-total") == value("incoming-byte-total") == 6 * 9
    assert value("request-total") == value("response-total") == 6
    for id in ("0", "1"):
        tags = {"node-id": f"node-{id}"}
        assert value("outgoing-byte-total", **tags) == value("incoming-byte-total", **tags) == 3 * 9
        assert value("request-total", **tags) == value("response-total", **tags) == 3
        assert value("request-size-max", **tags) == value("request-size-avg", **tags) == 9
        for name in ("request", "response", "outgoing-byte", "incoming-byte"):
            assert value(f"{name}-rate", **tags) > 0
        # Recorded by who knows which answer belongs to which request.
        latency = bench.metrics.get_sensor(f"node-{id}.latency")
        latency.record(3)
        latency.record(5)
        assert (value("request-latency-avg", **tags), value("request-latency-max", **tags)) == (4, 5)
    assert value("request-size-max") == value("request-size-avg") == 9
    assert value("connection-count") == 2
    for id in ("0", "1"):
        selector.close_id(id)
    assert value("connection-count") == 0 and value("connection-close-total") == 2
    server.close()


def test_a_selector_is_measured_under_kafkas_names(bench):
    bench.time = MockTime(1)  # every look at the clock costs a millisecond
    bench.metrics.close()
    bench.metrics = Metrics(time=bench.time)
    selector = bench.selector(metrics_per_connection=False)
    names = [name for name in bench.metrics.metrics() if name.group() == "MetricGroup-metrics"]
    meters = ("connection-close", "connection-creation", "successful-authentication",
              "successful-reauthentication", "failed-authentication", "failed-reauthentication", "network-io",
              "outgoing-byte", "incoming-byte", "request", "response", "select")
    assert sorted(name.name() for name in names) == sorted((
        *(f"{meter}-{kind}" for meter in meters for kind in ("rate", "total")),
        "successful-authentication-no-reauth-total", "reauthentication-latency-max",
        "reauthentication-latency-avg", "request-size-avg", "request-size-max", "io-wait-time-ns-avg",
        "io-wait-ratio", "io-waittime-total", "io-wait-time-ns-total", "io-time-ns-avg", "io-ratio",
        "iotime-total", "io-time-ns-total", "connection-count"))
    for _ in range(4):
        selector.poll(0)
    assert metric_value(bench.metrics, "select-total") == 4
    for of in ("io", "io-wait"):
        total = metric_value(bench.metrics, f"{of}-time-ns-total")
        assert total == metric_value(bench.metrics, f"{of}time-total") >= 4 * MS and total % MS == 0
        assert metric_value(bench.metrics, f"{of}-time-ns-avg") == total / 4
        assert 0 < metric_value(bench.metrics, f"{of}-ratio") < 1


def test_the_time_of_a_selector_is_measured_by_the_clock_of_its_metrics(bench):
    """A poll a second waits for 600 ms and works for 400."""
    class Timed(Selector):
        def _select(self, timeout_ms):
            bench.time.sleep(600)
            return super()._select(0)

        def poll_selection_keys(self, selection_keys, is_immediately_connected, current_time_nanos):
            super().poll_selection_keys(selection_keys, is_immediately_connected, current_time_nanos)
            if selection_keys:
                bench.time.sleep(400)

    with Metrics(time=bench.time) as bench.metrics:
        selector = bench.selector(selector_type=Timed)
        peer = bench.peer(selector, "0")
        for count in range(100):
            peer.sendall(framed(b"request"))
            wait_until_readable(selector.channel("0").selection_key().channel())
            selector.poll(1000)
            assert received(selector) == ["request"]
        values = {name.name(): metric.metric_value() for name, metric in bench.metrics.metrics().items()
                  if name.group() == "MetricGroup-metrics"}
    assert values["io-wait-ratio"] == pytest.approx(0.6, rel=0.05)
    assert values["io-ratio"] == pytest.approx(0.4, rel=0.05)
    assert values["select-rate"] == values["response-rate"] == pytest.approx(1, rel=0.05)
    assert (values["io-wait-time-ns-avg"], values["io-time-ns-avg"]) == (600 * MS, 400 * MS)
    assert (values["io-wait-time-ns-total"], values["io-time-ns-total"]) == (60_000 * MS, 40_000 * MS)


def test_connections_are_measured_one_by_one_only_where_that_is_asked_for(bench):
    selector = bench.selector(metrics_per_connection=False)
    bench.peer(selector, "0", framed(b"hello"))
    poll_for(selector, selector.completed_receives)
    assert metric_value(bench.metrics, "response-total") == 1
    assert not [name for name in bench.metrics.metrics() if "node-id" in name.tags()]


def test_a_channel_counts_once_for_its_cipher_and_once_for_its_client(bench):
    selector = bench.selector()
    bench.peer(selector, "0")
    bench.peer(selector, "1")
    registries = [selector.channel(id).channel_metadata_registry() for id in ("0", "1")]
    assert all(isinstance(registry, SelectorChannelMetadataRegistry) for registry in registries)

    def clients(name: str, version: str) -> object:
        return metric_value(bench.metrics, "connections", clientSoftwareName=name,
                            clientSoftwareVersion=version)

    def ciphers(cipher: str, protocol: str) -> object:
        return metric_value(bench.metrics, "connections", cipher=cipher, protocol=protocol)

    assert clients("unknown", "unknown") == 2
    for registry in registries:
        for _ in range(2):  # the second time changes nothing
            registry.register_cipher_information(CipherInformation("A", "TLSv1.3"))
            registry.register_client_information(ClientInformation("kreactor", "1"))
        assert registry.cipher_information() == CipherInformation("A", "TLSv1.3")
    assert ciphers("A", "TLSv1.3") == clients("kreactor", "1") == 2
    assert clients("unknown", "unknown") == 0
    registries[0].register_cipher_information(CipherInformation("B", "TLSv1.2"))
    registries[0].register_client_information(ClientInformation("kreactor", "2"))
    assert ciphers("A", "TLSv1.3") == clients("kreactor", "1") == 1
    assert ciphers("B", "TLSv1.2") == clients("kreactor", "2") == 1
    selector.close_id("0")
    registries[0].close()  # a second time changes nothing
    assert ciphers("B", "TLSv1.2") == clients("kreactor", "2") == 0
    assert registries[0].cipher_information() is None and registries[0].client_information() is None
    selector.close_id("1")
    assert ciphers("A", "TLSv1.3") == clients("kreactor", "1") == 0


def test_a_hundred_ciphers_and_a_hundred_clients_are_told_apart(bench):
    selector = bench.selector()
    assert selector._sensors.connections_by_cipher.max_entries() == 100
    assert selector._sensors.connections_by_client.max_entries() == 100


def test_a_channel_that_cannot_be_built_leaves_nothing(bench):
    class Builder(PeerChannelBuilder):
        def _build_channel_transport_layer(self, *args):
            raise RuntimeError("Test exception")

    selector = bench.selector(Builder())
    with pytest.raises(OSError, match="Channel could not be created for socket SocketChannel") as raised:
        bench.peer(selector, "0")
    assert isinstance(raised.value.__cause__, KafkaException)
    assert selector.channels() == [] and bench.peers[0].recv(1) == b""
    address = InetSocketAddress("127.0.0.1", bench.listener.socket().get_local_port())
    with pytest.raises(OSError):
        selector.connect("1", address, BUFFER_SIZE, BUFFER_SIZE)
    selector.poll(0)
    assert not selector.keys() and not selector.disconnected()


def test_a_channel_that_can_neither_be_built_nor_closed_is_not_watched(bench, monkeypatch):
    class Builder(PeerChannelBuilder):
        def build_channel(self, id, key, *args):
            monkeypatch.setattr(SocketChannel, "close", fail)
            raise KafkaException("Test exception")

    def fail(self):
        raise OSError("cannot be closed")

    selector = bench.selector(Builder())
    with pytest.raises(OSError, match="cannot be closed"):
        bench.peer(selector, "0")
    [key] = selector.keys()
    assert not key.is_valid()
    monkeypatch.undo()
    key.channel().close()


# Many.

MANY = 2_000


@pytest.fixture
def descriptors() -> Iterator[None]:
    """Let the process have a descriptor for each end of ``MANY`` connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MANY + 200
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            pytest.skip(f"this process may have {hard} descriptors, and {wanted} are needed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_many_connections_that_leave_at_once(descriptors, selector_class):
    if selector_class.__name__ == "SelectSelector":
        pytest.skip("select knows no descriptor above 1023")
    bench = Bench()
    selector = bench.selector(metrics_per_connection=False)
    try:
        for number in range(MANY):
            bench.peer(selector, str(number), framed(str(number).encode()))
        invariants(selector)
        seen: dict[str, str] = {}
        gone: set[str] = set()

        def all_seen() -> bool:
            for receive in selector.completed_receives():
                assert receive.source() not in seen
                seen[receive.source()] = as_string(receive)
            return len(seen) == MANY

        def all_gone() -> bool:
            assert not gone & set(selector.disconnected())
            gone.update(selector.disconnected())
            return len(gone) == MANY

        poll_for(selector, all_seen)
        assert all(id == text for id, text in seen.items())
        assert metric_value(bench.metrics, "connection-count") == MANY
        for peer in bench.peers:
            peer.close()
        poll_for(selector, all_gone)
        invariants(selector)
        selector.poll(0)
        assert not selector.keys() and metric_value(bench.metrics, "connection-count") == 0
    finally:
        bench.close()


def test_a_send_is_written_only_when_the_socket_has_room(bench):
    """A large send to a peer that does not read, and another channel that goes on meanwhile."""
    selector = bench.selector()
    slow, fast = bench.peer(selector, "slow"), bench.peer(selector, "fast")
    payload = bytes(range(256)) * 40_000
    send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(payload))
    selector.send(NetworkSend("slow", send))
    poll_for(selector, lambda: send.remaining() < send.size())
    for _ in range(3):
        fast.sendall(framed(b"hello"))
        poll_for(selector, selector.completed_receives)
        selector.send(create_send("fast", "answer"))
        poll_for(selector, selector.completed_sends)
        assert receive_exactly(fast, 10) == framed(b"answer")
    assert not send.completed()
    assert selector.channel("slow").selection_key().interest_ops() & SelectionKey.OP_WRITE
    got = bytearray()
    slow.settimeout(0)
    while len(got) < send.size():
        selector.poll(10)
        try:
            got += slow.recv(1 << 20)
        except BlockingIOError:
            pass
    assert got[4:] == payload
    poll_for(selector, lambda: not selector.channel("slow").has_send())


def test_a_connection_that_is_not_there_yet_is_asked_for_again(bench, monkeypatch):
    """It is neither reported nor read, and is no failure."""
    server = EchoServer()
    server.start()
    selector = bench.selector()
    finish_connect = KafkaChannel.finish_connect
    outcomes = [False, False]

    def finishes(channel):
        return outcomes.pop() if outcomes else finish_connect(channel)

    monkeypatch.setattr(KafkaChannel, "finish_connect", finishes)
    selector.connect("0", server.address, BUFFER_SIZE, BUFFER_SIZE)
    while outcomes:
        selector.poll(10)
        assert not selector.connected() and not selector.disconnected()
    wait_for_channel_connected(selector, "0")
    check_client_connection(selector, "0", 10, 3)
    selector.close_id("0")
    server.close()


@pytest.mark.parametrize("known", [None, ClientInformation("client", "1")])
def test_a_client_that_is_known_when_it_is_registered_stays_known(bench, known):
    """Any other one counts as a client without a name."""
    class Builder(PeerChannelBuilder):
        def build_channel(self, id, key, max_receive_size, memory_pool, metadata_registry):
            if known is not None:
                metadata_registry.register_client_information(known)
            return super().build_channel(id, key, max_receive_size, memory_pool, metadata_registry)

    selector = bench.selector(Builder())
    bench.peer(selector, "0")
    registry = selector.channel("0").channel_metadata_registry()
    assert registry.client_information() == (known or ClientInformation.EMPTY)
    counted = [(name.tags()["clientSoftwareName"], metric.metric_value())
               for name, metric in bench.metrics.metrics().items() if "clientSoftwareName" in name.tags()]
    assert counted == [(known.software_name() if known else "unknown", 1)]
