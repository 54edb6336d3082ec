# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups that are to be described."""

from __future__ import annotations

from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_groups_request import DescribeGroupsRequest

DescribedGroup = DescribeGroupsResponseData.DescribedGroup


def test_get_error_described_group_list() -> None:
    group_ids = ["group-id-1", "group-id-2", "group-id-3"]
    assert DescribeGroupsRequest.get_error_described_group_list(
        group_ids, Errors.COORDINATOR_LOAD_IN_PROGRESS) == [
            DescribedGroup(group_id=group_id, error_code=Errors.COORDINATOR_LOAD_IN_PROGRESS.code)
            for group_id in group_ids]
