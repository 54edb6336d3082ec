# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The end offsets of leader epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class OffsetsForLeaderEpochResponse(AbstractResponse):
    """:origin: common.requests.OffsetsForLeaderEpochResponse"""

    __slots__ = ("_data",)

    UNDEFINED_EPOCH_OFFSET = RecordBatch.NO_PARTITION_LEADER_EPOCH
    UNDEFINED_EPOCH = RecordBatch.NO_PARTITION_LEADER_EPOCH

    def __init__(self, data: OffsetForLeaderEpochResponseData) -> None:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#OffsetsForLeaderEpochResponse(
            OffsetForLeaderEpochResponseData)
        """
        super().__init__(ApiKeys.OFFSET_FOR_LEADER_EPOCH)
        self._data = data

    def data(self) -> OffsetForLeaderEpochResponseData:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.topics for partition in topic.partitions)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetsForLeaderEpochResponse:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#parse(ByteBuffer, short)"""
        return OffsetsForLeaderEpochResponse(OffsetForLeaderEpochResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.OffsetsForLeaderEpochResponse#toString()"""
        return str(self._data)
