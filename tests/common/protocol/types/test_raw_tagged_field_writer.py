# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RawTaggedFieldWriterTest; what it tests is part of the codec here."""

from __future__ import annotations

import pytest

from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.protocol.message_codec import _write_raw_tags
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField

INTEGER_MAX_VALUE = 0x7FFFFFFF


def test_writing_zero_raw_tagged_fields() -> None:
    out = bytearray()
    assert _write_raw_tags(out, [], 0, INTEGER_MAX_VALUE) == 0
    assert not out


def test_writing_several_raw_tagged_fields() -> None:
    tags = [RawTaggedField(2, b"\1\2\3"), RawTaggedField(5, b"\4\5")]
    out = bytearray()
    position = _write_raw_tags(out, tags, 0, 1)
    assert out == b""
    position = _write_raw_tags(out, tags, position, 3)
    assert out == b"\2\3\1\2\3"
    position = _write_raw_tags(out, tags, position, 7)
    assert out == b"\2\3\1\2\3\5\2\4\5"
    assert _write_raw_tags(out, tags, position, INTEGER_MAX_VALUE) == 2
    assert out == b"\2\3\1\2\3\5\2\4\5"


def test_invalid_next_defined_tag() -> None:
    tags = [RawTaggedField(2, b"\1\2\3"), RawTaggedField(5, b"\4\5\6"), RawTaggedField(7, b"\0")]
    with pytest.raises(RuntimeError, match="^Attempted to use tag 2 as an undefined tag.$"):
        _write_raw_tags(bytearray(), tags, 0, 2)


def test_out_of_order_tags() -> None:
    tags = [RawTaggedField(5, b"\4\5\6"), RawTaggedField(2, b"\1\2\3"), RawTaggedField(7, b"\0")]
    text = "^Invalid raw tag field list: tag 2 comes after tag 5, but is not higher than it.$"
    with pytest.raises(RuntimeError, match=text):
        _write_raw_tags(bytearray(), tags, 0, 8)
    # Also where tags of the message's own stand between the two.
    with pytest.raises(RuntimeError, match=text):
        _write_raw_tags(bytearray(), tags, 1, 8)
    # Nor may one be there twice.
    with pytest.raises(RuntimeError, match="tag 2 comes after tag 2"):
        _write_raw_tags(bytearray(), [tags[1], tags[1]], 0, 8)
    message = DescribeClusterRequestData()
    message.unknown_tagged_fields().extend(tags)
    with pytest.raises(RuntimeError, match=text):
        MessageUtil.to_byte_buffer(message, 0)


def test_fields_are_equal_by_tag_and_bytes() -> None:
    assert RawTaggedField(1, b"x") == RawTaggedField(1, b"x")
    assert hash(RawTaggedField(1, b"x")) == hash(RawTaggedField(1, b"x"))
    assert RawTaggedField(1, b"x") != RawTaggedField(2, b"x")
    assert RawTaggedField(1, b"x") != RawTaggedField(1, b"y")
    assert RawTaggedField(1, b"xyz").size() == 3
