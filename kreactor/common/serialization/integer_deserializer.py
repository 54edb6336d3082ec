# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.IntegerDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes 32-bit integers of 4 bytes."""

from __future__ import annotations

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class IntegerDeserializer(Deserializer[int]):
    """Reads what ``IntegerSerializer`` writes.

    :origin: common.serialization.IntegerDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 4 bytes.

        :origin: common.serialization.IntegerDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if len(data) != 4:
            raise SerializationException("Size of data received by IntegerDeserializer is not 4")

        return int.from_bytes(data, "big", signed=True)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> int | None:
        """Return the integer. Raises SerializationException for another length than 4 bytes.

        :origin: common.serialization.IntegerDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        if data.remaining() != 4:
            raise SerializationException("Size of data received by IntegerDeserializer is not 4")
        return data.get_int_at(data.position())
