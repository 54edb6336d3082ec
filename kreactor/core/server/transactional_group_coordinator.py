# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What transactions need of the coordinator of groups. Not a port.

The offsets of a group are part of a transaction as records of ``__consumer_offsets`` are: the partition that
the group belongs to gets a marker, and then the offsets count.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.utils import Utils
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.text import hash_code


class TransactionalGroupCoordinator(Protocol):
    """As much of Kafka's GroupCoordinator."""

    def partition_for(self, group_id: str) -> int:
        """Return the partition of ``__consumer_offsets`` that a group belongs to."""

    def on_transaction_completed(self, producer_id: int, partitions: Collection[TopicPartition],
                                 transaction_result: TransactionResult) -> None:
        """A transaction that had offsets in these partitions of ``__consumer_offsets`` has ended there."""


class NoGroups:
    """There are none: a transaction can name a group, and commit no offsets for it."""

    def __init__(self, config: KafkaConfig) -> None:
        self._config = config

    def partition_for(self, group_id: str) -> int:
        return Utils.abs(hash_code(group_id)) % self._config.offsets_topic_partitions()

    def on_transaction_completed(self, producer_id: int, partitions: Collection[TopicPartition],
                                 transaction_result: TransactionResult) -> None:
        pass
