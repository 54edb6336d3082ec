# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.types.SchemaException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception for bytes that do not follow their schema."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException

OMITTED = {
    "common.protocol.types.SchemaException#SchemaException(String)": "KafkaException's serves",
    "common.protocol.types.SchemaException#SchemaException(String, Throwable)": "KafkaException's serves",
}


class SchemaException(KafkaException):
    """Bytes of a protocol that cannot be read, or a version of it that is none.

    :origin: common.protocol.types.SchemaException
    """
