# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogManagerTest, and how often the background looks."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest

from kreactor.common.errors import KafkaStorageException, OffsetOutOfRangeException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.core.log import log_loader
from kreactor.core.log.log_cleaner_manager import LOG_CLEANING_ABORTED, LogCleanerManager
from kreactor.core.log.log_manager import (
    CLEANER_OFFSET_FILE, LOG_START_OFFSET_FILE, RECOVERY_POINT_FILE, LogManager, LogManagerConfig)
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.checkpoints.offset_checkpoint_file import OffsetCheckpointFile
from kreactor.embedded.data_folder import (
    CLEAN_SHUTDOWN_FILE, LOCK_FILE, DataFolder, DataFolderLockedException)
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.server.util.scheduler import Scheduler
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_config import MAX_LONG
from kreactor.storage.internals.log.log_file_utils import (
    DELETE_DIR_SUFFIX, INDEX_SUFFIX, LOG_SUFFIX, MAX_FOLDER_NAME, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
from kreactor.testing.mock_time import MockTime
from tests.core.log.support import Logs, append_at, batches, message_with_offset, singleton_records
from tests.core.server.brokers import broker_config
from tests.storage.internals.log.support import NOW, MockScheduler, TrackedFiles, log_config

NAME = "kafka"
KAFKA_0 = TopicPartition(NAME, 0)
TOPIC_ID = Uuid.random_uuid()
MAX_LOG_AGE_MS = 10 * 60 * 1000
INITIAL_TASK_DELAY_MS = 10_000
LOG_PROPS: dict[str, Any] = {
    "segment_bytes": 1024, "segment_index_bytes": 4096, "retention_ms": MAX_LOG_AGE_MS}


class Managers:
    """A data folder, and the manager that has its logs."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.folder = DataFolder.open(str(directory))
        self.manager = self.start()

    def new(self, scheduler: Scheduler | None = None, time: Time | None = None,
            **settings: int) -> LogManager:
        config: dict[str, Any] = {
            "initial_task_delay_ms": INITIAL_TASK_DELAY_MS, "retention_check_ms": 1000,
            "flush_check_ms": 1000, "recovery_point_checkpoint_ms": 10_000,
            "log_start_offset_checkpoint_ms": 10_000, **settings}
        self.manager = LogManager(self.folder, LogManagerConfig(**config), scheduler or self.scheduler,
                                  time or self.time, self.files)
        return self.manager

    def start(self, *topic_partitions: TopicPartition) -> LogManager:
        """Load the logs of these, and start what runs in the background."""
        manager = self.new()
        manager.load({tp: (TOPIC_ID, log_config(**LOG_PROPS)) for tp in topic_partitions})
        manager.start_tasks()
        return manager

    def create(self, tp: TopicPartition = KAFKA_0, **settings: Any) -> UnifiedLog:
        return self.manager.create_log(tp, TOPIC_ID, log_config(**{**LOG_PROPS, **settings}))

    def path(self, *names: str) -> Path:
        return self.directory.joinpath(*names)

    def dispose(self) -> None:
        self.manager.abandon()
        self.folder.release()
        self.files.close_all()


@pytest.fixture
def managers(tmp_path: Path) -> Iterator[Managers]:
    made = Managers(tmp_path / "logs")
    yield made
    made.dispose()


def record_set(key: bytes | None = None) -> MemoryRecords:
    """Return a batch of one record without a time."""
    return singleton_records(b"test", key, timestamp=RecordBatch.NO_TIMESTAMP)


def read_log(log: UnifiedLog, offset: int, max_length: int = 1024) -> FetchDataInfo:
    return log.read(offset, max_length, FetchIsolation.LOG_END, True)


def append(log: UnifiedLog, count: int, key: bytes | None = None) -> int:
    """Append batches of one record; return the last offset."""
    for _ in range(count):
        info = log.append_as_leader(record_set(key), 0)
    return info.last_offset


def test_the_background_looks_as_often_as_in_kafka(tmp_path: Path) -> None:
    ours, kafkas = LogManagerConfig(), broker_config(tmp_path)
    assert (
        ours.initial_task_delay_ms, ours.retention_check_ms, ours.flush_check_ms,
        ours.recovery_point_checkpoint_ms, ours.log_start_offset_checkpoint_ms,
        ours.max_transaction_timeout_ms,
        ours.transaction_verification_enabled, ours.producer_id_expiration_ms,
        ours.producer_id_expiration_check_ms,
    ) == (
        kafkas.log_initial_task_delay_ms(), kafkas.log_cleanup_interval_ms(),
        kafkas.log_flush_scheduler_interval_ms(), kafkas.log_flush_offset_checkpoint_interval_ms(),
        kafkas.log_flush_start_offset_checkpoint_interval_ms(), kafkas.transaction_max_timeout_ms(),
        kafkas.transaction_partition_verification_enable(), kafkas.producer_id_expiration_ms(),
        kafkas.producer_id_expiration_check_interval_ms(),
    ) == (30_000, 300_000, MAX_LONG, 60_000, 60_000, 900_000, True, 86_400_000, 600_000)


def cut_off_by_recovery(managers: Managers, checkpoint: str | None) -> int:
    """Return where a log ends after an unclean stop, of which compaction has left offsets 0, 5 and 9."""
    log = managers.create()
    for offset in (0, 5, 9):
        append_at(log, offset, message_with_offset(b"key", b"value", offset))
    managers.manager.abandon()
    if checkpoint is not None:
        managers.path(CLEANER_OFFSET_FILE).write_text(checkpoint)
    log = managers.start(KAFKA_0).logs()[KAFKA_0]
    return log.log_end_offset()


@pytest.mark.parametrize("checkpoint, end", [
    (None, 1), ("0\n0\n", 1), ("0\n1\nkafka 0 9\n", 10), ("not a checkpoint\n1\n", 10)])
def test_a_log_that_was_compacted_once_has_gaps(managers: Managers, checkpoint: str | None, end: int) -> None:
    """It is not compacted now. If nobody can say whether it was once, it counts as such."""
    assert cut_off_by_recovery(managers, checkpoint) == end


def test_a_log_that_was_compacted_once_has_gaps_when_it_is_truncated(managers: Managers) -> None:
    assert cut_off_by_recovery(managers, "0\n1\nkafka 0 9\n") == 10
    assert managers.manager.truncate_log(KAFKA_0, 9).log_end_offset() == 6


@pytest.mark.deviation("D71")
def test_an_aborted_first_cleaning_leaves_gaps(managers: Managers) -> None:
    """The topic is not compacted any more when the broker is killed."""
    log = managers.create(cleanup_policy="compact", segment_bytes=200)
    for _ in range(3):
        for key in (b"a", b"b", b"a"):
            append(log, 1, key)
    cleaner_manager = LogCleanerManager([managers.manager.directory()], managers.manager.logs(),
                                        MetricsRegistry())
    cleanable = cleaner_manager.grab_filthiest_compacted_log(managers.time)
    assert cleanable is not None and cleanable.topic_partition == KAFKA_0
    cleaner = Logs(managers.directory, managers.time).cleaner()
    cleaner._before_replacement = cleaner_manager.note_gaps
    cleaner.clean(cleanable)
    managers.manager.update_topic_config([KAFKA_0], log_config(**LOG_PROPS))
    cleaner_manager.set_cleaning_state(KAFKA_0, LOG_CLEANING_ABORTED)
    cleaner_manager.done_cleaning(KAFKA_0, managers.manager.directory(), 9)
    kept = [batch.base_offset() for batch in batches(log)]
    assert len(kept) < 9 and kept[-1] == 8
    managers.manager.abandon()
    log = managers.start(KAFKA_0).logs()[KAFKA_0]
    assert [batch.base_offset() for batch in batches(log)] == kept


def test_truncated_logs_are_forgotten_once_their_files_are_closed(managers: Managers) -> None:
    log = managers.create()
    for _ in range(3):
        append(log, 2)
    for end in (2, 1):
        log = managers.manager.truncate_log(KAFKA_0, end)
        assert len(managers.manager._truncated) == 1
        managers.scheduler.tick(log.config().file_delete_delay_ms)


def test_a_truncated_log_that_cannot_be_opened_is_offline(managers: Managers,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    log = managers.create()
    append(log, 2)

    def fails(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(log_loader, "load", fails)
        with pytest.raises(KafkaStorageException, match=os.strerror(errno.EMFILE)):
            managers.manager.truncate_log(KAFKA_0, 1)
    assert log.is_offline()
    # A client that got NOT_LEADER_OR_FOLLOWER would try again for ever.
    with pytest.raises(KafkaStorageException, match="opened again after its truncation"):
        log.append_as_leader(record_set(), 0)


@pytest.mark.deviation("D404")
def test_a_failed_start_keeps_what_was_deleted(managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop after a start that has not loaded all logs leaves the checkpoints of the others."""
    topic_partitions = [KAFKA_0, TopicPartition(NAME, 1)]
    for topic_partition in topic_partitions:
        log = managers.create(topic_partition)
        append(log, 3)
        log.maybe_increment_log_start_offset(2)
    managers.manager.shutdown()
    load = log_loader.load

    def fails(topic_partition: TopicPartition, *args: Any, **kwargs: Any) -> UnifiedLog:
        if topic_partition != KAFKA_0:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return load(topic_partition, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(log_loader, "load", fails)
        with pytest.raises(KafkaStorageException, match=os.strerror(errno.EMFILE)):
            managers.start(*topic_partitions)
    assert list(managers.manager.logs()) == [KAFKA_0]
    managers.manager.shutdown()
    logs = managers.start(*topic_partitions).logs()
    assert [logs[topic_partition].log_start_offset() for topic_partition in topic_partitions] == [2, 2]
    assert [logs[topic_partition].recovery_point() for topic_partition in topic_partitions] == [3, 3]


def test_a_truncation_lowers_the_recovery_point_in_the_checkpoint(managers: Managers) -> None:
    log = managers.create()
    append(log, 5)
    log.flush()
    managers.manager.checkpoint_recovery_points()
    managers.manager.truncate_log(KAFKA_0, 2)
    checkpoint = managers.path(RECOVERY_POINT_FILE)
    assert OffsetCheckpointFile(str(checkpoint)).read() == {KAFKA_0: 0}


# -- Kafka's LogManagerTest --------------------------------------------------------------------------


def test_create_log(managers: Managers) -> None:
    log = managers.create()
    assert managers.path("kafka-0").is_dir()
    log.append_as_leader(record_set(), 0)
    assert managers.manager.all_logs() == [log]
    assert log.log_end_offset() == 1


def test_handling_exceptions_during_shutdown(managers: Managers) -> None:
    """Each log is closed, whatever becomes of another, and the stop does not count as clean."""
    log_1, log_2 = managers.create(), managers.create(TopicPartition(NAME, 1))
    assert managers.path("kafka-0").is_dir() and managers.path("kafka-1").is_dir()
    for log in (log_1, log_2):
        append(log, 2)
    # The first cannot be closed well then.
    shutil.rmtree(managers.path("kafka-0"))
    managers.manager.shutdown()
    assert not managers.path(CLEAN_SHUTDOWN_FILE).exists()
    assert all(segment.is_closed() for log in (log_1, log_2) for segment in log.segments())
    assert log_2.recovery_point() == 2


def test_clean_shutdown_file_when_shutdown_called_before_startup_complete(
        managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop waits for a start. The start that does not complete here fails."""
    topic_partitions = [KAFKA_0, TopicPartition(NAME, 1)]
    for topic_partition in topic_partitions:
        append(managers.create(topic_partition), 1)
    managers.manager.shutdown()
    managers.path(CLEAN_SHUTDOWN_FILE).unlink()

    loaded: list[UnifiedLog] = []
    load = log_loader.load

    def load_one(*args: Any, **kwargs: Any) -> UnifiedLog:
        if loaded:
            raise RuntimeError("the second log")
        loaded.append(load(*args, **kwargs))
        return loaded[0]

    with monkeypatch.context() as patch:
        patch.setattr(log_loader, "load", load_one)
        with pytest.raises(RuntimeError, match="the second log"):
            managers.start(*topic_partitions)
    assert managers.manager.all_logs() == loaded
    managers.manager.shutdown()
    assert not managers.path(CLEAN_SHUTDOWN_FILE).exists()

    # After a clean stop the logs that such a start does not come to are whole all the same.
    managers.start(*topic_partitions).shutdown()
    assert managers.path(CLEAN_SHUTDOWN_FILE).exists()
    loaded.clear()
    with monkeypatch.context() as patch:
        patch.setattr(log_loader, "load", load_one)
        with pytest.raises(RuntimeError, match="the second log"):
            managers.start(*topic_partitions)
    managers.manager.shutdown()
    assert managers.path(CLEAN_SHUTDOWN_FILE).exists()


def test_get_non_existent_log(managers: Managers) -> None:
    assert managers.manager.get_log(KAFKA_0) is None
    assert not managers.path("kafka-0").exists()


def check_files(log: UnifiedLog) -> None:
    """Each segment has its file, two indexes and a snapshot of producers. One file has the leader epochs."""
    # D72: those of the active segment are written when it is sealed or closed.
    log.active_segment().save_indexes(sync=False)
    # The file of the topic's id is there, too.
    assert len(os.listdir(log.directory())) == log.number_of_segments() * 4 + 1 + 1


def test_cleanup_expired_segments(managers: Managers) -> None:
    log = managers.create()
    offset = append(log, 200)
    assert log.number_of_segments() > 1
    for segment in log.segments():
        segment.set_last_modified_ms(managers.time.milliseconds())

    managers.scheduler.tick(MAX_LOG_AGE_MS + 1)
    assert log.number_of_segments() == 1
    managers.scheduler.tick(log.config().file_delete_delay_ms + 1)
    check_files(log)
    assert read_log(log, offset + 1).records.size_in_bytes() == 0
    with pytest.raises(OffsetOutOfRangeException):
        read_log(log, 0)
    assert append(log, 1) == offset + 1


def test_cleanup_segments_to_maintain_size(managers: Managers) -> None:
    set_size = record_set().size_in_bytes()
    segment_bytes = 10 * set_size
    log = managers.create(segment_bytes=segment_bytes, retention_bytes=5 * 10 * set_size + 10)
    num_messages = 200
    offset = append(log, num_messages)
    assert log.number_of_segments() == num_messages * set_size // segment_bytes

    # None is expired. Some go to reduce the size.
    managers.scheduler.tick(INITIAL_TASK_DELAY_MS)
    assert log.number_of_segments() == 6
    managers.scheduler.tick(log.config().file_delete_delay_ms + 1)
    check_files(log)
    assert read_log(log, offset + 1).records.size_in_bytes() == 0
    with pytest.raises(OffsetOutOfRangeException):
        read_log(log, 0)
    assert append(log, 1) == offset + 1


def check_not_cleaned(managers: Managers, **policy: bool) -> None:
    log = managers.create(KAFKA_0, **policy)
    append(log, 200, b"test")
    num_segments = log.number_of_segments()
    assert num_segments > 1
    for segment in log.segments():
        segment.set_last_modified_ms(managers.time.milliseconds())
    managers.scheduler.tick(MAX_LOG_AGE_MS + 1)
    assert log.number_of_segments() == num_segments


def test_doesnt_clean_logs_with_compact_delete_policy(managers: Managers) -> None:
    check_not_cleaned(managers, compact=True, delete=True)


def test_doesnt_clean_logs_with_compact_policy(managers: Managers) -> None:
    check_not_cleaned(managers, compact=True)


def test_time_based_flush(managers: Managers) -> None:
    log = managers.create(flush_ms=1000)
    append(log, 200)
    # The sealed segments, at once.
    managers.scheduler.tick()
    last_flush_ms = log.last_flush_ms()
    managers.scheduler.tick(INITIAL_TASK_DELAY_MS)
    assert log.last_flush_ms() != last_flush_ms
    assert log.recovery_point() == log.log_end_offset()


def test_load_logs_skip_remote_index_cache(managers: Managers) -> None:
    """No segment is remote here. A folder that was another's with such is left as it is."""
    remote_index_cache = managers.path("remote-log-index-cache")
    remote_index_cache.mkdir()
    managers.manager.abandon()
    assert managers.start().all_logs() == []
    assert remote_index_cache.is_dir()


def test_two_log_managers_using_same_dir_fails(managers: Managers) -> None:
    with pytest.raises(KafkaException, match="Failed to acquire lock on file .lock in"):
        DataFolder.open(str(managers.directory))


def verify_checkpoint_recovery(managers: Managers, topic_partitions: Sequence[TopicPartition]) -> None:
    logs = [managers.create(topic_partition) for topic_partition in topic_partitions]
    for log in logs:
        append(log, 50)
        log.flush()
    assert managers.manager.checkpoint_recovery_points()
    assert OffsetCheckpointFile(str(managers.path(RECOVERY_POINT_FILE))).read() == {
        topic_partition: log.recovery_point() for topic_partition, log in zip(topic_partitions, logs)}
    assert all(log.recovery_point() == 50 for log in logs)


def test_checkpoint_recovery_points(managers: Managers) -> None:
    verify_checkpoint_recovery(managers, [TopicPartition("test-a", 1), TopicPartition("test-b", 1)])


class SpelledFolder(Managers):
    """A data folder whose path is spelled in another way."""

    def __init__(self, directory: Path, spelling: str) -> None:
        self.spelling = spelling
        super().__init__(directory)
        self.folder.release()
        self.folder = DataFolder.open(spelling)
        self.manager = self.start()


def test_recovery_directory_mapping_with_trailing_slash(tmp_path: Path) -> None:
    directory = tmp_path / "logs"
    managers = SpelledFolder(directory, f"{directory}{os.sep}")
    verify_checkpoint_recovery(managers, [TopicPartition("test-a", 1)])
    managers.dispose()


def test_recovery_directory_mapping_with_relative_directory(tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    managers = SpelledFolder(tmp_path / "data" / "logs", os.path.join("data", "logs"))
    verify_checkpoint_recovery(managers, [TopicPartition("test-a", 1)])
    managers.dispose()


def test_file_references_after_async_delete(managers: Managers) -> None:
    log = managers.create()
    segment = log.active_segment()
    suffixes = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
    names = [os.path.basename(segment.path(suffix)) for suffix in suffixes]
    before = log.directory()
    on_disk_before = {name for name in os.listdir(before) if name.endswith((LOG_SUFFIX, "index"))}

    managers.manager.delete_logs([KAFKA_0])
    assert managers.manager.get_log(KAFKA_0) is None
    assert log.active_segment() is segment
    assert log.directory() != before and log.directory().endswith(DELETE_DIR_SUFFIX)
    assert [segment.path(suffix) for suffix in suffixes] == [
        os.path.join(log.directory(), name) for name in names]
    # An index of a new kind would be forgotten here.
    assert on_disk_before and on_disk_before <= set(names)

    managers.scheduler.tick(INITIAL_TASK_DELAY_MS)
    assert os.path.isdir(log.directory())
    managers.scheduler.tick(log.config().file_delete_delay_ms - INITIAL_TASK_DELAY_MS)
    assert not os.path.exists(log.directory())


def test_create_and_delete_overly_long_topic(managers: Managers) -> None:
    topic_partition = TopicPartition("x" * 253, 0)
    managers.create(topic_partition)
    managers.manager.delete_logs([topic_partition])
    name, = (entry.name for entry in os.scandir(managers.directory) if entry.is_dir())
    assert name.startswith("xxx") and name.endswith(DELETE_DIR_SUFFIX) and len(name) <= MAX_FOLDER_NAME


def test_checkpoint_for_only_affected_logs(managers: Managers) -> None:
    verify_checkpoint_recovery(managers, [
        TopicPartition("test-a", 0), TopicPartition("test-a", 1), TopicPartition("test-a", 2),
        TopicPartition("test-b", 0), TopicPartition("test-b", 1)])


def test_topic_config_change_stop_cleaning_if_compact_is_removed(managers: Managers) -> None:
    topic_partitions = [TopicPartition("topic", 0), TopicPartition("topic", 1)]
    logs = [managers.create(topic_partition, compact=True) for topic_partition in topic_partitions]
    cleaner = Mock()
    managers.manager.start_cleaner(cleaner)
    assert all(log.config().compact for log in logs)

    managers.manager.update_topic_config(topic_partitions, log_config(**LOG_PROPS))
    assert all(log.config().delete and not log.config().compact for log in logs)
    assert cleaner.abort_cleaning.mock_calls == [call(partition) for partition in topic_partitions]

    # There is nothing to abort as long as the logs are compacted, or are not.
    for compact in (False, True, True):
        managers.manager.update_topic_config(topic_partitions, log_config(compact=compact, **LOG_PROPS))
    assert cleaner.abort_cleaning.call_count == 2


def test_checkpoint_log_start_offset_for_normal_topic(managers: Managers) -> None:
    checkpoint = OffsetCheckpointFile(str(managers.path(LOG_START_OFFSET_FILE)))
    topic_partition = TopicPartition("test", 0)
    log = managers.create(topic_partition)
    for _ in range(50):
        offset = append(log, 1)
        if offset != 0 and offset % 10 == 0:
            log.roll()
    assert log.number_of_segments() == 5

    log_start_offset = 31
    log.maybe_increment_log_start_offset(log_start_offset)
    managers.manager.checkpoint_log_start_offsets()
    assert log.number_of_segments() == 5
    assert checkpoint.read() == {topic_partition: log_start_offset}

    log.delete_old_segments()
    assert log.number_of_segments() == 2
    assert log.log_start_offset() == log_start_offset

    # The first segment begins there now: the file need not say it.
    managers.manager.checkpoint_log_start_offsets()
    assert checkpoint.read() == {}


@pytest.mark.deviation("D388")
def test_lock(tmp_path: Path) -> None:
    managers = Managers(tmp_path)
    try:
        assert managers.path(LOCK_FILE).exists()
        with pytest.raises(DataFolderLockedException):
            DataFolder.open(str(tmp_path))
    finally:
        managers.manager.shutdown()
        managers.dispose()
    # D388: the file stays. Nobody holds it.
    assert managers.path(LOCK_FILE).exists()
    DataFolder.open(str(tmp_path)).release()


def within_seconds(seconds: int, task: Callable[[], object]) -> None:
    thread = threading.Thread(target=task)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive()


def test_shutdown_with_zero_file_delete_delay_ms(managers: Managers) -> None:
    managers.manager.abandon()
    scheduler = KafkaScheduler(1, True, "log-manager-test")
    scheduler.startup()
    manager = managers.new(scheduler, Time.SYSTEM, initial_task_delay_ms=0)
    manager.load({})
    manager.start_tasks()
    log = managers.create(file_delete_delay_ms=0)
    append(log, 1)
    manager.delete_logs([KAFKA_0])
    within_seconds(5, manager.shutdown)
    within_seconds(5, scheduler.shutdown)
    assert managers.path(CLEAN_SHUTDOWN_FILE).exists()


@pytest.mark.deviation("D518")
def test_a_new_log_leaves_the_last_descriptors_to_those_that_are_there(
        managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refused log leaves no folder, and the others go on. A descriptor that is free again makes room."""
    there = managers.create(TopicPartition("there", 0))
    monkeypatch.setattr("kreactor.core.log.log_manager.is_for_existing_partitions", lambda descriptor: True)
    with pytest.raises(KafkaStorageException, match=r"raise its limit of open files \(ulimit -n\)"):
        managers.create()
    assert not managers.path(f"{KAFKA_0}").exists() and managers.manager.get_log(KAFKA_0) is None
    assert append(there, 1) == 0
    monkeypatch.setattr("kreactor.core.log.log_manager.is_for_existing_partitions", lambda descriptor: False)
    assert append(managers.create(), 1) == 0
