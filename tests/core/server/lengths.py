# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where the lengths are in a request, and what else could stand there.

Writes messages as the protocol's guide describes it, from their schema and without the codec, so that it
knows where each length of a string, of an array, of bytes, and each number of tagged fields came to stand.
"""

from __future__ import annotations

import struct
import sys
from typing import Any, Iterator, NamedTuple

from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_codec import struct_class
from kreactor.common.protocol.message_schema import FieldSpec, fixed_size, is_struct, versions_of

_FORMATS = {"bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I",
            "int64": ">q", "float64": ">d"}

_MAX_INT = 2**31 - 1


class Length(NamedTuple):
    """A length: which field's, where it begins and ends, and what it says; -1 stands for null."""

    path: str
    start: int
    end: int
    kind: str
    value: int

    def lies(self) -> dict[str, bytes]:
        """Return what else could stand there, by what it claims."""
        if self.kind == "int16":
            numbers = {"one more": self.value + 1, "one less": self.value - 1, "null": -1, "-2": -2,
                       "the highest": 0x7FFF, "the lowest": -0x8000}
            return {claim: struct.pack(">h", number) for claim, number in numbers.items()
                    if number != self.value}
        if self.kind == "int32":
            numbers = {"one more": self.value + 1, "one less": self.value - 1, "null": -1, "-2": -2,
                       "the highest": _MAX_INT, "the lowest": -_MAX_INT - 1}
            return {claim: struct.pack(">i", number) for claim, number in numbers.items()
                    if number != self.value}
        # Compact lengths are written one higher, so that 0 is null; a number of tagged fields is not.
        stored = self.value + (self.kind == "compact")
        lies = {
            "one more": varint(stored + 1),
            "in two bytes": bytes((stored | 0x80, 0)),
            "a string's highest": varint(0x8000),
            "the highest": varint(_MAX_INT),
            "-1": varint(2**32 - 1),
            "the lowest": varint(2**31),
            "of six bytes": b"\xff\xff\xff\xff\xff\x01",
            "without an end": b"\xff" * 10,
        }
        if stored:
            lies["one less"] = varint(stored - 1)
            lies["0"] = b"\0"
        return lies


def varint(value: int) -> bytes:
    """Return an unsigned varint."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def lengths_of(message: Message, version: int) -> tuple[bytes, list[Length]]:
    """Return a message as bytes, and where its lengths are."""
    writer = _Writer(message, version)
    writer.struct(message, "")
    return bytes(writer.out), writer.lengths


def lies_of(message: Message, version: int) -> Iterator[tuple[str, bytes]]:
    """Give every lie of one length each: what it claims of which field, and the message with it."""
    data, lengths = lengths_of(message, version)
    for length in lengths:
        for claim, lie in length.lies().items():
            yield f"{length.path} {claim}", data[:length.start] + lie + data[length.end:]


class _Writer:
    """Writes one message."""

    def __init__(self, message: Message, version: int) -> None:
        self.out = bytearray()
        self.lengths: list[Length] = []
        self._version = version
        outer: type[Message] = getattr(
            sys.modules[type(message).__module__], type(message).__qualname__.split(".")[0])
        self._flexible = versions_of(outer.SCHEMA.flexible).contains(version)

    def struct(self, message: Message, path: str) -> None:
        fields = [field for field in message.SCHEMA.fields if field.is_in(self._version)]
        for field in fields:
            if not field.is_tagged_in(self._version):
                self._field(field, getattr(message, field.attribute), path + field.name)
        if self._flexible:
            self._tagged_fields(message, fields, path)

    def _tagged_fields(self, message: Message, fields: list[FieldSpec], path: str) -> None:
        tagged = sorted((field.tag or 0, field) for field in fields
                        if field.is_tagged_in(self._version)
                        and getattr(message, field.attribute) != field.default
                        and not isinstance(getattr(message, field.attribute), Message))
        self._length(path + "tags", "tags", len(tagged))
        for tag, field in tagged:
            self.out += varint(tag)
            inner = _Writer(message, self._version)
            inner._field(field, getattr(message, field.attribute), path + field.name)
            self._length(f"{path}{field.name} size", "tags", len(inner.out))
            at = len(self.out)
            self.lengths += [length._replace(start=at + length.start, end=at + length.end)
                             for length in inner.lengths]
            self.out += inner.out

    def _field(self, field: FieldSpec, value: Any, path: str) -> None:
        if not field.is_array():
            self._value(field, field.type, value, path)
            return
        self._length(path, "compact" if self._is_flexible(field) else "int32",
                     -1 if value is None else len(value))
        for i, element in enumerate(value or ()):
            self._value(field, field.element_type(), element, f"{path}[{i}]")

    def _value(self, field: FieldSpec, type_name: str, value: Any, path: str) -> None:
        if type_name == "uuid":
            self.out += value.to_bytes()
        elif fixed_size(type_name) is not None:
            self.out += struct.pack(_FORMATS[type_name], value)
        elif is_struct(type_name):
            assert isinstance(value, struct_class(type(value), type_name))
            self.struct(value, path + ".")
        else:
            data = value.encode() if isinstance(value, str) else value
            self._length(path, "compact" if self._is_flexible(field) else
                         "int16" if type_name == "string" else "int32", -1 if data is None else len(data))
            self.out += data or b""

    def _is_flexible(self, field: FieldSpec) -> bool:
        return (self._flexible if field.flexible is None
                else versions_of(field.flexible).contains(self._version))

    def _length(self, path: str, kind: str, value: int) -> None:
        start = len(self.out)
        if kind == "int16":
            self.out += struct.pack(">h", value)
        elif kind == "int32":
            self.out += struct.pack(">i", value)
        else:
            self.out += varint(value + (kind == "compact"))
        self.lengths.append(Length(path, start, len(self.out), kind, value))
