# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.IncrementalAlterConfigsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of altering settings, by resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class IncrementalAlterConfigsResponse(AbstractResponse):
    """:origin: common.requests.IncrementalAlterConfigsResponse"""

    __slots__ = ("_data",)

    @staticmethod
    def of(request_throttle_ms: int,
           results: Mapping[ConfigResource, ApiError]) -> IncrementalAlterConfigsResponse:
        """Return the response with ``results``.

        :origin: common.requests.IncrementalAlterConfigsResponse#IncrementalAlterConfigsResponse(int,
            Map<ConfigResource,ApiError>)
        """
        return IncrementalAlterConfigsResponse(IncrementalAlterConfigsResponseData(
            responses=[IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse(
                error_code=error.error().code, error_message=error.message(), resource_name=resource.name(),
                resource_type=resource.type().id()) for resource, error in results.items()],
            throttle_time_ms=request_throttle_ms))

    def __init__(self, data: IncrementalAlterConfigsResponseData) -> None:
        """:origin: common.requests.IncrementalAlterConfigsResponse#IncrementalAlterConfigsResponse(
            IncrementalAlterConfigsResponseData)
        """
        super().__init__(ApiKeys.INCREMENTAL_ALTER_CONFIGS)
        self._data = data

    def data(self) -> IncrementalAlterConfigsResponseData:
        """:origin: common.requests.IncrementalAlterConfigsResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.IncrementalAlterConfigsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(response.error_code) for response in self._data.responses)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.IncrementalAlterConfigsResponse#shouldClientThrottle(short)"""
        return version >= 0

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.IncrementalAlterConfigsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.IncrementalAlterConfigsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> IncrementalAlterConfigsResponse:
        """:origin: common.requests.IncrementalAlterConfigsResponse#parse(ByteBuffer, short)"""
        return IncrementalAlterConfigsResponse(IncrementalAlterConfigsResponseData.read(buffer, version))
