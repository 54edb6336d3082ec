# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaApis of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Writes the markers that end transactions to this node's logs.

In Kafka this is a part of KafkaApis. Here the coordinator also uses it, because the coordinator is on the
same node and sends no requests to itself.

Any thread may call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Callable

from kreactor.common.internals.topic import Topic
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.jdk.locks import Lock
from kreactor.storage.internals.log.append_origin import AppendOrigin

_CONTROL_RECORD_TYPES = {TransactionResult.COMMIT: ControlRecordType.COMMIT,
                         TransactionResult.ABORT: ControlRecordType.ABORT}


class TxnMarkerAppender(Logging):
    """Appends markers, and has the groups' offsets of ended transactions take effect."""

    def __init__(self, config: KafkaConfig, replica_manager: ReplicaManager,
                 group_coordinator: GroupCoordinator) -> None:
        self._config = config
        self._replica_manager = replica_manager
        self._group_coordinator = group_coordinator

    def append(self, markers: Sequence[WriteTxnMarkersRequest.TxnMarkerEntry], request_local: RequestLocal,
               response_callback: Callable[[WriteTxnMarkersResponse], None]) -> None:
        """Append all markers; call back when that is done, with the result of each."""
        errors: dict[int, dict[TopicPartition, Errors]] = {}
        # Guards the errors and the number of outstanding appends.
        lock = Lock()
        num_appends = len(markers)
        if self._config.is_strict():
            # DEVIATION D141: the origin waits for ever for a partition that is named twice.
            num_appends += sum(len(marker.partitions) > len(set(marker.partitions)) for marker in markers)

        if num_appends == 0:
            response_callback(WriteTxnMarkersResponse.of(errors))
            return

        def update_errors(producer_id: int, current_errors: Mapping[TopicPartition, Errors]) -> None:
            with lock:
                errors.setdefault(producer_id, {}).update(current_errors)

        def is_last_append() -> bool:
            nonlocal num_appends
            with lock:
                num_appends -= 1
                return num_appends == 0

        def maybe_send_response_callback(producer_id: int, result: TransactionResult,
                                         current_errors: Mapping[TopicPartition, Errors]) -> None:
            self.trace("end transaction marker append for producer id %d completed with status: %s",
                       producer_id, current_errors)
            update_errors(producer_id, current_errors)

            successful_offsets_partitions = [
                topic_partition for topic_partition, error in current_errors.items()
                if topic_partition.topic() == Topic.GROUP_METADATA_TOPIC_NAME and error is Errors.NONE]
            if successful_offsets_partitions:
                try:
                    self._group_coordinator.on_transaction_completed(
                        producer_id, successful_offsets_partitions, result)
                except Exception as e:
                    self.error("failed to apply the offsets of a transaction whose marker is written", exc=e)
                    update_errors(
                        producer_id,
                        dict.fromkeys(successful_offsets_partitions, Errors.UNKNOWN_SERVER_ERROR))

            if is_last_append():
                response_callback(WriteTxnMarkersResponse.of(errors))

        # One append per producer, because each producer may be fenced on its own.
        skipped_markers = 0
        for marker in markers:
            producer_id = marker.producer_id
            # A partition that is named twice counts once.
            partitions = dict.fromkeys(marker.partitions)
            hosted_partitions = dict.fromkeys(
                partition for partition in partitions
                if self._replica_manager.get_log_config(partition) is not None)
            current_errors = {partition: Errors.UNKNOWN_TOPIC_OR_PARTITION for partition in partitions
                              if partition not in hosted_partitions}
            if current_errors:
                update_errors(producer_id, current_errors)

            if not hosted_partitions:
                is_last_append()
                skipped_markers += 1
                continue

            def append_callback(
                responses: Mapping[TopicPartition, ProduceResponse.PartitionResponse],
                marker: WriteTxnMarkersRequest.TxnMarkerEntry = marker,
            ) -> None:
                maybe_send_response_callback(
                    marker.producer_id, marker.transaction_result,
                    {tp: partition_response.error for tp, partition_response in responses.items()})

            self._replica_manager.append_records(
                timeout=self._config.request_timeout_ms(),
                required_acks=-1,
                internal_topics_allowed=True,
                origin=AppendOrigin.COORDINATOR,
                entries_per_partition={
                    partition: MemoryRecords.with_end_transaction_marker(
                        producer_id, marker.producer_epoch,
                        EndTransactionMarker(
                            _CONTROL_RECORD_TYPES[marker.transaction_result], marker.coordinator_epoch))
                    for partition in hosted_partitions},
                response_callback=append_callback,
                request_local=request_local)

        # No append was needed.
        if skipped_markers == len(markers):
            response_callback(WriteTxnMarkersResponse.of(errors))
