# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.DelayedHeartbeat of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A group's wait for a member's next heartbeat. A member without a heartbeat in time is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.core.server.delayed_operation import DelayedOperation

if TYPE_CHECKING:
    from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
    from kreactor.core.coordinator.group.group_metadata import GroupMetadata


class DelayedHeartbeat(DelayedOperation):
    """:origin: kafka.coordinator.group.DelayedHeartbeat"""

    __slots__ = ("_coordinator", "_group", "_member_id", "_is_pending")

    def __init__(self, coordinator: GroupCoordinator, group: GroupMetadata, member_id: str, is_pending: bool,
                 timeout_ms: int) -> None:
        """``is_pending`` is True for a member that has received its id, but has not joined with it yet.

        :origin: kafka.coordinator.group.DelayedHeartbeat#DelayedHeartbeat
        """
        super().__init__(timeout_ms, group.lock)
        self._coordinator = coordinator
        self._group = group
        self._member_id = member_id
        self._is_pending = is_pending

    def try_complete(self) -> bool:
        """:origin: kafka.coordinator.group.DelayedHeartbeat#tryComplete"""
        return self._coordinator.try_complete_heartbeat(
            self._group, self._member_id, self._is_pending, self.force_complete)

    def on_expiration(self) -> None:
        """:origin: kafka.coordinator.group.DelayedHeartbeat#onExpiration"""
        self._coordinator.on_expire_heartbeat(self._group, self._member_id, self._is_pending)

    def on_complete(self) -> None:
        """Do nothing: the thread that received the heartbeat starts the next wait.

        :origin: kafka.coordinator.group.DelayedHeartbeat#onComplete
        """
