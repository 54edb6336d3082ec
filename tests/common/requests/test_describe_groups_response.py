# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Described groups."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_groups_response import DescribeGroupsResponse


def test_operations_are_bits() -> None:
    codes = {AclOperation.READ.code(), AclOperation.DESCRIBE.code()}
    bits = 1 << AclOperation.READ.code() | 1 << AclOperation.DESCRIBE.code()
    group = DescribeGroupsResponse.group_metadata_operations(
        "group", Errors.NONE, "Stable", "consumer", "range", [], codes)
    assert group == DescribeGroupsResponse.group_metadata(
        "group", Errors.NONE, "Stable", "consumer", "range", [], bits)
    nothing = DescribeGroupsResponse.group_metadata_operations("group", Errors.NONE, "", "", "", [], set())
    assert nothing.authorized_operations == 0
