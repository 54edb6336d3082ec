# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.DelayedJoin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A rebalancing group's wait for its members to join.

The thread that sees the last join, or the end of the wait, completes the generation with the joined members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.core.coordinator.group.delayed_rebalance import DelayedRebalance
from kreactor.core.server.delayed_operation_key import GroupJoinKey

if TYPE_CHECKING:
    from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
    from kreactor.core.coordinator.group.group_metadata import GroupMetadata
    from kreactor.core.server.delayed_operation import DelayedOperationPurgatory


class DelayedJoin(DelayedRebalance):
    """:origin: kafka.coordinator.group.DelayedJoin"""

    __slots__ = ("_coordinator", "_group")

    def __init__(self, coordinator: GroupCoordinator, group: GroupMetadata, rebalance_timeout: int) -> None:
        """``rebalance_timeout`` is in milliseconds.

        :origin: kafka.coordinator.group.DelayedJoin#DelayedJoin
        """
        super().__init__(rebalance_timeout, group.lock)
        self._coordinator = coordinator
        self._group = group

    def try_complete(self) -> bool:
        """:origin: kafka.coordinator.group.DelayedJoin#tryComplete"""
        return self._coordinator.try_complete_join(self._group, self.force_complete)

    def on_expiration(self) -> None:
        """Run the completions that the append on completion has enabled, because no request follows that runs
        them.

        :origin: kafka.coordinator.group.DelayedJoin#onExpiration
        """
        self._try_to_complete_delayed_action()

    def on_complete(self) -> None:
        """:origin: kafka.coordinator.group.DelayedJoin#onComplete"""
        self._coordinator.on_complete_join(self._group)

    def _try_to_complete_delayed_action(self) -> None:
        """:origin: kafka.coordinator.group.DelayedJoin#tryToCompleteDelayedAction"""
        self._coordinator.group_manager.replica_manager.try_complete_actions()


class InitialDelayedJoin(DelayedJoin):
    """The wait of a group that was empty, for members that the group does not know yet.

    While members join, the wait is prolonged, each time by the configured delay, up to the rebalance timeout.

    :origin: kafka.coordinator.group.InitialDelayedJoin
    """

    __slots__ = ("_purgatory", "_configured_rebalance_delay", "_initial_delay_ms", "_remaining_ms")

    def __init__(self, coordinator: GroupCoordinator, purgatory: DelayedOperationPurgatory[DelayedRebalance],
                 group: GroupMetadata, configured_rebalance_delay: int, delay_ms: int,
                 remaining_ms: int) -> None:
        """Times are in milliseconds. This wait is ``delay_ms`` long, and may be prolonged by
        ``remaining_ms``.

        :origin: kafka.coordinator.group.InitialDelayedJoin#InitialDelayedJoin
        """
        super().__init__(coordinator, group, delay_ms)
        self._purgatory = purgatory
        self._configured_rebalance_delay = configured_rebalance_delay
        self._initial_delay_ms = delay_ms
        self._remaining_ms = remaining_ms

    def try_complete(self) -> bool:
        """Return False: only the timeout completes this wait.

        :origin: kafka.coordinator.group.InitialDelayedJoin#tryComplete
        """
        return False

    def on_complete(self) -> None:
        """:origin: kafka.coordinator.group.InitialDelayedJoin#onComplete"""
        group = self._group
        with group.lock:
            if group.new_member_added and self._remaining_ms != 0:
                group.new_member_added = False
                delay = min(self._configured_rebalance_delay, self._remaining_ms)
                remaining = max(self._remaining_ms - self._initial_delay_ms, 0)
                self._purgatory.try_complete_else_watch(
                    InitialDelayedJoin(self._coordinator, self._purgatory, group,
                                       self._configured_rebalance_delay, delay, remaining),
                    [GroupJoinKey(group.group_id)])
            else:
                super().on_complete()
