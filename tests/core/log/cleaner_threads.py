# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The base of the tests of Kafka's AbstractLogCleanerIntegrationTest: a cleaner with its threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.server.metrics.yammer import Gauge
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from tests.core.log.support import MAX_LONG, Logs, records, singleton_records, text
from tests.stepping import stopped_at, wait_until
from tests.storage.internals.log.support import log_config

PARTITIONS = [TopicPartition("log", partition) for partition in range(3)]
ALL_COMPRESSIONS = pytest.mark.parametrize("type_", list(CompressionType), ids=lambda type_: type_.name)

# A key, its value and the offset of the record.
Entry = tuple[int, str, int]


class Threads:
    """A cleaner of three logs."""

    def __init__(self, logs: Logs) -> None:
        self.logs = logs
        self.pool: dict[TopicPartition, UnifiedLog] = {}
        self._cleaner: LogCleaner | None = None
        self._counter = 0

    def make(self, partitions: list[TopicPartition] = PARTITIONS, *, num_threads: int = 1,
             backoff_ms: int = 10, max_message_size: int = 128, io_buffer_size: int | None = None,
             **settings: object) -> LogCleaner:
        config = log_config(**{
            "max_message_bytes": max_message_size, "segment_bytes": 2048, "segment_index_bytes": 100 * 1024,
            "file_delete_delay_ms": 1000, "compact": True, "delete": False, "min_cleanable_dirty_ratio": 0.0,
            "min_compaction_lag_ms": 0, "max_compaction_lag_ms": MAX_LONG, **settings})
        for partition in partitions:
            self.pool[partition] = self.logs.make(partition, config=config)
        self._cleaner = LogCleaner(
            CleanerConfig(num_threads, 4 * 1024 * 1024, 0.9,
                          max_message_size // 2 if io_buffer_size is None else io_buffer_size,
                          max_message_size, sys.float_info.max, backoff_ms, True),
            [self.logs.directory], self.pool, self.logs.time, self.logs.registry)
        return self._cleaner

    def log(self, partition: int = 0) -> UnifiedLog:
        return self.pool[PARTITIONS[partition]]

    def gauge(self, name: str) -> object:
        metric, = (metric for each, metric in self.logs.registry.all_metrics().items()
                   if each.get_name() == name)
        assert isinstance(metric, Gauge)
        return metric.value()

    def write_dups(self, num_keys: int, num_dups: int, log: UnifiedLog, codec: Compression,
                   start_key: int = 0, magic: int = 2, timestamp: int | None = None) -> list[Entry]:
        written = []
        for _ in range(num_dups):
            for key in range(start_key, start_key + num_keys):
                value = str(self._counter)
                made = singleton_records(
                    value.encode(), str(key).encode(), codec=codec, magic=magic,
                    timestamp=self.logs.time.milliseconds() if timestamp is None else timestamp)
                written.append((key, value, log.append_as_leader(made, 0).first_offset))
                self._counter += 1
        return written

    def check_last_cleaned(self, offset: int) -> None:
        assert self._cleaner is not None
        wait_until(lambda: self.last_cleaned() >= offset, f"not cleaned up to {offset}")

    def last_cleaned(self) -> int:
        assert self._cleaner is not None
        return self._cleaner.cleaner_manager().all_cleaner_checkpoints().get(PARTITIONS[0], -1)

    def wait_for_rounds(self, count: int = 5) -> None:
        """Wait until the cleaner has looked for a log to clean ``count`` times from now on."""
        assert self._cleaner is not None
        manager = self._cleaner.cleaner_manager()
        begun: list[int] = []

        def is_begin(*_args: object) -> bool:
            begun.append(1)
            # The round that is under way at first may have looked before the caller's change.
            return len(begun) > count

        with stopped_at(manager, "grab_filthiest_compacted_log", when=is_begin) as stop:
            stop.wait()

    def shutdown(self) -> None:
        cleaner, self._cleaner = self._cleaner, None
        if cleaner is not None:
            cleaner.shutdown()


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[Threads]:
    logs = Logs(tmp_path)
    made = Threads(logs)
    yield made
    made.shutdown()
    logs.dispose()


def read_from_log(log: UnifiedLog) -> list[Entry]:
    return [(int(text(record.key())), text(record.value()), record.offset()) for record in records(log)]


def to_map(entries: list[Entry]) -> dict[int, tuple[str, int]]:
    return {key: (value, offset) for key, value, offset in entries}
