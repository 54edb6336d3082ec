# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeTransactionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe transactions."""

from __future__ import annotations

from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.describe_transactions_response_data import DescribeTransactionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_transactions_response import DescribeTransactionsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeTransactionsRequest(AbstractRequest):
    """:origin: common.requests.DescribeTransactionsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeTransactionsRequest"]):
        """:origin: common.requests.DescribeTransactionsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeTransactionsRequestData) -> None:
            """
            :origin: common.requests.DescribeTransactionsRequest.Builder#Builder(
                DescribeTransactionsRequestData)
            """
            super().__init__(ApiKeys.DESCRIBE_TRANSACTIONS)
            self._data = data

        def build_version(self, version: int) -> DescribeTransactionsRequest:
            """:origin: common.requests.DescribeTransactionsRequest.Builder#build(short)"""
            return DescribeTransactionsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeTransactionsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeTransactionsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeTransactionsRequest#DescribeTransactionsRequest(
            DescribeTransactionsRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_TRANSACTIONS, version)
        self._data = data

    def data(self) -> DescribeTransactionsRequestData:
        """:origin: common.requests.DescribeTransactionsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeTransactionsResponse:
        """:origin: common.requests.DescribeTransactionsRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return DescribeTransactionsResponse(DescribeTransactionsResponseData(
            throttle_time_ms=throttle_time_ms,
            transaction_states=[
                DescribeTransactionsResponseData.TransactionState(
                    transactional_id=transactional_id, error_code=error.code)
                for transactional_id in self._data.transactional_ids]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeTransactionsRequest:
        """:origin: common.requests.DescribeTransactionsRequest#parse(ByteBuffer, short)"""
        return DescribeTransactionsRequest(DescribeTransactionsRequestData.read(buffer, version), version)

    def to_string(self, verbose: bool) -> str:
        """:origin: common.requests.DescribeTransactionsRequest#toString(boolean)"""
        return str(self._data)
