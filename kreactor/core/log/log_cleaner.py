# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogCleaner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The threads that clean the logs whose cleanup.policy contains compact.

A log begins with a clean part, which was cleaned before. The dirty part follows. It ends where cleaning is
not possible yet: at the active segment, at the last stable offset, or at the first records younger than
``min.compaction.lag.ms``. A thread chooses the log with the largest share of dirty bytes, and cleans it (see
``Cleaner``). Then it deletes segments of compacted logs according to their retention, and starts again. It
pauses when there is nothing to clean.

Any thread may call the methods. ``clean_now`` has its own Cleaner.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import KafkaStorageException
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.common.log_cleaning_aborted_exception import LogCleaningAbortedException
from kreactor.core.common.thread_shutdown_exception import ThreadShutdownException
from kreactor.core.log.cleaner import Cleaner
from kreactor.core.log.cleaner_stats import CleanerStats, PreCleanStats
from kreactor.core.log.log_cleaner_manager import LogCleanerManager, LogCleaningException
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.reconfigurable_configs import LOG_CLEANER_RECONFIGURABLE_CONFIGS
from kreactor.core.server.broker_reconfigurable import BrokerReconfigurable
from kreactor.core.utils.logging import Logging
from kreactor.jdk.clock import Clock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.storage.internals.log.skimpy_offset_map import SkimpyOffsetMap
from kreactor.storage.internals.utils.throttler import Throttler

if TYPE_CHECKING:
    from kreactor.core.server.kafka_config import KafkaConfig

_MAX_INT = 2**31 - 1


class LogCleaner(BrokerReconfigurable, Logging):
    """Kafka's class and its companion are one class here.

    :origin: kafka.log.LogCleaner
    :origin: kafka.log.LogCleaner
    """

    ReconfigurableConfigs = LOG_CLEANER_RECONFIGURABLE_CONFIGS

    MaxBufferUtilizationPercentMetricName = "max-buffer-utilization-percent"
    CleanerRecopyPercentMetricName = "cleaner-recopy-percent"
    MaxCleanTimeMetricName = "max-clean-time-secs"
    MaxCompactionDelayMetricsName = "max-compaction-delay-secs"
    DeadThreadCountMetricName = "DeadThreadCount"
    MetricNames = frozenset((
        MaxBufferUtilizationPercentMetricName,
        CleanerRecopyPercentMetricName,
        MaxCleanTimeMetricName,
        MaxCompactionDelayMetricsName,
        DeadThreadCountMetricName))

    def __init__(self, initial_config: CleanerConfig, log_dirs: Collection[str],
                 logs: Mapping[TopicPartition, UnifiedLog], time: Time = Time.SYSTEM,
                 registry: MetricsRegistry | None = None) -> None:
        """Clean nothing before ``startup``. ``logs`` may change in the meantime."""
        self._log_dirs = log_dirs
        self._logs = logs
        self._time = time
        self._metrics_group = KafkaMetricsGroup(LogCleaner, registry)
        # Read by any thread.
        self._config = initial_config
        self._cleaner_manager = LogCleanerManager(log_dirs, logs, registry)
        self._throttler = Throttler(
            self._config.max_io_bytes_per_second, 300, "cleaner-io", "bytes", time, registry)
        self._cleaners: list[LogCleaner.CleanerThread] = []

        self._metrics_group.new_gauge(
            self.MaxBufferUtilizationPercentMetricName,
            lambda: self._max_over_cleaner_threads(lambda each: each.last_stats.buffer_utilization) * 100)

        def cleaner_recopy_percent() -> int:
            stats = [cleaner.last_stats for cleaner in self._cleaners]
            recopy_rate = (sum(each.bytes_written for each in stats)
                           / max(sum(each.bytes_read for each in stats), 1))
            return int(100 * recopy_rate)

        self._metrics_group.new_gauge(self.CleanerRecopyPercentMetricName, cleaner_recopy_percent)
        self._metrics_group.new_gauge(
            self.MaxCleanTimeMetricName,
            lambda: self._max_over_cleaner_threads(lambda each: each.last_stats.elapsed_secs()))
        self._metrics_group.new_gauge(
            self.MaxCompactionDelayMetricsName,
            lambda: self._max_over_cleaner_threads(
                lambda each: each.last_pre_clean_stats.max_compaction_delay_ms) // 1000)
        self._metrics_group.new_gauge(self.DeadThreadCountMetricName, self.dead_thread_count)

    def cleaner_manager(self) -> LogCleanerManager:
        """Return the manager of the partitions' states.

        :origin: kafka.log.LogCleaner#cleanerManager
        """
        return self._cleaner_manager

    def _max_over_cleaner_threads(self, f: Callable[[LogCleaner.CleanerThread], float]) -> int:
        """:origin: kafka.log.LogCleaner#maxOverCleanerThreads"""
        return int(max(map(f, self._cleaners), default=0.0))

    def dead_thread_count(self) -> int:
        """Return the number of threads that an exception has ended.

        :origin: kafka.log.LogCleaner#deadThreadCount
        """
        return sum(cleaner.is_thread_failed() for cleaner in self._cleaners)

    def startup(self) -> None:
        """Start cleaning.

        :origin: kafka.log.LogCleaner#startup
        """
        self.info("Starting the log cleaner")
        for i in range(self._config.num_threads):
            cleaner = self._new_cleaner_thread(i)
            self._cleaners.append(cleaner)
            cleaner.start()

    def _new_cleaner_thread(self, id: int) -> LogCleaner.CleanerThread:
        """Return one of the threads, not started. ``kreactor.testing`` returns an object without a thread."""
        return LogCleaner.CleanerThread(self, id)

    def shutdown(self) -> None:
        """Stop cleaning; a cleaning in progress is aborted.

        :origin: kafka.log.LogCleaner#shutdown
        """
        self.info("Shutting down the log cleaner.")
        try:
            self._stop_threads()
        finally:
            self.remove_metrics()

    def _stop_threads(self) -> None:
        # All threads are signalled first, because each pauses or cleans until its next check.
        for cleaner in self._cleaners:
            cleaner.initiate_shutdown()
        for cleaner in self._cleaners:
            cleaner.await_shutdown()
        self._cleaners.clear()

    def remove_metrics(self) -> None:
        """:origin: kafka.log.LogCleaner#removeMetrics"""
        for name in self.MetricNames:
            self._metrics_group.remove_metric(name)
        self._cleaner_manager.remove_metrics()

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: kafka.log.LogCleaner#reconfigurableConfigs"""
        return LogCleaner.ReconfigurableConfigs

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException unless the new number of threads is between half and twice the current one.

        :origin: kafka.log.LogCleaner#validateReconfiguration
        """
        num_threads = LogCleaner.cleaner_config(new_config).num_threads
        current_threads = self._config.num_threads
        if num_threads < 1:
            raise ConfigException("Log cleaner threads should be at least 1")
        if num_threads < current_threads // 2:
            raise ConfigException("Log cleaner threads cannot be reduced to less than half the current value "
                                  f"{current_threads}")
        if num_threads > current_threads * 2:
            raise ConfigException("Log cleaner threads cannot be increased to more than double the current "
                                  f"value {current_threads}")

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Stop the threads, and start others with the new settings.

        :origin: kafka.log.LogCleaner#reconfigure
        """
        self._config = LogCleaner.cleaner_config(new_config)

        max_io_bytes_per_second = self._config.max_io_bytes_per_second
        if max_io_bytes_per_second != old_config.log_cleaner_io_max_bytes_per_second():
            self.info("Updating logCleanerIoMaxBytesPerSecond: %f", max_io_bytes_per_second)
            self._throttler.update_desired_rate_per_sec(max_io_bytes_per_second)

        # DEVIATION D293: in Kafka the first reconfiguration removes the metrics, and they do not come back.
        self._stop_threads()
        self.startup()

    def abort_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition.

        :origin: kafka.log.LogCleaner#abortCleaning
        """
        self._cleaner_manager.abort_cleaning(topic_partition)

    def update_checkpoints(self, data_dir: str, partition_to_remove: TopicPartition | None = None) -> None:
        """Remove the checkpoint of a deleted log.

        :origin: kafka.log.LogCleaner#updateCheckpoints
        """
        self._cleaner_manager.update_checkpoints(data_dir, partition_to_remove=partition_to_remove)

    def alter_checkpoint_dir(self, topic_partition: TopicPartition, source_log_dir: str,
                             dest_log_dir: str) -> None:
        """Move the checkpoint of a partition from one log dir to another.

        :origin: kafka.log.LogCleaner#alterCheckpointDir
        """
        self._cleaner_manager.alter_checkpoint_dir(topic_partition, source_log_dir, dest_log_dir)

    def handle_log_dir_failure(self, dir_: str) -> None:
        """Stop cleaning the logs in a log dir.

        :origin: kafka.log.LogCleaner#handleLogDirFailure
        """
        self._cleaner_manager.handle_log_dir_failure(dir_)

    def maybe_truncate_checkpoint(self, data_dir: str, topic_partition: TopicPartition, offset: int) -> None:
        """Lower the checkpoint of a log that was truncated to ``offset``.

        :origin: kafka.log.LogCleaner#maybeTruncateCheckpoint
        """
        self._cleaner_manager.maybe_truncate_checkpoint(data_dir, topic_partition, offset)

    def abort_and_pause_cleaning(self, topic_partition: TopicPartition) -> None:
        """Wait until no thread cleans a partition, and keep it so until ``resume_cleaning``.

        :origin: kafka.log.LogCleaner#abortAndPauseCleaning
        """
        self._cleaner_manager.abort_and_pause_cleaning(topic_partition)

    def resume_cleaning(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Remove one pause from each partition.

        :origin: kafka.log.LogCleaner#resumeCleaning
        """
        self._cleaner_manager.resume_cleaning(topic_partitions)

    def await_cleaned(self, topic_partition: TopicPartition, offset: int, max_wait_ms: int = 60_000) -> bool:
        """Wait in real time until a partition is clean up to ``offset``; return whether it is. For tests.

        :origin: kafka.log.LogCleaner#awaitCleaned
        """

        def is_cleaned() -> bool:
            return self._cleaner_manager.all_cleaner_checkpoints().get(topic_partition, -1) >= offset

        remaining_wait_ms = max_wait_ms
        while not is_cleaned() and remaining_wait_ms > 0:
            sleep_time = min(100, remaining_wait_ms)
            Clock.sleep(sleep_time / 1000)
            remaining_wait_ms -= sleep_time
        return is_cleaned()

    def pause_cleaning_for_non_compacted_partitions(self) -> list[tuple[TopicPartition, UnifiedLog]]:
        """Return the idle logs that are not compacted, and pause their cleaning.

        :origin: kafka.log.LogCleaner#pauseCleaningForNonCompactedPartitions
        """
        return self._cleaner_manager.pause_cleaning_for_non_compacted_partitions()

    def current_config(self) -> CleanerConfig:
        """Return the settings. For tests.

        :origin: kafka.log.LogCleaner#currentConfig
        """
        return self._config

    def cleaner_count(self) -> int:
        """Return the number of threads. For tests.

        :origin: kafka.log.LogCleaner#cleanerCount
        """
        return len(self._cleaners)

    def clean_now(self, topic_partition: TopicPartition) -> None:
        """Clean the whole cleanable part of a log on the calling thread, whatever its share of dirty bytes.

        A running cleaning of the log is aborted first. Raises as ``Cleaner.clean``, and KeyError for an
        unknown log. Not in Kafka.
        """
        manager = self._cleaner_manager
        log = self._logs[topic_partition]
        config = self._config
        cleaner = self._new_cleaner(-1, config, lambda _: None)
        manager.abort_and_pause_cleaning(topic_partition)
        try:
            while True:
                to_clean = manager.cleanable_offsets(
                    log, manager.all_cleaner_checkpoints().get(topic_partition), self._time.milliseconds())
                ltc = LogToClean(topic_partition, log, to_clean.first_dirty_offset,
                                 to_clean.first_uncleanable_dirty_offset)
                if ltc.total_bytes == 0:
                    return
                end_offset, _ = cleaner.clean(ltc)
                manager.update_checkpoints(
                    log.parent_dir(), partition_to_update_or_add=(topic_partition, end_offset))
                # A full offset map ends a round before the end of the dirty part.
                if end_offset >= ltc.first_uncleanable_offset:
                    return
        finally:
            manager.resume_cleaning([topic_partition])

    def _new_cleaner(self, id: int, config: CleanerConfig, check_done: Callable[[TopicPartition], None]
                     ) -> Cleaner:
        return Cleaner(
            id=id,
            offset_map=SkimpyOffsetMap(
                min(config.dedupe_buffer_size // config.num_threads, _MAX_INT), config.hash_algorithm()),
            io_buffer_size=config.io_buffer_size // config.num_threads // 2,
            max_io_buffer_size=config.max_message_size,
            dup_buffer_load_factor=config.dedupe_buffer_load_factor,
            throttler=self._throttler,
            time=self._time,
            check_done=check_done,
            before_replacement=self._cleaner_manager.note_gaps)

    class CleanerThread(ShutdownableThread, Logging):
        """One of the threads. Any thread may read its stats.

        :origin: kafka.log.LogCleaner.CleanerThread
        """

        def __init__(self, log_cleaner: LogCleaner, thread_id: int) -> None:
            super().__init__(f"kafka-log-cleaner-thread-{thread_id}", False)
            self._log_ident = self._log_prefix
            self._log_cleaner = log_cleaner
            config = log_cleaner._config

            if config.dedupe_buffer_size // config.num_threads > _MAX_INT:
                self.warn("Cannot use more than 2G of cleaner buffer space per cleaner thread, ignoring "
                          "excess buffer space...")

            self._cleaner = log_cleaner._new_cleaner(thread_id, config, self._check_done)
            # The partitions whose last cleaning failed, for example because the disk is full.
            self._failing: set[TopicPartition] = set()
            self.last_stats = CleanerStats()
            self.last_pre_clean_stats = PreCleanStats()

        def _check_done(self, topic_partition: TopicPartition) -> None:
            """Raise an exception if the cleaning of a partition must end.

            :origin: kafka.log.LogCleaner.CleanerThread#checkDone
            """
            if not self.is_running():
                raise ThreadShutdownException()
            self._log_cleaner._cleaner_manager.check_cleaning_aborted(topic_partition)

        def do_work(self) -> None:
            """:origin: kafka.log.LogCleaner.CleanerThread#doWork"""
            cleaned = self._try_clean_filthiest_log()
            if not cleaned:
                self.pause(self._log_cleaner._config.backoff_ms, TimeUnit.MILLISECONDS)

            self._log_cleaner._cleaner_manager.maintain_uncleanable_partitions()

        def _try_clean_filthiest_log(self) -> bool:
            """Clean a log, if one needs it; return whether one was cleaned.

            :origin: kafka.log.LogCleaner.CleanerThread#tryCleanFilthiestLog
            """
            try:
                return self._clean_filthiest_log()
            except LogCleaningException as e:
                self.warn("Unexpected exception thrown when cleaning log %s. Marking its partition (%s) as "
                          "uncleanable", e.log, e.log.topic_partition(), exc=e)
                self._log_cleaner._cleaner_manager.mark_partition_uncleanable(
                    e.log.parent_dir(), e.log.topic_partition())

                return False

        def _clean_filthiest_log(self) -> bool:
            """Clean the log with the largest share of dirty bytes. Raises LogCleaningException.

            :origin: kafka.log.LogCleaner.CleanerThread#cleanFilthiestLog
            """
            cleaner_manager = self._log_cleaner._cleaner_manager
            pre_clean_stats = PreCleanStats()
            ltc = cleaner_manager.grab_filthiest_compacted_log(self._log_cleaner._time, pre_clean_stats)
            if ltc is None:
                cleaned = False
            else:
                self.last_pre_clean_stats = pre_clean_stats
                try:
                    cleaned = self._clean_log(ltc)
                except ThreadShutdownException:
                    raise
                except Exception as e:
                    raise LogCleaningException(ltc.log, str(e), e) from e
            deletable = cleaner_manager.deletable_logs()
            try:
                for _, log in deletable:
                    try:
                        log.delete_old_segments()
                    except ThreadShutdownException:
                        raise
                    except Exception as e:
                        raise LogCleaningException(log, str(e), e) from e
            finally:
                cleaner_manager.done_deleting([tp for tp, _ in deletable])

            return cleaned

        def _clean_log(self, cleanable: LogToClean) -> bool:
            """Clean a log, and release it; return whether to continue with another log at once.

            :origin: kafka.log.LogCleaner.CleanerThread#cleanLog
            """
            start_offset = cleanable.first_dirty_offset
            end_offset = start_offset
            try:
                next_dirty_offset, cleaner_stats = self._cleaner.clean(cleanable)
                end_offset = next_dirty_offset
                self._failing.discard(cleanable.topic_partition)
                self._record_stats(
                    self._cleaner.id(), cleanable.log.name(), start_offset, end_offset, cleaner_stats)
            except LogCleaningAbortedException:
                pass
            except KafkaStorageException:
                # The log is offline, or has already logged why it could not be changed.
                return False
            except OSError as e:
                # DEVIATION D291: Kafka takes the log dir offline, and the broker ends with its last log dir.
                if cleanable.topic_partition not in self._failing:
                    self._failing.add(cleanable.topic_partition)
                    self.error("Failed to clean up log for %s in dir %s due to IOException: %s. It is tried "
                               "again later; further failures are not written here until one succeeds",
                               cleanable.topic_partition, cleanable.log.parent_dir(), e)
                return False
            finally:
                self._log_cleaner._cleaner_manager.done_cleaning(
                    cleanable.topic_partition, cleanable.log.parent_dir(), end_offset)
            return True

        def _record_stats(self, id: int, name: str, from_: int, to: int, stats: CleanerStats) -> None:
            """Log the result of a round, and store it for the metrics.

            :origin: kafka.log.LogCleaner.CleanerThread#recordStats
            """
            self.last_stats = stats

            def mb(bytes_: float) -> float:
                return bytes_ / (1024 * 1024)

            def per(part: float, whole: float) -> float:
                return part / whole if whole else 0.0

            elapsed, index = stats.elapsed_secs(), stats.elapsed_index_secs()
            self.info(
                f"{os.linesep}\tLog cleaner thread {id} cleaned log {name} (dirty section = [{from_}, {to}])"
                f"{os.linesep}\t{mb(stats.bytes_read):,.1f} MB of log processed in {elapsed:,.1f} seconds "
                f"({per(mb(stats.bytes_read), elapsed):,.1f} MB/sec).{os.linesep}"
                f"\tIndexed {mb(stats.map_bytes_read):,.1f} MB in {index:.1f} seconds "
                f"({per(mb(stats.map_bytes_read), index):,.1f} Mb/sec, "
                f"{100 * per(index, elapsed):.1f}% of total time){os.linesep}"
                f"\tBuffer utilization: {100 * stats.buffer_utilization:.1f}%{os.linesep}"
                f"\tCleaned {mb(stats.bytes_read):,.1f} MB in {elapsed - index:.1f} seconds "
                f"({per(mb(stats.bytes_read), elapsed - index):,.1f} Mb/sec, "
                f"{100 * per(elapsed - index, elapsed):.1f}% of total time){os.linesep}"
                f"\tStart size: {mb(stats.bytes_read):,.1f} MB ({stats.messages_read:,d} messages)"
                f"{os.linesep}"
                f"\tEnd size: {mb(stats.bytes_written):,.1f} MB ({stats.messages_written:,d} messages)"
                f"{os.linesep}"
                f"\t{100 * (1 - per(stats.bytes_written, stats.bytes_read)):.1f}% size reduction "
                f"({100 * (1 - per(stats.messages_written, stats.messages_read)):.1f}% fewer messages)"
                f"{os.linesep}")
            if self.last_pre_clean_stats.delayed_partitions > 0:
                self.info("\tCleanable partitions: %d, Delayed partitions: %d, max delay: %d",
                          self.last_pre_clean_stats.cleanable_partitions,
                          self.last_pre_clean_stats.delayed_partitions,
                          self.last_pre_clean_stats.max_compaction_delay_ms)
            if stats.invalid_messages_read > 0:
                self.warn("\tFound %d invalid messages during compaction.", stats.invalid_messages_read)

    @staticmethod
    def cleaner_config(config: KafkaConfig) -> CleanerConfig:
        """Return a broker's settings of the cleaner.

        :origin: kafka.log.LogCleaner#cleanerConfig
        """
        return CleanerConfig(
            config.log_cleaner_threads(),
            config.log_cleaner_dedupe_buffer_size(),
            config.log_cleaner_dedupe_buffer_load_factor(),
            config.log_cleaner_io_buffer_size(),
            config.message_max_bytes(),
            config.log_cleaner_io_max_bytes_per_second(),
            config.log_cleaner_backoff_ms(),
            config.log_cleaner_enable())
