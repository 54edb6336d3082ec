# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.BytesSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes Bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.common.utils.bytes import Bytes
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.text import class_name


class BytesSerializer(Serializer[Bytes]):
    """Writes the wrapped bytes.

    :origin: common.serialization.BytesSerializer
    """

    def serialize(self, topic: str | None, data: Bytes | None) -> BytesLike | None:
        """Return the wrapped bytes. Raises TypeError for other types.

        :origin: common.serialization.BytesSerializer#serialize(String, Bytes)
        """
        if data is None:
            return None

        if not isinstance(data, Bytes):
            raise TypeError(f"{class_name(type(data))} is not Bytes")
        return data.get()
