# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Transactions of a whole broker, where a topic refuses markers, or where a disk is full for a while.

After each of them the transactional id is usable without a restart, and nothing has ended the process.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.utils.exit import Exit
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.coordinator.transaction.transaction_marker_channel_manager import (
    TransactionMarkerChannelManager,
)
from kreactor.embedded.broker_server import BrokerServer
from tests.core.coordinator.transaction.wire_producer import WireProducer, create_topic, read_committed
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import T0
from tests.stepping import wait_until

TXN_LOG, OFFSETS = "__transaction_state-", "__consumer_offsets-"
SMALL = {"transaction.state.log.num.partitions": "1", "offsets.topic.num.partitions": "1"}


@pytest.fixture(autouse=True)
def exits() -> Iterator[list[int]]:
    """Collect the exits that the process would have taken; there is none at the end."""
    codes: list[int] = []
    Exit.set_exit_procedure(lambda status_code, message: codes.append(status_code))
    Exit.set_halt_procedure(lambda status_code, message: codes.append(status_code))
    yield codes
    Exit.reset_exit_procedure()
    Exit.reset_halt_procedure()
    assert codes == []


class Disk:
    """Refuses to write to the files of some folders while it is full."""

    def __init__(self) -> None:
        self._pwrite = os.pwrite
        self._full: dict[str, int] = {}
        self.code = errno.ENOSPC
        self.refused = 0

    def full(self, folder: str, passing: int = 0) -> None:
        """Refuse writes to the logs of ``folder`` after ``passing`` more."""
        self._full[folder] = passing

    def has_room(self) -> None:
        self._full.clear()

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        path = os.readlink(f"/proc/self/fd/{fd}")
        for folder, passing in self._full.items():
            if folder in path and path.endswith(".log"):
                if passing == 0:
                    self.refused += 1
                    # Half of it is in the file, as on a disk that fills up.
                    self._pwrite(fd, memoryview(data)[:len(data) // 2], position)
                    raise OSError(self.code, os.strerror(self.code))
                self._full[folder] = passing - 1
        return self._pwrite(fd, data, position)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Disk]:
    disk = Disk()
    monkeypatch.setattr(os, "pwrite", disk.pwrite)
    yield disk
    # A logged exception holds the file open that it came from, in the variables of its frames.
    for phase in ("setup", "call"):
        caplog.get_records(phase).clear()


def markers_of(broker: BrokerServer) -> TransactionMarkerChannelManager:
    return broker.transaction_coordinator()._txn_marker_channel_manager


def tiny_batch(producer: WireProducer) -> bytes:
    """Return a batch of 68 bytes; a marker has 78."""
    batch = MemoryRecords.with_transactional_records(
        Compression.NONE, producer.producer_id, producer.epoch, 0, SimpleRecord(T0, None, b""))
    data = batch.buffer().to_bytes()
    assert len(data) == 68
    return data


def check_usable(producer: WireProducer, topic: str = "t") -> None:
    """Lead a whole transaction."""
    producer.begin()
    assert producer.add(topic) is Errors.NONE
    assert producer.produce(topic, b"after") is Errors.NONE
    assert producer.end() is Errors.NONE
    wait_until(lambda: producer.state() == "CompleteCommit")


# -- markers that are larger than what a topic takes -------------------------------------------------

NARROW = {
    "max.message.bytes": {"max_message_bytes": "70"},
    "segment.bytes": {"segment_bytes": "70"},
    # These appends look at each record, by another route.
    "record by record": {"max_message_bytes": "70", "message_timestamp_before_max_ms": str(2**62)},
}


@pytest.mark.deviation("D230")
@pytest.mark.parametrize("committed", [True, False], ids=["commit", "abort"])
@pytest.mark.parametrize("configs", NARROW.values(), ids=NARROW)
def test_a_marker_that_is_larger_than_its_topic_takes(tmp_path: Path, configs: dict[str, str],
                                                      committed: bool) -> None:
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t", **configs)
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        assert producer.produce("t", b"", tiny_batch(producer)) is Errors.NONE
        assert producer.end(committed) is Errors.NONE
        wait_until(lambda: producer.state() == ("CompleteCommit" if committed else "CompleteAbort"))
        assert read_committed(wire, "t") == ([b""] if committed else [])
        assert producer.init() is Errors.NONE


@pytest.mark.deviation("D230")
@pytest.mark.parametrize("configs", NARROW.values(), ids=NARROW)
def test_a_marker_that_is_larger_than_its_topic_takes_with_strict_fidelity(
        tmp_path: Path, configs: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    """As in Kafka the topic refuses the marker, and the transactional id is no longer usable."""
    with new_broker(tmp_path, {**SMALL, "kreactor.fidelity": "strict"}) as broker, connect(broker) as wire:
        create_topic(wire, "t", **configs)
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        assert producer.produce("t", b"", tiny_batch(producer)) is Errors.NONE
        assert producer.end() is Errors.NONE
        wait_until(lambda: "RecordTooLargeException" in caplog.text
                   or "RecordBatchTooLargeException" in caplog.text or "MESSAGE_TOO_LARGE" in caplog.text)
        assert producer.state() == "PrepareCommit"
        assert read_committed(wire, "t") == []
        assert producer.init() is Errors.CONCURRENT_TRANSACTIONS
    caplog.clear()


@pytest.mark.parametrize("configs", NARROW.values(), ids=NARROW)
def test_a_marker_that_is_larger_than_its_topic_takes_after_a_restart(tmp_path: Path,
                                                                      configs: dict[str, str]) -> None:
    """A transaction that was prepared when the broker stopped is completed when it starts."""
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t", **configs)
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        assert producer.produce("t", b"", tiny_batch(producer)) is Errors.NONE
        markers_of(broker).generate_requests = lambda: []  # type: ignore[method-assign]
        assert producer.end() is Errors.NONE
        assert producer.state() == "PrepareCommit"
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        producer.wire = wire
        producer.find()
        wait_until(lambda: producer.state() == "CompleteCommit")
        assert read_committed(wire, "t") == [b""]
        assert producer.init() is Errors.NONE


# -- a disk that is full for a while -----------------------------------------------------------------

@pytest.fixture
def producer(tmp_path: Path, disk: Disk) -> Iterator[WireProducer]:
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        yield WireProducer(wire).begin()


def refused(disk: Disk, times: int = 1) -> Callable[[], bool]:
    return lambda: disk.refused >= times


CODES = pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=errno.errorcode.get)
ENDS = pytest.mark.parametrize("committed", [True, False], ids=["commit", "abort"])


@CODES
def test_no_room_for_a_producer_id(producer: WireProducer, disk: Disk, code: int) -> None:
    disk.code = code
    disk.full(TXN_LOG)
    for _ in range(3):
        assert producer.init() is Errors.NOT_COORDINATOR
    disk.has_room()
    check_usable(producer)


@CODES
def test_no_room_for_partitions(producer: WireProducer, disk: Disk, code: int) -> None:
    disk.code = code
    disk.full(TXN_LOG)
    for _ in range(3):
        assert producer.add("t") is Errors.NOT_COORDINATOR
    assert producer.state() == "Empty"
    disk.has_room()
    assert producer.add("t") is Errors.NONE
    assert producer.produce("t", b"x") is Errors.NONE
    assert producer.end() is Errors.NONE
    check_usable(producer)
    assert read_committed(producer.wire, "t") == [b"x", b"after"]


@CODES
def test_no_room_for_offsets(producer: WireProducer, disk: Disk, code: int) -> None:
    disk.code = code
    producer.find_group("g")
    disk.full(TXN_LOG)
    assert producer.add_offsets("g") is Errors.NOT_COORDINATOR
    disk.has_room()
    assert producer.add_offsets("g") is Errors.NONE
    disk.full(OFFSETS)
    assert producer.commit_offset("g", "t", 5) is Errors.NOT_COORDINATOR
    disk.has_room()
    assert producer.commit_offset("g", "t", 7) is Errors.NONE
    disk.full(OFFSETS)
    assert producer.end() is Errors.NONE
    wait_until(refused(disk, 5))
    assert producer.committed_offset("g", "t") == -1
    disk.has_room()
    check_usable(producer)
    wait_until(lambda: producer.committed_offset("g", "t") == 7)


@CODES
@ENDS
def test_no_room_for_the_end(producer: WireProducer, disk: Disk, code: int, committed: bool) -> None:
    """The state before the markers: PrepareCommit or PrepareAbort."""
    disk.code = code
    assert producer.add("t") is Errors.NONE
    assert producer.produce("t", b"x") is Errors.NONE
    disk.full(TXN_LOG)
    for _ in range(3):
        assert producer.end(committed) is Errors.NOT_COORDINATOR
    assert producer.state() == "Ongoing"
    disk.has_room()
    assert producer.end(committed) is Errors.NONE
    check_usable(producer)
    assert read_committed(producer.wire, "t") == [b"x", b"after"][not committed:]


@CODES
@ENDS
def test_no_room_for_markers(producer: WireProducer, disk: Disk, code: int, committed: bool) -> None:
    disk.code = code
    assert producer.add("t") is Errors.NONE
    assert producer.produce("t", b"x") is Errors.NONE
    disk.full("/t-")
    assert producer.end(committed) is Errors.NONE
    wait_until(refused(disk, 3))
    assert producer.state() == ("PrepareCommit" if committed else "PrepareAbort")
    assert producer.init() is Errors.CONCURRENT_TRANSACTIONS
    disk.has_room()
    check_usable(producer)
    assert read_committed(producer.wire, "t") == [b"x", b"after"][not committed:]


@CODES
@ENDS
def test_no_room_for_the_completion(producer: WireProducer, disk: Disk, code: int, committed: bool) -> None:
    """The state after the markers: CompleteCommit or CompleteAbort."""
    disk.code = code
    assert producer.add("t") is Errors.NONE
    assert producer.produce("t", b"x") is Errors.NONE
    disk.full(TXN_LOG, passing=1)
    assert producer.end(committed) is Errors.NONE
    wait_until(refused(disk, 3))
    assert producer.state() == ("PrepareCommit" if committed else "PrepareAbort")
    assert producer.init() is Errors.CONCURRENT_TRANSACTIONS
    assert producer.end(committed) is Errors.CONCURRENT_TRANSACTIONS
    disk.has_room()
    wait_until(lambda: producer.state() == ("CompleteCommit" if committed else "CompleteAbort"))
    check_usable(producer)
    assert read_committed(producer.wire, "t") == [b"x", b"after"][not committed:]


@CODES
def test_no_room_for_a_fence(producer: WireProducer, disk: Disk, code: int) -> None:
    """Another producer of the same id aborts what is open."""
    disk.code = code
    assert producer.add("t") is Errors.NONE
    assert producer.produce("t", b"x") is Errors.NONE
    other = WireProducer(producer.wire)
    disk.full(TXN_LOG)
    for _ in range(3):
        assert other.init() is Errors.NOT_COORDINATOR
    disk.has_room()
    check_usable(other)
    assert producer.end() is Errors.PRODUCER_FENCED
    assert read_committed(producer.wire, "t") == [b"after"]


def test_no_room_for_the_abort_of_what_is_open_for_too_long(tmp_path: Path, disk: Disk) -> None:
    with new_broker(tmp_path, {
        **SMALL, "transaction.abort.timed.out.transaction.cleanup.interval.ms": "20",
    }) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        producer = WireProducer(wire, timeout_ms=1).begin()
        disk.full(TXN_LOG, passing=1)
        assert producer.add("t") is Errors.NONE
        wait_until(refused(disk, 3))
        assert producer.state() == "Ongoing"
        disk.has_room()
        wait_until(lambda: producer.state() == "CompleteAbort")
        producer.timeout_ms = 600_000
        check_usable(producer)


@ENDS
def test_a_broker_that_stops_while_the_disk_is_full(tmp_path: Path, disk: Disk, committed: bool) -> None:
    """The markers are written, and the next broker completes the transaction."""
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        assert producer.produce("t", b"x") is Errors.NONE
        disk.full(TXN_LOG, passing=1)
        assert producer.end(committed) is Errors.NONE
        wait_until(refused(disk, 2))
    disk.has_room()
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        producer.wire = wire
        producer.find()
        wait_until(lambda: producer.state() == ("CompleteCommit" if committed else "CompleteAbort"))
        check_usable(producer)
        assert read_committed(wire, "t") == [b"x", b"after"][not committed:]


# -- failures that nobody expects --------------------------------------------------------------------

def test_offsets_that_do_not_count_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                       caplog: pytest.LogCaptureFixture) -> None:
    """The work after the marker of a group fails; another transaction goes on meanwhile."""
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        producer, other = WireProducer(wire).begin(), WireProducer(wire, "other").begin()
        producer.find_group("g")
        assert producer.add_offsets("g") is Errors.NONE
        assert producer.commit_offset("g", "t", 7) is Errors.NONE
        calls: list[int] = []

        def fail(*args: Any) -> None:
            calls.append(1)
            raise MemoryError()

        with monkeypatch.context() as patch:
            patch.setattr(GroupCoordinatorAdapter, "on_transaction_completed", fail)
            assert producer.end() is Errors.NONE
            wait_until(lambda: len(calls) > 3)
            check_usable(other)
            assert producer.state() == "PrepareCommit"
        check_usable(producer)
        wait_until(lambda: producer.committed_offset("g", "t") == 7)
    assert caplog.text.count("uncaught error in request completion") == 1


def test_a_completion_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                          caplog: pytest.LogCaptureFixture) -> None:
    """The change to CompleteCommit fails before it reaches the log."""
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        manager = broker.transaction_coordinator()._txn_manager
        append = manager.append_transaction_to_log
        calls: list[int] = []

        def fail(transactional_id: str, epoch: int, new_metadata: Any, *args: Any, **kwargs: Any) -> None:
            if str(new_metadata.txn_state) == "CompleteCommit":
                calls.append(1)
                raise MemoryError()
            append(transactional_id, epoch, new_metadata, *args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(manager, "append_transaction_to_log", fail)
            assert producer.end() is Errors.NONE
            wait_until(lambda: len(calls) > 3)
            assert producer.state() == "PrepareCommit"
        check_usable(producer)
    assert caplog.text.count("the completion of a transaction is not in the log") == 1


def test_a_completion_that_fails_before_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                        caplog: pytest.LogCaptureFixture) -> None:
    """It waits for no marker any more, and is not forgotten for that."""
    with new_broker(tmp_path, SMALL) as broker, connect(broker) as wire:
        create_topic(wire, "t")
        producer = WireProducer(wire).begin()
        assert producer.add("t") is Errors.NONE
        channel_manager = broker.transaction_coordinator()._txn_marker_channel_manager
        complete = channel_manager._write_txn_completion
        calls: list[int] = []

        def fail_once(*args: Any) -> None:
            calls.append(1)
            if len(calls) == 1:
                raise MemoryError()
            complete(*args)

        monkeypatch.setattr(channel_manager, "_write_txn_completion", fail_once)
        assert producer.end() is Errors.NONE
        check_usable(producer)
    assert caplog.text.count("the completion of a transaction is not in the log") == 1
