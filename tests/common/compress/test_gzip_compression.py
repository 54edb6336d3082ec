# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's GzipCompressionTest, and what else a gzip stream can be."""

from __future__ import annotations

import gzip
import random

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.gzip_input_stream import GZIPInputStream
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.exceptions import EOFException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.compress.codecs import compressed, decompressed

DATA = b"data" * 256


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("level", [GzipCompression.MIN_LEVEL, GzipCompression.DEFAULT_LEVEL,
                                   GzipCompression.MAX_LEVEL])
def test_compression_decompression(magic, level) -> None:
    compression = Compression.gzip().level(level).build()
    data = compressed(compression, DATA, magic)
    assert gzip.decompress(data) == DATA
    assert decompressed(compression, data, magic) == DATA


def test_compression_levels() -> None:
    builder = Compression.gzip()
    for level in (GzipCompression.MIN_LEVEL - 1, GzipCompression.MAX_LEVEL + 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"gzip doesn't support given compression level: {level}"):
            builder.level(level)
    builder.level(GzipCompression.MIN_LEVEL)
    builder.level(GzipCompression.MAX_LEVEL)
    assert Compression.gzip().level(3).build() == Compression.gzip().level(3).build()
    assert Compression.gzip().level(3).build() != Compression.gzip().build()


def test_level_validator() -> None:
    validator = GzipCompression.LevelValidator()
    for level in (*range(GzipCompression.MIN_LEVEL, GzipCompression.MAX_LEVEL + 1),
                  GzipCompression.DEFAULT_LEVEL):
        validator.ensure_valid("", level)
    for level in (GzipCompression.MIN_LEVEL - 1, GzipCompression.MAX_LEVEL + 1, None):
        with pytest.raises(ConfigException):
            validator.ensure_valid("", level)
    assert str(validator) == "[1,...,9] or -1"


# -- ours ----------------------------------------------------------------------------------------------------


def read_all(data: bytes, step: int = 1000) -> bytes:
    stream = GZIPInputStream(ByteBuffer.wrap(data))
    found = b""
    target = memoryview(bytearray(step))
    while (count := stream.read_into(target)) >= 0:
        found += target[:count]
    assert stream.read_into(target) == stream.read() == -1 and stream.available() == 0
    return found


def test_members_follow_one_another_and_the_rest_is_ignored() -> None:
    random_data = random.Random(7).randbytes(100_000)
    first, second = gzip.compress(random_data), gzip.compress(DATA)
    for step in (1, 5, 70_000, 300_000):
        assert read_all(first + second, step)[-5000:] == (random_data + DATA)[-5000:]
    assert read_all(first + second + first) == random_data + DATA + random_data
    for rest in (b"\0" * 100, b"\x1f", b"\x1f\x8b", b"rest"):
        assert read_all(second + rest) == DATA


def test_optional_fields_of_the_header() -> None:
    data = gzip.compress(DATA)
    named = data[:3] + b"\x08" + data[4:10] + b"a name\0" + data[10:]
    assert read_all(named) == DATA


@pytest.mark.parametrize("length", range(0, 10))
def test_a_header_cut_short(length) -> None:
    with pytest.raises(EOFException):
        GZIPInputStream(ByteBuffer.wrap(gzip.compress(DATA)[:length]))


def test_a_stream_cut_short_anywhere() -> None:
    data = gzip.compress(random.Random(1).randbytes(300))
    for length in range(10, len(data)):
        with pytest.raises(EOFException, match="Unexpected end of ZLIB input stream"):
            read_all(data[:length])


def test_what_is_no_gzip() -> None:
    for data, message in ((b"not gzip at all", "Not in GZIP format"),
                          (b"\x1f\x8b\x07" + bytes(9), "Unsupported compression method")):
        with pytest.raises(OSError, match=message):
            GZIPInputStream(ByteBuffer.wrap(data))
        with pytest.raises(KafkaException, match=message):
            Compression.gzip().build().wrap_for_input(ByteBuffer.wrap(data), 2, BufferSupplier.NO_CACHING)


@pytest.mark.parametrize("position", [-8, -1, 20])
def test_corruption(position) -> None:
    data = bytearray(gzip.compress(random.Random(1).randbytes(300)))
    data[position] ^= 0xFF
    with pytest.raises(OSError):
        read_all(bytes(data))
