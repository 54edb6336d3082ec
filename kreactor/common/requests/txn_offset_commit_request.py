# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.TxnOffsetCommitRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to commit a group's offsets in a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer

TxnOffsetCommitRequestTopic = TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic
TxnOffsetCommitRequestPartition = TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition
TxnOffsetCommitResponseTopic = TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic


class TxnOffsetCommitRequest(AbstractRequest):
    """:origin: common.requests.TxnOffsetCommitRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["TxnOffsetCommitRequest"]):
        """:origin: common.requests.TxnOffsetCommitRequest.Builder"""

        __slots__ = ("data",)

        @staticmethod
        def of(transactional_id: str, consumer_group_id: str, producer_id: int, producer_epoch: int,
               pending_txn_offset_commits: Mapping[TopicPartition, TxnOffsetCommitRequest.CommittedOffset],
               member_id: str = JoinGroupRequest.UNKNOWN_MEMBER_ID,
               generation_id: int = JoinGroupRequest.UNKNOWN_GENERATION_ID,
               group_instance_id: str | None = None) -> TxnOffsetCommitRequest.Builder:
            """Return the builder of a request with these offsets.

            :origin: common.requests.TxnOffsetCommitRequest.Builder#Builder(String, String, long, short, Map<TopicPartition,CommittedOffset>)
            :origin: common.requests.TxnOffsetCommitRequest.Builder#Builder(String, String, long, short, Map<TopicPartition,CommittedOffset>, String, int, Optional<String>)
            """  # noqa: E501
            return TxnOffsetCommitRequest.Builder(TxnOffsetCommitRequestData(
                transactional_id=transactional_id, group_id=consumer_group_id, producer_id=producer_id,
                producer_epoch=producer_epoch, member_id=member_id, generation_id=generation_id,
                group_instance_id=group_instance_id,
                topics=TxnOffsetCommitRequest.get_topics(pending_txn_offset_commits)))

        def __init__(self, data: TxnOffsetCommitRequestData) -> None:
            """
            :origin: common.requests.TxnOffsetCommitRequest.Builder#Builder(TxnOffsetCommitRequestData)
            """
            super().__init__(ApiKeys.TXN_OFFSET_COMMIT)
            self.data = data

        def build_version(self, version: int) -> TxnOffsetCommitRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.TxnOffsetCommitRequest.Builder#build(short)
            """
            if version < 3 and self._group_metadata_set():
                raise UnsupportedVersionException(
                    f"Broker doesn't support group metadata commit API on version {version}, minimum "
                    "supported request version is 3 which requires brokers to be on version 2.5 or above.")
            return TxnOffsetCommitRequest(self.data, version)

        def _group_metadata_set(self) -> bool:
            """:origin: common.requests.TxnOffsetCommitRequest.Builder#groupMetadataSet()"""
            return (self.data.member_id != JoinGroupRequest.UNKNOWN_MEMBER_ID
                    or self.data.generation_id != JoinGroupRequest.UNKNOWN_GENERATION_ID
                    or self.data.group_instance_id is not None)

        def __str__(self) -> str:
            """:origin: common.requests.TxnOffsetCommitRequest.Builder#toString()"""
            return str(self.data)

    def __init__(self, data: TxnOffsetCommitRequestData, version: int) -> None:
        """:origin: common.requests.TxnOffsetCommitRequest#TxnOffsetCommitRequest(TxnOffsetCommitRequestData,
            short)
        """
        super().__init__(ApiKeys.TXN_OFFSET_COMMIT, version)
        self._data = data

    def offsets(self) -> dict[TopicPartition, TxnOffsetCommitRequest.CommittedOffset]:
        """Return the offsets.

        :origin: common.requests.TxnOffsetCommitRequest#offsets()
        """
        return {
            TopicPartition(topic.name, partition.partition_index): TxnOffsetCommitRequest.CommittedOffset(
                partition.committed_offset, partition.committed_metadata,
                RequestUtils.get_leader_epoch(partition.committed_leader_epoch))
            for topic in self._data.topics for partition in topic.partitions}

    @staticmethod
    def get_topics(
        pending_txn_offset_commits: Mapping[TopicPartition, TxnOffsetCommitRequest.CommittedOffset],
    ) -> list[TxnOffsetCommitRequestTopic]:
        """Return the request's entries for offsets.

        :origin: common.requests.TxnOffsetCommitRequest#getTopics(Map<TopicPartition,CommittedOffset>)
        """
        topic_partition_map: dict[str, list[TxnOffsetCommitRequestPartition]] = {}
        for topic_partition, offset in pending_txn_offset_commits.items():
            partitions = topic_partition_map.setdefault(topic_partition.topic(), [])
            partitions.append(TxnOffsetCommitRequestPartition(
                partition_index=topic_partition.partition(), committed_offset=offset.offset,
                committed_leader_epoch=(RecordBatch.NO_PARTITION_LEADER_EPOCH if offset.leader_epoch is None
                                        else offset.leader_epoch),
                committed_metadata=offset.metadata))
        return [TxnOffsetCommitRequestTopic(name=name, partitions=partitions)
                for name, partitions in topic_partition_map.items()]

    def data(self) -> TxnOffsetCommitRequestData:
        """:origin: common.requests.TxnOffsetCommitRequest#data()"""
        return self._data

    @staticmethod
    def get_error_response_topics(request_topics: Iterable[TxnOffsetCommitRequestTopic],
                                  e: Errors) -> list[TxnOffsetCommitResponseTopic]:
        """Return the topics of a response with ``e`` for all partitions.

        :origin: common.requests.TxnOffsetCommitRequest#getErrorResponseTopics(List<TxnOffsetCommitRequestTopic>, Errors)
        """  # noqa: E501
        return [
            TxnOffsetCommitResponseTopic(name=entry.name, partitions=[
                TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                    partition_index=request_partition.partition_index, error_code=e.code)
                for request_partition in entry.partitions])
            for entry in request_topics]

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> TxnOffsetCommitResponse:
        """:origin: common.requests.TxnOffsetCommitRequest#getErrorResponse(int, Throwable)"""
        response_topic_data = self.get_error_response_topics(self._data.topics, Errors.for_exception(e))
        return TxnOffsetCommitResponse(TxnOffsetCommitResponseData(
            throttle_time_ms=throttle_time_ms, topics=response_topic_data))

    @staticmethod
    def get_error_response_data(request: TxnOffsetCommitRequestData,
                                error: Errors) -> TxnOffsetCommitResponseData:
        """Return the data of a response with ``error`` for all partitions.

        :origin: common.requests.TxnOffsetCommitRequest#getErrorResponse(TxnOffsetCommitRequestData, Errors)
        """
        return TxnOffsetCommitResponseData(
            topics=TxnOffsetCommitRequest.get_error_response_topics(request.topics, error))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> TxnOffsetCommitRequest:
        """:origin: common.requests.TxnOffsetCommitRequest#parse(ByteBuffer, short)"""
        return TxnOffsetCommitRequest(TxnOffsetCommitRequestData.read(buffer, version), version)

    class CommittedOffset(NamedTuple):
        """:origin: common.requests.TxnOffsetCommitRequest.CommittedOffset"""

        offset: int
        metadata: str | None
        leader_epoch: int | None

        def __str__(self) -> str:
            """:origin: common.requests.TxnOffsetCommitRequest.CommittedOffset#toString()"""
            epoch = "Optional.empty" if self.leader_epoch is None else f"Optional[{self.leader_epoch}]"
            return f"CommittedOffset(offset={self.offset}, leaderEpoch={epoch}, metadata='{self.metadata}')"
