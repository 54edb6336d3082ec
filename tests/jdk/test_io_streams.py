# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The streams on their own."""

from __future__ import annotations

import pytest

from kreactor.jdk.io_streams import BufferedOutputStream, InputStream, OutputStream
from kreactor.jdk.nio_buffer import BytesLike


class Trickle(InputStream):
    """Gives up to three bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.closed = False

    def read(self) -> int:
        one = memoryview(bytearray(1))
        return one[0] if self.read_into(one) == 1 else -1

    def read_into(self, target: memoryview) -> int:
        if not self.data:
            return -1
        part = self.data[:min(3, len(target))]
        self.data = self.data[len(part):]
        target[:len(part)] = part
        return len(part)

    def close(self) -> None:
        self.closed = True


class Pieces(OutputStream):
    """Keeps what each write gave, or raises."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.error: OSError | None = None
        self.closed = False

    def write(self, data: BytesLike) -> None:
        if self.error is not None:
            raise self.error
        self.pieces.append(bytes(data))

    def close(self) -> None:
        self.closed = True


def test_read_n_bytes_and_skip() -> None:
    with Trickle(b"0123456789abcdef") as stream:
        assert stream.read_n_bytes(0) == stream.read_n_bytes(-1) == b""
        assert stream.read_n_bytes(7) == b"0123456"
        assert stream.skip(5) == 5
        assert stream.available() == 0
        assert stream.read() == ord("c")
        assert stream.skip(99) == 3
        assert stream.skip(1) == 0
        assert stream.read_n_bytes(1 << 40) == b""
    assert stream.closed


def test_a_stream_that_has_nothing_now_is_asked_again() -> None:
    class Halting(Trickle):
        turns = 0

        def read_into(self, target: memoryview) -> int:
            self.turns += 1
            return 0 if self.turns % 2 else super().read_into(target)

    assert Halting(b"0123456789").read_n_bytes(8) == b"01234567"


def test_output_stream() -> None:
    class Collector(OutputStream):
        def __init__(self) -> None:
            self.data = b""
            self.closed = False

        def write(self, data: bytes) -> None:
            self.data += data

        def close(self) -> None:
            self.closed = True

    with Collector() as stream:
        for value in (0, 127, 200, -1):
            stream.write_byte(value)
        stream.flush()
    assert stream.data == b"\x00\x7f\xc8\xff" and stream.closed


def test_small_writes_are_passed_on_together() -> None:
    out = Pieces()
    stream = BufferedOutputStream(out, 8)
    for data in (b"abc", b"defgh", memoryview(b"i"), b"0123456789", b"jk"):
        stream.write(data)
    assert out.pieces == [b"abcdefgh", b"i", b"0123456789"]
    stream.flush()
    assert out.pieces[3:] == [b"jk"]
    stream.flush()
    stream.write(b"l")
    stream.close()
    assert out.pieces[4:] == [b"l"] and out.closed


def test_a_stream_that_cannot_be_written_to_is_closed_all_the_same() -> None:
    out = Pieces()
    out.error = OSError("full")
    stream = BufferedOutputStream(out, 8)
    stream.write(b"a")
    with pytest.raises(OSError, match="full"):
        stream.close()
    assert out.closed
