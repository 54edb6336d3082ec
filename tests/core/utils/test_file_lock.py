# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.FileLockTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The lock of a data folder, which ``DataFolder`` has in the place of Kafka's FileLock."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.embedded.data_folder import LOCK_FILE, DataFolder, DataFolderLockedException


def test_lock(tmp_path: Path) -> None:
    lock1 = DataFolder.open(str(tmp_path))
    try:
        for _ in range(2):
            with pytest.raises(DataFolderLockedException):
                DataFolder.open(str(tmp_path))
    finally:
        lock1.release()


def test_unlock(tmp_path: Path) -> None:
    for _ in range(4):
        lock1 = DataFolder.open(str(tmp_path))
        lock1.release()
    lock2 = DataFolder.open(str(tmp_path))
    # A second release of the first lock does not take the folder from the second.
    lock1.release()
    with pytest.raises(DataFolderLockedException):
        DataFolder.open(str(tmp_path))
    lock2.release()
    lock2 = DataFolder.open(str(tmp_path))
    lock2.release()
    assert (tmp_path / LOCK_FILE).exists()
