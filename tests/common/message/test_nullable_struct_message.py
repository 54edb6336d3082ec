# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's NullableStructMessageTest."""

from __future__ import annotations

import pytest

from kreactor.common.protocol.message_util import MessageUtil
from tests.common.message.nullable_struct_message_data import NullableStructMessageData


def round_trip(message: NullableStructMessageData, version: int) -> NullableStructMessageData:
    return NullableStructMessageData.read(MessageUtil.to_byte_buffer(message, version), version)


def all_null() -> NullableStructMessageData:
    return NullableStructMessageData(nullable_struct=None, nullable_struct2=None, nullable_struct3=None,
                                     nullable_struct4=None)


def test_default_values() -> None:
    message = NullableStructMessageData()
    for each in (message, round_trip(message, 2)):
        assert each.nullable_struct is None
        assert each.nullable_struct2 == NullableStructMessageData.MyStruct2()
        assert each.nullable_struct3 is None
        assert each.nullable_struct4 == NullableStructMessageData.MyStruct4()


def test_round_trip() -> None:
    message = NullableStructMessageData(
        nullable_struct=NullableStructMessageData.MyStruct(my_int=1, my_string="1"),
        nullable_struct2=NullableStructMessageData.MyStruct2(my_int=2, my_string="2"),
        nullable_struct3=NullableStructMessageData.MyStruct3(my_int=3, my_string="3"),
        nullable_struct4=NullableStructMessageData.MyStruct4(my_int=4, my_string="4"))
    assert round_trip(message, 2) == message


def test_null_for_all_fields() -> None:
    message = round_trip(all_null(), 2)
    assert message == all_null()


def test_nullable_struct2_can_not_be_null_in_version0() -> None:
    with pytest.raises(AttributeError):
        round_trip(NullableStructMessageData(nullable_struct2=None), 0)


def test_to_string_with_null_structs() -> None:
    assert str(all_null()) == ("NullableStructMessageData(nullableStruct=null, nullableStruct2=null, "
                               "nullableStruct3=null, nullableStruct4=null)")
