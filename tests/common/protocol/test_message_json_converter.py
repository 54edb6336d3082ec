# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Messages as JSON. The tests of the messages convert each of them there and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_json_converter import (
    JsonNode,
    ObjectNode,
    json_text,
    read_json,
    write_json,
)
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException


def test_records_show_their_size_or_nothing() -> None:
    data = ProduceRequestData(topic_data=[ProduceRequestData.TopicProduceData(name="t", partition_data=[
        ProduceRequestData.PartitionProduceData(index=1, records=b"12345"),
        ProduceRequestData.PartitionProduceData(index=2, records=None)])])
    assert str(write_json(data, 9, False)) == (
        '{"transactionalId":null,"acks":0,"timeoutMs":0,"topicData":[{"name":"t","partitionData":['
        '{"index":1,"recordsSizeInBytes":5},{"index":2,"records":null}]}]}')
    assert '"index":1,"records":""}' in str(write_json(data, 9))


def test_fields_of_the_version_in_their_order_without_tagged_defaults() -> None:
    partition = FetchResponseData.PartitionData(partition_index=3, aborted_transactions=None, records=b"")
    data = FetchResponseData(responses=[FetchResponseData.FetchableTopicResponse(
        topic="t", topic_id=Uuid.ONE_UUID, partitions=[partition])])
    assert str(write_json(data, 4, False)) == (
        '{"throttleTimeMs":0,"responses":[{"topic":"t","partitions":[{"partitionIndex":3,"errorCode":0,'
        '"highWatermark":0,"lastStableOffset":-1,"abortedTransactions":null,"recordsSizeInBytes":0}]}]}')
    partition.current_leader = FetchResponseData.LeaderIdAndEpoch(leader_id=1, leader_epoch=2)
    assert str(write_json(data, 16, False)) == (
        '{"throttleTimeMs":0,"errorCode":0,"sessionId":0,"responses":[{"topicId":"AAAAAAAAAAAAAAAAAAAAAQ",'
        '"partitions":[{"partitionIndex":3,"errorCode":0,"highWatermark":0,"lastStableOffset":-1,'
        '"logStartOffset":-1,"currentLeader":{"leaderId":1,"leaderEpoch":2},"abortedTransactions":null,'
        '"preferredReadReplica":-1,"recordsSizeInBytes":0}]}]}')
    with pytest.raises(UnsupportedVersionException,
                       match="^Attempted to write a non-default currentLeader at version 4$"):
        write_json(data, 4)


def test_bytes_are_base64_and_floats_keep_their_fraction() -> None:
    join = JoinGroupRequestData(protocols=[
        JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"\x00\xff\x10")])
    assert '{"name":"range","metadata":"AP8Q"}' in str(write_json(join, 9))
    quotas = AlterClientQuotasRequestData(entries=[AlterClientQuotasRequestData.EntryData(ops=[
        AlterClientQuotasRequestData.OpData(key="k", value=value) for value in (1024.0, 1e-5, 1e10)])])
    assert ('[{"key":"k","value":1024.0,"remove":false},{"key":"k","value":1.0E-5,"remove":false},'
            '{"key":"k","value":1.0E10,"remove":false}]') in str(write_json(quotas, 0))


def test_text_as_jackson_prints_it() -> None:
    assert json_text("a\"b\\c\n\t\b\f\r") == r'"a\"b\\c\n\t\b\f\r"'
    assert json_text("\x01\x1b\x1f\x7f") == '"\\u0001\\u001B\\u001F\x7f"'
    assert json_text("\\u001b é \U0001F600 \u2028") == '"\\\\u001b é \U0001F600 \u2028"'
    assert json_text([None, True, False, -5, 1.0, {}, []]) == "[null,true,false,-5,1.0,{},[]]"
    assert json_text([float("nan"), float("-inf")]) == '["NaN","-Infinity"]'
    assert str(ObjectNode(a=1, b=ObjectNode(c="d"))) == '{"a":1,"b":{"c":"d"}}'


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children)))
def test_the_text_is_json(node: JsonNode) -> None:
    assert json.loads(json_text(node)) == node


@pytest.mark.parametrize("message, version, node, error, text", [
    (MetadataRequestData, 0, {}, RuntimeError,
     "MetadataRequestData: unable to locate field 'topics', which is mandatory in version 0"),
    (MetadataRequestData, 0, {"topics": 5}, RuntimeError,
     "MetadataRequestData expected a JSON array, but got NUMBER"),
    (MetadataRequestData, 0, {"topics": [[]]}, RuntimeError,
     "MetadataRequestTopic expected a JSON object, but got ARRAY"),
    (MetadataRequestData, 0, {"topics": [{"name": 1.5}]}, RuntimeError,
     "MetadataRequestTopic expected a string type, but got NUMBER"),
    (MetadataRequestData, 4, {"topics": None, "allowAutoTopicCreation": "true"}, RuntimeError,
     "MetadataRequestData expected Boolean type, but got STRING"),
    (MetadataRequestData, 10, {"topics": [{"topicId": None}]}, RuntimeError,
     "MetadataRequestTopic expected a JSON string type, but got NULL"),
    (ProduceRequestData, 0, {"acks": "1"}, IllegalArgumentException,
     "ProduceRequestData: expected an integer or string type, but got STRING"),
    (ProduceRequestData, 0, {"acks": 70000}, RuntimeError,
     "ProduceRequestData: value 70000 does not fit in a 16-bit signed integer."),
    (JoinGroupRequestData, 0, {"groupId": {}}, RuntimeError,
     "JoinGroupRequestData expected a string type, but got OBJECT"),
    (JoinGroupRequestData, 0, {"groupId": True}, RuntimeError,
     "JoinGroupRequestData expected a string type, but got BOOLEAN"),
])
def test_json_that_is_no_such_message(message: type[Message], version: int, node: JsonNode,
                                      error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        read_json(message, node, version)
    assert str(caught.value) == text
