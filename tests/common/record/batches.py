# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Helpers of the tests of records.

``kafka_3_8_0_batches.bin`` holds batches that Apache Kafka 3.8.0 made, each as the length of its name (2
bytes), the length of its bytes (4), name, bytes:

* ``clients/...``: by org.apache.kafka.common.record.MemoryRecords and MemoryRecordsBuilder of kafka-clients
  3.8.0 on a JVM, with the records of ``CLIENT_RECORDS``; ``clients/large/...`` one record of 70,000 bytes.
* ``broker/TOPIC/fetch-vN``: what a broker answered to Fetch requests of version 0, 2 and 11, for topics of
  which each got ``BROKER_RECORDS`` from librdkafka with the codec that the topic is named after. ``lat`` has
  message.timestamp.type=LogAppendTime and lz4, ``txn`` a committed transaction. Versions 0 and 2 get magic 0
  and 1: the broker converted them.
"""

from __future__ import annotations

import functools
import struct
from pathlib import Path
from typing import Sequence

from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel

# Every codec with every magic that knows it.
CODECS = [(type_, magic) for type_ in CompressionType for magic in (0, 1, 2)
          if magic == 2 or type_ is not CompressionType.ZSTD]

_CLIENT_HEADERS = (RecordHeader("trace", b"abc"), RecordHeader("n\u00fcll", None), RecordHeader("", b""))
CLIENT_RECORDS = [
    SimpleRecord(1700000000000, b"key-0", b"value-0", _CLIENT_HEADERS),
    SimpleRecord(1700000000123, None, b"value " * 60),
    SimpleRecord(1699999999000, b"key-2", None),
    SimpleRecord(1700000100000, None, None, _CLIENT_HEADERS),
    SimpleRecord(1700000000001, b"", b""),
]
LARGE_VALUE = bytes(i // 700 for i in range(70000))
BROKER_RECORDS = [
    SimpleRecord(1700000000000, b"k0", b"value-0", (RecordHeader("h", b"x"), RecordHeader("n", None))),
    SimpleRecord(1700000000005, None, b"value " * 40),
    SimpleRecord(1700000000002, b"k2", None),
]


@functools.cache
def batches_of_kafka() -> dict[str, bytes]:
    """Return the batches by name."""
    data = (Path(__file__).parent / "kafka_3_8_0_batches.bin").read_bytes()
    found = {}
    position = 0
    while position < len(data):
        name_length, length = struct.unpack_from(">HI", data, position)
        position += 6
        name = data[position:position + name_length].decode()
        position += name_length
        found[name] = data[position:position + length]
        position += length
    return found


def records_of(data: bytes) -> MemoryRecords:
    """Return ``data`` as records that can be changed."""
    return MemoryRecords.readable_records(ByteBuffer.wrap(bytearray(data)))


def content(buffer: ByteBuffer | None) -> bytes | None:
    """Return what lies between position and limit."""
    return None if buffer is None else buffer.to_bytes()


def keys_and_values(records: Sequence[Record]) -> list[tuple[bytes | None, bytes | None]]:
    """Return the pairs."""
    return [(content(record.key()), content(record.value())) for record in records]


class ByteBufferChannel(TransferableChannel):
    """A channel that keeps what it gets, up to a size."""

    def __init__(self, size: int) -> None:
        self.buffer = ByteBuffer.allocate(size)

    def write(self, src: ByteBuffer) -> int:
        count = min(src.remaining(), self.buffer.remaining())
        self.buffer.put(src.get_bytes(count))
        return count

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        return sum(self.write(src) for src in srcs)

    def has_pending_writes(self) -> bool:
        return False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        part = ByteBuffer.allocate(min(count, self.buffer.remaining()))
        read = file_channel.read(part, position)
        part.flip()
        self.buffer.put(part)
        return max(0, read)

    def content(self) -> bytes:
        return bytes(self.buffer._memory[:self.buffer.position()])
