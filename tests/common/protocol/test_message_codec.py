# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The compiled readers and writers themselves."""

from __future__ import annotations

import linecache
import threading
import traceback

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.default_principal_data import DefaultPrincipalData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.protocol import message_codec
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.jdk.nio_buffer import ByteBuffer


def header(client_id: bytes) -> ByteBuffer:
    return ByteBuffer.wrap(bytes(8) + len(client_id).to_bytes(2, "big") + client_id)


# What Java 17 made of them, with ? for the replacement character.
@pytest.mark.parametrize("data, text", [
    (b"\xc3\xa9", "é"), (b"\xf0\x9f\x98\x80", "\U0001F600"), (b"a\xffb", "a?b"), (b"\xc0\x80", "??"),
    (b"\xc3", "?"), (b"\xe2\x82", "?"), (b"\xe2\x82a", "?a"), (b"\xe0\x80\x80", "???"),
    (b"\xed\xa0\x80", "?"), (b"\xed\xa0", "?"), (b"\xed\xa0a", "?a"), (b"\xed\xbf\xbf\xed\xa0\x80", "??"),
    (b"\xed\xa0\xed\xa0\x80", "??"), (b"\xed\xa0\x80\x80", "??"), (b"\xf0\x80\x80\x80", "????"),
    (b"\xf4\x90\x80\x80", "????"), (b"\xf0\x9f\x98", "?"), (b"\xf0\x9f\x98a", "?a"), (b"\xf8\x88", "??")])
def test_what_is_no_utf8_is_replaced_as_java_does(data: bytes, text: str) -> None:
    read = RequestHeaderData.read(header(data), 1)
    assert read.client_id == text.replace("?", "\ufffd")


def test_half_a_surrogate_pair_is_written_as_java_does() -> None:
    data = RequestHeaderData(client_id="a\ud800b")
    assert MessageUtil.to_byte_buffer(data, 1).to_bytes().endswith(b"\x00\x03a?b")


def test_strings_have_a_limit() -> None:
    longest = "x" * 0x7FFF
    for version in (0, 9):
        topics = [MetadataRequestData.MetadataRequestTopic(name=longest)]
        buffer = MessageUtil.to_byte_buffer(MetadataRequestData(topics=topics), version)
        read = MetadataRequestData.read(buffer, version)
        assert read.topics is not None and read.topics[0].name == longest
        topics[0].name = longest + "x"
        with pytest.raises(RuntimeError, match="^'name' field is too long to be serialized$"):
            MessageUtil.to_byte_buffer(MetadataRequestData(topics=topics), version)


@given(st.integers(0, 0xFFFFFFFF))
@example(0x7F)
@example(0x80)
@example(0xFFFFFFFF)
def test_varints_are_those_of_byte_utils(value: int) -> None:
    encoded = message_codec.varint_bytes(value)
    buffer = ByteBuffer.allocate(5)
    signed = value - (1 << 32) if value >= 1 << 31 else value
    ByteUtils.write_unsigned_varint(signed, buffer)
    assert buffer.flip().to_bytes() == encoded
    assert message_codec._varint(memoryview(encoded), 0) == (signed, len(encoded))
    assert ByteUtils.read_unsigned_varint(buffer) == signed


def test_tags_in_any_order_and_twice() -> None:
    # cluster id 1 is read twice, the last one counts; 5 and 3 are not known and stay in their order.
    empty = MessageUtil.to_byte_buffer(FetchRequestData(), 12).to_bytes()
    assert empty.endswith(b"\0")
    tags = b"\x05" + b"\x05\x01x" + b"\x00\x02\x02a" + b"\x03\x00" + b"\x00\x02\x02b" + b"\x05\x01y"
    read = FetchRequestData.read(ByteBuffer.wrap(empty[:-1] + tags), 12)
    assert read.cluster_id == "b"
    assert read.unknown_tagged_fields() == [RawTaggedField(5, b"x"), RawTaggedField(3, b""),
                                            RawTaggedField(5, b"y")]


def test_a_tag_of_a_later_version() -> None:
    empty = MessageUtil.to_byte_buffer(FetchRequestData(), 12).to_bytes()
    with pytest.raises(RuntimeError, match="^Tag 1 is not valid for version 12$"):
        FetchRequestData.read(ByteBuffer.wrap(empty[:-1] + b"\x01\x01\x00"), 12)


def test_unknown_tags_stand_after_known_ones() -> None:
    message = FetchRequestData(cluster_id="c")
    message.unknown_tagged_fields().append(RawTaggedField(7, b"z"))
    encoded = MessageUtil.to_byte_buffer(message, 12).to_bytes()
    assert encoded.endswith(b"\x02" + b"\x00\x02\x02c" + b"\x07\x01z")


def test_many_tags_and_long_arrays() -> None:
    message = ApiVersionsResponseData(api_keys=[
        ApiVersionsResponseData.ApiVersion(api_key=key % 100) for key in range(1000)])
    message.unknown_tagged_fields().extend(RawTaggedField(tag, bytes(tag)) for tag in range(4, 304))
    buffer = MessageUtil.to_byte_buffer(message, 3)
    assert ApiVersionsResponseData.read(buffer, 3) == message


def test_the_code_is_there_to_be_read() -> None:
    message_codec.compile_reader(DefaultPrincipalData, 0)
    lines = linecache.getlines("<DefaultPrincipalData v0 reader>")
    assert lines[0].startswith("def reader(")
    linecache.checkcache()
    assert linecache.getlines("<DefaultPrincipalData v0 reader>") == lines
    try:
        DefaultPrincipalData.read(ByteBuffer.wrap(b"\x00"), 0)
    except RuntimeError as error:
        assert "raise _null('type')" in "".join(traceback.format_exception(error))


def test_each_version_is_compiled_once() -> None:
    ResponseHeaderData.read(ByteBuffer.allocate(4), 0)
    reader = ResponseHeaderData._readers[0]
    ResponseHeaderData.read(ByteBuffer.allocate(4), 0)
    assert ResponseHeaderData._readers[0] is reader


def test_many_threads_may_need_a_version_first() -> None:
    ResponseHeaderData._readers.clear()
    ResponseHeaderData._writers.clear()
    start, read = threading.Barrier(4), []

    def run() -> None:
        start.wait()
        buffer = MessageUtil.to_byte_buffer(ResponseHeaderData(correlation_id=5), 1)
        read.append(ResponseHeaderData.read(buffer, 1).correlation_id)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [5] * 4


def test_a_limit_below_the_capacity_is_the_end() -> None:
    encoded = MessageUtil.to_byte_buffer(RequestHeaderData(client_id="abc"), 1).to_bytes()
    buffer = ByteBuffer.wrap(encoded + b"more").set_limit(len(encoded))
    assert RequestHeaderData.read(buffer, 1).client_id == "abc"
    with pytest.raises(RuntimeError, match="only 2 byte"):
        RequestHeaderData.read(buffer.set_limit(len(encoded) - 1).rewind(), 1)
