# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.TopicAssignmentTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a topic's partitions."""

from __future__ import annotations

from kreactor.common.uuid import Uuid
from kreactor.metadata.placement.partition_assignment import PartitionAssignment
from kreactor.metadata.placement.topic_assignment import TopicAssignment
from tests.metadata.placement.brokers import Cluster, partition_assignment


def test_topic_assignment_replicas() -> None:
    partition_assignments = [partition_assignment(0, 1, 2), partition_assignment(1, 2, 0)]
    assert list(TopicAssignment(partition_assignments).assignments()) == partition_assignments


def test_consistent_equals_and_hash_code() -> None:
    first = TopicAssignment([partition_assignment(0, 1, 2)])
    second = TopicAssignment([partition_assignment(1, 2, 0)])
    for each in (first, second):
        assert each == TopicAssignment(each.assignments())
        assert hash(each) == hash(TopicAssignment(each.assignments()))
    assert first != second
    assert hash(first) != hash(second)


def test_to_string() -> None:
    directories = ["v56qeYzNRrqNtXsxzcReog", "MvUIAsOiRlSePeiBHdZrSQ", "jUqCchHtTHqMxeVv4dw1RA"]
    cluster = Cluster(directories=[Uuid.from_string(each) for each in directories])
    assert str(TopicAssignment([PartitionAssignment([0, 1, 2], cluster)])) == (
        "TopicAssignment(assignments=[PartitionAssignment(replicas=[0, 1, 2], "
        "directories=[v56qeYzNRrqNtXsxzcReog, MvUIAsOiRlSePeiBHdZrSQ, jUqCchHtTHqMxeVv4dw1RA])])")
