# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where each leader epoch begins and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.storage.internals.epoch.leader_epoch_file_cache import LeaderEpochFileCache


@pytest.fixture
def epochs(tmp_path: Path) -> LeaderEpochFileCache:
    made = LeaderEpochFileCache(str(tmp_path / "leader-epoch-checkpoint"))
    for epoch, offset in ((1, 10), (2, 20), (5, 50)):
        made.assign(epoch, offset)
    return made


def test_file_is_kafkas(epochs: LeaderEpochFileCache, tmp_path: Path) -> None:
    path = tmp_path / "leader-epoch-checkpoint"
    assert path.read_text() == "0\n3\n1 10\n2 20\n5 50\n"
    assert LeaderEpochFileCache(str(path)).entries() == epochs.entries()


def test_ends(epochs: LeaderEpochFileCache) -> None:
    assert [epochs.end_offset_for(epoch, 99) for epoch in range(-1, 7)] == [
        (-1, -1), (0, 10), (1, 20), (2, 50), (2, 50), (2, 50), (5, 99), (-1, -1)]
    assert [epochs.epoch_for_offset(offset) for offset in (9, 10, 19, 20, 49, 50, 99)] == [
        None, 1, 1, 2, 2, 5, 5]
    assert (epochs.latest_epoch(), epochs.earliest_entry()) == (5, (1, 10))


def test_an_epoch_that_contradicts_others(epochs: LeaderEpochFileCache) -> None:
    epochs.assign(5, 60)
    assert epochs.entries()[-1] == (5, 50)
    epochs.assign(6, 15)
    assert epochs.entries() == ((1, 10), (6, 15))
    epochs.assign(0, 30)
    assert epochs.entries() == ((0, 30),)


def test_truncation(epochs: LeaderEpochFileCache, tmp_path: Path) -> None:
    epochs.truncate_from_end(50)
    assert epochs.entries() == ((1, 10), (2, 20))
    epochs.truncate_from_start(10)
    assert epochs.entries() == ((1, 10), (2, 20))
    epochs.truncate_from_start(15)
    assert epochs.entries() == ((1, 15), (2, 20))
    epochs.truncate_from_start(20)
    assert epochs.entries() == ((2, 20),)
    epochs.truncate_from_start(25)
    assert epochs.entries() == ((2, 25),)
    assert LeaderEpochFileCache(str(tmp_path / "leader-epoch-checkpoint")).entries() == ((2, 25),)
    epochs.truncate_from_end(0)
    assert epochs.entries() == ()
    assert (epochs.latest_epoch(), epochs.earliest_entry()) == (None, None)
    assert epochs.end_offset_for(0, 5) == (-1, -1)


def test_what_cannot_be_written_is_dropped_all_the_same(epochs: LeaderEpochFileCache, tmp_path: Path) -> None:
    epochs.update_parent_dir(str(tmp_path / "gone"))
    epochs.truncate_from_end(20)
    assert epochs.entries() == ((1, 10),)
    with pytest.raises(OSError):
        epochs.assign(7, 30)
    assert epochs.latest_epoch() == 1
