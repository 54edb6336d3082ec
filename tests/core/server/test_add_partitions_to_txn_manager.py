# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AddPartitionsToTxnManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Whether partitions belong to a transaction, as producers are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionState
from kreactor.core.server.add_partitions_to_txn_manager import (
    AddPartitionsToTxnManager,
    TransactionSupportedOperation,
)
from tests.core.coordinator.transaction.support import TOPIC, Transactions

FOO, BAR = TopicPartition("foo", 0), TopicPartition("bar", 0)
OLD, NEW = TransactionSupportedOperation.default_error, TransactionSupportedOperation.generic_error


@pytest.fixture
def txns(tmp_path: Path) -> Iterator[Transactions]:
    with Transactions(tmp_path) as transactions:
        transactions.own()
        yield transactions


def verify(txns: Transactions, operation: TransactionSupportedOperation = NEW, producer_id: int = 10,
           epoch: int = 1, transactional_id: str = "txn") -> Mapping[TopicPartition, Errors]:
    manager = txns.node.replica_manager._add_partitions_to_txn_manager
    assert isinstance(manager, AddPartitionsToTxnManager)
    answers: list[Mapping[TopicPartition, Errors]] = []
    manager.verify_transaction(transactional_id, producer_id, epoch, [FOO, BAR], answers.append, operation)
    answer, = answers
    return answer


def both(error: Errors) -> dict[TopicPartition, Errors]:
    return {FOO: error, BAR: error}


def test_transaction_coordinator_resolution(txns: Transactions) -> None:
    txns.node.metadata_cache.set_endpoints({})
    assert verify(txns) == both(Errors.COORDINATOR_NOT_AVAILABLE)
    txns.node.storage.delete_topic(TOPIC)
    assert verify(txns) == both(Errors.COORDINATOR_NOT_AVAILABLE)


def test_add_partitions_to_txn_handler_error_handling(txns: Transactions) -> None:
    metadata = txns.put(TransactionState.Ongoing, partitions=(FOO, BAR))
    assert verify(txns) == {}
    metadata.topic_partitions.discard(BAR)
    # Only newer clients know the error.
    assert verify(txns, NEW) == {BAR: Errors.TRANSACTION_ABORTABLE}
    assert verify(txns, OLD) == {BAR: Errors.INVALID_TXN_STATE}
    # Producers know what to do about this one.
    assert verify(txns, epoch=0) == both(Errors.INVALID_PRODUCER_EPOCH)
    assert verify(txns, producer_id=11) == both(Errors.INVALID_PRODUCER_ID_MAPPING)
    assert verify(txns, transactional_id="") == both(Errors.INVALID_REQUEST)
    metadata.state = TransactionState.PrepareAbort
    assert verify(txns) == both(Errors.CONCURRENT_TRANSACTIONS)
    txns.manager.remove_transactions_for_txn_topic_partition(txns.coordinator.partition_for("txn"))
    assert verify(txns) == both(Errors.NOT_COORDINATOR)


def test_add_partitions_to_txn_manager_metrics(txns: Transactions) -> None:
    names = [f"kafka.server:type=AddPartitionsToTxnManager,name={name}"
             for name in ("VerificationFailureRate", "VerificationTimeMs")]
    assert [txns.node.metric_value(name) for name in names] == [0, 0]
    verify(txns)
    txns.put(TransactionState.Ongoing, partitions=(FOO,))
    verify(txns)
    assert [txns.node.metric_value(name) for name in names] == [3, 2]
