# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ExpiringCredential, of the package
# org.apache.kafka.common.security.oauthbearer.internals.expiring of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A credential that expires."""

from __future__ import annotations

from abc import ABC, abstractmethod


class ExpiringCredential(ABC):
    """The owner and the times of a credential. Times are in milliseconds since 1970.

    :origin: common.security.oauthbearer.internals.expiring.ExpiringCredential
    """

    @abstractmethod
    def principal_name(self) -> str:
        """Return the owner's name, for logs.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredential#principalName()
        """

    @abstractmethod
    def start_time_ms(self) -> int | None:
        """Return the time of issue, or None if the credential has no such field.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredential#startTimeMs()
        """

    @abstractmethod
    def expire_time_ms(self) -> int:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredential#expireTimeMs()"""

    @abstractmethod
    def absolute_last_refresh_time_ms(self) -> int | None:
        """Return the time after which the credential cannot be refreshed, or None for no limit.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredential#absoluteLastRefreshTimeMs()
        """
