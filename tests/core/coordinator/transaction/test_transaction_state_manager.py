# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionStateManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of transactional ids in the cache and in the log, which is a real one."""

from __future__ import annotations

import errno
import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_log import TransactionLog
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.coordinator.transaction.transaction_state_manager import CoordinatorEpochAndTxnMetadata
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.controller_mutation_quota import UnboundedControllerMutationQuota
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.cleaner_config import CleanerConfig
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from tests.core.coordinator.transaction.support import PARTITIONS, TOPIC, Transactions

S = TransactionState
EXPIRATION_MS = 7 * 24 * 60 * 60 * 1000


@pytest.fixture
def txns(tmp_path: Path) -> Iterator[Transactions]:
    with Transactions(tmp_path) as transactions:
        yield transactions


def found(txns: Transactions, transactional_id: str = "txn") -> Any:
    result = txns.manager.get_transaction_state(transactional_id)
    return result.transaction_metadata if isinstance(result, CoordinatorEpochAndTxnMetadata) else result


def append(txns: Transactions, metadata: TransactionMetadata, transit: Any, epoch: int = 0,
           **options: Any) -> Errors:
    errors: list[Errors] = []
    txns.manager.append_transaction_to_log(
        metadata.transactional_id, epoch, transit, errors.append, **options)
    error, = errors
    return error


def prepared(txns: Transactions) -> tuple[TransactionMetadata, Any]:
    """Return an id, and a change of it that was begun."""
    txns.own()
    metadata = txns.put()
    return metadata, metadata.prepare_add_partitions(PARTITIONS, txns.time.milliseconds())


def test_validate_transaction_timeout(txns: Transactions) -> None:
    assert [txns.manager.validate_transaction_timeout_ms(ms) for ms in (1, -1, 0, 900_000, 900_001)] == [
        True, False, False, True, False]


def test_add_get_pids(txns: Transactions) -> None:
    txns.own()
    assert found(txns, "one") is None
    one = txns.put(transactional_id="one", producer_id=1)
    assert txns.manager.get_transaction_state("one") == CoordinatorEpochAndTxnMetadata(0, one)
    assert found(txns, "one") is one
    two = txns.put(transactional_id="two", producer_id=2)
    assert found(txns, "two") is two
    # The first stays.
    assert txns.put(transactional_id="one", producer_id=3) is one


def test_delete_partition(txns: Transactions) -> None:
    assert [txns.manager.partition_for(name) for name in ("b", "a")] == [0, 1]
    txns.own()
    made = [txns.put(transactional_id=name) for name in ("b", "a")]
    assert [found(txns, name) for name in ("b", "a")] == made
    txns.manager.remove_transactions_for_txn_topic_partition(0)
    assert found(txns, "b") is Errors.NOT_COORDINATOR
    assert found(txns, "a") is made[1]


def write(txns: Transactions, *records: SimpleRecord, partition: int = 0) -> None:
    txns._append_records(
        1000, -1, True, AppendOrigin.COORDINATOR,
        {TopicPartition(TOPIC, partition): MemoryRecords.with_records(Compression.NONE, *records)},
        lambda status: None)


def state_record(metadata: TransactionMetadata) -> SimpleRecord:
    return SimpleRecord(0, TransactionLog.key_to_bytes(metadata.transactional_id),
                        TransactionLog.value_to_bytes(metadata.prepare_no_transit()))


def metadata_of(state: TransactionState, transactional_id: str = "b", producer_id: int = 7,
                partitions: frozenset[TopicPartition] = PARTITIONS) -> TransactionMetadata:
    return TransactionMetadata(transactional_id, producer_id, -1, 3, -1, 1000, state, partitions, 5,
                               txn_last_update_timestamp=6)


def load(txns: Transactions, partition: int = 0, epoch: int = 0) -> list[Any]:
    """Load a partition; return what is to be sent."""
    sent: list[Any] = []
    txns.manager.load_transactions_for_txn_topic_partition(
        partition, epoch, lambda *args: sent.append(args))
    assert found(txns, "b") is Errors.COORDINATOR_LOAD_IN_PROGRESS
    txns.scheduler.tick()
    return sent


def test_delete_loading_partition(txns: Transactions) -> None:
    write(txns, state_record(metadata_of(S.PrepareCommit)))
    sent: list[Any] = []
    txns.manager.load_transactions_for_txn_topic_partition(0, 0, lambda *args: sent.append(args))
    assert len(txns.manager.loading_partitions) == 1
    txns.manager.remove_transactions_for_txn_topic_partition(0)
    assert not txns.manager.loading_partitions
    txns.scheduler.tick()
    assert found(txns, "b") is Errors.NOT_COORDINATOR
    assert not sent


def test_load_and_remove_transactions_for_partition(txns: Transactions) -> None:
    tombstone = SimpleRecord(0, TransactionLog.key_to_bytes("z"), None)
    write(txns, state_record(metadata_of(S.Ongoing)), state_record(metadata_of(S.Ongoing, "d", 8)),
          state_record(metadata_of(S.CompleteCommit, "z", 9)))
    write(txns, state_record(metadata_of(S.PrepareAbort, "d", 8)), tombstone)
    write(txns, state_record(metadata_of(S.CompleteCommit, partitions=frozenset())))
    assert found(txns, "b") is Errors.NOT_COORDINATOR
    (epoch, result, metadata, transit), = load(txns, epoch=4)
    assert (epoch, result, metadata.transactional_id, transit.txn_state) == (
        4, TransactionResult.ABORT, "d", S.CompleteAbort)
    assert found(txns, "b") == metadata_of(S.CompleteCommit, partitions=frozenset())
    assert found(txns, "d") == metadata_of(S.PrepareAbort, "d", 8)
    assert found(txns, "z") is None
    txns.manager.remove_transactions_for_txn_topic_partition(0, 4)
    assert found(txns, "b") is found(txns, "d") is Errors.NOT_COORDINATOR
    txns.manager.remove_transactions_for_txn_topic_partition(0, 4)


def test_a_manager_that_is_shut_down_reads_no_further(txns: Transactions) -> None:
    write(txns, state_record(metadata_of(S.Ongoing)))
    txns.manager.shutdown()
    assert load(txns, epoch=4) == []
    assert found(txns, "b") is None


def test_complete_transition_when_append_succeeded(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    assert append(txns, metadata, transit) is Errors.NONE
    # All in-sync replicas have the state before the answer, or the append times out with the transaction.
    assert txns.appends == [(metadata.txn_timeout_ms, -1)] and metadata.txn_timeout_ms > 0
    assert (metadata.state, metadata.pending_state, metadata.topic_partitions) == (
        S.Ongoing, None, PARTITIONS)
    assert txns.manager.get_transaction_state("txn") == CoordinatorEpochAndTxnMetadata(0, metadata)


def check_append_failures(txns: Transactions, told: Errors,
                          *errors: Errors) -> tuple[TransactionMetadata, Any]:
    """Have appends of a change fail; return the id, and another change of it that was begun."""
    metadata, transit = prepared(txns)
    for error in errors:
        txns.append_error = error
        assert append(txns, metadata, transit) is told
        assert txns.manager.get_transaction_state("txn") == CoordinatorEpochAndTxnMetadata(0, metadata)
        assert found(txns) is metadata
        assert (metadata.state, metadata.pending_state) == (S.Empty, None)
        transit = metadata.prepare_add_partitions(PARTITIONS, txns.time.milliseconds())
    return metadata, transit


def test_append_fail_to_coordinator_not_available_error(txns: Transactions) -> None:
    check_append_failures(
        txns, Errors.COORDINATOR_NOT_AVAILABLE, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_ENOUGH_REPLICAS,
        Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.REQUEST_TIMED_OUT)


def test_append_fail_to_not_coordinator_error(txns: Transactions) -> None:
    metadata, transit = check_append_failures(
        txns, Errors.NOT_COORDINATOR, Errors.NOT_LEADER_OR_FOLLOWER, Errors.KAFKA_STORAGE_ERROR)
    txns.append_error = Errors.NONE
    partition = txns.manager.partition_for("txn")
    txns.manager.remove_transactions_for_txn_topic_partition(partition, 0)
    assert append(txns, metadata, transit) is Errors.NOT_COORDINATOR

    txns.manager.remove_transactions_for_txn_topic_partition(partition, 0)
    txns.own(1, (partition,))
    txns.manager.put_transaction_state_if_not_exists(metadata)
    assert append(txns, metadata, transit) is Errors.NOT_COORDINATOR

    txns.manager.remove_transactions_for_txn_topic_partition(partition, 0)
    txns.own(0, (partition,))
    assert append(txns, metadata, transit) is Errors.NOT_COORDINATOR


def test_append_fail_to_unknown_error(txns: Transactions) -> None:
    check_append_failures(
        txns, Errors.UNKNOWN_SERVER_ERROR, Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE)


def test_append_fail_to_an_error_that_is_told_as_it_is(txns: Transactions) -> None:
    check_append_failures(txns, Errors.CORRUPT_MESSAGE, Errors.CORRUPT_MESSAGE)


def test_append_fail_to_coordinator_loading_error(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    txns.manager.add_loading_partition(txns.manager.partition_for("txn"), 1)
    assert append(txns, metadata, transit) is Errors.COORDINATOR_LOAD_IN_PROGRESS
    txns.manager.remove_transactions_for_txn_topic_partition(txns.manager.partition_for("txn"))
    assert append(txns, metadata, transit) is Errors.NOT_COORDINATOR
    txns.own()
    assert append(txns, metadata, transit) is Errors.NOT_COORDINATOR
    assert not txns.appended


def test_an_append_under_another_epoch(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    assert append(txns, metadata, transit, epoch=1) is Errors.NOT_COORDINATOR
    assert metadata.pending_state is S.Ongoing
    assert not txns.appended


def test_pending_state_not_reset_on_retry_append(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    txns.append_error = Errors.UNKNOWN_TOPIC_OR_PARTITION
    assert append(txns, metadata, transit, retry_on_error=lambda error: True) is (
        Errors.COORDINATOR_NOT_AVAILABLE)
    assert metadata.pending_state is S.Ongoing
    assert found(txns) is metadata


@pytest.mark.deviation("D243")
@pytest.mark.parametrize("retry", [False, True])
def test_an_append_that_fails_before_the_log_is_asked(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch, retry: bool) -> None:
    metadata, transit = prepared(txns)

    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(MemoryRecords, "with_records", fail)
        assert append(txns, metadata, transit, retry_on_error=lambda error: retry) is (
            Errors.UNKNOWN_SERVER_ERROR)
    assert metadata.pending_state is (S.Ongoing if retry else None)
    assert metadata.state is S.Empty
    if not retry:
        assert append(txns, metadata, metadata.prepare_add_partitions(
            PARTITIONS, txns.time.milliseconds())) is Errors.NONE
        assert metadata.state is S.Ongoing


def test_who_is_called_back_may_fail_and_is_not_called_again(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    errors: list[Errors] = []

    def fail(error: Errors) -> None:
        errors.append(error)
        raise MemoryError

    with pytest.raises(MemoryError):
        txns.manager.append_transaction_to_log("txn", 0, transit, fail)
    assert errors == [Errors.NONE]
    assert metadata.state is S.Ongoing and metadata.pending_state is None


def test_append_transaction_to_log_while_producer_fenced(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    metadata.producer_epoch += 1
    # The epoch of the coordinator is looked at first.
    assert append(txns, metadata, transit, epoch=10) is Errors.NOT_COORDINATOR
    assert not txns.appended


def test_an_append_of_a_fenced_producer_under_the_same_epoch(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    metadata.producer_epoch += 1
    with pytest.raises(IllegalStateException):
        append(txns, metadata, transit)


def test_append_transaction_to_log_while_pending_state_changed(txns: Transactions) -> None:
    metadata, transit = prepared(txns)
    metadata.pending_state = None
    with pytest.raises(IllegalStateException):
        append(txns, metadata, transit)


def test_should_return_not_coordinator_error_if_transaction_id_partition_not_owned(
        txns: Transactions) -> None:
    assert found(txns) is Errors.NOT_COORDINATOR


def test_list_transactions_with_coordinator_loading_in_progress(txns: Transactions) -> None:
    txns.own()
    txns.put()
    txns.manager.add_loading_partition(0, 15)
    response = txns.manager.list_transaction_states((), (), -1)
    assert Errors.for_code(response.error_code) is Errors.COORDINATOR_LOAD_IN_PROGRESS
    assert not response.transaction_states


def test_list_transactions_filtering(txns: Transactions) -> None:
    txns.own()
    states = iter((S.Ongoing, S.Ongoing, S.PrepareCommit, S.PrepareAbort, S.CompleteCommit, S.CompleteAbort,
                   S.CompleteAbort, S.PrepareEpochFence, S.Dead))
    for producer_id, state in enumerate(states):
        if producer_id in (2, 4, 8):
            txns.time.sleep(1000)
        txns.put(state, f"t{producer_id}", producer_id)

    def listed(producer_ids: Any = (), names: Any = (), duration_ms: int = -1) -> str:
        response = txns.manager.list_transaction_states(set(producer_ids), dict.fromkeys(names), duration_ms)
        assert Errors.for_code(response.error_code) is Errors.NONE
        assert response.unknown_state_filters == [name for name in names if name == "UnknownState"]
        return "".join(sorted(state.transactional_id[1:] for state in response.transaction_states))

    assert listed() == listed(duration_ms=0) == "01234567"
    assert [listed(duration_ms=ms) for ms in (1000, 2000, 3000)] == ["0123", "01", ""]
    assert listed(names=["Ongoing"]) == listed(names=["Ongoing", "UnknownState"]) == "01"
    assert listed(names=["PrepareCommit", "CompleteCommit"]) == "24"
    assert listed(names=["UnknownState"]) == listed(names=["Dead"]) == ""
    assert [listed([5]), listed([5, 6, 8, 9]), listed([4, 5], ["CompleteCommit"])] == ["5", "56", "4"]
    assert listed([4, 5], ["CompleteCommit", "CompleteAbort"]) == "45"
    assert listed([3, 6], ["UnknownState"]) == listed([10], ["CompleteCommit"]) == ""


def test_should_only_consider_transactions_in_the_ongoing_state_to_abort(txns: Transactions) -> None:
    txns.own()
    for number, state in enumerate(S):
        txns.put(state, str(state), number)
    txns.put(S.Ongoing, "not-expiring", 100, timeout_ms=10_000)
    txns.time.sleep(1000)
    assert not txns.manager.timed_out_transactions()
    txns.time.sleep(1)
    assert [str(txn) for txn in txns.manager.timed_out_transactions()] == [
        "(transactionalId=Ongoing, producerId=1, producerEpoch=1)"]


def test_should_write_txn_markers_for_transaction_in_prepared_commit_state(txns: Transactions) -> None:
    write(txns, state_record(metadata_of(S.PrepareCommit)))
    (_, result, _, transit), = load(txns)
    assert (result, transit.txn_state) == (TransactionResult.COMMIT, S.CompleteCommit)


def test_should_write_txn_markers_for_transaction_in_prepared_abort_state(txns: Transactions) -> None:
    write(txns, state_record(metadata_of(S.PrepareAbort)))
    (_, result, _, transit), = load(txns)
    assert (result, transit.txn_state) == (TransactionResult.ABORT, S.CompleteAbort)


def check_expiration(txns: Transactions, state: TransactionState, is_removed: bool,
                     error: Errors | None = None) -> None:
    """Have an id expire in a state; another one is too young to.

    The appends get their error before the log, and are counted even so: a tombstone is written or tried.
    """
    txns.own()
    metadata = txns.put(state)
    txns.time.sleep(EXPIRATION_MS - 1)
    txns.manager.remove_expired_transactional_ids()
    assert found(txns) is metadata
    txns.time.sleep(1)
    other = txns.put(transactional_id="other", producer_id=11)
    txns.append_error = error
    txns.manager.remove_expired_transactional_ids()
    assert (found(txns) is None) is is_removed
    assert metadata.pending_state is (S.Dead if is_removed else None)
    assert found(txns, "other") is other and other.pending_state is None
    tombstone = MemoryRecords.with_records(Compression.NONE, SimpleRecord(
        txns.time.milliseconds(), TransactionLog.key_to_bytes("txn"), None))
    log = TopicPartition(TOPIC, txns.manager.partition_for("txn"))
    assert {topic_partition: [without_offsets(records) for records in batches]
            for topic_partition, batches in txns.appended.items()} == (
        {log: [without_offsets(tombstone)]} if is_removed or error else {})


def test_should_remove_complete_commit_expired_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.CompleteCommit, is_removed=True)


def test_should_remove_complete_abort_expired_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.CompleteAbort, is_removed=True)


def test_should_remove_empty_expired_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.Empty, is_removed=True)


def test_should_not_remove_expired_transactional_ids_if_log_append_fails(txns: Transactions) -> None:
    check_expiration(txns, S.CompleteAbort, is_removed=False, error=Errors.NOT_ENOUGH_REPLICAS)


def test_should_not_remove_ongoing_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.Ongoing, is_removed=False)


def test_should_not_remove_prepare_abort_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.PrepareAbort, is_removed=False)


def test_should_not_remove_prepare_commit_transactional_ids(txns: Transactions) -> None:
    check_expiration(txns, S.PrepareCommit, is_removed=False)


def test_expiration_runs_by_itself(tmp_path: Path) -> None:
    with Transactions(tmp_path, overrides={
            "transactional.id.expiration.ms": "90000",
            "transaction.remove.expired.transaction.cleanup.interval.ms": "60000"}) as txns:
        txns.own()
        metadata = txns.put()
        txns.scheduler.tick(60_000)
        assert found(txns) is metadata
        txns.scheduler.tick(60_000)
        assert found(txns) is None


def without_offsets(records: MemoryRecords) -> list[tuple[object, ...]]:
    """Return what is to be appended: the log gives offsets, and the epoch of its leader."""
    return [(batch.compression_type(), batch.magic(), batch.producer_id(), batch.is_control_batch(), [
        (record.timestamp(), bytes_of(record.key()), bytes_of(record.value())) for record in batch])
        for batch in records.batches()]


def bytes_of(buffer: Any) -> bytes | None:
    return None if buffer is None else buffer.to_bytes()


def expirable(txns: Transactions) -> set[str]:
    """Return the ids that could be removed now."""
    listed = txns.manager.list_transaction_states((), (), -1)
    ids = {state.transactional_id for state in listed.transaction_states}
    metadata_of_ids = {name: found(txns, name) for name in ids}
    return {name for name, metadata in metadata_of_ids.items()
            if txns.time.milliseconds() - metadata.txn_last_update_timestamp >= EXPIRATION_MS
            and metadata.state.is_expiration_allowed() and metadata.pending_state is None}


def tombstones(txns: Transactions) -> set[str]:
    """Return the ids whose tombstones were appended, and no other record was."""
    assert all(metadata is None for _, metadata in txns.logged())
    return {name for name, _ in txns.logged()}


def expired_ids(txns: Transactions, count: int) -> set[str]:
    txns.own()
    ids = [f"id_{number}" for number in range(count)]
    for name in ids:
        txns.put(transactional_id=name)
    txns.time.sleep(EXPIRATION_MS)
    return set(ids)


def with_max_batch_size(txns: Transactions, size: int, *offline: int) -> None:
    def get_log_config(topic_partition: TopicPartition) -> Any:
        class Config:
            @staticmethod
            def max_message_size() -> int:
                return size
        return None if topic_partition.partition() in offline else Config

    txns.node.replica_manager.get_log_config = get_log_config  # type: ignore[method-assign]


def test_transactional_expiration_with_too_small_batch_size(txns: Transactions) -> None:
    names = expired_ids(txns, 20)
    with_max_batch_size(txns, 16)
    txns.append_error = Errors.MESSAGE_TOO_LARGE
    assert expirable(txns) == names
    txns.manager.remove_expired_transactional_ids()
    assert tombstones(txns) == names
    assert all(records.size_in_bytes() > 16 for batches in txns.appended.values() for records in batches)
    assert all(found(txns, name).pending_state is None for name in names)
    assert expirable(txns) == names


def test_transactional_expiration_with_offline_log_dir(txns: Transactions) -> None:
    names = expired_ids(txns, 20)
    with_max_batch_size(txns, 512, 1)
    assert expirable(txns) == names
    txns.manager.remove_expired_transactional_ids()
    here = {name for name in names if txns.manager.partition_for(name) == 0}
    assert here and names - here
    assert [(log.partition(), len(batches)) for log, batches in txns.appended.items()] == [(0, 1)]
    assert tombstones(txns) == here
    assert {name for name in names if found(txns, name) is None} == here
    assert expirable(txns) == names - here


def test_transaction_expiration_should_respect_batch_size(txns: Transactions) -> None:
    names = expired_ids(txns, 1000)
    with_max_batch_size(txns, 512)
    assert expirable(txns) == names
    txns.manager.remove_expired_transactional_ids()
    assert expirable(txns) == set()
    assert {log.partition() for log in txns.appended} == {0, 1}
    for batches in txns.appended.values():
        assert len(batches) > 1 and all(records.size_in_bytes() < 512 for records in batches)
    assert tombstones(txns) == names
    assert all(found(txns, name) is None for name in names)


def test_the_expiration_visits_each_id_once(txns: Transactions) -> None:
    class CountingLock:
        visits = 0

        def __enter__(self) -> None:
            self.visits += 1
            assert self.visits < 3, "the expiration does not go on to the next id"

        def __exit__(self, *_: object) -> None:
            pass

    txns.own()
    old = txns.put(transactional_id="old")
    busy = txns.put(S.Ongoing, transactional_id="busy")
    txns.time.sleep(EXPIRATION_MS)
    young = txns.put(transactional_id="young")
    locks = []
    for metadata in (old, busy, young):
        metadata.lock = lock = CountingLock()  # type: ignore[assignment]
        locks.append(lock)
    txns.manager.remove_expired_transactional_ids()
    # The callback of the tombstone's append takes the lock of its id, too.
    assert [lock.visits for lock in locks] == [2, 1, 1]
    assert txns.appends == [(30_000, -1)]
    assert found(txns, "old") is None and found(txns, "busy") is busy and found(txns, "young") is young


def test_transaction_expiration_should_not_fail_with_uninitialized_transaction_metadata(
        txns: Transactions) -> None:
    txns.own()
    txns.put(epoch=-1)
    txns.time.sleep(EXPIRATION_MS + 1)
    txns.manager.remove_expired_transactional_ids()
    assert txns.logged() == [("txn", None)]
    assert found(txns) is None


def test_successful_reimmigration(txns: Transactions) -> None:
    write(txns, state_record(metadata_of(S.PrepareCommit)))
    for epoch in (0, 1):
        load(txns, epoch=epoch)
        assert not txns.manager.loading_partitions
        assert txns.manager.transaction_metadata_cache[0].coordinator_epoch == epoch
    assert str(txns.manager.transaction_metadata_cache[0]) == (
        "TxnMetadataCacheEntry(coordinatorEpoch=1, numTransactionalEntries=1)")


def test_partition_load_metric(txns: Transactions) -> None:
    names = [txns.node.metrics.metric_name(f"partition-load-time-{name}", "transaction-coordinator-metrics")
             for name in ("max", "avg")]
    metrics = txns.node.metrics.metrics()
    assert all(math.isnan(metrics[name].metric_value()) for name in names)
    txns.manager.load_transactions_for_txn_topic_partition(0, 0, lambda *args: None)
    txns.scheduler.tick(7)
    assert [metrics[name].metric_value() for name in names] == [7.0, 7.0]


@pytest.mark.deviation("D140")
def test_ignore_unknown_record_type(txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = 0, UnifiedLog.read

    def counted(*args: Any, **kwargs: Any) -> FetchDataInfo:
        nonlocal reads
        reads += 1
        if reads > 10:
            raise RuntimeError("a batch is read again and again")
        return read(*args, **kwargs)

    monkeypatch.setattr(UnifiedLog, "read", counted)
    unknown = SimpleRecord(0, b"\x7f\xffwhatever", b"x")
    write(txns, unknown, state_record(metadata_of(S.CompleteCommit)))
    write(txns, state_record(metadata_of(S.CompleteCommit, "d")))
    # Nothing else in the batch.
    write(txns, unknown)
    load(txns, epoch=1)
    assert not txns.manager.loading_partitions
    assert found(txns, "b") == metadata_of(S.CompleteCommit)
    assert found(txns, "b").last_producer_id == metadata_of(S.CompleteCommit).last_producer_id
    assert found(txns, "d") == metadata_of(S.CompleteCommit, "d")
    assert txns.manager.transaction_metadata_cache[0].coordinator_epoch == 1
    assert reads <= 3


@pytest.mark.deviation("D140")
def test_a_batch_of_unknown_records_with_strict_fidelity(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """As in Kafka it is read again and again, until something ends the loading."""
    reads, read = 0, UnifiedLog.read

    def counted(*args: Any, **kwargs: Any) -> FetchDataInfo:
        nonlocal reads
        reads += 1
        if reads > 10:
            raise RuntimeError("enough")
        return read(*args, **kwargs)

    monkeypatch.setattr(UnifiedLog, "read", counted)
    with Transactions(tmp_path, overrides={"kreactor.fidelity": "strict"}) as txns:
        write(txns, SimpleRecord(0, b"\x7f\xffwhatever", b"x"), state_record(metadata_of(S.CompleteCommit)))
        write(txns, SimpleRecord(0, b"\x7f\xffwhatever", b"x"))
        load(txns, epoch=1)
        assert found(txns, "b") == metadata_of(S.CompleteCommit)
    assert reads == 11
    # Its traceback holds the records.
    caplog.clear()


# -- not in Kafka's test ---------------------------------------------------------------------------

def test_a_record_that_cannot_be_read_ends_the_loading(txns: Transactions,
                                                       caplog: pytest.LogCaptureFixture) -> None:
    write(txns, state_record(metadata_of(S.CompleteCommit)))
    write(txns, SimpleRecord(0, TransactionLog.key_to_bytes("d"), b"\0\7"))
    load(txns)
    assert found(txns, "b") is not None and found(txns, "d") is None
    assert "error loading transactions from transaction log" in caplog.text
    # Its traceback holds the records.
    caplog.clear()


@pytest.mark.deviation("D232")
@pytest.mark.parametrize("failure", [functools.partial(OSError, errno.EIO), KafkaStorageException],
                         ids=["OSError", "KafkaStorageException"])
def test_a_log_that_cannot_be_read_is_read_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                 caplog: pytest.LogCaptureFixture,
                                                 failure: Callable[[str], Exception]) -> None:
    """All ids are there then, and what was being committed is completed."""
    # A buffer for one batch at a time.
    with Transactions(tmp_path, overrides={"transaction.state.log.load.buffer.size": "100"}) as txns:
        write(txns, state_record(metadata_of(S.PrepareCommit)))
        write(txns, state_record(metadata_of(S.CompleteCommit, "d")))
        sent: list[str] = []
        read = UnifiedLog.read

        def fail_behind(log: UnifiedLog, start_offset: int, *args: Any, **kwargs: Any) -> FetchDataInfo:
            if start_offset > 0:
                raise failure("no")
            return read(log, start_offset, *args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(UnifiedLog, "read", fail_behind)
            txns.manager.load_transactions_for_txn_topic_partition(
                0, 0, lambda _epoch, _result, metadata, _transit: sent.append(metadata.transactional_id))
            for _ in range(3):
                txns.scheduler.tick(1000)
                assert found(txns, "b") is Errors.COORDINATOR_LOAD_IN_PROGRESS and not sent
        txns.scheduler.tick(1000)
        assert not txns.manager.loading_partitions and sent == ["b"]
        assert found(txns, "b") is not None and found(txns, "d") is not None
    # The tracebacks hold the file.
    caplog.clear()


def test_a_log_that_cannot_be_read_is_let_go(txns: Transactions, monkeypatch: pytest.MonkeyPatch,
                                             caplog: pytest.LogCaptureFixture) -> None:
    """Nobody reads it again for a coordinator that has resigned."""
    write(txns, state_record(metadata_of(S.CompleteCommit)))
    others = txns.scheduler.waiting()

    def fail(*_: Any, **__: Any) -> None:
        raise KafkaStorageException("no")

    with monkeypatch.context() as patch:
        patch.setattr(UnifiedLog, "read", fail)
        txns.manager.load_transactions_for_txn_topic_partition(0, 0, lambda *args: None)
        txns.scheduler.tick()
        assert len(txns.manager.loading_partitions) == 1
        txns.manager.remove_transactions_for_txn_topic_partition(0, 0)
        txns.scheduler.tick(1000)
    assert txns.scheduler.waiting() == others
    assert found(txns, "b") is Errors.NOT_COORDINATOR
    caplog.clear()


def test_a_batch_beyond_the_buffer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Transactions(tmp_path, overrides={"transaction.state.log.load.buffer.size": "100"}) as txns:
        for number in range(10):
            write(txns, *(state_record(metadata_of(S.CompleteCommit, f"{number}{name}"))
                          for name in "abcdefgh"))
        load(txns)
        entry = txns.manager.transaction_metadata_cache[0]
        assert entry.metadata_per_transactional_id.size() == 80
    assert "larger" in caplog.text


def test_the_number_of_partitions_must_not_change(txns: Transactions) -> None:
    txns.manager._retrieve_transaction_topic_partition_count = lambda: 3
    txns.manager.load_transactions_for_txn_topic_partition(0, 0, lambda *args: None)
    with pytest.raises(Exception, match="has changed from 2 to 3"):
        txns.scheduler.tick()
    assert found(txns, "b") is Errors.COORDINATOR_LOAD_IN_PROGRESS


def test_all_is_there_after_a_restart(tmp_path: Path) -> None:
    for number in range(3):
        with Transactions(tmp_path) as txns:
            txns.coordinator.on_election(0, 0)
            txns.coordinator.on_election(1, 0)
            txns.scheduler.tick()
            for name in ("a", "b"):
                assert txns.init(name).producer_epoch == number


def test_a_log_that_grows_is_compacted(tmp_path: Path) -> None:
    """The state that is read from the log stays the same."""
    with Transactions(tmp_path, 1, {"transaction.state.log.segment.bytes": "10000"}) as txns:
        txns.node.storage.delete_topic(TOPIC)
        txns.node.auto_topic_creation_manager.create_topics(
            (TOPIC,), UnboundedControllerMutationQuota, None)
        txns.scheduler.tick()
        log = txns.node.replica_manager.get_log(TopicPartition(TOPIC, 0))
        assert log is not None and log.config().compact
        for number in range(100):
            for name in ("a", "b", "c"):
                assert txns.init(name).producer_epoch == number
        size = log.size()
        assert log.number_of_segments() > 1
        expected = {name: found(txns, name) for name in ("a", "b", "c")}
        log_manager = txns.node.storage.log_manager()
        LogCleaner(CleanerConfig(), [log_manager.directory()], log_manager.logs(), txns.node.time,
                   MetricsRegistry()).clean_now(TopicPartition(TOPIC, 0))
        assert log.size() < size / 2
        txns.manager.remove_transactions_for_txn_topic_partition(0)
        txns.manager.load_transactions_for_txn_topic_partition(0, 0, lambda *args: None)
        txns.scheduler.tick()
        assert {name: found(txns, name) for name in expected} == expected
