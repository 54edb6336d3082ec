# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterPartitionReassignmentsRequest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to reassign partitions to brokers."""

from __future__ import annotations

from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_partition_reassignments_response_data import (
    AlterPartitionReassignmentsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from kreactor.common.requests.api_error import ApiError
from kreactor.jdk.nio_buffer import ByteBuffer


class AlterPartitionReassignmentsRequest(AbstractRequest):
    """:origin: common.requests.AlterPartitionReassignmentsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["AlterPartitionReassignmentsRequest"]):
        """:origin: common.requests.AlterPartitionReassignmentsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: AlterPartitionReassignmentsRequestData) -> None:
            """:origin: common.requests.AlterPartitionReassignmentsRequest.Builder#Builder(
                AlterPartitionReassignmentsRequestData)
            """
            super().__init__(ApiKeys.ALTER_PARTITION_REASSIGNMENTS)
            self._data = data

        def build_version(self, version: int) -> AlterPartitionReassignmentsRequest:
            """:origin: common.requests.AlterPartitionReassignmentsRequest.Builder#build(short)"""
            return AlterPartitionReassignmentsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AlterPartitionReassignmentsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: AlterPartitionReassignmentsRequestData, version: int) -> None:
        """:origin: common.requests.AlterPartitionReassignmentsRequest#AlterPartitionReassignmentsRequest(
            AlterPartitionReassignmentsRequestData, short)
        """
        super().__init__(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterPartitionReassignmentsRequest:
        """:origin: common.requests.AlterPartitionReassignmentsRequest#parse(ByteBuffer, short)"""
        return AlterPartitionReassignmentsRequest(
            AlterPartitionReassignmentsRequestData.read(buffer, version), version)

    def data(self) -> AlterPartitionReassignmentsRequestData:
        """:origin: common.requests.AlterPartitionReassignmentsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> AlterPartitionReassignmentsResponse:
        """:origin: common.requests.AlterPartitionReassignmentsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return AlterPartitionReassignmentsResponse(AlterPartitionReassignmentsResponseData(
            responses=[AlterPartitionReassignmentsResponseData.ReassignableTopicResponse(
                name=topic.name,
                partitions=[AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse(
                    partition_index=partition.partition_index, error_code=error.error().code,
                    error_message=error.message()) for partition in topic.partitions])
                for topic in self._data.topics],
            error_code=error.error().code, error_message=error.message(), throttle_time_ms=throttle_time_ms))
