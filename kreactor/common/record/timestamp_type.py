# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.TimestampType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of timestamps, by the clock that sets them."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import NoSuchElementException


class TimestampType(Enum):
    """No timestamp (magic 0), the producer's clock, or the clock of the broker that appended the record.

    :origin: common.record.TimestampType
    """

    NO_TIMESTAMP_TYPE = (-1, "NoTimestampType")
    CREATE_TIME = (0, "CreateTime")
    LOG_APPEND_TIME = (1, "LogAppendTime")

    _id: int
    _name: str

    def __init__(self, id_: int, name: str) -> None:
        """:origin: common.record.TimestampType#TimestampType(int, String)"""
        self._id = id_
        self._name = name

    @staticmethod
    def for_name(name: str) -> TimestampType:
        """Return the type named ``name``. Raises NoSuchElementException.

        :origin: common.record.TimestampType#forName(String)
        """
        for t in TimestampType:
            if t._name == name:
                return t
        raise NoSuchElementException(f"Invalid timestamp type {name}")

    def __str__(self) -> str:
        """:origin: common.record.TimestampType#toString()"""
        return self._name
