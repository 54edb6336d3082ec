# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.exceptions import (
    BufferOverflowException,
    BufferUnderflowException,
    IllegalArgumentException,
)
from kreactor.jdk.nio_buffer import ByteBuffer

NUMBERS = {
    "short": (">h", st.integers(-2**15, 2**15 - 1)),
    "int": (">i", st.integers(-2**31, 2**31 - 1)),
    "long": (">q", st.integers(-2**63, 2**63 - 1)),
}


@given(st.lists(st.sampled_from(sorted(NUMBERS)).flatmap(
    lambda kind: st.tuples(st.just(kind), NUMBERS[kind][1]))))
def test_numbers_are_big_endian_and_come_back(numbers):
    expected = b"".join(struct.pack(NUMBERS[kind][0], value) for kind, value in numbers)
    buffer = ByteBuffer.allocate(len(expected))
    for kind, value in numbers:
        getattr(buffer, f"put_{kind}")(value)
    assert not buffer.has_remaining()
    buffer.flip()
    assert buffer.to_bytes() == expected
    offset = 0
    for kind, value in numbers:
        assert getattr(buffer, f"get_{kind}_at")(offset) == value
        offset += struct.calcsize(NUMBERS[kind][0])
        assert getattr(buffer, f"get_{kind}")() == value


@given(st.integers(-128, 127))
def test_bytes_are_signed(value):
    buffer = ByteBuffer.allocate(1)
    buffer.put_byte(value).flip()
    assert buffer.get_at(0) == value
    assert buffer.get() == value
    buffer.put_at(0, value & 0xFF)
    assert buffer.get_at(0) == value


@pytest.mark.parametrize("read", ["get", "get_short", "get_int", "get_long"])
def test_nothing_is_read_past_the_limit(read):
    buffer = ByteBuffer.allocate(8)
    buffer.set_position(8)
    with pytest.raises(BufferUnderflowException):
        getattr(buffer, read)()
    assert buffer.position() == 8


@pytest.mark.parametrize("write", ["put_byte", "put_short", "put_int", "put_long"])
def test_nothing_is_written_past_the_limit(write):
    buffer = ByteBuffer.allocate(8)
    buffer.set_limit(0)
    with pytest.raises(BufferOverflowException):
        getattr(buffer, write)(1)
    with pytest.raises(BufferOverflowException):
        buffer.put(b"1")
    assert buffer.position() == 0


@pytest.mark.parametrize(("kind", "size"), [
    ("_at", 1), ("_short_at", 2), ("_int_at", 4), ("_unsigned_int_at", 4), ("_long_at", 8)])
def test_absolute_access_is_checked_against_the_limit(kind, size):
    buffer = ByteBuffer.allocate(20)
    buffer.set_limit(10)
    get, put = getattr(buffer, f"get{kind}"), getattr(buffer, f"put{kind}")
    for index in (-1, 10 - size + 1, 10, 11):
        with pytest.raises(IndexError):
            get(index)
        with pytest.raises(IndexError):
            put(index, 1)
    assert bytes(buffer.clear().view()) == bytes(20)
    buffer.set_limit(10)
    put(10 - size, 1)
    assert get(10 - size) == 1 and buffer.position() == 0


def test_views_share_the_memory():
    buffer = ByteBuffer.allocate(8)
    buffer.set_position(2)
    part = buffer.slice()
    assert (part.position(), part.limit(), part.capacity()) == (0, 6, 6)
    part.put_int(7)
    twin = buffer.duplicate()
    assert twin.get_int() == 7
    assert buffer.position() == 2
    buffer.view()[3] = 9
    assert part.get_int_at(0) == 9
    read = buffer.get_bytes(4)
    buffer.put_int_at(2, 11)
    assert bytes(read) == struct.pack(">i", 11)


def test_a_buffer_put_into_another_is_drained():
    source, target = ByteBuffer.wrap(b"abcdef"), ByteBuffer.allocate(8)
    source.set_position(2).set_limit(5)
    target.put(source)
    assert not source.has_remaining()
    assert target.flip().to_bytes() == b"cde"


def test_limits_and_positions_are_kept_in_order():
    buffer = ByteBuffer.allocate(4)
    for use in (lambda: buffer.set_position(5), lambda: buffer.set_position(-1),
                lambda: buffer.set_limit(5), lambda: buffer.set_limit(-1), lambda: ByteBuffer.allocate(-1)):
        with pytest.raises(IllegalArgumentException):
            use()
    buffer.set_position(3).set_limit(2)
    assert buffer.position() == 2
    assert buffer.rewind().remaining() == 2
    assert buffer.clear().remaining() == 4
    assert buffer.capacity() == 4


def test_wrapped_arrays_of_wider_items_are_seen_as_bytes():
    assert ByteBuffer.wrap(memoryview(struct.pack("=i", 1)).cast("i")).capacity() == 4
