# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sends over a real socket whose buffers are tiny: nothing is lost, doubled or out of order."""

from __future__ import annotations

import os
import socket
from collections import deque
from contextlib import closing
from typing import Iterator
from unittest.mock import Mock

import pytest

from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.default_records_send import DefaultRecordsSend
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.multi_records_send import MultiRecordsSend
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import CancelledKeyException, EOFException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, ServerSocketChannel
from kreactor.jdk.nio_selector import SelectionKey, Selector


@pytest.fixture
def pair() -> Iterator[tuple[PlaintextTransportLayer, socket.socket]]:
    """A transport layer and a blocking peer, with buffers as small as the kernel allows."""
    with socket.socket() as peer, closing(Selector.open()) as selector:
        listener = ServerSocketChannel.open()
        listener.bind(InetSocketAddress("127.0.0.1", 0))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        peer.connect(("127.0.0.1", listener.socket().get_local_port()))
        channel = listener.accept()
        listener.close()
        channel.configure_blocking(False)
        channel.socket().set_send_buffer_size(1)
        layer = PlaintextTransportLayer(channel.register(selector, SelectionKey.OP_READ))
        yield layer, peer
        layer.close()


def fill(layer: PlaintextTransportLayer) -> int:
    """Write until the socket takes no more; return the bytes written."""
    block, written = bytes(1 << 16), 0
    while count := layer.write(ByteBuffer.wrap(block)):
        written += count
    return written


@pytest.mark.parametrize("sizes", [
    [0], [0, 0, 1, 0], [100_000], [1] * 5000, [4, 70_000], [4, 0, 30_000, 1, 50_000, 0], [50_000, 50_000],
], ids=["nothing", "almost nothing", "one", "many", "a message", "some empty", "equals"])
def test_a_send_in_as_many_writes_as_it_takes(pair, sizes):
    layer, peer = pair
    contents = [os.urandom(size) for size in sizes]
    send = ByteBufferSend(*map(ByteBuffer.wrap, contents))
    network_send = NetworkSend("node", send)
    total = sum(sizes)
    assert network_send.size() == send.size() == send.remaining() == total
    assert network_send.destination_id() == "node" and network_send.send() is send
    assert network_send.completed() is (total == 0)

    received, written, writes = bytearray(), 0, 0
    while not network_send.completed():
        count = network_send.write_to(layer)
        writes += 1
        written += count
        assert send.remaining() == total - written
        assert network_send.size() == total
        if not count:
            received += peer.recv(1 << 20)
    while len(received) < total:
        received += peer.recv(1 << 20)
    assert bytes(received) == b"".join(contents)
    assert written == total
    assert writes > 1 or total < 50_000, "the buffers were not small enough for this test"


def test_a_full_socket_takes_nothing_and_loses_nothing(pair):
    layer, peer = pair
    filled = fill(layer)
    send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(b"hello"))
    assert send.size() == 9
    assert send.write_to(layer) == 0 and send.remaining() == 9 and not send.completed()
    received = bytearray()
    while not send.completed():
        received += peer.recv(1 << 16)
        send.write_to(layer)
    while len(received) < filled + 9:
        received += peer.recv(1 << 16)
    assert received[filled:] == b"\0\0\0\5hello"


def test_a_file_over_a_full_socket(pair, tmp_path):
    layer, peer = pair
    content = os.urandom(300_000)
    (tmp_path / "segment").write_bytes(content)
    source = FileChannel.open(tmp_path / "segment")
    filled = fill(layer)
    start, end, position = 1_000, 290_000, 1_000
    assert layer.transfer_from(source, start, end - start) == 0
    received, partial = bytearray(), 0
    while position < end:
        received += peer.recv(1 << 16)
        count = layer.transfer_from(source, position, end - position)
        assert 0 <= count <= end - position
        partial += 0 < count < end - position
        position += count
    while len(received) < filled + end - start:
        received += peer.recv(1 << 16)
    assert received[filled:] == content[start:end]
    assert partial, "every transfer was whole: the buffers were not small enough for this test"
    assert layer.transfer_from(source, len(content), 10) == 0  # there is nothing behind the end
    source.close()


def test_the_parts_of_an_answer_go_out_in_order(pair, tmp_path):
    layer, peer = pair
    content = os.urandom(300_000)
    (tmp_path / "segment").write_bytes(content)
    with closing(FileRecords.open(str(tmp_path / "segment"), mutable=False)) as records:
        send = MultiRecordsSend(deque([
            ByteBufferSend(ByteBuffer.wrap(b"head")), DefaultRecordsSend(records),
            ByteBufferSend(ByteBuffer.wrap(b"tail"))]))
        received, writes = bytearray(), 0
        while not send.completed():
            send.write_to(layer)
            writes += 1
            received += peer.recv(1 << 16)
        while len(received) < len(content) + 8:
            received += peer.recv(1 << 16)
        assert received == b"head" + content + b"tail"
        assert writes > 1


def test_a_send_is_not_complete_while_the_channel_holds_bytes_back():
    channel = Mock(spec=TransferableChannel)
    channel.write.return_value = 5
    channel.has_pending_writes.return_value = True
    send = ByteBufferSend(ByteBuffer.wrap(b"hello"))
    assert send.write_to(channel) == 5 and send.remaining() == 0
    assert not send.completed()
    assert str(send) == "ByteBufferSend(, size=5, remaining=0, pending=True)"
    channel.write.return_value = 0
    channel.has_pending_writes.return_value = False
    assert send.write_to(channel) == 0
    assert send.completed()


def test_a_negative_write_is_an_error():
    channel = Mock(spec=TransferableChannel)
    channel.write.return_value = -1
    with pytest.raises(EOFException):
        ByteBufferSend(ByteBuffer.wrap(b"hello")).write_to(channel)


def test_the_size_of_buffers_that_were_read_from_is_what_is_left():
    assert ByteBufferSend(ByteBuffer.wrap(b"hello").set_position(2)).size() == 3
    assert ByteBufferSend(ByteBuffer.wrap(b"hello"), size=5).size() == 5


def test_a_plain_transport_layer_passes_everything_on(pair):
    layer, peer = pair
    assert layer.ready() and layer.is_connected() and layer.is_open() and layer.finish_connect()
    assert not layer.has_bytes_buffered() and not layer.has_pending_writes()
    assert layer.peer_principal() is KafkaPrincipal.ANONYMOUS
    layer.handshake()
    key = layer.selection_key()
    assert not layer.is_mute()
    layer.add_interest_ops(SelectionKey.OP_WRITE)
    layer.remove_interest_ops(SelectionKey.OP_READ)
    assert layer.is_mute() and key.interest_ops() == SelectionKey.OP_WRITE

    peer.sendall(b"hello")
    buffers = [ByteBuffer.allocate(2), ByteBuffer.allocate(9)]
    read = 0
    while read < 5:
        read += layer.read_buffers(buffers)
    assert buffers[0].flip().to_bytes() + buffers[1].flip().to_bytes() == b"hello"
    assert layer.read(buffers[0].clear()) == 0

    layer.disconnect()
    assert not key.is_valid() and layer.is_open()
    assert not layer.is_mute()
    with pytest.raises(CancelledKeyException):
        layer.add_interest_ops(SelectionKey.OP_READ)
    layer.close()
    assert not layer.is_open() and not layer.is_connected()
    assert peer.recv(1) == b""
