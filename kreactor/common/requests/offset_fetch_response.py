# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetFetchResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The committed offsets of groups.

The error of a group is in its partitions in versions 0 and 1, at the top level in versions 2 to 7, and in the
group from version 8 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.nio_buffer import ByteBuffer

OffsetFetchResponseGroup = OffsetFetchResponseData.OffsetFetchResponseGroup
OffsetFetchResponsePartition = OffsetFetchResponseData.OffsetFetchResponsePartition
OffsetFetchResponsePartitions = OffsetFetchResponseData.OffsetFetchResponsePartitions
OffsetFetchResponseTopic = OffsetFetchResponseData.OffsetFetchResponseTopic
OffsetFetchResponseTopics = OffsetFetchResponseData.OffsetFetchResponseTopics


class OffsetFetchResponse(AbstractResponse):
    """:origin: common.requests.OffsetFetchResponse"""

    class PartitionData(NamedTuple):
        """:origin: common.requests.OffsetFetchResponse.PartitionData"""

        offset: int
        leader_epoch: int | None
        metadata: str | None
        error: Errors

        def has_error(self) -> bool:
            """:origin: common.requests.OffsetFetchResponse.PartitionData#hasError()"""
            return self.error is not Errors.NONE

        def __str__(self) -> str:
            """:origin: common.requests.OffsetFetchResponse.PartitionData#toString()"""
            epoch = RecordBatch.NO_PARTITION_LEADER_EPOCH if self.leader_epoch is None else self.leader_epoch
            return (f"PartitionData(offset={self.offset}, leaderEpoch={epoch}, metadata={self.metadata}, "
                    f"error='{self.error})")

    INVALID_OFFSET = -1
    NO_METADATA = ""
    UNKNOWN_PARTITION: ClassVar[PartitionData] = PartitionData(
        INVALID_OFFSET, None, NO_METADATA, Errors.UNKNOWN_TOPIC_OR_PARTITION)
    UNAUTHORIZED_PARTITION: ClassVar[PartitionData] = PartitionData(
        INVALID_OFFSET, None, NO_METADATA, Errors.TOPIC_AUTHORIZATION_FAILED)
    _PARTITION_ERRORS = (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.TOPIC_AUTHORIZATION_FAILED)

    __slots__ = ("_data", "_error", "_group_level_errors")

    @staticmethod
    def of(error: Errors, response_data: Mapping[TopicPartition, PartitionData],
           throttle_time_ms: int = AbstractResponse.DEFAULT_THROTTLE_TIME) -> OffsetFetchResponse:
        """Return a response of version 7 or below.

        :origin: common.requests.OffsetFetchResponse#OffsetFetchResponse(Errors, Map<TopicPartition,PartitionData>)
        :origin: common.requests.OffsetFetchResponse#OffsetFetchResponse(int, Errors, Map<TopicPartition,PartitionData>)
        """  # noqa: E501
        topics: dict[str, OffsetFetchResponseTopic] = {}
        for topic_partition, partition_data in response_data.items():
            name = topic_partition.topic()
            topics.setdefault(name, OffsetFetchResponseTopic(name=name)).partitions.append(
                OffsetFetchResponsePartition(
                    partition_index=topic_partition.partition(), error_code=partition_data.error.code,
                    committed_offset=partition_data.offset,
                    committed_leader_epoch=_epoch_or_none(partition_data.leader_epoch),
                    metadata=partition_data.metadata))
        response = OffsetFetchResponse(OffsetFetchResponseData(
            topics=list(topics.values()), error_code=error.code, throttle_time_ms=throttle_time_ms), 2)
        response._error = error
        return response

    @staticmethod
    def of_groups(throttle_time_ms: int, errors: Mapping[str, Errors],
                  response_data: Mapping[str, Mapping[TopicPartition, PartitionData]]) -> OffsetFetchResponse:
        """Return a response of version 8 or above.

        :origin: common.requests.OffsetFetchResponse#OffsetFetchResponse(int, Map<String,Errors>, Map<String,Map<TopicPartition,PartitionData>>)
        """  # noqa: E501
        groups = []
        for group_name, partition_data_map in response_data.items():
            topics: dict[str, OffsetFetchResponseTopics] = {}
            for topic_partition, partition_data in partition_data_map.items():
                name = topic_partition.topic()
                topics.setdefault(name, OffsetFetchResponseTopics(name=name)).partitions.append(
                    OffsetFetchResponsePartitions(
                        partition_index=topic_partition.partition(), error_code=partition_data.error.code,
                        committed_offset=partition_data.offset,
                        committed_leader_epoch=_epoch_or_none(partition_data.leader_epoch),
                        metadata=partition_data.metadata))
            groups.append(OffsetFetchResponseGroup(
                group_id=group_name, topics=list(topics.values()), error_code=errors[group_name].code))
        return OffsetFetchResponse(
            OffsetFetchResponseData(groups=groups, throttle_time_ms=throttle_time_ms), 8)

    @staticmethod
    def of_version(groups: list[OffsetFetchResponseGroup], version: int) -> OffsetFetchResponse:
        """Return a response of ``version``.

        Raises UnsupportedVersionException for several groups below version 8.

        :origin: common.requests.OffsetFetchResponse#OffsetFetchResponse(List<OffsetFetchResponseGroup>, short)
        """  # noqa: E501
        if version >= 8:
            return OffsetFetchResponse(OffsetFetchResponseData(groups=groups), version)
        if len(groups) != 1:
            raise UnsupportedVersionException(
                f"Version {version} of OffsetFetchResponse only supports one group.")
        group = groups[0]
        data = OffsetFetchResponseData(error_code=group.error_code)
        for topic in group.topics:
            new_topic = OffsetFetchResponseTopic(name=topic.name)
            data.topics.append(new_topic)
            for partition in topic.partitions:
                if version < 2 and group.error_code != Errors.NONE.code:
                    new_partition = OffsetFetchResponsePartition(
                        partition_index=partition.partition_index, error_code=group.error_code,
                        committed_offset=OffsetFetchResponse.INVALID_OFFSET,
                        metadata=OffsetFetchResponse.NO_METADATA,
                        committed_leader_epoch=RecordBatch.NO_PARTITION_LEADER_EPOCH)
                else:
                    new_partition = OffsetFetchResponsePartition(
                        partition_index=partition.partition_index, error_code=partition.error_code,
                        committed_offset=partition.committed_offset, metadata=partition.metadata,
                        committed_leader_epoch=partition.committed_leader_epoch)
                new_topic.partitions.append(new_partition)
        response = OffsetFetchResponse(data, version)
        response._error = Errors.for_code(group.error_code)
        return response

    def __init__(self, data: OffsetFetchResponseData, version: int) -> None:
        """Keep the data of a response of ``version``, and read the errors at their level.

        :origin: common.requests.OffsetFetchResponse#OffsetFetchResponse(OffsetFetchResponseData, short)
        """
        super().__init__(ApiKeys.OFFSET_FETCH)
        self._data = data
        self._error: Errors | None = None
        self._group_level_errors: dict[str, Errors] = {}
        if version < 8:
            self._error = Errors.for_code(data.error_code) if version >= 2 else self._top_level_error(data)
        else:
            for group in data.groups:
                self._group_level_errors[group.group_id] = Errors.for_code(group.error_code)

    @staticmethod
    def _top_level_error(data: OffsetFetchResponseData) -> Errors:
        """Return the group's error, which its partitions have.

        :origin: common.requests.OffsetFetchResponse#topLevelError(OffsetFetchResponseData)
        """
        for topic in data.topics:
            for partition in topic.partitions:
                partition_error = Errors.for_code(partition.error_code)
                if (partition_error is not Errors.NONE
                        and partition_error not in OffsetFetchResponse._PARTITION_ERRORS):
                    return partition_error
        return Errors.NONE

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.OffsetFetchResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.OffsetFetchResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def has_error(self) -> bool:
        """Return whether a response of version 7 or below has a top-level error.

        :origin: common.requests.OffsetFetchResponse#hasError()
        """
        return self._error is not Errors.NONE

    def group_has_error(self, group_id: str) -> bool:
        """Return whether the group has an error.

        :origin: common.requests.OffsetFetchResponse#groupHasError(String)
        """
        error = self._group_level_errors.get(group_id)
        if error is None:
            return self._error is not None and self._error is not Errors.NONE
        return error is not Errors.NONE

    def error(self) -> Errors | None:
        """Return the top-level error, None from version 8 on.

        :origin: common.requests.OffsetFetchResponse#error()
        """
        return self._error

    def group_level_error(self, group_id: str) -> Errors | None:
        """Return the error of the group, None for a group that is not in the response.

        :origin: common.requests.OffsetFetchResponse#groupLevelError(String)
        """
        if self._error is not None:
            return self._error
        return self._group_level_errors.get(group_id)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.OffsetFetchResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        if self._group_level_errors:
            for error in self._group_level_errors.values():
                self._update_error_counts(counts, error)
            for group in self._data.groups:
                for topics in group.topics:
                    for partitions in topics.partitions:
                        self._update_error_counts(counts, Errors.for_code(partitions.error_code))
        else:
            # DEVIATION D130: a response of version 8 without groups has no error to count. The origin counts
            # null, fails in the metrics, and sends no response.
            if self._error is not None:
                self._update_error_counts(counts, self._error)
            for topic in self._data.topics:
                for partition in topic.partitions:
                    self._update_error_counts(counts, Errors.for_code(partition.error_code))
        return counts

    def response_data_v0_to_v7(self) -> dict[TopicPartition, PartitionData]:
        """Return the offsets of a response of version 7 or below.

        :origin: common.requests.OffsetFetchResponse#responseDataV0ToV7()
        """
        return {
            TopicPartition(topic.name, partition.partition_index): OffsetFetchResponse.PartitionData(
                partition.committed_offset, RequestUtils.get_leader_epoch(partition.committed_leader_epoch),
                partition.metadata, Errors.for_code(partition.error_code))
            for topic in self._data.topics for partition in topic.partitions}

    def _build_response_data(self, group_id: str) -> dict[TopicPartition, PartitionData]:
        """:origin: common.requests.OffsetFetchResponse#buildResponseData(String)"""
        group = next(g for g in self._data.groups if g.group_id == group_id)
        return {
            TopicPartition(topic.name, partition.partition_index): OffsetFetchResponse.PartitionData(
                partition.committed_offset, RequestUtils.get_leader_epoch(partition.committed_leader_epoch),
                partition.metadata, Errors.for_code(partition.error_code))
            for topic in group.topics for partition in topic.partitions}

    def partition_data_map(self, group_id: str) -> dict[TopicPartition, PartitionData]:
        """Return the offsets of a group in a response of any version.

        :origin: common.requests.OffsetFetchResponse#partitionDataMap(String)
        """
        if not self._group_level_errors:
            return self.response_data_v0_to_v7()
        return self._build_response_data(group_id)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetFetchResponse:
        """:origin: common.requests.OffsetFetchResponse#parse(ByteBuffer, short)"""
        return OffsetFetchResponse(OffsetFetchResponseData.read(buffer, version), version)

    def data(self) -> OffsetFetchResponseData:
        """:origin: common.requests.OffsetFetchResponse#data()"""
        return self._data

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.OffsetFetchResponse#shouldClientThrottle(short)"""
        return version >= 4


def _epoch_or_none(leader_epoch: int | None) -> int:
    return RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None else leader_epoch
