# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterConfigsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of altering settings, by resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class AlterConfigsResponse(AbstractResponse):
    """:origin: common.requests.AlterConfigsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AlterConfigsResponseData) -> None:
        """:origin: common.requests.AlterConfigsResponse#AlterConfigsResponse(AlterConfigsResponseData)"""
        super().__init__(ApiKeys.ALTER_CONFIGS)
        self._data = data

    def errors(self) -> dict[ConfigResource, ApiError]:
        """Return the errors by resource.

        :origin: common.requests.AlterConfigsResponse#errors()
        """
        return {ConfigResource(ConfigResource.Type.for_id(response.resource_type), response.resource_name):
                ApiError.for_code(response.error_code, response.error_message)
                for response in self._data.responses}

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AlterConfigsResponse#errorCounts()"""
        return self._api_error_counts(self.errors())

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AlterConfigsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AlterConfigsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def data(self) -> AlterConfigsResponseData:
        """:origin: common.requests.AlterConfigsResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterConfigsResponse:
        """:origin: common.requests.AlterConfigsResponse#parse(ByteBuffer, short)"""
        return AlterConfigsResponse(AlterConfigsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AlterConfigsResponse#shouldClientThrottle(short)"""
        return version >= 1
