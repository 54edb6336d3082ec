# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.types.SchemaException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of bytes that do not match their schema."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class SchemaException(KafkaException):
    """Malformed bytes of a protocol, or an unknown version.

    :origin: common.protocol.types.SchemaException
    """
