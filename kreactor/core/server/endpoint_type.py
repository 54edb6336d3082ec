# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.admin.EndpointType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The kind of server at an address."""

from __future__ import annotations

from enum import Enum


class EndpointType(Enum):
    """The kind of server. Its value is the id on the wire. Kafka's class is the admin client's, which no
    broker imports here.

    :origin: clients.admin.EndpointType
    """

    UNKNOWN = 0
    BROKER = 1
    CONTROLLER = 2

    def id(self) -> int:
        """Return the id.

        :origin: clients.admin.EndpointType#id()
        """
        return int(self.value)

    @staticmethod
    def from_id(id_: int) -> EndpointType:
        """Return the type of an id, UNKNOWN for an unknown id.

        :origin: clients.admin.EndpointType#fromId(byte)
        """
        if id_ == EndpointType.BROKER.value:
            return EndpointType.BROKER
        if id_ == EndpointType.CONTROLLER.value:
            return EndpointType.CONTROLLER
        return EndpointType.UNKNOWN
