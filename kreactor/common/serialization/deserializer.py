# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.Deserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of deserializers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from kreactor.common.header.headers import Headers
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

T = TypeVar("T")


class Deserializer(ABC, Generic[T]):
    """Turns bytes into keys or values for a consumer.

    :origin: common.serialization.Deserializer
    """

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Read the client's settings. ``is_key`` is True for keys, False for values.

        :origin: common.serialization.Deserializer#configure(Map<String,?>, boolean)
        """

    @abstractmethod
    def deserialize(self, topic: str | None, data: BytesLike | None) -> T | None:
        """Return the value of bytes. Raises SerializationException for invalid bytes.

        :origin: common.serialization.Deserializer#deserialize(String, byte[])
        """

    def deserialize_headers(self, topic: str | None, headers: Headers | None,
                            data: BytesLike | None) -> T | None:
        """Return the value of bytes from a record with these headers.

        :origin: common.serialization.Deserializer#deserialize(String, Headers, byte[])
        """
        return self.deserialize(topic, data)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> T | None:
        """Return the value of the bytes between position and limit of a buffer. Neither changes.

        :origin: common.serialization.Deserializer#deserialize(String, Headers, ByteBuffer)
        """
        return self.deserialize_headers(topic, headers, None if data is None else data.to_bytes())

    def close(self) -> None:
        """Release the resources. May be called more than once.

        :origin: common.serialization.Deserializer#close()
        """
