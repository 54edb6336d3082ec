# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.GroupMetadataManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""All groups of this node: their cache, and the topic that stores them.

The hash of a group's id picks its partition of ``__consumer_offsets``. The cache equals a replay of that
partition: a change is appended first, and enters the cache when the append has completed. The records of the
topic, by the version at the start of the key:

======= ======================= ================================ ==========================================
version key                     value                            without a value
======= ======================= ================================ ==========================================
0, 1    group, topic, partition offset, leader epoch, metadata,  the offset has expired, or was deleted
                                time of the commit
2       group                   generation, protocol, leader,    the group was deleted
                                members and their assignments
======= ======================= ================================ ==========================================

Threads: any thread may call it. The one thread of ``_scheduler`` loads partitions, expires offsets and
handles the ends of transactions.

Locks: ``_partition_lock`` guards the sets of loaded and loading partitions, and is taken before a group's
lock. A group's lock is taken before those of logs. ``_open_groups_lock`` is taken last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Callable, NamedTuple, Protocol

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import KafkaStorageException
from kreactor.common.internals.topic import Topic
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.records import Records
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey as GroupMetadataKeyData
from kreactor.coordinator.group.generated.group_metadata_value import GroupMetadataValue
from kreactor.coordinator.group.generated.offset_commit_key import OffsetCommitKey
from kreactor.coordinator.group.generated.offset_commit_value import OffsetCommitValue
from kreactor.coordinator.group.offset_config import OffsetConfig
from kreactor.core.common.offset_and_metadata import OffsetAndMetadata
from kreactor.core.coordinator.group.group_metadata import (
    CommitRecordMetadataAndOffset,
    CompletingRebalance,
    Dead,
    Empty,
    GroupMetadata,
    GroupState,
    PreparingRebalance,
    Stable,
)
from kreactor.core.coordinator.group.member_metadata import MemberMetadata
from kreactor.core.server.replica_manager import NO_GUARDS, ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.core_utils import require
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import hash_code
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.verification_guard import VerificationGuard

# A partition that could not be read is read again after this time.
_LOAD_RETRY_MS = 1000

ResponseStatus = Mapping[TopicPartition, ProduceResponse.PartitionResponse]
PutCacheCallback = Callable[[ResponseStatus], None]
CommitCallback = Callable[[dict[TopicIdPartition, Errors]], object]
Commits = dict[TopicPartition, CommitRecordMetadataAndOffset]


class ConsumerGroups(Protocol):
    """The store of the consumer groups in the partitions that the manager loads. Not a port."""

    def on_loading(self, partition: int) -> None:
        """Drop a partition's groups, because the partition is read from its beginning."""

    def replay(self, partition: int, record: Record) -> bool:
        """Apply a record that is not one of a classic group; return whether its type is known."""

    def on_loaded(self, partition: int) -> None:
        """Begin to accept requests for a partition's groups."""

    def on_unloaded(self, partition: int) -> None:
        """Drop a partition's groups."""

    def subscribed_topics(self, group_id: str) -> Set[str]:
        """Return the topics that members of a group read; their offsets do not expire."""

    def delete_empty_groups(self) -> None:
        """Delete groups that have neither members nor offsets."""


class GroupMetadataManager(Logging):
    """
    :origin: kafka.coordinator.group.GroupMetadataManager
    :origin: kafka.coordinator.group.GroupMetadataManager
    """

    # :origin: kafka.coordinator.group.GroupMetadataManager#MetricsGroup
    METRICS_GROUP = "group-coordinator-metrics"
    LOAD_TIME_SENSOR = "GroupPartitionLoadTime"
    OFFSET_COMMITS_SENSOR = "OffsetCommits"
    OFFSET_EXPIRED_SENSOR = "OffsetExpired"

    def __init__(self, broker_id: int, inter_broker_protocol_version: MetadataVersion, config: OffsetConfig,
                 replica_manager: ReplicaManager, time: Time, metrics: Metrics,
                 metrics_registry: MetricsRegistry | None = None,
                 scheduler: KafkaScheduler | None = None) -> None:
        """Know no group before partitions are loaded. ``scheduler`` has one thread for all background work.

        :origin: kafka.coordinator.group.GroupMetadataManager#GroupMetadataManager
        """
        self._broker_id = broker_id
        self._inter_broker_protocol_version = inter_broker_protocol_version
        self._config = config
        self.replica_manager = replica_manager
        self._time = time
        self._metrics = metrics
        self.metrics_group = KafkaMetricsGroup(type(self), metrics_registry)

        self._compression = Compression.of(config.offsets_topic_compression_type).build()

        self._group_metadata_cache: Pool[str, GroupMetadata] = Pool()

        self._partition_lock = ReentrantLock()
        # Guarded by the lock. A partition whose loading failed is owned too.
        self._loading_partitions: set[int] = set()
        self._owned_partitions: set[int] = set()
        # The epoch of a partition's last loading or unloading.
        self.epoch_for_partition_id: dict[int, int] = {}

        # The store of the consumer groups in the same partitions, or None.
        self.consumer_groups: ConsumerGroups | None = None

        self._shutting_down = False
        self._group_metadata_topic_partition_count = 0

        self._scheduler = scheduler or KafkaScheduler(1, True, "group-metadata-manager-")

        # The groups with pending commits of each producer: a transaction's marker names only a producer and a
        # partition.
        self._open_groups_lock = Lock()
        self._open_groups_for_producer: dict[int, set[str]] = {}

        self._partition_load_sensor = metrics.sensor(GroupMetadataManager.LOAD_TIME_SENSOR)
        self._partition_load_sensor.add(metrics.metric_name(
            "partition-load-time-max", GroupMetadataManager.METRICS_GROUP,
            "The longest time that the loading of a partition took, in ms"), Max())
        self._partition_load_sensor.add(metrics.metric_name(
            "partition-load-time-avg", GroupMetadataManager.METRICS_GROUP,
            "The time that the loading of a partition took, in ms"), Avg())

        self.offset_commits_sensor = metrics.sensor(GroupMetadataManager.OFFSET_COMMITS_SENSOR)
        self.offset_commits_sensor.add(Meter(
            metrics.metric_name("offset-commit-rate", GroupMetadataManager.METRICS_GROUP,
                                "Offsets committed per second"),
            metrics.metric_name("offset-commit-count", GroupMetadataManager.METRICS_GROUP,
                                "Offsets ever committed")))

        self.offset_expired_sensor = metrics.sensor(GroupMetadataManager.OFFSET_EXPIRED_SENSOR)
        self.offset_expired_sensor.add(Meter(
            metrics.metric_name("offset-expiration-rate", GroupMetadataManager.METRICS_GROUP,
                                "Offsets expired per second"),
            metrics.metric_name("offset-expiration-count", GroupMetadataManager.METRICS_GROUP,
                                "Offsets ever expired")))

        self._log_ident = f"[GroupMetadataManager brokerId={broker_id}] "

        self._recreate_gauge("NumOffsets", self._num_offsets)
        self._recreate_gauge("NumGroups", lambda: len(self._group_metadata_cache.keys()))
        self._recreate_gauge("NumGroupsPreparingRebalance", lambda: self._num_groups(PreparingRebalance))
        self._recreate_gauge("NumGroupsCompletingRebalance", lambda: self._num_groups(CompletingRebalance))
        self._recreate_gauge("NumGroupsStable", lambda: self._num_groups(Stable))
        self._recreate_gauge("NumGroupsDead", lambda: self._num_groups(Dead))
        self._recreate_gauge("NumGroupsEmpty", lambda: self._num_groups(Empty))

    def _recreate_gauge(self, name: str, gauge: Callable[[], int]) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#recreateGauge"""
        self.metrics_group.remove_metric(name)
        self.metrics_group.new_gauge(name, gauge)

    def _num_offsets(self) -> int:
        count = 0
        for group in self._group_metadata_cache.values():
            with group.lock:
                count += group.num_offsets()
        return count

    def _num_groups(self, state: GroupState) -> int:
        return sum(group.is_(state) for group in self._group_metadata_cache.values())

    def startup(self, retrieve_group_metadata_topic_partition_count: Callable[[], int],
                enable_metadata_expiration: bool) -> None:
        """Start the scheduler. With ``enable_metadata_expiration``, offsets are expired at once and then
        periodically.

        :origin: kafka.coordinator.group.GroupMetadataManager#startup
        """
        self._group_metadata_topic_partition_count = retrieve_group_metadata_topic_partition_count()
        self._scheduler.startup()
        if enable_metadata_expiration:
            self._scheduler.schedule("delete-expired-group-metadata", self.cleanup_expired_group_metadata, 0,
                                     self._config.offsets_retention_check_interval_ms)

    def current_groups(self) -> list[GroupMetadata]:
        """:origin: kafka.coordinator.group.GroupMetadataManager#currentGroups"""
        return self._group_metadata_cache.values()

    def is_partition_owned(self, partition: int) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadataManager#isPartitionOwned"""
        with self._partition_lock:
            return partition in self._owned_partitions

    def is_partition_loading(self, partition: int) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadataManager#isPartitionLoading"""
        with self._partition_lock:
            return partition in self._loading_partitions

    def partition_for(self, group_id: str) -> int:
        """Return the partition of the topic that stores a group.

        :origin: kafka.coordinator.group.GroupMetadataManager#partitionFor
        """
        return Utils.abs(hash_code(group_id)) % self._group_metadata_topic_partition_count

    def is_group_local(self, group_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadataManager#isGroupLocal"""
        return self.is_partition_owned(self.partition_for(group_id))

    def is_group_loading(self, group_id: str) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadataManager#isGroupLoading"""
        return self.is_partition_loading(self.partition_for(group_id))

    def is_loading(self) -> bool:
        """:origin: kafka.coordinator.group.GroupMetadataManager#isLoading"""
        with self._partition_lock:
            return bool(self._loading_partitions)

    def group_not_exists(self, group_id: str) -> bool:
        """Return whether this node coordinates the group and the group does not exist, or is Dead.

        :origin: kafka.coordinator.group.GroupMetadataManager#groupNotExists
        """
        with self._partition_lock:
            if not self.is_group_local(group_id):
                return False
            group = self.get_group(group_id)
            if group is None:
                return True
            with group.lock:
                return group.is_(Dead)

    def is_group_open_for_producer(self, producer_id: int, group_id: str) -> bool:
        """Return whether the producer has pending commits in the group. For tests.

        :origin: kafka.coordinator.group.GroupMetadataManager#isGroupOpenForProducer
        """
        return group_id in self._open_groups_for_producer.get(producer_id, ())

    def get_group(self, group_id: str) -> GroupMetadata | None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#getGroup"""
        return self._group_metadata_cache.get(group_id)

    def get_or_maybe_create_group(self, group_id: str, create_if_not_exist: bool) -> GroupMetadata | None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#getOrMaybeCreateGroup"""
        if create_if_not_exist:
            return self._group_metadata_cache.get_and_maybe_put_create_value(
                group_id, lambda: GroupMetadata(group_id, Empty, self._time))
        return self._group_metadata_cache.get(group_id)

    def add_group(self, group: GroupMetadata) -> GroupMetadata:
        """Add ``group``; return it, or the existing group of the same id.

        :origin: kafka.coordinator.group.GroupMetadataManager#addGroup
        """
        current_group = self._group_metadata_cache.put_if_not_exists(group.group_id, group)
        return group if current_group is None else current_group

    def store_group(self, group: GroupMetadata, group_assignment: Mapping[str, bytes],
                    response_callback: Callable[[Errors], object],
                    request_local: RequestLocal = RequestLocal.NoCaching) -> None:
        """Append a group's generation with its members' assignments. Called under the group's lock.

        Raises IllegalStateException if a member has no assignment.

        :origin: kafka.coordinator.group.GroupMetadataManager#storeGroup
        """
        magic_value = self._get_magic(self.partition_for(group.group_id))
        if magic_value is None:
            response_callback(Errors.NOT_COORDINATOR)
            return
        timestamp_type = TimestampType.CREATE_TIME
        timestamp = self._time.milliseconds()
        key = GroupMetadataManager.group_metadata_key(group.group_id)
        value = GroupMetadataManager.group_metadata_value(
            group, group_assignment, self._inter_broker_protocol_version)

        record = SimpleRecord(timestamp, key, value)
        buffer = ByteBuffer.allocate(
            AbstractRecords.estimate_size_in_bytes(magic_value, self._compression.type(), [record]))
        with MemoryRecords.builder(
                buffer, self._compression, timestamp_type, 0, magic=magic_value) as builder:
            builder.append_simple_record(record)
            records = builder.build()

        group_metadata_partition = TopicPartition(
            Topic.GROUP_METADATA_TOPIC_NAME, self.partition_for(group.group_id))
        generation_id = group.generation_id

        def put_cache_callback(response_status: ResponseStatus) -> None:
            if len(response_status) != 1 or group_metadata_partition not in response_status:
                raise IllegalStateException(f"Append status {response_status} should only have one partition "
                                            f"{group_metadata_partition}")

            status = response_status[group_metadata_partition]
            error = status.error
            if error is Errors.NONE:
                response_error = Errors.NONE
            else:
                self.debug("generation %d of group %s did not get into the log: %s", generation_id,
                           group.group_id, error.exception_name())

                # The member gets an error that it can handle.
                if error in (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_ENOUGH_REPLICAS,
                             Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND):
                    response_error = Errors.COORDINATOR_NOT_AVAILABLE
                elif error in (Errors.NOT_LEADER_OR_FOLLOWER, Errors.KAFKA_STORAGE_ERROR):
                    response_error = Errors.NOT_COORDINATOR
                elif error is Errors.REQUEST_TIMED_OUT:
                    response_error = Errors.REBALANCE_IN_PROGRESS
                elif error in (Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE,
                               Errors.INVALID_FETCH_SIZE):
                    self.error("generation %d of group %s does not fit into the log: %s", generation_id,
                               group.group_id, error.exception_name())
                    response_error = Errors.UNKNOWN_SERVER_ERROR
                else:
                    self.error("generation %d of group %s did not get into the log, which was not expected: "
                               "%s", generation_id, group.group_id, error.exception_name())
                    response_error = error

            response_callback(response_error)

        self._append_for_group(group, {group_metadata_partition: records}, request_local, put_cache_callback)

    def _append_for_group(self, group: GroupMetadata, records: Mapping[TopicPartition, MemoryRecords],
                          request_local: RequestLocal, callback: PutCacheCallback,
                          verification_guards: Mapping[TopicPartition, VerificationGuard] = NO_GUARDS,
                          ) -> None:
        """Append records. Called under the group's lock, so that the log and the cache change together.

        :origin: kafka.coordinator.group.GroupMetadataManager#appendForGroup
        """
        self.replica_manager.append_records(
            timeout=self._config.offset_commit_timeout_ms,
            required_acks=self._config.offset_commit_required_acks,
            internal_topics_allowed=True,
            origin=AppendOrigin.COORDINATOR,
            entries_per_partition=records,
            response_callback=callback,
            delayed_produce_lock=group.lock,
            request_local=request_local,
            verification_guards=verification_guards)

    def append_consumer_group_records(
        self, topic_partition: TopicPartition, lock: ReentrantLock,
        entries: Sequence[tuple[bytes, bytes | None]], callback: Callable[[Errors], object],
    ) -> None:
        """Append records of consumer groups in one batch. Called under their shard's lock.

        ``callback`` is called at once if the log refuses the records, else when enough replicas have them.
        """
        magic_value = self._get_magic(topic_partition.partition())
        if magic_value is None:
            callback(Errors.NOT_COORDINATOR)
            return
        timestamp = self._time.milliseconds()
        records = MemoryRecords.with_records(
            self._compression, *(SimpleRecord(timestamp, key, value) for key, value in entries),
            magic=magic_value, timestamp_type=TimestampType.CREATE_TIME)
        self.replica_manager.append_records(
            timeout=self._config.offset_commit_timeout_ms,
            required_acks=self._config.offset_commit_required_acks,
            internal_topics_allowed=True,
            origin=AppendOrigin.COORDINATOR,
            entries_per_partition={topic_partition: records},
            response_callback=lambda status: callback(status[topic_partition].error),
            delayed_produce_lock=lock)

    def _generate_offset_records(
        self, magic_value: int, is_txn_offset_commit: bool, group_id: str,
        offset_topic_partition: TopicPartition,
        filtered_offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata], producer_id: int,
        producer_epoch: int,
    ) -> dict[TopicPartition, MemoryRecords]:
        """:origin: kafka.coordinator.group.GroupMetadataManager#generateOffsetRecords"""
        timestamp_type = TimestampType.CREATE_TIME
        timestamp = self._time.milliseconds()

        records = [
            SimpleRecord(
                timestamp,
                GroupMetadataManager.offset_commit_key(group_id, topic_id_partition.topic_partition()),
                GroupMetadataManager.offset_commit_value(
                    offset_and_metadata, self._inter_broker_protocol_version))
            for topic_id_partition, offset_and_metadata in filtered_offset_metadata.items()]
        buffer = ByteBuffer.allocate(
            AbstractRecords.estimate_size_in_bytes(magic_value, self._compression.type(), records))

        if is_txn_offset_commit and magic_value < RecordBatch.MAGIC_VALUE_V2:
            exception = Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT.exception(
                f"Attempting to make a transaction offset commit with an invalid magic: {magic_value}")
            assert exception is not None
            raise exception

        with MemoryRecords.builder(
                buffer, self._compression, timestamp_type, 0, magic=magic_value,
                log_append_time=self._time.milliseconds(), producer_id=producer_id,
                producer_epoch=producer_epoch, base_sequence=0,
                is_transactional=is_txn_offset_commit) as builder:
            for record in records:
                builder.append_simple_record(record)
            return {offset_topic_partition: builder.build()}

    def _create_put_cache_callback(
        self, is_txn_offset_commit: bool, group: GroupMetadata, consumer_id: str,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        filtered_offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata],
        response_callback: CommitCallback, producer_id: int,
        records: Mapping[TopicPartition, MemoryRecords],
    ) -> PutCacheCallback:
        """Return the callback that puts appended commits into the cache and responds.

        :origin: kafka.coordinator.group.GroupMetadataManager#createPutCacheCallback
        """
        offset_topic_partition = TopicPartition(
            Topic.GROUP_METADATA_TOPIC_NAME, self.partition_for(group.group_id))

        def put_cache_callback(response_status: ResponseStatus) -> None:
            if len(response_status) != 1 or offset_topic_partition not in response_status:
                raise IllegalStateException(f"Append status {response_status} should only have one partition "
                                            f"{offset_topic_partition}")

            status = response_status[offset_topic_partition]

            with group.lock:
                if status.error is Errors.NONE:
                    if not group.is_(Dead):
                        for topic_id_partition, offset_and_metadata in filtered_offset_metadata.items():
                            commit = CommitRecordMetadataAndOffset(status.base_offset, offset_and_metadata)
                            if is_txn_offset_commit:
                                group.on_txn_offset_commit_append(producer_id, topic_id_partition, commit)
                            else:
                                group.on_offset_commit_append(topic_id_partition, commit)

                    # Counts batches, not offsets, as in Kafka.
                    self.offset_commits_sensor.record(len(records))

                    response_error = Errors.NONE
                else:
                    if not group.is_(Dead):
                        if not group.has_pending_offset_commits_from_producer(producer_id):
                            self._remove_producer_group(producer_id, group.group_id)
                        for topic_id_partition, offset_and_metadata in filtered_offset_metadata.items():
                            if is_txn_offset_commit:
                                group.fail_pending_txn_offset_commit(producer_id, topic_id_partition)
                            else:
                                group.fail_pending_offset_write(topic_id_partition, offset_and_metadata)

                    self.debug("the offsets %s of group %s, consumer %s, generation %d did not get into the "
                               "log: %s", filtered_offset_metadata, group.group_id, consumer_id,
                               group.generation_id, status.error.exception_name())

                    response_error = GroupMetadataManager.maybe_convert_offset_commit_error(status.error)

            commit_status = {}
            for topic_id_partition, offset_and_metadata in offset_metadata.items():
                if not self._validate_offset_metadata_length(offset_and_metadata.metadata):
                    commit_status[topic_id_partition] = Errors.OFFSET_METADATA_TOO_LARGE
                else:
                    commit_status[topic_id_partition] = response_error

            response_callback(commit_status)

        return put_cache_callback

    def store_offsets(
        self, group: GroupMetadata, consumer_id: str, offset_topic_partition: TopicPartition,
        offset_metadata: Mapping[TopicIdPartition, OffsetAndMetadata], response_callback: CommitCallback,
        producer_id: int = RecordBatch.NO_PRODUCER_ID, producer_epoch: int = RecordBatch.NO_PRODUCER_EPOCH,
        request_local: RequestLocal = RequestLocal.NoCaching,
        verification_guard: VerificationGuard | None = None,
    ) -> None:
        """Append commits, then put them into the cache. Called under the group's lock.

        :origin: kafka.coordinator.group.GroupMetadataManager#storeOffsets
        """
        if not group.has_received_consistent_offset_commits():
            self.warn("group %s with leader %s commits offsets by its consumers and by transactions: which "
                      "of them is the later one may surprise", group.group_id, group.leader_or_null())

        filtered_offset_metadata = {
            topic_id_partition: offset_and_metadata
            for topic_id_partition, offset_and_metadata in offset_metadata.items()
            if self._validate_offset_metadata_length(offset_and_metadata.metadata)}
        if not filtered_offset_metadata:
            response_callback(dict.fromkeys(offset_metadata, Errors.OFFSET_METADATA_TOO_LARGE))
            return

        magic = self._get_magic(self.partition_for(group.group_id))
        if magic is None:
            response_callback(dict.fromkeys(offset_metadata, Errors.NOT_COORDINATOR))
            return

        is_txn_offset_commit = producer_id != RecordBatch.NO_PRODUCER_ID
        records = self._generate_offset_records(
            magic, is_txn_offset_commit, group.group_id, offset_topic_partition, filtered_offset_metadata,
            producer_id, producer_epoch)
        put_cache_callback = self._create_put_cache_callback(
            is_txn_offset_commit, group, consumer_id, offset_metadata, filtered_offset_metadata,
            response_callback, producer_id, records)

        verification_guards = (
            NO_GUARDS if verification_guard is None else {offset_topic_partition: verification_guard})

        if is_txn_offset_commit:
            self._add_producer_group(producer_id, group.group_id)
            group.prepare_txn_offset_commit(producer_id, filtered_offset_metadata)
        else:
            group.prepare_offset_commit(filtered_offset_metadata)

        self._append_for_group(group, records, request_local, put_cache_callback, verification_guards)

    def get_offsets(self, group_id: str, require_stable: bool,
                    topic_partitions: Sequence[TopicPartition] | None,
                    ) -> dict[TopicPartition, OffsetFetchResponse.PartitionData]:
        """Return committed offsets, those of all partitions if none are named.

        With ``require_stable``, a partition with a pending commit of a transaction has an error.

        :origin: kafka.coordinator.group.GroupMetadataManager#getOffsets
        """
        if self.is_trace_enabled():
            self.trace("offsets of %s for group %s", "all partitions" if topic_partitions is None
                       else topic_partitions, group_id)
        group = self._group_metadata_cache.get(group_id)
        if group is None:
            return {topic_partition: _no_offset() for topic_partition in topic_partitions or ()}
        with group.lock:
            if group.is_(Dead):
                return {topic_partition: _no_offset() for topic_partition in topic_partitions or ()}
            if topic_partitions is None:
                topic_partitions = list(group.all_offsets())

            result = {}
            for topic_partition in topic_partitions:
                if require_stable and group.has_pending_offset_commits_for_topic_partition(topic_partition):
                    result[topic_partition] = _no_offset(Errors.UNSTABLE_OFFSET_COMMIT)
                else:
                    offset_and_metadata = group.offset(topic_partition)
                    result[topic_partition] = (
                        _no_offset() if offset_and_metadata is None
                        else OffsetFetchResponse.PartitionData(
                            offset_and_metadata.offset, offset_and_metadata.leader_epoch,
                            offset_and_metadata.metadata, Errors.NONE))
            return result

    def schedule_load_group_and_offsets(self, offsets_partition: int, coordinator_epoch: int,
                                        on_group_loaded: Callable[[GroupMetadata], object]) -> None:
        """Have a partition of the topic loaded into the cache. ``on_group_loaded`` is called on the
        scheduler's thread.

        :origin: kafka.coordinator.group.GroupMetadataManager#scheduleLoadGroupAndOffsets
        """
        topic_partition = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, offsets_partition)
        self.info("the groups of %s will be loaded for epoch %d", topic_partition, coordinator_epoch)
        start_time_ms = self._time.milliseconds()
        self._scheduler.schedule_once(str(topic_partition), lambda: self.load_groups_and_offsets(
            topic_partition, coordinator_epoch, on_group_loaded, start_time_ms))

    def load_groups_and_offsets(self, topic_partition: TopicPartition, coordinator_epoch: int,
                                on_group_loaded: Callable[[GroupMetadata], object],
                                start_time_ms: int) -> None:
        """Load a partition of the topic into the cache, unless it is loaded already.

        :origin: kafka.coordinator.group.GroupMetadataManager#loadGroupsAndOffsets
        """
        partition = topic_partition.partition()
        if not self._maybe_update_coordinator_epoch(partition, coordinator_epoch):
            self.info("the groups of %s are not loaded for epoch %d, the epoch is %s", topic_partition,
                      coordinator_epoch, self.epoch_for_partition_id.get(partition))
        elif not self.add_loading_partition(partition):
            self.info("the groups of %s are being loaded already", topic_partition)
        else:
            self._load_loading_partition(topic_partition, coordinator_epoch, on_group_loaded, start_time_ms)

    def _load_loading_partition(self, topic_partition: TopicPartition, coordinator_epoch: int,
                                on_group_loaded: Callable[[GroupMetadata], object],
                                start_time_ms: int) -> None:
        """Load a partition that is in the set of loading ones. Afterwards the partition is owned, or will be
        read again."""
        partition = topic_partition.partition()
        read_again = False
        try:
            scheduler_time_ms = self._time.milliseconds() - start_time_ms
            self.debug("loading the groups of %s for epoch %d", topic_partition, coordinator_epoch)
            self._do_load_groups_and_offsets(topic_partition, on_group_loaded)
            end_time_ms = self._time.milliseconds()
            total_loading_time_ms = end_time_ms - start_time_ms
            self._partition_load_sensor.record(total_loading_time_ms, end_time_ms, False)
            self.info("the groups of %s are loaded, in %d ms, for epoch %d; %d ms of these went before "
                      "it began", topic_partition, total_loading_time_ms, coordinator_epoch,
                      scheduler_time_ms)
        except (KafkaStorageException, OSError) as e:
            # DEVIATION D252: the partition stays loading and is read again from its beginning. Kafka owns the
            # partition without its groups and offsets until a restart reads them. Here a client would then
            # see no committed offset, and start from scratch.
            self.error("the groups of %s cannot be read, which is tried again in %d ms", topic_partition,
                       _LOAD_RETRY_MS, exc=e)
            read_again = True
            self._scheduler.schedule_once(str(topic_partition), lambda: self._load_again(
                topic_partition, coordinator_epoch, on_group_loaded, start_time_ms), _LOAD_RETRY_MS)
        except Exception as t:
            self.error("loading the groups of %s failed", topic_partition, exc=t)
        finally:
            if not read_again:
                with self._partition_lock:
                    self._owned_partitions.add(partition)
                    self._loading_partitions.discard(partition)

    def _load_again(self, topic_partition: TopicPartition, coordinator_epoch: int,
                    on_group_loaded: Callable[[GroupMetadata], object], start_time_ms: int) -> None:
        """Read a partition again after a failed read, unless it was unloaded or has a later epoch."""
        partition = topic_partition.partition()
        with self._partition_lock:
            waits = (partition in self._loading_partitions
                     and self.epoch_for_partition_id.get(partition) == coordinator_epoch)
        if waits:
            self._load_loading_partition(topic_partition, coordinator_epoch, on_group_loaded, start_time_ms)

    def _do_load_groups_and_offsets(self, topic_partition: TopicPartition,
                                    on_group_loaded: Callable[[GroupMetadata], object]) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#doLoadGroupsAndOffsets"""
        def log_end_offset() -> int:
            end = self.replica_manager.get_log_end_offset(topic_partition)
            return -1 if end is None else end

        log = self.replica_manager.get_log(topic_partition)
        if log is None:
            self.warn("cannot load the groups of %s: there is no log", topic_partition)
            return

        loaded_offsets: dict[GroupTopicPartition, CommitRecordMetadataAndOffset] = {}
        pending_offsets: dict[int, dict[GroupTopicPartition, CommitRecordMetadataAndOffset]] = {}
        loaded_groups: dict[str, GroupMetadata] = {}
        if self.consumer_groups is not None:
            self.consumer_groups.on_loading(topic_partition.partition())
        removed_groups: set[str] = set()

        # One buffer for all reads.
        buffer = ByteBuffer.allocate(0)

        # An end of -1 means that the log is gone.
        curr_offset = log.log_start_offset()
        read_at_least_one_record = True

        while curr_offset < log_end_offset() and read_at_least_one_record and not self._shutting_down:
            fetch_data_info = log.read(
                curr_offset, self._config.load_buffer_size, FetchIsolation.LOG_END, True)

            read_at_least_one_record = fetch_data_info.records.size_in_bytes() > 0

            buffer, mem_records = self._in_memory(fetch_data_info.records, buffer, topic_partition)
            for batch in mem_records.batches():
                is_txn_offset_commit = batch.is_transactional()
                producer_id = batch.producer_id()
                if batch.is_control_batch():
                    control_record = next(iter(batch), None)
                    if control_record is not None:
                        key = control_record.key()
                        assert key is not None, "what a marker begins with"
                        if ControlRecordType.parse(key) is ControlRecordType.COMMIT:
                            for group_topic_partition, commit in pending_offsets.get(producer_id, {}).items():
                                loaded = loaded_offsets.get(group_topic_partition)
                                if loaded is None or loaded.older_than(commit):
                                    loaded_offsets[group_topic_partition] = commit
                        pending_offsets.pop(producer_id, None)
                else:
                    batch_base_offset: int | None = None
                    for record in batch:
                        record_key = record.key()
                        require(record_key is not None, "Group metadata/offset entry key should not be null")
                        assert record_key is not None
                        if batch_base_offset is None:
                            batch_base_offset = record.offset()
                        message_key = GroupMetadataManager.read_message_key(record_key)
                        if isinstance(message_key, OffsetKey):
                            offsets = (pending_offsets.setdefault(producer_id, {}) if is_txn_offset_commit
                                       else loaded_offsets)
                            offset_and_metadata = GroupMetadataManager.read_offset_message_value(
                                record.value())
                            if offset_and_metadata is None:
                                offsets.pop(message_key.key, None)
                                if self.consumer_groups is not None:
                                    # As in Kafka's newer coordinator, a transaction that ends later does not
                                    # restore a deleted offset.
                                    for producer_offsets in pending_offsets.values():
                                        producer_offsets.pop(message_key.key, None)
                            else:
                                offsets[message_key.key] = CommitRecordMetadataAndOffset(
                                    batch_base_offset, offset_and_metadata)
                        elif isinstance(message_key, GroupMetadataKey):
                            group_id = message_key.key
                            group_metadata = GroupMetadataManager.read_group_message_value(
                                group_id, record.value(), self._time)
                            if group_metadata is not None:
                                removed_groups.discard(group_id)
                                loaded_groups[group_id] = group_metadata
                            else:
                                loaded_groups.pop(group_id, None)
                                removed_groups.add(group_id)
                        elif self.consumer_groups is None or not self.consumer_groups.replay(
                                topic_partition.partition(), record):
                            self.warn("a key of version %d in %s is unknown, and passed over. A later "
                                      "version may have written it", message_key.version, topic_partition)
                curr_offset = batch.next_offset()

        group_offsets: dict[str, Commits] = {}
        empty_group_offsets: dict[str, Commits] = {}
        for group_topic_partition, commit in loaded_offsets.items():
            group_id = group_topic_partition.group
            of_kind = group_offsets if group_id in loaded_groups else empty_group_offsets
            of_kind.setdefault(group_id, {})[group_topic_partition.topic_partition] = commit

        pending_group_offsets: dict[str, dict[int, Commits]] = {}
        pending_empty_group_offsets: dict[str, dict[int, Commits]] = {}
        for producer_id, producer_offsets in pending_offsets.items():
            for group_topic_partition, commit in producer_offsets.items():
                group_id = group_topic_partition.group
                self._add_producer_group(producer_id, group_id)
                pending_of_kind = (
                    pending_group_offsets if group_id in loaded_groups else pending_empty_group_offsets)
                pending_of_kind.setdefault(group_id, {}).setdefault(producer_id, {})[
                    group_topic_partition.topic_partition] = commit

        for group in loaded_groups.values():
            self._load_group(group, group_offsets.get(group.group_id, {}),
                             pending_group_offsets.get(group.group_id, {}))
            on_group_loaded(group)

        # Groups that only keep offsets: they have no members.
        for group_id in {**empty_group_offsets, **pending_empty_group_offsets}:
            group = GroupMetadata(group_id, Empty, self._time)
            self._load_group(group, empty_group_offsets.get(group_id, {}),
                             pending_empty_group_offsets.get(group_id, {}))
            on_group_loaded(group)

        for group_id in removed_groups:
            # A removed group may have new offsets.
            if self._group_metadata_cache.contains(group_id) and group_id not in empty_group_offsets:
                raise IllegalStateException(f"Unexpected unload of active group {group_id} while loading "
                                            f"partition {topic_partition}")
        if self.consumer_groups is not None:
            self.consumer_groups.on_loaded(topic_partition.partition())

    def _in_memory(self, records: Records, buffer: ByteBuffer,
                   topic_partition: TopicPartition) -> tuple[ByteBuffer, MemoryRecords]:
        """Return the records in memory, and the buffer: ``buffer``, or a new one if that is too small."""
        if isinstance(records, MemoryRecords):
            return buffer, records
        assert isinstance(records, FileRecords)
        size_in_bytes = records.size_in_bytes()
        bytes_needed = max(self._config.load_buffer_size, size_in_bytes)

        # A batch that is larger than the buffer is read whole.
        if buffer.capacity() < bytes_needed:
            if self._config.load_buffer_size < bytes_needed:
                self.warn("the groups of %s are loaded with a buffer of %d bytes, more than the "
                          "offsets.load.buffer.size of %d bytes", topic_partition, bytes_needed,
                          self._config.load_buffer_size)
            buffer = ByteBuffer.allocate(bytes_needed)
        else:
            buffer.clear()

        records.read_into(buffer, 0)
        return buffer, MemoryRecords.readable_records(buffer)

    def _load_group(self, group: GroupMetadata, offsets: Commits,
                    pending_transactional_offsets: Mapping[int, Commits]) -> None:
        """Put a group with its loaded offsets into the cache.

        :origin: kafka.coordinator.group.GroupMetadataManager#loadGroup
        """
        self.debug("group %s has offsets %s and pending ones %s", group, offsets,
                   pending_transactional_offsets)
        group.initialize_offsets(offsets, pending_transactional_offsets)

        current_group = self.add_group(group)
        if group is not current_group:
            self.debug("group %s with generation %d is not taken from the log: there is one already, with "
                       "generation %d", group.group_id, group.generation_id, current_group.generation_id)

    def remove_groups_for_partition(self, offsets_partition: int, coordinator_epoch: int | None,
                                    on_group_unloaded: Callable[[GroupMetadata], object]) -> None:
        """Have all groups of a partition removed from the cache, because the partition was deleted or moved.

        :origin: kafka.coordinator.group.GroupMetadataManager#removeGroupsForPartition
        """
        topic_partition = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, offsets_partition)
        self.info("the groups of %s will be unloaded", topic_partition)
        self._scheduler.schedule_once(str(topic_partition), lambda: self.remove_groups_and_offsets(
            topic_partition, coordinator_epoch, on_group_unloaded))

    def remove_groups_and_offsets(self, topic_partition: TopicPartition, coordinator_epoch: int | None,
                                  on_group_unloaded: Callable[[GroupMetadata], object]) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#removeGroupsAndOffsets"""
        offsets_partition = topic_partition.partition()
        if self._maybe_update_coordinator_epoch(offsets_partition, coordinator_epoch):
            num_offsets_removed = 0
            num_groups_removed = 0

            self.debug("unloading the groups of %s for epoch %s", topic_partition, coordinator_epoch)
            with self._partition_lock:
                # Under the lock, so that a thread that finds the partition owned also finds its groups.
                self._owned_partitions.discard(offsets_partition)
                self._loading_partitions.discard(offsets_partition)

                for group in self._group_metadata_cache.values():
                    if self.partition_for(group.group_id) == offsets_partition:
                        on_group_unloaded(group)
                        self._group_metadata_cache.remove_value(group.group_id, group)
                        self._remove_group_from_all_producers(group.group_id)
                        num_groups_removed += 1
                        num_offsets_removed += group.num_offsets()
            if self.consumer_groups is not None:
                self.consumer_groups.on_unloaded(offsets_partition)
            self.info("%s is unloaded for epoch %s: %d offsets, %d groups", topic_partition,
                      coordinator_epoch, num_offsets_removed, num_groups_removed)
        else:
            self.info("the groups of %s are not unloaded for epoch %s, the epoch is %s", topic_partition,
                      coordinator_epoch, self.epoch_for_partition_id.get(offsets_partition))

    def _maybe_update_coordinator_epoch(self, partition_id: int, epoch: int | None) -> bool:
        """Store a later epoch; return whether ``epoch`` is the latest one, or None.

        :origin: kafka.coordinator.group.GroupMetadataManager#maybeUpdateCoordinatorEpoch
        """
        with self._partition_lock:
            current_epoch = self.epoch_for_partition_id.get(partition_id)
            if epoch is not None and (current_epoch is None or epoch > current_epoch):
                self.epoch_for_partition_id[partition_id] = current_epoch = epoch
        return epoch is None or epoch == current_epoch

    def cleanup_expired_group_metadata(self) -> None:
        """Delete the expired offsets, and the groups that have none left.

        :origin: kafka.coordinator.group.GroupMetadataManager#cleanupGroupMetadata()
        """
        current_timestamp = self._time.milliseconds()
        groups = list(self._group_metadata_cache.values())
        # Read before any group's lock is taken: a shard's lock precedes a group's lock.
        read_topics = {} if self.consumer_groups is None else {
            group.group_id: self.consumer_groups.subscribed_topics(group.group_id) for group in groups}
        num_offsets_removed = self.cleanup_group_metadata(
            groups, RequestLocal.NoCaching,
            lambda group: group.remove_expired_offsets(
                current_timestamp, self._config.offsets_retention_ms,
                read_topics.get(group.group_id)))
        if self.consumer_groups is not None:
            self.consumer_groups.delete_empty_groups()
        self.offset_expired_sensor.record(num_offsets_removed)
        if num_offsets_removed > 0:
            self.info("removed %d expired offsets in %d ms", num_offsets_removed,
                      self._time.milliseconds() - current_timestamp)

    def cleanup_group_metadata(
        self, groups: Iterable[GroupMetadata], request_local: RequestLocal,
        selector: Callable[[GroupMetadata], Mapping[TopicPartition, OffsetAndMetadata]],
    ) -> int:
        """Delete the offsets that ``selector`` removes from groups; return their number.

        ``selector`` is called under the group's lock. A group with neither members nor offsets is deleted.

        :origin: kafka.coordinator.group.GroupMetadataManager#cleanupGroupMetadata(Iterable[GroupMetadata], RequestLocal, GroupMetadata=>Map[TopicPartition,OffsetAndMetadata])
        """  # noqa: E501
        offsets_removed = 0

        for group in groups:
            group_id = group.group_id
            with group.lock:
                removed_offsets = selector(group)
                if group.is_(Empty) and not group.has_offsets():
                    self.info("group %s is dead, in generation %d", group_id, group.generation_id)
                    group.transition_to(Dead)
                group_is_dead = group.is_(Dead)
                generation = group.generation_id

            offsets_partition = self.partition_for(group_id)
            append_partition = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, offsets_partition)
            magic_value = self._get_magic(offsets_partition)
            if magic_value is None:
                self.info("broker %d does not coordinate group %s any more; others go on", self._broker_id,
                          group_id)
                continue
            timestamp_type = TimestampType.CREATE_TIME
            timestamp = self._time.milliseconds()

            partition = self.replica_manager.online_partition(append_partition)
            if partition is None:
                continue
            tombstones = []
            for topic_partition, offset_and_metadata in removed_offsets.items():
                self.trace("deleting offset of %s for %s: %s", group_id, topic_partition, offset_and_metadata)
                tombstones.append(SimpleRecord(
                    timestamp, GroupMetadataManager.offset_commit_key(group_id, topic_partition), None))

            # Generation 0 never had members, and has no group record.
            if (group_is_dead and self._group_metadata_cache.remove_value(group_id, group)
                    and generation > 0):
                # If the tombstone is lost, the next start loads the group without members.
                tombstones.append(SimpleRecord(
                    timestamp, GroupMetadataManager.group_metadata_key(group_id), None))
                self.trace("deleting group %s from the cache and from %s", group_id, append_partition)

            if tombstones:
                try:
                    # A tombstone that is lost is written again by a later call.
                    records = MemoryRecords.with_records(
                        self._compression, *tombstones, magic=magic_value, timestamp_type=timestamp_type)
                    partition.append_records_to_leader(
                        records, required_acks=0, origin=AppendOrigin.COORDINATOR,
                        request_local=request_local)

                    offsets_removed += len(removed_offsets)
                    self.trace("appended %d tombstones of group %s to %s", len(tombstones), group_id,
                               append_partition)
                except Exception as t:
                    self.error("failed to append %d tombstones of group %s to %s", len(tombstones), group_id,
                               append_partition, exc=t)

        return offsets_removed

    def schedule_handle_txn_completion(self, producer_id: int, completed_partitions: Set[int],
                                       is_commit: bool) -> None:
        """Have the ends of transactions handled whose markers are in ``completed_partitions`` of the topic.

        Runs on the scheduler's thread, because the caller may hold a group's lock, and the locks of other
        groups are needed.

        :origin: kafka.coordinator.group.GroupMetadataManager#scheduleHandleTxnCompletion
        """
        # DEVIATION D155: the transaction's markers are before these end offsets, and the producer's next
        # transaction is not. The origin, and kreactor.fidelity=strict, know no end offsets.
        end_offsets = None if self._config.is_strict() else {
            partition: self.replica_manager.get_log_end_offset(
                TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, partition))
            for partition in completed_partitions}
        self._scheduler.schedule_once(
            f"handleTxnCompletion-{producer_id}",
            lambda: self.handle_txn_completion(producer_id, completed_partitions, is_commit, end_offsets))

    def handle_txn_completion(self, producer_id: int, completed_partitions: Set[int], is_commit: bool,
                              end_offsets: Mapping[int, int | None] | None = None) -> None:
        """End transactions. For a partition with an end offset, only commits before that offset are affected.

        :origin: kafka.coordinator.group.GroupMetadataManager#handleTxnCompletion
        """
        for group_id in self._groups_belonging_to_partitions(producer_id, completed_partitions):
            group = self.get_group(group_id)
            if group is not None:
                with group.lock:
                    if not group.is_(Dead):
                        group.complete_pending_txn_offset_commit(
                            producer_id, is_commit, (end_offsets or {}).get(self.partition_for(group_id)))
                        if not group.has_pending_offset_commits_from_producer(producer_id):
                            self._remove_producer_group(producer_id, group_id)
            else:
                self.info("group %s left broker %d before its transaction ended", group_id,
                          self._broker_id)

    def _add_producer_group(self, producer_id: int, group_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#addProducerGroup"""
        with self._open_groups_lock:
            self._open_groups_for_producer.setdefault(producer_id, set()).add(group_id)

    def _remove_producer_group(self, producer_id: int, group_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#removeProducerGroup"""
        with self._open_groups_lock:
            groups = self._open_groups_for_producer.get(producer_id, set())
            groups.discard(group_id)
            if not groups:
                self._open_groups_for_producer.pop(producer_id, None)

    def _groups_belonging_to_partitions(self, producer_id: int, partitions: Set[int]) -> set[str]:
        """:origin: kafka.coordinator.group.GroupMetadataManager#groupsBelongingToPartitions"""
        with self._open_groups_lock:
            return {group_id for group_id in self._open_groups_for_producer.get(producer_id, ())
                    if self.partition_for(group_id) in partitions}

    def _remove_group_from_all_producers(self, group_id: str) -> None:
        """:origin: kafka.coordinator.group.GroupMetadataManager#removeGroupFromAllProducers"""
        with self._open_groups_lock:
            for groups in self._open_groups_for_producer.values():
                groups.discard(group_id)

    def _validate_offset_metadata_length(self, metadata: str | None) -> bool:
        """Return whether the metadata is short enough, in Java's characters. One character of Python may be
        two of Java's.

        :origin: kafka.coordinator.group.GroupMetadataManager#validateOffsetMetadataLength
        """
        return metadata is None or (
            len(metadata.encode("utf-16-le", "surrogatepass")) // 2 <= self._config.max_metadata_size)

    def shutdown(self) -> None:
        """Stop the thread after its current task. The cache stays.

        :origin: kafka.coordinator.group.GroupMetadataManager#shutdown
        """
        self._shutting_down = True
        self._scheduler.shutdown()
        self._metrics.remove_sensor(GroupMetadataManager.LOAD_TIME_SENSOR)
        self._metrics.remove_sensor(GroupMetadataManager.OFFSET_COMMITS_SENSOR)
        self._metrics.remove_sensor(GroupMetadataManager.OFFSET_EXPIRED_SENSOR)

    def _get_magic(self, partition: int) -> int | None:
        """Return the format of a partition of the topic, None if it is not on this node.

        :origin: kafka.coordinator.group.GroupMetadataManager#getMagic
        """
        return self.replica_manager.get_magic(TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, partition))

    def add_owned_partition(self, partition: int) -> None:
        """Add a partition to the owned ones. For tests.

        :origin: kafka.coordinator.group.GroupMetadataManager#addOwnedPartition
        """
        with self._partition_lock:
            self._owned_partitions.add(partition)

    def add_loading_partition(self, partition: int) -> bool:
        """Mark a partition as loading; return whether it was neither loaded nor loading.

        :origin: kafka.coordinator.group.GroupMetadataManager#addLoadingPartition
        """
        with self._partition_lock:
            if partition in self._owned_partitions or partition in self._loading_partitions:
                return False
            self._loading_partitions.add(partition)
            return True

    # -- records -----------------------------------------------------------------------------------

    @staticmethod
    def offset_commit_key(group_id: str, topic_partition: TopicPartition) -> bytes:
        """Return the key of an offset's records.

        :origin: kafka.coordinator.group.GroupMetadataManager#offsetCommitKey
        """
        return MessageUtil.to_version_prefixed_bytes(
            OffsetCommitKey.HIGHEST_SUPPORTED_VERSION,
            OffsetCommitKey(group=group_id, topic=topic_partition.topic(),
                            partition=topic_partition.partition()))

    @staticmethod
    def group_metadata_key(group_id: str) -> bytes:
        """Return the key of a group's records.

        :origin: kafka.coordinator.group.GroupMetadataManager#groupMetadataKey
        """
        return MessageUtil.to_version_prefixed_bytes(
            GroupMetadataKeyData.HIGHEST_SUPPORTED_VERSION, GroupMetadataKeyData(group=group_id))

    @staticmethod
    def offset_commit_value(offset_and_metadata: OffsetAndMetadata,
                            metadata_version: MetadataVersion) -> bytes:
        """Return the value of an offset's record, which brokers of ``metadata_version`` can read.

        :origin: kafka.coordinator.group.GroupMetadataManager#offsetCommitValue
        """
        expire_timestamp = offset_and_metadata.expire_timestamp
        if metadata_version.is_less_than(MetadataVersion.IBP_2_1_IV0) or expire_timestamp is not None:
            version = 1
        elif metadata_version.is_less_than(MetadataVersion.IBP_2_1_IV1):
            version = 2
        else:
            # The highest version is flexible, and has no further fields.
            version = 3
        leader_epoch = offset_and_metadata.leader_epoch
        return MessageUtil.to_version_prefixed_bytes(version, OffsetCommitValue(
            offset=offset_and_metadata.offset,
            # None cannot be written and raises, as in Kafka.
            metadata=offset_and_metadata.metadata,  # type: ignore[arg-type]
            commit_timestamp=offset_and_metadata.commit_timestamp,
            leader_epoch=RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None else leader_epoch,
            expire_timestamp=(
                OffsetCommitRequest.DEFAULT_TIMESTAMP if expire_timestamp is None else expire_timestamp)))

    @staticmethod
    def group_metadata_value(group_metadata: GroupMetadata, assignment: Mapping[str, bytes],
                             metadata_version: MetadataVersion) -> bytes:
        """Return the value of a group's record, which brokers of ``metadata_version`` can read.

        Raises IllegalStateException for members without a protocol or an assignment.

        :origin: kafka.coordinator.group.GroupMetadataManager#groupMetadataValue
        """
        if metadata_version.is_less_than(MetadataVersion.IBP_0_10_1_IV0):
            version = 0
        elif metadata_version.is_less_than(MetadataVersion.IBP_2_1_IV0):
            version = 1
        elif metadata_version.is_less_than(MetadataVersion.IBP_2_3_IV0):
            version = 2
        else:
            # The highest version is flexible, and has no further fields.
            version = 3

        members = []
        for member_metadata in group_metadata.all_member_metadata():
            if group_metadata.protocol_name is None:
                raise IllegalStateException(
                    "Attempted to write non-empty group metadata with no defined protocol.")
            if member_metadata.member_id not in assignment:
                raise IllegalStateException(f"Attempted to write member {member_metadata.member_id} of group "
                                            f"{group_metadata.group_id} with no assignment.")
            members.append(GroupMetadataValue.MemberMetadata(
                member_id=member_metadata.member_id,
                client_id=member_metadata.client_id,
                client_host=member_metadata.client_host,
                session_timeout=member_metadata.session_timeout_ms,
                rebalance_timeout=member_metadata.rebalance_timeout_ms,
                group_instance_id=member_metadata.group_instance_id,
                subscription=member_metadata.metadata(group_metadata.protocol_name),
                assignment=assignment[member_metadata.member_id]))
        return MessageUtil.to_version_prefixed_bytes(version, GroupMetadataValue(
            protocol_type=group_metadata.protocol_type or "",
            generation=group_metadata.generation_id,
            protocol=group_metadata.protocol_name,
            leader=group_metadata.leader_or_null(),
            current_state_timestamp=group_metadata.current_state_timestamp_or_default(),
            members=members))

    @staticmethod
    def read_message_key(buffer: ByteBuffer) -> BaseKey:
        """Return the parsed key of a record. Raises RuntimeError if it cannot be parsed.

        :origin: kafka.coordinator.group.GroupMetadataManager#readMessageKey
        """
        version = buffer.get_short()
        if OffsetCommitKey.LOWEST_SUPPORTED_VERSION <= version <= OffsetCommitKey.HIGHEST_SUPPORTED_VERSION:
            offset_key = OffsetCommitKey.read(buffer, version)
            return OffsetKey(version, GroupTopicPartition(
                offset_key.group, TopicPartition(offset_key.topic, offset_key.partition)))
        elif (GroupMetadataKeyData.LOWEST_SUPPORTED_VERSION <= version
                <= GroupMetadataKeyData.HIGHEST_SUPPORTED_VERSION):
            return GroupMetadataKey(version, GroupMetadataKeyData.read(buffer, version).group)
        else:
            return UnknownKey(version)

    @staticmethod
    def read_offset_message_value(buffer: ByteBuffer | None) -> OffsetAndMetadata | None:
        """Return a parsed offset, None for a tombstone. Raises IllegalStateException for an unknown version.

        :origin: kafka.coordinator.group.GroupMetadataManager#readOffsetMessageValue
        """
        if buffer is None:
            return None
        version = buffer.get_short()
        if (OffsetCommitValue.LOWEST_SUPPORTED_VERSION <= version
                <= OffsetCommitValue.HIGHEST_SUPPORTED_VERSION):
            value = OffsetCommitValue.read(buffer, version)
            return OffsetAndMetadata(
                offset=value.offset,
                leader_epoch=(None if value.leader_epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH
                              else value.leader_epoch),
                metadata=value.metadata,
                commit_timestamp=value.commit_timestamp,
                expire_timestamp=(None if value.expire_timestamp == OffsetCommitRequest.DEFAULT_TIMESTAMP
                                  else value.expire_timestamp))
        raise IllegalStateException(f"Unknown offset message version: {version}")

    @staticmethod
    def read_group_message_value(group_id: str, buffer: ByteBuffer | None,
                                 time: Time) -> GroupMetadata | None:
        """Return a parsed group, None for a tombstone. Raises IllegalStateException for an unknown version.

        :origin: kafka.coordinator.group.GroupMetadataManager#readGroupMessageValue
        """
        if buffer is None:
            return None
        version = buffer.get_short()
        if (GroupMetadataValue.LOWEST_SUPPORTED_VERSION <= version
                <= GroupMetadataValue.HIGHEST_SUPPORTED_VERSION):
            value = GroupMetadataValue.read(buffer, version)
            members = [
                MemberMetadata(
                    member_id=member_metadata.member_id,
                    group_instance_id=member_metadata.group_instance_id,
                    client_id=member_metadata.client_id,
                    client_host=member_metadata.client_host,
                    rebalance_timeout_ms=(member_metadata.session_timeout if version == 0
                                          else member_metadata.rebalance_timeout),
                    session_timeout_ms=member_metadata.session_timeout,
                    protocol_type=value.protocol_type,
                    # None becomes an empty name: a group with members has a protocol.
                    supported_protocols=[(value.protocol or "", member_metadata.subscription)],
                    assignment=member_metadata.assignment)
                for member_metadata in value.members]
            return GroupMetadata.load_group(
                group_id=group_id,
                initial_state=Empty if not members else Stable,
                generation_id=value.generation,
                protocol_type=value.protocol_type,
                protocol_name=value.protocol,
                leader_id=value.leader,
                current_state_timestamp=(
                    None if value.current_state_timestamp == -1 else value.current_state_timestamp),
                members=members,
                time=time)
        raise IllegalStateException(f"Unknown group metadata message version: {version}")

    @staticmethod
    def maybe_convert_offset_commit_error(error: Errors) -> Errors:
        """Return the client's error for an ``error`` of an append.

        :origin: kafka.coordinator.group.GroupMetadataManager#maybeConvertOffsetCommitError
        """
        if error is Errors.NETWORK_EXCEPTION:
            # The transaction could not be verified. Older clients do not know this error, and retry after the
            # other one.
            return Errors.COORDINATOR_LOAD_IN_PROGRESS
        elif error in (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_ENOUGH_REPLICAS,
                       Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND):
            return Errors.COORDINATOR_NOT_AVAILABLE
        elif error in (Errors.NOT_LEADER_OR_FOLLOWER, Errors.KAFKA_STORAGE_ERROR):
            return Errors.NOT_COORDINATOR
        elif error in (Errors.MESSAGE_TOO_LARGE, Errors.RECORD_LIST_TOO_LARGE, Errors.INVALID_FETCH_SIZE):
            return Errors.INVALID_COMMIT_OFFSET_SIZE
        else:
            return error


class GroupTopicPartition(NamedTuple):
    """:origin: kafka.coordinator.group.GroupTopicPartition"""

    group: str
    topic_partition: TopicPartition

    def __str__(self) -> str:
        """:origin: kafka.coordinator.group.GroupTopicPartition#toString"""
        return f"[{self.group},{self.topic_partition.topic()},{self.topic_partition.partition()}]"


class OffsetKey(NamedTuple):
    """:origin: kafka.coordinator.group.OffsetKey"""

    version: int
    key: GroupTopicPartition

    def __str__(self) -> str:
        """:origin: kafka.coordinator.group.OffsetKey#toString"""
        return str(self.key)


class GroupMetadataKey(NamedTuple):
    """:origin: kafka.coordinator.group.GroupMetadataKey"""

    version: int
    key: str

    def __str__(self) -> str:
        """:origin: kafka.coordinator.group.GroupMetadataKey#toString"""
        return self.key


class UnknownKey(NamedTuple):
    """:origin: kafka.coordinator.group.UnknownKey"""

    version: int
    key: None = None


BaseKey = OffsetKey | GroupMetadataKey | UnknownKey


def _no_offset(error: Errors = Errors.NONE) -> OffsetFetchResponse.PartitionData:
    return OffsetFetchResponse.PartitionData(OffsetFetchResponse.INVALID_OFFSET, None, "", error)
