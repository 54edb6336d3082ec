# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.CreateTopicsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to create topics."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.create_topics_response import CreateTopicsResponse
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import java_text


class CreateTopicsRequest(AbstractRequest):
    """:origin: common.requests.CreateTopicsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["CreateTopicsRequest"]):
        """:origin: common.requests.CreateTopicsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: CreateTopicsRequestData) -> None:
            """:origin: common.requests.CreateTopicsRequest.Builder#Builder(CreateTopicsRequestData)"""
            super().__init__(ApiKeys.CREATE_TOPICS)
            self._data = data

        def build_version(self, version: int) -> CreateTopicsRequest:
            """:origin: common.requests.CreateTopicsRequest.Builder#build(short)"""
            if self._data.validate_only and version == 0:
                raise UnsupportedVersionException(
                    "validateOnly is not supported in version 0 of CreateTopicsRequest")
            topics_with_defaults = [
                topic.name for topic in self._data.topics
                if not topic.assignments and (
                    topic.num_partitions == CreateTopicsRequest.NO_NUM_PARTITIONS
                    or topic.replication_factor == CreateTopicsRequest.NO_REPLICATION_FACTOR)]
            if topics_with_defaults and version < 4:
                raise UnsupportedVersionException(
                    "Creating topics with default partitions/replication factor are only supported in "
                    "CreateTopicRequest version 4+. The following topics need values for partitions and "
                    f"replicas: {java_text(topics_with_defaults)}")
            return CreateTopicsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.CreateTopicsRequest.Builder#toString()"""
            return str(self._data)

        def __eq__(self, other: object) -> bool:
            """:origin: common.requests.CreateTopicsRequest.Builder#equals(Object)"""
            return isinstance(other, CreateTopicsRequest.Builder) and self._data == other._data

        def __hash__(self) -> int:
            """:origin: common.requests.CreateTopicsRequest.Builder#hashCode()"""
            # Compared by text: messages are not hashable because they are mutable, and equal ones have equal
            # text.
            return hash(str(self._data))

    NO_NUM_PARTITIONS = -1
    NO_REPLICATION_FACTOR = -1

    def __init__(self, data: CreateTopicsRequestData, version: int) -> None:
        """:origin: common.requests.CreateTopicsRequest#CreateTopicsRequest(CreateTopicsRequestData, short)"""
        super().__init__(ApiKeys.CREATE_TOPICS, version)
        self._data = data

    def data(self) -> CreateTopicsRequestData:
        """:origin: common.requests.CreateTopicsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> CreateTopicsResponse:
        """:origin: common.requests.CreateTopicsRequest#getErrorResponse(int, Throwable)"""
        response = CreateTopicsResponseData()
        if self._version >= 2:
            response.throttle_time_ms = throttle_time_ms
        api_error = ApiError.from_throwable(e)
        for topic in self._data.topics:
            response.topics.append(CreateTopicsResponseData.CreatableTopicResult(
                name=topic.name, error_code=api_error.error().code, error_message=api_error.message()))
        return CreateTopicsResponse(response)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> CreateTopicsRequest:
        """:origin: common.requests.CreateTopicsRequest#parse(ByteBuffer, short)"""
        return CreateTopicsRequest(CreateTopicsRequestData.read(buffer, version), version)
