# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RenewDelegationTokenResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The new expiration of a delegation token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.renew_delegation_token_response_data import RenewDelegationTokenResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class RenewDelegationTokenResponse(AbstractResponse):
    """:origin: common.requests.RenewDelegationTokenResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: RenewDelegationTokenResponseData) -> None:
        """:origin: common.requests.RenewDelegationTokenResponse#RenewDelegationTokenResponse(
            RenewDelegationTokenResponseData)
        """
        super().__init__(ApiKeys.RENEW_DELEGATION_TOKEN)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> RenewDelegationTokenResponse:
        """:origin: common.requests.RenewDelegationTokenResponse#parse(ByteBuffer, short)"""
        return RenewDelegationTokenResponse(RenewDelegationTokenResponseData.read(buffer, version))

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.RenewDelegationTokenResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def data(self) -> RenewDelegationTokenResponseData:
        """:origin: common.requests.RenewDelegationTokenResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.RenewDelegationTokenResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.RenewDelegationTokenResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.RenewDelegationTokenResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.RenewDelegationTokenResponse#shouldClientThrottle(short)"""
        return version >= 1
