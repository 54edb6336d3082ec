# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log that is appended to, rolled, flushed, shortened, closed and killed at will, against a plain list.

A kill leaves the files cut at any byte that was not flushed. Flushed batches are there afterwards, and of
the later ones those up to the cut.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kreactor.common.compress.compression import Compression
from tests import longer
from tests.storage.internals.log.support import LogHarness, log_config, records, values

GZIP = Compression.gzip().build()


@dataclass
class Batch:
    """A batch of the model: where it ends, and what is in it."""

    segment: int
    position: int
    next_offset: int
    values: list[bytes]
    producer: tuple[int, int] | None  # id, and its last sequence number


class LogMachine(RuleBasedStateMachine):
    """The rules are what the owner of a log may do, and its end at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.batches: list[Batch] = []
        self.start = 0
        self.checkpoint = 0
        self.number = 0

    @initialize(segment_bytes=st.sampled_from([700, 1500, 100_000]), interval=st.sampled_from([0, 100, 4096]))
    def make(self, segment_bytes: int, interval: int) -> None:
        self.harness = LogHarness(
            self.folder.name, log_config(segment_bytes=segment_bytes, index_interval_bytes=interval))

    def end(self) -> int:
        return self.batches[-1].next_offset if self.batches else self.start

    @rule(sizes=st.lists(st.sampled_from([0, 1, 20, 150]), min_size=1, max_size=4),
          producer_id=st.sampled_from([-1, 1, 2]), compressed=st.booleans())
    def append(self, sizes: list[int], producer_id: int, compressed: bool) -> None:
        payload = []
        for size in sizes:
            self.number += 1
            payload.append(b"%d-" % self.number + b"x" * size)
        known = producer_id > 0
        sequence = 1 + max((batch.producer[1] for batch in self.batches
                            if batch.producer and batch.producer[0] == producer_id), default=-1)
        first = self.harness.log.append_as_leader(records(
            *payload, codec=GZIP if compressed else Compression.NONE, producer_id=producer_id,
            producer_epoch=0 if known else -1, base_sequence=sequence if known else -1), 0).first_offset
        assert first == self.end()
        place = self.harness.log.log_end_offset_metadata()
        self.batches.append(Batch(
            place.segment_base_offset, place.relative_position_in_segment, place.message_offset, payload,
            (producer_id, sequence + len(payload) - 1) if known else None))

    @rule()
    def roll(self) -> None:
        self.harness.log.roll()
        assert self.harness.log.segments()[-1].base_offset() == self.end()

    @rule()
    def flush(self) -> None:
        self.harness.log.flush()
        assert self.harness.log.recovery_point() == self.end()

    @rule(ms=st.sampled_from([0, 1000, 120_000]))
    def pass_time(self, ms: int) -> None:
        """Let the log do what it has put off, as the flush of a segment that was rolled."""
        self.harness.scheduler.tick(ms)

    @rule()
    def write_checkpoint(self) -> None:
        self.checkpoint = self.harness.log.recovery_point()

    @precondition(lambda self: self.batches)
    @rule(share=st.floats(0, 1))
    def forget_the_oldest(self, share: float) -> None:
        log = self.harness.log
        offset = self.start + int(share * (log.high_watermark() - self.start))
        assert log.maybe_increment_log_start_offset(offset) is (offset > self.start)
        self.start = offset
        log.delete_old_segments()

    @rule()
    def close_and_open(self) -> None:
        self.harness.close_and_open()
        self.checkpoint = self.end()

    @rule(number=st.integers(0, 9), cut=st.floats(0, 1), lose_indexes=st.booleans())
    def kill_and_open(self, number: int, cut: float, lose_indexes: bool) -> None:
        log = self.harness.log
        flushed, segments = log.recovery_point(), log.segments()
        ends = [following.base_offset() for following in segments[1:]] + [sys.maxsize]
        unflushed = [segment for segment, end in zip(segments, ends, strict=True) if end > flushed]
        torn = unflushed[number % len(unflushed)]
        base, size, path = torn.base_offset(), torn.size(), torn.path()
        kept = max((batch.position for batch in self.batches
                    if batch.segment == base and batch.next_offset <= flushed), default=0)
        self.harness.crash()
        position = kept + int(cut * (size - kept))
        os.truncate(path, position)
        if lose_indexes:
            for suffix in (".index", ".timeindex"):
                with open(path[:-4] + suffix, "wb"):
                    pass
        self.harness.open(clean=False, recovery_point=self.checkpoint, log_start_offset=self.start)
        self.batches = [batch for batch in self.batches if batch.segment < base or (
            batch.position <= position if batch.segment == base else position == size)]
        if self.end() < self.start:
            self.batches = []
        self.checkpoint = min(self.checkpoint, self.end())
        assert self.end() >= flushed or not self.batches

    @invariant()
    def the_log_is_the_list(self) -> None:
        if not hasattr(self, "harness"):
            return
        log = self.harness.log
        everything = [value for batch in self.batches for value in batch.values]
        first = self.batches[0].next_offset - len(self.batches[0].values) if self.batches else self.start
        assert (log.log_start_offset(), log.log_end_offset()) == (self.start, self.end())
        assert self.checkpoint <= log.recovery_point() <= self.end()
        assert values(log) == everything[self.start - first:]
        last = {batch.producer[0]: batch for batch in self.batches if batch.producer}
        known = {entry.producer_id: entry.last_seq() for entry in log.active_producers()}
        for producer_id, batch in last.items():
            # A producer all of whose records are forgotten may be so too, once the log was opened again.
            assert known.get(producer_id) == batch.producer[1] or (
                batch.next_offset <= self.start and producer_id not in known)
        assert known.keys() <= last.keys()
        bases = [segment.base_offset() for segment in log.segments()]
        assert bases == sorted(set(bases)) and bases[0] <= self.start

    def teardown(self) -> None:
        with self.folder:
            if hasattr(self, "harness"):
                self.harness.dispose() if sys.exc_info()[0] is None else self.harness.files.close_all()


@pytest.mark.usefixtures("no_waiting_for_the_disk")
def test_anything_that_may_happen_to_a_log() -> None:
    run_state_machine_as_test(LogMachine, settings=settings(
        max_examples=longer.examples(30, 80), stateful_step_count=30,
        suppress_health_check=list(HealthCheck)))
