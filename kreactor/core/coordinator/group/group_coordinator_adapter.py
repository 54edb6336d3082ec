# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupCoordinatorAdapter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Adapts request and response messages to the arguments and callbacks of the classic coordinator.

Any thread may call it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group import group_coordinator
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_results import JoinGroupResult, LeaveGroupResult, SyncGroupResult
from kreactor.core.server.delayed_operation import NewPurgatory
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.kafka_scheduler import KafkaScheduler


class GroupCoordinatorAdapter(group_coordinator.GroupCoordinator):
    """
    :origin: kafka.coordinator.group.GroupCoordinatorAdapter
    :origin: kafka.coordinator.group.GroupCoordinatorAdapter
    """

    __slots__ = ("_coordinator", "_time")

    @staticmethod
    def apply(config: KafkaConfig, replica_manager: ReplicaManager, time: Time, metrics: Metrics,
              metrics_registry: MetricsRegistry | None = None,
              new_purgatory: NewPurgatory | None = None,
              scheduler: KafkaScheduler | None = None) -> GroupCoordinatorAdapter:
        """Return an adapter with its own coordinator, which gets the last two arguments if they are given.

        :origin: kafka.coordinator.group.GroupCoordinatorAdapter#apply
        """
        return GroupCoordinatorAdapter(
            GroupCoordinator.apply(config, replica_manager, time, metrics, metrics_registry, new_purgatory,
                                   scheduler), time)

    def __init__(self, coordinator: GroupCoordinator, time: Time) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#GroupCoordinatorAdapter"""
        self._coordinator = coordinator
        self._time = time

    def consumer_group_heartbeat(
        self, context: RequestContext, request: ConsumerGroupHeartbeatRequestData,
    ) -> CompletableFuture[ConsumerGroupHeartbeatResponseData]:
        """Fail with UnsupportedVersionException.

        :origin: kafka.coordinator.group.GroupCoordinatorAdapter#consumerGroupHeartbeat
        """
        future: CompletableFuture[ConsumerGroupHeartbeatResponseData] = CompletableFuture()
        future.complete_exceptionally(_unsupported(ApiKeys.CONSUMER_GROUP_HEARTBEAT))
        return future

    def join_group(self, context: RequestContext, request: JoinGroupRequestData,
                   buffer_supplier: BufferSupplier) -> CompletableFuture[JoinGroupResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#joinGroup"""
        future: CompletableFuture[JoinGroupResponseData] = CompletableFuture()

        def callback(join_result: JoinGroupResult) -> None:
            leader = join_result.leader_id
            assert leader is not None, "a generation that is answered for has a leader"
            future.complete(JoinGroupResponseData(
                error_code=join_result.error.code,
                generation_id=join_result.generation_id,
                protocol_type=join_result.protocol_type,
                protocol_name=join_result.protocol_name,
                leader=leader,
                skip_assignment=join_result.skip_assignment,
                member_id=join_result.member_id,
                members=list(join_result.members)))

        group_instance_id = request.group_instance_id

        # The group identifies a static member by its instance id.
        require_known_member_id = context.api_version() >= 4 and group_instance_id is None

        protocols = [(protocol.name, protocol.metadata) for protocol in request.protocols]

        support_skipping_assignment = context.api_version() >= 9

        self._coordinator.handle_join_group(
            request.group_id,
            request.member_id,
            group_instance_id,
            require_known_member_id,
            support_skipping_assignment,
            context.client_id() or "",
            str(context.client_address),
            request.rebalance_timeout_ms,
            request.session_timeout_ms,
            request.protocol_type,
            protocols,
            callback,
            request.reason,
            RequestLocal(buffer_supplier))

        return future

    def sync_group(self, context: RequestContext, request: SyncGroupRequestData,
                   buffer_supplier: BufferSupplier) -> CompletableFuture[SyncGroupResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#syncGroup"""
        future: CompletableFuture[SyncGroupResponseData] = CompletableFuture()

        def callback(sync_group_result: SyncGroupResult) -> None:
            future.complete(SyncGroupResponseData(
                error_code=sync_group_result.error.code,
                protocol_type=sync_group_result.protocol_type,
                protocol_name=sync_group_result.protocol_name,
                assignment=sync_group_result.member_assignment))

        assignment_map = {assignment.member_id: assignment.assignment for assignment in request.assignments}

        self._coordinator.handle_sync_group(
            request.group_id,
            request.generation_id,
            request.member_id,
            request.protocol_type,
            request.protocol_name,
            request.group_instance_id,
            assignment_map,
            callback,
            RequestLocal(buffer_supplier))

        return future

    def heartbeat(self, context: RequestContext,
                  request: HeartbeatRequestData) -> CompletableFuture[HeartbeatResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#heartbeat"""
        future: CompletableFuture[HeartbeatResponseData] = CompletableFuture()

        self._coordinator.handle_heartbeat(
            request.group_id,
            request.member_id,
            request.group_instance_id,
            request.generation_id,
            lambda error: future.complete(HeartbeatResponseData(error_code=error.code)))

        return future

    def leave_group(self, context: RequestContext,
                    request: LeaveGroupRequestData) -> CompletableFuture[LeaveGroupResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#leaveGroup"""
        future: CompletableFuture[LeaveGroupResponseData] = CompletableFuture()

        def callback(leave_group_result: LeaveGroupResult) -> None:
            future.complete(LeaveGroupResponseData(
                error_code=leave_group_result.top_level_error.code,
                members=[
                    LeaveGroupResponseData.MemberResponse(
                        error_code=member.error.code, member_id=member.member_id,
                        group_instance_id=member.group_instance_id)
                    for member in leave_group_result.member_responses]))

        self._coordinator.handle_leave_group(request.group_id, request.members, callback)

        return future

    def list_groups(self, context: RequestContext,
                    request: ListGroupsRequestData) -> CompletableFuture[ListGroupsResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#listGroups"""
        error, groups = self._coordinator.handle_list_groups(
            set(request.states_filter), set(request.types_filter))

        return CompletableFuture.completed_future(ListGroupsResponseData(
            error_code=error.code,
            groups=[
                ListGroupsResponseData.ListedGroup(
                    group_id=group.group_id, protocol_type=group.protocol_type, group_state=group.state,
                    group_type=group.group_type)
                for group in groups]))

    def describe_groups(
        self, context: RequestContext, group_ids: Sequence[str],
    ) -> CompletableFuture[list[DescribeGroupsResponseData.DescribedGroup]]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#describeGroups"""
        def describe_group(group_id: str) -> DescribeGroupsResponseData.DescribedGroup:
            error, summary = self._coordinator.handle_describe_group(group_id)

            return DescribeGroupsResponseData.DescribedGroup(
                error_code=error.code,
                group_id=group_id,
                group_state=summary.state,
                protocol_type=summary.protocol_type,
                protocol_data=summary.protocol,
                members=[
                    DescribeGroupsResponseData.DescribedGroupMember(
                        member_id=member.member_id, group_instance_id=member.group_instance_id,
                        client_id=member.client_id, client_host=member.client_host,
                        member_assignment=member.assignment, member_metadata=member.metadata)
                    for member in summary.members])

        return CompletableFuture.completed_future([describe_group(group_id) for group_id in group_ids])

    def delete_groups(
        self, context: RequestContext, group_ids: Sequence[str], buffer_supplier: BufferSupplier,
    ) -> CompletableFuture[list[DeleteGroupsResponseData.DeletableGroupResult]]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#deleteGroups"""
        group_errors = self._coordinator.handle_delete_groups(group_ids, RequestLocal(buffer_supplier))
        return CompletableFuture.completed_future([
            DeleteGroupsResponseData.DeletableGroupResult(group_id=group_id, error_code=error.code)
            for group_id, error in group_errors.items()])

    def fetch_all_offsets(
        self, context: RequestContext, request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#fetchAllOffsets"""
        return self._handle_fetch_offset(request.group_id, require_stable, None)

    def fetch_offsets(
        self, context: RequestContext, request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#fetchOffsets"""
        topic_partitions = [TopicPartition(topic.name, partition)
                            for topic in request.topics or () for partition in topic.partition_indexes]
        return self._handle_fetch_offset(request.group_id, require_stable, topic_partitions)

    def _handle_fetch_offset(
        self, group_id: str, require_stable: bool, partitions: Sequence[TopicPartition] | None,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#handleFetchOffset"""
        error, results = self._coordinator.handle_fetch_offsets(group_id, require_stable, partitions)

        future: CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup] = CompletableFuture()
        if error is not Errors.NONE:
            future.complete_exceptionally(_exception(error))
        else:
            topics: dict[str, OffsetFetchResponseData.OffsetFetchResponseTopics] = {}
            for tp, offset in results.items():
                topic = topics.get(tp.topic())
                if topic is None:
                    topic = OffsetFetchResponseData.OffsetFetchResponseTopics(name=tp.topic())
                    topics[tp.topic()] = topic
                topic.partitions.append(OffsetFetchResponseData.OffsetFetchResponsePartitions(
                    partition_index=tp.partition(),
                    metadata=offset.metadata,
                    committed_offset=offset.offset,
                    committed_leader_epoch=-1 if offset.leader_epoch is None else offset.leader_epoch,
                    error_code=offset.error.code))
            future.complete(OffsetFetchResponseData.OffsetFetchResponseGroup(
                group_id=group_id, topics=list(topics.values())))
        return future

    def commit_offsets(self, context: RequestContext, request: OffsetCommitRequestData,
                       buffer_supplier: BufferSupplier) -> CompletableFuture[OffsetCommitResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#commitOffsets"""
        current_time_ms = self._time.milliseconds()
        future: CompletableFuture[OffsetCommitResponseData] = CompletableFuture()

        def callback(commit_status: Mapping[TopicIdPartition, Errors]) -> None:
            by_topics: dict[str, OffsetCommitResponseData.OffsetCommitResponseTopic] = {}
            for tp, error in commit_status.items():
                name = _topic_of(tp)
                topic = by_topics.get(name)
                if topic is None:
                    topic = OffsetCommitResponseData.OffsetCommitResponseTopic(name=name)
                    by_topics[name] = topic
                topic.partitions.append(OffsetCommitResponseData.OffsetCommitResponsePartition(
                    partition_index=tp.partition(), error_code=error.code))
            future.complete(OffsetCommitResponseData(topics=list(by_topics.values())))

        # The broker's retention time applies, unless a request of version 2 to 4 sets its own.
        expire_time_ms = (None if request.retention_time_ms == OffsetCommitRequest.DEFAULT_RETENTION_TIME
                          else current_time_ms + request.retention_time_ms)

        partitions = {
            TopicIdPartition(Uuid.ZERO_UUID, TopicPartition(topic.name, partition.partition_index)):
            self._create_offset_and_metadata(
                current_time_ms, partition.committed_offset, partition.committed_leader_epoch,
                partition.committed_metadata, partition.commit_timestamp, expire_time_ms)
            for topic in request.topics for partition in topic.partitions}

        self._coordinator.handle_commit_offsets(
            request.group_id,
            request.member_id,
            request.group_instance_id,
            request.generation_id_or_member_epoch,
            partitions,
            callback,
            RequestLocal(buffer_supplier))

        return future

    def commit_transactional_offsets(
        self, context: RequestContext, request: TxnOffsetCommitRequestData, buffer_supplier: BufferSupplier,
    ) -> CompletableFuture[TxnOffsetCommitResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#commitTransactionalOffsets"""
        current_time_ms = self._time.milliseconds()
        future: CompletableFuture[TxnOffsetCommitResponseData] = CompletableFuture()

        def callback(results: Mapping[TopicIdPartition, Errors]) -> None:
            by_topics: dict[str, TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic] = {}
            for tp, error in results.items():
                name = _topic_of(tp)
                topic = by_topics.get(name)
                if topic is None:
                    topic = TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic(name=name)
                    by_topics[name] = topic
                topic.partitions.append(TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition(
                    partition_index=tp.partition(), error_code=error.code))
            future.complete(TxnOffsetCommitResponseData(topics=list(by_topics.values())))

        partitions = {
            TopicIdPartition(Uuid.ZERO_UUID, TopicPartition(topic.name, partition.partition_index)):
            self._create_offset_and_metadata(
                current_time_ms, partition.committed_offset, partition.committed_leader_epoch,
                partition.committed_metadata, OffsetCommitRequest.DEFAULT_TIMESTAMP, None)
            for topic in request.topics for partition in topic.partitions}

        self._coordinator.handle_txn_commit_offsets(
            request.group_id,
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            request.member_id,
            request.group_instance_id,
            request.generation_id,
            partitions,
            callback,
            RequestLocal(buffer_supplier),
            api_version=context.api_version())

        return future

    def _create_offset_and_metadata(
        self, current_time_ms: int, offset: int, leader_epoch: int, metadata: str | None,
        commit_timestamp: int, expire_timestamp: int | None,
    ) -> OffsetAndMetadata:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#createOffsetAndMetadata"""
        return OffsetAndMetadata(
            offset=offset,
            leader_epoch=None if leader_epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH else leader_epoch,
            metadata=OffsetAndMetadata.NO_METADATA if metadata is None else metadata,
            commit_timestamp=(current_time_ms if commit_timestamp == OffsetCommitRequest.DEFAULT_TIMESTAMP
                              else commit_timestamp),
            expire_timestamp=expire_timestamp)

    def delete_offsets(self, context: RequestContext, request: OffsetDeleteRequestData,
                       buffer_supplier: BufferSupplier) -> CompletableFuture[OffsetDeleteResponseData]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#deleteOffsets"""
        future: CompletableFuture[OffsetDeleteResponseData] = CompletableFuture()

        partitions = [TopicPartition(topic.name, partition.partition_index)
                      for topic in request.topics for partition in topic.partitions]

        group_error, topic_partition_results = self._coordinator.handle_delete_offsets(
            request.group_id, partitions, RequestLocal(buffer_supplier))

        if group_error is not Errors.NONE:
            future.complete_exceptionally(_exception(group_error))
        else:
            topics: dict[str, OffsetDeleteResponseData.OffsetDeleteResponseTopic] = {}
            for topic_partition, error in topic_partition_results.items():
                topic = topics.get(topic_partition.topic())
                if topic is None:
                    topic = OffsetDeleteResponseData.OffsetDeleteResponseTopic(name=topic_partition.topic())
                    topics[topic_partition.topic()] = topic
                topic.partitions.append(OffsetDeleteResponseData.OffsetDeleteResponsePartition(
                    partition_index=topic_partition.partition(), error_code=error.code))
            future.complete(OffsetDeleteResponseData(topics=list(topics.values())))

        return future

    def partition_for(self, group_id: str) -> int:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#partitionFor"""
        return self._coordinator.partition_for(group_id)

    def on_transaction_completed(self, producer_id: int, partitions: Collection[TopicPartition],
                                 transaction_result: TransactionResult) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#onTransactionCompleted"""
        self._coordinator.schedule_handle_txn_completion(producer_id, partitions, transaction_result)

    def on_partitions_deleted(self, topic_partitions: Sequence[TopicPartition],
                              buffer_supplier: BufferSupplier) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#onPartitionsDeleted"""
        self._coordinator.handle_deleted_partitions(topic_partitions, RequestLocal(buffer_supplier))

    def on_election(self, group_metadata_partition_index: int,
                    group_metadata_partition_leader_epoch: int) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#onElection"""
        self._coordinator.on_election(group_metadata_partition_index, group_metadata_partition_leader_epoch)

    def on_resignation(self, group_metadata_partition_index: int,
                       group_metadata_partition_leader_epoch: int | None) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#onResignation"""
        self._coordinator.on_resignation(
            group_metadata_partition_index, group_metadata_partition_leader_epoch)

    def on_new_metadata_image(self, changed_topics: Collection[str]) -> None:
        """Do nothing: the members of classic groups assign partitions themselves.

        :origin: kafka.coordinator.group.GroupCoordinatorAdapter#onNewMetadataImage
        """

    def group_metadata_topic_configs(self) -> dict[str, str]:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#groupMetadataTopicConfigs"""
        return self._coordinator.offsets_topic_configs()

    def startup(self, group_metadata_topic_partition_count: Callable[[], int]) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#startup"""
        self._coordinator.startup(group_metadata_topic_partition_count)

    def shutdown(self) -> None:
        """:origin: kafka.coordinator.group.GroupCoordinatorAdapter#shutdown"""
        self._coordinator.shutdown()

    def consumer_group_describe(
        self, context: RequestContext, group_ids: Sequence[str],
    ) -> CompletableFuture[list[ConsumerGroupDescribeResponseData.DescribedGroup]]:
        """Fail with UnsupportedVersionException.

        :origin: kafka.coordinator.group.GroupCoordinatorAdapter#consumerGroupDescribe
        """
        future: CompletableFuture[list[ConsumerGroupDescribeResponseData.DescribedGroup]]
        future = CompletableFuture()
        future.complete_exceptionally(_unsupported(ApiKeys.CONSUMER_GROUP_DESCRIBE))
        return future


def _topic_of(topic_id_partition: TopicIdPartition) -> str:
    topic = topic_id_partition.topic()
    assert topic is not None, "made of its name"
    return topic


def _exception(error: Errors, message: str | None = None) -> Exception:
    exception = error.exception() if message is None else error.exception(message)
    assert exception is not None, "an error"
    return exception


def _unsupported(api_key: ApiKeys) -> Exception:
    return _exception(Errors.UNSUPPORTED_VERSION,
                      f"The old group coordinator does not support {api_key.name} API.")
