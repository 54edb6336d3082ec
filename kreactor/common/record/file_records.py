# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.FileRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Batches in a file: a segment of a log, or a slice of one.

Threads: one thread at a time appends, truncates or closes, under the log's lock. Any thread may slice, search
and send meanwhile. An append writes the bytes first and sets the size last. A reader reads the size once and
never reads past it, so it finds no partial batch.

DEVIATION D56: the channel has no position, unlike Java's. An append writes at the end given by the size,
where Java moves the channel's position. This saves one call, and no reader can move the position.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record import records_util
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.converted_records import ConvertedRecords
from kreactor.common.record.file_channel_record_batch import FileChannelRecordBatch
from kreactor.common.record.file_log_input_stream import FileLogInputStream
from kreactor.common.record.mutable_record_batch import MutableRecordBatch
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_batch_iterator import RecordBatchIterator
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.record.unaligned_file_records import UnalignedFileRecords
from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel

if TYPE_CHECKING:
    from kreactor.common.network.transferable_channel import TransferableChannel
    from kreactor.common.record.memory_records import MemoryRecords
    from kreactor.common.record.records import Records
    from kreactor.common.utils.time import Time

_MAX_INT = 2**31 - 1


class FileRecords(AbstractRecords):
    """The bytes of a file from ``start`` to ``end``. ``end`` may be beyond the end of the file.

    A slice shares the channel of the sliced FileRecords, and must not be closed.

    :origin: common.record.FileRecords
    """

    __slots__ = ("_is_slice", "_start", "_end", "_size", "_channel", "_file")

    def __init__(self, file: str, channel: FileChannel, start: int, end: int, is_slice: bool) -> None:
        """Callers use ``open`` and ``slice``. Raises KafkaException for a file that is too large, or OSError.

        :origin: common.record.FileRecords#FileRecords(File, FileChannel, int, int, boolean)
        """
        self._file = file
        self._channel = channel
        self._start = start
        self._end = end
        self._is_slice = is_slice

        # Written only by the thread that appends or truncates.
        if is_slice:
            # A slice does not check the file's size, because the file may have grown since.
            self._size = end - start
        else:
            channel_size = channel.size()
            if channel_size > _MAX_INT:
                raise KafkaException(f"The size of segment {file} ({channel_size}) is larger than the "
                                     f"maximum allowed segment size of {_MAX_INT}")
            self._size = min(channel_size, end) - start

    def size_in_bytes(self) -> int:
        """:origin: common.record.FileRecords#sizeInBytes()"""
        return self._size

    def file(self) -> str:
        """Return the path of the file.

        :origin: common.record.FileRecords#file()
        """
        return self._file

    def channel(self) -> FileChannel:
        """Return the open file.

        :origin: common.record.FileRecords#channel()
        """
        return self._channel

    def read_into(self, buffer: ByteBuffer, position: int) -> None:
        """Read from ``position`` into ``buffer`` up to the end of the file, and flip ``buffer``.

        Raises OSError.

        :origin: common.record.FileRecords#readInto(ByteBuffer, int)
        """
        Utils.read_fully(self._channel, buffer, position + self._start)
        buffer.flip()

    def slice(self, position: int, size: int) -> FileRecords:
        """Return a slice of up to ``size`` bytes from ``position``, ending at the current end.

        Raises IllegalArgumentException for a negative argument or a ``position`` past the end.

        :origin: common.record.FileRecords#slice(int, int)
        """
        available_bytes = self._available_bytes(position, size)
        start_position = self._start + position
        return FileRecords(self._file, self._channel, start_position, start_position + available_bytes, True)

    def slice_unaligned(self, position: int, size: int) -> UnalignedFileRecords:
        """Return the bytes of ``slice``; ``position`` may be inside a batch.

        :origin: common.record.FileRecords#sliceUnaligned(int, int)
        """
        available_bytes = self._available_bytes(position, size)
        return UnalignedFileRecords(self._channel, self._start + position, available_bytes)

    def _available_bytes(self, position: int, size: int) -> int:
        """Return how many of the ``size`` bytes from ``position`` exist. Raises IllegalArgumentException.

        :origin: common.record.FileRecords#availableBytes(int, int)
        """
        current_size_in_bytes = self._size

        if position < 0:
            raise IllegalArgumentException(f"Invalid position: {position} in read from {self}")
        if position > current_size_in_bytes - self._start:
            raise IllegalArgumentException(f"Slice from position {position} exceeds end position of {self}")
        if size < 0:
            raise IllegalArgumentException(f"Invalid size: {size} in read from {self}")

        end = self._start + position + size
        if end > self._start + current_size_in_bytes:
            end = self._start + current_size_in_bytes
        return end - (self._start + position)

    def append(self, records: MemoryRecords) -> int:
        """Write ``records`` at the end and return their size in bytes. The caller holds the log's lock.

        Raises IllegalArgumentException if the file would become too large, or OSError. After an OSError, a
        part of ``records`` may be in the file; the next append overwrites it.

        :origin: common.record.FileRecords#append(MemoryRecords)
        """
        if records.size_in_bytes() > _MAX_INT - self._size:
            raise IllegalArgumentException(
                f"Append of size {records.size_in_bytes()} bytes is too large for segment with current file "
                f"position at {self._size}")

        written = self._channel.write(records.buffer(), self._start + self._size)
        self._size += written
        return written

    def flush(self) -> None:
        """Write all appended data to disk. Raises OSError.

        :origin: common.record.FileRecords#flush()
        """
        self._channel.force(True)

    def close(self) -> None:
        """Flush, trim and close. Raises OSError.

        :origin: common.record.FileRecords#close()
        """
        self.flush()
        self.trim()
        self._channel.close()

    def close_handlers(self) -> None:
        """Close without writing to the disk, which may have failed.

        :origin: common.record.FileRecords#closeHandlers()
        """
        self._channel.close()

    def delete_if_exists(self) -> bool:
        """Close and delete the file; return whether it existed. Raises OSError.

        :origin: common.record.FileRecords#deleteIfExists()
        """
        Utils.close_quietly(self._channel, "FileChannel")
        try:
            Floor.os.remove(self._file)
        except FileNotFoundError:
            return False
        return True

    def trim(self) -> None:
        """Truncate the file to its used size, which removes unused preallocated space. Raises OSError.

        :origin: common.record.FileRecords#trim()
        """
        self.truncate_to(self.size_in_bytes())

    def update_parent_dir(self, parent_dir: str) -> None:
        """Change the directory of the path after a rename. The open file stays the same.

        :origin: common.record.FileRecords#updateParentDir(File)
        """
        self._file = os.path.join(parent_dir, os.path.basename(self._file))

    def rename_to(self, f: str) -> None:
        """Rename the file. Raises OSError.

        :origin: common.record.FileRecords#renameTo(File)
        """
        try:
            Utils.atomic_move_with_fallback(self._file, f, False)
        finally:
            self._file = f

    def truncate_to(self, target_size: int) -> int:
        """Truncate to ``target_size`` bytes, at any place in a batch; return the number of bytes removed.

        The file is truncated only if it is longer, because some systems change its modification time
        otherwise. The caller holds the log's lock. Raises KafkaException for an invalid size, or OSError.

        :origin: common.record.FileRecords#truncateTo(int)
        """
        original_size = self.size_in_bytes()
        if target_size > original_size or target_size < 0:
            raise KafkaException(f"Attempt to truncate log segment {self._file} to {target_size} bytes "
                                 f"failed,  size of this log segment is {original_size} bytes.")
        if target_size < self._channel.size():
            self._channel.truncate(target_size)
            self._size = target_size
        return original_size - target_size

    def down_convert(self, to_magic: int, first_offset: int, time: Time) -> ConvertedRecords[Records]:
        """Return the converted records, or these records if no record could be converted.

        No record can be converted if a slice has no complete batch. An old client then finds a batch longer
        than the response, and tells its user to raise the fetch size.

        :origin: common.record.FileRecords#downConvert(byte, long, Time)
        """
        converted_records = records_util.RecordsUtil.down_convert(self.batches(), to_magic, first_offset,
                                                                  time)
        if converted_records.record_conversion_stats().num_records_converted() == 0:
            return ConvertedRecords(self, RecordValidationStats.EMPTY)
        else:
            return converted_records

    def write_to(self, channel: TransferableChannel, position: int, length: int) -> int:
        """Write to ``channel``. Raises KafkaException if the file was truncated meanwhile.

        :origin: common.record.FileRecords#writeTo(TransferableChannel, int, int)
        """
        new_size = min(self._channel.size(), self._end) - self._start
        old_size = self._size
        if new_size < old_size:
            raise KafkaException(f"Size of FileRecords {os.path.abspath(self._file)} has been truncated "
                                 f"during write: old size {old_size}, new size {new_size}")

        count = min(length, old_size - position)
        return channel.transfer_from(self._channel, self._start + position, count)

    def search_for_offset_with_size(self, target_offset: int,
                                    starting_position: int) -> LogOffsetPosition | None:
        """Return the first batch that ends at ``target_offset`` or later, or None.

        ``starting_position`` is the position of a batch in the file. Raises CorruptRecordException or
        KafkaException.

        :origin: common.record.FileRecords#searchForOffsetWithSize(long, int)
        """
        for batch in self.batches_from(starting_position):
            offset = batch.last_offset()
            if offset >= target_offset:
                return self.LogOffsetPosition(offset, batch.position(), batch.size_in_bytes())
        return None

    def search_for_timestamp(self, target_timestamp: int, starting_position: int, starting_offset: int
                             ) -> TimestampAndOffset | None:
        """Return the first record at or after both ``starting_offset`` and ``target_timestamp``, or None.

        Times are in milliseconds. Only a batch that may contain the record is decompressed.

        :origin: common.record.FileRecords#searchForTimestamp(long, int, long)
        """
        for batch in self.batches_from(starting_position):
            if batch.max_timestamp() >= target_timestamp:
                # DEVIATION D264: the search skips keys and values, and stops at the record. A client's 10 KB
                # may be 600 MB when decompressed, which the origin holds in memory at once.
                full_batch = batch.load_full_batch()
                assert isinstance(full_batch, MutableRecordBatch), "all batches in memory are"
                with full_batch.skip_key_value_iterator(BufferSupplier.NO_CACHING) as records:
                    for record in records:
                        timestamp = record.timestamp()
                        if timestamp >= target_timestamp and record.offset() >= starting_offset:
                            leader_epoch = self._maybe_leader_epoch(batch.partition_leader_epoch())
                            return self.TimestampAndOffset(timestamp, record.offset(), leader_epoch)
        return None

    def largest_timestamp_after(self, starting_position: int) -> TimestampAndOffset:
        """Return the latest timestamp from a position on, and the last offset of the first batch with it.

        Returns -1 and -1 without batches.

        :origin: common.record.FileRecords#largestTimestampAfter(int)
        """
        max_timestamp = RecordBatch.NO_TIMESTAMP
        shallow_offset_of_max_timestamp = -1
        leader_epoch_of_max_timestamp = RecordBatch.NO_PARTITION_LEADER_EPOCH

        for batch in self.batches_from(starting_position):
            timestamp = batch.max_timestamp()
            if timestamp > max_timestamp:
                max_timestamp = timestamp
                shallow_offset_of_max_timestamp = batch.last_offset()
                leader_epoch_of_max_timestamp = batch.partition_leader_epoch()
        return self.TimestampAndOffset(max_timestamp, shallow_offset_of_max_timestamp,
                                       self._maybe_leader_epoch(leader_epoch_of_max_timestamp))

    def _maybe_leader_epoch(self, leader_epoch: int) -> int | None:
        """Return the epoch, or None for -1.

        :origin: common.record.FileRecords#maybeLeaderEpoch(int)
        """
        return None if leader_epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH else leader_epoch

    def batches(self) -> Iterable[FileChannelRecordBatch]:
        """Return the batches, which are readable while the file is open.

        Iterating raises CorruptRecordException or KafkaException.

        :origin: common.record.FileRecords#batches()
        """
        return _Batches(self, self._start)

    def __str__(self) -> str:
        """:origin: common.record.FileRecords#toString()"""
        return (f"FileRecords(size={self.size_in_bytes()}, file={self._file}, start={self._start}, "
                f"end={self._end})")

    __repr__ = __str__

    def batches_from(self, start: int) -> Iterable[FileChannelRecordBatch]:
        """Return the batches from ``start`` on, which is the position of a batch in the file.

        :origin: common.record.FileRecords#batchesFrom(int)
        """
        return _Batches(self, start)

    def batch_iterator(self) -> AbstractIterator[FileChannelRecordBatch]:
        """:origin: common.record.FileRecords#batchIterator()"""
        return self._batch_iterator(self._start)

    def _batch_iterator(self, start: int) -> AbstractIterator[FileChannelRecordBatch]:
        """Return an iterator from a position in the file to the current end.

        :origin: common.record.FileRecords#batchIterator(int)
        """
        if self._is_slice:
            end = self._end
        else:
            end = self.size_in_bytes()
        return RecordBatchIterator(FileLogInputStream(self, start, end))

    @staticmethod
    def open(file: str, mutable: bool = True, file_already_exists: bool = False, init_file_size: int = 0,
             preallocate: bool = False) -> FileRecords:
        """Open a file. With ``preallocate``, a new file has ``init_file_size`` bytes at once.

        Raises OSError, or KafkaException for a file that is too large.

        :origin: common.record.FileRecords#open(File, boolean, boolean, int, boolean)
        :origin: common.record.FileRecords#open(File, boolean, int, boolean)
        :origin: common.record.FileRecords#open(File, boolean)
        :origin: common.record.FileRecords#open(File)
        """
        channel = FileRecords._open_channel(file, mutable, file_already_exists, init_file_size, preallocate)
        end = 0 if not file_already_exists and preallocate else _MAX_INT
        try:
            return FileRecords(file, channel, 0, end, False)
        except BaseException:
            channel.close()
            raise

    @staticmethod
    def _open_channel(file: str, mutable: bool, file_already_exists: bool, init_file_size: int,
                      preallocate: bool) -> FileChannel:
        """Open the file. Raises OSError.

        :origin: common.record.FileRecords#openChannel(File, boolean, boolean, int, boolean)
        """
        if mutable:
            channel = FileChannel.open(file, os.O_CREAT | os.O_RDWR)
            if not file_already_exists and preallocate:
                try:
                    Floor.os.truncate(file, init_file_size)
                except OSError:
                    channel.close()
                    raise
            return channel
        else:
            return FileChannel.open(file)

    class LogOffsetPosition:
        """A batch's last offset, its position in the file, and its size in bytes.

        :origin: common.record.FileRecords.LogOffsetPosition
        """

        __slots__ = ("_offset", "_position", "_size")

        def __init__(self, offset: int, position: int, size: int) -> None:
            """:origin: common.record.FileRecords.LogOffsetPosition#LogOffsetPosition(long, int, int)"""
            self._offset = offset
            self._position = position
            self._size = size

        def __eq__(self, other: object) -> bool:
            """:origin: common.record.FileRecords.LogOffsetPosition#equals(Object)"""
            if self is other:
                return True
            if not isinstance(other, FileRecords.LogOffsetPosition):
                return False
            return (self._offset == other._offset and self._position == other._position
                    and self._size == other._size)

        def __hash__(self) -> int:
            """:origin: common.record.FileRecords.LogOffsetPosition#hashCode()"""
            return hash((self._offset, self._position, self._size))

        def __str__(self) -> str:
            """:origin: common.record.FileRecords.LogOffsetPosition#toString()"""
            return f"LogOffsetPosition(offset={self._offset}, position={self._position}, size={self._size})"

        __repr__ = __str__

    class TimestampAndOffset(NamedTuple):
        """A timestamp in milliseconds, its offset, and the leader epoch, which may be None.

        :origin: common.record.FileRecords.TimestampAndOffset
        :origin: common.record.FileRecords.TimestampAndOffset#TimestampAndOffset(long, long, Optional<Integer>)
        """  # noqa: E501

        timestamp: int
        offset: int
        leader_epoch: int | None


class _Batches:
    """An iterable over the batches, which can be iterated more than once."""

    __slots__ = ("_records", "_start")

    def __init__(self, records: FileRecords, start: int) -> None:
        self._records = records
        self._start = start

    def __iter__(self) -> Iterator[FileChannelRecordBatch]:
        return self._records._batch_iterator(self._start)
