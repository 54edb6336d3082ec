# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.StringDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes text. The default encoding is UTF-8."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.errors import SerializationException
from kreactor.common.header.headers import Headers
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.jdk.charsets import UTF_8, Charset, UnsupportedCharsetException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike


class StringDeserializer(Deserializer[str]):
    """Decodes text. Bytes that are invalid in the encoding become U+FFFD, as in Java.

    :origin: common.serialization.StringDeserializer
    """

    def __init__(self) -> None:
        self._encoding = UTF_8

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Set the encoding. Raises SerializationException for an unknown encoding.

        :origin: common.serialization.StringDeserializer#configure(Map<String,?>, boolean)
        """
        property_name = "key.deserializer.encoding" if is_key else "value.deserializer.encoding"
        encoding_value = configs.get(property_name)
        if encoding_value is None:
            encoding_value = configs.get("deserializer.encoding")
        if isinstance(encoding_value, str):
            encoding_name = encoding_value
            try:
                self._encoding = Charset.for_name(encoding_name)
            except UnsupportedCharsetException as e:
                raise SerializationException(f"Unsupported encoding {encoding_name}", e) from e

    def deserialize(self, topic: str | None, data: BytesLike | None) -> str | None:
        """Return the text of bytes.

        :origin: common.serialization.StringDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        return self._encoding.decode(data)

    def deserialize_buffer(self, topic: str | None, headers: Headers | None,
                           data: ByteBuffer | None) -> str | None:
        """Return the text of the remaining bytes.

        :origin: common.serialization.StringDeserializer#deserialize(String, Headers, ByteBuffer)
        """
        if data is None:
            return None
        return self._encoding.decode(data.view())
