# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.LeaveGroupRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Members leave a group: several at once from version 3 on."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.group_requests import (
    group_broker,
    join_dynamic,
    join_static,
    leave_group,
    state_of,
    versions,
)


def check_leave_group(folder: Path, new_coordinator: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        for version in versions(ApiKeys.LEAVE_GROUP):
            has_members = version >= 3
            unknown = Errors.NONE if has_members else Errors.UNKNOWN_MEMBER_ID
            member_id, _ = join_dynamic(broker, "grp-1")
            if has_members:
                join_static(broker, "grp-2", "group-instance-id")

            for each in (member_id, "member-id-unknown"):
                leave_group(broker, "", [each], None, Errors.INVALID_GROUP_ID, version=version)
            leave_group(broker, "grp-unknown", [member_id], None, unknown,
                        [Errors.UNKNOWN_MEMBER_ID], version)
            leave_group(broker, "grp-1", ["unknown-member-id", *([""] if has_members else [])], None, unknown,
                        [Errors.UNKNOWN_MEMBER_ID] * 2, version)
            leave_group(broker, "grp-1", [member_id], None, Errors.NONE,
                        [Errors.NONE] if has_members else [], version)
            assert state_of(broker, "grp-1") == "Empty"

            if has_members:
                leave_group(broker, "grp-2", ["member-id-fenced"], ["group-instance-id"], Errors.NONE,
                            [Errors.FENCED_INSTANCE_ID], version)
                # A member's id that is not known does not matter then.
                leave_group(broker, "grp-2", [""], ["group-instance-id"], Errors.NONE,
                            [Errors.NONE], version)
                assert state_of(broker, "grp-2") == "Empty"


def test_leave_group_with_old_consumer_group_protocol_and_new_group_coordinator(tmp_path: Path) -> None:
    check_leave_group(tmp_path, new_coordinator=True)


def test_leave_group_with_old_consumer_group_protocol_and_old_group_coordinator(tmp_path: Path) -> None:
    check_leave_group(tmp_path, new_coordinator=False)
