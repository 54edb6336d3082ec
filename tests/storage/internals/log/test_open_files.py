# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The files of sealed segments give way where descriptors run out."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.embedded.data_folder import DataFolder
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file import LogFile
from kreactor.storage.internals.log.open_files import OpenFiles
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import MockScheduler


class Segment:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_bytes(path.name.encode())

    def path(self) -> str:
        return str(self._path)


def read(files: OpenFiles, segment: Segment) -> bytes:
    file = files.hold(segment)
    try:
        return file.read_at(10, 0)
    finally:
        file.release()


def test_sealed_segments_give_their_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = OpenFiles()
    segments = [Segment(tmp_path / str(number)) for number in range(4)]
    for segment in segments[:3]:
        read(files, segment)
    assert files.size() == 3
    open_, errors = LogFile.open, [errno.EMFILE]

    def open_or_fail(path: str, flags: int = os.O_RDONLY, mode: int = 0o644) -> LogFile:
        if errors:
            raise OSError(errors.pop(), "refused")
        return open_(path, flags, mode)

    monkeypatch.setattr(LogFile, "open", staticmethod(open_or_fail))
    assert read(files, segments[3]) == b"3"
    assert files.size() == 1
    # By a log's next segment, without a look-up.
    errors.append(errno.ENFILE)
    file = files.open(segments[0].path(), os.O_RDONLY)
    assert file.read_at(10, 0) == b"0"
    assert files.size() == 0
    file.release()


def test_a_read_under_way_holds_its_file(tmp_path: Path) -> None:
    """The file closes as soon as the read is done, and no collector is asked."""
    files = OpenFiles(1)
    first, second = Segment(tmp_path / "first"), Segment(tmp_path / "second")
    held = files.hold(first)
    read(files, second)
    assert held.read_at(10, 0) == b"first"
    assert read(files, first) == b"first"
    held.release()
    assert not held.is_open() and not held.hold()
    files.forget_all()


def test_a_file_that_is_put_takes_the_place_of_another(tmp_path: Path) -> None:
    files = OpenFiles()
    segment = Segment(tmp_path / "one")
    held = files.hold(segment)
    files.put(segment, LogFile.open(segment.path()))
    assert files.size() == 1
    held.release()
    assert not held.is_open()
    files.forget_all()


def test_none_keeps_a_descriptor_of_the_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = OpenFiles()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (128, 128))
    low, high = Segment(tmp_path / "low"), Segment(tmp_path / "high")
    read(files, low)
    assert files.size() == 1
    numbers = [os.dup(0)]
    try:
        while numbers[-1] < 111:
            numbers.append(os.dup(0))
        assert read(files, high) == b"high"
        assert files.size() == 1
        files.put(high, LogFile.open(high.path()))
        assert files.size() == 1
    finally:
        for number in numbers:
            os.close(number)
    read(files, high)
    assert files.size() == 2
    files.forget_all()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES])
def test_what_cannot_be_helped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fail(*_: object) -> LogFile:
        raise OSError(number, "refused")

    files = OpenFiles()
    known = Segment(tmp_path / "known")
    if number == errno.EACCES:
        read(files, known)
    monkeypatch.setattr(LogFile, "open", staticmethod(fail))
    with pytest.raises(OSError, match="refused"):
        files.hold(Segment(tmp_path / "new"))
    assert files.size() == (number == errno.EACCES)
    files.forget_all()


def test_a_stopped_manager_keeps_no_file_of_deleted_segments_open(tmp_path: Path) -> None:
    """The files would be removed later; a stopped broker, which somebody may still hold, has none open."""
    for stop in ("shutdown", "abandon"):
        scheduler = MockScheduler(MockTime())
        folder = DataFolder.open(str(tmp_path / stop))
        files = OpenFiles()
        manager = LogManager(folder, LogManagerConfig(), scheduler, MockTime(), files)
        config = LogConfig.from_props({"segment.bytes": "140"})
        log = manager.create_log(TopicPartition("t", 0), Uuid.random_uuid(), config)
        for _ in range(6):
            log.append_as_leader(MemoryRecords.with_records(
                Compression.NONE, SimpleRecord(-1, None, b"x" * 50)), 0)
        log.maybe_increment_log_start_offset(3)
        assert log.delete_old_segments() > 0
        assert files.size() > 0
        getattr(manager, stop)()
        assert files.size() == 0
        folder.release()
