# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EnvelopeRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's request that a broker forwards to the controller, with the client's principal."""

from __future__ import annotations

from kreactor.common.message.envelope_request_data import EnvelopeRequestData
from kreactor.common.message.envelope_response_data import EnvelopeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.envelope_response import EnvelopeResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class EnvelopeRequest(AbstractRequest):
    """:origin: common.requests.EnvelopeRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["EnvelopeRequest"]):
        """:origin: common.requests.EnvelopeRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, request_data: ByteBuffer, serialized_principal: bytes | None,
                     client_address: bytes) -> None:
            """:origin: common.requests.EnvelopeRequest.Builder#Builder(ByteBuffer, byte[], byte[])"""
            super().__init__(ApiKeys.ENVELOPE)
            self._data = EnvelopeRequestData(
                request_data=request_data, request_principal=serialized_principal,
                client_host_address=client_address)

        def build_version(self, version: int) -> EnvelopeRequest:
            """:origin: common.requests.EnvelopeRequest.Builder#build(short)"""
            return EnvelopeRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.EnvelopeRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: EnvelopeRequestData, version: int) -> None:
        """:origin: common.requests.EnvelopeRequest#EnvelopeRequest(EnvelopeRequestData, short)"""
        super().__init__(ApiKeys.ENVELOPE, version)
        self._data = data

    def request_data(self) -> ByteBuffer:
        """Return the request with its header, as a view of the envelope's buffer.

        :origin: common.requests.EnvelopeRequest#requestData()
        """
        return self._data.request_data

    def client_address(self) -> bytes:
        """Return the bytes of the client's IP address.

        :origin: common.requests.EnvelopeRequest#clientAddress()
        """
        return self._data.client_host_address

    def request_principal(self) -> bytes | None:
        """Return the serialized principal of the client.

        :origin: common.requests.EnvelopeRequest#requestPrincipal()
        """
        return self._data.request_principal

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> EnvelopeResponse:
        """:origin: common.requests.EnvelopeRequest#getErrorResponse(int, Throwable)"""
        return EnvelopeResponse(EnvelopeResponseData(error_code=Errors.for_exception(e).code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> EnvelopeRequest:
        """:origin: common.requests.EnvelopeRequest#parse(ByteBuffer, short)"""
        return EnvelopeRequest(EnvelopeRequestData.read(buffer, version), version)

    def data(self) -> EnvelopeRequestData:
        """:origin: common.requests.EnvelopeRequest#data()"""
        return self._data
