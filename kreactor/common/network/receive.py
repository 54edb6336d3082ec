# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Receive of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A receive, as a channel sees it: bytes that come in a piece at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.jdk.nio_channels import ScatteringByteChannel


class Receive(ABC):
    """Incoming bytes under way. Used by one network thread at a time.

    :origin: common.network.Receive
    """

    __slots__ = ()

    @abstractmethod
    def source(self) -> str:
        """Return the id of the channel that the bytes come from.

        :origin: common.network.Receive#source()
        """

    @abstractmethod
    def complete(self) -> bool:
        """Return whether every byte is there.

        :origin: common.network.Receive#complete()
        """

    @abstractmethod
    def read_from(self, channel: ScatteringByteChannel) -> int:
        """Read what ``channel`` has now; return the bytes read.

        Raises OSError, EOFException among them if the stream has ended.

        :origin: common.network.Receive#readFrom(ScatteringByteChannel)
        """

    @abstractmethod
    def required_memory_amount_known(self) -> bool:
        """Return whether the size of the payload has been read.

        :origin: common.network.Receive#requiredMemoryAmountKnown()
        """

    @abstractmethod
    def memory_allocated(self) -> bool:
        """Return whether there is memory to read the payload into.

        :origin: common.network.Receive#memoryAllocated()
        """

    @abstractmethod
    def close(self) -> None:
        """Give the memory back."""
