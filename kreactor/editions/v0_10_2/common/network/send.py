# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Send of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send knows the channel that it goes to; from 2.8 on, NetworkSend alone does."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.network.transferable_channel import TransferableChannel


class Send(ABC):
    """Outgoing bytes under way. Used by one network thread at a time.

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
        """Return whether every byte has left, pending writes of the channel included.

        :origin: 0.10.2.2 common.network.Send#completed()
        """

    @abstractmethod
    def write_to(self, channel: TransferableChannel) -> int:
        """Write as much to ``channel`` as it takes now; return the bytes written. Raises OSError.

        :origin: 0.10.2.2 common.network.Send#writeTo(GatheringByteChannel)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the size of the whole in bytes; it does not shrink as bytes leave.

        :origin: 0.10.2.2 common.network.Send#size()
        """
