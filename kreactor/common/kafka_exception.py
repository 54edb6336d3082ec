# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.KafkaException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of Kafka's exceptions. None of them is an ``OSError``."""

from __future__ import annotations

from kreactor.jdk.text import throwable_text


class KafkaException(RuntimeError):
    """The base of Kafka's exceptions: a message, a cause, both, or neither.

    :origin: common.KafkaException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None) -> None:
        """Without a message, ``str`` returns the text of the cause.

        :origin: common.KafkaException#KafkaException(String, Throwable)
        :origin: common.KafkaException#KafkaException(String)
        :origin: common.KafkaException#KafkaException(Throwable)
        :origin: common.KafkaException#KafkaException()
        """
        if message is None and cause is not None:
            message = throwable_text(cause)
        if message is None:
            super().__init__()
        else:
            super().__init__(message)
        if cause is not None:
            self.__cause__ = cause

    def get_message(self) -> str | None:
        """Return the message or None. For None, ``str`` returns an empty text."""
        return self.args[0] if self.args else None
