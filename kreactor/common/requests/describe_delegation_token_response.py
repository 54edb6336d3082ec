# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeDelegationTokenResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The described delegation tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_delegation_token_response_data import (
    DescribeDelegationTokenResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeDelegationTokenResponse(AbstractResponse):
    """:origin: common.requests.DescribeDelegationTokenResponse"""

    __slots__ = ("_data",)

    @staticmethod
    def of(version: int, throttle_time_ms: int, error: Errors) -> DescribeDelegationTokenResponse:
        """Return the response without tokens.

        :origin: common.requests.DescribeDelegationTokenResponse#DescribeDelegationTokenResponse(int, int,
            Errors)
        """
        return DescribeDelegationTokenResponse(DescribeDelegationTokenResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.code, tokens=[]))

    def __init__(self, data: DescribeDelegationTokenResponseData) -> None:
        """:origin: common.requests.DescribeDelegationTokenResponse#DescribeDelegationTokenResponse(
            DescribeDelegationTokenResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_DELEGATION_TOKEN)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeDelegationTokenResponse:
        """:origin: common.requests.DescribeDelegationTokenResponse#parse(ByteBuffer, short)"""
        return DescribeDelegationTokenResponse(DescribeDelegationTokenResponseData.read(buffer, version))

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeDelegationTokenResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> DescribeDelegationTokenResponseData:
        """:origin: common.requests.DescribeDelegationTokenResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeDelegationTokenResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeDelegationTokenResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.DescribeDelegationTokenResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeDelegationTokenResponse#shouldClientThrottle(short)"""
        return version >= 1
