# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddPartitionsToTxnResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors by partition, and by transaction."""

from __future__ import annotations

import pytest

from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.topic_partition import TopicPartition

TP1, TP2 = TopicPartition("topic1", 1), TopicPartition("topic2", 2)
ERROR_ONE, ERROR_TWO = Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR


@pytest.mark.parametrize("version", ApiKeys.ADD_PARTITIONS_TO_TXN.all_versions())
def test_parse(version: int) -> None:
    topic = AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult(
        name="topic1", results_by_partition=[
            AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult(
                partition_error_code=error.code, partition_index=partition)
            for partition, error in ((1, ERROR_ONE), (2, ERROR_TWO))])
    if version < 4:
        data = AddPartitionsToTxnResponseData(throttle_time_ms=10, results_by_topic_v3_and_below=[topic])
        counts = {ERROR_ONE: 1, ERROR_TWO: 1}
    else:
        data = AddPartitionsToTxnResponseData(throttle_time_ms=10, results_by_transaction=[
            AddPartitionsToTxnResponseData.AddPartitionsToTxnResult(
                transactional_id="txn1", topic_results=[topic]),
            AddPartitionsToTxnResponse.result_for_transaction("txn2", {TP2: ERROR_ONE})])
        # The first is the one at the top.
        counts = {Errors.NONE: 1, ERROR_ONE: 2, ERROR_TWO: 1}
        assert AddPartitionsToTxnResponse.errors_for_transaction(
            AddPartitionsToTxnResponse(data).get_transaction_topic_results("txn2")) == {TP2: ERROR_ONE}
    response = AddPartitionsToTxnResponse.parse(AddPartitionsToTxnResponse(data).serialize(version), version)
    assert response.error_counts() == counts
    assert response.throttle_time_ms() == 10
    assert response.should_client_throttle(version) == (version >= 1)


def test_batched_errors() -> None:
    errors = {"txn1": {TP1: ERROR_ONE}, "txn2": {TP1: ERROR_ONE}}
    response = AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData(results_by_transaction=[
        AddPartitionsToTxnResponse.result_for_transaction(name, each) for name, each in errors.items()]))
    assert response.errors() == errors
