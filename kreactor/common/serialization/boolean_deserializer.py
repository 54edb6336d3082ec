# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.BooleanDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes bools of one byte."""

from __future__ import annotations

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class BooleanDeserializer(Deserializer[bool]):
    """Reads what ``BooleanSerializer`` writes.

    :origin: common.serialization.BooleanDeserializer
    """

    _TRUE = 0x01
    _FALSE = 0x00

    def deserialize(self, topic: str | None, data: BytesLike | None) -> bool | None:
        """Return the value. Raises SerializationException for data other than one byte 0 or 1.

        :origin: common.serialization.BooleanDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None

        if len(data) != 1:
            raise SerializationException("Size of data received by BooleanDeserializer is not 1")

        if data[0] == self._TRUE:
            return True
        if data[0] == self._FALSE:
            return False
        raise SerializationException(
            f"Unexpected byte received by BooleanDeserializer: {int.from_bytes(data, 'big', signed=True)}")

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> bool | None:
        """Return the value. Raises SerializationException for data other than one byte 0 or 1.

        :origin: common.serialization.BooleanDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None

        if data.remaining() != 1:
            raise SerializationException("Size of data received by BooleanDeserializer is not 1")

        b = data.get_at(data.position())
        if b == self._TRUE:
            return True
        if b == self._FALSE:
            return False
        raise SerializationException(f"Unexpected byte received by BooleanDeserializer: {b}")
