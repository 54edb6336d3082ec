# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogCleanerParameterizedIntegrationTest."""

from __future__ import annotations

import os

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.checkpoints.offset_checkpoint_file import OffsetCheckpointFile
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from tests.core.log.cleaner_threads import (
    ALL_COMPRESSIONS, PARTITIONS, Entry, Threads, read_from_log, threads, to_map)
from tests.core.log.support import Logs, append_at, singleton_records
from tests.stepping import wait_until
from tests.storage.internals.log.support import NOW

__all__ = ["threads"]

EXCLUDE_ZSTD = pytest.mark.parametrize(
    "type_", [type_ for type_ in CompressionType if type_ is not CompressionType.ZSTD],
    ids=lambda type_: type_.name)

LARGE_KEY = 20
LARGE_VALUE = "".join(chr(ord("a") + number * 7 % 26) for number in range(128))


def large_message_set(codec: Compression, magic: int = 2) -> MemoryRecords:
    return singleton_records(LARGE_VALUE.encode(), str(LARGE_KEY).encode(), codec=codec, magic=magic)


def check_log(log: UnifiedLog, start_size: int, appends: list[Entry]) -> None:
    assert to_map(read_from_log(log)) == to_map(appends)
    assert start_size > log.size()


@ALL_COMPRESSIONS
def test_cleaner_test(threads: Threads, type_: CompressionType) -> None:
    codec = Compression.of(type_).build()
    max_message_size = large_message_set(codec).size_in_bytes()
    cleaner = threads.make(max_message_size=max_message_size)
    log = threads.log()

    appends = threads.write_dups(100, 3, log, codec)
    start_size = log.size()
    cleaner.startup()
    threads.check_last_cleaned(log.active_segment().base_offset())
    check_log(log, start_size, appends)

    large_message_offset = log.append_as_leader(large_message_set(codec), 0).first_offset
    dups = threads.write_dups(100, 3, log, codec, start_key=LARGE_KEY + 1)
    appends += [(LARGE_KEY, LARGE_VALUE, large_message_offset), *dups]
    threads.check_last_cleaned(log.active_segment().base_offset())
    check_log(log, start_size, appends)

    # As when the partition is deleted.
    del threads.pool[PARTITIONS[0]]
    cleaner.update_checkpoints(threads.logs.directory, PARTITIONS[0])
    checkpoints = OffsetCheckpointFile(os.path.join(threads.logs.directory, "cleaner-offset-checkpoint"))
    assert PARTITIONS[0] not in checkpoints.read()


@ALL_COMPRESSIONS
def test_cleans_combined_compact_and_delete_topic(threads: Threads, type_: CompressionType) -> None:
    retention_ms = 100_000
    codec = Compression.of(type_).build()

    def run_cleaner_and_check_compacted(num_keys: int) -> tuple[UnifiedLog, list[Entry]]:
        cleaner = threads.make(PARTITIONS[:1], retention_ms=retention_ms, delete=True)
        log = threads.log()
        messages = threads.write_dups(num_keys, 3, log, codec)
        start_size = log.size()
        first_dirty = log.active_segment().base_offset()
        cleaner.startup()
        threads.check_last_cleaned(first_dirty)
        assert start_size > log.size()
        return log, messages

    log, _ = run_cleaner_and_check_compacted(100)
    end_offset = log.log_end_offset()
    # For a segment of which nothing is left the time of its file counts.
    for segment in log.segments():
        segment.set_last_modified_ms(threads.logs.time.milliseconds())
    threads.logs.time.sleep(2 * retention_ms)
    wait_until(lambda: log.log_start_offset() == end_offset and log.number_of_segments() == 1,
               "the old segments are deleted")
    threads.shutdown()
    assert log.close()

    log, messages = run_cleaner_and_check_compacted(20)
    assert to_map(read_from_log(log)) == to_map(messages)


def follow(logs: Logs, log: UnifiedLog, entries: list[tuple[int, str]], codec: Compression, magic: int
           ) -> list[Entry]:
    """Append records of an old format: those of a log that an old Kafka began.

    The broker writes a producer's records of an old format in the new one.
    """
    first = log.log_end_offset()
    made = MemoryRecords.with_records(codec, *(
        SimpleRecord(NOW, str(key).encode(), value.encode()) for key, value in entries),
        magic=magic, initial_offset=first)
    for batch in made.batches():
        data = bytearray(batch.size_in_bytes())
        start = batch.last_offset() if codec is Compression.NONE else first
        data[:] = batch._buffer.to_bytes()  # type: ignore[attr-defined]
        append_at(log, start, bytes(data))
    assert log.log_end_offset() == first + len(entries)
    return [(key, value, first + number) for number, (key, value) in enumerate(entries)]


@EXCLUDE_ZSTD
def test_cleaner_with_message_format_v0(threads: Threads, type_: CompressionType) -> None:
    codec = Compression.of(type_).build()
    cleaner = threads.make(max_message_size=large_message_set(codec, 0).size_in_bytes() + 6)
    log = threads.log()
    counter = iter(range(10_000))

    def write(num_keys: int, magic: int, start_key: int = 0) -> list[Entry]:
        return [entry for _ in range(3) for key in range(start_key, start_key + num_keys)
                for entry in follow(threads.logs, log, [(key, str(next(counter)))], codec, magic)]

    appends = write(100, 0)
    start_size = log.size()
    cleaner.startup()
    threads.check_last_cleaned(log.active_segment().base_offset())
    check_log(log, start_size, appends)

    appends += write(40, 0)
    appends += follow(threads.logs, log, [(LARGE_KEY, LARGE_VALUE)], codec, 0)
    # The formats are mixed.
    appends += write(40, 1, 30)
    appends += threads.write_dups(5, 3, log, codec, start_key=15)
    threads.check_last_cleaned(log.active_segment().base_offset())
    check_log(log, start_size, appends)


@EXCLUDE_ZSTD
def test_cleaning_nested_messages_with_v0_and_v1(threads: Threads, type_: CompressionType) -> None:
    codec = Compression.of(type_).build()
    cleaner = threads.make(max_message_size=192, segment_bytes=256)
    log = threads.log()
    counter = iter(range(10_000))

    def write_set(start_key: int, num_keys: int, num_dups: int, magic: int) -> list[Entry]:
        entries = [(key, str(next(counter))) for _ in range(num_dups)
                   for key in range(start_key, start_key + num_keys)]
        return follow(threads.logs, log, entries, codec, magic)

    appends_v0 = write_set(0, 2, 3, 0) + write_set(3, 2, 2, 0)
    appends_v1 = write_set(4, 2, 2, 1) + write_set(4, 2, 2, 1) + write_set(6, 2, 2, 1)
    appends = appends_v0 + appends_v1
    start_size = log.size()
    first_dirty = log.active_segment().base_offset()
    # Both formats are cleaned.
    assert first_dirty > len(appends_v0)
    cleaner.startup()
    threads.check_last_cleaned(first_dirty)
    check_log(log, start_size, appends)


def config_of(cleaner_config: CleanerConfig) -> KafkaConfig:
    return KafkaConfig.from_props({
        "broker.id": "0", "listeners": "PLAINTEXT://127.0.0.1:0",
        CleanerConfig.LOG_CLEANER_THREADS_PROP: str(cleaner_config.num_threads),
        CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP: str(cleaner_config.dedupe_buffer_size),
        CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP: str(
            cleaner_config.dedupe_buffer_load_factor),
        CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_PROP: str(cleaner_config.io_buffer_size),
        "message.max.bytes": str(cleaner_config.max_message_size),
        CleanerConfig.LOG_CLEANER_BACKOFF_MS_PROP: str(cleaner_config.backoff_ms),
        CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP: str(cleaner_config.max_io_bytes_per_second)})


@ALL_COMPRESSIONS
def test_cleaner_config_update_test(threads: Threads, type_: CompressionType) -> None:
    codec = Compression.of(type_).build()
    # Buffers without a byte do not grow.
    cleaner = threads.make(backoff_ms=1, max_message_size=large_message_set(codec).size_in_bytes(),
                           io_buffer_size=1)
    log = threads.log()
    threads.write_dups(100, 3, log, codec)
    start_size = log.size()
    cleaner.startup()
    assert cleaner.cleaner_count() == 1

    first_dirty = log.active_segment().base_offset()
    assert not cleaner.await_cleaned(PARTITIONS[0], first_dirty, 10)
    assert cleaner.cleaner_manager().all_cleaner_checkpoints() == {}

    current = cleaner.current_config()
    cleaner.reconfigure(config_of(current), config_of(CleanerConfig(
        2, current.dedupe_buffer_size, current.dedupe_buffer_load_factor, 100_000, current.max_message_size,
        current.max_io_bytes_per_second, current.backoff_ms, True)))
    assert cleaner.cleaner_count() == 2
    threads.check_last_cleaned(first_dirty)
    assert start_size > log.size()
    # The metrics are there still.
    assert threads.gauge("DeadThreadCount") == 0
    assert isinstance(cleaner, LogCleaner)
