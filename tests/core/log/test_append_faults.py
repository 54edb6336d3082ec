# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A fault at every call that an append makes, then a kill: what was acknowledged is there, once.

The fault is raised in the place of a call, or after it: the interpreter tells a profiler of each call and
each return, and what the profiler raises comes out there. So no call is forgotten. The append is answered or
refused; later appends are answered with offsets that nobody had, or refused because the log is offline.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

import kreactor.storage
from kreactor.common.errors import KafkaStorageException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.core.log import local_log, unified_log
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.jdk import files, nio_channels
from kreactor.server.common import checkpoint_file
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.log_file import LogFile
from tests import longer
from tests.core.log.test_unified_log_transactions import marker
from tests.storage.internals.log.support import LogHarness, log_config, read_batches, records

# A call of theirs elsewhere is among the calls that fail, and that is all that can fail there.
_FOLDER = Path(kreactor.storage.__file__).parent / "internals"
_FILES = {str(path) for path in _FOLDER.rglob("*.py")
          if path.name not in ("log_validator.py", "record_walk.py")} | {
    module.__file__ for module in (checkpoint_file, files, local_log, nio_channels, unified_log)}
# A lock or a descriptor that a fault keeps from being given back says nothing of the log.
_LEFT_ALONE = {(event, name) for event in ("c_call", "c_return")
               for name in ("__enter__", "__exit__", "acquire", "release")} | {
    ("c_return", "open"), ("c_call", "close")}
# Called when nobody has a file any more: what is raised there goes nowhere.
_LETS_GO = {"__del__", "close"}

# Producers whose transactions begin in the first segment, and one that has none.
FIRST, SECOND, IDEMPOTENT, NEW = 1, 2, 3, 4
_FIRST_OF_SECOND = 1

ERRNOS = (errno.EMFILE, errno.EIO, errno.ENOSPC)


def fault(number: int) -> BaseException:
    """Return what goes wrong at a call: an error of the system, or one that is none."""
    if number % 2:
        return MemoryError()
    code = ERRNOS[number // 2 % len(ERRNOS)]
    return OSError(code, os.strerror(code))


class Step:
    """One append: what, from whom, and how the log is set."""

    def __init__(self, made: Callable[[], MemoryRecords], origin: AppendOrigin = AppendOrigin.CLIENT,
                 leader_epoch: int = 0, **settings: int) -> None:
        self.made = made
        self.origin = origin
        self.leader_epoch = leader_epoch
        self.config = log_config(**{
            "segment_bytes": 1000, "index_interval_bytes": 0, "retention_ms": -1, **settings})


def _of(producer_id: int, sequence: int, is_transactional: bool = True) -> Callable[[], MemoryRecords]:
    return lambda: records(b"step", producer_id=producer_id, producer_epoch=0, base_sequence=sequence,
                           is_transactional=is_transactional)


STEPS = {
    "a batch": Step(lambda: records(b"step")),
    "a batch that is flushed": Step(lambda: records(b"step"), flush_messages=1),
    "a batch of a new leader epoch": Step(lambda: records(b"step"), leader_epoch=1),
    "a batch that is written anew": Step(lambda: records(b"step", magic=1)),
    "a batch into a new segment": Step(lambda: records(b"step" * 200)),
    "an idempotent batch": Step(_of(IDEMPOTENT, 1, False)),
    "the first batch of a transaction": Step(_of(NEW, 0)),
    "the second batch of a transaction": Step(_of(FIRST, 1)),
    "a commit": Step(lambda: marker(FIRST, 0, ControlRecordType.COMMIT), AppendOrigin.COORDINATOR),
    "an abort": Step(lambda: marker(FIRST, 0, ControlRecordType.ABORT), AppendOrigin.COORDINATOR),
    "an abort of the later one": Step(
        lambda: marker(SECOND, 0, ControlRecordType.ABORT), AppendOrigin.COORDINATOR),
    "an abort into a new segment": Step(
        lambda: marker(FIRST, 0, ControlRecordType.ABORT), AppendOrigin.COORDINATOR, segment_bytes=360),
}
# The steps of a run without --all.
OFTEN = ("a batch that is flushed", "a batch into a new segment", "the first batch of a transaction",
         "an abort of the later one")


class Injection:
    """A profiler that raises ``error`` at the ``number``-th call or return within kreactor."""

    def __init__(self, number: int, error: BaseException) -> None:
        self._left = number
        self._error = error
        self.where = ""

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        name = getattr(arg, "__name__", "")
        if frame.f_code.co_name in _LETS_GO or frame.f_code is nio_channels.FileChannel.__init__.__code__:
            return
        if not is_of_the_log(frame) and (event[:2] == "c_" or not is_of_the_log(frame.f_back)) or (
                (event, name) in _LEFT_ALONE):
            return
        self._left -= 1
        if self._left == 0:
            self.where = f"{event} {frame.f_code.co_name} {name}"
            raise self._error

    def happened(self) -> bool:
        """Return whether there were so many calls."""
        return self._left <= 0


def is_of_the_log(frame: FrameType | None) -> bool:
    """Return whether a frame runs code of the log, or of the files below it."""
    return frame is not None and frame.f_code.co_filename in _FILES


class World:
    """A log before a step, which is copied for each fault, and what was acknowledged in it."""

    def __init__(self, folder: Path, step: Step) -> None:
        self.step = step
        self._folder = folder
        self._copies = 0
        harness = LogHarness(str(folder / "base"), step.config)
        harness.producer_state_config.transaction_verification_enabled = False
        self.acknowledged: dict[int, bytes] = {}
        for producer_id in (FIRST, SECOND, IDEMPOTENT):
            self._append(harness, records(b"of %d" % producer_id, producer_id=producer_id, producer_epoch=0,
                                          base_sequence=0, is_transactional=producer_id != IDEMPOTENT))
        while harness.log.number_of_segments() < 3:
            self._append(harness, records(b"x" * 100))
        self._append(harness, records(b"the last"))
        harness.crash()

    def _append(self, harness: LogHarness, batch: MemoryRecords) -> None:
        offset = harness.log.append_as_leader(batch, 0).first_offset
        self.acknowledged[offset] = next(batch_bytes(harness.log, offset))

    def opened(self, source: Path | None = None) -> LogHarness:
        """Return a log over a copy of the files, as a kill has left them."""
        self._copies += 1
        folder = self._folder / str(self._copies)
        shutil.copytree(self._folder / "base" if source is None else source, folder)
        harness = LogHarness(str(folder), self.step.config, is_open=False)
        harness.producer_state_config.transaction_verification_enabled = False
        return harness


def batch_bytes(log: UnifiedLog, offset: int) -> Iterator[bytes]:
    """Give the batches from an offset on, without what a log writes into their headers."""
    for batch in read_batches(log, offset):
        values = [value.to_bytes() for record in batch if (value := record.value()) is not None]
        yield b"%d %r" % (batch.base_offset(), values)


def check(log: UnifiedLog, acknowledged: dict[int, bytes]) -> None:
    """See that a log has all that was acknowledged, in its place, and no gap."""
    found = read_batches(log)
    next_offset = 0
    for batch in found:
        assert batch.base_offset() == next_offset, "offsets are contiguous"
        next_offset = batch.next_offset()
    assert next_offset == log.log_end_offset()
    for offset, content in acknowledged.items():
        assert offset < next_offset, f"{offset} was acknowledged, and the log ends at {next_offset}"
        assert next(batch_bytes(log, offset)) == content


def state(log: UnifiedLog) -> tuple[object, ...]:
    """Return what a log knows of its producers and transactions, a function of its batches."""
    return (log.log_end_offset(), log.last_stable_offset(),
            sorted((producer.producer_id, producer.producer_epoch, producer.last_sequence,
                    producer.current_txn_start_offset) for producer in log.describe_producers()),
            log.collect_aborted_transactions(0, log.log_end_offset()))


def hold(world: World, number: int, error: BaseException) -> bool:
    """Run a step with a fault at a call, and a kill after it; return whether there was such a call."""
    step = world.step
    harness = world.opened()
    log = harness.open(clean=False, recovery_point=3)
    harness.files.forget_all()
    acknowledged = dict(world.acknowledged)
    batch = step.made()
    injection = Injection(number, error)
    sys.setprofile(injection)
    try:
        offset = log.append_as_leader(batch, step.leader_epoch, step.origin).first_offset
    except Exception:
        offset = -1
    finally:
        sys.setprofile(None)
    try:
        if offset >= 0 and not log.is_offline():
            acknowledged[offset] = next(batch_bytes(log, offset))
        for _ in range(3):
            try:
                later = log.append_as_leader(records(b"later"), step.leader_epoch).first_offset
            except KafkaStorageException:
                assert log.is_offline(), "a fault that has passed is over"
                break
            assert offset < later and later not in acknowledged, "an offset is given out once"
            assert later == log.log_end_offset() - 1
            acknowledged[later] = next(batch_bytes(log, later))
        before = None
        if not log.is_offline():
            check(log, acknowledged)
            before = state(log)
        killed = world.opened(Path(harness.directory).parent)
        killed_log = killed.open(clean=False, recovery_point=log.recovery_point())
        check(killed_log, acknowledged)
        if before is not None:
            assert state(killed_log) == before
        assert offset < killed_log.log_end_offset()
        killed.dispose()
        if number % 3 == 0 and log.close():
            harness.open(clean=True)
            check(harness.log, acknowledged)
            assert state(harness.log) == before
        shutil.rmtree(Path(killed.directory).parent)
    except BaseException as e:
        e.add_note(f"fault {number}: {injection.where}")
        raise
    finally:
        harness.dispose()
        shutil.rmtree(Path(harness.directory).parent)
    return injection.happened()


def close_lost(directory: str) -> None:
    """Close the files that a fault took from whoever had just opened them, or was about to close them.

    First by the objects that own them: one that lives on would close a later file with the same number in
    each forked child.
    """
    gc.collect()
    for owner in gc.get_objects():
        if isinstance(owner, LogFile) and owner.is_open() and str(owner._path).startswith(directory):
            with contextlib.suppress(OSError):
                owner.close()
    for number in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else ():
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith(directory):
                os.close(int(number))
        except OSError:
            pass  # the descriptor of the listing itself


# A generator that is let go of is closed, which is a call too, and what it raises goes nowhere.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("step", longer.params(
    OFTEN, (name for name in STEPS if name not in OFTEN), "some hundred calls each"))
def test_a_fault_at_every_call(tmp_path: Path, step: str) -> None:
    world = World(tmp_path, STEPS[step])
    number = 1
    while hold(world, number, fault(number)):
        number += 1
    close_lost(str(tmp_path))
    assert number > 20, "the profiler was told of the calls"
