# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeTransactionsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The states of transactions, each with its own error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_transactions_response_data import DescribeTransactionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeTransactionsResponse(AbstractResponse):
    """:origin: common.requests.DescribeTransactionsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeTransactionsResponseData) -> None:
        """:origin: common.requests.DescribeTransactionsResponse#DescribeTransactionsResponse(
            DescribeTransactionsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_TRANSACTIONS)
        self._data = data

    def data(self) -> DescribeTransactionsResponseData:
        """:origin: common.requests.DescribeTransactionsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeTransactionsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(state.error_code) for state in self._data.transaction_states)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeTransactionsResponse:
        """:origin: common.requests.DescribeTransactionsResponse#parse(ByteBuffer, short)"""
        return DescribeTransactionsResponse(DescribeTransactionsResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.DescribeTransactionsResponse#toString()"""
        return str(self._data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeTransactionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeTransactionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms
