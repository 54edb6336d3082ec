# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.utils.crc32c import Crc32C
from kreactor.jdk.nio_buffer import ByteBuffer


def test_update() -> None:
    data = b"Any String you want"
    crc1, crc2, crc3 = Crc32C.create(), Crc32C.create(), Crc32C.create()
    crc1.update(data)
    for i in range(len(data)):
        crc2.update(data[i:i + 1])
    crc3.update(memoryview(data)[:9])
    crc3.update(memoryview(data)[9:])
    assert crc1.get_value() == crc2.get_value() == crc3.get_value() != 0
    crc1.reset()
    assert crc1.get_value() == 0


def test_value() -> None:
    data = b"Some String"
    assert Crc32C.compute(data, 0, len(data)) == 608512271


def reference(data: bytes) -> int:
    """The definition: the reversed polynomial 0x82F63B78, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@given(st.binary(max_size=100), st.data())
def test_all_kinds_of_memory(data: bytes, draw: st.DataObject) -> None:
    offset = draw.draw(st.integers(0, len(data)))
    size = draw.draw(st.integers(0, len(data) - offset))
    expected = reference(data[offset:offset + size])
    assert Crc32C.compute(data, offset, size) == expected
    assert Crc32C.compute(bytearray(data), offset, size) == expected
    assert Crc32C.compute(memoryview(data), offset, size) == expected
    buffer = ByteBuffer.wrap(b"??" + data + b"?").set_position(2)
    assert Crc32C.compute(buffer, offset, size) == expected
    assert buffer.position() == 2


@pytest.mark.parametrize(("offset", "size"), [(-1, 2), (0, -1), (0, 4), (3, 1)])
def test_outside(offset: int, size: int) -> None:
    with pytest.raises(IndexError):
        Crc32C.compute(b"abc", offset, size)
    with pytest.raises(IndexError):
        Crc32C.compute(ByteBuffer.wrap(b"?abc?").set_limit(4).set_position(1), offset, size)
