# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ZstdCompressionTest, and that frames cut short are noticed."""

from __future__ import annotations

import random

import pytest
import zstandard

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.compress.zstd_input_stream import ZstdInputStream
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.compress.codecs import compressed, decompressed

DATA = b"data" * 256
ZSTD = Compression.zstd().build()


# The highest level fills hundreds of megabytes before the first byte: once is enough.
@pytest.mark.parametrize("magic, level", [
    (magic, level) for level in (ZstdCompression.MIN_LEVEL, ZstdCompression.DEFAULT_LEVEL)
    for magic in (0, 1, 2)
] + [(2, ZstdCompression.MAX_LEVEL)])
def test_compression_decompression(magic, level) -> None:
    compression = Compression.zstd().level(level).build()
    assert decompressed(compression, compressed(compression, DATA, magic), magic) == DATA


def test_compression_levels() -> None:
    builder = Compression.zstd()
    for level in (ZstdCompression.MIN_LEVEL - 1, ZstdCompression.MAX_LEVEL + 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"zstd doesn't support given compression level: {level}"):
            builder.level(level)
    builder.level(ZstdCompression.MIN_LEVEL)
    builder.level(ZstdCompression.MAX_LEVEL)
    assert Compression.zstd().level(5).build() == Compression.zstd().level(5).build() != ZSTD
    assert ZstdCompression.MAX_LEVEL == zstandard.MAX_COMPRESSION_LEVEL


# -- ours ----------------------------------------------------------------------------------------------------


def read_all(data: bytes) -> bytes:
    stream = ZstdInputStream(ByteBuffer.wrap(data))
    return stream.read_n_bytes(1 << 30)


def frames() -> list[bytes]:
    """Return frames of every make: with and without size, checksum, one segment, raw and RLE blocks."""
    incompressible = random.Random(3).randbytes(200_000)
    made = [compressed(ZSTD, data, step=step) for data in (b"", b"x", DATA, bytes(300_000), incompressible)
            for step in (1000, 1 << 20)]
    for size in (True, False):
        for checksum in (True, False):
            compressor = zstandard.ZstdCompressor(write_content_size=size, write_checksum=checksum)
            made += [compressor.compress(data) for data in (b"", DATA, bytes(300_000), incompressible)]
    return made


@pytest.mark.parametrize("number", range(len(frames())))
def test_frames_cut_short_anywhere_are_noticed(number) -> None:
    frame = frames()[number]
    whole = zstandard.ZstdDecompressor().decompressobj().decompress(frame)
    assert read_all(frame) == whole
    assert read_all(frame + frame) == whole + whole
    skippable = b"\x5a\x2a\x4d\x18\x03\0\0\0abc"
    assert read_all(frame + skippable + frame) == whole + whole
    step = max(1, len(frame) // 40)
    for length in range(1, len(frame), step):
        with pytest.raises(OSError):
            read_all(frame[:length])
    with pytest.raises(OSError):
        read_all(frame[:-1])


def test_nothing_at_all() -> None:
    assert read_all(b"") == b""


def test_corruption() -> None:
    with pytest.raises(OSError, match="corrupt zstd data"):
        read_all(b"no frame at all")
    frame = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(DATA))
    frame[-1] ^= 1
    with pytest.raises(OSError, match="corrupt zstd data"):
        read_all(bytes(frame))


def test_a_bomb_is_read_as_far_as_it_is_asked_for() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(1 << 28))
    assert len(bomb) < 1 << 15
    with ZSTD.wrap_for_input(ByteBuffer.wrap(bomb), 2, BufferSupplier.NO_CACHING) as stream:
        assert stream.read_n_bytes(10) == bytes(10)


def test_flush_ends_a_block() -> None:
    out = ByteBufferOutputStream(8)
    stream = ZSTD.wrap_for_output(out, 2)
    stream.write(DATA)
    stream.flush()
    flushed = out.position()
    so_far = bytes(out.buffer()._memory[:flushed])
    assert zstandard.ZstdDecompressor().decompressobj().decompress(so_far) == DATA
    stream.close()
    stream.close()
    assert out.position() > flushed
    with pytest.raises(OSError, match="Stream closed"):
        stream.write(b"x")
