# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ByteArrayDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes bytes without a change."""

from __future__ import annotations

from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.nio_buffer import BytesLike


class ByteArrayDeserializer(Deserializer[BytesLike]):
    """Returns bytes unchanged.

    :origin: common.serialization.ByteArrayDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> BytesLike | None:
        """Return ``data``.

        :origin: common.serialization.ByteArrayDeserializer#deserialize(String, byte[])
        """
        return data
