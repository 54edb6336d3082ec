# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.SerializationTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All serializers and deserializers, there and back."""

from __future__ import annotations

import math
import struct
import uuid
from collections import deque

import pytest

from kreactor.common.errors import SerializationException
from kreactor.common.serialization.serde import Serde
from kreactor.common.serialization.serdes import Serdes
from kreactor.common.utils.bytes import Bytes
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

TOPIC = "testTopic"

SERDES = {
    "String": Serdes.string(), "Short": Serdes.short(), "Integer": Serdes.integer(), "Long": Serdes.long(),
    "Float": Serdes.float(), "Double": Serdes.double(), "byte[]": Serdes.byte_array(),
    "ByteBuffer": Serdes.byte_buffer(), "Bytes": Serdes.bytes(), "UUID": Serdes.uuid(),
    "Boolean": Serdes.boolean()}

TEST_DATA = {
    "String": ["my string"], "Short": [32767, -32768], "Integer": [423412424, -41243432],
    "Long": [922337203685477580, -922337203685477581], "Float": [5678567.0, -5678567.5],
    "Double": [5678567.12312, -5678567.12341], "byte[]": [b"my string", bytearray(b"my string")],
    "ByteBuffer": [ByteBuffer.wrap(b"my string"), ByteBuffer.allocate(10).put(b"my string")],
    "Bytes": [Bytes(b"my string")], "UUID": [uuid.uuid4()], "Boolean": [True, False]}


class DummyClass:
    pass


def comparable(value):
    return value.duplicate().rewind().to_bytes() if isinstance(value, ByteBuffer) else value


@pytest.mark.parametrize("name", TEST_DATA)
def test_all_serdes_should_roundtrip_input(name: str) -> None:
    serde = SERDES[name]
    for value in TEST_DATA[name]:
        serialized = serde.serializer().serialize(TOPIC, value)
        assert serialized is not None
        assert serde.serializer().serialize_headers(TOPIC, None, value) == serialized
        deserializer = serde.deserializer()
        expected = comparable(value)
        assert comparable(deserializer.deserialize(TOPIC, serialized)) == expected
        assert comparable(deserializer.deserialize_headers(TOPIC, None, serialized)) == expected
        # The bytes lie in the middle of a buffer, which stays as it is.
        buffer = ByteBuffer.wrap(b"<" + bytes(serialized) + b">")
        buffer.set_limit(len(serialized) + 1).set_position(1)
        found = deserializer.deserialize_buffer(TOPIC, None, buffer)
        assert (found.to_bytes() if isinstance(found, ByteBuffer) else found) == expected
        assert (buffer.position(), buffer.remaining()) == (1, len(serialized))


def test_types_have_their_serdes() -> None:
    for type_, value in (
            (str, "a"), (int, 1 << 40), (float, 1.5), (bytes, b"a"), (bytearray, bytearray(b"a")),
            (ByteBuffer, ByteBuffer.wrap(b"a")), (Bytes, Bytes(b"a")), (uuid.UUID, uuid.uuid4()),
            (bool, True)):
        serde = Serdes.serde_from(type_)
        serialized = serde.serializer().serialize(TOPIC, value)
        assert comparable(serde.deserializer().deserialize(TOPIC, serialized)) == comparable(value)
    assert len(Serdes.serde_from(int).serializer().serialize(TOPIC, 1)) == 8


@pytest.mark.parametrize("name", TEST_DATA)
def test_all_serdes_should_support_null(name: str) -> None:
    serde = SERDES[name]
    assert serde.serializer().serialize(TOPIC, None) is None
    assert serde.deserializer().deserialize(TOPIC, None) is None
    assert serde.deserializer().deserialize_buffer(TOPIC, None, None) is None


# Java's ClassCastException is a TypeError or an AttributeError.
@pytest.mark.parametrize("name", TEST_DATA)
def test_other_types_are_refused(name: str) -> None:
    others = {other: values for other, values in TEST_DATA.items() if other != name}
    # Python has one type for several of Java's.
    if name in ("Float", "Double"):
        others = {"String": ["text"], "byte[]": [b"a"], "Boolean": [True]}
    elif name in ("Short", "Integer", "Long"):
        others = {"String": ["7"], "Float": [1.0], "Boolean": [True], "byte[]": [b"a"],
                  "Long": [1 << 63, -(1 << 63) - 1]}
    for values in others.values():
        for value in values:
            with pytest.raises((TypeError, AttributeError)):
                SERDES[name].serializer().serialize(TOPIC, value)


@pytest.mark.parametrize("name, low, high", [
    ("Short", -(1 << 15), (1 << 15) - 1), ("Integer", -(1 << 31), (1 << 31) - 1),
    ("Long", -(1 << 63), (1 << 63) - 1)])
def test_numbers_at_the_ends_of_their_types(name: str, low: int, high: int) -> None:
    serde = SERDES[name]
    for value in (low, -1, 0, 1, high):
        assert serde.deserializer().deserialize(TOPIC, serde.serializer().serialize(TOPIC, value)) == value
    for value in (low - 1, high + 1):
        with pytest.raises(TypeError, match="does not fit"):
            serde.serializer().serialize(TOPIC, value)


@pytest.mark.parametrize("name, size", [
    ("Short", 2), ("Integer", 4), ("Long", 8), ("Float", 4), ("Double", 8), ("Boolean", 1)])
def test_bytes_of_another_size_are_refused(name: str, size: int) -> None:
    for length in (0, size - 1, size + 1):
        if length != size:
            with pytest.raises(SerializationException, match=f"Size of data received by .* is not {size}"):
                SERDES[name].deserializer().deserialize(TOPIC, bytes(length))
            with pytest.raises(SerializationException, match=f"Size of data received by .* is not {size}"):
                SERDES[name].deserializer().deserialize_buffer(TOPIC, None, ByteBuffer.allocate(length))


def test_serde_from_unknown() -> None:
    with pytest.raises(IllegalArgumentException, match="Unknown class for built-in serializer"):
        Serdes.serde_from(DummyClass)


def test_serde_from_not_null() -> None:
    serde = Serdes.long()
    with pytest.raises(IllegalArgumentException, match="serializer must not be null"):
        Serdes.serde_from_both(None, serde.deserializer())
    with pytest.raises(IllegalArgumentException, match="deserializer must not be null"):
        Serdes.serde_from_both(serde.serializer(), None)


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "ISO-8859-1"])
def test_string_serde_should_support_different_encodings(encoding: str) -> None:
    serde = string_serde(encoding)
    serialized = serde.serializer().serialize(TOPIC, "my string")
    assert serde.deserializer().deserialize(TOPIC, serialized) == "my string"


def test_utf_16_is_written_as_java_writes_it() -> None:
    assert string_serde("UTF-16").serializer().serialize(TOPIC, "a") == b"\xfe\xff\0a"
    deserializer = string_serde("UTF-16").deserializer()
    for data in (b"\0a", b"\xfe\xff\0a", b"\xff\xfea\0"):
        assert deserializer.deserialize(TOPIC, data) == "a"
        assert deserializer.deserialize_buffer(TOPIC, None, ByteBuffer.wrap(data)) == "a"


def test_text_without_bytes_and_bytes_without_text() -> None:
    assert SERDES["String"].serializer().serialize(TOPIC, "a\ud800b") == b"a?b"
    assert string_serde("US-ASCII").serializer().serialize(TOPIC, "aäb") == b"a?b"
    assert SERDES["String"].deserializer().deserialize(TOPIC, b"a\xffb") == "a\ufffdb"


def test_encodings_of_keys_of_values_and_of_both() -> None:
    serde = Serdes.string()
    serde.configure({"key.serializer.encoding": "UTF-16", "serializer.encoding": "latin-1",
                     "deserializer.encoding": "latin-1"}, False)
    assert serde.serializer().serialize(TOPIC, "ä") == b"\xe4"
    assert serde.deserializer().deserialize(TOPIC, b"\xe4") == "ä"
    serde.configure({"value.serializer.encoding": "UTF-8", "serializer.encoding": "latin-1",
                     "value.deserializer.encoding": "UTF-8"}, False)
    assert serde.serializer().serialize(TOPIC, "ä") == b"\xc3\xa4"
    assert serde.deserializer().deserialize(TOPIC, b"\xc3\xa4") == "ä"


# The last is none of Python's text encodings.
@pytest.mark.parametrize("encoding", ["encoding-does-not-exist", "with\0null", "hex"])
def test_string_serde_configure_throws_on_unknown_encoding(encoding: str) -> None:
    serde = Serdes.string()
    with pytest.raises(SerializationException, match="Unsupported encoding "):
        serde.serializer().configure({"key.serializer.encoding": encoding}, True)
    with pytest.raises(SerializationException, match="Unsupported encoding "):
        serde.deserializer().configure({"key.deserializer.encoding": encoding}, True)


def round_trip(list_serde: Serde, data):
    return list_serde.deserializer().deserialize(TOPIC, list_serde.serializer().serialize(TOPIC, data))


def list_serde(inner: Serde, list_class: type = list) -> Serde:
    return Serdes.list_serde(list_class, inner)


def size_of(inner: Serde, data: list) -> int:
    return len(list_serde(inner).serializer().serialize(TOPIC, data))


def test_list_serde_should_return_empty_collection() -> None:
    assert round_trip(list_serde(Serdes.integer()), []) == []


def test_list_serde_should_return_null() -> None:
    assert round_trip(list_serde(Serdes.integer()), None) is None


def test_list_serde_should_roundtrip_int_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.integer()), [1, 2, 3]) == [1, 2, 3]


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_int_primitive_input() -> None:
    assert size_of(Serdes.integer(), [1, 2, 3]) == 21


def test_list_serde_should_roundtrip_short_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.short()), [1, 2, 3]) == [1, 2, 3]


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_short_primitive_input() -> None:
    assert size_of(Serdes.short(), [1, 2, 3]) == 15


def test_list_serde_should_roundtrip_float_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.float()), [1.0, 2.0, 3.0]) == [1.0, 2.0, 3.0]


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_float_primitive_input() -> None:
    assert size_of(Serdes.float(), [1.0, 2.0, 3.0]) == 21


def test_list_serde_should_roundtrip_long_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.long()), [1, 2, 3]) == [1, 2, 3]


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_long_primitive_input() -> None:
    assert size_of(Serdes.long(), [1, 2, 3]) == 33


def test_list_serde_should_roundtrip_double_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.double()), [1.0, 2.0, 3.0]) == [1.0, 2.0, 3.0]


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_double_primitive_input() -> None:
    assert size_of(Serdes.double(), [1.0, 2.0, 3.0]) == 33


def test_list_serde_should_roundtrip_uuid_input() -> None:
    data = [uuid.uuid4() for _ in range(3)]
    assert round_trip(list_serde(Serdes.uuid()), data) == data


def test_list_serde_serializer_should_return_byte_array_of_fixed_size_for_uuid_input() -> None:
    assert size_of(Serdes.uuid(), [uuid.uuid4() for _ in range(3)]) == 117


def test_list_serde_should_roundtrip_non_primitive_input() -> None:
    assert round_trip(list_serde(Serdes.string()), ["A", "B", "C"]) == ["A", "B", "C"]


def test_list_serde_should_roundtrip_primitive_input_with_null_entries() -> None:
    assert round_trip(list_serde(Serdes.integer()), [1, None, 3]) == [1, None, 3]


def test_list_serde_should_roundtrip_non_primitive_input_with_null_entries() -> None:
    assert round_trip(list_serde(Serdes.string()), ["A", None, "C"]) == ["A", None, "C"]


def test_list_serde_should_return_linked_list() -> None:
    assert isinstance(round_trip(list_serde(Serdes.integer(), deque), deque()), deque)


def test_list_serde_should_return_stack() -> None:
    class Stack(list):
        pass

    found = round_trip(list_serde(Serdes.integer(), Stack), Stack([1]))
    assert isinstance(found, Stack)
    assert found == [1]


def test_float_deserializer_should_throw_serialization_exception_on_zero_bytes() -> None:
    with pytest.raises(SerializationException):
        Serdes.float().deserializer().deserialize(TOPIC, b"")


def test_float_deserializer_should_throw_serialization_exception_on_too_few_bytes() -> None:
    with pytest.raises(SerializationException):
        Serdes.float().deserializer().deserialize(TOPIC, bytes(3))


def test_float_deserializer_should_throw_serialization_exception_on_too_many_bytes() -> None:
    with pytest.raises(SerializationException):
        Serdes.float().deserializer().deserialize(TOPIC, bytes(5))


@pytest.mark.parametrize("bits", [0x7F800001, 0x7F800002, 0x7FC00000, 0xFF812345, 0xFFFFFFFF])
def test_float_serde_should_preserve_nan_values(bits: int) -> None:
    serde = Serdes.float()
    value = serde.deserializer().deserialize(TOPIC, bits.to_bytes(4, "big"))
    assert math.isnan(value)
    assert serde.serializer().serialize(TOPIC, value) == bits.to_bytes(4, "big")
    assert math.isnan(serde.deserializer().deserialize_buffer(
        TOPIC, None, ByteBuffer.wrap(bits.to_bytes(4, "big"))))


def test_floats_and_doubles() -> None:
    for value in (0.0, -0.0, 1.5, math.inf, -math.inf, 2.0**-149, 3.4028234663852886e38):
        assert Serdes.float().serializer().serialize(TOPIC, value) == struct.pack(">f", value)
        assert Serdes.double().serializer().serialize(TOPIC, value) == struct.pack(">d", value)
    assert Serdes.float().serializer().serialize(TOPIC, 0.1) == struct.pack(">f", 0.1)
    assert Serdes.float().serializer().serialize(TOPIC, 3) == struct.pack(">f", 3)
    assert Serdes.double().serializer().serialize(TOPIC, 3) == struct.pack(">d", 3)
    assert Serdes.double().serializer().serialize(TOPIC, -math.nan) == b"\x7f\xf8" + bytes(6)
    for serde, value in ((Serdes.float(), 1e39), (Serdes.double(), 10**400)):
        with pytest.raises(TypeError, match="does not fit"):
            serde.serializer().serialize(TOPIC, value)


def test_serialize_void() -> None:
    assert Serdes.void().serializer().serialize(TOPIC, None) is None
    with pytest.raises(TypeError):
        Serdes.void().serializer().serialize(TOPIC, b"")


def test_deserialize_void() -> None:
    assert Serdes.void().deserializer().deserialize(TOPIC, None) is None
    assert Serdes.void().deserializer().deserialize_buffer(TOPIC, None, None) is None


def test_void_deserializer_should_throw_on_not_null_values() -> None:
    with pytest.raises(IllegalArgumentException, match="Data should be null for a VoidDeserializer."):
        Serdes.void().deserializer().deserialize(TOPIC, bytes(5))
    with pytest.raises(IllegalArgumentException, match="Data should be null for a VoidDeserializer."):
        Serdes.void().deserializer().deserialize_buffer(TOPIC, None, ByteBuffer.allocate(5))


def test_string_deserializer_support_byte_buffer() -> None:
    data = "Hello, ByteBuffer!"
    serde = Serdes.string()
    serialized = serde.serializer().serialize(TOPIC, data)
    buffer = ByteBuffer.allocate(len(serialized) * 2).put(serialized)
    buffer.flip()
    assert serde.deserializer().deserialize_buffer(TOPIC, None, buffer) == data


def string_serde(encoder: str) -> Serde:
    serializer = Serdes.string().serializer()
    serializer.configure({"key.serializer.encoding": encoder}, True)
    deserializer = Serdes.string().deserializer()
    deserializer.configure({"key.deserializer.encoding": encoder}, True)
    return Serdes.serde_from_both(serializer, deserializer)


@pytest.mark.parametrize("value", [True, False])
def test_boolean_serializer(value: bool) -> None:
    assert Serdes.boolean().serializer().serialize(TOPIC, value) == bytes([value])


@pytest.mark.parametrize("value", [True, False])
def test_boolean_deserializer(value: bool) -> None:
    assert Serdes.boolean().deserializer().deserialize(TOPIC, bytes([value])) is value


def test_boolean_deserializer_should_throw_on_empty_input() -> None:
    with pytest.raises(SerializationException):
        Serdes.boolean().deserializer().deserialize(TOPIC, b"")


def test_boolean_deserializer_takes_no_other_byte() -> None:
    message = "Unexpected byte received by BooleanDeserializer: -1"
    with pytest.raises(SerializationException, match=message):
        Serdes.boolean().deserializer().deserialize(TOPIC, b"\xff")
    with pytest.raises(SerializationException, match=message):
        Serdes.boolean().deserializer().deserialize_buffer(TOPIC, None, ByteBuffer.wrap(b"\xff"))


def test_a_memoryview_of_larger_items() -> None:
    assert Serdes.byte_array().serializer().serialize(TOPIC, memoryview(b"abcd").cast("H")) == b"abcd"


def test_uuids() -> None:
    value = uuid.UUID("00000001-0002-0003-0004-000000000005")
    serde = Serdes.uuid()
    assert serde.serializer().serialize(TOPIC, value) == str(value).encode()
    # As Java reads it; Python's own reader refuses the first of these and takes the others.
    assert serde.deserializer().deserialize(TOPIC, b"1-2-3-4-5") == value
    for text in (b"", b"1-2-3-4", b"1-2-3-4-5-6", b"1-2-3-4-g", b"{00000001-0002-0003-0004-000000000005}",
                 b"00000001000200030004000000000005", b"1-2-3-4-8000000000000000"):
        with pytest.raises(SerializationException, match="Error parsing data into UUID"):
            serde.deserializer().deserialize(TOPIC, text)
        with pytest.raises(SerializationException, match="Error parsing data into UUID"):
            serde.deserializer().deserialize_buffer(TOPIC, None, ByteBuffer.wrap(text))
    serde.configure({"serializer.encoding": "UTF-16", "deserializer.encoding": "UTF-16"}, True)
    assert serde.serializer().serialize(TOPIC, value) == b"\xfe\xff" + str(value).encode("utf-16-be")
    assert serde.deserializer().deserialize(TOPIC, str(value).encode("utf-16-be")) == value


def test_uuids_in_an_unknown_encoding() -> None:
    serde = Serdes.uuid()
    serde.configure({"value.serializer.encoding": "no", "value.deserializer.encoding": "no"}, False)
    with pytest.raises(SerializationException, match="UUID to byte.. due to unsupported encoding no"):
        serde.serializer().serialize(TOPIC, uuid.uuid4())
    with pytest.raises(SerializationException, match="byte.. to UUID due to unsupported encoding no"):
        serde.deserializer().deserialize(TOPIC, b"")
    with pytest.raises(SerializationException, match="ByteBuffer to UUID due to unsupported encoding no"):
        serde.deserializer().deserialize_buffer(TOPIC, None, ByteBuffer.allocate(0))


def test_a_serde_closes_and_configures_both() -> None:
    calls = []

    class Serializer(type(Serdes.string().serializer())):
        def configure(self, configs, is_key):
            calls.append(("serializer", configs, is_key))

        def close(self):
            calls.append("close serializer")

    class Deserializer(type(Serdes.string().deserializer())):
        def configure(self, configs, is_key):
            calls.append(("deserializer", configs, is_key))

        def close(self):
            calls.append("close deserializer")

    serde = Serdes.serde_from_both(Serializer(), Deserializer())
    serde.configure({}, True)
    serde.close()
    assert calls == [("serializer", {}, True), ("deserializer", {}, True), "close serializer",
                     "close deserializer"]
