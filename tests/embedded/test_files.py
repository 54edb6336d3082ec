# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Small files that are replaced whole, and names."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded import files
from kreactor.embedded.names import (
    deleted_folder,
    file_name,
    offset_of_file_name,
    partition_folder,
)


def test_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "file")
    files.write_atomically(path, b"old")

    def full(fd: int, data: bytes, position: int = 0) -> None:
        os.pwrite(fd, data[:2], position)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(files, "write_fully", full)
        with pytest.raises(OSError):
            files.write_atomically(path, b"new content")
    assert os.listdir(tmp_path) == ["file"]
    assert Path(path).read_bytes() == b"old"
    files.write_atomically(path, b"new", sync=False)
    assert Path(path).read_bytes() == b"new"


def test_synced_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File, then rename, then folder: any other order could lose both contents."""
    done: list[str] = []
    real_replace = os.replace

    def fsync(fd: int) -> None:
        done.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))

    def replace(source: str, target: str) -> None:
        done.append(f"rename to {os.path.basename(target)}")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    files.write_atomically(str(tmp_path / "file"), b"content")
    assert done == ["file.tmp", "rename to file", tmp_path.name]


def test_offset_checkpoints_are_kafkas(tmp_path: Path) -> None:
    path = str(tmp_path / "recovery-point-offset-checkpoint")
    offsets = {TopicPartition("a-topic", 0): 17, TopicPartition("b", 12): 0}
    files.write_offset_checkpoint(path, offsets)
    assert Path(path).read_text() == "0\n2\na-topic 0 17\nb 12 0\n"
    assert files.read_offset_checkpoint(path) == offsets
    assert files.read_offset_checkpoint(path + ".none") == {}


@pytest.mark.parametrize("content", [
    "1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na x 1\n", "0\nx\n", "\xff\xfe"])
def test_damaged_checkpoints(tmp_path: Path, content: str) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(OSError):
        files.read_offset_checkpoint(str(path))


def test_empty_checkpoints(tmp_path: Path) -> None:
    """As Kafka makes them before it has anything to write."""
    path = tmp_path / "checkpoint"
    path.write_bytes(b"")
    assert files.read_offset_checkpoint(str(path)) == {}


def test_names() -> None:
    assert file_name(37, ".log") == "00000000000000000037.log"
    assert offset_of_file_name("00000000000000000037.timeindex") == 37
    partition = TopicPartition("a-topic.with_all-0", 11)
    assert partition_folder(partition) == "a-topic.with_all-0-11"
    name = deleted_folder(TopicPartition("t" * 249, 123456))
    assert len(name) == 255 and name.endswith("-delete")
    assert deleted_folder(TopicPartition("t", 1)) != deleted_folder(TopicPartition("t", 1))


def test_a_file_closes_with_its_last_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    file = files.LogFile.open(path, os.O_RDWR | os.O_CREAT)
    fd = file._descriptor()
    file.write(b"0123456789", 0)
    assert (file.read_at(4, 3), file.read_at(4, 8), file.read_at(4, 10)) == (b"3456", b"89", b"")
    assert file.hold()
    file.let_go()
    assert os.readlink(f"/proc/self/fd/{fd}") == path
    file.let_go()
    assert not file.hold() and not file.is_open()
    assert not os.path.exists(f"/proc/self/fd/{fd}") or os.readlink(f"/proc/self/fd/{fd}") != path


def test_a_file_that_cannot_be_closed_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                caplog: pytest.LogCaptureFixture) -> None:
    file = files.LogFile.open(str(tmp_path / "file"), os.O_RDWR | os.O_CREAT)
    close = os.close

    def fail(fd: int) -> None:
        close(fd)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "close", fail)
        file.let_go()
    assert "cannot be closed: [Errno 5]" in caplog.text
