# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Disks that are full, fail or lie: the log raises an error, and stays unchanged or goes offline."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from kreactor.common.errors import KafkaStorageException, UnknownTopicOrPartitionException
from kreactor.core.log.unified_log import MAX_TIMESTAMP
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.producer_state_manager import ProducerStateManager
from tests.storage.internals.log.support import NOW, Fault, LogHarness, log_config, records, values


@pytest.fixture
def fault() -> Fault:
    return Fault()


@pytest.fixture
def harness(tmp_path: Path, fault: Fault) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), log_config(segment_bytes=1000), fault)
    yield made
    fault.fail.clear()
    made.dispose()


@pytest.mark.deviation("D240")
@pytest.mark.parametrize("partly", [0, 1, 60, 100])
def test_disk_full(harness: LogHarness, fault: Fault, partly: int, caplog: pytest.LogCaptureFixture) -> None:
    harness.append(b"first")
    size = os.stat(harness.segment_path()).st_size
    fault.disk_full(partly)
    for _ in range(3):
        with pytest.raises(KafkaStorageException, match="No space left on device"):
            harness.append(b"x" * 100)
        assert os.stat(harness.segment_path()).st_size == size
    assert [record.levelname for record in caplog.records] == ["ERROR"], "it is said once"
    assert "No space left on device" in caplog.text
    assert values(harness.log) == [b"first"]
    fault.fail.clear()
    assert harness.append(b"second") == 1
    fault.disk_full(partly)
    with pytest.raises(KafkaStorageException):
        harness.append(b"x" * 100)
    assert len(caplog.records) == 2, "and once more the next time"
    fault.fail.clear()
    harness.crash_and_open()
    assert values(harness.log) == [b"first", b"second"]


def test_a_refused_batch_can_be_sent_again(harness: LogHarness, fault: Fault) -> None:
    """The producer's sequence has not moved: the same batch is no duplicate and no gap."""
    def send() -> int:
        return harness.log.append_as_leader(
            records(b"a", producer_id=1, producer_epoch=0, base_sequence=0), 0).first_offset

    fault.disk_full(20)
    with pytest.raises(KafkaStorageException):
        send()
    fault.fail.clear()
    assert send() == 0
    assert values(harness.log) == [b"a"]


def test_what_cannot_be_cut_off_takes_the_log_offline(harness: LogHarness, fault: Fault,
                                                      caplog: pytest.LogCaptureFixture) -> None:
    harness.append(b"first")
    fault.disk_full(30)
    fault.fail["truncate"] = OSError(errno.EIO, "Input/output error")
    with pytest.raises(KafkaStorageException):
        harness.append(b"x" * 100)
    assert harness.log.is_offline()
    assert "offline until the next start" in caplog.text
    fault.fail.clear()
    with pytest.raises(KafkaStorageException, match="is offline"):
        harness.append(b"second")
    with pytest.raises(KafkaStorageException, match="is offline"):
        harness.log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)
    with pytest.raises(KafkaStorageException, match="is offline"):
        harness.log.fetch_offset_by_timestamp(NOW)
    assert harness.log.delete_old_segments() == 0
    assert not harness.log.close(), "no clean stop"
    harness.open(clean=False)
    assert values(harness.log) == [b"first"]


@pytest.mark.deviation("D240")
@pytest.mark.parametrize("error", [MemoryError, OSError], ids=["memory", "disk"])
def test_a_batch_that_its_producers_state_lacks_takes_the_log_offline(
        harness: LogHarness, monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    """Otherwise the log would accept the batch a second time."""
    harness.append(b"first")

    def send() -> int:
        return harness.log.append_as_leader(
            records(b"a", producer_id=1, producer_epoch=0, base_sequence=0), 0).first_offset

    with monkeypatch.context() as patch:
        patch.setattr(ProducerStateManager, "append_batch", Mock(side_effect=error))
        with pytest.raises(KafkaStorageException if error is OSError else error):
            send()
    assert harness.log.is_offline()
    with pytest.raises(KafkaStorageException, match="is offline"):
        send()
    assert not harness.log.close(), "no clean stop"
    harness.open(clean=False)
    # The batch is there, and the state knows it.
    assert send() == 1
    assert values(harness.log) == [b"first", b"a"]


def test_a_flush_that_fails_takes_the_log_offline(tmp_path: Path, fault: Fault) -> None:
    harness = LogHarness(str(tmp_path), log_config(flush_messages=2), fault)
    harness.append(b"first")
    assert harness.log.recovery_point() == 0
    harness.append(b"second")
    assert harness.log.recovery_point() == 2
    fault.fail["force"] = OSError(errno.EIO, "Input/output error")
    harness.append(b"third")
    with pytest.raises(KafkaStorageException):
        harness.append(b"not acknowledged")
    assert harness.log.is_offline()
    fault.fail.clear()
    harness.crash_and_open()
    assert values(harness.log)[:3] == [b"first", b"second", b"third"]
    harness.dispose()


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_segment_that_cannot_be_rolled(harness: LogHarness, fault: Fault, code: int) -> None:
    for _ in range(3):
        harness.append(b"x" * 200)
    before = sorted(os.listdir(harness.directory))
    fault.fail["open"] = OSError(code, os.strerror(code))
    with pytest.raises(KafkaStorageException, match=os.strerror(code)):
        harness.append(b"y" * 200)
    assert harness.log.number_of_segments() == 1
    assert sorted(name for name in os.listdir(harness.directory) if not name.endswith("index")) == before
    assert len(values(harness.log)) == 3
    # A smaller one still has room.
    assert harness.append(b"z") == 3
    fault.fail.clear()
    assert harness.append(b"y" * 200) == 4
    assert harness.log.number_of_segments() == 2


def test_a_segment_that_cannot_be_rolled_for_want_of_a_snapshot(harness: LogHarness,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        harness.append(b"x" * 200)
    with monkeypatch.context() as patch:
        def full(*args: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patch.setattr("kreactor.storage.internals.log.producer_state_manager.write_snapshot", full)
        open_files = len(harness.files.opened)
        with pytest.raises(KafkaStorageException):
            harness.append(b"y" * 200)
        assert sum(file.is_open() for file in harness.files.opened) == open_files
    assert harness.log.number_of_segments() == 1
    assert not os.path.exists(os.path.join(harness.directory, "00000000000000000003.log"))
    assert harness.append(b"y" * 200) == 3
    assert harness.log.number_of_segments() == 2


def test_a_new_epoch_that_cannot_be_noted(harness: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    harness.append(b"first")
    monkeypatch.setattr("kreactor.storage.internals.epoch.leader_epoch_file_cache.write_checkpoint", full)
    with pytest.raises(KafkaStorageException):
        harness.log.append_as_leader(records(b"second"), 1)
    assert harness.log.latest_epoch() == 0
    assert values(harness.log) == [b"first"]


def test_reads_without_descriptors(harness: LogHarness, fault: Fault) -> None:
    for _ in range(4):
        harness.append(b"x" * 400)
    harness.files.forget_all()
    fault.fail["open"] = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    with pytest.raises(KafkaStorageException, match="Too many open files"):
        harness.log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)
    assert len(values(harness.log, 3)) == 1, "the active segment is open"
    fault.fail.clear()
    assert len(values(harness.log)) == 4


def test_a_read_that_fails(harness: LogHarness, fault: Fault) -> None:
    harness.append(b"a")
    harness.append(b"b")
    fault.fail["read"] = OSError(errno.EIO, "Input/output error")
    with pytest.raises(KafkaStorageException, match="reading from topic-0"):
        harness.log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)
    with pytest.raises(KafkaStorageException):
        harness.log.maybe_increment_log_start_offset(1)
        harness.log.read(1, 100, FetchIsolation.HIGH_WATERMARK, True)
        harness.log._offset_metadata(0, harness.log.log_end_offset_metadata())
    assert not harness.log.is_offline()


def test_the_latest_time_that_cannot_be_read(harness: LogHarness, fault: Fault) -> None:
    for _ in range(3):
        harness.append(b"x" * 600)
    harness.log.close()
    for name in os.listdir(harness.directory):
        if name.endswith(".timeindex"):
            os.remove(os.path.join(harness.directory, name))
    log = harness.open(clean=True)
    fault.fail["read"] = OSError(errno.EIO, "Input/output error")
    with pytest.raises(KafkaStorageException, match="fetching offset by timestamp for topic-0"):
        log.fetch_offset_by_timestamp(MAX_TIMESTAMP)


def test_a_truncation_of_a_full_disk_loses_no_kept_record(harness: LogHarness,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        harness.append(b"%d" % number)

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        harness.log.flush()
        patch.setattr(os, "fsync", full)
        with pytest.raises(KafkaStorageException):
            harness.log.truncate_files(2)
    assert harness.log.is_offline()
    assert values(harness.crash_and_open()) == [b"0", b"1", b"2", b"3"]


def test_a_kill_at_every_step_of_a_truncation(harness: LogHarness, tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        harness.append(b"%d" % number + b"x" * 200)
    assert harness.log.number_of_segments() == 4
    sent = values(harness.log)
    copies: list[Path] = []

    def copy_before(call: Callable[..., None]) -> Callable[..., None]:
        def copying(*args: object) -> None:
            copies.append(tmp_path / f"copy{len(copies)}")
            shutil.copytree(harness.directory, copies[-1] / "topic-0")
            call(*args)

        return copying

    with monkeypatch.context() as patch:
        for name in ("rename", "replace", "fsync"):
            patch.setattr(os, name, copy_before(getattr(os, name)))
        harness.log.truncate_files(4)
    assert len(copies) > 6
    harness.crash()
    for directory in copies:
        killed = LogHarness(str(directory), harness.config, is_open=False)
        found = values(killed.open(clean=False))
        assert len(found) >= 4 and found == sent[:len(found)]
        killed.dispose()
    assert values(harness.open(clean=False)) == sent[:4]


def test_a_segment_file_that_somebody_removed(harness: LogHarness) -> None:
    for _ in range(4):
        harness.append(b"x" * 400)
    harness.files.forget_all()
    os.remove(harness.segment_path(0))
    with pytest.raises(KafkaStorageException, match="No such file"):
        harness.log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)


def test_retention_cannot_rename(harness: LogHarness, monkeypatch: pytest.MonkeyPatch,
                                 caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(4):
        harness.append(b"x" * 400)
    harness.log.maybe_increment_log_start_offset(2)

    def read_only(*args: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", read_only)
        assert harness.log.delete_old_segments() == 1
    assert "Read-only file system" in caplog.text
    assert harness.log.log_start_offset() == 2


def test_not_closed_cleanly(harness: LogHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.append(b"a")

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kreactor.storage.internals.log.producer_state_manager.write_snapshot", full)
    assert not harness.log.close()
    assert not harness.log.close()
    harness.open(clean=False)
    assert values(harness.log) == [b"a"]


def test_closed_and_deleted_logs_serve_nobody(harness: LogHarness) -> None:
    harness.append(b"a")
    log = harness.log
    assert log.close()
    assert log.close()
    for use in (lambda: harness.append(b"b"), lambda: log.roll(),
                lambda: log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)):
        with pytest.raises(KafkaStorageException, match="is closed"):
            use()
    log.flush()
    harness.open(clean=True)
    harness.log.rename_for_deletion(harness.directory + ".gone-delete")
    with pytest.raises(UnknownTopicOrPartitionException):
        harness.append(b"b")
    with pytest.raises(UnknownTopicOrPartitionException):
        harness.log.read(0, 100, FetchIsolation.HIGH_WATERMARK, True)
    assert harness.log.delete_old_segments() == 0


_LIMITED = """
import os, resource, signal, sys
from kreactor.common.errors import KafkaStorageException
from tests.storage.internals.log.support import LogHarness, values
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
harness = LogHarness(sys.argv[1])
acknowledged = []
refused = 0
for number in range(100):
    value = b"%03d" % number * 30
    try:
        harness.append(value)
        acknowledged.append(value)
    except KafkaStorageException as e:
        refused += 1
assert refused > 20, refused
assert values(harness.log) == acknowledged
harness.crash_and_open()
assert values(harness.log) == acknowledged, (len(acknowledged), len(values(harness.log)))
assert os.stat(harness.segment_path()).st_size <= 5000
print(len(acknowledged))
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="there is no limit of a file's size")
def test_a_real_limit_of_the_system(tmp_path: Path) -> None:
    """The kernel itself stops the write in the middle."""
    done = subprocess.run([sys.executable, "-c", _LIMITED, str(tmp_path)], capture_output=True, text=True,
                          timeout=60, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    assert 20 < int(done.stdout) < 60
