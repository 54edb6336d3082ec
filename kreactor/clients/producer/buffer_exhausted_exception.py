# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.BufferExhaustedException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a producer whose pool has no memory for a record within max.block.ms."""

from __future__ import annotations

from kreactor.common.errors import TimeoutException


class BufferExhaustedException(TimeoutException):
    """The producer's pool had no memory in time. A TimeoutException, for callers from before this class.

    :origin: clients.producer.BufferExhaustedException
    :origin: clients.producer.BufferExhaustedException#BufferExhaustedException(String)
    """
