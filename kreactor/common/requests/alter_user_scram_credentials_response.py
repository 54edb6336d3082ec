# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterUserScramCredentialsResponse
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of altering SCRAM credentials, by user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.alter_user_scram_credentials_response_data import (
    AlterUserScramCredentialsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class AlterUserScramCredentialsResponse(AbstractResponse):
    """:origin: common.requests.AlterUserScramCredentialsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AlterUserScramCredentialsResponseData) -> None:
        """:origin: common.requests.AlterUserScramCredentialsResponse#AlterUserScramCredentialsResponse(
            AlterUserScramCredentialsResponseData)
        """
        super().__init__(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS)
        self._data = data

    def data(self) -> AlterUserScramCredentialsResponseData:
        """:origin: common.requests.AlterUserScramCredentialsResponse#data()"""
        return self._data

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AlterUserScramCredentialsResponse#shouldClientThrottle(short)"""
        return True

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AlterUserScramCredentialsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AlterUserScramCredentialsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AlterUserScramCredentialsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(result.error_code) for result in self._data.results)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterUserScramCredentialsResponse:
        """:origin: common.requests.AlterUserScramCredentialsResponse#parse(ByteBuffer, short)"""
        return AlterUserScramCredentialsResponse(AlterUserScramCredentialsResponseData.read(buffer, version))
