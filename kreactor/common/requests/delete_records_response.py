# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteRecordsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The start offsets of partitions after a deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.delete_records_response_data import DeleteRecordsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class DeleteRecordsResponse(AbstractResponse):
    """:origin: common.requests.DeleteRecordsResponse"""

    __slots__ = ("_data",)

    INVALID_LOW_WATERMARK = -1

    def __init__(self, data: DeleteRecordsResponseData) -> None:
        """:origin: common.requests.DeleteRecordsResponse#DeleteRecordsResponse(DeleteRecordsResponseData)"""
        super().__init__(ApiKeys.DELETE_RECORDS)
        self._data = data

    def data(self) -> DeleteRecordsResponseData:
        """:origin: common.requests.DeleteRecordsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DeleteRecordsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DeleteRecordsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DeleteRecordsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.topics for partition in topic.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteRecordsResponse:
        """:origin: common.requests.DeleteRecordsResponse#parse(ByteBuffer, short)"""
        return DeleteRecordsResponse(DeleteRecordsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DeleteRecordsResponse#shouldClientThrottle(short)"""
        return version >= 1
