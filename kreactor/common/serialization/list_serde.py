# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of parts of org.apache.kafka.common.serialization.Serdes and
# org.apache.kafka.clients.CommonClientConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings and the format that the serializer and the deserializer of lists share.

The format begins with a byte, the ordinal of the strategy. CONSTANT_SIZE goes on with the number of missing
entries and their indexes, then the number of entries and those that are there. VARIABLE_SIZE goes on with the
number of entries, and each has its size before it, or -1 if it is missing. All numbers have four bytes.
"""

from __future__ import annotations

from enum import IntEnum


# DEVIATION D302: the settings belong to the clients, a floor above.
class ListSerdeConfigs:
    """The names of settings, of CommonClientConfigs."""

    DEFAULT_LIST_KEY_SERDE_INNER_CLASS = "default.list.key.serde.inner"
    DEFAULT_LIST_VALUE_SERDE_INNER_CLASS = "default.list.value.serde.inner"
    DEFAULT_LIST_KEY_SERDE_TYPE_CLASS = "default.list.key.serde.type"
    DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS = "default.list.value.serde.type"


# The size that a missing entry has.
NULL_ENTRY_VALUE = -1


class SerializationStrategy(IntEnum):
    """How the entries of a list are told apart: by one size for all, or by one before each.

    :origin: common.serialization.Serdes.ListSerde.SerializationStrategy
    """

    CONSTANT_SIZE = 0
    VARIABLE_SIZE = 1
