# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ListenerName of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The name of a listener and the prefix of the settings that are its own."""

from __future__ import annotations

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.utils import Utils


class ListenerName:
    """Names a listener; usable as a key.

    :origin: common.network.ListenerName
    """

    __slots__ = ("_value",)

    CONFIG_STATIC_PREFIX = "listener.name"

    @staticmethod
    def for_security_protocol(security_protocol: SecurityProtocol) -> ListenerName:
        """Return the listener name that equals the name of ``security_protocol``.

        :origin: common.network.ListenerName#forSecurityProtocol(SecurityProtocol)
        """
        return ListenerName(security_protocol.name)

    @staticmethod
    def normalised(value: str) -> ListenerName:
        """Return ``value`` in upper case as a name. Raises ConfigException if it is blank.

        :origin: common.network.ListenerName#normalised(String)
        """
        if Utils.is_blank(value):
            raise ConfigException("The provided listener name is null or empty string")
        return ListenerName(value.upper())

    def __init__(self, value: str) -> None:
        """:origin: common.network.ListenerName#ListenerName(String)"""
        self._value = value

    def value(self) -> str:
        """Return the name as text.

        :origin: common.network.ListenerName#value()
        """
        return self._value

    def __eq__(self, other: object) -> bool:
        """:origin: common.network.ListenerName#equals(Object)"""
        return isinstance(other, ListenerName) and self._value == other._value

    def __hash__(self) -> int:
        """:origin: common.network.ListenerName#hashCode()"""
        return hash(self._value)

    def __str__(self) -> str:
        """:origin: common.network.ListenerName#toString()"""
        return f"ListenerName({self._value})"

    __repr__ = __str__

    def config_prefix(self) -> str:
        """Return the prefix of the settings of this listener.

        :origin: common.network.ListenerName#configPrefix()
        """
        return f"{self.CONFIG_STATIC_PREFIX}.{self._value.lower()}."

    def sasl_mechanism_config_prefix(self, sasl_mechanism: str) -> str:
        """Return the prefix of the settings of a mechanism on this listener.

        :origin: common.network.ListenerName#saslMechanismConfigPrefix(String)
        """
        return self.config_prefix() + ListenerName.sasl_mechanism_prefix(sasl_mechanism)

    @staticmethod
    def sasl_mechanism_prefix(sasl_mechanism: str) -> str:
        """Return the prefix of the settings of a mechanism.

        :origin: common.network.ListenerName#saslMechanismPrefix(String)
        """
        return sasl_mechanism.lower() + "."
