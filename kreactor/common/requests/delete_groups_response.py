# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteGroupsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of deleting groups, by group."""

from __future__ import annotations

from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


class DeleteGroupsResponse(AbstractResponse):
    """:origin: common.requests.DeleteGroupsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: DeleteGroupsResponseData) -> None:
        """:origin: common.requests.DeleteGroupsResponse#DeleteGroupsResponse(DeleteGroupsResponseData)"""
        super().__init__(ApiKeys.DELETE_GROUPS)
        self._data = data

    def data(self) -> DeleteGroupsResponseData:
        """:origin: common.requests.DeleteGroupsResponse#data()"""
        return self._data

    def errors(self) -> dict[str, Errors]:
        """Return the errors by group.

        :origin: common.requests.DeleteGroupsResponse#errors()
        """
        return {result.group_id: Errors.for_code(result.error_code) for result in self._data.results}

    def get(self, group: str) -> Errors:
        """Return a group's error. Raises IllegalArgumentException for a group that is not in the response.

        :origin: common.requests.DeleteGroupsResponse#get(String)
        """
        for result in self._data.results:
            if result.group_id == group:
                return Errors.for_code(result.error_code)
        raise IllegalArgumentException(f"could not find group {group} in the delete group response")

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DeleteGroupsResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        for result in self._data.results:
            self._update_error_counts(counts, Errors.for_code(result.error_code))
        return counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteGroupsResponse:
        """:origin: common.requests.DeleteGroupsResponse#parse(ByteBuffer, short)"""
        return DeleteGroupsResponse(DeleteGroupsResponseData.read(buffer, version))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DeleteGroupsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DeleteGroupsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DeleteGroupsResponse#shouldClientThrottle(short)"""
        return version >= 1
