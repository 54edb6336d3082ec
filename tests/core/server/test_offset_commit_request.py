# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetCommitRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets are committed by members, and by clients that are none."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    commit_offset, group_broker, join_group, versions)


def check_offset_commit(folder: Path, use_new_protocol: bool, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        member_id, epoch = join_group(broker, "grp", use_new_protocol)
        # Version 0 is for offsets in ZooKeeper. Consumer groups take offsets from version 9 on.
        for version in versions(ApiKeys.OFFSET_COMMIT, 1):
            is_too_old = use_new_protocol and version < 9
            no_group = (
                Errors.GROUP_ID_NOT_FOUND if new_coordinator and version >= 9 else Errors.ILLEGAL_GENERATION)
            other_epoch = Errors.STALE_MEMBER_EPOCH if use_new_protocol else Errors.ILLEGAL_GENERATION
            for group_id, member, member_epoch, error in (
                    ("grp", member_id, epoch, Errors.UNSUPPORTED_VERSION if is_too_old else Errors.NONE),
                    ("unknown", member_id, epoch, no_group),
                    ("", member_id, epoch, no_group),
                    ("grp", "", epoch, Errors.UNKNOWN_MEMBER_ID),
                    ("grp", member_id, epoch + 1, Errors.UNSUPPORTED_VERSION if is_too_old else other_epoch),
                    # As an administrator's client.
                    ("other-grp", "", -1, Errors.NONE)):
                commit_offset(broker, group_id, member, member_epoch, "foo", 0, 100, error, version)


def test_offset_commit_with_new_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_offset_commit(tmp_path, use_new_protocol=True, new_coordinator=True)


def test_offset_commit_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_offset_commit(tmp_path, use_new_protocol=False, new_coordinator=True)


def test_offset_commit_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_offset_commit(tmp_path, use_new_protocol=False, new_coordinator=False)
