# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Small files that are replaced whole."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kreactor.jdk import files


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
