# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Messages as JSON, in the shape of Kafka's request logs.

Kafka generates a converter for each message; here one goes by the ``SCHEMA``. Fields stand in the order
of their definition, those of the version only, tagged ones only where they differ from their default.
Bytes are base64, uuids text, error codes numbers. Numbers keep their type: a float field is written with
a fraction always, as Java prints it.
"""

# DEVIATION D45: one converter that reads SCHEMA, where Kafka generates a class for each message.

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import TypeVar

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.message import Message, records_size
from kreactor.common.protocol.message_schema import FieldSpec
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import double_text

MessageT = TypeVar("MessageT", bound=Message)

# A tree as json.loads gives it.
JsonNode = Mapping[str, "JsonNode"] | list["JsonNode"] | str | int | float | bool | None

# What Python escapes; of it, Jackson writes the numbers of control characters in capitals.
_ESCAPE = re.compile(r"\\(?:u00[01][0-9a-f]|.)")


class ObjectNode(dict[str, JsonNode]):
    """An object in a tree. Its text is its JSON, as Jackson's."""

    __slots__ = ()

    def __str__(self) -> str:
        return json_text(self)


def write_json(message: Message, version: int, serialize_records: bool = True) -> ObjectNode:
    """Return ``message`` in ``version`` as a tree.

    Records are left out of it either way: there is an empty text in their place, or, if they are not to be
    serialized, their size under a name of its own. Raises UnsupportedVersionException if a field is set
    that ``version`` cannot express.
    """
    if not message.LOWEST_SUPPORTED_VERSION <= version <= message.HIGHEST_SUPPORTED_VERSION:
        raise UnsupportedVersionException(f"Can't write version {version} of {message.SCHEMA.name}")
    node = ObjectNode()
    for field in message.SCHEMA.fields:
        value = getattr(message, field.attribute)
        if not field.is_in(version):
            if not field.ignorable and not _is_default(field, value):
                raise UnsupportedVersionException(
                    f"Attempted to write a non-default {field.name} at version {version}")
        elif field.is_tagged_in(version) and _is_default(field, value):
            continue
        elif field.type == "records" and value is not None:
            if serialize_records:
                node[field.name] = ""
            else:
                node[f"{field.name}SizeInBytes"] = records_size(value)
        else:
            node[field.name] = _write_value(value, version, serialize_records)
    return node


def _write_value(value: object, version: int, serialize_records: bool) -> JsonNode:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list):
        return [_write_value(element, version, serialize_records) for element in value]
    if isinstance(value, Uuid):
        return str(value)
    if isinstance(value, ByteBuffer):
        value = value.view()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    message: Message = value  # type: ignore[assignment]  # all that is left
    return write_json(message, version, serialize_records)


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
    """Return the message of ``version`` that ``node`` shows; records are base64 there.

    Raises RuntimeError if a field is missing that ``version`` has, or is of another type.
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


def json_text(node: JsonNode) -> str:
    """Return ``node`` as Jackson prints it: no blanks, keys as they stand, control characters escaped."""
    if node is None:
        return "null"
    if isinstance(node, str):
        return _ESCAPE.sub(_escape_as_jackson, encode_basestring(node))
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, int):
        return str(node)
    if isinstance(node, float):
        text = double_text(node)
        return f'"{text}"' if text[-1].isalpha() and text[-1] != "E" else text
    if isinstance(node, list):
        return f"[{','.join(map(json_text, node))}]"
    return "{" + ",".join(f"{json_text(key)}:{json_text(value)}" for key, value in node.items()) + "}"
