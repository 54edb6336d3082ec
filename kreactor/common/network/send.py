# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Send of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send, as a channel sees it: bytes that go out a piece at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel


class Send(ABC):
    """Outgoing bytes under way. Used by one network thread at a time.

    :origin: common.network.Send
    """

    __slots__ = ()

    @abstractmethod
    def completed(self) -> bool:
        """Return whether every byte has left, pending writes of the channel included.

        :origin: common.network.Send#completed()
        """

    @abstractmethod
    def write_to(self, channel: TransferableChannel) -> int:
        """Write as much to ``channel`` as it takes now; return the bytes written. Raises OSError.

        :origin: common.network.Send#writeTo(TransferableChannel)
        """

    @abstractmethod
    def size(self) -> int:
        """Return the size of the whole in bytes; it does not shrink as bytes leave.

        :origin: common.network.Send#size()
        """
