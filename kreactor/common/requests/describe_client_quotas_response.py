# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeClientQuotasResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The described quotas, by entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_client_quotas_response_data import DescribeClientQuotasResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeClientQuotasResponse(AbstractResponse):
    """:origin: common.requests.DescribeClientQuotasResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeClientQuotasResponseData) -> None:
        """:origin: common.requests.DescribeClientQuotasResponse#DescribeClientQuotasResponse(
            DescribeClientQuotasResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_CLIENT_QUOTAS)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeClientQuotasResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeClientQuotasResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> DescribeClientQuotasResponseData:
        """:origin: common.requests.DescribeClientQuotasResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeClientQuotasResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeClientQuotasResponse:
        """:origin: common.requests.DescribeClientQuotasResponse#parse(ByteBuffer, short)"""
        return DescribeClientQuotasResponse(DescribeClientQuotasResponseData.read(buffer, version))
