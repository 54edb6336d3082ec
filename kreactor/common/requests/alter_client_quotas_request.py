# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterClientQuotasRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to set and remove quotas."""

from __future__ import annotations

from collections.abc import Collection

from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.alter_client_quotas_response_data import AlterClientQuotasResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.quota.client_quota_alteration import ClientQuotaAlteration
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.alter_client_quotas_response import AlterClientQuotasResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class AlterClientQuotasRequest(AbstractRequest):
    """:origin: common.requests.AlterClientQuotasRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["AlterClientQuotasRequest"]):
        """:origin: common.requests.AlterClientQuotasRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, entries: Collection[ClientQuotaAlteration], validate_only: bool) -> None:
            """:origin: common.requests.AlterClientQuotasRequest.Builder#Builder(
                Collection<ClientQuotaAlteration>, boolean)
            """
            super().__init__(ApiKeys.ALTER_CLIENT_QUOTAS)
            self._data = AlterClientQuotasRequestData(
                entries=[AlterClientQuotasRequestData.EntryData(
                    entity=[AlterClientQuotasRequestData.EntityData(entity_type=type_, entity_name=name)
                            for type_, name in entry.entity().entries().items()],
                    ops=[AlterClientQuotasRequestData.OpData(
                        key=op.key, value=0.0 if op.value is None else op.value, remove=op.value is None)
                        for op in entry.ops()])
                    for entry in entries],
                validate_only=validate_only)

        def build_version(self, version: int) -> AlterClientQuotasRequest:
            """:origin: common.requests.AlterClientQuotasRequest.Builder#build(short)"""
            return AlterClientQuotasRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AlterClientQuotasRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: AlterClientQuotasRequestData, version: int) -> None:
        """:origin: common.requests.AlterClientQuotasRequest#AlterClientQuotasRequest(
            AlterClientQuotasRequestData, short)
        """
        super().__init__(ApiKeys.ALTER_CLIENT_QUOTAS, version)
        self._data = data

    def entries(self) -> list[ClientQuotaAlteration]:
        """Return the alterations. For a repeated entity type, the last name counts.

        :origin: common.requests.AlterClientQuotasRequest#entries()
        """
        return [
            ClientQuotaAlteration(
                ClientQuotaEntity({entity.entity_type: entity.entity_name for entity in entry.entity}),
                [ClientQuotaAlteration.Op(op.key, None if op.remove else op.value) for op in entry.ops])
            for entry in self._data.entries]

    def validate_only(self) -> bool:
        """:origin: common.requests.AlterClientQuotasRequest#validateOnly()"""
        return self._data.validate_only

    def data(self) -> AlterClientQuotasRequestData:
        """:origin: common.requests.AlterClientQuotasRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> AlterClientQuotasResponse:
        """:origin: common.requests.AlterClientQuotasRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return AlterClientQuotasResponse(AlterClientQuotasResponseData(
            throttle_time_ms=throttle_time_ms,
            entries=[AlterClientQuotasResponseData.EntryData(
                entity=[AlterClientQuotasResponseData.EntityData(
                    entity_type=entity.entity_type, entity_name=entity.entity_name)
                    for entity in entry.entity],
                error_code=error.code, error_message=error.message())
                for entry in self._data.entries]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterClientQuotasRequest:
        """:origin: common.requests.AlterClientQuotasRequest#parse(ByteBuffer, short)"""
        return AlterClientQuotasRequest(AlterClientQuotasRequestData.read(buffer, version), version)
