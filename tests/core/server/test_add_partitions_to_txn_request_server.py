# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AddPartitionsToTxnRequestServerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Partitions are added to transactions, one or several in a request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, create_topic
from tests.core.server.brokers import new_broker
from tests.stepping import wait_until

API = ApiKeys.ADD_PARTITIONS_TO_TXN
PARTITION = TopicPartition("topic1", 0)
Transaction = AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {"auto.create.topics.enable": "false",
                               "transaction.state.log.num.partitions": "1"}) as broker:
        create_topic(broker, PARTITION.topic())
        yield broker


def topics(*partitions: TopicPartition) -> list[AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic]:
    return [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(
        name=partition.topic(), partitions=[partition.partition()]) for partition in partitions]


def errors_of(results: Any) -> dict[TopicPartition, Errors]:
    return {TopicPartition(topic.name, partition.partition_index):
            Errors.for_code(partition.partition_error_code)
            for topic in results for partition in topic.results_by_partition}


def add(broker: BrokerServer, *transactions: Transaction) -> dict[str, dict[TopicPartition, Errors]]:
    answer = ask(broker, API, API.latest_version(), AddPartitionsToTxnRequestData(
        transactions=list(transactions)))
    assert answer.error_code == 0
    return {result.transactional_id: errors_of(result.topic_results)
            for result in answer.results_by_transaction}


def set_up_transaction(broker: BrokerServer, transactional_id: str, verify_only: bool) -> Transaction:
    found: Any = None

    def is_loaded() -> bool:
        nonlocal found
        ask(broker, ApiKeys.FIND_COORDINATOR, 1, FindCoordinatorRequestData(
            key=transactional_id, key_type=1))
        found = ask(broker, ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
            transactional_id=transactional_id, transaction_timeout_ms=10_000))
        return bool(found.error_code == 0)

    wait_until(is_loaded)
    return Transaction(transactional_id=transactional_id, producer_id=found.producer_id,
                       producer_epoch=found.producer_epoch, verify_only=verify_only,
                       topics=topics(PARTITION))


@pytest.mark.parametrize("version", range(API.oldest_version(), API.latest_version() + 1))
def test_should_receive_operation_not_attempted_when_other_partition_has_error(broker: BrokerServer,
                                                                               version: int) -> None:
    unknown = TopicPartition("unknownTopic", 0)
    transactional_id, producer_id, producer_epoch = "foobar", 1000, 0
    if version < 4:
        answer = ask(broker, API, version, AddPartitionsToTxnRequestData(
            v3_and_below_transactional_id=transactional_id, v3_and_below_producer_id=producer_id,
            v3_and_below_producer_epoch=producer_epoch, v3_and_below_topics=topics(PARTITION, unknown)))
        errors = errors_of(answer.results_by_topic_v3_and_below)
    else:
        answer = ask(broker, API, version, AddPartitionsToTxnRequestData(transactions=[Transaction(
            transactional_id=transactional_id, producer_id=producer_id, producer_epoch=producer_epoch,
            verify_only=False, topics=topics(PARTITION, unknown))]))
        result, = answer.results_by_transaction
        assert result.transactional_id == transactional_id
        errors = errors_of(result.topic_results)
    assert errors == {PARTITION: Errors.OPERATION_NOT_ATTEMPTED, unknown: Errors.UNKNOWN_TOPIC_OR_PARTITION}


def test_one_success_one_error_in_batched_request(broker: BrokerServer) -> None:
    transaction = set_up_transaction(broker, "foobar", False)
    other = Transaction(transactional_id="barfoo", producer_id=1000, producer_epoch=0, verify_only=False,
                        topics=topics(PARTITION))
    assert add(broker, transaction, other) == {
        "foobar": {PARTITION: Errors.NONE}, "barfoo": {PARTITION: Errors.INVALID_PRODUCER_ID_MAPPING}}


def test_verify_only(broker: BrokerServer) -> None:
    transaction = set_up_transaction(broker, "foobar", True)
    assert add(broker, transaction) == {"foobar": {PARTITION: Errors.TRANSACTION_ABORTABLE}}
