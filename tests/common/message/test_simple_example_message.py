# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's SimpleExampleMessageTest: a field of every type, tagged and not."""

from __future__ import annotations

from typing import Callable

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.message_json_converter import read_json, write_json
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.message.simple_example_message_data import SimpleExampleMessageData


def assert_round_trip(message: SimpleExampleMessageData,
                      validate: Callable[[SimpleExampleMessageData], bool] = lambda message: True,
                      version: int = 1) -> None:
    assert validate(message)
    read = SimpleExampleMessageData.read(MessageUtil.to_byte_buffer(message, version), version)
    assert validate(read)
    assert read == message
    from_json = read_json(SimpleExampleMessageData, write_json(message, version), version)
    assert validate(from_json)
    assert from_json == message


def test_should_store_field() -> None:
    uuid, buffer = Uuid.random_uuid(), ByteBuffer.wrap(b"\1\2\3")
    out = SimpleExampleMessageData()
    out.process_id = uuid
    out.zero_copy_byte_buffer = buffer
    assert out.process_id == uuid
    assert out.zero_copy_byte_buffer is buffer
    out.nullable_zero_copy_byte_buffer = None
    assert out.nullable_zero_copy_byte_buffer is None


def test_should_throw_if_cannot_write_non_ignorable_field() -> None:
    with pytest.raises(UnsupportedVersionException,
                       match="Attempted to write a non-default processId at version 0"):
        MessageUtil.to_byte_buffer(SimpleExampleMessageData(process_id=Uuid.random_uuid()), 0)


def test_should_default_field() -> None:
    out = SimpleExampleMessageData()
    assert out.process_id == Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAA")
    assert not out.zero_copy_byte_buffer.has_remaining()
    assert out.nullable_zero_copy_byte_buffer is not None
    assert not out.nullable_zero_copy_byte_buffer.has_remaining()


def test_should_round_trip_field_through_buffer() -> None:
    out = SimpleExampleMessageData(process_id=Uuid.random_uuid(),
                                   zero_copy_byte_buffer=ByteBuffer.wrap(b"\1\2\3"))
    read = SimpleExampleMessageData.read(MessageUtil.to_byte_buffer(out, 1), 1)
    assert read.process_id == out.process_id
    assert read.zero_copy_byte_buffer.to_bytes() == b"\1\2\3"
    assert read.nullable_zero_copy_byte_buffer is not None
    assert read.nullable_zero_copy_byte_buffer.to_bytes() == b""


def test_should_round_trip_field_through_buffer_with_nullable() -> None:
    out = SimpleExampleMessageData(process_id=Uuid.random_uuid(),
                                   zero_copy_byte_buffer=ByteBuffer.wrap(b"\1\2\3"),
                                   nullable_zero_copy_byte_buffer=ByteBuffer.wrap(b"\4\5\6"))
    buffer = MessageUtil.to_byte_buffer(out, 1)
    read = SimpleExampleMessageData.read(buffer, 1)
    assert read.zero_copy_byte_buffer.to_bytes() == b"\1\2\3"
    assert read.nullable_zero_copy_byte_buffer is not None
    assert read.nullable_zero_copy_byte_buffer.to_bytes() == b"\4\5\6"
    # It is the same memory: what is written there can be seen here.
    read.zero_copy_byte_buffer.put_at(0, 9)
    assert SimpleExampleMessageData.read(buffer.rewind(), 1).zero_copy_byte_buffer.get() == 9


def test_should_implement_equals_and_hash_code() -> None:
    uuid = Uuid.random_uuid()
    one, other = (SimpleExampleMessageData(process_id=uuid, zero_copy_byte_buffer=ByteBuffer.wrap(b"\1\2\3"))
                  for _ in range(2))
    assert one == other
    assert str(one) == str(other)
    one.nullable_zero_copy_byte_buffer = ByteBuffer.wrap(b"\1")
    assert one != other
    other.nullable_zero_copy_byte_buffer = ByteBuffer.wrap(b"\1")
    assert one == other
    one.nullable_zero_copy_byte_buffer = None
    assert one != other
    other.nullable_zero_copy_byte_buffer = None
    assert one == other
    assert str(one) == str(other)
    with pytest.raises(TypeError):
        hash(one)


def test_my_tagged_int_array() -> None:
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.my_tagged_int_array == [])
    assert_round_trip(SimpleExampleMessageData(my_tagged_int_array=[1, 2, 3]),
                      lambda message: message.my_tagged_int_array == [1, 2, 3])


def test_my_nullable_string() -> None:
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.my_nullable_string is None)
    assert_round_trip(SimpleExampleMessageData(my_nullable_string="foobar"),
                      lambda message: message.my_nullable_string == "foobar")


def assert_number(name: str, default: int, *values: int) -> None:
    assert_round_trip(SimpleExampleMessageData(), lambda message: getattr(message, name) == default)
    for value in values:
        message = SimpleExampleMessageData()
        setattr(message, name, value)
        assert_round_trip(message, lambda message: getattr(message, name) == value)


def test_my_int16() -> None:
    assert_number("my_int16", 123, 456, -0x8000, 0x7FFF)


def test_my_uint32() -> None:
    assert_number("my_uint32", 1234567, 123, 60000, 0xFFFFFFFF)


def test_my_uint16() -> None:
    assert_number("my_uint16", 33000, 123, 60000, 0xFFFF)


def test_my_string() -> None:
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.my_string == "")
    assert_round_trip(SimpleExampleMessageData(my_string="abc"), lambda message: message.my_string == "abc")


def test_my_bytes() -> None:
    for name, value in (("my_uint16", -1), ("my_uint16", 0x10000), ("my_uint32", -1),
                        ("my_uint32", 0x100000000)):
        message = SimpleExampleMessageData()
        setattr(message, name, value)
        with pytest.raises(RuntimeError):
            MessageUtil.to_byte_buffer(message, 1)
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.my_bytes == b"")
    assert_round_trip(SimpleExampleMessageData(my_bytes=b"\x43\x66"),
                      lambda message: message.my_bytes == b"\x43\x66")
    assert_round_trip(SimpleExampleMessageData(my_bytes=None), lambda message: message.my_bytes is None)


def test_tagged_uuid() -> None:
    default, other = Uuid.from_string("H3KKO4NTRPaCWtEmm3vW7A"), Uuid.random_uuid()
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.tagged_uuid == default)
    assert_round_trip(SimpleExampleMessageData(tagged_uuid=other),
                      lambda message: message.tagged_uuid == other)


def test_tagged_long() -> None:
    assert_round_trip(SimpleExampleMessageData(), lambda message: message.tagged_long == 0xCAFCACAFCACAFCA)
    assert_round_trip(
        SimpleExampleMessageData(my_string="blah", my_tagged_int_array=[4], tagged_long=0x123443211234432),
        lambda message: message.tagged_long == 0x123443211234432)


def test_my_struct() -> None:
    my_struct = SimpleExampleMessageData.MyStruct(struct_id=10, array_in_struct=[
        SimpleExampleMessageData.StructArray(array_field_id=20)])
    assert_round_trip(SimpleExampleMessageData(my_struct=my_struct),
                      lambda message: message.my_struct == my_struct, 2)


def test_my_struct_unsupported_version() -> None:
    message = SimpleExampleMessageData(my_struct=SimpleExampleMessageData.MyStruct(struct_id=10))
    with pytest.raises(UnsupportedVersionException):
        MessageUtil.to_byte_buffer(message, 1)
    with pytest.raises(UnsupportedVersionException):
        write_json(message, 1)


def test_my_tagged_struct() -> None:
    my_struct = SimpleExampleMessageData.TaggedStruct(struct_id="abc")
    assert_round_trip(SimpleExampleMessageData(my_tagged_struct=my_struct),
                      lambda message: message.my_tagged_struct == my_struct, 2)
    for version in (1, 2):
        assert_round_trip(SimpleExampleMessageData(my_string="abc"),
                          lambda message: message.my_string == "abc", version)


def test_common_struct() -> None:
    assert_round_trip(SimpleExampleMessageData(
        my_common_struct=SimpleExampleMessageData.TestCommonStruct(foo=1, bar=2),
        my_other_common_struct=SimpleExampleMessageData.TestCommonStruct(foo=3, bar=4)), version=2)


def test_tagged_fields_should_support_flexible_version_subset() -> None:
    message = SimpleExampleMessageData(tagged_long_flexible_version_subset=15)
    assert_round_trip(message, lambda message: message.tagged_long_flexible_version_subset == 15, 2)
    read = SimpleExampleMessageData.read(MessageUtil.to_byte_buffer(message, 1), 1)
    assert read == SimpleExampleMessageData()
    assert read.tagged_long_flexible_version_subset == 0


def test_to_string() -> None:
    message = SimpleExampleMessageData(my_uint16=65535, my_float64=1.0,
                                       tagged_uuid=Uuid.from_string("x7D3Ck_ZRA22-dzIvu_pnQ"))
    assert str(message) == (
        "SimpleExampleMessageData(processId=AAAAAAAAAAAAAAAAAAAAAA, myTaggedIntArray=[], "
        "myNullableString=null, myInt16=123, myFloat64=1.0, myString='', myBytes=[], "
        "taggedUuid=x7D3Ck_ZRA22-dzIvu_pnQ, taggedLong=914172222550880202, "
        "zeroCopyByteBuffer=ByteBuffer[pos=0 lim=0 cap=0], "
        "nullableZeroCopyByteBuffer=ByteBuffer[pos=0 lim=0 cap=0], "
        "myStruct=MyStruct(structId=0, arrayInStruct=[]), myTaggedStruct=TaggedStruct(structId=''), "
        "taggedLongFlexibleVersionSubset=0, myCommonStruct=TestCommonStruct(foo=123, bar=123), "
        "myOtherCommonStruct=TestCommonStruct(foo=123, bar=123), myUint16=65535, myUint32=1234567)")
    assert repr(message) == str(message)


def test_bytes_read_as_java_prints_them() -> None:
    assert "myBytes=[-128, -1, 0, 127]," in str(SimpleExampleMessageData(my_bytes=b"\x80\xff\x00\x7f"))
