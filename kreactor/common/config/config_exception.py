# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.ConfigException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a configuration that its user must mend."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.text import java_text

# Told apart from None, which is a value that a configuration can have.
_NO_VALUE = object()


class ConfigException(KafkaException):
    """A value, or a set of values, that cannot be.

    :origin: common.config.ConfigException
    """

    def __init__(self, name: str, value: object = _NO_VALUE, message: str | None = None) -> None:
        """Take a message alone, or a configuration's name and value with what is wrong about it if known.

        :origin: common.config.ConfigException#ConfigException(String)
        :origin: common.config.ConfigException#ConfigException(String, Object)
        :origin: common.config.ConfigException#ConfigException(String, Object, String)
        """
        if value is _NO_VALUE:
            super().__init__(name)
        else:
            text = f"Invalid value {java_text(value)} for configuration {name}"
            super().__init__(text if message is None else f"{text}: {message}")
