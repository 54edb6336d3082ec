# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SaslAuthenticateResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A server's token of a SASL exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class SaslAuthenticateResponse(AbstractResponse):
    """:origin: common.requests.SaslAuthenticateResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: SaslAuthenticateResponseData) -> None:
        """:origin: common.requests.SaslAuthenticateResponse#SaslAuthenticateResponse(
            SaslAuthenticateResponseData)
        """
        super().__init__(ApiKeys.SASL_AUTHENTICATE)
        self._data = data

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.SaslAuthenticateResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.SaslAuthenticateResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def error_message(self) -> str | None:
        """Return the error message.

        :origin: common.requests.SaslAuthenticateResponse#errorMessage()
        """
        return self._data.error_message

    def session_lifetime_ms(self) -> int:
        """Return the milliseconds after which the client must re-authenticate, 0 for never.

        :origin: common.requests.SaslAuthenticateResponse#sessionLifetimeMs()
        """
        return self._data.session_lifetime_ms

    def sasl_auth_bytes(self) -> bytes:
        """Return the token.

        :origin: common.requests.SaslAuthenticateResponse#saslAuthBytes()
        """
        return self._data.auth_bytes

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.SaslAuthenticateResponse#throttleTimeMs()"""
        return AbstractResponse.DEFAULT_THROTTLE_TIME

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Do nothing, because the response has no throttle time.

        :origin: common.requests.SaslAuthenticateResponse#maybeSetThrottleTimeMs(int)
        """

    def data(self) -> SaslAuthenticateResponseData:
        """:origin: common.requests.SaslAuthenticateResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SaslAuthenticateResponse:
        """:origin: common.requests.SaslAuthenticateResponse#parse(ByteBuffer, short)"""
        return SaslAuthenticateResponse(SaslAuthenticateResponseData.read(buffer, version))
