# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The memory of a batch stays out of the pool while a request has it, unlike in the origin."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import Mock

import pytest

from kreactor.clients.client_request import ClientRequest
from kreactor.clients.producer.internals.sender import Sender
from kreactor.common.errors import TimeoutException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import Errors
from kreactor.jdk.exceptions import IllegalStateException
from tests.clients.mock_client import MockClient
from tests.clients.producer.internals.test_sender import (
    BATCH_SIZE,
    DELIVERY_TIMEOUT_MS,
    TOTAL_SIZE,
    TP0,
    TP1,
    MatchingBufferPool,
    Rig,
)


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.close()


@pytest.fixture
def pool(rig: Rig) -> MatchingBufferPool:
    pool = MatchingBufferPool(TOTAL_SIZE, BATCH_SIZE, rig.metrics, rig.time, "producer-custom-metrics")
    rig.setup_with_transaction_state(None, False, pool)
    return pool


def test_buffer_of_batch_that_expired_in_flight_is_kept_until_the_response(
        rig: Rig, pool: MatchingBufferPool) -> None:
    # CVE-2026-35554: another partition must not fill the buffer that the network may still write from.
    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    [batch] = rig.sender.in_flight_batches(TP0)
    buffer = batch.buffer()
    rig.time.sleep(DELIVERY_TIMEOUT_MS)
    rig.sender.run_once()
    rig.assert_future_failure(future, TimeoutException)
    assert rig.client.in_flight_request_count() == 1
    # The user is done with the batch, the pool is not.
    assert not rig.accumulator.has_incomplete()
    assert list(pool.allocated_buffers.values()) == [buffer]
    assert pool.available_memory() == TOTAL_SIZE - BATCH_SIZE

    rig.client.respond(rig.produce_response(TP0, 0, Errors.NONE, 0))
    rig.sender.run_once()
    assert pool.all_match()
    assert pool.available_memory() == TOTAL_SIZE


def test_buffer_of_batch_aborted_in_flight_is_kept_until_the_disconnection(
        rig: Rig, pool: MatchingBufferPool) -> None:
    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    rig.accumulator.abort_batches(KafkaException("abort"))
    rig.assert_future_failure(future, KafkaException)
    assert pool.available_memory() == TOTAL_SIZE - BATCH_SIZE
    rig.client.disconnect(rig.client.requests()[0].destination())
    rig.sender.run_once()
    assert pool.available_memory() == TOTAL_SIZE


def test_batch_that_is_sent_again_gives_its_buffer_once(rig: Rig, pool: MatchingBufferPool) -> None:
    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    rig.client.respond(rig.produce_response(TP0, -1, Errors.NOT_LEADER_OR_FOLLOWER, 0))
    rig.sender.run_once()
    assert pool.available_memory() == TOTAL_SIZE - BATCH_SIZE
    rig.sender.run_once()
    rig.client.respond(rig.produce_response(TP0, 7, Errors.NONE, 0))
    rig.sender.run_once()
    assert future.get().offset() == 7
    assert pool.available_memory() == TOTAL_SIZE


@pytest.mark.parametrize("records", [2, 3])
def test_a_batch_that_is_split_gives_its_buffer_back(
        rig: Rig, pool: MatchingBufferPool, records: int) -> None:
    """The parts have memory of their own, so that nothing is left out of buffer.memory at the end."""
    futures = [rig.append_to_accumulator(TP0) for _ in range(records)]
    rig.sender.run_once()
    rig.sender.run_once()
    assert pool.available_memory() == TOTAL_SIZE - BATCH_SIZE
    rig.client.respond(rig.produce_response(TP0, -1, Errors.MESSAGE_TOO_LARGE, 0))
    rig.sender.run_once()
    assert pool.all_match() and pool.available_memory() == TOTAL_SIZE
    for offset in range(100):
        if all(future.is_done() for future in futures):
            break
        rig.sender.run_once()
        if rig.client.in_flight_request_count():
            rig.client.respond(rig.produce_response(TP0, offset, Errors.NONE, 0))
    for future in futures:
        assert future.get().topic() == TP0.topic()
    assert pool.all_match() and pool.available_memory() == TOTAL_SIZE


def test_buffers_of_requests_that_the_client_refuses_come_back_when_their_batches_expire(
        rig: Rig, pool: MatchingBufferPool) -> None:
    class RefusingClient(MockClient):
        def send(self, request: ClientRequest, now: int) -> None:
            raise IllegalStateException("no connection")

    rig.client = RefusingClient(rig.time, rig.metadata)
    rig.setup_with_transaction_state(None, False, pool)
    sender: Sender = rig.sender
    futures = [rig.append_to_accumulator(tp) for tp in (TP0, TP1)]
    # The first connects, the second sends.
    for _ in range(2):
        try:
            sender.run_once()
        except IllegalStateException:
            break
    assert pool.available_memory() == TOTAL_SIZE - 2 * BATCH_SIZE
    rig.time.sleep(DELIVERY_TIMEOUT_MS)
    sender.run_once()
    for future in futures:
        rig.assert_future_failure(future, TimeoutException)
    assert pool.available_memory() == TOTAL_SIZE


@pytest.mark.parametrize("error", [KafkaException("of the manager"), IllegalStateException("of a state")])
def test_a_failed_batch_gives_its_buffer_also_if_the_transaction_manager_fails(
        rig: Rig, pool: MatchingBufferPool, error: Exception) -> None:
    future = rig.append_to_accumulator(TP0)
    rig.sender.run_once()
    manager = Mock(**{"handle_failed_batch.side_effect": error, "has_producer_id.return_value": True})
    rig.client.respond(rig.produce_response(TP0, -1, Errors.MESSAGE_TOO_LARGE, 0))
    batch, = rig.sender._in_flight_batches[TP0]
    rig.sender._transaction_manager = manager
    rig.sender._fail_batch_exception(batch, KafkaException("failed"), True)
    manager.handle_failed_batch.assert_called_once()
    rig.assert_future_failure(future, KafkaException)
    rig.sender._transaction_manager = None
    rig.sender.run_once()
    assert pool.available_memory() == TOTAL_SIZE


def test_a_fatal_error_is_that_of_every_later_send(rig: Rig) -> None:
    """An idempotent producer without a producer id does not ask for one again."""
    manager = rig.create_transaction_manager()
    rig.setup_with_transaction_state(manager)
    rig.prepare_and_receive_init_producer_id(1, Errors.INVALID_REQUEST)
    first = manager.last_error()
    assert manager.has_fatal_error() and first is not None
    for _ in range(2):
        future = rig.append_to_accumulator(TP0)
        rig.sender.run_once()
        assert rig.assert_future_failure(future, KafkaException) is first
    assert rig.client.in_flight_request_count() == 0
    assert manager.last_error() is first
