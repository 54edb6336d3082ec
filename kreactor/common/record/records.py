# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.Records of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The records of a log, in memory or in a file: a sequence of batches.

Every batch begins with an offset in 8 bytes: the last offset below magic 2, the first one from magic 2 on.
Next come 4 bytes with the size of the rest. The magic is at the same place in every format, 4 bytes after the
size.
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
    """A sequence of complete batches. A partial batch may follow at the end.

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
        """Return the batches. Each iteration reads their headers again.

        :origin: common.record.Records#batches()
        """

    # An implementation may narrow the type of the batches, as with Java's wildcard.
    @abstractmethod
    def batch_iterator(self) -> AbstractIterator[RecordBatch]:
        """Return an iterator over the batches that can look ahead.

        :origin: common.record.Records#batchIterator()
        """

    @abstractmethod
    def last_batch(self) -> RecordBatch | None:
        """Return the last batch, or None. Reads all headers.

        :origin: common.record.Records#lastBatch()
        """

    @abstractmethod
    def has_matching_magic(self, magic: int) -> bool:
        """Return whether every batch has this magic.

        :origin: common.record.Records#hasMatchingMagic(byte)
        """

    @abstractmethod
    def down_convert(self, to_magic: int, first_offset: int, time: Time) -> ConvertedRecords[Records]:
        """Return the records with ``to_magic`` or an older magic, without data that this format lacks.

        RecordsUtil.down_convert explains ``first_offset``.

        :origin: common.record.Records#downConvert(byte, long, Time)
        """

    @abstractmethod
    def records(self) -> Iterable[Record]:
        """Return the records of all batches. Iteration decompresses them.

        :origin: common.record.Records#records()
        """
