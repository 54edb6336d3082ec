# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ControllerRequestContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The principal and the deadline of a request to the controller."""

from __future__ import annotations

from typing import Callable

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal


class ControllerRequestContext:
    """Immutable. ``deadline_ns`` is on the monotonic clock, None without a deadline.

    :origin: controller.ControllerRequestContext
    """

    __slots__ = ("_principal", "_deadline_ns", "_partition_change_quota_applier")

    def __init__(self, principal: KafkaPrincipal, deadline_ns: int | None,
                 partition_change_quota_applier: Callable[[int], object]) -> None:
        """
        :origin: controller.ControllerRequestContext#ControllerRequestContext(RequestHeaderData, KafkaPrincipal, OptionalLong, Consumer<Integer>)
        """  # noqa: E501
        self._principal = principal
        self._deadline_ns = deadline_ns
        self._partition_change_quota_applier = partition_change_quota_applier

    def principal(self) -> KafkaPrincipal:
        """:origin: controller.ControllerRequestContext#principal()"""
        return self._principal

    def deadline_ns(self) -> int | None:
        """:origin: controller.ControllerRequestContext#deadlineNs()"""
        return self._deadline_ns

    def apply_partition_change_quota(self, requested_partition_count: int) -> None:
        """Count added or removed partitions. Raises ThrottlingQuotaExceededException.

        :origin: controller.ControllerRequestContext#applyPartitionChangeQuota(int)
        """
        self._partition_change_quota_applier(requested_partition_count)
