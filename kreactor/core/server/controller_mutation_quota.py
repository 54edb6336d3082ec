# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerMutationQuota of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The quota for the number of partitions that a client creates and deletes."""

from __future__ import annotations

from abc import ABC, abstractmethod


class ControllerMutationQuota(ABC):
    """The quota of mutations of one request. Used by one thread.

    :origin: kafka.server.ControllerMutationQuota
    """

    __slots__ = ()

    @abstractmethod
    def is_exceeded(self) -> bool:
        """:origin: kafka.server.ControllerMutationQuota#isExceeded"""

    @abstractmethod
    def record(self, permits: float) -> None:
        """Record a number of partitions. Raises ThrottlingQuotaExceededException.

        :origin: kafka.server.ControllerMutationQuota#record
        """

    @abstractmethod
    def throttle_time(self) -> int:
        """Return the throttle time in milliseconds.

        :origin: kafka.server.ControllerMutationQuota#throttleTime
        """


class _UnboundedControllerMutationQuota(ControllerMutationQuota):
    """:origin: kafka.server.UnboundedControllerMutationQuota"""

    __slots__ = ()

    def is_exceeded(self) -> bool:
        """:origin: kafka.server.UnboundedControllerMutationQuota#isExceeded"""
        return False

    def record(self, permits: float) -> None:
        """:origin: kafka.server.UnboundedControllerMutationQuota#record"""

    def throttle_time(self) -> int:
        """:origin: kafka.server.UnboundedControllerMutationQuota#throttleTime"""
        return 0


# Used where no quota is set. Scala's object: one instance.
UnboundedControllerMutationQuota = _UnboundedControllerMutationQuota()
