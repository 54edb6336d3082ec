# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.types.Password of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A secret that logs do not show by accident."""

from __future__ import annotations


class Password:
    """A text whose ``str`` is a placeholder. Immutable.

    :origin: common.config.types.Password
    """

    __slots__ = ("_value",)

    HIDDEN = "[hidden]"

    def __init__(self, value: str) -> None:
        """Keep ``value``.

        :origin: common.config.types.Password#Password(String)
        """
        self._value = value

    def __hash__(self) -> int:
        """Hash the text.

        :origin: common.config.types.Password#hashCode()
        """
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        """Compare the texts.

        :origin: common.config.types.Password#equals(Object)
        """
        return isinstance(other, Password) and self._value == other._value

    def __str__(self) -> str:
        """Return the same placeholder for every secret.

        :origin: common.config.types.Password#toString()
        """
        return Password.HIDDEN

    __repr__ = __str__

    def value(self) -> str:
        """Return the text.

        :origin: common.config.types.Password#value()
        """
        return self._value
