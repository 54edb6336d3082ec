# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionCoordinatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The responses to producers, and the records about their transactions. The state and its log are real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.errors import KafkaStorageException
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_coordinator import InitProducerIdResult
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from tests.core.coordinator.transaction.support import EPOCH, NO_EPOCH, PARTITIONS, TIMEOUT_MS, Transactions
from tests.stepping import held_up_by

S = TransactionState
COMMIT, ABORT = TransactionResult.COMMIT, TransactionResult.ABORT
LAST_EPOCH = 2**15 - 1
PRODUCER_ID, PRODUCER_EPOCH = 10, 1


@pytest.fixture
def txns(tmp_path: Path) -> Iterator[Transactions]:
    with Transactions(tmp_path) as transactions:
        transactions.own()
        yield transactions


def failed(error: Errors) -> InitProducerIdResult:
    return InitProducerIdResult(-1, -1, error)


def add(txns: Transactions, producer_id: int = PRODUCER_ID, epoch: int = PRODUCER_EPOCH,
        transactional_id: str | None = "txn", partitions: Any = PARTITIONS) -> Errors:
    errors: list[Errors] = []
    txns.coordinator.handle_add_partitions_to_transaction(
        transactional_id, producer_id, epoch, partitions, errors.append)
    error, = errors
    return error


def end(txns: Transactions, result: TransactionResult, producer_id: int = PRODUCER_ID,
        epoch: int = PRODUCER_EPOCH, transactional_id: str | None = "txn") -> Errors:
    errors: list[Errors] = []
    txns.coordinator.handle_end_transaction(transactional_id, producer_id, epoch, result, errors.append)
    error, = errors
    return error


@pytest.mark.deviation("D244")
def test_an_answer_that_fails_does_not_keep_the_markers_from_being_sent(txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)

    def fail(error: Errors) -> None:
        assert error is Errors.NONE
        raise MemoryError

    with pytest.raises(MemoryError):
        txns.coordinator.handle_end_transaction("txn", PRODUCER_ID, PRODUCER_EPOCH, COMMIT, fail)
    # The partition is gone, so that there are no markers to wait for.
    assert metadata.state is S.CompleteCommit


@pytest.mark.parametrize(("ask", "error"), [
    (lambda txns: end(txns, COMMIT), Errors.INVALID_PRODUCER_ID_MAPPING),
    (lambda txns: add(txns), Errors.INVALID_PRODUCER_ID_MAPPING),
    (lambda txns: txns.init(expected=(PRODUCER_ID, PRODUCER_EPOCH)).error, Errors.PRODUCER_FENCED)],
    ids=["end", "add partitions", "init producer id"])
def test_the_state_is_looked_at_under_its_lock(txns: Transactions, ask: Callable[[Transactions], Errors],
                                               error: Errors) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    with held_up_by(metadata, "lock", lambda: ask(txns)) as asking:
        # The holder of the lock may change it: the transactional id is another producer's now.
        metadata.producer_id += 1
    assert asking.result() is error


def verify(txns: Transactions, *args: Any, **kwargs: Any) -> set[Errors]:
    return set(verify_each(txns, *args, **kwargs).values())


def verify_each(txns: Transactions, producer_id: int = PRODUCER_ID, epoch: int = PRODUCER_EPOCH,
                transactional_id: str = "txn", partitions: Any = PARTITIONS) -> dict[TopicPartition, Errors]:
    results: list[AddPartitionsToTxnResponseData.AddPartitionsToTxnResult] = []
    txns.coordinator.handle_verify_partitions_in_transaction(
        transactional_id, producer_id, epoch, partitions, results.append)
    result, = results
    assert result.transactional_id == transactional_id
    errors = AddPartitionsToTxnResponse.errors_for_transaction(result.topic_results)
    assert errors.keys() == set(partitions)
    return errors


def fields_of(metadata: TransactionMetadata | None) -> tuple[object, ...]:
    """Return what is in the log of a change, but for the last producer's id, which is not."""
    assert metadata is not None
    return (metadata.producer_id, metadata.producer_epoch, metadata.last_producer_epoch,
            metadata.txn_timeout_ms, metadata.state, metadata.topic_partitions, metadata.txn_start_timestamp,
            metadata.txn_last_update_timestamp)


def loading(txns: Transactions) -> None:
    txns.manager.add_loading_partition(txns.coordinator.partition_for("txn"), 0)


# -- InitProducerId --------------------------------------------------------------------------------

def test_should_return_invalid_request_when_transactional_id_is_empty(txns: Transactions) -> None:
    for _ in range(2):
        assert txns.init("") == failed(Errors.INVALID_REQUEST)


def test_should_accept_init_pid_and_return_next_pid_when_transactional_id_is_null(txns: Transactions) -> None:
    for producer_id in range(3):
        assert txns.init(None) == InitProducerIdResult(producer_id, 0, Errors.NONE)
    # The other fields of the request do not matter.
    assert txns.init(None, -1, (77, 7)) == InitProducerIdResult(3, 0, Errors.NONE)


def test_should_init_pid_with_epoch_zero_for_new_transactional_id(txns: Transactions) -> None:
    assert txns.init() == InitProducerIdResult(0, 0, Errors.NONE)
    assert txns.states_logged() == ["Empty"]


def test_should_generate_new_producer_id_if_no_state_and_producer_id_and_epoch_provided(
        txns: Transactions) -> None:
    assert txns.init(expected=(PRODUCER_ID, PRODUCER_EPOCH)) == InitProducerIdResult(0, 0, Errors.NONE)


def test_should_generate_new_producer_id_if_epochs_exhausted(txns: Transactions) -> None:
    txns.put(epoch=LAST_EPOCH - 1, last_epoch=LAST_EPOCH - 2)
    assert txns.init() == InitProducerIdResult(0, 0, Errors.NONE)


def test_should_respond_with_not_coordinator_on_init_pid_when_not_coordinator(tmp_path: Path) -> None:
    with Transactions(tmp_path) as txns:
        assert txns.init() == failed(Errors.NOT_COORDINATOR)


def test_should_respond_with_coordinator_load_in_progress_on_init_pid_when_coordinator_loading(
        txns: Transactions) -> None:
    loading(txns)
    assert txns.init() == failed(Errors.COORDINATOR_LOAD_IN_PROGRESS)


def increment_epoch(txns: Transactions, state: TransactionState) -> None:
    metadata = txns.put(state)
    txns.time.sleep(5)
    assert txns.init(timeout_ms=10) == InitProducerIdResult(PRODUCER_ID, PRODUCER_EPOCH + 1, Errors.NONE)
    assert (metadata.txn_timeout_ms, metadata.txn_last_update_timestamp, metadata.producer_epoch,
            metadata.producer_id, metadata.state) == (
        10, txns.time.milliseconds(), PRODUCER_EPOCH + 1, PRODUCER_ID, S.Empty)


def test_should_increment_epoch_and_update_metadata_on_handle_init_pid_when_existing_empty_transaction(
        txns: Transactions) -> None:
    increment_epoch(txns, S.Empty)


def test_should_increment_epoch_and_update_metadata_on_handle_init_pid_when_existing_complete_transaction(
        txns: Transactions) -> None:
    increment_epoch(txns, S.CompleteAbort)


def test_should_increment_epoch_and_update_metadata_on_handle_init_pid_when_existing_complete_commit_transaction(  # noqa: E501
        txns: Transactions) -> None:
    increment_epoch(txns, S.CompleteCommit)


def test_should_wait_for_commit_to_complete_on_handle_init_pid_and_existing_transaction_in_prepare_commit_state(  # noqa: E501
        txns: Transactions) -> None:
    txns.put(S.PrepareCommit, partitions=PARTITIONS)
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)


def test_should_wait_for_commit_to_complete_on_handle_init_pid_and_existing_transaction_in_prepare_abort_state(  # noqa: E501
        txns: Transactions) -> None:
    txns.put(S.PrepareAbort, partitions=PARTITIONS)
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)


def test_should_abort_transaction_on_handle_init_pid_when_existing_transaction_in_ongoing_state(
        txns: Transactions) -> None:
    txns.node.create_topic("topic1")
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)
    assert (metadata.state, metadata.producer_epoch) == (S.PrepareAbort, PRODUCER_EPOCH + 1)
    (_, logged), = txns.logged()
    now = txns.time.milliseconds()
    assert fields_of(logged) == (
        PRODUCER_ID, PRODUCER_EPOCH + 1, NO_EPOCH, TIMEOUT_MS, S.PrepareAbort, PARTITIONS, now, now)
    txns.channel_manager.poll_once()
    assert txns.states_logged() == ["PrepareAbort", "CompleteAbort"]
    assert txns.init() == InitProducerIdResult(PRODUCER_ID, PRODUCER_EPOCH + 2, Errors.NONE)


def test_should_fail_to_abort_transaction_on_handle_init_pid_when_producer_epoch_is_smaller(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    prepare = metadata.prepare_fence_producer_epoch

    def another_comes_first() -> Any:
        transit = prepare()
        metadata.producer_epoch += 2
        return transit

    class Fenced(type(metadata)):  # type: ignore[misc]
        __slots__ = ()
        prepare_fence_producer_epoch = staticmethod(another_comes_first)

    metadata.__class__ = Fenced
    assert txns.init() == failed(Errors.PRODUCER_FENCED)


def test_should_not_repeatedly_bump_epoch_due_to_init_pid_during_ongoing_txn_if_append_to_log_fails(
        txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.append_error = Errors.NOT_ENOUGH_REPLICAS
    for _ in range(2):
        assert txns.init() == failed(Errors.COORDINATOR_NOT_AVAILABLE)
        assert metadata.producer_epoch == PRODUCER_EPOCH + 1
        assert metadata.has_failed_epoch_fence
    txns.append_error = None
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)
    assert metadata.producer_epoch == PRODUCER_EPOCH + 1
    assert not metadata.has_failed_epoch_fence


def test_should_use_last_epoch_to_fence_when_epochs_are_exhausted(txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, epoch=LAST_EPOCH - 1, last_epoch=LAST_EPOCH - 2, partitions=PARTITIONS)
    assert metadata.is_producer_epoch_exhausted()
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)
    assert metadata.producer_epoch == LAST_EPOCH
    (_, logged), *_ = txns.logged()
    now = txns.time.milliseconds()
    assert fields_of(logged) == (
        PRODUCER_ID, LAST_EPOCH, NO_EPOCH, TIMEOUT_MS, S.PrepareAbort, PARTITIONS, now, now)
    txns.channel_manager.poll_once()
    assert txns.init() == InitProducerIdResult(0, 0, Errors.NONE)


def test_init_producer_id_with_no_last_producer_data(txns: Transactions) -> None:
    txns.put(epoch=PRODUCER_EPOCH + 1)
    assert txns.init(expected=(PRODUCER_ID, PRODUCER_EPOCH)) == failed(Errors.PRODUCER_FENCED)


def test_fence_producer_when_mapping_exists_with_different_producer_id(txns: Transactions) -> None:
    txns.put(producer_id=PRODUCER_ID + 1, last_epoch=PRODUCER_EPOCH - 1, last_producer_id=PRODUCER_ID)
    assert txns.init(expected=(PRODUCER_ID, PRODUCER_EPOCH)) == failed(Errors.PRODUCER_FENCED)


def test_init_producer_id_with_current_epoch_provided(txns: Transactions) -> None:
    txns.put(epoch=10, last_epoch=9)
    # The second time it asks again, because the answer was lost.
    for _ in range(2):
        assert txns.init(expected=(PRODUCER_ID, 10)) == InitProducerIdResult(PRODUCER_ID, 11, Errors.NONE)


def test_init_producer_id_stale_current_epoch_provided(txns: Transactions) -> None:
    txns.put(epoch=10, last_epoch=9)
    assert txns.init() == InitProducerIdResult(PRODUCER_ID, 11, Errors.NONE)
    assert txns.init(expected=(PRODUCER_ID, 10)) == failed(Errors.PRODUCER_FENCED)


def test_retry_init_producer_id_after_producer_id_rotation(txns: Transactions) -> None:
    txns.put(epoch=LAST_EPOCH - 1, last_epoch=LAST_EPOCH - 2)
    for _ in range(2):
        assert txns.init(expected=(PRODUCER_ID, LAST_EPOCH - 1)) == InitProducerIdResult(0, 0, Errors.NONE)


def test_init_producer_id_with_invalid_epoch_after_producer_id_rotation(txns: Transactions) -> None:
    txns.put(epoch=LAST_EPOCH - 1, last_epoch=LAST_EPOCH - 2)
    assert txns.init(expected=(PRODUCER_ID, LAST_EPOCH - 1)) == InitProducerIdResult(0, 0, Errors.NONE)
    assert txns.init(expected=(PRODUCER_ID, LAST_EPOCH - 2)) == failed(Errors.PRODUCER_FENCED)


def test_should_not_bump_epoch_with_pending_transaction(txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    metadata.prepare_abort_or_commit(S.PrepareCommit, txns.time.milliseconds())
    assert txns.init(expected=(PRODUCER_ID, 10)) == failed(Errors.CONCURRENT_TRANSACTIONS)


# -- AddPartitionsToTxn ----------------------------------------------------------------------------

def test_should_respond_with_invalid_pid_mapping_on_add_partitions_to_transaction_when_transactional_id_not_present(  # noqa: E501
        txns: Transactions) -> None:
    assert add(txns) is Errors.INVALID_PRODUCER_ID_MAPPING


def test_should_respond_with_invalid_request_add_partitions_to_transaction_when_transactional_id_is_empty(
        txns: Transactions) -> None:
    assert add(txns, transactional_id="") is Errors.INVALID_REQUEST


def test_should_respond_with_invalid_request_add_partitions_to_transaction_when_transactional_id_is_null(
        txns: Transactions) -> None:
    assert add(txns, transactional_id=None) is Errors.INVALID_REQUEST


def test_should_respond_with_not_coordinator_on_add_partitions_when_not_coordinator(tmp_path: Path) -> None:
    with Transactions(tmp_path) as txns:
        assert add(txns) is Errors.NOT_COORDINATOR


def test_should_respond_with_coordinator_load_in_progress_on_add_partitions_when_coordinator_loading(
        txns: Transactions) -> None:
    loading(txns)
    assert add(txns) is Errors.COORDINATOR_LOAD_IN_PROGRESS


def test_verify_partition_handling(txns: Transactions) -> None:
    metadata = txns.put(S.PrepareCommit, partitions=PARTITIONS)
    assert verify(txns, PRODUCER_ID + 1) == {Errors.INVALID_PRODUCER_ID_MAPPING}
    assert verify(txns, epoch=PRODUCER_EPOCH + 1) == {Errors.PRODUCER_FENCED}
    assert verify(txns) == {Errors.CONCURRENT_TRANSACTIONS}
    metadata.state = S.Ongoing
    metadata.topic_partitions.clear()
    # A pending state does not count.
    metadata.pending_state = S.CompleteCommit
    assert verify(txns) == {Errors.TRANSACTION_ABORTABLE}
    assert verify(txns, transactional_id="nobody") == {Errors.INVALID_PRODUCER_ID_MAPPING}
    assert verify(txns, transactional_id="") == {Errors.INVALID_REQUEST}
    loading(txns)
    assert verify(txns) == {Errors.COORDINATOR_LOAD_IN_PROGRESS}
    assert not txns.appended


def concurrent_transactions(txns: Transactions, state: TransactionState) -> None:
    txns.put(state)
    assert add(txns) is Errors.CONCURRENT_TRANSACTIONS


def test_should_respond_with_concurrent_transactions_on_add_partitions_when_state_is_prepare_commit(
        txns: Transactions) -> None:
    concurrent_transactions(txns, S.PrepareCommit)


def test_should_respond_with_concurrent_transaction_on_add_partitions_when_state_is_prepare_abort(
        txns: Transactions) -> None:
    concurrent_transactions(txns, S.PrepareAbort)


def test_should_respond_with_producer_fenced_on_add_partitions_when_epochs_are_different(
        txns: Transactions) -> None:
    txns.put(S.PrepareCommit, epoch=10, last_epoch=9)
    assert add(txns, epoch=0) is Errors.PRODUCER_FENCED


def successful_add(txns: Transactions, state: TransactionState) -> None:
    metadata = txns.put(state)
    assert add(txns) is Errors.NONE
    assert txns.states_logged() == ["Ongoing"]
    assert (metadata.state, metadata.topic_partitions) == (S.Ongoing, PARTITIONS)


def test_should_append_new_metadata_to_log_on_add_partitions_when_partitions_added(
        txns: Transactions) -> None:
    successful_add(txns, S.Empty)


def test_should_respond_with_success_on_add_partitions_when_state_is_ongoing(txns: Transactions) -> None:
    successful_add(txns, S.Ongoing)


def test_should_respond_with_success_on_add_partitions_when_state_is_complete_commit(
        txns: Transactions) -> None:
    successful_add(txns, S.CompleteCommit)


def test_should_respond_with_success_on_add_partitions_when_state_is_complete_abort(
        txns: Transactions) -> None:
    successful_add(txns, S.CompleteAbort)


def test_should_respond_with_errors_none_on_add_partition_when_no_errors_and_partitions_the_same(
        txns: Transactions) -> None:
    txns.put(S.Ongoing, partitions=PARTITIONS)
    assert add(txns) is Errors.NONE
    assert not txns.appended


def test_should_respond_with_errors_none_on_add_partition_when_ongoing_verify_only_and_partitions_the_same(
        txns: Transactions) -> None:
    txns.put(S.Ongoing, partitions=PARTITIONS)
    assert verify(txns) == {Errors.NONE}


def test_should_respond_with_invalid_txn_state_when_verify_only_and_partition_not_present(
        txns: Transactions) -> None:
    txns.put(S.Empty, partitions=PARTITIONS)
    assert verify_each(txns, partitions={*PARTITIONS, TopicPartition("topic2", 0)}) == {
        TopicPartition("topic1", 0): Errors.NONE, TopicPartition("topic2", 0): Errors.TRANSACTION_ABORTABLE}
    assert not txns.appended


# -- EndTxn ----------------------------------------------------------------------------------------

def test_should_reply_with_invalid_pid_mapping_on_end_txn_when_txn_id_doesnt_exist(
        txns: Transactions) -> None:
    assert end(txns, COMMIT) is Errors.INVALID_PRODUCER_ID_MAPPING


def test_should_reply_with_invalid_pid_mapping_on_end_txn_when_pid_dosent_match_mapped(
        txns: Transactions) -> None:
    txns.put(S.Ongoing)
    assert end(txns, COMMIT, PRODUCER_ID + 1) is Errors.INVALID_PRODUCER_ID_MAPPING


def test_should_reply_with_producer_fenced_on_end_txn_when_epoch_is_not_same_as_transaction(
        txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, last_epoch=PRODUCER_EPOCH - 1)
    for epoch in (PRODUCER_EPOCH - 1, PRODUCER_EPOCH + 1):
        assert end(txns, COMMIT, epoch=epoch) is Errors.PRODUCER_FENCED
    assert (metadata.state, metadata.pending_state) == (S.Ongoing, None)
    assert not txns.appended


def end_in_state(txns: Transactions, monkeypatch: pytest.MonkeyPatch, state: TransactionState,
                 result: TransactionResult) -> Errors:
    """End a transaction in a state; its state is looked up once, and nothing is appended."""
    txns.put(state)
    get_transaction_state = Mock(wraps=txns.manager.get_transaction_state)
    with monkeypatch.context() as patch:
        patch.setattr(txns.manager, "get_transaction_state", get_transaction_state)
        error = end(txns, result)
    get_transaction_state.assert_called_once_with("txn")
    assert not txns.appended
    return error


def test_should_return_ok_on_end_txn_when_status_is_complete_commit_and_result_is_commit(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.CompleteCommit, COMMIT) is Errors.NONE


def test_should_return_ok_on_end_txn_when_status_is_complete_abort_and_result_is_abort(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.CompleteAbort, ABORT) is Errors.NONE


def test_should_return_invalid_txn_request_on_end_txn_request_when_status_is_complete_abort_and_result_is_not_abort(  # noqa: E501
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.CompleteAbort, COMMIT) is Errors.INVALID_TXN_STATE


def test_should_return_invalid_txn_request_on_end_txn_request_when_status_is_complete_commit_and_result_is_not_commit(  # noqa: E501
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.CompleteCommit, ABORT) is Errors.INVALID_TXN_STATE


def test_should_return_concurrent_txn_request_on_end_txn_request_when_status_is_prepare_commit(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.PrepareCommit, COMMIT) is Errors.CONCURRENT_TRANSACTIONS


def test_should_return_invalid_txn_request_on_end_txn_request_when_status_is_prepare_abort(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_in_state(txns, monkeypatch, S.PrepareAbort, COMMIT) is Errors.INVALID_TXN_STATE


@pytest.mark.parametrize(("state", "result", "error"), [
    (S.PrepareCommit, ABORT, Errors.INVALID_TXN_STATE),
    (S.PrepareAbort, ABORT, Errors.CONCURRENT_TRANSACTIONS),
    (S.Empty, COMMIT, Errors.INVALID_TXN_STATE),
    (S.Empty, ABORT, Errors.INVALID_TXN_STATE),
], ids=str)
def test_end_txn_in_other_states_that_are_not_ongoing(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch, state: TransactionState,
        result: TransactionResult, error: Errors) -> None:
    assert end_in_state(txns, monkeypatch, state, result) is error


@pytest.mark.parametrize("state", [S.Dead, S.PrepareEpochFence])
def test_states_that_nothing_is_in(txns: Transactions, state: TransactionState) -> None:
    txns.put(state)
    for ask in (lambda: end(txns, ABORT), txns.init):
        with pytest.raises(RuntimeError):
            ask()


def test_should_append_prepare_commit_to_log_on_end_txn_when_status_is_ongoing_and_result_is_commit(
        txns: Transactions) -> None:
    txns.put(S.Ongoing, partitions=PARTITIONS)
    assert end(txns, COMMIT) is Errors.NONE
    check_prepared(txns, S.PrepareCommit)


def test_should_append_prepare_abort_to_log_on_end_txn_when_status_is_ongoing_and_result_is_abort(
        txns: Transactions) -> None:
    txns.put(S.Ongoing, partitions=PARTITIONS)
    assert end(txns, ABORT) is Errors.NONE
    check_prepared(txns, S.PrepareAbort)


def check_prepared(txns: Transactions, state: TransactionState) -> None:
    (_, logged), *_ = txns.logged()
    now = txns.time.milliseconds()
    assert fields_of(logged) == (
        PRODUCER_ID, PRODUCER_EPOCH, NO_EPOCH, TIMEOUT_MS, state, PARTITIONS, now, now)


def test_should_respond_with_invalid_request_on_end_txn_when_transactional_id_is_null(
        txns: Transactions) -> None:
    assert end(txns, COMMIT, transactional_id=None) is Errors.INVALID_REQUEST


def test_should_respond_with_invalid_request_on_end_txn_when_transactional_id_is_empty(
        txns: Transactions) -> None:
    assert end(txns, COMMIT, transactional_id="") is Errors.INVALID_REQUEST


def test_should_respond_with_not_coordinator_on_end_txn_when_is_not_coordinator_for_id(
        tmp_path: Path) -> None:
    with Transactions(tmp_path) as txns:
        assert end(txns, COMMIT) is Errors.NOT_COORDINATOR


def test_should_respond_with_coordinator_load_in_progress_on_end_txn_when_coordinator_is_loading(
        txns: Transactions) -> None:
    loading(txns)
    assert end(txns, COMMIT) is Errors.COORDINATOR_LOAD_IN_PROGRESS


def test_should_return_invalid_epoch_on_end_txn_when_epoch_is_larger(txns: Transactions) -> None:
    txns.put(S.CompleteCommit)
    assert end(txns, COMMIT, epoch=PRODUCER_EPOCH + 1) is Errors.PRODUCER_FENCED


def test_should_return_invalid_epoch_on_end_txn_when_epoch_is_smaller(txns: Transactions) -> None:
    txns.put(S.CompleteCommit)
    assert end(txns, COMMIT, epoch=PRODUCER_EPOCH - 1) is Errors.PRODUCER_FENCED


def test_an_end_that_is_not_in_the_log(txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.append_error = Errors.KAFKA_STORAGE_ERROR
    assert end(txns, COMMIT) is Errors.NOT_COORDINATOR
    assert (metadata.state, metadata.pending_state, metadata.has_failed_epoch_fence) == (
        S.Ongoing, None, False)


def test_an_end_after_which_the_coordinator_has_another_epoch(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    append = txns.manager.append_transaction_to_log

    def append_and_elect(transactional_id: str, epoch: int, transit: Any, callback: Any,
                         **options: Any) -> None:
        def after_an_election(error: Errors) -> None:
            entry = txns.manager.transaction_metadata_cache[txns.manager.partition_for("txn")]
            txns.manager.add_loaded_transactions_to_cache(
                txns.manager.partition_for("txn"), EPOCH + 1, entry.metadata_per_transactional_id)
            callback(error)

        append(transactional_id, epoch, transit, after_an_election, **options)

    monkeypatch.setattr(txns.manager, "append_transaction_to_log", append_and_elect)
    assert end(txns, COMMIT) is Errors.NOT_COORDINATOR
    assert metadata.state is S.PrepareCommit
    assert txns.channel_manager.num_txns_with_pending_markers() == 0


# -- partitions that come and go -------------------------------------------------------------------

def test_should_remove_transactions_for_partition_on_emigration(txns: Transactions) -> None:
    txns.node.create_topic("topic1")
    txns.put(S.Ongoing, partitions=PARTITIONS)
    assert end(txns, COMMIT) is Errors.NONE
    assert txns.channel_manager.num_txns_with_pending_markers() == 1
    txns.coordinator.on_resignation(txns.coordinator.partition_for("txn"), 0)
    assert txns.init() == failed(Errors.NOT_COORDINATOR)
    assert txns.channel_manager.num_txns_with_pending_markers() == 0


# -- time-outs -------------------------------------------------------------------------------------

def test_should_abort_expired_transactions_in_ongoing_state_and_bump_epoch(txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    start = txns.time.milliseconds()
    txns.scheduler.tick(9_999)
    assert metadata.state is S.Ongoing
    txns.scheduler.tick(1)
    (_, logged), *_ = txns.logged()
    assert fields_of(logged) == (PRODUCER_ID, PRODUCER_EPOCH + 1, NO_EPOCH, TIMEOUT_MS, S.PrepareAbort,
                                 PARTITIONS, start, start + 10_000)
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteAbort
    # Its producer has been replaced.
    assert end(txns, COMMIT) is Errors.PRODUCER_FENCED
    assert add(txns) is Errors.PRODUCER_FENCED


def test_should_not_accept_smaller_epoch_during_transaction_expiration(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.time.sleep(TIMEOUT_MS + 1)
    end_transaction = txns.coordinator._end_transaction

    def another_comes_first(*args: Any) -> None:
        metadata.producer_epoch += 2
        end_transaction(*args)

    monkeypatch.setattr(txns.coordinator, "_end_transaction", another_comes_first)
    errors: list[Errors] = []
    txns.coordinator.abort_timed_out_transactions(lambda _txn, error: errors.append(error))
    assert errors == [Errors.PRODUCER_FENCED]


def test_should_not_abort_expired_transactions_that_have_a_pending_state_transition(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.time.sleep(TIMEOUT_MS + 1)
    timed_out = txns.manager.timed_out_transactions()
    assert [txn.transactional_id for txn in timed_out] == ["txn"]
    metadata.prepare_abort_or_commit(S.PrepareCommit, txns.time.milliseconds())
    assert txns.manager.timed_out_transactions() == []
    monkeypatch.setattr(txns.manager, "timed_out_transactions", lambda: timed_out)
    txns.coordinator.abort_timed_out_transactions(lambda _txn, error: pytest.fail(str(error)))
    assert not txns.appended


def test_should_not_bump_epoch_when_aborting_expired_transaction_if_append_to_log_fails(
        txns: Transactions) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.append_error = Errors.NOT_ENOUGH_REPLICAS
    start = txns.time.milliseconds()
    for attempt in (1, 2, 3):
        txns.scheduler.tick(10_000)
        assert metadata.producer_epoch == PRODUCER_EPOCH + 1
        assert metadata.has_failed_epoch_fence
        assert (metadata.state, metadata.pending_state) == (S.Ongoing, None)
        assert [fields_of(logged) for _, logged in txns.logged()] == [
            (PRODUCER_ID, PRODUCER_EPOCH + 1, NO_EPOCH, TIMEOUT_MS, S.PrepareAbort, PARTITIONS, start,
             start + 10_000 * number) for number in range(1, attempt + 1)]


def test_what_is_gone_when_it_is_to_be_aborted(txns: Transactions, monkeypatch: pytest.MonkeyPatch,
                                               caplog: pytest.LogCaptureFixture) -> None:
    metadata = txns.put(S.Ongoing, partitions=PARTITIONS)
    txns.time.sleep(TIMEOUT_MS + 1)
    timed_out = txns.manager.timed_out_transactions()
    monkeypatch.setattr(txns.manager, "timed_out_transactions", lambda: timed_out)
    metadata.producer_id += 1
    txns.coordinator.abort_timed_out_transactions(lambda _txn, error: pytest.fail(str(error)))
    txns.own()
    txns.coordinator.abort_timed_out_transactions(lambda _txn, error: pytest.fail(str(error)))
    txns.coordinator.on_resignation(txns.coordinator.partition_for("txn"), None)
    txns.coordinator.abort_timed_out_transactions(lambda _txn, error: pytest.fail(str(error)))
    assert [record.levelname for record in caplog.records if "txn" in record.message].count("ERROR") == 2


# -- DescribeTransactions, ListTransactions --------------------------------------------------------

def test_describe_transactions_with_empty_transactional_id(txns: Transactions) -> None:
    result = txns.coordinator.handle_describe_transactions("")
    assert (result.transactional_id, Errors.for_code(result.error_code)) == ("", Errors.INVALID_REQUEST)
    with pytest.raises(ValueError):
        txns.coordinator.handle_describe_transactions(None)


def test_describe_transactions_with_expiring_transactional_id(txns: Transactions) -> None:
    txns.put(S.Dead)
    for transactional_id in ("txn", "nobody"):
        result = txns.coordinator.handle_describe_transactions(transactional_id)
        assert result.transactional_id == transactional_id
        assert Errors.for_code(result.error_code) is Errors.TRANSACTIONAL_ID_NOT_FOUND


def test_describe_transactions_while_coordinator_loading(txns: Transactions) -> None:
    loading(txns)
    result = txns.coordinator.handle_describe_transactions("txn")
    assert (result.transactional_id, Errors.for_code(result.error_code)) == (
        "txn", Errors.COORDINATOR_LOAD_IN_PROGRESS)


def test_describe_transactions(txns: Transactions) -> None:
    txns.put(S.Ongoing, partitions=PARTITIONS)
    result = txns.coordinator.handle_describe_transactions("txn")
    assert (Errors.for_code(result.error_code), result.transactional_id, result.producer_id,
            result.producer_epoch, result.transaction_timeout_ms, result.transaction_state,
            result.transaction_start_time_ms) == (
        Errors.NONE, "txn", PRODUCER_ID, PRODUCER_EPOCH, TIMEOUT_MS, "Ongoing", txns.time.milliseconds())
    assert {TopicPartition(topic.topic, partition)
            for topic in result.topics for partition in topic.partitions} == PARTITIONS


def test_who_is_not_active(txns: Transactions) -> None:
    txns.coordinator._is_active = False
    for answer in (txns.coordinator.handle_describe_transactions("txn"),
                   txns.coordinator.handle_list_transactions((), ())):
        assert Errors.for_code(answer.error_code) is Errors.COORDINATOR_NOT_AVAILABLE


# -- not in Kafka's test ---------------------------------------------------------------------------

@pytest.mark.parametrize("timeout_ms", [900_001, 0, -1])
def test_a_timeout_that_is_not_allowed(txns: Transactions, timeout_ms: int) -> None:
    assert txns.init("t", timeout_ms) == failed(Errors.INVALID_TRANSACTION_TIMEOUT)
    assert txns.init("", timeout_ms).error is Errors.INVALID_REQUEST


@pytest.mark.parametrize(("exception", "error"), [
    (KafkaStorageException("full"), Errors.KAFKA_STORAGE_ERROR),
    (ValueError("no"), Errors.UNKNOWN_SERVER_ERROR)])
def test_no_id_can_be_had(txns: Transactions, monkeypatch: pytest.MonkeyPatch, exception: Exception,
                          error: Errors, caplog: pytest.LogCaptureFixture) -> None:
    def generate() -> int:
        raise exception

    monkeypatch.setattr(txns.coordinator, "_generate_producer_id", generate)
    assert txns.init(None) == failed(error)
    assert txns.init() == failed(error)
    txns.put(epoch=LAST_EPOCH - 1)
    assert txns.init() == failed(error)
    assert [record.message for record in caplog.records] == [
        "[TransactionCoordinator id=1] cannot generate a producer id"] * 3


def test_a_commit_from_begin_to_end(txns: Transactions) -> None:
    txns.node.create_topic("topic1")
    producer_id = txns.init().producer_id
    assert add(txns, producer_id, 0) is Errors.NONE
    assert end(txns, COMMIT, producer_id, 0) is Errors.NONE
    # The marker is still to be written.
    assert end(txns, COMMIT, producer_id, 0) is Errors.CONCURRENT_TRANSACTIONS
    assert add(txns, producer_id, 0) is Errors.CONCURRENT_TRANSACTIONS
    assert txns.init() == failed(Errors.CONCURRENT_TRANSACTIONS)
    txns.channel_manager.poll_once()
    assert end(txns, COMMIT, producer_id, 0) is Errors.NONE
    assert end(txns, ABORT, producer_id, 0) is Errors.INVALID_TXN_STATE
    assert txns.states_logged() == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
    marker, = txns.appended[TopicPartition("topic1", 0)]
    batch, = marker.batches()
    assert batch.is_control_batch() and batch.producer_id() == producer_id
