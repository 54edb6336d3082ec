# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.DoubleDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes 64-bit floats of 8 bytes."""

from __future__ import annotations

import struct

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

_DOUBLE = struct.Struct(">d")


class DoubleDeserializer(Deserializer[float]):
    """Reads what ``DoubleSerializer`` writes.

    :origin: common.serialization.DoubleDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> float | None:
        """Return the number. Raises SerializationException for another length than 8 bytes.

        :origin: common.serialization.DoubleDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if len(data) != 8:
            raise SerializationException("Size of data received by Deserializer is not 8")

        value: float = _DOUBLE.unpack(data)[0]
        return value

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> float | None:
        """Return the number. Raises SerializationException for another length than 8 bytes.

        :origin: common.serialization.DoubleDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        if data.remaining() != 8:
            raise SerializationException("Size of data received by DoubleDeserializer is not 8")
        value: float = _DOUBLE.unpack(data.view())[0]
        return value
