# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LeaderEpochCheckpointFileWithFailureHandlerTest.

LeaderEpochFileCache keeps the file, and has no class for it beside.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.storage.internals.epoch.leader_epoch_file_cache import FILE_NAME, LeaderEpochFileCache

EPOCHS = ((0, 1), (1, 2), (2, 3))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / FILE_NAME)


def write(path: str, epochs: tuple[tuple[int, int], ...]) -> None:
    """Replace the entries that are in a file."""
    cache = LeaderEpochFileCache(path)
    cache.truncate_from_end(0)
    for epoch, start_offset in epochs:
        cache.assign(epoch, start_offset)


def test_should_persist_and_overwrite_and_reload_file(path: str) -> None:
    for epochs in (EPOCHS, ((3, 4), (4, 5))):
        write(path, epochs)
        assert LeaderEpochFileCache(path).entries() == epochs


def test_should_retain_values_even_if_checkpoint_is_recreated(path: str) -> None:
    write(path, EPOCHS)
    assert LeaderEpochFileCache(path).entries() == EPOCHS
    assert LeaderEpochFileCache(path).entries() == EPOCHS
