# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupCoordinator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of the group coordinator. The coordinator and the groups both import them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, NamedTuple

from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.errors import Errors

JoinGroupResponseMember = JoinGroupResponseData.JoinGroupResponseMember

NO_LEADER = ""
NO_GENERATION = -1


class JoinGroupResult(NamedTuple):
    """The result of a join. ``leader_id`` is None where the group has no leader.

    :origin: kafka.coordinator.group.JoinGroupResult
    :origin: kafka.coordinator.group.JoinGroupResult
    """

    members: Sequence[JoinGroupResponseMember]
    member_id: str
    generation_id: int
    protocol_type: str | None
    protocol_name: str | None
    leader_id: str | None
    skip_assignment: bool
    error: Errors

    @staticmethod
    def of(member_id: str, error: Errors) -> JoinGroupResult:
        """Return a result with only ``error``.

        :origin: kafka.coordinator.group.JoinGroupResult#apply(String, Errors)
        """
        return JoinGroupResult(
            members=(), member_id=member_id, generation_id=NO_GENERATION, protocol_type=None,
            protocol_name=None, leader_id=NO_LEADER, skip_assignment=False, error=error)


class SyncGroupResult(NamedTuple):
    """
    :origin: kafka.coordinator.group.SyncGroupResult
    :origin: kafka.coordinator.group.SyncGroupResult
    """

    protocol_type: str | None
    protocol_name: str | None
    member_assignment: bytes
    error: Errors

    @staticmethod
    def of(error: Errors) -> SyncGroupResult:
        """Return a result with only ``error``.

        :origin: kafka.coordinator.group.SyncGroupResult#apply(Errors)
        """
        return SyncGroupResult(None, None, b"", error)


class LeaveMemberResponse(NamedTuple):
    """:origin: kafka.coordinator.group.LeaveMemberResponse"""

    member_id: str
    group_instance_id: str | None
    error: Errors


class LeaveGroupResult(NamedTuple):
    """:origin: kafka.coordinator.group.LeaveGroupResult"""

    top_level_error: Errors
    member_responses: Sequence[LeaveMemberResponse]


JoinCallback = Callable[[JoinGroupResult], object]
SyncCallback = Callable[[SyncGroupResult], object]
