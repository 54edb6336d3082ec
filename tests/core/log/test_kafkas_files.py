# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka and this node read each other's logs.

``kafka_log`` is a partition that Kafka 3.8.0 wrote: five codecs, idempotent producers, transactions that were
committed, aborted, and left open at the end. Kafka's own tool is run where Java and Kafka's jars are, in
``ORACLE_JARS`` or ``~/.cache/kafka-3.8.0-jars``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.producer_state_manager import read_snapshot
from tests.core.log.test_unified_log_transactions import ABORT, COMMIT, Producer, aborted, committed_values
from tests.storage.internals.log.support import NOW, LogHarness, log_config, read_records, records

_KAFKA_LOG = Path(__file__).parent / "kafka_log" / "mixed-0"
_JARS = Path(os.environ.get("ORACLE_JARS") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafka-3.8.0-jars")
_FIRST_TIME = 1_700_000_000_000

INDEXES = (".index", ".timeindex", ".txnindex")

CODECS = [Compression.NONE, Compression.gzip().build(), Compression.snappy().build(),
          Compression.lz4().build(), Compression.zstd().build()]


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), log_config(
        segment_bytes=1500, index_interval_bytes=200, retention_ms=-1))
    yield made
    made.dispose()


def take_kafkas(harness: LogHarness) -> None:
    harness.crash()
    shutil.rmtree(harness.directory)
    shutil.copytree(_KAFKA_LOG, harness.directory)


def check_kafkas_records(harness: LogHarness) -> None:
    log = harness.log
    assert (log.log_start_offset(), log.log_end_offset(), log.last_stable_offset()) == (0, 81, 78)
    assert log.latest_epoch() == 0
    found = [(record.offset(), record.timestamp(), value.to_bytes())
             for record in read_records(log) if (value := record.value()) is not None]
    expected = [f"{codec}-{number}" * 5 for codec in ("none", "gzip", "snappy", "lz4", "zstd")
                for number in range(12)]
    assert [value.decode() for _, _, value in found[:60]] == expected
    assert [timestamp for _, timestamp, _ in found[:60]] == [_FIRST_TIME + number for number in range(60)]
    assert [offset for offset, _, _ in found] == list(range(81))
    assert [value for _, _, value in found[-3:]] == [b"open-0", b"open-1", b"open-2"]
    for number in range(60):
        by_time = log.fetch_offset_by_timestamp(_FIRST_TIME + number)
        assert by_time is not None and by_time.offset == number
    committed = log.read(78, 1000, FetchIsolation.TXN_COMMITTED, True)
    assert committed.records.size_in_bytes() == 0
    assert (committed.last_stable_offset, committed.high_watermark) == (78, 81)
    assert log.read(70, 1 << 20, FetchIsolation.TXN_COMMITTED, True).records.size_in_bytes() < (
        log.read(70, 1 << 20, FetchIsolation.HIGH_WATERMARK, True).records.size_in_bytes())
    assert log.collect_aborted_transactions(0, 81) == [AbortedTxn(6, 66, 71, 72)]
    assert committed_values(log)[60:] == [
        b"%s-%d" % (name, number) for name in (b"c1", b"c2") for number in range(5)]
    last = log.read(80, 1 << 20, FetchIsolation.TXN_COMMITTED, True)
    assert last.fetch_offset_metadata.message_offset == 80


def test_a_log_that_kafka_closed(harness: LogHarness) -> None:
    take_kafkas(harness)
    harness.open(clean=True)
    check_kafkas_records(harness)
    open_one = {entry.producer_id: entry for entry in harness.log.active_producers()}[8]
    assert open_one.current_txn_first_offset == 78
    assert (open_one.last_seq(), open_one.last_data_offset()) == (2, 80)
    assert harness.append(b"ours") == 81
    assert harness.log.last_stable_offset() == 78


def test_a_log_that_kafka_left_without_indexes(harness: LogHarness) -> None:
    """Recovery makes them anew, byte for byte as Kafka's are."""
    take_kafkas(harness)
    for path in Path(harness.directory).iterdir():
        if path.suffix in (*INDEXES, ".snapshot") or path.name == "leader-epoch-checkpoint":
            path.unlink()
    harness.open(clean=False)
    check_kafkas_records(harness)
    assert harness.log.close()
    for path in _KAFKA_LOG.iterdir():
        if path.suffix in (*INDEXES, ".log") or path.name == "leader-epoch-checkpoint":
            assert (Path(harness.directory) / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_producers_that_kafka_remembers(harness: LogHarness) -> None:
    """The same by reading all of the log, but for those whose records were too old for Kafka to keep them."""
    take_kafkas(harness)
    path = Path(harness.directory) / "00000000000000000081.snapshot"
    kafkas = {entry.producer_id: entry for entry in read_snapshot(str(path))}
    for snapshot in Path(harness.directory).glob("*.snapshot"):
        snapshot.unlink()
    harness.open(clean=False)
    ours = {entry.producer_id: entry for entry in harness.log.active_producers()}
    assert set(kafkas) <= set(ours)
    for producer_id, entry in kafkas.items():
        mine = ours[producer_id]
        assert (mine.producer_epoch, mine.last_seq(), mine.last_data_offset(), mine.last_offset_delta(),
                mine.last_timestamp, mine.coordinator_epoch, mine.current_txn_first_offset) == (
            entry.producer_epoch, entry.last_seq(), entry.last_data_offset(), entry.last_offset_delta(),
            entry.last_timestamp, entry.coordinator_epoch, entry.current_txn_first_offset)


# -- Kafka's own tool --------------------------------------------------------------------------------


def dump(*files: Path) -> str:
    """Return what Kafka says of files of a log."""
    if shutil.which("java") is None:
        pytest.skip("there is no java")
    if not any(_JARS.glob("kafka_2.13-3.8.0.jar")):
        pytest.skip(f"Kafka's jars are not in {_JARS}")
    done = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", f"{_JARS}/*",
                           "kafka.tools.DumpLogSegments", "--print-data-log", "--files",
                           ",".join(map(str, files))],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kafka_reads_our_transactions(harness: LogHarness) -> None:
    harness.producer_state_config.transaction_verification_enabled = False
    first, second = Producer(harness, 1), Producer(harness, 2)
    for number in range(10):
        first.append(b"%03d" % number * 50)
        second.append(b"%03d" % number * 50)
        first.end(ABORT if number % 3 else COMMIT, number)
    harness.crash_and_open()
    assert harness.log.close()
    said = dump(*sorted(path for path in Path(harness.directory).iterdir()
                        if path.suffix in (".log", ".txnindex", ".snapshot")))
    # The second's has been open since offset 1.
    for producer_id, first_offset, last_offset, stable in aborted(harness.log):
        assert (f"version: 0 producerId: {producer_id} firstOffset: {first_offset} lastOffset: {last_offset} "
                f"lastStableOffset: {stable}") in said
        assert stable == 1
    assert said.count("endTxnMarker: ABORT") == 6 == len(aborted(harness.log))
    assert "currentTxnFirstOffset: OptionalLong[1]" in said and "isvalid: false" not in said


def test_kafka_reads_our_files(harness: LogHarness) -> None:
    sequences: dict[int, int] = {}
    expected = []
    for number in range(60):
        sent = [b"%03d-%d" % (number, i) * 10 for i in range(1 + number % 4)]
        producer_id = number % 3 - 1
        harness.log.append_as_leader(records(
            *sent, timestamp=NOW + 10 * number, codec=CODECS[number % 5], producer_id=producer_id,
            producer_epoch=min(producer_id, 0),
            base_sequence=sequences.get(producer_id, 0) if producer_id >= 0 else -1), 0)
        sequences[producer_id] = sequences.get(producer_id, 0) + len(sent)
        expected += sent
    harness.crash_and_open()
    harness.append(b"after the crash", timestamp=NOW + 10_000)
    assert harness.log.number_of_segments() > 3
    assert harness.log.close()

    folder = Path(harness.directory)
    said = dump(*sorted(path for path in folder.iterdir()
                        if path.suffix in (".log", ".index", ".timeindex", ".snapshot")))

    # It holds every entry of an index against the records, and says what does not fit.
    for complaint in ("Mismatches", "mismatch", "Non-consecutive", "not found", "isvalid: false",
                      "out of order", "Corrupt", "Exception"):
        assert complaint not in said, said
    payloads = [line.split("payload: ", 1)[1].encode() for line in said.splitlines() if "payload: " in line]
    assert payloads == [*expected, b"after the crash"]
    assert said.count("isvalid: true") == 61
    assert "producerId: 1 producerEpoch: 0" in said
