# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeUserScramCredentialsResponse
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The SCRAM mechanisms of users, with an error for each user, without salts and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.describe_user_scram_credentials_response_data import (
    DescribeUserScramCredentialsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeUserScramCredentialsResponse(AbstractResponse):
    """:origin: common.requests.DescribeUserScramCredentialsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DescribeUserScramCredentialsResponseData) -> None:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#DescribeUserScramCredentialsResponse(
            DescribeUserScramCredentialsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS)
        self._data = data

    def data(self) -> DescribeUserScramCredentialsResponseData:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#data()"""
        return self._data

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#shouldClientThrottle(short)"""
        return True

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(result.error_code) for result in self._data.results)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeUserScramCredentialsResponse:
        """:origin: common.requests.DescribeUserScramCredentialsResponse#parse(ByteBuffer, short)"""
        return DescribeUserScramCredentialsResponse(
            DescribeUserScramCredentialsResponseData.read(buffer, version))
