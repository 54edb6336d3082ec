# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.LongDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes 64-bit integers of 8 bytes."""

from __future__ import annotations

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class LongDeserializer(Deserializer[int]):
    """Reads what ``LongSerializer`` writes.

    :origin: common.serialization.LongDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 8 bytes.

        :origin: common.serialization.LongDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if len(data) != 8:
            raise SerializationException("Size of data received by LongDeserializer is not 8")

        return int.from_bytes(data, "big", signed=True)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 8 bytes.

        :origin: common.serialization.LongDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        if data.remaining() != 8:
            raise SerializationException("Size of data received by LongDeserializer is not 8")
        return data.get_long_at(data.position())
