# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestConvertToJsonTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request log: Kafka's RequestConvertToJsonTest, and lines that a broker of Kafka 3.8.0 wrote.

Only brokers and controllers send the requests that have no request class. Their messages are converted
instead.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.describe_log_dirs_response_data import DescribeLogDirsResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import ApiMessage, Message
from kreactor.common.protocol.message_json_converter import (
    ObjectNode,
    read_json,
    write_json,
)
from kreactor.common.protocol.message_schema import is_struct
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import DEBUG, INFO
from kreactor.core.network.request_channel import RequestChannel, request_logger
from kreactor.core.network.request_convert_to_json import RequestConvertToJson
from kreactor.jdk.exceptions import UnsupportedOperationException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer

LOG = Path(__file__).with_name("data") / "kafka-3.8.0-request.log"
LINE = re.compile(r"\[.*?\] DEBUG Completed request:(\{.*\}) \(kafka\.request\.logger\)\n")


def has_class(api_key: ApiKeys) -> bool:
    try:
        AbstractRequest.parse_request(api_key, api_key.latest_version(), ByteBuffer.allocate(0))
    except UnsupportedOperationException:
        return False
    except RuntimeError:
        pass
    return True


def as_on_the_wire(message: ApiMessage, version: int) -> ByteBuffer:
    return MessageUtil.to_byte_buffer(message, version)


def check_response(api_key: ApiKeys, message: ApiMessage, version: int) -> None:
    buffer = as_on_the_wire(message, version)
    if has_class(api_key):
        node = RequestConvertToJson.response(
            AbstractResponse.parse_response_api_key(api_key, buffer, version), version)
    else:
        node = write_json(type(message).read(buffer, version), version)
    # Tagged fields that have their defaults are left out.
    assert list(node) == [field.name for field in message.SCHEMA.fields
                          if field.is_in(version) and not field.is_tagged_in(version)]


def test_all_request_types_handled() -> None:
    for api_key in ApiKeys.values():
        version = api_key.latest_version()
        message = api_key.message_type.request_class()()
        if isinstance(message, DescribeAclsRequestData):
            message.pattern_type_filter = message.resource_type_filter = 1
            message.permission_type = message.operation = 1
        buffer = as_on_the_wire(message, version)
        if has_class(api_key):
            node = RequestConvertToJson.request(
                AbstractRequest.parse_request(api_key, version, buffer).request)
        else:
            node = write_json(type(message).read(buffer, version), version)
        assert str(node) == str(write_json(message, version))


@pytest.mark.parametrize("api_key", ApiKeys.values(), ids=str)
def test_all_api_versions_response_handled(api_key: ApiKeys) -> None:
    for version in api_key.all_versions():
        message = api_key.message_type.response_class()()
        if isinstance(message, DescribeLogDirsResponseData):
            message.error_code = Errors.CLUSTER_AUTHORIZATION_FAILED.code
        check_response(api_key, message, version)


def test_all_response_types_handled() -> None:
    for api_key in ApiKeys.values():
        check_response(api_key, api_key.message_type.response_class()(), api_key.latest_version())


def test_request_header_node() -> None:
    header = request(alter_configs_request()).header()
    expected = write_json(header.data(), header.header_version(), False)
    expected["requestApiKeyName"] = str(header.api_key())
    actual = RequestConvertToJson.request_header_node(header)
    assert list(actual.items()) == list(expected.items())
    assert str(actual) == ('{"requestApiKey":33,"requestApiVersion":0,"correlationId":1,'
                           '"clientId":"client-id","requestApiKeyName":"ALTER_CONFIGS"}')


def test_request_header_node_with_deprecated_api_version() -> None:
    fetch_request = FetchRequest.Builder.for_consumer(0, 0, 0, {}).build_version(0)
    header = request(fetch_request).header()
    expected = write_json(header.data(), header.header_version(), False)
    expected["requestApiKeyName"] = str(header.api_key())
    expected["requestApiVersionDeprecated"] = True
    actual = RequestConvertToJson.request_header_node(header)
    assert list(actual.items()) == list(expected.items())


def test_client_info_node() -> None:
    node = RequestConvertToJson.client_info_node(ClientInformation("name", "1"))
    assert str(node) == '{"softwareName":"name","softwareVersion":"1"}'


def test_request_desc() -> None:
    req = request(alter_configs_request())
    actual = RequestConvertToJson.request_desc(req.header(), req.request_log, req.is_forwarded())
    assert list(actual.items()) == [
        ("isForwarded", False), ("requestHeader", RequestConvertToJson.request_header_node(req.header())),
        ("request", "")]


@pytest.mark.parametrize("is_logged", [False, True])
def test_request_desc_metrics(is_logged: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(DEBUG if is_logged else INFO, request_logger.get_name())
    alter_configs = alter_configs_request()
    req = request(alter_configs)
    send = NetworkSend(req.context.connection_id, alter_configs.to_send(req.header()))
    header_log = RequestConvertToJson.request_header_node(req.header())
    res = RequestChannel.SendResponse(req, send, header_log, None)
    expected = RequestConvertToJson.request_desc(req.header(), req.request_log, req.is_forwarded())
    assert expected["request"] == ({"validateOnly": False, "resources": []} if is_logged else "")
    expected["response"] = header_log
    expected["connection"] = "connection-id"
    expected["totalTimeMs"] = 1.0
    expected["requestQueueTimeMs"] = 2.0
    expected["localTimeMs"] = 3.0
    expected["remoteTimeMs"] = 4.0
    expected["throttleTimeMs"] = 5
    expected["responseQueueTimeMs"] = 6.0
    expected["sendTimeMs"] = 7.0
    expected["securityProtocol"] = "PLAINTEXT"
    expected["principal"] = "User:user"
    expected["listener"] = "PLAINTEXT"
    expected["clientInformation"] = RequestConvertToJson.client_info_node(req.context.client_information)
    expected["temporaryMemoryBytes"] = 8
    expected["messageConversionsTime"] = 9.0
    actual = RequestConvertToJson.request_desc_metrics(
        req.header(), req.request_log, res.response_log(), req.context, req.session, req.is_forwarded(),
        1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert list(actual.items()) == list(expected.items())
    assert str(actual) == str(expected)
    assert '"totalTimeMs":1.0,' in str(actual)
    # Parts that are 0 are not named.
    actual = RequestConvertToJson.request_desc_metrics(
        req.header(), None, None, req.context, req.session, True, 1, 2, 3, 4, 5, 6, 7, 0, 0)
    assert actual["isForwarded"] is True
    assert actual["request"] == actual["response"] == ""
    assert list(actual) == list(expected)[:-2]
    # However small.
    actual = RequestConvertToJson.request_desc_metrics(
        req.header(), None, None, req.context, req.session, True, 1, 2, 3, 4, 5, 6, 7, 1, 0.5)
    assert (actual["temporaryMemoryBytes"], actual["messageConversionsTime"]) == (1, 0.5)


def alter_configs_request() -> AlterConfigsRequest:
    # The origin takes AlterPartitionRequest. Brokers send that request to controllers, so it has no class.
    return AlterConfigsRequest(AlterConfigsRequestData(), 0)


def request(req: AbstractRequest) -> RequestChannel.Request:
    buffer = req.serialize_with_header(RequestHeader.of(req.api_key(), req.version(), "client-id", 1))
    context = RequestContext(
        RequestHeader.parse(buffer), "connection-id", InetAddress.get_by_name("127.0.0.1"),
        KafkaPrincipal(KafkaPrincipal.USER_TYPE, "user"),
        ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT,
        ClientInformation("name", "version"), False)
    return RequestChannel.Request(1, context, 0, MemoryPool.NONE, buffer, RequestChannel.Metrics([]))


def test_records_are_not_shown() -> None:
    produce = ProduceRequest(ProduceRequestData(topic_data=[ProduceRequestData.TopicProduceData(
        name="t", partition_data=[ProduceRequestData.PartitionProduceData(index=3, records=b"secret")])]), 9)
    assert str(RequestConvertToJson.request(produce)) == (
        '{"transactionalId":null,"acks":0,"timeoutMs":0,"topicData":[{"name":"t",'
        '"partitionData":[{"index":3,"recordsSizeInBytes":6}]}]}')
    fetch = FetchResponse(FetchResponseData(responses=[FetchResponseData.FetchableTopicResponse(
        partitions=[FetchResponseData.PartitionData(records=b"secret")])]))
    text = str(RequestConvertToJson.response(fetch, 11))
    assert '"recordsSizeInBytes":6}' in text
    assert base64.b64encode(b"secret").decode() not in text


def test_lines_that_a_broker_wrote() -> None:
    lines = LOG.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) > 50
    for line in lines:
        matched = LINE.fullmatch(line)
        assert matched is not None
        text = matched[1]
        read = json.loads(text)
        header = read["requestHeader"]
        api_key = ApiKeys.for_id(header["requestApiKey"])
        version = header["requestApiVersion"]
        # The answer to a version of ApiVersions that is not known is that of version 0.
        body_version = version if api_key.is_version_supported(version) else 0
        desc = ObjectNode(read)
        desc["requestHeader"] = RequestConvertToJson.request_header_node(header_of(header, api_key, version))
        for part, message_class in (("request", api_key.message_type.request_class()),
                                    ("response", api_key.message_type.response_class())):
            if read[part] != "":
                message = message_of(read[part], message_class, body_version)
                desc[part] = node_of(api_key, message, body_version)
        assert str(desc) == text


def header_of(node: dict[str, Any], api_key: ApiKeys, version: int) -> RequestHeader:
    header_version = api_key.request_header_version(version)
    known = {key: value for key, value in node.items() if not key.startswith("requestApi")
             or key in ("requestApiKey", "requestApiVersion")}
    return RequestHeader(read_json(RequestHeaderData, known, header_version), header_version)


def message_of(node: dict[str, Any], message_class: type[ApiMessage], version: int) -> ApiMessage:
    """Read a message as it was logged; records are as long as they were, but empty."""
    with_records = json.loads(json.dumps(node))
    for struct in structs(with_records, message_class):
        for key in [key for key in struct if key.endswith("SizeInBytes")]:
            struct[key.removesuffix("SizeInBytes")] = base64.b64encode(bytes(struct.pop(key))).decode()
    return read_json(message_class, with_records, version)


def structs(node: dict[str, Any], message_class: type[Message]) -> Iterator[dict[str, Any]]:
    yield node
    for field in message_class.SCHEMA.fields:
        value = node.get(field.name)
        if value is not None and is_struct(field.element_type()):
            for element in value if field.is_array() else [value]:
                yield from structs(element, message_class.struct_class(field.element_type()))


def node_of(api_key: ApiKeys, message: ApiMessage, version: int) -> ObjectNode:
    buffer = as_on_the_wire(message, version)
    if not has_class(api_key):
        return write_json(message, version)
    if isinstance(message, api_key.message_type.request_class()):
        return RequestConvertToJson.request(AbstractRequest.parse_request(api_key, version, buffer).request)
    return RequestConvertToJson.response(
        AbstractResponse.parse_response_api_key(api_key, buffer, version), version)
