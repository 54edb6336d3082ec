# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where each leader epoch begins and ends. The tests of Kafka's LeaderEpochFileCacheTest come behind ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.common.checkpoint_file import read_checkpoint
from kreactor.storage.internals.epoch.leader_epoch_file_cache import (
    FILE_NAME, UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET, LeaderEpochFileCache)

UNDEFINED = (UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)


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


def test_a_file_whose_entries_contradict_each_other(tmp_path: Path) -> None:
    """The last word counts, as in an assignment."""
    path = tmp_path / FILE_NAME
    path.write_text("0\n3\n1 10\n2 20\n3 15\n")
    assert LeaderEpochFileCache(str(path)).entries() == ((1, 10), (3, 15))
    path.write_text("0\n2\n1 10\n-2 20\n")
    assert LeaderEpochFileCache(str(path)).entries() == ()


def test_negative_numbers_are_refused(epochs: LeaderEpochFileCache) -> None:
    before = epochs.entries()
    for epoch, offset in ((-1, 60), (6, -1)):
        with pytest.raises(IllegalArgumentException, match="invalid partition leader epoch"):
            epochs.assign(epoch, offset)
    assert epochs.entries() == before


# -- Kafka's LeaderEpochFileCacheTest ----------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / FILE_NAME)


@pytest.fixture
def cache(path: str) -> LeaderEpochFileCache:
    return LeaderEpochFileCache(path)


def assign(cache: LeaderEpochFileCache, *entries: tuple[int, int]) -> None:
    for epoch, start_offset in entries:
        cache.assign(epoch, start_offset)


def test_should_add_epoch_and_message_offset_to_cache(cache: LeaderEpochFileCache) -> None:
    cache.assign(2, 10)
    assert cache.latest_epoch() == 2
    assert cache.entries()[0] == (2, 10)
    assert cache.end_offset_for(2, 11) == (2, 11)


def test_should_return_log_end_offset_if_latest_epoch_requested(cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 11), (2, 12))
    assert cache.end_offset_for(2, 14) == (2, 14)


def test_should_return_undefined_offset_if_undefined_epoch_requested(cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 11), (3, 12))
    assert cache.end_offset_for(UNDEFINED_EPOCH, 0) == UNDEFINED


def test_should_not_overwrite_log_end_offset_for_a_leader_epoch_once_it_has_been_assigned(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 9), (2, 10))
    assert cache.entries() == ((2, 9),)


def test_should_enforce_monotonically_increasing_start_offsets(cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 9), (3, 9))
    assert cache.entries() == ((3, 9),)


def test_should_not_overwrite_offset_for_a_leader_epoch_once_it_has_been_assigned(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 6), (2, 10))
    assert cache.entries()[0][1] == 6


def test_should_return_unsupported_if_no_epoch_recorded(cache: LeaderEpochFileCache) -> None:
    assert cache.end_offset_for(0, 0) == UNDEFINED


def test_should_return_unsupported_if_no_epoch_recorded_and_undefined_epoch_requested(
        cache: LeaderEpochFileCache) -> None:
    assert cache.end_offset_for(UNDEFINED_EPOCH, 73) == UNDEFINED


def test_should_return_first_epoch_if_requested_epoch_less_than_first_epoch(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (5, 11), (6, 12), (7, 13))
    assert cache.end_offset_for(4, 0) == (4, 11)


def test_should_truncate_if_matching_epoch_but_earlier_starting_offset(cache: LeaderEpochFileCache) -> None:
    assign(cache, (5, 11), (6, 12), (7, 13))
    cache.assign(7, 12)
    assert cache.end_offset_for(5, 0) == (5, 12)
    assert cache.end_offset_for(6, 0) == (5, 12)


def test_should_get_first_offset_of_subsequent_epoch_when_offset_requested_for_previous_epoch(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (1, 11), (1, 12), (2, 13), (2, 14), (3, 15), (3, 16))
    assert cache.end_offset_for(2, 17) == (2, 15)


def test_should_return_next_available_epoch_if_there_is_no_exact_epoch_for_the_one_requested(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (0, 10), (2, 13), (4, 17))
    assert cache.end_offset_for(1, 0) == (0, 13)
    assert cache.end_offset_for(2, 0) == (2, 17)
    assert cache.end_offset_for(3, 0) == (2, 17)


def test_should_not_update_epoch_and_start_offset_if_it_did_not_change(cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 6), (2, 7))
    assert cache.entries() == ((2, 6),)


def test_should_return_invalid_offset_if_epoch_is_requested_which_is_not_currently_tracked(
        cache: LeaderEpochFileCache) -> None:
    cache.assign(2, 100)
    assert cache.end_offset_for(3, 100) == UNDEFINED


def test_should_support_epochs_that_do_not_start_from_zero(cache: LeaderEpochFileCache) -> None:
    cache.assign(2, 6)
    assert cache.end_offset_for(2, 7) == (2, 7)
    assert cache.entries() == ((2, 6),)


def test_should_persist_epochs_between_instances(cache: LeaderEpochFileCache, path: str) -> None:
    cache.assign(2, 6)
    assert LeaderEpochFileCache(path).entries() == ((2, 6),)


def test_should_enforce_monotonically_increasing_epochs(cache: LeaderEpochFileCache) -> None:
    """An epoch of the past at another offset: the entries that it contradicts go."""
    assign(cache, (1, 5), (2, 6))
    cache.assign(1, 7)
    log_end_offset = 8
    assert cache.latest_epoch() == 1
    assert cache.end_offset_for(1, log_end_offset) == (1, 8)
    assert cache.end_offset_for(2, log_end_offset) == UNDEFINED
    assert cache.entries()[0] == (1, 7)


def test_should_enforce_offsets_increase_monotonically(cache: LeaderEpochFileCache) -> None:
    assign(cache, (2, 6), (3, 5))
    assert cache.entries()[0] == (3, 5)


def test_should_increase_and_track_epochs_as_leaders_change_many_times(cache: LeaderEpochFileCache) -> None:
    cache.assign(0, 0)
    cache.assign(1, 0)
    assert cache.latest_epoch() == 1
    assert cache.end_offset_for(1, 0) == (1, 0)
    assert cache.end_offset_for(0, 0) == (0, 0)
    # Five records of epoch 1.
    assert cache.end_offset_for(1, 5) == (1, 5)
    assert cache.end_offset_for(0, 5) == (0, 0)
    cache.assign(2, 5)
    # Five records of epoch 2.
    assert cache.end_offset_for(2, 10) == (2, 10)
    assert cache.end_offset_for(1, 10) == (1, 5)
    assert cache.end_offset_for(0, 10) == (0, 0)


def test_should_increase_and_track_epochs_as_follower_receives_many_messages(
        cache: LeaderEpochFileCache) -> None:
    for epoch in range(3):
        first = epoch * 3
        assign(cache, *((epoch, offset) for offset in range(first, first + 3)))
        assert cache.latest_epoch() == epoch
        assert cache.end_offset_for(epoch, first + 3) == (epoch, first + 3)
    assert cache.end_offset_for(0, 9) == (0, 3)
    assert cache.end_offset_for(1, 9) == (1, 6)


@pytest.fixture
def three(cache: LeaderEpochFileCache) -> LeaderEpochFileCache:
    """Three epochs with records between their starts."""
    assign(cache, (2, 6), (3, 8), (4, 11))
    return cache


def test_should_drop_entries_on_epoch_boundary_when_removing_latest_entries(
        three: LeaderEpochFileCache) -> None:
    three.truncate_from_end(8)
    assert three.entries() == ((2, 6),)


def test_should_preserve_reset_offset_on_clear_earliest_if_one_exists(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(8)
    assert three.entries() == ((3, 8), (4, 11))


def test_should_update_saved_offset_when_offset_to_clear_to_is_between_epochs(
        three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(9)
    assert three.entries() == ((3, 9), (4, 11))


def test_should_not_clear_anything_if_offset_to_early(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(1)
    assert three.entries() == ((2, 6), (3, 8), (4, 11))


def test_should_not_clear_anything_if_offset_to_first_offset(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(6)
    assert three.entries() == ((2, 6), (3, 8), (4, 11))


def test_should_retain_latest_epoch_on_clear_all_earliest(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(11)
    assert three.entries() == ((4, 11),)


def test_should_update_offset_between_epoch_boundaries_on_clear_earliest(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(9)
    assert three.entries() == ((3, 9), (4, 11))


def test_should_update_offset_between_epoch_boundaries_on_clear_earliest2(
        cache: LeaderEpochFileCache) -> None:
    assign(cache, (0, 0), (1, 7), (2, 10))
    cache.truncate_from_start(5)
    assert cache.entries() == ((0, 5), (1, 7), (2, 10))


def test_should_retain_latest_epoch_on_clear_all_earliest_and_update_its_offset(
        three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(15)
    assert three.entries() == ((4, 15),)


def test_should_drop_entries_between_epoch_boundary_when_removing_newest(three: LeaderEpochFileCache) -> None:
    three.truncate_from_end(9)
    assert three.latest_epoch() == 3
    assert three.entries() == ((2, 6), (3, 8))


def test_should_clear_all_entries(three: LeaderEpochFileCache) -> None:
    """A truncation to offset 0 clears them, and the file with them."""
    three.truncate_from_end(0)
    assert three.entries() == ()


def test_should_not_reset_epoch_history_head_if_undefined_passed(three: LeaderEpochFileCache) -> None:
    three.truncate_from_start(UNDEFINED_EPOCH_OFFSET)
    assert len(three.entries()) == 3


def test_should_not_reset_epoch_history_tail_if_undefined_passed(three: LeaderEpochFileCache) -> None:
    three.truncate_from_end(UNDEFINED_EPOCH_OFFSET)
    assert len(three.entries()) == 3


def test_should_fetch_latest_epoch_of_empty_cache(cache: LeaderEpochFileCache) -> None:
    assert cache.latest_epoch() is None


def test_should_fetch_end_offset_of_empty_cache(cache: LeaderEpochFileCache) -> None:
    assert cache.end_offset_for(7, 0) == UNDEFINED


def test_should_clear_earliest_on_empty_cache(cache: LeaderEpochFileCache) -> None:
    cache.truncate_from_start(7)
    assert cache.entries() == ()


def test_should_clear_latest_on_empty_cache(cache: LeaderEpochFileCache) -> None:
    cache.truncate_from_end(7)
    assert cache.entries() == ()


def test_should_fetch_epoch_for_given_offset(cache: LeaderEpochFileCache) -> None:
    assign(cache, (0, 10), (1, 20), (5, 30))
    assert [cache.epoch_for_offset(offset) for offset in (25, 20, 30, 50, 5)] == [1, 1, 5, 5, None]


def test_should_write_checkpoint_on_truncation(three: LeaderEpochFileCache, path: str) -> None:
    three.truncate_from_end(11)
    three.truncate_from_start(8)
    assert read_checkpoint(path) == [["3", "8"]]
