# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.BytesDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Bytes, wrapped."""

from __future__ import annotations

from kreactor.common.serialization.deserializer import Deserializer
from kreactor.common.utils.bytes import Bytes
from kreactor.jdk.nio_buffer import BytesLike


class BytesDeserializer(Deserializer[Bytes]):
    """Wraps bytes.

    :origin: common.serialization.BytesDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> Bytes | None:
        """Return the bytes, wrapped.

        :origin: common.serialization.BytesDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None

        return Bytes(data)
