# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.WriteTxnMarkersResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of markers, by producer and partition."""

from __future__ import annotations

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition

PRODUCER_ID_ONE, PRODUCER_ID_TWO = 1, 2
TP_1, TP_2 = TopicPartition("topic", 1), TopicPartition("topic", 2)
PID_ONE_ERROR, PID_TWO_ERROR = Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_EPOCH


def test_constructor() -> None:
    response = WriteTxnMarkersResponse.of({
        PRODUCER_ID_ONE: {TP_1: PID_ONE_ERROR}, PRODUCER_ID_TWO: {TP_2: PID_TWO_ERROR}})
    assert response.error_counts() == {Errors.UNKNOWN_PRODUCER_ID: 1, Errors.INVALID_PRODUCER_EPOCH: 1}
    assert response.errors_by_producer_id()[PRODUCER_ID_ONE] == {TP_1: PID_ONE_ERROR}
    assert response.errors_by_producer_id()[PRODUCER_ID_TWO] == {TP_2: PID_TWO_ERROR}
