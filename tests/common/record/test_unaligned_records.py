# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's UnalignedFileRecordsTest, and the same of memory."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.unaligned_memory_records import UnalignedMemoryRecords
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import ByteBufferChannel, content, records_of

VALUES = [b"foo", b"bar"]


def test_write_to(tmp_path) -> None:
    file_records = FileRecords.open(str(tmp_path / "kafka.log"))
    for value in VALUES:
        file_records.append(MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=value)))
    size = file_records.size_in_bytes()
    channel = ByteBufferChannel(size)
    records1 = file_records.slice_unaligned(0, size // 2)
    records2 = file_records.slice_unaligned(size // 2, size - size // 2)
    records1.write_to(channel, 0, records1.size_in_bytes())
    records2.write_to(channel, 0, records2.size_in_bytes())
    assert [content(record.value()) for record in records_of(channel.content()).records()] == VALUES
    file_records.close()


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
