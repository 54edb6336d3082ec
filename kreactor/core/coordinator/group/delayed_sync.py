# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.DelayedSync of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A new generation's wait for all its members to send SyncGroup.

When the wait times out, members without a SyncGroup are removed, and the group rebalances again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.core.coordinator.group.delayed_rebalance import DelayedRebalance

if TYPE_CHECKING:
    from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
    from kreactor.core.coordinator.group.group_metadata import GroupMetadata


class DelayedSync(DelayedRebalance):
    """:origin: kafka.coordinator.group.DelayedSync"""

    __slots__ = ("_coordinator", "_group", "_generation_id")

    def __init__(self, coordinator: GroupCoordinator, group: GroupMetadata, generation_id: int,
                 rebalance_timeout_ms: int) -> None:
        """:origin: kafka.coordinator.group.DelayedSync#DelayedSync"""
        super().__init__(rebalance_timeout_ms, group.lock)
        self._coordinator = coordinator
        self._group = group
        self._generation_id = generation_id

    def try_complete(self) -> bool:
        """:origin: kafka.coordinator.group.DelayedSync#tryComplete"""
        return self._coordinator.try_complete_pending_sync(
            self._group, self._generation_id, self.force_complete)

    def on_expiration(self) -> None:
        """:origin: kafka.coordinator.group.DelayedSync#onExpiration"""
        self._coordinator.on_expire_pending_sync(self._group, self._generation_id)

    def on_complete(self) -> None:
        """Do nothing: all members already have their assignments.

        :origin: kafka.coordinator.group.DelayedSync#onComplete
        """
