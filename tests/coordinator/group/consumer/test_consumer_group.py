# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.ConsumerGroupTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A consumer group's members, epochs, states and checks."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kreactor.common.errors import (
    GroupNotEmptyException, IllegalGenerationException, StaleMemberEpochException, UnknownMemberIdException,
    UnsupportedVersionException)
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import SubscriptionType
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.config.group_type import GroupType
from kreactor.testing.mock_time import MockTime
from tests.coordinator.group.assignment_test_util import (
    MetadataImageBuilder, mk_assignment, mk_classic_member, mk_map_of_partition_racks, mk_member)


def create_consumer_group(group_id: str) -> ConsumerGroup:
    return ConsumerGroup(group_id)


def partition_epochs(group: ConsumerGroup, topic_id: Uuid, *partitions: int) -> set[int]:
    return {group.current_partition_epoch(topic_id, partition) for partition in partitions}


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
    member = mk_member(member, subscribed_topic_names=["foo", "bar"])
    consumer_group.update_member(member)
    assert consumer_group.get_or_maybe_create_member("member", False) == member


def test_no_static_member() -> None:
    consumer_group = create_consumer_group("foo")
    consumer_group.get_or_maybe_create_member("member", True)
    assert consumer_group.static_member("instance-id") is None


def test_get_static_member_by_instance_id() -> None:
    consumer_group = create_consumer_group("foo")
    member = consumer_group.get_or_maybe_create_member("member", True)
    member = mk_member(member, subscribed_topic_names=["foo", "bar"], instance_id="instance")
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
    member = mk_member("member", subscribed_topic_names=["foo", "bar"], instance_id="instance")
    consumer_group.update_member(member)
    assert consumer_group.has_member("member")
    consumer_group.remove_member("member")
    assert not consumer_group.has_member("member")
    assert consumer_group.static_member("instance") is None
    assert consumer_group.static_member_id("instance") is None


def test_updating_member_updates_partition_epoch() -> None:
    foo_topic_id, bar_topic_id, zar_topic_id = (Uuid.random_uuid() for _ in range(3))
    consumer_group = create_consumer_group("foo")
    member = mk_member(
        "member", member_epoch=10, assigned_partitions=mk_assignment((foo_topic_id, 1, 2, 3)),
        partitions_pending_revocation=mk_assignment((bar_topic_id, 4, 5, 6)))
    consumer_group.update_member(member)
    assert partition_epochs(consumer_group, foo_topic_id, 1, 2, 3) == {10}
    assert partition_epochs(consumer_group, bar_topic_id, 4, 5, 6) == {10}
    assert partition_epochs(consumer_group, zar_topic_id, 7, 8, 9) == {-1}
    member = mk_member(
        member, member_epoch=11, assigned_partitions=mk_assignment((bar_topic_id, 1, 2, 3)),
        partitions_pending_revocation=mk_assignment((zar_topic_id, 4, 5, 6)))
    consumer_group.update_member(member)
    assert partition_epochs(consumer_group, bar_topic_id, 1, 2, 3) == {11}
    assert partition_epochs(consumer_group, zar_topic_id, 4, 5, 6) == {11}
    assert partition_epochs(consumer_group, foo_topic_id, 7, 8, 9) == {-1}


def test_updating_member_updates_partition_epoch_when_partition_is_reassigned_before_being_revoked() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    member = mk_member(
        "member", member_epoch=10, assigned_partitions={},
        partitions_pending_revocation=mk_assignment((foo_topic_id, 1)))
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 10
    member = mk_member(
        member, member_epoch=11, assigned_partitions=mk_assignment((foo_topic_id, 1)),
        partitions_pending_revocation={})
    consumer_group.update_member(member)
    assert consumer_group.current_partition_epoch(foo_topic_id, 1) == 11


def test_updating_member_updates_partition_epoch_when_partition_is_not_released() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    m1 = mk_member("m1", member_epoch=10, assigned_partitions=mk_assignment((foo_topic_id, 1)))
    consumer_group.update_member(m1)
    m2 = mk_member("m2", member_epoch=10, assigned_partitions=mk_assignment((foo_topic_id, 1)))
    with pytest.raises(IllegalStateException):
        consumer_group.update_member(m2)


def test_remove_partition_epochs() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    with pytest.raises(IllegalStateException):
        consumer_group.remove_partition_epochs(mk_assignment((foo_topic_id, 1)), 10)
    m1 = mk_member("m1", member_epoch=10, assigned_partitions=mk_assignment((foo_topic_id, 1)))
    consumer_group.update_member(m1)
    with pytest.raises(IllegalStateException):
        consumer_group.remove_partition_epochs(mk_assignment((foo_topic_id, 1)), 11)


def test_add_partition_epochs() -> None:
    foo_topic_id = Uuid.random_uuid()
    consumer_group = create_consumer_group("foo")
    consumer_group.add_partition_epochs(mk_assignment((foo_topic_id, 1)), 10)
    with pytest.raises(IllegalStateException):
        consumer_group.add_partition_epochs(mk_assignment((foo_topic_id, 1)), 11)


def test_deleting_member_removes_partition_epoch() -> None:
    foo_topic_id, bar_topic_id, zar_topic_id = (Uuid.random_uuid() for _ in range(3))
    consumer_group = create_consumer_group("foo")
    member = mk_member(
        "member", member_epoch=10, assigned_partitions=mk_assignment((foo_topic_id, 1, 2, 3)),
        partitions_pending_revocation=mk_assignment((bar_topic_id, 4, 5, 6)))
    consumer_group.update_member(member)
    assert partition_epochs(consumer_group, foo_topic_id, 1, 2, 3) == {10}
    assert partition_epochs(consumer_group, bar_topic_id, 4, 5, 6) == {10}
    assert partition_epochs(consumer_group, zar_topic_id, 7, 8, 9) == {-1}
    consumer_group.remove_member(member.member_id())
    assert partition_epochs(consumer_group, bar_topic_id, 1, 2, 3) == {-1}
    assert partition_epochs(consumer_group, zar_topic_id, 4, 5, 6) == {-1}
    assert partition_epochs(consumer_group, foo_topic_id, 7, 8, 9) == {-1}


def test_waiting_on_unreleased_partition() -> None:
    foo_topic_id, bar_topic_id, zar_topic_id = (Uuid.random_uuid() for _ in range(3))
    member_id1 = str(Uuid.random_uuid())
    member_id2 = str(Uuid.random_uuid())
    consumer_group = create_consumer_group("foo")
    consumer_group.update_target_assignment(
        member_id1, Assignment(mk_assignment((foo_topic_id, 1, 2, 3), (zar_topic_id, 7, 8, 9))))
    member1 = mk_member(
        member_id1, member_epoch=10, state=MemberState.UNRELEASED_PARTITIONS,
        assigned_partitions=mk_assignment((foo_topic_id, 1, 2, 3)),
        partitions_pending_revocation=mk_assignment((bar_topic_id, 4, 5, 6)))
    consumer_group.update_member(member1)
    assert not consumer_group.waiting_on_unreleased_partition(member1)
    member2 = mk_member(
        member_id2, member_epoch=10, partitions_pending_revocation=mk_assignment((zar_topic_id, 7)))
    consumer_group.update_member(member2)
    assert consumer_group.waiting_on_unreleased_partition(member1)


def test_group_state() -> None:
    consumer_group = create_consumer_group("foo")
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.EMPTY
    member1 = mk_member("member1", state=MemberState.STABLE, member_epoch=1, previous_member_epoch=0)
    consumer_group.update_member(member1)
    consumer_group.set_group_epoch(1)
    assert member1.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.ASSIGNING
    member2 = mk_member("member2", state=MemberState.STABLE, member_epoch=1, previous_member_epoch=0)
    consumer_group.update_member(member2)
    consumer_group.set_group_epoch(2)
    assert member2.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.ASSIGNING
    consumer_group.set_target_assignment_epoch(2)
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member1 = mk_member(member1, state=MemberState.STABLE, member_epoch=2, previous_member_epoch=1)
    consumer_group.update_member(member1)
    assert member1.state() == MemberState.STABLE
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member2 = mk_member(
        member2, state=MemberState.UNREVOKED_PARTITIONS, member_epoch=2, previous_member_epoch=1)
    consumer_group.update_member(member2)
    assert member2.state() == MemberState.UNREVOKED_PARTITIONS
    assert consumer_group.state() == ConsumerGroup.ConsumerGroupState.RECONCILING
    member2 = mk_member(member2, state=MemberState.STABLE, member_epoch=2, previous_member_epoch=1)
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
    member1 = mk_member("member1", server_assignor_name="range")
    member2 = mk_member("member2", server_assignor_name="range")
    member3 = mk_member("member3", server_assignor_name="uniform")
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
    updated_member1 = mk_member("member1", server_assignor_name=None)
    updated_member2 = mk_member("member2", server_assignor_name=None)
    updated_member3 = mk_member("member3", server_assignor_name=None)
    assignor = consumer_group.compute_preferred_server_assignor(member1, updated_member1)
    assert assignor == "range" or assignor == "uniform"
    consumer_group.update_member(updated_member1)
    assert consumer_group.compute_preferred_server_assignor(member2, updated_member2) == "uniform"
    consumer_group.update_member(updated_member2)
    assert consumer_group.preferred_server_assignor() == "uniform"
    assert consumer_group.compute_preferred_server_assignor(member3, updated_member3) is None
    consumer_group.update_member(updated_member3)
    assert consumer_group.preferred_server_assignor() is None


class Topics:
    """The topics foo, bar and zar, of 1, 2 and 3 partitions."""

    def __init__(self) -> None:
        builder = MetadataImageBuilder()
        self.metadata = {}
        for number, name in enumerate(("foo", "bar", "zar"), 1):
            topic_id = Uuid.random_uuid()
            builder.add_topic(topic_id, name, number)
            self.metadata[name] = TopicMetadata(topic_id, name, number, mk_map_of_partition_racks(number))
        self.image = builder.add_racks().build()

    def check(self, group: ConsumerGroup, names: Mapping[str, int], *expected: str) -> None:
        """The metadata of the subscribed names is that of the expected topics."""
        assert group.compute_subscription_metadata(names, self.image) == {
            name: self.metadata[name] for name in expected}


def test_update_subscription_metadata() -> None:
    topics = Topics()
    member1, member2, member3 = (
        mk_member(f"member{i}", subscribed_topic_names=[name]) for i, name in enumerate(topics.metadata, 1))
    group = create_consumer_group("group-foo")
    names = group.compute_subscribed_topic_names
    topics.check(group, names(None, None))
    topics.check(group, names(None, member1), "foo")
    group.update_member(member1)
    topics.check(group, names(None, None), "foo")
    topics.check(group, names(member1, None))
    topics.check(group, names(None, member2), "foo", "bar")
    group.update_member(member2)
    topics.check(group, names(None, None), "foo", "bar")
    topics.check(group, names(member2, None), "foo")
    topics.check(group, names(member1, None), "bar")
    topics.check(group, names(None, member3), "foo", "bar", "zar")
    group.update_member(member3)
    topics.check(group, names(None, None), "foo", "bar", "zar")
    without = group.compute_subscribed_topic_names_removed
    topics.check(group, without([member1, member2, member3]))
    topics.check(group, without([member2, member3]), "foo")
    topics.check(group, without([member1]), "bar", "zar")
    topics.check(group, without([]), "foo", "bar", "zar")


def test_update_subscribed_topic_names_and_subscription_type() -> None:
    member1 = mk_member("member1", subscribed_topic_names=["foo"])
    member2 = mk_member("member2", subscribed_topic_names=["bar", "foo"])
    member3 = mk_member("member3", subscribed_topic_names=["bar", "foo"])
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
    member4 = mk_member("member2", subscribed_topic_names=["bar", "foo", "zar"])
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
    group.update_member(mk_member("member-id"))
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
    group.update_member(mk_member("new-protocol-member-id"))
    group.update_member(
        mk_classic_member("old-protocol-member-id"))
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
    member1 = mk_member("member1", member_epoch=1, previous_member_epoch=0)
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
    topics = Topics()
    consumer_group = create_consumer_group("group-foo")
    consumer_group.update_member(mk_member("member1", subscribed_topic_names=["foo"]))
    consumer_group.update_member(mk_member("member2", subscribed_topic_names=["bar"]))
    topics.check(consumer_group, consumer_group.compute_subscribed_topic_names(None, None), "foo", "bar")
    assert consumer_group.is_subscribed_to_topic("foo")
    assert consumer_group.is_subscribed_to_topic("bar")
    consumer_group.remove_member("member1")
    assert not consumer_group.is_subscribed_to_topic("foo")
    consumer_group.remove_member("member2")
    assert not consumer_group.is_subscribed_to_topic("bar")


def test_classic_members_supported_protocols() -> None:
    consumer_group = create_consumer_group("foo")
    member1 = mk_classic_member("member-1", "range")
    consumer_group.update_member(member1)
    member2 = mk_classic_member("member-2", "roundrobin", "range")
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert consumer_group.classic_members_supported_protocols()["roundrobin"] == 1
    assert consumer_group.supports_classic_protocols("consumer", {"range", "sticky"})
    assert not consumer_group.supports_classic_protocols("consumer", {"sticky", "roundrobin"})
    member2 = mk_classic_member(member2, "range")
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert "roundrobin" not in consumer_group.classic_members_supported_protocols()
    member1 = mk_classic_member(member1, "roundrobin", "range")
    consumer_group.update_member(member1)
    member2 = mk_classic_member(member2, "roundrobin", "range")
    consumer_group.update_member(member2)
    assert consumer_group.classic_members_supported_protocols()["range"] == 2
    assert consumer_group.classic_members_supported_protocols()["roundrobin"] == 2
    assert consumer_group.supports_classic_protocols("consumer", {"sticky", "roundrobin"})


def test_num_classic_protocol_members() -> None:
    consumer_group = create_consumer_group("foo")
    member1 = mk_classic_member("member-1", "range")
    consumer_group.update_member(member1)
    assert consumer_group.num_classic_protocol_members() == 1
    member2 = mk_member("member-2")
    consumer_group.update_member(member2)
    assert consumer_group.num_classic_protocol_members() == 1
    assert not consumer_group.all_members_use_classic_protocol_except("member-1")
    assert consumer_group.all_members_use_classic_protocol_except("member-2")
    consumer_group.remove_member(member1.member_id())
    member3 = mk_member("member-3")
    consumer_group.update_member(member3)
    assert consumer_group.num_classic_protocol_members() == 0
    assert not consumer_group.all_members_use_classic_protocol_except("member-2")
    consumer_group.remove_member(member2.member_id())
    member2 = mk_classic_member("member-2", "range")
    consumer_group.update_member(member2)
    assert consumer_group.num_classic_protocol_members() == 1


def test_as_listed_group() -> None:
    group = ConsumerGroup("group-foo")
    assert group.as_listed_group() == ListGroupsResponseData.ListedGroup(
        group_id="group-foo", protocol_type="consumer", group_state="Empty", group_type="consumer")
    group.update_member(mk_member("member1", subscribed_topic_names=["foo"]))
    assert group.as_listed_group().group_state == "Stable"


def test_validate_offset_fetch() -> None:
    group = ConsumerGroup("group-foo")
    group.validate_offset_fetch(None, -1)
    with pytest.raises(UnknownMemberIdException):
        group.validate_offset_fetch("member-id", 0)
    group.update_member(mk_member("member-id"))
    with pytest.raises(StaleMemberEpochException):
        group.validate_offset_fetch("member-id", 10)
    group.validate_offset_fetch("member-id", 0)


def test_as_described_group() -> None:
    group = ConsumerGroup("group-id-1")
    assert group.state_as_string() == "Empty"
    group.update_member(
        mk_member("member1", subscribed_topic_names=["foo"], server_assignor_name="assignorName"))
    group.update_member(mk_member("member2"))
    described = group.as_described_group("", MetadataImageBuilder().build())
    assert described == ConsumerGroupDescribeResponseData.DescribedGroup(
        group_id="group-id-1", group_state="Stable", group_epoch=0, assignment_epoch=0,
        assignor_name="assignorName", members=[
            ConsumerGroupDescribeResponseData.Member(
                member_id="member1", subscribed_topic_names=["foo"], subscribed_topic_regex=""),
            ConsumerGroupDescribeResponseData.Member(member_id="member2", subscribed_topic_regex="")])


def test_is_in_states_case_insensitive() -> None:
    group = ConsumerGroup("group-foo")
    assert group.is_in_states({"empty"})
    assert not group.is_in_states({"Empty"})
    group.update_member(mk_member("member1", subscribed_topic_names=["foo"]))
    assert group.is_in_states({"stable"})
    assert not group.is_in_states({"empty"})
