# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.RecordsSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of the sends of records."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.base_records import BaseRecords
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer

T = TypeVar("T", bound=BaseRecords)

_EMPTY_BYTE_BUFFER = ByteBuffer.allocate(0)


class RecordsSend(Send, Generic[T]):
    """Counts the bytes left to write. Used by one network thread.

    :origin: common.record.RecordsSend
    """

    __slots__ = ("_records", "_max_bytes_to_write", "_remaining", "_pending")

    def __init__(self, records: T, max_bytes_to_write: int) -> None:
        """Send ``max_bytes_to_write`` bytes of ``records``.

        :origin: common.record.RecordsSend#RecordsSend(T, int)
        """
        self._records = records
        self._max_bytes_to_write = max_bytes_to_write
        self._remaining = max_bytes_to_write
        self._pending = False

    def completed(self) -> bool:
        """:origin: common.record.RecordsSend#completed()"""
        return self._remaining <= 0 and not self._pending

    def write_to(self, channel: TransferableChannel) -> int:
        """:origin: common.record.RecordsSend#writeTo(TransferableChannel)"""
        written = 0
        if self._remaining > 0:
            written = self.write_to_position(channel, self._max_bytes_to_write - self._remaining,
                                             self._remaining)
            if written < 0:
                raise EOFException("Wrote negative bytes to channel. This shouldn't happen.")
            self._remaining -= written
        self._pending = channel.has_pending_writes()
        # The channel has all bytes but the socket does not. An empty write makes the channel continue.
        if self._remaining <= 0 and self._pending:
            channel.write(_EMPTY_BYTE_BUFFER)
        return written

    def size(self) -> int:
        """:origin: common.record.RecordsSend#size()"""
        return self._max_bytes_to_write

    def records(self) -> T:
        """Return the records of this send.

        :origin: common.record.RecordsSend#records()
        """
        return self._records

    @abstractmethod
    def write_to_position(self, channel: TransferableChannel, previously_written: int, remaining: int) -> int:
        """Write up to ``remaining`` bytes after the first ``previously_written`` bytes.

        The first call has 0 and the total size. Each later call continues after the results of the earlier
        ones. Returns the number of bytes that the channel accepted. Raises OSError.

        :origin: common.record.RecordsSend#writeTo(TransferableChannel, int, int)
        """
