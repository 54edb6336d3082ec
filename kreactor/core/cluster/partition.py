# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.cluster.Partition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A partition of which this node has a replica.

All replicas are views of one log, which ``embedded.replication`` maintains. So no follower fetches here, and
a replica has no high watermark of its own. A leader checks the client's epoch and the number of in-sync
replicas, then delegates to the log. A follower delegates reads that need no leader.
"""

from __future__ import annotations

from kreactor.common.errors import (
    ApiException,
    NotEnoughReplicasException,
    NotLeaderOrFollowerException,
    OffsetNotAvailableException,
    OffsetOutOfRangeException,
    PolicyViolationException,
)
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.delete_records_request import DeleteRecordsRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.image.cluster_image import NO_LEADER, PartitionState
from kreactor.storage.internals.epoch.leader_epoch_file_cache import UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.log_append_info import LogAppendInfo
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata
from kreactor.storage.internals.log.log_offset_snapshot import LogOffsetSnapshot
from kreactor.storage.internals.log.log_read_info import LogReadInfo
from kreactor.storage.internals.log.verification_guard import VerificationGuard


class Partition(Logging):
    """For use by any thread; the log has its own lock.

    One thread at a time calls ``make_leader`` and ``make_follower``, which replace the state that other
    threads read.

    :origin: kafka.cluster.Partition
    :origin: kafka.cluster.Partition
    """

    __slots__ = ("_topic_partition", "_local_broker_id", "_log", "_leader_epoch", "_state", "_is_leader",
                 "_leader_epoch_start_offset")

    def __init__(self, topic_partition: TopicPartition, local_broker_id: int, log: UnifiedLog) -> None:
        """Lead the partition as the only replica, until ``make_leader`` or ``make_follower`` is called.

        :origin: kafka.cluster.Partition#Partition
        """
        # DEVIATION D233: the origin has six gauges per partition. With one replica five of them are constant,
        # and the sixth is 0 without an open transaction.
        self._topic_partition = topic_partition
        self._local_broker_id = local_broker_id
        self._log = log
        # A node of its own stays the only leader, so these keep their values from the opening of the log.
        self._leader_epoch = log.latest_epoch() or 0
        self._is_leader = True
        self._state = PartitionState((local_broker_id,), (local_broker_id,), local_broker_id,
                                     self._leader_epoch)
        self._leader_epoch_start_offset: int | None = None

    def topic_partition(self) -> TopicPartition:
        """Return the topic and the partition number."""
        return self._topic_partition

    def log(self) -> UnifiedLog:
        """Return the log."""
        return self._log

    def leader_replica_id_opt(self) -> int | None:
        """Return the leader's id, None without a leader.

        :origin: kafka.cluster.Partition#leaderReplicaIdOpt
        """
        return None if self._state.leader == NO_LEADER else self._state.leader

    def partition_state(self) -> PartitionState:
        """:origin: kafka.cluster.Partition#partitionState"""
        return self._state

    def has_late_transaction(self, current_time_ms: int) -> bool:
        """Return whether the oldest open transaction should have ended by now.

        :origin: kafka.cluster.Partition#hasLateTransaction
        """
        return self._log.has_late_transaction(current_time_ms)

    def is_under_replicated(self) -> bool:
        """:origin: kafka.cluster.Partition#isUnderReplicated"""
        state = self._state
        return self._is_leader and len(state.replicas) - len(state.adding) > len(state.isr)

    def is_under_min_isr(self) -> bool:
        """:origin: kafka.cluster.Partition#isUnderMinIsr"""
        return self._is_leader and len(self._state.isr) < self._effective_min_isr(self._log)

    def _effective_min_isr(self, leader_log: UnifiedLog) -> int:
        """:origin: kafka.cluster.Partition#effectiveMinIsr"""
        return min(leader_log.config().min_in_sync_replicas, len(self._state.replicas))

    def is_at_min_isr(self) -> bool:
        """:origin: kafka.cluster.Partition#isAtMinIsr"""
        return self._is_leader and len(self._state.isr) == self._effective_min_isr(self._log)

    def is_reassigning(self) -> bool:
        """:origin: kafka.cluster.Partition#isReassigning"""
        return self._state.is_reassigning()

    def in_sync_replica_ids(self) -> tuple[int, ...]:
        """:origin: kafka.cluster.Partition#inSyncReplicaIds"""
        return self._state.isr

    def _check_current_leader_epoch(self, remote_leader_epoch: int | None) -> Errors:
        """Return the error of a client's leader epoch, or NONE.

        :origin: kafka.cluster.Partition#checkCurrentLeaderEpoch
        """
        if remote_leader_epoch is None:
            return Errors.NONE
        local_leader_epoch = self._leader_epoch
        if local_leader_epoch > remote_leader_epoch:
            return Errors.FENCED_LEADER_EPOCH
        elif local_leader_epoch < remote_leader_epoch:
            return Errors.UNKNOWN_LEADER_EPOCH
        return Errors.NONE

    def _get_local_log(self, current_leader_epoch: int | None,
                       require_leader: bool) -> UnifiedLog | Errors:
        """:origin: kafka.cluster.Partition#getLocalLog"""
        error = self._check_current_leader_epoch(current_leader_epoch)
        if error is not Errors.NONE:
            return error
        if require_leader and not self._is_leader:
            return Errors.NOT_LEADER_OR_FOLLOWER
        return self._log

    def _leader_log_if_local(self) -> UnifiedLog | None:
        """:origin: kafka.cluster.Partition#leaderLogIfLocal"""
        return self._log if self._is_leader else None

    def is_leader(self) -> bool:
        """:origin: kafka.cluster.Partition#isLeader"""
        return self._is_leader

    def leader_id_if_local(self) -> int | None:
        """:origin: kafka.cluster.Partition#leaderIdIfLocal"""
        return self._local_broker_id if self._is_leader else None

    def _leader_log_or_throw(self) -> UnifiedLog:
        """Return the log. Raises NotLeaderOrFollowerException."""
        if not self._is_leader:
            raise NotLeaderOrFollowerException(
                f"Leader not local for partition {self._topic_partition} on broker {self._local_broker_id}")
        return self._log

    def local_log_with_epoch_or_throw(self, current_leader_epoch: int | None,
                                      require_leader: bool = True) -> UnifiedLog:
        """Return the log.

        Raises FencedLeaderEpochException, UnknownLeaderEpochException or NotLeaderOrFollowerException.

        :origin: kafka.cluster.Partition#localLogWithEpochOrThrow
        """
        if current_leader_epoch is None and self._is_leader:
            return self._log
        log_or_error = self._get_local_log(current_leader_epoch, require_leader)
        if not isinstance(log_or_error, Errors):
            return log_or_error
        epoch = "Optional.empty" if current_leader_epoch is None else f"Optional[{current_leader_epoch}]"
        raise _exception(
            log_or_error, f"Failed to find leader log for partition {self._topic_partition} with leader "
            f"epoch {epoch}. The current leader is Some({self._state.leader}) and the "
            f"current epoch {self._leader_epoch}")

    def topic_id(self) -> Uuid | None:
        """Return the topic's id, None if the log has none.

        :origin: kafka.cluster.Partition#topicId
        """
        return self._log.topic_id()

    def remote_replicas(self) -> list[int]:
        """Return the ids of the other replicas.

        :origin: kafka.cluster.Partition#remoteReplicas
        """
        return [broker_id for broker_id in self._state.replicas if broker_id != self._local_broker_id]

    def maybe_start_transaction_verification(self, producer_id: int, sequence: int,
                                             epoch: int) -> VerificationGuard:
        """Return the guard of a verified append; the sentinel if no verification is needed.

        :origin: kafka.cluster.Partition#maybeStartTransactionVerification
        """
        return self._leader_log_or_throw().maybe_start_transaction_verification(producer_id, sequence, epoch)

    def get_leader_epoch(self) -> int:
        """:origin: kafka.cluster.Partition#getLeaderEpoch"""
        return self._leader_epoch

    def make_leader(self, partition_state: PartitionState, log: UnifiedLog) -> bool:
        """Lead from now on; return whether another broker led before. The log already has the epoch.

        :origin: kafka.cluster.Partition#makeLeader
        """
        is_new_leader = not self._is_leader
        if partition_state.leader_epoch > self._leader_epoch or self._leader_epoch_start_offset is None:
            self._leader_epoch_start_offset = log.start_offset_of_latest_epoch()
        self._log = log
        self._leader_epoch = partition_state.leader_epoch
        self._state = partition_state
        self._is_leader = True
        return is_new_leader

    def make_follower(self, partition_state: PartitionState, log: UnifiedLog) -> bool:
        """Follow from now on; return whether the epoch is new.

        :origin: kafka.cluster.Partition#makeFollower
        """
        is_new_leader_epoch = partition_state.leader_epoch > self._leader_epoch
        self._is_leader = False
        self._state = partition_state
        self._leader_epoch = partition_state.leader_epoch
        self._leader_epoch_start_offset = None
        self._log = log
        return is_new_leader_epoch

    def check_enough_replicas_reach_offset(self, required_offset: int) -> tuple[bool, Errors]:
        """Return whether all in-sync replicas have all records before an offset, and the error if there is
        one.

        :origin: kafka.cluster.Partition#checkEnoughReplicasReachOffset
        """
        leader_log = self._leader_log_if_local()
        if leader_log is None:
            return False, Errors.NOT_LEADER_OR_FOLLOWER
        cur_maximal_isr = self._state.isr
        min_isr = self._effective_min_isr(leader_log)
        if leader_log.high_watermark() < required_offset:
            return False, Errors.NONE
        # The in-sync set may have shrunk after the append.
        if min_isr <= len(cur_maximal_isr):
            return True, Errors.NONE
        return True, Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    def append_records_to_leader(
        self, records: MemoryRecords, origin: AppendOrigin, required_acks: int, request_local: RequestLocal,
        verification_guard: VerificationGuard = VerificationGuard.SENTINEL,
    ) -> LogAppendInfo:
        """Append the records of a client or a coordinator.

        Raises NotLeaderOrFollowerException, NotEnoughReplicasException, or as ``append_as_leader``.

        :origin: kafka.cluster.Partition#appendRecordsToLeader
        """
        # Read in this order: if the epoch ends in between, the log refuses it under its lock.
        leader_epoch = self._leader_epoch
        leader_log = self._leader_log_or_throw()
        if required_acks == -1:
            isr = self._state.isr
            min_isr = self._effective_min_isr(leader_log)
            if len(isr) < min_isr:
                raise NotEnoughReplicasException(
                    f"The size of the current ISR Set({', '.join(map(str, isr))}) is insufficient to satisfy "
                    f"the min.isr requirement of {min_isr} for partition {self._topic_partition}")
        return leader_log.append_as_leader(records, leader_epoch, origin, verification_guard)

    def fetch_records(self, fetch_params: FetchParams, fetch_partition_data: FetchRequest.PartitionData,
                      max_bytes: int, min_one_message: bool) -> LogReadInfo:
        """Read up to ``max_bytes`` from an offset on; with ``min_one_message``, at least the whole first
        batch.

        Raises as ``UnifiedLog.read`` and ``local_log_with_epoch_or_throw``.

        :origin: kafka.cluster.Partition#fetchRecords
        """
        local_log = self.local_log_with_epoch_or_throw(
            fetch_partition_data.current_leader_epoch, fetch_params.fetch_only_leader())
        if fetch_params.is_from_follower():
            self._follower_replica_or_throw(fetch_params.replica_id, fetch_partition_data)
        return self._read_records(
            local_log,
            fetch_partition_data.last_fetched_epoch,
            fetch_partition_data.fetch_offset,
            fetch_partition_data.current_leader_epoch,
            max_bytes,
            fetch_params.isolation,
            min_one_message)

    def _follower_replica_or_throw(self, replica_id: int,
                                   fetch_partition_data: FetchRequest.PartitionData) -> None:
        """Raise the error of a broker that is not a follower of this partition.

        :origin: kafka.cluster.Partition#followerReplicaOrThrow
        """
        error = (Errors.NOT_LEADER_OR_FOLLOWER if fetch_partition_data.current_leader_epoch is None
                 else Errors.UNKNOWN_LEADER_EPOCH)
        raise _exception(error, f"Replica {replica_id} is not recognized as a valid replica of "
                                f"{self._topic_partition} in leader epoch {self._leader_epoch} with "
                                "partition epoch 0")

    def _read_records(self, local_log: UnifiedLog, last_fetched_epoch: int | None, fetch_offset: int,
                      current_leader_epoch: int | None, max_bytes: int, fetch_isolation: FetchIsolation,
                      min_one_message: bool) -> LogReadInfo:
        """Read, unless the client's log diverges from this log.

        :origin: kafka.cluster.Partition#readRecords
        """
        if last_fetched_epoch is not None:
            snapshot = local_log.fetch_offset_snapshot()
            epoch_end_offset = self.last_offset_for_leader_epoch(
                current_leader_epoch, last_fetched_epoch, False)
            error = Errors.for_code(epoch_end_offset.error_code)
            if error is not Errors.NONE:
                raise _exception(error)
            if (epoch_end_offset.end_offset == UNDEFINED_EPOCH_OFFSET
                    or epoch_end_offset.leader_epoch == UNDEFINED_EPOCH):
                raise OffsetOutOfRangeException(
                    "Could not determine the end offset of the last fetched epoch "
                    f"Optional[{last_fetched_epoch}] from the request")
            log_end_offset = snapshot.log_end_offset.message_offset
            if fetch_offset < snapshot.log_start_offset:
                raise OffsetOutOfRangeException(
                    f"Received request for offset {fetch_offset} for partition {self._topic_partition}, but "
                    f"we only have log segments in the range {snapshot.log_start_offset} to "
                    f"{log_end_offset}.")
            if (epoch_end_offset.leader_epoch < last_fetched_epoch
                    or epoch_end_offset.end_offset < fetch_offset):
                diverging_epoch = FetchResponseData.EpochEndOffset(
                    epoch=epoch_end_offset.leader_epoch, end_offset=epoch_end_offset.end_offset)
                return LogReadInfo(
                    FetchDataInfo(LogOffsetMetadata(fetch_offset), MemoryRecords.EMPTY, False,
                                  snapshot.log_start_offset, snapshot.last_stable_offset.message_offset,
                                  log_end_offset),
                    diverging_epoch, snapshot.high_watermark.message_offset, snapshot.log_start_offset,
                    log_end_offset, snapshot.last_stable_offset.message_offset)

        # The offsets are from the moment of the read, so they are not older than the records.
        fetched_data = local_log.read(fetch_offset, max_bytes, fetch_isolation, min_one_message)
        return LogReadInfo(fetched_data, None, fetched_data.high_watermark, fetched_data.log_start_offset,
                           fetched_data.log_end_offset, fetched_data.last_stable_offset)

    def fetch_offset_for_timestamp(self, timestamp: int, isolation_level: IsolationLevel | None,
                                   current_leader_epoch: int | None, fetch_only_from_leader: bool = True
                                   ) -> FileRecords.TimestampAndOffset | None:
        """Return the first offset at or after a time (ms), or the offset of a special time; or None.

        Raises as ``local_log_with_epoch_or_throw``, OffsetNotAvailableException or KafkaStorageException.

        :origin: kafka.cluster.Partition#fetchOffsetForTimestamp
        """
        local_log = self.local_log_with_epoch_or_throw(current_leader_epoch, fetch_only_from_leader)
        if isolation_level is IsolationLevel.READ_COMMITTED:
            last_fetchable_offset = local_log.last_stable_offset()
        else:
            last_fetchable_offset = local_log.high_watermark()

        # A leader whose high watermark is below the start of its epoch does not know the offset yet.
        epoch_start = self._leader_epoch_start_offset
        offsets_error: ApiException | None = None
        if epoch_start is not None and isolation_level is not None and (
                epoch_start > (high_watermark := local_log.high_watermark())):
            offsets_error = OffsetNotAvailableException(
                f"Failed to fetch offsets for partition {self._topic_partition} with leader epoch "
                f"{self._leader_epoch} as this partition's high watermark ({high_watermark}) is lagging "
                f"behind the start offset from the beginning of this epoch ({epoch_start}).")
        if timestamp == ListOffsetsRequest.LATEST_TIMESTAMP:
            if offsets_error is not None:
                raise offsets_error
            return FileRecords.TimestampAndOffset(
                RecordBatch.NO_TIMESTAMP, last_fetchable_offset, self._leader_epoch)
        found = local_log.fetch_offset_by_timestamp(timestamp)
        if timestamp in (ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP):
            return found
        if found is not None and found.offset < last_fetchable_offset:
            return found
        if offsets_error is not None:
            raise offsets_error
        return None

    def active_producer_state(self) -> DescribeProducersResponseData.PartitionResponse:
        """Return the producers' states, or the error that this node does not lead.

        :origin: kafka.cluster.Partition#activeProducerState
        """
        if not self._is_leader:
            return DescribeProducersResponseData.PartitionResponse(
                partition_index=self._topic_partition.partition(),
                error_code=Errors.NOT_LEADER_OR_FOLLOWER.code)
        return DescribeProducersResponseData.PartitionResponse(
            partition_index=self._topic_partition.partition(),
            error_code=Errors.NONE.code,
            active_producers=self._log.describe_producers())

    def fetch_offset_snapshot(self, current_leader_epoch: int | None,
                              fetch_only_from_leader: bool = True) -> LogOffsetSnapshot:
        """Return the offsets of the log. Raises as ``local_log_with_epoch_or_throw``.

        :origin: kafka.cluster.Partition#fetchOffsetSnapshot
        """
        return self.local_log_with_epoch_or_throw(
            current_leader_epoch, fetch_only_from_leader).fetch_offset_snapshot()

    def legacy_fetch_offsets_for_timestamp(self, timestamp: int, max_num_offsets: int,
                                           is_from_consumer: bool) -> list[int]:
        """Return the base offsets of segments that are not younger than a time (ms), latest first.

        :origin: kafka.cluster.Partition#legacyFetchOffsetsForTimestamp
        """
        local_log = self.local_log_with_epoch_or_throw(None)
        all_offsets = local_log.legacy_fetch_offsets_before(timestamp, max_num_offsets)
        if not is_from_consumer:
            return all_offsets
        hw = local_log.high_watermark()
        if any(offset > hw for offset in all_offsets):
            return [hw, *(offset for offset in all_offsets if offset <= hw)]
        return all_offsets

    def log_start_offset(self) -> int:
        """Return the first readable offset.

        :origin: kafka.cluster.Partition#logStartOffset
        """
        return self._log.log_start_offset()

    def delete_records_on_leader(self, offset: int) -> tuple[int, int]:
        """Delete all records before ``offset``, or all records; return that offset, and the new log start
        offset.

        Raises NotLeaderOrFollowerException, PolicyViolationException if the topic's cleanup.policy has no
        "delete", OffsetOutOfRangeException, or KafkaStorageException.

        :origin: kafka.cluster.Partition#deleteRecordsOnLeader
        """
        leader_log = self._leader_log_or_throw()
        if not leader_log.config().delete:
            raise PolicyViolationException(
                f"Records of partition {self._topic_partition} can not be deleted due to the configured "
                "policy")
        converted_offset = (
            leader_log.high_watermark() if offset == DeleteRecordsRequest.HIGH_WATERMARK else offset)
        if converted_offset < 0:
            raise OffsetOutOfRangeException(
                f"The offset {converted_offset} for partition {self._topic_partition} is not valid")
        leader_log.maybe_increment_log_start_offset(converted_offset)
        return converted_offset, leader_log.log_start_offset()

    def last_offset_for_leader_epoch(
        self, current_leader_epoch: int | None, leader_epoch: int, fetch_only_from_leader: bool = True,
    ) -> OffsetForLeaderEpochResponseData.EpochEndOffset:
        """Return the largest epoch up to ``leader_epoch``, and its end offset.

        :origin: kafka.cluster.Partition#lastOffsetForLeaderEpoch
        """
        partition = self._topic_partition.partition()
        log_or_error = self._get_local_log(current_leader_epoch, fetch_only_from_leader)
        if isinstance(log_or_error, Errors):
            return OffsetForLeaderEpochResponseData.EpochEndOffset(
                partition=partition, error_code=log_or_error.code)
        found_epoch, end_offset = log_or_error.end_offset_for_epoch(leader_epoch)
        return OffsetForLeaderEpochResponseData.EpochEndOffset(
            partition=partition, error_code=Errors.NONE.code, leader_epoch=found_epoch, end_offset=end_offset)

    def __str__(self) -> str:
        """:origin: kafka.cluster.Partition#toString"""
        return (f"Partition(topic={self._topic_partition.topic()}, "
                f"partition={self._topic_partition.partition()}, leader=Some({self._state.leader}), "
                f"leaderEpoch={self._leader_epoch})")


def _exception(error: Errors, message: str | None = None) -> ApiException:
    exception = error.exception(message)
    assert exception is not None, "an error"
    return exception
