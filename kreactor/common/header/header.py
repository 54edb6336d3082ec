# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.header.Header of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a header."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Header(ABC):
    """One header of a record. Its visible state is immutable.

    :origin: common.header.Header
    """

    __slots__ = ()

    @abstractmethod
    def key(self) -> str:
        """Return the name, which need not be unique within a record.

        :origin: common.header.Header#key()
        """

    @abstractmethod
    def value(self) -> bytes | None:
        """Return the bytes, or None.

        :origin: common.header.Header#value()
        """
