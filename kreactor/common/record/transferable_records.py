# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.TransferableRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of records that can be written to a channel from any position."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.record.base_records import BaseRecords

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel


class TransferableRecords(BaseRecords):
    """Records that need no conversion.

    :origin: common.record.TransferableRecords
    """

    __slots__ = ()

    @abstractmethod
    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """Write up to ``length`` bytes from ``position``; return the number that the channel accepted.

        Raises OSError.

        :origin: common.record.TransferableRecords#writeTo(TransferableChannel, int, int)
        """
