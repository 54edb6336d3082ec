# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The methods that take the lock of their object, and the deques that nobody touches without theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.metadata import Metadata
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.incomplete_batches import IncompleteBatches
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.record_accumulator import BatchDeque
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.mock_producer import MockProducer
from kreactor.clients.producer.round_robin_partitioner import RoundRobinPartitioner
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.common.utils.log_context import LogContext
from kreactor.testing.mock_time import MockTime
from tests.clients.producer.internals.test_record_accumulator_own import (
    DELIVERY_TIMEOUT_MS,
    INT_MAX,
    METADATA,
    Rig,
    Sender,
    drain_five,
    sequenced,
)

# Those that are synchronized in the origin, and those whose first statement is a lock there.
LOCKED: dict[str, tuple[Callable[[], object], str]] = {
    "TransactionManager": (lambda: TransactionManager(LogContext(), "id", 60000, 100, ApiVersions()), """
        initialize_transactions_producer_id_and_epoch begin_transaction begin_commit begin_abort
        send_offsets_to_transaction maybe_add_partition is_send_to_partition_allowed has_partitions_to_add
        is_completing has_error is_aborting transition_to_abortable_error transition_to_fatal_error
        is_partition_added is_partition_pending_add maybe_update_producer_id_and_epoch
        request_epoch_bump_for_partition bump_idempotent_epoch_and_reset_id_if_needed sequence_number
        producer_id_and_epoch_topic_partition increment_sequence_number add_in_flight_batch
        first_in_flight_sequence next_batch_by_sequence remove_in_flight_batch last_acked_sequence
        last_acked_offset handle_completed_batch transition_to_uninitialized maybe_transition_to_error_state
        handle_failed_batch has_inflight_batches has_stale_producer_id_and_epoch has_unresolved_sequences
        has_unresolved_sequence mark_sequence_unresolved maybe_resolve_sequences next_request retry
        authentication_failed fail_pending_requests close transaction_contains_partition
        has_pending_offset_commits has_pending_requests has_ongoing_transaction can_retry is_ready
        is_initializing"""),
    "Metadata": (lambda: Metadata(1, 1, 1, LogContext(), ClusterResourceListeners()), """
        time_to_allow_update time_to_next_update request_update request_update_for_new_topics
        update_last_seen_epoch_if_newer update_requested add_cluster_update_listener
        partition_metadata_if_current current_leader bootstrap rebootstrap update_with_current_request_version
        update update_partition_leadership maybe_throw_any_exception maybe_throw_fatal_exception
        maybe_throw_exception_for_topic failed_update fatal_error update_version last_successful_update close
        is_closed new_metadata_request_and_version"""),
    "ProducerMetadata": (
        lambda: ProducerMetadata(1, 1, 1, 1, LogContext(), ClusterResourceListeners(), MockTime()), """
        new_metadata_request_builder new_metadata_request_builder_for_new_topics request_update_for_topic
        topics new_topics contains_topic retain_topic await_update update fatal_error close"""),
    "ApiVersions": (ApiVersions, "update remove get"),
    "IncompleteBatches": (IncompleteBatches, "add remove copy_all request_results is_empty"),
    "BufferPool": (lambda: BufferPool(10, 1, Metrics(), MockTime(), "group"), """
        deallocate_size available_memory unallocated_memory queued close"""),
    "RoundRobinPartitioner": (RoundRobinPartitioner, "_next_value"),
    "MockProducer": (lambda: MockProducer(True, StringSerializer(), StringSerializer()), """
        send flush fence_producer history uncommitted_records consumer_group_offsets_history
        uncommitted_offsets clear complete_next error_next"""),
}


class Entered(Exception):
    """A lock was asked for."""


class Refusing:
    """A lock that no thread gets."""

    def __enter__(self) -> None:
        raise Entered

    def __exit__(self, *_: object) -> None:
        pytest.fail("the lock was not taken")


@pytest.mark.parametrize(("kind", "name"), [
    (kind, name) for kind, (_, names) in LOCKED.items() for name in names.split()])
def test_a_method_takes_the_lock_before_all_else(kind: str, name: str) -> None:
    new, _ = LOCKED[kind]
    each: Any = new()
    each._lock = Refusing()
    method = getattr(each, name)
    needed = [parameter for parameter in inspect.signature(method).parameters.values()
              if parameter.default is parameter.empty]
    with pytest.raises(Entered) as caught:
        method(*(Mock() for _ in needed))
    # Not in another method that it calls.
    assert [entry.name for entry in caught.traceback[-2:]] == [name, "__enter__"]


@pytest.mark.parametrize("name", ["begin_request", "end_request", "deallocate"])
def test_the_table_of_requests_has_a_lock(name: str) -> None:
    rig = Rig()
    with rig.metrics:
        rig.append()
        batch, = rig.drain()
        rig.accum._requests_lock = Refusing()  # type: ignore[assignment]
        with pytest.raises(Entered) as caught:
            getattr(rig.accum, name)(batch)
        assert [entry.name for entry in caught.traceback[-2:]] == [name, "__enter__"]


# -- deques ----------------------------------------------------------------------------------------


class Guarded(BatchDeque):
    """A deque that only a thread with its lock may look at."""

    touched = 0


def guard(name: str) -> None:
    def method(self: Any, *arguments: Any) -> Any:
        assert self.lock._is_owned(), f"{name} without the lock"
        Guarded.touched += 1
        return getattr(BatchDeque, name)(self, *arguments)

    setattr(Guarded, name, method)


for each in ("__len__", "__getitem__", "__iter__", "__contains__", "append", "appendleft", "pop", "popleft",
             "remove"):
    guard(each)


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchDeque, "of_partition", staticmethod(lambda partition: Guarded()))
    Guarded.touched = 0


def test_no_deque_is_touched_without_its_lock(guarded: None) -> None:
    rig = Rig()
    sender = Sender(rig)
    with rig.metrics:
        for partition, size in ((0, 1), (0, 1), (-1, 1), (1, 300)):
            sender.append("a", partition, size)
        records = [(0, None, b"value", ())] * 3
        future, _ = rig.accum.try_append_all("a", 0, records, [100] * 3, 0, 3, 0, METADATA.cluster())
        assert future is not None and future.count() == 3
        assert rig.accum.has_undrained()
        for outcome in ("again", "again", "too large", "failed", "written"):
            sender.drain(INT_MAX)
            sender.respond(0, outcome)
            rig.time.sleep(150)
        sender.append("b", 0, 1)
        rig.time.sleep(DELIVERY_TIMEOUT_MS)
        sender.expire([])
        sender.append("b", 0, 1)
        rig.accum.abort_undrained_batches(KafkaException())
        sender.append("b", 0, 1)
        rig.accum.abort_batches(KafkaException())
        assert not rig.accum.has_undrained()
    assert Guarded.touched > 50


def test_batches_come_back_under_the_lock_of_their_deque(guarded: None) -> None:
    rig = Rig()
    with rig.metrics:
        sequenced(rig)
        batches = drain_five(rig)
        for number in (3, 1):
            rig.accum.reenqueue(batches[number], rig.time.milliseconds())
        rig.accum._batch_size = 1
        assert rig.accum.split_and_reenqueue(batches[2]) == 2
