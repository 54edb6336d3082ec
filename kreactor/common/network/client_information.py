# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ClientInformation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The software on the other end of a channel (KIP-511)."""

from __future__ import annotations


class ClientInformation:
    """The name and version that a client gave with ApiVersions; usable as a key.

    :origin: common.network.ClientInformation
    """

    __slots__ = ("_software_name", "_software_version")

    UNKNOWN_NAME_OR_VERSION = "unknown"
    EMPTY: ClientInformation

    def __init__(self, software_name: str, software_version: str) -> None:
        """An empty name or version becomes ``unknown``.

        :origin: common.network.ClientInformation#ClientInformation(String, String)
        """
        self._software_name = software_name or ClientInformation.UNKNOWN_NAME_OR_VERSION
        self._software_version = software_version or ClientInformation.UNKNOWN_NAME_OR_VERSION

    def software_name(self) -> str:
        """Return the name.

        :origin: common.network.ClientInformation#softwareName()
        """
        return self._software_name

    def software_version(self) -> str:
        """Return the version.

        :origin: common.network.ClientInformation#softwareVersion()
        """
        return self._software_version

    def __str__(self) -> str:
        """:origin: common.network.ClientInformation#toString()"""
        return (f"ClientInformation(softwareName={self._software_name}, "
                f"softwareVersion={self._software_version})")

    def __hash__(self) -> int:
        """:origin: common.network.ClientInformation#hashCode()"""
        return hash((self._software_name, self._software_version))

    def __eq__(self, other: object) -> bool:
        """:origin: common.network.ClientInformation#equals(Object)"""
        return (isinstance(other, ClientInformation) and other._software_name == self._software_name
                and other._software_version == self._software_version)


ClientInformation.EMPTY = ClientInformation(
    ClientInformation.UNKNOWN_NAME_OR_VERSION, ClientInformation.UNKNOWN_NAME_OR_VERSION)
