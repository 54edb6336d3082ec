# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ChunkedBytesStreamTest."""

from __future__ import annotations

import random

import pytest

from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.nio_buffer import ByteBuffer

RANDOM = random.Random(1337)
SOURCES = pytest.mark.parametrize("data",
                                  [bytes(2), b"\1", b"12345678", RANDOM.randbytes(16),
                                   RANDOM.randbytes(100)], ids=len)
DELEGATE = pytest.mark.parametrize("delegate", [True, False])
EMPTY, ONE, SIXTEEN = bytes(2), b"\1", RANDOM.randbytes(16)


def stream_of(data: bytes, delegate: bool = False) -> ChunkedBytesStream:
    return ChunkedBytesStream(ByteBufferInputStream(ByteBuffer.wrap(data)), BufferSupplier.NO_CACHING, 10,
                              delegate)


def test_eof_error_for_method_read_fully() -> None:
    with stream_of(bytes(8)) as stream:
        assert stream.read_into(memoryview(bytearray(9))) == 8


@SOURCES
def test_correctness_for_method_read_fully(data) -> None:
    for first in range(len(data) + 1):
        got = memoryview(bytearray(len(data)))
        with stream_of(data) as stream:
            stream.read_into(got[:first])
            stream.read_into(got[first:])
        assert got == data


@SOURCES
def test_correctness_for_method_read_byte(data) -> None:
    with stream_of(data) as stream:
        assert bytes(stream.read() for _ in data) == data


@SOURCES
def test_correctness_for_method_read(data) -> None:
    with stream_of(data) as stream:
        assert stream.available() == len(data)
        assert [stream.read() for _ in data] == list(data)
        assert stream.read() == -1


def test_end_of_file_for_method_read() -> None:
    with stream_of(bytes(2)) as stream:
        assert [stream.read() for _ in range(4)] == [0, 0, -1, -1]
        assert stream.read_into(memoryview(bytearray(1))) == -1
        assert stream.read_into(memoryview(b"")) == 0


@DELEGATE
def test_end_of_source_for_method_skip(delegate) -> None:
    with stream_of(SIXTEEN, delegate) as stream:
        assert stream.skip(17) == 16


@DELEGATE
@pytest.mark.parametrize("pre_read, data, to_skip", [
    (0, EMPTY, 0), (0, EMPTY, 1), (1, EMPTY, 1), (1, EMPTY, 0), (0, ONE, 0), (0, ONE, 1), (1, ONE, 0),
    (1, ONE, 1), (0, SIXTEEN, 16), (16, SIXTEEN, 0), (2, SIXTEEN, 10), (2, SIXTEEN, 8)])
def test_correctness_for_method_skip(delegate, pre_read, data, to_skip) -> None:
    expected_left = max(0, len(data) - pre_read - to_skip)
    with stream_of(data, delegate) as stream:
        assert bytes(stream.read() for _ in range(pre_read)) == data[:pre_read]
        assert stream.skip(to_skip) == min(len(data) - pre_read, to_skip)
        assert bytes(stream.read() for _ in range(expected_left)) == data[len(data) - expected_left:]


@DELEGATE
@pytest.mark.parametrize("to_skip, expected", [(2**31, 16), (-1, 0)])
def test_edge_case_input_for_method_skip(delegate, to_skip, expected) -> None:
    with stream_of(SIXTEEN, delegate) as stream:
        assert stream.skip(to_skip) == expected


# -- ours ----------------------------------------------------------------------------------------------------


@SOURCES
def test_read_n_bytes(data) -> None:
    for first in (0, 1, 5, 10, 11, 200):
        with stream_of(data) as stream:
            stream.read()
            assert stream.read_n_bytes(first) == data[1:1 + first]
            assert stream.read_n_bytes(1000) == data[1 + first:]


def test_a_closed_stream() -> None:
    class Supplier(BufferSupplier):
        released = 0

        def get(self, capacity: int) -> ByteBuffer:
            return ByteBuffer.allocate(capacity)

        def release(self, buffer: ByteBuffer) -> None:
            self.released += 1

        def close(self) -> None:
            pass

    supplier = Supplier()
    source = ByteBufferInputStream(ByteBuffer.wrap(SIXTEEN))
    stream = ChunkedBytesStream(source, supplier, 10, False)
    assert stream.source_stream() is source
    stream.read()
    stream.close()
    stream.close()
    assert supplier.released == 1
    for use in (stream.read, stream.available, lambda: stream.skip(1), lambda: stream.read_n_bytes(1),
                lambda: stream.read_into(memoryview(bytearray(1)))):
        with pytest.raises(OSError, match="Stream closed"):
            use()
