# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.BaseRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of records in a response: a size, and a send."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kreactor.common.record.records_send import RecordsSend


class BaseRecords(ABC):
    """Records in memory, in a file, or converted while they are sent.

    :origin: common.record.BaseRecords
    """

    __slots__ = ()

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Return the size of all records in bytes.

        :origin: common.record.BaseRecords#sizeInBytes()
        """

    # Any, because only the code that creates the records knows their type.
    @abstractmethod
    def to_send(self) -> RecordsSend[Any]:
        """Return a new send of the records.

        :origin: common.record.BaseRecords#toSend()
        """
