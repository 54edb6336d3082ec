# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.ClientQuotaMetadataManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Applies stored quotas to the quota managers.

Called by the thread that changes quotas, under the lock that admits one change at a time; and once at the
start.
"""

from __future__ import annotations

from kreactor.common.metrics.quota import Quota
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.utils.logging import Logging
from kreactor.jdk.doubles import to_int
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress
from kreactor.metadata.node_storage import QuotaChanges
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.zoo_keeper_internals import ZooKeeperInternals


class ClientQuotaMetadataManager(Logging):
    """:origin: kafka.server.metadata.ClientQuotaMetadataManager"""

    def __init__(self, quota_managers: QuotaManagers, connection_quotas: ConnectionQuotas) -> None:
        """:origin: kafka.server.metadata.ClientQuotaMetadataManager#ClientQuotaMetadataManager"""
        self._quota_managers = quota_managers
        self._connection_quotas = connection_quotas

    def update(self, entity: ClientQuotaEntity, changes: QuotaChanges) -> None:
        """Apply the changes of one entity's quotas. An invalid one is logged.

        :origin: kafka.server.metadata.ClientQuotaMetadataManager#update
        """
        entries = entity.entries()
        if ClientQuotaEntity.IP in entries:
            try:
                self._handle_ip_quota(entries[ClientQuotaEntity.IP], changes)
            except IllegalArgumentException as e:
                # In Kafka the caller logs the error.
                self.error("failed to apply the quotas of %s", entity, exc=e)
        elif ClientQuotaEntity.USER in entries or ClientQuotaEntity.CLIENT_ID in entries:
            for key, value in changes.items():
                self._handle_user_client_quota_change(entity, key, value)
        else:
            self.warn("ignoring unsupported quota entity %s", entity)

    def _handle_ip_quota(self, ip: str | None, changes: QuotaChanges) -> None:
        """Raises IllegalArgumentException for a host name that does not resolve any more.

        :origin: kafka.server.metadata.ClientQuotaMetadataManager#handleIpQuota
        """
        inet_address: InetAddress | None = None
        if ip is not None:
            try:
                inet_address = InetAddress.get_by_name(ip)
            except (OSError, ValueError) as e:
                raise IllegalArgumentException(f"Unable to resolve address {ip}") from e

        for quota_name, quota_value in changes.items():
            if quota_name != QuotaConfigs.IP_CONNECTION_RATE_OVERRIDE_CONFIG:
                self.warn("ignoring unexpected quota key %s of address %s", quota_name, ip)
            else:
                try:
                    self._connection_quotas.update_ip_connection_rate_quota(
                        inet_address, None if quota_value is None else to_int(quota_value))
                except Exception as e:
                    self.error("failed to apply the quota of address %s", ip, exc=e)

    def _handle_user_client_quota_change(self, quota_entity: ClientQuotaEntity, key: str,
                                         new_value: float | None) -> None:
        """:origin: kafka.server.metadata.ClientQuotaMetadataManager#handleUserClientQuotaChange"""
        manager: ClientQuotaManager
        if key == QuotaConfigs.CONSUMER_BYTE_RATE_OVERRIDE_CONFIG:
            manager = self._quota_managers.fetch
        elif key == QuotaConfigs.PRODUCER_BYTE_RATE_OVERRIDE_CONFIG:
            manager = self._quota_managers.produce
        elif key == QuotaConfigs.REQUEST_PERCENTAGE_OVERRIDE_CONFIG:
            manager = self._quota_managers.request
        elif key == QuotaConfigs.CONTROLLER_MUTATION_RATE_OVERRIDE_CONFIG:
            manager = self._quota_managers.controller_mutation
        else:
            self.warn("ignoring unexpected quota key %s of %s", key, quota_entity)
            return

        sanitized_user = self._sanitized_name(quota_entity, ClientQuotaEntity.USER)
        sanitized_client_id = self._sanitized_name(quota_entity, ClientQuotaEntity.CLIENT_ID)
        try:
            manager.update_quota(
                sanitized_user,
                None if sanitized_client_id is None else Sanitizer.desanitize(sanitized_client_id),
                sanitized_client_id,
                None if new_value is None else Quota(new_value, True))
        except Exception as e:
            self.error("failed to apply quota %s of %s", key, quota_entity, exc=e)

    @staticmethod
    def _sanitized_name(quota_entity: ClientQuotaEntity, entity_type: str) -> str | None:
        """Return the entity's name in sanitized form; None if the entity has no name of the type."""
        entries = quota_entity.entries()
        if entity_type not in entries:
            return None
        name = entries[entity_type]
        return ZooKeeperInternals.DEFAULT_STRING if name is None else Sanitizer.sanitize(name)
