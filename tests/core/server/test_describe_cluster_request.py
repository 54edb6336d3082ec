# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DescribeClusterRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker describes its cluster, which is itself."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.utils import Utils
from kreactor.security.authorizer.acl_entry import AclEntry
from tests.core.server.broker_requests import ask
from tests.core.server.brokers import HOST, new_broker


def describe_cluster_request(folder: Path, include_cluster_authorized_operations: bool) -> None:
    expected_operations = -2**31
    if include_cluster_authorized_operations:
        expected_operations = Utils.to32_bit_field(
            {operation.code() for operation in AclEntry.supported_operations(ResourceType.CLUSTER)})
    with new_broker(folder, {"broker.rack": "rack/1"}) as broker:
        for version in range(ApiKeys.DESCRIBE_CLUSTER.oldest_version(),
                             ApiKeys.DESCRIBE_CLUSTER.latest_version() + 1):
            answer = ask(broker, ApiKeys.DESCRIBE_CLUSTER, version, DescribeClusterRequestData(
                include_cluster_authorized_operations=include_cluster_authorized_operations))
            assert answer.controller_id == 1
            assert answer.cluster_id == broker.cluster_id()
            assert answer.cluster_authorized_operations == expected_operations
            assert [(each.broker_id, each.host, each.port, each.rack) for each in answer.brokers] == [
                (1, HOST, broker.bound_port("PLAINTEXT"), "rack/1")]


def test_describe_cluster_request_including_cluster_authorized_operations(tmp_path: Path) -> None:
    describe_cluster_request(tmp_path, True)


def test_describe_cluster_request_excluding_cluster_authorized_operations(tmp_path: Path) -> None:
    describe_cluster_request(tmp_path, False)
