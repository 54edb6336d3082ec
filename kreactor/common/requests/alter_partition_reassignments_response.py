# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of reassignments, by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.alter_partition_reassignments_response_data import (
    AlterPartitionReassignmentsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class AlterPartitionReassignmentsResponse(AbstractResponse):
    """:origin: common.requests.AlterPartitionReassignmentsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AlterPartitionReassignmentsResponseData) -> None:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#AlterPartitionReassignmentsResponse(
            AlterPartitionReassignmentsResponseData)
        """
        super().__init__(ApiKeys.ALTER_PARTITION_REASSIGNMENTS)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterPartitionReassignmentsResponse:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#parse(ByteBuffer, short)"""
        return AlterPartitionReassignmentsResponse(
            AlterPartitionReassignmentsResponseData.read(buffer, version))

    def data(self) -> AlterPartitionReassignmentsResponseData:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#data()"""
        return self._data

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#shouldClientThrottle(short)"""
        return True

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AlterPartitionReassignmentsResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        self._update_error_counts(counts, Errors.for_code(self._data.error_code))
        for topic in self._data.responses:
            for partition in topic.partitions:
                self._update_error_counts(counts, Errors.for_code(partition.error_code))
        return counts
