# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A record of a group: a key, and a value. A record without a value is a tombstone of the key."""

from __future__ import annotations

from kreactor.server.common.api_message_and_version import ApiMessageAndVersion


class CoordinatorRecord:
    """:origin: coordinator.group.CoordinatorRecord"""

    __slots__ = ("_key", "_value")

    def __init__(self, key: ApiMessageAndVersion, value: ApiMessageAndVersion | None) -> None:
        """
        :origin: coordinator.group.CoordinatorRecord#CoordinatorRecord(ApiMessageAndVersion, ApiMessageAndVersion)
        """  # noqa: E501
        self._key = key
        self._value = value

    def key(self) -> ApiMessageAndVersion:
        """:origin: coordinator.group.CoordinatorRecord#key()"""
        return self._key

    def value(self) -> ApiMessageAndVersion | None:
        """Return the value, None for a tombstone.

        :origin: coordinator.group.CoordinatorRecord#value()
        """
        return self._value

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.CoordinatorRecord#equals(Object)"""
        if not isinstance(other, CoordinatorRecord):
            return NotImplemented
        return self._key == other._key and self._value == other._value

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.CoordinatorRecord#toString()"""
        return f"CoordinatorRecord(key={self._key}, value={self._value})"
