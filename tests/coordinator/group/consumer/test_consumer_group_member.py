# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.ConsumerGroupMemberTest of Apache Kafka
# 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member, made anew, changed, from records and described."""

from __future__ import annotations

from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from tests.coordinator.group.assignment_test_util import (
    TOPIC1, TOPIC2, MetadataImageBuilder, mk_assignment, mk_classic_member, mk_member)


def full_member() -> ConsumerGroupMember:
    return mk_classic_member(
        "member-id", "range", metadata=b"\1\2\3", member_epoch=10, previous_member_epoch=9,
        instance_id="instance-id", rack_id="rack-id", rebalance_timeout_ms=5000, client_id="client-id",
        client_host="hostname", subscribed_topic_names=["foo", "bar"], subscribed_topic_regex="regex",
        server_assignor_name="range", assigned_partitions=mk_assignment((TOPIC1, 1, 2, 3)),
        partitions_pending_revocation=mk_assignment((TOPIC2, 4, 5, 6)))


def test_new_member() -> None:
    member = full_member()
    assert member.member_id() == "member-id"
    assert member.member_epoch() == 10
    assert member.previous_member_epoch() == 9
    assert member.instance_id() == "instance-id"
    assert member.rack_id() == "rack-id"
    assert member.client_id() == "client-id"
    assert member.client_host() == "hostname"
    assert member.subscribed_topic_names() == {"bar", "foo"}
    assert member.subscribed_topic_regex() == "regex"
    assert member.server_assignor_name() == "range"
    assert member.assigned_partitions() == mk_assignment((TOPIC1, 1, 2, 3))
    assert member.partitions_pending_revocation() == mk_assignment((TOPIC2, 4, 5, 6))
    assert member.classic_member_metadata() == ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
        supported_protocols=to_classic_protocol_collection("range"))
    assert member.supported_classic_protocols() == to_classic_protocol_collection("range")


def test_equals() -> None:
    assert full_member() == full_member()
    assert full_member() != mk_member(full_member(), member_epoch=11)


def test_update_member() -> None:
    member = full_member()
    updated_member = (
        ConsumerGroupMember.Builder(member).maybe_update_rack_id(None).maybe_update_instance_id(None)
        .maybe_update_server_assignor_name(None).maybe_update_subscribed_topic_names(None)
        .maybe_update_subscribed_topic_regex(None).maybe_update_rebalance_timeout_ms(None).build())
    assert updated_member == member
    updated_member = (
        ConsumerGroupMember.Builder(member).maybe_update_rack_id("new-rack-id")
        .maybe_update_instance_id("new-instance-id").maybe_update_server_assignor_name("new-assignor")
        .maybe_update_subscribed_topic_names(["zar"]).maybe_update_subscribed_topic_regex("new-regex")
        .maybe_update_rebalance_timeout_ms(6000).build())
    assert updated_member.instance_id() == "new-instance-id"
    assert updated_member.rack_id() == "new-rack-id"
    assert updated_member.subscribed_topic_names() == {"zar"}
    assert updated_member.subscribed_topic_regex() == "new-regex"
    assert updated_member.server_assignor_name() == "new-assignor"


def test_update_with_consumer_group_member_metadata_value() -> None:
    record = ConsumerGroupMemberMetadataValue(
        server_assignor="range", client_id="client-id", client_host="host-id", instance_id="instance-id",
        rack_id="rack-id", rebalance_timeout_ms=1000, subscribed_topic_names=["foo", "bar"],
        subscribed_topic_regex="regex",
        classic_member_metadata=ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
            supported_protocols=to_classic_protocol_collection("range")))
    member = ConsumerGroupMember.Builder("member-id").update_with(record).build()
    assert member.instance_id() == "instance-id"
    assert member.rack_id() == "rack-id"
    assert member.client_id() == "client-id"
    assert member.client_host() == "host-id"
    assert member.subscribed_topic_names() == {"bar", "foo"}
    assert member.subscribed_topic_regex() == "regex"
    assert member.server_assignor_name() == "range"
    assert member.classic_member_metadata() == ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
        supported_protocols=to_classic_protocol_collection("range"))


def test_update_with_consumer_group_current_member_assignment_value() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    record = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=10, previous_member_epoch=9,
        assigned_partitions=[
            ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=topic_id1, partitions=[0, 1, 2])],
        partitions_pending_revocation=[
            ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=topic_id2, partitions=[3, 4, 5])])
    member = ConsumerGroupMember.Builder("member-id").update_with_assignment(record).build()
    assert member.member_epoch() == 10
    assert member.previous_member_epoch() == 9
    assert member.assigned_partitions() == mk_assignment((topic_id1, 0, 1, 2))
    assert member.partitions_pending_revocation() == mk_assignment((topic_id2, 3, 4, 5))


def test_as_consumer_group_describe_member() -> None:
    topic_id1 = Uuid.random_uuid()
    topic_id2 = Uuid.random_uuid()
    topic_id3 = Uuid.random_uuid()
    topic_id4 = Uuid.random_uuid()
    metadata_image = (
        MetadataImageBuilder().add_topic(topic_id1, "topic1", 3).add_topic(topic_id2, "topic2", 3)
        .add_topic(topic_id3, "topic3", 3).add_topic(topic_id4, "topic4", 3).build())
    assigned_partitions = [0, 1, 2]
    epoch = 10
    record = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=epoch, previous_member_epoch=epoch - 1,
        assigned_partitions=[
            ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=topic_id1, partitions=assigned_partitions)],
        partitions_pending_revocation=[
            ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=topic_id2, partitions=[3, 4, 5])])
    member_id = str(Uuid.random_uuid())
    client_id = "clientId"
    instance_id = "instanceId"
    rack_id = "rackId"
    client_host = "clientHost"
    subscribed_topic_names = ["topic1", "topic2"]
    subscribed_topic_regex = "topic.*"
    assignment_map: dict[Uuid, set[int]] = {}
    assignment_map[topic_id4] = set(assigned_partitions)
    target_assignment = Assignment(assignment_map)
    member = (
        ConsumerGroupMember.Builder(member_id).update_with_assignment(record).set_client_id(client_id)
        .set_instance_id(instance_id).set_rack_id(rack_id).set_client_host(client_host)
        .set_subscribed_topic_names(subscribed_topic_names).set_subscribed_topic_regex(subscribed_topic_regex)
        .build())
    actual = member.as_consumer_group_describe_member(target_assignment, metadata_image.topics)
    expected = ConsumerGroupDescribeResponseData.Member(
        member_id=member_id, member_epoch=epoch, client_id=client_id, instance_id=instance_id,
        rack_id=rack_id, client_host=client_host, subscribed_topic_names=list(subscribed_topic_names),
        subscribed_topic_regex=subscribed_topic_regex,
        assignment=ConsumerGroupDescribeResponseData.Assignment(
            topic_partitions=[
                ConsumerGroupDescribeResponseData.TopicPartitions(
                    topic_id=topic_id1, topic_name="topic1", partitions=assigned_partitions)]),
        target_assignment=ConsumerGroupDescribeResponseData.Assignment(
            topic_partitions=[
                ConsumerGroupDescribeResponseData.TopicPartitions(
                    topic_id=topic_id4, topic_name="topic4", partitions=assigned_partitions)]))
    assert actual == expected


def test_as_consumer_group_describe_with_target_assignment_null() -> None:
    member = mk_member(str(Uuid.random_uuid()))
    consumer_group_describe_member = member.as_consumer_group_describe_member(
        None, MetadataImageBuilder().build().topics)
    assert consumer_group_describe_member.target_assignment == ConsumerGroupDescribeResponseData.Assignment()


def test_as_consumer_group_describe_with_topic_name_not_found() -> None:
    member_id = Uuid.random_uuid()
    record = ConsumerGroupCurrentMemberAssignmentValue(
        assigned_partitions=[
            ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=Uuid.random_uuid(), partitions=[0, 1, 2])])
    member = ConsumerGroupMember.Builder(str(member_id)).update_with_assignment(record).build()
    expected = ConsumerGroupDescribeResponseData.Member(member_id=str(member_id), subscribed_topic_regex="")
    actual = member.as_consumer_group_describe_member(
        None, MetadataImageBuilder().add_topic(Uuid.random_uuid(), "foo", 3).build().topics)
    assert actual == expected


def test_classic_protocol_list_from_join_request_protocol_collection() -> None:
    protocols = [JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"\1\2\3")]
    assert ConsumerGroupMember.classic_protocol_list_from_join_request_protocol_collection(
        protocols) == to_classic_protocol_collection("range")


def to_classic_protocol_collection(name: str) -> list[ConsumerGroupMemberMetadataValue.ClassicProtocol]:
    return [ConsumerGroupMemberMetadataValue.ClassicProtocol(name=name, metadata=b"\1\2\3")]
