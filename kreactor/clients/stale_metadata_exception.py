# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.StaleMetadataException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a client whose metadata are out of date."""

from __future__ import annotations

from kreactor.common.errors import InvalidMetadataException


class StaleMetadataException(InvalidMetadataException):
    """The client's metadata of a partition are too old for an operation.

    :origin: clients.StaleMetadataException
    :origin: clients.StaleMetadataException#StaleMetadataException()
    :origin: clients.StaleMetadataException#StaleMetadataException(String)
    """
