# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.Message and ApiMessage of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of the generated classes in ``kreactor.common.message``.

Kafka generates a reader, a writer, a comparison, a copy and a text for each class. Here ``message_codec``
compiles a reader and a writer on the first use of a version. The rest interprets the class's ``SCHEMA``,
because it is not on the path of requests.

A message is not thread-safe.
"""

# DEVIATION D40: a message reads a ByteBuffer and writes to a bytearray in one pass. Therefore Kafka's
# Readable and Writable with their implementations, its size pass and the cache of sizes have no use.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, ClassVar, TypeAlias, TypeVar

from kreactor.common.protocol import message_codec
from kreactor.common.protocol.message_schema import FieldSpec, StructSpec
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike
from kreactor.jdk.text import double_text

if TYPE_CHECKING:
    from kreactor.common.record.base_records import BaseRecords

MessageT = TypeVar("MessageT", bound="Message")

# The signatures of a compiled reader and a compiled writer; see message_codec.
Reader = Callable[[memoryview, int, int], tuple[Any, int]]
CountingReader = Callable[[memoryview, int, int, int], tuple[Any, int]]
Writer = Callable[[Any, bytearray, list[Any]], bytearray]

# The values of a field of type records. A reader returns a ByteBuffer, a view of the request.
Records: TypeAlias = "ByteBuffer | BytesLike | BaseRecords | None"


class _Default:
    """The type of ``DEFAULT``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DEFAULT"


# The default of list and struct arguments in constructors of messages: it means a new object. None would mean
# null. Its type is Any, because it fits every such type.
DEFAULT: Any = _Default()


class CountedBuffer(ByteBuffer):
    """A view of another buffer. A message read from it may have at most ``max_elements`` array elements."""

    __slots__ = ("max_elements",)

    def __init__(self, buffer: ByteBuffer, max_elements: int) -> None:
        super().__init__(buffer._memory, buffer._position, buffer._limit)
        self.max_elements = max_elements


class Message:
    """Fields with their defaults, and their serialization.

    :origin: common.protocol.Message
    """

    __slots__ = ("_unknown_tagged_fields",)

    SCHEMA: ClassVar[StructSpec]
    LOWEST_SUPPORTED_VERSION: ClassVar[int]
    HIGHEST_SUPPORTED_VERSION: ClassVar[int]
    _readers: ClassVar[dict[int, Reader]]
    _counting_readers: ClassVar[dict[int, CountingReader]]
    _writers: ClassVar[dict[int, Writer]]
    _unknown_tagged_fields: list[RawTaggedField] | None

    def __init_subclass__(cls) -> None:
        cls._readers = {}
        cls._counting_readers = {}
        cls._writers = {}

    def lowest_supported_version(self) -> int:
        """Return the lowest version that can be read and written.

        :origin: common.protocol.Message#lowestSupportedVersion()
        """
        return self.LOWEST_SUPPORTED_VERSION

    def highest_supported_version(self) -> int:
        """Return the highest version that can be read and written.

        :origin: common.protocol.Message#highestSupportedVersion()
        """
        return self.HIGHEST_SUPPORTED_VERSION

    def serialized_size(self, version: int) -> int:
        """Return the size of the message in ``version`` in bytes, with records. Raises as ``write``.

        The origin's name is ``size``, but some messages have a field of this name.

        :origin: common.protocol.Message#size(ObjectSerializationCache, short)
        """
        segments: list[message_codec.Segment] = []
        size = len(self.write(bytearray(), version, segments))
        for segment in segments:
            size += message_codec.segment_size(segment)
        return size

    def write(self, out: bytearray, version: int, segments: list[message_codec.Segment]) -> bytearray:
        """Append the message to ``out``; return the array for further output.

        Without zero-copy fields the result is ``out`` itself. Otherwise the bytes before such a field and the
        field are appended to ``segments``, and the result is a new array. Raises UnsupportedVersionException
        for a set field that ``version`` does not have, or RuntimeError.

        :origin: common.protocol.Message#write(Writable, ObjectSerializationCache, short)
        """
        writer = self._writers.get(version)
        if writer is None:
            writer = message_codec.compile_writer(type(self), version)
        return writer(self, out, segments)

    @classmethod
    def read(cls: type[MessageT], buffer: ByteBuffer, version: int) -> MessageT:
        """Return the message at the position of ``buffer``, and move the position past the message.

        Raises RuntimeError for malformed bytes and does not change the position. Ignores bytes after the
        message. Records and other zero-copy fields are views of ``buffer``.

        :origin: common.protocol.Message#read(Readable, short)
        """
        if type(buffer) is CountedBuffer:
            return cls._read_counted(buffer, version)
        reader = cls._readers.get(version)
        if reader is None:
            reader = message_codec.compile_reader(cls, version)
        memory = buffer._memory
        limit = buffer._limit
        if limit != buffer._capacity:
            memory = memory[:limit]
        message: MessageT
        message, buffer._position = reader(memory, buffer._position, limit)
        return message

    @classmethod
    def _read_counted(cls: type[MessageT], buffer: CountedBuffer, version: int) -> MessageT:
        """As ``read``. Also raises RuntimeError if the arrays have more elements than the buffer allows."""
        reader = cls._counting_readers.get(version)
        if reader is None:
            reader = message_codec.compile_counting_reader(cls, version)
        limit = buffer._limit
        message: MessageT
        message, buffer._position = reader(
            buffer._memory[:limit], buffer._position, limit, buffer.max_elements)
        return message

    @classmethod
    def struct_class(cls, name: str) -> type[Message]:
        """Return the class of the structs named ``name`` in the message or in its structs."""
        return message_codec.struct_class(cls, name)

    def unknown_tagged_fields(self) -> list[RawTaggedField]:
        """Return the mutable list of tagged fields that this software does not know.

        :origin: common.protocol.Message#unknownTaggedFields()
        """
        if self._unknown_tagged_fields is None:
            self._unknown_tagged_fields = []
        return self._unknown_tagged_fields

    def duplicate(self: MessageT) -> MessageT:
        """Return a deep copy without unknown tags. It shares only the memory of records.

        :origin: common.protocol.Message#duplicate()
        """
        copy: MessageT = object.__new__(type(self))
        for field in self.SCHEMA.fields:
            setattr(copy, field.attribute, _duplicate(getattr(self, field.attribute)))
        copy._unknown_tagged_fields = None
        return copy

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, type(self)):
            return NotImplemented
        for field in self.SCHEMA.fields:
            if not _equal(getattr(self, field.attribute), getattr(other, field.attribute)):
                return False
        return (self._unknown_tagged_fields or []) == (other._unknown_tagged_fields or [])

    # A message is not hashable, because it is mutable. Java's hash of a message is a trap, and nothing here
    # needs it.
    __hash__ = None  # type: ignore[assignment]  # the way to make a class unhashable

    def __str__(self) -> str:
        return f"{self.SCHEMA.name}({', '.join(_field_text(field, self) for field in self.SCHEMA.fields)})"

    __repr__ = __str__


class ApiMessage(Message):
    """A message that is a complete body or header of a request or response, or a similar unit.

    :origin: common.protocol.ApiMessage
    """

    __slots__ = ()

    API_KEY: ClassVar[int] = -1

    def api_key(self) -> int:
        """Return the key of the API, or -1 for a message without API.

        :origin: common.protocol.ApiMessage#apiKey()
        """
        return self.API_KEY


def records_size(records: Records) -> int:
    """Return the size of a field of type records in bytes, 0 for None."""
    if isinstance(records, ByteBuffer):
        return records.remaining()
    if records is None:
        return 0
    return message_codec.segment_size(records)


def _duplicate(value: object) -> object:
    if isinstance(value, list):
        return [_duplicate(element) for element in value]
    if isinstance(value, Message):
        return value.duplicate()
    return value.duplicate() if isinstance(value, ByteBuffer) else value


def _equal(one: object, other: object) -> bool:
    # A reader returns records as a buffer, independent of their type when written.
    if isinstance(one, ByteBuffer) or isinstance(other, ByteBuffer):
        return _view(one) == _view(other)
    return one == other


def _view(value: object) -> object:
    if not isinstance(value, ByteBuffer) and hasattr(value, "buffer"):
        value = value.buffer()
    return value.view() if isinstance(value, ByteBuffer) else value


def _field_text(field: FieldSpec, message: Message) -> str:
    value = getattr(message, field.attribute)
    if isinstance(value, list):
        text = f"[{', '.join(_text(element) for element in value)}]"
    elif isinstance(value, str):
        text = f"'{value}'"
    elif isinstance(value, bytes) and field.type == "bytes":
        text = f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"
    else:
        text = _text(value)
    return f"{field.name}={text}"


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    return str(value)
