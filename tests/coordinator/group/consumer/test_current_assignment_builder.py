# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.CurrentAssignmentBuilderTest of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The steps of a member towards its target assignment. Partitions are those of two topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from kreactor.common.errors import FencedMemberEpochException
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import Partitions
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.current_assignment_builder import CurrentAssignmentBuilder
from kreactor.coordinator.group.consumer.member_state import MemberState
from tests.coordinator.group.assignment_test_util import TOPIC1, TOPIC2, mk_member

STABLE, UNKNOWN = MemberState.STABLE, MemberState.UNKNOWN
UNREVOKED, UNRELEASED = MemberState.UNREVOKED_PARTITIONS, MemberState.UNRELEASED_PARTITIONS
TwoTopics = tuple[Sequence[int], Sequence[int]]


def of(partitions: TwoTopics) -> Partitions:
    return {topic_id: frozenset(each) for topic_id, each in zip((TOPIC1, TOPIC2), partitions) if each}


def member(state: MemberState, epoch: int, previous_epoch: int, assigned: TwoTopics,
           pending_revocation: TwoTopics = ((), ())) -> ConsumerGroupMember:
    return mk_member(
        "member", state=state, member_epoch=epoch, previous_member_epoch=previous_epoch,
        assigned_partitions=of(assigned), partitions_pending_revocation=of(pending_revocation))


def step(before: ConsumerGroupMember, target_epoch: int, target: TwoTopics,
         partition_epoch: int | Callable[[Uuid, int], int] = -1,
         owned: TwoTopics | None = None) -> ConsumerGroupMember:
    """Return the member after its step. ``partition_epoch`` is that of a partition's owner, -1 for none."""
    epoch_of = partition_epoch if callable(
        partition_epoch) else lambda topic_id, partition_id: partition_epoch
    return (
        CurrentAssignmentBuilder(before).with_target_assignment(target_epoch, Assignment(of(target)))
        .with_current_partition_epoch(epoch_of).with_owned_topic_partitions(None if owned is None else [
            ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id, partitions=list(partitions))
            for topic_id, partitions in of(owned).items()]).build())


BEFORE_STABLE = member(STABLE, 10, 10, ([1, 2, 3], [4, 5, 6]))
BEFORE_UNREVOKED = member(UNREVOKED, 10, 10, ([2, 3], [5, 6]), ([1], [4]))
BEFORE_UNRELEASED = member(UNRELEASED, 11, 11, ([2, 3], [5, 6]))


def test_stable_to_stable() -> None:
    assert step(BEFORE_STABLE, 11, ([1, 2, 3], [4, 5, 6]), 10) == member(
        STABLE, 11, 10, ([1, 2, 3], [4, 5, 6]))


def test_stable_to_stable_with_new_partitions() -> None:
    assert step(BEFORE_STABLE, 11, ([1, 2, 3, 4], [4, 5, 6, 7])) == member(
        STABLE, 11, 10, ([1, 2, 3, 4], [4, 5, 6, 7]))


def test_stable_to_unrevoked_partitions() -> None:
    assert step(BEFORE_STABLE, 11, ([2, 3, 4], [5, 6, 7])) == member(
        UNREVOKED, 10, 10, ([2, 3], [5, 6]), ([1], [4]))


def test_stable_to_unreleased_partitions() -> None:
    assert step(BEFORE_STABLE, 11, ([1, 2, 3, 4], [4, 5, 6, 7]), 10) == member(
        UNRELEASED, 11, 10, ([1, 2, 3], [4, 5, 6]))


def test_stable_to_unreleased_partitions_with_owned_partitions_not_having_revoked_partitions() -> None:
    assert step(BEFORE_STABLE, 11, ([1, 2, 3], [4, 5, 7]),
                lambda topic_id, _: 10 if topic_id == TOPIC2 else -1, owned=([], [])) == member(
        UNRELEASED, 11, 10, ([1, 2, 3], [4, 5]))


def test_unrevoked_partitions_to_stable() -> None:
    assert step(BEFORE_UNREVOKED, 11, ([2, 3], [5, 6]), owned=([2, 3], [5, 6])) == member(
        STABLE, 11, 10, ([2, 3], [5, 6]))


@pytest.mark.parametrize("owned", [None, ([1, 2, 3], [5, 6]), ([2, 3], [4, 5, 6])])
def test_remains_in_unrevoked_partitions(owned: TwoTopics | None) -> None:
    assert step(BEFORE_UNREVOKED, 12, ([3], [6]), owned=owned) == BEFORE_UNREVOKED


def test_unrevoked_partitions_to_unrevoked_partitions() -> None:
    assert step(BEFORE_UNREVOKED, 12, ([3], [6]), owned=([2, 3], [5, 6])) == member(
        UNREVOKED, 11, 10, ([3], [6]), ([2], [5]))


def test_unrevoked_partitions_to_unreleased_partitions() -> None:
    before = member(UNREVOKED, 11, 10, ([2, 3], [5, 6]))
    assert step(before, 11, ([2, 3, 4], [5, 6, 7]), 10, owned=([2, 3], [5, 6])) == member(
        UNRELEASED, 11, 11, ([2, 3], [5, 6]))


def test_unreleased_partitions_to_stable() -> None:
    assert step(BEFORE_UNRELEASED, 12, ([2, 3], [5, 6]), 10) == member(STABLE, 12, 11, ([2, 3], [5, 6]))


def test_unreleased_partitions_to_stable_with_new_partitions() -> None:
    assert step(BEFORE_UNRELEASED, 11, ([2, 3, 4], [5, 6, 7])) == member(
        STABLE, 11, 11, ([2, 3, 4], [5, 6, 7]))


def test_unreleased_partitions_to_unreleased_partitions() -> None:
    assert step(BEFORE_UNRELEASED, 11, ([2, 3, 4], [5, 6, 7]), 10) == BEFORE_UNRELEASED


def test_unreleased_partitions_to_unrevoked_partitions() -> None:
    assert step(BEFORE_UNRELEASED, 12, ([3], [6]), 10) == member(UNREVOKED, 11, 11, ([3], [6]), ([2], [5]))


def test_unknown_state() -> None:
    before = member(UNKNOWN, 11, 11, ([3], [6]), ([2], [5]))
    with pytest.raises(FencedMemberEpochException):
        step(before, 12, ([3], [6]), 10)
    assert step(before, 12, ([3], [6]), 11, owned=([], [])) == member(STABLE, 12, 11, ([3], [6]))
