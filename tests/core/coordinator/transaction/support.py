# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The coordinator of a node whose log of transactions is there, on a mock clock, without threads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

from kreactor.common.internals.topic import Topic
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.core.coordinator.transaction.transaction_coordinator import InitProducerIdResult
from kreactor.core.coordinator.transaction.transaction_log import TransactionLog, TxnKey
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.coordinator.transaction.transaction_state_manager import CoordinatorEpochAndTxnMetadata
from kreactor.core.utils.pool import Pool
from tests.core.server.node import Node

TOPIC = Topic.TRANSACTION_STATE_TOPIC_NAME
TIMEOUT_MS = 1000
EPOCH = 0
NO_EPOCH = RecordBatch.NO_PRODUCER_EPOCH
PARTITIONS = frozenset((TopicPartition("topic1", 0),))


class Transactions:
    """A node, and its coordinator with ``num_partitions`` of the log, none of which is loaded."""

    def __init__(self, folder: str | os.PathLike[str], num_partitions: int = 2,
                 overrides: Mapping[str, str] | None = None) -> None:
        self.node = Node(folder, {
            "transaction.state.log.num.partitions": str(num_partitions), **(overrides or {})})
        self.num_partitions = num_partitions
        self.time = self.node.time
        self.scheduler = self.node.scheduler
        # The error of every append, in place of the append; None appends.
        self.append_error: Errors | None = None
        self.appended: dict[TopicPartition, list[MemoryRecords]] = {}
        # Timeout and acks of each append.
        self.appends: list[tuple[int, int]] = []

    def __enter__(self) -> Transactions:
        node = self.node.__enter__()
        self.coordinator = node.txn_coordinator
        self.manager = self.coordinator._txn_manager
        self.channel_manager = node.txn_markers
        if not node.metadata_cache.contains(TOPIC):
            # The coordinator is not told: what it is to own, a test says.
            topic = node.storage.create_topic(TOPIC, self.num_partitions, {})
            node.replica_manager.apply_delta(changed=topic.partitions())
        self._append_records = node.replica_manager.append_records
        node.replica_manager.append_records = self._append  # type: ignore[method-assign]
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.node.__exit__(exc_type, exc, tb)

    def _append(self, *args: Any, **kwargs: Any) -> None:
        entries, callback = kwargs["entries_per_partition"], kwargs["response_callback"]
        self.appends.append((kwargs["timeout"], kwargs["required_acks"]))
        for topic_partition, records in entries.items():
            # Appended records get their offsets in place.
            self.appended.setdefault(topic_partition, []).append(records)
        if self.append_error is None:
            self._append_records(*args, **kwargs)
        else:
            callback({topic_partition: ProduceResponse.PartitionResponse(self.append_error)
                      for topic_partition in entries})

    def own(self, epoch: int = EPOCH, partitions: Iterable[int] | None = None) -> None:
        """Have the coordinator coordinate partitions of the log in which there is nothing."""
        for partition in range(self.num_partitions) if partitions is None else partitions:
            self.manager.add_loaded_transactions_to_cache(partition, epoch, Pool())

    def put(self, state: TransactionState = TransactionState.Empty, transactional_id: str = "txn",
            producer_id: int = 10, epoch: int = 1, last_epoch: int = NO_EPOCH,
            partitions: Iterable[TopicPartition] = (), last_producer_id: int = -1,
            timeout_ms: int = TIMEOUT_MS) -> TransactionMetadata:
        """Put a transactional id into the cache, as of now."""
        now = self.time.milliseconds()
        metadata = TransactionMetadata(
            transactional_id, producer_id, last_producer_id, epoch, last_epoch, timeout_ms, state, partitions,
            -1 if state is TransactionState.Empty else now, txn_last_update_timestamp=now)
        found = self.manager.put_transaction_state_if_not_exists(metadata)
        assert isinstance(found, CoordinatorEpochAndTxnMetadata), found
        return found.transaction_metadata

    def init(self, transactional_id: str | None = "txn", timeout_ms: int = TIMEOUT_MS,
             expected: tuple[int, int] | None = None) -> InitProducerIdResult:
        """Ask for a producer id."""
        results: list[InitProducerIdResult] = []
        self.coordinator.handle_init_producer_id(
            transactional_id, timeout_ms, None if expected is None else ProducerIdAndEpoch(*expected),
            results.append)
        result, = results
        return result

    def logged(self, partition: int | None = None) -> list[tuple[str, TransactionMetadata | None]]:
        """Return what was appended to the log, in order, also if it was answered with an error."""
        result = []
        for topic_partition, batches in self.appended.items():
            if topic_partition.topic() == TOPIC and partition in (None, topic_partition.partition()):
                for records in batches:
                    for record in records.records():
                        key_buffer = record.key()
                        assert key_buffer is not None
                        key = TransactionLog.read_txn_record_key(key_buffer)
                        assert isinstance(key, TxnKey)
                        result.append((key.transactional_id, TransactionLog.read_txn_record_value(
                            key.transactional_id, record.value())))
        return result

    def states_logged(self) -> list[str]:
        """Return the states that were appended."""
        return [str(metadata.state) if metadata else "-" for _, metadata in self.logged()]
