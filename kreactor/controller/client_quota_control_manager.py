# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ClientQuotaControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes quotas, with the errors of Kafka's controller.

Kafka's controller writes records to a log that brokers follow. Here the node's storage is changed, for all
entities of a request at once. Then the quotas of the brokers are changed.

Locks: ``_lock`` admits one change at a time, so that the applied quotas follow the stored ones. It is held
while host names are resolved, and while the file is written.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.errors import InvalidRequestException
from kreactor.common.protocol.errors import Errors
from kreactor.common.quota.client_quota_alteration import ClientQuotaAlteration
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.requests.api_error import ApiError
from kreactor.common.utils.log_context import LogContext
from kreactor.controller.user_op import UserOpRecords
from kreactor.core.server.metadata.client_quota_metadata_manager import ClientQuotaMetadataManager
from kreactor.jdk.locks import Lock
from kreactor.jdk.net import InetAddress
from kreactor.metadata.node_storage import QuotaChanges, StoredClientQuotas
from kreactor.server.config.quota_configs import QuotaConfigs

_SHORT_MAX_VALUE = 2**15 - 1
_INT_MAX_VALUE = 2**31 - 1
_LONG_MAX_VALUE = 2**63 - 1
_TYPES = (ClientQuotaEntity.USER, ClientQuotaEntity.CLIENT_ID, ClientQuotaEntity.IP)

ConfigKeys = Mapping[str, ConfigDef.ConfigKey]

log = LogContext("[ClientQuotaControlManager] ").logger(f"{__name__}.ClientQuotaControlManager")


class ClientQuotaControlManager:
    """For use by any thread.

    :origin: controller.ClientQuotaControlManager
    """

    def __init__(self, client_quota_data: StoredClientQuotas) -> None:
        """Apply no quota before ``add``.

        :origin: controller.ClientQuotaControlManager#ClientQuotaControlManager(
            LogContext, SnapshotRegistry)
        """
        self.client_quota_data = client_quota_data
        # Replaced under the lock.
        self._client_quota_metadata_managers: tuple[ClientQuotaMetadataManager, ...] = ()
        self._lock = Lock()

    def add(self, manager: ClientQuotaMetadataManager) -> None:
        """Have a broker apply the stored quotas, and all changes from now on."""
        with self._lock:
            for entity, values in self.client_quota_data.quotas().items():
                manager.update(entity, values)
            self._client_quota_metadata_managers = (*self._client_quota_metadata_managers, manager)

    def remove(self, manager: ClientQuotaMetadataManager) -> None:
        """Stop notifying a broker."""
        with self._lock:
            self._client_quota_metadata_managers = tuple(
                each for each in self._client_quota_metadata_managers if each is not manager)

    def alter_client_quotas(
        self, quota_alterations: Collection[ClientQuotaAlteration], validate_only: bool,
    ) -> dict[ClientQuotaEntity, ApiError]:
        """Set and remove quotas; return the result of each entity.

        Raises PolicyViolationException above the limit of changes, or KafkaStorageException; then nothing has
        changed.

        :origin: controller.ClientQuotaControlManager#alterClientQuotas(Collection<ClientQuotaAlteration>)
        """
        with self._lock:
            changes: dict[ClientQuotaEntity, dict[str, float | None]] = {}
            output_results: dict[ClientQuotaEntity, ApiError] = {}

            for quota_alteration in quota_alterations:
                entity = quota_alteration.entity()
                alterations: dict[str, float | None] = {}
                for op in quota_alteration.ops():
                    if op.key in alterations:
                        output_results[entity] = ApiError.from_throwable(InvalidRequestException(
                            f"Duplicate quota key {op.key} not updating quota for this entity {entity}"))
                    else:
                        alterations[op.key] = op.value
                if entity in output_results:
                    # Ignored also after an entity with a duplicate key, as in Kafka.
                    output_results[entity] = ApiError.from_throwable(
                        InvalidRequestException(f"Ignoring duplicate entity {entity}"))
                else:
                    self._alter_client_quota_entity(entity, alterations, changes, output_results)

            UserOpRecords().add(sum(map(len, changes.values())))
            if changes and not validate_only:
                self._apply(changes)
            return output_results

    def _apply(self, changes: Mapping[ClientQuotaEntity, QuotaChanges]) -> None:
        """Store quotas and apply them."""
        self.client_quota_data.update(changes)
        for entity, values in changes.items():
            for manager in self._client_quota_metadata_managers:
                manager.update(entity, values)
            for key, value in values.items():
                if value is None:
                    log.info("%s: removed %s", entity, key)
                else:
                    log.info("%s of %s is now %s", key, entity, value)

    def _alter_client_quota_entity(
        self, entity: ClientQuotaEntity, new_quota_configs: QuotaChanges,
        changes: dict[ClientQuotaEntity, dict[str, float | None]],
        output_results: dict[ClientQuotaEntity, ApiError],
    ) -> None:
        """
        :origin: controller.ClientQuotaControlManager#alterClientQuotaEntity(ClientQuotaEntity, Map<String,Double>, List<ApiMessageAndVersion>, Map<ClientQuotaEntity,ApiError>)
        """  # noqa: E501
        validated_entity_map: dict[str, str | None] = {}
        error = self._validate_entity(entity, validated_entity_map)
        if error.is_failure():
            output_results[entity] = error
            return

        config_keys: dict[str, ConfigDef.ConfigKey] = {}
        error = self.config_keys_for_entity_type(validated_entity_map, config_keys)
        if error.is_failure():
            output_results[entity] = error
            return

        new_records: dict[str, float | None] = {}
        current_quotas = self.client_quota_data.quotas().get(entity, {})
        for key, new_value in new_quota_configs.items():
            if new_value is None:
                # Any key is accepted: removing a quota that is not set succeeds.
                if key in current_quotas:
                    new_records[key] = None
            else:
                validation_error = self.validate_quota_key_value(config_keys, key, new_value)
                if validation_error.is_failure():
                    output_results[entity] = validation_error
                    return
                if current_quotas.get(key) != new_value:
                    new_records[key] = new_value

        if new_records:
            changes[entity] = new_records
        output_results[entity] = ApiError.NONE

    @staticmethod
    def config_keys_for_entity_type(entity: Mapping[str, str | None],
                                    output: dict[str, ConfigDef.ConfigKey]) -> ApiError:
        """Put the valid keys of an entity into ``output``; return the error of an invalid entity.

        :origin: controller.ClientQuotaControlManager#configKeysForEntityType(
            Map<String,String>, Map<String,ConfigDef.ConfigKey>)
        """
        has_user = ClientQuotaEntity.USER in entity
        has_client_id = ClientQuotaEntity.CLIENT_ID in entity
        has_ip = ClientQuotaEntity.IP in entity

        config_keys: ConfigKeys
        if has_ip:
            if has_user or has_client_id:
                return ApiError(
                    Errors.INVALID_REQUEST, "Invalid quota entity combination, IP entity should"
                    "not be combined with User or ClientId")
            ip = entity[ClientQuotaEntity.IP]
            if ClientQuotaControlManager.is_valid_ip_entity(ip):
                config_keys = QuotaConfigs.ip_configs().config_keys()
            else:
                return ApiError(Errors.INVALID_REQUEST, f"{ip} is not a valid IP or resolvable host.")
        elif has_user or has_client_id:
            config_keys = QuotaConfigs.user_and_client_quota_configs().config_keys()
        else:
            return ApiError(Errors.INVALID_REQUEST, "Invalid empty client quota entity")

        output.update(config_keys)
        return ApiError.NONE

    @staticmethod
    def validate_quota_key_value(valid_keys: ConfigKeys, key: str, value: float) -> ApiError:
        """Return the error of an invalid quota, or None.

        :origin: controller.ClientQuotaControlManager#validateQuotaKeyValue(
            Map<String,ConfigDef.ConfigKey>, String, double)
        """
        config_key = valid_keys.get(key)
        if config_key is None:
            return ApiError(Errors.INVALID_REQUEST, f"Invalid configuration key {key}")
        if value <= 0.0:
            return ApiError(Errors.INVALID_REQUEST, f"Quota {key} must be greater than 0")

        type_ = config_key.type()
        if type_ is ConfigDef.Type.DOUBLE:
            return ApiError.NONE
        elif type_ is ConfigDef.Type.SHORT:
            if value > _SHORT_MAX_VALUE:
                return ApiError(
                    Errors.INVALID_REQUEST, f"Proposed value for {key} is too large for a SHORT.")
            return ClientQuotaControlManager.get_error_for_integral_quota_value(value, key)
        elif type_ is ConfigDef.Type.INT:
            if value > _INT_MAX_VALUE:
                return ApiError(Errors.INVALID_REQUEST, f"Proposed value for {key} is too large for an INT.")
            return ClientQuotaControlManager.get_error_for_integral_quota_value(value, key)
        elif type_ is ConfigDef.Type.LONG:
            # Compared as doubles, as in Java.
            if value > float(_LONG_MAX_VALUE):
                return ApiError(Errors.INVALID_REQUEST, f"Proposed value for {key} is too large for a LONG.")
            return ClientQuotaControlManager.get_error_for_integral_quota_value(value, key)
        else:
            return ApiError(
                Errors.UNKNOWN_SERVER_ERROR,
                f"Unexpected config type {type_.name} should be Long or Double")

    @staticmethod
    def get_error_for_integral_quota_value(value: float, key: str) -> ApiError:
        """:origin: controller.ClientQuotaControlManager#getErrorForIntegralQuotaValue(double, String)"""
        remainder = abs(math.fmod(value, 1.0))
        if remainder > 1e-6:
            return ApiError(Errors.INVALID_REQUEST, f"{key} cannot be a fractional value.")
        return ApiError.NONE

    @staticmethod
    def is_valid_ip_entity(ip: str | None) -> bool:
        """Return whether the address or host exists; resolving a name may take long.

        :origin: controller.ClientQuotaControlManager#isValidIpEntity(String)
        """
        if ip is None:
            return True
        try:
            InetAddress.get_by_name(ip)
            return True
        except (OSError, ValueError):
            # Python raises UnicodeError for an invalid name.
            return False

    def _validate_entity(self, entity: ClientQuotaEntity,
                         validated_entity_map: dict[str, str | None]) -> ApiError:
        """:origin: controller.ClientQuotaControlManager#validateEntity(
            ClientQuotaEntity, Map<String,String>)
        """
        if not entity.entries():
            return ApiError(Errors.INVALID_REQUEST, "Invalid empty client quota entity")

        for entity_type, entity_name in entity.entries().items():
            if entity_type not in _TYPES:
                return ApiError(
                    Errors.INVALID_REQUEST, f"Unhandled client quota entity type: {entity_type}")
            validated_entity_map[entity_type] = entity_name

            if entity_name is not None and not entity_name:
                return ApiError(Errors.INVALID_REQUEST, f"Empty {entity_type} not supported")

        return ApiError.NONE
