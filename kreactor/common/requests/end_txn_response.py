# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EndTxnResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of ending a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class EndTxnResponse(AbstractResponse):
    """:origin: common.requests.EndTxnResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: EndTxnResponseData) -> None:
        """:origin: common.requests.EndTxnResponse#EndTxnResponse(EndTxnResponseData)"""
        super().__init__(ApiKeys.END_TXN)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.EndTxnResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.EndTxnResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.EndTxnResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.EndTxnResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> EndTxnResponseData:
        """:origin: common.requests.EndTxnResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> EndTxnResponse:
        """:origin: common.requests.EndTxnResponse#parse(ByteBuffer, short)"""
        return EndTxnResponse(EndTxnResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.EndTxnResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.EndTxnResponse#shouldClientThrottle(short)"""
        return version >= 1
