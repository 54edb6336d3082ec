# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ListPartitionReassignmentsRequest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to list the ongoing reassignments of partitions."""

from __future__ import annotations

from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.list_partition_reassignments_response_data import (
    ListPartitionReassignmentsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.list_partition_reassignments_response import ListPartitionReassignmentsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ListPartitionReassignmentsRequest(AbstractRequest):
    """:origin: common.requests.ListPartitionReassignmentsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ListPartitionReassignmentsRequest"]):
        """:origin: common.requests.ListPartitionReassignmentsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ListPartitionReassignmentsRequestData) -> None:
            """:origin: common.requests.ListPartitionReassignmentsRequest.Builder#Builder(
                ListPartitionReassignmentsRequestData)
            """
            super().__init__(ApiKeys.LIST_PARTITION_REASSIGNMENTS)
            self._data = data

        def build_version(self, version: int) -> ListPartitionReassignmentsRequest:
            """:origin: common.requests.ListPartitionReassignmentsRequest.Builder#build(short)"""
            return ListPartitionReassignmentsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ListPartitionReassignmentsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ListPartitionReassignmentsRequestData, version: int) -> None:
        """:origin: common.requests.ListPartitionReassignmentsRequest#ListPartitionReassignmentsRequest(
            ListPartitionReassignmentsRequestData, short)
        """
        super().__init__(ApiKeys.LIST_PARTITION_REASSIGNMENTS, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ListPartitionReassignmentsRequest:
        """:origin: common.requests.ListPartitionReassignmentsRequest#parse(ByteBuffer, short)"""
        return ListPartitionReassignmentsRequest(
            ListPartitionReassignmentsRequestData.read(buffer, version), version)

    def data(self) -> ListPartitionReassignmentsRequestData:
        """:origin: common.requests.ListPartitionReassignmentsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ListPartitionReassignmentsResponse:
        """:origin: common.requests.ListPartitionReassignmentsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return ListPartitionReassignmentsResponse(ListPartitionReassignmentsResponseData(
            topics=[
                ListPartitionReassignmentsResponseData.OngoingTopicReassignment(name=topic.name, partitions=[
                    ListPartitionReassignmentsResponseData.OngoingPartitionReassignment(partition_index=index)
                    for index in topic.partition_indexes])
                for topic in self._data.topics or ()],
            error_code=error.error().code, error_message=error.message(), throttle_time_ms=throttle_time_ms))
