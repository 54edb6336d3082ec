# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteTopicsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of deleting topics, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.delete_topics_response_data import DeleteTopicsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DeleteTopicsResponse(AbstractResponse):
    """:origin: common.requests.DeleteTopicsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DeleteTopicsResponseData) -> None:
        """:origin: common.requests.DeleteTopicsResponse#DeleteTopicsResponse(DeleteTopicsResponseData)"""
        super().__init__(ApiKeys.DELETE_TOPICS)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DeleteTopicsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DeleteTopicsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> DeleteTopicsResponseData:
        """:origin: common.requests.DeleteTopicsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DeleteTopicsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(result.error_code) for result in self._data.responses)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteTopicsResponse:
        """:origin: common.requests.DeleteTopicsResponse#parse(ByteBuffer, short)"""
        return DeleteTopicsResponse(DeleteTopicsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DeleteTopicsResponse#shouldClientThrottle(short)"""
        return version >= 2
