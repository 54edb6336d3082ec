# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetDeleteRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets are deleted, but those of topics that a group consumes."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    commit_offset,
    delete_offset,
    group_broker,
    join_dynamic,
    leave_group,
    versions,
)

NOT_APPLICABLE = dict.fromkeys((
    "testOffsetDeleteWithNewConsumerGroupProtocolAndNewGroupCoordinator",
    "testOffsetDeleteWithOldConsumerGroupProtocolAndNewGroupCoordinator",
), "the coordinator is Kafka's old one; the new one and its protocol are not ported")


def test_offset_delete_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path) as broker:
        for version in versions(ApiKeys.OFFSET_DELETE):
            # A group whose subscriptions cannot be read counts as subscribed to every topic.
            member_id, epoch = join_dynamic(broker, "grp")
            for partition in range(3):
                commit_offset(broker, "grp", member_id, epoch, "foo", partition, 100 + partition, Errors.NONE,
                              ApiKeys.OFFSET_COMMIT.latest_version())
            delete_offset(broker, "grp", "foo", 0, version,
                          expected_partition_error=Errors.GROUP_SUBSCRIBED_TO_TOPIC)
            leave_group(broker, "grp", [member_id])
            for partition in range(2):
                delete_offset(broker, "grp", "foo", partition, version)
            delete_offset(broker, "grp", "foo", 5, version,
                          expected_partition_error=Errors.UNKNOWN_TOPIC_OR_PARTITION)
            delete_offset(broker, "grp-unknown", "foo", 2, version, Errors.GROUP_ID_NOT_FOUND)
            for topic, partition in (("foo", 2), ("foo-unknown", 2), ("foo", 5)):
                delete_offset(broker, "", topic, partition, version, Errors.INVALID_GROUP_ID)
