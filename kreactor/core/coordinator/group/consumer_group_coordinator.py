# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A coordinator of consumer groups, which leaves classic groups to the adapter of the classic coordinator.

It replaces Kafka's GroupCoordinatorService and GroupCoordinatorShard, and is a port of neither.

DEVIATION D308: each partition of the offsets topic has a lock that guards its consumer groups. Requests run
in their own threads. Kafka has an event loop and a queue per partition. The classic coordinator keeps the
offsets of a consumer group, in a classic group without members under the same id. A consumer group whose
members become classic fills that classic group, and the reverse change empties it.

Lock order: a shard's lock, a classic group's lock, the locks of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    ApiException, CoordinatorLoadInProgressException, CoordinatorNotAvailableException,
    GroupIdNotFoundException, IllegalGenerationException, InvalidSessionTimeoutException,
    NotCoordinatorException, StaleMemberEpochException, UnsupportedVersionException)
from kreactor.common.internals.topic import Topic
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
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record import Record
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.time import Time
from kreactor.coordinator.group.api.assignor.partition_assignor import ConsumerGroupPartitionAssignor
from kreactor.coordinator.group.assignor.range_assignor import RangeAssignor
from kreactor.coordinator.group.assignor.uniform_assignor import UniformAssignor
from kreactor.coordinator.group.classic_group import ClassicGroup, ClassicMember
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.coordinator.group.consumer.resolved_regular_expression import RECORD_TYPE
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_serde import CoordinatorRecordSerde
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey
from kreactor.coordinator.group.group_metadata_manager import (
    GroupMetadataManager, InvalidRegularExpression, OperationResult)
from kreactor.coordinator.group.metadata_image import MetadataImage, TopicsImage
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.consumer_group_metrics import ConsumerGroupMetrics
from kreactor.core.coordinator.group.group_conversion import classic_group_record, classic_members
from kreactor.core.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.coordinator.group.group_metadata import Empty, GroupMetadata
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig
from kreactor.server.util.timer.timer_task import TimerTask

T = TypeVar("T")

_ASSIGNORS: dict[str, Callable[[], ConsumerGroupPartitionAssignor]] = {
    f"org.apache.kafka.coordinator.group.assignor.{type_.__name__}": type_
    for type_ in (UniformAssignor, RangeAssignor)}
# Errors of failed appends that clients of a coordinator do not know, and the errors that replace them.
_ERRORS_OF_APPENDS = {
    **dict.fromkeys((Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_ENOUGH_REPLICAS, Errors.REQUEST_TIMED_OUT),
                    Errors.COORDINATOR_NOT_AVAILABLE),
    **dict.fromkeys((Errors.NOT_LEADER_OR_FOLLOWER, Errors.KAFKA_STORAGE_ERROR), Errors.NOT_COORDINATOR),
    **dict.fromkeys((Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE, Errors.INVALID_FETCH_SIZE),
                    Errors.UNKNOWN_SERVER_ERROR)}
_NO_MEMBER = JoinGroupRequest.UNKNOWN_MEMBER_ID


class _Task(TimerTask):
    """Runs a callable when the timer expires."""

    __slots__ = ("_run",)

    def __init__(self, delay_ms: int, run: Callable[[], None]) -> None:
        super().__init__(delay_ms)
        self._run = run

    def run(self) -> None:
        self._run()


class _Shard:
    """The consumer groups in one partition of the offsets topic."""

    def __init__(self, coordinator: ConsumerGroupCoordinator, partition: int) -> None:
        self.lock = ReentrantLock()
        self.partition = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, partition)
        self._coordinator = coordinator
        self._tasks: dict[str, _Task] = {}
        # Set when another broker takes the partition over, or when it is read again.
        self._closed = False
        self.manager = coordinator.new_manager(self)

    def schedule(self, key: str, delay_ms: int, operation: Callable[[], OperationResult[None]]) -> None:
        self.cancel(key)

        def run() -> None:
            with self.lock:
                if self._tasks.get(key) is task and not self._closed:
                    del self._tasks[key]
                    self._coordinator.run_scheduled(self, key, operation)

        self._tasks[key] = task = _Task(delay_ms, run)
        self._coordinator.add_to_timer(task)

    def schedule_if_absent(
            self, key: str, delay_ms: int, operation: Callable[[], OperationResult[None]]) -> None:
        if key not in self._tasks:
            self.schedule(key, delay_ms, operation)

    def cancel(self, key: str) -> None:
        task = self._tasks.pop(key, None)
        if task is not None:
            task.cancel()

    def close(self) -> None:
        with self.lock:
            self._closed = True
            for key in list(self._tasks):
                self.cancel(key)


class ConsumerGroupCoordinator(GroupCoordinatorAdapter, Logging):
    """Any thread may call it."""

    # How long after a failed append the end of a session is tried again, in milliseconds.
    RETRY_MS = 500

    def __init__(
        self,
        coordinator: GroupCoordinator,
        time: Time,
        config: KafkaConfig,
        metadata_image: Callable[[], MetadataImage],
        topic_filter: Callable[[RequestContext, Collection[str]], AbstractSet[str]],
        metrics: Metrics,
    ) -> None:
        """Own ``coordinator``, the classic one. ``metadata_image`` returns the current topics.

        ``topic_filter`` returns those of the given topics that a client may describe.
        """
        super().__init__(coordinator, time)
        self._log_ident = f"[GroupCoordinator id={config.broker_id()}] "
        self._config = config
        self._metadata_image = metadata_image
        self._topic_filter = topic_filter
        self._assignors = _assignors(config.consumer_group_assignors())
        self._serde = CoordinatorRecordSerde()
        self._metrics = ConsumerGroupMetrics(metrics, self._count_classic_groups, self._count_consumer_groups)
        self._shards_lock = Lock()
        # Shards by partition. A shard that is loading is also in the set of loading ones.
        self._shards: dict[int, _Shard] = {}
        self._loading: dict[int, _Shard] = {}
        coordinator.group_manager.consumer_groups = self

    # The shards call this.

    def new_manager(self, shard: _Shard) -> GroupMetadataManager:
        config = self._config
        return GroupMetadataManager(
            time=self._time, timer=shard, consumer_group_assignors=self._assignors, classic_groups=self,
            metadata_image=self._metadata_image(), consumer_group_max_size=config.consumer_group_max_size(),
            consumer_group_session_timeout_ms=config.consumer_group_session_timeout_ms(),
            consumer_group_heartbeat_interval_ms=config.consumer_group_heartbeat_interval_ms(),
            classic_group_max_size=config.group_max_size(),
            consumer_group_migration_policy=config.consumer_group_migration_policy(),
            on_rebalance=self._metrics.record_rebalance)

    def add_to_timer(self, task: _Task) -> None:
        self._coordinator.heartbeat_purgatory.add_to_timer(task)

    def run_scheduled(
            self, shard: _Shard, key: str, operation: Callable[[], OperationResult[None]]) -> None:
        """Run a timer's operation; try again later if the log refuses its records."""
        try:
            self._append_and_replay(shard, operation())
        except ApiException as e:
            self.warn(
                "%s of %s failed, next attempt in %d ms: %s", key, shard.partition, self.RETRY_MS, e)
            shard.schedule(key, self.RETRY_MS, operation)
        except Exception as e:
            self.error("%s of %s failed", key, shard.partition, exc=e)

    def is_empty(self, group_id: str) -> bool | None:
        """Return whether a classic group has no members; None for an unknown group."""
        group = self._coordinator.group_manager.get_group(group_id)
        return None if group is None else group.is_(Empty)

    def tombstones(self, group_id: str) -> list[CoordinatorRecord]:
        """
        Turn an empty classic group into one that only keeps offsets; return the records that delete it.
        """
        group = self._coordinator.group_manager.get_group(group_id)
        assert group is not None, "the group was just found empty"
        with group.lock:
            had_members = group.generation_id > 0
            group.protocol_type = None
            group.generation_id = 0
        return (
            [CoordinatorRecord(ApiMessageAndVersion(GroupMetadataKey(group=group_id), 2), None)]
            if had_members else [])

    def group(self, group_id: str) -> ClassicGroup:
        """Return a snapshot of a classic group with members."""
        group = self._coordinator.group_manager.get_group(group_id)
        assert group is not None, "the group was just found empty"
        with group.lock:
            return ClassicGroup(
                group_id, group.generation_id, group.protocol_type, group.protocol_name, [
                    ClassicMember(
                        member.member_id, member.group_instance_id, member.client_id, member.client_host,
                        member.rebalance_timeout_ms, member.session_timeout_ms, member.supported_protocols,
                        member.assignment)
                    for member in group.all_member_metadata()])

    def on_upgraded(self, group_id: str) -> None:
        """Have the classic members join again, because their group has become a consumer group."""
        group = self._coordinator.group_manager.get_group(group_id)
        assert group is not None, "it was a classic group just before"
        self._coordinator.on_upgraded(group)

    def downgrade(
        self, group: ConsumerGroup, leaving_member_id: str, topics: TopicsImage,
    ) -> tuple[CoordinatorRecord, Callable[[], None]]:
        """Return the record of a classic group with the members of a consumer group, and a function that
        starts it.

        Raises SchemaException for a subscription that cannot be parsed.
        """
        members = classic_members(group, leaving_member_id)
        record = classic_group_record(group, members, topics, self._time)
        # Read now, because replaying the group's records empties it.
        generation_id = group.group_epoch()

        def begin() -> None:
            classic = self._coordinator.group_manager.get_or_maybe_create_group(group.group_id(), True)
            assert classic is not None, "created where there is none"
            self._coordinator.on_downgraded(classic, generation_id, members)

        return record, begin

    # The classic manager calls these while it loads and unloads partitions.

    def on_loading(self, partition: int) -> None:
        shard = _Shard(self, partition)
        with self._shards_lock:
            self._loading[partition] = shard

    def replay(self, partition: int, record: Record) -> bool:
        """Apply a record that is not one of the classic coordinator; return whether its type is known."""
        key, value = record.key(), record.value()
        assert key is not None, "the loader has looked"
        record_type = key.duplicate().get_short()
        if not 3 <= record_type <= 8 and record_type != RECORD_TYPE:
            return False
        try:
            self._loading[partition].manager.replay(self._serde.deserialize(key, value))
        except Exception as e:
            # A group with an inconsistent record starts again with its members' next heartbeats.
            self.error("a record of a consumer group in partition %d cannot be replayed", partition, exc=e)
        return True

    def on_loaded(self, partition: int) -> None:
        with self._shards_lock:
            shard = self._loading.pop(partition)
            old = self._shards.pop(partition, None)
            self._shards[partition] = shard
        if old is not None:
            old.close()
        with shard.lock:
            shard.manager.on_loaded()

    def on_unloaded(self, partition: int) -> None:
        with self._shards_lock:
            shard = self._shards.pop(partition, None)
        if shard is not None:
            shard.close()
            with shard.lock:
                shard.manager.on_unloaded()

    def subscribed_topics(self, group_id: str) -> AbstractSet[str]:
        """Return the topics that the group's members read; their offsets do not expire."""
        with self._shards_lock:
            shard = self._shards.get(self.partition_for(group_id))
        if shard is None:
            return frozenset()
        with shard.lock:
            if group_id not in shard.manager.group_ids():
                return frozenset()
            return frozenset(shard.manager.group(group_id).subscribed_topic_names())

    def delete_empty_groups(self) -> None:
        """Delete consumer groups that have neither members nor offsets."""
        for shard in self._all_shards():
            with shard.lock:
                for group_id in list(shard.manager.group_ids()):
                    group = self._coordinator.group_manager.get_group(group_id)
                    if group is None or not group.has_offsets():
                        records: list[CoordinatorRecord] = []
                        shard.manager.maybe_delete_group(group_id, records)
                        try:
                            self._append_and_replay(shard, OperationResult(records, None))
                        except Exception as e:
                            self.error("failed to delete the empty group %s", group_id, exc=e)

    # The handlers of requests.

    def consumer_group_heartbeat(
        self, context: RequestContext, request: ConsumerGroupHeartbeatRequestData
    ) -> CompletableFuture[ConsumerGroupHeartbeatResponseData]:
        future: CompletableFuture[ConsumerGroupHeartbeatResponseData] = CompletableFuture()
        try:
            shard = self._shard_of(request.group_id)
            with shard.lock, self._classic_lock(request.group_id):
                result = shard.manager.consumer_group_heartbeat(
                    context, request, lambda topics: self._topic_filter(context, topics))
                self._append_and_replay(shard, result, lambda error: future.complete(
                    result.response if error is Errors.NONE
                    else ConsumerGroupHeartbeatResponseData(error_code=error.code)))
        except InvalidRegularExpression as e:
            future.complete(ConsumerGroupHeartbeatResponseData(error_code=e.CODE, error_message=str(e)))
        except Exception as e:
            error = self._error_of(e, "a heartbeat for group %s failed", request.group_id)
            future.complete(ConsumerGroupHeartbeatResponseData(
                error_code=error.error().code, error_message=error.message()))
        return future

    def consumer_group_describe(
        self, context: RequestContext, group_ids: Sequence[str]
    ) -> CompletableFuture[list[ConsumerGroupDescribeResponseData.DescribedGroup]]:
        described = []
        for group_id in group_ids:
            if not group_id:
                described.append(
                    ConsumerGroupDescribeResponseData.DescribedGroup(
                        group_id=group_id, error_code=Errors.INVALID_GROUP_ID.code))
                continue
            try:
                shard = self._shard_of(group_id)
                with shard.lock:
                    described += shard.manager.consumer_group_describe([group_id])
            except ApiException as e:
                described.append(
                    ConsumerGroupDescribeResponseData.DescribedGroup(
                        group_id=group_id, error_code=Errors.for_exception(e).code))
        return CompletableFuture.completed_future(described)

    def join_group(
        self, context: RequestContext, request: JoinGroupRequestData, buffer_supplier: BufferSupplier
    ) -> CompletableFuture[JoinGroupResponseData]:
        """Add a classic member, possibly to a consumer group. A consumer group without members is deleted
        first."""
        try:
            shard = self._shard_of(request.group_id)
        except ApiException as e:
            return CompletableFuture.completed_future(JoinGroupResponseData(
                member_id=request.member_id, error_code=Errors.for_exception(e).code))
        future: CompletableFuture[JoinGroupResponseData] = CompletableFuture()
        try:
            # The lock keeps members out of a classic group that is becoming a consumer group.
            with shard.lock:
                if request.group_id in shard.manager.group_ids():
                    records: list[CoordinatorRecord] = []
                    shard.manager.maybe_delete_empty_consumer_group(request.group_id, records)
                    if not records:
                        self._check_session_timeout(request)
                        result = shard.manager.classic_group_join_to_consumer_group(
                            shard.manager.group(request.group_id), context, request)
                        self._append_and_replay(shard, result, lambda error: future.complete(
                            result.response if error is Errors.NONE
                            else JoinGroupResponseData(error_code=error.code)))
                        return future
                    self._append_and_replay(shard, OperationResult(records, None))
                return super().join_group(context, request, buffer_supplier)
        except Exception as e:
            error = self._error_of(e, "failed to add a member to group %s", request.group_id).error()
            future.complete(JoinGroupResponseData(error_code=error.code))
            return future

    def sync_group(
        self, context: RequestContext, request: SyncGroupRequestData, buffer_supplier: BufferSupplier
    ) -> CompletableFuture[SyncGroupResponseData]:
        return self._handle_classic_member(
            request.group_id,
            lambda manager, group: manager.classic_group_sync_to_consumer_group(group, request),
            lambda error: SyncGroupResponseData(error_code=error.code),
            lambda: super(ConsumerGroupCoordinator, self).sync_group(context, request, buffer_supplier))

    def heartbeat(
        self, context: RequestContext, request: HeartbeatRequestData
    ) -> CompletableFuture[HeartbeatResponseData]:
        return self._handle_classic_member(
            request.group_id,
            lambda manager, group: manager.classic_group_heartbeat_to_consumer_group(group, request),
            lambda error: HeartbeatResponseData(error_code=error.code),
            lambda: super(ConsumerGroupCoordinator, self).heartbeat(context, request))

    def leave_group(
        self, context: RequestContext, request: LeaveGroupRequestData
    ) -> CompletableFuture[LeaveGroupResponseData]:
        return self._handle_classic_member(
            request.group_id,
            lambda manager, group: manager.classic_group_leave_to_consumer_group(group, request),
            lambda error: LeaveGroupResponseData(error_code=error.code),
            lambda: super(ConsumerGroupCoordinator, self).leave_group(context, request))

    def list_groups(
        self, context: RequestContext, request: ListGroupsRequestData
    ) -> CompletableFuture[ListGroupsResponseData]:
        consumer_groups: list[ListGroupsResponseData.ListedGroup] = []
        ids: set[str] = set()
        for shard in self._all_shards():
            with shard.lock:
                ids |= shard.manager.group_ids()
                consumer_groups += shard.manager.list_groups(
                    set(request.states_filter), set(request.types_filter))

        response = super().list_groups(context, request).get()
        assert response is not None, "complete at once"
        response.groups = [group for group in response.groups if group.group_id not in ids] + consumer_groups
        return CompletableFuture.completed_future(response)

    def describe_groups(
        self, context: RequestContext, group_ids: Sequence[str]
    ) -> CompletableFuture[list[DescribeGroupsResponseData.DescribedGroup]]:
        """Describe classic groups. A consumer group is reported as Dead here."""
        groups = super().describe_groups(context, group_ids).get()
        assert groups is not None, "complete at once"
        return CompletableFuture.completed_future(
            [
                (
                    DescribeGroupsResponseData.DescribedGroup(group_id=group.group_id, group_state="Dead")
                    if group.error_code == Errors.NONE.code and self._is_consumer_group(group.group_id)
                    else group)
                for group in groups])

    def delete_groups(
        self, context: RequestContext, group_ids: Sequence[str], buffer_supplier: BufferSupplier
    ) -> CompletableFuture[list[DeleteGroupsResponseData.DeletableGroupResult]]:
        classic = [group_id for group_id in group_ids if not self._is_consumer_group(group_id)]
        of_classic = super().delete_groups(context, classic, buffer_supplier).get()
        assert of_classic is not None, "complete at once"
        results = {result.group_id: result for result in of_classic}
        for group_id in group_ids:
            if group_id in results:
                continue
            error = Errors.NONE
            try:
                shard = self._shard_of(group_id)
                with shard.lock:
                    shard.manager.validate_delete_group(group_id)
                    records: list[CoordinatorRecord] = []
                    shard.manager.create_group_tombstone_records(group_id, records)
                    self._append_and_replay(shard, OperationResult(records, None))
                    self._remove_offsets(
                        group_id, buffer_supplier,
                        lambda group: {*group.all_offsets(), *group.pending_txn_offsets()})
            except ApiException as e:
                error = Errors.for_exception(e)
            results[group_id] = DeleteGroupsResponseData.DeletableGroupResult(
                group_id=group_id, error_code=error.code)
        return CompletableFuture.completed_future(
            [results[group_id] for group_id in dict.fromkeys(group_ids)])

    def fetch_all_offsets(
        self,
        context: RequestContext,
        request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        error = self._error_of_offset_fetch(request)
        if error is not None:
            return CompletableFuture.completed_future(error)
        return super().fetch_all_offsets(context, request, require_stable)

    def fetch_offsets(
        self,
        context: RequestContext,
        request: OffsetFetchRequestData.OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseData.OffsetFetchResponseGroup]:
        error = self._error_of_offset_fetch(request)
        if error is not None:
            return CompletableFuture.completed_future(error)
        return super().fetch_offsets(context, request, require_stable)

    def commit_offsets(
        self, context: RequestContext, request: OffsetCommitRequestData, buffer_supplier: BufferSupplier
    ) -> CompletableFuture[OffsetCommitResponseData]:
        """Store offsets. For a consumer group, checks the member's epoch."""
        try:
            shard = self._shard_of(request.group_id)
            with shard.lock:
                if request.group_id not in shard.manager.group_ids():
                    if (
                            request.generation_id_or_member_epoch >= 0 and context.api_version() >= 9
                            and self.is_empty(request.group_id) is None):
                        raise GroupIdNotFoundException(f"Group {request.group_id} not found.")
                    return super().commit_offsets(context, request, buffer_supplier)
                try:
                    shard.manager.group(request.group_id).validate_offset_commit(
                        request.member_id, request.group_instance_id, request.generation_id_or_member_epoch,
                        False, context.api_version())
                except StaleMemberEpochException:
                    # Only clients of the newer protocol know the error.
                    if context.api_version() >= 9:
                        raise
                    raise UnsupportedVersionException(Errors.UNSUPPORTED_VERSION.message()) from None
        except ApiException as e:
            return CompletableFuture.completed_future(
                OffsetCommitRequest.get_error_response_data(request, Errors.for_exception(e)))
        # The member was checked above, so the offsets go into the classic group without members.
        unnamed = request.duplicate()
        unnamed.member_id, unnamed.group_instance_id, unnamed.generation_id_or_member_epoch = (
            _NO_MEMBER, None, -1)
        return super().commit_offsets(context, unnamed, buffer_supplier)

    def commit_transactional_offsets(
        self, context: RequestContext, request: TxnOffsetCommitRequestData, buffer_supplier: BufferSupplier
    ) -> CompletableFuture[TxnOffsetCommitResponseData]:
        """Store offsets of a transaction. For a consumer group, checks the member's epoch."""
        try:
            shard = self._shard_of(request.group_id)
            with shard.lock:
                if request.group_id not in shard.manager.group_ids():
                    if request.generation_id >= 0 and self.is_empty(request.group_id) is None:
                        raise IllegalGenerationException(Errors.ILLEGAL_GENERATION.message())
                    return super().commit_transactional_offsets(context, request, buffer_supplier)
                try:
                    shard.manager.group(request.group_id).validate_offset_commit(
                        request.member_id, request.group_instance_id, request.generation_id, True,
                        context.api_version())
                except StaleMemberEpochException:
                    raise IllegalGenerationException(Errors.ILLEGAL_GENERATION.message()) from None
        except ApiException as e:
            return CompletableFuture.completed_future(
                TxnOffsetCommitRequest.get_error_response_data(request, Errors.for_exception(e)))
        unnamed = request.duplicate()
        unnamed.member_id, unnamed.group_instance_id, unnamed.generation_id = _NO_MEMBER, None, -1
        return super().commit_transactional_offsets(context, unnamed, buffer_supplier)

    def delete_offsets(
        self, context: RequestContext, request: OffsetDeleteRequestData, buffer_supplier: BufferSupplier
    ) -> CompletableFuture[OffsetDeleteResponseData]:
        """Delete offsets of topics to which no member of the group is subscribed."""
        if not self._is_consumer_group(request.group_id):
            return super().delete_offsets(context, request, buffer_supplier)
        subscribed = self.subscribed_topics(request.group_id)
        partitions = [
            TopicPartition(topic.name, partition.partition_index) for topic in request.topics
            if topic.name not in subscribed for partition in topic.partitions]
        self._remove_offsets(request.group_id, buffer_supplier, lambda group: partitions)
        return CompletableFuture.completed_future(
            OffsetDeleteResponseData(
                topics=[
                    OffsetDeleteResponseData.OffsetDeleteResponseTopic(
                        name=topic.name, partitions=[
                            OffsetDeleteResponseData.OffsetDeleteResponsePartition(
                                partition_index=partition.partition_index, error_code=(
                                    Errors.GROUP_SUBSCRIBED_TO_TOPIC if topic.name in subscribed
                                    else Errors.NONE).code)
                            for partition in topic.partitions])
                    for topic in request.topics]))

    def on_new_metadata_image(self, changed_topics: Collection[str]) -> None:
        """Have groups compute their assignments again for created, changed or deleted topics."""
        image = self._metadata_image()
        for shard in self._all_shards():
            with shard.lock:
                shard.manager.on_new_metadata_image(image, changed_topics)

    def shutdown(self) -> None:
        for shard in self._all_shards():
            shard.close()
        super().shutdown()
        self._metrics.close()

    def _count_consumer_groups(self, state: ConsumerGroup.ConsumerGroupState | None) -> int:
        """Return the number of consumer groups in ``state``, or in any state."""
        count = 0
        for shard in self._all_shards():
            with shard.lock:
                groups = shard.manager.count_groups()
                count += groups.total() if state is None else groups[state]
        return count

    def _count_classic_groups(self) -> int:
        """Return the number of classic groups, without those that only keep offsets of consumer groups."""
        consumer: set[str] = set()
        for shard in self._all_shards():
            with shard.lock:
                consumer |= shard.manager.group_ids()
        return sum(
            group.group_id not in consumer for group in self._coordinator.group_manager.current_groups())

    def _all_shards(self) -> list[_Shard]:
        with self._shards_lock:
            return list(self._shards.values())

    def _shard_of(self, group_id: str) -> _Shard:
        """
        Return the shard of a group. Raises ApiException if this broker does not coordinate the group.
        """
        partition = self.partition_for(group_id)
        manager = self._coordinator.group_manager
        if not self._coordinator.is_active():
            raise CoordinatorNotAvailableException(Errors.COORDINATOR_NOT_AVAILABLE.message())
        elif manager.is_partition_loading(partition):
            raise CoordinatorLoadInProgressException(Errors.COORDINATOR_LOAD_IN_PROGRESS.message())
        with self._shards_lock:
            shard = self._shards.get(partition)
        if shard is None or not manager.is_partition_owned(partition):
            raise NotCoordinatorException(Errors.NOT_COORDINATOR.message())
        return shard

    def _classic_lock(self, group_id: str) -> AbstractContextManager[object]:
        """Return the lock of a classic group, under which the group becomes a consumer group in one step."""
        group = self._coordinator.group_manager.get_group(group_id)
        return nullcontext() if group is None else group.lock

    def _check_session_timeout(self, request: JoinGroupRequestData) -> None:
        """Raise InvalidSessionTimeoutException for a session timeout outside the limits."""
        if not (self._config.group_min_session_timeout_ms() <= request.session_timeout_ms
                <= self._config.group_max_session_timeout_ms()):
            raise InvalidSessionTimeoutException(Errors.INVALID_SESSION_TIMEOUT.message())

    def _handle_classic_member(
        self, group_id: str, operation: Callable[[GroupMetadataManager, ConsumerGroup], OperationResult[T]],
        failed: Callable[[Errors], T], classic: Callable[[], CompletableFuture[T]],
    ) -> CompletableFuture[T]:
        """Handle a classic member's request; in a consumer group, by ``operation``."""
        with self._shards_lock:
            shard = self._shards.get(self.partition_for(group_id))
        if shard is None:
            return classic()
        future: CompletableFuture[T] = CompletableFuture()
        with shard.lock:
            # A consumer group without members knows no member, and neither does the classic group.
            if group_id not in shard.manager.group_ids() or shard.manager.group(group_id).is_empty():
                return classic()
            try:
                shard = self._shard_of(group_id)
                result = operation(shard.manager, shard.manager.group(group_id))
                self._append_and_replay(shard, result, lambda error: future.complete(
                    result.response if error is Errors.NONE else failed(error)))
            except Exception as e:
                future.complete(failed(
                    self._error_of(e, "a classic member's request to group %s failed", group_id).error()))
        return future

    def _error_of(self, e: Exception, text: str, *arguments: object) -> ApiError:
        """Return the error for a client. An unexpected exception is logged, and gives an error without a
        message."""
        error = ApiError.from_throwable(e)
        if error.is_(Errors.UNKNOWN_SERVER_ERROR):
            self.error(text, *arguments, exc=e)
            return ApiError(error.error(), None)
        return error

    def _is_consumer_group(self, group_id: str) -> bool:
        with self._shards_lock:
            shard = self._shards.get(self.partition_for(group_id))
        if shard is None:
            return False
        with shard.lock:
            return group_id in shard.manager.group_ids()

    def _error_of_offset_fetch(
        self, request: OffsetFetchRequestData.OffsetFetchRequestGroup
    ) -> OffsetFetchResponseData.OffsetFetchResponseGroup | None:
        """Return the error response to an OffsetFetch that does not match a member of the group, or None."""
        try:
            if self._is_consumer_group(request.group_id):
                shard = self._shard_of(request.group_id)
                with shard.lock:
                    shard.manager.group(request.group_id).validate_offset_fetch(
                        request.member_id, request.member_epoch)
        except ApiException as e:
            return OffsetFetchResponseData.OffsetFetchResponseGroup(
                group_id=request.group_id, error_code=Errors.for_exception(e).code)
        return None

    def _remove_offsets(
        self,
        group_id: str,
        buffer_supplier: BufferSupplier,
        selector: Callable[[GroupMetadata], Iterable[TopicPartition]],
    ) -> None:
        """Delete the offsets of partitions, also those of open transactions."""
        def remove(group: GroupMetadata) -> Mapping[TopicPartition, OffsetAndMetadata]:
            partitions, pending = list(selector(group)), group.pending_txn_offsets()
            return {partition: pending[partition] for partition in partitions if partition in pending
                    } | group.remove_offsets(partitions)

        manager = self._coordinator.group_manager
        group = manager.get_group(group_id)
        if group is not None:
            manager.cleanup_group_metadata([group], RequestLocal(buffer_supplier), remove)

    def _append_and_replay(
        self, shard: _Shard, result: OperationResult[T],
        callback: Callable[[Errors], object] = lambda error: None,
    ) -> None:
        """Append records in one batch and replay them. Calls back when enough replicas have them.

        Called under the shard's lock. Raises ApiException if the log refuses the records. Then nothing has
        changed, and there is no callback.
        """
        records = result.records
        if not records:
            if result.on_appended is not None:
                result.on_appended()
            callback(Errors.NONE)
            return
        failed: list[Errors] = []
        done: list[Errors] = []
        appended = False

        def respond(error: Errors) -> None:
            if appended:
                callback(error)
            else:
                (done if error is Errors.NONE else failed).append(error)

        self._coordinator.group_manager.append_consumer_group_records(
            shard.partition, shard.lock,
            [(self._serde.serialize_key(record), self._serde.serialize_value(record)) for record in records],
            lambda error: respond(_ERRORS_OF_APPENDS.get(error, error)))
        if failed:
            failed[0].maybe_throw()
        for record in records:
            shard.manager.replay(record)
        if result.on_appended is not None:
            result.on_appended()
        appended = True
        for error in done:
            callback(error)


def _assignors(names: Sequence[str]) -> list[ConsumerGroupPartitionAssignor]:
    """Return the assignors of Kafka's class names, the default first. Raises ConfigException."""
    unknown = [name for name in names if name not in _ASSIGNORS]
    if unknown or not names:
        raise ConfigException(
            f"{GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNORS_CONFIG}: "
            f"{', '.join(unknown) or 'an empty list'} is not an assignor; use one or more of "
            f"{', '.join(_ASSIGNORS)}")
    return [_ASSIGNORS[name]() for name in names]
