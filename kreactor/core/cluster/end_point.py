# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.cluster.EndPoint of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The bound or advertised address of a listener: host, port, name and protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kreactor.common.endpoint import Endpoint
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException

# Brackets are for an IPv6 address, but the address is not checked. The port may be negative, because tests
# use that.
_URI_PARSE_EXP = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)")

_MAX_INT = 2**31 - 1


class EndPoint:
    """A listener. Immutable; compared by its values.

    :origin: kafka.cluster.EndPoint
    :origin: kafka.cluster.EndPoint
    """

    __slots__ = ("_host", "_port", "_listener_name", "_security_protocol")

    _DEFAULT_SECURITY_PROTOCOL_MAP = {ListenerName.for_security_protocol(sp): sp for sp in SecurityProtocol}

    @staticmethod
    def create_end_point(connection_string: str,
                         security_protocol_map: Mapping[ListenerName, SecurityProtocol] | None) -> EndPoint:
        """Parse ``NAME://host:port``; an empty host means all addresses and becomes None.

        Without ``security_protocol_map``, a listener's name is its protocol. Raises KafkaException for an
        invalid text, and IllegalArgumentException for a name without a protocol.

        :origin: kafka.cluster.EndPoint#createEndPoint
        """
        protocol_map = (EndPoint._DEFAULT_SECURITY_PROTOCOL_MAP if security_protocol_map is None
                        else security_protocol_map)
        match = _URI_PARSE_EXP.fullmatch(connection_string)
        if match is None:
            raise KafkaException(f"Unable to parse {connection_string} to a broker endpoint")
        listener_name_string, host, port_string = match.groups()
        listener_name = ListenerName.normalised(listener_name_string)
        port = int(port_string)
        if not -_MAX_INT - 1 <= port <= _MAX_INT:
            raise IllegalArgumentException(f'For input string: "{port_string}"')
        security_protocol = protocol_map.get(listener_name)
        if security_protocol is None:
            raise IllegalArgumentException(
                f"No security protocol defined for listener {listener_name.value()}")
        return EndPoint(host or None, port, listener_name, security_protocol)

    @staticmethod
    def parse_listener_name(connection_string: str) -> str:
        """Return the name in ``NAME://host:port``, in upper case. Raises KafkaException.

        :origin: kafka.cluster.EndPoint#parseListenerName
        """
        match = _URI_PARSE_EXP.fullmatch(connection_string)
        if match is None:
            raise KafkaException(f"Unable to parse a listener name from {connection_string}")
        return match[1].upper()

    def __init__(self, host: str | None, port: int, listener_name: ListenerName,
                 security_protocol: SecurityProtocol) -> None:
        """``host`` is None for all addresses; ``port`` is 0 for a port that the system chooses.

        :origin: kafka.cluster.EndPoint#EndPoint
        """
        self._host = host
        self._port = port
        self._listener_name = listener_name
        self._security_protocol = security_protocol

    def host(self) -> str | None:
        """Return the host, or None for all addresses.

        :origin: kafka.cluster.EndPoint#host
        """
        return self._host

    def port(self) -> int:
        """Return the port.

        :origin: kafka.cluster.EndPoint#port
        """
        return self._port

    def listener_name(self) -> ListenerName:
        """Return the name.

        :origin: kafka.cluster.EndPoint#listenerName
        """
        return self._listener_name

    def security_protocol(self) -> SecurityProtocol:
        """Return the protocol.

        :origin: kafka.cluster.EndPoint#securityProtocol
        """
        return self._security_protocol

    def copy(self, port: int) -> EndPoint:
        """Return a copy with another ``port``.

        :origin: kafka.cluster.EndPoint#copy
        """
        return EndPoint(self._host, port, self._listener_name, self._security_protocol)

    def connection_string(self) -> str:
        """Return ``NAME://host:port``.

        :origin: kafka.cluster.EndPoint#connectionString
        """
        hostport = f":{self._port}" if self._host is None else Utils.format_address(self._host, self._port)
        return f"{self._listener_name.value()}://{hostport}"

    def to_java(self) -> Endpoint:
        """Convert to the endpoint of plug-ins.

        :origin: kafka.cluster.EndPoint#toJava
        """
        return Endpoint(self._listener_name.value(), self._security_protocol, self._host, self._port)

    def __eq__(self, other: object) -> bool:
        """:origin: kafka.cluster.EndPoint#equals"""
        return (isinstance(other, EndPoint) and self._host == other._host and self._port == other._port
                and self._listener_name == other._listener_name
                and self._security_protocol == other._security_protocol)

    def __hash__(self) -> int:
        """:origin: kafka.cluster.EndPoint#hashCode"""
        return hash((self._host, self._port, self._listener_name, self._security_protocol))

    def __str__(self) -> str:
        """:origin: kafka.cluster.EndPoint#toString"""
        host = "null" if self._host is None else self._host
        return f"EndPoint({host},{self._port},{self._listener_name},{self._security_protocol.name})"

    __repr__ = __str__
