# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's MessageUtilTest."""

from __future__ import annotations

import json

import pytest

from kreactor.common.message.default_principal_data import DefaultPrincipalData
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


def test_deep_to_string() -> None:
    assert MessageUtil.deep_to_string(iter([1, 2, 3])) == "[1, 2, 3]"
    assert MessageUtil.deep_to_string(["foo"]) == "[foo]"


def test_byte_buffer_to_array() -> None:
    buffer = ByteBuffer.wrap(b"\1\2\3").set_position(1)
    assert MessageUtil.byte_buffer_to_array(buffer) == b"\2\3"
    assert buffer.position() == 1
    assert MessageUtil.byte_buffer_to_array(ByteBuffer.allocate(0)) == b""


def test_compare_raw_tagged_fields() -> None:
    compare = MessageUtil.compare_raw_tagged_fields
    one, two = RawTaggedField(1, b"\1"), RawTaggedField(2, b"")
    assert compare(None, None)
    assert compare(None, [])
    assert compare([], None)
    assert not compare([], [one])
    assert not compare(None, [one])
    assert not compare([one], [])
    assert compare([one, two], [RawTaggedField(1, b"\1"), RawTaggedField(2, b"")])


def test_constants() -> None:
    assert MessageUtil.UNSIGNED_SHORT_MAX == 0xFFFF
    assert MessageUtil.UNSIGNED_INT_MAX == 0xFFFFFFFF


def test_binary_node() -> None:
    node = json.loads('"BQIJBAEIBwADBg=="')
    assert MessageUtil.json_node_to_binary(node, "test") == bytes((5, 2, 9, 4, 1, 8, 7, 0, 3, 6))


def test_invalid_binary_node() -> None:
    for node in (42, "This is not base64!"):
        with pytest.raises(IllegalArgumentException):
            MessageUtil.json_node_to_binary(node, "test")


def test_numbers_of_json() -> None:
    assert MessageUtil.json_node_to_byte(127, "about") == 127
    # Bytes may be given as if they had no sign; what Kafka makes of them is odd.
    assert [MessageUtil.json_node_to_byte(number, "about") for number in (128, 200, 255, 256)] == [
        0, 72, 127, -128]
    assert MessageUtil.json_node_to_short(-0x8000, "about") == -0x8000
    assert MessageUtil.json_node_to_unsigned_short(0xFFFF, "about") == 0xFFFF
    assert MessageUtil.json_node_to_unsigned_int(0xFFFFFFFF, "about") == 0xFFFFFFFF
    assert MessageUtil.json_node_to_int(-0x80000000, "about") == -0x80000000
    assert MessageUtil.json_node_to_long(1 << 62, "about") == 1 << 62
    assert MessageUtil.json_node_to_double(1.5, "about") == 1.5


@pytest.mark.parametrize("convert, node, error, text", [
    (MessageUtil.json_node_to_byte, 257, RuntimeError,
     "about: value 257 does not fit in an 8-bit signed integer."),
    (MessageUtil.json_node_to_byte, -129, RuntimeError,
     "about: value -129 does not fit in an 8-bit signed integer."),
    (MessageUtil.json_node_to_short, 0x8000, RuntimeError,
     "about: value 32768 does not fit in a 16-bit signed integer."),
    (MessageUtil.json_node_to_unsigned_short, -1, RuntimeError,
     "about: value -1 does not fit in a 16-bit unsigned integer."),
    (MessageUtil.json_node_to_unsigned_int, 1 << 32, RuntimeError,
     "about: value 4294967296 does not fit in a 32-bit unsigned integer."),
    (MessageUtil.json_node_to_int, 1 << 31, IllegalArgumentException,
     'about: failed to parse number: For input string: "2147483648"'),
    (MessageUtil.json_node_to_int, "1", IllegalArgumentException,
     "about: expected an integer or string type, but got STRING"),
    (MessageUtil.json_node_to_long, True, IllegalArgumentException,
     'about: failed to parse number: For input string: "true"'),
    (MessageUtil.json_node_to_double, 1, IllegalArgumentException,
     "about: expected a floating point type, but got 1"),
])
def test_numbers_that_do_not_fit(convert: object, node: object, error: type[Exception], text: str) -> None:
    assert callable(convert)
    with pytest.raises(error) as caught:
        convert(node, "about")
    assert str(caught.value) == text


def test_version_prefixed() -> None:
    data = DefaultPrincipalData(type="User", name="alice")
    plain = MessageUtil.to_byte_buffer(data, 0).to_bytes()
    assert MessageUtil.to_version_prefixed_bytes(0, data) == b"\0\0" + plain
    assert MessageUtil.to_version_prefixed_byte_buffer(0, data).to_bytes() == b"\0\0" + plain
