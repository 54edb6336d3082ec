# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The open file of a segment."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kreactor.storage.internals.log.log_file import LogFile


def test_a_file_closes_with_its_last_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    file = LogFile.open(path, os.O_RDWR | os.O_CREAT)
    fd = file._descriptor()
    file.write(b"0123456789", 0)
    assert (file.read_at(4, 3), file.read_at(4, 8), file.read_at(4, 10)) == (b"3456", b"89", b"")
    assert file.hold()
    file.release()
    assert os.readlink(f"/proc/self/fd/{fd}") == path
    file.release()
    assert not file.hold() and not file.is_open()
    assert not os.path.exists(f"/proc/self/fd/{fd}") or os.readlink(f"/proc/self/fd/{fd}") != path


def test_a_file_that_cannot_be_closed_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                caplog: pytest.LogCaptureFixture) -> None:
    file = LogFile.open(str(tmp_path / "file"), os.O_RDWR | os.O_CREAT)
    close = os.close

    def fail(fd: int) -> None:
        close(fd)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "close", fail)
        file.release()
    assert "failed to close" in caplog.text and "[Errno 5]" in caplog.text
