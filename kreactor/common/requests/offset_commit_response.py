# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetCommitResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of an offset commit, by partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Callable, TypeVar

from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer

P = TypeVar("P")

OffsetCommitResponseTopic = OffsetCommitResponseData.OffsetCommitResponseTopic
OffsetCommitResponsePartition = OffsetCommitResponseData.OffsetCommitResponsePartition


class OffsetCommitResponse(AbstractResponse):
    """:origin: common.requests.OffsetCommitResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: OffsetCommitResponseData) -> None:
        """:origin: common.requests.OffsetCommitResponse#OffsetCommitResponse(OffsetCommitResponseData)"""
        super().__init__(ApiKeys.OFFSET_COMMIT)
        self._data = data

    @staticmethod
    def of(request_throttle_ms: int, response_data: Mapping[TopicPartition, Errors]) -> OffsetCommitResponse:
        """Return a response with these errors.

        :origin: common.requests.OffsetCommitResponse#OffsetCommitResponse(int, Map<TopicPartition,Errors>)
        """
        builder = OffsetCommitResponse.Builder()
        for topic_partition, error in response_data.items():
            builder.add_partition(topic_partition.topic(), topic_partition.partition(), error)
        response = builder.build()
        response._data.throttle_time_ms = request_throttle_ms
        return response

    def data(self) -> OffsetCommitResponseData:
        """:origin: common.requests.OffsetCommitResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.OffsetCommitResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.topics for partition in topic.partitions)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetCommitResponse:
        """:origin: common.requests.OffsetCommitResponse#parse(ByteBuffer, short)"""
        return OffsetCommitResponse(OffsetCommitResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.OffsetCommitResponse#toString()"""
        return str(self._data)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.OffsetCommitResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.OffsetCommitResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.OffsetCommitResponse#shouldClientThrottle(short)"""
        return version >= 4

    class Builder:
        """Groups partitions by topic.

        :origin: common.requests.OffsetCommitResponse.Builder
        """

        __slots__ = ("_data", "_by_topic_name")

        def __init__(self) -> None:
            self._data = OffsetCommitResponseData()
            self._by_topic_name: dict[str, OffsetCommitResponseTopic] = {}

        def _get_or_create_topic(self, topic_name: str) -> OffsetCommitResponseTopic:
            """:origin: common.requests.OffsetCommitResponse.Builder#getOrCreateTopic(String)"""
            topic = self._by_topic_name.get(topic_name)
            if topic is None:
                topic = OffsetCommitResponseTopic(name=topic_name)
                self._data.topics.append(topic)
                self._by_topic_name[topic_name] = topic
            return topic

        def add_partition(self, topic_name: str, partition_index: int,
                          error: Errors) -> OffsetCommitResponse.Builder:
            """Add one partition.

            :origin: common.requests.OffsetCommitResponse.Builder#addPartition(String, int, Errors)
            """
            self._get_or_create_topic(topic_name).partitions.append(
                OffsetCommitResponsePartition(partition_index=partition_index, error_code=error.code))
            return self

        def add_partitions(self, topic_name: str, partitions: Iterable[P],
                           partition_index: Callable[[P], int],
                           error: Errors) -> OffsetCommitResponse.Builder:
            """Add ``partitions`` with the same error.

            :origin: common.requests.OffsetCommitResponse.Builder#addPartitions(String, List<P>, Function<P,Integer>, Errors)
            """  # noqa: E501
            topic_response = self._get_or_create_topic(topic_name)
            for partition in partitions:
                topic_response.partitions.append(
                    OffsetCommitResponsePartition(
                        partition_index=partition_index(partition), error_code=error.code))
            return self

        def merge(self, new_data: OffsetCommitResponseData) -> OffsetCommitResponse.Builder:
            """Add the coordinator's response. The two responses have different partitions.

            :origin: common.requests.OffsetCommitResponse.Builder#merge(OffsetCommitResponseData)
            """
            if not self._data.topics:
                self._data = new_data
            else:
                for new_topic in new_data.topics:
                    existing_topic = self._by_topic_name.get(new_topic.name)
                    if existing_topic is None:
                        self._data.topics.append(new_topic)
                        self._by_topic_name[new_topic.name] = new_topic
                    else:
                        existing_topic.partitions.extend(new_topic.partitions)
            return self

        def build(self) -> OffsetCommitResponse:
            """:origin: common.requests.OffsetCommitResponse.Builder#build()"""
            return OffsetCommitResponse(self._data)
