# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetCommitRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets are committed by members, and by clients that are none."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    commit_offset,
    group_broker,
    join_dynamic,
    versions,
)

NOT_APPLICABLE = dict.fromkeys((
    "testOffsetCommitWithNewConsumerGroupProtocolAndNewGroupCoordinator",
    "testOffsetCommitWithOldConsumerGroupProtocolAndNewGroupCoordinator",
), "the coordinator is Kafka's old one; the new one and its protocol are not ported")


def test_offset_commit_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path) as broker:
        member_id, epoch = join_dynamic(broker, "grp")
        # Version 0 is for offsets in ZooKeeper.
        for version in versions(ApiKeys.OFFSET_COMMIT, 1):
            for group_id, member, member_epoch, error in (
                    ("grp", member_id, epoch, Errors.NONE),
                    ("unknown", member_id, epoch, Errors.ILLEGAL_GENERATION),
                    ("", member_id, epoch, Errors.ILLEGAL_GENERATION),
                    ("grp", "", epoch, Errors.UNKNOWN_MEMBER_ID),
                    ("grp", member_id, epoch + 1, Errors.ILLEGAL_GENERATION),
                    # As an administrator's client.
                    ("other-grp", "", -1, Errors.NONE)):
                commit_offset(broker, group_id, member, member_epoch, "foo", 0, 100, error, version)
