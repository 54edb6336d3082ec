# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetDeleteResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of deleting committed offsets, by partition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Callable, TypeVar

from kreactor.common.message.offset_delete_response_data import OffsetDeleteResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.nio_buffer import ByteBuffer

P = TypeVar("P")

OffsetDeleteResponseTopic = OffsetDeleteResponseData.OffsetDeleteResponseTopic
OffsetDeleteResponsePartition = OffsetDeleteResponseData.OffsetDeleteResponsePartition


class OffsetDeleteResponse(AbstractResponse):
    """:origin: common.requests.OffsetDeleteResponse"""

    class Builder:
        """Groups partitions by topic.

        :origin: common.requests.OffsetDeleteResponse.Builder
        """

        __slots__ = ("_data", "_by_topic_name")

        def __init__(self) -> None:
            self._data = OffsetDeleteResponseData()
            self._by_topic_name: dict[str, OffsetDeleteResponseTopic] = {}

        def _get_or_create_topic(self, topic_name: str) -> OffsetDeleteResponseTopic:
            """:origin: common.requests.OffsetDeleteResponse.Builder#getOrCreateTopic(String)"""
            topic = self._by_topic_name.get(topic_name)
            if topic is None:
                topic = OffsetDeleteResponseTopic(name=topic_name)
                self._data.topics.append(topic)
                self._by_topic_name[topic_name] = topic
            return topic

        def add_partition(self, topic_name: str, partition_index: int,
                          error: Errors) -> OffsetDeleteResponse.Builder:
            """Add one partition.

            :origin: common.requests.OffsetDeleteResponse.Builder#addPartition(String, int, Errors)
            """
            self._get_or_create_topic(topic_name).partitions.append(
                OffsetDeleteResponsePartition(partition_index=partition_index, error_code=error.code))
            return self

        def add_partitions(self, topic_name: str, partitions: Iterable[P],
                           partition_index: Callable[[P], int],
                           error: Errors) -> OffsetDeleteResponse.Builder:
            """Add ``partitions`` with the same error.

            :origin: common.requests.OffsetDeleteResponse.Builder#addPartitions(String, List<P>, Function<P,Integer>, Errors)
            """  # noqa: E501
            topic_response = self._get_or_create_topic(topic_name)
            for partition in partitions:
                topic_response.partitions.append(
                    OffsetDeleteResponsePartition(
                        partition_index=partition_index(partition), error_code=error.code))
            return self

        def merge(self, new_data: OffsetDeleteResponseData) -> OffsetDeleteResponse.Builder:
            """Add the coordinator's response. The two responses have different partitions.

            :origin: common.requests.OffsetDeleteResponse.Builder#merge(OffsetDeleteResponseData)
            """
            if new_data.error_code != Errors.NONE.code or not self._data.topics:
                # A response with a top-level error has no partitions.
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

        def build(self) -> OffsetDeleteResponse:
            """:origin: common.requests.OffsetDeleteResponse.Builder#build()"""
            return OffsetDeleteResponse(self._data)

    __slots__ = ("_data",)

    def __init__(self, data: OffsetDeleteResponseData) -> None:
        """:origin: common.requests.OffsetDeleteResponse#OffsetDeleteResponse(OffsetDeleteResponseData)"""
        super().__init__(ApiKeys.OFFSET_DELETE)
        self._data = data

    def data(self) -> OffsetDeleteResponseData:
        """:origin: common.requests.OffsetDeleteResponse#data()"""
        return self._data

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.OffsetDeleteResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        self._update_error_counts(counts, Errors.for_code(self._data.error_code))
        for topic in self._data.topics:
            for partition in topic.partitions:
                self._update_error_counts(counts, Errors.for_code(partition.error_code))
        return counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetDeleteResponse:
        """:origin: common.requests.OffsetDeleteResponse#parse(ByteBuffer, short)"""
        return OffsetDeleteResponse(OffsetDeleteResponseData.read(buffer, version))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.OffsetDeleteResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.OffsetDeleteResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.OffsetDeleteResponse#shouldClientThrottle(short)"""
        return version >= 0
