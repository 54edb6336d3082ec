# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SaslHandshakeRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request of a client to use a SASL mechanism."""

from __future__ import annotations

from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.sasl_handshake_response_data import SaslHandshakeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.sasl_handshake_response import SaslHandshakeResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class SaslHandshakeRequest(AbstractRequest):
    """Requests a SASL mechanism. A client of version 0.9 starts GSSAPI without this request.

    The first packet of such a client starts with 0x60. This request starts with 0, the high byte of the API
    key 17, so a server can distinguish both.

    :origin: common.requests.SaslHandshakeRequest
    """

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["SaslHandshakeRequest"]):
        """:origin: common.requests.SaslHandshakeRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: SaslHandshakeRequestData) -> None:
            """:origin: common.requests.SaslHandshakeRequest.Builder#Builder(SaslHandshakeRequestData)"""
            super().__init__(ApiKeys.SASL_HANDSHAKE)
            self._data = data

        def build_version(self, version: int) -> SaslHandshakeRequest:
            """:origin: common.requests.SaslHandshakeRequest.Builder#build(short)"""
            return SaslHandshakeRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.SaslHandshakeRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: SaslHandshakeRequestData, version: int) -> None:
        """:origin: common.requests.SaslHandshakeRequest#SaslHandshakeRequest(SaslHandshakeRequestData, short)
        """
        super().__init__(ApiKeys.SASL_HANDSHAKE, version)
        self._data = data

    def data(self) -> SaslHandshakeRequestData:
        """:origin: common.requests.SaslHandshakeRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> SaslHandshakeResponse:
        """:origin: common.requests.SaslHandshakeRequest#getErrorResponse(int, Throwable)"""
        return SaslHandshakeResponse(
            SaslHandshakeResponseData(error_code=ApiError.from_throwable(e).error().code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SaslHandshakeRequest:
        """:origin: common.requests.SaslHandshakeRequest#parse(ByteBuffer, short)"""
        return SaslHandshakeRequest(SaslHandshakeRequestData.read(buffer, version), version)
