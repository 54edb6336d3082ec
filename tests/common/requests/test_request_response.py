# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RequestResponseTest, for the APIs that have classes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import (
    ApiException,
    InvalidRequestException,
    NotEnoughReplicasException,
    UnknownServerException,
    UnsupportedVersionException,
)
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.delete_topics_response_data import DeleteTopicsResponseData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.message.describe_quorum_response_data import DescribeQuorumResponseData
from kreactor.common.message.envelope_request_data import EnvelopeRequestData
from kreactor.common.message.envelope_response_data import EnvelopeResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.sasl_handshake_response_data import SaslHandshakeResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
from kreactor.common.requests.alter_configs_response import AlterConfigsResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.correlation_id_mismatch_exception import CorrelationIdMismatchException
from kreactor.common.requests.create_topics_request import CreateTopicsRequest
from kreactor.common.requests.create_topics_response import CreateTopicsResponse
from kreactor.common.requests.delete_topics_request import DeleteTopicsRequest
from kreactor.common.requests.delete_topics_response import DeleteTopicsResponse
from kreactor.common.requests.describe_cluster_request import DescribeClusterRequest
from kreactor.common.requests.describe_cluster_response import DescribeClusterResponse
from kreactor.common.requests.describe_configs_request import DescribeConfigsRequest
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.common.requests.describe_quorum_request import DescribeQuorumRequest
from kreactor.common.requests.describe_quorum_response import DescribeQuorumResponse
from kreactor.common.requests.envelope_request import EnvelopeRequest
from kreactor.common.requests.envelope_response import EnvelopeResponse
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from kreactor.common.requests.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.list_groups_request import ListGroupsRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.offset_fetch_request import OffsetFetchRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.common.requests.sasl_handshake_request import SaslHandshakeRequest
from kreactor.common.requests.sasl_handshake_response import SaslHandshakeResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import (
    BufferUnderflowException,
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent

UNKNOWN_SERVER_EXCEPTION = UnknownServerException("secret")
TOPIC_ID = Uuid(5, 6)
PARTITION = TopicPartition("test", 0)


def produce_request(version: int) -> ProduceRequest:
    return ProduceRequest(ProduceRequestData(
        acks=-1, timeout_ms=123, transactional_id="transactionalId" if version >= 3 else None,
        topic_data=[ProduceRequestData.TopicProduceData(name="topic1", partition_data=[
            ProduceRequestData.PartitionProduceData(index=1, records=b"blah")])]), version)


def produce_response(version: int) -> ProduceResponse:
    return ProduceResponse.of({PARTITION: ProduceResponse.PartitionResponse(Errors.NONE, 10000, -1, 100)},
                              0 if version == 0 else 10)


def fetch_request(version: int, isolation_level: IsolationLevel = IsolationLevel.READ_UNCOMMITTED,
                  metadata: FetchMetadata = FetchMetadata.LEGACY,
                  removed: list[TopicIdPartition] | None = None) -> FetchRequest:
    to_fetch = {TopicPartition(topic, 0): FetchRequest.PartitionData(TOPIC_ID, 100, -1, 1000000, None)
                for topic in ("test1", "test2")}
    builder = FetchRequest.Builder.for_consumer(version, 100, 100000, to_fetch).set_max_bytes(1000)
    return (builder.isolation_level(isolation_level).metadata_set(metadata).removed_set(removed or [])
            .build_version(version))


def fetch_response(version: int, session_id: int = FetchMetadata.INVALID_SESSION_ID) -> FetchResponse:
    topic_id = TOPIC_ID if version >= 13 else Uuid.ZERO_UUID
    return FetchResponse.of(Errors.NONE, 25 if version else 0, session_id if version >= 7 else 0, {
        TopicIdPartition.of(topic_id, number, "test"): FetchResponseData.PartitionData(
            high_watermark=1000000, records=records,
            aborted_transactions=[FetchResponseData.AbortedTransaction(producer_id=2, first_offset=5)]
            if version >= 4 and number else [])
        for number, records in ((0, b"blah"), (1, b""))})


def list_offsets_request(version: int) -> ListOffsetsRequest:
    topic = ListOffsetsRequest.singleton_request_data("test", 0, 1000000, 10 if version == 0 else 1)
    return ListOffsetsRequest(ListOffsetsRequestData(replica_id=-1, topics=[topic]), version)


def list_offsets_response(version: int) -> ListOffsetsResponse:
    if version == 0:
        topic = ListOffsetsResponseData.ListOffsetsTopicResponse(name="test", partitions=[
            ListOffsetsResponseData.ListOffsetsPartitionResponse(old_style_offsets=[100])])
    else:
        topic = ListOffsetsResponse.singleton_list_offsets_topic_response(
            PARTITION, Errors.NONE, 10000, 100, 27 if version >= 4 else -1)
    return ListOffsetsResponse(ListOffsetsResponseData(
        throttle_time_ms=20 if version >= 2 else 0, topics=[topic]))


def metadata_response(version: int) -> MetadataResponse:
    return MetadataResponse.prepare_response(
        version, 0, [Node(1, "host1", 1001)], None, -1, [MetadataResponseData.MetadataResponseTopic(
            name="__consumer_offsets", is_internal=version >= 1,
            partitions=[MetadataResponseData.MetadataResponsePartition(
                partition_index=1, leader_id=1, leader_epoch=5 if version >= 7 else -1, replica_nodes=[1],
                isr_nodes=[1], offline_replicas=[2] if version >= 5 else [])])], -0x80000000)


def find_coordinator_request(version: int, *keys: str) -> FindCoordinatorRequest:
    data = FindCoordinatorRequestData(coordinator_keys=list(keys)) if keys else \
        FindCoordinatorRequestData(key="test-group")
    return FindCoordinatorRequest.Builder(data).build_version(version)


def find_coordinator_response(version: int) -> FindCoordinatorResponse:
    node = Node(10, "host1", 2014)
    if version < FindCoordinatorRequest.MIN_BATCHED_VERSION:
        response = FindCoordinatorResponse.prepare_old_response(Errors.NONE, node)
        if version == 0:
            response.data().error_message = None
        return response
    return FindCoordinatorResponse.prepare_response(Errors.NONE, "group", node)


def create_topics_request(version: int, validate_only: bool = False) -> CreateTopicsRequest:
    topic = CreateTopicsRequestData.CreatableTopic
    data = CreateTopicsRequestData(timeout_ms=123, validate_only=validate_only, topics=[
        topic(name="topic1", num_partitions=3, replication_factor=5,
              configs=[CreateTopicsRequestData.CreateableTopicConfig(name="name2", value="value2")])])
    if version >= 4:
        data.topics.append(topic(name="topic2", num_partitions=-1, replication_factor=-1))
    return CreateTopicsRequest.Builder(data).build_version(version)


def create_topics_response(version: int) -> CreateTopicsResponse:
    result = CreateTopicsResponseData.CreatableTopicResult
    return CreateTopicsResponse(CreateTopicsResponseData(topics=[
        result(name="t1", error_code=Errors.INVALID_TOPIC_EXCEPTION.code,
               error_message="Error" if version >= 1 else None),
        result(name="t2", error_code=Errors.NONE.code, error_message=None if version >= 1 else "")]))


def describe_configs_response(version: int) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(DescribeConfigsResponseData(throttle_time_ms=10, results=[
        DescribeConfigsResponseData.DescribeConfigsResult(
            resource_type=ConfigResource.Type.TOPIC.id(), resource_name="topic", configs=[
                DescribeConfigsResponseData.DescribeConfigsResourceResult(
                    name="config", value="value", read_only=True, is_default=False,
                    config_source=DescribeConfigsResponse.ConfigSource.TOPIC_CONFIG.id())]),
        DescribeConfigsResponseData.DescribeConfigsResult(
            error_code=Errors.INVALID_REQUEST.code, error_message="text")]))


def add_partitions_to_txn_request(version: int) -> AddPartitionsToTxnRequest:
    builder = AddPartitionsToTxnRequest.Builder
    if version < 4:
        return builder.for_client("tid", 21, 42, [TopicPartition("topic", 73)]).build_version(version)
    return builder.for_broker([AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
        transactional_id="tid", producer_id=21, topics=[
            AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name="t", partitions=[73])])
    ]).build_version(version)


def add_partitions_to_txn_response(version: int) -> AddPartitionsToTxnResponse:
    result = AddPartitionsToTxnResponse.result_for_transaction("tid", {PARTITION: Errors.NONE})
    if version < 4:
        return AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(
            results_by_topic_v3_and_below=result.topic_results))
    return AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(results_by_transaction=[result]))


CONFIGS = {ConfigResource(ConfigResource.Type.TOPIC, "topic"): ApiError.NONE,
           ConfigResource(ConfigResource.Type.BROKER, "0"): ApiError(Errors.INVALID_REQUEST, "text")}


def alter_configs_response(version: int) -> AlterConfigsResponse:
    return AlterConfigsResponse(AlterConfigsResponseData(throttle_time_ms=20, responses=[
        AlterConfigsResponseData.AlterConfigsResourceResponse(
            resource_name=resource.name(), resource_type=resource.type().id(),
            error_code=error.error().code, error_message=error.message())
        for resource, error in CONFIGS.items()]))


def incremental_request(version: int) -> IncrementalAlterConfigsRequest:
    data = IncrementalAlterConfigsRequestData
    return IncrementalAlterConfigsRequest.Builder(data(resources=[data.AlterConfigsResource(
        resource_name="topic", resource_type=2, configs=[
            data.AlterableConfig(name="n", value="v", config_operation=1)])])).build_version(version)


# For each API a request, and a response, of a version.
SAMPLES: dict[ApiKeys, tuple[Callable[[int], AbstractRequest], Callable[[int], AbstractResponse]]] = {
    ApiKeys.PRODUCE: (produce_request, produce_response),
    ApiKeys.FETCH: (fetch_request, fetch_response),
    ApiKeys.LIST_OFFSETS: (list_offsets_request, list_offsets_response),
    # There is no builder for version 0.
    ApiKeys.METADATA: (lambda version: MetadataRequest.Builder.for_topics(
        ["topic1"], True).build_version(max(version, 1)), metadata_response),
    ApiKeys.FIND_COORDINATOR: (find_coordinator_request, find_coordinator_response),
    ApiKeys.SASL_HANDSHAKE: (
        lambda version: SaslHandshakeRequest.Builder(
            SaslHandshakeRequestData(mechanism="PLAIN")).build_version(version),
        lambda version: SaslHandshakeResponse(SaslHandshakeResponseData(mechanisms=["GSSAPI"]))),
    ApiKeys.API_VERSIONS: (
        lambda version: ApiVersionsRequest.Builder().build_version(version),
        lambda version: default_api_versions_response()),
    ApiKeys.CREATE_TOPICS: (create_topics_request, create_topics_response),
    ApiKeys.DELETE_TOPICS: (
        lambda version: DeleteTopicsRequest.Builder(DeleteTopicsRequestData(
            topic_names=["my_t1", "my_t2"], timeout_ms=1000)).build_version(version),
        lambda version: DeleteTopicsResponse(DeleteTopicsResponseData(responses=[
            DeleteTopicsResponseData.DeletableTopicResult(name="t1", error_code=17),
            DeleteTopicsResponseData.DeletableTopicResult(name="t2")]))),
    ApiKeys.INIT_PRODUCER_ID: (
        lambda version: InitProducerIdRequest.Builder(InitProducerIdRequestData(
            transactional_id=None, transaction_timeout_ms=100)).build_version(version),
        lambda version: InitProducerIdResponse(InitProducerIdResponseData(
            producer_epoch=3, producer_id=3332))),
    ApiKeys.ADD_PARTITIONS_TO_TXN: (add_partitions_to_txn_request, add_partitions_to_txn_response),
    ApiKeys.DESCRIBE_CONFIGS: (
        lambda version: DescribeConfigsRequest.Builder(DescribeConfigsRequestData(resources=[
            DescribeConfigsRequestData.DescribeConfigsResource(
                resource_type=2, resource_name="topic", configuration_keys=None)])).build_version(version),
        describe_configs_response),
    ApiKeys.ALTER_CONFIGS: (
        lambda version: AlterConfigsRequest.Builder(
            {ConfigResource(ConfigResource.Type.TOPIC, "topic"): AlterConfigsRequest.Config(
                [AlterConfigsRequest.ConfigEntry("name", "value")])}, False).build_version(version),
        alter_configs_response),
    ApiKeys.SASL_AUTHENTICATE: (
        lambda version: SaslAuthenticateRequest.Builder(
            SaslAuthenticateRequestData(auth_bytes=b"")).build_version(version),
        lambda version: SaslAuthenticateResponse(SaslAuthenticateResponseData(
            auth_bytes=b"token", session_lifetime_ms=0x7FFFFFFFFFFFFFFF if version else 0))),
    ApiKeys.INCREMENTAL_ALTER_CONFIGS: (
        incremental_request, lambda version: IncrementalAlterConfigsResponse.of(20, CONFIGS)),
    ApiKeys.DESCRIBE_QUORUM: (
        lambda version: DescribeQuorumRequest.Builder(
            DescribeQuorumRequest.singleton_request(PARTITION)).build_version(version),
        lambda version: DescribeQuorumResponse(DescribeQuorumResponse.singleton_response(
            PARTITION, DescribeQuorumResponseData.PartitionData(leader_id=1)))),
    ApiKeys.ENVELOPE: (
        lambda version: EnvelopeRequest(EnvelopeRequestData(
            request_data=ByteBuffer.wrap(b"data"), request_principal=b"principal",
            client_host_address=b"addr"), version),
        lambda version: EnvelopeResponse(EnvelopeResponseData(response_data=ByteBuffer.wrap(b"data")))),
    ApiKeys.DESCRIBE_CLUSTER: (
        lambda version: DescribeClusterRequest.Builder(DescribeClusterRequestData(
            include_cluster_authorized_operations=True)).build_version(version),
        lambda version: DescribeClusterResponse(DescribeClusterResponseData(
            brokers=[DescribeClusterResponseData.DescribeClusterBroker(
                broker_id=1, host="localhost", port=9092, rack="rack1")],
            cluster_id="clusterId", controller_id=1))),
}


def default_api_versions_response() -> ApiVersionsResponse:
    return ApiVersionsResponse.create_api_versions_response(
        0, RecordVersion.current(), {}, {}, -1, None, ListenerType.ZK_BROKER, True, False, True)


def check_request(request: AbstractRequest) -> None:
    version = request.version()
    serialized = request.serialize()
    assert serialized.remaining() == request._size_in_bytes()
    parsed = AbstractRequest.parse_request(request.api_key(), version, serialized.duplicate())
    assert parsed.size == serialized.remaining()
    read = parsed.request
    assert type(read) is type(request)
    assert read.version() == version
    assert read.serialize().to_bytes() == serialized.to_bytes()
    # Fields that a version does not know are lost, but only once.
    again = AbstractRequest.parse_request(request.api_key(), version, read.serialize()).request
    assert again.data() == read.data()
    assert str(again) == str(read)
    assert again.to_string(False) == read.to_string(False)
    header = RequestHeader.of(request.api_key(), version, "client", 7)
    whole = ByteBuffer.wrap(sent(request.to_send(header)))
    assert whole.get_int() == whole.remaining()
    assert whole.to_bytes() == request.serialize_with_header(header).to_bytes()


def check_response(response: AbstractResponse, version: int) -> None:
    api_key = response.api_key()
    serialized = response.serialize(version)
    read = AbstractResponse.parse_response_api_key(api_key, serialized.duplicate(), version)
    assert type(read) is type(response)
    assert read.serialize(version).to_bytes() == serialized.to_bytes()
    # The error of a whole answer to Fetch is known from version 7 on.
    if api_key is not ApiKeys.FETCH or version >= 7:
        assert read.error_counts() == response.error_counts()
    header = RequestHeader.of(api_key, version, "client", 7)
    whole = ByteBuffer.wrap(sent(response.to_send(header.to_response_header(), version)))
    assert whole.get_int() == whole.remaining()
    again = AbstractResponse.parse_response(whole, header)
    assert not whole.has_remaining()
    assert again.serialize(version).to_bytes() == serialized.to_bytes()
    assert str(again) == str(read)


def check_error_response(request: AbstractRequest, exception: ApiException) -> None:
    response = request.get_error_response(exception)
    assert response is not None
    check_response(response, request.version())
    error = Errors.for_exception(exception)
    assert error in response.error_counts()
    assert error in request.error_counts(exception)
    # An unexpected error can hold a text that a client must not see.
    if isinstance(exception, UnknownServerException):
        assert "secret" not in str(response)


@pytest.mark.parametrize("api_key, version", [
    (api_key, version) for api_key in SAMPLES for version in api_key.all_versions()], ids=str)
def test_serialization(api_key: ApiKeys, version: int) -> None:
    request_of, response_of = SAMPLES[api_key]
    request = request_of(version)
    check_request(request)
    check_error_response(request, UNKNOWN_SERVER_EXCEPTION)
    check_response(response_of(version), version)


def test_serialization_special_cases() -> None:
    with_errors = ProduceResponse.PartitionResponse(
        Errors.NONE, 10000, -1, 100, [ProduceResponse.RecordError(0, "error message")],
        "global error message")
    check_response(ProduceResponse.of({PARTITION: with_errors}), 8)
    removed = [TopicIdPartition.of(Uuid.ZERO_UUID, partition, topic)
               for topic, partition in (("foo", 0), ("foo", 2), ("bar", 0))]
    check_request(fetch_request(7, metadata=FetchMetadata(123, 456), removed=removed))
    check_response(fetch_response(7, session_id=123), 7)
    check_response(FetchResponse.of(Errors.FETCH_SESSION_ID_NOT_FOUND, 25, 123, {}), 7)
    check_request(MetadataRequest.Builder.all_topics().build_version(2))
    for version in range(4):
        check_request(DescribeConfigsRequest(DescribeConfigsRequestData(resources=[
            DescribeConfigsRequestData.DescribeConfigsResource(
                resource_type=4, resource_name="brokerResource", configuration_keys=["foo", "bar"])]),
            version))


def test_describe_configs_response_versions() -> None:
    # Version 0 says of a value only whether it is the default.
    for version in (0, 1):
        response = AbstractResponse.parse_response_api_key(
            ApiKeys.DESCRIBE_CONFIGS, describe_configs_response(version).serialize(version), version)
        assert isinstance(response, DescribeConfigsResponse)
        result = response.result_map()[ConfigResource(ConfigResource.Type.TOPIC, "topic")]
        assert result.configs[0].config_source == DescribeConfigsResponse.ConfigSource.TOPIC_CONFIG.id()
    data = DescribeConfigsResponseData(results=[
        DescribeConfigsResponseData.DescribeConfigsResult(resource_type=type_, configs=[
            DescribeConfigsResponseData.DescribeConfigsResourceResult(name="n", is_default=is_default)])
        for type_, is_default in ((2, True), (4, False), (8, False))])
    read = DescribeConfigsResponse.parse(DescribeConfigsResponse(data).serialize(0), 0).data()
    source = DescribeConfigsResponse.ConfigSource
    assert [source.for_id(result.configs[0].config_source) for result in read.results] == [
        source.DEFAULT_CONFIG, source.STATIC_BROKER_CONFIG, source.UNKNOWN]


def test_describe_configs_ids() -> None:
    for ids in (DescribeConfigsResponse.ConfigSource, DescribeConfigsResponse.ConfigType):
        for each in ids:
            assert ids.for_id(each.id()) is each
        assert ids.for_id(100) is ids.UNKNOWN
        with pytest.raises(IllegalArgumentException):
            ids.for_id(-1)


def test_api_versions_serialization() -> None:
    for version in ApiKeys.API_VERSIONS.all_versions():
        check_error_response(ApiVersionsRequest.Builder(version).build(),
                             UnsupportedVersionException("Not Supported"))
        check_response(default_api_versions_response(), version)


@pytest.mark.parametrize("version", ApiKeys.FIND_COORDINATOR.all_versions())
def test_batched_find_coordinator_request_serialization(version: int) -> None:
    check_request(find_coordinator_request(version, "group1"))
    if version < FindCoordinatorRequest.MIN_BATCHED_VERSION:
        with pytest.raises(FindCoordinatorRequest.NoBatchedFindCoordinatorsException):
            find_coordinator_request(version, "group1", "group2")
    else:
        check_request(find_coordinator_request(version, "group1", "group2"))


def test_find_coordinator_response() -> None:
    for version in ApiKeys.FIND_COORDINATOR.all_versions():
        response = find_coordinator_response(version)
        assert [(each.node_id, each.host, each.port) for each in response.coordinators()] == [
            (10, "host1", 2014)]
        assert not response.has_error()
    assert find_coordinator_response(3).node() == Node(10, "host1", 2014)
    with pytest.raises(InvalidRequestException):
        FindCoordinatorRequest.CoordinatorType.for_id(10)


def test_get_invalid_coordinator_type_id() -> None:
    with pytest.raises(InvalidRequestException, match="^Unknown coordinator type received: 10$"):
        FindCoordinatorRequest.CoordinatorType.for_id(10)
    for each in FindCoordinatorRequest.CoordinatorType:
        assert FindCoordinatorRequest.CoordinatorType.for_id(each.id()) is each


def test_response_header() -> None:
    header = ResponseHeader.of(10, 1)
    buffer = ByteBuffer.wrap(header.data().write(bytearray(), 1, []))
    parsed = ResponseHeader.parse(buffer, header.header_version())
    assert parsed.size() == header.size() == 5
    assert parsed.correlation_id() == header.correlation_id()
    assert parsed == header
    assert hash(parsed) == hash(header)


def test_an_answer_to_another_question() -> None:
    header = RequestHeader.of(ApiKeys.SASL_HANDSHAKE, 1, "client", 7)
    response = SaslHandshakeResponse(SaslHandshakeResponseData())
    buffer = response.serialize_with_header(ResponseHeader.of(8, 0), 1)
    with pytest.raises(CorrelationIdMismatchException) as caught:
        AbstractResponse.parse_response(buffer, header)
    assert str(caught.value) == (f"Correlation id for response (8) does not match request (7), "
                                 f"request header: {header}")
    assert (caught.value.request_correlation_id(), caught.value.response_correlation_id()) == (7, 8)


def test_cannot_use_find_coordinator_v0_to_find_transaction_coordinator() -> None:
    builder = FindCoordinatorRequest.Builder(FindCoordinatorRequestData(
        key_type=FindCoordinatorRequest.CoordinatorType.TRANSACTION.id(), key="foobar"))
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(0)


def test_produce_request_partition_size() -> None:
    data = ProduceRequestData.PartitionProduceData
    request = ProduceRequest(ProduceRequestData(acks=1, timeout_ms=5000, topic_data=[
        ProduceRequestData.TopicProduceData(name="test", partition_data=[
            data(index=0, records=b"x" * 70), data(index=1, records=ByteBuffer.allocate(90)),
            data(index=1, records=b"y" * 10)])]), 3)
    assert request.partition_sizes() == {PARTITION: 70, TopicPartition("test", 1): 100}


def test_produce_request_to_string_test() -> None:
    request = produce_request(ApiKeys.PRODUCE.latest_version())
    for _ in range(2):
        assert request.to_string(False) == "{acks=-1,timeout=123,numPartitions=1}"
        assert request.to_string(True) == "{acks=-1,timeout=123,partitionSizes=[topic1-1=4]}"
        assert str(request) == request.to_string(True)
        # Nothing of this needs the records.
        request.clear_partition_records()
    with pytest.raises(IllegalStateException, match="clearPartitionRecords"):
        request.data()


def test_produce_request_get_error_response_test() -> None:
    request = produce_request(ApiKeys.PRODUCE.latest_version())
    for _ in range(2):
        response = request.get_error_response(NotEnoughReplicasException())
        assert isinstance(response, ProduceResponse)
        ((partition,),) = [topic.partition_responses for topic in response.data().responses]
        assert Errors.for_code(partition.error_code) is Errors.NOT_ENOUGH_REPLICAS
        assert partition.base_offset == ProduceResponse.INVALID_OFFSET
        assert partition.log_append_time_ms == -1
        request.clear_partition_records()


def test_a_producer_that_wants_no_answer() -> None:
    request = ProduceRequest(ProduceRequestData(acks=0, topic_data=[
        ProduceRequestData.TopicProduceData(name="t", partition_data=[
            ProduceRequestData.PartitionProduceData(index=index) for index in range(3)])]), 9)
    assert request.get_error_response(NotEnoughReplicasException()) is None
    assert request.error_counts(NotEnoughReplicasException()) == {Errors.NOT_ENOUGH_REPLICAS: 3}


def test_fetch_response_version_test() -> None:
    def response(topic_id: Uuid, throttle_time_ms: int) -> FetchResponse:
        return FetchResponse.of(Errors.NONE, throttle_time_ms, FetchMetadata.INVALID_SESSION_ID, {
            TopicIdPartition(topic_id, PARTITION): FetchResponseData.PartitionData(
                high_watermark=1000000, log_start_offset=-1, records=ByteBuffer.allocate(10))})

    topic_names = {TOPIC_ID: "test"}
    for version, throttle_time_ms in ((0, 0), (1, 10)):
        sent_response = response(Uuid.ZERO_UUID, throttle_time_ms)
        read = FetchResponse.parse(sent_response.serialize(version), version)
        assert read.throttle_time_ms() == throttle_time_ms
        assert read.response_data(topic_names, version) == sent_response.response_data(topic_names, version)
    with_id = response(TOPIC_ID, 0)
    latest = ApiKeys.FETCH.latest_version()
    assert FetchResponse.parse(with_id.serialize(12), 12).topic_ids() == set()
    newest = FetchResponse.parse(with_id.serialize(latest), latest)
    assert newest.topic_ids() == {TOPIC_ID}
    assert list(newest.response_data(topic_names, latest)) == [PARTITION]
    # A topic that is not known any more is left out.
    assert FetchResponse.parse(with_id.serialize(latest), latest).response_data({}, latest) == {}


def test_fetch_response_v4() -> None:
    partitions = {
        TopicIdPartition.of(Uuid.ZERO_UUID, 0, "bar"): FetchResponseData.PartitionData(
            high_watermark=1000000, records=ByteBuffer.allocate(10), aborted_transactions=[
                FetchResponseData.AbortedTransaction(producer_id=10, first_offset=100),
                FetchResponseData.AbortedTransaction(producer_id=15, first_offset=50)]),
        TopicIdPartition.of(Uuid.ZERO_UUID, 1, "bar"): FetchResponseData.PartitionData(
            high_watermark=900000, last_stable_offset=5, records=ByteBuffer.allocate(10)),
        TopicIdPartition.of(Uuid.ZERO_UUID, 0, "foo"): FetchResponseData.PartitionData(
            high_watermark=70000, last_stable_offset=6, records=ByteBuffer.allocate(10))}
    response = FetchResponse.of(Errors.NONE, 10, FetchMetadata.INVALID_SESSION_ID, partitions)
    read = FetchResponse.parse(response.serialize(4), 4)
    assert read.response_data({}, 4) == {
        partition.topic_partition(): data for partition, data in partitions.items()}


@pytest.mark.parametrize("version", ApiKeys.FETCH.all_versions())
def test_verify_fetch_response_full_writes(version: int) -> None:
    header_version = ApiKeys.FETCH.response_header_version(version)
    for response in (fetch_response(version), fetch_response(version, 123)):
        send = response.to_send(ResponseHeader.of(15, header_version), version)
        buffer = ByteBuffer.wrap(sent(send))
        size = buffer.get_int()
        assert size == buffer.remaining() == send.size() - 4
        header = ResponseHeader.parse(buffer, header_version)
        assert header.correlation_id() == 15
        assert response.serialize(version).to_bytes() == buffer.to_bytes()
        read = FetchResponseData.read(buffer, version)
        assert size == header.size() + read.serialized_size(version)
        items = [(TopicIdPartition.of(topic.topic_id, partition.partition_index, topic.topic), partition)
                 for topic in response.data().responses for partition in topic.partitions]
        assert FetchResponse.size_of(version, items) == 4 + read.serialized_size(version)


def test_fetch_response_partitions() -> None:
    data = FetchResponse.partition_response(TopicIdPartition(TOPIC_ID, PARTITION), Errors.NONE)
    assert data == FetchResponseData.PartitionData(
        partition_index=0, high_watermark=FetchResponse.INVALID_HIGH_WATERMARK)
    assert not FetchResponse.is_diverging_epoch(data)
    assert not FetchResponse.is_preferred_replica(data)
    data.preferred_read_replica = 3
    data.diverging_epoch = FetchResponseData.EpochEndOffset(epoch=4, end_offset=5)
    assert FetchResponse.is_preferred_replica(data)
    assert FetchResponse.is_diverging_epoch(data)
    assert FetchResponse.records_size(data) == 0
    assert FetchResponse.records_or_fail(data).size_in_bytes() == 0
    data.records = ByteBuffer.allocate(7)
    assert FetchResponse.records_size(data) == 7
    assert FetchResponse.records_or_fail(data).size_in_bytes() == 7
    data.records = b"bytes"
    with pytest.raises(TypeError, match="The record type is bytes"):
        FetchResponse.records_or_fail(data)


def test_topics_are_gathered_by_id_where_there_is_one() -> None:
    partitions = {TopicIdPartition.of(topic_id, number, name): FetchResponseData.PartitionData()
                  for topic_id, number, name in ((TOPIC_ID, 0, "t"), (TOPIC_ID, 1, "t"), (Uuid(7, 7), 0, "t"),
                                                 (TOPIC_ID, 2, "t"))}
    response = FetchResponse.of(Errors.NONE, 0, 0, partitions, [Node(1, "host", 9092)])
    assert [(topic.topic_id, [partition.partition_index for partition in topic.partitions])
            for topic in response.data().responses
            ] == [(TOPIC_ID, [0, 1]), (Uuid(7, 7), [0]), (TOPIC_ID, [2])]
    assert response.data().node_endpoints == [
        FetchResponseData.NodeEndpoint(node_id=1, host="host", port=9092, rack=None)]


def test_create_topic_request_v0_fails_if_validate_only() -> None:
    with pytest.raises(UnsupportedVersionException):
        create_topics_request(0, True)


def test_create_topic_request_v3_fails_if_no_partitions_or_replicas() -> None:
    topic = CreateTopicsRequestData.CreatableTopic
    data = CreateTopicsRequestData(timeout_ms=123, topics=[
        topic(name="foo", num_partitions=CreateTopicsRequest.NO_NUM_PARTITIONS, replication_factor=1),
        topic(name="bar", num_partitions=1, replication_factor=CreateTopicsRequest.NO_REPLICATION_FACTOR)])
    with pytest.raises(UnsupportedVersionException) as caught:
        CreateTopicsRequest.Builder(data).build_version(3)
    assert str(caught.value) == (
        "Creating topics with default partitions/replication factor are only supported in "
        "CreateTopicRequest version 4+. The following topics need values for partitions and replicas: "
        "[foo, bar]")
    assert CreateTopicsRequest.Builder(data) == CreateTopicsRequest.Builder(data.duplicate())


def test_fetch_request_max_bytes_old_versions() -> None:
    request = fetch_request(1)
    assert FetchRequest.parse(request.serialize(), 1).max_bytes() == request.max_bytes() == 0x7FFFFFFF


@pytest.mark.parametrize("isolation_level", IsolationLevel)
def test_fetch_request_isolation_level(isolation_level: IsolationLevel) -> None:
    request = fetch_request(4, isolation_level)
    read = AbstractRequest.parse_request(request.api_key(), 4, request.serialize()).request
    assert isinstance(read, FetchRequest)
    assert read.isolation_level() is isolation_level


def test_fetch_request_with_metadata() -> None:
    request = fetch_request(7, metadata=FetchMetadata(123, 456))
    read = FetchRequest.parse(request.serialize(), 7)
    assert read.metadata() == FetchMetadata(123, 456)
    assert (read.max_wait(), read.min_bytes(), read.max_bytes()) == (100, 100000, 1000)


def test_fetch_request_compat() -> None:
    data = FetchRequest.PartitionData(Uuid.ZERO_UUID, 100, 2, 100, 42)
    builder = FetchRequest.Builder.for_consumer(2, 100, 100, {PARTITION: data})
    builder.metadata_set(FetchMetadata(10, 20)).isolation_level(IsolationLevel.READ_COMMITTED)
    # All this is left out where the version does not know it.
    read = FetchRequest.parse(builder.build_version(2).serialize(), 2)
    assert (read.max_wait(), read.min_bytes(), read.metadata()) == (100, 100, FetchMetadata.LEGACY)
    assert read.isolation_level() is IsolationLevel.READ_UNCOMMITTED


def test_serialize_with_header() -> None:
    request = create_topics_request(7)
    header = RequestHeader.of(ApiKeys.CREATE_TOPICS, 7, "client", 2)
    buffer = request.serialize_with_header(header)
    parsed_header = RequestHeader.parse(buffer)
    assert parsed_header.size() == header.size()
    assert parsed_header == header
    parsed = AbstractRequest.parse_request(ApiKeys.CREATE_TOPICS, 7, buffer)
    assert parsed.request.data() == request.data()


def test_serialize_with_inconsistent_header_api_key() -> None:
    with pytest.raises(IllegalArgumentException, match="header api key DELETE_TOPICS"):
        create_topics_request(7).serialize_with_header(
            RequestHeader.of(ApiKeys.DELETE_TOPICS, 7, "client", 2))


def test_serialize_with_inconsistent_header_version() -> None:
    with pytest.raises(IllegalArgumentException, match="request version 2 with header version 1"):
        create_topics_request(2).serialize_with_header(
            RequestHeader.of(ApiKeys.CREATE_TOPICS, 1, "client", 2))


def test_api_versions_request_before_v3_validation() -> None:
    for version in range(3):
        assert ApiVersionsRequest(ApiVersionsRequestData(), version).is_valid()


def is_valid(name: str, version: str) -> bool:
    return ApiVersionsRequest(ApiVersionsRequestData(
        client_software_name=name, client_software_version=version), 3).is_valid()


def test_valid_api_versions_request() -> None:
    assert ApiVersionsRequest.Builder().build().is_valid()
    assert is_valid("apache-kafka.java", "0.0.0-SNAPSHOT")
    assert is_valid("a", "1")


@pytest.mark.parametrize("name, version", [
    ("java@apache_kafka", "0.0.0-SNAPSHOT"), ("apache-kafka-java", "0.0.0@java"),
    ("-apache-kafka-java", "0.0.0"), ("apache-kafka-java.", "0.0.0"), ("", "1"), ("a", ""), ("a\n", "1"),
    ("é", "1"), ("a b", "1")])
def test_invalid_api_versions_request(name: str, version: str) -> None:
    assert not is_valid(name, version)


@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_api_version_response_with_unsupported_error(version: int) -> None:
    request = ApiVersionsRequest.Builder().build_version(version)
    response = request.get_error_response_throttle(5, UnsupportedVersionException("text"))
    assert response.data().error_code == Errors.UNSUPPORTED_VERSION.code
    api_version = response.api_version(ApiKeys.API_VERSIONS.id)
    assert api_version is not None
    assert (api_version.min_version, api_version.max_version) == (0, 3)
    assert response.throttle_time_ms() == (5 if version >= 1 else 0)


@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_api_version_response_with_not_unsupported_error(version: int) -> None:
    request = ApiVersionsRequest.Builder().build_version(version)
    response = request.get_error_response_throttle(0, InvalidRequestException("text"))
    assert response.data().error_code == Errors.INVALID_REQUEST.code
    assert response.data().api_keys == []


@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_api_version_response_parsing_fallback(version: int) -> None:
    response = ApiVersionsResponse.parse(default_api_versions_response().serialize(0), version)
    assert response.data().error_code == Errors.NONE.code


@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_api_version_response_parsing_fallback_exception(version: int) -> None:
    with pytest.raises(BufferUnderflowException):
        ApiVersionsResponse.parse(ByteBuffer.allocate(0), version)


@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_api_version_response_parsing(version: int) -> None:
    response = ApiVersionsResponse.parse(default_api_versions_response().serialize(version), version)
    assert response.data() == default_api_versions_response().data()


def test_init_producer_id_request_versions() -> None:
    builder = InitProducerIdRequest.Builder(InitProducerIdRequestData(
        transaction_timeout_ms=1000, transactional_id="abracadabra", producer_id=123))
    with pytest.raises(UnsupportedVersionException,
                       match="Attempted to write a non-default producerId at version 2"):
        builder.build_version(2).serialize()
    builder.build_version(3).serialize()
    for timeout, transactional_id in ((0, None), (5, "")):
        with pytest.raises(IllegalArgumentException):
            InitProducerIdRequest.Builder(InitProducerIdRequestData(
                transaction_timeout_ms=timeout, transactional_id=transactional_id)).build()


def test_deletable_topic_result_error_message_is_null_by_default() -> None:
    result = DeleteTopicsResponseData.DeletableTopicResult(
        name="topic", error_code=Errors.THROTTLING_QUOTA_EXCEEDED.code)
    assert result.name == "topic"
    assert result.error_message is None


@pytest.mark.parametrize("api_key, version, count", [
    (ApiKeys.ADD_PARTITIONS_TO_TXN, 3, 1), (ApiKeys.ADD_PARTITIONS_TO_TXN, 4, 2),
    (ApiKeys.ALTER_CONFIGS, 2, 1),
    (ApiKeys.API_VERSIONS, 3, 1), (ApiKeys.CREATE_TOPICS, 7, 1), (ApiKeys.DELETE_TOPICS, 6, 1),
    (ApiKeys.DESCRIBE_CONFIGS, 4, 1), (ApiKeys.FETCH, 16, 3), (ApiKeys.FIND_COORDINATOR, 0, 1),
    (ApiKeys.FIND_COORDINATOR, 5, 1), (ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, 1), (ApiKeys.LIST_OFFSETS, 8, 1),
    (ApiKeys.METADATA, 12, 2), (ApiKeys.PRODUCE, 11, 1), (ApiKeys.SASL_AUTHENTICATE, 2, 1),
    (ApiKeys.SASL_HANDSHAKE, 1, 1), (ApiKeys.DESCRIBE_QUORUM, 1, 2), (ApiKeys.ENVELOPE, 0, 1)], ids=str)
def test_error_counts_includes_none(api_key: ApiKeys, version: int, count: int) -> None:
    assert SAMPLES[api_key][1](version).error_counts()[Errors.NONE] == count


def test_invalid_sasl_hand_shake_request() -> None:
    request = SAMPLES[ApiKeys.SASL_HANDSHAKE][0](1)
    corrupt = ByteBuffer.wrap(bytearray(request.serialize().to_bytes())).put_short_at(0, 0x7FFF)
    with pytest.raises(RuntimeError) as caught:
        AbstractRequest.parse_request(request.api_key(), 1, corrupt)
    assert str(caught.value) == "Error reading byte array of 32767 byte(s): only 5 byte(s) available"


def test_invalid_sasl_authenticate_request() -> None:
    request = SaslAuthenticateRequest(SaslAuthenticateRequestData(auth_bytes=bytes(range(20))), 1)
    corrupt = ByteBuffer.wrap(bytearray(request.serialize().to_bytes())).put_int_at(0, 0x7FFFFFFF)
    with pytest.raises(RuntimeError) as caught:
        AbstractRequest.parse_request(request.api_key(), 1, corrupt)
    assert str(caught.value) == "Error reading byte array of 2147483647 byte(s): only 20 byte(s) available"


def test_valid_tagged_fields_with_sasl_authenticate_request() -> None:
    buffer = ByteBuffer.wrap(b"\x05test" + b"\x01" + b"\x01\x03\x01\x02\x03")
    request = AbstractRequest.parse_request(ApiKeys.SASL_AUTHENTICATE, 2, buffer).request
    assert isinstance(request, SaslAuthenticateRequest)
    assert request.data().auth_bytes == b"test"
    assert request.data().unknown_tagged_fields() == [RawTaggedField(1, b"\1\2\3")]


def test_invalid_tagged_fields_with_sasl_authenticate_request() -> None:
    buffer = ByteBuffer.wrap(b"\x05test" + b"\x01" + b"\x01\xff\xff\x01\x01\x02\x03")
    with pytest.raises(RuntimeError) as caught:
        AbstractRequest.parse_request(ApiKeys.SASL_AUTHENTICATE, 2, buffer)
    assert str(caught.value) == "Error reading byte array of 32767 byte(s): only 3 byte(s) available"


def test_every_class_is_found_by_its_api() -> None:
    found = set()
    for api_key in ApiKeys.values():
        try:
            AbstractRequest.parse_request(api_key, api_key.latest_version(), ByteBuffer.allocate(0))
        except UnsupportedOperationException as e:
            assert str(e) == f"ApiKey {api_key} is not supported: there is no {request_name(api_key)}"
            with pytest.raises(UnsupportedOperationException):
                AbstractResponse.parse_response_api_key(api_key, ByteBuffer.allocate(0), 0)
        except (RuntimeError, IllegalArgumentException):
            found.add(api_key)
        else:
            found.add(api_key)
    # Each has samples here.
    assert found >= set(SAMPLES)


def request_name(api_key: ApiKeys) -> str:
    name = "OffsetsForLeaderEpoch" if api_key is ApiKeys.OFFSET_FOR_LEADER_EPOCH else api_key.name
    return f"{name}Request"


def test_a_version_that_is_not_supported() -> None:
    with pytest.raises(UnsupportedVersionException,
                       match="^The FETCH protocol does not support version 17$"):
        fetch_request(17)


@pytest.mark.parametrize("api_key", SAMPLES, ids=str)
def test_throttle_times(api_key: ApiKeys) -> None:
    response = SAMPLES[api_key][1](api_key.latest_version())
    response.maybe_set_throttle_time_ms(77)
    knows = any(field.name == "throttleTimeMs" for field in response.data().SCHEMA.fields)
    assert response.throttle_time_ms() == (77 if knows else AbstractResponse.DEFAULT_THROTTLE_TIME)


def test_client_throttling() -> None:
    first = {ApiKeys.PRODUCE: 6, ApiKeys.FETCH: 8, ApiKeys.LIST_OFFSETS: 3, ApiKeys.METADATA: 6,
             ApiKeys.FIND_COORDINATOR: 2, ApiKeys.API_VERSIONS: 2, ApiKeys.CREATE_TOPICS: 3,
             ApiKeys.DELETE_TOPICS: 2, ApiKeys.INIT_PRODUCER_ID: 1, ApiKeys.ADD_PARTITIONS_TO_TXN: 1,
             ApiKeys.DESCRIBE_CONFIGS: 2, ApiKeys.ALTER_CONFIGS: 1, ApiKeys.INCREMENTAL_ALTER_CONFIGS: 0}
    for api_key, (_, response_of) in SAMPLES.items():
        for version in api_key.all_versions():
            expected = api_key in first and version >= first[api_key]
            assert response_of(version).should_client_throttle(version) == expected


def test_configs() -> None:
    request = SAMPLES[ApiKeys.ALTER_CONFIGS][0](2)
    assert isinstance(request, AlterConfigsRequest)
    ((resource, config),) = request.configs().items()
    assert resource == ConfigResource(ConfigResource.Type.TOPIC, "topic")
    assert [(entry.name(), entry.value()) for entry in config.entries()] == [("name", "value")]
    assert not request.data().validate_only
    assert alter_configs_response(2).errors() == CONFIGS
    incremental = IncrementalAlterConfigsResponse.of(20, CONFIGS)
    assert {ConfigResource(ConfigResource.Type.for_id(each.resource_type), each.resource_name):
            ApiError(Errors.for_code(each.error_code), each.error_message)
            for each in incremental.data().responses} == CONFIGS
    with pytest.raises(TypeError):
        AlterConfigsRequest.ConfigEntry("name", None)  # type: ignore[arg-type]  # the point of the test


def test_describe_quorum() -> None:
    request = SAMPLES[ApiKeys.DESCRIBE_QUORUM][0](1)
    assert isinstance(request, DescribeQuorumRequest)
    response = DescribeQuorumResponse(DescribeQuorumRequest.get_partition_level_error_response(
        request.data(), Errors.NOT_LEADER_OR_FOLLOWER))
    assert response.error_counts() == {Errors.NONE: 1, Errors.NOT_LEADER_OR_FOLLOWER: 1}


def test_sasl_responses() -> None:
    authenticate = SAMPLES[ApiKeys.SASL_AUTHENTICATE][1](2)
    assert isinstance(authenticate, SaslAuthenticateResponse)
    assert authenticate.error() is Errors.NONE
    assert authenticate.sasl_auth_bytes() == b"token"
    assert authenticate.session_lifetime_ms() == 0x7FFFFFFFFFFFFFFF
    assert authenticate.error_message() == ""
    handshake = SAMPLES[ApiKeys.SASL_HANDSHAKE][1](1)
    assert isinstance(handshake, SaslHandshakeResponse)
    assert handshake.enabled_mechanisms() == ["GSSAPI"]
    assert handshake.error() is Errors.NONE
    # Tokens are not for showing.
    builder = SaslAuthenticateRequest.Builder(SaslAuthenticateRequestData(auth_bytes=b"secret"))
    assert str(builder) == "(type=SaslAuthenticateRequest)"


def test_produce_data_is_what_was_sent() -> None:
    request = produce_request(11)
    read = ProduceRequest.parse(request.serialize(), 11)
    assert read.data() == request.data()
    assert (read.acks(), read.timeout(), read.transactional_id()) == (-1, 123, "transactionalId")
    assert ProduceResponseData() == ProduceResponseData()


def test_join_group_request_v0_rebalance_timeout() -> None:
    version = 0
    data = JoinGroupRequestData(
        group_id="group1", session_timeout_ms=30000, member_id="consumer1", protocol_type="consumer",
        protocols=[JoinGroupRequestData.JoinGroupRequestProtocol(name="consumer-range", metadata=b"")],
        reason="reason: test")
    jgr = JoinGroupRequest.Builder(data).build_version(version)
    jgr2 = JoinGroupRequest.parse(jgr.serialize(), version)
    assert jgr.data().rebalance_timeout_ms == jgr2.data().rebalance_timeout_ms


@pytest.mark.parametrize("require_stable", [True, False])
def test_offset_fetch_request_builder_to_string_v0_to_v7(require_stable: bool) -> None:
    flag = f"requireStable={str(require_stable).lower()}"
    all_topic_partitions = str(OffsetFetchRequest.Builder("someGroup", require_stable, None, False))
    assert ("groupId='', topics=[], groups=[OffsetFetchRequestGroup(groupId='someGroup', memberId=null, "
            f"memberEpoch=-1, topics=null)], {flag}") in all_topic_partitions
    string = str(OffsetFetchRequest.Builder("group1", require_stable, [TopicPartition("test11", 1)], False))
    assert "test11" in string
    assert "group1" in string
    assert flag in string


@pytest.mark.parametrize("require_stable", [True, False])
def test_offset_fetch_request_builder_to_string_v8_and_above(require_stable: bool) -> None:
    flag = f"requireStable={str(require_stable).lower()}"
    all_topic_partitions = str(OffsetFetchRequest.Builder.of({"someGroup": None}, require_stable, False))
    assert ("groups=[OffsetFetchRequestGroup(groupId='someGroup', memberId=null, memberEpoch=-1, "
            f"topics=null)], {flag}") in all_topic_partitions
    string = str(OffsetFetchRequest.Builder.of(
        {"group1": [TopicPartition("test11", 1)]}, require_stable, False))
    assert "test11" in string
    assert "group1" in string
    assert flag in string


def test_list_group_request_v3_fails_with_states() -> None:
    builder = ListGroupsRequest.Builder(ListGroupsRequestData(states_filter=["STABLE"]))
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(3)
