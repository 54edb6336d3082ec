# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ExpireDelegationTokenResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The new expiration of a delegation token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.expire_delegation_token_response_data import ExpireDelegationTokenResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class ExpireDelegationTokenResponse(AbstractResponse):
    """:origin: common.requests.ExpireDelegationTokenResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ExpireDelegationTokenResponseData) -> None:
        """:origin: common.requests.ExpireDelegationTokenResponse#ExpireDelegationTokenResponse(
            ExpireDelegationTokenResponseData)
        """
        super().__init__(ApiKeys.EXPIRE_DELEGATION_TOKEN)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ExpireDelegationTokenResponse:
        """:origin: common.requests.ExpireDelegationTokenResponse#parse(ByteBuffer, short)"""
        return ExpireDelegationTokenResponse(ExpireDelegationTokenResponseData.read(buffer, version))

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.ExpireDelegationTokenResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ExpireDelegationTokenResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> ExpireDelegationTokenResponseData:
        """:origin: common.requests.ExpireDelegationTokenResponse#data()"""
        return self._data

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ExpireDelegationTokenResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ExpireDelegationTokenResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ExpireDelegationTokenResponse#shouldClientThrottle(short)"""
        return version >= 1
