# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.DelayedRebalance of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The operations that a rebalance waits for: joins of members, then syncs. Both use one purgatory."""

from __future__ import annotations

from kreactor.core.server.delayed_operation import DelayedOperation, OperationLock


class DelayedRebalance(DelayedOperation):
    """:origin: kafka.coordinator.group.DelayedRebalance"""

    __slots__ = ()

    def __init__(self, rebalance_timeout_ms: int, group_lock: OperationLock) -> None:
        """:origin: kafka.coordinator.group.DelayedRebalance#DelayedRebalance"""
        super().__init__(rebalance_timeout_ms, group_lock)
