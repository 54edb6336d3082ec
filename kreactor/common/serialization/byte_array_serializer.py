# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteArraySerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Bytes as they are."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.text import class_name


class ByteArraySerializer(Serializer[BytesLike]):
    """Passes bytes on.

    :origin: common.serialization.ByteArraySerializer
    """

    def serialize(self, topic: str | None, data: BytesLike | None) -> BytesLike | None:
        """Return ``data``, or a copy of what a memoryview shows. Raises TypeError for what is no bytes.

        :origin: common.serialization.ByteArraySerializer#serialize(String, byte[])
        """
        if data is None or isinstance(data, (bytes, bytearray)):
            return data
        if isinstance(data, memoryview):
            # One of larger items has another length than its bytes.
            return data.tobytes()
        raise TypeError(f"{class_name(type(data))} is not bytes")
