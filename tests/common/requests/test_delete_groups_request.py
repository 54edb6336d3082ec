# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteGroupsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Groups that are to be deleted."""

from __future__ import annotations

from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.delete_groups_request import DeleteGroupsRequest


def test_get_error_result_collection() -> None:
    group_ids = ["group-id-1", "group-id-2"]
    data = DeleteGroupsRequestData(groups_names=group_ids)
    assert DeleteGroupsRequest.get_error_result_collection(
        data.groups_names, Errors.COORDINATOR_LOAD_IN_PROGRESS) == [
            DeleteGroupsResponseData.DeletableGroupResult(
                group_id=group_id, error_code=Errors.COORDINATOR_LOAD_IN_PROGRESS.code)
            for group_id in group_ids]
