# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.WriteTxnMarkersRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Markers of ended transactions."""

from __future__ import annotations

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.topic_partition import TopicPartition

PRODUCER_ID = 10
PRODUCER_EPOCH = 2
COORDINATOR_EPOCH = 1
RESULT = TransactionResult.COMMIT
TOPIC_PARTITION = TopicPartition("topic", 73)
THROTTLE_TIME_MS = 10
MARKERS = [WriteTxnMarkersRequest.TxnMarkerEntry(
    PRODUCER_ID, PRODUCER_EPOCH, COORDINATOR_EPOCH, RESULT, (TOPIC_PARTITION,))]


def test_constructor() -> None:
    builder = WriteTxnMarkersRequest.Builder.of(ApiKeys.WRITE_TXN_MARKERS.latest_version(), MARKERS)
    for version in ApiKeys.WRITE_TXN_MARKERS.all_versions():
        request = builder.build_version(version)
        assert len(request.markers()) == 1
        marker = request.markers()[0]
        assert marker.producer_id == PRODUCER_ID
        assert marker.producer_epoch == PRODUCER_EPOCH
        assert marker.coordinator_epoch == COORDINATOR_EPOCH
        assert marker.transaction_result is RESULT
        assert marker.partitions == (TOPIC_PARTITION,)


def test_get_error_response() -> None:
    builder = WriteTxnMarkersRequest.Builder.of(ApiKeys.WRITE_TXN_MARKERS.latest_version(), MARKERS)
    exception = Errors.UNKNOWN_PRODUCER_ID.exception()
    assert exception is not None
    for version in ApiKeys.WRITE_TXN_MARKERS.all_versions():
        error_response = builder.build_version(version).get_error_response_throttle(
            THROTTLE_TIME_MS, exception)
        assert error_response.errors_by_producer_id()[PRODUCER_ID] == {
            TOPIC_PARTITION: Errors.UNKNOWN_PRODUCER_ID}
        assert error_response.error_counts() == {Errors.UNKNOWN_PRODUCER_ID: 1}
        # The response has no throttle time.
        assert error_response.throttle_time_ms() == 0
