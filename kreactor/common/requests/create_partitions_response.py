# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreatePartitionsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of adding partitions, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.create_partitions_response_data import CreatePartitionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class CreatePartitionsResponse(AbstractResponse):
    """:origin: common.requests.CreatePartitionsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: CreatePartitionsResponseData) -> None:
        """:origin: common.requests.CreatePartitionsResponse#CreatePartitionsResponse(
            CreatePartitionsResponseData)
        """
        super().__init__(ApiKeys.CREATE_PARTITIONS)
        self._data = data

    def data(self) -> CreatePartitionsResponseData:
        """:origin: common.requests.CreatePartitionsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.CreatePartitionsResponse#errorCounts()"""
        return self._error_counts_errors(Errors.for_code(result.error_code) for result in self._data.results)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreatePartitionsResponse:
        """:origin: common.requests.CreatePartitionsResponse#parse(ByteBuffer, short)"""
        return CreatePartitionsResponse(CreatePartitionsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.CreatePartitionsResponse#shouldClientThrottle(short)"""
        return version >= 1

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.CreatePartitionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.CreatePartitionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms
