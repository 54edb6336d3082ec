# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteBufferDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes bytes to buffers."""

from __future__ import annotations

from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class ByteBufferDeserializer(Deserializer[ByteBuffer]):
    """Wraps bytes.

    :origin: common.serialization.ByteBufferDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> ByteBuffer | None:
        """Return a buffer on the same memory.

        :origin: common.serialization.ByteBufferDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None

        return ByteBuffer.wrap(data)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> ByteBuffer | None:
        """Return ``data``.

        :origin: common.serialization.ByteBufferDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        return data
