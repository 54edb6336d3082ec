# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log that was not closed keeps a prefix of its appends, with any damage to its end.

The tests of Kafka's LogLoaderTest are behind those of our own.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.log import log_loader
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.data_folder import CLEAN_SHUTDOWN_FILE, DataFolder
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache
from kreactor.storage.internals.log import batch_scan
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file_utils import (
    CLEANED_SUFFIX, DELETED_SUFFIX, INDEX_SUFFIX, LOG_SUFFIX, SNAPSHOT_SUFFIX, SWAP_SUFFIX, TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX, file_name)
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.offset_index import OffsetIndex
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager import ProducerStateManager
from kreactor.testing.mock_time import MockTime
from tests.core.log.support import (
    MAX_INT, all_aborted_transactions, append, append_at, append_end_txn_marker_as_leader,
    append_non_transactional_as_leader, append_transactional_as_leader, delete_producer_snapshot_files,
    initialize_log_dir_with_overflowed_segment, keys_in_log, list_producer_snapshot_offsets,
    message_with_offset, segment_batches)
from tests.storage.internals.log.support import (
    NOW, LogHarness, MockScheduler, TrackedFiles, log_config, records, values)

GZIP = Compression.gzip().build()
# Where the leader epoch stands in a batch.
EPOCH = 12


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), log_config(segment_bytes=1000, index_interval_bytes=150))
    yield made
    made.dispose()


def producers(log: UnifiedLog) -> dict[int, tuple[int, int, int, int]]:
    """Return of each producer what must be right after a restart: epoch, and its last batch."""
    return {entry.producer_id: (entry.producer_epoch, entry.last_seq(), entry.last_data_offset(),
                                entry.last_offset_delta()) for entry in log.active_producers()}


def producers_by_reading(log: UnifiedLog) -> dict[int, tuple[int, int, int, int]]:
    """Return the same from nothing but the records of the whole log."""
    found: dict[int, ProducerStateEntry] = {}
    for segment in log.segments():
        for batch in batch_scan.scan(segment.channel(), 0, segment.size(), True):
            if batch.producer_id >= 0:
                entry = found.setdefault(batch.producer_id, ProducerStateEntry(batch.producer_id))
                entry.add_batch(batch.producer_epoch, batch.last_sequence(), batch.last_offset,
                                batch.last_offset - batch.base_offset, batch.max_timestamp)
    return {producer_id: (entry.producer_epoch, entry.last_seq(), entry.last_data_offset(),
                          entry.last_offset_delta()) for producer_id, entry in found.items()}


def indexes(segment: LogSegment) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    offset_index, time_index = segment.offset_index(), segment.time_index()
    return ([offset_index.entry(n) for n in range(offset_index.entries())],
            [time_index.entry(n) for n in range(time_index.entries())])


class Appended(NamedTuple):
    """A log as a killed process left it, and what was in it."""

    directory: str
    values: list[bytes]
    # End of each batch: its last segment, position and next offset.
    ends: list[tuple[int, int, int]]


def fill(harness: LogHarness, batches: int = 12) -> Appended:
    """Append batches of several producers, sizes and codecs over a few segments."""
    sent: list[bytes] = []
    ends = []
    sequences = {1: 0, 2: 0}
    for number in range(batches):
        payload = [b"%02d-%d-" % (number, i) * (7 + number % 5) for i in range(1 + number % 3)]
        producer_id = (1, 2, -1)[number % 3]
        harness.log.append_as_leader(records(
            *payload, timestamp=NOW + number * 10, codec=GZIP if number % 4 == 3 else Compression.NONE,
            producer_id=producer_id, producer_epoch=0 if producer_id > 0 else -1,
            base_sequence=sequences[producer_id] if producer_id > 0 else -1), 0)
        if producer_id > 0:
            sequences[producer_id] += len(payload)
        sent += payload
        end = harness.log.log_end_offset_metadata()
        ends.append((end.segment_base_offset, end.relative_position_in_segment, end.message_offset))
    return Appended(harness.directory, sent, ends)


def check(harness: LogHarness, appended: Appended, next_offset: int) -> None:
    """The log is what was appended, up to an offset; it can be read, and written."""
    log = harness.log
    assert log.log_end_offset() == next_offset
    assert values(log) == appended.values[:next_offset]
    assert producers(log) == producers_by_reading(log)
    for segment in log.segments():
        found = indexes(segment)
        again = LogSegment.open(log.directory(), segment.base_offset(), log.config(), harness.files,
                                harness.time)
        indexer = again.start_recovery()
        for batch in batch_scan.scan(segment.channel(), 0, segment.size(), True):
            indexer.add(batch)
        if indexer.latest[0] >= 0:
            again.time_index().maybe_append(*indexer.latest)
        if segment is not log.segments()[-1]:
            assert found[0] == indexes(again)[0]
        assert segment.max_timestamp_and_offset() == indexer.latest
        again.release()
    after = records(b"after the crash")
    assert log.append_as_leader(after, log.latest_epoch() or 0).first_offset == next_offset
    assert values(log, next_offset) == [b"after the crash"]


def test_nothing_wrong(harness: LogHarness) -> None:
    appended = fill(harness)
    assert harness.log.number_of_segments() >= 2
    harness.crash_and_open()
    check(harness, appended, len(appended.values))


def test_producers_are_read_from_the_latest_snapshot_on(
        harness: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """From each segment before the first that is recovered, or not at all if there is a snapshot."""
    replayed: list[tuple[int, int]] = []
    load_producers = log_loader._load_producers_from_records

    def spied(state: ProducerStateManager, segment: LogSegment, start: int, fills_txn_index: bool) -> None:
        replayed.append((segment.base_offset(), start))
        load_producers(state, segment, start, fills_txn_index)

    monkeypatch.setattr(log_loader, "_load_producers_from_records", spied)

    def replayed_by_opening(clean: bool, *without: int) -> list[tuple[int, int]]:
        """Return what is read of which segments when the log is opened without these snapshots."""
        if clean:
            assert harness.log.close()
        else:
            harness.crash()
        for offset in without:
            os.remove(os.path.join(harness.directory, f"{offset:020d}.snapshot"))
        replayed.clear()
        harness.open(clean, bases[-1])
        assert producers(harness.log) == producers_by_reading(harness.log)
        return list(replayed)

    fill(harness, 24)
    bases = [segment.base_offset() for segment in harness.log.segments()]
    end = harness.log.log_end_offset()
    assert len(bases) >= 4
    harness.crash_and_open()
    assert replayed == []
    assert snapshots(harness) == [*bases[1:], end]
    assert replayed_by_opening(False) == []
    assert snapshots(harness) == [*bases[1:], end]
    assert replayed_by_opening(False, *bases[1:], end) == [(base, base) for base in bases[:-1]]
    assert snapshots(harness) == [*bases[-2:], end]
    assert replayed_by_opening(False, bases[-1]) == [(bases[-2], bases[-2])]
    assert snapshots(harness) == [*bases[-2:], end]
    assert replayed_by_opening(True) == []
    assert replayed_by_opening(True, end) == [(bases[-1], bases[-1])]
    assert replayed_by_opening(True, bases[-1], end) == [(bases[-2], bases[-2]), (bases[-1], bases[-1])]
    assert snapshots(harness) == [*bases[-2:], end]
    harness.append(b"x")
    assert harness.log.number_of_segments() == len(bases)
    assert replayed_by_opening(False) == []
    assert snapshots(harness) == [*bases[-2:], end + 1]


def snapshots(harness: LogHarness) -> list[int]:
    """Return the offsets of the files."""
    return sorted(int(name[:20]) for name in os.listdir(harness.directory) if name.endswith(".snapshot"))


def test_as_after_a_clean_stop(harness: LogHarness) -> None:
    appended = fill(harness)
    before = producers(harness.log)
    harness.close_and_open()
    assert producers(harness.log) == before
    assert harness.log.recovery_point() == harness.log.log_end_offset()
    check(harness, appended, len(appended.values))


def test_batches_that_no_read_ends_with(tmp_path: Path) -> None:
    """A file is read in pieces of a mebibyte, and a batch begins in one and ends in the next."""
    harness = LogHarness(str(tmp_path), LogConfig())
    sent = [bytes([number]) * 700_000 for number in range(4)]
    for value in sent:
        harness.append(value)
    assert values(harness.crash_and_open()) == sent
    harness.dispose()


def test_cut_at_every_byte_of_the_last_two_batches(harness: LogHarness, tmp_path: Path) -> None:
    appended = fill(harness)
    base = appended.ends[-1][0]
    assert appended.ends[-3][0] == base, "the last two batches are in one segment"
    harness.crash()
    kept = tmp_path / "kept"
    shutil.copytree(appended.directory, kept)
    path = os.path.join(appended.directory, f"{base:020d}.log")
    for size in range(appended.ends[-3][1], appended.ends[-1][1]):
        shutil.rmtree(appended.directory)
        shutil.copytree(kept, appended.directory)
        os.truncate(path, size)
        harness.open(clean=False)
        whole = [end for end in appended.ends if end[0] < base or end[1] <= size]
        check(harness, appended, whole[-1][2])
        harness.crash()


@pytest.mark.deviation("D71")
def test_a_flipped_bit_in_every_byte_of_the_last_two_batches(harness: LogHarness, tmp_path: Path) -> None:
    appended = fill(harness)
    base = appended.ends[-1][0]
    harness.crash()
    kept = tmp_path / "kept"
    shutil.copytree(appended.directory, kept)
    path = os.path.join(appended.directory, f"{base:020d}.log")
    with open(path, "rb") as file:
        data = file.read()
    for position in range(appended.ends[-3][1], appended.ends[-1][1]):
        shutil.rmtree(appended.directory)
        shutil.copytree(kept, appended.directory)
        flipped = bytearray(data)
        flipped[position] ^= 1 << position % 8
        with open(path, "wb") as file:
            file.write(flipped)
        harness.open(clean=False)
        if any(0 <= position - end[1] - EPOCH < 4 for end in appended.ends[-3:-1]):
            # The epoch is not under the checksum. As in Kafka, the batch stays.
            whole = appended.ends
        else:
            whole = [end for end in appended.ends if end[0] < base or end[1] <= position]
        check(harness, appended, whole[-1][2])
        harness.crash()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_anything_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any number of batches, any damage to any unflushed segment, any recovery point before it."""
    harness = LogHarness(str(tmp_path_factory.mktemp("log")),
                         log_config(segment_bytes=data.draw(st.sampled_from([400, 1000, 100_000])),
                                    index_interval_bytes=data.draw(st.sampled_from([0, 100, 4096]))))
    appended = fill(harness, data.draw(st.integers(1, 30)))
    segments = harness.log.segments()
    slot = data.draw(st.integers(0, len(segments) - 1))
    base, size = segments[slot].base_offset(), segments[slot].size()
    path = segments[slot].path()
    if data.draw(st.booleans()):
        harness.scheduler.tick()
        recovery_point = min(base, harness.log.recovery_point())
    else:
        recovery_point = data.draw(st.integers(0, base))
    harness.crash()
    position = data.draw(st.integers(0, max(size - 1, 0)))
    damage = data.draw(st.sampled_from(["cut", "flip", "zeros", "garbage", "nothing"]))
    with open(path, "r+b") as file:
        if damage == "cut":
            file.truncate(position)
        elif damage == "flip" and size:
            file.seek(position)
            byte = file.read(1)[0]
            file.seek(position)
            file.write(bytes([byte ^ 1 << data.draw(st.integers(0, 7))]))
        elif damage == "zeros" and size:
            file.seek(position)
            file.write(bytes(size - position))
        elif damage == "garbage":
            file.seek(0, os.SEEK_END)
            file.write(data.draw(st.binary(min_size=1, max_size=200)))
    for suffix in (".index", ".timeindex"):
        other = path[:-4] + suffix
        if os.path.exists(other) and data.draw(st.booleans()):
            with open(other, "wb") as file:
                file.write(data.draw(st.binary(max_size=40)))
    harness.open(clean=False, recovery_point=recovery_point)
    end = harness.log.log_end_offset()
    starts = [0, *(position_ for base_, position_, _ in appended.ends if base_ == base)]
    if damage == "flip" and any(0 <= position - start - EPOCH < 4 for start in starts):
        # The epoch is not under the checksum. As in Kafka, the batch stays.
        assert end == len(appended.values)
    elif damage in ("nothing", "garbage"):
        assert end >= segments[slot].base_offset()
        if damage == "nothing" or slot == len(segments) - 1:
            assert end == len(appended.values)
    else:
        whole = [0] + [end_ for base_, position_, end_ in appended.ends
                       if base_ < base or base_ == base and position_ <= position]
        # Zeros where zeros were are no damage.
        assert end >= whole[-1]
        if damage != "zeros":
            assert end == (whole[-1] if size else len(appended.values))
    check(harness, appended, end)
    harness.dispose()


def test_a_segment_that_is_cut_takes_all_later_ones_with_it(harness: LogHarness) -> None:
    appended = fill(harness, 20)
    assert harness.log.number_of_segments() >= 4
    path = harness.segment_path(1)
    next_offset = harness.log.segments()[1].base_offset()
    harness.crash()
    with open(path, "r+b") as file:
        file.write(b"\xff" * 20)
    harness.open(clean=False)
    assert harness.log.number_of_segments() == 2
    check(harness, appended, next_offset)
    assert sorted(int(name[:20]) for name in os.listdir(harness.directory) if name.endswith(".log")) == [
        0, next_offset]
    assert not [name for name in os.listdir(harness.directory)
                if name.endswith(".snapshot") and int(name[:20]) > next_offset]


def files(harness: LogHarness) -> dict[str, bytes]:
    """Return the files of segments by their names before a deletion."""
    return {name.removesuffix(DELETED_SUFFIX): Path(harness.directory, name).read_bytes()
            for name in os.listdir(harness.directory) if name[:20].isdecimal() and ".snapshot" not in name}


def deleted(harness: LogHarness) -> list[str]:
    return sorted(name for name in os.listdir(harness.directory) if name.endswith(DELETED_SUFFIX))


@pytest.mark.parametrize("ends_before_start", [False, True])
def test_segments_that_a_recovery_drops_are_deleted_later(harness: LogHarness,
                                                          ends_before_start: bool) -> None:
    """They are renamed first, as Kafka does it, so that a person can save them."""
    fill(harness, 20)
    before = files(harness)
    path = harness.segment_path(1)
    dropped = [segment.base_offset() for segment in harness.log.segments()[0 if ends_before_start else 2:]]
    harness.crash()
    if not ends_before_start:
        with open(path, "r+b") as file:
            file.write(b"\xff" * 20)
    harness.open(clean=False, log_start_offset=1000 if ends_before_start else 0)
    assert sorted({int(name[:20]) for name in deleted(harness)}) == dropped
    renamed = {name.removesuffix(DELETED_SUFFIX) for name in deleted(harness)}
    assert {f"{offset:020}.log" for offset in dropped} <= renamed
    assert {name: files(harness)[name] for name in renamed if name.endswith(".log")} == {
        name: before[name] for name in renamed if name.endswith(".log")}
    harness.time.sleep(harness.config.file_delete_delay_ms - 1)
    harness.scheduler.tick()
    assert deleted(harness)
    harness.time.sleep(1)
    harness.scheduler.tick()
    assert not deleted(harness)


def test_a_segment_that_lost_its_end_between_two_batches(harness: LogHarness) -> None:
    """The segment is whole, but the next one does not begin at its end."""
    appended = fill(harness, 20)
    path = harness.segment_path(1)
    base = harness.log.segments()[1].base_offset()
    first = next(end for end in appended.ends if end[0] == base)
    harness.crash()
    os.truncate(path, first[1])
    harness.open(clean=False)
    assert harness.log.number_of_segments() == 2
    check(harness, appended, first[2])


def test_a_torn_end_after_a_stop_that_was_said_to_be_clean(harness: LogHarness) -> None:
    appended = fill(harness)
    assert harness.log.close()
    path = harness.segment_path()
    os.truncate(path, os.stat(path).st_size - 1)
    harness.open(clean=True)
    check(harness, appended, appended.ends[-2][2])


def test_a_hole_that_a_compaction_left(harness: LogHarness) -> None:
    """A read goes on behind it, as in Kafka."""
    appended = fill(harness, 20)
    _, size, hole_start = [end for end in appended.ends if end[0] == 0][-2]
    assert harness.log.close()
    os.truncate(harness.segment_path(0), size)
    for suffix in (".index", ".timeindex"):
        os.remove(harness.segment_path(0)[:-4] + suffix)
    harness.open(clean=True)
    hole = range(hole_start, harness.log.segments()[1].base_offset())
    assert len(hole) > 0
    for offset in hole:
        assert values(harness.log, offset) == appended.values[hole.stop:]
    assert values(harness.log) == appended.values[:hole.start] + appended.values[hole.stop:]


def test_epochs_of_records_that_are_gone(harness: LogHarness) -> None:
    harness.append(b"a")
    harness.crash()
    (Path(harness.directory) / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n9 1\n")
    harness.open(clean=False)
    assert harness.log.latest_epoch() == 0


def test_what_was_flushed_is_not_read_again(harness: LogHarness) -> None:
    fill(harness, 20)
    harness.scheduler.tick()
    recovery_point = harness.log.recovery_point()
    assert recovery_point == harness.log.segments()[-1].base_offset()
    path = harness.segment_path(0)
    end = harness.log.log_end_offset()
    harness.crash()
    with open(path, "r+b") as file:
        file.seek(100)
        file.write(b"\xff")
    harness.open(clean=False, recovery_point=recovery_point)
    assert harness.log.log_end_offset() == end


def test_a_log_that_ends_before_its_start_begins_anew(harness: LogHarness) -> None:
    fill(harness)
    harness.crash_and_open(log_start_offset=100)
    assert (harness.log.log_start_offset(), harness.log.log_end_offset()) == (100, 100)
    assert harness.append(b"next") == 100
    assert harness.log.active_producers() == []
    harness.crash_and_open()
    assert values(harness.log) == [b"next"]


def test_start_within_a_segment(harness: LogHarness) -> None:
    appended = fill(harness)
    harness.crash_and_open(log_start_offset=2)
    assert harness.log.log_start_offset() == 2
    assert values(harness.log) == appended.values[2:]


@pytest.mark.parametrize("clean", [True, False])
def test_missing_and_wrong_indexes(harness: LogHarness, clean: bool) -> None:
    appended = fill(harness, 20)
    assert harness.log.close()
    files = {name: (Path(harness.directory) / name).read_bytes() for name in os.listdir(harness.directory)
             if name.endswith("index")}
    assert len(files) == 2 * harness.log.number_of_segments()
    for number, name in enumerate(sorted(files)):
        path = Path(harness.directory) / name
        if number % 4 == 0:
            path.unlink()
        elif number % 4 == 1:
            path.write_bytes(files[name] + b"x")
        elif number % 4 == 2:
            path.write_bytes(files[name][::-1])
        else:
            # As a killed Kafka leaves it: the file has its full size from the start.
            path.write_bytes(files[name] + bytes(120))
    harness.open(clean=clean)
    assert values(harness.log) == appended.values
    for offset in range(harness.log.log_end_offset()):
        assert values(harness.log, offset) == appended.values[offset:]
        assert harness.log.fetch_offset_by_timestamp(NOW) is not None
    assert harness.log.close()
    for name, content in files.items():
        assert (Path(harness.directory) / name).read_bytes() == content


def test_an_index_of_another_segment(harness: LogHarness) -> None:
    """It is in order, and yet there is no batch that ends at 1 at position 7."""
    appended = fill(harness)
    assert harness.log.close()
    path = Path(harness.segment_path(0)[:-4] + ".index")
    content = path.read_bytes()
    path.write_bytes(struct.pack(">2i", 1, 7))
    harness.open(clean=True)
    for offset in range(harness.log.log_end_offset()):
        assert values(harness.log, offset) == appended.values[offset:]
    assert path.read_bytes() == content


def test_leftovers_go(harness: LogHarness) -> None:
    fill(harness)
    harness.crash()
    for name in ("00000000000000000099.index", "00000000000000000099.timeindex",
                 "00000000000000000000.log.deleted", "leader-epoch-checkpoint.tmp",
                 "00000000000000000099.txnindex"):
        (Path(harness.directory) / name).write_bytes(b"leftover")
    harness.open(clean=False)
    assert not {name for name in os.listdir(harness.directory)
                if "99" in name or name.endswith((".deleted", ".tmp"))}


def test_snapshots(harness: LogHarness) -> None:
    """Without a snapshot, with a broken one, with one: the same producers."""
    fill(harness, 20)
    expected = producers(harness.log)
    harness.crash()
    snapshots = sorted(Path(harness.directory).glob("*.snapshot"))
    assert len(snapshots) >= 3
    harness.open(clean=False)
    assert producers(harness.log) == expected
    harness.crash()
    for damage in (b"", b"\0\1garbage that is no snapshot", b"\0\2" + bytes(30)):
        for path in Path(harness.directory).glob("*.snapshot"):
            path.write_bytes(damage)
        harness.open(clean=False)
        assert producers(harness.log) == expected
        harness.crash()
    for path in Path(harness.directory).glob("*.snapshot"):
        path.unlink()
    harness.open(clean=False)
    assert producers(harness.log) == expected


def test_duplicates_are_known_after_a_crash(harness: LogHarness) -> None:
    def sent(sequence: int) -> MemoryRecords:
        return records(b"a", b"b", producer_id=5, producer_epoch=2, base_sequence=sequence)

    for sequence in (0, 2, 4):
        harness.log.append_as_leader(sent(sequence), 0)
    harness.crash_and_open()
    for sequence in (0, 2, 4):
        info = harness.log.append_as_leader(sent(sequence), 0)
        assert info.duplicate and info.first_offset == sequence
    # A snapshot knows only the last batch.
    harness.close_and_open()
    assert harness.log.append_as_leader(sent(4), 0).duplicate
    assert harness.log.append_as_leader(sent(6), 0).first_offset == 6


def test_epochs_that_the_file_lost_are_found_in_the_records(harness: LogHarness) -> None:
    for epoch in (0, 3, 3, 4):
        harness.log.append_as_leader(records(b"a", b"b"), epoch)
    harness.crash()
    for damage in (None, b"", b"0\n1\nnonsense\n", b"\xff"):
        path = Path(harness.directory) / "leader-epoch-checkpoint"
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
        harness.open(clean=False)
        assert harness.log._leader_epochs.entries() == ((0, 0), (3, 2), (4, 6))
        harness.crash()


def test_old_formats_in_a_log(harness: LogHarness) -> None:
    """Batches of magic 0 and 1, as a very old Kafka wrote them, and a torn one at the end."""
    harness.crash()
    data = bytearray()
    for offset, (magic, codec) in enumerate([(0, Compression.NONE), (1, Compression.NONE), (1, GZIP)]):
        batch = bytearray(records(b"value", magic=magic, codec=codec, timestamp=NOW).buffer().to_bytes())
        struct.pack_into(">q", batch, 0, offset)
        data += batch
    path = Path(harness.directory) / "00000000000000000000.log"
    path.write_bytes(data + data[:30])
    harness.open(clean=False)
    assert harness.log.log_end_offset() == 3
    assert values(harness.log) == [b"value"] * 3
    assert path.stat().st_size == len(data)
    assert harness.append(b"new") == 3
    for offset in range(4):
        assert values(harness.log, offset) == ([b"value"] * 3 + [b"new"])[offset:]
    found = harness.log.fetch_offset_by_timestamp(NOW)
    assert found is not None and found.offset == 1
    broken = bytearray(path.read_bytes())
    broken[len(data) - 1] ^= 1
    harness.crash()
    path.write_bytes(broken)
    harness.open(clean=False)
    assert harness.log.log_end_offset() == 2


@pytest.mark.parametrize("clean", [True, False])
def test_a_damaged_or_lost_index_of_a_transaction_that_began_before_the_start(
        folder: LogHarness, clean: bool) -> None:
    log = create(folder, log_config())
    append = append_transactional_as_leader(log, 1, 0, folder.time)
    append(1)
    append(1)
    append_end_txn_marker_as_leader(log, 1, 0, ControlRecordType.ABORT, folder.time.milliseconds())
    log.maybe_increment_log_start_offset(1)
    expected = [AbortedTxn(1, 0, 2, 3)]
    assert all_aborted_transactions(log) == expected
    path = log.active_segment().path(TXN_INDEX_SUFFIX)
    log.close()
    Path(path).write_bytes(b"damaged")
    log = create(folder, log_config(), clean=clean, log_start_offset=1)
    assert all_aborted_transactions(log) == expected
    log.close()
    # As a copy of the folder may leave it.
    for file in index_files(log, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX):
        os.remove(file)
    log = create(folder, log_config(), clean=clean, log_start_offset=1)
    assert all_aborted_transactions(log) == expected
    fetched = log.read(1, 1000, FetchIsolation.TXN_COMMITTED, True)
    assert fetched.aborted_transactions is not None and len(fetched.aborted_transactions) == 1


# -- Kafka's LogLoaderTest ---------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[LogHarness]:
    """A folder whose log ``create`` opens."""
    made = LogHarness(str(tmp_path), is_open=False)
    made.producer_state_config.transaction_verification_enabled = False
    yield made
    made.dispose()


def create(folder: LogHarness, config: LogConfig, *, clean: bool = True, recovery_point: int = 0,
           log_start_offset: int = 0) -> UnifiedLog:
    folder.config = config
    return folder.open(clean, recovery_point, log_start_offset)


def append_and_roll(log: UnifiedLog, count: int) -> None:
    """Append batches of one record, each in a segment of its own."""
    for number in range(count):
        log.append_as_leader(records(b"%d" % number), 0)
        log.roll()


def active_producers_with_last_sequence(log: UnifiedLog) -> dict[int, int]:
    return {entry.producer_id: entry.last_seq() for entry in log.active_producers()}


def random_bytes(count: int) -> bytes:
    return bytes(random.randrange(256) for _ in range(count))


def read_offset(log: UnifiedLog, offset: int) -> int:
    """Return the last offset of the batch that a read from ``offset`` gives."""
    batch = next(iter(log.read(offset, 100, FetchIsolation.LOG_END, True).records.batches()))
    return batch.last_offset()


def index_files(log: UnifiedLog, *suffixes: str) -> list[str]:
    return [segment.path(suffix) for segment in log.segments() for suffix in suffixes]


def snapshot_file(folder: LogHarness, offset: int) -> Path:
    return Path(folder.directory, file_name(offset, SNAPSHOT_SUFFIX))


def test_log_recovery_is_called_upon_broker_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node has one directory: a failure of the disk, which takes that offline in Kafka, fails the start."""
    topic_partition, topic_id, config = TopicPartition("foo", 0), Uuid.random_uuid(), LogConfig()
    time = MockTime()
    files = TrackedFiles()
    intercepted_clean: list[bool] = []
    simulated_error: list[Exception] = []
    load = log_loader.load

    def load_log(*args: Any, clean: bool, **kwargs: Any) -> UnifiedLog:
        if simulated_error:
            raise simulated_error[0]
        intercepted_clean.append(clean)
        return load(*args, clean=clean, **kwargs)

    data_folder = DataFolder.open(str(tmp_path))
    clean_shutdown_file = tmp_path / CLEAN_SHUTDOWN_FILE

    def new_log_manager() -> LogManager:
        return LogManager(data_folder, LogManagerConfig(), MockScheduler(time), time, files)

    def load_logs() -> LogManager:
        made = new_log_manager()
        made.load({topic_partition: (topic_id, config)})
        return made

    log_manager = new_log_manager()
    log_manager.create_log(topic_partition, topic_id, config)
    log_manager.abandon()
    monkeypatch.setattr(log_loader, "load", load_log)

    # After a clean stop.
    data_folder.mark_clean_shutdown()
    log_manager = load_logs()
    assert intercepted_clean == [True]
    assert not clean_shutdown_file.exists()
    log_manager.abandon()
    # Without the file of it.
    log_manager = load_logs()
    assert intercepted_clean == [True, False]
    assert not clean_shutdown_file.exists()
    log_manager.shutdown()
    assert clean_shutdown_file.exists()

    # The logs cannot be loaded.
    for error, raised in ((RuntimeError("Simulated Runtime error"), RuntimeError),
                          (KafkaStorageException("Simulated Kafka storage error", OSError()),
                           KafkaStorageException),
                          (KafkaStorageException("Simulated Kafka storage error"), KafkaStorageException),
                          (OSError("Simulated IO error"), KafkaStorageException)):
        simulated_error[:] = [error]
        with pytest.raises(raised):
            load_logs()
        assert not clean_shutdown_file.exists()
    assert intercepted_clean == [True, False]

    # The stop was not clean for the start after that.
    simulated_error.clear()
    log_manager = load_logs()
    assert intercepted_clean == [True, False, False]
    log_manager.shutdown()
    data_folder.release()
    files.close_all()


def test_producer_snapshots_recovery_after_unclean_shutdown_current_message_format(
        folder: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    log = create(folder, log_config(segment_bytes=640))
    assert list_producer_snapshot_offsets(folder.directory) == []
    for number in range(101):
        log.append_as_leader(records(b"%d" % number), 0)
    assert log.number_of_segments() >= 5
    segment_offsets = [segment.base_offset() for segment in log.segments()]
    active_segment_offset = segment_offsets[-1]
    # Past the base offset of a segment, with a segment between that and the last two.
    recovery_point_segment = segment_offsets[-4]
    before = {offset for offset in segment_offsets if offset < recovery_point_segment}
    after = set(segment_offsets) - before
    recovery_point = recovery_point_segment + 1
    assert recovery_point < segment_offsets[-3]
    expected_snapshots = [*segment_offsets[-4:], log.log_end_offset()]
    log.close()

    with_reads: set[int] = set()
    recovered: set[int] = set()
    load_producers, recover_segment = log_loader._load_producers_from_records, log_loader._recover_segment
    next_offset = LogSegment.next_offset

    def load_producers_and_note(state: ProducerStateManager, segment: LogSegment, *args: Any) -> None:
        with_reads.add(segment.base_offset())
        load_producers(state, segment, *args)

    def next_offset_and_note(segment: LogSegment) -> int:
        with_reads.add(segment.base_offset())
        return next_offset(segment)

    def recover_and_note(segment: LogSegment, *args: Any) -> tuple[int, bool]:
        recovered.add(segment.base_offset())
        return recover_segment(segment, *args)

    monkeypatch.setattr(log_loader, "_load_producers_from_records", load_producers_and_note)
    monkeypatch.setattr(log_loader, "_recover_segment", recover_and_note)
    monkeypatch.setattr(LogSegment, "next_offset", next_offset_and_note)

    def delete_snapshots_before(offset: int) -> None:
        for snapshot in list_producer_snapshot_offsets(folder.directory):
            if snapshot < offset:
                snapshot_file(folder, snapshot).unlink()

    # The recovery point is behind the snapshots that are left: all segments are read.
    delete_snapshots_before(segment_offsets[-2])
    log = folder.open(False, recovery_point_segment)
    assert with_reads == before | {active_segment_offset}
    assert recovered == after
    assert list_producer_snapshot_offsets(folder.directory) == expected_snapshots
    log.close()
    with_reads.clear()
    recovered.clear()

    # The snapshot at the recovery point's segment spares the reading of those before.
    delete_snapshots_before(recovery_point_segment)
    log = folder.open(False, recovery_point)
    assert with_reads == {active_segment_offset}
    assert recovered == after
    assert list_producer_snapshot_offsets(folder.directory) == expected_snapshots


def test_recover_after_non_monotonic_coordinator_epoch_write(folder: LogHarness) -> None:
    """KAFKA-9144: the epoch of a coordinator may go back, and the latest write counts."""
    config = log_config(segment_bytes=1024 * 1024 * 5)
    log = create(folder, config)
    producer_id, coordinator_epoch = 1, 5
    first_append_timestamp = folder.time.milliseconds()
    append_end_txn_marker_as_leader(log, producer_id, 0, ControlRecordType.ABORT, first_append_timestamp,
                                    coordinator_epoch)
    entry, = log.active_producers()
    assert (entry.producer_id, entry.last_timestamp) == (producer_id, first_append_timestamp)

    folder.scheduler.tick(folder.producer_state_config.producer_id_expiration_ms)
    log.remove_expired_producers(folder.time.milliseconds())
    assert log.active_producers() == []

    second_append_timestamp = folder.time.milliseconds()
    append_end_txn_marker_as_leader(log, producer_id, 0, ControlRecordType.ABORT, second_append_timestamp,
                                    coordinator_epoch - 1)
    log.close()

    # The recovery point at the start of the log forces the recovery.
    log = create(folder, config, recovery_point=0, clean=False)
    entry, = log.active_producers()
    assert (entry.producer_id, entry.last_timestamp) == (producer_id, second_append_timestamp)


def test_skip_truncate_and_reload_if_new_message_format_and_clean_shutdown(
        folder: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = []

    def noted(name: str) -> Callable[..., Any]:
        method = getattr(ProducerStateManager, name)

        def note(*args: Any) -> Any:
            calls.append((name, args[1:]))
            return method(*args)

        return note

    for name in ("remove_stray_snapshots", "update_map_end_offset", "take_snapshot", "truncate_and_reload",
                 "first_unstable_offset"):
        monkeypatch.setattr(ProducerStateManager, name, noted(name))
    create(folder, LogConfig(), clean=True)
    names = [name for name, _ in calls]
    assert names.count("remove_stray_snapshots") == 1
    assert [args for name, args in calls if name == "update_map_end_offset"] == [(0,), (0,)]
    assert names.count("take_snapshot") == 2
    assert names.count("first_unstable_offset") == 1
    assert "truncate_and_reload" not in names


def test_a_clean_log_without_snapshots_gets_a_durable_one_of_its_end(
        folder: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash of the machine, the next start takes the producers from the end on."""
    log = create(folder, log_config(segment_bytes=200))
    while log.number_of_segments() < 3:
        append_non_transactional_as_leader(log, 1)
    end = log.log_end_offset()
    assert log.close()
    delete_producer_snapshot_files(folder.directory)
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.path.basename(os.readlink(
        f"/proc/self/fd/{fd}"))))
    create(folder, log_config(segment_bytes=200), clean=True)
    assert file_name(end, SNAPSHOT_SUFFIX) in flushed


def test_load_producers_after_delete_records_mid_segment(folder: LogHarness) -> None:
    config = log_config(segment_bytes=2048 * 5)
    log = create(folder, config)
    for producer_id, value in ((1, b"a"), (2, b"b")):
        log.append_as_leader(records(value, producer_id=producer_id, producer_epoch=0, base_sequence=0), 0)
    assert len(log.active_producers()) == 2
    log.maybe_increment_log_start_offset(1)

    # The state of producers outlives their records.
    assert active_producers_with_last_sequence(log) == {1: 0, 2: 0}
    log.close()

    # The records are still in the segment, and the state is made anew from them.
    reloaded = create(folder, config, log_start_offset=1, clean=False)
    assert active_producers_with_last_sequence(reloaded) == {1: 0, 2: 0}


def test_loading_log_keeps_largest_stray_producer_state_snapshot(folder: LogHarness) -> None:
    config = log_config(segment_bytes=2048 * 5, retention_bytes=0, retention_ms=1000 * 60,
                        file_delete_delay_ms=0)
    log = create(folder, config)
    for sequence, value in enumerate((b"a", b"b", b"c", b"d")):
        log.append_as_leader(records(value, producer_id=1, producer_epoch=0, base_sequence=sequence), 0)
        if sequence < 2:
            log.roll()
    log.close()
    assert log.number_of_segments() == 3
    # Two at the ends of sealed segments; the log was closed at the third.
    assert list_producer_snapshot_offsets(folder.directory) == [1, 2, 4]
    snapshot_file(folder, 3).touch()
    assert list_producer_snapshot_offsets(folder.directory) == [1, 2, 3, 4]

    create(folder, config, clean=False)
    assert list_producer_snapshot_offsets(folder.directory) == [1, 2, 4]


def test_load_producers_after_delete_records_on_segment(folder: LogHarness) -> None:
    config = log_config(segment_bytes=2048 * 5)
    log = create(folder, config)
    log.append_as_leader(records(b"a", producer_id=1, producer_epoch=0, base_sequence=0), 0)
    log.roll()
    log.append_as_leader(records(b"b", producer_id=2, producer_epoch=0, base_sequence=0), 0)
    assert log.number_of_segments() == 2
    assert len(log.active_producers()) == 2
    log.maybe_increment_log_start_offset(1)
    log.delete_old_segments()

    # The state of producers outlives their records.
    assert log.number_of_segments() == 1
    assert active_producers_with_last_sequence(log) == {1: 0, 2: 0}
    log.close()

    # It does not outlive the log that knew it.
    reloaded = create(folder, config, log_start_offset=1, clean=False)
    assert active_producers_with_last_sequence(reloaded) == {2: 0}


def test_log_recovers_to_correct_offset(folder: LogHarness) -> None:
    num_messages, message_size = 100, 100
    config = log_config(segment_bytes=7 * message_size, index_interval_bytes=3 * message_size,
                        segment_index_bytes=4096)
    log = create(folder, config)
    for number in range(num_messages):
        log.append_as_leader(records(random_bytes(message_size), timestamp=NOW + number * 10), 0)
    assert log.log_end_offset() == num_messages
    active = log.active_segment()
    last_index_offset = active.offset_index().last_entry()[0]
    num_index_entries = active.offset_index().entries()
    last_offset = log.log_end_offset()
    # The last entry of a segment that is closed has the latest time and the last offset.
    last_time_index_entry = (active.largest_timestamp(), last_offset - 1)
    num_time_index_entries = active.time_index().entries() + (
        active.time_index().last_entry()[1] != last_offset - 1)
    log.close()

    def verify_recovered_log(log: UnifiedLog, expected_recovery_point: int) -> None:
        assert log.recovery_point() == expected_recovery_point
        assert log.log_end_offset() == num_messages
        segment = log.active_segment()
        assert segment.offset_index().last_entry()[0] == last_index_offset
        assert segment.offset_index().entries() == num_index_entries
        assert segment.time_index().last_entry() == last_time_index_entry
        assert segment.time_index().entries() == num_time_index_entries

    log = create(folder, config, recovery_point=last_offset, clean=False)
    verify_recovered_log(log, last_offset)
    log.close()

    recovery_point = 10
    log = create(folder, config, recovery_point=recovery_point, clean=False)
    # Recovery flushes nothing.
    verify_recovered_log(log, recovery_point)
    log.flush()
    verify_recovered_log(log, last_offset)


def check_all_found(log: UnifiedLog, num_messages: int) -> None:
    """Each message is found by its offset, and by its time."""
    for number in range(num_messages):
        assert read_offset(log, number) == number
        found = log.fetch_offset_by_timestamp(NOW + number * 10)
        assert found is not None and found.offset == number


def append_small(log: UnifiedLog, num_messages: int) -> None:
    for number in range(num_messages):
        log.append_as_leader(records(random_bytes(10), timestamp=NOW + number * 10), 0)


def test_index_rebuild(folder: LogHarness) -> None:
    num_messages = 200
    config = log_config(segment_bytes=200, index_interval_bytes=1)
    log = create(folder, config)
    append_small(log, num_messages)
    files = index_files(log, INDEX_SUFFIX, TIME_INDEX_SUFFIX)
    log.close()
    for file in files:
        os.remove(file)

    log = create(folder, config, clean=False)
    assert log.log_end_offset() == num_messages
    first = log.segments()[0]
    assert first.offset_index().entries() > 0
    assert first.time_index().entries() > 0
    check_all_found(log, num_messages)


def test_rebuild_time_index_for_old_messages(folder: LogHarness) -> None:
    """Batches of magic 0 have no time. No append makes one: the files are as an old Kafka left them."""
    num_messages = 200
    for base_offset in range(0, num_messages, 5):
        data = bytearray()
        for offset in range(base_offset, base_offset + 5):
            batch = bytearray(records(random_bytes(10), magic=0).buffer().to_bytes())
            struct.pack_into(">q", batch, 0, offset)
            data += batch
        Path(folder.directory, file_name(base_offset, LOG_SUFFIX)).write_bytes(data)

    log = create(folder, log_config(segment_bytes=200, index_interval_bytes=1),
                 recovery_point=num_messages + 1, clean=False)
    assert log.number_of_segments() == num_messages // 5
    for segment in log.segments()[:-1]:
        assert segment.time_index().entries() == 0
        assert os.path.getsize(segment.path(TIME_INDEX_SUFFIX)) == 0


def test_corrupt_index_rebuild(folder: LogHarness) -> None:
    num_messages = 200
    config = log_config(segment_bytes=200, index_interval_bytes=1)
    log = create(folder, config)
    append_small(log, num_messages)
    files = index_files(log, INDEX_SUFFIX, TIME_INDEX_SUFFIX)
    log.close()
    for file in files:
        Path(file).write_bytes(b"  ")

    log = create(folder, config, clean=False)
    assert log.log_end_offset() == num_messages
    check_all_found(log, num_messages)


def test_bogus_index_segments_are_removed(folder: LogHarness) -> None:
    indexes = [Path(folder.directory, file_name(0, suffix)) for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX)]
    bogus = [Path(folder.directory, file_name(5, suffix)) for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX)]
    for path in bogus:
        path.touch()
    size = records(b"test").size_in_bytes()
    log = create(folder, log_config(segment_bytes=size * 5, segment_index_bytes=1000,
                                    index_interval_bytes=1))
    assert not any(path.exists() for path in bogus)

    # The log takes appends.
    for _ in range(10):
        log.append_as_leader(records(b"test"), 0)
    # D72: the files of the first segment are written when it is sealed.
    assert all(path.stat().st_size > 0 for path in indexes)


def test_reopen_then_truncate(folder: LogHarness) -> None:
    size = records(b"test").size_in_bytes()
    config = log_config(segment_bytes=size * 5, segment_index_bytes=1000, index_interval_bytes=10000)
    log = create(folder, config)
    for _ in range(100):
        log.append_as_leader(records(b"test"), 0)
    log.close()
    log = create(folder, config, clean=False)
    # D325: a log that is truncated is opened anew.
    recovery_point = log.truncate_files(3)
    log.close_handlers()
    log = create(folder, config, recovery_point=recovery_point, clean=False)
    assert log.number_of_segments() == 1
    assert log.log_end_offset() == 3


def test_open_deletes_obsolete_files(folder: LogHarness) -> None:
    def create_records() -> MemoryRecords:
        return records(b"test", timestamp=NOW - 1000)

    config = log_config(segment_bytes=create_records().size_in_bytes() * 5, segment_index_bytes=1000,
                        retention_ms=999)
    log = create(folder, config)
    for _ in range(100):
        log.append_as_leader(create_records(), 0)
    log.delete_old_segments()
    log.close()
    assert any(name.endswith(DELETED_SUFFIX) for name in os.listdir(folder.directory))
    log = create(folder, config, clean=False)
    assert log.number_of_segments() == 1
    assert not any(name.endswith(DELETED_SUFFIX) for name in os.listdir(folder.directory))


def test_corrupt_log(folder: LogHarness) -> None:
    config = log_config(segment_bytes=1000, index_interval_bytes=1, max_message_bytes=64 * 1024)
    recovery_point = 50

    def records_in(log: UnifiedLog) -> list[tuple[bytes | None, bytes | None, int]]:
        return [(None if (key := record.key()) is None else key.to_bytes(),
                 None if (value := record.value()) is None else value.to_bytes(), record.timestamp())
                for segment in log.segments() for batch in segment_batches(segment) for record in batch]

    def append_nonsense(path: str) -> None:
        with open(path, "ab") as file:
            file.write(random_bytes(random.randrange(1024) + 1))

    for _ in range(10):
        os.makedirs(folder.directory, exist_ok=True)
        log = create(folder, config)
        num_messages = 50 + random.randrange(50)
        for _ in range(num_messages):
            log.append_as_leader(records(b"test"), 0)
        expected = records_in(log)
        log.close()

        append_nonsense(log.active_segment().path(INDEX_SUFFIX))
        append_nonsense(log.active_segment().path())

        log = create(folder, config, recovery_point=recovery_point, clean=False)
        assert log.log_end_offset() == num_messages
        assert records_in(log) == expected
        log.close()
        shutil.rmtree(folder.directory)


def check_over_compacted(folder: LogHarness, codec: Compression, first: int, later: list[int],
                         records_per_batch: int) -> None:
    """Append batches with their offsets: the second is further from the first than an index can say."""
    log = create(folder, log_config(segment_bytes=1000, index_interval_bytes=1, max_message_bytes=64 * 1024))

    def append(offset: int, count: int) -> None:
        made = MemoryRecords.with_records(
            codec if count > 1 else Compression.NONE,
            *(SimpleRecord(NOW, b"v%d" % (offset + n), b"k%d" % (offset + n)) for n in range(count)),
            initial_offset=offset, partition_leader_epoch=0)
        append_at(log, offset, made.buffer().to_bytes())

    append(first, 1)
    assert log.active_segment().base_offset() == first
    for offset in later:
        append(offset, records_per_batch)
        # The first of these begins a segment, which the others go on in.
        assert log.active_segment().base_offset() == later[0]
        assert snapshot_file(folder, later[0]).exists()
    log.close()
    indexes = sorted(name for name in os.listdir(folder.directory) if name.endswith(INDEX_SUFFIX))
    assert len(indexes) == 2
    for name in indexes:
        offset_index = OffsetIndex(int(name[:-len(INDEX_SUFFIX)]), 1024)
        offset_index.load(os.path.join(folder.directory, name))
        assert offset_index.last_entry()[0] >= 0


def test_over_compacted_log_recovery(folder: LogHarness) -> None:
    check_over_compacted(folder, Compression.NONE, 0, [MAX_INT + 2, MAX_INT + 3, MAX_INT + 4], 1)


def test_over_compacted_log_recovery_multi_record(folder: LogHarness) -> None:
    check_over_compacted(folder, GZIP, 0, [MAX_INT + 2, MAX_INT + 4, MAX_INT + 6], 2)


@pytest.fixture
def overflowed(folder: LogHarness) -> Overflowed:
    """A log that Kafka before 1.1 has compacted: its second segment has offsets too far from its base."""
    folder.config = log_config(compact=True, index_interval_bytes=1, file_delete_delay_ms=1000)
    initialize_log_dir_with_overflowed_segment(folder.directory)
    segments = [LogSegment.open(folder.directory, offset, folder.config, folder.files, folder.time)
                for offset in sorted(int(name[:-4]) for name in os.listdir(folder.directory)
                                     if name.endswith(LOG_SUFFIX))]
    keys = [int(key.to_bytes()) for segment in segments for batch in segment_batches(segment)
            for record in batch if (key := record.key()) is not None]
    segment, = filter(log_loader._has_overflow, segments)
    return Overflowed(keys, len(segments), segment)


class Overflowed(NamedTuple):
    """The keys and the segments of a log before one is split."""

    keys: list[int]
    number_of_segments: int
    segment: LogSegment


def split(folder: LogHarness, segment: LogSegment) -> list[LogSegment]:
    return log_loader._split_overflowed_segment(
        segment, folder.directory, folder.config, folder.files, folder.scheduler, folder.time)


def restore_deleted(folder: LogHarness) -> None:
    """Give the files of a segment their names back, as if they had not been marked yet."""
    for name in os.listdir(folder.directory):
        if name.endswith(DELETED_SUFFIX):
            path = os.path.join(folder.directory, name)
            os.replace(path, path[:-len(DELETED_SUFFIX)])


def recover_and_check(folder: LogHarness, expected_keys: list[int]) -> UnifiedLog:
    log = folder.open(clean=False)
    folder.scheduler.tick(folder.config.file_delete_delay_ms + 1)
    assert not [name for name in os.listdir(folder.directory)
                if name.endswith((DELETED_SUFFIX, CLEANED_SUFFIX, SWAP_SUFFIX))]
    assert keys_in_log(log) == expected_keys
    assert not any(log_loader._has_overflow(segment) for segment in log.segments())
    assert values(log) == [b"%d" % key for key in expected_keys]
    return log


def test_recovery_of_segment_with_offset_overflow(folder: LogHarness, overflowed: Overflowed) -> None:
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1
    # Nothing is left to split.
    for segment in recovered.segments():
        with pytest.raises(IllegalArgumentException, match="only permitted for segments with overflow"):
            split(folder, segment)


@pytest.mark.parametrize("clean", [True, False])
def test_a_segment_that_is_split_keeps_its_aborted_transactions(folder: LogHarness, clean: bool) -> None:
    """The index of each new segment is made from the markers."""
    folder.config = log_config(compact=True, index_interval_bytes=1)
    aborted = MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(NOW, b"key", b"value"), initial_offset=MAX_INT + 10, producer_id=7,
        producer_epoch=0, base_sequence=0, is_transactional=True, partition_leader_epoch=0)
    marker = MemoryRecords.with_end_transaction_marker(
        7, 0, EndTransactionMarker(ControlRecordType.ABORT, 0), initial_offset=MAX_INT + 11, timestamp=NOW)
    for base_offset, batches in ((0, (message_with_offset(b"0", b"0", 0), aborted.buffer().to_bytes(),
                                      marker.buffer().to_bytes())),
                                 (MAX_INT + 12, (message_with_offset(b"1", b"1", MAX_INT + 12),))):
        Path(folder.directory, file_name(base_offset, LOG_SUFFIX)).write_bytes(b"".join(batches))
    log = folder.open(clean)
    assert [segment.base_offset() for segment in log.segments()] == [0, MAX_INT + 10, MAX_INT + 12]
    assert all_aborted_transactions(log) == [AbortedTxn(7, MAX_INT + 10, MAX_INT + 11, MAX_INT + 12)]
    assert log.log_end_offset() == MAX_INT + 13
    # From the file.
    assert all_aborted_transactions(folder.close_and_open()) == all_aborted_transactions(log)


@pytest.mark.deviation("D403")
def test_a_kill_while_the_parts_of_a_segment_are_swapped_in_leaves_its_aborted_transactions(
        folder: LogHarness) -> None:
    """The parts come before the recovery point, so the next start recovers none of them."""
    folder.config = log_config(compact=True, index_interval_bytes=1)
    aborted = MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(NOW, b"key", b"value"), initial_offset=MAX_INT + 10, producer_id=7,
        producer_epoch=0, base_sequence=0, is_transactional=True, partition_leader_epoch=0)
    marker = MemoryRecords.with_end_transaction_marker(
        7, 0, EndTransactionMarker(ControlRecordType.ABORT, 0), initial_offset=MAX_INT + 11, timestamp=NOW)
    for base_offset, batches in ((0, (message_with_offset(b"0", b"0", 0), aborted.buffer().to_bytes(),
                                      marker.buffer().to_bytes())),
                                 (MAX_INT + 12, (message_with_offset(b"1", b"1", MAX_INT + 12),))):
        Path(folder.directory, file_name(base_offset, LOG_SUFFIX)).write_bytes(b"".join(batches))
    for segment in reversed(split(folder, LogSegment.open(
            folder.directory, 0, folder.config, folder.files, folder.time))):
        segment.change_file_suffixes("", SWAP_SUFFIX)
        segment.close()
    log = folder.open(clean=False, recovery_point=MAX_INT + 13)
    assert [segment.base_offset() for segment in log.segments()] == [0, MAX_INT + 10, MAX_INT + 12]
    assert all_aborted_transactions(log) == [AbortedTxn(7, MAX_INT + 10, MAX_INT + 11, MAX_INT + 12)]


@pytest.mark.deviation("D403")
@pytest.mark.parametrize("renamed", range(4))
def test_a_second_kill_while_a_segment_is_swapped_in_leaves_its_files(
        folder: LogHarness, monkeypatch: pytest.MonkeyPatch, renamed: int) -> None:
    """The first kill comes before the files of the segment get their names, the second among them."""
    aborted = MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(NOW, b"key", b"value"), producer_id=7, producer_epoch=0,
        base_sequence=0, is_transactional=True, partition_leader_epoch=0)
    marker = MemoryRecords.with_end_transaction_marker(
        7, 0, EndTransactionMarker(ControlRecordType.ABORT, 0), initial_offset=1, timestamp=NOW)
    Path(folder.directory, file_name(0, LOG_SUFFIX)).write_bytes(
        aborted.buffer().to_bytes() + marker.buffer().to_bytes())
    log = folder.open(False)
    log.roll()
    log.close()
    before = {path.name: path.read_bytes() for path in Path(folder.directory).iterdir()}
    files = sorted(name for name in before if name.startswith(file_name(0, "")))
    assert len(files) == 4 and before[file_name(0, TXN_INDEX_SUFFIX)]
    for name in files:
        os.rename(Path(folder.directory, name), Path(folder.directory, name + SWAP_SUFFIX))

    class Killed(BaseException):
        pass

    def replace(source: str, target: str, replace: Callable[..., None] = os.replace) -> None:
        if sum(Path(folder.directory, name).exists() for name in files) == renamed:
            raise Killed()
        replace(source, target)

    def complete() -> None:
        log_loader._complete_swaps(folder.directory, folder.config, folder.files, folder.time)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(os, "replace", replace)
        complete()
    complete()
    assert {path.name: path.read_bytes() for path in Path(folder.directory).iterdir()} == before


def test_recovery_after_crash_during_split_phase1(folder: LogHarness, overflowed: Overflowed) -> None:
    """Before the new segments are called .swap: the old one is split again."""
    for segment in reversed(split(folder, overflowed.segment)):
        segment.change_file_suffixes("", CLEANED_SUFFIX)
        os.truncate(segment.path(), 0)
    restore_deleted(folder)
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1


def test_recovery_after_crash_during_split_phase2(folder: LogHarness, overflowed: Overflowed) -> None:
    """When one of the new segments is called .swap: the old one is split again."""
    new_segments = split(folder, overflowed.segment)
    for segment in reversed(new_segments):
        segment.change_file_suffixes("", SWAP_SUFFIX if segment is new_segments[-1] else CLEANED_SUFFIX)
        os.truncate(segment.path(), 0)
    restore_deleted(folder)
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1


def test_recovery_after_crash_during_split_phase3(folder: LogHarness, overflowed: Overflowed) -> None:
    """When all new segments are called .swap: the split is completed, and the old segment goes."""
    for segment in reversed(split(folder, overflowed.segment)):
        segment.change_file_suffixes("", SWAP_SUFFIX)
    restore_deleted(folder)
    os.truncate(os.path.join(folder.directory, file_name(overflowed.segment.base_offset(), LOG_SUFFIX)), 0)
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1


def test_recovery_after_crash_during_split_phase4(folder: LogHarness, overflowed: Overflowed) -> None:
    """When all new segments are called .swap and the old one is gone: the split is completed."""
    for segment in reversed(split(folder, overflowed.segment)):
        segment.change_file_suffixes("", SWAP_SUFFIX)
    overflowed.segment.delete_files()
    assert not [name for name in os.listdir(folder.directory) if name.endswith(DELETED_SUFFIX)]
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1


def test_recovery_after_crash_during_split_phase5(folder: LogHarness, overflowed: Overflowed) -> None:
    """When one of the new segments is called .swap and the other has its name: the split is completed."""
    split(folder, overflowed.segment)[-1].change_file_suffixes("", SWAP_SUFFIX)
    os.truncate(overflowed.segment.path(), 0)
    recovered = recover_and_check(folder, overflowed.keys)
    assert recovered.number_of_segments() == overflowed.number_of_segments + 1


def test_clean_shutdown_file(folder: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    config = log_config(segment_bytes=1000, index_interval_bytes=1, max_message_bytes=64 * 1024)
    log = create(folder, config)
    for _ in range(100):
        log.append_as_leader(records(b"test"), 0)
    log.close()

    def recover(*_: object) -> None:
        raise AssertionError("the log was closed cleanly, and is recovered")

    monkeypatch.setattr(log_loader, "_recover", recover)
    # LogManager has seen the file of a clean stop. A recovery point of 0 does not matter then.
    recovery_point = log.log_end_offset()
    log = create(folder, config)
    assert log.log_end_offset() == recovery_point


def test_log_recovers_for_leader_epoch(folder: LogHarness) -> None:
    """No follower appends here. The leaders of the epochs do."""
    log = create(folder, LogConfig())
    for leader_epoch in (1, 2, 2, 3):
        log.append_as_leader(records(b"random"), leader_epoch)
    expected = ((1, 0), (2, 1), (3, 3))
    assert log._leader_epochs.entries() == expected

    log._leader_epochs.truncate_from_end(2)
    assert log._leader_epochs.entries() != expected
    log.close()

    recovered = create(folder, LogConfig(), clean=False)
    assert recovered._leader_epochs.entries() == expected
    assert recovered.log_end_offset() == 4


EXPECTED_ABORTED = [AbortedTxn(1, 0, 29, 8), AbortedTxn(2, 8, 74, 36)]


def append_transactions(folder: LogHarness, log: UnifiedLog) -> None:
    """Append batches of four transactions, and of none, in turns; two of the transactions are aborted."""
    append_1, append_2, append_3, append_4 = (
        append_transactional_as_leader(log, producer_id, 0, folder.time) for producer_id in (1, 2, 3, 4))

    def end(producer_id: int, control_type: ControlRecordType) -> None:
        append_end_txn_marker_as_leader(log, producer_id, 0, control_type, folder.time.milliseconds())

    append_1(5)
    append_non_transactional_as_leader(log, 3)
    append_2(2)
    append_1(4)
    append_3(3)
    append_non_transactional_as_leader(log, 2)
    append_1(10)
    end(1, ControlRecordType.ABORT)
    append_2(6)
    append_4(3)
    append_non_transactional_as_leader(log, 10)
    append_3(9)
    end(3, ControlRecordType.COMMIT)
    append_4(8)
    append_2(7)
    end(2, ControlRecordType.ABORT)
    append_non_transactional_as_leader(log, 10)
    append_4(4)
    end(4, ControlRecordType.COMMIT)
    assert log.log_end_offset() == 90


def close_without_indexes(log: UnifiedLog, segments: list[LogSegment]) -> None:
    """Close a log and remove indexes, which forces the recovery of their segments."""
    log.close()
    for segment in segments:
        for suffix in (INDEX_SUFFIX, TXN_INDEX_SUFFIX):
            Path(segment.path(suffix)).unlink(missing_ok=True)


def test_full_transaction_index_recovery(folder: LogHarness) -> None:
    log = create(folder, log_config(segment_bytes=128 * 5))
    append_transactions(folder, log)
    close_without_indexes(log, log.segments())
    reloaded = create(folder, log_config(segment_bytes=1024 * 5), clean=False)
    assert all_aborted_transactions(reloaded) == EXPECTED_ABORTED


def test_recover_only_last_segment(folder: LogHarness) -> None:
    log = create(folder, log_config(segment_bytes=128 * 5))
    append_transactions(folder, log)
    last_segment = log.segments()[-1]
    close_without_indexes(log, [last_segment])
    reloaded = create(folder, log_config(segment_bytes=1024 * 5), clean=False,
                      recovery_point=last_segment.base_offset())
    assert all_aborted_transactions(reloaded) == EXPECTED_ABORTED


def test_recover_last_segment_with_no_snapshots(folder: LogHarness) -> None:
    """The producers' state is made anew from the start of the log."""
    log = create(folder, log_config(segment_bytes=128 * 5))
    append_transactions(folder, log)
    last_segment = log.segments()[-1]
    close_without_indexes(log, [last_segment])
    delete_producer_snapshot_files(folder.directory)
    reloaded = create(folder, log_config(segment_bytes=1024 * 5), clean=False,
                      recovery_point=last_segment.base_offset())
    assert all_aborted_transactions(reloaded) == EXPECTED_ABORTED


def test_log_end_less_than_start_after_reopen(folder: LogHarness) -> None:
    config = LogConfig()
    log = create(folder, config)
    append_and_roll(log, 5)
    assert log.number_of_segments() == 6
    start_offset = 4
    log.maybe_increment_log_start_offset(start_offset)
    assert log.log_end_offset() > log.log_start_offset()
    path = Path(log.segments()[1].path())
    log.close()
    path.write_bytes(b"corruptRecord")

    # The segment is cut off and those behind it go; what is left is below the start, and goes, too.
    log = create(folder, config, log_start_offset=start_offset, clean=False)
    folder.scheduler.tick(config.file_delete_delay_ms)
    assert log.number_of_segments() == 1
    assert log.log_start_offset() == start_offset
    assert log.log_end_offset() == start_offset
    only_segment = log.segments()[0]
    assert only_segment.base_offset() == start_offset
    assert os.path.exists(only_segment.path())
    # D72: the files of indexes are written when a segment is sealed or closed.
    log.close()
    assert os.path.exists(only_segment.path(INDEX_SUFFIX))
    assert os.path.exists(only_segment.path(TIME_INDEX_SUFFIX))


def test_corrupted_log_recovery_does_not_delete_producer_state_snapshots_post_recovery(
        folder: LogHarness) -> None:
    config = LogConfig()
    log = create(folder, config)
    append_and_roll(log, 9)
    assert log.number_of_segments() == 10
    assert (log.log_start_offset(), log.active_segment().base_offset(), log.log_end_offset()) == (0, 9, 9)
    for offset in range(1, 10):
        assert offset in log._producer_state.snapshot_offsets()
        assert snapshot_file(folder, offset).exists()

    new_log_start_offset = 4
    log.maybe_increment_log_start_offset(new_log_start_offset)
    assert (log.log_start_offset(), log.log_end_offset()) == (4, 9)
    # Below the start.
    corrupted = log.segments()[1]
    assert corrupted.base_offset() == 1
    log.close()
    Path(corrupted.path()).write_bytes(b"corruptRecord")

    # The segment is cut off and those behind it go; what is left is below the start, and goes, too.
    log = create(folder, config, log_start_offset=new_log_start_offset, clean=False)
    assert log.number_of_segments() == 1
    assert (log.log_start_offset(), log.active_segment().base_offset(), log.log_end_offset()) == (4, 4, 4)
    assert list_producer_snapshot_offsets(folder.directory) == []
    assert log._producer_state.snapshot_offsets() == []

    append_and_roll(log, 5)
    assert (log.active_segment().base_offset(), log.log_end_offset()) == (9, 9)
    for offset in range(5, 10):
        assert offset in log._producer_state.snapshot_offsets()
        assert snapshot_file(folder, offset).exists()

    # The deletions of the recovery touch nothing that came later.
    folder.scheduler.tick(config.file_delete_delay_ms)
    assert (log.log_start_offset(), log.log_end_offset()) == (new_log_start_offset, 9)
    for offset in range(5, 10):
        assert offset in log._producer_state.snapshot_offsets()
        assert snapshot_file(folder, offset).exists()
    assert not any(name.endswith(DELETED_SUFFIX) for name in os.listdir(folder.directory))


def test_recover_with_empty_active_segment(folder: LogHarness) -> None:
    """D72: the files of the active segment's indexes are written when it is sealed, closed or recovered."""
    num_messages, message_size = 100, 100
    config = log_config(segment_bytes=7 * message_size, index_interval_bytes=3 * message_size,
                        segment_index_bytes=4096)

    def append_all(log: UnifiedLog) -> None:
        for number in range(num_messages):
            log.append_as_leader(records(random_bytes(message_size), timestamp=NOW + number * 10), 0)

    def sanity_check(log: UnifiedLog) -> None:
        """Raise FileNotFoundError or CorruptIndexException unless the file of the offset index is right."""
        segment = log.active_segment()
        OffsetIndex(segment.base_offset(), 4096).load(segment.path(INDEX_SUFFIX))

    log = create(folder, config)
    append_all(log)
    assert log.log_end_offset() == num_messages
    log.roll()
    log.flush()
    with pytest.raises(FileNotFoundError):
        sanity_check(log)
    last_offset = log.log_end_offset()
    log.close_handlers()

    log = create(folder, config, recovery_point=last_offset, clean=False)
    assert log.recovery_point() == last_offset
    assert log.log_end_offset() == num_messages
    assert log.active_segment().time_index().entries() == 0
    # The recovery has made the file.
    sanity_check(log)

    append_all(log)
    log.roll()
    with pytest.raises(FileNotFoundError):
        sanity_check(log)
    log.flush()
    last_offset = log.log_end_offset()
    folder.crash()

    log = create(folder, config, recovery_point=last_offset, clean=False)
    assert log.recovery_point() == last_offset
    assert log.log_end_offset() == 2 * num_messages
    assert log.active_segment().time_index().entries() == 0
    sanity_check(log)


def test_log_start_offset_when_remote_storage_is_enabled(folder: LogHarness) -> None:
    """The row without remote storage: there is no other here."""
    log = create(folder, LogConfig())
    append_and_roll(log, 9)
    log.maybe_increment_log_start_offset(5)
    log.delete_old_segments()
    assert log.segments()[0].base_offset() == 5
    log.close()
    assert create(folder, LogConfig(), clean=True, log_start_offset=0).log_start_offset() == 5


def test_a_log_that_cannot_be_opened_leaves_no_file_open(folder: LogHarness,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(LeaderEpochFileCache, "assign", full)
        for _ in range(2):
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                create(folder, LogConfig())
    assert not any(file.is_open() for file in folder.files.opened)
    assert create(folder, LogConfig()).log_end_offset() == 0


def test_an_offset_too_far_from_the_base_offset_is_cut_off(folder: LogHarness) -> None:
    """The checksum does not cover it; nothing follows it in a log that may have gaps."""
    config = log_config(compact=True, index_interval_bytes=0)
    log = create(folder, config)
    for number in range(3):
        append(log, 1, number)
    path, size = log.active_segment().path(), log.size()
    folder.crash()
    with open(path, "r+b") as file:
        file.seek(size // 3 * 2)
        file.write(struct.pack(">q", 1 << 40))
    log = create(folder, config, clean=False)
    assert log.log_end_offset() == 2
    append(log, 1, 2)
    assert values(log) == [b"0", b"1", b"2"]
