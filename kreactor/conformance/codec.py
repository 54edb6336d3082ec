# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Encodes and decodes messages by their schema, as the protocol guide describes.

A message is a dict with the field names of the definition. A missing field has its default. Strings are str,
bytes and records are bytes, UUIDs are 16 bytes, arrays are lists. The decoder is as strict as the protocol:
each length must fit into the remaining bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kreactor.conformance.schemas import Api, Field, Schema

Message = Mapping[str, Any]

_FIXED = {"bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I",
          "int64": ">q", "float64": ">d"}
_UUID_SIZE = 16
_MAX_INT = 2**31 - 1
_VARINT_BYTES = 5


class Malformed(Exception):
    """The bytes do not match the schema; the text says where and why."""


class Length(NamedTuple):
    """A length in an encoded message: its field's path, its position, its encoding and its value.

    ``kind`` is int16, int32, compact (one more than the value, as an unsigned varint) or tags (an unsigned
    varint). The value -1 is null.
    """

    path: str
    start: int
    end: int
    kind: str
    value: int

    def lies(self) -> dict[str, bytes]:
        """Return wrong encodings of this length, by label."""
        if self.kind in ("int16", "int32"):
            form, highest = (">h", 0x7FFF) if self.kind == "int16" else (">i", _MAX_INT)
            numbers = {"one-more": self.value + 1, "one-less": self.value - 1, "null": -1, "minus-two": -2,
                       "highest": highest, "lowest": -highest - 1}
            return {claim: struct.pack(form, number) for claim, number in numbers.items()
                    if number != self.value}
        # A compact length is encoded one higher, so that 0 is null; a number of tags is encoded unchanged.
        stored = self.value + (self.kind == "compact")
        lies = {"one-more": unsigned_varint(stored + 1), "two-bytes": bytes((stored | 0x80, 0)),
                "above-int16": unsigned_varint(0x8000), "highest": unsigned_varint(_MAX_INT),
                "minus-one": unsigned_varint(2**32 - 1), "lowest": unsigned_varint(2**31),
                "six-bytes": b"\xff\xff\xff\xff\xff\x01", "without-end": b"\xff" * 10}
        if stored:
            lies |= {"one-less": unsigned_varint(stored - 1), "zero": b"\0"}
        return lies


def unsigned_varint(value: int) -> bytes:
    """Return a number from 0 to 2**32 - 1 as an unsigned varint."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def varint(value: int) -> bytes:
    """Return a number as a signed varint (zigzag), as in records."""
    zigzag = value << 1 if value >= 0 else (-value << 1) - 1
    return unsigned_varint(zigzag)


def encode(schema: Schema, version: int, message: Message) -> bytes:
    """Return the bytes of a message. Raises ValueError for a field that is not in the schema."""
    return encode_with_lengths(schema, version, message)[0]


def encode_with_lengths(schema: Schema, version: int, message: Message) -> tuple[bytes, list[Length]]:
    """Return the bytes of a message, and its lengths."""
    writer = _Writer(schema, version)
    writer.struct(schema.fields, message, "")
    return bytes(writer.out), writer.lengths


def lies_of(schema: Schema, version: int, message: Message) -> Iterator[tuple[str, bytes]]:
    """Yield a label with field and value for each wrong length, and the bytes with only that length wrong."""
    data, lengths = encode_with_lengths(schema, version, message)
    for length in lengths:
        for claim, lie in length.lies().items():
            yield f"{length.path}.{claim}", data[:length.start] + lie + data[length.end:]


def decode(schema: Schema, version: int, data: bytes, start: int = 0) -> tuple[dict[str, Any], int]:
    """Return the message that begins at ``start``, and its end. Raises Malformed."""
    reader = _Reader(schema, version, data, start)
    return reader.struct(schema.fields, ""), reader.at


def decode_whole(schema: Schema, version: int, data: bytes, start: int = 0) -> dict[str, Any]:
    """Return the message from ``start`` to the end. Raises Malformed, also for surplus bytes."""
    message, end = decode(schema, version, data, start)
    if end != len(data):
        raise Malformed(f"{len(data) - end} bytes follow the message")
    return message


def request_header(key: int, version: int, header_version: int, correlation_id: int,
                   client_id: bytes | None = b"conformance", tags: bytes = b"\0") -> bytes:
    """Return a request's header; ``tags`` ends that of version 2."""
    header = struct.pack(">hhi", key, version, correlation_id)
    if header_version >= 1:
        header += struct.pack(">h", -1 if client_id is None else len(client_id)) + (client_id or b"")
    return header + (tags if header_version >= 2 else b"")


def sized(data: bytes) -> bytes:
    """Return data with its size prefix, as on the wire."""
    return struct.pack(">i", len(data)) + data


def request(api: Api, version: int, correlation_id: int, body: Message | bytes,
            client_id: bytes | None = b"conformance") -> bytes:
    """Return a complete request with its size prefix."""
    header = request_header(api.key, version, api.request_header_version(version), correlation_id, client_id)
    return sized(header + (body if isinstance(body, bytes) else encode(api.request, version, body)))


def header_tags(schema: Schema, version: int, data: bytes, start: int) -> tuple[dict[int, bytes], int]:
    """Return the tagged fields of a header by tag, as bytes, and their end. Raises Malformed.

    A tag that comes twice has its last value.
    """
    reader = _Reader(schema, version, data, start)
    unknown: dict[int, bytes] = {}
    reader.tags((), {}, "header", unknown)
    return unknown, reader.at


def response_body(api: Api, version: int, response: bytes) -> dict[str, Any]:
    """Return the body of a response, which is passed without its size prefix. Raises Malformed.

    A response is read more strictly than a request: tags ascend, the size of a known tag is that of its
    value, and each string is valid UTF-8.
    """
    reader = _Reader(api.response, version, response, 4, is_strict=True)
    if api.response_header_version(version) >= 1:
        reader.tags((), {}, "header")
    body = reader.struct(api.response.fields, "")
    if reader.at != len(response):
        raise Malformed(f"{len(response) - reader.at} bytes follow the message")
    return body


def _is_flexible(schema: Schema, field: Field, version: int) -> bool:
    return version in (schema.flexible if field.flexible is None else field.flexible)


class _Writer:
    """Encodes one message into ``out``."""

    def __init__(self, schema: Schema, version: int) -> None:
        self.out = bytearray()
        self.lengths: list[Length] = []
        self._schema = schema
        self._version = version

    def struct(self, fields: Iterable[Field], message: Message, path: str) -> None:
        present = [field for field in fields if self._version in field.versions]
        if unknown := message.keys() - {field.name for field in fields}:
            raise ValueError(f"no field {path}{min(unknown)}")
        for field in present:
            if self._version not in field.tagged:
                self._field(field, message.get(field.name, field.default), path + field.name)
        if self._version in self._schema.flexible:
            self._tags([field for field in present if self._version in field.tagged], message, path)

    def _tags(self, fields: list[Field], message: Message, path: str) -> None:
        written = sorted((field.tag or 0, field.name, field) for field in fields
                         if message.get(field.name, field.default) != field.default)
        self._length(path + "tags", "tags", len(written))
        for tag, name, field in written:
            self.out += unsigned_varint(tag)
            inner = _Writer(self._schema, self._version)
            inner._field(field, message[name], path + name)
            self._length(f"{path}{name}.size", "tags", len(inner.out))
            at = len(self.out)
            self.lengths += [length._replace(start=at + length.start, end=at + length.end)
                             for length in inner.lengths]
            self.out += inner.out

    def _field(self, field: Field, value: Any, path: str) -> None:
        if not field.is_array:
            self._value(field, value, path)
            return
        self._length(path, "compact" if _is_flexible(self._schema, field, self._version) else "int32",
                     -1 if value is None else len(value))
        for i, element in enumerate(value or ()):
            self._value(field, element, f"{path}.{i}")

    def _value(self, field: Field, value: Any, path: str) -> None:
        type_name = field.element
        if type_name in _FIXED:
            self.out += struct.pack(_FIXED[type_name], value)
        elif type_name == "uuid":
            self.out += value
        elif type_name in self._schema.structs:
            self._struct_value(field, value, path)
        else:
            data = value.encode() if isinstance(value, str) else value
            if data is None and field.nullable.highest < field.nullable.lowest and type_name != "records":
                raise ValueError(f"{path} must not be null")
            self._length(path, "compact" if _is_flexible(self._schema, field, self._version) else
                         "int16" if type_name == "string" else "int32", -1 if data is None else len(data))
            self.out += data or b""

    def _struct_value(self, field: Field, value: Any, path: str) -> None:
        if not field.is_array and self._version in field.nullable:
            self.out += b"\xff" if value is None else b"\1"
            if value is None:
                return
        self.struct(self._schema.structs[field.element], value or {}, path + ".")

    def _length(self, path: str, kind: str, value: int) -> None:
        start = len(self.out)
        if kind == "int16":
            self.out += struct.pack(">h", value)
        elif kind == "int32":
            self.out += struct.pack(">i", value)
        else:
            self.out += unsigned_varint(value + (kind == "compact"))
        self.lengths.append(Length(path, start, len(self.out), kind, value))


class _Reader:
    """Decodes one message, from ``at`` on."""

    def __init__(self, schema: Schema, version: int, data: bytes, start: int, *,
                 is_strict: bool = False) -> None:
        self.at = start
        self._is_strict = is_strict
        self._data = data
        self._schema = schema
        self._version = version

    def struct(self, fields: Iterable[Field], path: str) -> dict[str, Any]:
        message: dict[str, Any] = {}
        tagged: dict[int, Field] = {}
        for field in fields:
            if field.tag is not None:
                tagged[field.tag] = field
            if self._version not in field.versions:
                continue
            if self._version in field.tagged:
                message[field.name] = field.default
            else:
                message[field.name] = self._field(field, path + field.name)
        if self._version in self._schema.flexible:
            self.tags(tagged, message, path)
        return message

    def tags(self, fields: Mapping[int, Field] | tuple[()], message: dict[str, Any], path: str,
             unknown: dict[int, bytes] | None = None) -> None:
        """Decode the tagged fields behind a structure; the bytes of unknown tags go into ``unknown``."""
        last = -1
        for _ in range(self._unsigned_varint(path + "tags")):
            tag = self._unsigned_varint(path + "tag")
            # The highest tags are negative as a signed number.
            if self._is_strict and tag & 0xFFFFFFFF <= last:
                raise Malformed(f"{path}: tag {tag} follows tag {last}")
            last = tag & 0xFFFFFFFF
            size = self._unsigned_varint(path + "tag size")
            start = self.at
            if fields and tag in fields:
                if self._version not in fields[tag].tagged:
                    raise Malformed(f"{path}: tag {tag} is not of version {self._version}")
                # Kafka reads a known tag by its type, and does not compare its size with the bytes read.
                message[fields[tag].name] = self._field(fields[tag], path + fields[tag].name)
                if self._is_strict and self.at - start != size:
                    raise Malformed(f"{path}: tag {tag} claims {size} bytes and has {self.at - start}")
            elif size < 0:
                raise Malformed(f"{path}: tag {tag} claims {size} bytes")
            else:
                value = self._bytes(size, f"{path}tag {tag}")
                if unknown is not None:
                    unknown[tag] = value

    def _field(self, field: Field, path: str) -> Any:
        if not field.is_array:
            return self._value(field, path)
        flexible = _is_flexible(self._schema, field, self._version)
        count = self._compact_length(path) if flexible else self._fixed("int32", path)
        if count < 0:
            if self._version not in field.nullable:
                raise Malformed(f"{path}: null, where null is not allowed")
            return None
        if count > len(self._data) - self.at:
            raise Malformed(f"{path}: {count} elements in {len(self._data) - self.at} bytes")
        return [self._value(field, f"{path}.{i}") for i in range(count)]

    def _value(self, field: Field, path: str) -> Any:
        type_name = field.element
        if type_name in _FIXED:
            return self._fixed(type_name, path)
        if type_name == "uuid":
            return self._bytes(_UUID_SIZE, path)
        if type_name in self._schema.structs:
            if not field.is_array and self._version in field.nullable and self._fixed("int8", path) < 0:
                return None
            return self.struct(self._schema.structs[type_name], path + ".")
        size = (self._compact_length(path) if _is_flexible(self._schema, field, self._version) else
                self._fixed("int16" if type_name == "string" else "int32", path))
        if size < 0:
            # If an array may be null, its elements may not.
            if field.is_array or (self._version not in field.nullable and type_name != "records"):
                raise Malformed(f"{path}: null, where null is not allowed")
            return None
        if type_name == "string" and size > 0x7FFF:
            raise Malformed(f"{path}: a string of {size} bytes")
        data = self._bytes(size, path)
        if type_name != "string":
            return data
        try:
            return data.decode("utf-8", "strict" if self._is_strict else "replace")
        except UnicodeDecodeError:
            raise Malformed(f"{path}: {data[:32].hex(' ')} is not valid UTF-8") from None

    def _fixed(self, type_name: str, path: str) -> Any:
        form = _FIXED[type_name]
        return struct.unpack(form, self._bytes(struct.calcsize(form), path))[0]

    def _bytes(self, size: int, path: str) -> bytes:
        if size > len(self._data) - self.at:
            raise Malformed(f"{path}: {size} bytes are wanted, {len(self._data) - self.at} are left")
        self.at += size
        return self._data[self.at - size:self.at]

    def _compact_length(self, path: str) -> int:
        """Return a length that is encoded one higher; the lowest wraps to the highest, like an int32."""
        stored = self._unsigned_varint(path)
        return stored - 1 if stored > -_MAX_INT - 1 else _MAX_INT

    def _unsigned_varint(self, path: str) -> int:
        value = 0
        for i in range(_VARINT_BYTES):
            (byte,) = self._bytes(1, path)
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                # Five bytes have 35 bits; Java keeps 32 bits, as a signed number.
                value &= 0xFFFFFFFF
                return value - 2**32 if value >= 2**31 else value
        raise Malformed(f"{path}: a varint of more than {_VARINT_BYTES} bytes")
