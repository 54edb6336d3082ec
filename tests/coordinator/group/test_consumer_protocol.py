# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The metadata of a consumer that joins, as far as a coordinator reads it."""

from __future__ import annotations

import pytest

from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.coordinator.group.consumer_protocol import ConsumerProtocol
from kreactor.jdk.nio_buffer import ByteBuffer

SUBSCRIPTION = b"\0\0\0\1\0\5topic\xff\xff\xff\xff"


@pytest.mark.parametrize("version", [0, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION, 99])
def test_a_subscription(version: int) -> None:
    data = SUBSCRIPTION + bytes(4) + b"\xff\xff\xff\xff\xff\xff"
    subscription = ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(data), version)
    assert subscription.topics == ["topic"]


@pytest.mark.parametrize("size", [0, 3, 11, 14])
def test_a_number_that_is_cut_off(size: int) -> None:
    with pytest.raises(SchemaException, match="^Buffer underflow while parsing consumer protocol's subscr"):
        ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(SUBSCRIPTION[:size]), 0)


@pytest.mark.parametrize("size", [4, 6, 10])
def test_a_text_that_is_cut_off(size: int) -> None:
    with pytest.raises(RuntimeError, match="^(Tried to allocate a collection|Error reading byte array) of "):
        ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(SUBSCRIPTION[:size]), 0)


def test_a_version_that_is_cut_off_or_none() -> None:
    with pytest.raises(SchemaException, match="^Buffer underflow while parsing consumer protocol's header$"):
        ConsumerProtocol.deserialize_version(ByteBuffer.wrap(b"\0"))
    assert ConsumerProtocol.deserialize_version(ByteBuffer.wrap(b"\0\3")) == 3
    with pytest.raises(SchemaException, match="^Unsupported subscription version: -1$"):
        ConsumerProtocol.deserialize_subscription(ByteBuffer.wrap(SUBSCRIPTION), -1)
