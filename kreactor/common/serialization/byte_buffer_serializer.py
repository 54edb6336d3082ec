# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteBufferSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The content of buffers."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.nio_buffer import ByteBuffer


class ByteBufferSerializer(Serializer[ByteBuffer]):
    """Writes a buffer from its start, whatever its position, up to its limit.

    A buffer that is still being filled is therefore flipped before it is sent, or its rest is sent too.

    :origin: common.serialization.ByteBufferSerializer
    """

    def serialize(self, topic: str | None, data: ByteBuffer | None) -> bytes | None:
        """Return a copy of the bytes; the position is 0 afterwards.

        :origin: common.serialization.ByteBufferSerializer#serialize(String, ByteBuffer)
        """
        if data is None:
            return None

        data.rewind()
        return data.to_bytes()
