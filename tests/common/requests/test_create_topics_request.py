# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Builders of requests for topics."""

from __future__ import annotations

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.requests.create_topics_request import CreateTopicsRequest


def test_builders_are_equal_by_what_they_build() -> None:
    def builder(timeout_ms: int) -> CreateTopicsRequest.Builder:
        return CreateTopicsRequest.Builder(CreateTopicsRequestData(timeout_ms=timeout_ms, topics=[
            CreateTopicsRequestData.CreatableTopic(name="a", num_partitions=1, replication_factor=1)]))

    assert builder(1) == builder(1) and hash(builder(1)) == hash(builder(1))
    assert builder(1) != builder(2)
