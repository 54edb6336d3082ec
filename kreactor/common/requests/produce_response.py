# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ProduceResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of appends: an offset or an error for each partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.common.node import Node
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.jdk.nio_buffer import ByteBuffer

TopicProduceResponse = ProduceResponseData.TopicProduceResponse
PartitionProduceResponse = ProduceResponseData.PartitionProduceResponse


class ProduceResponse(AbstractResponse):
    """:origin: common.requests.ProduceResponse"""

    __slots__ = ("_data",)

    INVALID_OFFSET = -1

    def __init__(self, produce_response_data: ProduceResponseData) -> None:
        """:origin: common.requests.ProduceResponse#ProduceResponse(ProduceResponseData)"""
        super().__init__(ApiKeys.PRODUCE)
        self._data = produce_response_data

    @staticmethod
    def of(responses: Mapping[TopicPartition, ProduceResponse.PartitionResponse],
           throttle_time_ms: int = AbstractResponse.DEFAULT_THROTTLE_TIME,
           node_endpoints: Iterable[Node] = ()) -> ProduceResponse:
        """Return the response with ``responses`` and the endpoints of current leaders.

        :origin: common.requests.ProduceResponse#ProduceResponse(Map<TopicPartition,PartitionResponse>)
        :origin: common.requests.ProduceResponse#ProduceResponse(Map<TopicPartition,PartitionResponse>, int)
        :origin: common.requests.ProduceResponse#ProduceResponse(Map<TopicPartition,PartitionResponse>, int,
            List<Node>)
        """
        return ProduceResponse(ProduceResponse._to_data(responses, throttle_time_ms, node_endpoints))

    @staticmethod
    def _to_data(responses: Mapping[TopicPartition, ProduceResponse.PartitionResponse], throttle_time_ms: int,
                 node_endpoints: Iterable[Node]) -> ProduceResponseData:
        """:origin: common.requests.ProduceResponse#toData(Map<TopicPartition,PartitionResponse>, int,
            List<Node>)
        """
        data = ProduceResponseData(responses=[], throttle_time_ms=throttle_time_ms, node_endpoints=[])
        topics: dict[str, ProduceResponseData.TopicProduceResponse] = {}
        for topic_partition, response in responses.items():
            name = topic_partition.topic()
            topic = topics.get(name)
            if topic is None:
                topics[name] = topic = TopicProduceResponse(name=name, partition_responses=[])
                data.responses.append(topic)
            topic.partition_responses.append(PartitionProduceResponse(
                index=topic_partition.partition(),
                base_offset=response.base_offset,
                log_start_offset=response.log_start_offset,
                log_append_time_ms=response.log_append_time,
                error_message=response.error_message,
                error_code=response.error.code,
                current_leader=response.current_leader,
                record_errors=[
                    ProduceResponseData.BatchIndexAndErrorMessage(
                        batch_index=error.batch_index, batch_index_error_message=error.message)
                    for error in response.record_errors] if response.record_errors else []))
        for endpoint in node_endpoints:
            data.node_endpoints.append(ProduceResponseData.NodeEndpoint(
                node_id=endpoint.id(), host=endpoint.host() or "", port=endpoint.port(),
                rack=endpoint.rack()))
        return data

    def data(self) -> ProduceResponseData:
        """:origin: common.requests.ProduceResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ProduceResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ProduceResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ProduceResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        for topic in self._data.responses:
            for partition in topic.partition_responses:
                error = Errors.for_code(partition.error_code)
                error_counts[error] = error_counts.get(error, 0) + 1
        return error_counts

    class PartitionResponse:
        """The result for one partition's batch. Times are in milliseconds.

        :origin: common.requests.ProduceResponse.PartitionResponse
        """

        __slots__ = ("error", "base_offset", "last_offset", "log_append_time", "log_start_offset",
                     "record_errors", "error_message", "current_leader")

        def __init__(self, error: Errors, base_offset: int = -1,
                     log_append_time: int = RecordBatch.NO_TIMESTAMP, log_start_offset: int = -1,
                     record_errors: list[ProduceResponse.RecordError] | None = None,
                     error_message: str | None = None, last_offset: int = -1,
                     current_leader: ProduceResponseData.LeaderIdAndEpoch | None = None) -> None:
            """:origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, String)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, long, long,
                long)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, long, long,
                long, List<RecordError>)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, long, long,
                long, List<RecordError>, String)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, long, long,
                long, long, List<RecordError>, String)
            :origin: common.requests.ProduceResponse.PartitionResponse#PartitionResponse(Errors, long, long,
                long, long, List<RecordError>, String, LeaderIdAndEpoch)
            """
            self.error = error
            self.base_offset = base_offset
            self.last_offset = last_offset
            self.log_append_time = log_append_time
            self.log_start_offset = log_start_offset
            self.record_errors = [] if record_errors is None else record_errors
            self.error_message = error_message
            self.current_leader = (
                ProduceResponseData.LeaderIdAndEpoch() if current_leader is None else current_leader)

        def __eq__(self, other: object) -> bool:
            """:origin: common.requests.ProduceResponse.PartitionResponse#equals(Object)"""
            return (isinstance(other, ProduceResponse.PartitionResponse)
                    and self.base_offset == other.base_offset and self.last_offset == other.last_offset
                    and self.log_append_time == other.log_append_time
                    and self.log_start_offset == other.log_start_offset and self.error is other.error
                    and self.record_errors == other.record_errors
                    and self.error_message == other.error_message
                    and self.current_leader == other.current_leader)

        def __hash__(self) -> int:
            """:origin: common.requests.ProduceResponse.PartitionResponse#hashCode()"""
            return hash((self.error, self.base_offset, self.last_offset, self.log_append_time,
                         self.log_start_offset, self.error_message))

        def __str__(self) -> str:
            """:origin: common.requests.ProduceResponse.PartitionResponse#toString()"""
            message = "null" if self.error_message is None else self.error_message
            return (f"{{error: {self.error},offset: {self.base_offset},lastOffset: {self.last_offset},"
                    f"logAppendTime: {self.log_append_time}, logStartOffset: {self.log_start_offset}, "
                    f"recordErrors: {self.record_errors}, currentLeader: {self.current_leader}, "
                    f"errorMessage: {message}}}")

        __repr__ = __str__

    class RecordError:
        """The error of one refused record of a batch. Immutable.

        :origin: common.requests.ProduceResponse.RecordError
        """

        __slots__ = ("batch_index", "message")

        def __init__(self, batch_index: int, message: str | None = None) -> None:
            """:origin: common.requests.ProduceResponse.RecordError#RecordError(int, String)
            :origin: common.requests.ProduceResponse.RecordError#RecordError(int)
            """
            self.batch_index = batch_index
            self.message = message

        def __eq__(self, other: object) -> bool:
            """:origin: common.requests.ProduceResponse.RecordError#equals(Object)"""
            return (isinstance(other, ProduceResponse.RecordError) and self.batch_index == other.batch_index
                    and self.message == other.message)

        def __hash__(self) -> int:
            """:origin: common.requests.ProduceResponse.RecordError#hashCode()"""
            return hash((self.batch_index, self.message))

        def __str__(self) -> str:
            """:origin: common.requests.ProduceResponse.RecordError#toString()"""
            message = "null" if self.message is None else f"'{self.message}'"
            return f"RecordError(batchIndex={self.batch_index}, message={message})"

        __repr__ = __str__

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ProduceResponse:
        """:origin: common.requests.ProduceResponse#parse(ByteBuffer, short)"""
        return ProduceResponse(ProduceResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ProduceResponse#shouldClientThrottle(short)"""
        return version >= 6
