# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ShortDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes 16-bit integers of 2 bytes."""

from __future__ import annotations

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class ShortDeserializer(Deserializer[int]):
    """Reads what ``ShortSerializer`` writes.

    :origin: common.serialization.ShortDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 2 bytes.

        :origin: common.serialization.ShortDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if len(data) != 2:
            raise SerializationException("Size of data received by ShortDeserializer is not 2")

        return int.from_bytes(data, "big", signed=True)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 2 bytes.

        :origin: common.serialization.ShortDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        if data.remaining() != 2:
            raise SerializationException("Size of data received by ShortDeserializer is not 2")
        return data.get_short_at(data.position())
