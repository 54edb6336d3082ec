# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ElectLeadersRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to elect leaders of partitions."""

from __future__ import annotations

from collections.abc import Collection

from kreactor.common.election_type import ElectionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.elect_leaders_response import ElectLeadersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer


class ElectLeadersRequest(AbstractRequest):
    """:origin: common.requests.ElectLeadersRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ElectLeadersRequest"]):
        """:origin: common.requests.ElectLeadersRequest.Builder"""

        __slots__ = ("_election_type", "_topic_partitions", "_timeout_ms")

        def __init__(self, election_type: ElectionType, topic_partitions: Collection[TopicPartition] | None,
                     timeout_ms: int) -> None:
            """Request elections for ``topic_partitions``; None means all partitions.

            :origin: common.requests.ElectLeadersRequest.Builder#Builder(ElectionType, Collection<TopicPartition>, int)
            """  # noqa: E501
            super().__init__(ApiKeys.ELECT_LEADERS)
            self._election_type = election_type
            self._topic_partitions = topic_partitions
            self._timeout_ms = timeout_ms

        def build_version(self, version: int) -> ElectLeadersRequest:
            """:origin: common.requests.ElectLeadersRequest.Builder#build(short)"""
            return ElectLeadersRequest(self._to_request_data(version), version)

        def __str__(self) -> str:
            """:origin: common.requests.ElectLeadersRequest.Builder#toString()"""
            partitions = ("null" if self._topic_partitions is None
                          else MessageUtil.deep_to_string(self._topic_partitions))
            return (f"ElectLeadersRequest(electionType={self._election_type}, topicPartitions={partitions}, "
                    f"timeoutMs={self._timeout_ms})")

        def _to_request_data(self, version: int) -> ElectLeadersRequestData:
            """Return the data. Raises UnsupportedVersionException for an unclean election in version 0.

            :origin: common.requests.ElectLeadersRequest.Builder#toRequestData(short)
            """
            if self._election_type is not ElectionType.PREFERRED and version == 0:
                raise UnsupportedVersionException("API Version 0 only supports PREFERRED election type")

            data = ElectLeadersRequestData(timeout_ms=self._timeout_ms)
            if self._topic_partitions is not None:
                by_topic: dict[str, ElectLeadersRequestData.TopicPartitions] = {}
                for tp in self._topic_partitions:
                    tps = by_topic.setdefault(
                        tp.topic(), ElectLeadersRequestData.TopicPartitions(topic=tp.topic()))
                    tps.partitions.append(tp.partition())
                data.topic_partitions = list(by_topic.values())
            else:
                data.topic_partitions = None
            data.election_type = self._election_type.value
            return data

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
