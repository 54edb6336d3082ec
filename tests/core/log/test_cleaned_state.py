# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cleaned log has the state of the log before, through kills and failures of the disk."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from tests.core.log.support import TP, Logs
from tests.storage.internals.log.support import NOW, log_config, read_batches, wrap

COMMIT, ABORT = ControlRecordType.COMMIT, ControlRecordType.ABORT
COMPACT = log_config(compact=True, delete=False, retention_ms=-1, index_interval_bytes=1)
DAY = 24 * 60 * 60 * 1000

# A key and a value, None for a tombstone.
Entry = tuple[str, str | None]
# A producer, or None outside of transactions, and what it writes: entries or a marker.
Step = tuple[int | None, Sequence[Entry] | ControlRecordType]


def write(logs: Logs, *segments: Sequence[Step]) -> UnifiedLog:
    """Open a log that consists of these, and of an empty active segment."""
    directory = os.path.join(logs.directory, "log-0")
    os.makedirs(directory)
    offset = 0
    for steps in (*segments, ()):
        with open(os.path.join(directory, f"{offset:020d}.log"), "wb") as file:
            for producer_id, content in steps:
                if isinstance(content, ControlRecordType):
                    assert producer_id is not None
                    records = MemoryRecords.with_end_transaction_marker(
                        producer_id, 0, EndTransactionMarker(content, 0), initial_offset=offset,
                        timestamp=NOW, partition_leader_epoch=0)
                    offset += 1
                else:
                    entries = [SimpleRecord(NOW, key.encode(), None if value is None else value.encode())
                               for key, value in content]
                    if producer_id is None:
                        records = MemoryRecords.with_records(
                            Compression.NONE, *entries, initial_offset=offset, partition_leader_epoch=0)
                    else:
                        records = MemoryRecords.with_transactional_records(
                            Compression.NONE, producer_id, 0, 0, *entries, initial_offset=offset,
                            partition_leader_epoch=0)
                    offset += len(entries)
                file.write(records.buffer().view())
    return logs.make(TP, config=COMPACT, clean=False)


def reopen(logs: Logs, log: UnifiedLog) -> UnifiedLog:
    """Kill the process, and start again."""
    log.abandon()
    return logs.make(TP, config=COMPACT, clean=False)


def clean(logs: Logs, log: UnifiedLog, first_dirty_offset: int = 0) -> int:
    """Clean all that can be cleaned."""
    end = min(log.last_stable_offset(), log.active_segment().base_offset())
    return logs.cleaner().clean(LogToClean(TP, log, min(first_dirty_offset, end), end))[0]


def all_batches(log: UnifiedLog) -> list[RecordBatch]:
    """Return all batches, as a reader gets them; nothing need be left behind the last one."""
    found: list[RecordBatch] = []
    offset = log.log_start_offset()
    while offset < log.log_end_offset():
        fetched = log.read(offset, 1 << 20, FetchIsolation.LOG_END, True).records
        data = b"".join(segment_bytes(fetched))
        if not data:
            break
        found += wrap(data).batches()
        offset = found[-1].next_offset()
    return found


def segment_bytes(records: Records) -> Iterator[bytes]:
    for batch in records.batches():
        data = ByteBuffer.allocate(batch.size_in_bytes())
        batch.write_to(data)
        yield data.flip().to_bytes()


State = tuple[dict[str, str], dict[int, dict[str, str | None]]]


def replay(log: UnifiedLog) -> State:
    """Return what a reader of committed records knows in the end, and what it has open."""
    state: dict[str, tuple[int, str | None]] = {}
    pending: dict[int, dict[str, tuple[int, str | None]]] = {}
    for batch in all_batches(log):
        producer_id = batch.producer_id()
        for record in batch:
            key, value = record.key(), record.value()
            assert key is not None
            if batch.is_control_batch():
                entries = pending.pop(producer_id, {})
                if ControlRecordType.parse(key) is COMMIT:
                    for name, entry in entries.items():
                        if name not in state or state[name][0] < entry[0]:
                            state[name] = entry
                continue
            of = pending.setdefault(producer_id, {}) if batch.is_transactional() else state
            of[key.to_bytes().decode()] = (record.offset(),
                                           None if value is None else value.to_bytes().decode())
    return ({key: value for key, (_, value) in state.items() if value is not None},
            {producer_id: {key: value for key, (_, value) in entries.items()}
             for producer_id, entries in pending.items()})


@contextmanager
def new_logs() -> Iterator[Logs]:
    with tempfile.TemporaryDirectory() as folder:
        logs = Logs(Path(folder))
        try:
            yield logs
        finally:
            logs.dispose()


KEYS = st.sampled_from("abcd")
VALUES = st.one_of(st.none(), st.sampled_from("1234"))
ENTRIES = st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=3)
STEPS = st.lists(st.one_of(
    st.tuples(st.none(), ENTRIES),
    st.tuples(st.sampled_from((1, 2)), st.one_of(ENTRIES, st.sampled_from((COMMIT, ABORT))))), max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[
    HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS.filter(bool), min_size=1, max_size=4))
def test_the_state_is_the_same(segments: list[list[Step]]) -> None:
    with new_logs() as logs:
        log = write(logs, *segments)
        log.append_as_leader(wrap(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(NOW, b"active", b"1")).buffer().to_bytes()), 0)
        end, before = log.log_end_offset(), replay(log)
        dirty = clean(logs, log)
        assert replay(log) == before
        # Neither a start that reads all of it changes anything, nor later cleanings: tombstones and
        # markers go in time.
        for _ in range(3):
            log = reopen(logs, log)
            assert log.log_end_offset() == end
            logs.time.sleep(2 * DAY)
            dirty = clean(logs, log, dirty)
            assert replay(log) == before


# Of each segment something stays, something goes, and a tombstone is due.
FAULTY: list[list[Step]] = [
    [(None, [("a", "1"), ("b", "1")]), (1, [("x", "1")]), (None, [("c", "1")]), (1, ABORT)],
    [(None, [("a", None)]), (2, [("d", "1"), ("b", "2")]), (2, COMMIT), (None, [("e", "1")])],
    [(None, [("c", None), ("f", "1")]), (1, [("y", "1")]), (1, COMMIT), (2, [("d", "9")]), (2, ABORT)],
    [(None, [("e", "2"), ("g", "1")])]]
EXPECTED: State = ({"b": "2", "d": "1", "e": "2", "f": "1", "g": "1", "y": "1"}, {})


def half_cleaned(logs: Logs) -> UnifiedLog:
    """Return a log whose tombstones have their delete horizon, which lies in the past."""
    log = write(logs, *FAULTY)
    assert replay(log) == EXPECTED
    clean(logs, log)
    assert replay(log) == EXPECTED
    assert any(not record.has_value() for batch in read_batches(log) for record in batch)
    # So that there are segments to be merged again.
    log.append_as_leader(wrap(MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(NOW, b"g", b"1")).buffer().to_bytes()), 0)
    log.roll()
    logs.time.sleep(2 * DAY)
    return log


CALLS = ("open", "pwrite", "ftruncate", "fsync", "replace", "rename", "remove", "utime")


def patched(monkeypatch: pytest.MonkeyPatch, directory: str, around: Callable[[str, str], None]) -> None:
    """Have ``around`` called with "before" or "after", and the name, at each call that changes a file."""
    for name in CALLS:
        original = getattr(os, name)

        def call(*args: object, name: str = name, original: Callable[..., object] = original,
                 **kwargs: object) -> object:
            around("before", name)
            result = original(*args, **kwargs)
            around("after", name)
            return result

        monkeypatch.setattr(os, name, call)


def check(folder: str, end: int) -> None:
    """Start on what a kill has left: all is there, nothing has come back, and it can be cleaned."""
    logs = Logs(Path(folder))
    try:
        logs.time.sleep(3 * DAY)
        log = logs.make(TP, config=COMPACT, clean=False)
        assert replay(log) == EXPECTED
        assert log.log_end_offset() == end
        left = [name for name in os.listdir(log.directory())
                if name.endswith((".cleaned", ".swap", ".deleted"))]
        assert left == []
        for _ in range(2):
            clean(logs, log)
            assert replay(log) == EXPECTED
        assert log.append_as_leader(wrap(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(NOW, b"new", b"1")).buffer().to_bytes()), 0).first_offset == end
    finally:
        logs.dispose()


def test_a_kill_at_each_step(logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = half_cleaned(logs)
    end = log.log_end_offset()
    copies: list[tuple[str, str]] = []
    busy = False

    def copy(when: str, name: str) -> None:
        nonlocal busy
        if not busy:
            busy = True
            target = str(tmp_path / f"copy{len(copies)}")
            shutil.copytree(log.directory(), os.path.join(target, "log-0"))
            copies.append((f"{when} {name}", target))
            busy = False

    with monkeypatch.context() as patch:
        patched(patch, log.directory(), copy)
        clean(logs, log)
    assert replay(log) == EXPECTED
    assert {"before rename", "after rename", "after pwrite", "after open", "after utime"} <= {
        where for where, _ in copies}
    assert len(copies) > 40
    # Many are the same.
    seen = set()
    for where, folder in copies:
        content = frozenset((path.name, path.read_bytes()) for path in Path(folder, "log-0").iterdir())
        if content not in seen:
            seen.add(content)
            try:
                check(folder, end)
            except BaseException as e:
                raise AssertionError(f"killed {where}: {sorted(name for name, _ in content)}") from e
    assert len(seen) > 10


@pytest.mark.deviation("D292")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_at_each_step(logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                        code: int) -> None:
    """The log is as it was, or offline: it says so, and the next start has all of it."""
    log = half_cleaned(logs)
    log.abandon()
    outcomes = set()
    number = 0
    while True:
        number += 1
        folder = tmp_path / f"try{number}"
        shutil.copytree(log.directory(), folder / "log-0")
        each = Logs(folder)
        each.time.sleep(2 * DAY)
        left = number

        def fail(when: str, name: str) -> None:
            nonlocal left
            left -= when == "before"
            if left == 0:
                raise OSError(code, os.strerror(code))

        try:
            trial = each.make(TP, config=COMPACT, clean=False)
            end = trial.log_end_offset()
            try:
                with monkeypatch.context() as patch:
                    patched(patch, trial.directory(), fail)
                    clean(each, trial)
            except (OSError, KafkaStorageException):
                pass
            if left > 0:
                break
            if trial.is_offline():
                outcomes.add("offline")
                with pytest.raises(KafkaStorageException, match="offline"):
                    replay(trial)
            else:
                outcomes.add("as it was")
                assert replay(trial) == EXPECTED
                assert [name for name in os.listdir(trial.directory())
                        if name.endswith((".cleaned", ".swap"))] == []
        finally:
            each.dispose()
        check(str(folder), end)
    assert outcomes == {"offline", "as it was"}
    assert number > 20


def test_a_log_that_is_not_compacted_any_more_keeps_its_holes(logs: Logs) -> None:
    """Even after a kill: what follows a hole is not taken for the rest of a write that failed."""
    log = write(logs, *FAULTY)
    clean(logs, log)
    log.abandon()
    log = logs.make(TP, config=log_config(retention_ms=-1), clean=False, was_cleaned=True)
    assert replay(log) == EXPECTED


def test_a_reader_goes_on_with_what_was_there(logs: Logs) -> None:
    log = write(logs, [(None, [("a", "1")]), (None, [("a", "2")])], [(None, [("a", "3")])])
    before = log.read(0, 1000, FetchIsolation.LOG_END, True).records
    old_segment = log.segments()[0]
    for _ in range(3):
        clean(logs, log)
    assert [batch.base_offset() for batch in before.batches()] == [0, 1]
    assert old_segment.locate(0, old_segment.size()) is not None
    # From an offset that is gone a reader goes on behind it.
    assert [batch.base_offset() for batch in all_batches(log)] == [2]
    logs.scheduler.tick(COMPACT.file_delete_delay_ms)
    assert not [name for name in os.listdir(log.directory()) if name.endswith(".deleted")]
