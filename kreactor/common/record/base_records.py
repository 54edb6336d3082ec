# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.BaseRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records as far as a response knows them: they have a size and can be sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kreactor.common.record.records_send import RecordsSend


class BaseRecords(ABC):
    """Records in memory, in a file, or yet to be converted.

    :origin: common.record.BaseRecords
    """

    __slots__ = ()

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Return the size of all records in bytes.

        :origin: common.record.BaseRecords#sizeInBytes()
        """

    # Any: which records it sends is known where it was made.
    @abstractmethod
    def to_send(self) -> RecordsSend[Any]:
        """Return a send of them, not begun.

        :origin: common.record.BaseRecords#toSend()
        """
