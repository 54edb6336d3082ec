# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import math
import struct
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

INT_MAX, INT_MIN = 2**31 - 1, -2**31
LONG_MAX, LONG_MIN = 2**63 - 1, -2**63

ints = st.integers(INT_MIN, INT_MAX) | st.integers(-300, 300)
longs = st.integers(LONG_MIN, LONG_MAX) | st.integers(-300, 300)

UNSIGNED_VARINTS = [
    (0, "00"), (-1, "ffffffff0f"), (1, "01"), (63, "3f"), (-64, "c0ffffff0f"), (64, "40"), (8191, "ff3f"),
    (-8192, "80c0ffff0f"), (8192, "8040"), (-8193, "ffbfffff0f"), (1048575, "ffff3f"), (1048576, "808040"),
    (INT_MAX, "ffffffff07"), (INT_MIN, "8080808008"),
]
VARINTS = [
    (0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (-65, "8101"), (8191, "fe7f"),
    (-8192, "ff7f"), (8192, "808001"), (-8193, "818001"), (1048575, "feff7f"), (-1048576, "ffff7f"),
    (1048576, "80808001"), (-1048577, "81808001"), (134217727, "feffff7f"), (-134217728, "ffffff7f"),
    (134217728, "8080808001"), (-134217729, "8180808001"), (INT_MAX, "feffffff0f"), (INT_MIN, "ffffffff0f"),
]
VARLONGS = VARINTS + [
    (17179869183, "feffffff7f"), (-17179869184, "ffffffff7f"), (17179869184, "808080808001"),
    (-17179869185, "818080808001"), (2199023255551, "feffffffff7f"), (-2199023255552, "ffffffffff7f"),
    (2199023255552, "80808080808001"), (-2199023255553, "81808080808001"),
    (281474976710655, "feffffffffff7f"), (-281474976710656, "ffffffffffff7f"),
    (281474976710656, "8080808080808001"), (-281474976710657, "8180808080808001"),
    (36028797018963967, "feffffffffffff7f"), (-36028797018963968, "ffffffffffffff7f"),
    (36028797018963968, "808080808080808001"), (-36028797018963969, "818080808080808001"),
    (4611686018427387903, "feffffffffffffff7f"), (-4611686018427387904, "ffffffffffffffff7f"),
    (4611686018427387904, "80808080808080808001"), (-4611686018427387905, "81808080808080808001"),
    (LONG_MAX, "feffffffffffffffff01"), (LONG_MIN, "ffffffffffffffffff01"),
]


def test_read_unsigned_int_le_from_array() -> None:
    array1 = bytes((1, 2, 3, 4, 5))
    assert ByteUtils.read_unsigned_int_le_at(array1, 0) == 0x04030201
    assert ByteUtils.read_unsigned_int_le_at(array1, 1) == 0x05040302

    array2 = bytes((0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6))
    assert ByteUtils.read_unsigned_int_le_at(array2, 0) & 0xFFFFFFFF == 0xF4F3F2F1
    assert ByteUtils.read_unsigned_int_le_at(array2, 2) == 0xF6F5F4F3 - 2**32


def test_read_unsigned_int_le_from_input_stream() -> None:
    stream = ByteBufferInputStream(ByteBuffer.wrap(bytes((1, 2, 3, 4, 0xF5, 0xF6, 0xF7, 0xF8))))
    assert ByteUtils.read_unsigned_int_le(stream) == 0x04030201
    assert ByteUtils.read_unsigned_int_le(stream) == 0xF8F7F6F5 - 2**32
    assert ByteUtils.read_unsigned_int_le(stream) == -1


@pytest.mark.parametrize("value", [0, 133444, 2**31 - 1, 2**31, 2**32 - 1])
def test_read_unsigned_int(value: int) -> None:
    buffer = ByteBuffer.allocate(8)
    ByteUtils.write_unsigned_int(buffer, value)
    ByteUtils.write_unsigned_int_index(buffer, 4, value)
    assert buffer.position() == 4
    buffer.rewind()
    assert ByteUtils.read_unsigned_int_index(buffer, 4) == value
    assert ByteUtils.read_unsigned_int(buffer) == value
    assert buffer.position() == 4


def test_write_unsigned_int_le_to_array() -> None:
    for value, expected in ((0x04030201, b"\1\2\3\4"), (0xF4F3F2F1 - 2**32, b"\xf1\xf2\xf3\xf4")):
        array = bytearray(8)
        ByteUtils.write_unsigned_int_le_at(array, 2, value)
        assert array == b"\0\0" + expected + b"\0\0"


def test_write_unsigned_int_le_to_output_stream() -> None:
    stream = ByteBufferOutputStream(16)
    ByteUtils.write_unsigned_int_le(stream, 0x04030201)
    ByteUtils.write_unsigned_int_le(stream, 0xF4F3F2F1)
    assert stream.buffer().flip().to_bytes() == b"\1\2\3\4\xf1\xf2\xf3\xf4"


def check_serde(value: int, encoding: bytes, kind: str) -> None:
    """Hold all ways to write and to read a kind of number against its bytes."""
    write = getattr(ByteUtils, f"write_{kind}")
    read = getattr(ByteUtils, f"read_{kind}")
    buffer = ByteBuffer.allocate(10)
    write(value, buffer)
    buffer.flip()
    assert buffer.to_bytes() == encoding
    assert read(buffer) == value
    assert not buffer.has_remaining()

    assert getattr(ByteUtils, f"size_of_{kind}")(value) == len(encoding)

    if hasattr(ByteUtils, f"write_{kind}_out"):
        stream = ByteBufferOutputStream(10)
        getattr(ByteUtils, f"write_{kind}_out")(value, stream)
        assert stream.buffer().flip().to_bytes() == encoding
        assert getattr(ByteUtils, f"read_{kind}_in")(
            ByteBufferInputStream(ByteBuffer.wrap(encoding))) == value

    if hasattr(ByteUtils, f"read_{kind}_at"):
        end, content = 2 + len(encoding), b"\0\0" + encoding + bytes(12 - len(encoding))
        assert getattr(ByteUtils, f"read_{kind}_at")(memoryview(content), 2) == (value, end)


@pytest.mark.parametrize(("value", "encoding"), UNSIGNED_VARINTS)
def test_unsigned_varint_serde(value: int, encoding: str) -> None:
    check_serde(value, bytes.fromhex(encoding), "unsigned_varint")


@pytest.mark.parametrize(("value", "encoding"), VARINTS)
def test_varint_serde(value: int, encoding: str) -> None:
    check_serde(value, bytes.fromhex(encoding), "varint")


@pytest.mark.parametrize(("value", "encoding"), VARLONGS)
def test_varlong_serde(value: int, encoding: str) -> None:
    check_serde(value, bytes.fromhex(encoding), "varlong")


INVALID_VARINT = bytes.fromhex("ffffffffff01")
INVALID_VARLONG = bytes.fromhex("ffffffffffffffffffff01")


def readers(kind: str) -> list[Callable[[bytes], object]]:
    return [
        lambda data: getattr(ByteUtils, f"read_{kind}")(ByteBuffer.wrap(data)),
        lambda data: getattr(ByteUtils, f"read_{kind}_at")(memoryview(data), 0),
        lambda data: getattr(ByteUtils, f"read_{kind}_in")(ByteBufferInputStream(ByteBuffer.wrap(data))),
    ]


@pytest.mark.parametrize("read", readers("varint"))
def test_invalid_varint(read: Callable[[bytes], object]) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        read(INVALID_VARINT)
    assert str(caught.value) == ("Varint is too long, the most significant bit in the 5th byte is set, "
                                 "converted value: ffffffff")


@pytest.mark.parametrize("read", readers("varlong"))
def test_invalid_varlong(read: Callable[[bytes], object]) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        read(INVALID_VARLONG)
    assert str(caught.value) == ("Varlong is too long, most significant bit in the 10th byte is set, "
                                 "converted value: ffffffffffffffff")


@pytest.mark.parametrize("kind", ["varint", "varlong"])
@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff\xff"])
def test_a_number_that_is_cut_off(kind: str, data: bytes) -> None:
    from_buffer, from_memory, from_stream = readers(kind)
    with pytest.raises(BufferUnderflowException):
        from_buffer(data)
    with pytest.raises(IndexError):
        from_memory(data)
    # A stream's end reads as a byte with more to come, for ever.
    with pytest.raises(IllegalArgumentException):
        from_stream(data)


@pytest.mark.parametrize(("value", "bits"), [
    (0.0, 0x0), (-0.0, 0x8000000000000000), (1.0, 0x3FF0000000000000), (-1.0, 0xBFF0000000000000),
    (123e45, 0x49B58B82C0E0BB00), (-123e45, 0xC9B58B82C0E0BB00), (5e-324, 0x1), (-5e-324, 0x8000000000000001),
    (1.7976931348623157e308, 0x7FEFFFFFFFFFFFFF), (-1.7976931348623157e308, 0xFFEFFFFFFFFFFFFF),
    (math.nan, 0x7FF8000000000000), (math.inf, 0x7FF0000000000000), (-math.inf, 0xFFF0000000000000),
])
def test_double(value: float, bits: int) -> None:
    buffer = ByteBuffer.allocate(8)
    ByteUtils.write_double(value, buffer)
    buffer.flip()
    assert buffer.to_bytes() == struct.pack(">Q", bits)
    read = ByteUtils.read_double(buffer)
    assert read == value or math.isnan(read) and math.isnan(value)


def simple_unsigned(value: int, bits: int) -> bytes:
    """The definition, of a number taken for unsigned."""
    value &= (1 << bits) - 1
    encoding = bytearray()
    while value & ~0x7F:
        encoding.append(value & 0x7F | 0x80)
        value >>= 7
    encoding.append(value)
    return bytes(encoding)


@given(ints)
def test_correctness_write_unsigned_varint(value: int) -> None:
    buffer = ByteBuffer.allocate(5)
    ByteUtils.write_unsigned_varint(value, buffer)
    assert buffer.flip().to_bytes() == simple_unsigned(value, 32)


@given(longs)
def test_correctness_write_unsigned_varlong(value: int) -> None:
    buffer = ByteBuffer.allocate(10)
    ByteUtils.write_unsigned_varlong(value, buffer)
    assert buffer.flip().to_bytes() == simple_unsigned(value, 64)


@given(ints)
def test_correctness_read_unsigned_varint(value: int) -> None:
    data = simple_unsigned(value, 32)
    assert ByteUtils.read_unsigned_varint(ByteBuffer.wrap(data)) == value
    assert ByteUtils.read_unsigned_varint_at(memoryview(data), 0) == (value, len(data))


@given(longs)
def test_correctness_read_unsigned_varlong(value: int) -> None:
    assert ByteUtils.read_unsigned_varlong(ByteBuffer.wrap(simple_unsigned(value, 64))) == value


@given(ints)
def test_size_of_unsigned_varint(value: int) -> None:
    assert ByteUtils.size_of_unsigned_varint(value) == len(simple_unsigned(value, 32))


@given(longs)
def test_size_of_varlong(value: int) -> None:
    assert ByteUtils.size_of_varlong(value) == len(simple_unsigned((value << 1) ^ (value >> 63), 64))
    assert ByteUtils.size_of_unsigned_varlong(value) == len(simple_unsigned(value, 64))


@given(ints, longs)
def test_any_number_leads_back(value: int, long_value: int) -> None:
    check_serde(value, simple_unsigned(value, 32), "unsigned_varint")
    check_serde(value, simple_unsigned((value << 1) ^ (value >> 31), 32), "varint")
    check_serde(long_value, simple_unsigned((long_value << 1) ^ (long_value >> 63), 64), "varlong")


@given(st.binary(max_size=12))
def test_all_readers_agree_on_any_bytes(data: bytes) -> None:
    for kind in ("unsigned_varint", "varint", "varlong"):
        buffer = ByteBuffer.wrap(data)
        try:
            expected: object = (getattr(ByteUtils, f"read_{kind}")(buffer), buffer.position())
        except IllegalArgumentException as e:
            expected = str(e)
        except BufferUnderflowException:
            expected = None
        try:
            found: object = getattr(ByteUtils, f"read_{kind}_at")(memoryview(data), 0)
        except IllegalArgumentException as e:
            found = str(e)
        except IndexError:
            found = None
        assert found == expected


def test_read_int() -> None:
    values = [0, 1, -1, 127, 32767, 65534, INT_MAX // 2, INT_MIN // 2, INT_MAX, INT_MIN]
    data = struct.pack(f">{len(values)}i", *values)
    assert [ByteUtils.read_int_be(data, 4 * i) for i in range(len(values))] == values


def test_empty_buf() -> None:
    assert ByteUtils.EMPTY_BUF.capacity() == 0
