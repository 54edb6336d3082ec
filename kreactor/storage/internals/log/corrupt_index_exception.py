# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.CorruptIndexException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of an index file that must be rebuilt."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class CorruptIndexException(KafkaException):
    """An index file is not in the written form, and must be rebuilt.

    :origin: storage.internals.log.CorruptIndexException
    """
