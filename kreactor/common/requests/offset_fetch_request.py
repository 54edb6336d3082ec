# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.OffsetFetchRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for committed offsets: of one group up to version 7, of several from version 8 on.

Without topics it is for all partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.nio_buffer import ByteBuffer

OffsetFetchRequestGroup = OffsetFetchRequestData.OffsetFetchRequestGroup
OffsetFetchRequestTopic = OffsetFetchRequestData.OffsetFetchRequestTopic
OffsetFetchRequestTopics = OffsetFetchRequestData.OffsetFetchRequestTopics

log = LogContext().logger(f"{__name__}.OffsetFetchRequest")


class OffsetFetchRequest(AbstractRequest):
    """:origin: common.requests.OffsetFetchRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["OffsetFetchRequest"]):
        """:origin: common.requests.OffsetFetchRequest.Builder"""

        __slots__ = ("data", "_throw_on_fetch_stable_offsets_unsupported")

        def __init__(self, group_id: str, require_stable: bool, partitions: Iterable[TopicPartition] | None,
                     throw_on_fetch_stable_offsets_unsupported: bool, member_id: str | None = None,
                     member_epoch: int = -1) -> None:
            """Request the offsets of one group. None as ``partitions`` means all.

            :origin: common.requests.OffsetFetchRequest.Builder#Builder(String, boolean, List<TopicPartition>, boolean)
            :origin: common.requests.OffsetFetchRequest.Builder#Builder(String, String, int, boolean, List<TopicPartition>, boolean)
            """  # noqa: E501
            super().__init__(ApiKeys.OFFSET_FETCH)
            group = OffsetFetchRequestGroup(group_id=group_id, member_id=member_id, member_epoch=member_epoch,
                                            topics=_topics_of(partitions))
            self.data = OffsetFetchRequestData(require_stable=require_stable, groups=[group])
            self._throw_on_fetch_stable_offsets_unsupported = throw_on_fetch_stable_offsets_unsupported

        @staticmethod
        def of(group_id_to_topic_partition_map: Mapping[str, Iterable[TopicPartition] | None],
               require_stable: bool,
               throw_on_fetch_stable_offsets_unsupported: bool) -> OffsetFetchRequest.Builder:
            """Return a builder of a request for several groups.

            :origin: common.requests.OffsetFetchRequest.Builder#Builder(Map<String,List<TopicPartition>>, boolean, boolean)
            """  # noqa: E501
            builder = OffsetFetchRequest.Builder(
                "", require_stable, None, throw_on_fetch_stable_offsets_unsupported)
            builder.data.groups = [
                OffsetFetchRequestGroup(group_id=group_name, topics=_topics_of(tp_list))
                for group_name, tp_list in group_id_to_topic_partition_map.items()]
            return builder

        def build_version(self, version: int) -> OffsetFetchRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            Raises its subclass NoBatchedOffsetFetchRequestException for several groups below version 8.

            :origin: common.requests.OffsetFetchRequest.Builder#build(short)
            """
            data = self.data
            if len(data.groups) > 1 and version < 8:
                raise OffsetFetchRequest.NoBatchedOffsetFetchRequestException(
                    "Broker does not support batching groups for fetch offset request on version "
                    f"{version}")
            if data.require_stable and version < 7:
                if self._throw_on_fetch_stable_offsets_unsupported:
                    raise UnsupportedVersionException(
                        f"Broker unexpectedly doesn't support requireStable flag on version {version}")
                log.trace("Fallback the requireStable flag to false as broker only supports "
                          "OffsetFetchRequest version %d. Need v7 or newer to enable this feature", version)
                data.require_stable = False
            if version < 8:
                if data.groups:
                    group = data.groups[0]
                    normalized_data = OffsetFetchRequestData(
                        group_id=group.group_id, require_stable=data.require_stable,
                        topics=None if group.topics is None else [
                            OffsetFetchRequestTopic(name=t.name, partition_indexes=t.partition_indexes)
                            for t in group.topics])
                else:
                    normalized_data = data
                if normalized_data.topics is None and version < 2:
                    raise UnsupportedVersionException(
                        f"The broker only supports OffsetFetchRequest v{version}, but we need v2 or newer to "
                        "request all topic partitions.")
                return OffsetFetchRequest(normalized_data, version)
            return OffsetFetchRequest(data, version)

        def __str__(self) -> str:
            """:origin: common.requests.OffsetFetchRequest.Builder#toString()"""
            return str(self.data)

    class NoBatchedOffsetFetchRequestException(UnsupportedVersionException):
        """The broker accepts only one group per request.

        :origin: common.requests.OffsetFetchRequest.NoBatchedOffsetFetchRequestException
        :origin: common.requests.OffsetFetchRequest.NoBatchedOffsetFetchRequestException#NoBatchedOffsetFetchRequestException(String)
        """  # noqa: E501

    def partitions(self) -> list[TopicPartition] | None:
        """Return the partitions of a request of version 7 or below; None means all.

        :origin: common.requests.OffsetFetchRequest#partitions()
        """
        topics = self._data.topics
        if topics is None:
            return None
        return [TopicPartition(topic.name, partition_index)
                for topic in topics for partition_index in topic.partition_indexes]

    def group_id(self) -> str:
        """Return the group of a request of version 7 or below.

        :origin: common.requests.OffsetFetchRequest#groupId()
        """
        return self._data.group_id

    def require_stable(self) -> bool:
        """Return whether offsets with pending transactional commits are an error.

        :origin: common.requests.OffsetFetchRequest#requireStable()
        """
        return self._data.require_stable

    def groups(self) -> list[OffsetFetchRequestGroup]:
        """Return the groups of a request of any version in the form of version 8.

        :origin: common.requests.OffsetFetchRequest#groups()
        """
        data = self._data
        if self._version >= 8:
            return data.groups
        topics = None if data.topics is None else [
            OffsetFetchRequestTopics(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in data.topics]
        return [OffsetFetchRequestGroup(group_id=data.group_id, topics=topics)]

    def group_ids_to_partitions(self) -> dict[str, list[TopicPartition] | None]:
        """Return the partitions by group of a request of version 8 or above; None means all.

        :origin: common.requests.OffsetFetchRequest#groupIdsToPartitions()
        """
        return {
            group.group_id: None if group.topics is None else [
                TopicPartition(topic.name, partition_index)
                for topic in group.topics for partition_index in topic.partition_indexes]
            for group in self._data.groups}

    def group_ids_to_topics(self) -> dict[str, list[OffsetFetchRequestTopics] | None]:
        """Return the topics by group of a request of version 8 or above; None means all.

        :origin: common.requests.OffsetFetchRequest#groupIdsToTopics()
        """
        return {group.group_id: group.topics for group in self._data.groups}

    def group_ids(self) -> list[str]:
        """Return the groups of a request of version 8 or above.

        :origin: common.requests.OffsetFetchRequest#groupIds()
        """
        return [group.group_id for group in self._data.groups]

    def __init__(self, data: OffsetFetchRequestData, version: int) -> None:
        """:origin: common.requests.OffsetFetchRequest#OffsetFetchRequest(OffsetFetchRequestData, short)"""
        super().__init__(ApiKeys.OFFSET_FETCH, version)
        self._data = data

    def get_error_response_error(
        self, error: Errors, throttle_time_ms: int = AbstractResponse.DEFAULT_THROTTLE_TIME,
    ) -> OffsetFetchResponse:
        """Return a response with ``error`` at the level that its version supports.

        :origin: common.requests.OffsetFetchRequest#getErrorResponse(Errors)
        :origin: common.requests.OffsetFetchRequest#getErrorResponse(int, Errors)
        """
        response_partitions: dict[TopicPartition, OffsetFetchResponse.PartitionData] = {}
        if self._version < 2:
            partition_error = OffsetFetchResponse.PartitionData(
                OffsetFetchResponse.INVALID_OFFSET, None, OffsetFetchResponse.NO_METADATA, error)
            for partition in self.partitions() or ():
                response_partitions[partition] = partition_error
            return OffsetFetchResponse.of(error, response_partitions)
        if self._version == 2:
            return OffsetFetchResponse.of(error, response_partitions)
        if self._version < 8:
            return OffsetFetchResponse.of(error, response_partitions, throttle_time_ms)
        group_ids = self.group_ids()
        return OffsetFetchResponse.of_groups(
            throttle_time_ms, dict.fromkeys(group_ids, error), dict.fromkeys(group_ids, response_partitions))

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> OffsetFetchResponse:
        """:origin: common.requests.OffsetFetchRequest#getErrorResponse(int, Throwable)"""
        return self.get_error_response_error(Errors.for_exception(e), throttle_time_ms)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> OffsetFetchRequest:
        """:origin: common.requests.OffsetFetchRequest#parse(ByteBuffer, short)"""
        return OffsetFetchRequest(OffsetFetchRequestData.read(buffer, version), version)

    def is_all_partitions(self) -> bool:
        """Return whether a request of version 7 or below is for all partitions.

        :origin: common.requests.OffsetFetchRequest#isAllPartitions()
        """
        return self._data.topics is None

    def is_all_partitions_for_group(self, group_id: str) -> bool:
        """Return whether a request of version 8 or above is for all partitions of ``group_id``.

        :origin: common.requests.OffsetFetchRequest#isAllPartitionsForGroup(String)
        """
        return next(g for g in self._data.groups if g.group_id == group_id).topics is None

    def data(self) -> OffsetFetchRequestData:
        """:origin: common.requests.OffsetFetchRequest#data()"""
        return self._data


def _topics_of(partitions: Iterable[TopicPartition] | None) -> list[OffsetFetchRequestTopics] | None:
    if partitions is None:
        return None
    topics: dict[str, OffsetFetchRequestTopics] = {}
    for topic_partition in partitions:
        name = topic_partition.topic()
        topic = topics.setdefault(name, OffsetFetchRequestTopics(name=name))
        topic.partition_indexes.append(topic_partition.partition())
    return list(topics.values())
