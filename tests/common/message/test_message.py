# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's MessageTest: which versions can say what."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.api_message_type import ApiMessageType
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leader_and_isr_request_data import LeaderAndIsrRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_json_converter import read_json, write_json
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.uuid import Uuid
from tests.common.message.simple_example_message_data import SimpleExampleMessageData

MEMBER_ID = "memberId"
INSTANCE_ID = "instanceId"
# The exceptions here for Java's NullPointerException.
NULL_POINTER = (TypeError, AttributeError)


def assert_bytes_round_trip(version: int, message: Message, expected: Message) -> None:
    size = message.serialized_size(version)
    buffer = MessageUtil.to_byte_buffer(message, version)
    assert buffer.remaining() == size
    read = type(message).read(buffer, version)
    assert not buffer.has_remaining()
    assert read == expected
    assert str(read) == str(expected)


def assert_round_trip(version: int, message: Message) -> None:
    assert_bytes_round_trip(version, message, message)
    read = read_json(type(message), write_json(message, version), version)
    assert read == message
    assert str(read) == str(message)


def assert_round_trips_from(version: int, message: Message, to: int | None = None) -> None:
    for each in range(version, (message.highest_supported_version() if to is None else to) + 1):
        assert_round_trip(each, message)


def assert_round_trips_before(version: int, message: Message, expected: Message) -> None:
    for each in range(version):
        assert_bytes_round_trip(each, message, expected)


def assert_round_trips(message: Message) -> None:
    duplicate = message.duplicate()
    assert duplicate == message
    assert message == duplicate
    assert_round_trips_from(message.lowest_supported_version(), message)


def test_add_offsets_to_txn_versions() -> None:
    assert_round_trips(AddOffsetsToTxnRequestData(
        transactional_id="foobar", producer_id=0xBADCAFEBADCAFE, producer_epoch=123, group_id="baaz"))
    assert_round_trips(AddOffsetsToTxnResponseData(throttle_time_ms=42, error_code=0))


def test_add_partitions_to_txn_versions() -> None:
    topics = [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name="Topic", partitions=[1])]
    v3_and_below = AddPartitionsToTxnRequestData(
        v3_and_below_transactional_id="blah", v3_and_below_producer_id=0xBADCAFEBADCAFE,
        v3_and_below_producer_epoch=30000, v3_and_below_topics=topics)
    assert v3_and_below.duplicate() == v3_and_below
    assert_round_trips_from(0, v3_and_below, to=3)
    data = AddPartitionsToTxnRequestData(transactions=[
        AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
            transactional_id="blah", producer_id=0xBADCAFEBADCAFE, producer_epoch=30000, topics=topics)])
    assert data.duplicate() == data
    assert_round_trips_from(4, data)


def test_create_topics_versions() -> None:
    assert_round_trips(CreateTopicsRequestData(timeout_ms=1000, topics=[]))


def test_describe_acls_request() -> None:
    assert_round_trips(DescribeAclsRequestData(
        resource_type_filter=42, resource_name_filter=None, pattern_type_filter=3, principal_filter="abc",
        host_filter=None, operation=0, permission_type=0))


def test_metadata_versions() -> None:
    assert_round_trips(MetadataRequestData(topics=[
        MetadataRequestData.MetadataRequestTopic(name="foo"),
        MetadataRequestData.MetadataRequestTopic(name="bar")]))
    assert_round_trips_from(1, MetadataRequestData(topics=None, allow_auto_topic_creation=True))
    assert_round_trips_from(4, MetadataRequestData(topics=None, allow_auto_topic_creation=False))


def test_heartbeat_versions() -> None:
    def request() -> HeartbeatRequestData:
        return HeartbeatRequestData(group_id="groupId", member_id=MEMBER_ID, generation_id=15)

    assert_round_trips(request())
    with_instance = request()
    with_instance.group_instance_id = None
    assert_round_trips(with_instance)
    with_instance.group_instance_id = "instanceId"
    assert_round_trips_from(3, with_instance)


def test_join_group_request_versions() -> None:
    request = JoinGroupRequestData(group_id="groupId", member_id=MEMBER_ID, protocol_type="consumer",
                                   protocols=[], session_timeout_ms=10000)
    assert_round_trips(request)
    with_timeout = request.duplicate()
    with_timeout.rebalance_timeout_ms = 20000
    assert_round_trips_from(1, with_timeout)
    request.group_instance_id = None
    assert_round_trips(request)
    request.group_instance_id = "instanceId"
    assert_round_trips_from(5, request)


def test_list_offsets_request_versions() -> None:
    topics = [ListOffsetsRequestData.ListOffsetsTopic(name="topic", partitions=[
        ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=123)])]
    assert_round_trips(ListOffsetsRequestData(topics=topics, replica_id=0))
    assert_round_trips_from(2, ListOffsetsRequestData(
        topics=topics, replica_id=0, isolation_level=IsolationLevel.READ_COMMITTED.id()))


def test_list_offsets_response_versions() -> None:
    partition = ListOffsetsResponseData.ListOffsetsPartitionResponse(
        error_code=Errors.NONE.code, partition_index=0, old_style_offsets=[321])
    for version in ApiKeys.LIST_OFFSETS.all_versions():
        data = ListOffsetsResponseData(topics=[
            ListOffsetsResponseData.ListOffsetsTopicResponse(name="topic", partitions=[partition])])
        if version > 0:
            partition.old_style_offsets = []
            partition.offset = 456
            partition.timestamp = 123
        if version > 1:
            data.throttle_time_ms = 1000
        if version > 3:
            partition.leader_epoch = 1
        assert_round_trip(version, data)


def test_join_group_response_versions() -> None:
    def response() -> JoinGroupResponseData:
        return JoinGroupResponseData(
            member_id=MEMBER_ID, leader=MEMBER_ID, generation_id=1,
            members=[JoinGroupResponseData.JoinGroupResponseMember(member_id=MEMBER_ID)])

    assert_round_trips(response())
    throttled = response()
    throttled.throttle_time_ms = 1000
    assert_round_trips_from(2, throttled)
    member = response().members[0]
    member.group_instance_id = None
    assert_round_trips(member)
    member.group_instance_id = "instanceId"
    assert_round_trips_from(5, member)


def test_leave_group_response_versions() -> None:
    assert_round_trips(LeaveGroupResponseData(error_code=Errors.NOT_COORDINATOR.code))
    assert_round_trips_from(1, LeaveGroupResponseData(
        error_code=Errors.NOT_COORDINATOR.code, throttle_time_ms=1000))
    assert_round_trips_from(3, LeaveGroupResponseData(error_code=Errors.NOT_COORDINATOR.code, members=[
        LeaveGroupResponseData.MemberResponse(member_id=MEMBER_ID, group_instance_id=INSTANCE_ID)]))


def test_sync_group_default_group_instance_id() -> None:
    request = SyncGroupRequestData(group_id="groupId", member_id=MEMBER_ID, generation_id=15, assignments=[])
    assert_round_trips(request)
    request.group_instance_id = None
    assert_round_trips(request)
    request.group_instance_id = INSTANCE_ID
    assert_round_trips_from(3, request)


def test_offset_commit_default_group_instance_id() -> None:
    assert_round_trips(OffsetCommitRequestData(topics=[], group_id="groupId"))
    request = OffsetCommitRequestData(group_id="groupId", member_id=MEMBER_ID, topics=[],
                                      generation_id_or_member_epoch=15)
    assert_round_trips_from(1, request)
    request.group_instance_id = None
    assert_round_trips_from(1, request)
    request.group_instance_id = INSTANCE_ID
    assert_round_trips_from(7, request)


def test_describe_groups_request_versions() -> None:
    assert_round_trips(DescribeGroupsRequestData(groups=["group"], include_authorized_operations=False))


def described(**member: Any) -> DescribeGroupsResponseData:
    return DescribeGroupsResponseData(groups=[DescribeGroupsResponseData.DescribedGroup(
        group_id="group", group_state="Stable", error_code=Errors.NONE.code, protocol_type="consumer",
        members=[DescribeGroupsResponseData.DescribedGroupMember(member_id=MEMBER_ID, **member)])])


def test_describe_groups_response_versions() -> None:
    response = described()
    assert_round_trips(response)
    response.throttle_time_ms = 10
    assert_round_trips_from(1, response)
    response.groups[0].authorized_operations = 1
    assert_round_trips_from(3, response)
    response.groups[0].members[0].group_instance_id = INSTANCE_ID
    assert_round_trips_from(4, response)


def test_describe_cluster_request_versions() -> None:
    assert_round_trips(DescribeClusterRequestData(include_cluster_authorized_operations=True))


def test_describe_cluster_response_versions() -> None:
    assert_round_trips(DescribeClusterResponseData(
        brokers=[DescribeClusterResponseData.DescribeClusterBroker(
            broker_id=1, host="localhost", port=9092, rack="rack1")],
        cluster_id="clusterId", controller_id=1, cluster_authorized_operations=10))


def test_group_instance_id_ignorable_in_describe_groups_response() -> None:
    with_instance = described(group_instance_id=INSTANCE_ID)
    expected = with_instance.duplicate()
    expected.groups[0].members[0].group_instance_id = None
    assert_round_trips_before(4, with_instance, expected)


def test_throttle_time_ignorable_in_describe_groups_response() -> None:
    throttled = described()
    throttled.throttle_time_ms = 10
    expected = throttled.duplicate()
    expected.throttle_time_ms = 0
    assert_round_trips_before(1, throttled, expected)


def test_offset_for_leader_epoch_versions() -> None:
    partition = OffsetForLeaderEpochRequestData.OffsetForLeaderPartition
    no_current = partition(partition=0, leader_epoch=3)
    with_current = partition(partition=0, leader_epoch=3, current_leader_epoch=5)
    data = OffsetForLeaderEpochRequestData(topics=[
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(topic="foo", partitions=[no_current])])
    assert_round_trips(data)
    assert_round_trips_before(2, with_current, no_current)
    assert_round_trips_from(2, with_current)
    assert_round_trips_from(3, OffsetForLeaderEpochRequestData(replica_id=5))
    assert_round_trips_before(3, OffsetForLeaderEpochRequestData(replica_id=5),
                              OffsetForLeaderEpochRequestData())
    assert_round_trips_before(3, OffsetForLeaderEpochRequestData(replica_id=5),
                              OffsetForLeaderEpochRequestData(replica_id=-2))


def test_leader_and_isr_versions() -> None:
    def request(**moved: Any) -> LeaderAndIsrRequestData:
        return LeaderAndIsrRequestData(topic_states=[LeaderAndIsrRequestData.LeaderAndIsrTopicState(
            topic_name="topic", partition_states=[LeaderAndIsrRequestData.LeaderAndIsrPartitionState(
                partition_index=0, replicas=[0], **moved)])])

    moving = request(adding_replicas=[1], removing_replicas=[1])
    assert_bytes_round_trip(2, moving, request())
    assert_round_trips_from(3, moving)


def test_offset_commit_request_versions() -> None:
    topic = OffsetCommitRequestData.OffsetCommitRequestTopic
    partition = OffsetCommitRequestData.OffsetCommitRequestPartition
    assert_round_trips(OffsetCommitRequestData(group_id="groupId", topics=[topic(name="topic", partitions=[
        partition(partition_index=2, committed_metadata="metadata", committed_offset=100)])]))
    for version in ApiKeys.OFFSET_COMMIT.all_versions():
        request = OffsetCommitRequestData(
            group_id="groupId", member_id="memberId", group_instance_id="instanceId", retention_time_ms=20,
            topics=[topic(name="topic", partitions=[partition(
                partition_index=2, committed_leader_epoch=10, committed_metadata="metadata",
                committed_offset=100, commit_timestamp=20)])])
        if version < 1:
            request.member_id = ""
            request.generation_id_or_member_epoch = -1
        if version != 1:
            request.topics[0].partitions[0].commit_timestamp = -1
        if version < 2 or version > 4:
            request.retention_time_ms = -1
        if version < 6:
            request.topics[0].partitions[0].committed_leader_epoch = -1
        if version < 7:
            request.group_instance_id = None
        if version == 1:
            assert_round_trip(version, request)
        elif 2 <= version <= 4:
            for each in range(version, 5):
                assert_bytes_round_trip(each, request, request)
        else:
            assert_round_trips_from(version, request)


def test_offset_commit_response_versions() -> None:
    for version in ApiKeys.OFFSET_COMMIT.all_versions():
        assert_round_trips_from(version, OffsetCommitResponseData(
            throttle_time_ms=0 if version < 3 else 20,
            topics=[OffsetCommitResponseData.OffsetCommitResponseTopic(name="topic", partitions=[
                OffsetCommitResponseData.OffsetCommitResponsePartition(
                    partition_index=1, error_code=Errors.UNKNOWN_MEMBER_ID.code)])]))


def test_txn_offset_commit_request_versions() -> None:
    topic = TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic
    partition = TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition
    assert_round_trips(TxnOffsetCommitRequestData(
        group_id="groupId", transactional_id="transactionalId", producer_id=25, producer_epoch=10,
        topics=[topic(name="topic", partitions=[
            partition(partition_index=2, committed_metadata="metadata", committed_offset=100)])]))
    for version in ApiKeys.TXN_OFFSET_COMMIT.all_versions():
        request = TxnOffsetCommitRequestData(
            group_id="groupId", transactional_id="transactionalId", producer_id=25, producer_epoch=10,
            group_instance_id="instance", member_id="member", generation_id=1,
            topics=[topic(name="topic", partitions=[partition(
                partition_index=2, committed_leader_epoch=10, committed_metadata="metadata",
                committed_offset=100)])])
        if version < 2:
            request.topics[0].partitions[0].committed_leader_epoch = -1
        if version < 3:
            with pytest.raises(UnsupportedVersionException):
                assert_round_trip(version, request)
            request.group_instance_id = None
            with pytest.raises(UnsupportedVersionException):
                assert_round_trip(version, request)
            request.member_id = ""
            with pytest.raises(UnsupportedVersionException):
                assert_round_trip(version, request)
            request.generation_id = -1
        assert_round_trips_from(version, request)


def test_txn_offset_commit_response_versions() -> None:
    assert_round_trips(TxnOffsetCommitResponseData(throttle_time_ms=20, topics=[
        TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic(name="topic", partitions=[
            TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                partition_index=1, error_code=Errors.UNKNOWN_MEMBER_ID.code)])]))


def test_offset_fetch_v0_to_v7() -> None:
    topics = [OffsetFetchRequestData.OffsetFetchRequestTopic(name="topic", partition_indexes=[5])]
    for request in (OffsetFetchRequestData(topics=[], group_id="groupId"),
                    OffsetFetchRequestData(topics=topics, group_id="groupId")):
        assert request.duplicate() == request
        assert_round_trips_from(0, request, to=7)
    all_partitions = OffsetFetchRequestData(group_id="groupId", topics=None)
    require_stable = OffsetFetchRequestData(group_id="groupId", topics=topics, require_stable=True)
    for version in range(8):
        if version < 2:
            with pytest.raises(NULL_POINTER):
                assert_round_trips_from(version, all_partitions, to=7)
        else:
            assert_round_trips_from(version, all_partitions, to=7)
        if version < 7:
            with pytest.raises(UnsupportedVersionException):
                assert_round_trips_from(version, require_stable, to=7)
        else:
            assert_round_trips_from(version, require_stable, to=7)
        assert_round_trips_from(version, OffsetFetchResponseData(
            error_code=Errors.NONE.code if version <= 1 else Errors.NOT_COORDINATOR.code,
            throttle_time_ms=0 if version <= 2 else 10,
            topics=[OffsetFetchResponseData.OffsetFetchResponseTopic(name="topic", partitions=[
                OffsetFetchResponseData.OffsetFetchResponsePartition(
                    partition_index=5, metadata=None, committed_offset=100,
                    committed_leader_epoch=-1 if version <= 4 else 3,
                    error_code=Errors.UNKNOWN_TOPIC_OR_PARTITION.code)])]), to=7)


def fetched(name: str, partition: int, metadata: str | None,
            error: Errors) -> OffsetFetchResponseData.OffsetFetchResponseTopics:
    return OffsetFetchResponseData.OffsetFetchResponseTopics(name=name, partitions=[
        OffsetFetchResponseData.OffsetFetchResponsePartitions(
            partition_index=partition, metadata=metadata, committed_offset=100, committed_leader_epoch=3,
            error_code=error.code)])


def test_offset_fetch_v8_and_above_single_group() -> None:
    group = OffsetFetchRequestData.OffsetFetchRequestGroup
    topics = [OffsetFetchRequestData.OffsetFetchRequestTopics(name="topic", partition_indexes=[5])]
    for request in (OffsetFetchRequestData(groups=[group(group_id="groupId", topics=None)]),
                    OffsetFetchRequestData(groups=[group(group_id="groupId", topics=topics)],
                                           require_stable=True)):
        assert request.duplicate() == request
        assert_round_trips_from(8, request)
    assert_round_trips_from(8, OffsetFetchResponseData(throttle_time_ms=10, groups=[
        OffsetFetchResponseData.OffsetFetchResponseGroup(
            group_id="groupId", error_code=Errors.NOT_COORDINATOR.code,
            topics=[fetched("", 5, None, Errors.UNKNOWN_TOPIC_OR_PARTITION)])]))


def test_offset_fetch_v8_and_above() -> None:
    group = OffsetFetchRequestData.OffsetFetchRequestGroup
    topics = [OffsetFetchRequestData.OffsetFetchRequestTopics(name=f"topic{number}",
                                                              partition_indexes=[index])
              for number, index in ((1, 5), (2, 10), (3, 15))]
    request = OffsetFetchRequestData(require_stable=True, groups=[
        group(group_id="group1", topics=topics[:1]), group(group_id="group2", topics=topics[:2]),
        group(group_id="group3", topics=topics), group(group_id="group4", topics=None),
        group(group_id="group5", topics=None)])
    assert request.duplicate() == request
    assert_round_trips_from(8, request)
    request.require_stable = False
    assert_round_trips_from(8, request)
    answers = [fetched("topic1", 5, None, Errors.UNKNOWN_TOPIC_OR_PARTITION),
               fetched("topic2", 10, "foo", Errors.TOPIC_AUTHORIZATION_FAILED),
               fetched("topic3", 15, "bar", Errors.GROUP_AUTHORIZATION_FAILED)]
    assert_round_trips_from(8, OffsetFetchResponseData(throttle_time_ms=10, groups=[
        OffsetFetchResponseData.OffsetFetchResponseGroup(
            group_id=f"group{number}", topics=answers[:number], error_code=error.code)
        for number, error in ((1, Errors.NOT_COORDINATOR), (2, Errors.COORDINATOR_LOAD_IN_PROGRESS),
                              (3, Errors.NONE), (4, Errors.NONE), (5, Errors.NONE))]))


def test_produce_response_versions() -> None:
    partition = ProduceResponseData.PartitionProduceResponse
    error_code = Errors.INVALID_TOPIC_EXCEPTION.code

    def response(*partitions: ProduceResponseData.PartitionProduceResponse) -> ProduceResponseData:
        return ProduceResponseData(responses=[ProduceResponseData.TopicProduceResponse(
            name="topic", partition_responses=list(partitions))])

    assert_round_trips(response(partition(index=0, error_code=error_code, base_offset=12)))
    for version in ApiKeys.PRODUCE.all_versions():
        data = response(partition(
            index=0, error_code=error_code, base_offset=12, log_append_time_ms=1234, log_start_offset=1234,
            record_errors=[ProduceResponseData.BatchIndexAndErrorMessage(
                batch_index=0, batch_index_error_message="error message")],
            error_message="global error message"))
        data.throttle_time_ms = 1234
        only = data.responses[0].partition_responses[0]
        if version < 8:
            only.record_errors = []
            only.error_message = None
        if version < 5:
            only.log_start_offset = -1
        if version < 2:
            only.log_append_time_ms = -1
        if version < 1:
            data.throttle_time_ms = 0
        last = {3: 4, 4: 4, 6: 7, 7: 7}.get(version, version)
        for each in range(version, last + 1):
            assert_bytes_round_trip(each, data, data)
        assert_round_trip(version, data)


def test_default_value_should_be_writable() -> None:
    for version in range(SimpleExampleMessageData.HIGHEST_SUPPORTED_VERSION + 1):
        assert MessageUtil.to_byte_buffer(SimpleExampleMessageData(), version).remaining()


def test_simple_message() -> None:
    message = SimpleExampleMessageData(
        my_struct=SimpleExampleMessageData.MyStruct(struct_id=25, array_in_struct=[
            SimpleExampleMessageData.StructArray(array_field_id=20)]),
        my_tagged_struct=SimpleExampleMessageData.TaggedStruct(struct_id="abc"),
        process_id=Uuid.random_uuid(), my_nullable_string="notNull", my_int16=3, my_string="test string")
    duplicate = message.duplicate()
    assert duplicate == message
    assert message == duplicate
    duplicate.my_tagged_int_array = [123]
    assert duplicate != message
    assert message != duplicate
    assert_round_trips_from(2, message)


def test_message_versions() -> None:
    for api_key in ApiKeys.values():
        for message in (ApiMessageType.from_api_key(api_key.id).new_request(),
                        ApiMessageType.from_api_key(api_key.id).new_response()):
            assert api_key.latest_version() <= message.highest_supported_version()
            assert message.api_key() == api_key.id


def assert_unsupported(version: int, problem: str, message: Message) -> None:
    with pytest.raises(UnsupportedVersionException, match=problem):
        MessageUtil.to_byte_buffer(message, version)


def test_default_values() -> None:
    assert_unsupported(0, "validateOnly", CreateTopicsRequestData(validate_only=True))
    MessageUtil.to_byte_buffer(CreateTopicsRequestData(validate_only=False), 0)
    MessageUtil.to_byte_buffer(OffsetCommitRequestData(retention_time_ms=123), 0)
    assert_unsupported(5, "forgotten", FetchRequestData(forgotten_topics_data=[
        FetchRequestData.ForgottenTopic(topic="foo")]))


def test_non_ignorable_field_with_default_null() -> None:
    request = HeartbeatRequestData(group_id="groupId", generation_id=15, member_id=MEMBER_ID)
    MessageUtil.to_byte_buffer(request, 0)
    request.group_instance_id = INSTANCE_ID
    assert_unsupported(0, "groupInstanceId", request)
    request.group_instance_id = None
    MessageUtil.to_byte_buffer(request, 0)


def test_write_null_for_non_nullable_field_raises_exception() -> None:
    create_topics = CreateTopicsRequestData(topics=None)  # type: ignore[arg-type]  # the point of the test
    for version in ApiKeys.CREATE_TOPICS.all_versions():
        with pytest.raises(NULL_POINTER):
            MessageUtil.to_byte_buffer(create_topics, version)
    with pytest.raises(NULL_POINTER):
        MessageUtil.to_byte_buffer(MetadataRequestData(topics=None), 0)


def test_unknown_tagged_fields() -> None:
    create_topics = CreateTopicsRequestData()
    MessageUtil.to_byte_buffer(create_topics, 6)
    create_topics.unknown_tagged_fields().append(RawTaggedField(1000, bytes((1, 2, 3))))
    assert_unsupported(0, "Tagged fields were set", create_topics)
    MessageUtil.to_byte_buffer(create_topics, 6)


def test_long_tagged_string() -> None:
    message = SimpleExampleMessageData(my_string="a" * 1024)
    assert_bytes_round_trip(1, message, message)


def test_compare_with_unknown_tagged_fields() -> None:
    one, other = CreateTopicsRequestData(timeout_ms=123), CreateTopicsRequestData(timeout_ms=123)
    assert one == other
    assert one.unknown_tagged_fields() == []
    assert one == other
    assert other == one
    one.unknown_tagged_fields().append(RawTaggedField(0, b"\0"))
    assert one != other
    assert other != one
    other.unknown_tagged_fields().append(RawTaggedField(0, b"\0"))
    assert one == other
    assert other == one
