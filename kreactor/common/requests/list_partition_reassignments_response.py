# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListPartitionReassignmentsResponse of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The ongoing reassignments of partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.list_partition_reassignments_response_data import (
    ListPartitionReassignmentsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class ListPartitionReassignmentsResponse(AbstractResponse):
    """:origin: common.requests.ListPartitionReassignmentsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ListPartitionReassignmentsResponseData) -> None:
        """:origin: common.requests.ListPartitionReassignmentsResponse#ListPartitionReassignmentsResponse(
            ListPartitionReassignmentsResponseData)
        """
        super().__init__(ApiKeys.LIST_PARTITION_REASSIGNMENTS)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListPartitionReassignmentsResponse:
        """:origin: common.requests.ListPartitionReassignmentsResponse#parse(ByteBuffer, short)"""
        return ListPartitionReassignmentsResponse(
            ListPartitionReassignmentsResponseData.read(buffer, version))

    def data(self) -> ListPartitionReassignmentsResponseData:
        """:origin: common.requests.ListPartitionReassignmentsResponse#data()"""
        return self._data

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ListPartitionReassignmentsResponse#shouldClientThrottle(short)"""
        return True

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ListPartitionReassignmentsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ListPartitionReassignmentsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ListPartitionReassignmentsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))
