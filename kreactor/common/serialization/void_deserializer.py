# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.VoidDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes None."""

from __future__ import annotations

from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class VoidDeserializer(Deserializer[None]):
    """The deserializer of keys or values that are always None.

    :origin: common.serialization.VoidDeserializer
    """

    def deserialize(self, topic: str | None, data: BytesLike | None) -> None:
        """Return None. Raises IllegalArgumentException for anything except None.

        :origin: common.serialization.VoidDeserializer#deserialize(String, byte[])
        """
        if data is not None:
            raise IllegalArgumentException("Data should be null for a VoidDeserializer.")

    def deserialize_buffer(self, topic: str | None, headers: Headers | None, data: ByteBuffer | None) -> None:
        """Return None. Raises IllegalArgumentException for anything except None.

        :origin: common.serialization.VoidDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is not None:
            raise IllegalArgumentException("Data should be null for a VoidDeserializer.")
