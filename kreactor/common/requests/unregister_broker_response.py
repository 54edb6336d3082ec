# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UnregisterBrokerResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of unregistering a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.unregister_broker_response_data import UnregisterBrokerResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class UnregisterBrokerResponse(AbstractResponse):
    """:origin: common.requests.UnregisterBrokerResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: UnregisterBrokerResponseData) -> None:
        """:origin: common.requests.UnregisterBrokerResponse#UnregisterBrokerResponse(
            UnregisterBrokerResponseData)
        """
        super().__init__(ApiKeys.UNREGISTER_BROKER)
        self._data = data

    def data(self) -> UnregisterBrokerResponseData:
        """:origin: common.requests.UnregisterBrokerResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.UnregisterBrokerResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.UnregisterBrokerResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.UnregisterBrokerResponse#errorCounts()"""
        if self._data.error_code != 0:
            return {Errors.for_code(self._data.error_code): 1}
        return {}

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> UnregisterBrokerResponse:
        """:origin: common.requests.UnregisterBrokerResponse#parse(ByteBuffer, short)"""
        return UnregisterBrokerResponse(UnregisterBrokerResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.UnregisterBrokerResponse#shouldClientThrottle(short)"""
        return True
