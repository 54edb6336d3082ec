# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.AddressChangeHostResolver of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A resolver whose answer changes when a test says so."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.clients.host_resolver import HostResolver
from kreactor.jdk.net import InetAddress


class AddressChangeHostResolver(HostResolver):
    """Gives every host the same addresses, and counts how often it is asked."""

    def __init__(self, initial_addresses: Sequence[InetAddress],
                 new_addresses: Sequence[InetAddress]) -> None:
        self._initial_addresses = initial_addresses
        self._new_addresses = new_addresses
        self._use_new_addresses = False
        self._resolution_count = 0

    def resolve(self, host: str) -> list[InetAddress]:
        self._resolution_count += 1
        return list(self._new_addresses if self._use_new_addresses else self._initial_addresses)

    def change_addresses(self) -> None:
        """Answer with the new addresses from now on."""
        self._use_new_addresses = True

    def use_new_addresses(self) -> bool:
        """Return whether the addresses have changed."""
        return self._use_new_addresses

    def resolution_count(self) -> int:
        """Return how often an address was asked for."""
        return self._resolution_count
