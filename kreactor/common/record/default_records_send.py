# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.DefaultRecordsSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send of records that need no conversion."""

from __future__ import annotations

from typing import TypeVar

from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.records_send import RecordsSend
from kreactor.common.record.transferable_records import TransferableRecords

T = TypeVar("T", bound=TransferableRecords)


class DefaultRecordsSend(RecordsSend[T]):
    """Writes records with their own ``write_to``. Used by one network thread.

    :origin: common.record.DefaultRecordsSend
    """

    __slots__ = ()

    def __init__(self, records: T, max_bytes_to_write: int | None = None) -> None:
        """Send all of ``records``, or ``max_bytes_to_write`` bytes.

        :origin: common.record.DefaultRecordsSend#DefaultRecordsSend(T)
        :origin: common.record.DefaultRecordsSend#DefaultRecordsSend(T, int)
        """
        if max_bytes_to_write is None:
            max_bytes_to_write = records.size_in_bytes()
        super().__init__(records, max_bytes_to_write)

    def write_to_position(self, channel: TransferableChannel, previously_written: int, remaining: int) -> int:
        """:origin: common.record.DefaultRecordsSend#writeTo(TransferableChannel, int, int)"""
        return self._records.write_to(channel, previously_written, remaining)
