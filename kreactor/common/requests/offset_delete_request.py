# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetDeleteRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to delete a group's offsets."""

from __future__ import annotations

from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_delete_response_data import OffsetDeleteResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.offset_delete_response import OffsetDeleteResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class OffsetDeleteRequest(AbstractRequest):
    """:origin: common.requests.OffsetDeleteRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["OffsetDeleteRequest"]):
        """:origin: common.requests.OffsetDeleteRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: OffsetDeleteRequestData) -> None:
            """:origin: common.requests.OffsetDeleteRequest.Builder#Builder(OffsetDeleteRequestData)"""
            super().__init__(ApiKeys.OFFSET_DELETE)
            self._data = data

        def build_version(self, version: int) -> OffsetDeleteRequest:
            """:origin: common.requests.OffsetDeleteRequest.Builder#build(short)"""
            return OffsetDeleteRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.OffsetDeleteRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: OffsetDeleteRequestData, version: int) -> None:
        """:origin: common.requests.OffsetDeleteRequest#OffsetDeleteRequest(OffsetDeleteRequestData, short)"""
        super().__init__(ApiKeys.OFFSET_DELETE, version)
        self._data = data

    def get_error_response_error(self, throttle_time_ms: int, error: Errors) -> OffsetDeleteResponse:
        """Return a response with ``error`` and without partitions.

        :origin: common.requests.OffsetDeleteRequest#getErrorResponse(int, Errors)
        """
        return OffsetDeleteResponse(OffsetDeleteResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.code))

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> OffsetDeleteResponse:
        """:origin: common.requests.OffsetDeleteRequest#getErrorResponse(int, Throwable)"""
        return self.get_error_response_error(throttle_time_ms, Errors.for_exception(e))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetDeleteRequest:
        """:origin: common.requests.OffsetDeleteRequest#parse(ByteBuffer, short)"""
        return OffsetDeleteRequest(OffsetDeleteRequestData.read(buffer, version), version)

    def data(self) -> OffsetDeleteRequestData:
        """:origin: common.requests.OffsetDeleteRequest#data()"""
        return self._data
