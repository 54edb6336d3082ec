# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.FloatDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes 32-bit floats of 4 bytes."""

from __future__ import annotations

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.doubles import int_bits_to_float
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class FloatDeserializer(Deserializer[float]):
    """Reads what ``FloatSerializer`` writes.

    :origin: common.serialization.FloatDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> float | None:
        """Return the number. Raises SerializationException for another length than 4 bytes.

        :origin: common.serialization.FloatDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if len(data) != 4:
            raise SerializationException("Size of data received by Deserializer is not 4")

        return int_bits_to_float(int.from_bytes(data, "big"))

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> float | None:
        """Return the number. Raises SerializationException for another length than 4 bytes.

        :origin: common.serialization.FloatDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        if data.remaining() != 4:
            raise SerializationException("Size of data received by Deserializer is not 4")
        return int_bits_to_float(data.get_unsigned_int_at(data.position()))
