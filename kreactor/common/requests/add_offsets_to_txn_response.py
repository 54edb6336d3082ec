# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddOffsetsToTxnResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of adding a group's offsets to a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class AddOffsetsToTxnResponse(AbstractResponse):
    """:origin: common.requests.AddOffsetsToTxnResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AddOffsetsToTxnResponseData) -> None:
        """:origin: common.requests.AddOffsetsToTxnResponse#AddOffsetsToTxnResponse(
            AddOffsetsToTxnResponseData)
        """
        super().__init__(ApiKeys.ADD_OFFSETS_TO_TXN)
        self._data = data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AddOffsetsToTxnResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AddOffsetsToTxnResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AddOffsetsToTxnResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> AddOffsetsToTxnResponseData:
        """:origin: common.requests.AddOffsetsToTxnResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AddOffsetsToTxnResponse:
        """:origin: common.requests.AddOffsetsToTxnResponse#parse(ByteBuffer, short)"""
        return AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.AddOffsetsToTxnResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AddOffsetsToTxnResponse#shouldClientThrottle(short)"""
        return version >= 1
