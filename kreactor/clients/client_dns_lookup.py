# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClientDnsLookup of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The choice of a host name's addresses that a client tries."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class ClientDnsLookup(Enum):
    """The values of ``client.dns.lookup``.

    :origin: clients.ClientDnsLookup
    """

    USE_ALL_DNS_IPS = "use_all_dns_ips"
    RESOLVE_CANONICAL_BOOTSTRAP_SERVERS_ONLY = "resolve_canonical_bootstrap_servers_only"

    def __str__(self) -> str:
        """Return the value of the setting.

        :origin: clients.ClientDnsLookup#toString()
        """
        return self.value

    @staticmethod
    def for_config(config: str) -> ClientDnsLookup:
        """Return the member of a setting's value, ignoring case.

        Raises IllegalArgumentException for other values.

        :origin: clients.ClientDnsLookup#forConfig(String)
        """
        try:
            return ClientDnsLookup[config.upper()]
        except KeyError:
            raise IllegalArgumentException(
                f"No enum constant org.apache.kafka.clients.ClientDnsLookup.{config.upper()}") from None
