# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.MetadataRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for topics, partitions and their leaders."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer


class MetadataRequest(AbstractRequest):
    """Requests topics by name or id. None as the list of topics means all topics.

    :origin: common.requests.MetadataRequest
    """

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["MetadataRequest"]):
        """:origin: common.requests.MetadataRequest.Builder"""

        __slots__ = ("_data",)

        _ALL_TOPICS_REQUEST_DATA = MetadataRequestData(topics=None, allow_auto_topic_creation=True)

        def __init__(self, data: MetadataRequestData, min_version: int | None = None,
                     max_version: int | None = None) -> None:
            """:origin: common.requests.MetadataRequest.Builder#Builder(MetadataRequestData)"""
            super().__init__(ApiKeys.METADATA, min_version, max_version)
            self._data = data

        @staticmethod
        def for_topics(
                topics: Iterable[str] | None, allow_auto_topic_creation: bool,
                min_version: int | None = None, max_version: int | None = None) -> MetadataRequest.Builder:
            """Return the builder of a request for topics by name, for all topics if ``topics`` is None.

            With one given version, only this version is allowed.

            :origin: common.requests.MetadataRequest.Builder#Builder(List<String>, boolean)
            :origin: common.requests.MetadataRequest.Builder#Builder(List<String>, boolean, short)
            :origin: common.requests.MetadataRequest.Builder#Builder(List<String>, boolean, short, short)
            """
            data = MetadataRequestData(
                topics=None if topics is None else MetadataRequest.convert_to_metadata_request_topic(topics),
                allow_auto_topic_creation=allow_auto_topic_creation)
            if min_version is None:
                min_version = ApiKeys.METADATA.oldest_version()
                max_version = ApiKeys.METADATA.latest_version()
            return MetadataRequest.Builder(data, min_version, max_version)

        @staticmethod
        def all_topics() -> MetadataRequest.Builder:
            """Return the builder of a request for all topics.

            It allows topic creation although it creates none, as the oldest versions imply.

            :origin: common.requests.MetadataRequest.Builder#allTopics()
            """
            return MetadataRequest.Builder(MetadataRequest.Builder._ALL_TOPICS_REQUEST_DATA)

        def is_all_topics(self) -> bool:
            """Return whether the request is for all topics.

            :origin: common.requests.MetadataRequest.Builder#isAllTopics()
            """
            return self._data.topics is None

        def topics(self) -> list[str | None]:
            """Return the names.

            :origin: common.requests.MetadataRequest.Builder#topics()
            """
            return [topic.name for topic in self._data.topics or ()]

        def build_version(self, version: int) -> MetadataRequest:
            """:origin: common.requests.MetadataRequest.Builder#build(short)"""
            if version < 1:
                raise UnsupportedVersionException("MetadataRequest versions older than 1 are not supported.")
            if not self._data.allow_auto_topic_creation and version < 4:
                raise UnsupportedVersionException("MetadataRequest versions older than 4 don't support the "
                                                  "allowAutoTopicCreation field")
            for topic in self._data.topics or ():
                if topic.name is None and version < 12:
                    raise UnsupportedVersionException(
                        f"MetadataRequest version {version} does not support null topic names.")
                if topic.topic_id != Uuid.ZERO_UUID and version < 12:
                    raise UnsupportedVersionException(
                        f"MetadataRequest version {version} does not support non-zero topic IDs.")
            return MetadataRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.MetadataRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: MetadataRequestData, version: int) -> None:
        """:origin: common.requests.MetadataRequest#MetadataRequest(MetadataRequestData, short)"""
        super().__init__(ApiKeys.METADATA, version)
        self._data = data

    def data(self) -> MetadataRequestData:
        """:origin: common.requests.MetadataRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> MetadataResponse:
        """:origin: common.requests.MetadataRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        response_data = MetadataResponseData()
        for topic in self._data.topics or ():
            # Most versions of the response do not allow null as the name of a topic requested by id.
            response_data.topics.append(MetadataResponseData.MetadataResponseTopic(
                name=topic.name or "", topic_id=topic.topic_id, error_code=error.code, is_internal=False,
                partitions=[]))
        response_data.throttle_time_ms = throttle_time_ms
        return MetadataResponse.with_reliability(response_data, True)

    def is_all_topics(self) -> bool:
        """Return whether the request is for all topics. In version 0 an empty list means all topics.

        :origin: common.requests.MetadataRequest#isAllTopics()
        """
        return self._data.topics is None or (not self._data.topics and self._version == 0)

    def topics(self) -> list[str | None] | None:
        """Return the names, None for all topics.

        :origin: common.requests.MetadataRequest#topics()
        """
        if self._data.topics is None or self.is_all_topics():
            return None
        return [topic.name for topic in self._data.topics]

    def topic_ids(self) -> list[Uuid]:
        """Return the ids, empty below version 10.

        :origin: common.requests.MetadataRequest#topicIds()
        """
        if self._data.topics is None or self.is_all_topics() or self._version < 10:
            return []
        return [topic.topic_id for topic in self._data.topics]

    def allow_auto_topic_creation(self) -> bool:
        """Return whether the broker may create a missing topic.

        :origin: common.requests.MetadataRequest#allowAutoTopicCreation()
        """
        return self._data.allow_auto_topic_creation

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> MetadataRequest:
        """:origin: common.requests.MetadataRequest#parse(ByteBuffer, short)"""
        return MetadataRequest(MetadataRequestData.read(buffer, version), version)

    @staticmethod
    def convert_to_metadata_request_topic(
            topics: Iterable[str]) -> list[MetadataRequestData.MetadataRequestTopic]:
        """Return the request's entries for topics by name.

        :origin: common.requests.MetadataRequest#convertToMetadataRequestTopic(Collection<String>)
        """
        return [MetadataRequestData.MetadataRequestTopic(name=topic) for topic in topics]
