# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListTransactionsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The transactions of a coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class ListTransactionsResponse(AbstractResponse):
    """:origin: common.requests.ListTransactionsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ListTransactionsResponseData) -> None:
        """:origin: common.requests.ListTransactionsResponse#ListTransactionsResponse(
            ListTransactionsResponseData)
        """
        super().__init__(ApiKeys.LIST_TRANSACTIONS)
        self._data = data

    def data(self) -> ListTransactionsResponseData:
        """:origin: common.requests.ListTransactionsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ListTransactionsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListTransactionsResponse:
        """:origin: common.requests.ListTransactionsResponse#parse(ByteBuffer, short)"""
        return ListTransactionsResponse(ListTransactionsResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.ListTransactionsResponse#toString()"""
        return str(self._data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ListTransactionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ListTransactionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms
