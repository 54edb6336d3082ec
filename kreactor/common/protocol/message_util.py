# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.MessageUtil of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes complete messages, and reads numbers and bytes of their JSON form."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.jdk.exceptions import IllegalArgumentException, UnsupportedOperationException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import java_text

if TYPE_CHECKING:
    from kreactor.common.protocol.message import Message
    from kreactor.common.protocol.message_codec import Segment


class MessageUtil:
    """Helpers of the generated classes.

    :origin: common.protocol.MessageUtil
    """

    UNSIGNED_INT_MAX = 4294967295
    UNSIGNED_SHORT_MAX = 65535

    @staticmethod
    def byte_buffer_to_array(buf: ByteBuffer) -> bytes:
        """Return a copy of the remaining bytes of ``buf``. The position does not change.

        :origin: common.protocol.MessageUtil#byteBufferToArray(ByteBuffer)
        """
        return buf.to_bytes()

    @staticmethod
    def deep_to_string(values: Iterable[object]) -> str:
        """Return the texts of ``values`` in brackets.

        :origin: common.protocol.MessageUtil#deepToString(Iterator<?>)
        """
        return f"[{', '.join(map(java_text, values))}]"

    @staticmethod
    def json_node_to_byte(node: object, about: str) -> int:
        """Return a JSON number as an int8. Raises RuntimeError.

        As in Java, 128 is subtracted from a number of 128 to 256, and 256 then wraps to -128.

        :origin: common.protocol.MessageUtil#jsonNodeToByte(JsonNode, String)
        """
        value = MessageUtil.json_node_to_int(node, about)
        if 127 < value <= 256:
            return (value - 128 ^ 0x80) - 0x80
        return _number_in_range(value, -128, 127, "an 8-bit signed", about)

    @staticmethod
    def json_node_to_short(node: object, about: str) -> int:
        """Return a JSON number as an int16. Raises RuntimeError.

        :origin: common.protocol.MessageUtil#jsonNodeToShort(JsonNode, String)
        """
        value = MessageUtil.json_node_to_int(node, about)
        return _number_in_range(value, -0x8000, 0x7FFF, "a 16-bit signed", about)

    @staticmethod
    def json_node_to_unsigned_short(node: object, about: str) -> int:
        """Return a JSON number as a uint16. Raises RuntimeError.

        :origin: common.protocol.MessageUtil#jsonNodeToUnsignedShort(JsonNode, String)
        """
        value = MessageUtil.json_node_to_int(node, about)
        return _number_in_range(value, 0, MessageUtil.UNSIGNED_SHORT_MAX, "a 16-bit unsigned", about)

    @staticmethod
    def json_node_to_unsigned_int(node: object, about: str) -> int:
        """Return a JSON number as a uint32. Raises RuntimeError.

        :origin: common.protocol.MessageUtil#jsonNodeToUnsignedInt(JsonNode, String)
        """
        value = MessageUtil.json_node_to_long(node, about)
        return _number_in_range(value, 0, MessageUtil.UNSIGNED_INT_MAX, "a 32-bit unsigned", about)

    @staticmethod
    def json_node_to_int(node: object, about: str) -> int:
        """Return a JSON number as an int32. Raises IllegalArgumentException.

        :origin: common.protocol.MessageUtil#jsonNodeToInt(JsonNode, String)
        """
        return _whole_number(node, -0x80000000, 0x7FFFFFFF, about)

    @staticmethod
    def json_node_to_long(node: object, about: str) -> int:
        """Return a JSON number as an int64. Raises IllegalArgumentException.

        :origin: common.protocol.MessageUtil#jsonNodeToLong(JsonNode, String)
        """
        return _whole_number(node, -0x8000000000000000, 0x7FFFFFFFFFFFFFFF, about)

    @staticmethod
    def json_node_to_binary(node: object, about: str) -> bytes:
        """Return the bytes of a base64 text in JSON. Raises IllegalArgumentException.

        :origin: common.protocol.MessageUtil#jsonNodeToBinary(JsonNode, String)
        """
        if not isinstance(node, str):
            raise IllegalArgumentException(f"{about}: expected Base64-encoded binary data.")
        try:
            return base64.b64decode(node, validate=True)
        except binascii.Error as e:
            raise IllegalArgumentException(f"{about}: unable to retrieve Base64-encoded binary data") from e

    @staticmethod
    def json_node_to_double(node: object, about: str) -> float:
        """Return a JSON number with a fraction, which may be ``.0``. Raises IllegalArgumentException.

        :origin: common.protocol.MessageUtil#jsonNodeToDouble(JsonNode, String)
        """
        if not isinstance(node, float):
            raise IllegalArgumentException(f"{about}: expected a floating point type, but got {node!r}")
        return node

    @staticmethod
    def compare_raw_tagged_fields(first: Sequence[RawTaggedField] | None,
                                  second: Sequence[RawTaggedField] | None) -> bool:
        """Return whether both lists are equal. None equals an empty list.

        :origin: common.protocol.MessageUtil#compareRawTaggedFields(List<RawTaggedField>,
            List<RawTaggedField>)
        """
        return list(first or ()) == list(second or ())

    @staticmethod
    def to_byte_buffer(message: Message, version: int) -> ByteBuffer:
        """Return the bytes of ``message`` in ``version``, with records.

        Raises as ``Message.write``, and UnsupportedOperationException for records that are not in memory.

        :origin: common.protocol.MessageUtil#toByteBuffer(Message, short)
        """
        return ByteBuffer.wrap(append_message(bytearray(), message, version))

    @staticmethod
    def to_version_prefixed_byte_buffer(version: int, message: Message) -> ByteBuffer:
        """Return the two bytes of ``version`` followed by ``message`` in this version.

        :origin: common.protocol.MessageUtil#toVersionPrefixedByteBuffer(short, Message)
        """
        return ByteBuffer.wrap(append_message(bytearray(struct.pack(">h", version)), message, version))

    @staticmethod
    def to_version_prefixed_bytes(version: int, message: Message) -> bytes:
        """Return the result of ``to_version_prefixed_byte_buffer`` as bytes.

        :origin: common.protocol.MessageUtil#toVersionPrefixedBytes(short, Message)
        """
        return MessageUtil.to_version_prefixed_byte_buffer(version, message).to_bytes()


def _number_in_range(value: int, lowest: int, highest: int, what: str, about: str) -> int:
    if not lowest <= value <= highest:
        raise RuntimeError(f"{about}: value {value} does not fit in {what} integer.")
    return value


def _whole_number(node: object, lowest: int, highest: int, about: str) -> int:
    if isinstance(node, str):
        raise IllegalArgumentException(f"{about}: expected an integer or string type, but got STRING")
    if not isinstance(node, int) or isinstance(node, bool) or not lowest <= node <= highest:
        raise IllegalArgumentException(
            f'{about}: failed to parse number: For input string: "{java_text(node)}"')
    return node


def append_message(out: bytearray, message: Message, version: int) -> bytearray:
    """Append ``message`` in ``version`` to ``out``; return ``out`` or a new array with both.

    Raises as ``Message.write``, and UnsupportedOperationException for records that are not in memory.
    """
    segments: list[Segment] = []
    last = message.write(out, version, segments)
    if not segments:
        return last
    whole = bytearray()
    for segment in segments:
        if not isinstance(segment, (bytes, bytearray, memoryview)):
            raise UnsupportedOperationException(f"Unsupported record type {java_text(type(segment))}")
        whole += segment
    whole += last
    return whole
