# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.InvalidReceiveException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a size that no message may have."""

from kreactor.common.kafka_exception import KafkaException


class InvalidReceiveException(KafkaException):
    """A message announces a size that is negative or too large. Its channel is closed: not an OSError.

    :origin: common.network.InvalidReceiveException
    :origin: common.network.InvalidReceiveException#InvalidReceiveException(String)
    """
