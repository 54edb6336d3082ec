# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.LazyDownConversionRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records that are converted to an older format while they are sent. Only a part is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator as _Iterator
from typing import TYPE_CHECKING

from kreactor.common.record.base_records import BaseRecords
from kreactor.common.record.converted_records import ConvertedRecords
from kreactor.common.record.lazy_down_conversion_records_send import LazyDownConversionRecordsSend
from kreactor.common.record.records_util import MAX_CONVERTED_RECORDS, RecordsUtil
from kreactor.common.utils.abstract_iterator import AbstractIterator

if TYPE_CHECKING:
    from kreactor.common.record.record_batch import RecordBatch
    from kreactor.common.record.records import Records
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.common.utils.time import Time


class LazyDownConversionRecords(BaseRecords):
    """Announces the size of the original records, and sends exactly that many bytes. Used by one thread.

    If the converted records are smaller, the beginning of a batch fills the rest. A client ignores that
    batch.

    :origin: common.record.LazyDownConversionRecords
    """

    __slots__ = ("_topic_partition", "_records", "_to_magic", "_first_offset", "_first_converted_batch",
                 "_size_in_bytes", "_time")

    def __init__(self, topic_partition: TopicPartition, records: Records, to_magic: int, first_offset: int,
                 time: Time) -> None:
        """Convert the first batch now, because the announced size must cover it: a client needs one complete
        batch.

        RecordsUtil.down_convert explains ``first_offset``. Raises UnsupportedCompressionTypeException if the
        codec of the first batch does not allow conversion. The caller can still respond with an error then.

        :origin: common.record.LazyDownConversionRecords#LazyDownConversionRecords(TopicPartition, Records, byte, long, Time)
        """  # noqa: E501
        self._topic_partition = topic_partition
        self._records = records
        self._to_magic = to_magic
        self._first_offset = first_offset
        self._time = time
        self._first_converted_batch: ConvertedRecords[Records] | None = None

        it = self.iterator(0)
        first_converted_batch = next(it, None)
        if first_converted_batch is not None:
            self._first_converted_batch = first_converted_batch
            self._size_in_bytes = max(records.size_in_bytes(),
                                      first_converted_batch.records().size_in_bytes())
        else:
            # Either no record survived the conversion, or the fetch has no records. In the first case a
            # partial batch tells the client to raise its fetch size. In the second case the response is
            # empty.
            self._size_in_bytes = (LazyDownConversionRecordsSend.MIN_OVERFLOW_MESSAGE_LENGTH
                                   if next(iter(records.batches()), None) is not None else 0)

    def size_in_bytes(self) -> int:
        """:origin: common.record.LazyDownConversionRecords#sizeInBytes()"""
        return self._size_in_bytes

    def to_send(self) -> LazyDownConversionRecordsSend:
        """:origin: common.record.LazyDownConversionRecords#toSend()"""
        return LazyDownConversionRecordsSend(self)

    def topic_partition(self) -> TopicPartition:
        """Return the partition of the records.

        :origin: common.record.LazyDownConversionRecords#topicPartition()
        """
        return self._topic_partition

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.LazyDownConversionRecords#equals(Object)"""
        if isinstance(other, LazyDownConversionRecords):
            return (self._to_magic == other._to_magic and self._first_offset == other._first_offset
                    and self._topic_partition == other._topic_partition and self._records == other._records)
        return False

    def __hash__(self) -> int:
        """:origin: common.record.LazyDownConversionRecords#hashCode()"""
        return hash((self._to_magic, self._first_offset, self._topic_partition, self._records))

    def __str__(self) -> str:
        """:origin: common.record.LazyDownConversionRecords#toString()"""
        return (f"LazyDownConversionRecords(size={self._size_in_bytes}, underlying={self._records}, "
                f"toMagic={self._to_magic}, firstOffset={self._first_offset})")

    __repr__ = __str__

    def iterator(self, maximum_read_size: int) -> _Iterator[ConvertedRecords[Records]]:
        """Return an iterator of converted records.

        Each item covers about ``maximum_read_size`` bytes or one batch.

        The first call takes over the batch that the constructor converted.

        :origin: common.record.LazyDownConversionRecords#iterator(long)
        """
        first_batch, self._first_converted_batch = self._first_converted_batch, None
        return LazyDownConversionRecords.Iterator(self, maximum_read_size, first_batch)

    class Iterator(AbstractIterator[ConvertedRecords["Records"]]):
        """Iterates over the batches and converts a group at a time.

        :origin: common.record.LazyDownConversionRecords.Iterator
        """

        __slots__ = ("_outer", "_batch_iterator", "_maximum_read_size", "_first_converted_batch")

        def __init__(self, outer: LazyDownConversionRecords, maximum_read_size: int,
                     first_converted_batch: ConvertedRecords[Records] | None) -> None:
            """:origin: common.record.LazyDownConversionRecords.Iterator#Iterator(Records, long, ConvertedRecords<?>)"""  # noqa: E501
            super().__init__()
            self._outer = outer
            self._batch_iterator = outer._records.batch_iterator()
            self._maximum_read_size = maximum_read_size
            self._first_converted_batch = first_converted_batch
            if first_converted_batch is not None:
                self._batch_iterator.next()

        def make_next(self) -> ConvertedRecords[Records] | None:
            """:origin: common.record.LazyDownConversionRecords.Iterator#makeNext()"""
            if self._first_converted_batch is not None:
                converted_batch, self._first_converted_batch = self._first_converted_batch, None
                return converted_batch

            batch_iterator = self._batch_iterator
            while batch_iterator.has_next():
                batches: list[RecordBatch] = []
                is_first_batch = True
                size_so_far = 0
                # DEVIATION D486: a group has a maximum of records, too.
                count_so_far = 0

                while batch_iterator.has_next() and (
                        is_first_batch
                        or batch_iterator.peek().size_in_bytes() + size_so_far <= self._maximum_read_size
                        and (batch_iterator.peek().count_or_null() or 0) + count_so_far
                        <= MAX_CONVERTED_RECORDS):
                    current_batch = batch_iterator.next()
                    batches.append(current_batch)
                    size_so_far += current_batch.size_in_bytes()
                    count_so_far += current_batch.count_or_null() or 0
                    is_first_batch = False

                converted_records = RecordsUtil.down_convert(
                    batches, self._outer._to_magic, self._outer._first_offset, self._outer._time)
                # Some batches, such as control batches, have no equivalent. The loop then takes the next
                # ones.
                if converted_records.records().size_in_bytes() > 0:
                    return converted_records
            self.all_done()
            return None
