# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogCleanerIntegrationTest."""

from __future__ import annotations

import errno
import os

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log import log_cleaner_manager
from kreactor.core.log.cleaner import Cleaner
from kreactor.core.log.log_cleaner_manager import LogCleanerManager
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.storage.internals.log.log_segment import LogSegment
from tests.core.log.cleaner_threads import PARTITIONS, Threads, read_from_log, threads, to_map
from tests.core.log.support import append, singleton_records
from tests.stepping import wait_until

__all__ = ["threads"]

HOUR = 60 * 60 * 1000


def test_marks_partitions_as_offline_and_populates_uncleanable_metrics(threads: Threads) -> None:
    codec = Compression.lz4().build()
    max_message_size = singleton_records(b"x" * 128, b"20", codec=codec).size_in_bytes()
    cleaner = threads.make(max_message_size=max_message_size)
    manager = cleaner.cleaner_manager()

    def break_log(partition: int) -> UnifiedLog:
        log = threads.log(partition)
        threads.write_dups(20, 3, log, codec)
        path = log.segments()[-1].path()
        with open(path, "r+b") as file:
            file.write(b"jogeajgoea")
        threads.write_dups(20, 3, log, codec)
        return log

    broken = [break_log(partition) for partition in (0, 1)]
    cleaner.startup()

    def uncleanable() -> frozenset[TopicPartition]:
        return manager.uncleanable_partitions(threads.logs.directory)

    wait_until(lambda: threads.gauge("uncleanable-partitions-count") == 2, "2 partitions cannot be cleaned")
    expected = sum(LogCleanerManager.calculate_cleanable_bytes(log, 0, log.active_segment().base_offset())[1]
                   for log in broken)
    wait_until(lambda: threads.gauge("uncleanable-bytes") == expected, f"of {expected} bytes")
    assert uncleanable() == set(PARTITIONS[:2])

    del threads.pool[PARTITIONS[0]]
    wait_until(lambda: threads.gauge("uncleanable-partitions-count") == 1, "one of them is deleted")
    assert uncleanable() == {PARTITIONS[1]}


def test_max_log_compaction_lag(threads: Threads) -> None:
    max_lag_ms = 6 * HOUR
    clock = threads.logs.time
    cleaner = threads.make(min_compaction_lag_ms=HOUR, segment_bytes=512, max_compaction_lag_ms=max_lag_ms,
                           min_cleanable_dirty_ratio=1.0)
    log = threads.log()

    def write_key_dups(num_dups: int, step: int) -> list[tuple[int, int]]:
        written, value = [], 0
        for _ in range(num_dups):
            for key in range(100):
                append(log, key, value, timestamp=clock.milliseconds())
                written.append((key, value))
                value += step
        return written

    def read() -> list[tuple[int, int]]:
        return [(key, int(value)) for key, value, _ in read_from_log(log)]

    write_key_dups(3, 1)
    start_size = log.size()
    first_active = log.active_segment()
    cleaner.startup()

    clock.sleep(max_lag_ms // 2)
    threads.wait_for_rounds()
    assert log.size() == start_size

    clock.sleep(max_lag_ms // 2 + 1)
    appends = write_key_dups(1, 0)
    log.roll()
    second_active = log.active_segment()

    threads.check_last_cleaned(first_active.base_offset())
    # The second block is too young, and too small a part of the log.
    assert read() != appends

    clock.sleep(max_lag_ms + 1)
    threads.check_last_cleaned(second_active.base_offset())
    assert read() == appends


def test_is_thread_failed(threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka's interrupts the threads, which Python's cannot be."""
    cleaner = threads.make(max_message_size=100_000)
    cleaner.startup()
    failing = list(cleaner._cleaners)
    assert cleaner.dead_thread_count() == 0

    def fail(self: LogCleanerManager) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(log_cleaner_manager.LogCleanerManager, "maintain_uncleanable_partitions", fail)
    wait_until(lambda: all(thread.is_thread_failed() for thread in failing), "the threads end")
    assert threads.gauge("DeadThreadCount") == cleaner.dead_thread_count() == len(failing) == 1


@pytest.mark.deviation("D291")
def test_a_full_disk_is_waited_for(threads: Threads, monkeypatch: pytest.MonkeyPatch,
                                   caplog: pytest.LogCaptureFixture) -> None:
    """Kafka's broker ends there. Here the log is as it was, and is cleaned when there is room."""
    cleaner = threads.make()
    log = threads.log()
    written = threads.write_dups(100, 3, log, Compression.NONE)
    before = read_from_log(log)
    append_records = LogSegment.append_records
    failures = 0

    def no_room(*args: object) -> None:
        nonlocal failures
        failures += 1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(LogSegment, "append_records", no_room)
    cleaner.startup()
    wait_until(lambda: failures >= 3, "it is tried again")
    monkeypatch.setattr(LogSegment, "append_records", append_records)
    threads.check_last_cleaned(log.active_segment().base_offset())
    assert len([each for each in caplog.records if "tried again later" in each.getMessage()]) == 1
    assert len(read_from_log(log)) < len(before)
    assert to_map(read_from_log(log)) == to_map(written)
    assert cleaner.cleaner_manager().uncleanable_partitions(threads.logs.directory) == frozenset()


def test_an_abort_ends_a_cleaning_that_is_under_way(threads: Threads, monkeypatch: pytest.MonkeyPatch
                                                    ) -> None:
    """And nobody cleans the log before a resume."""
    cleaner = threads.make(PARTITIONS[:1])
    log = threads.log()
    threads.write_dups(100, 3, log, Compression.NONE)
    size = log.size()
    clean_into = Cleaner.clean_into
    rounds = 0

    def slow(self: Cleaner, *args: object) -> None:
        nonlocal rounds
        rounds += 1
        wait_until(lambda: repr(cleaner.cleaner_manager().cleaning_state(PARTITIONS[0])) != in_progress,
                   "it is aborted")
        clean_into(self, *args)  # type: ignore[arg-type]

    in_progress = repr(log_cleaner_manager.LOG_CLEANING_IN_PROGRESS)
    monkeypatch.setattr(Cleaner, "clean_into", slow)
    cleaner.startup()
    wait_until(lambda: rounds == 1, "the cleaning is under way")
    cleaner.abort_and_pause_cleaning(PARTITIONS[0])
    monkeypatch.setattr(Cleaner, "clean_into", clean_into)
    threads.wait_for_rounds()
    assert (log.size(), rounds, threads.last_cleaned()) == (size, 1, -1)
    assert not [name for name in os.listdir(log.directory()) if name.endswith(".cleaned")]
    cleaner.resume_cleaning([PARTITIONS[0]])
    threads.check_last_cleaned(log.active_segment().base_offset())
    assert log.size() < size


def test_a_shutdown_ends_a_cleaning_that_is_under_way(threads: Threads, monkeypatch: pytest.MonkeyPatch
                                                      ) -> None:
    cleaner = threads.make(PARTITIONS[:1])
    log = threads.log()
    threads.write_dups(100, 3, log, Compression.NONE)
    size = log.size()
    clean_into = Cleaner.clean_into
    began = []

    def slow(self: Cleaner, *args: object) -> None:
        began.append(1)
        wait_until(lambda: not thread.is_running(), "it is told to end")
        clean_into(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Cleaner, "clean_into", slow)
    cleaner.startup()
    thread = cleaner._cleaners[0]
    wait_until(lambda: bool(began), "the cleaning is under way")
    threads.shutdown()
    assert not thread.is_alive()
    assert log.size() == size
    assert threads.logs.registry.all_metrics().keys().isdisjoint(cleaner.MetricNames)
    assert not [name for name in os.listdir(log.directory()) if name.endswith(".cleaned")]
