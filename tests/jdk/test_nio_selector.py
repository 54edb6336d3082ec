# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One contract for the selector, held by every selector class that the host has."""

from __future__ import annotations

import errno
import select
import selectors
import socket
import struct
import threading
import time
from collections import deque
from typing import Iterator

import pytest

from kreactor.jdk import nio_selector
from kreactor.jdk.bounded_epoll_selector import BoundedEpollSelector
from kreactor.jdk.exceptions import (
    CancelledKeyException,
    ClosedChannelException,
    ClosedSelectorException,
    IllegalArgumentException,
    IllegalStateException,
)
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector

READ, WRITE, CONNECT, ACCEPT = (
    SelectionKey.OP_READ, SelectionKey.OP_WRITE, SelectionKey.OP_CONNECT, SelectionKey.OP_ACCEPT)

SELECTOR_CLASSES = [
    getattr(selectors, name)
    for name in ("EpollSelector", "KqueueSelector", "DevpollSelector", "PollSelector", "SelectSelector")
    if hasattr(selectors, name)
] + ([BoundedEpollSelector] if BoundedEpollSelector.is_available() else [])

# Longer than any test should wait, shorter than anybody's patience.
LONG_MS = 120_000


class Recording(selectors.BaseSelector):
    """Passes on to a selector and notes what the kernel is told, and how long it is to wait."""

    def __init__(self, inner: selectors.BaseSelector) -> None:
        self.inner = inner
        self.told: list[tuple[str, int]] = []
        self.timeouts: list[float | None] = []

    def register(self, fileobj, events, data=None):
        self.told.append(("register", events))
        return self.inner.register(fileobj, events, data)

    def unregister(self, fileobj):
        self.told.append(("unregister", 0))
        return self.inner.unregister(fileobj)

    def modify(self, fileobj, events, data=None):
        self.told.append(("modify", events))
        return self.inner.modify(fileobj, events, data)

    def select(self, timeout=None):
        self.timeouts.append(timeout)
        return self.inner.select(timeout)

    def close(self):
        self.inner.close()

    def get_map(self):
        return self.inner.get_map()


@pytest.fixture(params=SELECTOR_CLASSES, ids=lambda c: c.__name__)
def recording(request) -> Recording:
    return Recording(request.param())


@pytest.fixture
def selector(recording: Recording) -> Iterator[Selector]:
    selector = Selector(recording)
    recording.told.clear()  # the wakeup's own registration
    yield selector
    selector.close()


@pytest.fixture
def listener() -> Iterator[ServerSocketChannel]:
    channel = ServerSocketChannel.open()
    channel.bind(InetSocketAddress("127.0.0.1", 0))
    channel.configure_blocking(False)
    yield channel
    channel.close()


@pytest.fixture
def pair(listener: ServerSocketChannel) -> Iterator[tuple[SocketChannel, socket.socket]]:
    """A connected channel of ours that does not block, and the plain socket on its other end."""
    listener.configure_blocking(True)
    peer = socket.create_connection(("127.0.0.1", listener.socket().get_local_port()))
    channel = listener.accept()
    assert channel is not None
    channel.configure_blocking(False)
    yield channel, peer
    channel.close()
    peer.close()


@pytest.fixture
def watched(selector: Selector, listener: ServerSocketChannel) -> SelectionKey:
    """A key of interest of which nothing comes: a select asks the kernel for it."""
    listener.configure_blocking(False)
    return listener.register(selector, ACCEPT)


def selected(selector: Selector) -> list[SelectionKey]:
    keys = list(selector.selected_keys())
    selector.selected_keys().clear()
    return keys


def test_a_channel_is_ready_for_what_it_is_interested_in(selector, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    assert selector.select_now() == 0
    key.interest_ops_to(READ | WRITE)
    assert selector.select(LONG_MS) == 1 and selected(selector) == [key]
    assert key.is_writable() and not key.is_readable() and key.ready_ops() == WRITE
    key.interest_ops_to(READ)
    peer.sendall(b"x")
    assert selector.select(LONG_MS) == 1
    assert selected(selector) == [key]
    assert key.is_readable() and not key.is_writable()
    key.interest_ops_to(READ | WRITE)
    assert selector.select(LONG_MS) == 1
    assert key.is_readable() and key.is_writable()


def test_interest_is_added_and_taken_away(selector, pair):
    channel, _ = pair
    key = channel.register(selector, READ)
    assert key.interest_ops_or(WRITE) == READ and key.interest_ops() == READ | WRITE
    assert selector.select(LONG_MS) == 1 and key.is_writable()
    assert key.interest_ops_or(WRITE) == READ | WRITE
    assert key.interest_ops_and(~WRITE) == READ | WRITE and key.interest_ops() == READ
    with pytest.raises(IllegalArgumentException, match="operations 17 are not among 13"):
        key.interest_ops_or(ACCEPT)
    assert key.interest_ops() == READ


def test_the_attachment_stays_with_the_key(selector, pair):
    channel, _ = pair
    key = channel.register(selector, READ, "attached")
    assert key.attachment() == "attached"
    assert key.attach(None) == "attached"
    assert key.attachment() is None
    assert key.channel() is channel and key.selector() is selector


def test_a_key_left_among_the_selected_counts_only_when_readier(selector, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    peer.sendall(b"x")
    assert selector.select(LONG_MS) == 1
    assert selector.select_now() == 0
    key.interest_ops_to(READ | WRITE)
    assert selector.select(LONG_MS) == 1
    assert key.is_readable() and key.is_writable()
    assert selector.select_now() == 0


def test_what_a_key_left_among_the_selected_was_ready_for_stays(selector, pair):
    channel, peer = pair
    key = channel.register(selector, WRITE)
    assert selector.select(LONG_MS) == 1 and key.ready_ops() == WRITE
    key.interest_ops_to(READ)
    peer.sendall(b"x")
    assert selector.select(LONG_MS) == 1 and key.ready_ops() == READ | WRITE


def test_connections_are_accepted_and_connects_finish(selector, listener):
    accept_key = listener.register(selector, ACCEPT)
    client = SocketChannel.open()
    client.configure_blocking(False)
    connected = client.connect(InetSocketAddress("127.0.0.1", listener.socket().get_local_port()))
    client_key = client.register(selector, CONNECT)
    seen: set[SelectionKey] = set()
    while len(seen) < 2 and selector.select(LONG_MS):
        for key in selected(selector):
            seen.add(key)
            if key is accept_key:
                assert key.is_acceptable()
                accepted = listener.accept()
                assert accepted is not None
            else:
                assert key.is_connectable()
                connected = client.finish_connect()
                key.interest_ops_to(0)
    assert seen == {accept_key, client_key} and connected and client.is_connected()
    accepted.close()
    client.close()


def test_a_refused_connect_is_reported_by_finish_connect(selector, listener):
    port = listener.socket().get_local_port()
    listener.close()
    client = SocketChannel.open()
    client.configure_blocking(False)
    with pytest.raises(ConnectionRefusedError):
        if not client.connect(InetSocketAddress("127.0.0.1", port)):
            client.register(selector, CONNECT)
            assert selector.select(LONG_MS) == 1
            client.finish_connect()
    assert not client.is_open()


def test_interest_that_comes_and_goes_between_selects_is_not_told(selector, recording, pair):
    channel, _ = pair
    key = channel.register(selector, READ)
    selector.select_now()
    assert recording.told == [("register", selectors.EVENT_READ)]
    recording.told.clear()
    key.interest_ops_to(0)
    key.interest_ops_to(WRITE)
    key.interest_ops_to(READ)
    selector.select_now()
    assert recording.told == []
    key.interest_ops_to(READ | WRITE)
    selector.select_now()
    assert recording.told == [("modify", selectors.EVENT_READ | selectors.EVENT_WRITE)]


def test_a_key_without_interest_is_not_in_the_kernels_set(selector, recording, pair):
    channel, peer = pair
    key = channel.register(selector, 0)
    selector.select_now()
    assert recording.told == []
    key.interest_ops_to(READ)
    selector.select_now()
    key.interest_ops_to(0)
    selector.select_now()
    assert recording.told == [("register", selectors.EVENT_READ), ("unregister", 0)]
    peer.sendall(b"x")
    assert select.select([channel], [], [], 10)[0]
    assert selector.select_now() == 0
    key.interest_ops_to(READ)
    assert selector.select(LONG_MS) == 1


def test_writing_is_watched_and_forgotten(selector, recording, pair):
    channel, _ = pair
    key = channel.register(selector, READ)
    selector.select_now()
    key.interest_ops_to(WRITE)
    assert selector.select(LONG_MS) == 1 and key.ready_ops() == WRITE
    selector.selected_keys().clear()
    key.interest_ops_to(0)
    assert selector.select_now() == 0
    key.interest_ops_to(READ)
    assert selector.select_now() == 0
    assert recording.told == [
        ("register", selectors.EVENT_READ), ("modify", selectors.EVENT_WRITE), ("unregister", 0),
        ("register", selectors.EVENT_READ)]


def test_the_hang_up_of_a_muted_peer_does_not_spin(selector, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    selector.select_now()
    key.interest_ops_to(0)
    # A reset, the strongest form: with SO_LINGER 0 close sends it.
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
    before = time.monotonic()
    assert selector.select(50) == 0
    assert time.monotonic() - before >= 0.045
    key.interest_ops_to(READ)
    assert selector.select(LONG_MS) == 1
    assert key.is_readable()
    with pytest.raises(ConnectionResetError):
        channel.read(ByteBuffer.allocate(1))


def test_end_of_stream_makes_readable(selector, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    peer.close()
    assert selector.select(LONG_MS) == 1
    assert key.is_readable()
    assert channel.read(ByteBuffer.allocate(1)) == -1


def test_a_cancelled_key_is_invalid_at_once_and_gone_after_a_select(selector, recording, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    peer.sendall(b"x")
    selector.select(LONG_MS)
    key.cancel()
    key.cancel()
    assert not key.is_valid()
    assert key in selector.keys() and key in selector.selected_keys()
    for use in (key.interest_ops, key.ready_ops, key.is_readable, lambda: key.interest_ops_to(READ),
                lambda: key.interest_ops_or(READ), lambda: key.interest_ops_and(READ)):
        with pytest.raises(CancelledKeyException):
            use()
    assert selector.select_now() == 0
    assert key not in selector.keys() and key not in selector.selected_keys()
    assert not channel.is_registered() and channel.is_open()
    # The channel may be registered anew.
    assert channel.register(selector, READ) is not key
    assert selector.select(LONG_MS) == 1


def test_a_key_cancelled_before_it_was_told_is_never_told(selector, recording, pair):
    channel, _ = pair
    channel.register(selector, READ).cancel()
    selector.select_now()
    assert recording.told == []


def test_a_key_that_a_select_removes_is_invalid_already(
        selector: Selector, pair: tuple[SocketChannel, socket.socket]) -> None:
    """Another thread cancels the key. The select begins as soon as the key is among the cancelled ones."""
    channel, _ = pair
    key = channel.register(selector, READ)
    seen = []

    class Cancelled(deque[SelectionKey]):
        def append(self, key: SelectionKey) -> None:
            super().append(key)
            selector.select_now()
            seen.append((key in selector.keys(), key.is_valid()))

    selector._cancelled = Cancelled()
    key.cancel()
    assert seen == [(False, False)]


def test_closing_a_registered_channel_says_goodbye_and_keeps_the_descriptor_until_the_select(selector, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    peer.sendall(b"never read")
    selector.select(LONG_MS)
    channel.write(ByteBuffer.wrap(b"answer"))
    channel.close()
    assert not channel.is_open() and not key.is_valid()
    assert channel.fileno() >= 0
    # The answer and the end arrive, in spite of the bytes that were never read.
    assert peer.recv(100) == b"answer"
    assert peer.recv(100) == b""
    selector.select_now()
    with pytest.raises(ClosedChannelException):
        channel.fileno()
    assert key not in selector.keys()


def test_closing_a_channel_that_is_not_registered_closes_it_at_once(pair):
    channel, _ = pair
    channel.close()
    with pytest.raises(ClosedChannelException):
        channel.fileno()


def test_the_number_of_a_closed_descriptor_can_come_again(selector, listener):
    """The kernel may give the same number to the next connection: the old key must not be in the way."""
    listener.configure_blocking(True)
    numbers = set()
    for _ in range(5):
        peer = socket.create_connection(("127.0.0.1", listener.socket().get_local_port()))
        channel = listener.accept()
        channel.configure_blocking(False)
        numbers.add(channel.fileno())
        key = channel.register(selector, READ)
        peer.sendall(b"x")
        assert selector.select(LONG_MS) == 1
        assert selected(selector) == [key]
        channel.close()
        peer.close()
        selector.select_now()
    assert len(numbers) < 5


def test_close_lets_channels_go_and_finishes_their_closing(recording, pair):
    channel, _ = pair
    selector = Selector(recording)
    key = channel.register(selector, READ)
    selector.select_now()
    selector.close()
    selector.close()
    assert not selector.is_open() and not key.is_valid() and not channel.is_registered()
    assert channel.is_open()
    for use in (selector.select_now, selector.keys, selector.selected_keys, lambda: selector.select(1),
                lambda: channel.register(selector, READ)):
        with pytest.raises(ClosedSelectorException):
            use()
    selector.wakeup()  # harmless


def test_operations_must_be_the_channels(selector, pair, listener):
    channel, _ = pair
    with pytest.raises(IllegalArgumentException):
        channel.register(selector, ACCEPT)
    with pytest.raises(IllegalArgumentException):
        listener.register(selector, READ)
    key = channel.register(selector, READ)
    with pytest.raises(IllegalArgumentException):
        key.interest_ops_to(ACCEPT)
    with pytest.raises(IllegalArgumentException):
        selector.select(-1)


def test_a_blocking_or_closed_channel_cannot_be_registered(selector, pair):
    channel, _ = pair
    channel.configure_blocking(True)
    with pytest.raises(IllegalStateException):
        channel.register(selector, READ)
    channel.close()
    with pytest.raises(ClosedChannelException):
        channel.register(selector, READ)


def test_a_registered_channel_cannot_block(selector, pair):
    channel, _ = pair
    channel.register(selector, READ)
    with pytest.raises(IllegalStateException):
        channel.configure_blocking(True)


def test_a_channel_has_one_selector(selector, pair):
    channel, _ = pair
    channel.register(selector, READ)
    other = Selector.open()
    with pytest.raises(IllegalStateException):
        channel.register(other, READ)
    other.close()


def test_what_was_closed_before_a_select_is_gone_before_it_waits(
        selector, recording, pair, watched, monkeypatch):
    channel, peer = pair
    channel.register(selector, READ)
    selector.select_now()
    channel.close()
    seen = []

    def select(timeout):
        seen.append((channel.is_registered(), channel._sock))
        return []

    monkeypatch.setattr(recording, "select", select)
    selector.select(LONG_MS)
    assert seen == [(False, None)]


def test_what_is_closed_during_a_select_is_gone_when_it_returns(selector, recording, pair, monkeypatch):
    channel, _ = pair
    channel.register(selector, READ)
    selector.select_now()
    kernel_select = recording.select

    def select(timeout):
        channel.close()
        return kernel_select(0)

    monkeypatch.setattr(recording, "select", select)
    selector.select_now()
    assert not channel.is_registered() and channel._sock is None and not selector.keys()


def test_registering_again_changes_interest_and_attachment(selector, pair):
    channel, _ = pair
    key = channel.register(selector, READ, "a")
    assert channel.register(selector, WRITE, "b") is key
    assert key.interest_ops() == WRITE and key.attachment() == "b"


def test_wakeup_before_a_select_keeps_it_from_waiting(selector, recording, watched):
    selector.wakeup()
    selector.wakeup()
    assert selector.select(LONG_MS) == 0
    assert recording.timeouts == [0]
    # One select pays for all of them.
    assert selector.select(1) == 0
    before = time.monotonic()
    selector.select(50)
    assert time.monotonic() - before >= 0.045
    # So it is without the kernel.
    watched.interest_ops_to(0)
    selector.select_now()
    recording.timeouts.clear()
    selector.wakeup()
    assert selector.select(LONG_MS) == 0
    before = time.monotonic()
    selector.select(50)
    assert time.monotonic() - before >= 0.045
    assert not recording.timeouts


def test_a_wait_may_be_longer_than_the_kernel_waits(selector, recording, pair):
    channel, peer = pair
    channel.register(selector, READ)
    peer.sendall(b"x")
    for timeout_ms in (2**63 - 1, 2**31, 2**31 - 1, 1500, 0):
        assert selector.select(timeout_ms) == 1
        selected(selector)
    assert selector.select_now() == 1
    longest = (2**31 - 1) / 1000
    assert recording.timeouts == [longest, longest, longest, 1.5, None, 0]
    with pytest.raises(IllegalArgumentException):
        selector.select(-1)


def test_wakeup_during_a_select_ends_it(selector, watched):
    thread = threading.Thread(target=selector.wakeup)
    # The announcement that the thread may be asleep is what makes the wakeup write its byte.
    original = selector._selector.select

    def select(timeout):
        thread.start()
        return original(timeout)

    selector._selector.select = select
    before = time.monotonic()
    assert selector.select(LONG_MS) == 0
    thread.join()
    assert time.monotonic() - before < LONG_MS / 1000


def test_the_kernel_is_asked_only_if_anything_is_of_interest(selector, recording, pair, watched):
    channel, peer = pair
    key = channel.register(selector, READ)
    peer.sendall(b"x")
    assert selector.select(LONG_MS) == 1
    selected(selector)
    for end in (lambda: watched.interest_ops_to(0), watched.cancel):
        key.interest_ops_to(0)
        watched.interest_ops_to(ACCEPT)
        recording.timeouts.clear()
        assert selector.select(1) == 0
        assert recording.timeouts
        end()
        recording.timeouts.clear()
        assert selector.select(1) == 0
        assert not recording.timeouts
        # A look without a wait goes to the kernel all the same.
        assert selector.select_now() == 0
        assert recording.timeouts == [0]
        key.interest_ops_to(READ)
        assert selector.select(LONG_MS) == 1
        selected(selector)


@pytest.mark.parametrize("timeout_ms", [0, LONG_MS])
def test_wakeup_ends_a_wait_without_the_kernel(selector, recording, pair, timeout_ms):
    channel, _ = pair
    channel.register(selector, 0)

    def wake() -> None:
        deadline = time.monotonic() + 120
        while not selector._wakeup._at_bell and time.monotonic() < deadline:
            time.sleep(0.001)
        channel.close()
        selector.wakeup()

    thread = threading.Thread(target=wake)
    thread.start()
    before = time.monotonic()
    assert selector.select(timeout_ms) == 0
    assert time.monotonic() - before < LONG_MS / 1000
    thread.join()
    assert not recording.timeouts
    assert not channel.is_registered() and channel._sock is None


def test_wakeup_after_a_select_is_owed_to_the_next(selector, pair):
    channel, peer = pair
    channel.register(selector, READ)
    peer.sendall(b"x")
    assert selector.select(LONG_MS) == 1
    selector.wakeup()
    assert selector.select(LONG_MS) == 0


def test_select_now_settles_a_wakeup(selector):
    selector.wakeup()
    selector.select_now()
    before = time.monotonic()
    selector.select(50)
    assert time.monotonic() - before >= 0.045


def test_no_wakeup_is_lost_under_fire(selector, watched):
    """A waker adds an item and wakes; the selecting thread must find every item without a time-out.

    It waits in the kernel and without it in turn.
    """
    items, found, rounds = [], 0, 2000
    ready = threading.Semaphore(0)

    def wake() -> None:
        for number in range(rounds):
            items.append(number)
            selector.wakeup()
            ready.acquire()

    thread = threading.Thread(target=wake)
    thread.start()
    deadline = time.monotonic() + 60
    while found < rounds and time.monotonic() < deadline:
        before = time.monotonic()
        watched.interest_ops_to(ACCEPT - watched.interest_ops())
        selector.select(LONG_MS)
        assert time.monotonic() - before < LONG_MS / 1000
        while items:
            items.pop()
            found += 1
            ready.release()
    thread.join()
    assert found == rounds


def test_many_wakeups_cost_one_byte(selector, watched):
    reads = []
    original = selector._selector.select

    def select(timeout):
        for _ in range(100_000):  # more than a pipe would hold
            selector.wakeup()
        reads.append(timeout)
        return original(timeout)

    selector._selector.select = select
    assert selector.select(LONG_MS) == 0
    assert selector.select_now() == 0
    assert reads == [LONG_MS / 1000, 0]


def test_without_descriptors_for_a_wakeup_nothing_is_left(recording, monkeypatch):
    def fail() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    closed = []
    monkeypatch.setattr(nio_selector, "Wakeup", fail)
    monkeypatch.setattr(recording, "close", lambda: closed.append(recording.inner.close()))
    with pytest.raises(OSError, match="Too many open files"):
        Selector(recording)
    assert closed == [None]
