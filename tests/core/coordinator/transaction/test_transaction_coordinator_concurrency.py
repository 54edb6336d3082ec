# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionCoordinatorConcurrencyTest of
# Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Many transactions at once, also while partitions of their log come and go, and ids expire.

The origin has up to 100 times 50 transactions in a test; a tenth of that finds the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.core.coordinator.transaction.transaction_coordinator import InitProducerIdResult
from kreactor.core.coordinator.transaction.transaction_log import TransactionLog
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.coordinator.transaction.transaction_state_manager import CoordinatorEpochAndTxnMetadata
from kreactor.storage.internals.log.append_origin import AppendOrigin
from tests.core.coordinator.concurrency import N_THREADS, Action, Operation, Race
from tests.core.coordinator.transaction.support import TOPIC, Transactions
from tests.stepping import wait_until

S = TransactionState
N_TRANSACTIONS = N_THREADS * 10
COORDINATOR_EPOCH = 10
NUM_PARTITIONS = N_THREADS * 5
PRODUCER_ID = 11
SHORT_MAX = 0x7FFF
TOPIC_0 = TopicPartition("topic", 0)


class Transaction:
    """A transactional id."""

    def __init__(self, transactional_id: str) -> None:
        self.transactional_id = transactional_id
        self.ended = False


class Txns:
    """The coordinator, its log, and what is done with them."""

    def __init__(self, transactions: Transactions, race: Race) -> None:
        self.race = race
        self.node = transactions.node
        self.coordinator = transactions.coordinator
        self.manager = transactions.manager
        self.channel_manager = transactions.channel_manager
        self.all: list[Transaction] = []
        self.bump_producer_id = False
        transactions.own(COORDINATOR_EPOCH)
        self.node.create_topic("topic")
        setattr(self.coordinator, "_generate_producer_id",
                lambda: PRODUCER_ID + 1 if self.bump_producer_id else PRODUCER_ID)
        self._markers_lock = threading.Lock()
        self.operations: list[Operation[Transaction]] = [
            InitProducerId(self), AddPartitionsToTxn(self), EndTxn(self)]

    def create(self, prefix: str, count: int = N_TRANSACTIONS) -> list[Transaction]:
        transactions = [Transaction(f"{prefix}{i}") for i in range(count)]
        self.all += transactions
        return transactions

    def enable_completion(self) -> None:
        """Have appends answered, and markers, which are not written."""
        self.race.enable_completion()
        with self._markers_lock:
            for request in self.channel_manager.generate_requests():
                request.handler.on_complete(WriteTxnMarkersResponse.of({
                    marker.producer_id: dict.fromkeys(marker.partitions, Errors.NONE)
                    for marker in request.markers}))

    def metadata_of(self, txn: Transaction) -> TransactionMetadata | None:
        found = self.manager.get_transaction_state(txn.transactional_id)
        if isinstance(found, CoordinatorEpochAndTxnMetadata):
            return found.transaction_metadata
        assert found is None or found is Errors.NOT_COORDINATOR, found
        return None

    def partition_of(self, txn: Transaction) -> int:
        return self.manager.partition_for(txn.transactional_id)

    def verify(self, txn: Transaction, state: TransactionState) -> None:
        def is_so() -> bool:
            self.enable_completion()
            metadata = self.metadata_of(txn)
            return metadata is not None and metadata.state is state and metadata.pending_state is None

        wait_until(is_so, f"{txn.transactional_id} does not become {state}")

    def race_of(self, txn: Transaction, *operations: InitProducerId) -> list[InitProducerIdResult]:
        """Have a transactional id asked for in several ways at once; return what each is answered."""
        self.race.verify_concurrent_actions(
            self.race.action_no_verify(operation, txn) for operation in operations)
        results = [operation.results[txn] for operation in operations]
        assert Errors.NONE in [result.error for result in results]
        # The next one finds nothing under way.
        wait_until(lambda: self._is_settled(txn))
        return results

    def _is_settled(self, txn: Transaction) -> bool:
        self.enable_completion()
        metadata = self.metadata_of(txn)
        return metadata is not None and metadata.pending_state is None

    def put_exhausted(self, txn: Transaction) -> None:
        """An id whose epochs are used up but for one."""
        self.manager.put_transaction_state_if_not_exists(TransactionMetadata(
            txn.transactional_id, PRODUCER_ID, -1, SHORT_MAX - 1, -1, 60_000, S.Empty, (),
            txn_last_update_timestamp=self.node.time.milliseconds()))

    def prepare(self, txn: Transaction) -> None:
        """Have a transaction begun, and its log say that it is about to be committed."""
        for operation in self.operations[:2]:
            operation.run(txn)
            operation.await_and_verify(txn)
        metadata = self.metadata_of(txn)
        assert metadata is not None
        records = [self._record_of(metadata)]
        metadata.state = S.PrepareCommit
        records.append(self._record_of(metadata))
        self.race.append_for_real(
            timeout=1000, required_acks=-1, internal_topics_allowed=True, origin=AppendOrigin.COORDINATOR,
            entries_per_partition={TopicPartition(TOPIC, self.partition_of(txn)):
                                   MemoryRecords.with_records(Compression.NONE, *records)},
            response_callback=lambda status: None)

    def _record_of(self, metadata: TransactionMetadata) -> SimpleRecord:
        return SimpleRecord(0, TransactionLog.key_to_bytes(metadata.transactional_id),
                            TransactionLog.value_to_bytes(metadata.prepare_no_transit()))

    def load_unload_actions(self, to_load: Iterable[int], to_unload: Iterable[int]) -> list[Action]:
        """Those to load are unloaded first: all are loaded at the beginning."""
        for txn in self.create("testConcurrentLoadUnloadPartitions", 2 * N_TRANSACTIONS):
            self.prepare(txn)
        to_load = list(to_load)
        for partition in to_load:
            action = Unload(self, partition)
            action.run()
            action.wait()
        return [*(Load(self, partition) for partition in to_load),
                *(Unload(self, partition) for partition in to_unload)]


class TxnOperation(Operation[Transaction]):
    """Keeps what each transactional id was answered last."""

    def __init__(self, txns: Txns) -> None:
        self.txns = txns
        self.results: dict[Transaction, Any] = {}


class InitProducerId(TxnOperation):
    def __init__(self, txns: Txns, expected: ProducerIdAndEpoch | None = None) -> None:
        super().__init__(txns)
        self._expected = expected

    def run(self, member: Transaction) -> None:
        self.txns.coordinator.handle_init_producer_id(
            member.transactional_id, 60_000, self._expected,
            lambda result: self.results.__setitem__(member, result))
        self.txns.race.try_complete_actions()

    def await_and_verify(self, member: Transaction) -> None:
        assert self.results[member].error is Errors.NONE
        self.txns.verify(member, S.Empty)


class AddPartitionsToTxn(TxnOperation):
    def run(self, member: Transaction) -> None:
        metadata = self.txns.metadata_of(member)
        if metadata is not None:
            self.txns.coordinator.handle_add_partitions_to_transaction(
                member.transactional_id, metadata.producer_id, metadata.producer_epoch, (TOPIC_0,),
                lambda error: self.results.__setitem__(member, error))
            self.txns.race.try_complete_actions()

    def await_and_verify(self, member: Transaction) -> None:
        assert self.results[member] is Errors.NONE
        self.txns.verify(member, S.Ongoing)


class EndTxn(TxnOperation):
    """Commits or aborts, by the last digit of the id."""

    def run(self, member: Transaction) -> None:
        metadata = self.txns.metadata_of(member)
        if metadata is not None:
            self.txns.coordinator.handle_end_transaction(
                member.transactional_id, metadata.producer_id, metadata.producer_epoch,
                self._result_of(member), lambda error: self.results.__setitem__(member, error))

    def await_and_verify(self, member: Transaction) -> None:
        error = self.results[member]
        if member.ended:
            assert error is Errors.INVALID_TXN_STATE
            return
        member.ended = True
        assert error is Errors.NONE
        self.txns.verify(member, S.CompleteCommit if self._result_of(member) is TransactionResult.COMMIT
                         else S.CompleteAbort)

    def _result_of(self, txn: Transaction) -> TransactionResult:
        return TransactionResult.ABORT if int(txn.transactional_id[-1]) % 2 else TransactionResult.COMMIT


class Load(Action):
    def __init__(self, txns: Txns, partition: int) -> None:
        self._txns = txns
        self._partition = partition

    def run(self) -> None:
        self._txns.coordinator.on_election(self._partition, COORDINATOR_EPOCH)

    def wait(self) -> None:
        for txn in self._txns.all:
            if self._txns.partition_of(txn) == self._partition:
                self._txns.verify(txn, S.CompleteCommit)


class Unload(Action):
    def __init__(self, txns: Txns, partition: int) -> None:
        self._txns = txns
        self._partition = partition

    def run(self) -> None:
        self._txns.coordinator.on_resignation(self._partition, COORDINATOR_EPOCH)

    def wait(self) -> None:
        for txn in self._txns.all:
            if self._txns.partition_of(txn) == self._partition:
                assert self._txns.metadata_of(txn) is None


class Expire(Action):
    def __init__(self, txns: Txns, transactions: list[Transaction]) -> None:
        self._txns = txns
        self._transactions = transactions

    def run(self) -> None:
        txns = self._txns
        config = txns.manager._config
        for txn in self._transactions:
            metadata = txns.metadata_of(txn)
            if metadata is not None:
                metadata.txn_last_update_timestamp = (
                    txns.node.time.milliseconds() - config.transactional_id_expiration_ms)
        txns.manager.enable_transactional_id_expiration()
        txns.race.try_complete_actions()
        txns.node.time.sleep(config.remove_expired_transactional_ids_interval_ms + 1)

    def wait(self) -> None:
        def is_so() -> bool:
            self._txns.race.try_complete_actions()
            return all(self._txns.metadata_of(txn) is None for txn in self._transactions)

        wait_until(is_so, "not expired")


@pytest.fixture
def txns(tmp_path: Path) -> Iterator[Txns]:
    # The clock goes far, and nothing of the log is to go with it.
    overrides = {"log.retention.ms": "-1"}
    with Transactions(tmp_path, NUM_PARTITIONS, overrides) as transactions, Race(transactions.node) as race:
        txns = Txns(transactions, race)
        yield txns


def test_concurrent_good_path_with_concurrent_partition_loading(txns: Txns) -> None:
    """Loading takes the lock under which all else is looked up; nobody starves (KAFKA-9777)."""
    keep_running = threading.Event()

    def load() -> None:
        while not keep_running.is_set():
            txns.manager.add_loading_partition(NUM_PARTITIONS + 1, COORDINATOR_EPOCH)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        txns.race.verify_concurrent_operations(txns.create, txns.operations)
    finally:
        keep_running.set()
        thread.join()


def test_concurrent_good_path_sequence(txns: Txns) -> None:
    txns.race.verify_concurrent_operations(txns.create, txns.operations)


def test_concurrent_random_sequences(txns: Txns) -> None:
    txns.race.verify_concurrent_random_sequences(txns.create, txns.operations)


def test_concurrent_load_unload_partitions(txns: Txns) -> None:
    half = NUM_PARTITIONS // 2
    txns.race.verify_concurrent_actions(txns.load_unload_actions(range(half), range(half, NUM_PARTITIONS)))


def test_concurrent_transaction_expiration(txns: Txns) -> None:
    third = NUM_PARTITIONS // 3
    actions = txns.load_unload_actions(range(third), range(third, 2 * third))
    expiring = [txn for txn in txns.all if txns.partition_of(txn) >= 2 * third]
    # A transaction in PrepareCommit does not expire, as its markers are on their way; one that never began
    # does.
    for txn in expiring:
        metadata = txns.metadata_of(txn)
        assert metadata is not None
        metadata.state = S.Empty
    txns.race.verify_concurrent_actions([*actions, Expire(txns, expiring)])
    assert expiring


def test_concurrent_new_init_producer_id_requests(txns: Txns) -> None:
    txns.bump_producer_id = True
    for txn in txns.create("testConcurrentInitProducerID", 5 * N_TRANSACTIONS):
        txns.put_exhausted(txn)
        first, second = txns.race_of(txn, InitProducerId(txns), InitProducerId(txns))
        if first.error is second.error:
            assert first.producer_epoch != second.producer_epoch
        else:
            assert (first if first.error is Errors.NONE else second).producer_epoch == 0


def test_concurrent_init_producer_id_requests_one_new_one_continuing(txns: Txns) -> None:
    for txn in txns.create("testConcurrentInitProducerID"):
        begin = InitProducerId(txns)
        begin.run(txn)
        begin.await_and_verify(txn)
        had = begin.results[txn]
        bumped, new = txns.race_of(txn, InitProducerId(
            txns, ProducerIdAndEpoch(had.producer_id, had.producer_epoch)), InitProducerId(txns))
        epochs = [result.producer_epoch - had.producer_epoch if result.error is Errors.NONE else None
                  for result in (bumped, new)]
        # The new one is the later if both are answered well.
        assert epochs in ([1, 2], [1, None], [None, 1])


def test_concurrent_continuing_init_producer_id_requests(txns: Txns) -> None:
    for txn in txns.create("testConcurrentInitProducerID", 5 * N_TRANSACTIONS):
        had = ProducerIdAndEpoch(PRODUCER_ID, 10)
        results = txns.race_of(txn, InitProducerId(txns, had), InitProducerId(txns, had))
        assert [result.producer_epoch for result in results if result.error is Errors.NONE] == [0]


def test_concurrent_init_producer_id_requests_with_retry(txns: Txns) -> None:
    for txn in txns.create("testConcurrentInitProducerID"):
        begin = InitProducerId(txns)
        begin.run(txn)
        begin.await_and_verify(txn)
        had = ProducerIdAndEpoch(begin.results[txn].producer_id, begin.results[txn].producer_epoch)
        bump = InitProducerId(txns, had)
        bump.run(txn)
        bump.await_and_verify(txn)
        bumped_epoch = bump.results[txn].producer_epoch
        retried, new = txns.race_of(txn, InitProducerId(txns, had), InitProducerId(txns))
        # A retry gets the same response.
        assert retried.error is not Errors.NONE or retried.producer_epoch == bumped_epoch
        assert new.error is not Errors.NONE or new.producer_epoch == bumped_epoch + 1


def test_concurrent_init_producer_requests_at_pid_boundary(txns: Txns) -> None:
    txns.bump_producer_id = True
    for txn in txns.create("testConcurrentInitProducerID"):
        txns.put_exhausted(txn)
        bumped, new = txns.race_of(txn, InitProducerId(
            txns, ProducerIdAndEpoch(PRODUCER_ID, SHORT_MAX - 1)), InitProducerId(txns))
        places = [(result.producer_id, result.producer_epoch) if result.error is Errors.NONE else None
                  for result in (bumped, new)]
        first, second = (PRODUCER_ID + 1, 0), (PRODUCER_ID + 1, 1)
        assert places in ([first, second], [first, None], [None, first])


def test_concurrent_init_producer_requests_with_retry_at_pid_boundary(txns: Txns) -> None:
    txns.bump_producer_id = True
    had = ProducerIdAndEpoch(PRODUCER_ID, SHORT_MAX - 1)
    for txn in txns.create("testConcurrentInitProducerID"):
        txns.put_exhausted(txn)
        bump = InitProducerId(txns, had)
        bump.run(txn)
        bump.await_and_verify(txn)
        retried, new = txns.race_of(txn, InitProducerId(txns, had), InitProducerId(txns))
        places = [(result.producer_id, result.producer_epoch) if result.error is Errors.NONE else None
                  for result in (retried, new)]
        first, second = (PRODUCER_ID + 1, 0), (PRODUCER_ID + 1, 1)
        assert places in ([first, second], [first, None], [None, second])
