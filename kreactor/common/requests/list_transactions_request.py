# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListTransactionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to list the transactions of a coordinator."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.list_transactions_response import ListTransactionsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ListTransactionsRequest(AbstractRequest):
    """:origin: common.requests.ListTransactionsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ListTransactionsRequest"]):
        """:origin: common.requests.ListTransactionsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ListTransactionsRequestData) -> None:
            """
            :origin: common.requests.ListTransactionsRequest.Builder#Builder(ListTransactionsRequestData)
            """
            super().__init__(ApiKeys.LIST_TRANSACTIONS)
            self._data = data

        def build_version(self, version: int) -> ListTransactionsRequest:
            """Build the request. Raises UnsupportedVersionException for a duration filter in version 0.

            :origin: common.requests.ListTransactionsRequest.Builder#build(short)
            """
            if self._data.duration_filter >= 0 and version < 1:
                raise UnsupportedVersionException(
                    "Duration filter can be set only when using API version 1 or higher. If client is "
                    "connected to an older broker, do not specify duration filter or set duration filter to "
                    "-1.")
            return ListTransactionsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ListTransactionsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ListTransactionsRequestData, version: int) -> None:
        """:origin: common.requests.ListTransactionsRequest#ListTransactionsRequest(
            ListTransactionsRequestData, short)
        """
        super().__init__(ApiKeys.LIST_TRANSACTIONS, version)
        self._data = data

    def data(self) -> ListTransactionsRequestData:
        """:origin: common.requests.ListTransactionsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ListTransactionsResponse:
        """:origin: common.requests.ListTransactionsRequest#getErrorResponse(int, Throwable)"""
        return ListTransactionsResponse(ListTransactionsResponseData(
            error_code=Errors.for_exception(e).code, throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListTransactionsRequest:
        """:origin: common.requests.ListTransactionsRequest#parse(ByteBuffer, short)"""
        return ListTransactionsRequest(ListTransactionsRequestData.read(buffer, version), version)

    def to_string(self, verbose: bool) -> str:
        """:origin: common.requests.ListTransactionsRequest#toString(boolean)"""
        return str(self._data)
