# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedFetch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A fetch that waits for enough bytes. It is an entry in the purgatory, and holds no thread.

A thread that appends to one of its partitions, or deletes one, tries to complete the fetch. A timer completes
the fetch when its wait is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Callable

from kreactor.common.errors import (
    FencedLeaderEpochException,
    KafkaStorageException,
    NotLeaderOrFollowerException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.core.server.delayed_operation import DelayedOperation
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.epoch.leader_epoch_file_cache import UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.fetch_params import FetchParams
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData
from kreactor.storage.internals.log.log_offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata

if TYPE_CHECKING:
    from kreactor.core.server.replica_manager import ReplicaManager

ResponseCallback = Callable[[Sequence[tuple[TopicIdPartition, FetchPartitionData]]], object]


class FetchPartitionStatus:
    """The point up to which a partition was read, and the fetch request for it. Immutable.

    :origin: kafka.server.FetchPartitionStatus
    """

    __slots__ = ("start_offset_metadata", "fetch_info")

    def __init__(self, start_offset_metadata: LogOffsetMetadata,
                 fetch_info: FetchRequest.PartitionData) -> None:
        """:origin: kafka.server.FetchPartitionStatus#FetchPartitionStatus"""
        self.start_offset_metadata = start_offset_metadata
        self.fetch_info = fetch_info

    def __str__(self) -> str:
        """:origin: kafka.server.FetchPartitionStatus#toString"""
        return f"[startOffsetMetadata: {self.start_offset_metadata}, fetchInfo: {self.fetch_info}]"

    __repr__ = __str__


class DelayedFetch(DelayedOperation):
    """Sends the response when there are enough bytes, when the wait is over, or when there is an error.

    :origin: kafka.server.DelayedFetch
    """

    __slots__ = ("_params", "_fetch_partition_status", "_replica_manager", "_response_callback")

    def __init__(self, params: FetchParams,
                 fetch_partition_status: Sequence[tuple[TopicIdPartition, FetchPartitionStatus]],
                 replica_manager: ReplicaManager, response_callback: ResponseCallback) -> None:
        """:origin: kafka.server.DelayedFetch#DelayedFetch"""
        super().__init__(params.max_wait_ms)
        self._params = params
        self._fetch_partition_status = fetch_partition_status
        self._replica_manager = replica_manager
        self._response_callback = response_callback

    def __str__(self) -> str:
        """:origin: kafka.server.DelayedFetch#toString"""
        return f"DelayedFetch(params={self._params}, numPartitions={len(self._fetch_partition_status)})"

    def try_complete(self) -> bool:
        """Complete the fetch if a further wait gains nothing.

        A further wait gains nothing in these cases. A partition is gone (A to C), or its log is offline (D).
        The client's epoch is not this node's epoch (E). The requested records are in an inactive segment, or
        the log was truncated (F). All partitions together have enough bytes (G). The client's log diverges
        from this log (H).

        :origin: kafka.server.DelayedFetch#tryComplete
        """
        accumulated_size = 0
        isolation = self._params.isolation
        for topic_id_partition, fetch_status in self._fetch_partition_status:
            fetch_offset = fetch_status.start_offset_metadata
            fetch_info = fetch_status.fetch_info
            fetch_leader_epoch = fetch_info.current_leader_epoch
            try:
                if fetch_offset != UNKNOWN_OFFSET_METADATA:
                    partition = self._replica_manager.get_partition_or_exception(
                        topic_id_partition.topic_partition())
                    offset_snapshot = partition.fetch_offset_snapshot(
                        fetch_leader_epoch, self._params.fetch_only_leader())
                    if isolation is FetchIsolation.HIGH_WATERMARK:
                        end_offset = offset_snapshot.high_watermark
                    elif isolation is FetchIsolation.TXN_COMMITTED:
                        end_offset = offset_snapshot.last_stable_offset
                    else:
                        end_offset = offset_snapshot.log_end_offset

                    # Equal offsets need no comparison of positions. Right after a roll, the end offset is in
                    # the new segment, and the fetch offset, although equal, in the old one.
                    if fetch_offset.message_offset > end_offset.message_offset:
                        self.debug("satisfying fetch %s, which is beyond the end of %s", self,
                                   topic_id_partition)
                        return self.force_complete()
                    elif fetch_offset.message_offset < end_offset.message_offset:
                        if fetch_offset.on_older_segment(end_offset):
                            self.debug("satisfying fetch %s at once, because it reads an older segment", self)
                            return self.force_complete()
                        elif fetch_offset.on_same_segment(end_offset):
                            accumulated_size += min(
                                end_offset.position_diff(fetch_offset), fetch_info.max_bytes)

                    fetch_epoch = fetch_info.last_fetched_epoch
                    if fetch_epoch is not None:
                        epoch_end_offset = partition.last_offset_for_leader_epoch(
                            fetch_leader_epoch, fetch_epoch, False)
                        if (epoch_end_offset.error_code != Errors.NONE.code
                                or epoch_end_offset.end_offset == UNDEFINED_EPOCH_OFFSET
                                or epoch_end_offset.leader_epoch == UNDEFINED_EPOCH):
                            self.debug("no last offset for leader epoch of %s: %s", topic_id_partition,
                                       epoch_end_offset)
                            return self.force_complete()
                        elif (epoch_end_offset.leader_epoch < fetch_epoch
                                or epoch_end_offset.end_offset < fetch_info.fetch_offset):
                            self.debug("satisfying fetch %s, which has a diverging epoch in %s", self,
                                       topic_id_partition)
                            return self.force_complete()
            except NotLeaderOrFollowerException:
                self.debug("this node no longer leads %s, satisfying %s", topic_id_partition, self)
                return self.force_complete()
            except UnknownTopicOrPartitionException:
                self.debug("%s is not known any more, satisfying %s", topic_id_partition, self)
                return self.force_complete()
            except KafkaStorageException:
                self.debug("%s is offline, satisfying %s", topic_id_partition, self)
                return self.force_complete()
            except FencedLeaderEpochException:
                self.debug("epoch %s is fenced in %s, satisfying %s", fetch_leader_epoch, topic_id_partition,
                           self)
                return self.force_complete()

        if accumulated_size >= self._params.min_bytes:
            return self.force_complete()
        return False

    def on_expiration(self) -> None:
        """:origin: kafka.server.DelayedFetch#onExpiration"""
        metrics = self._replica_manager.delayed_fetch_metrics
        if self._params.is_from_follower():
            metrics.follower_expired_request_meter.mark()
        else:
            metrics.consumer_expired_request_meter.mark()

    def on_complete(self) -> None:
        """Read the available records, and send the response.

        :origin: kafka.server.DelayedFetch#onComplete
        """
        fetch_infos = [(tp, status.fetch_info) for tp, status in self._fetch_partition_status]
        log_read_results = self._replica_manager.read_from_log(self._params, fetch_infos)
        self._response_callback(
            [(tp, result.to_fetch_partition_data(False)) for tp, result in log_read_results])


class DelayedFetchMetrics:
    """The rates of expired fetches.

    :origin: kafka.server.DelayedFetchMetrics
    """

    _FETCHER_TYPE_KEY = "fetcherType"

    def __init__(self, registry: MetricsRegistry | None = None) -> None:
        self._metrics_group = KafkaMetricsGroup(type(self), registry)
        self.follower_expired_request_meter = self._metrics_group.new_meter(
            "ExpiresPerSec", "requests", TimeUnit.SECONDS, {self._FETCHER_TYPE_KEY: "follower"})
        self.consumer_expired_request_meter = self._metrics_group.new_meter(
            "ExpiresPerSec", "requests", TimeUnit.SECONDS, {self._FETCHER_TYPE_KEY: "consumer"})

    def close(self) -> None:
        """Remove the meters."""
        for fetcher_type in ("follower", "consumer"):
            self._metrics_group.remove_metric("ExpiresPerSec", {self._FETCHER_TYPE_KEY: fetcher_type})
