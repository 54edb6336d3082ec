# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateAclsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of creating permissions, by permission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.create_acls_response_data import CreateAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class CreateAclsResponse(AbstractResponse):
    """:origin: common.requests.CreateAclsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: CreateAclsResponseData) -> None:
        """:origin: common.requests.CreateAclsResponse#CreateAclsResponse(CreateAclsResponseData)"""
        super().__init__(ApiKeys.CREATE_ACLS)
        self._data = data

    def data(self) -> CreateAclsResponseData:
        """:origin: common.requests.CreateAclsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.CreateAclsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.CreateAclsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def results(self) -> list[CreateAclsResponseData.AclCreationResult]:
        """Return the result of each permission.

        :origin: common.requests.CreateAclsResponse#results()
        """
        return self._data.results

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.CreateAclsResponse#errorCounts()"""
        return self._error_counts_errors(Errors.for_code(result.error_code) for result in self.results())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateAclsResponse:
        """:origin: common.requests.CreateAclsResponse#parse(ByteBuffer, short)"""
        return CreateAclsResponse(CreateAclsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.CreateAclsResponse#shouldClientThrottle(short)"""
        return version >= 1
