# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.DefaultChannelMetadataRegistry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A registry that counts nothing, for channels outside a selector."""

from __future__ import annotations

from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation


class DefaultChannelMetadataRegistry(ChannelMetadataRegistry):
    """Just keeps what it is told. Owned by the channel's network thread.

    :origin: common.network.DefaultChannelMetadataRegistry
    """

    __slots__ = ("_cipher_information", "_client_information")

    def __init__(self) -> None:
        self._cipher_information: CipherInformation | None = None
        self._client_information: ClientInformation | None = None

    def register_cipher_information(self, cipher_information: CipherInformation) -> None:
        """Replace the cipher, but only where there is one: the origin never takes a first one, nor do we.

        :origin: common.network.DefaultChannelMetadataRegistry#registerCipherInformation(
            CipherInformation)
        """
        if self._cipher_information is not None:
            self._cipher_information = cipher_information

    def cipher_information(self) -> CipherInformation | None:
        """:origin: common.network.DefaultChannelMetadataRegistry#cipherInformation()"""
        return self._cipher_information

    def register_client_information(self, client_information: ClientInformation) -> None:
        """Replace the software.

        :origin: common.network.DefaultChannelMetadataRegistry#registerClientInformation(
            ClientInformation)
        """
        self._client_information = client_information

    def client_information(self) -> ClientInformation | None:
        """:origin: common.network.DefaultChannelMetadataRegistry#clientInformation()"""
        return self._client_information

    def close(self) -> None:
        """:origin: common.network.DefaultChannelMetadataRegistry#close()"""
        self._cipher_information = None
        self._client_information = None
