# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.JoinGroupResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The name of a protocol in each version."""

from __future__ import annotations

import pytest

from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.join_group_response import JoinGroupResponse


@pytest.mark.parametrize("version", ApiKeys.JOIN_GROUP.all_versions())
def test_protocol_name_backward_compatibility(version: int) -> None:
    response = JoinGroupResponse(JoinGroupResponseData(protocol_name=None), version)
    assert response.data().protocol_name == ("" if version < 7 else None)


@pytest.mark.parametrize("version", ApiKeys.JOIN_GROUP.all_versions())
def test_protocol_name_compliance_with_version7_and_above(version: int) -> None:
    response = JoinGroupResponse(JoinGroupResponseData(protocol_name=""), version)
    assert response.data().protocol_name == ("" if version < 7 else None)
