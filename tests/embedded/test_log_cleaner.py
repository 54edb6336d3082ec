# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What compaction leaves says the same as what was there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.embedded import log_cleaner
from kreactor.embedded.log_config import LogConfig
from kreactor.embedded.partition_log import PartitionLog
from kreactor.embedded.results import FetchIsolation
from tests.embedded.support import NOW, LogHarness, wrap

COMPACT = LogConfig(compact=True, retention_ms=-1)
COMMIT, ABORT = ControlRecordType.COMMIT, ControlRecordType.ABORT

# A key and a value, None for a tombstone.
Entry = tuple[str, str | None]
# A producer, or None outside of transactions, and what it writes: entries or a marker.
Step = tuple[int | None, Sequence[Entry] | ControlRecordType]


def write(harness: LogHarness, *segments: Sequence[Step]) -> PartitionLog:
    """Open a log that consists of these, and of an empty active segment."""
    harness.crash()
    for name in os.listdir(harness.directory):
        os.remove(os.path.join(harness.directory, name))
    offset = 0
    for steps in (*segments, ()):
        path = os.path.join(harness.directory, f"{offset:020d}.log")
        with open(path, "wb") as file:
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
    return harness.open(clean=True)


def batches(log: PartitionLog, offset: int | None = None) -> list[RecordBatch]:
    """Return all batches; nothing need be left behind the last one."""
    found: list[RecordBatch] = []
    offset = log.log_start_offset() if offset is None else offset
    while offset < log.log_end_offset():
        chunk = list(log.read(offset, 1 << 20, FetchIsolation.LOG_END, True).records.batches())
        if not chunk:
            break
        found += chunk
        offset = chunk[-1].next_offset()
    return found


def replay(log: PartitionLog) -> tuple[dict[str, str], dict[int, dict[str, str | None]]]:
    """Return what a coordinator knows after it has read the log, and what it has open."""
    state: dict[str, tuple[int, str | None]] = {}
    pending: dict[int, dict[str, tuple[int, str | None]]] = {}
    for batch in batches(log):
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


def offsets(log: PartitionLog) -> list[int]:
    return [batch.base_offset() for batch in batches(log)]


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), COMPACT)
    yield made
    made.dispose()


def test_the_last_values_stay(harness: LogHarness) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("b", "1")]), (None, [("a", "2")])],
                [(None, [("a", "3"), ("c", "1")])])
    size = log.size()
    saved = log_cleaner.clean(log)
    assert offsets(log) == [1, 3]
    assert replay(log) == ({"a": "3", "b": "1", "c": "1"}, {})
    assert log.size() == size - saved
    # There is nothing new to look at.
    assert log_cleaner.clean(log) == 0
    assert (log.log_start_offset(), log.log_end_offset()) == (0, 5)


def test_a_segment_of_which_nothing_stays(harness: LogHarness) -> None:
    log = write(harness, [(None, [("a", "1")])], [(None, [("b", "1")])], [(None, [("a", "2"), ("b", "2")])])
    log_cleaner.clean(log)
    assert [segment.base_offset() for segment in log.segments()] == [2, 4]
    assert offsets(log) == [2]
    harness.scheduler.tick(COMPACT.file_delete_delay_ms)
    assert not [name for name in os.listdir(harness.directory) if name.endswith(".deleted")]
    log = harness.crash_and_open()
    assert replay(log) == ({"a": "2", "b": "2"}, {})


def append(log: PartitionLog, key: str, value: str) -> None:
    """Put a value into the active segment."""
    log.append_as_leader(wrap(MemoryRecords.with_records(
        Compression.NONE, SimpleRecord(NOW, key.encode(), value.encode())).buffer().to_bytes()), 0)


def test_a_read_from_the_start_of_which_nothing_stays(harness: LogHarness) -> None:
    """It comes to the first segment that is there, and not to the last."""
    log = write(harness, [(None, [("a", "1")])], [(None, [("a", "2"), ("b", "1")])])
    append(log, "c", "1")
    log_cleaner.clean(log)
    assert [segment.base_offset() for segment in log.segments()] == [1, 3]
    assert log.log_start_offset() == 0
    assert offsets(log) == [1, 3]
    assert replay(log) == ({"a": "2", "b": "1", "c": "1"}, {})


def test_a_tombstone_goes_with_the_values_before_it(harness: LogHarness) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("a", None)])])
    log_cleaner.clean(log)
    assert offsets(log) == []
    # One value stays in its batch beside another: the tombstone stays too.
    log = write(harness, [(None, [("a", "1"), ("b", "1")]), (None, [("a", None)])])
    log_cleaner.clean(log)
    assert offsets(log) == [0, 2]
    assert replay(log) == ({"b": "1"}, {})


def test_transactions(harness: LogHarness) -> None:
    log = write(harness, [
        (1, [("a", "committed")]), (2, [("a", "aborted"), ("x", "aborted")]), (1, COMMIT), (2, ABORT),
        (1, [("b", "old")]), (1, COMMIT), (None, [("b", "new")])])
    log_cleaner.clean(log)
    # Of the second transaction of the first producer nothing stays, its marker neither.
    assert offsets(log) == [0, 3, 7]
    assert replay(log) == ({"a": "committed", "b": "new"}, {})


def test_what_is_not_decided_is_not_touched(harness: LogHarness) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("a", "2")])],
                [(1, [("a", "3")]), (None, [("a", "4")])], [(None, [("a", "5")])])
    log_cleaner.clean(log)
    assert offsets(log) == [1, 2, 3, 4]
    assert replay(log) == ({"a": "5"}, {1: {"a": "3"}})


def test_an_active_segment_that_is_large_is_sealed(harness: LogHarness,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("a", "2")])])
    os.remove(log.segments()[1].path())
    log = harness.crash_and_open()
    assert log_cleaner.clean(log) == 0
    monkeypatch.setattr(log_cleaner, "MAX_ACTIVE_BYTES", 100)
    assert log_cleaner.clean(log) > 0
    assert offsets(log) == [1]
    assert log.number_of_segments() == 2


def test_records_without_keys_go(harness: LogHarness) -> None:
    """No client may write them any more; a log of before may have them."""
    harness.log.update_config(LogConfig(retention_ms=-1))
    harness.append(b"no key")
    log = harness.log
    log.update_config(COMPACT)
    for _ in range(2):
        log.append_as_leader(wrap(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(NOW, b"key", b"value")).buffer().to_bytes()), 0)
    log.roll()
    harness.scheduler.tick()
    assert log_cleaner.clean(log) > 0
    assert offsets(log) == [2]


def test_who_reads_goes_on_with_what_was_there(harness: LogHarness) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("a", "2")])])
    before = log.read(0, 1000, FetchIsolation.LOG_END, True).records
    old_segment = log.segments()[0]
    log_cleaner.clean(log)
    assert [batch.base_offset() for batch in before.batches()] == [0, 1]
    assert old_segment.locate(0, old_segment.size()) is not None
    # From an offset that is gone a reader goes on behind it.
    assert [batch.base_offset() for batch in batches(log, 0)] == [1]


def test_a_crash_while_a_segment_is_written_anew(harness: LogHarness,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(harness, [(None, [("a", "1")]), (None, [("a", "2")])])

    def no_rename(*paths: str) -> None:
        raise OSError("the process ends here")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", no_rename)
        with pytest.raises(RuntimeError, match="compacting"):
            log_cleaner.clean(log)
    assert offsets(log) == [0, 1]
    log = harness.crash_and_open()
    assert offsets(log) == [0, 1]
    log_cleaner.clean(log)
    log = harness.crash_and_open()
    assert offsets(log) == [1]


def test_only_topics_of_coordinators_are_compacted() -> None:
    config = LogConfig.from_props({"retention.ms": 5}, {"cleanup.policy": "compact"}, is_internal=True)
    assert (config.compact, config.retention_ms, config.retention_bytes) == (True, -1, -1)
    both = LogConfig.from_props({"retention.ms": 5}, {"cleanup.policy": "compact,delete"}, is_internal=True)
    assert (both.compact, both.retention_ms) == (True, 5)
    with pytest.raises(InvalidConfigurationException, match="does not compact"):
        LogConfig.from_props({}, {"cleanup.policy": "compact"})


KEYS = st.sampled_from("abcd")
VALUES = st.one_of(st.none(), st.sampled_from("1234"))
ENTRIES = st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=3)
STEPS = st.lists(st.one_of(
    st.tuples(st.none(), ENTRIES),
    st.tuples(st.sampled_from((1, 2)), st.one_of(ENTRIES, st.sampled_from((COMMIT, ABORT))))), max_size=6)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS.filter(bool), min_size=1, max_size=4))
def test_the_state_is_the_same(segments: list[list[Step]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        harness = LogHarness(folder, COMPACT)
        try:
            log = write(harness, *segments)
            append(log, "active", "1")
            end = log.log_end_offset()
            before = replay(log)
            log_cleaner.clean(log)
            assert replay(log) == before
            # Neither a read of all batches at the next start nor a second compaction changes anything.
            log = harness.crash_and_open()
            assert log.log_end_offset() == end
            log_cleaner.clean(log)
            assert replay(log) == before
        finally:
            harness.dispose()
