# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.UUIDSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes UUIDs."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from kreactor.common.errors import SerializationException
from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.charsets import Charset, UnsupportedCharsetException
from kreactor.jdk.text import class_name


class UUIDSerializer(Serializer[UUID]):
    """Writes a UUID as text. The default encoding is UTF-8.

    :origin: common.serialization.UUIDSerializer
    """

    def __init__(self) -> None:
        self._encoding = "UTF-8"

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Set the name of the encoding, which is looked up only when needed.

        :origin: common.serialization.UUIDSerializer#configure(Map<String,?>, boolean)
        """
        property_name = "key.serializer.encoding" if is_key else "value.serializer.encoding"
        encoding_value = configs.get(property_name)
        if encoding_value is None:
            encoding_value = configs.get("serializer.encoding")
        if isinstance(encoding_value, str):
            self._encoding = encoding_value

    def serialize(self, topic: str | None, data: UUID | None) -> bytes | None:
        """Return the bytes of the text. Raises TypeError for other types, SerializationException.

        :origin: common.serialization.UUIDSerializer#serialize(String, UUID)
        """
        try:
            if data is None:
                return None
            if not isinstance(data, UUID):
                raise TypeError(f"{class_name(type(data))} is not a UUID")
            return Charset.for_name(self._encoding).encode(str(data))
        except UnsupportedCharsetException as e:
            raise SerializationException(
                f"Error when serializing UUID to byte[] due to unsupported encoding {self._encoding}") from e
