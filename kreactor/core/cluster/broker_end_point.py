# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.cluster.BrokerEndPoint of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker's id, host and port, as clients of one listener know them."""

from __future__ import annotations

import re

_URI_PARSE_EXP = re.compile(r"\[?([0-9a-zA-Z\-%._:]*)\]?:([0-9]+)")

_MAX_INT = 2**31 - 1


class BrokerEndPoint:
    """A broker's address, without its protocol. Compared by its values.

    :origin: kafka.cluster.BrokerEndPoint
    :origin: kafka.cluster.BrokerEndPoint
    """

    __slots__ = ("_id", "_host", "_port")

    @staticmethod
    def parse_host_port(connection_string: str) -> tuple[str, int] | None:
        """Parse ``host:port`` or ``[ipv6]:port``; None for any other text.

        :origin: kafka.cluster.BrokerEndPoint#parseHostPort
        """
        match = _URI_PARSE_EXP.fullmatch(connection_string)
        if match is None or int(match[2]) > _MAX_INT:
            return None
        return match[1], int(match[2])

    def __init__(self, id: int, host: str, port: int) -> None:
        """:origin: kafka.cluster.BrokerEndPoint#BrokerEndPoint"""
        self._id = id
        self._host = host
        self._port = port

    def id(self) -> int:
        """Return the broker's id.

        :origin: kafka.cluster.BrokerEndPoint#id
        """
        return self._id

    def host(self) -> str:
        """Return the host.

        :origin: kafka.cluster.BrokerEndPoint#host
        """
        return self._host

    def port(self) -> int:
        """Return the port.

        :origin: kafka.cluster.BrokerEndPoint#port
        """
        return self._port

    def __eq__(self, other: object) -> bool:
        """:origin: kafka.cluster.BrokerEndPoint#equals"""
        return (isinstance(other, BrokerEndPoint) and self._id == other._id and self._host == other._host
                and self._port == other._port)

    def __hash__(self) -> int:
        """:origin: kafka.cluster.BrokerEndPoint#hashCode"""
        return hash((self._id, self._host, self._port))

    def __str__(self) -> str:
        """:origin: kafka.cluster.BrokerEndPoint#toString"""
        return f"BrokerEndPoint(id={self._id}, host={self._host}:{self._port})"

    __repr__ = __str__
