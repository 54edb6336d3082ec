# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteBufferSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes buffers."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.nio_buffer import ByteBuffer


class ByteBufferSerializer(Serializer[ByteBuffer]):
    """Writes a buffer from index 0 to its limit, independent of its position.

    Therefore the caller must flip a buffer that it has filled; otherwise the unused rest is sent, too.

    :origin: common.serialization.ByteBufferSerializer
    """

    def serialize(self, topic: str | None, data: ByteBuffer | None) -> bytes | None:
        """Return a copy of the bytes, and set the position to 0.

        :origin: common.serialization.ByteBufferSerializer#serialize(String, ByteBuffer)
        """
        if data is None:
            return None

        data.rewind()
        return data.to_bytes()
