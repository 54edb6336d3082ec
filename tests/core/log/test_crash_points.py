# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A crash at every call that changes a file, and more crashes while the next starts repair the files.

Each scenario runs one operation on a log with real files. The folder is photographed before each call that
changes a file, and amid each write. A photograph is what a crash leaves at that point. After a kill, the
kernel has what the process has written. After a loss of power, the disk has what was flushed. The log is then
opened from each photograph, as after an unclean stop. That opening is photographed in the same way, and the
log is opened from those photographs, until no folder is new. So a scenario also covers several crashes in a
row.

The file system decides in which order it lists a folder. The openings see both the order of the names and the
opposite one.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.log_to_clean import LogToClean
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.data_folder import CLEAN_SHUTDOWN_FILE
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.jdk.files import TEMPORARY_SUFFIX
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.epoch import leader_epoch_file_cache
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_file_utils import (
    CLEANED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    SWAP_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_name,
)
from kreactor.testing.mock_time import MockTime
from tests.core.log.support import Logs, segment_batches
from tests.storage.internals.log.support import (
    NOW,
    TP,
    LogHarness,
    MockScheduler,
    TrackedFiles,
    log_config,
    read_batches,
    records,
    values,
    wrap,
)

# Whether every photograph is opened; else a sample of so many, the same in each run.
EVERYTHING = False
SAMPLE = 20

T = TypeVar("T")
COMMIT, ABORT = ControlRecordType.COMMIT, ControlRecordType.ABORT

# The path of each file below the photographed folder, and its content.
Photograph = tuple[tuple[str, bytes], ...]


def photograph(directory: str) -> Photograph:
    """Return the files of a folder."""
    found = []
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as file:
            found.append((name, file.read()))
    return tuple(found)


def develop(picture: Photograph, directory: str) -> None:
    """Write the files of a photograph."""
    for name, data in picture:
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)


class File:
    """A file under any name: the content that the kernel has, and the one that the disk has."""

    def __init__(self, data: bytes = b"", durable: bytes = b"") -> None:
        self.data = data
        self.durable = durable


class Disk:
    """Follows the calls that change the files of a folder, so that a photograph need not read them.

    After a kill, the kernel has all that was written. After a loss of power, the names are those of now, or
    those of the folder's last flush. The files have the contents of their last flushes. If ``mixes``, there
    is also a picture in which some have these, and the others those of now. All files of the beginning are
    flushed.
    """

    def __init__(self, directory: str, take: Callable[[str, Photograph], object],
                 loses_power: bool = False, mixes: bool = False) -> None:
        self._directory = os.path.abspath(directory)
        self._take = take
        self._loses_power = loses_power
        self._mixes = mixes
        self._choice = random.Random(0)
        self._names: dict[str, File] = {}
        self._inodes: dict[int, File] = {}
        for name, data in photograph(directory):
            self._names[name] = File(data, data)
            self._inodes[os.stat(os.path.join(directory, name)).st_ino] = self._names[name]
        self._durable_names = dict(self._names)
        # Flushed files that were written by file objects.
        self._flushed_inodes: set[int] = set()
        self._originals = {name: getattr(os, name) for name in (
            "open", "pwrite", "ftruncate", "fsync", "rename", "replace", "remove", "utime")}

    def pictures(self) -> set[Photograph]:
        """Return the files that a kill would leave now, or those that a loss of power might leave."""
        if self._loses_power:
            found = {tuple(sorted((name, file.durable) for name, file in names.items()))
                     for names in (self._names, self._durable_names)}
            if self._mixes:
                found.add(tuple(sorted((name, self._choice.choice((file.durable, file.data)))
                                       for name, file in self._names.items())))
            return found
        return {self._picture()}

    def _picture(self) -> Photograph:
        return tuple(sorted((name, file.data) for name, file in self._names.items()))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch the calls in the block; see that nothing else has changed the files."""
        for name in self._originals:
            setattr(os, name, getattr(self, f"_{name}"))
        try:
            yield
        finally:
            for name, original in self._originals.items():
                setattr(os, name, original)
        assert self._picture() == photograph(self._directory)

    def _photograph(self, where: str) -> None:
        for picture in self.pictures():
            self._take(where, picture)

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self._directory)

    def _open(self, path: str, flags: int, *args: Any, **kwargs: Any) -> int:
        name = self._name(path)
        file = self._names.get(name)
        changes = file is None if flags & os.O_CREAT else False
        if changes or flags & os.O_TRUNC:
            self._photograph(f"open {name}")
        fd: int = self._originals["open"](path, flags, *args, **kwargs)
        if changes:
            file = self._names[name] = self._inodes[os.fstat(fd).st_ino] = File()
        if flags & os.O_TRUNC:
            assert file is not None
            file.data = b""
        return fd

    def _pwrite(self, fd: int, data: Any, position: int) -> int:
        file, written = self._inodes[os.fstat(fd).st_ino], bytes(data)
        before = file.data
        for where, part in (("before", len(written) // 2), ("amid", len(written))):
            self._photograph(f"{where} pwrite")
            file.data = before[:position].ljust(position, b"\0") + written[:part] + before[position + part:]
        done: int = self._originals["pwrite"](fd, written, position)
        assert done == len(written)
        return done

    def _ftruncate(self, fd: int, size: int) -> None:
        self._photograph("ftruncate")
        file = self._inodes[os.fstat(fd).st_ino]
        file.data = file.data[:size].ljust(size, b"\0")
        self._originals["ftruncate"](fd, size)

    def _fsync(self, fd: int) -> None:
        self._photograph("fsync")
        self._originals["fsync"](fd)
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            self._durable_names = dict(self._names)
        elif status.st_ino in self._inodes:
            file = self._inodes[status.st_ino]
            file.durable = file.data
        else:
            self._flushed_inodes.add(status.st_ino)

    def _rename(self, source: str, target: str) -> None:
        self._photograph(f"rename {self._name(source)} {self._name(target)}")
        self._move(source, target, "rename")

    def _replace(self, source: str, target: str) -> None:
        self._photograph(f"replace {self._name(source)} {self._name(target)}")
        self._move(source, target, "replace")

    def _move(self, source: str, target: str, call: str) -> None:
        name = self._name(source)
        if name not in self._names and os.path.exists(source):
            # It was written by a file object.
            with open(source, "rb") as content:
                inode, data = os.fstat(content.fileno()).st_ino, content.read()
            self._names[name] = self._inodes[inode] = File(
                data, data if inode in self._flushed_inodes else b"")
        self._originals[call](source, target)
        self._names[self._name(target)] = self._names.pop(name)

    def _remove(self, path: str) -> None:
        self._photograph(f"remove {self._name(path)}")
        self._originals["remove"](path)
        self._names.pop(self._name(path))

    def _utime(self, path: str, **kwargs: Any) -> None:
        self._photograph(f"utime {self._name(path)}")
        self._originals["utime"](path, **kwargs)


@contextmanager
def listed(backwards: bool) -> Iterator[None]:
    """Have folders listed in the order of the names, or in the opposite order."""
    original = os.listdir
    setattr(os, "listdir", lambda path=".": sorted(original(path), reverse=backwards))
    try:
        yield
    finally:
        setattr(os, "listdir", original)


class Sent(NamedTuple):
    """A batch that was acknowledged. The content of each record is by its offset."""

    last_offset: int
    records: dict[int, str]
    producer_id: int
    is_control: bool
    is_data_of_txn: bool


class ProducerOf(NamedTuple):
    """The part of a producer's state that an idempotent or transactional append depends on."""

    epoch: int
    last_sequence: int
    txn_start: int
    coordinator_epoch: int


class History:
    """Everything that was appended to a log, and its state at each end that it has had."""

    def __init__(self, harness: LogHarness, log: UnifiedLog) -> None:
        self.harness = harness
        self.log = log
        self.epoch = 0
        self.sent: dict[int, Sent] = {}
        self.producers: dict[int, dict[int, ProducerOf]] = {}
        self.aborted: dict[int, AbortedTxn] = {}
        self.epochs: list[tuple[int, int]] = []
        self.ends: dict[int, ControlRecordType] = {}
        self._sequences: dict[int, int] = {}
        self._note()

    def send(self, *entries: tuple[str, str | None] | str, producer: int = -1, is_txn: bool = True) -> int:
        """Append one batch, of a producer or of nobody; return its offset."""
        number = self.log.log_end_offset()
        made = [(entry, entry) if isinstance(entry, str) else entry for entry in entries]
        simple = [SimpleRecord(NOW + number + slot, key.encode(), None if value is None else value.encode())
                  for slot, (key, value) in enumerate(made)]
        sequence = self._sequences.get(producer, 0)
        if producer >= 0:
            self._sequences[producer] = sequence + len(simple)
        batch = MemoryRecords.with_records(
            Compression.NONE, *simple, producer_id=producer, producer_epoch=0 if producer >= 0 else -1,
            base_sequence=sequence if producer >= 0 else -1, is_transactional=producer >= 0 and is_txn)
        return self._append(batch, AppendOrigin.CLIENT, producer, producer >= 0 and is_txn)

    def end(self, producer: int, kind: ControlRecordType) -> int:
        """Append a marker; return its offset."""
        marker = MemoryRecords.with_end_transaction_marker(
            producer, 0, EndTransactionMarker(kind, 7), timestamp=NOW + self.log.log_end_offset())
        self.ends[self._append(marker, AppendOrigin.COORDINATOR, producer, False)] = kind
        return self.log.log_end_offset() - 1

    def _append(self, batch: MemoryRecords, origin: AppendOrigin, producer: int, is_data: bool) -> int:
        info = self.log.append_as_leader(wrap(batch.buffer().to_bytes()), self.epoch, origin)
        found, = read_batches(self.log, info.first_offset)
        assert info.first_offset == found.base_offset()
        self.sent[found.base_offset()] = Sent(
            found.last_offset(), contents(found), producer, found.is_control_batch(), is_data)
        self._note()
        self.harness.scheduler.tick()
        return info.first_offset

    def _note(self) -> None:
        self.producers[self.log.log_end_offset()] = producers_of(self.log)
        for txn in self.log.collect_aborted_transactions(0, self.log.log_end_offset()):
            self.aborted[txn.last_offset] = txn
        self.epochs = [*{**dict(self.epochs), **dict(self.log._leader_epochs.entries())}.items()]

    def epochs_of(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Return the epochs of a log with this start and end."""
        kept = [entry for entry in self.epochs if entry[1] < end]
        while len(kept) > 1 and kept[1][1] <= start:
            del kept[0]
        if not kept:
            return ((self.epochs[-1][0], end),)
        return ((kept[0][0], max(kept[0][1], start)), *kept[1:])

    def is_committed(self, offset: int, end: int) -> bool:
        """Return whether a log that ends at ``end`` shows the batch at ``offset`` to readers of committed
        records, if no earlier transaction is open."""
        sent = self.sent[offset]
        if not sent.is_data_of_txn:
            return not sent.is_control
        markers = (at for at, of in self.sent.items()
                   if offset < at < end and of.is_control and of.producer_id == sent.producer_id)
        return self.ends.get(min(markers, default=-1)) is COMMIT

    def has_data(self, txn: AbortedTxn, start: int) -> bool:
        """Return whether records of an aborted transaction are at ``start`` or later."""
        return any(sent.is_data_of_txn and sent.producer_id == txn.producer_id
                   and max(start, txn.first_offset) <= sent.last_offset < txn.last_offset
                   for sent in self.sent.values())


def contents(batch: RecordBatch) -> dict[int, str]:
    """Return what was sent, by offset, without what the log writes into the header."""
    def data(buffer: ByteBuffer | None) -> bytes | None:
        return None if buffer is None else buffer.to_bytes()

    return {record.offset(): repr((batch.producer_id(), data(record.key()), data(record.value())))
            for record in batch}


def producers_of(log: UnifiedLog) -> dict[int, ProducerOf]:
    """Return the state of a log's producers."""
    return {each.producer_id: ProducerOf(each.producer_epoch, each.last_sequence,
                                         each.current_txn_start_offset, each.coordinator_epoch)
            for each in log.describe_producers()}


class Crash(NamedTuple):
    """How the process ends, and how the next one lists the folder."""

    lists_backwards: bool
    loses_power: bool


class Moment(NamedTuple):
    """The files that a kill leaves, and the last checkpoints, which are files of the log manager."""

    picture: Photograph
    recovery_point: int
    log_start_offset: int
    # All acknowledged records from the one offset up to the other are due.
    due_from: int
    due_to: int
    is_clean: bool = False


def sample(moments: Iterable[T], names: Callable[[T], list[str]], choice: random.Random) -> list[T]:
    """Return all moments, or a choice of them: first those that differ in the names of the files."""
    shuffled = list(moments)
    if EVERYTHING or len(shuffled) <= SAMPLE:
        return shuffled
    choice.shuffle(shuffled)
    seen: set[tuple[str, ...]] = set()
    chosen: list[T] = []
    others: list[T] = []
    for moment in shuffled:
        key = tuple(names(moment))
        (others if key in seen else chosen).append(moment)
        seen.add(key)
    return [*chosen, *others][:SAMPLE]


# Checks a log after a start. Its arguments are the scenario, the log, and the moment.
Check = Callable[["Scenario", UnifiedLog, Moment], None]


class Scenario:
    """An operation, the moments at which it was killed, and what was sent before them."""

    def __init__(self, folder: Path, config: LogConfig, crash: Crash, check: Check) -> None:
        self.folder = folder
        self.config = config
        self.crash = crash
        self.check = check
        self.harness = self._new_harness(folder / "log")
        self.harness.open(clean=True)
        self.history = History(self.harness, self.harness.log)
        # The files that a crash after the operation leaves.
        self.final: set[Photograph] = set()
        # Of the operation alone, with the call that was about to happen.
        self.moments: dict[Moment, str] = {}
        # The number of starts, and of calls before which there was a kill.
        self.opened = 0
        self.calls = 0
        # The first offset that is due, and the end of those; None for all records.
        self.due_from = 0
        self.due_to: int | None = None
        # Of a compacted log: the records that cleaning keeps, by offset, and the committed values by key.
        self.cleaned: dict[int, str] = {}
        self.latest: dict[bytes, bytes] = {}

    def _new_harness(self, folder: Path) -> LogHarness:
        harness = LogHarness(str(folder), self.config, is_open=False)
        harness.producer_state_config.transaction_verification_enabled = False
        return harness

    @contextmanager
    def killed_at_each_call(self) -> Iterator[History]:
        """Photograph the log's folder at each call of the operation in the block.

        A loss of power takes the records that are not flushed.
        """
        history, harness = self.history, self.harness
        log = history.log
        if self.crash.loses_power:
            log.flush()
        recovery_point, log_start_offset = log.recovery_point(), log.log_start_offset()

        def take(where: str, picture: Photograph) -> None:
            self.calls += 1
            end = max((sent.last_offset + 1 for sent in history.sent.values()), default=0)
            due_to = end if self.due_to is None else self.due_to
            if self.crash.loses_power:
                due_to = min(due_to, log.recovery_point())
            # The checkpoints are those from before the operation, or were written just now.
            for checkpoints in ((0, 0), (recovery_point, log_start_offset),
                                (log.recovery_point(), log.log_start_offset())):
                self.moments.setdefault(Moment(picture, *checkpoints, self.due_from, due_to), where)

        disk = Disk(harness.directory, take, self.crash.loses_power, mixes=True)
        with disk.watched():
            yield history
        self.final = disk.pictures()
        for picture in self.final:
            take("the end", picture)
        harness.crash()

    def start_from(self, recovery_point: int, log_start_offset: int, due: tuple[int, int]) -> None:
        """Add a moment without an operation: the files as they are now."""
        self.harness.crash()
        picture = photograph(self.harness.directory)
        self.moments[Moment(picture, recovery_point, log_start_offset, *due)] = "the stop"

    def open_all(self) -> None:
        """Start from each moment, and from each kill of such a start."""
        waiting = dict(self.moments)
        seen = set(waiting)
        choice = random.Random(0)
        while waiting:
            waiting = {moment: waiting[moment] for moment in sample(
                waiting, lambda moment: [name for name, _ in moment.picture], choice)}
            later: dict[Moment, str] = {}
            for moment, where in waiting.items():
                for found, of_start in self._open(moment, where).items():
                    if found not in seen:
                        seen.add(found)
                        later[found] = f"{where}, then {of_start}"
            waiting = later

    def _open(self, moment: Moment, where: str) -> dict[Moment, str]:
        """Start from a moment, and look at the log; return the moments of the start."""
        self.opened += 1
        folder = self.folder / str(self.opened)
        harness = self._new_harness(folder)
        develop(moment.picture, harness.directory)
        found: dict[Moment, str] = {}
        try:
            disk = Disk(harness.directory, lambda call, picture: found.setdefault(
                moment._replace(picture=picture, is_clean=False), call), self.crash.loses_power)
            with disk.watched(), listed(self.crash.lists_backwards):
                log = harness.open(moment.is_clean, moment.recovery_point, moment.log_start_offset)
            for picture in disk.pictures():
                found[moment._replace(picture=picture, is_clean=False)] = "the start's end"
            self.calls += len(found)
            end = log.log_end_offset()
            self.check(self, log, moment)
            assert not [name for name in os.listdir(harness.directory)
                        if name.endswith((CLEANED_SUFFIX, SWAP_SUFFIX, TEMPORARY_SUFFIX))]
            check_appends(harness, log)
            check_files(harness.directory, log, end)
        except BaseException as e:
            e.add_note(f"killed at {where}; checkpoints {moment.recovery_point}, {moment.log_start_offset}, "
                       f"clean {moment.is_clean}: "
                       f"{[(name, len(data)) for name, data in moment.picture]}")
            raise
        finally:
            if hasattr(harness, "log"):
                harness.dispose()
            harness.files.close_all()
            shutil.rmtree(folder)
        return found


def check_whole(scenario: Scenario, log: UnifiedLog, moment: Moment) -> None:
    """See that a log without compaction has all that is due, and the state that belongs to it."""
    history = scenario.history
    start, end = log.log_start_offset(), log.log_end_offset()
    assert start <= max(moment.due_from, moment.log_start_offset) and end >= moment.due_to
    assert log.recovery_point() <= end and log.high_watermark() == end
    batches = read_batches(log)
    due = max((offset for offset in history.sent if offset <= start), default=0) if start < end else end
    for batch in batches:
        assert batch.base_offset() == due, "offsets are contiguous"
        due = batch.next_offset()
        assert contents(batch) == history.sent[batch.base_offset()].records
    assert due == end
    check_offsets(log, batches)
    check_times(log, batches)
    check_producers(history, log)
    check_aborted(history, log, batches)
    check_committed(history, log, batches)
    check_epochs(history, log, moment)


def check_epochs(history: History, log: UnifiedLog, moment: Moment) -> None:
    """See that the epochs are known. As in Kafka, those of a new start stay when that start is lost."""
    start, end = log.log_start_offset(), log.log_end_offset()
    assert log._leader_epochs.entries() in {
        history.epochs_of(each, end) for each in range(start, max(start, moment.due_from) + 1)}


def check_committed(history: History, log: UnifiedLog, batches: list[RecordBatch]) -> None:
    """See that a reader of committed records gets those, and no others."""
    end = log.last_stable_offset()
    assert committed(log) == [
        batch.base_offset() for batch in batches
        if batch.base_offset() < end and history.is_committed(batch.base_offset(), log.log_end_offset())]


def committed(log: UnifiedLog) -> list[int]:
    """Return the offsets of the batches that a consumer passes on, of those that a few fetches bring."""
    found = []
    offset, end = log.log_start_offset(), log.last_stable_offset()
    while offset < end:
        info = log.read(offset, 300, FetchIsolation.TXN_COMMITTED, True)
        due = sorted((txn.first_offset, txn.producer_id) for txn in info.aborted_transactions or ())
        aborted: set[int] = set()
        for batch in info.records.batches():
            while due and due[0][0] <= batch.last_offset():
                aborted.add(due.pop(0)[1])
            offset = batch.next_offset()
            if batch.is_control_batch():
                # Cleaning may have emptied the batch.
                for record in batch:
                    key = record.key()
                    if key is not None and ControlRecordType.parse(key) is ABORT:
                        aborted.discard(batch.producer_id())
            elif not (batch.is_transactional() and batch.producer_id() in aborted):
                found.append(batch.base_offset())
        if info.records.size_in_bytes() == 0:
            break
    return found


def check_offsets(log: UnifiedLog, batches: list[RecordBatch]) -> None:
    """See that batches are found by their offsets."""
    for batch in batches[::3]:
        if batch.base_offset() >= log.log_start_offset():
            read = log.read(batch.last_offset(), 1 << 20, FetchIsolation.LOG_END, True).records
            assert next(iter(read.batches())).base_offset() == batch.base_offset()


def check_times(log: UnifiedLog, batches: list[RecordBatch]) -> None:
    """See that records are found by their times."""
    for batch in batches[::3]:
        if batch.base_offset() >= log.log_start_offset():
            found = log.fetch_offset_by_timestamp(batch.max_timestamp())
            assert found is not None and found.offset == batch.last_offset()


def check_producers(history: History, log: UnifiedLog) -> None:
    start, end = log.log_start_offset(), log.log_end_offset()
    found, expected = producers_of(log), history.producers[end]
    assert found.keys() <= expected.keys()
    for producer_id, state in expected.items():
        # As in Kafka, a producer may be unknown when all its records are deleted.
        if producer_id in found or any(sent.producer_id == producer_id and sent.last_offset >= start
                                       for offset, sent in history.sent.items() if offset < end):
            mine = found[producer_id]
            if mine.coordinator_epoch < 0 and not any(
                    sent.producer_id == producer_id and sent.last_offset >= start
                    for offset, sent in history.sent.items() if offset < end):
                # Only its last batches were in a segment that had to be recovered.
                mine = mine._replace(coordinator_epoch=state.coordinator_epoch)
            if 0 <= state.txn_start < start and mine.txn_start >= start:
                mine = mine._replace(txn_start=state.txn_start)
            assert mine == state, producer_id


def check_aborted(history: History, log: UnifiedLog, batches: list[RecordBatch]) -> None:
    start, end = log.log_start_offset(), log.log_end_offset()
    expected = [txn for last, txn in sorted(history.aborted.items()) if last < end]
    for offset in (start, *(batch.base_offset() for batch in batches if batch.base_offset() > start)):
        found = log.collect_aborted_transactions(offset, end)
        if start == 0:
            assert found == [txn for txn in expected if txn.last_offset >= offset]
        else:
            due = {txn.last_offset for txn in expected
                   if txn.last_offset >= offset and history.has_data(txn, start)}
            assert due <= {txn.last_offset for txn in found} <= {txn.last_offset for txn in expected}
            for txn in found:
                first = history.aborted[txn.last_offset].first_offset
                assert txn.first_offset == first or first < start <= txn.first_offset


def check_files(directory: str, log: UnifiedLog, start_end: int) -> None:
    """See that nothing stays that a start should have removed. The log ended at ``start_end`` then."""
    bases = {segment.base_offset() for segment in log.segments()}
    for name in os.listdir(directory):
        stem, suffix = os.path.splitext(name)
        if suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX):
            assert int(stem) in bases, name
        elif suffix == SNAPSHOT_SUFFIX:
            assert int(stem) in bases or int(stem) == start_end, name
        else:
            assert name == leader_epoch_file_cache.FILE_NAME, name


def check_appends(harness: LogHarness, log: UnifiedLog) -> None:
    """See that the log takes what its producers send next, and more segments."""
    end = log.log_end_offset()
    epoch = log.latest_epoch() or 0
    for producer_id, state in producers_of(log).items():
        log.append_as_leader(wrap(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(NOW, b"k", b"next"), producer_id=producer_id,
            producer_epoch=state.epoch, base_sequence=state.last_sequence + 1,
            is_transactional=state.txn_start >= 0).buffer().to_bytes()), epoch)
        end += 1
    for _ in range(2):
        info = log.append_as_leader(wrap(MemoryRecords.with_records(
            Compression.NONE, SimpleRecord(NOW, b"k", b"next")).buffer().to_bytes()), epoch)
        assert info.first_offset == end
        end += 1
        log.roll()
    harness.scheduler.tick(log.config().file_delete_delay_ms + 1)
    assert log.recovery_point() == end


def fill(history: History) -> None:
    """Write some segments: in each are data, idempotent data, and the markers of both kinds."""
    history.send("a", producer=1)
    history.send("b", producer=4)
    history.send("plain")
    history.send("c", producer=2)
    for number in range(3):
        history.epoch = 2 + number
        history.send("d", producer=1)
        history.send("e", producer=3, is_txn=False)
        history.end(1, ABORT)
        history.send("f", "g", producer=2)
        history.end(2, COMMIT)
        history.send("h", producer=2)
        history.send("i", producer=1)
        history.send("plain")
    history.end(2, ABORT)


PLAIN = log_config(segment_bytes=640, index_interval_bytes=0, retention_ms=-1, file_delete_delay_ms=1000)


@pytest.fixture(params=[Crash(False, False), Crash(True, False), Crash(False, True)],
                ids=["kill", "kill, then a listing backwards", "loss of power"])
def crash(request: pytest.FixtureRequest) -> Crash:
    made: Crash = request.param
    return made


@pytest.fixture
def plain(tmp_path: Path, crash: Crash) -> Iterator[Scenario]:
    """A log of several segments that is not compacted."""
    scenario = Scenario(tmp_path, PLAIN, crash, check_whole)
    fill(scenario.history)
    assert scenario.harness.log.number_of_segments() >= 4
    yield scenario
    scenario.harness.dispose()


def test_a_roll(plain: Scenario) -> None:
    with plain.killed_at_each_call():
        plain.harness.log.roll()
        plain.harness.scheduler.tick()
    plain.open_all()


def test_appends_of_transactions_over_a_roll(plain: Scenario) -> None:
    segments = plain.harness.log.number_of_segments()
    with plain.killed_at_each_call() as history:
        history.send("new", producer=5)
        history.epoch += 1
        history.end(1, ABORT)
        history.send("j" * 100, producer=3, is_txn=False)
        history.end(5, ABORT)
        history.send("k" * 100, producer=5)
        history.end(4, COMMIT)
        history.send("plain")
        history.end(5, ABORT)
    assert plain.harness.log.number_of_segments() > segments
    plain.open_all()


def test_a_deletion_of_records(plain: Scenario) -> None:
    log = plain.harness.log
    plain.due_from = log.segments()[2].base_offset() + 1
    with plain.killed_at_each_call():
        log.maybe_increment_log_start_offset(plain.due_from)
        assert log.delete_old_segments() == 2
        plain.harness.scheduler.tick(1000)
    plain.open_all()


@pytest.mark.parametrize("retention_bytes, retention_ms, kept", [(700, -1, 2), (-1, 1, 1)])
def test_retention(plain: Scenario, retention_bytes: int, retention_ms: int, kept: int) -> None:
    log = plain.harness.log
    log.update_config(log_config(segment_bytes=640, index_interval_bytes=0, file_delete_delay_ms=1000,
                                 retention_bytes=retention_bytes, retention_ms=retention_ms))
    plain.harness.time.sleep(10_000)
    plain.due_from = log.log_end_offset() if kept == 1 else log.segments()[-kept].base_offset()
    with plain.killed_at_each_call():
        assert log.delete_old_segments() > 0
        plain.harness.scheduler.tick(1000)
    assert log.number_of_segments() == kept
    plain.open_all()


@pytest.mark.parametrize("where", ["amid a segment", "between segments", "at 0"])
def test_a_truncation(plain: Scenario, where: str) -> None:
    log = plain.harness.log
    border = log.segments()[2].base_offset()
    plain.due_to = target = {"amid a segment": border + 2, "between segments": border, "at 0": 0}[where]
    with plain.killed_at_each_call():
        recovery_point = log.truncate_files(target)
        log = plain.harness.open(clean=False, recovery_point=recovery_point)
        plain.harness.scheduler.tick(1000)
    assert log.log_end_offset() == target
    plain.open_all()


def test_a_close(plain: Scenario) -> None:
    with plain.killed_at_each_call() as history:
        history.send("new", producer=3, is_txn=False)
        history.end(1, ABORT)
        assert plain.harness.log.close()
    end = plain.harness.log.log_end_offset()
    for picture in plain.final:
        # The broker marks its stop as clean now.
        plain.moments[Moment(picture, end, 0, 0, end, True)] = "a clean stop"
    plain.open_all()


def test_a_log_that_starts_again_behind_its_end(plain: Scenario) -> None:
    """Its files are older than the checkpoint of its start."""
    end = plain.harness.log.log_end_offset()
    plain.start_from(recovery_point=end, log_start_offset=end + 100, due=(end + 100, end + 100))
    plain.history.producers[end + 100] = {}
    plain.open_all()


def check_cleaned(scenario: Scenario, log: UnifiedLog, moment: Moment) -> None:
    """See that a compacted log has what cleaning keeps, and nothing that was not sent."""
    history, cleaned = scenario.history, scenario.cleaned
    end = log.log_end_offset()
    assert log.log_start_offset() == 0 and end == moment.due_to
    assert log.recovery_point() <= end and log.high_watermark() == end
    batches = all_batches(log)
    found: dict[int, str] = {}
    for batch in batches:
        assert batch.base_offset() in history.sent and batch.base_offset() > max(found, default=-1)
        records = contents(batch)
        assert records.items() <= history.sent[batch.base_offset()].records.items()
        found.update(records)
    assert cleaned.items() <= found.items()
    check_offsets(log, batches)
    check_committed(history, log, batches)
    check_epochs(history, log, moment)
    expected = history.producers[end]
    mine = producers_of(log)
    assert mine.keys() == expected.keys()
    for producer_id, state in expected.items():
        # Its last marker may be gone, and with it the coordinator's epoch.
        assert mine[producer_id]._replace(coordinator_epoch=state.coordinator_epoch) == state
    assert latest(history, log, batches) == scenario.latest


def latest(history: History, log: UnifiedLog, batches: list[RecordBatch]) -> dict[bytes, bytes]:
    """Return the last committed value of each key that has one."""
    found = {}
    visible = set(committed(log))
    for batch in batches:
        for record in batch if batch.base_offset() in visible else ():
            key, value = record.key(), record.value()
            assert key is not None
            found[key.to_bytes()] = None if value is None else value.to_bytes()
    return {key: value for key, value in found.items() if value is not None}


def all_batches(log: UnifiedLog) -> list[RecordBatch]:
    """Return all batches; the end of the log may have none."""
    return [batch for segment in log.segments() for batch in segment_batches(segment)]


COMPACTED = log_config(compact=True, delete=False, segment_bytes=640, index_interval_bytes=0, retention_ms=-1,
                       file_delete_delay_ms=1000)
DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
def compacted(tmp_path: Path, crash: Crash) -> Iterator[Scenario]:
    """A log that is to be cleaned: values, tombstones, and transactions of all kinds."""
    scenario = Scenario(tmp_path, COMPACTED, crash, check_cleaned)
    history = scenario.history
    for number in range(3):
        history.epoch = number
        history.send(("x", "old"), ("y", str(number)), producer=1)
        history.send(("a", f"a{number}"), ("b", None if number == 1 else f"b{number}"))
        history.send(("a", "never"), ("z", "never"), producer=2)
        history.end(1, COMMIT)
        history.send(("c", f"c{number}"), producer=3, is_txn=False)
        history.send(("d", None))
        history.end(2, ABORT)
        history.send(("x", "new"), producer=1)
        history.send((f"e{number}", "kept"), producer=2)
        history.end(1, ABORT)
        history.end(2, COMMIT if number else ABORT)
        scenario.harness.log.roll()
    history.send(("a", "last"))
    yield scenario
    scenario.harness.dispose()


def clean(scenario: Scenario) -> None:
    """Clean all but the active segment."""
    harness, log = scenario.harness, scenario.harness.log
    end = log.active_segment().base_offset()
    cleaner = Logs(scenario.folder, harness.time).cleaner()
    cleaner.clean(LogToClean(TP, log, 0, end))
    harness.scheduler.tick(1000)


def clean_and_kill(scenario: Scenario) -> None:
    log = scenario.harness.log
    scenario.latest = latest(scenario.history, log, all_batches(log))
    with scenario.killed_at_each_call():
        clean(scenario)
        scenario.cleaned = {offset: text for batch in all_batches(log)
                            for offset, text in contents(batch).items()}
    scenario.open_all()


def merge_segments(scenario: Scenario, up_to_bytes: int) -> None:
    """Have cleaning merge segments as far as they are not larger than this together."""
    scenario.harness.log.update_config(log_config(
        compact=True, delete=False, segment_bytes=up_to_bytes, index_interval_bytes=0, retention_ms=-1,
        file_delete_delay_ms=1000))


def test_a_cleaning(compacted: Scenario) -> None:
    """Several segments become one, twice."""
    merge_segments(compacted, 1500)
    clean_and_kill(compacted)
    assert 3 <= compacted.harness.log.number_of_segments() < 5


def test_a_cleaning_that_removes_tombstones_and_markers(compacted: Scenario) -> None:
    for _ in range(2):
        clean(compacted)
        compacted.harness.time.sleep(2 * DAY_MS)
    clean_and_kill(compacted)


def test_a_cleaning_that_leaves_nothing_of_a_segment(compacted: Scenario) -> None:
    history, log = compacted.history, compacted.harness.log
    history.send(*((key, "again") for key in ("x", "y", "a", "b", "c", "d", "e0", "e1", "e2")))
    for producer in (1, 2):
        history.send(("t", "u"), producer=producer)
        history.end(producer, COMMIT)
    history.send(("v", "w"), producer=3, is_txn=False)
    log.roll()
    merge_segments(compacted, 14)
    for _ in range(2):
        clean(compacted)
        compacted.harness.time.sleep(2 * DAY_MS)
    clean_and_kill(compacted)
    assert log.segments()[0].size() == 0


FAR = 2**31


def overflowed(scenario: Scenario, keeps_indexes: bool) -> None:
    """Write segments as Kafka before 1.1 did when it compacted: the second has offsets far from its base."""
    history, log = scenario.history, scenario.harness.log
    history.send("a", producer=1)
    history.end(1, ABORT)
    log.roll()
    for number in range(3):
        # Each part becomes a segment, and has the marker of a transaction that begins before it.
        if number:
            log._local_log.update_log_end_offset(number * FAR)
        history.epoch += 1
        if number:
            history.end(2, ABORT)
        history.send("b", producer=1)
        history.end(1, ABORT)
        history.send("c", producer=2)
        history.send("plain")
    history.end(2, COMMIT)
    log.roll()
    history.send("the last")
    parts = [segment.base_offset() for segment in log.segments()[1:-1]]
    assert len(parts) == 3
    assert log.close()
    for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX, SNAPSHOT_SUFFIX):
        paths = [Path(scenario.harness.directory, file_name(part, suffix)) for part in parts]
        data = b"".join(path.read_bytes() for path in paths)
        for path in paths:
            path.unlink()
        if suffix in (LOG_SUFFIX, TXN_INDEX_SUFFIX) and (keeps_indexes or suffix == LOG_SUFFIX):
            paths[0].write_bytes(data)


@pytest.mark.parametrize("keeps_indexes", [False, True])
def test_a_split_of_a_segment(tmp_path: Path, crash: Crash, keeps_indexes: bool) -> None:
    """The segment is split when the log is opened."""
    scenario = Scenario(tmp_path, log_config(
        compact=True, delete=False, index_interval_bytes=0, retention_ms=-1, file_delete_delay_ms=1000),
        crash, check_cleaned)
    overflowed(scenario, keeps_indexes)
    picture = photograph(scenario.harness.directory)
    history = scenario.history
    end = max(history.producers)
    reference = scenario.harness.open(clean=False)
    assert reference.number_of_segments() == 5
    scenario.cleaned = {offset: text for sent in history.sent.values()
                        for offset, text in sent.records.items()}
    scenario.latest = latest(history, reference, all_batches(reference))
    check_cleaned(scenario, reference, Moment((), 0, 0, 0, end))
    scenario.harness.dispose()
    for is_clean in (False, True):
        for recovery_point in (0, 2, end):
            scenario.moments[Moment(picture, recovery_point, 0, 0, end, is_clean)] = "the stop"
    scenario.open_all()


def lose(scenario: Scenario, suffix: str) -> None:
    """Stop cleanly, and remove a file with this suffix: each of them is a moment of its own."""
    end = scenario.harness.log.log_end_offset()
    assert scenario.harness.log.close()
    picture = photograph(scenario.harness.directory)
    lost = [name for name, _ in picture if name.endswith(suffix)]
    assert lost
    for name in lost:
        rest = tuple(file for file in picture if file[0] != name)
        scenario.moments[Moment(rest, end, 0, 0, end, True)] = f"a stop and the loss of {name}"


@pytest.mark.deviation("D402")
@pytest.mark.parametrize("suffix", [
    INDEX_SUFFIX, TIME_INDEX_SUFFIX, SNAPSHOT_SUFFIX, leader_epoch_file_cache.FILE_NAME])
def test_a_file_that_is_lost_after_a_clean_stop(plain: Scenario, suffix: str) -> None:
    lose(plain, suffix)
    plain.open_all()


def test_an_index_of_aborted_transactions_that_is_lost(plain: Scenario) -> None:
    """As in Kafka, its segment counts as one without aborted transactions: that one has no such file."""
    lose(plain, TXN_INDEX_SUFFIX)
    history = plain.history

    def check(scenario: Scenario, log: UnifiedLog, moment: Moment) -> None:
        known = dict(history.aborted)
        found = {txn.last_offset for txn in log.collect_aborted_transactions(0, log.log_end_offset())}
        missing = known.keys() - found
        assert len({log.log_segments(offset, offset + 1)[0].base_offset() for offset in missing}) <= 1
        ends = history.ends
        history.aborted = {offset: txn for offset, txn in known.items() if offset in found}
        history.ends = {offset: COMMIT if offset in missing else kind for offset, kind in ends.items()}
        try:
            check_whole(scenario, log, moment)
        finally:
            history.aborted, history.ends = known, ends

    plain.check = check
    plain.open_all()


# -- The logs of a broker ----------------------------------------------------------------------------


def whole_tree(directory: str) -> Photograph:
    """Return the files below a folder, and its folders, whose names end with a slash."""
    found = []
    for root, folders, names in os.walk(directory):
        where = os.path.relpath(root, directory)
        found += [(os.path.join(where, folder, ""), b"") for folder in folders]
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                found.append((os.path.join(where, name), file.read()))
    return tuple(sorted(found))


def grow(tree: Photograph, directory: str) -> None:
    """Write the files and folders of a photograph."""
    for name, data in tree:
        if name.endswith("/"):
            os.makedirs(os.path.join(directory, name), exist_ok=True)
    for name, data in tree:
        if not name.endswith("/"):
            with open(os.path.join(directory, name), "wb") as file:
                file.write(data)


@contextmanager
def tree_watched(directory: str, take: Callable[[Photograph], object]) -> Iterator[None]:
    """Pass ``take`` a photograph before each call in the block that changes a file or a folder."""
    originals = {name: getattr(os, name) for name in (
        "open", "pwrite", "ftruncate", "rename", "replace", "remove", "unlink", "mkdir", "rmdir")}

    def watch(name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if name != "open" or args[1] & (os.O_CREAT | os.O_TRUNC):
                take(whole_tree(directory))
            return originals[name](*args, **kwargs)

        return call

    for name in originals:
        setattr(os, name, watch(name))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(os, name, original)
    take(whole_tree(directory))


class Node:
    """The storage of a broker: a kept topic, and others that come and go."""

    def __init__(self, directory: str) -> None:
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.storage = Storage(StorageConfig(directory), self.scheduler, self.time, self.files)

    def send(self, topic: str, *values: bytes) -> None:
        log = self.storage.partition_log(TopicPartition(topic, 0))
        assert log is not None
        for value in values:
            log.append_as_leader(records(value), 0)

    def sent(self, topic: str) -> list[bytes | None]:
        log = self.storage.partition_log(TopicPartition(topic, 0))
        assert log is not None
        return values(log)

    def run_background(self) -> None:
        self.scheduler.tick(100_000)

    def dispose(self) -> None:
        self.storage.abandon()
        self.files.close_all()


def test_a_broker_that_changes_its_topics_and_stops(tmp_path: Path) -> None:
    """A topic is there with all its records, or gone with its folder; the other one is there all the time.

    A record that was deleted before a clean stop stays deleted.
    """
    node = Node(str(tmp_path / "node"))
    node.storage.startup()
    for topic in ("kept", "gone"):
        node.storage.create_topic(topic, 1, {})
        node.send(topic, b"1", b"2")
    trees: dict[Photograph, bool] = {}
    with tree_watched(str(tmp_path / "node"), lambda tree: trees.setdefault(tree, True)):
        node.storage.delete_topic("gone")
        node.run_background()
        node.storage.create_topic("new", 1, {})
        log = node.storage.partition_log(TopicPartition("kept", 0))
        assert log is not None and log.maybe_increment_log_start_offset(1)
        node.storage.shutdown()
    node.files.close_all()

    choice = random.Random(0)
    waiting, seen, opened = list(trees), set(trees), 0
    assert len(waiting) > 20
    while waiting:
        later: list[Photograph] = []
        for tree in sample(waiting, lambda tree: [name for name, _ in tree], choice):
            opened += 1
            folder = tmp_path / str(opened)
            folder.mkdir()
            grow(tree, str(folder))
            node = Node(str(folder))
            with tree_watched(str(folder), later.append):
                node.storage.startup()
                node.run_background()
            topics = node.storage.topics().topics()
            assert {"kept"} <= topics.keys() <= {"kept", "gone", "new"}
            assert {path.name for path in folder.iterdir() if path.is_dir()} == {
                f"{topic}-0" for topic in topics}
            for topic in topics:
                assert node.sent(topic) in {
                    "kept": ([b"1", b"2"], [b"2"]), "gone": ([b"1", b"2"],), "new": ([],)}[topic]
            if any(CLEAN_SHUTDOWN_FILE == os.path.basename(name) for name, _ in tree):
                assert node.sent("kept") == [b"2"]
            for topic in {"gone", "new"} - topics.keys():
                node.storage.create_topic(topic, 1, {})
                node.send(topic, b"again")
            node.dispose()
            shutil.rmtree(folder)
        waiting = [tree for tree in dict.fromkeys(later) if tree not in seen]
        seen.update(waiting)
