# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetDeleteRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets are deleted, but those of topics that a group consumes."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    commit_offset, consumer_group_heartbeat, delete_offset, group_broker, join_group, leave_group, versions)


def check_offset_delete(folder: Path, use_new_protocol: bool, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        for version in versions(ApiKeys.OFFSET_DELETE):
            # A classic group whose subscriptions cannot be read counts as subscribed to every topic.
            member_id, epoch = join_group(broker, "grp", use_new_protocol)
            for partition in range(3):
                commit_offset(broker, "grp", member_id, epoch, "foo", partition, 100 + partition, Errors.NONE,
                              ApiKeys.OFFSET_COMMIT.latest_version())
            delete_offset(broker, "grp", "foo", 0, version,
                          expected_partition_error=Errors.GROUP_SUBSCRIBED_TO_TOPIC)
            if use_new_protocol:
                consumer_group_heartbeat(broker, "grp", member_id, epoch, subscribed_topic_names=[])
            else:
                leave_group(broker, "grp", [member_id])
            for partition in range(2):
                delete_offset(broker, "grp", "foo", partition, version)
            delete_offset(broker, "grp", "foo", 5, version,
                          expected_partition_error=Errors.UNKNOWN_TOPIC_OR_PARTITION)
            delete_offset(broker, "grp-unknown", "foo", 2, version, Errors.GROUP_ID_NOT_FOUND)
            for topic, partition in (("foo", 2), ("foo-unknown", 2), ("foo", 5)):
                delete_offset(broker, "", topic, partition, version, Errors.INVALID_GROUP_ID)


def test_offset_delete_with_new_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_offset_delete(tmp_path, use_new_protocol=True, new_coordinator=True)


def test_offset_delete_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_offset_delete(tmp_path, use_new_protocol=False, new_coordinator=True)


def test_offset_delete_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_offset_delete(tmp_path, use_new_protocol=False, new_coordinator=False)
