# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.ConsumerGroupMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metadata of a group in a transaction."""

from __future__ import annotations

import pytest

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.common.requests.join_group_request import JoinGroupRequest


def test_assignment_constructor() -> None:
    group_metadata = ConsumerGroupMetadata("group", 2, "member", "instance")
    assert group_metadata.group_id() == "group"
    assert group_metadata.generation_id() == 2
    assert group_metadata.member_id() == "member"
    assert group_metadata.group_instance_id() == "instance"


def test_group_id_constructor() -> None:
    group_metadata = ConsumerGroupMetadata("group")
    assert group_metadata.group_id() == "group"
    assert group_metadata.generation_id() == JoinGroupRequest.UNKNOWN_GENERATION_ID
    assert group_metadata.member_id() == JoinGroupRequest.UNKNOWN_MEMBER_ID
    assert group_metadata.group_instance_id() is None


def test_invalid_group_id() -> None:
    with pytest.raises(TypeError, match="^group.id can't be null$"):
        ConsumerGroupMetadata(None, 2, "member")


def test_invalid_member_id() -> None:
    with pytest.raises(TypeError, match="^member.id can't be null$"):
        ConsumerGroupMetadata("group", 2, None)
