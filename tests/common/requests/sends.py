# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A channel that keeps what is sent."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel


class _KeepingChannel(TransferableChannel):
    """Takes everything at once."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, src: ByteBuffer) -> int:
        return self.write_buffers((src,))

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        before = len(self.data)
        for src in srcs:
            self.data += src.view()
            src.set_position(src.limit())
        return len(self.data) - before

    def has_pending_writes(self) -> bool:
        return False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        buffer = ByteBuffer.allocate(count)
        file_channel.read(buffer, position)
        return self.write(buffer.flip())


def sent(send: Send) -> bytes:
    """Return all that ``send`` sends."""
    channel = _KeepingChannel()
    while not send.completed():
        send.write_to(channel)
    return bytes(channel.data)
