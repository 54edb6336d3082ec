# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.ConfigException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of an invalid configuration."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.text import java_text

# Differs from None, which is a possible value of a setting.
_NO_VALUE = object()


class ConfigException(KafkaException):
    """A setting has an invalid value, or several settings do not fit together.

    :origin: common.config.ConfigException
    """

    def __init__(self, name: str, value: object = _NO_VALUE, message: str | None = None) -> None:
        """Take only a message, or a setting's name and value with an optional message.

        :origin: common.config.ConfigException#ConfigException(String)
        :origin: common.config.ConfigException#ConfigException(String, Object)
        :origin: common.config.ConfigException#ConfigException(String, Object, String)
        """
        if value is _NO_VALUE:
            super().__init__(name)
        else:
            text = f"Invalid value {java_text(value)} for configuration {name}"
            super().__init__(text if message is None else f"{text}: {message}")
