# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.StringSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes text. The default encoding is UTF-8."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.errors import SerializationException
from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.charsets import UTF_8, Charset, UnsupportedCharsetException


class StringSerializer(Serializer[str]):
    """Encodes text. A character that is not in the encoding becomes a question mark, as in Java.

    :origin: common.serialization.StringSerializer
    """

    def __init__(self) -> None:
        self._encoding = UTF_8

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Set the encoding. Raises SerializationException for an unknown encoding.

        :origin: common.serialization.StringSerializer#configure(Map<String,?>, boolean)
        """
        property_name = "key.serializer.encoding" if is_key else "value.serializer.encoding"
        encoding_value = configs.get(property_name)
        if encoding_value is None:
            encoding_value = configs.get("serializer.encoding")
        if isinstance(encoding_value, str):
            encoding_name = encoding_value
            try:
                self._encoding = Charset.for_name(encoding_name)
            except UnsupportedCharsetException as e:
                raise SerializationException(f"Unsupported encoding {encoding_name}", e) from e

    def serialize(self, topic: str | None, data: str | None) -> bytes | None:
        """Return the bytes of a text. Raises AttributeError for data that is not a str.

        :origin: common.serialization.StringSerializer#serialize(String, String)
        """
        if data is None:
            return None
        return self._encoding.encode(data)
