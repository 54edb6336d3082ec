# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.BytesDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes bytes to Bytes."""

from __future__ import annotations

from kreactor.common.serialization.deserializer import Deserializer
from kreactor.common.utils.bytes import Bytes
from kreactor.jdk.nio_buffer import BytesLike


class BytesDeserializer(Deserializer[Bytes]):
    """Wraps bytes in Bytes.

    :origin: common.serialization.BytesDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> Bytes | None:
        """Return the bytes wrapped in Bytes.

        :origin: common.serialization.BytesDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None

        return Bytes(data)
