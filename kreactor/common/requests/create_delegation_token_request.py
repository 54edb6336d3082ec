# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateDelegationTokenRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to create a delegation token."""

from __future__ import annotations

from kreactor.common.message.create_delegation_token_request_data import CreateDelegationTokenRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.create_delegation_token_response import CreateDelegationTokenResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.nio_buffer import ByteBuffer


class CreateDelegationTokenRequest(AbstractRequest):
    """:origin: common.requests.CreateDelegationTokenRequest"""

    __slots__ = ("_data",)

    def __init__(self, data: CreateDelegationTokenRequestData, version: int) -> None:
        """:origin: common.requests.CreateDelegationTokenRequest#CreateDelegationTokenRequest(
            CreateDelegationTokenRequestData, short)
        """
        super().__init__(ApiKeys.CREATE_DELEGATION_TOKEN, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateDelegationTokenRequest:
        """:origin: common.requests.CreateDelegationTokenRequest#parse(ByteBuffer, short)"""
        return CreateDelegationTokenRequest(CreateDelegationTokenRequestData.read(buffer, version), version)

    def data(self) -> CreateDelegationTokenRequestData:
        """:origin: common.requests.CreateDelegationTokenRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> CreateDelegationTokenResponse:
        """:origin: common.requests.CreateDelegationTokenRequest#getErrorResponse(int, Throwable)"""
        return CreateDelegationTokenResponse.prepare_error_response(
            self.version(), throttle_time_ms, Errors.for_exception(e), KafkaPrincipal.ANONYMOUS,
            KafkaPrincipal.ANONYMOUS)

    class Builder(AbstractRequest.Builder["CreateDelegationTokenRequest"]):
        """:origin: common.requests.CreateDelegationTokenRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: CreateDelegationTokenRequestData) -> None:
            """:origin: common.requests.CreateDelegationTokenRequest.Builder#Builder(
                CreateDelegationTokenRequestData)
            """
            super().__init__(ApiKeys.CREATE_DELEGATION_TOKEN)
            self._data = data

        def build_version(self, version: int) -> CreateDelegationTokenRequest:
            """:origin: common.requests.CreateDelegationTokenRequest.Builder#build(short)"""
            return CreateDelegationTokenRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.CreateDelegationTokenRequest.Builder#toString()"""
            return str(self._data)
