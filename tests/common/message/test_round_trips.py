# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every version of every message: written and read again, as bytes and as JSON; cut short; damaged."""

from __future__ import annotations

import base64
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_json_converter import JsonNode, json_text, read_json, write_json
from kreactor.common.protocol.message_schema import versions_of
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.message.strategies import ALL_MESSAGES, messages, raw_tags, versions

# Java's RuntimeException, of which IllegalArgumentException is one there.
RUNTIME_EXCEPTIONS = (RuntimeError, IllegalArgumentException)
A_FEW = settings(max_examples=2, database=None,
                 suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def serialize(message: Message, version: int) -> bytes:
    return MessageUtil.to_byte_buffer(message, version).to_bytes()


def with_records(message: Message, node: JsonNode) -> JsonNode:
    """Put the records into the JSON of ``message``, which leaves them out."""
    assert isinstance(node, dict)
    for field in message.SCHEMA.fields:
        value = getattr(message, field.attribute)
        if field.name not in node or value is None:
            continue
        if field.type == "records":
            node[field.name] = base64.b64encode(value.to_bytes()).decode()
        elif isinstance(value, Message):
            with_records(value, node[field.name])
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            for element, element_node in zip(value, node[field.name]):
                with_records(element, element_node)
    return node


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
@A_FEW
@given(data=st.data())
def test_every_version_is_read_as_it_was_written(message_class: type[Message], data: st.DataObject) -> None:
    for version in versions(message_class):
        message = data.draw(messages(message_class, version))
        encoded = serialize(message, version)
        assert message.serialized_size(version) == len(encoded)
        # Bytes before and after a message stay as they are.
        buffer = ByteBuffer.wrap(b"\x7f\x7f" + encoded + b"\xff\xff").set_position(2)
        read = message_class.read(buffer, version)
        assert read == message
        assert buffer.remaining() == 2
        assert str(read) == str(message)
        assert message.duplicate() == message
        node = with_records(message, write_json(message, version))
        assert read_json(message_class, node, version) == message


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
@settings(A_FEW, max_examples=1)
@given(data=st.data())
def test_unknown_tags_are_handed_on(message_class: type[Message], data: st.DataObject) -> None:
    flexible = versions_of(message_class.SCHEMA.flexible)
    for version in versions(message_class):
        message = data.draw(messages(message_class, version))
        known = [field.tag for field in message_class.SCHEMA.fields if field.tag is not None]
        message.unknown_tagged_fields().extend(data.draw(raw_tags(max(known, default=-1) + 1)))
        if flexible.contains(version):
            encoded = serialize(message, version)
            read = message_class.read(ByteBuffer.wrap(encoded), version)
            assert read == message
            assert serialize(read, version) == encoded
        else:
            with pytest.raises(Exception, match="Tagged fields were set, but version"):
                serialize(message, version)


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
@settings(A_FEW, max_examples=1)
@given(data=st.data())
def test_a_message_cut_short_is_refused(message_class: type[Message], data: st.DataObject) -> None:
    for version in versions(message_class):
        encoded = serialize(data.draw(messages(message_class, version)), version)
        for end in range(min(len(encoded), 300)):
            buffer = ByteBuffer.wrap(encoded).set_limit(end)
            with pytest.raises(RUNTIME_EXCEPTIONS):
                message_class.read(buffer, version)
            assert buffer.position() == 0


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
@settings(A_FEW, max_examples=2)
@given(data=st.data())
def test_a_damaged_message_is_refused_or_read(message_class: type[Message], data: st.DataObject) -> None:
    for version in versions(message_class):
        encoded = bytearray(serialize(data.draw(messages(message_class, version)), version))
        for _ in range(data.draw(st.integers(1, 3))):
            if encoded:
                at = data.draw(st.integers(0, len(encoded) - 1))
                damage = data.draw(st.sampled_from(
                    [b"", b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff\x0f", b"\x7f\xff\xff\xff",
                     b"\x80\x80\x80\x80\x08", b"\xff\xff\xff\xff\xff"]))
                encoded[at:at + 1] = damage
        before = time.monotonic()
        try:
            message_class.read(ByteBuffer.wrap(bytes(encoded)), version)
        except RUNTIME_EXCEPTIONS:
            pass
        # It is a matter of microseconds; a loop that believes a length takes minutes.
        assert time.monotonic() - before < 60


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
def test_versions_beyond_are_refused(message_class: type[Message]) -> None:
    for version in (message_class.LOWEST_SUPPORTED_VERSION - 1, message_class.HIGHEST_SUPPORTED_VERSION + 1):
        with pytest.raises(Exception, match=f"Can't read version {version} of"):
            message_class.read(ByteBuffer.allocate(100), version)
        with pytest.raises(Exception, match=f"Can't write version {version} of"):
            serialize(message_class(), version)
        with pytest.raises(Exception, match=f"Can't write version {version} of"):
            json_text(write_json(message_class(), version))


def test_nothing_to_read_is_an_underflow() -> None:
    from kreactor.common.message.produce_request_data import ProduceRequestData
    for version in versions(ProduceRequestData):
        with pytest.raises(BufferUnderflowException):
            ProduceRequestData.read(ByteBuffer.allocate(0), version)
