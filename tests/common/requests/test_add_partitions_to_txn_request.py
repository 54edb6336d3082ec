# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddPartitionsToTxnRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Partitions for the transaction of a client, or for those of several."""

from __future__ import annotations

import pytest

from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import NoSuchElementException

VERSIONS = ApiKeys.ADD_PARTITIONS_TO_TXN.all_versions()
TP_0, TP_1 = TopicPartition("topic", 0), TopicPartition("topic", 1)
ONE, TWO = "transaction1", "transaction2"
Topic = AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic
Transaction = AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction


def two_transactions() -> list[Transaction]:
    return [Transaction(transactional_id=ONE, producer_id=10, producer_epoch=1, verify_only=True,
                        topics=[Topic(name="topic", partitions=[0])]),
            Transaction(transactional_id=TWO, producer_id=11, producer_epoch=2, verify_only=False,
                        topics=[Topic(name="topic", partitions=[1])])]


@pytest.mark.parametrize("version", VERSIONS)
def test_constructor(version: int) -> None:
    if version < 4:
        client = AddPartitionsToTxnRequest.Builder.for_client(ONE, 10, 1, [TP_0, TP_1])
        request = client.build_version(version)
        data = request.data()
        assert data.v3_and_below_transactional_id == ONE
        assert data.v3_and_below_producer_id == 10
        assert data.v3_and_below_producer_epoch == 1
        assert AddPartitionsToTxnRequest.get_partitions(data.v3_and_below_topics) == [TP_0, TP_1]
    else:
        request = AddPartitionsToTxnRequest.Builder.for_broker(two_transactions()).build_version(version)
        assert request.data().transactions == two_transactions()
    exception = Errors.UNKNOWN_TOPIC_OR_PARTITION.exception()
    assert exception is not None
    response = request.get_error_response_throttle(10, exception)
    assert response.throttle_time_ms() == 10
    if version >= 4:
        assert response.data().error_code == Errors.UNKNOWN_TOPIC_OR_PARTITION.code
    assert response.error_counts() == {Errors.UNKNOWN_TOPIC_OR_PARTITION: 1 if version >= 4 else 2}


def test_batched_requests() -> None:
    request = AddPartitionsToTxnRequest.Builder.for_broker(two_transactions()).build()
    assert request.partitions_by_transaction() == {ONE: [TP_0], TWO: [TP_1]}
    response = AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(
        throttle_time_ms=10, results_by_transaction=[
            request.error_response_for_transaction(ONE, Errors.UNKNOWN_TOPIC_OR_PARTITION),
            request.error_response_for_transaction(TWO, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)]))
    errors_for = AddPartitionsToTxnResponse.errors_for_transaction
    assert errors_for(response.get_transaction_topic_results(ONE)) == {
        TP_0: Errors.UNKNOWN_TOPIC_OR_PARTITION}
    assert errors_for(response.get_transaction_topic_results(TWO)) == {
        TP_1: Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
    with pytest.raises(NoSuchElementException):
        response.get_transaction_topic_results("three")
    with pytest.raises(NoSuchElementException):
        request.error_response_for_transaction("three", Errors.NONE)


def test_normalize_request() -> None:
    request = AddPartitionsToTxnRequest.Builder.for_client(ONE, 10, 1, [TP_0, TP_1]).build_version(3)
    singleton = request.normalize_request()
    assert singleton.partitions_by_transaction() == {ONE: [TP_0, TP_1]}
    (transaction,) = singleton.data().transactions
    assert (transaction.producer_id, transaction.producer_epoch) == (10, 1)


def test_all_verify_only_request() -> None:
    transactions = two_transactions()
    builder = AddPartitionsToTxnRequest.Builder.for_broker(transactions)
    assert not builder.build().all_verify_only_request()
    transactions[1].verify_only = True
    assert builder.build().all_verify_only_request()
    client = AddPartitionsToTxnRequest.Builder.for_client(ONE, 10, 1, [TP_0])
    assert not client.build_version(3).all_verify_only_request()
