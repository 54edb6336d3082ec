# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UnregisterBrokerRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to unregister a broker."""

from __future__ import annotations

from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.message.unregister_broker_response_data import UnregisterBrokerResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.unregister_broker_response import UnregisterBrokerResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class UnregisterBrokerRequest(AbstractRequest):
    """:origin: common.requests.UnregisterBrokerRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["UnregisterBrokerRequest"]):
        """:origin: common.requests.UnregisterBrokerRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: UnregisterBrokerRequestData) -> None:
            """:origin: common.requests.UnregisterBrokerRequest.Builder#Builder(
                UnregisterBrokerRequestData)
            """
            super().__init__(ApiKeys.UNREGISTER_BROKER)
            self._data = data

        def build_version(self, version: int) -> UnregisterBrokerRequest:
            """:origin: common.requests.UnregisterBrokerRequest.Builder#build(short)"""
            return UnregisterBrokerRequest(self._data, version)

    def __init__(self, data: UnregisterBrokerRequestData, version: int) -> None:
        """:origin: common.requests.UnregisterBrokerRequest#UnregisterBrokerRequest(
            UnregisterBrokerRequestData, short)
        """
        super().__init__(ApiKeys.UNREGISTER_BROKER, version)
        self._data = data

    def data(self) -> UnregisterBrokerRequestData:
        """:origin: common.requests.UnregisterBrokerRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> UnregisterBrokerResponse:
        """:origin: common.requests.UnregisterBrokerRequest#getErrorResponse(int, Throwable)"""
        return UnregisterBrokerResponse(UnregisterBrokerResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> UnregisterBrokerRequest:
        """:origin: common.requests.UnregisterBrokerRequest#parse(ByteBuffer, short)"""
        return UnregisterBrokerRequest(UnregisterBrokerRequestData.read(buffer, version), version)
