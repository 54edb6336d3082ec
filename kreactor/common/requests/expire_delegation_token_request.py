# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ExpireDelegationTokenRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to change the expiration of a delegation token."""

from __future__ import annotations

from kreactor.common.message.expire_delegation_token_request_data import ExpireDelegationTokenRequestData
from kreactor.common.message.expire_delegation_token_response_data import ExpireDelegationTokenResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.expire_delegation_token_response import ExpireDelegationTokenResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ExpireDelegationTokenRequest(AbstractRequest):
    """:origin: common.requests.ExpireDelegationTokenRequest"""

    __slots__ = ("_data",)

    def __init__(self, data: ExpireDelegationTokenRequestData, version: int) -> None:
        """:origin: common.requests.ExpireDelegationTokenRequest#ExpireDelegationTokenRequest(
            ExpireDelegationTokenRequestData, short)
        """
        super().__init__(ApiKeys.EXPIRE_DELEGATION_TOKEN, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ExpireDelegationTokenRequest:
        """:origin: common.requests.ExpireDelegationTokenRequest#parse(ByteBuffer, short)"""
        return ExpireDelegationTokenRequest(ExpireDelegationTokenRequestData.read(buffer, version), version)

    def data(self) -> ExpireDelegationTokenRequestData:
        """:origin: common.requests.ExpireDelegationTokenRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ExpireDelegationTokenResponse:
        """:origin: common.requests.ExpireDelegationTokenRequest#getErrorResponse(int, Throwable)"""
        return ExpireDelegationTokenResponse(ExpireDelegationTokenResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code))

    class Builder(AbstractRequest.Builder["ExpireDelegationTokenRequest"]):
        """:origin: common.requests.ExpireDelegationTokenRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ExpireDelegationTokenRequestData) -> None:
            """:origin: common.requests.ExpireDelegationTokenRequest.Builder#Builder(
                ExpireDelegationTokenRequestData)
            """
            super().__init__(ApiKeys.EXPIRE_DELEGATION_TOKEN)
            self._data = data

        def build_version(self, version: int) -> ExpireDelegationTokenRequest:
            """:origin: common.requests.ExpireDelegationTokenRequest.Builder#build(short)"""
            return ExpireDelegationTokenRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ExpireDelegationTokenRequest.Builder#toString()"""
            return str(self._data)
