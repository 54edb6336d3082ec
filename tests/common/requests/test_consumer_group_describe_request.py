# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupDescribeRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups of the new protocol that are to be described."""

from __future__ import annotations

from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.consumer_group_describe_request import ConsumerGroupDescribeRequest

DescribedGroup = ConsumerGroupDescribeResponseData.DescribedGroup


def test_get_error_response() -> None:
    group_ids = ["group0", "group1"]
    data = ConsumerGroupDescribeRequestData()
    data.group_ids += group_ids
    request = ConsumerGroupDescribeRequest.Builder(data, True).build()
    e = Errors.GROUP_AUTHORIZATION_FAILED.exception()
    assert e is not None
    throttle_time_ms = 1000
    response = request.get_error_response_throttle(throttle_time_ms, e)

    assert response.throttle_time_ms() == throttle_time_ms
    for i, group_id in enumerate(group_ids):
        group = response.data().groups[i]
        assert group.group_id == group_id
        assert group.error_code == Errors.for_exception(e).code


def test_get_error_described_group_list() -> None:
    group_ids = ["group-id-1", "group-id-2", "group-id-3"]
    assert ConsumerGroupDescribeRequest.get_error_described_group_list(
        group_ids, Errors.COORDINATOR_LOAD_IN_PROGRESS) == [
            DescribedGroup(group_id=group_id, error_code=Errors.COORDINATOR_LOAD_IN_PROGRESS.code)
            for group_id in group_ids]
