# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RenewDelegationTokenRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to renew a delegation token."""

from __future__ import annotations

from kreactor.common.message.renew_delegation_token_request_data import RenewDelegationTokenRequestData
from kreactor.common.message.renew_delegation_token_response_data import RenewDelegationTokenResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.renew_delegation_token_response import RenewDelegationTokenResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class RenewDelegationTokenRequest(AbstractRequest):
    """:origin: common.requests.RenewDelegationTokenRequest"""

    __slots__ = ("_data",)

    def __init__(self, data: RenewDelegationTokenRequestData, version: int) -> None:
        """:origin: common.requests.RenewDelegationTokenRequest#RenewDelegationTokenRequest(
            RenewDelegationTokenRequestData, short)
        """
        super().__init__(ApiKeys.RENEW_DELEGATION_TOKEN, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> RenewDelegationTokenRequest:
        """:origin: common.requests.RenewDelegationTokenRequest#parse(ByteBuffer, short)"""
        return RenewDelegationTokenRequest(RenewDelegationTokenRequestData.read(buffer, version), version)

    def data(self) -> RenewDelegationTokenRequestData:
        """:origin: common.requests.RenewDelegationTokenRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> RenewDelegationTokenResponse:
        """:origin: common.requests.RenewDelegationTokenRequest#getErrorResponse(int, Throwable)"""
        return RenewDelegationTokenResponse(RenewDelegationTokenResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code))

    class Builder(AbstractRequest.Builder["RenewDelegationTokenRequest"]):
        """:origin: common.requests.RenewDelegationTokenRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: RenewDelegationTokenRequestData) -> None:
            """:origin: common.requests.RenewDelegationTokenRequest.Builder#Builder(
                RenewDelegationTokenRequestData)
            """
            super().__init__(ApiKeys.RENEW_DELEGATION_TOKEN)
            self._data = data

        def build_version(self, version: int) -> RenewDelegationTokenRequest:
            """:origin: common.requests.RenewDelegationTokenRequest.Builder#build(short)"""
            return RenewDelegationTokenRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.RenewDelegationTokenRequest.Builder#toString()"""
            return str(self._data)
