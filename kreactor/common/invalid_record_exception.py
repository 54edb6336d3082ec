# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.InvalidRecordException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of an invalid record."""

from __future__ import annotations

from kreactor.common.errors import ApiException


class InvalidRecordException(ApiException):
    """A record is malformed, or violates the rules of its topic.

    :origin: common.InvalidRecordException
    :origin: common.InvalidRecordException#InvalidRecordException(String)
    :origin: common.InvalidRecordException#InvalidRecordException(String, Throwable)
    """
