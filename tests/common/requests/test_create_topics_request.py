# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Builders of requests for topics."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.requests.create_topics_request import CreateTopicsRequest


def test_builders_are_equal_by_what_they_build() -> None:
    def builder(timeout_ms: int) -> CreateTopicsRequest.Builder:
        return CreateTopicsRequest.Builder(CreateTopicsRequestData(timeout_ms=timeout_ms, topics=[
            CreateTopicsRequestData.CreatableTopic(name="a", num_partitions=1, replication_factor=1)]))

    assert builder(1) == builder(1) and hash(builder(1)) == hash(builder(1))
    assert builder(1) != builder(2)


@pytest.mark.parametrize("partitions, replicas, needs_defaults", [
    (1, 1, False), (-1, 1, True), (1, -1, True), (-1, -1, True)])
def test_the_defaults_of_the_broker_need_version_4(
        partitions: int, replicas: int, needs_defaults: bool) -> None:
    builder = CreateTopicsRequest.Builder(CreateTopicsRequestData(topics=[
        CreateTopicsRequestData.CreatableTopic(
            name="a", num_partitions=partitions, replication_factor=replicas)]))
    assert builder.build_version(4).data().topics[0].num_partitions == partitions
    if needs_defaults:
        with pytest.raises(UnsupportedVersionException, match=r"\[a\]$"):
            builder.build_version(3)
    else:
        builder.build_version(3)


def test_assigned_replicas_need_no_defaults() -> None:
    assignment = CreateTopicsRequestData.CreatableReplicaAssignment(partition_index=0, broker_ids=[1])
    CreateTopicsRequest.Builder(CreateTopicsRequestData(topics=[CreateTopicsRequestData.CreatableTopic(
        name="a", num_partitions=-1, replication_factor=-1, assignments=[assignment])])).build_version(3)
