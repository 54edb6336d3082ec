# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.CorruptSnapshotException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a snapshot file that cannot be read."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class CorruptSnapshotException(KafkaException):
    """A snapshot file is not in the written form.

    :origin: storage.internals.log.CorruptSnapshotException
    """
