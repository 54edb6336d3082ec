# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EndTxnRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to commit or abort a transaction."""

from __future__ import annotations

from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.jdk.nio_buffer import ByteBuffer


class EndTxnRequest(AbstractRequest):
    """:origin: common.requests.EndTxnRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["EndTxnRequest"]):
        """:origin: common.requests.EndTxnRequest.Builder"""

        __slots__ = ("data",)

        def __init__(self, data: EndTxnRequestData) -> None:
            """:origin: common.requests.EndTxnRequest.Builder#Builder(EndTxnRequestData)"""
            super().__init__(ApiKeys.END_TXN)
            self.data = data

        def build_version(self, version: int) -> EndTxnRequest:
            """:origin: common.requests.EndTxnRequest.Builder#build(short)"""
            return EndTxnRequest(self.data, version)

        def __str__(self) -> str:
            """:origin: common.requests.EndTxnRequest.Builder#toString()"""
            return str(self.data)

    def __init__(self, data: EndTxnRequestData, version: int) -> None:
        """:origin: common.requests.EndTxnRequest#EndTxnRequest(EndTxnRequestData,
            short)
        """
        super().__init__(ApiKeys.END_TXN, version)
        self._data = data

    def result(self) -> TransactionResult:
        """Return the requested end: commit or abort.

        :origin: common.requests.EndTxnRequest#result()
        """
        return TransactionResult.COMMIT if self._data.committed else TransactionResult.ABORT

    def data(self) -> EndTxnRequestData:
        """:origin: common.requests.EndTxnRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> EndTxnResponse:
        """:origin: common.requests.EndTxnRequest#getErrorResponse(int, Throwable)"""
        return EndTxnResponse(EndTxnResponseData(
            error_code=Errors.for_exception(e).code, throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> EndTxnRequest:
        """:origin: common.requests.EndTxnRequest#parse(ByteBuffer, short)"""
        return EndTxnRequest(EndTxnRequestData.read(buffer, version), version)
