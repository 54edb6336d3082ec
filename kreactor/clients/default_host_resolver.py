# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.DefaultHostResolver of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The host resolver that uses the system's resolver, which may block."""

from __future__ import annotations

from kreactor.clients.host_resolver import HostResolver
from kreactor.jdk.net import InetAddress


class DefaultHostResolver(HostResolver):
    """:origin: clients.DefaultHostResolver"""

    def resolve(self, host: str) -> list[InetAddress]:
        """Return the addresses of a host name, in the system's order. Raises OSError.

        :origin: clients.DefaultHostResolver#resolve(String)
        """
        return InetAddress.get_all_by_name(host)
