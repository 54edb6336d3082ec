# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateDelegationTokenResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A created delegation token, or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.create_delegation_token_response_data import CreateDelegationTokenResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class CreateDelegationTokenResponse(AbstractResponse):
    """:origin: common.requests.CreateDelegationTokenResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: CreateDelegationTokenResponseData) -> None:
        """:origin: common.requests.CreateDelegationTokenResponse#CreateDelegationTokenResponse(
            CreateDelegationTokenResponseData)
        """
        super().__init__(ApiKeys.CREATE_DELEGATION_TOKEN)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateDelegationTokenResponse:
        """:origin: common.requests.CreateDelegationTokenResponse#parse(ByteBuffer, short)"""
        return CreateDelegationTokenResponse(CreateDelegationTokenResponseData.read(buffer, version))

    @staticmethod
    def prepare_response(
        version: int, throttle_time_ms: int, error: Errors, owner: KafkaPrincipal,
        token_requester: KafkaPrincipal, issue_timestamp: int, expiry_timestamp: int, max_timestamp: int,
        token_id: str, hmac: bytes,
    ) -> CreateDelegationTokenResponse:
        """Return the response with a token; times are in milliseconds.

        :origin: common.requests.CreateDelegationTokenResponse#prepareResponse(int, int, Errors,
            KafkaPrincipal, KafkaPrincipal, long, long, long, String, ByteBuffer)
        """
        data = CreateDelegationTokenResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.code,
            principal_type=owner.get_principal_type(), principal_name=owner.get_name(),
            issue_timestamp_ms=issue_timestamp, expiry_timestamp_ms=expiry_timestamp,
            max_timestamp_ms=max_timestamp, token_id=token_id, hmac=hmac)
        if version > 2:
            data.token_requester_principal_type = token_requester.get_principal_type()
            data.token_requester_principal_name = token_requester.get_name()
        return CreateDelegationTokenResponse(data)

    @staticmethod
    def prepare_error_response(version: int, throttle_time_ms: int, error: Errors, owner: KafkaPrincipal,
                               requester: KafkaPrincipal) -> CreateDelegationTokenResponse:
        """Return an error response without a token.

        :origin: common.requests.CreateDelegationTokenResponse#prepareResponse(int, int, Errors,
            KafkaPrincipal, KafkaPrincipal)
        """
        return CreateDelegationTokenResponse.prepare_response(
            version, throttle_time_ms, error, owner, requester, -1, -1, -1, "", b"")

    def data(self) -> CreateDelegationTokenResponseData:
        """:origin: common.requests.CreateDelegationTokenResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.CreateDelegationTokenResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.CreateDelegationTokenResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.CreateDelegationTokenResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.CreateDelegationTokenResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.CreateDelegationTokenResponse#shouldClientThrottle(short)"""
        return version >= 1
