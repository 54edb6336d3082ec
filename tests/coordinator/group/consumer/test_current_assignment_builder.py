# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.CurrentAssignmentBuilderTest of Apache
# Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The steps of a member towards its target assignment."""

from __future__ import annotations

import pytest

from kreactor.common.errors import FencedMemberEpochException
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.current_assignment_builder import CurrentAssignmentBuilder
from kreactor.coordinator.group.consumer.member_state import MemberState
from tests.coordinator.group.assignment_test_util import mk_assignment, mk_topic_assignment


def test_stable_to_stable() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )


def test_stable_to_stable_with_new_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 1, 2, 3, 4), mk_topic_assignment(topic_id2, 4, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(
                mk_topic_assignment(topic_id1, 1, 2, 3, 4), mk_topic_assignment(topic_id2, 4, 5, 6, 7)
            )
        )
        .build()
    )


def test_stable_to_unrevoked_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 2, 3, 4), mk_topic_assignment(topic_id2, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 1), mk_topic_assignment(topic_id2, 4))
        )
        .build()
    )


def test_stable_to_unreleased_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 1, 2, 3, 4), mk_topic_assignment(topic_id2, 4, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )


def test_stable_to_unreleased_partitions_with_owned_partitions_not_having_revoked_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, __: 10 if topic_id2 == topic_id else -1)
        .with_owned_topic_partitions([])
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 1, 2, 3), mk_topic_assignment(topic_id2, 4, 5))
        )
        .build()
    )


def test_unrevoked_partitions_to_stable() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 1), mk_topic_assignment(topic_id2, 4))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
        .with_owned_topic_partitions(
            [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id1, partitions=[2, 3]),
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id2, partitions=[5, 6]),
            ]
        )
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )


def test_remains_in_unrevoked_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 1), mk_topic_assignment(topic_id2, 4))
        )
        .build()
    )
    current_assignment_builder = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            12,
            Assignment(mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
    )
    assert current_assignment_builder.with_owned_topic_partitions(None).build() == member
    assert (
        current_assignment_builder.with_owned_topic_partitions(
            [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id1, partitions=[1, 2, 3]),
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id2, partitions=[5, 6]),
            ]
        ).build()
        == member
    )
    assert (
        current_assignment_builder.with_owned_topic_partitions(
            [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id1, partitions=[2, 3]),
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id2, partitions=[4, 5, 6]),
            ]
        ).build()
        == member
    )


def test_unrevoked_partitions_to_unrevoked_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(10)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 1), mk_topic_assignment(topic_id2, 4))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            12,
            Assignment(mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
        .with_owned_topic_partitions(
            [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id1, partitions=[2, 3]),
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id2, partitions=[5, 6]),
            ]
        )
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 2), mk_topic_assignment(topic_id2, 5))
        )
        .build()
    )


def test_unrevoked_partitions_to_unreleased_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(10)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 2, 3, 4), mk_topic_assignment(topic_id2, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .with_owned_topic_partitions(
            [
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id1, partitions=[2, 3]),
                ConsumerGroupHeartbeatRequestData.TopicPartitions(topic_id=topic_id2, partitions=[5, 6]),
            ]
        )
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )


def test_unreleased_partitions_to_stable() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            12,
            Assignment(
                mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(12)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )


def test_unreleased_partitions_to_stable_with_new_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 2, 3, 4), mk_topic_assignment(topic_id2, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: -1)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3, 4), mk_topic_assignment(topic_id2, 5, 6, 7))
        )
        .build()
    )


def test_unreleased_partitions_to_unreleased_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            11,
            Assignment(
                mk_assignment(
                    mk_topic_assignment(topic_id1, 2, 3, 4), mk_topic_assignment(topic_id2, 5, 6, 7)
                )
            ),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .build()
    )
    assert updated_member == member


def test_unreleased_partitions_to_unrevoked_partitions() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 2, 3), mk_topic_assignment(topic_id2, 5, 6))
        )
        .build()
    )
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            12,
            Assignment(mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 10)
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 2), mk_topic_assignment(topic_id2, 5))
        )
        .build()
    )


def test_unknown_state() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    member = (
        ConsumerGroupMember.Builder("member")
        .set_state(MemberState.UNKNOWN)
        .set_member_epoch(11)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))
        )
        .set_partitions_pending_revocation(
            mk_assignment(mk_topic_assignment(topic_id1, 2), mk_topic_assignment(topic_id2, 5))
        )
        .build()
    )
    with pytest.raises(FencedMemberEpochException):
        CurrentAssignmentBuilder(member).with_target_assignment(
            12,
            Assignment(mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))),
        ).with_current_partition_epoch(lambda topic_id, partition_id: 10).build()
    updated_member = (
        CurrentAssignmentBuilder(member)
        .with_target_assignment(
            12,
            Assignment(mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))),
        )
        .with_current_partition_epoch(lambda topic_id, partition_id: 11)
        .with_owned_topic_partitions([])
        .build()
    )
    assert (
        updated_member
        == ConsumerGroupMember.Builder("member")
        .set_state(MemberState.STABLE)
        .set_member_epoch(12)
        .set_previous_member_epoch(11)
        .set_assigned_partitions(
            mk_assignment(mk_topic_assignment(topic_id1, 3), mk_topic_assignment(topic_id2, 6))
        )
        .build()
    )
