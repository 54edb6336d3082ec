# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Send of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send has its destination channel; from 2.8 on, only NetworkSend has it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.network.transferable_channel import TransferableChannel


class Send(ABC):
    """Outgoing bytes. Owner: one network thread at a time.

    :origin: 0.10.2.2 common.network.Send
    """

    __slots__ = ()

    @abstractmethod
    def destination(self) -> str:
        """Return the id of the channel.

        :origin: 0.10.2.2 common.network.Send#destination()
        """

    @abstractmethod
    def completed(self) -> bool:
        """Return whether every byte is written, including pending writes of the channel.

        :origin: 0.10.2.2 common.network.Send#completed()
        """

    @abstractmethod
    def write_to(self, channel: TransferableChannel) -> int:
        """Write as many bytes as ``channel`` takes now; return the number written. Raises OSError.

        :origin: 0.10.2.2 common.network.Send#writeTo(GatheringByteChannel)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the total size in bytes, independent of the written bytes.

        :origin: 0.10.2.2 common.network.Send#size()
        """
