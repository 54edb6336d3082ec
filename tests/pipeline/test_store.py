# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Local folders and Hadoop's file systems behave alike."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.store import HadoopStore, LocalStore, Store, store_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(params=["local", "Hadoop"])
def store(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Store:
    """Give a store. The session of Spark is made before the test, which may change nothing of the process."""
    return LocalStore() if request.param == "local" else HadoopStore(spark, f"file:{tmp_path}")


def test_files_and_folders(store: Store, tmp_path: Path) -> None:
    a, b = f"{tmp_path}/x/a", f"{tmp_path}/x/b"
    assert store.list(f"{tmp_path}/x") == []
    store.write(a, b"12345")
    store.write(a, b"123456")
    assert (store.read(a), store.read(a, 1, 3), store.read(a, 4, 9)) == (b"123456", b"234", b"56")
    assert not store.create(a, b"no") and store.create(b, b"yes") and store.read(a) == b"123456"
    assert sorted((entry.name, entry.is_folder, entry.size) for entry in store.list(f"{tmp_path}/x")
                  if not entry.name.endswith(".crc")) == [("a", False, 6), ("b", False, 3)]
    with pytest.raises(FileNotFoundError):
        store.read(f"{tmp_path}/none")
    # A folder does not get into another.
    store.write(f"{tmp_path}/y/c", b"")
    assert not store.rename(f"{tmp_path}/y", f"{tmp_path}/x")
    assert not store.rename(f"{tmp_path}/none", f"{tmp_path}/z")
    assert store.rename(f"{tmp_path}/y", f"{tmp_path}/deep/z")
    assert [entry.is_folder for entry in store.list(f"{tmp_path}/deep")] == [True]
    for path in (f"{tmp_path}/deep", a, f"{tmp_path}/none"):
        store.delete(path)
    assert [entry.name for entry in store.list(f"{tmp_path}/x") if not entry.name.startswith(".")] == ["b"]


def test_one_of_many_creates_a_file(tmp_path: Path) -> None:
    store, path, made = LocalStore(), f"{tmp_path}/log/1.json", list[bytes]()
    start = threading.Barrier(8)

    def create(data: bytes) -> None:
        start.wait()
        if store.create(path, data):
            made.append(data)

    threads = [threading.Thread(target=create, args=(bytes([number]) * 1000,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and store.read(path) == made[0]
    assert [entry.name for entry in store.list(f"{tmp_path}/log")] == ["1.json"]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    store, path = LocalStore(), f"{tmp_path}/log/1.json"
    assert [store.create(path, b"1"), store.create(path, b"2")] == [True, False]
    assert store.read(path) == b"1" and len(store.list(f"{tmp_path}/log")) == 1


def test_where_a_path_is(spark: SparkSession, tmp_path: Path) -> None:
    for path in (str(tmp_path), f"file:{tmp_path}", f"file://{tmp_path}"):
        store, at = store_of(spark, path)
        assert store.is_local and at == str(tmp_path)
    assert store_of(None, "x")[0].is_local
    with pytest.raises(ValueError, match="needs Spark"):
        store_of(None, "s3a://bucket/table")
    with pytest.raises(PipelineFailure, match=r"^s3a://bucket/table: needs .*:hadoop-aws:3\."):
        store_of(spark, "s3a://bucket/table")
