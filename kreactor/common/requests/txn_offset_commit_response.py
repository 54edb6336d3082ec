# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.TxnOffsetCommitResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of committing offsets in a transaction, by partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Callable, TypeVar

from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer

P = TypeVar("P")

TxnOffsetCommitResponseTopic = TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic
TxnOffsetCommitResponsePartition = (
    TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition)


class TxnOffsetCommitResponse(AbstractResponse):
    """:origin: common.requests.TxnOffsetCommitResponse"""

    class Builder:
        """Groups partitions by topic.

        :origin: common.requests.TxnOffsetCommitResponse.Builder
        """

        __slots__ = ("_data", "_by_topic_name")

        def __init__(self) -> None:
            self._data = TxnOffsetCommitResponseData()
            self._by_topic_name: dict[str, TxnOffsetCommitResponseTopic] = {}

        def _get_or_create_topic(self, topic_name: str) -> TxnOffsetCommitResponseTopic:
            """:origin: common.requests.TxnOffsetCommitResponse.Builder#getOrCreateTopic(String)"""
            topic = self._by_topic_name.get(topic_name)
            if topic is None:
                topic = TxnOffsetCommitResponseTopic(name=topic_name)
                self._data.topics.append(topic)
                self._by_topic_name[topic_name] = topic
            return topic

        def add_partition(self, topic_name: str, partition_index: int,
                          error: Errors) -> TxnOffsetCommitResponse.Builder:
            """Add one partition.

            :origin: common.requests.TxnOffsetCommitResponse.Builder#addPartition(String, int, Errors)
            """
            self._get_or_create_topic(topic_name).partitions.append(
                TxnOffsetCommitResponsePartition(partition_index=partition_index, error_code=error.code))
            return self

        def add_partitions(self, topic_name: str, partitions: Iterable[P],
                           partition_index: Callable[[P], int],
                           error: Errors) -> TxnOffsetCommitResponse.Builder:
            """Add ``partitions`` with the same error.

            :origin: common.requests.TxnOffsetCommitResponse.Builder#addPartitions(String, List<P>, Function<P,Integer>, Errors)
            """  # noqa: E501
            topic_response = self._get_or_create_topic(topic_name)
            for partition in partitions:
                topic_response.partitions.append(
                    TxnOffsetCommitResponsePartition(
                        partition_index=partition_index(partition), error_code=error.code))
            return self

        def merge(self, new_data: TxnOffsetCommitResponseData) -> TxnOffsetCommitResponse.Builder:
            """Add the coordinator's response. The two responses have different partitions.

            :origin: common.requests.TxnOffsetCommitResponse.Builder#merge(TxnOffsetCommitResponseData)
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

        def build(self) -> TxnOffsetCommitResponse:
            """:origin: common.requests.TxnOffsetCommitResponse.Builder#build()"""
            return TxnOffsetCommitResponse(self._data)

    __slots__ = ("_data",)

    def __init__(self, data: TxnOffsetCommitResponseData) -> None:
        """
        :origin: common.requests.TxnOffsetCommitResponse#TxnOffsetCommitResponse(TxnOffsetCommitResponseData)
        """
        super().__init__(ApiKeys.TXN_OFFSET_COMMIT)
        self._data = data

    @staticmethod
    def of(request_throttle_ms: int, response_data: Mapping[TopicPartition,
           Errors]) -> TxnOffsetCommitResponse:
        """Return a response with these errors.

        :origin: common.requests.TxnOffsetCommitResponse#TxnOffsetCommitResponse(int, Map<TopicPartition,Errors>)
        """  # noqa: E501
        builder = TxnOffsetCommitResponse.Builder()
        for topic_partition, error in response_data.items():
            builder.add_partition(topic_partition.topic(), topic_partition.partition(), error)
        response = builder.build()
        response._data.throttle_time_ms = request_throttle_ms
        return response

    def data(self) -> TxnOffsetCommitResponseData:
        """:origin: common.requests.TxnOffsetCommitResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.TxnOffsetCommitResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.TxnOffsetCommitResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.TxnOffsetCommitResponse#errorCounts()"""
        return self._error_counts_errors(
            Errors.for_code(partition.error_code)
            for topic in self._data.topics for partition in topic.partitions)

    def errors(self) -> dict[TopicPartition, Errors]:
        """Return the errors.

        :origin: common.requests.TxnOffsetCommitResponse#errors()
        """
        return {TopicPartition(topic.name, partition.partition_index): Errors.for_code(partition.error_code)
                for topic in self._data.topics for partition in topic.partitions}

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> TxnOffsetCommitResponse:
        """:origin: common.requests.TxnOffsetCommitResponse#parse(ByteBuffer, short)"""
        return TxnOffsetCommitResponse(TxnOffsetCommitResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.TxnOffsetCommitResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.TxnOffsetCommitResponse#shouldClientThrottle(short)"""
        return version >= 1
