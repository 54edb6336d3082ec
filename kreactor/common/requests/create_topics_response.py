# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateTopicsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of creating topics, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class CreateTopicsResponse(AbstractResponse):
    """:origin: common.requests.CreateTopicsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: CreateTopicsResponseData) -> None:
        """:origin: common.requests.CreateTopicsResponse#CreateTopicsResponse(CreateTopicsResponseData)"""
        super().__init__(ApiKeys.CREATE_TOPICS)
        self._data = data

    def data(self) -> CreateTopicsResponseData:
        """:origin: common.requests.CreateTopicsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.CreateTopicsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.CreateTopicsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.CreateTopicsResponse#errorCounts()"""
        return self._error_counts_errors(Errors.for_code(result.error_code) for result in self._data.topics)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateTopicsResponse:
        """:origin: common.requests.CreateTopicsResponse#parse(ByteBuffer, short)"""
        return CreateTopicsResponse(CreateTopicsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.CreateTopicsResponse#shouldClientThrottle(short)"""
        return version >= 3
