# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreatePartitionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to add partitions to topics."""

from __future__ import annotations

from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_partitions_response_data import CreatePartitionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.create_partitions_response import CreatePartitionsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class CreatePartitionsRequest(AbstractRequest):
    """:origin: common.requests.CreatePartitionsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["CreatePartitionsRequest"]):
        """:origin: common.requests.CreatePartitionsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: CreatePartitionsRequestData) -> None:
            """:origin: common.requests.CreatePartitionsRequest.Builder#Builder(
                CreatePartitionsRequestData)
            """
            super().__init__(ApiKeys.CREATE_PARTITIONS)
            self._data = data

        def build_version(self, version: int) -> CreatePartitionsRequest:
            """:origin: common.requests.CreatePartitionsRequest.Builder#build(short)"""
            return CreatePartitionsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.CreatePartitionsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: CreatePartitionsRequestData, version: int) -> None:
        """:origin: common.requests.CreatePartitionsRequest#CreatePartitionsRequest(
            CreatePartitionsRequestData, short)
        """
        super().__init__(ApiKeys.CREATE_PARTITIONS, version)
        self._data = data

    def data(self) -> CreatePartitionsRequestData:
        """:origin: common.requests.CreatePartitionsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> CreatePartitionsResponse:
        """:origin: common.requests.CreatePartitionsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return CreatePartitionsResponse(CreatePartitionsResponseData(
            throttle_time_ms=throttle_time_ms,
            results=[CreatePartitionsResponseData.CreatePartitionsTopicResult(
                name=topic.name, error_code=error.error().code, error_message=error.message())
                for topic in self._data.topics]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreatePartitionsRequest:
        """:origin: common.requests.CreatePartitionsRequest#parse(ByteBuffer, short)"""
        return CreatePartitionsRequest(CreatePartitionsRequestData.read(buffer, version), version)
