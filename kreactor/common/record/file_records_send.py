# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A send of records that lie in a file, with bytes before and behind them: the answer to most fetches.

DEVIATION D119: what Kafka does with a MultiRecordsSend of three sends. The file goes out inside the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.network.send import Send
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel
    from kreactor.common.record.file_records import FileRecords


class FileRecordsSend(Send):
    """Used by one network thread."""

    __slots__ = ("_head", "_records", "_tail", "_size", "_records_size", "_records_sent", "_remaining",
                 "_pending")

    def __init__(self, head: bytes, records: FileRecords, tail: bytes) -> None:
        """Send all three, in this order."""
        self._head = ByteBuffer.wrap(head)
        self._records = records
        self._tail = ByteBuffer.wrap(tail)
        self._records_size = records.size_in_bytes()
        self._records_sent = 0
        self._size = self._remaining = len(head) + self._records_size + len(tail)
        self._pending = False

    def completed(self) -> bool:
        """Return whether all has left, and nothing waits in the channel."""
        return self._remaining <= 0 and not self._pending

    def size(self) -> int:
        """Return the size of all three."""
        return self._size

    def write_to(self, channel: TransferableChannel) -> int:
        """Write as much as the channel takes. Raises as ``FileRecords.write_to``, besides OSError."""
        # DEVIATION D147: the origin lets each part have packets of its own, and the peer be woken for each.
        channel.hold_packets(True)
        try:
            written = self._write_parts(channel)
        finally:
            channel.hold_packets(False)
        self._remaining -= written
        self._pending = channel.has_pending_writes()
        return written

    def _write_parts(self, channel: TransferableChannel) -> int:
        written = 0
        # Also when all is with the channel but not with the socket: a write of nothing makes it go on.
        if self._records_sent == 0 or self._remaining <= 0:
            written = channel.write(self._head)
            if self._head.has_remaining():
                return written
        unsent = self._records_size - self._records_sent
        if unsent > 0:
            sent = self._records.write_to(channel, self._records_sent, unsent)
            if sent < 0:
                raise EOFException("Wrote negative bytes to channel. This shouldn't happen.")
            self._records_sent += sent
            written += sent
            if sent < unsent:
                return written
        if self._tail.has_remaining():
            written += channel.write(self._tail)
        return written

    def __str__(self) -> str:
        return f"FileRecordsSend(size={self._size}, remaining={self._remaining})"
