# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.quota.ClientQuotaCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a plug-in that decides which clients share a quota, and the quota's limit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from kreactor.common.configurable import Configurable
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.server.quota.client_quota_entity import ClientQuotaEntity
from kreactor.server.quota.client_quota_type import ClientQuotaType


class ClientQuotaCallback(Configurable):
    """client.quota.callback.class names the class. Called by any thread, several at once.

    :origin: server.quota.ClientQuotaCallback
    """

    __slots__ = ()

    @abstractmethod
    def quota_metric_tags(self, quota_type: ClientQuotaType, principal: KafkaPrincipal,
                          client_id: str) -> Mapping[str, str]:
        """Return the tags of a request's metric. Requests with the same tags share a quota.

        :origin: server.quota.ClientQuotaCallback#quotaMetricTags(ClientQuotaType, KafkaPrincipal, String)
        """

    @abstractmethod
    def quota_limit(self, quota_type: ClientQuotaType, metric_tags: Mapping[str, str]) -> float | None:
        """Return the quota of a metric, per second; None if the tags are unknown, or without a limit.

        :origin: server.quota.ClientQuotaCallback#quotaLimit(ClientQuotaType, Map<String,String>)
        """

    @abstractmethod
    def update_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity,
                     new_value: float) -> None:
        """Called when a quota was set.

        :origin: server.quota.ClientQuotaCallback#updateQuota(ClientQuotaType, ClientQuotaEntity, double)
        """

    @abstractmethod
    def remove_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity) -> None:
        """Called when a quota was removed.

        :origin: server.quota.ClientQuotaCallback#removeQuota(ClientQuotaType, ClientQuotaEntity)
        """

    @abstractmethod
    def quota_reset_required(self, quota_type: ClientQuotaType) -> bool:
        """Return whether limits have changed since the last call in other ways. Called for each request.

        :origin: server.quota.ClientQuotaCallback#quotaResetRequired(ClientQuotaType)
        """

    @abstractmethod
    def close(self) -> None:
        """:origin: server.quota.ClientQuotaCallback#close()"""
