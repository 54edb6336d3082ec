# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ElectLeadersRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Partitions that are to have their leaders elected."""

from __future__ import annotations

from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.elect_leaders_response import ElectLeadersResponse
from kreactor.jdk.nio_buffer import ByteBuffer

OMITTED = {
    "common.requests.ElectLeadersRequest.Builder#Builder(ElectionType, Collection<TopicPartition>, int)":
        "takes what the admin client has",
    **{f"common.requests.ElectLeadersRequest.Builder#{name}":
        "the builder takes the data, which has it" for name in (
            "electionType", "topicPartitions", "timeoutMs")},
    "common.requests.ElectLeadersRequest.Builder#toRequestData(short)": "the builder takes the data",
}


class ElectLeadersRequest(AbstractRequest):
    """:origin: common.requests.ElectLeadersRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ElectLeadersRequest"]):
        """:origin: common.requests.ElectLeadersRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ElectLeadersRequestData) -> None:
            """:origin: common.requests.ElectLeadersRequest.Builder#Builder(ElectLeadersRequestData)"""
            super().__init__(ApiKeys.ELECT_LEADERS)
            self._data = data

        def build_version(self, version: int) -> ElectLeadersRequest:
            """:origin: common.requests.ElectLeadersRequest.Builder#build(short)"""
            return ElectLeadersRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ElectLeadersRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ElectLeadersRequestData, version: int) -> None:
        """:origin: common.requests.ElectLeadersRequest#ElectLeadersRequest(ElectLeadersRequestData, short)"""
        super().__init__(ApiKeys.ELECT_LEADERS, version)
        self._data = data

    def data(self) -> ElectLeadersRequestData:
        """:origin: common.requests.ElectLeadersRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> ElectLeadersResponse:
        """:origin: common.requests.ElectLeadersRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return ElectLeadersResponse.of(
            throttle_time_ms, error.error().code,
            [ElectLeadersResponseData.ReplicaElectionResult(
                topic=topic.topic,
                partition_result=[ElectLeadersResponseData.PartitionResult(
                    partition_id=partition_id, error_code=error.error().code, error_message=error.message())
                    for partition_id in topic.partitions])
                for topic in self._data.topic_partitions or ()],
            self.version())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ElectLeadersRequest:
        """:origin: common.requests.ElectLeadersRequest#parse(ByteBuffer, short)"""
        return ElectLeadersRequest(ElectLeadersRequestData.read(buffer, version), version)
