# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.handlers.DescribeTopicPartitionsRequestHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Describes topics in the order of their names, a bounded number of partitions per response (KIP-966)."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache


class DescribeTopicPartitionsRequestHandler:
    """For use by any thread.

    :origin: kafka.server.handlers.DescribeTopicPartitionsRequestHandler
    """

    def __init__(self, metadata_cache: MetadataCache, auth_helper: AuthHelper, config: KafkaConfig) -> None:
        """
        :origin: kafka.server.handlers.DescribeTopicPartitionsRequestHandler#DescribeTopicPartitionsRequestHandler(
            KRaftMetadataCache, AuthHelper, KafkaConfig)
        """  # noqa: E501
        self._metadata_cache = metadata_cache
        self._auth_helper = auth_helper
        self._config = config

    def handle_describe_topic_partitions_request(
        self, abstract_request: RequestChannel.Request,
    ) -> DescribeTopicPartitionsResponseData:
        """Return the response. Raises InvalidRequestException for a cursor that this broker cannot have sent.

        :origin: kafka.server.handlers.DescribeTopicPartitionsRequestHandler#handleDescribeTopicPartitionsRequest(
            RequestChannel.Request)
        """  # noqa: E501
        request = abstract_request.body(DescribeTopicPartitionsRequest).data()
        fetch_all_topics = not request.topics
        cursor = request.cursor
        cursor_topic_name = "" if cursor is None else cursor.topic_name
        all_names = (self._metadata_cache.get_all_topics() if fetch_all_topics
                     else [topic.name for topic in request.topics])
        topics = {name for name in all_names if _utf16(name) >= _utf16(cursor_topic_name)}
        if not fetch_all_topics and cursor is not None and cursor.topic_name not in topics:
            raise InvalidRequestException(
                "DescribeTopicPartitionsRequest topic list should contain the cursor topic: "
                f"{cursor.topic_name}")
        if cursor is not None and cursor.partition_index < 0:
            raise InvalidRequestException(
                f"DescribeTopicPartitionsRequest cursor partition must be valid: {cursor}")

        # A topic that the client may not describe is not looked up, so the response does not tell whether it
        # exists.
        unauthorized = []
        authorized_topics = []
        for name in sorted(topics, key=_utf16):
            if self._auth_helper.authorize(
                    abstract_request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, name):
                authorized_topics.append(name)
            elif not fetch_all_topics:
                unauthorized.append(self._describe_topic_partitions_response_topic(
                    Errors.TOPIC_AUTHORIZATION_FAILED, name, Uuid.ZERO_UUID, False, []))

        # DEVIATION D153: without a cursor, Kafka hits a null pointer at an empty name.
        if self._config.is_strict() and cursor is None and "" in authorized_topics:
            raise TypeError("the cursor is null")
        response = self._metadata_cache.get_topic_metadata_for_describe_topic_response(
            authorized_topics,
            abstract_request.context.listener_name,
            lambda name: cursor.partition_index if cursor is not None and name == cursor_topic_name else 0,
            max(min(self._config.max_request_partition_size_limit(), request.response_partition_limit), 1),
            fetch_all_topics)

        for topic in response.topics:
            assert topic.name is not None, "looked up by name"
            topic.topic_authorized_operations = self._auth_helper.authorized_operations(
                abstract_request, Resource(ResourceType.TOPIC, topic.name))
        response.topics.extend(unauthorized)
        return response

    @staticmethod
    def _describe_topic_partitions_response_topic(
        error: Errors, topic: str, topic_id: Uuid, is_internal: bool,
        partition_data: list[DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition],
    ) -> DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic:
        """
        :origin: kafka.server.handlers.DescribeTopicPartitionsRequestHandler#describeTopicPartitionsResponseTopic(Errors, String, Uuid, Boolean, List<DescribeTopicPartitionsResponsePartition>)
        """  # noqa: E501
        return DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic(
            error_code=error.code, name=topic, topic_id=topic_id, is_internal=is_internal,
            partitions=partition_data)


def _utf16(name: str) -> bytes:
    """Return the key that orders names as Java does."""
    return name.encode("utf-16-be", "surrogatepass")
