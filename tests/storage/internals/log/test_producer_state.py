# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The state of producers, and its snapshot files."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.storage.internals.log.batch_metadata import BatchMetadata
from kreactor.storage.internals.log.corrupt_snapshot_exception import CorruptSnapshotException
from kreactor.storage.internals.log.producer_state_entry import ProducerStateEntry
from kreactor.storage.internals.log.producer_state_manager import (
    ProducerStateManager,
    read_snapshot,
    write_snapshot,
)
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from tests.storage.internals.log.support import NOW, TP

_INT = st.integers(0, 2**31 - 1)


def manager(folder: Path, expiration_ms: int = 1000, verification: bool = True,
            max_transaction_timeout_ms: int = 300_000) -> ProducerStateManager:
    return ProducerStateManager(TP, str(folder), max_transaction_timeout_ms,
                                ProducerStateManagerConfig(expiration_ms, verification))


def first_undecided_offset(state: ProducerStateManager) -> int | None:
    txn = state.first_undecided_txn()
    return None if txn is None else txn.first_offset.message_offset


@given(last_seq=_INT, offset_delta=st.integers(0, 10_000))
def test_first_sequence_counts_round(last_seq: int, offset_delta: int) -> None:
    batch = BatchMetadata(last_seq, 20_000, offset_delta, NOW)
    assert batch.first_seq() == DefaultRecordBatch.decrement_sequence(last_seq, offset_delta)
    assert batch.first_offset() == 20_000 - offset_delta


@given(producers=st.dictionaries(_INT, st.tuples(
    st.integers(0, 32767), st.integers(-1, 100), st.integers(-1, 2**62), st.none() | st.integers(0, 2**62),
    st.none() | st.tuples(_INT, st.integers(0, 2**62), st.integers(0, 1000))), max_size=20))
def test_snapshots_keep_the_last_batch(tmp_path_factory: pytest.TempPathFactory,
                                       producers: dict[int, tuple[int, int, int, int | None,
                                                                  tuple[int, int, int] | None]]) -> None:
    path = str(tmp_path_factory.mktemp("snapshot") / "x.snapshot")
    entries = {}
    for producer_id, (epoch, coordinator, timestamp, txn, last) in producers.items():
        entry = entries[producer_id] = ProducerStateEntry(producer_id, epoch, coordinator, timestamp, txn)
        if last is not None:
            entry.batches.append(BatchMetadata(1, 2, 0, 3))
            entry.batches.append(BatchMetadata(*last, timestamp))
    write_snapshot(path, entries, sync=False)
    read = read_snapshot(path)
    assert [entry.producer_id for entry in read] == list(entries)
    for entry in read:
        written = entries[entry.producer_id]
        if written.batches:
            written.batches = type(written.batches)([written.batches[-1]], maxlen=5)
        assert repr(entry) == repr(written)


@pytest.mark.parametrize("sync", [True, False])
def test_a_snapshot_is_on_the_disk_if_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                        sync: bool) -> None:
    fsync = Mock()
    monkeypatch.setattr(os, "fsync", fsync)
    write_snapshot(str(tmp_path / "x.snapshot"), {}, sync)
    assert fsync.call_count == sync


def test_damaged_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "x.snapshot"
    entry = ProducerStateEntry(1, 0, -1, NOW)
    write_snapshot(str(path), {1: entry}, sync=True)
    data = path.read_bytes()
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 0x10
        path.write_bytes(damaged)
        with pytest.raises(CorruptSnapshotException):
            read_snapshot(str(path))
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(CorruptSnapshotException):
            read_snapshot(str(path))


def test_five_batches_of_one_epoch() -> None:
    entry = ProducerStateEntry(1)
    for number in range(7):
        entry.add_batch(0, number, number, 0, NOW)
    assert [batch.last_seq for batch in entry.batches] == [2, 3, 4, 5, 6]
    assert entry.first_seq() == 2
    assert entry.find_duplicate(1, 3, 3) is None
    entry.add_batch(1, 0, 7, 0, NOW)
    assert [batch.last_seq for batch in entry.batches] == [0]


def test_transactions_in_a_log(tmp_path: Path) -> None:
    """Transactions are followed to their end, so that read_committed stops before an open one."""
    state = manager(tmp_path)
    state.append_batch(1, 0, 4, 0, 4, NOW, True)
    state.append_batch(2, 0, 4, 5, 9, NOW, True)
    assert first_undecided_offset(state) == 0
    completed = state.append_end_txn_marker(1, 0, 7, 10, NOW + 1, True)
    assert completed == (1, 0, 10, True)
    assert (first_undecided_offset(state), state.last_stable_offset(completed)) == (0, 5)
    state.complete_txn(completed)
    assert first_undecided_offset(state) == 5
    entry = state.last_entry(1)
    assert entry is not None
    assert entry.current_txn_first_offset is None
    assert (entry.coordinator_epoch, entry.last_timestamp) == (7, NOW + 1)
    assert state.check_batch(2, 0, 5, 5, 11, True) is None
    state.update_map_end_offset(11)
    # An open transaction does not expire.
    state.remove_expired_producers(NOW + 2000)
    assert set(state.active_producers()) == {2}
    state.take_snapshot(sync=False)
    again = manager(tmp_path)
    again.truncate_and_reload(0, 11, NOW)
    assert again.map_end_offset() == 11
    assert first_undecided_offset(again) == 5
    completed = again.append_end_txn_marker(2, 0, 7, 11, NOW, False)
    assert completed is not None and again.last_stable_offset(completed) == 12
    again.complete_txn(completed)
    assert again.append_end_txn_marker(3, 1, 7, 12, NOW, False) is None
    assert first_undecided_offset(again) is None
    assert again.producer_id_count() == 2


def test_which_snapshots_stay(tmp_path: Path) -> None:
    state = manager(tmp_path)
    for offset in (10, 20, 30, 35, 40):
        state.append_batch(1, 0, offset, offset - 1, offset - 1, NOW, False)
        state.update_map_end_offset(offset)
        assert state.take_snapshot(sync=False) is not None
        assert state.take_snapshot(sync=False) is None
    (tmp_path / "nonsense.snapshot").write_bytes(b"")
    state = manager(tmp_path)
    state.remove_stray_snapshots({0, 10, 30})
    assert state.snapshot_offsets() == [10, 30, 40]
    state.truncate_and_reload(10, 35, NOW)
    assert state.snapshot_offsets() == [30]
    entry = state.last_entry(1)
    assert entry is not None and entry.last_data_offset() == 29
    assert state.mark_snapshot_for_deletion(30) == str(tmp_path / "00000000000000000030.snapshot.deleted")
    assert state.mark_snapshot_for_deletion(30) is None
    state.truncate_fully_and_start_at(50)
    assert (state.map_end_offset(), state.producer_id_count()) == (50, 0)
