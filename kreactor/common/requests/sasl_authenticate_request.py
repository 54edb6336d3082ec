# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SaslAuthenticateRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's token of a SASL exchange."""

from __future__ import annotations

from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class SaslAuthenticateRequest(AbstractRequest):
    """Used after a handshake of version 1. After version 0, tokens have no header.

    :origin: common.requests.SaslAuthenticateRequest
    """

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["SaslAuthenticateRequest"]):
        """:origin: common.requests.SaslAuthenticateRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: SaslAuthenticateRequestData) -> None:
            """:origin: common.requests.SaslAuthenticateRequest.Builder#Builder(SaslAuthenticateRequestData)
            """
            super().__init__(ApiKeys.SASL_AUTHENTICATE)
            self._data = data

        def build_version(self, version: int) -> SaslAuthenticateRequest:
            """:origin: common.requests.SaslAuthenticateRequest.Builder#build(short)"""
            return SaslAuthenticateRequest(self._data, version)

        def __str__(self) -> str:
            """Return a text without the token, which is secret.

            :origin: common.requests.SaslAuthenticateRequest.Builder#toString()
            """
            return "(type=SaslAuthenticateRequest)"

    def __init__(self, data: SaslAuthenticateRequestData, version: int) -> None:
        """:origin: common.requests.SaslAuthenticateRequest#SaslAuthenticateRequest(
            SaslAuthenticateRequestData, short)
        """
        super().__init__(ApiKeys.SASL_AUTHENTICATE, version)
        self._data = data

    def data(self) -> SaslAuthenticateRequestData:
        """:origin: common.requests.SaslAuthenticateRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> SaslAuthenticateResponse:
        """:origin: common.requests.SaslAuthenticateRequest#getErrorResponse(int, Throwable)"""
        api_error = ApiError.from_throwable(e)
        return SaslAuthenticateResponse(SaslAuthenticateResponseData(
            error_code=api_error.error().code, error_message=api_error.message()))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SaslAuthenticateRequest:
        """:origin: common.requests.SaslAuthenticateRequest#parse(ByteBuffer, short)"""
        return SaslAuthenticateRequest(SaslAuthenticateRequestData.read(buffer, version), version)
