# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RequestContextTest."""

from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import CountedBuffer, Message
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.create_topics_response import CreateTopicsResponse
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent


def context_of(header: RequestHeader) -> RequestContext:
    return RequestContext(header, "0", InetAddress.get_by_name("127.0.0.1"), KafkaPrincipal.ANONYMOUS,
                          ListenerName("ssl"), SecurityProtocol.SASL_SSL, ClientInformation.EMPTY, False)


def test_serde_unsupported_api_version_request() -> None:
    header = RequestHeader.of(ApiKeys.API_VERSIONS, 0x7FFF, "", 23423)
    context = context_of(header)
    assert context.api_version() == 0
    # In a version that is not known this can be anything; it is not looked at.
    buffer = ByteBuffer.wrap(b"\xff" * 8)
    request_and_size = context.parse_request(buffer)
    assert request_and_size.size == 0
    assert buffer.remaining() == 8
    request = request_and_size.request
    assert isinstance(request, ApiVersionsRequest)
    assert request.has_unsupported_request_version()
    assert request.version() == 0
    send = context.build_response_send(ApiVersionsResponse(ApiVersionsResponseData(
        throttle_time_ms=0, error_code=Errors.UNSUPPORTED_VERSION.code, api_keys=[])))
    answer = ByteBuffer.wrap(sent(send))
    assert answer.get_int() == answer.remaining()
    response_header = ResponseHeader.parse(
        answer, ApiKeys.API_VERSIONS.response_header_version(header.api_version()))
    assert response_header.correlation_id() == 23423
    response = AbstractResponse.parse_response_api_key(ApiKeys.API_VERSIONS, answer, 0)
    assert isinstance(response, ApiVersionsResponse)
    assert response.data().error_code == Errors.UNSUPPORTED_VERSION.code
    assert response.data().api_keys == []
    assert not answer.has_remaining()


def test_envelope_response_serde() -> None:
    expected = CreateTopicsResponseData(throttle_time_ms=10, topics=[
        CreateTopicsResponseData.CreatableTopicResult(
            topic_config_error_code=Errors.CLUSTER_AUTHORIZATION_FAILED.code, num_partitions=5)])
    header = RequestHeader.of(ApiKeys.CREATE_TOPICS, ApiKeys.CREATE_TOPICS.latest_version(), "clientId", 15)
    buffer = context_of(header).build_response_envelope_payload(CreateTopicsResponse(expected))
    assert buffer.capacity() == buffer.limit()
    response = AbstractResponse.parse_response(buffer, header)
    assert response.data() == expected


def corrupt(message: Message, version: int, position: int, length: int) -> ByteBuffer:
    return ByteBuffer.wrap(bytearray(MessageUtil.to_byte_buffer(message, version).to_bytes())).put_int_at(
        position, length)


def produce_request() -> ProduceRequestData:
    return ProduceRequestData(acks=-1, timeout_ms=1, topic_data=[
        ProduceRequestData.TopicProduceData(name="foo", partition_data=[
            ProduceRequestData.PartitionProduceData(index=42)])])


def cause_of_failure(api_key: ApiKeys, version: int, buffer: ByteBuffer) -> str:
    context = context_of(RequestHeader.of(api_key, version, "console-producer", 3))
    with pytest.raises(InvalidRequestException) as caught:
        context.parse_request(buffer)
    assert str(caught.value) == (
        f"Error getting request for apiKey: {api_key}, apiVersion: {version}, connectionId: 0, "
        "listenerName: ListenerName(ssl), principal: User:ANONYMOUS")
    return str(caught.value.__cause__)


def test_invalid_request_for_implicit_hash_collection() -> None:
    buffer = corrupt(produce_request(), 5, 8, (0x7FFFFFFF - 1) // 2)
    assert cause_of_failure(ApiKeys.PRODUCE, 5, buffer) == (
        "Tried to allocate a collection of size 1073741823, but there are only 17 bytes remaining.")


def test_invalid_request_for_array_list() -> None:
    buffer = corrupt(produce_request(), 5, 17, 0x7FFFFFFF)
    assert cause_of_failure(ApiKeys.PRODUCE, 5, buffer) == (
        "Tried to allocate a collection of size 2147483647, but there are only 8 bytes remaining.")


def list_offsets_request(topics: int) -> ByteBuffer:
    """Return a request in version 8 with so many topics of three bytes each."""
    body = ListOffsetsRequestData(topics=[ListOffsetsRequestData.ListOffsetsTopic() for _ in range(topics)])
    return ByteBuffer.wrap(bytes(body.write(bytearray(), 8, [])))


@pytest.mark.deviation("D262")
def test_elements_that_the_bytes_cannot_hold() -> None:
    # The number is followed by as many bytes, and an element has three at least.
    buffer = list_offsets_request(100)
    data = bytearray(buffer.view())
    data[5] = 121
    remaining = len(data) - 6
    assert cause_of_failure(ApiKeys.LIST_OFFSETS, 8, ByteBuffer.wrap(data)) == (
        f"Tried to allocate a collection of size 120, but there are only {remaining} bytes remaining.")


@pytest.mark.deviation("D263")
@pytest.mark.parametrize("topics, is_allowed", [(99, True), (100, True), (101, False)])
def test_more_elements_than_are_allowed(topics: int, is_allowed: bool) -> None:
    context = context_of(RequestHeader.of(ApiKeys.LIST_OFFSETS, 8, "", 3))
    context.max_elements = 100
    if is_allowed:
        request = context.parse_request(list_offsets_request(topics)).request
        assert isinstance(request, ListOffsetsRequest)
        assert len(request.topics()) == topics
    else:
        with pytest.raises(InvalidRequestException) as caught:
            context.parse_request(list_offsets_request(topics))
        assert "more elements than are allowed" in str(caught.value.__cause__)


def test_inner_arrays_and_tagged_fields_count_as_elements() -> None:
    topic = ListOffsetsRequestData.ListOffsetsTopic(
        partitions=[ListOffsetsRequestData.ListOffsetsPartition() for _ in range(50)])
    tagged = ListOffsetsRequestData.ListOffsetsTopic()
    tagged.unknown_tagged_fields().extend(RawTaggedField(tag, b"") for tag in range(50))
    for topics, elements in (([topic], 51), ([tagged], 51), ([topic, topic, tagged], 153)):
        body = ListOffsetsRequestData(topics=topics)
        data = bytes(body.write(bytearray(), 8, []))
        for allowed in (elements, elements - 1):
            buffer = CountedBuffer(ByteBuffer.wrap(data), allowed)
            if allowed == elements:
                assert ListOffsetsRequestData.read(buffer, 8) == body
                assert not buffer.has_remaining()
            else:
                with pytest.raises(RuntimeError, match="more elements than are allowed"):
                    ListOffsetsRequestData.read(buffer, 8)


def test_invalid_request_for_byte_array() -> None:
    buffer = corrupt(SaslAuthenticateRequestData(auth_bytes=b""), 1, 0, 0x7FFFFFFF)
    assert cause_of_failure(ApiKeys.SASL_AUTHENTICATE, 1, buffer) == (
        "Error reading byte array of 2147483647 byte(s): only 0 byte(s) available")


def test_an_api_without_a_class_is_refused_in_plain_words() -> None:
    assert cause_of_failure(ApiKeys.ALLOCATE_PRODUCER_IDS, 0, ByteBuffer.allocate(20)) == (
        "ApiKey ALLOCATE_PRODUCER_IDS is not supported: there is no AllocateProducerIdsRequest")


def test_a_version_that_is_not_known_is_refused() -> None:
    assert cause_of_failure(ApiKeys.PRODUCE, 100, ByteBuffer.allocate(20)) == (
        "Can't read version 100 of ProduceRequestData")


def test_to_string() -> None:
    context = context_of(RequestHeader.of(ApiKeys.PRODUCE, 9, "c", 3))
    assert str(context) == (
        "RequestContext(header=RequestHeader(apiKey=PRODUCE, apiVersion=9, clientId=c, correlationId=3, "
        "headerVersion=2), connectionId='0', clientAddress=/127.0.0.1, principal=User:ANONYMOUS, "
        "listenerName=ListenerName(ssl), securityProtocol=SASL_SSL, clientInformation="
        "ClientInformation(softwareName=unknown, softwareVersion=unknown), fromPrivilegedListener=false, "
        "principalSerde=Optional.empty)")
    assert context.request_type() == 0
    assert context.request_version() == 9
    assert context.client_id() == "c"
    assert context.correlation_id() == 3
