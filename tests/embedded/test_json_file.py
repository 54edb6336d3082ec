# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.embedded.json_file import EVERYBODY, OWNER_ONLY, JsonFile


def take(content: Mapping[str, Any]) -> list[int]:
    return [int(each) for each in content["numbers"]]


@pytest.mark.parametrize("mode", [OWNER_ONLY, EVERYBODY])
def test_what_is_written_is_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    file = JsonFile(str(path), "the numbers", mode)
    assert file.read(take) is None
    for numbers in ([1, 2], []):
        file.write({"numbers": numbers})
        assert JsonFile(str(path), "the same", mode).read(take) == numbers
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == mode & ~umask


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b'{"version": 1}', b'{"version": 1, "numbers": ["secret"]}',
    b'{"version": 1, "numbers": 1}', b'{"numbers": ["secret"]}', b'"secret', b"\xe4secret", b"[" * 100_000])
def test_what_is_not_understood(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(KafkaException, match="file, which holds the numbers, cannot be read") as e:
        JsonFile(str(path), "the numbers").read(take)
    assert e.value.__cause__ is None and e.value.__suppress_context__
    assert path.read_bytes() == content


def test_another_version(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('{"version": 2}')
    with pytest.raises(KafkaException, match="has version 2, and 1 is known"):
        JsonFile(str(tmp_path / "file"), "what").read(take)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(KafkaException, match="IsADirectoryError"):
        JsonFile(str(tmp_path), "what").read(take)


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = JsonFile(str(tmp_path / "file"), "what")
    file.write({"numbers": [1]})

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("kreactor.jdk.files.write_fully", full)
        with pytest.raises(KafkaStorageException, match="cannot be written"):
            file.write({"numbers": [2]})
    assert file.read(take) == [1] and os.listdir(tmp_path) == ["file"]
