# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All logs of the data folder: opens them at the start, runs their background tasks, and closes them.

An injected scheduler runs the background tasks: retention, flushes by time, checkpoints of recovery points
and start offsets, expiry of producers, and delayed deletions. Logs are opened one after the other. Reading
batches is Python work, which more threads would not speed up.

Locks: ``_lock`` guards the opening and deletion of logs, and is taken before a log's lock. The table of logs
is a dict that any thread may read.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from kreactor.common.errors import (
    InconsistentTopicIdException,
    KafkaStorageException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.internals.topic import Topic
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.core.log import log_loader
from kreactor.core.log.log_directory import LogDirectory
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.checkpoints.offset_checkpoint_file import (
    read_offset_checkpoint,
    write_offset_checkpoint,
)
from kreactor.jdk.descriptors import is_for_existing_partitions
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import write_atomically
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import ReentrantLock
from kreactor.server.util.scheduler import Cancellable, Scheduler
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.log_file_utils import DELETE_DIR_SUFFIX, deleted_folder, partition_folder
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, MetricsRecorder
from kreactor.storage.internals.log.open_files import DEFAULT_LIMIT, OpenFiles
from kreactor.storage.internals.log.producer_state_manager import DEFAULT_MAX_TRANSACTION_TIMEOUT_MS
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig

RECOVERY_POINT_FILE = "recovery-point-offset-checkpoint"
LOG_START_OFFSET_FILE = "log-start-offset-checkpoint"
CLEANER_OFFSET_FILE = "cleaner-offset-checkpoint"
PARTITION_METADATA_FILE = "partition.metadata"

# Above this size, an active segment of a coordinators' topic is sealed.
MAX_ACTIVE_BYTES = 8 * 1024 * 1024

log = LogContext().logger(f"{__name__}.LogManager")


class LogCleaner(Protocol):
    """The part of the log cleaner that this module uses."""

    def startup(self) -> None:
        """Start cleaning."""

    def shutdown(self) -> None:
        """Stop cleaning; a cleaning in progress is aborted."""

    def abort_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition."""

    def abort_and_pause_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition, and keep it so until ``resume_cleaning``."""

    def maybe_truncate_checkpoint(self, data_dir: str, topic_partition: TopicPartition, offset: int) -> None:
        """Lower the checkpoint of a log that was truncated."""

    def update_checkpoints(self, data_dir: str, partition_to_remove: TopicPartition | None = None) -> None:
        """Remove the checkpoint of a deleted log."""

    def pause_cleaning_for_non_compacted_partitions(self) -> list[tuple[TopicPartition, UnifiedLog]]:
        """Return the idle logs that are not compacted, and pause their cleaning."""

    def resume_cleaning(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Remove one pause from each partition."""


class LogManagerConfig(NamedTuple):
    """The intervals of the background tasks, in milliseconds; Kafka's defaults. The largest long means
    never. ``fidelity_strict`` is whether ``kreactor.fidelity`` is strict."""

    initial_task_delay_ms: int = 30_000
    retention_check_ms: int = 5 * 60 * 1000
    flush_check_ms: int = MAX_LONG
    recovery_point_checkpoint_ms: int = 60_000
    log_start_offset_checkpoint_ms: int = 60_000
    max_transaction_timeout_ms: int = DEFAULT_MAX_TRANSACTION_TIMEOUT_MS
    transaction_verification_enabled: bool = True
    producer_id_expiration_ms: int = 24 * 60 * 60 * 1000
    producer_id_expiration_check_ms: int = 10 * 60 * 1000
    max_open_sealed_segments: int = DEFAULT_LIMIT
    fidelity_strict: bool = False


class LogManager:
    """The logs of a locked data folder. Callers use ``Storage``, which also has the topics.

    :origin: kafka.log.LogManager
    :origin: kafka.log.LogManager
    """

    def __init__(self, folder: LogDirectory, config: LogManagerConfig, scheduler: Scheduler, time: Time,
                 files: OpenFiles | None = None, append_metrics: MetricsRecorder = NO_APPEND_METRICS) -> None:
        """Open nothing before ``load``. ``files`` opens segments' files; by default it follows the config.

        :origin: kafka.log.LogManager#LogManager
        """
        self._folder = folder
        self._config = config
        self._scheduler = scheduler
        self._time = time
        self._append_metrics = append_metrics
        self._files = OpenFiles(config.max_open_sealed_segments) if files is None else files
        self._producer_state_config = ProducerStateManagerConfig(
            config.producer_id_expiration_ms, config.transaction_verification_enabled)
        self._lock = ReentrantLock()
        # Guarded by the lock: whether the last shutdown was clean, whether all logs have been loaded since,
        # and whether a load has begun and has not loaded them all.
        self._had_clean_shutdown = self._load_logs_completed = self._is_partly_loaded = False
        # Changed under the lock, read by any thread.
        self._logs: dict[TopicPartition, UnifiedLog] = {}
        self._tasks: list[Cancellable] = []
        self._cleaner: LogCleaner | None = None
        # Logs that were replaced, from which responses may still be sent. Guarded by the lock.
        self._truncated: list[UnifiedLog] = []

    def directory(self) -> str:
        """Return the absolute path of the data folder."""
        return os.path.abspath(self._folder.path())

    def _open(self, topic_partition: TopicPartition, topic_id: Uuid, directory: str, config: LogConfig, *,
              clean: bool, recovery_point: int = 0, log_start_offset: int = 0,
              was_cleaned: bool = False) -> UnifiedLog:
        """:origin: kafka.log.LogManager#loadLog"""
        return log_loader.load(
            topic_partition, topic_id, directory, config, self._files, self._scheduler, self._time,
            clean=clean, recovery_point=recovery_point, log_start_offset=log_start_offset,
            was_cleaned=was_cleaned, max_transaction_timeout_ms=self._config.max_transaction_timeout_ms,
            producer_state_config=self._producer_state_config, append_metrics=self._append_metrics,
            fidelity_strict=self._config.fidelity_strict)

    def _check_owner(self, directory: str, topic_partition: TopicPartition, topic_id: Uuid) -> None:
        """Raise InconsistentTopicIdException if the folder belongs to another topic; mark a folder without a
        topic id."""
        found = _read_partition_metadata(directory)
        if found is None:
            _write_partition_metadata(directory, topic_id)
        elif found != topic_id:
            raise InconsistentTopicIdException(
                f"{directory} has topic id {found}, and {topic_partition.topic()} is {topic_id}: it belongs "
                "to another topic of that name, or to another broker")

    def load(self, partitions: Mapping[TopicPartition, tuple[Uuid, LogConfig]]) -> None:
        """Open the logs of ``partitions``, and make the missing ones.

        Folders of unknown partitions are kept, unless their deletion had begun. Raises
        InconsistentTopicIdException for a folder of another topic, or KafkaException for a folder that cannot
        be read.

        :origin: kafka.log.LogManager#loadLogs
        """
        with self._lock:
            clean = self._had_clean_shutdown = self._folder.take_clean_shutdown_mark()
            self._load_logs_completed, self._is_partly_loaded = False, True
            recovery_points = self._read_checkpoint(RECOVERY_POINT_FILE)
            log_start_offsets = self._read_checkpoint(LOG_START_OFFSET_FILE)
            cleaned = self._cleaned()
            start_ms = self._time.hi_res_clock_ms()
            for topic_partition, (topic_id, config) in partitions.items():
                directory = self._folder.file(partition_folder(topic_partition))
                try:
                    if Floor.os.path.isdir(directory):
                        self._check_owner(directory, topic_partition, topic_id)
                        self._logs[topic_partition] = self._open(
                            topic_partition, topic_id, directory, config, clean=clean,
                            recovery_point=recovery_points.get(topic_partition, 0),
                            log_start_offset=log_start_offsets.get(topic_partition, 0),
                            was_cleaned=cleaned is None or topic_partition in cleaned)
                    else:
                        self._logs[topic_partition] = self._make(topic_partition, topic_id, directory, config)
                except OSError as e:
                    raise KafkaStorageException(f"The log in {directory} cannot be opened: {e}", e) from e
            self._load_logs_completed, self._is_partly_loaded = True, False
            self._look_at_other_folders({partition_folder(tp) for tp in partitions})
            # Without the entries of deleted partitions, because a partition of the same name may be created
            # again.
            self.checkpoint_recovery_points()
            self.checkpoint_log_start_offsets()
            log.info("%d logs opened after %s stop in %d ms", len(partitions),
                     "a clean" if clean else "an unclean", self._time.hi_res_clock_ms() - start_ms)

    def start_tasks(self) -> None:
        """Start the background tasks.

        :origin: kafka.log.LogManager#startupWithConfigOverrides
        """
        config = self._config
        delay_ms, check_ms = config.initial_task_delay_ms, config.producer_id_expiration_check_ms
        for name, task, first_ms, period_ms in (
                ("kafka-log-retention", self.cleanup_logs, delay_ms, config.retention_check_ms),
                ("kafka-log-flusher", self.flush_dirty_logs, delay_ms, config.flush_check_ms),
                ("kafka-recovery-point-checkpoint", self.checkpoint_recovery_points, delay_ms,
                 config.recovery_point_checkpoint_ms),
                ("kafka-log-start-offset-checkpoint", self.checkpoint_log_start_offsets, delay_ms,
                 config.log_start_offset_checkpoint_ms),
                # A producer whose records have no timestamp expires at the first check.
                ("PeriodicProducerExpirationCheck", self.remove_expired_producers, check_ms, check_ms)):
            if period_ms < MAX_LONG:
                self._tasks.append(self._scheduler.schedule(name, task, first_ms, period_ms))

    def start_cleaner(self, cleaner: LogCleaner) -> None:
        """Start cleaning logs with ``cleaner``."""
        self._cleaner = cleaner
        cleaner.startup()

    def _stop_background(self) -> None:
        cleaner, self._cleaner = self._cleaner, None
        if cleaner is not None:
            cleaner.shutdown()
        for task in self._tasks:
            task.cancel(False)
        self._tasks.clear()

    def shutdown(self) -> None:
        """Close all logs. If all were closed cleanly, the next start need not read them. The folder stays
        locked.

        The shutdown is clean if every log was closed cleanly, and if ``load`` has finished or the last
        shutdown was clean.

        :origin: kafka.log.LogManager#shutdown
        """
        self._stop_background()
        with self._lock:
            clean = True
            for partition_log in self._logs.values():
                clean = partition_log.close() and clean
            # DEVIATION D404: after a failed load, Kafka writes the checkpoints of the loaded logs alone. The
            # other logs then begin at their first segments again, with records that DeleteRecords deleted.
            written = True
            if not self._is_partly_loaded:
                written = self.checkpoint_recovery_points()
                written = self.checkpoint_log_start_offsets() and written
            if clean and written and (self._had_clean_shutdown or self._load_logs_completed):
                self._folder.mark_clean_shutdown()
            self._forget_logs()

    def abandon(self) -> None:
        """Release all logs, and write nothing that would help the next start."""
        self._stop_background()
        with self._lock:
            for partition_log in self._logs.values():
                partition_log.abandon()
            self._forget_logs()

    def _forget_logs(self) -> None:
        """Remove all logs, and close the files of the truncated ones. The other logs are closed already.

        Called under the lock.
        """
        self._logs.clear()
        for truncated in self._truncated:
            truncated.close_handlers()
        self._truncated.clear()
        self._files.forget_all()

    def truncate_log(self, topic_partition: TopicPartition, offset: int) -> UnifiedLog:
        """Truncate a log at ``offset``, where a batch begins; return the log that replaces it.

        Raises KafkaStorageException or UnknownTopicOrPartitionException. If the truncated files cannot
        be opened, the old log is offline.

        :origin: kafka.log.LogManager#truncateTo
        """
        with self._lock:
            old = self._logs.get(topic_partition)
            if old is None:
                raise UnknownTopicOrPartitionException(f"There is no log of {topic_partition}")
            topic_id, directory, cleaner = old.topic_id(), old.directory(), self._cleaner
            cleaned = self._cleaned()
            assert topic_id is not None, "a log that this manager made or found"
            if cleaner is not None:
                cleaner.abort_and_pause_cleaning(topic_partition)
            try:
                recovery_point = old.truncate_files(offset)
                try:
                    new = self._open(topic_partition, topic_id, directory, old.config(), clean=False,
                                     recovery_point=recovery_point, log_start_offset=old.log_start_offset(),
                                     was_cleaned=cleaned is None or topic_partition in cleaned)
                except BaseException as e:
                    old.go_offline(f"it could not be opened again after its truncation ({e})")
                    raise
                self._logs[topic_partition] = new
                # The former recovery point may be beyond the end. Later records up to it would count as
                # durable before they are.
                self.checkpoint_recovery_points()
                self._truncated = [*(each for each in self._truncated
                                     if not each.active_segment().is_closed()), old]
                if cleaner is not None:
                    cleaner.maybe_truncate_checkpoint(self._folder.path(), topic_partition, offset)
            except OSError as e:
                raise KafkaStorageException(f"The log in {directory} cannot be opened: {e}", e) from e
            finally:
                if cleaner is not None:
                    cleaner.resume_cleaning([topic_partition])
            return new

    def has_folder(self, topic_partition: TopicPartition, topic_id: Uuid) -> bool:
        """Return whether a partition's folder exists under its own name, or whether that cannot be
        determined."""
        directory = self._folder.file(partition_folder(topic_partition))
        try:
            return Floor.os.path.isdir(directory) and _read_partition_metadata(directory) == topic_id
        except OSError:
            return True

    def delete_folder(self, topic_partition: TopicPartition, topic_id: Uuid) -> None:
        """Delete the folder of a partition whose deletion the last process did not complete."""
        directory = self._folder.file(partition_folder(topic_partition))
        try:
            if Floor.os.path.isdir(directory) and _read_partition_metadata(directory) == topic_id:
                Floor.os.rename(directory, self._folder.file(deleted_folder(topic_partition)))
        except OSError as e:
            log.error("failed to delete %s: %s", directory, e)

    def checkpoint_recovery_points(self) -> bool:
        """Write the recovery point of each log; return whether that succeeded.

        :origin: kafka.log.LogManager#checkpointLogRecoveryOffsets
        """
        with self._lock:
            return self._write_checkpoint(RECOVERY_POINT_FILE, {
                tp: partition_log.recovery_point() for tp, partition_log in self._logs.items()})

    def checkpoint_log_start_offsets(self) -> bool:
        """Write the start offsets of logs that begin within a segment; return whether that succeeded.

        :origin: kafka.log.LogManager#checkpointLogStartOffsets
        """
        with self._lock:
            return self._write_checkpoint(LOG_START_OFFSET_FILE, {
                tp: partition_log.log_start_offset() for tp, partition_log in self._logs.items()
                if partition_log.log_start_offset() > partition_log.segments()[0].base_offset()})

    def _write_checkpoint(self, name: str, offsets: Mapping[TopicPartition, int]) -> bool:
        """:origin: kafka.log.LogManager#checkpointRecoveryOffsetsInDir"""
        try:
            write_offset_checkpoint(self._folder.file(name), offsets)
        except OSError as e:
            log.error("failed to write %s: %s", self._folder.file(name), e)
            return False
        return True

    def _read_checkpoint(self, name: str) -> dict[TopicPartition, int]:
        try:
            return read_offset_checkpoint(self._folder.file(name))
        except OSError as e:
            log.warn("failed to read %s, which counts as empty: %s", self._folder.file(name), e)
            return {}

    def _cleaned(self) -> Collection[TopicPartition] | None:
        """Return the partitions that were ever compacted; None if they cannot be read."""
        try:
            return read_offset_checkpoint(self._folder.file(CLEANER_OFFSET_FILE))
        except OSError as e:
            log.warn("%s cannot be read; each log counts as compacted once: %s",
                     self._folder.file(CLEANER_OFFSET_FILE), e)
            return None

    def get_log(self, topic_partition: TopicPartition) -> UnifiedLog | None:
        """Return the log of a partition, or None.

        :origin: kafka.log.LogManager#getLog
        """
        return self._logs.get(topic_partition)

    def producer_state_manager_config(self) -> ProducerStateManagerConfig:
        """Return the settings of producer state that all logs share; callers may change them."""
        return self._producer_state_config

    def logs(self) -> Mapping[TopicPartition, UnifiedLog]:
        """Return a live view of the logs."""
        return self._logs

    def update_topic_config(self, topic_partitions: Iterable[TopicPartition], new_config: LogConfig) -> None:
        """Apply ``new_config`` to the logs of a topic. A running cleaning is aborted if the topic is no
        longer compacted.

        :origin: kafka.log.LogManager#updateTopicConfig
        """
        # The lock keeps a truncated log from being opened again with the former settings.
        with self._lock:
            for topic_partition in topic_partitions:
                partition_log = self._logs.get(topic_partition)
                if partition_log is not None:
                    was_compacted = partition_log.config().compact
                    partition_log.update_config(new_config)
                    if was_compacted and not new_config.compact and self._cleaner is not None:
                        self._cleaner.abort_cleaning(topic_partition)

    def create_log(self, topic_partition: TopicPartition, topic_id: Uuid, config: LogConfig) -> UnifiedLog:
        """Make an empty log. Raises KafkaStorageException; then nothing is left behind.

        :origin: kafka.log.LogManager#getOrCreateLog
        """
        directory = self._folder.file(partition_folder(topic_partition))
        with self._lock:
            try:
                self._check_descriptors()
                partition_log = self._make(topic_partition, topic_id, directory, config)
            except OSError as e:
                raise KafkaStorageException(f"Error while creating log for {topic_partition} in dir "
                                            f"{self._folder.path()}: {e}", e) from e
            self._logs[topic_partition] = partition_log
            return partition_log

    def _check_descriptors(self) -> None:
        """Raise OSError if a new partition would take a descriptor that existing partitions need."""
        # DEVIATION D518: in Kafka a log that cannot be opened takes its folder out of service.
        for may_forget in (True, False):
            descriptor = Floor.os.open(self._folder.path(), os.O_RDONLY)
            Floor.os.close(descriptor)
            if not is_for_existing_partitions(descriptor):
                return
            if may_forget:
                self._files.forget_all()
        raise OSError(errno.EMFILE, "the last descriptors of the process are for existing partitions; raise "
                      "its limit of open files (ulimit -n)")

    def _make(self, topic_partition: TopicPartition, topic_id: Uuid, directory: str,
              config: LogConfig) -> UnifiedLog:
        """Make a folder and its log. Raises OSError, or KafkaStorageException if the folder belongs to
        another topic.

        :origin: kafka.log.LogManager#createLogDirectory
        """
        try:
            Floor.os.mkdir(directory)
        except FileExistsError:
            raise KafkaStorageException(
                f"{directory} exists already, and belongs to no topic of this broker") from None
        try:
            _write_partition_metadata(directory, topic_id)
            return self._open(topic_partition, topic_id, directory, config, clean=True)
        except OSError:
            Floor.shutil.rmtree(directory, ignore_errors=True)
            raise

    def delete_logs(self, topic_partitions: Collection[TopicPartition]) -> None:
        """Take logs out of service at once, and delete their files after ``file.delete.delay.ms``.

        A folder that cannot be renamed is kept, and logged.

        :origin: kafka.log.LogManager#asyncDelete
        """
        with self._lock:
            for topic_partition in topic_partitions:
                partition_log = self._logs.pop(topic_partition, None)
                if partition_log is None:
                    continue
                if self._cleaner is not None:
                    self._cleaner.abort_cleaning(topic_partition)
                directory = self._folder.file(deleted_folder(topic_partition))
                try:
                    partition_log.rename_for_deletion(directory)
                except KafkaStorageException as e:
                    log.error("failed to delete the files of %s, whose log is out of service: %s",
                              topic_partition, e)
                    partition_log.close()
                    continue
                self._scheduler.schedule_once("kafka-delete-logs", _removal_of(directory, partition_log),
                                              partition_log.config().file_delete_delay_ms)
            if self._cleaner is not None:
                self._cleaner.update_checkpoints(self._folder.path())
            self.checkpoint_recovery_points()
            self.checkpoint_log_start_offsets()

    def cleanup_logs(self) -> None:
        """Delete the segments beyond the retention of logs that are not compacted.

        The cleaner's threads do this for compacted logs. DEVIATION D296: active segments of coordinators'
        topics above ``MAX_ACTIVE_BYTES`` are sealed here. Kafka's segments reach 100 MB before they can be
        compacted. A coordinator here needs some 40 us per commit to read one at its start, and its groups are
        unavailable until then.

        :origin: kafka.log.LogManager#cleanupLogs
        """
        cleaner = self._cleaner
        if cleaner is not None:
            deletable = cleaner.pause_cleaning_for_non_compacted_partitions()
        else:
            deletable = [(tp, each) for tp, each in list(self._logs.items()) if not each.config().compact]
        try:
            for _, partition_log in deletable:
                try:
                    partition_log.delete_old_segments()
                except (KafkaException, OSError) as e:
                    log.error("%s: retention failed: %s", partition_log, e)
        finally:
            if cleaner is not None:
                cleaner.resume_cleaning(tp for tp, _ in deletable)
        for topic_partition, partition_log in list(self._logs.items()):
            if (Topic.is_internal(topic_partition.topic())
                    and partition_log.active_segment().size() > MAX_ACTIVE_BYTES):
                try:
                    partition_log.roll()
                except KafkaException as e:
                    log.error("%s: failed to begin a segment: %s", partition_log, e)

    def all_logs(self) -> list[UnifiedLog]:
        """Return all logs.

        :origin: kafka.log.LogManager#allLogs
        """
        return list(self._logs.values())

    def flush_dirty_logs(self) -> None:
        """Flush the logs whose last flush is older than their ``flush.ms``.

        :origin: kafka.log.LogManager#flushDirtyLogs
        """
        now = self._time.milliseconds()
        for partition_log in self.all_logs():
            if now - partition_log.last_flush_ms() >= partition_log.config().flush_ms:
                try:
                    partition_log.flush()
                except KafkaStorageException as e:
                    log.error("%s: a flush failed: %s", partition_log, e)

    def remove_expired_producers(self) -> None:
        """Remove producers that have not appended for a long time."""
        now = self._time.milliseconds()
        for partition_log in self.all_logs():
            partition_log.remove_expired_producers(now)

    def _look_at_other_folders(self, known: Collection[str]) -> None:
        """Delete the folders whose deletion was in progress at the last stop, and log folders of unknown
        partitions.

        In Kafka this is the end of ``loadLog``.
        """
        for entry in Floor.os.scandir(self._folder.path()):
            if entry.name in known or not entry.is_dir(follow_symlinks=False):
                continue
            if entry.name.endswith(DELETE_DIR_SUFFIX):
                self._scheduler.schedule_once("kafka-delete-logs", _removal_of(entry.path))
            else:
                log.warn("%s belongs to no topic of this broker; it is kept", entry.path)


def _removal_of(directory: str, partition_log: UnifiedLog | None = None) -> Callable[[], None]:
    def failed(_function: object, path: str, info: tuple[type[BaseException], BaseException, object]) -> None:
        # A missing file belonged to a segment that has deleted it itself. The other files are deleted anyway.
        if not isinstance(info[1], FileNotFoundError):
            log.error("failed to delete %s: %s", path, info[1])

    def remove() -> None:
        if partition_log is not None:
            partition_log.close_handlers()
        Floor.shutil.rmtree(directory, onerror=failed)

    return remove


def _write_partition_metadata(directory: str, topic_id: Uuid) -> None:
    """Write the topic's id, not durably: it is stored elsewhere, and written again if it is lost. Raises
    OSError."""
    write_atomically(os.path.join(directory, PARTITION_METADATA_FILE),
                     f"version: 0\ntopic_id: {topic_id}".encode("ascii"), sync=False)


def _read_partition_metadata(directory: str) -> Uuid | None:
    """Return the topic id in a folder's file, or None. Raises OSError."""
    try:
        path = os.path.join(directory, PARTITION_METADATA_FILE)
        with Floor.io.open(path, encoding="ascii", errors="replace") as file:
            fields = dict(line.split(": ", 1) for line in file.read().splitlines() if ": " in line)
    except FileNotFoundError:
        return None
    try:
        return Uuid.from_string(fields["topic_id"])
    except (KeyError, IllegalArgumentException):
        return None
