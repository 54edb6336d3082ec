# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandlerTest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The response to markers; mocks stand in for the state manager and the channel manager.

D138: the handler gets the response without a ClientResponse around it, None for a disconnection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import Mock, call

import pytest

from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_marker_channel_manager import (
    PendingCompleteTxn,
    PendingCompleteTxnAndMarkerEntry,
    TransactionMarkerChannelManager,
    TxnMarkerEntry,
)
from kreactor.core.coordinator.transaction.transaction_marker_request_completion_handler import (
    TransactionMarkerRequestCompletionHandler,
)
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.coordinator.transaction.transaction_state_manager import (
    CoordinatorEpochAndTxnMetadata,
    TransactionStateManager,
)
from kreactor.jdk.exceptions import IllegalStateException

BROKER_ID = 0
TXN_TOPIC_PARTITION = 0
TRANSACTIONAL_ID = "txnId1"
PRODUCER_ID, PRODUCER_EPOCH = 0, 0
COORDINATOR_EPOCH = 0
TXN_RESULT = TransactionResult.COMMIT
TOPIC_PARTITION = TopicPartition("topic1", 0)


class Fixture:
    """A handler of one transaction with one partition."""

    def __init__(self) -> None:
        self.txn_metadata = TransactionMetadata(
            TRANSACTIONAL_ID, PRODUCER_ID, PRODUCER_ID, PRODUCER_EPOCH, RecordBatch.NO_PRODUCER_EPOCH, 0,
            TransactionState.PrepareCommit, {TOPIC_PARTITION}, 0, txn_last_update_timestamp=0)
        self.pending_complete_txn = PendingCompleteTxn(
            TRANSACTIONAL_ID, COORDINATOR_EPOCH, self.txn_metadata, self.txn_metadata.prepare_complete(42))
        self.marker_channel_manager = Mock(spec=TransactionMarkerChannelManager)
        self.txn_state_manager = Mock(spec=TransactionStateManager)
        self.handler = TransactionMarkerRequestCompletionHandler(
            BROKER_ID, self.txn_state_manager, self.marker_channel_manager,
            [PendingCompleteTxnAndMarkerEntry(self.pending_complete_txn, TxnMarkerEntry(
                PRODUCER_ID, PRODUCER_EPOCH, COORDINATOR_EPOCH, TXN_RESULT, (TOPIC_PARTITION,)))])

    def mock_state(self, state: Any) -> None:
        def get_transaction_state(transactional_id: str) -> Any:
            assert transactional_id == TRANSACTIONAL_ID
            return state
        self.txn_state_manager.get_transaction_state.side_effect = get_transaction_state

    def mock_cache(self) -> None:
        self.txn_state_manager.partition_for.return_value = TXN_TOPIC_PARTITION
        self.mock_state(CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH, self.txn_metadata))

    def complete(self, error: Errors) -> None:
        self.handler.on_complete(WriteTxnMarkersResponse.of({PRODUCER_ID: {TOPIC_PARTITION: error}}))

    def verify_enqueued(self) -> None:
        """``is_retry`` is what D138 adds: the next attempt comes after a pause."""
        assert self.marker_channel_manager.add_txn_markers_to_broker_queue.call_args_list == [call(
            PRODUCER_ID, PRODUCER_EPOCH, TXN_RESULT, self.pending_complete_txn, {TOPIC_PARTITION},
            is_retry=True)]

    def verify_retries_partition_on_error(self, error: Errors) -> None:
        self.mock_cache()
        self.complete(error)
        assert self.txn_metadata.topic_partitions == {TOPIC_PARTITION}
        self.verify_enqueued()

    def verify_throw_illegal_state_exception_on_error(self, error: Errors) -> None:
        self.mock_cache()
        with pytest.raises(IllegalStateException):
            self.complete(error)

    def verify_complete_delayed_operation_on_error(self, error: Errors) -> None:
        completed: list[str] = []
        self.marker_channel_manager.maybe_write_txn_completion.side_effect = completed.append
        self.complete(error)
        assert not self.txn_metadata.topic_partitions
        assert completed == [TRANSACTIONAL_ID]

    def verify_remove_delayed_operation_on_error(self, error: Errors) -> None:
        removed: list[PendingCompleteTxn] = []
        remove: Callable[[PendingCompleteTxn], None] = removed.append
        self.marker_channel_manager.remove_markers_for_txn.side_effect = remove
        self.complete(error)
        assert removed == [self.pending_complete_txn]


@pytest.fixture
def fixture() -> Fixture:
    return Fixture()


def test_should_re_enqueue_partitions_when_broker_disconnected(fixture: Fixture) -> None:
    fixture.mock_cache()
    fixture.handler.on_complete(None)
    fixture.verify_enqueued()


def test_should_throw_illegal_state_exception_if_error_code_not_available_for_pid(fixture: Fixture) -> None:
    fixture.mock_cache()
    with pytest.raises(IllegalStateException):
        fixture.handler.on_complete(WriteTxnMarkersResponse.of({}))


def test_should_complete_delayed_operation_when_no_errors(fixture: Fixture) -> None:
    fixture.mock_cache()
    fixture.verify_complete_delayed_operation_on_error(Errors.NONE)


def test_should_complete_delayed_operation_when_not_coordinator(fixture: Fixture) -> None:
    fixture.mock_state(Errors.NOT_COORDINATOR)
    fixture.verify_remove_delayed_operation_on_error(Errors.NONE)


def test_should_complete_delayed_operation_when_coordinator_loading(fixture: Fixture) -> None:
    fixture.mock_state(Errors.COORDINATOR_LOAD_IN_PROGRESS)
    fixture.verify_remove_delayed_operation_on_error(Errors.NONE)


def test_should_complete_delayed_operation_when_coordinator_epoch_changed(fixture: Fixture) -> None:
    fixture.mock_state(CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH + 1, fixture.txn_metadata))
    fixture.verify_remove_delayed_operation_on_error(Errors.NONE)


def test_should_complete_delayed_operation_when_invalid_producer_epoch(fixture: Fixture) -> None:
    fixture.mock_cache()
    fixture.verify_remove_delayed_operation_on_error(Errors.INVALID_PRODUCER_EPOCH)


def test_should_complete_delayed_operation_when_coordinator_epoch_fenced(fixture: Fixture) -> None:
    fixture.mock_cache()
    fixture.verify_remove_delayed_operation_on_error(Errors.TRANSACTION_COORDINATOR_FENCED)


def test_should_throw_illegal_state_exception_when_unknown_error(fixture: Fixture) -> None:
    fixture.verify_throw_illegal_state_exception_on_error(Errors.UNKNOWN_SERVER_ERROR)


def test_should_throw_illegal_state_exception_when_corrupt_message_error(fixture: Fixture) -> None:
    fixture.verify_throw_illegal_state_exception_on_error(Errors.CORRUPT_MESSAGE)


def test_should_throw_illegal_state_exception_when_message_too_large_error(fixture: Fixture) -> None:
    fixture.verify_throw_illegal_state_exception_on_error(Errors.MESSAGE_TOO_LARGE)


def test_should_throw_illegal_state_exception_when_record_list_too_large_error(fixture: Fixture) -> None:
    fixture.verify_throw_illegal_state_exception_on_error(Errors.RECORD_LIST_TOO_LARGE)


def test_should_throw_illegal_state_exception_when_invalid_required_acks_error(fixture: Fixture) -> None:
    fixture.verify_throw_illegal_state_exception_on_error(Errors.INVALID_REQUIRED_ACKS)


def test_should_retry_partition_when_unknown_topic_or_partition_error(fixture: Fixture) -> None:
    fixture.verify_retries_partition_on_error(Errors.UNKNOWN_TOPIC_OR_PARTITION)


def test_should_retry_partition_when_not_leader_or_follower_error(fixture: Fixture) -> None:
    fixture.verify_retries_partition_on_error(Errors.NOT_LEADER_OR_FOLLOWER)


def test_should_retry_partition_when_not_enough_replicas_error(fixture: Fixture) -> None:
    fixture.verify_retries_partition_on_error(Errors.NOT_ENOUGH_REPLICAS)


def test_should_retry_partition_when_not_enough_replicas_after_append_error(fixture: Fixture) -> None:
    fixture.verify_retries_partition_on_error(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND)


def test_should_retry_partition_when_kafka_storage_error(fixture: Fixture) -> None:
    fixture.verify_retries_partition_on_error(Errors.KAFKA_STORAGE_ERROR)


def test_should_remove_topic_partition_from_waiting_set_on_unsupported_for_message_format(
        fixture: Fixture) -> None:
    fixture.mock_cache()
    fixture.verify_complete_delayed_operation_on_error(Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT)
