# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetCommitRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to commit a group's offsets."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.offset_commit_response import OffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer


class OffsetCommitRequest(AbstractRequest):
    """:origin: common.requests.OffsetCommitRequest"""

    __slots__ = ("_data",)

    DEFAULT_GENERATION_ID = -1
    DEFAULT_MEMBER_ID = ""
    DEFAULT_RETENTION_TIME = -1

    # The default timestamp for versions 0 and 1.
    DEFAULT_TIMESTAMP = -1

    class Builder(AbstractRequest.Builder["OffsetCommitRequest"]):
        """:origin: common.requests.OffsetCommitRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: OffsetCommitRequestData, enable_unstable_last_version: bool = False) -> None:
            """:origin: common.requests.OffsetCommitRequest.Builder#Builder(OffsetCommitRequestData,
                boolean)
            """
            super().__init__(
                ApiKeys.OFFSET_COMMIT, enable_unstable_last_version=enable_unstable_last_version)
            self._data = data

        def build_version(self, version: int) -> OffsetCommitRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.OffsetCommitRequest.Builder#build(short)
            """
            if self._data.group_instance_id is not None and version < 7:
                raise UnsupportedVersionException(
                    f"The broker offset commit protocol version {version} does not support usage of config "
                    "group.instance.id.")
            return OffsetCommitRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.OffsetCommitRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: OffsetCommitRequestData, version: int) -> None:
        """:origin: common.requests.OffsetCommitRequest#OffsetCommitRequest(OffsetCommitRequestData, short)"""
        super().__init__(ApiKeys.OFFSET_COMMIT, version)
        self._data = data

    def data(self) -> OffsetCommitRequestData:
        """:origin: common.requests.OffsetCommitRequest#data()"""
        return self._data

    def offsets(self) -> dict[TopicPartition, int]:
        """Return the offsets.

        :origin: common.requests.OffsetCommitRequest#offsets()
        """
        return {TopicPartition(topic.name, partition.partition_index): partition.committed_offset
                for topic in self._data.topics for partition in topic.partitions}

    @staticmethod
    def get_error_response_data(request: OffsetCommitRequestData, error: Errors) -> OffsetCommitResponseData:
        """Return the data of a response with ``error`` for all partitions.

        :origin: common.requests.OffsetCommitRequest#getErrorResponse(OffsetCommitRequestData, Errors)
        """
        return OffsetCommitResponseData(topics=[
            OffsetCommitResponseData.OffsetCommitResponseTopic(name=topic.name, partitions=[
                OffsetCommitResponseData.OffsetCommitResponsePartition(
                    partition_index=partition.partition_index, error_code=error.code)
                for partition in topic.partitions])
            for topic in request.topics])

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> OffsetCommitResponse:
        """:origin: common.requests.OffsetCommitRequest#getErrorResponse(int, Throwable)"""
        response_data = self.get_error_response_data(self._data, Errors.for_exception(e))
        response_data.throttle_time_ms = throttle_time_ms
        return OffsetCommitResponse(response_data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetCommitRequest:
        """:origin: common.requests.OffsetCommitRequest#parse(ByteBuffer, short)"""
        return OffsetCommitRequest(OffsetCommitRequestData.read(buffer, version), version)
