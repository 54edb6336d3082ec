# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import errno
import os
import socket
import struct
import sys
import threading
from typing import Iterator

import pytest

from kreactor.jdk.exceptions import (
    ClosedChannelException,
    IllegalStateException,
    NotYetConnectedException,
    UnresolvedAddressException,
)
from kreactor.jdk.net import InetAddress, InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import Selector


@pytest.fixture
def listener() -> Iterator[ServerSocketChannel]:
    channel = ServerSocketChannel.open()
    channel.bind(InetSocketAddress("127.0.0.1", 0))
    yield channel
    channel.close()


@pytest.fixture
def pair(listener: ServerSocketChannel) -> Iterator[tuple[SocketChannel, socket.socket]]:
    peer = socket.create_connection(("127.0.0.1", listener.socket().get_local_port()))
    channel = listener.accept()
    channel.configure_blocking(False)
    yield channel, peer
    channel.close()
    peer.close()


def read_all(channel: SocketChannel, count: int) -> bytes:
    """Read ``count`` bytes, blocking."""
    channel.configure_blocking(True)
    buffer = ByteBuffer.allocate(count)
    while buffer.has_remaining():
        assert channel.read(buffer) > 0
    channel.configure_blocking(False)
    return buffer.flip().to_bytes()


def test_would_block_is_zero_and_the_end_is_minus_one(pair):
    channel, peer = pair
    buffer = ByteBuffer.allocate(4)
    assert channel.read(buffer) == 0
    assert channel.read_buffers([buffer]) == 0
    assert buffer.position() == 0
    peer.sendall(b"ab")
    peer.shutdown(socket.SHUT_WR)
    assert read_all(channel, 2) == b"ab"
    assert channel.read(buffer) == -1
    assert channel.read_buffers([buffer]) == -1
    buffer.set_limit(0)
    assert channel.read(buffer) == 0
    assert channel.read_buffers([buffer]) == 0


def test_a_full_send_buffer_takes_zero(pair):
    channel, _ = pair
    block = bytes(1 << 20)
    while channel.write(ByteBuffer.wrap(block)):
        pass
    buffer = ByteBuffer.wrap(b"x")
    assert channel.write(buffer) == 0 and buffer.has_remaining()
    assert channel.write_buffers([buffer]) == 0 and buffer.has_remaining()


def test_scatter_and_gather_keep_the_order(pair):
    channel, peer = pair
    sources = [ByteBuffer.wrap(b"ab"), ByteBuffer.wrap(b""), ByteBuffer.wrap(b"cdef")]
    assert channel.write_buffers(sources) == 6
    assert channel.write_buffers(sources) == 0
    assert peer.recv(100) == b"abcdef"
    peer.sendall(b"12345")
    channel.configure_blocking(True)
    targets = [ByteBuffer.allocate(2), ByteBuffer.allocate(0), ByteBuffer.allocate(9)]
    count = 0
    while count < 5:
        count += channel.read_buffers(targets)
    assert targets[0].flip().to_bytes() == b"12" and targets[2].flip().to_bytes() == b"345"


def test_a_gather_of_more_buffers_than_one_call_takes_is_partial(pair):
    channel, peer = pair
    sources = [ByteBuffer.wrap(bytes([number % 256])) for number in range(3000)]
    written = 0
    while written < 3000:
        step = channel.write_buffers(sources)
        assert step > 0
        written += step
    received = b""
    while len(received) < 3000:
        received += peer.recv(4096)
    assert received == bytes(number % 256 for number in range(3000))


def test_the_ends_outlive_the_close(pair):
    channel, peer = pair
    port = peer.getsockname()[1]
    view = channel.socket()
    local = view.get_local_port()
    assert view.get_remote_socket_address() == InetSocketAddress("127.0.0.1", port)
    assert view.get_local_address() == InetAddress.get_by_name("127.0.0.1")
    assert channel.get_remote_address() == view.get_remote_socket_address()
    assert channel.get_local_address() == view.get_local_socket_address()
    channel.close()
    assert view.is_closed()
    assert (view.get_port(), view.get_local_port()) == (port, local)
    assert view.get_inet_address() == InetAddress.get_by_name("127.0.0.1")
    assert view.get_local_address().is_any_local_address()
    for use in (channel.get_remote_address, channel.get_local_address, view.get_send_buffer_size,
                lambda: channel.read(ByteBuffer.allocate(1)), lambda: channel.write(ByteBuffer.wrap(b"x"))):
        with pytest.raises(ClosedChannelException):
            use()


def test_options_reach_the_socket(pair):
    channel, _ = pair
    view = channel.socket()
    view.set_tcp_no_delay(True)
    view.set_keep_alive(True)
    view.set_send_buffer_size(20_000)
    view.set_receive_buffer_size(20_000)
    assert view.get_tcp_no_delay() and view.get_keep_alive()
    assert view.get_send_buffer_size() >= 20_000 and view.get_receive_buffer_size() >= 20_000
    assert view.get_so_timeout() == 0


def test_the_other_end_is_known_before_it_is_reached(listener):
    address = InetSocketAddress("127.0.0.1", listener.socket().get_local_port())
    channel = SocketChannel.open()
    channel.configure_blocking(False)
    assert channel.get_remote_address() is None and not channel.is_connection_pending()
    connected = channel.connect(address)
    assert channel.is_connection_pending() is not connected
    assert channel.get_remote_address() == address and channel.socket().get_port() == address.get_port()
    accepted = listener.accept()
    assert connected or channel.finish_connect()
    assert not channel.is_connection_pending() and channel.get_remote_address() == address
    for each in (channel, accepted):
        each.close()


@pytest.mark.parametrize("code", [errno.ENOTCONN, errno.ENOBUFS])
def test_a_connection_that_is_not_there_yet(code):
    class Sock:
        def getsockopt(self, level, option):
            return 0

        def getpeername(self):
            raise OSError(code, os.strerror(code))

        def close(self):
            pass

    channel = SocketChannel(Sock())
    if code == errno.ENOTCONN:
        assert not channel.finish_connect()
    else:
        with pytest.raises(OSError, match=os.strerror(code)):
            channel.finish_connect()
    assert not channel.is_connected() and channel.is_open()
    channel.close()


def test_an_unconnected_channel_has_no_ends():
    channel = SocketChannel.open()
    view = channel.socket()
    assert view.get_inet_address() is None and view.get_port() == 0
    assert view.get_local_port() == -1 and view.get_local_socket_address() is None
    assert view.get_remote_socket_address() is None
    with pytest.raises(NotYetConnectedException):
        channel.read(ByteBuffer.allocate(1))
    with pytest.raises(NotYetConnectedException):
        channel.write(ByteBuffer.allocate(1))
    with pytest.raises(UnresolvedAddressException):
        channel.connect(InetSocketAddress.create_unresolved("nowhere", 1))
    assert str(channel) == "SocketChannel[unconnected]"
    channel.close()
    assert str(channel) == "SocketChannel[closed]"


def test_a_blocking_connect_is_there_at_once(listener):
    channel = SocketChannel.open()
    assert channel.connect(InetSocketAddress("127.0.0.1", listener.socket().get_local_port()))
    assert channel.is_connected() and channel.finish_connect()
    channel.close()
    assert not channel.is_connected()


@pytest.mark.skipif(not socket.has_ipv6, reason="the host has no IPv6")
def test_options_survive_the_change_to_ipv6():
    listener = ServerSocketChannel.open()
    try:
        listener.bind(InetSocketAddress("::1", 0))
    except OSError:
        listener.close()
        pytest.skip("the host has no IPv6 loopback")
    channel = SocketChannel.open()
    channel.configure_blocking(False)
    channel.socket().set_keep_alive(True)
    channel.socket().set_tcp_no_delay(True)
    channel.socket().set_send_buffer_size(30_000)
    connected = channel.connect(InetSocketAddress("::1", listener.socket().get_local_port()))
    assert not channel._sock.getblocking()
    accepted = listener.accept()
    assert connected or channel.finish_connect()
    assert channel.socket().get_keep_alive() and channel.socket().get_tcp_no_delay()
    assert 30_000 <= channel.socket().get_send_buffer_size() <= 70_000
    assert accepted.socket().get_inet_address().get_host_address() == "0:0:0:0:0:0:0:1"
    for each in (channel, accepted, listener):
        each.close()


def test_the_wildcard_takes_ipv4_as_ipv4():
    listener = ServerSocketChannel.open()
    listener.bind(InetSocketAddress(None, 0))
    peer = socket.create_connection(("127.0.0.1", listener.socket().get_local_port()))
    accepted = listener.accept()
    assert accepted.socket().get_inet_address().get_host_address() == "127.0.0.1"
    assert accepted.socket().get_local_address().get_host_address() == "127.0.0.1"
    for each in (peer, accepted, listener):
        each.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the host has no IPv6")
def test_the_wildcard_alone_takes_both_families(listener):
    with socket.create_connection(("127.0.0.1", listener.socket().get_local_port())) as peer:
        assert listener._sock.family == peer.family == socket.AF_INET
    everywhere = ServerSocketChannel.open()
    everywhere.bind(InetSocketAddress("0.0.0.0", 0))
    assert everywhere._sock.family == socket.AF_INET6
    everywhere.close()


def test_a_channel_that_a_selector_has_let_go_may_wait_again(pair):
    channel, _ = pair
    selector = Selector.open()
    channel.register(selector, channel.OP_READ).cancel()
    assert channel.is_registered()
    with pytest.raises(IllegalStateException):
        channel.configure_blocking(True)
    selector.select_now()
    assert not channel.is_registered()
    channel.configure_blocking(True)
    selector.close()


def test_accept_that_may_not_wait_returns_none(listener):
    listener.configure_blocking(False)
    assert listener.accept() is None
    listener.close()
    with pytest.raises(ClosedChannelException):
        listener.accept()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
@pytest.mark.parametrize(("backlog", "length"), [
    ([], 50), ([-1], 50), ([0], 50), ([1], 1), ([50], 50), ([128], 128)])
def test_the_length_of_the_queue_of_connections(backlog, length):
    listener = ServerSocketChannel.open()
    listener.bind(InetSocketAddress("127.0.0.1", 0), *backlog)
    info = listener._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    # Eight bytes, then numbers: of a listening socket the sixth is the length of its queue.
    assert struct.unpack_from("8x6I", info)[5] == length
    listener.close()


def test_a_port_can_be_had_again_while_old_connections_time_out(listener):
    assert listener._sock.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)


def test_an_address_in_use_is_an_os_error(listener):
    other = ServerSocketChannel.open()
    with pytest.raises(OSError):
        other.bind(InetSocketAddress("127.0.0.1", listener.socket().get_local_port()))
    other.close()


def test_shutdown_of_the_sending_side_keeps_reading(pair):
    channel, peer = pair
    channel.shutdown_output()
    assert peer.recv(1) == b""
    peer.sendall(b"x")
    assert read_all(channel, 1) == b"x"


def test_close_from_two_threads_closes_once(pair):
    channel, _ = pair
    threads = [threading.Thread(target=channel.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not channel.is_open()


def test_files_are_read_written_and_cut_at_positions(tmp_path):
    path = tmp_path / "file"
    channel = FileChannel.open(path, os.O_RDWR | os.O_CREAT)
    assert channel.size() == 0 and channel.is_open()
    assert channel.write(b"hello world", 0) == 11
    source = ByteBuffer.wrap(b"HELLO")
    assert channel.write(source, 0) == 5 and not source.has_remaining()
    buffer = ByteBuffer.allocate(5)
    assert channel.read(buffer, 6) == 5
    assert buffer.flip().to_bytes() == b"world"
    assert channel.read(ByteBuffer.allocate(1), 11) == -1
    assert channel.read(ByteBuffer.allocate(0), 11) == 0
    channel.truncate(100)
    assert channel.size() == 11
    channel.truncate(5)
    channel.force(True)
    channel.force(False)
    channel.close()
    channel.close()
    assert path.read_bytes() == b"HELLO"
    assert not channel.is_open() and FileChannel(0, "standard input").is_open()
    with pytest.raises(ClosedChannelException):
        channel.size()


def test_a_new_file_is_for_all_to_read_and_for_its_owner_to_write(tmp_path):
    umask = os.umask(0)
    try:
        FileChannel.open(tmp_path / "file", os.O_RDWR | os.O_CREAT).close()
        FileChannel.open(tmp_path / "mine", os.O_RDWR | os.O_CREAT, 0o600).close()
    finally:
        os.umask(umask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("file", "mine")] == [0o644, 0o600]


@pytest.mark.skipif(not hasattr(os, "fdatasync"), reason="there is fsync alone")
def test_the_times_of_a_file_are_forced_only_where_that_is_asked_for(tmp_path, monkeypatch):
    channel = FileChannel.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    forced = []
    monkeypatch.setattr(os, "fsync", lambda fd: forced.append("all"))
    monkeypatch.setattr(os, "fdatasync", lambda fd: forced.append("data"))
    channel.force(True)
    channel.force(False)
    channel.close()
    assert forced == ["all", "data"]


def test_a_file_goes_to_a_socket_inside_the_kernel(tmp_path, pair):
    channel, peer = pair
    path = tmp_path / "file"
    content = os.urandom(100_000)
    path.write_bytes(content)
    source = FileChannel.open(path)
    sent, received = 0, b""
    while sent < 90_000:
        sent += source.transfer_to(10_000 + sent, 90_000 - sent, channel)
        peer.setblocking(False)
        try:
            received += peer.recv(1 << 20)
        except BlockingIOError:
            pass
    peer.setblocking(True)
    while len(received) < 90_000:
        received += peer.recv(1 << 20)
    assert received == content[10_000:]
    assert source.transfer_to(100_000, 10, channel) == 0
    while channel.write(ByteBuffer.wrap(bytes(1 << 20))):
        pass
    assert source.transfer_to(0, 10, channel) == 0
    source.close()


def test_a_channel_that_lingers_for_no_time_resets(pair: tuple[SocketChannel, socket.socket]) -> None:
    channel, peer = pair
    selector = Selector.open()
    channel.register(selector, SocketChannel.OP_READ)
    channel.socket().set_so_linger(True, 0)
    # In two steps, of which the first would be a farewell.
    channel.close()
    selector.select_now()
    selector.close()
    with pytest.raises(ConnectionResetError):
        peer.recv(1)


def test_a_write_sends_what_is_between_position_and_limit(
        pair: tuple[SocketChannel, socket.socket]) -> None:
    channel, peer = pair
    buffer = ByteBuffer.wrap(b"abcdefg")
    buffer.set_limit(5)
    buffer.set_position(2)
    assert channel.write(buffer) == 3
    assert (buffer.position(), buffer.limit()) == (5, 5)
    assert channel.write(buffer) == 0
    peer.settimeout(60)
    channel.shutdown_output()
    received = b""
    while part := peer.recv(100):
        received += part
    assert received == b"cde"
