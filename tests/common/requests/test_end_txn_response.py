# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EndTxnResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The answer to the end of a transaction."""

from __future__ import annotations

from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.end_txn_response import EndTxnResponse


def test_constructor() -> None:
    throttle_time_ms = 10
    data = EndTxnResponseData(error_code=Errors.NOT_COORDINATOR.code, throttle_time_ms=throttle_time_ms)
    for version in ApiKeys.END_TXN.all_versions():
        response = EndTxnResponse(data)
        for _ in range(2):
            assert response.error_counts() == {Errors.NOT_COORDINATOR: 1}
            assert response.throttle_time_ms() == throttle_time_ms
            assert response.should_client_throttle(version) == (version >= 1)
            response = EndTxnResponse.parse(response.serialize(version), version)
