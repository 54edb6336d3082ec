# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterReplicaLogDirsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of moving partitions, by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.alter_replica_log_dirs_response_data import AlterReplicaLogDirsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class AlterReplicaLogDirsResponse(AbstractResponse):
    """:origin: common.requests.AlterReplicaLogDirsResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: AlterReplicaLogDirsResponseData) -> None:
        """:origin: common.requests.AlterReplicaLogDirsResponse#AlterReplicaLogDirsResponse(
            AlterReplicaLogDirsResponseData)
        """
        super().__init__(ApiKeys.ALTER_REPLICA_LOG_DIRS)
        self._data = data

    def data(self) -> AlterReplicaLogDirsResponseData:
        """:origin: common.requests.AlterReplicaLogDirsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AlterReplicaLogDirsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AlterReplicaLogDirsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AlterReplicaLogDirsResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.results for partition in topic.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterReplicaLogDirsResponse:
        """:origin: common.requests.AlterReplicaLogDirsResponse#parse(ByteBuffer, short)"""
        return AlterReplicaLogDirsResponse(AlterReplicaLogDirsResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AlterReplicaLogDirsResponse#shouldClientThrottle(short)"""
        return version >= 1
