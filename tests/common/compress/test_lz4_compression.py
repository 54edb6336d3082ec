# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's Lz4CompressionTest."""

from __future__ import annotations

import functools
import itertools
import random
import struct
from typing import NamedTuple

import lz4.block
import lz4.frame
import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.lz4_block_input_stream import Lz4BlockInputStream
from kreactor.common.compress.lz4_block_output_stream import Lz4BlockOutputStream, xxhash32
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.compress.codecs import compressed, decompressed

LEVELS = (Lz4Compression.MIN_LEVEL, Lz4Compression.DEFAULT_LEVEL, Lz4Compression.MAX_LEVEL)
RANDOM = random.Random(0)
PAYLOADS = {"empty": b"", "onebyte": b"\1"}
for _size in (1000, 1 << 16, (1 << 10) * 96):
    PAYLOADS[f"random{_size}"] = RANDOM.randbytes(_size)
    PAYLOADS[f"ones{_size}"] = b"\1" * _size
EACH_PAYLOAD = pytest.mark.parametrize("payload", PAYLOADS)
INCOMPRESSIBLE_MASK = Lz4BlockOutputStream.LZ4_FRAME_INCOMPRESSIBLE_MASK


class Args(NamedTuple):
    payload: str
    use_broken_flag_descriptor_checksum: bool
    ignore_flag_descriptor_checksum: bool
    block_checksum: bool
    close: bool
    level: int

    def refused(self) -> bool:
        return self.use_broken_flag_descriptor_checksum and not self.ignore_flag_descriptor_checksum


def args_of(payload: str) -> list[Args]:
    booleans = (False, True)
    return [Args(payload, *each)
            for each in itertools.product(booleans, booleans, booleans, booleans, LEVELS)]


@functools.cache
def compressed_bytes(payload: str, broken: bool, block_checksum: bool, close: bool, level: int) -> bytes:
    output = ByteBufferOutputStream(64)
    lz4_stream = Lz4BlockOutputStream(output, level, block_checksum=block_checksum,
                                      use_broken_flag_descriptor_checksum=broken)
    lz4_stream.write(PAYLOADS[payload])
    if close:
        lz4_stream.close()
    else:
        lz4_stream.flush()
    return output.buffer().flip().to_bytes()


def made(args: Args) -> bytes:
    return compressed_bytes(args.payload, args.use_broken_flag_descriptor_checksum, args.block_checksum,
                            args.close, args.level)


def make_input_stream(buffer: ByteBuffer, ignore_flag_descriptor_checksum: bool) -> Lz4BlockInputStream:
    return Lz4BlockInputStream(buffer, BufferSupplier.create(), ignore_flag_descriptor_checksum)


def test_lz4_framing_magic_v0() -> None:
    assert_framing(0)


def test_lz4_framing_magic_v1() -> None:
    assert_framing(1)


def assert_framing(magic: int) -> None:
    buffer = ByteBuffer.allocate(256)
    compression = Lz4Compression.Builder().build()
    out = compression.wrap_for_output(ByteBufferOutputStream(buffer), magic)
    assert isinstance(out, Lz4BlockOutputStream)
    assert out.use_broken_flag_descriptor_checksum() == (magic == 0)
    buffer.rewind()
    in_ = compression.wrap_for_input(buffer, magic, BufferSupplier.NO_CACHING)
    assert in_.source_stream().ignore_flag_descriptor_checksum() == (magic == 0)


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("level", LEVELS)
def test_compression_decompression(magic, level) -> None:
    compression = Compression.lz4().level(level).build()
    data = compressed(compression, b"data" * 256, magic)
    assert decompressed(compression, data, magic) == b"data" * 256
    if magic > 0:
        assert lz4.frame.decompress(data) == b"data" * 256


def test_compression_levels() -> None:
    builder = Compression.lz4()
    for level in (Lz4Compression.MIN_LEVEL - 1, Lz4Compression.MAX_LEVEL + 1):
        with pytest.raises(IllegalArgumentException,
                           match=f"lz4 doesn't support given compression level: {level}"):
            builder.level(level)
    builder.level(Lz4Compression.MIN_LEVEL)
    builder.level(Lz4Compression.MAX_LEVEL)
    assert Compression.lz4().level(5).build() == Compression.lz4().level(5).build()
    assert Compression.lz4().level(5).build() != Compression.lz4().build()


def test_header_premature_end() -> None:
    for ignore in (False, True):
        with pytest.raises(OSError, match=Lz4BlockInputStream.PREMATURE_EOS):
            make_input_stream(ByteBuffer.allocate(2), ignore)


@EACH_PAYLOAD
def test_not_supported(payload) -> None:
    for args in args_of(payload):
        data = b"\0" + made(args)[1:]
        with pytest.raises(OSError) as e:
            make_input_stream(ByteBuffer.wrap(data), args.ignore_flag_descriptor_checksum)
        assert str(e.value) == Lz4BlockInputStream.NOT_SUPPORTED


@EACH_PAYLOAD
def test_bad_frame_checksum(payload) -> None:
    for args in args_of(payload):
        data = made(args)
        buffer = ByteBuffer.wrap(data[:6] + b"\xff" + data[7:])
        if args.ignore_flag_descriptor_checksum:
            make_input_stream(buffer, True)
        else:
            with pytest.raises(OSError) as e:
                make_input_stream(buffer, False)
            assert str(e.value) == Lz4BlockInputStream.DESCRIPTOR_HASH_MISMATCH


@EACH_PAYLOAD
def test_bad_block_size(payload) -> None:
    for args in args_of(payload):
        if not args.close or args.refused():
            continue
        data = bytearray(made(args))
        block_size, = struct.unpack_from("<I", data, 7)
        struct.pack_into("<I", data, 7, block_size & INCOMPRESSIBLE_MASK | 1 << 24)
        with pytest.raises(OSError, match="exceeded max"):
            check_decompression(ByteBuffer.wrap(data), args)


@EACH_PAYLOAD
def test_compression(payload) -> None:
    for args in args_of(payload):
        data = made(args)
        assert data[:4] == b"\x04\x22\x4d\x18"
        flg, bd = data[4:6]
        assert flg >> 6 & 3 == 1
        assert flg & 3 == 0
        assert 4 <= bd >> 4 & 7 <= 7
        assert bd & 15 == 0 and bd >> 7 & 1 == 0
        assert flg >> 3 & 1 == 0
        hashed = data[:6] if args.use_broken_flag_descriptor_checksum else data[4:6]
        assert data[6] == xxhash32(hashed) >> 8 & 0xFF
        if args.close:
            assert data[-4:] == b"\0\0\0\0"
            if not args.use_broken_flag_descriptor_checksum:
                assert lz4.frame.decompress(data) == PAYLOADS[payload]


@EACH_PAYLOAD
def test_array_backed_buffer(payload) -> None:
    for args in args_of(payload):
        check_decompression(ByteBuffer.wrap(made(args)), args)


@EACH_PAYLOAD
def test_array_backed_buffer_slice(payload) -> None:
    for args in args_of(payload):
        data = made(args)
        buffer = ByteBuffer.allocate(len(data) + 12 + 123).set_position(12).put(data).flip().set_position(12)
        check_decompression(buffer.slice(), args)
        buffer = ByteBuffer.allocate(len(data) + 54).set_position(54).put(data).flip().set_position(12)
        check_decompression(buffer.slice().set_position(42), args)


@EACH_PAYLOAD
def test_skip(payload) -> None:
    for args in args_of(payload):
        if not args.close or args.refused():
            continue
        in_ = make_input_stream(ByteBuffer.wrap(made(args)), args.ignore_flag_descriptor_checksum)
        remaining = len(PAYLOADS[payload])
        skipped = in_.skip(100)
        assert skipped == min(100, remaining)
        remaining -= skipped
        assert in_.skip(10000) == min(10000, remaining)


def check_decompression(buffer: ByteBuffer, args: Args) -> None:
    error = None
    try:
        in_ = make_input_stream(buffer, args.ignore_flag_descriptor_checksum)
        found = bytearray()
        target = memoryview(bytearray(1024))
        while (n := in_.read_into(target)) != -1:
            found += target[:n]
        assert in_.read_into(target) == in_.read() == -1
        assert found == PAYLOADS[args.payload]
    except OSError as e:
        if args.refused():
            assert str(e) == Lz4BlockInputStream.DESCRIPTOR_HASH_MISMATCH
        elif not args.close:
            assert str(e) == Lz4BlockInputStream.PREMATURE_EOS
        else:
            raise
        error = e
    assert (error is not None) == (args.refused() or not args.close)


# -- ours ----------------------------------------------------------------------------------------------------


def test_xxhash32() -> None:
    # The values of the specification of xxHash.
    assert xxhash32(b"") == 0x02CC5D05
    assert xxhash32(b"a") == 0x550D7456
    assert xxhash32(b"Nobody inspects the spammish repetition") == 0xE2293B2F


@pytest.mark.parametrize("options", [
    dict(block_size=lz4.frame.BLOCKSIZE_MAX64KB), dict(block_size=lz4.frame.BLOCKSIZE_MAX4MB),
    dict(content_checksum=True), dict(block_checksum=True), dict(store_size=True), dict(compression_level=9),
])
def test_frames_of_others(options) -> None:
    data = b"some data, and more of it. " * 20000
    frame = lz4.frame.compress(data, block_linked=False, **{"store_size": False} | options)
    assert decompressed(Compression.lz4().build(), frame) == data


@pytest.mark.parametrize("flg, bd, message", [
    (0x40, 0x40, "Dependent block stream is unsupported"), (0x61, 0x40, "Reserved bits must be 0"),
    (0xA0, 0x40, "Version 2 is unsupported"), (0x60, 0x30, "Block size value must be between 4 and 7"),
    (0x60, 0x41, "Reserved2 field must be 0"), (0x60, 0xC0, "Reserved3 field must be 0")])
def test_frames_that_are_not_supported(flg, bd, message) -> None:
    frame = b"\x04\x22\x4d\x18" + bytes((flg, bd, 0)) + bytes(8)
    with pytest.raises(RuntimeError, match=message):
        make_input_stream(ByteBuffer.wrap(frame), True)
    with pytest.raises(KafkaException, match=message):
        Compression.lz4().build().wrap_for_input(ByteBuffer.wrap(frame), 2, BufferSupplier.NO_CACHING)


def test_the_bytes_of_a_descriptor() -> None:
    for flg in (0x60, 0x64, 0x68, 0x70, 0x7C):
        read = Lz4BlockOutputStream.FLG.from_byte(flg)
        assert read.to_byte() == flg
        assert (read.is_content_checksum_set(), read.is_content_size_set(), read.is_block_checksum_set()) == (
            bool(flg & 4), bool(flg & 8), bool(flg & 16))
        assert read.get_version() == 1
    for value, size in ((4, 64 << 10), (5, 256 << 10), (6, 1 << 20), (7, 4 << 20)):
        bd = Lz4BlockOutputStream.BD.from_byte(value << 4)
        assert bd.to_byte() == value << 4 and bd.get_block_maximum_size() == size


@pytest.mark.deviation("D59")
@pytest.mark.parametrize("payload", ["onebyte", "random1000", "ones98304"])
def test_every_length_of_a_frame(payload) -> None:
    frame = compressed_bytes(payload, False, True, True, Lz4Compression.DEFAULT_LEVEL)
    for length in range(len(frame)):
        with pytest.raises(OSError, match=Lz4BlockInputStream.PREMATURE_EOS):
            make_input_stream(ByteBuffer.wrap(frame[:length]), False).read_n_bytes(1 << 20)


def test_block_checksum() -> None:
    frame = bytearray(compressed_bytes("random1000", False, True, True, Lz4Compression.DEFAULT_LEVEL))
    frame[50] ^= 1
    with pytest.raises(OSError, match=Lz4BlockInputStream.BLOCK_HASH_MISMATCH):
        make_input_stream(ByteBuffer.wrap(frame), False).read()


@pytest.mark.deviation("D59")
def test_a_block_that_is_no_lz4_and_one_with_nothing_in_it() -> None:
    header = compressed_bytes("empty", False, False, True, Lz4Compression.DEFAULT_LEVEL)[:7]
    with pytest.raises(OSError, match="corrupt lz4 data"):
        make_input_stream(ByteBuffer.wrap(header + struct.pack("<I", 4) + b"\xf0\xff\xff\xff"), False).read()
    nothing = lz4.block.compress(b"", store_size=False)
    block = struct.pack("<I", len(nothing)) + nothing
    stored = struct.pack("<I", 2 | INCOMPRESSIBLE_MASK) + b"ab"
    for read in ("read", "read_n_bytes"):
        stream = make_input_stream(ByteBuffer.wrap(header + block + stored + block + bytes(4)), False)
        if read == "read":
            assert [stream.read() for _ in range(3)] == [97, 98, -1]
        else:
            assert stream.read_n_bytes(9) == b"ab"
        assert stream.skip(1) == 0


def test_a_block_never_grows_beyond_its_bound() -> None:
    header = compressed_bytes("empty", False, False, True, Lz4Compression.DEFAULT_LEVEL)[:7]
    bomb = lz4.block.compress(bytes(1 << 22), store_size=False)
    frame = header + struct.pack("<I", len(bomb)) + bomb + bytes(4)
    with pytest.raises(OSError, match="corrupt lz4 data"):
        make_input_stream(ByteBuffer.wrap(frame), False).read()


@pytest.mark.parametrize("step", [1, 7, 1 << 16, (1 << 16) + 1])
def test_blocks_are_full(step) -> None:
    data = PAYLOADS["random98304"][:1 << 16] * 2 if step > 1 else PAYLOADS["random1000"]
    frame = compressed(Compression.lz4().build(), data, step=step)
    assert lz4.frame.decompress(frame) == data
    sizes = []
    position = 7
    while (size := struct.unpack_from("<I", frame, position)[0]) != 0:
        sizes.append(size & ~INCOMPRESSIBLE_MASK)
        position += 4 + sizes[-1]
    assert sizes == ([1 << 16, 1 << 16] if step > 1 else [1000])


def test_a_closed_stream() -> None:
    out = ByteBufferOutputStream(64)
    stream = Lz4BlockOutputStream(out, Lz4Compression.DEFAULT_LEVEL)
    stream.write_byte(200)
    stream.close()
    position = out.position()
    stream.close()
    stream.flush()
    assert out.position() == position
    with pytest.raises(IllegalStateException, match="The stream is already closed"):
        stream.write(b"x")
    assert decompressed(Compression.lz4().build(), out.buffer().flip().to_bytes()) == b"\xc8"
