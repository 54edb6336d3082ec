# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedProduce of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An append that waits for in-sync replicas. It is an entry in the purgatory, and holds no thread.

It is tried when the state of one of its partitions changes. A timer completes it when its wait is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Callable

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.server.delayed_operation import DelayedOperation

if TYPE_CHECKING:
    from kreactor.core.server.replica_manager import ReplicaManager

ResponseCallback = Callable[[dict[TopicPartition, ProduceResponse.PartitionResponse]], object]


class ProducePartitionStatus:
    """The offset that a partition's replicas must reach, and the partition's response.

    :origin: kafka.server.ProducePartitionStatus
    """

    __slots__ = ("required_offset", "response_status", "acks_pending")

    def __init__(self, required_offset: int, response_status: ProduceResponse.PartitionResponse) -> None:
        self.required_offset = required_offset
        self.response_status = response_status
        self.acks_pending = False

    def __str__(self) -> str:
        """:origin: kafka.server.ProducePartitionStatus#toString"""
        return (f"[acksPending: {self.acks_pending}, error: {self.response_status.error.code}, "
                f"startOffset: {self.response_status.base_offset}, requiredOffset: {self.required_offset}]")

    __repr__ = __str__


class ProduceMetadata:
    """
    :origin: kafka.server.ProduceMetadata
    """

    __slots__ = ("produce_required_acks", "produce_status")

    def __init__(self, produce_required_acks: int,
                 produce_status: Mapping[TopicPartition, ProducePartitionStatus]) -> None:
        self.produce_required_acks = produce_required_acks
        self.produce_status = produce_status

    def __str__(self) -> str:
        """:origin: kafka.server.ProduceMetadata#toString"""
        return f"[requiredAcks: {self.produce_required_acks}, partitionStatus: {self.produce_status}]"


class DelayedProduce(DelayedOperation):
    """
    :origin: kafka.server.DelayedProduce
    :origin: kafka.server.DelayedProduce
    """

    __slots__ = ("_produce_metadata", "_replica_manager", "_response_callback")

    def __init__(self, delay_ms: int, produce_metadata: ProduceMetadata, replica_manager: ReplicaManager,
                 response_callback: ResponseCallback,
                 lock: AbstractContextManager[Any] | None = None) -> None:
        """:origin: kafka.server.DelayedProduce#DelayedProduce"""
        super().__init__(delay_ms, lock)
        self._produce_metadata = produce_metadata
        self._replica_manager = replica_manager
        self._response_callback = response_callback
        for topic_partition, status in produce_metadata.produce_status.items():
            if status.response_status.error is Errors.NONE:
                # The error of a partition until its replicas have the records.
                status.acks_pending = True
                status.response_status.error = Errors.REQUEST_TIMED_OUT
            else:
                status.acks_pending = False
            self.trace("initial partition status for %s is %s", topic_partition, status)

    def try_complete(self) -> bool:
        """Complete if no partition waits any more: this node no longer leads it, or its replicas have all
        records.

        :origin: kafka.server.DelayedProduce#tryComplete
        """
        for topic_partition, status in self._produce_metadata.produce_status.items():
            self.trace("checking produce satisfaction for %s, current status %s", topic_partition, status)
            if status.acks_pending:
                partition_or_error = self._replica_manager.get_partition_or_error(topic_partition)
                if isinstance(partition_or_error, Errors):
                    has_enough, error = False, partition_or_error
                else:
                    has_enough, error = partition_or_error.check_enough_replicas_reach_offset(
                        status.required_offset)
                if error is not Errors.NONE or has_enough:
                    status.acks_pending = False
                    status.response_status.error = error

        if not any(status.acks_pending for status in self._produce_metadata.produce_status.values()):
            return self.force_complete()
        return False

    def on_expiration(self) -> None:
        """:origin: kafka.server.DelayedProduce#onExpiration"""
        for topic_partition, status in self._produce_metadata.produce_status.items():
            if status.acks_pending:
                self.debug("expiring produce request for partition %s with status %s", topic_partition,
                           status)

    def on_complete(self) -> None:
        """:origin: kafka.server.DelayedProduce#onComplete"""
        self._response_callback({topic_partition: status.response_status for topic_partition, status
                                 in self._produce_metadata.produce_status.items()})
