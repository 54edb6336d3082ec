# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.CipherInformation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cipher and the TLS version of a channel."""

from __future__ import annotations


class CipherInformation:
    """A cipher suite and a protocol version; usable as a key.

    :origin: common.network.CipherInformation
    """

    __slots__ = ("_cipher", "_protocol")

    def __init__(self, cipher: str | None, protocol: str | None) -> None:
        """A missing or empty name becomes ``unknown``.

        :origin: common.network.CipherInformation#CipherInformation(String, String)
        """
        self._cipher = cipher or "unknown"
        self._protocol = protocol or "unknown"

    def cipher(self) -> str:
        """Return the cipher suite.

        :origin: common.network.CipherInformation#cipher()
        """
        return self._cipher

    def protocol(self) -> str:
        """Return the protocol version.

        :origin: common.network.CipherInformation#protocol()
        """
        return self._protocol

    def __str__(self) -> str:
        """:origin: common.network.CipherInformation#toString()"""
        return f"CipherInformation(cipher={self._cipher}, protocol={self._protocol})"

    def __hash__(self) -> int:
        """:origin: common.network.CipherInformation#hashCode()"""
        return hash((self._cipher, self._protocol))

    def __eq__(self, other: object) -> bool:
        """:origin: common.network.CipherInformation#equals(Object)"""
        return (isinstance(other, CipherInformation)
                and other._cipher == self._cipher and other._protocol == self._protocol)
