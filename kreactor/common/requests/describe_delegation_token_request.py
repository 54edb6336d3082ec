# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeDelegationTokenRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe delegation tokens."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.describe_delegation_token_request_data import DescribeDelegationTokenRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_delegation_token_response import DescribeDelegationTokenResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeDelegationTokenRequest(AbstractRequest):
    """:origin: common.requests.DescribeDelegationTokenRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeDelegationTokenRequest"]):
        """:origin: common.requests.DescribeDelegationTokenRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, owners: Iterable[KafkaPrincipal] | None) -> None:
            """Request the tokens of ``owners``; None means all owners.

            :origin: common.requests.DescribeDelegationTokenRequest.Builder#Builder(List<KafkaPrincipal>)
            """
            super().__init__(ApiKeys.DESCRIBE_DELEGATION_TOKEN)
            self._data = DescribeDelegationTokenRequestData(owners=None if owners is None else [
                DescribeDelegationTokenRequestData.DescribeDelegationTokenOwner(
                    principal_name=owner.get_name(), principal_type=owner.get_principal_type())
                for owner in owners])

        def build_version(self, version: int) -> DescribeDelegationTokenRequest:
            """:origin: common.requests.DescribeDelegationTokenRequest.Builder#build(short)"""
            return DescribeDelegationTokenRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeDelegationTokenRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeDelegationTokenRequestData, version: int) -> None:
        """:origin: common.requests.DescribeDelegationTokenRequest#DescribeDelegationTokenRequest(
            DescribeDelegationTokenRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_DELEGATION_TOKEN, version)
        self._data = data

    def data(self) -> DescribeDelegationTokenRequestData:
        """:origin: common.requests.DescribeDelegationTokenRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeDelegationTokenResponse:
        """:origin: common.requests.DescribeDelegationTokenRequest#getErrorResponse(int, Throwable)"""
        return DescribeDelegationTokenResponse.of(
            self.version(), throttle_time_ms, Errors.for_exception(e))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeDelegationTokenRequest:
        """:origin: common.requests.DescribeDelegationTokenRequest#parse(ByteBuffer, short)"""
        return DescribeDelegationTokenRequest(
            DescribeDelegationTokenRequestData.read(buffer, version), version)
