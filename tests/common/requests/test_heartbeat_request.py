# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.HeartbeatRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Versions that have no group instance id."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.requests.heartbeat_request import HeartbeatRequest


def test_request_version_compatibility_fail_build() -> None:
    builder = HeartbeatRequest.Builder(HeartbeatRequestData(
        group_id="groupId", member_id="consumerId", group_instance_id="groupInstanceId"))
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(2)
