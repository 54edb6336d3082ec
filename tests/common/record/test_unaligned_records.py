# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Parts of memory that need not begin or end with a batch."""

from __future__ import annotations

import pytest

from kreactor.common.record.unaligned_memory_records import UnalignedMemoryRecords
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import ByteBufferChannel


def test_memory() -> None:
    records = UnalignedMemoryRecords(ByteBuffer.wrap(b"0123456789"))
    assert records.size_in_bytes() == 10 and records.buffer().to_bytes() == b"0123456789"
    send = records.to_send()
    data = b""
    while not send.completed():
        channel = ByteBufferChannel(3)
        send.write_to(channel)
        data += channel.content()
    assert data == b"0123456789"
    with pytest.raises(IllegalArgumentException):
        records.write_to(ByteBufferChannel(9), 5, 6)
