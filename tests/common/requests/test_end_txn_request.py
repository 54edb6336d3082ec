# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EndTxnRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The end of a transaction."""

from __future__ import annotations

from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.transaction_result import TransactionResult


def test_constructor() -> None:
    throttle_time_ms = 10
    builder = EndTxnRequest.Builder(EndTxnRequestData(
        committed=True, producer_epoch=0, producer_id=1, transactional_id="txn_id"))
    exception = Errors.NOT_COORDINATOR.exception()
    assert exception is not None
    for version in ApiKeys.END_TXN.all_versions():
        request = builder.build_version(version)
        response = request.get_error_response_throttle(throttle_time_ms, exception)
        assert response.error_counts() == {Errors.NOT_COORDINATOR: 1}
        assert request.result() is TransactionResult.COMMIT
        assert response.throttle_time_ms() == throttle_time_ms
