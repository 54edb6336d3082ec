# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterReplicaLogDirsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to move partitions to other log directories."""

from __future__ import annotations

from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.alter_replica_log_dirs_response_data import AlterReplicaLogDirsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer


class AlterReplicaLogDirsRequest(AbstractRequest):
    """:origin: common.requests.AlterReplicaLogDirsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["AlterReplicaLogDirsRequest"]):
        """:origin: common.requests.AlterReplicaLogDirsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: AlterReplicaLogDirsRequestData) -> None:
            """:origin: common.requests.AlterReplicaLogDirsRequest.Builder#Builder(
                AlterReplicaLogDirsRequestData)
            """
            super().__init__(ApiKeys.ALTER_REPLICA_LOG_DIRS)
            self._data = data

        def build_version(self, version: int) -> AlterReplicaLogDirsRequest:
            """:origin: common.requests.AlterReplicaLogDirsRequest.Builder#build(short)"""
            return AlterReplicaLogDirsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AlterReplicaLogDirsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: AlterReplicaLogDirsRequestData, version: int) -> None:
        """:origin: common.requests.AlterReplicaLogDirsRequest#AlterReplicaLogDirsRequest(
            AlterReplicaLogDirsRequestData, short)
        """
        super().__init__(ApiKeys.ALTER_REPLICA_LOG_DIRS, version)
        self._data = data

    def data(self) -> AlterReplicaLogDirsRequestData:
        """:origin: common.requests.AlterReplicaLogDirsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> AlterReplicaLogDirsResponse:
        """:origin: common.requests.AlterReplicaLogDirsRequest#getErrorResponse(int, Throwable)"""
        error_code = Errors.for_exception(e).code
        return AlterReplicaLogDirsResponse(AlterReplicaLogDirsResponseData(
            results=[AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult(
                topic_name=topic.name,
                partitions=[AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult(
                    error_code=error_code, partition_index=partition) for partition in topic.partitions])
                for alter_dir in self._data.dirs for topic in alter_dir.topics],
            throttle_time_ms=throttle_time_ms))

    def partition_dirs(self) -> dict[TopicPartition, str]:
        """Return the target directory of each partition.

        :origin: common.requests.AlterReplicaLogDirsRequest#partitionDirs()
        """
        return {TopicPartition(topic.name, partition): alter_dir.path
                for alter_dir in self._data.dirs for topic in alter_dir.topics
                for partition in topic.partitions}

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterReplicaLogDirsRequest:
        """:origin: common.requests.AlterReplicaLogDirsRequest#parse(ByteBuffer, short)"""
        return AlterReplicaLogDirsRequest(AlterReplicaLogDirsRequestData.read(buffer, version), version)
