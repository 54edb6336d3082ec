# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogCleanerManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of each partition's cleaning, and the checkpoint up to which its log was cleaned.

The states of a partition, which all cleaner threads share:

===================  ===========================================  ==========================================
state                entered by                                   left to
===================  ===========================================  ==========================================
none                 the end of a cleaning, the last resume       in progress, paused once
in progress          ``grab_filthiest_compacted_log``,            none, aborted
                     ``deletable_logs``
aborted              ``abort_and_pause_cleaning`` of one in       paused once, by the thread that cleans
                     progress
paused n times       ``abort_and_pause_cleaning``, the            paused n + 1 times, paused n - 1 times,
                     retention of a log that is not compacted     none
===================  ===========================================  ==========================================

Any thread. ``_lock`` guards the states, the checkpoints and the uncleanable partitions.
``_paused_cleaning_cond`` wakes the threads that wait for an abort.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.common.log_cleaning_aborted_exception import LogCleaningAbortedException
from kreactor.core.log.cleaner_stats import PreCleanStats
from kreactor.core.log.log_manager import CLEANER_OFFSET_FILE
from kreactor.core.log.log_to_clean import LogToClean, calculate_cleanable_bytes
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.checkpoints.offset_checkpoint_file import OffsetCheckpointFile
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Condition, ReentrantLock
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.log_config import MAX_LONG

# The logger of the static methods.
log_ = LogContext().logger(f"{__name__}.LogCleanerManager")


class LogCleaningState:
    """The state of a partition's cleaning: in progress, aborted or paused.

    :origin: kafka.log.LogCleaningState
    """

    __slots__ = ()


class LogCleaningInProgress(LogCleaningState):
    """A thread cleans the log, or deletes its segments.

    :origin: kafka.log.LogCleaningInProgress
    """

    __slots__ = ()


class LogCleaningAborted(LogCleaningState):
    """The cleaning thread must release the log.

    :origin: kafka.log.LogCleaningAborted
    """

    __slots__ = ()


@dataclass(frozen=True)
class LogCleaningPaused(LogCleaningState):
    """No thread cleans the log before ``paused_count`` resumes.

    :origin: kafka.log.LogCleaningPaused
    """

    paused_count: int


LOG_CLEANING_IN_PROGRESS = LogCleaningInProgress()
LOG_CLEANING_ABORTED = LogCleaningAborted()


class LogCleaningException(KafkaException):
    """The log of one partition cannot be cleaned.

    :origin: kafka.log.LogCleaningException
    """

    def __init__(self, log: UnifiedLog, message: str, cause: BaseException) -> None:
        super().__init__(message, cause)
        self.log = log


class LogCleanerManager(Logging):
    """For use by any thread. Kafka's class and its companion are one class here.

    :origin: kafka.log.LogCleanerManager
    :origin: kafka.log.LogCleanerManager
    """

    UncleanablePartitionsCountMetricName = "uncleanable-partitions-count"
    UncleanableBytesMetricName = "uncleanable-bytes"
    MaxDirtyPercentMetricName = "max-dirty-percent"
    TimeSinceLastRunMsMetricName = "time-since-last-run-ms"
    GaugeMetricNameNoTag = frozenset((MaxDirtyPercentMetricName, TimeSinceLastRunMsMetricName))

    def __init__(self, log_dirs: Collection[str], logs: Mapping[TopicPartition, UnifiedLog],
                 registry: MetricsRegistry | None = None) -> None:
        """``logs`` may change in the meantime."""
        self._log_dirs = log_dirs
        self._logs = logs
        self._metrics_group = KafkaMetricsGroup(LogCleanerManager, registry)
        self._offset_checkpoint_file = CLEANER_OFFSET_FILE
        # Replaced as a whole, read by any thread.
        self._checkpoints = {
            dir_: OffsetCheckpointFile(os.path.join(dir_, self._offset_checkpoint_file)) for dir_ in log_dirs}
        # These three are guarded by the lock; the last is by log dir.
        self._in_progress: dict[TopicPartition, LogCleaningState] = {}
        self._uncleanable_partitions: dict[str, set[TopicPartition]] = {}
        self._lock = ReentrantLock()
        self._paused_cleaning_cond = Condition(self._lock)
        self._gauge_metric_name_with_tag: dict[str, list[dict[str, str]]] = {}

        for dir_ in log_dirs:
            self._new_gauges_of(dir_)
        # Written under the lock, read by any thread.
        self._dirtiest_log_cleanable_ratio = 0.0
        self._metrics_group.new_gauge(
            self.MaxDirtyPercentMetricName, lambda: int(100 * self._dirtiest_log_cleanable_ratio))
        self._time_of_last_run = Time.SYSTEM.milliseconds()
        self._metrics_group.new_gauge(
            self.TimeSinceLastRunMsMetricName, lambda: Time.SYSTEM.milliseconds() - self._time_of_last_run)

    def _new_gauges_of(self, dir_: str) -> None:
        metric_tag = {"logDirectory": os.path.abspath(dir_)}

        def uncleanable_bytes() -> int:
            with self._lock:
                partitions = self._uncleanable_partitions.get(os.path.abspath(dir_), ())
                last_clean = self.all_cleaner_checkpoints()
                now = Time.SYSTEM.milliseconds()
                total = 0
                for tp in partitions:
                    log = self._logs.get(tp)
                    if log is not None:
                        offsets_to_clean = self.cleanable_offsets(log, last_clean.get(tp), now)
                        total += self.calculate_cleanable_bytes(
                            log, offsets_to_clean.first_dirty_offset,
                            offsets_to_clean.first_uncleanable_dirty_offset)[1]
                return total

        for name, gauge in (
                (self.UncleanablePartitionsCountMetricName,
                 lambda: len(self.uncleanable_partitions(os.path.abspath(dir_)))),
                (self.UncleanableBytesMetricName, uncleanable_bytes)):
            self._metrics_group.new_gauge(name, gauge, metric_tag)
            self._gauge_metric_name_with_tag.setdefault(name, []).append(metric_tag)

    def all_cleaner_checkpoints(self) -> dict[TopicPartition, int]:
        """Return the offset up to which each log was cleaned.

        :origin: kafka.log.LogCleanerManager#allCleanerCheckpoints
        """
        with self._lock:
            found: dict[TopicPartition, int] = {}
            for checkpoint in self._checkpoints.values():
                try:
                    found.update(checkpoint.read())
                except KafkaStorageException as e:
                    self._error_of(checkpoint, e)
            return found

    def cleaning_state(self, tp: TopicPartition) -> LogCleaningState | None:
        """Return the state of a partition, None for an idle one.

        :origin: kafka.log.LogCleanerManager#cleaningState
        """
        with self._lock:
            return self._in_progress.get(tp)

    def set_cleaning_state(self, tp: TopicPartition, state: LogCleaningState) -> None:
        """Set the state of a partition. For tests.

        :origin: kafka.log.LogCleanerManager#setCleaningState
        """
        with self._lock:
            self._in_progress[tp] = state

    def grab_filthiest_compacted_log(self, time: Time, pre_clean_stats: PreCleanStats | None = None
                                     ) -> LogToClean | None:
        """Return the log to clean next, and mark it as in progress; None if no log needs cleaning.

        Raises LogCleaningException if the dirty part of a log cannot be determined.

        :origin: kafka.log.LogCleanerManager#grabFilthiestCompactedLog
        """
        if pre_clean_stats is None:
            pre_clean_stats = PreCleanStats()
        with self._lock:
            now = time.milliseconds()
            self._time_of_last_run = now
            last_clean = self.all_cleaner_checkpoints()

            dirty_logs = []
            for topic_partition, log in list(self._logs.items()):
                if (not log.config().compact or topic_partition in self._in_progress
                        or self._is_uncleanable_partition(log, topic_partition)):
                    continue
                try:
                    last_clean_offset = last_clean.get(topic_partition)
                    offsets_to_clean = self.cleanable_offsets(log, last_clean_offset, now)
                    if offsets_to_clean.force_update_checkpoint:
                        self.update_checkpoints(log.parent_dir(), partition_to_update_or_add=(
                            topic_partition, offsets_to_clean.first_dirty_offset))
                    compaction_delay_ms = self._max_compaction_delay(
                        log, offsets_to_clean.first_dirty_offset, now)
                    pre_clean_stats.update_max_compaction_delay(compaction_delay_ms)

                    ltc = LogToClean(topic_partition, log, offsets_to_clean.first_dirty_offset,
                                     offsets_to_clean.first_uncleanable_dirty_offset, compaction_delay_ms > 0)
                except Exception as e:
                    raise LogCleaningException(
                        log, f"Failed to calculate log cleaning stats for partition {topic_partition}",
                        e) from e
                if ltc.total_bytes > 0:
                    dirty_logs.append(ltc)

            self._dirtiest_log_cleanable_ratio = max((ltc.cleanable_ratio for ltc in dirty_logs), default=0.0)
            cleanable_logs = [
                ltc for ltc in dirty_logs
                if (ltc.need_compaction_now and ltc.cleanable_bytes > 0
                    or ltc.cleanable_ratio > ltc.log.config().min_cleanable_ratio)]

            if not cleanable_logs:
                return None
            pre_clean_stats.record_cleanable_partitions(len(cleanable_logs))
            filthiest = max(cleanable_logs)
            self._in_progress[filthiest.topic_partition] = LOG_CLEANING_IN_PROGRESS
            return filthiest

    def pause_cleaning_for_non_compacted_partitions(self) -> list[tuple[TopicPartition, UnifiedLog]]:
        """Return the idle logs that are not compacted, and pause their cleaning.

        So retention and the cleaner never work on a log at the same time, even if its cleanup.policy changes.

        :origin: kafka.log.LogCleanerManager#pauseCleaningForNonCompactedPartitions
        """
        with self._lock:
            deletable_logs = [
                (topic_partition, log) for topic_partition, log in list(self._logs.items())
                if not log.config().compact and topic_partition not in self._in_progress]

            for topic_partition, _ in deletable_logs:
                self._in_progress[topic_partition] = LogCleaningPaused(1)
            return deletable_logs

    def deletable_logs(self) -> list[tuple[TopicPartition, UnifiedLog]]:
        """Return the idle compacted logs, and mark them as in progress.

        Logs whose policy excludes deletion are included, because they may have segments before their start
        offset.

        :origin: kafka.log.LogCleanerManager#deletableLogs
        """
        with self._lock:
            to_clean = [
                (topic_partition, log) for topic_partition, log in list(self._logs.items())
                if (topic_partition not in self._in_progress and log.config().compact
                    and not self._is_uncleanable_partition(log, topic_partition))]
            for tp, _ in to_clean:
                self._in_progress[tp] = LOG_CLEANING_IN_PROGRESS
            return to_clean

    def abort_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition.

        :origin: kafka.log.LogCleanerManager#abortCleaning
        """
        with self._lock:
            self.abort_and_pause_cleaning(topic_partition)
            self.resume_cleaning([topic_partition])

    def abort_and_pause_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition, and keep it so until ``resume_cleaning``.

        The cleaning thread checks the state repeatedly, and releases the log when it is aborted. Raises
        IllegalStateException during another abort.

        :origin: kafka.log.LogCleanerManager#abortAndPauseCleaning
        """
        with self._lock:
            state = self._in_progress.get(topic_partition)
            if state is None:
                self._in_progress[topic_partition] = LogCleaningPaused(1)
            elif state is LOG_CLEANING_IN_PROGRESS:
                self._in_progress[topic_partition] = LOG_CLEANING_ABORTED
            elif isinstance(state, LogCleaningPaused):
                self._in_progress[topic_partition] = LogCleaningPaused(state.paused_count + 1)
            else:
                raise IllegalStateException(f"Compaction for partition {topic_partition} cannot be aborted "
                                            f"and paused since it is in {state} state.")
            while not self._is_cleaning_in_state_paused(topic_partition):
                self._paused_cleaning_cond.wait(0.1)

    def resume_cleaning(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Remove one pause from each partition. Raises IllegalStateException for one that is not paused.

        :origin: kafka.log.LogCleanerManager#resumeCleaning
        """
        with self._lock:
            for topic_partition in topic_partitions:
                state = self._in_progress.get(topic_partition)
                if state is None:
                    raise IllegalStateException(f"Compaction for partition {topic_partition} cannot be "
                                                "resumed since it is not paused.")
                if not isinstance(state, LogCleaningPaused):
                    raise IllegalStateException(f"Compaction for partition {topic_partition} cannot be "
                                                f"resumed since it is in {state} state.")
                if state.paused_count == 1:
                    del self._in_progress[topic_partition]
                else:
                    self._in_progress[topic_partition] = LogCleaningPaused(state.paused_count - 1)

    def _is_cleaning_in_state(self, topic_partition: TopicPartition,
                              expected_state: LogCleaningState) -> bool:
        """Return whether the partition is in the state. Called under the lock.

        :origin: kafka.log.LogCleanerManager#isCleaningInState
        """
        return self._in_progress.get(topic_partition) == expected_state

    def _is_cleaning_in_state_paused(self, topic_partition: TopicPartition) -> bool:
        """Return whether the partition is paused. Called under the lock.

        :origin: kafka.log.LogCleanerManager#isCleaningInStatePaused
        """
        return isinstance(self._in_progress.get(topic_partition), LogCleaningPaused)

    def check_cleaning_aborted(self, topic_partition: TopicPartition) -> None:
        """Raise LogCleaningAbortedException if the thread must release the partition.

        :origin: kafka.log.LogCleanerManager#checkCleaningAborted
        """
        with self._lock:
            if self._is_cleaning_in_state(topic_partition, LOG_CLEANING_ABORTED):
                raise LogCleaningAbortedException()

    def update_checkpoints(self, data_dir: str,
                           partition_to_update_or_add: tuple[TopicPartition, int] | None = None,
                           partition_to_remove: TopicPartition | None = None) -> None:
        """Write the checkpoint of a log, or remove that of a deleted log.

        :origin: kafka.log.LogCleanerManager#updateCheckpoints
        """
        with self._lock:
            checkpoint = self._checkpoints.get(data_dir)
            if checkpoint is not None:
                try:
                    updated_checkpoint = {
                        tp: offset for tp, offset in checkpoint.read().items() if tp in self._logs}
                    if partition_to_remove is not None:
                        updated_checkpoint.pop(partition_to_remove, None)
                    if partition_to_update_or_add is not None:
                        updated_checkpoint.update((partition_to_update_or_add,))

                    checkpoint.write(updated_checkpoint)
                except KafkaStorageException as e:
                    self._error_of(checkpoint, e)

    def alter_checkpoint_dir(self, topic_partition: TopicPartition, source_log_dir: str,
                             dest_log_dir: str) -> None:
        """Move the checkpoint of a partition from one log dir to another.

        :origin: kafka.log.LogCleanerManager#alterCheckpointDir
        """
        with self._lock:
            try:
                checkpoint = self._checkpoints.get(source_log_dir)
                offset = None if checkpoint is None else checkpoint.read().get(topic_partition)
                if offset is not None:
                    self.debug("Removing the partition offset data in checkpoint file for '%s' from %s "
                               "directory.", topic_partition, source_log_dir)
                    self.update_checkpoints(source_log_dir, partition_to_remove=topic_partition)

                    self.debug("Adding the partition offset data in checkpoint file for '%s' to %s "
                               "directory.", topic_partition, dest_log_dir)
                    self.update_checkpoints(dest_log_dir,
                                            partition_to_update_or_add=(topic_partition, offset))
            except KafkaStorageException as e:
                self.error("Failed to access checkpoint file in dir %s", source_log_dir, exc=e)

            log_uncleanable_partitions = self._uncleanable_partitions.get(source_log_dir, set())
            if topic_partition in log_uncleanable_partitions:
                log_uncleanable_partitions.remove(topic_partition)
                self.mark_partition_uncleanable(dest_log_dir, topic_partition)

    def handle_log_dir_failure(self, dir_: str) -> None:
        """Stop cleaning the logs in a log dir.

        :origin: kafka.log.LogCleanerManager#handleLogDirFailure
        """
        self.warn("Stopping cleaning logs in dir %s", dir_)
        with self._lock:
            self._checkpoints = {k: checkpoint for k, checkpoint in self._checkpoints.items()
                                 if os.path.abspath(k) != dir_}

    def maybe_truncate_checkpoint(self, data_dir: str, topic_partition: TopicPartition, offset: int) -> None:
        """Lower the checkpoint of a log that was truncated to ``offset``. Raises KafkaStorageException.

        :origin: kafka.log.LogCleanerManager#maybeTruncateCheckpoint
        """
        with self._lock:
            if self._logs[topic_partition].config().compact:
                checkpoint = self._checkpoints.get(data_dir)
                if checkpoint is not None:
                    existing = checkpoint.read()
                    if existing.get(topic_partition, 0) > offset:
                        checkpoint.write({**existing, topic_partition: offset})

    def done_cleaning(self, topic_partition: TopicPartition, data_dir: str, end_offset: int) -> None:
        """Write the checkpoint of a cleaned log, unless the cleaning was aborted; release the log.

        Raises IllegalStateException if the log was not in progress.

        :origin: kafka.log.LogCleanerManager#doneCleaning
        """
        with self._lock:
            if self._in_progress.get(topic_partition) is LOG_CLEANING_IN_PROGRESS:
                self.update_checkpoints(data_dir, partition_to_update_or_add=(topic_partition, end_offset))
            self._release_partition(topic_partition)

    def done_deleting(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Release logs. Raises IllegalStateException for a log that was not in progress.

        :origin: kafka.log.LogCleanerManager#doneDeleting
        """
        with self._lock:
            for topic_partition in topic_partitions:
                self._release_partition(topic_partition)

    def note_gaps(self, log: UnifiedLog) -> None:
        """Write a checkpoint for a log that has none, before its first segments are replaced.

        DEVIATION D71: recovery accepts gaps in a log with a checkpoint. An aborted cleaning leaves gaps, too.
        The topic may no longer be compacted at the next start.
        """
        with self._lock:
            if log.topic_partition() not in self.all_cleaner_checkpoints():
                self.update_checkpoints(log.parent_dir(), partition_to_update_or_add=(
                    log.topic_partition(), log.log_start_offset()))

    def _release_partition(self, topic_partition: TopicPartition) -> None:
        """Release a partition. Called under the lock."""
        state = self._in_progress.get(topic_partition)
        if state is LOG_CLEANING_IN_PROGRESS:
            del self._in_progress[topic_partition]
        elif state is LOG_CLEANING_ABORTED:
            self._in_progress[topic_partition] = LogCleaningPaused(1)
            self._paused_cleaning_cond.notify_all()
        elif state is None:
            raise IllegalStateException(f"State for partition {topic_partition} should exist.")
        else:
            raise IllegalStateException(
                f"In-progress partition {topic_partition} cannot be in {state} state.")

    def uncleanable_partitions(self, log_dir: str) -> frozenset[TopicPartition]:
        """Return the partitions in a log dir whose cleaning has failed.

        :origin: kafka.log.LogCleanerManager#uncleanablePartitions
        """
        with self._lock:
            return frozenset(self._uncleanable_partitions.get(log_dir, ()))

    def mark_partition_uncleanable(self, log_dir: str, partition: TopicPartition) -> None:
        """Exclude a partition from cleaning for the lifetime of this object.

        :origin: kafka.log.LogCleanerManager#markPartitionUncleanable
        """
        with self._lock:
            self._uncleanable_partitions.setdefault(log_dir, set()).add(partition)

    def _is_uncleanable_partition(self, log: UnifiedLog, topic_partition: TopicPartition) -> bool:
        """:origin: kafka.log.LogCleanerManager#isUncleanablePartition"""
        with self._lock:
            return topic_partition in self._uncleanable_partitions.get(log.parent_dir(), ())

    def maintain_uncleanable_partitions(self) -> None:
        """Remove the deleted partitions from the uncleanable ones.

        :origin: kafka.log.LogCleanerManager#maintainUncleanablePartitions
        """
        with self._lock:
            for partitions in self._uncleanable_partitions.values():
                partitions.intersection_update(list(self._logs))

            for log_dir in [each for each, partitions in self._uncleanable_partitions.items()
                            if not partitions]:
                del self._uncleanable_partitions[log_dir]

    def remove_metrics(self) -> None:
        """:origin: kafka.log.LogCleanerManager#removeMetrics"""
        for name in self.GaugeMetricNameNoTag:
            self._metrics_group.remove_metric(name)
        for name, tags in self._gauge_metric_name_with_tag.items():
            for tag in tags:
                self._metrics_group.remove_metric(name, tag)
        self._gauge_metric_name_with_tag.clear()

    def _error_of(self, checkpoint: OffsetCheckpointFile, error: KafkaStorageException) -> None:
        directory, name = os.path.split(checkpoint.file())
        self.error("Failed to access checkpoint file %s in dir %s", name, directory, exc=error)

    @staticmethod
    def _is_compact_and_delete(log: UnifiedLog) -> bool:
        """:origin: kafka.log.LogCleanerManager#isCompactAndDelete"""
        return log.config().compact and log.config().delete

    @staticmethod
    def _max_compaction_delay(log: UnifiedLog, first_dirty_offset: int, now: int) -> int:
        """Return a log's delay beyond ``max.compaction.lag.ms``, in milliseconds.

        :origin: kafka.log.LogCleanerManager#maxCompactionDelay
        """
        dirty_non_active_segments = log.non_active_log_segments_from(first_dirty_offset)
        first_batch_timestamps = [
            timestamp for timestamp in log.get_first_batch_timestamp_for_segments(dirty_non_active_segments)
            if timestamp > 0]

        earliest_dirty_segment_timestamp = min(first_batch_timestamps, default=MAX_LONG)

        max_compaction_lag_ms = max(log.config().max_compaction_lag_ms, 0)
        clean_until_time = now - max_compaction_lag_ms

        if earliest_dirty_segment_timestamp < clean_until_time:
            return clean_until_time - earliest_dirty_segment_timestamp
        return 0

    @classmethod
    def cleanable_offsets(cls, log: UnifiedLog, last_clean_offset: int | None, now: int) -> OffsetsToClean:
        """Return the part of a log that can be cleaned.

        A ``last_clean_offset`` outside the log makes the whole log dirty. The part ends at the last stable
        offset, at the active segment, or at the first segment with a record younger than
        ``min.compaction.lag.ms``.

        :origin: kafka.log.LogCleanerManager#cleanableOffsets
        """
        log_start_offset = log.log_start_offset()
        checkpoint_dirty_offset = log_start_offset if last_clean_offset is None else last_clean_offset

        if checkpoint_dirty_offset < log_start_offset:
            # No warning is needed for a log whose segments are also deleted.
            if not cls._is_compact_and_delete(log):
                log_.warn("Resetting first dirty offset of %s to log start offset %d since the checkpointed "
                          "offset %d is invalid.", log.name(), log_start_offset, checkpoint_dirty_offset)
            first_dirty_offset, force_update_checkpoint = log_start_offset, True
        elif checkpoint_dirty_offset > log.log_end_offset():
            log_.warn("The last checkpoint dirty offset for partition %s is %d, which is larger than the log "
                      "end offset %d. Resetting to the log start offset %d.", log.name(),
                      checkpoint_dirty_offset, log.log_end_offset(), log_start_offset)
            first_dirty_offset, force_update_checkpoint = log_start_offset, True
        else:
            first_dirty_offset, force_update_checkpoint = checkpoint_dirty_offset, False

        min_compaction_lag_ms = max(log.config().compaction_lag_ms, 0)

        first_uncleanable_dirty_offset = min(log.last_stable_offset(), log.active_segment().base_offset())
        if min_compaction_lag_ms > 0:
            for segment in log.non_active_log_segments_from(first_dirty_offset):
                is_uncleanable = segment.largest_timestamp() > now - min_compaction_lag_ms
                log_.debug("Checking if log segment may be cleaned: log='%s' segment.baseOffset=%d "
                           "segment.largestTimestamp=%d; now - compactionLag=%d; is uncleanable=%s",
                           log.name(), segment.base_offset(), segment.largest_timestamp(),
                           now - min_compaction_lag_ms, is_uncleanable)
                if is_uncleanable:
                    first_uncleanable_dirty_offset = min(
                        first_uncleanable_dirty_offset, segment.base_offset())
                    break

        log_.debug("Finding range of cleanable offsets for log=%s. Last clean offset=%s now=%d => "
                   "firstDirtyOffset=%d firstUncleanableOffset=%d activeSegment.baseOffset=%d", log.name(),
                   last_clean_offset, now, first_dirty_offset, first_uncleanable_dirty_offset,
                   log.active_segment().base_offset())

        return OffsetsToClean(first_dirty_offset, max(first_dirty_offset, first_uncleanable_dirty_offset),
                              force_update_checkpoint)

    calculate_cleanable_bytes = staticmethod(calculate_cleanable_bytes)


class OffsetsToClean(NamedTuple):
    """The part of a log that can be cleaned: from the first offset up to, but excluding, the second.

    ``force_update_checkpoint`` is True if the stored checkpoint of the first offset is wrong.

    :origin: kafka.log.OffsetsToClean
    """

    first_dirty_offset: int
    first_uncleanable_dirty_offset: int
    force_update_checkpoint: bool = False
