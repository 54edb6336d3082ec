# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ErrorLoggingCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A callback that logs failed records."""

from __future__ import annotations

from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.utils.log_context import LogContext

log = LogContext().logger(f"{__name__}.ErrorLoggingCallback")


class ErrorLoggingCallback:
    """A Callback for one record. Called by the sender's thread.

    :origin: clients.producer.internals.ErrorLoggingCallback
    """

    def __init__(self, topic: str, key: bytes | None, value: bytes | None, log_as_string: bool) -> None:
        """Log key and value as UTF-8 if ``log_as_string``, else their sizes in bytes.

        :origin: clients.producer.internals.ErrorLoggingCallback#ErrorLoggingCallback(String, byte[], byte[], boolean)
        """  # noqa: E501
        self._topic = topic
        self._key = key
        # Stored only if the log needs it.
        self._value = value if log_as_string else None
        self._value_length = -1 if value is None else len(value)
        self._log_as_string = log_as_string

    def __call__(self, metadata: RecordMetadata | None, e: Exception | None) -> None:
        """Log ``e`` if there is one.

        :origin: clients.producer.internals.ErrorLoggingCallback#onCompletion(RecordMetadata, Exception)
        """
        if e is not None:
            if self._key is None:
                key_string = "null"
            else:
                key_string = (self._key.decode("utf-8", "replace") if self._log_as_string
                              else f"{len(self._key)} bytes")
            if self._value_length == -1:
                value_string = "null"
            else:
                value_string = (self._value.decode("utf-8", "replace") if self._value is not None
                                else f"{self._value_length} bytes")
            log.error("Error when sending message to topic %s with key: %s, value: %s with error:",
                      self._topic, key_string, value_string, exc=e)
