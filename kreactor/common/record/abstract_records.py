# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.AbstractRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of all sequences of batches, and estimates of the size of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.default_records_send import DefaultRecordsSend
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.common.header.header import Header
    from kreactor.common.record.record import Record
    from kreactor.common.record.simple_record import SimpleRecord


class AbstractRecords(Records):
    """Base of all sequences of batches.

    :origin: common.record.AbstractRecords
    """

    __slots__ = ()

    def has_matching_magic(self, magic: int) -> bool:
        """:origin: common.record.AbstractRecords#hasMatchingMagic(byte)"""
        for batch in self.batches():
            if batch.magic() != magic:
                return False
        return True

    def first_batch(self) -> RecordBatch | None:
        """Return the first batch, or None.

        :origin: common.record.AbstractRecords#firstBatch()
        """
        for batch in self.batches():
            return batch
        return None

    def last_batch(self) -> RecordBatch | None:
        """:origin: common.record.AbstractRecords#lastBatch()"""
        batch = None
        for batch in self.batches():
            pass
        return batch

    def records(self) -> Iterable[Record]:
        """:origin: common.record.AbstractRecords#records()"""
        return _DeepRecords(self)

    def to_send(self) -> DefaultRecordsSend[Records]:
        """:origin: common.record.AbstractRecords#toSend()"""
        return DefaultRecordsSend(self)

    def _records_iterator(self) -> Iterator[Record]:
        """Yield the records of each batch in order.

        :origin: common.record.AbstractRecords#recordsIterator()
        """
        for batch in self.batches():
            yield from batch

    @staticmethod
    def estimate_size_in_bytes_from(magic: int, base_offset: int, compression_type: CompressionType,
                                    records: Iterable[Record]) -> int:
        """Estimate the size in bytes of records written from ``base_offset`` on.

        :origin: common.record.AbstractRecords#estimateSizeInBytes(byte, long, CompressionType, Iterable<Record>)
        """  # noqa: E501
        size = 0
        if magic <= RecordBatch.MAGIC_VALUE_V1:
            for record in records:
                size += Records.LOG_OVERHEAD + LegacyRecord.record_size(magic, record.key(), record.value())
        else:
            size = DefaultRecordBatch.size_in_bytes_from(base_offset, records)
        return AbstractRecords._estimate_compressed_size_in_bytes(size, compression_type)

    @staticmethod
    def estimate_size_in_bytes(magic: int, compression_type: CompressionType,
                               records: Sequence[SimpleRecord]) -> int:
        """Estimate the size of records in bytes. The estimate is exact without compression.

        :origin: common.record.AbstractRecords#estimateSizeInBytes(byte, CompressionType, Iterable<SimpleRecord>)
        """  # noqa: E501
        size = 0
        if magic <= RecordBatch.MAGIC_VALUE_V1:
            for record in records:
                size += Records.LOG_OVERHEAD + LegacyRecord.record_size(magic, record.key(), record.value())
        else:
            size = DefaultRecordBatch.size_in_bytes_of(records)
        return AbstractRecords._estimate_compressed_size_in_bytes(size, compression_type)

    @staticmethod
    def _estimate_compressed_size_in_bytes(size: int, compression_type: CompressionType) -> int:
        """Estimate the compressed size as half of ``size``, between 1 and 64 KB.

        :origin: common.record.AbstractRecords#estimateCompressedSizeInBytes(int, CompressionType)
        """
        return size if compression_type is CompressionType.NONE else min(max(size // 2, 1024), 1 << 16)

    @staticmethod
    def estimate_size_in_bytes_upper_bound(magic: int, compression_type: CompressionType,
                                           key: ByteBuffer | BytesLike | None,
                                           value: ByteBuffer | BytesLike | None,
                                           headers: Sequence[Header]) -> int:
        """Return the maximum size of a batch with this one record, without a codec's overhead.

        :origin: common.record.AbstractRecords#estimateSizeInBytesUpperBound(byte, CompressionType, byte[], byte[], Header[])
        :origin: common.record.AbstractRecords#estimateSizeInBytesUpperBound(byte, CompressionType, ByteBuffer, ByteBuffer, Header[])
        """  # noqa: E501
        if magic >= RecordBatch.MAGIC_VALUE_V2:
            return DefaultRecordBatch.estimate_batch_size_upper_bound(key, value, headers)
        elif compression_type is not CompressionType.NONE:
            return (Records.LOG_OVERHEAD + LegacyRecord.record_overhead(magic)
                    + LegacyRecord.record_size(magic, key, value))
        else:
            return Records.LOG_OVERHEAD + LegacyRecord.record_size(magic, key, value)

    @staticmethod
    def record_batch_header_size_in_bytes(magic: int, compression_type: CompressionType) -> int:
        """Return the size of the header that precedes the records of a batch.

        Returns 0 below magic 2 without compression, because every record then has its own header and
        MemoryRecordsBuilder writes nothing before the first record.

        :origin: common.record.AbstractRecords#recordBatchHeaderSizeInBytes(byte, CompressionType)
        """
        if magic > RecordBatch.MAGIC_VALUE_V1:
            return DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        elif compression_type is not CompressionType.NONE:
            return Records.LOG_OVERHEAD + LegacyRecord.record_overhead(magic)
        else:
            return 0


class _DeepRecords:
    """An iterable over the records, which can be iterated more than once."""

    __slots__ = ("_records",)

    def __init__(self, records: AbstractRecords) -> None:
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        return self._records._records_iterator()
