# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteTopicsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to delete topics: by name up to version 5, by name or id from version 6 on."""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.delete_topics_response_data import DeleteTopicsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.delete_topics_response import DeleteTopicsResponse
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer

DeleteTopicState = DeleteTopicsRequestData.DeleteTopicState


class DeleteTopicsRequest(AbstractRequest):
    """:origin: common.requests.DeleteTopicsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DeleteTopicsRequest"]):
        """:origin: common.requests.DeleteTopicsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DeleteTopicsRequestData) -> None:
            """:origin: common.requests.DeleteTopicsRequest.Builder#Builder(DeleteTopicsRequestData)"""
            super().__init__(ApiKeys.DELETE_TOPICS)
            self._data = data

        def build_version(self, version: int) -> DeleteTopicsRequest:
            """:origin: common.requests.DeleteTopicsRequest.Builder#build(short)"""
            if version >= 6 and self._data.topic_names:
                self._data.topics = self._group_by_topic(self._data.topic_names)
            return DeleteTopicsRequest(self._data, version)

        @staticmethod
        def _group_by_topic(topics: Sequence[str]) -> list[DeleteTopicState]:
            """:origin: common.requests.DeleteTopicsRequest.Builder#groupByTopic(List<String>)"""
            return [DeleteTopicState(name=topic) for topic in topics]

        def __str__(self) -> str:
            """:origin: common.requests.DeleteTopicsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DeleteTopicsRequestData, version: int) -> None:
        """:origin: common.requests.DeleteTopicsRequest#DeleteTopicsRequest(DeleteTopicsRequestData, short)"""
        super().__init__(ApiKeys.DELETE_TOPICS, version)
        self._data = data

    def data(self) -> DeleteTopicsRequestData:
        """:origin: common.requests.DeleteTopicsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DeleteTopicsResponse:
        """:origin: common.requests.DeleteTopicsRequest#getErrorResponse(int, Throwable)"""
        response = DeleteTopicsResponseData()
        if self._version >= 1:
            response.throttle_time_ms = throttle_time_ms
        api_error = ApiError.from_throwable(e)
        for topic in self.topics():
            response.responses.append(DeleteTopicsResponseData.DeletableTopicResult(
                name=topic.name, topic_id=topic.topic_id, error_code=api_error.error().code))
        return DeleteTopicsResponse(response)

    def topic_names(self) -> Sequence[str | None]:
        """Return the names; None for a topic given by its id.

        :origin: common.requests.DeleteTopicsRequest#topicNames()
        """
        if self._version >= 6:
            return [topic.name for topic in self._data.topics]
        return self._data.topic_names

    def number_of_topics(self) -> int:
        """Return the number of topics.

        :origin: common.requests.DeleteTopicsRequest#numberOfTopics()
        """
        return len(self._data.topics if self._version >= 6 else self._data.topic_names)

    def topic_ids(self) -> list[Uuid]:
        """Return the ids, empty below version 6.

        :origin: common.requests.DeleteTopicsRequest#topicIds()
        """
        return [topic.topic_id for topic in self._data.topics] if self._version >= 6 else []

    def topics(self) -> list[DeleteTopicState]:
        """Return the topics of any version in the form of version 6.

        :origin: common.requests.DeleteTopicsRequest#topics()
        """
        if self._version >= 6:
            return self._data.topics
        return [DeleteTopicState(name=name) for name in self._data.topic_names]

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteTopicsRequest:
        """:origin: common.requests.DeleteTopicsRequest#parse(ByteBuffer, short)"""
        return DeleteTopicsRequest(DeleteTopicsRequestData.read(buffer, version), version)
