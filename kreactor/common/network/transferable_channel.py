# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.TransferableChannel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The channel that a send writes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Sequence

from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel


class TransferableChannel(ABC):
    """A channel that takes bytes from buffers and from files.

    :origin: common.network.TransferableChannel
    """

    __slots__ = ()

    @abstractmethod
    def write(self, src: ByteBuffer) -> int:
        """Write from ``src``; return the bytes taken, 0 if there is no room now. Raises OSError."""

    @abstractmethod
    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """Write from ``srcs`` in order; return the bytes taken in all. Raises OSError."""

    @abstractmethod
    def has_pending_writes(self) -> bool:
        """Return whether bytes that were taken have not reached the socket yet, as under TLS.

        :origin: common.network.TransferableChannel#hasPendingWrites()
        """

    @abstractmethod
    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        """Write up to ``count`` bytes of ``file_channel`` from ``position``; return the bytes taken.

        Plain sockets do it in the kernel. Raises OSError.

        :origin: common.network.TransferableChannel#transferFrom(FileChannel, long, long)
        """
