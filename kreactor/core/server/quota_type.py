# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.QuotaType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of a broker's quotas; the names are also groups of metrics."""

from __future__ import annotations

from enum import Enum

from kreactor.server.quota.client_quota_type import ClientQuotaType


class QuotaType(Enum):
    """
    :origin: kafka.server.QuotaType
    :origin: kafka.server.QuotaType
    """

    Fetch = "Fetch"
    Produce = "Produce"
    Request = "Request"
    ControllerMutation = "ControllerMutation"

    @staticmethod
    def to_client_quota_type(quota_type: QuotaType) -> ClientQuotaType:
        """Return the type that a quota plug-in knows.

        :origin: kafka.server.QuotaType#toClientQuotaType
        """
        return _CLIENT_QUOTA_TYPES[quota_type]

    def __str__(self) -> str:
        return self.value


_CLIENT_QUOTA_TYPES = {
    QuotaType.Fetch: ClientQuotaType.FETCH,
    QuotaType.Produce: ClientQuotaType.PRODUCE,
    QuotaType.Request: ClientQuotaType.REQUEST,
    QuotaType.ControllerMutation: ClientQuotaType.CONTROLLER_MUTATION,
}
