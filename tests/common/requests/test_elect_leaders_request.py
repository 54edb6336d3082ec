# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests for elections, and what a user says of them."""

from __future__ import annotations

import pytest

from kreactor.common.election_type import ElectionType
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.requests.elect_leaders_request import ElectLeadersRequest
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException

PARTITIONS = [TopicPartition("a", 0), TopicPartition("b", 1), TopicPartition("a", 2)]


@pytest.mark.parametrize("version", [0, 1, 2])
def test_partitions_stand_by_topic(version: int) -> None:
    builder = ElectLeadersRequest.Builder(ElectionType.PREFERRED, PARTITIONS, 7)
    request = ElectLeadersRequest.parse(builder.build_version(version).serialize(), version)
    data = request.data()
    assert [(topic.topic, topic.partitions) for topic in data.topic_partitions or ()] == [
        ("a", [0, 2]), ("b", [1])]
    assert (data.election_type, data.timeout_ms) == (0, 7)
    assert str(builder) == (
        "ElectLeadersRequest(electionType=PREFERRED, topicPartitions=[a-0, b-1, a-2], timeoutMs=7)")


def test_all_partitions() -> None:
    builder = ElectLeadersRequest.Builder(ElectionType.UNCLEAN, None, 1)
    data = builder.build_version(2).data()
    assert (data.topic_partitions, data.election_type) == (None, 1)
    assert str(builder) == "ElectLeadersRequest(electionType=UNCLEAN, topicPartitions=null, timeoutMs=1)"


def test_version_0_knows_preferred_elections_only() -> None:
    builder = ElectLeadersRequest.Builder(ElectionType.UNCLEAN, PARTITIONS, 1)
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(0)


def test_values_of_election_types() -> None:
    assert [ElectionType.value_of(value) for value in (0, 1)] == list(ElectionType)
    with pytest.raises(IllegalArgumentException, match=r"Value 2 must be one of \[PREFERRED, UNCLEAN\]"):
        ElectionType.value_of(2)
