# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.ConfigResource of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The resources that have configurations."""

from __future__ import annotations

from enum import Enum


class ConfigResource:
    """A topic, a broker or another resource with settings. Immutable.

    :origin: common.config.ConfigResource
    """

    __slots__ = ("_type", "_name")

    class Type(Enum):
        """The types of resources. The value is the id on the wire.

        :origin: common.config.ConfigResource.Type
        :origin: common.config.ConfigResource.Type#Type(byte)
        """

        CLIENT_METRICS = 16
        BROKER_LOGGER = 8
        BROKER = 4
        TOPIC = 2
        UNKNOWN = 0

        def id(self) -> int:
            """Return the id on the wire.

            :origin: common.config.ConfigResource.Type#id()
            """
            return int(self.value)

        @staticmethod
        def for_id(id_: int) -> ConfigResource.Type:
            """Return the type with this id, or UNKNOWN.

            :origin: common.config.ConfigResource.Type#forId(byte)
            """
            try:
                return ConfigResource.Type(id_)
            except ValueError:
                return ConfigResource.Type.UNKNOWN

    def __init__(self, type_: ConfigResource.Type, name: str) -> None:
        """Keep type and name. An empty name means the default of all resources of the type.

        :origin: common.config.ConfigResource#ConfigResource(Type, String)
        """
        if type_ is None:
            raise TypeError("type should not be null")
        if name is None:
            raise TypeError("name should not be null")
        self._type = type_
        self._name = name

    def type(self) -> ConfigResource.Type:
        """Return the type.

        :origin: common.config.ConfigResource#type()
        """
        return self._type

    def name(self) -> str:
        """Return the name.

        :origin: common.config.ConfigResource#name()
        """
        return self._name

    def is_default(self) -> bool:
        """Return whether this is the default of all resources of the type.

        :origin: common.config.ConfigResource#isDefault()
        """
        return not self._name

    def __eq__(self, other: object) -> bool:
        """Compare types and names.

        :origin: common.config.ConfigResource#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, ConfigResource):
            return False
        return self._type is other._type and self._name == other._name

    def __hash__(self) -> int:
        """Hash type and name.

        :origin: common.config.ConfigResource#hashCode()
        """
        return hash((self._type, self._name))

    def __str__(self) -> str:
        """Return type and name.

        :origin: common.config.ConfigResource#toString()
        """
        return f"ConfigResource(type={self._type.name}, name='{self._name}')"

    __repr__ = __str__
