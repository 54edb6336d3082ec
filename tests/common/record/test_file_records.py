# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's FileRecordsTest."""

from __future__ import annotations

import os
import random
import socket
import threading

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import CorruptRecordException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel, SocketChannel
from kreactor.testing.mock_time import MockTime
from tests.common.record.batches import ByteBufferChannel, content
from tests.memory import PYPY, at_most

MAX_INT = 2**31 - 1
VALUES = (b"abcd", b"efgh", b"ijkl")
TP = TopicPartition("topic-1", 0)


@pytest.fixture
def temp_file(tmp_path):
    """Return a function that gives names of files that are not there."""
    numbers = iter(range(100))
    return lambda: str(tmp_path / f"kafka{next(numbers)}.log")


@pytest.fixture
def file_records(temp_file):
    records = FileRecords.open(temp_file())
    append(records, VALUES)
    yield records
    records.close()


@pytest.fixture
def clock() -> Time:
    return MockTime()


def append(file_records: FileRecords, values) -> None:
    for offset, value in enumerate(values):
        builder = MemoryRecords.builder(ByteBuffer.allocate(128), Compression.NONE,
                                        TimestampType.CREATE_TIME, offset)
        builder.append_with_offset(offset, 1_700_000_000_000, None, value)
        file_records.append(builder.build())


class FileChannelOfSize(FileChannel):
    """A file that says it has a size, and counts what else it is asked."""

    def __init__(self, size: int) -> None:
        super().__init__(-1, "no file")
        self.said = size
        self.truncated: list[int] = []

    def size(self) -> int:
        return self.said

    def truncate(self, size: int) -> FileChannel:
        self.truncated.append(size)
        return self


def test_append_protects_from_overflow() -> None:
    records = FileRecords("no file", FileChannelOfSize(MAX_INT), 0, MAX_INT, False)
    with pytest.raises(IllegalArgumentException):
        append(records, VALUES)


def test_open_oversize_file() -> None:
    with pytest.raises(KafkaException):
        FileRecords("no file", FileChannelOfSize(MAX_INT + 5), 0, MAX_INT, False)


def test_out_of_range_slice(file_records) -> None:
    with pytest.raises(IllegalArgumentException):
        file_records.slice(file_records.size_in_bytes() + 1, 15)
    with pytest.raises(IllegalArgumentException):
        file_records.slice(-1, 15)
    with pytest.raises(IllegalArgumentException):
        file_records.slice(0, -1)


def test_file_size(file_records) -> None:
    assert file_records.size_in_bytes() == file_records.channel().size()
    for _ in range(20):
        file_records.append(MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=b"abcd")))
        assert file_records.size_in_bytes() == file_records.channel().size()


@pytest.mark.parametrize("size", [0, 2, 4, 5, 6])
def test_iteration_over_partial_and_truncation(file_records, size) -> None:
    file_records.channel().write(bytes(size), file_records.channel().size())
    assert [content(record.value()) for record in file_records.records()] == list(VALUES)


def test_slice_size_limit_with_concurrent_write(temp_file) -> None:
    log = FileRecords.open(temp_file())
    wrong = []

    def read() -> None:
        while log.size_in_bytes() < 16384:
            current_size = log.size_in_bytes()
            slice_ = log.slice(0, current_size)
            if slice_.size_in_bytes() != current_size:
                wrong.append(slice_)

    def write() -> None:
        while log.size_in_bytes() < 16384:
            append(log, VALUES)

    threads = [threading.Thread(target=target) for target in (read, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    assert not wrong


def test_read(file_records) -> None:
    size = file_records.size_in_bytes()
    read = file_records.slice(0, size)
    assert read.size_in_bytes() == size
    items = list(file_records.batches())
    assert list(read.batches()) == items
    first, second = items[:2]

    def assert_from_the_second(read: FileRecords) -> None:
        assert read.size_in_bytes() == size - first.size_in_bytes()
        assert list(read.batches()) == items[1:]

    assert_from_the_second(file_records.slice(first.size_in_bytes(), size - first.size_in_bytes()))
    assert_from_the_second(file_records.slice(first.size_in_bytes(), size))
    assert_from_the_second(file_records.slice(first.size_in_bytes(), MAX_INT))
    assert_from_the_second(file_records.slice(1, size - 1).slice(first.size_in_bytes() - 1, size))
    assert_from_the_second(file_records.slice(1, size - 1).slice(first.size_in_bytes() - 1, MAX_INT))

    read = file_records.slice(first.size_in_bytes(), second.size_in_bytes())
    assert read.size_in_bytes() == second.size_in_bytes()
    assert list(read.batches()) == [second]


def test_search(file_records) -> None:
    file_records.append(MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=b"test"),
                                                   initial_offset=50))
    sizes = [batch.size_in_bytes() for batch in file_records.batches()]
    position_of = FileRecords.LogOffsetPosition
    assert file_records.search_for_offset_with_size(0, 0) == position_of(0, 0, sizes[0])
    assert file_records.search_for_offset_with_size(1, 0) == position_of(1, sizes[0], sizes[1])
    assert file_records.search_for_offset_with_size(1, sizes[0]) == position_of(1, sizes[0], sizes[1])
    position = sum(sizes[:3])
    assert file_records.search_for_offset_with_size(3, position) == position_of(50, position, sizes[3])
    assert file_records.search_for_offset_with_size(50, position) == position_of(50, position, sizes[3])
    assert file_records.search_for_offset_with_size(51, 0) is None
    assert str(position_of(1, 2, 3)) == "LogOffsetPosition(offset=1, position=2, size=3)"
    assert hash(position_of(1, 2, 3)) == hash(position_of(1, 2, 3))
    assert position_of(1, 2, 3) != position_of(1, 2, 4)


def test_iterator_with_limits(file_records) -> None:
    batch = list(file_records.batches())[1]
    start = file_records.search_for_offset_with_size(1, 0)._position
    size = batch.size_in_bytes()
    assert list(file_records.slice(start, size).batches()) == [batch]
    assert list(file_records.slice(start, size - 1).batches()) == []


def test_truncate(file_records) -> None:
    batch = next(iter(file_records.batches()))
    end = file_records.search_for_offset_with_size(1, 0)._position
    size = file_records.size_in_bytes()
    assert file_records.truncate_to(end) == size - end
    assert list(file_records.batches()) == [batch]
    assert file_records.size_in_bytes() == batch.size_in_bytes()
    append(file_records, VALUES)
    assert len(list(file_records.batches())) == 4


def test_truncate_not_called_if_size_is_same_as_target_size() -> None:
    channel = FileChannelOfSize(42)
    FileRecords("no file", channel, 0, MAX_INT, False).truncate_to(42)
    assert channel.truncated == []


def test_truncate_not_called_if_size_is_bigger_than_target_size() -> None:
    channel = FileChannelOfSize(42)
    with pytest.raises(KafkaException):
        FileRecords("no file", channel, 0, MAX_INT, False).truncate_to(43)
    assert channel.truncated == []


def test_truncate_if_size_is_different_to_target_size() -> None:
    channel = FileChannelOfSize(42)
    FileRecords("no file", channel, 0, MAX_INT, False).truncate_to(23)
    assert channel.truncated == [23]


def test_preallocate_true(temp_file) -> None:
    temp = temp_file()
    records = FileRecords.open(temp, init_file_size=1024 * 1024, preallocate=True)
    assert records.size_in_bytes() == 0
    assert os.path.getsize(temp) == 1024 * 1024
    records.close()


def test_preallocate_false(temp_file) -> None:
    temp = temp_file()
    records = FileRecords.open(temp, init_file_size=1024 * 1024)
    assert records.size_in_bytes() == 0
    assert os.path.getsize(temp) == 0
    records.close()


def test_preallocate_clear_shutdown(file_records, temp_file) -> None:
    temp = temp_file()
    records = FileRecords.open(temp, init_file_size=1024 * 1024, preallocate=True)
    append(records, VALUES)
    old_size = records.size_in_bytes()
    assert old_size == file_records.size_in_bytes()
    records.close()

    reopened = FileRecords.open(temp, file_already_exists=True, init_file_size=1024 * 1024, preallocate=True)
    assert reopened.size_in_bytes() == old_size
    assert os.path.getsize(temp) == old_size
    reopened.close()


def test_format_conversion_with_partial_message(file_records, clock) -> None:
    batch = list(file_records.batches())[1]
    start = file_records.search_for_offset_with_size(1, 0)._position
    size = batch.size_in_bytes()
    slice_ = file_records.slice(start, size - 1)
    message_v0 = slice_.down_convert(0, 0, clock).records()
    assert list(message_v0.batches()) == []
    assert message_v0.size_in_bytes() == size - 1

    lazy_records = LazyDownConversionRecords(TP, slice_, 0, 0, Time.SYSTEM)
    assert list(lazy_records.iterator(16 * 1024)) == []


def test_format_conversion_with_no_messages() -> None:
    lazy_records = LazyDownConversionRecords(TP, MemoryRecords.EMPTY, 0, 0, Time.SYSTEM)
    assert lazy_records.size_in_bytes() == 0
    assert list(lazy_records.iterator(16 * 1024)) == []


@pytest.mark.deviation("D264")
@pytest.mark.parametrize("compression_type", [each for each in CompressionType if each.name != "NONE"])
def test_a_search_for_a_timestamp_holds_no_decompressed_batch(temp_file, compression_type) -> None:
    # Few bytes of many: a value of 32 MB, and 50,000 small records.
    size = (128 if PYPY else 32) << 20
    compression = Compression.of(compression_type).build()
    records = FileRecords.open(temp_file(), init_file_size=1024 * 1024, preallocate=True)
    records.append(MemoryRecords.with_records(
        compression, SimpleRecord(1, b"", bytes(size)), SimpleRecord(9, b"", b"")))
    records.append(MemoryRecords.with_records(
        compression, *[SimpleRecord(2, b"", b"")] * 50_000, SimpleRecord(10, b"", b""), initial_offset=2))
    try:
        with at_most(size // 4):
            assert records.search_for_timestamp(9, 0, 0).offset == 1
            assert records.search_for_timestamp(10, 0, 0).offset == 50_002
            assert records.search_for_timestamp(11, 0, 0) is None
    finally:
        records.close()


@pytest.mark.parametrize("version", RecordVersion)
def test_search_for_timestamp(temp_file, version) -> None:
    records = FileRecords.open(temp_file(), init_file_size=1024 * 1024, preallocate=True)
    for timestamp, offset, leader_epoch in ((10, 5, 0), (11, 6, 1)):
        builder = MemoryRecords.builder(ByteBuffer.allocate(128), Compression.NONE,
                                        TimestampType.CREATE_TIME, offset, magic=version.value,
                                        log_append_time=timestamp, partition_leader_epoch=leader_epoch)
        builder.append_simple_record(SimpleRecord(timestamp, b"", b""))
        records.append(builder.build())

    for target, expected in ((9, (10, 5, 0)), (10, (10, 5, 0)), (11, (11, 6, 1))):
        found = records.search_for_timestamp(target, 0, 0)
        if version is RecordVersion.V0:
            assert found is None
        else:
            timestamp, offset, epoch = expected
            assert found == FileRecords.TimestampAndOffset(timestamp, offset,
                                                           epoch if version is RecordVersion.V2 else None)
    assert records.search_for_timestamp(12, 0, 0) is None
    if version is not RecordVersion.V0:
        assert records.search_for_timestamp(9, 0, 6).offset == 6
    largest = records.largest_timestamp_after(0)
    assert largest == FileRecords.TimestampAndOffset(*(
        (-1, -1, None) if version is RecordVersion.V0
        else (11, 6, 1 if version is RecordVersion.V2 else None)))
    records.close()


HEADERS = tuple(RecordHeader(f"headerKey{i}", f"headerValue{i}".encode()) for i in (1, 2, 3))
OFFSETS = [0, 2, 3, 9, 11, 15, 16, 17, 22, 24]
WORDS = (b"hello", b"goodbye", b"hello again", b"goodbye for now", b"hello again", b"I sense indecision",
         b"what now", b"running out", b"ok, almost done", b"finally")
CONVERTED = [SimpleRecord(i + 1, b"k%d" % (i + 1), word, HEADERS if i in (7, 9) else ())
             for i, word in enumerate(WORDS)]


def verify_converted_records(initial_records, initial_offsets, converted_records_list, type_, magic) -> None:
    i = 0
    for converted_records in converted_records_list:
        for batch in converted_records.batches():
            assert batch.magic() <= magic
            assert batch.timestamp_type() is (
                TimestampType.NO_TIMESTAMP_TYPE if batch.magic() == 0 else TimestampType.CREATE_TIME)
            assert batch.compression_type() is type_
            for record in batch:
                assert record.has_magic(batch.magic())
                assert record.offset() == initial_offsets[i]
                assert content(record.key()) == content(initial_records[i].key())
                assert content(record.value()) == content(initial_records[i].value())
                assert not record.has_timestamp_type(TimestampType.LOG_APPEND_TIME)
                assert record.has_timestamp_type(TimestampType.NO_TIMESTAMP_TYPE) == (batch.magic() == 0)
                assert record.has_timestamp_type(TimestampType.CREATE_TIME) == (batch.magic() == 1)
                if batch.magic() == 0:
                    assert record.timestamp() == RecordBatch.NO_TIMESTAMP
                else:
                    assert record.timestamp() == initial_records[i].timestamp()
                if batch.magic() == 2:
                    assert tuple(record.headers()) == tuple(initial_records[i].headers())
                i += 1
    assert i == len(initial_offsets)


def down_convert_and_verify_records(initial_records, initial_offsets, file_records, type_, to_magic,
                                    first_offset, clock) -> None:
    sizes = [batch.size_in_bytes() for batch in file_records.batches()]
    converted = file_records.down_convert(to_magic, first_offset, clock).records()
    verify_converted_records(initial_records, initial_offsets, [converted], type_, to_magic)
    size = file_records.size_in_bytes()
    for read_size in (16 * 1024, size, size - 1, size // 4, max(sizes) + 1, 1):
        lazy_records = LazyDownConversionRecords(TP, file_records, to_magic, first_offset, Time.SYSTEM)
        converted_records = [converted.records() for converted in lazy_records.iterator(read_size)]
        verify_converted_records(initial_records, initial_offsets, converted_records, type_, to_magic)


def test_downconversion_after_message_format_downgrade(temp_file, clock) -> None:
    value = random.Random(0).randbytes(3000)
    records = [SimpleRecord(1, b"k1", value), SimpleRecord(2, b"k2", value)]
    buffer = ByteBuffer.allocate(8000)
    for i, magic in enumerate((2, 1)):
        builder = MemoryRecords.builder(buffer, Compression.gzip().build(), TimestampType.CREATE_TIME, 0,
                                        magic=magic)
        builder.append_with_offset_simple_record(i, records[i])
        builder.close()
    buffer.flip()
    file_records = FileRecords.open(temp_file())
    file_records.append(MemoryRecords.readable_records(buffer))
    file_records.flush()
    down_convert_and_verify_records(records, [0, 1], file_records, CompressionType.GZIP, 1, 0, clock)
    file_records.close()


@pytest.mark.parametrize("type_", [CompressionType.NONE, CompressionType.GZIP])
@pytest.mark.parametrize("to_magic", [0, 1, 2])
def test_conversion(temp_file, clock, type_, to_magic) -> None:
    buffer = ByteBuffer.allocate(1024)
    for magic, numbers in ((0, range(3)), (1, range(3, 6)), (2, range(6, 10))):
        builder = MemoryRecords.builder(buffer, Compression.of(type_).build(), TimestampType.CREATE_TIME, 0,
                                        magic=magic)
        for i in numbers:
            builder.append_with_offset_simple_record(OFFSETS[i], CONVERTED[i])
        builder.close()
    buffer.flip()
    file_records = FileRecords.open(temp_file())
    file_records.append(MemoryRecords.readable_records(buffer))
    file_records.flush()
    down_convert_and_verify_records(CONVERTED, OFFSETS, file_records, type_, to_magic, 0, clock)
    if to_magic <= 1 and type_ is CompressionType.NONE:
        # A record of magic 1, or of magic 2: the one before it is lost.
        first_offset = 11 if to_magic == 0 else 17
        index = OFFSETS.index(first_offset) - 1
        down_convert_and_verify_records(CONVERTED[:index] + CONVERTED[index + 1:],
                                        OFFSETS[:index] + OFFSETS[index + 1:], file_records, type_, to_magic,
                                        first_offset, clock)
    else:
        down_convert_and_verify_records(CONVERTED, OFFSETS, file_records, type_, to_magic, 10, clock)
    file_records.close()


class CountingChannel(ByteBufferChannel):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.counts: list[int] = []

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        self.counts.append(count)
        return super().transfer_from(file_channel, position, count)


def test_bytes_length_of_write_to(file_records) -> None:
    size = file_records.size_in_bytes()
    first_written = size // 3
    channel = CountingChannel(size)
    file_records.write_to(channel, 0, first_written)
    file_records.write_to(channel, first_written, size - first_written + 1)
    assert channel.counts == [first_written, size - first_written]
    with open(file_records.file(), "rb") as file:
        assert channel.content() == file.read()


# -- ours ----------------------------------------------------------------------------------------------------


class SocketTransferableChannel(TransferableChannel):
    """A plain socket, as PlaintextTransportLayer is."""

    def __init__(self, channel: SocketChannel) -> None:
        self.channel = channel

    def write(self, src: ByteBuffer) -> int:
        return self.channel.write(src)

    def write_buffers(self, srcs) -> int:
        return self.channel.write_buffers(srcs)

    def has_pending_writes(self) -> bool:
        return False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        return file_channel.transfer_to(position, count, self.channel)


def test_a_slice_goes_to_a_socket(file_records) -> None:
    ours, theirs = socket.socketpair()
    slice_ = file_records.slice(5, file_records.size_in_bytes() - 9)
    channel = SocketChannel(ours)
    channel._connected = True
    with theirs:
        send = slice_.to_send()
        while not send.completed():
            send.write_to(SocketTransferableChannel(channel))
        channel.close()
        received = b""
        while data := theirs.recv(1 << 16):
            received += data
    with open(file_records.file(), "rb") as file:
        assert received == file.read()[5:-4]


def test_a_file_cut_while_it_is_sent(file_records) -> None:
    slice_ = file_records.slice(0, file_records.size_in_bytes())
    file_records.truncate_to(10)
    channel = ByteBufferChannel(1000)
    with pytest.raises(KafkaException, match="has been truncated during write: old size .*, new size 10"):
        slice_.write_to(channel, 0, 50)


def test_rename_delete_and_read_only(temp_file, tmp_path) -> None:
    first, second = temp_file(), temp_file()
    records = FileRecords.open(first)
    append(records, VALUES)
    records.rename_to(second)
    assert records.file() == second and os.path.exists(second) and not os.path.exists(first)
    os.mkdir(tmp_path / "elsewhere")
    records.update_parent_dir(str(tmp_path / "elsewhere"))
    assert records.file() == str(tmp_path / "elsewhere" / os.path.basename(second))
    records.close_handlers()
    reader = FileRecords.open(second, mutable=False)
    assert len(list(reader.records())) == 3
    buffer = ByteBuffer.allocate(1000)
    reader.read_into(buffer, 0)
    assert buffer.remaining() == reader.size_in_bytes()
    assert reader.delete_if_exists() and not reader.delete_if_exists()
    with pytest.raises(OSError):
        FileRecords.open(second, mutable=False)


def test_corruption_in_the_file(file_records) -> None:
    file_records.channel().write((5).to_bytes(4, "big"), 8)
    with pytest.raises(CorruptRecordException,
                       match=r"Found record size 5 smaller than minimum record overhead \(14\)"):
        list(file_records.batches())


def test_a_file_that_is_shorter_than_its_records(temp_file) -> None:
    records = FileRecords.open(temp_file())
    append(records, VALUES)
    batches = list(records.batches())
    size = records.size_in_bytes()
    os.truncate(records.file(), size - 3)
    # The fields of the header are known; the records are gone.
    assert batches[2].last_offset() == 2
    with pytest.raises(KafkaException, match="Failed to load record batch at position"):
        list(batches[2])
    os.truncate(records.file(), 10)
    with pytest.raises(CorruptRecordException,
                       match="Unexpected EOF while attempting to read the next batch"):
        list(records.batches())
    records.close_handlers()
    with pytest.raises(KafkaException):
        list(records.batches())
