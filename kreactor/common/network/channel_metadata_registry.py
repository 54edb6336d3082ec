# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelMetadataRegistry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Counts channels by their cipher and their client software."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation


class ChannelMetadataRegistry(ABC):
    """Keeps the cipher and the client software of one channel. Owned by its network thread.

    :origin: common.network.ChannelMetadataRegistry
    """

    __slots__ = ()

    @abstractmethod
    def register_cipher_information(self, cipher_information: CipherInformation) -> None:
        """Note the cipher; a later one takes its place.

        :origin: common.network.ChannelMetadataRegistry#registerCipherInformation(CipherInformation)
        """

    @abstractmethod
    def cipher_information(self) -> CipherInformation | None:
        """Return the cipher, or None if none is known.

        :origin: common.network.ChannelMetadataRegistry#cipherInformation()
        """

    @abstractmethod
    def register_client_information(self, client_information: ClientInformation) -> None:
        """Note the software; a client may name it never, once or again, and the last one counts.

        :origin: common.network.ChannelMetadataRegistry#registerClientInformation(ClientInformation)
        """

    @abstractmethod
    def client_information(self) -> ClientInformation | None:
        """Return the software, or None if none was registered.

        :origin: common.network.ChannelMetadataRegistry#clientInformation()
        """

    @abstractmethod
    def close(self) -> None:
        """Forget both, and stop counting them.

        :origin: common.network.ChannelMetadataRegistry#close()
        """
