# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.ConsumerGroupTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A consumer group's members, epochs, states and checks."""

from __future__ import annotations

from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.testing.mock_time import MockTime
from kreactor.server.config.group_type import GroupType
import pytest

from kreactor.common.errors import (
    GroupNotEmptyException,
    IllegalGenerationException,
    StaleMemberEpochException,
    UnknownMemberIdException,
    UnsupportedVersionException,
)
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import SubscriptionType
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue,
)
from kreactor.jdk.exceptions import IllegalStateException
from tests.coordinator.group.assignment_test_util import (
    MetadataImageBuilder,
    mk_assignment,
    mk_map_of_partition_racks,
    mk_topic_assignment,
)

NOT_APPLICABLE = {
    "testOffsetExpirationCondition": "the classic coordinator keeps all offsets, and expires them",
    "testStateTransitionMetrics": "the metrics of the new group coordinator are not ported",
}


def create_consumer_group(group_id: str) -> ConsumerGroup:
    return ConsumerGroup(group_id)


def test_get_or_create_member() -> None:
    consumer_group = create_consumer_group("foo")
    member = consumer_group.get_or_maybe_create_member("member-id", True)
    assert member.member_id() == "member-id"
    consumer_group.update_member(member)
    member = consumer_group.get_or_maybe_create_member("member-id", False)
    assert member.member_id() == "member-id"
    with pytest.raises(UnknownMemberIdException):
        consumer_group.get_or_maybe_create_member("does-not-exist", False)


def test_update_member() -> None:
    consumer_group = create_consumer_group("foo")
    member = consumer_group.get_or_maybe_create_member("member", True)
    member = ConsumerGroupMember.Builder(member).set_subscribed_topic_names(["foo", "bar"]).build()
    consumer_group.update_member(member)
    assert consumer_group.get_or_maybe_create_member("member", False) == member


def test_no_static_member() -> None:
    consumer_group = create_consumer_group("foo")
    consumer_group.get_or_maybe_create_member("member", True)
    assert consumer_group.static_member("instance-id") is None


def test_get_static_member_by_instance_id() -> None:
    consumer_group = create_consumer_group("foo")
    member = consumer_group.get_or_maybe_create_member("member", True)
    member = (
        ConsumerGroupMember.Builder(member)
        .set_subscribed_topic_names(["foo", "bar"])
        .set_instance_id("instance")
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.static_member("instance") == member
    assert consumer_group.get_or_maybe_create_member("member", False) == member
    assert consumer_group.static_member_id("instance") == member.member_id()


def test_remove_member() -> None:
    consumer_group = create_consumer_group("foo")
    member = consumer_group.get_or_maybe_create_member("member", True)
    consumer_group.update_member(member)
    assert consumer_group.has_member("member")
    consumer_group.remove_member("member")
    assert not consumer_group.has_member("member")


def test_remove_static_member() -> None:
    consumer_group = create_consumer_group("foo")
    member = (
        ConsumerGroupMember.Builder("member")
        .set_subscribed_topic_names(["foo", "bar"])
        .set_instance_id("instance")
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.has_member("member")
    consumer_group.remove_member("member")
    assert not consumer_group.has_member("member")
    assert consumer_group.static_member("instance") is None
    assert consumer_group.static_member_id("instance") is None


def test_updating_member_updates_partition_epoch() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    zar_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    member = (
        ConsumerGroupMember.Builder("member")
        .set_member_epoch(10)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3)))
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(bar_topic_id, 4, 5, 6)))
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 10
    assert consumer_group.current_partition_epoch(foo_topic_id, 2) == 10
    assert consumer_group.current_partition_epoch(foo_topic_id, 3) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 4) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 5) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 6) == 10
    assert consumer_group.current_partition_epoch(zar_topic_id, 7) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 8) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 9) == -1
    member = (
        ConsumerGroupMember.Builder(member)
        .set_member_epoch(11)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(bar_topic_id, 1, 2, 3)))
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(zar_topic_id, 4, 5, 6)))
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(bar_topic_id, 1) == 11
    assert consumer_group.current_partition_epoch(bar_topic_id, 2) == 11
    assert consumer_group.current_partition_epoch(bar_topic_id, 3) == 11
    assert consumer_group.current_partition_epoch(zar_topic_id, 4) == 11
    assert consumer_group.current_partition_epoch(zar_topic_id, 5) == 11
    assert consumer_group.current_partition_epoch(zar_topic_id, 6) == 11
    assert consumer_group.current_partition_epoch(foo_topic_id, 7) == -1
    assert consumer_group.current_partition_epoch(foo_topic_id, 8) == -1
    assert consumer_group.current_partition_epoch(foo_topic_id, 9) == -1


def test_updating_member_updates_partition_epoch_when_partition_is_reassigned_before_being_revoked() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    member = (
        ConsumerGroupMember.Builder("member")
        .set_member_epoch(10)
        .set_assigned_partitions({})
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(foo_topic_id, 1)))
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 10
    member = (
        ConsumerGroupMember.Builder(member)
        .set_member_epoch(11)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1)))
        .set_partitions_pending_revocation({})
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 11


def test_updating_member_updates_partition_epoch_when_partition_is_not_released() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    m1 = (
        ConsumerGroupMember.Builder("m1")
        .set_member_epoch(10)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1)))
        .build()
    )
    consumer_group.update_member(m1)
    m2 = (
        ConsumerGroupMember.Builder("m2")
        .set_member_epoch(10)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1)))
        .build()
    )
    with pytest.raises(IllegalStateException):
        consumer_group.update_member(m2)


def test_remove_partition_epochs() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    with pytest.raises(IllegalStateException):
        consumer_group.remove_partition_epochs(mk_assignment(mk_topic_assignment(foo_topic_id, 1)), 10)
    m1 = (
        ConsumerGroupMember.Builder("m1")
        .set_member_epoch(10)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1)))
        .build()
    )
    consumer_group.update_member(m1)
    with pytest.raises(IllegalStateException):
        consumer_group.remove_partition_epochs(mk_assignment(mk_topic_assignment(foo_topic_id, 1)), 11)


def test_add_partition_epochs() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    consumer_group.add_partition_epochs(mk_assignment(mk_topic_assignment(foo_topic_id, 1)), 10)
    with pytest.raises(IllegalStateException):
        consumer_group.add_partition_epochs(mk_assignment(mk_topic_assignment(foo_topic_id, 1)), 11)


def test_deleting_member_removes_partition_epoch() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    zar_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    member = (
        ConsumerGroupMember.Builder("member")
        .set_member_epoch(10)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3)))
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(bar_topic_id, 4, 5, 6)))
        .build()
    )
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 10
    assert consumer_group.current_partition_epoch(foo_topic_id, 2) == 10
    assert consumer_group.current_partition_epoch(foo_topic_id, 3) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 4) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 5) == 10
    assert consumer_group.current_partition_epoch(bar_topic_id, 6) == 10
    assert consumer_group.current_partition_epoch(zar_topic_id, 7) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 8) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 9) == -1
    consumer_group.remove_member(member.member_id())
    assert consumer_group.current_partition_epoch(bar_topic_id, 1) == -1
    assert consumer_group.current_partition_epoch(bar_topic_id, 2) == -1
    assert consumer_group.current_partition_epoch(bar_topic_id, 3) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 4) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 5) == -1
    assert consumer_group.current_partition_epoch(zar_topic_id, 6) == -1
    assert consumer_group.current_partition_epoch(foo_topic_id, 7) == -1
    assert consumer_group.current_partition_epoch(foo_topic_id, 8) == -1
    assert consumer_group.current_partition_epoch(foo_topic_id, 9) == -1


def test_waiting_on_unreleased_partition() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    zar_topic_id = Uuid.random_uuid()
    member_id1 = str(Uuid.random_uuid())
    member_id2 = str(Uuid.random_uuid())
    consumer_group = create_consumer_group("foo")
    consumer_group.update_target_assignment(
        member_id1,
        Assignment(
            mk_assignment(
                mk_topic_assignment(foo_topic_id, 1, 2, 3), mk_topic_assignment(zar_topic_id, 7, 8, 9)
            )
        ),
    )
    member1 = (
        ConsumerGroupMember.Builder(member_id1)
        .set_member_epoch(10)
        .set_state(MemberState.UNRELEASED_PARTITIONS)
        .set_assigned_partitions(mk_assignment(mk_topic_assignment(foo_topic_id, 1, 2, 3)))
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(bar_topic_id, 4, 5, 6)))
        .build()
    )
    consumer_group.update_member(member1)
    assert not consumer_group.waiting_on_unreleased_partition(member1)
    member2 = (
        ConsumerGroupMember.Builder(member_id2)
        .set_member_epoch(10)
        .set_partitions_pending_revocation(mk_assignment(mk_topic_assignment(zar_topic_id, 7)))
        .build()
    )
    consumer_group.update_member(member2)
    assert consumer_group.waiting_on_unreleased_partition(member1)


def test_group_state() -> None:
    consumer_group = create_consumer_group("foo")
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.EMPTY
    member1 = (
        ConsumerGroupMember.Builder("member1")
        .set_state(MemberState.STABLE)
        .set_member_epoch(1)
        .set_previous_member_epoch(0)
        .build()
    )
    consumer_group.update_member(member1)
    consumer_group.set_group_epoch(1)
    assert member1.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.ASSIGNING
    member2 = (
        ConsumerGroupMember.Builder("member2")
        .set_state(MemberState.STABLE)
        .set_member_epoch(1)
        .set_previous_member_epoch(0)
        .build()
    )
    consumer_group.update_member(member2)
    consumer_group.set_group_epoch(2)
    assert member2.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.ASSIGNING
    consumer_group.set_target_assignment_epoch(2)
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member1 = (
        ConsumerGroupMember.Builder(member1)
        .set_state(MemberState.STABLE)
        .set_member_epoch(2)
        .set_previous_member_epoch(1)
        .build()
    )
    consumer_group.update_member(member1)
    assert member1.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member2 = (
        ConsumerGroupMember.Builder(member2)
        .set_state(MemberState.UNREVOKED_PARTITIONS)
        .set_member_epoch(2)
        .set_previous_member_epoch(1)
        .build()
    )
    consumer_group.update_member(member2)
    assert member2.state() == MemberState.UNREVOKED_PARTITIONS
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member2 = (
        ConsumerGroupMember.Builder(member2)
        .set_state(MemberState.STABLE)
        .set_member_epoch(2)
        .set_previous_member_epoch(1)
        .build()
    )
    consumer_group.update_member(member2)
    assert member2.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.STABLE
    consumer_group.remove_member("member1")
    consumer_group.remove_member("member2")
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.EMPTY


def test_group_type_from_string() -> None:
    assert GroupType.CLASSIC == GroupType.parse("classic")
    assert GroupType.CONSUMER == GroupType.parse("Consumer")
    assert GroupType.UNKNOWN == GroupType.parse("Invalid")


def test_preferred_server_assignor() -> None:
    consumer_group = create_consumer_group("foo")
    member1 = ConsumerGroupMember.Builder("member1").set_server_assignor_name("range").build()
    member2 = ConsumerGroupMember.Builder("member2").set_server_assignor_name("range").build()
    member3 = ConsumerGroupMember.Builder("member3").set_server_assignor_name("uniform").build()
    assert consumer_group.preferred_server_assignor() is None
    assert consumer_group.compute_preferred_server_assignor(None, member1) == "range"
    consumer_group.update_member(member1)
    assert consumer_group.preferred_server_assignor() == "range"
    assert consumer_group.compute_preferred_server_assignor(member1, None) is None
    assert consumer_group.compute_preferred_server_assignor(None, member2) == "range"
    consumer_group.update_member(member2)
    assert consumer_group.preferred_server_assignor() == "range"
    consumer_group.update_member(member3)
    assert consumer_group.preferred_server_assignor() == "range"
    updated_member1 = ConsumerGroupMember.Builder("member1").set_server_assignor_name(None).build()
    updated_member2 = ConsumerGroupMember.Builder("member2").set_server_assignor_name(None).build()
    updated_member3 = ConsumerGroupMember.Builder("member3").set_server_assignor_name(None).build()
    assignor = consumer_group.compute_preferred_server_assignor(member1, updated_member1)
    assert assignor == "range" or assignor == "uniform"
    consumer_group.update_member(updated_member1)
    assert consumer_group.compute_preferred_server_assignor(member2, updated_member2) == "uniform"
    consumer_group.update_member(updated_member2)
    assert consumer_group.preferred_server_assignor() == "uniform"
    assert consumer_group.compute_preferred_server_assignor(member3, updated_member3) is None
    consumer_group.update_member(updated_member3)
    assert consumer_group.preferred_server_assignor() is None


def test_update_subscription_metadata() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    zar_topic_id = Uuid.random_uuid()
    image = (
        MetadataImageBuilder()
        .add_topic(foo_topic_id, "foo", 1)
        .add_topic(bar_topic_id, "bar", 2)
        .add_topic(zar_topic_id, "zar", 3)
        .add_racks()
        .build()
    )
    member1 = ConsumerGroupMember.Builder("member1").set_subscribed_topic_names(["foo"]).build()
    member2 = ConsumerGroupMember.Builder("member2").set_subscribed_topic_names(["bar"]).build()
    member3 = ConsumerGroupMember.Builder("member3").set_subscribed_topic_names(["zar"]).build()
    consumer_group = create_consumer_group("group-foo")
    assert (
        consumer_group.compute_subscription_metadata(
            consumer_group.compute_subscribed_topic_names(None, None), image
        )
        == {}
    )
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, member1), image
    ) == {"foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1))}
    consumer_group.update_member(member1)
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, None), image
    ) == {"foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1))}
    assert (
        consumer_group.compute_subscription_metadata(
            consumer_group.compute_subscribed_topic_names(member1, None), image
        )
        == {}
    )
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, member2), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
    }
    consumer_group.update_member(member2)
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, None), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
    }
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(member2, None), image
    ) == {"foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1))}
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(member1, None), image
    ) == {"bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2))}
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, member3), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
        "zar": TopicMetadata(zar_topic_id, "zar", 3, mk_map_of_partition_racks(3)),
    }
    consumer_group.update_member(member3)
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, None), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
        "zar": TopicMetadata(zar_topic_id, "zar", 3, mk_map_of_partition_racks(3)),
    }
    assert (
        consumer_group.compute_subscription_metadata(
            consumer_group.compute_subscribed_topic_names_removed([member1, member2, member3]), image
        )
        == {}
    )
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names_removed([member2, member3]), image
    ) == {"foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1))}
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names_removed([member1]), image
    ) == {
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
        "zar": TopicMetadata(zar_topic_id, "zar", 3, mk_map_of_partition_racks(3)),
    }
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names_removed([]), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
        "zar": TopicMetadata(zar_topic_id, "zar", 3, mk_map_of_partition_racks(3)),
    }


def test_update_subscribed_topic_names_and_subscription_type() -> None:
    member1 = ConsumerGroupMember.Builder("member1").set_subscribed_topic_names(["foo"]).build()
    member2 = ConsumerGroupMember.Builder("member2").set_subscribed_topic_names(["bar", "foo"]).build()
    member3 = ConsumerGroupMember.Builder("member3").set_subscribed_topic_names(["bar", "foo"]).build()
    consumer_group = create_consumer_group("group-foo")
    assert consumer_group.subscribed_topic_names() == {}
    assert consumer_group.subscription_type() == SubscriptionType.HOMOGENEOUS
    consumer_group.update_member(member1)
    assert consumer_group.subscription_type() == SubscriptionType.HOMOGENEOUS
    consumer_group.update_member(member2)
    assert consumer_group.subscription_type() == SubscriptionType.HETEROGENEOUS
    consumer_group.update_member(member3)
    assert consumer_group.subscription_type() == SubscriptionType.HETEROGENEOUS
    consumer_group.remove_member(member1.member_id())
    assert consumer_group.subscription_type() == SubscriptionType.HOMOGENEOUS
    member4 = ConsumerGroupMember.Builder("member2").set_subscribed_topic_names(["bar", "foo", "zar"]).build()
    consumer_group.update_member(member4)
    assert consumer_group.subscription_type() == SubscriptionType.HETEROGENEOUS


def test_update_inverted_assignment() -> None:
    consumer_group = ConsumerGroup("test-group")
    topic_id = Uuid.random_uuid()
    member_id1 = "member1"
    member_id2 = "member2"
    initial_assignment = Assignment({topic_id: {0}})
    consumer_group.update_target_assignment(member_id1, initial_assignment)
    assert consumer_group.inverted_target_assignment() == {topic_id: {0: member_id1}}
    new_assignment = Assignment({topic_id: {1}})
    consumer_group.update_target_assignment(member_id1, new_assignment)
    assert consumer_group.inverted_target_assignment() == {topic_id: {1: member_id1}}
    new_assignment2 = Assignment({topic_id: {1}})
    consumer_group.update_target_assignment(member_id2, new_assignment2)
    assert consumer_group.inverted_target_assignment() == {topic_id: {1: member_id2}}
    new_assignment1 = Assignment({topic_id: {0}})
    consumer_group.update_target_assignment(member_id1, new_assignment1)
    assert consumer_group.inverted_target_assignment() == {topic_id: {0: member_id1, 1: member_id2}}
    consumer_group.remove_target_assignment(member_id1)
    assert consumer_group.inverted_target_assignment() == {topic_id: {1: member_id2}}


def test_metadata_refresh_deadline() -> None:
    time = MockTime()
    group = create_consumer_group("group-foo")
    assert group.group_epoch() == 0
    assert group.has_metadata_expired(time.milliseconds())
    assert group.metadata_refresh_deadline().deadline_ms == 0
    assert group.metadata_refresh_deadline().epoch == 0
    group.set_metadata_refresh_deadline(time.milliseconds() + 1000, group.group_epoch())
    assert not group.has_metadata_expired(time.milliseconds())
    assert group.metadata_refresh_deadline().deadline_ms == time.milliseconds() + 1000
    assert group.metadata_refresh_deadline().epoch == group.group_epoch()
    time.sleep(1001)
    assert group.has_metadata_expired(time.milliseconds())
    group.set_metadata_refresh_deadline(time.milliseconds() + 1000, group.group_epoch() + 1)
    assert group.has_metadata_expired(time.milliseconds())
    assert group.metadata_refresh_deadline().deadline_ms == time.milliseconds() + 1000
    assert group.metadata_refresh_deadline().epoch == group.group_epoch() + 1
    group.set_group_epoch(group.group_epoch() + 1)
    group.set_metadata_refresh_deadline(time.milliseconds() + 1000, group.group_epoch())
    assert not group.has_metadata_expired(time.milliseconds())
    assert group.metadata_refresh_deadline().deadline_ms == time.milliseconds() + 1000
    assert group.metadata_refresh_deadline().epoch == group.group_epoch()
    group.request_metadata_refresh()
    assert group.has_metadata_expired(time.milliseconds())
    assert group.metadata_refresh_deadline().deadline_ms == 0
    assert group.metadata_refresh_deadline().epoch == 0


@pytest.mark.parametrize("version", range(10))
def test_validate_transactional_offset_commit(version: int) -> None:
    is_transactional = True
    group = create_consumer_group("group-foo")
    group.validate_offset_commit("", "", -1, is_transactional, version)
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_commit("member-id", None, 0, is_transactional, version)
    group.update_member(ConsumerGroupMember.Builder("member-id").build())
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_commit("", "", -1, is_transactional, version)
    with pytest.raises(StaleMemberEpochException):
        group.validate_offset_commit("member-id", "", 10, is_transactional, version)
    group.validate_offset_commit("member-id", "", 0, is_transactional, version)


@pytest.mark.parametrize("version", range(10))
def test_validate_offset_commit(version: int) -> None:
    is_transactional = False
    group = create_consumer_group("group-foo")
    group.validate_offset_commit("", "", -1, is_transactional, version)
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_commit("member-id", None, 0, is_transactional, version)
    group.update_member(ConsumerGroupMember.Builder("new-protocol-member-id").build())
    group.update_member(
        ConsumerGroupMember.Builder("old-protocol-member-id")
        .set_classic_member_metadata(ConsumerGroupMemberMetadataValue.ClassicMemberMetadata())
        .build()
    )
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_commit("", "", -1, is_transactional, version)
    if version >= 9:
        with pytest.raises(StaleMemberEpochException):
            group.validate_offset_commit("new-protocol-member-id", "", 10, is_transactional, version)
    else:
        with pytest.raises(UnsupportedVersionException):
            group.validate_offset_commit("new-protocol-member-id", "", 10, is_transactional, version)
    with pytest.raises(IllegalGenerationException):
        group.validate_offset_commit("old-protocol-member-id", "", 10, is_transactional, version)
    if version >= 9:
        group.validate_offset_commit("new-protocol-member-id", "", 0, is_transactional, version)
    else:
        with pytest.raises(UnsupportedVersionException):
            group.validate_offset_commit("new-protocol-member-id", "", 0, is_transactional, version)


def test_validate_delete_group() -> None:
    consumer_group = create_consumer_group("foo")
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.EMPTY
    consumer_group.validate_delete_group()
    member1 = ConsumerGroupMember.Builder("member1").set_member_epoch(1).set_previous_member_epoch(0).build()
    consumer_group.update_member(member1)
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    with pytest.raises(GroupNotEmptyException):
        consumer_group.validate_delete_group()
    consumer_group.set_group_epoch(1)
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.ASSIGNING
    with pytest.raises(GroupNotEmptyException):
        consumer_group.validate_delete_group()
    consumer_group.set_target_assignment_epoch(1)
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.STABLE
    with pytest.raises(GroupNotEmptyException):
        consumer_group.validate_delete_group()


def test_is_subscribed_to_topic() -> None:
    foo_topic_id = Uuid.random_uuid()
    bar_topic_id = Uuid.random_uuid()
    image = (
        MetadataImageBuilder()
        .add_topic(foo_topic_id, "foo", 1)
        .add_topic(bar_topic_id, "bar", 2)
        .add_racks()
        .build()
    )
    member1 = ConsumerGroupMember.Builder("member1").set_subscribed_topic_names(["foo"]).build()
    member2 = ConsumerGroupMember.Builder("member2").set_subscribed_topic_names(["bar"]).build()
    consumer_group = create_consumer_group("group-foo")
    consumer_group.update_member(member1)
    consumer_group.update_member(member2)
    assert consumer_group.compute_subscription_metadata(
        consumer_group.compute_subscribed_topic_names(None, None), image
    ) == {
        "foo": TopicMetadata(foo_topic_id, "foo", 1, mk_map_of_partition_racks(1)),
        "bar": TopicMetadata(bar_topic_id, "bar", 2, mk_map_of_partition_racks(2)),
    }
    assert consumer_group.is_subscribed_to_topic("foo")
    assert consumer_group.is_subscribed_to_topic("bar")
    consumer_group.remove_member("member1")
    assert not consumer_group.is_subscribed_to_topic("foo")
    consumer_group.remove_member("member2")
    assert not consumer_group.is_subscribed_to_topic("bar")


def test_classic_members_supported_protocols() -> None:
    consumer_group = create_consumer_group("foo")
    range_protocol: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = []
    range_protocol.append(ConsumerGroupMemberMetadataValue.ClassicProtocol(name="range", metadata=b""))
    round_robin_and_range_protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = []
    round_robin_and_range_protocols.append(
        ConsumerGroupMemberMetadataValue.ClassicProtocol(name="roundrobin", metadata=b"")
    )
    round_robin_and_range_protocols.append(
        ConsumerGroupMemberMetadataValue.ClassicProtocol(name="range", metadata=b"")
    )
    member1 = (
        ConsumerGroupMember.Builder("member-1")
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(supported_protocols=range_protocol)
        )
        .build()
    )
    consumer_group.update_member(member1)
    member2 = (
        ConsumerGroupMember.Builder("member-2")
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                supported_protocols=round_robin_and_range_protocols
            )
        )
        .build()
    )
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert consumer_group.classic_members_supported_protocols()["roundrobin"] == 1
    assert consumer_group.supports_classic_protocols("consumer", {"range", "sticky"})
    assert not consumer_group.supports_classic_protocols("consumer", {"sticky", "roundrobin"})
    member2 = (
        ConsumerGroupMember.Builder(member2)
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(supported_protocols=range_protocol)
        )
        .build()
    )
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert "roundrobin" not in consumer_group.classic_members_supported_protocols()
    member1 = (
        ConsumerGroupMember.Builder(member1)
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                supported_protocols=round_robin_and_range_protocols
            )
        )
        .build()
    )
    consumer_group.update_member(member1)
    member2 = (
        ConsumerGroupMember.Builder(member2)
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
                supported_protocols=round_robin_and_range_protocols
            )
        )
        .build()
    )
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert consumer_group.classic_members_supported_protocols()["roundrobin"] == 2
    assert consumer_group.supports_classic_protocols("consumer", {"sticky", "roundrobin"})


def test_num_classic_protocol_members() -> None:
    consumer_group = create_consumer_group("foo")
    protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = []
    protocols.append(ConsumerGroupMemberMetadataValue.ClassicProtocol(name="range", metadata=b""))
    member1 = (
        ConsumerGroupMember.Builder("member-1")
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(supported_protocols=protocols)
        )
        .build()
    )
    consumer_group.update_member(member1)
    assert consumer_group.num_classic_protocol_members() == 1
    member2 = ConsumerGroupMember.Builder("member-2").build()
    consumer_group.update_member(member2)
    assert consumer_group.num_classic_protocol_members() == 1
    assert not consumer_group.all_members_use_classic_protocol_except("member-1")
    assert consumer_group.all_members_use_classic_protocol_except("member-2")
    consumer_group.remove_member(member1.member_id())
    member3 = ConsumerGroupMember.Builder("member-3").build()
    consumer_group.update_member(member3)
    assert consumer_group.num_classic_protocol_members() == 0
    assert not consumer_group.all_members_use_classic_protocol_except("member-2")
    consumer_group.remove_member(member2.member_id())
    member2 = (
        ConsumerGroupMember.Builder("member-2")
        .set_classic_member_metadata(
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(supported_protocols=protocols)
        )
        .build()
    )
    consumer_group.update_member(member2)
    assert consumer_group.num_classic_protocol_members() == 1


def test_as_listed_group() -> None:
    group = ConsumerGroup("group-foo")
    assert group.as_listed_group() == ListGroupsResponseData.ListedGroup(
        group_id="group-foo", protocol_type="consumer", group_state="Empty", group_type="consumer"
    )
    group.update_member(ConsumerGroupMember.Builder("member1").set_subscribed_topic_names(["foo"]).build())
    assert group.as_listed_group().group_state == "Stable"


def test_validate_offset_fetch() -> None:
    group = ConsumerGroup("group-foo")
    group.validate_offset_fetch(None, -1)
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_fetch("member-id", 0)
    group.update_member(ConsumerGroupMember.Builder("member-id").build())
    with pytest.raises(StaleMemberEpochException):
        group.validate_offset_fetch("member-id", 10)
    group.validate_offset_fetch("member-id", 0)


def test_as_described_group() -> None:
    group = ConsumerGroup("group-id-1")
    assert group.state_as_string() == "Empty"
    group.update_member(
        ConsumerGroupMember.Builder("member1")
        .set_subscribed_topic_names(["foo"])
        .set_server_assignor_name("assignorName")
        .build()
    )
    group.update_member(ConsumerGroupMember.Builder("member2").build())
    assert group.as_described_group(
        "", MetadataImageBuilder().build()
    ) == ConsumerGroupDescribeResponseData.DescribedGroup(
        group_id="group-id-1",
        group_state="Stable",
        group_epoch=0,
        assignment_epoch=0,
        assignor_name="assignorName",
        members=[
            ConsumerGroupDescribeResponseData.Member(
                member_id="member1", subscribed_topic_names=["foo"], subscribed_topic_regex=""
            ),
            ConsumerGroupDescribeResponseData.Member(member_id="member2", subscribed_topic_regex=""),
        ],
    )


def test_is_in_states_case_insensitive() -> None:
    group = ConsumerGroup("group-foo")
    assert group.is_in_states({"empty"})
    assert not group.is_in_states({"Empty"})
    group.update_member(ConsumerGroupMember.Builder("member1").set_subscribed_topic_names(["foo"]).build())
    assert group.is_in_states({"stable"})
    assert not group.is_in_states({"empty"})
