# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.GroupCoordinator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The operations of a group coordinator. Each returns a future that completes at once or later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Callable

from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_delete_response_data import OffsetDeleteResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.concurrent import CompletableFuture


class GroupCoordinator(ABC):
    """:origin: coordinator.group.GroupCoordinator"""

    __slots__ = ()

    @abstractmethod
    def consumer_group_heartbeat(
        self, context: RequestContext, request: ConsumerGroupHeartbeatRequestData,
    ) -> CompletableFuture[ConsumerGroupHeartbeatResponseData]:
        """Handle a heartbeat of the consumer protocol (KIP-848).

        :origin: coordinator.group.GroupCoordinator#consumerGroupHeartbeat(RequestContext, ConsumerGroupHeartbeatRequestData)
        """  # noqa: E501

    @abstractmethod
    def join_group(self, context: RequestContext, request: JoinGroupRequestData,
                   buffer_supplier: BufferSupplier) -> CompletableFuture[JoinGroupResponseData]:
        """Add a member to the next generation.

        :origin: coordinator.group.GroupCoordinator#joinGroup(RequestContext, JoinGroupRequestData, BufferSupplier)
        """  # noqa: E501

    @abstractmethod
    def sync_group(self, context: RequestContext, request: SyncGroupRequestData,
                   buffer_supplier: BufferSupplier) -> CompletableFuture[SyncGroupResponseData]:
        """Give a member its assignment.

        :origin: coordinator.group.GroupCoordinator#syncGroup(RequestContext, SyncGroupRequestData, BufferSupplier)
        """  # noqa: E501

    @abstractmethod
    def heartbeat(self, context: RequestContext,
                  request: HeartbeatRequestData) -> CompletableFuture[HeartbeatResponseData]:
        """Restart a member's session.

        :origin: coordinator.group.GroupCoordinator#heartbeat(RequestContext, HeartbeatRequestData)
        """

    @abstractmethod
    def leave_group(self, context: RequestContext,
                    request: LeaveGroupRequestData) -> CompletableFuture[LeaveGroupResponseData]:
        """Remove members.

        :origin: coordinator.group.GroupCoordinator#leaveGroup(RequestContext, LeaveGroupRequestData)
        """

    @abstractmethod
    def list_groups(self, context: RequestContext,
                    request: ListGroupsRequestData) -> CompletableFuture[ListGroupsResponseData]:
        """List the groups.

        :origin: coordinator.group.GroupCoordinator#listGroups(RequestContext, ListGroupsRequestData)
        """

    @abstractmethod
    def describe_groups(
        self, context: RequestContext, group_ids: Sequence[str],
    ) -> CompletableFuture[list[DescribeGroupsResponseData.DescribedGroup]]:
        """Describe groups.

        :origin: coordinator.group.GroupCoordinator#describeGroups(RequestContext, List<String>)
        """

    @abstractmethod
    def consumer_group_describe(
        self, context: RequestContext, group_ids: Sequence[str],
    ) -> CompletableFuture[list[ConsumerGroupDescribeResponseData.DescribedGroup]]:
        """Describe groups of the consumer protocol (KIP-848).

        :origin: coordinator.group.GroupCoordinator#consumerGroupDescribe(RequestContext, List<String>)
        """

    @abstractmethod
    def delete_groups(
        self, context: RequestContext, group_ids: Sequence[str], buffer_supplier: BufferSupplier,
    ) -> CompletableFuture[list[DeleteGroupsResponseData.DeletableGroupResult]]:
        """Delete groups.

        :origin: coordinator.group.GroupCoordinator#deleteGroups(RequestContext, List<String>, BufferSupplier)
        """

    @abstractmethod
    def fetch_offsets(
        self, context: RequestContext, request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        """Return a group's committed offsets of the requested partitions.

        :origin: coordinator.group.GroupCoordinator#fetchOffsets(RequestContext, OffsetFetchRequestGroup, boolean)
        """  # noqa: E501

    @abstractmethod
    def fetch_all_offsets(
        self, context: RequestContext, request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        """Return all committed offsets of a group.

        :origin: coordinator.group.GroupCoordinator#fetchAllOffsets(RequestContext, OffsetFetchRequestGroup, boolean)
        """  # noqa: E501

    @abstractmethod
    def commit_offsets(self, context: RequestContext, request: OffsetCommitRequestData,
                       buffer_supplier: BufferSupplier) -> CompletableFuture[OffsetCommitResponseData]:
        """Store offsets.

        :origin: coordinator.group.GroupCoordinator#commitOffsets(RequestContext, OffsetCommitRequestData, BufferSupplier)
        """  # noqa: E501

    @abstractmethod
    def commit_transactional_offsets(
        self, context: RequestContext, request: TxnOffsetCommitRequestData, buffer_supplier: BufferSupplier,
    ) -> CompletableFuture[TxnOffsetCommitResponseData]:
        """Store offsets that take effect when a transaction is committed.

        :origin: coordinator.group.GroupCoordinator#commitTransactionalOffsets(RequestContext, TxnOffsetCommitRequestData, BufferSupplier)
        """  # noqa: E501

    @abstractmethod
    def delete_offsets(self, context: RequestContext, request: OffsetDeleteRequestData,
                       buffer_supplier: BufferSupplier) -> CompletableFuture[OffsetDeleteResponseData]:
        """Delete offsets.

        :origin: coordinator.group.GroupCoordinator#deleteOffsets(RequestContext, OffsetDeleteRequestData, BufferSupplier)
        """  # noqa: E501

    @abstractmethod
    def partition_for(self, group_id: str) -> int:
        """Return the partition of the offsets topic that stores a group.

        :origin: coordinator.group.GroupCoordinator#partitionFor(String)
        """

    @abstractmethod
    def on_transaction_completed(self, producer_id: int, partitions: Collection[TopicPartition],
                                 transaction_result: TransactionResult) -> None:
        """Apply a transaction's offsets, or drop them.

        :origin: coordinator.group.GroupCoordinator#onTransactionCompleted(long, Iterable<TopicPartition>, TransactionResult)
        """  # noqa: E501

    @abstractmethod
    def on_partitions_deleted(self, topic_partitions: Sequence[TopicPartition],
                              buffer_supplier: BufferSupplier) -> None:
        """Delete the offsets of deleted partitions.

        :origin: coordinator.group.GroupCoordinator#onPartitionsDeleted(List<TopicPartition>, BufferSupplier)
        """

    @abstractmethod
    def on_election(self, group_metadata_partition_index: int,
                    group_metadata_partition_leader_epoch: int) -> None:
        """Load the groups of a partition of the offsets topic.

        :origin: coordinator.group.GroupCoordinator#onElection(int, int)
        """

    @abstractmethod
    def on_resignation(self, group_metadata_partition_index: int,
                       group_metadata_partition_leader_epoch: int | None) -> None:
        """Unload the groups of a partition of the offsets topic. The epoch is None for a deleted partition.

        :origin: coordinator.group.GroupCoordinator#onResignation(int, OptionalInt)
        """

    @abstractmethod
    def on_new_metadata_image(self, changed_topics: Collection[str]) -> None:
        """Check created, changed and deleted topics again.

        :origin: coordinator.group.GroupCoordinator#onNewMetadataImage(MetadataImage, MetadataDelta)
        """

    @abstractmethod
    def group_metadata_topic_configs(self) -> dict[str, str]:
        """Return the settings with which the offsets topic is created.

        :origin: coordinator.group.GroupCoordinator#groupMetadataTopicConfigs()
        """

    @abstractmethod
    def startup(self, group_metadata_topic_partition_count: Callable[[], int]) -> None:
        """Begin to accept requests.

        :origin: coordinator.group.GroupCoordinator#startup(IntSupplier)
        """

    @abstractmethod
    def shutdown(self) -> None:
        """Stop accepting requests.

        :origin: coordinator.group.GroupCoordinator#shutdown()
        """
