# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.GroupMetadataManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Heartbeats of consumer groups: their responses, records, timers and states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pytest

from kreactor.common.errors import (
    FencedInstanceIdException, FencedMemberEpochException, GroupIdNotFoundException,
    GroupMaxSizeReachedException, IllegalGenerationException, InconsistentGroupProtocolException,
    InvalidRequestException, RebalanceInProgressException, UnknownMemberIdException, UnknownServerException,
    UnreleasedInstanceIdException, UnsupportedAssignorException)
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, Partitions, SubscribedTopicDescriber, SubscriptionType)
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.assignor.uniform_assignor import UniformAssignor
from kreactor.coordinator.group.classic_group import ClassicMember
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers as Records
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey
from kreactor.coordinator.group.generated.group_metadata_value import GroupMetadataValue
from kreactor.coordinator.group.group_metadata_manager import (
    LEAVE_GROUP_MEMBER_EPOCH, LEAVE_GROUP_STATIC_MEMBER_EPOCH, InvalidRegularExpression, OperationResult)
from kreactor.coordinator.group.metadata_image import MetadataImage
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.config.consumer_group_migration_policy import ConsumerGroupMigrationPolicy
from kreactor.server.config.group_type import GroupType
from tests.coordinator.group.assignment_test_util import (
    MetadataImageBuilder, MockPartitionAssignor, NoOpPartitionAssignor, mk_assignment, mk_classic_member,
    mk_member)
from tests.coordinator.group.group_metadata_manager_test_context import (
    BAR, CLIENT_HOST, FOO, GROUP, HEARTBEAT_MS, SESSION_MS, TOPIC_IDS, ZAR, ConsumerGroupBuilder,
    GroupMetadataManagerTestContext, assert_records, assert_response, classic_tombstone, mk_assignment_bytes,
    mk_group_member, mk_image, mk_metadata, mk_protocols, mk_subscription_bytes, of, request_context)

GroupState = ConsumerGroup.ConsumerGroupState
STABLE = MemberState.STABLE
UNREVOKED, UNRELEASED = MemberState.UNREVOKED_PARTITIONS, MemberState.UNRELEASED_PARTITIONS
ALL = of(range(6), range(3))
# The partitions of two members, and of three.
OF_TWO = of([0, 1, 2], [0, 1]), of([3, 4, 5], [2])
OF_THREE = of([0, 1], [0]), of([2, 3], [1]), of([4, 5], [2])


def member_tombstones(member_id: str) -> list[CoordinatorRecord]:
    return [Records.new_current_assignment_tombstone_record(GROUP, member_id),
            Records.new_target_assignment_tombstone_record(GROUP, member_id),
            Records.new_member_subscription_tombstone_record(GROUP, member_id)]


def target_records(assignment: dict[str, Partitions]) -> list[CoordinatorRecord]:
    return [Records.new_target_assignment_record(GROUP, member_id, partitions)
            for member_id, partitions in assignment.items()]


def group_tombstones(group_id: str) -> list[CoordinatorRecord]:
    return [Records.new_target_assignment_epoch_tombstone_record(group_id),
            Records.new_group_subscription_metadata_tombstone_record(group_id),
            Records.new_group_epoch_tombstone_record(group_id)]


def group_of(*members: ConsumerGroupMember, **fields: Any) -> ConsumerGroupBuilder:
    """Return a group of epoch 10, whose target assignment has the same epoch."""
    return ConsumerGroupBuilder(GROUP, 10, members, assignment_epoch=10, **fields)


@pytest.mark.parametrize(("fields", "message"), [
    ({"group_id": ""}, "GroupId can't be empty."),
    ({"group_id": "   "}, "GroupId can't be empty."),
    ({}, "RebalanceTimeoutMs must be provided in first request."),
    ({"rebalance_timeout_ms": 5000}, "TopicPartitions must be empty when (re-)joining."),
    ({"rebalance_timeout_ms": 5000, "owned": {}}, "SubscribedTopicNames must be set in first request."),
    ({"member_epoch": 1}, "MemberId can't be empty."),
    ({"member_id": "m", "member_epoch": 1, "instance_id": ""}, "InstanceId can't be empty."),
    ({"member_id": "m", "member_epoch": 1, "rack_id": ""}, "RackId can't be empty."),
    ({"member_id": "m", "member_epoch": 1, "server_assignor": "bar"},
     "ServerAssignor bar is not supported. Supported assignors: range."),
    ({"member_id": "m", "member_epoch": LEAVE_GROUP_STATIC_MEMBER_EPOCH, "rebalance_timeout_ms": 5000,
      "subscribed_topic_names": ["foo", "bar"], "owned": {}}, "InstanceId can't be null."),
])
def test_consumer_heartbeat_request_validation(fields: dict[str, Any], message: str) -> None:
    context = GroupMetadataManagerTestContext()
    with pytest.raises((InvalidRequestException, UnsupportedAssignorException)) as ex:
        context.heartbeat(**{"group_id": "foo", "member_id": "", "member_epoch": 0, **fields})
    assert str(ex.value) == message
    assert isinstance(ex.value, UnsupportedAssignorException) == ("server_assignor" in fields)


def test_member_id_generation() -> None:
    result = GroupMetadataManagerTestContext().join("")
    assert result.response.member_id
    assert_response(result, result.response.member_id, 1, {})


def test_unknown_group_id() -> None:
    with pytest.raises(GroupIdNotFoundException):
        GroupMetadataManagerTestContext().heartbeat(
            "m", 100, {}, rebalance_timeout_ms=5000, subscribed_topic_names=["foo", "bar"])


def test_unknown_member_id_joins_consumer_group() -> None:
    context = GroupMetadataManagerTestContext(assignor=NoOpPartitionAssignor())
    context.join("m", server_assignor="no-op")
    with pytest.raises(UnknownMemberIdException):
        context.heartbeat("other", 1, {}, rebalance_timeout_ms=5000, subscribed_topic_names=["foo", "bar"])


def check_epochs_of_a_member(**fields: Any) -> None:
    """A member of epoch 100 is fenced for another one, but for the one before with partitions of its own."""
    member = mk_group_member("m", 100, of([1, 2, 3]), **fields)
    context = GroupMetadataManagerTestContext(
        ConsumerGroupBuilder(GROUP, 100, [member], assignment_epoch=100))
    for epoch in (200, 50, 99):
        with pytest.raises(FencedMemberEpochException):
            context.heartbeat(
                "m", epoch, rebalance_timeout_ms=5000, subscribed_topic_names=["foo", "bar"], **fields)
    result = context.heartbeat("m", 99, of([1, 2]), rebalance_timeout_ms=5000,
                               subscribed_topic_names=["foo", "bar"], **fields)
    assert result.response.member_epoch == 100


def test_consumer_group_member_epoch_validation() -> None:
    check_epochs_of_a_member()


def test_consumer_group_member_epoch_validation_for_static_member() -> None:
    check_epochs_of_a_member(instance_id="i")


def test_member_joins_empty_consumer_group() -> None:
    context = GroupMetadataManagerTestContext(image=mk_image(foo=6, bar=3))
    context.prepare({"m": ALL})
    with pytest.raises(GroupIdNotFoundException):
        context.manager.consumer_group(GROUP)
    result = context.join("m")
    assert_response(result, "m", 1, ALL)
    expected = mk_group_member("m", 1, ALL)
    assert_records(
        result.records,
        Records.new_member_subscription_record(GROUP, expected),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=6, bar=3)),
        Records.new_group_epoch_record(GROUP, 1),
        *target_records({"m": ALL}),
        Records.new_target_assignment_epoch_record(GROUP, 1),
        Records.new_current_assignment_record(GROUP, expected))


def test_updating_subscription_triggers_new_target_assignment() -> None:
    member = mk_group_member("m", 10, of(range(6)), subscribed_topic_names=["foo"], rebalance_timeout_ms=-1)
    context = GroupMetadataManagerTestContext(group_of(member), image=mk_image(foo=6, bar=3))
    context.prepare({"m": ALL})
    result = context.heartbeat("m", 10, subscribed_topic_names=["foo", "bar"])
    assert_response(result, "m", 11, ALL)
    expected = mk_group_member("m", 11, ALL, rebalance_timeout_ms=-1)
    assert_records(
        result.records,
        Records.new_member_subscription_record(GROUP, expected),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=6, bar=3)),
        Records.new_group_epoch_record(GROUP, 11),
        *target_records({"m": ALL}),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, expected))


def check_a_third_member_joins(static: bool) -> None:
    """A third member joins two, and waits for its partitions. The group has a new target assignment."""
    def fields(member_id: str) -> dict[str, Any]:
        return {"instance_id": member_id} if static else {}

    context = GroupMetadataManagerTestContext(
        group_of(*(mk_group_member(member_id, 10, partitions, **fields(member_id))
                   for member_id, partitions in zip(("m1", "m2"), OF_TWO))),
        image=mk_image(foo=6, bar=3))
    assignment = dict(zip(("m1", "m2", "m3"), OF_THREE))
    context.prepare(assignment)
    result = context.join("m3", **fields("m3"))
    assert_response(result, "m3", 11, {})
    expected = mk_group_member("m3", 11, state=UNRELEASED, previous_member_epoch=0, **fields("m3"))
    assert_records(
        result.records,
        Records.new_member_subscription_record(GROUP, expected),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=6, bar=3)),
        Records.new_group_epoch_record(GROUP, 11),
        target_records(assignment),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, expected))


def test_new_joining_member_triggers_new_target_assignment() -> None:
    check_a_third_member_joins(static=False)


def test_group_epoch_bump_when_new_static_member_joins() -> None:
    check_a_third_member_joins(static=True)


def two_members(static: bool = False, **fields: Any) -> list[ConsumerGroupMember]:
    return [mk_group_member(member_id, 10, partitions, **{
                **({"instance_id": member_id} if static else {}), **fields})
            for member_id, partitions in zip(("m1", "m2"), OF_TWO)]


def check_a_member_leaves(static: bool) -> None:
    """The last member that reads zar leaves: the group's epoch is bumped, and its topics are foo and bar."""
    member1, member2 = two_members(static)
    member2 = mk_member(member2, subscribed_topic_names=["foo", "bar", "zar"])
    context = GroupMetadataManagerTestContext(group_of(member1, member2), image=mk_image(foo=6, bar=3, zar=1))
    result = context.heartbeat(
        "m2", LEAVE_GROUP_MEMBER_EPOCH, {}, instance_id=member2.instance_id(), rebalance_timeout_ms=5000,
        subscribed_topic_names=["foo", "bar"])
    assert_response(result, "m2", LEAVE_GROUP_MEMBER_EPOCH, heartbeat_interval_ms=0)
    assert_records(
        result.records, *member_tombstones("m2"),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=6, bar=3)),
        Records.new_group_epoch_record(GROUP, 11))


def test_leaving_member_bumps_group_epoch() -> None:
    check_a_member_leaves(static=False)


def test_leaving_static_member_bumps_group_epoch() -> None:
    check_a_member_leaves(static=True)


def leave_for_a_while(context: GroupMetadataManagerTestContext, member: ConsumerGroupMember) -> None:
    """A static member leaves to come back. It keeps its partitions, and the group its epoch."""
    result = context.heartbeat(
        member.member_id(), LEAVE_GROUP_STATIC_MEMBER_EPOCH, {}, instance_id=member.instance_id(),
        subscribed_topic_names=["foo", "bar"])
    assert_response(result, member.member_id(), LEAVE_GROUP_STATIC_MEMBER_EPOCH, heartbeat_interval_ms=0)
    assert_records(result.records, Records.new_current_assignment_record(
        GROUP, mk_member(member, member_epoch=LEAVE_GROUP_STATIC_MEMBER_EPOCH)))


def test_static_member_gets_back_assignment_upon_rejoin() -> None:
    member1, member2 = two_members(static=True)
    context = GroupMetadataManagerTestContext(
        group_of(member1, member2, subscription_metadata=mk_metadata(foo=6, bar=3)),
        image=mk_image(foo=6, bar=3))
    context.prepare(dict(zip(("m1", "m2-again"), OF_TWO)))
    leave_for_a_while(context, member2)

    result = context.join("m2-again", instance_id="m2")
    assert_response(result, "m2-again", 10, OF_TWO[1])
    expected = mk_group_member("m2-again", 10, OF_TWO[1], instance_id="m2", previous_member_epoch=0)
    assert_records(
        result.records, *member_tombstones("m2"),
        Records.new_member_subscription_record(GROUP, expected),
        *target_records({"m2-again": OF_TWO[1]}),
        Records.new_target_assignment_epoch_record(GROUP, 10),
        Records.new_current_assignment_record(GROUP, expected))
    context.assert_no_timeouts("m2")


def test_no_group_epoch_bump_when_static_member_temporarily_leaves() -> None:
    member1, member2 = two_members(static=True)
    context = GroupMetadataManagerTestContext(group_of(member1, member2), image=mk_image(foo=6, bar=3))
    leave_for_a_while(context, member2)
    assert context.manager.consumer_group(GROUP).group_epoch() == 10


@pytest.fixture
def one_static_member() -> GroupMetadataManagerTestContext:
    """A group of a static member with the instance id i."""
    return GroupMetadataManagerTestContext(
        group_of(mk_group_member("m1", 10, of([0, 1, 2]), instance_id="i")), image=mk_image(foo=6))


def test_should_thrown_unreleased_instance_id_exception_when_new_member_joins_with_in_use_instance_id(
    one_static_member: GroupMetadataManagerTestContext,
) -> None:
    with pytest.raises(UnreleasedInstanceIdException):
        one_static_member.join("m2", instance_id="i")


def test_should_thrown_unknown_member_id_exception_when_unknown_static_member_joins(
    one_static_member: GroupMetadataManagerTestContext,
) -> None:
    with pytest.raises(UnknownMemberIdException):
        one_static_member.heartbeat("m2", 10, {}, instance_id="m2", subscribed_topic_names=["foo", "bar"])


def test_should_throw_fenced_instance_id_exception_when_static_member_with_different_member_id_joins(
    one_static_member: GroupMetadataManagerTestContext,
) -> None:
    with pytest.raises(FencedInstanceIdException):
        one_static_member.heartbeat("unknown", 11, {}, instance_id="i", subscribed_topic_names=["foo"])


def test_should_throw_unknown_member_id_exception_when_unknown_static_member_leaves(
    one_static_member: GroupMetadataManagerTestContext,
) -> None:
    with pytest.raises(UnknownMemberIdException):
        one_static_member.heartbeat("m1", LEAVE_GROUP_STATIC_MEMBER_EPOCH, {}, instance_id="unknown")


def test_should_throw_fenced_instance_id_exception_when_static_member_with_different_member_id_leaves(
    one_static_member: GroupMetadataManagerTestContext,
) -> None:
    with pytest.raises(FencedInstanceIdException):
        one_static_member.heartbeat("unknown", LEAVE_GROUP_STATIC_MEMBER_EPOCH, {}, instance_id="i")


def test_consumer_group_heartbeat_full_response() -> None:
    context = GroupMetadataManagerTestContext(image=mk_image(foo=2))
    context.prepare({"m": of([0, 1])})
    assert_response(context.join("m"), "m", 1, of([0, 1]))
    assert_response(context.heartbeat("m", 1), "m", 1)
    # A request with all fields has the assignment in its response.
    result = context.heartbeat("m", 1, {}, rebalance_timeout_ms=5000, server_assignor="range",
                               subscribed_topic_names=["foo", "bar"])
    assert_response(result, "m", 1, of([0, 1]))


def test_reconciliation_process() -> None:
    context = GroupMetadataManagerTestContext(group_of(*two_members()), image=mk_image(foo=6, bar=3))
    context.prepare({"m1": of([0, 1], [0]), "m2": of([2, 3], [2]), "m3": of([4, 5], [1])})
    assert (context.member_state("m1"), context.member_state("m2")) == (STABLE, STABLE)
    assert context.state() is GroupState.STABLE

    def step(member_id: str, epoch: int, owned: Partitions | None, state: MemberState, new_epoch: int,
             previous_epoch: int, has: Partitions, told: Partitions | None,
             revoking: Partitions = mk_assignment()) -> None:
        """A member's heartbeat brings it into a state. It is told its partitions where they have changed."""
        result = (context.join(member_id) if epoch == 0 else context.heartbeat(member_id, epoch, owned))
        assert_response(result, member_id, new_epoch, told)
        assert_records(result.records[-1:], Records.new_current_assignment_record(GROUP, mk_member(
            member_id, state=state, member_epoch=new_epoch, previous_member_epoch=previous_epoch,
            assigned_partitions=has, partitions_pending_revocation=revoking)))
        assert epoch == 0 or len(result.records) == 1
        assert context.member_state(member_id) is state

    def nothing_new(member_id: str, epoch: int) -> None:
        state = context.member_state(member_id)
        result = context.heartbeat(member_id, epoch)
        assert_response(result, member_id, epoch)
        assert not result.records
        assert context.member_state(member_id) is state
        assert context.state() is GroupState.RECONCILING

    # The third member joins, and has nothing before the others have let go of it.
    step("m3", 0, None, UNRELEASED, 11, 0, {}, {})
    assert context.state() is GroupState.RECONCILING
    step("m1", 10, None, UNREVOKED, 10, 10, of([0, 1], [0]), of([0, 1], [0]), of([2], [1]))
    step("m2", 10, None, UNREVOKED, 10, 10, of([3], [2]), of([3], [2]), of([4, 5]))
    step("m3", 11, None, UNRELEASED, 11, 11, {}, None)
    # The first has let go of its partitions; the third gets one of them.
    step("m1", 10, of([0, 1], [0]), STABLE, 11, 10, of([0, 1], [0]), None)
    nothing_new("m2", 10)
    step("m3", 11, None, UNRELEASED, 11, 11, of(bar=[1]), of(bar=[1]))
    nothing_new("m3", 11)
    # The second has let go, too.
    step("m2", 10, of([3], [2]), STABLE, 11, 10, of([2, 3], [2]), of([2, 3], [2]))
    assert context.state() is GroupState.RECONCILING
    step("m3", 11, of(bar=[1]), STABLE, 11, 11, of([4, 5], [1]), of([4, 5], [1]))
    assert context.state() is GroupState.STABLE


def test_new_member_is_rejected_with_maximum_members_is_reached() -> None:
    context = GroupMetadataManagerTestContext(
        group_of(*two_members()), image=mk_image(foo=6, bar=3), consumer_group_max_size=2)
    with pytest.raises(GroupMaxSizeReachedException):
        context.join("m3")


def test_a_member_is_fenced_one_epoch_ahead() -> None:
    context = GroupMetadataManagerTestContext(group_of(*two_members()), image=mk_image(foo=6, bar=3))
    epoch = context.manager.consumer_group(GROUP).get_or_maybe_create_member("m1", False).member_epoch()
    context.heartbeat("m1", epoch)
    with pytest.raises(FencedMemberEpochException, match="has a greater member epoch"):
        context.heartbeat("m1", epoch + 1)


def test_a_target_assignment_outlives_none_of_its_members() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10))
    context.replay(Records.new_member_subscription_record(GROUP, mk_member("m")),
                   *target_records({"m": of([1])}), Records.new_target_assignment_epoch_record(GROUP, 11))
    with pytest.raises(IllegalStateException, match="the assignment still has 1 members"):
        context.replay(Records.new_target_assignment_epoch_tombstone_record(GROUP))
    context.replay(Records.new_target_assignment_tombstone_record(GROUP, "m"),
                   Records.new_target_assignment_epoch_tombstone_record(GROUP))


def test_consumer_group_states() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10))
    assert context.state() is GroupState.EMPTY
    context.replay(
        Records.new_member_subscription_record(GROUP, mk_member("m", subscribed_topic_names=["foo"])),
        Records.new_group_epoch_record(GROUP, 11))
    assert context.state() is GroupState.ASSIGNING
    context.replay(*target_records({"m": of([1, 2, 3])}),
                   Records.new_target_assignment_epoch_record(GROUP, 11))
    assert context.state() is GroupState.RECONCILING
    for state, expected in ((UNREVOKED, GroupState.RECONCILING), (STABLE, GroupState.STABLE)):
        context.replay(Records.new_current_assignment_record(
            GROUP, mk_group_member("m", 11, of([1, 2, 3]), state=state)))
        assert context.state() is expected


class _FailingAssignor(MockPartitionAssignor):
    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        raise PartitionAssignorException("Assignment failed.")


def test_partition_assignor_exception_on_regular_heartbeat() -> None:
    context = GroupMetadataManagerTestContext(
        image=mk_image(foo=6, bar=3), assignor=_FailingAssignor("range"))
    with pytest.raises(UnknownServerException):
        context.join("m1")


REFRESH_MS = 5 * 60 * 1000


def group_with_old_metadata() -> GroupMetadataManagerTestContext:
    """Foo has six partitions, but the group still knows of three. The topics are looked at again."""
    context = GroupMetadataManagerTestContext(
        group_of(mk_group_member("m", 10, of([0, 1, 2]), previous_member_epoch=10),
                 subscription_metadata=mk_metadata(foo=3)),
        image=mk_image(foo=6), consumer_group_metadata_refresh_interval_ms=REFRESH_MS)
    assert context.manager.consumer_group(GROUP).has_metadata_expired(context.time.milliseconds())
    context.prepare({"m": of(range(6))})
    return context


def assert_metadata_is_fresh(context: GroupMetadataManagerTestContext) -> None:
    group, now = context.manager.consumer_group(GROUP), context.time.milliseconds()
    assert not group.has_metadata_expired(now)
    assert group.metadata_refresh_deadline() == ConsumerGroup.DeadlineAndEpoch(now + REFRESH_MS, 11)


def check_new_partitions_are_assigned(context: GroupMetadataManagerTestContext) -> None:
    result = context.heartbeat("m", 10)
    assert_response(result, "m", 11, of(range(6)))
    assert_records(
        result.records,
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=6)),
        Records.new_group_epoch_record(GROUP, 11),
        *target_records({"m": of(range(6))}),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, mk_group_member("m", 11, of(range(6)))))
    assert_metadata_is_fresh(context)


def test_subscription_metadata_refreshed_after_group_is_loaded() -> None:
    check_new_partitions_are_assigned(group_with_old_metadata())


def test_subscription_metadata_refreshed_again_after_write_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    context = group_with_old_metadata()
    with monkeypatch.context() as not_written:
        not_written.setattr(context, "replay", lambda *records: None)
        context.heartbeat("m", 10)
    # The deadline has moved all the same; its epoch says that the group has not.
    group, now = context.manager.consumer_group(GROUP), context.time.milliseconds()
    assert group.metadata_refresh_deadline() == ConsumerGroup.DeadlineAndEpoch(now + REFRESH_MS, 11)
    assert group.has_metadata_expired(now)
    check_new_partitions_are_assigned(context)


def test_group_ids_by_topics() -> None:
    context = GroupMetadataManagerTestContext()

    def subscribers() -> list[set[str]]:
        return [set(context.manager.groups_subscribed_to_topic(topic)) for topic in ("foo", "bar", "zar")]

    def subscribe(group: int, member: int, *topics: str) -> list[set[str]]:
        context.replay(Records.new_member_subscription_record(
            f"group{group}", mk_member(f"group{group}-m{member}", subscribed_topic_names=topics)))
        return subscribers()

    none: set[str] = set()
    one, two, both = {"group1"}, {"group2"}, {"group1", "group2"}
    assert subscribers() == [none, none, none]
    assert subscribe(1, 1, "foo", "bar") == [one, one, none]
    assert subscribe(2, 1, "foo", "bar", "zar") == [both, both, two]
    assert subscribe(1, 2, "bar", "zar") == [both, both, both]
    assert subscribe(2, 2, "foo", "bar") == [both, both, both]
    context.replay(Records.new_current_assignment_tombstone_record("group1", "group1-m1"),
                   Records.new_member_subscription_tombstone_record("group1", "group1-m1"))
    assert subscribers() == [two, both, both]
    assert subscribe(2, 1) == [two, both, one]
    assert subscribe(2, 2, "foo") == [two, one, one]
    assert subscribe(2, 2) == [none, one, one]
    assert subscribe(1, 2) == [none, none, none]


def test_on_new_metadata_image_with_empty_delta() -> None:
    context = GroupMetadataManagerTestContext()
    image = MetadataImage()
    context.manager.on_new_metadata_image(image, [])
    assert context.manager.image() is image


def test_on_new_metadata_image() -> None:
    context = GroupMetadataManagerTestContext()
    for i, topics in enumerate(("ab", "bc", "d", "e", "f"), 1):
        context.replay(Records.new_member_subscription_record(
            f"group{i}", mk_member(f"group{i}-m1", subscribed_topic_names=list(topics))))
    now = context.time.milliseconds()
    groups = [context.manager.consumer_group(f"group{i}") for i in range(1, 6)]
    for group in groups:
        group.set_metadata_refresh_deadline(now + 5000, 0)
        assert not group.has_metadata_expired(now)

    builder = MetadataImageBuilder()
    for name, partitions in (("a", 1), ("b", 2), ("c", 1), ("e", 1)):
        builder.add_topic(Uuid.random_uuid(), name, partitions)
    image = builder.build()
    # b has changed, d is gone, and e is new.
    context.manager.on_new_metadata_image(image, ["b", "d", "e"])
    assert [group.has_metadata_expired(now) for group in groups] == [True, True, True, True, False]
    assert context.manager.image() is image


def join_foo(context: GroupMetadataManagerTestContext, member_id: str, rebalance_timeout_ms: int = 90000,
             **fields: Any) -> int:
    """Have a member join that reads foo. Return its epoch."""
    result = context.join(member_id, rebalance_timeout_ms=rebalance_timeout_ms,
                          subscribed_topic_names=["foo"], server_assignor=None, **fields)
    assert context.session_timeout_ms(member_id) == SESSION_MS
    return result.response.member_epoch


@pytest.fixture
def foo_group() -> GroupMetadataManagerTestContext:
    """No group yet; foo has three partitions, which the member m will get."""
    context = GroupMetadataManagerTestContext(image=mk_image(foo=3))
    context.prepare({"m": of([0, 1, 2])})
    return context


def test_session_timeout_lifecycle(foo_group: GroupMetadataManagerTestContext) -> None:
    assert join_foo(foo_group, "m") == 1
    assert foo_group.sleep(HEARTBEAT_MS) == {}
    assert foo_group.heartbeat("m", 1).response.member_epoch == 1
    assert foo_group.session_timeout_ms("m") == SESSION_MS
    assert foo_group.sleep(HEARTBEAT_MS) == {}
    assert foo_group.heartbeat("m", LEAVE_GROUP_MEMBER_EPOCH).response.member_epoch == -1
    foo_group.assert_no_timeouts("m")


def check_session_expires(context: GroupMetadataManagerTestContext) -> None:
    (key, records), = context.sleep(SESSION_MS + 1).items()
    assert key == context.manager.consumer_group_session_timeout_key(GROUP, "m")
    assert_records(
        records, *member_tombstones("m"), Records.new_group_subscription_metadata_record(GROUP, {}),
        Records.new_group_epoch_record(GROUP, 2))
    context.assert_no_timeouts("m")


def test_session_timeout_expiration(foo_group: GroupMetadataManagerTestContext) -> None:
    assert join_foo(foo_group, "m") == 1
    check_session_expires(foo_group)


def test_a_timeout_of_a_member_that_has_left_changes_nothing(
    foo_group: GroupMetadataManagerTestContext
) -> None:
    assert join_foo(foo_group, "m") == 1
    fence = foo_group.manager._consumer_group_fence_member_operation
    assert fence(GROUP, "another", "its timer fired late").records == []
    assert fence("no group", "m", "its timer fired late").records == []
    assert foo_group.session_timeout_ms("m") == SESSION_MS


def test_session_timeout_expiration_static_member(foo_group: GroupMetadataManagerTestContext) -> None:
    assert join_foo(foo_group, "m", instance_id="i") == 1
    result = foo_group.heartbeat(
        "m", LEAVE_GROUP_STATIC_MEMBER_EPOCH, {}, instance_id="i", subscribed_topic_names=["foo"])
    assert result.response.member_epoch == LEAVE_GROUP_STATIC_MEMBER_EPOCH
    assert foo_group.session_timeout_ms("m") == SESSION_MS
    check_session_expires(foo_group)


def second_member_joins(context: GroupMetadataManagerTestContext, rebalance_timeout_ms: int) -> None:
    """A member of epoch 1 has all of foo, and has to let go of a partition for a second one."""
    assert join_foo(context, "m", rebalance_timeout_ms) == 1
    assert context.sleep(HEARTBEAT_MS) == {}
    context.prepare({"m": of([0, 1]), "m2": of([2])})
    assert join_foo(context, "m2", rebalance_timeout_ms) == 2
    assert context.sleep(HEARTBEAT_MS) == {}


def test_rebalance_timeout_lifecycle(foo_group: GroupMetadataManagerTestContext) -> None:
    second_member_joins(foo_group, 90000)
    result = foo_group.heartbeat("m", 1, rebalance_timeout_ms=12000, subscribed_topic_names=["foo"])
    assert_response(result, "m", 1, of([0, 1]))
    assert foo_group.rebalance_timeout_ms("m") == 12000
    _, stale = foo_group.timer.timeouts[foo_group.manager.consumer_group_rebalance_timeout_key(GROUP, "m")]
    assert foo_group.sleep(HEARTBEAT_MS) == {}
    assert_response(foo_group.heartbeat("m", 1, of([0, 1])), "m", 2)
    assert foo_group.rebalance_timeout_ms("m") is None
    # The timeout of an epoch that the member has left does nothing.
    assert stale().records == []


def test_rebalance_timeout_expiration(foo_group: GroupMetadataManagerTestContext) -> None:
    second_member_joins(foo_group, 10000)
    assert_response(foo_group.heartbeat("m", 1), "m", 1, of([0, 1]))
    (key, records), = foo_group.sleep(10000 + 1).items()
    assert key == foo_group.manager.consumer_group_rebalance_timeout_key(GROUP, "m")
    assert_records(records, *member_tombstones("m"), Records.new_group_epoch_record(GROUP, 3))
    foo_group.assert_no_timeouts("m")


def test_on_loaded() -> None:
    revoking = mk_group_member(
        "m1", 9, of([0, 1, 2]), state=UNREVOKED, previous_member_epoch=9,
        partitions_pending_revocation=of([3, 4, 5]), subscribed_topic_names=["foo"])
    context = GroupMetadataManagerTestContext(
        group_of(revoking, mk_group_member("m2", 10, subscribed_topic_names=["foo"]),
                 assignments={"m1": of([3, 4, 5])}),
        image=mk_image(foo=6, bar=3))
    context.manager.on_loaded()
    assert context.session_timeout_ms("m1") == context.session_timeout_ms("m2") == SESSION_MS
    assert context.rebalance_timeout_ms("m1") == 5000
    assert context.rebalance_timeout_ms("m2") is None


def test_list_groups() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder("consumer-group-id", 10))

    def listed(states: set[str], types: set[str]) -> list[ListGroupsResponseData.ListedGroup]:
        return context.manager.list_groups(states, types)

    def group(state: str) -> list[ListGroupsResponseData.ListedGroup]:
        return [ListGroupsResponseData.ListedGroup(
            group_id="consumer-group-id", protocol_type="consumer", group_state=state,
            group_type="consumer")]

    for states in (set[str](), {"empty"}):
        assert listed(states, set()) == group("Empty")
    context.replay(
        Records.new_member_subscription_record("consumer-group-id", mk_member("m")),
        Records.new_group_epoch_record("consumer-group-id", 11))
    assert listed({"assigning"}, set()) == group("Assigning")
    assert listed({"Empty"}, set()) == []
    assert listed(set(), {"classic"}) == []
    assert listed(set(), {"Consumer"}) == group("Assigning")
    assert listed({"empty", "Assigning"}, set()) == group("Assigning")
    assert listed(set(), {"Invalid"}) == listed({"Invalid"}, set()) == []


def test_consumer_group_describe_no_errors() -> None:
    member = mk_member("member-id", subscribed_topic_names=["topicName"], server_assignor_name="assignorName")
    context = GroupMetadataManagerTestContext(
        ConsumerGroupBuilder("group-id-1", 10), ConsumerGroupBuilder("group-id-2", 10, [member]))
    topics = MetadataImageBuilder().build().topics
    assert context.manager.consumer_group_describe(["group-id-1", "group-id-2"]) == [
        ConsumerGroupDescribeResponseData.DescribedGroup(
            group_id="group-id-1", group_epoch=10, group_state="Empty", assignor_name="range"),
        ConsumerGroupDescribeResponseData.DescribedGroup(
            group_id="group-id-2", group_epoch=10, group_state="Assigning", assignor_name="assignorName",
            members=[member.as_consumer_group_describe_member(Assignment.EMPTY, topics)])]


def test_consumer_group_describe_with_errors() -> None:
    assert GroupMetadataManagerTestContext().manager.consumer_group_describe(["groupId"]) == [
        ConsumerGroupDescribeResponseData.DescribedGroup(
            group_id="groupId", error_code=Errors.GROUP_ID_NOT_FOUND.code)]


def test_consumer_group_delete() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10))
    records: list[CoordinatorRecord] = []
    context.manager.create_group_tombstone_records(GROUP, records)
    assert records == group_tombstones(GROUP)


def test_consumer_group_maybe_delete() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10))
    records: list[CoordinatorRecord] = []
    context.manager.maybe_delete_group(GROUP, records)
    assert records == group_tombstones(GROUP)
    records.clear()
    context.replay(Records.new_member_subscription_record(GROUP, mk_group_member("member")))
    context.manager.maybe_delete_group(GROUP, records)
    assert records == []


def test_a_member_that_leaves_has_no_timers() -> None:
    context = GroupMetadataManagerTestContext(assignor=NoOpPartitionAssignor())
    for member_id in ("m", "other"):
        context.join(member_id, server_assignor="no-op")
        for key in (context.manager.consumer_group_session_timeout_key,
                    context.manager.consumer_group_rebalance_timeout_key,
                    context.manager.consumer_group_join_key, context.manager.consumer_group_sync_key):
            context.timer.schedule(key(GROUP, member_id), 1000, lambda: OperationResult([], None))
    assert len(context.timer.timeouts) == 8
    context.heartbeat("m", LEAVE_GROUP_MEMBER_EPOCH)
    assert len(context.timer.timeouts) == 4
    context.assert_no_timeouts("m")


def test_only_an_empty_consumer_group_is_deleted() -> None:
    context = GroupMetadataManagerTestContext(
        ConsumerGroupBuilder(GROUP, 10), ConsumerGroupBuilder("full", 10, [mk_group_member("member")]))
    for group_id, expected in (("unknown", []), ("full", []), (GROUP, group_tombstones(GROUP))):
        records: list[CoordinatorRecord] = []
        context.manager.maybe_delete_empty_consumer_group(group_id, records)
        assert records == expected


def test_a_group_subscribes_to_the_matches_of_its_regular_expressions() -> None:
    context = GroupMetadataManagerTestContext(
        image=mk_image(foo=1, bar=1, zar=1), assignor=NoOpPartitionAssignor())

    def names() -> set[str]:
        return set(context.manager.consumer_group(GROUP).subscribed_topic_names())

    epoch = context.join("m", server_assignor="no-op").response.member_epoch
    assert names() == {"foo", "bar"}
    for fields, expected, expressions in (
            ({}, {"foo", "bar"}, {}),
            ({"subscribed_topic_names": ["foo"]}, {"foo"}, {}),
            ({"subscribed_topic_regex": ".ar"}, {"foo", "bar", "zar"}, {".ar": {"bar", "zar"}}),
            ({}, {"foo", "bar", "zar"}, {".ar": {"bar", "zar"}}),
            ({"subscribed_topic_names": ["bar"]}, {"bar", "zar"}, {".ar": {"bar", "zar"}}),
            ({"subscribed_topic_regex": "z.*"}, {"bar", "zar"}, {"z.*": {"zar"}}),
            ({"subscribed_topic_regex": ""}, {"bar"}, {})):
        epoch = context.heartbeat("m", epoch, **fields).response.member_epoch
        group = context.manager.consumer_group(GROUP)
        assert names() == expected, fields
        assert {regex: resolved.topics for regex, resolved in group.resolved_regular_expressions().items()
                } == expressions, fields
        assert set(group.subscription_metadata()) == expected, fields
        for topic in TOPIC_IDS:
            assert (GROUP in context.manager.groups_subscribed_to_topic(topic)) == (topic in expected)


def expression_context(*members: str, image: MetadataImage, **settings: Any) -> tuple[
        GroupMetadataManagerTestContext, dict[str, int]]:
    """Return a group whose members have the expression ``.*``, and the members' epochs."""
    context = GroupMetadataManagerTestContext(image=image, assignor=UniformAssignor(), **settings)
    epochs = {}
    for member_id in members:
        epochs[member_id] = context.join(
            member_id, server_assignor="uniform", subscribed_topic_names=[],
            subscribed_topic_regex=".*").response.member_epoch
    settle(context, epochs)
    return context, epochs


def settle(context: GroupMetadataManagerTestContext, epochs: dict[str, int]) -> list[set[tuple[Uuid, int]]]:
    """Have the members heartbeat, own what they are given, and give up what they are told to.

    Return what each member had to give up.
    """
    given_up: list[set[tuple[Uuid, int]]] = []
    group = context.manager.consumer_group(GROUP)

    def owned(member_id: str) -> set[tuple[Uuid, int]]:
        member = group.get_or_maybe_create_member(member_id, False)
        return {(topic_id, partition) for topic_id, partitions in member.assigned_partitions().items()
                for partition in partitions}

    for _ in range(6):
        for member_id in epochs:
            before = owned(member_id)
            member = group.get_or_maybe_create_member(member_id, False)
            result = context.heartbeat(member_id, epochs[member_id], member.assigned_partitions())
            epochs[member_id] = result.response.member_epoch
            given_up.append(before - owned(member_id))
    assert context.state() is ConsumerGroup.ConsumerGroupState.STABLE
    return [lost for lost in given_up if lost]


def shares(context: GroupMetadataManagerTestContext) -> dict[str, dict[str, int]]:
    """Return how many partitions of each topic each member has."""
    names = {topic_id: name for name, topic_id in TOPIC_IDS.items()}
    return {member_id: {names[topic_id]: len(partitions)
                        for topic_id, partitions in member.assigned_partitions().items()}
            for member_id, member in context.manager.consumer_group(GROUP).members().items()}


def test_all_members_get_their_parts_of_a_topic_that_their_expression_matches() -> None:
    context, epochs = expression_context("a", "b", image=mk_image(foo=2))
    assert shares(context) == {"a": {"foo": 1}, "b": {"foo": 1}}
    epoch = context.manager.consumer_group(GROUP).group_epoch()
    context.manager.on_new_metadata_image(mk_image(foo=2, bar=4), ["bar"])
    result = context.heartbeat("a", epochs["a"])
    assert result.response.assignment is not None
    assert {each.topic_id: len(each.partitions) for each in result.response.assignment.topic_partitions} == {
        FOO: 1, BAR: 2}
    epochs["a"] = result.response.member_epoch
    # No member gives anything up again: the first heartbeat has made one assignment for all.
    assert settle(context, epochs) == []
    assert shares(context) == {"a": {"foo": 1, "bar": 2}, "b": {"foo": 1, "bar": 2}}
    assert context.manager.consumer_group(GROUP).group_epoch() == epoch + 1


def test_all_members_get_their_parts_of_a_topic_that_grows_or_is_deleted() -> None:
    context, epochs = expression_context("a", "b", "c", image=mk_image(foo=3, bar=3))
    epoch = context.manager.consumer_group(GROUP).group_epoch()
    context.manager.on_new_metadata_image(mk_image(foo=6, bar=3), ["foo"])
    assert settle(context, epochs) == []
    assert [sum(share.values()) for share in shares(context).values()] == [3, 3, 3]
    context.manager.on_new_metadata_image(mk_image(foo=6), ["bar"])
    settle(context, epochs)
    assert all(share == {"foo": 2} for share in shares(context).values())
    assert context.manager.consumer_group(GROUP).group_epoch() == epoch + 2


def test_a_group_with_one_expression_is_homogeneous() -> None:
    context, epochs = expression_context("a", "b", image=mk_image(foo=2, bar=2))
    group = context.manager.consumer_group(GROUP)
    for fields, expected in (
            ({"subscribed_topic_regex": "fo+"}, SubscriptionType.HETEROGENEOUS),
            ({"subscribed_topic_regex": ".*"}, SubscriptionType.HOMOGENEOUS),
            ({"subscribed_topic_names": ["foo"]}, SubscriptionType.HETEROGENEOUS),
            ({"subscribed_topic_names": []}, SubscriptionType.HOMOGENEOUS),
            ({"subscribed_topic_regex": "", "subscribed_topic_names": ["foo", "bar"]},
             SubscriptionType.HETEROGENEOUS),
            ({"subscribed_topic_names": [], "subscribed_topic_regex": ".*"}, SubscriptionType.HOMOGENEOUS)):
        epochs["a"] = context.heartbeat("a", epochs["a"], **fields).response.member_epoch
        settle(context, epochs)
        assert group.subscription_type() is expected, fields
        assert set(group.resolved_regular_expressions()) == {
            member.subscribed_topic_regex() for member in group.members().values()} - {""}


def test_expressions_are_matched_once_for_each_image_and_every_ten_minutes() -> None:
    context, epochs = expression_context("a", "b", image=mk_image(foo=2, bar=2))
    asked: list[tuple[str, set[str]]] = []

    def heartbeat(member_id: str, denied: set[str]) -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        def allowed(topics: Collection[str]) -> set[str]:
            asked.append((member_id, set(topics)))
            return set(topics) - denied

        result = context.write(context.manager.consumer_group_heartbeat(
            request_context(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 1), ConsumerGroupHeartbeatRequestData(
                group_id=GROUP, member_id=member_id, member_epoch=epochs[member_id]), allowed))
        epochs[member_id] = result.response.member_epoch
        return result

    def topics() -> set[str]:
        return set(context.manager.consumer_group(GROUP).resolved_regular_expressions()[".*"].topics)

    heartbeat("a", {"bar"})
    assert asked == []
    context.manager.on_new_metadata_image(mk_image(foo=2, bar=2, zar=2), ["zar"])
    heartbeat("b", {"zar"})
    # A member whose client may read fewer topics does not change the matches back and forth.
    heartbeat("a", set())
    heartbeat("b", {"zar"})
    assert (asked, topics()) == ([("b", {"foo", "bar", "zar"})], {"foo", "bar"})
    context.time.sleep(10 * 60 * 1000 - 1)
    heartbeat("a", set())
    assert len(asked) == 1
    context.time.sleep(1)
    heartbeat("a", set())
    assert (asked[1:], topics()) == ([("a", {"foo", "bar", "zar"})], {"foo", "bar", "zar"})


def test_matches_that_are_not_in_the_log_are_found_again() -> None:
    context, epochs = expression_context("a", image=mk_image(foo=2))
    context.manager.on_new_metadata_image(mk_image(foo=2, bar=2), ["bar"])

    def lost() -> OperationResult[ConsumerGroupHeartbeatResponseData]:
        return context.manager.consumer_group_heartbeat(
            request_context(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 1), ConsumerGroupHeartbeatRequestData(
                group_id=GROUP, member_id="a", member_epoch=epochs["a"]))

    first, second = lost(), lost()
    assert first.records == second.records != []
    context.write(second)
    assert shares(context) == {"a": {"foo": 2, "bar": 2}}


def test_the_matches_of_an_expression_end_with_its_last_member() -> None:
    context, epochs = expression_context("a", "b", "c", image=mk_image(foo=2, bar=2))
    group = context.manager.consumer_group(GROUP)
    tombstone = Records.new_regular_expression_record(GROUP, ".*", None)
    assert tombstone not in context.heartbeat("a", LEAVE_GROUP_MEMBER_EPOCH).records
    # A session that ends is a member that leaves.
    assert group.resolved_regular_expressions()[".*"].topics == {"foo", "bar"}
    context.heartbeat("b", epochs["b"], subscribed_topic_names=["foo"], subscribed_topic_regex="")
    records = context.sleep(SESSION_MS)
    assert sum(tombstone in each for each in records.values()) == 1
    assert not group.resolved_regular_expressions()
    assert not group.subscribed_topic_names()
    for topic in TOPIC_IDS:
        assert not context.manager.groups_subscribed_to_topic(topic)


def test_a_group_with_an_expression_is_loaded_again_and_deleted() -> None:
    context, epochs = expression_context("a", "b", image=mk_image(foo=2, bar=2))
    group = context.manager.consumer_group(GROUP)
    records: list[CoordinatorRecord] = [
        *(Records.new_member_subscription_record(GROUP, member) for member in group.members().values()),
        Records.new_regular_expression_record(GROUP, ".*", group.resolved_regular_expressions()[".*"]),
        Records.new_group_subscription_metadata_record(GROUP, group.subscription_metadata()),
        Records.new_group_epoch_record(GROUP, group.group_epoch()),
        *(Records.new_target_assignment_record(GROUP, member_id, assignment.partitions())
          for member_id, assignment in group.target_assignment().items()),
        Records.new_target_assignment_epoch_record(GROUP, group.assignment_epoch()),
        *(Records.new_current_assignment_record(GROUP, member) for member in group.members().values())]
    loaded = GroupMetadataManagerTestContext(image=mk_image(foo=2, bar=2), assignor=UniformAssignor())
    loaded.replay(*records)
    loaded.manager.on_loaded()
    assert loaded.manager.groups_subscribed_to_topic("bar") == {GROUP}
    assert loaded.manager.consumer_group(GROUP).subscription_type() is SubscriptionType.HOMOGENEOUS
    # The expression is matched again, and nothing has changed.
    for member_id in epochs:
        assert loaded.heartbeat(member_id, epochs[member_id]).records == []
    tombstones: list[CoordinatorRecord] = []
    loaded.manager.create_group_tombstone_records(GROUP, tombstones)
    assert Records.new_regular_expression_record(GROUP, ".*", None) in tombstones
    loaded.replay(*tombstones)
    assert GROUP not in loaded.manager.group_ids()


@pytest.mark.parametrize(("regex", "description"), [
    ("a{99999999999999}", "invalid repeat count"),
    ("(" * 15_000 + ")" * 15_000, "expression nests too deeply"),
    ("(?=a)", "invalid or unsupported Perl syntax"),
    (r"(a)\1", "invalid escape sequence"),
    ("((a{1000}){1000}){1000}", "invalid repeat count"),
    ("a" * 100_000, "expression too large"),
    ("(.?){1000}(.?){1000}(.?){1000}", "matching takes too many steps"),
])
def test_an_expression_that_is_invalid_or_costly_is_refused(regex: str, description: str) -> None:
    context = GroupMetadataManagerTestContext(
        image=MetadataImageBuilder().add_topic(FOO, "foo", 1).add_topic(BAR, "b" * 249, 1).build(),
        assignor=UniformAssignor())
    for member_epoch, names in ((0, []), (0, ["foo"])):
        with pytest.raises(InvalidRegularExpression) as raised:
            context.heartbeat("m", member_epoch, {}, rebalance_timeout_ms=5000, subscribed_topic_names=names,
                              subscribed_topic_regex=regex)
        assert f"is not a valid regular expression: {description}" in str(raised.value)
        assert len(str(raised.value)) < 1300
    assert GROUP not in context.manager.group_ids()
    # A member keeps what it had.
    epoch = context.join("m", server_assignor="uniform", subscribed_topic_names=[],
                         subscribed_topic_regex="fo.").response.member_epoch
    with pytest.raises(InvalidRegularExpression):
        context.heartbeat("m", epoch, subscribed_topic_regex=regex)
    assert set(context.manager.consumer_group(GROUP).resolved_regular_expressions()) == {"fo."}


def test_an_expression_that_becomes_costly_keeps_its_topics(caplog: pytest.LogCaptureFixture) -> None:
    context, epochs = expression_context("a", "b", image=mk_image(foo=1))
    costly = "(.?){1000}(.?){1000}(.?){1000}"
    epochs["b"] = context.heartbeat("b", epochs["b"], subscribed_topic_regex=costly).response.member_epoch
    settle(context, epochs)
    name = "x" * 249
    context.manager.on_new_metadata_image(
        MetadataImageBuilder().add_topic(FOO, "foo", 1).add_topic(BAR, name, 1).build(), [name])
    settle(context, epochs)
    resolved = context.manager.consumer_group(GROUP).resolved_regular_expressions()
    assert resolved[costly].topics == {"foo"}
    assert resolved[".*"].topics == {"foo", name}
    assert "keeps its topics: matching takes too many steps" in caplog.text


def test_consumer_group_heartbeat_with_non_empty_classic_group() -> None:
    context = GroupMetadataManagerTestContext(assignor=NoOpPartitionAssignor())
    context.classic_groups.add(mk_classic_member_of("m0"))
    with pytest.raises(GroupIdNotFoundException):
        context.join("m", server_assignor="no-op")


def test_consumer_group_heartbeat_with_empty_classic_group() -> None:
    context = GroupMetadataManagerTestContext(assignor=NoOpPartitionAssignor())
    context.classic_groups.add()
    result = context.join("m", server_assignor="no-op")
    expected = mk_group_member("m", 1, server_assignor_name="no-op")
    assert_records(
        result.records, classic_tombstone(GROUP), Records.new_member_subscription_record(GROUP, expected),
        Records.new_group_epoch_record(GROUP, 1), *target_records({"m": {}}),
        Records.new_target_assignment_epoch_record(GROUP, 1),
        Records.new_current_assignment_record(GROUP, expected))
    assert context.manager.consumer_group(GROUP).type() is GroupType.CONSUMER


SESSION, REBALANCE = 5000, 10000
FOO_AND_BAR = mk_protocols(mk_subscription_bytes(["foo", "bar"]))


def mk_classic_member_of(member_id: str, owned: Partitions = mk_assignment(),
                         assignment: bytes = b"") -> ClassicMember:
    """Return a member of a classic group that reads foo and bar."""
    return ClassicMember(member_id, None, "client-id", "client-host", REBALANCE, SESSION,
                         [("range", mk_subscription_bytes(["foo", "bar"], owned))], assignment)


def upgraded(member: ClassicMember, assigned: Partitions) -> ConsumerGroupMember:
    """Return the member that a classic one becomes in a consumer group of epoch 0."""
    (name, metadata), = member.supported_protocols
    return mk_classic_member(
        member.member_id, name, metadata=metadata, session_timeout_ms=SESSION, member_epoch=0,
        previous_member_epoch=0, client_id="client-id", client_host="client-host",
        subscribed_topic_names=["foo", "bar"], rebalance_timeout_ms=REBALANCE, assigned_partitions=assigned)


def check_upgrade(classic: dict[str, Partitions], names: dict[str, bytes], target: dict[str, Partitions],
                  changed: Sequence[str], **partitions: int) -> None:
    """A member of the consumer protocol joins a classic group: all its members are those of a consumer group.

    ``classic`` has the partitions of its members, ``names`` the same as bytes of their leader; ``changed``
    are the members with a new target.
    """
    context = GroupMetadataManagerTestContext(
        image=mk_image(**partitions), consumer_group_migration_policy=ConsumerGroupMigrationPolicy.UPGRADE)
    members = [mk_classic_member_of(member_id, owned, names[member_id])
               for member_id, owned in classic.items()]
    context.classic_groups.add(*members)
    context.prepare(target)
    result = context.join("new")
    old = [upgraded(member, classic[member.member_id]) for member in members]
    new = mk_group_member("new", 1, state=UNRELEASED, previous_member_epoch=0)
    assert_records(
        result.records, classic_tombstone(GROUP),
        *(Records.new_member_subscription_record(GROUP, member) for member in old),
        Records.new_group_epoch_record(GROUP, 0), *target_records(classic),
        Records.new_target_assignment_epoch_record(GROUP, 0),
        *(Records.new_current_assignment_record(GROUP, member) for member in old),
        Records.new_member_subscription_record(GROUP, new),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(**partitions)),
        Records.new_group_epoch_record(GROUP, 1),
        target_records({member_id: target[member_id] for member_id in changed}),
        Records.new_target_assignment_epoch_record(GROUP, 1),
        Records.new_current_assignment_record(GROUP, new))
    assert {context.session_timeout_ms(member_id) for member_id in classic} == {SESSION}
    assert context.session_timeout_ms("new") == SESSION_MS
    # The classic coordinator tells the members then: those that wait have to join again.
    assert context.classic_groups.upgraded == [GROUP]


def test_consumer_group_heartbeat_with_stable_classic_group() -> None:
    check_upgrade({"m1": of([0], [0])}, {"m1": mk_assignment_bytes(foo=[0], bar=[0])},
                  {"m1": of([0]), "new": of(bar=[0])}, ["m1", "new"], foo=1, bar=1)


def check_upgrade_of_two() -> None:
    check_upgrade({"m1": of([0, 1]), "m2": of(bar=[0])},
                  {"m1": mk_assignment_bytes(foo=[0, 1]), "m2": mk_assignment_bytes(bar=[0])},
                  {"m1": of([0]), "m2": of(bar=[0]), "new": of([1])}, ["m1", "new"], foo=2, bar=1)


def test_consumer_group_heartbeat_with_preparing_rebalance_classic_group() -> None:
    check_upgrade_of_two()


def test_consumer_group_heartbeat_with_completing_rebalance_classic_group() -> None:
    check_upgrade_of_two()


@pytest.mark.parametrize(("policy", "max_size", "assignment"), [
    (ConsumerGroupMigrationPolicy.DISABLED, 10, mk_assignment_bytes(foo=[0])),
    (ConsumerGroupMigrationPolicy.DOWNGRADE, 10, mk_assignment_bytes(foo=[0])),
    (ConsumerGroupMigrationPolicy.UPGRADE, 0, mk_assignment_bytes(foo=[0])),
    # An assignment that cannot be read.
    (ConsumerGroupMigrationPolicy.BIDIRECTIONAL, 10, b""),
])
def test_a_classic_group_stays_one_where_it_cannot_be_upgraded(
        policy: ConsumerGroupMigrationPolicy, max_size: int, assignment: bytes) -> None:
    context = GroupMetadataManagerTestContext(
        consumer_group_migration_policy=policy, consumer_group_max_size=max_size)
    context.classic_groups.add(mk_classic_member_of("m0", assignment=assignment))
    with pytest.raises(GroupIdNotFoundException):
        context.join("m")
    assert context.classic_groups.upgraded == []


def group_to_downgrade(policy: ConsumerGroupMigrationPolicy = ConsumerGroupMigrationPolicy.DOWNGRADE,
                       **settings: Any) -> GroupMetadataManagerTestContext:
    """A group of a classic member m1 and of a member m2 of the consumer protocol."""
    one, two = two_members()
    classic = mk_classic_member(
        one, "range", metadata=mk_subscription_bytes(["foo", "bar"], OF_TWO[0]), session_timeout_ms=SESSION,
        rebalance_timeout_ms=45000)
    return GroupMetadataManagerTestContext(
        group_of(classic, mk_member(two, rebalance_timeout_ms=30000),
                 subscription_metadata=mk_metadata(foo=6, bar=3)),
        image=mk_image(foo=6, bar=3), consumer_group_migration_policy=policy, **settings)


def check_downgrade(context: GroupMetadataManagerTestContext, records: list[CoordinatorRecord],
                    epoch: int = 10) -> None:
    """The group is a classic one of m1, with the partitions that m1 had."""
    assert_records(
        records[:-1],
        [Records.new_current_assignment_tombstone_record(GROUP, member_id) for member_id in ("m1", "m2")],
        [Records.new_target_assignment_tombstone_record(GROUP, member_id) for member_id in ("m1", "m2")],
        Records.new_target_assignment_epoch_tombstone_record(GROUP),
        [Records.new_member_subscription_tombstone_record(GROUP, member_id) for member_id in ("m1", "m2")],
        Records.new_group_subscription_metadata_tombstone_record(GROUP),
        Records.new_group_epoch_tombstone_record(GROUP))
    key, value = records[-1].key(), records[-1].value()
    assert (key.version(), key.message()) == (2, GroupMetadataKey(group=GROUP))
    assert value is not None and (value.version(), value.message()) == (3, GroupMetadataValue(
        protocol_type="consumer", generation=epoch, protocol="range", leader="m1",
        current_state_timestamp=context.time.milliseconds(), members=[
            GroupMetadataValue.MemberMetadata(
                member_id="m1", client_id="client", client_host=CLIENT_HOST, rebalance_timeout=45000,
                session_timeout=SESSION, subscription=mk_subscription_bytes(["foo", "bar"], OF_TWO[0]),
                assignment=mk_assignment_bytes(foo=[0, 1, 2], bar=[0, 1]))]))
    with pytest.raises(GroupIdNotFoundException):
        context.manager.consumer_group(GROUP)
    assert context.classic_groups.downgraded == [GROUP]
    for member_id in ("m1", "m2"):
        context.assert_no_timeouts(member_id)


def test_last_consumer_protocol_member_leaving_consumer_group() -> None:
    context = group_to_downgrade()
    result = context.heartbeat("m2", LEAVE_GROUP_MEMBER_EPOCH)
    assert_response(result, "m2", LEAVE_GROUP_MEMBER_EPOCH, heartbeat_interval_ms=0)
    check_downgrade(context, result.records)


def test_last_consumer_protocol_member_session_timeout_in_consumer_group() -> None:
    context = group_to_downgrade()
    context.heartbeat("m2", 10)
    assert context.session_timeout_ms("m2") == SESSION_MS
    (key, records), = context.sleep(SESSION_MS + 1).items()
    assert key == context.manager.consumer_group_session_timeout_key(GROUP, "m2")
    check_downgrade(context, records)


def test_last_consumer_protocol_member_rebalance_timeout_in_consumer_group() -> None:
    context = group_to_downgrade()
    # The second member has to let go of a partition, and does not.
    context.prepare({"m1": OF_TWO[0], "m2": of([3, 4], [2]), "m3": of([5])})
    context.join("m3")
    assert_response(context.heartbeat("m2", 10), "m2", 10, of([3, 4], [2]))
    context.heartbeat("m3", LEAVE_GROUP_MEMBER_EPOCH)
    assert context.rebalance_timeout_ms("m2") == 30000
    (key, records), = context.sleep(30000 + 1).items()
    assert key == context.manager.consumer_group_rebalance_timeout_key(GROUP, "m2")
    check_downgrade(context, records, 12)


@pytest.mark.parametrize("policy", [
    ConsumerGroupMigrationPolicy.DISABLED, ConsumerGroupMigrationPolicy.UPGRADE])
def test_a_consumer_group_stays_one_where_it_cannot_be_downgraded(
        policy: ConsumerGroupMigrationPolicy) -> None:
    context = group_to_downgrade(policy)
    context.heartbeat("m2", LEAVE_GROUP_MEMBER_EPOCH)
    assert context.classic_groups.downgraded == []
    assert list(context.manager.consumer_group(GROUP).members()) == ["m1"]


def test_no_conversion_when_size_exceeds_classic_max_group_size() -> None:
    context = GroupMetadataManagerTestContext(
        group_of(mk_member("1"), mk_classic_member("2", "range"), mk_classic_member("3", "range")),
        consumer_group_migration_policy=ConsumerGroupMigrationPolicy.DOWNGRADE, classic_group_max_size=1)
    context.heartbeat("1", LEAVE_GROUP_MEMBER_EPOCH)
    assert context.manager.group(GROUP).type() is GroupType.CONSUMER
    assert context.classic_groups.downgraded == []


def test_joining_consumer_group_throws_exception_if_group_over_max_size() -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_group_member("m")), consumer_group_max_size=1)
    with pytest.raises(GroupMaxSizeReachedException) as ex:
        context.join_classic("", FOO_AND_BAR)
    assert str(ex.value) == "The consumer group has reached its maximum capacity of 1 members."


@pytest.mark.parametrize("protocol_type", ["consumer", "connect"])
def test_joining_consumer_group_throws_exception_if_protocol_is_not_supported(protocol_type: str) -> None:
    context = GroupMetadataManagerTestContext(
        group_of(mk_classic_member(mk_group_member("m"), "roundrobin", metadata=b"")))
    with pytest.raises(InconsistentGroupProtocolException):
        context.join_classic("", FOO_AND_BAR, protocol_type=protocol_type)


def group_of_m(refresh: bool = True, **fields: Any) -> GroupMetadataManagerTestContext:
    """A group whose member m has both partitions of foo.

    Bar comes with the next look at the topics. A group that does not look again has another assignor, which
    leaves each member what it has.
    """
    context = GroupMetadataManagerTestContext(
        group_of(mk_group_member("m", 10, of([0, 1]), **fields), subscription_metadata=mk_metadata(foo=2)),
        image=mk_image(foo=2, bar=1) if refresh else mk_image(foo=2),
        assignor=None if refresh else NoOpPartitionAssignor())
    if not refresh:
        context.manager.consumer_group(GROUP).set_metadata_refresh_deadline(2**62, 10)
    return context


def joined(member_id: str, epoch: int, previous_epoch: int, state: MemberState, assigned: Partitions,
           protocols: Sequence[JoinGroupRequestData.JoinGroupRequestProtocol],
           topics: Sequence[str] = ("foo", "bar"), session_timeout_ms: int = 500,
           **fields: Any) -> ConsumerGroupMember:
    """Return a member of the classic protocol as it is in a consumer group."""
    protocol, = protocols
    return mk_classic_member(
        member_id, protocol.name, metadata=protocol.metadata, session_timeout_ms=session_timeout_ms,
        member_epoch=epoch, previous_member_epoch=previous_epoch, state=state, client_id="client",
        client_host=CLIENT_HOST, subscribed_topic_names=topics, rebalance_timeout_ms=500,
        assigned_partitions=assigned, **fields)


def assert_joined(context: GroupMetadataManagerTestContext, result: OperationResult[JoinGroupResponseData],
                  member_id: str, generation_id: int, session_timeout_ms: int = 500) -> None:
    """A member has joined, and has to ask for its assignment."""
    assert result.response == JoinGroupResponseData(
        member_id=member_id, generation_id=generation_id, protocol_type="consumer", protocol_name="range")
    assert context.session_timeout_ms(member_id) == session_timeout_ms
    assert context.classic_timeouts_ms(member_id) == (None, 500)


@pytest.mark.parametrize("version", range(ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION + 1))
def test_joining_consumer_group_with_new_dynamic_member(version: int) -> None:
    context = group_of_m()
    protocols = mk_protocols(mk_subscription_bytes(["foo", "bar"], version=version))
    result = context.join_classic("", protocols, 4)
    new = result.response.member_id
    assert new and not result.records
    assert result.response.error_code == Errors.MEMBER_ID_REQUIRED.code

    context.prepare({"m": of([0]), new: of(bar=[0])})
    result = context.join_classic(new, protocols, 4)
    member = joined(new, 11, 0, STABLE, of(bar=[0]), protocols)
    assert_records(
        result.records, Records.new_member_subscription_record(GROUP, member),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=2, bar=1)),
        Records.new_group_epoch_record(GROUP, 11), target_records({"m": of([0]), new: of(bar=[0])}),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, member))
    assert_joined(context, result, new, 11)


def test_joining_consumer_group_failing_to_persist_records() -> None:
    context = group_of_m()
    context.prepare({"m": of([0]), "new": of([1])})
    assert context.join_classic("new", FOO_AND_BAR, written=False).records
    context.assert_no_timeouts("new")
    assert not context.manager.consumer_group(GROUP).has_member("new")


def test_joining_consumer_group_with_new_static_member() -> None:
    context = group_of_m()
    context.prepare({"m": of([0, 1])})
    result = context.join_classic("", FOO_AND_BAR, 5, group_instance_id="i")
    new = result.response.member_id
    member = joined(new, 11, 0, STABLE, {}, FOO_AND_BAR, instance_id="i")
    assert_records(
        result.records, Records.new_member_subscription_record(GROUP, member),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=2, bar=1)),
        Records.new_group_epoch_record(GROUP, 11), *target_records({new: {}}),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, member))
    assert_joined(context, result, new, 11)


def test_joining_consumer_group_replacing_existing_static_member() -> None:
    context = group_of_m(refresh=False, instance_id="i", subscribed_topic_names=["foo"],
                         server_assignor_name=None)
    protocols = mk_protocols(mk_subscription_bytes(["foo"]))
    result = context.join_classic("", protocols, 5, group_instance_id="i")
    new = result.response.member_id
    member = joined(new, 10, 0, STABLE, of([0, 1]), protocols, ["foo"], instance_id="i")
    assert_records(
        result.records, *member_tombstones("m"), Records.new_member_subscription_record(GROUP, member),
        *target_records({new: of([0, 1])}), Records.new_target_assignment_epoch_record(GROUP, 10),
        Records.new_current_assignment_record(GROUP, member))
    assert_joined(context, result, new, 10)


ALL_THREE = ("foo", "bar", "zar")


def classic_and_consumer(instance_id: str | None = None, with_zar: bool = False
                         ) -> GroupMetadataManagerTestContext:
    """A group of m1, a classic member with foo-0 and bar-0, and of m2 with foo-1."""
    m1 = mk_classic_member(
        mk_group_member("m1", 10, of([0], [0]), rebalance_timeout_ms=500, server_assignor_name=None,
                        previous_member_epoch=10, instance_id=instance_id), "range",
        metadata=mk_subscription_bytes(["foo", "bar"], of([0], [0])), session_timeout_ms=SESSION)
    metadata = mk_metadata(foo=2, bar=1, zar=1) if with_zar else mk_metadata(foo=2, bar=1)
    context = GroupMetadataManagerTestContext(
        group_of(m1, mk_group_member("m2", 10, of([1]), rebalance_timeout_ms=500),
                 subscription_metadata=metadata), image=mk_image(foo=2, bar=1, zar=1))
    context.manager.consumer_group(GROUP).set_metadata_refresh_deadline(2**62, 10)
    return context


def with_zar(partitions: Partitions) -> Partitions:
    return {**partitions, ZAR: frozenset([0])}


def test_joining_consumer_group_with_existing_static_member_and_new_subscription() -> None:
    context = classic_and_consumer("i", with_zar=True)
    target = {"m1": with_zar(of([0])), "m2": of([1], [0])}
    context.prepare(target)
    protocols = mk_protocols(mk_subscription_bytes(ALL_THREE))
    result = context.join_classic("m1", protocols)
    member = joined("m1", 11, 10, STABLE, target["m1"], protocols, ALL_THREE, instance_id="i")
    assert_records(
        result.records, Records.new_member_subscription_record(GROUP, member),
        Records.new_group_epoch_record(GROUP, 11), target_records(target),
        Records.new_target_assignment_epoch_record(GROUP, 11),
        Records.new_current_assignment_record(GROUP, member))
    assert_joined(context, result, "m1", 11)


@pytest.mark.parametrize("static", [False, True])
def test_static_member_joining_consumer_group_with_unknown_instance_id(static: bool) -> None:
    m1 = mk_classic_member("m1", "range", metadata=FOO_AND_BAR[0].metadata,
                           instance_id="other" if static else None)
    context = GroupMetadataManagerTestContext(group_of(m1, mk_member("m2")))
    with pytest.raises(UnknownMemberIdException):
        context.join_classic("m1", FOO_AND_BAR, group_instance_id="i")


def test_static_member_joining_consumer_group_with_unmatched_member_id() -> None:
    m1 = mk_classic_member("m1", "range", metadata=FOO_AND_BAR[0].metadata, instance_id="i")
    context = GroupMetadataManagerTestContext(group_of(m1, mk_member("m2")))
    with pytest.raises(FencedInstanceIdException):
        context.join_classic("another", FOO_AND_BAR, group_instance_id="i")


class ClassicSteps:
    """The way of m1, which reads zar too now, to its new target. m2 has to give it foo-1 for bar-0."""

    def __init__(self) -> None:
        self.context = classic_and_consumer()
        self.target = {"m1": with_zar(of([0, 1])), "m2": of(bar=[0])}
        self.context.prepare(self.target)

    def join(self, owned: Partitions, state: MemberState, epoch: int, previous_epoch: int,
             assigned: Partitions, revoking: Partitions = mk_assignment(), first: bool = False,
             changed: bool = True) -> None:
        """m1 joins with partitions that it owns yet, and asks for its assignment."""
        protocols = mk_protocols(mk_subscription_bytes(ALL_THREE, owned))
        result = self.context.join_classic("m1", protocols, session_timeout_ms=SESSION)
        member = joined("m1", epoch, previous_epoch, state, assigned, protocols, ALL_THREE, SESSION,
                        partitions_pending_revocation=revoking)
        bumped: list[CoordinatorRecord | list[CoordinatorRecord]] = [
            Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=2, bar=1, zar=1)),
            Records.new_group_epoch_record(GROUP, 11), target_records(self.target),
            Records.new_target_assignment_epoch_record(GROUP, 11)]
        assert_records(
            result.records,
            *([Records.new_member_subscription_record(GROUP, member)] if changed else []),
            *(bumped if first else []),
            Records.new_current_assignment_record(GROUP, member))
        assert self.context.member_state("m1") is state
        assert_joined(self.context, result, "m1", epoch, SESSION)
        assert synced(self.context, "m1", epoch) == assigned

    def is_told_to_join(self, epoch: int) -> None:
        assert self.context.heartbeat_classic("m1", epoch) is Errors.REBALANCE_IN_PROGRESS
        assert self.context.classic_timeouts_ms("m1") == (500, None)

    def m2_revokes(self) -> None:
        self.context.heartbeat("m2", 10)
        self.context.heartbeat("m2", 10, {})


def synced(context: GroupMetadataManagerTestContext, member_id: str, epoch: int,
           version: int = ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION) -> Partitions:
    """Return what a member is assigned; its session begins anew."""
    response = context.sync_classic(member_id, epoch)
    assert (response.protocol_type, response.protocol_name) == ("consumer", "range")
    buffer = ByteBuffer.wrap(response.assignment)
    assert ConsumerProtocol.deserialize_version(buffer) == version
    assigned = ConsumerProtocol.deserialize_assignment(buffer, version)
    assert context.classic_timeouts_ms(member_id)[1] is None
    assert context.session_timeout_ms(member_id) == SESSION
    return {TOPIC_IDS[each.topic]: frozenset(each.partitions) for each in assigned.assigned_partitions}


def test_reconciliation_in_joining_consumer_group_with_eager_protocol() -> None:
    steps = ClassicSteps()
    # It owns nothing, and so revokes nothing.
    steps.join({}, UNRELEASED, 11, 10, with_zar(of([0])), first=True)
    steps.m2_revokes()
    steps.is_told_to_join(11)
    steps.join({}, STABLE, 11, 11, steps.target["m1"], changed=False)


def test_reconciliation_in_joining_consumer_group_with_cooperative_protocol() -> None:
    steps = ClassicSteps()
    steps.join(of([0], [0]), UNREVOKED, 10, 10, of([0]), of(bar=[0]), first=True)
    steps.is_told_to_join(10)
    steps.join(of([0]), UNRELEASED, 11, 10, with_zar(of([0])))
    steps.m2_revokes()
    steps.is_told_to_join(11)
    steps.join(with_zar(of([0])), STABLE, 11, 11, steps.target["m1"])


@pytest.mark.parametrize("version", range(ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION + 1))
def test_classic_group_sync_to_consumer_group_with_all_consumer_protocol_versions(version: int) -> None:
    one, two = two_members()
    classic = mk_classic_member(one, "range", session_timeout_ms=SESSION,
                                metadata=mk_subscription_bytes(["foo", "bar"], OF_TWO[0], version))
    context = GroupMetadataManagerTestContext(group_of(classic, two), image=mk_image(foo=6, bar=3))
    assert synced(context, "m1", 10, version) == OF_TWO[0]


def classic_m(epoch: int = 10, **fields: Any) -> ConsumerGroupMember:
    """Return a member of the classic protocol that reads foo."""
    return mk_classic_member(
        "m", "range", metadata=mk_subscription_bytes(["foo"]), session_timeout_ms=SESSION, member_epoch=epoch,
        rebalance_timeout_ms=REBALANCE, **fields)


@pytest.mark.parametrize(("member_id", "instance_id"), [("unknown", None), ("m", "unknown"), ("m", None)])
def test_classic_group_sync_to_consumer_group_with_unknown_member_id(
        member_id: str, instance_id: str | None) -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_member("m")))
    with pytest.raises(UnknownMemberIdException):
        context.sync_classic(member_id, 10, group_instance_id=instance_id)


def test_classic_group_sync_to_consumer_group_with_fenced_instance_id() -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_member("m", instance_id="i")))
    with pytest.raises(FencedInstanceIdException):
        context.sync_classic("another", 10, group_instance_id="i")


def test_classic_group_sync_to_consumer_group_with_inconsistent_group_protocol() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m()))
    for name, type_ in (("roundrobin", "consumer"), ("range", "connect")):
        with pytest.raises(InconsistentGroupProtocolException):
            context.sync_classic("m", 10, name, type_)
    assert context.sync_classic("m", 10, None, None).assignment == mk_assignment_bytes()


def test_classic_group_sync_to_consumer_group_with_illegal_generation() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m()))
    with pytest.raises(IllegalGenerationException):
        context.sync_classic("m", 9)


def test_classic_group_sync_to_consumer_group_rebalance_in_progress() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 11, [classic_m()]))
    with pytest.raises(RebalanceInProgressException):
        context.sync_classic("m", 10)
    assert context.classic_timeouts_ms("m") == (REBALANCE, None)


def test_classic_group_heartbeat_to_consumer_group_maintains_session() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m()))
    for _ in range(3):
        assert context.heartbeat_classic("m", 10) is Errors.NONE
        assert context.session_timeout_ms("m") == SESSION
        assert context.sleep(SESSION // 2) == {}


@pytest.mark.parametrize(("epoch", "fields", "target"), [
    (9, {}, {}),
    (10, {"state": UNREVOKED, "partitions_pending_revocation": of([0])}, {}),
    # All that it shall have is free.
    (10, {"state": UNRELEASED, "assigned_partitions": of(bar=[0])}, {"m": of(bar=[0, 1, 2])}),
])
def test_classic_group_heartbeat_to_consumer_group_rebalance_in_progress(
        epoch: int, fields: dict[str, Any], target: dict[str, Partitions]) -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m(epoch, **fields), assignments=target))
    assert context.heartbeat_classic("m", epoch) is Errors.REBALANCE_IN_PROGRESS
    assert context.session_timeout_ms("m") == SESSION
    assert context.classic_timeouts_ms("m") == (REBALANCE, None)


@pytest.mark.parametrize("instance_id", [None, "unknown"])
def test_classic_group_heartbeat_to_consumer_with_unknown_member(instance_id: str | None) -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10))
    with pytest.raises(UnknownMemberIdException):
        context.heartbeat_classic("unknown", 10, instance_id)


def test_classic_group_heartbeat_to_consumer_with_fenced_instance_id() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m(instance_id="i")))
    with pytest.raises(FencedInstanceIdException):
        context.heartbeat_classic("unknown", 10, "i")


def test_classic_group_heartbeat_to_consumer_with_illegal_generation_id() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m()))
    with pytest.raises(IllegalGenerationException):
        context.heartbeat_classic("m", 9)


def test_classic_group_heartbeat_to_consumer_with_member_not_using_classic_protocol() -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_group_member("m")))
    with pytest.raises(UnknownMemberIdException):
        context.heartbeat_classic("m", 10)


def check_fenced(context: GroupMetadataManagerTestContext, key: str, timeout_ms: int) -> None:
    (expired, records), = context.sleep(timeout_ms + 1).items()
    assert expired == key
    assert_records(records, *member_tombstones("m"), Records.new_group_epoch_record(GROUP, 11))
    context.assert_no_timeouts("m")


def test_consumer_group_member_using_classic_protocol_fenced_when_session_timeout() -> None:
    context = GroupMetadataManagerTestContext(group_of(classic_m()))
    assert context.heartbeat_classic("m", 10) is Errors.NONE
    check_fenced(context, context.manager.consumer_group_session_timeout_key(GROUP, "m"), SESSION)


def test_consumer_group_member_using_classic_protocol_fenced_when_join_timeout() -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_member(classic_m(9), rebalance_timeout_ms=500)))
    assert context.heartbeat_classic("m", 9) is Errors.REBALANCE_IN_PROGRESS
    assert context.classic_timeouts_ms("m") == (500, None)
    check_fenced(context, context.manager.consumer_group_join_key(GROUP, "m"), 500)


def three_members() -> GroupMetadataManagerTestContext:
    """A group of a classic member, of a static classic one an epoch behind, and of a static member."""
    def classic(member_id: str, epoch: int, owned: Partitions, **fields: Any) -> ConsumerGroupMember:
        return mk_classic_member(
            mk_group_member(member_id, epoch, owned, rebalance_timeout_ms=45000, **fields), "range",
            metadata=mk_subscription_bytes(["foo", "bar"], owned), session_timeout_ms=SESSION)

    context = GroupMetadataManagerTestContext(
        group_of(classic("m1", 10, of([0])), classic("m2", 9, of([1]), instance_id="i2"),
                 mk_group_member("m3", 10, of(bar=[0]), instance_id="i3"),
                 subscription_metadata=mk_metadata(foo=2, bar=1)), image=mk_image(foo=2, bar=1))
    context.manager.consumer_group(GROUP).set_metadata_refresh_deadline(2**62, 10)
    return context


def assert_left(result: OperationResult[LeaveGroupResponseData],
                *members: tuple[str, str | None, Errors]) -> None:
    assert [(each.member_id, each.group_instance_id, Errors.for_code(each.error_code))
            for each in result.response.members] == list(members)


def test_consumer_group_member_using_classic_protocol_batch_leave_group() -> None:
    context = three_members()
    context.join_classic("m1", mk_protocols(mk_subscription_bytes(["foo", "bar"], of([0]))),
                         session_timeout_ms=SESSION, rebalance_timeout_ms=45000)
    assert context.classic_timeouts_ms("m1") == (None, 45000)
    assert context.heartbeat_classic("m2", 9) is Errors.REBALANCE_IN_PROGRESS
    assert context.classic_timeouts_ms("m2") == (45000, None)
    assert context.session_timeout_ms("m1") == context.session_timeout_ms("m2") == SESSION

    result = context.leave_classic(("m1", None), ("", "i2"), ("m3", "i3"), ("unknown", None), ("", "unknown"),
                                   ("unknown", "i3"))
    assert_left(result, ("m1", None, Errors.NONE), ("m2", "i2", Errors.NONE),
                ("m3", "i3", Errors.UNKNOWN_MEMBER_ID), ("unknown", None, Errors.UNKNOWN_MEMBER_ID),
                ("", "unknown", Errors.UNKNOWN_MEMBER_ID), ("unknown", "i3", Errors.FENCED_INSTANCE_ID))
    assert_records(result.records, *member_tombstones("m1"), *member_tombstones("m2"),
                   Records.new_group_epoch_record(GROUP, 11))
    context.assert_no_timeouts("m1")
    context.assert_no_timeouts("m2")


def test_consumer_group_member_using_classic_protocol_batch_leave_group_updating_subscription_metadata(
) -> None:
    context = three_members()
    for member_id in ("m2", "m3"):
        context.replay(Records.new_member_subscription_record(GROUP, mk_member(
            context.manager.consumer_group(GROUP).get_or_maybe_create_member(member_id, False),
            subscribed_topic_names=["foo"])))
    result = context.leave_classic(("m1", None))
    assert_left(result, ("m1", None, Errors.NONE))
    assert_records(
        result.records, *member_tombstones("m1"),
        Records.new_group_subscription_metadata_record(GROUP, mk_metadata(foo=2)),
        Records.new_group_epoch_record(GROUP, 11))


def test_classic_group_leave_to_consumer_group_without_valid_leave_group_member() -> None:
    context = GroupMetadataManagerTestContext(group_of(mk_member("m")))
    result = context.leave_classic(("unknown", None), ("m", None))
    assert_left(result, ("unknown", None, Errors.UNKNOWN_MEMBER_ID), ("m", None, Errors.UNKNOWN_MEMBER_ID))
    assert result.records == []


def test_consumer_group_rebalance_sensor() -> None:
    rebalances: list[None] = []
    context = GroupMetadataManagerTestContext(
        image=mk_image(foo=6, bar=3), on_rebalance=lambda: rebalances.append(None))
    context.prepare({"m": ALL})
    context.join("m")
    assert len(rebalances) == 1
    context.heartbeat("m", 1)
    assert len(rebalances) == 1


def test_on_consumer_group_state_transition() -> None:
    context = GroupMetadataManagerTestContext()
    for _ in range(2):
        context.replay(Records.new_group_epoch_record(GROUP, 1))
        assert context.manager.count_groups() == {GroupState.EMPTY: 1}
    tombstones: list[CoordinatorRecord] = []
    context.manager.group(GROUP).create_group_tombstone_records(tombstones)
    context.replay(*tombstones)
    with pytest.raises(GroupIdNotFoundException):
        context.manager.group(GROUP)
    assert context.manager.count_groups() == {}
    for tombstone in tombstones:
        with pytest.raises(IllegalStateException):
            context.replay(tombstone)
    assert context.manager.count_groups() == {}


def test_on_consumer_group_state_transition_on_loading() -> None:
    context = GroupMetadataManagerTestContext()
    tombstones = [Records.new_target_assignment_epoch_tombstone_record(GROUP),
                  Records.new_group_epoch_tombstone_record(GROUP)]
    for _ in range(5):
        context.replay(Records.new_group_epoch_record(GROUP, 0))
    assert context.manager.count_groups() == {GroupState.EMPTY: 1}
    context.replay(*tombstones)
    for tombstone in tombstones * 3:
        with pytest.raises(IllegalStateException):
            context.replay(tombstone)
    assert context.manager.count_groups() == {}
