# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RequestHeaderTest, and headers that are none."""

from __future__ import annotations

import struct

import pytest

from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


def serialize(header: RequestHeader) -> ByteBuffer:
    return MessageUtil.to_byte_buffer(header.data(), header.header_version())


def test_serde_controlled_shutdown_v0() -> None:
    raw = struct.pack(">hhi", ApiKeys.CONTROLLED_SHUTDOWN.id, 0, 2342)
    header = RequestHeader.parse(ByteBuffer.wrap(raw))
    assert header.api_key() is ApiKeys.CONTROLLED_SHUTDOWN
    assert header.api_version() == 0
    assert header.correlation_id() == 2342
    assert header.client_id() == ""
    assert header.header_version() == 0
    assert serialize(header).to_bytes() == raw


def test_request_header_v1() -> None:
    header = RequestHeader.of(ApiKeys.FIND_COORDINATOR, 1, "", 10)
    assert header.header_version() == 1
    buffer = serialize(header)
    assert buffer.remaining() == 10
    assert RequestHeader.parse(buffer) == header


def test_request_header_v2() -> None:
    header = RequestHeader.of(ApiKeys.CREATE_DELEGATION_TOKEN, 2, "", 10)
    assert header.header_version() == 2
    buffer = serialize(header)
    assert buffer.remaining() == 11
    parsed = RequestHeader.parse(buffer)
    assert parsed == header
    assert hash(parsed) == hash(header)
    assert parsed != RequestHeader.of(ApiKeys.CREATE_DELEGATION_TOKEN, 2, "", 11)


def test_parse_header_from_buffer_with_non_zero_position() -> None:
    header = RequestHeader.of(ApiKeys.FIND_COORDINATOR, 1, "", 10)
    buffer = ByteBuffer.wrap(bytes(10) + serialize(header).to_bytes() + bytes(5)).set_position(10)
    assert RequestHeader.parse(buffer) == header
    assert buffer.remaining() == 5


def test_parse_header_with_null_client_id() -> None:
    data = RequestHeaderData(client_id=None, correlation_id=123, request_api_key=ApiKeys.FIND_COORDINATOR.id,
                             request_api_version=10)
    header = RequestHeader.parse(MessageUtil.to_byte_buffer(data, 2))
    assert header.client_id() == ""
    assert header.correlation_id() == 123
    assert header.api_key() is ApiKeys.FIND_COORDINATOR
    assert header.api_version() == 10


def test_verify_size_methods_return_same_value() -> None:
    header = RequestHeader.of(ApiKeys.FIND_COORDINATOR, 10, "hakuna-matata", 123)
    parsed = RequestHeader.parse(serialize(header))
    # Known from the parsing; counted where there was none.
    assert parsed._size == header.size() == serialize(header).remaining()


def test_the_version_of_api_versions_need_not_be_known() -> None:
    header = RequestHeader.of(ApiKeys.API_VERSIONS, 0x7FFF, "client", 7)
    assert header.header_version() == 2
    parsed = RequestHeader.parse(serialize(header))
    assert parsed.api_version() == 0x7FFF
    assert parsed.to_response_header() == ResponseHeader.of(7, 0)


def test_to_response_header() -> None:
    assert RequestHeader.of(ApiKeys.PRODUCE, 8, "c", 3).to_response_header() == ResponseHeader.of(3, 0)
    assert RequestHeader.of(ApiKeys.PRODUCE, 9, "c", 3).to_response_header() == ResponseHeader.of(3, 1)


def test_to_string() -> None:
    header = RequestHeader.of(ApiKeys.PRODUCE, 9, "c", 3)
    assert str(header) == ("RequestHeader(apiKey=PRODUCE, apiVersion=9, clientId=c, correlationId=3, "
                           "headerVersion=2)")
    assert str(ResponseHeader.of(3, 1)) == "ResponseHeader(correlationId=3, headerVersion=1)"


@pytest.mark.parametrize("raw, key, cause", [
    (b"", -1, BufferUnderflowException),
    (b"\0", -1, BufferUnderflowException),
    (b"\0\3", 3, BufferUnderflowException),
    (b"\0\3\0\0\0", 3, BufferUnderflowException),
    (b"\x03\xe7" + bytes(20), 999, IllegalArgumentException),
    (b"\xff\xff" + bytes(20), -1, IllegalArgumentException),
    # A client id longer than what is there.
    (b"\0\3\0\0" + bytes(4) + b"\0\x09abc", 3, RuntimeError),
    # Tagged fields that are cut short.
    (b"\0\3\0\x09" + bytes(4) + b"\0\0" + b"\1\5\x09", 3, RuntimeError)])
def test_what_is_no_header(raw: bytes, key: int, cause: type[Exception]) -> None:
    with pytest.raises(InvalidRequestException) as caught:
        RequestHeader.parse(ByteBuffer.wrap(raw))
    assert str(caught.value) == f"Error parsing request header. Our best guess of the apiKey is: {key}"
    assert isinstance(caught.value.__cause__, cause)


def test_a_header_with_an_unknown_key_can_be_held() -> None:
    header = RequestHeader(RequestHeaderData(request_api_key=999), 1)
    with pytest.raises(IllegalArgumentException):
        header.api_key()
