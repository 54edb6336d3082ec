# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.HostResolver of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface by which a client resolves host names."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.jdk.net import InetAddress


class HostResolver(ABC):
    """:origin: clients.HostResolver"""

    @abstractmethod
    def resolve(self, host: str) -> list[InetAddress]:
        """Return the addresses of a host name. Raises OSError if it has none.

        :origin: clients.HostResolver#resolve(String)
        """
