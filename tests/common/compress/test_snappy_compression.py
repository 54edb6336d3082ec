# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's SnappyCompressionTest, and what else snappy-java takes or refuses."""

from __future__ import annotations

import random
import struct

import pytest
import snappy

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.snappy_input_stream import SnappyInputStream
from kreactor.common.compress.snappy_output_stream import HEADER
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.compress.codecs import compressed, decompressed
from tests.memory import at_most

DATA = b"data" * 256
SNAPPY = Compression.snappy().build()


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_compression_decompression(magic) -> None:
    assert decompressed(SNAPPY, compressed(SNAPPY, DATA, magic), magic) == DATA


# -- ours ----------------------------------------------------------------------------------------------------


def block(data: bytes) -> bytes:
    made = snappy.compress(data)
    return struct.pack(">i", len(made)) + made


@pytest.mark.parametrize("size", [0, 1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 100_000])
@pytest.mark.parametrize("step", [7, 1000, 1 << 20])
def test_sizes_around_a_block(size, step) -> None:
    data = random.Random(size).randbytes(size)
    made = compressed(SNAPPY, data, step=step)
    assert made.startswith(HEADER) and HEADER.startswith(b"\x82SNAPPY\x00")
    assert decompressed(SNAPPY, made, step=step) == data
    if size > 32 * 1024:
        first_block, = struct.unpack_from(">i", made, 16)
        assert snappy.decompress(made[20:20 + first_block]) == data[:32 * 1024]


def test_plain_snappy_and_concatenated_streams() -> None:
    assert decompressed(SNAPPY, snappy.compress(DATA)) == DATA
    assert decompressed(SNAPPY, snappy.compress(b"x")) == b"x"
    made = compressed(SNAPPY, DATA)
    assert decompressed(SNAPPY, made + made) == DATA + DATA
    assert decompressed(SNAPPY, HEADER + block(b"") + block(b"a") + block(b"")) == b"a"
    # Less than a length is the end.
    assert decompressed(SNAPPY, made + b"\0\0\0") == DATA


@pytest.mark.parametrize("data, message", [
    (b"", "Cannot decompress empty stream"),
    (HEADER[:8] + struct.pack(">ii", 0, 1), "incompatible codec version 0"),
    (b"\xff" * 20, "no length"),
    (b"\x05abc", "corrupt snappy data"),
])
def test_what_is_refused_at_once(data, message) -> None:
    with pytest.raises(OSError, match=message):
        SnappyInputStream(ByteBuffer.wrap(data), snappy)
    with pytest.raises(KafkaException, match=message):
        SNAPPY.wrap_for_input(ByteBuffer.wrap(data), 2, BufferSupplier.NO_CACHING)


@pytest.mark.parametrize("after_the_header, message", [
    (struct.pack(">i", -5), r"chunkSize is too big or negative : -5"),
    (struct.pack(">i", 100) + b"short", "failed to read chunk"),
    (struct.pack(">i", 0), "no length"),
    (HEADER[:4] + b"\0\0", "concatenated"),
    (struct.pack(">i", 4) + b"\x05abc", "corrupt snappy data"),
])
def test_what_is_refused_on_the_way(after_the_header, message) -> None:
    stream = SnappyInputStream(ByteBuffer.wrap(HEADER + block(b"good") + after_the_header), snappy)
    assert stream.read_n_bytes(4) == b"good"
    with pytest.raises(OSError, match=message):
        stream.read()


def test_a_claim_takes_no_memory() -> None:
    """A block that says it has 4 GB, in as many bytes as fit into it."""
    bomb = b"\xff\xff\xff\xff\x0f" + b"\xfe\x01\x00" * 1000
    with at_most(1 << 20), pytest.raises(OSError, match="4294967295 bytes cannot be in a block of"):
        SnappyInputStream(ByteBuffer.wrap(bomb), snappy)


def test_the_best_compression_there_is_passes() -> None:
    zeros = bytes(32 * 1024)
    assert decompressed(SNAPPY, compressed(SNAPPY, zeros * 4)) == zeros * 4
    # By hand: one literal, then copies of 64 bytes in 3, the most that the format can.
    made = b"\x81\xfa\x01" + b"\x00a" + b"\xfe\x01\x00" * 500
    assert decompressed(SNAPPY, made) == b"a" * 32001


def test_equality() -> None:
    assert SNAPPY == Compression.snappy().build() and hash(SNAPPY) == hash(Compression.snappy().build())
    assert SNAPPY != Compression.lz4().build()
