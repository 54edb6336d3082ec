# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Converts messages to JSON in the format of Kafka's request logs.

Kafka generates a converter for each message. Here a converter for each version is built from the ``SCHEMA``
on first use. An object has the fields of the version in the order of their definition. A tagged field is
present only if it differs from its default. Bytes are base64, uuids are text, error codes are numbers. A
float field always has a fraction, as Java prints it.
"""

# DEVIATION D45: one converter that reads SCHEMA, where Kafka generates a class for each message.

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any, TypeVar

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.message import Message, records_size
from kreactor.common.protocol.message_schema import FieldSpec, is_struct
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import double_text

MessageT = TypeVar("MessageT", bound=Message)

# A tree of nodes, as json.loads returns it.
JsonNode = Mapping[str, "JsonNode"] | list["JsonNode"] | str | int | float | bool | None

# Python's escapes of control characters, which Jackson writes with upper-case hex digits.
_ESCAPE = re.compile(r"\\(?:u00[01][0-9a-f]|.)")


class ObjectNode(dict[str, JsonNode]):
    """An object in a tree. ``str`` returns its JSON, as in Jackson."""

    __slots__ = ()

    def __str__(self) -> str:
        return json_text(self)


class PlainNode(ObjectNode):
    """An object whose floats are all ``is_plain``. Python prints it as Jackson does, and faster."""

    __slots__ = ()


# The type of a function that puts a field's value into an object, if the field is written.
_Put = Callable[[dict[str, JsonNode], Any], None]
_Convert = Callable[[Any], JsonNode]


def write_json(message: Message, version: int, serialize_records: bool = True) -> ObjectNode:
    """Return ``message`` in ``version`` as a tree.

    The tree never contains records. It has an empty text instead, or the records' size under its own name if
    ``serialize_records`` is false. Raises UnsupportedVersionException for a set field that ``version`` does
    not have.
    """
    key = (type(message), version, serialize_records)
    known = _CONVERTERS.get(key)
    if known is None:
        if not message.LOWEST_SUPPORTED_VERSION <= version <= message.HIGHEST_SUPPORTED_VERSION:
            raise UnsupportedVersionException(f"Can't write version {version} of {message.SCHEMA.name}")
        known = _CONVERTERS[key] = (
            ObjectNode if _has_floats(type(message)) else PlainNode, _converter(*key))
    node_class, converter = known
    return node_class(converter(message))


_CONVERTERS: dict[tuple[type[Message], int, bool],
                  tuple[type[ObjectNode], Callable[[Message], dict[str, JsonNode]]]] = {}


def _has_floats(message_class: type[Message]) -> bool:
    types = [field.element_type() for field in message_class.SCHEMA.fields]
    return "float64" in types or any(
        _has_floats(message_class.struct_class(name)) for name in types if is_struct(name))


def _converter(message_class: type[Message], version: int, serialize_records: bool
               ) -> Callable[[Message], dict[str, JsonNode]]:
    """Return a function that converts a message. All tests of the version are made here, once."""
    # The fields that must have their defaults, and the fields to write: attribute, name, and a converter or
    # setter. A value that needs no conversion has neither.
    absent: list[FieldSpec] = []
    steps: list[tuple[str, str, _Convert | None, _Put | None]] = []
    for field in message_class.SCHEMA.fields:
        if not field.is_in(version):
            if not field.ignorable:
                absent.append(field)
            continue
        convert = _conversion(message_class, field.type, version, serialize_records)
        put: _Put | None = None
        if field.is_tagged_in(version):
            put = _put_unless_default(field, convert)
        elif field.type == "records":
            put = _put_records(field.name, serialize_records)
        steps.append((field.attribute, field.name, convert, put))

    def to_node(message: Message) -> dict[str, JsonNode]:
        for field in absent:
            if not _is_default(field, getattr(message, field.attribute)):
                raise UnsupportedVersionException(
                    f"Attempted to write a non-default {field.name} at version {version}")
        node: dict[str, JsonNode] = {}
        for attribute, name, convert, put in steps:
            value = getattr(message, attribute)
            if put is not None:
                put(node, value)
            elif convert is None or value is None:
                node[name] = value
            else:
                node[name] = convert(value)
        return node

    return to_node


def _conversion(message_class: type[Message], type_name: str, version: int,
                serialize_records: bool) -> _Convert | None:
    """Return a function that converts a value other than None to a node, or None if the value is a node."""
    if type_name.startswith("[]"):
        of_element = _conversion(message_class, type_name[2:], version, serialize_records)
        if of_element is None:
            return list
        return lambda values: list(map(of_element, values))
    if type_name == "uuid":
        return str
    if type_name in ("bytes", "records"):
        return _base64
    if is_struct(type_name):
        return _converter(message_class.struct_class(type_name), version, serialize_records)
    return None


def _put_unless_default(field: FieldSpec, convert: _Convert | None) -> _Put:
    def put(node: dict[str, JsonNode], value: Any) -> None:
        if not _is_default(field, value):
            node[field.name] = value if convert is None or value is None else convert(value)

    return put


def _put_records(name: str, serialize_records: bool) -> _Put:
    def put(node: dict[str, JsonNode], value: Any) -> None:
        if value is None:
            node[name] = None
        elif serialize_records:
            node[name] = ""
        else:
            node[f"{name}SizeInBytes"] = records_size(value)

    return put


def _base64(value: Any) -> str:
    return base64.b64encode(value.view() if isinstance(value, ByteBuffer) else value).decode("ascii")


def _is_default(field: FieldSpec, value: object) -> bool:
    if field.default != ():
        return value == field.default
    if field.is_array():
        return value == []
    if field.type == "uuid":
        return value == Uuid.ZERO_UUID
    if isinstance(value, ByteBuffer):
        return not value.has_remaining()
    return value == type(value)()


def read_json(message_class: type[MessageT], node: JsonNode, version: int) -> MessageT:
    """Return the message of ``version`` in ``node``, where records are base64.

    Raises RuntimeError for a missing field of ``version`` or a field of another type.
    """
    name = message_class.SCHEMA.name
    if not message_class.LOWEST_SUPPORTED_VERSION <= version <= message_class.HIGHEST_SUPPORTED_VERSION:
        raise UnsupportedVersionException(f"Can't read version {version} of {name}")
    if not isinstance(node, Mapping):
        raise RuntimeError(f"{name} expected a JSON object, but got {_type_of(node)}")
    message = message_class()
    for field in message_class.SCHEMA.fields:
        if field.name in node:
            setattr(message, field.attribute, _read_value(message_class, field, field.type, node[field.name],
                                                          version))
        elif field.is_in(version) and not field.is_tagged_in(version):
            raise RuntimeError(
                f"{name}: unable to locate field '{field.name}', which is mandatory in version {version}")
    return message


_NUMBERS = {
    "int8": MessageUtil.json_node_to_byte,
    "int16": MessageUtil.json_node_to_short,
    "uint16": MessageUtil.json_node_to_unsigned_short,
    "int32": MessageUtil.json_node_to_int,
    "uint32": MessageUtil.json_node_to_unsigned_int,
    "int64": MessageUtil.json_node_to_long,
    "float64": MessageUtil.json_node_to_double,
}


def _read_value(message_class: type[Message], field: FieldSpec, type_name: str, node: JsonNode,
                version: int) -> object:
    name = message_class.SCHEMA.name
    if node is None and type_name == field.type and (field.nullable != "none" or field.type == "records"):
        return None
    if type_name in _NUMBERS:
        return _NUMBERS[type_name](node, name)
    if type_name.startswith("[]"):
        if not isinstance(node, list):
            raise RuntimeError(f"{name} expected a JSON array, but got {_type_of(node)}")
        return [_read_value(message_class, field, type_name[2:], element, version) for element in node]
    if type_name == "bool":
        if not isinstance(node, bool):
            raise RuntimeError(f"{name} expected Boolean type, but got {_type_of(node)}")
        return node
    if type_name in ("bytes", "records"):
        binary = MessageUtil.json_node_to_binary(node, name)
        return ByteBuffer.wrap(binary) if type_name == "records" or field.zero_copy else binary
    if type_name in ("string", "uuid"):
        if not isinstance(node, str):
            what = "string" if type_name == "string" else "JSON string"
            raise RuntimeError(f"{name} expected a {what} type, but got {_type_of(node)}")
        return node if type_name == "string" else Uuid.from_string(node)
    return read_json(message_class.struct_class(type_name), node, version)


def _type_of(node: JsonNode) -> str:
    if node is None:
        return "NULL"
    if isinstance(node, bool):
        return "BOOLEAN"
    if isinstance(node, (int, float)):
        return "NUMBER"
    if isinstance(node, str):
        return "STRING"
    return "ARRAY" if isinstance(node, list) else "OBJECT"


def _escape_as_jackson(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) == 2 else "\\u" + match[0][2:].upper()


def _as_jackson(text: str) -> str:
    """Return Python's JSON text as Jackson prints it."""
    return _ESCAPE.sub(_escape_as_jackson, text) if "\\u00" in text else text


def is_plain(value: float) -> bool:
    """Return whether Java prints a non-negative number without an exponent, as Python does."""
    return value == 0 or 1e-3 <= value < 1e7


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def _encode(node: PlainNode) -> str:
    return _encoder.encode(node) if _c_encoder is None else "".join(_c_encoder(node, 0))


# `encode` creates this C encoder on each call, which takes longer than the encoding.
_c_make_encoder: Any = getattr(json.encoder, "c_make_encoder", None)
_c_encoder: Any = _c_make_encoder and _c_make_encoder(
    None, _encoder.default, encode_basestring, None, ":", ",", False, False, True)


def json_text(node: JsonNode) -> str:
    """Return ``node`` as Jackson prints it: no blanks, keys in order, control characters escaped."""
    if isinstance(node, str):
        return _as_jackson(encode_basestring(node))
    if isinstance(node, PlainNode):
        return _as_jackson(_encode(node))
    if node is None:
        return "null"
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, int):
        return str(node)
    if isinstance(node, float):
        text = double_text(node)
        return f'"{text}"' if text[-1].isalpha() and text[-1] != "E" else text
    if isinstance(node, list):
        return f"[{','.join(map(json_text, node))}]"
    return "{" + ",".join([f"{json_text(key)}:{json_text(value)}" for key, value in node.items()]) + "}"
