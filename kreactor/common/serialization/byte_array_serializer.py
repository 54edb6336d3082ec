# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteArraySerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes bytes without a change."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.text import class_name


class ByteArraySerializer(Serializer[BytesLike]):
    """Returns bytes unchanged.

    :origin: common.serialization.ByteArraySerializer
    """

    def serialize(self, topic: str | None, data: BytesLike | None) -> BytesLike | None:
        """Return ``data``, or a copy of a memoryview's bytes. Raises TypeError for data that is not bytes.

        :origin: common.serialization.ByteArraySerializer#serialize(String, byte[])
        """
        if data is None or isinstance(data, (bytes, bytearray)):
            return data
        if isinstance(data, memoryview):
            # The length of a memoryview with larger items differs from its number of bytes.
            return data.tobytes()
        raise TypeError(f"{class_name(type(data))} is not bytes")
