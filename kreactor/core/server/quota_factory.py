# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.QuotaFactory of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The quotas of a broker: what handlers ask before they answer.

No quota of a client can be set yet: the managers say, in the form that Kafka's do, that nobody has to wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.core.server.controller_mutation_quota import (
    ControllerMutationQuota,
    UnboundedControllerMutationQuota,
)

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.core.network.request_channel import RequestChannel
    from kreactor.network.session import Session

_QUOTAS = "quotas of clients are not ported yet"
_REPLICATION = "a node of its own does not replicate"

OMITTED = {
    "kafka.server.QuotaFactory#instantiate": _QUOTAS,
    "kafka.server.QuotaFactory#clientConfig": _QUOTAS,
    "kafka.server.QuotaFactory#clientControllerMutationConfig": _QUOTAS,
    "kafka.server.QuotaFactory#replicationConfig": _REPLICATION,
    "kafka.server.QuotaFactory#alterLogDirsReplicationConfig": _REPLICATION,
    "kafka.server.QuotaFactory.QuotaManagers#shutdown": _QUOTAS,
    "kafka.server.ClientQuotaManager": _QUOTAS,
    "kafka.server.ClientRequestQuotaManager": _QUOTAS,
    "kafka.server.ReplicationQuotaManager": _REPLICATION,
}

_INT_MAX_VALUE = 2**31 - 1


class _UnboundedQuota:
    """:origin: kafka.server.QuotaFactory.UnboundedQuota"""

    __slots__ = ()

    def is_throttled(self, topic_partition: TopicPartition) -> bool:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#isThrottled"""
        return False

    def is_quota_exceeded(self) -> bool:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#isQuotaExceeded"""
        return False

    def record(self, value: int) -> None:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#record"""


# Scala's object: one instance.
UnboundedQuota = _UnboundedQuota()


class UnboundedClientQuota:
    """Stands where a ClientQuotaManager is to stand: nobody waits."""

    __slots__ = ()

    def quotas_enabled(self) -> bool:
        """Return whether what is recorded counts."""
        return False

    def maybe_record_and_get_throttle_time_ms(self, request: RequestChannel.Request, value: float,
                                              time_ms: int) -> int:
        """Return how long the client has to wait."""
        return 0

    def unrecord_quota_sensor(self, request: RequestChannel.Request, value: float, time_ms: int) -> None:
        """Take back what was recorded for an answer that is not sent."""

    def get_max_value_in_quota_window(self, session: Session, client_id: str | None) -> float:
        """Return how much can be had before the client has to wait."""
        return _INT_MAX_VALUE


class UnboundedRequestQuota:
    """Stands where a ClientRequestQuotaManager is to stand: nobody waits."""

    __slots__ = ()

    def maybe_record_and_get_throttle_time_ms(self, request: RequestChannel.Request, time_ms: int) -> int:
        """Return how long the client has to wait."""
        return 0

    def maybe_record_exempt(self, request: RequestChannel.Request) -> None:
        """Record a request that never makes a client wait."""


class UnboundedMutationQuotaManager:
    """Stands where a ControllerMutationQuotaManager is to stand."""

    __slots__ = ()

    def new_quota_for(self, request: RequestChannel.Request,
                      strict_since_version: int) -> ControllerMutationQuota:
        """Return what the request may do."""
        return UnboundedControllerMutationQuota

    def new_permissive_quota_for(self, request: RequestChannel.Request) -> ControllerMutationQuota:
        """Return what the request may do."""
        return UnboundedControllerMutationQuota


AnyClientQuota = UnboundedClientQuota | UnboundedRequestQuota | UnboundedMutationQuotaManager


class QuotaManagers:
    """:origin: kafka.server.QuotaFactory.QuotaManagers"""

    __slots__ = ("fetch", "produce", "request", "controller_mutation", "leader")

    def __init__(self) -> None:
        """:origin: kafka.server.QuotaFactory.QuotaManagers#QuotaManagers"""
        self.fetch = UnboundedClientQuota()
        self.produce = UnboundedClientQuota()
        self.request = UnboundedRequestQuota()
        self.controller_mutation = UnboundedMutationQuotaManager()
        self.leader = UnboundedQuota
