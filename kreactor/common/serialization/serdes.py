# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.Serdes of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The Serdes of Kafka."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar, cast
from uuid import UUID

from kreactor.common.serialization import list_serde
from kreactor.common.serialization.boolean_deserializer import BooleanDeserializer
from kreactor.common.serialization.boolean_serializer import BooleanSerializer
from kreactor.common.serialization.byte_array_deserializer import ByteArrayDeserializer
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.serialization.byte_buffer_deserializer import ByteBufferDeserializer
from kreactor.common.serialization.byte_buffer_serializer import ByteBufferSerializer
from kreactor.common.serialization.bytes_deserializer import BytesDeserializer
from kreactor.common.serialization.bytes_serializer import BytesSerializer
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.common.serialization.double_deserializer import DoubleDeserializer
from kreactor.common.serialization.double_serializer import DoubleSerializer
from kreactor.common.serialization.float_deserializer import FloatDeserializer
from kreactor.common.serialization.float_serializer import FloatSerializer
from kreactor.common.serialization.integer_deserializer import IntegerDeserializer
from kreactor.common.serialization.integer_serializer import IntegerSerializer
from kreactor.common.serialization.list_deserializer import ListDeserializer
from kreactor.common.serialization.list_serializer import ListSerializer
from kreactor.common.serialization.long_deserializer import LongDeserializer
from kreactor.common.serialization.long_serializer import LongSerializer
from kreactor.common.serialization.serde import Serde
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.serialization.short_deserializer import ShortDeserializer
from kreactor.common.serialization.short_serializer import ShortSerializer
from kreactor.common.serialization.string_deserializer import StringDeserializer
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.common.serialization.uuid_deserializer import UUIDDeserializer
from kreactor.common.serialization.uuid_serializer import UUIDSerializer
from kreactor.common.serialization.void_deserializer import VoidDeserializer
from kreactor.common.serialization.void_serializer import VoidSerializer
from kreactor.common.utils.bytes import Bytes
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

T = TypeVar("T")
Inner = TypeVar("Inner")

# The class Serdes has methods of these names.
_Float: TypeAlias = float
_Bytes: TypeAlias = bytes


class Serdes:
    """Creates Serdes.

    :origin: common.serialization.Serdes
    """

    class WrapperSerde(Serde[T], Generic[T]):
        """A Serde of a given serializer and deserializer.

        :origin: common.serialization.Serdes.WrapperSerde
        """

        def __init__(self, serializer: Serializer[T], deserializer: Deserializer[T]) -> None:
            """Keep serializer and deserializer.

            :origin: common.serialization.Serdes.WrapperSerde#WrapperSerde(Serializer<T>, Deserializer<T>)
            """
            self._serializer = serializer
            self._deserializer = deserializer

        def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
            """Configure serializer and deserializer.

            :origin: common.serialization.Serdes.WrapperSerde#configure(Map<String,?>, boolean)
            """
            self._serializer.configure(configs, is_key)
            self._deserializer.configure(configs, is_key)

        def close(self) -> None:
            """Close serializer and deserializer.

            :origin: common.serialization.Serdes.WrapperSerde#close()
            """
            self._serializer.close()
            self._deserializer.close()

        def serializer(self) -> Serializer[T]:
            """Return the serializer.

            :origin: common.serialization.Serdes.WrapperSerde#serializer()
            """
            return self._serializer

        def deserializer(self) -> Deserializer[T]:
            """Return the deserializer.

            :origin: common.serialization.Serdes.WrapperSerde#deserializer()
            """
            return self._deserializer

    class VoidSerde(WrapperSerde[None]):
        """The Serde of None.

        :origin: common.serialization.Serdes.VoidSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.VoidSerde#VoidSerde()
            """
            super().__init__(VoidSerializer(), VoidDeserializer())

    class LongSerde(WrapperSerde[int]):
        """The Serde of 64-bit integers.

        :origin: common.serialization.Serdes.LongSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.LongSerde#LongSerde()
            """
            super().__init__(LongSerializer(), LongDeserializer())

    class IntegerSerde(WrapperSerde[int]):
        """The Serde of 32-bit integers.

        :origin: common.serialization.Serdes.IntegerSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.IntegerSerde#IntegerSerde()
            """
            super().__init__(IntegerSerializer(), IntegerDeserializer())

    class ShortSerde(WrapperSerde[int]):
        """The Serde of 16-bit integers.

        :origin: common.serialization.Serdes.ShortSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.ShortSerde#ShortSerde()
            """
            super().__init__(ShortSerializer(), ShortDeserializer())

    class FloatSerde(WrapperSerde[_Float]):
        """The Serde of 32-bit floats.

        :origin: common.serialization.Serdes.FloatSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.FloatSerde#FloatSerde()
            """
            super().__init__(FloatSerializer(), FloatDeserializer())

    class DoubleSerde(WrapperSerde[_Float]):
        """The Serde of 64-bit floats.

        :origin: common.serialization.Serdes.DoubleSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.DoubleSerde#DoubleSerde()
            """
            super().__init__(DoubleSerializer(), DoubleDeserializer())

    class StringSerde(WrapperSerde[str]):
        """The Serde of text.

        :origin: common.serialization.Serdes.StringSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.StringSerde#StringSerde()
            """
            super().__init__(StringSerializer(), StringDeserializer())

    class ByteBufferSerde(WrapperSerde[ByteBuffer]):
        """The Serde of buffers.

        :origin: common.serialization.Serdes.ByteBufferSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.ByteBufferSerde#ByteBufferSerde()
            """
            super().__init__(ByteBufferSerializer(), ByteBufferDeserializer())

    class BytesSerde(WrapperSerde[Bytes]):
        """The Serde of Bytes.

        :origin: common.serialization.Serdes.BytesSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.BytesSerde#BytesSerde()
            """
            super().__init__(BytesSerializer(), BytesDeserializer())

    class ByteArraySerde(WrapperSerde[BytesLike]):
        """The Serde of bytes.

        :origin: common.serialization.Serdes.ByteArraySerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.ByteArraySerde#ByteArraySerde()
            """
            super().__init__(ByteArraySerializer(), ByteArrayDeserializer())

    class UUIDSerde(WrapperSerde[UUID]):
        """The Serde of UUIDs.

        :origin: common.serialization.Serdes.UUIDSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.UUIDSerde#UUIDSerde()
            """
            super().__init__(UUIDSerializer(), UUIDDeserializer())

    class BooleanSerde(WrapperSerde[bool]):
        """The Serde of bools.

        :origin: common.serialization.Serdes.BooleanSerde
        """

        def __init__(self) -> None:
            """Create serializer and deserializer.

            :origin: common.serialization.Serdes.BooleanSerde#BooleanSerde()
            """
            super().__init__(BooleanSerializer(), BooleanDeserializer())

    class ListSerde(WrapperSerde[Sequence[Inner | None]], Generic[Inner]):
        """The Serde of lists.

        :origin: common.serialization.Serdes.ListSerde
        """

        NULL_ENTRY_VALUE = list_serde.NULL_ENTRY_VALUE

        # DEVIATION D302: it is defined in list_serde, because the serializers need it.
        SerializationStrategy = list_serde.SerializationStrategy

        def __init__(self, *list_class_and_serde: type | Serde[Inner]) -> None:
            """Keep the list class and the Serde of the entries. Without them, ``configure`` sets both.

            :origin: common.serialization.Serdes.ListSerde#ListSerde()
            :origin: common.serialization.Serdes.ListSerde#ListSerde(Class<L>, Serde<Inner>)
            """
            if not list_class_and_serde:
                super().__init__(ListSerializer(), ListDeserializer())
            else:
                list_class, serde = list_class_and_serde
                assert isinstance(list_class, type) and isinstance(serde, Serde)
                super().__init__(ListSerializer(serde.serializer()),
                                 ListDeserializer(list_class, serde.deserializer()))

    # DEVIATION D301: Python's int and float each correspond to several Java types; the widest one is used.
    @staticmethod
    def serde_from(type_: type[T]) -> Serde[T]:
        """Return the Serde of a type: str, int (64 bits), float, bytes, bytearray, bool and others.

        Raises IllegalArgumentException for any other type.

        :origin: common.serialization.Serdes#serdeFrom(Class<T>)
        """
        serde: object
        if issubclass(type_, str):
            serde = Serdes.string()
        # In Python a bool is an int.
        elif issubclass(type_, bool):
            serde = Serdes.boolean()
        elif issubclass(type_, int):
            serde = Serdes.long()
        elif issubclass(type_, _Float):
            serde = Serdes.double()
        elif issubclass(type_, (bytearray, memoryview, _Bytes)):
            serde = Serdes.byte_array()
        elif issubclass(type_, ByteBuffer):
            serde = Serdes.byte_buffer()
        elif issubclass(type_, Bytes):
            serde = Serdes.bytes()
        elif issubclass(type_, UUID):
            serde = Serdes.uuid()
        else:
            raise IllegalArgumentException(
                "Unknown class for built-in serializer. Supported types are: "
                "String, Short, Integer, Long, Float, Double, ByteArray, ByteBuffer, Bytes, UUID, Boolean")
        return cast("Serde[T]", serde)

    @staticmethod
    def serde_from_both(serializer: Serializer[T], deserializer: Deserializer[T]) -> Serde[T]:
        """Return a Serde of ``serializer`` and ``deserializer``. Raises IllegalArgumentException for None.

        :origin: common.serialization.Serdes#serdeFrom(Serializer<T>, Deserializer<T>)
        """
        if serializer is None:
            raise IllegalArgumentException("serializer must not be null")
        if deserializer is None:
            raise IllegalArgumentException("deserializer must not be null")

        return Serdes.WrapperSerde(serializer, deserializer)

    @staticmethod
    def long() -> Serde[int]:
        """Return the Serde of 64-bit integers and None.

        :origin: common.serialization.Serdes#Long()
        """
        return Serdes.LongSerde()

    @staticmethod
    def integer() -> Serde[int]:
        """Return the Serde of 32-bit integers and None.

        :origin: common.serialization.Serdes#Integer()
        """
        return Serdes.IntegerSerde()

    @staticmethod
    def short() -> Serde[int]:
        """Return the Serde of 16-bit integers and None.

        :origin: common.serialization.Serdes#Short()
        """
        return Serdes.ShortSerde()

    @staticmethod
    def float() -> Serde[_Float]:
        """Return the Serde of 32-bit floats and None.

        :origin: common.serialization.Serdes#Float()
        """
        return Serdes.FloatSerde()

    @staticmethod
    def double() -> Serde[_Float]:
        """Return the Serde of 64-bit floats and None.

        :origin: common.serialization.Serdes#Double()
        """
        return Serdes.DoubleSerde()

    @staticmethod
    def string() -> Serde[str]:
        """Return the Serde of text and None.

        :origin: common.serialization.Serdes#String()
        """
        return Serdes.StringSerde()

    @staticmethod
    def byte_buffer() -> Serde[ByteBuffer]:
        """Return the Serde of buffers and None.

        :origin: common.serialization.Serdes#ByteBuffer()
        """
        return Serdes.ByteBufferSerde()

    @staticmethod
    def bytes() -> Serde[Bytes]:
        """Return the Serde of Bytes and None.

        :origin: common.serialization.Serdes#Bytes()
        """
        return Serdes.BytesSerde()

    @staticmethod
    def uuid() -> Serde[UUID]:
        """Return the Serde of UUIDs and None.

        :origin: common.serialization.Serdes#UUID()
        """
        return Serdes.UUIDSerde()

    @staticmethod
    def boolean() -> Serde[bool]:
        """Return the Serde of bools and None.

        :origin: common.serialization.Serdes#Boolean()
        """
        return Serdes.BooleanSerde()

    @staticmethod
    def byte_array() -> Serde[BytesLike]:
        """Return the Serde of bytes and None.

        :origin: common.serialization.Serdes#ByteArray()
        """
        return Serdes.ByteArraySerde()

    @staticmethod
    def void() -> Serde[None]:
        """Return the Serde of None only.

        :origin: common.serialization.Serdes#Void()
        """
        return Serdes.VoidSerde()

    @staticmethod
    def list_serde(list_class: type, inner_serde: Serde[Inner]) -> Serde[Sequence[Inner | None]]:
        """Return the Serde of lists of a list class and None, with the Serde of the entries.

        :origin: common.serialization.Serdes#ListSerde(Class<L>, Serde<Inner>)
        """
        return Serdes.ListSerde(list_class, inner_serde)
