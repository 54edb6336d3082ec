# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetsForLeaderEpochRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where epochs end."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.offsets_for_leader_epoch_request import OffsetsForLeaderEpochRequest


def test_for_consumer_requires_version_3() -> None:
    builder = OffsetsForLeaderEpochRequest.Builder.for_consumer([])
    for version in range(3):
        with pytest.raises(UnsupportedVersionException):
            builder.build_version(version)
    for version in range(3, ApiKeys.OFFSET_FOR_LEADER_EPOCH.latest_version() + 1):
        request = builder.build_version(version)
        assert request.replica_id() == OffsetsForLeaderEpochRequest.CONSUMER_REPLICA_ID


@pytest.mark.parametrize("version", ApiKeys.OFFSET_FOR_LEADER_EPOCH.all_versions())
def test_default_replica_id(version: int) -> None:
    request = OffsetsForLeaderEpochRequest.Builder.for_follower(version, [], 1).build()
    parsed = OffsetsForLeaderEpochRequest.parse(request.serialize(), version)
    assert parsed.replica_id() == (1 if version >= 3 else OffsetsForLeaderEpochRequest.DEBUGGING_REPLICA_ID)
