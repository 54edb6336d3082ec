# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterClientQuotasResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of altering quotas, by entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.alter_client_quotas_response_data import AlterClientQuotasResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
    from kreactor.common.requests.api_error import ApiError
    from kreactor.jdk.nio_buffer import ByteBuffer


class AlterClientQuotasResponse(AbstractResponse):
    """:origin: common.requests.AlterClientQuotasResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AlterClientQuotasResponseData) -> None:
        """:origin: common.requests.AlterClientQuotasResponse#AlterClientQuotasResponse(
            AlterClientQuotasResponseData)
        """
        super().__init__(ApiKeys.ALTER_CLIENT_QUOTAS)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AlterClientQuotasResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AlterClientQuotasResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AlterClientQuotasResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        for entry in self._data.entries:
            self._update_error_counts(counts, Errors.for_code(entry.error_code))
        return counts

    def data(self) -> AlterClientQuotasResponseData:
        """:origin: common.requests.AlterClientQuotasResponse#data()"""
        return self._data

    @staticmethod
    def _to_entity_data(entity: ClientQuotaEntity) -> list[AlterClientQuotasResponseData.EntityData]:
        """:origin: common.requests.AlterClientQuotasResponse#toEntityData(ClientQuotaEntity)"""
        return [AlterClientQuotasResponseData.EntityData(entity_type=type_, entity_name=name)
                for type_, name in entity.entries().items()]

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterClientQuotasResponse:
        """:origin: common.requests.AlterClientQuotasResponse#parse(ByteBuffer, short)"""
        return AlterClientQuotasResponse(AlterClientQuotasResponseData.read(buffer, version))

    @staticmethod
    def from_quota_entities(result: Mapping[ClientQuotaEntity, ApiError],
                            throttle_time_ms: int) -> AlterClientQuotasResponse:
        """:origin: common.requests.AlterClientQuotasResponse#fromQuotaEntities(
            Map<ClientQuotaEntity,ApiError>, int)
        """
        return AlterClientQuotasResponse(AlterClientQuotasResponseData(
            throttle_time_ms=throttle_time_ms,
            entries=[AlterClientQuotasResponseData.EntryData(
                error_code=e.error().code, error_message=e.message(),
                entity=AlterClientQuotasResponse._to_entity_data(entity))
                for entity, e in result.items()]))
