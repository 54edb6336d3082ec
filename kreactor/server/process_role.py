# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.ProcessRole of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The roles of a node of a KRaft cluster."""

from __future__ import annotations

from enum import Enum


class ProcessRole(Enum):
    """A role; the value is its name in ``process.roles``.

    :origin: server.ProcessRole
    """

    BrokerRole = "broker"
    ControllerRole = "controller"

    def __str__(self) -> str:
        """:origin: server.ProcessRole#toString()"""
        return self.value
