# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.Record of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of records of every format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.header.header import Header
    from kreactor.common.record.timestamp_type import TimestampType


class Record(ABC):
    """An offset, a producer's sequence number, a timestamp, a key and a value.

    :origin: common.record.Record
    """

    __slots__ = ()

    EMPTY_HEADERS: ClassVar[Sequence[Header]] = ()

    @abstractmethod
    def offset(self) -> int:
        """Return the offset within the log.

        :origin: common.record.Record#offset()
        """

    @abstractmethod
    def sequence(self) -> int:
        """Return the producer's sequence number, -1 for none.

        :origin: common.record.Record#sequence()
        """

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Return the uncompressed size of the record in its batch, in bytes.

        :origin: common.record.Record#sizeInBytes()
        """

    @abstractmethod
    def timestamp(self) -> int:
        """Return the timestamp in milliseconds, -1 for none.

        :origin: common.record.Record#timestamp()
        """

    @abstractmethod
    def ensure_valid(self) -> None:
        """Raises CorruptRecordException for a wrong checksum.

        Only records below magic 2 have their own checksum.

        :origin: common.record.Record#ensureValid()
        """

    @abstractmethod
    def key_size(self) -> int:
        """Return the size of the key in bytes, -1 for none.

        :origin: common.record.Record#keySize()
        """

    @abstractmethod
    def has_key(self) -> bool:
        """Return whether the record has a key.

        :origin: common.record.Record#hasKey()
        """

    @abstractmethod
    def key(self) -> ByteBuffer | None:
        """Return the key in a new buffer over shared bytes, or None.

        :origin: common.record.Record#key()
        """

    @abstractmethod
    def value_size(self) -> int:
        """Return the size of the value in bytes, -1 for none.

        :origin: common.record.Record#valueSize()
        """

    @abstractmethod
    def has_value(self) -> bool:
        """Return whether the record has a value.

        :origin: common.record.Record#hasValue()
        """

    @abstractmethod
    def value(self) -> ByteBuffer | None:
        """Return the value in a new buffer over shared bytes, or None.

        :origin: common.record.Record#value()
        """

    @abstractmethod
    def has_magic(self, magic: int) -> bool:
        """Return whether the record has this magic. A record of magic 2 accepts any magic from 2 on.

        :origin: common.record.Record#hasMagic(byte)
        """

    @abstractmethod
    def is_compressed(self) -> bool:
        """Return whether the record wraps compressed records; False from magic 2 on.

        :origin: common.record.Record#isCompressed()
        """

    @abstractmethod
    def has_timestamp_type(self, timestamp_type: TimestampType) -> bool:
        """Return whether the record has this timestamp type; False from magic 2 on, where the batch has the
        type.

        :origin: common.record.Record#hasTimestampType(TimestampType)
        """

    @abstractmethod
    def headers(self) -> Sequence[Header]:
        """Return the headers, empty below magic 2.

        :origin: common.record.Record#headers()
        """
