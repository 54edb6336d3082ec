# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SyncGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Versions that have no group instance id."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.requests.sync_group_request import SyncGroupRequest


def test_request_version_compatibility_fail_build() -> None:
    builder = SyncGroupRequest.Builder(SyncGroupRequestData(
        group_id="groupId", member_id="consumerId", group_instance_id="groupInstanceId"))
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(2)
