# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupDescribeResponseTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Described groups of the new protocol."""

from __future__ import annotations

from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.consumer_group_describe_response import ConsumerGroupDescribeResponse


def test_error_counts() -> None:
    e = Errors.INVALID_GROUP_ID
    error_count = 2
    data = ConsumerGroupDescribeResponseData()
    for _ in range(error_count):
        data.groups.append(ConsumerGroupDescribeResponseData.DescribedGroup(error_code=e.code))
    counts = ConsumerGroupDescribeResponse(data).error_counts()
    assert counts[e] == error_count
    assert Errors.COORDINATOR_NOT_AVAILABLE not in counts
