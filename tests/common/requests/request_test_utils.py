# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RequestTestUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Responses for tests: encoded with their headers, and metadata of as many nodes and topics as wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Callable

from kreactor.common.internals.topic import Topic
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer

LATEST = ApiKeys.METADATA.latest_version()
NO_LEADER_ID = -1


class RequestTestUtils:
    """Static methods only; the overloads of each are one, by keyword."""

    @staticmethod
    def serialize_response_with_header(response: AbstractResponse, version: int,
                                       correlation_id: int) -> ByteBuffer:
        """Return what a node answers to the request with ``correlation_id``, without the size."""
        header = ResponseHeader(ResponseHeaderData(correlation_id=correlation_id),
                                response.api_key().response_header_version(version))
        return response.serialize_with_header(header, version)

    @staticmethod
    def metadata_response(
            brokers: Iterable[Node], cluster_id: str | None, controller_id: int,
            topic_metadata_list: Iterable[MetadataResponse.TopicMetadata], response_version: int = LATEST, *,
            throttle_time_ms: int = MetadataResponse.DEFAULT_THROTTLE_TIME,
            cluster_authorized_operations: int = MetadataResponse.AUTHORIZED_OPERATIONS_OMITTED,
    ) -> MetadataResponse:
        """Return a response with these topics."""
        topics = []
        for topic_metadata in topic_metadata_list:
            topic = MetadataResponseData.MetadataResponseTopic(
                error_code=topic_metadata.error().code, name=topic_metadata.topic(),
                topic_id=topic_metadata.topic_id(), is_internal=topic_metadata.is_internal(),
                topic_authorized_operations=topic_metadata.authorized_operations())
            for partition_metadata in topic_metadata.partition_metadata():
                leader_id, leader_epoch = partition_metadata.leader_id, partition_metadata.leader_epoch
                topic.partitions.append(MetadataResponseData.MetadataResponsePartition(
                    error_code=partition_metadata.error.code,
                    partition_index=partition_metadata.partition(),
                    leader_id=NO_LEADER_ID if leader_id is None else leader_id,
                    leader_epoch=(RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None
                                  else leader_epoch),
                    replica_nodes=partition_metadata.replica_ids,
                    isr_nodes=partition_metadata.in_sync_replica_ids,
                    offline_replicas=partition_metadata.offline_replica_ids))
            topics.append(topic)
        return MetadataResponse.prepare_response(
            response_version, throttle_time_ms, brokers, cluster_id, controller_id, topics,
            cluster_authorized_operations)

    @staticmethod
    def metadata_update_with(
            num_nodes: int, topic_partition_counts: Mapping[str, int],
            epoch_supplier: Callable[[TopicPartition], int | None] = lambda tp: None, *,
            cluster_id: str = "kafka-cluster", topic_errors: Mapping[str, Errors] | None = None,
            partition_supplier: Callable[
                [Errors, TopicPartition, int | None, int | None, list[int], list[int], list[int]],
                MetadataResponse.PartitionMetadata] = MetadataResponse.PartitionMetadata,
            response_version: int = LATEST, topic_ids: Mapping[str, Uuid] | None = None,
            leader_only: bool = True) -> MetadataResponse:
        """Return the metadata of nodes 0 to ``num_nodes``, which lead the partitions of topics in turn."""
        nodes: Sequence[Node] = [Node(i, "localhost", 1969 + i) for i in range(num_nodes)]

        topic_metadata = []
        for topic, num_partitions in topic_partition_counts.items():
            partition_metadata = []
            for i in range(num_partitions):
                tp = TopicPartition(topic, i)
                leader = nodes[i % len(nodes)]
                replica_ids = [leader.id()] if leader_only else [node.id() for node in nodes]
                partition_metadata.append(partition_supplier(
                    Errors.NONE, tp, leader.id(), epoch_supplier(tp), replica_ids, replica_ids, []))

            topic_metadata.append(MetadataResponse.TopicMetadata(
                Errors.NONE, topic, Topic.is_internal(topic), partition_metadata,
                (topic_ids or {}).get(topic, Uuid.ZERO_UUID),
                MetadataResponse.AUTHORIZED_OPERATIONS_OMITTED))

        for topic, error in (topic_errors or {}).items():
            topic_metadata.append(
                MetadataResponse.TopicMetadata(error, topic, Topic.is_internal(topic), []))

        return RequestTestUtils.metadata_response(nodes, cluster_id, 0, topic_metadata, response_version)

    @staticmethod
    def metadata_update_with_ids(
            num_nodes: int, topic_partition_counts: Mapping[str, int], topic_ids: Mapping[str, Uuid],
            epoch_supplier: Callable[[TopicPartition], int | None] = lambda tp: None, *,
            cluster_id: str = "kafka-cluster", topic_errors: Mapping[str, Errors] | None = None,
            leader_only: bool = True) -> MetadataResponse:
        """Return what ``metadata_update_with`` does, of topics that have ids."""
        return RequestTestUtils.metadata_update_with(
            num_nodes, topic_partition_counts, epoch_supplier, cluster_id=cluster_id,
            topic_errors=topic_errors, topic_ids=topic_ids, leader_only=leader_only)
