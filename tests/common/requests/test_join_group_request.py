# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.JoinGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member that joins."""

from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidConfigurationException, UnsupportedVersionException
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.join_group_request import JoinGroupRequest


@pytest.mark.parametrize("instance_id", [
    "valid", "INSTANCE", "gRoUp", "ar6", "VaL1d", "_0-9_.", "...", "aB3" * 83])
def test_should_accept_valid_group_instance_ids(instance_id: str) -> None:
    """It raises nothing; the longest has 249 characters."""
    assert len(instance_id) <= 249
    JoinGroupRequest.validate_group_instance_id(instance_id)


@pytest.mark.parametrize("instance_id", ["", "foo bar", "..", "foo:bar", "foo=bar", ".", "a" * 250])
def test_should_throw_on_invalid_group_instance_ids(instance_id: str) -> None:
    with pytest.raises(InvalidConfigurationException):
        JoinGroupRequest.validate_group_instance_id(instance_id)


def test_request_version_compatibility_fail_build() -> None:
    builder = JoinGroupRequest.Builder(JoinGroupRequestData(
        group_id="groupId", member_id="consumerId", group_instance_id="groupInstanceId",
        protocol_type="consumer"))
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(4)


def test_rebalance_timeout_defaults_to_session_timeout_v0() -> None:
    session_timeout_ms = 30000
    version = 0
    buffer = MessageUtil.to_byte_buffer(JoinGroupRequestData(
        group_id="groupId", member_id="consumerId", protocol_type="consumer",
        session_timeout_ms=session_timeout_ms), version)
    request = JoinGroupRequest.parse(buffer, version)
    assert request.data().session_timeout_ms == session_timeout_ms
    assert request.data().rebalance_timeout_ms == session_timeout_ms
