# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.FileLogInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A batch in a file, which reads its header and its records on demand.

DEVIATION D50: in Kafka this class is nested in FileLogInputStream, which uses its two subclasses. In Python
the three modules could not import each other. FileLogInputStream has this class as an attribute.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.abstract_record_batch import AbstractRecordBatch
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.records import Records
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.utils.utils import Utils
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.file_records import FileRecords
    from kreactor.common.record.record import Record
    from kreactor.common.record.record_batch import RecordBatch
    from kreactor.common.utils.buffer_supplier import BufferSupplier
    from kreactor.common.utils.closeable_iterator import CloseableIterator

_LOG_OVERHEAD = Records.LOG_OVERHEAD


class FileChannelRecordBatch(AbstractRecordBatch):
    """Has offset, magic, position and size. Reads the header or the whole batch for any other property.

    A property that is not read yet cannot be read after the file is closed. Used by one thread.

    :origin: common.record.FileLogInputStream.FileChannelRecordBatch
    """

    __slots__ = ("_offset", "_magic", "_file_records", "_position", "_batch_size", "_full_batch",
                 "_batch_header")

    def __init__(self, offset: int, magic: int, file_records: FileRecords, position: int,
                 batch_size: int) -> None:
        """``batch_size`` is in bytes, without the log overhead.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#FileChannelRecordBatch(long, byte, FileRecords, int, int)
        """  # noqa: E501
        self._offset = offset
        self._magic = magic
        self._file_records = file_records
        self._position = position
        self._batch_size = batch_size
        self._full_batch: RecordBatch | None = None
        self._batch_header: RecordBatch | None = None

    def compression_type(self) -> CompressionType:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#compressionType()"""
        return self.load_batch_header().compression_type()

    def timestamp_type(self) -> TimestampType:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#timestampType()"""
        return self.load_batch_header().timestamp_type()

    def checksum(self) -> int:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#checksum()"""
        return self.load_batch_header().checksum()

    def max_timestamp(self) -> int:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#maxTimestamp()"""
        return self.load_batch_header().max_timestamp()

    def position(self) -> int:
        """Return the batch's position in the file.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#position()
        """
        return self._position

    def magic(self) -> int:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#magic()"""
        return self._magic

    def __iter__(self) -> Iterator[Record]:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#iterator()"""
        return iter(self.load_full_batch())

    def streaming_iterator(self, decompression_buffer_supplier: BufferSupplier) -> CloseableIterator[Record]:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#streamingIterator(BufferSupplier)"""  # noqa: E501
        return self.load_full_batch().streaming_iterator(decompression_buffer_supplier)

    def is_valid(self) -> bool:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#isValid()"""
        return self.load_full_batch().is_valid()

    def ensure_valid(self) -> None:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#ensureValid()"""
        self.load_full_batch().ensure_valid()

    def size_in_bytes(self) -> int:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#sizeInBytes()"""
        return _LOG_OVERHEAD + self._batch_size

    def write_to(self, buffer: ByteBuffer) -> None:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#writeTo(ByteBuffer)"""
        channel = self._file_records.channel()
        try:
            limit = buffer.limit()
            buffer.set_limit(buffer.position() + self.size_in_bytes())
            Utils.read_fully(channel, buffer, self._position)
            buffer.set_limit(limit)
        except OSError as e:
            raise KafkaException(f"Failed to read record batch at position {self._position} from "
                                 f"{self._file_records}", e) from e

    @abstractmethod
    def to_memory_record_batch(self, buffer: ByteBuffer) -> RecordBatch:
        """Return the batch in ``buffer``, which holds its header or the whole batch.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#toMemoryRecordBatch(ByteBuffer)
        """

    @abstractmethod
    def header_size(self) -> int:
        """Return the size of the header in bytes.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#headerSize()
        """

    def load_full_batch(self) -> RecordBatch:
        """Return the whole batch, read on the first call. Raises KafkaException.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#loadFullBatch()
        """
        full_batch = self._full_batch
        if full_batch is None:
            self._batch_header = None
            self._full_batch = full_batch = self._load_batch_with_size(self.size_in_bytes(),
                                                                       "full record batch")
        return full_batch

    def load_batch_header(self) -> RecordBatch:
        """Return a batch with at least the header, read on the first call. Raises KafkaException.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#loadBatchHeader()
        """
        if self._full_batch is not None:
            return self._full_batch
        batch_header = self._batch_header
        if batch_header is None:
            batch_header = self._load_batch_with_size(self.header_size(), "record batch header")
            self._batch_header = batch_header
        return batch_header

    def _load_batch_with_size(self, size: int, description: str) -> RecordBatch:
        """Read the first ``size`` bytes of the batch. Raises KafkaException.

        :origin: common.record.FileLogInputStream.FileChannelRecordBatch#loadBatchWithSize(int, String)
        """
        channel = self._file_records.channel()
        try:
            buffer = ByteBuffer.allocate(size)
            Utils.read_fully_or_fail(channel, buffer, self._position, description)
            buffer.rewind()
            return self.to_memory_record_batch(buffer)
        except OSError as e:
            raise KafkaException(f"Failed to load record batch at position {self._position} from "
                                 f"{self._file_records}", e) from e

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, FileChannelRecordBatch) or type(self) is not type(other):
            return False
        return (self._offset == other._offset and self._position == other._position
                and self._batch_size == other._batch_size
                and self._file_records.channel() is other._file_records.channel())

    def __hash__(self) -> int:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#hashCode()"""
        return hash((self._offset, id(self._file_records.channel()), self._position, self._batch_size))

    def __str__(self) -> str:
        """:origin: common.record.FileLogInputStream.FileChannelRecordBatch#toString()"""
        return (f"FileChannelRecordBatch(magic: {self._magic}, offset: {self._offset}, "
                f"size: {self._batch_size})")

    __repr__ = __str__
