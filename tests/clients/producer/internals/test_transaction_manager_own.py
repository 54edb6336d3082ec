# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A transaction manager without a Sender: its states, its threads, the order of its requests."""

from __future__ import annotations

import threading
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.common.errors import InvalidProducerEpochException, ProducerFencedException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException

State = TransactionManager.State

# The states that may follow on each; FATAL_ERROR may on any.
NEXT = {
    State.UNINITIALIZED: {State.INITIALIZING},
    State.INITIALIZING: {State.READY, State.ABORTABLE_ERROR},
    State.READY: {State.UNINITIALIZED, State.IN_TRANSACTION},
    State.IN_TRANSACTION: {State.COMMITTING_TRANSACTION, State.ABORTING_TRANSACTION, State.ABORTABLE_ERROR},
    State.COMMITTING_TRANSACTION: {State.READY, State.ABORTABLE_ERROR},
    State.ABORTING_TRANSACTION: {State.INITIALIZING, State.READY},
    State.ABORTABLE_ERROR: {State.UNINITIALIZED, State.ABORTING_TRANSACTION, State.ABORTABLE_ERROR},
    State.FATAL_ERROR: set(),
}
NODE = Node(0, "localhost", 9092)


@pytest.fixture
def manager() -> TransactionManager:
    return TransactionManager(LogContext(), "id", 60000, 100, ApiVersions())


def answer(manager: TransactionManager, handler: TransactionManager.TxnRequestHandler,
           body: AbstractResponse | None, correlation_id: int = 1, disconnected: bool = False) -> None:
    """Let the request of a handler be in flight, and have this response."""
    manager.set_in_flight_correlation_id(1)
    builder = handler.request_builder()
    version = builder.latest_allowed_version()
    header = RequestHeader.of(builder.api_key(), version, "client", correlation_id)
    handler.on_complete(ClientResponse(header, handler, "0", 0, 0, disconnected, None, None, body))


def next_of(manager: TransactionManager) -> TransactionManager.TxnRequestHandler:
    handler = manager.next_request(False)
    assert handler is not None
    return handler


def begin_transaction(manager: TransactionManager) -> None:
    """Get a producer id, and begin a transaction."""
    result = manager.initialize_transactions()
    answer(manager, next_of(manager), InitProducerIdResponse(InitProducerIdResponseData(
        producer_id=7, producer_epoch=0)))
    result.await_()
    manager.begin_transaction()


@pytest.mark.parametrize("source", list(State))
@pytest.mark.parametrize("target", list(State))
def test_each_state_has_its_followers(manager, source, target):
    manager._current_state = source
    error = KafkaException() if target in (State.ABORTABLE_ERROR, State.FATAL_ERROR) else None
    if target in NEXT[source] or target is State.FATAL_ERROR:
        manager._transition_to_error(target, error)
        assert (manager._current_state, manager.last_error()) == (target, error)
    else:
        with pytest.raises(IllegalStateException, match=(
                f"^TransactionalId id: Invalid transition attempted from state {source} to state {target}$")):
            manager._transition_to_error(target, error)
        assert manager._current_state is source


def test_a_state_of_error_needs_an_error(manager):
    with pytest.raises(IllegalArgumentException,
                       match="^Cannot transition to FATAL_ERROR with a null exception$"):
        manager._transition_to(State.FATAL_ERROR)


def test_only_the_thread_that_poisons_does_so(manager):
    def background() -> None:
        manager.set_poison_state_on_invalid_transition(True)
        poisoned.set()
        tried.wait()
        with pytest.raises(IllegalStateException):
            manager.transition_to_abortable_error(KafkaException())
        raised.append(True)

    poisoned, tried, raised = threading.Event(), threading.Event(), []
    thread = threading.Thread(target=background)
    thread.start()
    poisoned.wait()
    with pytest.raises(IllegalStateException):
        manager.begin_abort()
    fatal_after_foreground = manager.has_fatal_error()
    tried.set()
    thread.join()
    assert (fatal_after_foreground, raised, manager.has_fatal_error()) == (False, [True], True)
    with pytest.raises(IllegalStateException, match="because of previous invalid state") as e:
        manager.begin_transaction()
    assert e.value.__cause__ is manager.last_error()


def test_a_thread_waits_for_the_one_that_has_the_lock(manager):
    begin_transaction(manager)
    added: list[bool] = []

    def send() -> None:
        manager.maybe_add_partition(TopicPartition("topic", 0))
        added.append(True)

    with manager._lock:
        thread = threading.Thread(target=send)
        thread.start()
        # The lock is reentrant.
        assert not manager.has_partitions_to_add()
        assert added == []
    thread.join()
    assert (added, manager.has_partitions_to_add()) == ([True], True)


def test_requests_go_by_priority_and_the_end_waits_for_the_batches(manager):
    begin_transaction(manager)
    manager.maybe_add_partition(TopicPartition("topic", 0))
    manager.begin_commit()
    manager._lookup_coordinator_type(FindCoordinatorRequest.CoordinatorType.GROUP, "group")
    handlers = [next_of(manager), next_of(manager)]
    assert [type(handler).__name__ for handler in handlers] == [
        "FindCoordinatorHandler", "AddPartitionsToTxnHandler"]
    answer(manager, handlers[0], FindCoordinatorResponse.prepare_response(Errors.NONE, "group", NODE))
    assert manager.coordinator(FindCoordinatorRequest.CoordinatorType.GROUP) == NODE
    result = AddPartitionsToTxnResponse.result_for_transaction("", {TopicPartition("topic", 0): Errors.NONE})
    answer(manager, handlers[1], AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(
        results_by_topic_v3_and_below=result.topic_results)))
    assert manager.next_request(True) is None
    assert next_of(manager).is_end_txn()


def test_partitions_are_asked_for_as_they_came(manager):
    begin_transaction(manager)
    partitions = [TopicPartition(f"topic{number}", 0) for number in (7, 3, 9, 1, 5, 8)]
    for partition in partitions:
        manager.maybe_add_partition(partition)
    request = next_of(manager).request_builder().build()
    assert isinstance(request, AddPartitionsToTxnRequest)
    assert AddPartitionsToTxnRequest.get_partitions(request.data().v3_and_below_topics) == partitions


def test_a_second_request_in_flight_is_fatal(manager):
    result = manager.initialize_transactions()
    answer(manager, next_of(manager), None, correlation_id=2)
    assert manager.has_fatal_error()
    with pytest.raises(RuntimeError, match="^Detected more than one in-flight transactional request.$"):
        result.await_()


def test_a_disconnection_asks_for_the_coordinator_again(manager):
    manager.initialize_transactions()
    handler = next_of(manager)
    assert not handler.is_retry()
    answer(manager, handler, None, disconnected=True)
    assert handler.is_retry()
    assert isinstance(next_of(manager), TransactionManager.FindCoordinatorHandler)
    assert next_of(manager) is handler


@pytest.mark.parametrize(("error", "raised", "text"), [
    (ProducerFencedException("x"), ProducerFencedException,
     "Producer with transactionalId 'id' and (producerId=7, epoch=0) has been fenced by another producer "
     "with the same transactionalId"),
    (InvalidProducerEpochException("x"), InvalidProducerEpochException,
     "Producer with transactionalId 'id' and (producerId=7, epoch=0) attempted to produce with an old epoch"),
    (KafkaException("x"), KafkaException,
     "Cannot execute transactional method because we are in an error state"),
])
def test_a_call_after_an_error_says_which(manager, error, raised, text):
    begin_transaction(manager)
    manager.transition_to_abortable_error(error)
    with pytest.raises(raised) as e:
        manager.begin_commit()
    assert (type(e.value), str(e.value), e.value is error) == (raised, text, False)


def test_closing_by_force_fails_what_is_pending(manager):
    begin_transaction(manager)
    offsets = manager.send_offsets_to_transaction(
        {TopicPartition("topic", 0): OffsetAndMetadata(1)}, ConsumerGroupMetadata("group"))
    commit = manager.begin_commit()
    manager.close()
    for result in (offsets, commit):
        with pytest.raises(KafkaException, match="^The producer closed forcefully$"):
            result.await_()
    assert manager.has_fatal_error()


def test_a_commit_of_offsets_looks_its_coordinator_up_once(manager):
    begin_transaction(manager)
    partitions = [TopicPartition("topic", number) for number in range(3)]
    manager.send_offsets_to_transaction(
        dict.fromkeys(partitions, OffsetAndMetadata(1)), ConsumerGroupMetadata("group"))
    answer(manager, next_of(manager), AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData()))
    answer(manager, next_of(manager), TxnOffsetCommitResponse.of(
        0, dict.fromkeys(partitions, Errors.NOT_COORDINATOR)))
    # The handler was put back, behind one look-up for all three partitions.
    keys = []
    while (handler := manager.next_request(False)) is not None:
        keys.append(handler.request_builder().api_key())
    assert keys == [ApiKeys.FIND_COORDINATOR, ApiKeys.TXN_OFFSET_COMMIT]


@pytest.mark.deviation("D331")
def test_a_partition_is_resolved_where_its_sequence_wraps() -> None:
    manager = TransactionManager(LogContext(), None, 60000, 100, ApiVersions())
    partition, largest = TopicPartition("t", 0), 2**31 - 1
    manager.sequence_number(partition)
    manager.increment_sequence_number(partition, largest)
    manager.increment_sequence_number(partition, 1)
    for last_sequence in (largest, largest - 1):
        manager.mark_sequence_unresolved(
            Mock(topic_partition=partition, last_sequence=lambda last_sequence=last_sequence: last_sequence))
    assert manager._is_next_sequence_for_unresolved_partition(partition, 0)

    # A later batch succeeds, so the broker has those that expired.
    manager._maybe_update_last_acked_sequence(partition, largest)
    manager.maybe_resolve_sequences()
    assert not manager.has_unresolved_sequences()
    assert not manager._epoch_bump_required
