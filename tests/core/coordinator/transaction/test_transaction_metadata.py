# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which states follow which, and what becomes of epochs and times on the way."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_metadata import (
    TransactionMetadata,
    TransactionState,
    TxnTransitMetadata,
)
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.testing.mock_time import MockTime

S = TransactionState
NO_EPOCH = RecordBatch.NO_PRODUCER_EPOCH
LAST_EPOCH = 2**15 - 1
PRODUCER_ID = 23423
PARTITIONS = frozenset((TopicPartition("foo", 0), TopicPartition("bar", 1)))


def metadata(time: MockTime, epoch: int = 735, last_epoch: int = NO_EPOCH, state: TransactionState = S.Empty,
             partitions: frozenset[TopicPartition] = frozenset(), start: int = -1,
             last_producer_id: int = RecordBatch.NO_PRODUCER_ID) -> TransactionMetadata:
    return TransactionMetadata("txnlId", PRODUCER_ID, last_producer_id, epoch, last_epoch, 30_000, state,
                               partitions, start, txn_last_update_timestamp=time.milliseconds())


@pytest.fixture
def time() -> MockTime:
    return MockTime()


def bumped(subject: TransactionMetadata, expected: int | None, time: MockTime) -> TxnTransitMetadata:
    result = subject.prepare_increment_producer_epoch(30_000, expected, time.milliseconds())
    assert isinstance(result, TxnTransitMetadata), result
    return result


def test_initialize_epoch(time: MockTime) -> None:
    subject = metadata(time, NO_EPOCH)
    subject.complete_transition_to(bumped(subject, None, time))
    assert (subject.producer_id, subject.producer_epoch, subject.last_producer_epoch) == (
        PRODUCER_ID, 0, NO_EPOCH)


def test_normal_epoch_bump(time: MockTime) -> None:
    subject = metadata(time)
    subject.complete_transition_to(bumped(subject, None, time))
    assert (subject.producer_id, subject.producer_epoch, subject.last_producer_epoch) == (
        PRODUCER_ID, 736, NO_EPOCH)


def test_bump_epoch_not_allowed_if_epochs_exhausted(time: MockTime) -> None:
    subject = metadata(time, LAST_EPOCH - 1)
    assert subject.is_producer_epoch_exhausted()
    with pytest.raises(IllegalStateException):
        subject.prepare_increment_producer_epoch(30_000, None, time.milliseconds())


def test_tolerate_update_time_shift_during_epoch_bump(time: MockTime) -> None:
    subject = metadata(time, start=1)
    last_update = time.milliseconds() - 1
    result = subject.prepare_increment_producer_epoch(30_000, 735, last_update)
    assert isinstance(result, TxnTransitMetadata)
    subject.complete_transition_to(result)
    assert (subject.producer_epoch, subject.last_producer_epoch, subject.txn_last_update_timestamp) == (
        736, 735, last_update)
    # Only the beginning of a transaction sets it.
    assert subject.txn_start_timestamp == 1


def test_tolerate_update_time_reset_during_producer_id_rotation(time: MockTime) -> None:
    subject = metadata(time, start=1)
    subject.complete_transition_to(
        subject.prepare_producer_id_rotation(PRODUCER_ID + 1, 30_000, time.milliseconds() - 1, True))
    assert (subject.producer_id, subject.producer_epoch, subject.last_producer_epoch,
            subject.txn_last_update_timestamp) == (PRODUCER_ID + 1, 0, 735, time.milliseconds() - 1)


def test_tolerate_time_shift_during_add_partitions(time: MockTime) -> None:
    first, second = TopicPartition("topic1", 0), TopicPartition("topic2", 0)
    subject = metadata(time)
    before = time.milliseconds() - 1
    subject.complete_transition_to(subject.prepare_add_partitions((first,), before))
    assert subject.topic_partitions == {first}
    assert (subject.txn_start_timestamp, subject.txn_last_update_timestamp) == (before, before)
    # More of them do not begin it anew.
    subject.complete_transition_to(subject.prepare_add_partitions((second,), before - 2))
    assert subject.topic_partitions == {first, second}
    assert (subject.txn_start_timestamp, subject.txn_last_update_timestamp) == (before, before - 2)
    assert (subject.producer_epoch, subject.last_producer_epoch) == (735, NO_EPOCH)


def shifted(time: MockTime, before: TransactionState, after: TransactionState) -> None:
    subject = metadata(time, state=before, start=1)
    last_update = time.milliseconds() - 1
    if before is S.Ongoing:
        transit = subject.prepare_abort_or_commit(after, last_update)
    else:
        transit = subject.prepare_complete(last_update)
    subject.complete_transition_to(transit)
    assert (subject.state, subject.producer_id, subject.producer_epoch, subject.last_producer_epoch,
            subject.txn_start_timestamp, subject.txn_last_update_timestamp) == (
        after, PRODUCER_ID, 735, NO_EPOCH, 1, last_update)


def test_tolerate_time_shift_during_prepare_commit(time: MockTime) -> None:
    shifted(time, S.Ongoing, S.PrepareCommit)


def test_tolerate_time_shift_during_prepare_abort(time: MockTime) -> None:
    shifted(time, S.Ongoing, S.PrepareAbort)


def test_tolerate_time_shift_during_complete_commit(time: MockTime) -> None:
    shifted(time, S.PrepareCommit, S.CompleteCommit)


def test_tolerate_time_shift_during_complete_abort(time: MockTime) -> None:
    shifted(time, S.PrepareAbort, S.CompleteAbort)


def test_fence_producer_after_epochs_exhausted(time: MockTime) -> None:
    subject = metadata(time, LAST_EPOCH - 1, state=S.Ongoing, start=time.milliseconds())
    assert subject.is_producer_epoch_exhausted()
    fencing = subject.prepare_fence_producer_epoch()
    assert (fencing.producer_epoch, fencing.last_producer_epoch) == (LAST_EPOCH, NO_EPOCH)
    assert subject.pending_state is S.PrepareEpochFence
    # It is never completed: the abort takes its place.
    with pytest.raises(IllegalStateException):
        subject.complete_transition_to(fencing)


def test_fence_producer_not_allowed_if_it_would_overflow(time: MockTime) -> None:
    subject = metadata(time, LAST_EPOCH, state=S.Ongoing)
    with pytest.raises(IllegalStateException):
        subject.prepare_fence_producer_epoch()


# A value of a transition that is not the prepared one.
WRONG: dict[str, Any] = {
    "producer_id": PRODUCER_ID + 1, "producer_epoch": 7, "txn_timeout_ms": 29_999,
    "topic_partitions": frozenset((TopicPartition("other", 0),)), "txn_start_timestamp": 3}


@pytest.mark.parametrize(("state", "pending", "fields"), [
    (S.Empty, S.Empty, ("producer_epoch", "topic_partitions", "txn_start_timestamp")),
    (S.Ongoing, S.Ongoing, ("producer_id", "producer_epoch", "topic_partitions", "txn_timeout_ms")),
    *((S.Ongoing, pending, ("producer_id", "producer_epoch", "topic_partitions", "txn_timeout_ms",
                            "txn_start_timestamp")) for pending in (S.PrepareAbort, S.PrepareCommit)),
    (S.PrepareAbort, S.CompleteAbort, ("producer_id", "producer_epoch", "txn_timeout_ms")),
    (S.PrepareCommit, S.CompleteCommit, ("producer_id", "producer_epoch", "txn_timeout_ms"))], ids=str)
def test_a_transition_with_one_wrong_value_is_refused(
        time: MockTime, state: TransactionState, pending: TransactionState, fields: tuple[str, ...]) -> None:
    partitions = frozenset[TopicPartition]() if state is S.Empty else PARTITIONS
    start = -1 if state is S.Empty else time.milliseconds()

    def prepared() -> tuple[TransactionMetadata, TxnTransitMetadata]:
        subject = metadata(time, state=state, partitions=partitions, start=start)
        subject.pending_state = pending
        return subject, subject.prepare_no_transit()._replace(txn_state=pending)

    for field in fields:
        subject, transit = prepared()
        with pytest.raises(IllegalStateException, match="due to unexpected metadata"):
            subject.complete_transition_to(transit._replace(**{field: WRONG[field]}))
        assert (subject.state, subject.pending_state) == (state, pending)
    subject, transit = prepared()
    subject.complete_transition_to(transit)
    assert (subject.state, subject.pending_state) == (pending, None)


def test_rotate_producer_id(time: MockTime) -> None:
    subject = metadata(time, LAST_EPOCH - 1)
    subject.complete_transition_to(
        subject.prepare_producer_id_rotation(PRODUCER_ID + 1, 30_000, time.milliseconds(), True))
    assert (subject.producer_id, subject.last_producer_id, subject.producer_epoch,
            subject.last_producer_epoch) == (PRODUCER_ID + 1, PRODUCER_ID, 0, LAST_EPOCH - 1)


def rotate(time: MockTime, state: TransactionState) -> None:
    with pytest.raises(IllegalStateException):
        metadata(time, state=state).prepare_producer_id_rotation(7, 30_000, time.milliseconds(), False)


def test_rotate_producer_id_in_ongoing_state(time: MockTime) -> None:
    rotate(time, S.Ongoing)


def test_rotate_producer_id_in_prepare_abort_state(time: MockTime) -> None:
    rotate(time, S.PrepareAbort)


def test_rotate_producer_id_in_prepare_commit_state(time: MockTime) -> None:
    rotate(time, S.PrepareCommit)


def test_attempted_epoch_bump_with_newly_created_metadata(time: MockTime) -> None:
    subject = metadata(time, NO_EPOCH)
    subject.complete_transition_to(bumped(subject, 9, time))
    assert (subject.producer_epoch, subject.last_producer_epoch) == (0, NO_EPOCH)


def test_epoch_bump_with_current_epoch_provided(time: MockTime) -> None:
    subject = metadata(time)
    subject.complete_transition_to(bumped(subject, 735, time))
    assert (subject.producer_epoch, subject.last_producer_epoch) == (736, 735)


def test_attempted_epoch_bump_with_last_epoch(time: MockTime) -> None:
    subject = metadata(time, 735, 734)
    subject.complete_transition_to(bumped(subject, 734, time))
    assert (subject.producer_epoch, subject.last_producer_epoch) == (735, 734)


def test_attempted_epoch_bump_with_fenced_epoch(time: MockTime) -> None:
    subject = metadata(time, 735, 734)
    assert subject.prepare_increment_producer_epoch(30_000, 733, time.milliseconds()) is (
        Errors.PRODUCER_FENCED)
    assert subject.pending_state is None


def test_transaction_state_id_and_name_mapping() -> None:
    for state in S:
        assert S.from_id(state.id()) is state
        assert S.from_name(state.name) is state
    assert S.from_name("Ended") is None
    with pytest.raises(IllegalStateException):
        S.from_id(8)


def test_all_transaction_states_are_mapped() -> None:
    assert [str(state) for state in S] == [
        "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead",
        "PrepareEpochFence"]
    assert [state for state in S if state.is_expiration_allowed()] == [
        S.Empty, S.CompleteCommit, S.CompleteAbort]


# -- not in Kafka's test ---------------------------------------------------------------------------

PREPARE: dict[TransactionState, Any] = {
    S.Empty: lambda m: m.prepare_increment_producer_epoch(30_000, None, 5),
    S.Ongoing: lambda m: m.prepare_add_partitions(PARTITIONS, 5),
    S.PrepareCommit: lambda m: m.prepare_abort_or_commit(S.PrepareCommit, 5),
    S.PrepareAbort: lambda m: m.prepare_abort_or_commit(S.PrepareAbort, 5),
    S.CompleteCommit: lambda m: m.prepare_complete(5),
    S.Dead: lambda m: m.prepare_dead(),
    S.PrepareEpochFence: lambda m: m.prepare_fence_producer_epoch(),
}
# As the head of the module has it.
ALLOWED = {
    S.Empty: {S.Empty, S.CompleteCommit, S.CompleteAbort},
    S.Ongoing: {S.Ongoing, S.Empty, S.CompleteCommit, S.CompleteAbort},
    S.PrepareCommit: {S.Ongoing},
    S.PrepareAbort: {S.Ongoing, S.PrepareEpochFence},
    # In any other state the transaction would become CompleteAbort.
    S.CompleteCommit: {S.PrepareCommit, S.PrepareAbort},
    S.Dead: {S.Empty, S.CompleteCommit, S.CompleteAbort},
    S.PrepareEpochFence: {S.Ongoing},
}


@pytest.mark.parametrize("before", S, ids=str)
@pytest.mark.parametrize("after", PREPARE, ids=str)
def test_every_pair_of_states(time: MockTime, before: TransactionState, after: TransactionState) -> None:
    subject = metadata(time, state=before)
    if before in ALLOWED[after]:
        PREPARE[after](subject)
        assert subject.pending_transition_in_progress()
        with pytest.raises(IllegalStateException):
            PREPARE[after](subject)
    else:
        with pytest.raises(IllegalStateException):
            PREPARE[after](subject)
        assert not subject.pending_transition_in_progress()


def test_what_was_not_prepared_is_not_completed(time: MockTime) -> None:
    subject = metadata(time)
    with pytest.raises(IllegalStateException):
        subject.complete_transition_to(subject.prepare_no_transit())
    ongoing = subject.prepare_add_partitions(PARTITIONS, 5)
    other = metadata(time)
    other.pending_state = S.Empty
    with pytest.raises(IllegalStateException):
        other.complete_transition_to(ongoing)
    other.pending_state, other.producer_epoch = S.Ongoing, 3
    with pytest.raises(IllegalStateException):
        other.complete_transition_to(ongoing)


def test_the_dead_are_not_completed_and_have_no_epoch(time: MockTime) -> None:
    subject = metadata(time, NO_EPOCH)
    dead = subject.prepare_dead()
    with pytest.raises(IllegalStateException):
        subject.complete_transition_to(dead)


def test_ids_and_epochs_that_are_none(time: MockTime) -> None:
    subject = metadata(time)
    with pytest.raises(IllegalArgumentException):
        subject.prepare_producer_id_rotation(-1, 30_000, 0, False)
    subject.producer_epoch = NO_EPOCH
    with pytest.raises(IllegalArgumentException):
        subject.prepare_add_partitions(PARTITIONS, 0)


def test_markers_are_written_only_at_the_end(time: MockTime) -> None:
    partition = TopicPartition("foo", 0)
    subject = metadata(time, state=S.Ongoing, partitions=PARTITIONS)
    with pytest.raises(IllegalStateException):
        subject.remove_partition(partition)
    subject.state = S.PrepareAbort
    subject.remove_partition(partition)
    subject.remove_partition(partition)
    assert subject.topic_partitions == {TopicPartition("bar", 1)}


def test_text_and_equality(time: MockTime) -> None:
    one, other = metadata(time), metadata(time)
    assert one == other and str(one) == str(other)
    assert str(one).startswith("TransactionMetadata(transactionalId=txnlId, producerId=23423, ")
    other.topic_partitions.add(TopicPartition("foo", 0))
    assert one != other and one != "txnlId"
    assert "topicPartitions=Set(foo-0)" in str(other.prepare_no_transit())
