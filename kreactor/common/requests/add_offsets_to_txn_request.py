# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddOffsetsToTxnRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to add a group's offsets to a transaction."""

from __future__ import annotations

from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class AddOffsetsToTxnRequest(AbstractRequest):
    """:origin: common.requests.AddOffsetsToTxnRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["AddOffsetsToTxnRequest"]):
        """:origin: common.requests.AddOffsetsToTxnRequest.Builder"""

        __slots__ = ("data",)

        def __init__(self, data: AddOffsetsToTxnRequestData) -> None:
            """:origin: common.requests.AddOffsetsToTxnRequest.Builder#Builder(AddOffsetsToTxnRequestData)"""
            super().__init__(ApiKeys.ADD_OFFSETS_TO_TXN)
            self.data = data

        def build_version(self, version: int) -> AddOffsetsToTxnRequest:
            """:origin: common.requests.AddOffsetsToTxnRequest.Builder#build(short)"""
            return AddOffsetsToTxnRequest(self.data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AddOffsetsToTxnRequest.Builder#toString()"""
            return str(self.data)

    def __init__(self, data: AddOffsetsToTxnRequestData, version: int) -> None:
        """:origin: common.requests.AddOffsetsToTxnRequest#AddOffsetsToTxnRequest(AddOffsetsToTxnRequestData,
            short)
        """
        super().__init__(ApiKeys.ADD_OFFSETS_TO_TXN, version)
        self._data = data

    def data(self) -> AddOffsetsToTxnRequestData:
        """:origin: common.requests.AddOffsetsToTxnRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> AddOffsetsToTxnResponse:
        """:origin: common.requests.AddOffsetsToTxnRequest#getErrorResponse(int, Throwable)"""
        return AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData(
            error_code=Errors.for_exception(e).code, throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AddOffsetsToTxnRequest:
        """:origin: common.requests.AddOffsetsToTxnRequest#parse(ByteBuffer, short)"""
        return AddOffsetsToTxnRequest(AddOffsetsToTxnRequestData.read(buffer, version), version)
