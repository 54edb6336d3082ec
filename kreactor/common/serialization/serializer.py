# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.Serializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of serializers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from kreactor.common.header.headers import Headers
from kreactor.jdk.nio_buffer import BytesLike

T_contra = TypeVar("T_contra", contravariant=True)


class Serializer(ABC, Generic[T_contra]):
    """Converts keys or values to bytes for a producer. Any thread may call ``serialize``.

    :origin: common.serialization.Serializer
    """

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Read the client's settings. ``is_key`` is True for keys, False for values.

        :origin: common.serialization.Serializer#configure(Map<String,?>, boolean)
        """

    @abstractmethod
    def serialize(self, topic: str | None, data: T_contra | None) -> BytesLike | None:
        """Return the bytes of ``data``. Raises TypeError for another type, or SerializationException.

        :origin: common.serialization.Serializer#serialize(String, T)
        """

    def serialize_headers(self, topic: str | None, headers: Headers | None,
                          data: T_contra | None) -> BytesLike | None:
        """Return the bytes of ``data`` in a record with these headers. May add headers.

        :origin: common.serialization.Serializer#serialize(String, Headers, T)
        """
        return self.serialize(topic, data)

    def close(self) -> None:
        """Release the resources. May be called more than once.

        :origin: common.serialization.Serializer#close()
        """
