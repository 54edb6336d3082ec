# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.UsableBroker of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker on which replicas can be placed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsableBroker:
    """The id, the rack and the fencing of a broker. Immutable.

    :origin: metadata.placement.UsableBroker
    :origin: metadata.placement.UsableBroker#UsableBroker(int, Optional<String>, boolean)
    :origin: metadata.placement.UsableBroker#equals(Object)
    :origin: metadata.placement.UsableBroker#hashCode()
    """

    _id: int
    _rack: str | None
    _fenced: bool

    def id(self) -> int:
        """:origin: metadata.placement.UsableBroker#id()"""
        return self._id

    def rack(self) -> str | None:
        """Return the rack, None if the broker has none.

        :origin: metadata.placement.UsableBroker#rack()
        """
        return self._rack

    def fenced(self) -> bool:
        """:origin: metadata.placement.UsableBroker#fenced()"""
        return self._fenced

    def __str__(self) -> str:
        """:origin: metadata.placement.UsableBroker#toString()"""
        return f"UsableBroker(id={self._id}, rack={self._rack}, fenced={self._fenced})"
