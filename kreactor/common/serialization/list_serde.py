# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of parts of org.apache.kafka.common.serialization.Serdes and
# org.apache.kafka.clients.CommonClientConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings and the format of serialized lists.

The first byte is the ordinal of the strategy. With CONSTANT_SIZE, the next fields are the number of None
entries, their indexes, the number of all entries, and the entries that are not None. With VARIABLE_SIZE, the
next field is the number of entries. Each entry follows its size; a None entry has only size -1. All numbers
have four bytes.
"""

from __future__ import annotations

from enum import IntEnum


# DEVIATION D302: the settings belong to kreactor.clients, which this package must not import.
class ListSerdeConfigs:
    """The names of settings of CommonClientConfigs."""

    DEFAULT_LIST_KEY_SERDE_INNER_CLASS = "default.list.key.serde.inner"
    DEFAULT_LIST_VALUE_SERDE_INNER_CLASS = "default.list.value.serde.inner"
    DEFAULT_LIST_KEY_SERDE_TYPE_CLASS = "default.list.key.serde.type"
    DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS = "default.list.value.serde.type"


# The size of a None entry.
NULL_ENTRY_VALUE = -1


class SerializationStrategy(IntEnum):
    """How a serialized list gives the size of entries: one size for all, or one before each entry.

    :origin: common.serialization.Serdes.ListSerde.SerializationStrategy
    """

    CONSTANT_SIZE = 0
    VARIABLE_SIZE = 1
