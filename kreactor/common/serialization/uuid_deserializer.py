# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.UUIDDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes UUIDs."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.charsets import Charset, UnsupportedCharsetException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike
from kreactor.jdk.uuids import uuid_from_string


class UUIDDeserializer(Deserializer[UUID]):
    """Reads a UUID from its text. The default encoding is UTF-8.

    :origin: common.serialization.UUIDDeserializer
    """

    def __init__(self) -> None:
        self._encoding = "UTF-8"

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Set the name of the encoding, which is looked up only when needed.

        :origin: common.serialization.UUIDDeserializer#configure(Map<String,?>, boolean)
        """
        property_name = "key.deserializer.encoding" if is_key else "value.deserializer.encoding"
        encoding_value = configs.get(property_name)
        if encoding_value is None:
            encoding_value = configs.get("deserializer.encoding")
        if isinstance(encoding_value, str):
            self._encoding = encoding_value

    def deserialize(self, topic: str | None, data: BytesLike | None) -> UUID | None:
        """Return the UUID. Raises SerializationException for bytes that are not a UUID's text.

        :origin: common.serialization.UUIDDeserializer#deserialize(String, byte[])
        """
        try:
            if data is None:
                return None
            return uuid_from_string(Charset.for_name(self._encoding).decode(data))
        except UnsupportedCharsetException as e:
            raise SerializationException(
                f"Error when deserializing byte[] to UUID due to unsupported encoding {self._encoding}",
                e) from e
        except IllegalArgumentException as e:
            raise SerializationException("Error parsing data into UUID", e) from e

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> UUID | None:
        """Return the UUID. Raises SerializationException for bytes that are not a UUID's text.

        :origin: common.serialization.UUIDDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        try:
            if data is None:
                return None
            return uuid_from_string(Charset.for_name(self._encoding).decode(data.view()))
        except UnsupportedCharsetException as e:
            raise SerializationException(
                f"Error when deserializing ByteBuffer to UUID due to unsupported encoding {self._encoding}",
                e) from e
        except IllegalArgumentException as e:
            raise SerializationException("Error parsing data into UUID", e) from e
