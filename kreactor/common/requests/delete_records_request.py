# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteRecordsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to delete all records before an offset."""

from __future__ import annotations

from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.delete_records_response_data import DeleteRecordsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.delete_records_response import DeleteRecordsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DeleteRecordsRequest(AbstractRequest):
    """:origin: common.requests.DeleteRecordsRequest"""

    # The special offset that means the high watermark.
    HIGH_WATERMARK = -1

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DeleteRecordsRequest"]):
        """:origin: common.requests.DeleteRecordsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DeleteRecordsRequestData) -> None:
            """:origin: common.requests.DeleteRecordsRequest.Builder#Builder(DeleteRecordsRequestData)"""
            super().__init__(ApiKeys.DELETE_RECORDS)
            self._data = data

        def build_version(self, version: int) -> DeleteRecordsRequest:
            """:origin: common.requests.DeleteRecordsRequest.Builder#build(short)"""
            return DeleteRecordsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DeleteRecordsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DeleteRecordsRequestData, version: int) -> None:
        """:origin: common.requests.DeleteRecordsRequest#DeleteRecordsRequest(DeleteRecordsRequestData,
            short)
        """
        super().__init__(ApiKeys.DELETE_RECORDS, version)
        self._data = data

    def data(self) -> DeleteRecordsRequestData:
        """:origin: common.requests.DeleteRecordsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DeleteRecordsResponse:
        """:origin: common.requests.DeleteRecordsRequest#getErrorResponse(int, Throwable)"""
        error_code = Errors.for_exception(e).code
        return DeleteRecordsResponse(DeleteRecordsResponseData(throttle_time_ms=throttle_time_ms, topics=[
            DeleteRecordsResponseData.DeleteRecordsTopicResult(name=topic.name, partitions=[
                DeleteRecordsResponseData.DeleteRecordsPartitionResult(
                    partition_index=partition.partition_index, error_code=error_code,
                    low_watermark=DeleteRecordsResponse.INVALID_LOW_WATERMARK)
                for partition in topic.partitions])
            for topic in self._data.topics]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteRecordsRequest:
        """:origin: common.requests.DeleteRecordsRequest#parse(ByteBuffer, short)"""
        return DeleteRecordsRequest(DeleteRecordsRequestData.read(buffer, version), version)
