# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Helpers of the tests of the log: settings, batches, a scheduler that a test moves, files that fail."""

from __future__ import annotations

import errno
import heapq
import itertools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from kreactor.common.compress.compression import Compression
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log import log_loader
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk.executors import Runnable
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike
from kreactor.server.util.scheduler import Cancellable, Scheduler
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file import LogFile
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, MetricsRecorder
from kreactor.storage.internals.log.open_files import OpenFiles
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from kreactor.testing.mock_time import MockTime

TP = TopicPartition("topic", 0)
NOW = 1_700_000_000_000


class MockTask:
    """A task that waits for its time."""

    def __init__(self, task: Runnable, period_ms: int) -> None:
        self.task = task
        self.period_ms = period_ms
        self.cancelled = False

    def cancel(self, may_interrupt_if_running: bool = False) -> bool:
        self.cancelled = True
        return True

    def is_cancelled(self) -> bool:
        return self.cancelled

    def is_done(self) -> bool:
        return self.cancelled

    def get_delay_ms(self) -> int:
        return 0


class MockScheduler(Scheduler):
    """Runs tasks on the thread that calls ``tick``, once the mock clock has reached their time."""

    def __init__(self, time: MockTime) -> None:
        self.time = time
        self._arrivals = itertools.count()
        self._lock = threading.Lock()
        self._tasks: list[tuple[int, int, MockTask]] = []

    def startup(self) -> None:
        pass

    def shutdown(self) -> None:
        pass

    def resize_thread_pool(self, new_size: int) -> None:
        pass

    def schedule(self, name: str, task: Runnable, delay_ms: int, period_ms: int) -> Cancellable:
        mock_task = MockTask(task, period_ms)
        self._push(self.time.milliseconds() + delay_ms, mock_task)
        return mock_task

    def tick(self, ms: int = 0) -> None:
        """Move the clock and run what is due."""
        self.time.sleep(ms)
        while True:
            with self._lock:
                if not self._tasks or self._tasks[0][0] > self.time.milliseconds():
                    return
                due_ms, _, mock_task = heapq.heappop(self._tasks)
            if not mock_task.cancelled:
                mock_task.task()
                if mock_task.period_ms > 0:
                    self._push(due_ms + mock_task.period_ms, mock_task)

    def waiting(self) -> int:
        """Return the number of tasks that wait."""
        return sum(not task.cancelled for _, _, task in self._tasks)

    def _push(self, due_ms: int, mock_task: MockTask) -> None:
        with self._lock:
            heapq.heappush(self._tasks, (due_ms, next(self._arrivals), mock_task))


class Fault:
    """The replacements of the next calls on files, by name of the method."""

    def __init__(self) -> None:
        self.fail: dict[str, OSError] = {}
        # How many bytes of a failing write get into the file first.
        self.partly = 0

    def disk_full(self, partly: int = 0) -> None:
        self.fail["write"] = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.partly = partly

    def check(self, name: str) -> None:
        if name in self.fail:
            raise self.fail[name]


class TrackedFile(LogFile):
    """A segment's file that a test can close before its time."""

    __slots__ = ()


class TrackedFiles(OpenFiles):
    """Knows all files that are open."""

    __slots__ = ("opened",)

    def __init__(self, limit: int = 256) -> None:
        super().__init__(limit)
        self.opened: weakref.WeakSet[TrackedFile] = weakref.WeakSet()

    def open(self, path: str, flags: int) -> LogFile:
        return self.track(TrackedFile(os.open(path, flags | os.O_CLOEXEC, 0o644), path))

    def track(self, file: TrackedFile) -> LogFile:
        self.opened.add(file)
        return file

    def close_all(self) -> None:
        """Close what a test has left open."""
        self.forget_all()
        for file in list(self.opened):
            file.close()


class FaultyFile(TrackedFile):
    """A segment's file that fails as it is told."""

    __slots__ = ("fault",)

    fault: Fault

    def write(self, src: BytesLike | ByteBuffer, position: int) -> int:
        if "write" in self.fault.fail and self.fault.partly:
            assert not isinstance(src, ByteBuffer)
            super().write(memoryview(src)[:self.fault.partly], position)
        self.fault.check("write")
        return super().write(src, position)

    def truncate(self, size: int) -> LogFile:
        self.fault.check("truncate")
        super().truncate(size)
        return self

    def force(self, metadata: bool) -> None:
        self.fault.check("force")
        super().force(metadata)

    def read_at(self, count: int, position: int) -> bytes:
        self.fault.check("read")
        return super().read_at(count, position)


class FaultyFiles(TrackedFiles):
    """Opens files that fail as they are told."""

    __slots__ = ("fault",)

    def __init__(self, fault: Fault, limit: int = 256) -> None:
        super().__init__(limit)
        self.fault = fault

    def open(self, path: str, flags: int) -> LogFile:
        self.fault.check("open")
        file = FaultyFile(os.open(path, flags | os.O_CLOEXEC, 0o644), path)
        file.fault = self.fault
        return self.track(file)


def log_config(compact: bool = False, delete: bool | None = None, **settings: Any) -> LogConfig:
    """Return the settings of a log: ``segment_bytes=100`` is the topic's ``segment.bytes``."""
    policies = [TopicConfig.CLEANUP_POLICY_COMPACT] * compact
    policies += [TopicConfig.CLEANUP_POLICY_DELETE] * (not compact if delete is None else delete)
    overrides = {name.replace("_", "."): value for name, value in settings.items()}
    return LogConfig.from_props({}, {TopicConfig.CLEANUP_POLICY_CONFIG: policies, **overrides})


def records(*values: bytes | None, timestamp: int = NOW, codec: Compression = Compression.NONE,
            magic: int = 2, producer_id: int = -1, producer_epoch: int = -1, base_sequence: int = -1,
            timestamp_type: TimestampType = TimestampType.CREATE_TIME,
            is_transactional: bool = False) -> MemoryRecords:
    """Return what a client would send: one batch, in memory that may be written to."""
    made = MemoryRecords.with_records(
        codec, *(SimpleRecord(timestamp + number, None, value) for number, value in enumerate(values)),
        magic=magic, producer_id=producer_id, producer_epoch=producer_epoch, base_sequence=base_sequence,
        timestamp_type=timestamp_type, is_transactional=is_transactional)
    return wrap(made.buffer().to_bytes())


def wrap(data: BytesLike) -> MemoryRecords:
    """Return records over a copy of ``data`` that may be written to."""
    return MemoryRecords.readable_records(ByteBuffer.wrap(bytearray(data)))


class LogHarness:
    """A folder with one log in it, which a test closes, crashes and opens again."""

    def __init__(self, directory: str, config: LogConfig | None = None, fault: Fault | None = None,
                 is_open: bool = True) -> None:
        """Open the log, unless the test does it."""
        self.directory = os.path.join(directory, "topic-0")
        os.makedirs(self.directory, exist_ok=True)
        self.config = LogConfig() if config is None else config
        # To be changed by tests: it counts at once.
        self.producer_state_config = ProducerStateManagerConfig()
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles() if fault is None else FaultyFiles(fault)
        if is_open:
            self.log = self.open(clean=True)

    def open(self, clean: bool, recovery_point: int = 0, log_start_offset: int = 0,
             was_cleaned: bool = False, append_metrics: MetricsRecorder = NO_APPEND_METRICS) -> UnifiedLog:
        self.log = log_loader.load(
            TP, None, self.directory, self.config, self.files, self.scheduler, self.time, clean=clean,
            recovery_point=recovery_point, log_start_offset=log_start_offset, was_cleaned=was_cleaned,
            producer_state_config=self.producer_state_config, append_metrics=append_metrics)
        return self.log

    def crash(self) -> None:
        """Forget the log as a killed process would."""
        self.log.abandon()
        self.files.forget_all()

    def dispose(self) -> None:
        """Leave nothing open."""
        self.crash()
        self.files.close_all()

    def crash_and_open(self, recovery_point: int = 0, log_start_offset: int = 0) -> UnifiedLog:
        self.crash()
        return self.open(False, recovery_point, log_start_offset)

    def close_and_open(self) -> UnifiedLog:
        assert self.log.close()
        return self.open(clean=True, log_start_offset=self.log.log_start_offset())

    def append(self, *values: bytes, **kwargs: int) -> int:
        """Append one batch of these; return its first offset."""
        return self.log.append_as_leader(records(*values, **kwargs), 0).first_offset  # type: ignore[arg-type]

    def segment_path(self, slot: int = -1) -> str:
        return self.log.segments()[slot].path()


def read_batches(log: UnifiedLog, offset: int | None = None, max_bytes: int = 1 << 20) -> list[RecordBatch]:
    """Return all batches from ``offset`` on, each read whole now."""
    offset = log.log_start_offset() if offset is None else offset
    found: list[RecordBatch] = []
    while offset < log.log_end_offset():
        fetched = log.read(offset, max_bytes, FetchIsolation.HIGH_WATERMARK, True).records
        for batch in fetched.batches():
            data = ByteBuffer.allocate(batch.size_in_bytes())
            batch.write_to(data)
            found.extend(wrap(data.flip().to_bytes()).batches())
        next_offset = found[-1].next_offset() if found else offset
        assert next_offset > offset, "a read gave no batch"
        offset = next_offset
    return found


def read_records(log: UnifiedLog, offset: int | None = None) -> list[Record]:
    """Return all records from ``offset`` on."""
    start = log.log_start_offset() if offset is None else offset
    return [record for batch in read_batches(log, offset) for record in batch if record.offset() >= start]


def values(log: UnifiedLog, offset: int | None = None) -> list[bytes | None]:
    """Return the values of all records from ``offset`` on."""
    found = []
    for record in read_records(log, offset):
        value = record.value()
        found.append(None if value is None else value.to_bytes())
    return found


def run_threads(*targets: Callable[[], object]) -> None:
    """Run all at once, and raise what one of them raised."""
    raised: list[BaseException] = []

    def run(target: Callable[[], object]) -> None:
        try:
            target()
        except BaseException as e:
            raised.append(e)

    threads = [threading.Thread(target=run, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if raised:
        raise raised[0]
