# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log that was not closed keeps a prefix of its appends, with any damage to its end."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.core.log import log_loader
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.storage.internals.log import batch_scan
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_segment import LogSegment
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager import ProducerStateManager
from tests.storage.internals.log.support import NOW, LogHarness, log_config, records, values

GZIP = Compression.gzip().build()


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
    assert harness.append(b"after the crash") == next_offset
    assert values(log, next_offset) == [b"after the crash"]


def test_nothing_wrong(harness: LogHarness) -> None:
    appended = fill(harness)
    assert harness.log.number_of_segments() >= 2
    harness.crash_and_open()
    check(harness, appended, len(appended.values))


def test_producers_are_read_from_the_latest_snapshot_on(
        harness: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """From each segment once, beginning where the one before ended; a snapshot is left between any two."""
    replayed: list[tuple[int, int]] = []
    replay = log_loader._replay

    def spied(state: ProducerStateManager, segment: LogSegment, start: int, is_recovered: bool) -> None:
        replayed.append((segment.base_offset(), start))
        replay(state, segment, start, is_recovered)

    monkeypatch.setattr(log_loader, "_replay", spied)

    def replayed_by_opening(*without: int) -> list[tuple[int, int]]:
        """Return what is read of which segments when the log is opened without these snapshots."""
        harness.crash()
        for offset in without:
            os.remove(os.path.join(harness.directory, f"{offset:020d}.snapshot"))
        replayed.clear()
        harness.open(False)
        assert producers(harness.log) == producers_by_reading(harness.log)
        return list(replayed)

    fill(harness, 24)
    bases = [segment.base_offset() for segment in harness.log.segments()]
    end = harness.log.log_end_offset()
    assert len(bases) >= 4
    harness.crash_and_open()
    assert snapshots(harness) == [*bases[1:], end]
    assert replayed_by_opening() == []
    assert replayed_by_opening(*bases[1:], end) == [(base, base) for base in bases]
    assert snapshots(harness) == [*bases[1:], end]
    assert replayed_by_opening(end) == [(bases[-1], bases[-1])]
    assert replayed_by_opening(*bases[2:], end) == [(base, base) for base in bases[1:]]
    harness.append(b"x")
    assert harness.log.number_of_segments() == len(bases)
    assert replayed_by_opening() == [(bases[-1], end)]
    assert snapshots(harness) == [*bases[1:], end, end + 1]


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
    if damage in ("nothing", "garbage"):
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
