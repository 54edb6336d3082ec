# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.Records of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The records of a log, in memory or in a file: a sequence of batches.

Every batch begins with its last or first offset (8 bytes; the last below magic 2) and the size of what
follows (4 bytes). The magic stands at the same place in every format, 4 bytes after the size.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kreactor.common.record.transferable_records import TransferableRecords

if TYPE_CHECKING:
    from kreactor.common.record.converted_records import ConvertedRecords
    from kreactor.common.record.record import Record
    from kreactor.common.record.record_batch import RecordBatch
    from kreactor.common.utils.abstract_iterator import AbstractIterator
    from kreactor.common.utils.time import Time


class Records(TransferableRecords):
    """Batches, each of which is whole; what is left at the end may be part of one.

    :origin: common.record.Records
    """

    __slots__ = ()

    OFFSET_OFFSET = 0
    OFFSET_LENGTH = 8
    SIZE_OFFSET = OFFSET_OFFSET + OFFSET_LENGTH
    SIZE_LENGTH = 4
    LOG_OVERHEAD = SIZE_OFFSET + SIZE_LENGTH

    MAGIC_OFFSET = LOG_OVERHEAD + 4
    MAGIC_LENGTH = 1
    HEADER_SIZE_UP_TO_MAGIC = MAGIC_OFFSET + MAGIC_LENGTH

    @abstractmethod
    def batches(self) -> Iterable[RecordBatch]:
        """Return the batches; iterating reads their headers anew each time.

        :origin: common.record.Records#batches()
        """

    # The type of the batches is the implementation's to narrow, as behind Java's wildcard.
    @abstractmethod
    def batch_iterator(self) -> AbstractIterator[RecordBatch]:
        """Return an iterator over the batches that can look ahead.

        :origin: common.record.Records#batchIterator()
        """

    @abstractmethod
    def last_batch(self) -> RecordBatch | None:
        """Return the last batch, or None, going through all.

        :origin: common.record.Records#lastBatch()
        """

    @abstractmethod
    def has_matching_magic(self, magic: int) -> bool:
        """Return whether every batch is of this format.

        :origin: common.record.Records#hasMatchingMagic(byte)
        """

    @abstractmethod
    def down_convert(self, to_magic: int, first_offset: int, time: Time) -> ConvertedRecords[Records]:
        """Return the records in a format of ``to_magic`` or older, without what that cannot hold.

        ``first_offset`` matters as RecordsUtil.down_convert says.

        :origin: common.record.Records#downConvert(byte, long, Time)
        """

    @abstractmethod
    def records(self) -> Iterable[Record]:
        """Return the records of all batches; iterating decompresses.

        :origin: common.record.Records#records()
        """
