# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SaslHandshakeResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a SASL handshake, with the enabled mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.sasl_handshake_response_data import SaslHandshakeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class SaslHandshakeResponse(AbstractResponse):
    """:origin: common.requests.SaslHandshakeResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: SaslHandshakeResponseData) -> None:
        """:origin: common.requests.SaslHandshakeResponse#SaslHandshakeResponse(SaslHandshakeResponseData)"""
        super().__init__(ApiKeys.SASL_HANDSHAKE)
        self._data = data

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.SaslHandshakeResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.SaslHandshakeResponse#errorCounts()"""
        return self._error_counts_error(self.error())

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.SaslHandshakeResponse#throttleTimeMs()"""
        return AbstractResponse.DEFAULT_THROTTLE_TIME

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Do nothing, because the response has no throttle time.

        :origin: common.requests.SaslHandshakeResponse#maybeSetThrottleTimeMs(int)
        """

    def data(self) -> SaslHandshakeResponseData:
        """:origin: common.requests.SaslHandshakeResponse#data()"""
        return self._data

    def enabled_mechanisms(self) -> list[str]:
        """Return the enabled mechanisms.

        :origin: common.requests.SaslHandshakeResponse#enabledMechanisms()
        """
        return self._data.mechanisms

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SaslHandshakeResponse:
        """:origin: common.requests.SaslHandshakeResponse#parse(ByteBuffer, short)"""
        return SaslHandshakeResponse(SaslHandshakeResponseData.read(buffer, version))
