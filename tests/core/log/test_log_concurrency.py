# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogConcurrencyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Threads that append, read, truncate and delete at the same time."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from kreactor.common.errors import NotLeaderOrFollowerException, OffsetOutOfRangeException
from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.exceptions import ClosedChannelException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.open_files import OpenFiles
from tests.core.log.managed_log import ManagedLog
from tests.core.log.test_unified_log_transactions import ABORT, COMMIT, Producer, committed_values
from tests.stepping import PATIENCE_S, wait_until
from tests.storage.internals.log.support import (
    LogHarness,
    log_config,
    read_batches,
    records,
    run_threads,
    values,
    wrap,
)

APPENDERS = 8
READERS = 4
BATCHES = 250


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), log_config(
        segment_bytes=20_000, index_interval_bytes=400, retention_bytes=60_000, retention_ms=-1,
        file_delete_delay_ms=5000))
    yield made
    made.dispose()


class Batch(NamedTuple):
    """The identity of a batch: two leaders may each have written one at an offset."""

    base_offset: int
    leader_epoch: int


def check_uncommitted_data_is_not_consumed(managed: ManagedLog, last_offset: int) -> None:
    """One thread appends as a leader and follows, in turn; another consumes up to the high watermark.

    The high watermark is held at the end before each append. A leader that becomes a follower truncates to
    it, and may lose what it has appended, which nobody must have read by then. The consumer gets time for a
    read after each append. Kafka's case goes on to offset 5000.
    """
    random = Random(4)
    consumed: list[Batch] = []
    is_appended, has_read = threading.Event(), threading.Event()

    def consume() -> None:
        fetch_offset = 0
        while not is_appended.is_set():
            log = managed.log()
            try:
                info = log.read(fetch_offset, 1, FetchIsolation.HIGH_WATERMARK, True)
                for batch in info.records.batches():
                    consumed.append(Batch(batch.base_offset(), batch.partition_leader_epoch()))
                    fetch_offset = batch.next_offset()
            except NotLeaderOrFollowerException:
                pass  # The log is being truncated: another takes its place.
            has_read.set()

    def append_and_truncate() -> None:
        leader_epoch, is_leader = 1, True
        while (log := managed.log()).high_watermark() < last_offset:
            if random.randrange(2):
                log.hold_high_watermark(log.log_end_offset())
                log.append_as_leader(records(*(b"%d" % number for number in range(random.randint(2, 10)))),
                                     leader_epoch)
                has_read.clear()
                assert has_read.wait(PATIENCE_S)
            else:
                is_leader, leader_epoch = not is_leader, leader_epoch + 1
                if not is_leader:
                    managed.truncate_to(log.high_watermark())

    def append() -> None:
        try:
            append_and_truncate()
        finally:
            is_appended.set()

    run_threads(consume, append)
    assert consumed
    managed.log().hold_high_watermark(None)
    stored = [Batch(batch.base_offset(), batch.partition_leader_epoch())
              for batch in read_batches(managed.log())]
    assert consumed == stored[:len(consumed)]


def test_uncommitted_data_not_consumed(managed_log: Callable[..., ManagedLog]) -> None:
    check_uncommitted_data_is_not_consumed(managed_log(), 1000)


def test_uncommitted_data_not_consumed_frequent_segment_rolls(
        managed_log: Callable[..., ManagedLog]) -> None:
    check_uncommitted_data_is_not_consumed(managed_log(segment_bytes=237), 400)


def test_appenders_readers_and_retention(harness: LogHarness) -> None:
    log = harness.log
    appended: dict[int, bytes] = {}
    running = threading.Event()
    running.set()
    left = itertools.count(APPENDERS - 1, -1)

    def append(appender: int) -> None:
        try:
            for number in range(BATCHES):
                value = b"%d-%03d-" % (appender, number) * (1 + number % 40)
                info = log.append_as_leader(records(value, b"second", producer_id=appender, producer_epoch=0,
                                                    base_sequence=2 * number), 0)
                assert not info.duplicate
                assert info.last_offset == info.first_offset + 1
                appended[info.first_offset] = value
        finally:
            if next(left) == 0:
                # The thread of retention may not have run yet.
                try:
                    wait_until(lambda: log.log_start_offset() > 0)
                finally:
                    running.clear()

    def read() -> None:
        offset = 0
        while running.is_set() or offset < log.log_end_offset():
            try:
                info = log.read(offset, 5000, FetchIsolation.HIGH_WATERMARK, True)
            except OffsetOutOfRangeException:
                assert offset < log.log_start_offset()
                offset = log.log_start_offset()
                continue
            assert info.log_start_offset <= info.high_watermark
            try:
                for batch in info.records.batches():
                    assert batch.base_offset() <= offset <= batch.last_offset()
                    batch.ensure_valid()
                    assert [record.offset() for record in batch] == [
                        batch.base_offset(), batch.last_offset()]
                    offset = batch.next_offset()
            except KafkaException as e:
                # This thread did not run for so long that its segment was deleted and closed.
                assert isinstance(e.__cause__, ClosedChannelException) and offset < log.log_start_offset()
                continue
            try:
                found = log.fetch_offset_by_timestamp(-3)
            except KafkaException as e:
                # So for the segment of the latest time.
                assert isinstance(e.__cause__, ClosedChannelException) and log.log_start_offset() > 0
                continue
            assert found is None or found.offset < log.log_end_offset()

    def retain() -> None:
        while running.is_set():
            log.delete_old_segments()
            # A reader has 500 rounds of this for what it was given.
            harness.scheduler.tick(10)
            log.flush()

    run_threads(*(lambda appender=appender: append(appender) for appender in range(APPENDERS)),
                *[read] * READERS, retain)

    assert log.log_end_offset() == 2 * APPENDERS * BATCHES
    assert sorted(appended) == list(range(0, 2 * APPENDERS * BATCHES, 2))
    assert log.log_start_offset() > 0
    start = log.log_start_offset()
    expected = [value for offset in range(start, log.log_end_offset(), 2)
                for value in (appended[offset], b"second")]
    assert values(log) == expected
    harness.crash_and_open()
    assert values(harness.log) == expected
    assert {entry.producer_id: entry.last_seq() for entry in harness.log.active_producers()} == {
        appender: 2 * BATCHES - 1 for appender in range(APPENDERS)}


def test_readers_of_committed_records(harness: LogHarness) -> None:
    """Never see what is aborted, and all that is committed, while it is."""
    harness.producer_state_config.transaction_verification_enabled = False
    harness.config = log_config(segment_bytes=2_000, index_interval_bytes=200, retention_ms=-1)
    log = harness.close_and_open()
    running = threading.Event()
    running.set()
    committed: list[list[bytes]] = [[], []]
    left = itertools.count(1, -1)

    def transact(producer_id: int) -> None:
        producer = Producer(harness, producer_id)
        try:
            for number in range(100):
                value = b"%d-%d" % (producer_id, number)
                producer.append(value, value + b"+")
                producer.append(value + b"-")
                if number % 3:
                    producer.end(ABORT)
                else:
                    committed[producer_id] += [value, value + b"+", value + b"-"]
                    producer.end(COMMIT)
        finally:
            if next(left) == 0:
                running.clear()

    def read() -> None:
        while running.is_set():
            found = committed_values(log, max_bytes=500)
            for producer_id in (0, 1):
                own = [value for value in found if value.startswith(b"%d" % producer_id)]
                assert own == committed[producer_id][:len(own)]

    run_threads(lambda: transact(0), lambda: transact(1), read, read)
    found = committed_values(log)
    assert sorted(found) == sorted(committed[0] + committed[1])


def test_descriptors(tmp_path: Path) -> None:
    """One for the active segment, and no more than the limit for the others."""
    harness = LogHarness(str(tmp_path), log_config(segment_bytes=300))
    harness.files._limit = 5

    def descriptors() -> int:
        return len([name for name in os.listdir("/proc/self/fd")
                    if os.path.exists(f"/proc/self/fd/{name}")
                    and os.readlink(f"/proc/self/fd/{name}").startswith(str(tmp_path))])

    for _ in range(30):
        harness.append(b"x" * 200)
    assert harness.log.number_of_segments() == 30
    for _ in range(3):
        for offset in range(30):
            assert len(harness.log.read(offset, 10, FetchIsolation.HIGH_WATERMARK, True).records
                       .records().__iter__().__next__().value().view()) == 200  # type: ignore[union-attr]
        assert descriptors() == 1 + 5
    held = [harness.log.read(offset, 10, FetchIsolation.HIGH_WATERMARK, True) for offset in range(10)]
    assert len(held) == 10
    assert descriptors() == 1 + 5
    assert harness.log.close()
    assert descriptors() == 0


def test_what_was_read_last_stays_open(tmp_path: Path) -> None:
    opened = []

    class Segment:
        def __init__(self, name: str) -> None:
            self.name = name

        def path(self) -> str:
            opened.append(self.name)
            return str(tmp_path)

    files = OpenFiles(2)
    one, two, three = Segment("one"), Segment("two"), Segment("three")
    for segment in (one, two, one, three, one, two):
        files.hold(segment).release()
    assert opened == ["one", "two", "three", "two"]
    assert files.size() == 2
    files.forget(one)
    files.forget(one)
    assert files.size() == 1
    files.forget_all()


@pytest.mark.parametrize("end", ["delete", "crash", "drop"])
def test_an_answer_of_a_segment_that_goes(tmp_path: Path, end: str) -> None:
    """It is sent as long as the segment's file is there, and never from a file that has the same number."""
    harness = LogHarness(str(tmp_path), log_config(segment_bytes=2000, retention_bytes=0,
                                                   file_delete_delay_ms=1000))
    sent = wrap(records(b"first" * 300).buffer().to_bytes())
    harness.log.append_as_leader(sent, 0)
    info = harness.log.read(0, 10_000, FetchIsolation.HIGH_WATERMARK, True)
    harness.append(b"second" * 200)
    channel = info.records.channel()  # type: ignore[attr-defined]
    expected = ByteBuffer.wrap(sent.buffer().to_bytes()).to_bytes()
    half = len(expected) // 2
    assert channel.read_at(half, 0) == expected[:half] and channel.is_open()
    if end == "drop":
        harness.log.rename_for_deletion(harness.log.directory() + "-delete")
    else:
        assert harness.log.delete_old_segments() == 2
    harness.files.forget_all()
    buffer = ByteBuffer.allocate(half)
    assert channel.read(buffer, half) == half and buffer.flip().to_bytes() == expected[half:2 * half]
    assert channel.size() == len(expected)
    if end == "drop":
        harness.log.close_handlers()
    elif end == "crash":
        harness.log.abandon()
    else:
        harness.scheduler.tick(1000)
    others = [os.open(tmp_path, os.O_RDONLY) for _ in range(20)]
    assert not channel.is_open()
    for use in (channel.size, lambda: channel.read_at(1, 0), lambda: channel.force(True)):
        with pytest.raises(ClosedChannelException):
            use()
    for fd in others:
        os.close(fd)
    harness.dispose()


def test_an_answer_of_a_segment_that_is_written_anew(tmp_path: Path) -> None:
    """It goes on with the old file, whose name the new one has, for a while."""
    harness = LogHarness(str(tmp_path), log_config(file_delete_delay_ms=1000))
    harness.append(b"a" * 200)
    first = harness.log.size()
    harness.append(b"b" * 200)
    size = harness.log.size()
    harness.log.roll()
    info = harness.log.read(0, 10_000, FetchIsolation.HIGH_WATERMARK, True)
    channel = info.records.channel()  # type: ignore[attr-defined]
    before = channel.read_at(size, 0)
    old = harness.log.segments()[0]
    path = old.path()
    new = harness.log.create_new_cleaned_segment(0)
    new.append_records(wrap(before[first:]))
    new.seal()
    harness.log.replace_segments([new], [old])
    assert harness.log.segments()[0] is new
    assert new.path() == path
    assert new.channel().read_at(size, 0) == before[first:]
    harness.files.forget_all()
    assert channel.read_at(size, 0) == before
    harness.scheduler.tick(1000)
    with pytest.raises(ClosedChannelException):
        channel.read_at(size, 0)
    assert harness.log.close()
